"""Calls of functions, in threads of this process or in processes of their own."""

from __future__ import annotations

import contextlib
import decimal
import json
import math
import numbers
import threading
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from . import _native

#: What functions can ask for by the names of their parameters.
TOLD = ("arm", "split", "seed", "item", "item_id", "checkpoint", "directory")


class Asked:
    """A function, and which of the things that it can be told it asks for."""

    def __init__(self, arm: str, function: Callable[..., Any]) -> None:
        import inspect

        if not callable(function):
            raise TypeError(f"the arm `{arm}` is {function!r}, and not a function")
        self.function = function
        self.names: tuple[str, ...] = ()
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            raise TypeError(
                f"nobody can say what the function of the arm `{arm}` is to be told: wrap it in one "
                f"whose parameters are some of {', '.join(TOLD)}"
            ) from None
        names = []
        for parameter in parameters:
            if parameter.kind is parameter.VAR_KEYWORD:
                names = list(TOLD)
                break
            if parameter.kind is parameter.VAR_POSITIONAL:
                continue
            if parameter.name in TOLD and parameter.kind is not parameter.POSITIONAL_ONLY:
                names.append(parameter.name)
            elif parameter.default is parameter.empty:
                raise TypeError(
                    f"the function of the arm `{arm}` asks for `{parameter.name}`, and can be told "
                    f"{', '.join(TOLD)} by name: rename the parameter, or give it a default"
                )
        self.names = tuple(names)

    def __call__(self, told: Mapping[str, Any]) -> str | float:
        """The score, or the whole result as JSON."""
        returned = self.function(**{name: told.get(name) for name in self.names})
        if isinstance(returned, Mapping):
            return json.dumps(_plain(returned))
        if returned is None or isinstance(returned, (str, bytes)):
            raise TypeError(f"the function returned {returned!r}, and not a score or a dict")
        return float(returned)


#: How deep a result may nest; what is deeper is left out, and a mark is in its place.
DEEPEST = 90
#: How much of a text is kept that stands for something else, and of what a failure says.
LONGEST = 100_000


def _plain(value: Any, depth: int = 0) -> Any:
    """A value as JSON can have it; numbers that are none, and whatever else is none, as texts."""
    if depth > DEEPEST:
        return "…"
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, int):
        bits = int.bit_length(value)
        return value if bits < 1024 else f"a whole number of {bits} bits"
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else "NaN" if math.isnan(value) else str(value)
    if isinstance(value, Mapping):
        return {_clean(str(key)): _plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(inner, depth + 1) for inner in value]
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return _plain(value.item(), depth + 1)
    if hasattr(value, "tolist"):
        return _plain(value.tolist(), depth + 1)
    if isinstance(value, (numbers.Real, decimal.Decimal)):
        return _plain(float(value), depth + 1)
    return _clean(str(value)[:LONGEST])


def _clean(text: str) -> str:
    """A text without lone surrogates, which no encoding has."""
    return str.encode(text, "utf-8", "backslashreplace").decode("utf-8")


#: What an end says: a score or a result as JSON; or why there is none, with details and, of a
#: request that failed, what the service said, as JSON.
End = tuple[str | float | None, tuple[str, str, str] | None]


def answered(function: Asked, told: Mapping[str, Any]) -> End:
    """How a call ends, whatever its function returns or raises. Nothing but plain texts and numbers."""
    try:
        return function(told), None
    except BaseException as error:  # noqa: BLE001 (also SystemExit is an end of one call)
        return None, _failure(error)


def _failure(error: BaseException) -> tuple[str, str, str]:
    """What is told of an error, which may be unable to say anything itself."""

    def safely(make: Callable[[], str], otherwise: str) -> str:
        try:
            return _clean(str(make())[:LONGEST])
        except BaseException:  # noqa: BLE001 (whatever a property or a text of it raises)
            return otherwise

    name = safely(lambda: type(error).__name__, "an error")
    text = safely(lambda: str(error), "its text cannot be read")
    details = safely(lambda: "".join(traceback.format_exception(error)), "")
    said = safely(lambda: json.dumps(_plain(_said(error))), "{}")
    return f"{name}: {text}", details, said


