"""What a baseline that is known on all items can save a gate: bets on new − β·old.

All answers of the baseline are known, so that the mean of what is left of β·old is, too. A bet on
new − β·old is then as valid as one on new − old, which has β = 1. The best β and the best constant
stake are chosen in hindsight, so that the saving shown is more than a rule without hindsight has.

    python experiments/peers/known_baseline.py --runs 1000
"""

import argparse
import math

import numpy as np


def asked(new, old, theta, alpha, beta, stake):
    """Items until the version ships, of each run (rows); all items if it does not."""
    runs, items = new.shape
    before = lambda x: np.cumsum(x, axis=1) - x
    left = items - np.arange(items)
    total = items * theta + old.sum(axis=1, keepdims=True)
    centre = (total - before(new) - beta * (old.sum(axis=1, keepdims=True) - before(old))) / left
    least = -beta
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (new - beta * old - centre) / (centre - least)
        # No mean of what is left is that low: the hypothesis is impossible.
        gain = np.where(centre <= least, np.inf, np.log1p(stake * np.maximum(value, -1)))
    wealth = np.cumsum(gain, axis=1) >= -math.log(alpha)
    # The old answers that are left can only be lost.
    certain = np.cumsum(new, axis=1) > total + 1e-9
    done = wealth | certain
    return np.where(done.any(axis=1), done.argmax(axis=1) + 1, items)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=1000)
    arguments.add_argument("--items", type=int, default=1000)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    rng = np.random.default_rng(given.seed)
    items, theta, alpha = given.items, -0.02, 0.05
    print("| differ, % | baseline right, % | new version | β = 1, median | at stake | best β | median | saved, % |")
    print("|--:|--:|---|--:|--:|--:|--:|--:|")
    for differ in (0.01, 0.06, 0.2, 0.4):
        for right in (0.5, 0.8):
            for name, lead in (("equal", 0.0), ("better", 0.02)):
                lost = round(items * max(differ - lead, 0) / 2)
                won = lost + round(items * lead)
                old = np.zeros(items)
                old[: round(items * right)] = 1
                new = old.copy()
                new[:lost] = 0
                new[items - won :] = 1
                order = np.argsort(rng.random((given.runs, items)), axis=1)
                shown = {
                    (beta, stake): np.median(asked(new[order], old[order], theta, alpha, beta, stake))
                    for beta in (1.0, 0.95, 0.9, 0.8, 0.6, 0.4)
                    for stake in (0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 0.98)
                }
                plain = min((key for key in shown if key[0] == 1.0), key=shown.get)
                best = min(shown, key=shown.get)
                saved = 100 * (1 - shown[best] / shown[plain])
                print(
                    f"| {100 * differ:.0f} | {100 * right:.0f} | {name} | {shown[plain]:.0f} | {plain[1]}"
                    f" | {best[0]} | {shown[best]:.0f} | {saved:.1f} |"
                )


if __name__ == "__main__":
    main()
