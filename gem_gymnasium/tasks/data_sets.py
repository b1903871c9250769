"""The table of hub data sets: adding one is adding a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gem_gymnasium.tasks.table import TableConfig


class DataSet(NamedTuple):
    """A data set of the hub and the id it is posed under."""

    name: str
    """Its id, without ``gem/`` and ``-v0``."""
    entry_point: str
    """Its family, a file and class of ``gem_gymnasium.tasks``."""
    repo: str
    gem: str = ""
    """GEM's id; ``""`` if it has none."""
    settings: Mapping[str, Any] = {}
    """What else the env is made with."""

    @property
    def kwargs(self) -> dict[str, Any]:
        """What the id registers."""
        return {"data": self.repo, **self.settings}


MATH, GEOMETRY, CODE = "math:MathEnv", "geometry:GeometryEnv", "code:CodeEnv"
QA, LOGIC = "qa:QaEnv", "logic:LogicEnv"

_EVAL = "axon-rl/math-eval"
_SEARCH = "axon-rl/search-eval"

DATA_SETS: tuple[DataSet, ...] = (
    DataSet("Math-ASDiv2K", MATH, "axon-rl/ASDIV-2k", "math:ASDiv2K"),
    DataSet("Math-GSM8K", MATH, "axon-rl/GSM-8k", "math:GSM8K"),
    DataSet("Math-Math12K", MATH, "axon-rl/MATH-12k", "math:Math12K"),
    DataSet("Math-Math8K-3to5", MATH, "axon-rl/MATH-lvl3to5-8k", "math:Math8K-3to5"),
    DataSet("Math-Orz57K", MATH, "axon-rl/ORZ-57k", "math:Orz57K"),
    DataSet("Math-DeepScaleR40K", MATH, "axon-rl/DeepScaleR-40K", "math:DeepScaleR40K"),
    DataSet("Geometry-3K", GEOMETRY, "axon-rl/geometry3k", "math:Geometry3K", {"split": "train"}),
    DataSet(
        "Code-CodeContest", CODE, "axon-rl/CodeContest", "code:CodeContest", {"split": "train"}
    ),
    DataSet("Code-Taco8k", CODE, "axon-rl/TACO-8k", "code:Taco8k", {"split": "train"}),
    DataSet(
        "Code-PrimeIntellect15k",
        CODE,
        "axon-rl/PrimeIntellect-15k",
        "code:PrimeIntellect15k",
        {"split": "train"},
    ),
    *(
        DataSet(
            f"Logic-RuleTaker-d{depth}",
            LOGIC,
            f"axon-rl/RuleTaker-d{depth}-70k",
            f"logic:RuleTaker-d{depth}",
            {"split": "train"},
        )
        for depth in (0, 1, 2, 3, 5)
    ),
    *(
        DataSet(
            f"Logic-SynLogic-{subset}",
            LOGIC,
            "MiniMaxAI/SynLogic",
            settings={
                "subset": subset,
                "split": "train",
                "question_key": "extra_info.game_data_str.question",
                "answer_key": "extra_info.game_data_str.answer",
            },
        )
        for subset in ("easy", "hard")
    ),
    *(
        DataSet(
            f"QA-{name}",
            QA,
            f"axon-rl/{name}",
            f"qa:{name}",
            {"split": "train", "question_key": "problem"},
        )
        for name in ("NaturalQuestions", "HotpotQA")
    ),
    *(
        DataSet(f"Eval-{name}", MATH, _EVAL, f"eval:{name}", {"split": split})
        for name, split in (
            ("MATH500", "math"),
            ("AMC", "amc"),
            ("OlympiadBench", "olympiad_bench"),
            ("Minerva", "minerva"),
            ("AIME24", "aime24"),
        )
    ),
    DataSet("Eval-CodeContest", CODE, "axon-rl/CodeContest", "eval:CodeContest", {"split": "test"}),
    DataSet(
        "Eval-QaOpen",
        QA,
        "google-research-datasets/nq_open",
        "eval:QaOpen",
        {"split": "validation"},
    ),
    *(
        DataSet(f"Eval-{name}", QA, _SEARCH, f"eval:{name}", {"split": split})
        for name, split in (
            ("2Wiki", "2wiki"),
            ("PopQA", "popqa"),
            ("TriviaQA", "tq"),
            ("HotpotQA", "hotpotqa"),
            ("Bamboogle", "bamboogle"),
            ("NaturalQuestions", "nq"),
            ("Musique", "musique"),
        )
    ),
)


def variants(prefix: str, entry_point: str) -> dict[str, dict[str, Any]]:
    """Return the kwargs of each data set of a family, by what follows ``<prefix>-`` in its id."""
    return {
        row.name.removeprefix(f"{prefix}-"): row.kwargs
        for row in DATA_SETS
        if row.entry_point == entry_point and row.name.startswith(f"{prefix}-")
    }


def fetch_name(config: TableConfig) -> str:
    """Return what ``gem-gym fetch`` must be told to bring the table of a config here."""
    for row in DATA_SETS:
        settings = row.settings
        if (row.repo, settings.get("subset", ""), settings.get("split", "")) == (
            config.data,
            config.subset,
            config.split,
        ) and not config.revision:
            return f"gem/{row.name}-v0"
    options = {"--subset": config.subset, "--revision": config.revision}
    return " ".join([config.data, *(f"{key} {value}" for key, value in options.items() if value)])
