//! The schedule of nodes that go by the clock, so that no two messages meet at a port although nobody waits for
//! anybody.
//!
//! In a schedule that keeps all ports busy a node that gets ahead of the others does harm: its message meets another
//! one at the receiver, both take twice as long, and neither of their senders can go on to where it is waited for. So a
//! node that has nothing to send for a while pauses, and calls each send so that the message enters the network when it
//! is to. A message is received when it has come, not waited for: where a receive that overlaps a send costs extra,
//! this one does not. It is received a little later than it should have come, since a node that waits for one message
//! that is late is late with all that follow.
//!
//! All times are known in advance, from what the plan says and what a call takes. Where the network is slower than
//! planned, a receive waits, and the rest of what its node does is that much later.

use super::{super::Instance, Part, paths::Paths};
use crate::{
    pattern::{Action, Blocks, Message, Schedule, Step},
    time::{Span, Time},
};

/// A part of a message, and when it is to move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub(crate) start: Time,
    /// The instant at which it has left its sender.
    pub(crate) end: Time,
    pub(crate) part: Part,
}

/// The plan of rounds, each after the one before; a round takes as long as its longest message, its busiest link, or
/// two calls.
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
        // Messages that share a link may have left before the round is over; nobody knows which.
        let is_crowded = round.iter().all(|part| paths.time(part) < longest);
        planned.extend(round.iter().map(|&part| {
            let time = if is_crowded { longest } else { paths.time(&part) };
            Planned { start, end: start + Span::from_secs_f64(time), part }
        }));
        start += Span::from_secs_f64(longest).max(calls);
    }
    planned
}

/// A task of a node: a send at an instant, or a receive from it on.
struct Task {
    at: Time,
    message: Message,
    round: usize,
}

/// The steps of every node. The parts are in order of their starts.
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
            // A receive must be over when the next send is due. At one instant, where calls take no time, sends go
            // first, or all would wait for each other.
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

/// The plan as rounds: what starts at the same instant, and one message each way. (Where messages take no time at all
/// those of several rounds start at one instant.)
pub(crate) fn rounds(nodes: usize, planned: &[Planned]) -> Vec<Vec<Part>> {
    let mut rounds: Vec<Vec<Part>> = Vec::new();
    // The round that each sender and each receiver was last in, counted from 1.
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
