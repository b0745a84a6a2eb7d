"""statgate's sequential test on the pools of `experiments gate`: 1,000 items, 6 % differ, margin .02.

pip install statgate==VERSION numpy; python experiments/peers/statgate_gate.py --runs 2000 --batch 25

statgate tests the mean of a population, so that it never knows that a pool is counted out; it looks
after each batch (its default: 25 items) and waits for a batch with any difference. What it asks is
cut at the pool's end, where it remains undecided.
"""

import argparse

import numpy as np
import statgate
from statgate.core.sequential import MixtureSPRT

ITEMS, DIFFER, MARGIN, ALPHA = 1000, 60, 0.02, 0.05


def pool(lead: int) -> np.ndarray:
    """Returns the differences of all items: `lead` more better ones than worse ones."""
    differing = DIFFER + (DIFFER - lead) % 2
    better = (differing + lead) // 2
    values = np.zeros(ITEMS)
    values[:better] = 1.0
    values[better:differing] = -1.0
    return values


def decide(values: np.ndarray, batch: int) -> tuple[int, int]:
    """Returns the direction (0: undecided) and the number of items."""
    test = MixtureSPRT(theta0=-MARGIN, alpha=ALPHA)
    for start in range(0, ITEMS, batch):
        decision = test.update(values[start : start + batch])
        if decision.decided:
            return decision.direction, decision.n
    return 0, ITEMS


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print(f"statgate {statgate.__version__}, looks every {asked.batch} items, {asked.runs} runs")
    leads = {"at the margin": -20, "just above": -19, "equal": 0, "better": 20}
    for name, lead in leads.items():
        rng = np.random.default_rng(asked.seed)
        ends = [decide(rng.permutation(pool(lead)), asked.batch) for _ in range(asked.runs)]
        way = np.array([end[0] for end in ends])
        items = np.array([end[1] for end in ends])
        shares = [100 * np.mean(way == direction) for direction in (1, -1, 0)]
        error = [np.sqrt(share * (100 - share) / asked.runs) for share in shares]
        print(
            f"{name}: ships {shares[0]:.1f} ± {error[0]:.1f} %, blocked {shares[1]:.1f} ± {error[1]:.1f} %, "
            f"undecided {shares[2]:.1f} %, items median {np.median(items):.0f}, mean {items.mean():.0f}"
        )


if __name__ == "__main__":
    main()
