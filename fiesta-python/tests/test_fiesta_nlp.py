"""What PyPI's fiesta-nlp 0.0.1 promises, tested of `fiesta_select.compat.fiesta_nlp`.

Nothing here is of one of the two: the variable FIESTA_NLP names the module that is tested, so that
`FIESTA_NLP=fiesta pytest test_fiesta_nlp.py` runs the same tests on the original (minutes).
"""

from __future__ import annotations

import importlib
import inspect
import math
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

np = pytest.importorskip("numpy")

NAME = os.environ.get("FIESTA_NLP", "fiesta_select.compat.fiesta_nlp")
fiesta = importlib.import_module(NAME)
util = importlib.import_module(f"{NAME}.util")
algorithms = importlib.import_module(f"{NAME}.fiesta")

Model = Callable[[list[dict[str, Any]], list[dict[str, Any]]], float]
DATA = [{"text": f"sentence {number}", "label": number % 2} for number in range(50)]
FIXED_CONFIDENCE = ["TTTS", "non_adaptive_fc"]
FIXED_BUDGET = ["sequential_halving", "non_adaptive_fb"]
# Enough for the original's answers to be good to a hundredth, and its steps to take milliseconds.
SAMPLES = 20_000


@pytest.fixture(autouse=True)
def seeded() -> Iterator[None]:
    """The global generator of NumPy, which models and algorithms draw from."""
    np.random.seed(20261123)
    yield


class Split:
    """A split function that counts its calls and hands out a split of its own each time."""

    def __init__(self) -> None:
        self.made: list[tuple[list[dict[str, Any]], list[dict[str, Any]]]] = []

    def __call__(self, data: list[dict[str, Any]]) -> tuple[list[Any], list[Any]]:
        assert data is DATA, "the data reach the split function as they are"
        order = np.random.permutation(len(data))
        cut = len(data) * 4 // 5
        self.made.append(([data[i] for i in order[:cut]], [data[i] for i in order[cut:]]))
        return self.made[-1]


class Normal:
    """A model whose scores are normal, and which remembers the splits that it was given."""

    def __init__(self, mean: float, sd: float) -> None:
        self.mean, self.sd = mean, sd
        self.seen: list[tuple[Any, Any]] = []
        self.scores: list[float] = []

    def __call__(self, train: list[dict[str, Any]], test: list[dict[str, Any]]) -> float:
        self.seen.append((train, test))
        self.scores.append(float(np.random.normal(self.mean, self.sd)))
        return self.scores[-1]


def normal(means: list[float], sd: float = 0.02) -> list[Normal]:
    return [Normal(mean, sd) for mean in means]


def listed(*scores: float) -> Model:
    """A model that returns these scores in this order, and from the first again."""
    turn = iter(range(10**9))
    return lambda train, test: scores[next(turn) % len(scores)]


def counts(evaluations: list[list[float]]) -> list[int]:
    return [len(scores) for scores in evaluations]


# Where things are, and how they are called.


def test_names_are_where_the_original_has_them() -> None:
    for name in [*FIXED_CONFIDENCE, *FIXED_BUDGET]:
        assert callable(getattr(fiesta, name))
        assert callable(getattr(algorithms, name))
    assert fiesta.util is util
    for name in ["belief_calc", "pull_arm", "lists_same_size", "fc_func_stats", "fb_func_stats"]:
        assert callable(getattr(util, name))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("TTTS", ["data", "model_functions", "split_function", "p_value", "logit_transform=False", "samples=100000"]),
        ("non_adaptive_fc", ["data", "model_functions", "split_function", "p_value", "logit_transform=False", "samples=100000"]),
        ("sequential_halving", ["data", "model_functions", "split_function", "budget", "logit_transform=False"]),
        ("non_adaptive_fb", ["data", "model_functions", "split_function", "budget", "logit_transform=False"]),
        ("util.pull_arm", ["mean", "sd"]),
        ("util.belief_calc", ["est_means", "est_variances", "eval_counts", "samples=100000"]),
        ("util.lists_same_size", ["*lists"]),
        ("util.fc_func_stats", ["N", "correct_model_index", "fc_func_name", "**fc_kwargs"]),
        ("util.fb_func_stats", ["N", "correct_model_index", "fb_func_name", "**fb_kwargs"]),
    ],
)  # fmt: skip
def test_parameters_have_their_names_order_and_defaults(name: str, parameters: list[str]) -> None:
    function = fiesta
    for part in name.split("."):
        function = getattr(function, part)
    found = []
    for parameter in inspect.signature(function).parameters.values():
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else f"={parameter.default}"
        found.append(f"{stars}{parameter.name}{default}")
    assert found == parameters


