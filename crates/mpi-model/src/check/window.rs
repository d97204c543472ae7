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

mod conflict;

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    sync::atomic::Ordering,
};

use multicomputer::{Rank, comm::transport::Context};

pub(crate) use self::conflict::{Act, Clock, Met, Noted};
pub(super) use self::conflict::{End, Joins, MeetingKey, Windows};
use self::conflict::{Guard, Guards, Meeting, Numbers, Pieces, Record, State};
use super::{
    Check, Finding, Kind, Site,
    flight::{join, overlap},
};
use crate::process::Process;

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

    /// Adds a finding: an epoch is never closed, which the call at `opened` has opened.
    pub(crate) fn unclosed_epoch(&self, opened: Option<Site>, text: &str) {
        let Some(checker) = &self.checker else { return };
        let text = format!("{}: {text}", self.site().function);
        let others = opened.map(|site| checker.line(site)).into_iter().collect();
        self.found(Kind::MissingEpoch, text, "close the epoch before", others);
    }

    /// Adds a finding: the epoch that the call at `inside` has opened is within that between two fences, the first one at `first`, the second one
    /// the current call. Two fences and an access between them make an epoch (MPI 5.0, section 12.5.1).
    pub(crate) fn epoch_between_fences(&self, first: Site, inside: Site) {
        let Some(checker) = &self.checker else { return };
        let text = format!(
            "{}: an access is made in this epoch, which is within that of two fences",
            inside.function
        );
        let finding = Finding::new(Kind::DoubledEpoch, text, checker.line(inside));
        let fences = vec![checker.line(first), checker.line(self.site())];
        let help = "give MPI_MODE_NOSUCCEED to the first fence, or MPI_MODE_NOPRECEDE to the second one";
        checker.check.add(finding.with(fences).help(help));
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
            join(&mut pieces);
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
