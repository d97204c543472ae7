"""Studies as frames: axes x algorithms -> rows. docs/studies.md of the project explains axes, values and columns."""

from __future__ import annotations

import os
import struct
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

from . import _native
from .errors import StudyError

__all__ = ["repeats", "study"]

#: Name, ``"text"`` or the format of the values, values, and a byte for each row that is 1 if the value is missing, of each column.
Columns = Sequence[Tuple[str, str, Any, Optional[bytearray]]]

#: Columns of one row that do not describe all repeats.
_OF_ONE_ROW = ["case", "seed", "time", "time_ps", "ratio", "messages", "bytes_sent", "waiting"]


def study(
    study: Union[str, os.PathLike[str], Sequence[str]] = "broadcast",
    /,
    *,
    shard: Optional[str] = None,
    progress: Optional[Callable[[int, int], Any]] = None,
    **values: Any,
) -> Any:
    """Computes all combinations of the values of the axes for each algorithm, and returns a pandas DataFrame (a polars one if there is no
    pandas) with a row for each case and algorithm.

    Values of an axis are one value, a list or a range of values, or a text in the syntax of the command line: ``"1,2,5"``, ``"16..1024"``
    (doubling), ``"1..30+1"`` (steps). Numbers are in the units below; texts have units of their own: ``"10us"``, ``"1ns/B"``, ``"64K"``.

    ============================================================ ==========================================================
    ``operation``, ``root``                                      operations (also the first argument); roots
    ``machine``, ``nodes``, ``shape``, ``ports``, ``placement``  names of machines, with their size or without; sizes
    ``alpha``, ``send_overhead``, ``receive_overhead``,          parameters in seconds
    ``exchange_overhead``, ``latency``, ``hop``, ``gamma``
    ``beta``; ``link_excess``                                    seconds per byte; a ratio
    ``bytes``, ``rendezvous``                                    bytes
    ``distribution``, ``sources``; ``fan_out``, ``skew``         s-to-p broadcasts; all-to-alls
    ``effort``, ``clock``, ``noise``, ``fault``, ``seed``        as in docs/studies.md
    ============================================================ ==========================================================

    Columns have the names of the rows in docs/studies.md. Times are seconds (``time``, ``predicted``, ``bound``, ``waiting``, ``alpha``, ..),
    ``time_ps``, ``predicted_ps`` and ``bound_ps`` are whole picoseconds, ``beta`` is seconds per byte. A missing value does not apply;
    ``restriction`` says why a row has no time. ``frame.attrs["study"]`` is the study as text, from which ``study`` computes the frame again.

    Ctrl-C raises KeyboardInterrupt at once. The lock of Python is released while rows are computed.

    Args:
        study: Operations, the path of a study file (``.toml``), or the text of one, whose values the keywords replace.
        shard: A part of the study, such as ``"3/16"``; the frames of all parts together have all rows.
        progress: Called now and then with the numbers of finished cases and of all cases.
        values: Values of axes, and settings: ``algorithm`` (names or ``"all"``; default ``"auto"``), ``title``, ``run`` (``"needed"``,
            ``"all"``, ``"none"``), ``phantom``, ``element`` (bytes), ``in_order``.

    Raises:
        StudyError: An axis, a value, an algorithm or the file is wrong, or no case has a time.
        ImportError: Neither pandas nor polars is installed.
    """
    _library()
    given = os.fspath(study) if isinstance(study, os.PathLike) else study
    text, columns = _native.study_rows(given, values, shard, progress)
    return _frame(columns, text)


def repeats(frame: Any) -> Any:
    """Summarizes the rows of a frame of :func:`study` that differ in their seed only.

    The frame that is returned has a row for each case without its seed and each algorithm, with the number of times (``repeats``), their
    ``mean``, ``median``, ``min`` and ``max``, and the ends of the 95 % interval of the mean (``lower``, ``upper``: percentile bootstrap, 2000
    resamples, fixed seed), all in seconds.

    Raises:
        StudyError: The frame has no ``attrs["study"]``.
    """
    study = getattr(frame, "attrs", {}).get("study")
    if study is None:
        raise StudyError('the frame has no attrs["study"]: pass a frame of multicomputer.study, or copy its attrs')
    times = [None if time is None or time != time else time for time in frame["time"].to_list()]
    rows, columns = _native.study_repeats(study, frame["case"].to_list(), frame["algorithm"].to_list(), times)
    return _joined(frame, rows, _frame(columns, study))


def _library() -> Any:
    """pandas, or polars if there is no pandas."""
    try:
        import pandas  # type: ignore[import-untyped, unused-ignore]

        return pandas
    except ImportError:
        pass
    try:
        import polars  # type: ignore[import-not-found, unused-ignore]

        return polars
    except ImportError:
        raise ImportError("a study returns a frame: install pandas or polars") from None


def _frame(columns: Columns, study: str) -> Any:
    """A frame that knows its study."""
    library = _library()
    values = _of_pandas if library.__name__ == "pandas" else _of_polars
    frame = library.DataFrame({name: values(*column) for name, *column in columns})
    frame.attrs = {"study": study}
    return frame


def _of_pandas(format: str, data: Any, missing: Optional[bytearray]) -> Any:
    """The values of a column: an array of NumPy, if none is missing or they are floats; an array of pandas otherwise."""
    import numpy
    import pandas  # type: ignore[import-untyped, unused-ignore]

    if format == "text":
        return data
    values = numpy.frombuffer(data, format)
    if missing is None or format == "d":
        return values
    masked = pandas.arrays.BooleanArray if format == "?" else pandas.arrays.IntegerArray
    return masked(values, numpy.frombuffer(missing, "?"))


def _of_polars(format: str, data: Any, missing: Optional[bytearray]) -> Any:
    """The values of a column as a series of polars."""
    import polars  # type: ignore[import-not-found, unused-ignore]

    types = {"text": polars.String, "q": polars.Int64, "d": polars.Float64, "?": polars.Boolean}
    values = data if format == "text" else [value for (value,) in struct.iter_unpack(format, data)]
    if missing is not None:
        values = [None if is_missing else value for value, is_missing in zip(values, missing)]
    return polars.Series(values, dtype=types[format])


def _joined(frame: Any, rows: List[int], summary: Any) -> Any:
    """Rows of a frame, without the columns of one row, beside their summaries."""
    if hasattr(frame, "iloc"):
        joined = frame.iloc[rows].drop(columns=_OF_ONE_ROW).reset_index(drop=True).join(summary)
    else:
        joined = frame[rows].drop(_OF_ONE_ROW).hstack(summary)
    joined.attrs = summary.attrs
    return joined
