"""Status and requests."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

from .. import _native
from .constants import ANY_SOURCE, ANY_TAG, UNDEFINED
from .datatypes import DATATYPES, Datatype
from .missing import missing

#: What the library returns of a received message: source, tag, name of the element type, bytes.
Received = Tuple[int, int, Optional[str], bytes]
_NEVER = float("inf")


class Status:
    """Source, tag and length of a message."""

    def __init__(self, status: Optional[Status] = None):
        self.source: int = ANY_SOURCE if status is None else status.source
        self.tag: int = ANY_TAG if status is None else status.tag
        self.error = 0
        self.count: int = 0 if status is None else status.count

    def _set(self, source: int, tag: int, nbytes: int) -> None:
        self.source, self.tag, self.count = source, tag, nbytes

    def Get_source(self) -> int:
        return self.source

    def Get_tag(self) -> int:
        return self.tag

    def Get_error(self) -> int:
        return self.error

    def Get_count(self, datatype: Datatype = DATATYPES["BYTE"]) -> int:
        """The number of elements; UNDEFINED if the bytes are no whole number of them."""
        return self.count // datatype.size if self.count % datatype.size == 0 else UNDEFINED

    Get_elements = Get_count

    def Is_cancelled(self) -> bool:
        return False


class Request:
    """A send or a receive in progress."""

    def __init__(self, number: Optional[int] = None, convert: Optional[Callable[[Received], Any]] = None):
        self._number = number
        self._convert = convert
        #: The result of a test that has completed the request, until all requests of `testall` are complete.
        self._held: Optional[Tuple[Any]] = None

    def _complete(self, received: Optional[Received], status: Optional[Status]) -> Any:
        self._number = None
        if received is None:
            return None
        if status is not None:
            status._set(received[0], received[1], len(received[3]))
        return None if self._convert is None else self._convert(received)

    def wait(self, status: Optional[Status] = None) -> Any:
        """Waits, and returns the received object."""
        return None if self._number is None else self._complete(_native.wait(self._number), status)

    def Wait(self, status: Optional[Status] = None) -> bool:
        self.wait(status)
        return True

    def test(self, status: Optional[Status] = None) -> Tuple[bool, Any]:
        """Tests: whether the request is complete, and the received object."""
        if self._number is None:
            return True, None
        complete, received = _native.test(self._number)
        return (True, self._complete(received, status)) if complete else (False, None)

    def Test(self, status: Optional[Status] = None) -> bool:
        return self.test(status)[0]

    def Free(self) -> None:
        if self._number is not None:
            _native.forget(self._number)
            self._number = None

    @classmethod
    def waitall(cls, requests: Sequence[Request], statuses: Optional[List[Status]] = None) -> List[Any]:
        results = []
        for index, request in enumerate(requests):
            status = Status()
            results.append(request.wait(status))
            if statuses is not None:
                if index < len(statuses):
                    statuses[index]._set(status.source, status.tag, status.count)
                else:
                    statuses.append(status)
        return results

    @classmethod
    def Waitall(cls, requests: Sequence[Request], statuses: Optional[List[Status]] = None) -> bool:
        cls.waitall(requests, statuses)
        return True

    @classmethod
    def waitany(cls, requests: Sequence[Request], status: Optional[Status] = None) -> Tuple[int, Any]:
        """Waits for the first complete request: its index (UNDEFINED if there is none), and the received object."""
        numbers = [(index, request._number) for index, request in enumerate(requests)]
        open_ones = [(index, number) for index, number in numbers if number is not None]
        complete = _native.wait_any([number for _, number in open_ones], _NEVER) if open_ones else None
        if complete is None:
            return UNDEFINED, None
        nth, received = complete
        index, _ = open_ones[nth]
        return index, requests[index]._complete(received, status)

    @classmethod
    def Waitany(cls, requests: Sequence[Request], status: Optional[Status] = None) -> int:
        return cls.waitany(requests, status)[0]

    @classmethod
    def testall(cls, requests: Sequence[Request], statuses: Optional[List[Status]] = None) -> Tuple[bool, Any]:
        """Tests all; their results are returned once all are complete."""
        for request in requests:
            if request._held is None:
                complete, result = request.test()
                request._held = (result,) if complete else None
        held = [request._held for request in requests if request._held is not None]
        if len(held) < len(requests):
            return False, None
        for request in requests:
            request._held = None
        return True, [result for (result,) in held]

    @classmethod
    def Testall(cls, requests: Sequence[Request], statuses: Optional[List[Status]] = None) -> bool:
        return cls.testall(requests, statuses)[0]

    @classmethod
    def testany(cls, requests: Sequence[Request], status: Optional[Status] = None) -> Tuple[int, bool, Any]:
        open_ones = [(index, request) for index, request in enumerate(requests) if request._number is not None]
        for index, request in open_ones:
            complete, result = request.test(status)
            if complete:
                return index, True, result
        return UNDEFINED, not open_ones, None

    @classmethod
    def Testany(cls, requests: Sequence[Request], status: Optional[Status] = None) -> Tuple[int, bool]:
        return cls.testany(requests, status)[:2]

    @classmethod
    def waitsome(cls, requests: Sequence[Request], statuses: Optional[List[Status]] = None) -> Tuple[Optional[List[int]], Optional[List[Any]]]:
        index, result = cls.waitany(requests)
        return (None, None) if index == UNDEFINED else ([index], [result])

    @classmethod
    def Waitsome(cls, requests: Sequence[Request], statuses: Optional[List[Status]] = None) -> Optional[List[int]]:
        return cls.waitsome(requests, statuses)[0]

    def __bool__(self) -> bool:
        return self._number is not None

    def __del__(self) -> None:
        number = self.__dict__.get("_number")
        # At the end of the process the module may be gone.
        if number is not None and _native is not None:
            _native.forget(number)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        missing("Request.", name)


class Prequest(Request):
    """A persistent request, started by ``Start`` any number of times."""

    def __init__(self, start: Callable[[], Request]):
        super().__init__()
        self._start = start

    def Start(self) -> None:
        request = self._start()
        self._number, self._convert, request._number = request._number, request._convert, None

    @classmethod
    def Startall(cls, requests: Sequence[Prequest]) -> None:
        for request in requests:
            request.Start()


REQUEST_NULL = Request()
