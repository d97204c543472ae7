//! The record of collective calls, used to find and report mismatches between members of a group.
//!
//! A member announces its call before any other action. The announcement takes no modeled time: a real machine would not check, and would
//! hang or return wrong data. Where time is modeled, the kernel compares the calls in the order of modeled time, and this table holds their
//! texts. Under the host's clock, this table compares calls on arrival.

use std::collections::BTreeMap;

use super::observer::Place;
use crate::{endpoint::Call, error::MismatchedCall, rank::Rank, wire::Context};

/// The collective calls that some members have not made yet, and the calls that differ among members.
#[derive(Debug, Default)]
pub(crate) struct Agreements {
    open: BTreeMap<(Context, u64), Open>,
}

/// One collective call of all members of a group.
#[derive(Debug, Default)]
struct Open {
    /// The number of ranks of the group.
    size: usize,
    /// The distinct calls, as digests and texts.
    calls: Vec<(u64, String)>,
    /// The ranks that have made a call.
    made: Vec<Made>,
}

/// The call of one rank: its index among the distinct calls, and its place in the program.
#[derive(Debug)]
struct Made {
    rank: Rank,
    call: usize,
    place: Option<Place>,
}

impl Agreements {
    /// Records that rank `rank` of a group of `size` makes its `nth` call. Returns whether the members' calls differ.
    pub(crate) fn arrive(
        &mut self,
        context: Context,
        nth: u64,
        size: usize,
        rank: Rank,
        call: &Call<'_>,
        place: Option<Place>,
    ) -> bool {
        let key = (context, nth);
        let digest = call.digest();
        let open = self.open.entry(key).or_insert_with(|| Open { size, ..Open::default() });
        let call = open.calls.iter().position(|&(other, _)| other == digest).unwrap_or_else(|| {
            open.calls.push((digest, call.to_string()));
            open.calls.len() - 1
        });
        open.made.push(Made { rank, call, place });
        let differs = open.calls.len() > 1;
        if open.made.len() == size && !differs {
            self.open.remove(&key);
        }
        differs
    }

    /// Returns the number of ranks of a group with an open call.
    pub(crate) fn size(&self, context: Context, nth: u64) -> usize {
        self.open.get(&(context, nth)).map_or(0, |open| open.size)
    }

    /// Returns the distinct calls of a group, each with the ranks that made it, restricted to the ranks for which `counts` holds. `name` gives
    /// the names of places.
    pub(crate) fn calls(
        &self,
        context: Context,
        nth: u64,
        counts: impl Fn(Rank) -> bool,
        name: impl Fn(Place) -> Option<String>,
    ) -> Vec<MismatchedCall> {
        let Some(open) = self.open.get(&(context, nth)) else { return Vec::new() };
        let described = |(at, (_, text)): (usize, &(u64, String))| {
            let made = open.made.iter().filter(|made| made.call == at && counts(made.rank));
            let first = made.clone().min_by_key(|made| made.rank)?;
            let place = first.place.and_then(&name);
            Some(MismatchedCall { call: text.clone(), ranks: made.map(|made| made.rank).collect(), place })
        };
        open.calls.iter().enumerate().filter_map(described).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;
    use crate::error::Mismatch;

    #[test]
    fn members_are_compared() {
        let mut agreements = Agreements::default();
        let mut arrive = |context: Context, nth: u64, rank: Rank, text: &str, details: u64| {
            let here = Location::caller();
            let place = (rank == 1).then_some(Place::Rust(here));
            agreements.arrive(context, nth, 3, rank, &Call::new("call", &text, details), place)
        };
        assert!(!arrive(1, 0, 2, "a", 5));
        assert!(!arrive(2, 0, 0, "b", 5), "another group");
        assert!(!arrive(1, 1, 2, "c", 5), "the next call");
        assert!(!arrive(1, 0, 0, "a", 5));
        assert!(!arrive(1, 0, 1, "a", 5));
        assert!(arrive(1, 1, 0, "c", 6), "other details");
        assert!(arrive(1, 1, 1, "d", 5), "another text");
        assert_eq!(agreements.open.len(), 2, "what all have called is forgotten");
        let name = |place| match place {
            Place::Rust(location) => Some(location.to_string()),
            Place::Observed(_) => None,
        };
        let calls = agreements.calls(1, 1, |_| true, name);
        let place = calls.iter().find_map(|call| call.place.clone()).unwrap();
        assert!(place.starts_with("src/runtime/agreement.rs:"), "{place}");
        assert_eq!(
            Mismatch::new("row 1".into(), calls).to_string(),
            format!(
                "in row 1, rank 0 calls c; rank 1 calls d ({place}); rank 2 calls c, with other arguments: all ranks \
                 must make the same call"
            )
        );
        assert_eq!(agreements.calls(1, 1, |rank| rank > 0, name).len(), 2);
        assert_eq!(agreements.size(1, 1), 3);
    }

    #[test]
    fn ranks_are_listed_in_runs() {
        let made = |call: &str, ranks| MismatchedCall { call: call.into(), ranks, place: None };
        let calls = vec![made("a", vec![0, 2, 3, 5, 6, 7]), made("b", vec![4, 1])];
        let text = Mismatch::new("the world".into(), calls).to_string();
        assert!(text.contains("ranks 0, 2, 3, 5 to 7 call a; ranks 1, 4 call b:"), "{text}");
        let missing = |size, ranks| {
            Mismatch::new("the world".into(), vec![made("a", ranks), made("b", vec![9])]).among(size)
        };
        let text = missing(32, (0..8).collect()).to_string();
        assert!(text.contains("rank 9 calls b (ranks 8, 10 to 31 have not made this call yet):"), "{text}");
        let text = missing(10, (0..8).collect()).to_string();
        assert!(text.contains("rank 9 calls b (rank 8 has not made this call yet):"), "{text}");
    }
}
