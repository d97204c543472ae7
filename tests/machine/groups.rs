//! Groups: who is in them, that their messages never mix, and what a barrier costs.

#![allow(clippy::unit_arg, reason = "programs that end with a call")]

use multicomputer::{
    Run,
    comm::Cartesian,
    error::Failure,
    model::{Parameters, ParametersBuilder},
    prelude::*,
};

use crate::support::{self, PATIENCE, failure_of_node_0};

/// o_s = 10 us, o_r = 20 us, L = 5 us, nothing for a hop, beta = 10 ns/byte.
fn parameters() -> ParametersBuilder {
    Parameters::builder().send_overhead(10e-6).receive_overhead(20e-6).latency(5e-6).beta(10e-9)
}

fn run_on<T: Send>(
    machine: ParametersBuilder,
    (rows, columns): (usize, usize),
    program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
) -> Run<T> {
    let machine = Machine::mesh(rows, columns).parameters(machine.build().unwrap());
    support::run(&machine.wall_limit(PATIENCE).build().unwrap(), program)
}

fn run<T: Send>(shape: (usize, usize), program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync) -> Run<T> {
    run_on(parameters(), shape, program)
}

/// The error that the program of node 0 of a row of three ends with.
fn failure(program: impl Fn(&Node<'_>) -> Result<(), Failure> + Sync) -> CommError {
    failure_of_node_0(&Machine::mesh(1, 3).build().unwrap(), program)
}

#[test]
fn rows_and_columns_are_numbered_along_themselves() {
    let run = run((2, 3), |node| {
        let (row, column) = (node.row()?, node.column()?);
        let row_nodes: Vec<Rank> =
            (0..row.size()).map(|rank| row.world_rank(rank)).collect::<Result<_, _>>()?;
        let column_nodes: Vec<Rank> =
            (0..column.size()).map(|rank| column.world_rank(rank)).collect::<Result<_, _>>()?;
        Ok((row.rank(), row_nodes, column.rank(), column_nodes))
    });
    assert_eq!(run.outputs[4], (1, vec![3, 4, 5], 1, vec![1, 4]));
    assert_eq!(run.outputs[2], (2, vec![0, 1, 2], 0, vec![2, 5]));
}

#[test]
fn the_ranks_of_a_subgroup_are_in_the_order_given() {
    // Nodes 3, 1, 2 are ranks 0, 1, 2; a ring in the group goes 3 -> 1 -> 2 -> 3.
    let run = run((1, 4), |node| {
        if node.rank() == 0 {
            return Ok(None);
        }
        let group = node.world().subgroup(&[3, 1, 2])?;
        assert_eq!(group.world_rank(group.rank())?, node.rank());
        let next = (group.rank() + 1) % 3;
        group.send(next, node.rank() as u32)?;
        let message = group.recv(ANY_SOURCE)?;
        assert_eq!(group.world_rank(message.source)?, message.to_value::<u32>()? as usize);
        Ok(Some((group.rank(), message.source, message.to_value::<u32>()?)))
    });
    assert_eq!(run.outputs, [None, Some((1, 0, 3)), Some((2, 1, 1)), Some((0, 2, 2))]);
}

#[test]
fn a_split_puts_equal_colors_together() {
    let run = run((1, 7), |node| {
        let group = node.world().split_by(|rank| rank % 3)?;
        let members: Vec<Rank> = (0..group.size()).map(|rank| group.world_rank(rank).unwrap()).collect();
        Ok((group.rank(), members))
    });
    assert_eq!(run.outputs[6], (2, vec![0, 3, 6]));
    assert_eq!(run.outputs[4], (1, vec![1, 4]));
    assert_eq!(run.outputs[2], (0, vec![2, 5]));
}

/// The values of all members are gathered, which takes the time of that call; the order is by key, then by rank.
#[test]
fn colors_and_keys_are_gathered() {
    let program = |node: &Node<'_>| {
        let rank = node.rank();
        let group = node.world().split((rank != 4).then_some(rank % 2), [5, 9, 1, 9, 0, 2, 1][rank])?;
        let Some(group) = group else { return Ok(vec![]) };
        assert_eq!(group.world_rank(group.rank())?, rank);
        Ok((0..group.size()).map(|rank| group.world_rank(rank).unwrap()).collect::<Vec<Rank>>())
    };
    let of_values = run((1, 7), program);
    let (even, odd) = (vec![2, 6, 0], vec![5, 1, 3]);
    assert_eq!(of_values.outputs, [&even, &odd, &even, &odd, &vec![], &odd, &even].map(Vec::clone));
    let gather = run((1, 7), |node| Ok(node.world().all_gather(&[1_u64; 2], 14)?));
    assert_eq!(of_values.report.makespan, gather.report.makespan);
}

