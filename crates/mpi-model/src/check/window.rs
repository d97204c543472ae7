//! Accesses to the memory of windows: which of them conflict, because nothing orders them (MPI 5.0, section 12.7).
//!
//! Every access has a beginning, its call, and an end: the call that completes it at the target. A load or a store of the process itself, or of a
//! call of MPI on its buffer, is an instant. Two accesses to the same bytes are ordered if one ends before the other begins, in the order
//! *happened-before*, which vector clocks represent:
//!
//! ```text
//!   one process        its calls, in their order
//!   messages           a send before the end of its receive
//!   collective calls   each call before the ends of those that need its data; all before all for a barrier
//!   fences             all before all, and the end and the creation of a window
//!   post, start        MPI_Win_post before the first access, MPI_Win_complete before the end of MPI_Win_wait
//!   locks              an unlock before a later lock, if one of the two is exclusive
//!   atomic accesses    an accumulation before a later one with a result, at the same place
//!   polling            an access that took effect before MPI_Win_sync, a test, a probe, a volatile or atomic load at the target
//! ```
//!
//! Accesses under an exclusive lock exclude all others under locks. Order by persistent, neighborhood or partitioned operations and between
//! groups is not followed: a program with such operations beside windows gets no finding for accesses of two processes.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use multicomputer::{Rank, comm::transport::Context};
use parking_lot::Mutex;

use super::{Check, Finding, Kind, Site, flight::overlap};
use crate::{datatype::basic::Basic, op::Predefined, process::Process};

/// A vector clock: for each rank the number of its releases that are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock(Vec<u64>);

impl Clock {
    fn of(&self, rank: Rank) -> u64 {
        self.0.get(rank).copied().unwrap_or(0)
    }

    fn advance(&mut self, rank: Rank) {
        if self.0.len() <= rank {
            self.0.resize(rank + 1, 0);
        }
        self.0[rank] += 1;
    }

    /// Adds what another clock knows.
    pub(crate) fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own = (*own).max(*other));
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Put,
    Get,
    /// An accumulation: the operator, `None` for a compare-and-swap; the basic type; whether it returns the old value.
    Accumulate(Option<Predefined>, Option<Basic>, bool),
    Load,
    Store,
}

impl Act {
    fn reads_only(self) -> bool {
        matches!(self, Act::Get | Act::Load | Act::Accumulate(Some(Predefined::NoOp), ..))
    }

    /// Whether the access is complete at its target once its result has arrived.
    fn returns(self) -> bool {
        matches!(self, Act::Get | Act::Accumulate(_, _, true))
    }

    /// Whether accesses of two processes conflict.
    fn conflicts(self, other: Act) -> bool {
        match (self, other) {
            _ if self.reads_only() && other.reads_only() => false,
            (Act::Accumulate(one, of, _), Act::Accumulate(op, other_of, _)) => {
                let is_free = |op| matches!(op, None | Some(Predefined::NoOp));
                let same_type = of.zip(other_of).is_none_or(|(one, other)| one == other);
                !same_type || one != op && !is_free(one) && !is_free(op)
            }
            _ => true,
        }
    }

    /// Whether accesses of one process conflict that are not complete: accumulations of one process are ordered.
    fn conflicts_alone(self, other: Act) -> bool {
        let is_accumulation = |act| matches!(act, Act::Accumulate(..));
        self.conflicts(other) && !(is_accumulation(self) && is_accumulation(other))
    }
}

/// The lock under which an access is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    None,
    Shared,
    Exclusive,
}

/// The first and the last addresses of pieces of memory, in order.
type Pieces = Vec<(usize, usize)>;

/// Locks, by window and target.
type Guards = Vec<((Context, usize), Guard)>;

/// Accesses by the owner of the memory and their number.
type Numbers = Vec<(Rank, u64)>;

/// An access that is noted.
#[derive(Debug)]
struct Record {
    site: Site,
    rank: Rank,
    act: Act,
    /// The locks under which it is made, by window and target.
    guards: Guards,
    pieces: Pieces,
    /// What the access makes known to others when it takes effect.
    released: Option<Clock>,
    /// What was known at its place when it took effect, if it returns the old value.
    acquired: Option<Clock>,
    /// The time of its process at its end, for its process's component of clocks; `None` before.
    ended: Option<u64>,
}

