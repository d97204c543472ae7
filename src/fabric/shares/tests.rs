//! Tests of the shares against the definition of max-min fairness and against a non-incremental solver.

use proptest::prelude::*;

use super::*;

/// Creates shares with resources of these capacities, numbered from 0.
fn shares(limit: f64, capacities: &[f64], flows: usize) -> Shares {
    let mut shares = Shares::new(limit, widest(capacities), flows);
    (0..).zip(capacities).for_each(|(number, &capacity)| shares.add(number, capacity));
    shares
}

fn widest(capacities: &[f64]) -> f64 {
    capacities.iter().copied().fold(0.0, f64::max)
}

/// Returns the exact rate and the bottleneck number of each flow.
fn found(shares: &Shares) -> Vec<Option<(u64, Option<u32>)>> {
    let flows = shares.flows.iter().zip(&shares.paths).zip(&shares.rates);
    let found = flows.map(|((flow, path), rate)| {
        let number = (flow.bottleneck != NONE).then_some(flow.number);
        (!path.is_empty()).then_some((rate.to_bits(), number))
    });
    found.collect()
}

/// The filling that defines the shares, step by step: among the resources with open flows, the resource with the lowest share, then the
/// lowest number, freezes its open flows. Rates are in units.
fn fill(
    limit: f64,
    widest: f64,
    capacities: &[f64],
    paths: &[Option<Vec<u32>>],
) -> Vec<Option<(u64, Option<u32>)>> {
    let units = Units::new(limit, widest, paths.len());
    let mut frozen: Vec<Option<(i64, Option<u32>)>> = vec![None; paths.len()];
    let users = |resource: u32| {
        let uses = move |path: &Option<Vec<u32>>| path.as_ref().is_some_and(|path| path.contains(&resource));
        (0..paths.len()).filter(move |&flow| uses(&paths[flow]))
    };
    loop {
        let share = |resource: u32| {
            let open = users(resource).filter(|&flow| frozen[flow].is_none()).count() as i64;
            let taken: i64 = users(resource).filter_map(|flow| frozen[flow]).map(|(rate, _)| rate).sum();
            let free = units.count(capacities[resource as usize]) - taken;
            (open > 0).then(|| (free / open, resource))
        };
        match (0..capacities.len() as u32).filter_map(share).min() {
            Some((share, number)) if share < units.limit() => {
                let open: Vec<usize> = users(number).filter(|&flow| frozen[flow].is_none()).collect();
                open.into_iter().for_each(|flow| frozen[flow] = Some((share, Some(number))));
            }
            _ => break,
        }
    }
    let rate = |flow: usize| match frozen[flow] {
        Some((_, Some(number))) if users(number).count() == 1 => {
            (capacities[number as usize].to_bits(), Some(number))
        }
        Some((share, number)) => (units.rate(share).to_bits(), number),
        None => (limit.to_bits(), None),
    };
    (0..paths.len()).map(|flow| paths[flow].as_ref().map(|_| rate(flow))).collect()
}

/// Progressive filling of all flows from the start, round by round, as in textbooks.
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

/// Checks that the rates are feasible and that every flow runs at the limit or has a full resource on which no flow is faster.
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
enum Change {
    /// The flow starts on this path, or ends if it is active.
    Flow(usize, Vec<u32>),
    Capacity(usize, f64),
}

/// A limit, capacities, and changes. The flag of a change is whether the shares are updated after it; otherwise further changes follow at
/// the same instant.
type System = (f64, Vec<f64>, Vec<(Change, bool)>);

