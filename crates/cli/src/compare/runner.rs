//! Runs of a comparison: every case is planned by every algorithm, some plans are run, and the rows of the CSV file are
//! written as soon as they are known.
//!
//! A plan is dropped as soon as its figures are known: all plans of a long sweep would not fit in memory.

use std::{io::Write, time::Duration};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
#[cfg(feature = "mpi")]
use multicomputer::mpi::{MpiError, Native};
use multicomputer::{
    Machine, Rank, Span,
    comm::Node,
    error::Failure,
    plan::Effort,
    report::{LinkReport, RealTimeReport, RunReport},
    units::format_bytes,
};

use multicomputer_study::checked::{self, median_call};

use super::{
    super::{
        error::Error,
        files::{CsvFile, Traces},
        options::RunOptions,
        patience,
        plot::PlotFile,
        progress::Progress,
        setting::Setting,
    },
    Attempt, Case, Comparison, Line, Place, Planned, Results, Solved, Spread,
    common::columns,
    explained::Explanations,
    record,
    schedules::ScheduleFiles,
};

/// Choice of the plans that are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// The fastest predicted plan, and the plans that cannot be predicted.
    Fastest,
    All,
    None,
}

/// Returns a parser of the choice, with a help text for each value.
pub(crate) fn run_parser() -> impl TypedValueParser<Value = Runs> {
    let values = [
        ("fastest", "The fastest predicted plan of each problem, and plans without a prediction"),
        ("all", "All plans"),
        ("none", "No plan: times are predictions"),
    ];
    let values = values.map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).map(|name| match &name[..] {
        "fastest" => Runs::Fastest,
        "all" => Runs::All,
        _ => Runs::None,
    })
}

impl Runs {
    /// Returns whether the plan of an algorithm is run even if it is not the fastest.
    pub(crate) fn include<C: Comparison>(self, of: &C, algorithm: &C::Algorithm) -> bool {
        match self {
            Runs::None => false,
            // Only a run shows the time of an algorithm without predictions.
            Runs::Fastest => !of.is_predictable(algorithm),
            Runs::All => of.can_be_run(algorithm),
        }
    }
}

/// Figures of a run.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    /// Modeled time of the run; under the host's clock, and over MPI, the wall-clock time of a [median
    /// call](median_call).
    pub(crate) time: Span,
    pub(crate) is_modeled: bool,
    /// Wall-clock time of the run, or of the median call.
    pub(crate) wall: Duration,
    /// Time that a node waits for sends and receives to complete, mean over nodes.
    pub(crate) waiting: Span,
    /// Number of messages of all nodes, including active messages and messages of barriers.
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    /// Delay of messages by shared links and ports, summed over messages.
    pub(crate) lost_to_sharing: Span,
    /// Link that carried the most bytes, if any.
    pub(crate) loaded: Option<LinkReport>,
    /// Link that the most messages shared at once; of several such links, the one with the most bytes, then the first.
    pub(crate) shared: Option<LinkReport>,
    /// Pace of the host, in real time.
    pub(crate) real_time: Option<RealTimeReport>,
    /// Spread of the times of calls, over MPI.
    pub(crate) spread: Option<Spread>,
}

impl Ran {
    /// Extracts the figures of a report; `time` is the time of the run.
    pub(crate) fn of(report: &RunReport, time: Span, wall: Duration) -> Ran {
        let waiting: Span = report.nodes.iter().map(|node| node.waiting).sum();
        let most_shared = |link: &&LinkReport| (link.load.most_flows, link.load.bytes);
        Ran {
            time,
            is_modeled: report.is_modeled,
            wall,
            waiting: Span::from_picos(waiting.as_picos() / report.nodes.len().max(1) as u64),
            messages: report.messages,
            bytes: report.bytes,
            lost_to_sharing: report.lost_to_sharing,
            loaded: report.most_loaded_link().cloned(),
            // `max_by_key` returns the last of equal links, here the first.
            shared: report.links.iter().rev().max_by_key(most_shared).cloned(),
            real_time: report.real_time,
            spread: None,
        }
    }
}

/// A run to be carried out: its place, its name, and the files that record it.
pub(crate) struct Execution<'a> {
    pub(crate) place: &'a Place,
    /// Name of the run in errors.
    name: &'a str,
    /// Title for pictures.
    title: &'a str,
    predicted: Option<Span>,
    traces: &'a mut Traces,
    explanations: &'a mut Explanations,
    label: String,
}

