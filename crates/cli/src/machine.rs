//! `multicomputer machine`: the shape and the parameters of a machine.

use std::{collections::BTreeMap, io::Write, path::PathBuf};

use clap::Args;
use multicomputer::{
    Span,
    model::{MachineSpec, Parameters, Regime},
    topology::Topology,
    units::format_bytes,
};
use serde_json::{Value, json};

use super::{
    count::counted,
    error::Error,
    files::{JsonFile, output_file},
    options::{MachineOptions, read_machine},
    table::{Align, Table},
};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = MACHINE_FILE)]
pub(super) struct Arguments {
    /// Show this machine: 10x10 (a Paragon), a preset such as cm5:32 or h100-cluster:4, a topology such as
    /// hypercube:16, file:network.toml, or a machine file (.toml)
    #[arg(value_name = "MACHINE", value_parser = read_machine, conflicts_with_all = ["machine", "mesh"])]
    described: Option<MachineSpec>,

    /// Write the same facts as a JSON object; - is standard output
    #[arg(long, value_name = "FILE", value_parser = output_file("JSON"))]
    json: Option<PathBuf>,

    #[command(flatten)]
    options: MachineOptions,
}

const MACHINE_FILE: &str = "\
A machine file has a name, a topology, and the parameters that differ from a preset:
  name = \"Paragon with a faster operating system\"
  topology = \"mesh:16x32\"
  preset = \"paragon\"
  [parameters]
  send_overhead = \"35 us\"
  beta = \"30.6 ns/B\"
Parameters: send_overhead and receive_overhead, or alpha (half of it each, minus the latency);
exchange_overhead, unexpected_overhead, call_overhead, active_send_overhead, active_receive_overhead, latency, hop,
barrier; beta (30.6 ns/B) or bandwidth (100 Gb/s, 12.5 GB/s); copy, unexpected_copy, gamma, duplex, ports; link_excess or link_capacity.
Defaults: the preset's values; without a preset, no cost. Active messages cost what other messages cost
unless their overheads are given. A topology may be in a file (file:network.toml), or in a table:
  [network]
  nodes = 3
  switches = 1
  [[network.links]]
  between = [0, \"s0\"]
  capacity = \"100 MB/s\"
A network file has the same keys without `network`. docs/machines.md lists all keys.";

/// Maximum number of nodes for finding the longest route by walking all routes.
const MAX_WALKED_NODES: usize = 256;

/// Maximum number of links for counting links by capacity.
const MAX_COUNTED_LINKS: usize = 1 << 22;

/// Maximum number of capacities listed.
const MAX_CAPACITIES: usize = 20;

/// Prints the machine.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let machine = match &arguments.described {
        Some(machine) => arguments.options.change.changed(machine.clone())?,
        None => arguments.options.spec()?,
    };
    let topology = &**machine.topology();
    let longest_route = topology.longest_route().or_else(|| longest_route(topology));
    if let Some(path) = &arguments.json {
        JsonFile::create(Some(path))?.write(&[object(&machine, longest_route)])?;
    }
    writeln!(out, "{}", machine.name())?;
    writeln!(out, "{}", shape(topology, longest_route))?;
    write!(out, "\n{}", table(machine.parameters()))?;
    Ok(write!(out, "{}", capacities(&machine))?)
}

/// Describes the network in one line.
fn shape(topology: &dyn Topology, longest_route: Option<usize>) -> String {
    let mut parts = vec![counted(topology.nodes(), "node")];
    if topology.switches() > 0 {
        parts.push(counted(topology.switches(), "switch"));
    }
    parts.push(counted(topology.links(), "directed link"));
    match (topology.grid(), &topology.extents()[..]) {
        (Some(grid), _) => parts.extend([counted(grid.rows, "row"), counted(grid.columns, "column")]),
        (None, [planes, rows, columns]) => {
            parts.extend([counted(planes, "plane"), counted(rows, "row"), counted(columns, "column")]);
        }
        _ => {}
    }
    if let Some(links) = longest_route {
        parts.push(format!("longest route {}", counted(links, "link")));
    }
    format!("{}: {}", topology.name(), parts.join(", "))
}

/// Returns the maximum number of links on a route, by walking all routes; `None` beyond [`MAX_WALKED_NODES`].
fn longest_route(topology: &dyn Topology) -> Option<usize> {
    let nodes = topology.nodes();
    if nodes > MAX_WALKED_NODES {
        return None;
    }
    let mut route = Vec::new();
    let pairs = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
    pairs
        .map(|(from, to)| {
            route.clear();
            topology.route(from, to, &mut route);
            route.len()
        })
        .max()
}

