//! Conversion of schedules of this library to MSCCL.
//!
//! A message of a schedule may carry blocks that are not contiguous, while an MSCCL step takes contiguous chunks. Such
//! a message becomes several MSCCL messages. A rank has one thread block per destination, one per source, and one for
//! local combining. The steps of a rank keep the order of the schedule: each step depends on its predecessor, except
//! that non-blocking sends are not waited for. A step that writes a chunk also depends on pending sends of the chunk.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Range,
};

use super::{
    collective::Collective,
    error::WriteError,
    flow::followed,
    program::Program,
    text::{Block, Buffer, Chunk, Gpu, Kind, MAX_CHUNKS, Step, Text},
};
use crate::{
    pattern::{Action, Blocks, Schedule},
    rank::Rank,
};

/// The chunks of a buffer that hold a block of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lies {
    pub(crate) buffer: Buffer,
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// An operation to convert: its name, its kind, and the location of its blocks.
pub(crate) struct Outline<'a> {
    pub(crate) name: &'a str,
    pub(crate) collective: Collective,
    pub(crate) is_in_place: bool,
    /// The number of chunks of the whole vector.
    pub(crate) chunks: u32,
    /// The number of chunks of each rank's scratch buffer.
    pub(crate) scratch: u32,
    /// The source and destination of each rank's initial copy of its own chunks, if it needs one.
    pub(crate) stays: &'a dyn Fn(Rank) -> Option<(Lies, Lies)>,
    /// The location of a block on a rank.
    pub(crate) lies: &'a dyn Fn(Rank, u32) -> Lies,
}

impl Program {
    /// Converts the schedule of an operation and verifies the result.
    pub(crate) fn of(outline: &Outline<'_>, schedule: &Schedule) -> Result<Program, WriteError> {
        let mut messages = Messages::of(outline, schedule);
        let mut gpus: Vec<Gpu> = (0..schedule.nodes())
            .map(|rank| {
                let mut writer = Writer::new(rank);
                if let Some((from, to)) = (outline.stays)(rank) {
                    writer.local("cpy", from, to);
                }
                schedule
                    .steps(rank)
                    .iter()
                    .try_for_each(|step| writer.action(outline, &mut messages, &step.action))?;
                Ok(Gpu { scratch: outline.scratch, blocks: writer.blocks })
            })
            .collect::<Result<_, WriteError>>()?;
        number_lines(&mut gpus);
        let Outline { collective, is_in_place, chunks, .. } = *outline;
        let text = Text { name: outline.name.to_owned(), collective, is_in_place, chunks, gpus };
        let parts = followed(&text)?;
        Ok(Program::new(text, parts))
    }
}

/// Sets the line number of every step, as written by [`Program`]'s `Display`.
fn number_lines(gpus: &mut [Gpu]) {
    let mut line = 1;
    for gpu in gpus {
        line += 1;
        for block in &mut gpu.blocks {
            line += 1;
            for step in &mut block.steps {
                line += 1;
                step.line = line;
            }
            line += 1;
        }
        line += 1;
    }
}

/// Returns the largest equal chunks of a vector of `bytes` bytes for which every offset in `places` is the start of a
/// chunk.
pub(crate) fn chunks(bytes: u64, places: impl IntoIterator<Item = u64>) -> Result<Chunks, WriteError> {
    let length = places.into_iter().fold(bytes, gcd).max(1);
    let given = bytes / length;
    let number = u32::try_from(given).ok().filter(|number| (1..=MAX_CHUNKS).contains(number));
    let number = number.ok_or(WriteError::Chunks { given, allowed: MAX_CHUNKS })?;
    Ok(Chunks { number, length })
}

/// The chunks of a vector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunks {
    pub(crate) number: u32,
    length: u64,
}

impl Chunks {
    /// Returns the number of chunks in `bytes` bytes, a multiple of the chunk length.
    pub(crate) fn of(self, bytes: u64) -> u32 {
        (bytes / self.length) as u32
    }
}