impl Execution<'_> {
    /// Returns the MPI rank of this process.
    #[cfg(feature = "mpi")]
    pub(crate) fn rank(&self) -> Rank {
        match self.place {
            Place::Machine(_) => 0,
            Place::Ranks(ranks) => ranks.rank(),
        }
    }

    /// Calls MPI's native operation on every rank, which writes its result to `got`; `fault` checks the result.
    #[cfg(feature = "mpi")]
    pub(crate) fn own<T>(
        self,
        got: &mut T,
        call: impl Fn(&Native<'_>, &mut T) -> Result<(), MpiError>,
        fault: impl Fn(&T) -> Option<String>,
    ) -> Result<Ran, Error> {
        match self.place {
            Place::Machine(_) => self.without_ranks(),
            Place::Ranks(ranks) => ranks.own(self.name, got, call, fault).map(Ran::measured),
        }
    }

    /// Returns the error for MPI's native operations without MPI ranks.
    pub(crate) fn without_ranks(&self) -> Result<Ran, Error> {
        Err(Error::usage(format!(
            "MPI's operations need MPI ranks: start the program with mpirun ({})",
            self.name
        )))
    }

    fn run_on<T: Send>(
        self,
        machine: &Machine,
        program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
        fault: impl Fn(&[(Rank, &T)]) -> Option<String>,
    ) -> Result<Ran, Error> {
        let run = machine.run(&program)?;
        let (report, name) = (&run.report, self.name);
        let modeled = report.makespan.since_start();
        if let Some(fault) = fault(&run.outputs.iter().enumerate().collect::<Vec<_>>()) {
            return Err(Error::Wrong(format!("{fault} ({name})")));
        }
        if let Some(predicted) = self.predicted
            && (report.is_modeled && report.real_time.is_none() && modeled != predicted)
        {
            return Err(Error::Wrong(format!(
                "the run took {modeled}, the prediction was {predicted} ({name})"
            )));
        }
        self.traces.write(&self.label, [self.title; 2], &run)?;
        self.explanations.add(&self.label, &run);
        let (time, wall) = match report.is_modeled {
            true => (modeled, run.wall),
            false => median_call(machine, &program)
                .map(|time| (time, Duration::from_nanos(time.as_picos() / 1000)))?,
        };
        Ok(Ran::of(report, time, wall))
    }
}

impl checked::Runner for Execution<'_> {
    type Ran = Ran;
    type Error = Error;

    fn nodes(&self) -> usize {
        self.place.nodes()
    }

    fn is_over_mpi(&self) -> bool {
        self.place.is_over_mpi()
    }

    /// Runs a program on every node. In virtual time the run must also take the predicted time.
    fn run<T: Send>(
        self,
        program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
        fault: impl Fn(&[(Rank, &T)]) -> Option<String>,
    ) -> Result<Ran, Error> {
        match self.place {
            Place::Machine(machine) => self.run_on(machine, program, fault),
            #[cfg(feature = "mpi")]
            Place::Ranks(ranks) => ranks.run(self.name, program, fault).map(Ran::measured),
        }
    }
}

/// Note on runs of machines with noise or faults.
const NOISE_OR_FAULTS: &str = "The machine has noise or faults: times are those of the runs; plans are made for the machine \
 without noise and faults.\n";

/// Note on searches that stopped before all candidates were tried.
const INCOMPLETE: &str =
    "The search for the fastest plan stopped early: --effort thorough tries all candidates.\n";

/// Returns the note on machines where sends wait for their receives.
fn rendezvous_note(from_bytes: u64) -> String {
    let sends = match from_bytes {
        0 => "All sends".to_owned(),
        from_bytes => format!("Sends of {} and more", format_bytes(from_bytes)),
    };
    format!("{sends} wait for their receives.\n")
}

