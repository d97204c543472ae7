//! Collective operations in groups of every kind, at the same time, and beside messages of the program.

use multicomputer::{
    collective::{Algorithm, Collective, Job, Max, Operation, Sum},
    error::CommError,
};

use super::*;
use crate::conformance::collective::{Case, With, even};

/// All operations among `size` ranks, a number of times with other roots, lengths and operators.
fn cases(size: usize, rounds: u64) -> Vec<Case> {
    let round = |round: u64| {
        Operation::ALL.into_iter().enumerate().map(move |(number, operation)| {
            let blocks = match round % 3 {
                0 => even(2 * size + 3, size),
                1 => (0..size).map(|rank| (rank * 5 + number) % 4).collect(),
                _ => even(number % 2, size),
            };
            let with = [With::Sum, With::Max, With::MatrixProduct][(round as usize + number) % 3];
            Case::seeded(operation, (number + round as usize) % size, blocks, with, round)
        })
    };
    (0..rounds).flat_map(round).collect()
}

#[test]
fn rows_and_columns_at_the_same_time() {
    // Every row is at another operation than the others, then every column.
    let (of_rows, of_columns) = (cases(7, 3), cases(5, 3));
    run("paragon:5x7", |node| {
        let (row, column) = (node.row()?, node.column()?);
        for step in 0..of_rows.len() {
            let number = |line: usize| (step + 3 * line) % of_rows.len();
            assert!(of_rows[number(column.rank())].check(row, &Algorithm::AUTO)?);
            assert!(of_columns[number(row.rank())].check(column, &Algorithm::AUTO)?);
        }
        Ok(())
    });
}

#[test]
fn groups_of_all_kinds_at_the_same_time() {
    let at = |rows: &[usize], columns: &[usize]| -> Vec<Rank> {
        rows.iter().flat_map(|row| columns.iter().map(move |column| row * 8 + column)).collect()
    };
    let mut groups = vec![
        // A rectangle, a strided one with its ranks backwards, one of many rows out of order, a single node.
        at(&[0, 1], &[0, 1, 2]),
        at(&[2, 4], &[1, 3, 5, 7]).into_iter().rev().collect(),
        at(&[5, 3, 0], &[6, 4]),
        vec![15],
    ];
    // All that are left, the odd ones first.
    let mut rest: Vec<Rank> = (0..48).filter(|node| !groups.concat().contains(node)).collect();
    rest.sort_by_key(|node| (node % 2 == 0, (node * 29) % 48));
    groups.push(rest);
    let all: Vec<Vec<Case>> = groups.iter().map(|group| cases(group.len(), 3)).collect();
    let run = run("hockney:6x8", |node| {
        let mine = groups.iter().position(|group| group.contains(&node.rank())).unwrap();
        let group = node.world().subgroup(&groups[mine])?;
        let mut done = 0;
        for case in &all[mine] {
            for algorithm in &Algorithm::of(case.operation) {
                done += usize::from(case.check(&group, algorithm)?);
            }
        }
        // And all together again.
        let mut sum = node.rank();
        node.world().all_reduce(&mut sum, Sum)?;
        assert_eq!(sum, 48 * 47 / 2);
        Ok(done)
    });
    assert!(run.outputs.iter().all(|&done| done > 100), "{:?}", run.outputs);
}

#[test]
fn groups_with_members_in_common_take_turns() {
    // Nodes 0 to 3 and 2 to 5 of a line, the second in another order; nodes 2 and 3 are in both.
    run("line:6", |node| {
        let rank = node.rank();
        let first = (rank < 4).then(|| node.world().subgroup(&[3, 0, 2, 1])).transpose()?;
        let second = (rank >= 2).then(|| node.world().subgroup(&[4, 2, 5, 3])).transpose()?;
        let mut x = [rank as u64];
        if let Some(group) = &first {
            group.all_reduce(&mut x, Sum)?;
        }
        if let Some(group) = &second {
            let all = group.all_gather(&x, 4)?;
            assert_eq!(all, [4, 6, 5, 6]);
        }
        if let Some(group) = &first {
            assert_eq!(group.reduce_scatter(&[1_u64; 8], 8, Sum)?, [4, 4]);
        }
        Ok(())
    });
}

#[test]
fn alone_in_a_group_nothing_is_sent_and_no_time_passes() {
    let cases = cases(1, 3);
    let run = run("paragon:2x2", |node| {
        let group = node.world().subgroup(&[node.rank()])?;
        for case in &cases {
            for algorithm in &Algorithm::of(case.operation) {
                case.check(&group, algorithm)?;
            }
        }
        Ok(())
    });
    assert_eq!((run.report.messages, run.report.makespan), (0, Time::ZERO));
}

