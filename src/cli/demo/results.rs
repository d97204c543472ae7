//! What the demonstration shows: a table, a line that says what is in it, and the same figures as CSV.

use std::{fmt, time::Duration};

use multicomputer::{Span, model::Description, report::RunReport, stop::LowerBound, units::format_bytes};

use super::{
    super::{
        clock,
        count::counted,
        files::micros,
        pace::pace,
        table::{Align, Table},
        unit::Unit,
    },
    Case,
};

/// The titles of a CSV file.
pub(super) const HEADER: [&str; 17] = [
    "machine",
    "algorithm",
    "distribution",
    "sources",
    "bytes",
    "clock",
    "modeled_us",
    "wall_us",
    "dilation",
    "error",
    "messages",
    "bytes_sent",
    "lost_to_sharing_us",
    "answers",
    "late_answers",
    "slip_us",
    "pace",
];

/// One case, what was counted in it, and how long the host took.
pub(super) struct Outcome {
    pub(super) case: Case,
    pub(super) report: RunReport,
    pub(super) wall: Duration,
    /// What no algorithm could beat.
    pub(super) bound: LowerBound,
}

/// The outcomes of all cases, in their order.
pub(super) struct Results {
    machine: String,
    nodes: usize,
    sources: usize,
    outcomes: Vec<Outcome>,
}

impl Results {
    /// No outcomes yet.
    pub(super) fn new(machine: &Description, sources: usize) -> Results {
        Results { machine: machine.name().to_owned(), nodes: machine.nodes(), sources, outcomes: Vec::new() }
    }

    /// Adds the outcome of a case in which every byte was right.
    pub(super) fn add(&mut self, outcome: Outcome) {
        self.outcomes.push(outcome);
    }

    /// The row of a case in a CSV file, with exact modeled times. What the host took is there in real time only: in
    /// virtual time the file is the same every time.
    pub(super) fn row(&self, Outcome { case, report, .. }: &Outcome) -> [String; HEADER.len()] {
        let real = |figure: &dyn Fn(&_) -> String| report.real_time.as_ref().map_or_else(String::new, figure);
        [
            self.machine.clone(),
            "Br_Lin".to_owned(),
            case.distribution.to_string(),
            self.sources.to_string(),
            case.bytes.to_string(),
            clock::name(case.clock).to_owned(),
            micros(report.modeled.since_start()),
            real(&|real| micros(Span::from(real.wall))),
            real(&|real| real.dilation.to_string()),
            real(&|real| real.error.to_string()),
            report.messages.to_string(),
            report.bytes.to_string(),
            micros(report.lost_to_sharing),
            real(&|real| real.answers.to_string()),
            real(&|real| real.late_answers.to_string()),
            real(&|real| micros(Span::from(real.slip.by))),
            real(&|real| real.verdict.to_string()),
        ]
    }

    fn table(&self, with_bytes: bool) -> Table {
        use Align::{Left, Right};
        let unit = self.unit();
        let modeled = unit.title("modeled");
        let columns = [
            Some(("distribution", Left)),
            with_bytes.then_some(("bytes", Right)),
            Some(("clock", Left)),
            Some((&modeled[..], Right)),
            Some(("/ bound", Right)),
            Some(("wall ms", Right)),
            Some(("dilation", Right)),
            Some(("error %", Right)),
            Some(("messages", Right)),
            Some(("pace", Right)),
        ];
        let mut table = Table::new(columns.into_iter().flatten());
        for Outcome { case, report, wall, bound } in &self.outcomes {
            let real = |figure: &dyn Fn(&_) -> String| {
                report.real_time.as_ref().map_or_else(|| "-".to_owned(), figure)
            };
            let cells = [
                Some(case.distribution.to_string()),
                with_bytes.then(|| case.bytes.to_string()),
                Some(clock::name(case.clock).to_owned()),
                Some(unit.cell(report.modeled.since_start())),
                Some(
                    bound
                        .ratio(report.modeled.since_start())
                        .map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
                ),
                Some(format!("{:.3}", 1e3 * wall.as_secs_f64())),
                Some(real(&|real| format!("{:.2}", real.dilation))),
                Some(real(&|real| format!("{:.2}", 100.0 * real.error))),
                Some(report.messages.to_string()),
                Some(real(&|real| real.verdict.to_string())),
            ];
            table.row(cells.into_iter().flatten());
        }
        table
    }

    /// The unit of all modeled times.
    fn unit(&self) -> Unit {
        Unit::of(self.outcomes.iter().map(|outcome| outcome.report.modeled.since_start()))
    }

    /// What the figures say, in one line.
    fn conclusion(&self) -> String {
        let pace = pace(self.outcomes.iter().filter_map(|outcome| outcome.report.real_time));
        let parts = [Some(self.completeness()), self.comparison(), pace];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ") + "."
    }

    fn completeness(&self) -> String {
        let nodes = match self.nodes {
            1 => "The node holds".to_owned(),
            nodes => format!("All {nodes} nodes hold"),
        };
        let sources = match self.sources {
            1 => "the source".to_owned(),
            sources => format!("all {sources} sources"),
        };
        format!("{nodes} every byte of {sources}")
    }

