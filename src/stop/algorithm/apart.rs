//! Algorithm *Apart*: long messages by one algorithm and short ones by another, one after the other.
//!
//! **What it does.** The messages are split by length, and each part is a problem of its own, for which the fastest variant of all other
//! algorithms is taken. Parts follow each other in the order that is faster, and are split again as long as that makes the whole
//! faster. No node waits for the others in between. `src/plan/split.rs` has the search.
//!
//! **Restrictions.** Some message is more than twice as long as another one.
//!
//! **Cost.** At most that of the parts together. Most is won where a few messages are long: these are cut into pieces
//! or sent in a pipeline, for about `n beta` and a few start-ups more, and the many short ones take `ceil(log2 p) alpha`.
//!
//! **Source.** This project.

use super::{Algorithm, Entry, of};
use crate::plan::{
    Restriction,
    split::{Divisible, apart, is_uneven, lengths_in_words},
};

impl Algorithm {
    /// Long messages and short ones apart, each by the fastest of the other algorithms; only if lengths differ.
    pub const APART: Algorithm = of(&APART);
}

static APART: Entry = Entry::searching("apart", apart)
    .about("long messages by one algorithm and short ones by another, one after the other")
    .source("this project")
    .only_if(&[Restriction {
        text: "some message is more than twice as long as another one",
        is_met: |instance, ()| is_uneven(instance),
        found: |instance, ()| lengths_in_words(&Divisible::lengths(instance)),
    }]);
