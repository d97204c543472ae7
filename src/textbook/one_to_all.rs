//! Algorithms 4.1, 4.2 and 4.3: *one-to-all broadcast* and *all-to-one reduction* by recursive doubling.
//!
//! **What it does.** The source sends to the node at the same place in the other half; then both do so within their
//! halves, and so on. On a power of two ranks this goes to the ranks that differ in one bit, the highest first, which
//! is algorithm 4.1 from rank 0 and algorithm 4.2, with all labels XORed with that of the source, from any other. The
//! farthest comes first, so that on a ring or a linear array no two messages of a step share a link. On a mesh it is
//! done in the source's row, then in all columns, one dimension after the other (figure 4.5); a hypercube and a
//! balanced binary tree have it as a single line of ranks (figures 4.6 and 4.7). A reduction is the same turned around,
//! in time and in direction (algorithm 4.3, figure 4.3).
//!
//! **Restrictions.** None. On any number of ranks (problem 4.1 of the book) partners that there are not are left out:
//! the ranks are cut at the largest power of two below their number. A reduction combines neighbouring parts, lower
//! ranks on the left, so that any associative operator will do; on a mesh it then goes along the dimensions in the
//! opposite order.
//!
//! **Cost.** Equation 4.1: `ceil(log2 p) (t_s + t_w m)`, that is `ceil(log2 p) (alpha + n beta)`; on a mesh the sum of
//! the logarithms of its sides; a reduction adds `gamma` for each element in each step.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", sections 4.1.1 to 4.1.5.

use super::shape::Shape;
use crate::{
    pattern::{Blocks, Builder, Division, Transfer},
    rank::Rank,
};

/// Brings blocks from one rank to all, along the dimensions in the order given.
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

    /// Who sends to whom in each step.
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

    /// Algorithm 4.2 of the book, line by line: what each node sends, step by step.
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

    /// On any number of ranks the partners that there are not are left out.
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
