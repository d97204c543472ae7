//! Rows of a job's results in one table: values, then claims with their checks, then points of figures.

use multicomputer::report::RealTimeReport;
use multicomputer_picture::Chart;
use multicomputer_published::{Claim, Job, Outcome, Sensitivity, Value, Variation};

use super::Runs;

/// CSV column names. `record` is `value`, `claim`, `check` or `point`. Only checks have `found` and `expected`: the
/// modeled result, and the expected result of the current model. A point is `modeled`, by `formula` or `published`, and
/// has `x` and `y`; on an axis with names, `x` is a name. `changes_with` lists changes of a fitted parameter that change the verdict.
pub(super) const HEADER: &str = "id record what unit published modeled error_percent kind sure rule verdict changes_with real pace why found expected chart line x_axis x y_axis y";

/// Returns the rows.
pub(super) fn rows<'a>(
    job: &'a Job,
    outcome: &'a Outcome,
    runs: &'a Runs,
    sensitivity: Option<&'a Sensitivity>,
) -> impl Iterator<Item = Vec<String>> + 'a {
    let run = |nth: usize| runs.get(nth).and_then(Option::as_ref);
    let none: &[Variation] = &[];
    let of_value = move |nth: usize| sensitivity.map_or(none, |sensitivity| &sensitivity.values[nth]);
    let of_claim = move |nth: usize| sensitivity.map_or(none, |sensitivity| &sensitivity.claims[nth]);
    let values = outcome.values.iter().enumerate().map(move |(nth, of)| value(of, run(nth), of_value(nth)));
    let claims = outcome.claims.iter().enumerate().flat_map(move |(nth, of)| claim(of, of_claim(nth)));
    let points = outcome.charts.iter().flat_map(points);
    values.chain(claims).chain(points).map(|cells| row(job, &cells))
}

/// Cells by column name; other cells of the row are empty.
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

fn value<'a>(value: &Value, run: Option<&RealTimeReport>, changed: &[Variation]) -> Cells<'a> {
    vec![
        ("record", "value".to_owned()),
        ("what", value.what.replace('*', "")),
        ("unit", value.unit.to_owned()),
        ("published", value.published.to_string()),
        ("modeled", value.modeled.to_string()),
        ("error_percent", (100.0 * value.error()).to_string()),
        ("kind", value.kind.name().to_owned()),
        ("sure", value.sure.to_string()),
        ("rule", super::tolerance(value)),
        ("verdict", value.verdict().to_string()),
        ("changes_with", super::variations(changed)),
        ("real", run.map_or(String::new(), |run| super::real(run).to_string())),
        ("pace", run.map_or(String::new(), |run| run.verdict.to_string())),
        ("why", value.why.to_owned()),
    ]
}

fn claim<'a>(claim: &'a Claim, changed: &[Variation]) -> Vec<Cells<'a>> {
    let itself = vec![
        ("record", "claim".to_owned()),
        ("what", claim.said.to_owned()),
        ("sure", claim.sure.to_string()),
        ("rule", claim.rule.to_owned()),
        ("verdict", claim.verdict.to_string()),
        ("changes_with", super::variations(changed)),
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
