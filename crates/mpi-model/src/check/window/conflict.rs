//! The accesses to the memory of a rank, and which of them conflict.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, atomic::AtomicBool},
};

use multicomputer::{Rank, comm::transport::Context};
use parking_lot::Mutex;

use crate::{
    check::{Check, Finding, Kind, Site, flight::overlap},
    datatype::basic::Basic,
    op::Predefined,
};

/// A vector clock: for each rank the number of its releases that are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock(Vec<u64>);

impl Clock {
    pub(super) fn of(&self, rank: Rank) -> u64 {
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
    pub(super) fn returns(self) -> bool {
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
pub(super) type Pieces = Vec<(usize, usize)>;

/// Locks, by window and target.
pub(super) type Guards = Vec<((Context, usize), Guard)>;

/// Accesses by the owner of the memory and their number.
pub(super) type Numbers = Vec<(Rank, u64)>;

/// An access that is noted.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) site: Site,
    pub(super) rank: Rank,
    pub(super) act: Act,
    /// The locks under which it is made, by window and target.
    pub(super) guards: Guards,
    pub(super) pieces: Pieces,
    /// What the access makes known to others when it takes effect.
    pub(super) released: Option<Clock>,
    /// What was known at its place when it took effect, if it returns the old value.
    pub(super) acquired: Option<Clock>,
    /// The time of its process at its end, for its process's component of clocks; `None` before.
    pub(super) ended: Option<u64>,
}

/// Pieces of memory up to this length are found by their addresses.
pub(super) const SHORT: usize = 4096;

/// The accesses to the memory of one rank.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) records: BTreeMap<u64, Record>,
    /// Pieces of at most `SHORT` bytes by first address and record, with their last address; longer ones by record.
    pub(super) short: BTreeMap<(usize, u64), usize>,
    pub(super) long: BTreeSet<u64>,
    pub(super) prune_at: usize,
    /// What accumulations at an address have made known.
    pub(super) atomic: BTreeMap<usize, Clock>,
    /// What accesses that took effect have made known.
    pub(super) visible: Clock,
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
        // Half of the records at least are new at the next time, so removing takes a constant time for each.
        self.prune_at = 2 * self.records.len();
    }
}

/// A call that others wait for: the clocks of those that have made it, and how many have left it.
#[derive(Debug)]
pub(super) struct Meeting {
    pub(super) size: usize,
    pub(super) entered: BTreeMap<Rank, Clock>,
    pub(super) left: usize,
}

/// The number of a call of several ranks on a communicator.
pub(in crate::check) type MeetingKey = (Context, u64);

/// Whose calls end before one's own call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum Joins {
    All,
    Of(Rank),
    /// Those that are before one's own in the communicator.
    Before(usize),
    None,
}

/// A call that is not over, and whose calls end before.
#[derive(Clone, Debug)]
#[must_use]
pub(crate) struct Met {
    pub(super) key: MeetingKey,
    pub(super) joins: Joins,
    pub(super) members: Vec<Rank>,
}

/// What happens at the end of a request, beside the end of its buffers.
#[derive(Debug)]
pub(in crate::check) enum End {
    Meeting(Met),
    /// An access to the memory of a rank.
    Access(Rank, u64),
}

/// What the ranks of a run share.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) clocks: BTreeMap<Rank, Clock>,
    pub(super) meetings: BTreeMap<MeetingKey, Meeting>,
    pub(super) memories: BTreeMap<Rank, Memory>,
    pub(super) next: u64,
    /// Conflicts that were found, by the calls.
    pub(super) known: BTreeSet<(Rank, Site, Rank, Site)>,
    pub(super) found: Vec<Finding>,
    /// Whether the program has order that is not followed.
    pub(super) is_unknown: bool,
}

/// The accesses to windows of a run.
#[derive(Debug, Default)]
pub(in crate::check) struct Windows {
    /// Whether any window was made. Before, no order is followed; whatever follows the first window sees it.
    pub(super) exist: AtomicBool,
    pub(super) state: Mutex<State>,
}

impl State {
    pub(super) fn clock(&mut self, rank: Rank) -> &mut Clock {
        let clock = self.clocks.entry(rank).or_default();
        if clock.of(rank) == 0 {
            clock.advance(rank);
        }
        clock
    }

    pub(super) fn release(&mut self, rank: Rank) -> Clock {
        let clock = self.clock(rank);
        let released = clock.clone();
        clock.advance(rank);
        released
    }

    /// Notes an access and returns its number, after it was compared with the others.
    pub(super) fn note(&mut self, check: &Check, owner: Rank, record: Record) -> u64 {
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
        if memory.records.len() > memory.prune_at {
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

/// A one-sided access that is noted.
#[derive(Debug)]
pub(crate) struct Noted {
    pub(super) check: Arc<Check>,
    pub(super) owner: Rank,
    pub(super) id: u64,
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
