//! Active messages: what they can do, and when exactly.

mod disturbed;

use std::{
    cell::{Cell, RefCell},
    thread,
    time::{Duration, Instant},
};

use multicomputer::{
    Dilation, MachineBuilder, Payload,
    comm::{Active, ActiveMessage, Handling, Reactions},
    error::{Failure, RunError},
    model::{MachineSpec, Parameters},
    prelude::*,
};

use crate::support::{PATIENCE, disturbance::Disturbance, without_places};

const ADD: Tag = Tag(0);
const WAS: Tag = Tag(1);

/// Active messages take 1.6 us to send, 16 bytes at 8 MB/s, 0.2 us a link, and 1.7 us to receive.
fn cm5(nodes: usize) -> MachineBuilder {
    Machine::cm5(nodes).wall_limit(PATIENCE)
}

fn nanos(nanos: u64) -> Time {
    Time::ZERO + Span::from_nanos(nanos)
}

/// Handles nothing.
fn ignore(_: &mut Reactions, _: ActiveMessage) {}

#[test]
fn a_counter_is_fetched_and_added_to_by_everybody() {
    for size in [1, 2, 5, 16] {
        let run = cm5(16).build().unwrap().run(|node| {
            let group = node.world().split_by(|rank| rank < size)?;
            if node.rank() >= size {
                return Ok((0, Vec::new()));
            }
            // Each adds its rank + 1 to the counter of each, three times, and asks nothing else of anybody.
            let (counter, adds, got) = (Cell::new(0), Cell::new(0), RefCell::new(Vec::new()));
            let active = Active::new(&group, Handling::Polled, |reactions, message| match message.tag {
                ADD => {
                    let was = counter.replace(counter.get() + message.words[0]);
                    adds.set(adds.get() + 1);
                    reactions.send((message.source, WAS), [was, message.words[1]]);
                }
                _ => got.borrow_mut().push((message.source, message.words[0])),
            })?;
            for round in 0..3 {
                for to in 0..size {
                    active.send((to, ADD), [group.rank() as u64 + 1, round])?;
                }
            }
            // No barrier: a node is done when all have added to its counter and all have answered.
            active.wait_while(|| adds.get() < 3 * size || got.borrow().len() < 3 * size)?;
            drop(active);
            Ok((counter.get(), got.into_inner()))
        });
        let run = run.unwrap();
        let sum = 3 * (size * (size + 1) / 2) as u64;
        for target in 0..size {
            assert_eq!(run.outputs[target].0, sum);
            // Every adder was told another value, and together they are the partial sums.
            let mut told: Vec<(u64, u64)> = (0..size)
                .flat_map(|adder| {
                    let add = adder as u64 + 1;
                    let of_target = run.outputs[adder].1.iter().filter(move |(from, _)| *from == target);
                    of_target.map(move |&(_, was)| (was, was + add))
                })
                .collect();
            told.sort_unstable();
            assert_eq!(told.len(), 3 * size);
            assert!(told[0].0 == 0 && told.windows(2).all(|pair| pair[0].1 == pair[1].0), "{told:?}");
        }
        assert!(run.report.unreceived.is_empty());
    }
}

