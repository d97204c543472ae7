//! The algorithms of chapter 4 of the book, named by their numbers in the book, with the book's formula for each.
//!
//! Each algorithm has its entry in its own file; this file lists them.

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
};

use super::equation;
use crate::{
    collective::{self, Cost, Draft, Operation, Piece, Plan, Task},
    names,
    pattern::{Blocks, Builder, Exchange, Origin},
    plan::{self, ParseAlgorithmError, PlanError, Restriction, Variant},
    rank::Rank,
};

/// An algorithm of chapter 4 of the book. It is also an algorithm for a collective operation and can be passed to
/// [`Group::using`](crate::comm::Group::using).
///
/// ```
/// use multicomputer::{prelude::*, textbook::Algorithm};
///
/// let run = Machine::hockney(1, 4).build()?.run(|node| {
///     let mut x = [if node.rank() == 0 { 7 } else { 0 }];
///     node.world().using(Algorithm::ONE_TO_ALL).broadcast(0, &mut x)?;
///     Ok(x[0])
/// })?;
/// assert_eq!(run.outputs, [7; 4]);
/// // Equation 4.1 with two steps: 2 (alpha + 4 beta).
/// assert_eq!(run.report.makespan.to_string(), "260.4 us");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Algorithm(pub(super) &'static Entry);

/// The description of an algorithm, with the data of the book.
pub(super) struct Entry {
    /// The registry entry as an algorithm for a collective operation.
    pub(super) registered: plan::Entry<Task>,
    pub(super) operation: Operation,
    pub(super) section: &'static str,
    pub(super) formula: &'static str,
    pub(super) equation_number: Option<&'static str>,
    /// Evaluates the formula, without the time for combining elements.
    pub(super) equation: fn(&Task) -> Cost,
    /// The network for which the algorithm is designed.
    pub(super) network: &'static str,
    pub(super) draft: fn(&Task) -> Draft,
}

impl Algorithm {
    /// All algorithms, in the order of the book.
    pub const ALL: &[Algorithm] = &[
        Algorithm::NAIVE,
        Algorithm::NEAREST_FIRST,
        Algorithm::ONE_TO_ALL,
        Algorithm::FROM_ANY_SOURCE,
        Algorithm::ALL_TO_ONE,
        Algorithm::MESH_ONE_TO_ALL,
        Algorithm::MESH_ALL_TO_ONE,
        Algorithm::RING_ALL_TO_ALL,
        Algorithm::LINE_ALL_TO_ALL,
        Algorithm::RING_REDUCTION,
        Algorithm::MESH_ALL_TO_ALL,
        Algorithm::MESH_REDUCTION,
        Algorithm::HYPERCUBE_ALL_TO_ALL,
        Algorithm::HYPERCUBE_REDUCTION,
        Algorithm::PIPELINED,
        Algorithm::IN_TURN,
    ];

    /// Returns this algorithm as one for collective operations.
    fn collective(self) -> collective::Algorithm {
        collective::Algorithm::with(&self.0.registered, None)
    }

    /// Returns the number in the book, or otherwise a name, as used on the command line.
    pub fn name(self) -> &'static str {
        self.0.registered.name
    }

    /// Returns the other names, such as `ring-reduction` for 4.5.
    pub fn aliases(self) -> &'static [&'static str] {
        self.collective().aliases()
    }

    /// Returns a one-line description.
    pub fn about(self) -> &'static str {
        self.0.registered.about
    }

    /// Returns the section of the book.
    pub fn section(self) -> &'static str {
        self.0.section
    }

    /// Returns the operation of the collective library that the algorithm implements: a one-to-all broadcast is a broadcast, an all-to-one
    /// reduction a reduce, an all-to-all broadcast an all-gather, an all-to-all reduction a reduce-scatter.
    pub fn operation(self) -> Operation {
        self.0.operation
    }

    /// Returns the formula of the book, or a formula derived from the book's, with `t_s` for alpha and `t_w m` for the time of the bytes of
    /// a message.
    pub fn formula(self) -> &'static str {
        self.0.formula
    }

    /// Returns the number of the equation, if the book gives it one.
    pub fn equation_number(self) -> Option<&'static str> {
        self.0.equation_number
    }

    /// Evaluates the [`formula`](Algorithm::formula) for a task. The length of a message is that of the vector or of the longest block.
    pub fn equation(self, task: &Task) -> Cost {
        let cost = (self.0.equation)(task);
        if task.operation().combines() { equation::reduction(cost, task.element_bytes()) } else { cost }
    }

    /// Returns the network for which the algorithm is designed, in a small size, in the syntax of
    /// [`topology::parse`](crate::topology::parse). On this network no two messages of a step share a link.
    ///
    /// ```
    /// use multicomputer::{topology, textbook::Algorithm};
    ///
    /// let network = topology::parse(Algorithm::HYPERCUBE_ALL_TO_ALL.network())?;
    /// assert_eq!(network.name(), "hypercube:8");
    /// # Ok::<(), topology::TopologyError>(())
    /// ```
    pub fn network(self) -> &'static str {
        self.0.network
    }

    /// Makes the schedule for a task.
    ///
    /// # Errors
    ///
    /// Returns [`PlanError`] if the operation of the task is not the operation of the algorithm, or if the task does not meet the
    /// algorithm's restrictions, which are documented in its file.
    pub fn plan(self, task: &Task) -> Result<Plan, PlanError> {
        self.collective().plan(task)
    }
}

