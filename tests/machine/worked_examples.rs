//! The worked examples of the timing model, to the nanosecond: o_s = o_r = 65 us, L = hop = 0, beta = 50 ns/byte,
//! k = 1 unless said otherwise, all programs starting together. Times in microseconds.

mod rendezvous;
mod unexpected;

use std::cell::Cell;

use multicomputer::{
    MachineBuilder, Payload, Span, Time,
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

fn three_to_one(node: &Node<'_>) -> Result<(), Failure> {
    if node.rank() > 0 {
        return Ok(node.world().send(0, bytes(1000))?);
    }
    for source in 1..4 {
        node.world().recv(source)?;
    }
    Ok(())
}

#[test]
fn case_5_three_to_one() {
    let times = finish_times((1, 4), same, three_to_one);
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

/// Node 0 of four starts messages of 4000 B to these nodes and waits for all; nodes wait for as many as they get.
fn started(ports: u32, targets: [usize; 3]) -> Vec<Time> {
    finish_times(
        (1, 4),
        |p| p.link_excess(4.0).ports(ports),
        |node| {
            let world = node.world();
            if node.rank() == 0 {
                let sends: Result<Vec<_>, _> =
                    targets.iter().map(|&to| world.isend(to, bytes(4000))).collect();
                Request::wait_all(sends?)?;
            }
            for _ in targets.iter().filter(|&&target| target == node.rank()) {
                world.recv(0)?;
            }
            Ok(())
        },
    )
}

#[test]
fn case_18_several_ports() {
    assert_times(&started(2, [1, 2, 3]), &some([465.0, 330.0, 395.0, 530.0]));
    assert_times(&started(1, [1, 2, 3]), &some([665.0, 330.0, 530.0, 730.0]));
    // The second message to node 1 waits for the first, and lets that to node 2 go before it.
    assert_times(&started(2, [1, 1, 2]), &[Some(465.0), Some(530.0), Some(460.0), None]);
}

#[test]
fn case_18c_in_ports_and_both_ways() {
    let gathered = finish_times(
        (1, 4),
        |p| p.link_excess(3.0).ports(2),
        |node| {
            match node.rank() {
                0 => (1..4).try_for_each(|from| node.world().recv(from).map(drop))?,
                _ => node.world().send(0, bytes(1000))?,
            }
            Ok(())
        },
    );
    assert_times(&gathered, &some([335.0, 140.0, 140.0, 140.0]));
    assert_times(&finish_times((1, 2), |p| p.duplex(1.0).ports(2), exchange), &some([180.0; 2]));
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

#[test]
fn case_17_longer_overheads_of_longer_messages() {
    let longer_from =
        |bytes| move |p: ParametersBuilder| p.regime(1, 65e-6, 65e-6).regime(bytes, 100e-6, 80e-6);
    let times = finish_times((1, 4), longer_from(1000), one_message);
    assert_times(&times, &some([150.0, 230.0, 0.0, 0.0]));
    let times = finish_times((1, 2), longer_from(1000), exchange);
    assert_times(&times, &some([230.0, 230.0]));
    let times = finish_times((1, 4), longer_from(1000), three_to_one);
    assert_times(&times, &some([490.0, 250.0, 250.0, 250.0]));
    let times = finish_times((1, 4), longer_from(1001), one_message);
    assert_times(&times, &some([115.0, 180.0, 0.0, 0.0]));
}
