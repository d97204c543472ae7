//! *Forest*: the vector in segments down several spanning trees, each of which carries as much as the network allows.
//!
//! **What it does.** For long vectors on networks that are not grids (with switches, links of several capacities, or gaps), and for nodes
//! with several ports. A broadcast goes down one tree, or down two, four or eight trees if one does not reach the lower bound. An all-gather
//! goes around one or several cycles ([`pattern::forest`](crate::pattern::forest), as in [s-to-p broadcasts](crate::stop)). The duals
//! combine, with trees that are built for their direction. An all-reduce goes around a cycle twice: each rank combines one part of the
//! vector, and the parts are then collected.
//!
//! **Restrictions.** 3 to 64 ranks, and a vector whose bytes take longer than a start-up; a commutative operator. With one port per node,
//! the algorithm excludes meshes, tori, rings and other networks in which all nodes are alike.
//!
//! **Cost.** `T + h (alpha + m beta)` for segments of `m` bytes and trees of height `h`, where `T` is the time of the busiest port, link or
//! processor; the overheads `o_s + o_r` of all segments must take less time than `T`. Cycles have no second term, because all ports are
//! busy from the start.
//!
//! **Source.** The idea: L. Zhao, A. Krishnamurthy, "ForestColl: Throughput-optimal collective communications on heterogeneous
//! network fabrics", arXiv 2402.06787. The construction of the trees: this project.

use std::{ops::Range, sync::Arc};

use super::{
    super::{
        Operation, Task,
        draft::{Draft, Piece},
    },
    Algorithm, Entry, Variants, of,
    strategies::IN_ORDER,
};
use crate::{
    pattern::{Exchange, Origin},
    plan::{
        Restriction, Variant,
        forest::{Direction, Forest, ForestProblem, is_candidate, spread, unmet_condition},
    },
    rank::Rank,
};

impl Algorithm {
    /// Segments down spanning trees that fit the network: for long vectors on networks that are not grids, and for nodes with several
    /// ports.
    pub const FOREST: Algorithm = of(&FOREST);
}

static FOREST: Entry = Entry::new("forest", |planning| variants(planning.problem))
    .about("in segments along spanning trees packed into the network (several ports, or no grid)")
    .source("the idea: Zhao, Krishnamurthy, arXiv 2402.06787")
    .cost("broadcast: `T + h (alpha + m beta)` for segments of `m` bytes and trees of height `h`, where `T` is the time of the busiest port, link or processor; all-gather along cycles: about `T`")
    .kinds(|operation| !matches!(operation, Operation::Scan | Operation::Scatter | Operation::Gather))
    .only_if(&[
        Restriction {
            text: "3 to 64 ranks, several ports or a network that is not a grid, and data that takes longer than a start-up",
            is_met: |task, _| is_candidate(task.machine(), task.size(), task.bytes()),
            found: |task, _| unmet_condition(task.machine(), task.size(), task.bytes()).unwrap_or_default(),
        },
        Restriction { text: IN_ORDER, is_met: |task, _| !task.is_in_order(), found: |_, _| String::new() },
    ]);

fn variants(task: &Task) -> Variants {
    let sources = sources(task);
    let direction = match task.operation() {
        Operation::Reduce | Operation::ReduceScatter => Direction::Back,
        Operation::AllReduce => Direction::Both,
        _ => Direction::Out,
    };
    let element = task.element_bytes();
    let problem = ForestProblem::of(task.machine(), task.members(), sources, element, direction);
    let problem = Arc::new(problem);
    let variant = |forest: Forest| {
        let (name, lower_bound, estimate) = (forest.name(), forest.lower_bound, forest.estimate);
        let problem = problem.clone();
        let make = move |task: &Task| Ok(draft(task, &problem, &forest, direction));
        Variant::new(name, make).at_least(lower_bound).estimated(estimate)
    };
    Ok(problem.forests().into_iter().map(variant).collect())
}

/// The ranks that hold data at the start or at the end, each with its number of bytes. In an all-reduce these are the blocks of an even
/// division.
fn sources(task: &Task) -> Vec<(Rank, u64)> {
    match task.operation() {
        Operation::Broadcast | Operation::Reduce => vec![(task.root(), task.bytes())],
        _ => blocks(task).map(|(rank, block)| (rank, block.end - block.start)).collect(),
    }
}

/// The blocks of all ranks whose block is not empty.
fn blocks(task: &Task) -> impl Iterator<Item = (Rank, Range<u64>)> {
    (0..task.size()).map(|rank| (rank, task.block(rank))).filter(|(_, block)| !block.is_empty())
}

fn draft(task: &Task, problem: &ForestProblem, forest: &Forest, direction: Direction) -> Draft {
    let owners: Vec<(Rank, u64)> = match task.operation() {
        Operation::Broadcast | Operation::Reduce => vec![(task.root(), 0)],
        _ => blocks(task).map(|(rank, block)| (rank, block.start)).collect(),
    };
    let pieces = forest.segments().iter().map(|segment| {
        let start = owners[segment.source].1 + segment.start;
        Piece::of(start..start + segment.bytes, Origin::Everywhere)
    });
    let origins: Vec<Rank> = forest.segments().iter().map(|segment| owners[segment.source].0).collect();
    let crossings = problem.order(forest);
    let exchange = Exchange::Overlapped;
    let spread =
        Draft::moving(task, pieces.collect(), &origins, exchange, |builder| spread(builder, &crossings));
    let draft = match direction {
        Direction::Out => spread,
        Direction::Back => spread.combining(),
        Direction::Both => spread.combining_and_back(),
    };
    draft.hoisted()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MachineSpec;

    /// Pins the times for 16 nodes of a tree of switches and 1 MiB: a chain, its dual, and one or two rounds of a cycle.
    #[test]
    fn modeled_times_are_pinned() {
        let machine: MachineSpec = "tree:16".parse().unwrap();
        let ratios = [
            Operation::Broadcast,
            Operation::Reduce,
            Operation::AllGather,
            Operation::ReduceScatter,
            Operation::AllReduce,
        ]
        .map(|operation| {
            let task = Task::builder(&machine, operation).elements(1 << 17).element_bytes(8).build().unwrap();
            let plan = Algorithm::FOREST.plan(&task).unwrap();
            let ratio = task.lower_bound().ratio(plan.prediction().modeled.since_start()).unwrap();
            (plan.name().to_owned(), (ratio * 1000.0).round() / 1000.0)
        });
        let expected = [
            ("1 low tree, 256 segments", 1.082),
            ("1 low tree, 256 segments", 1.082),
            ("1 cycle, 256 segments", 1.0),
            ("1 cycle, 256 segments", 1.0),
            ("1 cycle, 256 segments", 1.001),
        ];
        let expected = expected.map(|(name, ratio)| (name.to_owned(), ratio));
        assert_eq!(ratios, expected);
    }
}
