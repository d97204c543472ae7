//! The awaited event of a node without a timing model, for reports.

use super::unreceived::Unreceived;
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
    pub(super) awaited_event: AwaitedEvent,
    /// Messages that had arrived and that no receive had taken at the start of the wait.
    pub(super) unreceived: Vec<Unreceived>,
}

/// The event that a node waits for.
#[derive(Clone, Debug)]
pub(super) enum AwaitedEvent {
    /// A message.
    Message(Selector),
    /// The first of several requests.
    Any(Vec<AwaitedEvent>),
    /// The receive that matches a message sent by the node (rendezvous).
    Receive(Parcel),
    /// The departure of a message sent by the node.
    Departure,
    /// The arrival of all other nodes at the barrier.
    Barrier,
}

impl AwaitedEvent {
    /// Combines events: a single event as it is, several as `Any`.
    pub(super) fn of(events: impl Iterator<Item = AwaitedEvent>) -> AwaitedEvent {
        let mut events: Vec<AwaitedEvent> = events.collect();
        match events.pop() {
            Some(only) if events.is_empty() => only,
            last => {
                events.extend(last);
                AwaitedEvent::Any(events)
            }
        }
    }

    /// Describes the event for a report; `group` returns the name of a context.
    fn describe(&self, group: &dyn Fn(Context) -> String) -> WaitsFor {
        match self {
            AwaitedEvent::Message(select) => WaitsFor::Message {
                source: select.source.map(|source| source as Rank),
                tag: select.tag,
                group: group(select.context),
            },
            AwaitedEvent::Any(several) => {
                WaitsFor::Requests(several.iter().map(|one| one.describe(group)).collect())
            }
            AwaitedEvent::Receive(parcel) => {
                WaitsFor::Receive { by: parcel.target as Rank, tag: parcel.tag, group: group(parcel.context) }
            }
            AwaitedEvent::Departure => WaitsFor::Departure,
            AwaitedEvent::Barrier => WaitsFor::Barrier,
        }
    }
}

impl Waiting {
    /// Describes the event for a report; `None` is a node that does not wait.
    pub(super) fn describe(waiting: Option<&Waiting>, group: impl Fn(Context) -> String) -> WaitsFor {
        waiting.map_or(WaitsFor::Nothing, |waiting| waiting.awaited_event.describe(&group))
    }
}
