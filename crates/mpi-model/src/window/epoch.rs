//! Epochs: which accesses a process may make, and waits for accesses.
//!
//! At most one access epoch is open at a time: that of a fence, of `MPI_Win_start`, or of locks. A fence that is followed by no access is no
//! obstacle to another kind of epoch.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    rc::Rc,
};

use multicomputer::{
    Tag,
    comm::transport::{Context, RequestId},
};

use super::{POST, Window, doubled, passive, synchronization};
use crate::{
    check::Site,
    collective::rounds,
    communicator,
    error::Result,
    process::Process,
    request::{Request, Work},
};

/// The access epoch of a process.
#[derive(Debug)]
pub(super) enum Accesses {
    /// No access is allowed.
    None,
    /// After a fence.
    Fence {
        /// Whether an access was made.
        is_used: bool,
    },
    /// After `MPI_Win_start`: the targets, and the receive of the message of `MPI_Win_post` until it was waited for.
    Group(BTreeMap<usize, Option<RequestId>>),
    /// After `MPI_Win_lock`: the targets, and whether their locks are held. They are not with `MPI_MODE_NOCHECK`.
    Locks(BTreeMap<usize, bool>),
    /// After `MPI_Win_lock_all`.
    All {
        /// Whether locks are taken; they are not with `MPI_MODE_NOCHECK`.
        takes_locks: bool,
        /// The targets whose locks are held. A lock is taken before the first access to its target.
        held: BTreeSet<usize>,
    },
}

/// Where accesses are complete after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Origin,
    Target,
}

/// An exposure epoch: between `MPI_Win_post` and `MPI_Win_wait`.
#[derive(Debug)]
pub(super) struct Exposure {
    /// Receives of the messages of `MPI_Win_complete` that have not been waited for.
    pub(super) pending: Vec<RequestId>,
}

impl Accesses {
    /// The call that has opened the epoch, if it must be closed before another kind of epoch begins.
    pub(super) fn opened_by(&self) -> Option<&'static str> {
        match self {
            Accesses::None | Accesses::Fence { is_used: false } => None,
            Accesses::Fence { is_used: true } => Some("MPI_Win_fence"),
            Accesses::Group(_) => Some("MPI_Win_start"),
            Accesses::Locks(_) => Some("MPI_Win_lock"),
            Accesses::All { .. } => Some("MPI_Win_lock_all"),
        }
    }

    /// Whether the epoch is one of locks.
    fn is_passive(&self) -> bool {
        matches!(self, Accesses::Locks(_) | Accesses::All { .. })
    }
}

impl<'n> Window<'n> {
    /// Checks that an access to a target is allowed now, and waits until it is. Accesses with a request are allowed only between locks.
    ///
    /// # Errors
    /// [`Class::RMA_SYNC`](crate::error::Class::RMA_SYNC).
    pub(super) fn begin_access(&self, process: &Process<'n>, rank: usize, with_request: bool) -> Result<()> {
        let mut accesses = self.accesses.borrow_mut();
        if matches!(&*accesses, Accesses::Group(_) | Accesses::Locks(_) | Accesses::All { .. })
            && self.fence.get().is_some()
            && self.inside.get().is_none()
        {
            self.inside.set(self.opened.get());
        }
        if with_request && !accesses.is_passive() {
            return synchronization(
                "accesses with a request need MPI_Win_lock or MPI_Win_lock_all before them",
            );
        }
        match &mut *accesses {
            Accesses::None => synchronization(
                "no access epoch is open: call MPI_Win_fence, MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all before",
            ),
            Accesses::Fence { is_used } => {
                *is_used = true;
                Ok(())
            }
            Accesses::Group(targets) => match targets.get_mut(&rank) {
                None => synchronization(format!("rank {rank} is not in the group of MPI_Win_start")),
                Some(posted) => {
                    let posted = posted.take();
                    drop(accesses);
                    posted.map_or(Ok(()), |posted| wait(process, posted))?;
                    self.noticed(process, POST, Some(rank))
                }
            },
            Accesses::Locks(targets) => match targets.contains_key(&rank) {
                true => Ok(()),
                false => synchronization(format!("rank {rank} is not locked: call MPI_Win_lock before")),
            },
            Accesses::All { takes_locks, held } => {
                if *takes_locks && held.insert(rank) {
                    drop(accesses);
                    return passive::take(process, self, rank, false);
                }
                Ok(())
            }
        }
    }

    /// Checks that a kind of epoch can begin.
    pub(super) fn check_closed(&self, process: &Process<'n>) -> Result<()> {
        match self.accesses.borrow().opened_by() {
            None => Ok(()),
            Some(call) => {
                let text = format!("the access epoch that {call} has opened is not closed");
                doubled(process, self.opened.get(), text)
            }
        }
    }

    /// Checks that no exposure epoch is open.
    pub(super) fn check_not_exposed(&self, process: &Process<'n>) -> Result<()> {
        match &*self.exposure.borrow() {
            None => Ok(()),
            Some(_) => doubled(process, self.exposed.get(), "MPI_Win_wait is missing after MPI_Win_post"),
        }
    }

