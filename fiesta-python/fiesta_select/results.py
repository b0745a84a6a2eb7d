"""
Results of analyses: dataclasses of the shape of the program's JSON.

Written by ``scripts/python-results`` from ``docs/schema``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ._shown import Shown


@dataclass(frozen=True)
class FMeasurePrior:
    """
    The prior θ ~ Dirichlet(α₀θ₀) of the shares of TP, FP, TN and FN.
    """

    alpha0: float
    """
    Its weight in items, α₀.
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
    Its standard error, or the scale of its posterior. `None` where nothing is known of the noise.
    """
    lower: float | None = None
    """
    Where its 95 % interval begins. `None` where nothing is known of the noise.
    """
    upper: float | None = None
    """
    Where its 95 % interval ends.
    """


@dataclass(frozen=True)
class Marginal:
    """
    Mean, standard deviation and quantiles of a quantity under its posterior.
    """

    mean: float
    """
    The mean.
    """
    sd: float
    """
    The standard deviation.
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
    On how many items the first arm is right and the second wrong, b.
    """
    only_second: int
    """
    On how many the second is right and the first wrong, c.
    """
    p_value: float
    """
    The exact two-sided p-value.
    """
    mid_p_value: float
    """
    The two-sided mid-p-value.
    """


PoolOrigin: TypeAlias = Literal["file", "study", "sample"]
"""
Who says which items of a pool stand in a file, and which answers to them.
"""


@dataclass(frozen=True)
class ArmOfPool:
    """
    One arm of a pool.
    """

    name: str
    """
    Its name.
    """
    answered: int
    """
    How many items it has answered.
    """
    share: float
    """
    Their share of the pool.
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
    The posterior mean of its mean over the whole pool, as reported: not the average of its
    answers, as what was answered before decides which items are asked. `None` if answers are
    missing that no study chose.
    """
    standard_error: float | None = None
    """
    The posterior standard deviation of that; 0 once it has answered all items, unless answers
    vary.
    """


@dataclass(frozen=True)
class TheseItems:
    """
    Which arm has the highest mean over the items of the pool.
    """

    best: list[str]
    """
    The arm; of several that are known to be equal, all of them.
    """
    lead: float | None = None
    """
    How far its mean is from that of the next arm, in the unit of the scores, once all answers
    are known. `None` if some are not, or all arms are equal.
    """
    probability: float | None = None
    """
    P(best). `None` once all answers are known: then it is a count.
    """


@dataclass(frozen=True)
class ItemsLikeThese:
    """
    Which arm would have the highest mean over many more items that are drawn as these were.
    """

    best: str
    """
    The arm.
    """
    probability: float
    """
    P(best).
    """
    not_where: str
    """
    Where the probability may not be believed, in words.
    """


@dataclass(frozen=True)
class PoolClaim:
    """
    The arms that can be named, and how often that would be wrong for whoever looks after every
    answer.
    """

    arms: list[str]
    """
    The leader; with several arms that are known to be equal, all of them.
    """
    error: float
    """
    The probability that an arm as good as the leader would ever be passed by so much.
    """


@dataclass(frozen=True)
class DiscordantSide:
    """
    The items on which one of two arms is better than the other.
    """

    items: int
    """
    How many they are.
    """
    difference: float
    """
    The sum of the differences on them.
    """


@dataclass(frozen=True)
class GroupMean:
    """
    The answers of an arm to the items of a group.
    """

    name: str
    """
    The arm.
    """
    answered: int
    """
    How many items of the group it has answered.
    """
    mean: float | None = None
    """
    The mean of these answers; none of none.
    """


@dataclass(frozen=True)
class ArmThatVaries:
    """
    How much the answers of an arm vary.
    """

    name: str
    """
    Its name.
    """
    repeats: int
    """
    How many of its answers repeat an item.
    """
    within_item_sd: float
    """
    The standard deviation of its answers to the same item that the posterior uses, in the unit
    of the scores: estimated from the repeats of all arms, with a prior.
    """
    share: float
    """
    The share of that variance in the variance of all its answers.
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
    The group, or what the names of its items begin with.
    """
    items: int
    """
    How many items it has.
    """
    lacks: int
    """
    How many of them the arm lacks.
    """


@dataclass(frozen=True)
class AgainstLeader:
    """
    The leader's mean less an arm's on the items of both, as reported.
    """

    items: int
    """
    How many items both have answered.
    """
    difference: float
    """
    The difference of the means.
    """
    standard_error: float | None = None
    """
    Its standard error. `None` for fewer than two items.
    """


@dataclass(frozen=True)
class FurtherAnswers:
    """
    Further answers until an arm is named, over the continuations.
    """

    median: int
    """
    The median.
    """
    lower: int
    """
    The tenth percentile.
    """
    upper: int
    """
    The ninetieth percentile.
    """


@dataclass(frozen=True)
class OutlookAtBudget:
    """
    What a budget of further answers would buy.
    """

    answers: int
    """
    The further answers.
    """
    share: float
    """
    Their share of all that are left.
    """
    settled: float
    """
    The share of continuations in which an arm is named with no more than these.
    """
    probability_best: float
    """
    P(best), expected: the share of continuations in which the arm that leads then, or was named
    before, is the best of the drawn pool or within the tolerance of it.
    """


@dataclass(frozen=True)
class MeansTable:
    """
    What a belief from means with their spread takes them for.
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
    The unit to which the means are rounded.
    """


@dataclass(frozen=True)
class FurtherEvaluations:
    """
    Quantiles over the continuations of the further evaluations before an arm is named. `None` if the
    continuation at this quantile is unsettled.
    """

    median: int | None = None
    """
    Median.
    """
    lower: int | None = None
    """
    Tenth percentile.
    """
    upper: int | None = None
    """
    Ninetieth percentile.
    """


@dataclass(frozen=True)
class ComparedArm:
    """
    The scores of one of two arms.
    """

    name: str
    """
    The arm.
    """
    evaluations: int
    """
    How many scores it has.
    """
    mean: float
    """
    Their mean.
    """
    standard_deviation: float | None = None
    """
    Their standard deviation; none of a single one.
    """
    lower: float | None = None
    """
    Where the interval of the mean begins: Student's t, of scores that are all 0 or 1 the exact
    binomial one; none where nothing is known of the noise.
    """
    upper: float | None = None
    """
    Where it ends.
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
    The first arm.
    """
    b: ComparedArm
    """
    The second arm.
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
    How many scores of the two are on other splits and do not count in the difference.
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
    On which of these only the first arm is right.
    """
    only_b: list[str]
    """
    On which of these only the second arm is right.
    """
    notes: list[str]
    """
    Notes on the data.
    """
    standard_error: float | None = None
    """
    Its standard error; none where nothing is known of the noise.
    """
    lower: float | None = None
    """
    Where the interval of the difference begins; none where nothing is known of the noise.
    """
    upper: float | None = None
    """
    Where it ends.
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
    Its two-sided p-value; none where nothing is known of the noise.
    """
    shared_splits: int | None = None
    """
    On how many splits both have a score, if they are compared on these.
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
    The last n of the better end; none if there are too few scores for any.
    """
    worse_end_from: int | None = None
    """
    The first n of the worse end.
    """


@dataclass(frozen=True)
class CrossingOfArms:
    """
    A crossing of the curves of two arms.
    """

    arms: list[str]
    """
    The two arms.
    """
    n: float
    """
    Where the estimates cross.
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
    Whether both are known.
    """
    confidence: float
    """
    The confidence with which two bands hold together.
    """
    from_: int | None = None
    """
    The last n before it at which the bands are apart.
    """
    until: int | None = None
    """
    The first n after it at which they are.
    """


@dataclass(frozen=True)
class ApartFor:
    """
    A range of n for which the bands of two curves are apart.
    """

    from_: int
    """
    The first n.
    """
    until: int
    """
    The last n.
    """
    better: str
    """
    The better arm.
    """


@dataclass(frozen=True)
class ArmBudget:
    """
    The trials of one arm that it takes to expect a score.
    """

    name: str
    """
    The arm.
    """
    value: float
    """
    The score.
    """
    status: str
    """
    Whether it is reached, in a word.
    """
    within_B: bool
    """
    Whether it is reached within the trials that there are.
    """
    first_n: int | None = None
    """
    The first n that reaches it.
    """
    real_n: float | None = None
    """
    The real n at which the curve reaches it.
    """
    linear_interp_n: float | None = None
    """
    The n at which straight lines between the points of the curve do.
    """
    time: float | None = None
    """
    Time that the budget's trials take, in seconds.
    """


@dataclass(frozen=True)
class ArmBestOfN:
    """
    The probabilities of one arm.
    """

    name: str
    """
    The arm.
    """
    probability: list[float]
    """
    Its probability at every n.
    """


@dataclass(frozen=True)
class Led:
    """
    A range of n for which one arm leads.
    """

    from_: int
    """
    The first n.
    """
    to: int
    """
    The last n.
    """
    lowest: float
    """
    The lowest leading probability.
    """
    highest: float
    """
    The highest.
    """
    arm: str
    """
    The arm.
    """


@dataclass(frozen=True)
class Undecided:
    """
    A range of n for which no arm leads.
    """

    from_: int
    """
    The first n.
    """
    to: int
    """
    The last n.
    """
    lowest: float
    """
    The lowest leading probability.
    """
    highest: float
    """
    The highest.
    """
    arms: list[str]
    """
    The arms that are likeliest at some of these n.
    """


@dataclass(frozen=True)
class ArmTail:
    """
    The tail of one arm's scores towards better ones.
    """

    arm: str
    """
    The arm.
    """
    shape: float
    """
    The shape of the generalised Pareto distribution; heavy above 0.
    """
    standard_error: float
    """
    Its standard error.
    """
    scores: int
    """
    How many scores it was estimated from.
    """
    weight: float
    """
    The share of a trial as which each trial counts.
    """
    heavy: bool
    """
    Whether the tail is heavy.
    """


@dataclass(frozen=True)
class SupposedArm:
    """
    One arm of a plan.
    """

    name: str
    """
    The arm.
    """
    mean: float
    """
    The mean of its scores.
    """
    standard_deviation: float
    """
    Their standard deviation.
    """
    residual_standard_deviation: float
    """
    That part of it that does not lie between splits.
    """


@dataclass(frozen=True)
class Planned:
    """
    A number of evaluations, and how long they take.
    """

    evaluations: float
    """
    The evaluations.
    """
    hours: float | None = None
    """
    Their time, if that of one is known.
    """


@dataclass(frozen=True)
class SimulatedEvaluations:
    """
    Evaluations of simulated studies.
    """

    mean: float
    """
    The mean.
    """
    standard_error: float
    """
    Its standard error.
    """
    q90: int
    """
    The number within which 90 % of the studies ended.
    """


@dataclass(frozen=True)
class Test:
    """
    A test with a fixed number of evaluations.
    """

    level: float
    """
    The level of one test.
    """
    per_arm: float
    """
    Evaluations of each arm.
    """
    evaluations: float
    """
    The evaluations.
    """
    hours: float | None = None
    """
    Their time, if that of one is known.
    """


@dataclass(frozen=True)
class SupposedPool:
    """
    A made-up pool that a plan is for.
    """

    arms: int
    """
    How many arms there are, K.
    """
    items: int
    """
    How many items there are, N.
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
A distance as JSON has it: a number in the unit of the scores, or a text such as `0.25 sd`.
"""


@dataclass(frozen=True)
class Evaluations:
    """
    Evaluations of a run: least, mean with its standard error, and most.
    """

    min: int
    """
    The fewest of any run.
    """
    mean: float
    """
    The mean.
    """
    max: int
    """
    The most of any run.
    """
    standard_error: float
    """
    The standard error of the mean.
    """


@dataclass(frozen=True)
class Cost:
    """
    The cost of a run.
    """

    mean: float
    """
    The mean.
    """
    standard_error: float
    """
    Its standard error.
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
    How many there are.
    """
    arms: list[str]
    """
    Their arms.
    """
    evaluation: int
    """
    The number of the first of them, from 1.
    """
    message: str
    """
    Why the first of them failed: its message, with the end of its output.
    """
    log: str
    """
    Where the output of the first of them is.
    """


@dataclass(frozen=True)
class LostAttempts:
    """
    Attempts that led to no outcome: lost, or stopped.
    """

    attempts: int
    """
    How many there were.
    """
    cost: float
    """
    What they cost together, in the study's unit.
    """


@dataclass(frozen=True)
class ArmStatus:
    """
    Where one arm stands.
    """

    name: str
    """
    Its name.
    """
    evaluations: int
    """
    Evaluations that were observed.
    """
    failed: int
    """
    Evaluations that failed.
    """
    recorded: int
    """
    Evaluations that were made before the study.
    """
    pending: int
    """
    Evaluations that have not ended.
    """
    cost: float
    """
    What its evaluations cost, in the study's unit.
    """
    lost: LostAttempts
    """
    The attempts that led to no outcome, which are part of the cost.
    """
    retired: bool
    """
    Whether it was retired for failing.
    """
    exhausted: bool
    """
    Whether no split or document is left for it.
    """
    mean: float | None = None
    """
    The mean of its scores; none of none.
    """
    standard_deviation: float | None = None
    """
    Their standard deviation; none of fewer than two.
    """
    counts: dict[str, Any] | None = None
    """
    The sum of its counts, where evaluations report counts.
    """
    value: float | None = None
    """
    What it is compared by: the mean, that over the pool of items, or the F-measure of its counts.
    """
    probability_best: float | None = None
    """
    P(best); none while too little is known.
    """
    expected_shortfall: float | None = None
    """
    Posterior mean of the distance between this arm and the best arm, in the unit of the scores.
    `None` while too little is known.
    """


SlotState: TypeAlias = Literal["free", "busy", "waiting", "quarantined", "foreign", "queued"]
"""
How a slot is.
"""


@dataclass(frozen=True)
class Running:
    """
    A run that goes on.
    """

    run: str
    """
    Its name.
    """
    evaluation: int
    """
    The number of its evaluation, from 1.
    """
    arm: str
    """
    Its arm.
    """
    split: int
    """
    Number of the split that the run is evaluated on, or of its document in a study of
    documents.
    """
    seed: int
    """
    Its seed.
    """
    seconds: float
    """
    For how many seconds it has run, or waited.
    """
    document: str | None = None
    """
    Its document, in a study of documents.
    """
    node: str | None = None
    """
    The machine that it is on, where an engine says so.
    """


@dataclass(frozen=True)
class BestTrialStatus:
    """
    The trial of an arm with the best score.
    """

    evaluation: int
    """
    The number of its evaluation, from 1.
    """
    score: float
    """
    Its score.
    """
    setting: dict[str, Any]
    """
    Its hyperparameters.
    """
    seed: int
    """
    Its seed.
    """
    split: int
    """
    Its split.
    """


@dataclass(frozen=True)
class ConclusionStatus:
    """
    How a study ended.
    """

    verdict: str
    """
    What was found.
    """
    reason: Any
    """
    Why it ended.
    """
    evaluations: int
    """
    Evaluations that had ended by then.
    """
    ended_afterwards: int
    """
    Evaluations that ended afterwards.
    """
    arm: str | None = None
    """
    The arm of the decision; none if nothing is known.
    """
    probability: float | None = None
    """
    P(best) of the arm when it was decided.
    """
    sentence: str | None = None
    """
    The sentence to quote.
    """
    method: str | None = None
    """
    What stands beneath it: the policy and the posterior.
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
    Its number, from 1.
    """
    run: str
    """
    The name of its run.
    """
    packed: bool
    """
    Whether the run is packed in the ledger.
    """
    command: list[str]
    """
    The command; empty if nothing is left of the run.
    """
    end: Any
    """
    How it ended; none while it goes on, or if it was lost.
    """
    stdout: str
    """
    What it printed.
    """
    stderr: str
    """
    What it printed to its standard error.
    """
    directory: str | None = None
    """
    The directory of its run; none if the run is packed, or nothing is left of it.
    """
    request: dict[str, Any] | None = None
    """
    What the worker was asked, if the command is one.
    """
    started_at: float | None = None
    """
    When it was started, in seconds since 1970.
    """
    seconds: float | None = None
    """
    How long it took.
    """
    lost: str | None = None
    """
    Why another attempt was made after it.
    """
    result: str | None = None
    """
    The result that it wrote to its file.
    """
    complaints: str | None = None
    """
    What its supervisor complained about.
    """


@dataclass(frozen=True)
class EvaluationLog(Shown):
    """
    The log of an evaluation.
    """

    evaluation: int
    """
    Its number, from 1.
    """
    arm: str
    """
    Its arm.
    """
    split: int
    """
    Its split, or the number of its document.
    """
    seed: int
    """
    The seed.
    """
    setting: dict[str, Any]
    """
    The hyperparameters, in a random search; else empty.
    """
    outcome: Any
    """
    How it ended, a score as reported; none while it is pending.
    """
    attempts: list[AttemptLog]
    """
    Its runs, in order.
    """
    document: str | None = None
    """
    The document, in a study of documents.
    """
    message: str | None = None
    """
    Why it failed, or a warning.
    """


@dataclass(frozen=True)
class ArmBelief:
    """
    The evaluations of one arm and its P(best).
    """

    name: str
    """
    The arm.
    """
    evaluations: int
    """
    How many evaluations it has; 0 where a table of means does not say it.
    """
    probability_best: float
    """
    P(best).
    """
    mean: float | None = None
    """
    Their mean score; none of none.
    """
    standard_deviation: float | None = None
    """
    Their standard deviation; none of fewer than two.
    """
    standard_error: float | None = None
    """
    The standard error of its mean, without the rounding of this, in a table of means.
    """
    expected_shortfall: float | None = None
    """
    What choosing it is expected to lose: the posterior mean of how far it is from the best;
    none where that does not exist.
    """
    behind_best: BehindBest | None = None
    """
    How far it is behind the arm that is most probably best. `None` for that arm, for arms that
    share no split with it, and where arms are compared by something else than means of scores.
    """
    f: Marginal | None = None
    """
    The F-measure.
    """
    theta: list[Marginal] | None = None
    """
    The probabilities of TP, FP, TN and FN.
    """
    alpha: Marginal | None = None
    """
    The concentration α: how alike the documents are.
    """
    effective_draws: float | None = None
    """
    The number of independent draws that say as much.
    """
    counts: dict[str, int] | None = None
    """
    Their sum.
    """
    value: float | None = None
    """
    The F-measure of the sum; none without positives.
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
    How many items both have answered.
    """
    difference: float
    """
    The leader's mean less the runner-up's on these, in the score's own direction.
    """
    standard_error: float | None = None
    """
    Its standard error over independent items; `None` of a single item, and where all differences
    are equal.
    """
    cluster_column: str | None = None
    """
    The column of the clusters.
    """
    clusters: int | None = None
    """
    How many clusters the items are of.
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
    How many items both have answered.
    """
    leader_better: DiscordantSide
    """
    Those on which the leader is better.
    """
    runner_up_better: DiscordantSide
    """
    Those on which the runner-up is better.
    """


@dataclass(frozen=True)
class GroupResult:
    """
    The results in one group.
    """

    group: str
    """
    Its name.
    """
    items: int
    """
    How many items it has.
    """
    arms: list[GroupMean]
    """
    The arms, in their own order.
    """
    leader: str | None = None
    """
    The arm with the best mean of those with at least half of the most answers in it; none if
    several have that mean, or no arm has an answer.
    """


@dataclass(frozen=True)
class VaryingAnswers:
    """
    Where answers vary when asked again: how much, and from how many repeats that is known.

    What arms are compared by is then their expected score over the pool.
    """

    answers: int
    """
    All answers, repeats included.
    """
    repeats: int
    """
    How many of them repeat an item that the arm had answered.
    """
    arms: list[ArmThatVaries]
    """
    The arms.
    """
    within_item_sd: float | None = None
    """
    The standard deviation of an arm's answers to the same item, in the mean square over all
    repeats; none before the first.
    """


@dataclass(frozen=True)
class ArmThatLacks:
    """
    What an arm has answered, and what it lacks.
    """

    name: str
    """
    Its name.
    """
    answered: int
    """
    How many items it has answered.
    """
    lacks: int
    """
    How many items it lacks.
    """
    groups: list[LackingGroup]
    """
    The groups of the items that it lacks, the one with the most first. Empty where items have no
    groups.
    """
    mean: float | None = None
    """
    The mean of its answers.
    """
    against_leader: AgainstLeader | None = None
    """
    The leader against it, on the items of both. `None` for the leader.
    """


@dataclass(frozen=True)
class Outlook:
    """
    What further answers to the items of a pool would buy: in each of many continuations the unseen
    answers are drawn from the posterior, and asked for one at a time by the policy
    `pool` until the rule `posterior` names an arm.
    """

    confidence: float
    """
    The confidence at which an arm is to be named.
    """
    tolerance: float
    """
    How far below the best it may be.
    """
    draws: int
    """
    How many continuations were drawn.
    """
    answers_left: int
    """
    The answers that are left, K·N less those that are known.
    """
    answers: FurtherAnswers
    """
    How many more are asked for before an arm is named.
    """
    right: float
    """
    The share of continuations in which the arm that is named is the best of the drawn pool, or
    within the tolerance of it.
    """
    budgets: list[OutlookAtBudget]
    """
    What budgets of further answers would buy.
    """
    answers_simulated: int | None = None
    """
    The answers that are left in the smaller pool that was simulated in the place of a very large
    one.
    """


@dataclass(frozen=True)
class SplitsOutlook:
    """
    What further evaluations on splits would buy: in each of many continuations the means, variances and
    effects of splits are drawn from the posterior, and scores that follow from
    them are asked for by the policy `auto` until the rule `posterior` names an arm.
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
    Share of continuations in which an arm is named with no more than these.
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
    The arm.
    """
    trials: int
    """
    The trials that were started.
    """
    failed: int
    """
    Trials that failed.
    """
    scores: int
    """
    The scores that the curve rests on.
    """
    n: list[int]
    """
    The numbers of trials, ascending.
    """
    mean: list[float | None]
    """
    The expected best; none beyond where the estimator is defined.
    """
    sd: list[float | None]
    """
    The standard deviation of the best.
    """
    mean_minus_sd: list[float | None]
    """
    The mean less one standard deviation, within the scores.
    """
    mean_plus_sd: list[float | None]
    """
    The mean and one standard deviation, within the scores.
    """
    median: list[float]
    """
    The median of the best.
    """
    lower: list[float | None]
    """
    The lower end of the band; none where it is open.
    """
    upper: list[float | None]
    """
    The upper end of the band.
    """
    bands: str
    """
    The kind of the band, which may not be the one asked for.
    """
    informative: Informative | None = None
    """
    For which n the ends of the band rest on scores.
    """
    mean_duration: float | None = None
    """
    The mean of one, in seconds.
    """
    time: list[float | None] | None = None
    """
    How long n of them take.
    """


@dataclass(frozen=True)
class Pair:
    """
    Two arms, and where the bands of their curves are apart.
    """

    arms: list[str]
    """
    The two arms.
    """
    crossings: int
    """
    How often their estimates cross.
    """
    apart: list[ApartFor]
    """
    Where their bands are apart.
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
    Every n up to that.
    """
    arms: list[ArmBestOfN]
    """
    The arms.
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
    The ranges of n for which none does.
    """
    tails: list[ArmTail]
    """
    The tails of the arms' scores towards better ones, where they were estimated.
    """
    draws: int
    """
    How many draws were made.
    """
    seed: int
    """
    Their seed.
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
    The score's name.
    """
    direction: str
    """
    Which scores are better.
    """
    estimator: str
    """
    How the curves are estimated.
    """
    failed: str
    """
    What a failed evaluation counts as.
    """
    confidence: float
    """
    The confidence of each band.
    """
    band_of: Centre
    """
    What the bands are of.
    """
    curves: list[ArmCurve]
    """
    The curves.
    """
    crossings: list[CrossingOfArms]
    """
    Every crossing of two curves.
    """
    pairs: list[Pair]
    """
    Every two arms.
    """
    budgets: list[ArmBudget]
    """
    The trials it takes to expect each of the scores that were asked for.
    """
    bounds: tuple[float, float] | None = None
    """
    The smallest and the largest possible score.
    """
    best_of_n: BestOfNReport | None = None
    """
    Which arm has the highest expected best of n; none where that cannot be said.
    """


@dataclass(frozen=True)
class LowerBound:
    """
    Lower bounds on the mean number of evaluations.
    """

    known_variances: Planned
    """
    Of policies that are told the variances.
    """
    unknown_variances: Planned
    """
    Of those that are not.
    """


@dataclass(frozen=True)
class SimulatedStudies:
    """
    Simulated studies.
    """

    evaluations: SimulatedEvaluations
    """
    The evaluations that they needed.
    """
    error: float
    """
    The share of them that named a wrong arm.
    """
    error_standard_error: float
    """
    Its standard error.
    """
    capped: int
    """
    Studies that were given up at the cap.
    """
    hours: float | None = None
    """
    The time of the mean number of evaluations.
    """
    elapsed_hours: float | None = None
    """
    Hours that pass when as many evaluations run at once as are planned.
    """


@dataclass(frozen=True)
class Tests:
    """
    One-sided t-tests with fixed numbers of evaluations.
    """

    second: Test
    """
    The best arm against the second.
    """
    all: Test
    """
    The best arm against each other, with Bonferroni's correction.
    """


@dataclass(frozen=True)
class PoolPlanReport(Shown):
    """
    How many answers a verdict on a pool needs, and what each budget buys.
    """

    cells: int
    """
    How many answers all arms could give, K·N.
    """
    known: int
    """
    How many of them are known.
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
    One for each confidence; the continuations are the simulated studies.
    """
    supposed: SupposedPool | None = None
    """
    The made-up pool; none of a plan from a pilot's answers.
    """


@dataclass(frozen=True)
class GoalResult:
    """
    The runs until one goal.
    """

    policy: str
    """
    The policy as it was asked for.
    """
    posterior: str
    """
    The posterior.
    """
    stopping: str
    """
    The stopping rule.
    """
    tolerance: WrittenDistance
    """
    How far below the best the recommended arm may be.
    """
    tie: WrittenDistance
    """
    How far below the best arms may be that are called tied.
    """
    strict: bool
    """
    Whether an arm is named only at the probability 1 − δ².
    """
    splits: str
    """
    Which splits evaluations got.
    """
    runs: int
    """
    How many runs.
    """
    seed: int
    """
    Their seed.
    """
    best: str
    """
    The arms that a run should find.
    """
    evaluations: Evaluations
    """
    How many evaluations were made.
    """
    cost: Cost
    """
    What they cost, in mean durations of an evaluation.
    """
    time: float
    """
    The mean time on the virtual clock.
    """
    correct: float
    """
    The share of runs that named the best arm.
    """
    correct_standard_error: float
    """
    Its standard error.
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
    Runs of these whose tie is false: the best arm is not among the arms that they called equal,
    or one of these arms is farther below the best than they say.
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
    How many documents there are.
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
    A confidence.
    """
    shortfall: WrittenDistance | None = None
    """
    An expected shortfall.
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
    The policy as it was asked for.
    """
    posterior: str
    """
    The posterior.
    """
    stopping: str
    """
    The stopping rule.
    """
    tolerance: WrittenDistance
    """
    How far below the best the recommended arm may be.
    """
    tie: WrittenDistance
    """
    How far below the best arms may be that are called tied.
    """
    strict: bool
    """
    Whether an arm is named only at the probability 1 − δ².
    """
    splits: str
    """
    Which splits evaluations got.
    """
    runs: int
    """
    How many runs.
    """
    seed: int
    """
    Their seed.
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
    One for each goal.
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
    How many documents there are.
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
class Slot:
    """
    A place where runs are carried out: a GPU, or the room of a run that has none.
    """

    state: SlotState
    """
    How it is.
    """
    runs: list[Running]
    """
    The runs on it.
    """
    gpu: str | None = None
    """
    The GPU as jobs are told of it, if the slot is one: an index, a UUID or a MIG UUID.
    """
    index: int | None = None
    """
    Its number in the order of the PCI bus, if its driver was asked.
    """
    name: str | None = None
    """
    What it is called, if its driver was asked.
    """
    reason: str | None = None
    """
    Why it is not used, if it is not.
    """


