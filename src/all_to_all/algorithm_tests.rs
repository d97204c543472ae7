use std::sync::Arc;

use proptest::prelude::*;

use super::{planner::Planner, *};
use crate::{
    Machine, Payload, Span, Time,
    model::{
        MachineSpec, Parameters,
        arbitrary::{parameters, topologies},
    },
    plan::{self, predict::predict_among},
    random::RandomNumbers,
};

/// Returns the algorithms whose time is predicted without a run.
fn predictable() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.iter().filter(|algorithm| algorithm.is_predictable()).cloned()
}

fn byte(from: usize, to: usize, at: u64) -> u8 {
    (at as usize * 7 + from * 31 + to * 17) as u8
}

/// Runs a plan with real data, checks the received data and the prediction, and returns the time.
fn check(plan: &Plan) -> Time {
    let instance = plan.instance();
    let matrix = instance.matrix();
    let data = |from: usize, to: usize| -> Vec<u8> {
        (0..matrix.get(from, to)).map(|at| byte(from, to, at)).collect()
    };
    let run = Machine::builder(instance.machine().clone()).build().unwrap().run(|node| {
        let rank = node.rank();
        let outgoing = (0..matrix.nodes()).map(|to| Payload::from(data(rank, to))).collect();
        let incoming = plan.carry_out(node.world(), outgoing)?;
        Ok(incoming.iter().enumerate().all(|(from, came)| came.to_vec::<u8>().unwrap() == data(from, rank)))
    });
    let run = run.unwrap();
    assert!(run.outputs.iter().all(|&is_right| is_right), "{}: {matrix:?}", plan.name());
    if let Some(prediction) = plan.prediction() {
        assert_eq!(run.report.makespan, prediction.modeled, "{}", plan.name());
    }
    run.report.makespan
}

/// Generates matrices of several kinds: arbitrary, uniform, with one long message, with one receiver, and random with given traffic.
pub(super) fn matrices(nodes: usize) -> impl Strategy<Value = Matrix> {
    let sizes = || prop_oneof![Just(0_u64), 0..4_u64, 0..300_u64];
    let full = move |bytes: Vec<u64>| Matrix::of(nodes, |from, to| bytes[from * nodes + to]).unwrap();
    let unlike = prop::collection::vec(sizes(), nodes * nodes).prop_map(full);
    let uniform = (0..200_u64).prop_map(move |bytes| Matrix::of(nodes, |_, _| bytes).unwrap());
    let giant = (0..nodes, 0..nodes, 0..5000_u64).prop_map(move |(one, other, bytes)| {
        Matrix::of(nodes, |from, to| if (from, to) == (one, other) { bytes } else { u64::from(from < 2) })
            .unwrap()
    });
    let hot = (0..nodes, 1..100_u64).prop_map(move |(hot, bytes)| {
        Matrix::of(nodes, |from, to| if to == hot { bytes + from as u64 } else { 0 }).unwrap()
    });
    let generated = (1..=nodes, 0..2000_u64, 0.0..=1.0_f64, any::<u64>()).prop_map(
        move |(fan_out, traffic, nonuniformity, seed)| {
            Generator { nodes, fan_out, traffic, nonuniformity, seed }.matrix().unwrap()
        },
    );
    prop_oneof![unlike.boxed(), uniform.boxed(), giant.boxed(), hot.boxed(), generated.boxed()]
}

