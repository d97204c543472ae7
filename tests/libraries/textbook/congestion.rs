//! Where the book says that messages share a link, they do, and the run is slower by what that costs; where it says
//! that they do not, none do.

use multicomputer::textbook::Figure;

use super::*;

/// Messages on the busiest link of each step.
fn most(plan: &Plan) -> Vec<u64> {
    Figure::of(plan).steps().iter().map(|step| step.busiest().map_or(0, |busiest| busiest.messages)).collect()
}

/// The modeled time, which is what the figure says if all keep in step; and how much longer than the equation that is.
fn in_step(plan: &Plan) -> (String, f64) {
    let modeled = modeled(plan).since_start();
    let in_step = Figure::of(plan).in_step(plan.task().parameters());
    assert!(is_equal(in_step, modeled), "{}: {modeled}, in step {in_step}", plan.name());
    (modeled.to_string(), modeled.as_secs_f64() / plan.estimate().as_secs_f64())
}

/// The link that is busiest in a step of the figure is the one that the report of a run finds the most messages on.
pub(crate) fn the_report_agrees(plan: &Plan) {
    let figure = Figure::of(plan);
    let busiest = figure.steps().iter().filter_map(|step| step.busiest());
    let busiest =
        busiest.reduce(|most, next| if next.messages > most.messages { next } else { most }).unwrap();
    let case = Case::new(named(plan), plan.task(), 1).unwrap();
    let report = run(plan.task().machine(), |node| case.check(node.world())).report;
    let flows = |link: usize| report.links.iter().find(|load| load.id == link).unwrap().load.most_flows;
    assert_eq!(u64::from(flows(busiest.link)), busiest.messages, "{} on {}", plan.name(), report.machine);
    let most = report.links.iter().map(|link| link.load.most_flows).max().unwrap();
    assert_eq!(u64::from(most), busiest.messages, "{} on {}", plan.name(), report.machine);
}

/// Section 4.1.1: with the nearest first "the link between nodes 1 and 2 would be congested" in the second step; in
/// step i, counted from 0, 2^i messages share a link. On a linear array of 8: 3 alpha + (1 + 2 + 4) n beta.
#[test]
fn the_nearest_first_is_congested_on_a_ring_and_on_a_linear_array() {
    for (size, time, slower) in
        [(4_usize, "410 us", 1.139), (8, "740 us", 1.370), (16, "1.27 ms", 1.764), (32, "2.2 ms", 2.444)]
    {
        for kind in ["line", "ring"] {
            let plan = plan(Algorithm::NEAREST_FIRST, &machine(&format!("{kind}:{size}"), &strict()), 1000);
            let steps: Vec<u64> = (0..size.ilog2()).map(|step| 1 << step).collect();
            assert_eq!(most(&plan), steps, "{kind}:{size}");
            let (modeled, factor) = in_step(&plan);
            assert_eq!(modeled, time, "{kind}:{size}");
            assert!((factor - slower).abs() < 0.0005, "{kind}:{size}: {factor}");
            the_report_agrees(&plan);
        }
    }
    // "The link between nodes 1 and 2 .. for both the messages in the second step."
    let plan = plan(Algorithm::NEAREST_FIRST, &hockney("line:8"), 1000);
    let busiest = Figure::of(&plan).steps()[1].busiest().unwrap();
    assert_eq!(plan.task().machine().topology().link(busiest.link).to_string(), "node 1 -> node 2");
    assert_eq!(busiest.messages, 2);
}

/// From every source, and on any number of nodes, as long as they keep in step.
#[test]
fn the_nearest_first_takes_what_its_busiest_links_take() {
    for size in 2..=33 {
        let machine = machine(&format!("line:{size}"), &strict());
        let plan = plan(Algorithm::NEAREST_FIRST, &machine, 1000);
        let modeled = plan.prediction().modeled.since_start();
        assert!(is_equal(modeled, Figure::of(&plan).in_step(&strict())), "{size}: {modeled}");
    }
}

/// Section 4.1.3: "the hypercube broadcast would not suffer from congestion".
#[test]
fn the_nearest_first_is_not_congested_on_a_hypercube() {
    for network in ["hypercube:4", "hypercube:8", "hypercube:32"] {
        for parameters in [strict(), split(65.0, 0.0, 65.0), split(0.0, 100.0, 30.0)] {
            let plan = plan(Algorithm::NEAREST_FIRST, &machine(network, &parameters), 1000);
            assert!(most(&plan).iter().all(|&messages| messages == 1), "{network}");
            assert!(is_equal(plan.estimate(), modeled(&plan).since_start()), "{network}");
        }
    }
}

/// All sizes and sources on rings, linear arrays and trees; what `properties` tries at random, without a gap up to 33.
#[test]
fn the_farthest_first_is_not_congested() {
    for size in 2..=33_usize {
        for kind in ["ring", "line", "tree", "hypercube"] {
            if !size.is_power_of_two() && kind == "hypercube" {
                continue;
            }
            let machine = hockney(&format!("{kind}:{size}"));
            for algorithm in [Algorithm::FROM_ANY_SOURCE, Algorithm::ALL_TO_ONE] {
                for root in 0..size {
                    let task = task(algorithm, &machine, 100).root(root).build().unwrap();
                    let plan = algorithm.plan(&task).unwrap();
                    assert_eq!(most(&plan).into_iter().max(), Some(1), "{kind}:{size} from {root}");
                }
            }
        }
    }
}

