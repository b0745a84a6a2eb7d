"""Rows in the long form as lines of JSON, which the crate of records reads."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ._columns import is_missing, shown, text

#: Keys of a row that have a meaning of their own, but for the score's.
KEYS = frozenset({"arm", "item", "split", "seed", "cost", "duration", "status"})
#: Those that are numbers.
_NUMBERS = frozenset({"split", "seed", "cost", "duration"})
#: The largest whole number that a float holds exactly, and a little more than the largest of 64
#: bits, beyond which digits are not read.
_EXACT, _LARGEST = 2**53, 2**64


def lines_of(
    rows: Iterable[Mapping[Any, Any]],
    metric: str,
    numbers: frozenset[str] = frozenset(),
    keeps_failures: bool = False,
) -> str:
    """
    Rows as JSON lines; what is missing is left out, but for the score, which is ``null``.

    The columns ``numbers`` hold whole numbers, beside those that do by their own names. NaN is a
    missing score where failures are kept or a row has a status.
    """
    numbers |= _NUMBERS
    return "\n".join(
        _line(number, row, metric, numbers, keeps_failures) for number, row in enumerate(rows, 1)
    )


def _line(
    number: int,
    row: Mapping[Any, Any],
    metric: str,
    numbers: frozenset[str],
    keeps_failures: bool,
) -> str:
    known: dict[str, Any] = {}
    for key, value in row.items():
        text(f"row:{number}: the key", key)
        place = f"row:{number}: the {'score' if key == metric else key}"
        if key == metric:
            # An evaluation that failed has no score, which columns of floats write as NaN.
            is_none = not isinstance(value, float) or keeps_failures or _has_status(row)
            known[key] = None if is_missing(value) and is_none else _number(place, value)
        elif is_missing(value):
            continue
        elif key in numbers:
            known[key] = _number(place, value)
        else:
            known[key] = _plain(place, value)
    try:
        return json.dumps(known, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"row:{number}: {error}: give texts and numbers") from None


def _has_status(row: Mapping[Any, Any]) -> bool:
    """Whether a row says how its evaluation ended."""
    status = row.get("status")
    return not is_missing(status) and status != ""


def _number(place: str, value: Any) -> Any:
    """
    A number of Python from one of NumPy, a decimal or a fraction.

    A text stays as it is, and is read as those of files are.
    """
    if isinstance(value, str):
        return text(place, value)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        if abs(value) < _LARGEST:
            return value
        raise ValueError(f"{place} is a whole number of more than 64 bits: give a smaller one")
    try:
        if isinstance(value, (bytes, bytearray, complex)):
            raise TypeError
        number = float(value)
    except Exception:  # noqa: BLE001 - also what a `__float__` of the user's raises
        raise TypeError(
            f"{place} {shown(value)} ({type(value).__name__}) is not a number"
        ) from None
    if not math.isfinite(number):
        what = "NaN" if math.isnan(number) else str(number)
        raise ValueError(
            f"{place} is {what} and not finite: leave it out, or where an evaluation failed say with "
            "failed= what it counts as (drop, worst)"
        )
    # Splits and seeds become floats in frames with missing values.
    return int(number) if number.is_integer() and abs(number) < _EXACT else number


def _plain(place: str, value: Any) -> Any:
    """A text or another value of JSON, of what else a row says."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    if isinstance(value, str):
        return text(place, value)
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return int(value) if abs(value) < _EXACT else value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (bytes, bytearray)):
        raise TypeError(f"{place} is bytes: decode them, as in value.decode()")
    written = getattr(value, "isoformat", None)  # dates and times
    return written() if callable(written) else value
