//! The time of a schedule by the clock whose messages are in nobody's way: exactly that of the kernel, for a part of its work.
//!
//! Nodes that go by the clock are told when to send so that no message meets another one. Where that comes true there is nothing to
//! share out: a message moves as fast as its port from the instant at which it enters the network, and its node and its
//! receiver can be followed without an event queue. So they are followed as if it came true, and then it is checked, message
//! by message in the order in which they enter the network, that no in-port and no link ever has more than it can carry at the
//! full speed of all. If one has, or if the schedule or the machine knows more than this needs, the kernel has to say.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::Prediction;
use crate::{
    model::Description,
    pattern::{Action, Schedule},
    rank::Rank,
    time::{Span, Time},
    topology::LinkId,
};

/// `Walk::coming` has an entry for each pair of nodes. That pays only if there is a message for one in so many pairs.
const FEW: usize = 64;

/// No message.
const NONE: u32 = u32::MAX;

/// Predicts a schedule by the clock; `None` if the kernel has to say.
pub(super) fn predict(machine: &Description, members: &[Rank], schedule: &Schedule) -> Option<Prediction> {
    if !is_simple(machine) || !is_by_the_clock(schedule) {
        return None;
    }
    let mut walk = Walk::new(machine, members, schedule)?;
    let finished = walk.finish(schedule)?;
    let modeled = finished.iter().copied().max().unwrap_or_default();
    // Whether something ends with modeled time is the kernel's to say.
    (modeled < Time::MAX && is_clear(machine, members, &walk.flights))
        .then_some(Prediction { modeled, finished })
}

/// Whether messages need nothing but their ports, their links and the same overheads at any time.
fn is_simple(machine: &Description) -> bool {
    let parameters = machine.parameters();
    parameters.ports() == 1
        && parameters.duplex() >= 2.0
        && parameters.port_capacity().is_finite()
        && parameters.exchange_overhead().is_zero()
        && parameters.regimes().is_empty()
        && machine.rendezvous().is_none()
        && !machine.is_disturbed()
}

/// Whether nodes do nothing but pause, start sends and receive.
fn is_by_the_clock(schedule: &Schedule) -> bool {
    let mut pauses = false;
    let mut steps = (0..schedule.nodes()).flat_map(|rank| schedule.steps(rank));
    let is_known = steps.all(|step| {
        pauses |= matches!(step.action, Action::Pause(_));
        matches!(step.action, Action::Pause(_) | Action::Start(_) | Action::Recv(_))
    });
    is_known && pauses
}

/// A message.
struct Flight {
    from: u32,
    to: u32,
    /// The next message between the same nodes.
    next: u32,
    bytes: u64,
    enters: Time,
    /// `Time::MAX` until it is sent.
    left: Time,
}

/// All nodes on their way through their steps, as if no message met another one.
struct Walk<'a> {
    machine: &'a Description,
    members: &'a [Rank],
    /// All messages, by sender, in the order in which it sends them; where those of each sender begin.
    flights: Vec<Flight>,
    begins: Vec<usize>,
    /// The next message that each node receives from each, by receiver.
    coming: Vec<u32>,
    /// The message for which each node waits.
    awaited: Vec<u32>,
    route: Vec<LinkId>,
}

