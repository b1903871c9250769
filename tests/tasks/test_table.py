"""Tables: local files, columns by path, and what is said when something is not there."""

import copy
import csv
import json
import pickle
from pathlib import Path
from typing import Any

import gymnasium as gym
import pyarrow as pa
import pytest
from pyarrow import parquet

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.tasks import table as table_module
from gem_gymnasium.tasks.table import Columns, Table, gold_of, plain, value_at
from tests.tasks.local import DATA

RECORDS = [
    {"problem": "1 + 1?", "answer": "2", "name": "a"},
    {"problem": '2, "2" + 1?\nThen?', "answer": "3", "name": "b"},
    {"problem": "Ünïcödé 数?", "answer": "4", "name": "c"},
]
COLUMNS = Columns("problem", "answer", "name", gold="answer")


def write(path: Path, records: list[dict[str, Any]]) -> str:
    """Write records in the format that the file's name says."""
    if path.suffix == ".jsonl":
        lines = [json.dumps(record) for record in records]
        path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(records), encoding="utf-8")
    elif path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(records[0]))
            writer.writeheader()
            writer.writerows(records)
    else:
        parquet.write_table(pa.Table.from_pylist(records), path)
    return str(path)


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".csv", ".parquet"])
def test_every_format_gives_the_same_rows(tmp_path: Path, suffix: str) -> None:
    table = Table(write(tmp_path / f"rows{suffix}", RECORDS), COLUMNS)
    assert len(table) == 3
    for index, record in enumerate(RECORDS):
        row = table.row(index)
        assert (row.id, row.question, row.answer) == (
            record["name"],
            record["problem"],
            record["answer"],
        )
        assert row.gold == record["answer"]


def test_a_local_file_is_a_math_task_in_one_line(tmp_path: Path) -> None:
    records = [{"text": "What is 6 x 7?", "meta": {"solution": [42]}}]
    env: Any = gym.make(
        "gem/QA-v0",
        data=write(tmp_path / "own.jsonl", records),
        question_key="text",
        answer_key="meta.solution",
    )
    observation, _ = env.reset(seed=0)
    assert observation.startswith("What is 6 x 7?")
    assert env.step("<answer>42</answer>")[1] == 1.0


def test_a_table_is_read_once_in_a_process_and_again_when_the_file_changes(tmp_path: Path) -> None:
    name = write(tmp_path / "rows.jsonl", RECORDS)
    tables = [Table(name, COLUMNS), Table(name, Columns("name", "answer"))]
    assert tables[0].records() is tables[1].records()
    write(tmp_path / "rows.jsonl", RECORDS[:1])
    assert len(Table(name, COLUMNS)) == 1
    assert len(tables[0]) == 3  # what an env poses does not change under it


def test_a_table_is_read_when_first_asked_for(tmp_path: Path) -> None:
    name = write(tmp_path / "rows.jsonl", RECORDS)
    table = Table(name, COLUMNS)
    assert not any(name in str(key) for key in table_module._loaded)
    assert len(table) == 3
    assert any(name in str(key) for key in table_module._loaded)


def test_a_table_copies_as_itself_and_pickles_small(tmp_path: Path) -> None:
    table = Table(write(tmp_path / "rows.jsonl", RECORDS * 10_000), COLUMNS)
    assert len(table) == 30_000
    assert copy.deepcopy(table) is table
    data = pickle.dumps(table)
    assert len(data) < 500
    assert pickle.loads(data).row(29_999) == table.row(29_999)


