//! `multicomputer machine`: the shape and the parameters of a machine.

use std::{collections::BTreeMap, io::Write};

use clap::Args;
use multicomputer::{
    Span,
    model::{MachineSpec, Parameters},
    topology::Topology,
    units::format_bytes,
};

use super::{
    count::counted,
    error::Error,
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
    writeln!(out, "{}", machine.name())?;
    writeln!(out, "{}", shape(&**machine.topology()))?;
    write!(out, "\n{}", table(machine.parameters()))?;
    Ok(write!(out, "{}", capacities(&machine))?)
}

/// Describes the network in one line.
fn shape(topology: &dyn Topology) -> String {
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
    if let Some(links) = topology.longest_route().or_else(|| longest_route(topology)) {
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

/// Returns the number of links by capacity; empty if no link has its own capacity.
fn capacities(machine: &MachineSpec) -> String {
    let topology = machine.topology();
    if topology.links() > MAX_COUNTED_LINKS {
        return match topology.capacity(0) {
            None => String::new(),
            Some(_) => format!(
                "\nLinks have their own capacities, which are listed for at most {MAX_COUNTED_LINKS} links\n"
            ),
        };
    }
    if (0..topology.links()).all(|link| topology.capacity(link).is_none()) {
        return String::new();
    }
    // Positive floating-point numbers and their bits have the same order.
    let mut links: BTreeMap<u64, usize> = BTreeMap::new();
    for link in 0..topology.links() {
        *links.entry(machine.link_capacity(link).to_bits()).or_default() += 1;
    }
    let mut table = Table::new([("directed links", Align::Right), ("capacity of each", Align::Right)]);
    for (&capacity, links) in links.iter().take(MAX_CAPACITIES) {
        table.row([links.to_string(), bandwidth(f64::from_bits(capacity))]);
    }
    if links.len() > MAX_CAPACITIES {
        table.row(["..".to_owned(), format!("{} more", links.len() - MAX_CAPACITIES)]);
    }
    format!("\n{table}")
}

/// Returns the table of all parameters, with derived parameters at the end.
fn table(m: &Parameters) -> Table {
    let barrier = m.barrier().map_or_else(|| "none".to_owned(), |barrier| barrier.to_string());
    let (port, link) = (bandwidth(m.port_capacity()), bandwidth(m.link_capacity()));
    let (beta, copy) = (seconds(m.beta(), "byte"), seconds(m.copy(), "byte"));
    let gamma = seconds(m.gamma(), "element");
    let text = |time: Span| time.to_string();
    let rows = [
        (text(m.send_overhead()), "send overhead", "o_s", "processor time of the sender for each message"),
        (
            text(m.receive_overhead()),
            "receive overhead",
            "o_r",
            "processor time of the receiver for each message",
        ),
        (text(m.exchange_overhead()), "exchange overhead", "o_x", "extra for a receive that overlaps a send"),
        (
            text(m.active_send_overhead()),
            "active send overhead",
            "a_s",
            "processor time of the sender for each active message",
        ),
        (
            text(m.active_receive_overhead()),
            "active receive overhead",
            "a_r",
            "processor time of the receiver for each active message, before its handler",
        ),
        (text(m.latency()), "latency", "L", "fixed time in the network"),
        (text(m.hop()), "hop", "hop", "time in the network for each link"),
        (beta, "time per byte", "beta", "between a node and the network, each direction"),
        (decimal(m.duplex(), 6), "duplex", "d", "both directions together move P d / beta; 2 is full duplex"),
        (m.ports().to_string(), "ports", "P", "number of in-ports, and of out-ports, of a node"),
        (decimal(m.link_excess(), 6), "excess link bandwidth", "k", "capacity of a link over that of a port"),
        (gamma, "combining", "gamma", "processor time for combining an element"),
        (copy, "copying", "copy", "processor time for copying a byte in memory"),
        (barrier, "barrier", "barrier", "time of the hardware barrier"),
        (text(m.alpha()), "start-up", "alpha", "o_s + L + o_r"),
        (port, "port capacity", "1 / beta", "of an in-port and of an out-port of a node"),
        (link, "link capacity", "C", "k / beta, of each directed link without its own capacity"),
    ];
    let mut table = Table::new(["parameter", "symbol", "value", "meaning"].map(|title| (title, Align::Left)));
    for (value, name, symbol, meaning) in rows {
        table.row([name, symbol, &value, meaning]);
    }
    if m.unexpected(0).is_some() {
        let meaning = "extra for a receive posted after its message has arrived";
        table.row(["unexpected overhead", "o_u", &text(m.unexpected_overhead()), meaning]);
        let meaning = "the same for each byte of the message";
        table.row(["unexpected copy", "copy_u", &seconds(m.unexpected_copy(), "byte"), meaning]);
    }
    if !m.call_overhead().is_zero() {
        let meaning = "processor time of each member for each call of a collective operation";
        table.row(["call overhead", "o_c", &text(m.call_overhead()), meaning]);
    }
    for regime in m.regimes() {
        let meaning = format!("of messages from {} on", format_bytes(regime.from_bytes));
        table.row(["send overhead", "o_s", &text(regime.send_overhead), &meaning]);
        table.row(["receive overhead", "o_r", &text(regime.receive_overhead), &meaning]);
    }
    table
}

/// Formats a time per item in the largest unit in which it is at least 1: `30.6 ns/byte`.
fn seconds(value: f64, per: &str) -> String {
    let units = [("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9), ("ps", 1e12)];
    match units.into_iter().find(|(_, factor)| value * factor >= 1.0) {
        None if value == 0.0 => "0".to_owned(),
        None => format!("{value:e} s/{per}"),
        Some((unit, factor)) => format!("{} {unit}/{per}", decimal(value * factor, 6)),
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
        assert_eq!(seconds(30.6e-9, "byte"), "30.6 ns/byte");
        assert_eq!(seconds(0.34e-6, "element"), "340 ns/element");
        assert_eq!(seconds(0.0, "byte"), "0");
        assert_eq!(seconds(1.5, "byte"), "1.5 s/byte");
        assert_eq!(seconds(2e-15, "byte"), "2e-15 s/byte");
        assert_eq!(bandwidth(175e6), "175.00 MB/s");
        assert_eq!(bandwidth(0.5), "0.5 B/s");
        assert_eq!(bandwidth(f64::INFINITY), "unlimited");
        assert_eq!(decimal(100.0, 6), "100");
    }
}