/// Pieces of memory up to this length are found by their addresses.
const SHORT: usize = 4096;

/// The number of records from which those that can conflict with nothing are removed.
const FIRST_PRUNING: usize = 1024;

/// The accesses to the memory of one rank.
#[derive(Debug, Default)]
struct Memory {
    records: BTreeMap<u64, Record>,
    /// Pieces of at most `SHORT` bytes by first address and record, with their last address; longer ones by record.
    short: BTreeMap<(usize, u64), usize>,
    long: BTreeSet<u64>,
    prune_at: usize,
    /// What accumulations at an address have made known.
    atomic: BTreeMap<usize, Clock>,
    /// What accesses that took effect have made known.
    visible: Clock,
}

impl Memory {
    /// The records whose pieces may overlap with pieces.
    fn near(&self, pieces: &[(usize, usize)]) -> BTreeSet<u64> {
        let mut found = self.long.clone();
        for &(first, last) in pieces {
            let from = (first.saturating_sub(SHORT), 0);
            let near = self.short.range(from..=(last, u64::MAX)).filter(|(_, end)| **end >= first);
            found.extend(near.map(|((_, id), _)| *id));
        }
        found
    }

    fn insert(&mut self, id: u64, record: Record) {
        if record.pieces.iter().any(|(first, last)| last - first >= SHORT) {
            self.long.insert(id);
        } else {
            self.short.extend(record.pieces.iter().map(|&(first, last)| ((first, id), last)));
        }
        self.records.insert(id, record);
    }

    /// Removes the accesses of which all ranks know that they have ended.
    fn prune(&mut self, clocks: &BTreeMap<Rank, Clock>) {
        let is_known = |record: &Record| {
            let ended = record.ended.unwrap_or(u64::MAX);
            clocks.iter().all(|(rank, clock)| *rank == record.rank || clock.of(record.rank) >= ended)
                && record.ended.is_some()
        };
        let known: Vec<u64> =
            self.records.iter().filter(|(_, record)| is_known(record)).map(|(id, _)| *id).collect();
        for id in known {
            self.long.remove(&id);
            for (first, _) in self.records.remove(&id).map(|record| record.pieces).unwrap_or_default() {
                self.short.remove(&(first, id));
            }
        }
        self.prune_at = (2 * self.records.len()).max(FIRST_PRUNING);
    }
}

/// A call that others wait for: the clocks of those that have made it, and how many have left it.
#[derive(Debug)]
struct Meeting {
    size: usize,
    entered: BTreeMap<Rank, Clock>,
    left: usize,
}

/// The number of a call of several ranks on a communicator.
pub(super) type MeetingKey = (Context, u64);

/// Whose calls end before one's own call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joins {
    All,
    Of(Rank),
    /// Those that are before one's own in the communicator.
    Before(usize),
    None,
}

/// A call that is not over, and whose calls end before.
#[derive(Debug)]
#[must_use]
pub(crate) struct Met {
    key: MeetingKey,
    joins: Joins,
    members: Vec<Rank>,
}

/// What happens at the end of a request, beside the end of its buffers.
#[derive(Debug)]
pub(super) enum End {
    Meeting(Met),
    /// An access to the memory of a rank.
    Access(Rank, u64),
}

/// What the ranks of a run share.
#[derive(Debug, Default)]
struct State {
    clocks: BTreeMap<Rank, Clock>,
    meetings: BTreeMap<MeetingKey, Meeting>,
    memories: BTreeMap<Rank, Memory>,
    next: u64,
    /// Conflicts that were found, by the calls.
    known: BTreeSet<(Rank, Site, Rank, Site)>,
    found: Vec<Finding>,
    /// Whether the program has order that is not followed.
    is_unknown: bool,
}

/// The accesses to windows of a run.
#[derive(Debug, Default)]
pub(super) struct Windows {
    /// Whether any window was made. Before, no order is followed; whatever follows the first window sees it.
    exist: AtomicBool,
    state: Mutex<State>,
}

/// Memory of a window that a process can access by loads and stores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    /// The first and the last address.
    pub(crate) addresses: (usize, usize),
    pub(crate) of: Part,
}

/// The part of a process in a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// The rank whose memory it is.
    pub(crate) owner: Rank,
    pub(crate) window: Context,
    /// The process of the window.
    pub(crate) target: usize,
}

