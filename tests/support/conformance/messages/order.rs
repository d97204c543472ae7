//! The order in which messages come.

use multicomputer::{error::Failure, prelude::*};
use rand::seq::SliceRandom;

use super::{bytes, neighbours, random};
use crate::conformance::{same, same_all, same_bytes};

/// Short and longer ones in turn, which may go different ways. Every tag by itself is in order, and so is what comes of
/// whatever tag.
pub(super) fn to_the_next(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (next, previous) = neighbours(group);
    let text = |rank: Rank, nth: usize| vec![(rank ^ nth) as u64; nth * nth % 23 * (1 + nth % 7 / 6 * 400)];
    let started = (0..150).map(|nth| group.isend((next, Tag(nth as u32 % 3)), text(group.rank(), nth)));
    let started = started.collect::<Result<Vec<_>, _>>()?;
    for nth in (0..75).filter(|nth| nth % 3 == 1) {
        let message = group.recv((previous, Tag(1)))?;
        same_all(&message.to_vec::<u64>()?, &text(previous, nth))?;
    }
    for nth in (0..150).filter(|nth| *nth >= 75 || nth % 3 != 1) {
        let message = group.recv(ANY_SOURCE)?;
        same("source and tag", (message.source, message.tag), (previous, Tag(nth as u32 % 3)))?;
        same_all(&message.to_vec::<u64>()?, &text(previous, nth))?;
    }
    Request::wait_all(started)?;
    Ok(())
}

/// Those of one sender are in order, whatever comes between them; oneself is a sender as well.
pub(super) fn from_everybody(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    const EACH: usize = 5;
    let (rank, size) = (group.rank(), group.size());
    let length = |nth: usize| [3, 0, 5000, 40, 1][nth];
    let mut started = Vec::new();
    for nth in 0..EACH {
        for distance in 0..size {
            let to = (rank + distance) % size;
            started.push(group.isend((to, Tag(to as u32)), bytes(rank, nth, length(nth)))?);
        }
    }
    let mut came = vec![0; size];
    for _ in 0..EACH * size {
        let message = group.recv((ANY_SOURCE, Tag(rank as u32)))?;
        let nth = &mut came[message.source];
        same("tag", message.tag, Tag(rank as u32))?;
        same_bytes(&message.payload, &bytes(message.source, *nth, length(*nth)))?;
        *nth += 1;
    }
    same_all(&came, &vec![EACH; size])?;
    Request::wait_all(started)?;
    Ok(())
}

/// All ranks send to the last one, which looks at each before it takes it.
pub(super) fn to_one(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    const EACH: usize = 12;
    let (rank, size) = (group.rank(), group.size());
    let length = |rank: Rank, nth: usize| (rank + 3 * nth) % 9 * 100;
    let tag = |nth: usize| Tag(nth as u32 % 4 * 1000);
    if rank + 1 < size {
        return (0..EACH)
            .try_for_each(|nth| Ok(group.send((size - 1, tag(nth)), bytes(rank, nth, length(rank, nth)))?));
    }
    let mut came = vec![0; size - 1];
    for _ in 0..EACH * (size - 1) {
        let found = group.probe(ANY_SOURCE)?;
        let message = group.recv((found.source, found.tag))?;
        same("what a probe found", message.status(), found)?;
        let nth = &mut came[message.source];
        same("tag", message.tag, tag(*nth))?;
        same_bytes(&message.payload, &bytes(message.source, *nth, length(message.source, *nth)))?;
        *nth += 1;
    }
    same_all(&came, &vec![EACH; size - 1])
}

/// Every tag is one of its own, whatever its number, and receives ask in another order.
pub(super) fn by_tag(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (next, previous) = neighbours(group);
    let mut tags: Vec<Tag> =
        (0..12).map(|nth| Tag(nth * nth)).chain((15..32).map(|bit| Tag(1 << bit))).collect();
    tags.extend([u32::MAX, u32::MAX - 1, 32_767, (1 << 30) + 5].map(Tag));
    let mut random = random(3);
    tags.shuffle(&mut random);
    let numbered: Vec<(usize, Tag)> = tags.into_iter().enumerate().collect();
    let length = |nth: usize| nth % 5 * 31;
    let mut started = Vec::new();
    for &(nth, tag) in &numbered {
        started.push(group.isend((next, tag), bytes(group.rank(), nth, length(nth)))?);
    }
    let mut asked = numbered;
    asked.shuffle(&mut random);
    for (nth, tag) in asked {
        let message = match nth % 2 {
            0 => group.recv((previous, tag))?,
            _ => group.recv((ANY_SOURCE, tag))?,
        };
        same("source and tag", (message.source, message.tag), (previous, tag))?;
        same_bytes(&message.payload, &bytes(previous, nth, length(nth)))?;
    }
    Request::wait_all(started)?;
    Ok(())
}
