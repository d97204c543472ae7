//! Errors of the library as exceptions of Python, which are defined in `multicomputer/errors.py`.

use multicomputer::{
    error::{BlockedNode, CommError, DeadlockReport, RunError},
    plan::PlanError,
};
use pyo3::{prelude::*, types::PyDict};

use crate::{call_error::CallError, calls};

/// Calls that fail by an ordinary exception after the end of a run. The next one ends a program that catches those; it comes before the
/// library's own limit, at which it unwinds the thread.
const MAX_CALLS_AFTER_END: u32 = 8;

impl CallError {
    /// Converts the error to an exception. If the run is over, also stores the place in the Python program of the call, which is the call
    /// that waited.
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        match self {
            CallError::NoNode => exception(
                py,
                "NoNodeError",
                "no node program runs on this thread: call this inside `machine.run(program)`, or start the \
                 script by `python -m multicomputer run --machine MACHINE SCRIPT`",
            ),
            CallError::OtherNode => exception(
                py,
                "NoNodeError",
                "a group or a request of another node or run was used: each node uses its own groups and requests",
            ),
            CallError::NoRequest => exception(
                py,
                "CommError",
                "the request is complete: a wait or a test that returned its result has ended it",
            ),
            CallError::Interrupted => pyo3::exceptions::PyKeyboardInterrupt::new_err(()),
            CallError::Elements(name) => exception(
                py,
                "CommError",
                &format!("elements of type {name} cannot be sent without pickling"),
            ),
            CallError::Operator { operator, element } => exception(
                py,
                "CommError",
                &format!("the operator {operator} does not combine {element} elements"),
            ),
            CallError::Comm(error) => {
                if let CommError::Deadlock | CommError::Ended | CommError::Mismatch(_) = error {
                    let calls = calls::with(|calls| Ok(calls.count_call_after_end())).unwrap_or(1);
                    if calls == 1 {
                        store_place(py);
                    }
                    let class = if calls > MAX_CALLS_AFTER_END { "NodeEnded" } else { "RunEnded" };
                    return exception(py, class, &error.to_string());
                }
                let name = match error {
                    CommError::NodeDied { .. } | CommError::Died { .. } => "NodeDied",
                    CommError::LinkDied { .. } => "LinkDied",
                    CommError::DeadlinePassed { .. } => "DeadlinePassed",
                    CommError::Livelock { .. } => "Livelock",
                    CommError::NoSuchRank { .. } => "NoSuchRank",
                    _ => "CommError",
                };
                exception(py, name, &error.to_string())
            }
            CallError::Collective(error) => exception(py, "CommError", &error.to_string()),
            CallError::ManyToMany(error) => exception(py, "CommError", &error.to_string()),
            CallError::Play(error) => exception(py, "CommError", &error.to_string()),
        }
    }
}

/// Makes an exception of a class of `multicomputer.errors`.
pub(crate) fn exception(py: Python<'_>, class: &str, text: &str) -> PyErr {
    exception_with(py, class, text, &PyDict::new(py))
}

/// Makes an exception of a class of `multicomputer.errors` with attributes.
pub(crate) fn exception_with(
    py: Python<'_>,
    class: &str,
    text: &str,
    attributes: &Bound<'_, PyDict>,
) -> PyErr {
    let made = || {
        let made = py.import("multicomputer.errors")?.getattr(class)?.call1((text,))?;
        for (name, value) in attributes {
            made.setattr(name.cast::<pyo3::types::PyString>()?, value)?;
        }
        Ok(PyErr::from_value(made))
    };
    made().unwrap_or_else(|error| error)
}

/// Stores the place of the innermost Python frame outside of this package as the place of the node's last call.
fn store_place(py: Python<'_>) {
    let place = || py.import("multicomputer._places")?.call_method0("caller")?.extract::<String>();
    if let Ok(place) = place() {
        let _ = calls::with(|calls| {
            calls.store_place(place);
            Ok(())
        });
    }
}

