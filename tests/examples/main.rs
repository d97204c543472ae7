//! Every example is a test: what it finds, and its modeled times to the picosecond.
#![expect(dead_code, reason = "`main` of an example is for `cargo run --example`")]

pub mod collective;
pub mod general;
pub mod pictures;
pub mod schedules;
pub mod textbook;
