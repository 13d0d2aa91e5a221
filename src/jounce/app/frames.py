"""Columns of numbers over the network: one binary frame.

    uint32 (little endian) n | n bytes of JSON, filled up with spaces | columns, one after the other, float64

``4 + n`` is a multiple of eight, so that a browser can put a ``Float64Array`` on each column without copying. The head
has ``rows`` and ``channels``; each channel is a column of so many rows. What else stands there is the sender's.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError
from jounce.core.limits import parse_json

Array = npt.NDArray[np.float64]
SIZE = struct.Struct("<I")


def pack(columns: Mapping[str, npt.ArrayLike], **head: Any) -> bytes:
    """A frame of columns of equal length, in their order."""
    arrays = [np.ascontiguousarray(values, dtype="<f8") for values in columns.values()]
    rows = len(arrays[0]) if arrays else 0
    if any(item.shape != (rows,) for item in arrays):
        raise FormatError(f"columns of a frame: lengths {[len(item) for item in arrays]}, expected one length")
    text = json.dumps({"rows": rows, "channels": list(columns), **head}, ensure_ascii=False).encode()
    text += b" " * (-(len(text) + SIZE.size) % 8)
    return b"".join([SIZE.pack(len(text)), text, *(item.tobytes() for item in arrays)])


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """Head and columns of a frame."""
    try:
        (length,) = SIZE.unpack_from(data)
        head = parse_json(data[SIZE.size : SIZE.size + length], "its head")
        names, rows = head["channels"], head["rows"]
        if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
            raise TypeError("channels: expected names")
        if type(rows) is not int or not 0 <= rows * max(1, len(names)) <= len(data):
            raise ValueError(f"rows: {str(rows)[:40]} are not in it")
        body = np.frombuffer(data, "<f8", rows * len(names), offset=SIZE.size + length).reshape(len(names), rows)
    except (struct.error, FormatError, ValueError, KeyError, TypeError) as problem:
        raise FormatError(f"not a frame of columns: {problem}") from None
    return head, dict(zip(names, body, strict=True))


def extremes(time: Array, columns: Sequence[Array], points: int) -> tuple[Array, list[Array]]:
    """At most about ``points`` rows that look like all of them: of every bucket of rows the smallest and largest value.

    Every bucket gives two rows, at its first and its middle instant; a channel puts its smallest and largest value
    there in the order in which they occur. A value that is not a number is left out where its bucket has others.
    """
    n = len(time)
    if points < 4 or n <= points:
        return time, list(columns)
    size = -(-n // (points // 2))
    buckets = -(-n // size)
    fill = buckets * size - n
    at = np.minimum(np.arange(buckets) * size, n - 1)
    middle = np.minimum(at + max(size // 2, 1), n - 1)
    shown = np.empty(2 * buckets)
    shown[0::2], shown[1::2] = time[at], time[middle]
    shown[-1] = time[-1]
    result = []
    for values in columns:
        padded = np.concatenate([values, np.full(fill, values[-1])]) if fill else values
        grid = padded.reshape(buckets, size)
        low = np.where(np.isnan(grid), np.inf, grid).argmin(axis=1)
        high = np.where(np.isnan(grid), -np.inf, grid).argmax(axis=1)
        rows = np.arange(buckets)
        first, second = np.minimum(low, high), np.maximum(low, high)
        pair = np.empty(2 * buckets)
        pair[0::2], pair[1::2] = grid[rows, first], grid[rows, second]
        result.append(pair)
    return shown, result