# Beliefs.


def student(degrees: float, x: float) -> float:
    """The distribution function of Student's t with 1 or 2 degrees of freedom."""
    if degrees == 1:
        return 0.5 + math.atan(x) / math.pi
    assert degrees == 2
    return 0.5 + x / (2 * math.sqrt(2 + x * x))


def test_belief_of_two_arms_is_the_posterior_of_the_paper() -> None:
    # The second arm is as good as known, so that P(first is best) is one value of Student's t with
    # n - 2 degrees of freedom, at (difference) / sqrt(variance / (n - 2)).
    for count, degrees in [(3, 1), (4, 2)]:
        for difference in [0.4, 0.0, -1.3]:
            pi = util.belief_calc(
                np.array([0.5 + difference, 0.5]),
                np.array([0.3, 1e-14]),
                np.array([count, 400]),
                SAMPLES * 10,
            )
            scale = math.sqrt(0.3 / (count - 2))
            assert pi[0] == pytest.approx(student(degrees, difference / scale), abs=0.006)


def test_belief_is_a_list_of_probabilities() -> None:
    pi = util.belief_calc(
        np.array([10.0, 3.0, 8.0]), np.array([1.7, 0.1, 1.2]), np.array([10, 6, 12]), SAMPLES
    )
    assert isinstance(pi, list) and len(pi) == 3
    assert all(isinstance(p, float) and 0 <= p <= 1 for p in pi)
    assert sum(pi) == pytest.approx(1)
    assert pi[0] > pi[2] > pi[1]


def test_belief_has_a_default_number_of_samples() -> None:
    pi = util.belief_calc(np.array([0.3, 0.2]), np.array([0.01, 0.01]), np.array([5, 5]))
    assert pi[0] > pi[1] and sum(pi) == pytest.approx(1)


def test_belief_of_one_arm_is_certain() -> None:
    assert util.belief_calc(np.array([0.7]), np.array([0.1]), np.array([4]), SAMPLES) == [1]


def test_belief_of_equal_arms_is_even() -> None:
    pi = util.belief_calc(np.full(4, 0.6), np.full(4, 0.02), np.full(4, 7), SAMPLES * 5)
    assert pi == pytest.approx([0.25] * 4, abs=0.01)


def test_belief_follows_counts_as_well_as_means() -> None:
    means, variances = np.array([0.62, 0.60]), np.array([0.001, 0.001])
    few = util.belief_calc(means, variances, np.array([4, 4]), SAMPLES)
    many = util.belief_calc(means, variances, np.array([60, 60]), SAMPLES)
    assert 0.5 < few[0] < many[0]


def test_belief_takes_counts_as_numbers_of_any_kind() -> None:
    means, variances = np.array([0.5, 0.4]), np.array([0.02, 0.03])
    whole = util.belief_calc(means, variances, np.array([5, 9]), SAMPLES * 5)
    real = util.belief_calc(means, variances, np.array([5.0, 9.0]), SAMPLES * 5)
    assert whole == pytest.approx(real, abs=0.01)


def test_belief_of_arms_that_are_known_exactly() -> None:
    known = util.belief_calc(np.array([0.4, 0.9, 0.6]), np.zeros(3), np.full(3, 3), SAMPLES)
    assert known == [0, 1, 0]
    tied = util.belief_calc(np.array([0.4, 0.9, 0.9]), np.zeros(3), np.full(3, 3), SAMPLES)
    assert tied == [0, 1, 0], "the first of equals"