    /// The text and the call of an epoch that is open still at the end of the window or of the program.
    pub(crate) fn left_open(&self) -> Option<(String, Option<Site>)> {
        let left =
            |call| (format!("the access epoch that {call} has opened is not closed"), self.opened.get());
        let access = self.accesses.borrow().opened_by().map(left);
        let exposed = || Some(("MPI_Win_wait is missing after MPI_Win_post".to_owned(), self.exposed.get()));
        access.or_else(|| if self.exposure.borrow().is_some() { exposed() } else { None })
    }

    /// Checks that the window can be freed.
    pub(super) fn check_free(&self, process: &Process<'n>) -> Result<()> {
        let Some((text, opened)) = self.left_open() else { return Ok(()) };
        process.unclosed_epoch(opened, &text);
        // The call completes the accesses, but the epoch needs a fence.
        let is_complete = matches!(&*self.accesses.borrow(), Accesses::Fence { .. });
        if is_complete && self.exposure.borrow().is_none() { Ok(()) } else { synchronization(text) }
    }

    /// Checks that flushes of a target, or of all targets, are allowed.
    pub(super) fn check_flush(&self, rank: Option<usize>) -> Result<()> {
        let accesses = self.accesses.borrow();
        if !accesses.is_passive() {
            return synchronization("no lock is held: call MPI_Win_lock or MPI_Win_lock_all before");
        }
        match (&*accesses, rank) {
            (Accesses::Locks(targets), Some(rank)) if !targets.contains_key(&rank) => {
                synchronization(format!("rank {rank} is not locked: call MPI_Win_lock before"))
            }
            _ => Ok(()),
        }
    }

    /// Notes an access that has been issued.
    pub(super) fn note(&self, rank: usize, request: Rc<Request<'n>>) {
        let mut open = self.open.borrow_mut();
        let list = open.entry(rank).or_default();
        if list.len() == list.capacity() {
            list.retain(|request| !request.is_complete());
        }
        list.push(request);
    }

    /// Whether accesses to a target, or to any, were issued that this process has not waited for.
    pub(super) fn has_open(&self, rank: Option<usize>) -> bool {
        let open = self.open.borrow();
        rank.map_or(!open.is_empty(), |rank| open.contains_key(&rank))
    }

    /// Waits for all accesses to a target.
    pub(super) fn wait_for_target(&self, process: &Process<'n>, rank: usize, reach: Reach) -> Result<()> {
        let open = self.open.borrow_mut().remove(&rank).unwrap_or_default();
        wait_for_each(process, &open)?;
        self.reached(process, Some(rank), reach);
        Ok(())
    }

    /// Waits for all accesses.
    pub(super) fn wait_for_all(&self, process: &Process<'n>, reach: Reach) -> Result<()> {
        let open = mem::take(&mut *self.open.borrow_mut());
        open.values().try_for_each(|requests| wait_for_each(process, requests))?;
        self.reached(process, None, reach);
        Ok(())
    }

    /// Notes for a check that all accesses to a target, or to any, are complete.
    pub(super) fn reached(&self, process: &Process<'n>, rank: Option<usize>, reach: Reach) {
        if reach == Reach::Target {
            process.accesses_end(self.context(), rank);
        }
    }

    /// The context of the window's messages, by which all of its processes know it.
    pub(super) fn context(&self) -> Context {
        self.comm.messages().context()
    }

    /// Waits for all processes of the window.
    pub(super) fn barrier(&self, process: &Process<'n>) -> Result<()> {
        let meeting = process.enters_window(self.context(), || communicator::nodes(&self.comm));
        rounds::barrier(process, self.comm.clone())?;
        process.leaves(meeting);
        Ok(())
    }

    /// Tells a target, or an origin, what this process knows, with a message of this tag.
    pub(super) fn notices(&self, process: &Process<'n>, rank: usize, tag: Tag) -> Result<()> {
        if let Some(known) = process.released() {
            let mut notices = self.target(rank)?.notices.lock();
            notices.entry((self.comm.group.rank(), tag)).or_default().push_back(known);
        }
        Ok(())
    }

    /// Takes what another process, or each of them, has told with a message of this tag.
    pub(super) fn noticed(&self, process: &Process<'n>, tag: Tag, from: Option<usize>) -> Result<()> {
        if process.is_checked() {
            let mut notices = self.own()?.notices.lock();
            let with_tag = notices
                .iter_mut()
                .filter(|((rank, of), _)| *of == tag && from.is_none_or(|from| from == *rank));
            with_tag.for_each(|(_, known)| process.acquired(known.pop_front().as_ref()));
        }
        Ok(())
    }
}

fn wait_for_each<'n>(process: &Process<'n>, requests: &[Rc<Request<'n>>]) -> Result<()> {
    for request in requests {
        process.wait_for(&[request])?;
        process.result(request)?;
        process.request_ends(request);
    }
    Ok(())
}

/// Waits for a request of the transport whose data is not needed.
pub(super) fn wait<'n>(process: &Process<'n>, id: RequestId) -> Result<()> {
    process.finish(Work::Remote(id, None), None).map(drop)
}
