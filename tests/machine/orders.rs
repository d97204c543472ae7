//! The number of runs of an exploration is the number of equivalence classes of executions: programs, each beside a model of it, of which brute force
//! over all interleavings finds the classes. The table of docs/check.md has the programs and the numbers.
//!
//! A model of a program says what a rank does next, given what its calls have returned so far. A class is what all calls of all ranks return: two
//! executions that differ only in the order of independent events are one class.

use std::collections::BTreeSet;

use multicomputer::{Machine, error::Failure, prelude::*};

use crate::support::is_full;

/// What a rank does next.
#[derive(Clone, Copy)]
enum Act {
    /// Sends a message with a tag.
    Send(usize, u32),
    /// Receives from a source, or from any, with a tag, or with any.
    Recv(Option<usize>, Option<u32>),
    /// Waits until a message is there from any source.
    Probe,
    /// Posts a receive from a source.
    Post(usize),
    /// Waits for any of the posted receives.
    WaitAny,
    End,
}
use Act::{End, Post, Probe, Recv, Send, WaitAny};

/// What a tag adds to the source in what a receive returns.
const TAGGED: usize = 16;

/// What a rank does next, given its number and what its calls have returned: the source of a message and its tag, and 0 for other calls.
type Model = fn(usize, &[usize]) -> Act;

#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// What the calls of each rank have returned.
    returned: Vec<Vec<usize>>,
    /// The messages that were not received, in the order of sending: source, destination, tag.
    messages: Vec<(usize, usize, u32)>,
    /// The open receives of each rank, by source.
    posted: Vec<Vec<usize>>,
}

impl State {
    /// The first message of each source that a rank could receive, as places in the list.
    fn first_messages(&self, rank: usize, from: Option<usize>, tag: Option<u32>) -> Vec<usize> {
        let mut sources = BTreeSet::new();
        let messages = self.messages.iter().enumerate();
        let fitting = messages.filter(|(_, message)| {
            message.1 == rank
                && from.is_none_or(|from| from == message.0)
                && tag.is_none_or(|tag| tag == message.2)
        });
        fitting.filter(|(_, message)| sources.insert(message.0)).map(|(at, _)| at).collect()
    }

    /// All states after the next step of a rank.
    fn after_step(&self, rank: usize, model: Model) -> Vec<State> {
        let returning = |value: usize, change: &dyn Fn(&mut State)| {
            let mut next = self.clone();
            next.returned[rank].push(value);
            change(&mut next);
            next
        };
        let remove = |at: usize| {
            move |state: &mut State| {
                state.messages.remove(at);
            }
        };
        match model(rank, &self.returned[rank]) {
            Send(to, tag) => vec![returning(0, &|state| state.messages.push((rank, to, tag)))],
            Recv(from, tag) => {
                let firsts = self.first_messages(rank, from, tag).into_iter();
                let value = |at: usize| self.messages[at].0 + TAGGED * self.messages[at].2 as usize;
                firsts.map(|at| returning(value(at), &remove(at))).collect()
            }
            Probe => {
                let firsts = self.first_messages(rank, None, None).into_iter();
                firsts.map(|at| returning(self.messages[at].0, &|_| {})).collect()
            }
            Post(from) => vec![returning(0, &|state| state.posted[rank].push(from))],
            WaitAny => {
                let complete =
                    self.posted[rank].iter().flat_map(|&from| self.first_messages(rank, Some(from), None));
                let take = |at: usize| {
                    let source = self.messages[at].0;
                    returning(source, &|state| {
                        state.messages.remove(at);
                        state.posted[rank].retain(|from| *from != source);
                    })
                };
                complete.map(take).collect()
            }
            End => Vec::new(),
        }
    }
}

/// The classes of all executions.
fn classes(ranks: usize, model: Model) -> usize {
    let begin = State { returned: vec![vec![]; ranks], messages: vec![], posted: vec![vec![]; ranks] };
    let (mut known, mut left, mut ends) = (BTreeSet::new(), vec![begin], BTreeSet::new());
    while let Some(state) = left.pop() {
        let next: Vec<State> = (0..ranks).flat_map(|rank| state.after_step(rank, model)).collect();
        if next.is_empty() {
            ends.insert(state.returned);
            continue;
        }
        left.extend(next.into_iter().filter(|state| known.insert(state.clone())));
    }
    ends.len()
}

