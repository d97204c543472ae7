//! Those of rendezvous.

use multicomputer::{Clock, Dilation};

use super::*;

/// When each node of a machine like the others finishes if sends of `from_bytes` or more wait for their receive; the same
/// in virtual and in real time.
fn met_times(
    shape: (usize, usize),
    from_bytes: u64,
    change: impl Fn(ParametersBuilder) -> ParametersBuilder,
    program: impl Fn(&Node<'_>) -> Result<(), Failure> + Sync,
) -> Vec<Time> {
    let [virtually, paced] =
        [Clock::Virtual, Clock::RealTime { dilation: Dilation::Fixed(1.0) }].map(|clock| {
            let machine = machine(shape, &change).rendezvous(from_bytes).clock(clock).build().unwrap();
            let run = machine.run(&program).unwrap();
            run.report.nodes.iter().map(|node| node.finished).collect::<Vec<Time>>()
        });
    assert_eq!(virtually, paced);
    virtually
}

/// Node 0 sends node 1 a message, which asks for it after 300 us.
fn a_late_receive(node: &Node<'_>) -> Result<(), Failure> {
    match node.rank() {
        0 => node.world().send(1, bytes(1000))?,
        1 => {
            node.compute(Span::from_micros(300))?;
            node.world().recv(0)?;
        }
        _ => {}
    }
    Ok(())
}

#[test]
fn case_16_a_send_that_waits_for_its_receive() {
    // The message has arrived at 115. It meets its receive at 300, which ends 65 later.
    let late = some([300.0, 365.0, 0.0, 0.0]);
    assert_times(&met_times((1, 4), 0, same, a_late_receive), &late);
    assert_times(&met_times((1, 4), 1000, same, a_late_receive), &late);
    // A shorter message waits for nobody.
    let alone = some([115.0, 365.0, 0.0, 0.0]);
    assert_times(&met_times((1, 4), 1001, same, a_late_receive), &alone);
    assert_times(&finish_times((1, 4), same, a_late_receive), &alone);
}

#[test]
fn case_16b_a_receive_that_was_there() {
    // The receive is there from 0 on, so the message meets it when it arrives: at 115 without latency, and with L = 2 and
    // 1 for each of three links at 120, which the sender waits for.
    assert_times(&met_times((1, 4), 0, same, one_message), &some([115.0, 180.0, 0.0, 0.0]));
    let far = met_times(
        (1, 4),
        0,
        |p| p.latency(2e-6).hop(1e-6),
        |node| {
            match node.rank() {
                0 => node.world().send(3, bytes(1000))?,
                3 => drop(node.world().recv(0)?),
                _ => {}
            }
            Ok(())
        },
    );
    assert_times(&far, &some([120.0, 0.0, 0.0, 185.0]));
}

#[test]
fn case_16c_sends_that_wait_for_each_other_in_a_chain() {
    // Each sends to the right and then receives from the left; the last one has 300 us to compute first. So 2 goes on at
    // 300 and asks for its message, which lets 1 go on at the same instant, and so on. Each receive takes 65 from there.
    let chain = |node: &Node<'_>| {
        if node.rank() < 3 {
            node.world().send(node.rank() + 1, bytes(1000))?;
        } else {
            node.compute(Span::from_micros(300))?;
        }
        if node.rank() > 0 {
            node.world().recv(node.rank() - 1)?;
        }
        Ok(())
    };
    assert_times(&met_times((1, 4), 0, same, chain), &some([300.0, 365.0, 365.0, 365.0]));
    assert_times(&finish_times((1, 4), same, chain), &some([115.0, 180.0, 180.0, 365.0]));
}

#[test]
fn case_16d_exchanges() {
    // Both post their receives at 0. Messages leave at 115 and are there at 118.
    let near = |p: ParametersBuilder| p.latency(2e-6).hop(1e-6);
    assert_times(&met_times((1, 2), 0, near, exchange), &some([183.0; 2]));
    assert_times(&finish_times((1, 2), near, exchange), &some([183.0; 2]));
    // Node 1 sends, which meets the exchange at 115, computes until 215 and receives until 280. Node 0 has its message at
    // 180, and waits for its own to be met at 215.
    let uneven = |node: &Node<'_>| {
        match node.rank() {
            0 => drop(node.world().sendrecv(1, bytes(1000), 1)?),
            _ => {
                node.world().send(0, bytes(1000))?;
                node.compute(Span::from_micros(100))?;
                node.world().recv(0)?;
            }
        }
        Ok(())
    };
    assert_times(&met_times((1, 2), 0, same, uneven), &some([215.0, 280.0]));
    assert_times(&finish_times((1, 2), same, uneven), &some([180.0, 280.0]));
}

#[test]
fn case_16e_requests() {
    // Started at 0; node 0 computes from 65 to 165 and waits. Node 1 posts the receive at 300, which is when they meet, and
    // waits for it from 350 to 415.
    let requests = |node: &Node<'_>| {
        let world = node.world();
        match node.rank() {
            0 => {
                let request = world.isend(1, bytes(1000))?;
                node.compute(Span::from_micros(100))?;
                let Tested::Pending(first) = request.test()? else { panic!("it has not been met") };
                first.detach();
                let request = world.isend(1, bytes(1000))?;
                request.wait()?;
            }
            _ => {
                node.compute(Span::from_micros(300))?;
                let posted = [world.irecv(0)?, world.irecv(0)?];
                node.compute(Span::from_micros(50))?;
                Request::wait_all(posted)?;
            }
        }
        Ok(())
    };
    // The second message leaves at 280 and meets its receive at 300 as well; node 1 takes 65 for each.
    assert_times(&met_times((1, 2), 0, same, requests), &some([300.0, 480.0]));
    // A message to oneself meets a receive that was posted before: at 65, when it is there.
    let oneself = |node: &Node<'_>| {
        let posted = node.world().irecv(0)?;
        node.world().send(0, bytes(1000))?;
        assert_eq!(node.now()?, Time::ZERO + Span::from_micros(65));
        posted.wait()?;
        Ok(())
    };
    assert_times(&met_times((1, 1), 0, same, oneself), &some([130.0]));
}

#[test]
fn case_16f_a_look_at_a_request_that_has_been_met() {
    // Met at 300: tests at 299 and 300 tell the one from the other, and so does a deadline. A look takes no time.
    for (until, is_met) in [(299, false), (300, true)] {
        let program = |node: &Node<'_>| {
            let world = node.world();
            match node.rank() {
                0 => {
                    let request = world.isend(1, bytes(1000))?;
                    node.compute(Span::from_micros(until - 65))?;
                    let tested = request.test()?;
                    assert_eq!(matches!(tested, Tested::Complete(())), is_met);
                    if let Tested::Pending(request) = tested {
                        let mut requests = [Some(request)];
                        let deadline = Time::ZERO + Span::from_nanos(299_999);
                        assert_eq!(
                            Request::wait_any_until(&mut requests, deadline)?.map(|(nth, _)| nth),
                            None
                        );
                        Request::wait_any(&mut requests)?;
                    }
                }
                _ => {
                    node.compute(Span::from_micros(300))?;
                    world.recv(0)?;
                }
            }
            Ok(())
        };
        // In real time a program that looks twice sees the wall clock.
        let run = machine((1, 2), same).rendezvous(0).build().unwrap().run(program).unwrap();
        let times: Vec<Time> = run.report.nodes.iter().map(|node| node.finished).collect();
        assert_times(&times, &some([300.0, 365.0]));
    }
}
