//! Problems that plans are made for, and the drafts that algorithms make of them. They know of no algorithm.

use std::{fmt, hash::Hash, sync::Arc};

use crate::{
    model::Description,
    pattern::{Delivery, DeliveryError, Schedule},
    rank::Rank,
};

/// A problem to be planned: the data to be moved among some members of a machine, known in full before anything is sent.
///
/// The libraries implement it for their own problems. Everything else about plans is the same for all of them. It is sealed:
/// no other crate can implement it.
pub trait Problem: Planned {
    /// Kind of a problem, by which algorithms are told apart that are for some problems only; shown in messages.
    type Kind: Copy + fmt::Display;

    /// The kind.
    fn kind(&self) -> Self::Kind;

    /// The machine.
    fn machine(&self) -> &Description;

    /// The node of the machine that each rank is.
    fn members(&self) -> &Arc<[Rank]>;
}

/// The part of a problem that only making plans needs. No path to it leads out of the crate, which seals [`Problem`].
pub trait Planned: Clone + fmt::Debug + Send + Sync + 'static {
    /// Choice that an algorithm leaves open, such as a seed.
    type Parameter: Clone + Ord + Hash + fmt::Debug + Send + Sync;
    /// Intermediate results that several algorithms need, kept as long as something is planned.
    type Workspace: Send + Sync;
    /// Blocks and schedule that an algorithm makes.
    type Draft: Draft;
    /// Part of the problem that tells it from others on the same machine.
    type Key: Ord + Clone + Send + Sync + 'static;

    /// The key under which its plans are kept.
    fn key(&self) -> Self::Key;

    /// Returns the key without the members. Two problems with equal keys of this kind, in groups of the same shape, have the same plan.
    /// `None` if plans of this kind of problem are not shared among groups.
    fn key_of_shape(&self) -> Option<Self::Key> {
        None
    }

    /// An empty workspace.
    fn workspace(&self) -> Self::Workspace;

    /// The room that the problem takes in a cache, in steps of a schedule.
    fn weight(&self) -> usize {
        0
    }

    /// Whether a draft does what the problem says.
    fn check_delivery(&self, draft: &Self::Draft) -> Result<(), DeliveryError>;

    /// The text of a parameter that stands for its algorithm.
    fn spelling(_parameter: &Self::Parameter) -> Option<String> {
        None
    }

    /// The name of an algorithm in messages about the problem: unless told otherwise the one that it has everywhere.
    fn called(&self, algorithm: String, _parameter: &Self::Parameter) -> String {
        algorithm
    }

    /// The names of the algorithms for problems of its kind.
    fn known(&self) -> Vec<&'static str>;

    /// The text of the error for a restriction that is not met, for an algorithm [called](Planned::called) so.
    fn unmet(&self, algorithm: &str, restriction: &str) -> String;

    /// The name of a plan: of the variant, where that says it all.
    fn plan_name(algorithm: String, variant: &str) -> String {
        match variant {
            "" => algorithm,
            whole => whole.to_owned(),
        }
    }
}

/// The draft that an algorithm makes of a problem.
pub trait Draft: fmt::Debug + Send + Sync {
    /// The steps of every node; `None` if they are known only in a run.
    fn schedule(&self) -> Option<&Schedule>;
}

/// A draft whose schedule is always known beforehand.
pub trait Scheduled: Draft {
    /// The steps of every node.
    fn steps(&self) -> &Schedule;
}

/// A check of delivery by the rules of the machine of a problem.
pub(crate) fn by_rules<'a, P: Problem>(problem: &P, delivery: Delivery<'a>) -> Delivery<'a> {
    let machine = problem.machine();
    let has_barriers = machine.parameters().barrier().is_some() && problem.members().len() == machine.nodes();
    delivery.under_rendezvous(machine.rendezvous()).with_barriers(has_barriers)
}

/// Whether a schedule is one for so many ranks, with blocks of the sizes of pieces.
pub(crate) fn check_blocks(
    schedule: &Schedule,
    ranks: usize,
    pieces: impl ExactSizeIterator<Item = u64>,
) -> Result<(), DeliveryError> {
    if schedule.nodes() != ranks {
        return Err(DeliveryError::Ranks { schedule: schedule.nodes(), ranks });
    }
    let sizes = schedule.sizes();
    if sizes.len() != pieces.len() {
        return Err(DeliveryError::Pieces { given: pieces.len(), blocks: sizes.len() });
    }
    match (0..).zip(sizes).zip(pieces).find(|&((_, &given), expected)| given != expected) {
        Some(((block, &given), expected)) => Err(DeliveryError::Size { block, given, expected }),
        None => Ok(()),
    }
}
