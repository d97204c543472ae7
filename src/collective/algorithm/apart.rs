//! *Apart*: long blocks by one algorithm and short ones by another, one after the other.
//!
//! **What it does.** The blocks are split by length, and each part is a problem of its own, for which the fastest variant of all other
//! algorithms is taken. Parts follow each other in the order that is faster, and are split again as long as that makes the whole
//! faster. No rank waits for the others in between. `src/plan/split.rs` has the search.
//!
//! **Restrictions.** Some block is more than twice as long as another one; the root's own does not count, as it stays there.
//!
//! **Cost.** At most that of the parts together. Most is won where a few blocks are long: these go in pieces, for about
//! `n beta` or straight to where they belong, and the many short ones take `ceil(log2 p) alpha`.
//!
//! **Source.** This project.

use super::{super::Operation, Algorithm, Entry, of};
use crate::plan::{
    Restriction,
    split::{Divisible, apart, is_uneven, lengths_in_words},
};

impl Algorithm {
    /// Long blocks and short ones apart, each by the fastest of the other algorithms; only if lengths differ.
    pub const APART: Algorithm = of(&APART);
}

static APART: Entry = Entry::searching("apart", apart)
    .about("long blocks by one algorithm and short ones by another, one after the other")
    .source("this project")
    .kinds(Operation::has_blocks)
    .only_if(&[Restriction {
        text: "some block must be more than twice as long as another one, where empty ones and the root's own do not count",
        is_met: |task, _| is_uneven(task),
        found: |task, _| lengths_in_words(&task.lengths()),
    }]);
