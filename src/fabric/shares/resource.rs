//! The room on a resource: what is free, and what follows from that without a look at the flows.

/// In place of a share: the resource itself is not in the queue.
pub(super) const NEVER: i64 = i64::MAX;

/// In place of what is free: the resource has no finite capacity, and is on no path.
pub(super) const UNLIMITED: i64 = i64::MAX;

/// The part of a resource that fillings change all the time; all else is apart from it, so that the resources on a path fill few
/// lines of the host's cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// The capacity that the flows with a rate leave.
    pub(super) free: i64,
    /// The rate of the flows that have their bottleneck here, if there are any.
    pub(super) level: i64,
    /// The number of flows that cross it.
    pub(super) flows: u32,
    /// The number of flows that have no rate yet.
    pub(super) open: u32,
    /// The batch in which the first of those that are open became so.
    pub(super) oldest: u32,
    /// The number of flows that have their bottleneck here.
    pub(super) bound: u32,
}

impl Room {
    pub(super) fn new(capacity: i64) -> Room {
        Room { free: capacity, level: 0, flows: 0, open: 0, oldest: 0, bound: 0 }
    }

    /// Counts a flow that becomes open, as one of a batch.
    #[inline]
    pub(super) fn opened_in(&mut self, batch: u32) {
        self.oldest = if self.open == 0 { batch } else { self.oldest };
        self.open += 1;
    }

    /// Whether no flow is open and the shares may not be able to stay as they are: more is taken than there is, or what is free
    /// is a unit or more for each flow that is bound here, or no flow is bound here and less than `remainder` is free.
    #[inline]
    pub(super) fn is_unsettled(&self, remainder: i64) -> bool {
        // Without branches, for nothing tells beforehand which way they go. What is below zero is above all else as a number
        // without a sign.
        let bound = u64::from(self.bound);
        let (least, most) = if bound > 0 { (0, bound) } else { (remainder, 1 << 63) };
        (self.open == 0) & ((self.free - least) as u64 >= most)
    }

    /// Whether flows are open here that became so in another batch, or more than `few` in this one.
    #[inline]
    pub(super) fn is_shared(&self, batch: u32, few: u32) -> bool {
        (self.oldest != batch) | (self.open > few)
    }

    /// Whether all flows that are open or bound here can have a share; it takes no division to know. Then [`Room::least_share`] is lower
    /// than that at most by the number of flows that are neither. So if they can have a share and the remainder, and one of them is open,
    /// `least_share` is later in the order than any place with this share.
    #[inline]
    pub(super) fn is_above(&self, share: i64) -> bool {
        let (open, bound) = (i64::from(self.open), i64::from(self.bound));
        if bound == 0 {
            self.free >= share * open
        } else {
            (self.level >= share) & (self.free + bound * self.level >= share * (open + bound))
        }
    }

    /// A share that is not above the event of a resource at which flows are open or bound: at most the rate of the flows bound
    /// there.
    #[inline]
    pub(super) fn least_share(&self) -> i64 {
        let (open, bound) = (i64::from(self.open), i64::from(self.bound));
        let all = self.free + bound * self.level;
        let share = all / (open + bound);
        let share = if bound > 0 { share.min(self.level) } else { share };
        // If other flows are slower by what is left over in sharing out, the resource is full before they have their rates.
        (share - (i64::from(self.flows) - open - bound)).max(0)
    }
}
