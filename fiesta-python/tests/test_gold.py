"""Predictions beside the right answers: from frames, rows and files, as scores and as counts."""

import gzip

import pandas as pd
import pytest

import fiesta_select as fiesta

#: 40 items, of which one system gets all right and another every second one.
TABLE = {
    "id": [f"q{number}" for number in range(40)],
    "label": ["yes", "no"] * 20,
    "large": ["yes", "no"] * 20,
    "small": ["yes", "yes"] * 20,
}


def forms(folder):
    """The table in every form that is read."""
    frame = pd.DataFrame(TABLE)
    path, packed = folder / "answers.csv", folder / "packed.csv.gz"
    frame.to_csv(path, index=False)
    packed.write_bytes(gzip.compress(path.read_bytes()))
    return [TABLE, frame, frame.to_dict("records"), str(path), packed]


def test_a_prediction_is_right_if_it_is_the_label(tmp_path):
    for form in forms(tmp_path):
        found = fiesta.belief(form, gold="label")
        assert {arm.name: arm.mean for arm in found.arms} == pytest.approx(
            {"large": 1.0, "small": 0.5}
        )


def test_predictions_are_counted(tmp_path):
    for form in forms(tmp_path):
        found = fiesta.belief(form, gold="label", positive="yes")
        assert [arm.name for arm in found.arms] == ["large", "small"]
        assert found.arms[0].probability_best > 0.9
        assert found.arms[1].counts == {"tp": 20, "fp": 20, "tn": 0, "fn": 0}


def test_what_does_not_fit_is_told():
    with pytest.raises(ValueError, match=r"no column `truth` \(gold=\)"):
        fiesta.belief(TABLE, gold="truth")
    with pytest.raises(ValueError, match=r"is `maybe` \(positive=\), only `no`, `yes`"):
        fiesta.belief(TABLE, gold="label", positive="maybe")
    with pytest.raises(TypeError, match="name their column with gold="):
        fiesta.belief(TABLE, positive="yes")
    with pytest.raises(TypeError, match="with positive= only gold="):
        fiesta.belief(TABLE, gold="label", positive="yes", bounds=(0, 1))
    gaps = {**TABLE, "large": [None, *TABLE["large"][1:]]}
    with pytest.raises(ValueError, match="the prediction of `large` is missing"):
        fiesta.belief(gaps, gold="label")
    dropped = fiesta.belief(gaps, gold="label", failed="drop")
    assert {arm.name: arm.mean for arm in dropped.arms} == pytest.approx(
        {"large": 1.0, "small": 0.5}
    )
