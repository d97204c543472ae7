//! The registry: every algorithm of the chapter, by the number that it has in the book.

use std::fmt;

use super::{
    equation, hypercube, line, mesh, naive, nearest_first, one_to_all, pipelined, ring, shape::Shape,
};
use crate::{
    collective::{Cost, Draft, Operation, Piece, Plan, PlanError, Task},
    pattern::{Builder, Exchange, Origin},
    rank::Rank,
};

/// An algorithm of the chapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// The source sends to everybody in turn.
    Naive,
    /// Recursive doubling, the nearest first.
    NearestFirst,
    /// Algorithm 4.1: recursive doubling from node 0, the farthest first.
    OneToAll,
    /// Algorithm 4.2: the same from any source.
    FromAnySource,
    /// Algorithm 4.3: all-to-one reduction, algorithm 4.2 turned around.
    AllToOne,
    /// One-to-all broadcast on a mesh, dimension by dimension.
    MeshOneToAll,
    /// All-to-one reduction on a mesh, dimension by dimension.
    MeshAllToOne,
    /// Algorithm 4.4: all-to-all broadcast on a ring.
    RingAllToAll,
    /// All-to-all broadcast on a linear array, both ways at once.
    LineAllToAll,
    /// Algorithm 4.5: all-to-all reduction on a ring.
    RingReduction,
    /// Algorithm 4.6: all-to-all broadcast on a mesh.
    MeshAllToAll,
    /// Problem 4.4: all-to-all reduction on a mesh.
    MeshReduction,
    /// Algorithm 4.7: all-to-all broadcast on a hypercube.
    HypercubeAllToAll,
    /// Algorithm 4.8: all-to-all reduction on a hypercube.
    HypercubeReduction,
    /// Broadcasts from several sources, pipelined around a ring.
    Pipelined,
    /// Broadcasts from several sources, one after the other.
    InTurn,
}

impl Algorithm {
    /// All of them, in the order of the book.
    pub const ALL: [Algorithm; 16] = [
        Algorithm::Naive,
        Algorithm::NearestFirst,
        Algorithm::OneToAll,
        Algorithm::FromAnySource,
        Algorithm::AllToOne,
        Algorithm::MeshOneToAll,
        Algorithm::MeshAllToOne,
        Algorithm::RingAllToAll,
        Algorithm::LineAllToAll,
        Algorithm::RingReduction,
        Algorithm::MeshAllToAll,
        Algorithm::MeshReduction,
        Algorithm::HypercubeAllToAll,
        Algorithm::HypercubeReduction,
        Algorithm::Pipelined,
        Algorithm::InTurn,
    ];

