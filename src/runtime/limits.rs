//! Checks, before any thread starts, that this host allows as many threads as a machine needs and has enough memory for them. On Linux a
//! process that runs out of memory or of memory maps while it starts threads is aborted as a whole, without an error that could be caught.

use std::{
    ffi::OsStr,
    fs::{self, DirEntry},
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use parking_lot::Mutex;

use crate::{error::ConfigError, model::MachineSpec};

/// The number of memory maps of a thread: its stack, its guard page, and the maps of the allocator and the kernel.
const MAPS_PER_THREAD: usize = 4;

/// The numbers of memory maps and threads reserved for the rest of the process.
const SPARE_MAPS: usize = 1_024;
const SPARE_THREADS: usize = 64;

/// The number of threads assumed on a host whose limits are unknown.
const UNKNOWN: usize = 8_192;

/// The node threads of all runs of this process.
static NODE_THREADS: Mutex<NodeThreads> = Mutex::new(NodeThreads { threads: 0, starting: 0, mapped: 0 });

struct NodeThreads {
    /// The number of threads of all runs in progress.
    threads: usize,
    /// The number of these threads that have not started yet, which the counters of the operating system do not include.
    starting: usize,
    /// The address space that the starting threads will map, in bytes.
    mapped: u64,
}

/// Permission to start the threads of a run; held until the run ends.
pub(super) struct Permit {
    nodes: usize,
    left: AtomicUsize,
    stack_size: usize,
}

impl Permit {
    /// Repeats the check of [`check_threads`], because other runs may have started since the machine was built and a limit may have
    /// been lowered, and reserves the threads.
    ///
    /// Up to [`SPARE_THREADS`] threads of all runs together are not checked: they fit into the reserve for the rest of the process, and
    /// reading the limits (160 us) takes as long as starting three threads.
    ///
    /// # Errors
    /// The errors of [`check_threads`].
    pub(super) fn new(nodes: usize, stack_size: usize) -> Result<Permit, ConfigError> {
        let mut runs = NODE_THREADS.lock();
        if runs.threads + nodes > SPARE_THREADS {
            check_besides(&runs, nodes, stack_size)?;
        }
        runs.threads += nodes;
        runs.starting += nodes;
        runs.mapped = runs.mapped.saturating_add(mapped(nodes, stack_size));
        Ok(Permit { nodes, left: AtomicUsize::new(nodes), stack_size })
    }

    /// Records that the calling thread of the run has started and has created its memory maps.
    pub(super) fn started(&self) {
        self.left.fetch_sub(1, Ordering::Relaxed);
        NODE_THREADS.lock().have_started(1, self.stack_size);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut runs = NODE_THREADS.lock();
        runs.threads -= self.nodes;
        // After a failed start the remaining threads never start.
        runs.have_started(*self.left.get_mut(), self.stack_size);
    }
}

impl NodeThreads {
    fn have_started(&mut self, threads: usize, stack_size: usize) {
        self.starting -= threads;
        self.mapped = self.mapped.saturating_sub(mapped(threads, stack_size));
    }
}

/// Checks that this host can run a thread for each node of a machine.
///
/// # Errors
/// [`ConfigError::Topology`], and the errors of [`check_threads`].
pub(crate) fn check(machine: &MachineSpec, stack_size: usize) -> Result<(), ConfigError> {
    machine.check()?;
    check_threads(machine.nodes(), stack_size)
}

/// Checks that this host can run the threads of this number of nodes.
///
/// # Errors
/// [`ConfigError::TooManyNodes`], [`ConfigError::TooLittleMemory`].
pub(crate) fn check_threads(nodes: usize, stack_size: usize) -> Result<(), ConfigError> {
    check_besides(&NODE_THREADS.lock(), nodes, stack_size)
}

/// Performs the check of [`check_threads`], including the threads of other runs that have not started yet.
fn check_besides(running: &NodeThreads, nodes: usize, stack_size: usize) -> Result<(), ConfigError> {
    let (allowed, limit) = spare_threads(nodes + running.starting);
    let allowed = allowed.saturating_sub(running.starting);
    if nodes > allowed {
        return Err(ConfigError::TooManyNodes { nodes, allowed, limit });
    }
    match shortage(running, nodes, stack_size) {
        Some(Shortage { needed, left, limit }) => {
            Err(ConfigError::TooLittleMemory { nodes, stack_size, needed, left, limit })
        }
        None => Ok(()),
    }
}

/// Returns the number of threads that can still be started, and the source of this limit. The threads of the user are counted
/// only if the answer for `wanted` threads depends on them.
fn spare_threads(wanted: usize) -> (usize, String) {
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
        // Counting the threads of this user takes milliseconds. The number of threads of all users, an upper bound, is in one file.
        let left = |used: usize| most.saturating_sub(used + SPARE_THREADS);
        let least = left(running_threads());
        let left = if wanted > least { threads_of_user().map_or(least, left) } else { least };
        (left, format!("the user may run {most} threads (`ulimit -u`)"))
    });
    let known = [maps, threads, group, user].into_iter().flatten();
    known.min().unwrap_or_else(|| (UNKNOWN, "the limits of this host are not known".into()))
}

