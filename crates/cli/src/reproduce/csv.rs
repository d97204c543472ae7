//! The results of a job as rows of one table: first its values, then its claims with their checks, then the points of its
//! figures.

use multicomputer::report::RealTimeReport;
use multicomputer_picture::Chart;
use multicomputer_published::{Claim, Job, Outcome, Value};

use super::Runs;

/// `found` and `expected` are of checks: what comes out behind a claim, and what is expected to of the model as it is. `record` is `value`, `claim`, `check` or `point`. A point is `modeled`, by `formula` or `published`, and has `x` and `y`; where an axis has
/// names, `x` is one.
pub(super) const HEADER: &str = "id record what unit published modeled error_percent kind sure verdict real pace why found expected chart line x_axis x y_axis y";

/// The rows.
pub(super) fn rows<'a>(
    job: &'a Job,
    outcome: &'a Outcome,
    runs: &'a Runs,
) -> impl Iterator<Item = Vec<String>> + 'a {
    let run = |nth: usize| runs.get(nth).and_then(Option::as_ref);
    let values = outcome.values.iter().enumerate().map(move |(nth, of)| value(of, run(nth)));
    let claims = outcome.claims.iter().flat_map(claim);
    let points = outcome.charts.iter().flat_map(points);
    values.chain(claims).chain(points).map(|cells| row(job, &cells))
}

/// Some cells by the names of their columns; the others are empty.
type Cells<'a> = Vec<(&'a str, String)>;

fn row(job: &Job, cells: &Cells<'_>) -> Vec<String> {
    let cell = |column: &str| match column {
        "id" => job.id().to_owned(),
        column => {
            cells.iter().find(|(name, _)| *name == column).map(|(_, cell)| cell.clone()).unwrap_or_default()
        }
    };
    HEADER.split_whitespace().map(cell).collect()
}

fn value<'a>(value: &Value, run: Option<&RealTimeReport>) -> Cells<'a> {
    vec![
        ("record", "value".to_owned()),
        ("what", value.what.replace('*', "")),
        ("unit", value.unit.to_owned()),
        ("published", value.published.to_string()),
        ("modeled", value.modeled.to_string()),
        ("error_percent", (100.0 * value.error()).to_string()),
        ("kind", value.kind.name().to_owned()),
        ("sure", value.sure.to_string()),
        ("verdict", value.verdict().to_string()),
        ("real", run.map_or(String::new(), |run| super::real(run).to_string())),
        ("pace", run.map_or(String::new(), |run| run.verdict.to_string())),
        ("why", value.why.to_owned()),
    ]
}

fn claim(claim: &Claim) -> Vec<Cells<'_>> {
    let itself = vec![
        ("record", "claim".to_owned()),
        ("what", claim.said.to_owned()),
        ("sure", claim.sure.to_string()),
        ("verdict", claim.verdict.to_string()),
        ("why", claim.why.clone()),
    ];
    let checks = claim.checks.iter().map(|check| {
        vec![
            ("record", "check".to_owned()),
            ("what", check.what.clone()),
            ("found", check.found.clone()),
            ("expected", check.expected.clone()),
        ]
    });
    [itself].into_iter().chain(checks).collect()
}

fn points(chart: &Chart) -> Vec<Cells<'_>> {
    let point = |[x, y]: [f64; 2]| {
        vec![
            ("record", "point".to_owned()),
            ("chart", chart.title.clone()),
            ("x_axis", chart.x.title()),
            ("x", chart.x.label(x)),
            ("y_axis", chart.y.title()),
            ("y", chart.y.label(y)),
        ]
    };
    let lines = chart.lines.iter().flat_map(|line| line.points.iter().map(move |at| (line, *at)));
    let cells = lines.map(|(line, at)| {
        let mut cells = point(at);
        cells.extend([("line", line.name.clone()), ("kind", line.origin.name().to_owned())]);
        cells
    });
    cells.collect()
}
