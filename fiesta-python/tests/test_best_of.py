"""Functions as arms: the winner, ledgers, kills, interrupts, failures, processes."""

import json
import logging
import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import fiesta_select as fiesta

MEANS = {"small": 0.60, "medium": 0.62, "large": 0.68}


def score(arm, split, seed):
    """A score that depends on arm, split and seed alone."""
    shared = random.Random(split).gauss(0, 0.02)
    return MEANS[arm] + shared + random.Random(seed).gauss(0, 0.02)


ARMS = dict.fromkeys(MEANS, score)


def test_finds_the_best_without_a_ledger():
    found = fiesta.best_of(ARMS, confidence=0.95, seed=1, costs=dict.fromkeys(MEANS, 1))
    assert found.leader == "large" and found.confidence >= 0.95
    assert found.state == "finished"
    assert "large is the best of 3 arms by score" in str(found)
    assert not os.path.exists("study.fiesta")


def test_decides_as_a_selector(tmp_path):
    keywords = {"confidence": 0.9, "seed": 3, "costs": dict.fromkeys(MEANS, 1.0)}
    selector = fiesta.Selector(MEANS, **keywords)
    decided = []
    for ask in selector:
        decided.append((ask.arm, ask.split, ask.seed))
        selector.tell(ask, score(ask.arm, ask.split, ask.seed))
    fiesta.best_of(ARMS, ledger=tmp_path / "study.fiesta", **keywords)
    made = fiesta.Study(tmp_path / "study.toml").records()
    assert [(row["arm"], row["split"], row["seed"]) for row in made] == decided


