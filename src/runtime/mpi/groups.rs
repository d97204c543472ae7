//! The numbers of groups and the agreement of collective calls, where no memory is shared.
//!
//! A group is named between ranks by a digest of its parent, its members and its number among those of the same members. All
//! ranks come to the same one by themselves. A message of a collective call carries a digest of that call, so a rank that
//! takes part in another one finds that out when the message comes.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use crate::{
    endpoint::{Call, Envelope},
    rank::Rank,
    runtime::contexts::Contexts,
    wire::{Context, NodeId},
};

/// A collective call that this rank has made.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) nth: u64,
    digest: u64,
    pub(super) text: String,
    /// This rank's rank in the group.
    pub(super) rank: Rank,
}

/// A rank that makes another call than this one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    pub(super) source: NodeId,
    pub(super) context: Context,
    pub(super) nth: u64,
}

/// The groups that this rank has made, and its last call in each.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) contexts: Contexts,
    digests: BTreeMap<Context, u64>,
    known: BTreeMap<u64, Context>,
    /// Messages in groups that this rank has not made yet.
    pub(super) strays: BTreeMap<u64, Vec<Envelope>>,
    calls: BTreeMap<Context, Made>,
    /// Calls of others which this rank has not made yet: who makes it, and its digest.
    early: BTreeMap<(Context, u64), (NodeId, u64)>,
}

impl Groups {
    /// The number of a group here, and the messages that have come for it before.
    pub(super) fn of(
        &mut self,
        parent: Context,
        members: &[Rank],
        nth: u32,
        name: &dyn Fn() -> String,
    ) -> (Context, Vec<Envelope>) {
        let context = self.contexts.of(parent, members, nth, name);
        if self.digests.contains_key(&context) {
            return (context, Vec::new());
        }
        let mut hasher = DefaultHasher::new();
        (self.digest(parent), members, nth).hash(&mut hasher);
        // The world has 0.
        let digest = hasher.finish().max(1);
        self.digests.insert(context, digest);
        self.known.insert(digest, context);
        let strays = self.strays.remove(&digest).unwrap_or_default();
        let labeled = |envelope: Envelope| Envelope {
            label: crate::wire::Label { context, ..envelope.label },
            ..envelope
        };
        (context, strays.into_iter().map(labeled).collect())
    }

    /// The name of a group between ranks.
    pub(super) fn digest(&self, context: Context) -> u64 {
        self.digests.get(&context).copied().unwrap_or(0)
    }

    /// The group of that name, if this rank has made it.
    pub(super) fn known(&self, digest: u64) -> Option<Context> {
        if digest == 0 { Some(0) } else { self.known.get(&digest).copied() }
    }

    /// Notes a call of this rank; a rank that is known to make another one at its place.
    pub(super) fn agree(
        &mut self,
        context: Context,
        nth: u64,
        rank: Rank,
        call: &Call<'_>,
    ) -> Option<Difference> {
        let made = Made { nth, digest: call.digest(), text: call.to_string(), rank };
        let early = self.early.remove(&(context, nth));
        let differs = early.filter(|&(_, digest)| digest != made.digest);
        self.calls.insert(context, made);
        differs.map(|(source, _)| Difference { source, context, nth })
    }

    /// The number and the digest of the collective call to which a message in this context belongs; zeros for none.
    pub(super) fn call_of(&self, context: Context) -> (u64, u64) {
        let made = self.contexts.parent_of_library_calls(context).and_then(|parent| self.calls.get(&parent));
        made.map_or((0, 0), |made| (made.nth, made.digest))
    }

    /// Compares the call to which a message belongs with that of this rank.
    pub(super) fn compare(
        &mut self,
        source: NodeId,
        context: Context,
        nth: u64,
        digest: u64,
    ) -> Option<Difference> {
        let parent = self.contexts.parent_of_library_calls(context)?;
        match self.calls.get(&parent) {
            Some(made) if made.nth == nth => {
                (made.digest != digest).then_some(Difference { source, context: parent, nth })
            }
            Some(made) if made.nth > nth => None,
            _ => {
                self.early.entry((parent, nth)).or_insert((source, digest));
                None
            }
        }
    }

    /// The last call of this rank in a group.
    pub(super) fn made(&self, context: Context) -> Option<&Made> {
        self.calls.get(&context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ranks that make the same groups in another order.
    fn two() -> (Groups, Groups) {
        let name = || "a group".into();
        let (mut one, mut other) = (Groups::default(), Groups::default());
        let (pair, _) = one.of(0, &[0, 1], 3, &name);
        one.of(pair, &[], 0, &name);
        other.of(0, &[1], 3, &name);
        let (pair, _) = other.of(0, &[0, 1], 3, &name);
        other.of(pair, &[], 0, &name);
        (one, other)
    }

    #[test]
    fn all_ranks_name_a_group_alike() {
        let (one, other) = two();
        for context in [1, 2] {
            let digest = one.digest(context);
            let there = other.known(digest).unwrap();
            assert_eq!(there, context + 1, "numbers differ");
            assert_eq!(other.digest(there), digest);
        }
        assert_ne!(one.digest(1), one.digest(2));
        assert_eq!(one.known(0), Some(0), "the world");
    }

    #[test]
    fn a_call_is_compared_whoever_makes_it_first() {
        let call = |text: &'static str| Call::new("broadcast", Box::leak(Box::new(text)), ());
        let (mut one, mut other) = two();
        assert!(one.agree(1, 0, 0, &call("8 bytes")).is_none());
        let (nth, digest) = one.call_of(2);
        assert_ne!(digest, 0);
        assert_eq!(one.call_of(1), (0, 0), "messages of the program belong to no call");
        // The message comes before the call is made here.
        assert!(other.compare(0, 3, nth, digest).is_none());
        assert!(other.agree(2, 0, 1, &call("9 bytes")).is_some());
        // And after it.
        assert!(other.compare(0, 3, nth, digest).is_some());
        assert!(other.agree(2, 1, 1, &call("8 bytes")).is_none());
        assert!(other.compare(0, 3, 0, digest).is_none(), "a call of the past");
    }
}
