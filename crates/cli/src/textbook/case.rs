//! Cases: each algorithm or figure on each network with each length, and checks of the arguments.

use std::fmt;

use multicomputer::{
    Rank,
    collective::{Operation, Task},
    model::MachineSpec,
    textbook::{Algorithm, Topic},
    units::format_with_limit,
};

use super::{
    super::{count::counted, data::MAX_DATA, error::Error},
    Arguments,
    lists::Item,
};

/// Default number of words.
const WORDS: u64 = 1000;

/// Maximum number of blocks that all nodes together receive.
const MAX_BLOCKS: usize = 1 << 22;

/// An item on a machine, with a length.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) item: Item,
    pub(super) machine: MachineSpec,
    /// Number of words; for the matrix of example 4.1, the number of rows.
    pub(super) words: u64,
}

/// Returns all requested cases, ordered by item, network, words.
pub(super) fn cases(arguments: &Arguments, items: &[Item]) -> Result<Vec<Case>, Error> {
    check_options(arguments, items).map_err(Error::usage)?;
    let mut cases = Vec::new();
    for &item in items {
        for machine in machines(arguments, item)? {
            let machine = arguments.options.with_rendezvous_option(arguments.parameters.applied(&machine)?);
            let default = match item.topic {
                Topic::Algorithm(_) => WORDS,
                Topic::MatrixVector => one_element_a_node(&machine),
            };
            let words = arguments.words.as_ref().map_or_else(|| vec![default], |words| words.to_vec());
            cases.extend(words.into_iter().map(|words| Case { item, machine: machine.clone(), words }));
        }
    }
    Ok(cases)
}

/// Refuses `--source` and `--sources` if no item has them, and `--in-order` if no item combines.
fn check_options(arguments: &Arguments, items: &[Item]) -> Result<(), String> {
    let without =
        |has: fn(Topic) -> bool| items.iter().all(|item| !has(item.topic)).then(|| items[0].topic.name());
    if let (Some(_), Some(name)) = (arguments.source, without(has_source)) {
        return Err(format!(
            "--source is not for {name}: only one-to-all broadcasts and all-to-one reductions have a source \
             or a destination"
        ));
    }
    if let (Some(_), Some(name)) = (arguments.sources, without(has_sources)) {
        return Err(format!(
            "--sources is not for {name}: only pipelined and in-turn have a number of sources"
        ));
    }
    if let (true, Some(name)) = (arguments.in_order, without(combines)) {
        return Err(format!(
            "--in-order is not for {name}: it makes reductions combine in rank order; remove it, or choose a \
             reduction"
        ));
    }
    Ok(())
}

pub(super) fn has_source(topic: Topic) -> bool {
    matches!(topic, Topic::Algorithm(algorithm) if algorithm.operation().has_root())
}

pub(super) fn has_sources(topic: Topic) -> bool {
    [Algorithm::PIPELINED, Algorithm::IN_TURN].map(Topic::Algorithm).contains(&topic)
}

pub(super) fn combines(topic: Topic) -> bool {
    matches!(topic, Topic::Algorithm(algorithm) if algorithm.operation().combines())
}

/// Returns the machines for an item.
fn machines(arguments: &Arguments, item: Item) -> Result<Vec<MachineSpec>, Error> {
    if let (Some(figure), true) = (item.figure, arguments.topology.is_some() || !arguments.machine.is_empty())
    {
        let (network, algorithm) = (figure.network, figure.topic.name());
        return Err(Error::usage(format!(
            "{} is drawn on {network}: for other networks give the algorithm, {algorithm}",
            figure.name()
        )));
    }
    if !arguments.machine.is_empty() {
        return Ok(arguments.machine.clone());
    }
    let default = item.figure.map_or_else(|| item.topic.network(), |figure| figure.network);
    let names = arguments.topology.as_ref().map_or_else(|| vec![default.to_owned()], |names| names.to_vec());
    names.iter().map(|name| name.parse().map_err(Error::usage)).collect()
}

/// Returns the default number of rows of the matrix: the number of nodes along the longer side of the grid.
fn one_element_a_node(machine: &MachineSpec) -> u64 {
    machine.topology().grid().map_or(1, |grid| grid.rows.max(grid.columns) as u64)
}

impl Case {
    /// Returns the task for an algorithm on `machine`: the machine of the case, or one with other parameters.
    pub(super) fn task(
        &self,
        arguments: &Arguments,
        algorithm: Algorithm,
        machine: &MachineSpec,
    ) -> Result<Task, String> {
        let (operation, nodes) = (algorithm.operation(), machine.nodes());
        let task = Task::builder(machine, operation)
            .element_bytes(arguments.word_bytes)
            .in_order(arguments.in_order);
        let task = match operation {
            Operation::Broadcast | Operation::Reduce => {
                task.elements(self.words).root(arguments.source.unwrap_or(0))
            }
            _ => {
                let sources = sources(arguments, algorithm, nodes)?;
                let given = sources.len().saturating_mul(nodes);
                if given > MAX_BLOCKS {
                    return Err(format!(
                        "{algorithm} would move {given} blocks on {nodes} nodes, and the limit is {MAX_BLOCKS}: use \
                         fewer nodes or sources"
                    ));
                }
                let mut blocks = vec![0; nodes];
                sources.into_iter().for_each(|source| blocks[source] = self.words);
                task.blocks(blocks)
            }
        };
        let task = task.build().map_err(|cause| cause.to_string())?;
        let vectors = if operation.combines() { nodes as u64 } else { 1 };
        let given = task.bytes().saturating_mul(vectors);
        if given > MAX_DATA && !arguments.phantom {
            let [given, most] = format_with_limit(given, MAX_DATA);
            return Err(format!(
                "{algorithm} needs {given} of data on {}, and the limit is {most}: use --phantom (lengths only)",
                counted(nodes, "node"),
            ));
        }
        Ok(task)
    }
}

/// Returns the nodes that have a block.
fn sources(arguments: &Arguments, algorithm: Algorithm, nodes: usize) -> Result<Vec<Rank>, String> {
    match arguments.sources.filter(|_| has_sources(Topic::Algorithm(algorithm))) {
        None => Ok((0..nodes).collect()),
        Some(given) if given == 0 || given > nodes => {
            Err(format!("{given} sources are given on {}: give 1 to {nodes}", counted(nodes, "node")))
        }
        Some(given) => Ok((0..given).map(|number| spread(number, given, nodes)).collect()),
    }
}

/// Returns the rank of a source by its number, for sources that are spread evenly.
fn spread(number: usize, sources: usize, nodes: usize) -> Rank {
    (number as u128 * nodes as u128 / sources as u128) as usize
}

/// Formats item, machine and number of words, for example `4.7 on ring:8 with 1000 words`.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {} with {}", self.item, self.machine.name(), counted(self.words, "word"))
    }
}
