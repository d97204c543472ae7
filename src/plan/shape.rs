//! The shape of a group: the routes among its members, with renumbered links. Groups of the same shape share plans.
//!
//! A schedule names ranks, and its modeled time depends on the machine only through parameters and routes. If two
//! groups have the same routes between the same ranks, with links renumbered in ascending order, every schedule takes
//! the same time in both. The rows of a mesh are an example: a plan found for one row serves all rows.

use std::collections::BTreeSet;

use super::Layout;
use crate::{
    model::MachineSpec,
    rank::Rank,
    time::Span,
    topology::{LinkId, catch_route_error},
};

/// Maximum size of a group that has a shape. A shape stores a route for each pair of members: for 64 members 4032
/// routes, which take under 1 ms to find and some 200 kB to store.
const MAX_MEMBERS: usize = 64;

/// The routes among the members of a group, with links and nodes renumbered in ascending order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape {
    /// Rows and columns of the group, because some algorithms work along them.
    grid: [usize; 2],
    /// The ranks, in ascending order of their nodes.
    order: Vec<Rank>,
    /// The capacity of each link, as the bits of an `f64`; `None` for the machine's default.
    capacities: Vec<Option<u64>>,
    /// The latency of each link; empty if the network has none.
    latencies: Vec<Span>,
    /// For each ordered pair of ranks: the number of links of the route, then the links.
    routes: Vec<u32>,
}

impl Shape {
    /// Returns the shape of a group. `None` for a group of all nodes (no other group has this shape), for more than 64
    /// members, on a machine with noise or faults (they affect particular nodes and links), and if a route is invalid.
    pub(crate) fn of(machine: &MachineSpec, members: &[Rank]) -> Option<Shape> {
        if members.len() > MAX_MEMBERS || members.len() == machine.nodes() || machine.is_disturbed() {
            return None;
        }
        catch_route_error(|| Shape::found(machine, members)).ok()
    }

    /// Returns the size in a cache, in steps of a schedule of about 100 bytes each.
    pub(super) fn size(&self) -> usize {
        size_of_val(&self.routes[..]) / 100
    }

    fn found(machine: &MachineSpec, members: &[Rank]) -> Shape {
        let topology = machine.topology();
        let mut order: Vec<Rank> = (0..members.len()).collect();
        order.sort_unstable_by_key(|&rank| members[rank]);
        let mut routes: Vec<Vec<LinkId>> = Vec::with_capacity(members.len() * members.len());
        for (from, to) in members.iter().flat_map(|from| members.iter().map(move |to| (from, to))) {
            let mut route = Vec::new();
            if from != to {
                topology.route(*from, *to, &mut route);
            }
            routes.push(route);
        }
        let links: BTreeSet<LinkId> = routes.iter().flatten().copied().collect();
        let links: Vec<LinkId> = links.into_iter().collect();
        let number = |link: &LinkId| links.partition_point(|other| other < link) as u32;
        let numbered = routes
            .iter()
            .flat_map(|route| std::iter::once(route.len() as u32).chain(route.iter().map(number)));
        let grid = Layout::of(machine, members, false).grid;
        let capacities = links.iter().map(|&link| topology.capacity(link).map(f64::to_bits));
        Shape {
            grid: [grid.rows, grid.columns],
            order,
            capacities: capacities.collect(),
            latencies: links.iter().filter_map(|&link| topology.latencies().get(link).copied()).collect(),
            routes: numbered.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_equal_shapes_unless_length_or_order_differs() {
        let machine: MachineSpec = "paragon:4x5".parse().unwrap();
        let shape = |members: &[Rank]| Shape::of(&machine, members).unwrap();
        let row = shape(&[0, 1, 2, 3]);
        assert_eq!(row, shape(&[11, 12, 13, 14]));
        assert!(
            [&[0, 1, 2][..], &[0, 1, 3, 4], &[1, 0, 2, 3], &[0, 1, 5, 6]]
                .iter()
                .all(|&other| row != shape(other))
        );
        let all: Vec<Rank> = (0..20).collect();
        assert_eq!(Shape::of(&machine, &all), None);
    }
}