type Result<T = ()> = std::result::Result<T, Failure>;
type Program = fn(&Node<'_>) -> Result;

/// Every other rank sends to rank 0, which receives from any.
fn senders(node: &Node<'_>) -> Result {
    let world = node.world();
    if node.rank() > 0 {
        return Ok(world.send(0, [0_u8])?);
    }
    Ok((1..node.size()).try_for_each(|_| world.recv(ANY_SOURCE).map(drop))?)
}

fn senders_model(rank: usize, returned: &[usize]) -> Act {
    match (rank, returned.len()) {
        (0, 0..4) => Recv(None, None),
        (1.., 0) => Send(0, 0),
        _ => End,
    }
}

/// As `senders`, and rank 0 looks for a message before it receives it.
fn probes(node: &Node<'_>) -> Result {
    let world = node.world();
    if node.rank() > 0 {
        return Ok(world.send(0, [0_u8])?);
    }
    for _ in 1..node.size() {
        let source = world.probe(ANY_SOURCE)?.source;
        world.recv(source)?;
    }
    Ok(())
}

fn probes_model(rank: usize, returned: &[usize]) -> Act {
    match (rank, returned.len()) {
        (0, at @ 0..6) if at % 2 == 0 => Probe,
        (0, 1..6) => Recv(returned.last().copied(), None),
        (1.., 0) => Send(0, 0),
        _ => End,
    }
}

/// Rank 0 hands out four tasks to two workers, the next one to the worker whose result came first, and then tells them to stop.
fn farm(node: &Node<'_>) -> Result {
    farm_of(node, 4)
}

fn farm_of(node: &Node<'_>, tasks: usize) -> Result {
    let world = node.world();
    if node.rank() > 0 {
        while world.recv((0, ANY_TAG))?.tag == Tag(1) {
            world.send(0, [0_u8])?;
        }
        return Ok(());
    }
    let mut next = 0;
    let mut hand_out = |worker: Rank| {
        next += 1;
        world.send((worker, Tag(u32::from(next <= tasks))), [0_u8])
    };
    (1..node.size()).try_for_each(&mut hand_out)?;
    for _ in 0..tasks {
        let source = world.recv(ANY_SOURCE)?.source;
        hand_out(source)?;
    }
    Ok(())
}

fn farm_model(rank: usize, returned: &[usize]) -> Act {
    const TASKS: usize = 4;
    match (rank, returned.len()) {
        (0, at @ 0..2) => Send(at + 1, 1),
        (0, at) if at < 2 + 2 * TASKS && at % 2 == 0 => Recv(None, None),
        (0, at) if at < 2 + 2 * TASKS => Send(returned[at - 1], u32::from((at - 1) / 2 + 2 <= TASKS)),
        (0, _) => End,
        (_, at) if at % 2 == 0 => Recv(Some(0), None),
        (_, at) if returned[at - 1] == TAGGED => Send(0, 0),
        _ => End,
    }
}

/// Two clients ask a server three times each, and wait for each answer.
fn server(node: &Node<'_>) -> Result {
    let world = node.world();
    for _ in 0..if node.rank() > 0 { 3 } else { 6 } {
        if node.rank() > 0 {
            world.send(0, [0_u8])?;
            world.recv(0)?;
        } else {
            let client = world.recv(ANY_SOURCE)?.source;
            world.send(client, [0_u8])?;
        }
    }
    Ok(())
}

fn server_model(rank: usize, returned: &[usize]) -> Act {
    match (rank, returned.len()) {
        (0, 12..) | (1.., 6..) => End,
        (0, at) if at % 2 == 0 => Recv(None, None),
        (0, at) => Send(returned[at - 1], 0),
        (_, at) if at % 2 == 0 => Send(0, 0),
        _ => Recv(Some(0), None),
    }
}

/// A token goes around a ring twice; it is received from any rank.
fn token(node: &Node<'_>) -> Result {
    let (world, next) = (node.world(), (node.rank() + 1) % node.size());
    for _ in 0..2 {
        if node.rank() == 0 {
            world.send(next, [0_u8])?;
        }
        world.recv(ANY_SOURCE)?;
        if node.rank() > 0 {
            world.send(next, [0_u8])?;
        }
    }
    Ok(())
}

fn token_model(rank: usize, returned: &[usize]) -> Act {
    match returned.len() {
        4.. => End,
        at if (at + rank.min(1)).is_multiple_of(2) => Send((rank + 1) % 4, 0),
        _ => Recv(None, None),
    }
}

/// Each rank of a ring sends to both neighbours, and receives two messages from any.
fn ring(node: &Node<'_>) -> Result {
    let (world, rank, size) = (node.world(), node.rank(), node.size());
    let right = world.isend((rank + 1) % size, [0_u8])?;
    let left = world.isend((rank + size - 1) % size, [0_u8])?;
    (0..2).try_for_each(|_| world.recv(ANY_SOURCE).map(drop))?;
    right.wait()?;
    Ok(left.wait()?)
}

fn ring_model(rank: usize, returned: &[usize]) -> Act {
    match returned.len() {
        0 => Send((rank + 1) % 4, 0),
        1 => Send((rank + 3) % 4, 0),
        2..4 => Recv(None, None),
        _ => End,
    }
}

/// Rank 0 posts a receive from each other rank, and waits for any of them until all are complete.
fn waits(node: &Node<'_>) -> Result {
    let world = node.world();
    if node.rank() > 0 {
        return Ok(world.send(0, [0_u8])?);
    }
    let posted = (1..node.size()).map(|from| world.irecv(from).map(Some));
    let mut posted = posted.collect::<std::result::Result<Vec<_>, _>>()?;
    for _ in 1..node.size() {
        Request::wait_any(&mut posted)?;
    }
    Ok(())
}

fn waits_model(rank: usize, returned: &[usize]) -> Act {
    match (rank, returned.len()) {
        (0, at @ 0..3) => Post(at + 1),
        (0, 3..6) => WaitAny,
        (1.., 0) => Send(0, 0),
        _ => End,
    }
}

/// Ranks 2 to 4 send to the servers 0 and 1, which receive from any.
fn two_servers(node: &Node<'_>) -> Result {
    let world = node.world();
    if node.rank() > 1 {
        return Ok((0..2).try_for_each(|to| world.send(to, [0_u8]))?);
    }
    Ok((2..node.size()).try_for_each(|_| world.recv(ANY_SOURCE).map(drop))?)
}

fn two_servers_model(rank: usize, returned: &[usize]) -> Act {
    match (rank, returned.len()) {
        (0..2, 0..3) => Recv(None, None),
        (2.., at @ 0..2) => Send(at, 0),
        _ => End,
    }
}

/// Three ranks send a message with tag 0 and one with tag 1; rank 0 receives those with tag 1 first.
fn tags(node: &Node<'_>) -> Result {
    let world = node.world();
    if node.rank() > 0 {
        let first = world.isend((0, Tag(0)), [0_u8])?;
        world.send((0, Tag(1)), [0_u8])?;
        return Ok(first.wait()?);
    }
    for tag in [1, 0] {
        (1..node.size()).try_for_each(|_| world.recv((ANY_SOURCE, Tag(tag))).map(drop))?;
    }
    Ok(())
}

fn tags_model(rank: usize, returned: &[usize]) -> Act {
    match (rank, returned.len()) {
        (0, at @ 0..6) => Recv(None, Some(u32::from(at < 3))),
        (1.., at @ 0..2) => Send(0, at as u32),
        _ => End,
    }
}

/// Messages go up a binary tree; each rank receives those of its children from any.
fn tree(node: &Node<'_>) -> Result {
    let (world, rank) = (node.world(), node.rank());
    for child in [2 * rank + 1, 2 * rank + 2] {
        if child < node.size() {
            world.recv(ANY_SOURCE)?;
        }
    }
    if rank > 0 {
        world.send((rank - 1) / 2, [0_u8])?;
    }
    Ok(())
}

fn tree_model(rank: usize, returned: &[usize]) -> Act {
    match (rank, returned.len()) {
        (0..3, 0..2) => Recv(None, None),
        (1..3, 2) | (3.., 0) => Send((rank - 1) / 2, 0),
        _ => End,
    }
}

/// The programs, as docs/check.md names them, with their numbers of ranks.
const PROGRAMS: [(&str, usize, Program, Model); 10] = [
    ("4 senders, one receiver", 5, senders, senders_model),
    ("3 senders, a receiver that probes", 4, probes, probes_model),
    ("task farm, 2 workers, 4 tasks", 3, farm, farm_model),
    ("a server, 2 clients that ask 3 times", 3, server, server_model),
    ("a token, twice around 4 ranks", 4, token, token_model),
    ("ring of 4, messages to both neighbours", 4, ring, ring_model),
    ("wait for any of 3 receives", 4, waits, waits_model),
    ("3 clients, 2 servers", 5, two_servers, two_servers_model),
    ("3 senders, tags in the other order", 4, tags, tags_model),
    ("binary tree of 7 ranks", 7, tree, tree_model),
];

#[test]
fn runs_are_as_many_as_classes() {
    let page = include_str!("../../docs/check.md");
    let mut missing = Vec::new();
    for (name, ranks, program, model) in PROGRAMS {
        let found = Machine::hockney(1, ranks).build().unwrap().explore(program).unwrap();
        assert!(found.is_clean(), "{name}: {found}");
        let classes = classes(ranks, model);
        assert_eq!(found.orders() as usize, classes, "{name}");
        let row = format!("| {name} | {classes} | {} |", found.orders());
        if !page.contains(&row) {
            missing.push(row);
        }
    }
    assert!(missing.is_empty(), "rows of docs/check.md:\n{}", missing.join("\n"));
}

/// In full only: a few seconds.
#[test]
fn a_farm_of_four_workers_and_eight_tasks_is_explored_completely() {
    if !is_full() {
        return;
    }
    let found = Machine::hockney(1, 5).build().unwrap().explore(|node| farm_of(node, 8)).unwrap();
    assert!(found.is_clean(), "{found}");
    assert_eq!(found.orders(), 6144);
}
