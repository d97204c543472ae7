//! From rounds to calls: who sends what in which order, the links on the way, and the steps of every node.
//!
//! In a *round* every node sends at most one message and receives at most one. [`permutation`], [`coloring`] and
//! [`balance`] put messages into rounds; [`style`] makes the schedule of a node that goes from round to round,
//! [`clocked`] that of one that goes by the clock. [`digits`] are rounds of long messages that are passed on, in a [`shape`]. A
//! [`stage`] is a schedule with what its messages carry ([`cargo`]); short and long messages may have one each ([`parted`]).

pub(super) mod balance;
pub(super) mod cargo;
pub(super) mod clocked;
pub(super) mod closed_form;
pub(super) mod coloring;
pub(super) mod digits;
pub(super) mod parted;
pub(super) mod paths;
pub(super) mod permutation;
pub(super) mod shape;
pub(super) mod stage;
pub(super) mod style;

use std::sync::Arc;

use super::Matrix;
use crate::rank::Rank;

/// A part of a message, or all of it: the next `bytes` bytes that `from` has for `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) from: Rank,
    pub(super) to: Rank,
    pub(super) bytes: u64,
}

/// Rounds, shared by all variants that are made of them.
pub(super) type Rounds = Arc<Vec<Vec<Part>>>;

/// All messages between different ranks, in whole, by sender and then by receiver.
pub(super) fn parts(matrix: &Matrix) -> impl Iterator<Item = Part> + '_ {
    let others = matrix.messages().filter(|(from, to, _)| from != to);
    others.map(|(from, to, bytes)| Part { from, to, bytes })
}
