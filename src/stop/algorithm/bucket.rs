//! Algorithm *Bucket*: messages go around in rings, within the rows and then within the columns or the other way round.
//!
//! **What it does.** In the first phase the lines of one dimension are rings. In each step a node sends to the next one
//! of its ring a bucket that it has not sent on yet, its own messages first, until every bucket has been everywhere. In
//! the second phase the rings of the other dimension do the same with all that a node has. A bucket is all that a node
//! holds at the beginning of a phase; or buckets are *even*, of no more messages than the mean of the ring, so that a
//! node that holds more has several, and no step waits for a large one.
//!
//! **Restrictions.** None.
//!
//! **Cost.** `(r + c - 2) alpha + (m + s n) beta`, where `m` is the most bytes of sources in one line of the first phase,
//! if all nodes of a ring hold the same; half duplex doubles the bytes. Each link carries one message at a time, on
//! every mesh: where halving suffers from conflicts, with many sources and links no faster than nodes, this wins.
//!
//! **Source.** The bucket collect of Barnett et al., "Building a High-Performance Collective Communication Library",
//! 1994, section 4.

use std::collections::VecDeque;

use super::{Draft, Instance, br_xy::First, variant::Variant};
use crate::{
    pattern::{Blocks, Builder, Exchange, Transfer},
    rank::Rank,
};

/// Both orders of the dimensions, with buckets as they are, and with even ones where they can differ.
pub(super) fn variants(instance: &Instance) -> Vec<Variant> {
    let is_even =
        [false, true].into_iter().take(1 + usize::from(instance.sources().len() < instance.nodes()));
    let choices =
        First::BOTH.into_iter().flat_map(|first| is_even.clone().map(move |is_even| (first, is_even)));
    let name = |(first, is_even): (First, bool)| {
        if is_even { format!("{}, even buckets", first.name()) } else { first.name().to_owned() }
    };
    Variant::each(choices, name, draft)
}

fn draft(instance: &Instance, (first, is_even): (First, bool), exchange: Exchange) -> Draft {
    Draft::whole(instance, exchange, |builder| collect(builder, first.lines(instance.grid()), is_even))
}

/// Both phases, from whatever the nodes hold.
pub(super) fn collect(builder: &mut Builder, phases: [Vec<Vec<Rank>>; 2], is_even: bool) {
    phases.iter().for_each(|rings| go_around(builder, rings, is_even));
}

/// What a node of a ring has to send on: blocks, each with the number of nodes that it still has to reach.
type Queue = VecDeque<(Vec<u32>, usize)>;

/// All rings at the same time, until every node of a ring has what the ring has.
fn go_around(builder: &mut Builder, rings: &[Vec<Rank>], is_even: bool) {
    let mut queues: Vec<Vec<Queue>> = Vec::new();
    for ring in rings {
        let blocks: usize = ring.iter().map(|&rank| builder.held(rank).len()).sum();
        let most = if is_even { blocks.div_ceil(ring.len()).max(1) } else { usize::MAX };
        let queue = |&rank: &Rank| -> Queue {
            let held = builder.held(rank);
            held.chunks(most.min(held.len().max(1))).map(|bucket| (bucket.to_vec(), ring.len() - 1)).collect()
        };
        queues.push(ring.iter().map(queue).collect());
    }
    loop {
        let mut transfers = Vec::new();
        let mut arrivals = Vec::new();
        for (number, (ring, queues)) in rings.iter().zip(&mut queues).enumerate() {
            for (position, &from) in ring.iter().enumerate() {
                let Some((bucket, left)) = queues[position].pop_front().filter(|&(_, left)| left > 0) else {
                    continue;
                };
                let next = (position + 1) % ring.len();
                let blocks: Blocks = bucket.as_slice().into();
                transfers.push(Transfer { from, to: ring[next], blocks });
                arrivals.push((number, next, (bucket, left - 1)));
            }
        }
        if transfers.is_empty() {
            return;
        }
        builder.iteration(transfers);
        for (ring, position, bucket) in arrivals {
            if bucket.1 > 0 {
                queues[ring][position].push_back(bucket);
            }
        }
    }
}
