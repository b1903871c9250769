"""The ``gem-trl`` command: help, refusals, and both subcommands from end to end."""

import importlib.metadata
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from transformers import AutoModelForCausalLM, AutoTokenizer

from gem_trl.scripts import cli, evaluate, train
from tests.gem_trl.conftest import ENV, Run

NO = ("--model_name_or_path", "./no", "--use_cpu")
"""Where there is no model."""


# -- help and refusals ---------------------------------------------------------------------------
def test_the_installed_command_is_this_one() -> None:
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="gem-trl")
    assert script.load() is cli.main


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",), ("help",)])
def test_help_names_every_command(run: Run, arguments: tuple[str, ...]) -> None:
    status, out, err = run(*arguments)
    assert (status, err) == (0, "")
    assert out.startswith("usage: gem-trl COMMAND")
    for command in cli.COMMANDS:
        assert f"\n  {command} " in out


def test_help_needs_neither_torch_nor_a_second() -> None:
    code = """
import sys
from gem_trl.scripts import cli
status = cli.main(["--help"])
try:
    cli.main(["quickstart", "--help"])
except SystemExit:
    pass
print(status, *sorted({"torch", "transformers", "trl"} & set(sys.modules)))
"""
    found = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    )
    assert found.stdout.splitlines()[-1] == "0"


def test_help_of_quickstart(run: Run) -> None:
    status, out, _ = run("quickstart", "--help")
    assert status == 0
    assert "usage: gem-trl quickstart" in out
    assert f"(default: {ENV})" in out
    for option in ("--env", "--output", "--seed", "--rollouts", "--warm-up-steps"):
        assert option in out


def test_help_of_train(run: Run) -> None:
    status, out, _ = run("train", "--help")
    assert status == 0
    assert out.startswith("usage: gem-trl train --model_name_or_path NAME --env ID [ID ...]")
    for option in ("--env ", "--eval_env ", "--model_name_or_path", "--episodes_per_rollout"):
        assert f"\n  {option}" in out
    for help_text in ("Discount per turn, at most 1 (default: 0.9).", "Ids for evaluation"):
        assert help_text in " ".join(out.split())
    assert "initialization.\n" in out  # the first sentence of transformers' texts
    assert "entropy bonus (default: 0.0)." in " ".join(out.split())
    assert "Examples:\n  gem-trl train" in out


@pytest.mark.parametrize(("script", "lines"), [(train, 140), (evaluate, 75)])
def test_the_short_help_is_short_and_names_options_there_are(script: Any, lines: int) -> None:
    parser = script.make_parser(prog="gem-trl x")
    text = parser.format_help()
    assert len(text.splitlines()) <= lines
    known = {option for action in parser._actions for option in action.option_strings}
    assert {w for w in re.findall(r"--[a-z_-]+", text) if w not in known} == {"--config"}


def test_help_all_has_every_option(run: Run) -> None:
    status, out, _ = run("train", "--help-all")
    assert status == 0
    for option in ("--gamma", "--adam_beta1", "--bnb_4bit_quant_type"):
        assert f"  {option}" in out


