//! The collective algorithms and their list. Each file has one algorithm, and begins with what it does, its restrictions, its cost and its
//! source, followed by its entry in the registry.
//!
//! `strategies` makes the variants of the algorithms whose candidates are [`Strategy`] values.

mod alternating;
mod apart;
mod auto;
mod bine;
mod blocks;
mod chains;
mod circulant;
pub(super) mod composed;
mod doubling;
mod edst;
mod forest;
mod halved_scan;
mod halving;
mod hybrid;
mod linear;
mod long;
mod mixed;
mod mpich;
mod multiplying;
mod open_mpi;
mod pairings;
mod pipeline;
mod scan;
mod selector;
mod short;
mod sources;
mod strategies;
mod swing;
mod tree;
mod trivance;
mod wider;

pub(crate) use self::auto::families;
pub(super) use self::auto::unsplit_variants;

use super::{Operation, Strategy, Task};
use crate::{
    plan::{self, PlanError, Variant},
    time::Span,
};

/// An algorithm for collective operations.
///
/// In the [costs](plan::Algorithm::cost) and the documentation of the algorithms, `p` is the number of ranks, `r` and `c` the rows and
/// columns of their rectangle, and `n` the length of the whole vector: in bytes before `beta`, in elements before `gamma`. A scatter, a gather,
/// an all-gather and a reduce-scatter move blocks of `n/p`. Costs are without contention.
///
/// ```
/// use multicomputer::collective::{Algorithm, Operation, Strategy};
///
/// assert_eq!("short".parse(), Ok(Algorithm::SHORT));
/// // A strategy is the same for every operation; without one it is read and printed as for a broadcast.
/// let strategy = Strategy::parse(Operation::Broadcast, "2x3x5:SSMCC")?;
/// assert_eq!("2x3x5:SSMCC".parse(), Ok(Algorithm::strategy(strategy)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Algorithm = plan::Algorithm<Task>;

/// The entry of an algorithm in the registry.
type Entry = plan::Entry<Task>;

/// The variants of an algorithm for a task.
type Variants = Result<Vec<Variant<Task>>, PlanError>;

/// The algorithm of an entry.
const fn of(entry: &'static Entry) -> Algorithm {
    Algorithm::with(entry, None)
}

impl Algorithm {
    /// All algorithms with a name. The algorithm of a [`Strategy`] has none: it is written as the strategy.
    pub const NAMED: &[Algorithm] = &[
        Algorithm::AUTO,
        Algorithm::SHORT,
        Algorithm::LONG,
        Algorithm::HYBRID,
        Algorithm::ALTERNATING,
        Algorithm::MIXED,
        Algorithm::TREE,
        Algorithm::CIRCULANT,
        Algorithm::BLOCKS,
        Algorithm::DOUBLING,
        Algorithm::HALVING,
        Algorithm::SWING,
        Algorithm::BINE,
        Algorithm::TRIVANCE,
        Algorithm::MULTIPLYING,
        Algorithm::PIPELINE,
        Algorithm::CHAINS,
        Algorithm::EDST,
        Algorithm::FOREST,
        Algorithm::SOURCES,
        Algorithm::WIDER,
        Algorithm::COMPOSED,
        Algorithm::APART,
    ];

    /// Further algorithms with a name, which *Auto* and comparisons of all algorithms leave out: the selectors of other libraries, and an
    /// algorithm for these.
    pub const UNTRIED: &[Algorithm] = &[Algorithm::LINEAR, Algorithm::MPICH, Algorithm::OPEN_MPI];

    /// The named algorithms that support the operation.
    pub fn of(operation: Operation) -> Vec<Algorithm> {
        Algorithm::NAMED.iter().filter(|algorithm| algorithm.is_for(operation)).cloned().collect()
    }

    /// The name in messages about an operation; the name of a strategy depends on the operation.
    pub fn spelled(&self, operation: Operation) -> String {
        let spelled = |candidate: &Algorithm| match candidate.parameter() {
            Some(Some(strategy)) => strategy.spelled(operation),
            _ => candidate.name().to_owned(),
        };
        self.candidates().iter().map(spelled).collect::<Vec<_>>().join(" or ")
    }
}

impl From<Strategy> for Algorithm {
    fn from(strategy: Strategy) -> Algorithm {
        Algorithm::strategy(strategy)
    }
}

/// Maximum number of factors in each direction of a mesh.
const MAX_SIDES: usize = 3;

/// Whether the operation is one of InterCom's: any but a scan.
fn is_no_scan(operation: Operation) -> bool {
    operation != Operation::Scan
}

/// The closed-form time of a round of messages of `bytes` bytes.
fn round(task: &Task, bytes: u64) -> Span {
    let parameters = task.parameters();
    let transfer = parameters.transfer((bytes as f64 * 2.0 / parameters.duplex()) as u64);
    let combining =
        parameters.combining(if task.operation().combines() { bytes / task.element_bytes() } else { 0 });
    parameters.start_up(bytes) + transfer + combining
}
