//! Random s-to-p broadcasts on random machines: every byte arrives, at the picosecond that the plan predicts.

use multicomputer::{
    Machine, Payload,
    model::{Description, Parameters},
    prelude::*,
    stop::{Algorithm, Instance},
};
use proptest::prelude::*;

/// Costs of every kind, or without some; beta is no round number of picoseconds.
fn parameters() -> impl Strategy<Value = Parameters> {
    let overhead = || prop_oneof![Just(0.0), Just(65e-6), 1e-7..2e-4];
    let random = (
        (overhead(), overhead(), overhead()),
        prop_oneof![Just(0.0), 0.0..2e-5],
        prop_oneof![Just(0.0), 0.0..2e-6],
        prop_oneof![Just(0.0), Just(50e-9), 1e-10..1e-7],
        prop_oneof![Just(2.0), 1.0..2.0],
        prop_oneof![Just(1.0), 0.3..8.0],
        prop_oneof![Just(0.0), 1e-9..5e-8],
    );
    let random = random.prop_map(|((send, receive, exchange), latency, hop, beta, duplex, excess, copy)| {
        let parameters = Parameters::builder()
            .send_overhead(send)
            .receive_overhead(receive)
            .exchange_overhead(exchange)
            .latency(latency)
            .hop(hop)
            .beta(beta)
            .duplex(duplex)
            .link_excess(excess)
            .copy(copy);
        parameters.build().unwrap()
    });
    prop_oneof![Just(Parameters::paragon()), Just(Parameters::hockney()), random.boxed()]
}

/// Any shape with sides of up to 9, any set of sources in any order, lengths with zeros among them.
fn instances() -> impl Strategy<Value = Instance> {
    let length = || prop_oneof![Just(0_u64), 1..20_u64, Just(2048), 1000..5000_u64];
    (1..=9_usize, 1..=9_usize, parameters()).prop_flat_map(move |(rows, columns, parameters)| {
        let nodes = rows * columns;
        let shuffled = Just((0..nodes).collect::<Vec<Rank>>()).prop_shuffle();
        let count = prop_oneof![1..=nodes, 1..=nodes.min(3)];
        (shuffled, count, prop::collection::vec(length(), nodes)).prop_map(move |(ranks, count, lengths)| {
            let mesh: Description = format!("mesh:{rows}x{columns}").parse().unwrap();
            let machine = Description::new("random", mesh.topology().clone(), parameters.clone());
            Instance::new(&machine, &ranks[..count], &lengths[..count]).unwrap()
        })
    })
}

/// Bytes that tell the source, the place and the length.
fn message(source: Rank, length: u64) -> Vec<u8> {
    (0..length).map(|place| (source as u64 * 31 + place * 7 + place / 251 + length) as u8).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_byte_arrives_when_it_is_predicted_to(instance in instances()) {
        let (sources, lengths) = (instance.sources(), instance.lengths());
        let messages: Vec<Vec<u8>> =
            sources.iter().zip(lengths).map(|(&source, &length)| message(source, length)).collect();
        let machine = Machine::of(instance.machine().clone()).deny_unreceived(true).build().unwrap();
        for algorithm in Algorithm::all() {
            let Ok(plan) = algorithm.plan(&instance) else {
                prop_assert_eq!(algorithm, Algorithm::Split);
                prop_assert!(2 * sources.len() > instance.nodes());
                continue;
            };
            let run = machine.run(|node| {
                let own = sources.iter().position(|&source| source == node.rank());
                let got = plan.broadcast(node.world(), own.map(|source| Payload::from(messages[source].clone())))?;
                let got = got.iter().map(Payload::to_vec::<u8>).collect::<Result<Vec<_>, _>>()?;
                Ok(got == messages)
            });
            let run = run.unwrap();
            prop_assert!(run.outputs.iter().all(|&whole| whole), "{}", algorithm);
            let finished: Vec<Time> = run.report.nodes.iter().map(|node| node.finished).collect();
            prop_assert_eq!(&finished, &plan.prediction().finished, "{}", algorithm);
            prop_assert_eq!(run.report.modeled, plan.prediction().modeled, "{}", algorithm);
        }
    }

    /// Nothing but the instance decides, neither the number of cores nor which of them is faster.
    #[test]
    fn a_plan_is_the_same_whoever_makes_it(instance in instances()) {
        for algorithm in Algorithm::all() {
            let (one, other) = (algorithm.plan(&instance), algorithm.plan(&instance));
            let (Ok(one), Ok(other)) = (one, other) else { continue };
            prop_assert_eq!((one.algorithm(), one.variant()), (other.algorithm(), other.variant()));
            prop_assert_eq!(one.schedule(), other.schedule());
            prop_assert_eq!(one.prediction(), other.prediction());
        }
    }
}
