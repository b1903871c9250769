"""The generated pages say what is so now."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
spec = importlib.util.spec_from_file_location("make_docs", DOCS / "make.py")
assert spec is not None
assert spec.loader is not None
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)


@pytest.mark.parametrize("page", make.PAGES)
def test_a_generated_page_is_up_to_date(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert text == make.PAGES[page](), "run `python docs/make.py` and commit the result"
