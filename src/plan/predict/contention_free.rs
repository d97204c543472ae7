//! Contention-free schedules. Such a schedule takes exactly its [contention-free lower bound](super::contention_free_bound), so
//! the kernel is not needed.
//!
//! Time-triggered schedules send so that no messages share a resource; chains and rings of neighbours also have this
//! property. Nothing has to be shared: from the instant at which it enters the network, a message moves at the full
//! speed of its port. The schedule is timed under this assumption. Then each message, in the order of entry into the
//! network, is checked: no in-port and no link may ever carry more than its capacity with all messages at full speed.

use std::{cmp::Reverse, collections::BinaryHeap, mem};

use super::contention_free_bound::Flight;
use crate::{
    fabric::near_whole,
    model::MachineSpec,
    pattern::{Action, Schedule},
    rank::Rank,
    time::Time,
    topology::LinkId,
};

/// Returns whether contention-free timing applies to the schedule and the machine.
pub(super) fn applies_to(machine: &MachineSpec, schedule: &Schedule) -> bool {
    let mut steps = (0..schedule.nodes()).flat_map(|rank| schedule.steps(rank));
    is_simple(machine) && !steps.any(|step| matches!(step.action, Action::Barrier))
}

/// Returns whether messages need only ports, links and constant overheads.
fn is_simple(machine: &MachineSpec) -> bool {
    let parameters = machine.parameters();
    parameters.ports() == 1
        && parameters.duplex() >= 2.0
        && parameters.port_capacity().is_finite()
        && parameters.exchange_overhead().is_zero()
        && parameters.unexpected(0).is_none()
        && parameters.regimes().is_empty()
        && machine.rendezvous().is_none()
        && !machine.is_disturbed()
}