/// Returns the greatest common divisor.
fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// The MSCCL messages that replace one message of the schedule: locations at the sender and at the receiver.
type Runs = Vec<(Lies, Lies)>;

/// All messages, in an order on which sender and receiver agree.
struct Messages {
    /// By sender and receiver: the messages not yet converted at the sender, and the messages not yet converted at the receiver.
    pairs: BTreeMap<(Rank, Rank), [VecDeque<Runs>; 2]>,
}

impl Messages {
    fn of(outline: &Outline<'_>, schedule: &Schedule) -> Messages {
        let mut blocks: BTreeMap<(Rank, Rank), [Vec<&Blocks>; 2]> = BTreeMap::new();
        for rank in 0..schedule.nodes() {
            for step in schedule.steps(rank) {
                if let Some(message) = step.action.sent() {
                    blocks.entry((rank, message.peer)).or_default()[0].push(&message.blocks);
                }
                if let Some(message) = step.action.received() {
                    blocks.entry((message.peer, rank)).or_default()[1].push(&message.blocks);
                }
            }
        }
        let pair = |((from, to), [sent, received]): ((Rank, Rank), [Vec<&Blocks>; 2])| {
            let runs = sent.into_iter().zip(received).map(|(sent, received)| {
                let places = sent.iter().zip(&**received);
                runs(places.map(|(&sent, &into)| ((outline.lies)(from, sent), (outline.lies)(to, into))))
            });
            let runs: VecDeque<Runs> = runs.collect();
            ((from, to), [runs.clone(), runs])
        };
        Messages { pairs: blocks.into_iter().map(pair).collect() }
    }

    /// Returns the next message from one rank to another, as seen by its sender or by its receiver.
    fn next(&mut self, from: Rank, to: Rank, is_received: bool) -> Runs {
        let both = self.pairs.get_mut(&(from, to));
        both.and_then(|both| both[usize::from(is_received)].pop_front()).unwrap_or_default()
    }
}

/// Merges locations that are adjacent both at the sender and at the receiver, for the smallest number of messages.
fn runs(places: impl Iterator<Item = (Lies, Lies)>) -> Runs {
    let mut places: Runs = places.filter(|(from, _)| from.count > 0).collect();
    places.sort_unstable();
    let mut runs: Runs = Vec::new();
    let follows =
        |one: &Lies, other: &Lies| one.buffer == other.buffer && one.first + one.count == other.first;
    for (from, to) in places {
        match runs.last_mut() {
            Some((last, into)) if follows(last, &from) && follows(into, &to) => {
                last.count += from.count;
                into.count += to.count;
            }
            _ => runs.push((from, to)),
        }
    }
    runs
}

/// The purpose of a thread block of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum For {
    Local,
    SendsTo(Rank),
    ReceivesFrom(Rank),
}

/// Identifies a step of a rank: the index of its thread block, and its index there.
type Place = (usize, usize);

/// Writer of the thread blocks of a rank.
struct Writer {
    rank: Rank,
    blocks: Vec<Block>,
    numbers: BTreeMap<For, usize>,
    /// The steps on which the next step depends.
    before: Vec<Place>,
    /// Non-blocking sends that are pending, with the chunks that they send.
    started: Vec<(Place, Lies)>,
}

impl Writer {
    fn new(rank: Rank) -> Writer {
        let (blocks, numbers, before, started) = Default::default();
        Writer { rank, blocks, numbers, before, started }
    }