/// A halo exchange on a line: each inner rank sends and receives at once, and the ends only send or receive.
#[test]
fn the_null_process_takes_no_time() {
    let line = |node: &Node<'_>| {
        let grid = node.world().cartesian(&[node.size()], &[false])?;
        let shift = grid.shift(0, 1)?;
        let got = grid.group().sendrecv(shift.destination, [node.rank() as u32], shift.source)?;
        let mut halo = [7_u32];
        if got.is_null() {
            got.copy_to(&mut halo)?;
            let error = got.to_value::<u32>().unwrap_err().to_string();
            assert!(
                error.starts_with("the message from the null process (`None`), which is empty: "),
                "{error}"
            );
        }
        assert_eq!(halo, [7]);
        Ok((got.to_vec::<u32>()?, got.is_null(), node.now()?))
    };
    let by_hand = |node: &Node<'_>| {
        let (world, rank) = (node.world(), node.rank());
        let mine = [rank as u32];
        let got = match rank {
            0 => world.send(1, mine).map(|()| vec![])?,
            1 => world.sendrecv(2, mine, 0)?.to_vec()?,
            _ => world.recv(1)?.to_vec()?,
        };
        Ok((got, rank == 0, node.now()?))
    };
    let line_of_three = run((1, 3), line);
    assert_eq!(line_of_three.outputs, run((1, 3), by_hand).outputs);
    assert_eq!(line_of_three.report.messages, 2);
    assert_eq!(run((1, 1), line).outputs, [(vec![], true, Time::ZERO)]);
}

/// Against all lists of non-increasing extents.
#[test]
fn balanced_extents_are_as_close_as_possible() {
    fn all(ranks: usize, dimensions: usize, limit: usize) -> Vec<Vec<usize>> {
        if dimensions == 0 {
            return if ranks == 1 { vec![vec![]] } else { vec![] };
        }
        let firsts = (1..=limit.min(ranks)).filter(|first| ranks.is_multiple_of(*first));
        let lists = firsts.flat_map(|first| {
            all(ranks / first, dimensions - 1, first)
                .into_iter()
                .map(move |rest| [vec![first], rest].concat())
        });
        lists.collect()
    }
    for ranks in 1..=150 {
        for dimensions in 1..=4 {
            let order = |extents: &Vec<usize>| {
                let from_last: Vec<usize> = extents.iter().rev().copied().collect();
                (extents[0] - from_last[0], std::cmp::Reverse(from_last))
            };
            let closest = all(ranks, dimensions, ranks).into_iter().min_by_key(order).unwrap();
            assert_eq!(Cartesian::balanced(ranks, dimensions), closest, "{ranks} in {dimensions}");
        }
    }
    assert_eq!(Cartesian::balanced(1 << 20, 3), [128, 128, 64]);
    assert!(Cartesian::balanced(5, 0).is_empty());
    assert_eq!(Cartesian::balanced(0, 2), [0, 1]);
}

#[test]
fn groups_of_groups_talk_among_themselves() {
    // The world is halved until everybody is alone; in each half the first tells the others who it is.
    let run = run((1, 8), |node| {
        fn halve(group: &Group<'_>, heard: &mut Vec<u32>) -> Result<(), Failure> {
            if group.size() == 1 {
                return Ok(());
            }
            let half = group.size() / 2;
            let mine = group.split_by(|rank| rank / half)?;
            if mine.rank() == 0 {
                for rank in 1..mine.size() {
                    mine.send(rank, [mine.world_rank(0)? as u32])?;
                }
            } else {
                heard.extend(mine.recv(0)?.to_vec::<u32>()?);
            }
            halve(&mine, heard)
        }
        let mut heard = Vec::new();
        halve(node.world(), &mut heard)?;
        Ok(heard)
    });
    assert_eq!(run.outputs[7], [4, 6]);
    assert_eq!(run.outputs[3], [0, 2]);
    assert_eq!(run.outputs[5], [4, 4]);
}

