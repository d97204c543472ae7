//! Schedules of MSCCL as schedules of this library, whose ranks do one step after the other.
//!
//! The steps of all thread blocks are carried out in rounds, in each of which every thread block that can does one step. That is
//! the order of the steps of a rank. Where it has several thread blocks its sends are only started, so that the others go on; in
//! MSCCL they would take turns as messages come, which no fixed order can say.
//!
//! A chunk that is received or combined is a new block, as the schedule says nothing of buffers: one has what a rank
//! begins with, one what it ends with, and others what is in between.

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

/// A block of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The chunk of the vector; of that of rank `of` where ranks have different ones.
    pub(crate) part: u32,
    pub(crate) of: Option<u32>,
    pub(crate) holds: Holds,
}

/// A block of the schedule with the part of the vector that it has room for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) place: Place,
    /// The first byte of the vector.
    pub(crate) start: u64,
    pub(crate) bytes: u64,
}

/// The versions that a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holds {
    /// The content at the beginning and at the end.
    Both,
    /// The content at the beginning.
    Given,
    /// The content at the end.
    Result,
    /// One of those in between.
    Between(u32),
}

impl Program {
    /// The name of an algorithm that carries it out.
    pub(crate) fn own_name(&self) -> String {
        if self.name().is_empty() { "msccl" } else { self.name() }.to_owned()
    }

    /// Whether it is for so many ranks; if not, an error in words.
    pub(crate) fn check_ranks(&self, ranks: usize) -> Result<(), String> {
        match self.ranks() {
            own if own == ranks => Ok(()),
            own => Err(format!("it is for {}, and here are {ranks}", count(own as u64, "rank"))),
        }
    }

    /// The schedule for a vector of so many elements, with its blocks; an error in words if its channels between two ranks cannot
    /// be put into one order.
    pub(crate) fn drafted(&self, elements: u64, element: u64) -> Result<(Vec<Placed>, Schedule), String> {
        let cut = Cut { elements, element, chunks: self.chunks() };
        let mut run = Run::of(self.text());
        run.carried_out()
            .ok_or("the messages of its channels between two ranks cannot be put into one order")?;
        let places = run.places();
        // In an exchange the part of a rank for itself is not moved.
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
                    // No exchange combines, so all are there.
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

/// A version of a chunk on a rank.
struct Value {
    rank: Rank,
    part: u32,
    of: Option<u32>,
    is_given: bool,
}

/// An action of a rank on values.
enum Doing {
    Send(u32, Vec<usize>),
    Receive(u32, Vec<usize>),
    Copy(Vec<usize>),
    Combine([usize; 3]),
}

/// A message on its way: its channel, and what it carries.
type Sent = (u32, Vec<usize>);

/// A run in rounds.
struct Run<'a> {
    text: &'a Text,
    values: Vec<Value>,
    /// By rank, the value in each chunk of a buffer.
    kept: Vec<BTreeMap<(char, u32), usize>>,
    /// By sender and receiver, the messages in the order in which they were sent.
    mail: BTreeMap<(u32, u32), VecDeque<Sent>>,
    /// By rank and thread block, the number of steps that have been carried out.
    next: Vec<Vec<usize>>,
    /// By rank, what it does in which round.
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

    /// Carries all steps out.
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
                // Another thread block may have taken the message before it in this round.
                if self.is_ready(rank, block) {
                    self.carry_out(round, rank, block)?;
                }
            }
        }
        Some(())
    }

    /// The next step of a thread block.
    fn step(&self, rank: Rank, block: usize) -> Option<&'a Step> {
        self.text.gpus[rank].blocks[block].steps.get(self.next[rank][block])
    }

    /// Whether the step that the next one of a thread block waits for is done, and its message the next one from its sender.
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

    /// Another version of the chunk that a value is of.
    fn copied(&mut self, rank: Rank, value: usize) -> usize {
        let Value { part, of, .. } = self.values[value];
        self.values.push(Value { rank, part, of, is_given: false });
        self.values.len() - 1
    }

    /// The values in the chunks that a step takes.
    fn taken(&mut self, rank: Rank, step: &Step, from: Chunk) -> Option<Vec<usize>> {
        (0..step.count).map(|nth| self.value(rank, from.buffer, from.first + nth)).collect()
    }

    /// The value in a chunk.
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

    /// The block of each value.
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