/// Section 4.2.4: "one of the links of the ring is traversed by all four messages and would take four times as much
/// time".
#[test]
fn the_hypercube_all_to_all_is_congested_on_a_ring() {
    for kind in ["ring", "line", "tree"] {
        let plan = plan(Algorithm::HYPERCUBE_ALL_TO_ALL, &hockney(&format!("{kind}:8")), 1000);
        assert_eq!(most(&plan), [1, 2, 4]);
        let busiest = Figure::of(&plan).steps()[2].busiest().unwrap();
        assert_eq!(busiest.time, plan.task().parameters().transfer(4000).times(4), "four times as much");
        // 3 alpha + (1 + 4 + 16) 1000 beta instead of 3 alpha + 7000 beta.
        assert_eq!(in_step(&plan).0, "1.44 ms", "{kind}");
        the_report_agrees(&plan);
    }
    // On a linear array it is the link in the middle, which is also the one with the most bytes in all.
    let plan = plan(Algorithm::HYPERCUBE_ALL_TO_ALL, &hockney("line:8"), 1000);
    let case = Case::new(Algorithm::HYPERCUBE_ALL_TO_ALL, plan.task(), 1).unwrap();
    let report = run(plan.task().machine(), |node| case.check(node.world())).report;
    let link = report.most_loaded_link().unwrap();
    assert_eq!(link.link.to_string(), "node 3 -> node 4");
    assert_eq!((link.load.messages, link.load.bytes, link.load.most_flows), (4, 16_000, 4));
    assert_eq!(Figure::of(&plan).steps()[2].busiest().unwrap().link, link.id);
}

/// 2^i messages in step i on a ring, on a mesh in each dimension, however alpha is cut. By how much that is slower
/// grows with the length: up to (1 + 4 + 16 + ..) / (p - 1).
#[test]
fn how_much_slower_the_hypercube_algorithms_are() {
    for (network, steps, factors) in [
        ("line:4", &[1, 2][..], [1.000, 1.244, 1.666]),
        ("ring:8", &[1, 2, 4], [1.002, 1.946, 2.998]),
        ("line:16", &[1, 2, 4, 8], [1.007, 3.756, 5.663]),
        ("ring:32", &[1, 2, 4, 8, 16], [1.024, 8.045, 10.996]),
        ("mesh:4x4", &[1, 2, 1, 2], [1.001, 1.394, 1.666]),
        ("mesh:8x8", &[1, 2, 4, 1, 2, 4], [1.008, 2.603, 3.000]),
        ("torus:4x4", &[1, 2, 1, 2], [1.001, 1.394, 1.666]),
        ("hypercube:16", &[1, 1, 1, 1], [1.0, 1.0, 1.0]),
    ] {
        for (bytes, expected) in [1, 1000, 1_000_000].into_iter().zip(factors) {
            for parameters in [strict(), split(65.0, 0.0, 65.0), split(10.0, 100.0, 20.0)] {
                let plan = plan(Algorithm::HYPERCUBE_ALL_TO_ALL, &machine(network, &parameters), bytes);
                assert_eq!(most(&plan), steps, "{network}");
                let modeled = plan.prediction().modeled.since_start();
                let in_step = Figure::of(&plan).in_step(&parameters);
                assert!(is_equal(modeled, in_step), "{network}: {modeled}, in step {in_step}");
                let factor = modeled.as_secs_f64() / plan.estimate().as_secs_f64();
                assert!((factor - expected).abs() < 0.0006, "{network}, {bytes} bytes: {factor}");
            }
        }
    }
}

/// The reduction has the same messages, turned around.
#[test]
fn the_hypercube_reduction_is_congested_in_the_same_way() {
    let plan = plan(Algorithm::HYPERCUBE_REDUCTION, &hockney("ring:8"), 1000);
    assert_eq!(most(&plan), [4, 2, 1]);
    assert_eq!(in_step(&plan).0, "1.44 ms");
    the_report_agrees(&plan);
}

/// Links four times as fast as nodes carry four messages at full speed.
#[test]
fn wide_links_make_up_for_congestion() {
    let wide = Parameters::hockney().to_builder().link_excess(4.0).build().unwrap();
    for network in ["line:8", "ring:8"] {
        for algorithm in
            [Algorithm::NEAREST_FIRST, Algorithm::HYPERCUBE_ALL_TO_ALL, Algorithm::HYPERCUBE_REDUCTION]
        {
            let plan = plan(algorithm, &machine(network, &wide), 1000);
            assert_eq!(most(&plan).into_iter().max(), Some(4), "there are still four");
            let modeled = modeled(&plan).since_start();
            assert!(is_equal(plan.estimate(), modeled), "{algorithm} on {network}: {modeled}");
        }
    }
    // On 16 nodes there are eight in the last step.
    let plan = plan(Algorithm::HYPERCUBE_ALL_TO_ALL, &machine("line:16", &wide), 1000);
    assert_eq!((plan.estimate().to_string(), in_step(&plan).0), ("1.27 ms".into(), "1.67 ms".into()));
}

/// Equation 4.2 needs no more than a path through all nodes: a ring is nowhere congested, whatever the network, as long
/// as neighbours of the ring are neighbours of the network or the way back has links of its own.
#[test]
fn the_ring_is_not_congested_anywhere() {
    for network in ["ring:16", "line:16", "mesh:4x4", "torus:4x4", "hypercube:16", "tree:16", "complete:16"] {
        let plan = plan(Algorithm::RING_ALL_TO_ALL, &hockney(network), 1000);
        assert!(most(&plan).iter().all(|&messages| messages == 1), "{network}");
        assert!(is_equal(plan.estimate(), modeled(&plan).since_start()), "{network}");
    }
}
