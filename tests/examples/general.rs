//! The examples that are about nothing that has a file of its own here.

use multicomputer::{
    Clock, Dilation, Machine, Run, Time,
    analysis::Kind,
    error::RunError,
    s_to_p::{Algorithm, Distribution},
};

#[path = "../../examples/29_active_messages.rs"]
pub mod active_messages;
#[path = "../../examples/30_all_to_all.rs"]
pub mod all_to_all;
#[path = "../../examples/05_deadlock.rs"]
pub mod deadlock;
#[path = "../../examples/31_all_to_all_algorithms.rs"]
pub mod exchange_algorithms;
#[path = "../../examples/36_explain.rs"]
pub mod explain;
#[path = "../../examples/01_hello.rs"]
pub mod hello;
#[path = "../../examples/33_host_threads.rs"]
pub mod host_threads;
#[path = "../../examples/41_mpi.rs"]
#[allow(dead_code, reason = "its main function is another one over MPI")]
pub mod mpi;
#[path = "../../examples/38_noise.rs"]
pub mod noise;
#[path = "../../examples/11_nx_style.rs"]
pub mod nx_style;
#[path = "../../examples/44_orders.rs"]
pub mod orders;
#[path = "../../examples/32_real_time.rs"]
pub mod real_time;
#[path = "../../examples/40_rendezvous.rs"]
pub mod rendezvous;
#[path = "../../examples/02_ring.rs"]
pub mod ring;
#[path = "../../examples/04_rows_and_columns.rs"]
pub mod rows_and_columns;
#[path = "../../examples/03_shared_link.rs"]
pub mod shared_link;
#[path = "../../examples/10_s_to_p_auto.rs"]
pub mod stop_auto;
#[path = "../../examples/07_s_to_p_halving.rs"]
pub mod stop_halving;
#[path = "../../examples/09_s_to_p_repositioning.rs"]
pub mod stop_repositioning;
#[path = "../../examples/08_s_to_p_two_operations.rs"]
pub mod stop_two_operations;
#[path = "../../examples/06_trace.rs"]
pub mod trace;

/// When each node finished, in picoseconds.
fn finished<T>(run: &Run<T>) -> Vec<u64> {
    run.report.nodes.iter().map(|node| node.finished.as_picos()).collect()
}

#[test]
fn node_0_greets_one_node_after_the_other() {
    let run = hello::hello().unwrap();
    assert_eq!(
        run.outputs,
        [
            "node 0 has greeted all at 276.459 us",
            "node 1 got `hello` from node 0 at 184.193 us",
            "node 2 got `hello` from node 0 at 276.346 us",
            "node 3 got `hello` from node 0 at 368.539 us",
        ]
    );
    assert_eq!(finished(&run), [276_459_000, 184_193_000, 276_346_000, 368_539_000]);
}

#[test]
fn a_number_goes_around_the_ring_in_eight_messages() {
    let run = ring::ring().unwrap();
    assert_eq!(run.outputs, [28, 1, 3, 6, 10, 15, 21, 28]);
    assert_eq!(run.report.messages, 8);
    assert_eq!(run.report.makespan.to_string(), "1.0432 ms");
    // A sender is free when its message has left, o_r before the receiver has it.
    let hops = |hops: u64| hops * 130_400_000;
    let senders = (1..8).map(|rank| hops(rank + 1) - 65_000_000);
    assert_eq!(finished(&run), std::iter::once(hops(8)).chain(senders).collect::<Vec<_>>());
}

#[test]
fn two_messages_share_a_link_until_it_is_twice_as_fast_as_a_node() {
    for (k, sender, receiver, lost) in [
        (1.0, 165_000_000, 230_000_000, 100_000_000),
        (1.5, 131_666_667, 196_666_667, 33_333_334),
        (2.0, 115_000_000, 180_000_000, 0),
    ] {
        let run = shared_link::two_messages(k).unwrap();
        assert_eq!(finished(&run), [sender, sender, receiver, receiver], "k = {k}");
        assert_eq!(run.report.lost_to_sharing.as_picos(), lost, "k = {k}");
    }
}

#[test]
fn every_node_finds_the_sum_over_rows_and_columns() {
    let run = rows_and_columns::sum_of_squares().unwrap();
    assert_eq!(run.outputs, [506; 12]);
    assert_eq!(finished(&run), [652_000_000; 12]);
    let phases: Vec<_> = run
        .report
        .phases
        .iter()
        .map(|phase| (&*phase.name, phase.begin.as_picos(), phase.end.as_picos()))
        .collect();
    assert_eq!(phases, [("columns", 391_200_000, 652_000_000), ("rows", 0, 391_200_000)]);
}

