#!/usr/bin/env python3
"""Time and check tuning curves and bands beside opda and the plain double loop of the paper."""

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from opda.nonparametric import EmpiricalDistribution


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ours", required=True, help="path of the example tuning_curves, built with --release")
    parser.add_argument("--sizes", default="50,500,5000", help="numbers of scores, B")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0, help="repeat each call of a peer for so long, once at least")
    parser.add_argument("--without-bands", action="store_true", help="leave out bands: opda takes minutes at B = 5,000")
    parser.add_argument("--million", action="store_true", help="time our curves of a million scores, too")
    return parser.parse_args()


def timed(call, seconds):
    """The median of the seconds of a call, how often it was made, and what it returned."""
    times, began = [], time.perf_counter()
    while not times or time.perf_counter() - began < seconds:
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return statistics.median(times), len(times), result


def double_loop(scores):
    """Mean and standard deviation of the best of n for all n as the paper defines them: the probability that the best of n is the i-th
    smallest score is (i/B)^n - ((i-1)/B)^n (Dodge et al. 2019, equations 6 to 8)."""
    ordered = sorted(scores)
    count = len(ordered)
    means, deviations = [], []
    for n in range(1, count + 1):
        mean = square = below = 0.0
        for i, score in enumerate(ordered, 1):
            at_most = (i / count) ** n
            mean += score * (at_most - below)
            square += score * score * (at_most - below)
            below = at_most
        means.append(mean)
        deviations.append(math.sqrt(max(square - mean * mean, 0.0)))
    return means, deviations


def run_ours(program, scores, bands):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scores.txt"
        file.write_text("".join(f"{score!r}\n" for score in scores))
        command = [program, str(file), "--bands", "yes" if bands else "no"]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def difference(a, b):
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


def main():
    args = arguments()
    rng = np.random.default_rng(args.seed)
    warnings.simplefilter("error")
    failures = []

    def check(what, found, allowed):
        if not found <= allowed:
            failures.append(f"{what}: {found:.1e} is more than {allowed:.1e}")
        return f"{found:.0e}"

    sizes = [int(size) for size in args.sizes.split(",")]
    samples = {size: rng.normal(0.6, 0.02, size).tolist() for size in sizes}
    ours = {size: run_ours(args.ours, scores, not args.without_bands) for size, scores in samples.items()}

    print("## Mean and standard deviation of the best of n, for all n up to B\n")
    print("opda computes the mean alone. Each cell: seconds (calls).\n")
    print("| B | ours | ours, unbiased | opda | double loop | opda / ours | double loop / ours | differences: mean to opda, to the loop, sd |")
    print("|--:|--:|--:|--:|--:|--:|--:|---|")
    for size, scores in samples.items():
        found = ours[size]["plug-in"]
        opda = EmpiricalDistribution(np.array(scores))
        ns = np.arange(1, size + 1)
        opda_seconds, opda_calls, opda_means = timed(lambda: opda.average_tuning_curve(ns), args.seconds)
        loop_seconds, loop_calls, (means, deviations) = timed(lambda: double_loop(scores), args.seconds)
        seconds = found["seconds"]
        differences = [
            check(f"mean of {size}, opda", difference(found["mean"], opda_means), 1e-12),
            check(f"mean of {size}, loop", difference(found["mean"], means), 1e-12),
            # The loop subtracts squares of the scores themselves: the square root of rounding is left.
            check(f"sd of {size}, loop", difference(found["sd"], deviations), 1e-7),
        ]
        print(f"| {size} | {seconds:.3g} | {ours[size]['unbiased']['seconds']:.3g} | {opda_seconds:.3g} ({opda_calls}) "
              f"| {loop_seconds:.3g} ({loop_calls}) | **{opda_seconds / seconds:.0f}** | **{loop_seconds / seconds:.0f}** "
              f"| {', '.join(differences)} |", flush=True)

    if not args.without_bands:
        print("\n## Equal-tailed simultaneous 95 % bands\n")
        print("opda simulates 100,000 samples; ours are exact. Each cell: seconds (calls).\n")
        print("| B | ours | highest-density | KS | opda | opda / ours | level: ours, opda's simulation |")
        print("|--:|--:|--:|--:|--:|--:|---|")
        for size, scores in samples.items():
            def bands():
                # A generator of its own for each call: opda keeps results.
                generator = np.random.default_rng(args.seed + int(1e9 * time.perf_counter()) % 10**9)
                return EmpiricalDistribution.confidence_bands(
                    scores, 0.95, method="ld_equal_tailed", generator=generator)
            opda_seconds, calls, (lower, _, _) = timed(bands, args.seconds)
            found = ours[size]["equal-tailed"]
            # The level of opda's band, from its lower end at the best score, which is ((1 - level)/2)^(1/B).
            best = lower.cdf(max(scores))
            level = 1 - 2 * best**size
            # Its simulation is good to some 10 % of 1 - level.
            check(f"level of {size}", abs((1 - level) / (1 - found["critical"]) - 1), 0.15)
            seconds = found["seconds"]
            print(f"| {size} | {seconds:.3g} | {ours[size]['highest-density']['seconds']:.3g} | {ours[size]['ks']['seconds']:.3g} "
                  f"| {opda_seconds:.3g} ({calls}) | **{opda_seconds / seconds:.0f}** | {found['critical']:.6f}, {level:.6f} |", flush=True)

    if args.million:
        found = run_ours(args.ours, rng.normal(0.6, 0.02, 1_000_000).tolist(), False)
        print(f"\nA million scores, all n: {found['plug-in']['seconds']:.2f} s, unbiased {found['unbiased']['seconds']:.2f} s.")

    for failure in failures:
        print(f"DISAGREES: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
