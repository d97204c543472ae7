//! All figures, exact, as CSV.

use multicomputer::{Clock, Span, report::RealTimeReport};

use super::{
    super::{clock, figures, files::micros},
    outcome::{Attempt, Line, Solved},
    task::Generated,
};

/// The titles.
pub(super) const HEADER: [&str; 37] = [
    "machine",
    "nodes",
    "matrix",
    "k",
    "t",
    "l",
    "matrix_seed",
    "class",
    "uniform",
    "sent",
    "received",
    "fan_out",
    "fan_in",
    "entries",
    "bytes",
    "algorithm",
    "seed",
    "chosen",
    "modeled_us",
    "bound_us",
    "decided_by",
    "ratio",
    "rounds",
    "messages",
    "predicted",
    "clock",
    "run_us",
    "waiting_us",
    "bytes_sent",
    "wall_us",
    "dilation",
    "error",
    "answers",
    "late_answers",
    "slip_us",
    "pace",
    "restriction",
];

/// A row for each plan of an algorithm on a matrix, or one that says why there is none. What was not run has no clock.
pub(super) fn rows(clock: Clock, solved: &Solved, line: &Line) -> Vec<[String; HEADER.len()]> {
    match &line.attempts {
        Ok(attempts) => attempts.iter().map(|attempt| row(clock, solved, line, Some(attempt))).collect(),
        Err(_) => vec![row(clock, solved, line, None)],
    }
}

fn row(clock: Clock, solved: &Solved, line: &Line, attempt: Option<&Attempt>) -> [String; HEADER.len()] {
    fn cell<T, S: ToString>(value: Option<T>, show: impl Fn(T) -> S) -> String {
        value.map_or_else(String::new, |value| show(value).to_string())
    }
    let (task, figures) = (&solved.task, &solved.task.figures);
    let generated = task.generated.as_ref();
    let generated = |show: &dyn Fn(&Generated) -> String| cell(generated, show);
    let modeled = attempt.and_then(Attempt::modeled);
    let ran = attempt.and_then(|attempt| attempt.ran);
    let real = |show: &dyn Fn(RealTimeReport) -> String| cell(ran.and_then(|ran| ran.real_time), show);
    [
        task.instance.machine().name().to_owned(),
        figures.nodes.to_string(),
        task.generated.as_ref().map_or_else(|| task.matrix.clone(), |_| "generated".to_owned()),
        generated(&|generated| generated.fan_out.to_string()),
        generated(&|generated| generated.traffic.to_string()),
        generated(&|generated| generated.nonuniformity.clone()),
        generated(&|generated| generated.seed.to_string()),
        figures.class.to_string(),
        figures.is_uniform.to_string(),
        figures.sent.to_string(),
        figures.received.to_string(),
        figures.fan_out.to_string(),
        figures.fan_in.to_string(),
        figures.messages.to_string(),
        figures.bytes.to_string(),
        line.algorithm.to_string(),
        cell(attempt.and_then(|attempt| attempt.seed), |seed| seed),
        cell(attempt, |attempt| attempt.chosen.clone()),
        cell(modeled, micros),
        micros(solved.bound.time()),
        figures::decides(&solved.bound).to_owned(),
        cell(modeled.and_then(|modeled| solved.bound.ratio(modeled)), |ratio| ratio),
        cell(attempt.and_then(|attempt| attempt.planned), |(rounds, _)| rounds),
        cell(attempt.and_then(Attempt::messages), |messages| messages),
        cell(attempt, |attempt| attempt.predicted.is_some()),
        cell(ran, |_| clock::name(clock)),
        cell(ran, |ran| micros(ran.modeled)),
        cell(ran, |ran| micros(ran.waiting)),
        cell(ran, |ran| ran.bytes),
        real(&|real| micros(Span::from(real.wall))),
        real(&|real| real.dilation.to_string()),
        real(&|real| real.error.to_string()),
        real(&|real| real.answers.to_string()),
        real(&|real| real.late_answers.to_string()),
        real(&|real| micros(Span::from(real.slip.by))),
        real(&|real| real.verdict.to_string()),
        line.attempts.as_ref().err().cloned().unwrap_or_default(),
    ]
}
