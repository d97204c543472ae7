//! What other timings of one execution show: deadlocks if calls wait that need not wait, and sends that begin before their receives.

use std::{collections::BTreeMap, num::NonZeroU32};

use super::{EventId, Events, Graph};
use crate::{
    explore::{
        log::{Decision, Entry, Meeting, Open, Pick, Receive},
        order::Waits,
    },
    wire::{MessageId, NodeId},
};

/// The end of an execution in which calls wait.
pub(in crate::explore) enum End {
    /// All ranks have ended.
    Done,
    /// Some ranks could go on in another execution.
    Elsewhere,
    /// A deadlock after these events.
    Stuck(Events),
}

impl Graph<'_> {
    /// Whether any call may wait for others.
    pub(in crate::explore) fn has_meetings(&self) -> bool {
        self.ranks.iter().any(|log| !log.meetings.is_empty())
    }

    /// The events with which calls that may wait for others begin.
    fn meetings(&self) -> BTreeMap<Meeting, Vec<usize>> {
        let mut meetings: BTreeMap<Meeting, Vec<usize>> = BTreeMap::new();
        for event in 0..self.len() {
            if let (EventId::Step(rank, _), Some(&Entry::Meet(number))) = (self.ids[event], self.entry(event))
            {
                meetings.entry(self.ranks[rank as usize].meetings[number]).or_default().push(event);
            }
        }
        meetings
    }

    /// The end of this execution if every send waited for its receive, or every call for all ranks that may do so. `is_done` tells whether all ranks have
    /// ended without that. Such an execution has no other matches, only less of them: every deadlock of waiting sends is a part of an execution in
    /// which no send waits.
    pub(in crate::explore) fn end_if(&self, waits: Waits, is_done: bool) -> End {
        let meets = |rank, request| match request {
            Open::Send { seq, waits: false } if waits.sends => {
                Some(self.meeting(MessageId { source: rank, seq }))
            }
            _ => None,
        };
        let meetings = if waits.calls { self.meetings() } else { BTreeMap::new() };
        // For each event those that it also follows; `None` never happens.
        let also = |event: usize| -> Vec<Option<usize>> {
            let one = match (self.ids[event], self.entry(event), self.pick(event)) {
                (EventId::Step(source, _), Some(&Entry::Sent { seq, waits: false }), _) if waits.sends => {
                    Some(self.meeting(MessageId { source, seq }))
                }
                (EventId::Step(rank, _), Some(&Entry::Met(number)), _) if waits.calls => {
                    let meeting = self.ranks[rank as usize].meetings[number];
                    let begun = &meetings[&meeting];
                    if begun.len() == meeting.size {
                        return begun.iter().copied().map(Some).collect();
                    }
                    Some(None)
                }
                (_, _, Some((rank, _, Pick { requests, outcome: Decision::From(index), .. }))) => {
                    meets(rank, requests[*index as usize])
                }
                _ => None,
            };
            one.into_iter().collect()
        };
        let mut missing: Vec<usize> = self.follows.iter().map(Vec::len).collect();
        let mut followers: Vec<Vec<usize>> = vec![Vec::new(); self.len()];
        for (event, missing) in missing.iter_mut().enumerate() {
            for &before in &self.follows[event] {
                followers[before].push(event);
            }
            let also = also(event);
            for &met in also.iter().flatten() {
                followers[met].push(event);
                *missing += 1;
            }
            if also.contains(&None) {
                // Never ready.
                *missing = usize::MAX;
            }
        }
        let mut there = Events::none(self.len());
        let mut ready: Vec<usize> = (0..self.len()).filter(|&event| missing[event] == 0).collect();
        while let Some(event) = ready.pop() {
            there.add(event);
            for &follower in &followers[event] {
                missing[follower] -= 1;
                if missing[follower] == 0 {
                    ready.push(follower);
                }
            }
        }
        let left: Vec<usize> = (0..self.len()).filter(|&event| !there.has(event)).collect();
        if left.is_empty() && is_done {
            return End::Done;
        }
        // Another match or another request would let a rank go on: that is a part of another execution.
        let goes_on = |event: usize| match self.pick(event) {
            Some((rank, _, pick)) => {
                self.follows[event].iter().all(|&before| !self.is_step_of(before, rank) || there.has(before))
                    && (pick.may_fail
                        || pick.requests.iter().any(|&request| match meets(rank, request) {
                            Some(met) => met.is_some_and(|met| there.has(met)),
                            None => self
                                .completion(rank, request)
                                .is_some_and(|completion| completion.is_none_or(|event| there.has(event))),
                        }))
            }
            None => false,
        };
        let takes = |rank: NodeId, number: usize, receive: &Receive| {
            let is_open = self.match_of(rank, number).is_none_or(|event| !there.has(event));
            is_open
                && !receive.withdrawn
                && there.has(self.step(rank, receive.posted))
                && !self.choices_of(rank, number, |event| there.has(event)).is_empty()
        };
        let mut ranks = (0..).zip(self.ranks);
        let is_going = left.iter().any(|&event| goes_on(event))
            || ranks.any(|(rank, log)| {
                log.receives.iter().enumerate().any(|(number, receive)| takes(rank, number, receive))
            });
        if is_going { End::Elsewhere } else { End::Stuck(there) }
    }

    /// Adds an event and all that it follows.
    fn add_with_past(&self, event: usize, events: &mut Events) {
        let mut left = vec![event];
        while let Some(event) = left.pop() {
            if !events.has(event) {
                events.add(event);
                left.extend(&self.follows[event]);
            }
        }
    }

    /// Whether a receive was open for the message of a rank with this note when it was sent, under any timing with these matches; `None` if none has
    /// taken it.
    ///
    /// Looks for a part of the execution at which the message is sent and all receives that were posted for it have taken others: what the send follows,
    /// and then, as long as such a receive is open, its match.
    pub(in crate::explore) fn was_awaited(&self, sender: NodeId, note: NonZeroU32) -> Option<bool> {
        let (id, &sent) = self.senders.iter().find(|&(id, &event)| {
            id.source == sender
                && matches!(self.entry(event), Some(Entry::Send { note: Some(own), .. }) if *own == note)
        })?;
        let Some(Entry::Send { label, .. }) = self.entry(sent) else { return None };
        let (rank, _, receive) = self.receive(*self.takers.get(id)?)?;
        let posted = self.step(rank, receive.posted);
        let receives = &self.ranks[rank as usize].receives;
        let mut there = Events::none(self.len());
        self.follows[sent].iter().for_each(|&before| self.add_with_past(before, &mut there));
        loop {
            if there.has(posted) || there.has(sent) {
                return Some(true);
            }
            let open = receives.iter().enumerate().find(|(number, receive)| {
                receive.consumes
                    && !receive.withdrawn
                    && receive.select.accepts(label)
                    && there.has(self.step(rank, receive.posted))
                    && self.match_of(rank, *number).is_none_or(|event| !there.has(event))
            });
            let Some((number, _)) = open else { return Some(false) };
            let Some(event) = self.match_of(rank, number) else { return Some(true) };
            self.add_with_past(event, &mut there);
        }
    }

    fn is_step_of(&self, event: usize, rank: NodeId) -> bool {
        matches!(self.ids[event], EventId::Step(of, _) if of == rank)
    }
}
