//! Algorithm *Bucket*: messages go around in rings, within the rows and then within the columns or the other way round.
//!
//! **What it does.** In the first phase the lines of one dimension are rings. In each step a node sends to the next one
//! of its ring what it received in the step before, its own message first, until everybody on the ring has everything;
//! steps for which there is nothing are left out. In the second phase the rings of the other dimension do the same with
//! all that a node has.
//!
//! **Restrictions.** None.
//!
//! **Cost.** `(r + c - 2) alpha + (m + s n) beta`, where `m` is the most bytes of sources in one line of the first
//! phase; half duplex doubles the bytes. Each link carries one message at a time, on every mesh: where halving suffers
//! from conflicts, with many sources and links no faster than nodes, this wins. Nothing is copied: a node sends on what
//! it received as one message.
//!
//! **Source.** The bucket collect of Barnett et al., "Building a High-Performance Collective Communication Library",
//! 1994, section 4.

use super::{Draft, Instance, br_xy::First, variant::Variant};
use crate::{
    pattern::{Blocks, Builder, Exchange, Transfer},
    rank::Rank,
};

/// Both orders of the dimensions.
pub(super) fn variants() -> Vec<Variant> {
    Variant::each(First::BOTH, |first| first.name().to_owned(), draft)
}

fn draft(instance: &Instance, first: First, exchange: Exchange) -> Draft {
    Draft::whole(instance, exchange, |builder| {
        for rings in first.lines(instance.grid()) {
            go_around(builder, &rings);
        }
    })
}

/// All rings at the same time, until every node of a ring has what the ring has.
fn go_around(builder: &mut Builder, rings: &[Vec<Rank>]) {
    let longest = rings.iter().map(Vec::len).max().unwrap_or(0);
    let buckets: Vec<Vec<Blocks>> =
        rings.iter().map(|ring| ring.iter().map(|&rank| builder.held(rank).into()).collect()).collect();
    for step in 0..longest.saturating_sub(1) {
        let mut transfers = Vec::new();
        for (ring, buckets) in rings.iter().zip(&buckets) {
            let length = ring.len();
            for (position, &from) in ring.iter().enumerate().filter(|_| step + 1 < length) {
                let blocks = &buckets[(position + length - step) % length];
                if !blocks.is_empty() {
                    let to = ring[(position + 1) % length];
                    transfers.push(Transfer { from, to, blocks: blocks.clone() });
                }
            }
        }
        builder.iteration(transfers);
    }
}
