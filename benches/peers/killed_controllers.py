"""The same 500 short jobs under fiesta, Ray Tune and submitit, whose controllers are killed.

A job sleeps 0.2 s, writes a line to a log that all jobs share, and prints a score; four run at a time. What is
counted is in that log and in what the controller knows in the end, whatever the controller itself says of its jobs.

    killed_controllers.py measure FIESTA OUTPUT.jsonl [RUNS]    each in turn, without kills and with five

`measure` starts the others as `controller NAME DIRECTORY`. Needs ray[default,tune], submitit, and a network namespace of
its own, as a head of Ray listens on every interface; see killed_controllers.sh.
"""

import collections
import json
import os
import pathlib
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import time

JOBS, PARALLEL, KILLS = int(os.environ.get("JOBS", "500")), 4, 5
JOB = 'echo "$2 began" >> "$1/log"\nsleep 0.2\necho "$2 ended" >> "$1/log"\necho \'{"score": 0.5}\'\n'


def job(directory, index):
    """Carries out a job; its score."""
    printed = subprocess.run(["sh", f"{directory}/job.sh", directory, str(index)], check=True, capture_output=True)
    return json.loads(printed.stdout)["score"]


def tune(directory):
    """As Tune's guide to fault tolerance has it: `Tuner.restore` where there is something to restore."""
    import ray
    from ray import tune

    ray.init(address="auto", log_to_driver=False)

    def trainable(config):
        tune.report({"score": job(config["directory"], config["index"])})

    place = f"{directory}/tune"
    if tune.Tuner.can_restore(f"{place}/study"):
        tuner = tune.Tuner.restore(f"{place}/study", trainable, resume_unfinished=True, restart_errored=True)
    else:
        tuner = tune.Tuner(
            tune.with_resources(trainable, {"cpu": 1}),
            param_space={"directory": directory, "index": tune.grid_search(list(range(JOBS)))},
            tune_config=tune.TuneConfig(metric="score", mode="max", max_concurrent_trials=PARALLEL),
            run_config=tune.RunConfig(name="study", storage_path=place, verbose=0),
        )
    results = tuner.fit()
    return [result.config["index"] for result in results if result.metrics and "score" in result.metrics]


def submitit(directory):
    """The loop that users write: jobs are pickled as they are submitted; after a restart, those without a result are
    submitted again."""
    import submitit

    place = pathlib.Path(directory) / "jobs.pickle"
    jobs = pickle.loads(place.read_bytes()) if place.exists() else {}
    executor = submitit.LocalExecutor(folder=f"{directory}/submitit")
    known, running = {}, {}

    def save():
        temporary = place.with_suffix(".new")
        temporary.write_bytes(pickle.dumps(jobs))
        temporary.replace(place)

    for index, earlier in jobs.items():
        if earlier.paths.result_pickle.exists():
            known[index] = earlier.result()
    missing = [index for index in range(JOBS) if index not in known]
    while missing or running:
        while missing and len(running) < PARALLEL:
            index = missing.pop(0)
            jobs[index] = running[index] = executor.submit(job, directory, index)
            save()
        for index in [index for index, started in running.items() if started.done()]:
            known[index] = running.pop(index).result()
        time.sleep(0.02)
    return list(known)


def study(directory):
    """The study of fiesta: five arms, each on a hundred splits."""
    arms = "".join(f'[[arm]]\nname = "{name}"\n' for name in "abcde")
    text = f"""name = "short"
command = ["sh", "{directory}/job.sh", "{directory}", "{{arm}}-{{split}}"]
metric.name = "score"
goal.budget.evaluations = {JOBS}
design = {{ policy = "uniform", parallel = {PARALLEL}, seed = 1 }}
{arms}"""
    pathlib.Path(directory, "study.toml").write_text(text)


def command(name, fiesta, directory):
    if name == "fiesta":
        return [fiesta, "run", f"{directory}/study.toml", "--quiet"]
    return [sys.executable, __file__, "controller", name, directory]


def known_to(name, fiesta, directory):
    """The jobs whose scores the controller has in the end."""
    if name != "fiesta":
        return json.loads(pathlib.Path(directory, "known.json").read_text())
    rows = subprocess.run(
        [fiesta, "export", f"{directory}/study.toml", "--format", "jsonl"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    return [f"{row['arm']}-{row['split']}" for row in map(json.loads, rows)]


def left(directory):
    """Processes of the study that still run."""
    count = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            count += directory.encode() in pathlib.Path("/proc", pid, "cmdline").read_bytes()
        except OSError:
            pass
    return count


def measured(name, fiesta, kills, usual, rng):
    """One study to its end, its controller killed so often, at random within a sixth of its usual time."""
    with tempfile.TemporaryDirectory(prefix="kills-", dir="/tmp") as directory:
        pathlib.Path(directory, "job.sh").write_text(JOB)
        study(directory)
        began = time.monotonic()
        killed = restarts = 0
        while True:
            with open(f"{directory}/printed", "ab") as printed:
                controller = subprocess.Popen(
                    command(name, fiesta, directory), stdout=printed, stderr=printed, start_new_session=True
                )
            try:
                controller.wait(rng.uniform(0.1, 1.0) * usual / (KILLS + 1) if killed < kills else 900)
            except subprocess.TimeoutExpired:
                if killed == kills:
                    raise
                controller.send_signal(signal.SIGKILL)
                controller.wait()
                killed += 1
                continue
            # As somebody would who finds it ended with an error.
            if controller.returncode == 0 or restarts == 5:
                break
            restarts += 1
        seconds = time.monotonic() - began
        time.sleep(2)
        lines = [line.split() for line in pathlib.Path(directory, "log").read_text().splitlines()]
        ended = collections.Counter(index for index, what in lines if what == "ended")
        row = {
            "controller": name,
            "kills": killed,
            "seconds": round(seconds, 1),
            "jobs_per_second": round(JOBS / seconds, 2),
            "lost": JOBS - len(set(known_to(name, fiesta, directory))) if controller.returncode == 0 else None,
            "begun": sum(what == "began" for _, what in lines),
            "ended_twice": sum(count > 1 for count in ended.values()),
            "left": left(directory),
            "restarts_after_errors": restarts,
        }
        if controller.returncode != 0:
            print(pathlib.Path(directory, "printed").read_text()[-2000:], file=sys.stderr)
        return row


def main():
    if sys.argv[1] == "controller":
        name, directory = sys.argv[2:]
        known = {"tune": tune, "submitit": submitit}[name](directory)
        pathlib.Path(directory, "known.json").write_text(json.dumps(known))
        return
    fiesta, output = sys.argv[2:4]
    runs = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    names = sys.argv[5:] or ["fiesta", "submitit", "tune"]
    rng = random.Random(1)
    for name in names:
        usual = None
        for kills in (0, KILLS):
            for _ in range(runs):
                row = measured(name, fiesta, kills, usual, rng)
                usual = usual or row["seconds"]
                print(json.dumps(row), flush=True)
                with open(output, "a") as rows:
                    print(json.dumps(row), file=rows)


main()
