//! Algorithm *Apart*: long messages by one algorithm and short ones by another, one after the other.
//!
//! **What it does.** The messages are parted by length, at a few places that are tried. For each part the fastest variant
//! of all other algorithms is taken, and the two follow each other in the order that is faster. No node waits for the
//! others in between. How the places are found is in `src/plan/apart.rs`.
//!
//! **Restrictions.** Some message is more than twice as long as another one.
//!
//! **Cost.** At most that of the two parts together. Most is won where a few messages are long: these are cut into pieces
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
