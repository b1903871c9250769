"""The launcher's files under examples/accelerate hold keys that accelerate knows."""

import re
from pathlib import Path

import pytest
import yaml
from accelerate import DistributedType
from accelerate.commands.config.config_args import load_config_from_file
from accelerate.commands.launch import launch_command_parser
from accelerate.utils import DeepSpeedPlugin, FullyShardedDataParallelPlugin

FOLDER = Path(__file__).parents[2] / "examples" / "accelerate"
FILES = sorted(FOLDER.glob("*.yaml"))
KINDS = {
    "ddp": DistributedType.MULTI_GPU,
    "fsdp2": DistributedType.FSDP,
    "deepspeed_zero2": DistributedType.DEEPSPEED,
}


def test_every_kind_has_its_file() -> None:
    assert {path.stem for path in FILES} == set(KINDS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_accelerate_reads_the_file(path: Path) -> None:
    config = load_config_from_file(str(path))  # an unknown key raises
    assert config.distributed_type == KINDS[path.stem]
    text = path.read_text(encoding="utf-8")
    assert "Needs GPUs" in text
    assert "not run" in text
    assert f"--config_file examples/accelerate/{path.name} examples/13_multi_gpu.py" in text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_launcher_has_an_option_for_every_nested_key(path: Path) -> None:
    known = {action.dest for action in launch_command_parser()._actions}
    values = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name in ("fsdp_config", "deepspeed_config"):
        nested = values.get(name, {})
        assert set(nested) <= known, set(nested) - known
        assert (name in values) == name.startswith(re.split(r"\d|_", path.stem)[0])


def test_the_plugins_take_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    values = yaml.safe_load((FOLDER / "fsdp2.yaml").read_text(encoding="utf-8"))["fsdp_config"]
    for name, value in values.items():
        monkeypatch.setenv(
            name.upper(), str(value).lower() if isinstance(value, bool) else str(value)
        )
    plugin = FullyShardedDataParallelPlugin()
    assert plugin.fsdp_version == 2
    assert plugin.reshard_after_forward is True
    assert str(plugin.state_dict_type) == "StateDictType.FULL_STATE_DICT"
    stage = yaml.safe_load((FOLDER / "deepspeed_zero2.yaml").read_text(encoding="utf-8"))
    assert stage["deepspeed_config"]["zero_stage"] == 2
    assert DeepSpeedPlugin.__dataclass_fields__.keys() >= {
        "zero_stage", "offload_optimizer_device", "offload_param_device", "zero3_init_flag",
    }  # fmt: skip