@pytest.mark.parametrize("width", ["60", "100", "400"])
def test_the_help_keeps_to_the_terminal(monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    text = train.make_parser(prog="gem-trl train").format_help().partition("Examples:")[0]
    assert max(map(len, text.splitlines()[1:])) <= min(int(width), 100) - 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("trian",), "gem-trl: unknown command 'trian'; did you mean 'train'?\n\nusage:"),
        (("train", "--num_rolouts", 3), "unknown option '--num_rolouts'; did you mean '--num_ro"),
        (("train", "--x", 3), "gem-trl train: unknown option '--x'; --help-all shows every one"),
        (("train", "--config", "none.yaml"), "No such file or directory: 'none.yaml'"),
        (("train", "--gamma", 2), "gem-trl train: gamma must be at"),
        (("--gamma", 2), "gem-trl train: gamma must be at"),
        (("train", "--history", "texts"), "unknown history 'texts'; did you mean 'text'?"),
        (("train", "--num_envs", "x"), "argument --num_envs/--num-envs: invalid int value: 'x'"),
        (("train",), "gem-trl train: say what to train on: --env ID [ID ...], such as"),
        (("train", "--env", ENV), "gem-trl train: say which model to take: --model_name_or_path"),
        (
            ("train", "--env", ENV, "gem/Sudoku-v0", "--env_weights", 1),
            f"one weight for each id of --env, got 1 for 2: {ENV}, gem/Sudoku-v0",
        ),
        (("train", "--env_weights", 1), "gem-trl train: say what to train on"),
        (("train", "--env", ENV, "--env_weights", "-1", *NO), f"the weight of {ENV} must be above"),
        (("train", "--env", ENV, *NO), "gem-trl train: cannot load a model or tokenizer from"),
        (("train", "--env", "gem/Sudoku-esy-v0"), "did you mean 'gem/Sudoku-easy-v0'?"),
        (("train", "--env", "gem/Sudoku"), "unknown env 'gem/Sudoku'; did you mean 'gem/Sudoku-v0"),
        (("train", "--env", "gem/KunhPoker-v0"), "did you mean 'gem/KuhnPoker-v0'?"),
        (("eval", "--env", "gem/Nim-vs-randm-v0"), "did you mean 'gem/Nim-vs-random-v0'?"),
        (("eval",), "gem-trl eval: say what to evaluate on: --env ID [ID ...], such as"),
        (("eval", "--env", ENV), "gem-trl eval: say which model to take: --model_name_or_path"),
        (("eval", "--env", ENV, *NO), "gem-trl eval: cannot load a model or tokenizer from"),
        (("eval", "--env", ENV, "--eval_episode", 0), "gem-trl eval: eval_episodes must be at le"),
        (("quickstart", "--rolouts", 3), "unrecognized arguments: --rolouts"),
        (("quickstart", "--rollouts", 0), "gem-trl quickstart: num_rollouts must be at least 1"),
        (("quickstart", "--eval-episodes", 0), "quickstart: eval_episodes must be at least 1"),
        (("quickstart", "--env", "gem/Sudoku-esy-v0"), "did you mean 'gem/Sudoku-easy-v0'?"),
        (("quickstart", "--env", "gem/KuhnPokr-v0"), "did you mean 'gem/KuhnPoker-v0'?"),
        (("quickstart", "--env", "gem/KuhnPoker-v0"), "gem/KuhnPoker-v0 has none for a single"),
        (("quickstart", "--env", "gem/Nim-vs-random-v0"), "gem/Nim-vs-random-v0 has none for a"),
    ],
)  # fmt: skip
def test_a_mistake_is_answered_by_status_2_and_one_sentence(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[object, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = run(*arguments)
    assert status == 2
    assert "Traceback" not in err + out
    assert message in err
    if arguments[0] == "eval" or NO[0] in arguments:
        assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [(f"env: {ENV}\n", "in a file the ids are called env_id"), ("\ta: 1\n", "is no YAML")],
)
def test_a_file_that_trl_cannot_read_is_answered(
    run: Run, tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    status, _, err = run("train", "--config", path)
    assert status == 2
    assert said in err


def test_an_unknown_key_of_the_file_is_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("num_rolouts: 3\n", encoding="utf-8")
    status, _, err = run("train", "--config", path)
    assert status == 2
    assert "unknown key 'num_rolouts'; did you mean 'num_rollouts'?" in err


# -- train ---------------------------------------------------------------------------------------
@pytest.fixture
def write_config(saved: Path, tmp_path: Path) -> Callable[..., Path]:
    """Return a writer of YAML files for a short training."""

    def write(**options: Any) -> Path:
        settings = {
            "model_name_or_path": str(saved),
            "output_dir": str(tmp_path / "out"),
            "env_id": [ENV],
            "history": "messages",
            "history_kwargs": {"max_reply_chars": 50},
            "num_envs": 3,
            "episodes_per_rollout": 4,
            "num_rollouts": 2,
            "max_completion_length": 12,
            "learning_rate": 1e-3,
            "use_cpu": True,
            "save_strategy": "no",
            "report_to": "none",
            "disable_tqdm": True,
        }
        path = tmp_path / "config.yaml"
        path.write_text(yaml.safe_dump({**settings, **options}), encoding="utf-8")
        return path

    return write


def test_train_from_a_file_saves_a_model_that_loads(
    run: Run, write_config: Callable[..., Path], saved: Path, tmp_path: Path
) -> None:
    status, out, _ = run("train", "--config", write_config())
    assert status == 0
    assert f"Model saved to {tmp_path / 'out'}." in out
    before = AutoModelForCausalLM.from_pretrained(saved)
    after = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    assert type(after) is type(before)
    old = before.state_dict()
    assert any(not torch.equal(value, old[name]) for name, value in after.state_dict().items())
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "out")
    text = "<|user|>10 is higher<|end|>"
    assert tokenizer(text).input_ids == AutoTokenizer.from_pretrained(saved)(text).input_ids
    assert tokenizer.chat_template


def test_train_resumes_from_a_checkpoint_and_takes_options_without_a_command(
    run: Run, write_config: Callable[..., Path], tmp_path: Path
) -> None:
    config = write_config(save_strategy="steps", save_steps=1, num_rollouts=2, max_steps=2)
    assert run("--config", config)[0] == 0
    straight = AutoModelForCausalLM.from_pretrained(tmp_path / "out").state_dict()
    checkpoint = tmp_path / "out" / "checkpoint-1"
    options = ("--resume_from_checkpoint", checkpoint, "--output_dir", tmp_path / "again")
    assert run("--config", config, *options)[0] == 0
    resumed = AutoModelForCausalLM.from_pretrained(tmp_path / "again").state_dict()
    assert all(torch.equal(value, straight[name]) for name, value in resumed.items())


class Recorded:
    """Stands in for the trainer and remembers what it was given."""

    calls: list[dict[str, Any]]
    resumed: list[Any]

    def __init__(self, **arguments: Any) -> None:
        self.calls.append(arguments)
        self.args = arguments["args"]
        self.accelerator = self
        self.closed = False

    def train(self, resume_from_checkpoint: Any = None) -> None:
        self.resumed.append(resume_from_checkpoint)

    def save_model(self, folder: str) -> None: ...
    def print(self, text: str) -> None: ...
    def close(self) -> None: ...


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> type[Recorded]:
    Recorded.calls, Recorded.resumed = [], []
    monkeypatch.setattr("gem_trl.trainer.ReinforceTrainer", Recorded)
    return Recorded


def test_the_command_line_wins_over_the_file(
    run: Run, write_config: Callable[..., Path], recorded: type[Recorded]
) -> None:
    options = ("--env", "gem/Sudoku-easy-v0", "gem/Mastermind-v0", "--gamma", 0.5)
    assert run("train", "--config", write_config(gamma=0.7), *options)[0] == 0
    (call,) = recorded.calls
    assert call["env"] == ["gem/Sudoku-easy-v0", "gem/Mastermind-v0"]
    assert call["eval_env"] is None
    assert call["peft_config"] is None
    assert call["args"].gamma == 0.5
    assert call["args"].num_envs == 3
    assert call["args"].history_kwargs == {"max_reply_chars": 50}
    assert recorded.resumed == [None]


def test_one_id_and_numbers_in_scientific_form_may_stand_in_a_file(
    run: Run, write_config: Callable[..., Path], recorded: type[Recorded]
) -> None:
    path = write_config(env_id=ENV, eval_env_id=["gem/Sudoku-v0"])
    path.write_text(path.read_text() + "weight_decay: 5e-4\n", encoding="utf-8")
    assert run("train", "--config", path)[0] == 0
    (call,) = recorded.calls
    assert call["env"] == [ENV]
    assert call["eval_env"] == ["gem/Sudoku-v0"]
    assert call["args"].weight_decay == 5e-4  # YAML 1.1 takes it for a string


@pytest.mark.parametrize("where", ["command line", "file"])
def test_weights_make_a_mixture(
    run: Run, write_config: Callable[..., Path], recorded: type[Recorded], where: str
) -> None:
    mixture: dict[str, Any] = {"env_id": [ENV, "gem/Sudoku-v0"], "env_weights": [1.0, 0.5]}
    if where == "file":
        assert run("train", "--config", write_config(**mixture))[0] == 0
    else:
        options = ("--env", *mixture["env_id"], "--env_weights", *mixture["env_weights"])
        assert run("train", "--config", write_config(), *options)[0] == 0
    assert recorded.calls[0]["env"] == [(ENV, 1.0), ("gem/Sudoku-v0", 0.5)]


def test_a_game_of_several_players_can_be_trained_on(
    run: Run, write_config: Callable[..., Path], recorded: type[Recorded]
) -> None:
    assert run("train", "--config", write_config(), "--env", "gem/KuhnPoker-v0")[0] == 0
    assert recorded.calls[0]["env"] == ["gem/KuhnPoker-v0"]


def test_one_weight_in_a_file_needs_no_list(
    run: Run, write_config: Callable[..., Path], recorded: type[Recorded]
) -> None:
    assert run("train", "--config", write_config(env_id=ENV, env_weights=2))[0] == 0
    assert recorded.calls[0]["env"] == [(ENV, 2.0)]


def test_adapters_data_types_and_checkpoints_reach_the_trainer(
    run: Run, write_config: Callable[..., Path], recorded: type[Recorded]
) -> None:
    resumed = ("--resume_from_checkpoint", "out/checkpoint-7")
    options = ("--use_peft", "--lora_r", 4, "--dtype", "bfloat16", "--eval_env", "gem/Sudoku-v0")
    assert run("train", "--config", write_config(), *options, *resumed)[0] == 0
    (call,) = recorded.calls
    assert recorded.resumed == ["out/checkpoint-7"]
    assert call["peft_config"].r == 4
    assert call["args"].model_init_kwargs["dtype"] == "bfloat16"
    assert call["eval_env"] == ["gem/Sudoku-v0"]


@pytest.mark.parametrize("true", ["true", "True"])
def test_the_newest_checkpoint_can_be_asked_for(
    run: Run, write_config: Callable[..., Path], recorded: type[Recorded], true: str
) -> None:
    assert run("train", "--config", write_config(), "--resume_from_checkpoint", true)[0] == 0
    assert run("train", "--config", write_config(resume_from_checkpoint=True))[0] == 0
    assert recorded.resumed == [True, True]
