"""Places in the Python program: file and line of the innermost frame outside of this package."""

from __future__ import annotations

import os
import sys
from types import CodeType
from typing import Optional

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _is_foreign(code: CodeType) -> bool:
    return not code.co_filename.startswith(_PACKAGE)


def caller() -> str:
    """Returns the place of the call of the program that is in progress on this thread."""
    frame = sys._getframe(1)
    while frame.f_back is not None and not _is_foreign(frame.f_code):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def of_exception(error: BaseException) -> Optional[str]:
    """Returns the innermost place of the program in an exception's traceback."""
    place, traceback = None, error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if _is_foreign(code):
            place = f"{code.co_filename}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place
