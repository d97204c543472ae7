//! How many more threads this host can run, found out before starting any: on Linux a process that runs out of
//! memory maps while it starts threads is aborted as a whole, without an error to catch.

use std::{fs, path::Path};

/// A thread takes its stack, the guard page below it, and what the allocator and the kernel keep for it.
const MAPS_PER_THREAD: usize = 4;

/// Left for whatever else the process does.
const SPARE_MAPS: usize = 1_024;
const SPARE_THREADS: usize = 64;

/// Where nothing is known of the host's limits.
const UNKNOWN: usize = 8_192;

/// How many more threads can be started, and what sets this limit.
pub(crate) fn spare_threads() -> (usize, String) {
    let maps = number("/proc/sys/vm/max_map_count").map(|most| {
        let used = fs::read_to_string("/proc/self/maps").map_or(0, |maps| maps.lines().count());
        (most.saturating_sub(used + SPARE_MAPS) / MAPS_PER_THREAD, format!("vm.max_map_count is {most}"))
    });
    let threads = number("/proc/sys/kernel/threads-max").map(|most| {
        (most.saturating_sub(running_threads() + SPARE_THREADS), format!("kernel.threads-max is {most}"))
    });
    let group = number("/sys/fs/cgroup/pids.max").map(|most| {
        let used = number("/sys/fs/cgroup/pids.current").unwrap_or(0);
        (most.saturating_sub(used + SPARE_THREADS), format!("pids.max of the control group is {most}"))
    });
    let user = user_limit().map(|most| {
        (most.saturating_sub(running_threads() + SPARE_THREADS), format!("the user may run {most} threads"))
    });
    let known = [maps, threads, group, user].into_iter().flatten();
    known.min().unwrap_or_else(|| (UNKNOWN, "the limits of this host are not known".into()))
}

/// The number in a file of the kernel; none if there is no such file, or no limit in it.
fn number(path: impl AsRef<Path>) -> Option<usize> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Threads of the whole system, from the fourth field of `loadavg` ("running/all").
fn running_threads() -> usize {
    let all = |text: String| text.split_whitespace().nth(3)?.split_once('/')?.1.parse().ok();
    fs::read_to_string("/proc/loadavg").ok().and_then(all).unwrap_or(0)
}

#[cfg(target_os = "linux")]
fn user_limit() -> Option<usize> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nproc);
    limit.current.and_then(|most| usize::try_from(most).ok())
}

#[cfg(not(target_os = "linux"))]
fn user_limit() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_host_can_run_some_threads_and_knows_why_not_more() {
        let (threads, limit) = spare_threads();
        assert!(threads > 0, "{limit}");
        assert!(!limit.is_empty());
    }
}
