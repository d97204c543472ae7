//! Whether the messages of a schedule are in nobody's way: then it takes exactly what it takes [unhindered](super::unhindered), and
//! the kernel need not say.
//!
//! Nodes that go by the clock are told when to send so that no message meets another one, and so it is in chains, and in rings of
//! neighbours. Then there is nothing to share out: a message moves as fast as its port from the instant at which it enters the
//! network. So the schedule is followed as if that were so, and then it is checked, message by message in the order in which they enter
//! the network, that no in-port and no link ever has more than it can carry at the full speed of all.

use std::{cmp::Reverse, collections::BinaryHeap, mem};

use super::unhindered::Flight;
use crate::{
    fabric::near_whole,
    model::Description,
    pattern::{Action, Schedule},
    rank::Rank,
    time::Time,
    topology::LinkId,
};

/// Whether a schedule is one for which that can be known.
pub(super) fn can_tell(machine: &Description, schedule: &Schedule) -> bool {
    let mut steps = (0..schedule.nodes()).flat_map(|rank| schedule.steps(rank));
    is_simple(machine) && !steps.any(|step| matches!(step.action, Action::Barrier))
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

/// Whether no in-port and no link ever has more messages than it can carry at full speed.
pub(super) fn is_clear(machine: &Description, members: &[Rank], flights: &[Flight]) -> bool {
    let (topology, parameters) = (machine.topology(), machine.parameters());
    let port = parameters.port_capacity();
    let capacity = |link: LinkId| topology.capacity(link).unwrap_or_else(|| parameters.link_capacity());
    // How many messages each link has. Of many links hardly any is looked at.
    let mut load = vec![0_u32; topology.links()];
    let mut is_busy = vec![false; members.len()];
    let mut order: Vec<&Flight> = flights.iter().collect();
    order.sort_by_key(|flight| flight.enters);
    // A node sends one message at a time, and so has one route.
    let mut routes: Vec<Vec<LinkId>> = vec![Vec::new(); members.len()];
    let mut ends: BinaryHeap<Reverse<(Time, Rank, Rank)>> = BinaryHeap::new();
    for &Flight { from, to, bytes, enters, left } in order {
        // What ends at an instant makes room for what begins at it.
        while let Some(&Reverse((end, from, to))) = ends.peek()
            && end <= enters
        {
            ends.pop();
            is_busy[to] = false;
            routes[from].drain(..).for_each(|link| load[link] -= 1);
        }
        if bytes == 0 {
            continue;
        }
        // A message that takes less than a picosecond would count at its instant together with all others there: the kernel says what
        // that does.
        if from == to || left == enters || mem::replace(&mut is_busy[to], true) {
            return false;
        }
        let route = &mut routes[from];
        topology.route(members[from], members[to], route);
        for &link in route.iter() {
            let ratio = capacity(link) / port;
            if load[link] == near_whole(ratio).unwrap_or(ratio) as u32 {
                return false;
            }
            load[link] += 1;
        }
        ends.push(Reverse((left, from, to)));
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::{Prediction, predict_by_kernel, predict_without_kernel},
        *,
    };
    use crate::{
        pattern::{Blocks, Message, Step},
        time::Span,
    };

    fn predict(machine: &Description, members: &[Rank], schedule: &Schedule) -> Option<Prediction> {
        predict_without_kernel(machine, members, schedule, Time::MAX).flatten()
    }

    /// A message: sender, receiver, bytes, a pause of the sender in nanoseconds, and how it is sent.
    type Sent = (Rank, Rank, u64, u64, How);

    /// How a message is sent: nodes go on meanwhile, or wait; or they send the same back at the same time. What is received may
    /// be combined.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum How {
        Started,
        Sent,
        Exchanged,
        Combined,
    }

    /// The schedule of messages in this order, each received as soon as its receiver comes to it.
    fn schedule(nodes: usize, messages: &[Sent]) -> Schedule {
        let mut steps: Vec<Vec<Step>> = vec![Vec::new(); nodes];
        for (iteration, &(from, to, bytes, pause, how)) in messages.iter().enumerate() {
            let message = |peer| Message { peer, blocks: Blocks::default(), bytes, combined: false };
            let mut step = |rank: Rank, action| steps[rank].push(Step { iteration, action });
            step(from, Action::Pause(Span::from_nanos(pause)));
            if how == How::Exchanged {
                step(from, Action::Exchange { send: message(to), recv: message(to) });
                step(to, Action::Exchange { send: message(from), recv: message(from) });
                continue;
            }
            step(from, if how == How::Sent { Action::Send(message(to)) } else { Action::Start(message(to)) });
            step(to, Action::Recv(message(from)));
            if how == How::Combined {
                step(to, Action::Pack(bytes));
                step(to, Action::Combine(bytes));
            }
        }
        Schedule::of_lengths(steps)
    }

    fn how() -> impl Strategy<Value = How> {
        prop::sample::select(vec![How::Started, How::Started, How::Sent, How::Exchanged, How::Combined])
    }

    proptest! {
        /// Whatever is predicted here the kernel says as well, to the picosecond, of every node.
        #[test]
        fn it_is_the_time_of_the_kernel(
            name in prop::sample::select(vec!["hockney:2x3", "cm5:6", "delta:2x3", "t3d:3x2x1", "torus:2x3"]),
            has_overheads: bool,
            messages in prop::collection::vec((0..6_usize, 1..6_usize, 0..6_u64, 0..4_u64, how()), 1..20),
            unit in prop::sample::select(vec![1, 20, 100, 500]),
            pause in prop::sample::select(vec![0, 5, 25, 1000])
        ) {
            let machine: Description = name.parse().unwrap();
            let parameters = machine.parameters().to_builder();
            let parameters = if has_overheads { parameters } else { parameters.send_overhead(0.0).receive_overhead(0.0) };
            let machine = Description::new("any", machine.topology().clone(), parameters.build().unwrap());
            let messages: Vec<Sent> = messages
                .into_iter()
                .map(|(from, way, times, pauses, how)| {
                    (from, (from + way) % 6, unit * times, 1000 * pause * pauses, how)
                })
                .collect();
            let (schedule, members) = (schedule(6, &messages), [5, 0, 1, 4, 3, 2]);
            if let Some(prediction) = predict(&machine, &members, &schedule) {
                prop_assert_eq!(Some(prediction), predict_by_kernel(&machine, &members, &schedule, Time::MAX));
            }
        }
    }

    /// One clear case of each way to send, which is known without the kernel.
    #[test]
    fn messages_in_nobodys_way_need_no_kernel() {
        let machine: Description = "hockney:1x4".parse().unwrap();
        let members = [0, 1, 2, 3];
        for how in [How::Started, How::Sent, How::Exchanged, How::Combined] {
            let schedule = schedule(4, &[(0, 1, 1000, 0, how), (2, 3, 2000, 5000, how), (1, 2, 500, 0, how)]);
            let prediction = predict(&machine, &members, &schedule);
            assert!(prediction.is_some(), "{how:?}");
            assert_eq!(prediction, predict_by_kernel(&machine, &members, &schedule, Time::MAX), "{how:?}");
        }
    }

    /// Two messages to one node are in each other's way unless one of them waits; the same of two on one link.
    #[test]
    fn messages_that_meet_are_for_the_kernel() {
        let machine: Description = "hockney:1x4".parse().unwrap();
        let members = [0, 1, 2, 3];
        let time = |messages: &[_]| predict(&machine, &members, &schedule(4, messages));
        let started = |from: Rank, to: Rank, pause: u64| (from, to, 1000, 1000 * pause, How::Started);
        for [first, other] in [[(0, 1), (2, 1)], [(0, 2), (1, 3)]] {
            let with_other_after = |pause| [started(first.0, first.1, 0), started(other.0, other.1, pause)];
            // The one leaves 50 us after it has entered the network: at that instant the other one may enter, and no sooner.
            for pause in [0, 49] {
                assert_eq!(time(&with_other_after(pause)), None, "{pause} us");
            }
            for pause in [50, 1000] {
                let schedule = schedule(4, &with_other_after(pause));
                let kernel = predict_by_kernel(&machine, &members, &schedule, Time::MAX);
                assert!(kernel.is_some());
                assert_eq!(time(&with_other_after(pause)), kernel, "{pause} us");
            }
        }
    }

    #[test]
    fn other_machines_and_barriers_are_for_the_kernel() {
        let messages = [(0, 1, 1000, 0, How::Sent)];
        for name in ["paragon:1x4", "hockney:1x4"] {
            let machine: Description = name.parse().unwrap();
            assert_eq!(
                predict(&machine, &[0, 1, 2, 3], &schedule(4, &messages)).is_some(),
                name == "hockney:1x4"
            );
        }
        let machine: Description = "hockney:1x4".parse().unwrap();
        let barrier = Step { iteration: 0, action: Action::Barrier };
        assert_eq!(predict(&machine, &[0], &Schedule::of_lengths(vec![vec![barrier]])), None);
    }
}
