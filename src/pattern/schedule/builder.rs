//! A builder that makes a [`Schedule`] from the transfers of its iterations.

use std::collections::BTreeMap;

use super::{Action, Blocks, Growth, Message, Schedule, Step};
use crate::{
    pattern::{Direction, Halving},
    rank::Rank,
};

/// The way in which a node carries out a send and a receive of the same iteration.
///
/// The three ways differ in the timing model: a receive that overlaps a send of its node costs `o_x` more. On a
/// machine with `o_x = 0` the first two take the same time, and the third lets a node that sends more than it
/// receives go on earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Exchange {
    /// At the same time, as one call, `sendrecv`: the papers' exchange.
    Together,
    /// `send`, then `recv`: the receive is called when the sent message has left, so that the two do not overlap. If
    /// both partners do this their messages still pass each other. It relies on messages being taken in by the
    /// network without a posted receive, at no cost; on a machine that copies an unexpected message through a buffer
    /// the gain is smaller.
    InTurn,
    /// `isend`, then `recv`; the node waits for its sends at the very end.
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

/// A schedule under construction, and the blocks that each node holds after the iterations so far.
///
/// A node keeps its blocks in one buffer, in the order in which they came: its own, then those of each receive. A
/// message whose blocks lie side by side there is sent as it is. For any other message the builder adds a
/// [`Pack`](Action::Pack) step, which costs the time of copying it.
#[derive(Clone, Debug)]
pub struct Builder {
    schedule: Schedule,
    exchange: Exchange,
    held: Vec<Vec<u32>>,
    held_bytes: Vec<u64>,
    growth: Growth,
}

