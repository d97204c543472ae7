//! Rows of results: one case and one algorithm each, with a column for everything that can vary.

use std::sync::OnceLock;

use multicomputer::units::parse_bytes;
use multicomputer::{Span, model::MachineSpec, report::RunReport};
use serde::{Deserialize, Serialize};

use crate::{Axis, case::Point};

/// A row: a case, an algorithm, and its times in microseconds (exact to the picosecond). Empty columns do not apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Row {
    /// Hash of the study: axes, algorithms and settings.
    pub study: String,
    /// Version of the library.
    pub version: String,
    /// Number of cases of the study.
    pub cases: u64,
    /// Number of the case, from 0.
    pub case: u64,
    /// The operation.
    pub operation: String,
    /// The machine without its placement.
    pub machine: String,
    /// Number of nodes.
    pub nodes: Option<usize>,
    /// Rows of a network that is a grid.
    pub rows: Option<usize>,
    /// Columns of a network that is a grid.
    pub columns: Option<usize>,
    /// In-ports, and out-ports, of every node.
    pub ports: Option<u32>,
    /// The placement of ranks on nodes.
    pub placement: String,
    /// Start-up of a message, o_s + L + o_r, in microseconds.
    pub alpha_us: Option<f64>,
    /// Time per byte of a port in nanoseconds.
    pub beta_ns_per_byte: Option<f64>,
    /// o_s in microseconds.
    pub send_overhead_us: Option<f64>,
    /// o_r in microseconds.
    pub receive_overhead_us: Option<f64>,
    /// o_x in microseconds.
    pub exchange_overhead_us: Option<f64>,
    /// L in microseconds.
    pub latency_us: Option<f64>,
    /// Time for each link of a route in microseconds.
    pub hop_us: Option<f64>,
    /// k, capacity of a link over that of a port.
    pub link_excess: Option<f64>,
    /// Time for combining an element in microseconds.
    pub gamma_us: Option<f64>,
    /// Length from which sends wait for their receives.
    pub rendezvous: Option<u64>,
    /// Hash of the network and of all parameters.
    pub machine_hash: String,
    /// Noise of the processors without its seed.
    pub noise: Option<String>,
    /// Faults of links and nodes.
    pub faults: Option<String>,
    /// Root of a rooted operation.
    pub root: Option<usize>,
    /// Distribution of the sources.
    pub distribution: Option<String>,
    /// Number of sources.
    pub sources: Option<usize>,
    /// Receivers of each node.
    pub fan_out: Option<usize>,
    /// Skew of an all-to-all.
    pub skew: Option<String>,
    /// Bytes: of the vector, of each source's message, or that each node sends.
    pub bytes: Option<u64>,
    /// Bytes of an element.
    pub element: Option<u64>,
    /// The clock of the run; empty if the time is a prediction.
    pub clock: Option<String>,
    /// Effort of the search for plans.
    pub effort: String,
    /// Seed of noise, random choices and data.
    pub seed: u64,
    /// The algorithm.
    pub algorithm: String,
    /// The algorithm and the variant that were chosen.
    pub chosen: Option<String>,
    /// Whether the search tried all variants that could be the fastest.
    pub complete: Option<bool>,
    /// The time in microseconds: of the run if the case was run with noise, faults or another clock, otherwise predicted.
    pub time_us: Option<f64>,
    /// Predicted time on the machine without noise and faults.
    pub predicted_us: Option<f64>,
    /// Lower bound on the time of every algorithm, on the machine without noise and faults.
    pub bound_us: Option<f64>,
    /// The reason of the lower bound.
    pub decided_by: Option<String>,
    /// Time divided by the lower bound.
    pub ratio: Option<f64>,
    /// Messages of the run, all nodes together.
    pub messages: Option<u64>,
    /// Bytes sent in the run, all nodes together.
    pub bytes_sent: Option<u64>,
    /// Mean time of a node in which it waits for sends and receives, in microseconds.
    pub waiting_us: Option<f64>,
    /// Why there is no time.
    pub restriction: Option<String>,
}

/// The columns of a problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Problem {
    pub(crate) root: Option<usize>,
    pub(crate) distribution: Option<String>,
    pub(crate) sources: Option<usize>,
    pub(crate) fan_out: Option<usize>,
    pub(crate) skew: Option<String>,
    pub(crate) bytes: Option<u64>,
    pub(crate) element: Option<u64>,
}

/// A time in microseconds.
pub(crate) fn micros(time: Span) -> f64 {
    time.as_picos() as f64 / 1e6
}

impl Row {
    /// Returns the columns of a row in the order of a table, with their values as text; empty values are empty texts.
    ///
    /// ```
    /// let row = multicomputer_study::Row::default();
    /// assert_eq!(row.cells()[0], ("study".to_owned(), String::new()));
    /// ```
    pub fn cells(&self) -> Vec<(String, String)> {
        let text = |value: serde_json::Value| match value {
            serde_json::Value::Null => String::new(),
            serde_json::Value::String(text) => text,
            // Whole numbers without `.0`.
            serde_json::Value::Number(number) if number.is_f64() => {
                number.as_f64().map_or_else(String::new, |number| number.to_string())
            }
            other => other.to_string(),
        };
        Row::columns().iter().cloned().zip(self.values()).map(|(name, value)| (name, text(value))).collect()
    }

