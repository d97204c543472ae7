//! Non-blocking sends and receives, waiting for one, all or any of them, looking before receiving, deadlines, and
//! what a receive costs that overlapped a send.

#![allow(clippy::unit_arg, reason = "programs that end with a call")]

mod anybody;
mod overlap;
mod polling;

use std::time::Duration;

use multicomputer::{
    Dilation, Payload, Run,
    comm::AnyRequest,
    error::{Failure, RunError},
    model::{Parameters, ParametersBuilder},
    prelude::*,
};

use crate::support::{self, PATIENCE};

/// o_s = 10 us, o_r = 20 us, L = 5 us, beta = 10 ns/byte: 1000 bytes sent at 0 leave at 20, arrive at 25.
fn parameters() -> ParametersBuilder {
    Parameters::builder().send_overhead(10e-6).receive_overhead(20e-6).latency(5e-6).beta(10e-9)
}

fn run_with<T: Send>(
    parameters: ParametersBuilder,
    nodes: usize,
    program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
) -> Run<T> {
    let machine = Machine::mesh(1, nodes).parameters(parameters.build().unwrap());
    support::run(&machine.wall_limit(PATIENCE).build().unwrap(), program)
}

fn run<T: Send>(nodes: usize, program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync) -> Run<T> {
    run_with(parameters(), nodes, program)
}

fn micros(node: &Node<'_>) -> Result<f64, CommError> {
    Ok(node.now()?.as_micros_f64())
}

fn at(micros: u64) -> Time {
    Time::ZERO + Span::from_micros(micros)
}

fn kilobyte() -> Payload {
    Payload::phantom(1000)
}

#[test]
fn an_isend_returns_after_its_overhead_and_completes_when_the_message_has_left() {
    // Three messages of 1000 bytes: the CPU takes 10 each, the out-port lets one after the other go: 20, 30, 40.
    let run = run(2, |node| {
        let world = node.world();
        if node.rank() == 1 {
            return (0..3)
                .map(|_| world.recv(0).map(drop).and_then(|()| micros(node)).map_err(Into::into))
                .collect();
        }
        let mut times = Vec::new();
        let mut sends = Vec::new();
        for _ in 0..3 {
            sends.push(world.isend(1, kilobyte())?);
            times.push(micros(node)?);
        }
        for send in sends {
            send.wait()?;
            times.push(micros(node)?);
        }
        Ok(times)
    });
    assert_eq!(run.outputs[0], [10.0, 20.0, 30.0, 30.0, 30.0, 40.0]);
    // Arrivals at 25, 35, 45; each receive costs 20 after the one before.
    assert_eq!(run.outputs[1], [45.0, 65.0, 85.0]);
}

#[test]
fn an_irecv_costs_nothing_until_it_is_waited_for() {
    let run = run(2, |node| {
        let world = node.world();
        if node.rank() == 0 {
            world.send(1, kilobyte())?;
            return Ok(Vec::new());
        }
        let receive = world.irecv(0)?;
        let posted = micros(node)?;
        node.compute(Span::from_micros(100))?;
        // There since 25: the wait costs o_r alone.
        assert_eq!(receive.wait()?.len(), 1000);
        Ok(vec![posted, micros(node)?])
    });
    assert_eq!(run.outputs[1], [0.0, 120.0]);
}

#[test]
fn wait_all_gives_the_messages_in_the_order_of_the_requests() {
    let run = run(4, |node| {
        let world = node.world();
        if node.rank() > 0 {
            // The higher the rank, the earlier.
            node.compute(Span::from_micros(100 * (4 - node.rank() as u64)))?;
            world.send(0, [node.rank() as u8])?;
            return Ok(Vec::new());
        }
        let mut requests = vec![AnyRequest::from(world.isend(1, Payload::empty())?)];
        for source in [1, 3, 2] {
            requests.push(world.irecv(source)?.into());
        }
        let got = Request::wait_all(requests)?;
        assert!(got[0].is_none());
        Ok(got.into_iter().flatten().map(|message| message.source).collect())
    });
    assert_eq!(run.outputs[0], [1, 3, 2]);
}

