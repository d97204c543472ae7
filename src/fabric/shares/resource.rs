//! What a sweep knows of a resource: what is free on it, how many flows it has to give it to, and when it may be full.

/// In place of a share: the resource is not in the queue.
pub(super) const NEVER: i64 = i64::MAX;

/// What fillings change in a resource; all else is apart from it, so that the resources on a path fill few lines of the
/// host's cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resource {
    /// The capacity that the flows with a rate leave.
    pub(super) free: i64,
    /// The rate of the flows that have their bottleneck here, if any have.
    pub(super) level: i64,
    /// The least share with which the resource itself is in the queue, or `NEVER`.
    pub(super) queued: i64,
    /// The number of flows that have no rate yet.
    pub(super) open: u32,
    /// The number of flows that have their bottleneck here.
    pub(super) bound: u32,
    /// The number of all flows.
    pub(super) members: u32,
}

impl Resource {
    pub(super) fn new(capacity: i64) -> Resource {
        Resource { free: capacity, level: 0, queued: NEVER, open: 0, bound: 0, members: 0 }
    }

    /// Whether, with no flow open, it is clear without a look at its flows that the resource is full at the rate at which it
    /// was, or is none of its flows' bottleneck: what is free is less than a unit for each flow bound here, or more than
    /// `remainder`.
    pub(super) fn is_settled(&self, remainder: i64) -> bool {
        if self.bound > 0 { (0..i64::from(self.bound)).contains(&self.free) } else { self.free >= remainder }
    }

    /// Whether there is room for all open flows at the limit and no flow is bound here.
    pub(super) fn has_room(&self, limit: i64) -> bool {
        self.bound == 0 && self.free >= limit * i64::from(self.open)
    }

    /// A share below which nothing happens to the resource, where a flow is open or bound: at most the level, at which the
    /// flows bound here are looked at again.
    pub(super) fn least_share(&self) -> i64 {
        let (open, bound) = (i64::from(self.open), i64::from(self.bound));
        let share = if bound > 0 && self.free >= open * self.level {
            self.level
        } else {
            (self.free + bound * self.level) / (open + bound)
        };
        // If other flows are slower by what is left over in sharing out, the resource is full before they have their rates.
        let others = i64::from(self.members) - open - bound;
        (share - others).max(0)
    }
}
