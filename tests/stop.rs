//! S-to-p broadcasting on the emulated machine: the data that arrives, and the exact modeled times.

use multicomputer::{
    Machine, Payload, Run,
    error::{Failure, RunError},
    prelude::*,
    stop::{BroadcastError, Distribution, Schedule, br_lin},
    topology::Grid,
};

/// Bytes that tell the source, the place and the length.
fn message(source: Rank, length: u64) -> Vec<u8> {
    (0..length).map(|place| (source as u64 * 31 + place * 7 + length) as u8).collect()
}

/// Runs Br_Lin on a Paragon of this shape; `lengths[k]` is that of `sources[k]`.
fn broadcast(grid: Grid, sources: &[Rank], lengths: &[u64]) -> Run<Vec<Payload>> {
    let schedule = Schedule::br_lin(grid, sources).unwrap();
    let machine = Machine::paragon(grid.rows, grid.columns).deny_unreceived(true).build().unwrap();
    let run = machine.run(|node| {
        let source = sources.iter().position(|&source| source == node.rank());
        let mine = source.map(|source| message(node.rank(), lengths[source]).into());
        Ok(br_lin(node.world(), &schedule, lengths, mine)?)
    });
    run.unwrap()
}

/// Fails unless every node has every byte of every source.
fn check(grid: Grid, sources: &[Rank], lengths: &[u64]) {
    let run = broadcast(grid, sources, lengths);
    let expected: Vec<Vec<u8>> =
        sources.iter().zip(lengths).map(|(&source, &length)| message(source, length)).collect();
    assert_eq!(run.outputs.len(), grid.nodes());
    for (rank, messages) in run.outputs.iter().enumerate() {
        let messages: Vec<Vec<u8>> = messages.iter().map(|message| message.to_vec().unwrap()).collect();
        assert_eq!(messages, expected, "node {rank} of {grid} from {sources:?}");
    }
}

/// Lengths that differ, with some zeros among them.
fn uneven(sources: usize) -> Vec<u64> {
    (0..sources as u64).map(|source| source * source * 5 % 17).collect()
}

#[test]
fn every_node_ends_with_every_byte_of_every_source() {
    for (rows, columns) in [(1, 1), (1, 2), (1, 7), (7, 1), (3, 5), (5, 3), (4, 4)] {
        let grid = Grid { rows, columns };
        for sources in 1..=grid.nodes() {
            for distribution in Distribution::ALL {
                check(grid, &distribution.place(grid, sources).unwrap(), &uneven(sources));
            }
        }
    }
}

#[test]
fn every_number_of_sources_on_ten_by_ten() {
    let grid = Grid { rows: 10, columns: 10 };
    for sources in 1..=100 {
        let distribution = Distribution::ALL[sources % 3];
        check(grid, &distribution.place(grid, sources).unwrap(), &uneven(sources));
    }
}

#[test]
fn sources_come_back_in_the_order_in_which_they_are_given() {
    check(Grid { rows: 3, columns: 5 }, &[14, 0, 7, 3], &[5, 0, 9, 1]);
}

#[test]
fn messages_of_no_bytes_are_broadcast_too() {
    check(Grid { rows: 3, columns: 5 }, &[2, 11], &[0, 0]);
}

#[test]
fn phantom_messages_take_the_time_of_real_ones() {
    let grid = Grid { rows: 5, columns: 5 };
    let sources = Distribution::Row.place(grid, 8).unwrap();
    let lengths = vec![1000; 8];
    let schedule = Schedule::br_lin(grid, &sources).unwrap();
    let phantom = Machine::paragon(5, 5).build().unwrap().run(|node| {
        let mine = sources.contains(&node.rank()).then(|| Payload::phantom(1000));
        Ok(br_lin(node.world(), &schedule, &lengths, mine)?)
    });
    let phantom = phantom.unwrap();
    assert!(phantom.outputs.iter().flatten().all(|message| message.is_phantom() && message.len() == 1000));
    assert_eq!(phantom.report, broadcast(grid, &sources, &lengths).report);
}

