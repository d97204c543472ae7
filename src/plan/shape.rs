//! The shape of a group: what messages among its members meet. Groups of one shape share their plans.
//!
//! The rows of a mesh look the same from within: a message from the third rank to the seventh takes as many links in one as in the
//! other, and shares them with the same messages. So a plan for one, which speaks of ranks, takes the same time on the other, and is
//! searched once.

use std::collections::BTreeSet;

use super::Layout;
use crate::{
    model::Description,
    rank::Rank,
    topology::{LinkId, catch_route_error},
};

/// The most members of a group whose shape is found: it has a route for each pair of them.
const MOST: usize = 64;

/// The routes among the members of a group, with links and nodes numbered in their order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape {
    /// Rows and columns, by which some algorithms go.
    grid: [usize; 2],
    /// The ranks in the order of their nodes.
    order: Vec<Rank>,
    /// The bits of the capacity of each link that has one of its own.
    capacities: Vec<Option<u64>>,
    /// The links between each two ranks, each route behind its length.
    routes: Vec<u32>,
}

impl Shape {
    /// The shape of some members of a machine; none of all members, of very many, on a machine with noise or faults, which are at some
    /// nodes and links, or where a route is invalid.
    pub(crate) fn of(machine: &Description, members: &[Rank]) -> Option<Shape> {
        if members.len() > MOST || members.len() == machine.nodes() || machine.is_disturbed() {
            return None;
        }
        catch_route_error(|| Shape::found(machine, members)).ok()
    }

    /// The room that it takes in a cache, in steps of a schedule.
    pub(super) fn room(&self) -> usize {
        self.routes.len() / 25
    }

    fn found(machine: &Description, members: &[Rank]) -> Shape {
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
            routes: numbered.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_look_alike_and_a_row_that_is_longer_or_in_another_order_does_not() {
        let machine: Description = "paragon:4x5".parse().unwrap();
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
