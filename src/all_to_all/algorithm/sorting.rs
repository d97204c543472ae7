//! *Sorting*: all data is sorted by destination across the whole machine, which delivers it.
//!
//! **What it does.** Data is cut into records of one size: a label of three words, followed by some bytes of a message. The label holds the
//! destination, the source, and the number of the record in the message. Every node adds empty records so that it has `r`, with labels such
//! that every destination gets `r`. Then the records are sorted by destination: within a node by radix sort with one digit, and between
//! nodes by *columnsort* on a matrix of `r x p` with one column for each node. Its eight steps are: sort; distribute the records to all
//! nodes round-robin; sort; give each node an equal contiguous range of the received records; sort; send the upper half to the next node;
//! sort the two halves; send back the lower half.
//!
//! The paper adapts *rotate-sort* instead, which sorts in sixteen phases of rows and columns of a square mesh whose sides are powers of
//! four. Columnsort has four phases of communication on any number of nodes. Like rotate-sort for nodes with many elements, it needs a
//! constant number of balanced all-to-all exchanges.
//!
//! **Restrictions.** `r >= 2 (p - 1)^2`; empty records fill a node up to this number. The traffics `r_i` and `c_j` of all nodes, and the
//! number of bytes in a record, are input of every node. Phantom payloads cannot be sorted.
//!
//! **Cost.** `2 (p - 1) (alpha + r w beta / p) + 2 (alpha + r w beta / 2)` for records of `w` bytes: `3 t beta` and the cost of labels
//! and empty records. The algorithm sorts five times, and each sort copies all records once. Other computing is not charged.
//!
//! **Source.** Ranka, Shankar, Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995, section
//! 6.4; F. T. Leighton, "Tight bounds on the complexity of parallel sorting", IEEE ToC C-34(4), 1985; J. M. Marberg, E.
//! Gafni, "Sorting in constant number of row and column phases on a mesh", Algorithmica 3, 1988.

use std::sync::Arc;

use super::{
    super::{
        ExchangeError, Instance, Matrix, PlanError,
        planner::Variant,
        procedure::{Draft, Procedure, Transport},
        rounds::{permutation, stage::Stage, style::Style},
    },
    Algorithm, Entry, of, refused,
};
use crate::{
    pattern::{Action, Exchange, Schedule, Step},
    payload::Payload,
    rank::Rank,
};

/// Bytes of a label: destination, source, and the number of the record in the message.
const LABEL: usize = 12;

/// Maximum bytes of the records of all nodes together. The host stores each record several times.
const MAX_BYTES: u128 = 2 << 30;

/// Source in the label of an empty record.
const NO_RANK: u32 = u32::MAX;

static SORTING: Entry =
    Entry::new("sorting", |_| Ok(vec![Variant::new("", |instance| Ok(Draft::by(Sorting::new(instance)?)))]))
        .aliases(&["columnsort"])
        .about("sorts all data by destination across the whole machine")
        .source("Ranka, Shankar, Alsabti 1995, section 6.4; Leighton 1985")
        .cost("`(2 p) alpha + 3 r w beta` for `r` records of `w` bytes on each node")
        .limits("pads to `r >= 2 (p - 1)^2` records; no phantom payloads");

impl Algorithm {
    /// Sorts all data by destination across the whole machine.
    pub const SORTING: Algorithm = of(&SORTING);
}

/// The phases of an exchange by sorting.
#[derive(Debug)]
struct Sorting {
    instance: Instance,
    /// Records of each node, a multiple of twice the number of nodes.
    records: usize,
    /// Bytes of message data in a record.
    piece: usize,
    /// Stage in which every node sends the same number of records to every node.
    deal: Stage,
    /// Stages in which every node sends half of its records to the next node, and to the previous node.
    shift: Stage,
    back: Stage,
}