/// The address space of a thread besides its stack: guard pages, a signal stack, and the emulator's data of a node.
const BESIDES_STACK: u64 = 64 << 10;

/// The resident memory of a thread with a nearly empty program and the emulator's data of its node: measured with 4096 and 16,000 nodes,
/// and rounded up.
const RESIDENT: u64 = 24 << 10;

/// The address space that the allocator of the GNU C library reserves for each of its arenas. Each thread has its own arena, up to eight
/// arenas per core.
const ARENA: u64 = if cfg!(target_env = "gnu") { 64 << 20 } else { 0 };
const ARENAS_PER_CORE: u64 = 8;

/// A limited kind of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Memory {
    /// The name of the memory.
    name: &'static str,
    /// The bytes that the threads need.
    needed: u64,
    /// The bytes that are left.
    left: u64,
    /// The source of the limit.
    limit: String,
}

/// A lack of memory for the threads of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shortage {
    /// The bytes needed.
    needed: u64,
    /// The bytes left.
    left: u64,
    /// The kind of memory, and the source of the limit.
    limit: String,
}

/// Returns the first kind of memory that is insufficient for the threads of `nodes` nodes.
fn shortage(running: &NodeThreads, nodes: usize, stack_size: usize) -> Option<Shortage> {
    let mapped = mapped(nodes, stack_size).saturating_add(running.mapped);
    let nodes = nodes + running.starting;
    let memories = [address_space(nodes, mapped), committed(mapped), resident(nodes)];
    memories.into_iter().flatten().find_map(|Memory { name, needed, left, limit }| {
        (needed > left).then(|| Shortage { needed, left, limit: format!("{name}, {limit}") })
    })
}

/// The number of bytes that the threads map, whether or not they touch them.
fn mapped(nodes: usize, stack_size: usize) -> u64 {
    (nodes as u64).saturating_mul((stack_size as u64).saturating_add(BESIDES_STACK))
}

/// The limit on the address space of the process (`ulimit -v`).
fn address_space(nodes: usize, mapped: u64) -> Option<Memory> {
    let most = address_limit()?;
    let used = entry("/proc/self/status", "VmSize:")? << 10;
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let arenas = (nodes as u64).min(ARENAS_PER_CORE * cores) * ARENA;
    Some(Memory {
        name: "address space",
        needed: mapped.saturating_add(arenas),
        left: most.saturating_sub(used),
        limit: format!("`ulimit -v` is {}", most >> 10),
    })
}

/// The limit on committed memory, which exists only if `vm.overcommit_memory` is 2; stacks then count in full.
fn committed(mapped: u64) -> Option<Memory> {
    if number("/proc/sys/vm/overcommit_memory")? != 2 {
        return None;
    }
    let most = entry("/proc/meminfo", "CommitLimit:")? << 10;
    let used = entry("/proc/meminfo", "Committed_AS:")? << 10;
    Some(Memory {
        name: "committable memory",
        needed: mapped,
        left: most.saturating_sub(used),
        limit: "vm.overcommit_memory is 2".into(),
    })
}

/// The control group's limit (version 2 or 1) on resident memory. File caches are not counted, because they can be released.
fn resident(nodes: usize) -> Option<Memory> {
    let group = |limit: &str, statistics: &str, used: &str| {
        let most = number(limit)? as u64;
        Some((most, entry(statistics, used)?))
    };
    let (most, used) =
        group("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.stat", "anon").or_else(|| {
            let (limit, statistics) = ("memory.limit_in_bytes", "memory.stat");
            let folder = Path::new("/sys/fs/cgroup/memory");
            group(folder.join(limit).to_str()?, folder.join(statistics).to_str()?, "total_rss")
        })?;
    Some(Memory {
        name: "resident memory",
        needed: (nodes as u64).saturating_mul(RESIDENT),
        left: most.saturating_sub(used),
        limit: format!("the limit of the control group is {most} bytes"),
    })
}

