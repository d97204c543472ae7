//! The exchange overhead o_x: the cost of a receive that overlapped a send.

use super::*;

/// When both of two nodes have finished that run `program` on a machine with o_x = 100 us.
fn with_exchange_overhead(program: impl Fn(&Node<'_>) -> Result<(), Failure> + Sync) -> [f64; 2] {
    let run = run_with(parameters().exchange_overhead(100e-6), 2, program);
    [0, 1].map(|rank| run.report.nodes[rank].finished.as_micros_f64())
}

#[test]
fn an_exchange_by_requests_costs_what_a_sendrecv_costs() {
    // Sent at 0, left at 20, there at 25, o_r = 20, o_x = 100.
    let by_sendrecv = with_exchange_overhead(|node| {
        let partner = 1 - node.rank();
        Ok(drop(node.world().sendrecv(partner, kilobyte(), partner)?))
    });
    let posted_first = with_exchange_overhead(|node| {
        let (world, partner) = (node.world(), 1 - node.rank());
        let receive = world.irecv(partner)?;
        world.send(partner, kilobyte())?;
        Ok(drop(receive.wait()?))
    });
    let sent_first = with_exchange_overhead(|node| {
        let (world, partner) = (node.world(), 1 - node.rank());
        let send = world.isend(partner, kilobyte())?;
        world.recv(partner)?;
        Ok(send.wait()?)
    });
    assert_eq!(by_sendrecv, [145.0; 2]);
    assert_eq!(posted_first, [145.0; 2]);
    assert_eq!(sent_first, [145.0; 2]);
}

#[test]
fn a_blocking_send_and_then_a_blocking_receive_are_no_exchange() {
    // The send has left at 20, when the receive is called.
    let times = with_exchange_overhead(|node| {
        let (world, partner) = (node.world(), 1 - node.rank());
        world.send(partner, kilobyte())?;
        Ok(drop(world.recv(partner)?))
    });
    assert_eq!(times, [45.0; 2]);
}

#[test]
fn a_send_begun_after_the_message_came_is_no_exchange() {
    // Node 0 has posted its receive at 0; the message is there at 25; it sends at 30.
    let times = with_exchange_overhead(|node| {
        let world = node.world();
        if node.rank() == 1 {
            world.send(0, kilobyte())?;
            return Ok(drop(world.recv(0)?));
        }
        let receive = world.irecv(1)?;
        node.compute(Span::from_micros(30))?;
        world.send(1, kilobyte())?;
        Ok(drop(receive.wait()?))
    });
    // Node 0 sends from 30 to 50 and pays o_r; node 1 has it at 55.
    assert_eq!(times, [70.0, 75.0]);
}

#[test]
fn a_send_that_had_left_before_the_receive_was_posted_is_no_exchange() {
    // Node 0 sends from 0 to 20, posts its receive at 21; node 1's message is there at 65.
    let times = with_exchange_overhead(|node| {
        let world = node.world();
        if node.rank() == 1 {
            node.compute(Span::from_micros(40))?;
            world.send(0, kilobyte())?;
            return Ok(drop(world.recv(0)?));
        }
        let send = world.isend(1, kilobyte())?;
        node.compute(Span::from_micros(11))?;
        let receive = world.irecv(1)?;
        receive.wait()?;
        Ok(send.wait()?)
    });
    assert_eq!(times, [85.0, 80.0]);
}

#[test]
fn a_send_that_is_under_way_in_between_is_an_exchange_even_if_it_began_and_ended_there() {
    // Node 0 posts at 0, sends from 5 to 25; node 1's message, sent at 40, is there at 65.
    let times = with_exchange_overhead(|node| {
        let world = node.world();
        if node.rank() == 1 {
            node.compute(Span::from_micros(40))?;
            world.send(0, kilobyte())?;
            return Ok(());
        }
        let receive = world.irecv(1)?;
        node.compute(Span::from_micros(5))?;
        world.send(1, kilobyte())?;
        Ok(drop(receive.wait()?))
    });
    assert_eq!(times, [185.0, 60.0]);
}