impl Entry {
    /// Returns the only variant.
    pub(super) fn variants(&'static self, task: &Task) -> Result<Vec<Variant<Task>>, PlanError> {
        let estimate = Algorithm(self).equation(task).time(task.parameters());
        Ok(vec![Variant::new("", |task| Ok((self.draft)(task))).estimated(estimate)])
    }
}

/// The book, the source of all these algorithms.
pub(super) const BOOK: &str = "Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, chapter 4";

/// The restriction to commutative operators, for reductions that do not combine operands in rank order.
pub(super) const COMMUTATIVE: Restriction<Task> = Restriction {
    text: "a commutative operator, because it does not combine in rank order",
    is_met: |task, _| !task.is_in_order(),
    found: |_, _| String::new(),
};

/// Algorithms are compared by name.
impl PartialEq for Algorithm {
    fn eq(&self, other: &Algorithm) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Algorithm {}

impl PartialOrd for Algorithm {
    fn partial_cmp(&self, other: &Algorithm) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Algorithm {
    fn cmp(&self, other: &Algorithm) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl Hash for Algorithm {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

/// Prints numbered algorithms as in the book ("algorithm 4.1"), the others by their names.
impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.collective().fmt(f)
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.collective().fmt(f)
    }
}

impl FromStr for Algorithm {
    type Err = ParseAlgorithmError;

    /// Parses a number of the book, with or without the word `algorithm`, a [name](Algorithm::name), or an [alias](Algorithm::aliases).
    /// Case, hyphens, underscores and blanks are ignored.
    fn from_str(text: &str) -> Result<Algorithm, ParseAlgorithmError> {
        let plain = names::normalized(text);
        let plain = plain.strip_prefix("algorithm").unwrap_or(&plain);
        let known = Algorithm::ALL.iter().find(|algorithm| algorithm.collective().is_called(plain));
        let all = || Algorithm::ALL.iter().map(|algorithm| algorithm.collective()).collect::<Vec<_>>();
        known.copied().ok_or_else(|| ParseAlgorithmError::new(text, &all()))
    }
}

impl From<Algorithm> for collective::Algorithm {
    fn from(algorithm: Algorithm) -> collective::Algorithm {
        algorithm.collective()
    }
}

/// The order of sending and receiving within a step: one after the other, as in the book's programs.
const EXCHANGE: Exchange = Exchange::InTurn;

/// Makes a draft that moves the whole vector of the root, as one block.
pub(super) fn root_vector_draft(task: &Task, build: impl FnOnce(&mut Builder, &Blocks)) -> Draft {
    let whole = Piece::of(0..task.bytes(), Origin::At(task.root()));
    Draft::moving(task, vec![whole], &[task.root()], EXCHANGE, |builder| build(builder, &[0].into()))
}

/// Makes a draft that moves the block of every rank.
pub(super) fn all_blocks_draft(task: &Task, build: impl FnOnce(&mut Builder)) -> Draft {
    let ranks: Vec<Rank> = (0..task.size()).collect();
    Draft::moving(task, pieces(task, &ranks), &ranks, EXCHANGE, build)
}

/// Makes a draft that moves the nonempty blocks. `build` gets the ranks that have them.
pub(super) fn source_blocks_draft(task: &Task, build: impl FnOnce(&mut Builder, &[Rank])) -> Draft {
    let sources: Vec<Rank> = (0..task.size()).filter(|&rank| !task.block(rank).is_empty()).collect();
    Draft::moving(task, pieces(task, &sources), &sources, EXCHANGE, |builder| build(builder, &sources))
}

/// Returns the blocks of some ranks as pieces of the vector.
fn pieces(task: &Task, ranks: &[Rank]) -> Vec<Piece> {
    ranks.iter().map(|&rank| Piece::of(task.block(rank), Origin::At(rank))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Plans are cached by algorithm name, so the names of this module and of [`collective`] must be unique together.
    #[test]
    fn names_are_unique() {
        let known = collective::Algorithm::NAMED.iter().cloned();
        let all: Vec<collective::Algorithm> =
            known.chain(Algorithm::ALL.iter().map(|algorithm| algorithm.collective())).collect();
        let names: Vec<&str> = all
            .iter()
            .flat_map(|algorithm| algorithm.aliases().iter().copied().chain([algorithm.name()]))
            .collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        for &algorithm in Algorithm::ALL {
            assert_eq!(algorithm.name().parse(), Ok(algorithm));
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
        }
        assert_eq!("ring-reduction".parse(), Ok(Algorithm::RING_REDUCTION));
        let error = "4.9".parse::<Algorithm>().unwrap_err().to_string();
        assert!(error.starts_with("unknown algorithm `4.9`. Known: naive, nearest-first, 4.1"), "{error}");
    }
}
