//! Context numbers of groups.

use std::{collections::BTreeMap, sync::Arc};

#[cfg(feature = "mpi")]
use crate::comm::Private;
use crate::{
    comm::LIBRARY_CALLS,
    rank::Rank,
    record::UnreceivedMessage,
    wire::{Context, Label, NodeId},
};

/// Context numbers of groups, equal on all members without communication: the n-th group that a node makes of the same ranks under the same
/// parent is the same group on all of its members.
#[derive(Debug, Default)]
pub(crate) struct Contexts {
    known: BTreeMap<(Context, Vec<Rank>, u32), Context>,
    /// The groups by number. A private context of a group has an empty member list.
    groups: Vec<GroupEntry>,
}

/// A group that has been made.
#[derive(Debug)]
struct GroupEntry {
    name: String,
    parent: Context,
    members: Arc<[Rank]>,
    nth: u32,
}

impl Contexts {
    pub(super) fn of(
        &mut self,
        parent: Context,
        members: &[Rank],
        nth: u32,
        name: &dyn Fn() -> String,
    ) -> Context {
        let Contexts { known, groups } = self;
        *known.entry((parent, members.to_vec(), nth)).or_insert_with(|| {
            groups.push(GroupEntry { name: name(), parent, members: members.into(), nth });
            groups.len() as Context
        })
    }

    fn made(&self, context: Context) -> Option<&GroupEntry> {
        context.checked_sub(1).and_then(|at| self.groups.get(at as usize))
    }

    /// The members of a group; `None` for the world. A private context of a group has the members of the group.
    pub(super) fn members(&self, context: Context) -> Option<Arc<[Rank]>> {
        let made = self.made(context)?;
        if made.members.is_empty() { self.members(made.parent) } else { Some(made.members.clone()) }
    }

    /// Whether a context is a private one of a group.
    pub(crate) fn is_private(&self, context: Context) -> bool {
        self.made(context).is_some_and(|made| made.members.is_empty())
    }

    /// Whether a context belongs to the library calls of a group.
    pub(super) fn is_of_library_calls(&self, context: Context) -> bool {
        self.made(context).is_some_and(|made| made.members.is_empty() && made.nth == LIBRARY_CALLS)
    }

    /// Whether a context is the one in which members of a group compare their calls of `split_by`.
    #[cfg(feature = "mpi")]
    pub(super) fn is_of_splits(&self, context: Context) -> bool {
        self.made(context).is_some_and(|made| made.members.is_empty() && made.nth == Private::Split as u32)
    }

    /// Returns the group whose library calls use a context; `None` for other contexts.
    #[cfg(feature = "mpi")]
    pub(super) fn parent_of_library_calls(&self, context: Context) -> Option<Context> {
        self.made(context).filter(|_| self.is_of_library_calls(context)).map(|made| made.parent)
    }

    /// Describes an unreceived message of a program; `None` for a message of a library call.
    pub(super) fn unreceived(&self, to: NodeId, label: Label, bytes: u64) -> Option<UnreceivedMessage> {
        let (from, to) = (label.source as Rank, to as Rank);
        let group = (!self.is_of_library_calls(label.context)).then(|| self.name(label.context))?;
        Some(UnreceivedMessage { from, to, tag: label.tag, bytes, group })
    }

    /// The name of a group in messages; context 0 is the world.
    pub(crate) fn name(&self, context: Context) -> String {
        match self.made(context) {
            Some(made) => made.name.clone(),
            None => "the world".into(),
        }
    }
}
