"""Whatever Python hands over gives a result or a ValueError or TypeError that says what is wrong."""

import decimal
import fractions
import math
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import fiesta_select as fiesta

SETTINGS = settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
#: How long an input of this size may take, in seconds, on a busy machine.
SECONDS = 20


class Cruel:
    """A value that refuses whatever is asked of it."""

    #: Not while hypothesis shows what failed.
    is_cruel = False

    def __repr__(self):
        if Cruel.is_cruel:
            raise RuntimeError("no")
        return "Cruel()"

    def __float__(self):
        raise KeyError("no")


CYCLE: list = []
CYCLE.append(CYCLE)
CYCLIC_DICT: dict = {"arm": "a", "score": 1.0}
CYCLIC_DICT["self"] = CYCLIC_DICT

numbers = st.one_of(
    st.floats(),
    st.integers(-(10**400), 10**400),
    st.booleans(),
    st.sampled_from(
        [
            None,
            math.nan,
            np.float32("nan"),
            np.float64(0.5),
            np.int64(3),
            np.bool_(True),
            np.ma.masked,
            pd.NA,
            pd.NaT,
            decimal.Decimal("0.1"),
            decimal.Decimal("sNaN"),
            fractions.Fraction(1, 3),
            1j,
            "0.5",
            b"1",
            CYCLE,
            CYCLIC_DICT,
            Cruel(),
            np.datetime64("2020-01-01"),
            np.array(0.5),
            np.array([0.5]),
            object(),
        ]
    ),
)
names = st.one_of(
    st.sampled_from(["a", "b", "arm", "score", "item", "split", "seed", "cost", "status", "x"]),
    st.text(st.characters(), max_size=8),
    st.sampled_from(["\ud800", "a\nb", "\0", "", " ", "--seed", "`", "𝒜", 1, None, b"a", ("a",)]),
)
good = st.lists(st.floats(0, 1), min_size=2, max_size=6)
columns = st.one_of(
    good,
    st.lists(numbers, max_size=6),
    hnp.arrays(
        st.one_of(
            hnp.scalar_dtypes(),
            st.just(np.dtype("O")),
            st.just(np.dtype(np.longdouble)),
            hnp.array_dtypes(),
        ),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    ),
    st.builds(
        lambda values, mask: np.ma.masked_array(values, mask=[mask] * len(values)),
        good,
        st.booleans(),
    ),
    st.builds(lambda values: np.array([*values, *values])[::2], good),
    st.builds(pd.Series, good),
    st.builds(pl.Series, good),
    st.builds(pa.array, good),
    st.builds(lambda values: (value for value in values), good),
    st.text(max_size=3),
    numbers,
)
rows = st.lists(
    st.dictionaries(names, st.one_of(numbers, st.text(st.characters(), max_size=5)), max_size=6),
    max_size=8,
)
likely_rows = st.lists(
    st.fixed_dictionaries(
        {"arm": st.sampled_from("ab"), "score": st.one_of(st.floats(0, 1), numbers)},
        optional={
            "split": st.one_of(st.integers(0, 5), numbers),
            "item": st.one_of(st.text(max_size=2), numbers),
            "seed": numbers,
            "cost": numbers,
            "duration": st.floats(0, 9),
            "status": st.sampled_from(["ok", "failed", "", None, "odd", math.nan]),
            "note": numbers,
        },
    ),
    max_size=10,
)
scores = st.one_of(
    st.dictionaries(names, columns, max_size=5),
    st.dictionaries(st.sampled_from("abcd"), good, min_size=2, max_size=4),
    rows,
    likely_rows,
    columns,
    st.lists(columns, max_size=3),
    numbers,
)


def answer(analysis, *arguments, **keywords):
    """What is found, or the error's message; any other exception is a failure of the test."""
    began = time.monotonic()
    Cruel.is_cruel = True
    try:
        found = analysis(*arguments, **keywords)
    except (ValueError, TypeError) as error:
        found = str(error)
        assert len(found) > 10, found
        assert "panic" not in found
        # Errors of Python's own machinery say nothing of scores.
        for word in ("codec can't", "object is not iterable", "takes no", "unhashable"):
            assert word not in found
    finally:
        Cruel.is_cruel = False
    assert time.monotonic() - began < SECONDS
    return found


