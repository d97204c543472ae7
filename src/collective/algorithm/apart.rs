//! *Apart*: splits blocks by length: long and short ones by different algorithms, one after the other.
//!
//! **What it does.** The blocks are split by length into parts. Each part is a separate problem, solved by the fastest variant of all other
//! algorithms. The parts run one after the other in the faster order, and are split again as long as this makes the whole faster. There is
//! no barrier between parts. `src/plan/split.rs` has the search.
//!
//! **Restrictions.** Some block is more than twice as long as another one; the root's own block does not count, because it does not move.
//!
//! **Cost.** At most the sum of the parts. The gain is largest where a few blocks are long: these move in pieces, in about `n beta`, or
//! directly to their destinations, and the many short blocks take `ceil(log2 p) alpha`.
//!
//! **Source.** This project.

use super::{super::Operation, Algorithm, Entry, of};
use crate::plan::{
    Restriction,
    split::{Divisible, is_uneven, lengths_in_words, split_by_length},
};

impl Algorithm {
    /// The algorithm that handles long blocks and short blocks separately, each by the fastest of the other algorithms; only if block
    /// lengths differ.
    pub const APART: Algorithm = of(&APART);
}

static APART: Entry = Entry::searching("apart", split_by_length)
    .about("splits blocks by length: long and short ones by different algorithms, in sequence")
    .source("this project")
    .cost("at most the sum of the parts' costs")
    .kinds(Operation::has_blocks)
    .only_if(&[Restriction {
        text: "a block more than twice as long as another block (empty blocks and the root's own block do not count)",
        is_met: |task, _| is_uneven(task),
        found: |task, _| lengths_in_words(&task.lengths()),
    }]);
