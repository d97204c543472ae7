//! Distributed deadlock detection: rounds of queries, and the conclusions from the replies.
//!
//! The run is deadlocked if at one instant every rank waits without a deadline or has returned, and no message is in transit. Each reply
//! contains the numbers of messages sent and received by the rank. If two consecutive rounds have equal replies, and the total numbers sent
//! and received are equal, then nothing happened between the rounds, and nothing can happen any more (the four-counter method, Mattern
//! 1987). A computing rank does not reply, and the round waits for it.

use std::{collections::BTreeMap, mem::take};

use serde::{Deserialize, Serialize};

use super::serialized_node::SerializedNode;
use crate::{
    error::DeadlockReport,
    kernel::BlockedNode,
    rank::Rank,
    record::UnreceivedMessage,
    time::{Span, Time},
    wire::NodeId,
};

/// The state of a rank, as sent in a reply.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) activity: Activity,
    pub(super) node: SerializedNode,
    /// Messages that have arrived and that no receive has taken.
    pub(super) unreceived: Vec<UnreceivedMessage>,
    pub(super) counts: Counts,
}

/// The progress of a rank: messages sent, messages received, and calls of its program.
pub(super) type Counts = (u64, u64, u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Activity {
    /// The rank waits, and only a message can end the wait.
    Waits,
    Returned,
    Acts,
}

/// The rounds of queries of a rank.
#[derive(Debug, Default)]
pub(super) struct Inquiry {
    /// The number of the round in progress.
    round: Option<u64>,
    rounds: u64,
    answers: BTreeMap<NodeId, State>,
    /// The counts of the previous round, if no rank was active in it.
    before: Option<Vec<Counts>>,
    /// The earliest time of the next round.
    next: Option<Time>,
}

/// The outcome of a round of queries.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// Some rank is active, so there is no deadlock.
    Alive,
    /// There may be a deadlock; another round decides.
    Unclear,
    Deadlock(DeadlockReport),
}

impl Inquiry {
    /// Begins a round; returns its number.
    pub(super) fn begin(&mut self) -> u64 {
        self.rounds += 1;
        self.round = Some(self.rounds);
        self.answers.clear();
        self.rounds
    }

    /// Records the reply of a rank; replies to earlier rounds are ignored.
    pub(super) fn take(&mut self, source: NodeId, round: u64, state: State) {
        if self.round == Some(round) {
            self.answers.insert(source, state);
        }
    }

    /// Whether a round may begin for a rank that has waited since `since`: after `patience`, and not before the time of the next round.
    pub(super) fn is_due(&self, now: Time, since: Time, patience: Span) -> bool {
        self.round.is_none() && now >= self.next.unwrap_or_default().max(since + patience)
    }

    /// Whether all other ranks have replied.
    pub(super) fn is_answered(&self, ranks: usize) -> bool {
        self.round.is_some() && self.answers.len() + 1 == ranks
    }

    /// Concludes the round after all other ranks have replied. No new round starts by itself before `next`.
    pub(super) fn conclude(&mut self, own: (NodeId, State), next: Time) -> Verdict {
        self.round = None;
        self.next = Some(next);
        let (rank, state) = own;
        self.answers.insert(rank, state);
        let before = self.before.take();
        if self.answers.values().any(|state| state.activity == Activity::Acts) {
            return Verdict::Alive;
        }
        let counts: Vec<Counts> = self.answers.values().map(|state| state.counts).collect();
        let sent: u64 = counts.iter().map(|(sent, ..)| sent).sum();
        let taken: u64 = counts.iter().map(|(_, taken, _)| taken).sum();
        if before.as_ref() != Some(&counts) || sent != taken {
            self.before = Some(counts);
            return Verdict::Unclear;
        }
        let returned = self.answers.iter().filter(|(_, state)| state.activity == Activity::Returned);
        let returned: Vec<Rank> = returned.map(|(&node, _)| node as Rank).collect();
        let unreceived = self.answers.values().flat_map(|state| state.unreceived.clone()).collect();
        Verdict::Deadlock(DeadlockReport::new(self.blocked(), returned, unreceived))
    }

