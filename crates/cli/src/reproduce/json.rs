//! A job's results as a JSON object.

use multicomputer_published::{Claim, Value};
use serde_json::{Value as Json, json};

use super::{Item, Worked};

/// Returns the object of a job: values, claims and charts, or why there are none.
pub(super) fn of((job, worked): &Item) -> Json {
    let common =
        json!({ "id": job.id(), "paper": job.paper().name(), "place": job.place(), "title": job.title() });
    let more = match worked {
        Ok(worked) => results(worked),
        Err(cause) => json!({ "not_computed": cause.to_string() }),
    };
    match (common, more) {
        (Json::Object(mut all), Json::Object(more)) => {
            all.extend(more);
            Json::Object(all)
        }
        (common, _) => common,
    }
}

fn results(Worked { outcome, runs, .. }: &Worked) -> Json {
    let values = outcome.values.iter().enumerate().map(|(nth, value)| {
        let run = runs.get(nth).and_then(Option::as_ref);
        let mut object = of_value(value);
        if let Some(run) = run {
            object["real"] = json!(super::real(run));
            object["pace"] = json!(run.verdict.to_string());
        }
        object
    });
    let charts = outcome.charts.iter().map(|chart| {
        let lines = chart.lines.iter().map(|line| {
            json!({ "line": line.name, "kind": line.origin.name(), "points": line.points })
        });
        json!({ "chart": chart.title, "x_axis": chart.x.title(), "y_axis": chart.y.title(), "lines": lines.collect::<Vec<_>>() })
    });
    json!({
        "values": values.collect::<Vec<_>>(),
        "claims": outcome.claims.iter().map(of_claim).collect::<Vec<_>>(),
        "charts": charts.collect::<Vec<_>>(),
    })
}

/// The object of a value; `published` and `modeled` are in its `unit`.
fn of_value(value: &Value) -> Json {
    json!({
        "what": value.what.replace('*', ""),
        "unit": value.unit,
        "published": value.published,
        "modeled": value.modeled,
        "error_percent": 100.0 * value.error(),
        "kind": value.kind.name(),
        "sure": value.sure.to_string(),
        "verdict": value.verdict().to_string(),
        "why": value.why,
    })
}

fn of_claim(claim: &Claim) -> Json {
    let checks = claim.checks.iter();
    let checks =
        checks.map(|check| json!({ "what": check.what, "found": check.found, "expected": check.expected }));
    json!({
        "claim": claim.said,
        "sure": claim.sure.to_string(),
        "verdict": claim.verdict.to_string(),
        "why": claim.why,
        "checks": checks.collect::<Vec<_>>(),
    })
}
