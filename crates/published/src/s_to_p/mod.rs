//! S-to-p broadcasting on a Paragon: the report of Hambrusch, Khokhar and Liu, and its conference version.
//!
//! Times are predictions, which equal the times of runs in virtual time. In the claims "clearly" means by about 10 % or
//! more. *Br_Lin* is evaluated with both node orders: the snake of the text, and row-major order.

mod conference;
mod layer;
mod moving;
mod patterns;
mod scaling;
mod structure;

use Distribution::{Band, Column, Cross, Equal, LeftDiagonal, RightDiagonal, Row, SquareBlock};
use multicomputer::{
    Rank,
    pattern::{Builder, Exchange, Schedule, Transfer, line},
    s_to_p::{Algorithm, Distribution, Instance, Plan, ideal_places},
    topology::Grid,
};

use super::{Axis, Chart, Claim, Job, Outcome, Paper, Series, Timed, Value, least, most, paragon, percent};

const BR_LIN: Algorithm = Algorithm::BR_LIN;
const BR_LIN_ROW_MAJOR: Algorithm = Algorithm::BR_LIN_ROW_MAJOR;
const BR_XY_DIM: Algorithm = Algorithm::BR_XY_DIM;
const BR_XY_SOURCE: Algorithm = Algorithm::BR_XY_SOURCE;
const PART_XY_SOURCE: Algorithm = Algorithm::PART_XY_SOURCE;
const REPOS: Algorithm = Algorithm::REPOS_BR_XY_SOURCE;
const TWO_STEP: Algorithm = Algorithm::TWO_STEP;
const XOR: Algorithm = Algorithm::XOR;
/// The algorithms that combine messages by recursive halving: the three of the papers, *Br_Lin* in both node orders.
const HALVINGS: [Algorithm; 4] = [BR_LIN, BR_LIN_ROW_MAJOR, BR_XY_SOURCE, BR_XY_DIM];
/// All algorithms of figures 2 to 4.
const FIVE: [Algorithm; 6] = [BR_LIN, BR_LIN_ROW_MAJOR, BR_XY_SOURCE, BR_XY_DIM, TWO_STEP, XOR];
/// The distributions of figures 8 and 9 of the conference version.
const REPOSITIONED: [Distribution; 4] = [Equal, Cross, Band, SquareBlock];

/// The jobs of the report.
pub(super) const REPORT: &[Job] = &[
    structure::GOOD_AND_POOR,
    scaling::FIGURE_2,
    scaling::FIGURE_3,
    scaling::FIGURE_4,
    patterns::FIGURE_5,
    patterns::FIGURE_6,
    patterns::FIGURE_7,
    moving::PERMUTATION,
    moving::FIGURE_8,
    moving::FIGURE_9,
    structure::DISTRIBUTIONS,
    moving::HALVES,
    moving::LENGTHS,
];

/// The jobs of the conference version.
pub(super) const CONFERENCE: &[Job] = &[
    conference::FIGURE_8,
    conference::FIGURE_9,
    conference::BREAK_EVEN,
    conference::PARTITIONING,
    conference::T3D,
    conference::DIAGONALS,
    layer::PORTABLE,
];

fn grid(mesh: &str) -> Grid {
    mesh.parse().expect("the mesh of a published result is one")
}

fn place(mesh: &str, distribution: &Distribution, sources: usize) -> Vec<Rank> {
    distribution.place(grid(mesh), sources).expect("published sources have a place")
}

fn plan(mesh: &str, sources: &[Rank], length: u64, algorithm: Algorithm) -> Plan {
    plan_of(mesh, sources, &vec![length; sources.len()], algorithm)
}

fn plan_of(mesh: &str, sources: &[Rank], lengths: &[u64], algorithm: Algorithm) -> Plan {
    let instance = Instance::new(&paragon(mesh), sources, lengths).expect("a published broadcast is one");
    algorithm.plan(&instance).expect("a published broadcast can be planned")
}

/// Returns the time of a plan, with its program.
fn timed(mesh: &str, plan: &Plan) -> Timed {
    Timed::schedule(&paragon(mesh), plan.schedule())
}

/// Returns the time of a broadcast, with its program.
fn broadcast(mesh: &str, sources: &[Rank], length: u64, algorithm: Algorithm) -> Timed {
    timed(mesh, &plan(mesh, sources, length, algorithm))
}

/// Returns the time of a plan in milliseconds.
fn millis(plan: &Plan) -> f64 {
    plan.prediction().modeled.since_start().as_millis_f64()
}

/// Returns the time of a broadcast in milliseconds.
fn time(mesh: &str, distribution: &Distribution, sources: usize, length: u64, algorithm: Algorithm) -> f64 {
    time_from(mesh, &place(mesh, distribution, sources), length, algorithm)
}

fn time_from(mesh: &str, sources: &[Rank], length: u64, algorithm: Algorithm) -> f64 {
    millis(&plan(mesh, sources, length, algorithm))
}

/// Creates a schedule of one iteration that sends all messages at the same time; each is source, destination and bytes.
fn permutation(mesh: &str, messages: &[(Rank, Rank, u64)]) -> Schedule {
    let (from, bytes): (Vec<Rank>, Vec<u64>) = messages.iter().map(|&(from, _, bytes)| (from, bytes)).unzip();
    let mut builder = Builder::new(grid(mesh).nodes(), &from, &bytes, Exchange::Together);
    let transfer =
        |(&(from, to, _), block): (&(Rank, Rank, u64), u32)| Transfer { from, to, blocks: [block].into() };
    builder.iteration(messages.iter().zip(0..).map(transfer));
    builder.finish()
}

/// Returns the messages of one iteration: source, destination, bytes.
fn messages(plan: &Plan, iteration: usize) -> Vec<(Rank, Rank, u64)> {
    let schedule = plan.schedule();
    let messages = (0..schedule.nodes()).flat_map(|from| {
        let steps = schedule.steps(from).iter().filter(move |step| step.iteration == iteration);
        steps.filter_map(move |step| step.action.sent().map(|message| (from, message.peer, message.bytes)))
    });
    messages.collect()
}

/// Returns the time of a single iteration of a plan, run without the other iterations.
fn alone(mesh: &str, plan: &Plan, iteration: usize) -> Timed {
    Timed::schedule(&paragon(mesh), &permutation(mesh, &messages(plan, iteration)))
}

/// Returns the time of the first step of *Repos*, the repositioning, with its program.
fn repositioning_alone(mesh: &str, distribution: &Distribution, sources: usize, length: u64) -> Timed {
    alone(mesh, &plan(mesh, &place(mesh, distribution, sources), length, REPOS), 0)
}

/// Returns the time of the first step of *Repos* in milliseconds.
fn repositioning(mesh: &str, distribution: &Distribution, sources: usize, length: u64) -> f64 {
    repositioning_alone(mesh, distribution, sources, length).millis
}

/// Returns the sources in ideal rows, as *Repos* positions them.
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
