//! Tests of lower bounds against many schedules, and against random behaviour.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{
    tests::{bound, with},
    *,
};
use crate::{
    model::{
        MachineSpec, Parameters,
        arbitrary::{parameters, topologies},
    },
    pattern::{Blocks, Builder, Exchange, Schedule, Transfer},
    plan::predict,
    time::Time,
};

use Operation::{AllGather, AllReduce, Broadcast, Gather, Reduce, ReduceScatter, Scan, Scatter};

/// Tests that recursive doubling meets the bound where only start-ups cost.
#[test]
fn doubling_meets_the_bound() {
    let no_bytes = Parameters::hockney().to_builder().beta(0.0).build().unwrap();
    for nodes in [2, 4, 8, 16, 128, 512] {
        let on = with(&format!("line:{nodes}"), no_bytes.clone());
        let all: Vec<Rank> = (0..nodes).collect();
        let mut builder = Builder::new(nodes, &all, &vec![1; nodes], Exchange::Overlapped);
        builder.halve(&[all]);
        let bound = Task::builder(&on, AllGather).elements(nodes as u64).build().unwrap().lower_bound();
        assert_eq!(predict(&on, &builder.finish()).unwrap().modeled.since_start(), bound.time(), "{nodes}");
        assert_eq!(bound.time(), no_bytes.alpha().times(nodes.ilog2().into()));
    }
}

/// Searches all executions in which three nodes send and receive all data that they have, with o_s = o_r = 1 and no
/// latency.
#[test]
fn no_schedule_of_three_ranks_beats_the_bound() {
    type State = (Vec<u8>, BTreeSet<(usize, u8)>);
    for (nodes, expected) in [(2, 2), (3, 4)] {
        let all = (1_u8 << nodes) - 1;
        let mut states: BTreeSet<State> =
            BTreeSet::from([((0..nodes).map(|node| 1 << node).collect(), BTreeSet::new())]);
        let mut steps = 0;
        while !states.iter().any(|(known, _)| known.iter().all(|&known| known == all)) {
            steps += 1;
            for node in 0..nodes {
                // Messages that others send in this step arrive in the next step: `to + nodes` marks them until then.
                let mut next = BTreeSet::new();
                for (known, under_way) in &states {
                    next.insert((known.clone(), under_way.clone()));
                    for to in (0..nodes).filter(|&to| to != node) {
                        let mut under_way = under_way.clone();
                        under_way.insert((to + nodes, known[node]));
                        next.insert((known.clone(), under_way));
                    }
                    for message in under_way.iter().filter(|&&(to, _)| to == node) {
                        let (mut known, mut under_way) = (known.clone(), under_way.clone());
                        known[node] |= message.1;
                        under_way.remove(message);
                        next.insert((known, under_way));
                    }
                }
                states = next;
            }
            states = states
                .into_iter()
                .map(|(known, under_way)| {
                    (known, under_way.into_iter().map(|(to, data)| (to % nodes, data)).collect())
                })
                .collect();
        }
        assert_eq!(steps, expected);
        let half = Parameters::hockney().send_overhead();
        let bound = bound(&format!("hockney:1x{nodes}"), AllGather, nodes as u64);
        assert_eq!(bound.of(Reason::Gossip), half.times(expected));
    }
}