impl<'a> Walk<'a> {
    /// All nodes at their first steps; `None` if there are few messages, or one of a node to itself.
    fn new(machine: &'a Description, members: &'a [Rank], schedule: &Schedule) -> Option<Walk<'a>> {
        let nodes = schedule.nodes();
        let count = schedule.messages().count();
        if nodes * nodes > FEW * count || count >= NONE as usize {
            return None;
        }
        let mut flights = Vec::with_capacity(count);
        let mut begins = Vec::with_capacity(nodes);
        for from in 0..nodes {
            begins.push(flights.len());
            for message in schedule.steps(from).iter().filter_map(|step| step.action.sent()) {
                if message.peer == from {
                    return None;
                }
                let (from, to) = (from as u32, message.peer as u32);
                let (enters, left) = (Time::MAX, Time::MAX);
                flights.push(Flight { from, to, next: NONE, bytes: message.bytes, enters, left });
            }
        }
        let mut coming = vec![NONE; nodes * nodes];
        for (nth, flight) in flights.iter_mut().enumerate().rev() {
            let pair = flight.to as usize * nodes + flight.from as usize;
            flight.next = std::mem::replace(&mut coming[pair], nth as u32);
        }
        Some(Walk {
            machine,
            members,
            flights,
            begins,
            coming,
            awaited: vec![NONE; nodes],
            route: Vec::new(),
        })
    }

    /// Lets all nodes go on until they are done; returns when each is, or `None` if one waits forever.
    fn finish(&mut self, schedule: &Schedule) -> Option<Vec<Time>> {
        let nodes = schedule.nodes();
        let parameters = self.machine.parameters();
        let (send, receive) = (parameters.send_overhead(), parameters.receive_overhead());
        let port = parameters.port_capacity();
        let mut clocks = vec![Time::ZERO; nodes];
        let mut out = vec![Time::ZERO; nodes];
        let mut sent = self.begins.clone();
        let mut done = vec![0; nodes];
        let mut ready: Vec<Rank> = (0..nodes).rev().collect();
        while let Some(rank) = ready.pop() {
            let steps = schedule.steps(rank);
            while let Some(step) = steps.get(done[rank]) {
                match &step.action {
                    Action::Pause(span) => clocks[rank] += *span,
                    Action::Start(message) => {
                        clocks[rank] += send;
                        let flight = &mut self.flights[sent[rank]];
                        flight.enters = clocks[rank].max(out[rank]);
                        flight.left = flight.enters + Span::from_secs_f64(message.bytes as f64 / port);
                        out[rank] = flight.left;
                        if self.awaited[message.peer] == sent[rank] as u32 {
                            self.awaited[message.peer] = NONE;
                            ready.push(message.peer);
                        }
                        sent[rank] += 1;
                    }
                    Action::Recv(message) => {
                        let pair = rank * nodes + message.peer;
                        let nth = self.coming[pair];
                        let flight = self.flights.get(nth as usize)?;
                        let (left, next) = (flight.left, flight.next);
                        if left == Time::MAX {
                            self.awaited[rank] = nth;
                            break;
                        }
                        self.coming[pair] = next;
                        let arrives = left + self.way(message.peer, rank);
                        clocks[rank] = clocks[rank].max(arrives) + receive;
                    }
                    _ => return None,
                }
                done[rank] += 1;
            }
        }
        let is_done = (0..nodes).all(|rank| done[rank] == schedule.steps(rank).len());
        // A node ends when all its messages have left.
        is_done.then(|| clocks.into_iter().zip(out).map(|(clock, out)| clock.max(out)).collect())
    }

    /// The time from when a message has left its sender until it arrives.
    fn way(&mut self, from: Rank, to: Rank) -> Span {
        let parameters = self.machine.parameters();
        if parameters.hop().is_zero() {
            return parameters.latency();
        }
        self.route.clear();
        self.machine.topology().route(self.members[from], self.members[to], &mut self.route);
        parameters.latency() + parameters.hop().times(self.route.len() as u64)
    }
}

/// Whether no in-port and no link ever has more messages than it can carry at full speed.
fn is_clear(machine: &Description, members: &[Rank], flights: &[Flight]) -> bool {
    let (topology, parameters) = (machine.topology(), machine.parameters());
    let port = parameters.port_capacity();
    let capacity = |link: LinkId| topology.capacity(link).unwrap_or_else(|| parameters.link_capacity());
    // How many messages each link has. Of many links hardly any is looked at.
    let mut load = vec![0_u32; topology.links()];
    let mut is_busy = vec![false; members.len()];
    let mut order: Vec<(Time, u32)> =
        flights.iter().enumerate().map(|(nth, flight)| (flight.enters, nth as u32)).collect();
    order.sort_unstable();
    // A node sends one message at a time, and so has one route.
    let mut routes: Vec<Vec<LinkId>> = vec![Vec::new(); members.len()];
    let mut ends: BinaryHeap<Reverse<(Time, u32)>> = BinaryHeap::new();
    for (enters, nth) in order {
        // What ends at an instant makes room for what begins at it.
        while let Some(&Reverse((end, ended))) = ends.peek()
            && end <= enters
        {
            ends.pop();
            let Flight { from, to, .. } = flights[ended as usize];
            is_busy[to as usize] = false;
            routes[from as usize].drain(..).for_each(|link| load[link] -= 1);
        }
        let Flight { from, to, bytes, left, .. } = flights[nth as usize];
        if bytes == 0 {
            continue;
        }
        // A message that takes less than a picosecond would count at its instant together with all others there: the kernel says what
        // that does.
        if left == enters || std::mem::replace(&mut is_busy[to as usize], true) {
            return false;
        }
        let route = &mut routes[from as usize];
        topology.route(members[from as usize], members[to as usize], route);
        for &link in route.iter() {
            if load[link] == whole(capacity(link) / port) {
                return false;
            }
            load[link] += 1;
        }
        ends.push(Reverse((left, nth)));
    }
    true
}

