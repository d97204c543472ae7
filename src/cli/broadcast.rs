//! An s-to-p broadcast that is run on a machine and checked.
//!
//! The data is made before the run and checked after it, so that neither takes host time from the nodes while the
//! clock is running: in real time what a program computes counts. Every node's program returns what it holds, and each
//! byte of it is compared with what its source had, made afresh: the nodes pass data on by reference, and the copy that
//! it is compared with is not part of what they share.

use std::fmt::Display;

use multicomputer::{Machine, Payload, Run, prelude::*, stop::Plan};

use super::{data, error::Error};

/// What the messages of the sources are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    /// Bytes that follow from a seed.
    Random {
        /// The seed.
        seed: u64,
    },
    /// Lengths without bytes.
    Phantom,
}

impl Content {
    /// The message of a source.
    fn message(self, source: Rank, length: u64) -> Payload {
        match self {
            Content::Random { seed } => data::message(seed, source, length).into(),
            Content::Phantom => Payload::phantom(length),
        }
    }

    /// What is wrong with a message of a source as a node holds it in the end; nothing if it is as it was.
    fn fault(self, received: Option<&Payload>, expected: &Payload) -> Option<&'static str> {
        let Some(received) = received else { return Some("no message") };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_must_arrive_as_it_was() {
        let content = Content::Random { seed: 1 };
        let expected = content.message(3, 100);
        let fault = |received: &Payload| content.fault(Some(received), &expected);
        assert_eq!(fault(&content.message(3, 100)), None);
        assert_eq!(fault(&content.message(4, 100)), Some("other bytes"));
        assert_eq!(fault(&content.message(3, 99)), Some("another length"));
        assert_eq!(fault(&Payload::phantom(100)), Some("other bytes"));
        assert_eq!(content.fault(None, &expected), Some("no message"));
    }

    #[test]
    fn of_a_phantom_the_length_is_compared() {
        let expected = Content::Phantom.message(0, 1 << 40);
        assert_eq!(Content::Phantom.fault(Some(&Payload::phantom(1 << 40)), &expected), None);
        assert_eq!(Content::Phantom.fault(Some(&Payload::phantom(1)), &expected), Some("another length"));
    }
}
