//! Checks of programs: every order of arrival is run, and each run is checked by the model.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
    time::Duration,
};

use multicomputer::{
    Machine, Observer,
    comm::Node,
    error::{Failure, RunError},
    explore::{Exploration, ExploredProgram, Messages, Order},
};
use multicomputer_mpi_model::check::{Check, Finding, Key, Kind, Line, RankEnd};
use parking_lot::Mutex;

use crate::{
    children::Children,
    crash,
    error::{ProgramError, ProgramFailure},
    input::Input,
    loader::Program,
    output::Output,
    place,
    rank::{Job, Options},
};

/// The limits of a check.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The maximum number of runs.
    pub runs: u64,
    /// The maximum wall-clock time; a run that has begun is finished.
    pub host_time: Option<Duration>,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions { runs: 10_000, host_time: None }
    }
}

/// The result of a check.
#[derive(Debug)]
#[non_exhaustive]
pub struct Checked {
    /// What is wrong, causes first, and an order of arrival that shows it.
    pub findings: Vec<(Finding, Order)>,
    /// The number of orders of arrival that were run.
    pub orders: u64,
    /// Whether all orders were run.
    pub is_complete: bool,
    /// The fraction of all orders that were run; an estimate if not all were.
    pub covered: f64,
}

impl Program {
    /// Checks the program on the nodes of a machine, in virtual time: runs it once for every order of arrival that can make a difference, and
    /// looks for errors in each run. Its output is not printed; each run reads the same standard input. Processes that are started meanwhile, as children
    /// of this process, end with the check. A signal such as SIGSEGV that a rank gets ends the process with status 1.
    ///
    /// # Errors
    /// [`ProgramError`]: the program cannot be loaded or run. What is wrong with it is the result.
    pub fn check(
        &self,
        machine: &Machine,
        options: &Options,
        limits: CheckOptions,
    ) -> Result<Checked, ProgramError> {
        let ranks = options.ranks_on(machine)?;
        crash::report_as_finding();
        let input = Input::standard();
        let subject = Subject { program: self, options, ranks, input, seen: Mutex::default() };
        let children = Children::watch();
        let explorer = machine.explorer().runs(limits.runs);
        let explorer = match limits.host_time {
            Some(time) => explorer.host_time(time),
            None => explorer,
        };
        let explored = explorer.run_program(&subject)?;
        drop(children);
        Ok(subject.seen.into_inner().checked(&explored))
    }
}

/// A program that is checked.
struct Subject<'p> {
    program: &'p Program,
    options: &'p Options,
    ranks: usize,
    input: Arc<Input>,
    seen: Mutex<Seen>,
}

/// What was found so far.
#[derive(Default)]
struct Seen {
    runs: u64,
    /// By kind, line and text: the finding, the number of orders that show it, and the least of them.
    findings: BTreeMap<Key, (Finding, u64, Order)>,
    /// The first call of a rank that can take one of several messages or requests.
    choices: BTreeMap<usize, Line>,
}

/// One run.
struct State<'p> {
    job: Job<'p>,
    check: Arc<Check>,
    ends: Vec<Mutex<RankEnd>>,
}

/// What a rank has given: its status and its output.
type RankOutput = (i32, Vec<u8>);

impl<'p> ExploredProgram for Subject<'p> {
    type Output = RankOutput;
    type State = State<'p>;

