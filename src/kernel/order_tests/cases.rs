//! Regression tests: programs whose results once depended on when calls became known, or differed from the timing model.

use super::{
    programs::{Outbound, Selection},
    *,
};

/// A machine with `overhead` seconds for sends and receives and 50 ns per byte; without overhead, only the barrier takes time (50 us).
fn machine(topology: &str, overhead: f64) -> MachineSpec {
    let beta = if overhead > 0.0 { 50e-9 } else { 0.0 };
    let parameters = Parameters::builder().send_overhead(overhead).receive_overhead(overhead).beta(beta);
    let parameters = parameters.barrier(50e-6).ports(64).build().unwrap();
    MachineSpec::new(topology, topology::parse(topology).unwrap(), parameters)
}

fn us(micros: u64) -> Span {
    Span::from_micros(micros)
}

fn to(target: NodeId, bytes: u64) -> Outbound {
    Outbound { target, bytes, tag: 0, synchronous: false }
}

fn tagged(target: NodeId, tag: u32) -> Outbound {
    Outbound { tag, ..to(target, 0) }
}

const ANY: Selection = Selection { source: None, tag: None, active: false };

fn from(source: NodeId) -> Selection {
    Selection { source: Some(source), ..ANY }
}

/// Checks the last reply of a node, in the reference and in the kernel, for several orders in which calls become known.
#[track_caller]
fn last_reply(machine: &MachineSpec, programs: &[Vec<Step>], node: usize, micros: u64, outcome: Outcome) {
    let due = Some(Reply { clock: Time::ZERO + us(micros), outcome });
    assert_eq!(Reference::run(machine, programs).replies[node].last().copied(), due, "reference");
    for seed in 0..20 {
        assert_eq!(run(machine, programs, seed).replies[node].last().copied(), due, "order {seed}");
    }
}

fn completed(index: usize) -> Outcome {
    Outcome::Completed { index, received: None }
}

/// Two requests complete at 250 us, one of them because a receive from any source takes its message at this instant.
#[test]
fn a_wait_for_any_sees_the_whole_instant_at_which_a_request_completes() {
    let machine = machine("line:3", 65e-6).with_rendezvous(1000);
    let wait = |reversed| Step::WaitAny { after: None, reversed };
    let programs = [
        vec![Step::Irecv(from(1)), Step::Isend(to(2, 3000)), Step::Compute(us(285)), wait(true)],
        vec![Step::Compute(us(185)), Step::Send(to(0, 0))],
        vec![Step::Compute(us(250)), Step::Recv(ANY)],
    ];
    last_reply(&machine, &programs, 0, 350, completed(0));
}

/// Two requests complete at 250 us. The first in the list completes because of a message that is sent after a probe at this instant. The
/// wait is called later.
#[test]
fn a_wait_for_any_sees_messages_sent_after_an_earlier_check() {
    let machine = machine("line:3", 0.0);
    let wait = Step::WaitAny { after: None, reversed: false };
    let receive = Step::Irecv(Selection { tag: Some(1), ..from(2) });
    let programs = [
        vec![receive, Step::Compute(us(250)), Step::Isend(to(1, 0)), Step::Compute(us(100)), wait],
        vec![],
        vec![Step::Compute(us(250)), Step::Probe { from: ANY, blocking: false }, Step::Isend(tagged(0, 1))],
    ];
    let received = Some(crate::wire::MessageId { source: 2, seq: 0 });
    last_reply(&machine, &programs, 0, 350, Outcome::Completed { index: 0, received });
}

/// Node `1 - sender` receives a message long after its arrival. Under rendezvous the receive completes the request of the send, and a test
/// at the same instant sees the completion.
#[test]
fn a_receive_from_any_source_precedes_probes_and_tests() {
    let machine = machine("line:2", 65e-6).with_rendezvous(0);
    for sender in [0, 1] {
        let mut programs = [
            vec![Step::Isend(to(1 - sender, 1000)), Step::Compute(us(135)), Step::Test],
            vec![Step::Compute(us(200)), Step::Recv(ANY)],
        ];
        programs.rotate_left(sender as usize);
        last_reply(&machine, &programs, sender as usize, 200, completed(0));
    }
}

