//! Patterns on circulant graphs: in each round all nodes send over the same distance around a ring.
//!
//! The distances go down through `ceil(p/2)`, `ceil(p/4)`, .., 1. So data goes over long distances while there is
//! little of it.

use super::{Blocks, Builder, Transfer};
use crate::rank::Rank;

/// Collects in each of the rings, all at the same time, in `ceil(log2 p)` rounds for any `p`: in each round every
/// node sends the blocks that the node at the distance of the round does not have, and no block twice.
///
/// Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, "Efficient algorithms for all-to-all communications
/// in multiport message-passing systems", IEEE TPDS 8(11), 1997; with the distances of J. L. Träff, "Optimal,
/// non-pipelined reduce-scatter and allreduce algorithms", 2024.
pub fn collect(builder: &mut Builder, rings: &[Vec<Rank>]) {
    let own: Vec<Vec<Blocks>> =
        rings.iter().map(|ring| ring.iter().map(|&rank| builder.held(rank).into()).collect()).collect();
    let most = rings.iter().map(|ring| distances(ring.len()).len()).max().unwrap_or(0);
    // The distances behind a node of the nodes whose blocks it has; the same for all nodes of a ring.
    let mut has: Vec<Vec<bool>> =
        rings.iter().map(|ring| (0..ring.len()).map(|behind| behind == 0).collect()).collect();
    for round in 0..most {
        let mut transfers = Vec::new();
        for ((ring, own), has) in rings.iter().zip(&own).zip(&mut has) {
            let size = ring.len();
            let Some(&distance) = distances(size).get(round) else { continue };
            let sent: Vec<usize> =
                (0..size).filter(|&behind| has[behind] && !has[(behind + distance) % size]).collect();
            for (position, &from) in ring.iter().enumerate() {
                let blocks = |&behind: &usize| own[(position + size - behind) % size].iter().copied();
                let blocks: Blocks = sent.iter().flat_map(blocks).collect();
                if !blocks.is_empty() {
                    transfers.push(Transfer { from, to: ring[(position + distance) % size], blocks });
                }
            }
            sent.iter().for_each(|&behind| has[(behind + distance) % size] = true);
        }
        builder.iteration(transfers);
    }
}

/// Broadcasts `blocks[k]` blocks from `holders[k]`, on a ring of all nodes, pipelined: the first ones of the builder are those
/// of the first holder, and so on.
///
/// The rounds go through the distances again and again. A holder sends its next block until it has sent all of them;
/// any other node sends, of each holder's blocks, the newest one that the receiver does not have. All blocks for one
/// receiver go as one message. Counted on `p` up to 256, this takes `ceil(log2 p) + b - 1` rounds for holders of `b` blocks
/// each, the fewest possible, or up to two more.
///
/// Source: the graph and the number of rounds: J. L. Träff, "Fast(er) construction of round-optimal n-block broadcast
/// schedules", arXiv 2205.10072, and A. Bar-Noy, S. Kipnis, "Broadcasting multiple messages in simultaneous
/// send/receive systems", Discrete Applied Mathematics 55, 1994. The rule that selects the block to send is a simpler
/// one.
pub fn broadcast(builder: &mut Builder, ring: &[Rank], holders: &[Rank], blocks: &[usize]) {
    let distances = distances(ring.len());
    // The number of each holder's first block, and the holder of each block.
    let firsts: Vec<usize> = (0..blocks.len()).map(|message| blocks[..message].iter().sum()).collect();
    let message_of: Vec<usize> =
        blocks.iter().enumerate().flat_map(|(message, &count)| std::iter::repeat_n(message, count)).collect();
    // The blocks of each holder that each node has.
    let mut has = Sets::empty(ring.len() * holders.len(), blocks.iter().copied().max().unwrap_or(0));
    let set = |rank: Rank, message: usize| rank * holders.len() + message;
    for (message, &rank) in holders.iter().enumerate() {
        (0..blocks[message]).for_each(|block| has.insert(set(rank, message), block));
    }
    let mut missing = (ring.len() - 1) * message_of.len();
    let mut round = 0;
    while missing > 0 {
        let distance = distances[round % distances.len()];
        let mut transfers = Vec::new();
        for (position, &from) in ring.iter().enumerate() {
            let to = ring[(position + distance) % ring.len()];
            let sent = (0..holders.len()).filter_map(|message| {
                let (own, other) = (set(from, message), set(to, message));
                let is_next =
                    holders[message] == from && round < blocks[message] && !has.contains(other, round);
                let block = if is_next { round } else { has.newest_not_in(own, other)? };
                Some((firsts[message] + block) as u32)
            });
            let sent: Blocks = sent.collect();
            if !sent.is_empty() {
                transfers.push(Transfer { from, to, blocks: sent });
            }
        }
        for transfer in &transfers {
            for &block in transfer.blocks.iter() {
                let message = message_of[block as usize];
                has.insert(set(transfer.to, message), block as usize - firsts[message]);
                missing -= 1;
            }
        }
        builder.iteration(transfers);
        round += 1;
    }
}