    fn begin(&self) -> Result<State<'p>, Failure> {
        let copies = self.program.idle_copies(self.ranks)?;
        let check = Arc::new(Check::new(Box::new(place::of_call)));
        let job = self.program.job(
            self.options,
            copies,
            Output::captured(self.ranks, self.input.of_run()),
            Some(check.clone()),
        );
        let ends = (0..self.ranks).map(|_| Mutex::new(RankEnd::Finalized)).collect();
        Ok(State { job, check, ends })
    }

    fn observer(&self, state: &State<'p>) -> Option<Arc<dyn Observer>> {
        Some(state.job.observer())
    }

    fn run(&self, state: &State<'p>, node: &Node<'_>) -> Result<RankOutput, Failure> {
        let rank = node.rank();
        let Some(copy) = state.job.copies.get(rank) else { return Ok((0, Vec::new())) };
        let ended = state.job.run_rank(node, copy);
        *state.ends[rank].lock() = match &ended {
            Ok((_, false)) => RankEnd::Finalized,
            Ok((_, true)) => RankEnd::Unfinalized(state.job.watched[rank].line()),
            Err(ProgramFailure::Stopped { .. }) => RankEnd::Stopped(state.job.watched[rank].line()),
            Err(failure) => RankEnd::Failed(failure.to_string()),
        };
        let (status, _) = ended?;
        Ok((status, state.job.output.take(rank)))
    }

    fn ended(&self, state: State<'p>, order: &Order, error: Option<&RunError>, messages: &Messages<'_>) {
        let ends: Vec<RankEnd> = state.ends.into_iter().map(Mutex::into_inner).collect();
        let report = error.map(RunError::to_string);
        state.check.judge_ready(|sent| messages.were_awaited(sent));
        let mut findings = state.check.conclude(&ends, report.as_deref());
        if is_strict(order) {
            findings = vec![dependence(order, &ends, report.unwrap_or_default())];
        }
        let choices = state.check.choices();
        if !state.job.has_threads.into_inner() {
            // SAFETY: all ranks have ended, and none has started a thread. The check has no addresses of the program.
            unsafe { self.program.take_back(state.job.copies) };
        }
        let mut seen = self.seen.lock();
        seen.runs += u64::from(!is_strict(order));
        seen.choices.extend(choices);
        for finding in findings {
            let key = finding.key();
            match seen.findings.get_mut(&key) {
                None => drop(seen.findings.insert(key, (finding, 1, order.clone()))),
                Some((known, orders, first)) => {
                    *orders += 1;
                    // The same order and text are reported whichever run was first.
                    if *order < *first {
                        *first = order.clone();
                        *known = finding;
                    }
                }
            }
        }
    }
}

/// Whether calls wait in this order that need not wait.
fn is_strict(order: &Order) -> bool {
    order.sends_wait() || order.calls_wait()
}

/// The finding of a program that ends only if calls do not wait that may wait.
fn dependence(order: &Order, ends: &[RankEnd], report: String) -> Finding {
    let stopped = ends.iter().enumerate().filter(|(_, end)| matches!(end, RankEnd::Stopped(_)));
    let ranks: BTreeSet<usize> = stopped.map(|(rank, _)| rank).collect();
    let lines = ends.iter().filter_map(|end| match end {
        RankEnd::Stopped(line) => line.clone(),
        _ => None,
    });
    let (first, details) = report.split_once('\n').unwrap_or((&report, ""));
    let (kind, text, help) = match (order.sends_wait(), order.calls_wait()) {
        (false, _) => (
            Kind::CallOrder,
            "the program ends only if collective calls do not wait for all ranks, which they may do",
            "make collective calls before or after the messages on all ranks",
        ),
        (true, false) => (
            Kind::BufferingDependence,
            "the program ends only if standard sends are buffered; if they wait for their receives",
            "use MPI_Sendrecv, nonblocking calls, or another order of sends and receives",
        ),
        (true, true) => (
            Kind::BufferingDependence,
            "the program ends only if standard sends are buffered; if they wait for their receives, and collective calls for all ranks",
            "receive the message before the collective call, or send it after",
        ),
    };
    let mut finding = Finding::of_ranks(kind, format!("{text}: {first}"), ranks).details(details).help(help);
    // The send that waits, or the collective call, shows the dependence best.
    let mut lines: Vec<Line> = lines.collect();
    let shows = |line: &Line| match kind {
        Kind::BufferingDependence => line.function.to_lowercase().contains("send"),
        _ => !["Recv", "Wait", "Probe", "Send"].iter().any(|part| line.function.contains(part)),
    };
    lines.sort_by_key(|line| !shows(line));
    let mut lines = lines.into_iter();
    finding.at = lines.next();
    finding.with(lines.collect())
}

