//! Requests of all kinds, looks and deadlines.

use multicomputer::{comm::AnyRequest, error::Failure, prelude::*};

use super::{bytes, neighbours};
use crate::conformance::{refused, same, same_bytes};

/// Later than anything.
fn never(node: &Node<'_>) -> Result<Time, CommError> {
    Ok(node.now()? + Span::from_secs_f64(100_000.0))
}

/// Everybody with everybody, itself included, in as many steps.
pub(super) fn send_and_receive(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (rank, size) = (group.rank(), group.size());
    let length = |from: Rank, step: usize| [0, 1, 70_000, 300][(from + step) % 4];
    for step in 0..size {
        let (to, from) = ((rank + step) % size, (rank + size - step) % size);
        let mine = bytes(rank, step, length(rank, step));
        let message = group.sendrecv((to, Tag(step as u32)), mine, (from, Tag(step as u32)))?;
        same("source and tag", (message.source, message.tag), (from, Tag(step as u32)))?;
        same_bytes(&message.payload, &bytes(from, step, length(from, step)))?;
    }
    // Two that face each other, with long messages.
    let other = rank ^ 1;
    if other < size {
        let message = group.sendrecv(other, bytes(rank, 7, 500_000), other)?;
        same_bytes(&message.payload, &bytes(other, 7, 500_000))?;
    }
    Ok(())
}

pub(super) fn to_oneself(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let rank = group.rank();
    let length = |nth: u32| [0, 3, 90_000][nth as usize % 3];
    let mut started = Vec::new();
    for nth in 0..9 {
        started.push(group.isend((rank, Tag(nth)), bytes(rank, nth as usize, length(nth)))?);
    }
    for nth in (0..9).rev() {
        let message =
            if nth % 2 == 0 { group.recv((rank, Tag(nth)))? } else { group.recv((ANY_SOURCE, Tag(nth)))? };
        same("source", message.source, rank)?;
        same_bytes(&message.payload, &bytes(rank, nth as usize, length(nth)))?;
    }
    Request::wait_all(started)?;
    // One that is waited for already may be sent without a request.
    let posted = group.irecv((rank, Tag(9)))?;
    group.send((rank, Tag(9)), bytes(rank, 9, 200_000))?;
    let message = posted.wait()?;
    same_bytes(&message.payload, &bytes(rank, 9, 200_000))
}

/// Sends are waited for while the messages of others have not been taken, though they can come: receives are posted.
pub(super) fn in_any_order(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (rank, size) = (group.rank(), group.size());
    let length = |from: Rank, nth: usize| (from * 13 + nth) % 5 * 20_000;
    for first in [0, 1] {
        let mut posted = Vec::new();
        for from in 0..size {
            for nth in 0..2 {
                posted.push(((from, nth), group.irecv((from, Tag(nth as u32)))?));
            }
        }
        let mut started = Vec::new();
        for to in 0..size {
            for nth in 0..2 {
                started.push(group.isend((to, Tag(nth as u32)), bytes(rank, nth, length(rank, nth)))?);
            }
        }
        if first == 0 {
            posted.reverse();
            for request in started.drain(..).rev() {
                request.wait()?;
            }
        }
        for ((from, nth), request) in posted {
            let message = request.wait()?;
            same("source and tag", (message.source, message.tag), (from, Tag(nth as u32)))?;
            same_bytes(&message.payload, &bytes(from, nth, length(from, nth)))?;
        }
        Request::wait_all(started)?;
    }
    Ok(())
}

/// A send goes on when its request is given up.
pub(super) fn forgotten(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (next, previous) = neighbours(group);
    for nth in 0..6 {
        let request = group.isend((next, Tag(2)), bytes(group.rank(), nth, nth * 30_000))?;
        match nth % 2 {
            0 => request.detach(),
            _ => {
                if let Tested::Pending(request) = request.test()? {
                    request.detach();
                }
            }
        }
    }
    for nth in 0..6 {
        same_bytes(&group.recv((previous, Tag(2)))?.payload, &bytes(previous, nth, nth * 30_000))?;
    }
    Ok(())
}

/// Waits for one of several, in vain at first, and sends among the receives.
pub(super) fn first_of_several(node: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (rank, size) = (group.rank(), group.size());
    refused(RecvRequest::wait_any(&mut [None]), |error| matches!(error, CommError::NothingToWaitFor))?;
    let mut requests: Vec<Option<AnyRequest<'_>>> = Vec::new();
    for from in 0..size {
        requests.push(Some(group.irecv((from, Tag(3)))?.into()));
    }
    for deadline in [node.now()?, node.now()? + Span::from_micros(200)] {
        let found = Request::wait_any_until(&mut requests, deadline)?;
        same("requests that are complete", found.is_some(), false)?;
        same("requests that are left", requests.iter().flatten().count(), size)?;
        same("whether the deadline has passed", node.now()? >= deadline, true)?;
    }
    group.barrier()?;
    for to in 0..size {
        requests.insert(to, Some(group.isend((to, Tag(3)), bytes(rank, to, 100 * (rank + to)))?.into()));
    }
    let deadline = never(node)?;
    for left in (0..2 * size).rev() {
        let (place, message) = match left % 2 {
            0 => Request::wait_any(&mut requests)?,
            _ => Request::wait_any_until(&mut requests, deadline)?.ok_or("no request is complete")?,
        };
        same("source", message.as_ref().map(|message| message.source), place.checked_sub(size))?;
        if let Some(message) = message {
            same_bytes(&message.payload, &bytes(message.source, rank, 100 * (rank + message.source)))?;
        }
        same("requests that are left", requests.iter().flatten().count(), left)?;
    }
    Ok(())
}

