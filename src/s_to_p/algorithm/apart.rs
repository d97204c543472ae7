//! Algorithm *Apart*: partition by message length. Long messages by one algorithm and short ones by another, one after the other.
//!
//! **What it does.** The messages are split by length into parts. Each part is a separate problem, for which the fastest variant of all
//! other algorithms is chosen. The parts run one after the other, in the faster order, and are split again while this makes the total
//! faster. There is no barrier between the parts. The search is in `src/plan/split.rs`.
//!
//! **Restrictions.** Some message is more than twice as long as another one.
//!
//! **Cost.** At most the sum over the parts. The gain is largest with few long messages: they are cut into pieces or pipelined, at about
//! `n beta` plus a few start-ups, and the many short messages take `ceil(log2 p) alpha`.
//!
//! **Source.** This project.

use super::{Algorithm, Entry, of};
use crate::plan::{
    Restriction,
    split::{Divisible, is_uneven, lengths_in_words, split_by_length},
};

impl Algorithm {
    /// Partition by message length, each part by the fastest of the other algorithms; only if lengths differ.
    pub const APART: Algorithm = of(&APART);
}

static APART: Entry = Entry::searching("apart", split_by_length)
    .about("splits messages by length: long and short ones by different algorithms, one after the other")
    .source("this project")
    .cost("at most the sum of the parts' costs")
    .only_if(&[Restriction {
        text: "a message more than twice as long as another one",
        is_met: |instance, ()| is_uneven(instance),
        found: |instance, ()| lengths_in_words(&Divisible::lengths(instance)),
    }]);
