"""Columns of frames and arrays: what is missing, and values of Python or floats of NumPy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

#: The names of the types that say "there is no value": of pandas, NumPy and datetime columns.
_MISSING = frozenset({"NAType", "NaTType", "MaskedConstant"})


def is_missing(value: Any) -> bool:
    """Whether this is how lists and frames write that there is no value."""
    if value is None or type(value).__name__ in _MISSING:
        return True
    return isinstance(value, float) and math.isnan(value)


def shown(value: Any) -> str:
    """A value in a message, however it shows itself."""
    try:
        return repr(value)[:60]
    except Exception:  # noqa: BLE001 (a foreign frame may raise anything)
        return f"<{type(value).__name__}>"


def text(what: str, name: Any) -> str:
    """A text that can be written down."""
    if not isinstance(name, str):
        raise TypeError(f"{what} {shown(name)} is not text: name it by a str")
    if not name.isascii():
        try:
            name.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"{what} {ascii(name)[:60]} has half of a character (a surrogate): give whole ones"
            ) from None
    return name


def frame_columns(frame: Any, wanted: frozenset[str] = frozenset()) -> list[tuple[str, Any]] | None:
    """
    The names and columns of a frame of pandas, polars or PyArrow, or of what these can read.

    None of what is no frame. Levels of an index of pandas are columns if they have a wanted name.
    """
    if isinstance(frame, (Mapping, type)):
        return None
    if callable(getattr(frame, "column", None)) and hasattr(frame, "column_names"):  # PyArrow
        names = list(frame.column_names)
        return [(_name(name), frame.column(place)) for place, name in enumerate(names)]
    if hasattr(frame, "collect_schema") and hasattr(frame, "collect"):  # polars' lazy frames
        return frame_columns(frame.collect())
    if hasattr(frame, "columns") and hasattr(frame, "iloc"):  # pandas
        names = list(frame.columns)
        columns = [(_name(name), frame.iloc[:, place]) for place, name in enumerate(names)]
        return _levels(frame.index, wanted.difference(names)) + columns
    if hasattr(frame, "columns") and hasattr(frame, "get_columns"):  # polars
        return [(_name(column.name), column) for column in frame.get_columns()]
    if hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__dataframe__"):
        if getattr(frame, "ndim", 2) == 1:  # a column alone
            return None
        return frame_columns(_read_by_another(frame))
    return None


def _levels(index: Any, wanted: frozenset[str]) -> list[tuple[str, Any]]:
    """The levels of an index of pandas that have these names."""
    names = list(getattr(index, "names", ()))
    return [
        (name, index.get_level_values(place))
        for place, name in enumerate(names)
        if isinstance(name, str) and name in wanted
    ]


def _name(name: Any) -> str:
    """The name of a column, which is a number where nobody gave one."""
    if isinstance(name, (str, int)) and not isinstance(name, bool):
        return str(name)
    raise TypeError(f"the column {shown(name)} is not named by a text: name it by a str")


def _read_by_another(frame: Any) -> Any:
    """A frame of whichever library is there from one that only speaks Arrow."""
    kind = type(frame).__name__
    readers = []
    if hasattr(frame, "__arrow_c_stream__"):
        readers = [
            ("pyarrow", "table"),
            ("polars", "DataFrame"),
            ("pandas", "DataFrame.from_arrow"),
        ]
    if hasattr(frame, "__dataframe__"):
        readers.append(("pyarrow.interchange", "from_dataframe"))
        readers.append(("pandas.api.interchange", "from_dataframe"))
    refusals = []
    for library, path in readers:
        try:
            read: Any = __import__(library, fromlist=["_"])
            for part in path.split("."):
                read = getattr(read, part)
        except (ImportError, AttributeError):
            continue
        try:
            made = read(frame)
        except Exception as error:  # noqa: BLE001 (a foreign frame may raise anything)
            refusals.append(f"{library}: {type(error).__name__}: {error}")
            continue
        # What comes back is a frame of the library, and not read by another once more.
        if type(made) is not type(frame):
            return made
    if refusals:
        raise TypeError(f"{kind} cannot be read as a table ({'; '.join(refusals)[:300]})")
    raise TypeError(
        f"{kind} is read by pyarrow, polars or pandas, and none of them is installed: "
        "install one, or give a dict with a list for each column"
    )


def values_of(column: Any) -> list[Any]:
    """The values of a column as those of Python."""
    for name in ("to_pylist", "to_list", "tolist"):
        if callable(getattr(column, name, None)):
            values = getattr(column, name)()
            return values if isinstance(values, list) else [values]
    return list(column)


def known_values(column: Any) -> Any:
    """
    The scores of a column of a frame without those that are missing.

    Floats of NumPy if they are numbers, and else values of Python.
    """
    floats = _floats_of_column(column)
    if floats is None:
        return [value for value in values_of(column) if not is_missing(value)]
    import numpy

    missing = numpy.isnan(floats)
    return floats[~missing] if missing.any() else floats


def _floats_of_column(column: Any) -> Any:
    """A column of numbers as an array of floats, missing values as NaN; none of other columns."""
    if not hasattr(column, "to_numpy"):
        return None
    dtype = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
    if not dtype.startswith(("float", "double", "int", "uint")):
        return None
    try:
        import numpy

        array = column.to_numpy()
    except Exception:  # noqa: BLE001 (a foreign frame may raise anything)
        return None
    if not isinstance(array, numpy.ndarray) or array.dtype.kind not in "fiu" or array.ndim != 1:
        return None
    return numpy.ascontiguousarray(array, dtype=numpy.float64)


def table_columns(columns: Mapping[Any, Any]) -> list[tuple[str, Any]]:
    """
    The names and columns of a dict of columns.

    Raises
    ------
    TypeError
        If one is no column, or not named by a text.
    ValueError
        If they are not equally long.
    """
    found: list[tuple[str, Any]] = []
    for name, column in columns.items():
        text("the column", name)
        if isinstance(column, (str, bytes, Mapping)) or not isinstance(column, Iterable):
            raise TypeError(
                f"the column `{name}` is {type(column).__name__}: give a list or an array"
            )
        values = values_of(column)
        if found and len(values) != len(found[0][1]):
            raise ValueError(
                f"the columns `{found[0][0]}` and `{name}` have {len(found[0][1])} and "
                f"{len(values)} values: give one for each row"
            )
        found.append((name, values))
    return found


def vector(arm: str, value: Any) -> Any:
    """The scores of one arm as something to iterate over; masked ones are left out."""
    if isinstance(value, (str, bytes, bytearray, memoryview, Mapping, set, frozenset)) or not (
        isinstance(value, Iterable) or hasattr(value, "__array__")
    ):
        raise TypeError(
            f"the scores of the arm `{arm}` are {type(value).__name__}: give a list or an array"
        )
    compressed = getattr(value, "compressed", None)
    if hasattr(value, "mask") and callable(compressed):
        _one_dimension(arm, value)
        value = compressed()  # NumPy's masked arrays
    if not hasattr(value, "__array_interface__") and hasattr(value, "__array__"):
        import numpy

        value = numpy.asarray(value)
    _one_dimension(arm, value)
    if hasattr(value, "__array_interface__"):
        return floats(value)
    return value if isinstance(value, (list, tuple)) else list(value)


def _one_dimension(arm: str, value: Any) -> None:
    dimensions = getattr(value, "ndim", 1)
    if dimensions != 1:
        raise TypeError(
            f"the scores of the arm `{arm}` have {dimensions} dimensions: give one score an "
            "evaluation"
        )


def floats(array: Any) -> Any:
    """
    An array of NumPy as 64-bit floats beside each other: itself if it is that already.

    Values of Python of what are no numbers of at most 64 bits.
    """
    import numpy

    array = numpy.asarray(array)
    if array.dtype.kind in "fiub" and array.dtype.itemsize <= 8:
        return numpy.ascontiguousarray(array, dtype=numpy.float64)
    if array.dtype.kind == "f":
        with numpy.errstate(over="ignore"):
            return numpy.ascontiguousarray(array, dtype=numpy.float64)
    return array.tolist()
