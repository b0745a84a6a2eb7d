"""Beliefs about the weighted mean of several benchmarks: from dicts, frames, rows and files."""

import pandas as pd
import pytest

import fiesta_select as fiesta

#: On maths the large arm is better, on safety the small one.
ON = {
    "maths": {"large": [1, 1, 0, 1] * 9, "small": [0, 1, 0, 0] * 9},
    "safety": {"large": [0, 1, 1] * 9, "small": [1, 1, 1] * 9},
}
#: The same as a row for each answer.
ROWS = [
    {"dataset": name, "arm": arm, "item": f"{name}{number}", "score": score}
    for name, of in ON.items()
    for arm, scores in of.items()
    for number, score in enumerate(scores)
]


def forms(folder):
    """The rows in every form that is read."""
    frame = pd.DataFrame(ROWS)
    path = folder / "answers.csv"
    frame.to_csv(path, index=False)
    return [ROWS, frame, {name: list(frame[name]) for name in frame}, str(path), [path]]


def test_all_forms_give_one_answer(tmp_path):
    texts = set()
    for form in forms(tmp_path):
        found = fiesta.belief(form, benchmark="dataset", weights={"maths": 2, "safety": 1})
        of = found.benchmarks
        assert of.best == ["large"] and of.decides == "maths"
        assert of.lead == pytest.approx((2 * 0.5 - 1 / 3) / 3)
        texts.add(tuple(arm.probability_best for arm in found.arms))
    assert len(texts) == 1


def test_a_dict_of_benchmarks_needs_no_column():
    found = fiesta.belief(ON)
    assert found.benchmarks.lead == pytest.approx((0.5 - 1 / 3) / 2)
    assert "2 benchmarks count the same: weights={NAME: WEIGHT, …}" in "\n".join(found.notes)
    by_items = fiesta.belief(ROWS, benchmark="dataset", weights="items")
    assert by_items.benchmarks.lead == pytest.approx((36 * 0.5 - 27 / 3) / 63)
    assert [arm.name for arm in fiesta.belief(ON, arms=["small", "large"]).arms] != []
    three = {name: {**of, "third": [0] * len(of["large"])} for name, of in ON.items()}
    assert len(fiesta.belief(three).arms) == 3
    assert len(fiesta.belief(three, arms=["small", "large"]).arms) == 2


def test_benchmarks_of_other_units_need_a_scale():
    on = {**ON, "talk": {"large": [7.0, 8.0, 6.5] * 4, "small": [6.0, 7.5, 6.0] * 4}}
    with pytest.raises(ValueError, match=r'scale=\{"talk": \(WORST, BEST\)\}'):
        fiesta.belief(on)
    found = fiesta.belief(on, scale={"talk": (1, 10), "maths": (0, 1), "safety": (0, 1)})
    assert found.benchmarks.best == ["large"]


def test_what_does_not_fit_is_told():
    with pytest.raises(TypeError, match="weights= and scale= are about several benchmarks"):
        fiesta.belief(ON["maths"], weights="items")
    with pytest.raises(TypeError, match="benchmark= names a column, and these scores stand below"):
        fiesta.belief(ON, benchmark="dataset")
    with pytest.raises(TypeError, match="benchmark= names a column, and ndarray has none"):
        fiesta.belief(pd.DataFrame(ON["safety"]).to_numpy(), benchmark="dataset")
    with pytest.raises(ValueError, match="row:1: there is no benchmark in `task`"):
        fiesta.belief(ROWS, benchmark="task")
    with pytest.raises(ValueError, match="in the benchmark `maths`: "):
        fiesta.belief([*ROWS, {**ROWS[0], "item": "x", "score": "much"}], benchmark="dataset")
    with pytest.raises(ValueError, match="pool_size= is about one benchmark"):
        fiesta.belief(ON, pool_size=1000)
    with pytest.raises(ValueError, match="`third`"):
        fiesta.belief(ON, arms=["large", "third"])
    with pytest.raises(TypeError, match="scale= of `maths` is to be two numbers"):
        fiesta.belief(ON, scale={"maths": 1})
    with pytest.raises(TypeError, match="spread= and n= are about means"):
        fiesta.belief(ON, n=3)
