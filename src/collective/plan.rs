//! A task with the schedule that it is carried out by.

use std::{collections::BTreeSet, sync::OnceLock};

use thiserror::Error;

use super::{
    Algorithm, Operation, Task,
    algorithm::Candidate,
    draft::{Draft, Role, Tuning},
};
use crate::{
    choice::{self, busiest_node},
    comm::{Group, MAX_MESSAGE, Payload, PayloadError, WalkError, walk_combining},
    pattern::{Exchange, Schedule},
    predict::{Prediction, predict_among},
    rank::{Rank, Tag},
    record::Part,
    time::{Span, Time},
};

/// How a task is carried out: made once, by [`Algorithm::plan`], and then used by all members.
#[derive(Debug)]
pub struct Plan {
    task: Task,
    name: String,
    estimate: Span,
    draft: Draft,
    prediction: OnceLock<Prediction>,
}

/// What was chosen for a task, and serves all that differ from it by their root alone.
#[derive(Debug)]
pub(super) struct Choice {
    name: String,
    estimate: Span,
    candidate: Candidate,
    tuning: Tuning,
}

impl Algorithm {
    /// Plans a task. Of the ways in which the algorithm can be carried out, those that the closed forms find cheapest
    /// are predicted from rank 0, and the fastest is taken, whatever the root is; *Auto* is the same over all
    /// algorithms. It takes the host a microsecond or two for each message of each of them, a tenth of a second to a
    /// second on 512 nodes, and gives the same on every host.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if the algorithm does not work for the task.
    pub fn plan(&self, task: &Task) -> Result<Plan, PlanError> {
        self.choose(&task.with_root_0())?.plan(task)
    }

    /// Chooses for all tasks like this one.
    pub(super) fn choose(&self, task: &Task) -> Result<Choice, PlanError> {
        let mut candidates = self.candidates(task)?;
        let mut names = BTreeSet::new();
        let tried: Vec<(usize, Tuning)> = candidates
            .iter()
            .enumerate()
            .flat_map(|(index, candidate)| candidate.tunings.iter().map(move |&tuning| (index, tuning)))
            .filter(|&(index, tuning)| names.insert((&candidates[index].name, tuning)))
            .collect();
        let (index, tuning) = match tried[..] {
            [single] => single,
            _ => {
                let attempt = |nth: usize, limit: Time| {
                    let (index, tuning) = tried[nth];
                    let draft = candidates[index].draft(task, tuning);
                    let floor = busiest_node(&draft.schedule, task.parameters());
                    if floor > limit.since_start() || check_messages(&draft.schedule).is_err() {
                        return None;
                    }
                    let prediction = predict_among(task.machine(), task.members(), &draft.schedule, limit)?;
                    Some((prediction.modeled, ()))
                };
                let (nth, ()) = choice::fastest_of(tried.len(), attempt).ok_or(PlanError::TooLong)?;
                tried[nth]
            }
        };
        let candidate = candidates.swap_remove(index);
        let name = match candidate.tunings[..] {
            [_] => candidate.name.clone(),
            _ => format!("{} ({})", candidate.name, tuning.name()),
        };
        Ok(Choice { name, estimate: candidate.estimate, candidate, tuning })
    }
}

impl Candidate {
    fn draft(&self, task: &Task, tuning: Tuning) -> Draft {
        let draft = (self.make)(task, tuning);
        if tuning.exchange == Exchange::Overlapped { draft.eager() } else { draft }
    }
}

impl Choice {
    /// The plan of a task like the one it was made for.
    pub(super) fn plan(&self, task: &Task) -> Result<Plan, PlanError> {
        let draft = self.candidate.draft(task, self.tuning);
        Plan::made(task.clone(), self.name.clone(), self.estimate, draft)
    }
}

/// Whether every message of a schedule can be sent.
fn check_messages(schedule: &Schedule) -> Result<(), PlanError> {
    match schedule.messages().map(|message| message.bytes).find(|&bytes| bytes > MAX_MESSAGE) {
        Some(given) => Err(PlanError::MessageTooLong { given, most: MAX_MESSAGE }),
        None => Ok(()),
    }
}

impl Plan {
    /// A plan by another family of algorithms.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if a message of it would be too long.
    pub(crate) fn made(task: Task, name: String, estimate: Span, draft: Draft) -> Result<Plan, PlanError> {
        check_messages(&draft.schedule)?;
        Ok(Plan { task, name, estimate, draft, prediction: OnceLock::new() })
    }

    /// The task that it is for.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// The algorithm, in the way that was chosen.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the closed form says that it takes.
    pub fn estimate(&self) -> Span {
        self.estimate
    }

    /// What every member does.
    pub fn schedule(&self) -> &Schedule {
        &self.draft.schedule
    }