@given(scores, st.booleans())
@SETTINGS
def test_belief_answers(given_scores, paired_rows):
    answer(fiesta.belief, given_scores, paired_rows=paired_rows)


@given(scores)
@SETTINGS
def test_curve_answers(given_scores):
    answer(fiesta.curve, given_scores, max_n=5)


@given(scores)
@settings(SETTINGS, max_examples=100)
def test_compare_answers(given_scores):
    answer(fiesta.compare, given_scores)


KEYWORDS = [
    *("arms", "metric", "direction", "bounds", "posterior", "method", "draws", "seed", "logit"),
    *("pool_size", "confidence", "tolerance", "strata", "clusters", "target"),
    *("score", "arm", "split", "item", "failed"),
]


@given(
    st.dictionaries(
        st.sampled_from(KEYWORDS),
        st.one_of(
            st.sampled_from(["", "a", "paired", "\ud800", -1, 0, 1, 0.5, 1e300, 2**70, None, True]),
            st.sampled_from([math.nan, math.inf, ["a"], ["a", "b"], (0, 1), (1, 0), (), {}]),
        ),
        max_size=3,
    )
)
@SETTINGS
def test_keywords_answer(keywords):
    answer(fiesta.belief, {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.5]}, **keywords)


FRAMES = [
    pd.DataFrame,
    pl.DataFrame,
    pa.table,
    lambda columns: pl.DataFrame(columns).lazy(),
    lambda columns: pa.table(columns).to_reader(),
    lambda columns: OnlyArrow(pa.table(columns)),
    lambda columns: OnlyInterchange(pd.DataFrame(columns)),
]


