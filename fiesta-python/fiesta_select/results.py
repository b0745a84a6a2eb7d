"""
Results of analyses: dataclasses of the shape of the program's JSON.

Written by ``scripts/python-results`` from ``docs/schema``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ._shown import Shown, ShownGate


@dataclass(frozen=True)
class FMeasurePrior:
    """
    The prior θ ~ Dirichlet(α₀θ₀) of the shares of TP, FP, TN and FN.
    """

    alpha0: float
    """
    Weight of the prior in items, α₀.
    """
    theta0: list[float]
    """
    The expected shares θ₀, which sum to 1.
    """


@dataclass(frozen=True)
class BehindBest:
    """
    How far an arm is behind the best: the best arm's mean less its own, as reported.
    """

    difference: float
    """
    The difference of the means: by the posterior, or by the scores where that has none.
    """
    standard_error: float | None = None
    """
    Standard error of the distance, or the scale of its posterior. `None` where nothing is known
    of the noise.
    """
    lower: float | None = None
    """
    Lower end of the distance's 95 % interval. `None` where nothing is known of the noise.
    """
    upper: float | None = None
    """
    Upper end of the distance's 95 % interval.
    """


@dataclass(frozen=True)
class Marginal:
    """
    Mean, standard deviation and quantiles of a quantity under its posterior.
    """

    mean: float
    """
    Mean of the quantity.
    """
    sd: float
    """
    Standard deviation of the quantity.
    """


@dataclass(frozen=True)
class McNemar:
    """
    McNemar's exact test: of the items on which exactly one of two arms is right, how surprising the
    division between the two would be if either were as likely.

    With b items of the one and c of the other, n = b + c, m = min(b, c) and X ~ Binomial(n, ½):

    p = min(1, 2·P(X ≤ m)),   mid-p = 2·P(X < m) + P(X = m)

    p is two-sided and errs in at most its level; mid-p (Lancaster 1961; Fagerland, Lydersen and
    Laake 2013) errs in about its level, where p is too cautious. Both are 1 without such an item.

    They hold where the number of items was fixed beforehand, and not where items were asked, or the
    asking ended, as the answers came in.

    Source: McNemar, "Note on the sampling error of the difference between correlated proportions or
    percentages" (1947).
    """

    only_first: int
    """
    Number of items on which the first arm is right and the second wrong, b.
    """
    only_second: int
    """
    Number of items on which the second arm is right and the first wrong, c.
    """
    p_value: float
    """
    Exact two-sided p-value of McNemar's test.
    """
    mid_p_value: float
    """
    Two-sided mid-p-value of McNemar's test.
    """


PoolOrigin: TypeAlias = Literal["file", "study", "sample"]
"""
Origin of the items and answers of a pool: a study, a random sample, or a file alone.
"""


@dataclass(frozen=True)
class ArmOfPool:
    """
    One arm of a pool.
    """

    name: str
    """
    Name of the arm.
    """
    answered: int
    """
    Number of items that the arm has answered.
    """
    share: float
    """
    Share of the pool's items that the arm has answered.
    """
    probability_on_these_items: float | None = None
    """
    P(best) on these items. `None` once all answers are known, and before every arm has its first.
    """
    probability_on_items_like_these: float | None = None
    """
    P(best) on items like these. `None` before every arm has its first answers.
    """
    mean: float | None = None
    """
    Posterior mean of the arm's mean over the whole pool, as reported: not the average of its
    answers, as what was answered before decides which items are asked. `None` if answers are
    missing that no study chose.
    """
    standard_error: float | None = None
    """
    Posterior standard deviation of the mean over the pool; 0 once the arm has answered all
    items, unless answers vary.
    """


@dataclass(frozen=True)
class TheseItems:
    """
    Verdict on which arm has the highest mean over the items of the pool.
    """

    best: list[str]
    """
    Best arm; of several that are known to be equal, all of them.
    """
    lead: float | None = None
    """
    How far the best arm's mean is from the next arm's, in the unit of the scores, once all
    answers are known. `None` if some are not, or all arms are equal.
    """
    probability: float | None = None
    """
    Probability that the arm is the best. `None` once all answers are known: then it is a count.
    """


@dataclass(frozen=True)
class ItemsLikeThese:
    """
    Verdict on which arm would have the highest mean over many more items that are drawn as these
    were.
    """

    best: str
    """
    Name of the arm that is most probably best.
    """
    probability: float
    """
    Probability that the arm is the best.
    """
    not_where: str
    """
    Cases in which the probability may not be believed, in words.
    """


@dataclass(frozen=True)
class PoolClaim:
    """
    The arms that can be named, and how often that would be wrong for whoever looks after every
    answer.
    """

    arms: list[str]
    """
    Leader of the pool; with several arms that are known to be equal, all of them.
    """
    error: float
    """
    Probability that an arm as good as the leader would ever fall so far behind.
    """


@dataclass(frozen=True)
class DiscordantSide:
    """
    The items on which one of two arms is better than the other.
    """

    items: int
    """
    Number of the items.
    """
    difference: float
    """
    Sum of the differences on the items.
    """


@dataclass(frozen=True)
class GroupMean:
    """
    The answers of an arm to the items of a group.
    """

    name: str
    """
    Name of the arm.
    """
    answered: int
    """
    Number of items of the group that the arm has answered.
    """
    mean: float | None = None
    """
    Mean of the arm's answers in the group; none without any.
    """


@dataclass(frozen=True)
class ArmThatVaries:
    """
    How much the answers of an arm vary.
    """

    name: str
    """
    Name of the arm.
    """
    repeats: int
    """
    Number of the arm's answers that repeat an item.
    """
    within_item_sd: float
    """
    Standard deviation of the arm's answers to the same item that the posterior uses, in the
    unit of the scores: estimated from the repeats of all arms, with a prior.
    """
    share: float
    """
    Share of the variance within items in the variance of all the arm's answers.
    """
    observed_within_item_sd: float | None = None
    """
    Standard deviation that the arm's own repeats alone show. `None` before the first repeat.
    """


@dataclass(frozen=True)
class LackingGroup:
    """
    The items of a group that an arm lacks.
    """

    group: str
    """
    Name of the group, or what the names of its items begin with.
    """
    items: int
    """
    Number of items of the group.
    """
    lacks: int
    """
    Number of items of the group that the arm lacks.
    """


@dataclass(frozen=True)
class AgainstLeader:
    """
    The leader's mean less an arm's on the items of both, as reported.
    """

    items: int
    """
    Number of items that both arms have answered.
    """
    difference: float
    """
    Difference of the means of leader and arm.
    """
    standard_error: float | None = None
    """
    Standard error of the difference. `None` for fewer than two items.
    """


@dataclass(frozen=True)
class FurtherAnswers:
    """
    Further answers until an arm is named, over the continuations.
    """

    median: int
    """
    Median of the further answers.
    """
    lower: int
    """
    Tenth percentile of the further answers.
    """
    upper: int
    """
    Ninetieth percentile of the further answers.
    """


@dataclass(frozen=True)
class OutlookAtBudget:
    """
    Outlook at a budget of further answers.
    """

    answers: int
    """
    Number of further answers.
    """
    share: float
    """
    Share of the further answers among all that are left.
    """
    settled: float
    """
    Share of continuations in which an arm is named with no more than these further answers.
    """
    probability_best: float
    """
    Expected P(best): the share of continuations in which the arm that leads then, or was named
    before, is the best of the drawn pool or within the tolerance of it.
    """


@dataclass(frozen=True)
class ArmOnBenchmarks:
    """
    An arm on the weighted mean.
    """

    name: str
    """
    Name of the arm.
    """
    value: float
    """
    Weighted mean of the arm's means.
    """
    probability_on_items_like_these: float
    """
    P(best) on items like these, and of scores on splits.
    """
    probability_on_these_items: float | None = None
    """
    P(best) on the items of all benchmarks. `None` where a benchmark is no pool, or answers are
    missing that no study chose.
    """
    probability_on_benchmarks_like_these: float | None = None
    """
    P(best) on many more benchmarks drawn as these were, each counted once. `None` of fewer than
    three benchmarks, and where they have unequal weights.
    """


@dataclass(frozen=True)
class ArmOnBenchmark:
    """
    One arm on one benchmark.
    """

    evaluations: int
    """
    Number of evaluations.
    """
    mean: float
    """
    Mean of the arm, in the benchmark's own unit.
    """
    place: int
    """
    Place of the arm on this benchmark, from 1; equal arms share the best place.
    """
    probability_best: float
    """
    P(best) on items like those of the benchmark, and of scores on splits.
    """
    share: float | None = None
    """
    Share of the items that the arm has answered. `None` where the benchmark is no pool.
    """


@dataclass(frozen=True)
class ArmLeftOut:
    """
    An arm without a score on some benchmark.
    """

    name: str
    """
    Name of the arm.
    """
    lacks: list[str]
    """
    The benchmarks that have no score of the arm.
    """


MeasuresVerdict: TypeAlias = Literal["arm", "none_feasible", "open"]
"""
Verdict on the cheapest arm that is good enough, or on the best within limits.
"""


@dataclass(frozen=True)
class MeasureLimit:
    """
    Upper limit of an arm's mean of a measure, written `seconds=2`.
    """

    measure: str
    """
    Name of the measure: a column of the evaluations, `cost` or `duration`.
    """
    at_most: float
    """
    Largest mean that is allowed.
    """


@dataclass(frozen=True)
class ArmMeasure:
    """
    Mean of a measure of one arm.
    """

    measure: str
    """
    Name of the measure.
    """
    evaluations: int
    """
    Number of evaluations with a value of the measure.
    """
    mean: float
    """
    Mean of the values.
    """
    lower: float
    """
    Least mean of the central 95 % of the posterior; the mean itself where it is known.
    """
    upper: float
    """
    Greatest mean of the central 95 % of the posterior.
    """
    is_known: bool
    """
    Whether the mean is known, as all values are the same.
    """
    probability_at_most: float | None = None
    """
    Probability that the mean is within the limit. `None` without a limit of this measure.
    """


@dataclass(frozen=True)
class MeansTable:
    """
    Table of means with their spread, as a belief takes it.
    """

    arms: str
    """
    How the arms are taken: `independent`, as what splits shared is lost in a table of means.
    """
    spread: str
    """
    The meaning of the spreads: `sd`, `se` or `ci95`.
    """
    rounded_to: float
    """
    The unit to which the means are rounded: the coarsest of all data sets.
    """
    data_sets: list[str]
    """
    Data sets over which an arm's mean is averaged, each counted once. Empty for one.
    """


@dataclass(frozen=True)
class FurtherEvaluations:
    """
    Quantiles over the continuations of the further evaluations before an arm is named. `None` if the
    continuation at this quantile is unsettled.
    """

    median: int | None = None
    """
    Median number of further evaluations over the continuations.
    """
    lower: int | None = None
    """
    Tenth percentile of the further evaluations over the continuations.
    """
    upper: int | None = None
    """
    Ninetieth percentile of the further evaluations over the continuations.
    """


@dataclass(frozen=True)
class ComparedArm:
    """
    The scores of one of two arms.
    """

    name: str
    """
    Name of the arm.
    """
    evaluations: int
    """
    How many scores the arm has.
    """
    mean: float
    """
    Mean of the arm's scores.
    """
    standard_deviation: float | None = None
    """
    Standard deviation of the arm's scores. `None` of a single score.
    """
    lower: float | None = None
    """
    Where the interval of the mean begins: Student's t, of scores that are all 0 or 1 the exact
    binomial one; none where nothing is known of the noise.
    """
    upper: float | None = None
    """
    Where the interval of the mean ends.
    """


@dataclass(frozen=True)
class ComparisonReport(Shown):
    """
    Two arms: their means, how far these are apart, and how surprising that is.
    """

    metric: str
    """
    What the score is called.
    """
    direction: str
    """
    Which scores are better: `maximize` or `minimize`.
    """
    a: ComparedArm
    """
    First of the two compared arms, with its scores.
    """
    b: ComparedArm
    """
    Second of the two compared arms, with its scores.
    """
    confidence: float
    """
    The confidence of all intervals.
    """
    difference: float
    """
    The mean of the first arm less that of the second, in the metric's own units; on shared
    splits that over these.
    """
    degrees_of_freedom: float
    """
    The degrees of freedom of the standard error; 0 where there is none.
    """
    tie: bool
    """
    Whether the arms are a tie: the interval of the difference lies between −`tolerance` and
    `tolerance`, or on two splits at least no score differs.
    """
    test: str
    """
    The test: `paired t`, `welch t`, or `permutation` where scores show no noise.
    """
    left_out: int
    """
    How many scores of the two arms are on other splits and do not count in the difference.
    """
    pairing: str
    """
    The source of splits that pair scores: `column`, `item`, `rows` or `none`.
    """
    posterior: str
    """
    The posterior of `probability_better`.
    """
    only_a: list[str]
    """
    Items or splits on which only the first arm is right.
    """
    only_b: list[str]
    """
    Items or splits on which only the second arm is right.
    """
    notes: list[str]
    """
    Notes on the data.
    """
    standard_error: float | None = None
    """
    Standard error of the difference. `None` where nothing is known of the noise.
    """
    lower: float | None = None
    """
    Where the interval of the difference begins; none where nothing is known of the noise.
    """
    upper: float | None = None
    """
    Where the interval of the difference ends.
    """
    effect: float | None = None
    """
    Difference in standard deviations of a difference: of the two scores on one split, else of any
    two scores, √(s_a² + s_b²). `None` if that deviation is 0 or not known.
    """
    tolerance: float | None = None
    """
    Largest difference, in the metric's units, that counts as a tie. `None` if none was asked for.
    """
    p_value: float | None = None
    """
    Two-sided p-value of the test. `None` where nothing is known of the noise.
    """
    shared_splits: int | None = None
    """
    Number of splits on which both arms have a score, if the arms are compared on these splits.
    """
    target: str | None = None
    """
    Which items of a pool `probability_better` is of: `these items` or `items like these`. `None`
    under other posteriors than `pool`.
    """
    probability_better: float | None = None
    """
    The probability that the mean of the first arm is better than that of the second; none where
    the posterior needs more scores.
    """
    posterior_interval: list[float] | None = None
    """
    The posterior interval of the difference, from which `probability_better` follows: at 95 % it
    excludes 0 exactly if that is above 97.5 % or below 2.5 %; `None` where it is not known.
    """
    mcnemar: McNemar | None = None
    """
    On items or splits that each arm got right (the better of 0 and 1) or wrong once, McNemar's
    exact test of the two.
    """


@dataclass(frozen=True)
class Place:
    """
    Places among K arms that an arm may have, by the means that further scores would show; 1 is the
    best.

    Where all pairs of arms are told apart at once,

    first = 1 + number of arms shown to be better,   last = K − number of arms shown to be worse

    so that with the confidence of the pairs every arm's true place lies in its range, for all arms
    together. Arms of equal means share all the places that they take. Ranges of arms overlap, and are
    no tiers.

    Source: Mogstad, Romano, Shaikh and Wilhelm, "Inference for Ranks with Applications to Mobility
    across Neighbourhoods and Academic Achievement across Countries" (2024).
    """

    first: int
    """
    Best place that the arm may have.
    """
    last: int
    """
    Worst place that the arm may have.
    """


@dataclass(frozen=True)
class ComparedPair:
    """
    Comparison of one pair among several arms.
    """

    metric: str
    """
    What the score is called.
    """
    direction: str
    """
    Which scores are better: `maximize` or `minimize`.
    """
    a: ComparedArm
    """
    First of the two compared arms, with its scores.
    """
    b: ComparedArm
    """
    Second of the two compared arms, with its scores.
    """
    confidence: float
    """
    The confidence of all intervals.
    """
    difference: float
    """
    The mean of the first arm less that of the second, in the metric's own units; on shared
    splits that over these.
    """
    degrees_of_freedom: float
    """
    The degrees of freedom of the standard error; 0 where there is none.
    """
    tie: bool
    """
    Whether the arms are a tie: the interval of the difference lies between −`tolerance` and
    `tolerance`, or on two splits at least no score differs.
    """
    test: str
    """
    The test: `paired t`, `welch t`, or `permutation` where scores show no noise.
    """
    left_out: int
    """
    How many scores of the two arms are on other splits and do not count in the difference.
    """
    pairing: str
    """
    The source of splits that pair scores: `column`, `item`, `rows` or `none`.
    """
    posterior: str
    """
    The posterior of `probability_better`.
    """
    only_a: list[str]
    """
    Items or splits on which only the first arm is right.
    """
    only_b: list[str]
    """
    Items or splits on which only the second arm is right.
    """
    notes: list[str]
    """
    Notes on the data.
    """
    result: str
    """
    What the scores say of the first arm: `tie` with the second; `better` or `worse` by the adjusted
    p-value; else `open`.
    """
    standard_error: float | None = None
    """
    Standard error of the difference. `None` where nothing is known of the noise.
    """
    lower: float | None = None
    """
    Where the interval of the difference begins; none where nothing is known of the noise.
    """
    upper: float | None = None
    """
    Where the interval of the difference ends.
    """
    effect: float | None = None
    """
    Difference in standard deviations of a difference: of the two scores on one split, else of any
    two scores, √(s_a² + s_b²). `None` if that deviation is 0 or not known.
    """
    tolerance: float | None = None
    """
    Largest difference, in the metric's units, that counts as a tie. `None` if none was asked for.
    """
    p_value: float | None = None
    """
    Two-sided p-value of the test. `None` where nothing is known of the noise.
    """
    shared_splits: int | None = None
    """
    Number of splits on which both arms have a score, if the arms are compared on these splits.
    """
    target: str | None = None
    """
    Which items of a pool `probability_better` is of: `these items` or `items like these`. `None`
    under other posteriors than `pool`.
    """
    probability_better: float | None = None
    """
    The probability that the mean of the first arm is better than that of the second; none where
    the posterior needs more scores.
    """
    posterior_interval: list[float] | None = None
    """
    The posterior interval of the difference, from which `probability_better` follows: at 95 % it
    excludes 0 exactly if that is above 97.5 % or below 2.5 %; `None` where it is not known.
    """
    mcnemar: McNemar | None = None
    """
    On items or splits that each arm got right (the better of 0 and 1) or wrong once, McNemar's
    exact test of the two.
    """
    p_adjusted: float | None = None
    """
    The p-value after Holm's adjustment over all pairs: McNemar's exact one where there is one, else
    `p_value`. `None` if there is no test.
    """


@dataclass(frozen=True)
class PairsReport(Shown):
    """
    Several arms, and the comparisons of their pairs.
    """

    metric: str
    """
    What the score is called.
    """
    direction: str
    """
    Which scores are better: `maximize` or `minimize`.
    """
    confidence: float
    """
    Confidence of all intervals. An adjusted p-value of at most one less this decides a pair.
    """
    arms: list[ComparedArm]
    """
    The arms, the best mean first: of items, over those that all arms have answered.
    """
    places: list[Place]
    """
    Places that each of the arms may have among them, in the order of `arms`: all hold together with
    the confidence.
    """
    adjusted_over: int
    """
    Number of pairs over which p-values are adjusted: all pairs of the arms, also where only those
    with the best are compared, which the scores have chosen.
    """
    pairs: list[ComparedPair]
    """
    The comparisons: every pair of up to six arms; of more, the best with each other.
    """
    notes: list[str]
    """
    Notes on the data.
    """
    tolerance: float | None = None
    """
    Largest difference, in the metric's units, that counts as a tie. `None` if none was asked for.
    """


Centre: TypeAlias = Literal["mean", "median"]
"""
The estimate that a band is of.
"""


@dataclass(frozen=True)
class Informative:
    """
    The n for which the ends of a band rest on scores.
    """

    better_end_up_to: int | None = None
    """
    Greatest n for which the better end rests on scores; none if there are too few scores for
    any.
    """
    worse_end_from: int | None = None
    """
    Least n for which the worse end rests on scores.
    """


@dataclass(frozen=True)
class CrossingOfArms:
    """
    A crossing of the curves of two arms.
    """

    arms: list[str]
    """
    Names of the two arms.
    """
    n: float
    """
    Number of trials n at which the estimates cross.
    """
    better_before: str
    """
    The better arm for smaller n.
    """
    better_after: str
    """
    The better arm for larger n.
    """
    certain: bool
    """
    Whether both ends of the range are known in which the crossing lies.
    """
    confidence: float
    """
    The confidence with which two bands hold together.
    """
    from_: int | None = None
    """
    Last n before the crossing at which the bands are apart.
    """
    until: int | None = None
    """
    First n after the crossing at which the bands are apart.
    """


@dataclass(frozen=True)
class ApartFor:
    """
    A range of n for which the bands of two curves are apart.
    """

    from_: int
    """
    First n of the range.
    """
    until: int
    """
    Last n of the range.
    """
    better: str
    """
    Name of the better arm.
    """


@dataclass(frozen=True)
class ArmBudget:
    """
    The trials of one arm that it takes to expect a score.
    """

    name: str
    """
    Name of the arm.
    """
    value: float
    """
    Score that is to be expected.
    """
    status: str
    """
    Status of the score, in a word: whether it is reached.
    """
    within_B: bool
    """
    Whether the score is reached within the trials that there are.
    """
    first_n: int | None = None
    """
    First n at which the curve reaches the score.
    """
    real_n: float | None = None
    """
    Real n at which the curve reaches the score.
    """
    linear_interp_n: float | None = None
    """
    The n at which straight lines between the points of the curve reach the score.
    """
    time: float | None = None
    """
    Time that the budget's trials take, in seconds.
    """


@dataclass(frozen=True)
class ArmBestOfN:
    """
    Probabilities of one arm to have the highest expected best of n.
    """

    name: str
    """
    Name of the arm.
    """
    probability: list[float]
    """
    Probability at every n that the arm has the highest expected best of n.
    """


@dataclass(frozen=True)
class Led:
    """
    A range of n for which one arm leads.
    """

    from_: int
    """
    First n of the range.
    """
    to: int
    """
    Last n of the range.
    """
    lowest: float
    """
    Lowest leading probability in the range.
    """
    highest: float
    """
    Highest leading probability in the range.
    """
    arm: str
    """
    Name of the arm that leads.
    """


@dataclass(frozen=True)
class Undecided:
    """
    A range of n for which no arm leads.
    """

    from_: int
    """
    First n of the range.
    """
    to: int
    """
    Last n of the range.
    """
    lowest: float
    """
    Lowest leading probability in the range.
    """
    highest: float
    """
    Highest leading probability in the range.
    """
    arms: list[str]
    """
    Arms that are likeliest at some n of the range.
    """


@dataclass(frozen=True)
class ArmTail:
    """
    The tail of one arm's scores towards better ones.
    """

    arm: str
    """
    Name of the arm.
    """
    shape: float
    """
    The shape of the generalised Pareto distribution; heavy above 0.
    """
    standard_error: float
    """
    Standard error of the shape.
    """
    scores: int
    """
    Number of scores that the tail was estimated from.
    """
    weight: float
    """
    Weight of each trial in the estimate of the tail, as a part of a whole trial.
    """
    heavy: bool
    """
    Whether the tail is heavy.
    """


GateVerdict: TypeAlias = Literal["ships", "blocked", "undecided"]
"""
Verdict on a new version: whether it may replace the old one.
"""


Standing: TypeAlias = Literal["better", "equal", "worse", "open"]
"""
How a candidate compares with the baseline, whatever the margin.
"""


ConstrainedQuantity: TypeAlias = Literal["share", "mean", "excess"]
"""
Quantity that a constraint limits.
"""


@dataclass(frozen=True)
class FlippedAnswer:
    """
    An arm's answer to an item.
    """

    score: float | None = None
    """
    Score of the answer. `None` if it failed or is missing.
    """
    flaky: bool | None = None
    """
    Whether the arm's answers to the item differ, as files hold several of them. The score is their
    mean.
    """
    text: str | None = None
    """
    Text of the answer: the column `answer`, `output`, `response`, `prediction` or `completion`, or what a
    log holds. `None` without such a text.
    """


@dataclass(frozen=True)
class GateDrift:
    """
    Difference of a version from the anchor, the first baseline of a line of gates: each may let a version pass
    that is worse by less than its margin, and together they may lose several margins.

    The difference is of means over the items or splits that both answered, above 0 if the version is better.
    Its interval is that of `PairedDifference`, which supposes that their number was set beforehand: where a
    gate ended early, it errs more often than stated. Where gates ended early, versions have few items in common
    with the anchor. The sum of the gates' own differences stands beside, without an interval.
    """

    anchor: str
    """
    Name of the anchor.
    """
    since: str
    """
    Day on which the anchor's answers were kept first, in UTC.
    """
    arm: str
    """
    Name of the version that is recommended now.
    """
    gates: int
    """
    Number of gates since that let a version pass.
    """
    sum: float
    """
    Sum of the differences that these gates showed, each of two versions that followed each other.
    """
    items: int
    """
    Number of items or splits that both answered.
    """
    difference: float
    """
    Mean of the version less that of the anchor, with the sign turned around where smaller is better.
    """
    error: float
    """
    Share of samples in which each end errs.
    """
    lower: float | None = None
    """
    Lower end of the interval. `None` with too few items.
    """
    upper: float | None = None
    """
    Upper end of the interval.
    """


@dataclass(frozen=True)
class SupposedArm:
    """
    One arm of a plan.
    """

    name: str
    """
    Name of the arm.
    """
    mean: float
    """
    Mean of the arm's scores.
    """
    standard_deviation: float
    """
    Standard deviation of the arm's scores.
    """
    residual_standard_deviation: float
    """
    Part of the standard deviation that does not lie between splits.
    """


@dataclass(frozen=True)
class Planned:
    """
    A number of evaluations, and how long they take.
    """

    evaluations: float
    """
    Number of evaluations.
    """
    hours: float | None = None
    """
    Hours that the evaluations take, if the time of one is known.
    """


@dataclass(frozen=True)
class SimulatedEvaluations:
    """
    Evaluations of simulated studies.
    """

    mean: float
    """
    Mean number of evaluations.
    """
    standard_error: float
    """
    Standard error of the mean.
    """
    q90: int
    """
    Number of evaluations within which 90 % of the simulated studies ended.
    """


@dataclass(frozen=True)
class Test:
    """
    A test with a fixed number of evaluations.
    """

    level: float
    """
    Significance level of one test.
    """
    per_arm: float
    """
    Evaluations of each arm.
    """
    evaluations: float
    """
    Number of evaluations.
    """
    hours: float | None = None
    """
    Hours that the evaluations take, if the time of one is known.
    """


@dataclass(frozen=True)
class SupposedPool:
    """
    A made-up pool that a plan is for.
    """

    arms: int
    """
    Number of arms, K.
    """
    items: int
    """
    Number of items, N.
    """
    gap_items: int
    """
    How many items the best is ahead of the second.
    """
    correlation: float
    """
    The correlation of two arms on an item, in the latent scale.
    """
    spread: float
    """
    The distance of the other arms from each other, in latent standard deviations.
    """


WrittenDistance: TypeAlias = float | str
"""
Distance as JSON has it: a number in the unit of the scores, or a text such as `0.25 sd`.
"""


@dataclass(frozen=True)
class Evaluations:
    """
    Evaluations of a run: least, mean with its standard error, and most.
    """

    min: int
    """
    Fewest evaluations of any run.
    """
    mean: float
    """
    Mean number of evaluations over the runs.
    """
    max: int
    """
    Most evaluations of any run.
    """
    standard_error: float
    """
    Standard error of the mean number of evaluations.
    """


@dataclass(frozen=True)
class Cost:
    """
    The cost of a run.
    """

    mean: float
    """
    Mean cost over the runs.
    """
    standard_error: float
    """
    Standard error of the mean cost.
    """


State: TypeAlias = Literal["running", "stopped", "finished"]
"""
The state of a study in one word.
"""


@dataclass(frozen=True)
class FailureGroup:
    """
    Evaluations that failed for the same cause.
    """

    count: int
    """
    Number of evaluations that failed for this cause.
    """
    arms: list[str]
    """
    The arms of the evaluations that failed for this cause.
    """
    evaluation: int
    """
    The number of the first evaluation that failed for this cause, from 1.
    """
    message: str
    """
    Why the first evaluation failed for this cause: its message, with the end of its output.
    """
    log: str
    """
    The file with the output of the first evaluation that failed for this cause.
    """


@dataclass(frozen=True)
class LostAttempts:
    """
    Attempts that led to no outcome: lost, or stopped.
    """

    attempts: int
    """
    Number of the attempts.
    """
    cost: float
    """
    Cost of the attempts together, in the study's unit.
    """


@dataclass(frozen=True)
class TopReport:
    """
    The best arms of a study with `top`.
    """

    count: int
    """
    Number of arms that the study is to name.
    """
    arms: list[str]
    """
    Names of the arms: those of the decision, or those that lead.
    """
    probability: float
    """
    Least posterior probability that no other arm is better than any of these.
    """


@dataclass(frozen=True)
class MeasureStatus:
    """
    A measure of an arm's evaluations.
    """

    name: str
    """
    The name of the measure.
    """
    unit: str | None = None
    """
    Unit of the measure. `None` if the study file names none.
    """
    mean: float | None = None
    """
    Mean of the values. `None` without any.
    """
    standard_deviation: float | None = None
    """
    Standard deviation of the values. `None` of fewer than two.
    """
    greatest: float | None = None
    """
    The greatest value. `None` without any.
    """


SlotState: TypeAlias = Literal["free", "busy", "waiting", "quarantined", "foreign", "queued"]
"""
State of a slot: free, busy, or not used for a reason.
"""


@dataclass(frozen=True)
class Running:
    """
    A run that goes on.
    """

    run: str
    """
    The name of the run.
    """
    evaluation: int
    """
    The number of the run's evaluation, from 1.
    """
    arm: str
    """
    The arm of the run.
    """
    split: int
    """
    Number of the split that the run is evaluated on, or of its document in a study of
    documents.
    """
    seed: int
    """
    The seed of the run.
    """
    seconds: float
    """
    Seconds that the run has gone on, or waited.
    """
    document: str | None = None
    """
    The document of the run, in a study of documents.
    """
    node: str | None = None
    """
    The machine that the run is on, where an engine says so.
    """


@dataclass(frozen=True)
class BestTrialStatus:
    """
    The trial of an arm with the best score.
    """

    evaluation: int
    """
    The number of the trial's evaluation, from 1.
    """
    score: float
    """
    The score of the trial.
    """
    setting: dict[str, Any]
    """
    The hyperparameters of the trial.
    """
    seed: int
    """
    The seed of the trial.
    """
    split: int
    """
    The split of the trial.
    """


@dataclass(frozen=True)
class BenchmarkArm:
    """
    One arm on one benchmark.
    """

    name: str
    """
    Name of the arm.
    """
    answers: int
    """
    Number of items of the benchmark that the arm has answered.
    """
    probability_best: float
    """
    Probability that the arm is the best on this benchmark alone.
    """
    mean: float | None = None
    """
    Estimate of the arm's mean over the benchmark. `None` before its first answer there.
    """


@dataclass(frozen=True)
class SearchWinnerReport:
    """
    The search's winner after its first evaluations.
    """

    arm: str
    """
    The name of the arm.
    """
    search_score: float
    """
    Score of the arm's setting in the search.
    """
    first: int
    """
    How many of the arm's evaluations are compared with that score, failed ones included.
    """
    ended: int
    """
    Number of these that have ended.
    """
    failed: int
    """
    Number of these that failed.
    """
    mean: float | None = None
    """
    Mean of the scores of these evaluations. `None` before all have ended, and if all failed.
    """
    standard_error: float | None = None
    """
    Standard error of the mean, and of the optimism. `None` of fewer than two scores.
    """
    optimism: float | None = None
    """
    By how much the search overstated the arm: the search's score less the mean, oriented so that
    a positive number is an overstatement.
    """
    default_better: float | None = None
    """
    Posterior probability that the default is better than the arm. `None` without a default, or
    while too little is known.
    """


@dataclass(frozen=True)
class ConclusionStatus:
    """
    How a study ended.
    """

    verdict: str
    """
    What the study found.
    """
    reason: Any
    """
    Why the study ended.
    """
    evaluations: int
    """
    Number of evaluations that had ended at the decision.
    """
    ended_afterwards: int
    """
    Number of evaluations that ended after the decision.
    """
    arm: str | None = None
    """
    The arm of the decision; none if nothing is known.
    """
    probability: float | None = None
    """
    Probability that the arm is the best, at the decision; in a study that is to name several, that
    these are the best ones; in one of the cheapest arm that is good enough, its level, which it has at least.
    """
    sentence: str | None = None
    """
    Sentence on the conclusion, to quote.
    """
    method: str | None = None
    """
    Sentence beneath the conclusion: the policy and the posterior.
    """
    meaning: str | None = None
    """
    What the confidence means where the best two arms are close.
    """


@dataclass(frozen=True)
class AttemptLog:
    """
    The log of one attempt at an evaluation.
    """

    attempt: int
    """
    The number of the attempt, from 1.
    """
    run: str
    """
    The name of the attempt's run.
    """
    packed: bool
    """
    Whether the run is packed in the ledger.
    """
    command: list[str]
    """
    The command of the attempt. Empty if nothing is left of the run.
    """
    end: Any
    """
    How the attempt ended. `None` while it goes on, or if it was lost.
    """
    stdout: str
    """
    What the attempt printed to its standard output.
    """
    stderr: str
    """
    What the attempt printed to its standard error.
    """
    directory: str | None = None
    """
    The directory of the attempt's run. `None` if the run is packed, or nothing is left of it.
    """
    request: dict[str, Any] | None = None
    """
    What the worker was asked, if the command is one.
    """
    started_at: float | None = None
    """
    When the attempt was started, in seconds since 1970.
    """
    seconds: float | None = None
    """
    Seconds that the attempt took.
    """
    lost: str | None = None
    """
    Why another attempt was made after this one.
    """
    result: str | None = None
    """
    The result that the attempt wrote to its file.
    """
    complaints: str | None = None
    """
    What the supervisor of the attempt complained about.
    """


@dataclass(frozen=True)
class EvaluationLog(Shown):
    """
    The log of an evaluation.
    """

    evaluation: int
    """
    The number of the evaluation, from 1.
    """
    arm: str
    """
    The arm of the evaluation.
    """
    split: int
    """
    The split of the evaluation, or the number of its document.
    """
    seed: int
    """
    The seed of the evaluation.
    """
    setting: dict[str, Any]
    """
    The hyperparameters, in a random search; else empty.
    """
    outcome: Any
    """
    Outcome of the evaluation, with its score as reported. `None` while it is pending.
    """
    attempts: list[AttemptLog]
    """
    The attempts at the evaluation, in order.
    """
    document: str | None = None
    """
    The document, in a study of documents.
    """
    message: str | None = None
    """
    Why the evaluation failed, or a warning.
    """


@dataclass(frozen=True)
class ArmBelief:
    """
    The evaluations of one arm and its P(best).
    """

    name: str
    """
    Name of the arm.
    """
    evaluations: int
    """
    Number of evaluations of the arm; 0 where a table of means does not say so.
    """
    probability_best: float
    """
    Probability that the arm is the best, P(best).
    """
    mean: float | None = None
    """
    Mean score of the evaluations.
    """
    standard_deviation: float | None = None
    """
    Standard deviation of the scores; none of fewer than two.
    """
    standard_error: float | None = None
    """
    Standard error of the arm's mean, without the mean's rounding, in a table of means.
    """
    expected_shortfall: float | None = None
    """
    Expected loss of choosing the arm: the posterior mean of how far it is from the best; none
    where that does not exist.
    """
    behind_best: BehindBest | None = None
    """
    Distance of the arm behind the one that is most probably best. `None` for that arm, for arms
    that share no split with it, and where arms are compared by something else than means of
    scores.
    """
    f: Marginal | None = None
    """
    Posterior of the F-measure.
    """
    theta: list[Marginal] | None = None
    """
    The probabilities of TP, FP, TN and FN.
    """
    alpha: Marginal | None = None
    """
    Posterior of the concentration α: how alike the documents are.
    """
    effective_draws: float | None = None
    """
    Number of independent draws that say as much as the weighted ones.
    """
    counts: dict[str, int] | None = None
    """
    Sum of the counts over the documents.
    """
    value: float | None = None
    """
    F-measure of the summed counts; none without positives.
    """


@dataclass(frozen=True)
class ItemComparison:
    """
    The difference of the two arms that are most probably best, on the items that both have
    answered, with the standard errors and the test of a comparison whose items were fixed
    beforehand. Where items were asked, or the asking ended, as the answers came in, they are too
    small.
    """

    leader: str
    """
    The arm that is most probably best.
    """
    runner_up: str
    """
    The rival whose choice would lose the least.
    """
    items: int
    """
    Number of items that both arms have answered.
    """
    difference: float
    """
    Leader's mean less the runner-up's on the items of both, in the score's own direction.
    """
    standard_error: float | None = None
    """
    Standard error of the difference over independent items; `None` of a single item, and where
    all differences are equal.
    """
    cluster_column: str | None = None
    """
    The column of the clusters.
    """
    clusters: int | None = None
    """
    Number of clusters of the items.
    """
    clustered_standard_error: float | None = None
    """
    The standard error over clusters of items; `None` if all are of one, or all differences equal.
    """
    mcnemar: McNemar | None = None
    """
    McNemar's exact test, of answers that are 0 or 1; first is the leader, and the better answer
    is right.
    """


@dataclass(frozen=True)
class DiscordantItems:
    """
    The items on which the best two arms differ.
    """

    leader: str
    """
    The arm that leads.
    """
    runner_up: str
    """
    The rival whose choice would lose the least.
    """
    common: int
    """
    Number of items that both arms have answered.
    """
    leader_better: DiscordantSide
    """
    Items on which the leader is better.
    """
    runner_up_better: DiscordantSide
    """
    Items on which the runner-up is better.
    """


@dataclass(frozen=True)
class GroupResult:
    """
    The results in one group.
    """

    group: str
    """
    Name of the group.
    """
    items: int
    """
    Number of items of the group.
    """
    arms: list[GroupMean]
    """
    Means of the arms, in their own order.
    """
    leader: str | None = None
    """
    Arm with the best mean of those with at least half of the most answers in the group; none if
    several have that mean, or no arm has an answer.
    """


@dataclass(frozen=True)
class VaryingAnswers:
    """
    How much answers vary when asked again, and from how many repeats that is known.

    What arms are compared by is then their expected score over the pool.
    """

    answers: int
    """
    Number of all answers, repeats included.
    """
    repeats: int
    """
    Number of answers that repeat an item that the arm had answered.
    """
    arms: list[ArmThatVaries]
    """
    Arms whose answers vary.
    """
    within_item_sd: float | None = None
    """
    The standard deviation of an arm's answers to the same item, in the mean square over all
    repeats; none before the first.
    """


@dataclass(frozen=True)
class ArmThatLacks:
    """
    Number of answers of an arm, and what it lacks.
    """

    name: str
    """
    Name of the arm.
    """
    answered: int
    """
    Number of items that the arm has answered.
    """
    lacks: int
    """
    Number of items that the arm lacks.
    """
    groups: list[LackingGroup]
    """
    Groups of the items that the arm lacks, the one with the most first. Empty where items have
    no groups.
    """
    mean: float | None = None
    """
    Mean of the arm's answers.
    """
    against_leader: AgainstLeader | None = None
    """
    Comparison of the leader with the arm, on the items of both. `None` for the leader.
    """


@dataclass(frozen=True)
class Outlook:
    """
    Outlook on what further answers to the items of a pool would buy: in each of many continuations
    the unseen answers are drawn from the posterior, and asked for one at a time
    by the policy `pool` until the rule `posterior` names an arm.
    """

    confidence: float
    """
    The confidence at which an arm is to be named.
    """
    tolerance: float
    """
    Tolerance of the outlook: how far below the best the named arm may be.
    """
    draws: int
    """
    Number of continuations that were drawn.
    """
    answers_left: int
    """
    Number of answers that are left, K·N less those that are known.
    """
    answers: FurtherAnswers
    """
    How many more answers are asked for before an arm is named.
    """
    right: float
    """
    Share of continuations in which the arm that is named is the best of the drawn pool, or
    within the tolerance of the best.
    """
    budgets: list[OutlookAtBudget]
    """
    Outlook at budgets of further answers.
    """
    answers_simulated: int | None = None
    """
    The answers that are left in the smaller pool that was simulated in the place of a very large
    one.
    """


@dataclass(frozen=True)
class BenchmarkResult:
    """
    One of several benchmarks.
    """

    name: str
    """
    Name of the benchmark.
    """
    weight: float
    """
    Weight of the benchmark; all sum to 1.
    """
    metric: str
    """
    Name of the score.
    """
    items: int
    """
    Number of items; 0 where the benchmark is no pool of items.
    """
    posterior: str
    """
    The posterior of the benchmark's means.
    """
    arms: list[ArmOnBenchmark]
    """
    Arms on this benchmark, in the order of all arms.
    """
    lead: float
    """
    Value of the best arm of all less the runner-up's on this benchmark; below 0 where the rank of the two is
    reversed.
    """
    part_of_lead: float
    """
    Weight times lead: the part that the benchmark has in the lead on the weighted mean.
    """
    probability_ahead: float
    """
    P(the best arm of all is better than the runner-up here), on items like these.
    """
    probability_harm: float
    """
    P(the best arm of all is worse than the runner-up here by more than the tolerance), on items like these.
    """
    is_harm: bool
    """
    Whether the best arm of all is worse here with a probability of .95 or more.
    """
    scale: tuple[float, float] | None = None
    """
    Worst and best score of the scale that was declared.
    """
    weights_of_best: tuple[float, float] | None = None
    """
    Least and greatest weight of this benchmark, the others in proportion, at which the arm with
    the highest value stays that. `None` of a single benchmark.
    """


@dataclass(frozen=True)
class ArmMeasures:
    """
    Probabilities of one arm by the joint draws of all scores and measures.
    """

    name: str
    """
    Name of the arm.
    """
    probability: float
    """
    Probability that the arm is the answer: feasible, within the distance of the best feasible
    arm, and the cheapest such arm; or the best feasible arm.
    """
    measures: list[ArmMeasure]
    """
    Measures of the arm: the one that makes an arm cheap, then those with limits.
    """
    probability_within: float | None = None
    """
    Probability that the arm is within the distance of the best of all arms, feasible or not.
    """
    probability_feasible: float | None = None
    """
    Probability that the arm keeps all limits. `None` without limits.
    """
    probability_pareto: float | None = None
    """
    Probability that no other arm has as good a score and as low a measure, and one of them better:
    that the arm is on the Pareto front.
    """


@dataclass(frozen=True)
class SplitsOutlook:
    """
    Outlook on what further evaluations on splits would buy: in each of many continuations the
    means, variances and effects of splits are drawn from the posterior, and
    scores that follow from them are asked for by the policy `auto` until the rule `posterior` names
    an arm.
    """

    confidence: float
    """
    Confidence at which an arm is to be named.
    """
    draws: int
    """
    Number of continuations.
    """
    most: int
    """
    Further evaluations after which a continuation is left unsettled.
    """
    settled: float
    """
    Share of continuations in which an arm is named with no more than `most` further
    evaluations.
    """
    evaluations: FurtherEvaluations
    """
    Further evaluations before an arm is named.
    """
    right: float | None = None
    """
    Share of the settled continuations in which the arm that is named has the highest drawn mean.
    `None` if none was settled.
    """


@dataclass(frozen=True)
class ArmCurve:
    """
    The tuning curve of one arm.
    """

    name: str
    """
    Name of the arm.
    """
    trials: int
    """
    Number of trials that were started.
    """
    failed: int
    """
    Number of trials that failed.
    """
    scores: int
    """
    Number of scores that the curve rests on.
    """
    n: list[int]
    """
    Numbers of trials n of the curve, ascending.
    """
    mean: list[float | None]
    """
    Expected best score at each n; none beyond where the estimator is defined.
    """
    sd: list[float | None]
    """
    Standard deviation of the best of n trials, at each n.
    """
    mean_minus_sd: list[float | None]
    """
    Expected best score less one standard deviation, within the scores, at each n.
    """
    mean_plus_sd: list[float | None]
    """
    Expected best score plus one standard deviation, within the scores, at each n.
    """
    median: list[float]
    """
    Median of the best of n trials, at each n.
    """
    lower: list[float | None]
    """
    Lower end of the band at each n; none where it is open.
    """
    upper: list[float | None]
    """
    Upper end of the band at each n; none where it is open.
    """
    bands: str
    """
    The kind of the band, which may not be the one asked for.
    """
    informative: Informative | None = None
    """
    Range of n for which the ends of the band rest on scores.
    """
    mean_duration: float | None = None
    """
    Mean duration of one trial, in seconds.
    """
    time: list[float | None] | None = None
    """
    Duration of n trials, for each n.
    """


@dataclass(frozen=True)
class Pair:
    """
    Pair of arms, and where the bands of their curves are apart.
    """

    arms: list[str]
    """
    Names of the two arms.
    """
    crossings: int
    """
    Number of crossings of the two estimates.
    """
    apart: list[ApartFor]
    """
    Ranges of n for which the bands are apart.
    """


@dataclass(frozen=True)
class BestOfNReport:
    """
    P(highest expected best of n) of each arm.
    """

    informative_up_to: int
    """
    The largest n of which the trials tell enough.
    """
    n: list[int]
    """
    All numbers of trials n, from 1 up to the largest.
    """
    arms: list[ArmBestOfN]
    """
    Probabilities of each arm to have the highest expected best of n.
    """
    confidence: float
    """
    The probability from which on an arm is said to lead.
    """
    leads: list[Led]
    """
    The ranges of n for which an arm leads.
    """
    undecided: list[Undecided]
    """
    Ranges of n for which no arm leads.
    """
    tails: list[ArmTail]
    """
    Tails of the arms' scores towards better ones, where they were estimated.
    """
    draws: int
    """
    Number of draws that were made.
    """
    seed: int
    """
    Seed of the draws.
    """
    standard_error: float
    """
    The largest standard error of a probability.
    """


@dataclass(frozen=True)
class CurveReport(Shown):
    """
    Tuning curves of some arms.
    """

    metric: str
    """
    Name of the score.
    """
    direction: str
    """
    Direction in which scores are better.
    """
    estimator: str
    """
    How the curves are estimated.
    """
    failed: str
    """
    Treatment of failed evaluations: what each counts as.
    """
    confidence: float
    """
    The confidence of each band.
    """
    band_of: Centre
    """
    Estimate that the bands are of: mean or median.
    """
    curves: list[ArmCurve]
    """
    Tuning curve of each arm.
    """
    crossings: list[CrossingOfArms]
    """
    All crossings of two curves.
    """
    pairs: list[Pair]
    """
    Comparison of every two arms.
    """
    budgets: list[ArmBudget]
    """
    Numbers of trials that it takes to expect each of the scores that were asked for.
    """
    bounds: tuple[float, float] | None = None
    """
    The smallest and the largest possible score.
    """
    best_of_n: BestOfNReport | None = None
    """
    Returns which arm has the highest expected best of n; none where that cannot be said.
    """


@dataclass(frozen=True)
class GateConstraint:
    """
    How an arm stands in one constraint on a measure, such as its latency.
    """

    measure: str
    """
    Name of the measure.
    """
    constraint: str
    """
    Sentence part that states the constraint, such as `mean latency is below 3 s`.
    """
    verdict: GateVerdict
    """
    Verdict on the constraint: `ships` if it is shown to be met, `blocked` if it is shown not to be.
    """
    quantity: ConstrainedQuantity
    """
    Quantity that is limited, which `value`, `lower` and `upper` state: a share, a mean or an excess.
    """
    evaluations: int
    """
    Number of evaluations that count.
    """
    value: float | None = None
    """
    The quantity over the evaluations that count. `None` without any.
    """
    lower: float | None = None
    """
    Least value of the quantity that is not excluded.
    """
    upper: float | None = None
    """
    Greatest value of the quantity that is not excluded.
    """


@dataclass(frozen=True)
class FlippedItem:
    """
    An item on which the candidate differs from the baseline.
    """

    item: str
    """
    Name of the item.
    """
    difference: float
    """
    How much better the candidate is, in the unit of the score; below 0 for a regression.
    """
    baseline: FlippedAnswer
    """
    Answer of the baseline to the item.
    """
    candidate: FlippedAnswer
    """
    Answer of the candidate to the item.
    """
    text: str | None = None
    """
    Text of the item: in a study that of its items, else the column `question`, `prompt`, `input` or
    `text`, or what a log holds. `None` without such a text.
    """


@dataclass(frozen=True)
class LowerBound:
    """
    Lower bounds on the mean number of evaluations.
    """

    known_variances: Planned
    """
    Lower bound for policies that are told the variances.
    """
    unknown_variances: Planned
    """
    Lower bound for policies that are not told the variances.
    """


@dataclass(frozen=True)
class SimulatedStudies:
    """
    Results of simulated studies.
    """

    evaluations: SimulatedEvaluations
    """
    Evaluations that the simulated studies needed.
    """
    error: float
    """
    Share of the simulated studies that named a wrong arm.
    """
    error_standard_error: float
    """
    Standard error of the error rate.
    """
    capped: int
    """
    Studies that were given up at the cap.
    """
    hours: float | None = None
    """
    Hours that the mean number of evaluations takes.
    """
    elapsed_hours: float | None = None
    """
    Hours that pass if as many evaluations run at once as are planned.
    """


@dataclass(frozen=True)
class Tests:
    """
    One-sided t-tests with fixed numbers of evaluations.
    """

    second: Test
    """
    Test of the best arm against the second.
    """
    all: Test
    """
    Test of the best arm against each other, with Bonferroni's correction.
    """


@dataclass(frozen=True)
class PoolPlanReport(Shown):
    """
    How many answers a verdict on a pool needs, and what each budget buys.
    """

    cells: int
    """
    Number of answers that all arms could give, K·N.
    """
    known: int
    """
    Number of answers that are known.
    """
    notes: list[str]
    """
    Notes on the pilot's answers.
    """
    seed: int
    """
    The seed of the simulation.
    """
    results: list[Outlook]
    """
    Outlook for each confidence; the continuations are the simulated studies.
    """
    supposed: SupposedPool | None = None
    """
    The made-up pool. `None` of a plan from a pilot's answers.
    """


@dataclass(frozen=True)
class GoalResult:
    """
    Results of the runs until one goal.
    """

    policy: str
    """
    Name of the policy as it was asked for.
    """
    posterior: str
    """
    Name of the posterior.
    """
    stopping: str
    """
    Name of the stopping rule.
    """
    tolerance: WrittenDistance
    """
    How far below the best the recommended arm may be.
    """
    tie: WrittenDistance
    """
    Largest distance below the best arm at which arms are called tied with it.
    """
    strict: bool
    """
    Whether an arm is named only at the probability 1 − δ².
    """
    splits: str
    """
    Design that says which splits evaluations got.
    """
    runs: int
    """
    Number of runs.
    """
    seed: int
    """
    Seed of the runs.
    """
    best: str
    """
    The arms that a run should find.
    """
    evaluations: Evaluations
    """
    Number of evaluations that a run made: mean and extremes over the runs.
    """
    cost: Cost
    """
    Cost of the evaluations, in mean durations of an evaluation.
    """
    time: float
    """
    Mean time of a run on the virtual clock.
    """
    correct: float
    """
    The share of runs that named the best arm.
    """
    correct_standard_error: float
    """
    Standard error of the share of correct runs.
    """
    wrong: int
    """
    Runs whose verdict is false: they named another arm as the best, or called arms tied that
    are not.
    """
    tied: int
    """
    Runs that ended as arms could not be told apart, and named none.
    """
    false_ties: int
    """
    Number of tied runs whose tie is false: the best arm is not among the arms that they called
    equal, or one of these arms is farther below the best than they say.
    """
    capped: int
    """
    Runs that were given up at the cap.
    """
    exhausted: int
    """
    Runs that queried every document without reaching the goal.
    """
    bounds: tuple[float, float] | None = None
    """
    The least and the greatest possible score, as given for the stopping rule.
    """
    rare_failures: float | None = None
    """
    The rate of rare failures that the stopping rule waits for.
    """
    pairing: str | None = None
    """
    The source of splits that pair recorded scores.
    """
    documents: int | None = None
    """
    Number of documents.
    """
    target: str | None = None
    """
    The quantity that the posterior is about.
    """
    best_by: str | None = None
    """
    The quantity that makes an arm the best.
    """
    min_documents: int | None = None
    """
    The documents that the best two arms must have queried before a run may stop.
    """
    confidence: float | None = None
    """
    A confidence with which an arm is named.
    """
    shortfall: WrittenDistance | None = None
    """
    An expected shortfall that is not exceeded.
    """
    budget: int | None = None
    """
    A number of evaluations.
    """


@dataclass(frozen=True)
class SimulationReport(Shown):
    """
    How many evaluations a policy needed, and how often it named the best arm.
    """

    policy: str
    """
    Name of the policy as it was asked for.
    """
    posterior: str
    """
    Name of the posterior.
    """
    stopping: str
    """
    Name of the stopping rule.
    """
    tolerance: WrittenDistance
    """
    How far below the best the recommended arm may be.
    """
    tie: WrittenDistance
    """
    Largest distance below the best arm at which arms are called tied with it.
    """
    strict: bool
    """
    Whether an arm is named only at the probability 1 − δ².
    """
    splits: str
    """
    Design that says which splits evaluations got.
    """
    runs: int
    """
    Number of runs.
    """
    seed: int
    """
    Seed of the runs.
    """
    best: str
    """
    The arms that a run should find.
    """
    notes: list[str]
    """
    Notes on the data and the stopping rule.
    """
    results: list[GoalResult]
    """
    Results for each goal.
    """
    bounds: tuple[float, float] | None = None
    """
    The least and the greatest possible score, as given for the stopping rule.
    """
    rare_failures: float | None = None
    """
    The rate of rare failures that the stopping rule waits for.
    """
    pairing: str | None = None
    """
    The source of splits that pair recorded scores.
    """
    documents: int | None = None
    """
    Number of documents.
    """
    target: str | None = None
    """
    The quantity that the posterior is about.
    """
    best_by: str | None = None
    """
    The quantity that makes an arm the best.
    """
    min_documents: int | None = None
    """
    The documents that the best two arms must have queried before a run may stop.
    """


@dataclass(frozen=True)
class ArmStatus:
    """
    State of one arm: its evaluations, its scores and its chance to be the best.
    """

    name: str
    """
    The name of the arm.
    """
    evaluations: int
    """
    Number of the arm's evaluations that were observed.
    """
    failed: int
    """
    Number of the arm's evaluations that failed.
    """
    recorded: int
    """
    Number of the arm's evaluations that were made before the study.
    """
    pending: int
    """
    Number of the arm's evaluations that have not ended.
    """
    cost: float
    """
    What the arm's evaluations cost, in the study's unit.
    """
    lost: LostAttempts
    """
    The attempts that led to no outcome, which are part of the cost.
    """
    measures: list[MeasureStatus]
    """
    Means of the measures that the study file lists, over the arm's evaluations with a score.
    """
    retired: bool
    """
    Whether the arm was retired for failing.
    """
    exhausted: bool
    """
    Whether no split or document is left for the arm.
    """
    mean: float | None = None
    """
    Mean of the arm's scores. `None` without scores.
    """
    standard_deviation: float | None = None
    """
    Standard deviation of the arm's scores. `None` of fewer than two scores.
    """
    counts: dict[str, Any] | None = None
    """
    The sum of the arm's counts, where evaluations report counts.
    """
    value: float | None = None
    """
    What the arm is compared by: the mean, that over the pool of items, or the F-measure of its
    counts.
    """
    probability_best: float | None = None
    """
    Probability that the arm is the best, or one of the best in a study that is to name several.
    `None` while too little is known.
    """
    expected_shortfall: float | None = None
    """
    Posterior mean of the distance between this arm and the best arm, or the last of the best in a
    study that is to name several, in the unit of the scores.
    `None` while too little is known.
    """


@dataclass(frozen=True)
class Slot:
    """
    A place where runs are carried out: a GPU, or the room of a run that has none.
    """

    state: SlotState
    """
    Whether the slot is free, busy or not used.
    """
    runs: list[Running]
    """
    The runs that the slot carries out.
    """
    gpu: str | None = None
    """
    The GPU as jobs are told of it, if the slot is one: an index, a UUID or a MIG UUID.
    """
    index: int | None = None
    """
    The GPU's number in the order of the PCI bus, if its driver was asked.
    """
    name: str | None = None
    """
    What the GPU is called, if its driver was asked.
    """
    reason: str | None = None
    """
    Why the slot is not used, if it is not.
    """


@dataclass(frozen=True)
class ArmSearchStatus:
    """
    The space of one arm, and its best trial.
    """

    name: str
    """
    The name of the arm.
    """
    space: dict[str, Any]
    """
    The arm's space as study files write it.
    """
    bounds: str
    """
    The arm's space in words.
    """
    best: BestTrialStatus | None = None
    """
    The trial with the best score; none before there is one.
    """


@dataclass(frozen=True)
class BenchmarkFacts:
    """
    One benchmark of a study of several.
    """

    name: str
    """
    Name of the benchmark.
    """
    weight: float
    """
    Weight of its mean in the value of an arm; weights sum to 1.
    """
    items: int
    """
    Number of its items.
    """
    arms: list[BenchmarkArm]
    """
    Answers, mean and P(best) of each arm on this benchmark, in the order of the arms.
    """


@dataclass(frozen=True)
class GateStatus:
    """
    Standing of one arm of a gate against the baseline.
    """

    arm: str
    """
    The name of the arm.
    """
    verdict: GateVerdict
    """
    Verdict on the arm: `ships`, `blocked` or `undecided`.
    """
    constraints: list[GateConstraint]
    """
    How the arm stands in each constraint.
    """
    lower: float | None = None
    """
    Least difference of the arm's mean and the baseline's that is not excluded; above 0 is better.
    """
    upper: float | None = None
    """
    Greatest difference that is not excluded.
    """


Groups: TypeAlias = list[GroupResult]
"""
Results by group, in the order of the groups' names. They describe what was answered and claim
nothing: which items of a group an arm was asked may depend on what was answered before.
"""


@dataclass(frozen=True)
class MissingAnswers:
    """
    Items that some arms of a file have not answered, though others have.

    Answers are hardly ever missing at random: a task that was not run, a run that stopped. Where no
    study of ours chose the answers, two arms are compared on the items that both have answered.
    """

    items: int
    """
    Number of items that any of the arms has answered.
    """
    common: int
    """
    Number of items that all arms have answered.
    """
    arms: list[ArmThatLacks]
    """
    The arms, each with the number of its answers and what it lacks.
    """


@dataclass(frozen=True)
class BenchmarksReport:
    """
    Comparison of arms by the weighted mean of their means over several benchmarks. Values are in
    the unit of the scores, or of benchmarks with scales from 0, the worst, to 1.
    """

    weights: str
    """
    How benchmarks are weighted: `equal`, by `items`, or as `given`.
    """
    best: list[str]
    """
    The arm that is most probably best; of several that are known to be equal, all of them.
    """
    runner_up: str
    """
    The next arm: the one that is most probably best without the first.
    """
    lead: float
    """
    Value of the best arm less the runner-up's; above 0 if it is better.
    """
    tolerance: float
    """
    Difference from the runner-up by which the best arm has to be worse on a benchmark for a caution.
    """
    arms: list[ArmOnBenchmarks]
    """
    Arms by their values.
    """
    benchmarks: list[BenchmarkResult]
    """
    Benchmarks that count.
    """
    left_out: list[ArmLeftOut]
    """
    Arms that are left out, as a benchmark has no score of them.
    """
    without_weight: list[str]
    """
    Benchmarks with the weight 0, which are left out.
    """
    decides: str | None = None
    """
    The benchmark with the greatest part of the lead. `None` where the two are equal.
    """


@dataclass(frozen=True)
class MeasuresReport:
    """
    Answer about measures: which arm is the cheapest that is good enough, or the best within limits.

    The probabilities of `arms` and `probability_none_feasible` sum to 1.
    """

    verdict: MeasuresVerdict
    """
    Verdict: an arm or that none is feasible, with a probability of .95 or more, or open.
    """
    arm: str
    """
    Arm that is most probably the answer; of several the first.
    """
    metric: str
    """
    Name of the score.
    """
    limits: list[MeasureLimit]
    """
    Limits that a feasible arm keeps.
    """
    probability_none_feasible: float
    """
    Probability that no arm keeps all limits.
    """
    absolute_error: float
    """
    Standard error of the probabilities that sum to 1, of the one that has the greatest.
    """
    is_known: bool
    """
    Whether all scores and measures are known, so that the answer is counted.
    """
    arms: list[ArmMeasures]
    """
    Arms in the order in which they were asked for.
    """
    target: str | None = None
    """
    Items that the scores are of. `None` without a pool of items. Measures are always of items like these.
    """
    cheapest_within: float | None = None
    """
    Largest distance below the best feasible arm. `None` if the best arm within the limits is sought.
    """
    by: str | None = None
    """
    Name of the measure that makes an arm cheap. `None` if the best arm within the limits is sought.
    """


@dataclass(frozen=True)
class GateCandidate:
    """
    A candidate in a gate. Differences are of its mean score less the baseline's, with the sign
    turned around where smaller scores are better: above 0 is better.
    """

    name: str
    """
    Name of the candidate.
    """
    sentence: str
    """
    Verdict on the candidate and what is guaranteed, in a sentence to quote.
    """
    standing: Standing
    """
    How the candidate compares with the baseline.
    """
    items: int
    """
    Number of items that the candidate or the baseline was asked.
    """
    differing: int
    """
    Number of items on which candidate and baseline differ.
    """
    regressions: int
    """
    Number of items on which the candidate is worse.
    """
    fixed: int
    """
    Number of items on which the candidate is better.
    """
    failed: int
    """
    Number of items on which the candidate's evaluation failed: they count as the worst score.
    """
    missing: int
    """
    Number of items that the baseline has and the candidate has not: they count as the worst score.
    """
    baseline_failed: int
    """
    Number of items on which the baseline's evaluation failed: they count as its best score.
    """
    baseline_missing: int
    """
    Number of items that the candidate has and the baseline has not: they count as the baseline's best score.
    """
    difference: float
    """
    Mean of the candidate's differences from the baseline.
    """
    test: str
    """
    Name of the test.
    """
    probability: float
    """
    Posterior probability that the difference is above the threshold; without one, above 0. A
    model's statement on items like these, no error rate.
    """
    constraints: list[GateConstraint]
    """
    How the candidate stands in each constraint of a study's gate. Its verdict is on the score and on
    all of them.
    """
    flipped: list[FlippedItem]
    """
    Items on which candidate and baseline differ, the greatest regression first.
    """
    verdict: GateVerdict | None = None
    """
    Verdict on the candidate. `None` without a margin.
    """
    verdict_on_answered: GateVerdict | None = None
    """
    Verdict on those items alone that candidate and baseline both answered. `None` if nothing failed or is missing.
    """
    lower: float | None = None
    """
    Least difference that is not rejected at `error_each`. `None` if there are too few items.
    """
    upper: float | None = None
    """
    Greatest difference that is not rejected at `error_each`.
    """
    verdict_on_these_items: GateVerdict | None = None
    """
    The verdict by counting, of these items alone. `None` without a margin.
    """
    p_not_shipping: float | None = None
    """
    P-value of a difference at or below the threshold. `None` without a margin.
    """
    p_not_blocked: float | None = None
    """
    P-value of a difference above the threshold. `None` without a margin.
    """
    smallest_margin: float | None = None
    """
    About the smallest margin that such items could decide, for an equal candidate in nine of ten
    gates. `None` with fewer than 50 items, or 3 splits.
    """
    probability_best: float | None = None
    """
    Posterior probability that the candidate is the best of all arms. `None` with one candidate.
    """


@dataclass(frozen=True)
class GateReport(ShownGate):
    """
    Verdicts of a gate on one or several candidates.
    """

    metric: str
    """
    Name of the score.
    """
    direction: str
    """
    Which scores are better: `maximize` or `minimize`.
    """
    baseline: str
    """
    Name of the baseline.
    """
    confidence: float
    """
    Confidence of the gate: one less the share of gates in which any candidate at or below the
    margin ships, and one less the share in which any above it is blocked.
    """
    error_each: float
    """
    Share of gates that may err on one candidate: (1 − confidence) over the number of candidates.
    """
    target: str
    """
    Which items the verdict is of: `these items` or `items like these`.
    """
    candidates: list[GateCandidate]
    """
    The candidates, in the order of the files.
    """
    notes: list[str]
    """
    Notes on the data.
    """
    verdict: GateVerdict | None = None
    """
    Verdict on all candidates: blocked if one is, else undecided if one is, else ships. `None`
    without a margin.
    """
    margin: float | None = None
    """
    How much worse a candidate may be, in the unit of the score. `None` if it has to be better.
    """
    better_by: float | None = None
    """
    By how much a candidate has to be better, in the unit of the score. `None` with a margin.
    """
    in_sd: bool | None = None
    """
    Whether margin and lead are in standard deviations of the difference, and not in the unit of
    the score.
    """
    clusters: str | None = None
    """
    Column of the clusters of items. `None` if items are independent.
    """
    fewest_items: int | None = None
    """
    Fewest items after which a candidate that answers as the baseline does can ship, whatever the
    method, in a study of items. `None` if none can.
    """
    drift: GateDrift | None = None
    """
    Drift since the first baseline, in a study with a kept baseline. `None` without one, and while it is
    the first.
    """


@dataclass(frozen=True)
class PlanAtConfidence:
    """
    The evaluations that a study with one confidence needs.
    """

    confidence: float
    """
    Confidence of the study.
    """
    lower_bound: LowerBound
    """
    Lower bound on the mean number of evaluations of any policy that errs no more often than the confidence allows.
    """
    sequential_halving: Planned
    """
    Budget with which sequential halving is proven to err no more often than the confidence allows.
    """
    t_test: Tests
    """
    Classical tests with a fixed number of evaluations.
    """
    simulated: SimulatedStudies | None = None
    """
    Results of simulated studies; none where even the lower bound exceeds the cap.
    """


@dataclass(frozen=True)
class PlanReport(Shown):
    """
    How many evaluations a study will need.
    """

    arms: list[SupposedArm]
    """
    Arms that are supposed.
    """
    best: str
    """
    Name of the best arm.
    """
    second: str
    """
    Name of the arm next to the best.
    """
    gap: float
    """
    Difference of the means of the best and the second arm.
    """
    split_standard_deviation: float
    """
    The standard deviation of a score between splits.
    """
    difference_standard_deviation: float
    """
    The standard deviation of the difference of two scores of the best and the second arm.
    """
    splits: str
    """
    Design that says which splits evaluations get.
    """
    policy: str
    """
    The policy of the simulated studies.
    """
    posterior: str
    """
    Posterior of the simulated studies.
    """
    stopping: str
    """
    Stopping rule of the simulated studies.
    """
    parallel: int
    """
    Evaluations in flight at once.
    """
    runs: int
    """
    Number of studies that were simulated.
    """
    seed: int
    """
    Seed of the simulated studies.
    """
    cap: int
    """
    The evaluations after which a simulated study was given up.
    """
    h2: float
    """
    H₂, the complexity of sequential halving.
    """
    power: float
    """
    The power of the classical tests.
    """
    comparison: str
    """
    Word for the classical tests: whether they are paired.
    """
    results: list[PlanAtConfidence]
    """
    Results for each confidence.
    """
    pilot_scores: int | None = None
    """
    The number of pilot scores, if the arms are estimated from some.
    """


@dataclass(frozen=True)
class SearchStatus:
    """
    Random search of a study: its number of trials, and its arms with their best trials.
    """

    trials: int
    """
    How many trials each arm gets.
    """
    arms: list[ArmSearchStatus]
    """
    The arms of the search.
    """
    best_of_n: BestOfNReport | None = None
    """
    Which arm has the highest expected best of n, once the search has ended.
    """


@dataclass(frozen=True)
class PoolReport:
    """
    Report on a pool of items, and on what further answers would buy.
    """

    items: int
    """
    Number of items of the pool, N.
    """
    origin: PoolOrigin
    """
    Origin of the known items and answers of the pool: a study, a random sample, or a file alone.
    """
    cells: int
    """
    Number of answers that all arms could give, K·N.
    """
    answered: int
    """
    Number of answers that are known.
    """
    bounds: tuple[float, float]
    """
    The least and the greatest answer.
    """
    arms: list[ArmOfPool]
    """
    Arms of the pool.
    """
    target: str
    """
    Target of P(best), means and the claim: `these items` or `items like these`.
    """
    these_items: TheseItems | None = None
    """
    Verdict on which arm is best on these items. `None` before every arm has its first answers.
    """
    items_like_these: ItemsLikeThese | None = None
    """
    Verdict on which arm would be best on items like these. `None` before every arm has its
    first answers.
    """
    claim: PoolClaim | None = None
    """
    Claim on a pool: which arm can be named, and at what error; none before every arm has its
    first answers.
    """
    discordant: DiscordantItems | None = None
    """
    How many items tell the best two arms apart, and which way; none of fewer than two arms.
    """
    groups: Groups | None = None
    """
    Results by group, where items have groups.
    """
    varying: VaryingAnswers | None = None
    """
    How much answers vary when asked again, where they do.
    """
    missing: MissingAnswers | None = None
    """
    Answers that some arms lack though others have given them. `None` if nothing is missing, or
    a study chose what to ask.
    """
    outlook: Outlook | None = None
    """
    Outlook on further answers; none if all answers are known, answers vary, or it was not asked
    for.
    """


@dataclass(frozen=True)
class BeliefReport(Shown):
    """
    P(best) of each arm, and how it was computed.
    """

    method: str
    """
    How the probabilities were computed.
    """
    absolute_error: float
    """
    Largest error of the probabilities; of Monte Carlo, their standard error.
    """
    posterior: str
    """
    Name of the posterior.
    """
    metric: str
    """
    Name of the score.
    """
    arms: list[ArmBelief]
    """
    Arms in the order in which they were asked for.
    """
    notes: list[str]
    """
    Notes on the data.
    """
    target: str | None = None
    """
    The quantity that arms are compared by, of confusion counts.
    """
    prior: FMeasurePrior | None = None
    """
    The prior of the pooled F-measure.
    """
    tied: list[str] | None = None
    """
    The arms that are tied for the best; empty if there is no tie.
    """
    pairing: str | None = None
    """
    The source of splits that pair scores: `column`, `rows` or `none`.
    """
    on_items: ItemComparison | None = None
    """
    The best two arms on the items that both have answered, in a pool of items.
    """
    pool: PoolReport | None = None
    """
    Report on the pool of items that the arms answered, and on what further answers would buy,
    under the posterior `pool`.
    """
    benchmarks: BenchmarksReport | None = None
    """
    Comparison on the weighted mean of several benchmarks, under the posterior `benchmarks`.
    """
    measures: MeasuresReport | None = None
    """
    Answer about measures beside the score. `None` if it was not asked for.
    """
    means: MeansTable | None = None
    """
    Table of means with their spread, where these are all that is known.
    """
    outlook: SplitsOutlook | None = None
    """
    Outlook on further evaluations, under the posterior `paired`. `None` if it was not asked for.
    """
    seconds_per_belief: float | None = None
    """
    The median time of one computation, in seconds, if it was measured.
    """


@dataclass(frozen=True)
class Status(Shown):
    """
    State of a study: its counts of evaluations, its arms and its conclusion. Everything that has
    ended is counted, also what ended after the decision.
    """

    study: str
    """
    The name of the study.
    """
    state: State
    """
    The state of the study.
    """
    metric: str
    """
    The name of the metric.
    """
    target: str
    """
    What the arms are compared by, in words.
    """
    evaluations: int
    """
    Number of evaluations that were observed.
    """
    pending: int
    """
    Number of evaluations that have not ended.
    """
    failed: int
    """
    Number of evaluations that failed.
    """
    failures: list[FailureGroup]
    """
    The failures by their causes.
    """
    recorded: int
    """
    Evaluations that were made before the study.
    """
    splits_used: int
    """
    Number of splits or documents that have an observation.
    """
    cost: float
    """
    Cost of all evaluations and attempts, in the study's unit.
    """
    lost: LostAttempts
    """
    The attempts that led to no outcome, which are part of the cost.
    """
    seconds: float
    """
    How long the study has run, over all sessions.
    """
    compared: int
    """
    How many arms were compared to the end.
    """
    tied: list[str]
    """
    The arms that are tied for the best; empty if there is no tie.
    """
    arms: list[ArmStatus]
    """
    The arms of the study.
    """
    slots: list[Slot]
    """
    The slots, with the runs that go on.
    """
    waits: list[str]
    """
    Sentences that say what the study waits for besides the runs.
    """
    benchmarks: list[BenchmarkFacts]
    """
    Benchmarks of the study with the means of all arms; left out in a study of one pool or of splits.
    """
    notes: list[str]
    """
    Notes on the scores.
    """
    advice: str | None = None
    """
    Advice on how to go on with arms that have failed.
    """
    splits: int | None = None
    """
    Number of splits of the study. `None` if there are any number, or documents.
    """
    cost_unit: str | None = None
    """
    The unit of all costs: `s` or `GPU-s` of measured ones, or the name in the study file.
    `None` if there is none.
    """
    confidence: float | None = None
    """
    P(best) of the leader, or the probability of the best arms together in a study that is to name
    several; of the cheapest arm that is good enough its level, once it is named. `None` while too little is known, or
    if no arm was compared with it.
    """
    leader: str | None = None
    """
    Name of the recommended arm; while no arm is recommended, of the arm with the best mean.
    `None` if there is neither.
    """
    top: TopReport | None = None
    """
    The best arms, in a study that is to name several.
    """
    search: SearchStatus | None = None
    """
    The random search, if the study is one.
    """
    pool: PoolReport | None = None
    """
    What is known of the pool of items, under the posterior `pool`.
    """
    search_winner: SearchWinnerReport | None = None
    """
    The winner of the search whose best settings are the arms, if the study file names one.
    """
    gate: list[GateStatus] | None = None
    """
    The arms against the baseline, in a gate.
    """
    conclusion: ConclusionStatus | None = None
    """
    Conclusion of the study, if it has ended.
    """
