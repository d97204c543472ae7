//! Algorithms 4.7 and 4.8: *all-to-all broadcast* and *all-to-all reduction* on a hypercube.
//!
//! **What it does.** In step `i` the nodes whose labels differ in bit `i`, counted from 0, exchange all that they have:
//! the messages double in length (figure 4.11). A reduction is the same turned around, the highest bit first: each node
//! sends the half of its blocks that belongs to the other side and adds the half that comes. On a ring or a mesh
//! several messages of a step share a link, `2^i` of them on a linear array (figure 4.12).
//!
//! **Restrictions.** A power of two ranks. The reduction first adds what is far apart: the operator must be
//! commutative.
//!
//! **Cost.** Equation 4.4: `t_s log2 p + t_w m (p - 1)`, that is `log2 p alpha + (p - 1) n beta`; a reduction adds
//! `gamma` for `(p - 1) m` elements.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", sections 4.2.3 and 4.2.4.

use crate::pattern::{Builder, Transfer};

/// What a number of ranks must be.
pub(super) const RESTRICTION: &str = "it needs a power of two ranks";

/// Exchanges all that is held along each dimension, the lowest first.
pub(super) fn spread(builder: &mut Builder, size: usize) {
    for bit in 0..size.ilog2() {
        let all: Vec<Transfer> = (0..size)
            .map(|from| Transfer { from, to: from ^ 1 << bit, blocks: builder.held(from).into() })
            .collect();
        builder.iteration(all);
    }
}
