"""Names of columns, tables of pandas and others, and what failed: as the program reads them."""

import json
import math
import warnings

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fiesta_select as fiesta

#: Trials as people write them down: two models on four folds, two seeds each.
TABLE = pd.DataFrame(
    {
        "model": ["lstm", "gru"] * 8,
        "fold": [fold for fold in range(4) for _ in range(4)],
        "rng": [7, 7, 8, 8] * 4,
        "acc": [
            *(0.71, 0.68, 0.72, 0.69, 0.66, 0.64, 0.67, 0.66),
            *(0.75, 0.73, 0.74, 0.71, 0.70, 0.69, 0.69, 0.68),
        ],
    }
)
NAMES = {"arm": "model", "split": "fold", "score": "acc"}
#: The same with the names that are known.
KNOWN = TABLE.rename(columns={"model": "arm", "fold": "split", "rng": "seed", "acc": "score"})
#: An evaluation without a score.
GAP = TABLE.assign(acc=[*TABLE["acc"][:-1], None])
#: Of two arms, whose names say how large the values are.
LOSSES = {"low": [0.21, 0.24, 0.22, 0.2], "high": [0.51, 0.55, 0.5, 0.53]}
ANALYSES = ["belief", "compare", "curve", "plan", "simulate"]
SMALL = {"plan": {"runs": 5}, "simulate": {"runs": 20}}


def without_names(found):
    """What is found, whatever the score is called."""
    known = {**found.to_dict(), "metric": None}
    return {name: value for name, value in known.items() if name not in ("remark", "notes")}


@pytest.mark.parametrize("analysis", ANALYSES)
@pytest.mark.parametrize("metric", ["score", "metric"])
def test_columns_are_named(analysis, metric):
    analyse, small = getattr(fiesta, analysis), SMALL.get(analysis, {})
    expected = analyse(KNOWN, **small)
    names = {"arm": "model", "split": "fold", "seed": "rng", metric: "acc"}
    assert without_names(analyse(TABLE, **names, **small)) == without_names(expected)
    # Without `split` scores are of different splits, which makes another result.
    others = {name: column for name, column in names.items() if name not in ("split", "seed")}
    if analysis == "simulate":
        with pytest.raises(ValueError, match="shared splits needs a `split`"):
            analyse(TABLE, **others, **small)
    elif analysis != "curve":
        unpaired = analyse(TABLE, **others, **small)
        assert without_names(unpaired) != without_names(expected)


def test_the_column_of_items_is_named():
    answers = [(1, 0), (1, 1), (0, 0), (1, 0), (1, 1)]
    rows = [
        {"who": "ab"[place], "question": f"q{number}", "right": answer}
        for number, pair in enumerate(answers)
        for place, answer in enumerate(pair)
    ]
    columns = {"arm": "who", "item": "question", "score": "right"}
    found = fiesta.compare(rows, "a", "b", **columns, direction="maximize")
    assert (found.pairing, found.only_a) == ("item", ["q0", "q3"])


def test_a_seed_is_a_column_or_drawn_from():
    names = {**NAMES, "seed": "rng"}
    assert fiesta.belief(TABLE, **names).pairing == "column"
    # The seed of what is drawn is then the default one.
    zero = fiesta.belief(KNOWN, seed=0)
    assert fiesta.belief(TABLE, **names).arms == zero.arms == fiesta.belief(KNOWN).arms
    assert fiesta.belief(KNOWN, seed=5).arms != zero.arms
    with pytest.raises(ValueError, match="no row has a value of `nonce` .*seed="):
        fiesta.belief(TABLE, **{**names, "seed": "nonce"})


def test_compare_draws_as_often_as_asked():
    found = {
        (draws, seed): fiesta.compare(KNOWN, draws=draws, seed=seed).probability_better
        for draws in (None, 160, 8_000)
        for seed in (None, 0, 1)
    }
    assert found[None, None] == found[None, 0] != found[None, 1]
    # Two streams are closer the more is drawn; what is printed has an error of at most .0003.
    few, many = (abs(found[draws, 0] - found[draws, 1]) for draws in (160, 8_000))
    assert 0 < many < few
    assert found[None, 1] == pytest.approx(found[None, 0], abs=0.0015)
    assert found[160, 0] == pytest.approx(found[None, 0], abs=0.05)


