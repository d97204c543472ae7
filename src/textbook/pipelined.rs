//! Several *one-to-all broadcasts*, from different sources: pipelined as one all-to-all broadcast, or one after the
//! other.
//!
//! **What it does.** *Pipelined*, the data of all sources goes around a ring as in algorithm 4.4, with nodes that are
//! no sources passing on what comes. *In turn*, the broadcasts of algorithm 4.2 follow each other. Gaussian
//! elimination, back substitution and Floyd's shortest paths gain from the former.
//!
//! **Restrictions.** None; the sources are the ranks with a block that is not empty.
//!
//! **Cost.** For `n` sources at most `(p - 1) (t_s + t_w m)` pipelined, however many sources there are, against
//! `n ceil(log2 p) (t_s + t_w m)` in turn.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", section 4.2.4.

use super::{one_to_all, shape::Shape};
use crate::{pattern::Builder, rank::Rank};

/// Brings block `k` from `sources[k]` to all, one after the other.
pub(super) fn in_turn(builder: &mut Builder, line: &Shape, sources: &[Rank]) {
    for (block, &source) in (0..).zip(sources) {
        one_to_all::spread(builder, line, source, &[block].into(), [0]);
    }
}
