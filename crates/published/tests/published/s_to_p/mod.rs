//! S-to-p broadcasting: the tables of `docs/s-to-p.md`. What the papers claim is in `crates/published/src/s_to_p`.

mod document;

use multicomputer::{
    Rank,
    s_to_p::{Algorithm, Distribution, Instance, Plan},
};

use crate::{paragon, support::assert_within};

const AUTO: Algorithm = Algorithm::AUTO;
const BR_XY_SOURCE: Algorithm = Algorithm::BR_XY_SOURCE;
const IN_TURN: Algorithm = Algorithm::IN_TURN;
const XOR: Algorithm = Algorithm::XOR;
use Distribution::{Column, Cross, Equal, RightDiagonal, Row};

fn place(mesh: &str, distribution: &Distribution, sources: usize) -> Vec<Rank> {
    distribution.place(mesh.parse().unwrap(), sources).unwrap()
}

/// Milliseconds of a broadcast.
fn time(mesh: &str, distribution: &Distribution, sources: usize, length: u64, algorithm: Algorithm) -> f64 {
    let sources = place(mesh, distribution, sources);
    let instance = Instance::new(&paragon(mesh), &sources, &vec![length; sources.len()]).unwrap();
    algorithm.plan(&instance).unwrap().prediction().modeled.since_start().as_millis_f64()
}
