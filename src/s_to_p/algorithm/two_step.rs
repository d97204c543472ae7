//! Algorithm *2-Step*: gathers all messages at node 0 and broadcasts them from there.
//!
//! **What it does.** Every source sends its message to node 0, which receives the messages in rank order and combines them. Then node 0
//! broadcasts the combined message by [`Halving`](crate::pattern::Halving) on the line of *Br_Lin*; only node 0 counts as a holder of data.
//! The broadcast also returns to each source its own message.
//!
//! **Restrictions.** None.
//!
//! **Cost.** With `n` bytes from each of the `s` sources, up to `o_s + L + s n beta + s o_r` for the first step, because the messages queue at
//! the in-port and at the processor of node 0, and `ceil(log2 p) (alpha + s n beta)` for the second.
//!
//! **Source.** Report, sections 2 and 5.

use super::{Algorithm, Draft, Entry, Instance, of, only};
use crate::{
    pattern::{Builder, Exchange, Transfer, line},
    rank::Rank,
    topology::Grid,
};

impl Algorithm {
    /// Gathers all messages at node 0, then broadcasts them from there in `ceil(log2 p) (alpha + s n beta)`. Report, section 2.
    pub const TWO_STEP: Algorithm = of(&TWO_STEP);
}

static TWO_STEP: Entry = Entry::new("2-step", |_| only(draft))
    .aliases(&["two-step", "gather-broadcast"])
    .about("gathers all messages at node 0, then broadcasts them")
    .source("report, section 2")
    .cost("up to `o_s + L + s (o_r + n beta) + ceil(log2 p) (alpha + s n beta)`");

const ROOT: Rank = 0;

fn draft(instance: &Instance) -> Draft {
    Draft::whole(instance, Exchange::Together, |builder| {
        broadcast(builder, instance.grid(), instance.sources());
    })
}

/// Broadcasts block `k` from `places[k]`, through node 0.
pub(super) fn broadcast(builder: &mut Builder, grid: Grid, places: &[Rank]) {
    gather(builder, places, ROOT);
    builder.halve(&[line::snake(grid)]);
}

/// Sends block `k` from `places[k]` to the root, which receives the blocks in rank order.
pub(super) fn gather(builder: &mut Builder, places: &[Rank], root: Rank) {
    let mut moves: Vec<(Rank, u32)> = places.iter().copied().zip(0..).collect();
    moves.sort_unstable();
    moves.retain(|&(rank, _)| rank != root);
    builder.move_blocks(moves.into_iter().map(|(from, block)| Transfer {
        from,
        to: root,
        blocks: [block].into(),
    }));
}
