//! [`Builder`], which constructs a [`Schedule`] from the transfers of its iterations.

use super::{Action, Blocks, Growth, Message, Schedule, Step};
use crate::{
    pattern::{Direction, Halving},
    rank::Rank,
};

/// The overlap mode: how a node carries out a send and a receive of the same iteration.
///
/// The three modes differ in the timing model: a receive that overlaps a send of its node costs `o_x` more. On a machine with `o_x = 0` the
/// first two modes take the same time, and the third lets a node that sends more than it receives continue earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Exchange {
    /// Both at the same time, in one `sendrecv` call: the exchange of the papers.
    Together,
    /// `send`, then `recv`: the receive is called when the sent message has left the node, so that the two do not overlap. If both partners
    /// use this mode, their messages still pass each other. The mode relies on unexpected messages being accepted by the network at no
    /// cost. On a machine that copies an unexpected message through a buffer the gain is smaller. On a machine with
    /// [rendezvous](crate::MachineBuilder::rendezvous) nodes do both at the same time.
    InTurn,
    /// `isend`, then `recv`; the node waits for its sends at the end of the schedule.
    Overlapped,
}

/// One message of a [round](Builder::round).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// The blocks that are sent; the sender must hold all of them before the round.
    pub blocks: Blocks,
}

/// A schedule under construction, and the blocks that each node holds after the iterations added so far.
///
/// A node stores its blocks in one buffer in order of arrival: first its own blocks, then the blocks of each receive. A message whose
/// blocks are adjacent in the buffer is sent directly. For any other message the builder adds a [`Pack`](Action::Pack) step, which costs
/// the time of copying.
#[derive(Clone, Debug)]
pub struct Builder {
    schedule: Schedule,
    exchange: Exchange,
    held: Vec<Vec<u32>>,
    held_bytes: Vec<u64>,
    /// The number of ranks that hold blocks, and the maximum number of bytes held by one rank.
    active: usize,
    longest: u64,
    growth: Growth,
    room: Room,
}

/// Buffers reused by all rounds: the transfers with their lengths, their [`End`]s, and the scratch memory for sorting.
#[derive(Clone, Debug, Default)]
struct Room {
    given: Vec<(Transfer, u64)>,
    ends: Vec<End>,
    sorted: Vec<End>,
    places: Vec<usize>,
}

/// Initial capacities for the blocks and the steps of a node.
const ROOM: usize = 256;
const STEPS: usize = 16;

impl Room {
    /// Sorts the ends, which are in transfer order, by rank and kind.
    fn sort(&mut self, ranks: usize) {
        // For few transfers a comparison sort is faster than a counting sort over all ranks.
        if self.ends.len() < ranks {
            self.ends.sort_unstable();
            return;
        }
        self.places.clear();
        self.places.resize(2 * ranks, 0);
        self.ends.iter().for_each(|end| self.places[end.kind()] += 1);
        let mut before = 0;
        for place in &mut self.places {
            before += std::mem::replace(place, before);
        }
        self.sorted.resize(self.ends.len(), End(0));
        for &end in &self.ends {
            let place = &mut self.places[end.kind()];
            self.sorted[*place] = end;
            *place += 1;
        }
        std::mem::swap(&mut self.ends, &mut self.sorted);
    }
}

/// One end of a transfer, packed into an integer for fast sorting: by rank, sends before receives, then in the order given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End(u64);

impl End {
    const RECEIVES: u64 = 1 << 32;

    /// Creates the end of the `nth` transfer at a rank.
    fn new(rank: Rank, receives: bool, nth: usize) -> End {
        End((rank as u64) << 33 | u64::from(receives) << 32 | u64::from(nth as u32))
    }

    fn rank(self) -> Rank {
        (self.0 >> 33) as Rank
    }

    /// Returns the rank and the direction (send or receive) as one integer.
    fn kind(self) -> usize {
        (self.0 >> 32) as usize
    }

    fn receives(self) -> bool {
        self.0 & End::RECEIVES != 0
    }

