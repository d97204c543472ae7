//! A stage of an exchange: a matrix and a schedule that moves its messages.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    super::{
        Matrix, Piece,
        procedure::{ExchangeError, Procedure, Transport},
    },
    Part,
    contents::{BlockPayloads, PartPayloads},
    parts,
    style::Style,
};
use crate::{pattern::Schedule, payload::Payload, rank::Rank, record};

/// Bytes of a count.
pub(crate) const COUNT: u64 = 4;

/// A stage: a matrix, the schedule that moves its messages, and, optionally, a preceding exchange of counts.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    matrix: Arc<Matrix>,
    schedule: Arc<Schedule>,
    contents: Contents,
    /// The preceding stage, in which every rank announces to each other rank the number of bytes that it has for it.
    counts: Option<Arc<Stage>>,
}

/// Contents of the messages of a stage.
#[derive(Clone, Copy, Debug)]
enum Contents {
    /// The next bytes from the sender to the receiver, in order.
    Parts,
    /// Forwarded blocks: the messages of the matrix between different ranks, in order.
    Blocks,
}

impl Stage {
    /// Creates a stage from rounds of direct messages, whole or in parts.
    pub(crate) fn rounds(matrix: impl Into<Arc<Matrix>>, rounds: &[Vec<Part>], style: Style) -> Stage {
        let matrix = matrix.into();
        let schedule = style.schedule(matrix.nodes(), rounds);
        Stage::direct(matrix, schedule)
    }

    /// Creates a stage from a schedule of direct messages, whole or in parts.
    pub(crate) fn direct(matrix: impl Into<Arc<Matrix>>, schedule: Schedule) -> Stage {
        Stage { matrix: matrix.into(), schedule: schedule.into(), contents: Contents::Parts, counts: None }
    }

    /// Creates a stage from a schedule whose block `k` is the `k`-th message between different ranks.
    pub(crate) fn forwarded(matrix: impl Into<Arc<Matrix>>, schedule: Schedule) -> Stage {
        Stage { matrix: matrix.into(), schedule: schedule.into(), contents: Contents::Blocks, counts: None }
    }

    /// Adds a preceding exchange of counts: a stage in which every rank has a [`COUNT`] for every other rank.
    pub(crate) fn after(self, counts: Stage) -> Stage {
        Stage { counts: Some(Arc::new(counts)), ..self }
    }

    /// Announces to every other rank the number of bytes that this rank has for it in `matrix`, and checks the announcements received.
    ///
    /// Source: Ranka, Shankar, Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995, figures 3
    /// and 4 ("generate receive vector").
    pub(crate) fn exchange_counts(
        &self,
        transport: &mut Transport<'_>,
        matrix: &Matrix,
    ) -> Result<(), ExchangeError> {
        let group = transport.group;
        let rank = group.rank();
        // No message is longer than four bytes can express.
        let count = |&bytes: &u64| Payload::from(u32::to_le_bytes(bytes as u32));
        let counts = matrix.row(rank).iter().map(count).collect();
        let part = || record::Part::operation("exchange of counts");
        let received = group.as_part(part, || self.carry_out(transport, counts))?;
        for (from, received) in received.into_iter().enumerate() {
            let given = received
                .to_vec::<u8>()?
                .try_into()
                .map(u32::from_le_bytes)
                .map(u64::from)
                .unwrap_or(u64::MAX);
            let expected = matrix.get(from, rank);
            if given != expected && from != rank {
                return Err(ExchangeError::Received { from, given, expected });
            }
        }
        Ok(())
    }
}

/// Concatenates two schedules. Messages of the result have lengths but no blocks.
pub(crate) fn concatenate(first: &Schedule, second: &Schedule) -> Schedule {
    first.clone().without_blocks().then(second.clone().without_blocks())
}

impl Procedure for Stage {
    fn schedule(&self) -> Option<Arc<Schedule>> {
        Some(match &self.counts {
            Some(counts) => Arc::new(concatenate(&counts.schedule, &self.schedule)),
            None => self.schedule.clone(),
        })
    }

    fn moved(&self) -> Option<(Vec<Piece>, Schedule)> {
        if self.counts.is_some() {
            return None;
        }
        let Contents::Parts = self.contents else {
            return Some((Piece::all(&self.matrix), (*self.schedule).clone()));
        };
        let (messages, schedule) = self.schedule.with_a_block_a_message();
        let mut ends: BTreeMap<(Rank, Rank), u64> = BTreeMap::new();
        let piece = |(from, to, bytes)| {
            let end = ends.entry((from, to)).or_insert(0);
            let start = std::mem::replace(end, *end + bytes);
            Piece { from, to, start, bytes }
        };
        Some((messages.into_iter().map(piece).collect(), schedule))
    }

    fn carry_out(
        &self,
        transport: &mut Transport<'_>,
        outgoing: Vec<Payload>,
    ) -> Result<Vec<Payload>, ExchangeError> {
        if let Some(counts) = &self.counts {
            counts.exchange_counts(transport, &self.matrix)?;
        }
        let rank = transport.group.rank();
        let own = outgoing[rank].clone();
        let mut incoming = match self.contents {
            Contents::Parts => {
                let mut parts = PartPayloads::new(outgoing);
                transport.walk(&self.schedule, &mut parts)?;
                parts.incoming()
            }
            Contents::Blocks => {
                let blocks = || (0_u32..).zip(parts(&self.matrix));
                let here = blocks().filter(|(_, part)| part.from == rank);
                let here: BTreeMap<u32, Payload> =
                    here.map(|(block, part)| (block, outgoing[part.to].clone())).collect();
                let mut cargo = BlockPayloads::new(&self.schedule, here);
                transport.walk(&self.schedule, &mut cargo)?;
                let mut incoming = vec![Payload::empty(); outgoing.len()];
                for (block, part) in blocks().filter(|(_, part)| part.to == rank) {
                    incoming[part.from] = cargo.remove(block);
                }
                incoming
            }
        };
        incoming[rank] = own;
        Ok(incoming)
    }
}