    /// Returns the names of all columns.
    pub fn columns() -> &'static [String] {
        static COLUMNS: OnceLock<Vec<String>> = OnceLock::new();
        COLUMNS.get_or_init(|| {
            let mut table = csv::Writer::from_writer(Vec::new());
            // Writing a row of plain values to memory cannot fail.
            let header = table.serialize(Row::default()).ok().and_then(|()| table.into_inner().ok());
            let header = String::from_utf8(header.unwrap_or_default()).unwrap_or_default();
            header.lines().next().unwrap_or_default().split(',').map(str::to_owned).collect()
        })
    }

    /// The values in the order of the columns.
    fn values(&self) -> Vec<serde_json::Value> {
        let object = serde_json::to_value(self).unwrap_or_default();
        Row::columns().iter().map(|name| object.get(name).cloned().unwrap_or_default()).collect()
    }

    /// Fills in the columns of the machine, except those of noise and faults.
    pub fn set_machine(&mut self, machine: &MachineSpec) {
        let (parameters, grid) = (machine.parameters(), machine.topology().grid());
        let placements: Vec<String> = machine.placements().iter().map(ToString::to_string).collect();
        self.machine = machine.base_name().to_owned();
        self.nodes = Some(machine.nodes());
        self.rows = grid.map(|grid| grid.rows);
        self.columns = grid.map(|grid| grid.columns);
        self.ports = Some(parameters.ports());
        self.placement = if placements.is_empty() { "identity".to_owned() } else { placements.join(" ") };
        self.alpha_us = Some(micros(parameters.alpha()));
        self.beta_ns_per_byte = Some(decimal(parameters.beta() * 1e9));
        self.send_overhead_us = Some(micros(parameters.send_overhead()));
        self.receive_overhead_us = Some(micros(parameters.receive_overhead()));
        self.exchange_overhead_us = Some(micros(parameters.exchange_overhead()));
        self.latency_us = Some(micros(parameters.latency()));
        self.hop_us = Some(micros(parameters.hop()));
        self.link_excess = Some(parameters.link_excess());
        self.gamma_us = Some(decimal(parameters.gamma() * 1e6));
        self.rendezvous = machine.rendezvous();
        self.machine_hash = machine.hash();
    }

    /// Fills in the values of a case whose problem cannot be made, as far as they are numbers or names.
    pub(crate) fn set_case(&mut self, point: &Point<'_>) {
        let text = |axis| point.text(axis).map(str::to_owned);
        let count = |axis| point.count(axis).map(|count| count as usize);
        self.machine = text(Axis::Machine).unwrap_or_default();
        self.nodes = count(Axis::Nodes);
        self.placement = text(Axis::Placement).unwrap_or_default();
        self.ports = point.count(Axis::Ports).and_then(|ports| u32::try_from(ports).ok());
        self.root = count(Axis::Root);
        self.distribution = text(Axis::Distribution);
        self.sources = count(Axis::Sources);
        self.fan_out = count(Axis::FanOut);
        self.skew = text(Axis::Skew);
        self.bytes = point.text(Axis::Bytes).and_then(|bytes| parse_bytes(bytes).ok());
        self.noise = text(Axis::Noise).filter(|noise| noise != "none");
        self.faults = text(Axis::Fault).filter(|faults| faults != "none");
    }

    /// Fills in noise and faults of the machine, unless the case sets them.
    pub fn set_disturbances(&mut self, machine: &MachineSpec) {
        let noise = || machine.noise().map(|noise| noise.kind_and_seed().0);
        self.noise = self.noise.take().or_else(noise);
        let list = |faults: &multicomputer::model::Faults| {
            let detours = (!faults.has_detours()).then(|| "no-detours".to_owned());
            faults.list().iter().map(ToString::to_string).chain(detours).collect::<Vec<_>>().join(" ")
        };
        let faults = || machine.faults().map(list).filter(|faults| !faults.is_empty());
        self.faults = self.faults.take().or_else(faults);
    }

    /// Fills in the problem.
    pub(crate) fn set_problem(&mut self, problem: &Problem) {
        let Problem { root, distribution, sources, fan_out, skew, bytes, element } = problem.clone();
        self.root = root;
        self.distribution = distribution;
        self.sources = sources;
        self.fan_out = fan_out;
        self.skew = skew;
        self.bytes = bytes;
        self.element = element;
    }

    /// Fills in the counters of a run.
    pub(crate) fn set_run(&mut self, report: &RunReport) {
        self.messages = Some(report.messages);
        self.bytes_sent = Some(report.bytes);
        let waiting: Span = report.nodes.iter().map(|node| node.waiting).sum();
        self.waiting_us = Some(micros(waiting) / report.nodes.len().max(1) as f64);
    }
}

/// A number with at most twelve significant digits: 30.6e-9 times 1e9 is not 30.6.
fn decimal(number: f64) -> f64 {
    format!("{number:.11e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_are_those_of_the_type() {
        let columns = Row::columns();
        assert!(columns.starts_with(&["study".to_owned(), "version".to_owned(), "cases".to_owned()]));
        assert_eq!(columns.last().unwrap(), "restriction");
        let row = Row { nodes: Some(4), time_us: Some(1.5), ..Row::default() };
        let cell = |name: &str| row.cells().into_iter().find(|(column, _)| column == name).unwrap().1;
        assert_eq!([cell("nodes"), cell("time_us"), cell("ratio")], ["4", "1.5", ""]);
    }
}