/// Node 0's message replies to a message that node 4 sends after it has received from node 3. All events are at 100 us.
#[test]
fn a_posted_receive_from_any_source_waits_for_all_messages_of_the_instant() {
    let machine = machine("line:6", 0.0);
    let programs = [
        vec![Step::Recv(from(4)), Step::Send(to(4, 0))],
        vec![Step::Recv(from(3)), Step::Send(to(4, 0))],
        vec![],
        vec![Step::Compute(us(100)), Step::Send(tagged(4, 501)), Step::Send(to(1, 0))],
        vec![
            Step::Irecv(Selection { tag: Some(0), ..ANY }),
            Step::Recv(Selection { tag: Some(501), ..from(3) }),
            Step::Send(to(0, 0)),
            Step::Wait,
        ],
        vec![],
    ];
    let received = Outcome::Received(crate::wire::MessageId { source: 0, seq: 0 });
    last_reply(&machine, &programs, 4, 100, received);
}

/// Node 3 sends after a wait for a request that has been complete for long. The wait checks the instant of its call, like the probe of node
/// 0, and comes after it.
#[test]
fn a_wait_for_any_checks_the_instant_of_its_call() {
    let machine = machine("mesh:2x2", 0.0).with_rendezvous(2000);
    let wait = Step::WaitAny { after: None, reversed: false };
    let programs = [
        vec![Step::Barrier, Step::Probe { from: ANY, blocking: false }],
        vec![Step::Barrier],
        vec![Step::Barrier],
        vec![Step::Isend(to(1, 1000)), Step::Barrier, wait, Step::Send(to(0, 0))],
    ];
    last_reply(&machine, &programs, 0, 50, Outcome::Nothing);
}

/// Node 2 runs ahead of the network when it posts its receive. Both messages for it arrive at time 0, one of them sent after a probe at
/// time 0.
#[test]
fn a_receive_posted_later_takes_the_first_message_of_an_instant_that_is_over() {
    let machine = machine("line:4", 0.0);
    let programs = [
        vec![],
        vec![Step::Probe { from: ANY, blocking: false }, Step::Send(to(2, 0))],
        vec![Step::Compute(us(1)), Step::Irecv(ANY), Step::Wait],
        vec![Step::Send(to(2, 0))],
    ];
    let received = Outcome::Received(crate::wire::MessageId { source: 1, seq: 0 });
    last_reply(&machine, &programs, 2, 1, received);
}

/// Worked example 20 of the timing model.
#[test]
fn a_synchronous_send_waits_for_its_receive() {
    let machine = machine("line:4", 65e-6);
    let send = Step::Send(Outbound { synchronous: true, ..to(1, 1000) });
    let programs =
        [vec![send, Step::Now], vec![Step::Compute(us(300)), Step::Recv(from(0)), Step::Now], vec![], vec![]];
    last_reply(&machine, &programs, 0, 300, Outcome::Done);
    last_reply(&machine, &programs, 1, 365, Outcome::Done);
}

/// Worked example 21 of the timing model.
#[test]
fn a_remote_memory_access_takes_no_time_of_its_target() {
    let parameters = machine("line:4", 65e-6).parameters().to_builder().latency(2e-6).hop(1e-6);
    let machine = MachineSpec::new("line:4", topology::parse("line:4").unwrap(), parameters.build().unwrap());
    for (bytes, back, end) in [(1000, Some(0), 125), (1000, None, 115), (0, Some(1000), 125)] {
        let programs =
            [vec![Step::Remote { to: to(3, bytes), back }, Step::Wait], vec![], vec![], vec![Step::Now]];
        let received = back.map(|_| crate::wire::MessageId { source: 0, seq: 0 });
        last_reply(&machine, &programs, 0, end, Outcome::Completed { index: 0, received });
        last_reply(&machine, &programs, 3, 0, Outcome::Done);
    }
}

/// Worked example 21b of the timing model: what the access returns and the message of node 1 are both ready at 65 us.
#[test]
fn what_an_access_returns_waits_for_an_out_port() {
    let machine = machine("line:4", 65e-6);
    let parameters = machine.parameters().to_builder().ports(1).build().unwrap();
    let machine = MachineSpec::new("line:4", topology::parse("line:4").unwrap(), parameters);
    let programs = [
        vec![Step::Remote { to: to(1, 0), back: Some(1000) }, Step::Wait, Step::Now],
        vec![Step::Send(to(2, 2000)), Step::Now],
        vec![Step::Recv(from(1)), Step::Now],
        vec![],
    ];
    for (node, end) in [(0, 115), (1, 215), (2, 280)] {
        last_reply(&machine, &programs, node, end, Outcome::Done);
    }
}