/// Returns the number that follows `word` at the beginning of a line of a file in /proc or /sys.
fn entry(path: impl AsRef<Path>, word: &str) -> Option<u64> {
    text(path, word)?.parse().ok()
}

/// Returns the word that follows `word` at the beginning of a line of a file in /proc or /sys.
fn text(path: impl AsRef<Path>, word: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let mut words = text.lines().map(str::split_whitespace);
    words.find_map(|mut line| (line.next()? == word).then(|| line.next().map(str::to_owned))?)
}

/// Returns the number in a file of /proc or /sys; `None` if the file does not exist or contains no number.
fn number(path: impl AsRef<Path>) -> Option<usize> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The number of threads of the whole system, from the fourth field of `loadavg` ("running/all").
fn running_threads() -> usize {
    let all = |text: String| text.split_whitespace().nth(3)?.split_once('/')?.1.parse().ok();
    fs::read_to_string("/proc/loadavg").ok().and_then(all).unwrap_or(0)
}

/// The capabilities that exempt a process from the limit on threads of a user, as bits: `CAP_SYS_ADMIN` and `CAP_SYS_RESOURCE`
/// (`copy_process` in Linux's kernel/fork.c).
const EXEMPT: u64 = 1 << 21 | 1 << 24;

/// The number of threads of the user of this process, which `RLIMIT_NPROC` limits; `None` if /proc does not show it.
fn threads_of_user() -> Option<usize> {
    let user = entry("/proc/self/status", "Uid:")?;
    let is_process = |name: &OsStr| name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let processes = fs::read_dir("/proc").ok()?.flatten().filter(|entry| is_process(&entry.file_name()));
    let threads = |process: DirEntry| {
        let status = process.path().join("status");
        (entry(&status, "Uid:")? == user).then(|| entry(&status, "Threads:"))?
    };
    // A process that ends during the count is left out.
    Some(processes.filter_map(threads).sum::<u64>() as usize)
}

/// The limit on the threads of the user of this process; `None` if there is no limit or this process is exempt from it.
#[cfg(target_os = "linux")]
fn user_limit() -> Option<usize> {
    let capabilities =
        text("/proc/self/status", "CapEff:").and_then(|word| u64::from_str_radix(&word, 16).ok());
    if entry("/proc/self/status", "Uid:") == Some(0) || capabilities.is_some_and(|word| word & EXEMPT != 0) {
        return None;
    }
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nproc);
    limit.current.and_then(|most| usize::try_from(most).ok())
}

#[cfg(target_os = "linux")]
fn address_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}

#[cfg(not(target_os = "linux"))]
fn user_limit() -> Option<usize> {
    None
}

#[cfg(not(target_os = "linux"))]
fn address_limit() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_limit_of_threads_is_found_with_its_cause() {
        let (threads, limit) = spare_threads(1);
        assert!(threads > 0, "{limit}");
        assert!(!limit.is_empty());
    }

    #[test]
    fn stacks_count_in_full_where_they_are_mapped() {
        assert_eq!(mapped(16, 1 << 20), 16 * ((1 << 20) + (64 << 10)));
        assert_eq!(mapped(usize::MAX, usize::MAX), u64::MAX);
        let nothing = NodeThreads { threads: 0, starting: 0, mapped: 0 };
        assert_eq!(shortage(&nothing, 1, 1 << 20), None, "one thread more is always possible");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_threads_of_a_user_are_those_of_its_processes() {
        let own = entry("/proc/self/status", "Threads:").unwrap() as usize;
        let all = threads_of_user().unwrap();
        // Other processes of the system start and end meanwhile.
        assert!(
            all >= own.min(2) && all <= running_threads() + 100,
            "{all} of this user, {own} of this process"
        );
    }

    #[test]
    fn numbers_are_parsed_after_their_labels() {
        assert!(entry("/proc/self/status", "VmSize:").is_some_and(|kilobytes| kilobytes > 1000));
        assert_eq!(entry("/proc/self/status", "NoSuchWord:"), None);
        assert_eq!(entry("/no/such/file", "VmSize:"), None);
    }
}
