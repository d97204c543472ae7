//! The assignment of the threads of a run to cores.
//!
//! In real time the cost of a message on the host is that of waking threads, and a thread is woken fastest on the
//! core that wakes it: a hundred threads that only communicate keep pace on one core where they do not on two, since
//! a core that has gone to sleep takes its time. So unless told otherwise they are kept together on one core, until a
//! program really computes; then the host puts them where it likes.

use core_affinity::CoreId;

use crate::rank::Rank;

/// The cores on which the threads run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pinning {
    /// Any cores that the host chooses; in real time, where the host is Linux, together on one core until a program
    /// computes for five milliseconds, or polls. Threads that a program starts meanwhile are kept there too: programs
    /// with threads of their own take [`None`](Pinning::None).
    #[default]
    Auto,
    /// Any cores that the host chooses.
    None,
    /// The first core for all threads: a thread is woken fastest on the core that wakes it, so programs that only
    /// communicate may gain; programs that compute lose.
    OneCore,
    /// All cores, with the ranks spread evenly and neighbouring ranks together.
    Spread,
}

/// The cores for the threads of one run.
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

    /// Moves the current thread to the core of a node.
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

pub(super) use together::Together;

#[cfg(target_os = "linux")]
mod together {
    use core_affinity::CoreId;
    use parking_lot::Mutex;
    use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// Threads that are kept on one core for as long as none of them computes.
    #[derive(Debug)]
    pub(in super::super) struct Together {
        core: CoreId,
        /// The thread that called `run`, and its original affinity; node threads have inherited it.
        caller: Pid,
        allowed: Option<CpuSet>,
        /// The node threads; `None` when all have been released.
        members: Mutex<Option<Vec<Pid>>>,
    }

    impl Together {
        /// Keeps the current thread, and the threads that it starts, on its present core.
        pub(in super::super) fn here() -> Together {
            let together = Together {
                core: CoreId { id: sched_getcpu() },
                caller: gettid(),
                allowed: sched_getaffinity(None).ok(),
                members: Mutex::new(Some(Vec::new())),
            };
            if together.allowed.is_some() {
                core_affinity::set_for_current(together.core);
            }
            together
        }

        /// Adds the current thread to the members. It has inherited its core.
        pub(in super::super) fn join(&self) {
            match &mut *self.members.lock() {
                Some(members) => members.push(gettid()),
                None => self.free(None),
            }
        }

        /// Releases all threads to the cores where they were allowed to be.
        pub(in super::super) fn let_go(&self) {
            if let Some(members) = self.members.lock().take() {
                members.into_iter().for_each(|member| self.free(Some(member)));
                self.free(Some(self.caller));
            }
        }

        fn free(&self, thread: Option<Pid>) {
            if let Some(allowed) = &self.allowed {
                // Node threads wait for the last of them before they end, so that this is still theirs. Where the host
                // does not allow it, they stay.
                let _ = sched_setaffinity(thread, allowed);
            }
        }
    }

    impl Drop for Together {
        fn drop(&mut self) {
            self.free(Some(self.caller));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod together {
    /// Threads that the host does not keep together.
    #[derive(Debug)]
    pub(in super::super) struct Together;

    impl Together {
        pub(in super::super) fn here() -> Together {
            Together
        }

        pub(in super::super) fn join(&self) {}

        pub(in super::super) fn let_go(&self) {}
    }
}
