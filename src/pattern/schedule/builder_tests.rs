use std::{
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Mutex},
    thread,
};

use super::*;

fn transfer(from: Rank, to: Rank, blocks: &[u32]) -> Transfer {
    Transfer { from, to, blocks: blocks.into() }
}

fn message(peer: Rank, blocks: &[u32], bytes: u64) -> Message {
    Message { peer, blocks: blocks.into(), bytes, combined: false }
}

fn actions(builder: Builder, rank: Rank) -> Vec<Action> {
    builder.finish().steps(rank).iter().map(|step| step.action.clone()).collect()
}

/// Returns the actions of node 0 among three nodes with a block each; node 0 sends to both others and receives from both.
fn busy(exchange: Exchange) -> Vec<Action> {
    let mut builder = Builder::new(3, &[0, 1, 2], &[10, 20, 30], exchange);
    builder.iteration([
        transfer(2, 0, &[2]),
        transfer(0, 1, &[0]),
        transfer(0, 2, &[0]),
        transfer(1, 0, &[1]),
    ]);
    assert_eq!(builder.held(0), [0, 2, 1], "its own, then as they come");
    actions(builder, 0)
}

#[test]
fn the_three_kinds_of_exchange_make_their_steps() {
    let (to_1, to_2) = (message(1, &[0], 10), message(2, &[0], 10));
    let (from_2, from_1) = (message(2, &[2], 30), message(1, &[1], 20));
    let as_exchange = Action::Exchange { send: to_1.clone(), recv: from_2.clone() };
    assert_eq!(
        busy(Exchange::Together),
        [as_exchange, Action::Send(to_2.clone()), Action::Recv(from_1.clone())]
    );
    let receives = [Action::Recv(from_2), Action::Recv(from_1)];
    let in_turn = [Action::Send(to_1.clone()), Action::Send(to_2.clone())];
    assert_eq!(busy(Exchange::InTurn), [&in_turn[..], &receives[..]].concat());
    let overlapped = [Action::Start(to_1), Action::Start(to_2)];
    assert_eq!(busy(Exchange::Overlapped), [&overlapped[..], &receives[..]].concat());
}

#[test]
fn data_is_forwarded_in_the_next_round() {
    let mut builder = Builder::new(3, &[0], &[10], Exchange::Together);
    builder.round([transfer(0, 1, &[0])]);
    builder.round([transfer(1, 2, &[0])]);
    builder.end_iteration();
    let growth = builder.growth().clone();
    let schedule = builder.finish();
    assert_eq!(schedule.iterations(), 1);
    assert_eq!((growth.active_after(0), growth.active_after(1)), (1, 3));
    let [recv, send] = schedule.steps(1) else { panic!("two steps") };
    assert_eq!((recv.iteration, send.iteration), (0, 0));
    assert_eq!(recv.action, Action::Recv(message(0, &[0], 10)));
    assert_eq!(send.action, Action::Send(message(2, &[0], 10)));
}

#[test]
fn contiguous_blocks_are_sent_unpacked() {
    for blocks in [&[0][..], &[1, 2], &[0, 1, 2, 3], &[3]] {
        let mut builder = Builder::new(2, &[0; 4], &[1, 2, 4, 8], Exchange::InTurn);
        builder.iteration([transfer(0, 1, blocks)]);
        let bytes = blocks.iter().map(|block| 1 << block).sum();
        assert_eq!(actions(builder, 0), [Action::Send(message(1, blocks, bytes))]);
    }
}

#[test]
fn noncontiguous_blocks_are_packed() {
    for blocks in [&[0, 2][..], &[1, 0], &[0, 1, 3], &[2, 3, 0]] {
        let mut builder = Builder::new(2, &[0; 4], &[1, 2, 4, 8], Exchange::InTurn);
        builder.iteration([transfer(0, 1, blocks)]);
        assert_eq!(builder.held(1), blocks, "in the order in which they lie in the message");
        let bytes = blocks.iter().map(|block| 1 << block).sum();
        assert_eq!(actions(builder, 0), [Action::Pack(bytes), Action::Send(message(1, blocks, bytes))]);
    }
}

