//! The rows of a study, made one case at a time.

use std::{collections::VecDeque, fmt, str::FromStr, sync::Arc};

use multicomputer::{
    Clock, Machine, Rank, Run, Span,
    comm::Node,
    error::Failure,
    model::MachineSpec,
    plan::{Effort, LowerBound},
};

use crate::{
    Axis, Operation, Row, Runs, Study, StudyError,
    algorithms::{self, Algorithm},
    case::Point,
    checked::{Runner, median_call},
    clock,
    data::Content,
    machine,
    problem::{Plan, Problem},
    row::{self, micros},
    spelling::read_effort,
};

/// A part of a study: of every `of` consecutive cases the one with this index. All parts together are the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    of: u64,
}

impl Shard {
    /// The whole study.
    pub const WHOLE: Shard = Shard { index: 0, of: 1 };
}

/// Reads `3/16`: part 3 of 16, counted from 1.
impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let error = || format!("`{text}` is not a part: write 3/16, the third of 16 parts");
        let (index, of) = text.split_once('/').ok_or_else(error)?;
        let [index, of] = [index, of].map(|number| number.trim().parse::<u64>());
        match (index, of) {
            (Ok(index), Ok(of)) if (1..=of).contains(&index) => Ok(Shard { index: index - 1, of }),
            _ => Err(error()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.of)
    }
}

/// An iterator over the rows of a study. Rows are made one case at a time, in the order of the cases, so memory does not grow with the
/// number of rows.
#[derive(Debug)]
pub struct Rows {
    study: Arc<Study>,
    hash: String,
    shard: Shard,
    cases: u64,
    /// The next case.
    next: u64,
    /// Rows of the last case that have not been returned.
    ready: VecDeque<Row>,
    /// Plans of the last case, for cases that differ in noise, faults, clock or seed only.
    planned: Option<Planned>,
    /// Whether a row had a time, and the first reason why one had none.
    has_time: bool,
    refusal: Option<String>,
    /// The recorded runs since the last call of [`take_recorded`](Rows::take_recorded); `None` if runs are not recorded.
    recorded: Option<Vec<Recorded>>,
}

/// A recorded run of a study.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recorded {
    /// Number of the case, from 0.
    pub case: u64,
    /// The name of the algorithm.
    pub algorithm: String,
    /// The run, with its [trace](multicomputer::MachineBuilder::trace).
    pub run: Run<()>,
}

/// What cases with the same plans have in common.
struct Planned {
    /// The case without the axes that do not change plans.
    key: String,
    machine: MachineSpec,
    problem: Problem,
    columns: row::Problem,
    bound: LowerBound,
    /// For each algorithm its name, and its plan or why there is none.
    plans: Vec<(String, Result<Plan, String>)>,
}

impl fmt::Debug for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planned").field("key", &self.key).finish_non_exhaustive()
    }
}

impl Rows {
    /// The rows of a part of a resolved study.
    pub(crate) fn new(study: Study, shard: Shard) -> Result<Rows, StudyError> {
        let (hash, cases) = (study.hash(), study.cases()?);
        Ok(Rows {
            study: Arc::new(study),
            hash,
            shard,
            cases,
            next: shard.index,
            ready: VecDeque::new(),
            planned: None,
            has_time: false,
            refusal: None,
            recorded: None,
        })
    }

    /// Returns the study with its defaults, and with one fault value for each link in place of `each-link`.
    pub fn study(&self) -> Arc<Study> {
        Arc::clone(&self.study)
    }

    /// Returns the hash of the study, which is in every row.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns the number of cases of the part, and the number of finished cases.
    pub fn progress(&self) -> (u64, u64) {
        let of_part = |cases: u64| cases.saturating_sub(self.shard.index).div_ceil(self.shard.of);
        (of_part(self.cases), of_part(self.next.min(self.cases)))
    }

    /// Returns the number of the last case of the part; `None` if the part has no case.
    pub fn last_case(&self) -> Option<u64> {
        let of_part = self.cases.saturating_sub(self.shard.index).div_ceil(self.shard.of);
        Some(self.shard.index + of_part.checked_sub(1)? * self.shard.of)
    }

    /// Records the runs of the cases that follow. [`take_recorded`](Rows::take_recorded) returns them.
    pub fn record(&mut self) {
        self.recorded.get_or_insert_default();
    }

