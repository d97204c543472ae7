//! What the processes of a window share.
//!
//! All ranks of a job are threads of one process. Where the memory of a window is, and which ranks hold its locks, is therefore kept once for all
//! processes of the window. The processes find it by the context of the window's communicator. Everything that can change during the life of
//! a window changes in effects of remote memory accesses, in the order of modeled time, or by calls whose order the program determines.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, OnceLock},
};

use multicomputer::{Tag, comm::transport::Context};
use parking_lot::Mutex;

use crate::{check::Clock, program::WindowMemory};

/// What the ranks of a job share.
#[derive(Debug, Default)]
pub struct Shared {
    /// Windows that are being made.
    windows: Mutex<BTreeMap<Context, Arc<Common>>>,
}

impl Shared {
    /// What the processes of a window share; the first process makes it.
    pub(super) fn enter(&self, context: Context, size: usize) -> Arc<Common> {
        self.windows.lock().entry(context).or_insert_with(|| Arc::new(Common::new(size))).clone()
    }

    /// Forgets a window, after all of its processes have entered it.
    pub(super) fn forget(&self, context: Context) {
        self.windows.lock().remove(&context);
    }
}

/// What the processes of a window share: the part of each process.
#[derive(Debug)]
pub(super) struct Common {
    targets: Box<[OnceLock<Target>]>,
}

impl Common {
    fn new(size: usize) -> Common {
        Common { targets: (0..size).map(|_| OnceLock::new()).collect() }
    }

    /// Enters the part of a process, once.
    pub(super) fn set(&self, rank: usize, target: Target) {
        // No process is entered twice.
        let _ = self.targets[rank].set(target);
    }

    /// The part of a process, after it was entered.
    pub(super) fn target(&self, rank: usize) -> Option<&Target> {
        self.targets.get(rank)?.get()
    }
}

/// The part of a process in a window.
#[derive(Debug)]
pub(super) struct Target {
    /// The address of the memory; 0 for a dynamic window.
    pub(super) base: usize,
    /// The size of the memory in bytes.
    pub(super) size: usize,
    /// The size of the unit of displacements in bytes.
    pub(super) unit: i64,
    pub(super) memory: Arc<dyn WindowMemory>,
    /// The memory attached to a dynamic window: sizes by addresses.
    pub(super) attached: Mutex<BTreeMap<usize, usize>>,
    /// The lock of this process.
    pub(super) lock: Mutex<Lock>,
    /// What the messages of `MPI_Win_post` and `MPI_Win_complete` to this process make known, by sender and tag, if the run is checked.
    pub(super) notices: Mutex<BTreeMap<(usize, Tag), VecDeque<Clock>>>,
}

impl Target {
    pub(super) fn new(base: usize, size: usize, unit: i64, memory: Arc<dyn WindowMemory>) -> Target {
        let (attached, lock, notices) = Default::default();
        Target { base, size, unit, memory, attached, lock, notices }
    }

    /// Whether `length` bytes at an address are attached.
    pub(super) fn has_attached(&self, address: usize, length: usize) -> bool {
        let attached = self.attached.lock();
        let Some(end) = address.checked_add(length) else { return false };
        // Neighbouring pieces of memory count as one.
        let mut at = end;
        for (&start, &size) in attached.range(..end).rev() {
            if start + size < at {
                return false;
            }
            at = at.min(start);
            if at <= address {
                return true;
            }
        }
        at <= address
    }
}

/// The lock of a process: the ranks that hold it and the ranks that wait for it.
#[derive(Debug, Default)]
pub(super) struct Lock {
    /// The number of processes that share the lock.
    sharing: usize,
    is_exclusive: bool,
    /// Ranks that wait, and whether each wants the lock for itself.
    waiting: VecDeque<(usize, bool)>,
    /// What the releases of shared and of exclusive locks have made known, if the run is checked.
    known: [Clock; 2],
}

impl Lock {
    /// Takes the lock for a process, or lets the process wait. Returns whether it has the lock. Locks are granted in the order of the
    /// requests, so none waits forever.
    pub(super) fn take(&mut self, rank: usize, exclusively: bool) -> bool {
        self.waiting.push_back((rank, exclusively));
        let granted = self.grant();
        !granted.is_empty()
    }

    /// Makes known what a process knows that is about to return the lock.
    pub(super) fn makes_known(&mut self, clock: &Clock) {
        self.known[usize::from(self.is_exclusive)].join(clock);
    }

    /// What a process knows that has the lock.
    pub(super) fn known(&self, exclusively: bool) -> Clock {
        let [shared, exclusive] = &self.known;
        let mut known = exclusive.clone();
        if exclusively {
            known.join(shared);
        }
        known
    }

    /// Returns the lock of a process. Returns the processes that have the lock now.
    pub(super) fn release(&mut self) -> Vec<usize> {
        if self.is_exclusive {
            self.is_exclusive = false;
        } else {
            self.sharing = self.sharing.saturating_sub(1);
        }
        self.grant()
    }

    /// Grants the lock to the processes at the head of the queue that can have it.
    fn grant(&mut self) -> Vec<usize> {
        let mut granted = Vec::new();
        while let Some(&(rank, exclusively)) = self.waiting.front() {
            if self.is_exclusive || exclusively && self.sharing > 0 {
                break;
            }
            self.is_exclusive = exclusively;
            self.sharing += usize::from(!exclusively);
            self.waiting.pop_front();
            granted.push(rank);
        }
        granted
    }
}

#[cfg(test)]
mod tests {
    use super::Lock;

    #[test]
    fn locks_are_granted_in_the_order_of_the_requests() {
        let mut lock = Lock::default();
        assert!(lock.take(0, false) && lock.take(1, false));
        assert!(!lock.take(2, true) && !lock.take(3, false) && !lock.take(4, false) && !lock.take(5, true));
        assert_eq!((lock.release(), lock.release()), (vec![], vec![2]));
        assert_eq!((lock.release(), lock.release()), (vec![3, 4], vec![]));
        assert_eq!((lock.release(), lock.release()), (vec![5], vec![]));
    }
}