    /// What it takes in virtual time if all members start at the same instant and nothing else is under way: exactly
    /// what a run takes. [`Time::MAX`] if that is longer than modeled time can tell.
    pub fn prediction(&self) -> &Prediction {
        self.prediction.get_or_init(|| {
            let task = &self.task;
            predict_among(task.machine(), task.members(), self.schedule(), Time::MAX)
                .unwrap_or_else(|| Prediction { modeled: Time::MAX, finished: vec![Time::MAX; task.size()] })
        })
    }

    /// The bytes of the vector that a rank must have in the beginning, and those that it has in the end.
    fn extents(&self, rank: Rank) -> [std::ops::Range<u64>; 2] {
        use Operation::{
            Broadcast, Collect, CombineToAll, CombineToOne, DistributedCombine, Gather, Scan, Scatter,
        };
        let (all, own, nothing) = (0..self.task.bytes(), self.task.block(rank), 0..0);
        let of_root = |extent: &std::ops::Range<u64>| {
            if rank == self.task.root() { extent.clone() } else { nothing.clone() }
        };
        match self.task.operation() {
            Broadcast => [of_root(&all), all],
            Scatter => [of_root(&all), own],
            Gather => [own, of_root(&all)],
            Collect => [own, all],
            CombineToOne => [all.clone(), of_root(&all)],
            CombineToAll | Scan => [all.clone(), all],
            DistributedCombine => [all, own],
        }
    }

    /// The bytes of the vector that a rank must have in the beginning.
    pub(super) fn given(&self, rank: Rank) -> u64 {
        let [before, _] = self.extents(rank);
        before.end - before.start
    }

    /// Carries it out: every member of the group calls it, with what it has of the vector in the beginning, and gets
    /// what it has in the end, both as table 1 of [`Operation`] says; an empty payload where that is nothing. Data is
    /// moved by reference; `combine` makes one of a left and a right operand of the same length.
    ///
    /// # Errors
    ///
    /// [`WalkError`] if `mine` has another length, if another member has another plan, or if a message cannot be sent
    /// or received; what `combine` returns.
    pub fn carry_out(
        &self,
        group: &Group<'_>,
        tag: Tag,
        mine: &Payload,
        combine: impl FnMut(Payload, Payload) -> Result<Payload, PayloadError>,
    ) -> Result<Payload, WalkError> {
        let rank = group.rank();
        if self.task.size() != group.size() {
            return Err(WalkError::Nodes { schedule: self.task.size(), group: group.size() });
        }
        let [before, after] = self.extents(rank);
        if mine.len() != before.end - before.start {
            return Err(WalkError::Length {
                block: 0,
                given: mine.len(),
                expected: before.end - before.start,
            });
        }
        let pieces = &self.draft.pieces;
        let mut blocks = vec![Payload::empty(); pieces.len()];
        for (piece, block) in pieces.iter().zip(&mut blocks) {
            let is_given = matches!(piece.role, Role::Both | Role::Operand);
            if is_given && piece.origin.is_at(rank) {
                let start = piece.start - before.start;
                *block = mine.slice(start..start + piece.bytes)?;
            }
        }
        let part = || Part::operation(format!("{} by {}", self.task.operation(), self.name));
        group.as_part(part, || walk_combining(group, self.schedule(), tag, &mut blocks, combine))?;
        let is_wanted = |start: u64, bytes: u64| after.start <= start && start + bytes <= after.end;
        let results = pieces.iter().zip(blocks).filter(|(piece, _)| {
            matches!(piece.role, Role::Both | Role::Result) && is_wanted(piece.start, piece.bytes)
        });
        let mut results: Vec<(u64, Payload)> = results.map(|(piece, block)| (piece.start, block)).collect();
        results.sort_by_key(|&(start, _)| start);
        Ok(Payload::concat(results.into_iter().map(|(_, block)| block)))
    }
}

/// Why there is no plan.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The algorithm is one for other operations.
    #[error("{algorithm} is no algorithm for a {operation}")]
    OtherOperation {
        /// The algorithm.
        algorithm: String,
        /// The operation.
        operation: Operation,
    },
    /// The algorithm does not work for the task.
    #[error("{algorithm} does not work for this {operation}: {restriction}")]
    Restricted {
        /// The algorithm.
        algorithm: String,
        /// The operation.
        operation: Operation,
        /// What it is restricted to.
        restriction: &'static str,
    },
    /// A message would be longer than one may be.
    #[error(
        "a message of {given} bytes would be sent: at most {most} are allowed; cut the vector, or take another algorithm"
    )]
    MessageTooLong {
        /// Its length.
        given: u64,
        /// The greatest length.
        most: u64,
    },
    /// It takes longer than modeled time can tell, or every way to do it has messages that are longer than allowed.
    #[error(
        "every way to do it takes longer than modeled time can tell, or has messages of more than {MAX_MESSAGE} bytes"
    )]
    TooLong,
}

crate::text::debug_as_text!(PlanError);
