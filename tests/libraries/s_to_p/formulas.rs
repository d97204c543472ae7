//! Modeled times of s-to-p broadcasts against formulas worked out by hand.
//!
//! Unless a test says otherwise: `o_s = o_r = 65 us`, no latency, `beta = 50 ns/byte`, full duplex (Hockney's model),
//! and links so fast that no two messages get in each other's way. A step is `alpha + n beta`, a message of n bytes
//! from the call of the send to the return of the receive.

use multicomputer::{
    model::{MachineSpec, Parameters, ParametersBuilder},
    pattern::{Action, Builder, Exchange, Transfer},
    plan::predict,
    prelude::*,
    s_to_p::{Algorithm, Instance, Plan},
};

const N: u64 = 1000;

/// Links of 64 times the bandwidth of a port.
fn wide() -> ParametersBuilder {
    Parameters::hockney().to_builder().link_excess(64.0)
}

fn machine(parameters: ParametersBuilder, rows: usize, columns: usize) -> MachineSpec {
    let mesh: MachineSpec = format!("mesh:{rows}x{columns}").parse().unwrap();
    MachineSpec::new("test", mesh.topology().clone(), parameters.build().unwrap())
}

/// The plan of messages of `n` bytes from each of the sources.
fn plan(algorithm: &Algorithm, machine: &MachineSpec, sources: &[Rank], n: u64) -> Plan {
    let instance = Instance::new(machine, sources, &vec![n; sources.len()]).unwrap();
    algorithm.plan(&instance).unwrap()
}

fn modeled(algorithm: &Algorithm, machine: &MachineSpec, sources: &[Rank], n: u64) -> Span {
    plan(algorithm, machine, sources, n).prediction().modeled.since_start()
}

/// `alpha + n beta`.
fn step(machine: &MachineSpec, n: u64) -> Span {
    machine.parameters().alpha() + machine.parameters().transfer(n)
}

// One source.

/// The system: a line of 2^k nodes, one source at its head. Each iteration is a step for whoever gets the message last;
/// the source itself only sends, k times.
#[test]
fn br_lin_takes_a_step_an_iteration() {
    for k in 1..=7 {
        let machine = machine(wide(), 1, 1 << k);
        let plan = plan(&Algorithm::BR_LIN, &machine, &[0], N);
        let finished = &plan.prediction().finished;
        assert_eq!(plan.prediction().modeled.since_start(), step(&machine, N).times(k), "2^{k} nodes");
        let send = machine.parameters().send_overhead() + machine.parameters().transfer(N);
        assert_eq!(finished[0].since_start(), send.times(k), "2^{k} nodes");
    }
}

/// The system: a Paragon of 2^a x 2^b, one source in the corner. The halving of rows takes b steps and that of columns
/// a, in either order, and a message pays for each link of its way.
#[test]
fn br_xy_takes_a_step_an_iteration() {
    for (a, b) in [(0, 3), (3, 0), (1, 2), (2, 2), (3, 4)] {
        let (rows, columns) = (1 << a, 1 << b);
        for (parameters, k) in [(wide(), 64), (Parameters::paragon().to_builder(), 5)] {
            let machine = machine(parameters, rows, columns);
            // The last node to know is that of the far corner: every message of its way goes half as far as the one
            // before.
            let links = (rows - 1 + columns - 1) as u64;
            let expected = step(&machine, N).times(a + b) + machine.parameters().hop().times(links);
            for algorithm in [Algorithm::BR_XY_SOURCE, Algorithm::BR_XY_DIM] {
                let modeled = modeled(&algorithm, &machine, &[0], N);
                assert_eq!(modeled, expected, "{algorithm} on {rows} x {columns}, links of {k} times a port");
            }
        }
    }
}

