//! Data-flow check: follows every chunk through the buffers, and verifies that every rank ends with the result of the operation.
//!
//! The content of a chunk is its part of the vector and the set of ranks whose contributions are combined in it. A step
//! is performed as soon as its dependencies are met. The schedule is executed twice, with the thread blocks in
//! ascending and in descending order. A missing dependency is detected if the two orders give different results.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use super::{
    collective::Collective,
    error::FlowError,
    text::{Block, Buffer, Chunk, Kind, Step, Text},
};
use crate::{rank::Rank, text::count};

/// For each rank, thread block and step: the parts of the vector in the chunks that the step moves or combines.
pub(super) type Parts = Vec<Vec<Vec<Vec<u32>>>>;

/// Executes the schedule with the thread blocks in both orders; returns the parts of the vector that each step moves or combines.
pub(super) fn followed(text: &Text) -> Result<Parts, FlowError> {
    let run = |backwards| Flow::of(text).carried_out(backwards);
    match (run(false), run(true)) {
        (Ok(parts), Ok(_)) => Ok(parts),
        (Err(error), Err(_)) => Err(error),
        (Ok(_), Err(error)) | (Err(error), Ok(_)) => Err(FlowError::OutOfOrder(Box::new(error))),
    }
}

/// Content of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Content {
    part: u32,
    /// Bit set of the ranks whose contributions are combined in the chunk.
    ranks: Arc<[u64]>,
}

/// Chunks in transit, with the line of the step that sent them.
type Message = (Vec<Content>, u32);

/// State of an execution: the content of all buffers.
struct Flow<'a> {
    text: &'a Text,
    /// For each rank, the bit set that contains only this rank.
    alone: Vec<Arc<[u64]>>,
    /// By rank, the contents of the chunks that have been written.
    kept: Vec<BTreeMap<(char, u32), Content>>,
    /// By sender, receiver and channel, the messages in transit.
    mail: BTreeMap<(u32, u32, u32), VecDeque<Message>>,
    /// By rank and thread block, the completed steps with their parts.
    parts: Parts,
}

impl<'a> Flow<'a> {
    fn of(text: &'a Text) -> Flow<'a> {
        let ranks = text.gpus.len();
        let alone = |rank: usize| {
            let mut words = vec![0_u64; ranks.div_ceil(64)];
            words[rank / 64] |= 1 << (rank % 64);
            words.into()
        };
        Flow {
            text,
            alone: (0..ranks).map(alone).collect(),
            kept: vec![BTreeMap::new(); ranks],
            mail: BTreeMap::new(),
            parts: text.gpus.iter().map(|gpu| vec![Vec::new(); gpu.blocks.len()]).collect(),
        }
    }

    fn carried_out(mut self, backwards: bool) -> Result<Parts, FlowError> {
        let blocks = |rank: usize| (0..self.text.gpus[rank].blocks.len()).map(move |block| (rank, block));
        let mut order: Vec<(Rank, usize)> = (0..self.text.gpus.len()).flat_map(blocks).collect();
        if backwards {
            order.reverse();
        }
        while !order.is_empty() {
            let mut has_moved = false;
            for &(rank, block) in &order {
                while self.next_step(rank, block)? {
                    has_moved = true;
                }
            }
            order.retain(|&(rank, block)| self.next(rank, block).is_some());
            if !has_moved && !order.is_empty() {
                return Err(self.stuck(&order));
            }
        }
        self.check_end()?;
        Ok(self.parts)
    }

    /// Returns the next step of a thread block.
    fn next(&self, rank: Rank, block: usize) -> Option<&'a Step> {
        self.text.gpus[rank].blocks[block].steps.get(self.parts[rank][block].len())
    }

    /// Returns whether the dependency of a step on another step is met.
    fn is_free(&self, rank: Rank, step: &Step) -> bool {
        step.after.is_none_or(|(block, step)| self.parts[rank][block].len() > step)
    }

    /// Performs the next step of a thread block; returns false if there is none or it is not ready.
    fn next_step(&mut self, rank: Rank, block: usize) -> Result<bool, FlowError> {
        let Some(step) = self.next(rank, block).filter(|step| self.is_free(rank, step)) else {
            return Ok(false);
        };
        let Block { send, recv, channel, .. } = self.text.gpus[rank].blocks[block];
        let Kind { receives, combines, keeps, sends } = step.kind;
        let contents = if receives {
            let from = recv.map(|peer| (peer, rank as u32, channel));
            let Some((message, _)) =
                from.and_then(|from| self.mail.get_mut(&from)).and_then(VecDeque::pop_front)
            else {
                return Ok(false);
            };
            let (given, expected) = (message.len() as u32, step.count);
            if given != expected {
                return Err(FlowError::Count { line: step.line, rank, given, expected });
            }
            message
        } else if step.kind.takes() {
            self.taken(rank, step, step.from)?
        } else {
            Vec::new()
        };
        let contents = match (combines, receives) {
            (false, _) => contents,
            (true, received) => {
                let others = self.taken(rank, step, if received { step.from } else { step.to })?;
                let both = contents.into_iter().zip(others);
                both.map(|(one, other)| self.combined(rank, step, one, other)).collect::<Result<_, _>>()?
            }
        };
        self.parts[rank][block].push(contents.iter().map(|content| content.part).collect());
        if keeps {
            for (nth, content) in contents.iter().enumerate() {
                let place = self.place(rank, step, step.to, nth)?;
                self.kept[rank].insert(place, content.clone());
            }
        }
        if let Some(peer) = send.filter(|_| sends) {
            let way = (rank as u32, peer, channel);
            self.mail.entry(way).or_default().push_back((contents, step.line));
        }
        Ok(true)
    }