fn instances(side: usize) -> impl Strategy<Value = Instance> {
    (parameters(0.2), topologies(side)).prop_flat_map(|(parameters, topology)| {
        let machine = MachineSpec::new("random", topology, parameters);
        matrices(machine.nodes()).prop_map(move |matrix| Instance::new(&machine, matrix).unwrap())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Every byte arrives, and the run takes the predicted time.
    #[test]
    fn all_data_reaches_its_receiver(instance in instances(3)) {
        for algorithm in predictable() {
            match algorithm.plan(&instance) {
                Ok(plan) => { check(&plan); }
                Err(PlanError::Restricted { .. }) => {
                    prop_assert!([Algorithm::LINEAR, Algorithm::APART].contains(&algorithm), "{algorithm}");
                }
                Err(error) => prop_assert!(false, "{algorithm}: {error}"),
            }
        }
    }
}

/// Generates exchanges on machines where most costs of a message are zero, so that many events occur at one instant.
fn nearly_free(side: usize) -> impl Strategy<Value = Instance> {
    let some = || prop_oneof![2 => Just(0.0), 1 => Just(1e-6)];
    let beta = prop_oneof![Just(0.0), Just(1e-15), Just(1e-9)];
    (some(), some(), some(), some(), beta, topologies(side)).prop_flat_map(
        |(o_s, o_r, o_x, hop, beta, topology)| {
            let parameters =
                Parameters::builder().send_overhead(o_s).receive_overhead(o_r).exchange_overhead(o_x);
            let parameters = parameters.latency(hop * 10.0).hop(hop).beta(beta).build().unwrap();
            let machine = MachineSpec::new("free", topology, parameters);
            matrices(machine.nodes()).prop_map(move |matrix| Instance::new(&machine, matrix).unwrap())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    /// Checks all variants of all algorithms in all styles, not only the variants that are chosen.
    #[test]
    fn every_variant_delivers(instance in prop_oneof![instances(3), nearly_free(3)]) {
        check_every_variant(&instance);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    /// The lower bound of a variant never exceeds its time, and a limit equal to that time does not prune the variant.
    #[test]
    fn lower_bounds_and_limits_never_exclude_an_actual_time(
        instance in instances(4),
        bytes in prop_oneof![2 => Just(None), 1 => (0..2000_u64).prop_map(Some)],
    ) {
        let instance = match bytes {
            Some(bytes) => {
                let machine = instance.machine().clone().with_rendezvous(bytes);
                Instance::new(&machine, instance.matrix().clone()).unwrap()
            }
            None => instance,
        };
        let planner = Planner::new(&instance);
        for algorithm in Algorithm::ALL.iter().filter(|&algorithm| *algorithm != Algorithm::AUTO) {
            for variant in algorithm.variants(&instance, &planner).unwrap_or_default() {
                let Ok(draft) = variant.draft(&instance) else { continue };
                let Some(schedule) = plan::Draft::schedule(&draft) else { continue };
                let predicted = |limit| predict_among(instance.machine(), instance.members(), schedule, limit);
                let whole = predicted(Time::MAX).unwrap();
                let floor = variant.floor();
                prop_assert!(floor <= whole.modeled.since_start(), "{}: {} of {floor}", variant.name(), whole.modeled);
                prop_assert_eq!(predicted(whole.modeled), Some(whole), "{}", variant.name());
            }
        }
    }
}

fn check_every_variant(instance: &Instance) {
    let planner = Planner::new(instance);
    for algorithm in Algorithm::ALL.iter().filter(|&algorithm| *algorithm != Algorithm::AUTO) {
        for variant in algorithm.variants(instance, &planner).unwrap_or_default() {
            if let Ok(plan) = Plan::of(instance, algorithm, &variant) {
                check(&plan);
            }
        }
    }
    check(&Algorithm::AUTO.plan(instance).unwrap());
}

/// If all events occur at one instant, every variant still works without deadlock.
#[test]
fn all_variants_work_if_all_costs_are_zero() {
    for nodes in 1..6 {
        let mesh = crate::topology::parse(&format!("mesh:1x{nodes}")).unwrap();
        let machine = MachineSpec::new("free", mesh, Parameters::builder().build().unwrap());
        let matrix = Matrix::of(nodes, |from, to| (from + 2 * to) as u64 % 4).unwrap();
        check_every_variant(&Instance::new(&machine, matrix).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// The time of no algorithm is below the lower bound, or below the time of *auto*.
    #[test]
    fn no_algorithm_beats_the_lower_bound_or_auto(instance in instances(4)) {
        let bound = instance.lower_bound();
        let modeled = |plan: &Plan| plan.prediction().unwrap().modeled;
        let auto = modeled(&Algorithm::AUTO.plan(&instance).unwrap());
        for algorithm in predictable() {
            let Ok(plan) = algorithm.plan(&instance) else { continue };
            let took = modeled(&plan);
            // The end of each message is rounded to the nearest picosecond.
            let messages = plan::Draft::schedule(&*plan.draft).map_or(0, |schedule| schedule.messages().count());
            let exact = took.since_start() + Span::from_picos(messages.div_ceil(2) as u64);
            prop_assert!(exact >= bound.time(), "{}: {took} within {bound:?}", plan.name());
            prop_assert!(took >= auto, "{}: {took}, auto {auto}", plan.name());
        }
    }
}

/// With more than ten thousand messages *auto* tries fewer variants. These suffice where links are the bottleneck.
#[test]
fn no_algorithm_beats_auto_by_much_on_congested_links() {
    let cases = [
        ("line:101", 2048, Algorithm::PAIRWISE),
        ("ring:104", 300, Algorithm::BALANCED),
        ("torus:8x13", 2, Algorithm::DETOUR),
    ];
    for (name, lengths, other) in cases {
        let machine = MachineSpec::new("any", crate::topology::parse(name).unwrap(), Parameters::hockney());
        let nodes = machine.nodes();
        let mut any = RandomNumbers::new(nodes as u64);
        let bytes: Vec<u64> = (0..nodes * nodes).map(|_| 1 + any.below(lengths) as u64).collect();
        // Either two lengths, which give slices of equal length, or arbitrary lengths.
        let bytes = |pair: usize| if lengths == 2 { 512 << (3 * (bytes[pair] - 1)) } else { bytes[pair] };
        let instance =
            Instance::new(&machine, Matrix::of(nodes, |from, to| bytes(nodes * from + to)).unwrap());
        let instance = instance.unwrap();
        let modeled = |algorithm: Algorithm| {
            let plan = algorithm.plan(&instance).unwrap();
            plan.prediction().unwrap().modeled.as_secs_f64()
        };
        let auto = modeled(Algorithm::AUTO);
        for algorithm in [Algorithm::PACKED, other] {
            let took = modeled(algorithm.clone());
            assert!(auto <= 1.021 * took, "{name}: {algorithm} takes {took}, and auto {auto}");
        }
    }
}

#[test]
fn every_number_of_nodes_from_1_to_33() {
    for nodes in 1..=33 {
        let machine = MachineSpec::new(
            "complete",
            crate::topology::parse(&format!("complete:{nodes}")).unwrap(),
            Parameters::hockney(),
        );
        let matrix = Matrix::of(nodes, |from, to| ((from * 5 + to * 3) % 7 * (from % 3)) as u64).unwrap();
        let instance = Instance::new(&machine, matrix).unwrap();
        let short = predictable().filter(|algorithm| nodes < 12 || *algorithm != Algorithm::AUTO);
        for plan in short.filter_map(|algorithm| algorithm.plan(&instance).ok()) {
            let Some(prediction) = plan.prediction() else { panic!("{}", plan.name()) };
            assert!(prediction.modeled.since_start() >= instance.lower_bound().time(), "{}", plan.name());
            if nodes % 8 == 1 {
                check(&plan);
            }
        }
    }
}

/// The linear permutation of uniform messages takes `(p - 1) (alpha + s beta)`.
#[test]
fn linear_permutation_takes_what_section_4_says() {
    for nodes in [2, 5, 8, 16] {
        let topology = crate::topology::parse(&format!("complete:{nodes}")).unwrap();
        let machine = MachineSpec::new("complete", topology, Parameters::hockney());
        let instance = Instance::new(&machine, Matrix::of(nodes, |_, _| 1000).unwrap()).unwrap();
        let plan = Algorithm::LINEAR.plan(&instance).unwrap();
        assert_eq!(check(&plan).as_micros_f64(), (nodes - 1) as f64 * 180.0);
    }
}

fn transpose(side: usize, bytes: u64) -> Matrix {
    let is_pair = |from: usize, to: usize| (from / side, from % side) == (to % side, to / side);
    Matrix::of(side * side, |from, to| if is_pair(from, to) { bytes } else { 0 }).unwrap()
}

/// Detoured data is reassembled correctly, also with a few bytes a slice and with messages of nodes to themselves.
#[test]
fn detours_bring_all_data() {
    for (side, bytes) in [(4, 7), (5, 3000), (6, 20_000)] {
        let mesh = crate::topology::parse(&format!("mesh:{side}x{side}")).unwrap();
        let machine = MachineSpec::new("mesh", mesh, Parameters::hockney());
        let instance = Instance::new(&machine, transpose(side, bytes)).unwrap();
        check(&Algorithm::DETOUR.plan(&instance).unwrap());
    }
}

/// If messages are sent directly, fifteen of them turn at a corner of the mesh, whose links carry eight at a time: the time is 1.89 times
/// the bound.
#[test]
fn a_transpose_takes_little_longer_than_ports_need() {
    let machine: MachineSpec = "paragon:16x16".parse().unwrap();
    let instance = Instance::new(&machine, transpose(16, 4_000_000)).unwrap();
    let bound = instance.lower_bound();
    let ratio = |algorithm: Algorithm| {
        let plan = algorithm.plan(&instance).unwrap();
        bound.ratio(plan.prediction().unwrap().modeled.since_start()).unwrap()
    };
    assert!((1.88..1.90).contains(&ratio(Algorithm::BALANCED)), "{}", ratio(Algorithm::BALANCED));
    assert!(ratio(Algorithm::AUTO) < 1.25, "{}", ratio(Algorithm::AUTO));
}

/// On a line, plain rounds in which all sends start ahead of the receives keep the middle links busy; packed rounds do not.
#[test]
fn large_exchanges_whose_links_decide_are_tried_in_plain_rounds() {
    let machine: MachineSpec = "hockney:1x104".parse().unwrap();
    // More than ten thousand messages of nearly one length, in the second case with one longer message.
    for longest in [340, 1500] {
        let matrix = Matrix::of(104, |from, to| match (from, to) {
            (3, 4) => longest,
            _ => 340 + ((from + to) % 2) as u64,
        });
        let instance = Instance::new(&machine, matrix.unwrap()).unwrap();
        let time = |algorithm: Algorithm| modeled(&instance, algorithm);
        assert!(time(Algorithm::AUTO) <= time(Algorithm::PAIRWISE), "{longest}");
    }
}

fn modeled(instance: &Instance, algorithm: Algorithm) -> Time {
    algorithm.plan(instance).unwrap().prediction().unwrap().modeled
}

/// Every node sends a few long messages among many short ones. One call takes no longer than two separate calls.
#[test]
fn auto_splits_long_from_short_messages() {
    let machine: MachineSpec = "hockney:5x6".parse().unwrap();
    let matrix = Matrix::of(30, |from, to| match (to + 30 - from) % 30 {
        7 | 18 => 60_000,
        _ => 16 + ((from * to) % 5) as u64,
    });
    let instance = Instance::new(&machine, matrix.unwrap()).unwrap();
    let two: u64 = [|bytes| bytes > 100, |bytes| bytes <= 100]
        .map(|is_in: fn(u64) -> bool| instance.with(Arc::new(instance.matrix().filtered(is_in))))
        .map(|part| modeled(&part, Algorithm::AUTO).since_start().as_picos())
        .iter()
        .sum();
    let plan = Algorithm::AUTO.plan(&instance).unwrap();
    assert!(plan.name().starts_with("apart: "), "{}", plan.name());
    assert!(modeled(&instance, Algorithm::AUTO).since_start().as_picos() <= two);
    check(&plan);
}

/// An exchange in a group works as an exchange on the whole machine.
#[test]
fn members_may_be_some_nodes_in_any_order() {
    let machine: MachineSpec = "paragon:3x4".parse().unwrap();
    let members: Arc<[usize]> = [7, 2, 11, 0, 5].into();
    let matrix = Matrix::of(5, |from, to| (from * 100 + to * 40) as u64).unwrap();
    let instance = Instance::among(&machine, members.clone(), matrix.clone()).unwrap();
    for plan in predictable().filter_map(|algorithm| algorithm.plan(&instance).ok()) {
        let run = Machine::builder(machine.clone()).build().unwrap().run(|node| {
            if !members.contains(&node.rank()) {
                return Ok(0);
            }
            let group = node.world().subgroup(&members)?;
            let outgoing = matrix.row(group.rank()).iter().map(|&bytes| Payload::phantom(bytes)).collect();
            match plan.carry_out(&group, outgoing) {
                Ok(incoming) => Ok(incoming.iter().map(Payload::len).sum()),
                // Sorting needs real data, so it may refuse here.
                Err(_) if plan.name() == "sorting" => Ok(matrix.received(group.rank())),
                Err(error) => Err(error.into()),
            }
        });
        let outputs = run.unwrap().outputs;
        for (rank, &member) in members.iter().enumerate() {
            assert_eq!(outputs[member], matrix.received(rank), "{}", plan.name());
        }
    }
}

#[test]
fn with_seed_changes_only_algorithms_with_seeds() {
    for algorithm in Algorithm::ALL {
        let other = algorithm.with_seed(7);
        assert_eq!((other.name(), other.seed()), (algorithm.name(), algorithm.seed().map(|_| 7)));
    }
}
