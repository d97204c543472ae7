//! Passive target synchronization: locks and flushes.
//!
//! The lock of a target is taken and released by remote memory accesses, at their instant at the target. If another process holds the lock,
//! the access enters the origin into the queue of the lock, and the origin waits for a message. The process that releases the lock learns
//! which rank is next in the queue, and sends these messages. So nothing polls.
//!
//! `MPI_Win_lock_all` is a shared lock of every target. It is taken at the first access to a target, so a process that locks a window of
//! many processes pays for the processes that it accesses. A process that only loads and stores in shared memory holds no lock then.

use std::{mem, rc::Rc};

use multicomputer::{
    Payload,
    comm::transport::{From, RequestId},
};

use super::{
    Flavor, GRANT, NOCHECK, Window, check_assertion, doubled,
    epoch::{self, Accesses, Reach},
    shared::Lock,
    synchronization,
};
use crate::{
    error::{Class, Error, Result},
    function::functions,
    process::Process,
};

functions! {
    MPI_Win_lock: lock(lock_type, rank, assertion, win);
    MPI_Win_lock_all: lock_all(assertion, win);
    MPI_Win_unlock: unlock(rank, win);
    MPI_Win_unlock_all: unlock_all(win);
    MPI_Win_flush: flush(rank, win);
    MPI_Win_flush_local: flush_local(rank, win);
    MPI_Win_flush_all: flush_all(win);
    MPI_Win_flush_local_all: flush_local_all(win);
    MPI_Win_sync: sync(win);
}

/// `MPI_LOCK_EXCLUSIVE`.
const EXCLUSIVE: i32 = 301;
/// `MPI_LOCK_SHARED`.
const SHARED: i32 = 302;

/// The bytes of a message that takes or releases a lock.
const REQUEST: u64 = 8;

/// Takes the lock of a target.
pub(super) fn take<'n>(
    process: &Process<'n>,
    window: &Window<'n>,
    rank: usize,
    exclusively: bool,
) -> Result<()> {
    let transport = process.transport();
    let (common, origin) = (window.common.clone(), window.comm.group.rank());
    let to = window.comm.group.to(rank, GRANT);
    transport.library_call("MPI_Win_lock", || {
        let asked = transport.remote(to, REQUEST, Some(1), move || {
            let taken =
                common.target(rank).is_some_and(|target| target.lock.lock().take(origin, exclusively));
            Payload::from([u8::from(taken)])
        })?;
        let answer = transport.wait(asked)?.ok_or(Error::Leave)?;
        let is_taken = answer.payload.to_bytes().is_ok_and(|bytes| bytes.first() == Some(&1));
        if !is_taken {
            // Any process may release the lock.
            let granted = From { context: to.context, source: None, tag: Some(GRANT) };
            epoch::wait(process, transport.irecv(granted)?)?;
        }
        if process.is_checked() {
            let known = window.target(rank)?.lock.lock().known(exclusively);
            process.acquired(Some(&known));
        }
        Ok(())
    })
}

/// Begins to release the lock of a target.
fn release<'n>(process: &Process<'n>, window: &Window<'n>, rank: usize) -> Result<RequestId> {
    let common = window.common.clone();
    let to = window.comm.group.to(rank, GRANT);
    let known = process.released();
    let released = process.transport().remote(to, REQUEST, Some(0), move || {
        let release = |lock: &mut Lock| {
            known.iter().for_each(|known| lock.makes_known(known));
            lock.release()
        };
        let next = common.target(rank).map(|target| release(&mut target.lock.lock())).unwrap_or_default();
        Payload::from(next.into_iter().map(|rank| rank as u64).collect::<Vec<u64>>())
    });
    Ok(released?)
}

/// Waits for the release of a lock, and tells the next holders.
fn pass_on<'n>(process: &Process<'n>, window: &Window<'n>, released: RequestId) -> Result<()> {
    let transport = process.transport();
    let answer = transport.wait(released)?.ok_or(Error::Leave)?;
    for next in answer.to_vec::<u64>().unwrap_or_default() {
        let sent = transport.isend(window.comm.group.to(next as usize, GRANT), Payload::empty())?;
        transport.forget(sent);
    }
    Ok(())
}

fn lock<'n>(
    process: &Process<'n>,
    lock_type: i32,
    rank: i32,
    assertion: i32,
    window: Rc<Window<'n>>,
) -> Result<()> {
    if ![EXCLUSIVE, SHARED].contains(&lock_type) {
        let text = format!("{lock_type} is neither MPI_LOCK_SHARED nor MPI_LOCK_EXCLUSIVE");
        return Err(Error::argument(Class::LOCKTYPE, "lock_type", text));
    }
    check_assertion("assertion", assertion, NOCHECK)?;
    let Some(rank) = window.rank("rank", rank)? else { return Ok(()) };
    match &*window.accesses.borrow() {
        Accesses::Locks(targets) if targets.contains_key(&rank) => {
            return doubled(process, window.opened.get(), format!("rank {rank} is locked already"));
        }
        Accesses::Locks(_) => {}
        _ => window.check_closed(process)?,
    }
    let takes_lock = assertion & NOCHECK == 0;
    if takes_lock {
        take(process, &window, rank, lock_type == EXCLUSIVE)?;
    }
    process.locked(window.context(), Some(rank), lock_type == EXCLUSIVE);
    window.opened.set(process.checked_site());
    let mut accesses = window.accesses.borrow_mut();
    if let Accesses::Locks(targets) = &mut *accesses {
        targets.insert(rank, takes_lock);
    } else {
        *accesses = Accesses::Locks([(rank, takes_lock)].into());
    }
    Ok(())
}

