//! `multicomputer machine`: the shape and the parameters of a machine.

use std::io::Write;

use clap::Args;
use multicomputer::{
    Span,
    model::{Description, Parameters},
};

use super::{
    error::Error,
    options::{MachineOptions, read_machine},
    table::{Align, Table},
};

/// What the command can be told.
#[derive(Args, Debug)]
#[command(after_help = MACHINE_FILE)]
pub(super) struct Arguments {
    /// The machine: paragon:16x32, hockney:10x10, mesh:7x13, line:8, 10x10 (a Paragon), or a machine file (.toml)
    #[arg(value_name = "MACHINE", value_parser = read_machine, conflicts_with_all = ["machine", "mesh"])]
    described: Option<Description>,

    #[command(flatten)]
    options: MachineOptions,
}

const MACHINE_FILE: &str = "\
A machine file has a name, a topology and what differs from a preset:
  name = \"Paragon with a faster operating system\"
  topology = \"mesh:16x32\"
  preset = \"paragon\"
  [parameters]
  send_overhead = \"35 us\"
  beta = \"30.6 ns/B\"
All parameters: send_overhead, receive_overhead, exchange_overhead, latency, hop, barrier, beta,
copy, gamma, duplex, and link_excess or link_capacity. Without a preset what is not given costs
nothing.";

/// Prints the machine.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let machine = match &arguments.described {
        Some(machine) => machine.clone(),
        None => arguments.options.description()?,
    };
    let topology = machine.topology();
    writeln!(out, "{}", machine.name())?;
    write!(out, "{}: {} nodes, {} directed links", topology.name(), topology.nodes(), topology.links())?;
    if let Some(grid) = topology.grid() {
        write!(out, ", {} rows, {} columns", grid.rows, grid.columns)?;
    }
    write!(out, "\n\n{}", table(machine.parameters()))?;
    Ok(())
}

/// All parameters, those that follow from others at the end.
fn table(machine: &Parameters) -> Table {
    let mut table = Table::new(["parameter", "symbol", "value", "meaning"].map(|title| (title, Align::Left)));
    let mut add = |name: &str, symbol: &str, value: String, meaning: &str| {
        table.row([name.to_owned(), symbol.to_owned(), value, meaning.to_owned()]);
    };
    let time = |span: Span| span.to_string();
    let barrier = machine.barrier().map_or_else(|| "none".to_owned(), time);
    add(
        "send overhead",
        "o_s",
        time(machine.send_overhead()),
        "processor time of the sender for each message",
    );
    add(
        "receive overhead",
        "o_r",
        time(machine.receive_overhead()),
        "processor time of the receiver for each message",
    );
    add(
        "exchange overhead",
        "o_x",
        time(machine.exchange_overhead()),
        "extra for a receive that overlaps a send",
    );
    add("latency", "L", time(machine.latency()), "fixed time in the network");
    add("hop", "hop", time(machine.hop()), "time in the network for each link");
    add("time per byte", "beta", seconds(machine.beta(), "byte"), "between a node and the network, each way");
    add("duplex", "d", decimal(machine.duplex()), "both ways together move d / beta; 2 is full duplex");
    add(
        "excess link bandwidth",
        "k",
        decimal(machine.link_excess()),
        "capacity of a link over that of a port",
    );
    add("combining", "gamma", seconds(machine.gamma(), "element"), "processor time for combining an element");
    add("copying", "copy", seconds(machine.copy(), "byte"), "processor time for copying a byte in memory");
    add("barrier", "barrier", barrier, "time of the hardware barrier");
    add("start-up", "alpha", time(machine.alpha()), "o_s + L + o_r");
    add(
        "port capacity",
        "1 / beta",
        bandwidth(machine.port_capacity()),
        "of a node's in-port and of its out-port",
    );
    add("link capacity", "C", bandwidth(machine.link_capacity()), "k / beta, of each directed link");
    table
}

/// A time for each of something, in the largest unit that leaves a whole: `30.6 ns/byte`.
fn seconds(value: f64, per: &str) -> String {
    let units = [("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9), ("ps", 1e12)];
    match units.into_iter().find(|(_, factor)| value * factor >= 1.0) {
        None if value == 0.0 => "0".to_owned(),
        None => format!("{value:e} s/{per}"),
        Some((unit, factor)) => format!("{} {unit}/{per}", decimal(value * factor)),
    }
}

/// A bandwidth in powers of 1000, as on data sheets: `174.84 MB/s`.
fn bandwidth(value: f64) -> String {
    let units = [("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)];
    match units.into_iter().find(|(_, factor)| value >= *factor) {
        _ if value.is_infinite() => "unlimited".to_owned(),
        None => format!("{value} B/s"),
        Some((unit, factor)) => format!("{:.2} {unit}", value / factor),
    }
}

/// A number with at most six decimals.
fn decimal(value: f64) -> String {
    let text = format!("{value:.6}");
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
        assert_eq!(decimal(100.0), "100");
    }
}
