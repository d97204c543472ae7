"""Machines that pass messages, emulated in exact modeled time: plan operations, run programs, see where the time goes.

>>> import multicomputer as mc
>>> machine = mc.Machine("paragon:4x4")
>>> run = machine.run(lambda node: node.world.all_reduce(float(node.rank)))
>>> run.outputs[0]
120.0

``multicomputer.MPI`` has the interface of mpi4py. docs/python.md of the project explains the package.
"""

from __future__ import annotations

# Modules that native code imports for errors are imported here: an interruption of a node's thread inside its first import of a module would
# leave the lock of the import system held.
from . import _places, errors  # noqa: F401
from ._native import Algorithm, Goal, Msccl, Plan
from .errors import *  # noqa: F401,F403
from .machine import Machine, Page, Picture, Run, algorithms, operations, plan, replay
from .node import ANY, Group, Message, Node, Request, Status, current_node, wait_all, wait_any
from .studies import repeats, study

__all__ = [
    "ANY", "Algorithm", "Goal", "Group", "Machine", "Message", "Msccl", "Node", "Page", "Picture", "Plan", "Request", "Run", "Status",
    "algorithms", "current_node", "operations", "plan", "repeats", "replay", "study", "wait_all", "wait_any", *errors.__all__,
]
