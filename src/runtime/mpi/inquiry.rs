//! The search for a deadlock where nobody sees all ranks: rounds of questions, and what their answers tell.
//!
//! The run is in a deadlock if every rank waits without a deadline or has returned, no message is on its way, and that was
//! so at one instant. Each answer tells how many messages its rank has sent and taken in. If two rounds of answers are the
//! same, and as many messages have been taken in as sent, then nothing happened between the rounds, and nothing can any
//! more (Mattern 1987, the method of four counters). A rank that computes does not answer, and is waited for.

use std::{collections::BTreeMap, mem::take};

use serde::{Deserialize, Serialize};

use super::told::ToldNode;
use crate::{
    error::DeadlockReport,
    kernel::BlockedNode,
    rank::Rank,
    time::{Span, Time},
    wire::NodeId,
};

/// The state of a rank, as it tells it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) activity: Activity,
    pub(super) node: ToldNode,
    pub(super) counts: Counts,
}

/// The progress of a rank: messages sent and taken in, and calls of its program.
pub(super) type Counts = (u64, u64, u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Activity {
    /// It waits, and only a message can end that.
    Waits,
    Returned,
    Acts,
}

/// The rounds of questions of a rank.
#[derive(Debug, Default)]
pub(super) struct Inquiry {
    /// The number of the round that is under way.
    round: Option<u64>,
    rounds: u64,
    answers: BTreeMap<NodeId, State>,
    /// The counts of the round before, if it found no rank that acts.
    before: Option<Vec<Counts>>,
    /// The time from which on the next one may begin.
    next: Option<Time>,
}

/// The outcome of a round of questions.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// Some rank acts, so there is no deadlock.
    Alive,
    /// There may be one, which another round shows.
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

    /// Takes the answer of a rank; that to a question of an earlier round counts no more.
    pub(super) fn take(&mut self, source: NodeId, round: u64, state: State) {
        if self.round == Some(round) {
            self.answers.insert(source, state);
        }
    }

    /// Whether a round may begin that is due at the earliest when a rank has waited for `patience` since `since`.
    pub(super) fn is_due(&self, now: Time, since: Time, patience: Span) -> bool {
        self.round.is_none() && now >= self.next.unwrap_or_default().max(since + patience)
    }

    /// Whether all others have answered.
    pub(super) fn is_answered(&self, ranks: usize) -> bool {
        self.round.is_some() && self.answers.len() + 1 == ranks
    }

    /// Ends the round that all others have answered, at the time `next` before which no other begins by itself.
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
        Verdict::Deadlock(DeadlockReport::new(self.blocked(), returned))
    }

    /// The ranks that have answered and not returned, in their order.
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
        let node = BlockedNode { rank, since: Time::ZERO, waits_for, within: None };
        State { activity, node: node.into(), counts }
    }

    /// The verdict of rank 0 on a round in which ranks 1 and 2 answer so, while it waits itself.
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
    fn two_rounds_alike_with_no_message_on_its_way_are_a_deadlock() {
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
    fn a_message_on_its_way_is_no_deadlock() {
        let mut inquiry = Inquiry::default();
        let (one, two) = ((Activity::Waits, (1, 1, 5)), (Activity::Waits, (0, 0, 4)));
        for _ in 0..3 {
            assert_eq!(round(&mut inquiry, one, two), Verdict::Unclear);
        }
    }

    #[test]
    fn the_next_round_waits_for_its_time() {
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