/// The notes of one rank.
#[derive(Debug, Default)]
pub(super) struct WindowNotes {
    regions: RefCell<Vec<Region>>,
    /// The locks that are held, by window and target; target `None` is all of them.
    locks: RefCell<BTreeMap<(Context, Option<usize>), Guard>>,
    /// The accesses that are not complete at their targets.
    open: RefCell<BTreeMap<(Context, usize), Numbers>>,
    /// Whether the last call was MPI_Win_sync, after which a program that polls looks for changes.
    pub(super) polls: Cell<bool>,
}

/// A one-sided access that is noted.
#[derive(Debug)]
pub(crate) struct Noted {
    check: Arc<Check>,
    owner: Rank,
    id: u64,
}

impl Noted {
    /// Notes that the access takes effect, at this instant of modeled time.
    pub(crate) fn takes_effect(&self) {
        let state = &mut *self.check.windows.state.lock();
        let Some(memory) = state.memories.get_mut(&self.owner) else { return };
        let Some(record) = memory.records.get_mut(&self.id) else { return };
        let Some(released) = record.released.take() else { return };
        let first = record.pieces.first().map_or(0, |piece| piece.0);
        if let Act::Accumulate(op, _, returns) = record.act {
            let known = memory.atomic.entry(first).or_default();
            if returns {
                record.acquired = Some(known.clone());
            }
            if op != Some(Predefined::NoOp) {
                known.join(&released);
            }
        }
        if !record.act.reads_only() {
            memory.visible.join(&released);
        }
    }
}

impl State {
    fn clock(&mut self, rank: Rank) -> &mut Clock {
        let clock = self.clocks.entry(rank).or_default();
        if clock.of(rank) == 0 {
            clock.advance(rank);
        }
        clock
    }

    fn release(&mut self, rank: Rank) -> Clock {
        let clock = self.clock(rank);
        let released = clock.clone();
        clock.advance(rank);
        released
    }

    /// Notes an access and returns its number, after it was compared with the others.
    fn note(&mut self, check: &Check, owner: Rank, record: Record) -> u64 {
        let id = self.next;
        self.next += 1;
        let clock = self.clock(record.rank).clone();
        let State { memories, known, found, clocks, .. } = self;
        let memory = memories.entry(owner).or_default();
        for near in memory.near(&record.pieces) {
            let Some(other) = memory.records.get(&near) else { continue };
            let is_same = other.rank == record.rank;
            let is_ordered = other.ended.is_some_and(|ended| is_same || ended <= clock.of(other.rank));
            let excludes = !is_same && excludes(&other.guards, &record.guards);
            let conflicts = match is_same {
                true => record.act.conflicts_alone(other.act),
                false => record.act.conflicts(other.act),
            };
            if is_ordered || excludes || !conflicts || !overlap(&other.pieces, &record.pieces) {
                continue;
            }
            if known.insert((other.rank, other.site, record.rank, record.site)) {
                let finding = conflict(check, owner, other, &record);
                if is_same {
                    check.add(finding);
                } else {
                    found.push(finding);
                }
            }
        }
        memory.insert(id, record);
        if memory.records.len() >= memory.prune_at.max(FIRST_PRUNING) {
            memory.prune(clocks);
        }
        id
    }
}

/// Whether a lock of one access excludes the other access.
fn excludes(one: &[((Context, usize), Guard)], other: &[((Context, usize), Guard)]) -> bool {
    let is_exclusive = |one, other| one == Guard::Exclusive && other != Guard::None;
    one.iter().any(|(place, guard)| {
        let same = other.iter().filter(|(other, _)| other == place);
        same.clone().any(|(_, other)| is_exclusive(*guard, *other) || is_exclusive(*other, *guard))
    })
}

