"""The blocks of docs/python-recipes.md, run in order."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path

import pytest

import fiesta_select as fiesta

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python-recipes.md"


LOGS = PAGE.parents[1] / "fiesta-import/tests/fixtures/logs"


def test_recipes_print_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for needed in ("numpy", "optuna"):
        pytest.importorskip(needed)
    for log in ("inspect/large.eval", "inspect/small.eval", "promptfoo/sums.json"):
        shutil.copy(LOGS / log, tmp_path)
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert failed == 0
    assert tried == len(re.findall(r"^>>> ", text, flags=re.MULTILINE)) > 30


def test_blocks_that_are_not_run_say_so() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    for place, line in enumerate(lines):
        if line == "```python" and not lines[place + 1].startswith(">>> "):
            assert lines[place - 1].startswith("<!-- not run: ")


def test_the_curve_is_that_of_the_papers_formula() -> None:
    # Equations 6 to 8 of Dodge et al., as their `samplemax` sums them.
    scores = sorted([0.61, 0.66, 0.64, 0.70, 0.68, 0.61])
    count = len(scores)
    curve = fiesta.curve({"cnn": scores}, bands="none").curves[0]
    for n in range(1, count + 1):
        weights = [(i / count) ** n - ((i - 1) / count) ** n for i in range(1, count + 1)]
        mean = sum(weight * score for weight, score in zip(weights, scores, strict=True))
        square = sum(w * (score - mean) ** 2 for w, score in zip(weights, scores, strict=True))
        assert curve.mean[n - 1] == pytest.approx(mean, abs=1e-14)
        assert curve.sd[n - 1] == pytest.approx(square**0.5, abs=1e-14)
