//! Receives: matching by source, receives from any source, and exchanges.

use super::*;

impl Reference<'_> {
    /// The index of the first posted receive that accepts a message.
    pub(super) fn first_posted(&self, rank: Rank, message: &Arrived) -> Option<usize> {
        self.nodes[rank].posted.iter().position(|(select, ..)| select.accepts(&message.label))
    }

    /// Matches receives with named sources: each takes its first message, unless an earlier posted receive accepts the message.
    pub(super) fn match_named(&mut self, rank: Rank) {
        loop {
            let node = &self.nodes[rank];
            let clear = node.posted.iter().enumerate().find_map(|(at, (select, ..))| {
                let message = node.arrived.iter().position(|message| select.accepts(&message.label))?;
                let is_first = self.first_posted(rank, &node.arrived[message]) == Some(at);
                (is_first && !select.is_wild()).then_some((at, message))
            });
            let Some((at, message)) = clear else { break };
            self.receive(rank, at, message);
        }
    }

    /// Matches a posted receive with a message.
    pub(super) fn receive(&mut self, rank: Rank, at: usize, message: usize) {
        let node = &mut self.nodes[rank];
        let message = node.arrived.remove(message);
        let (_, receiver, posted) = node.posted.remove(at);
        if self.awaited.contains_key(&message.id) {
            self.meetings.insert(message.id);
        }
        match receiver {
            Receiver::Blocking => match &mut self.nodes[rank].state {
                State::Exchanging { received, .. } => {
                    *received = Some(message);
                    match message.lost {
                        Some(cause) => self.fail_exchange(rank, message.at, cause),
                        None => self.try_end_exchange(rank),
                    }
                }
                _ => self.end_receive(rank, posted, message),
            },
            Receiver::Request(request) => {
                if let Some(state) = self.nodes[rank].requests.get_mut(&request) {
                    *state = Request::Received { posted, message };
                    self.try_wait(rank);
                }
            }
        }
    }

    /// Ends a blocking receive that was called at `called`.
    pub(super) fn end_receive(&mut self, rank: Rank, called: Time, message: Arrived) {
        match message.lost {
            Some(cause) => self.reply(rank, called.max(message.at), Outcome::Failed(cause)),
            None => {
                let end = self.receive_end(rank, called, called, &message);
                self.reply(rank, end, Outcome::Received(message.id));
            }
        }
    }

    pub(super) fn receive_overhead(&self, bytes: u64) -> Span {
        let parameters = self.machine.parameters();
        let regime = Regime::of(parameters.regimes(), bytes);
        regime.map_or(parameters.receive_overhead(), |regime| regime.receive_overhead)
    }

    pub(super) fn receive_end(&self, rank: Rank, called: Time, posted: Time, message: &Arrived) -> Time {
        let start = called.max(message.at);
        let parameters = self.machine.parameters();
        if message.active {
            return self.work_end(rank, start, parameters.active_receive_overhead());
        }
        let is_under_way = |send: &Sent| {
            send.called < message.at && send.left.is_none_or(|left| left > posted) && posted < message.at
        };
        let mut overhead = self.receive_overhead(message.bytes);
        if self.nodes[rank].sends.iter().any(is_under_way) {
            overhead += parameters.exchange_overhead();
        }
        self.work_end(rank, start, overhead + self.copy_of_unexpected(posted, message))
    }

    fn copy_of_unexpected(&self, posted: Time, message: &Arrived) -> Span {
        let is_unexpected = message.at < posted && !message.awaited;
        let copy = self.machine.parameters().unexpected(message.bytes);
        copy.filter(|_| is_unexpected).unwrap_or_default()
    }

    pub(super) fn try_end_exchange(&mut self, rank: Rank) {
        let State::Exchanging { called, sent: Some(sent), matched: Some(matched), received: Some(message) } =
            self.nodes[rank].state
        else {
            return;
        };
        let overhead = self.receive_overhead(message.bytes)
            + self.machine.parameters().exchange_overhead()
            + self.copy_of_unexpected(called, &message);
        let start = self.nodes[rank].clock.max(sent).max(message.at);
        let end = self.work_end(rank, start, overhead).max(matched);
        self.reply(rank, end, Outcome::Received(message.id));
    }

    /// Fails a `sendrecv` of which one half has failed: its own message continues, and a received message becomes available again.
    pub(super) fn fail_exchange(&mut self, rank: Rank, at: Time, cause: Cause) {
        let State::Exchanging { received, .. } = self.nodes[rank].state else { return };
        let node = &mut self.nodes[rank];
        node.posted.retain(|(_, receiver, _)| *receiver != Receiver::Blocking);
        node.leaving.iter_mut().for_each(|out| out.blocking = false);
        self.awaited.retain(|id, request| id.source as Rank != rank || request.is_some());
        let end = node.clock.max(at);
        self.reply(rank, end, Outcome::Failed(cause));
        if let Some(message) = received.filter(|message| message.lost.is_none()) {
            self.arrive(rank as NodeId, message);
        }
    }

    // Line 5.

    /// Whether a receive from any source can be executed or can take a message now.
    pub(super) fn has_pending_delivery(&self, rank: Rank) -> bool {
        let node = &self.nodes[rank];
        matches!(node.state, State::Called(Op::Recv { .. }))
            || node.arrived.iter().any(|message| self.first_posted(rank, message).is_some())
    }

    pub(super) fn receive_from_any(&mut self, rank: Rank) {
        self.match_all(rank);
        if let State::Called(Op::Recv { select, .. }) = self.nodes[rank].state {
            let called = self.now;
            self.nodes[rank].state = State::Receiving { deadline: Time::MAX };
            self.nodes[rank].posted.push((select, Receiver::Blocking, called));
            self.match_all(rank);
        }
    }

    /// Matches all arrived messages, in order.
    pub(super) fn match_all(&mut self, rank: Rank) {
        loop {
            let arrived = &self.nodes[rank].arrived;
            let first = arrived
                .iter()
                .enumerate()
                .find_map(|(at, message)| Some((self.first_posted(rank, message)?, at)));
            let Some((at, message)) = first else { break };
            self.receive(rank, at, message);
        }
    }
}