    /// Takes the states of the ranks that have replied and not returned, in rank order.
    pub(super) fn blocked(&mut self) -> Vec<BlockedNode> {
        let states = take(&mut self.answers).into_values();
        states.filter(|state| state.activity != Activity::Returned).map(|state| state.node.into()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::WaitsFor;

    fn state(rank: Rank, activity: Activity, counts: Counts) -> State {
        let waits_for = WaitsFor::Message { source: None, tag: None, group: "the world".into() };
        let node = BlockedNode { rank, since: Time::ZERO, waits_for, within: None, last_call: None };
        State { activity, node: node.into(), unreceived: Vec::new(), counts }
    }

    /// Returns the verdict of waiting rank 0 on a round with these replies of ranks 1 and 2.
    fn round(inquiry: &mut Inquiry, one: (Activity, Counts), two: (Activity, Counts)) -> Verdict {
        let round = inquiry.begin();
        inquiry.take(1, round, state(1, one.0, one.1));
        assert!(!inquiry.is_answered(3));
        inquiry.take(2, round - 1, state(2, Activity::Acts, (0, 0, 0)));
        assert!(!inquiry.is_answered(3), "an answer to another round");
        inquiry.take(2, round, state(2, two.0, two.1));
        assert!(inquiry.is_answered(3));
        inquiry.conclude((0, state(0, Activity::Waits, (2, 1, 9))), Time::MAX)
    }

    #[test]
    fn two_equal_rounds_without_messages_in_flight_are_a_deadlock() {
        use Activity::{Acts, Returned, Waits};
        let mut inquiry = Inquiry::default();
        let (one, two) = ((Waits, (1, 2, 5)), (Returned, (0, 0, 4)));
        assert_eq!(round(&mut inquiry, one, two), Verdict::Unclear);
        assert_eq!(round(&mut inquiry, (Acts, (1, 2, 5)), two), Verdict::Alive);
        assert_eq!(round(&mut inquiry, one, two), Verdict::Unclear, "the round before found one that acts");
        assert_eq!(
            round(&mut inquiry, (Waits, (1, 2, 6)), two),
            Verdict::Unclear,
            "it has made a call between"
        );
        let Verdict::Deadlock(report) = (match round(&mut inquiry, (Waits, (1, 2, 6)), two) {
            Verdict::Unclear => round(&mut inquiry, (Waits, (1, 2, 6)), two),
            verdict => verdict,
        }) else {
            panic!("nothing has happened between the rounds");
        };
        let blocked: Vec<Rank> = report.blocked.iter().map(|node| node.rank).collect();
        assert_eq!((blocked, report.returned), (vec![0, 1], vec![2]));
    }

    #[test]
    fn a_message_in_flight_is_no_deadlock() {
        let mut inquiry = Inquiry::default();
        let (one, two) = ((Activity::Waits, (1, 1, 5)), (Activity::Waits, (0, 0, 4)));
        for _ in 0..3 {
            assert_eq!(round(&mut inquiry, one, two), Verdict::Unclear);
        }
    }

    #[test]
    fn the_next_round_starts_only_when_due() {
        let (second, at) = (Span::from_secs_f64(1.0), |s: f64| Time::ZERO + Span::from_secs_f64(s));
        let mut inquiry = Inquiry::default();
        assert!(!inquiry.is_due(at(2.5), at(2.0), second));
        assert!(inquiry.is_due(at(3.0), at(2.0), second));
        inquiry.begin();
        assert!(!inquiry.is_due(at(9.0), at(2.0), second), "one is under way");
        inquiry.conclude((0, state(0, Activity::Acts, (0, 0, 0))), at(10.0));
        assert!(!inquiry.is_due(at(9.0), at(2.0), second) && inquiry.is_due(at(10.0), at(2.0), second));
    }
}
