#!/usr/bin/env python3
"""Time and check `fiesta belief` beside the belief function of PyPI's fiesta-nlp."""

import argparse
import inspect
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from fiesta.util import belief_calc
from scipy.integrate import quad
from scipy.special import gammaln, stdtr


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fiesta", required=True, help="path of our release binary")
    parser.add_argument("--arms", type=int, default=8, help="number of arms, K")
    parser.add_argument("--counts", type=int, default=10, help="scores per arm")
    parser.add_argument("--repeat", type=int, default=5, help="timed calls of the peer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--time", type=int, default=2000, help="timed repetitions of ours")
    parser.add_argument(
        "--ttts",
        action="store_true",
        help="add a row with K times the samples, as the peer's own TTTS asks for",
    )
    args = parser.parse_args()
    if args.arms < 2 or args.counts < 3 or args.repeat < 1 or args.time < 1:
        parser.error("needs --arms >= 2, --counts >= 3, --repeat >= 1 and --time >= 1")
    return args


def time_peer(scores, samples, repeat):
    """Seconds of each call, and the probabilities the last call gave."""
    means, variances = scores.mean(axis=1), scores.var(axis=1)
    counts = np.full(len(scores), float(scores.shape[1]))
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        probabilities = belief_calc(means, variances, counts, samples)
        seconds.append(time.perf_counter() - start)
    return seconds, np.array(probabilities, dtype=float)


def run_ours(binary, scores, repetitions):
    """Our JSON report on the scores, and its probabilities in the order of the arms."""
    arms = {f"arm{i:03d}": row.tolist() for i, row in enumerate(scores)}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scores.json"
        file.write_text(json.dumps(arms))
        command = [binary, "belief", str(file), "--posterior", "uniform"]
        command += ["--format", "json", "--time", str(repetitions)]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    report = json.loads(output)
    best = {arm["name"]: arm["probability_best"] for arm in report["arms"]}
    return report, np.array([best[name] for name in arms])


def quadrature(scores):
    """P(arm is best) by adaptive quadrature, and the largest error estimate of an arm.

    Uniform priors on mean and standard deviation: the mean of an arm with n scores is
    Student t with n - 2 degrees of freedom, scaled by sqrt(variance / (n - 2)), where
    variance is the sum of squared deviations over n.
    """
    df = scores.shape[1] - 2
    centres, scales = scores.mean(axis=1), np.sqrt(scores.var(axis=1) / df)
    constant = math.exp(gammaln((df + 1) / 2) - gammaln(df / 2)) / math.sqrt(df * math.pi)
    # Cut the line where some arm's density turns, so that no piece hides a narrow peak.
    cuts = np.unique(np.concatenate([centres + k * scales for k in (-4, 0, 4)]))
    probabilities, errors = [], []
    for i, (centre, scale) in enumerate(zip(centres, scales)):
        others, spreads = np.delete(centres, i), np.delete(scales, i)

        def integrand(z):
            density = constant * (1 + z * z / df) ** (-(df + 1) / 2)
            return density * np.prod(stdtr(df, (centre + scale * z - others) / spreads))

        edges = [-np.inf, *((cuts - centre) / scale), np.inf]
        accuracy = 1e-11 / (len(edges) - 1)  # the pieces of an arm share 1e-11
        pieces = [
            quad(integrand, low, high, epsabs=accuracy, epsrel=0, limit=200)
            for low, high in zip(edges, edges[1:])
        ]
        probabilities.append(math.fsum(value for value, _ in pieces))
        errors.append(math.fsum(error for _, error in pieces))
    return np.array(probabilities), max(errors)


def main():
    args = arguments()
    rng = np.random.default_rng(args.seed)
    np.random.seed(args.seed)  # the peer draws from numpy's global generator
    means = np.linspace(0.60, 0.65, args.arms)
    scores = rng.normal(means[:, None], 0.02, (args.arms, args.counts))

    report, ours = run_ours(args.fiesta, scores, args.time)
    seconds, stated = report["seconds_per_belief"], report["absolute_error"]
    samples = inspect.signature(belief_calc).parameters["samples"].default

    print("| K | scores per arm | peer samples | peer s (min / median / max) | ours s (median) "
          "| peer / ours | max abs. difference | peer's standard error | our stated error |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for draws in [samples, samples * args.arms] if args.ttts else [samples]:
        times, peer = time_peer(scores, draws, args.repeat)
        median = statistics.median(times)
        difference = np.abs(peer - ours).max()
        error = np.sqrt(ours * (1 - ours) / draws).max()  # of the arm where it is largest
        print(f"| {args.arms} | {args.counts} | {draws} "
              f"| {min(times):.3g} / {median:.3g} / {max(times):.3g} | {seconds:.3g} "
              f"| {median / seconds:.3g} | {difference:.1e} | {error:.1e} | {stated:.1e} |")

    exact, slack = quadrature(scores)
    distance = np.abs(ours - exact).max()
    agrees = bool(distance <= stated + slack)
    print(f"\nOur method: {report['method']}. Quadrature check: max abs. difference "
          f"{distance:.1e}, allowed {stated:.1e} (ours) + {slack:.1e} (quadrature's own "
          f"estimate): {'agrees' if agrees else 'DISAGREES'}.")
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
