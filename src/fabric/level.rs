//! What fillings change in a resource, and the level at which it is full.

/// What fillings change in a resource. All else is apart from it, so that the resources on a path fill few lines of the
/// host's cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resource {
    /// The capacity not used by its members; during a filling, not used by those that have a rate.
    pub(super) free: f64,
    /// During a filling: the number of members that are chosen and have no rate yet.
    pub(super) open: u32,
    pub(super) number: u32,
}

impl Resource {
    /// The equal share of each open flow.
    pub(super) fn equal_share(&self) -> f64 {
        self.free.max(0.0) / f64::from(self.open)
    }
}

/// The rate at which a resource is full, and its number and index: ordered by the rate, then by the number. It is one
/// integer because sorting these is a large part of the work, and one integer is compared faster than three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Level(u128);

impl Level {
    pub(super) fn new(share: f64, number: u32, resource: u32) -> Level {
        // Non-negative floats are ordered like their bits.
        Level(u128::from(share.to_bits()) << 64 | u128::from(number) << 32 | u128::from(resource))
    }

    pub(super) fn share(self) -> f64 {
        f64::from_bits((self.0 >> 64) as u64)
    }

    pub(super) fn resource(self) -> u32 {
        self.0 as u32
    }
}