impl Builder {
    /// Creates a schedule without steps. Block `k` has `sizes[k]` bytes and is at rank `origins[k]`; a rank may have
    /// several.
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
        let mut held = vec![Vec::new(); nodes];
        for (block, &rank) in (0..).zip(origins) {
            check_rank(rank, nodes, || format!("as the origin of block {block}"));
            held[rank].push(block);
        }
        let mut builder = Builder {
            schedule: Schedule {
                sizes: sizes.to_vec(),
                element: 1,
                steps: vec![Vec::new(); nodes],
                iterations: 0,
            },
            exchange,
            held_bytes: vec![0; nodes],
            held,
            growth: Growth::default(),
        };
        for (&rank, &size) in origins.iter().zip(sizes) {
            builder.held_bytes[rank] = builder.held_bytes[rank].saturating_add(size);
        }
        builder.end_iteration();
        builder
    }

    /// The blocks that `rank` holds, in the order in which they came.
    ///
    /// # Panics
    ///
    /// If the rank is outside the machine.
    #[track_caller]
    pub fn held(&self, rank: Rank) -> &[u32] {
        check_rank(rank, self.held.len(), || "to be looked at".to_owned());
        &self.held[rank]
    }

    /// Adds an iteration of one [round](Builder::round).
    ///
    /// # Panics
    ///
    /// As [`round`](Builder::round).
    #[track_caller]
    pub fn iteration(&mut self, transfers: impl IntoIterator<Item = Transfer>) {
        self.round(transfers);
        self.end_iteration();
    }

    /// Adds a round to the current iteration. In it each node sends before it receives, each in the order of the
    /// transfers given; its first send and its first receive form an exchange if the builder was created with
    /// [`Exchange::Together`].
    ///
    /// # Panics
    ///
    /// If a rank is outside the machine, sends to itself, or sends a block that does not exist, or that it did not
    /// hold before the round (of several blocks only the first is checked, except in debug builds).
    #[track_caller]
    pub fn round(&mut self, transfers: impl IntoIterator<Item = Transfer>) {
        let iteration = self.schedule.iterations();
        let mut messages: BTreeMap<Rank, (Vec<Message>, Vec<Message>)> = BTreeMap::new();
        for Transfer { from, to, blocks } in transfers {
            for (rank, role) in [(from, "as a sender"), (to, "as a receiver")] {
                check_rank(rank, self.held.len(), || role.to_owned());
            }
            assert!(from != to, "rank {from} is to send to itself: a transfer is between two ranks");
            let known = self.schedule.sizes.len();
            if let Some(block) = blocks.iter().find(|&&block| block as usize >= known) {
                panic!("rank {from} is to send block {block}: the schedule has {}", numbered("block", known));
            }
            let bytes = self.bytes(&blocks);
            messages.entry(from).or_default().0.push(Message {
                peer: to,
                blocks: blocks.clone(),
                bytes,
                combined: false,
            });
            messages.entry(to).or_default().1.push(Message { peer: from, blocks, bytes, combined: false });
        }
        for (rank, (sends, receives)) in messages {
            let (steps, held) = (&mut self.schedule.steps[rank], &mut self.held[rank]);
            let before = held.len();
            for message in &receives {
                self.held_bytes[rank] = self.held_bytes[rank].saturating_add(message.bytes);
            }
            let mut receives = receives.into_iter();
            let mut add = |action| steps.push(Step { iteration, action });
            for (nth, send) in sends.into_iter().enumerate() {
                if !lie_side_by_side(rank, &held[..before], &send.blocks) {
                    add(Action::Pack(send.bytes));
                }
                let together = self.exchange == Exchange::Together && nth == 0;
                match together.then(|| receives.next()).flatten() {
                    Some(recv) => {
                        held.extend_from_slice(&recv.blocks);
                        add(Action::Exchange { send, recv });
                    }
                    None if self.exchange == Exchange::Overlapped => add(Action::Start(send)),
                    None => add(Action::Send(send)),
                }
            }
            for recv in receives {
                held.extend_from_slice(&recv.blocks);
                add(Action::Recv(recv));
            }
        }
    }

    /// Ends the current iteration; later rounds belong to the next one.
    pub fn end_iteration(&mut self) {
        let active = self.held.iter().filter(|blocks| !blocks.is_empty()).count();
        let longest = self.held_bytes.iter().copied().max().unwrap_or(0);
        self.growth.add(active, longest);
        self.schedule.iterations = self.growth.iterations();
    }

    /// Adds a [`Halving`] on each of the lines, all at the same time: every node sends all that it holds, as one
    /// message, and nothing if it holds nothing.
    ///
    /// The lines must have no node in common. If each block has one holder on a line, none is sent to a node that has
    /// it already (the proof is with [`Halving`]).
    ///
    /// # Panics
    ///
    /// If a rank is outside the machine, or on the lines twice.
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
            // Transfers of a position without a pair are carried out after those of the pairs.
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

    /// Adds an iteration of one [round](Builder::round) that moves its blocks and does not copy them: the senders do not
    /// hold them any more, and later rounds treat them as nodes without these blocks.
    ///
    /// # Panics
    ///
    /// As [`round`](Builder::round).
    #[track_caller]
    pub fn move_blocks(&mut self, transfers: impl IntoIterator<Item = Transfer>) {
        let transfers: Vec<Transfer> = transfers.into_iter().collect();
        self.round(transfers.iter().cloned());
        for Transfer { from, blocks, .. } in transfers {
            self.held[from].retain(|block| !blocks.contains(block));
            self.held_bytes[from] = self.bytes(&self.held[from]);
        }
        self.end_iteration();
    }

    /// The growth of what nodes hold up to the last iteration.
    pub fn growth(&self) -> &Growth {
        &self.growth
    }

    /// Returns the schedule.
    pub fn finish(self) -> Schedule {
        self.schedule
    }

    fn bytes(&self, blocks: &[u32]) -> u64 {
        blocks.iter().map(|&block| self.schedule.sizes[block as usize]).fold(0, u64::saturating_add)
    }
}

/// Refuses a rank outside the machine; `purpose` describes its role in the panic message.
#[track_caller]
fn check_rank(rank: Rank, nodes: usize, purpose: impl FnOnce() -> String) {
    assert!(rank < nodes, "rank {rank} is given {}: the machine has {}", purpose(), numbered("rank", nodes));
}

