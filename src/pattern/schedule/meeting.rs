//! Schedules on machines where a send waits for its receive.
//!
//! In a round of a schedule a node sends before it receives. Where its partners do the same, the network has to take messages
//! in that nobody has asked for yet. On a machine with [rendezvous](crate::MachineBuilder::rendezvous) it does not, so there
//! a node sends and receives at the same time: by an exchange if it does each once, and otherwise by sends that are started
//! in their places and waited for in the end. Then all messages of a round are on their way once the nodes have come to it.

use std::borrow::Cow;

use super::{Action, Schedule, Step};
use crate::rank::Rank;

impl Schedule {
    /// The steps of `rank` as they are carried out on a machine where a send of so many bytes or more waits for its receive,
    /// if any does.
    pub(crate) fn steps_under(&self, rank: Rank, rendezvous: Option<u64>) -> Cow<'_, [Step]> {
        match rendezvous {
            None => Cow::Borrowed(self.steps(rank)),
            Some(from_bytes) => Cow::Owned(self.meeting_steps(rank, from_bytes)),
        }
    }

    fn meeting_steps(&self, rank: Rank, from_bytes: u64) -> Vec<Step> {
        let waits = |step: &Step| match &step.action {
            Action::Send(message) | Action::Exchange { send: message, .. } => message.bytes >= from_bytes,
            _ => false,
        };
        let mut met = Vec::with_capacity(self.steps(rank).len());
        for together in self.steps(rank).chunk_by(|one, next| one.iteration == next.iteration) {
            if together.iter().any(waits) {
                meet(together, &mut met);
            } else {
                met.extend_from_slice(together);
            }
        }
        met
    }
}

/// Adds the steps of an iteration in such a way that no send waits before what the node receives has been asked for.
fn meet(steps: &[Step], met: &mut Vec<Step>) {
    let sends = steps.iter().filter(|step| step.action.sent().is_some()).count();
    let receives = steps.iter().filter(|step| step.action.received().is_some()).count();
    match (sends, receives) {
        // Nobody waits for a node that has only one message to send, but its receiver.
        (1, 0) => met.extend_from_slice(steps),
        (1, 1) => match steps.windows(2).position(is_pair) {
            Some(at) => {
                met.extend_from_slice(&steps[..at]);
                met.push(paired(&steps[at], &steps[at + 1]));
                met.extend_from_slice(&steps[at + 2..]);
            }
            // An exchange already, or a message that is passed on.
            None => met.extend(steps.iter().cloned()),
        },
        _ => met.extend(steps.iter().flat_map(started)),
    }
}

/// Whether a send is followed by a receive.
fn is_pair(steps: &[Step]) -> bool {
    matches!(steps, [Step { action: Action::Send(_), .. }, Step { action: Action::Recv(_), .. }])
}

/// A send and a receive as an exchange.
fn paired(one: &Step, other: &Step) -> Step {
    match (&one.action, &other.action) {
        (Action::Send(send), Action::Recv(recv)) => {
            Step { action: Action::Exchange { send: send.clone(), recv: recv.clone() }, ..one.clone() }
        }
        _ => unreachable!("only these are paired"),
    }
}

/// A step whose send does not wait.
fn started(step: &Step) -> impl Iterator<Item = Step> {
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

    /// The actions of a rank: sent to, received from, in brackets if at the same time, and started.
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
    fn what_faces_each_other_is_an_exchange_or_started() {
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
            (outline(schedule.steps(0)), outline(&schedule.meeting_steps(0, from_bytes)))
        };
        let (plain, met) = outlines(Exchange::InTurn, 100);
        assert_eq!(plain, ">1 <1 >1 >2 <1 >1 >2 <1 ");
        assert_eq!(met, "[>1 <1] >1 [>2 <1] (1) (2) <1 ");
        let (plain, met) = outlines(Exchange::Together, 100);
        assert_eq!(plain, "[>1 <1] >1 [>2 <1] [>1 <1] >2 ");
        assert_eq!(met, "[>1 <1] >1 [>2 <1] (1) <1 (2) ");
        // Shorter messages wait for nobody, and what is started does not either.
        let (plain, met) = outlines(Exchange::InTurn, 101);
        assert_eq!(plain, met);
        let (plain, met) = outlines(Exchange::Overlapped, 0);
        assert_eq!(plain, met);
    }
}
