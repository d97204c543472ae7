//! Deadlock queries from a rank that has waited for long, replies to such queries, and the time limit of a run.

use std::time::Duration;

use super::{
    connection::transport_error,
    frame::{Header, Kind, ROOM},
    inquiry::{Activity, Inquiry, State, Verdict},
    node::{Cause, MpiNode},
};
use crate::{
    error::CommError,
    runtime::carrier::Carrier,
    time::{Span, Time},
    wire::NodeId,
};

/// The time for which other ranks may report their state before a run is ended at its limit.
const FINAL_REPLY_TIMEOUT: Duration = Duration::from_secs(1);

impl MpiNode<'_> {
    /// The state of this rank.
    fn state(&self) -> State {
        let activity = match *self.waiting.borrow() {
            _ if self.has_returned.get() => Activity::Returned,
            Some((_, true)) => Activity::Waits,
            _ => Activity::Acts,
        };
        let connection = &self.job.connection;
        let counts = (connection.sent(), connection.received(), self.calls.get());
        State { activity, node: self.blocked().into(), unreceived: self.waiting_messages(), counts }
    }

    /// Replies to a query, unless the run is over on all ranks: the reply would arrive in the next run.
    pub(super) fn reply_state(&self, source: NodeId, question: Header) -> Result<(), CommError> {
        if self.is_over.get() {
            return Ok(());
        }
        let state = self.state();
        let mut text = serde_json::to_vec(&state).unwrap_or_default();
        if text.len() > ROOM {
            let shorter = State { node: state.node.shortened(), unreceived: Vec::new(), ..state };
            text = serde_json::to_vec(&shorter).unwrap_or_default();
        }
        let answer = question.of_kind(Kind::State);
        let sent = self.job.connection.send_frame(source, answer, &text[..text.len().min(ROOM)]);
        sent.map_err(transport_error)
    }

    /// Checks the clock while this rank waits: queries the others after a long wait, and ends the run if necessary.
    pub(super) fn check_clock(&self) {
        if self.is_ended() {
            return;
        }
        let now = self.time();
        let since = self.waiting.borrow().as_ref().map_or(now, |(waiting, _)| waiting.since);
        let limit = self.settings.wall_limit.map(|limit| Time::ZERO + Span::from(limit));
        let patience = Span::from(self.settings.patience);
        let inquiry = &mut *self.inquiry.borrow_mut();
        if let Some(ends) = self.ends.get() {
            if now >= ends {
                let mut nodes = inquiry.blocked();
                nodes.push(self.blocked());
                nodes.sort_by_key(|node| node.rank);
                self.stop(Cause::WallLimit(nodes));
            }
        } else if limit.is_some_and(|limit| now >= limit) {
            self.ends.set(Some(now + Span::from(FINAL_REPLY_TIMEOUT)));
            self.query_all(inquiry);
        } else if inquiry.is_due(now, since, patience) {
            self.query_all(inquiry);
        } else if inquiry.is_answered(self.job.size()) {
            match inquiry.conclude((Carrier::id(self), self.state()), now + patience) {
                Verdict::Alive => {}
                Verdict::Unclear => self.query_all(inquiry),
                Verdict::Deadlock(report) => self.stop(Cause::Deadlock(report)),
            }
        }
    }

    /// Queries all other ranks.
    fn query_all(&self, inquiry: &mut Inquiry) {
        let question = Header { nth: inquiry.begin(), ..Header::new(Kind::StateQuery) };
        for other in (0..self.job.size()).filter(|&other| other != self.job.rank()) {
            // A rank that cannot be queried does not reply.
            let _ = self.job.connection.send_frame(other as NodeId, question, &[]);
        }
    }
}
