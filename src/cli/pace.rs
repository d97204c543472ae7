//! How well the host kept pace in real time, in words.

use multicomputer::report::RealTimeReport;

/// Whether the host kept pace in several runs; nothing if none of them was in real time.
pub(super) fn pace(runs: impl IntoIterator<Item = RealTimeReport>) -> Option<String> {
    let runs: Vec<RealTimeReport> = runs.into_iter().collect();
    let error = 100.0 * runs.iter().map(|run| run.error.abs()).max_by(f64::total_cmp)?;
    let slipped = runs.iter().filter(|run| !run.is_kept()).count();
    Some(match (slipped, runs.len()) {
        (0, _) => format!("the wall clock kept pace within {error:.2} %"),
        (slipped, all) => {
            let who = if all == 1 {
                "the run in real time".to_owned()
            } else {
                format!("{slipped} of {all} runs in real time")
            };
            let latest = 1e3 * runs.iter().map(|run| run.slip.by).max().unwrap_or_default().as_secs_f64();
            format!(
                "{who} SLIPPED: the host could not keep up, the wall clock was up to {error:.2} % behind in the end and \
                 {latest:.3} ms at the most (modeled times hold all the same)"
            )
        }
    })
}

/// The same as notes under a table, with what helps.
pub(super) fn notes(runs: impl IntoIterator<Item = RealTimeReport>) -> Vec<String> {
    let runs: Vec<RealTimeReport> = runs.into_iter().collect();
    let has_slipped = runs.iter().any(|run| !run.is_kept());
    let pace = pace(runs).map(|pace| format!("Real time: {pace}."));
    let help = "A larger dilation (--clock real:N) gives the host more time.";
    pace.into_iter().chain(has_slipped.then(|| help.to_owned())).collect()
}
