//! Calls of many-to-many communication: in any group, with any lengths, and with mistakes.

use std::sync::Arc;

use multicomputer::{
    Machine,
    collective::{Collective, Sum},
    error::RunError,
    exchange::{Algorithm, CallError, ExchangeError, Instance, ManyToMany, Matrix},
    plan::PlanError,
    prelude::*,
};

/// The elements that one rank has for another: their number, and each of them, tells them from all others.
fn elements(from: Rank, to: Rank) -> Vec<u32> {
    let count = (7 * from + 5 * to) % 11 * usize::from(!(from + to).is_multiple_of(3));
    (0..count).map(|nth| (from * 10_000 + to * 100 + nth) as u32).collect()
}

fn outgoing(from: Rank, size: usize) -> Vec<Vec<u32>> {
    (0..size).map(|to| elements(from, to)).collect()
}

fn incoming(to: Rank, size: usize) -> Vec<Vec<u32>> {
    (0..size).map(|from| elements(from, to)).collect()
}

fn matrix(size: usize) -> Arc<Matrix> {
    Arc::new(Matrix::of(size, |from, to| 4 * elements(from, to).len() as u64).unwrap())
}

/// What rank `failing` says when the nodes of a line make these calls.
fn error(
    nodes: usize,
    program: impl Fn(&Node<'_>) -> Result<(), CallError> + Sync,
) -> (Rank, Box<CallError>) {
    let machine = Machine::of(format!("line:{nodes}").parse().unwrap()).build().unwrap();
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
        let machine = Machine::of(format!("line:{nodes}").parse().unwrap()).deny_unreceived(true);
        let run = machine.build().unwrap().run(|node| {
            let (rank, world, matrix) = (node.rank(), node.world(), matrix(nodes));
            let mine = outgoing(rank, nodes);
            let slices: Vec<&[u32]> = mine.iter().map(Vec::as_slice).collect();
            let payloads = || mine.iter().map(Payload::from).collect();
            let expected = incoming(rank, nodes);
            assert_eq!(world.exchange(&mine)?, expected);
            assert_eq!(world.exchange_known(&matrix, &slices)?, expected);
            for got in
                [world.exchange_payloads(payloads())?, world.exchange_payloads_known(&matrix, payloads())?]
            {
                let got: Vec<Vec<u32>> = got.iter().map(Payload::to_vec).collect::<Result<_, _>>()?;
                assert_eq!(got, expected);
            }
            let sparse: Vec<(Rank, &[u32])> = slices.into_iter().enumerate().rev().collect();
            let got = world.sparse_exchange(&sparse)?;
            assert!(got.into_iter().eq(expected.into_iter().enumerate()));
            Ok(())
        });
        assert_eq!(run.unwrap().outputs.len(), nodes);
    }
}

