//! Conversion of MSCCL schedules to schedules of this library. There the steps of a rank have a fixed order.
//!
//! Thread blocks are simulated in rounds: in each round every thread block that is ready performs one step. The rounds define the order of
//! the steps of a rank. In a rank with several thread blocks sends are non-blocking, so the other thread blocks continue. In MSCCL the
//! order of the steps of different thread blocks depends on message arrivals, which no fixed order can express.
//!
//! A schedule has no buffers, so each chunk that is received or combined becomes a new block. Blocks hold the initial
//! content of a rank, its final content, or intermediate content.

use std::collections::{BTreeMap, VecDeque};

use super::{
    collective::Collective,
    program::{Cut, Program},
    text::{Block, Buffer, Chunk, Step, Text},
};
use crate::{
    pattern::{Action, Message, Schedule, Step as Scheduled},
    rank::Rank,
    text::count,
};

/// The identity of a block of the schedule: the chunk, and which content of the chunk the block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The number of the chunk. In an alltoall, where ranks have different vectors, it is a chunk of the vector of rank `of`.
    pub(crate) part: u32,
    pub(crate) of: Option<u32>,
    pub(crate) holds: Holds,
}

/// A block of the schedule, with the byte range of its chunk in the vector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) place: Place,
    /// The offset of the first byte in the vector.
    pub(crate) start: u64,
    pub(crate) bytes: u64,
}

/// The content of its chunk that a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holds {
    /// The initial or the final content, which are the same in operations without combining.
    Both,
    /// The initial content.
    Given,
    /// The final content.
    Result,
    /// Intermediate content; contents of the same chunk on a rank are numbered from 0.
    Between(u32),
}

impl Program {
    /// Returns the name of an algorithm made from this schedule.
    pub(crate) fn own_name(&self) -> String {
        if self.name().is_empty() { "msccl" } else { self.name() }.to_owned()
    }

    /// Checks that the schedule is for `ranks` ranks; otherwise returns an error message.
    pub(crate) fn check_ranks(&self, ranks: usize) -> Result<(), String> {
        match self.ranks() {
            own if own == ranks => Ok(()),
            own => Err(format!("the MSCCL schedule is for {}, not for {ranks}", count(own as u64, "rank"))),
        }
    }

    /// Returns the schedule for a vector of `elements` elements, and its blocks. Returns an error message if the messages of several
    /// channels between two ranks have no consistent order.
    pub(crate) fn drafted(&self, elements: u64, element: u64) -> Result<(Vec<Placed>, Schedule), String> {
        let cut = Cut { elements, element, chunks: self.chunks() };
        let mut run = Run::of(self.text());
        run.carried_out()
            .ok_or("the messages of several channels between two ranks have no consistent order")?;
        let places = run.places();
        // In an exchange the chunks that a rank has for itself are not sent.
        let own = self.chunks() / self.ranks() as u32;
        let is_moved = |place: &&Place| place.of.is_none_or(|of| of != place.part / own);
        let mut numbers: BTreeMap<Place, u32> =
            places.iter().filter(is_moved).map(|&place| (place, 0)).collect();
        let blocks: Vec<Placed> = (0..)
            .zip(&mut numbers)
            .map(|(nth, (&place, number))| {
                *number = nth;
                let (start, bytes) = (cut.start(place.part) * element, cut.elements(place.part) * element);
                Placed { place, start, bytes }
            })
            .collect();
        let sizes: Vec<u64> = blocks.iter().map(|block| block.bytes).collect();
        let number = |value: &usize| numbers.get(&places[*value]).copied();
        let message = |peer: u32, values: &[usize]| {
            let blocks: Vec<u32> = values.iter().filter_map(number).collect();
            let bytes = blocks.iter().map(|&block| sizes[block as usize]).fold(0, u64::saturating_add);
            Message { peer: peer as Rank, blocks: blocks.into(), bytes, combined: false }
        };
        let is_single = |rank: usize| self.text().gpus[rank].blocks.len() < 2;
        let step = |rank: usize, (iteration, doing): &(usize, Doing)| {
            let action = match doing {
                Doing::Send(peer, values) if is_single(rank) => Action::Send(message(*peer, values)),
                Doing::Send(peer, values) => Action::Start(message(*peer, values)),
                Doing::Receive(peer, values) => Action::Recv(message(*peer, values)),
                Doing::Copy(values) => {
                    let bytes = |&value: &usize| cut.elements(places[value].part) * element;
                    Action::Pack(values.iter().map(bytes).fold(0, u64::saturating_add))
                }
                Doing::Combine([left, right, into]) => {
                    // Only blocks of exchanges lack a number, and exchanges never combine.
                    let [left, right, into] = [left, right, into].map(|value| number(value).unwrap_or(0));
                    Action::Merge { left, right, into }
                }
            };
            Scheduled { iteration: *iteration, action }
        };
        let steps =
            (0..).zip(&run.done).map(|(rank, done)| done.iter().map(|doing| step(rank, doing)).collect());
        let steps = steps.collect();
        Ok((blocks, Schedule::of_blocks(sizes, element, steps)))
    }
}

