//! Tests that want the process for themselves: they measure wall-clock time and processor time, or count threads. An
//! executable of their own keeps other tests away, for cargo runs one after the other; [`support::alone`] keeps them
//! away from each other.

mod failures;
mod real_time;
#[path = "../support/mod.rs"]
mod support;
