//! Waits, tests and probes.

use super::*;

impl Reference<'_> {
    pub(super) fn request_ended(&mut self, rank: Rank, request: RequestId, at: Time, failed: Option<Cause>) {
        if let Some(state) = self.nodes[rank].requests.get_mut(&request) {
            *state = Request::Ended { at, failed };
            self.try_wait(rank);
        }
    }

    pub(super) fn try_wait(&mut self, rank: Rank) {
        if let State::Waiting(request) = self.nodes[rank].state {
            let called = self.nodes[rank].clock;
            if let Some((end, ended)) = self.end_of(rank, called, request) {
                self.nodes[rank].requests.remove(&request);
                let outcome = match ended {
                    Ok(None) => Outcome::Done,
                    Ok(Some(id)) => Outcome::Received(id),
                    Err(cause) => Outcome::Failed(cause),
                };
                self.reply(rank, end, outcome);
            }
        }
    }

    /// Returns the end of a wait called at `called`, if the request is complete, and the end state of the request.
    pub(super) fn end_of(
        &self,
        rank: Rank,
        called: Time,
        request: RequestId,
    ) -> Option<(Time, Result<Option<MessageId>, Cause>)> {
        match self.nodes[rank].requests.get(&request)? {
            Request::Ended { at, failed: Some(cause) } => Some((called.max(*at), Err(*cause))),
            Request::Ended { at, failed: None } => Some((called.max(*at), Ok(None))),
            Request::Returned { at, id } => Some((called.max(*at), Ok(Some(*id)))),
            Request::Received { message: Arrived { at, lost: Some(cause), .. }, .. } => {
                Some((called.max(*at), Err(*cause)))
            }
            Request::Received { posted, message } => {
                Some((self.receive_end(rank, called, *posted, message), Ok(Some(message.id))))
            }
            Request::Sending | Request::Posted => None,
        }
    }

    // Line 6.

    /// Whether a node has a call of line 6 at this instant.
    pub(super) fn looks(&self, rank: Rank) -> bool {
        let node = &self.nodes[rank];
        match &node.state {
            State::Called(Op::Recv { .. }) => false,
            State::Called(_) => true,
            State::Receiving { deadline } => *deadline == self.now,
            State::WaitingForAny(wait) => wait.deadline <= self.now || self.first_of(rank, wait).is_some(),
            State::Probing { select, .. } => {
                node.arrived.iter().any(|message| select.accepts(&message.label))
            }
            _ => false,
        }
    }

    /// The completion time and index of the first complete request of several.
    pub(super) fn first_of(&self, rank: Rank, wait: &AnyOf) -> Option<(Time, usize)> {
        let since = |request| self.nodes[rank].requests.get(request).and_then(Request::complete_since);
        let places = wait.requests.iter().enumerate();
        places.filter_map(|(place, request)| Some((since(request)?, place))).min()
    }

    pub(super) fn look(&mut self, rank: Rank) {
        let now = self.now;
        match std::mem::replace(&mut self.nodes[rank].state, State::Ready) {
            State::Called(Op::WaitAny(wait)) => {
                let mut deadline = wait.deadline.max(now);
                if wait.computing {
                    deadline = self.work_end(rank, now, deadline.since(now));
                }
                self.wait_any(rank, AnyOf { deadline, ..wait });
            }
            State::WaitingForAny(wait) => self.wait_any(rank, wait),
            State::Called(Op::Test { request }) => match self.end_of(rank, now, request) {
                Some((end, ended)) => {
                    self.nodes[rank].requests.remove(&request);
                    let outcome = match ended {
                        Ok(received) => Outcome::Completed { index: 0, received },
                        Err(cause) => Outcome::Failed(cause),
                    };
                    self.reply(rank, end, outcome);
                }
                None => self.reply(rank, now, Outcome::Nothing),
            },
            State::Called(Op::Probe { select, blocking, claims }) => {
                self.probe(rank, select, blocking, claims)
            }
            State::Probing { select, claims } => self.probe(rank, select, true, claims),
            State::Called(Op::RecvUntil { select, deadline }) => {
                let first =
                    self.nodes[rank].arrived.iter().position(|message| select.accepts(&message.label));
                if let Some(first) = first {
                    self.nodes[rank].posted.push((select, Receiver::Blocking, now));
                    self.receive(rank, self.nodes[rank].posted.len() - 1, first);
                } else if deadline <= now {
                    self.reply(rank, now, Outcome::TimedOut);
                } else {
                    self.nodes[rank].state = State::Receiving { deadline };
                    self.nodes[rank].posted.push((select, Receiver::Blocking, now));
                }
            }
            State::Receiving { .. } => {
                self.nodes[rank].posted.retain(|(_, receiver, _)| *receiver != Receiver::Blocking);
                self.reply(rank, now, Outcome::TimedOut);
            }
            State::Called(Op::Withdraw { request, unless_matched: true }) => {
                let node = &mut self.nodes[rank];
                if !matches!(node.requests.get(&request), Some(Request::Posted)) {
                    return self.reply(rank, now, Outcome::Done);
                }
                node.posted.retain(|(_, receiver, _)| *receiver != Receiver::Request(request));
                node.requests.remove(&request);
                self.reply(rank, now, Outcome::Withdrawn);
            }
            State::Called(Op::Withdraw { request, .. }) => {
                let node = &mut self.nodes[rank];
                node.posted.retain(|(_, receiver, _)| *receiver != Receiver::Request(request));
                let taken = node.requests.remove(&request);
                self.reply(rank, now, Outcome::Done);
                if let Some(Request::Received { message, .. }) = taken {
                    self.arrive(rank as NodeId, message);
                    self.match_all(rank);
                }
            }
            other => self.nodes[rank].state = other,
        }
    }

    pub(super) fn wait_any(&mut self, rank: Rank, wait: AnyOf) {
        let called = self.nodes[rank].clock;
        let Some((at, index)) = self.first_of(rank, &wait).filter(|&(at, _)| at <= wait.deadline) else {
            match wait.deadline <= self.now {
                true => self.reply(rank, wait.deadline, Outcome::TimedOut),
                false => self.nodes[rank].state = State::WaitingForAny(wait),
            }
            return;
        };
        let request = wait.requests[index];
        let waiting = if wait.computing { called.max(at) } else { called };
        let Some((end, ended)) = self.end_of(rank, waiting, request) else { return };
        self.nodes[rank].requests.remove(&request);
        let outcome = match ended {
            Err(cause) => Outcome::FailedAmong { index, cause },
            Ok(Some(received)) if wait.computing => {
                let noise = self.nodes[rank].noise.iter();
                let noise = noise.map(|&(begin, over)| over.min(waiting).since(begin.max(called))).sum();
                Outcome::Interrupted { received, computed: waiting.since(called) - noise }
            }
            Ok(received) => Outcome::Completed { index, received },
        };
        self.reply(rank, end, outcome);
    }

    pub(super) fn probe(&mut self, rank: Rank, select: Selector, blocking: bool, claims: bool) {
        let (now, called) = (self.now, self.nodes[rank].clock);
        let node = &mut self.nodes[rank];
        let place = node.arrived.iter().position(|message| select.accepts(&message.label));
        let found = place.map(|place| if claims { node.arrived.remove(place) } else { node.arrived[place] });
        match found {
            Some(Arrived { at, lost: Some(cause), .. }) => {
                self.reply(rank, called.max(at), Outcome::Failed(cause));
            }
            Some(message) if claims => {
                let Arrived { id, label, bytes, .. } = message;
                self.nodes[rank].claimed.push(message);
                self.reply(rank, now, Outcome::Claimed { id, label, bytes });
            }
            Some(Arrived { label, bytes, .. }) => {
                self.reply(rank, now, Outcome::Found { label, bytes });
            }
            None if blocking => self.nodes[rank].state = State::Probing { select, claims },
            None => self.reply(rank, now, Outcome::Nothing),
        }
    }
}
