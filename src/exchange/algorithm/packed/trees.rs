//! The routes from each sender as a tree: whoever is behind a link cannot be reached while there is no room on it.
//!
//! Two routes of a sender are together as far as their links are the same. A tree is kept in preorder, so that
//! what is behind a place are the places that follow it, up to its end.

use super::super::super::rounds::{Part, paths::Paths};
use crate::rank::Rank;

/// The number of a place in the trees.
pub(super) type Place = u32;

/// No link, no receiver, no place before.
const NONE: u32 = u32::MAX;

/// The end of a link on the way of a sender.
struct Node {
    /// The link; none if the way goes on without one, as it does to a second receiver at the same place.
    link: u32,
    /// The place before.
    before: Place,
    /// The first place that is not behind this one.
    end: Place,
    /// The receiver who is here.
    receiver: u32,
    /// How many receivers here and behind still get something.
    open: u32,
}

/// The trees of all senders.
pub(super) struct Trees {
    members: usize,
    nodes: Vec<Node>,
    /// The place of each receiver in the tree of each sender.
    places: Vec<Place>,
}

impl Trees {
    /// The trees of some messages.
    pub(super) fn of(members: usize, messages: impl Iterator<Item = Part>, paths: &Paths) -> Trees {
        let mut trees = Trees { members, nodes: Vec::new(), places: vec![NONE; members * members] };
        let mut all: Vec<Part> = messages.collect();
        all.sort_unstable_by(|one, other| {
            (one.from, paths.path(one), one.to).cmp(&(other.from, paths.path(other), other.to))
        });
        // The places on the way to the receiver before.
        let mut way: Vec<Place> = Vec::new();
        let mut sender = None;
        for part in &all {
            if sender.replace(part.from) != Some(part.from) {
                trees.leave(&mut way, 0);
            }
            let path = paths.path(part);
            let common = way.iter().zip(path).take_while(|&(&place, &link)| trees.node(place).link == link);
            let common = common.count();
            trees.leave(&mut way, common);
            for &link in &path[common..] {
                trees.enter(&mut way, link);
            }
            if way.last().is_none_or(|&place| trees.node(place).receiver != NONE) {
                trees.enter(&mut way, NONE);
            }
            let here = way.last().copied().unwrap_or_default();
            trees.nodes[here as usize].receiver = part.to as u32;
            trees.places[part.from * members + part.to] = here;
            way.iter().for_each(|&place| trees.nodes[place as usize].open += 1);
        }
        trees.leave(&mut way, 0);
        trees
    }

    fn enter(&mut self, way: &mut Vec<Place>, link: u32) {
        let before = way.last().copied().unwrap_or(NONE);
        way.push(self.nodes.len() as Place);
        self.nodes.push(Node { link, before, end: NONE, receiver: NONE, open: 0 });
    }

    /// Goes back until the way is so long.
    fn leave(&mut self, way: &mut Vec<Place>, length: usize) {
        let end = self.nodes.len() as Place;
        way.drain(length..).for_each(|place| self.nodes[place as usize].end = end);
    }

    fn node(&self, place: Place) -> &Node {
        &self.nodes[place as usize]
    }

    /// The number of places.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The place of a receiver for whom a sender has something.
    pub(super) fn place(&self, from: Rank, to: Rank) -> Place {
        self.places[from * self.members + to]
    }

    /// A place and those before it, back to the first one.
    pub(super) fn way_back(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        let before = |&place: &Place| Some(self.node(place).before).filter(|&before| before != NONE);
        std::iter::successors(Some(place), before)
    }

    /// The link that leads to a place, if any.
    pub(super) fn link(&self, place: Place) -> Option<u32> {
        Some(self.node(place).link).filter(|&link| link != NONE)
    }

    /// The receiver at a place, if any.
    pub(super) fn receiver(&self, place: Place) -> Option<Rank> {
        Some(self.node(place).receiver).filter(|&receiver| receiver != NONE).map(|receiver| receiver as Rank)
    }

    /// The first place that is not behind another one.
    pub(super) fn end(&self, place: Place) -> Place {
        self.node(place).end
    }

    /// Whether anybody at a place or behind it still gets something.
    pub(super) fn is_open(&self, place: Place) -> bool {
        self.node(place).open > 0
    }

    /// Notes that a receiver gets nothing more from a sender.
    pub(super) fn close(&mut self, from: Rank, to: Rank) {
        let mut place = self.place(from, to);
        while let Some(node) = self.nodes.get_mut(place as usize) {
            node.open -= 1;
            place = node.before;
        }
    }
}