/// A value: the content of a chunk on a rank between two writes.
struct Value {
    rank: Rank,
    part: u32,
    of: Option<u32>,
    is_given: bool,
}

/// An action of a rank on values, which are given by their indices in [`Run::values`]. A message also has its channel.
enum Doing {
    Send(u32, Vec<usize>),
    Receive(u32, Vec<usize>),
    Copy(Vec<usize>),
    Combine([usize; 3]),
}

/// A message in transit: its channel and its values.
type Sent = (u32, Vec<usize>);

/// Simulation of a schedule in rounds.
struct Run<'a> {
    text: &'a Text,
    values: Vec<Value>,
    /// By rank, the index of the value in each chunk of its buffers.
    kept: Vec<BTreeMap<(char, u32), usize>>,
    /// By sender and receiver, the messages in the order in which they were sent.
    mail: BTreeMap<(u32, u32), VecDeque<Sent>>,
    /// By rank and thread block, the number of completed steps.
    next: Vec<Vec<usize>>,
    /// By rank, its actions, each with its round.
    done: Vec<Vec<(usize, Doing)>>,
}

impl<'a> Run<'a> {
    fn of(text: &'a Text) -> Run<'a> {
        let ranks = text.gpus.len();
        Run {
            text,
            values: Vec::new(),
            kept: vec![BTreeMap::new(); ranks],
            mail: BTreeMap::new(),
            next: text.gpus.iter().map(|gpu| vec![0; gpu.blocks.len()]).collect(),
            done: (0..ranks).map(|_| Vec::new()).collect(),
        }
    }

    /// Performs all steps; returns `None` if the simulation cannot proceed.
    fn carried_out(&mut self) -> Option<()> {
        let blocks = |rank: usize| (0..self.text.gpus[rank].blocks.len()).map(move |block| (rank, block));
        let mut left: Vec<(Rank, usize)> = (0..self.text.gpus.len()).flat_map(blocks).collect();
        for round in 0.. {
            left.retain(|&(rank, block)| self.step(rank, block).is_some());
            if left.is_empty() {
                break;
            }
            let ready: Vec<_> =
                left.iter().copied().filter(|&(rank, block)| self.is_ready(rank, block)).collect();
            if ready.is_empty() {
                return None;
            }
            for (rank, block) in ready {
                // Checked again, because earlier steps of this round have changed the queues of messages.
                if self.is_ready(rank, block) {
                    self.carry_out(round, rank, block)?;
                }
            }
        }
        Some(())
    }

    /// Returns the next step of a thread block.
    fn step(&self, rank: Rank, block: usize) -> Option<&'a Step> {
        self.text.gpus[rank].blocks[block].steps.get(self.next[rank][block])
    }

    /// Returns whether the next step of a thread block is ready: its dependency is met, and its message is next from its sender.
    fn is_ready(&self, rank: Rank, block: usize) -> bool {
        let Some(step) = self.step(rank, block) else { return false };
        let Block { recv, channel, .. } = self.text.gpus[rank].blocks[block];
        let is_here = || {
            let mail = recv.and_then(|from| self.mail.get(&(from, rank as u32)));
            mail.and_then(VecDeque::front).is_some_and(|&(of, _)| of == channel)
        };
        step.after.is_none_or(|(block, step)| self.next[rank][block] > step)
            && (!step.kind.receives || is_here())
    }

