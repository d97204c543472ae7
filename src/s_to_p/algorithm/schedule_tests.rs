//! The shape and time of every schedule of the algorithms, on random instances. Each variant is checked, not only the variant that its
//! algorithm chooses.

use proptest::prelude::*;

use super::{Algorithm, Draft, Instance, circulant, cut::Cut};
use crate::{
    model::{
        MachineSpec, Parameters,
        arbitrary::{parameters, topologies},
    },
    pattern::{Action, Exchange, Schedule, Step},
    plan::{PlanError, Reason, Variant, predict, search::busiest_node},
    rank::Rank,
    s_to_p::Distribution,
    time::{Span, Time},
    topology::Grid,
};

// Instances.

/// Generates broadcasts: any topology, with sides of up to `side` if it is a mesh; any set of sources in any order; lengths that include
/// zeros.
pub(super) fn instances(side: usize) -> impl Strategy<Value = Instance> {
    let length = || prop_oneof![Just(0_u64), 1..20_u64, Just(2048), 1000..5000_u64];
    let shape = (topologies(side), parameters(0.3));
    shape.prop_flat_map(move |(topology, parameters)| {
        let nodes = topology.nodes();
        let shuffled = Just((0..nodes).collect::<Vec<Rank>>()).prop_shuffle();
        let count = prop_oneof![1..=nodes, 1..=nodes.min(3)];
        (shuffled, count, prop::collection::vec(length(), nodes)).prop_map(move |(ranks, count, lengths)| {
            let machine = MachineSpec::new("random", topology.clone(), parameters.clone());
            Instance::new(&machine, &ranks[..count], &lengths[..count]).expect("a broadcast")
        })
    })
}

fn instance(machine: &str, sources: &[Rank], lengths: &[u64]) -> Instance {
    Instance::new(&machine.parse().unwrap(), sources, lengths).unwrap()
}

/// Returns the variants of all algorithms except *Auto*.
fn all_candidates(instance: &Instance) -> impl Iterator<Item = (Algorithm, Variant<Instance>)> {
    let all = Algorithm::all().filter(|algorithm| *algorithm != Algorithm::AUTO);
    let single = all.chain([Algorithm::LEVEL, Algorithm::FOREST, Algorithm::PIPELINE]);
    single.flat_map(|algorithm| candidates(&algorithm, instance))
}

/// Returns the variants of an algorithm, each with its algorithm; none if the restrictions are not met.
fn candidates(algorithm: &Algorithm, instance: &Instance) -> Vec<(Algorithm, Variant<Instance>)> {
    let variants = algorithm.variants(instance, &()).unwrap_or_default();
    variants.into_iter().map(|variant| (variant.algorithm().unwrap().clone(), variant)).collect()
}

/// If the members form a rectangle, the variants use its rows and columns, whatever the order of the ranks.
#[test]
fn variants_do_not_depend_on_the_order_of_ranks() {
    let machine: MachineSpec = "paragon:3x4".parse().unwrap();
    let among = |members: Vec<Rank>, sources: &[Rank]| {
        Instance::among(&machine, members, sources, &[100_000, 300]).unwrap()
    };
    let forth = among((0..12).collect(), &[1, 5]);
    let back = among((0..12).rev().collect(), &[10, 6]);
    for algorithm in Algorithm::BEYOND.iter().chain(&[Algorithm::LEVEL]) {
        let names = |instance| -> Vec<String> {
            let all = candidates(algorithm, instance).into_iter();
            all.map(|(_, variant)| variant.name().to_owned()).collect()
        };
        assert_eq!(names(&forth), names(&back), "{algorithm}");
    }
}

// Shape.

/// Checks the messages of a schedule and returns how often each block is sent.
fn sent(schedule: &Schedule) -> Vec<usize> {
    let mut sent = vec![0; schedule.sizes().len()];
    for steps in (0..schedule.nodes()).map(|rank| schedule.steps(rank)) {
        for (step, following) in steps.iter().zip(steps.iter().skip(1).map(Some).chain([None])) {
            if let Action::Pack(bytes) = step.action {
                let packed = following.and_then(|step| step.action.sent()).map(|message| message.bytes);
                assert_eq!(packed, Some(bytes), "what is packed is sent at once");
            }
            let Some(message) = step.action.sent() else { continue };
            assert!(!message.blocks.is_empty(), "there is something to send");
            let sizes = message.blocks.iter().map(|&block| schedule.sizes()[block as usize]);
            assert_eq!(message.bytes, sizes.sum::<u64>());
            message.blocks.iter().for_each(|&block| sent[block as usize] += 1);
        }
        // In a time-triggered schedule a message may be received while messages of the next iteration are sent.
        let late = usize::from(steps.iter().any(|step| matches!(step.action, Action::Pause(_))));
        let mut latest = 0;
        for step in steps {
            assert!(step.iteration + late >= latest, "in the order of iterations");
            latest = latest.max(step.iteration);
        }
        assert!(steps.iter().all(|step| step.iteration < schedule.iterations()));
    }
    sent
}

