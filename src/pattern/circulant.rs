//! Algorithms on circulant graphs: in each round all nodes send over the same distances around a ring.
//!
//! The distances are `ceil(p/2)`, `ceil(p/4)`, .., 1, so that messages over long distances are short. With radix `r` a node sends over
//! several distances in a round: the multiples of `ceil(p/r)`, `ceil(p/r^2)`, .., 1.

use super::{Blocks, Builder, Transfer};
use crate::rank::Rank;

/// Collects in each of the rings, all at the same time, in `ceil(log_r p)` rounds for any `p` and a radix `r`. In each round every node
/// sends to up to `r - 1` other nodes, at multiples of the distance of the round, the blocks that they do not have. No block is received
/// twice.
///
/// Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, "Efficient algorithms for all-to-all communications
/// in multiport message-passing systems", IEEE TPDS 8(11), 1997; with the distances of J. L. Träff, "Optimal,
/// non-pipelined reduce-scatter and allreduce algorithms", 2024.
pub fn all_gather(builder: &mut Builder, rings: &[Vec<Rank>], radix: usize) {
    let own: Vec<Vec<Blocks>> =
        rings.iter().map(|ring| ring.iter().map(|&rank| builder.held(rank).into()).collect()).collect();
    let strides: Vec<Vec<usize>> = rings.iter().map(|ring| strides(ring.len(), radix)).collect();
    let most = strides.iter().map(Vec::len).max().unwrap_or(0);
    // For each distance, whether a node has the blocks of the node this far back on the ring; equal for all nodes of a ring.
    let mut has: Vec<Vec<bool>> =
        rings.iter().map(|ring| (0..ring.len()).map(|behind| behind == 0).collect()).collect();
    for round in 0..most {
        let mut transfers = Vec::new();
        for (((ring, own), strides), has) in rings.iter().zip(&own).zip(&strides).zip(&mut has) {
            let size = ring.len();
            let Some(&stride) = strides.get(round) else { continue };
            let before = has.clone();
            for distance in (1..radix).map(|times| times * stride).take_while(|&distance| distance < size) {
                let sent: Vec<usize> =
                    (0..size).filter(|&behind| before[behind] && !has[(behind + distance) % size]).collect();
                for (position, &from) in ring.iter().enumerate() {
                    let blocks = |&behind: &usize| own[(position + size - behind) % size].iter().copied();
                    let blocks: Blocks = sent.iter().flat_map(blocks).collect();
                    if !blocks.is_empty() {
                        transfers.push(Transfer { from, to: ring[(position + distance) % size], blocks });
                    }
                }
                sent.iter().for_each(|&behind| has[(behind + distance) % size] = true);
            }
        }
        builder.iteration(transfers);
    }
}

/// Broadcasts `blocks[k]` blocks from `holders[k]` on a ring of all nodes, pipelined. The blocks of the builder are ordered by holder.
///
/// The rounds cycle through the distances. A holder sends its next block until it has sent all of them; any other node sends, for each
/// holder, the newest block that the receiver does not have. All blocks for one receiver form one message. For `p` up to 256 the algorithm
/// takes (by enumeration) `ceil(log2 p) + b - 1` rounds for holders of `b` blocks each, which is the minimum, or up to two more.
///
/// Source of the graph and the number of rounds: J. L. Träff, "Fast(er) construction of round-optimal n-block broadcast schedules", arXiv
/// 2205.10072, and A. Bar-Noy, S. Kipnis, "Broadcasting multiple messages in simultaneous send/receive systems", Discrete Applied
/// Mathematics 55, 1994. The rule that selects the block to send is simpler here.
pub fn broadcast(builder: &mut Builder, ring: &[Rank], holders: &[Rank], blocks: &[usize]) {
    let distances = distances(ring.len());
    // The number of each holder's first block, and the holder index of each block.
    let firsts: Vec<usize> = (0..blocks.len()).map(|message| blocks[..message].iter().sum()).collect();
    let message_of: Vec<usize> =
        blocks.iter().enumerate().flat_map(|(message, &count)| std::iter::repeat_n(message, count)).collect();
    let mut has = Held::new(ring.len(), holders, blocks);
    let mut round = 0;
    while !has.is_complete() {
        let distance = distances[round % distances.len()];
        let mut transfers = Vec::new();
        for (position, &from) in ring.iter().enumerate() {
            let to = ring[(position + distance) % ring.len()];
            let sent = has.sent(from, to, round);
            let sent: Blocks = sent.map(|(message, block)| (firsts[message] + block) as u32).collect();
            if !sent.is_empty() {
                transfers.push(Transfer { from, to, blocks: sent });
            }
        }
        for transfer in &transfers {
            for &block in transfer.blocks.iter() {
                let message = message_of[block as usize];
                has.receive(transfer.to, message, block as usize - firsts[message]);
            }
        }
        builder.iteration(transfers);
        round += 1;
    }
}

/// Returns the distances around the ring, in the order of the rounds.
pub(crate) fn distances(nodes: usize) -> Vec<usize> {
    strides(nodes, 2)
}

/// Returns the base distance of each round. A round uses the multiples of its base distance with factors below the radix.
pub(crate) fn strides(nodes: usize, radix: usize) -> Vec<usize> {
    if nodes < 2 {
        return Vec::new();
    }
    let shorter = |&stride: &usize| (stride > 1).then(|| stride.div_ceil(radix));
    std::iter::successors(Some(nodes.div_ceil(radix)), shorter).collect()
}