/// Returns whether no in-port and no link ever has more messages than it can carry at full speed.
pub(super) fn is_contention_free(machine: &MachineSpec, members: &[Rank], flights: &[Flight]) -> bool {
    let (topology, port) = (machine.topology(), machine.parameters().port_capacity());
    // Number of messages on each link.
    let mut load = vec![0_u32; topology.links()];
    let mut is_busy = vec![false; members.len()];
    let mut order: Vec<&Flight> = flights.iter().collect();
    order.sort_by_key(|flight| flight.enters);
    // A node sends one message at a time, so it has at most one route.
    let mut routes: Vec<Vec<LinkId>> = vec![Vec::new(); members.len()];
    let mut ends: BinaryHeap<Reverse<(Time, Rank, Rank)>> = BinaryHeap::new();
    for &Flight { from, to, bytes, enters, left } in order {
        // A message that ends at an instant frees its resources for messages that begin at this instant.
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
        // Left to the kernel: a message to its sender, a transfer that rounds to zero picoseconds, and a message to a busy in-port.
        if from == to || left == enters || mem::replace(&mut is_busy[to], true) {
            return false;
        }
        let route = &mut routes[from];
        topology.route(members[from], members[to], route);
        for &link in route.iter() {
            let ratio = machine.link_capacity(link) / port;
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

    fn predict(machine: &MachineSpec, members: &[Rank], schedule: &Schedule) -> Option<Prediction> {
        predict_without_kernel(machine, members, schedule, Time::MAX).flatten()
    }

    /// A message: sender, receiver, bytes, a pause of the sender in nanoseconds, and the kind of call.
    type Sent = (Rank, Rank, u64, u64, CallKind);

    /// The kind of call: nonblocking send, blocking send, symmetric exchange, or nonblocking send whose receiver combines the data.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum CallKind {
        Started,
        Sent,
        Exchanged,
        Combined,
    }

    /// Returns the schedule of messages in this order. Receives are posted in the same order.
    fn schedule(nodes: usize, messages: &[Sent]) -> Schedule {
        let mut steps: Vec<Vec<Step>> = vec![Vec::new(); nodes];
        for (iteration, &(from, to, bytes, pause, kind)) in messages.iter().enumerate() {
            let message = |peer| Message { peer, blocks: Blocks::default(), bytes, combined: false };
            let mut step = |rank: Rank, action| steps[rank].push(Step { iteration, action });
            step(from, Action::Pause(Span::from_nanos(pause)));
            if kind == CallKind::Exchanged {
                step(from, Action::Exchange { send: message(to), recv: message(to) });
                step(to, Action::Exchange { send: message(from), recv: message(from) });
                continue;
            }
            step(
                from,
                if kind == CallKind::Sent { Action::Send(message(to)) } else { Action::Start(message(to)) },
            );
            step(to, Action::Recv(message(from)));
            if kind == CallKind::Combined {
                step(to, Action::Pack(bytes));
                step(to, Action::Combine(bytes));
            }
        }
        Schedule::of_lengths(steps)
    }

    fn kind() -> impl Strategy<Value = CallKind> {
        prop::sample::select(vec![
            CallKind::Started,
            CallKind::Started,
            CallKind::Sent,
            CallKind::Exchanged,
            CallKind::Combined,
        ])
    }

    proptest! {
        /// Tests that every closed-form prediction equals the kernel's, to the picosecond, for every node.
        #[test]
        fn closed_form_equals_the_kernel(
            name in prop::sample::select(vec!["hockney:2x3", "cm5:6", "delta:2x3", "t3d:3x2x1", "torus:2x3"]),
            has_overheads: bool,
            messages in prop::collection::vec((0..6_usize, 1..6_usize, 0..6_u64, 0..4_u64, kind()), 1..20),
            unit in prop::sample::select(vec![1, 20, 100, 500]),
            pause in prop::sample::select(vec![0, 5, 25, 1000])
        ) {
            let machine: MachineSpec = name.parse().unwrap();
            let parameters = machine.parameters().to_builder();
            let parameters = if has_overheads { parameters } else { parameters.send_overhead(0.0).receive_overhead(0.0) };
            let machine = MachineSpec::new("any", machine.topology().clone(), parameters.build().unwrap());
            let messages: Vec<Sent> = messages
                .into_iter()
                .map(|(from, offset, times, pauses, kind)| {
                    (from, (from + offset) % 6, unit * times, 1000 * pause * pauses, kind)
                })
                .collect();
            let (schedule, members) = (schedule(6, &messages), [5, 0, 1, 4, 3, 2]);
            if let Some(prediction) = predict(&machine, &members, &schedule) {
                prop_assert_eq!(Some(prediction), predict_by_kernel(&machine, &members, &schedule, Time::MAX));
            }
        }
    }

    /// Tests that a contention-free example of each kind of call is timed without the kernel.
    #[test]
    fn contention_free_schedules_need_no_kernel() {
        let machine: MachineSpec = "hockney:1x4".parse().unwrap();
        let members = [0, 1, 2, 3];
        for kind in [CallKind::Started, CallKind::Sent, CallKind::Exchanged, CallKind::Combined] {
            let schedule =
                schedule(4, &[(0, 1, 1000, 0, kind), (2, 3, 2000, 5000, kind), (1, 2, 500, 0, kind)]);
            let prediction = predict(&machine, &members, &schedule);
            assert!(prediction.is_some(), "{kind:?}");
            assert_eq!(prediction, predict_by_kernel(&machine, &members, &schedule, Time::MAX), "{kind:?}");
        }
    }

    /// Tests that two messages to one node, or over one link, contend unless one of them starts after the other has ended.
    #[test]
    fn contending_messages_need_the_kernel() {
        let machine: MachineSpec = "hockney:1x4".parse().unwrap();
        let members = [0, 1, 2, 3];
        let time = |messages: &[_]| predict(&machine, &members, &schedule(4, messages));
        let started = |from: Rank, to: Rank, pause: u64| (from, to, 1000, 1000 * pause, CallKind::Started);
        for [first, other] in [[(0, 1), (2, 1)], [(0, 2), (1, 3)]] {
            let with_other_after = |pause| [started(first.0, first.1, 0), started(other.0, other.1, pause)];
            // The first message leaves 50 us after it has entered the network: the earliest instant for the second to enter.
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
    fn other_machines_and_barriers_need_the_kernel() {
        let messages = [(0, 1, 1000, 0, CallKind::Sent)];
        for name in ["paragon:1x4", "hockney:1x4"] {
            let machine: MachineSpec = name.parse().unwrap();
            assert_eq!(
                predict(&machine, &[0, 1, 2, 3], &schedule(4, &messages)).is_some(),
                name == "hockney:1x4"
            );
        }
        let machine: MachineSpec = "hockney:1x4".parse().unwrap();
        let barrier = Step { iteration: 0, action: Action::Barrier };
        assert_eq!(predict(&machine, &[0], &Schedule::of_lengths(vec![vec![barrier]])), None);
    }
}
