//! What tests of several executables share. Each executable compiles it once, as its module `support`.

#![allow(dead_code, reason = "no executable uses all of it")]

use std::{
    env,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use multicomputer::{
    Machine, Run,
    error::{Failure, RunError},
    prelude::*,
};

pub(crate) mod disturbance;
pub(crate) mod document;

/// A test that hangs is to fail instead. No test is meant to come near it, on a busy host neither.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Whether matrices of cases are run in full: if `MULTICOMPUTER_TESTS` is `full`. Otherwise tests
/// take a part of them that always is the same one, and say which.
pub(crate) fn is_full() -> bool {
    mode().is_some()
}

/// Whether random instances are run by the thousand, for half an hour and more: if `MULTICOMPUTER_TESTS` is `long`, which is full,
/// too.
pub(crate) fn is_long() -> bool {
    mode().as_deref() == Some("long")
}

fn mode() -> Option<String> {
    match env::var("MULTICOMPUTER_TESTS") {
        Err(env::VarError::NotPresent) => None,
        Ok(mode) if mode == "full" || mode == "long" => Some(mode),
        other => panic!("MULTICOMPUTER_TESTS is {other:?}; it may be \"full\", \"long\" or not set at all"),
    }
}

/// Numbers of nodes up to `most`: all of them in full. Otherwise all up to 9, where everything is met that is special on
/// few nodes, and then a power of two and its neighbours, and numbers that are even, odd, prime or have many divisors.
pub(crate) fn sizes(most: usize) -> impl Iterator<Item = usize> {
    (1..=most).filter(|size| is_full() || *size <= 9 || [12, 13, 15, 16, 17, 24, 33].contains(size))
}

/// Held by a test that measures time, or counts threads, so that no other one of its executable does so meanwhile.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a program that ends well.
#[track_caller]
pub(crate) fn run<T: Send>(
    machine: &Machine,
    program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
) -> Run<T> {
    let run = machine.run(&program);
    run.unwrap_or_else(|error| panic!("{}: {error}", machine.spec().name()))
}

/// The error that the program of node 0 ends with; the others do nothing.
#[track_caller]
pub(crate) fn failure_of_node_0(
    machine: &Machine,
    program: impl Fn(&Node<'_>) -> Result<(), Failure> + Sync,
) -> CommError {
    match machine.run(|node| if node.rank() == 0 { program(node) } else { Ok(()) }) {
        Err(RunError::Node { rank: 0, source, .. }) => *source.downcast::<CommError>().unwrap(),
        other => panic!("{:?}", other.map(|run| run.report)),
    }
}

/// The text of an error without the places of calls at the ends of its lines: `(src/main.rs:12:24)`, `(last call: src/main.rs:12:24)`.
pub(crate) fn without_places(error: impl std::fmt::Display) -> String {
    let text = error.to_string();
    let lines = text.lines().map(|line| match line.rsplit_once(" (") {
        Some((before, place)) if place.contains(".rs:") && place.ends_with(')') => before,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A value that must be in a range.
#[track_caller]
pub(crate) fn assert_within(value: f64, range: std::ops::RangeInclusive<f64>) {
    assert!(range.contains(&value), "{value} is not in {range:?}");
}