    /// The number that the book gives it, or else a name: what the command line spells.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Naive => "naive",
            Algorithm::NearestFirst => "nearest-first",
            Algorithm::OneToAll => "4.1",
            Algorithm::FromAnySource => "4.2",
            Algorithm::AllToOne => "4.3",
            Algorithm::MeshOneToAll => "mesh-one-to-all",
            Algorithm::MeshAllToOne => "mesh-all-to-one",
            Algorithm::RingAllToAll => "4.4",
            Algorithm::LineAllToAll => "line-all-to-all",
            Algorithm::RingReduction => "4.5",
            Algorithm::MeshAllToAll => "4.6",
            Algorithm::MeshReduction => "mesh-reduction",
            Algorithm::HypercubeAllToAll => "4.7",
            Algorithm::HypercubeReduction => "4.8",
            Algorithm::Pipelined => "pipelined",
            Algorithm::InTurn => "in-turn",
        }
    }

    /// The algorithm of this number or name.
    ///
    /// ```
    /// use multicomputer::textbook::Algorithm;
    /// assert_eq!(Algorithm::named("4.7"), Some(Algorithm::HypercubeAllToAll));
    /// assert_eq!(Algorithm::named("4.9"), None);
    /// ```
    pub fn named(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// What it is, in a few words.
    pub fn title(self) -> &'static str {
        match self {
            Algorithm::Naive => "naive one-to-all broadcast",
            Algorithm::NearestFirst => "one-to-all broadcast, the nearest first",
            Algorithm::OneToAll => "one-to-all broadcast from node 0",
            Algorithm::FromAnySource => "one-to-all broadcast from any source",
            Algorithm::AllToOne => "all-to-one reduction",
            Algorithm::MeshOneToAll => "one-to-all broadcast on a mesh",
            Algorithm::MeshAllToOne => "all-to-one reduction on a mesh",
            Algorithm::RingAllToAll => "all-to-all broadcast on a ring",
            Algorithm::LineAllToAll => "all-to-all broadcast on a linear array, both ways at once",
            Algorithm::RingReduction => "all-to-all reduction on a ring",
            Algorithm::MeshAllToAll => "all-to-all broadcast on a mesh",
            Algorithm::MeshReduction => "all-to-all reduction on a mesh",
            Algorithm::HypercubeAllToAll => "all-to-all broadcast on a hypercube",
            Algorithm::HypercubeReduction => "all-to-all reduction on a hypercube",
            Algorithm::Pipelined => "broadcasts from several sources, pipelined",
            Algorithm::InTurn => "broadcasts from several sources, one after the other",
        }
    }

    /// The section of the book.
    pub fn section(self) -> &'static str {
        match self {
            Algorithm::Naive | Algorithm::NearestFirst => "4.1.1",
            Algorithm::MeshOneToAll | Algorithm::MeshAllToOne => "4.1.2",
            Algorithm::OneToAll | Algorithm::FromAnySource | Algorithm::AllToOne => "4.1.5",
            Algorithm::RingAllToAll | Algorithm::LineAllToAll | Algorithm::RingReduction => "4.2.1",
            Algorithm::MeshAllToAll | Algorithm::MeshReduction => "4.2.2",
            Algorithm::HypercubeAllToAll | Algorithm::HypercubeReduction => "4.2.3",
            Algorithm::Pipelined | Algorithm::InTurn => "4.2.4",
        }
    }

    /// What it does, as an operation of the collective library: a one-to-all broadcast is a broadcast, an all-to-one
    /// reduction a combine-to-one, an all-to-all broadcast a collect, an all-to-all reduction a distributed combine.
    pub fn operation(self) -> Operation {
        match self {
            Algorithm::Naive
            | Algorithm::NearestFirst
            | Algorithm::OneToAll
            | Algorithm::FromAnySource
            | Algorithm::MeshOneToAll => Operation::Broadcast,
            Algorithm::AllToOne | Algorithm::MeshAllToOne => Operation::CombineToOne,
            Algorithm::RingAllToAll
            | Algorithm::LineAllToAll
            | Algorithm::MeshAllToAll
            | Algorithm::HypercubeAllToAll
            | Algorithm::Pipelined
            | Algorithm::InTurn => Operation::Collect,
            Algorithm::RingReduction | Algorithm::MeshReduction | Algorithm::HypercubeReduction => {
                Operation::DistributedCombine
            }
        }
    }

    /// The formula that the book gives, or one that follows from it, with `t_s` for alpha and `t_w m` for the time of
    /// the bytes of a message.
    pub fn formula(self) -> &'static str {
        match self {
            Algorithm::Naive => "(p - 1) (t_s + t_w m)",
            Algorithm::NearestFirst | Algorithm::OneToAll | Algorithm::FromAnySource => {
                "(t_s + t_w m) ceil(log2 p)"
            }
            Algorithm::AllToOne => "(t_s + t_w m + gamma m) ceil(log2 p)",
            Algorithm::MeshOneToAll => "(t_s + t_w m) sum ceil(log2 c_i)",
            Algorithm::MeshAllToOne => "(t_s + t_w m + gamma m) sum ceil(log2 c_i)",
            Algorithm::RingAllToAll | Algorithm::Pipelined => "(t_s + t_w m) (p - 1)",
            Algorithm::LineAllToAll => "(t_s + t_w m) (p - 1 + floor((p + 1) / 2))",
            Algorithm::RingReduction => "(t_s + t_w m + gamma m) (p - 1)",
            Algorithm::MeshAllToAll => "t_s sum (c_i - 1) + t_w m (p - 1)",
            Algorithm::MeshReduction => "t_s sum (c_i - 1) + (t_w + gamma) m (p - 1)",
            Algorithm::HypercubeAllToAll => "t_s log2 p + t_w m (p - 1)",
            Algorithm::HypercubeReduction => "t_s log2 p + (t_w + gamma) m (p - 1)",
            Algorithm::InTurn => "n (t_s + t_w m) ceil(log2 p)",
        }
    }

    /// The number of the equation, where the book gives it one.
    pub fn equation_number(self) -> Option<&'static str> {
        match self {
            Algorithm::OneToAll | Algorithm::FromAnySource | Algorithm::AllToOne => Some("4.1"),
            Algorithm::RingAllToAll | Algorithm::RingReduction => Some("4.2"),
            Algorithm::MeshAllToAll | Algorithm::MeshReduction => Some("4.3"),
            Algorithm::HypercubeAllToAll | Algorithm::HypercubeReduction => Some("4.4"),
            _ => None,
        }
    }

    /// What [`formula`](Algorithm::formula) comes to for a task. A message has the bytes of the vector, or of the
    /// longest block.
    pub fn equation(self, task: &Task) -> Cost {
        let size = task.size();
        let blocks = || (0..size).map(|rank| task.block(rank)).map(|block| block.end - block.start);
        let longest = blocks().max().unwrap_or(0);
        let cost = match self {
            Algorithm::Naive => equation::naive(size, task.bytes()),
            Algorithm::NearestFirst
            | Algorithm::OneToAll
            | Algorithm::FromAnySource
            | Algorithm::AllToOne => equation::one_to_all(&[size], task.bytes()),
            Algorithm::MeshOneToAll | Algorithm::MeshAllToOne => {
                equation::one_to_all(&Shape::mesh(task).extents, task.bytes())
            }
            Algorithm::RingAllToAll | Algorithm::RingReduction | Algorithm::Pipelined => {
                equation::all_to_all(&[size], longest)
            }
            Algorithm::LineAllToAll => equation::both_ways(size, longest),
            Algorithm::MeshAllToAll | Algorithm::MeshReduction => {
                equation::all_to_all(&Shape::mesh(task).extents, longest)
            }
            Algorithm::HypercubeAllToAll | Algorithm::HypercubeReduction => {
                equation::all_to_all_hypercube(size, longest)
            }
            Algorithm::InTurn => {
                let sources = blocks().filter(|&bytes| bytes > 0).count();
                equation::in_turn(sources, size, longest)
            }
        };
        if task.operation().combines() { equation::reduction(cost, task.element_bytes()) } else { cost }
    }

    /// Makes the schedule for a task.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if the task is another operation than the algorithm's, or does not meet its restrictions, which
    /// are in the file of each.
    pub fn plan(self, task: &Task) -> Result<Plan, PlanError> {
        if task.operation() != self.operation() {
            return Err(PlanError::OtherOperation {
                algorithm: self.to_string(),
                operation: task.operation(),
            });
        }
        if let Some(restriction) = self.restriction(task) {
            return Err(PlanError::Restricted {
                algorithm: self.to_string(),
                operation: task.operation(),
                restriction,
            });
        }
        let estimate = self.equation(task).time(task.parameters());
        Plan::made(task.clone(), self.to_string(), estimate, self.draft(task))
    }

    /// What it needs, if the task does not have that.
    fn restriction(self, task: &Task) -> Option<&'static str> {
        match self {
            Algorithm::OneToAll if task.root() != 0 => Some("its source is rank 0; 4.2 takes any"),
            Algorithm::HypercubeAllToAll | Algorithm::HypercubeReduction
                if !task.size().is_power_of_two() =>
            {
                Some(hypercube::RESTRICTION)
            }
            Algorithm::RingReduction | Algorithm::MeshReduction | Algorithm::HypercubeReduction
                if task.is_in_order() =>
            {
                Some("its operands do not meet in rank order: the operator must be commutative")
            }
            _ => None,
        }
    }

    fn draft(self, task: &Task) -> Draft {
        let (size, root) = (task.size(), task.root());
        let whole = [0].into();
        match self {
            Algorithm::Naive => of_the_root(task, |builder| naive::spread(builder, size, root, &whole)),
            Algorithm::NearestFirst => {
                of_the_root(task, |builder| nearest_first::spread(builder, size, root, &whole))
            }
            Algorithm::OneToAll | Algorithm::FromAnySource => {
                let line = Shape::line(task);
                of_the_root(task, |builder| one_to_all::spread(builder, &line, root, &whole, [0]))
            }
            Algorithm::AllToOne => Algorithm::FromAnySource.draft(task).combining(),
            Algorithm::MeshOneToAll => {
                let mesh = Shape::mesh(task);
                let last_first = (0..mesh.extents.len()).rev();
                of_the_root(task, |builder| one_to_all::spread(builder, &mesh, root, &whole, last_first))
            }
            Algorithm::MeshAllToOne if task.is_in_order() => {
                // Turned around, neighbouring ranks come first.
                let mesh = Shape::mesh(task);
                let first_first = 0..mesh.extents.len();
                of_the_root(task, |builder| one_to_all::spread(builder, &mesh, root, &whole, first_first))
                    .combining()
            }
            Algorithm::MeshAllToOne => Algorithm::MeshOneToAll.draft(task).combining(),
            Algorithm::RingAllToAll => {
                let all: Vec<Rank> = (0..size).collect();
                of_all(task, |builder| ring::spread(builder, &[all]))
            }
            Algorithm::LineAllToAll => of_all(task, |builder| line::spread(builder, size)),
            Algorithm::RingReduction => Algorithm::RingAllToAll.draft(task).combining(),
            Algorithm::MeshAllToAll => {
                let mesh = Shape::mesh(task);
                of_all(task, |builder| mesh::spread(builder, &mesh))
            }
            Algorithm::MeshReduction => Algorithm::MeshAllToAll.draft(task).combining(),
            Algorithm::HypercubeAllToAll => of_all(task, |builder| hypercube::spread(builder, size)),
            Algorithm::HypercubeReduction => Algorithm::HypercubeAllToAll.draft(task).combining(),
            Algorithm::Pipelined => {
                let all: Vec<Rank> = (0..size).collect();
                of_sources(task, |builder, _| ring::spread(builder, &[all]))
            }
            Algorithm::InTurn => {
                let line = Shape::line(task);
                of_sources(task, |builder, sources| pipelined::in_turn(builder, &line, sources))
            }
        }
    }
}

