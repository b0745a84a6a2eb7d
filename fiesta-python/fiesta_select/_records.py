"""Records from whatever holds scores: dict, list of records, array, frame, file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _native
from ._columns import (
    frame_columns,
    is_missing,
    known_values,
    shown,
    table_columns,
    text,
    values_of,
    vector,
)
from ._rows import KEYS, lines_of

#: What columns of other names can hold.
ROLES = ("arm", "item", "split", "seed")


def records(
    scores: Any,
    *,
    arms: Sequence[str] | None = None,
    metric: str | None = None,
    bounds: tuple[float, float] | None = None,
    paired_rows: bool = False,
    columns: Mapping[str, str | None] | None = None,
    failed: str | None = None,
    keep_failures: bool = False,
    gold: str | None = None,
    versions: bool = False,
) -> _native.Records:
    """
    The records of scores in any of the forms that :func:`fiesta_select.belief` takes.

    ``versions`` says that files of one arm are versions of it.

    Raises
    ------
    TypeError
        If the scores are of no such form, or one of them is not a number. The numbers of rows and
        scores in messages count from 1.
    ValueError
        If a score is not finite or out of bounds, an arm has none, or names are none.
    """
    if isinstance(scores, _native.Records):
        return scores
    reading = reading_of(arms, metric, bounds, paired_rows, columns, failed, keep_failures, gold)
    if gold is not None and not _are_paths(scores):
        return _native.Records.of_json(_lines_of_predictions(scores), reading, "row")
    if isinstance(scores, (str, os.PathLike)):
        return _of_files([scores], reading)
    if isinstance(scores, Mapping):
        if _is_table(scores, reading):
            return _of_frame(table_columns(scores), reading)
        return _of_arms(list(scores.items()), reading)
    frame = frame_columns(scores, KEYS | _names_of_columns(reading))
    if frame is not None:
        return _of_frame(frame, reading)
    dimensions = getattr(scores, "ndim", None)
    if dimensions == 2:
        return _of_matrix(scores, arms, reading)
    if dimensions is not None:
        raise TypeError(
            f"an array of {dimensions} dimensions is no scores of arms: give one of shape "
            "(evaluations, arms), or a dict with an array for each arm"
        )
    if isinstance(scores, Iterable) and not isinstance(scores, (bytes, bytearray, memoryview)):
        rows = list(scores)
        if rows and all(isinstance(row, (str, os.PathLike)) for row in rows):
            return _of_files(rows, reading, versions)
        if all(isinstance(row, Mapping) for row in rows):
            return _of_rows(rows, reading)
    raise TypeError(
        f"{type(scores).__name__} holds no scores that can be read: give a dict with the scores of "
        "each arm, a list of dicts with the keys `arm` and `score`, an array of shape (evaluations, "
        "arms), a frame, or the path of a file"
    )


def benchmarks(
    scores: Any, benchmark: str | None, **keywords: Any
) -> list[tuple[str, _native.Records]]:
    """
    The records of each benchmark with its name; without a name those of scores that are of one.

    ``keywords`` are those of :func:`records`, which reads the scores of each.
    """
    if isinstance(scores, Mapping) and scores and all(map(_is_of_arms, scores.values())):
        if benchmark is not None:
            raise TypeError(
                "benchmark= names a column, and these scores stand below the names of benchmarks: "
                "leave it out"
            )
        named = [(text("the benchmark", name), value) for name, value in scores.items()]
    elif _are_paths(scores):
        paths = [scores] if isinstance(scores, (str, os.PathLike)) else list(scores)
        column = _column("benchmarks", benchmark)
        names = _names_of_files(paths)
        return _native.Records.of_benchmarks(names, reading_of(**keywords), column)
    elif benchmark is None:
        return [("", records(scores, **keywords))]
    else:
        named = _by_benchmark(scores, text("the column of benchmarks", benchmark))
    read = []
    for name, value in named:
        try:
            read.append((name, records(value, **keywords)))
        except (TypeError, ValueError) as error:
            raise type(error)(f"in the benchmark `{name}`: {error}") from error
    return read


def _is_of_arms(value: Any) -> bool:
    """Whether this may be the scores of several arms, and not those of one."""
    return isinstance(value, Mapping) and not _is_cross_validation(value)


def _by_benchmark(scores: Any, column: str) -> list[tuple[str, Any]]:
    """The rows of each benchmark, which a column names, without this column."""
    is_table = isinstance(scores, Mapping)
    frame = table_columns(scores) if is_table else frame_columns(scores, KEYS | {column})
    names = [name for name, _ in frame or []]
    if frame is not None:
        cells = zip(*(values_of(values) for _, values in frame))
        rows = [dict(zip(names, row)) for row in cells]
    elif isinstance(scores, Iterable) and not isinstance(scores, (bytes, bytearray, memoryview)):
        rows = list(scores)
    else:
        rows = [scores]
    found: dict[str, list[dict[Any, Any]]] = {}
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise TypeError(
                f"benchmark= names a column, and {type(scores).__name__} has none: give a frame, a "
                "list of dicts, the path of a file, or a dict of the scores of each benchmark"
            )
        name = row.get(column)
        if name is None or is_missing(name):
            raise ValueError(
                f"row:{number}: there is no benchmark in `{column}`: name it in every row, or leave "
                "the row out"
            )
        rest = {key: value for key, value in row.items() if key != column}
        found.setdefault(str(name), []).append(rest)
    if frame is None:
        return list(found.items())
    columns = [name for name in names if name != column]
    return [
        (name, {column: [row[column] for row in rows] for column in columns})
        for name, rows in found.items()
    ]


def predictions(
    scores: Any,
    gold: str | None,
    *,
    arms: Sequence[str] | None,
    columns: Mapping[str, str | None],
    failed: str | None,
) -> tuple[str | dict[str, str], dict[str, Any]]:
    """Predictions beside the right answers, as a path or lines of JSON, and how they are read."""
    if gold is None:
        raise TypeError("positive= is a label of the right answers: name their column with gold=")
    reading = reading_of(arms, None, None, False, columns, failed, False, gold)
    if isinstance(scores, (str, os.PathLike)):
        return str(os.fspath(scores)), reading
    return {"lines": _lines_of_predictions(scores)}, reading


def reading_of(
    arms: Sequence[str] | None = None,
    metric: str | None = None,
    bounds: tuple[float, float] | None = None,
    paired_rows: bool = False,
    columns: Mapping[str, str | None] | None = None,
    failed: str | None = None,
    keep_failures: bool = False,
    gold: str | None = None,
) -> dict[str, Any]:
    """How scores are read."""
    if metric is not None:
        text("the metric", metric)
    return {
        "metric": metric,
        "arms": [] if arms is None else names_of(arms),
        "bounds": _bounds(bounds),
        "paired_rows": bool(paired_rows),
        "gold": _column("the right answers", gold),
        "failed": failed,
        **{role: _column(role, (columns or {}).get(role)) for role in ROLES},
        "keep_failures": keep_failures,
    }


def _are_paths(scores: Any) -> bool:
    """Whether these are the path of a file, or several."""
    if isinstance(scores, (str, os.PathLike)):
        return True
    is_list = isinstance(scores, Sequence) and not isinstance(scores, (bytes, bytearray))
    return is_list and bool(scores) and all(isinstance(p, (str, os.PathLike)) for p in scores)


def _lines_of_predictions(table: Any) -> str:
    """The rows of a frame, a dict of columns or a list of dicts as lines of JSON."""
    columns = table_columns(table) if isinstance(table, Mapping) else frame_columns(table, KEYS)
    if columns is not None:
        names = [name for name, _ in columns]
        cells = zip(*(values_of(column) for _, column in columns))
        return lines_of([dict(zip(names, row)) for row in cells], "")
    if isinstance(table, Iterable) and not isinstance(table, (bytes, bytearray, memoryview)):
        rows = list(table)
        if all(isinstance(row, Mapping) for row in rows):
            return lines_of(rows, "")
    raise TypeError(
        f"{type(table).__name__} holds no predictions beside right answers: give a frame, a dict of "
        "columns, a list of dicts, or the path of a file"
    )


def _of_files(
    paths: Sequence[Any], reading: dict[str, Any], versions: bool = False
) -> _native.Records:
    """Records of files."""
    return _native.Records.of_files(_names_of_files(paths), reading, versions=versions)


def _names_of_files(paths: Sequence[Any]) -> list[str]:
    """The names of files, which may be bytes of the system but not of another kind."""
    names = [os.fspath(path) for path in paths]
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"the path {shown(name)} is not text: give a str or a pathlib.Path")
        if "\0" in name:
            raise ValueError(f"the path {shown(name)} has a zero character: remove it")
    return names


def _of_arms(by_arm: Sequence[tuple[Any, Any]], reading: dict[str, Any]) -> _native.Records:
    """Records of the scores of each arm."""
    names = [text("the arm", name) for name, _ in by_arm]
    if by_arm and all(_is_cross_validation(value) for _, value in by_arm):
        by_arm, reading = _of_cross_validation(by_arm, reading)
    values = [vector(name, value) for name, value in by_arm]
    if reading["failed"] in ("drop", "worst"):
        plain = [value if isinstance(value, list) else values_of(value) for value in values]
        if any(is_missing(score) for of_arm in plain for score in of_arm):
            metric = _metric(reading)
            named = list(zip(names, plain))
            rows = [{"arm": name, metric: score} for name, of_arm in named for score in of_arm]
            return _of_rows(rows, reading)
    return _native.Records.of_arms(names, values, reading, "scores")


def _is_cross_validation(value: Any) -> bool:
    """Whether this is what scikit-learn's ``cross_validate`` returns."""
    return isinstance(value, Mapping) and any(str(key).startswith("test_") for key in value)