#[test]
fn a_deadlock_is_reported_with_its_cycle_and_sendrecv_has_none() {
    let machine = deadlock::machine().unwrap();
    let Err(RunError::Deadlock(report)) = deadlock::listen_then_speak(&machine) else {
        panic!("the ring did not deadlock");
    };
    let place = report.blocked[0].last_call.as_deref().unwrap();
    assert!(place.ends_with("examples/05_deadlock.rs:28:34"), "{place}");
    assert_eq!(
        report.to_string().replace(&format!(" ({place})"), ""),
        "deadlock: 4 nodes are blocked\n  \
         cycle: 0 -> 3 -> 2 -> 1 -> 0\n  \
         node 0 has waited since 0 s for a message from node 3\n  \
         node 1 has waited since 10 us for a message from node 0\n  \
         node 2 has waited since 20 us for a message from node 1\n  \
         node 3 has waited since 30 us for a message from node 2"
    );
    // What is printed of an error that `main` returns.
    let printed =
        deadlock::listen_then_speak(&machine).map(drop).map_err(multicomputer::error::MainError::from);
    assert_eq!(format!("{:?}", printed.unwrap_err()), report.to_string());
    let run = deadlock::listen_and_speak(&machine).unwrap();
    assert_eq!(finished(&run), [130_250_000; 4]);
}

#[test]
fn facing_sends_are_found_and_sendrecv_and_isend_mend_them() {
    let machine = |from_bytes| rendezvous::machine(from_bytes).unwrap();
    // 65 us at either end, and 409.6 for the bytes.
    assert_eq!(finished(&rendezvous::facing(&machine(32 << 10)).unwrap()), [539_600_000; 2]);
    let Err(RunError::Deadlock(report)) = rendezvous::facing(&machine(4 << 10)) else {
        panic!("the sends did not wait")
    };
    let place = report.blocked[0].last_call.as_deref().unwrap();
    assert_eq!(
        report.to_string().replace(&format!(" ({place})"), ""),
        "deadlock: 2 nodes are blocked\n  \
         cycle: 0 -> 1 -> 0\n  \
         node 0 has waited since 0 s for a receive by node 1 of its message with tag 0\n  \
         node 1 has waited since 0 s for a receive by node 0 of its message with tag 0"
    );
    for from_bytes in [4 << 10, 32 << 10] {
        assert_eq!(finished(&rendezvous::exchanging(&machine(from_bytes)).unwrap()), [539_600_000; 2]);
        assert_eq!(finished(&rendezvous::starting(&machine(from_bytes)).unwrap()), [539_600_000; 2]);
    }
}

#[test]
fn a_trace_is_the_same_every_time() {
    let written = || {
        let run = trace::tasks().unwrap();
        let mut file = Vec::new();
        run.write_trace(&mut file).unwrap();
        (run, file)
    };
    let (run, file) = written();
    assert_eq!(run.outputs[0], [2, 3, 1]);
    assert_eq!(run.report.makespan.as_picos(), 1_521_483_200);
    let trace = &run.trace;
    assert_eq!((trace.events.len(), trace.transfers.len()), (17, 6));
    assert_eq!(trace.events.iter().map(|event| event.end).max(), Some(run.report.makespan));
    assert_eq!(trace.events[0].start, Time::ZERO);
    assert!(serde_json::from_slice::<serde_json::Value>(&file).is_ok());
    assert!(written().1 == file, "a second run wrote another trace");
}

/// Three messages at once go over the links next to two corners. The one from 1 to 4 needs 334.8 us alone.
#[test]
fn a_transposition_loses_most_next_to_the_corners() {
    let run = explain::transposition().unwrap();
    assert_eq!(run.outputs, [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]);
    assert_eq!(run.report.makespan.as_picos(), 744_400_000);
    let explanation = run.explain().unwrap();
    let path = &explanation.critical_path;
    let picos = |kind| path.time(kind).as_picos();
    assert_eq!((picos(Kind::Bytes), picos(Kind::Sharing)), (204_800_000, 409_600_000));
    assert_eq!(path.start_up().as_picos(), 130_000_000);
    assert_eq!((path.pieces.len(), path.messages().len()), (4, 1));
    let blame = &explanation.blame;
    assert_eq!(blame.total(), run.report.lost_to_sharing);
    let mut lost: Vec<(&str, u64)> = Vec::new();
    for (place, time) in blame.by_place() {
        lost.push((&explanation.places[&place], time.as_picos()));
    }
    lost.sort_unstable();
    let (corner, inside) = (1_228_800_000, 409_600_000);
    let expected = [
        ("node 1 -> node 0", corner),
        ("node 14 -> node 15", corner),
        ("node 6 -> node 5", inside),
        ("node 9 -> node 10", inside),
    ];
    assert_eq!(lost, expected);
}

