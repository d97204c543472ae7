"""Operators of reductions."""

from __future__ import annotations

from typing import Any, Callable, Optional

from .datatypes import Datatype

Function = Callable[[Any, Any, Optional[Datatype]], Any]


class Op:
    """An operator: predefined, or made by ``Op.Create(function, commute)``."""

    def __init__(self, name: str, native: Optional[str], of_objects: Optional[Callable[[Any, Any], Any]], is_commutative: bool = True):
        self.name = name
        #: The library's name of the operator, for elements that the library combines.
        self.native = native
        self._of_objects = of_objects
        self._function: Optional[Function] = None
        self._is_commutative = is_commutative

    @classmethod
    def Create(cls, function: Function, commute: bool = False) -> Op:
        """Makes an operator: ``function(a, b, datatype)`` returns the result of two objects, or stores it in ``b`` if both are memory."""
        op = cls("user", None, None, commute)
        op._function = function
        return op

    def Free(self) -> None:
        pass

    def Is_commutative(self) -> bool:
        return self._is_commutative

    def Is_predefined(self) -> bool:
        return self._function is None

    is_commutative = property(Is_commutative)
    is_predefined = property(Is_predefined)

    def __call__(self, left: Any, right: Any) -> Any:
        """Combines two objects."""
        if self._function is not None:
            return self._function(left, right, None)
        if self._of_objects is None:
            raise ValueError(f"{self.name} does not combine objects")
        return self._of_objects(left, right)

    def of_bytes(self, left: bytes, right: bytes, datatype: Datatype) -> bytes:
        """Combines two vectors of elements that the library's operators do not combine."""
        if self._function is not None:
            into = bytearray(right)
            self._function(memoryview(left), memoryview(into), datatype)
            return bytes(into)
        import numpy

        aligned = numpy.dtype(datatype.element, align=True)
        one, other = numpy.frombuffer(left, aligned), numpy.frombuffer(right, aligned)
        if self.name in ("MAXLOC", "MINLOC"):
            if one.dtype.names is None:
                raise ValueError(f"{self.name} needs pairs, such as MPI.DOUBLE_INT, and not {datatype.name}")
            (value, place), sign = one.dtype.names, 1 if self.name == "MAXLOC" else -1
            further = sign * (other[value].astype("float64") - one[value].astype("float64"))
            takes_right = (further > 0) | ((other[value] == one[value]) & (other[place] < one[place]))
            return numpy.where(takes_right, other, one).astype(aligned).tobytes()
        raise ValueError(f"{self.name} does not combine {datatype.name}")

    def __repr__(self) -> str:
        return f"<Op {self.name}>"


def _max_loc(left: Any, right: Any) -> Any:
    if left[0] == right[0]:
        return left if left[1] <= right[1] else right
    return left if left[0] > right[0] else right


def _min_loc(left: Any, right: Any) -> Any:
    if left[0] == right[0]:
        return left if left[1] <= right[1] else right
    return left if left[0] < right[0] else right


#: The predefined operators by name.
OPS = {
    op.name: op
    for op in (
        Op("SUM", "sum", lambda left, right: left + right),
        Op("PROD", "product", lambda left, right: left * right),
        Op("MAX", "max", lambda left, right: right if right > left else left),
        Op("MIN", "min", lambda left, right: right if right < left else left),
        Op("LAND", "logical and", lambda left, right: bool(left) and bool(right)),
        Op("LOR", "logical or", lambda left, right: bool(left) or bool(right)),
        Op("LXOR", "logical xor", lambda left, right: bool(left) != bool(right)),
        Op("BAND", "bitwise and", lambda left, right: left & right),
        Op("BOR", "bitwise or", lambda left, right: left | right),
        Op("BXOR", "bitwise xor", lambda left, right: left ^ right),
        Op("MAXLOC", None, _max_loc),
        Op("MINLOC", None, _min_loc),
    )
}

_WHOLE = frozenset(("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"))


def native_name(op: Op, element: str) -> Optional[str]:
    """The library's operator for these elements; ``None`` if it has none."""
    if op.native is None:
        return None
    if element in _WHOLE:
        return op.native
    if element in ("float64", "float32"):
        return None if op.native.startswith("bitwise") else op.native
    if element in ("complex128", "complex64"):
        return op.native if op.native in ("sum", "product") else None
    if element == "bool":
        return {"sum": "logical or", "product": "logical and"}.get(op.native, op.native)
    return None
