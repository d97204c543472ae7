//! The sends of a node that a receive may overlap; an overlap costs the receive the exchange overhead.

use std::collections::VecDeque;

use crate::time::Time;

/// A send.
#[derive(Clone, Copy, Debug)]
struct Send {
    seq: u64,
    called: Time,
    /// The departure time of its message, if it has left.
    left: Option<Time>,
    /// The time by which this and all earlier messages had left, if they have.
    all_left: Option<Time>,
}

/// Sends in the order of their calls, as far back as a receive may still overlap one.
#[derive(Debug, Default)]
pub(super) struct Sends(VecDeque<Send>);

impl Sends {
    /// Adds a send.
    pub(super) fn call(&mut self, seq: u64, called: Time) {
        self.0.push_back(Send { seq, called, left: None, all_left: None });
    }

    /// Records the departure of the message of a send. Messages of one out-port leave in the order of their calls.
    pub(super) fn leave(&mut self, seq: u64, left: Time) {
        let of = self.0.partition_point(|send| send.seq < seq);
        if let Some(send) = self.0.get_mut(of) {
            send.left = Some(left);
        }
        let first = self.0.partition_point(|send| send.all_left.is_some());
        let mut before = first.checked_sub(1).and_then(|last| self.0[last].all_left).unwrap_or(Time::ZERO);
        for send in self.0.range_mut(first..) {
            let Some(left) = send.left else { break };
            before = before.max(left);
            send.all_left = Some(before);
        }
    }

    /// Whether a send was in progress between `posted` and `arrived`, so that a receive posted and matched at these times overlapped it.
    /// The first send that had not left when the receive was posted decides.
    pub(super) fn overlap(&self, posted: Time, arrived: Time) -> bool {
        let left_before = self.0.partition_point(|send| send.all_left.is_some_and(|left| left <= posted));
        posted < arrived && self.0.get(left_before).is_some_and(|send| send.called < arrived)
    }

    /// Removes sends that had left by `by`, together with all earlier ones.
    pub(super) fn forget(&mut self, by: Time) {
        while self.0.front().is_some_and(|send| send.all_left.is_some_and(|left| left <= by)) {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Span;

    /// Tests two out-ports: the second of three messages leaves last.
    #[test]
    fn overlap_is_decided_by_the_first_send_that_has_not_left() {
        let at = |nanos| Time::ZERO + Span::from_nanos(nanos);
        let mut sends = Sends::default();
        for (seq, called) in [(3, 0), (5, 10), (6, 20)] {
            sends.call(seq, at(called));
        }
        for (seq, left) in [(3, 30), (6, 40), (5, 90)] {
            sends.leave(seq, at(left));
        }
        for (posted, arrived, overlaps) in
            [(0, 1, true), (35, 36, true), (50, 60, true), (90, 95, false), (5, 5, false)]
        {
            assert_eq!(sends.overlap(at(posted), at(arrived)), overlaps, "{posted} to {arrived}");
        }
        sends.forget(at(60));
        assert!(sends.overlap(at(70), at(80)));
        sends.forget(at(90));
        assert!(sends.0.is_empty());
    }
}