impl Seen {
    fn checked(self, explored: &Exploration<RankOutput>) -> Checked {
        let Seen { runs, findings, choices, .. } = self;
        let mut all: Vec<(Finding, Order)> = Vec::new();
        // A collective call that a rank leaves out fits none that waits: this is no other cause.
        let is_known =
            findings.values().any(|(finding, _, order)| finding.kind == Kind::CallOrder && !is_strict(order));
        for (mut finding, orders, order) in findings.into_values() {
            if is_known && order.calls_wait() {
                continue;
            }
            if orders < runs && !is_strict(&order) {
                let some = format!("in {orders} of {runs} orders of arrival");
                if finding.kind < Kind::MessageRace || finding.kind == Kind::Failure {
                    finding.text = format!("{some}: {}: {}", finding.kind, finding.text);
                    finding.kind = Kind::MessageRace;
                    let line = choices.values().next().cloned();
                    finding.others.extend(std::mem::replace(&mut finding.at, line));
                } else {
                    finding.text = format!("{some}, {}", finding.text);
                }
            }
            all.push((finding, order));
        }
        // A send to a receive that is never started waits for ever if sends wait: this is no other cause.
        if all.iter().any(|(finding, _)| finding.kind == Kind::MissingStart) {
            all.retain(|(finding, _)| finding.kind != Kind::BufferingDependence);
        }
        if all.is_empty()
            && let [first, second, ..] = explored.results()
        {
            all.push((race(&first.outputs, &second.outputs, &choices), second.order.clone()));
        }
        all.sort_by(|(one, _), (other, _)| one.kind.cmp(&other.kind).then_with(|| one.at.cmp(&other.at)));
        Checked {
            findings: all,
            orders: explored.orders(),
            is_complete: explored.is_complete(),
            covered: explored.covered(),
        }
    }
}

/// The finding of a program with two outputs.
fn race(one: &[RankOutput], other: &[RankOutput], choices: &BTreeMap<usize, Line>) -> Finding {
    let differs = one.iter().zip(other).position(|(one, other)| one != other).unwrap_or_default();
    let (one, other) = (&one[differs], &other[differs]);
    let text = if one.0 == other.0 {
        let lines = |output: &RankOutput| {
            String::from_utf8_lossy(&output.1).lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let (one, other) = (lines(one), lines(other));
        let at = one
            .iter()
            .zip(&other)
            .position(|(one, other)| one != other)
            .unwrap_or(one.len().min(other.len()));
        let shown =
            |lines: &[String]| lines.get(at).map_or_else(|| "nothing".to_owned(), |line| format!("`{line}`"));
        format!("the output depends on the order of arrival: {} or {}", shown(&one), shown(&other))
    } else {
        format!("the exit status depends on the order of arrival: {} or {}", one.0, other.0)
    };
    let mut finding = Finding::of_ranks(Kind::MessageRace, text, [differs]);
    finding.at = choices.get(&differs).or_else(|| choices.values().next()).cloned();
    finding.help("give the source or the tag of the message, or make the result independent of the order")
}

impl Checked {
    /// Whether nothing was found.
    pub fn is_right(&self) -> bool {
        self.findings.is_empty()
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (finding, order) in &self.findings {
            writeln!(f, "{finding}")?;
            let order = order.to_string();
            if !order.is_empty() {
                writeln!(f, "    order of arrival:")?;
                order.lines().try_for_each(|line| writeln!(f, "      {line}"))?;
            }
        }
        let counted = |number: usize, what: &str| match number {
            0 => format!("no {what}s"),
            1 => format!("1 {what}"),
            _ => format!("{number} {what}s"),
        };
        write!(f, "check: {}, ", counted(self.findings.len(), "finding"))?;
        let orders = counted(self.orders as usize, "order");
        match self.is_complete {
            true => write!(f, "{orders} of arrival, all tried"),
            false => write!(f, "{orders} of arrival tried, about {:.3} % of all", 100.0 * self.covered),
        }
    }
}

impl fmt::Debug for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("ranks", &self.ranks).finish_non_exhaustive()
    }
}
