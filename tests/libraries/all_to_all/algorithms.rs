//! Many-to-many personalized communication: every algorithm brings every byte to its place, on any number of nodes, and
//! takes what is predicted.

use std::sync::Arc;

use multicomputer::{
    Machine, Payload, Rank,
    all_to_all::{Algorithm, ExchangeError, Instance, InstanceError, Matrix},
    model::MachineSpec,
    plan::MembersError,
    plan::PlanError,
};
use proptest::prelude::*;

use crate::{
    conformance::all_to_all::{given, may_refuse, same_incoming, special, uneven},
    support::sizes,
};

/// Carries a plan out on real threads and checks every byte and the prediction.
fn check(algorithm: Algorithm, instance: &Instance) {
    let plan = algorithm.plan(instance).unwrap();
    let matrix = Arc::clone(instance.matrix());
    let members = instance.members().to_vec();
    let run = Machine::builder(instance.machine().clone()).build().unwrap().run(|node| {
        if !members.contains(&node.rank()) {
            return Ok(());
        }
        let group = node.world().subgroup(&members)?;
        let rank = group.rank();
        let incoming = plan.carry_out(&group, given(rank, &matrix))?;
        same_incoming(rank, &matrix, &incoming)?;
        Ok(())
    });
    let run = run.unwrap_or_else(|error| panic!("{}: {error}", plan.name()));
    if let Some(prediction) = plan.prediction() {
        assert_eq!(run.report.makespan, prediction.modeled, "{}", plan.name());
    }
}

fn instance(machine: &str, matrix: Matrix) -> Instance {
    let machine: MachineSpec = machine.parse().unwrap();
    let members: Vec<Rank> = (0..matrix.nodes()).collect();
    Instance::among(&machine, members, matrix).unwrap()
}

/// All algorithms that work for a matrix; the others say why not.
fn check_all(instance: &Instance) {
    for algorithm in Algorithm::ALL {
        match algorithm.plan(instance) {
            Ok(_) => check(algorithm.clone(), instance),
            Err(PlanError::Restricted { text, .. }) => {
                assert!(may_refuse(algorithm), "{text}");
            }
            Err(refusal) => panic!("{algorithm}: {refusal}"),
        }
    }
}

/// On every number of them in full, see [`sizes`].
#[test]
fn all_algorithms_on_1_to_33_nodes() {
    for nodes in sizes(33) {
        check_all(&instance(&format!("cm5:{nodes}"), uneven(nodes)));
    }
}

#[test]
fn special_matrices() {
    for nodes in [1, 2, 5, 8, 13] {
        let machine = format!("cm5:{nodes}");
        for matrix in special(nodes) {
            check_all(&instance(&machine, matrix));
        }
    }
    check_all(&instance("hockney:2x4", Matrix::figure_1()));
}

#[test]
fn groups_whose_ranks_are_other_nodes() {
    let machine: MachineSpec = "paragon:3x4".parse().unwrap();
    let instance = Instance::among(&machine, [7, 2, 11, 0, 4], uneven(5)).unwrap();
    check_all(&instance);
}

#[test]
fn what_does_not_fit_is_refused() {
    let machine: MachineSpec = "cm5:8".parse().unwrap();
    let refused = |members: &[Rank], nodes| Instance::among(&machine, members, uneven(nodes)).unwrap_err();
    assert_eq!(refused(&[0, 1, 2], 4), InstanceError::Size { matrix: 4, group: 3 });
    assert_eq!(refused(&[0, 1, 1], 3), MembersError::Twice { node: 1 }.into());
    assert_eq!(refused(&[0, 8], 2), MembersError::NoSuchNode { node: 8, nodes: 8 }.into());
    let plan = Algorithm::PAIRWISE.plan(&Instance::new(&machine, uneven(8)).unwrap()).unwrap();
    let run = Machine::builder(machine).build().unwrap().run(|node| {
        let short = plan.carry_out(node.world(), vec![Payload::empty(); 3]).unwrap_err();
        assert_eq!(short, ExchangeError::Payloads { given: 3, size: 8 });
        let row = plan.instance().matrix().row(node.rank());
        let mut outgoing: Vec<Payload> = row.iter().map(|&bytes| Payload::phantom(bytes)).collect();
        outgoing[5] = Payload::phantom(row[5] + 1);
        let long = plan.carry_out(node.world(), outgoing).unwrap_err();
        assert_eq!(long, ExchangeError::Length { to: 5, given: row[5] + 1, expected: row[5] });
        Ok(())
    });
    run.unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_byte_arrives(
        nodes in 1..12_usize,
        machine in prop::sample::select(&["cm5", "hypercube:16", "paragon:3x4", "ring:13", "tree:12"][..]),
        bytes in prop::collection::vec(prop_oneof![3 => Just(0_u64), 3 => 1..300_u64, 1 => 1..20_000_u64], 144),
    ) {
        let machine = if machine == "cm5" { format!("cm5:{nodes}") } else { machine.to_owned() };
        check_all(&instance(&machine, Matrix::of(nodes, |from, to| bytes[from * 12 + to]).unwrap()));
    }
}