def _of_cross_validation(
    by_arm: Sequence[tuple[Any, Any]], reading: dict[str, Any]
) -> tuple[list[tuple[Any, Any]], dict[str, Any]]:
    """The test scores of each arm's cross-validation, and how they are read."""
    found = [
        {str(key).removeprefix("test_") for key in value if str(key).startswith("test_")}
        for _, value in by_arm
    ]
    shared = sorted(set.intersection(*found))
    metric = reading["metric"] or (shared[0] if len(shared) == 1 else None)
    if metric is None or metric not in shared:
        raise ValueError(
            f"the cross-validations have the test scores {', '.join(shared) or 'of no common name'}: "
            "name one with metric="
        )
    scores = [(name, value[f"test_{metric}"]) for name, value in by_arm]
    return scores, {**reading, "metric": metric}


def _of_matrix(matrix: Any, arms: Sequence[str] | None, reading: dict[str, Any]) -> _native.Records:
    """Records of an array of shape (evaluations, arms)."""
    columns = matrix.shape[1]
    names = [f"arm{number}" for number in range(1, columns + 1)] if arms is None else names_of(arms)
    if len(names) != columns:
        raise ValueError(
            f"the array has {columns} columns and there are {len(names)} names of arms: its shape is "
            "to be (evaluations, arms)"
        )
    return _of_arms([(name, matrix[:, place]) for place, name in enumerate(names)], reading)