/// The system: a Paragon with a network latency of 3 us, in a row of p nodes, the source at its head. The source sends
/// p - 1 times, `(p - 1) (o_s + n beta)`; the partner that it sends to last is the last to be done, `L + hop` for each
/// link and `o_r` later. If p is no power of two some steps have no partner and cost nothing.
#[test]
fn xor_is_the_source_sending_to_everybody() {
    for p in [2_usize, 3, 5, 6, 8, 11] {
        let machine = machine(Parameters::paragon().to_builder().latency(3e-6), 1, p);
        let parameters = machine.parameters();
        let plan = plan(&Algorithm::XOR, &machine, &[0], N);
        let finished = &plan.prediction().finished;
        let send = parameters.send_overhead() + parameters.transfer(N);
        let others = p as u64 - 1;
        assert_eq!(finished[0].since_start(), send.times(others), "{p} nodes");
        for rank in 1..p as u64 {
            let way = parameters.latency() + parameters.hop().times(rank) + parameters.receive_overhead();
            assert_eq!(finished[rank as usize].since_start(), send.times(rank) + way, "node {rank} of {p}");
        }
    }
}

/// With the source at node 0 there is nothing to gather, and what follows is *Br_Lin*. From elsewhere one step comes
/// before.
#[test]
fn two_step_is_a_step_and_br_lin() {
    let row = machine(wide(), 1, 16);
    assert_eq!(
        plan(&Algorithm::TWO_STEP, &row, &[0], N).prediction(),
        plan(&Algorithm::BR_LIN, &row, &[0], N).prediction()
    );
    assert_eq!(modeled(&Algorithm::TWO_STEP, &row, &[5], N), step(&row, N).times(1 + 4));
    let paragon: MachineSpec = "paragon:5x7".parse().unwrap();
    assert_eq!(
        plan(&Algorithm::TWO_STEP, &paragon, &[0], N).prediction(),
        plan(&Algorithm::BR_LIN, &paragon, &[0], N).prediction()
    );
}

/// A message that is in its ideal place already stays where it is; any other one takes a step to get there.
#[test]
fn repositioning_adds_a_step_or_nothing() {
    let machine = machine(wide(), 4, 8);
    let pairs = [
        (Algorithm::REPOS_BR_LIN, Algorithm::BR_LIN),
        (Algorithm::REPOS_BR_XY_SOURCE, Algorithm::BR_XY_SOURCE),
        (Algorithm::REPOS_BR_XY_DIM, Algorithm::BR_XY_DIM),
        (Algorithm::REPOS_XOR, Algorithm::XOR),
        (Algorithm::REPOS_TWO_STEP, Algorithm::TWO_STEP),
    ];
    for (repos, plain) in pairs {
        let in_place = modeled(&plain, &machine, &[0], N);
        assert_eq!(modeled(&repos, &machine, &[0], N), in_place, "{plain}");
        let moved = modeled(&repos, &machine, &[13], N);
        assert_eq!(moved, step(&machine, N) + in_place, "{plain}");
    }
}

/// The system: a row of p nodes, one message of no bytes. With `o_s = o_r` a node may have sent once more when its
/// message is received, so the numbers of nodes that know it after each half start-up are Fibonacci's: 2 after two
/// halves, 3 after three, 5 after four. That is the lower limit as well.
#[test]
fn the_tree_grows_as_fibonacci_numbers() {
    for (p, halves) in [(1, 0), (2, 2), (3, 3), (5, 4), (8, 5), (13, 6), (21, 7), (34, 8), (14, 7)] {
        let machine = machine(wide(), 1, p);
        let half = machine.parameters().send_overhead();
        let plan = plan(&Algorithm::TREE, &machine, &[0], 0);
        assert_eq!(plan.prediction().modeled.since_start(), half.times(halves), "{p} nodes");
        assert_eq!(plan.instance().lower_bound().time(), half.times(halves), "{p} nodes");
    }
}

/// Where a receive costs nothing the processor, and `o_s = alpha`, the tree is the binomial one: as *Br_Lin*.
#[test]
fn without_a_receive_overhead_the_tree_is_binomial() {
    let strict = wide().send_overhead(130e-6).receive_overhead(0.0);
    let machine = machine(strict, 1, 32);
    assert_eq!(modeled(&Algorithm::TREE, &machine, &[0], N), step(&machine, N).times(5));
    assert_eq!(modeled(&Algorithm::BR_LIN, &machine, &[0], N), step(&machine, N).times(5));
}

