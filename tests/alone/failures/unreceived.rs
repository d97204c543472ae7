//! Messages never received, and sends never waited for.

use super::*;

fn two_lost_messages(machine: MachineBuilder) -> Result<Run<()>, RunError> {
    let _alone = alone();
    machine.build().unwrap().run(|node| {
        let world = node.world();
        match node.rank() {
            0 => {
                world.send((1, Tag(1)), Payload::phantom(10))?;
                node.row()?.send((1, Tag(2)), Payload::phantom(20))?;
                world.send((1, Tag(3)), Payload::phantom(30))?;
            }
            _ => drop(world.recv((0, Tag(3)))?),
        }
        Ok(())
    })
}

#[test]
fn messages_never_received_are_listed() {
    for clock in BOTH_CLOCKS {
        let run = two_lost_messages(mesh(1, 2).clock(clock)).unwrap();
        let lost: Vec<_> =
            run.report.unreceived.iter().map(|m| (m.from, m.to, m.tag.0, m.bytes, &m.group[..])).collect();
        assert_eq!(lost, [(0, 1, 1, 10, "the world"), (0, 1, 2, 20, "row 0")]);
    }
}

#[test]
fn messages_never_received_can_be_an_error() {
    for clock in BOTH_CLOCKS {
        let error = two_lost_messages(mesh(1, 2).clock(clock).deny_unreceived(true)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "2 messages never received\n  0 -> 1, tag 1, 10 bytes, in the world\n  0 -> 1, tag 2, 20 bytes, in row 0"
        );
        let RunError::Unreceived(lost) = error else { panic!("{error}") };
        assert_eq!(lost.len(), 2);
    }
}

#[test]
fn messages_still_on_their_way_at_the_end_are_listed() {
    let _alone = alone();
    let run = mesh(1, 2).build().unwrap().run(|node| {
        if node.rank() == 0 {
            drop(node.world().isend(1, Payload::phantom(1 << 20))?);
            drop(node.world().isend(1, Payload::phantom(7))?);
        }
        Ok(())
    });
    let lost: Vec<_> = run.unwrap().report.unreceived.iter().map(|message| message.bytes).collect();
    assert_eq!(lost, [1 << 20, 7]);
}

/// Node 0 drops the request of one of its four sends; all messages are received.
fn one_dropped_send(machine: MachineBuilder) -> Result<Run<()>, RunError> {
    let _alone = alone();
    machine.build().unwrap().run(|node| {
        let (world, row) = (node.world(), node.row()?);
        match node.rank() {
            0 => {
                world.isend((1, Tag(1)), Payload::phantom(10))?.wait()?;
                world.isend((1, Tag(2)), Payload::phantom(20))?.detach();
                drop(row.isend((1, Tag(3)), Payload::phantom(30))?);
                let mut sent = [Some(world.isend((1, Tag(4)), Payload::phantom(40))?)];
                Request::wait_any(&mut sent)?;
            }
            _ => {
                for (group, tag) in [(world, 1), (world, 2), (row, 3), (world, 4)] {
                    group.recv((0, Tag(tag)))?;
                }
            }
        }
        Ok(())
    })
}

#[test]
fn sends_dropped_without_a_wait_are_listed_and_can_be_an_error() {
    for clock in [Clock::Virtual, REAL, Clock::Host] {
        let report = one_dropped_send(mesh(1, 2).clock(clock)).unwrap().report;
        let [send] = &report.unwaited[..] else { panic!("{:?}", report.unwaited) };
        assert_eq!((send.from, send.to, send.tag, send.bytes, &send.group[..]), (0, 1, Tag(3), 30, "row 0"));
        assert!(report.unreceived.is_empty());
        let error = one_dropped_send(mesh(1, 2).clock(clock).deny_unreceived(true)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "1 send request dropped without a wait: wait for each request, or detach it\n  \
             0 -> 1, tag 3, 30 bytes, in row 0"
        );
        assert!(matches!(error, RunError::Unwaited(sends) if sends.len() == 1));
    }
}
