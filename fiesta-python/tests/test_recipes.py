"""The blocks of docs/python-recipes.md, run in order."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python-recipes.md"


def test_recipes_print_what_they_say() -> None:
    for needed in ("numpy", "optuna"):
        pytest.importorskip(needed)
    text = PAGE.read_text(encoding="utf-8")
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert failed == 0
    assert tried == len(re.findall(r"^>>> ", text, flags=re.MULTILINE)) > 30


def test_blocks_that_are_not_run_say_so() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    for place, line in enumerate(lines):
        if line == "```python" and not lines[place + 1].startswith(">>> "):
            assert lines[place - 1].startswith("<!-- not run: ")