def test_belief_of_an_arm_that_is_known_beside_one_that_is_not() -> None:
    pi = util.belief_calc(
        np.array([0.5, 0.7, 0.6]), np.array([0.0, 0.08, 0.0]), np.array([3, 4, 3]), SAMPLES * 10
    )
    assert pi[0] == 0, "an arm without spread that is below another is never best"
    assert pi[1] == pytest.approx(student(2, 0.1 / math.sqrt(0.08 / 2)), abs=0.006)
    assert sum(pi) == pytest.approx(1)


def test_belief_leaves_its_arguments_alone() -> None:
    arrays = np.array([0.5, 0.6]), np.array([0.01, 0.0]), np.array([3.0, 8.0])
    before = [array.copy() for array in arrays]
    util.belief_calc(*arrays, SAMPLES)
    assert all((array == old).all() for array, old in zip(arrays, before, strict=True))


@pytest.mark.parametrize("eval_counts", [[3, 3, 2], [2, 2, 2], [1, 5, 9], [0, 3, 3]])
def test_belief_needs_three_scores_of_every_arm(eval_counts: list[int]) -> None:
    with pytest.raises(ValueError):
        util.belief_calc(np.full(3, 0.5), np.full(3, 0.1), np.array(eval_counts), SAMPLES)


# Fixed confidence.


@pytest.mark.parametrize("name", FIXED_CONFIDENCE)
def test_fixed_confidence_finds_the_best(name: str) -> None:
    models = normal([0.60, 0.72, 0.63, 0.55])
    pi, props, total, evaluations = getattr(fiesta, name)(
        DATA, models, Split(), 0.05, samples=SAMPLES
    )
    assert isinstance(pi, list) and isinstance(props, list) and isinstance(evaluations, list)
    assert len(pi) == len(props) == len(evaluations) == 4
    assert isinstance(total, int)
    assert np.argmax(pi) == 1 and max(pi) >= 0.95 and sum(pi) == pytest.approx(1)
    assert counts(evaluations) == [len(model.scores) for model in models]
    assert [list(scores) for scores in evaluations] == [model.scores for model in models]
    assert total == sum(counts(evaluations)) >= 12
    assert sum(props) == pytest.approx(1)
    assert [p * total for p in props] == pytest.approx(counts(evaluations))


@pytest.mark.parametrize("name", FIXED_CONFIDENCE)
def test_fixed_confidence_calls_the_split_function_before_each_evaluation(name: str) -> None:
    models, split = normal([0.60, 0.64, 0.61]), Split()
    _, _, total, _ = getattr(fiesta, name)(DATA, models, split, 0.1, samples=SAMPLES)
    assert len(split.made) == total
    given = [pair for model in models for pair in model.seen]
    used = {(id(train), id(test)) for train, test in given}
    assert used == {(id(train), id(test)) for train, test in split.made}
    assert all(len(train) == 40 and len(test) == 10 for train, test in given)


