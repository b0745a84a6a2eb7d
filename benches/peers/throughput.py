#!/usr/bin/env python3
"""Evaluations per second of jobs that do nothing, beside xargs.

    benches/peers/throughput.py [--fiesta target/release/fiesta] [--jobs 5000] [--rounds 5] [--long 100000] [--before old/fiesta]

In every round `xargs -P2` and `fiesta run` with two slots start the same program equally often, one after the other and in turns; a
figure is the median over the rounds, with the smallest and the largest. xargs records nothing; fiesta keeps its durable ledger and a
directory for every run. GNU parallel takes part where it is installed, with a log of its jobs. `--long` then runs one study of
that many evaluations, and says how fast its tenths were, how much memory the controller took at most, what is left on the disk, and how
long `fiesta log` takes for a run that is packed. `--before` names another build of the program, which takes part in every round: what
a change costs is the ratio of the two.
"""

import argparse, json, os, pathlib, shutil, sqlite3, statistics, subprocess, tempfile, time

STUDY = """name = "throughput"
arm_from = "environment"
command = ["/bin/echo", '{{{{"score": 0.5}}}}']
[metric]
name = "score"
[goal]
budget = {{ evaluations = {jobs} }}
[design]
policy = "{policy}"
parallel = 2
[[arm]]
name = "one"
[[arm]]
name = "other"
"""


def fsync_latency(place, times=200):
    """Median seconds of a write of 4 kB and its fdatasync."""
    path = place / "fsync"
    seconds = []
    with open(path, "wb", buffering=0) as file:
        for _ in range(times):
            began = time.perf_counter()
            file.write(b"x" * 4096)
            os.fdatasync(file.fileno())
            seconds.append(time.perf_counter() - began)
    path.unlink()
    return statistics.median(seconds)


def fiesta(program, place, jobs, policy="uniform"):
    """Seconds that a study takes, its directory, and the controller's peak memory in MB."""
    # ext4 looks for a new inode past every one that was freed within the last minute: nothing is removed before the end.
    place = pathlib.Path(tempfile.mkdtemp(dir=place))
    study = STUDY.format(jobs=jobs, policy=policy)
    # Earlier programs do not know this key, and accept commands that do not name their arm.
    if b"arm_from" not in pathlib.Path(program).read_bytes():
        study = study.replace('arm_from = "environment"\n', "")
    (place / "study.toml").write_text(study)
    began = time.perf_counter()
    child = subprocess.Popen([program, "run", "--quiet", "--format", "json", "study.toml"], cwd=place, stdout=subprocess.PIPE)
    answer = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - began
    assert status == 0, status
    assert json.loads(answer)["evaluations"] == jobs
    return seconds, place, usage.ru_maxrss / 1024


def xargs(place, jobs):
    began = time.perf_counter()
    arguments = "\n".join(map(str, range(jobs)))
    command = ["xargs", "-P2", "-I{}", "/bin/echo", '{"score": 0.5}']
    subprocess.run(command, input=arguments, text=True, stdout=subprocess.DEVNULL, check=True, cwd=place)
    return time.perf_counter() - began


def parallel(place, jobs):
    began = time.perf_counter()
    command = ["parallel", "--will-cite", "-j2", "--joblog", str(place / "joblog"), "/bin/echo", "{}", ":::", *map(str, range(jobs))]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, cwd=place)
    return time.perf_counter() - began


def tenths(place):
    """Evaluations per second in each tenth of the study, by the ledger's own clock."""
    ledger = sqlite3.connect(place / "study.fiesta" / "ledger.db")
    ends = [at for (at,) in ledger.execute("SELECT at FROM entry WHERE kind = 'ended' ORDER BY sequence")]
    step = len(ends) // 10
    return [step / (ends[start + step - 1] - ends[start]) for start in range(0, step * 10, step)]


def left(state):
    """Inodes below a study's state directory, itself among them, and the MB of disk that they take."""
    paths = [state, *state.rglob("*")]
    return len(paths), sum(path.lstat().st_blocks for path in paths) * 512 / 1e6


def log_seconds(program, place, evaluation):
    """Median seconds that `fiesta log` takes for an evaluation, which must be packed."""
    command = [program, "log", "study.toml", str(evaluation), "--format", "json"]
    seconds = []
    for _ in range(5):
        began = time.perf_counter()
        answer = subprocess.run(command, cwd=place, stdout=subprocess.PIPE, check=True).stdout
        seconds.append(time.perf_counter() - began)
    assert json.loads(answer)["attempts"][0]["packed"], answer
    return statistics.median(seconds)


def spread(values, digits=0):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fiesta", default="target/release/fiesta")
    parser.add_argument("--before")
    parser.add_argument("--jobs", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--long", type=int, default=0)
    parser.add_argument("--policy", default="uniform", help="of the long study")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.fiesta).resolve())
    with tempfile.TemporaryDirectory(dir=".") as directory:
        place = pathlib.Path(directory).resolve()
        print(f"fdatasync of 4 kB: {1e3 * fsync_latency(place):.2f} ms (median of 200); load {os.getloadavg()[0]:.1f}")
        rates = {"xargs -P2": [], "fiesta": [], "ratio": []}
        before = arguments.before and str(pathlib.Path(arguments.before).resolve())
        if before:
            rates |= {"fiesta before": [], "ratio before": []}
        if shutil.which("parallel"):
            rates["GNU parallel -j2"] = []
        for _ in range(arguments.rounds):
            peer = xargs(place, arguments.jobs)
            own, _, _ = fiesta(program, place, arguments.jobs)
            rates["xargs -P2"].append(arguments.jobs / peer)
            rates["fiesta"].append(arguments.jobs / own)
            rates["ratio"].append(peer / own)
            if before:
                seconds, _, _ = fiesta(before, place, arguments.jobs)
                rates["fiesta before"].append(arguments.jobs / seconds)
                rates["ratio before"].append(seconds / own)
            if "GNU parallel -j2" in rates:
                rates["GNU parallel -j2"].append(arguments.jobs / parallel(place, arguments.jobs))
        for name, values in rates.items():
            unit = {"ratio": "× xargs", "ratio before": "× the build before"}.get(name, "evaluations/s")
            print(f"{name:18} {spread(values, 2 if name.startswith('ratio') else 0)} {unit}, {arguments.rounds} rounds of {arguments.jobs}")
        if arguments.long:
            seconds, last, memory = fiesta(program, place, arguments.long, arguments.policy)
            print(f"{arguments.long} evaluations: {seconds:.0f} s, controller at most {memory:.0f} MB")
            inodes, size = left(last / "study.fiesta")
            files = {path.name: path.stat().st_size / 1e6 for path in (last / "study.fiesta").glob("*.db")}
            print(f"left: {inodes} inodes, {size:.0f} MB (" + ", ".join(f"{name} {size:.1f} MB" for name, size in files.items()) + ")")
            print(f"fiesta log of a packed run: {1e3 * log_seconds(program, last, arguments.long // 2):.0f} ms")
            print("evaluations/s in each tenth: " + " ".join(f"{rate:.0f}" for rate in tenths(last)))


main()
