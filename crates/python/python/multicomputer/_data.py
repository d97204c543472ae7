"""Data of messages: objects as bytes with the name of an element type, and back.

bytes and other objects with a buffer are sent as they are; NumPy arrays with the name of their element type, which does not count towards
the length; everything else is pickled.
"""

from __future__ import annotations

import pickle
import sys
from typing import Any, Optional, Tuple

#: The name of an element type (``None``: plain bytes), and the bytes.
Packed = Tuple[Optional[str], bytes]

PICKLE = "pickle"

#: NumPy element types that are sent without pickling.
ELEMENTS = frozenset((
    "float64", "float32", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool", "complex128", "complex64",
))


def is_array(data: Any) -> bool:
    """Whether an object is a NumPy array. NumPy is not imported for this."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(data, numpy.ndarray)


def pickled(data: Any) -> Packed:
    return PICKLE, pickle.dumps(data, pickle.HIGHEST_PROTOCOL)


def pack(data: Any) -> Packed:
    """Converts an object to what is sent."""
    kind = type(data)
    if kind is bytes:
        return None, data
    if kind in (bytearray, memoryview):
        return None, bytes(data)
    if is_array(data):
        name = data.dtype.name
        if name in ELEMENTS and data.dtype.isnative:
            return name, data.tobytes()
        return pickled(data)
    if kind.__module__ == "array" and kind.__name__ == "array":
        return None, data.tobytes()
    return pickled(data)


def unpack(element: Optional[str], data: bytes) -> Any:
    """Converts what was received to an object. Arrays are flat and writable."""
    if element is None:
        return data
    if element == PICKLE:
        return pickle.loads(data)
    import numpy

    return numpy.frombuffer(bytearray(data), element)


def view(buffer: Any, writable: bool = False) -> memoryview:
    """The bytes of a contiguous buffer."""
    if is_array(buffer):
        if not (buffer.flags.c_contiguous or buffer.flags.f_contiguous):
            raise ValueError("the array is not contiguous: pass numpy.ascontiguousarray(array)")
        whole = memoryview(buffer.reshape(-1, order="A").view("uint8")) if buffer.size else memoryview(bytearray())
    else:
        whole = memoryview(buffer)
        if not whole.c_contiguous:
            raise ValueError("the buffer is not contiguous")
        whole = whole.cast("B")
    if writable and whole.readonly:
        raise ValueError("the buffer is read-only: receive into a bytearray or a writable array")
    return whole


def fill(buffer: Any, data: bytes) -> None:
    """Copies bytes to the beginning of a buffer."""
    into = view(buffer, writable=True)
    if len(data) > len(into):
        raise ValueError(f"the message has {len(data)} bytes, but the buffer has only {len(into)}")
    into[: len(data)] = data
