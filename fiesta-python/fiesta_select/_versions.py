"""Records of an old version and new ones: paths, frames, rows, lists, and dicts of these by name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _native
from ._columns import frame_columns, shown, table_columns, text, values_of
from ._records import reading_of, records
from ._rows import KEYS, lines_of


def versions(
    old: Any,
    new: Any,
    *,
    arms: Sequence[str] | None,
    metric: str | None,
    bounds: tuple[float, float] | None,
    paired_rows: bool,
    columns: Mapping[str, str | None],
    gold: str | None,
) -> _native.Records:
    """
    The records of all versions, failures among them.

    Raises
    ------
    TypeError
        If a version is of no form that is read, or a number is none.
    ValueError
        If there are two versions of one name, or a table cannot be read.
    """
    reading: dict[str, Any] = {
        "arms": arms,
        "metric": metric,
        "bounds": bounds,
        "paired_rows": paired_rows,
        "columns": columns,
        "gold": gold,
        "failed": "worst",
        "keep_failures": True,
    }
    if new is None:
        return records(old, versions=True, **reading)
    score = (metric or "score").strip()
    olds, news = _named(old, score), _named(new, score)
    if len(olds) != 1:
        raise ValueError(
            f"old= holds {len(olds)} versions: give one, or all versions as old= without new=, and "
            "name the old one with baseline="
        )
    sides = [(name or "old", version) for name, version in olds]
    sides += [(name or "new", version) for name, version in news]
    has_names = any(name is not None for name, _ in olds + news)
    if not has_names and all(_is_path(path) for _, side in sides for path in _paths(side)):
        paths = [path for _, version in sides for path in _paths(version)]
        return records(paths, versions=True, **reading)
    names = [name for name, _ in sides]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"two versions are called `{min(twice)}`: give each a name of its own")
    if has_names and columns.get("arm") is None:
        # Names that the user gave come before those of a column.
        reading["columns"] = {**columns, "arm": "file"}
    read = reading_of(**reading)
    numbers = frozenset(name for name in (read["split"], read["seed"]) if name)
    tables = [_table(name, version, score, numbers) for name, version in sides]
    return _native.Records.of_versions(names, tables, read)


def _named(version: Any, score: str) -> list[tuple[str | None, Any]]:
    """A version without a name; or those of a dict, unless it is one table of columns."""
    if not isinstance(version, Mapping) or score in version:
        return [(None, version)]
    return [(text("the version", name), value) for name, value in version.items()]


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _paths(version: Any) -> Sequence[Any]:
    """The paths of a version, or the version alone if it is none of paths."""
    is_list = isinstance(version, (list, tuple)) and bool(version)
    return version if is_list and all(map(_is_path, version)) else [version]


def _table(name: str, version: Any, score: str, numbers: frozenset[str]) -> str | dict[str, str]:
    """The path of a version's table, or its rows as lines of JSON."""
    paths = _paths(version)
    if all(map(_is_path, paths)):
        if len(paths) > 1:
            raise ValueError(
                f"the version `{name}` has {len(paths)} files: give one, or the paths of all versions "
                "alone, without names"
            )
        return str(os.fspath(paths[0]))
    return {"lines": lines_of(_rows(name, version, score), score, numbers, True)}


def _rows(name: str, version: Any, score: str) -> Iterable[Mapping[Any, Any]]:
    """The rows of a frame, a dict of columns, a list of dicts, or a list or an array of scores."""
    is_table = isinstance(version, Mapping)
    columns = table_columns(version) if is_table else frame_columns(version, KEYS)
    if columns is not None:
        names = [column for column, _ in columns]
        cells = zip(*(values_of(column) for _, column in columns))
        return [dict(zip(names, row)) for row in cells]
    dimensions = getattr(version, "ndim", 1)
    is_text = isinstance(version, (bytes, bytearray, memoryview, str))
    if dimensions != 1 or is_text or not isinstance(version, Iterable):
        raise TypeError(
            f"the version `{name}` is {shown(version)}: give a path, a frame, a dict of columns, a list "
            "of dicts with an item and a score, or a list of scores"
        )
    values = values_of(version)
    if values and all(isinstance(row, Mapping) for row in values):
        return values
    return [{score: value} for value in values]