#[test]
fn wait_any_takes_the_first_in_modeled_time() {
    // Messages arrive at 315.01 from 1, 215.01 from 2 and 115.01 from 3; the thread of node 3 is the slowest.
    let run = run(4, |node| {
        let world = node.world();
        if node.rank() > 0 {
            std::thread::sleep(Duration::from_millis(3 * node.rank() as u64));
            node.compute(Span::from_micros(100 * (4 - node.rank() as u64)))?;
            world.send(0, [node.rank() as u8])?;
            return Ok(Vec::new());
        }
        let mut posted = [1, 2, 3].map(|source| world.irecv(source).ok());
        let mut order = Vec::new();
        while posted.iter().any(Option::is_some) {
            let (index, message) = Request::wait_any(&mut posted)?;
            order.push((index, message.source, micros(node)?));
        }
        Ok(order)
    });
    assert_eq!(run.outputs[0], [(2, 3, 135.01), (1, 2, 235.01), (0, 1, 335.01)]);
}

#[test]
fn wait_any_of_several_complete_ones_takes_the_earlier_and_of_equals_the_first_in_the_list() {
    let run = run(4, |node| {
        let world = node.world();
        if node.rank() > 0 {
            // 3 arrives at 15, 1 and 2 arrive at 65.
            node.compute(Span::from_micros(if node.rank() == 3 { 0 } else { 50 }))?;
            world.send(0, Payload::empty())?;
            return Ok(Vec::new());
        }
        let mut posted = [2, 1, 3].map(|source| world.irecv(source).ok());
        node.compute(Span::from_millis(1))?;
        let mut order = Vec::new();
        while posted.iter().any(Option::is_some) {
            order.push(Request::wait_any(&mut posted)?.1.source);
        }
        Ok(order)
    });
    assert_eq!(run.outputs[0], [3, 2, 1]);
}

#[test]
fn wait_any_of_equals_that_come_while_it_waits_takes_the_first_in_the_list() {
    let run = run(3, |node| {
        let world = node.world();
        if node.rank() > 0 {
            world.send(0, Payload::empty())?;
            return Ok(0);
        }
        let mut posted = [Some(world.irecv(2)?), Some(world.irecv(1)?)];
        Ok(Request::wait_any(&mut posted)?.1.source)
    });
    assert_eq!(run.outputs[0], 2);
}

#[test]
fn wait_any_needs_a_request() {
    let run = run(1, |_| Ok([&mut [][..], &mut [None]].map(|none| RecvRequest::wait_any(none).unwrap_err())));
    assert_eq!(run.outputs, [[CommError::NothingToWaitFor, CommError::NothingToWaitFor]]);
}

#[test]
fn a_test_sees_a_request_complete_at_the_very_instant_and_not_before() {
    // The message arrives at 25.
    for (looked_at, there) in [(24, false), (25, true), (26, true)] {
        let run = run(2, |node| {
            let world = node.world();
            if node.rank() == 0 {
                world.send(1, kilobyte())?;
                return Ok((false, 0.0));
            }
            let receive = world.irecv(0)?;
            node.compute(Span::from_micros(looked_at))?;
            match receive.test()? {
                Tested::Complete(message) => {
                    assert_eq!(message.len(), 1000);
                    Ok((true, micros(node)?))
                }
                Tested::Pending(receive) => {
                    // Looking cost nothing.
                    let now = micros(node)?;
                    receive.wait()?;
                    Ok((false, now))
                }
            }
        });
        let clock = if there { looked_at as f64 + 20.0 } else { looked_at as f64 };
        assert_eq!(run.outputs[1], (there, clock), "looked at {looked_at}");
    }
}