@pytest.mark.parametrize("name", FIXED_CONFIDENCE)
def test_fixed_confidence_begins_with_three_evaluations_of_each_in_turn(name: str) -> None:
    order: list[int] = []

    def model(index: int, mean: float) -> Model:
        def evaluate(train: Any, test: Any) -> float:
            order.append(index)
            return float(np.random.normal(mean, 0.05))

        return evaluate

    models = [model(index, mean) for index, mean in enumerate([0.5, 0.6, 0.55])]
    getattr(fiesta, name)(DATA, models, Split(), 0.2, samples=SAMPLES)
    assert order[:9] == [0, 0, 0, 1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("name", FIXED_CONFIDENCE)
def test_fixed_confidence_stops_at_three_evaluations_if_anything_will_do(name: str) -> None:
    pi, props, total, evaluations = getattr(fiesta, name)(
        DATA, normal([0.5, 0.5, 0.5], 0.1), Split(), 1.0, samples=SAMPLES
    )
    assert total == 9 and counts(evaluations) == [3, 3, 3]
    assert props == pytest.approx([1 / 3] * 3) and sum(pi) == pytest.approx(1)


@pytest.mark.parametrize("name", FIXED_CONFIDENCE)
def test_a_smaller_p_value_takes_more_evaluations(name: str) -> None:
    def mean(p_value: float) -> float:
        totals = [
            getattr(fiesta, name)(DATA, normal([0.60, 0.62]), Split(), p_value, samples=SAMPLES)[2]
            for _ in range(8)
        ]
        return sum(totals) / len(totals)

    assert mean(0.02) > mean(0.4)


@pytest.mark.parametrize("name", FIXED_CONFIDENCE)
def test_closer_models_take_more_evaluations(name: str) -> None:
    def mean(difference: float) -> float:
        totals = [
            getattr(fiesta, name)(
                DATA, normal([0.6, 0.6 + difference]), Split(), 0.1, samples=SAMPLES
            )[2]
            for _ in range(8)
        ]
        return sum(totals) / len(totals)

    assert mean(0.01) > mean(0.2)


@pytest.mark.parametrize("name", FIXED_CONFIDENCE)
def test_the_belief_at_the_end_is_that_of_the_scores(name: str) -> None:
    pi, _, _, evaluations = getattr(fiesta, name)(
        DATA, normal([0.60, 0.63, 0.58]), Split(), 0.1, samples=SAMPLES
    )
    again = util.belief_calc(
        np.array([np.mean(scores) for scores in evaluations]),
        np.array([np.var(scores) for scores in evaluations]),
        np.array([len(scores) for scores in evaluations]),
        SAMPLES * 3,
    )
    assert list(pi) == pytest.approx(list(again), abs=0.01)


@pytest.mark.parametrize("name", FIXED_CONFIDENCE)
@pytest.mark.parametrize("p_value", [-0.1, 1.1, 5.0, -100.0])
def test_fixed_confidence_refuses_p_values_that_are_none(name: str, p_value: float) -> None:
    models, split = normal([0.5, 0.6]), Split()
    with pytest.raises(ValueError, match="p value"):
        getattr(fiesta, name)(DATA, models, split, p_value)
    assert not split.made and not models[0].scores, "before anything is evaluated"


def test_non_adaptive_evaluates_all_equally() -> None:
    models = normal([0.60, 0.63, 0.61])
    _, props, total, evaluations = fiesta.non_adaptive_fc(
        DATA, models, Split(), 0.1, samples=SAMPLES
    )
    assert len(set(counts(evaluations))) == 1
    assert props == pytest.approx([1 / 3] * 3) and total % 3 == 0


def test_non_adaptive_evaluates_in_rounds() -> None:
    order: list[int] = []

    def model(index: int) -> Model:
        def evaluate(train: Any, test: Any) -> float:
            order.append(index)
            return float(np.random.normal(0.5 + 0.02 * index, 0.05))

        return evaluate

    fiesta.non_adaptive_fc(DATA, [model(0), model(1), model(2)], Split(), 0.05, samples=SAMPLES)
    assert len(order) > 9
    assert order[9:] == [0, 1, 2] * ((len(order) - 9) // 3)


def test_ttts_evaluates_the_poor_least() -> None:
    shares = np.zeros(4)
    for _ in range(6):
        models = normal([0.50, 0.59, 0.61, 0.52])
        shares += fiesta.TTTS(DATA, models, Split(), 0.1, samples=SAMPLES)[1]
    assert max(shares[0], shares[3]) < min(shares[1], shares[2])


def test_ttts_takes_fewer_evaluations_than_all_equally() -> None:
    # Some 62 against 106, with standard deviations of 16 and 79: 40 studies of each are enough.
    def total(name: str) -> int:
        means = [0.50] * 8 + [0.60, 0.615]
        studies = (
            getattr(fiesta, name)(DATA, normal(means), Split(), 0.1, samples=2000)
            for _ in range(40)
        )
        return sum(study[2] for study in studies)

    assert total("TTTS") < total("non_adaptive_fc")


@pytest.mark.parametrize("name", FIXED_CONFIDENCE)
def test_the_same_seed_makes_the_same_study(name: str) -> None:
    def study() -> Any:
        np.random.seed(7)
        return getattr(fiesta, name)(DATA, normal([0.60, 0.63]), Split(), 0.1, samples=SAMPLES)

    assert study() == study()


@pytest.mark.parametrize("name", FIXED_CONFIDENCE)
def test_fixed_confidence_is_right_about_as_often_as_it_says(name: str) -> None:
    right = 0
    for _ in range(40):
        pi = getattr(fiesta, name)(DATA, normal([0.60, 0.66, 0.60]), Split(), 0.1, samples=SAMPLES)[
            0
        ]
        right += int(np.argmax(pi) == 1)
    assert right >= 32


# Fixed budget.


@pytest.mark.parametrize("name", FIXED_BUDGET)
def test_fixed_budget_finds_the_best(name: str) -> None:
    models, split = normal([0.17, 0.10, 0.15, 0.30, 0.25], 0.01), Split()
    found = getattr(fiesta, name)(DATA, models, split, 40)
    best, evaluations = found[0], found[-1]
    assert best == 3 and int(best) == best
    assert [list(scores) for scores in evaluations] == [model.scores for model in models]
    assert len(split.made) == sum(counts(evaluations)) <= 40


@pytest.mark.parametrize("name", FIXED_BUDGET)
def test_fixed_budget_gives_each_evaluation_a_split(name: str) -> None:
    models, split = normal([0.2, 0.3, 0.4]), Split()
    getattr(fiesta, name)(DATA, models, split, 30)
    used = [(id(train), id(test)) for model in models for train, test in model.seen]
    assert sorted(used) == sorted((id(train), id(test)) for train, test in split.made)
    assert len(set(used)) == len(used)


@pytest.mark.parametrize(
    ("models", "budget", "each"), [(5, 5, 1), (5, 9, 1), (5, 25, 5), (3, 11, 3), (1, 4, 4)]
)
def test_non_adaptive_fixed_budget_shares_it_equally(models: int, budget: int, each: int) -> None:
    means = [0.1 * (1 + index) for index in range(models)]
    best, evaluations = fiesta.non_adaptive_fb(DATA, normal(means, 0.001), Split(), budget)
    assert best == models - 1
    assert counts(evaluations) == [each] * models


def test_non_adaptive_fixed_budget_returns_the_first_of_equals() -> None:
    assert fiesta.non_adaptive_fb(DATA, [listed(0.2), listed(0.6), listed(0.6)], Split(), 6)[0] == 1


@pytest.mark.parametrize(
    ("means", "budget", "expected"),
    [
        # Three rounds of floor(24 / (number left * 3)): 8 are evaluated once, 4 twice, 2 four times.
        ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], 24, [1, 1, 1, 1, 3, 3, 7, 7]),
        # An odd number keeps the middle: 5, 3 and 2 models are evaluated 1, 2 and 4 times.
        ([0.5, 0.4, 0.3, 0.2, 0.1], 25, [7, 7, 3, 1, 1]),
        ([0.3, 0.9], 10, [5, 5]),
        ([0.3, 0.9, 0.6], 6, [1, 2, 2]),
        ([0.3, 0.9, 0.6], 17, [2, 6, 6]),
    ],
)
def test_sequential_halving_shares_its_budget(
    means: list[float], budget: int, expected: list[int]
) -> None:
    models = normal(means, 1e-4)
    best, props, evaluations = fiesta.sequential_halving(DATA, models, Split(), budget)
    assert best == int(np.argmax(means)) and isinstance(best, int)
    assert counts(evaluations) == expected
    assert sum(expected) <= budget
    assert isinstance(props, list) and sum(props) == pytest.approx(1)
    assert props == pytest.approx([count / sum(expected) for count in expected])