    fn nth(self) -> usize {
        self.0 as u32 as usize
    }

    /// Returns the message of the end. Ends are processed in rank order, so the end with the higher rank is the last and takes the block
    /// list without a copy.
    fn message(self, given: &mut [(Transfer, u64)]) -> Message {
        let (Transfer { from, to, blocks }, bytes) = &mut given[self.nth()];
        let peer = if self.receives() { *from } else { *to };
        let is_last = self.rank() > peer;
        let blocks = if is_last { std::mem::replace(blocks, Blocks::one(0)) } else { blocks.clone() };
        Message { peer, blocks, bytes: *bytes, combined: false }
    }
}

impl Builder {
    /// Creates a schedule without steps. Block `k` has `sizes[k]` bytes and is initially at rank `origins[k]`; a rank may hold several
    /// blocks.
    ///
    /// # Panics
    ///
    /// If `origins` and `sizes` differ in length, or an origin is not below `nodes`.
    #[track_caller]
    pub fn new(nodes: usize, origins: &[Rank], sizes: &[u64], exchange: Exchange) -> Builder {
        let given = (origins.len(), sizes.len());
        assert!(
            given.0 == given.1,
            "{} origins and {} sizes of blocks are given: each block has one of both",
            given.0,
            given.1
        );
        let room = sizes.len().min(ROOM);
        let mut held: Vec<Vec<u32>> = (0..nodes).map(|_| Vec::with_capacity(room)).collect();
        for (block, &rank) in (0..).zip(origins) {
            check_rank(rank, nodes, || format!("as the origin of block {block}"));
            held[rank].push(block);
        }
        let mut builder = Builder {
            schedule: Schedule {
                sizes: sizes.into(),
                element: 1,
                steps: (0..nodes).map(|_| Vec::with_capacity(STEPS)).collect(),
                iterations: 0,
            },
            exchange,
            held_bytes: vec![0; nodes],
            held,
            active: 0,
            longest: 0,
            growth: Growth::default(),
            room: Room::default(),
        };
        for (&rank, &size) in origins.iter().zip(sizes) {
            builder.held_bytes[rank] = builder.held_bytes[rank].saturating_add(size);
        }
        builder.count();
        builder.end_iteration();
        builder
    }

    /// Returns the blocks that `rank` holds, in order of arrival.
    ///
    /// # Panics
    ///
    /// If the rank is outside the machine.
    #[track_caller]
    pub fn held(&self, rank: Rank) -> &[u32] {
        check_rank(rank, self.held.len(), || "to be looked at".to_owned());
        &self.held[rank]
    }

    /// Adds an iteration that consists of one [round](Builder::round).
    ///
    /// # Panics
    ///
    /// As [`round`](Builder::round).
    #[track_caller]
    pub fn iteration(&mut self, transfers: impl IntoIterator<Item = Transfer>) {
        self.round(transfers);
        self.end_iteration();
    }

