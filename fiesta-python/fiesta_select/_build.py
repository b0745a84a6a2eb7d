"""Dataclasses from JSON documents of the same shape."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any


def build(kind: Any, value: Any) -> Any:
    """The value of this type that a JSON value stands for; keys that are unknown are left out."""
    make = _maker(kind)
    return value if make is None else make(value)


@cache
def _maker(kind: Any) -> Callable[[Any], Any] | None:
    """What makes values of a type of JSON's; none where these are of the type already."""
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        kinds = [other for other in typing.get_args(kind) if other is not type(None)]
        return _optional(_maker(kinds[0])) if len(kinds) == 1 else None
    if origin is list:
        (of,) = typing.get_args(kind)
        return _listed(_maker(of))
    return _record(kind) if dataclasses.is_dataclass(kind) else None


def _optional(make: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    """What makes a value or none."""
    return make and (lambda value: None if value is None else make(value))


def _listed(make: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    """What makes a list."""
    return make and (lambda value: [make(entry) for entry in value])


def _record(kind: Any) -> Callable[[Any], Any]:
    """What makes a dataclass."""
    return lambda value: kind(
        **{
            name: left_out()
            if key not in value
            else value[key]
            if make is None
            else make(value[key])
            for name, key, make, left_out in _fields(kind)
        }
    )


@cache
def _fields(kind: Any) -> list[tuple[str, str, Callable[[Any], Any] | None, Callable[[], Any]]]:
    """
    The fields of a dataclass.

    Of each its name, its key in JSON, what makes its value, and what makes it where the key is
    left out: its default, or an empty list or dict, or none.
    """
    hints = typing.get_type_hints(kind)
    # The key is the name, without the mark of one that Python reserves.
    return [
        (name, name.removesuffix("_"), _maker(of), _left_out(kind, name, of))
        for name, of in hints.items()
    ]


def _left_out(kind: Any, name: str, of: Any) -> Callable[[], Any]:
    """What makes the value of a field whose key is left out."""
    default = kind.__dataclass_fields__[name].default
    if default is not dataclasses.MISSING:
        return lambda: default
    origin = typing.get_origin(of)
    return origin if origin in (list, dict) else lambda: None
