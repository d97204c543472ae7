//! Sends, the route of messages through ports and links, and arrivals.

use super::*;

impl Reference<'_> {
    pub(super) fn send(&mut self, rank: Rank, parcel: Parcel, request: Option<RequestId>, waits: bool) {
        let leaves = parcel.target as Rank != rank && !parcel.active;
        let blocking = waits && (leaves || self.is_rendezvous(&parcel));
        if blocking {
            self.nodes[rank].state = State::Sending;
        }
        let refused = self.launch(rank, parcel, request, blocking, Leg::Message);
        let clock = self.nodes[rank].clock;
        match refused {
            Some(cause) => self.reply(rank, clock, Outcome::Failed(cause)),
            None if !blocking => self.reply(rank, clock, Outcome::Done),
            None => {}
        }
    }

    pub(super) fn launch(
        &mut self,
        rank: Rank,
        parcel: Parcel,
        request: Option<RequestId>,
        blocking: bool,
        leg: Leg,
    ) -> Option<Cause> {
        let called = self.now;
        let parameters = self.machine.parameters();
        let regime = Regime::of(parameters.regimes(), parcel.bytes);
        let overhead = match regime {
            _ if parcel.active => parameters.active_send_overhead(),
            Some(regime) => regime.send_overhead,
            None => parameters.send_overhead(),
        };
        let ready = self.work_end(rank, called, overhead);
        let node = &mut self.nodes[rank];
        let seq = node.sent;
        node.sent += 1;
        node.clock = ready;
        if let Some(request) = request {
            node.requests.insert(request, Request::Sending);
        }
        let message = Outgoing { parcel, seq, ready, request, blocking, leg, port: None };
        if parcel.target as Rank == rank {
            self.depart(rank, message, ready, ready, ready);
        } else if parcel.active {
            let flight = match self.route(ready, rank, parcel.target) {
                Ok(hops) => {
                    Span::from_secs_f64(parcel.bytes as f64 * parameters.beta()) + parameters.latency() + hops
                }
                Err(cause) => return Some(cause),
            };
            self.depart(rank, message, ready, ready, ready + flight);
        } else {
            node.sends.push(Sent { seq, called, left: None });
            node.leaving.push(message);
        }
        None
    }

    /// The time over the links of the route of a message that leaves at an instant.
    pub(super) fn route(&mut self, at: Time, from: Rank, to: NodeId) -> Result<Span, Cause> {
        let mut route = Vec::new();
        let topology = self.machine.topology();
        topology.route(from, to as Rank, &mut route);
        let route = self.router.route(at, from as NodeId, to)?.unwrap_or(route);
        let hop = self.machine.parameters().hop();
        let of_link = |link: &usize| hop + topology.latencies().get(*link).copied().unwrap_or_default();
        Ok(route.iter().map(of_link).fold(Span::ZERO, |sum, hop| sum + hop))
    }

    /// The index of the first message of a node that can enter an out-port now.
    pub(super) fn next_to_enter(&self, rank: Rank) -> Option<usize> {
        let leaving = &self.nodes[rank].leaving;
        let in_ports = || leaving.iter().filter(|out| out.port.is_some());
        if in_ports().count() == self.machine.parameters().ports() as usize {
            return None;
        }
        let is_free = |out: &Outgoing| in_ports().all(|other| other.parcel.target != out.parcel.target);
        leaving.iter().position(|out| out.port.is_none() && out.ready <= self.now && is_free(out))
    }

    pub(super) fn enter(&mut self, rank: Rank, at: usize) {
        let leaving = &mut self.nodes[rank].leaving;
        let number = (0..).find(|&port| leaving.iter().all(|out| out.port != Some(port))).unwrap();
        let (message, port) = (leaving[at], Port { node: rank, number });
        match self.router.route(self.now, rank as NodeId, message.parcel.target) {
            Err(cause) => return self.fail_leaving(rank, at, cause),
            Ok(Some(detour)) => self.fabric.detour(port, detour),
            Ok(None) => {}
        }
        self.nodes[rank].leaving[at].port = Some(number);
        let Parcel { target, bytes, .. } = message.parcel;
        self.fabric.start(self.now, port, target as Rank, message.seq, bytes, &**self.machine.topology());
    }

    /// Fails a message that cannot continue, and notifies its sender.
    pub(super) fn fail_leaving(&mut self, rank: Rank, at: usize, cause: Cause) {
        let now = self.now;
        let message = self.nodes[rank].leaving.remove(at);
        if message.leg == Leg::Back {
            return self.lose_return(rank, message, cause);
        }
        self.record_departure(rank, message.seq);
        match message.request {
            Some(request) => self.request_ended(rank, request, now, Some(cause)),
            None if message.blocking && matches!(self.nodes[rank].state, State::Sending) => {
                let end = self.nodes[rank].clock.max(now);
                self.reply(rank, end, Outcome::Failed(cause));
            }
            None if message.blocking => self.fail_exchange(rank, now, cause),
            None => {}
        }
    }

    pub(super) fn record_departure(&mut self, rank: Rank, seq: u64) {
        let left = self.now;
        let sends = &mut self.nodes[rank].sends;
        sends.iter_mut().filter(|send| send.seq == seq).for_each(|send| send.left = Some(left));
    }

    pub(super) fn leave(&mut self, rank: Rank, message: Outgoing, arrives: Time) {
        if message.leg != Leg::Back {
            self.record_departure(rank, message.seq);
        }
        let port = Port { node: rank, number: message.port.unwrap() };
        let entered = self.fabric.last_start(port);
        self.depart(rank, message, entered, self.now, arrives);
    }

    pub(super) fn depart(&mut self, rank: Rank, message: Outgoing, entered: Time, left: Time, arrives: Time) {
        let Outgoing { parcel, seq, request, blocking, port, .. } = message;
        let id = MessageId { source: rank as NodeId, seq };
        let label = Label { context: parcel.context, source: rank as NodeId, tag: parcel.tag };
        let awaited = self.is_rendezvous(&parcel) && (request.is_some() || blocking);
        let (bytes, active) = (parcel.bytes, parcel.active);
        let arrived = Arrived { at: arrives, id, label, bytes, active, awaited, lost: None };
        self.transfers.push(Transfer {
            from: rank,
            to: parcel.target as Rank,
            seq,
            bytes: parcel.bytes,
            port: port.unwrap_or(0),
            access: self.returns.get(&id).map(|access| access.seq),
            entered,
            left,
            arrived: arrives,
        });
        if message.leg != Leg::Message {
            return self.access_left(rank, message, left, arrives);
        }
        if awaited {
            self.awaited.insert(id, request);
        }
        if arrives == self.now {
            self.arrive(parcel.target, arrived);
        } else {
            self.flying.insert((arrives, id.source, seq), (parcel.target, arrived));
        }
        match request {
            Some(request) if !awaited => self.request_ended(rank, request, left, None),
            _ if !blocking || parcel.target as Rank == rank => {}
            _ => match &mut self.nodes[rank].state {
                State::Exchanging { sent, .. } => {
                    *sent = Some(left);
                    self.try_end_exchange(rank);
                }
                State::Sending if awaited => self.nodes[rank].clock = left,
                State::Sending => self.reply(rank, left, Outcome::Done),
                _ => {}
            },
        }
    }

    // Rendezvous.

    pub(super) fn is_rendezvous(&self, parcel: &Parcel) -> bool {
        let is_long = self.machine.rendezvous().is_some_and(|from| parcel.bytes >= from);
        !parcel.active && (parcel.synchronous || is_long)
    }

    pub(super) fn match_message(&mut self, id: MessageId) {
        let (now, rank) = (self.now, id.source as Rank);
        match self.awaited.remove(&id) {
            Some(Some(request)) => self.request_ended(rank, request, now, None),
            Some(None) => match &mut self.nodes[rank].state {
                State::Sending => self.reply(rank, now, Outcome::Done),
                State::Exchanging { matched, .. } => {
                    *matched = Some(now);
                    self.try_end_exchange(rank);
                }
                _ => {}
            },
            None => {}
        }
    }

    // Receiving.

    pub(super) fn arrive(&mut self, target: NodeId, message: Arrived) {
        let rank = target as Rank;
        let arrived = &mut self.nodes[rank].arrived;
        let later = arrived.iter().rev().take_while(|other| (message.at, message.id) < (other.at, other.id));
        arrived.insert(arrived.len() - later.count(), message);
        self.match_named(rank);
    }
}
