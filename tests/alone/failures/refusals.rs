//! Machines that cannot be, and some that hardly can.

use std::sync::Barrier;

use super::*;
use crate::support::PATIENCE;

fn refusal(machine: MachineBuilder) -> ConfigError {
    machine.build().unwrap_err()
}

#[test]
fn more_nodes_than_threads_are_refused_before_any_is_started() {
    let _alone = alone();
    let before = threads_of_this_process();
    let error = refusal(mesh(256, 256));
    let ConfigError::TooManyNodes { nodes, allowed, ref limit } = error else { panic!("{error}") };
    assert_eq!(nodes, 65_536);
    assert!(allowed < nodes);
    assert!(!limit.is_empty());
    let text = error.to_string();
    assert!(text.contains("65536") && text.contains(&allowed.to_string()), "{text}");
    assert!(threads_of_this_process() <= before + 2);
}

/// A host may run one of two machines and not both: the second is refused when it is run, by the threads that the first has.
#[test]
fn machines_that_are_too_many_together_are_refused_when_they_run() {
    let _alone = alone();
    let ConfigError::TooManyNodes { allowed, .. } = refusal(mesh(1 << 12, 1 << 12)) else {
        panic!("16 million nodes")
    };
    let line = |nodes| mesh(1, nodes).stack_size(64 << 10).wall_limit(PATIENCE).build();
    let [Ok(first), Ok(second)] = [line(allowed * 3 / 4), line(allowed / 2)] else {
        return; // A host with less memory than threads.
    };
    if allowed > 40_000 {
        return; // A host on which the test would take long.
    }
    let tried = Barrier::new(allowed * 3 / 4);
    let run = first.run(|node| {
        let refused = (node.rank() == 0).then(|| second.run(|_| Ok(())).map(drop));
        // No thread ends before.
        tried.wait();
        Ok(refused)
    });
    let refused = run.unwrap().outputs.swap_remove(0);
    assert!(matches!(refused, Some(Err(RunError::Limits(ConfigError::TooManyNodes { .. })))), "{refused:?}");
    // They may run one after the other.
    assert_eq!(second.run(|_| Ok(())).unwrap().outputs.len(), allowed / 2);
}

#[test]
fn a_mesh_without_rows_or_columns_is_refused() {
    for (rows, columns) in [(0, 4), (4, 0), (0, 0)] {
        let error = refusal(mesh(rows, columns));
        assert!(matches!(error, ConfigError::Topology(TopologyError::Empty { .. })), "{error}");
        assert!(error.to_string().contains(&format!("{rows}x{columns}")), "{error}");
    }
}

#[test]
fn a_mesh_of_absurd_size_is_refused() {
    for (rows, columns) in [(usize::MAX, 2), (usize::MAX, usize::MAX), (1 << 20, 1 << 20)] {
        assert!(matches!(refusal(mesh(rows, columns)), ConfigError::Topology(_)));
    }
}

#[test]
fn a_dilation_that_is_no_positive_number_is_refused() {
    for dilation in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e10] {
        let error = refusal(mesh(1, 2).clock(Clock::RealTime { dilation: Dilation::Fixed(dilation) }));
        assert!(matches!(error, ConfigError::Dilation(_)), "{error}");
        let text = error.to_string();
        assert!(text.contains(&dilation.to_string()) && text.contains("above 0 and at most 1e9"), "{text}");
    }
}

#[test]
fn a_stack_that_is_too_small_is_refused() {
    let _alone = alone();
    let error = refusal(mesh(1, 2).stack_size(4096));
    assert_eq!(error.to_string(), "a stack of 4096 bytes is too small: at least 65536 are needed");
    mesh(1, 2).stack_size(64 << 10).build().unwrap().run(|node| Ok(node.world().barrier()?)).unwrap();
}

/// Such an array does not fit into 256 KiB, and a stack that overflows ends the process.
#[test]
fn programs_have_room_for_arrays_of_their_own() {
    let _alone = alone();
    let run = mesh(1, 2).build().unwrap().run(|node| {
        let array = std::hint::black_box([node.rank() as f64; 50_000]);
        Ok(array.iter().sum::<f64>())
    });
    assert_eq!(run.unwrap().outputs, [0.0, 50_000.0]);
}

/// Parameters that no machine has, but that are numbers within the limits.
#[test]
fn machines_of_absurd_speeds_run_to_an_end() {
    let exchange = |node: &Node<'_>| {
        let other = 1 - node.rank();
        node.world().sendrecv(other, [7_u8; 1000], other)?;
        Ok(node.now()?)
    };
    for (beta, ends) in [(1e-300, 0), (5e-324, 0), (f64::MIN_POSITIVE, 0), (1.0, 1000 * 1_000_000_000_000)] {
        let machine = Machine::mesh(1, 2).parameters(Parameters::builder().beta(beta).build().unwrap());
        let outputs = run(machine, exchange).outputs;
        assert_eq!(outputs.iter().map(|end| end.as_picos()).collect::<Vec<_>>(), [ends; 2], "beta = {beta}");
    }
    let slow = Parameters::builder().link_capacity(1e-300).build().unwrap();
    let error = failure(Machine::mesh(1, 2).parameters(slow), exchange);
    assert!(matches!(error, RunError::TimeOverflow { .. }), "{error}");
    let fast = Parameters::builder().beta(1e-9).link_capacity(1e300).build().unwrap();
    let outputs = run(Machine::mesh(1, 2).parameters(fast), exchange).outputs;
    assert_eq!(outputs.iter().map(|end| end.as_picos()).collect::<Vec<_>>(), [1_000_000; 2]);
}

#[test]
fn a_time_that_is_no_number_ends_the_program_that_makes_it() {
    let error = failure(mesh(1, 2), |node| Ok(node.compute(Span::from_secs_f64(f64::NAN))?));
    let text = error.to_string();
    assert!(matches!(error, RunError::Panicked { .. }), "{text}");
    assert!(
        text.ends_with("panicked: NaN seconds are no interval of time; allowed is any number from 0"),
        "{text}"
    );
    let error = failure(mesh(1, 2), |node| Ok(node.compute(Span::from_secs_f64(f64::INFINITY))?));
    assert!(matches!(error, RunError::TimeOverflow { .. }), "{error}");
}

#[test]
fn a_stack_that_the_host_cannot_give_is_an_error_of_the_run() {
    let error = failure(mesh(1, 2).stack_size(1 << 60), |_| Ok(()));
    assert!(matches!(error, RunError::Spawn { .. }), "{error}");
}
