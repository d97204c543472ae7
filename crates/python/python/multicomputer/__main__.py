"""``python -m multicomputer run --machine paragon:4x4 script.py [arguments]``: runs a script on every node."""

from __future__ import annotations

import argparse
import io
import os
import sys
import threading
import traceback
import types
from types import CodeType
from typing import Any, List, Optional, TextIO

from .errors import Error, NodeError
from .machine import Machine
from .node import Node


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m multicomputer", description="Run message-passing programs in modeled time.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="Run a script on every node of a machine")
    run.add_argument("--machine", "-m", default="paragon:2x2", help="Machine, such as paragon:4x4 or a .toml file (default: paragon:2x2)")
    run.add_argument("--nodes", "-n", type=int, help="Use a fully connected machine of this many nodes instead")
    run.add_argument("--clock", default="virtual", choices=["virtual", "real", "host"], help="Clock (default: virtual)")
    run.add_argument("--rendezvous", type=int, metavar="BYTES", help="Let sends of this length or more wait for their receives")
    run.add_argument("--wall-limit", type=float, metavar="SECONDS", help="Limit of wall-clock time")
    run.add_argument("--report", action="store_true", help="Print the report of the run")
    run.add_argument("--explain", action="store_true", help="Print where the time went")
    run.add_argument("--trace", metavar="FILE", help="Write a Chrome trace")
    run.add_argument("--space-time", metavar="FILE", help="Write a space-time diagram (SVG)")
    run.add_argument("--replay", metavar="FILE", help="Write a page that replays the run")
    run.add_argument("script", help="The script")
    run.add_argument("arguments", nargs=argparse.REMAINDER, help="Arguments of the script")
    return parser


def main(given: Optional[List[str]] = None) -> int:
    """Runs the command line; returns the exit status."""
    options = _parser().parse_args(given)
    is_traced = any((options.explain, options.trace, options.space_time, options.replay))
    before = sys.argv, sys.path[:], sys.modules["__main__"], sys.stdout
    sys.argv = [options.script, *options.arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.script)))
    sys.modules["__main__"] = _Main("__main__")
    sys.stdout = _Lines(sys.stdout)
    try:
        machine = Machine(
            f"complete:{options.nodes}" if options.nodes else options.machine,
            clock=options.clock,
            trace=is_traced,
            rendezvous=options.rendezvous,
            wall_limit=options.wall_limit,
        )
        with open(options.script, "rb") as file:
            code = compile(file.read(), options.script, "exec")
        finished = machine.run(_script, code, options.script)
    except NodeError as error:
        if error.__cause__ is not None:
            traceback.print_exception(type(error.__cause__), error.__cause__, error.__cause__.__traceback__)
        print(error, file=sys.stderr)
        return 1
    except (Error, OSError, SyntaxError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    finally:
        sys.argv, sys.path[:], sys.modules["__main__"], sys.stdout = before
    if options.report:
        print(finished)
    if options.explain:
        print(finished.explain()["text"])
    if options.trace:
        finished.write_trace(options.trace)
    if options.space_time:
        finished.space_time().save(options.space_time)
    if options.replay:
        finished.replay(options.script).save(options.replay)
    return 0


class _Main(types.ModuleType):
    """The module ``__main__`` of all nodes: each thread finds the names of its own script, as pickling does for classes."""

    _scopes = threading.local()

    def __getattr__(self, name: str) -> Any:
        try:
            return self._scopes.scope[name]
        except (AttributeError, KeyError):
            raise AttributeError(f"module '__main__' has no attribute {name!r}") from None


class _Lines(io.TextIOBase):
    """Standard output of all nodes: what a node prints is written by whole lines, so that no line has parts of two nodes."""

    def __init__(self, to: TextIO):
        self._to = to
        self._threads = threading.local()

    def write(self, text: str) -> int:
        whole, end, rest = (getattr(self._threads, "begun", "") + text).rpartition("\n")
        self._threads.begun = rest
        if end:
            self._to.write(whole + end)
        return len(text)

    def flush(self) -> None:
        begun, self._threads.begun = getattr(self._threads, "begun", ""), ""
        self._to.write(begun)
        self._to.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._to, name)


def _script(node: Node, code: CodeType, path: str) -> None:
    """Runs the script on this node's thread, with globals of its own."""
    scope = {"__name__": "__main__", "__file__": path, "__builtins__": __builtins__}
    _Main._scopes.scope = scope
    try:
        exec(code, scope)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
    finally:
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
