//! Active target synchronization: fences, and post, start, complete and wait.
//!
//! `MPI_Win_post` sends a message to every origin, and `MPI_Win_complete` one to every target, after all accesses are complete there.

use std::{mem, rc::Rc};

use multicomputer::{Payload, Tag};

use super::{
    COMPLETE, NOCHECK, NOPRECEDE, NOPUT, NOSTORE, NOSUCCEED, POST, Window, check_assertion,
    epoch::{self, Accesses, Exposure, Reach},
    synchronization,
};
use crate::{
    error::{Class, Error, Result},
    function::functions,
    group::Group,
    process::Process,
    word::Out,
};

functions! {
    MPI_Win_fence: fence(assertion, win);
    MPI_Win_post: post(group, assertion, win);
    MPI_Win_start: start(group, assertion, win);
    MPI_Win_complete: complete(win);
    MPI_Win_wait: wait(win);
    MPI_Win_test: test(win, flag);
}

/// A fence is a barrier after all accesses of this process are complete. It is a barrier with every assertion: an access of the next epoch
/// must not reach a process before that process has called the fence.
fn fence<'n>(process: &Process<'n>, assertion: i32, window: Rc<Window<'n>>) -> Result<()> {
    check_assertion("assertion", assertion, NOPRECEDE | NOPUT | NOSTORE | NOSUCCEED)?;
    if !matches!(&*window.accesses.borrow(), Accesses::Fence { .. }) {
        window.check_closed(process)?;
    }
    window.check_not_exposed(process)?;
    if let (Some(first), Some(inside), 0) = (window.fence.take(), window.inside.take(), assertion & NOPRECEDE)
    {
        process.epoch_between_fences(first, inside);
    }
    process.transport().library_call("MPI_Win_fence", || {
        window.wait_for_all(process, Reach::Target)?;
        window.barrier(process)
    })?;
    let next = if assertion & NOSUCCEED == 0 { Accesses::Fence { is_used: false } } else { Accesses::None };
    *window.accesses.borrow_mut() = next;
    window.opened.set(process.checked_site());
    window.fence.set(process.checked_site().filter(|_| assertion & NOSUCCEED == 0));
    window.inside.set(None);
    Ok(())
}

/// The ranks in the window of the members of a group.
fn ranks(window: &Window<'_>, group: &Group) -> Result<Vec<usize>> {
    let rank = |node| {
        window.comm.group.rank_of(node).ok_or_else(|| {
            let text = format!("rank {node} of MPI_COMM_WORLD is in the group, but not in the window");
            Error::argument(Class::GROUP, "group", text)
        })
    };
    group.nodes().into_iter().map(rank).collect()
}

/// Sends a message without data to some processes. The call does not wait until it has left.
fn notify<'n>(
    process: &Process<'n>,
    window: &Window<'n>,
    ranks: impl IntoIterator<Item = usize>,
    tag: Tag,
) -> Result<()> {
    for rank in ranks {
        window.notices(process, rank, tag)?;
        let sent = process.transport().isend(window.comm.group.to(rank, tag), Payload::empty())?;
        process.transport().forget(sent);
    }
    Ok(())
}

fn post<'n>(process: &Process<'n>, group: Rc<Group>, assertion: i32, window: Rc<Window<'n>>) -> Result<()> {
    check_assertion("assertion", assertion, NOCHECK | NOSTORE | NOPUT)?;
    window.check_not_exposed(process)?;
    let ranks = ranks(&window, &group)?;
    let transport = process.transport();
    let pending = transport.library_call("MPI_Win_post", || {
        let from = |&rank: &usize| transport.irecv(window.comm.group.from(rank, COMPLETE));
        let pending = ranks.iter().map(from).collect::<std::result::Result<Vec<_>, _>>()?;
        if assertion & NOCHECK == 0 {
            notify(process, &window, ranks.iter().copied(), POST)?;
        } else {
            ranks.iter().try_for_each(|rank| window.notices(process, *rank, POST))?;
        }
        Ok::<_, Error>(pending)
    })?;
    *window.exposure.borrow_mut() = Some(Exposure { pending });
    window.exposed.set(process.checked_site());
    Ok(())
}

/// The call does not wait: the first access to a target waits for the target's `MPI_Win_post`.
fn start<'n>(process: &Process<'n>, group: Rc<Group>, assertion: i32, window: Rc<Window<'n>>) -> Result<()> {
    check_assertion("assertion", assertion, NOCHECK)?;
    window.check_closed(process)?;
    let posted = |rank| match assertion & NOCHECK {
        0 => Ok((rank, Some(process.transport().irecv(window.comm.group.from(rank, POST))?))),
        _ => Ok((rank, None)),
    };
    let targets = ranks(&window, &group)?.into_iter().map(posted).collect::<Result<_>>()?;
    *window.accesses.borrow_mut() = Accesses::Group(targets);
    window.opened.set(process.checked_site());
    Ok(())
}

fn complete<'n>(process: &Process<'n>, window: Rc<Window<'n>>) -> Result<()> {
    if !matches!(&*window.accesses.borrow(), Accesses::Group(_)) {
        return synchronization("MPI_Win_start is missing before MPI_Win_complete");
    }
    let Accesses::Group(targets) = mem::replace(&mut *window.accesses.borrow_mut(), Accesses::None) else {
        return Ok(());
    };
    process.transport().library_call("MPI_Win_complete", || {
        for (rank, posted) in targets.iter().filter_map(|(rank, posted)| Some((*rank, (*posted)?))) {
            epoch::wait(process, posted)?;
            window.noticed(process, POST, Some(rank))?;
        }
        window.wait_for_all(process, Reach::Target)?;
        notify(process, &window, targets.keys().copied(), COMPLETE)
    })
}

fn no_post<T>() -> Result<T> {
    synchronization("MPI_Win_post is missing before MPI_Win_wait")
}

fn wait<'n>(process: &Process<'n>, window: Rc<Window<'n>>) -> Result<()> {
    let exposure = window.exposure.borrow_mut().take();
    let Some(Exposure { pending }) = exposure else { return no_post() };
    process.transport().library_call("MPI_Win_wait", || {
        pending.into_iter().try_for_each(|completed| epoch::wait(process, completed))?;
        window.noticed(process, COMPLETE, None)
    })
}

fn test<'n>(process: &Process<'n>, window: Rc<Window<'n>>, flag: Out<i32>) -> Result<()> {
    let exposure = window.exposure.borrow_mut().take();
    let Some(Exposure { pending }) = exposure else { return no_post() };
    process.progress()?;
    let mut open = Vec::new();
    for completed in pending {
        if process.transport().test(completed)?.is_none() {
            open.push(completed);
        }
    }
    let is_complete = open.is_empty();
    if !is_complete {
        *window.exposure.borrow_mut() = Some(Exposure { pending: open });
    }
    flag.set_flag(process, is_complete);
    if is_complete { window.noticed(process, COMPLETE, None) } else { process.polled() }
}
