//! The machine of a case: a preset or a topology of some size, with changed parameters, noise and faults.

use multicomputer::{
    comm::Cartesian,
    model::{Fault, Faults, MachineSpec, Noise, Parameters},
    topology,
    units::{parse_bytes, parse_seconds, parse_seconds_per_byte},
};

use crate::{Axis, case::Point};

/// The machine of a study that names none.
const DEFAULT_FAMILY: &str = "paragon";
/// The same where no size is given either.
const DEFAULT_MACHINE: &str = "paragon:10x10";

/// The fault value that stands for every link of the network, one at a time.
const EACH_LINK: &str = "each-link";

/// The machine that plans are made for: without noise and faults.
pub(crate) fn planned(point: &Point<'_>) -> Result<MachineSpec, String> {
    let machine = sized(point)?;
    let parameters = parameters(point, machine.parameters())?;
    arranged(point, machine.with_parameters(parameters))
}

/// The machine with the ports, the placement and the rendezvous threshold of the case.
pub(crate) fn arranged(point: &Point<'_>, mut machine: MachineSpec) -> Result<MachineSpec, String> {
    if let Some(ports) = point.count(Axis::Ports) {
        let ports = u32::try_from(ports).unwrap_or(u32::MAX);
        machine = machine.with_ports(ports).map_err(|cause| cause.to_string())?;
    }
    if let Some(placement) = point.text(Axis::Placement) {
        let placement = placement.parse().map_err(|cause: topology::TopologyError| cause.to_string())?;
        machine = machine.with_placement(placement).map_err(|cause| cause.to_string())?;
    }
    Ok(match point.text(Axis::Rendezvous).map(rendezvous).transpose()?.flatten() {
        Some(from) => machine.with_rendezvous(from),
        None => machine,
    })
}

/// Reads the length from which sends wait for their receives; `None` for `none`.
pub(crate) fn rendezvous(text: &str) -> Result<Option<u64>, String> {
    match text {
        "none" => Ok(None),
        text => parse_bytes(text).map(Some).map_err(|cause| format!("{cause}, or none")),
    }
}

/// The machine that runs: with noise and faults.
pub(crate) fn disturbed(point: &Point<'_>, planned: &MachineSpec) -> Result<MachineSpec, String> {
    let mut machine = planned.clone();
    if let Some(text) = point.text(Axis::Noise)
        && let Some(noise) = noise(text)?
    {
        // The seed axis varies the noise unless the noise has a seed of its own.
        let noise = if text.contains("seed=") { noise } else { noise.seed(point.seed()) };
        machine = machine.with_noise(noise);
    }
    match point.text(Axis::Fault) {
        None | Some("none") => Ok(machine),
        Some(text) => machine.with_faults(faults(text)?).map_err(|cause| cause.to_string()),
    }
}

/// Reads the noise of a value; `None` for `none`.
pub(crate) fn noise(text: &str) -> Result<Option<Noise>, String> {
    match text {
        "none" => Ok(None),
        text => match text.replace('+', ",").parse() {
            Ok(noise) => Ok(Some(noise)),
            Err(cause) => Err(format!("`{text}`: {cause}; or none")),
        },
    }
}

/// Reads the faults of a value, with `+` between them.
pub(crate) fn faults(text: &str) -> Result<Faults, String> {
    let fault = |item: &str| {
        item.parse::<Fault>().map_err(|cause| {
            format!("`{text}`: {cause}; or none; or {EACH_LINK} alone; several faults have + between them")
        })
    };
    match text {
        "none" => Ok(Faults::default()),
        text => Ok(Faults::new(text.split('+').map(fault).collect::<Result<Vec<Fault>, _>>()?)),
    }
}

/// The instant of the fault of `each-link` or `each-link@2ms`; `None` for other faults.
pub(crate) fn each_link_instant(fault: &str) -> Option<&str> {
    match fault.strip_prefix(EACH_LINK)? {
        "" => Some("0s"),
        instant => instant.strip_prefix('@'),
    }
}

/// One fault value for every link, in both directions at once, from an instant on.
pub(crate) fn each_link(machine: &MachineSpec, instant: &str) -> Vec<String> {
    let topology = machine.topology();
    let mut faults = Vec::new();
    for link in 0..topology.links() {
        let link = topology.link(link);
        let (from, to) = (vertex(link.from), vertex(link.to));
        if !faults.contains(&format!("dead:{to}-{from}@{instant}")) {
            faults.push(format!("dead:{from}-{to}@{instant}"));
        }
    }
    faults
}

/// A node or a switch as fault texts name it.
fn vertex(vertex: topology::Vertex) -> String {
    match vertex {
        topology::Vertex::Node(node) => node.to_string(),
        topology::Vertex::Switch(switch) => format!("s{switch}"),
    }
}

