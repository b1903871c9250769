"""The hub data sets of the tests: own rows in the hub's columns, read by the same code."""

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from gem_gymnasium.graders import Grade, grade_qa
from gem_gymnasium.tasks.data_sets import CODE, DATA_SETS, GEOMETRY, LOGIC, MATH, DataSet
from gem_gymnasium.tasks.dataset_task import DatasetTask
from gem_gymnasium.tasks.rows import Generated, Row

DATA = Path(__file__).parent / "data"


def file_of(row: DataSet) -> Path:
    """Return the file with the columns of a data set."""
    if "SynLogic" in row.name:
        return DATA / "synlogic.jsonl"
    asks_problem = row.settings.get("question_key") == "problem"
    known = {MATH: "math.jsonl", CODE: "code.jsonl", LOGIC: "rule_taker.jsonl"}
    if row.entry_point == GEOMETRY:
        return DATA / "geometry.parquet"
    return DATA / known.get(
        row.entry_point, "qa_problem.jsonl" if asks_problem else "qa_question.jsonl"
    )


LOCAL: dict[str, dict[str, Any]] = {
    f"gem/{row.name}-v0": {"data": str(file_of(row))} for row in DATA_SETS
}
"""Each hub id with what makes it read a local file."""


def drawing(width: int, height: int, colour: str = "black") -> Image.Image:
    """Return a white picture with a frame."""
    image = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(image).rectangle((0, 0, width - 1, height - 1), outline=colour, width=3)
    return image


def addition(rng: np.random.Generator, *, digits: int) -> Row:
    """Return a sum to work out."""
    left, right = (int(number) for number in rng.integers(10**digits, size=2))
    return Row("", f"What is {left} + {right}?", str(left + right), gold=str(left + right))


class AdditionEnv(DatasetTask):
    """Add two numbers."""

    def open_rows(self, config: Any, /) -> Generated:
        return Generated(addition, size=40, seed=0, digits=2)

    def grade(self, config: Any, reply: str, row: Row, /) -> Grade:
        return grade_qa(reply, row.answer, answer_format=config.answer_format)
