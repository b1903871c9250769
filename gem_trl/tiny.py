"""A small model, built offline: tokenizer, weights and warm start all come from an env's own text.

Nothing here is downloaded. The warm start imitates a *sloppy* player, so that reinforcement
learning has something to improve, and trains on every token of the transcripts, the environment's
words included: copying a guess into the feedback to it is what forms the heads that read.
"""

# torch, transformers and trl are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, cast

import gymnasium as gym
import numpy as np
import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    GenerationConfig,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

from gem_gymnasium import errors
from gem_gymnasium.multiplayer import TextAEC, players
from gem_gymnasium.solvers import Solver, solver_for
from gem_gymnasium.wrappers import History
from gem_trl.games import is_game, make
from gem_trl.prompts import PromptEncoder

PAD, END, USER, ASSISTANT = "<|pad|>", "<|end|>", "<|user|>", "<|assistant|>"

CHAT_TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
"""Two tokens a message beside its content; a longer chat only ever extends a shorter one."""

WORDS = r"\p{N}+| ?\p{L}+|\s|[^\s\p{L}\p{N}]"
"""What a tokenizer of ours never joins.

So a number is the same token wherever it stands, and a cell of a grid takes as many tokens empty
(`` .``) as filled (`` 7``): every cell stays in its place.
"""

_ALONE = r"(?: |(?<!\S))\S(?!\S)"
CELLS = rf"{_ALONE}| ?\p{{N}}+|\n|(?:(?!{_ALONE}| ?\p{{N}})[^\n])+"
"""The same for boards of single signs, and half as many tokens of a game's text.

A number, or a sign between blanks, is one token with the blank before it, and so is a sentence that
is always the same.
"""

Conversation = list[dict[str, str]]
TextEnv = gym.Env[Any, Any]


SkilledMove = Literal["consistent", "best"]


class SloppyPlayer:
    """Plays a skilled move with probability ``skill``, else any legal one.

    Args:
        env: The env it plays in, wrapped as the model will see it.
        skill: In [0, 1]; 0 is the random legal player.
        rng: Where its choices come from.
        skilled_move: ``"consistent"`` draws among the moves that fit all it has seen; ``"best"`` is
            the solver's own move, the same for the same text: a habit, which is learned sooner.
    """

    def __init__(
        self,
        env: TextEnv,
        skill: float,
        rng: np.random.Generator,
        skilled_move: SkilledMove = "consistent",
    ) -> None:
        self._env, self._skill, self._rng = env, skill, rng
        self._best = skilled_move == "best"
        self._solver: Solver | None = solver_for(env) if skill > 0 else None

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Start an episode."""
        if self._solver is not None:
            self._solver.reset(observation, info)

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the next reply."""
        if self._solver is not None and info["turn"]:
            self._solver.observe(observation, info)
        if self._solver is not None and self._rng.random() < self._skill:
            if self._best:
                return self._solver.act(observation, info)
            return self._solver.consistent_move(self._rng)
        return cast("Any", self._env.unwrapped).sample_legal_action(self._rng)


def play_conversations(
    env_fn: Callable[[], TextEnv],
    episodes: int,
    skill: float,
    seed: int,
    skilled_move: SkilledMove = "consistent",
) -> Iterator[Conversation]:
    """Yield what sloppy play looks like, as chats.

    An env with ``History(layout="messages")`` gives one chat an episode, its last observation
    included; any other gives one chat a turn: what was read, the reply, and what came of it. To
    foretell that, a model must read the place on the board that the reply names.

    Args:
        env_fn: Builds the env.
        episodes: How many episodes to play.
        skill: See :class:`SloppyPlayer`.
        seed: Seed of episodes and player.
        skilled_move: See :class:`SloppyPlayer`.
    """
    rng = np.random.default_rng(seed)
    env = env_fn()
    player = SloppyPlayer(env, skill, rng, skilled_move)
    for _ in range(episodes):
        observation, info = env.reset(seed=int(rng.integers(2**62)))
        player.reset(observation, info)
        over = False
        while not over:
            before, reply = observation, player.act(observation, info)
            observation, _, terminated, truncated, info = env.step(reply)
            over = terminated or truncated
            if "messages" not in info:
                yield [
                    {"role": "user", "content": before},
                    {"role": "assistant", "content": reply},
                    {"role": "user", "content": observation},
                ]
        if "messages" in info:
            yield info["messages"]
    env.close()


def play_games(
    game_fn: Callable[[], TextAEC[Any, Any, Any]], games: int, skill: float, seed: int
) -> Iterator[Conversation]:
    """Yield what sloppy play of a game of several players looks like to each seat, as chats.

    One chat a turn: what the seat read, its reply, and what it read next.

    Args:
        game_fn: Builds the game.
        games: How many games to play.
        skill: The chance that a move is the solver's (or, where there is none, the heuristic
            player's) and not any legal one; the game needs neither where it is 0.
        seed: Seed of games and players.
    """
    rng = np.random.default_rng(seed)
    game = game_fn()
    skilled = players.player_for(players.names_for(game.name)[-1], game)
    for _ in range(games):
        game.reset(seed=int(rng.integers(2**62)))
        open_chats: dict[str, Conversation] = {}
        while not any(game.terminations.values()):
            agent = game.agent_selection
            read = {"role": "user", "content": game.observe(agent)["text"]}
            if agent in open_chats:
                yield [*open_chats[agent], read]
            if rng.random() < skill:
                reply = skilled(read["content"], game.infos[agent], rng)
            else:
                reply = game.sample_legal_action(rng)
            open_chats[agent] = [read, {"role": "assistant", "content": reply}]
            game.step(reply)
        for agent in game.possible_agents:
            if agent in open_chats:
                read = {"role": "user", "content": game.observe(agent)["text"]}
                yield [*open_chats[agent], read]


