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
    call: String,
    digest: u64,
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
        call: &Call<'_>,
    ) -> Result<(), (Rank, String)> {
        let key = (context, nth);
        let digest = call.digest();
        let open =
            self.open.entry(key).or_insert_with(|| Open { rank, call: call.to_string(), digest, arrived: 0 });
        if open.digest != digest {
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
        let mut arrive = |context: Context, nth: u64, rank: Rank, text: &str, details: u64| {
            agreements.arrive(context, nth, 3, rank, &Call::new("call", &text, details))
        };
        assert_eq!(arrive(1, 0, 2, "a", 5), Ok(()));
        assert_eq!(arrive(2, 0, 0, "b", 5), Ok(()), "another group");
        assert_eq!(arrive(1, 1, 2, "c", 5), Ok(()), "the next call");
        assert_eq!(arrive(1, 0, 0, "a", 5), Ok(()));
        assert_eq!(arrive(1, 0, 1, "a", 6), Err((2, "a".into())), "other details");
        assert_eq!(arrive(1, 0, 1, "b", 5), Err((2, "a".into())), "another text");
        assert_eq!(arrive(1, 0, 1, "a", 5), Ok(()));
        assert_eq!(agreements.open.len(), 2, "what all have called is forgotten");
    }
}
