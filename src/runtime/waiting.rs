//! The awaited event of a node without a timing model, for reports.

use crate::{
    kernel::WaitsFor,
    rank::Rank,
    time::Time,
    wire::{Context, Parcel, Selector},
};

/// The event that a node waits for, and the start of the wait.
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
    /// The receive that matches a message sent by the node (rendezvous).
    Receive(Parcel),
    /// The departure of a message sent by the node.
    Departure,
    /// The arrival of all other nodes at the barrier.
    Barrier,
}

impl WhatFor {
    /// Combines events: a single event as it is, several as `Any`.
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

    /// Describes the event for a report; `group` returns the name of a context.
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
    /// Describes the event for a report; `None` is a node that does not wait.
    pub(super) fn told(waiting: Option<&Waiting>, group: impl Fn(Context) -> String) -> WaitsFor {
        waiting.map_or(WaitsFor::Nothing, |waiting| waiting.what_for.told(&group))
    }
}