/// The machine with its own parameters, in the size of the case.
pub(crate) fn sized(point: &Point<'_>) -> Result<MachineSpec, String> {
    let (nodes, shape) = (point.count(Axis::Nodes), point.text(Axis::Shape));
    let parse = |text: &str| text.parse::<MachineSpec>().map_err(|cause| cause.to_string());
    let given = point.text(Axis::Machine);
    let name = match (given, nodes, shape) {
        (_, Some(_), Some(_)) => {
            return Err("nodes and shape both give the size: remove one of them".to_owned());
        }
        (None, None, None) => return parse(DEFAULT_MACHINE),
        (None, ..) => DEFAULT_FAMILY,
        (Some(name), None, None) if name.ends_with(".toml") && !name.starts_with("file:") => {
            return MachineSpec::from_file(name).map_err(|cause| cause.to_string());
        }
        (Some(name), None, None) => return parse(name),
        (Some(name), ..) => name,
    };
    if name.contains(':') || name.ends_with(".toml") {
        let axis = if nodes.is_some() { Axis::Nodes } else { Axis::Shape };
        return Err(format!(
            "machine `{name}` has a size, so {axis} cannot set it: write the name without the size"
        ));
    }
    match (nodes, shape) {
        (Some(nodes), _) => with_nodes(name, nodes as usize),
        (None, shape) => parse(&format!("{name}:{}", shape.unwrap_or_default())),
    }
}

/// The machine of a family that has this number of nodes: as a grid as close to a square as possible, or by the number of nodes,
/// or, where the size counts servers or groups, by the number of these.
pub(crate) fn with_nodes(family: &str, nodes: usize) -> Result<MachineSpec, String> {
    let has_nodes = |machine: &MachineSpec| machine.nodes() == nodes;
    let [columns, rows] = Cartesian::balanced(nodes, 2)[..] else {
        return Err("give at least 1 node".to_owned());
    };
    let grid = format!("{family}:{rows}x{columns}").parse::<MachineSpec>();
    if let Some(machine) = grid.ok().filter(has_nodes) {
        return Ok(machine);
    }
    let by_number = format!("{family}:{nodes}").parse::<MachineSpec>();
    match by_number {
        Ok(machine) if has_nodes(&machine) => Ok(machine),
        Ok(machine) => {
            // The size counts units of several nodes.
            let unit = machine.nodes() / nodes.max(1);
            let units = (unit > 0 && nodes.is_multiple_of(unit)).then(|| nodes / unit);
            let machine = units.and_then(|units| format!("{family}:{units}").parse::<MachineSpec>().ok());
            let refusal =
                || format!("{family} has no size of {nodes} nodes: it consists of units of {unit} nodes");
            machine.filter(has_nodes).ok_or_else(refusal)
        }
        Err(cause) => Err(cause.to_string()),
    }
}

/// The parameters of a machine with those of the case in place of them.
fn parameters(point: &Point<'_>, own: &Parameters) -> Result<Parameters, String> {
    let seconds = |axis| point.text(axis).map(parse_seconds).transpose().map_err(|cause| cause.to_string());
    let mut builder = own.to_builder();
    if let Some(alpha) = seconds(Axis::Alpha)? {
        if let Some(part) = [Axis::SendOverhead, Axis::ReceiveOverhead, Axis::Latency]
            .into_iter()
            .find(|&part| point.text(part).is_some())
        {
            return Err(format!("alpha sets {part} as well: remove one of them"));
        }
        if !own.regimes().is_empty() {
            return Err(
                "alpha cannot be set: the machine has start-ups that depend on the length of a message"
                    .to_owned(),
            );
        }
        let parts =
            [own.send_overhead(), own.latency(), own.receive_overhead()].map(|part| part.as_secs_f64());
        let sum: f64 = parts.iter().sum();
        let [send, latency, receive] =
            if sum > 0.0 { parts.map(|part| alpha * part / sum) } else { [alpha / 2.0, 0.0, alpha / 2.0] };
        builder = builder.send_overhead(send).latency(latency).receive_overhead(receive);
    }
    if let Some(beta) = point.text(Axis::Beta) {
        builder = builder.beta(parse_seconds_per_byte(beta).map_err(|cause| cause.to_string())?);
    }
    if let Some(send) = seconds(Axis::SendOverhead)? {
        builder = builder.send_overhead(send);
    }
    if let Some(receive) = seconds(Axis::ReceiveOverhead)? {
        builder = builder.receive_overhead(receive);
    }
    if let Some(exchange) = seconds(Axis::ExchangeOverhead)? {
        builder = builder.exchange_overhead(exchange);
    }
    if let Some(latency) = seconds(Axis::Latency)? {
        builder = builder.latency(latency);
    }
    if let Some(hop) = seconds(Axis::Hop)? {
        builder = builder.hop(hop);
    }
    if let Some(excess) = point.text(Axis::LinkExcess) {
        builder = builder.link_excess(excess.parse().map_err(|_| format!("`{excess}` is not a number"))?);
    }
    if let Some(gamma) = seconds(Axis::Gamma)? {
        builder = builder.gamma(gamma);
    }
    builder.build().map_err(|cause| cause.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_get_the_shape_that_fits_the_number_of_nodes() {
        for (family, nodes, name) in [
            ("paragon", 512, "paragon:16x32"),
            ("torus", 16, "torus:4x4"),
            ("ring", 7, "ring:7"),
            ("hypercube", 16, "hypercube:16"),
            ("cm5", 32, "cm5:32"),
            ("h100-cluster", 32, "h100-cluster:4"),
        ] {
            assert_eq!(with_nodes(family, nodes).unwrap().name(), name);
        }
        assert!(with_nodes("h100-cluster", 12).unwrap_err().contains("units of 8 nodes"));
        assert!(with_nodes("hypercube", 12).is_err());
    }

    #[test]
    fn every_link_fails_once() {
        let faults = each_link(&"torus:3x3".parse().unwrap(), "2ms");
        assert_eq!(faults.len(), 18);
        assert!(faults.iter().all(|fault| fault.parse::<Fault>().is_ok()), "{faults:?}");
    }
}
