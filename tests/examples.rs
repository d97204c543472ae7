//! Every example is a test: what it finds, and its modeled times to the picosecond.
#![expect(dead_code, reason = "`main` of an example is for `cargo run --example`")]

use multicomputer::{
    Machine, Run, Time,
    error::RunError,
    stop::{Algorithm, Distribution},
};

#[path = "../examples/05_deadlock.rs"]
pub mod deadlock;
#[path = "../examples/01_hello.rs"]
pub mod hello;
#[path = "../examples/02_ring.rs"]
pub mod ring;
#[path = "../examples/04_rows_and_columns.rs"]
pub mod rows_and_columns;
#[path = "../examples/03_shared_link.rs"]
pub mod shared_link;
#[path = "../examples/10_stop_auto.rs"]
pub mod stop_auto;
#[path = "../examples/07_stop_halving.rs"]
pub mod stop_halving;
#[path = "../examples/09_stop_repositioning.rs"]
pub mod stop_repositioning;
#[path = "../examples/08_stop_two_operations.rs"]
pub mod stop_two_operations;
#[path = "../examples/06_trace.rs"]
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
    assert_eq!(run.report.modeled.to_string(), "1.0432 ms");
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
    assert_eq!(
        report.to_string(),
        "deadlock: 4 nodes are blocked\n  \
         node 0 waits since 0 s for a message from node 3 in the world\n  \
         node 1 waits since 10 us for a message from node 0 in the world\n  \
         node 2 waits since 20 us for a message from node 1 in the world\n  \
         node 3 waits since 30 us for a message from node 2 in the world\n  \
         cycle: 0 -> 3 -> 2 -> 1 -> 0"
    );
    let run = deadlock::listen_and_speak(&machine).unwrap();
    assert_eq!(finished(&run), [130_250_000; 4]);
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
    assert_eq!(run.report.modeled.as_picos(), 1_521_483_200);
    assert_eq!(run.trace.len(), 17);
    assert_eq!(run.trace.iter().map(|event| event.end).max(), Some(run.report.modeled));
    assert_eq!(run.trace[0].start, Time::ZERO);
    assert!(serde_json::from_slice::<serde_json::Value>(&file).is_ok());
    assert!(written().1 == file, "a second run wrote another trace");
}

#[test]
fn halving_depends_on_where_the_sources_are() {
    for (distribution, expected) in [
        (Distribution::Row, ["6.935124715 ms", "6.621766586 ms", "8.021694025 ms"]),
        (Distribution::Cross, ["6.468366079 ms", "9.235080555 ms", "9.235080555 ms"]),
    ] {
        for (algorithm, expected) in stop_halving::HALVINGS.into_iter().zip(expected) {
            let (plan, run) = stop_halving::broadcast(algorithm, &distribution).unwrap();
            assert_eq!(run.report.modeled.to_string(), expected, "{algorithm}, {distribution}");
            assert_eq!(run.report.modeled, plan.prediction().modeled);
            let sum: u64 = plan.instance().sources().iter().map(|&source| source as u64 * 2048).sum();
            assert_eq!(run.outputs, [sum; 100]);
        }
    }
}

#[test]
fn two_operations_are_fine_on_four_nodes_only() {
    let modeled = |side| {
        stop_two_operations::ALGORITHMS.map(|algorithm| {
            stop_two_operations::broadcast(algorithm, side, side).unwrap().modeled.to_string()
        })
    };
    assert_eq!(modeled(2), ["661.170133 us", "708.872 us", "661.210133 us"]);
    assert_eq!(modeled(4), ["2.723756799 ms", "1.6997936 ms", "1.38513203 ms"]);
    assert_eq!(modeled(8), ["9.809678694 ms", "3.564312 ms", "2.249801422 ms"]);
}

#[test]
fn repositioning_pays_on_a_cross() {
    let times = stop_repositioning::ALGORITHMS
        .map(|algorithm| stop_repositioning::predicted(algorithm).unwrap().to_string());
    assert_eq!(times, ["4.864736 ms", "3.576319373 ms", "3.444595012 ms"]);
}

#[test]
fn auto_takes_what_it_predicts_and_beats_the_papers() {
    let machine = Machine::paragon(7, 13).build().unwrap();
    for (unit, expected) in
        [(0, "1.28884 ms"), (100, "1.831671594 ms"), (1000, "5.817900754 ms"), (10_000, "45.645815807 ms")]
    {
        let instance = stop_auto::instance(&machine, unit).unwrap();
        let plan = Algorithm::Auto.plan(&instance).unwrap();
        let run = stop_auto::broadcast(&machine, &plan).unwrap();
        assert_eq!(run.outputs, [78 * unit; 91]);
        assert_eq!(run.report.modeled.to_string(), expected);
        assert_eq!(run.report.modeled, plan.prediction().modeled);
        for algorithm in Algorithm::PAPER {
            let papers = algorithm.plan(&instance).unwrap().prediction().modeled;
            assert!(run.report.modeled <= papers, "{unit}: {algorithm}");
        }
    }
}