#[test]
fn moved_blocks_are_held_only_by_the_receiver() {
    let mut builder = Builder::new(3, &[0, 0, 0], &[10, 20, 30], Exchange::Together);
    builder.move_blocks([transfer(0, 1, &[1])]);
    assert_eq!((builder.held(0), builder.held(1)), (&[0, 2][..], &[1][..]));
    // The remaining blocks are adjacent now.
    builder.move_blocks([transfer(0, 2, &[0, 2]), transfer(1, 0, &[1])]);
    assert_eq!(builder.held(0), [1], "what comes in the same iteration is kept");
    let growth = builder.growth().clone();
    let schedule = builder.finish();
    assert_eq!([0, 1, 2].map(|after| growth.longest_after(after)), [60, 40, 40]);
    assert_eq!([0, 1, 2].map(|after| growth.active_after(after)), [1, 2, 2]);
    assert_eq!(schedule.steps(0).len(), 2);
}

/// Tests two lines of different lengths: the shorter line finishes one iteration earlier.
#[test]
fn lines_are_halved_at_the_same_time() {
    let mut builder = Builder::new(5, &[0, 4], &[1, 1], Exchange::Together);
    builder.halve(&[vec![0, 1, 2], vec![3, 4]]);
    let growth = builder.growth().clone();
    let schedule = builder.finish();
    assert_eq!(schedule.iterations(), 2);
    assert_eq!([0, 1, 2].map(|after| growth.active_after(after)), [2, 4, 5]);
    assert!(schedule.steps(3).iter().all(|step| step.iteration == 0));
}

/// Tests three positions with a block each: the unpaired position sends after the pairs have exchanged, and the block that the last
/// position received from its pair is not sent with it.
#[test]
fn an_odd_line_has_an_additional_message() {
    let mut builder = Builder::new(3, &[0, 1, 2], &[1, 2, 4], Exchange::Together);
    builder.halve(&[vec![0, 1, 2]]);
    let exchange = |send, recv| Action::Exchange { send, recv };
    assert_eq!(builder.held(2), [2, 0, 1]);
    let schedule = builder.finish();
    let actions = |rank| schedule.steps(rank).iter().map(|step| &step.action).cloned().collect::<Vec<_>>();
    assert_eq!(
        actions(2),
        [exchange(message(0, &[2], 4), message(0, &[0], 1)), Action::Recv(message(1, &[1], 2))]
    );
    assert_eq!(
        actions(1),
        [Action::Send(message(2, &[1], 2)), exchange(message(0, &[1], 2), message(0, &[0, 2], 5))]
    );
}

#[test]
fn a_schedule_may_have_no_steps() {
    let builder = Builder::new(1, &[0], &[7], Exchange::Together);
    let growth = builder.growth().clone();
    let schedule = builder.finish();
    assert_eq!((schedule.nodes(), schedule.iterations(), schedule.messages().count()), (1, 0, 0));
    assert_eq!((growth.active_after(9), growth.longest_after(9)), (1, 7));
    assert!(schedule.steps(1).is_empty(), "nothing for a rank outside");
}

/// Returns the panic message of a builder of three nodes for the call `ask`.
fn refusal(ask: impl FnOnce(&mut Builder)) -> String {
    let mut builder = Builder::new(3, &[0, 1], &[1, 1], Exchange::Together);
    let panic = panic::catch_unwind(AssertUnwindSafe(|| ask(&mut builder))).expect_err("it is refused");
    panic.downcast::<String>().map_or_else(|_| "no text".to_owned(), |text| *text)
}

