//! Which of several posted receives takes a message.

use std::collections::VecDeque;

use multicomputer::{error::Failure, prelude::*};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{bytes, neighbours, random};
use crate::conformance::{same, same_bytes, within};

/// Receives from one rank, in the order in which they are posted, and the messages that come, in the order in which they
/// are sent. Each message goes to the first receive that accepts it and has none yet; all get one.
#[derive(Debug)]
struct Matching {
    /// The tag that each receive asks for; `None` is any.
    receives: Vec<Option<Tag>>,
    /// Tag, length, and the receive that takes it.
    messages: Vec<(Tag, usize, usize)>,
}

impl Matching {
    fn new(random: &mut ChaCha8Rng) -> Matching {
        let count = random.random_range(1..=8);
        let tag = |random: &mut ChaCha8Rng| Tag(random.random_range(0..3));
        let receives: Vec<Option<Tag>> =
            (0..count).map(|_| random.random_bool(0.6).then(|| tag(random))).collect();
        let mut open: Vec<usize> = (0..count).collect();
        let mut messages = Vec::new();
        while !open.is_empty() {
            // A tag that somebody waits for, though perhaps not the one who gets it.
            let tag = receives[open[random.random_range(0..open.len())]].unwrap_or_else(|| tag(random));
            let length = [0, 1, 8, 100, 5000, 70_000][random.random_range(0..6)];
            let first =
                open.iter().position(|&nth| receives[nth].is_none_or(|wanted| wanted == tag)).unwrap();
            messages.push((tag, length, open.remove(first)));
        }
        Matching { receives, messages }
    }
}

/// Everybody receives from the rank before it. Some post everything before the first message can come, some when all may
/// have come, and it makes no difference.
pub(super) fn posted_receives(node: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (next, previous) = neighbours(group);
    let mut random = random(5);
    for round in 0..24 {
        let matching = Matching::new(&mut random);
        let send = || {
            let messages = matching.messages.iter().enumerate();
            let started = messages.map(|(nth, &(tag, length, _))| {
                group.isend((next, tag), bytes(group.rank(), round + nth, length))
            });
            started.collect::<Result<Vec<_>, _>>()
        };
        let post = || {
            let posted = matching.receives.iter().map(|tag| match (tag, round % 2) {
                (Some(tag), 0) => group.irecv((previous, *tag)),
                (Some(tag), _) => group.irecv((ANY_SOURCE, *tag)),
                (None, 0) => group.irecv(previous),
                (None, _) => group.irecv(ANY_SOURCE),
            });
            posted.collect::<Result<Vec<_>, _>>()
        };
        let (posted, started) = match round % 3 {
            0 => {
                let posted = post()?;
                group.barrier()?;
                (posted, send()?)
            }
            1 => {
                let started = send()?;
                group.barrier()?;
                (post()?, started)
            }
            _ => {
                let started = send()?;
                (post()?, started)
            }
        };
        let got = taken(node, posted, round)?;
        for (nth, &(tag, length, receive)) in matching.messages.iter().enumerate() {
            within(format_args!("message {nth} of round {round}, {matching:?}"), || {
                let message = &got[receive];
                same("source and tag", (message.source, message.tag), (previous, tag))?;
                same_bytes(&message.payload, &bytes(previous, round + nth, length))
            })?;
        }
        Request::wait_all(started)?;
        group.barrier()?;
    }
    Ok(())
}

/// The messages of posted receives, however they are asked for.
fn taken(node: &Node<'_>, posted: Vec<RecvRequest<'_>>, manner: usize) -> Result<Vec<Message>, Failure> {
    let mut got: Vec<Option<Message>> = vec![None; posted.len()];
    match manner % 4 {
        0 => return Ok(Request::wait_all(posted)?),
        1 => {
            for (nth, request) in posted.into_iter().enumerate().rev() {
                got[nth] = Some(request.wait()?);
            }
        }
        2 => {
            let mut posted: Vec<Option<RecvRequest<'_>>> = posted.into_iter().map(Some).collect();
            while posted.iter().any(Option::is_some) {
                let (nth, message) = Request::wait_any(&mut posted)?;
                same("whether one request is given twice", got[nth].replace(message).is_some(), false)?;
            }
        }
        _ => {
            let mut pending: VecDeque<_> = posted.into_iter().enumerate().collect();
            while let Some((nth, request)) = pending.pop_front() {
                match request.test()? {
                    Tested::Complete(message) => got[nth] = Some(message),
                    Tested::Pending(request) => {
                        pending.push_back((nth, request));
                        node.compute(Span::from_micros(3))?;
                    }
                }
            }
        }
    }
    got.into_iter().map(|message| message.ok_or_else(|| "a receive without a message".into())).collect()
}

/// Receives by source, by tag, by both and by neither, all posted at once; what comes first is open, but each gets what it
/// asked for.
pub(super) fn from_everybody(node: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (rank, size) = (group.rank(), group.size());
    for manner in 0..4 {
        // From each rank one of tag 1, which receives by source take, one of tag 2 and one of tag 3.
        let length = |from: Rank, tag: usize| (from * 7 + tag * 300) % 1000;
        let mut posted = Vec::new();
        for from in 0..size {
            posted.push(group.irecv((from, Tag(1)))?);
            posted.push(group.irecv((ANY_SOURCE, Tag(2)))?);
        }
        let mut started = Vec::new();
        for to in (0..size).rev() {
            for tag in [2, 1, 3] {
                let data = bytes(rank, tag, length(rank, tag));
                started.push(group.isend((to, Tag(tag as u32)), data)?);
            }
        }
        let mut came = vec![Vec::new(); size];
        let mut look = |message: &Message| {
            let (source, tag) = (message.source, message.tag.0 as usize);
            came[source].push(tag);
            same_bytes(&message.payload, &bytes(source, tag, length(source, tag)))
        };
        for (nth, message) in taken(node, posted, manner)?.iter().enumerate() {
            let expected = if nth % 2 == 0 { (nth / 2, Tag(1)) } else { (message.source, Tag(2)) };
            same("source and tag", (message.source, message.tag), expected)?;
            look(message)?;
        }
        for _ in 0..size {
            let message = group.recv((ANY_SOURCE, Tag(3)))?;
            same("tag", message.tag, Tag(3))?;
            look(&message)?;
        }
        for (source, mut tags) in came.into_iter().enumerate() {
            tags.sort_unstable();
            within(format_args!("from {source}"), || same("tags", tags, vec![1, 2, 3]))?;
        }
        Request::wait_all(started)?;
        group.barrier()?;
    }
    Ok(())
}
