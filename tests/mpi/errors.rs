//! Runs that end with an error: all ranks get the same one, in the time that it takes, and the job can run again; until a rank
//! ends its job.

use std::time::Duration;

use multicomputer::{
    collective::Sum,
    error::{Failure, RunError, WaitsFor},
    mpi::{Job, Run},
    prelude::*,
};

/// All of them.
pub(crate) fn all(job: Job) {
    let job = job.patience(Duration::from_millis(300));
    failures(&job);
    deadlocks(&job);
    if job.size() > 1 {
        mismatches(&job);
        unreceived(&job);
        unwaited(&job);
        computing_is_waited_for(&job);
    }
    let job = job.wall_limit(Duration::from_secs(2));
    let rank = job.rank();
    if job.size() > 1 {
        wall_limit(&job);
        a_rank_leaves(job);
    }
    if rank == 0 {
        println!("errors: all as they should be");
    }
}

/// The job of the last rank ends while the others are about to run: they are told, as often as they try.
fn a_rank_leaves(job: Job) {
    let last = job.size() - 1;
    if job.rank() == last {
        return;
    }
    for _ in 0..2 {
        let refused = job.run(|node| Ok(node.world().recv(last).map(drop)?)).expect_err("a rank has left");
        let expected = format!("node {last} failed: its job has ended, but a run needs all ranks");
        assert_eq!(refused.to_string(), expected);
    }
}

