//! What there is to choose from: operations with their algorithms, machines, axes.

use multicomputer::{
    all_to_all, collective,
    model::{MachineSpec, presets, spellings},
    plan, s_to_p,
};
use multicomputer_study::{Algorithm, Axis, Operation, algorithms_named};
use serde_json::{Value, json};

use super::job::{MAX_NODES, MAX_ROWS, MAX_SECONDS};

/// Sizes that are tried as examples of a shape, in this order.
const EXAMPLES: [&str; 15] = [
    "8x8", "4x4x4", "64", "16", "8", "4", "4x4x2", "2x4x2", "16:4", "12:6:2", "2", "4:2", "8:4", "4x4", "2x4",
];

/// Nodes that an example has at most.
const EXAMPLE_NODES: usize = 256;

/// Returns all facts as a JSON object.
pub(super) fn facts() -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "limits": { "nodes": MAX_NODES, "rows": MAX_ROWS, "seconds": MAX_SECONDS },
        "operations": Operation::all().map(operation).collect::<Vec<_>>(),
        "machines": machines(),
        "axes": Axis::all().map(axis).collect::<Vec<_>>(),
        "distributions": s_to_p::Distribution::ALL.map(|distribution| distribution.name()),
    })
}

fn axis(axis: Axis) -> Value {
    json!({ "name": axis.name(), "help": axis.help(), "unit": axis.unit() })
}

fn operation(operation: Operation) -> Value {
    let about = match operation {
        Operation::Collective(operation) => about(operation),
        Operation::SToP => "Several sources send a message each to all nodes.",
        // All-to-all, and what may come.
        _ => "Every node sends a message of its own to every other node.",
    };
    let axes = Axis::all().filter(|axis| axis.is_for(operation)).map(Axis::name);
    let algorithms = algorithms_named(operation, "all").unwrap_or_default();
    json!({
        "name": operation.name(),
        "about": about,
        "axes": axes.collect::<Vec<_>>(),
        "algorithms": algorithms.iter().map(algorithm).collect::<Vec<_>>(),
    })
}

/// What a collective operation does.
fn about(operation: collective::Operation) -> &'static str {
    use collective::Operation::{
        AllGather, AllReduce, Broadcast, Gather, Reduce, ReduceScatter, Scan, Scatter,
    };
    match operation {
        Broadcast => "One node, the root, has a vector; afterwards all nodes have it.",
        Scatter => "The root has a vector; afterwards every node has one block of it.",
        Gather => "Every node has a block; afterwards the root has all of them.",
        AllGather => "Every node has a block; afterwards all nodes have all blocks.",
        Reduce => "Every node has a vector; afterwards the root has their sum.",
        AllReduce => "Every node has a vector; afterwards all nodes have the sum.",
        ReduceScatter => "Every node has a vector; afterwards every node has one block of the sum.",
        Scan => "Every node has a vector; afterwards each has the sum up to its rank.",
        _ => "",
    }
}

fn algorithm(algorithm: &Algorithm) -> Value {
    match algorithm {
        Algorithm::Collective(algorithm) => described(algorithm),
        Algorithm::SToP(algorithm) => described(algorithm),
        Algorithm::AllToAll(algorithm) => described::<all_to_all::Instance>(algorithm),
    }
}

fn described<P: plan::Problem>(algorithm: &plan::Algorithm<P>) -> Value {
    json!({
        "name": algorithm.name(),
        "about": algorithm.about(),
        "source": algorithm.source(),
        "cost": algorithm.cost(),
        "restrictions": algorithm.restrictions().collect::<Vec<_>>(),
    })
}

/// What a machine known by name is.
fn about_machine(name: &str) -> &'static str {
    match name {
        "cm5" => "Thinking Machines CM-5, 1991: a fat tree of 4 children a switch",
        "cm5-packets" => "the CM-5, with the cost of its packets of 20 bytes",
        "delta" => "Intel Touchstone Delta, 1991: a mesh, the Paragon's forerunner",
        "ethernet" => "a small cluster on switched Ethernet",
        "h100" => "GPUs of one server, all behind one switch",
        "h100-cluster" => "servers of 8 GPUs, joined by InfiniBand",
        "hockney" => "a mesh with the times alpha and beta only",
        "host" => "the threads of this computer, as measured when it was calibrated",
        "ipsc860" => "Intel iPSC/860, 1990: a hypercube",
        "lumi" => "the supercomputer LUMI, 2022: groups of routers, all groups joined (dragonfly)",
        "mpi" => "MPI processes on one computer, as measured",
        "paragon" => "Intel Paragon, 1992: a mesh with fast links and slow start-ups",
        "t3d" => "Cray T3D, 1993: a torus of three dimensions",
        "tpu-v5p" => "Google TPU v5p, 2023: a torus of three dimensions",
        "clos" => "leaf and spine switches: every leaf is joined to every spine",
        "complete" => "a link between every two nodes",
        "dragonfly" => "groups of routers; all groups are joined",
        "fat-tree" => "a tree of switches with more links near its root",
        "hosts" => "computers of several nodes, behind one switch",
        "hypercube" => "nodes whose numbers differ in one binary digit are joined",
        "line" => "a row of nodes",
        "mesh" => "a grid of two or three dimensions",
        "ring" => "a row of nodes whose ends are joined",
        "torus" => "a grid whose rows and columns are rings",
        "tree" => "a binary tree of switches",
        _ => "",
    }
}

/// Machines known by name, as their spellings say: `paragon:ROWSxCOLUMNS`.
fn machines() -> Vec<Value> {
    let spellings = spellings();
    let shapes = spellings.split(", ").filter_map(|spelling| spelling.split_once(':'));
    let described = shapes.filter_map(|(name, shape)| {
        let machine = |size: &&str| {
            let machine: MachineSpec = format!("{name}:{size}").parse().ok()?;
            (machine.nodes() <= EXAMPLE_NODES).then_some(machine)
        };
        let example = EXAMPLES.iter().find_map(machine)?;
        let sources: Vec<Value> = presets::sources(name)
            .iter()
            .map(|source| {
                let presets::Source { parameters, value, sure, source, .. } = source;
                json!({ "parameters": parameters, "value": value, "sure": sure, "source": source })
            })
            .collect();
        Some(json!({
            "name": name,
            "shape": shape,
            "example": example.name(),
            "about": about_machine(name),
            "kind": if presets::NAMES.contains(&name) { "preset" } else { "topology" },
            "sources": sources,
        }))
    });
    described.collect()
}
