//! What the papers publish about s-to-p broadcasting, beside what comes out here: modeled time on a Paragon, with the
//! one set of parameters of the preset.
//!
//! *The report* is Hambrusch, Khokhar, Liu, "S-to-P Broadcasting on Coarse-Grained Machines", CSD-TR-95-060 (1995);
//! *the conference version* is its later, shorter form. Each test is named after a claim and asserts what the model
//! gives. Where that is not what is published the comment begins with **Does not hold**, and says why.
//!
//! Times are predictions, which are the times of runs in virtual time. "Clearly" means by about 10 % or more. The
//! tables of `docs/s-to-p.md` are checked row by row.

mod conference;
mod document;
mod report;

use multicomputer::{
    Rank,
    pattern::{Builder, Exchange, Schedule, Transfer, line},
    plan::predict,
    stop::{Algorithm, Distribution, Instance, Plan, ideal_places},
    topology::Grid,
};

use crate::{paragon, support::assert_within};

const AUTO: Algorithm = Algorithm::AUTO;
const BR_LIN: Algorithm = Algorithm::BR_LIN;
const BR_LIN_ROW_MAJOR: Algorithm = Algorithm::BR_LIN_ROW_MAJOR;
const BR_XY_DIM: Algorithm = Algorithm::BR_XY_DIM;
const BR_XY_SOURCE: Algorithm = Algorithm::BR_XY_SOURCE;
const IN_TURN: Algorithm = Algorithm::IN_TURN;
const PART_XY_SOURCE: Algorithm = Algorithm::PART_XY_SOURCE;
const TWO_STEP: Algorithm = Algorithm::TWO_STEP;
const XOR: Algorithm = Algorithm::XOR;
use Distribution::{Band, Column, Cross, Equal, LeftDiagonal, RightDiagonal, Row, SquareBlock};

const REPOS: Algorithm = Algorithm::REPOS_BR_XY_SOURCE;
/// The algorithms that combine messages: the three of the papers, *Br_Lin* in both orders of the nodes.
const HALVINGS: [Algorithm; 4] = [BR_LIN, BR_LIN_ROW_MAJOR, BR_XY_SOURCE, BR_XY_DIM];
/// The block of 30 nodes in figure 5; the report does not say which one it is.
const BLOCK: Distribution = Distribution::Block { rows: 5, columns: 6, top: 0, left: 0 };
/// The meshes of figure 7, of 120 nodes.
const OF_120: [&str; 5] = ["4x30", "5x24", "6x20", "8x15", "10x12"];
/// The distributions of figures 8 and 9 of the conference version.
const REPOSITIONED: [Distribution; 4] = [Equal, Cross, Band, SquareBlock];

fn grid(mesh: &str) -> Grid {
    mesh.parse().unwrap()
}

fn place(mesh: &str, distribution: &Distribution, sources: usize) -> Vec<Rank> {
    distribution.place(grid(mesh), sources).unwrap()
}

fn plan(mesh: &str, sources: &[Rank], length: u64, algorithm: Algorithm) -> Plan {
    let instance = Instance::new(&paragon(mesh), sources, &vec![length; sources.len()]).unwrap();
    algorithm.plan(&instance).unwrap()
}

/// Milliseconds of a broadcast.
fn time(mesh: &str, distribution: &Distribution, sources: usize, length: u64, algorithm: Algorithm) -> f64 {
    time_from(mesh, &place(mesh, distribution, sources), length, algorithm)
}

fn time_from(mesh: &str, sources: &[Rank], length: u64, algorithm: Algorithm) -> f64 {
    plan(mesh, sources, length, algorithm).prediction().modeled.since_start().as_millis_f64()
}

fn time_of(mesh: &str, schedule: &Schedule) -> f64 {
    predict(&paragon(mesh), schedule).unwrap().modeled.since_start().as_millis_f64()
}

/// Messages of so many bytes, all at the same time, and nothing else.
fn permutation(mesh: &str, messages: &[(Rank, Rank, u64)]) -> Schedule {
    let (from, bytes): (Vec<Rank>, Vec<u64>) = messages.iter().map(|&(from, _, bytes)| (from, bytes)).unzip();
    let mut builder = Builder::new(grid(mesh).nodes(), &from, &bytes, Exchange::Together);
    let transfer =
        |(&(from, to, _), block): (&(Rank, Rank, u64), u32)| Transfer { from, to, blocks: [block].into() };
    builder.iteration(messages.iter().zip(0..).map(transfer));
    builder.finish()
}

/// The messages of one iteration: from, to, bytes.
fn messages(plan: &Plan, iteration: usize) -> Vec<(Rank, Rank, u64)> {
    let schedule = plan.schedule();
    let messages = (0..schedule.nodes()).flat_map(|from| {
        let steps = schedule.steps(from).iter().filter(move |step| step.iteration == iteration);
        steps.filter_map(move |step| step.action.sent().map(|message| (from, message.peer, message.bytes)))
    });
    messages.collect()
}

/// What one iteration of a plan takes on its own.
fn alone(mesh: &str, plan: &Plan, iteration: usize) -> f64 {
    time_of(mesh, &permutation(mesh, &messages(plan, iteration)))
}

/// What the first step of *Repos* takes on its own.
fn repositioning(mesh: &str, distribution: &Distribution, sources: usize, length: u64) -> f64 {
    alone(mesh, &plan(mesh, &place(mesh, distribution, sources), length, REPOS), 0)
}

/// Rows as *Repos* places them.
fn ideal_rows(mesh: &str, sources: usize) -> Vec<Rank> {
    ideal_lines(line::rows(grid(mesh)), sources)
}

fn ideal_columns(mesh: &str, sources: usize) -> Vec<Rank> {
    ideal_lines(line::columns(grid(mesh)), sources)
}

fn ideal_lines(lines: Vec<Vec<Rank>>, sources: usize) -> Vec<Rank> {
    let places = ideal_places(lines.len(), sources.div_ceil(lines[0].len()));
    places.into_iter().flat_map(|place| lines[place].clone()).take(sources).collect()
}

fn least(times: impl IntoIterator<Item = f64>) -> f64 {
    times.into_iter().fold(f64::INFINITY, f64::min)
}

fn most(times: impl IntoIterator<Item = f64>) -> f64 {
    times.into_iter().fold(f64::NEG_INFINITY, f64::max)
}
