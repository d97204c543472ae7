//! Groups, which do not hear of each other, and all that stands on a group alone: barriers, active messages.

use std::cell::{Cell, RefCell};

use multicomputer::{
    comm::{Active, Handling},
    error::Failure,
    prelude::*,
};

use super::{bytes, neighbours};
use crate::conformance::{same, same_all, same_bytes};

/// Messages around a group that all look alike, but for what is in them.
fn around(group: &Group<'_>, nth: usize) -> Result<(), Failure> {
    let (next, previous) = neighbours(group);
    let request = group.isend(next, bytes(group.rank(), nth, 50 + nth))?;
    let message = group.recv(ANY_SOURCE)?;
    same("source", message.source, previous)?;
    same_bytes(&message.payload, &bytes(previous, nth, 50 + nth))?;
    request.wait()?;
    Ok(())
}

/// Groups of the same ranks, in the same order or another: each has its own messages.
pub(super) fn same_ranks(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let ranks: Vec<Rank> = (0..group.size()).collect();
    let backwards: Vec<Rank> = ranks.iter().rev().copied().collect();
    let mut groups = Vec::new();
    for nth in 0..3 {
        groups.push(group.subgroup(&ranks)?);
        groups.push(group.subgroup(&backwards)?);
        groups.push(group.split_by(|_| nth)?);
    }
    let groups: Vec<&Group<'_>> = groups.iter().chain([group]).collect();
    let mut posted = Vec::new();
    for (nth, group) in groups.iter().enumerate() {
        posted.push((nth % 2 == 0).then(|| group.irecv(ANY_SOURCE)).transpose()?);
    }
    let mut started = Vec::new();
    for (nth, group) in groups.iter().enumerate() {
        started.push(group.isend(neighbours(group).0, bytes(group.rank(), nth, 9))?);
    }
    for (nth, group) in groups.iter().enumerate().rev() {
        let previous = neighbours(group).1;
        // Those of every second group have been posted for, and the others have come or not.
        let message = match posted[nth].take() {
            Some(request) => request.wait()?,
            None => group.recv(ANY_SOURCE)?,
        };
        same("source", message.source, previous)?;
        same_bytes(&message.payload, &bytes(previous, nth, 9))?;
        same("messages of other groups", group.try_probe(ANY_SOURCE)?, None)?;
    }
    Request::wait_all(started)?;
    Ok(())
}

/// Parts of the group, parts of those, and those in another order, all of different sizes and at the same time.
pub(super) fn nested(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (rank, size) = (group.rank(), group.size());
    let thirds = group.split_by(|rank| rank % 3)?;
    same("size", thirds.size(), (0..size).filter(|other| other % 3 == rank % 3).count())?;
    same("rank", thirds.rank(), rank / 3)?;
    same("node", thirds.world_rank(thirds.rank())?, group.world_rank(rank)?)?;
    let backwards: Vec<Rank> = (0..thirds.size()).rev().collect();
    let turned = thirds.subgroup(&backwards)?;
    same("rank", turned.rank(), thirds.size() - 1 - thirds.rank())?;
    let pairs = turned.split_by(|rank| rank / 2)?;
    same("size", pairs.size(), (turned.size() - turned.rank() / 2 * 2).min(2))?;
    let alone = pairs.subgroup(&[pairs.rank()])?;
    same("size", alone.size(), 1)?;
    let order = [&thirds, &turned, &pairs, &alone, group];
    for round in 0..3 {
        order.into_iter().enumerate().try_for_each(|(nth, group)| around(group, nth * 3 + round))?;
    }
    for group in [&thirds, &pairs, &alone, &turned] {
        group.barrier()?;
        around(group, 70)?;
    }
    Ok(())
}

/// By colors and keys that only their own ranks know: the key reverses every second pair, and some ranks have no color.
pub(super) fn by_color_and_key(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (rank, size) = (group.rank(), group.size());
    let color = |rank: Rank| (rank % 5 != 3).then_some(rank % 3 * 1000);
    let key = |rank: Rank| if rank % 4 < 2 { size - rank } else { 0 };
    for round in 0..2 {
        let of_color = group.split(color(rank), key(rank))?;
        same("whether there is a group", of_color.is_some(), color(rank).is_some())?;
        let Some(of_color) = of_color else { continue };
        let mut members: Vec<Rank> = (0..size).filter(|&other| color(other) == color(rank)).collect();
        members.sort_by_key(|&other| key(other));
        same("size", of_color.size(), members.len())?;
        for (nth, &member) in members.iter().enumerate() {
            same("node", of_color.world_rank(nth)?, group.world_rank(member)?)?;
        }
        around(&of_color, round)?;
        of_color.barrier()?;
    }
    same("one of all", group.split(0, 0)?.map(|all| (all.rank(), all.size())), Some((rank, size)))?;
    same("none of all", group.split(None, rank)?.is_none(), true)
}