def test_sequential_halving_judges_by_all_scores_of_a_model() -> None:
    # Eight evaluations: each twice, then the two that are left four times. The second model loses
    # the last round, 0.6 to 0.5, and wins by the mean of all its scores.
    models = [
        listed(0.55, 0.55, 0.6, 0.6, 0.6, 0.6),
        listed(0.95, 0.95, 0.5, 0.5, 0.5, 0.5),
        listed(0.1),
        listed(0.2),
    ]
    best, _, evaluations = fiesta.sequential_halving(DATA, models, Split(), 16)
    assert counts(evaluations) == [6, 6, 2, 2] and best == 1


def test_sequential_halving_drops_the_first_of_equals() -> None:
    best, _, evaluations = fiesta.sequential_halving(DATA, [listed(0.5)] * 4, Split(), 8)
    assert best == 3 and counts(evaluations) == [1, 1, 3, 3]


@pytest.mark.parametrize(
    ("name", "models", "least"),
    [
        ("non_adaptive_fb", 2, 2),
        ("non_adaptive_fb", 7, 7),
        ("sequential_halving", 2, 2),
        ("sequential_halving", 4, 8),
        # The number of models times its binary logarithm, rounded up.
        ("sequential_halving", 5, 15),
        ("sequential_halving", 8, 24),
        ("sequential_halving", 9, 36),
    ],
)
def test_fixed_budget_refuses_too_small_a_budget(name: str, models: int, least: int) -> None:
    split = Split()
    with pytest.raises(ValueError, match=str(least)):
        getattr(fiesta, name)(DATA, normal([0.5] * models), split, least - 1)
    assert not split.made, "before anything is evaluated"
    getattr(fiesta, name)(DATA, normal([0.5] * models), split, least)
    assert len(split.made) <= least