def test_make_does_not_copy_the_rows_of_a_handle(tmp_path: Path) -> None:
    table = Table(write(tmp_path / "rows.jsonl", RECORDS), COLUMNS)
    env: Any = gym.make("gem/QA-v0", data=table)
    assert env.unwrapped.rows is table
    assert env.spec.kwargs["data"] is table


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a", 1),
        ("b.c", 2),
        ("d.0.e", 3),
        ("d.-1.e", 4),
        ("f.g.h", 5),
        ("i.j", 6),
    ],
)
def test_a_path_leads_into_records_lists_and_json(path: str, value: int) -> None:
    record = {
        "a": 1,
        "b": {"c": 2},
        "d": [{"e": 3}, {"e": 4}],
        "f": json.dumps({"g": {"h": 5}}),
        "i.j": 6,
    }
    assert value_at(record, path) == value


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("qestion", "did you mean 'question'"),
        ("list.7", "item 7 of 1"),
        ("list.x", "leads into a list"),
        ("number.x", "leads into a int"),
        ("text.x", "no JSON"),
        ("record.y", "unknown column 'record.y'; known: x"),
    ],
)
def test_a_path_that_leads_nowhere_says_where_it_ends(path: str, message: str) -> None:
    record = {"question": "?", "list": [1], "number": 1, "text": "{", "record": {"x": 1}}
    with pytest.raises(ConfigError, match=message):
        value_at(record, path)


def test_values_are_plain() -> None:
    assert plain({"a": [1, [2]], "b": None}) == {"a": (1, (2,)), "b": None}
    arrays = pa.array([[1, 2]]).to_numpy(zero_copy_only=False)
    assert plain(arrays) == ((1, 2),)
    assert type(plain(arrays)[0][0]) is int
    assert [gold_of(x) for x in ("a", 2, 0.5, (), ("b", "c"), {"a": 1}, None)] == [
        "a", "2", "0.5", "", "b", "", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("rows.jsonl", "", "holds no rows"),
        ("rows.jsonl", "{\n", "cannot be read"),
        ("rows.jsonl", "[1]\n", "row 0 is no object"),
        ("rows.json", '{"problem": 1}', "no list of objects"),
        ("rows.parquet", "no parquet", "cannot be read"),
        ("rows.csv", "problem,answer\n", "holds no rows"),
    ],
)
def test_a_file_that_is_no_table_is_refused_at_make(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        gym.make("gem/Math-v0", data=str(tmp_path / name))


def test_what_is_missing_is_named_at_make(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.jsonl"):
        gym.make("gem/Math-v0", data=str(tmp_path / "nowhere.jsonl"))
    with pytest.raises(ConfigError, match=r"data must be given.*gem/Math-Synthetic-v0"):
        gym.make("gem/Math-v0")
    with pytest.raises(ConfigError, match=r"data must be a file \(\.jsonl"):
        gym.make("gem/Math-v0", data="rows.txt")
    with pytest.raises(UnknownName, match="did you mean 'problem'"):
        gym.make("gem/Math-v0", data=str(DATA / "math.jsonl"), question_key="problm")


def test_a_question_that_is_no_text_is_refused(tmp_path: Path) -> None:
    name = write(tmp_path / "rows.jsonl", [{"problem": 3, "answer": "3"}])
    env = gym.make("gem/Math-v0", data=name)
    with pytest.raises(ConfigError, match=r"row 0 of .*: there is no text at 'problem'"):
        env.reset()


@pytest.mark.parametrize("answer", [None, "", []])
def test_a_row_without_an_answer_is_refused_by_its_number(answer: Any, tmp_path: Path) -> None:
    rows = [{"problem": "1?", "answer": "1"}, {"problem": "2?", "answer": answer}]
    env = gym.make("gem/Math-v0", data=write(tmp_path / "rows.jsonl", rows))
    env.reset(options={"index": 0})
    with pytest.raises(ConfigError, match=r"row 1 of .*: there is no answer at 'answer'"):
        env.reset(options={"index": 1})


def test_a_row_that_lacks_a_column_is_named(tmp_path: Path) -> None:
    rows = [{"problem": "1?", "answer": "1"}, {"problem": "2?"}]
    env = gym.make("gem/Math-v0", data=write(tmp_path / "rows.jsonl", rows))
    with pytest.raises(ConfigError, match=r"row 1 of .*: unknown column 'answer'"):
        env.reset(options={"index": 1})


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"problem": "1?", "answer": "1"}\n\n{"problem": \n')
    with pytest.raises(ConfigError, match="line 3 is no JSON"):
        gym.make("gem/Math-v0", data=str(path))
