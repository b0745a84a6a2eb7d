"""
Inspect AI evaluations of several models that end when the best is known.

>>> from inspect_ai import Task, eval
>>> from fiesta_select.inspect_ai import EarlyStopping
>>> stopping = EarlyStopping(["openai/gpt-4o-mini", "mistral/mistral-small-latest"])
>>> task = Task(dataset=questions, scorer=match(), early_stopping=stopping)  # doctest: +SKIP
>>> eval(task, model=stopping.arms, sample_shuffle=1)  # doctest: +SKIP
>>> stopping.winner  # doctest: +SKIP
'openai/gpt-4o-mini'

One object serves all models of an evaluation: Inspect runs the task once for each, side by side, and
tells the object of every sample before it starts and after it was scored. The task's samples are a
pool of items: a model's value is its mean score over all of them, asked or not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalSpec
    from inspect_ai.scorer import SampleScore, Value
    from inspect_ai.util import EarlyStop

    from .results import BeliefReport

# Which arm the samples of the running task are of: Inspect's calls do not say. A task sets it when
# it starts, and all its samples run within.
_ARM: ContextVar[str] = ContextVar("fiesta_select.inspect_ai")

# A belief is computed anew when there are so many more scores than at the last one, as a share.
_EACH = 0.02


class EarlyStopping:
    """
    Stops the samples of models that are not the best, and all once the best is known.

    Parameters
    ----------
    arms : sequence of str
        What is compared, all of it: models as Inspect names them (``provider/model``), or with
        ``arm="task"`` the names of tasks, such as one for each prompt.
    confidence : float
        All samples stop once an arm is the best with this probability, between 0 and 1.
    tolerance : float
        Arms that are worse than the best by no more than this, in the unit of the scores, may be
        named instead; with ``stopping="anytime"`` only.
    stopping : {"posterior", "anytime"}
        By P(best), or by a claim that holds at this confidence although one looks after every
        answer, which takes more samples.
    direction : {"maximize", "minimize"}
        Which scores are better.
    scorer : str, optional
        Whose scores count, where a task has several scorers.
    value : callable, optional
        Makes a number of a score's value (default: Inspect's own: C and I are 1 and 0, P is 0.5).
    arm : {"model", "task"} or callable
        What an arm is: the model, the task, or what a function makes of the `EvalSpec`.
    bounds : (float, float)
        The least and the greatest possible score.
    first : int
        The samples that every arm answers before any stops.

    Attributes
    ----------
    arms : list of str
        What is compared.

    Raises
    ------
    ValueError
        If there are fewer than two arms, two have the same name, or a parameter is out of range.

    Notes
    -----
    **Which samples a model still gets.** After `first` samples of each, an arm goes on while the
    probability that it is the best is at least (1 − confidence)/(2(K − 1)) of K arms: what the arms
    that are left out may still be is then no more than half of what may remain open. Inspect skips
    the rest of its samples at once, so that an arm that is left out does not come back. Under the
    rule ``anytime`` no arm is left out before the winner is known, since a claim about an arm with
    few answers does not get stronger by answers of others. Samples that are running when the winner
    is known end and count.

    **Order.** Inspect asks the samples in the order of the data set. The belief takes what was
    answered for a random part of the pool: shuffle the data set, or give ``sample_shuffle=1`` to
    ``eval``, the same for all models, which also makes them answer the same samples.

    **Several models side by side.** That is what ``eval`` does unless it is told ``max_tasks=1``.
    One after the other, the first models answer all samples, and only the last can be stopped.

    **Again.** Samples that ``eval_set`` or ``eval_retry`` take over from an earlier log are told as
    all others, and no sample counts twice. With several epochs a sample's score is the mean of
    those there are.
    """

    def __init__(
        self,
        arms: Sequence[str],
        *,
        confidence: float = 0.95,
        tolerance: float = 0.0,
        stopping: Literal["posterior", "anytime"] = "posterior",
        direction: Literal["maximize", "minimize"] = "maximize",
        scorer: str | None = None,
        value: Callable[[Value], float] | None = None,
        arm: Literal["model", "task"] | Callable[[EvalSpec], str] = "model",
        bounds: tuple[float, float] = (0.0, 1.0),
        first: int = 10,
    ) -> None:
        self.arms = list(arms)
        if isinstance(arms, str) or len(set(self.arms)) < max(2, len(self.arms)):
            raise ValueError(
                f"the arms {arms!r} are not two or more different names: give all that is compared"
            )
        if not 0 < confidence < 1:
            raise ValueError(
                f"the confidence {confidence} is not between 0 and 1: give one as 0.95"
            )
        if first < 1:
            raise ValueError(f"first is {first}: every arm answers one sample at least")
        if stopping not in ("posterior", "anytime"):
            raise ValueError(f"`{stopping}` is no stopping rule: use posterior or anytime")
        if tolerance and stopping == "posterior":
            raise ValueError("tolerance= is about the stopping rule anytime: leave it out")
        self._confidence, self._tolerance, self._stopping = confidence, tolerance, stopping
        self._direction: Literal["maximize", "minimize"] = direction
        self._bounds, self._first = bounds, first
        self._scorer, self._value, self._arm_of = scorer, value, arm
        # Scores by arm, sample and epoch.
        self._scores: dict[str, dict[str | int, dict[int, float]]] = {name: {} for name in arms}
        self._items: dict[str | int, None] = {}
        self._task: str | None = None
        self._belief: BeliefReport | None = None
        self._scored = 0
        self._next = 0
        self._winner: str | None = None
        self._reached = 0.0

    @property
    def winner(self) -> str | None:
        """The best arm, once it is known."""
        return self._winner

    @property
    def belief(self) -> BeliefReport | None:
        """What is known of the arms, once each has its first samples; see `fiesta_select.belief`."""
        return self._belief

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Takes note of a task's samples; what it is an arm of."""
        name = self._name(task)
        if name not in self._scores:
            raise ValueError(
                f"`{name}` is none of the arms {self.arms}: name all that is compared, as Inspect does"
            )
        scorers = [scorer.name for scorer in task.scorers or []]
        if self._scorer is None and len(scorers) > 1:
            raise ValueError(
                f"the task has the scorers {scorers}: say with scorer= whose scores count"
            )
        if self._arm_of == "model":
            if self._task not in (None, task.task):
                raise ValueError(
                    f"the tasks `{self._task}` and `{task.task}` have the same early stopping: give "
                    'each its own, or compare them with arm="task"'
                )
            self._task = task.task
        _ARM.set(name)
        self._items.update(dict.fromkeys(_id(sample) for sample in samples))
        return "fiesta-select"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        """Whether a sample is not to be asked, and why."""
        reason = self._reason(_ARM.get())
        if reason is None:
            return None
        from inspect_ai.util import EarlyStop

        return EarlyStop(id=id, epoch=epoch, reason=reason)

    async def complete_sample(
        self, id: str | int, epoch: int, scores: dict[str, SampleScore]
    ) -> None:
        """Takes a sample's score into account; one without a score counts as the worst."""
        self._scores[_ARM.get()].setdefault(id, {})[epoch] = self._number(scores)
        self._scored += 1
        if self._scored >= self._next and self._has_first():
            self._look()

    async def complete_task(self) -> dict[str, Any]:
        """What is known at the end of a task, for its log."""
        if self._has_first():
            self._look()
        best = self._belief.arms if self._belief else []
        return {
            "arm": _ARM.get(),
            "winner": self._winner,
            "confidence": self._confidence,
            # When the winner was named: samples that were running then are in the belief below.
            "confidence_reached": self._reached or None,
            "stopping": self._stopping,
            "samples": {name: len(of) for name, of in self._scores.items()},
            "probability_best": {arm.name: arm.probability_best for arm in best},
        }

    def _name(self, task: EvalSpec) -> str:
        if callable(self._arm_of):
            return self._arm_of(task)
        return task.model if self._arm_of == "model" else task.task

    def _number(self, scores: dict[str, SampleScore]) -> float:
        """The score of a sample as a number."""
        from math import isfinite

        low, high = self._bounds
        worst = low if self._direction == "maximize" else high
        named = scores.get(self._scorer) if self._scorer else next(iter(scores.values()), None)
        if named is None:
            return worst
        if self._value is None:
            from inspect_ai.scorer import value_to_float

            self._value = value_to_float()
        number = float(self._value(named.score.value))
        return number if isfinite(number) else worst

    def _has_first(self) -> bool:
        """Whether every arm has its first scores."""
        least = max(1, min(self._first, len(self._items)))
        return min(len(of) for of in self._scores.values()) >= least

    def _look(self) -> None:
        """Computes anew what is known."""
        from ._analyses import belief

        answers = [
            (name, str(item), sum(of.values()) / len(of))
            for name, scores in self._scores.items()
            for item, of in scores.items()
        ]
        # These columns say that the hook chose which answers there are.
        rows = [
            {
                "arm": name,
                "item": item,
                "score": score,
                "evaluation": turn,
                "turn": turn,
                "pool_size": len(self._items),
            }
            for turn, (name, item, score) in enumerate(answers, 1)
        ]
        self._belief = belief(
            rows,
            arms=self.arms,
            direction=self._direction,
            bounds=self._bounds,
            posterior="pool",
            tolerance=self._tolerance or None,
        )
        self._next = self._scored + max(1, int(self._scored * _EACH))
        name, reached = self._leader(self._belief)
        if self._winner is None and reached >= self._confidence:
            self._winner, self._reached = name, reached

    def _leader(self, belief: BeliefReport) -> tuple[str, float]:
        """The arm that is to be named, and the confidence with which it can be."""
        leader = max(belief.arms, key=lambda arm: arm.probability_best)
        if self._stopping == "posterior":
            return leader.name, leader.probability_best
        claim = belief.pool.claim if belief.pool else None
        return (claim.arms[0], 1 - claim.error) if claim else (leader.name, 0.0)

    def _reason(self, arm: str) -> str | None:
        """Why an arm's next sample need not be asked, if it need not."""
        if self._belief is None:
            return None
        if self._winner is not None:
            return f"the best arm is known: {self._winner}"
        if self._stopping == "anytime":
            return None
        p = next(of.probability_best for of in self._belief.arms if of.name == arm)
        if p < (1 - self._confidence) / (2 * (len(self.arms) - 1)):
            return f"{arm} is not the best: P(best) is {p:.1g}"
        return None


def _id(sample: Sample) -> str | int:
    """Inspect numbers samples that have no id before a task starts."""
    if sample.id is None:
        raise ValueError("a sample has no id: Inspect is to number them before a task starts")
    return sample.id