/// Generates systems, many of them with simple capacities only, in which nearly all shares tie.
fn system() -> impl Strategy<Value = System> {
    let simple = prop_oneof![Just(1.0), Just(2.0), Just(0.5)];
    let any = prop_oneof![Just(1.0), Just(2.0), 0.1..10.0];
    let limit = prop_oneof![2 => Just(f64::INFINITY), 4 => Just(1.0), 2 => 0.1..3.0];
    let capacities = prop_oneof![prop::collection::vec(simple, 1..12), prop::collection::vec(any, 1..12)];
    (limit, capacities).prop_flat_map(|(limit, capacities)| {
        let resources: Vec<u32> = (0..capacities.len() as u32).collect();
        let most = resources.len().min(6);
        // No capacity exceeds the initial widest capacity.
        let widest = widest(&capacities);
        let capacity = prop_oneof![Just(widest), Just(widest / 2.0), 0.01 * widest..widest];
        let path = prop::sample::subsequence(resources, 1..=most);
        let change = prop_oneof![
            9 => (0..FLOWS, path).prop_map(|(flow, path)| Change::Flow(flow, path)),
            1 => (0..capacities.len(), capacity).prop_map(|(resource, to)| Change::Capacity(resource, to)),
        ];
        let changes = prop::collection::vec((change, prop::bool::weighted(0.7)), 1..80);
        (Just(limit), Just(capacities), changes)
    })
}

/// The shares after some changes, and all data that determines them.
struct State {
    shares: Shares,
    limit: f64,
    widest: f64,
    capacities: Vec<f64>,
    paths: Vec<Option<Vec<u32>>>,
}

impl State {
    fn new(limit: f64, capacities: Vec<f64>) -> State {
        let (shares, widest) = (shares(limit, &capacities, FLOWS), widest(&capacities));
        State { shares, limit, widest, capacities, paths: vec![None; FLOWS] }
    }

    fn change(&mut self, change: Change) {
        match change {
            Change::Flow(flow, path) => match self.paths[flow].take() {
                Some(_) => self.shares.end(flow as u32),
                None => {
                    self.shares.start(flow as u32, |to| to.extend_from_slice(&path));
                    self.paths[flow] = Some(path);
                }
            },
            Change::Capacity(resource, to) => {
                self.shares.set_capacity(resource as u32, to);
                self.capacities[resource] = to;
            }
        }
    }

