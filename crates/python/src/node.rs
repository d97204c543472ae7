//! The functions that node programs call, through the classes of `multicomputer/node.py` and `multicomputer/MPI.py`.
//!
//! The global interpreter lock is released in every call that may wait. Ranks and tags below 0 have the meanings of mpi4py: [`ANY`], and
//! [`NULL`] for the null process.

use bytes::Bytes;
use multicomputer::{
    ANY_SOURCE, Payload, Rank, Select, Span, Tag, Time, all_to_all,
    collective::{Job, Operation},
    comm::{Message, Status},
};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    pybacked::{PyBackedBytes, PyBackedStr},
    types::PyBytes,
};

use crate::{
    call_error::CallError,
    calls::{self, Calls, GroupNumber, RequestNumber, To},
    error::exception,
    plan::PyAlgorithm,
    typed::{self, Reduction},
};

/// Any source, any tag: as in mpi4py.
const ANY: i64 = -1;
/// The null process.
const NULL: i64 = -2;

/// Longest data, in bytes, that are copied rather than referenced: dropping a reference to an object of Python without the lock costs more.
const COPIED: usize = 4096;

/// Data of Python: the name of the element type, and the bytes.
type Data = (Option<PyBackedStr>, PyBackedBytes);

/// A received message: source, tag, name of the element type, bytes.
type Received<'py> = (i64, i64, Option<&'static str>, Bound<'py, PyBytes>);

/// A time that no clock reaches.
const NEVER: f64 = f64::INFINITY;

/// Makes calls of the running node, without the lock.
fn call<T: Send>(
    py: Python<'_>,
    calls: impl FnOnce(&dyn Calls) -> Result<T, CallError> + Send,
) -> PyResult<T> {
    py.detach(|| calls::with(calls)).map_err(|error| error.raise(py))
}

/// Makes a call that neither waits nor takes time, with the lock.
fn ask<T>(py: Python<'_>, calls: impl FnOnce(&dyn Calls) -> Result<T, CallError>) -> PyResult<T> {
    calls::with(calls).map_err(|error| error.raise(py))
}

fn to(py: Python<'_>, rank: i64, tag: i64) -> PyResult<To> {
    Ok((if rank == NULL { None } else { Some(rank_of(py, rank)?) }, tag_of(py, tag)?))
}

fn rank_of(py: Python<'_>, rank: i64) -> PyResult<Rank> {
    Rank::try_from(rank)
        .map_err(|_| exception(py, "NoSuchRank", &format!("rank {rank} does not exist: ranks start at 0")))
}

fn tag_of(py: Python<'_>, tag: i64) -> PyResult<Tag> {
    let wrong =
        || exception(py, "CommError", &format!("tag {tag} is out of range: tags are 0 to {}", u32::MAX));
    u32::try_from(tag).map(Tag).map_err(|_| wrong())
}

fn select(py: Python<'_>, source: i64, tag: i64) -> PyResult<Select> {
    let tag = if tag == ANY { None } else { Some(tag_of(py, tag)?) };
    let select: Select = match source {
        ANY => ANY_SOURCE.into(),
        NULL => None.into(),
        rank => rank_of(py, rank)?.into(),
    };
    Ok(Select { tag, ..select })
}

fn payload(py: Python<'_>, (element, data): Data) -> PyResult<Payload> {
    let bytes = if data.len() <= COPIED { Bytes::copy_from_slice(&data) } else { Bytes::from_owner(data) };
    typed::payload(bytes, element.as_deref()).map_err(|error| error.raise(py))
}

fn bytes<'py>(py: Python<'py>, payload: &Payload) -> PyResult<Bound<'py, PyBytes>> {
    let data = payload.to_bytes().map_err(|error| exception(py, "CommError", &error.to_string()))?;
    Ok(PyBytes::new(py, &data))
}

fn received<'py>(py: Python<'py>, message: &Message) -> PyResult<Received<'py>> {
    let (source, tag) = status(message.status(), message.is_null());
    Ok((source, tag, typed::element_name(&message.payload), bytes(py, &message.payload)?))
}

fn status(status: Status, is_null: bool) -> (i64, i64) {
    match is_null {
        true => (NULL, ANY),
        false => (status.source as i64, i64::from(status.tag.0)),
    }
}

/// Converts a time in seconds; infinity is no deadline.
fn time(py: Python<'_>, seconds: f64) -> PyResult<Time> {
    if seconds == NEVER {
        return Ok(Time::MAX);
    }
    Ok(Time::ZERO + span(py, seconds)?)
}

fn span(py: Python<'_>, seconds: f64) -> PyResult<Span> {
    Span::try_from_secs_f64(seconds).map_err(|error| exception(py, "CommError", &error.to_string()))
}

/// Returns whether a node program runs on this thread.
#[pyfunction]
pub(crate) fn is_node() -> bool {
    calls::is_node()
}

/// Returns the rank of this node in the machine.
#[pyfunction]
pub(crate) fn node_rank(py: Python<'_>) -> PyResult<Rank> {
    ask(py, |calls| Ok(calls.rank()))
}

