//! Algorithms 4.1, 4.2 and 4.3: *one-to-all broadcast* and *all-to-one reduction* by recursive doubling.
//!
//! **What it does.** The source sends to the node at the same position in the other half; then both nodes do the same within their halves,
//! and so on. On a power of two ranks, partners differ in one bit, the highest first. From rank 0 this is algorithm 4.1, from any other
//! rank algorithm 4.2, with all labels XORed with the label of the source. The farthest node comes first, so that no two messages of a step
//! share a link on a ring or a linear array. On a mesh the broadcast runs in the row of the source, then in all columns, one dimension
//! after the other (figure 4.5). On a hypercube and a balanced binary tree it runs on a single line of ranks (figures 4.6 and 4.7). A
//! reduction is the broadcast in reverse: the steps in reverse order, and each message in the opposite direction (algorithm 4.3, figure
//! 4.3).
//!
//! **Restrictions.** None. If the number of ranks is not a power of two (problem 4.1 of the book), partners that do not exist are skipped:
//! the ranks are cut at the largest power of two below their number. A reduction combines partial results of neighbouring ranges of ranks,
//! lower ranks on the left, so any associative operator is allowed; on a mesh it then visits the dimensions in the opposite order.
//!
//! **Cost.** Equation 4.1: `ceil(log2 p) (t_s + t_w m)`, that is `ceil(log2 p) (alpha + n beta)`; on a mesh the sum of the logarithms of
//! its sides; a reduction adds `gamma` for each element in each step.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", sections 4.1.1 to 4.1.5.

use super::{
    Algorithm,
    algorithm::{BOOK, Entry, root_vector_draft},
    equation,
    shape::Shape,
};
use crate::{
    collective::{Operation, Task},
    pattern::{Blocks, Builder, Division, Transfer},
    plan::{self, Restriction},
    rank::Rank,
};

impl Algorithm {
    /// Algorithm 4.1: recursive doubling from node 0, the farthest node first.
    pub const ONE_TO_ALL: Algorithm = Algorithm(&ONE_TO_ALL);

    /// Algorithm 4.2: recursive doubling from any source.
    pub const FROM_ANY_SOURCE: Algorithm = Algorithm(&FROM_ANY_SOURCE);

    /// Algorithm 4.3: all-to-one reduction, the reverse of algorithm 4.2.
    pub const ALL_TO_ONE: Algorithm = Algorithm(&ALL_TO_ONE);

    /// One-to-all broadcast on a mesh, dimension by dimension.
    pub const MESH_ONE_TO_ALL: Algorithm = Algorithm(&MESH_ONE_TO_ALL);

    /// All-to-one reduction on a mesh, dimension by dimension.
    pub const MESH_ALL_TO_ONE: Algorithm = Algorithm(&MESH_ALL_TO_ONE);
}

/// Returns the entry of an algorithm that has the properties of algorithm 4.2 under another registration.
const fn doubling(registered: plan::Entry<Task>) -> Entry {
    Entry {
        registered,
        operation: Operation::Broadcast,
        section: "4.1.5",
        formula: "(t_s + t_w m) ceil(log2 p)",
        equation_number: Some("4.1"),
        equation: |task| equation::one_to_all(&[task.size()], task.bytes()),
        network: "hypercube:8",
        draft: |task| {
            root_vector_draft(task, |builder, whole| {
                spread(builder, &Shape::line(task), task.root(), whole, [0])
            })
        },
    }
}

static ONE_TO_ALL: Entry = doubling(
    plan::Entry::new("4.1", |planning| ONE_TO_ALL.variants(planning.problem))
        .about("one-to-all broadcast from node 0")
        .title("algorithm 4.1")
        .aliases(&["from-node-0"])
        .source(BOOK)
        .kinds(|operation| operation == ONE_TO_ALL.operation)
        .only_if(&[Restriction {
            text: "rank 0 as the root (algorithm 4.2 takes any root)",
            is_met: |task, _| task.root() == 0,
            found: |_, _| String::new(),
        }]),
);

static FROM_ANY_SOURCE: Entry = doubling(
    plan::Entry::new("4.2", |planning| FROM_ANY_SOURCE.variants(planning.problem))
        .about("one-to-all broadcast from any source")
        .title("algorithm 4.2")
        .aliases(&["one-to-all"])
        .source(BOOK)
        .kinds(|operation| operation == FROM_ANY_SOURCE.operation),
);

static ALL_TO_ONE: Entry = Entry {
    operation: Operation::Reduce,
    formula: "(t_s + t_w m + gamma m) ceil(log2 p)",
    draft: |task| (FROM_ANY_SOURCE.draft)(task).combining(),
    ..doubling(
        plan::Entry::new("4.3", |planning| ALL_TO_ONE.variants(planning.problem))
            .about("all-to-one reduction")
            .title("algorithm 4.3")
            .aliases(&["all-to-one"])
            .source(BOOK)
            .kinds(|operation| operation == ALL_TO_ONE.operation),
    )
};

static MESH_ONE_TO_ALL: Entry = Entry {
    registered: plan::Entry::new("mesh-one-to-all", |planning| MESH_ONE_TO_ALL.variants(planning.problem))
        .about("one-to-all broadcast on a mesh")
        .source(BOOK)
        .kinds(|operation| operation == MESH_ONE_TO_ALL.operation),
    operation: Operation::Broadcast,
    section: "4.1.2",
    formula: "(t_s + t_w m) sum ceil(log2 c_i)",
    equation_number: None,
    equation: |task| equation::one_to_all(&Shape::mesh(task).extents, task.bytes()),
    network: "mesh:4x4",
    draft: |task| {
        let mesh = Shape::mesh(task);
        let last_first = (0..mesh.extents.len()).rev();
        root_vector_draft(task, |builder, whole| spread(builder, &mesh, task.root(), whole, last_first))
    },
};