/// Returns the capacities with their numbers of links, in ascending order; empty if no link has its own capacity, `None` beyond
/// [`MAX_COUNTED_LINKS`].
fn own_capacities(machine: &MachineSpec) -> Option<Vec<(f64, usize)>> {
    let topology = machine.topology();
    if topology.links() > MAX_COUNTED_LINKS {
        return topology.capacity(0).is_none().then(Vec::new);
    }
    if (0..topology.links()).all(|link| topology.capacity(link).is_none()) {
        return Some(Vec::new());
    }
    // Positive floating-point numbers and their bits have the same order.
    let mut links: BTreeMap<u64, usize> = BTreeMap::new();
    for link in 0..topology.links() {
        *links.entry(machine.link_capacity(link).to_bits()).or_default() += 1;
    }
    Some(links.into_iter().map(|(capacity, links)| (f64::from_bits(capacity), links)).collect())
}

/// Formats the number of links by capacity; empty if no link has its own capacity.
fn capacities(machine: &MachineSpec) -> String {
    let Some(links) = own_capacities(machine) else {
        return format!(
            "\nLinks have their own capacities, which are listed for at most {MAX_COUNTED_LINKS} links\n"
        );
    };
    if links.is_empty() {
        return String::new();
    }
    let mut table = Table::new([("directed links", Align::Right), ("capacity of each", Align::Right)]);
    for &(capacity, links) in links.iter().take(MAX_CAPACITIES) {
        table.row([links.to_string(), bandwidth(capacity)]);
    }
    if links.len() > MAX_CAPACITIES {
        table.row(["..".to_owned(), format!("{} more", links.len() - MAX_CAPACITIES)]);
    }
    format!("\n{table}")
}

/// A figure of a machine.
pub(super) enum Figure {
    Time(Span),
    PerByte(f64),
    PerElement(f64),
    Number(f64),
    Count(u32),
    Rate(f64),
}

impl Figure {
    fn text(&self) -> String {
        match *self {
            Figure::Time(time) => time.to_string(),
            Figure::PerByte(0.0) | Figure::PerElement(0.0) => "0".to_owned(),
            Figure::PerByte(value) => format!("{}/byte", seconds(value)),
            Figure::PerElement(value) => format!("{}/element", seconds(value)),
            Figure::Number(value) => decimal(value, 6),
            Figure::Count(count) => count.to_string(),
            Figure::Rate(value) => bandwidth(value),
        }
    }

    /// The key with its unit, and the value; an unlimited rate is `null`.
    fn json(&self, key: &str) -> (String, Value) {
        let (unit, value) = match *self {
            Figure::Time(time) => ("_us", time.as_micros_f64()),
            Figure::PerByte(value) => ("_ns_per_byte", exact(value, 9)),
            Figure::PerElement(value) => ("_us_per_element", exact(value, 6)),
            Figure::Number(value) => ("", value),
            Figure::Count(count) => return (key.to_owned(), json!(count)),
            Figure::Rate(value) => ("_bytes_per_second", value),
        };
        (format!("{key}{unit}"), json!(value))
    }
}

