//! What papers and other libraries publish, beside what comes out here; and the tables of the documents that say so.

mod all_to_all;
mod intercom;
mod jobs;
mod peers;
mod reproduce;
mod s_to_p;
#[path = "../../../../tests/support/mod.rs"]
mod support;
mod today;

use multicomputer::model::{MachineSpec, Parameters};

/// A Paragon of this shape.
fn paragon(mesh: &str) -> MachineSpec {
    let machine: MachineSpec = format!("paragon:{mesh}").parse().unwrap();
    assert_eq!(machine.parameters(), &Parameters::paragon());
    machine
}
