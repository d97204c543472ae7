//! Critical paths, piece by piece.

use multicomputer::{analysis::Kind, prelude::*};

use super::*;

/// Worked examples 1 and 11.
#[test]
fn one_message_is_its_start_up_and_its_bytes() {
    let run = explained(line(4), messages(&[(0, 1, 1000)]));
    assert_eq!(
        story(&run.critical_path().unwrap()),
        [
            (Kind::SendOverhead, 0, 0, 65_000),
            (Kind::Bytes, 0, 65_000, 115_000),
            (Kind::ReceiveOverhead, 1, 115_000, 180_000)
        ]
    );
    let run = explained(line_with(4, |given| given.latency(2e-6).hop(1e-6)), messages(&[(0, 3, 1000)]));
    let path = run.critical_path().unwrap();
    assert_eq!(path.time(Kind::Latency), micros(5));
    assert_eq!((path.start_up(), path.time(Kind::Bytes)), (micros(135), micros(50)));
}

#[test]
fn a_message_behind_its_senders_earlier_one_follows_its_bytes() {
    let run = explained(line(2), one_behind_the_other(4000));
    // The second is ready at 130 us, and the port is free at 265.
    let path = run.critical_path().unwrap();
    assert_eq!(
        story(&path),
        [
            (Kind::SendOverhead, 0, 0, 65_000),
            (Kind::Bytes, 0, 65_000, 265_000),
            (Kind::Bytes, 0, 265_000, 465_000),
            (Kind::ReceiveOverhead, 1, 465_000, 530_000)
        ]
    );
    assert_eq!(path.messages().iter().map(|message| message.seq).collect::<Vec<_>>(), [0, 1]);
}

/// Four segments over two hops: node 1 receives a segment, then passes it on, 330 us each.
#[test]
fn a_pipeline_is_held_up_by_its_middle() {
    let run = explained(line(3), |node| {
        let world = node.world();
        for _ in 0..4 {
            match node.rank() {
                0 => world.send(1, vec![0_u8; 4000])?,
                1 => {
                    let segment = world.recv(0)?;
                    world.send(2, segment.payload)?;
                }
                _ => drop(world.recv(1)?),
            }
        }
        Ok(())
    });
    let path = run.critical_path().unwrap();
    assert_eq!(run.report.makespan, Time::ZERO + micros(5 * 330));
    assert_eq!((path.start_up(), path.time(Kind::Bytes)), (micros(5 * 130), micros(5 * 200)));
    let messages: Vec<_> = path.messages().iter().map(|message| (message.from, message.seq)).collect();
    assert_eq!(messages, [(0, 0), (1, 0), (1, 1), (1, 2), (1, 3)]);
}

/// A binomial tree over `2^d` nodes: d messages one after the other, d * (alpha + n beta). Worked example 8 has d = 3.
#[test]
fn the_path_through_a_tree_is_its_depth() {
    for depth in 1..=5_usize {
        let run = explained(line(1 << depth), |node| {
            let (world, rank) = (node.world(), node.rank());
            for bit in (0..depth).rev() {
                let half = 1 << bit;
                if rank % (2 * half) == 0 {
                    world.send(rank + half, vec![0_u8; 1000])?;
                } else if rank % half == 0 {
                    world.recv(rank - half)?;
                }
            }
            Ok(())
        });
        let (path, steps) = (run.critical_path().unwrap(), depth as u64);
        assert_eq!(path.span(), micros(180 * steps));
        assert_eq!((path.start_up(), path.time(Kind::Bytes)), (micros(130 * steps), micros(50 * steps)));
        assert_eq!(path.messages().len(), depth);
    }
}

#[test]
fn computing_and_the_work_of_libraries_are_told_apart() {
    let run = explained(line_with(4, |given| given.gamma(1e-8).copy(1e-9)), |node| {
        node.compute(micros(10 * node.rank() as u64))?;
        let mut x = vec![1.0_f64; 1000];
        node.world().using(&collective::Algorithm::SHORT).reduce(0, &mut x, collective::Sum)?;
        Ok(())
    });
    let path = run.critical_path().unwrap();
    // Two steps of a tree combine 1000 elements each, 10 us.
    assert_eq!(path.time(Kind::Library), micros(20));
    assert!(path.time(Kind::Computing) > Span::ZERO);
}

#[test]
fn a_barrier_is_left_to_its_last_node() {
    for barrier in [0.0, 3e-6] {
        let run = explained(line_with(3, |given| given.barrier(barrier)), |node| {
            node.compute(micros([5, 20, 10][node.rank()]))?;
            node.world().barrier()?;
            node.world().barrier()?;
            node.compute(micros([1, 0, 7][node.rank()]))?;
            Ok(())
        });
        let path = run.critical_path().unwrap();
        let nodes: Vec<_> = path.pieces.iter().map(|piece| (piece.kind, piece.rank)).collect();
        assert_eq!((nodes[0], *nodes.last().unwrap()), ((Kind::Computing, 1), (Kind::Computing, 2)));
        assert_eq!(path.time(Kind::Barrier), Span::from_secs_f64(2.0 * barrier));
    }
}

#[test]
fn a_deadline_is_waiting_and_a_probe_is_what_it_found() {
    let run = explained(line(2), |node| {
        let world = node.world();
        match node.rank() {
            0 => {
                assert!(world.recv_until(1, Time::ZERO + micros(100)).is_err());
                world.send(1, vec![0_u8; 1000])?;
            }
            _ => {
                world.probe(0)?;
                world.recv(0)?;
            }
        }
        Ok(())
    });
    assert_eq!(
        story(&run.critical_path().unwrap()),
        [
            (Kind::Waiting, 0, 0, 100_000),
            (Kind::SendOverhead, 0, 100_000, 165_000),
            (Kind::Bytes, 0, 165_000, 215_000),
            (Kind::ReceiveOverhead, 1, 215_000, 280_000)
        ]
    );
}

#[test]
fn messages_that_nobody_receives_are_counted_too() {
    let run = explained(line(4), |node| {
        let world = node.world();
        if node.rank() < 2 {
            let _ = world.isend(node.rank() + 2, vec![0_u8; 100_000])?;
        }
        Ok(())
    });
    assert_eq!(run.critical_path().unwrap().span(), micros(65));
}
