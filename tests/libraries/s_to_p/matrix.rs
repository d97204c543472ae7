//! S-to-p broadcasting, every algorithm on every kind of instance: what arrives, and when.
//!
//! # What is covered
//!
//! Every algorithm, *Auto* among them, with every distribution, with 1, 2, `p/2`, `p - 1` and `p` sources, on
//!
//! * `1 x p` and `p x 1` for every `p` from 1 to 40;
//! * every `r x c` of at least two rows and two columns for every `p` up to 40;
//! * 7 x 13, 10 x 10 and 15 x 16.
//!
//! with four kinds of lengths: no bytes, one byte, 2 KiB, and mixed ones with zeros among them. Instances that two
//! distributions share are run once. Beyond 40 nodes each algorithm is run with one kind of lengths, and which one
//! changes with the algorithm, the distribution, the number of sources and the shape. So is *Auto* beyond 12 nodes, for
//! its schedule is that of one of the others; beyond 40 it is left out where there are more than two sources.
//!
//! That is so in full; see [`is_full`]. Otherwise `p` is one of [`sizes`]; beyond 9 nodes too each
//! algorithm is run with one kind of lengths, *Auto* beyond 4; and of the large meshes there is 7 x 13.
//!
//! All broadcasts of an instance's sources are made one after the other in one run, without a barrier between them: so
//! a node that is done may be several broadcasts ahead of the others. Messages say which broadcast they belong to.

use bytes::Bytes;
use multicomputer::{
    Payload,
    plan::PlanError,
    prelude::*,
    s_to_p::{Algorithm, Instance, Plan},
    topology::Grid,
};

use crate::{
    conformance::s_to_p::{lengths, may_refuse, message, same_messages, source_sets},
    support::{is_full, sizes},
};

/// A plan, and the messages to be broadcast by it.
struct Broadcast {
    plan: Plan,
    messages: Vec<Bytes>,
}

/// The algorithm's plan; `None` if it is restricted to fewer sources.
fn plan(algorithm: &Algorithm, machine: &Machine, sources: &[Rank], lengths: &[u64]) -> Option<Plan> {
    let instance = Instance::new(machine.spec(), sources, lengths).unwrap();
    match algorithm.plan(&instance) {
        Ok(plan) => Some(plan),
        Err(PlanError::Restricted { .. }) => {
            assert!(may_refuse(algorithm, sources.len(), machine.spec().nodes()));
            None
        }
        Err(error) => panic!("{algorithm} from {sources:?}: {error}"),
    }
}

/// Runs all broadcasts one after the other in one run, and has every node look at all that it gets.
fn check(machine: &Machine, sources: &[Rank], broadcasts: &[Broadcast]) {
    let run = machine.run(|node| {
        let own = sources.iter().position(|&source| source == node.rank());
        for Broadcast { plan, messages } in broadcasts {
            let mine = own.map(|source| Payload::from(messages[source].clone()));
            let got = plan.broadcast(node.world(), mine)?;
            same_messages(&got, messages).map_err(|error| {
                let (algorithm, variant) = (plan.algorithm(), plan.variant());
                format!("{algorithm}, {variant}, of {:?}: {error}", plan.instance().lengths())
            })?;
        }
        Ok(())
    });
    if let Err(error) = run {
        panic!("{} from {sources:?}: {error}", machine.spec().name());
    }
}

/// All algorithms from all sets of sources on a mesh.
fn check_shape(rows: usize, columns: usize) {
    let machine = Machine::paragon(rows, columns).deny_unreceived(true).build().unwrap();
    let grid = Grid { rows, columns };
    for (set, sources) in source_sets(grid).into_iter().enumerate() {
        let mut broadcasts = Vec::new();
        for (number, algorithm) in Algorithm::all().enumerate() {
            if algorithm == Algorithm::AUTO && grid.nodes() > 40 && sources.len() > 2 {
                continue;
            }
            let most_with_all_kinds = match (is_full(), algorithm == Algorithm::AUTO) {
                (true, true) => 12,
                (true, false) => 40,
                (false, true) => 4,
                (false, false) => 9,
            };
            let one = number + set + rows;
            let kinds = if grid.nodes() <= most_with_all_kinds { 0..4 } else { one..one + 1 };
            for kind in kinds {
                let lengths = lengths(kind, sources.len());
                if let Some(plan) = plan(&algorithm, &machine, &sources, &lengths) {
                    let salted = sources.iter().zip(lengths);
                    let messages = salted
                        .map(|(&source, length)| message(broadcasts.len(), source, length).into())
                        .collect();
                    broadcasts.push(Broadcast { plan, messages });
                }
            }
        }
        check(&machine, &sources, &broadcasts);
    }
}

// Four tests, for the harness to share out among the cores.

#[test]
fn rows_of_up_to_40_nodes() {
    sizes(40).for_each(|columns| check_shape(1, columns));
}

#[test]
fn columns_of_up_to_40_nodes() {
    sizes(40).skip(1).for_each(|rows| check_shape(rows, 1));
}

/// All meshes of at least two rows and two columns with so many nodes.
fn check_meshes(nodes: std::ops::RangeInclusive<usize>) {
    for nodes in sizes(40).filter(|size| nodes.contains(size)) {
        for rows in (2..=nodes / 2).filter(|rows| nodes.is_multiple_of(*rows)) {
            check_shape(rows, nodes / rows);
        }
    }
}

#[test]
fn meshes_of_up_to_32_nodes() {
    check_meshes(4..=32);
}

#[test]
fn meshes_of_33_to_40_nodes() {
    check_meshes(33..=40);
}

#[test]
fn large_meshes() {
    let meshes = [(7, 13), (10, 10), (15, 16)];
    let taken = if is_full() { &meshes[..] } else { &meshes[..1] };
    taken.iter().for_each(|&(rows, columns)| check_shape(rows, columns));
}

/// A thinner selection, with one broadcast a run: every node is done at the very picosecond that is predicted.
#[test]
fn every_node_is_done_when_it_is_predicted_to_be() {
    for (rows, columns) in [(1, 1), (1, 7), (6, 1), (3, 5), (4, 4), (5, 8), (10, 10)] {
        for machine in [Machine::paragon(rows, columns), Machine::hockney(rows, columns)] {
            let machine = machine.deny_unreceived(true).build().unwrap();
            for (set, sources) in source_sets(Grid { rows, columns }).into_iter().enumerate() {
                for (number, algorithm) in Algorithm::all().enumerate() {
                    // About one out of five, each algorithm with other sets.
                    if (set + number) % 5 != rows % 5 {
                        continue;
                    }
                    let lengths = lengths(set + number / 2, sources.len());
                    let Some(plan) = plan(&algorithm, &machine, &sources, &lengths) else { continue };
                    let run = machine.run(|node| {
                        let own = sources.iter().position(|&source| source == node.rank());
                        plan.broadcast(node.world(), own.map(|source| Payload::phantom(lengths[source])))?;
                        Ok(())
                    });
                    let report = run.unwrap().report;
                    let finished: Vec<Time> = report.nodes.iter().map(|node| node.finished).collect();
                    let place = format!("{algorithm} on {rows} x {columns} from {sources:?}");
                    assert_eq!(finished, plan.prediction().finished, "{place}");
                    assert_eq!(report.makespan, plan.prediction().modeled, "{place}");
                }
            }
        }
    }
}
