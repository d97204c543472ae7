//! Time-triggered schedules: messages start at planned instants, so that no two share a port, without synchronization.
//!
//! In a schedule that keeps all ports busy, a node that runs ahead of the others causes contention: its message shares the receiver's port
//! with another message, both take twice as long, and the next messages of both senders are late. So a node pauses when it has nothing to
//! send, and calls each send such that the message enters the network at its planned start. A message is received after its planned
//! arrival, without waiting. This receive avoids the extra cost of a receive that overlaps a send. Each receive is planned with a margin,
//! because a late message delays all later messages of its receiver.
//!
//! All times are known in advance, from the plan and the cost of calls. If the network is slower than planned, a receive waits, and the
//! later steps of its node are delayed.

use super::{super::Instance, Part, paths::Paths};
use crate::{
    pattern::{Action, Blocks, Message, Schedule, Step},
    time::{Span, Time},
};

/// A part of a message with its planned times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub(crate) start: Time,
    /// The instant at which the last byte has left the sender.
    pub(crate) end: Time,
    pub(crate) part: Part,
}

/// Returns a time-triggered schedule of rounds, one after the other. A round takes the maximum of its longest message, its busiest link,
/// and two calls.
pub(crate) fn planned(instance: &Instance, paths: &Paths, rounds: &[Vec<Part>]) -> Vec<Planned> {
    let parameters = instance.parameters();
    let calls = parameters.send_overhead() + parameters.receive_overhead();
    let mut busy = vec![0.0; paths.capacity.len()];
    let mut start = Time::ZERO;
    let mut planned = Vec::new();
    for round in rounds {
        let mut longest = 0.0_f64;
        for part in round {
            longest = longest.max(paths.time(part));
            for &link in paths.path(part) {
                let link = link as usize;
                busy[link] += part.bytes as f64 / paths.capacity[link];
                longest = longest.max(busy[link]);
            }
        }
        round.iter().flat_map(|part| paths.path(part)).for_each(|&link| busy[link as usize] = 0.0);
        // In a round limited by links, the end of each single message is unknown, so all messages get the end of the round.
        let is_limited_by_links = round.iter().all(|part| paths.time(part) < longest);
        planned.extend(round.iter().map(|&part| {
            let time = if is_limited_by_links { longest } else { paths.time(&part) };
            Planned { start, end: start + Span::from_secs_f64(time), part }
        }));
        start += Span::from_secs_f64(longest).max(calls);
    }
    planned
}

/// A task of a node: a send at an instant, or a receive not before an instant.
struct Task {
    at: Time,
    message: Message,
    round: usize,
}

/// Returns the steps of every node. `planned` must be in order of start times.
pub(crate) fn schedule(instance: &Instance, paths: &Paths, planned: &[Planned]) -> Schedule {
    let (nodes, parameters) = (instance.size(), instance.parameters());
    let (send, receive) = (parameters.send_overhead(), parameters.receive_overhead());
    let nothing = Blocks::default();
    let patience = send + receive + parameters.exchange_overhead();
    let message = |peer, bytes| Message { peer, blocks: nothing.clone(), bytes, combined: false };
    let mut sends: Vec<Vec<Task>> = (0..nodes).map(|_| Vec::new()).collect();
    let mut receives: Vec<Vec<Task>> = (0..nodes).map(|_| Vec::new()).collect();
    let (mut round, mut last) = (0, Time::ZERO);
    for &Planned { start, end, part: Part { from, to, bytes } } in planned {
        round += usize::from(start > last);
        last = start;
        sends[from].push(Task { at: start, message: message(to, bytes), round });
        let links = paths.path(&Part { from, to, bytes }).len() as u64;
        let arrival = end + send + parameters.latency() + parameters.hop().times(links) + patience;
        receives[to].push(Task { at: arrival, message: message(from, bytes), round });
    }
    let steps = sends.into_iter().zip(receives).map(|(sends, receives)| {
        let mut steps: Vec<Step> = Vec::with_capacity(2 * (sends.len() + receives.len()));
        let (mut now, mut iteration) = (Time::ZERO, 0);
        let (mut sends, mut receives) = (sends.into_iter().peekable(), receives.into_iter().peekable());
        loop {
            // A receive comes first only if it ends before the next send is due. If calls take no time, sends at the same instant come
            // first; otherwise all nodes would wait for each other.
            let is_send = match (sends.peek(), receives.peek()) {
                (None, None) => break,
                (send, None) => send.is_some(),
                (None, _) => false,
                (Some(send), Some(recv)) => recv.at >= send.at || now.max(recv.at) + receive > send.at,
            };
            let Some(task) = (if is_send { sends.next() } else { receives.next() }) else { break };
            iteration = iteration.max(task.round);
            if task.at > now {
                steps.push(Step { iteration, action: Action::Pause(task.at.since(now)) });
                now = task.at;
            }
            let (action, takes) = match is_send {
                true => (Action::Start(task.message), send),
                false => (Action::Recv(task.message), receive),
            };
            steps.push(Step { iteration, action });
            now += takes;
        }
        steps
    });
    Schedule::of_lengths(steps.collect())
}

/// Returns the schedule as rounds: the parts that start at the same instant, at most one message per node and direction. (Where messages
/// take no time, several rounds start at one instant.)
pub(crate) fn rounds(nodes: usize, planned: &[Planned]) -> Vec<Vec<Part>> {
    let mut rounds: Vec<Vec<Part>> = Vec::new();
    // The last round of each sender and of each receiver, counted from 1.
    let mut last = [vec![0; nodes], vec![0; nodes]];
    let mut start = None;
    for planned in planned {
        let ends = [planned.part.from, planned.part.to];
        let is_busy = (0..2).any(|side| last[side][ends[side]] == rounds.len());
        if start != Some(planned.start) || is_busy {
            rounds.push(Vec::new());
            start = Some(planned.start);
        }
        (0..2).for_each(|side| last[side][ends[side]] = rounds.len());
        if let Some(round) = rounds.last_mut() {
            round.push(planned.part);
        }
    }
    rounds
}
