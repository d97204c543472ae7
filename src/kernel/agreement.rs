//! Comparison of the collective calls that the members of a group make.
//!
//! A group's calls differ from the first instant at which two members have made different calls. An event of kind [`Kind::Mismatch`] is
//! scheduled at this instant. When it is processed, the calls of all nodes up to this instant are known. So the mismatch that ends a run,
//! and the members that have called by then, do not depend on the order in which calls become known.

use std::collections::BTreeMap;

use super::{Kernel, Kind};
use crate::{
    rank::Rank,
    time::Time,
    wire::{Context, NodeId},
};

/// A collective call by a member of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct CollectiveCall {
    pub(super) at: Time,
    pub(super) node: NodeId,
    /// The rank of the member in its group.
    pub(super) rank: Rank,
    /// A digest of the call, equal for equal calls.
    pub(super) digest: u64,
}

/// The collective calls that some members have not made yet, by the context and the number of the call.
pub(super) type Agreements = BTreeMap<(Context, u64), Vec<CollectiveCall>>;

/// A mismatch of the calls of the members of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallMismatch {
    pub(crate) context: Context,
    pub(crate) nth: u64,
    /// The members that have called by the instant of the mismatch.
    pub(crate) ranks: Vec<Rank>,
}

/// The first instant at which two members have made different calls.
fn first_mismatch(calls: &[CollectiveCall]) -> Option<Time> {
    let first = calls.iter().min_by_key(|call| (call.at, call.rank))?;
    calls.iter().filter(|call| call.digest != first.digest).map(|call| call.at).min()
}

impl Kernel {
    /// Records a call of a group of `size` members.
    pub(super) fn record_collective_call(&mut self, key: (Context, u64), size: usize, call: CollectiveCall) {
        let calls = self.agreements.entry(key).or_default();
        calls.push(call);
        match first_mismatch(calls) {
            Some(at) => self.schedule(at.max(self.now), Kind::Mismatch, NodeId::MAX, 0),
            None if calls.len() == size => drop(self.agreements.remove(&key)),
            None => {}
        }
    }

    /// Returns the earliest mismatch up to now. Of mismatches at one instant, returns the one whose members are the lowest nodes.
    pub(crate) fn mismatch(&self) -> Option<CallMismatch> {
        let differences = self.agreements.iter().filter_map(|(&(context, nth), calls)| {
            let at = first_mismatch(calls).filter(|&at| at <= self.now)?;
            let mut members: Vec<(NodeId, Rank)> =
                calls.iter().filter(|call| call.at <= at).map(|call| (call.node, call.rank)).collect();
            members.sort_unstable();
            Some(((at, members, nth), context))
        });
        let ((_, members, nth), context) = differences.min()?;
        let mut ranks: Vec<Rank> = members.into_iter().map(|(_, rank)| rank).collect();
        ranks.sort_unstable();
        Some(CallMismatch { context, nth, ranks })
    }
}
