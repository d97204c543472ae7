//! Processes that a checked program starts: they end with the check.

use std::{
    collections::BTreeSet,
    ffi::c_int,
    fs, process,
    sync::{
        Once,
        atomic::{AtomicI32, Ordering},
    },
};

/// Ends the processes that were started while it existed, as descendants of this process, when it is dropped.
#[derive(Debug)]
pub(crate) struct Children {
    /// The children of this process that were there before.
    before: BTreeSet<c_int>,
}

impl Children {
    /// Children whose own parents have ended are this process's from now on. Those that a thread of a rank forks also end with that thread, in
    /// whichever way this process ends.
    pub(crate) fn watch() -> Children {
        static FORKS: Once = Once::new();
        FORKS.call_once(|| {
            CHECKING.store(process::id() as c_int, Ordering::Relaxed);
            // SAFETY: the handler makes system calls only, which is allowed in a child.
            unsafe { libc::pthread_atfork(None, None, Some(ends_with_thread)) };
        });
        set_reaper(true);
        Children { before: children() }
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        // A child that has ended leaves its own children to this process.
        loop {
            let left: Vec<c_int> = children().difference(&self.before).copied().collect();
            if left.is_empty() {
                break;
            }
            for child in left {
                // SAFETY: the process is a child of this one that was not waited for, so its number stands for no other one.
                unsafe {
                    libc::kill(child, libc::SIGKILL);
                    libc::waitpid(child, std::ptr::null_mut(), 0);
                }
            }
        }
        set_reaper(false);
    }
}

/// The process that makes a check.
static CHECKING: AtomicI32 = AtomicI32::new(0);

extern "C" fn ends_with_thread() {
    // SAFETY: asks for a number, and changes a setting of this process only. A child of a child may outlive its parent.
    unsafe {
        if libc::getppid() == CHECKING.load(Ordering::Relaxed) {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        }
    }
}

fn set_reaper(is_reaper: bool) {
    // SAFETY: changes a setting of this process only.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, c_int::from(is_reaper)) };
}

/// The children of this process.
fn children() -> BTreeSet<c_int> {
    let own = process::id().to_string();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_child = |stat: &str| {
        // After the name, which may have any characters: the state, and the parent.
        stat.rsplit_once(')').is_some_and(|(_, rest)| rest.split_whitespace().nth(1) == Some(&own))
    };
    entries
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            is_child(&stat).then_some(number)
        })
        .collect()
}