/// Returns this node's rank in a group, the group's size, and its name.
#[pyfunction]
pub(crate) fn describe(py: Python<'_>, group: GroupNumber) -> PyResult<(Rank, usize, String)> {
    ask(py, |calls| calls.describe(group))
}

#[pyfunction]
pub(crate) fn world_rank(py: Python<'_>, group: GroupNumber, rank: i64) -> PyResult<Rank> {
    let rank = rank_of(py, rank)?;
    ask(py, |calls| calls.world_rank(group, rank))
}

#[pyfunction]
#[pyo3(signature = (group, rank, tag, data, /))]
pub(crate) fn send(py: Python<'_>, group: GroupNumber, rank: i64, tag: i64, data: Data) -> PyResult<()> {
    let (to, data) = (to(py, rank, tag)?, payload(py, data)?);
    call(py, |calls| calls.send(group, to, data))
}

#[pyfunction]
#[pyo3(signature = (group, source, tag, /))]
pub(crate) fn recv(py: Python<'_>, group: GroupNumber, source: i64, tag: i64) -> PyResult<Received<'_>> {
    let from = select(py, source, tag)?;
    received(py, &call(py, |calls| calls.recv(group, from))?)
}

#[pyfunction]
#[pyo3(signature = (group, source, tag, deadline, /))]
pub(crate) fn recv_until(
    py: Python<'_>,
    group: GroupNumber,
    source: i64,
    tag: i64,
    deadline: f64,
) -> PyResult<Received<'_>> {
    let (from, deadline) = (select(py, source, tag)?, time(py, deadline)?);
    received(py, &call(py, |calls| calls.recv_until(group, from, deadline))?)
}

#[pyfunction]
#[pyo3(signature = (group, rank, tag, data, source, source_tag, /))]
pub(crate) fn sendrecv(
    py: Python<'_>,
    group: GroupNumber,
    rank: i64,
    tag: i64,
    data: Data,
    source: i64,
    source_tag: i64,
) -> PyResult<Received<'_>> {
    let (to, data, from) = (to(py, rank, tag)?, payload(py, data)?, select(py, source, source_tag)?);
    received(py, &call(py, |calls| calls.sendrecv(group, to, data, from))?)
}

#[pyfunction]
#[pyo3(signature = (group, rank, tag, data, /))]
pub(crate) fn isend(
    py: Python<'_>,
    group: GroupNumber,
    rank: i64,
    tag: i64,
    data: Data,
) -> PyResult<RequestNumber> {
    let (to, data) = (to(py, rank, tag)?, payload(py, data)?);
    call(py, |calls| calls.isend(group, to, data))
}

#[pyfunction]
#[pyo3(signature = (group, source, tag, /))]
pub(crate) fn irecv(py: Python<'_>, group: GroupNumber, source: i64, tag: i64) -> PyResult<RequestNumber> {
    let from = select(py, source, tag)?;
    call(py, |calls| calls.irecv(group, from))
}

