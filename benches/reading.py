"""How long the program takes to read and judge files of 10⁵ and 10⁷ rows, and what memory it needs.

    python3 benches/reading.py [PROGRAM] [RUNS]

Prints a line for each kind of file: rows, bytes, median and spread of the wall seconds, processor seconds, and the peak of the memory.
"""

import json
import os
import pathlib
import random
import statistics
import sys
import tempfile
import time

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "target/release/fiesta"
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 3


def scores(arms, rows):
    """Arm, case and score of each row; every arm has a score of each case."""
    draw = random.Random(1)
    for case in range(rows // arms):
        shared = draw.gauss(0, 0.02)
        for arm in range(arms):
            yield arm, case, round(0.7 + 0.01 * arm + shared + draw.gauss(0, 0.02), 4)


def answers(arms, rows):
    """Arm, item and whether the answer is right."""
    draw = random.Random(2)
    for item in range(rows // arms):
        hard = draw.random()
        for arm in range(arms):
            yield arm, item, int(draw.random() * 0.5 + hard * 0.5 < 0.5 + 0.02 * arm)


def long(path, rows):
    with path.open("w") as file:
        file.write("arm,split,score\n")
        file.writelines(f"model-{arm},{case},{score}\n" for arm, case, score in scores(10, rows))


def wide(path, rows):
    with path.open("w") as file:
        file.write("split," + ",".join(f"model-{arm}" for arm in range(10)) + "\n")
        row = []
        for arm, case, score in scores(10, rows):
            row.append(str(score))
            if arm == 9:
                file.write(f"{case}," + ",".join(row) + "\n")
                row = []


def items(path, rows):
    with path.open("w") as file:
        file.write("model,question_id,correct\n")
        file.writelines(f"model-{arm},q{item},{bool(right)}\n" for arm, item, right in answers(10, rows))


def lines(path, rows):
    with path.open("w") as file:
        for arm, case, score in scores(10, rows):
            file.write(json.dumps({"arm": f"model-{arm}", "split": case, "score": score}) + "\n")


def measured(path, flags):
    """Wall seconds, processor seconds and the peak of the memory in bytes of one call."""
    began = time.monotonic()
    child = os.posix_spawn(
        PROGRAM,
        [PROGRAM, "belief", str(path), "--format", "json", *flags],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        raise SystemExit(f"{path}: the program ended with status {status}")
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


with tempfile.TemporaryDirectory() as folder:
    for rows in (100_000, 10_000_000):
        for make, name, flags in [
            (long, "long.csv", []),
            (wide, "wide.csv", ["--direction", "maximize"]),
            (lines, "long.jsonl", []),
            (items, "answers.csv", []),
        ]:
            path = pathlib.Path(folder, name)
            make(path, rows)
            runs = [measured(path, flags) for _ in range(RUNS)]
            wall = [run[0] for run in runs]
            print(
                f"{rows:>10,} rows  {name:<12} {path.stat().st_size / 1e6:7.1f} MB  "
                f"{statistics.median(wall):6.2f} s ({min(wall):.2f} to {max(wall):.2f})  "
                f"{statistics.median(run[1] for run in runs):6.2f} s of processors  "
                f"{max(run[2] for run in runs) / 1e6:7.0f} MB",
                flush=True,
            )
            path.unlink()