impl Sorting {
    /// Creates the phases. Records are as long as possible while the busiest node still has the minimum number of records.
    fn new(instance: &Instance) -> Result<Sorting, PlanError> {
        let matrix = instance.matrix().without_own();
        let nodes = matrix.nodes();
        let least = Sorting::least_records(nodes);
        let piece = (matrix.traffic() / least).max(1);
        let pieces = |bytes: u64| bytes.div_ceil(piece);
        let most = matrix.most(|node| {
            let sent: u64 = matrix.row(node).iter().map(|&bytes| pieces(bytes)).sum();
            sent.max(matrix.column(node).map(pieces).sum())
        });
        let records = most.max(least).next_multiple_of(2 * nodes as u64);
        let width = piece + LABEL as u64;
        let given = u128::from(records) * u128::from(width) * nodes as u128;
        if given > MAX_BYTES {
            let text = format!(
                "`sorting` would move records of {given} bytes in total; the maximum is {MAX_BYTES}: use another algorithm"
            );
            return Err(refused(Algorithm::SORTING, text));
        }
        let part = records / nodes as u64 * width;
        let half = records / 2 * width;
        let stage = |bytes: &dyn Fn(Rank, Rank) -> u64| -> Result<Stage, PlanError> {
            let matrix =
                Matrix::of(nodes, bytes).map_err(|error| refused(Algorithm::SORTING, error.to_string()))?;
            let rounds = permutation::rounds(&matrix);
            Ok(Stage::rounds(matrix, &rounds, Style::Each(Exchange::Together)))
        };
        Ok(Sorting {
            instance: instance.clone(),
            records: records as usize,
            piece: piece as usize,
            deal: stage(&|_, _| part)?,
            shift: stage(&|from, to| if to == from + 1 { half } else { 0 })?,
            back: stage(&|from, to| if from == to + 1 { half } else { 0 })?,
        })
    }

    /// Returns the minimum number of records of a node with which `nodes` nodes can sort.
    fn least_records(nodes: usize) -> u64 {
        2 * (nodes as u64 - 1).pow(2).max(1)
    }

    /// Returns the bytes of a record.
    fn width(&self) -> usize {
        LABEL + self.piece
    }

    /// Returns the data of node `rank` as labeled records, with empty records added.
    fn label(&self, rank: Rank, outgoing: &[Payload]) -> Result<Vec<u8>, ExchangeError> {
        let mut records = Vec::with_capacity(self.records * self.width());
        let mut push = |to: Rank, from: u32, number: usize, data: &[u8]| {
            for word in [to as u32, from, number as u32] {
                records.extend(word.to_le_bytes());
            }
            records.extend(data);
            records.resize(records.len() + self.piece - data.len(), 0);
        };
        for (to, data) in outgoing.iter().enumerate().filter(|&(to, _)| to != rank) {
            for (number, piece) in data.to_bytes()?.chunks(self.piece).enumerate() {
                push(to, rank as u32, number, piece);
            }
        }
        // All empty records form one sequence, in which each source and each destination has a contiguous range. This node adds the range
        // of its rank as a source.
        let matrix = self.instance.matrix();
        let pieces = |from: Rank, to: Rank| match from == to {
            true => 0,
            false => matrix.get(from, to).div_ceil(self.piece as u64) as usize,
        };
        let nodes = matrix.nodes();
        let lacking_from = |from: Rank| self.records - (0..nodes).map(|to| pieces(from, to)).sum::<usize>();
        let lacking_to = |to: Rank| self.records - (0..nodes).map(|from| pieces(from, to)).sum::<usize>();
        let first: usize = (0..rank).map(lacking_from).sum();
        let last = first + lacking_from(rank);
        let mut start = 0;
        for to in 0..nodes {
            let end = start + lacking_to(to);
            for _ in start.max(first)..end.min(last) {
                push(to, NO_RANK, 0, &[]);
            }
            start = end;
        }
        Ok(records)
    }

