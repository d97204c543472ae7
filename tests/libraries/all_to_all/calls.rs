//! Calls of many-to-many communication: in any group, with any lengths, and with mistakes.

use std::sync::Arc;

use multicomputer::{
    Machine,
    all_to_all::{Algorithm, CallError, ExchangeError, Instance, ManyToMany, Matrix},
    collective::{Collective, Sum},
    error::RunError,
    plan::PlanError,
    prelude::*,
};

use crate::conformance::all_to_all::{self, incoming, matrix_of_elements, outgoing};

/// What rank `failing` says when the nodes of a line make these calls.
fn error(
    nodes: usize,
    program: impl Fn(&Node<'_>) -> Result<(), CallError> + Sync,
) -> (Rank, Box<CallError>) {
    let machine = Machine::builder(format!("line:{nodes}").parse().unwrap()).build().unwrap();
    match machine.run(|node| Ok(program(node)?)) {
        Err(RunError::Node { rank, source, .. }) => (rank, source.downcast().unwrap()),
        other => panic!("{other:?}"),
    }
}

fn error_text(nodes: usize, program: impl Fn(&Node<'_>) -> Result<(), CallError> + Sync) -> String {
    error(nodes, program).1.to_string()
}

#[test]
fn everybody_gets_what_is_for_it_on_1_to_17_nodes() {
    for nodes in 1..=17 {
        let machine = Machine::builder(format!("line:{nodes}").parse().unwrap()).deny_unreceived(true);
        let run = machine.build().unwrap().run(|node| all_to_all::calls(node.world()));
        assert_eq!(run.unwrap().outputs.len(), nodes);
    }
}

#[test]
fn every_algorithm_can_be_asked_for() {
    let machine = Machine::paragon(2, 3).deny_unreceived(true).build().unwrap();
    machine
        .run(|node| {
            let (rank, world) = (node.rank(), node.world());
            for algorithm in Algorithm::ALL {
                let by = world.using(algorithm);
                if *algorithm == Algorithm::LINEAR {
                    let error = by.all_to_allv(&outgoing(rank, 6)).unwrap_err();
                    assert!(matches!(error, CallError::Plan(PlanError::Restricted { .. })), "{error}");
                    assert!(error.to_string().contains(" (here: lengths from 0 to "), "{error}");
                    assert_eq!(by.all_to_all(&[rank as u16; 6])?, [0, 1, 2, 3, 4, 5]);
                } else {
                    assert_eq!(by.all_to_allv(&outgoing(rank, 6))?, incoming(rank, 6), "{algorithm}");
                }
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_known_matrix_saves_the_collect_and_takes_what_is_predicted() {
    let machine = Machine::paragon(2, 4).build().unwrap();
    let modeled = |known: bool| {
        let run = machine.run(|node| {
            let mine = outgoing(node.rank(), 8);
            let got = match known {
                true => node.world().all_to_allv_known(&matrix_of_elements(8), &mine)?,
                false => node.world().all_to_allv(&mine)?,
            };
            assert_eq!(got, incoming(node.rank(), 8));
            Ok(())
        });
        run.unwrap().report.makespan
    };
    let instance = Instance::new(machine.spec(), matrix_of_elements(8)).unwrap();
    let plan = Algorithm::AUTO.plan(&instance).unwrap();
    assert_eq!(Some(modeled(true)), plan.prediction().map(|prediction| prediction.modeled));
    assert!(modeled(false) > modeled(true));
}

/// Nothing is gathered before: all members know all lengths.
#[test]
fn equal_blocks_take_the_time_of_a_known_matrix() {
    let machine = Machine::paragon(2, 4).build().unwrap();
    let run = machine.run(|node| Ok(node.world().all_to_all(&[node.rank() as u32; 8 * 20])?)).unwrap();
    let blocks: Vec<u32> = (0..8).flat_map(|from| [from; 20]).collect();
    assert!(run.outputs.iter().all(|got| *got == blocks));
    let instance = Instance::new(machine.spec(), Matrix::of(8, |_, _| 80).unwrap()).unwrap();
    let plan = Algorithm::AUTO.plan(&instance).unwrap();
    assert_eq!(Some(run.report.makespan), plan.prediction().map(|prediction| prediction.modeled));
}

#[test]
fn members_share_one_plan() {
    let machine = Machine::paragon(2, 2).build().unwrap();
    let plan =
        |_| machine.run(|node| Ok(node.world().all_to_allv_plan(&matrix_of_elements(4))?)).unwrap().outputs;
    let plans: Vec<_> = (0..2).flat_map(plan).collect();
    assert!(plans.iter().all(|plan| Arc::ptr_eq(plan, &plans[0])));
}

#[test]
fn sparse_exchanges_follow_each_other_and_collective_calls() {
    let machine = Machine::builder("line:5".parse().unwrap()).deny_unreceived(true).build().unwrap();
    let run = |_| {
        let run = machine.run(|node| {
            let (rank, world) = (node.rank(), node.world());
            let mut sums = Vec::new();
            for round in 0..10_u64 {
                // Node 0 is late, so that others are rounds ahead.
                node.compute(Span::from_micros(if rank == 0 { 1000 } else { 0 }))?;
                let mine = [((rank + 1 + round as usize) % 5, [round]), (0, [100 * round])];
                let got = world.sparse_exchange(&mine)?;
                let mut sum = got.iter().map(|(_, data)| data[0]).sum::<u64>();
                assert!(got.iter().all(|(_, data)| [round, 100 * round].contains(&data[0])));
                world.all_reduce(&mut sum, Sum)?;
                sums.push(sum);
            }
            Ok(sums)
        });
        let run = run.unwrap();
        (run.outputs, run.report.makespan)
    };
    let (first, second) = (run(0), run(1));
    assert_eq!(first, second, "the same every time");
    assert_eq!(first.0[3], (0..10).map(|round| 505 * round).collect::<Vec<u64>>());
}

#[test]
fn phantom_payloads_are_exchanged_by_every_algorithm_that_takes_them() {
    let machine = Machine::paragon(1, 4).build().unwrap();
    // Sorting needs data, and *apart* lengths that differ.
    let takes_them = |algorithm: &Algorithm| ![Algorithm::SORTING, Algorithm::APART].contains(algorithm);
    for algorithm in Algorithm::ALL.iter().filter(|algorithm| takes_them(algorithm)) {
        let run = machine.run(|node| {
            let mine = vec![Payload::phantom(1 << 20); 4];
            Ok(node.world().using(algorithm).all_to_allv_payloads(mine)?)
        });
        let outputs = run.unwrap().outputs;
        assert!(outputs.iter().flatten().all(|payload| payload.len() == 1 << 20), "{algorithm}");
    }
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let text = error_text(3, |node| node.world().all_to_allv(&[[1_u8]; 2]).map(drop));
    assert_eq!(text, "2 vectors are given for a group of 3 ranks: give one for each rank (it may be empty)");
    let text =
        error_text(3, |node| node.world().all_to_allv_known(&matrix_of_elements(3), &[[1_u8]; 4]).map(drop));
    assert!(text.starts_with("4 vectors are given for a group of 3 ranks"), "{text}");
    let text = error_text(3, |node| node.world().all_to_all(&[1_u8; 4]).map(drop));
    assert_eq!(
        text,
        "4 elements are given in a group of 3: there must be a multiple of 3, with one block of equal length for each rank"
    );
    let text = error_text(2, |node| {
        node.world().all_to_all_payloads(vec![Payload::phantom(1), Payload::phantom(2)]).map(drop)
    });
    assert_eq!(
        text,
        "2 bytes are given for rank 1 and 1 for rank 0: give equal lengths, or call `all_to_allv_payloads`"
    );
    let text = error_text(2, |node| node.world().all_to_allv(&[[()], [()]]).map(drop));
    assert_eq!(text, "() has size 0: use an element type of at least one byte");
    let text = error_text(2, |node| node.world().sparse_exchange(&[(2, [1_u8])]).map(drop));
    assert!(text.starts_with("rank 2 is not in the world"), "{text}");
    let long = || Payload::phantom((1 << 30) + 1);
    let text = error_text(2, |node| node.world().all_to_allv_payloads(vec![long(), long()]).map(drop));
    assert_eq!(text, "the message for rank 0 has 1073741825 bytes: the maximum is 1073741824");
    let text = error_text(2, |node| node.world().sparse_exchange_payloads(vec![(1, long())]).map(drop));
    assert_eq!(text, "the message for rank 1 has 1073741825 bytes: the maximum is 1073741824");
    let text =
        error_text(3, |node| node.world().all_to_allv_known(&matrix_of_elements(4), &[[1_u8]; 3]).map(drop));
    assert_eq!(text, "the matrix is for 4 nodes, but the group has 3");
    let (_, cause) = error(2, |node| {
        let known = Arc::new(Matrix::new(&[vec![1, 2], vec![3, 4]]).unwrap());
        node.world().all_to_allv_known(&known, &[[1_u8], [1]]).map(drop)
    });
    let expected = [
        ExchangeError::Length { to: 1, given: 1, expected: 2 },
        ExchangeError::Length { to: 0, given: 1, expected: 3 },
    ];
    assert!(expected.map(CallError::Exchange).contains(&cause), "{cause}");
}

#[test]
fn members_that_make_other_calls_are_told_so() {
    let mismatch = |program: &(dyn Fn(&Node<'_>) -> Result<(), CallError> + Sync)| {
        let machine = Machine::builder("line:3".parse().unwrap()).build().unwrap();
        match machine.run(|node| Ok(program(node)?)) {
            Err(RunError::Mismatch(mismatch)) => {
                let mut calls: Vec<String> = mismatch.calls.into_iter().map(|call| call.call).collect();
                calls.sort();
                calls.join(" / ")
            }
            other => panic!("{other:?}"),
        }
    };
    let is_last = |node: &Node<'_>| node.rank() == 2;
    assert_eq!(
        mismatch(&|node| match is_last(node) {
            true => node.world().all_to_allv(&[[1_u32]; 3]).map(drop),
            false => node.world().all_to_allv(&[[1.0_f32]; 3]).map(drop),
        }),
        "an all-to-all of f32, algorithm auto / an all-to-all of u32, algorithm auto"
    );
    assert_eq!(
        mismatch(&|node| {
            let algorithm = if is_last(node) { Algorithm::TWO_STAGE } else { Algorithm::SLICED };
            node.world().using(algorithm).all_to_allv(&[[1_u32]; 3]).map(drop)
        }),
        "an all-to-all of u32, algorithm sliced / an all-to-all of u32, algorithm two-stage"
    );
    assert_eq!(
        mismatch(&|node| match is_last(node) {
            true => node.world().sparse_exchange(&[(0, [1_u32])]).map(drop),
            false => node.world().all_to_allv_payloads(vec![Payload::empty(); 3]).map(drop),
        }),
        "a sparse exchange of u32 / an all-to-all of payloads, algorithm auto"
    );
    let known = mismatch(&|node| {
        let matrix = Matrix::of(3, |_, _| if is_last(node) { 4 } else { 8 }).unwrap();
        let bytes = vec![Payload::phantom(matrix.get(0, 0)); 3];
        node.world().all_to_allv_payloads_known(&Arc::new(matrix), bytes).map(drop)
    });
    assert!(known.starts_with("an all-to-all of payloads with a known matrix, algorithm auto / "), "{known}");
    let lengths =
        mismatch(&|node| node.world().all_to_all(&vec![1_u32; if is_last(node) { 6 } else { 3 }]).map(drop));
    assert_eq!(
        lengths,
        "an all-to-all of blocks of 1 u32, algorithm auto / an all-to-all of blocks of 2 u32, algorithm auto"
    );
    let seeds = mismatch(&|node| {
        let algorithm = Algorithm::RANDOM.with_seed(node.rank() as u64);
        node.world().using(algorithm).all_to_allv(&[[1_u32]; 3]).map(drop)
    });
    assert!(seeds.starts_with("an all-to-all of u32, algorithm random / "), "{seeds}");
}
