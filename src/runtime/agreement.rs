//! The check that the members of a group make the same collective calls.
//!
//! Each member announces its call before it does anything else. The first member stores its call, the others compare
//! theirs. It takes no modeled time: a real machine would not check, and hang or give nonsense.

use std::collections::BTreeMap;

use crate::{endpoint::Call, rank::Rank, wire::Context};

/// The calls that some members have made, and others have not.
#[derive(Debug, Default)]
pub(crate) struct Agreements {
    open: BTreeMap<(Context, u64), Open>,
}

#[derive(Debug)]
struct Open {
    rank: Rank,
    call: Call,
    arrived: usize,
}

impl Agreements {
    /// Records that rank `rank` of a group of `size` makes its `nth` call. Returns the rank and the call of the first
    /// caller if its call is a different one.
    pub(crate) fn arrive(
        &mut self,
        context: Context,
        nth: u64,
        size: usize,
        rank: Rank,
        call: &Call,
    ) -> Result<(), (Rank, Call)> {
        let key = (context, nth);
        let open = self.open.entry(key).or_insert_with(|| Open { rank, call: call.clone(), arrived: 0 });
        if open.call != *call {
            return Err((open.rank, open.call.clone()));
        }
        open.arrived += 1;
        if open.arrived == size {
            self.open.remove(&key);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_compared_with_the_first_one() {
        let mut agreements = Agreements::default();
        let call = |text: &str, details: u64| Call::new("call", text.into(), details);
        assert_eq!(agreements.arrive(1, 0, 3, 2, &call("a", 5)), Ok(()));
        assert_eq!(agreements.arrive(2, 0, 3, 0, &call("b", 5)), Ok(()), "another group");
        assert_eq!(agreements.arrive(1, 1, 3, 2, &call("c", 5)), Ok(()), "the next call");
        assert_eq!(agreements.arrive(1, 0, 3, 0, &call("a", 5)), Ok(()));
        assert_eq!(agreements.arrive(1, 0, 3, 1, &call("a", 6)), Err((2, call("a", 5))));
        assert_eq!(agreements.arrive(1, 0, 3, 1, &call("a", 5)), Ok(()));
        assert_eq!(agreements.open.len(), 2, "what all have called is forgotten");
    }
}
