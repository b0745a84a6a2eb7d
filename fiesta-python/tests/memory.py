"""Memory of ``belief`` on NumPy scores: what the process takes beside them, at its peak.

``python fiesta-python/tests/memory.py [SCORES] [ARMS] [POSTERIOR] [paired_rows] [DRAWS]`` prints it in MB.
"""

import pathlib
import sys

import numpy as np

import fiesta_select as fiesta
import fiesta_select.results  # counted with the program, and not with its data


def extra_megabytes(
    scores: int, arms: int, posterior: str, paired_rows: bool, draws: int | None
) -> float:
    """The rise of the peak of resident memory by one belief of so many scores, in MB."""
    rng = np.random.default_rng(0)
    of_arms = {f"arm{k}": rng.normal(0.6 + 1e-4 * k, 0.03, scores // arms) for k in range(arms)}
    # What is loaded and allocated once is none of the data's.
    few = {name: of_arm[:100] for name, of_arm in of_arms.items()}
    fiesta.belief(few, posterior=posterior, paired_rows=paired_rows, draws=160 if draws else None)
    # The peak so far, which imports may have left above what is held now, is forgotten.
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = kilobytes("VmRSS")
    fiesta.belief(of_arms, posterior=posterior, paired_rows=paired_rows, draws=draws)
    return (kilobytes("VmHWM") - before) / 1024


def kilobytes(key: str) -> int:
    """What the kernel says of this process: VmRSS, resident now; VmHWM, at its peak."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split(f"{key}:")[1].split()[0])


if __name__ == "__main__":
    given = [*sys.argv[1:], *["1000000", "10", "paired", "", ""][len(sys.argv) - 1 :]]
    scores, arms, posterior, rows, draws = given
    most = int(draws) if draws else None
    print(extra_megabytes(int(scores), int(arms), posterior, rows == "paired_rows", most))