/// The blocks of each message that each rank holds: for each block number and rank, the bit set of the messages whose block of this number
/// the rank holds. For hundreds of messages, a few words then determine which blocks are sent next.
struct Held {
    ranks: usize,
    /// The number of 64-bit words of a set.
    words: usize,
    sets: Vec<u64>,
    /// For each block number, the number of missing blocks over all ranks.
    missing: Vec<usize>,
    /// The lowest block number of which a block is missing.
    lowest: usize,
    /// The initial messages of each rank, and the number of blocks of each message.
    own: Vec<Vec<usize>>,
    blocks: Vec<usize>,
    /// One more than the largest block number received so far.
    received: usize,
    /// Scratch memory of `sent`: the set of messages with a block to send, and the number of this block.
    found: Vec<u64>,
    choice: Vec<usize>,
}

impl Held {
    /// Creates the initial state: `blocks[k]` blocks at `holders[k]`.
    fn new(ranks: usize, holders: &[Rank], blocks: &[usize]) -> Held {
        let words = holders.len().div_ceil(64);
        let numbers = blocks.iter().copied().max().unwrap_or(0);
        let mut missing = vec![0; numbers];
        let mut own = vec![Vec::new(); ranks];
        for (message, (&rank, &count)) in holders.iter().zip(blocks).enumerate() {
            own[rank].push(message);
            missing[..count].iter_mut().for_each(|missing| *missing += ranks - 1);
        }
        let mut held = Held {
            ranks,
            words,
            sets: vec![0; numbers * ranks * words],
            missing,
            lowest: 0,
            own,
            blocks: blocks.to_vec(),
            received: 0,
            found: vec![0; words],
            choice: vec![0; holders.len()],
        };
        for (message, (&rank, &count)) in holders.iter().zip(blocks).enumerate() {
            (0..count).for_each(|block| held.insert(block, rank, message));
        }
        held.skip_complete();
        held
    }

    /// Returns the range of words of the set of a block number and a rank.
    fn set(&self, block: usize, rank: Rank) -> std::ops::Range<usize> {
        let start = (block * self.ranks + rank) * self.words;
        start..start + self.words
    }

    fn insert(&mut self, block: usize, rank: Rank, message: usize) {
        let start = self.set(block, rank).start;
        self.sets[start + message / 64] |= 1 << (message % 64);
    }

    fn contains(&self, block: usize, rank: Rank, message: usize) -> bool {
        self.sets[self.set(block, rank).start + message / 64] & 1 << (message % 64) != 0
    }

    /// Records that a rank has received a block of a message.
    fn receive(&mut self, rank: Rank, message: usize, block: usize) {
        self.insert(block, rank, message);
        self.missing[block] -= 1;
        self.received = self.received.max(block + 1);
        self.skip_complete();
    }

    fn skip_complete(&mut self) {
        while self.missing.get(self.lowest) == Some(&0) {
            self.lowest += 1;
        }
    }

    /// Returns whether all ranks have all blocks.
    fn is_complete(&self) -> bool {
        self.lowest == self.missing.len()
    }

    /// Returns the blocks that `from` sends to `to`: of each message the newest block that `to` does not have. Of a message that `from`
    /// originates, the block numbered like the round takes precedence, if `to` does not have it.
    fn sent(&mut self, from: Rank, to: Rank, round: usize) -> impl Iterator<Item = (usize, usize)> {
        self.found.fill(0);
        for nth in 0..self.own[from].len() {
            let message = self.own[from][nth];
            if round < self.blocks[message] && !self.contains(round, to, message) {
                self.found[message / 64] |= 1 << (message % 64);
                self.choice[message] = round;
            }
        }
        let end = if self.own[from].is_empty() { self.received } else { self.missing.len() };
        for block in (self.lowest..end).rev() {
            let (own, other) = (self.set(block, from), self.set(block, to));
            for (word, (own, other)) in own.zip(other).enumerate() {
                let mut new = self.sets[own] & !self.sets[other] & !self.found[word];
                self.found[word] |= new;
                while new != 0 {
                    self.choice[64 * word + new.trailing_zeros() as usize] = block;
                    new &= new - 1;
                }
            }
        }
        let messages =
            (0..self.choice.len()).filter(|message| self.found[message / 64] & 1 << (message % 64) != 0);
        messages.map(|message| (message, self.choice[message]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{Exchange, Schedule};

    /// Returns the schedule of an all-gather in one ring, with one block per node.
    fn collected(nodes: usize, radix: usize) -> Schedule {
        let ring: Vec<Rank> = (0..nodes).collect();
        let mut builder = Builder::new(nodes, &ring, &vec![1; nodes], Exchange::Together);
        all_gather(&mut builder, &[ring], radix);
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
            assert_eq!(collected(nodes, 2).iterations(), log, "{nodes}");
            for radix in 3..=9 {
                let fewest = (0..).find(|&rounds| usize::pow(radix, rounds) >= nodes).unwrap();
                assert_eq!(collected(nodes, radix).iterations(), fewest as usize, "{nodes} with {radix}");
            }
            assert_eq!(
                collected(nodes, nodes.max(2)).iterations(),
                usize::from(nodes > 1),
                "{nodes} at once"
            );
        }
    }

    #[test]
    fn many_blocks_take_a_few_extra_rounds() {
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
