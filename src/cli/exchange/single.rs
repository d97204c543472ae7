//! One matrix with all that is known of it.

use std::fmt;

use multicomputer::{Span, report::Verdict};

use super::{
    super::{
        figures,
        table::{
            Align::{Left, Right},
            Table,
        },
        unit::Unit,
    },
    outcome::{Attempt, Line, Results, Solved},
};

/// The matrix is shown in numbers if they fit into so many columns.
const WIDEST: usize = 100;

/// What is printed.
pub(super) struct Single<'a> {
    pub(super) results: &'a Results,
    pub(super) solved: &'a Solved,
}

impl fmt::Display for Single<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Single { results, solved } = self;
        let (instance, task) = (&solved.task.instance, &solved.task);
        writeln!(f, "Many-to-many communication: {}, {}\n", instance.machine().name(), task.matrix)?;
        writeln!(f, "{}", task.figures)?;
        let table = instance.matrix().to_string();
        if table.lines().all(|line| line.len() <= WIDEST) {
            writeln!(f, "{table}")?;
        }
        writeln!(f, "{}", instance.matrix().picture())?;
        let unit = Unit::of(solved.times());
        writeln!(f, "{}", self.algorithms(unit))?;
        if let Some((line, mean)) = solved.fastest() {
            let of_bound = match solved.bound.ratio(mean) {
                Some(ratio) => format!(", {ratio:.2} times the lower bound"),
                None => String::new(),
            };
            let how = match chosen(line) {
                chosen if chosen == line.algorithm.name() => chosen,
                chosen => format!("{}, which takes {chosen}", line.algorithm),
            };
            writeln!(f, "Fastest: {how}: {}{of_bound}.", unit.text(mean))?;
        }
        writeln!(f, "{}", figures::reasons_line(&solved.bound, unit))?;
        results.notes().into_iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}

/// The ways that were chosen, each once.
fn chosen(line: &Line) -> String {
    let mut chosen: Vec<&str> = line.attempts().iter().map(|attempt| attempt.chosen.as_str()).collect();
    chosen.dedup();
    chosen.join(" / ")
}

impl Single<'_> {
    /// A row for each algorithm.
    fn algorithms(&self, unit: Unit) -> Table {
        let Single { results, solved } = self;
        let ran = || solved.lines.iter().flat_map(Line::attempts).filter_map(|attempt| attempt.ran);
        let is_real = ran().any(|ran| ran.real_time.is_some());
        let is_several = results.seeds > 1;
        // A short wait is far shorter than what takes so long.
        let waited = solved.lines.iter().filter_map(|line| line.of_runs(|ran| ran.waiting));
        let waited: Vec<Span> = waited.filter(|wait| !wait.is_zero()).collect();
        let waits = if waited.is_empty() { unit } else { Unit::of(waited) };
        let modeled = unit.title(if is_several { "mean" } else { "modeled" }) + "  ";
        let (waiting, run) = (waits.title("waiting"), unit.title("run"));
        let columns = [
            Some(("algorithm", Left)),
            // The star of the fastest stands behind it.
            Some((&modeled[..], Right)),
            is_several.then_some(("least", Right)),
            is_several.then_some(("most", Right)),
            Some(("/ bound", Right)),
            Some(("rounds", Right)),
            Some(("messages", Right)),
            Some((&waiting[..], Right)),
            is_real.then_some((&run[..], Right)),
            is_real.then_some(("pace", Right)),
            is_real.then_some(("error %", Right)),
            Some(("chosen", Left)),
        ];
        let mut table = Table::new(columns.into_iter().flatten());
        let none = || "-".to_owned();
        for line in &solved.lines {
            let times = line.times();
            let span = |span| Option::map_or_else(span, none, |span| unit.cell(span));
            // The means of all seeds.
            let count = |figure: &dyn Fn(&Attempt) -> Option<u64>| {
                let mean = line.of_attempts(|attempt| figure(attempt).map(|figure| figure as f64));
                mean.map_or_else(none, |mean| format!("{mean:.0}"))
            };
            let real = |attempt: &Attempt| attempt.ran.and_then(|ran| ran.real_time);
            let verdicts = || line.attempts().iter().filter_map(real).map(|real| real.verdict);
            let verdict = || verdicts().find(|&verdict| verdict == Verdict::Slipped).or(verdicts().next());
            let error = || line.of_attempts(|attempt| real(attempt).map(|real| 100.0 * real.error));
            let cells = [
                Some(line.algorithm.to_string()),
                Some(solved.time_cell(line, unit)),
                is_several.then(|| span(times.map(|times| times.least))),
                is_several.then(|| span(times.map(|times| times.most))),
                Some(times.map_or_else(none, |times| solved.ratio_cell(times.mean))),
                Some(count(&|attempt| attempt.planned.map(|(rounds, _)| rounds as u64))),
                Some(count(&Attempt::messages)),
                Some(line.of_runs(|ran| ran.waiting).map_or_else(none, |wait| waits.cell(wait))),
                is_real.then(|| span(line.of_runs(|ran| ran.modeled))),
                is_real.then(|| verdict().map_or_else(none, |verdict| verdict.to_string())),
                is_real.then(|| error().map_or_else(none, |error| format!("{error:.2}"))),
                Some(if line.attempts.is_ok() { chosen(line) } else { none() }),
            ];
            table.row(cells.into_iter().flatten());
        }
        table
    }
}