def _said(error: BaseException) -> dict[str, Any]:
    """What a service said that refused a request: the status, and how long to wait."""
    response = getattr(error, "response", None)
    status: Any = None
    for holder, name in (
        (error, "status_code"),
        (response, "status_code"),
        (error, "status"),
        (error, "code"),
        (response, "status"),
    ):
        found = getattr(holder, name, None)
        if status is None and isinstance(found, int) and 400 <= found < 600:
            status = int(found)
    if status is None and isinstance(error, TimeoutError):
        status = "timeout"
    headers = getattr(response, "headers", None) or getattr(error, "headers", None)
    get = getattr(headers, "get", None)
    after = get("retry-after") if callable(get) else None
    said = {"status": status, "retry_after": after}
    return {key: value for key, value in said.items() if value is not None}


class Threads:
    """Threads that take calls from a run's queue and make them."""

    def __init__(self, run: _native.FunctionRun, functions: Mapping[str, Asked]) -> None:
        self.run = run
        self.functions = functions
        # Python waits for none of them at its exit: what a call leaves undone is made again.
        self.threads = [
            threading.Thread(target=self._work, name=f"fiesta-{number}", daemon=True)
            for number in range(1, run.parallel + 1)
        ]
        for thread in self.threads:
            thread.start()

    def _work(self) -> None:
        while True:
            try:
                call = self.run.next(1.0)
            except StopIteration:
                return
            if call is not None:
                self._make(call)

    def _make(self, call: _native.Call) -> None:
        """Makes one call, which ends whatever its function does."""
        try:
            told = json.loads(call.request())
            result, failure = self._answered(self.functions[told["arm"]], told)
        except Lost as error:
            call.lose(str(error))
            return
        except BaseException as error:  # noqa: BLE001 (the call has to end)
            result, failure = None, _failure(error)
        try:
            if failure is not None:
                call.fail(*failure)
            elif isinstance(result, str):
                call.finish_with(result)
            else:
                call.finish(float(result or 0.0))
        except BaseException as error:  # noqa: BLE001 (the same)
            with contextlib.suppress(BaseException):
                call.fail(f"its end cannot be told: {type(error).__name__}", "", "{}")

    def _answered(self, function: Asked, told: Mapping[str, Any]) -> End:
        return answered(function, told)

    def leave(self) -> None:
        """Lets go of calls that are being made."""

    def close(self) -> None:
        """Ends what was kept for calls to come."""


class Lost(Exception):
    """A call was lost with its process."""


class Processes(Threads):
    """Threads each of which makes its calls in a process of its own."""

    def __init__(self, run: _native.FunctionRun, functions: Mapping[str, Asked]) -> None:
        import pickle

        for arm, function in functions.items():
            try:
                pickle.dumps(function)
            except Exception as error:  # noqa: BLE001 (whatever pickling raises)
                raise TypeError(
                    f"the function of the arm `{arm}` cannot go to another process ({error}): define "
                    'it at the top of a module, or take run_in="threads"'
                ) from None
        self.local = threading.local()
        self.pools: set[Any] = set()
        super().__init__(run, functions)

    def _answered(self, function: Asked, told: Mapping[str, Any]) -> End:
        from concurrent.futures.process import BrokenProcessPool

        try:
            return self._pool().submit(answered, function, told).result()  # type: ignore[no-any-return]
        except BrokenProcessPool:
            self.pools.discard(self.local.pool)
            del self.local.pool
            raise Lost("its process ended without a word (killed, or out of memory?)") from None

    def _pool(self) -> Any:
        """The process of this thread."""
        if not hasattr(self.local, "pool"):
            import multiprocessing
            from concurrent.futures import ProcessPoolExecutor

            # A forked process would hold the ledger's lock when this one is killed.
            context = multiprocessing.get_context("spawn")
            self.local.pool = ProcessPoolExecutor(
                1, mp_context=context, initializer=_prepare_process
            )
            self.pools.add(self.local.pool)
        return self.local.pool

    def leave(self) -> None:
        for pool in list(self.pools):
            for process in list((pool._processes or {}).values()):
                process.terminate()

    def close(self) -> None:
        for pool in list(self.pools):
            pool.shutdown(wait=False, cancel_futures=True)


def _prepare_process() -> None:
    """
    Makes a process one that makes calls for another.

    Ctrl-C on a terminal reaches all its processes, and is for the one that asks for calls. Where
    that one is killed nobody would end this one.
    """
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Ends this process once the one that started it has ended."""
    import os
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
