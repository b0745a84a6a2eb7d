"""Optuna's studies with `fiesta_select.optuna.StopWhenBestIsKnown`."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

optuna = pytest.importorskip("optuna")

import fiesta_select as fiesta
from fiesta_select.optuna import SettingSampler, StopWhenBestIsKnown

DEPTHS = [1, 2, 4, 8]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield


def sampler() -> Any:
    return optuna.samplers.RandomSampler(seed=1)


def score(depth: int, seed: int, noise: float) -> float:
    """Seeds are harder or easier for all settings alike, by much more than settings differ."""
    shared = random.Random(f"seed {seed}").gauss(0, 0.2)
    own = random.Random(f"{depth} {seed}").gauss(0, noise)
    return 0.5 + 0.02 * DEPTHS.index(depth) + shared + own


def seeded(noise: float = 0.01) -> Any:
    turns: dict[int, int] = {}

    def objective(trial: Any) -> float:
        depth = trial.suggest_categorical("depth", DEPTHS)
        seed = turns[depth] = turns.get(depth, -1) + 1
        trial.set_user_attr("seed", seed)
        return score(depth, seed, noise)

    return objective


def test_a_study_stops_when_the_best_setting_is_known() -> None:
    study = optuna.create_study(direction="maximize", sampler=sampler())
    stop = StopWhenBestIsKnown(settings=4)
    study.optimize(seeded(), n_trials=500, callbacks=[stop])
    assert stop.winner == {"depth": 8}
    assert 12 <= len(study.trials) < 100
    leader = max(stop.belief.arms, key=lambda arm: arm.probability_best)
    assert leader.name == '{"depth": 8}' and leader.probability_best >= 0.95


def test_the_belief_is_that_of_the_trials() -> None:
    study = optuna.create_study(direction="maximize", sampler=sampler())
    stop = StopWhenBestIsKnown(settings=4)
    study.optimize(seeded(), n_trials=500, callbacks=[stop])
    rows = [
        {"arm": str(t.params["depth"]), "split": t.user_attrs["seed"], "score": t.value}
        for t in study.trials
    ]
    # As many draws as after each trial.
    expected = {arm.name: arm.probability_best for arm in fiesta.belief(rows, draws=160).arms}
    found = {arm.name: arm.probability_best for arm in stop.belief.arms}
    assert found == pytest.approx({f'{{"depth": {name}}}': p for name, p in expected.items()})


def test_seeds_that_are_shared_make_it_shorter() -> None:
    def trials(attribute: str) -> int:
        study = optuna.create_study(direction="maximize", sampler=sampler())
        stop = StopWhenBestIsKnown(settings=4, seed=attribute)
        study.optimize(seeded(), n_trials=400, callbacks=[stop])
        return len(study.trials)

    assert trials("seed") < trials("no such attribute") == 400


def test_the_seed_may_be_a_parameter() -> None:
    grid = {"depth": DEPTHS, "seed": list(range(50))}

    def objective(trial: Any) -> float:
        depth = trial.suggest_categorical("depth", DEPTHS)
        return score(depth, trial.suggest_categorical("seed", grid["seed"]), 0.01)

    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.GridSampler(grid, seed=1)
    )
    stop = StopWhenBestIsKnown(settings=4)
    study.optimize(objective, callbacks=[stop])
    assert stop.winner == {"depth": 8} and len(study.trials) < 200


def test_the_smallest_may_be_the_best() -> None:
    study = optuna.create_study(direction="minimize", sampler=sampler())
    stop = StopWhenBestIsKnown(settings=4)
    study.optimize(seeded(), n_trials=500, callbacks=[stop])
    assert stop.winner == {"depth": 1}


def test_settings_that_do_not_differ_are_not_told_apart() -> None:
    scores = {"a": [0, 1, 0.5], "b": [1, 0, 0.5]}
    turns = {"a": 0, "b": 0}

    def objective(trial: Any) -> float:
        name = trial.suggest_categorical("name", ["a", "b"])
        turns[name] += 1
        return scores[name][turns[name] % 3]

    study = optuna.create_study(sampler=sampler())
    stop = StopWhenBestIsKnown()
    study.optimize(objective, n_trials=60, callbacks=[stop])
    assert stop.winner is None and len(study.trials) == 60 and stop.belief is not None


def test_scores_without_noise_are_no_reason_to_fail() -> None:
    def objective(trial: Any) -> float:
        return float(trial.suggest_categorical("depth", [1, 2]))

    study = optuna.create_study(sampler=sampler())
    stop = StopWhenBestIsKnown()
    study.optimize(objective, n_trials=20, callbacks=[stop])
    assert stop.belief is None and len(study.trials) == 20


def test_infinite_scores_say_nothing() -> None:
    objective = seeded()
    study = optuna.create_study(direction="maximize", sampler=sampler())
    stop = StopWhenBestIsKnown(settings=4)
    study.optimize(
        lambda trial: float("-inf") if trial.number % 5 == 0 else objective(trial),
        n_trials=500,
        callbacks=[stop],
    )
    assert stop.winner == {"depth": 8}


def test_all_settings_are_waited_for() -> None:
    def objective(trial: Any) -> float:
        depth = trial.suggest_categorical("depth", [1, 2])
        return depth + random.Random(trial.number).gauss(0, 0.01)

    study = optuna.create_study(sampler=sampler())
    stop = StopWhenBestIsKnown(settings=3)
    study.optimize(objective, n_trials=40, callbacks=[stop])
    assert stop.winner is None and stop.belief is None


def test_failed_and_pruned_trials_say_nothing() -> None:
    objective = seeded()

    def fragile(trial: Any) -> float:
        if trial.number % 5 == 0:
            raise RuntimeError("out of memory")
        if trial.number % 7 == 0:
            raise optuna.TrialPruned
        return objective(trial)

    study = optuna.create_study(direction="maximize", sampler=sampler())
    stop = StopWhenBestIsKnown(settings=4)
    study.optimize(fragile, n_trials=500, callbacks=[stop], catch=RuntimeError)
    assert stop.winner == {"depth": 8}


def test_a_study_that_is_resumed_knows_its_trials() -> None:
    storage = optuna.storages.InMemoryStorage()

    def study() -> Any:
        return optuna.create_study(
            study_name="s", storage=storage, direction="maximize", load_if_exists=True,
            sampler=sampler(),
        )  # fmt: skip

    objective = seeded()
    study().optimize(objective, n_trials=12)
    stop = StopWhenBestIsKnown(settings=4)
    study().optimize(objective, n_trials=500, callbacks=[stop])
    assert stop.winner == {"depth": 8}
    assert sum(arm.evaluations for arm in stop.belief.arms) == len(study().trials)


def test_trials_side_by_side() -> None:
    study = optuna.create_study(direction="maximize", sampler=sampler())
    stop = StopWhenBestIsKnown(settings=4)
    study.optimize(seeded(), n_trials=500, callbacks=[stop], n_jobs=4)
    assert stop.winner == {"depth": 8} and len(study.trials) < 200


def test_a_seed_that_is_given_twice_is_no_pair() -> None:
    def objective(trial: Any) -> float:
        depth = trial.suggest_categorical("depth", DEPTHS)
        trial.set_user_attr("seed", 0)
        return depth + random.Random(trial.number).gauss(0, 0.1)

    study = optuna.create_study(direction="maximize", sampler=sampler())
    stop = StopWhenBestIsKnown(settings=4)
    study.optimize(objective, n_trials=200, callbacks=[stop])
    assert stop.winner == {"depth": 8}


def test_a_study_of_several_objectives() -> None:
    study = optuna.create_study(directions=["maximize", "minimize"])
    with pytest.raises(ValueError, match="2 objectives"):
        study.optimize(lambda trial: (0.1, 0.2), n_trials=1, callbacks=[StopWhenBestIsKnown()])


@pytest.mark.parametrize("options", [{"confidence": 1.0}, {"settings": 1}, {"first": 1}])
def test_parameters_that_cannot_be(options: Any) -> None:
    with pytest.raises(ValueError, match="is"):
        StopWhenBestIsKnown(**options)


# The sampler.

SETTINGS = [{"depth": depth, "rate": 0.1} for depth in DEPTHS]


def of_setting(noise: float = 0.01) -> Any:
    def objective(trial: Any) -> float:
        depth = trial.suggest_int("depth", 1, 16)
        assert trial.suggest_float("rate", 1e-5, 1.0, log=True) == 0.1
        return score(depth, trial.suggest_int("seed", 0, 10**6), noise)

    return objective


def test_the_sampler_tries_settings_until_the_best_is_known() -> None:
    sampler = SettingSampler(SETTINGS)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(of_setting(), n_trials=500)
    assert sampler.winner == {"depth": 8, "rate": 0.1}
    assert 8 <= len(study.trials) < 100
    tried = [trial.params["depth"] for trial in study.trials]
    assert tried.count(1) < tried.count(8)
    assert all(trial.state.name == "COMPLETE" for trial in study.trials)


def test_the_sampler_decides_as_the_selector_does() -> None:
    sampler = SettingSampler(SETTINGS, policy="ttts", seed="split")
    study = optuna.create_study(direction="maximize", sampler=sampler)

    def objective(trial: Any) -> float:
        depth = trial.suggest_int("depth", 1, 16)
        return score(depth, trial.suggest_int("split", 0, 10**6), 0.05)

    study.optimize(objective, n_trials=500)
    made = [(trial.params["depth"], trial.params["split"]) for trial in study.trials]
    selector = fiesta.Selector(sampler.selector.arms, policy="ttts")
    expected = []
    for ask in selector:
        depth = json.loads(ask.arm)["depth"]
        expected.append((depth, ask.split))
        selector.tell(ask, score(depth, ask.split, 0.05))
    assert made == expected and sampler.selector.best == selector.best


def test_the_sampler_minimizes() -> None:
    sampler = SettingSampler(SETTINGS)
    study = optuna.create_study(direction="minimize", sampler=sampler)
    study.optimize(of_setting(), n_trials=500)
    assert sampler.winner == {"depth": 1, "rate": 0.1}


def test_the_sampler_has_a_budget() -> None:
    sampler = SettingSampler(SETTINGS, budget=20)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(of_setting(), n_trials=500)
    assert len(study.trials) == 20 and sampler.winner is not None


def test_before_the_end_the_sampler_has_no_winner() -> None:
    sampler = SettingSampler(SETTINGS)
    assert sampler.winner is None
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(of_setting(), n_trials=5)
    assert sampler.winner is None and len(sampler.selector.records) == 5


def test_the_sampler_side_by_side() -> None:
    sampler = SettingSampler(SETTINGS, parallel=4)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(of_setting(), n_trials=500, n_jobs=4)
    assert sampler.winner == {"depth": 8, "rate": 0.1}
    splits = [(t.params["depth"], t.params["seed"]) for t in study.trials if "seed" in t.params]
    assert len(set(splits)) == len(splits) < 150


def test_failures_are_told_to_the_sampler() -> None:
    objective = of_setting()

    def fragile(trial: Any) -> float:
        value = objective(trial)
        if trial.params["depth"] == 1:
            raise RuntimeError("out of memory")
        if trial.number % 9 == 5:
            return float("inf")
        if trial.number % 9 == 7:
            raise optuna.TrialPruned
        return value

    sampler = SettingSampler(SETTINGS)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(fragile, n_trials=500, catch=RuntimeError)
    assert sampler.winner == {"depth": 8, "rate": 0.1} and len(study.trials) < 200


def test_a_parameter_that_a_setting_lacks() -> None:
    study = optuna.create_study(sampler=SettingSampler([{"a": 1}, {"a": 2}]))
    with pytest.raises(ValueError, match="suggests `b`, which the setting"):
        study.optimize(lambda trial: trial.suggest_int("b", 0, 9), n_trials=1)


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ([], "two or more"),
        ([{"a": 1}], "two or more"),
        ([{"a": 1}, {"a": 1}], "two or more"),
        ([{"a": 1, "seed": 1}, {"a": 2}], "has a `seed`"),
    ],
)
def test_settings_that_cannot_be(settings: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        SettingSampler(settings)
