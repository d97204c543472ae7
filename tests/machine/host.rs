//! The host's own threads, without a model: the same programs, checked by their data, and the same errors.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use multicomputer::{
    Clock, Payload, Run,
    all_to_all::Matrix,
    collective::Sum,
    error::{Failure, RunError, WaitsFor},
    prelude::*,
    record::EventKind,
};

use crate::support::{PATIENCE, run};

/// So many nodes, as many as cores on some hosts and many more: `conforming.rs` of the libraries' tests has others, and all that
/// programs may rely on.
const SIZES: [usize; 2] = [3, 65];

fn host(nodes: usize) -> Machine {
    Machine::host(nodes).wall_limit(PATIENCE).deny_unreceived(true).build().unwrap()
}

#[test]
fn messages_come_with_their_data_in_the_order_in_which_they_were_sent() {
    for nodes in SIZES {
        let run = run(&host(nodes), |node| {
            let (world, rank) = (node.world(), node.rank() as u64);
            let next = (node.rank() + 1) % nodes;
            let previous = (node.rank() + nodes - 1) % nodes;
            // Short and long ones in turn: some go through rings where there are any, some through channels.
            let text = |rank: u64, nth: u64| vec![rank ^ nth; (nth * nth % 23) as usize];
            for nth in 0..300 {
                world.send((next, Tag(nth as u32 % 3)), text(rank, nth))?;
            }
            // Every tag by itself is in order, and so is what comes of whatever tag.
            for nth in (0..150).filter(|nth| nth % 3 == 1) {
                assert_eq!(world.recv((previous, Tag(1)))?.to_vec::<u64>()?, text(previous as u64, nth));
            }
            for nth in (0..300).filter(|nth| *nth >= 150 || nth % 3 != 1) {
                let message = world.recv(ANY_SOURCE)?;
                assert_eq!((message.source, message.tag), (previous, Tag(nth as u32 % 3)));
                assert_eq!(message.to_vec::<u64>()?, text(previous as u64, nth));
            }
            Ok(())
        });
        assert_eq!(run.report.messages, 300 * nodes as u64);
        assert!(!run.report.is_modeled && run.report.to_string().contains("wall time"));
        assert!(run.report.nodes.iter().all(|node| node.messages_received == 300));
    }
}

#[test]
fn libraries_give_on_the_host_what_they_give_in_virtual_time() {
    for nodes in SIZES {
        let program = |node: &Node<'_>| -> Result<Vec<u64>, Failure> {
            let (world, rank) = (node.world(), node.rank());
            let mut x = vec![rank as u64 + 1; 100];
            world.all_reduce(&mut x, Sum)?;
            world.scan(&mut x, Sum)?;
            let half = world.split_by(|rank| rank % 2)?;
            x.extend(half.all_gather(&[rank as u64; 3], 3 * half.size())?);
            let mut y = [rank as u64; 7];
            world.broadcast(nodes - 1, &mut y)?;
            x.extend(y);
            world.barrier()?;
            let outgoing: Vec<Vec<u64>> = (0..nodes).map(|to| vec![rank as u64; to % 4]).collect();
            x.extend(world.all_to_allv(&outgoing)?.concat());
            let matrix = Arc::new(Matrix::of(nodes, |from, to| (from + to) as u64 % 7)?);
            let payloads = (0..nodes).map(|to| Payload::from(vec![rank as u8; (rank + to) % 7])).collect();
            for came in world.all_to_allv_payloads_known(&matrix, payloads)? {
                x.extend(came.to_vec::<u8>()?.into_iter().map(u64::from));
            }
            x.extend(world.sparse_exchange(&[((rank * 7 + 1) % nodes, [rank as u64])])?.concat_sources());
            Ok(x)
        };
        let on_host = run(&host(nodes), program);
        let machine = Machine::builder(format!("host:{nodes}").parse().unwrap()).build().unwrap();
        assert_eq!(on_host.outputs, run(&machine, program).outputs, "{nodes}");
    }
}

trait Sources {
    fn concat_sources(self) -> Vec<u64>;
}

impl Sources for Vec<(Rank, Vec<u64>)> {
    fn concat_sources(self) -> Vec<u64> {
        self.into_iter().flat_map(|(from, data)| data.into_iter().chain([from as u64])).collect()
    }
}

#[test]
fn every_machine_runs_on_the_host() {
    for name in ["paragon:3x4", "cm5:16", "hypercube:8"] {
        let machine =
            Machine::builder(name.parse().unwrap()).clock(Clock::Host).wall_limit(PATIENCE).build().unwrap();
        let run = run(&machine, |node| {
            let mut x = [1_u32; 1000];
            node.world().all_reduce(&mut x, Sum)?;
            Ok(x[999] as usize)
        });
        assert!(run.outputs.iter().all(|&sum| sum == machine.spec().nodes()), "{name}");
    }
}

#[test]
fn a_deadlock_is_found_without_a_limit() {
    let machine = Machine::host(4).build().unwrap();
    let result = machine.run(|node| {
        let world = node.world();
        match node.rank() {
            0 => drop(world.recv((1, Tag(3)))?),
            1 => drop(world.recv(0)?),
            2 => world.barrier()?,
            _ => {}
        }
        Ok(())
    });
    let Err(RunError::Deadlock(report)) = result else { panic!("{:?}", result.map(|run| run.report)) };
    assert_eq!(report.cycle, [0, 1]);
    assert_eq!(report.returned, [3]);
    let expected = WaitsFor::Message { source: Some(1), tag: Some(Tag(3)), group: "the world".into() };
    assert_eq!(report.blocked[0].waits_for, expected);
    assert!(report.blocked[2].within.is_some() || report.blocked[2].waits_for == WaitsFor::Barrier);
}