#[test]
fn every_algorithm_can_be_asked_for() {
    let machine = Machine::paragon(2, 3).deny_unreceived(true).build().unwrap();
    machine
        .run(|node| {
            let (rank, world) = (node.rank(), node.world());
            for &algorithm in Algorithm::ALL {
                let by = world.using(algorithm);
                if algorithm == Algorithm::LINEAR {
                    let error = by.exchange(&outgoing(rank, 6)).unwrap_err();
                    assert!(matches!(error, CallError::Plan(PlanError::Restricted { .. })), "{error}");
                    assert!(error.to_string().contains(", and here they have 0 to "), "{error}");
                    assert_eq!(by.exchange(&[[rank as u16]; 6])?, [[0_u16], [1], [2], [3], [4], [5]]);
                } else {
                    assert_eq!(by.exchange(&outgoing(rank, 6))?, incoming(rank, 6), "{algorithm}");
                }
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn rows_columns_and_other_groups_do_not_mix() {
    let machine = Machine::paragon(3, 5).deny_unreceived(true).build().unwrap();
    machine
        .run(|node| {
            let odd = node.world().split(|rank| rank % 2)?;
            let backwards: Vec<Rank> = (0..15).rev().collect();
            for group in [node.row()?, node.column()?, &odd, &node.world().subgroup(&backwards)?] {
                let (rank, size) = (group.rank(), group.size());
                assert_eq!(group.exchange(&outgoing(rank, size))?, incoming(rank, size), "{group:?}");
                let to_next = [((rank + 1) % size, outgoing(rank, size).concat())];
                let before = (rank + size - 1) % size;
                assert_eq!(group.sparse_exchange(&to_next)?, [(before, outgoing(before, size).concat())]);
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
                true => node.world().exchange_known(&matrix(8), &mine)?,
                false => node.world().exchange(&mine)?,
            };
            assert_eq!(got, incoming(node.rank(), 8));
            Ok(())
        });
        run.unwrap().report.modeled
    };
    let instance = Instance::new(machine.description(), matrix(8)).unwrap();
    let plan = Algorithm::AUTO.plan(&instance).unwrap();
    assert_eq!(Some(modeled(true)), plan.prediction().map(|prediction| prediction.modeled));
    assert!(modeled(false) > modeled(true));
}

#[test]
fn members_share_one_plan() {
    let machine = Machine::paragon(2, 2).build().unwrap();
    let plan = |_| machine.run(|node| Ok(node.world().exchange_plan(&matrix(4))?)).unwrap().outputs;
    let plans: Vec<_> = (0..2).flat_map(plan).collect();
    assert!(plans.iter().all(|plan| Arc::ptr_eq(plan, &plans[0])));
}

#[test]
fn nothing_at_all_is_exchanged_too() {
    let machine = Machine::paragon(2, 2).build().unwrap();
    let run = machine.run(|node| {
        let nothing = vec![Vec::<f64>::new(); 4];
        assert_eq!(node.world().exchange(&nothing)?, nothing);
        Ok(node.world().sparse_exchange::<f64, Vec<f64>>(&[])?)
    });
    assert!(run.unwrap().outputs.iter().all(Vec::is_empty));
}

#[test]
fn several_messages_to_one_rank_come_in_their_order() {
    let machine = Machine::paragon(2, 3).deny_unreceived(true).build().unwrap();
    let run = machine.run(|node| {
        let rank = node.rank() as u8;
        // A long one first: it takes longest to come.
        let mine = [(4, vec![rank; 5000]), (1, vec![rank]), (4, vec![]), (4, vec![rank, 7])];
        Ok(node.world().sparse_exchange(&mine)?)
    });
    let outputs = run.unwrap().outputs;
    let to_4 =
        |from: u8| [(from.into(), vec![from; 5000]), (from.into(), vec![]), (from.into(), vec![from, 7])];
    assert_eq!(outputs[4], (0..6).flat_map(to_4).collect::<Vec<_>>());
    assert_eq!(outputs[1], (0..6).map(|from| (from.into(), vec![from])).collect::<Vec<_>>());
    assert!([0, 2, 3, 5].iter().all(|&rank| outputs[rank].is_empty()));
}

#[test]
fn sparse_exchanges_follow_each_other_and_collective_calls() {
    let machine = Machine::of("line:5".parse().unwrap()).deny_unreceived(true).build().unwrap();
    let run = |_| {
        let run = machine.run(|node| {
            let (rank, world) = (node.rank(), node.world());
            let mut sums = Vec::new();
            for round in 0..10_u64 {
                // Node 0 is late, so that others are rounds ahead.
                node.compute(Span::from_micros(if rank == 0 { 1000 } else { 0 }))?;
                let mine = [((rank + 1 + round as usize) % 5, [round]), (0, [100 * round])];
                let got = world.sparse_exchange(&mine)?;
                let mut sum = [got.iter().map(|(_, data)| data[0]).sum::<u64>()];
                assert!(got.iter().all(|(_, data)| [round, 100 * round].contains(&data[0])));
                world.combine_all(&mut sum, Sum)?;
                sums.push(sum[0]);
            }
            Ok(sums)
        });
        let run = run.unwrap();
        (run.outputs, run.report.modeled)
    };
    let (first, second) = (run(0), run(1));
    assert_eq!(first, second, "the same every time");
    assert_eq!(first.0[3], (0..10).map(|round| 505 * round).collect::<Vec<u64>>());
}

#[test]
fn sparse_messages_do_not_meet_those_of_the_program() {
    let machine = Machine::of("line:3".parse().unwrap()).build().unwrap();
    let run = machine.run(|node| {
        let (rank, world) = (node.rank(), node.world());
        let next = (rank + 1) % 3;
        world.send(next, [rank as u64])?;
        let got = world.sparse_exchange(&[(next, [10 + rank as u64])])?;
        assert_eq!(got, [((rank + 2) % 3, vec![10 + (rank as u64 + 2) % 3])]);
        Ok(world.recv(ANY_SOURCE)?.to_vec::<u64>()?[0])
    });
    assert_eq!(run.unwrap().outputs, [2, 0, 1]);
}

#[test]
fn phantom_payloads_are_exchanged_by_every_algorithm_that_does_not_sort() {
    let machine = Machine::paragon(1, 4).build().unwrap();
    for algorithm in Algorithm::ALL.iter().copied().filter(|&algorithm| algorithm != Algorithm::SORTING) {
        let run = machine.run(|node| {
            let mine = vec![Payload::phantom(1 << 20); 4];
            Ok(node.world().using(algorithm).exchange_payloads(mine)?)
        });
        let outputs = run.unwrap().outputs;
        assert!(outputs.iter().flatten().all(|payload| payload.len() == 1 << 20), "{algorithm}");
    }
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let text = error_text(3, |node| node.world().exchange(&[[1_u8]; 2]).map(drop));
    assert_eq!(
        text,
        "2 vectors are given in a group of 3: there must be one for each rank, and it may be empty"
    );
    let text = error_text(3, |node| node.world().exchange_known(&matrix(3), &[[1_u8]; 4]).map(drop));
    assert!(text.starts_with("4 vectors are given in a group of 3"), "{text}");
    let text = error_text(2, |node| node.world().exchange(&[[()], [()]]).map(drop));
    assert_eq!(text, "() has no bytes: there is nothing to exchange");
    let text = error_text(2, |node| node.world().sparse_exchange(&[(2, [1_u8])]).map(drop));
    assert!(text.starts_with("there is no rank 2 in the world"), "{text}");
    let long = || Payload::phantom((1 << 30) + 1);
    let text = error_text(2, |node| node.world().exchange_payloads(vec![long(), long()]).map(drop));
    assert_eq!(text, "1073741825 bytes are given for rank 0: at most 1073741824 are allowed");
    let text = error_text(2, |node| node.world().sparse_exchange_payloads(vec![(1, long())]).map(drop));
    assert_eq!(text, "1073741825 bytes are given for rank 1: at most 1073741824 are allowed");
    let text = error_text(3, |node| node.world().exchange_known(&matrix(4), &[[1_u8]; 3]).map(drop));
    assert_eq!(text, "the matrix is for 4 nodes, and the group has 3");
    let (_, cause) = error(2, |node| {
        let known = Arc::new(Matrix::new(&[vec![1, 2], vec![3, 4]]).unwrap());
        node.world().exchange_known(&known, &[[1_u8], [1]]).map(drop)
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
        let (_, cause) = error(3, program);
        match *cause {
            CallError::Comm(CommError::Mismatch { call, other_call, .. }) => {
                let mut calls = [call, other_call];
                calls.sort();
                calls.join(" / ")
            }
            other => panic!("{other}"),
        }
    };
    let is_last = |node: &Node<'_>| node.rank() == 2;
    assert_eq!(
        mismatch(&|node| match is_last(node) {
            true => node.world().exchange(&[[1_u32]; 3]).map(drop),
            false => node.world().exchange(&[[1.0_f32]; 3]).map(drop),
        }),
        "an exchange of f32 by auto / an exchange of u32 by auto"
    );
    assert_eq!(
        mismatch(&|node| {
            let algorithm = if is_last(node) { Algorithm::TWO_STAGE } else { Algorithm::SLICED };
            node.world().using(algorithm).exchange(&[[1_u32]; 3]).map(drop)
        }),
        "an exchange of u32 by sliced / an exchange of u32 by two-stage"
    );
    assert_eq!(
        mismatch(&|node| match is_last(node) {
            true => node.world().sparse_exchange(&[(0, [1_u32])]).map(drop),
            false => node.world().exchange_payloads(vec![Payload::empty(); 3]).map(drop),
        }),
        "a sparse exchange of u32 / an exchange of payloads by auto"
    );
    let known = mismatch(&|node| {
        let matrix = Matrix::of(3, |_, _| if is_last(node) { 4 } else { 8 }).unwrap();
        let bytes = vec![Payload::phantom(matrix.get(0, 0)); 3];
        node.world().exchange_payloads_known(&Arc::new(matrix), bytes).map(drop)
    });
    assert!(known.starts_with("an exchange of payloads by auto with a known matrix / "), "{known}");
    let seeds = mismatch(&|node| {
        let algorithm = Algorithm::RANDOM.with_seed(node.rank() as u64);
        node.world().using(algorithm).exchange(&[[1_u32]; 3]).map(drop)
    });
    assert!(seeds.starts_with("an exchange of u32 by random / "), "{seeds}");
}
