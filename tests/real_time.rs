//! Real time: modeled times are those of virtual time, the wall clock keeps up with them, and nobody spins. The host
//! may be busy, so nothing here fails because something took long.

#![allow(clippy::unit_arg, reason = "programs that end with a call")]

use std::{
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use multicomputer::{
    Clock, Dilation, Machine, MachineBuilder, Payload, Run, error::Failure, model::Parameters, prelude::*,
};
use rustix::time::{ClockId, clock_gettime};

/// One test at a time: they measure.
static ALONE: Mutex<()> = Mutex::new(());

fn real(dilation: f64) -> Clock {
    Clock::RealTime { dilation: Dilation::Fixed(dilation) }
}

/// o_s = o_r = 2 ms, beta = 1 us/byte, so that a host has time to keep up.
fn slow(nodes: usize) -> MachineBuilder {
    let parameters =
        Parameters::builder().send_overhead(2e-3).receive_overhead(2e-3).beta(1e-6).latency(1e-3);
    Machine::mesh(1, nodes).parameters(parameters.build().unwrap()).wall_limit(Duration::from_secs(20))
}

fn run<T: Send>(machine: MachineBuilder, program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync) -> Run<T> {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    machine.build().unwrap().run(program).unwrap()
}

fn late_sends<T>(run: &Run<T>) -> u64 {
    run.report.real_time.unwrap().late_sends
}

/// Exchanges, a broadcast, a receive from anybody.
fn mixture(node: &Node<'_>) -> Result<Vec<Time>, Failure> {
    let (world, rank, size) = (node.world(), node.rank(), node.size());
    let mut times = Vec::new();
    for step in 1..size {
        let (to, from) = ((rank + step) % size, (rank + size - step) % size);
        world.sendrecv(to, Payload::phantom(200 * rank as u64), from)?;
        times.push(node.now()?);
    }
    if rank == 0 {
        for _ in 1..size {
            world.recv(ANY_SOURCE)?;
        }
    } else {
        node.compute(Span::from_millis(rank as u64))?;
        world.send(0, Payload::phantom(500))?;
    }
    times.push(node.now()?);
    Ok(times)
}

#[test]
fn modeled_times_are_those_of_virtual_time_if_no_send_was_late() {
    let virtually = run(slow(4), mixture);
    assert_eq!(virtually.report.real_time, None);
    let really = run(slow(4).clock(real(1.0)), mixture);
    // A host that held a thread up for more than o_s makes it computing.
    let computing = |run: &Run<_>| run.report.nodes.iter().map(|node| node.computing).collect::<Vec<_>>();
    if late_sends(&really) == 0 && computing(&really) == computing(&virtually) {
        assert_eq!(really.outputs, virtually.outputs);
        assert_eq!(really.report.modeled, virtually.report.modeled);
        assert_eq!(really.report.nodes[0].finished, virtually.report.nodes[0].finished);
    }
    assert!(really.report.modeled >= virtually.report.modeled);
}

#[test]
fn nothing_comes_before_its_time_on_the_wall_clock() {
    for dilation in [0.5, 1.0, 2.0] {
        let began = Instant::now();
        let run = run(slow(2).clock(real(dilation)), |node| {
            let world = node.world();
            let mut ahead = Vec::new();
            for step in 0..5 {
                if node.rank() == 0 {
                    world.send(1, Payload::phantom(1000))?;
                } else {
                    world.recv(0)?;
                }
                ahead.push((step, node.now()?, began.elapsed()));
            }
            Ok(ahead)
        });
        for (step, modeled, wall) in run.outputs.concat() {
            let due = modeled.as_secs_f64() * dilation;
            assert!(wall.as_secs_f64() >= due * 0.999, "step {step} at {modeled} after {wall:?}");
        }
        assert!(
            run.wall.as_secs_f64() >= run.report.modeled.as_secs_f64() * dilation * 0.999,
            "{:?}",
            run.wall
        );
    }
}

#[test]
fn a_receive_takes_at_least_its_modeled_time() {
    // A message that is sent after 100 ms.
    let began = Instant::now();
    let run = run(slow(2).clock(real(1.0)), |node| {
        if node.rank() == 0 {
            node.compute(Span::from_millis(100))?;
            node.world().send(1, Payload::empty())?;
            return Ok(Duration::ZERO);
        }
        node.world().recv(0)?;
        Ok(began.elapsed())
    });
    assert!(run.outputs[1] >= Duration::from_millis(105), "{:?}", run.outputs[1]);
    assert!(run.report.modeled >= Time::ZERO + Span::from_millis(105));
}

/// How long this thread, or this process, has had a core.
fn cpu_time(whose: ClockId) -> Duration {
    Duration::try_from(clock_gettime(whose)).unwrap()
}

#[test]
fn what_the_program_really_computes_counts() {
    // 30 ms of a core: what the host makes the thread wait for one does not count.
    let busy = |node: &Node<'_>| {
        node.now()?;
        let began = cpu_time(ClockId::ThreadCPUTime);
        while cpu_time(ClockId::ThreadCPUTime) < began + Duration::from_millis(30) {
            std::hint::spin_loop();
        }
        Ok(node.now()?)
    };
    for dilation in [1.0, 3.0] {
        let run = run(slow(1).clock(real(dilation)), busy);
        let least = 0.03 / dilation;
        assert!(run.outputs[0].as_secs_f64() >= least * 0.999, "{} at dilation {dilation}", run.outputs[0]);
        assert!(run.report.nodes[0].computing.as_secs_f64() >= least * 0.999);
    }
    assert_eq!(run(slow(1), busy).outputs[0], Time::ZERO, "in virtual time it costs nothing");
}