@dataclass(frozen=True)
class ArmSearchStatus:
    """
    The space of one arm, and its best trial.
    """

    name: str
    """
    Its name.
    """
    space: dict[str, Any]
    """
    Its space as study files write it.
    """
    bounds: str
    """
    Its space in words.
    """
    best: BestTrialStatus | None = None
    """
    The trial with the best score; none before there is one.
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
    How many items any of the arms has answered.
    """
    common: int
    """
    How many of them all arms have answered.
    """
    arms: list[ArmThatLacks]
    """
    The arms.
    """


@dataclass(frozen=True)
class PlanAtConfidence:
    """
    The evaluations that a study with one confidence needs.
    """

    confidence: float
    """
    The confidence.
    """
    lower_bound: LowerBound
    """
    The least mean of any policy that errs no more often.
    """
    sequential_halving: Planned
    """
    The budget with which sequential halving is proven to err no more often.
    """
    t_test: Tests
    """
    Classical tests.
    """
    simulated: SimulatedStudies | None = None
    """
    Simulated studies; none where even the lower bound exceeds the cap.
    """


@dataclass(frozen=True)
class PlanReport(Shown):
    """
    How many evaluations a study will need.
    """

    arms: list[SupposedArm]
    """
    The arms.
    """
    best: str
    """
    The best arm.
    """
    second: str
    """
    The arm next to it.
    """
    gap: float
    """
    The difference of their means.
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
    Which splits evaluations get.
    """
    policy: str
    """
    The policy of the simulated studies.
    """
    posterior: str
    """
    Their posterior.
    """
    stopping: str
    """
    Their stopping rule.
    """
    parallel: int
    """
    Evaluations in flight at once.
    """
    runs: int
    """
    How many studies were simulated.
    """
    seed: int
    """
    Their seed.
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
    Whether they are paired.
    """
    results: list[PlanAtConfidence]
    """
    One for each confidence.
    """
    pilot_scores: int | None = None
    """
    The number of pilot scores, if the arms are estimated from some.
    """


