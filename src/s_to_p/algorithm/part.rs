//! Algorithms *Part_Lin* and *Part_xy_source*: each half of the machine broadcasts half of the messages, and then the halves exchange their
//! data.
//!
//! **What they do.** The mesh is cut into two groups `G1` and `G2` of `p1 >= p2` nodes. The cut divides a side of even length, the longer
//! one if both are even; if both are odd, it divides the longer side, and `G1` has one line more. `G1` gets `s1 = s p1 / p` of the
//! messages, rounded, and `G2` the others; a permutation moves them to the [ideal](super::ideal) places in their group. In each group
//! *Br_Lin*, or *Br_xy_source*, broadcasts the messages of the group. At the end node `i` of `G1` and node `i` of `G2` exchange all that
//! they hold, and the additional nodes of `G1` get a copy from the first nodes of `G2`.
//!
//! Messages are assigned in this order: the sources in row-major order to the places in row-major order.
//!
//! **Restrictions.** None. A group without a source (`s = 1`) only receives.
//!
//! **Cost.** The cost of *Repos* on half of the machine with half of the sources, plus a final `alpha + (s/2) n beta`, with `o_x` and
//! `2 / d` times the time of each byte for an exchange.
//!
//! **Source.** Report, section 3.

use super::{Algorithm, Draft, Entry, Instance, ideal, of, only, repos::reposition};
use crate::{
    pattern::{Blocks, Builder, Exchange, Transfer, line},
    rank::Rank,
    topology::Grid,
};

impl Algorithm {
    /// Each half of the machine broadcasts half of the messages by *Br_Lin*, then the halves exchange their data, for
    /// `alpha + (s/2) n beta`. Report, section 3.
    pub const PART_LIN: Algorithm = of(&PART_LIN);

    /// Each half of the machine broadcasts half of the messages by *Br_xy_source*, then the halves exchange their data.
    pub const PART_XY_SOURCE: Algorithm = of(&PART_XY_SOURCE);
}

static PART_LIN: Entry = Entry::new("part-lin", |_| only(|instance| draft(instance, Within::Lin)))
    .about("each half of the machine broadcasts half of the messages by br-lin, then the halves exchange")
    .source("report, section 3")
    .cost("about the cost of `repos-br-lin` with half of the nodes and of the sources, plus `alpha + o_x + s/2 n beta`");

static PART_XY_SOURCE: Entry = Entry::new("part-xy-source", |_| {
    only(|instance| draft(instance, Within::XySource))
})
.about("each half of the machine broadcasts half of the messages by br-xy-source, then the halves exchange")
.source("report, section 3")
.cost("about the cost of `repos-br-xy-source` with half of the nodes and of the sources, plus `alpha + o_x + s/2 n beta`");

/// A rectangle of the mesh.
struct Group {
    shape: Grid,
    /// The ranks of its nodes, in row-major order of the group.
    ranks: Vec<Rank>,
}

impl Group {
    fn new(grid: Grid, shape: Grid, (top, left): (usize, usize)) -> Group {
        let rank = |own| {
            let (row, column) = shape.coordinates(own);
            grid.rank(top + row, left + column)
        };
        Group { shape, ranks: (0..shape.nodes()).map(rank).collect() }
    }

    /// Maps a line of the group to a line of the mesh.
    fn line(&self, line: &[Rank]) -> Vec<Rank> {
        line.iter().map(|&own| self.ranks[own]).collect()
    }
}

/// The algorithm that broadcasts within the groups.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Lin,
    XySource,
}

fn draft(instance: &Instance, within: Within) -> Draft {
    Draft::whole(instance, Exchange::Together, |builder| {
        let groups = halves(instance.grid());
        let sources = instance.sources();
        let [first, second] = shares(&groups, sources.len());
        let [mut phases, other] = [(&groups[0], first), (&groups[1], second)].map(|(group, count)| {
            let (places, phases) = match within {
                Within::Lin => {
                    let snake = line::snake(group.shape);
                    (ideal::on_line(&snake, count), vec![vec![snake]])
                }
                Within::XySource => {
                    let (places, first) = ideal::rows_or_columns(group.shape, count, None);
                    (places, first.lines(group.shape).to_vec())
                }
            };
            let lines =
                |phase: &Vec<Vec<Rank>>| phase.iter().map(|line| group.line(line)).collect::<Vec<_>>();
            (group.line(&places), phases.iter().map(lines).collect::<Vec<_>>())
        });
        phases.0.extend(other.0);
        reposition(builder, sources, &phases.0);
        for (lines, more) in phases.1.into_iter().zip(other.1) {
            builder.halve(&[lines, more].concat());
        }
        exchange(builder, &groups);
    })
}

/// Returns the number of sources that each group gets.
fn shares(groups: &[Group; 2], sources: usize) -> [usize; 2] {
    let [first, second] = [0, 1].map(|group| groups[group].ranks.len());
    let nodes = first + second;
    let share = ((2 * sources * first + nodes) / (2 * nodes)).clamp(sources.saturating_sub(second), first);
    [share, sources - share]
}

/// Returns the two groups; the second is empty on a machine of one node.
fn halves(grid: Grid) -> [Group; 2] {
    let Grid { rows, columns } = grid;
    let across_rows = match (rows % 2 == 0, columns % 2 == 0) {
        (true, false) => true,
        (false, true) => false,
        _ => rows >= columns,
    };
    if across_rows {
        let top = rows.div_ceil(2);
        [
            Group::new(grid, Grid { rows: top, columns }, (0, 0)),
            Group::new(grid, Grid { rows: rows - top, columns }, (top, 0)),
        ]
    } else {
        let left = columns.div_ceil(2);
        [
            Group::new(grid, Grid { rows, columns: left }, (0, 0)),
            Group::new(grid, Grid { rows, columns: columns - left }, (0, left)),
        ]
    }
}