/// The accesses of three nodes share the in-port of node 3, and arrive at 215 us. They are carried out in the order of their origins, and the
/// second access of node 0 after its first.
#[test]
fn accesses_are_carried_out_in_the_order_of_origins() {
    let machine = machine("complete:4", 65e-6);
    let access = |bytes| Step::Remote { to: to(3, bytes), back: Some(0) };
    let programs = [vec![access(1000), access(0)], vec![access(1000)], vec![access(1000)], vec![]];
    let id = |source, seq| crate::wire::MessageId { source, seq };
    let order = [id(0, 0), id(1, 0), id(2, 0), id(0, 1)];
    assert_eq!(Reference::run(&machine, &programs).carried_out, order);
    for seed in 0..20 {
        assert_eq!(run(&machine, &programs, seed).carried_out, order, "order {seed}");
    }
}

/// Node 1 has posted two receives from node 0 and cancels one of them at 70 us. The first message arrives at 65 us, the second at 130 us.
#[test]
fn a_receive_is_cancelled_unless_it_has_been_matched() {
    let machine = machine("line:2", 65e-6);
    let cancel = |newest| Step::Cancel { newest };
    for (newest, outcome) in [(false, Outcome::Done), (true, Outcome::Withdrawn)] {
        let receives = [Step::Irecv(from(0)), Step::Irecv(from(0)), Step::Compute(us(70)), cancel(newest)];
        let programs = [vec![Step::Send(to(1, 0)), Step::Send(to(1, 0))], receives.into()];
        last_reply(&machine, &programs, 1, 70, outcome);
        let received = |seq| Outcome::Received(crate::wire::MessageId { source: 0, seq });
        let [_, mut programs] = [vec![], programs.to_vec()];
        programs[1].extend([Step::Wait, if newest { Step::Recv(from(0)) } else { Step::Wait }]);
        last_reply(&machine, &programs, 1, 200, received(1));
    }
}

/// Node 1 claims the first message, which arrived at 65 us, at 200 us; a receive then takes the second one. The sender of the first one waits
/// for the claimed receive.
#[test]
fn a_claimed_message_meets_its_own_receive() {
    let machine = machine("line:2", 65e-6);
    let synchronous = Step::Isend(Outbound { synchronous: true, ..to(1, 0) });
    let programs = [
        vec![synchronous, Step::Send(to(1, 0)), Step::Wait, Step::Now],
        vec![
            Step::Compute(us(200)),
            Step::ProbeClaim { from: ANY, blocking: true },
            Step::Recv(from(0)),
            Step::RecvClaimed { posted: false },
        ],
    ];
    last_reply(&machine, &programs, 0, 265, Outcome::Done);
    let first = Outcome::Received(crate::wire::MessageId { source: 0, seq: 0 });
    last_reply(&machine, &programs, 1, 330, first);
}

/// A synchronous message of no bytes from node 0 arrives at 65 us. Node 1 has called its receive by then; node 2 has withdrawn its receive,
/// and receives later. Both have been ahead of the network.
#[test]
fn a_synchronous_message_meets_its_receive_at_the_later_of_arrival_and_posting() {
    let machine = machine("line:3", 65e-6);
    let synchronous = |target| Step::Send(Outbound { synchronous: true, ..to(target, 0) });
    let programs = [
        vec![synchronous(1), synchronous(2), Step::Now],
        vec![Step::Recv(from(0))],
        vec![
            Step::Irecv(from(0)),
            Step::Compute(us(10)),
            Step::Withdraw,
            Step::Compute(us(290)),
            Step::Recv(ANY),
        ],
    ];
    last_reply(&machine, &programs, 0, 300, Outcome::Done);
    let eager = Step::Send(to(2, 0));
    let programs =
        [vec![synchronous(1), eager, Step::Now], vec![Step::Compute(us(70)), Step::Recv(from(0))], vec![]];
    last_reply(&machine, &programs, 0, 135, Outcome::Done);
}

