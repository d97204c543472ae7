//! What stands on the machine: collective operations, many-to-many exchanges, s-to-p broadcasts, the calls of NX, the
//! algorithms of the textbook. What they are compared with that is published is in `crates/published/tests`.

mod all_to_all;
mod call_overhead;
mod collective;
#[path = "../support/conformance/mod.rs"]
mod conformance;
mod conforming;
mod corpus;
mod laws;
mod nx;
mod rendezvous;
mod s_to_p;
#[path = "../support/mod.rs"]
mod support;
mod textbook;
mod unequal;
