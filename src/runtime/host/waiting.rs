//! The message or barrier that a sleeping node waits for, as reports tell it.

use crate::{
    kernel::WaitsFor,
    rank::Rank,
    time::Time,
    wire::{Context, Selector},
};

/// The reason why a node sleeps, and since when.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) since: Time,
    pub(super) what_for: WhatFor,
}

/// The event that a node sleeps for.
#[derive(Clone, Debug)]
pub(super) enum WhatFor {
    /// A message.
    Message(Selector),
    /// The first message of several posted receives.
    Any(Vec<Selector>),
    /// All other nodes to come to the barrier.
    Barrier,
}

impl Waiting {
    /// The event in a report, where `group` gives the name of a context; `None` is a node that is awake.
    pub(super) fn told(waiting: Option<&Waiting>, group: impl Fn(Context) -> String) -> WaitsFor {
        let message = |select: &Selector| WaitsFor::Message {
            source: select.source.map(|source| source as Rank),
            tag: select.tag,
            group: group(select.context),
        };
        match waiting.map(|waiting| &waiting.what_for) {
            Some(WhatFor::Message(select)) => message(select),
            Some(WhatFor::Any(selects)) => WaitsFor::Requests(selects.iter().map(message).collect()),
            Some(WhatFor::Barrier) => WaitsFor::Barrier,
            None => WaitsFor::Nothing,
        }
    }
}