def _of_frame(frame: list[tuple[str, Any]], reading: dict[str, Any]) -> _native.Records:
    """Records of a frame: a row an evaluation if it has a column `arm`, else a column an arm."""
    names = [name for name, _ in frame]
    twice = (
        {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else ()
    )
    if twice:
        raise ValueError(
            f"the column `{min(twice)}` occurs twice in the frame: rename one of the two"
        )
    is_wide = not _names_of_columns(reading) and KEYS.isdisjoint(names) and _are_numbers(frame)
    if is_wide and _are_names_of_arms(names, reading):
        return _of_arms([(name, known_values(column)) for name, column in frame], reading)
    columns = [values_of(column) for _, column in frame]
    return _of_rows([dict(zip(names, row)) for row in zip(*columns)], reading)


def _of_rows(rows: Iterable[Mapping[Any, Any]], reading: dict[str, Any]) -> _native.Records:
    """Records of rows in the long form, which are read as lines of JSON are."""
    metric = _metric(reading)
    numbers = frozenset(name for name in (reading["split"], reading["seed"]) if name)
    keeps = reading["keep_failures"] or reading["failed"] in ("drop", "worst")
    lines = lines_of(rows, metric, numbers, keeps)
    return _native.Records.of_json(lines, reading, "row")


def _metric(reading: Mapping[str, Any]) -> str:
    """The name of the column of scores."""
    return (reading["metric"] or "score").strip()


def _names_of_columns(reading: Mapping[str, Any]) -> frozenset[str]:
    """The names of columns that were given."""
    return frozenset(reading[role] for role in ROLES if reading[role] is not None)


def _is_table(scores: Mapping[Any, Any], reading: Mapping[str, Any]) -> bool:
    """Whether a dict holds columns, and not the scores of arms: some are named, or hold texts."""
    if _names_of_columns(reading):
        return True
    arms = scores.get("arm")
    return (
        isinstance(arms, Sequence)
        and bool(arms)
        and not isinstance(arms, (str, bytes))
        and all(isinstance(name, str) for name in arms)
    )


def _column(role: str, name: Any) -> str | None:
    """The name of a column."""
    return None if name is None else text(f"the column of {role}", name)


def _are_names_of_arms(names: Sequence[str], reading: dict[str, Any]) -> bool:
    """Whether none is by its name a case, a step, a metric or a setting: a frame numbers its rows."""
    header = {**reading, "bounds": None, "paired_rows": True}
    row = lines_of([dict.fromkeys(names, 0)], _metric(reading))
    return _native.Records.are_arms(row, header)


def _are_numbers(frame: list[tuple[str, Any]]) -> bool:
    """Whether every column of a frame could be the scores of an arm: none holds texts."""
    for _, column in frame:
        known = known_values(column)
        if isinstance(known, list) and any(isinstance(value, str) for value in known[:100]):
            return False
    return True


def _bounds(bounds: Any) -> tuple[float, float] | None:
    """Two numbers, or none."""
    if bounds is None:
        return None
    try:
        lower, upper = bounds
        return float(lower), float(upper)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(
            f"bounds={shown(bounds)} are not two numbers: give (lowest, highest)"
        ) from None


def names_of(arms: Any) -> list[str]:
    """The names of some arms."""
    if isinstance(arms, (str, bytes)) or not isinstance(arms, Iterable):
        raise TypeError(f"arms={shown(arms)} are to be several names: give a list of str")
    return [text("the arm", name) for name in arms]