    /// Which distribution is the fastest and by how much, with the longest messages and under the first clock.
    fn comparison(&self) -> Option<String> {
        let (first, longest) =
            (self.outcomes.first()?, self.outcomes.iter().map(|outcome| outcome.case.bytes).max()?);
        let compared = || {
            let outcomes = self.outcomes.iter();
            outcomes.filter(|outcome| outcome.case.clock == first.case.clock && outcome.case.bytes == longest)
        };
        let Outcome { case: fastest, report: best, .. } = compared().min_by_key(|one| one.report.modeled)?;
        let Outcome { case: slowest, report: worst, .. } = compared().max_by_key(|one| one.report.modeled)?;
        let time = |report: &RunReport| self.unit().text(report.modeled.since_start());
        let at = if self.many_sizes() { format!("with {} ", format_bytes(longest)) } else { String::new() };
        if best.modeled == worst.modeled {
            let each = if compared().count() > 1 { "each distribution" } else { "that" };
            return Some(format!("{at}{each} takes {}", time(best)));
        }
        let ratio = worst.modeled.as_secs_f64() / best.modeled.as_secs_f64();
        Some(format!(
            "{at}{} is fastest ({}), {} takes {ratio:.2} times as long",
            fastest.distribution,
            time(best),
            slowest.distribution
        ))
    }

    fn many_sizes(&self) -> bool {
        self.outcomes.windows(2).any(|pair| pair[0].case.bytes != pair[1].case.bytes)
    }
}

/// What is printed.
impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many_sizes = self.many_sizes();
        write!(f, "Br_Lin on {}, {}", self.machine, counted(self.sources, "source"))?;
        if let (false, Some(outcome)) = (many_sizes, self.outcomes.first()) {
            write!(f, " with {} each", format_bytes(outcome.case.bytes))?;
        }
        write!(f, "\n\n{}\n{}\n", self.table(many_sizes), self.conclusion())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use multicomputer::{
        Clock, Dilation, Machine, Time,
        report::{RealTimeReport, Slip, Verdict},
        stop::{Distribution, Instance},
    };

    use super::*;

    /// The results of cases that take so many microseconds.
    fn results(cases: &[(Distribution, Clock, u64, u64)]) -> Results {
        let machine = Machine::hockney(2, 2).build().unwrap();
        let mut results = Results::new(machine.description(), 3);
        let bound = Instance::new(machine.description(), &[0, 1, 2], &[8; 3]).unwrap().lower_bound();
        for (distribution, clock, bytes, micros) in cases.iter().cloned() {
            let run = machine.run(|node| Ok(node.compute(Span::ZERO)?));
            let mut report = run.unwrap().report;
            report.modeled = Time::ZERO + Span::from_micros(micros);
            let case = Case { clock, bytes, distribution };
            results.add(Outcome { case, report, wall: Duration::from_millis(5), bound: bound.clone() });
        }
        results
    }

    #[test]
    fn the_fastest_and_the_slowest_are_named() {
        let results = results(&[
            (Distribution::Row, Clock::Virtual, 8, 2000),
            (Distribution::RightDiagonal, Clock::Virtual, 8, 3000),
            (Distribution::SquareBlock, Clock::Virtual, 8, 2500),
        ]);
        assert_eq!(
            results.conclusion(),
            "All 4 nodes hold every byte of all 3 sources; row is fastest (2.000 ms), right-diagonal takes 1.50 \
             times as long."
        );
    }

    #[test]
    fn of_several_sizes_the_longest_messages_are_compared() {
        let results = results(&[
            (Distribution::Row, Clock::Virtual, 8, 2000),
            (Distribution::SquareBlock, Clock::Virtual, 8, 1000),
            (Distribution::Row, Clock::Virtual, 2048, 4000),
            (Distribution::SquareBlock, Clock::Virtual, 2048, 5000),
        ]);
        let conclusion = results.conclusion();
        assert!(
            conclusion
                .ends_with("; with 2 KiB row is fastest (4.000 ms), square-block takes 1.25 times as long.")
        );
        assert!(results.to_string().contains("bytes  clock"), "{results}");
    }

    #[test]
    fn a_single_run_is_compared_with_nothing() {
        let results = results(&[(Distribution::Row, Clock::Virtual, 8, 2000)]);
        assert!(
            results.conclusion().ends_with("all 3 sources; that takes 2.000 ms."),
            "{}",
            results.conclusion()
        );
    }

    #[test]
    fn a_slip_and_the_largest_error_are_told() {
        let clock = Clock::RealTime { dilation: Dilation::Fixed(4.0) };
        let mut results =
            results(&[(Distribution::Row, clock, 8, 2000), (Distribution::SquareBlock, clock, 8, 2000)]);
        let mut paced = |errors: [f64; 2]| {
            for (Outcome { report, .. }, error) in results.outcomes.iter_mut().zip(errors) {
                let verdict = if error > 0.02 { Verdict::Slipped } else { Verdict::Kept };
                let slip = Slip { by: Duration::from_micros(20), rank: 1, at: report.modeled };
                let wall = Duration::from_millis(8);
                let real =
                    RealTimeReport { dilation: 4.0, wall, error, answers: 4, late_answers: 1, slip, verdict };
                report.real_time = Some(real);
            }
            (results.conclusion(), results.to_string())
        };
        let (conclusion, table) = paced([0.01, 0.25]);
        assert_eq!(
            conclusion,
            "All 4 nodes hold every byte of all 3 sources; each distribution takes 2.000 ms; 1 of 2 runs in real time \
             SLIPPED: the host could not keep up, the wall clock was up to 25.00 % behind in the end \
             and 0.020 ms at the most (modeled times hold all the same)."
        );
        assert!(
            table.contains("row           real        2.000     7.69    5.000      4.00     1.00"),
            "{table}"
        );
        assert!(table.contains("slipped"), "{table}");
        let (conclusion, _) = paced([0.01, -0.005]);
        assert!(conclusion.ends_with("; the wall clock kept pace within 1.00 %."), "{conclusion}");
    }
}