/// Plans and runs all cases, and prints the comparison.
pub(crate) fn compare<C: Comparison>(
    of: &C,
    cases: Vec<Case<C>>,
    runs: Runs,
    options: &RunOptions,
    out: &mut impl Write,
) -> Result<(), Error> {
    let disturbed = |case: Case<C>| Ok(Case { spec: options.disturbed(&case.spec)?, ..case });
    let cases = cases.into_iter().map(disturbed).collect::<Result<Vec<Case<C>>, Error>>()?;
    let is_disturbed = cases.iter().any(|case| case.spec.is_disturbed());
    let runs = match runs {
        Runs::None if is_disturbed => {
            return Err(Error::usage(
                "--run none cannot be used with noise or faults: predictions do not include them",
            ));
        }
        // Predictions exclude noise and faults: only runs show which plan is the fastest.
        Runs::Fastest if is_disturbed => Runs::All,
        runs => runs,
    };
    let csv = CsvFile::create(options.csv.as_deref(), C::FILE)?;
    let labels: Vec<String> = cases.iter().flat_map(|case| labels(of, runs, case)).collect();
    let mut plot = PlotFile::create(options.plot.as_deref(), C::FILE)?;
    let mut traces = Traces::create(&options.record, &labels)?;
    let mut explanations = Explanations::new(options.record.explain);
    let mut schedules = ScheduleFiles::create(options, &cases)?;

    let lines = cases.iter().map(|case| case.lines.len()).sum();
    let is_shown = cases.iter().all(|case| case.place.as_ref().is_none_or(Place::is_shown));
    let progress = if is_shown { Progress::new(lines) } else { Progress::hidden() };
    let (solved, is_incomplete) = csv.fill(|csv| {
        let mut runner = Runner {
            of,
            runs,
            is_disturbed,
            progress: &progress,
            traces: &mut traces,
            explanations: &mut explanations,
            schedules: &mut schedules,
            csv,
            plot: &mut plot,
            seed: options.seed,
            effort: options.effort.unwrap_or_default(),
            is_incomplete: false,
        };
        let solved: Vec<Solved<C>> =
            cases.into_iter().map(|case| runner.solve(case)).collect::<Result<_, Error>>()?;
        // If no algorithm applies to any case, the reason is an error of the command, not a cell of a table.
        let lines = || solved.iter().flat_map(|solved| &solved.lines);
        let cause = lines().find_map(|line| Some((&line.algorithm, line.attempts.as_ref().err()?)));
        if let (true, Some((algorithm, cause))) = (lines().all(|line| line.attempts.is_err()), cause) {
            csv.discard();
            return Err(Error::usage(of.no_plan_error(algorithm, cause)));
        }
        Ok((solved, runner.is_incomplete))
    })?;
    drop(progress);
    traces.finish()?;

    let mut text = String::new();
    if !solved.is_empty() {
        // Writing to a string cannot fail.
        let _ = of.show(&Results { of, solved: &solved }, &mut text);
        if is_disturbed {
            text += NOISE_OR_FAULTS;
        }
        if is_incomplete {
            text += INCOMPLETE;
        }
        let mut rendezvous = solved.iter().map(|solved| solved.case.spec.rendezvous());
        // If machines differ in the threshold, a column shows it.
        if let Some(first @ Some(from_bytes)) = rendezvous.next()
            && rendezvous.all(|other| other == first)
        {
            text += &rendezvous_note(from_bytes);
        }
    }
    write!(out, "{text}{traces}{explanations}")?;
    plot.finish(out)
}

/// Returns the labels of a case's traces, in the order of the runs.
fn labels<C: Comparison>(of: &C, runs: Runs, case: &Case<C>) -> Vec<String> {
    let all = case.lines.iter().flatten();
    let run = all.filter(|algorithm| runs.include(of, algorithm));
    let fastest = (runs == Runs::Fastest).then(|| of.label(&case.problem, None));
    run.map(|algorithm| of.label(&case.problem, Some(algorithm))).chain(fastest).collect()
}

/// State of planning and running the cases, one after another.
struct Runner<'a, C> {
    of: &'a C,
    runs: Runs,
    /// Whether machines have noise or faults. Predictions do not include them, and are dropped.
    is_disturbed: bool,
    progress: &'a Progress,
    traces: &'a mut Traces,
    explanations: &'a mut Explanations,
    schedules: &'a mut ScheduleFiles,
    csv: &'a mut CsvFile,
    plot: &'a mut PlotFile,
    seed: u64,
    effort: Effort,
    /// Whether the search for a plan stopped early.
    is_incomplete: bool,
}

