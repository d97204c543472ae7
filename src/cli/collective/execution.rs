//! A plan that is run on a machine and checked.
//!
//! The data is made before the run and checked after it, so that neither takes host time from the nodes while the clock
//! is running: in real time what a program computes counts. To combine belongs to the operation, and does count.

use std::fmt::Display;

use multicomputer::{
    Machine, Payload,
    collective::Plan,
    prelude::*,
    report::{RealTimeReport, RunReport},
};

use super::{
    super::{data::Content, error::Error, files::Trace},
    members,
};

/// How a run went.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ran {
    pub(super) modeled: Span,
    pub(super) real_time: Option<RealTimeReport>,
}

/// Runs a plan, and checks what every member has in the end. In virtual time the run must also take what was predicted.
pub(super) fn execute(
    machine: &Machine,
    plan: &Plan,
    content: Content,
    case: &impl Display,
    trace: Trace<'_>,
) -> Result<Ran, Error> {
    let report = run_checked(machine, plan, content, case, trace)?;
    Ok(Ran { modeled: report.modeled.since_start(), real_time: report.real_time })
}

/// The same with all that was counted in the run.
pub(in crate::cli) fn run_checked(
    machine: &Machine,
    plan: &Plan,
    content: Content,
    case: &impl Display,
    trace: Trace<'_>,
) -> Result<RunReport, Error> {
    let task = plan.task();
    let given = content.given(task);
    let nodes = machine.description().nodes();
    let ranks = members::ranks(task.members(), nodes);
    let run = machine.run(|node| {
        let Some(rank) = ranks[node.rank()] else { return Ok(None) };
        let group = node.world().subgroup(task.members())?;
        let combine = |left: Payload, right: Payload| content.combine(task, left, right);
        Ok(Some(plan.carry_out(&group, Tag(0), &given[rank], combine)?))
    })?;
    let results: Vec<&Payload> =
        task.members().iter().filter_map(|&node| run.outputs[node].as_ref()).collect();
    if let Some((rank, fault)) = content.wrong_rank(task, &results) {
        return Err(Error::Wrong(format!("rank {rank} does not have what it should: {fault} ({case})")));
    }
    let (modeled, predicted) = (run.report.modeled, plan.prediction().modeled);
    if run.report.real_time.is_none() && modeled != predicted {
        return Err(Error::Wrong(format!("the run took {modeled}, and {predicted} was predicted ({case})")));
    }
    trace.write(&run)?;
    Ok(run.report)
}
