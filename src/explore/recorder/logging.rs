//! What a recorder writes into the log of its rank.

use super::Recorder;
use crate::{
    endpoint::{Claim, Envelope},
    explore::log::{Decision, Entry, Open, Pick, Poll, Receive, Took},
    payload::Payload,
    wire::{Label, Parcel, RequestId, Selector},
};

impl Recorder<'_> {
    /// Logs a send; returns its number.
    pub(super) fn sends(&self, parcel: &Parcel, payload: &Payload) -> u64 {
        let log = &mut *self.log.borrow_mut();
        let seq = log.sent;
        log.sent += 1;
        let label = Label { context: parcel.context, source: self.inner.id(), tag: parcel.tag };
        log.push(Entry::Send { seq, target: parcel.target, label, note: payload.note() });
        seq
    }

    pub(super) fn sent(&self, parcel: &Parcel, seq: u64) {
        let waits = self.is_waiting(parcel);
        if waits || !self.is_of_library(parcel) {
            self.log.borrow_mut().push(Entry::Sent { seq, waits });
        }
    }

    /// Logs the posting of a receive or a probe; returns its number, and the decision if one is forced.
    pub(super) fn posts(
        &self,
        select: Selector,
        consumes: bool,
        may_fail: bool,
    ) -> (usize, Option<Decision>) {
        let log = &mut *self.log.borrow_mut();
        let number = log.receives.len();
        if !log.over {
            let repeated = may_fail && log.polls.contains(&Poll::Receive(select));
            let polls = std::mem::take(&mut log.polls);
            let posted = log.entries.len();
            log.push(Entry::Post);
            if may_fail {
                log.polls = polls;
            }
            let (withdrawn, request, claimed, took) = (false, None, None, None);
            log.receives.push(Receive {
                select,
                consumes,
                may_fail,
                repeated,
                withdrawn,
                request,
                posted,
                claimed,
                took,
            });
        }
        (number, self.script.receives.get(number).copied().flatten())
    }

    /// Logs what a receive or a probe has taken.
    pub(super) fn took(&self, number: usize, took: Took) {
        let log = &mut *self.log.borrow_mut();
        if log.over {
            return;
        }
        let polls = std::mem::take(&mut log.polls);
        let receive = &mut log.receives[number];
        receive.took = Some(took);
        let select = receive.select;
        log.push(Entry::Taken(number));
        if took == Took::Nothing {
            log.polls = polls;
            log.polls.push(Poll::Receive(select));
        }
    }

    /// The state of open requests, and the decision among them, if one is forced.
    pub(super) fn picks(&self, requests: &[RequestId]) -> (Vec<Open>, Option<Decision>) {
        let log = self.log.borrow();
        let open = requests.iter().map(|id| log.open.get(id).copied().unwrap_or(Open::Done)).collect();
        if self.is_in_library() {
            return (open, None);
        }
        (open, self.script.picks.get(log.picks.len()).copied().flatten())
    }

    /// Logs the outcome of a pick.
    pub(super) fn picked(
        &self,
        ids: &[RequestId],
        requests: Vec<Open>,
        may_fail: bool,
        outcome: Option<(usize, Option<&Envelope>)>,
    ) {
        if self.is_in_library() {
            if let Some((index, envelope)) = outcome {
                self.completed(ids[index], envelope);
            }
            return;
        }
        let log = &mut *self.log.borrow_mut();
        if log.over {
            return;
        }
        let repeated = may_fail && log.polls.contains(&Poll::Pick(requests.clone()));
        let polls = std::mem::take(&mut log.polls);
        let entry = Entry::Pick(log.picks.len());
        log.push(entry);
        let outcome = match outcome {
            Some((index, envelope)) => {
                log.open.remove(&ids[index]);
                if let (Open::Receive(number), Some(envelope)) = (requests[index], envelope) {
                    log.receives[number].took = Some(Took::Message(envelope.id));
                }
                Decision::From(index as u32)
            }
            None => {
                log.polls = polls;
                log.polls.push(Poll::Pick(requests.clone()));
                Decision::Nothing
            }
        };
        log.picks.push(Pick { requests, may_fail, repeated, outcome });
    }

    /// Logs that a request is complete that could be none other.
    pub(super) fn completed(&self, request: RequestId, envelope: Option<&Envelope>) {
        let open = self.log.borrow_mut().open.remove(&request);
        match (open, envelope) {
            (Some(Open::Receive(number)), Some(envelope)) => self.took(number, Took::Message(envelope.id)),
            (Some(Open::Send { seq, waits }), _) => self.log.borrow_mut().push(Entry::Sent { seq, waits }),
            _ => {}
        }
    }

    /// Logs the receive of a message that a probe has set aside.
    pub(super) fn claims(&self, claim: &Claim) {
        let log = &mut *self.log.borrow_mut();
        if log.over {
            return;
        }
        let entry = log.entries.len();
        let took = Some(Took::Message(claim.message()));
        if let Some(receive) = log.receives.iter_mut().find(|receive| receive.took == took) {
            receive.claimed = Some(entry);
        }
        log.push(Entry::Claimed);
    }

    /// Logs that a receive counts as never posted.
    pub(super) fn withdrawn(&self, request: RequestId) {
        let log = &mut *self.log.borrow_mut();
        if let Some(Open::Receive(number)) = log.open.remove(&request)
            && !log.over
        {
            log.receives[number].withdrawn = true;
        }
    }
}
