//! *Levels*: few long combined messages, first among near ranks and then among far ranks, or the reverse.
//!
//! **What it does.** As in [*bruck*](super::bruck), data of a rank for several other ranks is sent as one message and forwarded. Here the
//! ranks form a rectangle, `p = a b`, in the order of their nodes. All data goes along rows to the column of its receiver, and then along
//! columns; or along columns first. On a mesh these are the rows and columns of nodes, so that each message stays in a line. In a cluster a
//! row is one or several servers: processors of a server all-gather the data for the same processor of another server, and only long messages
//! go between servers. A machine with more than two dimensions has one level for each dimension. In a row of `a` ranks each rank sends
//! `a - 1` messages, or fewer with a smaller radix, as in *bruck*, where each byte is sent several times. The messages are sent one after
//! the other or all at once, as in *bruck*.
//!
//! A closed form selects the rectangles to try. It includes the start-ups, the bytes of ports, and the bytes of the busiest link.
//!
//! **Restrictions.** If the number of ranks is prime, or 1, the algorithm is *bruck*.
//!
//! **Cost.** `(a + b - 2) alpha` and `(2 - 1/a - 1/b) p s beta` for messages of `s` bytes in two levels without smaller radices. At once,
//! the larger of `(a + b - 2) (o_s + o_r)` and the same time of bytes, plus `2 (L + hop)`. Data sent as one message is first copied
//! together.
//!
//! **Source.** On meshes: D. S. Scott, "Efficient all-to-all communication patterns in hypercube and mesh topologies",
//! Distributed Memory Computing Conference 1991; in clusters, with messages of several lengths: K. Fan and others,
//! "Configurable non-uniform all-to-all algorithms", arXiv 2411.02581. The choice of levels: this project.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    super::{
        Instance,
        planner::{Planner, Variant},
        rounds::{
            closed_form::{ClosedForm, Times},
            digits::Axis,
            shape::Shape,
        },
    },
    Algorithm, Entry, bruck, of,
};
use crate::{plan::Layout, rank::Rank, time::Span};

/// Maximum number of shapes tried.
const MAX_SHAPES: usize = 6;

/// Maximum number of shapes tried in large exchanges.
const MAX_SHAPES_IF_LARGE: usize = 3;

/// Minimum number of nodes for which the number of messages of a rank is limited.
const MIN_LIMITED_NODES: usize = 256;

/// Maximum number of radices tried for each axis.
const MAX_RADICES: usize = 3;

static LEVELS: Entry = Entry::new("levels", |planning| {
    // *Auto* first tries each algorithm in one style. Then only one pace is tried.
    let are_all = planning.workspace.styles().len() > 1;
    Ok(variants(planning.workspace, are_all))
})
.aliases(&["hierarchical"])
.about("aggregates messages along rows, then columns (within servers, then between servers)")
.source("Scott 1991; Fan and others, arXiv 2411.02581; this project")
.cost("in rows of `a` and columns of `b` ranks `(a + b - 2) alpha + (2 - 1/a - 1/b) p s beta`")
.limits("the same as `bruck` if the number of ranks is prime");

impl Algorithm {
    /// Combines data into few long messages, level by level: along rows, then columns; or within servers, then between them.
    pub const LEVELS: Algorithm = of(&LEVELS);
}

/// Returns the divisors of a number, except 1 and the number itself.
fn divisors(number: usize) -> impl Iterator<Item = usize> {
    (2..=number / 2).filter(move |&divisor| number.is_multiple_of(divisor))
}

/// Returns variants with the probably fastest shapes, each at the probably fastest pace, or at all paces if `are_all`. Without shapes it
/// returns the variants of *bruck*.
pub(super) fn variants(planner: &Planner, are_all: bool) -> Vec<Variant> {
    match shapes(planner) {
        [] => bruck::variants(planner, are_all),
        shapes => shapes.iter().flat_map(|shape| shape.variants(planner.instance(), are_all)).collect(),
    }
}