/// The whole part of a ratio; one that has been rounded away from a whole number is that, as in the shares of the network.
fn whole(ratio: f64) -> u32 {
    let near = ratio.round();
    if (ratio - near).abs() <= 4.0 * f64::EPSILON * near { near as u32 } else { ratio as u32 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::predict_by_kernel, *};
    use crate::pattern::{Blocks, Message, Step};

    /// The schedule of messages in this order, each sent after a pause in microseconds and received as soon as its receiver
    /// comes to it.
    fn schedule(nodes: usize, messages: &[(Rank, Rank, u64, u64)]) -> Schedule {
        let mut steps: Vec<Vec<Step>> = vec![Vec::new(); nodes];
        for (iteration, &(from, to, bytes, pause)) in messages.iter().enumerate() {
            let message = |peer| Message { peer, blocks: Blocks::default(), bytes, combined: false };
            let mut step = |rank: Rank, action| steps[rank].push(Step { iteration, action });
            step(from, Action::Pause(Span::from_nanos(1000 * pause)));
            step(from, Action::Start(message(to)));
            step(to, Action::Recv(message(from)));
        }
        Schedule::of_lengths(steps)
    }

    proptest! {
        /// Whatever is predicted here the kernel says as well, to the picosecond, of every node.
        #[test]
        fn it_is_the_time_of_the_kernel(
            name in prop::sample::select(vec!["hockney:2x3", "cm5:6", "delta:2x3", "t3d:3x2x1", "torus:2x3"]),
            has_overheads: bool,
            messages in prop::collection::vec((0..6_usize, 1..6_usize, 0..6_u64, 0..4_u64), 1..20),
            unit in prop::sample::select(vec![1, 20, 100, 500]),
            pause in prop::sample::select(vec![0, 5, 25, 1000])
        ) {
            let machine: Description = name.parse().unwrap();
            let parameters = machine.parameters().to_builder();
            let parameters = if has_overheads { parameters } else { parameters.send_overhead(0.0).receive_overhead(0.0) };
            let machine = Description::new("any", machine.topology().clone(), parameters.build().unwrap());
            let messages: Vec<(Rank, Rank, u64, u64)> = messages
                .into_iter()
                .map(|(from, way, times, pauses)| (from, (from + way) % 6, unit * times, pause * pauses))
                .collect();
            let (schedule, members) = (schedule(6, &messages), [5, 0, 1, 4, 3, 2]);
            if let Some(prediction) = predict(&machine, &members, &schedule) {
                prop_assert_eq!(Some(prediction), predict_by_kernel(&machine, &members, &schedule, Time::MAX));
            }
        }
    }

    /// Two messages to one node are in each other's way unless one of them waits; the same of two on one link.
    #[test]
    fn messages_that_meet_are_for_the_kernel() {
        let machine: Description = "hockney:1x4".parse().unwrap();
        let members = [0, 1, 2, 3];
        let time = |messages: &[_]| predict(&machine, &members, &schedule(4, messages));
        for others in [[(0, 1, 1000, 0), (2, 1, 1000, 0)], [(0, 2, 1000, 0), (1, 3, 1000, 0)]] {
            assert_eq!(time(&others), None);
            let mut after = others;
            // The one leaves 50 us after it has entered the network: at that instant the other one may enter, and no sooner.
            after[1].3 = 49;
            assert_eq!(time(&after), None);
            for pause in [50, 1000] {
                after[1].3 = pause;
                let kernel = predict_by_kernel(&machine, &members, &schedule(4, &after), Time::MAX);
                assert!(kernel.is_some());
                assert_eq!(time(&after), kernel, "{pause} us");
            }
        }
    }

    #[test]
    fn other_machines_and_schedules_are_for_the_kernel() {
        let messages = [(0, 1, 1000, 0)];
        for name in ["paragon:1x4", "hockney:1x4"] {
            let machine: Description = name.parse().unwrap();
            assert_eq!(
                predict(&machine, &[0, 1, 2, 3], &schedule(4, &messages)).is_some(),
                name == "hockney:1x4"
            );
        }
        let machine: Description = "hockney:1x4".parse().unwrap();
        let send = Action::Send(Message { peer: 1, blocks: Blocks::default(), bytes: 9, combined: false });
        let steps = vec![vec![Step { iteration: 0, action: send }], Vec::new()];
        assert_eq!(predict(&machine, &[0, 1], &Schedule::of_lengths(steps)), None);
    }
}