def test_folds_are_told_of():
    said = "folds of a cross-validation (`fold`)"
    assert sum(said in note for note in fiesta.belief(TABLE, **NAMES).notes) == 1
    assert sum(said in note for note in fiesta.compare(TABLE, **NAMES).notes) == 1
    assert said in str(fiesta.curve(TABLE, **NAMES))
    assert not any("folds" in note for note in fiesta.belief(KNOWN).notes)


def forms(table):
    """The same table in the forms of pandas, polars, PyArrow and Python."""
    yield table
    yield pl.from_pandas(table)
    yield pa.Table.from_pandas(table)
    yield table.set_index(["model", "fold"])
    yield table.set_index("model")
    yield table.to_dict("list")
    yield table.to_dict("series")
    yield table.to_dict("records")


def test_tables_of_many_forms():
    expected = fiesta.belief(TABLE, **NAMES)
    assert expected.pairing == "column"
    for form in forms(TABLE):
        assert fiesta.belief(form, **NAMES) == expected


def test_columns_of_known_names_need_none():
    expected = fiesta.belief(KNOWN)
    assert fiesta.belief(KNOWN.set_index(["arm", "split", "seed"])) == expected
    assert fiesta.belief(KNOWN.to_dict("list")) == expected
    # A dict of numbers alone has the scores of arms, whatever these are called.
    of_arms = fiesta.belief({"arm": [1, 2], "leg": [5, 6]})
    assert {arm.name for arm in of_arms.arms} == {"arm", "leg"}


def test_pivoted_tables():
    wide = TABLE.pivot_table(index="fold", columns="model", values="acc")
    expected = fiesta.belief(wide, paired_rows=True, direction="maximize")
    for form in [wide, wide.reset_index(), wide.reset_index().to_dict("list")]:
        found = fiesta.belief(form, split="fold", direction="maximize")
        assert (found.pairing, found.arms) == ("column", expected.arms)
    found = fiesta.belief(wide.reset_index(), direction="maximize")
    assert (found.pairing, found.arms) == ("column", expected.arms)
    with pytest.raises(ValueError, match=r"nothing names the score.*direction=\"maximize\""):
        fiesta.belief(wide.reset_index())
    with pytest.raises(ValueError, match=r"`accuracy` is by its name a metric"):
        fiesta.belief(pd.DataFrame({"accuracy": [0.7, 0.8], "loss": [0.9, 0.5]}))


@pytest.mark.parametrize("orient", ["split", "columns", "index", "table", "records"])
def test_files_of_pandas(orient, tmp_path):
    path = tmp_path / "table.json"
    TABLE.to_json(path, orient=orient)
    expected = fiesta.belief(TABLE, **NAMES)
    assert fiesta.belief(path, **NAMES).arms == expected.arms
    TABLE.to_csv(tmp_path / "table.csv")
    assert fiesta.belief(tmp_path / "table.csv", **NAMES).arms == expected.arms


def test_names_are_proposed():
    doubtful = TABLE.rename(columns={"model": "name", "acc": "result"})
    said = r"`name` could be the arm.*try `arm=\"name\""
    for form in [doubtful, doubtful.to_dict("records"), pl.from_pandas(doubtful)]:
        with pytest.raises(ValueError, match=said):
            fiesta.belief(form)
    with pytest.raises(ValueError, match=r"`acc` cannot be both metric= and arm="):
        fiesta.belief(TABLE, arm="acc", score="acc")


@pytest.mark.parametrize("analysis", ANALYSES)
def test_what_failed_counts_as_asked(analysis):
    analyse = getattr(fiesta, analysis)
    keywords = {**NAMES, "bounds": (0, 1), **SMALL.get(analysis, {})}
    if analysis in ("belief", "compare"):
        keywords["posterior"] = "pooled"  # without draws, which take most of the time
    dropped = without_names(analyse(GAP.dropna(), **keywords))
    worst = without_names(analyse(GAP.fillna({"acc": 0}), **keywords))
    assert dropped != worst
    for form in forms(GAP):
        for failed, expected in [("drop", dropped), ("worst", worst)]:
            found = without_names(analyse(form, failed=failed, **keywords))
            if analysis == "curve":
                assert [of["mean"] for of in found["curves"]] == [
                    of["mean"] for of in expected["curves"]
                ]
                assert sum(of["failed"] for of in found["curves"]) == 1
            else:
                assert found == expected
        for failed in (None, "error"):
            with pytest.raises(ValueError, match="row:16: .*failed="):
                analyse(form, failed=failed, **keywords)
    with pytest.raises(ValueError, match="`no` is no way to count failed"):
        analyse(TABLE, failed="no", **keywords)