@dataclass(frozen=True)
class SearchStatus:
    """
    What was searched, and the best that was found.
    """

    trials: int
    """
    How many trials each arm gets.
    """
    arms: list[ArmSearchStatus]
    """
    The arms.
    """
    best_of_n: BestOfNReport | None = None
    """
    Which arm has the highest expected best of n, once the search has ended.
    """


@dataclass(frozen=True)
class PoolReport:
    """
    What is known of a pool of items, and what further answers would buy.
    """

    items: int
    """
    How many items the pool has, N.
    """
    origin: PoolOrigin
    """
    Who says which of its items, and which answers to them, are known.
    """
    cells: int
    """
    How many answers all arms could give, K·N.
    """
    answered: int
    """
    How many are known.
    """
    bounds: tuple[float, float]
    """
    The least and the greatest answer.
    """
    arms: list[ArmOfPool]
    """
    The arms.
    """
    target: str
    """
    Which items P(best), means and the claim are of: `these items` or `items like these`.
    """
    these_items: TheseItems | None = None
    """
    Which arm is best on these items. `None` before every arm has its first answers.
    """
    items_like_these: ItemsLikeThese | None = None
    """
    Which arm would be best on items like these. `None` before every arm has its first answers.
    """
    claim: PoolClaim | None = None
    """
    Which arm can be named, and at what error; none before every arm has its first answers.
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
    What arms lack that others have answered. `None` if nothing is missing, or a study chose what
    to ask.
    """
    outlook: Outlook | None = None
    """
    What further answers would buy; none if all answers are known, answers vary, or it was not
    asked for.
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
    Their largest error; of Monte Carlo, standard error.
    """
    posterior: str
    """
    The posterior's name.
    """
    metric: str
    """
    The score's name.
    """
    arms: list[ArmBelief]
    """
    The arms, in the order in which they were asked for.
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
    What is known of the pool of items that the arms answered, and what further answers would
    buy, under the posterior `pool`.
    """
    means: MeansTable | None = None
    """
    What means with their spread are taken for, where these are all that is known.
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
    Where a study stands. Everything that has ended is counted, also what ended after the decision.
    """

    study: str
    """
    The study's name.
    """
    state: State
    """
    Its state.
    """
    metric: str
    """
    The metric's name.
    """
    target: str
    """
    What the arms are compared by, in words.
    """
    evaluations: int
    """
    Evaluations that were observed.
    """
    pending: int
    """
    Evaluations that have not ended.
    """
    failed: int
    """
    Evaluations that failed.
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
    How many of them, or of the documents, have an observation.
    """
    cost: float
    """
    What all of it cost, in the study's unit.
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
    The arms.
    """
    slots: list[Slot]
    """
    The slots, with the runs that go on.
    """
    waits: list[str]
    """
    Sentences that say what the study waits for besides the runs.
    """
    notes: list[str]
    """
    Notes on the scores.
    """
    advice: str | None = None
    """
    What lets the study go on with arms that have failed.
    """
    splits: int | None = None
    """
    How many splits there are; none if there are any number, or documents.
    """
    cost_unit: str | None = None
    """
    The unit of all costs: `s` or `GPU-s` of measured ones, the name that the study file gives;
    none where nobody says it.
    """
    confidence: float | None = None
    """
    P(best) of the leader; none while too little is known, and where it was compared with none.
    """
    leader: str | None = None
    """
    Name of the recommended arm; while no arm is recommended, of the arm with the best mean.
    `None` if there is neither.
    """
    search: SearchStatus | None = None
    """
    The random search, if it is one.
    """
    pool: PoolReport | None = None
    """
    What is known of the pool of items, under the posterior `pool`.
    """
    conclusion: ConclusionStatus | None = None
    """
    How it ended.
    """