    /// Adds a round to the current iteration. In a round each node sends before it receives, in the order of the given transfers. Its first
    /// send and its first receive form an exchange if the builder was created with [`Exchange::Together`].
    ///
    /// # Panics
    ///
    /// If a rank is outside the machine, sends to itself, or sends a block that does not exist or that it did not hold before the round (of
    /// several blocks only the first is checked, except in debug builds).
    #[track_caller]
    pub fn round(&mut self, transfers: impl IntoIterator<Item = Transfer>) {
        let iteration = self.schedule.iterations();
        let mut room = std::mem::take(&mut self.room);
        let (given, ends) = (&mut room.given, &mut room.ends);
        for transfer in transfers {
            let Transfer { from, to, ref blocks } = transfer;
            for (rank, role) in [(from, "as a sender"), (to, "as a receiver")] {
                check_rank(rank, self.held.len(), || role.to_owned());
            }
            assert!(from != to, "rank {from} is to send to itself: a transfer is between two ranks");
            let mut bytes = 0_u64;
            for &block in blocks {
                let Some(&size) = self.schedule.sizes.get(block as usize) else {
                    let known = numbered("block", self.schedule.sizes.len());
                    panic!("rank {from} is to send block {block}: the schedule has {known}");
                };
                bytes = bytes.saturating_add(size);
            }
            ends.extend([End::new(from, false, given.len()), End::new(to, true, given.len())]);
            given.push((transfer, bytes));
        }
        // The ends are sorted instead of the messages, which are several times larger.
        room.sort(self.held.len());
        let given = &mut room.given;
        for of_rank in room.ends.chunk_by(|one, next| one.rank() == next.rank()) {
            let rank = of_rank[0].rank();
            let (sends, receives) = of_rank.split_at(of_rank.partition_point(|end| !end.receives()));
            let (steps, held) = (&mut self.schedule.steps[rank], &mut self.held[rank]);
            let before = held.len();
            let mut receives = receives.iter();
            let mut add = |action| steps.push(Step { iteration, action });
            for (nth, send) in sends.iter().enumerate() {
                let send = send.message(given);
                if !lie_side_by_side(rank, &held[..before], &send.blocks) {
                    add(Action::Pack(send.bytes));
                }
                let as_exchange = self.exchange == Exchange::Together && nth == 0;
                match as_exchange.then(|| receives.next()).flatten() {
                    Some(recv) => {
                        let recv = recv.message(given);
                        held.extend_from_slice(&recv.blocks);
                        self.held_bytes[rank] = self.held_bytes[rank].saturating_add(recv.bytes);
                        add(Action::Exchange { send, recv });
                    }
                    None if self.exchange == Exchange::Overlapped => add(Action::Start(send)),
                    None => add(Action::Send(send)),
                }
            }
            for recv in receives {
                let recv = recv.message(given);
                held.extend_from_slice(&recv.blocks);
                self.held_bytes[rank] = self.held_bytes[rank].saturating_add(recv.bytes);
                add(Action::Recv(recv));
            }
            self.active += usize::from(before == 0 && !held.is_empty());
            self.longest = self.longest.max(self.held_bytes[rank]);
        }
        room.given.clear();
        room.ends.clear();
        self.room = room;
    }

    /// Ends the current iteration; later rounds belong to the next iteration.
    pub fn end_iteration(&mut self) {
        self.growth.add(self.active, self.longest);
        self.schedule.iterations = self.growth.iterations();
    }

    /// Recomputes `active` and `longest`. Rounds update both incrementally, which is correct only while no rank loses blocks.
    fn count(&mut self) {
        self.active = self.held.iter().filter(|blocks| !blocks.is_empty()).count();
        self.longest = self.held_bytes.iter().copied().max().unwrap_or(0);
    }

    /// Adds a [`Halving`] on each of the lines, all at the same time: every node sends all blocks that it holds as one message, or no
    /// message if it holds nothing.
    ///
    /// The lines must be disjoint. If each block has one holder per line, no block is sent to a node that already has it (see the proof in
    /// the module of [`Halving`]).
    ///
    /// # Panics
    ///
    /// If a rank is outside the machine, or occurs twice on the lines.
    #[track_caller]
    pub fn halve(&mut self, lines: &[Vec<Rank>]) {
        let mut is_there = vec![false; self.held.len()];
        for &rank in lines.iter().flatten() {
            check_rank(rank, is_there.len(), || "on a line".to_owned());
            let again = std::mem::replace(&mut is_there[rank], true);
            assert!(!again, "rank {rank} is on the lines twice: it may be on one of them, once");
        }
        let mut walkers: Vec<_> = lines
            .iter()
            .flat_map(|line| {
                let pairings = |position| Halving::new(line.len()).pairings(position).peekable();
                (0..line.len()).map(move |position| (line, position, pairings(position)))
            })
            .collect();
        let iterations = lines.iter().map(|line| Halving::new(line.len()).iterations()).max().unwrap_or(0);
        for current in 0..iterations {
            // Transfers of an unpaired position are carried out after the exchanges of the pairs.
            let (mut pairs, mut extra) = (Vec::new(), Vec::new());
            for (line, position, walker) in &mut walkers {
                let from = line[*position];
                let blocks: Blocks = self.held[from].as_slice().into();
                while let Some(pairing) = walker.next_if(|pairing| pairing.iteration == current) {
                    let to = line[pairing.partner];
                    let round = if pairing.direction == Direction::Both { &mut pairs } else { &mut extra };
                    if pairing.direction.sends() && !blocks.is_empty() {
                        round.push(Transfer { from, to, blocks: blocks.clone() });
                    }
                }
            }
            self.round(pairs);
            self.round(extra);
            self.end_iteration();
        }
    }

