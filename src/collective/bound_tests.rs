use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::{
    model::{
        Description, Parameters,
        arbitrary::{parameters, topologies},
    },
    pattern::{Blocks, Builder, Exchange, Schedule, Transfer},
    plan::predict,
    time::Time,
};

use Operation::{Broadcast, Collect, CombineToAll, CombineToOne, DistributedCombine, Gather, Scan, Scatter};

fn machine(text: &str) -> Description {
    text.parse().unwrap()
}

fn with(topology: &str, parameters: Parameters) -> Description {
    Description::new("altered", machine(topology).topology().clone(), parameters)
}

fn bound(on: &str, operation: Operation, elements: u64) -> LowerBound {
    Task::builder(&machine(on), operation).elements(elements).element_bytes(8).build().unwrap().lower_bound()
}

fn bound_of(on: &str, operation: Operation, root: Rank, blocks: &[u64]) -> LowerBound {
    Task::builder(&machine(on), operation).root(root).blocks(blocks).build().unwrap().lower_bound()
}

fn is_close(span: Span, seconds: f64) -> bool {
    (span.as_secs_f64() - seconds).abs() < 1e-9
}

// By hand.

#[test]
fn start_ups_decide_for_short_vectors() {
    let half = Parameters::hockney().send_overhead();
    for operation in [Broadcast, CombineToOne] {
        let bound = bound("hockney:16x32", operation, 1);
        assert_eq!(
            (bound.of(Reason::StartUp), bound.of(Reason::Gossip)),
            (half.times(14), Span::ZERO),
            "{operation}"
        );
        assert_eq!(bound.time(), bound.of(Reason::StartUp));
    }
    for operation in [Collect, CombineToAll, DistributedCombine] {
        let bound = bound("hockney:16x32", operation, 512);
        assert_eq!(
            (bound.of(Reason::StartUp), bound.of(Reason::Gossip)),
            (half.times(14), half.times(18)),
            "{operation}"
        );
    }
    // A combination of one element comes with every receive; Fibonacci's numbers with a third of a half more.
    let bound = bound("paragon:1x2", CombineToOne, 1);
    assert_eq!(bound.of(Reason::StartUp).to_string(), "184.38 us");
    assert_eq!(bound.of(Reason::Combining), bound.of(Reason::StartUp));
}

#[test]
fn gossip_takes_whole_halves_of_a_start_up() {
    let half = Parameters::hockney().send_overhead();
    // 2 log2(p), rounded up.
    for (nodes, halves) in
        [(2, 2), (3, 4), (4, 4), (5, 5), (6, 6), (7, 6), (8, 6), (9, 7), (100, 14), (512, 18)]
    {
        let gossip = bound(&format!("hockney:1x{nodes}"), CombineToAll, 1).of(Reason::Gossip);
        assert_eq!(gossip, half.times(halves), "{nodes}");
    }
    // On a Paragon a link takes 40 ns more; 100 ranks need 14 halves all the same.
    let paragon = Parameters::paragon();
    let gossip = bound("paragon:10x10", Collect, 100).of(Reason::Gossip);
    assert_eq!(gossip, paragon.send_overhead().times(14));
    // To combine an element at each receive costs a little less than log2(p) gamma, as some overlaps.
    let combined = bound("paragon:16x32", CombineToAll, 1).of(Reason::Gossip);
    let added =
        (combined - bound("paragon:16x32", Collect, 512).of(Reason::Gossip)).as_secs_f64() / paragon.gamma();
    assert!((8.0..9.0).contains(&added), "{added}");
}

/// The closed form for a triangle of ones, against the power method.
#[test]
fn a_scan_has_the_singular_value_of_a_triangle() {
    for ranks in 2..20_usize {
        let mut x = vec![1.0_f64; ranks];
        let mut value = 0.0;
        for _ in 0..200 {
            let sums = |x: &[f64]| -> Vec<f64> {
                x.iter()
                    .scan(0.0, |sum, x| {
                        *sum += x;
                        Some(*sum)
                    })
                    .collect()
            };
            let mut y = sums(&x);
            y.reverse();
            let mut z = sums(&y);
            z.reverse();
            value = z.iter().map(|z| z * z).sum::<f64>().sqrt();
            x = z.iter().map(|z| z / value).collect();
        }
        let task = Task::builder(&machine(&format!("hockney:1x{ranks}")), Scan).elements(1).build().unwrap();
        let pairs = Demand::of(&task).pairs;
        assert!((pairs / value - 1.0).abs() < 1e-9, "{ranks}: {pairs} and {value}");
    }
}