/// Waits for a request; returns the message of a receive.
#[pyfunction]
#[pyo3(signature = (request, /))]
pub(crate) fn wait(py: Python<'_>, request: RequestNumber) -> PyResult<Option<Received<'_>>> {
    let message = call(py, |calls| calls.wait(request))?;
    message.map(|message| received(py, &message)).transpose()
}

/// Tests a request: whether it is complete, and the message of a receive.
#[pyfunction]
#[pyo3(signature = (request, /))]
pub(crate) fn test(py: Python<'_>, request: RequestNumber) -> PyResult<(bool, Option<Received<'_>>)> {
    let complete = call(py, |calls| calls.test(request))?;
    let message = complete.as_ref().and_then(Option::as_ref).map(|message| received(py, message));
    Ok((complete.is_some(), message.transpose()?))
}

/// Waits for the first complete request: its index, and the message of a receive. `None` at the deadline.
#[pyfunction]
#[pyo3(signature = (requests, deadline, /))]
pub(crate) fn wait_any(
    py: Python<'_>,
    requests: Vec<RequestNumber>,
    deadline: f64,
) -> PyResult<Option<(usize, Option<Received<'_>>)>> {
    let deadline = time(py, deadline)?;
    let complete = call(py, |calls| calls.wait_any(&requests, deadline))?;
    let Some((index, message)) = complete else { return Ok(None) };
    Ok(Some((index, message.map(|message| received(py, &message)).transpose()?)))
}

/// Drops a request. A request of another node or run is left alone.
#[pyfunction]
#[pyo3(signature = (request, /))]
pub(crate) fn forget(request: RequestNumber) {
    let _ = calls::with(|calls| {
        calls.forget(request);
        Ok(())
    });
}

/// Returns source, tag and bytes of a message that can be received; waits for a message if `blocking`.
#[pyfunction]
#[pyo3(signature = (group, source, tag, blocking, /))]
pub(crate) fn probe(
    py: Python<'_>,
    group: GroupNumber,
    source: i64,
    tag: i64,
    blocking: bool,
) -> PyResult<Option<(i64, i64, u64)>> {
    let from = select(py, source, tag)?;
    let found = call(py, |calls| calls.probe(group, from, blocking))?;
    Ok(found.map(|found| {
        let (source, tag) = status(found, source == NULL);
        (source, tag, found.bytes)
    }))
}

#[pyfunction]
pub(crate) fn barrier(py: Python<'_>, group: GroupNumber) -> PyResult<()> {
    call(py, |calls| calls.barrier(group))
}

#[pyfunction]
pub(crate) fn subgroup(py: Python<'_>, group: GroupNumber, ranks: Vec<Rank>) -> PyResult<GroupNumber> {
    call(py, |calls| calls.subgroup(group, &ranks))
}

#[pyfunction]
pub(crate) fn split(
    py: Python<'_>,
    group: GroupNumber,
    color: Option<usize>,
    key: usize,
) -> PyResult<Option<GroupNumber>> {
    call(py, |calls| calls.split(group, color, key))
}

/// Returns the group of this node's row, or of its column.
#[pyfunction]
pub(crate) fn line(py: Python<'_>, is_row: bool) -> PyResult<GroupNumber> {
    call(py, |calls| calls.line(is_row))
}

/// Returns the node's clock in seconds.
#[pyfunction]
pub(crate) fn now(py: Python<'_>) -> PyResult<f64> {
    Ok(call(py, |calls| calls.now())?.as_secs_f64())
}

/// Returns the node's clock in picoseconds.
#[pyfunction]
pub(crate) fn now_ps(py: Python<'_>) -> PyResult<u64> {
    Ok(call(py, |calls| calls.now())?.as_picos())
}

#[pyfunction]
pub(crate) fn compute(py: Python<'_>, seconds: f64) -> PyResult<()> {
    let span = span(py, seconds)?;
    call(py, |calls| calls.compute(span))
}

#[pyfunction]
pub(crate) fn begin_phase(py: Python<'_>, name: &str) -> PyResult<()> {
    call(py, |calls| calls.begin_phase(name))
}

#[pyfunction]
pub(crate) fn end_phase(py: Python<'_>) -> PyResult<()> {
    call(py, |calls| {
        calls.end_phase();
        Ok(())
    })
}

fn operation_named(name: &str) -> PyResult<Operation> {
    Operation::named(name).ok_or_else(|| PyValueError::new_err(format!("unknown operation `{name}`")))
}

/// Carries out an operation that moves bytes. `lengths` has the bytes of the whole vector (one number and a broadcast) or of each block.
#[pyfunction]
#[pyo3(signature = (group, operation, root, lengths, data, algorithm, /))]
pub(crate) fn carry_out<'py>(
    py: Python<'py>,
    group: GroupNumber,
    operation: &str,
    root: Rank,
    lengths: Vec<usize>,
    data: PyBackedBytes,
    algorithm: Option<&PyAlgorithm>,
) -> PyResult<Bound<'py, PyBytes>> {
    let operation = operation_named(operation)?;
    let job = match lengths[..] {
        [whole] if operation == Operation::Broadcast => Job::bytes(operation, whole),
        _ => Job::bytes(operation, lengths),
    };
    let job = job.root(root);
    let (mine, algorithm) = (payload(py, (None, data))?, PyAlgorithm::collective(algorithm));
    let result = call(py, |calls| calls.carry_out(group, algorithm, &job, mine))?;
    bytes(py, &result)
}

/// Carries out an operation that combines elements by an operator of the library.
#[pyfunction]
#[pyo3(signature = (group, operation, root, elements, element, operator, data, algorithm, /))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn combine<'py>(
    py: Python<'py>,
    group: GroupNumber,
    operation: &str,
    root: Rank,
    elements: Vec<u64>,
    element: String,
    operator: String,
    data: PyBackedBytes,
    algorithm: Option<&PyAlgorithm>,
) -> PyResult<Bound<'py, PyBytes>> {
    let operation = operation_named(operation)?;
    let mine = payload(py, (None, data))?;
    let algorithm = PyAlgorithm::collective(algorithm);
    let reduction = Reduction { operation, root, element, operator, elements };
    let result = call(py, |calls| calls.combine(group, algorithm, &reduction, mine))?;
    bytes(py, &result)
}

/// Exchanges one vector of bytes with each rank; `is_even` states that all have one length, on all members.
#[pyfunction]
#[pyo3(signature = (group, data, is_even, algorithm, /))]
pub(crate) fn exchange<'py>(
    py: Python<'py>,
    group: GroupNumber,
    data: Vec<PyBackedBytes>,
    is_even: bool,
    algorithm: Option<&str>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let algorithm: all_to_all::Algorithm = match algorithm {
        None => all_to_all::Algorithm::AUTO,
        Some(name) => name.parse().map_err(|error| exception(py, "PlanError", &format!("{error}")))?,
    };
    let mine = data.into_iter().map(|data| payload(py, (None, data))).collect::<PyResult<Vec<_>>>()?;
    let incoming = call(py, |calls| calls.all_to_all(group, algorithm, mine, is_even))?;
    incoming.iter().map(|payload| bytes(py, payload)).collect()
}
