//! The buffers of the operations in progress on a rank, found by their addresses: a program may have thousands.

use std::collections::{BTreeMap, BTreeSet};

use super::{Site, flight::Role};
use crate::buffer::Buffer;

/// A buffer of an operation in progress.
pub(super) struct Flight {
    /// The number of its call.
    pub(super) call: u64,
    pub(super) site: Site,
    pub(super) role: Role,
    pub(super) buffer: Buffer,
    /// The first and the last address of each piece of the buffer.
    pub(super) pieces: Vec<(usize, usize)>,
    /// The hash of the bytes at the beginning, if they do not change before the operation ends for the program.
    pub(super) hash: Option<u64>,
    /// The call in which the library stores the result.
    pub(super) landed_in: Option<u64>,
}

/// Buffers by the number of their operation.
#[derive(Default)]
pub(super) struct InProgress {
    flights: BTreeMap<u32, Flight>,
    sent: Places,
    received: Places,
}

/// The places of buffers: first address, last address, number.
#[derive(Default)]
struct Places {
    places: BTreeSet<(usize, usize, u32)>,
    /// The largest distance of a first and a last address so far.
    longest: usize,
}

impl Places {
    /// The numbers of the buffers that may have an address in common with these.
    fn near(&self, (first, last): (usize, usize)) -> impl Iterator<Item = u32> {
        let from = (first.saturating_sub(self.longest), 0, 0);
        let near = self.places.range(from..=(last, usize::MAX, u32::MAX));
        near.filter(move |place| place.1 >= first).map(|place| place.2)
    }
}

/// The first and the last address of a list of pieces.
fn ends(pieces: &[(usize, usize)]) -> Option<(usize, usize)> {
    Some((pieces.first()?.0, pieces.last()?.1))
}

impl InProgress {
    fn places(&mut self, role: Role) -> &mut Places {
        match role {
            Role::Send => &mut self.sent,
            Role::Receive => &mut self.received,
        }
    }

    pub(super) fn insert(&mut self, number: u32, flight: Flight) {
        if let Some((first, last)) = ends(&flight.pieces) {
            let places = self.places(flight.role);
            places.places.insert((first, last, number));
            places.longest = places.longest.max(last - first);
        }
        self.flights.insert(number, flight);
    }

    pub(super) fn remove(&mut self, number: u32) -> Option<Flight> {
        let flight = self.flights.remove(&number)?;
        if let Some((first, last)) = ends(&flight.pieces) {
            self.places(flight.role).places.remove(&(first, last, number));
        }
        Some(flight)
    }

    pub(super) fn get(&self, number: u32) -> Option<&Flight> {
        self.flights.get(&number)
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut Flight> {
        self.flights.get_mut(&number)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.flights.is_empty()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Flight> {
        self.flights.values()
    }

    /// Returns the first buffer near these pieces that they may not touch and that fits: any buffer if they are written, those of receives if they
    /// are read.
    pub(super) fn find(
        &self,
        pieces: &[(usize, usize)],
        writes: bool,
        fits: impl Fn(&Flight) -> bool,
    ) -> Option<&Flight> {
        let ends = ends(pieces)?;
        let sent = writes.then(|| self.sent.near(ends)).into_iter().flatten();
        let near: BTreeSet<u32> = self.received.near(ends).chain(sent).collect();
        near.iter().filter_map(|number| self.flights.get(number)).find(|flight| fits(flight))
    }
}
