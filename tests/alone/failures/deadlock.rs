//! Deadlocks.

use super::*;

#[test]
fn a_ring_of_receives_is_found_with_its_cycle_in_both_clocks() {
    for clock in BOTH_CLOCKS {
        let report = deadlock(mesh(1, 4).clock(clock), |node| {
            let rank = node.rank();
            if rank == 0 {
                // Leads into the cycle, is not part of it.
                return Ok(drop(node.world().recv((3, Tag(7)))?));
            }
            Ok(drop(node.world().recv(rank % 3 + 1)?))
        });
        let blocked: Vec<_> = report.blocked.iter().map(|node| (node.rank, node.waits_for.clone())).collect();
        let named = |source| message(Some(source), None);
        assert_eq!(blocked, [(0, message(Some(3), Some(7))), (1, named(2)), (2, named(3)), (3, named(1))]);
        assert_eq!(report.cycle, [3, 1, 2]);
        let text = report.to_string();
        assert!(text.starts_with("deadlock: 4 nodes are blocked"), "{text}");
        assert!(text.contains("node 0 has waited since 0 s for a message from node 3 with tag 7"), "{text}");
        assert!(text.contains("\n  cycle: 3 -> 1 -> 2 -> 3\n"), "{text}");
    }
}

#[test]
fn a_deadlock_is_found_at_once_in_both_clocks() {
    for clock in BOTH_CLOCKS {
        let began = Instant::now();
        deadlock(mesh(1, 2).clock(clock), |node| Ok(node.world().recv(ANY_SOURCE)?.source));
        assert!(began.elapsed() < Duration::from_secs(4));
    }
}

#[test]
fn a_deadlock_is_found_after_the_last_message_has_come_in_vain() {
    // Node 0 has finished when its message, 50 ms later, arrives with a tag that node 1 does not want.
    let slow = Parameters::builder().send_overhead(10e-6).latency(50e-3).build().unwrap();
    for clock in BOTH_CLOCKS {
        let report = deadlock(mesh(1, 2).parameters(slow.clone()).clock(clock), |node| {
            let world = node.world();
            if node.rank() == 0 {
                return Ok(world.send((1, Tag(1)), [1_u8])?);
            }
            Ok(drop(world.recv((0, Tag(2)))?))
        });
        assert_eq!(report.blocked.len(), 1);
        assert_eq!(report.blocked[0].waits_for, message(Some(0), Some(2)));
        assert_eq!(report.cycle, Vec::<Rank>::new());
    }
}

#[test]
fn a_deadlock_says_since_when_and_for_which_of_several_requests() {
    for clock in BOTH_CLOCKS {
        let report = deadlock(mesh(1, 3).clock(clock), |node| {
            let world = node.world();
            node.compute(Span::from_millis(2))?;
            match node.rank() {
                0 => {
                    let mut posted = [Some(world.irecv(1)?), Some(world.irecv((2, Tag(4)))?)];
                    Request::wait_any(&mut posted)?;
                }
                1 => drop(world.irecv(ANY_SOURCE)?.wait()?),
                _ => drop(world.probe((ANY_SOURCE, Tag(5)))?),
            }
            Ok(())
        });
        let waits: Vec<_> = report.blocked.iter().map(|node| node.waits_for.clone()).collect();
        let any_of = WaitsFor::Requests(vec![message(Some(1), None), message(Some(2), Some(4))]);
        assert_eq!(waits, [any_of, message(None, None), message(None, Some(5))]);
        if clock == Clock::Virtual {
            let since = Time::ZERO + Span::from_millis(2);
            assert!(report.blocked.iter().all(|node| node.since == since), "{report}");
        }
    }
}

#[test]
fn a_deadlock_names_the_group() {
    let report = deadlock(mesh(2, 2), |node| Ok(drop(node.row()?.recv(0)?)));
    assert_eq!(report.blocked.len(), 4);
    // Rank 0 of row 1 is node 2 of the world, and waits for itself.
    let text = report.to_string();
    assert!(text.contains("node 3 has waited since 0 s for a message from node 2 in row 1"), "{text}");
    assert_eq!(report.cycle, [0]);
}

#[test]
fn a_deadlock_in_a_collective_operation_names_it_and_who_has_returned() {
    for clock in BOTH_CLOCKS {
        let report = deadlock(mesh(1, 4).clock(clock), |node| match node.rank() {
            3 => Ok(Vec::new()),
            rank => Ok(node.world().all_gather(&[rank as u64], 4)?),
        });
        assert_eq!(report.returned, [3]);
        assert!(report.blocked.iter().all(|node| node.within == Some("all-gather")), "{report}");
        let text = report.to_string();
        assert!(text.starts_with("deadlock: 3 nodes are blocked, 1 returned\n"), "{text}");
        assert!(text.contains("in all-gather for node 3, which has returned"), "{text}");
        let report = deadlock(mesh(1, 2).clock(clock), |node| match node.rank() {
            0 => Ok(()),
            _ => Ok(drop(node.world().recv(0)?)),
        });
        let expected = "deadlock: 1 node is blocked, 1 returned\n  node 1 has waited since 0 s for a message from node 0; \
                        node 0 has returned";
        assert_eq!(without_places(&report), expected);
    }
}

#[test]
fn a_barrier_that_not_all_come_to_is_a_deadlock() {
    let with_barrier = || {
        let parameters = Parameters::builder().send_overhead(10e-6).barrier(1e-6).build().unwrap();
        mesh(1, 3).parameters(parameters)
    };
    for clock in BOTH_CLOCKS {
        let program = |node: &Node<'_>| if node.rank() == 1 { Ok(()) } else { Ok(node.world().barrier()?) };
        let report = deadlock(with_barrier().clock(clock), program);
        let waits: Vec<_> = report.blocked.iter().map(|node| (node.rank, node.waits_for.clone())).collect();
        assert_eq!(waits, [(0, WaitsFor::Barrier), (2, WaitsFor::Barrier)]);
        // The same by messages.
        let report = deadlock(mesh(1, 3).clock(clock), program);
        assert_eq!(report.blocked.iter().map(|node| node.rank).collect::<Vec<_>>(), [0, 2]);
    }
}

#[test]
fn every_call_fails_after_a_deadlock() {
    // Even a program that goes on after the error is ended, and the deadlock remains what is reported.
    let report = deadlock(mesh(1, 2), |node| {
        assert_eq!(node.world().recv(ANY_SOURCE).unwrap_err(), CommError::Deadlock);
        assert_eq!(node.now().unwrap_err(), CommError::Deadlock);
        assert_eq!(node.world().send(0, "x").unwrap_err(), CommError::Deadlock);
        Ok(())
    });
    assert_eq!(report.blocked.len(), 2);
}

#[test]
fn a_deadline_that_was_met_does_not_hide_a_deadlock() {
    let report = deadlock(mesh(1, 2).clock(REAL), |node| {
        let world = node.world();
        if node.rank() == 0 {
            world.send(1, [1_u8])?;
        } else {
            world.recv_until(0, Time::ZERO + Span::from_millis(60_000))?;
        }
        Ok(world.recv(1 - node.rank())?)
    });
    assert_eq!(report.cycle, [0, 1]);
}
