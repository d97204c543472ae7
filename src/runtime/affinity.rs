//! The assignment of the threads of a run to cores.
//!
//! In real time the host's cost of a message is the cost of waking threads, and a thread is woken fastest on the core of the waking thread.
//! A hundred threads that only communicate keep up with the wall clock on one core but not on two, because a sleeping core takes time to
//! wake up. By default the threads are therefore kept on one core until a program computes; then the host schedules them freely.

use core_affinity::CoreId;

use crate::rank::Rank;

/// The cores on which the threads run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pinning {
    /// Any cores that the host chooses. In real time on Linux, all threads stay on one core until a program computes for five milliseconds,
    /// or polls. Threads that a program starts meanwhile also stay on this core: programs that start threads should use
    /// [`None`](Pinning::None).
    #[default]
    Auto,
    /// Any cores that the host chooses.
    None,
    /// The first core for all threads. A thread is woken fastest on the core of the waking thread, so programs that only communicate may
    /// gain; programs that compute lose.
    OneCore,
    /// All cores, with the ranks spread evenly and neighbouring ranks together.
    Spread,
}

/// The assignment of the threads of one run to cores.
#[derive(Debug)]
pub(super) struct Cores {
    pinning: Pinning,
    cores: Vec<CoreId>,
    nodes: usize,
}

impl Cores {
    pub(super) fn new(pinning: Pinning, nodes: usize) -> Cores {
        let cores = match pinning {
            Pinning::Auto | Pinning::None => Vec::new(),
            Pinning::OneCore | Pinning::Spread => core_affinity::get_core_ids().unwrap_or_default(),
        };
        Cores { pinning, cores, nodes }
    }

    /// Moves the current thread to the core that is assigned to node `rank`.
    pub(super) fn place(&self, rank: Rank) {
        let core = match self.pinning {
            Pinning::OneCore => self.cores.first().copied(),
            _ => self.cores.get(rank * self.cores.len() / self.nodes).copied(),
        };
        if let Some(core) = core {
            core_affinity::set_for_current(core);
        }
    }
}

pub(super) use shared_core::SharedCore;

#[cfg(target_os = "linux")]
mod shared_core {
    use core_affinity::CoreId;
    use parking_lot::Mutex;
    use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// Threads that are kept on one core until one of them computes.
    #[derive(Debug)]
    pub(in super::super) struct SharedCore {
        core: CoreId,
        /// The thread that called `run`; `allowed` is its original affinity, to which all threads are released.
        caller: Pid,
        allowed: Option<CpuSet>,
        /// The node threads; `None` after all have been released.
        members: Mutex<Option<Vec<Pid>>>,
    }

    impl SharedCore {
        /// Keeps the current thread and the threads that it starts on its present core.
        pub(in super::super) fn on_current_core() -> SharedCore {
            let shared_core = SharedCore {
                core: CoreId { id: sched_getcpu() },
                caller: gettid(),
                allowed: sched_getaffinity(None).ok(),
                members: Mutex::new(Some(Vec::new())),
            };
            if shared_core.allowed.is_some() {
                core_affinity::set_for_current(shared_core.core);
            }
            shared_core
        }

        /// Adds the current thread, which has inherited the core, to the members. After the release, restores its affinity instead.
        pub(in super::super) fn join(&self) {
            match &mut *self.members.lock() {
                Some(members) => members.push(gettid()),
                None => self.restore_affinity(None),
            }
        }

        /// Restores the original affinity of all threads.
        pub(in super::super) fn release_threads(&self) {
            if let Some(members) = self.members.lock().take() {
                members.into_iter().for_each(|member| self.restore_affinity(Some(member)));
                self.restore_affinity(Some(self.caller));
            }
        }

        fn restore_affinity(&self, thread: Option<Pid>) {
            if let Some(allowed) = &self.allowed {
                // Node threads end only after all have finished, so a thread id is still valid here. If the host refuses the call, the
                // thread stays on its core.
                let _ = sched_setaffinity(thread, allowed);
            }
        }
    }

    impl Drop for SharedCore {
        fn drop(&mut self) {
            self.restore_affinity(Some(self.caller));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod shared_core {
    /// A stub for hosts where threads are not kept together.
    #[derive(Debug)]
    pub(in super::super) struct SharedCore;

    impl SharedCore {
        pub(in super::super) fn on_current_core() -> SharedCore {
            SharedCore
        }

        pub(in super::super) fn join(&self) {}

        pub(in super::super) fn release_threads(&self) {}
    }
}
