"""Calls of functions, in threads of this process or in processes of their own."""

from __future__ import annotations

import json
import math
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
            return json.dumps({str(key): _plain(value) for key, value in returned.items()})
        if returned is None or isinstance(returned, (str, bytes)):
            raise TypeError(f"the function returned {returned!r}, and not a score or a dict")
        return float(returned)


def _plain(value: Any) -> Any:
    """A value as JSON can have it; numbers that are none as the texts of results."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else str(value)
    return value


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
        """Makes one call, whatever its function does."""
        told = json.loads(call.request())
        try:
            result = self._result(self.functions[told["arm"]], told)
        except Lost as error:
            call.lose(str(error))
        except BaseException as error:  # noqa: BLE001 (also SystemExit is an end of one call)
            details = "".join(traceback.format_exception(error))
            call.fail(f"{type(error).__name__}: {error}", details)
        else:
            if isinstance(result, str):
                call.finish_with(result)
            else:
                call.finish(result)

    def _result(self, function: Asked, told: Mapping[str, Any]) -> str | float:
        return function(told)

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

    def _result(self, function: Asked, told: Mapping[str, Any]) -> str | float:
        from concurrent.futures.process import BrokenProcessPool

        try:
            return self._pool().submit(function, told).result()  # type: ignore[no-any-return]
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
