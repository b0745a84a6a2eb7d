#!/usr/bin/env python3
"""Time `fiesta_select.compat.fiesta_nlp` beside PyPI's fiesta-nlp, the same calls in the same run.

Both are called from the same Python, with the same model functions and the same seeds. A belief is
one call of `util.belief_calc`. A study is one call of `TTTS` with its model functions, which draw a
normal score, and its split function, which returns a fixed split: what is left is what the packages
themselves take. Their scores are not the same, since the original draws from NumPy's global generator
for its beliefs too, so that a study's time is also given by evaluation.
"""

import argparse
import json
import statistics
import sys
import time

import numpy as np

import fiesta as original
from fiesta_select.compat import fiesta_nlp as ours


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", default="2,8,20", help="numbers of arms of a belief")
    parser.add_argument("--counts", type=int, default=10, help="scores per arm of a belief")
    parser.add_argument(
        "--repeat", type=int, default=5, help="timed calls of the original, and studies of it"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--p-value", type=float, default=0.05)
    parser.add_argument(
        "--means", default="0.60,0.61,0.62,0.63,0.64,0.65,0.66,0.68", help="of the study's models"
    )
    parser.add_argument("--sd", type=float, default=0.02, help="of the study's models")
    parser.add_argument("--without-studies", action="store_true")
    parser.add_argument("--json", help="write all times to this file")
    return parser.parse_args()


def seconds(call, times):
    """The seconds of each of so many calls, and what the last one returned."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        result = call()
        found.append(time.perf_counter() - start)
    return found, result


def spread(times, unit=1.0):
    return f"{statistics.median(times) * unit:.3g} ({min(times) * unit:.3g} to {max(times) * unit:.3g})"


def beliefs(args, found):
    print("## One belief\n")
    print(
        "Median (least to most). Samples of the original: its default, and what its own TTTS asks for (K times as many).\n"
    )
    print(
        "| K | its samples | calls | original, ms | ours, µs | original / ours | largest difference | its standard error |"
    )
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    rng = np.random.default_rng(args.seed)
    for arms in map(int, args.arms.split(",")):
        scores = rng.normal(np.linspace(0.60, 0.65, arms)[:, None], 0.02, (arms, args.counts))
        given = scores.mean(axis=1), scores.var(axis=1), np.full(arms, float(args.counts))
        for samples in (100_000, 100_000 * arms):
            mine, exact = seconds(lambda: ours.util.belief_calc(*given, samples), 2000)
            theirs, sampled = seconds(
                lambda: original.util.belief_calc(*given, samples), args.repeat
            )
            ratio = statistics.median(theirs) / statistics.median(mine)
            exact = np.array(exact)
            difference = np.abs(exact - np.array(sampled)).max()
            error = np.sqrt(exact * (1 - exact) / samples).max()
            found.append(
                {
                    "what": "belief",
                    "arms": arms,
                    "samples": samples,
                    "original": theirs,
                    "ours": mine,
                }
            )
            print(
                f"| {arms} | {samples} | {args.repeat}, 2000 | {spread(theirs, 1e3)} | {spread(mine, 1e6)} | **{ratio:.0f}** "
                f"| {difference:.1e} | {error:.1e} |",
                flush=True,
            )


def studies(args, found):
    means = [float(mean) for mean in args.means.split(",")]

    def study(package, seed):
        np.random.seed(seed)
        models = [lambda train, test, mean=mean: np.random.normal(mean, args.sd) for mean in means]
        split = ([], [])
        start = time.perf_counter()
        pi, _, evaluations, _ = package.TTTS([], models, lambda data: split, args.p_value)
        return time.perf_counter() - start, evaluations, int(np.argmax(pi))

    seeds = range(args.seed, args.seed + args.repeat)
    many = range(args.seed, args.seed + 40 * args.repeat)
    theirs, mine = [study(original, seed) for seed in seeds], [study(ours, seed) for seed in many]
    best = int(np.argmax(means))
    print(
        f"\n## One study: TTTS of {len(means)} models (means {args.means}, sd {args.sd}) at p = {args.p_value}\n"
    )
    print("| | studies | s a study | evaluations | ms an evaluation | right |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, runs in (("original", theirs), ("ours", mine)):
        times, evaluations, chosen = zip(*runs)
        each = [1e3 * time / count for time, count, _ in runs]
        found.append(
            {"what": "study", "package": name, "seconds": times, "evaluations": evaluations}
        )
        print(
            f"| {name} | {len(runs)} | {spread(times)} | {spread(evaluations)} | {spread(each)} | {sum(c == best for c in chosen)} |"
        )
    by_study = statistics.median(t for t, _, _ in theirs) / statistics.median(t for t, _, _ in mine)
    by_evaluation = statistics.median(t / n for t, n, _ in theirs) / statistics.median(
        t / n for t, n, _ in mine
    )
    print(f"\noriginal / ours: **{by_study:.0f}** a study, **{by_evaluation:.0f}** an evaluation.")


def main():
    args, found = arguments(), []
    beliefs(args, found)
    if not args.without_studies:
        studies(args, found)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(found, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