    fn carry_out(&mut self, round: usize, rank: Rank, block: usize) -> Option<()> {
        let step = self.step(rank, block)?;
        let Block { send, recv, .. } = self.text.gpus[rank].blocks[block];
        let mut values = match recv.filter(|_| step.kind.receives) {
            Some(from) => {
                let (_, sent) = self.mail.get_mut(&(from, rank as u32))?.pop_front()?;
                let came: Vec<usize> = sent.into_iter().map(|value| self.copied(rank, value)).collect();
                self.done[rank].push((round, Doing::Receive(from, came.clone())));
                came
            }
            None if step.kind.takes() => self.taken(rank, step, step.from)?,
            None => Vec::new(),
        };
        if step.kind.combines {
            let others = self.taken(rank, step, if step.kind.receives { step.from } else { step.to })?;
            for (value, other) in values.iter_mut().zip(others) {
                let into = self.copied(rank, *value);
                self.done[rank].push((round, Doing::Combine([other, *value, into])));
                *value = into;
            }
        } else if step.kind.keeps && !step.kind.receives {
            self.done[rank].push((round, Doing::Copy(values.clone())));
        }
        if step.kind.keeps {
            for (nth, &value) in (0..).zip(&values) {
                let place = self.text.named(rank, step.to.buffer, step.to.first + nth);
                self.kept[rank].insert(place, value);
            }
        }
        if let Some(to) = send.filter(|_| step.kind.sends) {
            let channel = self.text.gpus[rank].blocks[block].channel;
            self.mail.entry((rank as u32, to)).or_default().push_back((channel, values.clone()));
            self.done[rank].push((round, Doing::Send(to, values)));
        }
        self.next[rank][block] += 1;
        Some(())
    }

    /// Creates a new value on a rank for the chunk of an existing value.
    fn copied(&mut self, rank: Rank, value: usize) -> usize {
        let Value { part, of, .. } = self.values[value];
        self.values.push(Value { rank, part, of, is_given: false });
        self.values.len() - 1
    }

    /// Returns the values in the source chunks of a step.
    fn taken(&mut self, rank: Rank, step: &Step, from: Chunk) -> Option<Vec<usize>> {
        (0..step.count).map(|nth| self.value(rank, from.buffer, from.first + nth)).collect()
    }

    /// Returns the value in a chunk.
    fn value(&mut self, rank: Rank, buffer: Buffer, at: u32) -> Option<usize> {
        let place = self.text.named(rank, buffer, at);
        if let Some(&value) = self.kept[rank].get(&place) {
            return Some(value);
        }
        let part = self.text.given(rank, place)?;
        let of = (self.text.collective == Collective::AllToAll).then_some(rank as u32);
        self.values.push(Value { rank, part, of, is_given: true });
        self.kept[rank].insert(place, self.values.len() - 1);
        Some(self.values.len() - 1)
    }

    /// Returns the block of each value.
    fn places(&mut self) -> Vec<Place> {
        let (ranks, chunks) = (self.text.gpus.len(), self.text.chunks);
        let collective = self.text.collective;
        let is_moved = ranks == 1 || matches!(collective, Collective::AllGather | Collective::AllToAll);
        let outputs = if collective == Collective::ReduceScatter { chunks / ranks as u32 } else { chunks };
        let ends = (0..ranks).flat_map(|rank| (0..outputs).map(move |at| (rank, at)));
        let ends: Vec<usize> = ends.filter_map(|(rank, at)| self.value(rank, Buffer::Output, at)).collect();
        let mut results = vec![false; self.values.len()];
        ends.into_iter().for_each(|value| results[value] = true);
        let mut between: BTreeMap<(Rank, u32), u32> = BTreeMap::new();
        let place = |(value, is_result): (&Value, bool)| {
            let Value { rank, part, of, is_given } = *value;
            let holds = match (is_moved, is_given, is_result) {
                (true, ..) => Holds::Both,
                (false, true, _) => Holds::Given,
                (false, false, true) => Holds::Result,
                (false, false, false) => {
                    let number = between.entry((rank, part)).or_default();
                    *number += 1;
                    Holds::Between(*number - 1)
                }
            };
            Place { part, of, holds }
        };
        self.values.iter().zip(results).map(place).collect()
    }
}
