//! A broadcast worked out: [`Plan`], and the code that carries it out on a node.

use std::sync::OnceLock;

use thiserror::Error;

use super::{Algorithm, Instance};
use crate::{
    comm::{Group, Payload, PayloadError, WalkError, walk},
    error::CommError,
    pattern::{Builder, Exchange, Schedule},
    predict::{Prediction, predict},
    rank::{Rank, Tag},
    record::Part,
    text::count,
    time::Time,
};

/// Keeps the messages of a broadcast apart from others that the program has on the way.
const TAG: Tag = Tag::named(b"StoP");

/// An s-to-p broadcast with everything decided: made once, by [`Algorithm::plan`], and shared by all nodes.
#[derive(Clone, Debug)]
pub struct Plan {
    instance: Instance,
    algorithm: Algorithm,
    variant: String,
    draft: Draft,
    prediction: OnceLock<Prediction>,
}

/// How the messages are cut into blocks, and who sends which block to whom.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pieces: Vec<Piece>,
    pub(super) schedule: Schedule,
}

/// A part of a source's message: one block of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The number of the source, not its rank.
    pub(super) source: usize,
    /// Where in its message the piece starts.
    pub(super) start: u64,
    pub(super) bytes: u64,
}

impl Draft {
    /// A schedule whose block `k` is the whole message of source `k`, made by `build`.
    pub(super) fn whole(instance: &Instance, exchange: Exchange, build: impl FnOnce(&mut Builder)) -> Draft {
        let pieces = instance.lengths().iter().enumerate();
        let pieces = pieces.map(|(source, &bytes)| Piece { source, start: 0, bytes }).collect();
        Draft::of(instance, pieces, exchange, build)
    }

    /// A schedule whose block `k` is piece `k`. The pieces of a source follow each other, in order.
    pub(super) fn of(
        instance: &Instance,
        pieces: Vec<Piece>,
        exchange: Exchange,
        build: impl FnOnce(&mut Builder),
    ) -> Draft {
        let origins: Vec<Rank> = pieces.iter().map(|piece| instance.sources()[piece.source]).collect();
        let sizes: Vec<u64> = pieces.iter().map(|piece| piece.bytes).collect();
        let mut builder = Builder::new(instance.nodes(), &origins, &sizes, exchange);
        build(&mut builder);
        Draft { pieces, schedule: builder.finish() }
    }
}

impl Plan {
    pub(super) fn new(
        instance: &Instance,
        algorithm: Algorithm,
        variant: String,
        draft: Draft,
        prediction: Option<Prediction>,
    ) -> Plan {
        let prediction = prediction.map_or_else(OnceLock::new, OnceLock::from);
        Plan { instance: instance.clone(), algorithm, variant, draft, prediction }
    }

    /// The broadcast that it is for.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The algorithm; that which [`Algorithm::Auto`] has chosen.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Which of its variants; empty if it has only one.
    pub fn variant(&self) -> &str {
        &self.variant
    }

    /// What every node does. Its blocks are the messages of the sources, in their order, or pieces of them.
    pub fn schedule(&self) -> &Schedule {
        &self.draft.schedule
    }

    /// What it takes in virtual time if all nodes start at the same instant: exactly what a run takes. Worked out when
    /// it is first asked for. [`Time::MAX`] everywhere if it takes longer than modeled time can tell; a run then ends
    /// with an error.
    pub fn prediction(&self) -> &Prediction {
        self.prediction.get_or_init(|| {
            predict(self.instance.machine(), self.schedule()).unwrap_or_else(|| Prediction {
                modeled: Time::MAX,
                finished: vec![Time::MAX; self.instance.nodes()],
            })
        })
    }

