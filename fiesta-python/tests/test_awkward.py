"""Functions that return and raise whatever there is: each call ends, with a result or a failure."""

from __future__ import annotations

import builtins
import decimal
import fractions
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import fiesta_select as fiesta

#: How many calls are made; `scripts/python-test` makes ten thousand.
CALLS = int(os.environ.get("FIESTA_AWKWARD_CALLS", "1000"))


#: Several errors in one, from Python 3.11 on.
GROUP: Any = getattr(builtins, "BaseExceptionGroup", None)


class Silent(Exception):
    """An error that cannot say anything."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


class Nothing(Exception):
    """An error whose text is none."""

    def __str__(self) -> str:
        return None  # type: ignore[return-value]  # noqa: PLE0307 (that is the point)


class Hard(BaseException):
    """An error that few expect, and whose properties raise."""

    @property
    def response(self) -> Any:
        raise SystemExit(3)


class NoFloat:
    """A score that raises when it is looked at."""

    def __float__(self) -> float:
        raise KeyboardInterrupt


class NoText:
    """Something beside a score that has no text."""

    def __str__(self) -> str:
        raise ValueError("no text")


def generator() -> Iterator[float]:
    """A function that somebody forgot to call to its end."""
    yield 0.5


def nested(depth: int) -> Any:
    """A list in a list in a list."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def circular() -> Any:
    """A list that holds itself."""
    value: list[Any] = []
    value.append(value)
    return value


def texts(chance: random.Random) -> str:
    """A text of characters that are often trouble."""
    characters = "aé\ud800\udfff\x00\x1b\n\r\"'{}\\\u2028😀 "
    return "".join(chance.choice(characters) for _ in range(chance.choice([0, 1, 7, 400])))


def beside(chance: random.Random, depth: int = 0) -> Any:
    """A value beside the score."""
    leaf: list[Callable[[], Any]] = [
        lambda: float("nan"),
        lambda: float("-inf"),
        lambda: 10**400,
        lambda: -(10 ** chance.choice([5, 19, 308])),
        lambda: chance.random(),
        lambda: texts(chance),
        lambda: b"\xff\x00",
        lambda: None,
        lambda: True,
        lambda: np.float32(0.1),
        lambda: np.arange(3.0),
        lambda: np.array(["x"], dtype=object),
        lambda: 1 + 2j,
        lambda: decimal.Decimal("NaN"),
        lambda: fractions.Fraction(1, 3),
        lambda: {1, 2},
        lambda: generator(),
        lambda: object(),
        lambda: nested(chance.choice([3, 120, 5000])),
        circular,
        lambda: type,
    ]
    if depth < 4 and chance.random() < 0.4:
        inner = [beside(chance, depth + 1) for _ in range(chance.randrange(4))]
        return chance.choice([inner, tuple(inner), {texts(chance): value for value in inner}])
    return chance.choice(leaf)()


def good(chance: random.Random) -> Any:
    """What is a score, with whatever beside it."""
    score: Any = chance.choice(
        [0.5, 1, True, np.float64(0.25), np.float32(0.25), np.array(0.5), decimal.Decimal("0.5")]
    )
    if chance.random() < 0.3:
        return score
    if score is True:
        score = 1.0
    return {"score": score, **{f"x{place}": beside(chance) for place in range(chance.randrange(4))}}


def bad(chance: random.Random) -> Any:
    """What is no score, or an error."""
    errors: list[Callable[[], BaseException]] = [
        Silent,
        Nothing,
        Hard,
        SystemExit,
        KeyboardInterrupt,
        GeneratorExit,
        StopIteration,
        MemoryError,
        RecursionError,
        lambda: ValueError(texts(chance)),
        lambda: OSError(texts(chance), NoText()),
        lambda: UnicodeEncodeError("utf-8", "\ud800", 0, 1, texts(chance)),
        lambda: type(texts(random.Random(1)).replace("\0", "_") or "E", (Exception,), {})(1),
        lambda: GROUP("many", [Silent(), Hard()]) if GROUP else Hard(),
    ]
    if chance.random() < 0.6:
        raise chance.choice(errors)()
    values: list[Callable[[], Any]] = [
        lambda: None,
        lambda: float("nan"),
        lambda: 10**400,
        lambda: texts(chance),
        lambda: b"0.5",
        lambda: [0.5],
        generator,
        NoFloat,
        lambda: 2j,
        dict,
        lambda: {"other": 0.5},
        lambda: {"score": None},
        lambda: {"score": "0.5"},
        lambda: {"score": float("inf")},
        lambda: {"score": 10**400},
        lambda: {"score": 0.5, "x": NoText()},
        lambda: {"score": nested(3)},
        lambda: {NoText(): 1, "score": 0.5},
        lambda: np.array([0.1, 0.2]),
        object,
    ]
    return chance.choice(values)()