#[test]
fn who_tests_and_sets_a_lock_is_alone() {
    let run = cm5(8).build().unwrap().run(|node| {
        const TRY: Tag = Tag(0);
        const FREE: Tag = Tag(1);
        let (held, answer) = (Cell::new(false), Cell::new(None));
        let released = Cell::new(0);
        let active = Active::new(node.world(), Handling::Polled, |reactions, message| match message.tag {
            TRY => reactions.send((message.source, Tag(2)), [u64::from(!held.replace(true)), 0]),
            FREE => {
                held.set(false);
                released.set(released.get() + 1);
            }
            _ => answer.set(Some(message.words[0] == 1)),
        })?;
        if node.rank() == 0 {
            active.wait_while(|| released.get() < 7)?;
            return Ok((Time::ZERO, Time::ZERO));
        }
        loop {
            active.send((0, TRY), [0; 2])?;
            active.wait_while(|| answer.get().is_none())?;
            if answer.take() == Some(true) {
                break;
            }
        }
        let begin = node.now()?;
        active.compute(Span::from_micros(100))?;
        let end = node.now()?;
        active.send((0, FREE), [0; 2])?;
        Ok((begin, end))
    });
    let mut inside = run.unwrap().outputs;
    inside.sort_unstable();
    assert!(inside.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{inside:?}");
}

/// Node 0 asks `to` something at time 0, which is handled and answered; how the others pass their time is given. When
/// the question and the answer were handled, and when the two finished.
fn question(
    machine: MachineBuilder,
    to: Rank,
    handling: Handling,
    busy: impl Fn(&Node<'_>, &dyn Fn(Span) -> Result<(), CommError>) -> Result<(), Failure> + Sync,
) -> [Time; 4] {
    let run = machine.build().unwrap().run(|node| {
        let handled = Cell::new(Time::ZERO);
        let active = Active::new(node.world(), handling, |reactions, message| {
            handled.set(reactions.now());
            if message.tag == ADD {
                reactions.send((message.source, WAS), [0; 2]);
            }
        })?;
        if node.rank() == 0 {
            active.send((to, ADD), [1, 2])?;
        } else if node.rank() == to {
            busy(node, &|span| active.compute(span))?;
        }
        if node.rank() == 0 || node.rank() == to {
            active.wait_while(|| handled.get() == Time::ZERO)?;
        }
        Ok(handled.get())
    });
    let run = run.unwrap();
    let finished = |rank: Rank| run.report.nodes[rank].finished;
    [run.outputs[to], run.outputs[0], finished(to), finished(0)]
}

#[test]
fn a_question_and_its_answer_take_two_overheads_each_and_the_way() {
    // 1.6 + 16 * 0.125 + 0.2 for each link + 1.7 us: two links in a cluster of four, six across the root of 32.
    for (to, one_way) in [(1, 5_700), (4, 6_100), (31, 6_500)] {
        let [asked, answered, ..] = question(cm5(32), to, Handling::Polled, |_, _| Ok(()));
        assert_eq!((asked, answered), (nanos(one_way), nanos(2 * one_way)));
        let machine: MachineSpec = "fat-tree:32".parse().unwrap();
        let mut route = Vec::new();
        machine.topology().route(0, to, &mut route);
        let described = cm5(32).build().unwrap();
        assert_eq!(described.spec().parameters().active_trip(route.len()), Span::from_nanos(one_way));
    }
    // Without overheads of their own they cost what other messages do: 65 + 16 * 0.0114 + 65 us.
    let machine = Machine::hockney(1, 2);
    let [asked, answered, ..] = question(machine, 1, Handling::Polled, |_, _| Ok(()));
    let way = Machine::hockney(1, 2).build().unwrap().spec().parameters().active_trip(1);
    assert_eq!((asked, answered), (Time::ZERO + way, Time::ZERO + way + way));
}

#[test]
fn a_node_that_computes_polls_afterwards_or_is_interrupted() {
    let us = Span::from_micros;
    // The question is there at 4 us.
    let computing = |_: &Node<'_>, compute: &dyn Fn(Span) -> Result<(), CommError>| Ok(compute(us(100))?);
    let times = question(cm5(4), 1, Handling::Polled, computing);
    assert_eq!(times, [101_700, 107_400, 103_300, 107_400].map(nanos));
    let times = question(cm5(4), 1, Handling::AtOnce, computing);
    assert_eq!(times, [5_700, 11_400, 103_300, 11_400].map(nanos));
    // What it computes past its active messages is not interrupted.
    let past = |node: &Node<'_>, _: &dyn Fn(Span) -> Result<(), CommError>| Ok(node.compute(us(100))?);
    let times = question(cm5(4), 1, Handling::AtOnce, past);
    assert_eq!(times, [101_700, 107_400, 103_300, 107_400].map(nanos));
    // At the very end of the computing it still counts as an interrupt, at the begin as a poll.
    for computed in [4_000, 0] {
        let computing = |_: &Node<'_>, compute: &dyn Fn(Span) -> Result<(), CommError>| {
            Ok(compute(Span::from_nanos(computed))?)
        };
        let times = question(cm5(4), 1, Handling::AtOnce, computing);
        assert_eq!(times, [5_700, 11_400, 7_300, 11_400].map(nanos));
    }
}

#[test]
fn computing_that_is_interrupted_counts_as_computing() {
    for handling in [Handling::Polled, Handling::AtOnce] {
        let run = cm5(4).trace(true).build().unwrap().run(|node| {
            let active = Active::new(node.world(), handling, |reactions, _| {
                reactions.compute(Span::from_micros(3));
            })?;
            if node.rank() == 0 {
                return Ok(active.compute(Span::from_micros(100))?);
            }
            node.compute(Span::from_micros(10 * node.rank() as u64))?;
            active.send(0, [0; 2])?;
            Ok(())
        });
        let run = run.unwrap();
        let record = &run.report.nodes[0];
        // At once: 100 us, and three times 1.7 us and the handler's 3 us. Else three messages are never handled.
        let interrupts = if handling == Handling::AtOnce { 3 } else { 0 };
        assert_eq!(record.computing, Span::from_micros(100 + 3 * interrupts));
        assert_eq!(record.overhead, Span::from_nanos(1_700 * interrupts));
        assert_eq!(record.waiting, Span::ZERO);
        assert_eq!(record.finished, nanos(100_000 + 4_700 * interrupts));
        assert_eq!(record.messages_received, interrupts);
        assert_eq!(run.report.unreceived.len() as u64, 3 - interrupts);
        assert!(run.report.unreceived.iter().all(|message| (message.to, message.bytes) == (0, 16)));
    }
}

#[test]
fn of_those_that_arrive_at_one_instant_the_lower_rank_is_handled_first() {
    let run = cm5(4).build().unwrap().run(|node| {
        let seen = RefCell::new(Vec::new());
        let active = Active::new(node.world(), Handling::Polled, |reactions, message| {
            seen.borrow_mut().push((reactions.now(), message.source, message.words[0]));
        })?;
        if node.rank() > 0 {
            // The later ones are further from node 0 in the order of the threads, not in time.
            thread::sleep(Duration::from_millis(10 * (4 - node.rank() as u64)));
            active.send(0, [7, 0])?;
            active.send(0, [8, 0])?;
            return Ok(Vec::new());
        }
        active.wait_while(|| seen.borrow().len() < 6)?;
        drop(active);
        Ok(seen.into_inner())
    });
    // They arrive at 4 us and at 5.6 us.
    let order = [(1, 7), (2, 7), (3, 7), (1, 8), (2, 8), (3, 8)];
    let expected: Vec<_> =
        (1..).zip(order).map(|(nth, (rank, word))| (nanos(4_000 + 1_700 * nth), rank, word)).collect();
    assert_eq!(run.unwrap().outputs[0], expected);
}

#[test]
fn packets_wait_for_no_port_and_share_no_link() {
    let run = cm5(4).build().unwrap().run(|node| {
        let handled = Cell::new(Time::ZERO);
        let active =
            Active::new(node.world(), Handling::Polled, |reactions, _| handled.set(reactions.now()))?;
        match node.rank() {
            // 44 us of overhead, in which nothing is handled, 125 us of bytes, in which something is.
            0 => {
                active.send_data(1, Payload::phantom(1000))?;
                assert_eq!((node.now()?, handled.get()), (nanos(169_000), nanos(45_700)));
            }
            1 => {
                assert_eq!(active.recv_data(0)?.len(), 1000);
                assert_eq!((node.now()?, handled.get()), (nanos(169_400 + 44_000), nanos(5_700)));
            }
            // While its bytes move, out of the same port and over the same links.
            2 => {
                active.send(0, [0; 2])?;
                let request = node.world().isend(3, Payload::phantom(1000))?;
                active.send(3, [0; 2])?;
                assert_eq!(node.now()?, nanos(1_600 + 44_000 + 1_600));
                request.wait()?;
                assert_eq!(node.now()?, nanos(1_600 + 44_000 + 125_000));
            }
            _ => {
                active.send(1, [0; 2])?;
                active.recv_data(2)?;
                assert_eq!(handled.get(), nanos(45_600 + 4_000 + 1_700));
                assert_eq!(node.now()?, nanos(45_600 + 125_400 + 44_000));
            }
        }
        Ok(())
    });
    run.unwrap();
}

#[test]
fn what_arrives_at_a_deadline_is_in_time() {
    for (deadline, in_time) in [(4_000, true), (3_999, false)] {
        let run = cm5(4).build().unwrap().run(|node| {
            let handled = Cell::new(false);
            let active = Active::new(node.world(), Handling::Polled, |_, _| handled.set(true))?;
            if node.rank() == 1 {
                active.send(0, [0; 2])?;
            } else if node.rank() == 0 {
                active.sleep_until(nanos(deadline), || !handled.get())?;
                assert_eq!(handled.get(), in_time);
                assert_eq!(node.now()?, nanos(if in_time { 5_700 } else { deadline }));
                // One that has passed takes no time, and one that has come is handled.
                active.sleep_until(nanos(1), || true)?;
                assert_eq!(node.now()?, nanos(if in_time { 5_700 } else { deadline }));
                active.wait_while(|| !handled.get())?;
                assert_eq!(node.now()?, nanos(5_700));
            }
            Ok(())
        });
        run.unwrap();
    }
}

#[test]
fn a_wait_for_any_request_may_have_a_deadline() {
    let run = cm5(4).build().unwrap().run(|node| {
        let world = node.world();
        if node.rank() == 1 {
            world.send((0, Tag(5)), Payload::phantom(8))?;
        } else if node.rank() == 0 {
            let mut requests = [Some(world.irecv(2)?), Some(world.irecv(1)?)];
            assert!(Request::wait_any_until(&mut requests, nanos(45_399))?.is_none());
            assert!(requests.iter().all(Option::is_some));
            assert_eq!(node.now()?, nanos(45_399));
            // 44 us, 8 bytes and two links: there at 45.4 us.
            let (index, message) = Request::wait_any_until(&mut requests, nanos(45_400))?.unwrap();
            assert_eq!((index, message.tag), (1, Tag(5)));
            assert!(requests[0].is_some() && requests[1].is_none());
            assert_eq!(node.now()?, nanos(89_400));
            assert!(Request::wait_any_until(&mut requests, Time::ZERO)?.is_none());
            assert_eq!(node.now()?, nanos(89_400));
            let none = RecvRequest::wait_any_until(&mut [None], Time::ZERO);
            assert_eq!(none.unwrap_err(), CommError::NothingToWaitFor);
        }
        Ok(())
    });
    assert!(run.unwrap().report.unreceived.is_empty());
}

#[test]
fn messages_wait_for_who_handles_them_and_nothing_is_left_posted() {
    let run = cm5(4).build().unwrap().run(|node| {
        let world = node.world();
        let sum = Cell::new(0);
        let add = |_: &mut Reactions, message: ActiveMessage| sum.set(sum.get() + message.words[0]);
        match node.rank() {
            1 => {
                let active = Active::new(world, Handling::Polled, ignore)?;
                for word in [1, 10, 100] {
                    active.send(0, [word, 0])?;
                    active.compute(Span::from_micros(50))?;
                }
                active.send_data(0, [5_u64])?;
            }
            0 => {
                // One is handled; the second comes to the receive that is posted, and both others wait.
                let active = Active::new(world, Handling::Polled, add)?;
                active.wait_while(|| sum.get() == 0)?;
                node.compute(Span::from_micros(70))?;
                drop(active);
                assert_eq!(sum.get(), 1);
                // Messages that are not active are received past them, and by threads that run ahead again.
                assert_eq!(world.recv(1)?.to_vec::<u64>()?, [5]);
                let active = Active::new(world, Handling::Polled, add)?;
                active.poll()?;
                assert_eq!(sum.get(), 111);
                drop(active);
                drop(Active::new(world, Handling::Polled, ignore)?);
                // From any source, by the kernel; nobody takes what is not its own.
                assert_eq!(world.recv(ANY_SOURCE)?.source, 2);
            }
            2 => world.send(0, [6_u64])?,
            _ => {}
        }
        Ok(sum.get())
    });
    let run = run.unwrap();
    assert_eq!(run.outputs[0], 111);
    assert!(run.report.unreceived.is_empty());
}

#[test]
fn groups_have_active_messages_of_their_own() {
    let run = Machine::hockney(2, 3).build().unwrap().run(|node| {
        let (row, column) = (node.row()?, node.column()?);
        let (in_row, in_column) = (Cell::new(0), Cell::new(0));
        let rows = Active::new(row, Handling::Polled, |_, message| {
            in_row.set(in_row.get() + message.words[0]);
        })?;
        let columns = Active::new(column, Handling::Polled, |_, message| {
            in_column.set(in_column.get() + message.words[1]);
        })?;
        for to in 0..row.size() {
            rows.send(to, [node.rank() as u64, 0])?;
        }
        for to in 0..column.size() {
            columns.send(to, [0, node.rank() as u64])?;
        }
        let [across, down] = [row, column]
            .map(|group| (0..group.size()).map(|rank| group.world_rank(rank).unwrap() as u64).sum::<u64>());
        rows.wait_while(|| in_row.get() < across)?;
        columns.wait_while(|| in_column.get() < down)?;
        Ok((in_row.get(), in_column.get()))
    });
    assert_eq!(run.unwrap().outputs, [(3, 3), (3, 5), (3, 7), (12, 3), (12, 5), (12, 7)]);
}

#[test]
fn errors_say_what_is_wrong() {
    // A rank that is not there, from the program and from a handler.
    let run = cm5(4).build().unwrap().run(|node| {
        let active = Active::new(node.world(), Handling::Polled, |reactions, _| reactions.send(9, [0; 2]))?;
        let no_such_rank = CommError::NoSuchRank { given: 4, size: 4, group: "the world".into() };
        assert_eq!(active.send(4, [0; 2]).unwrap_err(), no_such_rank);
        let again = Active::new(node.world(), Handling::Polled, ignore).unwrap_err();
        assert_eq!(
            again.to_string(),
            "the world already has a handler of active messages: drop it before you make another one"
        );
        if node.rank() == 1 {
            active.send(1, [0; 2])?;
            active.poll()?;
        }
        Ok(())
    });
    let Err(RunError::Node { rank: 1, source, .. }) = run else { panic!("{run:?}") };
    assert_eq!(source.to_string(), "rank 9 is not in the world: its ranks are 0 to 3");
    // A handler that panics.
    let run = cm5(4).build().unwrap().run(|node| {
        let active = Active::new(node.world(), Handling::AtOnce, |_, message| {
            assert!(message.source != 2, "a message from node 2");
        })?;
        if node.rank() == 2 {
            active.send(3, [0; 2])?;
        }
        active.compute(Span::from_micros(100))?;
        active.wait_while(|| true)?;
        Ok(())
    });
    let Err(RunError::Panicked { rank: 3, message }) = run else { panic!("{run:?}") };
    assert!(message.contains("a message from node 2"));
    // A program that only polls.
    let run = cm5(4).build().unwrap().run(|node| {
        let active = Active::new(node.world(), Handling::Polled, ignore)?;
        while node.rank() == 0 {
            active.poll()?;
        }
        Ok(())
    });
    let Err(RunError::Node { rank: 0, source, .. }) = run else { panic!("{run:?}") };
    assert!(source.to_string().starts_with("endless polling at 0"), "{source}");
    // Nobody sends.
    let run = cm5(4).build().unwrap().run(|node| {
        let active = Active::new(node.world(), Handling::Polled, ignore)?;
        match node.rank() {
            0 => active.wait_while(|| true)?,
            1 => drop(active.recv_data((2, Tag(3)))?),
            _ => {}
        }
        Ok(())
    });
    assert_eq!(
        without_places(run.unwrap_err()),
        "deadlock: 2 nodes are blocked, 2 returned\n  \
         node 0 has waited since 0 s for a message from any node in active messages in the world\n  \
         node 1 has waited since 0 s for a message from node 2 with tag 3 in the world or a message from any node in \
         active messages in the world"
    );
}

#[test]
fn sending_for_nothing_is_not_taken_for_endless_polling() {
    // More than the polls in vain that are allowed, each before a send.
    let free = Parameters::builder().build().unwrap();
    let run = Machine::mesh(1, 2).parameters(free).build().unwrap().run(|node| {
        let count = Cell::new(0);
        let active = Active::new(node.world(), Handling::Polled, |_, _| count.set(count.get() + 1))?;
        if node.rank() == 0 {
            for _ in 0..120_000 {
                active.send(1, [0; 2])?;
            }
            return Ok(());
        }
        Ok(active.wait_while(|| count.get() < 120_000)?)
    });
    assert_eq!(run.unwrap().report.makespan, Time::ZERO);
}