impl<C: Comparison> Runner<'_, C> {
    fn solve(&mut self, case: Case<C>) -> Result<Solved<C>, Error> {
        let setting = Setting::of(&case.spec, self.seed);
        let mut solved = Solved { case, setting, lines: Vec::new() };
        let mut fastest: Option<(Span, [usize; 2], Planned<C::Plan>)> = None;
        for line in 0..solved.case.lines.len() {
            let algorithms = &solved.case.lines[line];
            let Some(algorithm) = algorithms.first().cloned() else { continue };
            let (mut attempts, mut refusal) = (Vec::new(), None);
            for (nth, algorithm) in algorithms.iter().enumerate() {
                let (attempt, plan) = match self.attempt(&solved.case, algorithm)? {
                    Ok(attempt) => attempt,
                    Err(cause) => {
                        refusal = Some(cause);
                        break;
                    }
                };
                if let (None, Some(predicted)) = (&attempt.ran, attempt.predicted)
                    && self.of.can_be_run(algorithm)
                    && fastest.as_ref().is_none_or(|&(least, ..)| predicted < least)
                {
                    fastest = Some((predicted, [solved.lines.len(), nth], plan));
                }
                attempts.push(attempt);
            }
            let attempts = refusal.map_or(Ok(attempts), Err);
            solved.lines.push(Line { algorithm, attempts });
            if self.runs != Runs::Fastest {
                self.rows(&solved, solved.lines.len() - 1)?;
            }
            self.progress.end();
        }
        if self.runs == Runs::Fastest {
            if let Some((_, [line, nth], plan)) = fastest
                && let Ok(attempts) = &mut solved.lines[line].attempts
            {
                let label = self.of.label(&solved.case.problem, None);
                let attempt = &mut attempts[nth];
                attempt.ran = self.execute(&solved.case, &attempt.algorithm, &plan, label)?;
            }
            // The plan that is run is known only now.
            (0..solved.lines.len()).try_for_each(|line| self.rows(&solved, line))?;
        }
        Ok(solved)
    }

    /// Plans an attempt, and runs it if chosen; or returns the reason why the algorithm does not apply.
    #[allow(clippy::type_complexity)]
    fn attempt(
        &mut self,
        case: &Case<C>,
        algorithm: &C::Algorithm,
    ) -> Result<Result<(Attempt<C>, Planned<C::Plan>), String>, Error> {
        let of = self.of;
        let name = of.describe(&case.problem, algorithm);
        self.progress.begin(&name);
        let search = self.progress.search(&name, self.effort);
        let plan = match of.plan(&case.problem, algorithm, search)? {
            Ok(plan) if self.is_disturbed => Planned { predicted: None, ..plan },
            Ok(plan) => plan,
            Err(cause) => return Ok(Err(cause)),
        };
        self.is_incomplete |= !plan.is_complete;
        self.schedules.write(of, &plan.plan, &case.spec)?;
        let ran = match self.runs.include(of, algorithm) {
            true => self.execute(case, algorithm, &plan, of.label(&case.problem, Some(algorithm)))?,
            false => None,
        };
        let attempt = Attempt {
            chosen: plan.chosen.clone(),
            predicted: plan.predicted,
            facts: of.facts(&case.problem, &plan, ran.as_ref()),
            algorithm: algorithm.clone(),
            ran,
        };
        Ok(Ok((attempt, plan)))
    }

    /// Writes the rows of a line to the CSV file, and adds them to the plot.
    fn rows(&mut self, solved: &Solved<C>, line: usize) -> Result<(), Error> {
        let columns = columns(self.of);
        let row = solved.row(self.of, line);
        row.one_by_one().iter().try_for_each(|row| {
            let row = record(&columns, C::FILE, row);
            self.plot.row(&row);
            self.csv.row(row)
        })
    }

    /// Runs a plan, if the case has a place for runs.
    fn execute(
        &mut self,
        case: &Case<C>,
        algorithm: &C::Algorithm,
        plan: &Planned<C::Plan>,
        label: String,
    ) -> Result<Option<Ran>, Error> {
        let Some(place) = &case.place else { return Ok(None) };
        let name = self.of.describe(&case.problem, algorithm);
        let title = format!("{name}{}", Setting::of(&case.spec, self.seed).title());
        self.progress.begin(&name);
        let predicted = plan.predicted;
        if let Some(predicted) = predicted {
            patience::announce(case.clock, predicted, &name, self.progress)?;
        }
        let Runner { traces, explanations, .. } = self;
        let execution =
            Execution { place, name: &name, title: &title, predicted, traces, explanations, label };
        self.of.run(&plan.plan, execution).map(Some)
    }
}