#[test]
fn a_barrier_by_messages_takes_one_alpha_for_each_doubling() {
    // Nothing to share for empty messages: ceil(log2 p) rounds of o_s + L + o_r = 35 us.
    for (nodes, rounds) in [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4)] {
        let run = run((1, nodes), |node| Ok(node.world().barrier()?));
        let times: Vec<f64> = run.report.nodes.iter().map(|node| node.finished.as_micros_f64()).collect();
        assert_eq!(times, vec![35.0 * f64::from(rounds); nodes], "{nodes} nodes");
        assert_eq!(run.report.messages, nodes as u64 * rounds as u64);
    }
}

#[test]
fn nobody_leaves_a_barrier_before_the_last_has_come() {
    for late in 0..6 {
        let run = run((2, 3), |node| {
            if node.rank() == late {
                node.compute(Span::from_millis(1))?;
            }
            node.world().barrier()?;
            Ok(node.now()?)
        });
        assert!(run.outputs.iter().all(|time| time.as_micros_f64() >= 1000.0), "{late}: {:?}", run.outputs);
    }
}

#[test]
fn a_hardware_barrier_ends_for_all_at_once() {
    // Node r comes at 100 r; the last at 300; the barrier takes 3.
    let run = run_on(parameters().barrier(3e-6), (1, 4), |node| {
        node.compute(Span::from_micros(100 * node.rank() as u64))?;
        node.world().barrier()?;
        Ok(node.now()?)
    });
    assert_eq!(run.outputs, [Time::ZERO + Span::from_micros(303); 4]);
    assert_eq!(run.report.messages, 0);
}

#[test]
fn a_hardware_barrier_is_the_worlds_and_other_groups_use_messages() {
    // A row of two: one round of alpha = 35.
    let run = run_on(parameters().barrier(3e-6), (2, 2), |node| Ok(node.row()?.barrier()?));
    assert!(run.report.nodes.iter().all(|node| node.finished.as_micros_f64() == 35.0));
    assert_eq!(run.report.messages, 4);
}

#[test]
fn a_rank_outside_is_an_error_that_names_the_group_and_its_ranks() {
    let error = failure(|node| Ok(node.world().send(3, "x")?));
    assert_eq!(error, CommError::NoSuchRank { given: 3, size: 3, group: "the world".into() });
    assert_eq!(error.to_string(), "rank 3 is not in the world: its ranks are 0 to 2");
    assert_eq!(
        failure(|node| Ok(drop(node.world().recv(7)?))).to_string().split(':').next().unwrap(),
        "rank 7 is not in the world"
    );
    type Call = fn(&Node<'_>) -> Result<(), CommError>;
    let calls: [Call; 8] = [
        |node| node.world().isend(usize::MAX, "x").map(drop),
        |node| node.world().irecv(3).map(drop),
        |node| node.world().sendrecv(3, "x", 0).map(drop),
        |node| node.world().sendrecv(0, "x", 3).map(drop),
        |node| node.world().probe(3).map(drop),
        |node| node.world().try_probe((3, Tag(1))).map(drop),
        |node| node.world().recv_until(3, Time::ZERO).map(drop),
        |node| node.world().world_rank(3).map(drop),
    ];
    for call in calls {
        let error = failure(|node| Ok(call(node)?));
        assert!(matches!(error, CommError::NoSuchRank { size: 3, .. }), "{error}");
    }
    let error = failure(|node| Ok(node.column()?.send(1, "x")?));
    assert_eq!(error.to_string(), "rank 1 is not in column 0: its ranks are 0 to 0");
}

#[test]
fn a_bad_list_of_ranks_is_an_error() {
    assert!(matches!(failure(|node| Ok(drop(node.world().subgroup(&[])?))), CommError::BadGroup(_)));
    let twice = failure(|node| Ok(drop(node.world().subgroup(&[0, 1, 0])?)));
    assert_eq!(twice.to_string(), "a group needs one or more ranks, each once: [0, 1, 0] was given");
    let outside = failure(|node| Ok(drop(node.world().subgroup(&[0, 3])?)));
    assert!(matches!(outside, CommError::NoSuchRank { given: 3, size: 3, .. }), "{outside}");
    let others = failure(|node| Ok(drop(node.world().subgroup(&[1, 2])?)));
    assert_eq!(others, CommError::NotAMember { rank: 0, group: "the group of nodes 1, 2".into() });
}

#[test]
fn a_line_is_one_row() {
    let machine = Machine::builder("line:3".parse().unwrap()).build().unwrap();
    let run =
        machine.run(|node| Ok((node.row()?.rank(), node.row()?.size(), node.column()?.size()))).unwrap();
    assert_eq!(run.outputs, [(0, 3, 1), (1, 3, 1), (2, 3, 1)]);
}
