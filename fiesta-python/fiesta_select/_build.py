"""Dataclasses from JSON documents of the same shape."""

from __future__ import annotations

import dataclasses
import types
import typing
from functools import cache
from typing import Any


@cache
def _fields(kind: type) -> dict[str, Any]:
    """The types of a dataclass's fields, by their names in JSON."""
    return typing.get_type_hints(kind)


def build(kind: Any, value: Any) -> Any:
    """The value of this type that a JSON value stands for; keys that are unknown are left out."""
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        kinds = [other for other in typing.get_args(kind) if other is not type(None)]
        return None if value is None else build(kinds[0], value) if len(kinds) == 1 else value
    if origin is list:
        (of,) = typing.get_args(kind)
        return [build(of, entry) for entry in value]
    if dataclasses.is_dataclass(kind):
        hints = _fields(kind)  # type: ignore[arg-type]
        names = ((name, of, _key(name)) for name, of in hints.items())
        known = {
            name: build(of, value[key]) if key in value else _left_out(kind, name, of)
            for name, of, key in names
        }
        return kind(**known)  # type: ignore[operator]
    return value


def _left_out(kind: Any, name: str, of: Any) -> Any:
    """What a field is whose key is left out of a document: its default, or empty, or none."""
    default = kind.__dataclass_fields__[name].default
    if default is not dataclasses.MISSING:
        return default
    origin = typing.get_origin(of)
    return origin() if origin in (list, dict) else None


def _key(name: str) -> str:
    """The key in JSON of a field: the name, without the mark of one that Python reserves."""
    return name.removesuffix("_")