/// The finding of two accesses that nothing orders.
fn conflict(check: &Check, owner: Rank, one: &Record, other: &Record) -> Finding {
    let line = |record: &Record| check.line(record.rank, record.site);
    let mut lines = [(line(one), one), (line(other), other)];
    // The same one is named first whichever was noted first.
    lines.sort_by(|(one, _), (other, _)| (&one.place, one.rank).cmp(&(&other.place, other.rank)));
    let [(first_line, first), (second_line, second)] = lines;
    let name = |record: &Record| format!("{} of rank {}", record.site.function, record.rank);
    let text = if one.rank == other.rank {
        format!(
            "{} and {} access the same memory of rank {owner}, and the first is not complete",
            first.site.function,
            name(second)
        )
    } else {
        format!(
            "{} and {} access the same memory of rank {owner}, and nothing orders them",
            name(first),
            name(second)
        )
    };
    let is_accumulation = |record: &Record| matches!(record.act, Act::Accumulate(..));
    let help = if is_accumulation(one) && is_accumulation(other) {
        "use one operator and one basic datatype for all accumulations to a place in one epoch"
    } else if one.rank == other.rank {
        "call MPI_Win_flush between them, or begin a new epoch"
    } else {
        "put a fence between them, or MPI_Win_flush (or the end of the epoch) and then a message or a barrier; exclusive locks exclude each other"
    };
    Finding::new(Kind::GlobalConcurrency, text, second_line).with(vec![first_line]).help(help)
}

impl Check {
    /// The conflicts of accesses of different ranks, if all order is known.
    pub(super) fn conclude_windows(&self) {
        let state = std::mem::take(&mut *self.windows.state.lock());
        if !state.is_unknown {
            state.found.into_iter().for_each(|finding| self.add(finding));
        }
    }

    /// Whether order has to be followed.
    pub(super) fn has_windows(&self) -> bool {
        self.windows.exist.load(Ordering::Acquire)
    }
}

impl<'n> Process<'n> {
    /// Adds a finding: an epoch is open, which the call at `opened` has opened.
    pub(crate) fn doubled_epoch(&self, opened: Option<Site>, text: &str) {
        let Some(checker) = &self.checker else { return };
        let text = format!("{}: {text}", self.site().function);
        let others = opened.map(|site| checker.line(site)).into_iter().collect();
        self.found(Kind::DoubledEpoch, text, "close the epoch before", others);
    }

    /// The call that the program makes, if the run is checked.
    pub(crate) fn checked_site(&self) -> Option<Site> {
        self.checker.as_ref().and_then(|_| self.site.get())
    }

    /// The shared notes and the rank, if order has to be followed.
    fn windows(&self) -> Option<(&super::Checker, parking_lot::MutexGuard<'_, State>)> {
        let checker = self.checker.as_ref().filter(|checker| checker.check.has_windows())?;
        Some((checker, checker.check.windows.state.lock()))
    }

    /// Notes a window that this process can access by loads and stores in these regions. Windows that were made of the same memory count too.
    pub(crate) fn window_made(&self, regions: impl IntoIterator<Item = Region>) {
        let Some(checker) = &self.checker else { return };
        checker.check.windows.exist.store(true, Ordering::Release);
        checker.windows.regions.borrow_mut().extend(regions);
        self.watch();
    }

    /// Forgets a window, or memory of it that begins at an address.
    pub(crate) fn window_freed(&self, window: Context, base: Option<usize>) {
        let Some(checker) = &self.checker else { return };
        let is_gone = |region: &Region| {
            region.of.window == window && base.is_none_or(|base| region.addresses.0 == base)
        };
        checker.windows.regions.borrow_mut().retain(|region| !is_gone(region));
        self.watch();
    }

    /// The addresses of memory of windows.
    pub(super) fn window_memory(&self) -> Vec<(usize, usize)> {
        let Some(checker) = &self.checker else { return Vec::new() };
        checker.windows.regions.borrow().iter().map(|region| region.addresses).collect()
    }

    /// What this process knows, for a message or another call that makes it known.
    pub(crate) fn released(&self) -> Option<Clock> {
        let (checker, mut state) = self.windows()?;
        Some(state.release(checker.rank))
    }

    /// Adds what others have made known.
    pub(crate) fn acquired(&self, clock: Option<&Clock>) {
        if let (Some(clock), Some((checker, mut state))) = (clock, self.windows()) {
            state.clock(checker.rank).join(clock);
        }
    }

    /// Notes that the program has order that is not followed.
    pub(super) fn has_unknown_order(&self) {
        if let Some((_, mut state)) = self.windows() {
            state.is_unknown = true;
        }
    }