/// The pipeline loses its step, and its lead, with the first little noise; hybrids lose next to nothing.
#[test]
fn noise_slows_a_pipeline_more_than_hybrids() {
    let pinned = [
        ["50.6477792 ms", "81.134350854 ms"],
        ["59.144653698 ms", "59.266055111 ms"],
        ["79.939694166 ms", "79.975553332 ms"],
        ["81.999402926 ms", "82.086518072 ms"],
        ["193.6231136 ms", "193.628937794 ms"],
    ];
    let slowdowns = noise::ALGORITHMS.each_ref().map(|algorithm| noise::slowdown(algorithm, 1).unwrap());
    let times = slowdowns.each_ref().map(|slowdown| {
        assert!(slowdown.with_noise.iter().all(|&time| time > slowdown.alone), "{slowdown:?}");
        [slowdown.alone, slowdown.with_noise[0]].map(|time| time.to_string())
    });
    assert_eq!(times, pinned);
    let [pipeline, _, hybrid, ..] = &slowdowns;
    assert!(pipeline.alone < hybrid.alone);
    assert!(pipeline.with_noise.iter().zip(&hybrid.with_noise).all(|(pipeline, hybrid)| pipeline > hybrid));
}

#[test]
fn halving_depends_on_where_the_sources_are() {
    for (distribution, expected) in [
        (Distribution::Row, ["6.935124715 ms", "6.621766586 ms", "8.021694025 ms"]),
        (Distribution::Cross, ["6.468366079 ms", "9.235080555 ms", "9.235080555 ms"]),
    ] {
        for (algorithm, expected) in stop_halving::HALVINGS.into_iter().zip(expected) {
            let (plan, run) = stop_halving::broadcast(&algorithm, &distribution).unwrap();
            assert_eq!(run.report.makespan.to_string(), expected, "{algorithm}, {distribution}");
            assert_eq!(run.report.makespan, plan.prediction().modeled);
            let sum: u64 = plan.instance().sources().iter().map(|&source| source as u64 * 2048).sum();
            assert_eq!(run.outputs, [sum; 100]);
        }
    }
}

#[test]
fn two_operations_are_fine_on_four_nodes_only() {
    let modeled = |side| {
        stop_two_operations::ALGORITHMS.map(|algorithm| {
            stop_two_operations::broadcast(&algorithm, side, side).unwrap().makespan.to_string()
        })
    };
    assert_eq!(modeled(2), ["661.170133 us", "708.872 us", "661.210133 us"]);
    assert_eq!(modeled(4), ["2.723756799 ms", "1.6997936 ms", "1.38513203 ms"]);
    assert_eq!(modeled(8), ["9.809678694 ms", "3.564312 ms", "2.249801422 ms"]);
}

#[test]
fn repositioning_pays_on_a_cross() {
    let times = stop_repositioning::ALGORITHMS
        .map(|algorithm| stop_repositioning::predicted(&algorithm).unwrap().to_string());
    assert_eq!(times, ["4.864736 ms", "3.576319373 ms", "3.444595012 ms"]);
}

#[test]
fn auto_takes_what_it_predicts_and_beats_the_papers() {
    let machine = Machine::paragon(7, 13).build().unwrap();
    for (unit, expected) in
        [(0, "1.28884 ms"), (100, "1.831671594 ms"), (1000, "5.708951074 ms"), (10_000, "41.962767755 ms")]
    {
        let instance = stop_auto::instance(&machine, unit).unwrap();
        let plan = Algorithm::AUTO.plan(&instance).unwrap();
        let run = stop_auto::broadcast(&machine, &plan).unwrap();
        assert_eq!(run.outputs, [78 * unit; 91]);
        assert_eq!(run.report.makespan.to_string(), expected);
        assert_eq!(run.report.makespan, plan.prediction().modeled);
        for algorithm in Algorithm::PAPER {
            let papers = algorithm.plan(&instance).unwrap().prediction().modeled;
            assert!(run.report.makespan <= papers, "{unit}: {algorithm}");
        }
    }
}

