//! The worked examples of the timing model, to the nanosecond: o_s = o_r = 65 us, L = hop = 0, beta = 50 ns/byte,
//! k = 1 unless said otherwise, all programs starting together. Times in microseconds.

use std::cell::Cell;

use multicomputer::{
    Clock, Dilation, MachineBuilder, Payload, Span, Time,
    comm::{Active, Handling},
    error::Failure,
    model::{Parameters, ParametersBuilder},
    prelude::*,
};

/// The machine of the examples, changed by `change`.
fn machine(
    (rows, columns): (usize, usize),
    change: impl Fn(ParametersBuilder) -> ParametersBuilder,
) -> MachineBuilder {
    let base = Parameters::builder().send_overhead(65e-6).receive_overhead(65e-6).beta(50e-9);
    Machine::mesh(rows, columns).parameters(change(base).build().unwrap())
}

/// The machine of the examples, changed by `change`, runs `program`; when each node finished.
fn finish_times(
    shape: (usize, usize),
    change: impl Fn(ParametersBuilder) -> ParametersBuilder,
    program: impl Fn(&Node<'_>) -> Result<(), Failure> + Sync,
) -> Vec<Time> {
    let run = machine(shape, change).build().unwrap().run(program).unwrap();
    run.report.nodes.iter().map(|node| node.finished).collect()
}

fn same(parameters: ParametersBuilder) -> ParametersBuilder {
    parameters
}

/// Fails unless each node finished within a nanosecond of the time given; `None` is not looked at.
fn assert_times(times: &[Time], expected: &[Option<f64>]) {
    assert_eq!(times.len(), expected.len());
    for (rank, (time, expected)) in times.iter().zip(expected).enumerate() {
        if let Some(expected) = expected {
            let off = (time.as_micros_f64() - expected).abs();
            assert!(off <= 0.001, "node {rank} finished at {time}, expected {expected} us");
        }
    }
}

fn some<const N: usize>(times: [f64; N]) -> [Option<f64>; N] {
    times.map(Some)
}

fn bytes(n: u64) -> Payload {
    Payload::from(vec![0xA5_u8; n as usize])
}

fn one_message(node: &Node<'_>) -> Result<(), Failure> {
    match node.rank() {
        0 => node.world().send(1, bytes(1000))?,
        1 => drop(node.world().recv(0)?),
        _ => {}
    }
    Ok(())
}

#[test]
fn case_1_one_message() {
    let times = finish_times((1, 4), same, one_message);
    assert_times(&times, &some([115.0, 180.0, 0.0, 0.0]));
}

fn two_messages_on_one_link(node: &Node<'_>) -> Result<(), Failure> {
    match node.rank() {
        sender @ (0 | 1) => node.world().send(sender + 2, bytes(1000))?,
        receiver => drop(node.world().recv(receiver - 2)?),
    }
    Ok(())
}

#[test]
fn case_2_two_messages_share_a_link() {
    let times = finish_times((1, 4), same, two_messages_on_one_link);
    assert_times(&times, &some([165.0, 165.0, 230.0, 230.0]));
}

#[test]
fn case_2b_a_wider_link() {
    let times = finish_times((1, 4), |p| p.link_excess(2.0), two_messages_on_one_link);
    assert_times(&times, &some([115.0, 115.0, 180.0, 180.0]));
    let times = finish_times((1, 4), |p| p.link_excess(1.5), two_messages_on_one_link);
    assert_times(&times, &some([131.667, 131.667, 196.667, 196.667]));
}

#[test]
fn case_3_a_short_and_a_long_message() {
    let times = finish_times((1, 4), same, |node| {
        match node.rank() {
            0 => node.world().send(3, bytes(1000))?,
            1 => node.world().send(2, bytes(3000))?,
            2 => drop(node.world().recv(1)?),
            _ => drop(node.world().recv(0)?),
        }
        Ok(())
    });
    assert_times(&times, &some([165.0, 265.0, 330.0, 230.0]));
}

fn exchange(node: &Node<'_>) -> Result<(), Failure> {
    if node.rank() < 2 {
        let partner = 1 - node.rank();
        node.world().sendrecv(partner, bytes(1000), partner)?;
    }
    Ok(())
}

#[test]
fn case_4_an_exchange() {
    let times = finish_times((1, 2), same, exchange);
    assert_times(&times, &some([180.0, 180.0]));
}

#[test]
fn case_5_three_to_one() {
    let times = finish_times((1, 4), same, |node| {
        if node.rank() > 0 {
            return Ok(node.world().send(0, bytes(1000))?);
        }
        for source in 1..4 {
            node.world().recv(source)?;
        }
        Ok(())
    });
    assert_times(&times, &some([410.0, 215.0, 215.0, 215.0]));
}

#[test]
fn case_6_four_neighbours_of_the_centre() {
    let neighbours = [1, 3, 5, 7];
    let times = finish_times((3, 3), same, |node| {
        if neighbours.contains(&node.rank()) {
            node.world().send(4, bytes(1000))?;
        } else if node.rank() == 4 {
            for source in neighbours {
                node.world().recv(source)?;
            }
        }
        Ok(())
    });
    let sender = Some(265.0);
    assert_times(&times, &[None, sender, None, sender, Some(525.0), sender, None, sender, None]);
}

fn a_link_and_a_port(node: &Node<'_>) -> Result<(), Failure> {
    let world = node.world();
    match node.rank() {
        0 => world.send(2, bytes(1200))?,
        1 | 3 => world.send(4, bytes(1200))?,
        2 => drop(world.recv(0)?),
        _ => {
            world.recv(3)?;
            world.recv(1)?;
        }
    }
    Ok(())
}

#[test]
fn case_7_a_link_and_a_port() {
    let times = finish_times((1, 5), same, a_link_and_a_port);
    assert_times(&times, &some([185.0, 185.0, 250.0, 185.0, 315.0]));
}

#[test]
fn case_7b_one_gets_what_the_others_leave() {
    let times = finish_times((1, 5), |p| p.link_excess(1.5), a_link_and_a_port);
    assert_times(&times, &some([125.0, 185.0, 190.0, 185.0, 315.0]));
}

#[test]
fn case_8_broadcast_by_recursive_halving() {
    let times = finish_times((1, 8), same, |node| {
        let (rank, world) = (node.rank(), node.world());
        let mut data = if rank == 0 { bytes(1000) } else { Payload::empty() };
        for distance in [4, 2, 1] {
            if rank % (2 * distance) == 0 {
                world.send(rank + distance, data.clone())?;
            } else if rank % distance == 0 {
                data = world.recv(rank - distance)?.payload;
            }
        }
        assert_eq!(data.len(), 1000);
        Ok(())
    });
    assert_times(&times[..1], &[Some(345.0)]);
    assert_eq!(times.iter().max(), Some(&(Time::ZERO + Span::from_micros(540))));
}

#[test]
fn case_9_all_gather_on_a_ring() {
    let times = finish_times((1, 8), same, |node| {
        let (right, left) = ((node.rank() + 1) % 8, (node.rank() + 7) % 8);
        let mut block = bytes(1000);
        for _ in 0..7 {
            block = node.world().sendrecv(right, block, left)?.payload;
        }
        Ok(())
    });
    assert_times(&times, &some([1260.0; 8]));
}

fn all_to_all_broadcast(node: &Node<'_>) -> Result<(), Failure> {
    let mut blocks = bytes(1000);
    for bit in [1, 2, 4] {
        let partner = node.rank() ^ bit;
        blocks.append(node.world().sendrecv(partner, blocks.clone(), partner)?.payload);
    }
    assert_eq!(blocks.len(), 8000);
    Ok(())
}

#[test]
fn case_10_all_to_all_broadcast_of_the_hypercube() {
    let times = finish_times((1, 8), same, all_to_all_broadcast);
    assert_times(&times, &some([1440.0; 8]));
    let times = finish_times((1, 8), |p| p.link_excess(4.0), all_to_all_broadcast);
    assert_times(&times, &some([740.0; 8]));
}

#[test]
fn case_11_latency() {
    let times = finish_times(
        (1, 4),
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
    assert_times(&times, &[Some(115.0), None, None, Some(185.0)]);
}

#[test]
fn case_12_an_exchange_that_costs_more() {
    assert_times(&finish_times((1, 2), |p| p.duplex(1.0), exchange), &some([230.0; 2]));
    assert_times(&finish_times((1, 2), |p| p.duplex(1.6), exchange), &some([192.5; 2]));
    assert_times(&finish_times((1, 2), |p| p.exchange_overhead(130e-6), exchange), &some([310.0; 2]));
}

#[test]
fn case_13_a_step_of_a_ring_with_little_duplex() {
    let times = finish_times(
        (1, 4),
        |p| p.duplex(1.6),
        |node| {
            let (right, left) = ((node.rank() + 1) % 4, (node.rank() + 3) % 4);
            node.world().sendrecv(right, bytes(1000), left)?;
            Ok(())
        },
    );
    assert_times(&times, &some([192.5; 4]));
}

#[test]
fn case_14_half_duplex() {
    let times = finish_times(
        (1, 4),
        |p| p.duplex(1.0),
        |node| {
            match node.rank() {
                0 => node.world().send(1, bytes(1000))?,
                1 => drop(node.world().sendrecv(2, bytes(3000), 0)?),
                2 => drop(node.world().recv(1)?),
                _ => {}
            }
            Ok(())
        },
    );
    assert_times(&times, &[Some(165.0), Some(330.0), Some(330.0), Some(0.0)]);
}

/// L = 2 us, hop = 1 us; active messages cost 1.6 and 1.7 us.
fn with_active_messages(parameters: ParametersBuilder) -> ParametersBuilder {
    parameters.latency(2e-6).hop(1e-6).active_overheads(1.6e-6, 1.7e-6)
}

/// Node 0 asks node 1, which computes so long, and is answered.
fn question(computing: Span, handling: Handling) -> Vec<Time> {
    finish_times((1, 4), with_active_messages, |node| {
        let done = Cell::new(false);
        let active = Active::new(node.world(), handling, |reactions, message| {
            done.set(true);
            if message.source == 0 {
                reactions.send(0, [0; 2]);
            }
        })?;
        match node.rank() {
            0 => active.send(1, [0; 2])?,
            1 => active.compute(computing)?,
            _ => return Ok(()),
        }
        Ok(active.wait_while(|| !done.get())?)
    })
}

#[test]
fn case_15_an_active_message_and_its_answer() {
    assert_times(&question(Span::ZERO, Handling::Polled), &some([14.2, 8.7, 0.0, 0.0]));
    let long = Span::from_micros(100);
    assert_times(&question(long, Handling::Polled), &some([108.8, 103.3, 0.0, 0.0]));
    assert_times(&question(long, Handling::AtOnce), &some([14.2, 103.3, 0.0, 0.0]));
}

#[test]
fn case_15c_active_messages_are_handled_one_at_a_time() {
    let times = finish_times((1, 4), with_active_messages, |node| {
        let handled = Cell::new(0);
        let active = Active::new(node.world(), Handling::Polled, |_, message| {
            handled.set(handled.get() + 1);
            assert_eq!(message.source, handled.get(), "the nearest first");
        })?;
        match node.rank() {
            0 => Ok(active.wait_while(|| handled.get() < 3)?),
            _ => Ok(active.send(0, [0; 2])?),
        }
    });
    assert_times(&times, &some([10.5, 1.6, 1.6, 1.6]));
}

#[test]
fn case_15d_active_messages_beside_others() {
    let times = finish_times((1, 4), with_active_messages, |node| {
        let handled = Cell::new(false);
        let active = Active::new(node.world(), Handling::Polled, |_, _| handled.set(true))?;
        match node.rank() {
            0 => active.send_data(1, bytes(1000))?,
            1 => drop(active.recv_data(0)?),
            sender => return Ok(active.send(sender - 2, [0; 2])?),
        }
        assert!(handled.get());
        Ok(())
    });
    assert_times(&times, &some([115.0, 183.0, 1.6, 1.6]));
}

// Rendezvous.

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
                assert!(matches!(world.test(request)?, Tested::Pending(_)));
                let request = world.isend(1, bytes(1000))?;
                world.wait(request)?;
            }
            _ => {
                node.compute(Span::from_micros(300))?;
                let posted = [world.irecv(0)?, world.irecv(0)?];
                node.compute(Span::from_micros(50))?;
                world.wait_all(posted)?;
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
        node.world().wait(posted)?;
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
                    let tested = world.test(request)?;
                    assert_eq!(matches!(tested, Tested::Complete(None)), is_met);
                    if let Tested::Pending(request) = tested {
                        let mut requests = vec![request];
                        let deadline = Time::ZERO + Span::from_nanos(299_999);
                        assert_eq!(world.wait_any_until(&mut requests, deadline)?.map(|(nth, _)| nth), None);
                        world.wait_any(&mut requests)?;
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
