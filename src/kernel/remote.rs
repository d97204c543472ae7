//! Remote memory accesses: operations on the memory of another node that need no call of that node.
//!
//! An access is a message that travels as any other, up to the network interface of its target: at its arrival the caller of the kernel
//! [carries it out](super::Calls::carry_out), and the kernel does not see what it does. What the access returns is a message that the network
//! interface of the target sends: it waits for an out-port like the messages of the node, but takes no time of the node's processor. An
//! acknowledgement is as short as an active message: it uses no port.
//!
//! A node that runs ahead of the network puts its messages into the queue at its out-ports before they are ready. What an access returns may
//! be ready before them. From the first access of a run on, messages therefore join the queue only when they are ready.
//!
//! Programs may read the memory that an access changes. A node that has received a reply from the kernel is at its clock, and so is the
//! network, because there is no lookahead from the first access on: the program sees all accesses up to its clock and no later ones.

use std::collections::BTreeMap;

use super::{
    Calls, Kernel, Kind,
    op::Cause,
    ports::{Leg, Outgoing},
    request::Request,
};
use crate::{
    time::Time,
    wire::{Label, MessageId, NodeId, Parcel, RequestId},
};

/// An access that has been issued and has not ended.
#[derive(Clone, Copy, Debug)]
struct Access {
    parcel: Parcel,
    /// The number of bytes that it returns, 0 for an acknowledgement; `None` if nothing returns.
    back: Option<u64>,
    request: RequestId,
    is_carried_out: bool,
    /// After the access has been carried out: the number of the message that returns.
    returns: Option<u64>,
}

/// The accesses of all nodes that have not ended.
#[derive(Debug, Default)]
pub(super) struct Remote {
    accesses: BTreeMap<MessageId, Access>,
    /// The accesses whose results are on their way, by the messages that return.
    returns: BTreeMap<MessageId, MessageId>,
}

impl Kernel {
    /// Issues a remote memory access.
    pub(super) fn remote(&mut self, id: NodeId, parcel: Parcel, back: Option<u64>, request: RequestId) {
        let called = self.nodes[id as usize].clock;
        let seq = self.nodes[id as usize].sent;
        if let Some((_, cause)) = self.death_of_call(parcel.context, called) {
            self.nodes[id as usize].sent += 1;
            self.fail(id, called, cause);
            return;
        }
        if self.remote.is_none() {
            self.remote = Some(Box::default());
            self.end_lookahead();
            for rank in 0..self.nodes.len() {
                self.hold_back(rank as NodeId);
            }
        }
        if let Some(remote) = &mut self.remote {
            let access = Access { parcel, back, request, is_carried_out: false, returns: None };
            remote.accesses.insert(MessageId { source: id, seq }, access);
        }
        let (ready, _) = self.launch(id, parcel, Some(request), false, Leg::Out);
        self.note_send(id, called, ready, &parcel, seq);
        self.finish(id, ready, super::Outcome::Done);
    }

    /// Takes the messages of a node that are not ready out of the queue at its out-ports.
    fn hold_back(&mut self, id: NodeId) {
        let now = self.now;
        for message in self.nodes[id as usize].ports.recall(|message| message.ready >= now) {
            self.queue_when_ready(id, message);
        }
        self.promise_ports(id, now);
    }

    /// Adds a message to the queue at the out-ports of its node when it is ready.
    pub(super) fn queue_when_ready(&mut self, id: NodeId, message: Outgoing) {
        self.nodes[id as usize].ports.push_later(message);
        self.schedule(message.ready, Kind::Entry, id, 0);
    }

    /// Promises the free out-ports of a node to the next messages.
    pub(super) fn promise_ports(&mut self, id: NodeId, at: Time) {
        while self.promise_port(id, at) {}
    }

    /// The number of the access of which a message is the return.
    pub(super) fn access_of(&self, source: NodeId, message: &Outgoing) -> Option<u64> {
        let sent = MessageId { source, seq: message.seq };
        Some(self.remote.as_ref().filter(|_| message.leg == Leg::Back)?.returns.get(&sent)?.seq)
    }