/// Checks that the draft broadcasts the messages of the instance.
fn check(instance: &Instance, algorithm: Algorithm, variant: &Variant<Instance>) {
    let draft = variant.draft(instance).unwrap();
    draft.check(instance).unwrap_or_else(|error| panic!("{algorithm}, {}: {error}", variant.name()));
    let Draft { schedule, growth, pieces } = &draft;
    let (nodes, sources) = (instance.size(), instance.sources());
    let sent = sent(schedule);
    let fewest = match algorithm.name() {
        "br-lin" | "br-xy-source" | "br-xy-dim" | "xor" => true,
        "in-turn" => !variant.name().starts_with("moved"),
        "spread" | "circulant" | "bucket" | "forest" => true,
        _ => sources.len() == 1 && algorithm == Algorithm::TREE,
    };
    if fewest {
        assert!(sent.iter().all(|&times| times == nodes - 1), "{algorithm} sends no block twice to a node");
        assert_eq!(Draft::new(instance, pieces.clone(), schedule.clone()).growth, *growth);
    } else {
        assert!(sent.iter().all(|&times| times >= nodes - 1));
    }
    let end = schedule.iterations();
    assert_eq!((growth.active_after(end), growth.longest_after(end)), (nodes, instance.bytes()));
    assert_eq!(growth.active_after(0), sources.len());
    assert_eq!(growth.longest_after(0), instance.lengths().iter().copied().max().unwrap_or(0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_schedule_is_a_broadcast(instance in instances(9)) {
        for (algorithm, variant) in all_candidates(&instance) {
            check(&instance, algorithm, &variant);
        }
    }
}

#[test]
fn every_schedule_of_a_distribution_is_a_broadcast() {
    for (rows, columns) in [(1, 1), (1, 2), (1, 7), (9, 1), (3, 5), (5, 3), (4, 4), (7, 13)] {
        let grid = Grid { rows, columns };
        let nodes = grid.nodes();
        for distribution in Distribution::ALL {
            for count in [1, 3, nodes / 2, nodes] {
                let Ok(sources) = distribution.place(grid, count) else { continue };
                let lengths: Vec<u64> = (0..count as u64).map(|source| source * 7 % 5 * 100).collect();
                let instance = instance(&format!("paragon:{grid}"), &sources, &lengths);
                for (algorithm, variant) in all_candidates(&instance) {
                    check(&instance, algorithm, &variant);
                }
            }
        }
    }
}

// Time.

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// No variant is faster than the lower bounds, including the bound stated by its algorithm, and each algorithm, also *Auto*, chooses
    /// the first of its fastest variants.
    #[test]
    fn the_fastest_variant_is_taken_and_respects_the_lower_bound(instance in instances(7)) {
        let bound = instance.lower_bound();
        let mut all = Vec::new();
        for algorithm in [Algorithm::LEVEL, Algorithm::FOREST, Algorithm::PIPELINE].into_iter().chain(Algorithm::all()) {
            let mut fastest: Option<(Time, Algorithm, String)> = None;
            for (of, variant) in candidates(&algorithm, &instance) {
                let schedule = variant.draft(&instance).unwrap().schedule;
                let prediction = predict(instance.machine(), &schedule).unwrap();
                let took = prediction.modeled;
                prop_assert_eq!(prediction.finished.len(), instance.size());
                // The end of a message is rounded.
                let rounded = took.since_start() + Span::from_picos(schedule.messages().count() as u64);
                prop_assert!(rounded >= bound.time(), "{}, {} in {} beats {:?}", of, variant.name(), took, bound);
                // The bound used for pruning must not exceed the time of the candidate, to the picosecond.
                let floor = variant.floor().max(busiest_node(&schedule, instance.parameters()));
                prop_assert!(took.since_start() >= floor, "{}, {} in {} beats {}", of, variant.name(), took, floor);
                if fastest.as_ref().is_none_or(|&(smallest, ..)| took < smallest) {
                    fastest = Some((took, of, variant.name().to_owned()));
                }
            }
            let Some((smallest, of, variant)) = fastest else { continue };
            let plan = algorithm.plan(&instance).unwrap();
            let chosen = (plan.prediction().modeled, plan.algorithm().clone(), plan.variant());
            if chosen.1 == Algorithm::APART {
                prop_assert!(algorithm == Algorithm::AUTO && chosen.0 < smallest);
                let rounded = chosen.0.since_start() + Span::from_picos(plan.schedule().messages().count() as u64);
                prop_assert!(rounded >= bound.time(), "{} in {} beats {:?}", plan.name(), chosen.0, bound);
            } else {
                prop_assert_eq!(chosen.clone(), (smallest, of, variant.as_str()), "{}", algorithm);
            }
            all.push((chosen.0, algorithm));
        }
        let &(auto, _) = all.last().unwrap();
        for (took, algorithm) in all {
            prop_assert!(auto <= took, "{} takes {}, and auto {}", algorithm, took, auto);
        }
    }
}

/// Two nodes exchange 32 blocks each, one block at a time, and an exchange takes 4592018.25 ps. Because each exchange is rounded, the run
/// is eight picoseconds shorter than the time of all bytes together.
#[test]
fn rounding_prunes_no_candidate() {
    let half = Parameters::builder().beta(50e-9).duplex(1.3937226740292714).link_excess(7.3).build().unwrap();
    let mesh: MachineSpec = "mesh:2x1".parse().unwrap();
    let machine = MachineSpec::new("half", mesh.topology().clone(), half);
    let instance = Instance::new(&machine, &[0, 1], &[2048, 2048]).unwrap();
    let schedule =
        circulant::draft(&instance, circulant::Mode::Blocks(Cut::Alike, 32), Exchange::InTurn).schedule;
    let took = predict(&machine, &schedule).unwrap().modeled.since_start();
    assert!(took < instance.lower_bound().of(Reason::BothWays));
    assert!(busiest_node(&schedule, machine.parameters()) <= took);
}

/// If every node is a source, *Repos* moves nothing. *Auto* then tries it only over *Br_xy_source*, where it may choose the other order of
/// dimensions and is faster on 2 x 7. Over the other algorithms it takes the same time as they do.
#[test]
fn repos_equals_its_base_if_all_are_sources() {
    for (rows, columns) in [(1, 1), (1, 7), (2, 7), (5, 6), (7, 2), (4, 4)] {
        let all: Vec<Rank> = (0..rows * columns).collect();
        let instance = instance(&format!("paragon:{rows}x{columns}"), &all, &vec![3000; all.len()]);
        let time = |algorithm: Algorithm| algorithm.plan(&instance).unwrap().prediction().modeled;
        for (repos, plain) in [
            (Algorithm::REPOS_BR_LIN, Algorithm::BR_LIN),
            (Algorithm::REPOS_BR_LIN_DIAGONAL, Algorithm::BR_LIN),
            (Algorithm::REPOS_BR_LIN_DIAGONAL_ROW_MAJOR, Algorithm::BR_LIN_ROW_MAJOR),
            (Algorithm::REPOS_BR_XY_DIM, Algorithm::BR_XY_DIM),
            (Algorithm::REPOS_XOR, Algorithm::XOR),
            (Algorithm::REPOS_TWO_STEP, Algorithm::TWO_STEP),
        ] {
            assert_eq!(time(repos), time(plain.clone()), "{plain} on {rows} x {columns}");
        }
        let (repos, plain) = (time(Algorithm::REPOS_BR_XY_SOURCE), time(Algorithm::BR_XY_SOURCE));
        assert_eq!(repos < plain, (rows, columns) == (2, 7) || (rows, columns) == (7, 2));
        let candidates = candidates(&Algorithm::AUTO, &instance);
        let repos = candidates.iter().filter(|(algorithm, _)| algorithm.name().starts_with("repos"));
        assert!(repos.map(|(algorithm, _)| algorithm.clone()).eq([Algorithm::REPOS_BR_XY_SOURCE]));
    }
}

/// At twelve days per byte a plan of one variant can be made; its time is `Time::MAX` on all nodes.
#[test]
fn a_schedule_beyond_the_time_range_is_reported() {
    let slow = Parameters::builder().beta(1e6).build().unwrap();
    let mesh: MachineSpec = "mesh:1x4".parse().unwrap();
    let machine = MachineSpec::new("slow", mesh.topology().clone(), slow);
    let instance = Instance::new(&machine, &[0], &[1 << 20]).unwrap();
    let plan = Algorithm::BR_LIN.plan(&instance).unwrap();
    assert_eq!(plan.prediction().modeled, Time::MAX);
    assert_eq!(plan.prediction().finished, [Time::MAX; 4]);
    assert_eq!(
        Algorithm::AUTO.plan(&instance).unwrap_err(),
        PlanError::TooLong { algorithm: "auto".to_owned() }
    );
}

#[test]
fn auto_is_never_slower_if_all_are_sources() {
    for rows in 1..7 {
        for columns in 1..7 {
            let all: Vec<Rank> = (0..rows * columns).collect();
            for name in ["paragon", "hockney"] {
                let instance = instance(&format!("{name}:{rows}x{columns}"), &all, &vec![3000; all.len()]);
                let time = |algorithm: Algorithm| Some(algorithm.plan(&instance).ok()?.prediction().modeled);
                let auto = time(Algorithm::AUTO).unwrap();
                assert!(
                    Algorithm::all().filter_map(time).all(|time| time >= auto),
                    "{name}:{rows}x{columns}"
                );
            }
        }
    }
}

// The shape, as described in the papers.

/// Returns the number of active nodes and the longest message after the first iteration.
fn after_one(machine: &str, sources: &[Rank]) -> (usize, u64) {
    let instance = instance(machine, sources, &vec![1; sources.len()]);
    let plan = Algorithm::BR_LIN.plan(&instance).unwrap();
    (plan.growth().active_after(1), plan.growth().longest_after(1))
}

/// Report, section 4: two rows of 10 x 10 do not grow in the first iteration if they are the first and the sixth, but do if they are the
/// first and the seventh.
#[test]
fn two_rows_grow_only_if_they_are_not_paired() {
    let after_one = |rows: [usize; 2]| {
        let sources: Vec<Rank> = rows.into_iter().flat_map(|row| row * 10..row * 10 + 10).collect();
        after_one("paragon:10x10", &sources)
    };
    assert_eq!(after_one([0, 5]), (20, 2));
    assert_eq!(after_one([0, 6]), (40, 1));
}

/// Report, section 4, says that the main diagonal of 10 x 10 does not grow in the first iteration. By the report's own rules it nearly
/// doubles: node `(i, j)` is paired with `(i + 5, 9 - j)`, and of the diagonal only `(2, 2)` and `(7, 7)` form a pair (in row-major order,
/// without the snake, no two would).
#[test]
fn the_main_diagonal_grows_except_for_one_pair() {
    let sources: Vec<Rank> = (0..100).step_by(11).collect();
    assert_eq!(after_one("paragon:10x10", &sources), (18, 2));
}

#[test]
fn a_single_source_doubles_the_active_nodes() {
    let plan = Algorithm::BR_LIN.plan(&instance("paragon:4x8", &[13], &[1])).unwrap();
    let growth = plan.growth();
    assert_eq!(
        Vec::from_iter((0..=5).map(|iterations| growth.active_after(iterations))),
        [1, 2, 4, 8, 16, 32]
    );
    assert_eq!(growth.longest_after(5), 1);
}

/// Report, section 2: on a square mesh of a power of two nodes *Br_Lin* uses only column links in the first half of its iterations and only
/// row links in the second. By its own rules this holds with one exception: two adjacent rows run in opposite directions on the snake, so
/// in the last iteration of the first half a node is paired with the node in the mirrored column.
#[test]
fn br_lin_covers_columns_then_rows_of_a_square() {
    for side in [2_usize, 4, 8, 16] {
        let grid = Grid { rows: side, columns: side };
        let all: Vec<Rank> = (0..grid.nodes()).collect();
        let instance = instance(&format!("paragon:{grid}"), &all, &vec![1; all.len()]);
        let plan = Algorithm::BR_LIN.plan(&instance).unwrap();
        let half = plan.schedule().iterations() / 2;
        for rank in all {
            for Step { iteration, action } in plan.schedule().steps(rank) {
                let (row, column) = grid.coordinates(rank);
                let peer = grid.coordinates(action.sent().unwrap().peer);
                if *iteration >= half {
                    assert_eq!(peer.0, row, "{rank} in iteration {iteration}");
                    continue;
                }
                let apart = side >> (iteration + 1);
                let expected = if apart == 1 { side - 1 - column } else { column };
                assert_eq!(
                    (peer.0.abs_diff(row), peer.1),
                    (apart, expected),
                    "{rank} in iteration {iteration}"
                );
            }
        }
    }
}

/// A *Repos* algorithm has exactly one iteration more than the algorithm that it runs after the repositioning.
#[test]
fn repositioning_is_one_iteration() {
    let instance = instance("paragon:4x5", &[3, 17, 9], &[5, 6, 7]);
    for (repos, plain) in [
        (Algorithm::REPOS_BR_LIN, Algorithm::BR_LIN),
        (Algorithm::REPOS_BR_LIN_DIAGONAL, Algorithm::BR_LIN),
        (Algorithm::REPOS_BR_LIN_DIAGONAL_ROW_MAJOR, Algorithm::BR_LIN_ROW_MAJOR),
        (Algorithm::REPOS_BR_XY_DIM, Algorithm::BR_XY_DIM),
        (Algorithm::REPOS_XOR, Algorithm::XOR),
        (Algorithm::REPOS_TWO_STEP, Algorithm::TWO_STEP),
    ] {
        let iterations = |algorithm: Algorithm| algorithm.plan(&instance).unwrap().schedule().iterations();
        assert_eq!(iterations(repos), iterations(plain.clone()) + 1, "{}", plain);
    }
}
