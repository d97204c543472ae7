//! Problems to plan, and the drafts that algorithms make for them. This module depends on no algorithm.

use std::{fmt, hash::Hash, sync::Arc};

use crate::{
    model::MachineSpec,
    pattern::{Delivery, DeliveryError, Schedule},
    rank::Rank,
};

/// A problem to be planned: the data to be moved among some members of a machine, fully known before communication starts.
///
/// Each library implements the trait for its own problems. Everything else about plans is the same for all libraries.
/// The trait is sealed: no other crate can implement it.
pub trait Problem: Planned {
    /// The kind of a problem, shown in messages. An algorithm may support only some kinds.
    type Kind: Copy + fmt::Display;

    /// Returns the kind.
    fn kind(&self) -> Self::Kind;

    /// Returns the machine.
    fn machine(&self) -> &MachineSpec;

    /// Returns the machine's node of each rank.
    fn members(&self) -> &Arc<[Rank]>;
}

/// The methods of a problem that only planning needs. The trait is not exported, which seals [`Problem`].
pub trait Planned: Clone + fmt::Debug + Send + Sync + 'static {
    /// The choice that an algorithm leaves open, such as a seed.
    type Parameter: Clone + Ord + Hash + fmt::Debug + Send + Sync;
    /// Intermediate results that several algorithms need, kept while one problem is planned.
    type Workspace: Send + Sync;
    /// The blocks and the schedule that an algorithm makes.
    type Draft: Draft;
    /// The part of the problem that distinguishes it from others on the same machine.
    type Key: Ord + Clone + Send + Sync + 'static;

    /// Returns the key under which plans are cached.
    fn key(&self) -> Self::Key;

    /// Returns the key without the members. Two problems with equal keys of this kind, in groups of the same shape, have the same plan.
    /// `None` if plans of this kind of problem are not shared among groups.
    fn key_of_shape(&self) -> Option<Self::Key> {
        None
    }

    /// Returns an empty workspace.
    fn workspace(&self) -> Self::Workspace;

    /// Returns the size of the problem in the plan cache. The unit is the size of one step of a schedule, about 100 bytes.
    fn weight(&self) -> usize {
        0
    }

    /// Checks that a draft delivers what the problem requires.
    fn check_delivery(&self, draft: &Self::Draft) -> Result<(), DeliveryError>;

    /// Returns the text of a parameter that replaces the algorithm's name.
    fn spelling(_parameter: &Self::Parameter) -> Option<String> {
        None
    }

    /// Returns the algorithm's name in messages about the problem. The default is the usual name.
    fn called(&self, algorithm: String, _parameter: &Self::Parameter) -> String {
        algorithm
    }

    /// Returns the names of the algorithms for problems of this kind.
    fn known(&self) -> Vec<String>;

    /// Returns the name of a plan: the variant's name, or the algorithm's if the variant has none.
    fn plan_name(algorithm: String, variant: &str) -> String {
        match variant {
            "" => algorithm,
            whole => whole.to_owned(),
        }
    }
}

/// The draft that an algorithm makes for a problem.
pub trait Draft: fmt::Debug + Send + Sync {
    /// Returns the steps of every node; `None` if they become known only in a run.
    fn schedule(&self) -> Option<&Schedule>;
}

/// A draft whose schedule is always known before the run.
pub trait Scheduled: Draft {
    /// Returns the steps of every node.
    fn steps(&self) -> &Schedule;
}

/// Applies the rules of the problem's machine to a delivery check: the rendezvous protocol, and hardware barriers if
/// all nodes are members.
pub(crate) fn by_rules<'a, P: Problem>(problem: &P, delivery: Delivery<'a>) -> Delivery<'a> {
    let machine = problem.machine();
    let has_barriers = machine.parameters().barrier().is_some() && problem.members().len() == machine.nodes();
    delivery.under_rendezvous(machine.rendezvous()).with_barriers(has_barriers)
}

/// Checks that a schedule has this number of ranks and that its blocks have the sizes of the pieces.
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