    /// Handles the departure of an access, or of the message that returns.
    pub(super) fn access_left(&mut self, source: NodeId, message: &Outgoing, left: Time, arrives: Time) {
        let sent = MessageId { source, seq: message.seq };
        let Some(remote) = &mut self.remote else { return };
        let id = if message.leg == Leg::Back { remote.returns.remove(&sent) } else { Some(sent) };
        let Some(id) = id else { return };
        let back = remote.accesses.get(&id).and_then(|access| access.back);
        self.schedule(arrives, Kind::Access, id.source, id.seq);
        if message.leg == Leg::Out {
            if source != message.target {
                self.record_departure(source, message.seq, left);
            }
            if back.is_none() {
                self.notify_sender(source, message, left);
            }
        }
    }

    /// Handles the arrival of an access at its target, or of the message that returns at the origin.
    pub(super) fn access_arrives(&mut self, id: MessageId, calls: &mut impl Calls) {
        let access = self.remote.as_ref().and_then(|remote| remote.accesses.get(&id));
        let Some(&Access { parcel, back, is_carried_out, returns, .. }) = access else { return };
        if returns.is_some() {
            return self.end_access(id);
        }
        let (now, origin, target) = (self.now, id.source, parcel.target);
        let dies = self.nodes[target as usize].dies;
        if dies < now {
            return self.fail_access(id, Cause::NodeDied { node: target, at: dies });
        }
        if !is_carried_out {
            let served = calls.carry_out(id, now);
            if let Some(access) = self.remote.as_mut().and_then(|remote| remote.accesses.get_mut(&id)) {
                access.is_carried_out = true;
            }
            if served > now {
                return self.schedule(served, Kind::Access, origin, id.seq);
            }
        }
        if back.is_none() || target == origin {
            return self.end_access(id);
        }
        let seq = u64::MAX - self.nodes[target as usize].returned;
        self.nodes[target as usize].returned += 1;
        if let Some(remote) = &mut self.remote {
            remote.returns.insert(MessageId { source: target, seq }, id);
            if let Some(access) = remote.accesses.get_mut(&id) {
                access.returns = Some(seq);
            }
        }
        let message = Outgoing {
            target: origin,
            label: Label { context: parcel.context, source: target, tag: parcel.tag },
            bytes: back.unwrap_or(0),
            seq,
            active: false,
            rendezvous: false,
            leg: Leg::Back,
            order: 0,
            port: None,
            ready: now,
            request: None,
            blocking: false,
        };
        if message.bytes == 0 {
            match self.flight_time(now, target, origin, 0) {
                Ok(flight) => self.depart(target, &message, now, now + flight),
                Err(cause) => self.fail_access(id, cause),
            }
            return;
        }
        // What the network interface sends precedes messages of the node that become ready at this instant.
        let ports = &mut self.nodes[target as usize].ports;
        let later = ports.recall(|other| other.leg != Leg::Back && other.ready >= now);
        ports.push(message);
        later.into_iter().for_each(|later| ports.push(later));
        self.promise_ports(target, now);
    }

    /// Ends an access that has been carried out, and completes its request if the request waits for that.
    fn end_access(&mut self, id: MessageId) {
        let access = self.remote.as_mut().and_then(|remote| remote.accesses.remove(&id));
        let Some(Access { parcel, back: Some(_), request, returns, .. }) = access else { return };
        let (now, origin) = (self.now, id.source);
        let node = &mut self.nodes[origin as usize];
        if let Some(Request::SendUnderWay) = node.requests.get(request) {
            let returned = Request::Returned { at: now, seq: id.seq, from: parcel.target, returns };
            node.requests.insert(request, returned);
            self.request_completed(origin, request, now);
        }
    }

    /// Fails an access of which a message is lost.
    pub(super) fn fail_access(&mut self, id: MessageId, cause: Cause) {
        let access = self.remote.as_mut().and_then(|remote| remote.accesses.remove(&id));
        let Some(Access { request, .. }) = access else { return };
        let (now, origin) = (self.now, id.source);
        let node = &mut self.nodes[origin as usize];
        if let Some(Request::SendUnderWay) = node.requests.get(request) {
            node.requests.insert(request, Request::Failed { at: now, cause });
            self.request_completed(origin, request, now);
        }
    }

    /// Handles the loss of a message that a network interface has sent, at its out-port or before it.
    pub(super) fn lose_return(&mut self, source: NodeId, message: &Outgoing, cause: Cause) {
        let sent = MessageId { source, seq: message.seq };
        if let Some(id) = self.remote.as_mut().and_then(|remote| remote.returns.remove(&sent)) {
            self.fail_access(id, cause);
        }
    }
}