/// The error of a run, after which another one goes well.
fn error_of<T: std::fmt::Debug>(job: &Job, program: impl Fn(&Node<'_>) -> Result<T, Failure>) -> RunError {
    let error = job.run(program).expect_err("the run should fail");
    let sum = job.run(|node| {
        let mut sum = node.rank() as u64 + 1;
        node.world().all_reduce(&mut sum, Sum)?;
        Ok(sum)
    });
    let size = job.size() as u64;
    assert_eq!(sum.unwrap().output, size * (size + 1) / 2, "the run after {error}");
    error
}

fn failures(job: &Job) {
    let last = job.size() - 1;
    // The others wait for it, are in a long computation, or have something on its way to it.
    let failed = error_of(job, |node| {
        let world = node.world();
        match node.rank() {
            rank if rank == last => Err("no luck today".into()),
            0 => Ok(world.send(last, vec![1_u8; 100_000])?),
            1 => Ok(node.compute(Span::from_micros(100_000))?),
            _ => Ok(world.recv(last).map(drop)?),
        }
    });
    assert_eq!(failed.to_string(), format!("node {last} failed: no luck today"));
    // The others never wait: they send, or look at the clock.
    let failed = error_of(job, |node| {
        while node.rank() != last {
            match node.rank() % 2 {
                0 => node.world().send(last, [1_u8])?,
                _ => drop(node.now()?),
            }
        }
        node.compute(Span::from_micros(10_000))?;
        Err::<(), Failure>("in the end".into())
    });
    let text = format!("node {last} failed: in the end (last call: tests/mpi/errors.rs:");
    assert!(failed.to_string().starts_with(&text), "{failed}");
    let panicked = error_of(job, |node| {
        assert!(node.rank() != last, "by intention");
        Ok(node.world().recv(last).map(drop)?)
    });
    assert!(matches!(panicked, RunError::Panicked { rank, .. } if rank == last), "{panicked}");
}

fn deadlocks(job: &Job) {
    let size = job.size();
    // Around a ring: each waits for the next.
    let ring = error_of(job, |node| Ok(node.world().recv((node.rank() + 1) % size)?.len()));
    let RunError::Deadlock(report) = &ring else { panic!("{ring}") };
    assert_eq!(report.cycle.len(), size);
    for node in &report.blocked {
        assert!(
            matches!(node.waits_for, WaitsFor::Message { source: Some(source), .. } if source == (node.rank + 1) % size)
        );
    }
    // Another tag than the one awaited: the report lists the messages, at most ten of one node.
    let tags = error_of(job, |node| {
        node.world().send((0, Tag(3)), 1_u64)?;
        Ok(node.world().recv((0, Tag(4)))?.len())
    });
    let RunError::Deadlock(report) = &tags else { panic!("{tags}") };
    assert_eq!((report.unreceived.len(), report.unreceived[0].tag), (size.min(10), Tag(3)));
    // One waits in a library call that the others do not make.
    let left = error_of(job, |node| match node.rank() {
        0 => Ok(node.world().barrier()?),
        _ => Ok(()),
    });
    if size > 1 {
        let RunError::Deadlock(report) = &left else { panic!("{left}") };
        assert_eq!(report.returned, (1..size).collect::<Vec<_>>());
        assert_eq!(report.blocked.len(), 1);
        assert_eq!((report.blocked[0].rank, report.blocked[0].within), (0, Some("barrier")));
    }
}

fn mismatches(job: &Job) {
    let lengths = error_of(job, |node| {
        let mut data = vec![1_u64; 8 + node.rank() % 2];
        Ok(node.world().all_reduce(&mut data, Sum)?)
    });
    assert!(lengths.to_string().contains("all-reduce on 9 u64"), "{lengths}");
    assert!(lengths.to_string().contains("all ranks must make the same call"), "{lengths}");
    assert!(lengths.to_string().contains("errors.rs:"), "{lengths}");
    let operations = error_of(job, |node| {
        let mut data = [1_u64; 8];
        match node.rank() % 2 {
            0 => Ok(node.world().all_reduce(&mut data, Sum)?),
            _ => Ok(node.world().barrier()?),
        }
    });
    assert!(operations.to_string().contains("a barrier"), "{operations}");
    let colors = error_of(job, |node| {
        let color = node.rank() % 2;
        node.world().split_by(|_| color)?.barrier()?;
        Ok(node.world().barrier()?)
    });
    assert!(colors.to_string().contains("`split_by`"), "{colors}");
}

fn unreceived(job: &Job) {
    let left = error_of(job, |node| {
        let world = node.world();
        world.send((0, Tag(3)), [node.rank() as u64])?;
        world.send((0, Tag(4)), vec![0_u8; 50_000])?;
        // In a group that the receiver does not make.
        if node.rank() == 1 {
            world.subgroup(&[1, 0])?.send(1, [1_u8])?;
        }
        Ok(())
    });
    let RunError::Unreceived(messages) = left else { panic!("{left}") };
    assert_eq!(messages.len(), 2 * job.size() + 1);
    assert!(messages.iter().all(|message| message.to == 0));
    assert_eq!(messages.iter().map(|message| message.bytes).sum::<u64>(), 50_008 * job.size() as u64 + 1);
}

/// The error lists the sends of all ranks.
fn unwaited(job: &Job) {
    let error = error_of(job, |node| {
        let (world, rank) = (node.world(), node.rank());
        world.isend((rank, Tag(4)), [rank as u64])?.detach();
        drop(world.isend((rank, Tag(5)), [rank as u64])?);
        world.recv((rank, Tag(4)))?;
        world.recv((rank, Tag(5)))?;
        Ok(())
    });
    let RunError::Unwaited(sends) = error else { panic!("{error}") };
    let ends: Vec<_> = sends.iter().map(|send| (send.from, send.to, send.tag)).collect();
    assert_eq!(ends, (0..job.size()).map(|rank| (rank, rank, Tag(5))).collect::<Vec<_>>());
}

/// A rank that makes no call for a while is no deadlock.
fn computing_is_waited_for(job: &Job) {
    let run: Run<u64> = job
        .run(|node| match node.rank() {
            0 => {
                std::thread::sleep(Duration::from_millis(1500));
                (1..node.size()).try_for_each(|other| node.world().send(other, 7_u64))?;
                Ok(7)
            }
            _ => Ok(node.world().recv(0)?.to_value::<u64>()?),
        })
        .unwrap();
    assert_eq!(run.output, 7);
}

fn wall_limit(job: &Job) {
    let error = error_of(job, |node| match node.rank() {
        0 => {
            // It makes calls, so this is no deadlock.
            while node.world().try_probe(1)?.is_none() {
                node.now()?;
            }
            Ok(())
        }
        _ => Ok(node.world().recv(0).map(drop)?),
    });
    assert!(matches!(error, RunError::WallLimit { .. }), "{error}");
    // Nobody ever waits.
    let error = error_of(job, |node| -> Result<(), Failure> {
        loop {
            node.world().try_probe(ANY_SOURCE)?;
        }
    });
    assert!(matches!(error, RunError::WallLimit { .. }), "{error}");
    let nested = job.run(|node| {
        let inner = job.run(|_| Ok(())).map(|run| run.report.messages);
        node.world().barrier()?;
        Ok(inner.map_err(|error| error.to_string()))
    });
    assert!(nested.unwrap().output.unwrap_err().contains("within another"));
}
