"""Self-play: an episode for each seat, earlier selves in the other seats, and what is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gem_gymnasium.multiplayer.tic_tac_toe import TicTacToeEnv
from gem_trl import tiny
from gem_trl._compat import add_fused_lm_head
from gem_trl.credit import by_turn
from gem_trl.envs import open_envs
from gem_trl.evaluation import evaluation_of
from gem_trl.metrics import metrics_by_env
from gem_trl.prompts import PromptEncoder
from gem_trl.rollout import Collector, Opponent
from tests.gem_trl.self_play.small import KUHN, small
from tests.gem_trl.test_credit import episode, turn
from tests.gem_trl.test_rollout import SAMPLING, Scripted, number_it
from tests.gem_trl.test_trainer import parameters

TIC = "gem/TicTacToe-v0"

Player = Callable[[str], str]


def free_cell(prompt: str) -> str:
    """Take the lowest free cell of the newest board."""
    board = prompt.split("It is your turn")[0].split()[-9:]
    return "\\boxed{" + next(cell for cell in board if cell.isdigit()) + "}"


def collector(source: Any, tokenizer: Any, player: Player, history: str = "none") -> Collector:
    envs = open_envs(source, 3, history, {}, 30.0)
    generator = Scripted(tokenizer, player)
    return Collector(envs, PromptEncoder(tokenizer), generator, max_prompt_tokens=900)


def test_a_game_is_an_episode_of_each_seat(tokenizer: Any) -> None:
    play = collector(TIC, tokenizer, free_cell)
    first, second, *others = play.collect(2, number_it, SAMPLING, 0)
    # Cells 1, 3, 5, 7 are the first's and 2, 4, 6 the second's: 3, 5, 7 is a diagonal.
    assert [len(each.turns) for each in (first, second)] == [4, 3]
    assert (first.seat, second.seat, first.env_id) == (0, 1, TIC)
    assert first.rewards == (0.0, 0.0, 0.0, 1.0)
    assert second.rewards == (0.0, 0.0, -1.0)  # paid while the other moved
    assert (first.success, second.success) == (True, False)
    assert (first.terminated, second.terminated, first.seed) == (True, True, second.seed)
    assert [each.seed for each in others] == [1, 1]
    assert "You are O and move second." in tokenizer.decode(second.turns[0].prompt_ids)
    assert "You are X" not in "".join(tokenizer.decode(t.prompt_ids) for t in second.turns)


def test_a_seat_is_asked_with_its_own_history_only(tokenizer: Any) -> None:
    def check_then_call(prompt: str) -> str:
        return "\\boxed{check}" if "or \\boxed{bet}." in prompt.split("It is your turn")[-1] else (
            "\\boxed{call}")  # fmt: skip

    def bluff(prompt: str) -> str:
        return "\\boxed{bet}" if "You act second" in prompt else check_then_call(prompt)

    play = collector(KUHN, tokenizer, bluff, "messages")
    first, second = play.collect(1, number_it, SAMPLING, 0)
    asked_again = tokenizer.decode(first.turns[1].prompt_ids)
    assert asked_again.count("<|assistant|>") == 2
    assert "\\boxed{check}<|end|>" in asked_again
    own = asked_again.split("Your card: ")[1][0]
    other = tokenizer.decode(second.turns[0].prompt_ids).split("Your card: ")[1][0]
    assert f"Your card: {other}" not in asked_again
    assert own != other
    assert first.total_reward == -second.total_reward
    assert abs(first.total_reward) == 2.0


def test_who_has_not_moved_has_no_episode(tokenizer: Any) -> None:
    play = collector(lambda: TicTacToeEnv(retries=0), tokenizer, lambda prompt: "nothing")
    (only,) = play.collect(1, number_it, SAMPLING, 0)
    assert (only.seat, only.rewards, only.turns[0].event) == (0, (-1.0,), "forfeit")


def test_a_game_that_breaks_is_invalid_for_every_seat(tokenizer: Any) -> None:
    class Breaks(TicTacToeEnv):
        def step(self, action: str | None) -> None:
            if self._turn == 3:
                raise RuntimeError("broken")
            super().step(action)

    play = collector(Breaks, tokenizer, free_cell)
    episodes = play.collect(2, number_it, SAMPLING, 0)
    assert [(each.seat, each.valid, each.stop) for each in episodes] == [
        (seat, False, "crash") for _ in range(2) for seat in (0, 1)
    ]
    assert {each.total_reward for each in episodes} == {0.0}


@pytest.mark.parametrize("learner", [0, 1])
def test_an_opponent_plays_every_seat_but_one_and_leaves_no_episode(
    tokenizer: Any, learner: int
) -> None:
    play = collector(TIC, tokenizer, free_cell)
    other = Scripted(tokenizer, lambda prompt: free_cell(prompt).replace("1", "9"))
    episodes = play.collect(3, number_it, SAMPLING, 0, opponent=Opponent(other, [learner] * 3))
    assert [each.seat for each in episodes] == [learner] * 3
    texts = [tokenizer.decode(t.reply_ids) for each in episodes for t in each.turns]
    assert any("9" in text for text in texts) is False
    assert sum(other.batches) > 0
    everyone = play.collect(3, number_it, SAMPLING, 0, opponent=Opponent(other, [None] * 3))
    assert [each.seat for each in everyone] == [0, 1] * 3


def test_where_the_policy_never_moved_there_is_no_episode(tokenizer: Any) -> None:
    play = collector(TIC, tokenizer, free_cell)
    silent = Scripted(tokenizer, lambda prompt: "nothing")  # the first seat loses by its last try
    opponent = Opponent(silent, [1, None])
    episodes = play.collect(2, number_it, SAMPLING, 0, opponent=opponent)
    assert [each.seed for each in episodes] == [1, 1]
    assert silent.batches == [1, 1, 1]


@pytest.mark.parametrize("learner", [0, 1])
@pytest.mark.parametrize("call", ["reset", "step"])
def test_a_game_that_fails_before_the_policy_moves_is_counted_in_its_seat(
    tokenizer: Any, call: str, learner: int
) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("broken")

    play = collector(type("Breaks", (TicTacToeEnv,), {call: broken}), tokenizer, free_cell)
    opponent = Opponent(Scripted(tokenizer, free_cell), [learner, None])
    first, second = play.collect(2, number_it, SAMPLING, 0, opponent=opponent)
    assert [first.seat, first.valid, first.stop, second.seat] == [learner, False, "crash", 0]
    if learner or call == "reset":
        assert first.turns == ()


def test_returns_of_each_role_are_compared_among_themselves() -> None:
    played = [
        episode(turn(1.0)), episode(turn(-1.0), seat=1), episode(turn(3.0)),
        episode(turn(-3.0), seat=1),
    ]  # fmt: skip
    rows = by_turn(played, "rebn", 1.0, scope="role").rows
    np.testing.assert_allclose([row.advantage for row in rows], [-1, 1, 1, -1], atol=1e-6)
    metrics = metrics_by_env(played)
    names = {name: value for name, value in metrics.items() if name.endswith("return")}
    id = played[0].env_id
    assert names == {f"env/{id}/player_0/return": 2.0, f"env/{id}/player_1/return": -2.0}


def copy_of(model: Any, tokenizer: Any) -> Any:
    fresh = tiny.build_model(tokenizer, hidden=16, layers=1, heads=2)
    fresh.load_state_dict(model.state_dict())
    return fresh


def test_earlier_selves_play_with_the_weights_they_had(build_trainer: Any, model: Any) -> None:
    trainer = small(
        build_trainer, model, opponent_share=1.0, opponent_interval=2, opponent_pool_size=2,
        num_rollouts=6,
    )  # fmt: skip
    before = parameters(trainer.model)
    opponents: Any = trainer._opponents
    seen: list[dict[str, torch.Tensor]] = []
    see = opponents.see

    def spy(rollout: int) -> None:
        seen.append(parameters(trainer.model))
        see(rollout)

    opponents.see = spy
    trainer.train()
    pool = opponents.state_dict()["pool"]
    assert [len(seen), len(pool)] == [6, 2]  # copies before rollouts 0, 2 and 4; the oldest is gone
    for kept, rollout in zip(pool, (2, 4), strict=True):
        assert all(torch.equal(kept[name], seen[rollout][name]) for name in before)
    playing = dict(opponents._model.named_parameters())
    assert any(all(torch.equal(playing[n], kept[n]) for n in kept) for kept in pool)
    assert not any(torch.equal(parameters(trainer.model)[n], pool[1][n]) for n in ("lm_head.weight",
                   "model.norm.weight") if n in pool[1])  # fmt: skip


def test_a_patched_model_has_opponents_of_other_weights_all_the_same(
    build_trainer: Any, model: Any, tokenizer: Any
) -> None:
    add_fused_lm_head(model)  # as on a GPU: its forward is a closure over this very model
    trainer = small(build_trainer, model, opponent_share=1.0, opponent_interval=1, num_rollouts=2)
    opponents: Any = trainer._opponents
    opponents.see(0)
    opponents.invite([2], np.random.default_rng(0))
    ids = torch.arange(20).unsqueeze(0)
    with torch.no_grad():
        before = opponents._model(input_ids=ids).logits
        for weight in model.parameters():
            weight += 0.1
        assert not torch.allclose(model(input_ids=ids).logits, before, atol=1e-3)
        assert torch.equal(opponents._model(input_ids=ids).logits, before)


@pytest.mark.parametrize("bf16", [False, True])
def test_an_opponent_computes_as_the_policy_does(
    build_trainer: Any, model: Any, bf16: bool
) -> None:
    trainer = small(build_trainer, model, opponent_share=1.0, bf16=bf16)
    opponents: Any = trainer._opponents
    opponents.see(0)
    opponents.invite([2], np.random.default_rng(0))
    ids = torch.arange(20).unsqueeze(0)
    with torch.no_grad(), trainer._open_model() as policy, opponents._open_model() as opponent:
        expected = policy(input_ids=ids).logits.float()
        assert torch.equal(opponent(input_ids=ids).logits.float(), expected)


def test_the_share_of_games_with_an_opponent_is_the_one_asked_for(
    build_trainer: Any, model: Any
) -> None:
    trainer = small(build_trainer, model, opponent_share=0.25)
    opponents: Any = trainer._opponents
    opponents.see(0)
    learners = opponents.invite([2] * 2_000 + [1] * 100, np.random.default_rng(0)).learners
    invited = [each for each in learners[:2_000] if each is not None]
    assert len(invited) / 2_000 == pytest.approx(0.25, abs=0.04)  # four standard deviations
    assert np.mean(invited) == pytest.approx(0.5, abs=0.1)
    assert set(learners[2_000:]) == {None}  # an env of one seat


def test_a_resumed_run_with_opponents_ends_with_the_same_parameters(
    build_trainer: Any, model: Any, tokenizer: Any, tmp_path: Path
) -> None:
    options: dict[str, Any] = {
        "opponent_share": 0.5, "opponent_interval": 1, "save_strategy": "steps", "save_steps": 1,
        "eval_strategy": "steps", "eval_steps": 1, "eval_episodes": 4,
    }  # fmt: skip
    straight = small(
        build_trainer, copy_of(model, tokenizer), output_dir=str(tmp_path / "a"), **options
    )
    straight.train()
    resumed = small(
        build_trainer, copy_of(model, tokenizer), output_dir=str(tmp_path / "b"), **options
    )
    resumed.train(resume_from_checkpoint=str(tmp_path / "a" / "checkpoint-2"))
    for name, value in parameters(straight.model).items():
        assert torch.equal(value, parameters(resumed.model)[name]), name
    name = f"eval_env/{KUHN}/exploitability_average"
    averages = [
        [entry[name] for entry in trainer.state.log_history if name in entry]
        for trainer in (straight, resumed)
    ]
    assert averages[0] == averages[1]
    assert len(averages[0]) == 4


def test_the_pool_is_saved_once_and_a_run_without_one_may_go_on_with_it(
    build_trainer: Any, model: Any, tokenizer: Any, tmp_path: Path
) -> None:
    saving: dict[str, Any] = {"save_strategy": "steps", "save_steps": 1, "num_rollouts": 3}

    def run(name: str, start: str | None, **options: Any) -> Any:
        trainer = small(
            build_trainer, copy_of(model, tokenizer), output_dir=str(tmp_path / name),
            **{**saving, "opponent_share": 0.5, **options},
        )  # fmt: skip
        trainer.train(resume_from_checkpoint=start and str(tmp_path / start))
        return trainer

    full = run("full", None, opponent_interval=1)
    saved = torch.load(tmp_path / "full/checkpoint-2/opponents.pt", weights_only=True)
    assert len(saved["pool"]) == 2
    state = torch.load(tmp_path / "full/checkpoint-2/rollout_state_0.pt", weights_only=True)
    assert "opponents" not in state  # there is a file of it for each process
    run("none", None, opponent_share=0.0)
    assert not (tmp_path / "none/checkpoint-2/opponents.pt").exists()
    # The pool begins with the first rollout after the checkpoint, though none is due there.
    later = run("later", "none/checkpoint-2", opponent_interval=5)
    assert len(later._opponents.state_dict()["pool"]) == 1
    assert len(full._opponents.state_dict()["pool"]) == 3
    run("no more", "full/checkpoint-2", opponent_share=0.0)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (KUHN, ["gem/KuhnPoker-vs-random-v0", "gem/KuhnPoker-vs-solver-v0"]),
        ("gem/Sudoku-v0", "gem/Sudoku-v0"),
        ("gem/TwentyQuestions-v0", ["gem/TwentyQuestions-v0"]),
        (["gem/Sudoku-v0", "gem/Nim-misere-v0"],
         ["gem/Sudoku-v0", "gem/Nim-misere-v0"]),
        ([("gem/Sudoku-v0", 2.0)], [("gem/Sudoku-v0", 2.0)]),
    ],
)  # fmt: skip
def test_where_a_policy_is_evaluated_by_default(source: Any, expected: Any) -> None:
    assert evaluation_of(source) == expected


def test_two_kinds_of_game_and_a_task_train_together(build_trainer: Any, model: Any) -> None:
    trainer = small(
        build_trainer, model, env=[KUHN, "gem/LiarsDice-3p-v0", "gem/GuessTheNumber-easy-v0"],
        num_envs=6, episodes_per_rollout=6, num_rollouts=1,
    )  # fmt: skip
    trainer.train()
    (entry,) = [entry for entry in trainer.state.log_history if "episode/return" in entry]
    assert f"env/{KUHN}/return" in entry
    assert "env/gem/GuessTheNumber-easy-v0/return" in entry


def test_a_game_trained_in_one_env_is_evaluated_against_each_player(
    build_trainer: Any, model: Any
) -> None:
    options = {"num_envs": 1, "episodes_per_rollout": 2, "eval_episodes": 4}
    trainer = small(build_trainer, model, eval_strategy="steps", eval_steps=1, **options)
    met = sorted(each.env_id for each in trainer.play_evaluation())
    assert met == [f"gem/KuhnPoker-vs-{player}-v0" for player in ("random", "solver") for _ in "12"]
