"""Errors that name what ``multicomputer.MPI`` lacks."""

from __future__ import annotations

from typing import NoReturn

#: Families of names that mpi4py has, and what to do instead.
_FAMILIES = (
    (("Win",), "one-sided communication (windows) is missing: send messages instead"),
    (("File",), "parallel files are missing: use Python's files"),
    (("Intercomm", "Create_intercomm", "Spawn", "Accept", "Connect", "Join"), "intercommunicators and spawned processes are missing"),
    (("Create_graph", "Create_dist_graph", "Graphcomm", "Distgraphcomm", "Neighbor", "neighbor"), "graph topologies are missing: use Create_cart"),
    (("Create_vector", "Create_struct", "Create_subarray", "Create_contiguous", "Create_indexed", "Create_hvector"),
     "derived datatypes are missing: send numpy.ascontiguousarray of the part"),
    (("Ssend", "ssend", "Issend", "issend"), "synchronous sends are missing: build the machine with rendezvous=0, and every send is synchronous"),
    (("Bsend", "bsend", "Ibsend", "ibsend", "Attach_buffer", "Detach_buffer"),
     "buffered sends are missing: a send does not wait for its receive unless the machine has a rendezvous threshold"),
    (("Ibcast", "Igather", "Iscatter", "Iall", "Ireduce", "Ibarrier", "Iscan", "Iexscan"), "nonblocking collective operations are missing"),
    (("Mprobe", "mprobe", "Improbe", "improbe", "Message"), "matched probes are missing: use Probe"),
    (("Split_type",), "Split_type is missing: use Split"),
)


def missing(owner: str, name: str) -> NoReturn:
    """Raises an AttributeError that names what is missing."""
    for names, text in _FAMILIES:
        if name.startswith(names):
            raise AttributeError(f"multicomputer.MPI has no {owner}{name}: {text}")
    raise AttributeError(f"multicomputer.MPI has no {owner}{name}; docs/python.md lists what it has")
