"""Selection at a fixed confidence and within a fixed budget, as fiesta-nlp has it."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from .util import belief_calc

Data = TypeVar("Data")
Model = Callable[[Any, Any], float]
Split = Callable[[Data], tuple[Any, Any]]

logger = logging.getLogger(__name__)

# Each model's evaluations before a belief exists.
_FIRST = 3

# What P(best) is known to: nothing is asked to be more certain.
_RESOLUTION = 1e-9


def TTTS(
    data: Data,
    model_functions: Sequence[Model],
    split_function: Split[Data],
    p_value: float,
    logit_transform: bool = False,
    samples: int = 100000,
) -> tuple[list[float], list[float], int, list[list[float]]]:
    """Top-two Thompson sampling until one model is best with probability 1 - `p_value`.

    Every model is evaluated three times. From then on one model is drawn from P(best); with
    probability one half it is evaluated, else another one, drawn likewise.

    Parameters
    ----------
    data : list of dict
        The data set, handed to `split_function` as it is.
    model_functions : sequence of callable
        ``model(train, test)`` returns a score, the larger the better. Models should draw new seeds
        each time.
    split_function : callable
        ``split_function(data)`` returns ``train, test``; it is called before each evaluation.
    p_value : float
        The probability with which another model may be best, from 0 to 1. Below 1e-9, where P(best)
        cannot be told from 1, it counts as 1e-9.
    logit_transform : bool
        Whether scores are replaced by their logit, log(score / (1 - score)).
    samples : int
        Unused: P(best) is integrated.

    Returns
    -------
    pi : list of float, length K
        P(model is best).
    props : list of float, length K
        Each model's share of the evaluations.
    num : int
        The number of evaluations.
    evaluations : list of K lists of float
        The scores, their logits if `logit_transform`, in order.

    Raises
    ------
    ValueError
        If `p_value` is not between 0 and 1, there is no model, or a score has no finite value (of
        0 and 1 the logit has none).

    Notes
    -----
    Where all the probability is one model's and another is to be drawn, the other is any with equal
    probability; it is drawn at once, not by drawing until it differs. Models of the same scores, all
    equal, end after three evaluations with the first.
    Two models with the same true mean may be told apart by chance only, late or never: that is so of
    every selection at a fixed confidence.

    Source: Russo, "Simple Bayesian algorithms for best arm identification" (COLT 2016); Moss et al.,
    "FIESTA" (ACL 2019), algorithm 2.

    Examples
    --------
    >>> np.random.seed(1)
    >>> models = [lambda train, test, m=m: np.random.normal(m, 0.02) for m in (0.60, 0.70, 0.62)]
    >>> split = lambda data: (data[:80], data[80:])
    >>> pi, props, num, evaluations = TTTS(list(range(100)), models, split, 0.05)
    >>> int(np.argmax(pi)), bool(max(pi) >= 0.95), num == sum(map(len, evaluations))
    (1, True, True)
    """
    study = _Study(data, model_functions, split_function, p_value, logit_transform, samples)
    pi = study.begin()
    while max(pi) < study.confidence:
        split = split_function(data)
        model = first = np.random.choice(study.models, p=pi)
        if np.random.uniform(0, 1) > 0.5:
            model = np.random.choice(study.models, p=_others(pi, first))
        study.evaluate(int(model), split)
        pi = study.belief()
    return study.result(pi)


def non_adaptive_fc(
    data: Data,
    model_functions: Sequence[Model],
    split_function: Split[Data],
    p_value: float,
    logit_transform: bool = False,
    samples: int = 100000,
) -> tuple[list[float], list[float], int, list[list[float]]]:
    """All models equally often until one is best with probability 1 - `p_value`.

    Every model is evaluated three times, and then all once more in each round. Arguments, results and
    errors are those of `TTTS`.

    Examples
    --------
    >>> np.random.seed(1)
    >>> models = [lambda train, test, m=m: np.random.normal(m, 0.02) for m in (0.60, 0.70, 0.62)]
    >>> split = lambda data: (data[:80], data[80:])
    >>> pi, props, num, evaluations = non_adaptive_fc(list(range(100)), models, split, 0.05)
    >>> int(np.argmax(pi)), [round(float(share), 3) for share in props]
    (1, [0.333, 0.333, 0.333])
    """
    study = _Study(data, model_functions, split_function, p_value, logit_transform, samples)
    pi = study.begin()
    while max(pi) < study.confidence:
        for model in range(study.models):
            study.evaluate(model, split_function(data))
        pi = study.belief()
    return study.result(pi)


def sequential_halving(
    data: Data,
    model_functions: Sequence[Model],
    split_function: Split[Data],
    budget: int,
    logit_transform: bool = False,
) -> tuple[int, list[float], list[list[float]]]:
    """Rounds of equal evaluations, after each of which the worse half of the models is left out.

    With K models there are R = ceil(log2 K) rounds; in each, every model that is left is evaluated
    floor(budget / (number left * R)) times, and floor(number left / 2) with the lowest means of all
    their scores leave, the first of equals first.

    Parameters
    ----------
    data, model_functions, split_function, logit_transform
        As in `TTTS`.
    budget : int
        The most evaluations; rounding leaves some of it unused.

    Returns
    -------
    best : int
        The model that is left, by its place in `model_functions`.
    props : list of float, length K
        Each model's share of the evaluations; 0 for the only model, which is not evaluated.
    evaluations : list of K lists of float
        The scores, their logits if `logit_transform`, in order.

    Raises
    ------
    ValueError
        If `budget` is less than K * R, there is no model, or a score is not a number.

    Notes
    -----
    Source: Karnin, Koren & Somekh, "Almost optimal exploration in multi-armed bandits" (ICML 2013).

    Examples
    --------
    >>> np.random.seed(1)
    >>> models = [lambda train, test, m=m: np.random.normal(m, 0.02) for m in (0.6, 0.7, 0.5, 0.4)]
    >>> split = lambda data: (data[:80], data[80:])
    >>> best, props, evaluations = sequential_halving(list(range(100)), models, split, 16)
    >>> best, [len(scores) for scores in evaluations]
    (1, [6, 6, 2, 2])
    """
    models = _count(model_functions)
    rounds = math.ceil(math.log2(models))
    if budget < models * rounds:
        raise ValueError(
            f"a budget of {budget} is too small: {rounds} rounds of {models} models take at least "
            f"{models} * ceil(log2({models})) = {models * rounds} evaluations"
        )
    evaluations: list[list[float]] = [[] for _ in range(models)]
    left = list(range(models))
    while len(left) > 1:
        each = math.floor(budget / (len(left) * rounds))
        logger.info("%s models are left: %s evaluations of each", len(left), each)
        for model in left:
            for _ in range(each):
                score = _score(model_functions, model, split_function(data), logit_transform)
                evaluations[model].append(score)
        means = [np.mean(evaluations[model]) for model in left]
        for _ in range(len(left) // 2):
            worst = int(np.argmin(means))
            del left[worst], means[worst]
    total = sum(len(scores) for scores in evaluations)
    return left[0], [len(scores) / max(total, 1) for scores in evaluations], evaluations


def non_adaptive_fb(
    data: Data,
    model_functions: Sequence[Model],
    split_function: Split[Data],
    budget: int,
    logit_transform: bool = False,
) -> tuple[int, list[list[float]]]:
    """All models floor(`budget` / K) times.

    Parameters
    ----------
    data, model_functions, split_function, logit_transform
        As in `TTTS`.
    budget : int
        The most evaluations, at least K.

    Returns
    -------
    best : int
        The model with the highest mean score, by its place in `model_functions`; the first of equals.
    evaluations : list of K lists of float
        The scores, their logits if `logit_transform`, in order.

    Raises
    ------
    ValueError
        If `budget` is less than K, there is no model, or a score is not a number.

    Examples
    --------
    >>> np.random.seed(1)
    >>> models = [lambda train, test, m=m: np.random.normal(m, 0.02) for m in (0.6, 0.7, 0.5)]
    >>> best, evaluations = non_adaptive_fb([1, 2], models, lambda data: (data, data), 10)
    >>> int(best), [len(scores) for scores in evaluations]
    (1, [3, 3, 3])
    """
    models = _count(model_functions)
    if budget < models:
        raise ValueError(
            f"a budget of {budget} is too small: each of {models} models takes an evaluation at least"
        )
    evaluations = [
        [
            _score(model_functions, model, split_function(data), logit_transform)
            for _ in range(math.floor(budget / models))
        ]
        for model in range(models)
    ]
    best: int = np.argmax(np.mean(evaluations, axis=1))  # type: ignore[assignment]
    return best, evaluations


class _Study:
    """Scores, and what is believed of them, while a selection at a fixed confidence goes on."""

    def __init__(
        self,
        data: Data,
        model_functions: Sequence[Model],
        split_function: Split[Data],
        p_value: float,
        logit_transform: bool,
        samples: int,
    ) -> None:
        if not 0 <= p_value <= 1:
            raise ValueError(
                f"the p value {p_value} is not between 0 and 1: give a probability such as 0.05"
            )
        self.models = _count(model_functions)
        self.confidence = 1 - max(p_value, _RESOLUTION)
        self._data, self._split, self._functions = data, split_function, model_functions
        self._logit, self._samples = logit_transform, samples * self.models
        self._evaluations: list[list[float]] = [[] for _ in range(self.models)]
        self._means, self._variances, self._counts = np.zeros((3, self.models))

    def begin(self) -> list[float]:
        for model in range(self.models):
            for _ in range(_FIRST):
                self.evaluate(model, self._split(self._data))
        return self.belief()

    def evaluate(self, model: int, split: tuple[Any, Any]) -> None:
        score = _score(self._functions, model, split, self._logit)
        if not math.isfinite(score):
            raise ValueError(
                f"evaluation {len(self._evaluations[model]) + 1} of model {model} gave the score "
                f"{score}: a belief needs finite scores"
            )
        scores = self._evaluations[model]
        scores.append(score)
        self._means[model] = np.mean(scores)
        self._variances[model] = np.var(scores)
        self._counts[model] = len(scores)

    def belief(self) -> list[float]:
        pi = belief_calc(self._means, self._variances, self._counts, self._samples)
        logger.info("%s evaluations: P(best) is %s", int(self._counts.sum()), pi)
        return pi

    def result(self, pi: list[float]) -> tuple[list[float], list[float], int, list[list[float]]]:
        logger.info("model %s is selected", np.argmax(pi))
        total = self._counts.sum()
        return pi, list(self._counts / total), int(total), self._evaluations


def _count(model_functions: Sequence[Model]) -> int:
    if not model_functions:
        raise ValueError("there is no model: give at least one function in model_functions")
    return len(model_functions)


def _score(
    model_functions: Sequence[Model], model: int, split: tuple[Any, Any], logit_transform: bool
) -> float:
    """The score of a model on a split, which must be a number."""
    train, test = split
    score = model_functions[model](train, test)
    if logit_transform:
        return _logit(score, model)
    if math.isnan(score):
        raise ValueError(f"model {model} gave the score {score}, which is no number")
    return score


def _logit(score: float, model: int) -> float:
    """log(score / (1 - score)), without cancellation around one half."""
    if not 0 <= score <= 1:
        raise ValueError(
            f"model {model} gave the score {score}: the logit is of numbers from 0 to 1, so leave "
            "logit_transform out"
        )
    if score in (0, 1):
        logit = math.copysign(math.inf, score - 0.5)
    elif 0.3 <= score <= 0.65:
        twice = 2 * (score - 0.5)
        logit = math.log1p(twice) - math.log1p(-twice)
    else:
        logit = math.log(score / (1 - score))
    made: float = np.float64(logit)
    return made


def _others(pi: list[float], first: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """P(best) given that one model is not; of a model that has it all, any other is as probable."""
    rest = np.array(pi)
    rest[first] = 0.0
    total = rest.sum()
    if total > 0:
        return np.asarray(rest / total)
    rest += 1 / (len(pi) - 1)
    rest[first] = 0.0
    return rest
