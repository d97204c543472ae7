//! The state of a resource, and tests on it that need not examine its flows.

/// The queued share of a resource that has no separate entry in the queue.
pub(super) const NEVER: i64 = i64::MAX;

/// The free capacity of a resource with infinite capacity, which is on no path.
pub(super) const UNLIMITED: i64 = i64::MAX;

/// The frequently changed state of a resource. Other data is stored separately, so that the resources on a path occupy few cache lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// The capacity not used by flows with a rate.
    pub(super) free: i64,
    /// The rate of the flows that have their bottleneck here, if any.
    pub(super) level: i64,
    /// The number of flows that cross the resource.
    pub(super) flows: u32,
    /// The number of open flows (without a rate).
    pub(super) open: u32,
    /// The batch in which the first of the open flows became open.
    pub(super) oldest: u32,
    /// The number of flows that have their bottleneck here.
    pub(super) bound: u32,
}

impl Room {
    pub(super) fn new(capacity: i64) -> Room {
        Room { free: capacity, level: 0, flows: 0, open: 0, oldest: 0, bound: 0 }
    }

    /// Counts a flow that becomes open in a batch.
    #[inline]
    pub(super) fn opened_in(&mut self, batch: u32) {
        self.oldest = if self.open == 0 { batch } else { self.oldest };
        self.open += 1;
    }

    /// Returns whether no flow is open and the shares may have to change: the resource is overloaded, or at least one unit per bound flow
    /// is free, or no flow is bound here and less than `remainder` is free.
    #[inline]
    pub(super) fn is_unsettled(&self, remainder: i64) -> bool {
        // The test has no branches, because they would be mispredicted. A negative number, as an unsigned integer, is larger than all
        // others.
        let bound = u64::from(self.bound);
        let (least, most) = if bound > 0 { (0, bound) } else { (remainder, 1 << 63) };
        (self.open == 0) & ((self.free - least) as u64 >= most)
    }

    /// Returns whether open flows became open in another batch, or more than `few` in this batch.
    #[inline]
    pub(super) fn is_shared(&self, batch: u32, few: u32) -> bool {
        (self.oldest != batch) | (self.open > few)
    }

    /// Returns whether all flows that are open or bound here can have `share`; needs no division. [`Room::least_share`] is then lower than
    /// `share` by at most the number of other flows. If the flows can have `share` plus the remainder, and one of them is open,
    /// `least_share` is therefore after any position with this share in the order.
    #[inline]
    pub(super) fn is_above(&self, share: i64) -> bool {
        let (open, bound) = (i64::from(self.open), i64::from(self.bound));
        if bound == 0 {
            self.free >= share * open
        } else {
            (self.level >= share) & (self.free + bound * self.level >= share * (open + bound))
        }
    }

    /// Returns a lower bound on the event of a resource with open or bound flows. It is at most the rate of the bound flows.
    #[inline]
    pub(super) fn least_share(&self) -> i64 {
        let (open, bound) = (i64::from(self.open), i64::from(self.bound));
        let all = self.free + bound * self.level;
        let share = all / (open + bound);
        let share = if bound > 0 { share.min(self.level) } else { share };
        // If other flows are slower by at most the rounding remainder, the resource is full before they have their rates.
        (share - (i64::from(self.flows) - open - bound)).max(0)
    }
}
