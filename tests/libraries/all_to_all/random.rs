//! Distributed random scheduling: nobody waits for ever, everything arrives, and the seed decides alone.

use multicomputer::{
    Dilation, Payload, Run,
    all_to_all::{Algorithm, Generator, Instance, Matrix},
    model::{MachineSpec, Parameters},
    prelude::*,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    conformance::all_to_all::{given, same_incoming},
    support::{PATIENCE, is_full},
};

fn cm5(nodes: usize) -> MachineSpec {
    format!("cm5:{nodes}").parse().unwrap()
}

/// All manners of asking.
fn manners(seed: u64) -> Vec<Algorithm> {
    let all = Algorithm::ALL.iter().filter(|algorithm| !algorithm.is_predictable()).cloned();
    all.map(|algorithm| algorithm.with_seed(seed)).collect()
}

/// Carries the exchange out and checks that everybody gets what is for it; `real`: with data, not with lengths alone.
fn exchange(
    machine: &MachineSpec,
    matrix: &Matrix,
    algorithm: Algorithm,
    clock: Clock,
    real: bool,
) -> Run<()> {
    let instance = Instance::new(machine, matrix.clone()).unwrap();
    let plan = algorithm.plan(&instance).unwrap();
    assert!(plan.prediction().is_none());
    let built = Machine::builder(machine.clone()).clock(clock).wall_limit(PATIENCE).build().unwrap();
    let run = built.run(|node| {
        let rank = node.rank();
        let row = matrix.row(rank);
        let outgoing =
            if real { given(rank, matrix) } else { row.iter().copied().map(Payload::phantom).collect() };
        let incoming = plan.carry_out(node.world(), outgoing)?;
        if real {
            same_incoming(rank, matrix, &incoming)?;
        } else {
            assert!(incoming.iter().map(Payload::len).eq(matrix.column(rank)), "to {rank}");
        }
        Ok(())
    });
    let run = run.unwrap_or_else(|error| panic!("{algorithm:?}, {matrix:?}: {error}"));
    assert!(run.report.unreceived.is_empty());
    run
}

/// A matrix of up to 33 nodes, though most have fewer; empty in part.
fn matrix(seed: u64) -> Matrix {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let nodes = 1 + (seed % if seed.is_multiple_of(4) { 33 } else { 10 }) as usize;
    let (density, longest) =
        (random.random_range(0.0..1.0), [1, 40, 3000, 100_000][random.random_range(0..4)]);
    let giant =
        (seed.is_multiple_of(7)).then(|| (random.random_range(0..nodes), random.random_range(0..nodes)));
    let mut rows = vec![vec![0; nodes]; nodes];
    for entry in rows.iter_mut().flatten() {
        if random.random_bool(density) {
            *entry = random.random_range(0..=longest);
        }
    }
    if let Some((from, to)) = giant {
        rows[from][to] = 1 << 29;
    }
    // Everybody for one, and one for everybody.
    if seed.is_multiple_of(5) {
        rows.iter_mut().for_each(|row| row[0] += longest);
        rows[nodes - 1].iter_mut().for_each(|entry| *entry += 1);
    }
    Matrix::new(&rows).unwrap()
}

/// Machines of all sorts: with dear and cheap questions, links that are shared, and no costs at all.
fn machine(seed: u64, nodes: usize) -> MachineSpec {
    let mesh = |parameters| {
        let line: MachineSpec = format!("mesh:1x{nodes}").parse().unwrap();
        MachineSpec::new("test", line.topology().clone(), parameters)
    };
    match seed % 4 {
        0 => format!("hockney:1x{nodes}").parse().unwrap(),
        // Free questions, and messages that take their start-ups alone.
        1 if seed % 8 == 1 => {
            mesh(Parameters::builder().send_overhead(9e-6).active_overheads(0.0, 0.0).build().unwrap())
        }
        1 => mesh(Parameters::builder().build().unwrap()),
        _ => cm5(nodes),
    }
}

/// With a thousand seeds in full, and with 250 otherwise.
#[test]
fn nobody_waits_for_ever_with_any_seed() {
    for seed in 0..if is_full() { 1000 } else { 250 } {
        let matrix = matrix(seed);
        let machine = machine(seed, matrix.nodes());
        // Without improvements, with both, and now and then with either.
        let asked = manners(seed).into_iter().enumerate();
        for (_, algorithm) in asked.filter(|(nth, _)| seed.is_multiple_of(5) || [0, 3].contains(nth)) {
            exchange(&machine, &matrix, algorithm, Clock::Virtual, false);
        }
    }
}

#[test]
fn nor_in_real_time() {
    for seed in 0..13 {
        let generator =
            Generator { nodes: 8, fan_out: 1 + seed as usize % 8, traffic: 4000, nonuniformity: 0.25, seed };
        let matrix = generator.matrix().unwrap();
        for algorithm in manners(seed) {
            let clock = Clock::RealTime { dilation: Dilation::Fixed(3.0) };
            exchange(&cm5(8), &matrix, algorithm, clock, true);
        }
    }
}

/// Everybody has something for one node, which has something to send itself: it is asked all the time, and must come to
/// its own sends and receives all the same.
#[test]
fn who_is_asked_by_all_is_not_drowned_in_questions() {
    let matrix = |traffic: u64| {
        let hot = move |from: Rank, to: Rank| match (to, (from + to) % 7) {
            (10, _) => traffic / 32,
            (_, 0) => traffic / 320,
            _ => 0,
        };
        Matrix::of(32, hot).unwrap()
    };
    for traffic in [1000, 10_000, 100_000, 1_000_000] {
        for algorithm in manners(1) {
            let run = exchange(&cm5(32), &matrix(traffic), algorithm.clone(), Clock::Virtual, false);
            let sent: u64 = run.report.nodes.iter().map(|node| node.messages_sent).sum();
            // Some thirty questions for each of its messages, from thirty nodes.
            assert!(sent < 31 * 31 * 30, "{algorithm}, {traffic} bytes: {sent} messages");
        }
    }
}

#[test]
fn the_seed_decides_and_nothing_else() {
    let generator = Generator { nodes: 16, fan_out: 6, traffic: 60_000, nonuniformity: 0.25, seed: 3 };
    let matrix = generator.matrix().unwrap();
    let modeled = |name: usize, seed: u64| {
        let run = exchange(&cm5(16), &matrix, manners(seed)[name].clone(), Clock::Virtual, false);
        (run.report.makespan, serde_json::to_string(&run.report).unwrap())
    };
    for name in 0..manners(0).len() {
        let times: Vec<Time> = (0..8)
            .map(|seed| {
                let first = modeled(name, seed);
                assert!(first == modeled(name, seed), "seed {seed}");
                first.0
            })
            .collect();
        let mut others = times.clone();
        others.sort_unstable();
        others.dedup();
        assert!(others.len() >= 6, "{times:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn every_byte_comes_to_its_place(
        rows in (1_usize..=12).prop_flat_map(|nodes| {
            let entry = prop_oneof![3 => Just(0_u64), 3 => 0_u64..40, 1 => 0_u64..5000];
            proptest::collection::vec(proptest::collection::vec(entry, nodes), nodes)
        }),
        seed in any::<u64>(),
    ) {
        let matrix = Matrix::new(&rows).unwrap();
        for algorithm in manners(seed) {
            exchange(&machine(seed, rows.len()), &matrix, algorithm, Clock::Virtual, true);
        }
    }
}
