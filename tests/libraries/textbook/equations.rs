//! Every equation of the chapter against the modeled time on threads, on the networks that the algorithm is made for:
//! the same to a nanosecond, however the start-up is cut into parts.
//!
//! What that takes: full duplex nodes (d = 2, o_x = 0), links at least as fast as nodes, nothing for hops and copies.

use super::*;

/// How alpha = 130 us is cut: all at the sender, half and half, all at the receiver, all in the network, and mixed.
const SPLITS: [[f64; 3]; 5] =
    [[130.0, 0.0, 0.0], [65.0, 0.0, 65.0], [0.0, 0.0, 130.0], [0.0, 130.0, 0.0], [20.0, 70.0, 40.0]];

/// Bytes of a vector, or of each block.
const LENGTHS: [u64; 3] = [1, 1000, 4096];

/// Equal to the equation with every split, on each network.
fn exact(algorithm: Algorithm, networks: [&str; 3]) {
    for [send, latency, receive] in SPLITS {
        equal(algorithm, networks, &split(send, latency, receive));
    }
}

fn equal(algorithm: Algorithm, networks: [&str; 3], parameters: &Parameters) {
    for network in networks {
        for bytes in LENGTHS {
            let plan = plan(algorithm, &machine(network, parameters), bytes);
            let (equation, modeled) = (plan.estimate(), modeled(&plan).since_start());
            assert!(
                is_equal(equation, modeled),
                "{algorithm} on {network}, {bytes} bytes: {modeled}, and the equation says {equation}"
            );
        }
    }
}

/// From or to every root, by prediction.
fn from_every_root(algorithm: Algorithm, networks: &[String], parameters: &Parameters) {
    for network in networks {
        let machine = machine(network, parameters);
        for root in 0..machine.nodes() {
            let plan = algorithm.plan(&task(algorithm, &machine, 999).root(root).build().unwrap()).unwrap();
            let modeled = plan.prediction().modeled.since_start();
            assert!(is_equal(plan.estimate(), modeled), "{algorithm} on {network}, {root}: {modeled}");
        }
    }
}

/// Networks of one kind with so many nodes.
fn sizes(kind: &str, sizes: impl IntoIterator<Item = usize>) -> Vec<String> {
    sizes.into_iter().map(|size| format!("{kind}:{size}")).collect()
}

/// Grids with these numbers of rows and columns.
fn grids(kind: &str, rows: &[usize], columns: &[usize]) -> Vec<String> {
    rows.iter()
        .flat_map(|rows| columns.iter().map(move |columns| format!("{kind}:{rows}x{columns}")))
        .collect()
}

#[test]
fn equation_4_1_on_every_network_of_the_chapter() {
    exact(Algorithm::ONE_TO_ALL, ["ring:4", "ring:8", "ring:32"]);
    exact(Algorithm::ONE_TO_ALL, ["line:4", "line:8", "line:32"]);
    exact(Algorithm::ONE_TO_ALL, ["hypercube:4", "hypercube:8", "hypercube:32"]);
    exact(Algorithm::ONE_TO_ALL, ["tree:4", "tree:8", "tree:32"]);
    exact(Algorithm::ONE_TO_ALL, ["mesh:2x4", "mesh:4x4", "mesh:8x4"]);
    exact(Algorithm::MESH_ONE_TO_ALL, ["mesh:2x4", "mesh:4x4", "mesh:8x4"]);
    exact(Algorithm::MESH_ONE_TO_ALL, ["mesh:2x2x2", "mesh:4x2x2", "mesh:2x4x4"]);
    exact(Algorithm::MESH_ONE_TO_ALL, ["torus:2x4", "torus:4x4", "torus:2x4x4"]);
}

#[test]
fn equation_4_1_from_every_source() {
    for [send, latency, receive] in SPLITS {
        let parameters = split(send, latency, receive);
        for kind in ["ring", "line", "hypercube", "tree"] {
            from_every_root(Algorithm::FROM_ANY_SOURCE, &sizes(kind, [2, 4, 8, 16, 32]), &parameters);
        }
        from_every_root(Algorithm::FROM_ANY_SOURCE, &grids("mesh", &[2, 4], &[4, 8]), &parameters);
        let mut meshes = grids("mesh", &[2, 4, 8], &[2, 4]);
        meshes.extend(["mesh:2x4x2".to_owned(), "torus:4x4".to_owned(), "torus:2x2x4".to_owned()]);
        from_every_root(Algorithm::MESH_ONE_TO_ALL, &meshes, &parameters);
    }
}