#[test]
fn invalid_arguments_are_refused_with_value_and_limits() {
    let new = |nodes: usize, origins: &'static [Rank], sizes: &'static [u64]| {
        refusal(move |_| drop(Builder::new(nodes, origins, sizes, Exchange::Together)))
    };
    assert_eq!(
        new(2, &[0], &[1, 2]),
        "1 origins and 2 sizes of blocks are given: each block has one of both"
    );
    assert_eq!(
        new(2, &[0, 2], &[1, 2]),
        "rank 2 is given as the origin of block 1: the machine has ranks 0 to 1"
    );
    assert_eq!(new(0, &[0], &[1]), "rank 0 is given as the origin of block 0: the machine has no ranks");
    assert_eq!(new(1, &[1], &[1]), "rank 1 is given as the origin of block 0: the machine has only rank 0");
    assert_eq!(
        refusal(|builder| drop(builder.held(3).to_vec())),
        "rank 3 is given to be looked at: the machine has ranks 0 to 2"
    );
    let rounds: [fn(&mut Builder, Transfer); 3] = [
        |builder, transfer| builder.round([transfer]),
        |builder, transfer| builder.iteration([transfer]),
        |builder, transfer| builder.move_blocks([transfer]),
    ];
    for round in rounds {
        for (bad, expected) in [
            (transfer(3, 0, &[0]), "rank 3 is given as a sender: the machine has ranks 0 to 2"),
            (transfer(0, 7, &[0]), "rank 7 is given as a receiver: the machine has ranks 0 to 2"),
            (transfer(0, 0, &[0]), "rank 0 is to send to itself: a transfer is between two ranks"),
            (transfer(0, 1, &[2]), "rank 0 is to send block 2: the schedule has blocks 0 to 1"),
            (
                transfer(0, 1, &[1]),
                "rank 0 is to send block 1, which it does not hold: before this round it holds [0]",
            ),
        ] {
            assert_eq!(refusal(|builder| round(builder, bad)), expected);
        }
    }
    assert_eq!(
        refusal(|builder| builder.round([transfer(0, 2, &[0]), transfer(2, 1, &[0])])),
        "rank 2 is to send block 0, which it does not hold: before this round it holds []",
        "what comes in the same round"
    );
    assert_eq!(
        refusal(|builder| builder.halve(&[vec![0, 1], vec![2, 3]])),
        "rank 3 is given on a line: the machine has ranks 0 to 2"
    );
    for lines in [vec![vec![0, 1, 0]], vec![vec![0, 1], vec![2, 0]]] {
        assert_eq!(
            refusal(|builder| builder.halve(&lines)),
            "rank 0 is on the lines twice: it may be on one of them, once"
        );
    }
}

#[test]
fn panics_point_at_the_caller() {
    let place = Arc::new(Mutex::new(None));
    let (seen, me) = (Arc::clone(&place), thread::current().id());
    let usual = Arc::new(panic::take_hook());
    let of_others = Arc::clone(&usual);
    panic::set_hook(Box::new(move |info| match thread::current().id() == me {
        true => *seen.lock().unwrap() = info.location().map(|at| (at.file().to_owned(), at.line())),
        false => of_others(info),
    }));
    let line = line!() + 1;
    let _ = refusal(|builder| builder.move_blocks([transfer(0, 0, &[0])]));
    panic::set_hook(Box::new(move |info| usual(info)));
    assert_eq!(place.lock().unwrap().take(), Some((file!().to_owned(), line)));
}

/// Tests random rounds of few and many transfers: the ends are sorted by rank, sends before receives, each in the given order.
#[test]
fn ends_are_sorted() {
    let mut numbers = crate::random::RandomNumbers::new(17);
    let mut room = Room::default();
    for transfers in 0..60 {
        room.ends.clear();
        for nth in 0..transfers {
            let (from, to) = (numbers.below(20), numbers.below(20));
            room.ends.extend([End::new(from, false, nth), End::new(to, true, nth)]);
        }
        let mut expected: Vec<(Rank, bool, usize)> =
            room.ends.iter().map(|end| (end.rank(), end.receives(), end.nth())).collect();
        expected.sort();
        room.sort(20);
        let found: Vec<_> = room.ends.iter().map(|end| (end.rank(), end.receives(), end.nth())).collect();
        assert_eq!(found, expected);
    }
}

/// Tests the incremental counts against the blocks that nodes hold.
#[test]
fn growth_counts_the_bytes_that_nodes_hold() {
    let mut builder = Builder::new(4, &[0, 0, 2], &[5, 6, 7], Exchange::Together);
    builder.iteration([transfer(0, 1, &[0]), transfer(2, 3, &[2])]);
    builder.move_blocks([transfer(0, 3, &[0, 1])]);
    builder.iteration([transfer(1, 0, &[0])]);
    let growth = builder.growth();
    let moments: Vec<_> =
        (0..=3).map(|after| (growth.active_after(after), growth.longest_after(after))).collect();
    assert_eq!(moments, [(2, 11), (4, 11), (3, 18), (4, 18)]);
}

/// Tests that the capacity of a finished schedule is at most twice its size.
#[test]
fn unused_capacity_is_released() {
    let mut builder = Builder::new(4, &[0], &[5], Exchange::Together);
    builder.iteration([transfer(0, 1, &[0])]);
    let steps = builder.finish().steps;
    assert_eq!(steps.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 0, 0]);
    assert!(steps.iter().all(|steps| steps.capacity() <= 2 * steps.len()));
}
