"""What the Python package takes beside its functions: `python benches/python.py`.

Needs the package ``fiesta-select`` alone. Each figure is the median of several, with the least and
the greatest.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import fiesta_select as fiesta


def show(what: str, values: list[float], unit: str) -> None:
    """Prints the median and the range."""
    ends = f"{min(values):,.4g} to {max(values):,.4g}"
    print(f"{what}: {statistics.median(values):,.4g} {unit} ({ends}; {len(values)} times)")


def import_time() -> float:
    """Milliseconds that the import takes in a fresh process, without the interpreter's start."""
    code = (
        "import time; began = time.perf_counter(); import fiesta_select; "
        "print((time.perf_counter() - began) * 1e3)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    return float(done.stdout)


def asks_and_tells(policy: str) -> float:
    """Asks, each with its tell, a second: ten arms, of which nobody knows more than their scores."""
    selector = fiesta.Selector([str(arm) for arm in range(10)], policy=policy, budget=20_000)
    told = 0
    began = time.perf_counter()
    for ask in selector:
        selector.tell(ask, (ask.seed % 1000) / 1000)
        told += 1
    return told / (time.perf_counter() - began)


def ctrl_c(call: Callable[[], object]) -> float:
    """Milliseconds from the signal to the exception."""
    sent = 0.0

    def send() -> None:
        nonlocal sent
        sent = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, send)
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        return (time.perf_counter() - sent) * 1e3
    raise SystemExit("the call ended by itself")


def belief_time(calls: int = 200) -> float:
    """Microseconds of a belief on five arms of twelve scores."""
    scores = {str(arm): [0.6 + (7 * arm * k % 11) / 100 for k in range(12)] for arm in range(5)}
    fiesta.belief(scores)
    began = time.perf_counter()
    for _ in range(calls):
        fiesta.belief(scores)
    return (time.perf_counter() - began) / calls * 1e6


if __name__ == "__main__":
    arms = [(0.60 + place * 1e-4, 0.03) for place in range(12)]
    import_time()
    show("import", [import_time() for _ in range(20)], "ms")
    show("asks with tells a second, uniform", [asks_and_tells("uniform") for _ in range(5)], "")
    show("belief on 5 arms of 12 scores", [belief_time() for _ in range(5)], "µs")
    show(
        "Ctrl-C in simulate",
        [ctrl_c(lambda: fiesta.simulate(gaussian=arms, runs=10**6)) for _ in range(10)],
        "ms",
    )
