//! The equations with random parameters, sizes, sources and lengths.

use multicomputer::textbook::Figure;
use proptest::prelude::*;

use super::*;

/// A start-up in three random parts, some of them nothing; random bandwidths and speeds; links as fast as nodes or
/// faster.
fn parameters() -> impl Strategy<Value = Parameters> {
    let time = || prop_oneof![Just(0.0), 1e-6..200e-6];
    let times = (time(), time(), time(), prop_oneof![Just(0.0), 1e-9..100e-9], 0.0..1e-6, 1.0..4.0);
    times.prop_map(|(send, latency, receive, beta, gamma, excess)| {
        let parameters = Parameters::builder().send_overhead(send).latency(latency).receive_overhead(receive);
        parameters.beta(beta).gamma(gamma).link_excess(excess).build().unwrap()
    })
}

/// A network and an algorithm that is made for it.
fn matches() -> impl Strategy<Value = (Algorithm, String)> {
    let cube = (0..6_u32).prop_map(|d| 1_usize << d);
    let one_to_all = (prop::sample::select(&["ring", "line", "hypercube", "tree"][..]), cube.clone())
        .prop_flat_map(|(kind, size)| {
            let algorithms = prop::sample::select(&[Algorithm::FROM_ANY_SOURCE, Algorithm::ALL_TO_ONE][..]);
            algorithms.prop_map(move |algorithm| (algorithm, format!("{kind}:{size}")))
        });
    let powers = || prop::sample::select(&[2_usize, 4][..]);
    let on_meshes = (powers(), powers(), powers()).prop_flat_map(|(a, b, c)| {
        let algorithms = prop::sample::select(&[Algorithm::MESH_ONE_TO_ALL, Algorithm::MESH_ALL_TO_ONE][..]);
        let shapes = prop::sample::select(vec![format!("{a}x{b}"), format!("{a}x{b}x{c}")]);
        (algorithms, prop::sample::select(&["mesh", "torus"][..]), shapes)
            .prop_map(|(algorithm, kind, shape)| (algorithm, format!("{kind}:{shape}")))
    });
    let rings = (prop::sample::select(&["ring", "line"][..]), 1..25_usize).prop_flat_map(|(kind, size)| {
        let algorithms = [Algorithm::RING_ALL_TO_ALL, Algorithm::RING_REDUCTION, Algorithm::PIPELINED];
        let algorithms = prop::sample::select(algorithms.to_vec());
        algorithms.prop_map(move |algorithm| (algorithm, format!("{kind}:{size}")))
    });
    let meshes = (2..5_usize, 1..6_usize, 1..4_usize).prop_flat_map(|(a, b, c)| {
        let algorithms = prop::sample::select(&[Algorithm::MESH_ALL_TO_ALL, Algorithm::MESH_REDUCTION][..]);
        let shapes = prop::sample::select(vec![format!("{a}x{b}"), format!("{a}x{b}x{c}")]);
        (algorithms, prop::sample::select(&["mesh", "torus"][..]), shapes)
            .prop_map(|(algorithm, kind, shape)| (algorithm, format!("{kind}:{shape}")))
    });
    let cubes = cube.prop_flat_map(|size| {
        let algorithms =
            prop::sample::select(&[Algorithm::HYPERCUBE_ALL_TO_ALL, Algorithm::HYPERCUBE_REDUCTION][..]);
        algorithms.prop_map(move |algorithm| (algorithm, format!("hypercube:{size}")))
    });
    prop_oneof![one_to_all, on_meshes, rings, meshes, cubes]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// On the network that it is made for, an algorithm takes what its equation says, which is also what its figure
    /// says.
    #[test]
    fn equations_hold_on_the_networks_of_the_book(
        (algorithm, network) in matches(),
        parameters in parameters(),
        root in any::<prop::sample::Index>(),
        bytes in 0..5000_u64,
    ) {
        let machine = machine(&network, &parameters);
        let task = task(algorithm, &machine, bytes).root(root.index(machine.nodes())).build().unwrap();
        let plan = algorithm.plan(&task).unwrap();
        let modeled = plan.prediction().modeled.since_start();
        // A block that is nowhere is not sent around.
        let equation = if algorithm == Algorithm::PIPELINED && bytes == 0 { Span::ZERO } else { plan.estimate() };
        prop_assert!(is_equal(equation, modeled), "{algorithm} on {network}: {modeled}, not {equation}");
        let in_step = Figure::of(&plan).in_step(&parameters);
        prop_assert!(is_equal(in_step, modeled), "{algorithm} on {network}: {modeled}, in step {in_step}");
    }

    /// Of sources that are all different, however many, each message has to go all the way around.
    #[test]
    fn pipelined_broadcasts_take_as_long_as_one_all_to_all(
        parameters in parameters(),
        kind in prop::sample::select(&["ring", "line"][..]),
        sources in prop::collection::vec(any::<bool>(), 2..20),
        bytes in 1..3000_u64,
    ) {
        prop_assume!(sources.contains(&true));
        let machine = machine(&format!("{kind}:{}", sources.len()), &parameters);
        let blocks: Vec<u64> = sources.iter().map(|&is_source| if is_source { bytes } else { 0 }).collect();
        let task = Task::builder(&machine, Operation::AllGather).blocks(blocks).build().unwrap();
        let plan = Algorithm::PIPELINED.plan(&task).unwrap();
        let modeled = plan.prediction().modeled.since_start();
        prop_assert!(is_equal(plan.estimate(), modeled), "{modeled}, not {}", plan.estimate());
    }

    /// With blocks of several lengths the equation, which takes the longest, is an upper bound and is reached.
    #[test]
    fn the_longest_block_decides_on_a_ring(
        parameters in parameters(),
        blocks in prop::collection::vec(0..2000_u64, 2..20),
    ) {
        prop_assume!(blocks.iter().any(|&bytes| bytes > 0));
        let machine = machine(&format!("ring:{}", blocks.len()), &parameters);
        let task = Task::builder(&machine, Operation::AllGather).blocks(blocks).build().unwrap();
        for algorithm in [Algorithm::RING_ALL_TO_ALL, Algorithm::PIPELINED] {
            let plan = algorithm.plan(&task).unwrap();
            let modeled = plan.prediction().modeled.since_start();
            prop_assert!(is_equal(plan.estimate(), modeled), "{algorithm}: {modeled}, not {}", plan.estimate());
        }
    }

    /// The farthest first never has two messages of a step on one link: on a ring, a linear array and a tree of any
    /// size from any source, on a mesh and a torus dimension by dimension with any sides.
    #[test]
    fn the_farthest_first_shares_no_link(
        (kind, algorithms, shape) in prop_oneof![
            (prop::sample::select(&["ring", "line", "tree"][..]), 1..200_usize)
                .prop_map(|(kind, size)| (kind, [Algorithm::FROM_ANY_SOURCE, Algorithm::ALL_TO_ONE], vec![size])),
            (prop::sample::select(&["mesh", "torus"][..]), prop::collection::vec(2..8_usize, 2..4))
                .prop_map(|(kind, shape)| (kind, [Algorithm::MESH_ONE_TO_ALL, Algorithm::MESH_ALL_TO_ONE], shape)),
            (0..8_u32).prop_map(|d| ("hypercube", [Algorithm::FROM_ANY_SOURCE, Algorithm::ALL_TO_ONE], vec![1 << d])),
            (0..4_u32, 0..4_u32).prop_map(|(rows, columns)| {
                ("mesh", [Algorithm::FROM_ANY_SOURCE, Algorithm::ALL_TO_ONE], vec![1 << rows, 1 << columns])
            }),
        ],
        root in any::<prop::sample::Index>(),
        in_order in any::<bool>(),
    ) {
        let shape = shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        let machine = hockney(&format!("{kind}:{shape}"));
        let root = root.index(machine.nodes());
        for algorithm in algorithms {
            let task = task(algorithm, &machine, 100).root(root).in_order(in_order).build().unwrap();
            let figure = Figure::of(&algorithm.plan(&task).unwrap());
            for (number, step) in figure.steps().iter().enumerate() {
                let most = step.busiest().map_or(0, |busiest| busiest.messages);
                prop_assert!(most <= 1, "{algorithm} on {kind}:{shape} from {root}: step {number} {step}");
            }
        }
    }
}