class OnlyArrow:
    """A frame of a library that nobody knows."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class OnlyInterchange:
    """A frame of an older library."""

    def __init__(self, frame):
        self.frame = frame

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self.frame.__dataframe__(nan_as_null, allow_copy)


WIDE = {"lstm": [0.71, 0.73, 0.70, 0.6], "gru": [0.69, 0.70, None, 0.5]}
LONG = {
    "arm": ["lstm", "lstm", "gru", "gru", "gru"],
    "split": [0, 1, 0, 1, 2],
    "score": [0.71, 0.73, 0.69, 0.70, 0.5],
}


@pytest.mark.parametrize("frame", FRAMES)
def test_frames(frame):
    wide = fiesta.belief(frame(WIDE))
    known = {arm: [score for score in of_arm if score is not None] for arm, of_arm in WIDE.items()}
    # Which columns have gaps says that rows are no splits.
    assert wide.arms == fiesta.belief(known).arms
    long = fiesta.belief(frame(LONG))
    rows = [dict(zip(LONG, row)) for row in zip(*LONG.values())]
    assert long == fiesta.belief(rows) and long.pairing == "column"


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=3, max_size=20))
@settings(deadline=None, max_examples=30)
def test_all_forms_say_the_same(pairs):
    lists = {"a": [pair[0] for pair in pairs], "b": [pair[1] for pair in pairs]}
    matrix = np.array(pairs)
    forms = [
        {name: np.array(of_arm) for name, of_arm in lists.items()},
        {name: tuple(of_arm) for name, of_arm in lists.items()},
        {name: np.repeat(of_arm, 2)[::2] for name, of_arm in lists.items()},
        {name: np.array(of_arm, dtype=">f8") for name, of_arm in lists.items()},
        {name: np.array(of_arm, dtype=object) for name, of_arm in lists.items()},
        {name: (score for score in of_arm) for name, of_arm in lists.items()},
        {name: pd.Series(of_arm) for name, of_arm in lists.items()},
        {name: pl.Series(of_arm) for name, of_arm in lists.items()},
        {name: pa.array(of_arm) for name, of_arm in lists.items()},
        pd.DataFrame(lists),
        pl.DataFrame(lists),
        [{"arm": arm, "score": score} for arm in "ab" for score in lists[arm]],
        ({"arm": arm, "score": score} for arm in "ab" for score in lists[arm]),
    ]
    expected = answer(fiesta.belief, lists)
    arms = [arm for arm in getattr(expected, "arms", [])]
    for form in forms:
        found = answer(fiesta.belief, form)
        assert type(found) is type(expected), found
        if arms:
            assert found.arms == arms
    of_matrix = answer(fiesta.belief, matrix, arms=["a", "b"])
    assert type(of_matrix) is type(expected)
    if arms:
        assert (
            of_matrix.arms == arms == fiesta.belief(np.asfortranarray(matrix), arms=["a", "b"]).arms
        )


@pytest.mark.parametrize(
    ("given_scores", "kind", "message"),
    [
        ({"a": [1, 2, math.nan], "b": [1, 2]}, ValueError, r"scores:3: in the column `a`.*NaN"),
        (
            [{"arm": "a", "score": 1}, {"arm": "a", "score": 2}, {"arm": "b", "score": math.nan}],
            ValueError,
            "row:3: the score is NaN",
        ),
        ([{"arm": "a", "score": math.inf}], ValueError, "row:1: the score is inf"),
        ([{"arm": "a", "score": "x"}], ValueError, 'row:1: the score "x" is text'),
        ([{"arm": "a", "score": 1, "split": 0.5}], ValueError, "row:1: the split `0.5`"),
        ([{"arm": "a", "score": 1, "cost": -1}], ValueError, "row:1: the cost `-1` is negative"),
        ([{"arm": "a", "score": 1, 5: 1}], TypeError, "row:1: the key 5 is not text"),
        ([{"arm": "\ud800", "score": 1}], ValueError, "row:1: the arm .* half of a character"),
        ([{"arm": "a", "score": 1, "x": CYCLE}], TypeError, "row:1: Circular reference"),
        ([{"arm": "a", "score": 1, "x": b"y"}], TypeError, "row:1: the x is bytes"),
        ([{"arm": "a"}], ValueError, "row:1: .*score"),
        (
            [{"arm": "a", "score": 1}, {"arm": "a", "score": None}],
            ValueError,
            r"row:2: the score is missing: .*failed= .*\(drop, worst\)",
        ),
        ({"a": [1, None], "b": [1, 2]}, TypeError, "scores:2: .*`a`: a score is missing .*failed="),
        ({"arm": ["a", "b"], "score": [1]}, ValueError, "`arm` and `score` have 2 and 1 values"),
        ({"arm": ["a", "b"], "score": 1}, TypeError, "the column `score` is int"),
        ({"a\tb": [1, 2], "b": [1, 2]}, ValueError, "control character"),
        ({"": [1, 2], "b": [1, 2]}, ValueError, "name of the arm is empty"),
        ({"a": [1, 2], " a": [1, 2]}, ValueError, "`a`|` a`"),
        ({"a": [], "b": [1, 2]}, ValueError, "`a`"),
        ({"a": "12"}, TypeError, "arm `a` are str"),
        ({"a": [[1, 2]]}, TypeError, r"scores:1: in the column `a`: \[1, 2\] \(list\)"),
        ({"a": np.zeros((2, 2))}, TypeError, "2 dimensions"),
        ({"a": np.array(1.0)}, TypeError, "0 dimensions"),
        ({"a": [10**400, 1]}, TypeError, "is not a number"),
        ({1: [1, 2]}, TypeError, "the arm 1 is not text"),
        (np.zeros(3), TypeError, "1 dimensions"),
        (np.zeros((1, 2, 3)), TypeError, "3 dimensions"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "`a` occurs twice"),
        (
            pd.DataFrame([["a", 1, 2]], columns=["arm", "score", "score"]),
            ValueError,
            "`score` occurs twice",
        ),
        (pd.Series([1, 2]), TypeError, "1 dimensions"),
        ("nowhere.csv", ValueError, "nowhere.csv: cannot be read: No such file"),
        ("a\0b", ValueError, "zero character"),
        (b"bytes", TypeError, "bytes holds no scores"),
        (None, TypeError, "NoneType holds no scores"),
        ([1, 2], TypeError, "list holds no scores"),
        ([], ValueError, "no scores"),
        ({}, ValueError, "no scores"),
    ],
)
def test_messages(given_scores, kind, message):
    with pytest.raises(kind, match=message):
        fiesta.belief(given_scores)


def test_messages_name_keywords():
    rows = [{"arm": "a", "split": 0, "score": 1}, {"arm": "b", "split": 0, "score": 2}]
    with pytest.raises(ValueError, match=r"leave paired_rows=True out"):
        fiesta.belief(rows, paired_rows=True)
    with pytest.raises(ValueError, match=r"name its key with metric="):
        fiesta.belief([{"arm": "a", "f1": 1}])
    with pytest.raises(ValueError, match=r"failed=\"worst\""):
        fiesta.curve([{"arm": "a", "status": "failed"}, {"arm": "a", "score": 1}])
    with pytest.raises(ValueError, match="draws= is how often is drawn"):
        fiesta.compare({"a": [1, 2], "b": [1, 3]}, draws=0)
    with pytest.raises(TypeError, match="seed=5 names no column, and a curve draws nothing"):
        fiesta.curve({"a": [1, 2]}, seed=5)
    with pytest.raises(TypeError, match="the column of arm 5 is not text"):
        fiesta.belief(rows, arm=5)
    with pytest.raises(TypeError, match="metric='f1' and score='acc' name the same column"):
        fiesta.belief(rows, metric="f1", score="acc")
    with pytest.raises(ValueError, match="draws= is to be a whole number"):
        fiesta.belief({"a": [1, 2], "b": [1, 3]}, draws=-1)
    with pytest.raises(TypeError, match="arms='a' are to be several names"):
        fiesta.belief({"a": [1, 2], "b": [1, 3]}, arms="a")


def test_failures_of_frames_have_no_score():
    frame = pd.DataFrame(
        {"arm": ["a"] * 3, "status": ["ok", "ok", "failed"], "score": [0.5, 0.6, None]}
    )
    found = fiesta.curve(frame, failed="worst", bounds=(0, 1))
    assert (found.curves[0].trials, found.curves[0].failed) == (3, 1)
    # What says that it ended and has no score is counted as asked for, and refused if nothing was.
    ended = frame.assign(status="ok")
    assert fiesta.curve(ended, failed="worst", bounds=(0, 1)).curves == found.curves
    with pytest.raises(ValueError, match="row:3: this evaluation of `a` failed"):
        fiesta.curve(ended, bounds=(0, 1))


def test_masked_scores_are_left_out():
    masked = np.ma.masked_array([[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]], mask=[[1, 0], [0, 0], [0, 0]])
    found = fiesta.belief(masked)
    assert [arm.evaluations for arm in found.arms] == [2, 3]
    assert found.arms[0].mean == pytest.approx(0.25)


def test_arrays_are_not_changed_nor_kept():
    array = np.array([0.1, 0.2, 0.3])
    array.flags.writeable = False
    other = np.array([0.2, 0.3, 0.5])
    fiesta.belief({"a": array, "b": other})
    other[0] = 0.4
    assert other.tolist() == [0.4, 0.3, 0.5] and array.tolist() == [0.1, 0.2, 0.3]


def test_a_million_arms_are_read():
    scores = {f"arm{k}": [0.5, 0.6] for k in range(10**6)}
    with pytest.raises(ValueError, match="a million is wrong"):
        fiesta.belief({**scores, "a million is wrong": [math.nan]})


def test_means_with_their_spread(tmp_path):
    table = tmp_path / "paper.csv"
    table.write_text("model,accuracy\na,81.2 ± 1.1\nb,79.4 ± 1.3\n")
    found = fiesta.belief(table, spread="sd", n=5)
    assert found.arms[0].probability_best == pytest.approx(0.95893, abs=1e-5)
    assert found.means.arms == "independent" and found.arms[0].evaluations == 5
    with pytest.raises(ValueError, match="say which with spread="):
        fiesta.belief(table, n=5)
    for refused in (fiesta.compare, fiesta.curve):
        with pytest.raises(ValueError, match="each row is the mean of an arm"):
            refused(table)
    with pytest.raises(ValueError, match="this is none"):
        fiesta.belief({"a": [1.0, 2.0], "b": [1.0, 3.0]}, spread="sd")
