//! Several algorithms, networks or lengths: a table.

use std::fmt;

use super::{
    super::{
        count::counted,
        pace,
        table::{
            Align::{Left, Right},
            Table,
        },
    },
    Arguments,
    outcome::{Figures, Outcome},
    parameters,
    words::{Times, ratio},
};

/// What is printed.
pub(super) struct Comparison<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) outcomes: &'a [Outcome],
}

impl Comparison<'_> {
    fn figures(&self) -> impl Iterator<Item = &Figures> {
        self.outcomes.iter().filter_map(|outcome| outcome.figures.as_ref().ok())
    }

    fn times(&self) -> Times {
        let times = self.figures().map(|figures| [figures.equation, figures.in_step, figures.modeled]);
        Times::of(times.collect::<Vec<_>>().concat())
    }

    fn table(&self) -> Table {
        let is_real = self.figures().any(|figures| figures.ran.real_time.is_some());
        let times = self.times();
        let columns = [
            Some(("name", Left)),
            Some(("network", Left)),
            Some(("words", Right)),
            Some(("equation", Right)),
            Some(("in step", Right)),
            Some(("modeled", Right)),
            Some(("/ equation", Right)),
            is_real.then_some(("run", Right)),
            is_real.then_some(("pace", Right)),
            is_real.then_some(("error %", Right)),
            Some(("most on a link", Left)),
        ];
        let mut table = Table::new(columns.into_iter().flatten());
        let none = || "-".to_owned();
        for Outcome { case, figures } in self.outcomes {
            let shown = figures.as_ref().ok();
            let figure = |show: &dyn Fn(&Figures) -> String| shown.map_or_else(none, show);
            let real = shown.and_then(|figures| figures.ran.real_time);
            let cells = [
                Some(case.item.name()),
                Some(case.machine.name().to_owned()),
                Some(case.words.to_string()),
                Some(figure(&|figures| times.cell(figures.equation))),
                Some(figure(&|figures| times.cell(figures.in_step))),
                Some(figure(&|figures| times.cell(figures.modeled))),
                Some(figure(&|figures| ratio(figures.slow_down()))),
                is_real.then(|| figure(&|figures| times.cell(figures.ran.modeled))),
                is_real.then(|| real.map_or_else(none, |real| real.verdict.to_string())),
                is_real.then(|| real.map_or_else(none, |real| format!("{:.2}", 100.0 * real.error))),
                Some(match figures {
                    Ok(figures) => most(figures),
                    Err(cause) => format!("({cause})"),
                }),
            ];
            table.row(cells.into_iter().flatten());
        }
        table
    }
}

/// The most messages of a step that share a link: `4 (node 3 -> node 4 in step 3)`.
fn most(figures: &Figures) -> String {
    match figures.sharing {
        Some(sharing) => format!("{} ({} in step {})", sharing.busiest.messages, sharing.link, sharing.step),
        None if figures.ran.link.is_some() => "1".to_owned(),
        None => "0".to_owned(),
    }
}

impl fmt::Display for Comparison<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison { arguments, outcomes } = self;
        let (unit, bytes) = (self.times().unit(), counted(arguments.word_bytes, "byte"));
        writeln!(f, "The textbook's algorithms; times in {unit}, words of {bytes}")?;
        if let [first, rest @ ..] = outcomes
            && rest.iter().all(|other| other.case.machine.parameters() == first.case.machine.parameters())
        {
            writeln!(f, "{}", parameters::line(&first.case.machine, arguments.word_bytes))?;
            writeln!(f, "{}", parameters::sends(&first.case.machine))?;
        }
        writeln!(f, "\n{}", self.table())?;
        let runs = self.figures().count();
        let has = if arguments.phantom { "as many bytes as it should have" } else { "what it should have" };
        let which = if runs == 1 { "One was run".to_owned() } else { format!("All {runs} were run") };
        writeln!(f, "{which} on real threads: every node had {has}.")?;
        let real = self.figures().filter_map(|figures| figures.ran.real_time);
        pace::notes(real).into_iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}