/// Returns a number times a power of ten, with at most twelve significant digits: 30.6e-9 times 1e9 is not 30.6.
fn exact(value: f64, exponent: i32) -> f64 {
    let value = value * 10_f64.powi(exponent);
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// Returns all parameters with their symbols and meanings, derived parameters at the end.
#[rustfmt::skip]
pub(super) fn parameters(m: &Parameters) -> Vec<(&'static str, &'static str, Option<Figure>, &'static str)> {
    use Figure::{Count, Number, PerByte, PerElement, Rate, Time};
    let mut list = vec![
        ("send overhead", "o_s", Some(Time(m.send_overhead())), "processor time of the sender for each message"),
        ("receive overhead", "o_r", Some(Time(m.receive_overhead())), "processor time of the receiver for each message"),
        ("exchange overhead", "o_x", Some(Time(m.exchange_overhead())), "extra for a receive that overlaps a send"),
        ("active send overhead", "a_s", Some(Time(m.active_send_overhead())), "processor time of the sender for each active message"),
        ("active receive overhead", "a_r", Some(Time(m.active_receive_overhead())), "processor time of the receiver for each active message, before its handler"),
        ("latency", "L", Some(Time(m.latency())), "fixed time in the network"),
        ("hop", "hop", Some(Time(m.hop())), "time in the network for each link"),
        ("time per byte", "beta", Some(PerByte(m.beta())), "between a node and the network, each direction"),
        ("duplex", "d", Some(Number(m.duplex())), "both directions together move P d / beta; 2 is full duplex"),
        ("ports", "P", Some(Count(m.ports())), "number of in-ports, and of out-ports, of a node"),
        ("excess link bandwidth", "k", Some(Number(m.link_excess())), "capacity of a link over that of a port"),
        ("combining", "gamma", Some(PerElement(m.gamma())), "processor time for combining an element"),
        ("copying", "copy", Some(PerByte(m.copy())), "processor time for copying a byte in memory"),
        ("barrier", "barrier", m.barrier().map(Time), "time of the hardware barrier"),
        ("start-up", "alpha", Some(Time(m.alpha())), "start-up of a message: o_s + L + o_r"),
        ("port capacity", "1 / beta", Some(Rate(m.port_capacity())), "of an in-port and of an out-port of a node"),
        ("link capacity", "C", Some(Rate(m.link_capacity())), "k / beta, of each directed link without its own capacity"),
    ];
    if m.unexpected(0).is_some() {
        list.push(("unexpected overhead", "o_u", Some(Time(m.unexpected_overhead())), "extra for a receive posted after its message has arrived"));
        list.push(("unexpected copy", "copy_u", Some(PerByte(m.unexpected_copy())), "the same for each byte of the message"));
    }
    if !m.call_overhead().is_zero() {
        list.push(("call overhead", "o_c", Some(Time(m.call_overhead())), "processor time of each member for each call of a collective operation"));
    }
    list
}

/// Returns the table of all parameters.
fn table(m: &Parameters) -> Table {
    let mut table = Table::new(["parameter", "symbol", "value", "meaning"].map(|title| (title, Align::Left)));
    for (name, symbol, figure, meaning) in parameters(m) {
        table.row([name, symbol, &figure.map_or("none".to_owned(), |figure| figure.text()), meaning]);
    }
    for regime in m.regimes() {
        let meaning = format!("of messages from {} on", format_bytes(regime.from_bytes));
        table.row(["send overhead", "o_s", &regime.send_overhead.to_string(), &meaning]);
        table.row(["receive overhead", "o_r", &regime.receive_overhead.to_string(), &meaning]);
    }
    table
}

/// Returns the machine as a JSON object: the same facts as in the text, with units in the names.
pub(super) fn object(machine: &MachineSpec, longest_route: Option<usize>) -> Value {
    let (topology, m) = (machine.topology(), machine.parameters());
    let extents: Vec<(&str, usize)> = match (topology.grid(), &topology.extents()[..]) {
        (Some(grid), _) => vec![("rows", grid.rows), ("columns", grid.columns)],
        (None, &[planes, rows, columns]) => vec![("planes", planes), ("rows", rows), ("columns", columns)],
        _ => Vec::new(),
    };
    let mut object = json!({
        "machine": machine.name(),
        "topology": topology.name(),
        "nodes": topology.nodes(),
        "switches": topology.switches(),
        "directed_links": topology.links(),
        "longest_route_links": longest_route,
        "machine_hash": machine.hash(),
    });
    for (name, extent) in extents {
        object[name] = json!(extent);
    }
    // The names of the tables of studies.
    let renamed = [
        ("time per byte", "beta"),
        ("excess link bandwidth", "link_excess"),
        ("combining", "gamma"),
        ("copying", "copy"),
        ("start-up", "alpha"),
    ];
    for (name, _, figure, _) in parameters(m) {
        let key = renamed
            .into_iter()
            .find(|(known, _)| *known == name)
            .map_or(name.replace(' ', "_"), |(_, key)| key.to_owned());
        let (key, value) = figure.map_or((format!("{key}_us"), Value::Null), |figure| figure.json(&key));
        object[key] = value;
    }
    let regime = |regime: &Regime| {
        let [send, receive] = [regime.send_overhead, regime.receive_overhead].map(Span::as_micros_f64);
        json!({ "from_bytes": regime.from_bytes, "send_overhead_us": send, "receive_overhead_us": receive })
    };
    object["regimes"] = m.regimes().iter().map(regime).collect();
    let capacity =
        |(capacity, links): (f64, usize)| json!({ "directed_links": links, "bytes_per_second": capacity });
    object["link_capacities"] =
        own_capacities(machine).map(|list| list.into_iter().map(capacity).collect()).unwrap_or(Value::Null);
    object
}

/// Formats a time in the largest unit in which it is at least 1: `30.6 ns`.
fn seconds(value: f64) -> String {
    let units = [("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9), ("ps", 1e12)];
    match units.into_iter().find(|(_, factor)| value * factor >= 1.0) {
        None if value == 0.0 => "0".to_owned(),
        None => format!("{value:e} s"),
        Some((unit, factor)) => format!("{} {unit}", decimal(value * factor, 6)),
    }
}

/// Formats a bandwidth in powers of 1000, as on data sheets: `174.84 MB/s`.
fn bandwidth(value: f64) -> String {
    let units = [("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)];
    match units.into_iter().find(|(_, factor)| value >= *factor) {
        _ if value.is_infinite() => "unlimited".to_owned(),
        None => format!("{value} B/s"),
        Some((unit, factor)) => format!("{:.2} {unit}", value / factor),
    }
}

/// Formats a number with at most `most` decimals.
pub(super) fn decimal(value: f64, most: usize) -> String {
    let text = format!("{value:.most$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_unit_that_fits() {
        assert_eq!(seconds(30.6e-9), "30.6 ns");
        assert_eq!(seconds(0.34e-6), "340 ns");
        assert_eq!(seconds(0.0), "0");
        assert_eq!(seconds(1.5), "1.5 s");
        assert_eq!(seconds(2e-15), "2e-15 s");
        assert_eq!(bandwidth(175e6), "175.00 MB/s");
        assert_eq!(bandwidth(0.5), "0.5 B/s");
        assert_eq!(bandwidth(f64::INFINITY), "unlimited");
        assert_eq!(decimal(100.0, 6), "100");
    }
}
