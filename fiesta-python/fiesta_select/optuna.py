"""
Optuna studies in which seeds are replicates: trials with equal parameters are one arm.

>>> import optuna
>>> from fiesta_select.optuna import StopWhenBestIsKnown
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> study = optuna.create_study(
...     direction="maximize", sampler=optuna.samplers.RandomSampler(seed=1)
... )
>>> def objective(trial):
...     depth = trial.suggest_categorical("depth", [1, 2, 4])
...     seed = trial.number // 3
...     trial.set_user_attr("seed", seed)
...     return depth + 0.01 * (seed * 37 % 7) + 0.01 * (trial.number * 5 % 11)
>>> stop = StopWhenBestIsKnown(settings=3)
>>> study.optimize(objective, n_trials=200, callbacks=[stop])
>>> stop.winner, len(study.trials) < 30
({'depth': 4}, True)

Optuna takes the best of all trials, which of noisy trials is the luckiest. Here each setting of the
parameters has a mean over its trials, and the study stops once one setting has the best mean with
the confidence that was asked for.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import FrozenTrial

    from .results import BeliefReport


_log = logging.getLogger(__name__)


class StopWhenBestIsKnown:
    """
    A callback that stops a study once one setting of its parameters is known to be the best.

    Parameters
    ----------
    confidence : float
        The study stops once a setting is the best with this probability, between 0 and 1.
    settings : int
        How many different settings there will be, such as those of a `GridSampler`: the study does
        not stop before each has its trials. Settings that were not tried are not in the belief.
    seed : str
        The user attribute or the parameter that holds a trial's seed, split or fold. Trials of
        different settings with the same value are compared with each other; of a setting they are
        replicates. A parameter of that name is no part of the setting. Trials without it are
        compared as they are.
    first : int
        The trials that every setting has before the study stops.

    Attributes
    ----------
    winner : dict or None
        The parameters of the setting that is the best, once it is known.
    belief : BeliefReport or None
        What was known after the last trial, see `fiesta_select.belief`; its arms are settings as
        JSON. None before every setting has its first trials, and while scores tell nothing of their
        noise, being all equal.

    Raises
    ------
    ValueError
        If a parameter is out of range; when it is called, if the study has several objectives.

    Notes
    -----
    Trials that failed or were pruned, and infinite scores, say nothing here: a setting that often
    fails should return a score for it. P(best) is looked at after every trial, so that settings
    with the same true mean are told apart by chance sooner or later; either is then as good as the
    other. Of settings with real numbers, drawn anew each time, no two are equal: such studies are
    for `fiesta_select.curve`, the expected best of n trials.

    With ``n_jobs > 1`` trials that are running when the study stops end and are kept by Optuna.
    """

    winner: dict[str, Any] | None
    belief: BeliefReport | None

    def __init__(
        self,
        confidence: float = 0.95,
        *,
        settings: int = 2,
        seed: str = "seed",
        first: int = 3,
    ) -> None:
        if not 0 < confidence < 1:
            raise ValueError(
                f"the confidence {confidence} is not between 0 and 1: give one as 0.95"
            )
        if settings < 2 or first < 2:
            raise ValueError(
                f"settings is {settings} and first {first}: to compare takes two settings, and to "
                "know their noise two trials of each"
            )
        self._confidence, self._settings = confidence, settings
        self._seed, self._first = seed, first
        self.winner = None
        self.belief = None

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        """Takes note of a trial that ended; Optuna calls this."""
        from ._analyses import belief

        if len(study.directions) > 1:
            raise ValueError(
                f"the study has {len(study.directions)} objectives, and the best is of one: make a "
                "study of one, or weigh them in the objective"
            )
        rows, parameters = self._rows(study.get_trials(deepcopy=False))
        counts = [sum(row["arm"] == name for row in rows) for name in parameters]
        if len(counts) < self._settings or min(counts) < self._first:
            return
        direction: Literal["minimize", "maximize"]
        direction = "minimize" if study.direction.name == "MINIMIZE" else "maximize"
        try:
            self.belief = belief(rows, direction=direction, posterior="paired")
        except ValueError as error:
            # Scores without spread: the next trial may have some.
            _log.debug("no belief yet: %s", error)
            return
        leader = max(self.belief.arms, key=lambda arm: arm.probability_best)
        if leader.probability_best >= self._confidence:
            if self.winner is None:
                self.winner = parameters[leader.name]
            study.stop()

    def _rows(
        self, trials: Sequence[FrozenTrial]
    ) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
        """Trials as evaluations of arms, and the parameters of each arm."""
        from optuna.trial import TrialState

        rows: list[dict[str, Any]] = []
        parameters: dict[str, dict[str, Any]] = {}
        used: set[tuple[str, str]] = set()
        splits: dict[str, int] = {}
        for trial in trials:
            if trial.state != TrialState.COMPLETE or not isfinite(trial.values[0]):
                continue
            setting = {key: value for key, value in trial.params.items() if key != self._seed}
            name = json.dumps(setting, sort_keys=True, default=repr)
            parameters.setdefault(name, setting)
            row: dict[str, Any] = {"arm": name, "score": trial.values[0]}
            seed = trial.params.get(self._seed, trial.user_attrs.get(self._seed))
            key = json.dumps(seed, default=repr)
            # A setting that was given the same seed twice has no second score on that split.
            if seed is not None and (name, key) not in used:
                used.add((name, key))
                row["split"] = splits.setdefault(key, len(splits))
            rows.append(row)
        if not all("split" in row for row in rows):
            for row in rows:
                row.pop("split", None)
        return rows, parameters