/// The system: a row of 2^k nodes. A message in one piece doubles its holders with every round, wherever it starts.
#[test]
fn the_circulant_takes_a_step_a_round() {
    for k in 1..=6 {
        let machine = machine(wide(), 1, 1 << k);
        for source in [0, (1 << k) - 1] {
            let plan = plan(&Algorithm::CIRCULANT, &machine, &[source], 1);
            assert_eq!(plan.variant(), "1 block, in turn");
            assert_eq!(plan.prediction().modeled.since_start(), step(&machine, 1).times(k), "2^{k} nodes");
        }
    }
}

/// The system: a row of c nodes, links no faster than nodes. The message goes from node to node, c - 1 steps, and there
/// is never another one on the way, wherever the source is.
#[test]
fn a_ring_takes_a_step_a_node() {
    for c in [2, 3, 7, 12] {
        let machine = machine(Parameters::hockney().to_builder(), 1, c);
        for source in [0, c / 2] {
            let modeled = modeled(&Algorithm::BUCKET, &machine, &[source], N);
            assert_eq!(modeled, step(&machine, N).times(c as u64 - 1), "from {source} of {c}");
        }
    }
}

/// The system: 8 nodes in a row, one message of 1 MiB. It is cut into four; in two steps, of a half and of a quarter,
/// each of four nodes has a quarter. One iteration doubles the holders of each piece, and two put the pieces together:
/// a quarter, a quarter, a half. Eight pieces would take as long for the bytes and one start-up more, whole messages
/// three times all bytes.
#[test]
fn a_long_message_is_split() {
    let machine = machine(wide(), 1, 8);
    let (n, parameters) = (1 << 20, machine.parameters());
    let plan = plan(&Algorithm::SPLIT, &machine, &[0], n);
    assert_eq!(plan.variant(), "4 pieces, halving, in turn");
    let expected = parameters.alpha().times(5) + parameters.transfer(n / 4 * (2 + 1 + 1 + 1 + 2));
    assert_eq!(plan.prediction().modeled.since_start(), expected);
    assert_eq!(modeled(&Algorithm::BR_LIN, &machine, &[0], n), step(&machine, n).times(3));
}

// Several sources.

/// The system: p = 2^k nodes, all sources. Every step is an exchange of n bytes, in all of which nodes stay together.
#[test]
fn xor_from_everybody_takes_a_step_for_each_other_node() {
    for (rows, columns) in [(1, 8), (4, 4)] {
        let machine = machine(wide(), rows, columns);
        let all: Vec<Rank> = (0..rows * columns).collect();
        let expected = step(&machine, N).times(all.len() as u64 - 1);
        assert_eq!(modeled(&Algorithm::XOR, &machine, &all, N), expected, "{rows} x {columns}");
    }
}

/// The system: two nodes, both with n bytes, as wide as one may go: `d < 2`, so that the two messages of an exchange
/// take `2 / d` times as long. Done at the same time the receive costs `o_x` more; done one after the other the
/// messages still pass each other, and it does not.
#[test]
fn an_exchange_in_turn_saves_the_exchange_overhead() {
    for duplex in [1.0, 1.6, 2.0] {
        let machine = machine(wide().duplex(duplex).exchange_overhead(130e-6), 1, 2);
        let parameters = machine.parameters();
        let bytes = Span::from_secs_f64(N as f64 * parameters.beta() * 2.0 / duplex);
        let expected = parameters.alpha() + bytes;
        let in_turn = plan(&Algorithm::IN_TURN, &machine, &[0, 1], N);
        assert!(in_turn.variant().ends_with("in turn"), "{}", in_turn.variant());
        assert_eq!(in_turn.prediction().modeled.since_start(), expected, "d = {duplex}");
        let together = modeled(&Algorithm::BR_LIN, &machine, &[0, 1], N);
        assert_eq!(together, expected + parameters.exchange_overhead(), "d = {duplex}");
    }
}

/// The system: 16 nodes, s = 2^i sources side by side. The line of *Spread* is laid so that messages double in the last
/// i iterations only: `log2 p alpha + (log2 (p / s) + s - 1) n beta`.
#[test]
fn spread_doubles_messages_as_late_as_possible() {
    for (rows, columns) in [(1, 16), (4, 4)] {
        let machine = machine(wide(), rows, columns);
        let parameters = machine.parameters();
        for i in 0..=4 {
            let s = 1 << i;
            let sources: Vec<Rank> = (0..s).collect();
            let expected = parameters.alpha().times(4) + parameters.transfer((4 - i + s as u64 - 1) * N);
            let modeled = modeled(&Algorithm::SPREAD, &machine, &sources, N);
            assert_eq!(modeled, expected, "{s} sources on {rows} x {columns}");
        }
    }
}