/// Node 0 dies at 130 us, during the send overhead of its `sendrecv`. The receive of this call is posted from 66 us to 130 us, so the
/// message of node 3 is matched with the receive, and node 3 continues.
#[test]
fn a_message_meets_the_receive_of_a_sendrecv_that_ends_in_a_death() {
    let machine = machine("line:4", 65e-6).with_rendezvous(0);
    let deaths = Faults::new(["node:1@65us".parse().unwrap(), "node:0@130us".parse().unwrap()]);
    let machine = machine.with_faults(deaths).unwrap();
    let sends = |after| vec![Step::Compute(us(after)), Step::Send(to(0, 0))];
    // The message arrives before the call of node 0, or after it.
    for (after, end) in [(0, 66), (30, 95)] {
        let programs = [
            vec![Step::Compute(us(1)), Step::Isend(to(3, 0)), Step::SendRecv(to(2, 8), from(3))],
            vec![],
            vec![],
            sends(after),
        ];
        for seed in 0..20 {
            let finished = run(&machine, &programs, seed).finished[3];
            assert_eq!(finished, Time::ZERO + us(end), "order {seed}");
        }
    }
}

/// Node 2 posts a receive from any source and then a receive from node 0, both at 132 us. Node 0 dies at 130 us. The receive from any
/// source takes the message of node 1, which arrived at 65 us, so the receive from node 0 takes the message that arrived at 115 us.
#[test]
fn a_receive_from_a_dead_node_takes_the_message_that_is_undecided_at_the_death() {
    let machine = machine("line:4", 65e-6);
    let deaths = Faults::new(["node:1@100us".parse().unwrap(), "node:0@130us".parse().unwrap()]);
    let machine = machine.with_faults(deaths).unwrap();
    let programs = [
        vec![Step::Isend(to(2, 1000))],
        vec![Step::SendRecv(to(2, 0), from(0))],
        vec![
            Step::Isend(to(3, 8)),
            Step::Compute(us(2)),
            Step::Isend(to(2, 1000)),
            Step::Irecv(ANY),
            Step::Recv(from(0)),
        ],
        vec![],
    ];
    let received = Outcome::Received(crate::wire::MessageId { source: 0, seq: 0 });
    let due = Some(Reply { clock: Time::ZERO + us(197), outcome: received });
    for seed in 0..20 {
        assert_eq!(run(&machine, &programs, seed).replies[2].last().copied(), due, "order {seed}");
    }
}

/// Three messages of 1000 bytes reach node 0 at 215 us. The first is awaited since 0. The second is received from 280 us on and the third
/// from 375 us on: each is copied, which takes 10 us and 20 ns per byte. Received by requests posted at 0, none is copied, and neither is
/// any under rendezvous.
#[test]
fn a_message_that_arrived_before_its_receive_was_posted_is_copied() {
    let parameters = machine("line:4", 65e-6).parameters().to_builder().ports(1);
    let parameters = parameters.unexpected_overhead(10e-6).unexpected_copy(20e-9).build().unwrap();
    let machine = MachineSpec::new("line:4", topology::parse("line:4").unwrap(), parameters);
    let programs = |received: Vec<Step>| {
        let sent = vec![Step::Send(to(0, 1000))];
        [received, sent.clone(), sent.clone(), sent]
    };
    let received = Outcome::Received(crate::wire::MessageId { source: 3, seq: 0 });
    let blocking = programs([1, 2, 3].map(|source| Step::Recv(from(source))).into());
    last_reply(&machine, &blocking, 0, 470, received);
    last_reply(&machine.clone().with_rendezvous(1000), &blocking, 0, 410, received);
    let posted = [1, 2, 3].map(|source| Step::Irecv(from(source)));
    let posted = programs(posted.into_iter().chain(vec![Step::Wait; 3]).collect());
    last_reply(&machine, &posted, 0, 410, received);
}

/// A `sendrecv` copies a message that arrived before its call, at 115 us, and not one that arrives at the instant of the call.
#[test]
fn a_sendrecv_copies_a_message_that_arrived_before_the_call() {
    let parameters =
        machine("line:2", 65e-6).parameters().to_builder().unexpected_copy(20e-9).build().unwrap();
    let machine = MachineSpec::new("line:2", topology::parse("line:2").unwrap(), parameters);
    let received = Outcome::Received(crate::wire::MessageId { source: 0, seq: 0 });
    for (called, end) in [(115, 245), (116, 266)] {
        let exchange = Step::SendRecv(to(0, 0), from(0));
        let programs = [vec![Step::Isend(to(1, 1000))], vec![Step::Compute(us(called)), exchange]];
        last_reply(&machine, &programs, 1, end, received);
    }
}
