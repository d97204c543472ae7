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
    /// The number of flows that have no rate yet.
    pub(super) open: u32,
    /// The number of flows that have their bottleneck here.
    pub(super) bound: u32,
}

impl Room {
    pub(super) fn new(capacity: i64) -> Room {
        Room { free: capacity, open: 0, bound: 0 }
    }

    /// Whether no flow is open, and flows bound here or too much room make it certain that the shares can stay as they are: what
    /// is free is less than a unit for each flow that is bound here, or no flow is bound and more than `remainder` is free.
    #[inline]
    pub(super) fn is_settled(&self, remainder: i64) -> bool {
        let bound = i64::from(self.bound);
        self.free >= 0 && if bound > 0 { self.free < bound } else { self.free >= remainder }
    }

    /// Whether no flow is bound here, and even if all open flows had this share, more than `remainder` would be free.
    #[inline]
    pub(super) fn has_for_all(&self, share: i64, remainder: i64) -> bool {
        self.bound == 0 && self.free >= share * i64::from(self.open) + remainder
    }
}