static MESH_ALL_TO_ONE: Entry = Entry {
    registered: plan::Entry::new("mesh-all-to-one", |planning| MESH_ALL_TO_ONE.variants(planning.problem))
        .about("all-to-one reduction on a mesh")
        .source(BOOK)
        .kinds(|operation| operation == MESH_ALL_TO_ONE.operation),
    operation: Operation::Reduce,
    section: "4.1.2",
    formula: "(t_s + t_w m + gamma m) sum ceil(log2 c_i)",
    equation_number: None,
    equation: |task| equation::one_to_all(&Shape::mesh(task).extents, task.bytes()),
    network: "mesh:4x4",
    draft: |task| {
        if !task.is_in_order() {
            return (MESH_ONE_TO_ALL.draft)(task).combining();
        }
        // The broadcast visits the first dimension first. The reversed schedule therefore combines neighbouring ranks first, as rank order
        // requires.
        let mesh = Shape::mesh(task);
        let first_first = 0..mesh.extents.len();
        root_vector_draft(task, |builder, whole| spread(builder, &mesh, task.root(), whole, first_first))
            .combining()
    },
};

/// Broadcasts blocks from one rank to all ranks, along the dimensions in the order given.
pub(super) fn spread(
    builder: &mut Builder,
    shape: &Shape,
    source: Rank,
    blocks: &Blocks,
    dimensions: impl IntoIterator<Item = usize>,
) {
    let Some(source) = shape.ranks.iter().position(|&rank| rank == source) else { return };
    let mut holders = vec![source];
    for dimension in dimensions {
        let (stride, extent) = (shape.stride(dimension), shape.extents[dimension]);
        let own = shape.coordinate(source, dimension);
        for round in Division::binary(extent, own).rounds() {
            let transfers = holders.iter().flat_map(|holder| {
                let at = move |position: usize| shape.ranks[holder + position * stride - own * stride];
                round.iter().map(move |cut| Transfer {
                    from: at(cut.from),
                    to: at(cut.to),
                    blocks: blocks.clone(),
                })
            });
            builder.iteration(transfers);
        }
        let along = |holder| (0..extent).map(move |position| holder + position * stride - own * stride);
        holders = holders.into_iter().flat_map(along).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Exchange;

    /// Returns the senders and receivers of each step.
    fn arrows(shape: &Shape, source: Rank) -> Vec<Vec<(Rank, Rank)>> {
        let mut builder = Builder::new(shape.ranks.len(), &[source], &[1], Exchange::InTurn);
        let dimensions = (0..shape.extents.len()).rev();
        spread(&mut builder, shape, source, &[0].into(), dimensions);
        let schedule = builder.finish();
        let mut arrows = vec![Vec::new(); schedule.iterations()];
        for rank in 0..shape.ranks.len() {
            for step in schedule.steps(rank) {
                arrows[step.iteration].extend(step.action.sent().map(|message| (rank, message.peer)));
            }
        }
        arrows
    }

    /// Algorithm 4.2 of the book, line by line: the transfers of each step.
    fn general_one_to_all_bc(d: u32, source: Rank) -> Vec<Vec<(Rank, Rank)>> {
        let mut steps = Vec::new();
        let mut mask = (1 << d) - 1;
        for i in (0..d).rev() {
            mask ^= 1 << i;
            let sends = |my_id: Rank| {
                let my_virtual_id = my_id ^ source;
                let sends = my_virtual_id & mask == 0 && my_virtual_id & 1 << i == 0;
                sends.then_some((my_id, my_virtual_id ^ 1 << i ^ source))
            };
            steps.push((0..1 << d).filter_map(sends).collect());
        }
        steps
    }

    #[test]
    fn on_powers_of_two_it_is_the_algorithm_of_the_book() {
        for d in 0..=6 {
            for source in 0..1 << d {
                let line = Shape { extents: vec![1 << d], ranks: (0..1 << d).collect() };
                assert_eq!(arrows(&line, source), general_one_to_all_bc(d, source), "2^{d} from {source}");
            }
        }
    }

    /// On any number of ranks, partners that do not exist are skipped.
    #[test]
    fn from_node_0_on_any_number_it_is_the_algorithm_of_the_book() {
        for size in 1..=40_usize {
            let line = Shape { extents: vec![size], ranks: (0..size).collect() };
            let there = |steps: Vec<Vec<(Rank, Rank)>>| -> Vec<Vec<(Rank, Rank)>> {
                let present =
                    |step: Vec<(Rank, Rank)>| step.into_iter().filter(|&(_, to)| to < size).collect();
                steps.into_iter().map(present).collect()
            };
            let d = size.next_power_of_two().ilog2();
            assert_eq!(arrows(&line, 0), there(general_one_to_all_bc(d, 0)), "{size}");
        }
    }

    /// Figure 4.5: the row of node 0 in steps 1 and 2, all columns in steps 3 and 4.
    #[test]
    fn on_a_mesh_rows_come_before_columns() {
        let mesh = Shape { extents: vec![4, 4], ranks: (0..16).collect() };
        let steps = arrows(&mesh, 0);
        assert_eq!(steps[..2], [vec![(0, 2)], vec![(0, 1), (2, 3)]]);
        assert_eq!(steps[2], [(0, 8), (1, 9), (2, 10), (3, 11)]);
        assert_eq!(steps[3].len(), 8);
    }
}
