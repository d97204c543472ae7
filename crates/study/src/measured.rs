//! Measured times: a table with a row for each message or operation that was timed, and the prediction of every row.

use std::{collections::BTreeMap, io::Read, path::Path};

use multicomputer::{
    Rank, Span,
    model::{MachineSpec, Parameters},
    names,
    pattern::{Builder, Exchange, Schedule, Transfer},
    plan::{Effort, predict},
    units::{format_bytes, parse_bytes},
};

use crate::{
    Axis, Operation, StudyError, algorithms,
    case::Point,
    machine,
    problem::{Elements, Problem},
};

/// Columns with times and the seconds of their unit; `time_` may be left out.
const UNITS: [(&str, f64); 5] = [("s", 1.0), ("seconds", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)];

/// Names of a message between two nodes in the column `operation`; the first is the default.
const MESSAGES: [&str; 4] = ["message", "pingpong", "pointtopoint", "latency"];

/// Axes whose values are read from columns of their names.
const AXES: [Axis; 13] = [
    Axis::Operation,
    Axis::Machine,
    Axis::Nodes,
    Axis::Ports,
    Axis::Placement,
    Axis::Rendezvous,
    Axis::Root,
    Axis::Distribution,
    Axis::Sources,
    Axis::FanOut,
    Axis::Skew,
    Axis::Bytes,
    Axis::Seed,
];

/// Minimum number of rows to which parameters are fitted.
const MIN_ROWS: usize = 2;

/// Measured times, and the machine to whose network they belong.
///
/// ```
/// use multicomputer_study::Measurements;
///
/// // Half the round-trip times of a ping-pong.
/// let table = "bytes,time_us\n0,3\n1000,4\n10000,13\n";
/// let measured = Measurements::read("times.csv", table.as_bytes(), None)?;
/// let parameters = measured.fit()?.machine.parameters().clone();
/// assert_eq!(parameters.alpha().to_string(), "3 us");
/// assert!((parameters.beta() - 1e-9).abs() < 1e-15);
/// # Ok::<(), multicomputer_study::StudyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Measurements {
    pub(crate) rows: Vec<Measured>,
    pub(crate) machine: MachineSpec,
}

/// One measured time.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// Line of the table, from 1.
    pub(crate) line: u64,
    pub(crate) seconds: f64,
    values: BTreeMap<Axis, String>,
    timed: Timed,
    /// The network of the row; its parameters are ignored.
    network: MachineSpec,
}

/// What took the time.
#[derive(Clone, Debug)]
enum Timed {
    /// A message from one node to another.
    Message(Schedule),
    /// An operation by an algorithm.
    Operation { operation: Operation, algorithm: Box<algorithms::Algorithm>, elements: Elements },
}

impl Measurements {
    /// Reads a CSV table: a column with times (`time_s`, `time_ms`, `time_us` or `time_ns`), `bytes`, and optionally `operation`,
    /// `algorithm`, `nodes`, `machine`, `from` and `to` (the nodes of a message) and further columns of a table of a study. Without an
    /// operation a row is a message from node 0 to node 1. Rows without a time are left out.
    ///
    /// The fitted machine has the network, and the parameters that are not fitted, of `machine`: by default of the column `machine`, or
    /// else of a complete network that costs nothing. A row with another number of nodes is of the same kind of network.
    ///
    /// # Errors
    ///
    /// [`StudyError::Table`] with `path` if a column is missing, a row cannot be read or predicted, or there are fewer than two rows.
    pub fn read(
        path: impl AsRef<Path>,
        table: impl Read,
        machine: Option<MachineSpec>,
    ) -> Result<Measurements, StudyError> {
        let error = |cause| StudyError::Table { path: path.as_ref().to_owned(), cause };
        read(table, machine).map_err(error)
    }
}