@pytest.mark.timeout(900)
def test_each_call_ends_as_a_result_or_a_failure(tmp_path: Any) -> None:
    lock, chance = threading.Lock(), random.Random(20261125)
    told = {"good": 0, "bad": 0}
    turns = {"a": 0, "b": 0}

    def function(arm: str) -> Any:
        with lock:
            # Never as many failures in a row as retire an arm.
            turns[arm] += 1
            kind = "bad" if turns[arm] % 2 == 0 and chance.random() < 0.9 else "good"
            told[kind] += 1
            own = random.Random(chance.random())
        return good(own) if kind == "good" else bad(own)

    def within() -> None:
        ended.append(
            fiesta.best_of(
                {"a": function, "b": function},
                metric="score",
                budget={"evaluations": CALLS},
                policy="uniform",
                parallel=1,
                ledger=tmp_path / "study.fiesta",
                progress=False,
            )
        )

    ended: list[fiesta.results.Status] = []
    thread = threading.Thread(target=within, daemon=True)
    thread.start()
    thread.join(timeout=60 + CALLS * 0.05)
    assert ended, f"a call never ended, of {told}"
    assert told["good"] + told["bad"] == CALLS
    assert (ended[0].evaluations, ended[0].failed) == (told["good"], told["bad"])


def test_processes_tell_what_their_functions_raise(tmp_path: Any) -> None:
    found = fiesta.best_of(
        {"silent": raises_silently, "half": halves},
        budget={"evaluations": 6},
        policy="uniform",
        run_in="processes",
        progress=False,
        ledger=tmp_path / "study.fiesta",
    )
    said = [group.message for group in found.failures if "silent" in group.arms]
    assert said and "Silent: its text cannot be read" in said[0]


def raises_silently() -> float:
    """Fails, and cannot say why; its error does not survive pickling."""
    raise Silent(lambda: 1)


def halves() -> float:
    """A score."""
    return 0.5


class Refused(Exception):
    """As the errors of clients of services are."""

    def __init__(self, status: int) -> None:
        super().__init__("no")
        self.status_code = status
        self.response = type("Response", (), {"headers": {"retry-after": "0.2"}})()


@pytest.mark.parametrize("status", [503, 400])
def test_requests_that_failed_are_made_again_where_that_may_help(
    status: int, tmp_path: Any
) -> None:
    asked: list[tuple[str, str]] = []

    def function(arm: str, item_id: str) -> float:
        asked.append((arm, item_id))
        if int(item_id) % 3 == 0 and asked.count((arm, item_id)) == 1:
            raise Refused(status)
        # Equal arms: only all answers tell.
        return float(int(item_id) % 2 == (arm == "a"))

    found = fiesta.best_of(
        {"a": function, "b": function},
        items=[{"id": str(number), "n": number} for number in range(12)],
        confidence=0.95,
        progress=False,
        ledger=tmp_path / "study.fiesta",
    )
    again = {pair for pair in asked if asked.count(pair) == 2}
    assert len(again) == (8 if status == 503 else 0)
    assert found.conclusion is not None
    assert (found.conclusion.verdict == "tied") == (status == 503)
    assert (found.advice is None) == (status == 503)


CTRL_C = """
import os, signal, time
import fiesta_select as fiesta

# A shell may have started this with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

def slow(seed):
    os.write(1, b"begun\\n")
    time.sleep({seconds})
    return 0.5

def run():
    fiesta.best_of({{"a": slow, "b": slow}}, parallel=2, progress=False, budget={{"evaluations": {budget}}})

def over(words):
    # The second one may come when the study has ended.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print(words)

try:
    try:
        run()
    except KeyboardInterrupt:
        over("interrupted")
    else:
        over("ended")
except KeyboardInterrupt:
    over("interrupted")
"""


@pytest.mark.parametrize("pause", [0.0, 0.001, 0.02, 0.11, 0.3])
@pytest.mark.parametrize("seconds", [0.05, 0.6])
def test_ctrl_c_twice_is_an_interrupt(pause: float, seconds: float) -> None:
    source = textwrap.dedent(CTRL_C.format(seconds=seconds, budget=1000))
    with subprocess.Popen(
        [sys.executable, "-c", source],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        time.sleep(pause)
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=60)
    assert "fault of FIESTA" not in said and process.returncode == 0, said
    assert printed.splitlines()[-1] == "interrupted"
