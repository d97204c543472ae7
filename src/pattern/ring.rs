//! The ring all-gather (ring all-gather): data moves around rings.

use std::collections::VecDeque;

use super::{Blocks, Builder, Transfer};
use crate::rank::Rank;

/// The queue of buckets that a node must forward, each with the number of nodes that it still has to reach. All nodes share the block list
/// of a bucket.
type Queue = VecDeque<(Blocks, usize)>;

/// Collects in all rings at the same time: at the end every node of a ring has all blocks of its ring.
///
/// In each step a node sends to the next node of its ring one bucket that it has not forwarded yet, its own blocks first. The initial
/// blocks of a node are cut into buckets of `most` blocks, where `most` is a function of the numbers of blocks of all nodes of the ring.
/// One bucket per node gives the plain algorithm; several buckets balance nodes with different amounts of data, or overlap sending a bucket
/// with receiving the next.
///
/// On a linear array no two messages of a step share a link, because only the last node sends backwards.
///
/// Source: Barnett et al., "Building a High-Performance Collective Communication Library", 1994, section 4.2.
pub fn all_gather(builder: &mut Builder, rings: &[Vec<Rank>], most: impl Fn(&[usize]) -> usize) {
    let mut queues: Vec<Vec<Queue>> = Vec::new();
    for ring in rings {
        let counts: Vec<usize> = ring.iter().map(|&rank| builder.held(rank).len()).collect();
        let most = most(&counts).max(1);
        let queue = |&rank: &Rank| -> Queue {
            builder.held(rank).chunks(most).map(|bucket| (bucket.into(), ring.len() - 1)).collect()
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
                transfers.push(Transfer { from, to: ring[next], blocks: bucket.clone() });
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
