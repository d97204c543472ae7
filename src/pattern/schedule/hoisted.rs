//! Schedules whose sends are started as soon as their data is available.

use super::{Action, Message, Schedule, Step};

impl Schedule {
    /// Returns the schedule with every [`Start`](Action::Start) moved to the earliest position at which its blocks are available: before
    /// receives of other blocks and the combining that follows these receives. The order of a node's sends does not change. A send belongs
    /// to the iteration in which it is started.
    ///
    /// A node that sends to several nodes then passes all messages to its port immediately, and the port is never idle while the node waits
    /// for other data.
    #[must_use]
    pub fn hoisted(self) -> Schedule {
        Schedule { steps: self.steps.into_iter().map(moved_ahead).collect(), ..self }
    }
}

/// Moves the sends within the list of steps in place; most steps do not move.
fn moved_ahead(mut steps: Vec<Step>) -> Vec<Step> {
    for at in 0..steps.len() {
        let Action::Start(message) = &steps[at].action else { continue };
        let is_packed = at > 0 && matches!(steps[at - 1].action, Action::Pack(_));
        let first = at - usize::from(is_packed);
        let mut place = first;
        loop {
            let combines = place > 0 && matches!(steps[place - 1].action, Action::Combine(_));
            let recv = place.checked_sub(1 + usize::from(combines)).map(|recv| (recv, &steps[recv].action));
            match recv {
                Some((before, Action::Recv(received))) if !have_common(message, received) => place = before,
                _ => break,
            }
        }
        steps[place..=at].rotate_right(at + 1 - first);
    }
    let mut earliest = usize::MAX;
    for step in steps.iter_mut().rev() {
        earliest = earliest.min(step.iteration);
        step.iteration = earliest;
    }
    steps
}

fn have_common(one: &Message, other: &Message) -> bool {
    one.blocks.iter().any(|block| other.blocks.contains(block))
}

#[cfg(test)]
mod tests {
    use crate::{
        pattern::{Action, Builder, Exchange, Transfer},
        rank::Rank,
    };

    fn transfer(from: Rank, to: Rank, blocks: &[u32]) -> Transfer {
        Transfer { from, to, blocks: blocks.into() }
    }

    /// Formats the actions of a node in order: `<` receive, `>` send, `=` copy, `+` combine.
    fn outline(schedule: &crate::pattern::Schedule, rank: Rank) -> String {
        let sign = |action: &Action| match action {
            Action::Recv(message) => format!("<{}", message.blocks[0]),
            Action::Start(message) | Action::Send(message) => format!(">{}", message.blocks[0]),
            Action::Pack(_) => "=".to_owned(),
            Action::Combine(_) | Action::Merge { .. } => "+".to_owned(),
            Action::Exchange { .. } => "x".to_owned(),
            Action::WaitAll | Action::Pause(_) | Action::Barrier => "-".to_owned(),
        };
        schedule.steps(rank).iter().map(|step| sign(&step.action)).collect()
    }

    #[test]
    fn a_send_goes_before_receives_of_other_blocks() {
        let mut builder = Builder::new(4, &[0; 4], &[1; 4], Exchange::Overlapped);
        builder.iteration([transfer(0, 1, &[0])]);
        builder.iteration([transfer(0, 1, &[2])]);
        builder.iteration([transfer(0, 1, &[3])]);
        builder.iteration([transfer(1, 2, &[0])]);
        builder.iteration([transfer(1, 2, &[0, 3])]);
        builder.iteration([transfer(0, 1, &[1])]);
        builder.iteration([transfer(1, 3, &[2])]);
        let schedule = builder.finish();
        assert_eq!(outline(&schedule, 1), "<0<2<3>0=>0<1>2");
        let hoisted = schedule.hoisted();
        assert_eq!(outline(&hoisted, 1), "<0>0<2<3=>0>2<1");
        assert_eq!(outline(&hoisted, 0), ">0>2>3>1");
        assert!(hoisted.steps(1).is_sorted_by_key(|step| step.iteration));
        assert_eq!(hoisted.clone().hoisted(), hoisted);
    }

    /// Tests a reversed schedule: a received message changes the node's own version, so a send of the same block waits for the message, and
    /// no other send does.
    #[test]
    fn a_send_stays_after_its_combine() {
        let mut builder = Builder::new(3, &[0; 2], &[1; 2], Exchange::Overlapped);
        builder.iteration([transfer(0, 1, &[0])]);
        builder.iteration([transfer(0, 1, &[1])]);
        builder.iteration([transfer(1, 2, &[1])]);
        builder.iteration([transfer(1, 2, &[0])]);
        let combining = builder.finish().combining();
        assert_eq!(outline(&combining, 1), "<0+<1+>1>0");
        assert_eq!(outline(&combining.hoisted(), 1), "<0+<1+>1>0", "the order of the sends stays");
        let mut builder = Builder::new(3, &[0; 2], &[1; 2], Exchange::Overlapped);
        builder.iteration([transfer(0, 1, &[1])]);
        builder.iteration([transfer(0, 1, &[0])]);
        builder.iteration([transfer(1, 2, &[1])]);
        builder.iteration([transfer(1, 2, &[0])]);
        let combining = builder.finish().combining();
        assert_eq!(outline(&combining, 1), "<0+<1+>0>1");
        assert_eq!(outline(&combining.hoisted(), 1), "<0+>0<1+>1");
    }

    #[test]
    fn blocking_sends_stay_where_they_are() {
        for exchange in [Exchange::Together, Exchange::InTurn] {
            let mut builder = Builder::new(3, &[0; 2], &[1; 2], exchange);
            builder.iteration([transfer(0, 1, &[0])]);
            builder.iteration([transfer(0, 1, &[1])]);
            builder.iteration([transfer(1, 2, &[0])]);
            let schedule = builder.finish();
            assert_eq!(schedule.clone().hoisted(), schedule);
        }
    }
}