# The logit.


@pytest.mark.parametrize("name", [*FIXED_CONFIDENCE, *FIXED_BUDGET])
def test_scores_are_transformed_by_the_logit(name: str) -> None:
    models = normal([0.60, 0.75])
    last = 0.1 if name in FIXED_CONFIDENCE else 10
    found = getattr(fiesta, name)(DATA, models, Split(), last, logit_transform=True)
    for model, scores in zip(models, found[-1], strict=True):
        expected = [math.log(score / (1 - score)) for score in model.scores]
        assert list(scores) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", FIXED_BUDGET)
def test_the_logit_decides_what_is_best(name: str) -> None:
    # Of .5 and .999, the mean is .7495; its logit is beaten by that of .5 and .999 on average.
    models = [listed(0.5, 0.999), listed(0.8, 0.8)]
    assert getattr(fiesta, name)(DATA, models, Split(), 8)[0] == 1
    models = [listed(0.5, 0.999), listed(0.8, 0.8)]
    assert getattr(fiesta, name)(DATA, models, Split(), 8, logit_transform=True)[0] == 0


@pytest.mark.parametrize("name", FIXED_CONFIDENCE)
def test_without_it_scores_may_be_anything(name: str) -> None:
    pi, _, _, evaluations = getattr(fiesta, name)(
        DATA, normal([-30.0, 120.0], 5.0), Split(), 0.05, samples=SAMPLES
    )
    assert np.argmax(pi) == 1 and min(evaluations[0]) < 0 and max(evaluations[1]) > 1


# The functions of `util`.


@pytest.mark.parametrize(("mean", "sd"), [(2, 0.2), (0.7, 1.4), (-3.0, 0.0)])
def test_pull_arm_draws_from_a_normal_distribution(mean: float, sd: float) -> None:
    draws = [util.pull_arm(mean, sd) for _ in range(2000)]
    assert all(isinstance(draw, float) for draw in draws)
    assert np.mean(draws) == pytest.approx(mean, abs=0.15)
    assert np.std(draws) == pytest.approx(sd, abs=0.1)


def test_pull_arm_draws_from_the_global_generator() -> None:
    np.random.seed(5)
    first = util.pull_arm(0.5, 0.1)
    np.random.seed(5)
    assert first == np.random.normal(0.5, 0.1)


def test_lists_of_the_same_size() -> None:
    assert util.lists_same_size() is None
    assert util.lists_same_size([]) is None
    assert util.lists_same_size([], []) is None
    assert util.lists_same_size([1, 2], ("a", "b"), [{}, None]) is None


