//! Real time: modeled times are those of virtual time in every run, the wall clock holds answers back until they are due,
//! and nobody spins. The host may be busy, so nothing here fails because something took long.

#![allow(clippy::unit_arg, reason = "programs that end with a call")]

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use multicomputer::{
    Dilation, MachineBuilder, Payload, Run,
    collective::Collective,
    error::{Failure, RunError},
    model::Parameters,
    prelude::*,
    report::Verdict,
};
use rustix::time::{ClockId, clock_gettime};

use crate::support::{self, alone};

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
    let _alone = alone();
    support::run(&machine.build().unwrap(), program)
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
fn modeled_times_are_those_of_virtual_time_at_every_dilation() {
    let virtually = run(slow(4), mixture);
    assert_eq!(virtually.report.real_time, None);
    for dilation in [0.01, 0.1, 1.0] {
        let really = run(slow(4).clock(real(dilation)), mixture);
        assert_eq!(really.outputs, virtually.outputs, "dilation {dilation}");
        assert_eq!(really.report.nodes, virtually.report.nodes, "dilation {dilation}");
    }
}

#[test]
fn a_host_that_cannot_keep_up_says_so_and_changes_no_modeled_time() {
    // A hundred nodes, each of whose calls takes two microseconds and a half.
    let parameters =
        Parameters::builder().send_overhead(1e-6).receive_overhead(1e-6).beta(1e-9).build().unwrap();
    let machine = || Machine::mesh(10, 10).parameters(parameters.clone()).wall_limit(Duration::from_secs(20));
    let (virtually, really) = (run(machine(), mixture), run(machine().clock(real(0.001)), mixture));
    assert_eq!(really.report.nodes, virtually.report.nodes);
    let report = really.report.real_time.unwrap();
    assert_eq!(report.verdict, Verdict::Slipped, "{report:?}");
    assert!(
        report.error > 0.02
            && report.largest_lateness.by > Duration::ZERO
            && report.late_calls <= report.calls,
        "{report:?}"
    );
    assert!(really.report.to_string().contains("SLIPPED"), "{}", really.report);
}

#[test]
fn what_a_library_call_does_is_held_back_as_a_whole() {
    let all_gather = |node: &Node<'_>| {
        let all = node.world().all_gather(&(node.rank() as u32), node.size())?;
        assert!(all.iter().copied().eq(0..16));
        Ok(node.now()?)
    };
    let (virtually, really) = (run(slow(16), all_gather), run(slow(16).clock(real(0.5)), all_gather));
    assert_eq!(really.outputs, virtually.outputs);
    // The all-gather and the look at the time, whatever the all-gather is made of.
    assert_eq!(really.report.real_time.unwrap().calls, 2 * 16);
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
            run.wall.as_secs_f64() >= run.report.makespan.as_secs_f64() * dilation * 0.999,
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
    assert!(run.report.makespan >= Time::ZERO + Span::from_millis(105));
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
fn a_program_that_sleeps_makes_modeled_time_wait() {
    let run = run(slow(2).clock(real(1.0)), |node| {
        node.compute(Span::from_millis(1))?;
        if node.rank() == 0 {
            thread::sleep(Duration::from_millis(60));
            node.world().send(1, Payload::empty())?;
        } else {
            node.world().recv(0)?;
        }
        Ok(node.now()?)
    });
    // o_s, L and o_r after the first millisecond.
    assert_eq!(run.outputs[1], Time::ZERO + Span::from_millis(6));
    let report = run.report.real_time.unwrap();
    assert!(report.largest_lateness.by >= Duration::from_millis(50), "{report:?}");
    assert_eq!(report.verdict, Verdict::Slipped);
}

#[test]
fn the_clock_of_a_program_that_computes_is_followed() {
    // Node 0 computes until the others, which it cannot influence so early, are done with each other.
    let done = AtomicBool::new(false);
    let run = run(slow(3).clock(real(1.0)), |node| {
        let (world, rank) = (node.world(), node.rank());
        if rank == 0 {
            node.compute(Span::from_micros(1))?;
            let began = Instant::now();
            while !done.load(Ordering::Relaxed) && began.elapsed() < Duration::from_secs(10) {
                std::hint::spin_loop();
            }
            return Ok(done.load(Ordering::Relaxed));
        }
        for _ in 0..5 {
            world.sendrecv(3 - rank, Payload::phantom(10), 3 - rank)?;
        }
        done.store(true, Ordering::Relaxed);
        Ok(true)
    });
    assert!(run.outputs[0], "the others waited for it");
    // Five exchanges of o_s, L, o_r and ten bytes.
    assert_eq!(
        run.report.nodes[1].finished,
        Time::ZERO + (Span::from_millis(5) + Span::from_micros(10)).times(5)
    );
    assert_eq!(run.report.nodes[2].finished, run.report.nodes[1].finished);
}