pub(super) fn probes(node: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (next, previous) = neighbours(group);
    same("messages before any", group.try_probe((ANY_SOURCE, ANY_TAG))?, None)?;
    group.barrier()?;
    let messages = [(Tag(5), 10), (Tag(6), 0), (Tag(5), 90_000), (Tag(7), 33)];
    let mut started = Vec::new();
    for (nth, (tag, length)) in messages.into_iter().enumerate() {
        started.push(group.isend((next, tag), bytes(group.rank(), nth, length))?);
    }
    let told = |status: Status| (status.source, status.tag, status.bytes);
    same("by rank and tag", told(group.probe((previous, Tag(6)))?), (previous, Tag(6), 0))?;
    same("by tag", told(group.probe((ANY_SOURCE, Tag(5)))?), (previous, Tag(5), 10))?;
    same("of any kind", told(group.probe(ANY_SOURCE)?), (previous, Tag(5), 10))?;
    let last = loop {
        match group.try_probe((previous, Tag(7)))? {
            Some(found) => break found,
            None => node.compute(Span::from_micros(3))?,
        }
    };
    same("the last", told(last), (previous, Tag(7), 33))?;
    same("of another tag", group.try_probe((previous, Tag(4)))?, None)?;
    // All are there still. The second of tag 5 can be seen when the first one has been taken.
    for nth in [3, 1, 0, 2] {
        let (tag, length) = messages[nth];
        same("a message", told(group.probe((previous, tag))?), (previous, tag, length as u64))?;
        same_bytes(&group.recv((previous, tag))?.payload, &bytes(previous, nth, length))?;
    }
    Request::wait_all(started)?;
    same("messages after all", group.try_probe(ANY_SOURCE)?, None)
}

pub(super) fn deadlines(node: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (next, previous) = neighbours(group);
    let passed = |deadline: Time| {
        refused(
            group.recv_until((ANY_SOURCE, Tag(1)), deadline),
            |error| matches!(error, CommError::DeadlinePassed { deadline: told, .. } if *told == deadline),
        )
    };
    let now = node.now()?;
    passed(Time::ZERO)?;
    passed(now)?;
    passed(now + Span::from_micros(250))?;
    same("whether the deadline has passed", node.now()? >= now + Span::from_micros(250), true)?;
    group.barrier()?;
    let far = never(node)?;
    for nth in 0..4 {
        let request = group.isend((next, Tag(1)), bytes(group.rank(), nth, nth * 40_000))?;
        // One that is there is in time.
        let deadline = if nth % 2 == 0 { far } else { group.probe(previous).and_then(|_| node.now())? };
        let message = group.recv_until((previous, Tag(1)), deadline)?;
        same_bytes(&message.payload, &bytes(previous, nth, nth * 40_000))?;
        request.wait()?;
    }
    Ok(())
}

/// Along a line, whose ends have the null process as a neighbour: by calls of every kind, each of which is over at once there.
pub(super) fn null_process(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (rank, size) = (group.rank(), group.size());
    let (next, previous) = ((rank + 1 < size).then_some(rank + 1), rank.checked_sub(1));
    let check = |message: &Message| {
        let expected = previous.map_or(vec![], |from| vec![from as u64]);
        same("data", message.to_vec::<u64>()?, expected)?;
        same("is null", message.is_null(), previous.is_none())
    };
    let tag = Tag(6);
    check(&group.sendrecv(next, [rank as u64], previous)?)?;
    check(&group.sendrecv((next, tag), [rank as u64], (previous, tag))?)?;
    let sent = group.isend((next, tag), [rank as u64])?;
    check(&group.recv(previous)?)?;
    sent.wait()?;
    let requests: [AnyRequest<'_>; 2] =
        [group.irecv((previous, tag))?.into(), group.isend((next, tag), [rank as u64])?.into()];
    check(Request::wait_all(requests)?[0].as_ref().ok_or("no message")?)?;
    let mut requests: [Option<AnyRequest<'_>>; 2] =
        [Some(group.isend(next, [rank as u64])?.into()), Some(group.irecv(previous)?.into())];
    let mut received = 0;
    while requests.iter().any(Option::is_some) {
        if let (_, Some(message)) = Request::wait_any(&mut requests)? {
            check(&message)?;
            received += 1;
        }
    }
    same("messages of the waits", received, 1)?;
    if previous.is_none() {
        check(&group.recv_until(previous, Time::ZERO)?)?;
        same("length", group.probe(previous)?.bytes, 0)?;
        same("found", group.try_probe(previous)?.is_some(), true)?;
        let Tested::Complete(message) = group.irecv(previous)?.test()? else {
            return Err("a receive from the null process is not complete".into());
        };
        check(&message)?;
    }
    Ok(())
}