#[test]
fn a_program_for_the_paragon_finds_what_a_serial_one_finds() {
    const ALL: usize = 8 * nx_style::POINTS;
    let run = nx_style::rod().unwrap();
    let mut u = [0.0; ALL + 2];
    let mut change = 0.0;
    for _ in 0..40 {
        let before = u;
        for at in 1..=ALL {
            u[at] = (before[at - 1] + before[at + 1] + (ALL as f64 + 1.0).powi(-2)) / 2.0;
        }
        change =
            u.iter().zip(before).map(|(now, before): (&f64, f64)| (now - before).abs()).fold(0.0, f64::max);
    }
    let sum: f64 = u.iter().sum();
    for found in &run.outputs {
        assert_eq!(found.change, change);
        assert!((found.sum / sum - 1.0).abs() < 1e-12);
    }
    assert_eq!(format!("{:.6} ms", run.outputs[0].seconds * 1e3), "18.945219 ms");
    let finishes = [
        21_345_287_346,
        21_437_503_346,
        21_437_543_346,
        21_529_759_346,
        21_437_503_346,
        21_529_719_346,
        21_529_759_346,
        21_621_975_346,
    ];
    assert_eq!(finished(&run), finishes);
}

/// The modeled times of some algorithms, the last of which is *Auto*: the others are as expected, and it is no slower.
pub(crate) fn assert_times(modeled: &[Time], expected: &[&str]) {
    let (auto, others) = modeled.split_last().unwrap();
    assert_eq!(others.iter().map(Time::to_string).collect::<Vec<_>>(), expected);
    assert!(others.iter().all(|other| auto <= other), "auto takes {auto}");
}

#[test]
fn locks_and_counters_on_another_node() {
    for (run, modeled, questions) in [
        (active_messages::test_and_set().unwrap(), "1.1126 ms", 255),
        (active_messages::tickets().unwrap(), "936.3 us", 15),
    ] {
        assert_eq!(run.report.makespan.to_string(), modeled);
        assert_eq!(run.outputs.iter().map(|&(.., asked)| asked).sum::<u64>(), questions);
        // Each node was alone once, for as long as it wanted.
        let turns = active_messages::order(&run);
        assert!(turns.iter().all(|&(_, (begin, end, _))| end == begin + active_messages::ALONE));
        assert!(turns.windows(2).all(|pair| pair[0].1.1 < pair[1].1.0));
        assert!(run.report.unreceived.is_empty());
    }
    // Tickets are given out in the order in which the questions come: by rank, if all ask at once.
    let turns = active_messages::order(&active_messages::tickets().unwrap());
    assert!(turns.iter().map(|&(rank, _)| rank).eq(1..16));
}

#[test]
fn numbers_are_sorted_cards_are_dealt_and_particles_move() {
    let mut all: Vec<u32> = (0..32).flat_map(all_to_all::numbers).collect();
    all.sort_unstable();
    let sorted = all_to_all::ALGORITHMS.map(|algorithm| {
        let run = all_to_all::sorted(&algorithm).unwrap();
        assert_eq!(run.outputs.concat(), all, "{algorithm}");
        run.report.makespan
    });
    assert_times(&sorted, &["12.272320385 ms", "3.638498999 ms"]);

    let dealt_out = all_to_all::ALGORITHMS.map(|algorithm| {
        let run = all_to_all::dealt_out(&algorithm).unwrap();
        let of = |rank: u32| (rank..32_000).step_by(32);
        assert!(
            (0..).zip(&run.outputs).all(|(rank, cards)| cards.iter().copied().eq(of(rank))),
            "{algorithm}"
        );
        run.report.makespan
    });
    assert_times(&dealt_out, &["9.3192625 ms", "2.728 ms"]);

    let run = all_to_all::moved().unwrap();
    assert_eq!((run.report.makespan.to_string().as_str(), run.report.messages), ("643.15 us", 224));
    assert_eq!(run.outputs.iter().map(Vec::len).sum::<usize>(), 32 * all_to_all::EACH);
    for (rank, particles) in (0..).zip(&run.outputs) {
        assert!(particles.iter().all(|&[at, _]| at / all_to_all::CELL == rank), "node {rank}");
    }
}