    /// Returns the runs that were recorded since the last call.
    pub fn take_recorded(&mut self) -> Vec<Recorded> {
        self.recorded.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Leaves out all cases up to this number: those of a table that is continued. The next row is that of a later case.
    pub fn continue_after(&mut self, case: u64) {
        while self.next <= case && self.next < self.cases {
            self.next += self.shard.of;
        }
        self.has_time = true;
    }

    /// Makes all rows of a case.
    fn solve(&mut self, number: u64) -> Result<(), StudyError> {
        let study = Arc::clone(&self.study);
        let point = &Point::nth(&study.values, number);
        let common = Row {
            study: self.hash.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            cases: self.cases,
            case: number,
            seed: point.seed(),
            ..Row::default()
        };
        let operation = Operation::named(point.text(Axis::Operation).unwrap_or("broadcast"))
            .map_err(|cause| StudyError::Value { axis: Axis::Operation, cause })?;
        let common = Row { operation: operation.name().to_owned(), ..common };
        if let Err(cause) = self.prepare(point, operation) {
            let mut common = common;
            common.set_case(point);
            if let Ok(machine) = machine::planned(point) {
                common.set_machine(&machine);
            }
            for name in algorithms::of(operation, &self.study.algorithms).iter().map(Algorithm::name) {
                self.add(Row { algorithm: name, restriction: Some(cause.clone()), ..common.clone() });
            }
            return Ok(());
        }
        let Some(planned) = self.planned.take() else { return Ok(()) };
        let rows = self.case_rows(point, &planned, &common);
        self.planned = Some(planned);
        rows?.into_iter().for_each(|row| self.add(row));
        Ok(())
    }

    fn add(&mut self, row: Row) {
        self.has_time |= row.time_us.is_some();
        if self.refusal.is_none() {
            self.refusal.clone_from(&row.restriction);
        }
        self.ready.push_back(row);
    }

    /// Makes the plans of a case, unless those of the last case are the same.
    fn prepare(&mut self, point: &Point<'_>, operation: Operation) -> Result<(), String> {
        let of_plans = point.of_plans();
        // Only matrices and schedules of all-to-alls are random.
        let of_plans = if operation == Operation::AllToAll { of_plans } else { of_plans.without(Axis::Seed) };
        let key = format!("{of_plans:?}");
        if self.planned.as_ref().is_some_and(|planned| planned.key == key) {
            return Ok(());
        }
        self.planned = None;
        let machine = machine::planned(point)?;
        let (problem, columns) = Problem::of(point, operation, &machine, self.study.elements)?;
        let effort = self.effort(point)?;
        let algorithms = algorithms::of(operation, &self.study.algorithms);
        let plan = |algorithm: &Algorithm| {
            let seeded = algorithm.with_seed(point.seed());
            (algorithm.name(), problem.plan(&seeded, effort.into()))
        };
        let plans = algorithms.iter().map(plan).collect();
        let bound = problem.lower_bound();
        self.planned = Some(Planned { key, machine, problem, columns, bound, plans });
        Ok(())
    }

    fn effort(&self, point: &Point<'_>) -> Result<Effort, String> {
        point.text(Axis::Effort).map_or(Ok(Effort::default()), read_effort)
    }

    /// The rows of all algorithms.
    fn case_rows(
        &mut self,
        point: &Point<'_>,
        planned: &Planned,
        common: &Row,
    ) -> Result<Vec<Row>, StudyError> {
        let mut common = common.clone();
        common.set_machine(&planned.machine);
        common.set_problem(&planned.columns);
        common.effort = self.effort(point).map_or("", Effort::name).to_owned();
        common.bound_us = Some(micros(planned.bound.time()));
        common.decided_by = planned.bound.decisive().map(|reason| reason.name().to_owned());
        let restricted = |common: &Row, cause: &str| {
            let row = |(name, _): &(String, _)| Row {
                algorithm: name.clone(),
                restriction: Some(cause.to_owned()),
                ..common.clone()
            };
            planned.plans.iter().map(row).collect()
        };
        if let Some(noise) = point.text(Axis::Noise).filter(|&noise| noise != "none") {
            common.noise = Some(noise.to_owned());
        }
        if let Some(faults) = point.text(Axis::Fault).filter(|&faults| faults != "none") {
            common.faults = Some(faults.to_owned());
        }
        let disturbed = match machine::disturbed(point, &planned.machine) {
            Ok(disturbed) => disturbed,
            Err(cause) => return Ok(restricted(&common, &cause)),
        };
        common.set_disturbances(&disturbed);
        let clock = point.text(Axis::Clock).map_or(Ok(Clock::Virtual), clock::read);
        let clock = clock.map_err(|cause| StudyError::Value { axis: Axis::Clock, cause })?;
        let mut place =
            Place { clock, is_disturbed: disturbed.is_disturbed(), machine: disturbed, built: None };
        planned
            .plans
            .iter()
            .map(|(name, plan)| self.algorithm_row(point, planned, &common, name, plan, &mut place))
            .collect()
    }

    /// The row of an algorithm.
    fn algorithm_row(
        &mut self,
        point: &Point<'_>,
        planned: &Planned,
        common: &Row,
        name: &str,
        plan: &Result<Plan, String>,
        place: &mut Place,
    ) -> Result<Row, StudyError> {
        let mut row = Row { algorithm: name.to_owned(), ..common.clone() };
        let plan = match plan {
            Ok(plan) => plan,
            Err(cause) => return Ok(Row { restriction: Some(cause.clone()), ..row }),
        };
        let predicted = plan.predicted();
        row.chosen = Some(plan.chosen());
        row.complete = Some(plan.is_complete());
        row.predicted_us = predicted.map(micros);
        let is_needed = place.is_disturbed || place.clock != Clock::Virtual || predicted.is_none();
        let time = match self.study.runs {
            Runs::None if is_needed => {
                let cause = "only a run can tell the time: set run to needed or all".to_owned();
                return Ok(Row { restriction: Some(cause), ..row });
            }
            Runs::All => None,
            _ if is_needed => None,
            _ => predicted,
        };
        let time = match time {
            Some(time) => time,
            None => match self.run(point, planned, plan, predicted, place)? {
                Ok((time, run)) => {
                    row.clock = Some(point.text(Axis::Clock).unwrap_or("virtual").to_owned());
                    row.set_run(&run.report);
                    if let Some(recorded) = &mut self.recorded {
                        recorded.push(Recorded { case: common.case, algorithm: name.to_owned(), run });
                    }
                    time
                }
                Err(cause) => return Ok(Row { restriction: Some(cause), ..row }),
            },
        };
        row.time_us = Some(micros(time));
        // A wall-clock time has no modeled lower bound.
        row.ratio = if place.clock == Clock::Host { None } else { planned.bound.ratio(time) };
        Ok(row)
    }

    /// Runs a plan; `Err` inside says why it cannot be run, or how the run failed.
    #[allow(clippy::type_complexity)]
    fn run(
        &mut self,
        point: &Point<'_>,
        planned: &Planned,
        plan: &Plan,
        predicted: Option<Span>,
        place: &mut Place,
    ) -> Result<Result<(Span, Run<()>), String>, StudyError> {
        let content =
            if self.study.phantom { Content::Phantom } else { Content::Random { seed: point.seed() } };
        if let Err(cause) = planned.problem.check_data(content) {
            return Ok(Err(cause));
        }
        let (clock, is_disturbed) = (place.clock, place.is_disturbed);
        let machine = match place.machine(self.recorded.is_some()) {
            Ok(machine) => machine,
            Err(cause) => return Ok(Err(cause)),
        };
        let expected = predicted.filter(|_| clock == Clock::Virtual && !is_disturbed);
        match plan.run(content, MachineRunner { machine, expected }) {
            Ok(ran) => Ok(Ok(ran)),
            Err(RunError::Failed(cause)) => Ok(Err(cause)),
            Err(RunError::Wrong(cause)) => Err(StudyError::WrongData(cause)),
        }
    }
}

impl Iterator for Rows {
    type Item = Result<Row, StudyError>;

