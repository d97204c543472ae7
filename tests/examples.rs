//! Every example is a test: what it finds, and its modeled times to the picosecond.
#![expect(dead_code, reason = "`main` of an example is for `cargo run --example`")]

use multicomputer::{Run, Time, error::RunError};

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
