"""Identity of functions: what tells an edited function from the one that was evaluated."""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

#: Values that are as they are written.
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


def version_of(function: Callable[..., Any]) -> str:
    """
    A digest of a function and of what it calls.

    It is of the function's code, its defaults, what it encloses, and the functions of its own program
    that it calls.

    Numbers and texts count, also in tuples, and texts in a dict. Lists and other objects may be
    logs that grow with each call: only their types count.
    """
    digest = hashlib.blake2b(digest_size=8)
    for part in _parts(function, set()):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def _parts(value: Any, seen: set[int]) -> list[str]:
    """What tells a value from others, part by part."""
    if isinstance(value, _PLAIN):
        return [repr(value)]
    if id(value) in seen:
        return ["seen"]
    seen.add(id(value))
    if isinstance(value, (tuple, frozenset)):
        parts = [_parts(part, seen) for part in value]
        parts = sorted(parts) if isinstance(value, frozenset) else parts
        return [type(value).__name__, str(len(parts)), *(text for part in parts for text in part)]
    if isinstance(value, Mapping) and all(isinstance(text, str) for text in value.values()):
        return ["texts", *(repr(pair) for pair in value.items())]
    if isinstance(value, functools.partial):
        keywords = sorted(value.keywords.items())
        return ["partial", *_parts(value.func, seen), *_parts((value.args, *keywords), seen)]
    if isinstance(value, MethodType):
        return ["method", *_parts(value.__func__, seen), *_state(value.__self__, seen)]
    if isinstance(value, FunctionType):
        return _of_function(value, seen)
    if isinstance(value, CodeType):
        return _of_code(value, seen)
    call = inspect.getattr_static(type(value), "__call__", None)
    if isinstance(call, FunctionType):
        return ["object", *_of_function(call, seen), *_state(value, seen)]
    return [_name(value if isinstance(value, type) else type(value))]


def _state(value: Any, seen: set[int]) -> list[str]:
    """The numbers and texts of an object."""
    own = getattr(value, "__dict__", {})
    plain = {name: held for name, held in sorted(own.items()) if isinstance(held, _PLAIN)}
    return [_name(type(value)), *(repr(pair) for pair in plain.items())]


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _of_code(code: CodeType, seen: set[int]) -> list[str]:
    constants = [text for constant in code.co_consts for text in _parts(constant, seen)]
    return ["code", code.co_code.hex(), *constants, *code.co_names, *code.co_varnames]


def _of_function(function: FunctionType, seen: set[int]) -> list[str]:
    parts = ["function", *_of_code(function.__code__, seen)]
    parts += _parts(function.__defaults__, seen)
    parts += _parts(tuple(sorted((function.__kwdefaults__ or {}).items())), seen)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            held = cell.cell_contents
        except ValueError:
            continue
        parts += [name, *_parts(held, seen)]
    for name in sorted(_names(function.__code__)):
        if name not in function.__globals__:
            continue
        held = function.__globals__[name]
        # What is installed has a version of its own, and is no part of the program.
        is_own = not isinstance(held, ModuleType) and not (
            callable(held) and getattr(held, "__module__", None) != function.__module__
        )
        if is_own:
            parts += [name, *_parts(held, seen)]
    return parts


def _names(code: CodeType) -> set[str]:
    """The names that a function and those within it look up."""
    within = [own for own in code.co_consts if isinstance(own, CodeType)]
    return set(code.co_names).union(*(_names(own) for own in within))
