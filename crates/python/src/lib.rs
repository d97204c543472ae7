//! The native part of the Python package `multicomputer`, whose other part is in `python/multicomputer`.
//!
//! Python has the classes that programs use, with their documentation; this crate has what they call. `docs/python.md` explains the package.

mod call_error;
mod calls;
mod columns;
mod context;
mod error;
mod formats;
mod node;
mod plan;
mod report;
mod run;
mod schedule;
mod study;
mod typed;

use pyo3::prelude::*;

/// The native part of `multicomputer`.
#[pymodule(gil_used = true)]
mod _native {
    #[pymodule_export]
    use crate::{
        formats::{PyGoal, PyMsccl},
        node::{
            barrier, begin_phase, carry_out, combine, compute, describe, end_phase, exchange, forget, irecv,
            is_node, isend, line, node_rank, now, now_ps, probe, recv, recv_until, send, sendrecv, split,
            subgroup, test, wait, wait_any, world_rank,
        },
        plan::{PyAlgorithm, PyPlan, algorithms, make_plan, operations},
        report::{PyRun, replay_page},
        run::PyMachine,
        study::{study_repeats, study_rows},
    };
}