    fn action(
        &mut self,
        outline: &Outline<'_>,
        messages: &mut Messages,
        action: &Action,
    ) -> Result<(), WriteError> {
        let rank = self.rank;
        let mut sent = None;
        if let Some(message) = action.sent() {
            let is_waited_for = matches!(action, Action::Send(_));
            for (from, to) in messages.next(rank, message.peer, false) {
                let place = self.add(For::SendsTo(message.peer), "s", (from, to), &[]);
                sent = Some(place);
                if !is_waited_for {
                    self.started.push((place, from));
                }
            }
            if let Some(last) = sent.filter(|_| is_waited_for) {
                self.before = vec![last];
            }
        }
        if let Some(message) = action.received() {
            let kind = if message.combined { "rrc" } else { "r" };
            for (from, to) in messages.next(message.peer, rank, true) {
                let place = (if message.combined { to } else { from }, to);
                self.write(For::ReceivesFrom(message.peer), kind, place);
            }
        }
        match action {
            Action::WaitAll => self.before.extend(self.started.drain(..).map(|(place, _)| place)),
            // The next step depends on both the send and the receive.
            Action::Exchange { .. } => self.before.extend(sent),
            Action::Merge { left, right, into } => {
                let [left, right, into] = [*left, *right, *into].map(|block| (outline.lies)(rank, block));
                let other = if into == right { left } else { right };
                if into != left && into != right {
                    self.local("cpy", left, into);
                }
                self.local("re", other, into);
            }
            Action::Barrier => return Err(WriteError::Barrier),
            // MSCCL has no steps for the packing of messages and for pauses.
            _ => {}
        }
        Ok(())
    }

    /// Adds a local step.
    fn local(&mut self, kind: &'static str, from: Lies, to: Lies) {
        if from.count > 0 {
            self.write(For::Local, kind, (from, to));
        }
    }

    /// Adds a step that writes chunks and on which the next step depends.
    fn write(&mut self, by: For, kind: &'static str, (from, to): (Lies, Lies)) {
        let overlap = |one: &Lies| {
            let range = |lies: &Lies| -> Range<u32> { lies.first..lies.first + lies.count };
            let (one_range, other) = (range(one), range(&to));
            one.buffer == to.buffer && one_range.start < other.end && other.start < one_range.end
        };
        let sent: Vec<Place> =
            self.started.iter().filter(|(_, sent)| overlap(sent)).map(|&(place, _)| place).collect();
        self.started.retain(|(place, _)| !sent.contains(place));
        let place = self.add(by, kind, (from, to), &sent);
        self.before = vec![place];
    }

    /// Adds a step to a thread block. The step depends on the steps in `before` and `others`.
    fn add(&mut self, by: For, kind: &'static str, (from, to): (Lies, Lies), others: &[Place]) -> Place {
        let next = self.blocks.len();
        let number = *self.numbers.entry(by).or_insert(next);
        if number == next {
            let peer = |rank: Rank| Some(rank as u32);
            let (send, recv) = match by {
                For::Local => (None, None),
                For::SendsTo(rank) => (peer(rank), None),
                For::ReceivesFrom(rank) => (None, peer(rank)),
            };
            self.blocks.push(Block { send, recv, channel: 0, steps: Vec::new() });
        }
        // For each other thread block, the last step on which the new step depends. Steps of the same thread block run
        // in order without a dependency.
        let mut after: BTreeMap<usize, usize> = BTreeMap::new();
        for &(block, step) in self.before.iter().chain(others).filter(|(block, _)| *block != number) {
            let last = after.entry(block).or_insert(step);
            *last = step.max(*last);
        }
        let mut after = after.into_iter();
        let last = after.next_back();
        let steps = &mut self.blocks[number].steps;
        let chunk = |lies: Lies| Chunk { buffer: lies.buffer, first: lies.first };
        let mut push = |kind: &str, count: u32, after: Option<Place>| {
            let kind = Kind::named(kind).unwrap_or(Kind::NOTHING);
            steps.push(Step { kind, from: chunk(from), to: chunk(to), count, after, line: 0 });
        };
        after.for_each(|place| push("nop", 1, Some(place)));
        push(kind, from.count, last);
        (number, steps.len() - 1)
    }
}
