#!/usr/bin/env python3
"""Time `fiesta_select.curve` and `bands` beside PyPI's opda, the same calls of Python in the same run.

Curves are of all n from 1 to B. Ours come with more: the unbiased or plug-in mean has its standard
deviation and median, and the band of a curve its whole report. opda's bands of the kind `ld` are
simulated with 100,000 samples by all processors; ours are exact. opda keeps what it has computed of a
band: each of its calls gets a generator of its own.
"""

import argparse
import csv
import json
import statistics
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from opda import nonparametric
from opda.nonparametric import EmpiricalDistribution

import fiesta_select as fiesta

CONFIDENCE = 0.95
# opda computes a matrix of n by scores: at so many n a time.
ROWS = 500


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scores", help="a table with the columns arm and score, such as the FIESTA authors' scores")
    parser.add_argument("--made-up", type=int, default=10_000, help="also so many made-up scores")
    parser.add_argument("--seconds", type=float, default=2.0, help="repeat each call for so long, once at least")
    parser.add_argument("--exact-bands", default="", help="also opda's bands ld_equal_tailed (a minute of 500 scores) or "
                        "ld_highest_density (many), with a comma between them, of the first arm")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", help="write all times to this file")
    return parser.parse_args()


def timed(call, limit):
    """The seconds of each call, and what the last one returned."""
    times, began = [], time.perf_counter()
    while not times or time.perf_counter() - began < limit:
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return times, result


def spread(times):
    return f"{statistics.median(times) * 1e3:.3g} ({min(times) * 1e3:.3g} to {max(times) * 1e3:.3g}; {len(times)})"


def in_rows(curve, ns):
    return np.concatenate([curve(ns[start : start + ROWS]) for start in range(0, len(ns), ROWS)])


def largest(found, expected):
    return float(np.abs(np.asarray(found, float) - np.asarray(expected, float)).max())


def comparisons(scores, args):
    """What is compared: its name, a call of theirs, one of ours, and how far the results are apart."""
    count = len(scores)
    ns = np.arange(1, count + 1)
    sample = {"arm": np.asarray(scores)}

    def theirs_all(curve):
        return lambda: in_rows(curve, ns)

    def fresh(method):
        # Each call anew: what opda keeps would be free.
        for kept in (nonparametric._dkw_band_weights, nonparametric._ks_band_weights, nonparametric._ld_band_weights):
            kept.cache_clear()
        generator = np.random.default_rng(args.seed)
        return EmpiricalDistribution.confidence_bands(scores, CONFIDENCE, 0.0, 1.0, method=method, generator=generator)

    point = EmpiricalDistribution(scores)
    yield (
        "curve of means", theirs_all(point.average_tuning_curve),
        lambda: fiesta.curve(sample, bands="none"), lambda a, b: largest(b.curves[0].mean, a),
    )
    yield (
        "curve of medians", theirs_all(point.quantile_tuning_curve),
        lambda: fiesta.curve(sample, bands="none"), lambda a, b: largest(b.curves[0].median, a),
    )

    def banded():
        lower, middle, upper = fresh("dkw")
        return [in_rows(of.average_tuning_curve, ns) for of in (upper, middle, lower)]

    yield (
        "curve of means with band dkw", banded,
        lambda: fiesta.curve(sample, bands="dkw", bounds=(0, 1)),
        lambda a, b: max(largest(b.curves[0].lower, a[0]), largest(b.curves[0].mean, a[1]), largest(b.curves[0].upper, a[2])),
    )
    methods = {"dkw": "dkw", "ks": "ks"}
    kinds = {"ld_equal_tailed": "equal-tailed", "ld_highest_density": "highest-density"}
    if count <= 500:
        methods |= {method: kinds[method] for method in args.exact_bands.split(",") if method}
    for method, kind in methods.items():
        yield (
            f"band {kind}", lambda method=method: fresh(method), lambda kind=kind: fiesta.bands(scores, kind=kind),
            lambda a, b: largest([b.at(x)[0] for x in b.scores], a[0].cdf(np.array(b.scores))),
        )


def main():
    args = arguments()
    warnings.simplefilter("ignore", RuntimeWarning)
    samples = {}
    if args.scores:
        arms = {}
        with Path(args.scores).open(newline="") as lines:
            for row in csv.DictReader(lines):
                arms.setdefault(row["arm"], []).append(float(row["score"]))
        samples |= dict(sorted(arms.items())[:1] if args.exact_bands else sorted(arms.items()))
    if args.made_up:
        samples["made-up"] = np.random.default_rng(args.seed).beta(14, 6, args.made_up).tolist()
    found, missed = [], 0
    print("ms: median (least to most; calls)\n")
    print("| scores | B | what | opda, ms | ours, ms | opda / ours | largest difference |")
    print("|---|--:|---|--:|--:|--:|--:|")
    for name, scores in samples.items():
        for what, theirs, ours, difference in comparisons(scores, args):
            ours_times, b = timed(ours, args.seconds)
            theirs_times, a = timed(theirs, args.seconds)
            ratio = statistics.median(theirs_times) / statistics.median(ours_times)
            missed += ratio < 15
            found.append({"scores": name, "what": what, "opda": theirs_times, "ours": ours_times})
            print(f"| {name} | {len(scores)} | {what} | {spread(theirs_times)} | {spread(ours_times)} | **{ratio:.3g}** "
                  f"| {difference(a, b):.0e} |", flush=True)
    if missed:
        print(f"\n{missed} of {len(found)} comparisons are below 15 times.")
    if args.json:
        Path(args.json).write_text(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