/// Where a send takes alpha, no holder is ahead of the others, and any number of nodes will do. On a ring, a linear
/// array and a tree the farthest first is right for all sizes, on a mesh dimension by dimension for all sides.
#[test]
fn equation_4_1_on_any_number_of_nodes_in_the_strict_model() {
    for kind in ["ring", "line", "tree"] {
        from_every_root(Algorithm::FROM_ANY_SOURCE, &sizes(kind, 1..=33), &strict());
    }
    from_every_root(Algorithm::MESH_ONE_TO_ALL, &grids("mesh", &[2, 3, 5, 6], &[3, 4, 5, 7]), &strict());
    from_every_root(Algorithm::MESH_ONE_TO_ALL, &grids("torus", &[2, 3, 5], &[3, 5, 6]), &strict());
    from_every_root(
        Algorithm::MESH_ONE_TO_ALL,
        &["mesh:3x2x5".to_owned(), "torus:3x3x3".to_owned()],
        &strict(),
    );
}

/// Otherwise a source that has sent is sooner free than its receiver, and with other numbers the longest chain has
/// fewer receives than steps: five nodes take 12 % less.
#[test]
fn equation_4_1_is_an_upper_bound_on_other_numbers_of_nodes() {
    for [send, latency, receive] in SPLITS {
        for kind in ["ring", "line", "tree"] {
            for size in 2..=33 {
                let machine = machine(&format!("{kind}:{size}"), &split(send, latency, receive));
                for (algorithm, root) in [Algorithm::FROM_ANY_SOURCE, Algorithm::ALL_TO_ONE]
                    .into_iter()
                    .flat_map(|algorithm| (0..size).map(move |root| (algorithm, root)))
                {
                    let task = task(algorithm, &machine, 1000).root(root).build().unwrap();
                    let plan = algorithm.plan(&task).unwrap();
                    let modeled = plan.prediction().modeled.since_start();
                    assert!(modeled <= plan.estimate() + Span::from_picos(1000), "{kind}:{size} {root}");
                }
            }
        }
    }
    let plan = plan(Algorithm::ONE_TO_ALL, &hockney("line:5"), 1000);
    assert_eq!((plan.estimate().to_string(), modeled(&plan).to_string()), ("540 us".into(), "475 us".into()));
}

#[test]
fn equation_4_1_with_gamma_for_reductions() {
    for network in [["ring:4", "ring:8", "ring:32"], ["line:4", "line:8", "line:32"]] {
        exact(Algorithm::ALL_TO_ONE, network);
    }
    exact(Algorithm::ALL_TO_ONE, ["hypercube:4", "hypercube:8", "hypercube:32"]);
    exact(Algorithm::ALL_TO_ONE, ["tree:4", "tree:8", "tree:32"]);
    exact(Algorithm::MESH_ALL_TO_ONE, ["mesh:2x4", "mesh:4x4", "mesh:8x4"]);
    exact(Algorithm::MESH_ALL_TO_ONE, ["mesh:2x2x2", "mesh:4x2x2", "torus:2x4x4"]);
    for [send, latency, receive] in SPLITS {
        let parameters = split(send, latency, receive);
        for kind in ["ring", "line", "hypercube", "tree"] {
            from_every_root(Algorithm::ALL_TO_ONE, &sizes(kind, [2, 4, 8, 16, 32]), &parameters);
        }
        from_every_root(Algorithm::MESH_ALL_TO_ONE, &grids("mesh", &[2, 4, 8], &[2, 4]), &parameters);
    }
}

/// On any number of nodes. On a linear array the messages back use the other direction of the links.
#[test]
fn equation_4_2_on_rings_and_linear_arrays() {
    for algorithm in [Algorithm::RING_ALL_TO_ALL, Algorithm::RING_REDUCTION, Algorithm::PIPELINED] {
        exact(algorithm, ["ring:3", "ring:8", "ring:13"]);
        exact(algorithm, ["line:3", "line:8", "line:13"]);
    }
}

/// On meshes and tori with any sides.
#[test]
fn equation_4_3_on_meshes() {
    for algorithm in [Algorithm::MESH_ALL_TO_ALL, Algorithm::MESH_REDUCTION] {
        exact(algorithm, ["mesh:3x3", "mesh:4x4", "mesh:5x3"]);
        exact(algorithm, ["torus:3x3", "torus:4x4", "torus:2x7"]);
        exact(algorithm, ["mesh:2x2x2", "mesh:2x3x4", "torus:3x2x3"]);
    }
}