#[test]
fn a_message_after_a_long_sleep_enters_the_network_when_it_is_sent() {
    // 40 ms of real time before the send: they are counted as lateness, so it arrives after them.
    let run = run(slow(2).clock(real(1.0)), |node| {
        node.now()?;
        if node.rank() == 0 {
            thread::sleep(Duration::from_millis(40));
            node.world().send(1, Payload::empty())?;
        } else {
            node.world().recv(0)?;
        }
        Ok(node.now()?)
    });
    let sender = &run.report.nodes[0];
    assert!(run.outputs[1] >= Time::ZERO + Span::from_millis(40), "{}", run.outputs[1]);
    assert_eq!(sender.late_sends, 1, "{sender:?}");
}

#[test]
fn a_send_that_the_host_cannot_make_in_time_is_late_and_counted() {
    // Without a send overhead there is nothing to catch up with: every one of many sends is a little late.
    let parameters = Parameters::builder().receive_overhead(1e-6).beta(1e-9).build().unwrap();
    let machine =
        Machine::mesh(1, 2).parameters(parameters).wall_limit(Duration::from_secs(20)).clock(real(1.0));
    let run = run(machine, |node| {
        for _ in 0..20 {
            node.world().sendrecv(1 - node.rank(), Payload::phantom(10), 1 - node.rank())?;
        }
        Ok(())
    });
    let report = run.report.real_time.unwrap();
    assert!(report.late_sends > 0);
    assert!(report.latest > Span::ZERO);
    assert_eq!(report.late_sends, run.report.nodes.iter().map(|node| node.late_sends).sum::<u64>());
    assert_eq!(report.latest, run.report.nodes.iter().map(|node| node.latest).max().unwrap());
}

#[test]
fn the_report_says_how_well_the_host_kept_pace() {
    let run = run(slow(2).clock(real(2.0)), mixture);
    let report = run.report.real_time.unwrap();
    assert_eq!(report.dilation, 2.0);
    assert_eq!(report.wall, run.wall);
    let error = run.wall.as_secs_f64() / 2.0 / run.report.modeled.as_secs_f64() - 1.0;
    assert!((report.error - error).abs() < 1e-9, "{} {error}", report.error);
}

#[test]
fn an_idle_machine_uses_no_cpu_to_speak_of() {
    // Sixteen nodes wait for a message that comes after 100 ms of modeled time, a second on the wall.
    let machine = slow(16).clock(real(10.0));
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let machine = machine.build().unwrap();
    let (before, began) = (cpu_time(ClockId::ProcessCPUTime), Instant::now());
    let run = machine.run(|node| {
        if node.rank() > 0 {
            return Ok(drop(node.world().recv(ANY_SOURCE)?));
        }
        node.compute(Span::from_millis(100))?;
        let sends: Result<Vec<_>, _> = (1..16).map(|to| node.world().isend(to, Payload::empty())).collect();
        Ok(drop(node.world().wait_all(sends?)?))
    });
    run.unwrap();
    let wall = began.elapsed();
    assert!(wall >= Duration::from_secs(1));
    // The other tests of this file wait meanwhile; the harness does nothing.
    let used = cpu_time(ClockId::ProcessCPUTime) - before;
    assert!(used < wall / 10, "{used:?} of {wall:?}");
}

#[test]
fn the_automatic_dilation_is_at_least_true_speed_and_runs() {
    let clock = Clock::RealTime { dilation: Dilation::Auto };
    let run = run(Machine::paragon(3, 3).clock(clock).wall_limit(Duration::from_secs(20)), mixture);
    let report = run.report.real_time.unwrap();
    assert!(report.dilation >= 1.0 && report.dilation.is_finite());
    assert!(run.wall.as_secs_f64() >= run.report.modeled.as_secs_f64() * report.dilation * 0.999);
}

#[test]
fn deadlines_and_probes_work_against_the_wall_clock() {
    let run = run(slow(2).clock(real(1.0)), |node| {
        let world = node.world();
        if node.rank() == 0 {
            node.compute(Span::from_millis(60))?;
            world.send(1, Payload::phantom(10))?;
            return Ok(true);
        }
        let deadline = Time::ZERO + Span::from_millis(20);
        let passed = matches!(world.recv_until(0, deadline), Err(CommError::DeadlinePassed { .. }));
        assert!(node.now()? >= deadline);
        let (source, _, bytes) = world.probe(ANY_SOURCE)?;
        assert_eq!((source, bytes), (0, 10));
        let message = world.recv_until(ANY_SOURCE, Time::MAX)?;
        Ok(passed && message.len() == 10)
    });
    assert_eq!(run.outputs, [true, true]);
}

#[test]
fn a_machine_with_a_hardware_barrier_keeps_it() {
    let barrier = Parameters::builder().send_overhead(2e-3).barrier(5e-3).build().unwrap();
    let run = run(slow(4).parameters(barrier).clock(real(1.0)), |node| {
        node.compute(Span::from_millis(10 * node.rank() as u64))?;
        node.world().barrier()?;
        Ok(node.now()?)
    });
    assert!(
        run.outputs.iter().all(|&time| time == run.outputs[0] && time >= Time::ZERO + Span::from_millis(35))
    );
}
