//! Tests of the shares against the definition of max-min fairness and against a solver that starts from nothing.

use proptest::prelude::*;

use super::*;

/// Creates shares with resources of these capacities, numbered from 0.
fn shares(limit: f64, capacities: &[f64], flows: usize) -> Shares {
    let mut shares = Shares::new(limit, flows);
    (0..).zip(capacities).for_each(|(number, &capacity)| shares.add(number, capacity));
    shares
}

/// Progressive filling of all flows from nothing, round by round, as in the textbooks.
fn solve(limit: f64, capacities: &[f64], paths: &[Option<Vec<u32>>]) -> Vec<f64> {
    let mut rates = vec![0.0; paths.len()];
    let mut open: Vec<usize> = (0..paths.len()).filter(|&flow| paths[flow].is_some()).collect();
    let uses = |flow: usize, resource: usize| {
        paths[flow].as_ref().is_some_and(|path| path.contains(&(resource as u32)))
    };
    while !open.is_empty() {
        let (bottleneck, level) = (0..capacities.len())
            .filter_map(|resource| {
                let users = open.iter().filter(|&&flow| uses(flow, resource)).count();
                let frozen: f64 = (0..paths.len())
                    .filter(|&flow| !open.contains(&flow) && uses(flow, resource))
                    .map(|flow| rates[flow])
                    .sum();
                (users > 0).then(|| (resource, (capacities[resource] - frozen) / users as f64))
            })
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .expect("every open flow uses a resource");
        if level >= limit {
            open.drain(..).for_each(|flow| rates[flow] = limit);
            break;
        }
        for &flow in &open {
            if uses(flow, bottleneck) {
                rates[flow] = level;
            }
        }
        open.retain(|&flow| !uses(flow, bottleneck));
    }
    rates
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-8 * a.abs().max(b.abs())
}

/// Checks that the rates are feasible and that every flow runs at the limit or has a resource that is full and on
/// which no flow is faster.
fn assert_max_min_fair(limit: f64, capacities: &[f64], paths: &[Option<Vec<u32>>], rates: &[f64]) {
    let users = |resource: u32| {
        (0..paths.len())
            .filter(move |&flow| paths[flow].as_ref().is_some_and(|path| path.contains(&resource)))
    };
    let load = |resource: u32| users(resource).map(|flow| rates[flow]).sum::<f64>();
    for (resource, &capacity) in capacities.iter().enumerate() {
        assert!(load(resource as u32) <= capacity * (1.0 + 1e-8), "resource {resource} is overloaded");
    }
    for (flow, path) in paths.iter().enumerate() {
        let Some(path) = path else { continue };
        assert!(rates[flow] <= limit * (1.0 + 1e-8), "flow {flow} is too fast");
        assert!(
            rates[flow] >= limit * (1.0 - 1e-8)
                || path.iter().any(|&resource| {
                    let fastest = users(resource).map(|other| rates[other]).fold(0.0, f64::max);
                    load(resource) >= capacities[resource as usize] * (1.0 - 1e-8)
                        && rates[flow] >= fastest * (1.0 - 1e-8)
                }),
            "flow {flow} has no bottleneck"
        );
    }
}

const FLOWS: usize = 24;

#[derive(Clone, Debug)]
struct Change {
    flow: usize,
    path: Vec<u32>,
    /// Whether the shares are updated after this change; if not, it is one of several changes at an instant.
    settle: bool,
}