#[test]
fn a_test_of_a_send_tells_when_the_message_has_left() {
    let run = run(2, |node| {
        let world = node.world();
        if node.rank() == 1 {
            world.recv(0)?;
            return Ok(Vec::new());
        }
        // Its CPU part ends at 10, it leaves at 20.
        let mut send = world.isend(1, kilobyte())?;
        let mut seen = Vec::new();
        loop {
            match send.test()? {
                Tested::Complete(()) => {
                    seen.push(micros(node)?);
                    return Ok(seen);
                }
                Tested::Pending(pending) => send = pending,
            }
            seen.push(micros(node)?);
            node.compute(Span::from_micros(4))?;
        }
    });
    assert_eq!(run.outputs[0], [10.0, 14.0, 18.0, 22.0]);
}

#[test]
fn a_probe_waits_and_tells_without_receiving() {
    let run = run(2, |node| {
        let world = node.world();
        if node.rank() == 0 {
            world.send((1, Tag(8)), kilobyte())?;
            return Ok(Vec::new());
        }
        assert_eq!(world.try_probe(ANY_SOURCE)?, None);
        let status = world.probe(ANY_SOURCE)?;
        assert_eq!((status.source, status.tag, status.bytes), (0, Tag(8), 1000));
        let first = micros(node)?;
        // Again at once, since it is still there; not under another tag.
        assert_eq!(world.probe((0, Tag(8)))?, status);
        assert_eq!(world.try_probe(0)?, Some(status));
        assert_eq!(world.try_probe((0, Tag(9)))?, None);
        let looked = micros(node)?;
        assert_eq!(world.recv((0, Tag(8)))?.status(), status);
        assert_eq!(world.try_probe(ANY_SOURCE)?, None);
        Ok(vec![first, looked, micros(node)?])
    });
    assert_eq!(run.outputs[1], [25.0, 25.0, 45.0]);
}

#[test]
fn a_try_probe_sees_what_has_arrived_by_the_nodes_clock() {
    for (looked_at, there) in [(24, false), (25, true)] {
        let run = run(2, |node| {
            let world = node.world();
            if node.rank() == 0 {
                world.send(1, kilobyte())?;
                return Ok(false);
            }
            node.compute(Span::from_micros(looked_at))?;
            let seen = world.try_probe(0)?.is_some();
            assert_eq!(micros(node)?, looked_at as f64);
            world.recv(0)?;
            Ok(seen)
        });
        assert_eq!(run.outputs[1], there, "looked at {looked_at}");
    }
}

/// Node 0 sends 1000 bytes, there at 25; node 1 computes until `called`, then receives until `deadline`.
fn receive_until(called: u64, deadline: u64, select: Select) -> (bool, f64) {
    let run = run(2, move |node| {
        let world = node.world();
        if node.rank() == 0 {
            world.send(1, kilobyte())?;
            return Ok((false, 0.0));
        }
        node.compute(Span::from_micros(called))?;
        let got = world.recv_until(select, at(deadline));
        let now = micros(node)?;
        match got {
            Ok(message) => {
                assert_eq!(message.len(), 1000);
                return Ok((true, now));
            }
            Err(CommError::DeadlinePassed { deadline: passed, .. }) => assert_eq!(passed, at(deadline)),
            Err(error) => return Err(error.into()),
        }
        // It is not lost.
        world.recv(0)?;
        Ok((false, now))
    });
    assert!(run.report.unreceived.is_empty());
    run.outputs[1]
}

#[test]
fn a_deadline_lets_pass_what_comes_by_it() {
    for select in [Select::from(0), Select::from(ANY_SOURCE), Select::from((0, Tag(0)))] {
        // In time, exactly in time, too late by a microsecond.
        assert_eq!(receive_until(0, 1000, select), (true, 45.0));
        assert_eq!(receive_until(0, 25, select), (true, 45.0));
        assert_eq!(receive_until(0, 24, select), (false, 24.0));
    }
}

#[test]
fn a_deadline_in_the_past_takes_what_is_there_and_fails_at_once_otherwise() {
    for select in [Select::from(0), Select::from(ANY_SOURCE)] {
        assert_eq!(receive_until(100, 50, select), (true, 120.0));
        assert_eq!(receive_until(25, 0, select), (true, 45.0));
        assert_eq!(receive_until(24, 10, select), (false, 24.0));
        assert_eq!(receive_until(24, 24, select), (false, 24.0));
    }
}

