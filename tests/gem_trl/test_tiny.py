"""The small models: the tokenizer, the warm start, and who plays what they imitate."""

import random
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest
import torch
from gymnasium.wrappers import TimeLimit
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium import errors
from gem_gymnasium.solvers import solver_for
from gem_gymnasium.wrappers import History
from gem_trl import scores, tiny
from gem_trl.prompts import PromptEncoder
from tests.gem_trl.conftest import ENV

SPECIALS = (tiny.PAD, tiny.END, tiny.USER, tiny.ASSISTANT)


def text_env() -> gym.Env[Any, Any]:
    return History(gym.make(ENV))


def messages_env() -> gym.Env[Any, Any]:
    return History(gym.make(ENV), "messages")


def chats_of(
    env_fn: Callable[[], gym.Env[Any, Any]], episodes: int, skill: float = 0.5, seed: int = 0
) -> list[tiny.Conversation]:
    return list(tiny.play_conversations(env_fn, episodes, skill, seed))


def small(tokenizer: Any, seed: int = 0) -> Any:
    return tiny.build_model(tokenizer, hidden=16, layers=1, heads=2, seed=seed)


# -- the tokenizer -------------------------------------------------------------------------------
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back_as_it_was(tokenizer: Any, text: str) -> None:
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert tokenizer.decode(ids, clean_up_tokenization_spaces=False) == text


def test_the_texts_it_was_trained_on_come_back_and_are_short(tokenizer: Any) -> None:
    for chat in chats_of(messages_env, 20, seed=5):
        for message in chat:
            ids = tokenizer(message["content"])["input_ids"]
            assert tokenizer.decode(ids) == message["content"]
            assert len(ids) < 0.6 * len(message["content"])


@pytest.mark.parametrize("number", range(1, 11))
def test_a_number_is_one_token_wherever_it_stands(tokenizer: Any, number: int) -> None:
    alone = tokenizer(str(number))["input_ids"]
    assert len(alone) == 1
    for text in (f"\\boxed{{{number}}}", f"higher than {number}.", f"({number}", f"x{number}y"):
        assert tokenizer(text)["input_ids"].count(alone[0]) == 1


def test_each_special_token_is_one_token_and_the_padding_is_0(tokenizer: Any) -> None:
    ids = tokenizer("".join(SPECIALS))["input_ids"]
    assert ids == [0, 1, 2, 3]
    assert (tokenizer.pad_token, tokenizer.eos_token) == (tiny.PAD, tiny.END)
    assert set(tokenizer.all_special_ids) == {0, 1, 2, 3}
    assert tokenizer.padding_side == "left"


def test_a_larger_vocabulary_is_used() -> None:
    texts = [message["content"] for chat in chats_of(messages_env, 30) for message in chat]
    assert len(tiny.train_tokenizer(texts, vocab_size=270)) == 270
    assert len(tiny.train_tokenizer(texts, vocab_size=300)) == 300


def long_chat() -> tiny.Conversation:
    return max(chats_of(messages_env, 10, skill=0.0), key=len)


def test_the_chat_template_only_ever_extends_a_chat(tokenizer: Any) -> None:
    def render(messages: tiny.Conversation, prompt: bool) -> str:
        return tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=prompt)

    chat = long_chat()
    assert len(chat) >= 7
    assert render(chat[:2], False) == (
        f"<|user|>{chat[0]['content']}<|end|><|assistant|>{chat[1]['content']}<|end|>"
    )
    for turn in range(1, len(chat), 2):
        assert render(chat[: turn + 2], True).startswith(render(chat[:turn], True))


def test_conversations_begin_as_the_trainers_prompts_do(tokenizer: Any) -> None:
    chat = long_chat()
    (ids,) = tiny.encode_conversations(tokenizer, [chat])
    encoder = PromptEncoder(tokenizer)
    for turn in range(1, len(chat), 2):
        prompt = encoder.encode("", {"messages": chat[:turn]})
        assert ids[: len(prompt)] == prompt
    assert ids[-1] == tokenizer.eos_token_id


