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
the confidence that was asked for. `StopWhenBestIsKnown` watches a study of any sampler;
`SettingSampler` also chooses which of the settings is tried next.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from math import isfinite
from threading import Condition
from typing import TYPE_CHECKING, Any, Literal

from optuna.samplers import BaseSampler
from optuna.trial import TrialState

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.study import Study
    from optuna.trial import FrozenTrial

    from ._native import Ask
    from ._selector import Selector
    from .results import BeliefReport


_log = logging.getLogger(__name__)

#: Draws of a belief, of which there is one after each trial: those of a study.
_DRAWS = 160


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

        _direction(study)
        rows, parameters = self._rows(study.get_trials(deepcopy=False))
        counts = [sum(row["arm"] == name for row in rows) for name in parameters]
        if len(counts) < self._settings or min(counts) < self._first:
            return
        try:
            self.belief = belief(
                rows, direction=_direction(study), posterior="paired", draws=_DRAWS
            )
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
        rows: list[dict[str, Any]] = []
        parameters: dict[str, dict[str, Any]] = {}
        used: set[tuple[str, str]] = set()
        splits: dict[str, int] = {}
        for trial in trials:
            if trial.state != TrialState.COMPLETE or not isfinite(trial.values[0]):
                continue
            setting = {key: value for key, value in trial.params.items() if key != self._seed}
            name = _name(setting)
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


class SettingSampler(BaseSampler):
    """
    A sampler that tries each of some settings as often as it takes to know the best.

    The trials are the evaluations of a `fiesta_select.Selector`, whose arms are the settings: a
    setting that is clearly worse is soon tried no more.

    Parameters
    ----------
    settings : sequence of dict
        The parameters of each setting: a value for each name that the objective suggests.
    seed : str
        The parameter that the objective suggests as its seed, split or fold:
        ``trial.suggest_int("seed", 0, 10**6)``. It is the number of the split, from 0, which all
        settings share.
    **keywords
        As of `fiesta_select.Selector`, such as ``confidence=`` and ``budget=``.

    Attributes
    ----------
    selector : Selector or None
        What chooses and knows, from the first trial on; its arms are the settings as JSON.

    Raises
    ------
    ValueError
        If there are fewer than two settings, two are equal, or one has the seed; at the first
        trial, if the study has several objectives or a keyword has a value that it cannot have.

    Notes
    -----
    A trial that fails or is pruned, or has an infinite score, counts as failed. With ``n_jobs > 1``
    the selector is asked from several threads; trials that are running when the study stops end and
    are told. A sampler is of one study and one run of the program: trials that a storage holds from
    earlier are not taken over.

    Examples
    --------
    >>> import optuna, random
    >>> from fiesta_select.optuna import SettingSampler
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> def objective(trial):
    ...     rate = trial.suggest_float("rate", 1e-5, 1e-1, log=True)
    ...     seed = trial.suggest_int("seed", 0, 10**6)
    ...     return abs(rate - 1e-3) + random.Random(f"{seed} {rate}").gauss(0, 0.001)
    >>> sampler = SettingSampler([{"rate": 1e-4}, {"rate": 1e-3}, {"rate": 1e-2}], confidence=0.95)
    >>> study = optuna.create_study(direction="minimize", sampler=sampler)
    >>> study.optimize(objective, n_trials=300)
    >>> sampler.winner, len(study.trials) < 100
    ({'rate': 0.001}, True)
    """

    selector: Selector | None

    def __init__(
        self, settings: Sequence[Mapping[str, Any]], *, seed: str = "seed", **keywords: Any
    ) -> None:
        self._settings = {_name(setting): dict(setting) for setting in settings}
        if len(self._settings) < max(2, len(settings)):
            raise ValueError(
                f"the {len(settings)} settings are not two or more different ones: give each once"
            )
        if any(seed in setting for setting in settings):
            raise ValueError(
                f"a setting has a `{seed}`, which is what replicates differ by: leave it out"
            )
        self._seed, self._keywords = seed, keywords
        self._asked: dict[int, Ask] = {}
        self._ahead: list[Ask] = []
        self._told = Condition()
        self.selector = None

    @property
    def winner(self) -> dict[str, Any] | None:
        """The parameters of the best setting, once the selection has ended."""
        if self.selector is None or not self.selector.finished or self.selector.best is None:
            return None
        return self._settings[self.selector.best]

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """No parameters: each is given by itself. Optuna calls this."""
        return {}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """No parameters. Optuna calls this."""
        return {}

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Asks for the trial's setting and split. Optuna calls this."""
        with self._told:
            if self.selector is None:
                from ._selector import Selector

                self.selector = Selector(
                    self._settings, direction=_direction(study), **self._keywords
                )
            ask = self._next(self.selector)
            while ask is None and not self.selector.finished:
                self._told.wait()
                ask = self._next(self.selector)
            if ask is not None:
                self._asked[trial.number] = ask

    def _next(self, selector: Selector) -> Ask | None:
        """The evaluation that was asked for already, or the next one."""
        return self._ahead.pop() if self._ahead else selector.ask()

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """The value of a parameter in the trial's setting. Optuna calls this."""
        from optuna import TrialPruned

        ask = self._asked.get(trial.number)
        if ask is None:
            # Begun beside the trial that ended the selection.
            raise TrialPruned("the best setting is known")
        if param_name == self._seed:
            return ask.split
        setting = self._settings[ask.arm]
        if param_name not in setting:
            raise ValueError(
                f"the objective suggests `{param_name}`, which the setting {ask.arm} does not have: "
                "give it a value in all settings"
            )
        return setting[param_name]

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Tells the trial's outcome, and stops the study once the best is known. Optuna calls this."""
        with self._told:
            ask = self._asked.pop(trial.number, None)
            selector = self.selector
            if selector is None:
                return
            if ask is not None:
                if state == TrialState.COMPLETE and values and isfinite(values[0]):
                    selector.tell(ask, values[0])
                else:
                    selector.tell(ask, failed=True)
            # The selection ends when it is asked; the next trial makes what it asks for instead.
            if not self._ahead:
                following = selector.ask()
                if following is not None:
                    self._ahead.append(following)
            if selector.finished:
                study.stop()
            self._told.notify_all()


def _name(setting: Mapping[str, Any]) -> str:
    """A setting as JSON."""
    return json.dumps(dict(setting), sort_keys=True, default=repr)


def _direction(study: Study) -> Literal["minimize", "maximize"]:
    """Which scores are better in a study of one objective."""
    if len(study.directions) > 1:
        raise ValueError(
            f"the study has {len(study.directions)} objectives, and the best is of one: make a "
            "study of one, or weigh them in the objective"
        )
    return "minimize" if study.direction.name == "MINIMIZE" else "maximize"
