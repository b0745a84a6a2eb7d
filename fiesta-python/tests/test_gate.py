"""``gate`` gives the program's verdicts and numbers, whatever holds the answers; tests fail by it."""

import inspect
import json
import pickle
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import pytest
from test_program import program, without_flags

import fiesta_select as fiesta
from fiesta_select import _analyses, _gate

LOGS = Path(__file__).resolve().parents[2] / "fiesta-import/tests/fixtures/logs"


def answers(n, is_wrong):
    """The answers of a version to n items."""
    return [
        {
            "id": f"q{k}",
            "question": f"what is {k}?",
            "score": int(not is_wrong(k)),
            "output": "a -- wrong one" if is_wrong(k) else "right",
        }
        for k in range(n)
    ]


OLD = answers(1000, lambda k: k % 10 == 9)


def worse(lost, n=1000):
    """Answers that are also wrong on the first ones."""
    return answers(n, lambda k: k % 10 == 9 or k < lost)


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def files(tmp_path):
    return lambda lost: [
        write(tmp_path / "old.jsonl", OLD),
        write(tmp_path / "new.jsonl", worse(lost)),
    ]


def printed(code, *arguments):
    """What the program prints, which ends with this code."""
    done = subprocess.run([program(), "gate", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout


def equal(found, code, *arguments):
    of_program = json.loads(printed(code, *arguments, "--format", "json"))
    ours, theirs = without_flags(found.to_dict()), without_flags(of_program)
    # Notices are notes here, which the program prints beside its result.
    assert set(theirs.pop("notes")) <= set(ours.pop("notes"))
    assert ours == theirs


CODES = {"ships": 0, "undecided": 3, "blocked": 8}


@pytest.mark.parametrize(
    ("lost", "verdict"),
    [(6, "ships"), (15, "undecided"), (60, "blocked")],
)
def test_verdicts_and_numbers_are_the_programs(files, tmp_path, lost, verdict):
    old, new = files(lost)
    found = fiesta.gate(old, new, margin=0.02)
    assert found.verdict == verdict
    comment = tmp_path / "comment.md"
    call = [old, new, "--margin", "0.02", "--markdown", comment]
    equal(found, CODES[verdict], *call)
    own = found.candidates[0]
    assert (own.name, own.regressions, own.fixed, own.items) == ("new", lost - lost // 10, 0, 1000)
    assert [item.item for item in own.flipped[:2]] == ["q0", "q1"]
    assert own.flipped[0].candidate.text == "a -- wrong one"
    text = printed(CODES[verdict], *call)
    assert " ".join(text.split()) in " ".join(str(found).split()).replace("`to_dict()`", "--format")
    if not found.notes:
        assert found.markdown() == comment.read_text().replace("`--format json`", "`to_dict()`")


@pytest.mark.parametrize(
    ("keywords", "flags"),
    [
        ({"better_by": 0.0}, ["--better-by", "0"]),
        ({"margin": 0.05, "confidence": 0.9}, ["--margin", "0.05", "--confidence", "0.9"]),
        (
            {"margin": 0.02, "target": "these items"},
            ["--margin", "0.02", "--target", "these items"],
        ),
        ({"margin": 0.02, "baseline": "new"}, ["--margin", "0.02", "--baseline", "new"]),
        ({"margin": 0.02, "bounds": (0, 2)}, ["--margin", "0.02", "--bounds", "0,2"]),
        (
            {"margin": 0.02, "metric": "score", "item": "id", "direction": "minimize"},
            ["--margin", "0.02", "--metric", "score", "--item", "id", "--minimize"],
        ),
        ({"margin": 0.02, "texts": False}, ["--margin", "0.02", "--no-texts"]),
    ],
)
def test_keywords_are_flags(files, keywords, flags):
    old, new = files(15)
    found = fiesta.gate(old, new, **keywords)
    equal(found, CODES[found.verdict], old, new, *flags)


def test_clusters(tmp_path):
    rows = [[{**row, "text": f"t{k // 4}"} for k, row in enumerate(of)] for of in (OLD, worse(60))]
    old, new = (
        write(tmp_path / f"{name}.jsonl", of) for name, of in zip(["old", "new"], rows, strict=True)
    )
    found = fiesta.gate(old, new, margin=0.02, clusters="text")
    equal(found, CODES[found.verdict], old, new, "--margin", "0.02", "--clusters", "text")
    assert found.candidates[0].lower == pytest.approx(
        fiesta.gate(*rows, margin=0.02, clusters="text").candidates[0].lower
    )


def test_several_candidates(files, tmp_path):
    old, new = files(60)
    other = write(tmp_path / "other.jsonl", worse(6))
    found = fiesta.gate(old, [new, other], margin=0.02)
    equal(found, 8, old, new, other, "--margin", "0.02")
    assert [own.verdict for own in found.candidates] == ["blocked", "ships"]
    assert found.error_each == pytest.approx(0.025)
    assert len(found.to_frame()) == 2
    by_name = fiesta.gate(old, {"new": new, "other": other}, margin=0.02)
    assert by_name.to_dict()["candidates"] == found.to_dict()["candidates"]
    mixed = fiesta.gate(old, {"new": worse(60), "other": other}, margin=0.02)
    assert mixed.to_dict()["candidates"] == found.to_dict()["candidates"]
    named = fiesta.gate({"v1": OLD}, {"v2": worse(60), "v3": worse(6)}, margin=0.02)
    assert [named.baseline, *(own.name for own in named.candidates)] == ["v1", "v2", "v3"]
    # Names in a column count where none were given.
    models = [[{**row, "arm": name} for row in of] for name, of in [("a", OLD), ("b", worse(60))]]
    found = fiesta.gate(*models, margin=0.02, item="id")
    assert (found.baseline, found.candidates[0].name) == ("a", "b")
    found = fiesta.gate({"v1": models[0]}, {"v2": models[1]}, margin=0.02)
    assert (found.baseline, found.candidates[0].name) == ("v1", "v2")


def forms(rows):
    """The same answers, in every form."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    return {
        "rows": rows,
        "columns": columns,
        "pandas": pandas.DataFrame(rows),
        "polars": polars.DataFrame(columns),
        "arm": [{**row, "arm": "gpt"} for row in rows],
    }


@pytest.mark.parametrize("form", ["rows", "columns", "pandas", "polars", "arm"])
def test_answers_in_memory_are_those_of_files(files, form):
    old, new = files(15)
    expected = fiesta.gate(old, new, margin=0.02)
    made = forms(OLD)[form], forms(worse(15))[form]
    assert (
        fiesta.gate(*made, margin=0.02).to_dict()["candidates"]
        == (expected.to_dict()["candidates"])
    )
    if form != "arm":
        found = fiesta.gate(old, made[1], margin=0.02)
        assert found.to_dict()["candidates"] == expected.to_dict()["candidates"]


def test_lists_of_scores(files):
    numpy = pytest.importorskip("numpy")
    expected = fiesta.gate(*files(15), margin=0.02).candidates[0]
    old, new = ([row["score"] for row in rows] for rows in (OLD, worse(15)))
    for made in [(old, new), (numpy.array(old), numpy.array(new, float))]:
        own = fiesta.gate(*made, margin=0.02, paired_rows=True).candidates[0]
        assert (own.lower, own.upper, own.verdict) == (
            expected.lower,
            expected.upper,
            expected.verdict,
        )
    table = {"v1": old, "v2": new, "v3": [row["score"] for row in worse(6)]}
    found = fiesta.gate(table, baseline="v1", margin=0.02, paired_rows=True)
    assert [own.verdict for own in found.candidates] == ["undecided", "ships"]
    found = fiesta.gate(table, baseline="v1", arms=["v1", "v2"], margin=0.02, paired_rows=True)
    assert found.candidates[0].lower == expected.lower


def test_files_of_which_one_is_named(files):
    old, new = files(60)
    found = fiesta.gate([old, new], baseline="old", margin=0.02)
    equal(found, 8, old, new, "--baseline", "old", "--margin", "0.02")


def test_one_table(tmp_path):
    rows = [{"arm": name, **row} for name, of in (("a", OLD), ("b", worse(60))) for row in of]
    path = write(tmp_path / "all.jsonl", rows)
    found = fiesta.gate(path, baseline="a", margin=0.02, item="id")
    equal(found, 8, path, "--baseline", "a", "--margin", "0.02", "--item", "id")
    in_memory = fiesta.gate(rows, baseline="a", margin=0.02, item="id")
    assert in_memory.candidates == found.candidates


@pytest.mark.parametrize("lacking", [None, float("nan"), "left out"])
def test_what_failed_or_is_missing_is_worst(lacking):
    new = [dict(row) for row in worse(60)]
    for row in new[:60]:
        row["score"] = lacking
    if lacking == "left out":
        new = new[60:]
    own = fiesta.gate(OLD, new, margin=0.02).candidates[0]
    assert own.verdict == "blocked" and own.failed + own.missing == 60
    # Where both answered, they are equal, which differing items would have to show.
    assert own.verdict_on_answered == "undecided"


@pytest.mark.parametrize("tool", ["promptfoo/repeated.json", "inspect/large.eval"])
def test_logs_of_other_tools(tmp_path, tool):
    ending = Path(tool).suffix
    for version in ("old", "new"):
        shutil.copy(LOGS / tool, tmp_path / f"{version}{ending}")
    old, new = tmp_path / f"old{ending}", tmp_path / f"new{ending}"
    found = fiesta.gate(old, new, margin=0.1)
    equal(found, 3, old, new, "--margin", "0.1")
    with pytest.raises(ValueError, match="is a log of .*: give the paths of all versions alone"):
        fiesta.gate({"v1": old}, {"v2": new}, margin=0.1)


def test_without_a_margin(files):
    old, new = files(15)
    found = fiesta.gate(old, new)
    assert found.verdict is None and found.candidates[0].smallest_margin > 0
    sentence = found.candidates[0].sentence
    assert "(margin=)" in sentence and "(better_by=)" in sentence and "--" not in sentence
    theirs = json.loads(printed(2, old, new, "--format", "json"))["candidates"][0]
    ours = found.to_dict()["candidates"][0]
    assert ours.pop("sentence") != theirs.pop("sentence")
    assert ours == theirs


def test_results_show_themselves(files):
    found = fiesta.gate(*files(60), margin=0.02)
    again = pickle.loads(pickle.dumps(found))
    assert again == found and str(again) == str(found) and again.markdown() == found.markdown()
    assert found._repr_html_().startswith("<pre") and "is blocked" in found._repr_html_()
    assert "a -- wrong one" in found.markdown()
    assert "wrong one" not in fiesta.gate(*files(60), margin=0.02, texts=False).markdown()
    with pytest.raises(ValueError, match="has no figure"):
        found.svg()


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((OLD, OLD, 0), {}, "give a number above 0, for example 0.02, or better_by=0 if"),
        ((OLD, OLD, float("nan")), {}, "above 0"),
        ((OLD, OLD, 0.02), {"better_by": 0.0}, "give margin= for not worse, or better_by= for"),
        ((OLD, OLD, 2), {}, "scores differ by at most 1"),
        ((OLD, OLD, 0.02), {"confidence": 0.4}, "confidence between 0.5 and 1"),
        ((OLD, OLD, 0.02), {"target": "all"}, "these items"),
        ((OLD, OLD, 0.02), {"baseline": "v7"}, "there is no arm `v7`"),
        ((OLD, OLD, 0.02), {"clusters": "page"}, "page"),
        ((OLD, OLD, 0.02), {"metric": "acc"}, "acc"),
        (([1, 0], [1, 1], 0.02), {}, "paired_rows=True"),
        (([1, 7], [1, None], 0.02), {"paired_rows": True}, r"give bounds=\(LOW, HIGH\)"),
        (({"a": [1, 0], "b": [1, 1]},), {}, "baseline=, one of a, b"),
        (({"a": OLD, "b": OLD}, OLD, 0.02), {}, "old= holds 2 versions"),
        ((OLD, {"old": OLD}, 0.02), {}, "two versions are called `old`"),
        ((OLD, [], 0.02), {}, "new"),
        ((OLD, [{**OLD[0], "score": "x"}], 0.02), {}, "new:1: "),
        ((OLD, "nothing.jsonl", 0.02), {}, "nothing.jsonl"),
        ((OLD, {"v2": ["a.csv", "b.csv"]}, 0.02), {}, "has 2 files"),
        ((OLD, OLD, 0.02), {"gold": "answer"}, "gold= is about one table"),
    ],
)
def test_what_is_no_gate(arguments, keywords, message):
    with pytest.raises(ValueError, match=message) as raised:
        fiesta.gate(*arguments, **keywords)
    assert "--" not in str(raised.value)


@pytest.mark.parametrize("new", [7, "\0", b"new", [[1, 2]], {"v2": 3}, object()])
def test_what_is_no_version(new):
    with pytest.raises((TypeError, ValueError)):
        fiesta.gate(OLD, new, 0.02)


def test_columns_of_one_version_are_left_out():
    new = [{"id": row["id"], "score": row["score"]} for row in worse(60)]
    found = fiesta.gate(OLD, new, margin=0.02)
    assert found.verdict == "blocked"
    note = "columns that not all versions have are left out: `output`, `question`"
    assert note in found.notes
    with pytest.raises(ValueError, match="new"):
        fiesta.gate(OLD, [{"n": 1, "points": 2}], margin=0.02)


def test_asserts():
    assert fiesta.assert_not_worse(OLD, worse(6), margin=0.02).verdict == "ships"
    with pytest.raises(AssertionError, match="new is blocked: .*\n(.|\n)*q0: 1 → 0"):
        fiesta.assert_not_worse(OLD, worse(60), margin=0.02)
    with pytest.raises(AssertionError, match="new is undecided: (.|\n)*undecided fails: "):
        fiesta.assert_not_worse(OLD, worse(15), margin=0.02)
    passed = fiesta.assert_not_worse(OLD, worse(15), margin=0.02, undecided="pass")
    assert passed.verdict == "undecided"
    with pytest.raises(unittest.SkipTest, match="^new is undecided: "):
        fiesta.assert_not_worse(OLD, worse(15), margin=0.02, undecided="skip")
    with pytest.raises(AssertionError, match="new is blocked"):
        fiesta.assert_not_worse(OLD, worse(60), margin=0.02, undecided="pass")
    with pytest.raises(ValueError, match="give margin=, or better_by="):
        fiesta.assert_not_worse(OLD, OLD)
    with pytest.raises(ValueError, match="none of fail, skip and pass"):
        fiesta.assert_not_worse(OLD, OLD, 0.02, undecided="maybe")


@pytest.mark.parametrize(
    ("function", "keywords", "others"),
    [
        (fiesta.gate, _gate.GateKeywords, {"old", "new", "margin"}),
        (fiesta.compare, _analyses.CompareKeywords, {"scores", "a", "b", "pairs"}),
    ],
)
def test_typed_keywords_are_those_of_the_function(function, keywords, others):
    assert keywords.__annotations__.keys() | others == inspect.signature(function).parameters.keys()


TESTS = """
from pathlib import Path

import fiesta_select as fiesta

OLD, NEW = Path("old.jsonl"), Path("new.jsonl")

def test_fails():
    fiesta.assert_not_worse(OLD, NEW, margin=0.005)

def test_is_skipped():
    fiesta.assert_not_worse(OLD, NEW, margin=0.02, undecided="skip")

def test_passes():
    fiesta.assert_not_worse(OLD, NEW, margin=0.1)
"""


def test_the_report_of_pytest(files, tmp_path):
    files(15)
    (tmp_path / "test_prompt.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", "test_prompt.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    said = done.stdout
    assert "1 failed, 1 passed, 1 skipped" in said, said
    failure, _, summary = said.partition("short test summary info")
    assert ">       fiesta.assert_not_worse(OLD, NEW, margin=0.005)" in failure
    assert "E       AssertionError: new is " in failure and "q0: 1 → 0" in failure
    # No line of the package stands in the traceback.
    assert "_gate.py" not in failure and "raise AssertionError" not in failure
    assert "new is undecided: these 1000 items" in summary
