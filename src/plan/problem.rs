//! Problems that plans are made for, and the drafts that algorithms make of them.

use std::{fmt, hash::Hash, sync::Arc};

use super::Algorithm;
use crate::{model::Description, pattern::Schedule, rank::Rank};

/// A problem to be planned: the data to be moved among some members of a machine, known in full before anything is sent.
///
/// The libraries implement it for their own problems. Everything else about plans is the same for all of them.
pub trait Problem: Clone + fmt::Debug + Send + Sync + 'static {
    /// Kind of a problem, by which algorithms are told apart that are for some problems only; shown in messages.
    type Kind: Copy + fmt::Display;
    /// Choice that an algorithm leaves open, such as a seed.
    type Parameter: Clone + Ord + Hash + fmt::Debug + Send + Sync;
    /// Intermediate results that several algorithms need, kept as long as something is planned.
    type Workspace: Send + Sync;
    /// Blocks and schedule that an algorithm makes.
    type Draft: Draft;
    /// Part of the problem that tells it from others on the same machine.
    type Key: Ord + Clone + Send + Sync + 'static;

    /// The algorithm that chooses among all others.
    const AUTO: Algorithm<Self>;

    /// The algorithms that have a name.
    fn algorithms() -> Vec<Algorithm<Self>>;

    /// The kind.
    fn kind(&self) -> Self::Kind;

    /// The machine.
    fn machine(&self) -> &Description;

    /// The node of the machine that each rank is.
    fn members(&self) -> &Arc<[Rank]>;

    /// The key under which its plans are kept.
    fn key(&self) -> Self::Key;

    /// An empty workspace.
    fn workspace(&self) -> Self::Workspace;

    /// The problem whose choice among variants serves this one, too; by default each has its own.
    fn representative(&self) -> Option<Self> {
        None
    }

    /// The room that the problem takes in a cache, in steps of a schedule.
    fn weight(&self) -> usize {
        0
    }

    /// The algorithm that a text stands for which is no name.
    fn spelled(_text: &str) -> Option<Algorithm<Self>> {
        None
    }

    /// The spelling of a parameter that stands for its algorithm: what [`spelled`](Problem::spelled) reads.
    fn spelling(_parameter: &Self::Parameter) -> Option<String> {
        None
    }

    /// The name of an algorithm in messages about the problem.
    fn called(&self, algorithm: &Algorithm<Self>) -> String {
        algorithm.to_string()
    }

    /// The text of the error for a restriction that is not met.
    fn unmet(&self, algorithm: &Algorithm<Self>, restriction: &str) -> String {
        format!("{} does not work for this {}: {restriction}", self.called(algorithm), self.kind())
    }

    /// The name of a plan: of the variant, where that says it all.
    fn plan_name(algorithm: &Algorithm<Self>, variant: &str) -> String {
        match variant {
            "" => algorithm.to_string(),
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