/// The numbers of `count` things, in words.
fn numbered(what: &str, count: usize) -> String {
    match count {
        0 => format!("no {what}s"),
        1 => format!("{what} 0 alone"),
        _ => format!("{what}s 0 to {}", count - 1),
    }
}

/// Whether `blocks` lie one after the other in the `buffer` of a rank.
///
/// # Panics
///
/// If the first block is not there; in debug builds if any is not.
#[track_caller]
fn lie_side_by_side(rank: Rank, buffer: &[u32], blocks: &[u32]) -> bool {
    let Some((first, _)) = blocks.split_first() else { return true };
    let looked_at = if cfg!(debug_assertions) { blocks } else { &blocks[..1] };
    if let Some(block) = looked_at.iter().find(|&block| !buffer.contains(block)) {
        panic!(
            "rank {rank} is to send block {block}, which it does not hold: before this round it holds {buffer:?}"
        );
    }
    let start = buffer.iter().position(|block| block == first).unwrap_or(0);
    buffer[start..].starts_with(blocks)
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{self, AssertUnwindSafe},
        sync::{Arc, Mutex},
        thread,
    };

    use super::*;

    fn transfer(from: Rank, to: Rank, blocks: &[u32]) -> Transfer {
        Transfer { from, to, blocks: blocks.into() }
    }

    fn message(peer: Rank, blocks: &[u32], bytes: u64) -> Message {
        Message { peer, blocks: blocks.into(), bytes, combined: false }
    }

    fn actions(builder: Builder, rank: Rank) -> Vec<Action> {
        builder.finish().steps(rank).iter().map(|step| step.action.clone()).collect()
    }

    /// The actions of node 0 among three nodes with a block each; node 0 sends to both others and receives from both.
    fn busy(exchange: Exchange) -> Vec<Action> {
        let mut builder = Builder::new(3, &[0, 1, 2], &[10, 20, 30], exchange);
        builder.iteration([
            transfer(2, 0, &[2]),
            transfer(0, 1, &[0]),
            transfer(0, 2, &[0]),
            transfer(1, 0, &[1]),
        ]);
        assert_eq!(builder.held(0), [0, 2, 1], "its own, then as they come");
        actions(builder, 0)
    }

    #[test]
    fn an_exchange_is_made_in_three_ways() {
        let (to_1, to_2) = (message(1, &[0], 10), message(2, &[0], 10));
        let (from_2, from_1) = (message(2, &[2], 30), message(1, &[1], 20));
        let together = Action::Exchange { send: to_1.clone(), recv: from_2.clone() };
        assert_eq!(
            busy(Exchange::Together),
            [together, Action::Send(to_2.clone()), Action::Recv(from_1.clone())]
        );
        let receives = [Action::Recv(from_2), Action::Recv(from_1)];
        let in_turn = [Action::Send(to_1.clone()), Action::Send(to_2.clone())];
        assert_eq!(busy(Exchange::InTurn), [&in_turn[..], &receives[..]].concat());
        let overlapped = [Action::Start(to_1), Action::Start(to_2)];
        assert_eq!(busy(Exchange::Overlapped), [&overlapped[..], &receives[..]].concat());
    }

    #[test]
    fn what_comes_in_a_round_is_sent_on_in_the_next() {
        let mut builder = Builder::new(3, &[0], &[10], Exchange::Together);
        builder.round([transfer(0, 1, &[0])]);
        builder.round([transfer(1, 2, &[0])]);
        builder.end_iteration();
        let growth = builder.growth().clone();
        let schedule = builder.finish();
        assert_eq!(schedule.iterations(), 1);
        assert_eq!((growth.active_after(0), growth.active_after(1)), (1, 3));
        let [recv, send] = schedule.steps(1) else { panic!("two steps") };
        assert_eq!((recv.iteration, send.iteration), (0, 0));
        assert_eq!(recv.action, Action::Recv(message(0, &[0], 10)));
        assert_eq!(send.action, Action::Send(message(2, &[0], 10)));
    }

    #[test]
    fn blocks_side_by_side_are_sent_as_they_are() {
        for blocks in [&[0][..], &[1, 2], &[0, 1, 2, 3], &[3]] {
            let mut builder = Builder::new(2, &[0; 4], &[1, 2, 4, 8], Exchange::InTurn);
            builder.iteration([transfer(0, 1, blocks)]);
            let bytes = blocks.iter().map(|block| 1 << block).sum();
            assert_eq!(actions(builder, 0), [Action::Send(message(1, blocks, bytes))]);
        }
    }

    #[test]
    fn other_blocks_are_packed() {
        for blocks in [&[0, 2][..], &[1, 0], &[0, 1, 3], &[2, 3, 0]] {
            let mut builder = Builder::new(2, &[0; 4], &[1, 2, 4, 8], Exchange::InTurn);
            builder.iteration([transfer(0, 1, blocks)]);
            assert_eq!(builder.held(1), blocks, "in the order in which they lie in the message");
            let bytes = blocks.iter().map(|block| 1 << block).sum();
            assert_eq!(actions(builder, 0), [Action::Pack(bytes), Action::Send(message(1, blocks, bytes))]);
        }
    }

    #[test]
    fn moved_blocks_are_held_by_the_receiver_alone() {
        let mut builder = Builder::new(3, &[0, 0, 0], &[10, 20, 30], Exchange::Together);
        builder.move_blocks([transfer(0, 1, &[1])]);
        assert_eq!((builder.held(0), builder.held(1)), (&[0, 2][..], &[1][..]));
        // The remaining blocks have moved together.
        builder.move_blocks([transfer(0, 2, &[0, 2]), transfer(1, 0, &[1])]);
        assert_eq!(builder.held(0), [1], "what comes in the same iteration is kept");
        let growth = builder.growth().clone();
        let schedule = builder.finish();
        assert_eq!([0, 1, 2].map(|after| growth.longest_after(after)), [60, 40, 40]);
        assert_eq!([0, 1, 2].map(|after| growth.active_after(after)), [1, 2, 2]);
        assert_eq!(schedule.steps(0).len(), 2);
    }

    /// Tests two lines of different lengths: the shorter one is done one iteration earlier.
    #[test]
    fn lines_are_halved_at_the_same_time() {
        let mut builder = Builder::new(5, &[0, 4], &[1, 1], Exchange::Together);
        builder.halve(&[vec![0, 1, 2], vec![3, 4]]);
        let growth = builder.growth().clone();
        let schedule = builder.finish();
        assert_eq!(schedule.iterations(), 2);
        assert_eq!([0, 1, 2].map(|after| growth.active_after(after)), [2, 4, 5]);
        assert!(schedule.steps(3).iter().all(|step| step.iteration == 0));
    }

    /// Tests three positions with a block each: the position without a pair sends after the pairs have exchanged, and
    /// the block that the last position got from its pair does not go with it.
    #[test]
    fn an_odd_line_has_an_additional_message() {
        let mut builder = Builder::new(3, &[0, 1, 2], &[1, 2, 4], Exchange::Together);
        builder.halve(&[vec![0, 1, 2]]);
        let exchange = |send, recv| Action::Exchange { send, recv };
        assert_eq!(builder.held(2), [2, 0, 1]);
        let schedule = builder.finish();
        let actions =
            |rank| schedule.steps(rank).iter().map(|step| &step.action).cloned().collect::<Vec<_>>();
        assert_eq!(
            actions(2),
            [exchange(message(0, &[2], 4), message(0, &[0], 1)), Action::Recv(message(1, &[1], 2))]
        );
        assert_eq!(
            actions(1),
            [Action::Send(message(2, &[1], 2)), exchange(message(0, &[1], 2), message(0, &[0, 2], 5))]
        );
    }

    #[test]
    fn a_schedule_without_steps_is_one() {
        let builder = Builder::new(1, &[0], &[7], Exchange::Together);
        let growth = builder.growth().clone();
        let schedule = builder.finish();
        assert_eq!((schedule.nodes(), schedule.iterations(), schedule.messages().count()), (1, 0, 0));
        assert_eq!((growth.active_after(9), growth.longest_after(9)), (1, 7));
        assert!(schedule.steps(1).is_empty(), "nothing for a rank outside");
    }

    /// The panic message of a builder of three nodes for the call `ask`.
    fn refusal(ask: impl FnOnce(&mut Builder)) -> String {
        let mut builder = Builder::new(3, &[0, 1], &[1, 1], Exchange::Together);
        let panic = panic::catch_unwind(AssertUnwindSafe(|| ask(&mut builder))).expect_err("it is refused");
        panic.downcast::<String>().map_or_else(|_| "no text".to_owned(), |text| *text)
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_was_given_and_what_is_allowed() {
        let new = |nodes: usize, origins: &'static [Rank], sizes: &'static [u64]| {
            refusal(move |_| drop(Builder::new(nodes, origins, sizes, Exchange::Together)))
        };
        assert_eq!(
            new(2, &[0], &[1, 2]),
            "1 origins and 2 sizes of blocks are given: each block has one of both"
        );
        assert_eq!(
            new(2, &[0, 2], &[1, 2]),
            "rank 2 is given as the origin of block 1: the machine has ranks 0 to 1"
        );
        assert_eq!(new(0, &[0], &[1]), "rank 0 is given as the origin of block 0: the machine has no ranks");
        assert_eq!(
            new(1, &[1], &[1]),
            "rank 1 is given as the origin of block 0: the machine has rank 0 alone"
        );
        assert_eq!(
            refusal(|builder| drop(builder.held(3).to_vec())),
            "rank 3 is given to be looked at: the machine has ranks 0 to 2"
        );
        let rounds: [fn(&mut Builder, Transfer); 3] = [
            |builder, transfer| builder.round([transfer]),
            |builder, transfer| builder.iteration([transfer]),
            |builder, transfer| builder.move_blocks([transfer]),
        ];
        for round in rounds {
            for (bad, expected) in [
                (transfer(3, 0, &[0]), "rank 3 is given as a sender: the machine has ranks 0 to 2"),
                (transfer(0, 7, &[0]), "rank 7 is given as a receiver: the machine has ranks 0 to 2"),
                (transfer(0, 0, &[0]), "rank 0 is to send to itself: a transfer is between two ranks"),
                (transfer(0, 1, &[2]), "rank 0 is to send block 2: the schedule has blocks 0 to 1"),
                (
                    transfer(0, 1, &[1]),
                    "rank 0 is to send block 1, which it does not hold: before this round it holds [0]",
                ),
            ] {
                assert_eq!(refusal(|builder| round(builder, bad)), expected);
            }
        }
        assert_eq!(
            refusal(|builder| builder.round([transfer(0, 2, &[0]), transfer(2, 1, &[0])])),
            "rank 2 is to send block 0, which it does not hold: before this round it holds []",
            "what comes in the same round"
        );
        assert_eq!(
            refusal(|builder| builder.halve(&[vec![0, 1], vec![2, 3]])),
            "rank 3 is given on a line: the machine has ranks 0 to 2"
        );
        for lines in [vec![vec![0, 1, 0]], vec![vec![0, 1], vec![2, 0]]] {
            assert_eq!(
                refusal(|builder| builder.halve(&lines)),
                "rank 0 is on the lines twice: it may be on one of them, once"
            );
        }
    }

    #[test]
    fn panics_point_at_the_caller() {
        let place = Arc::new(Mutex::new(None));
        let (seen, me) = (Arc::clone(&place), thread::current().id());
        let usual = Arc::new(panic::take_hook());
        let of_others = Arc::clone(&usual);
        panic::set_hook(Box::new(move |info| match thread::current().id() == me {
            true => *seen.lock().unwrap() = info.location().map(|at| (at.file().to_owned(), at.line())),
            false => of_others(info),
        }));
        let line = line!() + 1;
        let _ = refusal(|builder| builder.move_blocks([transfer(0, 0, &[0])]));
        panic::set_hook(Box::new(move |info| usual(info)));
        assert_eq!(place.lock().unwrap().take(), Some((file!().to_owned(), line)));
    }
}
