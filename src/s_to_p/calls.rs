//! The calls: an s-to-p broadcast in a group, and the execution of a plan made beforehand.

use std::sync::Arc;

use thiserror::Error;

use super::{Instance, InstanceError, Piece, Plan, PlanError};
use crate::{
    comm::{Call, Caller, Group, WalkError, walk},
    error::CommError,
    pattern::Growth,
    payload::{Element, Payload, PayloadError},
    rank::{Rank, Tag},
    record::Part,
    text::count,
};

/// The name of the call in reports and messages.
pub(super) const BROADCAST: &str = "s-to-p broadcast";

/// S-to-p broadcasting in a group: each of several sources holds one message for all members.
///
/// All members must make the same call in the same order, with the same algorithm and the same list of sources; otherwise the calls fail
/// with [`CommError::Mismatch`]. *Auto* chooses the algorithm unless one is [given](Group::using).
///
/// The first call with given sources and lengths makes a plan (milliseconds of host time for some ten nodes), which the machine caches.
///
/// The trait is sealed: it is implemented for every [`Caller`], and other crates cannot implement it.
///
/// # Errors
///
/// Every call fails with [`BroadcastError`] if its arguments are inconsistent, do not fit the group or differ from the arguments of other
/// members, and if a message cannot be sent or received.
pub trait BroadcastFrom: Caller<Instance> {
    /// Returns the messages of all sources, in the order of `sources`, on every member. `sources` holds the rank of each source and the
    /// length of its message in elements; `mine` is empty on ranks that are not sources.
    #[track_caller]
    fn broadcast_from<T: Element + Send>(
        &self,
        sources: &[(Rank, usize)],
        mine: &[T],
    ) -> Result<Vec<Vec<T>>, BroadcastError> {
        let element = size_of::<T>() as u64;
        let bytes = |&(rank, elements): &(Rank, usize)| (rank, element.saturating_mul(elements as u64));
        let in_bytes: Vec<(Rank, u64)> = sources.iter().map(bytes).collect();
        let is_source = sources.iter().any(|&(rank, _)| rank == self.group().rank());
        let mine = (is_source || !mine.is_empty()).then(|| Payload::from(mine));
        let messages = self.broadcast_payloads_from(&in_bytes, mine)?;
        Ok(messages.iter().map(Payload::to_vec).collect::<Result<_, _>>()?)
    }

    /// Broadcasts payloads by reference, as [`broadcast_from`](BroadcastFrom::broadcast_from) does vectors. Lengths are in bytes. `mine` is
    /// `None` on ranks that are not sources. Phantom payloads are allowed.
    ///
    /// ```
    /// use multicomputer::{Payload, prelude::*};
    ///
    /// let words = [(0, "to "), (2, "every "), (1, "member")];
    /// let run = Machine::hockney(1, 4).build()?.run(|node| {
    ///     let sources = words.map(|(rank, word)| (rank, word.len() as u64));
    ///     let mine = words.iter().find(|(rank, _)| *rank == node.rank()).map(|&(_, word)| Payload::from(word));
    ///     let messages = node.world().broadcast_payloads_from(&sources, mine)?;
    ///     Ok(Payload::concat(messages).to_bytes()?)
    /// })?;
    /// assert!(run.outputs.iter().all(|text| text == "to every member"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    fn broadcast_payloads_from(
        &self,
        sources: &[(Rank, u64)],
        mine: Option<Payload>,
    ) -> Result<Vec<Payload>, BroadcastError> {
        let (group, algorithm) = (self.group(), self.algorithm());
        group.library_call(BROADCAST, || {
            let (ranks, lengths): (Vec<Rank>, Vec<u64>) = sources.iter().copied().unzip();
            let all = lengths.iter().fold(0, |sum: u64, &length| sum.saturating_add(length));
            let from = count(ranks.len() as u64, "source");
            let text =
                format_args!("{BROADCAST} of {} from {from}, algorithm {algorithm}", count(all, "byte"));
            let tag = group.agree(&Call::new(BROADCAST, &text, (sources, &algorithm)))?;
            let instance = Instance::among(group.machine(), group.members(), &ranks, &lengths)?;
            let plan = algorithm.cached_plan(&instance, group.cache())?;
            plan.carry_out(&group.private(), tag, mine)
        })
    }

    /// Returns the plan for a broadcast from these sources: the chosen schedule and its predicted time. All members get the same plan.
    #[track_caller]
    fn broadcast_plan(&self, sources: &[(Rank, u64)]) -> Result<Arc<Plan>, BroadcastError> {
        self.group().note_call();
        let (group, algorithm) = (self.group(), self.algorithm());
        let (ranks, lengths): (Vec<Rank>, Vec<u64>) = sources.iter().copied().unzip();
        let instance = Instance::among(group.machine(), group.members(), &ranks, &lengths)?;
        Ok(algorithm.cached_plan(&instance, group.cache())?)
    }
}

impl<C: Caller<Instance>> BroadcastFrom for C {}

impl Plan {
    /// Returns the instance that this plan was made for.
    pub fn instance(&self) -> &Instance {
        self.problem()
    }

    /// Returns, for each iteration, the number of ranks that hold a message and the length of the longest message.
    pub fn growth(&self) -> &Growth {
        &self.draft.growth
    }