def test_what_failed_is_said():
    found = fiesta.belief(GAP, failed="worst", **NAMES)
    assert "1 evaluation failed or has no score" in found.notes[-1]
    assert "row:16" in found.notes[-1]
    assert found.arms[-1].name == "gru" and found.arms[-1].mean < 0.69


@pytest.mark.parametrize("missing", [math.nan, None, pd.NA])
def test_scores_of_arms_that_are_missing(missing):
    scores = {"a": [0.7, missing, 0.9, 0.8], "b": [0.6, 0.5, 0.7, 0.65]}
    whole = {**scores, "a": [0.7, 0.0, 0.9, 0.8]}
    worst = fiesta.belief(scores, failed="worst", bounds=(0, 1), paired_rows=True)
    expected = fiesta.belief(whole, bounds=(0, 1), paired_rows=True)
    for found, of_whole in zip(worst.arms, expected.arms, strict=True):
        assert found.evaluations == of_whole.evaluations == 4
        assert found.probability_best == of_whole.probability_best
        assert found.mean == pytest.approx(of_whole.mean, rel=1e-12)
    assert "1 evaluation failed" in worst.notes[-1]
    # What is left out leaves a gap: the others stay on their splits.
    rows = [
        {"arm": arm, "split": split, "score": score}
        for arm, of_arm in scores.items()
        for split, score in enumerate(of_arm)
        if (arm, split) != ("a", 1)
    ]
    dropped = fiesta.belief(scores, failed="drop", paired_rows=True)
    assert dropped.arms == fiesta.belief(rows).arms
    assert [arm.evaluations for arm in dropped.arms] == [3, 4]
    with pytest.raises((ValueError, TypeError), match="scores:2: .*failed="):
        fiesta.belief(scores)


def test_settings_that_are_pooled_are_told_of():
    pooled = TABLE.assign(lr=[0.1 * (place % 4) for place in range(len(TABLE))])
    found = fiesta.belief(pooled, arm="model", metric="acc")
    assert any("`lr` differs between scores" in notice for notice in found.notes)


def test_gaps_of_wide_frames_are_not_failures(tmp_path):
    wide = pd.DataFrame({"a": [0.7, None, 0.9, 0.8], "b": [0.6, 0.5, 0.7, 0.65]})
    path = tmp_path / "accuracy.csv"
    wide.to_csv(path, index=False)
    for failed in (None, "drop", "worst", "error"):
        found = fiesta.belief(wide, failed=failed)
        assert [arm.evaluations for arm in found.arms] == [3, 4]
        assert found.arms == fiesta.belief(path, failed=failed, arms=["a", "b"]).arms


def test_numbers_of_seeds_and_splits_with_gaps_are_whole():
    gaps = TABLE.assign(fold=[float(fold) for fold in TABLE["fold"]])
    assert json.dumps(fiesta.belief(gaps, **NAMES).to_dict()) == json.dumps(
        fiesta.belief(TABLE, **NAMES).to_dict()
    )


def best(found):
    """The name of the arm with the greatest P(best)."""
    return max(found.arms, key=lambda arm: arm.probability_best).name


def test_a_loss_is_minimised_with_a_warning() -> None:
    rows = [{"arm": arm, "val_loss": loss} for arm, losses in LOSSES.items() for loss in losses]
    for scores in (rows, pd.DataFrame(rows)):
        with pytest.warns(UserWarning, match="smaller `val_loss` is taken to be better"):
            found = fiesta.belief(scores, metric="val_loss")
        assert best(found) == "low"
        for analysis in (fiesta.compare, fiesta.curve):
            with pytest.warns(UserWarning, match="smaller `val_loss`"):
                analysis(scores, metric="val_loss")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert best(fiesta.belief(scores, metric="val_loss", direction="minimize")) == "low"
            assert best(fiesta.belief(scores, metric="val_loss", direction="maximize")) == "high"
            assert best(fiesta.belief(LOSSES)) == "high"


def test_a_name_that_says_no_direction_is_asked_about() -> None:
    rows = [{"arm": arm, "makespan": value} for arm, values in LOSSES.items() for value in values]
    with pytest.raises(ValueError, match="`makespan`, does not say which scores are better"):
        fiesta.belief(rows, metric="makespan")
    assert best(fiesta.belief(rows, metric="makespan", direction="minimize")) == "low"


