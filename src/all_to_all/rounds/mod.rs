//! Rounds of messages, and the schedules made from them.
//!
//! In a *round* every node sends at most one message and receives at most one. [`permutation`], [`coloring`] and [`balance`] assign
//! messages to rounds. [`style`] makes a schedule in which nodes go from round to round, and [`time_triggered`] a time-triggered schedule.
//! [`digits`] makes rounds of combined messages that are forwarded along the axes of a [`shape`]. A [`stage`] is a schedule with the
//! contents of its messages ([`contents`]). Short and long messages may have separate procedures ([`split_by_length`]).

pub(super) mod balance;
pub(super) mod closed_form;
pub(super) mod coloring;
pub(super) mod contents;
pub(super) mod digits;
pub(super) mod paths;
pub(super) mod permutation;
pub(super) mod shape;
pub(super) mod split_by_length;
pub(super) mod stage;
pub(super) mod style;
pub(super) mod time_triggered;

use std::sync::Arc;

use super::Matrix;
use crate::rank::Rank;

/// A message or a slice of a message: the next `bytes` bytes from `from` to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) from: Rank,
    pub(super) to: Rank,
    pub(super) bytes: u64,
}

/// Rounds, shared by all variants made from them.
pub(super) type Rounds = Arc<Vec<Vec<Part>>>;

/// Returns all messages between different ranks, uncut, ordered by sender, then receiver.
pub(super) fn parts(matrix: &Matrix) -> impl Iterator<Item = Part> + '_ {
    let others = matrix.messages().filter(|(from, to, _)| from != to);
    others.map(|(from, to, bytes)| Part { from, to, bytes })
}
