//! The algorithms: one file for each family, and the registry of what can be asked for by name.

mod blocks;
mod doubling;
pub(super) mod hybrid;
mod pipeline;
mod scan;

use std::fmt;

use super::{
    Operation, Strategy, Task,
    draft::{Draft, Tuning},
    plan::PlanError,
    strategy::{Collect, Order, Tree},
};
use crate::time::Span;

/// An algorithm for collective operations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// The fastest of all others: of each, the ways that the closed forms find cheapest are predicted.
    Auto,
    /// InterCom's short-vector algorithm: minimum spanning trees by halves.
    Short,
    /// InterCom's long-vector algorithm: scatter and bucket collect, within the rows and the columns of a rectangle.
    Long,
    /// The fastest of the paper's hybrids: of all strategies of `S`, `M` and `C`.
    Hybrid,
    /// One strategy, as it is written.
    Strategy(Strategy),
    /// The fastest of all hybrids, those with fastest trees and circulant graphs among them.
    Mixed,
    /// The fastest tree for the machine (LogGP).
    Tree,
    /// On one circulant graph of all ranks, in `ceil(log2 p)` rounds (Bruck, Träff).
    Circulant,
    /// Pipelined on one circulant graph, in blocks (Bar-Noy, Kipnis, Träff).
    Blocks,
    /// Recursive doubling, and what corresponds to it for any number of ranks.
    Doubling,
    /// Pipelined down several spanning trees of a mesh at the same time; a scan goes from rank to rank.
    Pipeline,
}

/// Makes the schedule of a candidate.
type Make = Box<dyn Fn(&Task, Tuning) -> Draft + Send + Sync>;

/// One way to do it: a name for it, what the closed form says, and the schedule to be made with each of the tunings.
pub(super) struct Candidate {
    pub(super) name: String,
    pub(super) estimate: Span,
    /// About as many messages as each rank sends.
    pub(super) messages: usize,
    pub(super) tunings: Vec<Tuning>,
    pub(super) make: Make,
}

impl Algorithm {
    /// All that have a name; a [`Strategy`] is written out.
    pub const NAMED: [Algorithm; 10] = [
        Algorithm::Auto,
        Algorithm::Short,
        Algorithm::Long,
        Algorithm::Hybrid,
        Algorithm::Mixed,
        Algorithm::Tree,
        Algorithm::Circulant,
        Algorithm::Blocks,
        Algorithm::Doubling,
        Algorithm::Pipeline,
    ];

    /// As the command line spells it.
    pub fn name(&self, operation: Operation) -> String {
        let name = match self {
            Algorithm::Auto => "auto",
            Algorithm::Short => "short",
            Algorithm::Long => "long",
            Algorithm::Hybrid => "hybrid",
            Algorithm::Strategy(strategy) => return strategy.spelled(operation),
            Algorithm::Mixed => "mixed",
            Algorithm::Tree => "tree",
            Algorithm::Circulant => "circulant",
            Algorithm::Blocks => "blocks",
            Algorithm::Doubling => "doubling",
            Algorithm::Pipeline => "pipeline",
        };
        name.to_owned()
    }