#[test]
fn a_deadline_error_says_what_was_wanted_and_until_when() {
    let run = run(2, |node| {
        if node.rank() == 0 {
            return Ok(String::new());
        }
        Ok(node.world().recv_until((0, Tag(3)), at(1500)).unwrap_err().to_string())
    });
    assert_eq!(run.outputs[1], "no message from rank 0 with tag 3 arrived by 1.5 ms");
}

#[test]
fn many_deadlines_one_after_the_other_do_not_disturb_each_other() {
    let run = run(2, |node| {
        let world = node.world();
        if node.rank() == 0 {
            node.compute(Span::from_micros(95))?;
            world.send(1, kilobyte())?;
            return Ok(Vec::new());
        }
        let mut passed = Vec::new();
        let mut deadline = 10;
        while world.recv_until(ANY_SOURCE, at(deadline)).is_err() {
            passed.push(micros(node)?);
            deadline += 25;
        }
        passed.push(micros(node)?);
        Ok(passed)
    });
    // There at 95 + 25 = 120.
    assert_eq!(run.outputs[1], [10.0, 35.0, 60.0, 85.0, 110.0, 140.0]);
}

#[test]
fn dropped_requests_do_no_harm() {
    // A dropped send goes on; a dropped receive keeps its place and takes the first message, which is reported.
    let run = run(2, |node| {
        let world = node.world();
        if node.rank() == 0 {
            drop(world.isend((1, Tag(1)), kilobyte())?);
            drop(world.isend((1, Tag(2)), kilobyte())?);
            return Ok(None);
        }
        drop(world.irecv(0)?);
        Ok(Some(world.recv(0)?.tag))
    });
    assert_eq!(run.outputs[1], Some(Tag(2)));
    let [lost] = &run.report.unreceived[..] else { panic!("{:?}", run.report.unreceived) };
    assert_eq!((lost.from, lost.to, lost.tag, lost.bytes), (0, 1, Tag(1), 1000));
    let unwaited = run.report.unwaited.iter().map(|send| (send.from, send.to, send.tag, send.bytes));
    assert_eq!(unwaited.collect::<Vec<_>>(), [(0, 1, Tag(1), 1000), (0, 1, Tag(2), 1000)]);
}

#[test]
fn a_dropped_receive_from_anybody_takes_the_first_message_and_the_others_go_on() {
    let run = run(3, |node| {
        let world = node.world();
        if node.rank() > 0 {
            node.compute(Span::from_micros(10 * node.rank() as u64))?;
            world.send(0, Payload::empty())?;
            world.send(0, Payload::empty())?;
            return Ok(Vec::new());
        }
        drop(world.irecv(ANY_SOURCE)?);
        let posted = world.irecv(2)?;
        let mut got = vec![world.recv(2)?.source, world.recv(1)?.source];
        got.push(posted.wait()?.source);
        Ok(got)
    });
    assert_eq!(run.outputs[0], [2, 1, 2]);
    assert_eq!(run.report.unreceived.len(), 1);
    assert_eq!(run.report.unreceived[0].from, 1);
}

#[test]
fn requests_dropped_in_any_order_leave_the_others_alone() {
    let run = run(2, |node| {
        let world = node.world();
        if node.rank() == 0 {
            for i in 0..6_u8 {
                world.send(1, [i])?;
            }
            return Ok(Vec::new());
        }
        let mut posted: Vec<_> = (0..6).map(|_| world.irecv(0)).collect::<Result<_, _>>()?;
        node.compute(Span::from_millis(1))?;
        drop(posted.remove(4));
        drop(posted.remove(0));
        let got = Request::wait_all(posted)?;
        Ok(got.into_iter().flat_map(|message| message.to_vec::<u8>().unwrap()).collect())
    });
    assert_eq!(run.outputs[1], [1, 2, 3, 5]);
    assert_eq!(run.report.unreceived.len(), 2);
}