/// Returns the axes in words: the number of ranks, their distance, and the radix.
fn named(axes: &[Axis]) -> String {
    let named = |&Axis { extent, stride, radix }: &Axis| match radix < extent {
        true => format!("{extent} at {stride}, radix {radix}"),
        false => format!("{extent} at {stride}"),
    };
    axes.iter().map(named).collect::<Vec<String>>().join("; ")
}

/// Returns the estimated time of the best shape without link contention; `None` if there is no shape.
pub(super) fn estimate(instance: &Instance) -> Option<Span> {
    let form = ClosedForm::of(instance, &[]);
    let shapes = form.shapes();
    shapes.iter().map(|axes| form.contention_free(axes).fastest()).min()
}

/// Returns the maximum number of shapes tried.
fn max_shapes(planner: &Planner) -> usize {
    if planner.is_large() { MAX_SHAPES_IF_LARGE } else { MAX_SHAPES }
}

/// Returns the maximum number of messages of a rank, which applies if any shape complies. Among at least
/// `MIN_LIMITED_NODES` nodes, if more than an eighth of all pairs have messages and lengths differ, shapes with more messages of a rank
/// than half the number of other ranks take as long to plan as one message for each rank, and were never observed to be faster.
fn max_messages(planner: &Planner) -> usize {
    let nodes = planner.instance().size();
    let is_dense = 8 * planner.matrix().messages().count() > nodes * nodes;
    let is_limited = nodes >= MIN_LIMITED_NODES && is_dense && !planner.matrix().class().1;
    if is_limited { (nodes - 1) / 2 } else { usize::MAX }
}

/// Returns the best shapes by the closed form: rows and columns of all rectangles, and the dimensions of the machine if all its nodes are
/// members, with the near or the far ranks first. The best shapes are tried in several radices.
pub(super) fn shapes(planner: &Planner) -> &[Shape] {
    let instance = planner.instance();
    planner.level_shapes(|| {
        let ranks: Arc<[Rank]> = Layout::of(instance.machine(), instance.members(), false).ranks.into();
        let (form, max_shapes) = (ClosedForm::of(instance, &ranks), max_shapes(planner));
        let max_messages = max_messages(planner);
        let is_small = |axes: &Vec<Axis>| axes.iter().map(Axis::messages).sum::<usize>() <= max_messages;
        let small = |shapes: Vec<Vec<Axis>>| match shapes.iter().any(is_small) {
            true => shapes.into_iter().filter(is_small).collect(),
            false => shapes,
        };
        let best = form.best(max_shapes, small(form.shapes()));
        let in_radices = best.into_iter().flat_map(|(_, axes)| form.in_radices(&axes)).collect();
        let shape =
            |(times, axes): (Times, Vec<Axis>)| Shape::new("levels", named(&axes), &ranks, axes, times);
        form.best(max_shapes, small(in_radices)).into_iter().map(shape).collect()
    })
}