#[test]
fn ports_decide_on_a_paragon() {
    let (around, beta) = (184.04e-6, 30.6e-9);
    let (n, p) = (8e5, 100.0);
    let duplex = |traffic: f64| around + 2.0 * traffic / p * beta / 1.35;
    for (operation, traffic) in [
        (Broadcast, 99.0 * n),
        (Collect, 99.0 * n),
        (CombineToOne, 99.0 * n),
        (CombineToAll, 198.0 * n),
        (Scan, 99.0 * n),
    ] {
        let bound = bound("paragon:10x10", operation, 100_000);
        assert!(is_close(bound.of(Reason::BothWays), duplex(traffic)), "{operation}: {bound:?}");
        if operation != Scan {
            assert_eq!(bound.time(), bound.of(Reason::BothWays), "{operation}: {bound:?}");
        }
    }
    for operation in [Scatter, Gather] {
        let bound = bound("paragon:10x10", operation, 100_000);
        assert!(is_close(bound.of(Reason::Intake).max(bound.of(Reason::Output)), around + 0.99 * n * beta));
        assert_eq!(bound.time(), bound.of(Reason::Intake).max(bound.of(Reason::Output)), "{operation}");
    }
    // 99 000 combinations on some node.
    let combine = bound("paragon:10x10", DistributedCombine, 100_000);
    assert!(is_close(combine.of(Reason::Combining), around + 99_000.0 * 0.34e-6));
    assert!(is_close(combine.of(Reason::Output), around + 0.99 * n * beta));
}

#[test]
fn blocks_of_any_length() {
    // alpha = 130 us, 50 us for 1000 bytes.
    let micros = Span::from_micros;
    let blocks = [3000, 0, 1000, 0];
    let collect = bound_of("hockney:1x4", Collect, 0, &blocks);
    assert_eq!(
        (collect.of(Reason::Intake), collect.of(Reason::Output)),
        (micros(130 + 200), micros(130 + 150))
    );
    // Two known to four; each of those without hears from two.
    assert_eq!(collect.of(Reason::Gossip), micros(3 * 65));
    assert_eq!(collect.of(Reason::StartUp), micros(4 * 65));
    let combine = bound_of("hockney:1x4", DistributedCombine, 0, &blocks);
    assert_eq!(
        (combine.of(Reason::Intake), combine.of(Reason::Output)),
        (micros(130 + 150), micros(130 + 200))
    );
    assert_eq!((combine.of(Reason::Gossip), combine.of(Reason::StartUp)), (micros(3 * 65), micros(4 * 65)));
    for (operation, root, out, into) in [(Scatter, 0, 50, 50), (Scatter, 1, 200, 150), (Gather, 0, 50, 50)] {
        let bound = bound_of("hockney:1x4", operation, root, &blocks);
        assert_eq!(
            (bound.of(Reason::Output), bound.of(Reason::Intake)),
            (micros(130 + out), micros(130 + into)),
            "{operation}"
        );
        assert_eq!(bound.of(Reason::Gossip), Span::ZERO);
        assert_eq!(bound.of(Reason::StartUp), micros(if root == 0 { 130 } else { 3 * 65 }));
    }
}

#[test]
fn nothing_is_needed_for_nothing_or_alone() {
    for operation in Operation::ALL {
        assert_eq!(bound("paragon:4x4", operation, 0), LowerBound::default(), "{operation}");
        assert_eq!(bound("paragon:1x1", operation, 100), LowerBound::default(), "{operation}");
        assert_eq!(bound("paragon:1x1", operation, 100).ratio(Span::from_micros(1)), None);
    }
    for operation in [Scatter, Gather] {
        assert_eq!(bound_of("paragon:2x2", operation, 3, &[0, 0, 0, 9]), LowerBound::default());
    }
    let free = Parameters::builder().build().unwrap();
    let task = Task::builder(&with("mesh:2x2", free), CombineToAll).elements(9).build().unwrap();
    assert_eq!(task.lower_bound().time(), Span::ZERO);
}

/// Links of a tenth of a port: 0.5 us a byte.
#[test]
fn slow_links_decide_where_there_are_any() {
    let slow = with("mesh:4x4", Parameters::hockney().to_builder().link_excess(0.1).build().unwrap());
    let task = |operation| Task::builder(&slow, operation).elements(1000).element_bytes(8);
    let bound = |operation| task(operation).build().unwrap().lower_bound();
    // The corner has two links of 2 MB/s each way, a cut has four.
    assert_eq!(bound(Broadcast).of(Reason::Submesh).to_string(), "2.13 ms");
    assert_eq!(bound(Broadcast).of(Reason::Bisection).to_string(), "1.13 ms");
    assert_eq!(bound(Scatter).of(Reason::Submesh).to_string(), "2.006 ms", "the root keeps 62 elements");
    assert_eq!(bound(Gather).of(Reason::Submesh), bound(Scatter).of(Reason::Submesh));
    assert_eq!(bound(Collect).of(Reason::Submesh), bound(DistributedCombine).of(Reason::Submesh));
    assert_eq!(bound(CombineToAll).of(Reason::Submesh).to_string(), "2.13 ms");
    // Row by row each of four rows passes a cut between columns.
    assert_eq!(bound(Scan).of(Reason::Bisection).to_string(), "4.13 ms");
    // Column by column each of four columns passes a cut between rows.
    let turned: Vec<Rank> = (0..16).map(|rank| rank % 4 * 4 + rank / 4).collect();
    let by_columns = task(Scan).members(turned).build().unwrap().lower_bound();
    assert_eq!(by_columns.of(Reason::Bisection), bound(Scan).of(Reason::Bisection));
    // A snake passes a cut twice each way.
    let snake: Vec<Rank> =
        (0..16).map(|at| at / 4 * 4 + if at / 4 % 2 == 0 { at % 4 } else { 3 - at % 4 }).collect();
    assert_eq!(
        task(Scan).members(snake).build().unwrap().lower_bound().of(Reason::Bisection).to_string(),
        "2.13 ms"
    );
    // A group of two corners: 8000 bytes over the two links of either.
    let corners = task(Broadcast).members([15, 0]).build().unwrap().lower_bound();
    assert_eq!(
        (corners.of(Reason::Submesh).to_string(), corners.of(Reason::StartUp).to_string()),
        ("2.13 ms".into(), "130 us".into())
    );
    assert_eq!(corners.of(Reason::Bisection).to_string(), "1.13 ms");
    // Two neighbours in the middle, one of them the root: all four links of it.
    let middle = task(Gather).members([5, 6]).root(1).build().unwrap().lower_bound();
    assert_eq!(middle.of(Reason::Submesh).to_string(), "630 us");
}