impl Measured {
    /// The predicted seconds on a machine with these parameters.
    pub(crate) fn predicted(&self, parameters: &Parameters) -> Result<f64, String> {
        let point = Point::of(&self.values);
        let machine = machine::arranged(&point, self.network.clone().with_parameters(parameters.clone()))?;
        let time: Option<Span> = match &self.timed {
            Timed::Message(schedule) => {
                predict(&machine, schedule).map(|prediction| prediction.modeled.since_start())
            }
            Timed::Operation { operation, algorithm, elements } => {
                let (problem, _) = Problem::of(&point, *operation, &machine, *elements)?;
                let seeded = algorithm.with_seed(point.seed());
                problem.plan(&seeded, Effort::Quick.into())?.predicted()
            }
        };
        let unknown = || format!("line {}: no prediction can tell this time: remove the row", self.line);
        time.map(|time| time.as_secs_f64()).ok_or_else(unknown)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.values.get(&Axis::Bytes).and_then(|bytes| parse_bytes(bytes).ok()).unwrap_or(0)
    }

    /// The row in words: `broadcast of 4 KiB by tree on 16 nodes`.
    pub(crate) fn title(&self) -> String {
        let (what, by) = match &self.timed {
            Timed::Message(_) => (MESSAGES[0], String::new()),
            Timed::Operation { operation, algorithm, .. } => {
                (operation.name(), format!(" by {} on {} nodes", algorithm.name(), self.network.nodes()))
            }
        };
        format!("{what} of {}{by}", format_bytes(self.bytes()))
    }
}

fn read(table: impl Read, machine: Option<MachineSpec>) -> Result<Measurements, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(table);
    let header = reader.headers().map_err(|cause| cause.to_string())?.clone();
    let column = |name: &str| header.iter().position(|column| names::normalized(column) == name);
    let timed =
        |(unit, scale): (&str, f64)| Some((column(&format!("time{unit}")).or_else(|| column(unit))?, scale));
    let (time, scale) = UNITS
        .into_iter()
        .find_map(timed)
        .ok_or("there is no column with times: name it time_s, time_ms, time_us or time_ns, by its unit")?;
    column("bytes").ok_or("there is no column `bytes`, the lengths of the messages or vectors")?;
    let axes: Vec<(Axis, usize)> =
        AXES.into_iter().filter_map(|axis| Some((axis, column(&names::normalized(axis.name()))?))).collect();
    let mut cases = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|cause| cause.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        let at = |cause: String| format!("line {line}: {cause}");
        let cell = |name: &str| column(name).and_then(|place| record.get(place)).unwrap_or_default();
        let text = record.get(time).unwrap_or_default();
        if text.is_empty() {
            continue;
        }
        let seconds = text.parse::<f64>().ok().map(|number| number * scale);
        let seconds = seconds.filter(|seconds| seconds.is_finite() && *seconds > 0.0);
        let seconds = seconds.ok_or_else(|| at(format!("`{text}` is not a time above 0")))?;
        if let Some(what) = ["noise", "faults"].into_iter().find(|what| !cell(what).is_empty()) {
            return Err(at(format!("a time with {what} cannot be predicted: remove the row")));
        }
        let value = |&(axis, place): &(Axis, usize)| (axis, record.get(place).unwrap_or_default().to_owned());
        let values: BTreeMap<Axis, String> =
            axes.iter().map(value).filter(|(_, value)| !value.is_empty()).collect();
        let number = |name: &str, default: u64| match cell(name) {
            "" => Ok(default),
            text => parse_bytes(text).map_err(|cause| at(format!("{name}: {cause}"))),
        };
        let ends = [number("from", 0)? as Rank, number("to", 1)? as Rank];
        let bytes = number("bytes", 0)?;
        if cell("bytes").is_empty() {
            return Err(at("bytes: the length is missing".to_owned()));
        }
        let element = Some(number("element", 0)?).filter(|&bytes| bytes > 0);
        let timed = what(&values, cell("algorithm"), element).map_err(at)?;
        cases.push((line, seconds, values, timed, ends, bytes));
    }
    if cases.len() < MIN_ROWS {
        return Err(format!("{} rows with times are too few: give at least {MIN_ROWS}", cases.len()));
    }
    let nodes =
        |values: &BTreeMap<Axis, String>| Point::of(values).count(Axis::Nodes).map(|count| count as usize);
    let machine = match machine {
        Some(machine) => machine,
        None => {
            let (_, _, values, ..) = &cases[0];
            let ranks = cases.iter().map(|(_, _, values, _, ends, _)| {
                nodes(values).unwrap_or(2).max(ends[0] + 1).max(ends[1] + 1)
            });
            let complete = || {
                let machine = with_nodes("complete", ranks.max().unwrap_or(2))?;
                let free = Parameters::builder().build().map_err(|cause| cause.to_string())?;
                Ok(machine.with_parameters(free))
            };
            if values.contains_key(&Axis::Machine) { machine::sized(&sizeless(values)) } else { complete() }?
        }
    };
    if !machine.parameters().regimes().is_empty() {
        return Err(format!(
            "{} has start-ups that depend on the length of a message, which are not fitted: choose another machine",
            machine.name()
        ));
    }
    let family = machine.base_name().split(':').next().unwrap_or_default();
    let mut rows = Vec::new();
    for (line, seconds, values, timed, ends, bytes) in cases {
        let network = match nodes(&values) {
            _ if values.contains_key(&Axis::Machine) => machine::sized(&sizeless(&values)),
            Some(count) if count != machine.nodes() => with_nodes(family, count),
            _ => Ok(machine.clone()),
        };
        let network = network.map_err(|cause| format!("line {line}: {cause}"))?;
        let timed = match timed {
            Some(timed) => timed,
            None => Timed::Message(
                message(network.nodes(), ends, bytes).map_err(|cause| format!("line {line}: {cause}"))?,
            ),
        };
        let row = Measured { line, seconds, values, timed, network };
        row.predicted(machine.parameters()).map_err(|cause| format!("line {line}: {cause}"))?;
        rows.push(row);
    }
    Ok(Measurements { rows, machine })
}