/// The distances around the ring, in the order of the rounds.
pub(crate) fn distances(nodes: usize) -> Vec<usize> {
    if nodes < 2 {
        return Vec::new();
    }
    let halved = |&distance: &usize| (distance > 1).then(|| distance.div_ceil(2));
    std::iter::successors(Some(nodes.div_ceil(2)), halved).collect()
}

/// Sets of small numbers, side by side.
struct Sets {
    /// The number of 64-bit words of each set.
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    /// Creates `sets` empty sets of numbers below `most`.
    fn empty(sets: usize, most: usize) -> Sets {
        let words = most.div_ceil(64);
        Sets { words, bits: vec![0; sets * words] }
    }

    fn insert(&mut self, set: usize, number: usize) {
        self.bits[set * self.words + number / 64] |= 1 << (number % 64);
    }

    fn contains(&self, set: usize, number: usize) -> bool {
        self.bits[set * self.words + number / 64] & 1 << (number % 64) != 0
    }

    /// The largest number that is in one set and not in the other.
    fn newest_not_in(&self, set: usize, other: usize) -> Option<usize> {
        (0..self.words).rev().find_map(|word| {
            let [own, other] = [set, other].map(|set| self.bits[set * self.words + word]);
            Some(64 * word + (own & !other).checked_ilog2()? as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{Exchange, Schedule};

    /// The schedule of a collect in one ring, one block each.
    fn collected(nodes: usize) -> Schedule {
        let ring: Vec<Rank> = (0..nodes).collect();
        let mut builder = Builder::new(nodes, &ring, &vec![1; nodes], Exchange::Together);
        collect(&mut builder, &[ring]);
        for rank in 0..nodes {
            let mut held = builder.held(rank).to_vec();
            held.sort_unstable();
            assert!(held.iter().copied().eq(0..nodes as u32), "each block once at {rank} of {nodes}");
        }
        builder.finish()
    }

    #[test]
    fn a_collect_takes_a_logarithm_of_rounds() {
        for nodes in 1_usize..=130 {
            let log = nodes.next_power_of_two().ilog2() as usize;
            assert_eq!(collected(nodes).iterations(), log, "{nodes}");
        }
    }

    #[test]
    fn many_blocks_take_few_rounds_more() {
        for (nodes, blocks) in [(2, 65), (9, 130), (30, 256), (64, 100)] {
            let ring: Vec<Rank> = (0..nodes).collect();
            let mut builder = Builder::new(nodes, &vec![1; blocks], &vec![1; blocks], Exchange::Together);
            broadcast(&mut builder, &ring, &[1], &[blocks]);
            assert!((0..nodes).all(|rank| builder.held(rank).len() == blocks));
            let log = nodes.next_power_of_two().ilog2() as usize;
            let fewest = log + blocks - 1;
            let rounds = builder.finish().iterations();
            assert!((fewest..=fewest + 2).contains(&rounds), "{blocks} blocks on {nodes}: {rounds}");
        }
    }

    #[test]
    fn distances_are_halved_down_to_one() {
        assert_eq!(distances(1), [0; 0]);
        assert_eq!(distances(2), [1]);
        assert_eq!(distances(10), [5, 3, 2, 1]);
        assert_eq!(distances(16), [8, 4, 2, 1]);
    }
}
