"""Records from whatever holds scores: dict, list of records, array, frame, file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from . import _native

#: Columns of a table in the long form that have a meaning of their own.
_ROWS = frozenset({"arm", "item", "split", "seed", "cost", "duration", "status"})


def records(
    scores: Any,
    *,
    arms: Sequence[str] | None = None,
    metric: str | None = None,
    bounds: tuple[float, float] | None = None,
    paired_rows: bool = False,
    keep_failures: bool = False,
) -> _native.Records:
    """
    The records of scores in any of the forms that :func:`fiesta_select.belief` takes.

    Raises
    ------
    TypeError
        If the scores are of no such form, or one of them is not a number.
    ValueError
        If a score is not finite or out of bounds, an arm has none, or names are none.
    """
    reading = {
        "metric": metric,
        "bounds": bounds,
        "paired_rows": paired_rows,
        "keep_failures": keep_failures,
    }
    if isinstance(scores, _native.Records):
        return scores
    if isinstance(scores, (str, os.PathLike)):
        return _native.Records.of_files([os.fspath(scores)], reading)
    if isinstance(scores, Mapping):
        return _of_arms(dict(scores), reading)
    frame = _columns(scores)
    if frame is not None:
        return _of_frame(frame, reading)
    if getattr(scores, "ndim", None) == 2:
        return _of_matrix(scores, arms, reading)
    if getattr(scores, "ndim", None) is not None:
        raise TypeError(
            f"an array of {scores.ndim} dimensions is no scores of arms: give one of shape "
            "(evaluations, arms), or a dict with an array for each arm"
        )
    if isinstance(scores, Iterable) and not isinstance(scores, (bytes, bytearray)):
        rows = list(scores)
        if rows and all(isinstance(row, (str, os.PathLike)) for row in rows):
            return _native.Records.of_files([os.fspath(row) for row in rows], reading)
        if all(isinstance(row, Mapping) for row in rows):
            return _of_rows((dict(row) for row in rows), reading)
    raise TypeError(
        f"{type(scores).__name__} holds no scores that can be read: give a dict with the scores of "
        "each arm, a list of dicts with the keys `arm` and `score`, an array of shape (evaluations, "
        "arms), a frame, or the path of a file"
    )


def _of_arms(by_arm: Mapping[Any, Any], reading: dict[str, Any]) -> _native.Records:
    """Records of a dict with the scores of each arm."""
    names = []
    for name in by_arm:
        if not isinstance(name, str):
            raise TypeError(f"the arm {name!r} is not text: name it by a str")
        names.append(name)
    values = [_vector(name, value) for name, value in by_arm.items()]
    return _native.Records.of_arms(names, values, reading, "scores")


def _vector(arm: str, value: Any) -> Any:
    """The scores of one arm as something to iterate over; masked ones are left out."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise TypeError(
            f"the scores of the arm `{arm}` are {type(value).__name__}: give a list or an array"
        )
    if hasattr(value, "compressed"):  # NumPy's masked arrays
        value = value.compressed()
    if getattr(value, "ndim", 1) != 1:
        raise TypeError(
            f"the scores of the arm `{arm}` have {value.ndim} dimensions: give one score an evaluation"
        )
    if not hasattr(value, "__array_interface__") and hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if hasattr(value, "__array_interface__"):
        return _floats(value)
    return value if isinstance(value, Sequence) else list(value)


def _floats(array: Any) -> Any:
    """An array of NumPy as 64-bit floats beside each other: itself if it is that already."""
    if array.dtype.kind in "fiub" and (array.dtype.kind, array.dtype.itemsize) != ("f", 16):
        import numpy

        return numpy.ascontiguousarray(array, dtype=numpy.float64)
    return array.tolist()


def _of_matrix(matrix: Any, arms: Sequence[str] | None, reading: dict[str, Any]) -> _native.Records:
    """Records of an array of shape (evaluations, arms)."""
    columns = matrix.shape[1]
    names = [f"arm{number}" for number in range(1, columns + 1)] if arms is None else list(arms)
    if len(names) != columns:
        raise ValueError(
            f"the array has {columns} columns and there are {len(names)} names of arms: its shape is "
            "to be (evaluations, arms)"
        )
    return _of_arms({name: matrix[:, column] for column, name in enumerate(names)}, reading)


def _columns(frame: Any) -> dict[str, Any] | None:
    """The columns of a frame of pandas, polars, PyArrow, or of what these can read."""
    names = getattr(frame, "columns", None)
    if hasattr(frame, "column_names"):  # PyArrow
        return {str(name): frame.column(name) for name in frame.column_names}
    if names is not None and hasattr(frame, "__getitem__") and not isinstance(frame, Mapping):
        return {str(name): frame[name] for name in names}
    if hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__dataframe__"):
        return _columns(_frame_of_another(frame))
    return None


def _frame_of_another(frame: Any) -> Any:
    """A frame of whichever library is there from one that only speaks Arrow."""
    if hasattr(frame, "__arrow_c_stream__"):
        for name, read in (("pyarrow", "table"), ("polars", "from_arrow"), ("polars", "DataFrame")):
            try:
                library = __import__(name)
            except ImportError:
                continue
            return getattr(library, read)(frame)
    else:
        try:
            from pandas.api.interchange import from_dataframe
        except ImportError:
            pass
        else:
            return from_dataframe(frame)
    raise TypeError(
        f"{type(frame).__name__} is read by pyarrow, polars or pandas, and none of them is installed: "
        "install one, or give a dict with a list for each column"
    )


def _of_frame(frame: dict[str, Any], reading: dict[str, Any]) -> _native.Records:
    """Records of a frame: a row an evaluation if it has a column `arm`, else a column an arm."""
    if "arm" not in frame and not (_ROWS & frame.keys()):
        wide = {
            name: [value for value in _list(column) if not _is_missing(value)]
            for name, column in frame.items()
        }
        return _of_arms(wide, reading)
    names = list(frame)
    columns = [_list(column) for column in frame.values()]
    return _of_rows((dict(zip(names, row)) for row in zip(*columns)), reading)


def _list(column: Any) -> list[Any]:
    """The values of a column as those of Python."""
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            return cast("list[Any]", getattr(column, name)())
    return list(column)


def _of_rows(rows: Iterable[dict[str, Any]], reading: dict[str, Any]) -> _native.Records:
    """Records of rows in the long form, which are read as lines of JSON are."""
    lines = [_line(number, row) for number, row in enumerate(rows, 1)]
    return _native.Records.of_json("\n".join(lines), reading, "row")


def _line(number: int, row: dict[str, Any]) -> str:
    """A row as a line of JSON; what is missing is left out."""
    known = {str(name): _plain(value) for name, value in row.items() if not _is_absent(name, value)}
    try:
        return json.dumps(known, allow_nan=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"row:{number}: {error}: give texts and numbers") from None


def _plain(value: Any) -> Any:
    """A value of NumPy as one of Python."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    # Splits and seeds become floats in frames with missing values.
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, bool):
        return int(value)
    return value


def _is_absent(name: Any, value: Any) -> bool:
    """Whether a row lacks this value; a score that is not a number is one, and refused."""
    return _is_missing(value) and (name in _ROWS or not isinstance(value, float))


def _is_missing(value: Any) -> bool:
    """Whether this is how lists and frames write that there is no value."""
    if value is None or type(value).__name__ in ("NAType", "NaTType", "MaskedConstant"):
        return True
    return isinstance(value, float) and math.isnan(value)
