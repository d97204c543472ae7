//! Mismatched collective calls.

use std::fmt;

use crate::rank::Rank;

/// Maximum number of runs of ranks listed in a message; the report contains all.
const LISTED: usize = 16;

/// A collective operation for which the members of a group made different calls.
///
/// In modeled time the mismatch is detected at the first instant at which two members have made different calls. The report contains the
/// calls of all members up to this instant and is the same in every run. Under the host's clock and over MPI the report contains the calls
/// that are known when the first difference is detected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The group.
    pub group: String,
    /// The different calls, sorted by lowest rank.
    pub calls: Vec<MismatchedCall>,
    /// The group ranks that had not made the call when the difference was detected, in ascending order. Empty over MPI, where only the calls
    /// of two ranks are known.
    pub missing: Vec<Rank>,
}

/// One of the calls of a [`Mismatch`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MismatchedCall {
    /// The call with its arguments, such as `broadcast with root 0 on 4 u64, algorithm auto`.
    pub call: String,
    /// The group ranks that made the call, in ascending order.
    pub ranks: Vec<Rank>,
    /// The place of the call in the program of one of these ranks, such as `src/main.rs:12:24`, if it is known.
    pub place: Option<String>,
}

impl Mismatch {
    pub(crate) fn new(group: String, mut calls: Vec<MismatchedCall>) -> Mismatch {
        calls.iter_mut().for_each(|call| call.ranks.sort_unstable());
        calls.sort_by_key(|call| call.ranks.first().copied());
        Mismatch { group, calls, missing: Vec::new() }
    }

    /// Adds the ranks of a group of `size` that have not made a call.
    pub(crate) fn among(mut self, size: usize) -> Mismatch {
        let has_called = |rank: &Rank| self.calls.iter().any(|call| call.ranks.binary_search(rank).is_ok());
        self.missing = (0..size).filter(|rank| !has_called(rank)).collect();
        self
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in {}", self.group)?;
        for (nth, MismatchedCall { call, ranks, place }) in self.calls.iter().enumerate() {
            let separator = if nth == 0 { ", " } else { "; " };
            let is_repeated = self.calls[..nth].iter().any(|other| other.call == *call);
            let others = if is_repeated { ", with other arguments" } else { "" };
            let place = place.as_ref().map_or_else(String::new, |place| format!(" ({place})"));
            write!(f, "{separator}{} {call}{others}{place}", callers(ranks))?;
        }
        match self.missing[..] {
            [] => {}
            [rank] => write!(f, " (rank {rank} has not made this call yet)")?,
            _ => write!(f, " (ranks {} have not made this call yet)", runs(&self.missing))?,
        }
        f.write_str(": all ranks must make the same call")
    }
}

/// Describes the ranks that make a call, as the subject of a sentence: `ranks 0, 2, 5 to 9 call`.
fn callers(ranks: &[Rank]) -> String {
    match ranks {
        [rank] => format!("rank {rank} calls"),
        _ => format!("ranks {} call", runs(ranks)),
    }
}

/// Lists ranks as runs of successive ones: `0, 2, 5 to 9`.
fn runs(ranks: &[Rank]) -> String {
    let mut runs: Vec<(Rank, Rank)> = Vec::new();
    for &rank in ranks {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == rank => *last = rank,
            _ => runs.push((rank, rank)),
        }
    }
    let run = |&(first, last): &(Rank, Rank)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    let left_out = runs.len().saturating_sub(LISTED);
    let mut listed: Vec<String> = runs.iter().take(LISTED).map(run).collect();
    if left_out > 0 {
        listed.push("..".into());
    }
    listed.join(", ")
}