    /// Adds an iteration of one [round](Builder::round) that moves its blocks instead of copying them: afterwards the senders no longer
    /// hold the blocks.
    ///
    /// # Panics
    ///
    /// As [`round`](Builder::round).
    #[track_caller]
    pub fn move_blocks(&mut self, transfers: impl IntoIterator<Item = Transfer>) {
        let transfers: Vec<Transfer> = transfers.into_iter().collect();
        self.round(transfers.iter().cloned());
        let mut is_moved = vec![false; self.schedule.sizes.len()];
        for Transfer { from, blocks, .. } in transfers {
            blocks.iter().for_each(|&block| is_moved[block as usize] = true);
            self.held[from].retain(|&block| !is_moved[block as usize]);
            self.held_bytes[from] = self.bytes(&self.held[from]);
            blocks.iter().for_each(|&block| is_moved[block as usize] = false);
        }
        self.count();
        self.end_iteration();
    }

    /// Returns the growth of the data held by nodes up to the last iteration.
    pub fn growth(&self) -> &Growth {
        &self.growth
    }

    /// Returns the schedule.
    pub fn finish(mut self) -> Schedule {
        // Frees unused capacity, because a plan may be cached for a long time.
        for steps in &mut self.schedule.steps {
            if steps.capacity() > 2 * steps.len() {
                steps.shrink_to_fit();
            }
        }
        self.schedule
    }

    fn bytes(&self, blocks: &[u32]) -> u64 {
        blocks.iter().map(|&block| self.schedule.sizes[block as usize]).fold(0, u64::saturating_add)
    }
}

/// Panics if a rank is outside the machine; `purpose` describes its role in the panic message.
#[track_caller]
fn check_rank(rank: Rank, nodes: usize, purpose: impl FnOnce() -> String) {
    assert!(rank < nodes, "rank {rank} is given {}: the machine has {}", purpose(), numbered("rank", nodes));
}

/// Describes the valid numbers of `count` items in words.
fn numbered(what: &str, count: usize) -> String {
    match count {
        0 => format!("no {what}s"),
        1 => format!("only {what} 0"),
        _ => format!("{what}s 0 to {}", count - 1),
    }
}

/// Returns whether `blocks` are adjacent and in order in the `buffer` of a rank.
///
/// # Panics
///
/// If the first block is missing; in debug builds if any block is missing.
#[track_caller]
fn lie_side_by_side(rank: Rank, buffer: &[u32], blocks: &[u32]) -> bool {
    let Some((first, others)) = blocks.split_first() else { return true };
    // The end of the buffer is searched first: recently received blocks are the most likely to be sent next.
    if others.is_empty()
        && (buffer.iter().rev().take(8).any(|block| block == first) || buffer.contains(first))
    {
        return true;
    }
    let missing = |block: &u32| -> ! {
        panic!(
            "rank {rank} is to send block {block}, which it does not hold: before this round it holds {buffer:?}"
        )
    };
    if let Some(block) = others.iter().find(|&block| cfg!(debug_assertions) && !buffer.contains(block)) {
        missing(block);
    }
    match buffer.iter().rposition(|block| block == first) {
        Some(start) => buffer[start..].starts_with(blocks),
        None => missing(first),
    }
}

#[cfg(test)]
#[path = "builder_tests.rs"]
mod tests;