#[test]
fn a_sleeper_with_a_deadline_is_no_deadlock() {
    for nodes in [2, 9] {
        let run = run(&host(nodes), |node| {
            let world = node.world();
            if node.rank() > 0 {
                return Ok(world.recv(0).map(drop)?);
            }
            let until = node.now()? + Span::from_millis(5);
            assert!(matches!(world.recv_until(1, until), Err(CommError::DeadlinePassed { .. })));
            (1..nodes).try_for_each(|to| Ok(world.send(to, [1_u8])?))
        });
        assert!(run.wall >= Duration::from_millis(5));
    }
}

#[test]
fn failures_and_panics_end_the_run_for_all() {
    for nodes in [2, 9] {
        let machine = Machine::host(nodes).build().unwrap();
        let after = AtomicUsize::new(0);
        let result = machine.run(|node| {
            if node.rank() == 1 {
                return Err("no more".into());
            }
            let ended = node.world().recv(1).map(drop);
            after.fetch_add(1, Ordering::Relaxed);
            Ok(ended?)
        });
        assert!(matches!(result, Err(RunError::Node { rank: 1, .. })), "{:?}", result.map(|run| run.report));
        assert_eq!(after.into_inner(), nodes - 1);
        let result = machine.run::<(), _>(|node| match node.rank() {
            0 => panic!("on purpose"),
            // Goes on calling after the end.
            _ => loop {
                let _ = node.world().recv(0);
            },
        });
        assert!(matches!(result, Err(RunError::Panicked { rank: 0, .. })));
    }
}

#[test]
fn a_wall_limit_says_what_nodes_were_at() {
    let machine = Machine::host(3).wall_limit(Duration::from_millis(500)).build().unwrap();
    let began = Instant::now();
    let result = machine.run(|node| {
        if node.rank() == 0 {
            return Ok(node.compute(Duration::from_secs(60))?);
        }
        Ok(node.world().recv(0).map(drop)?)
    });
    let Err(RunError::WallLimit { nodes, .. }) = result else { panic!() };
    assert_eq!(nodes.len(), 3);
    assert!(matches!(nodes[0].waits_for, WaitsFor::Nothing));
    assert!(matches!(nodes[1].waits_for, WaitsFor::Message { source: Some(0), .. }));
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn members_that_call_differently_are_told() {
    let machine = Machine::host(2).wall_limit(PATIENCE).build().unwrap();
    let result = machine.run(|node| {
        let mut x = [1_u8];
        Ok(node.world().broadcast(node.rank(), &mut x)?)
    });
    let Err(RunError::Node { source, .. }) = result else { panic!() };
    assert!(source.to_string().contains("broadcast"), "{source}");
}

#[test]
fn messages_that_nobody_receives_are_listed() {
    for nodes in [2, 9] {
        let machine = Machine::host(nodes).build().unwrap();
        let run = run(&machine, |node| {
            let world = node.world();
            if node.rank() == 0 {
                world.send((1, Tag(4)), [0_u8; 10])?;
                world.send((1, Tag(5)), [0_u8; 1000])?;
            }
            if node.rank() == 1 {
                // Posted, and then dropped: what it takes is lost.
                drop(world.irecv((0, Tag(4)))?);
            }
            Ok(())
        });
        let unreceived: Vec<u64> = run.report.unreceived.iter().map(|message| message.bytes).collect();
        assert_eq!(unreceived, [10, 1000]);
    }
}

#[test]
fn phases_and_parts_are_of_the_wall_clock() {
    let machine = Machine::host(3).trace(true).wall_limit(PATIENCE).build().unwrap();
    let run: Run<()> = run(&machine, |node| {
        let _phase = node.phase("work")?;
        node.compute(Span::from_millis(2))?;
        let mut x = [1_u64];
        node.world().all_reduce(&mut x, Sum)?;
        Ok(())
    });
    let [work] = &run.report.phases[..] else { panic!() };
    assert_eq!((work.nodes, &*work.name), (3, "work"));
    assert!(work.mean >= Span::from_millis(2) && work.longest <= run.report.makespan.since_start());
    let mut trace = Vec::new();
    run.write_trace(&mut trace).unwrap();
    let text = String::from_utf8(trace).unwrap();
    assert!(text.contains("all-reduce") && text.contains("work"), "{text}");
}

#[test]
fn a_send_is_no_wait_in_a_trace() {
    let machine = Machine::host(2).trace(true).wall_limit(PATIENCE).build().unwrap();
    let run: Run<()> = run(&machine, |node| {
        let world = node.world();
        for _ in 0..3 {
            world.sendrecv(1 - world.rank(), [0_u8; 100].as_slice(), 1 - world.rank())?;
        }
        Ok(())
    });
    let sends = run.trace.events.iter().filter_map(|event| match event.kind {
        EventKind::Send { overhead, .. } => Some((overhead, event.end.since(event.start))),
        _ => None,
    });
    let sends: Vec<_> = sends.collect();
    assert_eq!(sends.len(), 6);
    assert!(sends.iter().all(|(overhead, whole)| overhead == whole), "{sends:?}");
}
