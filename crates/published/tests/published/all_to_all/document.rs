//! The tables of `docs/all-to-all.md`, made anew and compared with what stands there. All times are modeled.
//!
//! When a table is not what it should be the test says what it should be. To have all of them written into the
//! document:
//!
//! ```sh
//! WRITE_TABLES=1 cargo test --release --test published exchange
//! ```

use std::{env, fs, sync::Mutex};

use multicomputer::{Rank, Span, all_to_all::Algorithm, plan::LowerBound};
use multicomputer_picture::Chart;

use super::*;
use crate::{
    jobs::outcome,
    paragon,
    support::{
        document::{read, root, rows},
        is_full,
    },
};

/// One test at a time reads and writes the document.
static DOCUMENT: Mutex<()> = Mutex::new(());

/// The table with this header must have so many rows, and these; or it gets them, if that is asked for. Without
/// [`is_full`] every other row is looked at.
fn the_table_has(header: &str, count: usize, row: impl Fn(usize) -> String) {
    the_table_has_every(if is_full() { 1 } else { 2 }, header, count, row);
}

/// As [`the_table_has`], where every so many rows are looked at.
fn the_table_has_every(every: usize, header: &str, count: usize, row: impl Fn(usize) -> String) {
    const FILE: &str = "docs/all-to-all.md";
    let is_written = env::var_os("WRITE_TABLES").is_some();
    let every = if is_written { 1 } else { every };
    let expected: Vec<(usize, String)> = (0..count).step_by(every).map(|nth| (nth, row(nth))).collect();
    let _guard = DOCUMENT.lock();
    let mut text = read(FILE);
    let (rows, place) = rows(&text, header);
    if rows.len() == count && expected.iter().all(|(nth, row)| rows[*nth] == row) {
        return;
    }
    let table: String = expected.iter().map(|(_, row)| format!("{row}\n")).collect();
    assert!(
        is_written,
        "{FILE} should have {count} rows, and these (WRITE_TABLES=1 writes them):\n{header}\n{table}"
    );
    text.replace_range(place, &table);
    fs::write(root().join(FILE), text).unwrap();
}

/// A plan, what it takes, and what nothing can beat. What cannot be predicted is run.
fn planned(machine: &MachineSpec, matrix: Arc<Matrix>, algorithm: Algorithm) -> (Plan, Span, LowerBound) {
    let instance = Instance::new(machine, matrix).unwrap();
    let plan = algorithm.plan(&instance).unwrap();
    let modeled = modeled(&plan, &instance);
    (plan, modeled.since_start(), instance.lower_bound())
}

/// 2^10 is 1 KiB.
fn size(bytes: u64) -> String {
    multicomputer::units::format_bytes(bytes)
}

/// Every algorithm has its row, in the order of the registry, with what the library says of it and its file.
#[test]
fn the_table_of_algorithms() {
    let folder = "src/all_to_all/algorithm";
    let mut files: Vec<String> = fs::read_dir(root().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|file| file.ends_with(".rs"))
        .collect();
    files.sort_unstable();
    let texts: Vec<String> = files.iter().map(|file| read(&format!("{folder}/{file}"))).collect();
    let line = |nth: usize| {
        let algorithm = &Algorithm::ALL[nth];
        let entry = format!("(\"{}\",", algorithm.name());
        let file = files.iter().zip(&texts).find(|(_, text)| text.contains(&entry));
        let (file, _) = file.unwrap_or_else(|| panic!("no file has {entry}"));
        let unpredictable = (!algorithm.is_predictable()).then_some("only a run can tell what it takes");
        let limits = Some(algorithm.limits()).filter(|limits| !limits.is_empty());
        let limits: Vec<&str> = algorithm.restrictions().chain(unpredictable).chain(limits).collect();
        let limits = if limits.is_empty() { "-".to_owned() } else { limits.join("; ") };
        let (name, about) = (algorithm.name(), algorithm.about());
        format!(
            "| `{name}` | {about} | {} | {limits} | {} | `{file}` |",
            algorithm.cost(),
            algorithm.source()
        )
    };
    let header = "| name | what it does | cost | restrictions | source | file |";
    the_table_has_every(1, header, Algorithm::ALL.len(), line);
}

/// Every claim names a test that exists.
#[test]
fn the_table_of_claims() {
    let text = read("docs/all-to-all.md");
    let tests = [
        "crates/published/src/all_to_all/bounds.rs",
        "crates/published/src/all_to_all/measured.rs",
        "crates/published/src/all_to_all/packets.rs",
        "crates/published/src/all_to_all/scheduled.rs",
        "tests/examples/general.rs",
        "crates/published/tests/published/all_to_all/document.rs",
        "src/all_to_all/algorithm_tests.rs",
        "src/all_to_all/algorithm/two_stage/split.rs",
        "src/all_to_all/matrix/figures.rs",
    ]
    .map(read);
    let (rows, _) = rows(&text, "| where | claim | holds here? | test |");
    assert!(rows.len() >= 8);
    for row in rows {
        let name = row.rsplit('`').nth(1).unwrap_or_default();
        assert!(tests.iter().any(|tests| tests.contains(&format!("fn {name}("))), "{row}");
    }
}

/// The height of a line of a chart at its n-th point.
fn height(chart: &Chart, name: &str, nth: usize) -> f64 {
    chart.lines.iter().find(|line| line.name == name).unwrap().points[nth][1]
}

