//! Runs that do not end, and the end of time.

use super::*;

#[test]
fn a_wall_limit_ends_an_endless_run() {
    for clock in BOTH_CLOCKS {
        for ignoring in [false, true] {
            let began = Instant::now();
            let limit = Duration::from_millis(200);
            let error = failure(mesh(1, 3).clock(clock).wall_limit(limit), |node| {
                let (world, rank) = (node.world(), node.rank());
                loop {
                    let passed = world.sendrecv((rank + 1) % 3, [1_u8], (rank + 2) % 3);
                    if !ignoring {
                        passed?;
                    }
                    if rank > 3 {
                        return Ok(());
                    }
                }
            });
            let RunError::WallLimit { limit: given, ref nodes } = error else { panic!("{error}") };
            assert_eq!((given, nodes.len()), (limit, 3), "{clock:?}");
            let text = error.to_string();
            assert!(
                text.starts_with("the run exceeded its wall limit, 200ms; 3 nodes had not finished"),
                "{text}"
            );
            assert!(began.elapsed() >= limit && began.elapsed() < Duration::from_secs(4));
        }
    }
}

#[test]
fn a_wall_limit_ends_a_program_that_sleeps_and_then_calls() {
    let error = failure(mesh(1, 1).wall_limit(Duration::from_millis(50)), |node| {
        std::thread::sleep(Duration::from_millis(200));
        Ok(node.compute(Span::from_micros(1))?)
    });
    assert!(matches!(error, RunError::WallLimit { .. }), "{error}");
}

#[test]
fn a_run_within_its_limit_is_left_alone() {
    let _alone = alone();
    for clock in BOTH_CLOCKS {
        mesh(1, 2).clock(clock).build().unwrap().run(|node| Ok(node.world().barrier()?)).unwrap();
    }
}

#[test]
fn a_clock_that_passes_the_end_of_time_ends_the_run() {
    for clock in BOTH_CLOCKS {
        let error = failure(mesh(1, 3).clock(clock), |node| {
            if node.rank() == 1 {
                node.compute(Duration::MAX)?;
            }
            node.world().barrier()?;
            Ok(())
        });
        assert!(matches!(error, RunError::TimeOverflow { rank: 1 }), "{clock:?}: {error}");
        assert!(error.to_string().contains("the clock of node 1 passed"), "{error}");
    }
}

#[test]
fn a_message_that_takes_longer_than_time_lasts_ends_the_run() {
    // 1 GiB at 10^6 seconds a byte.
    let slow = Parameters::builder().beta(1e6).build().unwrap();
    let error = failure(mesh(1, 2).parameters(slow), |node| {
        if node.rank() == 0 {
            node.world().send(1, Payload::phantom(1 << 30))?;
        } else {
            node.world().recv(0)?;
        }
        Ok(())
    });
    assert!(matches!(error, RunError::TimeOverflow { .. }), "{error}");
}

#[test]
fn a_deadline_at_the_end_of_time_is_no_deadline() {
    let report = deadlock(mesh(1, 1), |node| Ok(drop(node.world().recv_until(0, Time::MAX)?)));
    assert_eq!(report.cycle, [0]);
}

#[test]
fn the_wall_limit_tells_what_the_sleeping_nodes_wait_for() {
    let machine = mesh(1, 2).wall_limit(Duration::from_millis(100));
    let error = failure(machine, |node| {
        if node.rank() == 0 {
            std::thread::sleep(Duration::from_millis(300));
            node.now()?;
            return Ok(());
        }
        Ok(drop(node.world().recv(0)?))
    });
    let RunError::WallLimit { nodes, .. } = error else { panic!("{error}") };
    assert!(matches!(nodes[1].waits_for, WaitsFor::Message { source: Some(0), .. }), "{nodes:?}");
}

#[test]
fn the_wall_limit_does_not_list_programs_that_have_returned() {
    // Modeled time waits for node 0, so that the message of node 1 has not left when both ends of it have returned.
    let machine = mesh(1, 3).wall_limit(Duration::from_millis(100));
    let error = failure(machine, |node| match node.rank() {
        0 => {
            std::thread::sleep(Duration::from_millis(300));
            Ok(node.now().map(drop)?)
        }
        1 => Ok(node.world().send(2, [1_u8])?),
        _ => Ok(drop(node.world().recv(1)?)),
    });
    let RunError::WallLimit { ref nodes, .. } = error else { panic!("{error}") };
    assert_eq!(nodes.iter().map(|node| node.rank).collect::<Vec<_>>(), [0], "{error}");
    assert!(error.to_string().contains("; 1 node had not finished"), "{error}");
}
