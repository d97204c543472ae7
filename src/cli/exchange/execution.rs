//! A plan that is run on a machine and checked.
//!
//! The data is made before the run and checked after it, so that neither takes host time from the nodes while the clock
//! is running: in real time what a program computes counts. What arrives is compared with data made afresh: the nodes
//! pass data on by reference, and the copy that it is compared with is not part of what they share.

use std::fmt::Display;

use multicomputer::{
    Machine, Payload,
    exchange::{Matrix, Plan},
    prelude::*,
    report::{RealTimeReport, RunReport},
};

use super::super::{data::Content, error::Error, files::Trace};

/// How a run went.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ran {
    pub(super) modeled: Span,
    /// Of a node on average, for messages to leave or to come.
    pub(super) waiting: Span,
    /// Active messages and those of barriers included.
    pub(super) messages: u64,
    pub(super) bytes: u64,
    pub(super) real_time: Option<RealTimeReport>,
}

/// What one rank has for another.
fn message(content: Content, matrix: &Matrix, from: Rank, to: Rank) -> Payload {
    content.message(from * matrix.nodes() + to, matrix.get(from, to))
}

/// Runs a plan, and checks what every rank got from every other one. In virtual time the run must also take what was
/// predicted, if anything was.
pub(super) fn execute(
    machine: &Machine,
    plan: &Plan,
    content: Content,
    case: &impl Display,
    trace: Trace<'_>,
) -> Result<Ran, Error> {
    let matrix = plan.instance().matrix();
    let ranks = || 0..matrix.nodes();
    let given: Vec<Vec<Payload>> =
        ranks().map(|from| ranks().map(|to| message(content, matrix, from, to)).collect()).collect();
    let run = machine.run(|node| Ok(plan.carry_out(node.world(), given[node.rank()].clone())?))?;
    for (from, to) in ranks().flat_map(|from| ranks().map(move |to| (from, to))) {
        let expected = message(content, matrix, from, to);
        if let Some(fault) = content.fault(run.outputs[to].get(from), &expected) {
            return Err(Error::Wrong(format!(
                "node {to} does not have what node {from} had for it: {fault} ({case})"
            )));
        }
    }
    if let Some(predicted) = plan.prediction().map(|prediction| prediction.modeled)
        && run.report.real_time.is_none()
        && run.report.modeled != predicted
    {
        let modeled = run.report.modeled;
        return Err(Error::Wrong(format!("the run took {modeled}, and {predicted} was predicted ({case})")));
    }
    trace.write(&run)?;
    Ok(Ran::of(&run.report))
}

impl Ran {
    fn of(report: &RunReport) -> Ran {
        let waiting: Span = report.nodes.iter().map(|node| node.waiting).sum();
        Ran {
            modeled: report.modeled.since_start(),
            waiting: Span::from_picos(waiting.as_picos() / report.nodes.len().max(1) as u64),
            messages: report.messages,
            bytes: report.bytes,
            real_time: report.real_time,
        }
    }
}