#[test]
fn messages_of_the_program_are_not_touched() {
    let cases = cases(6, 1);
    let run = run("paragon:2x3", |node| {
        let world = node.world();
        let (rank, size) = (world.rank(), world.size());
        let next = (rank + 1) % size;
        // A message that waits to be received, and receives that would take anything.
        world.send((next, Tag(3)), [rank as u8, 1])?;
        let posted = [(ANY_SOURCE, Some(Tag(7))), (ANY_SOURCE, None)].map(|(source, tag)| match tag {
            Some(tag) => world.irecv((source, tag)),
            None => world.irecv((source, ANY_TAG)),
        });
        let [with_tag, any] = posted;
        let (with_tag, any) = (with_tag?, any?);
        for case in &cases {
            for algorithm in &Algorithm::of(case.operation) {
                case.check(world, algorithm)?;
                assert_eq!(world.try_probe((ANY_SOURCE, ANY_TAG))?, None, "{}", case.operation);
            }
        }
        world.send((next, Tag(7)), [rank as u8, 2])?;
        world.barrier()?;
        let before = (rank + size - 1) % size;
        let any = any.wait()?;
        assert_eq!((any.source, any.tag, any.to_vec::<u8>()?), (before, Tag(3), vec![before as u8, 1]));
        let with_tag = with_tag.wait()?;
        assert_eq!((with_tag.source, with_tag.to_vec::<u8>()?), (before, vec![before as u8, 2]));
        Ok(())
    });
    assert!(run.report.unreceived.is_empty());
}

#[test]
fn a_receive_with_a_deadline_sees_no_collective_message() {
    let run = run("paragon:1x4", |node| {
        let world = node.world();
        let mut x = [node.rank() as f32; 3];
        world.all_reduce(&mut x, Max)?;
        let nothing = world.recv_until(ANY_SOURCE, node.now()? + Span::from_millis(1));
        world.all_reduce(&mut x, Sum)?;
        Ok((x[2], matches!(nothing, Err(CommError::DeadlinePassed { .. }))))
    });
    assert_eq!(run.outputs, [(12.0, true); 4]);
}

#[test]
fn a_hundred_calls_in_a_row_with_barriers_between() {
    let cases = cases(9, 9);
    let machine = Machine::builder("paragon:3x3".parse().unwrap()).wall_limit(PATIENCE).deny_unreceived(true);
    let machine = machine.build().unwrap();
    let program = |node: &Node<'_>| {
        let world = node.world();
        for round in 0..100 {
            if round % 7 == node.rank() % 3 {
                node.compute(Span::from_micros(500))?;
            }
            assert!(cases[round % cases.len()].check(world, &Algorithm::AUTO)?);
            if round % 5 == 0 {
                world.barrier()?;
            }
            if round % 11 == 0 {
                node.row()?.barrier()?;
            }
        }
        Ok(())
    };
    let first = machine.run(program).unwrap().report;
    let second = machine.run(program).unwrap().report;
    assert_eq!((first.makespan, &first.nodes), (second.makespan, &second.nodes));
}

/// Nobody waits for calls that do not concern it: a root that only sends is done while the others are at it.
#[test]
fn calls_may_overlap_from_member_to_member() {
    let run = run("line:8", |node| {
        let world = node.world();
        let mut got = Vec::new();
        for round in 0..20_u64 {
            let mut x = [if world.rank() == 0 { round } else { 99 }; 2];
            world.using(&Algorithm::SHORT).broadcast(0, &mut x)?;
            got.push(x[1]);
        }
        Ok((got, node.now()?))
    });
    assert!(run.outputs.iter().all(|(got, _)| *got == (0..20).collect::<Vec<u64>>()));
    assert!(run.outputs[0].1 < run.outputs[7].1);
}

/// Rows of a mesh look the same from within, so that one search is enough for all; each has a plan for its own members, and
/// takes what that says.
#[test]
fn groups_of_one_shape_share_plans() {
    let run = run("paragon:3x4", |node| {
        let row = node.row()?;
        let plan = row.plan(&Job::bytes(Operation::Broadcast, 600))?;
        let mut vector = vec![u8::from(row.rank() == 0); 600];
        row.broadcast(0, &mut vector)?;
        let bounds = plan.task().lower_bound().time();
        Ok((vector[599], plan.task().members().to_vec(), plan.prediction().modeled, bounds))
    });
    for (rank, (last, members, modeled, bound)) in run.outputs.into_iter().enumerate() {
        let row = rank / 4 * 4;
        assert_eq!((last, members), (1, vec![row, row + 1, row + 2, row + 3]));
        assert_eq!(modeled, run.report.makespan);
        assert!(modeled.since_start() >= bound);
    }
}