def train_tokenizer(
    texts: Sequence[str], vocab_size: int = 400, pieces: str = WORDS
) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE tokenizer with a chat template.

    Args:
        texts: What it will be used on.
        vocab_size: At least 256 bytes and four special tokens.
        pieces: A regular expression of what is never joined: :data:`WORDS` or :data:`CELLS`.
    """
    tokenizer: Any = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pieces), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[PAD, END, USER, ASSISTANT],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=PAD,
        additional_special_tokens=[USER, ASSISTANT],
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )
    fast.chat_template = CHAT_TEMPLATE
    return fast


def build_model(
    tokenizer: PreTrainedTokenizerFast,
    *,
    hidden: int = 96,
    layers: int = 2,
    heads: int = 4,
    max_positions: int = 1_024,
    seed: int = 0,
) -> LlamaForCausalLM:
    """Return a small Llama with random weights for ``tokenizer``.

    Args:
        tokenizer: From :func:`train_tokenizer`.
        hidden: Width; the feed-forward layers are three times as wide.
        layers: Depth.
        heads: Attention heads.
        max_positions: Context length in tokens.
        seed: Seed of the weights; torch's generator is left as it was.
    """
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=3 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        max_position_embeddings=max_positions,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=cast("int", tokenizer.eos_token_id),
        pad_token_id=cast("int", tokenizer.pad_token_id),
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LlamaForCausalLM(config)
    model.generation_config = GenerationConfig(
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id
    )
    return model


def warm_start(
    model: Any,
    sequences: Sequence[Sequence[int]],
    *,
    steps: int,
    batch_size: int = 32,
    learning_rate: float = 2e-3,
    seed: int = 0,
    on_step: Callable[[int, float], None] | None = None,
) -> float:
    """Train ``model`` on token sequences, the language-model loss on every token.

    AdamW, 50 steps of warm-up, then a linear decay to a tenth of the rate; gradients clipped at 1.

    Args:
        model: A causal language model, trained in place.
        sequences: Token ids; padded with 0 behind their end.
        steps: Optimizer steps.
        batch_size: Sequences a step.
        learning_rate: The highest rate.
        seed: Seed of the order.
        on_step: Called with the number of steps done and the loss.

    Returns:
        The last step's loss, in nats a token.
    """
    rng = np.random.default_rng(seed)
    optimizer = torch.optim.AdamW(model.parameters(), learning_rate, weight_decay=0.0)
    model.train()
    loss_value = 0.0
    for step in range(steps):
        rate = learning_rate * min(1.0, (step + 1) / 50) * (1.0 - 0.9 * step / steps)
        for group in optimizer.param_groups:
            group["lr"] = rate
        picks = [sequences[int(i)] for i in rng.integers(len(sequences), size=batch_size)]
        width = max(map(len, picks))
        ids = torch.zeros((batch_size, width), dtype=torch.long)
        mask = torch.zeros((batch_size, width), dtype=torch.long)
        for row, pick in enumerate(picks):
            ids[row, : len(pick)] = torch.tensor(pick)
            mask[row, : len(pick)] = 1
        # A causal model never looks at the padding behind a token, so no attention mask is needed.
        logits = model(input_ids=ids).logits[:, :-1]
        targets = ids[:, 1:].masked_fill(mask[:, 1:] == 0, -100)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        loss_value = loss.item()
        if on_step is not None:
            on_step(step + 1, loss_value)
    return loss_value


def encode_conversations(
    tokenizer: PreTrainedTokenizerFast, conversations: Sequence[Conversation]
) -> list[tuple[int, ...]]:
    """Return the token ids of chats, as the trainer's prompts would begin."""
    encoder = PromptEncoder(tokenizer)
    return [encoder.encode_messages(chat, add_generation_prompt=False) for chat in conversations]


def build_warm(
    ids: str | Sequence[str], games: int = 300, steps: int = 60, seed: int = 0
) -> tuple[LlamaForCausalLM, PreTrainedTokenizerFast]:
    """Return a model and tokenizer that know the form of some games, and little more, in seconds.

    Good for trying things out: it plays in ``History(layout="messages")``, worse than at random.
    Games of several players it plays from the newest observation alone (``history="none"``).

    Args:
        ids: The game or games; one of a single player needs a solver.
        games: How many games of each the sloppy player shows.
        steps: Optimizer steps of the warm start.
        seed: Seed of everything.

    Raises:
        ConfigError: There is no game to show.
        UnknownName: There is no such game.
    """
    ids = [ids] if isinstance(ids, str) else ids
    if not ids or games < 1:
        raise errors.ConfigError(
            f"need at least one id and one game of each, got {ids} and {games}"
        )
    chats: list[Conversation] = []
    for id in ids:
        if is_game(id):
            chats += play_games(_maker(id), games, 0.35, seed)
        else:
            chats += play_conversations(_chat_env(id), games, 0.35, seed)
    tokenizer = train_tokenizer([message["content"] for chat in chats for message in chat])
    model = build_model(tokenizer, hidden=48, layers=1, seed=seed)
    sequences = encode_conversations(tokenizer, chats)
    warm_start(model, sequences, steps=steps, batch_size=16, learning_rate=2e-2, seed=seed)
    return model, tokenizer


def _maker(id: str) -> Callable[[], TextAEC[Any, Any, Any]]:
    return lambda: make(id)


def _chat_env(id: str) -> Callable[[], TextEnv]:
    return lambda: History(make(id), "messages")
