//! The route of messages through the network: entry, departure, arrival, and matching.

use super::{
    Kernel, Kind,
    op::Cause,
    ports::{Leg, Outgoing},
    request::{Arrived, Request},
};
use crate::{
    fabric::{Port, Way, latency_of},
    model::Regime,
    rank::Rank,
    record::Transfer,
    time::{Span, Time},
    wire::{MessageId, NodeId},
};

impl Kernel {
    /// Starts the flow of the next message that is ready in the out-port that has been promised to it.
    pub(super) fn enter(&mut self, source: NodeId) {
        let now = self.now;
        if self.remote.is_some() && self.nodes[source as usize].ports.join(now) {
            self.promise_ports(source, now);
        }
        let message = self.nodes[source as usize].ports.take_port(now);
        if let Some(Outgoing { target, bytes, seq, port: Some(number), .. }) = message {
            let port = Port { node: source as Rank, number };
            match self.route(self.now, source, target) {
                Ok(None) => {}
                Ok(Some(detour)) => self.fabric.detour(port, detour),
                Err(cause) => return self.fail_in_port(port, cause),
            }
            self.fabric.start(self.now, port, target as usize, seq, bytes, &*self.topology);
        }
    }

    /// The time of flight of an active message, which is one packet: it waits for no port and shares no link.
    pub(super) fn flight_time(
        &mut self,
        at: Time,
        source: NodeId,
        target: NodeId,
        bytes: u64,
    ) -> Result<Span, Cause> {
        let route = self.route(at, source, target)?.unwrap_or_else(|| {
            let mut route = Vec::new();
            self.topology.route(source as usize, target as usize, &mut route);
            route
        });
        let hops = self.hop.times(route.len() as u64) + latency_of(&route, &*self.topology);
        Ok(Span::from_secs_f64(bytes as f64 * self.beta) + self.latency + hops)
    }

    /// Promises an out-port of a node, if one is free from `at` on, to the next message; returns whether there was one.
    pub(super) fn promise_port(&mut self, source: NodeId, at: Time) -> bool {
        let next = self.nodes[source as usize].ports.promise(self.ports);
        if let Some(next) = next {
            self.schedule(next.ready.max(at), Kind::Entry, source, next.order);
        }
        next.is_some()
    }

    /// Removes the message from an out-port at `at`, and promises the port to the next message.
    pub(super) fn clear(&mut self, port: Port, at: Time) -> Option<Outgoing> {
        let message = self.nodes[port.node].ports.clear(port.number)?;
        self.promise_port(port.node as NodeId, at);
        Some(message)
    }

    /// Handles the departure of the message in an out-port at `left`.
    pub(super) fn leave(&mut self, port: Port, left: Time, way: Way) {
        let Some(message) = self.clear(port, left) else { return };
        let source = port.node as NodeId;
        let arrives = left + self.latency + self.hop.times(way.links as u64) + way.latency;
        self.depart(source, &message, left, arrives);
    }

    /// Handles the departure of a message: schedules its arrival, and lets the sender continue.
    pub(super) fn depart(&mut self, source: NodeId, message: &Outgoing, left: Time, arrives: Time) {
        let Outgoing { target, label, bytes, seq, active, .. } = *message;
        let awaited = self.await_match(message, left);
        let arrived =
            Arrived { at: arrives, id: MessageId { source, seq }, label, bytes, active, awaited, lost: None };
        if self.traced {
            let (from, to) = (source as Rank, target as Rank);
            let port = Port { node: from, number: message.port.unwrap_or(0) };
            let entered = message.port.map_or(left, |_| self.fabric.last_start(port));
            let access = self.access_of(source, message);
            self.transfers.push(Transfer {
                from,
                to,
                seq,
                bytes,
                port: port.number,
                access,
                entered,
                left,
                arrived: arrives,
            });
        }
        if message.leg != Leg::Message {
            return self.access_left(source, message, left, arrives);
        }
        if arrives > self.now {
            let key = self.flying.insert((target, arrived));
            let event = super::Event { at: arrives, kind: Kind::Arrival, rank: source, serial: seq, key };
            self.events.push(event);
        } else {
            self.arrive(target, arrived);
        }
        if source != target && !active {
            self.record_departure(source, seq, left);
        }
        if awaited {
            self.awaited_message_left(source, message, left);
        } else {
            self.notify_sender(source, message, left);
        }
    }

    /// Records that a message has left its out-port.
    pub(super) fn record_departure(&mut self, source: NodeId, seq: u64, left: Time) {
        if !self.exchange_overhead.is_zero() {
            self.nodes[source as usize].sends.leave(seq, left);
        }
    }

    /// Notifies the sender that its message has left.
    pub(super) fn notify_sender(&mut self, source: NodeId, message: &Outgoing, left: Time) {
        let node = &mut self.nodes[source as usize];
        if let Some(request) = message.request {
            if node.requests.get(request).is_some() {
                node.requests.insert(request, Request::Sent { at: left, seq: message.seq, matched: false });
                self.request_completed(source, request, left);
            }
        } else if message.blocking {
            self.blocking_send_left(source, left, false);
        }
    }

    /// The CPU overhead of receiving a message of `bytes` bytes.
    pub(super) fn receive_overhead_of(&self, bytes: u64) -> Span {
        Regime::of(&self.regimes, bytes).map_or(self.receive_overhead, |regime| regime.receive_overhead)
    }

    /// The end of a receive that was posted at `posted`, where the node waits from `called` on.
    pub(super) fn receive_end(
        &mut self,
        target: NodeId,
        called: Time,
        posted: Time,
        message: &Arrived,
    ) -> Time {
        let start = called.max(message.at);
        if message.active {
            return self.work_end(target, start, self.active_overheads.1);
        }
        let mut overhead = self.receive_overhead_of(message.bytes);
        if !self.exchange_overhead.is_zero() && self.nodes[target as usize].sends.overlap(posted, message.at)
        {
            overhead += self.exchange_overhead;
        }
        self.work_end(target, start, overhead + self.copy_of_unexpected(posted, message))
    }

    /// The CPU time for copying a message that arrived before its receive was posted. A message whose sender waits for the receive is not
    /// stored, and not copied.
    pub(super) fn copy_of_unexpected(&self, posted: Time, message: &Arrived) -> Span {
        match self.unexpected {
            Some((overhead, rate)) if message.at < posted && !message.awaited => {
                overhead + Span::from_secs_f64(message.bytes as f64 * rate)
            }
            _ => Span::ZERO,
        }
    }
}