def test_a_ledger_is_known_to_the_program_and_goes_on(tmp_path, program):
    calls = []

    def counted(arm, split, seed):
        calls.append(arm)
        return score(arm, split, seed)

    arms = dict.fromkeys(MEANS, counted)
    ledger = tmp_path / "study.fiesta"
    first = fiesta.best_of(arms, ledger=ledger, budget=12)
    assert len(calls) == 12
    again = fiesta.best_of(arms, ledger=ledger, budget=12)
    assert len(calls) == 12 and again.leader == first.leader
    fiesta.best_of(arms, ledger=ledger, budget=18, accept_changes=True)
    assert len(calls) == 18
    status = fiesta.Study(tmp_path / "study.toml").status()
    assert sum(arm.evaluations for arm in status.arms) == 18
    printed = subprocess.run(
        [program, "status", "study.toml"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "finished" in printed.stdout
    page = fiesta.Study(tmp_path / "study.toml").report(tmp_path / "report")
    assert page.exists()
    with pytest.raises(fiesta.StudyError, match="accept"):
        fiesta.best_of(arms, ledger=ledger, budget=24)
    run = [program, "run", "study.toml"]
    refused = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "functions" in refused.stderr


def test_an_edited_function_is_told_and_asked_again(tmp_path):
    def made(prompt):
        return lambda seed: len(prompt) / 10 + seed % 7 / 1000

    def run(prompts, **more):
        arms = {name: made(prompt) for name, prompt in prompts.items()}
        return fiesta.best_of(arms, ledger=tmp_path / "study.fiesta", budget=12, **more)

    run({"short": "abc", "long": "abcdef"})
    with pytest.raises(fiesta.StudyError, match=r"(?s)arm.short.version.*made of short"):
        run({"short": "abcdefgh", "long": "abcdef"})
    found = run({"short": "abcdefgh", "long": "abcdef"}, again=["short"])
    means = {arm.name: arm.mean for arm in found.arms}
    assert means["short"] > 0.8
    assert means["long"] < 0.7
    assert sum(arm.evaluations for arm in found.arms) == 12
    # Or somebody says that scores are the same.
    kept = run({"short": "abcdefghi", "long": "abcdef"}, accept_changes=True)
    assert kept.leader == "short"


def test_several_at_once_and_whole_results(tmp_path):
    def slow(split, seed):
        time.sleep(0.02)
        return {"accuracy": 0.5 + random.Random(seed).gauss(0, 0.02), "cost": 2.5, "note": "x"}

    def quick(seed, **told):
        assert told["arm"] == "quick"
        return 0.8 + random.Random(seed).gauss(0, 0.02)

    found = fiesta.best_of(
        {"slow": slow, "quick": quick},
        metric="accuracy",
        parallel=4,
        confidence=0.95,
        ledger=tmp_path / "s.fiesta",
    )
    assert found.leader == "quick" and found.metric == "accuracy"
    rows = fiesta.Study(tmp_path / "s.toml").records()
    assert {row["cost"] for row in rows if row["arm"] == "slow"} == {2.5}


def test_what_a_function_raises_is_the_arms_failure(tmp_path, caplog):
    def broken(seed):
        raise ZeroDivisionError("no weights")

    with caplog.at_level(logging.WARNING, "fiesta_select"):
        found = fiesta.best_of(
            {**ARMS, "broken": lambda seed: broken(seed)}, ledger=tmp_path / "s.fiesta", seed=1
        )
    assert found.leader == "large"
    arm = next(arm for arm in found.arms if arm.name == "broken")
    assert arm.evaluations == 0 or arm.failures >= 3
    assert "ZeroDivisionError: no weights" in caplog.text
    study = fiesta.Study(tmp_path / "s.toml")
    failed = next(n for n, row in enumerate(study.records(), 1) if row["arm"] == "broken")
    attempt = study.log(failed).attempts[0]
    assert "in broken" in json.dumps(attempt.__dict__, default=str)


def test_nothing_but_failures_is_an_error():
    def broken():
        raise ValueError("no data")

    with pytest.raises(fiesta.StudyError, match="no data"):
        fiesta.best_of({"a": broken, "b": broken})


@pytest.mark.parametrize("value", [None, "0.5", float("nan"), float("inf"), [1, 2], {}])
def test_what_is_no_score_is_a_failure(value):
    with pytest.raises(fiesta.StudyError):
        fiesta.best_of({"a": lambda: value, "b": lambda: value})


def test_refusals(tmp_path):
    with pytest.raises(TypeError, match="asks for `data`"):
        fiesta.best_of({"a": lambda data: 1, "b": lambda: 1})
    with pytest.raises(TypeError, match="not a function"):
        fiesta.best_of({"a": 1, "b": 2})
    with pytest.raises(TypeError, match="cannot go to another process"):
        fiesta.best_of({"a": lambda: 1, "b": lambda: 2}, run_in="processes")
    with pytest.raises(ValueError, match=r"\.fiesta"):
        fiesta.best_of(ARMS, ledger=tmp_path / "study.db")
    with pytest.raises(ValueError, match="threads"):
        fiesta.best_of(ARMS, run_in="clouds")
    with pytest.raises(ValueError, match="confidence"):
        fiesta.best_of(ARMS, confidence=3)
    (tmp_path / "other.toml").write_text("name = 1")
    with pytest.raises(ValueError, match="no study of functions"):
        fiesta.best_of(ARMS, ledger=tmp_path / "other.fiesta")


SCRIPT = textwrap.dedent(
    """
    import os, random, sys, time
    import fiesta_select as fiesta

    def trained(arm, split, seed):
        with open("calls.txt", "a") as calls:
            calls.write(f"{arm} {split} {seed}\\n")
        time.sleep(0.05)
        if os.environ.get("DIES") == arm and random.random() < 0.3:
            os._exit(9)
        return {"a": .6, "b": .62, "c": .64}[arm] + random.Random(seed).gauss(0, .02)

    if __name__ == "__main__":
        found = fiesta.best_of(
            dict.fromkeys("abc", trained), ledger="study.fiesta", parallel=3, budget=60,
            policy="uniform", seed=1, retries=20, run_in=sys.argv[1],
        )
        print(found.leader, sum(arm.evaluations for arm in found.arms))
    """
)


def start(tmp_path, run_in, **environment):
    (tmp_path / "script.py").write_text(SCRIPT)
    return subprocess.Popen(
        [sys.executable, "script.py", run_in],
        cwd=tmp_path,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("run_in", ["threads", "processes"])
def test_killed_again_and_again_every_evaluation_counts_once(tmp_path, run_in):
    chance = random.Random(1)
    for _ in range(6):
        process = start(tmp_path, run_in)
        time.sleep(chance.uniform(0.4, 1.5))
        process.kill()
        process.communicate()
    printed, said = start(tmp_path, run_in).communicate(timeout=120)
    assert printed.split()[-1] == "60", said
    rows = fiesta.Study(tmp_path / "study.toml").records()
    cases = [(row["arm"], row["split"], row["seed"]) for row in rows]
    assert len(cases) == len(set(cases)) == 60
    made = (tmp_path / "calls.txt").read_text().split("\n")[:-1]
    assert {f"{arm} {split} {seed}" for arm, split, seed in cases} <= set(made)


def test_a_process_that_dies_is_replaced(tmp_path):
    printed, said = start(tmp_path, "processes", DIES="b").communicate(timeout=120)
    assert printed.split()[-1] == "60", said


def test_ctrl_c_waits_for_what_runs_and_goes_on_later(tmp_path):
    process = start(tmp_path, "threads")
    while not (tmp_path / "calls.txt").exists():
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode != 0 and "KeyboardInterrupt" in said
    made = len((tmp_path / "calls.txt").read_text().splitlines())
    status = fiesta.Study(tmp_path / "study.toml").status()
    assert status.state == "stopped"
    assert sum(arm.evaluations for arm in status.arms) == made
    printed, said = start(tmp_path, "threads").communicate(timeout=60)
    assert printed.split()[-1] == "60", said
    assert len((tmp_path / "calls.txt").read_text().splitlines()) == 60


def test_ctrl_c_twice_leaves_what_runs(tmp_path):
    script = SCRIPT.replace("time.sleep(0.05)", "time.sleep(600)")
    (tmp_path / "script.py").write_text(script)
    process = subprocess.Popen(
        [sys.executable, "script.py", "threads"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "calls.txt").exists():
        time.sleep(0.05)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode != 0 and time.monotonic() - began < 20


def test_a_study_of_commands(tmp_path):
    job = "import json, sys; print(json.dumps({'score': float(sys.argv[1]) + int(sys.argv[2]) % 7 / 100}))"
    (tmp_path / "study.toml").write_text(
        f"""
        name = "commands"
        metric.name = "score"
        goal.confidence = 0.9
        design.parallel = 2
        [[arm]]
        name = "low"
        command = [{json.dumps(sys.executable)}, "-c", {json.dumps(job)}, "0.1", "{{seed}}"]
        [[arm]]
        name = "high"
        command = [{json.dumps(sys.executable)}, "-c", {json.dumps(job)}, "0.9", "{{seed}}"]
        """
    )
    study = fiesta.Study(tmp_path / "study.toml")
    found = study.run()
    assert found.leader == "high" and "high is the best of 2 arms" in str(found)
    assert study.status().leader == "high"
    assert study.log(1).attempts
    with pytest.raises(fiesta.StudyError):
        study.log(10_000)
    with pytest.raises(fiesta.StudyError) as error:
        fiesta.Study(tmp_path / "none.toml").run()
    assert error.value.exit_code == 2
    with pytest.raises(ValueError, match="none.toml"):
        fiesta.Study(tmp_path / "none.toml").status()


def test_the_unit_of_costs_is_carried(tmp_path):
    def paid(seed):
        return {"score": 0.5 + random.Random(seed).gauss(0, 0.02), "cost": 0.25}

    found = fiesta.best_of(
        {"a": paid, "b": paid},
        ledger=tmp_path / "paid.fiesta",
        budget={"cost": "2 USD"},
        cost_unit="USD",
    )
    assert found.cost_unit == "USD"
    assert found.cost >= 2
    study = fiesta.Study(tmp_path / "paid.toml")
    assert study.status().cost_unit == "USD"
    with pytest.raises(ValueError, match="cost_unit"):
        fiesta.best_of({"a": paid, "b": paid}, cost_unit="12")
