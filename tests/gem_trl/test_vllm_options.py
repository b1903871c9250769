"""vLLM generation as far as it goes without vLLM: what is refused, what is asked of the engine."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from gem_gymnasium import errors
from gem_trl import ReinforceConfig, vllm
from gem_trl.generation import Reply, Sampling
from gem_trl.vllm import VLLMGenerator


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vllm_mode": "colocated"}, "did you mean 'colocate'"),
        ({"vllm_model_impl": "trl"}, "unknown vllm_model_impl 'trl'"),
        ({"vllm_importance_sampling_mode": "token_clip"}, "unknown vllm_importance_sampling_mode"),
        ({"vllm_tensor_parallel_size": 0}, "vllm_tensor_parallel_size must be at least 1, got 0"),
        ({"vllm_gpu_memory_utilization": 1.5}, "above 0 and at most 1, got 1.5"),
        ({"vllm_importance_sampling_clip_min": 3.0}, "must be below"),
        (
            {
                "vllm_importance_sampling_mode": "token_truncate",
                "vllm_importance_sampling_clip_max": None,
            },
            "needs a limit",
        ),
    ],
)
def test_a_refused_option_says_rule_and_value(options: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.ConfigError, match=message):
        ReinforceConfig("out", use_cpu=True, **options)


def test_the_names_and_defaults_are_those_of_trl() -> None:
    from trl import GRPOConfig

    trl = GRPOConfig.__dataclass_fields__
    ours = {
        name: field
        for name, field in ReinforceConfig.__dataclass_fields__.items()
        if "vllm" in name
    }
    assert len(ours) == 16
    for name, field in ours.items():
        assert field.default == trl[name].default, name


def test_server_mode_needs_gpus(build_trainer: Any) -> None:
    with pytest.raises(errors.ConfigError, match="vllm_mode='server' sends the weights from GPU"):
        build_trainer(use_vllm=True, vllm_mode="server")


def test_sleep_mode_needs_a_gpu(build_trainer: Any) -> None:
    with pytest.raises(errors.ConfigError, match="vllm_enable_sleep_mode frees GPU memory"):
        build_trainer(use_vllm=True, vllm_enable_sleep_mode=True)


def test_a_server_with_other_settings_is_refused() -> None:
    fits = {"logprobs_mode": "processed_logprobs", "max_model_len": 512}
    args = ReinforceConfig("out", use_cpu=True)
    vllm._check_server(fits, args, 512)
    with pytest.raises(errors.ConfigError, match="--logprobs-mode processed_logprobs`, got raw"):
        vllm._check_server({**fits, "logprobs_mode": "raw_logprobs"}, args, 512)
    with pytest.raises(errors.ConfigError, match="takes 512 tokens and the trainer would send 513"):
        vllm._check_server(fits, args, 513)
    uncorrected = ReinforceConfig("out", use_cpu=True, vllm_importance_sampling_correction=False)
    vllm._check_server({**fits, "logprobs_mode": "raw_logprobs"}, uncorrected, 512)


def test_processes_must_divide_into_engines(build_trainer: Any) -> None:
    with pytest.raises(errors.ConfigError, match="must divide the number of processes, got 2 and"):
        build_trainer(use_vllm=True, vllm_tensor_parallel_size=2)


def test_without_vllm_the_extra_is_named(
    build_trainer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(errors.MissingDependency, match=r"pip install 'gem-gymnasium\[vllm\]'"):
        build_trainer(use_vllm=True)


def test_the_shorter_limit_of_the_context_counts() -> None:
    config = ReinforceConfig(
        "out", use_cpu=True, use_vllm=True, max_context_length=300, vllm_max_model_length=200
    )
    assert config.context_limit == 200
    config.use_vllm = False
    assert config.context_limit == 300
    assert ReinforceConfig("out", use_cpu=True).context_limit is None


@pytest.mark.parametrize("adapted", [False, True])
def test_a_model_without_a_name_is_copied_to_disk_for_vllm(
    model: Any, tokenizer: Any, config: Any, adapted: bool
) -> None:
    args = config()
    policy = model
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    if adapted:
        from peft import LoraConfig, get_peft_model

        lora = LoraConfig(r=2, target_modules=["q_proj"], task_type="CAUSAL_LM")
        policy = get_peft_model(model, lora)
    accelerator = SimpleNamespace(is_main_process=True, wait_for_everyone=lambda: None)
    with vllm._on_disk(policy, tokenizer, args, accelerator):
        path = policy.name_or_path
        assert Path(path).parent == Path(args.output_dir)
        loaded = AutoModelForCausalLM.from_pretrained(path)
        assert AutoTokenizer.from_pretrained(path).chat_template == tokenizer.chat_template
    assert policy.name_or_path == ""
    for name, value in loaded.state_dict().items():
        assert torch.equal(value, weights[name]), name

    named = SimpleNamespace(name_or_path="org/model")
    with vllm._on_disk(named, tokenizer, config(output_dir="unused"), accelerator):
        assert named.name_or_path == "org/model"


class Echo:
    """Stands in for TRL's class: replies with the prompt's ids, 7 where none is left, and 0."""

    mode, llm = "server", None

    def __init__(self, rank: int, world: int, tensor_parallel_size: int) -> None:
        self.accelerator = SimpleNamespace(
            process_index=rank, num_processes=world, device=torch.device("cpu")
        )
        self.tensor_parallel_size = tensor_parallel_size
        self.sizes: list[int] = []
        self.temperatures: list[float] = []

    def generate(self, prompts: Sequence[list[int]], images: Any, count: int) -> Any:
        self.sizes.append(len(prompts))
        self.temperatures.append(self.temperature)  # type: ignore[attr-defined]
        replies = [[*prompt, 0] for prompt in prompts]
        return None, replies, [[[-1.0]] * len(reply) for reply in replies], None


def test_processes_that_call_together_get_their_own_replies_however_long_they_play(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = 3
    rank_of = threading.local()
    barrier = threading.Barrier(world, timeout=20)
    board: list[Any] = [None] * world

    def gather(items: list[Any]) -> list[Any]:
        board[rank_of.rank] = items
        barrier.wait()
        everyone = [item for part in board for item in part]
        barrier.wait()  # nobody writes before all have read
        return everyone

    monkeypatch.setattr(vllm, "gather", gather)
    engines = [Echo(rank, world, 1) for rank in range(world)]
    # Turns of each process, and prompts in each of them: one plays none at all.
    plans = {0: [2, 2, 1], 1: [], 2: [5, 1]}

    def play(rank: int) -> list[list[Reply]]:
        rank_of.rank = rank
        generator = VLLMGenerator(engines[rank], eos_ids=[0], together=True)
        replies = [
            generator.generate(
                [[rank + 1, turn, place] for place in range(size)],
                Sampling(max_new_tokens=4, temperature=0.5),
                seed=turn,
            )
            for turn, size in enumerate(plans[rank])
        ]
        generator.finish()
        return replies

    with ThreadPoolExecutor(world) as pool:
        results = list(pool.map(play, range(world)))
    for rank, sizes in plans.items():
        assert [len(replies) for replies in results[rank]] == sizes
        for turn, replies in enumerate(results[rank]):
            for place, reply in enumerate(replies):
                assert reply == Reply((rank + 1, turn, place, 0), True, (-1.0,) * 4)
    # 7, 3 and 1 prompts, in equal shares: all call as often, with as many.
    assert [engine.sizes for engine in engines] == [[3, 1, 1]] * 3
    assert engines[1].temperatures == [0.5] * 3  # it asked for nothing itself


def test_an_engine_sleeps_between_rollouts_and_not_between_turns() -> None:
    done: list[Any] = []

    class Engine(Echo):
        mode, enable_sleep_mode = "colocate", True

        def sync_weights(self) -> None:
            done.append("sync")

        def generate(self, prompts: Sequence[list[int]], images: Any, count: int) -> Any:
            assert not self.enable_sleep_mode  # or TRL would sleep after the call
            done.append("generate")
            return super().generate(prompts, images, count)

    engine = Engine(0, 1, 1)
    engine.llm = SimpleNamespace(
        generate=None,
        wake_up=lambda: done.append("wake up"),
        sleep=lambda level: done.append(f"sleep {level}"),
    )
    generator = VLLMGenerator(engine, eos_ids=[0], together=False, sleeps=True)
    generator.sync_weights()
    for turn in range(2):
        generator.generate([[1]], Sampling(max_new_tokens=2), seed=turn)
    generator.finish()
    assert done == ["wake up", "sync", "generate", "generate", "sleep 2"]


def test_each_prompt_is_drawn_with_a_seed_of_its_own() -> None:
    seen: list[int] = []

    class Parameters(SimpleNamespace):
        def clone(self) -> Any:
            return Parameters(**vars(self))

    def generate(prompts: Any, *, sampling_params: Any, use_tqdm: bool) -> None:
        assert not use_tqdm
        seen.extend(each.seed for each in sampling_params)

    seeded = vllm._seed_each(generate)
    for seed in (1, 1, 2):
        seeded(["a", "a"], sampling_params=Parameters(seed=seed), use_tqdm=False)
    assert seen[:2] == seen[2:4]
    assert len(set(seen)) == 4