/// The numbered ones as the book calls them, the others by their names.
impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            number if number.starts_with('4') => write!(f, "algorithm {number}"),
            name => f.write_str(name),
        }
    }
}

/// How a node that sends and receives in a step does that: as the book writes it, one after the other.
const EXCHANGE: Exchange = Exchange::InTurn;

/// Moves the vector of the root as a whole.
fn of_the_root(task: &Task, build: impl FnOnce(&mut Builder)) -> Draft {
    let whole = Piece::of(0..task.bytes(), Origin::At(task.root()));
    Draft::moving(task, vec![whole], &[task.root()], EXCHANGE, build)
}

/// Moves the block of every rank.
fn of_all(task: &Task, build: impl FnOnce(&mut Builder)) -> Draft {
    let ranks: Vec<Rank> = (0..task.size()).collect();
    Draft::moving(task, pieces(task, &ranks), &ranks, EXCHANGE, build)
}

/// Moves the blocks that are not empty.
fn of_sources(task: &Task, build: impl FnOnce(&mut Builder, &[Rank])) -> Draft {
    let sources: Vec<Rank> = (0..task.size()).filter(|&rank| !task.block(rank).is_empty()).collect();
    Draft::moving(task, pieces(task, &sources), &sources, EXCHANGE, |builder| build(builder, &sources))
}

/// The blocks of these ranks.
fn pieces(task: &Task, ranks: &[Rank]) -> Vec<Piece> {
    ranks.iter().map(|&rank| Piece::of(task.block(rank), Origin::At(rank))).collect()
}