/// Choice of shapes by the closed form.
impl ClosedForm<'_> {
    /// Returns all shapes, each with the radices of least cost.
    fn shapes(&self) -> Vec<Vec<Axis>> {
        let nodes = self.instance.size();
        let mut extents: Vec<Vec<usize>> =
            divisors(nodes).map(|columns| vec![nodes / columns, columns]).collect();
        let mut machine = self.instance.machine().topology().extents();
        machine.retain(|&extent| extent > 1);
        if machine.len() > 2 && machine.iter().product::<usize>() == nodes {
            extents.push(machine);
        }
        let mut radices: BTreeMap<usize, usize> = BTreeMap::new();
        let mut shapes = Vec::new();
        for extents in extents {
            let mut stride = 1;
            let mut axes: Vec<Axis> = Vec::new();
            for &extent in extents.iter().rev() {
                let radix = *radices.entry(extent).or_insert_with(|| self.radices(extent)[0]);
                axes.push(Axis { extent, stride, radix });
                stride *= extent;
            }
            shapes.push(axes.clone());
            axes.reverse();
            shapes.push(axes);
        }
        shapes
    }

    /// Returns the `max_shapes` shapes of least time. Link loads are computed only for shapes whose bound without contention is low enough.
    fn best(&self, max_shapes: usize, shapes: Vec<Vec<Axis>>) -> Vec<(Times, Vec<Axis>)> {
        let mut shapes: Vec<(Span, Vec<Axis>)> =
            shapes.into_iter().map(|axes| (self.contention_free(&axes).fastest(), axes)).collect();
        shapes.sort_by_key(|&(bound, _)| bound);
        let mut best: Vec<(Times, Vec<Axis>)> = Vec::new();
        for (bound, axes) in shapes {
            if best.get(max_shapes - 1).is_some_and(|(times, _)| times.fastest() <= bound) {
                break;
            }
            let times = self.times(&axes);
            let place = best.partition_point(|(other, _)| other.fastest() <= times.fastest());
            best.insert(place, (times, axes));
            best.truncate(max_shapes);
        }
        best
    }

    /// Returns the axes in all combinations of radices to try.
    fn in_radices(&self, axes: &[Axis]) -> Vec<Vec<Axis>> {
        let mut all: Vec<Vec<Axis>> = vec![Vec::new()];
        for axis in axes {
            let radices = self.radices(axis.extent);
            let with =
                |others: &Vec<Axis>, &radix: &usize| [&others[..], &[Axis { radix, ..*axis }]].concat();
            all =
                all.iter().flat_map(|others| radices.iter().map(move |radix| with(others, radix))).collect();
        }
        all
    }

    /// Returns the radices of least cost in a ring of `extent` ranks without link contention, best first: small radices, and `extent`
    /// itself.
    fn radices(&self, extent: usize) -> Vec<usize> {
        let all = (2..=extent)
            .filter(|&radix| radix == extent || radix + 1 < extent && radix * radix <= 2 * extent);
        let cost = |radix: usize| self.contention_free(&[Axis { extent, stride: 1, radix }]).fastest();
        let mut all: Vec<(Span, usize)> = all.map(|radix| (cost(radix), radix)).collect();
        all.sort_unstable();
        all.into_iter().take(MAX_RADICES).map(|(_, radix)| radix).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{all_to_all::Matrix, model::MachineSpec};

    /// Returns the names of the variants for messages of one length between all ranks, the best by the closed form first.
    fn names(machine: &str, bytes: u64) -> Vec<String> {
        let machine: MachineSpec = machine.parse().unwrap();
        let matrix = Matrix::of(machine.nodes(), |_, _| bytes).unwrap();
        let instance = Instance::new(&machine, matrix).unwrap();
        let variants = variants(&Planner::new(&instance), false);
        variants.iter().map(|variant| variant.name().to_owned()).collect()
    }

    #[test]
    fn servers_and_rows_are_levels() {
        let first = |machine, bytes| names(machine, bytes).swap_remove(0);
        assert_eq!(
            [
                first("h100-cluster:4", 64),
                first("paragon:8x16", 2048),
                first("torus:4x4x4", 2048),
                first("hockney:1x7", 64)
            ],
            [
                "levels (8 at 1, radix 3; 4 at 8, at once)",
                "levels (32 at 1; 4 at 32, at once)",
                "levels (2 at 1; 32 at 2, at once)",
                "bruck (radix 2, in turn)"
            ]
        );
        assert_eq!(names("torus:4x4x4", 2048).len(), MAX_SHAPES);
    }

    /// In four servers of eight processors few messages go between servers. *Bruck* ignores servers: some of its messages enter the next
    /// server only because they go around the ring of all ranks.
    #[test]
    fn in_a_cluster_it_is_the_fastest_for_short_messages() {
        let machine: MachineSpec = "h100-cluster:4".parse().unwrap();
        let instance = Instance::new(&machine, Matrix::of(32, |_, _| 1024).unwrap()).unwrap();
        let modeled = |algorithm: Algorithm| {
            let plan = algorithm.plan(&instance).unwrap();
            (plan.name().to_owned(), plan.prediction().unwrap().modeled.to_string())
        };
        let auto = modeled(Algorithm::AUTO);
        assert_eq!(auto, modeled(Algorithm::LEVELS));
        assert_eq!([auto.1, modeled(Algorithm::BRUCK).1], ["25.64072 us", "34.337192 us"].map(str::to_owned));
    }
}
