//! One length with all that is known of it.

use std::fmt;

use super::{
    super::{
        figures::reasons_line,
        table::{
            Align::{Left, Right},
            Table,
        },
        unit::Unit,
    },
    outcome::{Results, Solved},
};

/// What is printed.
pub(super) struct Single<'a> {
    pub(super) results: &'a Results,
    pub(super) solved: &'a Solved,
}

impl fmt::Display for Single<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Single { results, solved } = self;
        writeln!(f, "Collective communication: {}, {}\n", solved.task.name(), solved.task.place())?;
        let unit = Unit::of(solved.times());
        writeln!(f, "{}", algorithms(solved, unit))?;
        if let Some((line, figures)) = solved.fastest() {
            let of_bound = match solved.bound.ratio(figures.predicted) {
                Some(ratio) => format!(", {ratio:.2} times the lower bound"),
                None => String::new(),
            };
            let how = match line.algorithm == figures.chosen {
                true => line.algorithm.clone(),
                false => format!("{}, which takes {}", line.algorithm, figures.chosen),
            };
            writeln!(f, "Fastest: {how}: {}{of_bound}.", unit.text(figures.predicted))?;
        }
        writeln!(f, "{}", reasons_line(&solved.bound, unit))?;
        let one = std::slice::from_ref(*solved);
        results.notes(one).into_iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}

/// A row for each algorithm.
fn algorithms(solved: &Solved, unit: Unit) -> Table {
    let works = || solved.lines.iter().filter_map(|line| line.figures.as_ref().ok());
    let is_real = works().any(|figures| figures.ran.is_some_and(|ran| ran.real_time.is_some()));
    let (modeled, run) = (unit.title("modeled") + "  ", unit.title("run"));
    let columns = [
        Some(("algorithm", Left)),
        // The star of the fastest stands behind it.
        Some((&modeled[..], Right)),
        Some(("closed form", Right)),
        Some(("/ bound", Right)),
        is_real.then_some((&run[..], Right)),
        is_real.then_some(("pace", Right)),
        is_real.then_some(("error %", Right)),
        Some(("chosen", Left)),
    ];
    let mut table = Table::new(columns.into_iter().flatten());
    let none = || "-".to_owned();
    for line in &solved.lines {
        let figures = line.figures.as_ref().ok();
        let ran = figures.and_then(|figures| figures.ran);
        let real = ran.and_then(|ran| ran.real_time);
        let cells = [
            Some(line.algorithm.clone()),
            Some(solved.time_cell(line, unit)),
            Some(figures.map_or_else(none, |figures| unit.cell(figures.estimate))),
            Some(figures.map_or_else(none, |figures| solved.ratio_cell(figures.predicted))),
            is_real.then(|| ran.map_or_else(none, |ran| unit.cell(ran.modeled))),
            is_real.then(|| real.map_or_else(none, |real| real.verdict.to_string())),
            is_real.then(|| real.map_or_else(none, |real| format!("{:.2}", 100.0 * real.error))),
            Some(match &line.figures {
                Ok(figures) => figures.chosen.clone(),
                Err(cause) => format!("({cause})"),
            }),
        ];
        table.row(cells.into_iter().flatten());
    }
    table
}