/// The machine of a family that has this number of nodes.
fn with_nodes(family: &str, nodes: usize) -> Result<MachineSpec, String> {
    machine::with_nodes(family, nodes).map_err(|cause| {
        format!("no `{family}` has {nodes} nodes ({cause}): name the network in a column `machine`")
    })
}

/// The case without its number of nodes if its machine has a size.
fn sizeless(values: &BTreeMap<Axis, String>) -> Point<'_> {
    let point = Point::of(values);
    let has_size =
        point.text(Axis::Machine).is_some_and(|name| name.contains(':') || name.ends_with(".toml"));
    if has_size { point.without(Axis::Nodes) } else { point }
}

/// The operation of a row; `None` for a message between two nodes.
fn what(
    values: &BTreeMap<Axis, String>,
    algorithm: &str,
    element: Option<u64>,
) -> Result<Option<Timed>, String> {
    let Some(operation) = values.get(&Axis::Operation) else { return Ok(None) };
    if MESSAGES.contains(&&names::normalized(operation)[..]) {
        return Ok(None);
    }
    let operation = Operation::named(operation).map_err(|cause| format!("{cause}, message"))?;
    if matches!(algorithm, "" | "auto") {
        return Err(format!(
            "the algorithm of the {operation} is unknown: give its name in the column `algorithm`, such as tree or ring"
        ));
    }
    let mut found = algorithms::of(operation, &[algorithm.to_owned()]);
    if found.len() != 1 {
        return Err(format!("`{algorithm}` is not an algorithm of {operation}"));
    }
    let elements = Elements { bytes: element, in_order: false };
    Ok(Some(Timed::Operation { operation, algorithm: Box::new(found.remove(0)), elements }))
}

/// A message between two nodes.
fn message(nodes: usize, [from, to]: [Rank; 2], bytes: u64) -> Result<Schedule, String> {
    if from == to || from.max(to) >= nodes {
        return Err(format!("no message goes from node {from} to node {to} of {nodes} nodes"));
    }
    let mut builder = Builder::new(nodes, &[from], &[bytes], Exchange::Together);
    builder.iteration([Transfer { from, to, blocks: [0].into() }]);
    Ok(builder.finish())
}
