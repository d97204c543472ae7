//! Text on whether the host kept pace in real time.

use multicomputer::report::RealTimeReport;

/// Returns whether the host kept pace in several runs; `None` if no run was in real time.
pub(super) fn pace(runs: impl IntoIterator<Item = RealTimeReport>) -> Option<String> {
    let runs: Vec<RealTimeReport> = runs.into_iter().collect();
    let error = 100.0 * runs.iter().map(|run| run.error.abs()).max_by(f64::total_cmp)?;
    let slipped = runs.iter().filter(|run| !run.is_kept()).count();
    Some(match (slipped, runs.len()) {
        (0, _) => format!("the wall clock kept pace within {error:.2} %"),
        (slipped, all) => {
            let which = if all == 1 {
                "the run in real time".to_owned()
            } else {
                format!("{slipped} of {all} runs in real time")
            };
            let latest =
                1e3 * runs.iter().map(|run| run.largest_lateness.by).max().unwrap_or_default().as_secs_f64();
            format!(
                "{which} SLIPPED: the host could not keep pace; the wall clock was up to {error:.2} % late at the end, and at \
                 most {latest:.3} ms late (modeled times are not affected)"
            )
        }
    })
}

/// Returns the text of [`pace`](fn@pace) as notes under a table, with advice if a run slipped.
pub(super) fn notes(runs: impl IntoIterator<Item = RealTimeReport>) -> Vec<String> {
    let runs: Vec<RealTimeReport> = runs.into_iter().collect();
    let has_slipped = runs.iter().any(|run| !run.is_kept());
    let pace = pace(runs).map(|pace| format!("Real time: {pace}."));
    let help = "A larger dilation (--clock real:N) gives the host more time.";
    pace.into_iter().chain(has_slipped.then(|| help.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use multicomputer::{Clock, Dilation, Machine, Span, report::Verdict};

    use super::*;

    #[test]
    fn a_slip_and_the_largest_error_are_reported() {
        let clock = Clock::RealTime { dilation: Dilation::Fixed(4.0) };
        let machine = Machine::hockney(1, 2).clock(clock).build().unwrap();
        let report = machine.run(|node| Ok(node.compute(Span::ZERO)?)).unwrap().report.real_time.unwrap();
        let run = |error: f64| {
            let mut run = report;
            run.error = error;
            run.largest_lateness.by = Duration::from_micros(20);
            run.verdict = if error > 0.02 { Verdict::Slipped } else { Verdict::Kept };
            run
        };
        assert_eq!(pace([]), None);
        assert_eq!(notes([run(0.01), run(-0.005)]), ["Real time: the wall clock kept pace within 1.00 %."]);
        let expected = "Real time: 1 of 2 runs in real time SLIPPED: the host could not keep pace; the wall clock was up \
                        to 25.00 % late at the end, and at most 0.020 ms late (modeled times are not affected).";
        let help = "A larger dilation (--clock real:N) gives the host more time.";
        assert_eq!(notes([run(0.01), run(0.25)]), [expected, help]);
        assert!(pace([run(0.25)]).unwrap().starts_with("the run in real time SLIPPED: "));
    }
}