/// "The algorithm [..] takes time `2 t mu` (+ lower order terms)".
#[test]
fn the_table_of_two_stages() {
    let chart = &outcome("S4-C").charts[0];
    let line = |nth: usize| {
        let traffic = 1 << (10 + 2 * nth);
        let two_t_mu = 2.0 * traffic as f64 * 125e-6;
        let names =
            ["complete, k = 32", "complete, k = 2", "CM-5, k = 32", "CM-5, k = 2", "CM-5, k = 32, relayed"];
        let ratios = names.map(|name| format!("{:.3}", height(chart, name, nth))).join(" | ");
        format!("| {} | {two_t_mu:.3} | {ratios} |", size(traffic))
    };
    the_table_has_every(
        1,
        "| t | 2 t mu, ms | complete, k = 32 | complete, k = 2 | CM-5, k = 32 | CM-5, k = 2 | CM-5, k = 32, *relayed* |",
        7,
        line,
    );
}

/// Figures 9 and 10.
#[test]
fn the_table_of_figures_9_and_10() {
    let cases = [("9: k = 32, l = 1/32", "S4-F9"), ("10: k = 2, l = 1/2", "S4-F10")];
    let line = |nth: usize| {
        let (figure, id) = cases[nth / 6];
        let algorithms = [Algorithm::RANDOM, Algorithm::IMPROVED, Algorithm::TWO_STAGE, Algorithm::AUTO];
        let times @ [random, improved, two_stage, _] =
            algorithms.map(|algorithm| height(&outcome(id).charts[0], algorithm.name(), nth % 6));
        let times = times.map(|time| format!("{time:.3}")).join(" | ");
        let (plain, better) = (two_stage / random, two_stage / improved);
        format!("| {figure} | {} | {times} | {plain:.2} | {better:.2} |", size(1 << (10 + 2 * (nth % 6))))
    };
    the_table_has_every(
        1,
        "| figure | t | random | improved | two-stage | auto | two-stage / random | two-stage / improved |",
        12,
        line,
    );
}

/// A number that follows from others without any pattern to be seen.
fn mixed(from: Rank, to: Rank) -> u64 {
    let mut mixed = (((from as u64) << 32) | to as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 29)
}

/// Makes a matrix for a number of nodes, with a traffic of about a number of bytes.
type Kind = fn(usize, u64) -> Arc<Matrix>;

/// Matrices of different kinds.
const KINDS: [(&str, Kind); 9] = [
    ("uniform", |nodes, t| of(nodes, |_, _| t / (nodes as u64 - 1))),
    ("permutation", |nodes, t| generated(nodes, 1, 0.5, t, 1)),
    ("transpose", |nodes, t| {
        let rows = 1 << (nodes.ilog2() / 2);
        let columns = nodes / rows;
        of(nodes, |from, to| if to == from % columns * rows + from / columns { t } else { 0 })
    }),
    ("few", |nodes, t| of(nodes, |from, to| if mixed(from, to) % nodes as u64 / 4 == 0 { t / 4 } else { 0 })),
    ("hot", |nodes, t| of(nodes, |_, to| if to == 0 { t / nodes as u64 } else { t / nodes as u64 / 8 })),
    ("empty rows", |nodes, t| of(nodes, |from, _| if from % 2 == 0 { t / nodes as u64 } else { 0 })),
    ("pareto", |nodes, t| {
        let chance = |from, to| (1.0 + mixed(from, to) as f64) / 2_f64.powi(64);
        of(nodes, |from, to| {
            ((t as f64 / nodes as f64 / 6.0 / chance(from, to).powf(1.0 / 1.2)) as u64).min(t / 4)
        })
    }),
    ("k = 2, l = 1/2", |nodes, t| generated(nodes, 2, 0.5, t, 1)),
    ("k = p, l = 1/p", |nodes, t| generated(nodes, nodes, 1.0 / nodes as f64, t, 1)),
];

fn of(nodes: usize, bytes: impl Fn(Rank, Rank) -> u64) -> Arc<Matrix> {
    Arc::new(Matrix::of(nodes, |from, to| if from == to { 0 } else { bytes(from, to) }).unwrap())
}

/// What decides a bound.
fn reason(bound: &LowerBound) -> &'static str {
    bound.decisive().map_or("-", |reason| reason.name())
}

/// How close *Auto* comes to what nothing can beat, where messages are long.
#[test]
fn the_table_of_kinds() {
    let line = |(name, kind): (&str, Kind)| {
        let cell = |machine: &MachineSpec| {
            let matrix = kind(machine.nodes(), 2 << 20);
            let (plan, modeled, bound) = planned(machine, matrix, Algorithm::AUTO);
            let (millis, ratio) = (modeled.as_secs_f64() * 1e3, bound.ratio(modeled).unwrap());
            format!("{} | {millis:.3} | {ratio:.3} | {}", plan.name(), reason(&bound))
        };
        format!("| {name} | {} | {} |", cell(&cm5()), cell(&paragon("16x16")))
    };
    the_table_has(
        "| matrix | CM-5: chosen | ms | / bound | decided by | Paragon: chosen | ms | / bound | decided by |",
        KINDS.len(),
        |nth| line(KINDS[nth]),
    );
}
