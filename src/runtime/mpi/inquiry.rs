//! The search for a deadlock where nobody sees all ranks: one that has waited for long asks all others.
//!
//! The run is in a deadlock if every rank waits without a deadline or has returned, no message is on its way, and that was
//! so at one instant. Each answer tells how many messages its rank has sent and taken in. If two rounds of answers are the
//! same, and as many messages have been taken in as sent, then nothing happened between the rounds, and nothing can any
//! more (Mattern 1987, the method of four counters). A rank that computes does not answer, and is waited for.

use std::{collections::BTreeMap, time::Duration};

use ferrompi::Error;
use serde::{Deserialize, Serialize};

use super::{
    frame::{Header, Kind, ROOM},
    node::{Cause, MpiNode},
};
use crate::{
    error::DeadlockReport,
    kernel::{BlockedNode, WaitsFor},
    rank::Rank,
    runtime::carrier::Carrier,
    time::{Span, Time},
    wire::NodeId,
};

/// The time for which other ranks may tell what they do before a run is ended at its limit.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The state of a rank, as it tells it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct State {
    activity: Activity,
    /// The picoseconds of its clock since which it waits.
    since: u64,
    waits_for: WaitsFor,
    within: Option<String>,
    counts: Counts,
}

/// The progress of a rank: messages sent and taken in, and calls of its program.
type Counts = (u64, u64, u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Activity {
    /// It waits, and only a message can end that.
    Waits,
    Returned,
    Acts,
}

/// A round of questions.
#[derive(Debug, Default)]
pub(super) struct Inquiry {
    /// Its number, if one is under way.
    round: Option<u64>,
    rounds: u64,
    answers: BTreeMap<NodeId, State>,
    /// The counts of the round before, if it found no rank that acts.
    before: Option<Vec<Counts>>,
    /// The time from which on the next one may begin.
    next: Option<Time>,
    /// The time at which the run ends, whatever is answered.
    ends: Option<Time>,
}

impl Inquiry {
    /// Takes an answer.
    pub(super) fn take(&mut self, source: NodeId, round: u64, state: &[u8]) {
        if self.round == Some(round)
            && let Ok(state) = serde_json::from_slice(state)
        {
            self.answers.insert(source, state);
        }
    }
}

impl State {
    /// The rank in a report; `None` if it has returned.
    fn blocked(&self, rank: Rank) -> Option<BlockedNode> {
        // A run ends once, and libraries have few names.
        let leak = |name: &String| &*Box::leak(name.clone().into_boxed_str());
        (self.activity != Activity::Returned).then(|| BlockedNode {
            rank,
            since: Time::ZERO + Span::from_picos(self.since),
            waits_for: self.waits_for.clone(),
            within: self.within.as_ref().map(leak),
        })
    }
}

impl MpiNode<'_> {
    /// The state of this rank.
    fn state(&self) -> State {
        let BlockedNode { since, waits_for, within, .. } = self.blocked();
        let activity = match *self.waiting.borrow() {
            _ if self.has_returned.get() => Activity::Returned,
            Some((_, true)) => Activity::Waits,
            _ => Activity::Acts,
        };
        let line = &self.job.line;
        let counts = (line.sent(), line.received(), self.calls.get());
        let since = since.since_start().as_picos();
        State { activity, since, waits_for, within: within.map(str::to_owned), counts }
    }

    /// Answers a question, unless all have come to the end meanwhile: the answer would come to the next run.
    pub(super) fn tell_state(&self, source: NodeId, question: Header) -> Result<(), Error> {
        if self.is_over.get() {
            return Ok(());
        }
        let mut state = self.state();
        let mut text = serde_json::to_vec(&state).unwrap_or_default();
        if text.len() > ROOM
            && let WaitsFor::Requests(requests) = &mut state.waits_for
        {
            requests.truncate(8);
            text = serde_json::to_vec(&state).unwrap_or_default();
        }
        self.job.line.send_frame(source, question.of_kind(Kind::State), &text[..text.len().min(ROOM)])
    }

    /// Looks at the clock while this rank waits: asks the others if that takes long, and ends the run if it has to.
    pub(super) fn mind(&self) {
        if self.is_ended() {
            return;
        }
        let now = self.time();
        let since = self.waiting.borrow().as_ref().map_or(now, |(waiting, _)| waiting.since);
        let limit = self.settings.wall_limit.map(|limit| Time::ZERO + Span::from(limit));
        let inquiry = &mut *self.inquiry.borrow_mut();
        match inquiry.ends {
            Some(ends) if now >= ends => {
                let own = self.blocked();
                let answers = inquiry.answers.iter();
                let mut nodes: Vec<BlockedNode> =
                    answers.filter_map(|(&node, state)| state.blocked(node as Rank)).collect();
                nodes.push(own);
                nodes.sort_by_key(|node| node.rank);
                return self.stop(Cause::WallLimit(nodes));
            }
            None if limit.is_some_and(|limit| now >= limit) => {
                inquiry.ends = Some(now + Span::from(LAST_WORDS));
                return self.ask(inquiry);
            }
            _ => {}
        }
        if inquiry.round.is_none() {
            let next = inquiry.next.unwrap_or_default().max(since + Span::from(self.settings.patience));
            if now >= next {
                self.ask(inquiry);
            }
        } else if inquiry.answers.len() + 1 == self.job.size() && inquiry.ends.is_none() {
            inquiry.next = Some(now + Span::from(self.settings.patience));
            if let Some(report) = self.verdict(inquiry) {
                self.stop(Cause::Deadlock(report));
            }
        }
    }

    /// Asks all others.
    fn ask(&self, inquiry: &mut Inquiry) {
        inquiry.rounds += 1;
        inquiry.round = Some(inquiry.rounds);
        inquiry.answers.clear();
        let question = Header { nth: inquiry.rounds, ..Header::new(Kind::Ask) };
        for other in (0..self.job.size()).filter(|&other| other != self.job.rank()) {
            // A rank that cannot be asked does not answer.
            let _ = self.job.line.send_frame(other as NodeId, question, &[]);
        }
    }

    /// The deadlock that all answers of a second round tell of; a first one is followed by a second.
    fn verdict(&self, inquiry: &mut Inquiry) -> Option<DeadlockReport> {
        inquiry.round = None;
        inquiry.answers.insert(Carrier::id(self), self.state());
        let before = inquiry.before.take();
        if inquiry.answers.values().any(|state| state.activity == Activity::Acts) {
            return None;
        }
        let counts: Vec<Counts> = inquiry.answers.values().map(|state| state.counts).collect();
        let sent: u64 = counts.iter().map(|(sent, ..)| sent).sum();
        let taken: u64 = counts.iter().map(|(_, taken, _)| taken).sum();
        if before.as_ref() != Some(&counts) || sent != taken {
            inquiry.before = Some(counts);
            self.ask(inquiry);
            return None;
        }
        let blocked = inquiry.answers.iter().filter_map(|(&node, state)| state.blocked(node as Rank));
        let returned = inquiry.answers.iter().filter(|(_, state)| state.activity == Activity::Returned);
        Some(DeadlockReport::new(blocked.collect(), returned.map(|(&node, _)| node as Rank).collect()))
    }
}