/// Converts the error of a run; `places` has the place of each node's last call, if it is known.
pub(crate) fn of_run(py: Python<'_>, mut error: RunError, places: &[Option<String>]) -> PyErr {
    if let RunError::WallLimit { nodes, .. } = &mut error {
        set_places(nodes, places);
    }
    let attributes = PyDict::new(py);
    let made = || -> PyResult<PyErr> {
        let class = match &error {
            RunError::Panicked { rank, .. } => {
                attributes.set_item("rank", rank)?;
                "NodeError"
            }
            RunError::NodesDied(nodes) => {
                let nodes: Vec<(usize, f64)> =
                    nodes.iter().map(|(rank, at)| (*rank, at.as_secs_f64())).collect();
                attributes.set_item("nodes", nodes)?;
                "NodesDied"
            }
            RunError::Mismatch(mismatch) => {
                let calls = mismatch
                    .calls
                    .iter()
                    .map(|call| (call.call.clone(), call.ranks.clone(), call.place.clone()));
                attributes.set_item("calls", calls.collect::<Vec<_>>())?;
                let known =
                    places.iter().enumerate().filter_map(|(rank, place)| Some((rank, place.as_ref()?)));
                let known: Vec<(usize, &String)> = known.collect();
                attributes.set_item("places", &known)?;
                let lines = known.iter().take(16).map(|(rank, place)| format!("\n  rank {rank} ({place})"));
                // The places of the error are in this crate.
                let mut mismatch = mismatch.clone();
                mismatch.calls.iter_mut().for_each(|call| call.place = None);
                let text = format!("{mismatch}{}", lines.collect::<String>());
                return Ok(exception_with(py, "MismatchError", &text, &attributes));
            }
            RunError::Topology(_) | RunError::Limits(_) => "ConfigError",
            RunError::WallLimit { .. } => "WallLimitError",
            RunError::Unreceived(_) | RunError::Unwaited(_) => "UnreceivedError",
            _ => "RunError",
        };
        Ok(exception_with(py, class, &error.to_string(), &attributes))
    };
    made().unwrap_or_else(|error| error)
}

/// Replaces the places of calls in this crate by those in the Python program.
fn set_places(nodes: &mut [BlockedNode], places: &[Option<String>]) {
    for node in nodes {
        node.last_call = places.get(node.rank).cloned().flatten();
    }
}

/// Converts a deadlock, with the places of calls in the Python program.
pub(crate) fn of_deadlock(py: Python<'_>, mut report: DeadlockReport, places: &[Option<String>]) -> PyErr {
    set_places(&mut report.blocked, places);
    // The places of the last calls of returned nodes are in this crate.
    report.awaited.clear();
    let made = || -> PyResult<PyErr> {
        let attributes = PyDict::new(py);
        let blocked = report.blocked.iter().map(|node| {
            let described = PyDict::new(py);
            described.set_item("rank", node.rank)?;
            described.set_item("since", node.since.as_secs_f64())?;
            described.set_item("waits_for", node.waits_for.to_string())?;
            described.set_item("sources", node.waits_for.sources())?;
            described.set_item("within", node.within)?;
            described.set_item("place", &node.last_call)?;
            Ok(described)
        });
        attributes.set_item("blocked", blocked.collect::<PyResult<Vec<_>>>()?)?;
        attributes.set_item("returned", &report.returned)?;
        attributes.set_item("cycle", &report.cycle)?;
        Ok(exception_with(py, "DeadlockError", &report.to_string(), &attributes))
    };
    made().unwrap_or_else(|error| error)
}

/// Converts the failure of a node: the cause is the exception of its program.
pub(crate) fn of_node(py: Python<'_>, rank: usize, cause: &PyErr) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let attributes = PyDict::new(py);
        attributes.set_item("rank", rank)?;
        if let Some(traceback) = cause.traceback(py) {
            cause.value(py).setattr("__traceback__", traceback)?;
        }
        let place = py.import("multicomputer._places")?.call_method1("of_exception", (cause.value(py),))?;
        let place = place.extract::<Option<String>>()?;
        attributes.set_item("place", &place)?;
        let place = place.map_or_else(String::new, |place| format!(" ({place})"));
        let error =
            exception_with(py, "NodeError", &format!("node {rank} failed: {cause}{place}"), &attributes);
        error.set_cause(py, Some(cause.clone_ref(py)));
        Ok(error)
    };
    made().unwrap_or_else(|error| error)
}

/// Converts the error of a plan.
pub(crate) fn of_plan(py: Python<'_>, error: &PlanError) -> PyErr {
    exception(py, "PlanError", &error.to_string())
}