#[test]
fn who_polls_lives_by_the_wall_clock_from_the_second_look_on() {
    let poll_for_a_message = |node: &Node<'_>| {
        if node.rank() == 1 {
            node.compute(Span::from_millis(20))?;
            node.world().send(0, Payload::empty())?;
            return Ok(node.now()?);
        }
        while node.world().try_probe(1)?.is_none() {}
        Ok(node.now()?)
    };
    // o_s and L after the 20 ms.
    let seen = run(slow(2).clock(real(0.5)), poll_for_a_message).outputs[0];
    assert!(seen >= Time::ZERO + Span::from_millis(23), "{seen}");
    let watch_the_clock = |node: &Node<'_>| {
        while node.now()? < Time::ZERO + Span::from_millis(20) {}
        Ok(node.now()?)
    };
    assert!(run(slow(1).clock(real(0.5)), watch_the_clock).outputs[0] >= Time::ZERO + Span::from_millis(20));
    // In virtual time both would poll for ever, and are told.
    let _alone = alone();
    for error in [
        slow(2).build().unwrap().run(poll_for_a_message).unwrap_err(),
        slow(1).build().unwrap().run(watch_the_clock).unwrap_err(),
    ] {
        assert!(error.to_string().contains("endless polling"), "{error}");
    }
}

#[test]
fn a_single_look_sees_what_it_sees_in_virtual_time() {
    let program = |node: &Node<'_>| {
        let (world, rank) = (node.world(), node.rank());
        let mut seen = Vec::new();
        for step in 0..6 {
            node.compute(Span::from_millis(step))?;
            match (rank, step % 2) {
                (0, _) => world.send(1, Payload::phantom(100 * step))?,
                (_, 0) => seen.push((world.try_probe(0)?.is_some(), Time::ZERO)),
                _ => drop(world.recv(0)?),
            }
            node.compute(Span::from_micros(1))?;
            seen.push((true, node.now()?));
        }
        Ok(seen)
    };
    let machine = || slow(2).deny_unreceived(false);
    assert_eq!(run(machine().clock(real(0.3)), program).outputs, run(machine(), program).outputs);
}

#[test]
fn a_look_that_finds_something_is_no_polling() {
    // Where messages cost nothing, so that nothing between the looks takes time.
    let program = |node: &Node<'_>| {
        let (world, rank) = (node.world(), node.rank());
        for _ in 0..20 {
            world.send(rank, Payload::empty())?;
            world.recv_until(rank, Time::ZERO)?;
            assert!(world.recv_until(rank, Time::ZERO).is_err());
            node.compute(Span::from_micros(1))?;
        }
        Ok(())
    };
    let free = || Machine::mesh(1, 2).parameters(Parameters::builder().build().unwrap());
    assert_eq!(run(free().clock(real(1.0)), program).report.nodes, run(free(), program).report.nodes);
}

#[test]
fn what_would_take_for_ever_is_refused_unless_there_is_a_limit() {
    let _alone = alone();
    let parameters = Parameters::builder().beta(1.0).build().unwrap();
    let machine = || Machine::mesh(1, 2).parameters(parameters.clone()).clock(real(1.0));
    let program = |node: &Node<'_>| match node.rank() {
        0 => Ok(node.world().send(1, Payload::phantom(1 << 20))?),
        _ => Ok(drop(node.world().recv(0)?)),
    };
    let error = machine().build().unwrap().run(program).unwrap_err();
    assert!(
        matches!(error, RunError::TooSlow { wait, .. } if wait > Duration::from_secs(1_000_000)),
        "{error}"
    );
    assert!(error.to_string().contains("1048576 s of modeled time"), "{error}");
    let limited = machine().wall_limit(Duration::from_millis(50)).build().unwrap().run(program).unwrap_err();
    assert!(matches!(limited, RunError::WallLimit { .. }), "{limited}");
}

#[test]
fn the_report_says_how_well_the_host_kept_pace() {
    let run = run(slow(2).clock(real(2.0)), mixture);
    let report = run.report.real_time.unwrap();
    assert_eq!(report.dilation, 2.0);
    assert_eq!(report.wall, run.wall);
    let error = run.wall.as_secs_f64() / 2.0 / run.report.makespan.as_secs_f64() - 1.0;
    assert!((report.error - error).abs() < 1e-9, "{} {error}", report.error);
}

#[test]
fn an_idle_machine_uses_no_cpu_to_speak_of() {
    // Sixteen nodes wait for a message that comes after 100 ms of modeled time, a second on the wall.
    let machine = slow(16).clock(real(10.0));
    let _alone = alone();
    let machine = machine.build().unwrap();
    let (before, began) = (cpu_time(ClockId::ProcessCPUTime), Instant::now());
    let run = machine.run(|node| {
        if node.rank() > 0 {
            return Ok(drop(node.world().recv(ANY_SOURCE)?));
        }
        node.compute(Span::from_millis(100))?;
        let sends: Result<Vec<_>, _> = (1..16).map(|to| node.world().isend(to, Payload::empty())).collect();
        Ok(drop(Request::wait_all(sends?)?))
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
    assert!(run.wall.as_secs_f64() >= run.report.makespan.as_secs_f64() * report.dilation * 0.999);
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
        let status = world.probe(ANY_SOURCE)?;
        assert_eq!((status.source, status.bytes), (0, 10));
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