    /// Adds what accesses to this process's memory have made known that have taken effect.
    pub(crate) fn sees_memory(&self) {
        if let Some((checker, mut state)) = self.windows() {
            let visible = state.memories.entry(checker.rank).or_default().visible.clone();
            state.clock(checker.rank).join(&visible);
        }
    }

    /// Makes known what this process has stored in memory that a window shares with others.
    pub(crate) fn shares_memory(&self, window: Context) {
        let Some(checker) = &self.checker else { return };
        let owners: BTreeSet<Rank> = {
            let regions = checker.windows.regions.borrow();
            regions.iter().filter(|region| region.of.window == window).map(|region| region.of.owner).collect()
        };
        let Some((checker, mut state)) = self.windows() else { return };
        let released = state.release(checker.rank);
        for owner in owners {
            let memory = state.memories.entry(owner).or_default();
            memory.visible.join(&released);
            let visible = memory.visible.clone();
            state.clock(checker.rank).join(&visible);
        }
    }

    /// Enters a call that `members` make, on a communicator with this context.
    pub(super) fn enters(&self, key: MeetingKey, members: Vec<Rank>, joins: Joins) -> Option<Met> {
        let (checker, mut state) = self.windows()?;
        let released = state.release(checker.rank);
        let size = members.len();
        let meeting =
            state.meetings.entry(key).or_insert_with(|| Meeting { size, entered: BTreeMap::new(), left: 0 });
        meeting.entered.insert(checker.rank, released);
        Some(Met { key, joins, members })
    }

    /// Enters a call that all processes of a window make.
    pub(crate) fn enters_window(&self, window: Context, members: impl FnOnce() -> Vec<Rank>) -> Option<Met> {
        let checker = self.checker.as_ref().filter(|checker| checker.check.has_windows())?;
        let number = checker.next_call(window);
        self.enters((window, number), members(), Joins::All)
    }

    /// Leaves a call, after those that it needs have entered it.
    pub(crate) fn leaves(&self, met: Option<Met>) {
        let (Some(met), Some((checker, mut state))) = (met, self.windows()) else { return };
        let Some(meeting) = state.meetings.get_mut(&met.key) else { return };
        let mut known = Clock::default();
        for (at, member) in met.members.iter().enumerate() {
            let counts = match met.joins {
                Joins::All => true,
                Joins::Of(rank) => rank == *member,
                Joins::Before(own) => at < own,
                Joins::None => false,
            };
            if let Some(entered) = meeting.entered.get(member).filter(|_| counts) {
                known.join(entered);
            }
        }
        meeting.left += 1;
        if meeting.left == meeting.size {
            state.meetings.remove(&met.key);
        }
        state.clock(checker.rank).join(&known);
    }

    /// Notes that this process holds a lock of a target; of all of them without one.
    pub(crate) fn locked(&self, window: Context, target: Option<usize>, is_exclusive: bool) {
        if let Some(checker) = &self.checker {
            let guard = if is_exclusive { Guard::Exclusive } else { Guard::Shared };
            checker.windows.locks.borrow_mut().insert((window, target), guard);
        }
    }

    /// Notes that this process holds the lock no more.
    pub(crate) fn unlocked(&self, window: Context, target: Option<usize>) {
        if let Some(checker) = &self.checker {
            checker.windows.locks.borrow_mut().remove(&(window, target));
        }
    }

    fn guard(&self, window: Context, target: usize) -> Guard {
        let Some(checker) = &self.checker else { return Guard::None };
        let locks = checker.windows.locks.borrow();
        let lock = locks.get(&(window, Some(target))).or_else(|| locks.get(&(window, None)));
        lock.copied().unwrap_or(Guard::None)
    }

    /// Notes a one-sided access that begins. The next request that is issued has its end.
    pub(crate) fn accesses(
        &self,
        at: Part,
        act: Act,
        pieces: impl FnOnce() -> Vec<(usize, usize)>,
    ) -> Option<Noted> {
        let guard = self.guard(at.window, at.target);
        let pieces = pieces();
        let (checker, mut state) = self.windows()?;
        let rank = checker.rank;
        let record = Record {
            site: self.site(),
            rank,
            act,
            guards: vec![((at.window, at.target), guard)],
            pieces,
            released: None,
            acquired: None,
            ended: None,
        };
        let id = state.note(&checker.check, at.owner, record);
        let released = state.release(rank);
        if let Some(record) = state.memories.get_mut(&at.owner).and_then(|memory| memory.records.get_mut(&id))
        {
            record.released = Some(released);
        }
        drop(state);
        checker.windows.open.borrow_mut().entry((at.window, at.target)).or_default().push((at.owner, id));
        checker.flights.borrow_mut().ends_with(End::Access(at.owner, id));
        Some(Noted { check: checker.check.clone(), owner: at.owner, id })
    }