#[test]
fn all_algorithms_exchange_the_same() {
    let machine = Machine::cm5(32).build().unwrap();
    let instance = exchange_algorithms::instance(&machine).unwrap();
    let bound = instance.lower_bound();
    assert_eq!(bound.time().to_string(), "32.856199593 ms");
    let expected = [
        ("linear", "-"),
        ("modified", "568.618625 ms"),
        ("pairwise", "49.285325 ms"),
        ("random", "39.415034855 ms"),
        ("measured", "39.355275 ms"),
        ("early", "42.092073574 ms"),
        ("improved", "39.013975 ms"),
        ("two-stage", "90.2593625 ms"),
        ("shuffled", "90.4218625 ms"),
        ("scheduled", "84.185213955 ms"),
        ("sorting", "190.722 ms"),
        ("colored", "32.8572 ms"),
        ("balanced", "32.8572 ms"),
        ("sliced", "41.28040625 ms"),
        ("packed", "34.6432 ms"),
        ("relayed", "69.2899 ms"),
        ("detour", "34.776135 ms"),
        ("bruck", "147.678125 ms"),
        ("levels", "100.041060001 ms"),
        ("mixed", "32.8572 ms"),
        ("apart", "32.9464 ms"),
    ];
    let [auto, others @ ..] = multicomputer::all_to_all::Algorithm::ALL else { panic!("*Auto* and others") };
    assert_eq!((auto.name(), others.len()), ("auto", expected.len()));
    let planned = |algorithm| exchange_algorithms::planned(&machine, &instance, algorithm).unwrap();
    let (least, fastest) = planned(auto).unwrap();
    for (algorithm, (name, modeled)) in others.iter().zip(expected) {
        let plan = planned(algorithm);
        let time = plan.map_or_else(|| "-".to_owned(), |(time, _)| time.to_string());
        assert_eq!((algorithm.name(), time.as_str()), (name, modeled));
    }
    let run = exchange_algorithms::run(&machine, &fastest, exchange_algorithms::bytes).unwrap();
    assert_eq!(run.since_start(), least);
}

#[test]
fn real_time_has_the_modeled_times_of_virtual_time() {
    let virtually = real_time::halving(10, Clock::Virtual).unwrap();
    assert_eq!(virtually.report.makespan.as_picos(), 6_623_062_442);
    assert_eq!(virtually.report.messages, 472);
    let really = real_time::halving(10, Clock::RealTime { dilation: Dilation::Fixed(0.5) }).unwrap();
    assert_eq!(really.outputs, virtually.outputs);
    assert_eq!(really.report.nodes, virtually.report.nodes);
}

#[test]
fn the_host_gives_the_sums_of_the_paragon() {
    let paragon = host_threads::sum(&Machine::paragon(4, 4).build().unwrap()).unwrap();
    assert_eq!(paragon.report.makespan.as_picos(), 698_840_195_003);
    let host = host_threads::sum(&Machine::host(5).build().unwrap()).unwrap();
    assert_eq!((paragon.outputs[0], host.outputs[4]), (120, 10));
    assert!(!host.report.is_modeled && host.report.links.is_empty());
}

#[test]
fn heat_is_the_same_on_a_paragon_and_on_threads() {
    for nodes in [1, 2, 5] {
        let heat = mpi::on_two_machines(nodes).unwrap();
        // Nothing gets lost, and all know the temperatures of every third node.
        let all: f64 = (0..1000 * nodes).map(|cell| (cell % 97) as f64).sum();
        for (sum, middles) in heat {
            assert!((sum - all).abs() < 1e-9 * all, "{sum} instead of {all}");
            assert_eq!(middles.len(), nodes.div_ceil(3));
        }
    }
    let run = Machine::paragon(1, 4).build().unwrap().run(mpi::program).unwrap();
    assert_eq!(run.report.makespan.to_string(), "152.484574978 ms");
}

#[test]
fn two_of_three_orders_are_deadlocks() {
    let machine = orders::machine().unwrap();
    assert_eq!(orders::run(&machine).unwrap().outputs, [73, 0, 0]);
    let found = orders::explore(&machine).unwrap();
    assert_eq!((found.orders(), found.results().len(), found.failures().len()), (3, 1, 2), "{found}");
    for failure in found.failures() {
        let replayed = orders::replay(&machine, &failure.order).unwrap_err();
        assert_eq!(replayed.to_string(), failure.error.to_string());
        let RunError::Deadlock(report) = replayed else { panic!("{found}") };
        assert_eq!(report.blocked[0].rank, 0);
    }
}
