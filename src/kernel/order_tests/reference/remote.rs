//! Remote memory accesses.

use super::*;

impl Reference<'_> {
    pub(super) fn remote(&mut self, rank: Rank, parcel: Parcel, back: Option<u64>, request: RequestId) {
        let id = MessageId { source: rank as NodeId, seq: self.nodes[rank].sent };
        self.accesses.insert(id, Access { parcel, back, request, is_carried_out: false });
        self.launch(rank, parcel, Some(request), false, Leg::Out);
        let clock = self.nodes[rank].clock;
        self.reply(rank, clock, Outcome::Done);
    }

    /// Handles the departure of an access, or of what it returns.
    pub(super) fn access_left(&mut self, rank: Rank, message: Outgoing, left: Time, arrives: Time) {
        let sent = MessageId { source: rank as NodeId, seq: message.seq };
        let id = if message.leg == Leg::Back { self.returns[&sent] } else { sent };
        self.access_arrivals.insert((arrives, id));
        let Access { back, request, .. } = self.accesses[&id];
        if message.leg == Leg::Out && back.is_none() {
            self.request_ended(rank, request, left, None);
        }
    }

    /// Carries out an access that arrives at its target, or ends one that has returned.
    pub(super) fn access_arrives(&mut self, id: MessageId) {
        let now = self.now;
        let Some(access) = self.accesses.get_mut(&id) else { return };
        let Access { parcel, back, request, .. } = *access;
        let (origin, target) = (id.source as Rank, parcel.target as Rank);
        if !std::mem::replace(&mut access.is_carried_out, true) {
            self.carried_out.push(id);
            let Some(bytes) = back else { return };
            if origin != target {
                return self.send_back(id, Parcel { target: id.source, bytes, ..parcel }, target);
            }
        }
        if let Some(state) = self.nodes[origin].requests.get_mut(&request) {
            *state = Request::Returned { at: now, id };
            self.try_wait(origin);
        }
    }

    /// Sends what an access returns: without bytes it uses no port.
    fn send_back(&mut self, id: MessageId, parcel: Parcel, target: Rank) {
        let now = self.now;
        let seq = u64::MAX - self.nodes[target].returned;
        self.nodes[target].returned += 1;
        self.returns.insert(MessageId { source: target as NodeId, seq }, id);
        let message =
            Outgoing { parcel, seq, ready: now, request: None, blocking: false, leg: Leg::Back, port: None };
        if parcel.bytes > 0 {
            // It precedes the node's own messages that become ready now or later.
            let is_later = |out: &Outgoing| out.leg != Leg::Back && out.ready >= now && out.port.is_none();
            let leaving = &mut self.nodes[target].leaving;
            let place = leaving.iter().position(is_later).unwrap_or(leaving.len());
            return leaving.insert(place, message);
        }
        match self.route(now, target, parcel.target) {
            Ok(hops) => {
                let arrives = now + self.machine.parameters().latency() + hops;
                self.depart(target, message, now, now, arrives);
            }
            Err(cause) => self.lose_return(target, message, cause),
        }
    }

    /// Fails an access because what it returns is lost.
    pub(super) fn lose_return(&mut self, rank: Rank, message: Outgoing, cause: Cause) {
        let id = self.returns[&MessageId { source: rank as NodeId, seq: message.seq }];
        let request = self.accesses[&id].request;
        self.request_ended(id.source as Rank, request, self.now, Some(cause));
    }
}
