//! Group identifiers and agreement of collective calls without shared memory.
//!
//! Ranks identify a group by a digest of its parent, its members and its number among the groups of the same members. All ranks compute the
//! same digest independently. A message of a collective call carries a digest of the call, so a rank that makes a different call detects
//! the mismatch when the message arrives. A call of `split_by` has no messages: each member of the group announces the digest of its colors
//! to the next one.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    panic::Location,
};

use crate::{
    endpoint::{Call, Envelope},
    error::MismatchedCall,
    rank::Rank,
    runtime::contexts::Contexts,
    wire::{Context, NodeId},
};

/// The last collective call that this rank has made in a group.
#[derive(Clone, Debug)]
pub(super) struct GroupEntry {
    pub(super) nth: u64,
    digest: u64,
    text: String,
    /// This rank's rank in the group.
    pub(super) rank: Rank,
    /// The place of the call in the program.
    place: Option<&'static Location<'static>>,
}

impl GroupEntry {
    /// Describes the call for an error.
    pub(super) fn described(&self) -> MismatchedCall {
        let place = self.place.map(Location::to_string);
        MismatchedCall { call: self.text.clone(), ranks: vec![self.rank], place }
    }
}

/// A mismatch: another rank makes a different call.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallMismatch {
    pub(super) source: NodeId,
    pub(super) context: Context,
    pub(super) nth: u64,
}

/// The groups of this rank, and its last call in each of them.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) contexts: Contexts,
    digests: BTreeMap<Context, u64>,
    known: BTreeMap<u64, Context>,
    /// Messages in groups that this rank has not made yet, by digest.
    pub(super) strays: BTreeMap<u64, Vec<Envelope>>,
    calls: BTreeMap<Context, GroupEntry>,
    /// Calls of other ranks that this rank has not made yet: the calling rank and the digest.
    early: BTreeMap<(Context, u64), (NodeId, u64)>,
    /// Calls of `split_by` that either this rank has made or the previous member has announced, but not both: by the digest of the group and
    /// the number of the call.
    splits: BTreeMap<(u64, u64), Split>,
}

/// One member's call of `split_by`.
#[derive(Clone, Copy, Debug)]
struct Split {
    /// The member, if it is not this rank.
    source: Option<NodeId>,
    digest: u64,
}

impl Groups {
    /// Returns the context of a group on this rank, and the messages that have arrived for the group before it was made.
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
        // 0 is the digest of the world.
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

    /// The digest of a group, which identifies it between ranks.
    pub(super) fn digest(&self, context: Context) -> u64 {
        self.digests.get(&context).copied().unwrap_or(0)
    }

    /// Returns the group with this digest, if this rank has made it.
    pub(super) fn known(&self, digest: u64) -> Option<Context> {
        if digest == 0 { Some(0) } else { self.known.get(&digest).copied() }
    }

    /// Records a call of this rank; returns the mismatch if another rank is known to make a different call with this number.
    pub(super) fn agree(
        &mut self,
        context: Context,
        nth: u64,
        rank: Rank,
        call: &Call<'_>,
        place: Option<&'static Location<'static>>,
    ) -> Option<CallMismatch> {
        let made = GroupEntry { nth, digest: call.digest(), text: call.to_string(), rank, place };
        let early = self.early.remove(&(context, nth));
        let differs = early.filter(|&(_, digest)| digest != made.digest);
        self.calls.insert(context, made);
        differs.map(|(source, _)| CallMismatch { source, context, nth })
    }

    /// Takes in a call of `split_by` in the group with digest `group`: this rank's or, if `source` is given, that of the previous member.
    /// Returns the mismatch if the other one of both is known and differs.
    pub(super) fn split_by(
        &mut self,
        source: Option<NodeId>,
        group: u64,
        nth: u64,
        digest: u64,
    ) -> Option<CallMismatch> {
        let Some(other) = self.splits.remove(&(group, nth)) else {
            self.splits.insert((group, nth), Split { source, digest });
            return None;
        };
        let (source, context) = (source.or(other.source)?, self.known(group)?);
        (other.digest != digest).then_some(CallMismatch { source, context, nth })
    }

    /// The number and digest of the collective call to which a message in this context belongs; zeros if there is none.
    pub(super) fn call_of(&self, context: Context) -> (u64, u64) {
        let made = self.contexts.parent_of_library_calls(context).and_then(|parent| self.calls.get(&parent));
        made.map_or((0, 0), |made| (made.nth, made.digest))
    }

    /// Compares the call to which a message belongs with this rank's call; returns the mismatch, if there is one.
    pub(super) fn compare(
        &mut self,
        source: NodeId,
        context: Context,
        nth: u64,
        digest: u64,
    ) -> Option<CallMismatch> {
        let parent = self.contexts.parent_of_library_calls(context)?;
        match self.calls.get(&parent) {
            Some(made) if made.nth == nth => {
                (made.digest != digest).then_some(CallMismatch { source, context: parent, nth })
            }
            Some(made) if made.nth > nth => None,
            _ => {
                self.early.entry((parent, nth)).or_insert((source, digest));
                None
            }
        }
    }

    /// This rank's last call in a group.
    pub(super) fn made(&self, context: Context) -> Option<&GroupEntry> {
        self.calls.get(&context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ranks that make the same groups in different orders.
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
    fn group_digests_are_equal_on_all_ranks() {
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
    fn splits_are_compared_in_either_order() {
        let (mut one, _) = two();
        let group = one.digest(1);
        assert!(one.split_by(None, group, 0, 7).is_none() && one.split_by(Some(1), group, 0, 7).is_none());
        assert!(one.split_by(Some(1), group, 1, 7).is_none());
        let difference = one.split_by(None, group, 1, 8).unwrap();
        assert_eq!((difference.source, difference.context, difference.nth), (1, 1, 1));
        assert!(one.split_by(None, group, 2, 7).is_none());
        assert!(one.split_by(Some(1), group, 2, 8).is_some());
        assert!(one.splits.is_empty());
    }

    #[test]
    fn calls_are_compared_in_either_order() {
        let call = |text: &'static str| Call::new("broadcast", Box::leak(Box::new(text)), ());
        let (mut one, mut other) = two();
        assert!(one.agree(1, 0, 0, &call("8 bytes"), None).is_none());
        let (nth, digest) = one.call_of(2);
        assert_ne!(digest, 0);
        assert_eq!(one.call_of(1), (0, 0), "messages of the program belong to no call");
        // The message arrives before this rank makes the call.
        assert!(other.compare(0, 3, nth, digest).is_none());
        assert!(other.agree(2, 0, 1, &call("9 bytes"), None).is_some());
        // The message arrives after this rank has made the call.
        assert!(other.compare(0, 3, nth, digest).is_some());
        assert!(other.agree(2, 1, 1, &call("8 bytes"), None).is_none());
        assert!(other.compare(0, 3, 0, digest).is_none(), "a call of the past");
    }
}