@pytest.mark.parametrize("lists", [([1], []), ([], [1]), ([1, 2], [3, 4], [5]), ([1], [2], [3, 4])])
def test_lists_of_different_sizes(lists: tuple[list[int], ...]) -> None:
    with pytest.raises(ValueError, match="same size"):
        util.lists_same_size(*lists)


@pytest.mark.parametrize("name", FIXED_CONFIDENCE)
def test_statistics_of_fixed_confidence(name: str) -> None:
    split = Split()
    least, mean, most, correct = util.fc_func_stats(
        N=12,
        correct_model_index=2,
        fc_func_name=name,
        data=DATA,
        model_functions=normal([0.50, 0.55, 0.60]),
        split_function=split,
        p_value=0.1,
        samples=SAMPLES,
    )
    assert 9 <= least <= mean <= most
    assert int(least) == least and int(most) == most
    assert mean == pytest.approx(len(split.made) / 12), "N studies"
    assert 60 <= correct <= 100
    assert correct == pytest.approx(round(correct / 100 * 12) / 12 * 100)


@pytest.mark.parametrize("name", FIXED_CONFIDENCE)
def test_statistics_of_fixed_confidence_of_what_is_never_right(name: str) -> None:
    *_, correct = util.fc_func_stats(
        5, 0, name, data=DATA, model_functions=normal([0.1, 0.9]), split_function=Split(), p_value=0.1
    )  # fmt: skip
    assert correct == 0.0 and isinstance(correct, float)


@pytest.mark.parametrize("name", FIXED_BUDGET)
def test_statistics_of_a_fixed_budget(name: str) -> None:
    split = Split()
    share = util.fb_func_stats(
        N=10,
        correct_model_index=1,
        fb_func_name=name,
        data=DATA,
        model_functions=normal([0.1, 0.9]),
        split_function=split,
        budget=4,
    )
    assert share == 1.0 and isinstance(share, float)
    assert len(split.made) == 40
    wrong = util.fb_func_stats(
        10, 0, name, data=DATA, model_functions=normal([0.1, 0.9]), split_function=split, budget=4
    )
    assert wrong == 0.0


def test_statistics_count_what_is_right_now_and_then() -> None:
    # Either model is better in every second study.
    models = [listed(0.1, 0.9), listed(0.5)]
    share = util.fb_func_stats(
        8, 0, "non_adaptive_fb", data=DATA, model_functions=models, split_function=Split(), budget=2
    )
    assert share == 0.5


@pytest.mark.parametrize("name", ["fc", "sequential_halving", "", "ttts"])
def test_statistics_of_fixed_confidence_refuse_other_functions(name: str) -> None:
    with pytest.raises(ValueError, match="non_adaptive_fc"):
        util.fc_func_stats(N=1, correct_model_index=0, fc_func_name=name)


@pytest.mark.parametrize("name", ["fb", "TTTS", "", "halving"])
def test_statistics_of_a_fixed_budget_refuse_other_functions(name: str) -> None:
    with pytest.raises(ValueError, match="non_adaptive_fb"):
        util.fb_func_stats(N=1, correct_model_index=0, fb_func_name=name)


@pytest.mark.parametrize("name", FIXED_CONFIDENCE)
def test_statistics_pass_arguments_on(name: str) -> None:
    with pytest.raises(ValueError, match="p value"):
        util.fc_func_stats(
            1, 0, name, data=DATA, model_functions=normal([0.5, 0.6]), split_function=Split(), p_value=2
        )  # fmt: skip
    with pytest.raises(TypeError):
        util.fc_func_stats(1, 0, name, data=DATA, no_such_argument=1)


@pytest.mark.parametrize("name", [*FIXED_CONFIDENCE, *FIXED_BUDGET])
def test_an_error_of_a_model_reaches_the_caller(name: str) -> None:
    def broken(train: Any, test: Any) -> float:
        raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError, match="out of memory"):
        getattr(fiesta, name)(
            DATA, [listed(0.5, 0.6), broken], Split(), 0.5 if name in FIXED_CONFIDENCE else 10
        )