fn lock_all<'n>(process: &Process<'n>, assertion: i32, window: Rc<Window<'n>>) -> Result<()> {
    check_assertion("assertion", assertion, NOCHECK)?;
    window.check_closed(process)?;
    process.locked(window.context(), None, false);
    let takes_locks = assertion & NOCHECK == 0;
    *window.accesses.borrow_mut() = Accesses::All { takes_locks, held: Default::default() };
    window.opened.set(process.checked_site());
    Ok(())
}

fn unlock<'n>(process: &Process<'n>, rank: i32, window: Rc<Window<'n>>) -> Result<()> {
    let Some(rank) = window.rank("rank", rank)? else { return Ok(()) };
    let mut accesses = window.accesses.borrow_mut();
    let held = match &mut *accesses {
        Accesses::Locks(targets) => targets.remove(&rank),
        _ => None,
    };
    let Some(is_held) = held else {
        return synchronization(format!("MPI_Win_lock of rank {rank} is missing before MPI_Win_unlock"));
    };
    if matches!(&*accesses, Accesses::Locks(targets) if targets.is_empty()) {
        *accesses = Accesses::None;
    }
    drop(accesses);
    process.transport().library_call("MPI_Win_unlock", || {
        window.wait_for_target(process, rank, Reach::Target)?;
        process.unlocked(window.context(), Some(rank));
        if is_held {
            let released = release(process, &window, rank)?;
            pass_on(process, &window, released)?;
        }
        Ok(())
    })
}

fn unlock_all<'n>(process: &Process<'n>, window: Rc<Window<'n>>) -> Result<()> {
    if !matches!(&*window.accesses.borrow(), Accesses::All { .. }) {
        return synchronization("MPI_Win_lock_all is missing before MPI_Win_unlock_all");
    }
    let Accesses::All { held, .. } = mem::replace(&mut *window.accesses.borrow_mut(), Accesses::None) else {
        return Ok(());
    };
    process.transport().library_call("MPI_Win_unlock_all", || {
        window.wait_for_all(process, Reach::Target)?;
        process.unlocked(window.context(), None);
        let release = |rank| release(process, &window, rank);
        let released = held.into_iter().map(release).collect::<Result<Vec<RequestId>>>()?;
        released.into_iter().try_for_each(|released| pass_on(process, &window, released))
    })
}

fn flush<'n>(process: &Process<'n>, rank: i32, window: Rc<Window<'n>>) -> Result<()> {
    flush_one(process, rank, &window, Reach::Target)
}

fn flush_local<'n>(process: &Process<'n>, rank: i32, window: Rc<Window<'n>>) -> Result<()> {
    flush_one(process, rank, &window, Reach::Origin)
}

fn flush_all<'n>(process: &Process<'n>, window: Rc<Window<'n>>) -> Result<()> {
    flush_each(process, &window, Reach::Target)
}

fn flush_local_all<'n>(process: &Process<'n>, window: Rc<Window<'n>>) -> Result<()> {
    flush_each(process, &window, Reach::Origin)
}

/// Waits for the accesses to a target. A local flush does the same, but for a check: the data of puts is copied at the call, and a get is
/// complete here when it is complete at its target.
fn flush_one<'n>(process: &Process<'n>, rank: i32, window: &Window<'n>, reach: Reach) -> Result<()> {
    let Some(rank) = window.rank("rank", rank)? else { return Ok(()) };
    window.check_flush(Some(rank))?;
    if window.has_open(Some(rank)) {
        let wait = || window.wait_for_target(process, rank, reach);
        return process.transport().library_call("MPI_Win_flush", wait);
    }
    window.reached(process, Some(rank), reach);
    advance(process)
}

fn flush_each<'n>(process: &Process<'n>, window: &Window<'n>, reach: Reach) -> Result<()> {
    window.check_flush(None)?;
    if window.has_open(None) {
        return process.transport().library_call("MPI_Win_flush_all", || window.wait_for_all(process, reach));
    }
    window.reached(process, None, reach);
    advance(process)
}

/// The memory of a process is one for the process and for accesses of others, so nothing is copied.
fn sync<'n>(process: &Process<'n>, window: Rc<Window<'n>>) -> Result<()> {
    advance(process)?;
    if window.flavor == Flavor::Shared {
        process.shares_memory(window.context());
    }
    Ok(())
}

/// Advances the clock. A program may call a function that has nothing to do while it waits for a change of its memory: it then sees later
/// accesses.
fn advance(process: &Process<'_>) -> Result<()> {
    process.polled()?;
    process.transport().now()?;
    Ok(())
}
