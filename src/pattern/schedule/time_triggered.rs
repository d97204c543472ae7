//! Time-triggered schedules: nodes start each iteration at a fixed time.
//!
//! In a pipeline every port is busy in every iteration, and messages must not collide: two messages with the same receiver take twice as
//! long each and delay their senders. Nodes with less work than others would run ahead, and their messages would collide with the messages
//! of other nodes. All nodes therefore pause until the next iteration begins.

use std::collections::VecDeque;

use super::{Action, Schedule, Step};
use crate::time::Span;

impl Schedule {
    /// Returns the time-triggered schedule: on every node iteration `t` begins `t` times `length` after the start. In an iteration the node
    /// starts its send; after the time `send` it receives the messages that were sent to it in the previous iteration, then it pauses until
    /// the next iteration. `busy` returns the time for which an action occupies the node, which is `send` for a send. Ports continue while
    /// the node processes earlier messages, so if `length` is the time of the bytes of a message, the ports are never idle.
    ///
    /// If a message arrives shortly before the send of the next iteration ends, no receive overlaps a send. With `patience` a node receives
    /// messages later by this time: a message that is late by at most `patience` does not delay the node.
    ///
    /// A node must not send in iteration `t + 1` the data that it receives in iteration `t`, only from `t + 2` on. Its sends must not
    /// block.
    #[must_use]
    pub fn time_triggered(
        self,
        length: Span,
        send: Span,
        patience: Span,
        busy: impl Fn(&Action) -> Span,
    ) -> Schedule {
        let time_triggered = |steps: Vec<Step>| {
            let mut time_triggered: Vec<Step> = Vec::with_capacity(2 * steps.len());
            // Steps other than sends, in the order of iterations; they are delayed until their iteration is over.
            let mut coming: VecDeque<Step> = VecDeque::new();
            let mut steps = steps.into_iter().peekable();
            // The time left over from the iterations so far; the node pauses for it before its next action.
            let mut rest = Span::ZERO;
            let mut iteration = 0;
            let mut actions = Vec::new();
            while steps.peek().is_some() || !coming.is_empty() {
                while let Some(step) = steps.next_if(|step| step.iteration <= iteration) {
                    if matches!(step.action, Action::Start(_) | Action::Pack(_)) {
                        actions.push(step);
                    } else {
                        coming.push_back(step);
                    }
                }
                while coming.front().is_some_and(|step| step.iteration < iteration) {
                    actions.extend(coming.pop_front());
                }
                if let Some(first) = actions.first()
                    && !rest.is_zero()
                {
                    time_triggered.push(Step { iteration: first.iteration, action: Action::Pause(rest) });
                    rest = Span::ZERO;
                }
                // A message of the previous iteration does not arrive before the time of a send has passed.
                let sends = actions.iter().any(|step| step.action.sent().is_some());
                if let Some(first) = actions.first().filter(|_| !sends) {
                    actions.insert(0, Step { iteration: first.iteration, action: Action::Pause(send) });
                }
                let first = actions.iter().position(|step| step.action.received().is_some());
                if let Some(place) = first.filter(|_| !patience.is_zero()) {
                    let iteration = actions[place].iteration;
                    actions.insert(place, Step { iteration, action: Action::Pause(patience) });
                }
                let work = actions.iter().fold(Span::ZERO, |work, step| work + busy(&step.action));
                rest += length - work.min(length);
                time_triggered.append(&mut actions);
                iteration += 1;
            }
            time_triggered
        };
        Schedule { steps: self.steps.into_iter().map(time_triggered).collect(), ..self }
    }
}