/// The system: 4 nodes, all sources. Three messages of n bytes share the in-port of node 0, so that all three arrive
/// after `o_s + 3 n beta`, and three receives follow each other. Then two iterations with 4 n bytes.
#[test]
fn gathered_messages_arrive_together() {
    let machine = machine(wide(), 1, 4);
    let (parameters, n) = (machine.parameters(), 10_000);
    let gather = parameters.alpha() + parameters.transfer(3 * n);
    let expected = gather + parameters.receive_overhead().times(2) + step(&machine, 4 * n).times(2);
    assert_eq!(modeled(&Algorithm::TWO_STEP, &machine, &[0, 1, 2, 3], n), expected);
}

// Copying.

/// The system: node 0 has three blocks, of 1000, 2000 and 3000 bytes, and copying takes 10 ns/byte. What lies side by
/// side is sent as it is; the first and the last must be copied together first: `4000 copy` more.
#[test]
fn blocks_that_do_not_lie_side_by_side_are_copied() {
    let machine = machine(wide().copy(10e-9), 1, 2);
    for (blocks, bytes, copied) in [(vec![0, 1], 3000, 0), (vec![0, 2], 4000, 4000), (vec![2, 1], 5000, 5000)]
    {
        let mut builder = Builder::new(2, &[0; 3], &[1000, 2000, 3000], Exchange::InTurn);
        builder.iteration([Transfer { from: 0, to: 1, blocks: blocks.clone().into() }]);
        let prediction = predict(&machine, &builder.finish()).unwrap();
        let expected = step(&machine, bytes) + machine.parameters().copying(copied);
        assert_eq!(prediction.modeled.since_start(), expected, "{blocks:?}");
    }
}

/// The system: 5 nodes in a row, all with n bytes, copying takes 10 ns/byte. The distances are 3, 2 and 1. After the
/// first round node i has the messages of i and i - 3. In the second it sends its own, for node i + 2 has the other
/// one. In the third it sends both. They lie side by side in the order in which they came; the circulant sends them in
/// the order of the sources, which on a circle cannot be the same for all nodes. So some node copies 2n bytes, and as
/// all are together until then it takes `3 alpha + 4 n beta + 2 n copy`.
#[test]
fn the_circulant_copies_messages_together() {
    let all: Vec<Rank> = (0..5).collect();
    for copy in [0.0, 10e-9] {
        let machine = machine(wide().copy(copy), 1, 5);
        let parameters = machine.parameters();
        let plan = plan(&Algorithm::CIRCULANT, &machine, &all, N);
        assert_eq!(plan.variant(), "1 block, in turn");
        let packs = |rank| {
            plan.schedule().steps(rank).iter().filter_map(|step| match step.action {
                Action::Pack(bytes) => Some(bytes),
                _ => None,
            })
        };
        assert!(all.iter().flat_map(|&rank| packs(rank)).all(|bytes| bytes == 2 * N));
        assert!(all.iter().any(|&rank| packs(rank).count() == 1));
        let expected = parameters.alpha().times(3) + parameters.transfer(4 * N) + parameters.copying(2 * N);
        assert_eq!(plan.prediction().modeled.since_start(), expected, "{copy}");
    }
}

/// Halving and rings send on what lies side by side, so they copy nothing.
#[test]
fn halving_and_rings_copy_nothing() {
    let sources = [0, 3, 4, 9, 13, 17];
    for algorithm in [
        Algorithm::BR_LIN,
        Algorithm::BR_XY_SOURCE,
        Algorithm::BR_XY_DIM,
        Algorithm::XOR,
        Algorithm::TWO_STEP,
        Algorithm::IN_TURN,
        Algorithm::SPREAD,
        Algorithm::BUCKET,
        Algorithm::TREE,
    ] {
        let with = |copy: f64| modeled(&algorithm, &machine(wide().copy(copy), 4, 5), &sources, N);
        assert_eq!(with(0.0), with(1e-6), "{algorithm}");
    }
}