# -- the model -----------------------------------------------------------------------------------
def test_equal_seeds_give_equal_weights_and_others_do_not(tokenizer: Any) -> None:
    one, same, other = (small(tokenizer, seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert any(not torch.equal(one[name], other[name]) for name in one)


def test_the_shape_is_as_asked_for(tokenizer: Any) -> None:
    model = tiny.build_model(tokenizer, hidden=48, layers=3, heads=4, max_positions=77)
    assert model.config.hidden_size == 48
    assert model.config.num_hidden_layers == 3
    assert model.config.max_position_embeddings == 77
    assert model.get_input_embeddings().weight.shape == (len(tokenizer), 48)
    assert model.generation_config.eos_token_id == tokenizer.eos_token_id
    assert model.generation_config.pad_token_id == tokenizer.pad_token_id


def test_the_default_model_has_about_a_third_of_a_million_parameters(tokenizer: Any) -> None:
    count = sum(p.numel() for p in tiny.build_model(tokenizer).parameters())
    assert 250_000 < count < 350_000  # what `gem-trl quickstart --help` says


# -- the warm start ------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def sequences(tokenizer: Any) -> list[tuple[int, ...]]:
    return tiny.encode_conversations(tokenizer, chats_of(messages_env, 40, seed=2))


def warm(tokenizer: Any, sequences: Any, seed: int = 0) -> tuple[Any, list[float]]:
    model, steps, losses = small(tokenizer), list[int](), list[float]()

    def on_step(step: int, loss: float) -> None:
        steps.append(step)
        losses.append(loss)

    last = tiny.warm_start(
        model, sequences, steps=40, batch_size=8, learning_rate=1e-2, seed=seed, on_step=on_step
    )
    assert steps == [*range(1, 41)]
    assert losses[-1] == last
    return model, losses


def test_the_warm_start_lowers_the_loss_and_is_repeatable(tokenizer: Any, sequences: Any) -> None:
    model, losses = warm(tokenizer, sequences)
    assert losses[0] == pytest.approx(np.log(len(tokenizer)), rel=0.1)  # nothing is known yet
    assert losses[-1] < losses[0] - 1.2
    again, same = warm(tokenizer, sequences)
    assert losses == same
    expected = model.state_dict()
    assert all(torch.equal(value, expected[name]) for name, value in again.state_dict().items())
    assert warm(tokenizer, sequences, seed=1)[1] != losses


def test_the_loss_is_the_mean_over_every_token_and_no_padding(tokenizer: Any) -> None:
    sequences = [(5, 6, 7, 8, 9, 10, 11), (5, 12)]
    model = small(tokenizer)
    with torch.no_grad():
        log_probs = [
            model(input_ids=torch.tensor([ids])).logits[0, :-1].log_softmax(-1)[range(len(ids) - 1),
            list(ids[1:])]
            for ids in sequences
        ]  # fmt: skip
    picks = np.random.default_rng(0).integers(2, size=6)
    assert {0, 1} == set(picks.tolist())
    expected = -torch.cat([log_probs[int(pick)] for pick in picks]).mean().item()
    assert tiny.warm_start(model, sequences, steps=1, batch_size=6) == pytest.approx(expected)


@pytest.fixture
def optimizer_steps(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, torch.Tensor]]:
    """The rate and a gradient at each step of an AdamW that changes nothing."""
    seen: list[tuple[float, torch.Tensor]] = []

    class Watched(torch.optim.AdamW):
        def step(self, closure: Any = None) -> Any:
            group = self.param_groups[0]
            seen.append((group["lr"], group["params"][0].grad.clone()))

    monkeypatch.setattr(torch.optim, "AdamW", Watched)
    return seen


def test_the_rate_rises_for_50_steps_and_falls_to_a_tenth(
    tokenizer: Any, optimizer_steps: list[Any]
) -> None:
    model = small(tokenizer)
    tiny.warm_start(model, [(5, 6)], steps=200, batch_size=1, learning_rate=1.0)
    rates = [rate for rate, _ in optimizer_steps]
    assert rates[0] == pytest.approx(1 / 50)
    assert np.argmax(rates) == 49
    assert rates[100] == pytest.approx(0.55)
    assert rates[-1] == pytest.approx(0.1, abs=0.01)


def test_each_gradient_is_of_its_own_batch_and_clipped_at_1(
    tokenizer: Any, optimizer_steps: list[Any]
) -> None:
    model = small(tokenizer)
    with torch.no_grad():
        model.get_input_embeddings().weight.mul_(50.0)  # so that there is something to clip
    tiny.warm_start(model, [(5, 6, 7), (8, 9, 10)], steps=8, batch_size=1)
    gradients = torch.stack([gradient.flatten() for _, gradient in optimizer_steps])
    assert len(gradients.unique(dim=0)) == 2
    norm = torch.cat([p.grad.flatten() for p in model.parameters()]).norm().item()
    assert norm == pytest.approx(1.0, abs=1e-4)


def test_no_global_generator_is_touched(tokenizer: Any, sequences: Any) -> None:
    torch.manual_seed(3)
    np.random.seed(3)  # noqa: NPY002
    random.seed(3)

    def states() -> list[Any]:
        return [
            torch.random.get_rng_state().tolist(),
            np.random.get_state()[1].tolist(),  # noqa: NPY002  # type: ignore[index]
            random.getstate(),
        ]

    before = states()
    chats = chats_of(text_env, 5)
    tiny.train_tokenizer([message["content"] for chat in chats for message in chat])
    tiny.warm_start(small(tokenizer), sequences, steps=2, batch_size=2)
    assert states() == before


# -- who is imitated -----------------------------------------------------------------------------
def test_the_messages_layout_gives_one_chat_an_episode() -> None:
    chats = chats_of(messages_env, 12)
    assert len(chats) == 12
    for chat in chats:
        assert [message["role"] for message in chat] == (
            ["user", "assistant"] * (len(chat) // 2) + ["user"]
        )
        assert "Guess the Number" in chat[0]["content"]
        last = chat[-1]["content"]
        assert "you win" in last or "the game is lost" in last  # the last observation too
    assert len({len(chat) for chat in chats}) > 1


@pytest.mark.parametrize("env_fn", [text_env, lambda: gym.make(ENV)])
def test_any_other_layout_gives_one_chat_a_turn(env_fn: Any) -> None:
    turns = sum(len(chat) // 2 for chat in chats_of(messages_env, 12))
    chats = chats_of(env_fn, 12)
    assert len(chats) == turns  # the same episodes
    assert all([m["role"] for m in chat] == ["user", "assistant", "user"] for chat in chats)
    assert all(chat[1]["content"].startswith("\\boxed{") for chat in chats)
    firsts = [chat for chat in chats if "Guess the Number" in chat[0]["content"]]
    assert len(firsts) == (turns if env_fn is text_env else 12)


def test_the_best_move_of_a_skilled_player_is_the_solvers() -> None:
    def replies(skilled_move: Any) -> list[str]:
        chats = tiny.play_conversations(text_env, 20, 1.0, 0, skilled_move)
        return [chat[1]["content"] for chat in chats if "Guess the Number" in chat[0]["content"]]

    first = solver_for(ENV)
    rules, info = gym.make(ENV).reset(seed=0)
    first.reset(rules, info)
    opening = first.act(rules, info)
    assert replies("best")[0] == opening
    assert len({*replies("consistent")}) > 1


def test_a_cell_takes_as_many_tokens_empty_as_filled() -> None:
    env = gym.make("gem/Sudoku-easy-v0")
    views = [env.reset(seed=seed)[1]["view"] for seed in range(30)]
    tokenizer = tiny.train_tokenizer(views, vocab_size=300)
    assert len({len(tokenizer(view)["input_ids"]) for view in views}) == 1


def test_in_cells_a_board_s_sign_is_a_token_and_a_fixed_sentence_is_another() -> None:
    chats = list(tiny.play_games(lambda: pettingzoo.make("aec", "gem/TicTacToe-v0"), 60, 0.0, 1))
    texts = [message["content"] for chat in chats for message in chat]
    tokenizer = tiny.train_tokenizer(texts, 600, tiny.CELLS)
    boards = {"\n".join(lines[-4:-1]) for text in texts if len(lines := text.split("\n")) > 5}
    assert len(boards) > 100
    assert {len(tokenizer(board)["input_ids"]) for board in boards} == {9 + 2}
    closing = texts[0].split("\n")[-1]
    assert len(tokenizer(closing)["input_ids"]) <= 3  # "a" stands alone, as a sign may
    reply = tokenizer("\\boxed{7}")["input_ids"]
    assert [tokenizer.decode([token]) for token in reply] == ["\\boxed{", "7", "}"]
    assert tokenizer.decode(tokenizer(texts[0])["input_ids"]) == texts[0]


def test_a_truncated_episode_is_over() -> None:
    chats = chats_of(lambda: TimeLimit(text_env(), 1), 5)
    assert len(chats) == 5


def test_equal_seeds_give_equal_conversations() -> None:
    assert chats_of(text_env, 6, seed=4) == chats_of(text_env, 6, seed=4)
    assert chats_of(text_env, 6, seed=4) != chats_of(text_env, 6, seed=5)


@pytest.mark.parametrize("id", ["gem/GuessTheNumber-v0", "gem/Mastermind-v0", "gem/Sudoku-easy-v0"])
def test_without_skill_every_move_is_legal_and_with_it_every_game_is_won(id: str) -> None:
    env = gym.make(id)
    for skill in (0.0, 1.0):
        player = tiny.SloppyPlayer(env, skill, np.random.default_rng(7))
        for seed in range(4):
            observation, info = env.reset(seed=seed)
            player.reset(observation, info)
            over = False
            while not over:
                observation, _, over, _, info = env.step(player.act(observation, info))
                assert info["legal"] or skill == 1.0
            assert info["success"] or skill == 0.0


def test_skill_makes_the_difference() -> None:
    env = gym.make("gem/GuessTheNumber-hard-v0")
    won = [
        np.mean([
            episode.success
            for episode in scores.play(
                env, tiny.SloppyPlayer(env, skill, np.random.default_rng(7)), range(100)
            )
        ])
        for skill in (0.0, 0.6, 1.0)
    ]  # fmt: skip
    assert won[0] < 0.3 < won[1] < won[2]


def test_a_random_player_needs_no_solver_and_a_skilled_one_does() -> None:
    from tests.helpers import Faulty

    tiny.SloppyPlayer(Faulty(), 0.0, np.random.default_rng(0))
    with pytest.raises(ValueError, match="unknown game of a solver 'Faulty'"):
        tiny.SloppyPlayer(Faulty(), 0.1, np.random.default_rng(0))


def test_a_warm_model_is_made_of_one_id_or_of_several() -> None:
    one, _ = tiny.build_warm(ENV, games=3, steps=1)
    several, _ = tiny.build_warm([ENV], games=3, steps=1)
    for left, right in zip(one.parameters(), several.parameters(), strict=True):
        assert torch.equal(left, right)


@pytest.mark.parametrize(("ids", "games"), [([], 3), (ENV, 0), ("", 3)])
def test_a_warm_model_of_no_game_is_refused(ids: Any, games: int) -> None:
    with pytest.raises(errors.ConfigError):
        tiny.build_warm(ids, games=games)