    /// Creates shares without a history, with the current resources and flows in reverse order and reversed paths.
    fn anew(&self) -> Shares {
        let last = self.capacities.len() as u32 - 1;
        let mut anew = Shares::new(self.limit, self.widest, FLOWS);
        (0..=last).rev().for_each(|number| anew.add(number, self.capacities[number as usize]));
        for flow in (0..FLOWS).rev() {
            if let Some(path) = &self.paths[flow] {
                anew.start(flow as u32, |to| to.extend(path.iter().rev().map(|number| last - number)));
            }
        }
        anew.update(|_, _, _| ());
        anew
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn shares_are_max_min_fair((limit, capacities, changes) in system()) {
        let mut state = State::new(limit, capacities);
        for (change, is_settled) in changes {
            state.change(change);
            if !is_settled {
                continue;
            }
            state.shares.update(|_, _, _| ());
            let State { capacities, paths, .. } = &state;
            let rates: Vec<f64> =
                (0..FLOWS).map(|flow| if paths[flow].is_some() { state.shares.rates[flow] } else { 0.0 }).collect();
            assert_max_min_fair(limit, capacities, paths, &rates);
            for (flow, expected) in solve(limit, capacities, paths).into_iter().enumerate() {
                prop_assert!(near(rates[flow], expected), "flow {}: {} instead of {}", flow, rates[flow], expected);
            }
        }
    }

    /// Checks that rates and bottlenecks equal those of the filling to the last bit and depend neither on the history nor on any order, and
    /// that each change of a rate is reported.
    #[test]
    fn shares_depend_on_the_flows_under_way_alone((limit, capacities, changes) in system()) {
        let mut state = State::new(limit, capacities);
        let mut reported = [0.0; FLOWS];
        for (change, is_settled) in changes {
            if let Change::Flow(flow, _) = change {
                reported[flow] = 0.0;
            }
            state.change(change);
            if !is_settled {
                continue;
            }
            state.shares.update(|flow, old, new| {
                assert_eq!(std::mem::replace(&mut reported[flow as usize], new), old, "flow {flow}");
                assert_ne!(old, new, "flow {flow}");
            });
            let found = found(&state.shares);
            for (flow, share) in found.iter().enumerate() {
                if let Some((rate, _)) = share {
                    prop_assert_eq!(reported[flow].to_bits(), *rate, "flow {}", flow);
                }
            }
            prop_assert_eq!(&found, &self::found(&state.anew()), "anew");
            prop_assert_eq!(&found, &fill(limit, state.widest, &state.capacities, &state.paths), "filled");
            state.shares.assert_consistent(&state.capacities);
        }
    }
}

impl Shares {
    /// Checks after an update that the stored state of each resource agrees with its flows.
    fn assert_consistent(&self, capacities: &[f64]) {
        for (r, room) in (0..).zip(&self.rooms) {
            let flows = self.members[r as usize].iter().map(|&member| &self.flows[member as usize]);
            let taken: i64 = flows.clone().map(|flow| flow.rate).sum();
            let bound: Vec<i64> = flows.filter(|flow| flow.bottleneck == r).map(|flow| flow.rate).collect();
            assert_eq!(
                room.free,
                self.units.count(capacities[self.numbers[r as usize] as usize]) - taken,
                "resource {r}"
            );
            assert!(room.free >= 0, "resource {r} is overloaded");
            assert_eq!((room.open, self.queued[r as usize]), (0, NEVER), "resource {r}");
            assert_eq!(bound.len() as u32, room.bound, "resource {r}");
            assert!(bound.iter().all(|&rate| rate == bound[0]), "resource {r}");
        }
    }
}

/// Tests a small system: A crosses both links, B only the first, C only the second, which is twice as wide. A and B each get half of the
/// first link; C gets the capacity of the second link that A does not use.
#[test]
fn what_a_frozen_flow_leaves_goes_to_the_others() {
    let mut shares = shares(f64::INFINITY, &[1.0, 2.0], 3);
    shares.start(0, |path| path.extend([0, 1]));
    shares.start(1, |path| path.push(0));
    shares.start(2, |path| path.push(1));
    shares.update(|_, _, _| ());
    assert_eq!([shares.rates[0], shares.rates[1], shares.rates[2]], [0.5, 0.5, 1.5]);
    // B ends: A gets the whole first link, and C slows down although no flow on its link started or ended.
    shares.end(1);
    shares.update(|_, _, _| ());
    assert_eq!([shares.rates[0], shares.rates[2]], [1.0, 1.0]);
}

/// Tests that a flow alone on a resource has exactly its capacity, and an unrestricted flow exactly the limit. A resource with infinite
/// capacity limits nothing.
#[test]
fn rates_without_sharing_are_exact() {
    let capacities = [0.1, 1.0 / 3.0, 5e-7, 7.3, f64::INFINITY];
    let mut shares = shares(0.7, &capacities, 1000);
    for (flow, rate) in (0..).zip([0.1, 1.0 / 3.0, 5e-7, 0.7]) {
        assert!(shares.start(flow, |path| path.extend([flow, 4])));
        shares.update(|_, _, _| ());
        assert_eq!(shares.rates[flow as usize], rate);
    }
    assert!(!shares.start(4, |path| path.push(4)));
    shares.set_capacity(0, 0.09);
    shares.update(|flow, old, new| assert_eq!((flow, old, new), (0, 0.1, 0.09)));
    assert_eq!(shares.rates[0], 0.09);
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

/// Tests many flows on the routes of a mesh, one after another: the shares always equal a non-incremental solution.
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
        assert_eq!(found(&shares), fill(1.0, 1.0, &capacities, &paths));
        for (flow, expected) in solve(1.0, &capacities, &paths).into_iter().enumerate() {
            let rate = if paths[flow].is_some() { shares.rates[flow] } else { 0.0 };
            assert!((rate - expected).abs() <= 1e-10, "flow {flow}: {rate} instead of {expected}");
        }
    }
}