def probabilities(found):
    return {arm.name: round(arm.probability_best, 9) for arm in found.arms}


def test_frames_are_read_as_files_are(tmp_path):
    """Names that leave no doubt, truths and percents, in a frame, rows, a dict and a file."""
    percents = TABLE.assign(acc=[f"{100 * score:.0f} %" for score in TABLE["acc"]])
    path = tmp_path / "percents.csv"
    percents.to_csv(path, index=False)
    of_file = probabilities(fiesta.belief(path))
    assert probabilities(fiesta.belief(percents)) == of_file
    assert probabilities(fiesta.belief(pl.from_pandas(percents))) == of_file
    assert probabilities(fiesta.belief(percents.to_dict("records"))) == of_file
    found = fiesta.belief(percents.astype({"model": "category"}))
    assert probabilities(found) == of_file
    assert any("read with arm= model" in note for note in found.notes), found.notes


def test_truths_are_scores():
    items = [
        {"arm": arm, "item": item, "score": item % of > 0}
        for item in range(30)
        for arm, of in [("a", 5), ("b", 2)]
    ]
    truths = pd.DataFrame(items)
    numbers = truths.assign(score=truths["score"].astype(float))
    expected = probabilities(fiesta.belief(numbers))
    words = truths.assign(score=truths["score"].map({True: "pass", False: "fail"}))
    for table in [
        truths,
        truths.astype({"score": "boolean"}),
        words,
        words.astype("category"),
        pl.from_pandas(truths),
    ]:
        assert probabilities(fiesta.belief(table)) == expected


def test_means_in_a_frame():
    means = pd.DataFrame(
        {"model": ["a", "b"], "accuracy": ["0.71 ± 0.01", "0.65 ± 0.02"], "n": [5, 5]}
    )
    found = fiesta.belief(means, spread="sd")
    assert max(probabilities(found).items(), key=lambda of: of[1])[0] == "a"
    with pytest.raises(ValueError, match="spread="):
        fiesta.belief(means)


def test_cross_validations():
    svc = {
        "fit_time": [0.1] * 4,
        "test_accuracy": [0.71, 0.72, 0.70, 0.73],
        "test_neg_log_loss": [-0.5, -0.4, -0.5, -0.45],
    }
    forest = {
        "fit_time": [0.1] * 4,
        "test_accuracy": [0.61, 0.66, 0.60, 0.63],
        "test_neg_log_loss": [-0.3, -0.2, -0.3, -0.25],
    }
    both = {"svc": svc, "forest": forest}
    assert probabilities(fiesta.belief(both, metric="accuracy"))["svc"] > 0.95
    assert probabilities(fiesta.belief(both, metric="neg_log_loss"))["forest"] > 0.95
    with pytest.raises(ValueError, match="accuracy, neg_log_loss"):
        fiesta.belief(both)


def test_an_outlook_of_splits():
    scores = {
        "small": [0.70, 0.72, 0.69, 0.71, 0.73, 0.70],
        "large": [0.72, 0.73, 0.72, 0.71, 0.76, 0.72],
    }
    found = fiesta.belief(scores, paired_rows=True, outlook=True, confidence=0.9)
    assert found.outlook.draws == 100
    assert found.outlook.confidence == 0.9
    assert "would settle it at 90 %" in str(
        found
    ) or "no more evaluations are needed at 90 %" in str(found)
    with pytest.raises(ValueError, match="outlook="):
        fiesta.belief(TABLE, outlook=True, posterior="pooled")


def test_a_directory_of_tables(tmp_path):
    for arm, scores in LOSSES.items():
        rows = [f"{split},{score}" for split, score in enumerate(scores)]
        (tmp_path / f"{arm}.csv").write_text("split,score\n" + "\n".join(rows) + "\n")
    assert probabilities(fiesta.belief(tmp_path))["high"] > 0.95


def test_arms_that_only_failed_are_left_out_where_failures_are():
    rows = [{"arm": arm, "score": score} for arm, scores in LOSSES.items() for score in scores]
    found = fiesta.belief([*rows, {"arm": "none", "score": None}], failed="drop")
    assert probabilities(found) == probabilities(fiesta.belief(rows))
    assert any("`none`" in note for note in found.notes), found.notes
