//! The machine itself: messages, groups, requests, active messages, networks, traces, and that modeled time is exact and
//! the same in every run.
//!
//! What measures wall-clock time is in `tests/alone`.

mod active;
mod explain;
mod faults;
mod groups;
mod host;
mod layers;
mod messages;
mod networks;
mod phases;
mod properties;
mod rendezvous;
mod requests;
#[path = "../support/mod.rs"]
mod support;
mod ties;
mod traces;
mod virtual_time;
mod worked_examples;
