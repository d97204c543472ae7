//! The algorithms of the chapter, by the numbers that they have in the book, and what the book says about each.
//!
//! Each has its entry in its own file; here they are listed.

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
};

use super::equation;
use crate::{
    collective::{self, Cost, Draft, Operation, Piece, Plan, Task},
    pattern::{Blocks, Builder, Exchange, Origin},
    plan::{self, IntoAlgorithm, ParseAlgorithmError, PlanError, Restriction, Variant, sealed::Sealed},
    rank::Rank,
};

/// An algorithm of the chapter. It is one for collective operations, too, and can be given to
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
/// assert_eq!(run.report.modeled.to_string(), "260.4 us");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Algorithm(pub(super) &'static Entry);

/// The entry of an algorithm: what the book says about it.
pub(super) struct Entry {
    /// As one for collective operations.
    pub(super) registered: plan::Entry<Task>,
    pub(super) operation: Operation,
    pub(super) section: &'static str,
    pub(super) formula: &'static str,
    pub(super) equation_number: Option<&'static str>,
    /// The formula worked out, without combining.
    pub(super) equation: fn(&Task) -> Cost,
    /// The network that it is made for.
    pub(super) network: &'static str,
    pub(super) draft: fn(&Task) -> Draft,
}

impl Algorithm {
    /// All of them, in the order of the book.
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

    /// The same as an algorithm for collective operations.
    fn collective(self) -> collective::Algorithm {
        collective::Algorithm::with(&self.0.registered, None)
    }

    /// The number that the book gives it, or else a name: what the command line spells.
    pub fn name(self) -> &'static str {
        self.collective().name()
    }

    /// A line on what it is.
    pub fn title(self) -> &'static str {
        self.collective().about()
    }

    /// The section of the book.
    pub fn section(self) -> &'static str {
        self.0.section
    }

    /// The operation of the collective library that it does: a one-to-all broadcast is a broadcast, an all-to-one
    /// reduction a combine-to-one, an all-to-all broadcast a collect, an all-to-all reduction a distributed combine.
    pub fn operation(self) -> Operation {
        self.0.operation
    }

    /// The formula that the book gives, or one that follows from it, with `t_s` for alpha and `t_w m` for the time of
    /// the bytes of a message.
    pub fn formula(self) -> &'static str {
        self.0.formula
    }

    /// The number of the equation, where the book gives it one.
    pub fn equation_number(self) -> Option<&'static str> {
        self.0.equation_number
    }

    /// The [`formula`](Algorithm::formula) worked out for a task. A message has the bytes of the vector, or of the
    /// longest block.
    pub fn equation(self, task: &Task) -> Cost {
        let cost = (self.0.equation)(task);
        if task.operation().combines() { equation::reduction(cost, task.element_bytes()) } else { cost }
    }

    /// The network that it is made for, in a small size as [`topology::parse`](crate::topology::parse) reads it: there
    /// no two messages of a step share a link.
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
    /// [`PlanError`] if the task is another operation than the algorithm's, or does not meet its restrictions, which
    /// are in the file of each.
    pub fn plan(self, task: &Task) -> Result<Plan, PlanError> {
        self.collective().plan(task)
    }
}

impl Entry {
    /// The only variant.
    pub(super) fn variants(&'static self, task: &Task) -> Result<Vec<Variant<Task>>, PlanError> {
        let estimate = Algorithm(self).equation(task).time(task.parameters());
        Ok(vec![Variant::new("", |task| Ok((self.draft)(task))).estimated(estimate)])
    }
}

/// The book, as the source of all of them.
pub(super) const BOOK: &str = "Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, chapter 4";

/// The restriction of reductions that add up around a ring, or what is far apart.
pub(super) const COMMUTATIVE: Restriction<Task> = Restriction {
    text: "its operands do not meet in rank order: the operator must be commutative",
    is_met: |task, _| !task.is_in_order(),
    found: |_, _| String::new(),
};

/// By name.
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

/// The numbered ones as the book calls them, the others by their names.
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

    /// Takes a number of the book, a [name](Algorithm::name), or an alias such as `ring-reduction` for 4.5.
    fn from_str(text: &str) -> Result<Algorithm, ParseAlgorithmError> {
        let known = Algorithm::ALL.iter().find(|algorithm| algorithm.collective().is_called(text));
        let names = Algorithm::ALL.iter().map(|algorithm| algorithm.name());
        known.copied().ok_or_else(|| ParseAlgorithmError::new(text, names.collect()))
    }
}

impl Sealed for Algorithm {}

impl IntoAlgorithm for Algorithm {
    type Problem = Task;

    fn into_algorithm(self) -> collective::Algorithm {
        self.collective()
    }
}

/// The way of a node that sends and receives in a step: as the book writes it, one after the other.
const EXCHANGE: Exchange = Exchange::InTurn;

/// Moves the vector of the root as a whole: the blocks given.
pub(super) fn of_the_root(task: &Task, build: impl FnOnce(&mut Builder, &Blocks)) -> Draft {
    let whole = Piece::of(0..task.bytes(), Origin::At(task.root()));
    Draft::moving(task, vec![whole], &[task.root()], EXCHANGE, |builder| build(builder, &[0].into()))
}

/// Moves the block of every rank.
pub(super) fn of_all(task: &Task, build: impl FnOnce(&mut Builder)) -> Draft {
    let ranks: Vec<Rank> = (0..task.size()).collect();
    Draft::moving(task, pieces(task, &ranks), &ranks, EXCHANGE, build)
}

/// Moves the blocks that are not empty.
pub(super) fn of_sources(task: &Task, build: impl FnOnce(&mut Builder, &[Rank])) -> Draft {
    let sources: Vec<Rank> = (0..task.size()).filter(|&rank| !task.block(rank).is_empty()).collect();
    Draft::moving(task, pieces(task, &sources), &sources, EXCHANGE, |builder| build(builder, &sources))
}

/// The blocks of these ranks.
fn pieces(task: &Task, ranks: &[Rank]) -> Vec<Piece> {
    ranks.iter().map(|&rank| Piece::of(task.block(rank), Origin::At(rank))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Plans are kept by the names of their algorithms: those of both libraries are told apart.
    #[test]
    fn names_are_told_apart() {
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
        }
        assert_eq!("ring-reduction".parse(), Ok(Algorithm::RING_REDUCTION));
        let error = "4.9".parse::<Algorithm>().unwrap_err().to_string();
        assert!(
            error.starts_with("no algorithm is called \"4.9\": the names are naive, nearest-first, 4.1"),
            "{error}"
        );
    }
}
