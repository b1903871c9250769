"""gem-gym index: build and query; ``serve`` is tested in tests/tools/test_search_http.py."""

from pathlib import Path

import pytest

from gem_gymnasium.cli.main import main
from gem_gymnasium.tools import TextIndex


def test_a_corpus_is_built_and_searched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus, out = tmp_path / "corpus.jsonl", tmp_path / "index.db"
    corpus.write_text('{"title": "Fen", "text": "A town."}\n{"title": "Ode", "text": "A poem."}\n')
    assert main(["index", "build", str(corpus), str(out)]) == 0
    assert capsys.readouterr().out.startswith(f"{out}: 2 passages in ")
    assert main(["index", "query", str(out), "a", "town", "--count", "1"]) == 0
    expected = "<information>Doc 1(Title: Fen) A town.\n</information>\n"
    assert capsys.readouterr().out == expected
    assert main(["index", "query", str(out), "?"]) == 1


def test_the_bundled_corpus_is_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "sample.db"
    assert main(["index", "build", "sample", str(out)]) == 0
    assert len(TextIndex(out)) >= 1_000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["build", "missing.jsonl", "out.db"], "missing.jsonl cannot be read"),
        (["query", "missing.db", "a"], "unknown retriever or index 'missing.db'"),
        (["query", "http://127.0.0.1:1/retrieve", "a"], "http://127.0.0.1:1/retrieve: "),
        (["serve", "sample", "--port", "70000"], "--port"),
        (["serve", "missing.db"], "unknown retriever or index"),
    ],
)
def test_a_mistake_is_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("no_proxy", "*")
    assert main(["index", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())