/// Where the machine has any.
pub(super) fn rows_and_columns(node: &Node<'_>, _: &Group<'_>) -> Result<(), Failure> {
    let (Ok(row), Ok(column)) = (node.row(), node.column()) else { return Ok(()) };
    same("nodes", row.size() * column.size(), node.size())?;
    same("row and column", column.rank() * row.size() + row.rank(), node.rank())?;
    same("node", row.world_rank(row.rank())?, node.rank())?;
    same("node", column.world_rank(column.rank())?, node.rank())?;
    let columns = row.subgroup(&(0..row.size()).collect::<Vec<Rank>>())?;
    for round in 0..3 {
        for (nth, group) in [row, column, &columns].into_iter().enumerate() {
            around(group, nth * 5 + round)?;
        }
        row.barrier()?;
        column.barrier()?;
    }
    Ok(())
}

/// One of them is late each time. It hears nothing of what the others do after the barrier before it comes there itself.
pub(super) fn barriers(node: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let halves = group.split_by(|rank| rank % 2)?;
    for group in [group, &halves] {
        let (rank, size) = (group.rank(), group.size());
        for late in [0, size / 2, size - 1] {
            if rank == late {
                for _ in 1..size {
                    group.recv((ANY_SOURCE, Tag(1)))?;
                }
                for _ in 0..20 {
                    node.compute(Span::from_micros(10))?;
                    same("messages after a barrier", group.try_probe((ANY_SOURCE, Tag(2)))?, None)?;
                }
                group.barrier()?;
                for _ in 1..size {
                    group.recv((ANY_SOURCE, Tag(2)))?;
                }
            } else {
                group.send((late, Tag(1)), Payload::empty())?;
                group.barrier()?;
                group.send((late, Tag(2)), Payload::empty())?;
            }
            group.barrier()?;
        }
        // Their messages are not the program's.
        let posted = group.irecv(ANY_SOURCE)?;
        (0..5).try_for_each(|_| group.barrier())?;
        let (next, previous) = neighbours(group);
        let started = group.isend(next, bytes(rank, 5, 40))?;
        let message = posted.wait()?;
        same("source", message.source, previous)?;
        same_bytes(&message.payload, &bytes(previous, 5, 40))?;
        started.wait()?;
    }
    Ok(())
}

/// Everybody asks everybody, itself included, to add something, and is told what there was before. Beside that there are
/// ordinary messages, and at the end nothing is left.
pub(super) fn active(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    const ADD: Tag = Tag(0);
    const WAS: Tag = Tag(1);
    let (rank, size) = (group.rank(), group.size());
    for handling in [Handling::Polled, Handling::AtOnce] {
        let (sum, asked, answers) = (Cell::new(0_u64), RefCell::new(Vec::new()), RefCell::new(Vec::new()));
        let active = Active::new(group, handling, |reactions, message| match message.tag {
            ADD => {
                reactions.send((message.source, WAS), [sum.get(), message.words[0]]);
                sum.set(sum.get() + message.words[0]);
                asked.borrow_mut().push((message.source, message.words));
            }
            _ => answers.borrow_mut().push((message.source, message.words)),
        })?;
        same("whether there may be two", Active::new(group, handling, |_, _| {}).is_err(), true)?;
        let word = |from: Rank, to: Rank| (from * 100 + to + 1) as u64;
        for step in 0..size {
            let to = (rank + step) % size;
            active.send((to, ADD), [word(rank, to), !0])?;
            active.compute(Span::from_micros(5))?;
        }
        active.wait_while(|| answers.borrow().len() < size || asked.borrow().len() < size)?;
        let (next, previous) = neighbours(group);
        let request = group.irecv((previous, Tag(7)))?;
        active.send_data((next, Tag(7)), bytes(rank, 1, 5000))?;
        same_bytes(&request.wait()?.payload, &bytes(previous, 1, 5000))?;
        let request = group.isend((next, Tag(8)), bytes(rank, 2, 90_000))?;
        same_bytes(&active.recv_data((previous, Tag(8)))?.payload, &bytes(previous, 2, 90_000))?;
        request.wait()?;
        // Answers to others are on their way as long as anybody waits for one.
        group.barrier()?;
        active.poll()?;
        drop(active);
        let mut asked = asked.into_inner();
        asked.sort_unstable();
        let expected: Vec<(Rank, [u64; 2])> = (0..size).map(|from| (from, [word(from, rank), !0])).collect();
        same_all(&asked, &expected)?;
        let all: u64 = (0..size).map(|from| word(from, rank)).sum();
        same("sum", sum.get(), all)?;
        let mut answers = answers.into_inner();
        answers.sort_unstable();
        let sent: Vec<(Rank, u64)> = answers.iter().map(|&(from, [_, word])| (from, word)).collect();
        same_all(&sent, &(0..size).map(|to| (to, word(rank, to))).collect::<Vec<_>>())?;
        group.barrier()?;
    }
    Ok(())
}
