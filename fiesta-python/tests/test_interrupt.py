"""Ctrl-C during calls that take minutes, and that no panic of Rust crosses into Python."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

import fiesta_select as fiesta

ARMS = [(0.60 + place * 1e-4, 0.03) for place in range(12)]
SCORES = {"a": [0.1, 0.2, 0.3, 0.2], "b": [0.2, 0.1, 0.3, 0.3]}

LONG = {
    "simulate": lambda: fiesta.simulate(gaussian=ARMS, runs=1_000_000),
    "plan": lambda: fiesta.plan(arms=4, gap=0.01, sd=0.03, runs=1_000_000),
    "plan of a pool": lambda: fiesta.plan(arms=8, gap=0.02, items=2000, runs=1_000_000),
    "belief": lambda: fiesta.belief(SCORES, posterior="pooled", method="monte-carlo", draws=10**11),
    "bands": lambda: [
        fiesta.bands([place * 1e-5 for place in range(100_000)], kind="highest-density")
        for _ in range(1000)
    ],
}


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_it_within_a_second(name: str) -> None:
    began = time.monotonic()
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        LONG[name]()
    timer.join()
    assert 0.4 < time.monotonic() - began < 1.5


def test_what_another_handler_raises_comes_out() -> None:
    def hurry(*_: object) -> None:
        raise TimeoutError("a second is over")

    before = signal.signal(signal.SIGALRM, hurry)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeoutError, match="a second is over"):
            LONG["simulate"]()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_handler_that_raises_nothing_ends_nothing() -> None:
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(time.monotonic()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
        runs, took = 10, 0.0
        while took < 1:
            began = time.monotonic()
            fiesta.simulate(gaussian=ARMS, runs=runs, budget=50)
            took = time.monotonic() - began
            runs *= 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(seen) >= 5


def test_other_threads_run_meanwhile() -> None:
    ended = threading.Event()
    turns = 0

    def count() -> None:
        nonlocal turns
        while not ended.wait(0.001):
            turns += 1

    thread = threading.Thread(target=count)
    thread.start()
    began = time.monotonic()
    while time.monotonic() - began < 0.5:
        fiesta.simulate(gaussian=ARMS, runs=10, budget=50)
    ended.set()
    thread.join()
    assert turns > 20


def test_calls_in_threads_do_not_end_each_other() -> None:
    results: list[object] = []

    def call(seed: int) -> None:
        results.append(
            fiesta.simulate(gaussian=ARMS[:3], runs=50, budget=30, seed=seed).results[0].correct
        )

    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8


NAN, INFINITY = float("nan"), float("inf")
HUGE = 10**400
HOSTILE = [
    {},
    {"a": []},
    {"a": [1.0]},
    {"a": [NAN, 1.0], "b": [1.0, 2.0]},
    {"a": [INFINITY, 1.0], "b": [1.0, -INFINITY]},
    {"a": [1e308, -1e308], "b": [1e308, 1e308]},
    {"a": [5e-324, 0.0], "b": [-5e-324, 0.0]},
    {"a": [HUGE, 1], "b": [1, 2]},
    {"a": ["1", "2"], "b": [1, 2]},
    {"a": [None, 1], "b": [1, 2]},
    {"a": [1 + 2j], "b": [1]},
    {"a": [[1.0]], "b": [[2.0]]},
    {"": [1, 2], " ": [1, 3]},
    {"a\0b": [1, 2, 3], "\ud800": [1, 2, 3]},
    {1: [1, 2], 2: [2, 3]},
    [],
    [{}],
    [{"arm": "a"}],
    [{"arm": "a", "score": 1, "split": -1}, {"arm": "b", "score": 1, "split": 2**70}],
    [{"arm": "a", "score": 1, "seed": 0.5}, {"arm": "b", "score": "x"}],
    "no file",
    b"bytes",
    7,
    None,
    object(),
]
CALLS = [
    lambda scores: fiesta.belief(scores),
    lambda scores: fiesta.belief(scores, paired_rows=True, bounds=(0, 1)),
    lambda scores: fiesta.belief(scores, posterior="pool", pool_size=3),
    lambda scores: fiesta.belief(scores, posterior="jeffreys", method="monte-carlo", draws=10),
    lambda scores: fiesta.curve(scores),
    lambda scores: fiesta.curve(scores, bounds=(1, 0), confidence=NAN, reach=[NAN]),
    lambda scores: fiesta.simulate(scores, runs=2, budget=5),
    lambda scores: fiesta.simulate(scores, runs=0, parallel=0, confidence=2),
    lambda scores: fiesta.plan(scores, runs=2),
    lambda scores: fiesta.bands(scores),
    lambda scores: fiesta.Selector(scores, confidence=0.9),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", range(len(CALLS)))
def test_bad_input_is_refused_and_nothing_panics(
    call: int, capfd: pytest.CaptureFixture[str]
) -> None:
    # PyO3's PanicException is no Exception, and would end the test.
    for scores in HOSTILE:
        try:
            CALLS[call](scores)
        except (ValueError, TypeError, OverflowError, OSError, RuntimeError) as error:
            assert str(error), f"{scores!r} is refused without a word"
            assert "fault of FIESTA" not in str(error), f"{scores!r}: {error}"
    assert "panicked" not in capfd.readouterr().err