    /// Broadcasts the message of every source to every node of the group; all of them call it. Returns the messages in
    /// the order of the sources.
    ///
    /// `mine` is this node's own message, and `None` where it is no source. Messages are forwarded, chained and cut by
    /// reference, so the data of all nodes is that of the sources. Phantom messages work as real ones do.
    ///
    /// ```
    /// use multicomputer::{Machine, prelude::*, stop::{Algorithm, Instance}};
    ///
    /// let words = ["to ", "every ", "node"];
    /// let machine = Machine::paragon(3, 3).build()?;
    /// let lengths = words.map(|word| word.len() as u64);
    /// let instance = Instance::new(machine.description(), &[1, 5, 6], &lengths)?;
    /// let plan = Algorithm::BrLin.plan(&instance)?;
    /// let run = machine.run(|node| {
    ///     let source = instance.sources().iter().position(|&source| source == node.rank());
    ///     let mine = source.map(|source| Payload::from(words[source]));
    ///     let messages = plan.broadcast(node.world(), mine)?;
    ///     Ok(Payload::concat(messages).to_bytes()?)
    /// })?;
    /// assert!(run.outputs.iter().all(|text| text == "to every node"));
    /// assert_eq!(run.report.modeled, plan.prediction().modeled);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BroadcastError`] if `mine` is not what the instance says, if another node has another plan, or if a message
    /// cannot be sent or received.
    pub fn broadcast(
        &self,
        group: &Group<'_>,
        mine: Option<Payload>,
    ) -> Result<Vec<Payload>, BroadcastError> {
        group.library_call("s-to-p broadcast", || {
            let mut blocks = vec![Payload::empty(); self.draft.pieces.len()];
            if let Some((source, mine)) = self.own_message(group.rank(), mine)? {
                let pieces = self.draft.pieces.iter().zip(&mut blocks);
                for (piece, block) in pieces.filter(|(piece, _)| piece.source == source) {
                    *block = mine.slice(piece.start..piece.start + piece.bytes)?;
                }
            }
            let part = || match self.variant() {
                "" => Part::operation(format!("s-to-p broadcast by {}", self.algorithm)),
                variant => Part::operation(format!("s-to-p broadcast by {}, {variant}", self.algorithm)),
            };
            group.as_part(part, || walk(group, self.schedule(), TAG, &mut blocks))?;
            if blocks.len() == self.instance.sources().len() {
                return Ok(blocks);
            }
            let mut messages = vec![Payload::empty(); self.instance.sources().len()];
            for (piece, block) in self.draft.pieces.iter().zip(blocks) {
                messages[piece.source].append(block);
            }
            Ok(messages)
        })
    }

    /// The number of this node as a source and its message, if the two fit together.
    fn own_message(
        &self,
        rank: Rank,
        mine: Option<Payload>,
    ) -> Result<Option<(usize, Payload)>, BroadcastError> {
        let source = self.instance.sources().iter().position(|&source| source == rank);
        match (mine, source) {
            (None, None) => Ok(None),
            (Some(_), None) => Err(BroadcastError::NoSource { rank }),
            (None, Some(source)) => {
                Err(BroadcastError::NoMessage { rank, expected: self.instance.lengths()[source] })
            }
            (Some(mine), Some(source)) => {
                let expected = self.instance.lengths()[source];
                if mine.len() != expected {
                    return Err(BroadcastError::Length { rank, given: mine.len(), expected });
                }
                Ok(Some((source, mine)))
            }
        }
    }
}

/// Why an s-to-p broadcast fails on a node.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BroadcastError {
    /// A source has nothing to send.
    #[error("rank {rank} is a source and gave no message: one of {} is expected", count(*expected, "byte"))]
    NoMessage {
        /// The source.
        rank: Rank,
        /// The length that its message should have.
        expected: u64,
    },
    /// A node that is no source gave a message.
    #[error("rank {rank} gave a message and is not among the sources")]
    NoSource {
        /// The node.
        rank: Rank,
    },
    /// The message of a source has another length than all nodes know.
    #[error("the message of rank {rank} has {}: {expected} must be given", count(*given, "byte"))]
    Length {
        /// The source.
        rank: Rank,
        /// The length of its message.
        given: u64,
        /// The length that it should have.
        expected: u64,
    },
    /// The run is over.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// The plan cannot be carried out.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// A message cannot be taken apart.
    #[error(transparent)]
    Payload(#[from] PayloadError),
}

crate::text::debug_as_text!(BroadcastError);