/// The system: the 10 x 10 Paragon, 30 sources with 2 KiB each, as in the main job. The expectation: whichever way the
/// sources lie, each of the 30 blocks is sent 99 times; how many messages carry them, and how long that takes, depends
/// on where they lie.
#[test]
fn the_times_of_the_main_job() {
    let grid = Grid { rows: 10, columns: 10 };
    let figures = Distribution::ALL.map(|distribution| {
        let sources = distribution.place(grid, 30).unwrap();
        let report = broadcast(grid, &sources, &[2048; 30]).report;
        assert_eq!(report.bytes, 30 * 99 * 2048);
        (distribution.name(), report.modeled.to_string(), report.messages)
    });
    let expected = [
        ("row", "6.935124715 ms", 542),
        ("right-diagonal", "7.352969755 ms", 500),
        ("square-block", "6.542448042 ms", 550),
    ];
    assert_eq!(figures, expected.map(|(name, modeled, messages)| (name, modeled.to_owned(), messages)));
}

/// Runs Br_Lin on a line of four with sources 1 and 2, of 8 bytes each unless told otherwise, and returns the error.
fn error(
    schedule: &Schedule,
    lengths: impl Fn(Rank) -> Vec<u64> + Sync,
    mine: impl Fn(Rank) -> Option<u64> + Sync,
) -> (Rank, BroadcastError) {
    let run = Machine::hockney(1, 4).build().unwrap().run(|node| -> Result<(), Failure> {
        let mine = mine(node.rank()).map(Payload::phantom);
        br_lin(node.world(), schedule, &lengths(node.rank()), mine)?;
        Ok(())
    });
    match run.unwrap_err() {
        RunError::Node { rank, source } => (rank, *source.downcast().unwrap()),
        other => panic!("{other}"),
    }
}

#[test]
fn arguments_that_do_not_fit_are_errors() {
    let line = Schedule::br_lin(Grid { rows: 1, columns: 4 }, &[1, 2]).unwrap();
    let right = |rank: Rank| (rank == 1 || rank == 2).then_some(8);

    let wide = Schedule::br_lin(Grid { rows: 1, columns: 5 }, &[1, 2]).unwrap();
    let (_, nodes) = error(&wide, |_| vec![8, 8], right);
    assert_eq!(nodes, BroadcastError::Nodes { schedule: 5, group: 4 });

    let (_, lengths) = error(&line, |_| vec![8], right);
    assert_eq!(lengths, BroadcastError::Lengths { given: 1, sources: 2 });

    let missing = error(&line, |_| vec![8, 8], |rank| (rank == 1).then_some(8));
    assert_eq!(missing, (2, BroadcastError::NoMessage { rank: 2, expected: 8 }));

    let surplus = error(&line, |_| vec![8, 8], |rank| (rank > 0).then_some(8));
    assert_eq!(surplus, (3, BroadcastError::NoSource { rank: 3 }));

    let long = error(&line, |_| vec![8, 8], |rank| right(rank).map(|length| length * rank as u64));
    assert_eq!(long, (2, BroadcastError::Length { rank: 2, given: 16, expected: 8 }));
}

#[test]
fn nodes_that_know_other_lengths_are_found_out() {
    let line = Schedule::br_lin(Grid { rows: 1, columns: 4 }, &[1, 2]).unwrap();
    let lengths = |rank| if rank == 0 { vec![8, 9] } else { vec![8, 8] };
    let found = error(&line, lengths, |rank| (rank == 1 || rank == 2).then_some(8));
    assert_eq!(found, (0, BroadcastError::Received { from: 2, given: 8, expected: 9 }));
    assert!(found.1.to_string().ends_with("all nodes must know the same lengths"), "{}", found.1);
}

#[test]
fn other_messages_of_the_program_stay_where_they_are() {
    let schedule = Schedule::br_lin(Grid { rows: 1, columns: 2 }, &[0]).unwrap();
    let run = Machine::hockney(1, 2).build().unwrap().run(|node| {
        let world = node.world();
        if node.rank() == 0 {
            world.send(1, "mine")?;
        }
        let mine = (node.rank() == 0).then(|| Payload::from("all's"));
        let broadcast = br_lin(world, &schedule, &[5], mine)?;
        if node.rank() == 1 {
            assert_eq!(world.recv(0)?.to_bytes()?, "mine");
        }
        Ok(broadcast[0].to_bytes()?)
    });
    assert_eq!(run.unwrap().outputs, ["all's", "all's"]);
}