#[test]
fn equation_4_4_on_hypercubes() {
    for algorithm in [Algorithm::HYPERCUBE_ALL_TO_ALL, Algorithm::HYPERCUBE_REDUCTION] {
        exact(algorithm, ["hypercube:4", "hypercube:8", "hypercube:32"]);
    }
}

/// The hypercube is a mesh with two nodes along each dimension, and so are 2 x 2 and 2 x 2 x 2 nodes.
#[test]
fn equation_4_4_on_meshes_that_are_hypercubes() {
    for algorithm in [Algorithm::HYPERCUBE_ALL_TO_ALL, Algorithm::HYPERCUBE_REDUCTION] {
        exact(algorithm, ["mesh:2x2", "mesh:2x2x2", "torus:2x2x2"]);
    }
}

/// `(p - 1) (t_s + t_w m)` where a send takes alpha; `(p - 1) (o_s + n beta) + L + o_r` however alpha is cut.
#[test]
fn the_naive_broadcast() {
    equal(Algorithm::NAIVE, ["ring:3", "mesh:3x4", "tree:33"], &strict());
    for [send, latency, receive] in SPLITS {
        for (network, bytes) in
            ["ring:5", "line:8", "hypercube:32"].into_iter().flat_map(|network| LENGTHS.map(|n| (network, n)))
        {
            let parameters = split(send, latency, receive);
            let plan = plan(Algorithm::NAIVE, &machine(network, &parameters), bytes);
            let others = plan.task().size() as u64 - 1;
            let sends = (parameters.send_overhead() + parameters.transfer(bytes)).times(others);
            let refined = sends + parameters.latency() + parameters.receive_overhead();
            let modeled = modeled(&plan).since_start();
            assert!(is_equal(refined, modeled), "{network}, {bytes} bytes: {modeled}, not {refined}");
            assert!(modeled <= plan.estimate());
        }
    }
}

/// If the start-up is the sender's all nodes keep in step, and otherwise if their number is even; if not, the last step
/// has nodes that run ahead.
#[test]
fn both_ways_on_a_linear_array() {
    equal(Algorithm::LINE_ALL_TO_ALL, ["line:2", "line:5", "line:8"], &strict());
    exact(Algorithm::LINE_ALL_TO_ALL, ["line:2", "line:4", "line:12"]);
    for size in 1..=33 {
        for [send, latency, receive] in SPLITS {
            let parameters = split(send, latency, receive);
            let plan = plan(Algorithm::LINE_ALL_TO_ALL, &machine(&format!("line:{size}"), &parameters), 1000);
            let modeled = plan.prediction().modeled.since_start();
            let is_exact = latency + receive == 0.0 || size % 2 == 0 || size == 1;
            assert_eq!(is_equal(modeled, plan.estimate()), is_exact, "{size}: {modeled}");
            assert!(modeled <= plan.estimate() + Span::from_picos(1000), "{size}: {modeled}");
        }
    }
}

/// `n ceil(log2 p)` transfers where a send takes alpha; with another split the next broadcast starts before the last is
/// over.
#[test]
fn broadcasts_in_turn() {
    equal(Algorithm::IN_TURN, ["hypercube:4", "hypercube:8", "hypercube:32"], &strict());
    equal(Algorithm::IN_TURN, ["ring:4", "line:8", "tree:16"], &strict());
    for kind in ["ring", "line"] {
        for size in 2..=33 {
            for [send, latency, receive] in SPLITS {
                let parameters = split(send, latency, receive);
                let plan = plan(Algorithm::IN_TURN, &machine(&format!("{kind}:{size}"), &parameters), 1000);
                let modeled = plan.prediction().modeled.since_start();
                assert!(modeled <= plan.estimate() + Span::from_picos(1000), "{kind}:{size}: {modeled}");
            }
        }
    }
}

/// What the book does not have: nodes that cannot send and receive at full speed at once, start-ups that an exchange
/// pays, and hops. The equation is then too small.
#[test]
fn equations_assume_full_duplex_nodes_and_free_hops() {
    let time = |parameters: Parameters| {
        modeled(&plan(Algorithm::RING_ALL_TO_ALL, &machine("ring:8", &parameters), 1000))
    };
    let hockney = Parameters::hockney;
    assert_eq!(time(hockney()).to_string(), "1.26 ms", "7 (130 + 50) us");
    assert_eq!(
        time(hockney().to_builder().duplex(1.0).build().unwrap()).to_string(),
        "1.61 ms",
        "7 (130 + 100) us"
    );
    assert_eq!(
        time(hockney().to_builder().hop(1e-6).build().unwrap()).to_string(),
        "1.267 ms",
        "7 x 1 us more"
    );
}
