//! Texts: the list of jobs, the results of a job, and the summary of several jobs.

use std::fmt::Write as _;

use multicomputer_picture::Line;
use multicomputer_published::{Job, Kind, Outcome, Sensitivity, Summary, Verdict};

use super::{
    super::{
        count::counted,
        table::{
            Align::{Left, Right},
            Table,
        },
    },
    Item, Runs, changing, is_failed, variations,
};

/// Returns the list of all jobs.
pub(super) fn list() -> String {
    let mut table =
        Table::new([("id", Left), ("paper", Left), ("place", Left), ("duration", Right), ("title", Left)]);
    for job in Job::all() {
        let about = match job.not_yet() {
            Some(_) => "not yet".to_owned(),
            None => format!("{:.1} s", job.duration().as_secs_f64()),
        };
        table.row([job.id(), job.paper().name(), job.place(), &about, job.title()]);
    }
    let seconds: f64 = Job::all().map(|job| job.duration().as_secs_f64()).sum();
    format!("{table}\nAll items take about {seconds:.0} s on one core.\n")
}

/// Returns the results of a job.
pub(super) fn of(job: &Job, outcome: &Outcome, runs: &Runs, sensitivity: Option<&Sensitivity>) -> String {
    let mut text = format!("{job}: {}\n{}\n{}\n", job.title(), job.paper().title(), job.setup());
    if !outcome.values.is_empty() {
        let real = [("real", Right), ("pace", Left)];
        let columns = [
            ("value", Left),
            ("published", Right),
            ("modeled", Right),
            ("unit", Left),
            ("error %", Right),
            ("kind", Left),
            ("sure", Left),
            ("verdict", Left),
        ];
        let real = real.into_iter().filter(|_| !runs.is_empty());
        let mut table = Table::new(columns.into_iter().chain(real));
        for (nth, value) in outcome.values.iter().enumerate() {
            let run = runs.get(nth).map(|run| match run {
                Some(run) => [format!("{:.3}", super::real(run)), run.verdict.to_string()],
                None => ["-".to_owned(), String::new()],
            });
            let cells = [
                value.what.replace('*', ""),
                value.published.to_string(),
                format!("{:.3}", value.modeled),
                value.unit.to_owned(),
                format!("{:+.1}", rounded(100.0 * value.error())),
                value.kind.name().to_owned(),
                value.sure.to_string(),
                value.verdict().to_string(),
            ];
            table.row(cells.into_iter().chain(run.into_iter().flatten()));
        }
        let _ = write!(text, "\n{table}");
    }
    for value in outcome.values.iter().filter(|value| value.verdict() != Verdict::Holds) {
        let why = if value.why.is_empty() { "no reason is known" } else { value.why };
        let _ = writeln!(text, "  {}: {why}", value.what.replace('*', ""));
    }
    for (value, changed) in outcome.values.iter().zip(sensitivity.iter().flat_map(|found| &found.values)) {
        if !changed.is_empty() {
            let _ = writeln!(
                text,
                "  {}: verdict changes with {}",
                value.what.replace('*', ""),
                variations(changed)
            );
        }
    }
    for (nth, claim) in outcome.claims.iter().enumerate() {
        let sure = match claim.sure.to_string() {
            sure if sure == "printed" => String::new(),
            sure if sure == "ours" => " (not claimed in the paper)".to_owned(),
            sure => format!(" (read so, {sure} sure)"),
        };
        let _ = write!(text, "\n{}{sure}\n  {}: {}\n", claim.said, claim.verdict, claim.why);
        if !claim.rule.is_empty() {
            let _ = writeln!(text, "  holds if: {}", claim.rule);
        }
        let changed = sensitivity.map(|found| &found.claims[nth]);
        if let Some(changed) = changed.filter(|changed| !changed.is_empty()) {
            let _ = writeln!(text, "  verdict changes with {}", variations(changed));
        }
    }
    let points = |lines: &[Line]| lines.iter().map(|line| line.points.len()).sum::<usize>();
    for chart in &outcome.charts {
        let (lines, points) = (counted(chart.lines.len(), "line"), counted(points(&chart.lines), "point"));
        let _ = write!(text, "\n{}: {lines}, {points}", chart.title);
    }
    text.push_str(if outcome.charts.is_empty() { "\n" } else { "\n\n" });
    text
}

/// Rounds to one decimal, without a negative zero.
pub(super) fn rounded(percent: f64) -> f64 {
    (10.0 * percent).round() / 10.0 + 0.0
}

/// Returns the summary of several jobs.
pub(super) fn summary(summary: &Summary, items: &[Item]) -> String {
    let worked = items.iter().filter(|(_, worked)| worked.is_ok()).count();
    let failed = items.iter().filter(|item| is_failed(item)).count();
    let missing = items.len() - worked - failed;
    let rest = if failed > 0 { format!(", {failed} failed") } else { String::new() };
    let mut text = format!("Total: {} computed, {missing} not yet{rest}\n", counted(worked, "item"));
    for kind in Kind::ALL {
        if let Some((count, median)) = summary.median_error(kind) {
            let _ = writeln!(
                text,
                "Median relative error of {} values ({count}): {:.1} %",
                kind.name(),
                100.0 * median
            );
        }
    }
    let [hold, judged, open] = summary.claims();
    let rest = if open > 0 { format!("; {open} cannot be judged") } else { String::new() };
    let _ = writeln!(text, "Claims of the papers that hold: {hold} of {judged}{rest}");
    if let Some([changed, all]) = changing(items) {
        let _ = writeln!(
            text,
            "Verdicts that change with one fitted parameter 20 % lower or higher: {changed} of {all} in items on a Paragon"
        );
    }
    if !summary.far.is_empty() {
        let mut table = Table::new([
            ("value not met", Left),
            ("", Left),
            ("published", Right),
            ("modeled", Right),
            ("error %", Right),
        ]);
        for (id, value) in &summary.far {
            table.row([
                (*id).to_owned(),
                value.what.replace('*', ""),
                value.published.to_string(),
                format!("{:.3}", value.modeled),
                format!("{:+.1}", rounded(100.0 * value.error())),
            ]);
        }
        let _ = write!(text, "\n{table}");
    }
    if !summary.failing.is_empty() {
        let mut table = Table::new([("claim that does not hold", Left), ("", Left), ("why", Left)]);
        for (id, said, why) in &summary.failing {
            table.row([*id, said, why]);
        }
        let _ = write!(text, "\n{table}");
    }
    text
}
