//! The event that a waiting node without a model waits for, as reports tell it.

use crate::{
    kernel::WaitsFor,
    rank::Rank,
    time::Time,
    wire::{Context, Parcel, Selector},
};

/// The reason why a node waits, and since when.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) since: Time,
    pub(super) what_for: WhatFor,
}

/// The event that a node waits for.
#[derive(Clone, Debug)]
pub(super) enum WhatFor {
    /// A message.
    Message(Selector),
    /// The first of several requests.
    Any(Vec<WhatFor>),
    /// A receive that takes one of its own messages.
    Receive(Parcel),
    /// One of its own messages to leave.
    Departure,
    /// All other nodes to come to the barrier.
    Barrier,
}

impl WhatFor {
    /// The first of some events; if it is only one, that.
    pub(super) fn of(events: impl Iterator<Item = WhatFor>) -> WhatFor {
        let mut events: Vec<WhatFor> = events.collect();
        match events.pop() {
            Some(only) if events.is_empty() => only,
            last => {
                events.extend(last);
                WhatFor::Any(events)
            }
        }
    }

    /// The event in a report, where `group` gives the name of a context.
    fn told(&self, group: &dyn Fn(Context) -> String) -> WaitsFor {
        match self {
            WhatFor::Message(select) => WaitsFor::Message {
                source: select.source.map(|source| source as Rank),
                tag: select.tag,
                group: group(select.context),
            },
            WhatFor::Any(several) => WaitsFor::Requests(several.iter().map(|one| one.told(group)).collect()),
            WhatFor::Receive(parcel) => {
                WaitsFor::Receive { by: parcel.target as Rank, tag: parcel.tag, group: group(parcel.context) }
            }
            WhatFor::Departure => WaitsFor::Departure,
            WhatFor::Barrier => WaitsFor::Barrier,
        }
    }
}

impl Waiting {
    /// The event in a report; `None` is a node that does not wait.
    pub(super) fn told(waiting: Option<&Waiting>, group: impl Fn(Context) -> String) -> WaitsFor {
        waiting.map_or(WaitsFor::Nothing, |waiting| waiting.what_for.told(&group))
    }
}
