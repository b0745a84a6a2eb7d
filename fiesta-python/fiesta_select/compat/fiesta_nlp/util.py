"""Beliefs, draws, and statistics over repeated selections, as fiesta-nlp has them."""

from __future__ import annotations

from collections.abc import Sized
from typing import TYPE_CHECKING, Any

import numpy as np

from fiesta_select._native import probability_best

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_FIXED_CONFIDENCE = ["TTTS", "non_adaptive_fc"]
_FIXED_BUDGET = ["sequential_halving", "non_adaptive_fb"]


def pull_arm(mean: float, sd: float) -> float:
    """A draw from a normal distribution, by NumPy's global generator.

    Parameters
    ----------
    mean, sd : float
        The mean and the standard deviation.

    Returns
    -------
    float

    Examples
    --------
    >>> np.random.seed(1)
    >>> round(pull_arm(0.7, 0.1), 3)
    0.862
    """
    draw: float = np.random.normal(mean, sd)
    return draw


def belief_calc(
    est_means: ArrayLike,
    est_variances: ArrayLike,
    eval_counts: ArrayLike,
    samples: int = 100000,
) -> list[float]:
    """P(model is best) of every model, from the mean, variance and number of its scores.

    A model's mean score is Student's t with n - 2 degrees of freedom around `est_means`, scaled by
    sqrt(`est_variances` / (n - 2)), where n is its number of scores: the posterior under a flat
    prior of the mean and the standard deviation of normal scores.

    Parameters
    ----------
    est_means : array_like, shape (K,)
        The mean score of each model, in the unit of the scores.
    est_variances : array_like, shape (K,)
        The variance of each model's scores, divided by n (NumPy's default, ``ddof=0``).
    eval_counts : array_like, shape (K,)
        The number of each model's scores, n.
    samples : int
        Unused: the probabilities are integrated, to within 1e-9.

    Returns
    -------
    list of float, length K
        Probabilities that add up to 1. A model whose scores have no spread is known exactly; of
        several such models with the same mean, the first is better.

    Raises
    ------
    ValueError
        If a model has fewer than three scores, the arrays have different lengths or none, a mean is
        not finite, or a variance is negative or not finite.

    Notes
    -----
    Source: Moss et al., "FIESTA" (ACL 2019), section 3.

    Examples
    --------
    >>> pi = belief_calc(np.array([0.62, 0.60]), np.array([2e-4, 2e-4]), np.array([10, 10]))
    >>> [round(float(p), 4) for p in pi]
    [0.9902, 0.0098]
    """
    counts = np.asarray(eval_counts, dtype=float)
    if counts.ndim != 1 or counts.size == 0:
        raise ValueError(
            f"eval_counts has the shape {counts.shape}: give a vector with the number of scores of "
            "each model"
        )
    few = counts[~(counts > 2)]
    if few.size:
        raise ValueError(
            f"the numbers of scores {counts.tolist()} are not all greater than 2: evaluate every "
            "model three times before asking which is best"
        )
    means = _of_each(est_means, "est_means", counts)
    variances = _of_each(est_variances, "est_variances", counts)
    probabilities, _ = probability_best(means, variances, counts.tolist())
    pi = np.array(probabilities)
    return list(pi / pi.sum())


def _of_each(values: ArrayLike, name: str, counts: np.ndarray[Any, Any]) -> list[float]:
    """One value of each model; a single value is that of all."""
    array = np.asarray(values, dtype=float)
    if array.ndim == 0 or array.shape == (1,):
        array = np.broadcast_to(array, counts.shape)
    if array.shape != counts.shape:
        raise ValueError(
            f"{name} has the shape {array.shape}, and eval_counts {counts.shape}: give one value of "
            "each model"
        )
    listed: list[float] = array.tolist()
    return listed


def lists_same_size(*lists: Sized) -> None:
    """Checks that all lists are of the same size.

    Parameters
    ----------
    *lists : sized
        Any number of lists.

    Raises
    ------
    ValueError
        If two of them have different lengths.

    Examples
    --------
    >>> lists_same_size([1, 2], ["a", "b"])
    """
    sizes = [len(each) for each in lists]
    if len(set(sizes)) > 1:
        raise ValueError(f"the lists are not all of the same size: their sizes are {sizes}")


def fc_func_stats(
    N: int, correct_model_index: int, fc_func_name: str, **fc_kwargs: Any
) -> tuple[int, float, int, float]:
    """How many evaluations a selection at a fixed confidence takes, and how often it is right.

    Parameters
    ----------
    N : int
        How often to select.
    correct_model_index : int
        The model that is best, by its place in `model_functions`, from 0.
    fc_func_name : {"TTTS", "non_adaptive_fc"}
        The function that selects.
    **fc_kwargs
        Its arguments.

    Returns
    -------
    least, mean, most : int, float, int
        Of the numbers of evaluations.
    correct : float
        How many of a hundred selections end with the correct model most probably best.

    Raises
    ------
    ValueError
        If the function is none of these, or N is less than 1.

    Examples
    --------
    >>> np.random.seed(1)
    >>> models = [lambda train, test, m=m: pull_arm(m, 0.01) for m in (0.5, 0.6)]
    >>> split = lambda data: (data, data)
    >>> *_, correct = fc_func_stats(
    ...     20, 1, "TTTS", data=[], model_functions=models, split_function=split, p_value=0.05
    ... )
    >>> correct
    100.0
    """
    select = _function(fc_func_name, _FIXED_CONFIDENCE, "fixed confidence")
    _at_least_one(N)
    evaluations, correct = [], 0
    for _ in range(N):
        pi, _, total, _ = select(**fc_kwargs)
        evaluations.append(total)
        correct += int(np.argmax(pi) == correct_model_index)
    return (
        np.min(evaluations),
        float(np.mean(evaluations)),
        np.max(evaluations),
        correct / N * 100,
    )


def fb_func_stats(N: int, correct_model_index: int, fb_func_name: str, **fb_kwargs: Any) -> float:
    """How often a selection within a fixed budget is right.

    Parameters
    ----------
    N : int
        How often to select.
    correct_model_index : int
        The model that is best, by its place in `model_functions`, from 0.
    fb_func_name : {"sequential_halving", "non_adaptive_fb"}
        The function that selects.
    **fb_kwargs
        Its arguments.

    Returns
    -------
    float
        The share of selections that return the correct model, from 0 to 1.

    Raises
    ------
    ValueError
        If the function is none of these, or N is less than 1.

    Examples
    --------
    >>> models = [lambda train, test, m=m: pull_arm(m, 0.01) for m in (0.5, 0.6)]
    >>> split = lambda data: (data, data)
    >>> fb_func_stats(
    ...     20, 1, "sequential_halving", data=[], model_functions=models, split_function=split,
    ...     budget=10,
    ... )
    1.0
    """
    select = _function(fb_func_name, _FIXED_BUDGET, "a fixed budget")
    _at_least_one(N)
    correct = 0
    for _ in range(N):
        correct += int(select(**fb_kwargs)[0] == correct_model_index)
    return correct / N


def _function(name: str, names: list[str], what: str) -> Any:
    """A function of the package by its name."""
    if name not in names:
        raise ValueError(f"`{name}` is no function of {what}: use one of {names}")
    from fiesta_select.compat import fiesta_nlp

    return getattr(fiesta_nlp, name)


def _at_least_one(runs: int) -> None:
    if runs < 1:
        raise ValueError(f"N is {runs}: select at least once")
