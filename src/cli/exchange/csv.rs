//! All figures, exact, as CSV.

use multicomputer::{Span, report::RealTimeReport};

use super::{
    super::{
        clock,
        error::Error,
        files::{OutputFile, micros},
    },
    outcome::{Attempt, Line, Results, Solved},
    reasons::decides,
    task::Generated,
};

const HEADER: [&str; 37] = [
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

/// Writes a line for each plan of each algorithm on each matrix. What was not run has no clock.
pub(super) fn write(results: &Results, file: OutputFile) -> Result<(), Error> {
    let mut rows = Vec::new();
    for solved in &results.solved {
        for line in &solved.lines {
            match &line.attempts {
                Ok(attempts) => {
                    rows.extend(attempts.iter().map(|attempt| row(results, solved, line, Some(attempt))));
                }
                Err(_) => rows.push(row(results, solved, line, None)),
            }
        }
    }
    file.write_csv(HEADER, rows)
}

fn row(results: &Results, solved: &Solved, line: &Line, attempt: Option<&Attempt>) -> [String; HEADER.len()] {
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
        decides(&solved.bound).to_owned(),
        cell(modeled.and_then(|modeled| solved.bound.ratio(modeled)), |ratio| ratio),
        cell(attempt.and_then(|attempt| attempt.planned), |(rounds, _)| rounds),
        cell(attempt.and_then(Attempt::messages), |messages| messages),
        cell(attempt, |attempt| attempt.predicted.is_some()),
        cell(ran, |_| clock::name(results.clock)),
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
