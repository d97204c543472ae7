//! Nodes that go by the clock.
//!
//! In a pipeline every port is busy in every iteration, and messages must not meet: two that share a receiver take
//! twice as long each, and keep their senders from going on. Nodes that have less to do than others would get ahead of
//! them, and their messages would meet those of others. So all pause until the next iteration begins.

use super::{Action, Schedule, Step};
use crate::time::Span;

impl Schedule {
    /// The schedule by the clock: iteration `t` begins `t` times `length` after the start on every node, which then
    /// starts its send, `send` later takes in what was sent to it in the iteration before, and pauses until the next
    /// one. `busy` tells how long an action keeps it busy, `send` for a send. Ports go on while the node takes in what
    /// came before, so if `length` is the time of the bytes of a message they are never idle.
    ///
    /// If a message is there a little before the next iteration's send is over, no receive overlaps a send. With
    /// `patience` a node takes messages in so much later: if one of them is late by no more, the node is not.
    ///
    /// What a node receives in an iteration it must not send before the next but one; its sends must not block.
    #[must_use]
    pub fn clocked(
        self,
        length: Span,
        send: Span,
        patience: Span,
        busy: impl Fn(&Action) -> Span,
    ) -> Schedule {
        let clocked = |steps: Vec<Step>| {
            let mut clocked: Vec<Step> = Vec::with_capacity(2 * steps.len());
            let (sends, receives): (Vec<Step>, Vec<Step>) = steps
                .iter()
                .cloned()
                .partition(|step| matches!(step.action, Action::Start(_) | Action::Pack(_)));
            let (mut sends, mut receives) = (sends.into_iter().peekable(), receives.into_iter().peekable());
            // What is left of the iterations so far.
            let mut rest = Span::ZERO;
            let mut iteration = 0;
            while sends.peek().is_some() || receives.peek().is_some() {
                let mut actions = Vec::new();
                while let Some(step) = sends.next_if(|step| step.iteration <= iteration) {
                    actions.push(step);
                }
                while let Some(step) = receives.next_if(|step| step.iteration < iteration) {
                    actions.push(step);
                }
                if let Some(first) = actions.first()
                    && !rest.is_zero()
                {
                    clocked.push(Step { iteration: first.iteration, action: Action::Pause(rest) });
                    rest = Span::ZERO;
                }
                // What was sent in the iteration before has not come earlier.
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
                clocked.extend(actions);
                iteration += 1;
            }
            clocked
        };
        Schedule { steps: self.steps.into_iter().map(clocked).collect(), ..self }
    }
}