    /// Returns the `nth` chunk after `chunk`, or an error if it is outside the buffer.
    fn place(&self, rank: Rank, step: &Step, chunk: Chunk, nth: usize) -> Result<(char, u32), FlowError> {
        let Text { collective, chunks, ref gpus, .. } = *self.text;
        let own = chunks / gpus.len() as u32;
        let (buffer, at) = (chunk.buffer, u64::from(chunk.first) + nth as u64);
        let chunks = u64::from(match (buffer, collective) {
            (Buffer::Scratch, _) => gpus[rank].scratch,
            (Buffer::Input, Collective::AllGather) | (Buffer::Output, Collective::ReduceScatter) => own,
            (Buffer::Input | Buffer::Output, _) => chunks,
        });
        if at >= chunks {
            let (line, buffer) = (step.line, buffer.letter());
            return Err(FlowError::Outside { line, rank, buffer, chunk: at, chunks });
        }
        Ok(self.text.named(rank, buffer, at as u32))
    }

    /// Returns the content of a chunk: the content last written, or else the initial content.
    fn content(&self, rank: Rank, (buffer, at): (char, u32)) -> Option<Content> {
        if let Some(kept) = self.kept[rank].get(&(buffer, at)) {
            return Some(kept.clone());
        }
        self.text.given(rank, (buffer, at)).map(|part| Content { part, ranks: self.alone[rank].clone() })
    }

    /// Returns the contents of the source chunks of a step.
    fn taken(&self, rank: Rank, step: &Step, from: Chunk) -> Result<Vec<Content>, FlowError> {
        let taken = |nth| {
            let (buffer, chunk) = self.place(rank, step, from, nth)?;
            let empty = FlowError::Empty { line: step.line, rank, buffer, chunk };
            self.content(rank, (buffer, chunk)).ok_or(empty)
        };
        (0..step.count as usize).map(taken).collect()
    }

    /// Combines two contributions to the same part.
    fn combined(&self, rank: Rank, step: &Step, one: Content, other: Content) -> Result<Content, FlowError> {
        let is_twice = one.ranks.iter().zip(&*other.ranks).any(|(one, other)| one & other != 0);
        if is_twice || one.part != other.part {
            let is_twice = one.part == other.part;
            return Err(FlowError::Combined { line: step.line, rank, is_twice });
        }
        let ranks = one.ranks.iter().zip(&*other.ranks).map(|(one, other)| one | other).collect();
        Ok(Content { part: one.part, ranks })
    }

    /// Returns the error of an execution in which none of these thread blocks can proceed.
    fn stuck(&self, blocks: &[(Rank, usize)]) -> FlowError {
        let waiting = |&(rank, block): &(Rank, usize)| {
            let step = self.next(rank, block)?;
            let is_for_message = self.is_free(rank, step);
            Some((!is_for_message, step.line, rank))
        };
        // A step that waits for a message is reported first, because other steps may wait only for this step.
        let (is_for_step, line, rank) = blocks.iter().filter_map(waiting).min().unwrap_or_default();
        FlowError::Stuck { line, rank, is_for_message: !is_for_step }
    }

    /// Checks that all messages have been received, and that every rank holds the result of the operation.
    fn check_end(&self) -> Result<(), FlowError> {
        let left =
            self.mail.iter().find_map(|(&(from, ..), mail)| mail.front().map(|(_, line)| (from, *line)));
        if let Some((from, line)) = left {
            return Err(FlowError::Unreceived { line, rank: from as Rank });
        }
        let Text { collective, chunks, ref gpus, .. } = *self.text;
        let ranks = gpus.len();
        let own = chunks / ranks as u32;
        let mut all = vec![0_u64; ranks.div_ceil(64)];
        (0..ranks).for_each(|rank| all[rank / 64] |= 1 << (rank % 64));
        let all: Arc<[u64]> = all.into();
        for rank in 0..ranks {
            let first = rank as u32 * own;
            let outputs = if collective == Collective::ReduceScatter { own } else { chunks };
            for chunk in 0..outputs {
                let (part, ranks) = match collective {
                    Collective::AllReduce => (chunk, &all),
                    Collective::ReduceScatter => (first + chunk, &all),
                    Collective::AllGather => (chunk, &self.alone[(chunk / own) as usize]),
                    Collective::AllToAll => (first + chunk % own, &self.alone[(chunk / own) as usize]),
                };
                let found = self.content(rank, self.text.named(rank, Buffer::Output, chunk));
                if !found.as_ref().is_some_and(|found| found.part == part && found.ranks == *ranks) {
                    let (collective, holds) = (collective.name(), in_words(found));
                    return Err(FlowError::Undelivered { rank, chunk, collective, holds });
                }
            }
        }
        Ok(())
    }
}

/// Describes the content of a chunk as text.
fn in_words(content: Option<Content>) -> String {
    let Some(Content { part, ranks }) = content else { return "nothing".to_owned() };
    let number: u32 = ranks.iter().map(|word| word.count_ones()).sum();
    match ranks.iter().position(|&word| word != 0) {
        Some(word) if number == 1 => {
            format!("part {part} of rank {}", word * 64 + ranks[word].trailing_zeros() as usize)
        }
        _ => format!("part {part}, combined of {}", count(number.into(), "rank")),
    }
}