    fn next(&mut self) -> Option<Result<Row, StudyError>> {
        loop {
            if let Some(row) = self.ready.pop_front() {
                return Some(Ok(row));
            }
            if self.next >= self.cases {
                // A study without any time is most likely a mistake.
                let refusal = self.refusal.take().filter(|_| !std::mem::replace(&mut self.has_time, true));
                return refusal.map(|cause| Err(StudyError::NothingWorks(cause)));
            }
            let number = self.next;
            self.next += self.shard.of;
            if let Err(cause) = self.solve(number) {
                self.next = self.cases;
                return Some(Err(cause));
            }
        }
    }
}

/// The machine that runs a case, built when the first plan is run.
struct Place {
    clock: Clock,
    is_disturbed: bool,
    machine: MachineSpec,
    built: Option<Machine>,
}

impl Place {
    fn machine(&mut self, is_traced: bool) -> Result<&Machine, String> {
        if self.built.is_none() {
            let machine = Machine::builder(self.machine.clone()).clock(self.clock).trace(is_traced).build();
            self.built = Some(machine.map_err(|cause| cause.to_string())?);
        }
        self.built.as_ref().ok_or_else(String::new)
    }
}

/// Runs programs on a machine of this process.
struct MachineRunner<'a> {
    machine: &'a Machine,
    /// The time that the run must take.
    expected: Option<Span>,
}

/// A run that has no result.
enum RunError {
    /// It failed: a deadlock, a message over a dead link, a limit of the host.
    Failed(String),
    /// It delivered wrong data, or took another time than predicted.
    Wrong(String),
}

impl Runner for MachineRunner<'_> {
    type Ran = (Span, Run<()>);
    type Error = RunError;

    fn nodes(&self) -> usize {
        self.machine.spec().nodes()
    }

    fn is_over_mpi(&self) -> bool {
        false
    }

    fn run<T: Send>(
        self,
        program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
        fault: impl Fn(&[(Rank, &T)]) -> Option<String>,
    ) -> Result<(Span, Run<()>), RunError> {
        let run = self.machine.run(&program).map_err(|cause| RunError::Failed(cause.to_string()))?;
        let time = run.report.makespan.since_start();
        if let Some(fault) = fault(&run.outputs.iter().enumerate().collect::<Vec<_>>()) {
            return Err(RunError::Wrong(fault));
        }
        if let Some(expected) = self.expected.filter(|&expected| expected != time) {
            return Err(RunError::Wrong(format!("the run took {time}, the prediction was {expected}")));
        }
        let time = match run.report.is_modeled {
            true => time,
            false => {
                median_call(self.machine, program).map_err(|cause| RunError::Failed(cause.to_string()))?
            }
        };
        Ok((time, run.without_outputs()))
    }
}
