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

use super::super::{data, error::Error, files::OutputFile};

/// What the messages are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Bytes that follow from a seed.
    Random {
        /// The seed.
        seed: u64,
    },
    /// Lengths without bytes.
    Phantom,
}

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

impl Content {
    /// What one rank has for another.
    fn message(self, matrix: &Matrix, from: Rank, to: Rank) -> Payload {
        let bytes = matrix.get(from, to);
        match self {
            Content::Random { seed } => data::message(seed, from * matrix.nodes() + to, bytes).into(),
            Content::Phantom => Payload::phantom(bytes),
        }
    }

    /// What is wrong with what a rank got from another one; nothing if it is as it was.
    fn fault(self, received: Option<&Payload>, expected: &Payload) -> Option<&'static str> {
        let Some(received) = received else { return Some("nothing") };
        match self {
            _ if received.len() != expected.len() => Some("another length"),
            // Neither has bytes to compare.
            Content::Phantom => None,
            Content::Random { .. } => {
                let is_equal = matches!((received.to_bytes(), expected.to_bytes()), (Ok(r), Ok(e)) if r == e);
                (!is_equal).then_some("other bytes")
            }
        }
    }
}

/// Runs a plan, and checks what every rank got from every other one. In virtual time the run must also take what was
/// predicted, if anything was.
pub(super) fn execute(
    machine: &Machine,
    plan: &Plan,
    content: Content,
    case: &impl Display,
    trace: Option<OutputFile>,
) -> Result<Ran, Error> {
    let matrix = plan.instance().matrix();
    let ranks = || 0..matrix.nodes();
    let given: Vec<Vec<Payload>> =
        ranks().map(|from| ranks().map(|to| content.message(matrix, from, to)).collect()).collect();
    let run = machine.run(|node| Ok(plan.carry_out(node.world(), given[node.rank()].clone())?))?;
    for (from, to) in ranks().flat_map(|from| ranks().map(move |to| (from, to))) {
        let expected = content.message(matrix, from, to);
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
    if let Some(trace) = trace {
        trace.write_trace(&run)?;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_found() {
        let matrix = Matrix::of(3, |from, to| if from == 2 { 99 } else { 100 + to as u64 }).unwrap();
        let content = Content::Random { seed: 1 };
        let message = |from, to| content.message(&matrix, from, to);
        let fault = |received: &Payload| content.fault(Some(received), &message(0, 1));
        assert_eq!(fault(&message(0, 1)), None);
        assert_eq!(fault(&message(1, 1)), Some("other bytes"));
        assert_eq!(fault(&message(2, 1)), Some("another length"));
        assert_eq!(fault(&Payload::phantom(101)), Some("other bytes"));
        assert_eq!(content.fault(None, &message(0, 1)), Some("nothing"));
        assert_eq!(Content::Phantom.fault(Some(&Payload::phantom(101)), &message(0, 1)), None);
        assert_eq!(Content::Phantom.fault(Some(&message(2, 1)), &message(0, 1)), Some("another length"));
    }
}
