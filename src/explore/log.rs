//! What one rank did in a run, as far as the order of arrival may depend on it or change it.

use std::{collections::BTreeMap, num::NonZeroU32};

use crate::wire::{Context, Label, MessageId, NodeId, RequestId, Selector};

/// What a receive, a probe or a pick is made to do, or has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Decision {
    /// A receive or a probe: the first message of this source that it accepts. A pick: the request with this index in its list.
    From(u32),
    /// A call that need not wait: nothing was there.
    Nothing,
}

/// The decisions of one rank, by the numbers of its receives and of its picks; `None` leaves the decision to modeled time.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RankScript {
    pub(super) receives: Vec<Option<Decision>>,
    pub(super) picks: Vec<Option<Decision>>,
}

/// Sets one element of a list, which grows as needed.
pub(super) fn set(list: &mut Vec<Option<Decision>>, index: usize, decision: Decision) {
    if list.len() <= index {
        list.resize(index + 1, None);
    }
    list[index] = Some(decision);
}

/// What a receive has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Took {
    Message(MessageId),
    /// A probe has seen a message of this source, and left it where it was.
    Saw(NodeId),
    Nothing,
}

/// A receive or a probe, numbered in the order of posting.
#[derive(Clone, Debug)]
pub(super) struct Receive {
    /// The messages that the program asked for, before any decision.
    pub(super) select: Selector,
    /// Whether it takes the message out of the matching; a probe does not.
    pub(super) consumes: bool,
    /// Whether it may end without a message.
    pub(super) may_fail: bool,
    /// Whether the same call found nothing directly before: the outcome is left to modeled time.
    pub(super) repeated: bool,
    /// Whether it was withdrawn, and counts as never posted.
    pub(super) withdrawn: bool,
    /// The request, of a nonblocking receive.
    pub(super) request: Option<RequestId>,
    /// The number of the entry of its posting.
    pub(super) posted: usize,
    /// The number of the entry that received the message, where a probe had set it aside before.
    pub(super) claimed: Option<usize>,
    pub(super) took: Option<Took>,
}

impl Receive {
    /// Whether other decisions are tried. With a given source there is one decision.
    pub(super) fn is_open(&self) -> bool {
        (self.select.source.is_none() || self.may_fail) && !self.repeated
    }
}

/// A request among which a pick chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    /// The receive with this number.
    Receive(usize),
    /// The send with this number; whether it waits for its receive.
    Send { seq: u64, waits: bool },
    /// Complete, or complete at some time without a step of another rank.
    Done,
}

/// A wait for, or a test of, one or several requests.
#[derive(Clone, Debug)]
pub(super) struct Pick {
    pub(super) requests: Vec<Open>,
    pub(super) may_fail: bool,
    /// As of a [`Receive`].
    pub(super) repeated: bool,
    pub(super) outcome: Decision,
}

impl Pick {
    /// Whether other decisions are tried. With one request that must be complete there is one decision.
    pub(super) fn is_open(&self) -> bool {
        (self.requests.len() > 1 || self.may_fail) && !self.repeated
    }
}

/// A step of a rank.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Send {
        seq: u64,
        target: NodeId,
        label: Label,
        /// The number that the program has added to the message.
        note: Option<NonZeroU32>,
    },
    /// A send has returned, or a wait for it; whether it waited for its receive.
    Sent {
        seq: u64,
        waits: bool,
    },
    /// A receive has been posted.
    Post,
    /// The program knows what a receive has taken.
    Taken(usize),
    /// A message that a probe had set aside has been received.
    Claimed,
    /// The pick with this number.
    Pick(usize),
    /// The hardware barrier with this number has been entered.
    Enter(usize),
    Leave(usize),
    /// A call that may wait for all ranks has begun, and all of them have made it: the number of the call.
    Meet(usize),
    Met(usize),
}

/// A call that may wait until others have made it too: the group, the number of the call, and the number of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Meeting {
    pub(super) group: Context,
    pub(super) nth: u64,
    pub(super) size: usize,
}

/// The calls that have found nothing since the last other step.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Poll {
    Receive(Selector),
    Pick(Vec<Open>),
}

/// All steps of one rank.
#[derive(Clone, Debug, Default)]
pub(super) struct RankLog {
    pub(super) entries: Vec<Entry>,
    pub(super) receives: Vec<Receive>,
    pub(super) picks: Vec<Pick>,
    /// The open requests.
    pub(super) open: BTreeMap<RequestId, Open>,
    /// The number of messages sent, with remote memory accesses.
    pub(super) sent: u64,
    pub(super) barriers: usize,
    pub(super) meetings: Vec<Meeting>,
    /// Whether the rank has accessed remote memory, whose order is not known.
    pub(super) has_remote: bool,
    /// The calls that have found nothing since the last other step.
    pub(super) polls: Vec<Poll>,
    /// Whether the run was over at a call of this rank: later calls do not count.
    pub(super) over: bool,
}

impl RankLog {
    pub(super) fn push(&mut self, entry: Entry) {
        if !self.over {
            self.polls.clear();
            self.entries.push(entry);
        }
    }
}