    /// Broadcasts the message of every source to every member of the group and returns the messages in the order of the sources. All
    /// members must call it.
    ///
    /// This method executes a plan that was made beforehand; [`BroadcastFrom`] makes and caches its own plans. The group may differ from
    /// the group of the plan if it has the same number of members.
    ///
    /// `mine` is the message of this member, or `None` if the member is not a source. Messages are forwarded, concatenated and cut by
    /// reference, so all nodes share the data of the sources. Phantom messages are treated like real ones.
    ///
    /// ```
    /// use multicomputer::{prelude::*, s_to_p::{Algorithm, Instance}};
    ///
    /// let words = ["to ", "every ", "node"];
    /// let machine = Machine::paragon(3, 3).build()?;
    /// let lengths = words.map(|word| word.len() as u64);
    /// let instance = Instance::new(machine.spec(), &[1, 5, 6], &lengths)?;
    /// let plan = Algorithm::BR_LIN.plan(&instance)?;
    /// let run = machine.run(|node| {
    ///     let source = instance.sources().iter().position(|&source| source == node.rank());
    ///     let mine = source.map(|source| Payload::from(words[source]));
    ///     let messages = plan.broadcast(node.world(), mine)?;
    ///     Ok(Payload::concat(messages).to_bytes()?)
    /// })?;
    /// assert!(run.outputs.iter().all(|text| text == "to every node"));
    /// assert_eq!(run.report.makespan, plan.prediction().modeled);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`BroadcastError`] if `mine` does not match the instance, if another member uses a different plan, or if a message cannot be
    /// sent or received.
    #[track_caller]
    pub fn broadcast(
        &self,
        group: &Group<'_>,
        mine: Option<Payload>,
    ) -> Result<Vec<Payload>, BroadcastError> {
        group.library_call(BROADCAST, || {
            let (sources, lengths) = (self.instance().sources(), self.instance().lengths());
            let bytes = count(self.instance().bytes(), "byte");
            let from = count(sources.len() as u64, "source");
            let text = format_args!("{BROADCAST} of {bytes} from {from}, plan {}", self.name());
            let tag = group.agree(&Call::new(BROADCAST, &text, (sources, lengths)))?;
            self.carry_out(&group.private(), tag, mine)
        })
    }

    fn carry_out(
        &self,
        group: &Group<'_>,
        tag: Tag,
        mine: Option<Payload>,
    ) -> Result<Vec<Payload>, BroadcastError> {
        let (pieces, instance) = (&self.draft.pieces, self.instance());
        let mut blocks = vec![Payload::empty(); pieces.len()];
        if let Some((source, mine)) = self.own_message(group.rank(), mine)? {
            for (piece, block) in pieces.iter().zip(&mut blocks).filter(|(piece, _)| piece.source == source) {
                *block = mine.slice(piece.start..piece.start + piece.bytes)?;
            }
        }
        let part = || Part::operation(format!("{BROADCAST} by {}", self.name()));
        group.as_part(part, || {
            group.charge_call()?;
            walk(group, self.schedule(), tag, &mut blocks)
        })?;
        let mut moved: Vec<(&Piece, Payload)> = pieces.iter().zip(blocks).collect();
        moved.sort_by_key(|(piece, _)| piece.start);
        let mut messages = vec![Payload::empty(); instance.sources().len()];
        for (piece, block) in moved {
            messages[piece.source].append(block);
        }
        Ok(messages)
    }

    /// Returns this member's index in the list of sources and its message, or `None` if it is not a source; checks that the two match.
    fn own_message(
        &self,
        rank: Rank,
        mine: Option<Payload>,
    ) -> Result<Option<(usize, Payload)>, BroadcastError> {
        let source = self.instance().sources().iter().position(|&source| source == rank);
        match (mine, source) {
            (None, None) => Ok(None),
            (Some(_), None) => Err(BroadcastError::NoSource { rank }),
            (None, Some(source)) => {
                Err(BroadcastError::NoMessage { rank, expected: self.instance().lengths()[source] })
            }
            (Some(mine), Some(source)) => {
                let expected = self.instance().lengths()[source];
                if mine.len() != expected {
                    return Err(BroadcastError::Length { rank, given: mine.len(), expected });
                }
                Ok(Some((source, mine)))
            }
        }
    }
}

/// Reason why an s-to-p broadcast fails on a node.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BroadcastError {
    /// A source gave no message.
    #[error("rank {rank} is a source but gave no message: expected is one of {}", count(*expected, "byte"))]
    NoMessage {
        /// The source.
        rank: Rank,
        /// The expected length of its message, in bytes.
        expected: u64,
    },
    /// A node that is not a source gave a message.
    #[error("rank {rank} gave a message but is not a source")]
    NoSource {
        /// The node.
        rank: Rank,
    },
    /// The message of a source does not have the length that all members were given.
    #[error("the message of rank {rank} has {}, expected {expected}", count(*given, "byte"))]
    Length {
        /// The source.
        rank: Rank,
        /// The length of its message, in bytes.
        given: u64,
        /// The expected length, in bytes.
        expected: u64,
    },
    /// A message cannot be sent or received, another member makes a different call, or the run is over.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// The plan cannot be carried out.
    #[error(transparent)]
    Walk(WalkError),
    /// The sources do not form a valid s-to-p broadcast in this group.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// The algorithm cannot be used for this instance.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A message cannot be cut, or cannot be read as the requested type.
    #[error(transparent)]
    Payload(#[from] PayloadError),
}

/// An error of communication inside the schedule stays [`BroadcastError::Comm`].
impl From<WalkError> for BroadcastError {
    fn from(error: WalkError) -> BroadcastError {
        match error {
            WalkError::Comm(error) => BroadcastError::Comm(error),
            error => BroadcastError::Walk(error),
        }
    }
}