    /// Notes that an access is complete at this process: it is complete at the target if it has returned data.
    pub(super) fn access_returned(&self, owner: Rank, id: u64) {
        let Some((checker, mut state)) = self.windows() else { return };
        let now = state.clock(checker.rank).of(checker.rank);
        let memory = state.memories.entry(owner).or_default();
        let Some(record) = memory.records.get_mut(&id) else { return };
        if record.act.returns() {
            record.ended.get_or_insert(now);
        }
        let known = record.acquired.take().unwrap_or_default();
        state.clock(checker.rank).join(&known);
    }

    /// Notes that all accesses of this process to a target, or to all, are complete there.
    pub(crate) fn accesses_end(&self, window: Context, target: Option<usize>) {
        let Some((checker, mut state)) = self.windows() else { return };
        let now = state.clock(checker.rank).of(checker.rank);
        let mut open = checker.windows.open.borrow_mut();
        let ended: Vec<(Rank, u64)> = match target {
            Some(target) => open.remove(&(window, target)).unwrap_or_default(),
            None => {
                let (ended, left) =
                    std::mem::take(&mut *open).into_iter().partition(|((of, _), _)| *of == window);
                *open = left;
                let ended: BTreeMap<_, Vec<_>> = ended;
                ended.into_values().flatten().collect()
            }
        };
        for (owner, id) in ended {
            if let Some(record) =
                state.memories.get_mut(&owner).and_then(|memory| memory.records.get_mut(&id))
            {
                record.ended.get_or_insert(now);
            }
        }
    }

    /// Notes a load or a store of this process, if it is in memory of a window.
    pub(super) fn uses_memory(&self, pieces: &[(usize, usize)], writes: bool) {
        let Some(checker) = self.checker.as_ref().filter(|checker| checker.check.has_windows()) else {
            return;
        };
        if !writes && checker.windows.polls.get() {
            return;
        }
        let mut by_owner: BTreeMap<Rank, (Pieces, Guards)> = BTreeMap::new();
        for region in checker.windows.regions.borrow().iter() {
            let (first, last) = region.addresses;
            let inside = pieces.iter().filter(|piece| piece.1 >= first && piece.0 <= last);
            let mut inside = inside.map(|piece| (piece.0.max(first), piece.1.min(last))).peekable();
            if inside.peek().is_some() {
                let (pieces, guards) = by_owner.entry(region.of.owner).or_default();
                pieces.extend(inside);
                guards.push((
                    (region.of.window, region.of.target),
                    self.guard(region.of.window, region.of.target),
                ));
            }
        }
        for (owner, (mut pieces, guards)) in by_owner {
            // Memory of two windows is there twice.
            pieces.sort_unstable();
            pieces.dedup();
            let Some((checker, mut state)) = self.windows() else { return };
            let now = state.clock(checker.rank).of(checker.rank);
            let record = Record {
                site: self.site(),
                rank: checker.rank,
                act: if writes { Act::Store } else { Act::Load },
                guards,
                pieces,
                released: None,
                acquired: None,
                ended: Some(now),
            };
            state.note(&checker.check, owner, record);
        }
    }

    /// Notes a load or a store that orders others, if it is in memory of a window.
    pub(super) fn uses_atomically(&self, piece: (usize, usize), writes: bool) {
        let Some(checker) = &self.checker else { return };
        let owners: BTreeSet<Rank> = {
            let regions = checker.windows.regions.borrow();
            let at = regions.iter().filter(|region| overlap(&[piece], &[region.addresses]));
            at.map(|region| region.of.owner).collect()
        };
        let Some((checker, mut state)) = self.windows() else { return };
        for owner in owners {
            if writes {
                let released = state.release(checker.rank);
                state.memories.entry(owner).or_default().visible.join(&released);
            }
            let visible = state.memories.entry(owner).or_default().visible.clone();
            state.clock(checker.rank).join(&visible);
        }
    }
}
