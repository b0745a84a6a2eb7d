"""Analyses of scores that exist: belief, comparisons, tuning curves, simulations, plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, overload

from . import _native
from ._columns import shown as shown_value
from ._columns import text
from ._records import benchmarks, names_of, predictions, records
from ._shown import shown

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .results import (
        BeliefReport,
        ComparisonReport,
        CurveReport,
        PairsReport,
        PlanReport,
        PoolPlanReport,
        SimulationReport,
    )

Direction = Literal["maximize", "minimize"]
Distance = float | str


def belief(
    scores: Any,
    *,
    arms: Sequence[str] | None = None,
    metric: str | None = None,
    score: str | None = None,
    arm: str | None = None,
    split: str | None = None,
    item: str | None = None,
    failed: Literal["drop", "error", "worst"] | None = None,
    direction: Direction | None = None,
    bounds: tuple[float, float] | None = None,
    paired_rows: bool = False,
    posterior: str | None = None,
    method: Literal["auto", "quadrature", "monte-carlo"] | None = None,
    draws: int | None = None,
    seed: int | str | None = None,
    logit: float | None = None,
    pool_size: int | None = None,
    confidence: float | None = None,
    tolerance: float | None = None,
    strata: str | None = None,
    clusters: str | None = None,
    outlook: bool = False,
    target: Literal["these items", "items like these"] | None = None,
    gold: str | None = None,
    positive: str | None = None,
    spread: Literal["sd", "se", "ci95"] | None = None,
    n: int | str | None = None,
    benchmark: str | None = None,
    weights: Mapping[str, float] | Literal["items", "equal"] | None = None,
    scale: Mapping[str, tuple[float, float]] | None = None,
    cheapest_within: float | None = None,
    by: str | None = None,
    at_most: Mapping[str, float] | None = None,
    known: Sequence[str] | None = None,
) -> BeliefReport:
    """
    P(best): the probability of each arm to have the highest mean.

    Parameters
    ----------
    scores : dict, list, array, frame, path
        - a dict with the scores of each arm: lists, or arrays of shape (evaluations,), which
          are borrowed and not copied where they are contiguous 64-bit floats (nothing may write
          to them during the call); masked values are left out, and NaN is refused;
        - a list of dicts, an evaluation each, with the keys ``arm`` and ``score``, and where
          known ``item`` or ``split``, ``seed``, ``cost``, ``duration``;
        - an array of shape (evaluations, arms);
        - a frame of pandas, polars or PyArrow, or what these can read by
          ``__arrow_c_stream__`` or ``__dataframe__``, with the columns of such dicts, or
          without a column ``arm`` a column for each arm, in which missing values, NaN among
          them, are evaluations that were not made; so is a dict of such columns, where one of
          them holds the names of the arms or is named by ``arm``, ``split``, ``item`` or ``seed``;
        - the path of a file of scores, or of logs of lm-eval, Inspect AI or promptfoo, or a
          list of paths; logs of several tasks are as many benchmarks;
        - a dict of benchmarks, each with a dict of the scores of each arm.
    arms : sequence of str, optional
        Only these arms; of an array, the names of its columns.
    metric, score : str, optional
        The column or key of the score (default: ``score``).
    arm, split, item : str, optional
        What the columns ``arm``, ``split`` and ``item`` are called in frames (levels of a named
        index of pandas among them), rows and files; a text as ``seed`` names that of the seeds.
    failed : {"drop", "error", "worst"}, optional
        What an evaluation counts as that failed or has no score (a missing value in the column of
        the score, or in the scores of an arm): nothing, an error (default, but for other tools'
        results, which drop it), or the worst score there can be by ``bounds``, or was.
    direction : {"maximize", "minimize"}, optional
        Which scores are better (default: what the name of the score says, with a warning where it
        is that of a loss; an error where it says nothing, or a file or a frame has a column for
        each arm and no name of the score). Of scores in memory without a name, larger ones are.
    bounds : (float, float), optional
        The least and the greatest possible score; others are refused.
    paired_rows : bool
        The k-th scores of all arms were made on the same split.
    posterior : str, optional
        ``paired``, ``pooled``, ``uniform``, ``jeffreys`` or ``pool`` (default: ``pool`` for
        answers between 0 and 1 to items, else ``paired``).
    method : {"auto", "quadrature", "monte-carlo"}, optional
        How the probabilities are computed.
    draws, seed : int, optional
        Draws of the Monte Carlo method (default: 100000) or of ``paired`` (default: 8000, and of
        more than 5000 scores fewer), with which the error falls, and their seed (default: 0).
    logit : float, optional
        Take scores between 0 and 1 on the logit scale; scores of 0 and 1 are moved in by half of
        this unit, and refused if it is 0.
    pool_size : int, optional
        The items are a random sample of a pool with so many.
    confidence, tolerance : float, optional
        At which confidence the outlook names an arm (default: .95), and how far below the best the
        arm of a pool may be that is named (default: 0).
    strata, clusters : str, optional
        The columns that say in which group an item is, and which items belong together.
    outlook : bool
        Simulate how many more evaluations, or answers of a pool of items, would settle it, which
        takes a while.
    target : {"these items", "items like these"}, optional
        Which items of a pool the verdict is of: those of the pool (default), or many more that are
        drawn as these were. ``pool.these_items`` and ``pool.items_like_these`` answer both.
    gold : str, optional
        The column of the right answers, in a table with a column of predictions for each arm: each
        row is an item, on which an arm scores 1 if its cell holds the same text, and else 0.
    positive : str, optional
        With ``gold``: the label that is to be found. The arms are compared by the F-measure of
        finding it, and of the other keywords only ``arms``, ``item``, ``failed``, ``draws`` and
        ``seed`` may be given.
    spread : {"sd", "se", "ci95"}, optional
        Of a file with the mean of each arm and its spread: whether that is a standard deviation, a
        standard error or half of a 95 % interval (default: what the name of its column says).
    n : int or str, optional
        How many scores each of these means is of, or the column that says it (default: ``n``).
    benchmark : str, optional
        The column of the benchmarks (data sets, tasks): arms are compared by the weighted mean of
        their means over all of them, which ``benchmarks`` of the report holds.
    weights : dict or {"items", "equal"}, optional
        How much each benchmark counts: a weight for each, by numbers of items, or equally (default).
    scale : dict, optional
        The worst and the best score of a benchmark, where benchmarks have different units or
        directions: ``{"mt_bench": (1, 10), "perplexity": (50, 1)}``.
    cheapest_within : float, optional
        Which arm is the cheapest of those that are at most this far below the best: ``measures`` of
        the report answers it.
    by : str, optional
        The measure by which arms are cheap: ``cost``, ``duration``, or a column of numbers (default:
        ``cost``).
    at_most : dict, optional
        The largest mean of each measure that an arm may have: ``{"seconds": 2}``.
    known : list of str, optional
        Measures that are prices, such as ``["cost"]``: where the values of each arm are all the same,
        its mean is known.

    Returns
    -------
    BeliefReport
        ``arms[k].probability_best`` sums to 1; ``str()`` of it is what ``fiesta belief`` prints.

    Raises
    ------
    TypeError
        If the scores are of no known form, or one is not a number.
    ValueError
        If a score is not finite or out of bounds, an arm has too few, or a name is none.

    Notes
    -----
    The posterior ``paired`` is that of additive effects of arms and splits with a common variance
    of the noise, under a flat prior; with scores that share no split it is ``pooled``, the joint
    Student's t of the arms' means. See the documentation of the crate ``fiesta-posterior`` for
    formulas and sources.

    Examples
    --------
    >>> import fiesta_select as fiesta
    >>> found = fiesta.belief({"lstm": [.71, .73, .70], "gru": [.69, .70, .69]})
    >>> [arm.name for arm in found.arms if arm.probability_best > .9]
    ['lstm']

    Two benchmarks, of which the first counts twice:

    >>> on = {"maths": {"large": [1, 1, 0, 1] * 9, "small": [0, 1, 0, 0] * 9},
    ...       "safety": {"large": [0, 1, 1] * 9, "small": [1, 1, 1] * 9}}
    >>> of_both = fiesta.belief(on, weights={"maths": 2, "safety": 1}).benchmarks
    >>> of_both.best, of_both.decides
    (['large'], 'maths')
    """
    from .results import BeliefReport

    columns = column_names(arm, item, split, seed)
    if positive is not None:
        others = (metric, score, direction, bounds, posterior, method, logit, pool_size, target)
        further = (confidence, tolerance, strata, clusters, benchmark, weights, scale)
        of_measures = (cheapest_within, by, at_most, known)
        given = any(other is not None for other in (*others, *further, *of_measures))
        if paired_rows or outlook or given:
            raise TypeError(
                "with positive= only gold=, arms=, item=, failed=, draws= and seed= may be given"
            )
        named, reading = predictions(scores, gold, arms=arms, columns=columns, failed=failed)
        report = call(
            _native.belief_of_predictions,
            named,
            reading=reading,
            positive=text("positive=", positive),
            arms=reading["arms"],
            draws=draws,
            seed=_drawing(seed),
        )
        return shown(BeliefReport, report)
    parts = benchmarks(
        scores,
        benchmark,
        arms=arms,
        metric=score_of(metric, score),
        bounds=bounds,
        paired_rows=paired_rows,
        columns=columns,
        failed=failed,
        gold=gold,
    )
    are_several = len(parts) > 1 or parts[0][0] != ""
    if not are_several and (weights is not None or scale is not None):
        raise TypeError(
            "weights= and scale= are about several benchmarks, and these scores are of one: name the "
            "column of the benchmarks with benchmark=, or leave these out"
        )
    if are_several and (spread is not None or n is not None):
        raise TypeError("spread= and n= are about means with their spread: leave them out")
    report = call(
        _native.belief,
        parts if are_several else parts[0][1],
        arms=selected(scores, arms),
        direction=direction,
        posterior=posterior,
        method=method,
        draws=draws,
        seed=_drawing(seed),
        logit=logit,
        pool_size=pool_size,
        bounds=bounds,
        confidence=confidence,
        tolerance=tolerance,
        strata=strata,
        clusters=clusters,
        outlook=outlook,
        target=target,
        spread=spread,
        n=None if n is None else str(n),
        weights=weights if weights is None or isinstance(weights, str) else list(weights.items()),
        scale=[(name, *_scale(name, of)) for name, of in (scale or {}).items()],
        cheapest_within=cheapest_within,
        by=by,
        at_most=list((at_most or {}).items()),
        known=list(known or ()),
    )
    return shown(BeliefReport, report)


def _scale(name: str, scale: Any) -> tuple[float, float]:
    """The worst and the best score of a benchmark."""
    try:
        worst, best = map(float, scale)
    except (TypeError, ValueError):
        raise TypeError(f"scale= of `{name}` is to be two numbers: (worst, best)") from None
    return worst, best


class CompareKeywords(TypedDict, total=False):
    """The keywords of :func:`compare`."""

    arms: Sequence[str] | None
    metric: str | None
    score: str | None
    arm: str | None
    split: str | None
    item: str | None
    failed: Literal["drop", "error", "worst"] | None
    direction: Direction | None
    bounds: tuple[float, float] | None
    paired_rows: bool
    posterior: str | None
    draws: int | None
    seed: int | str | None
    pool_size: int | None
    confidence: float | None
    tolerance: float | None
    target: Literal["these items", "items like these"] | None


@overload
def compare(
    scores: Any,
    a: str | None = ...,
    b: str | None = ...,
    *,
    pairs: Literal[False] = ...,
    **keywords: Unpack[CompareKeywords],
) -> ComparisonReport: ...
@overload
def compare(
    scores: Any, *, pairs: Literal[True], **keywords: Unpack[CompareKeywords]
) -> PairsReport: ...
def compare(
    scores: Any,
    a: str | None = None,
    b: str | None = None,
    *,
    pairs: bool = False,
    arms: Sequence[str] | None = None,
    metric: str | None = None,
    score: str | None = None,
    arm: str | None = None,
    split: str | None = None,
    item: str | None = None,
    failed: Literal["drop", "error", "worst"] | None = None,
    direction: Direction | None = None,
    bounds: tuple[float, float] | None = None,
    paired_rows: bool = False,
    posterior: str | None = None,
    draws: int | None = None,
    seed: int | str | None = None,
    pool_size: int | None = None,
    confidence: float | None = None,
    tolerance: float | None = None,
    target: Literal["these items", "items like these"] | None = None,
) -> ComparisonReport | PairsReport:
    """
    Two arms: the difference of their means with its interval, a test, and P(better); or all pairs.

    Parameters
    ----------
    scores
        As of :func:`belief`.
    a, b : str, optional
        The names of the two arms (default: those of ``arms`` if these are two, else those of the
        best means, the best first).
    pairs : bool
        Compare every pair of up to six arms, of more the best with each other, as ``fiesta compare``
        does of more than two; p-values are adjusted over all pairs (Holm 1979).
    arms, metric, score, arm, split, item, failed, direction, bounds, paired_rows
        As of :func:`belief`.
    posterior : str, optional
        Of ``probability_better``, as of :func:`belief`; it is that of the two arms alone.
    draws, seed : int, optional
        Draws of the posterior ``paired`` (default: as of :func:`belief`) and their seed (default:
        0); a text as ``seed`` names the column of the seeds.
    pool_size : int, optional
        As of :func:`belief`.
    confidence : float, optional
        Of all intervals (default: .95). Among pairs, a difference is decided if its adjusted
        p-value is at most one less this.
    tolerance : float, optional
        A tie is an interval of the difference between −``tolerance`` and ``tolerance``.
    target : {"these items", "items like these"}, optional
        Which items of a pool ``probability_better`` is of (default: items like these).

    Returns
    -------
    ComparisonReport
        ``difference`` is the mean of ``a`` less that of ``b``, in the metric's unit, with
        ``lower``, ``upper`` and the two-sided ``p_value``; ``probability_better`` is
        P(``a`` is better than ``b``). On items or splits that each arm got right (1) or wrong
        (0), ``mcnemar`` is McNemar's exact test, and ``only_a`` and ``only_b`` name those that
        one of the two got right alone.
    PairsReport
        With ``pairs=True``: ``arms``, the best mean first, and ``pairs``, of which each has the
        fields of a ``ComparisonReport``, ``p_adjusted`` and its ``result``: ``"better"``,
        ``"worse"``, ``"tie"`` or ``"open"``.

    Raises
    ------
    TypeError, ValueError
        As of :func:`belief`; and if an arm is unknown, one is named alone, or there is but one.

    Notes
    -----
    With scores d_k = a_k − b_k on G shared splits (at least two, and half of those of the arm with
    fewer) the interval is d̄ ± t·sd(d)/√G with G − 1 degrees of freedom, and the test the paired t
    test. Else the two are independent samples of unequal variances (Welch, "The generalization of
    Student's problem when several different population variances are involved", 1947). Where the
    scores show no noise, the p-value is that of the exact permutation test.

    The p-value holds for two arms that were named before their scores were seen, and for numbers
    of evaluations that were fixed beforehand.

    Examples
    --------
    >>> import fiesta_select as fiesta
    >>> scores = {"lstm": [.71, .73, .70, .74], "gru": [.69, .70, .69, .71]}
    >>> found = fiesta.compare(scores, "lstm", "gru", paired_rows=True)
    >>> found.test, found.shared_splits, round(found.difference, 4), round(found.p_value, 4)
    ('paired t', 4, 0.0225, 0.0182)
    >>> scores["cnn"] = [.61, .60, .62, .60]
    >>> found = fiesta.compare(scores, pairs=True, paired_rows=True)
    >>> [(pair.a.name, pair.b.name, pair.result) for pair in found.pairs]
    [('lstm', 'gru', 'better'), ('lstm', 'cnn', 'better'), ('gru', 'cnn', 'better')]
    """
    from .results import ComparisonReport, PairsReport

    if pairs and (a is not None or b is not None):
        raise TypeError(
            "pairs=True compares all arms: select some with arms=, and leave a and b out"
        )

    columns = column_names(arm, item, split, seed)
    of = _read(scores, score_of(metric, score), columns, bounds, failed, paired_rows, arms)
    named = [] if arms is None else list(arms)
    if not pairs and a is None and b is None and len(named) == 2:
        a, b = named
    report = call(
        _native.compare,
        of,
        a=a,
        b=b,
        pairs=pairs,
        arms=selected(scores, arms),
        direction=direction,
        posterior=posterior,
        draws=draws,
        seed=_drawing(seed),
        pool_size=pool_size,
        bounds=bounds,
        confidence=confidence,
        tolerance=tolerance,
        target=target,
    )
    return shown(PairsReport, report) if pairs else shown(ComparisonReport, report)


def curve(
    scores: Any,
    *,
    metric: str | None = None,
    score: str | None = None,
    arm: str | None = None,
    split: str | None = None,
    item: str | None = None,
    seed: str | None = None,
    direction: Direction | None = None,
    bounds: tuple[float, float] | None = None,
    estimator: Literal["plug-in", "unbiased"] | None = None,
    bands: Literal["equal-tailed", "highest-density", "dkw", "ks", "none"] | None = None,
    band_of: Literal["mean", "median"] | None = None,
    confidence: float | None = None,
    max_n: int | None = None,
    reach: Sequence[float] = (),
    time: bool = False,
    failed: Literal["drop", "error", "worst"] | None = None,
) -> CurveReport:
    """
    The expected best score of n trials, against n, with simultaneous bands.

    Parameters
    ----------
    scores
        As of :func:`belief`; a trial each.
    metric, score, arm, split, item, failed, direction, bounds
        As of :func:`belief`. Bands of the mean need bounds.
    seed : str, optional
        The column of the seeds; nothing is drawn.
    estimator : {"plug-in", "unbiased"}, optional
        The curve of the recorded scores, for any n (default), or for n up to their number.
    bands : str, optional
        The kind of band (default: ``equal-tailed``; of very many scores ``dkw``).
    band_of : {"mean", "median"}, optional
        What the band is of (default: the mean where bounds are known, else the median).
    confidence : float, optional
        Of each band, for all n at once (default: .95).
    max_n : int, optional
        The largest n (default: as many as an arm has trials).
    reach : sequence of float
        Scores, for each of which the trials are told that it takes to expect it.
    time : bool
        Also how long that takes: every trial must have its ``duration`` in seconds.

    Returns
    -------
    CurveReport
        ``curves[k].n``, ``.mean``, ``.lower``, ``.upper``, … are lists of equal length.

    Raises
    ------
    TypeError, ValueError
        As of :func:`belief`; and if a trial failed and ``failed`` is ``"error"``.

    Notes
    -----
    With V₍₁₎ ≤ … ≤ V₍B₎ the plug-in estimate is Σ V₍ᵢ₎ ((i/B)ⁿ − ((i−1)/B)ⁿ) (Dodge et al.,
    "Show Your Work", EMNLP 2019). Bands follow Lourie et al. ("Show Your Work with Confidence",
    NAACL 2024).

    Examples
    --------
    >>> import fiesta_select as fiesta
    >>> found = fiesta.curve({"cnn": [.6, .7, .65, .72]}, bounds=(0, 1))
    >>> round(found.curves[0].mean[1], 4)
    0.6931
    """
    from .results import CurveReport

    if seed is not None and not isinstance(seed, str):
        raise TypeError(
            f"seed={shown_value(seed)} names no column, and a curve draws nothing: leave it out"
        )
    of = records(
        scores,
        metric=score_of(metric, score),
        bounds=bounds,
        columns=column_names(arm, item, split, seed),
        failed=failed,
        keep_failures=True,
    )
    report = call(
        _native.curve,
        of,
        direction=direction,
        bounds=bounds,
        estimator=estimator,
        bands=bands,
        band_of=band_of,
        confidence=confidence,
        max_n=max_n,
        reach=reach,
        time=time,
    )
    return shown(CurveReport, report)


def simulate(
    scores: Any = None,
    *,
    gaussian: Sequence[tuple[float, float]] = (),
    arms: Sequence[str] | None = None,
    metric: str | None = None,
    score: str | None = None,
    arm: str | None = None,
    split: str | None = None,
    item: str | None = None,
    failed: Literal["drop", "error", "worst"] | None = None,
    direction: Direction | None = None,
    bounds: tuple[float, float] | None = None,
    paired_rows: bool = False,
    policy: str | None = None,
    posterior: str | None = None,
    stopping: str | None = None,
    tolerance: Distance | None = None,
    tie: Distance | None = None,
    strict: bool = False,
    rare_failures: float | None = None,
    splits: Literal["shared", "independent"] | None = None,
    confidence: float | Sequence[float] = (),
    shortfall: Distance | Sequence[Distance] = (),
    budget: int | Sequence[int] = (),
    parallel: int = 1,
    durations: Literal["constant", "exponential", "high-late", "high-early"] | None = None,
    cap: int | None = None,
    beta: float | None = None,
    tie_break: Literal["coin", "balanced", "cost-aware"] | None = None,
    extended: bool = False,
    runs: int = 2000,
    seed: int | str = 0,
) -> SimulationReport:
    """
    A policy, many times, on recorded scores or Gaussian arms.

    Parameters
    ----------
    scores
        As of :func:`belief`; leave out for Gaussian arms.
    gaussian : sequence of (mean, sd)
        Arms whose scores are drawn from normal distributions.
    arms, metric, score, arm, split, item, failed, direction, bounds, paired_rows
        As of :func:`belief`.
    policy, posterior, stopping : str, optional
        By their names (default: ``auto``, ``paired`` or of items ``pool``, ``posterior``).
    tolerance, tie : float or str, optional
        How far below the best the recommended arm may be (default: 0), and arms that are called
        tied: in the unit of the scores, or such as ``"0.3 sd"``.
    strict : bool
        Name an arm only at the probability 1 − (1 − confidence)².
    rare_failures : float, optional
        With ``stopping="anytime"``, the rate of failures that would have shown.
    splits : {"shared", "independent"}, optional
        Which splits evaluations get (default: shared).
    confidence, shortfall, budget : number or sequence
        Runs go on until one of these is reached; give one of the three (default: confidence .95).
    parallel : int
        Evaluations in flight at once.
    durations : str, optional
        How long evaluations take.
    cap : int, optional
        Give a run up after so many evaluations (default: 100 an arm).
    beta : float, optional
        The share of the leader in top-two policies.
    tie_break : str, optional
        How top-two policies choose between leader and challenger.
    extended : bool
        Let sequential halving also spend what its divisions leave over.
    runs, seed : int
        How many runs, and their seed: the same seed gives the same runs as the program's. A text
        as ``seed`` names the column of the seeds.

    Returns
    -------
    SimulationReport
        ``results``, one for each goal, with the numbers of evaluations and the shares of runs
        that named the best arm.

    Raises
    ------
    TypeError, ValueError
        As of :func:`belief`, and for names that are none and parameters that cannot be.

    Examples
    --------
    >>> import fiesta_select as fiesta
    >>> found = fiesta.simulate(gaussian=[(.65, .03), (.60, .03)], runs=100)
    >>> found.results[0].correct > .9
    True
    """
    from .results import SimulationReport

    columns = column_names(arm, item, split, seed)
    of = None
    if scores is not None:
        of = _read(scores, score_of(metric, score), columns, bounds, failed, paired_rows, arms)
    report = call(
        _native.simulate,
        of,
        gaussian=[(mean, sd) for mean, sd in gaussian],
        arms=selected(scores, arms),
        direction=direction,
        bounds=bounds,
        policy=policy,
        posterior=posterior,
        stopping=stopping,
        tolerance=_distance(tolerance),
        tie=_distance(tie),
        strict=strict,
        rare_failures=rare_failures,
        splits=splits,
        confidence=_several(confidence),
        shortfall=[str(distance) for distance in _several(shortfall)],
        budget=_several(budget),
        parallel=parallel,
        durations=durations,
        cap=cap,
        beta=beta,
        tie_break=tie_break,
        extended=extended,
        runs=runs,
        seed=_drawing(seed) or 0,
    )
    return shown(SimulationReport, report)


def plan(
    pilot: Any = None,
    *,
    gaussian: Sequence[tuple[float, float]] = (),
    arms: int | None = None,
    gap: float | None = None,
    sd: float | None = None,
    split_sd: float | None = None,
    items: int | None = None,
    correlation: float = 0.5,
    spread: float = 0.0,
    metric: str | None = None,
    score: str | None = None,
    arm: str | None = None,
    split: str | None = None,
    item: str | None = None,
    failed: Literal["drop", "error", "worst"] | None = None,
    direction: Direction | None = None,
    bounds: tuple[float, float] | None = None,
    paired_rows: bool = False,
    pool_size: int | None = None,
    splits: Literal["shared", "independent"] | None = None,
    confidence: float | Sequence[float] | None = None,
    tolerance: float | None = None,
    power: float = 0.8,
    parallel: int = 1,
    cost_per_evaluation: float | None = None,
    runs: int = 500,
    seed: int | str = 0,
    cap: int | None = None,
) -> PlanReport | PoolPlanReport:
    """
    How many evaluations a study will need.

    Parameters
    ----------
    pilot
        Scores of a pilot, as of :func:`belief`; means and standard deviations are estimated.
    gaussian : sequence of (mean, sd)
        Supposed means and standard deviations instead.
    arms, gap, sd
        A guess instead: of so many arms one is so much better than each of the others, with this
        standard deviation of a score.
    split_sd : float, optional
        How much of the standard deviation lies between splits.
    items : int, optional
        With ``arms`` and ``gap``, a pool of so many items that are answered right or wrong.
    correlation, spread : float
        How alike two arms answer an item, and how far the arms behind the second are apart, both
        in latent normal variables.
    metric, score, arm, split, item, failed, direction, bounds, paired_rows, pool_size
        As of :func:`belief`.
    splits : {"shared", "independent"}, optional
        Which splits evaluations get.
    confidence : float or sequence of float, optional
        The confidences to plan for (default: .95).
    tolerance : float, optional
        In a pool, how far below the best the arm may be that is named.
    power : float
        Of the classical tests.
    parallel : int
        Evaluations in flight at once.
    cost_per_evaluation : float, optional
        Seconds that one evaluation takes; totals are then also told in hours.
    runs, seed : int
        How many studies are simulated, and their seed; a text as ``seed`` names the column of the
        seeds.
    cap : int, optional
        Give a simulated study up after so many evaluations.

    Returns
    -------
    PlanReport or PoolPlanReport
        The latter for pools of items.

    Raises
    ------
    TypeError, ValueError
        As of :func:`belief`, and if nothing, or more than one thing, is supposed.

    Examples
    --------
    >>> import fiesta_select as fiesta
    >>> found = fiesta.plan(arms=8, gap=.014, sd=.027, split_sd=.02, runs=50)
    >>> len(found.arms)
    8
    """
    from .results import PlanReport, PoolPlanReport

    guessed = gap is not None
    if (pilot is not None) + bool(gaussian) + guessed != 1:
        raise ValueError(
            "a plan supposes one thing: give the scores of a pilot, or gaussian=, or arms= and gap="
        )
    moments = [(mean, deviation) for mean, deviation in gaussian]
    pool = None
    if gap is not None:
        if arms is None or not 2 <= arms <= 100_000 or (sd is None) == (items is None):
            raise ValueError(
                "a guess is arms= (2 or more), gap=, and either sd= or, for a pool, items=: give these three"
            )
        if items is not None:
            pool = (arms, items, _items(gap, items), correlation, spread)
        elif sd is not None:
            better = abs(gap) if direction != "minimize" else -abs(gap)
            moments = [(better, sd)] + [(0.0, sd)] * (arms - 1)
    columns = column_names(arm, item, split, seed)
    of = None
    if pilot is not None:
        of = _read(pilot, score_of(metric, score), columns, bounds, failed, paired_rows)
    report = call(
        _native.plan,
        of,
        gaussian=moments,
        pool=pool,
        split_sd=split_sd,
        direction=direction,
        bounds=bounds,
        pool_size=pool_size,
        splits=splits,
        confidence=None if confidence is None else _several(confidence),
        tolerance=tolerance,
        power=power,
        parallel=parallel,
        cost_per_evaluation=cost_per_evaluation,
        runs=runs,
        seed=_drawing(seed) or 0,
        cap=cap,
    )
    if report.kind == "PoolPlanReport":
        return shown(PoolPlanReport, report)
    return shown(PlanReport, report)


def selected(scores: Any, arms: Sequence[str] | None) -> list[str]:
    """The arms to select: of an array, the names are those of its columns."""
    is_array = getattr(scores, "ndim", None) == 2 and not hasattr(scores, "columns")
    return [] if arms is None or is_array else names_of(arms)


def _read(
    scores: Any,
    metric: str | None,
    columns: dict[str, str | None],
    bounds: tuple[float, float] | None,
    failed: Literal["drop", "error", "worst"] | None,
    paired_rows: bool,
    arms: Sequence[str] | None = None,
    gold: str | None = None,
) -> _native.Records:
    """Scores that an analysis is given, with what its keywords say of them."""
    return records(
        scores,
        arms=arms,
        metric=metric,
        bounds=bounds,
        paired_rows=paired_rows,
        columns=columns,
        failed=failed,
        gold=gold,
    )


def score_of(metric: str | None, score: str | None) -> str | None:
    """The column of the score, which has two names."""
    if metric is not None and score is not None and metric != score:
        raise TypeError(f"metric={metric!r} and score={score!r} name the same column: give one")
    return metric if score is None else score


def column_names(
    arm: str | None, item: str | None, split: str | None, seed: int | str | None
) -> dict[str, str | None]:
    """What columns are called that have other names."""
    named = seed if isinstance(seed, str) else None
    return {"arm": arm, "item": item, "split": split, "seed": named}


def _drawing(seed: int | str | None) -> Any:
    """The seed of what an analysis draws: none if it is the name of a column."""
    return None if isinstance(seed, str) else seed


def _several(values: Any) -> list[Any]:
    """One value or several, as a list."""
    return [values] if isinstance(values, (int, float, str)) else list(values)


def _distance(distance: Distance | None) -> str | None:
    """A distance as the program's flags write it."""
    return None if distance is None else str(distance)


def _items(gap: float, items: int) -> int:
    """A gap of shares in items."""
    number = round(abs(gap) * items)
    if not 1 <= number < 10**6:
        raise ValueError(
            f"a gap of {gap} in {items} items is less than one item, or no share: two arms of a "
            f"pool are at least 1/{items} apart"
        )
    return number


def call(analysis: Any, of: Any, **keywords: Any) -> _native.Report:
    """What a native analysis finds; whole numbers that it cannot hold are refused by name."""
    try:
        report: _native.Report = analysis(of, **keywords)
    except OverflowError:
        raise ValueError(_too_large(keywords)) from None
    except UnicodeEncodeError:
        for name, value in keywords.items():
            if isinstance(value, str):
                text(f"{name}=", value)
        raise
    return report


def _too_large(keywords: dict[str, Any]) -> str:
    """Which keyword is no whole number of 64 bits from 0 upwards."""
    for name, value in keywords.items():
        for number in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(number, int) and not 0 <= number < 2**63:
                return f"{name}= is to be a whole number of 64 bits, 0 or more, and is {shown_value(number)}"
    return "a number is too large, or below 0 where none can be"