// Against what is possible.

/// Recursive doubling where only start-ups cost.
#[test]
fn doubling_meets_the_bound() {
    let no_bytes = Parameters::hockney().to_builder().beta(0.0).build().unwrap();
    for nodes in [2, 4, 8, 16, 128, 512] {
        let on = with(&format!("line:{nodes}"), no_bytes.clone());
        let all: Vec<Rank> = (0..nodes).collect();
        let mut builder = Builder::new(nodes, &all, &vec![1; nodes], Exchange::Overlapped);
        builder.halve(&[all]);
        let bound = Task::builder(&on, Collect).elements(nodes as u64).build().unwrap().lower_bound();
        assert_eq!(predict(&on, &builder.finish()).unwrap().modeled.since_start(), bound.time(), "{nodes}");
        assert_eq!(bound.time(), no_bytes.alpha().times(nodes.ilog2().into()));
    }
}

/// All ways in which three nodes can send and receive everything that they know, with o_s = o_r = 1 and no latency.
#[test]
fn nothing_beats_the_bound_among_all_ways_of_three() {
    type State = (Vec<u8>, BTreeSet<(usize, u8)>);
    for (nodes, expected) in [(2, 2), (3, 4)] {
        let all = (1_u8 << nodes) - 1;
        let mut states: BTreeSet<State> =
            BTreeSet::from([((0..nodes).map(|node| 1 << node).collect(), BTreeSet::new())]);
        let mut steps = 0;
        while !states.iter().any(|(known, _)| known.iter().all(|&known| known == all)) {
            steps += 1;
            for node in 0..nodes {
                // Messages of others in this step come in the next one: it is marked until then.
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
        let bound = bound(&format!("hockney:1x{nodes}"), Collect, nodes as u64);
        assert_eq!(bound.of(Reason::Gossip), half.times(expected));
    }
}

/// Anything at random, but mostly what may be good: the node that is behind sends and receives in turn, to a distance
/// that depends on how often it has sent, and combines what it can. Returns when all are done, if they ever are.
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
    // A scan's first rank has what it wants from the start.
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
    fn nothing_found_at_random_beats_the_start_ups(
        operation in prop_oneof![Just(Collect), Just(CombineToAll), Just(Scan)],
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
            .elements(if operation == Collect { ranks as u64 } else { 1 })
            .build()
            .unwrap();
        let bound = task.lower_bound();
        if let Some(end) = anything(operation, ranks, costs, &distances, &choices) {
            prop_assert!(Span::from_micros(end) >= bound.time(), "{end} us, {bound:?}");
        }
    }
}

/// Schedules for a task.
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
        // From the root on, in a ring, halves are handed on.
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
        // From the last to the first, block after block; turned around each rank adds its own to what comes.
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
    let collects = || [halved(&members), ring()];
    let made = match task.operation() {
        Broadcast => vec![halved(&from_root), tree().then(ring()), tree().then(halved(&members))],
        Scatter => vec![scattered(), tree()],
        Gather => vec![scattered().gathering(), tree().gathering()],
        Collect => collects().into(),
        CombineToOne => {
            vec![halved(&from_root).combining(), ring().combining().then(tree().gathering())]
        }
        CombineToAll => vec![
            halved(&from_root).combining().then(halved(&from_root)),
            ring().combining().then(ring()),
            halved(&members).combining().then(halved(&members)),
        ],
        DistributedCombine => collects().map(|schedule| schedule.combining()).into(),
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
                    let on = Description::new("random", topology.clone(), parameters.clone());
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
                // Each message, and each combination after it, is rounded by half a picosecond at most.
                let rounded = Span::from_picos(schedule.messages().count() as u64 + 1);
                let modeled = prediction.modeled.max(Time::ZERO).since_start();
                prop_assert!(modeled + rounded >= bound.time(), "{modeled} {bound:?} {task:?}");
            }
        }
    }
}