    /// One line on what it does.
    pub fn about(&self) -> &'static str {
        match self {
            Algorithm::Auto => "the fastest of all, by prediction",
            Algorithm::Short => "InterCom, short vectors: minimum spanning trees by halves",
            Algorithm::Long => "InterCom, long vectors: scatter and bucket collect in rows and columns",
            Algorithm::Hybrid => "InterCom: the fastest strategy of S, M and C",
            Algorithm::Strategy(_) => "InterCom: one strategy",
            Algorithm::Mixed => "the fastest strategy with T and B as well",
            Algorithm::Tree => "the fastest tree for the machine (LogGP)",
            Algorithm::Circulant => "one circulant graph, ceil(log2 p) rounds (Bruck, Traeff)",
            Algorithm::Blocks => "pipelined on a circulant graph (Bar-Noy, Kipnis, Traeff)",
            Algorithm::Doubling => "recursive doubling, for any number of ranks",
            Algorithm::Pipeline => "pipelined down several spanning trees; a scan from rank to rank",
        }
    }

    /// The named ones that the operation can be carried out with.
    pub fn of(operation: Operation) -> Vec<Algorithm> {
        let works = |algorithm: &Algorithm| match algorithm {
            Algorithm::Auto => true,
            Algorithm::Blocks => matches!(operation, Operation::Broadcast | Operation::CombineToOne),
            Algorithm::Pipeline => {
                matches!(operation, Operation::Broadcast | Operation::CombineToOne | Operation::Scan)
            }
            Algorithm::Doubling => matches!(operation, Operation::CombineToAll | Operation::Scan),
            Algorithm::Circulant => !operation.has_root() && operation != Operation::Scan,
            _ => operation != Operation::Scan,
        };
        Algorithm::NAMED.into_iter().filter(works).collect()
    }

    /// The ways in which it can be carried out, the cheapest by the closed forms first.
    pub(super) fn candidates(&self, task: &Task) -> Result<Vec<Candidate>, PlanError> {
        let operation = task.operation();
        let restricted = |restriction: &'static str| PlanError::Restricted {
            algorithm: self.name(operation),
            operation,
            restriction,
        };
        let other_operation = || PlanError::OtherOperation { algorithm: self.name(operation), operation };
        match self {
            Algorithm::Strategy(_) if operation == Operation::Scan => {
                return Err(other_operation());
            }
            Algorithm::Strategy(strategy) => hybrid::restriction(task, strategy).map_err(restricted)?,
            named if !Algorithm::of(operation).contains(named) => {
                return Err(other_operation());
            }
            _ => {}
        }
        let (size, layout) = (task.size(), task.layout());
        let whole = |tree, order| Strategy { order, ..Strategy::short(size, tree) };
        let strategies = |strategies: Vec<Strategy>, tunings: &[Tuning]| {
            hybrid::candidates(task, &layout, strategies, tunings)
        };
        let (plain, tuned) = (&[Tuning::PLAIN][..], &Tuning::worth_trying(task)[..]);
        let mut candidates = match self {
            Algorithm::Auto => {
                let others = Algorithm::of(operation).into_iter().filter(|other| *other != Algorithm::Auto);
                // One that is restricted is left out.
                others.flat_map(|algorithm| algorithm.candidates(task).unwrap_or_default()).collect()
            }
            Algorithm::Short => strategies(vec![whole(Tree::Halves, Order::Rows)], tuned),
            Algorithm::Long => {
                let sides = [layout.grid.columns, layout.grid.rows].into_iter().filter(|&side| side > 1);
                strategies(vec![Strategy::long(sides.map(|side| (side, Collect::Ring)))], plain)
            }
            Algorithm::Hybrid => {
                strategies(Strategy::all(layout.grid, &[Collect::Ring], &[Tree::Halves], MOST_SIDES), plain)
            }
            Algorithm::Strategy(strategy) => strategies(vec![strategy.clone()], plain),
            Algorithm::Mixed => {
                let collects = [Collect::Ring, Collect::Circulant];
                let kinds = if matches!(operation, Operation::Scatter | Operation::Gather) { 1 } else { 2 };
                let trees = [Tree::Halves, Tree::Fastest];
                strategies(Strategy::all(layout.grid, &collects[..kinds], &trees, MOST_SIDES), tuned)
            }
            Algorithm::Tree => strategies(
                [Order::Rows, Order::Compact].map(|order| whole(Tree::Fastest, order)).into(),
                tuned,
            ),
            Algorithm::Circulant => {
                let strategy = |order| Strategy { order, ..Strategy::long([(size, Collect::Circulant)]) };
                strategies([Order::Rows, Order::Compact].map(strategy).into(), tuned)
            }
            Algorithm::Blocks => blocks::candidates(task),
            Algorithm::Doubling if operation == Operation::Scan => scan::doublings(task),
            Algorithm::Doubling => doubling::candidates(task),
            Algorithm::Pipeline if operation == Operation::Scan => scan::chains(task),
            Algorithm::Pipeline => pipeline::candidates(task),
        };
        if candidates.is_empty() {
            let few = "it needs three ranks, two elements and a commutative operator";
            let pipelined = matches!(self, Algorithm::Blocks | Algorithm::Pipeline);
            return Err(restricted(if pipelined { few } else { hybrid::IN_ORDER }));
        }
        candidates.sort_by_key(|candidate| candidate.estimate);
        if *self != Algorithm::Auto {
            let (mut nth, mut messages) = (0, 0);
            candidates.retain(|candidate| {
                nth += 1;
                messages += candidate.messages * candidate.tunings.len() * size;
                nth <= LEAST || nth <= MOST && messages <= MESSAGES
            });
        }
        Ok(candidates)
    }
}

/// The cheapest candidates of an algorithm are predicted, at least so many, at most so many ..
const LEAST: usize = 2;
const MOST: usize = 24;

/// .. and until that has taken about so many messages.
const MESSAGES: usize = 100_000;

/// The most factors in each direction of a mesh.
const MOST_SIDES: usize = 3;

/// What a round of whole vectors takes, by the closed form.
fn round(task: &Task, bytes: u64) -> Span {
    let parameters = task.parameters();
    let transfer = parameters.transfer((bytes as f64 * 2.0 / parameters.duplex()) as u64);
    let combining =
        parameters.combining(if task.operation().combines() { bytes / task.element_bytes() } else { 0 });
    parameters.alpha() + transfer + combining
}

impl fmt::Debug for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.estimate)
    }
}