/// Simulates a random execution, biased towards fast ones: the node with the earliest clock sends and receives
/// alternately, to a distance that depends on the number of its sends, and combines whatever it can. Returns the time
/// at which all ranks have their results; `None` if the choices end before.
fn anything(
    operation: Operation,
    ranks: usize,
    [send, flight, receive, combine]: [u64; 4],
    distances: &[u16],
    choices: &[u16],
) -> Option<u64> {
    let wanted = |rank: usize| (1_u32 << if operation == Scan { rank + 1 } else { ranks }) - 1;
    let mut clocks = vec![0; ranks];
    let mut counts = vec![[0_usize; 2]; ranks];
    let mut held: Vec<BTreeSet<u32>> = (0..ranks).map(|rank| BTreeSet::from([1 << rank])).collect();
    let mut inboxes: Vec<Vec<(u64, BTreeSet<u32>)>> = vec![Vec::new(); ranks];
    // The first rank of a scan has its result from the start.
    let mut done: Vec<Option<u64>> =
        (0..ranks).map(|rank| (operation == Scan && rank == 0).then_some(0)).collect();
    for &choice in choices {
        let is_odd = |one_in: u16| choice.is_multiple_of(one_in);
        let choice = usize::from(choice);
        let pairs = |node: usize| -> Vec<(u32, u32)> {
            let pair = held[node].iter().flat_map(|a| held[node].iter().map(move |b| (*a, *b)));
            pair.filter(|(a, b)| operation.combines() && a < b && a & b == 0).collect()
        };
        let is_waiting = |&node: &usize| {
            let [sent, received] = counts[node];
            sent > received && inboxes[node].is_empty() && pairs(node).is_empty() && !is_odd(16)
        };
        let first = |skip: &dyn Fn(&usize) -> bool| {
            (0..ranks).filter(|node| !skip(node)).min_by_key(|&node| (clocks[node], counts[node]))
        };
        let node = first(&is_waiting).or_else(|| first(&|_| false))?;
        let pairs = pairs(node);
        if !pairs.is_empty() && !is_odd(11) {
            let (a, b) = pairs[choice / 8 % pairs.len()];
            if !is_odd(7) {
                held[node].remove(&a);
                held[node].remove(&b);
            }
            held[node].insert(a | b);
            clocks[node] += combine;
        } else if !inboxes[node].is_empty() && (counts[node][0] > counts[node][1]) != is_odd(13) {
            let at = if is_odd(5) { choice / 8 % inboxes[node].len() } else { 0 };
            let (at, data) = inboxes[node].remove(at);
            clocks[node] = clocks[node].max(at) + receive;
            counts[node][1] += 1;
            held[node].extend(data);
        } else {
            let distance =
                if is_odd(17) { choice / 8 } else { distances[counts[node][0] % distances.len()].into() };
            let to = (node + 1 + distance % (ranks - 1)) % ranks;
            clocks[node] += send;
            counts[node][0] += 1;
            inboxes[to].push((clocks[node] + flight, held[node].clone()));
        }
        let known = held[node].iter().fold(0, |all, data| all | data);
        let has = held[node].contains(&wanted(node)) || !operation.combines() && known == wanted(node);
        if has {
            done[node].get_or_insert(clocks[node]);
        }
        if done.iter().all(Option::is_some) {
            return done.iter().flatten().max().copied();
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_random_schedule_beats_the_start_up_bound(
        operation in prop_oneof![Just(AllGather), Just(AllReduce), Just(Scan)],
        ranks in 2..9_usize,
        costs in [1..9_u64, 0..9_u64, 1..9_u64, 0..30_u64],
        distances in prop::collection::vec(any::<u16>(), 1..5),
        choices in prop::collection::vec(any::<u16>(), 120),
    ) {
        let [send, flight, receive, combine] = costs.map(|cost| cost as f64 * 1e-6);
        let parameters = Parameters::builder()
            .send_overhead(send)
            .latency(flight)
            .receive_overhead(receive)
            .gamma(combine)
            .build()
            .unwrap();
        let task = Task::builder(&with(&format!("line:{ranks}"), parameters), operation)
            .elements(if operation == AllGather { ranks as u64 } else { 1 })
            .build()
            .unwrap();
        let bound = task.lower_bound();
        if let Some(end) = anything(operation, ranks, costs, &distances, &choices) {
            prop_assert!(Span::from_micros(end) >= bound.time(), "{end} us, {bound:?}");
        }
    }
}

/// Returns various schedules for a task.
fn schedules(task: &Task, exchange: Exchange) -> Vec<Schedule> {
    let (ranks, nodes, members) = (task.size(), task.machine().nodes(), task.members().to_vec());
    let sizes: Vec<u64> = (0..ranks).map(|rank| task.block(rank).end - task.block(rank).start).collect();
    let root = members[task.root()];
    let start = |origins: &[Rank]| Builder::new(nodes, origins, &sizes, exchange);
    let transfer = |from, to, blocks: &[u32]| Transfer { from, to, blocks: Blocks::from(blocks) };
    let all: Vec<u32> = (0..ranks as u32).collect();
    let halved = |origins: &[Rank]| {
        let mut builder = start(origins);
        builder.halve(std::slice::from_ref(&members));
        builder.finish()
    };
    let ring = || {
        let mut builder = start(&members);
        for step in 0..ranks - 1 {
            builder.iteration((0..ranks).map(|rank| {
                let block = ((rank + ranks - step) % ranks) as u32;
                transfer(members[rank], members[(rank + 1) % ranks], &[block])
            }));
        }
        builder.finish()
    };
    let from_root = vec![root; ranks];
    let scattered = || {
        let mut builder = start(&from_root);
        for rank in (0..ranks).filter(|&rank| rank != task.root()) {
            builder.move_blocks([transfer(root, members[rank], &[rank as u32])]);
        }
        builder.finish()
    };
    let tree = || {
        // Recursive halving around a ring that starts at the root.
        let node = |at: usize| members[(at + task.root()) % ranks];
        let mut builder = start(&from_root);
        let mut parts: Vec<_> = std::iter::once(0..ranks).collect();
        while parts.iter().any(|part| part.len() > 1) {
            let mut transfers = Vec::new();
            parts = parts
                .into_iter()
                .flat_map(|part| {
                    let middle = part.start + part.len().div_ceil(2);
                    if middle < part.end {
                        let blocks: Vec<u32> =
                            (middle..part.end).map(|at| all[(at + task.root()) % ranks]).collect();
                        transfers.push(transfer(node(part.start), node(middle), &blocks));
                    }
                    [part.start..middle, middle..part.end]
                })
                .filter(|part| !part.is_empty())
                .collect();
            builder.move_blocks(transfers);
        }
        builder.finish()
    };
    let chain = || {
        // The blocks go one after the other from the last rank to the first; in the dual each rank adds its own vector.
        let mut builder = start(&vec![members[ranks - 1]; ranks]);
        for step in 0..2 * ranks - 2 {
            let hops = (0..ranks - 1).filter(|hop| (*hop..hop + ranks).contains(&step));
            builder.iteration(hops.map(|hop| {
                let from = ranks - 1 - hop;
                transfer(members[from], members[from - 1], &[(step - hop) as u32])
            }));
        }
        builder.finish()
    };
    let all_gathers = || [halved(&members), ring()];
    let made = match task.operation() {
        Broadcast => vec![halved(&from_root), tree().then(ring()), tree().then(halved(&members))],
        Scatter => vec![scattered(), tree()],
        Gather => vec![scattered().gathering(), tree().gathering()],
        AllGather => all_gathers().into(),
        Reduce => {
            vec![halved(&from_root).combining(), ring().combining().then(tree().gathering())]
        }
        AllReduce => vec![
            halved(&from_root).combining().then(halved(&from_root)),
            ring().combining().then(ring()),
            halved(&members).combining().then(halved(&members)),
        ],
        ReduceScatter => all_gathers().map(|schedule| schedule.combining()).into(),
        Scan => vec![chain().combining()],
    };
    made.into_iter().map(|schedule| schedule.with_elements_of(task.element_bytes())).collect()
}

fn tasks() -> impl Strategy<Value = Task> {
    (topologies(5), parameters(0.05), 0..Operation::ALL.len()).prop_flat_map(
        |(topology, parameters, operation)| {
            let nodes = topology.nodes();
            let shuffled = Just((0..nodes).collect::<Vec<Rank>>()).prop_shuffle();
            let length = prop_oneof![Just(0_u64), 1..20_u64, Just(1000), 1000..5000_u64];
            let blocks = prop::collection::vec(length, nodes);
            (shuffled, 1..=nodes, 0..nodes, blocks, prop_oneof![Just(1_u64), Just(8)]).prop_map(
                move |(members, size, root, blocks, element)| {
                    let on = MachineSpec::new("random", topology.clone(), parameters.clone());
                    Task::builder(&on, Operation::ALL[operation])
                        .members(&members[..size])
                        .root(root % size)
                        .blocks(&blocks[..size])
                        .element_bytes(element)
                        .build()
                        .expect("a task")
                },
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_schedule_beats_the_bound(task in tasks()) {
        let bound = task.lower_bound();
        for exchange in [Exchange::Together, Exchange::InTurn, Exchange::Overlapped] {
            for schedule in schedules(&task, exchange) {
                let prediction = predict(task.machine(), &schedule).expect("a time");
                // Each message, and each combination after it, is rounded by at most half a picosecond.
                let rounded = Span::from_picos(schedule.messages().count() as u64 + 1);
                let modeled = prediction.modeled.max(Time::ZERO).since_start();
                prop_assert!(modeled + rounded >= bound.time(), "{modeled} {bound:?} {task:?}");
            }
        }
    }
}