fn system() -> impl Strategy<Value = (f64, Vec<f64>, Vec<Change>)> {
    let limit = prop_oneof![Just(f64::INFINITY), Just(1.0), 0.1..3.0];
    let capacities = prop::collection::vec(prop_oneof![Just(1.0), Just(2.0), 0.1..10.0], 1..12);
    (limit, capacities).prop_flat_map(|(limit, capacities)| {
        let resources: Vec<u32> = (0..capacities.len() as u32).collect();
        let most = resources.len().min(6);
        let path = prop::sample::subsequence(resources, 1..=most);
        let change = (0..FLOWS, path, prop::bool::weighted(0.7)).prop_map(|(flow, path, settle)| Change {
            flow,
            path,
            settle,
        });
        (Just(limit), Just(capacities), prop::collection::vec(change, 1..80))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn updates_agree_with_a_solution_from_nothing((limit, capacities, changes) in system()) {
        let mut shares = shares(limit, &capacities, FLOWS);
        let mut paths: Vec<Option<Vec<u32>>> = vec![None; FLOWS];
        for Change { flow, path, settle } in changes {
            match paths[flow].take() {
                Some(_) => shares.end(flow as u32),
                None => {
                    shares.start(flow as u32, |to| to.extend_from_slice(&path));
                    paths[flow] = Some(path);
                }
            }
            if !settle {
                continue;
            }
            shares.update(|_, _, _| ());
            let rates: Vec<f64> =
                (0..FLOWS).map(|flow| if paths[flow].is_some() { shares.rate(flow as u32) } else { 0.0 }).collect();
            assert_max_min_fair(limit, &capacities, &paths, &rates);
            for (flow, expected) in solve(limit, &capacities, &paths).into_iter().enumerate() {
                prop_assert!(near(rates[flow], expected), "flow {}: {} instead of {}", flow, rates[flow], expected);
            }
        }
    }
}

proptest! {
    /// Checks to the last bit that a run does not depend on the order in which links are first used.
    #[test]
    fn the_order_in_which_resources_were_added_changes_nothing((limit, capacities, changes) in system()) {
        let last = capacities.len() as u32 - 1;
        let mut one = shares(limit, &capacities, FLOWS);
        let mut other = Shares::new(limit, FLOWS);
        (0..=last).rev().for_each(|number| other.add(number, capacities[number as usize]));
        let mut under_way = [false; FLOWS];
        for Change { flow, path, settle } in changes {
            under_way[flow] = !under_way[flow];
            if !under_way[flow] {
                one.end(flow as u32);
                other.end(flow as u32);
            } else {
                one.start(flow as u32, |to| to.extend_from_slice(&path));
                other.start(flow as u32, |to| to.extend(path.iter().map(|number| last - number)));
            }
            if settle {
                one.update(|_, _, _| ());
                other.update(|_, _, _| ());
                for flow in 0..FLOWS as u32 {
                    prop_assert_eq!(one.rate(flow).to_bits(), other.rate(flow).to_bits(), "flow {}", flow);
                }
            }
        }
    }
}

/// Tests a small system: A crosses both links, B only the first, C only the second, which is twice as wide. A and B
/// halve the first link; C gets the rest that A leaves of the second.
#[test]
fn what_a_frozen_flow_leaves_goes_to_the_others() {
    let mut shares = shares(f64::INFINITY, &[1.0, 2.0], 3);
    shares.start(0, |path| path.extend([0, 1]));
    shares.start(1, |path| path.push(0));
    shares.start(2, |path| path.push(1));
    shares.update(|_, _, _| ());
    assert_eq!([shares.rate(0), shares.rate(1), shares.rate(2)], [0.5, 0.5, 1.5]);
    // B ends: A takes the whole first link, and C shrinks although nothing on its own link started or ended.
    shares.end(1);
    shares.update(|_, _, _| ());
    assert_eq!([shares.rate(0), shares.rate(2)], [1.0, 1.0]);
}

/// Tests two pairs of flows on disjoint links: a change at one pair does not affect the other.
#[test]
fn only_what_an_event_touches_is_worked_out_again() {
    let mut shares = shares(1.0, &[1.0, 1.0], 4);
    for flow in 0..4 {
        shares.start(flow, |path| path.push(flow / 2));
    }
    shares.update(|_, _, _| ());
    let before = shares.work();
    shares.end(0);
    let mut heard = Vec::new();
    shares.update(|flow, old, new| heard.push((flow, old, new)));
    assert_eq!(heard, [(1, 0.5, 1.0)]);
    assert_eq!(shares.work(), Work { events: before.events + 1, touched: before.touched + 1 });
}

/// Tests many flows on the routes of a mesh, one after another: the shares always equal a solution from nothing.
#[test]
fn a_long_history_on_a_mesh_leaves_no_error_behind() {
    use crate::topology::{Mesh, Topology};

    const SIDE: usize = 6;
    let mesh = Mesh::new(SIDE, SIDE).unwrap();
    let nodes = mesh.nodes();
    let capacities = vec![1.0; mesh.links() + nodes];
    let mut shares = shares(1.0, &capacities, nodes);
    let mut paths: Vec<Option<Vec<u32>>> = vec![None; nodes];
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut fingerprint = 0xcbf2_9ce4_8422_2325_u64;
    for _ in 0..4_000 {
        let (source, target) = (random(nodes), random(nodes));
        if paths[source].take().is_some() {
            shares.end(source as u32);
        } else if source != target {
            let mut route = Vec::new();
            mesh.route(source, target, &mut route);
            let mut path: Vec<u32> = route.into_iter().map(|link| link as u32).collect();
            path.push((mesh.links() + target) as u32);
            shares.start(source as u32, |to| to.extend_from_slice(&path));
            paths[source] = Some(path);
        }
        if random(4) == 0 {
            continue;
        }
        shares.update(|_, _, _| ());
        for (flow, expected) in solve(1.0, &capacities, &paths).into_iter().enumerate() {
            let rate = if paths[flow].is_some() { shares.rate(flow as u32) } else { 0.0 };
            assert!((rate - expected).abs() <= 1e-10, "flow {flow}: {rate} instead of {expected}");
            fingerprint = (fingerprint ^ rate.to_bits()).wrapping_mul(0x0100_0000_01b3);
        }
    }
    // This is what the solver found before it was made faster: in a crowded network every bit matters in the end.
    assert_eq!(fingerprint, 0x3a7f_3345_eb04_4362, "{fingerprint:#x}");
}