/// Exchanges all data between the two groups.
fn exchange(builder: &mut Builder, [first, second]: &[Group; 2]) {
    let transfer = |builder: &Builder, from: Rank, to: Rank| {
        let blocks: Blocks = builder.held(from).into();
        (!blocks.is_empty()).then_some(Transfer { from, to, blocks })
    };
    let pairs = first.ranks.iter().zip(&second.ranks);
    let both = pairs.flat_map(|(&one, &other)| {
        [transfer(builder, one, other), transfer(builder, other, one)].into_iter().flatten()
    });
    let both: Vec<Transfer> = both.collect();
    let without_pair = &first.ranks[second.ranks.len()..];
    let copies = second.ranks.iter().zip(without_pair);
    let copies: Vec<Transfer> = copies.filter_map(|(&from, &to)| transfer(builder, from, to)).collect();
    builder.round(both);
    builder.round(copies);
    builder.end_iteration();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MachineSpec;

    const SHAPES: [(usize, usize); 12] =
        [(1, 1), (1, 2), (2, 1), (1, 7), (7, 1), (4, 6), (6, 4), (3, 5), (5, 3), (3, 8), (8, 3), (10, 10)];

    fn grids() -> impl Iterator<Item = Grid> {
        SHAPES.into_iter().map(|(rows, columns)| Grid { rows, columns })
    }

    #[test]
    fn the_groups_partition_the_nodes() {
        for grid in grids() {
            let [first, second] = halves(grid);
            let mut all = [first.ranks.clone(), second.ranks.clone()].concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..grid.nodes()), "{grid}");
            for group in [&first, &second] {
                assert_eq!(group.shape.nodes(), group.ranks.len());
            }
            assert!(first.ranks.len() >= second.ranks.len(), "{grid}");
        }
    }

    /// The cut divides a side of even length into equal halves, the longer side if both are even; otherwise the longer side, with one more
    /// line in the first group.
    #[test]
    fn the_cut_is_across_an_even_side_or_the_longer_one() {
        let cases = [
            ((4, 6), (4, 3)),
            ((6, 4), (3, 4)),
            ((10, 10), (5, 10)),
            ((3, 8), (3, 4)),
            ((4, 9), (2, 9)),
            ((9, 4), (9, 2)),
            ((3, 5), (3, 3)),
            ((5, 3), (3, 3)),
            ((5, 5), (3, 5)),
            ((1, 7), (1, 4)),
            ((7, 1), (4, 1)),
            ((1, 1), (1, 1)),
        ];
        for ((rows, columns), (first_rows, first_columns)) in cases {
            let [first, _] = halves(Grid { rows, columns });
            assert_eq!(
                (first.shape.rows, first.shape.columns),
                (first_rows, first_columns),
                "{rows} x {columns}"
            );
        }
    }

    /// `s1 / p1 = s2 / p2`, as nearly as integers allow: no other valid share is nearer.
    #[test]
    fn sources_are_shared_in_proportion_to_nodes() {
        for grid in grids() {
            let groups = halves(grid);
            let (nodes, [p1, p2]) = (grid.nodes(), [groups[0].ranks.len(), groups[1].ranks.len()]);
            for sources in 1..=nodes {
                let [s1, s2] = shares(&groups, sources);
                assert_eq!(s1 + s2, sources);
                assert!(s1 <= p1 && s2 <= p2, "{sources} on {grid}: {s1} and {s2}");
                let off = |s1: usize| (s1 * nodes).abs_diff(sources * p1);
                let fits = |s1: &usize| *s1 <= p1 && sources - s1 <= p2;
                let smallest = (0..=sources).filter(fits).map(off).min().unwrap();
                assert_eq!(off(s1), smallest, "{sources} on {grid}: {s1} and {s2}");
            }
        }
    }

    /// 3 x 5 is cut into 3 x 3 and 3 x 2. Each node of the second group exchanges with its partner, and the three additional nodes of the
    /// first get a copy: the last iteration has 9 messages to the first group and 6 to the second.
    #[test]
    fn nodes_without_a_partner_get_a_copy() {
        let machine: MachineSpec = "paragon:3x5".parse().unwrap();
        let instance = Instance::new(&machine, &[0, 4, 7, 11, 14], &[10; 5]).unwrap();
        let [first, second] = halves(instance.grid());
        for within in [Within::Lin, Within::XySource] {
            let schedule = draft(&instance, within).schedule;
            let last = schedule.iterations() - 1;
            let to = |group: &Group| {
                let steps = group.ranks.iter().flat_map(|&rank| schedule.steps(rank));
                steps.filter(|step| step.iteration == last && step.action.received().is_some()).count()
            };
            assert_eq!((to(&first), to(&second)), (9, 6));
        }
    }

    /// A group without a source receives all messages in the last iteration.
    #[test]
    fn a_single_source_goes_to_the_larger_group() {
        let machine: MachineSpec = "paragon:1x5".parse().unwrap();
        let instance = Instance::new(&machine, &[4], &[10]).unwrap();
        assert_eq!(shares(&halves(instance.grid()), 1), [1, 0]);
        let growth = draft(&instance, Within::Lin).growth;
        assert_eq!(growth.active_after(growth.iterations() - 1), 3);
        assert_eq!(growth.active_after(growth.iterations()), 5);
    }
}
