//! How well the host kept pace in real time, in words.

use multicomputer::report::RealTimeReport;

/// The largest error of several runs and their late sends; nothing if there are no runs in real time.
pub(super) fn pace(runs: impl IntoIterator<Item = RealTimeReport>) -> Option<String> {
    let runs: Vec<RealTimeReport> = runs.into_iter().collect();
    let error = runs.iter().map(|run| run.error.abs()).max_by(f64::total_cmp)?;
    let late: u64 = runs.iter().map(|run| run.late_sends).sum();
    let late = match (late, runs.iter().map(|run| run.latest).max().unwrap_or_default()) {
        (0, _) => "no late send".to_owned(),
        (1, latest) => format!("one late send, by {:.3} ms", latest.as_millis_f64()),
        (late, latest) => format!("{late} late sends, the latest by {:.3} ms", latest.as_millis_f64()),
    };
    Some(format!("the wall clock is off by at most {:.2} %, with {late}", 100.0 * error))
}

/// The same as notes under a table, with what helps against late sends.
pub(super) fn notes(runs: impl IntoIterator<Item = RealTimeReport>) -> Vec<String> {
    let runs: Vec<RealTimeReport> = runs.into_iter().collect();
    let is_late = runs.iter().any(|run| run.late_sends > 0);
    let pace = pace(runs).map(|pace| format!("In real time {pace}."));
    let late = "Late sends can make modeled times longer than they are in virtual time: try a larger dilation \
                (--clock real:N).";
    pace.into_iter().chain(is_late.then(|| late.to_owned())).collect()
}
