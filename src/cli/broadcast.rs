//! An s-to-p broadcast that is run on a machine and checked.
//!
//! The data is made before the run and checked after it, so that neither takes host time from the nodes while the
//! clock is running: in real time what a program computes counts. Every node's program returns what it holds, and each
//! byte of it is compared with what its source had, made afresh: the nodes pass data on by reference, and the copy that
//! it is compared with is not part of what they share.

use std::fmt::Display;

use multicomputer::{Machine, Payload, Run, stop::Plan};

use super::{data::Content, error::Error};

/// Broadcasts, and checks what every node has in the end. In virtual time the run must also take what was predicted.
pub(super) fn broadcast(
    machine: &Machine,
    plan: &Plan,
    content: Content,
    case: &impl Display,
) -> Result<Run<Vec<Payload>>, Error> {
    let instance = plan.instance();
    let sources = || instance.sources().iter().zip(instance.lengths());
    let messages: Vec<Payload> =
        sources().map(|(&source, &length)| content.message(source, length)).collect();
    let run = machine.run(|node| {
        let source = instance.sources().iter().position(|&source| source == node.rank());
        let mine = source.map(|source| messages[source].clone());
        Ok(plan.broadcast(node.world(), mine)?)
    })?;
    for (block, (&source, &length)) in sources().enumerate() {
        let expected = content.message(source, length);
        for (rank, received) in run.outputs.iter().enumerate() {
            if let Some(fault) = content.fault(received.get(block), &expected) {
                return Err(Error::Wrong(format!(
                    "node {rank} does not have what source {source} sent: {fault} ({case})"
                )));
            }
        }
    }
    let (modeled, predicted) = (run.report.modeled, plan.prediction().modeled);
    if run.report.real_time.is_none() && modeled != predicted {
        return Err(Error::Wrong(format!("the run took {modeled}, and {predicted} was predicted ({case})")));
    }
    Ok(run)
}
