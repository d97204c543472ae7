//! Messages that slow others, and where.

use super::*;

/// Worked example 2, of 1000 bytes each: on the link each slows the other down by the 50 us that it takes itself.
#[test]
fn two_messages_over_one_link_slow_each_other() {
    let run = explained(line(4), messages(&[(0, 2, 1000), (1, 3, 1000)]));
    let path = run.critical_path().unwrap();
    assert_eq!(
        story(&path),
        [
            (Kind::SendOverhead, 0, 0, 65_000),
            (Kind::Bytes, 0, 65_000, 115_000),
            (Kind::Sharing, 0, 115_000, 165_000),
            (Kind::ReceiveOverhead, 2, 165_000, 230_000)
        ]
    );
    let shared = path.pieces[2].place.unwrap();
    let topology = run.explain().unwrap().places;
    assert_eq!(topology[&shared], "node 1 -> node 2");
    let blame = run.blame().unwrap();
    let told: Vec<_> =
        blame.losses.iter().map(|loss| (loss.place, loss.slowed.from, loss.by.from, loss.lost)).collect();
    assert_eq!(told, [(shared, 0, 1, micros(50)), (shared, 1, 0, micros(50))]);
    assert_eq!(blame.own, Span::ZERO);
}

/// Worked example 3: the short message and the first third of the long one share the link from 65 to 165 us.
#[test]
fn a_long_message_loses_only_while_the_short_one_moves() {
    let run = explained(line(4), messages(&[(0, 3, 1000), (1, 2, 3000)]));
    assert_eq!(
        story(&run.critical_path().unwrap()),
        [
            (Kind::SendOverhead, 1, 0, 65_000),
            (Kind::Bytes, 1, 65_000, 115_000),
            (Kind::Sharing, 1, 115_000, 165_000),
            (Kind::Bytes, 1, 165_000, 265_000),
            (Kind::ReceiveOverhead, 2, 265_000, 330_000)
        ]
    );
    let losses: Vec<_> =
        run.blame().unwrap().losses.iter().map(|loss| (loss.slowed.from, loss.lost)).collect();
    assert_eq!(losses, [(0, micros(50)), (1, micros(50))]);
    let shares: Vec<_> = run.trace.shares.iter().map(|share| (share.from, share.rate.round())).collect();
    assert_eq!(shares, [(0, 1e7), (1, 1e7), (1, 2e7)]);
}

/// Worked example 5: three messages into one port. Each takes 150 us instead of 50, and the others share the blame.
#[test]
fn blame_for_a_port_is_shared_by_those_that_use_it() {
    let run = explained(line_with(4, |given| given.link_excess(4.0)), |node| {
        let world = node.world();
        if node.rank() > 0 {
            return Ok(world.send(0, vec![0_u8; 1000])?);
        }
        (1..4).try_for_each(|from| world.recv(from).map(drop))?;
        Ok(())
    });
    let blame = run.blame().unwrap();
    assert_eq!(blame.losses.len(), 6);
    assert!(blame.losses.iter().all(|loss| loss.place == Bottleneck::InPort(0) && loss.lost == micros(50)));
    assert_eq!(blame.slowed().into_values().collect::<Vec<_>>(), [micros(100); 3]);
}

/// Worked example 7: node 0 and node 3 both lose by the message of node 1, which loses to one of them on the first of the
/// links that are full. Of the link from 3 to 4 and the in-port of 4, which are full at the same rate, it is the link.
#[test]
fn blame_is_where_the_bottleneck_is() {
    let run = explained(line(5), |node| {
        let world = node.world();
        match node.rank() {
            0 => world.send(2, vec![0_u8; 1200])?,
            1 | 3 => world.send(4, vec![0_u8; 1200])?,
            2 => drop(world.recv(0)?),
            _ => {
                world.recv(3)?;
                world.recv(1)?;
            }
        }
        Ok(())
    });
    let places = run.explain().unwrap().places;
    let blame = run.blame().unwrap();
    let told: Vec<_> = blame
        .losses
        .iter()
        .map(|loss| (&*places[&loss.place], loss.slowed.from, loss.by.from, loss.lost))
        .collect();
    let lost = micros(60);
    let link = "node 1 -> node 2";
    assert_eq!(told, [(link, 0, 1, lost), (link, 1, 0, lost), ("node 3 -> node 4", 3, 1, lost)]);
}

/// A link of half the speed of a port: a message alone takes 100 us for 50, which is nobody's fault. Two take 200.
#[test]
fn a_slow_link_is_nobodys_blame() {
    let slow = || line_with(4, |given| given.link_excess(0.5));
    let run = explained(slow(), messages(&[(0, 1, 1000)]));
    let blame = run.blame().unwrap();
    assert_eq!((blame.losses.len(), blame.own), (0, micros(50)));
    assert_eq!(run.critical_path().unwrap().time(Kind::Bytes), micros(100));
    let run = explained(slow(), messages(&[(0, 2, 1000), (1, 3, 1000)]));
    let blame = run.blame().unwrap();
    assert_eq!((blame.shared(), blame.own), (micros(200), micros(100)));
    let path = run.critical_path().unwrap();
    assert_eq!((path.time(Kind::Bytes), path.time(Kind::Sharing)), (micros(100), micros(100)));
}

/// Worked example 7b: with k = 1.5 the messages of 1 and 3 get half a port each, and node 0 what is left of the link, which
/// is all that its port can take.
#[test]
fn who_does_not_lose_has_no_losses() {
    let run = explained(line_with(5, |given| given.link_excess(1.5)), |node| {
        let world = node.world();
        match node.rank() {
            0 => world.send(2, vec![0_u8; 1200])?,
            1 | 3 => world.send(4, vec![0_u8; 1200])?,
            2 => drop(world.recv(0)?),
            _ => (0..2).try_for_each(|_| world.recv(ANY_SOURCE).map(drop))?,
        }
        Ok(())
    });
    let blame = run.blame().unwrap();
    assert!(blame.slowed().keys().all(|message| message.from != 0), "{blame:?}");
    assert_eq!(blame.shared(), micros(120));
}