    /// Assembles the messages from their records.
    fn unlabel(&self, rank: Rank, records: &[u8]) -> Vec<Payload> {
        let column = self.instance.matrix().column(rank);
        let mut incoming: Vec<Vec<u8>> = column.map(|bytes| vec![0; bytes as usize]).collect();
        for record in records.chunks_exact(self.width()) {
            let (from, number) = (word(record, 1), word(record, 2) as usize);
            // Skips empty records: their source is out of range.
            let Some(message) = incoming.get_mut(from as usize) else { continue };
            let places = message.iter_mut().skip(number * self.piece);
            places.zip(&record[LABEL..]).for_each(|(place, &byte)| *place = byte);
        }
        incoming.into_iter().map(Payload::from).collect()
    }
}

impl Procedure for Sorting {
    fn schedule(&self) -> Option<Arc<Schedule>> {
        let all = (self.records * self.width()) as u64;
        let copy = || {
            let steps = vec![vec![Step { iteration: 0, action: Action::Pack(all) }]; self.instance.size()];
            Schedule::of_lengths(steps)
        };
        let mut stages = [&self.deal, &self.deal, &self.shift, &self.back].into_iter();
        let whole = stages.try_fold(copy(), |whole, stage| {
            Some(whole.then((*stage.schedule()?).clone().without_blocks()).then(copy()))
        });
        whole.map(Arc::new)
    }

    fn carry_out(
        &self,
        transport: &mut Transport<'_>,
        outgoing: Vec<Payload>,
    ) -> Result<Vec<Payload>, ExchangeError> {
        let group = transport.group;
        let (rank, nodes, width) = (group.rank(), group.size(), self.width());
        let copying = self.instance.parameters().copying((self.records * width) as u64);
        let empty = || vec![Payload::empty(); nodes];
        let mut exchange = |stage: &Stage, sent: Vec<Payload>| -> Result<Vec<u8>, ExchangeError> {
            Ok(Payload::concat(stage.carry_out(transport, sent)?).to_vec::<u8>()?)
        };
        let sorted = |records: Vec<u8>| -> Result<Vec<u8>, ExchangeError> {
            group.charge(copying)?;
            Ok(sort(&records, width, nodes))
        };
        let column = sorted(self.label(rank, &outgoing)?)?;
        let dealt = (0..nodes).map(|to| {
            let records = column.chunks_exact(width).skip(to).step_by(nodes);
            Payload::from(records.flatten().copied().collect::<Vec<u8>>())
        });
        let column = Payload::from(sorted(exchange(&self.deal, dealt.collect())?)?);
        let part = column.len() / nodes as u64;
        let parts = (0..nodes as u64).map(|to| column.slice(to * part..(to + 1) * part));
        let mut lower = sorted(exchange(&self.deal, parts.collect::<Result<_, _>>()?)?)?;
        let mut upper = lower.split_off(lower.len() / 2);
        let mut sent = empty();
        if rank + 1 < nodes {
            sent[rank + 1] = Payload::from(std::mem::take(&mut upper));
        }
        let came = exchange(&self.shift, sent)?;
        // The upper half of the previous node and the lower half of this node.
        let mut middle = sorted([came, lower].concat())?;
        let mut sent = empty();
        if rank > 0 {
            let kept = middle.split_off(middle.len() / 2);
            sent[rank - 1] = Payload::from(std::mem::replace(&mut middle, kept));
        }
        let came = exchange(&self.back, sent)?;
        group.charge(copying)?;
        Ok(self.unlabel(rank, &[middle, upper, came].concat()))
    }
}

fn word(record: &[u8], number: usize) -> u32 {
    let at = 4 * number;
    u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]])
}

/// Sorts records by destination: a radix sort of one digit with one value for each node.
fn sort(records: &[u8], width: usize, nodes: usize) -> Vec<u8> {
    let digit = |record: &[u8]| (word(record, 0) as usize).min(nodes - 1);
    let mut starts = vec![0; nodes + 1];
    records.chunks_exact(width).for_each(|record| starts[digit(record) + 1] += width);
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let mut sorted = vec![0; records.len()];
    for record in records.chunks_exact(width) {
        let start = &mut starts[digit(record)];
        sorted[*start..*start + width].copy_from_slice(record);
        *start += width;
    }
    sorted
}
