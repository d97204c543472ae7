//! Schedules on machines where a send waits for its receive (rendezvous protocol).
//!
//! In a round of a schedule a node sends before it receives. If its partners do the same, the network has to accept unexpected messages. On
//! a machine with [rendezvous](crate::MachineBuilder::rendezvous) the network does not accept them, and a node must send and receive at the
//! same time: by an exchange if it sends and receives once, otherwise by nonblocking sends that are waited for at the end. All messages of
//! a round are then in transit once the nodes have reached it.

use std::borrow::Cow;

use super::{Action, Schedule, Step};
use crate::rank::Rank;

impl Schedule {
    /// Returns the steps of `rank` for a machine on which a send of `rendezvous` bytes or more waits for its receive; `None` if no send
    /// waits.
    pub(crate) fn steps_under(&self, rank: Rank, rendezvous: Option<u64>) -> Cow<'_, [Step]> {
        match rendezvous {
            None => Cow::Borrowed(self.steps(rank)),
            Some(from_bytes) => Cow::Owned(self.rendezvous_steps(rank, from_bytes)),
        }
    }

    fn rendezvous_steps(&self, rank: Rank, from_bytes: u64) -> Vec<Step> {
        let waits = |step: &Step| match &step.action {
            Action::Send(message) | Action::Exchange { send: message, .. } => message.bytes >= from_bytes,
            _ => false,
        };
        let mut converted = Vec::with_capacity(self.steps(rank).len());
        for iteration in self.steps(rank).chunk_by(|one, next| one.iteration == next.iteration) {
            if iteration.iter().any(waits) {
                convert_iteration(iteration, &mut converted);
            } else {
                converted.extend_from_slice(iteration);
            }
        }
        converted
    }
}

/// Adds the steps of an iteration such that no send waits before the node has posted its receives.
fn convert_iteration(steps: &[Step], converted: &mut Vec<Step>) {
    let sends = steps.iter().filter(|step| step.action.sent().is_some()).count();
    let receives = steps.iter().filter(|step| step.action.received().is_some()).count();
    match (sends, receives) {
        // A node that only sends one message delays no other node than its receiver.
        (1, 0) => converted.extend_from_slice(steps),
        (1, 1) => match steps.windows(2).position(is_pair) {
            Some(at) => {
                converted.extend_from_slice(&steps[..at]);
                converted.push(as_exchange(&steps[at], &steps[at + 1]));
                converted.extend_from_slice(&steps[at + 2..]);
            }
            // The step is an exchange already, or the message is forwarded after its receipt.
            None => converted.extend(steps.iter().cloned()),
        },
        _ => converted.extend(steps.iter().flat_map(as_nonblocking)),
    }
}

/// Returns whether a send is followed by a receive.
fn is_pair(steps: &[Step]) -> bool {
    matches!(steps, [Step { action: Action::Send(_), .. }, Step { action: Action::Recv(_), .. }])
}

/// Merges a send and a receive into an exchange.
fn as_exchange(one: &Step, other: &Step) -> Step {
    match (&one.action, &other.action) {
        (Action::Send(send), Action::Recv(recv)) => {
            Step { action: Action::Exchange { send: send.clone(), recv: recv.clone() }, ..one.clone() }
        }
        _ => unreachable!("only these are paired"),
    }
}

/// Converts a step so that its send does not block.
fn as_nonblocking(step: &Step) -> impl Iterator<Item = Step> {
    let (first, second) = match step.action.clone() {
        Action::Send(send) => (Action::Start(send), None),
        Action::Exchange { send, recv } => (Action::Start(send), Some(Action::Recv(recv))),
        other => (other, None),
    };
    let iteration = step.iteration;
    [Some(first), second].into_iter().flatten().map(move |action| Step { iteration, action })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{Builder, Exchange, Transfer};

    /// Formats the actions of a rank: `>` send, `<` receive, `[ ]` exchange, `( )` started send.
    fn outline(steps: &[Step]) -> String {
        let text = |step: &Step| match &step.action {
            Action::Send(to) => format!(">{} ", to.peer),
            Action::Start(to) => format!("({}) ", to.peer),
            Action::Recv(from) => format!("<{} ", from.peer),
            Action::Exchange { send, recv } => format!("[>{} <{}] ", send.peer, recv.peer),
            other => format!("{other:?} "),
        };
        steps.iter().map(text).collect()
    }

    #[test]
    fn opposite_messages_become_exchanges_or_nonblocking_sends() {
        let rounds: [&[(Rank, Rank)]; 4] =
            [&[(0, 1), (1, 0)], &[(0, 1)], &[(0, 2), (1, 0)], &[(0, 1), (0, 2), (1, 0)]];
        let outlines = |exchange, from_bytes| {
            let mut builder = Builder::new(3, &[0, 1], &[100, 100], exchange);
            for round in rounds {
                let transfer =
                    |&(from, to): &(Rank, Rank)| Transfer { from, to, blocks: [from as u32].into() };
                builder.iteration(round.iter().map(transfer));
            }
            let schedule = builder.finish();
            (outline(schedule.steps(0)), outline(&schedule.rendezvous_steps(0, from_bytes)))
        };
        let (plain, converted) = outlines(Exchange::InTurn, 100);
        assert_eq!(plain, ">1 <1 >1 >2 <1 >1 >2 <1 ");
        assert_eq!(converted, "[>1 <1] >1 [>2 <1] (1) (2) <1 ");
        let (plain, converted) = outlines(Exchange::Together, 100);
        assert_eq!(plain, "[>1 <1] >1 [>2 <1] [>1 <1] >2 ");
        assert_eq!(converted, "[>1 <1] >1 [>2 <1] (1) <1 (2) ");
        // Messages below the threshold and started sends do not wait.
        let (plain, converted) = outlines(Exchange::InTurn, 101);
        assert_eq!(plain, converted);
        let (plain, converted) = outlines(Exchange::Overlapped, 0);
        assert_eq!(plain, converted);
    }
}
