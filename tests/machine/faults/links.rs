//! Links that become slow, and links that die.

use multicomputer::{error::RunError, model::Parameters, prelude::*};

use super::{BYTES, failed, faults, faulty, finished, micros, one_message};
use crate::support::run;

// Slow links.

#[test]
fn a_link_that_becomes_slow_slows_what_is_under_way() {
    let line = || Machine::hockney(1, 4);
    // 500 bytes until 90 us, and 500 at half the speed.
    assert_eq!(finished(&run(&faulty(line(), &["slow:0->1:0.5@90us"]), one_message))[..2], [140.0, 205.0]);
    // 200 bytes until 75, 200 until 95, and 600 at full speed again.
    let for_a_while = faulty(line(), &["slow:0-1:0.5@75us", "slow:0-1:1@95us"]);
    assert_eq!(finished(&run(&for_a_while, one_message))[..2], [125.0, 190.0]);
    // From the start on; the other direction is another link.
    assert_eq!(finished(&run(&faulty(line(), &["slow:0-1:0.25@0s"]), one_message))[..2], [265.0, 330.0]);
    assert_eq!(finished(&run(&faulty(line(), &["slow:1->0:0.25@0s"]), one_message))[..2], [115.0, 180.0]);
    // A link with spare capacity: k = 2.
    let spare = Parameters::hockney().to_builder().link_excess(2.0).build().unwrap();
    let spare = faulty(line().parameters(spare), &["slow:0->1:0.5@0s"]);
    assert_eq!(finished(&run(&spare, one_message))[..2], [115.0, 180.0]);
}

#[test]
fn others_take_what_a_slowed_flow_leaves() {
    // 0 -> 2 and 1 -> 3 share link 1 -> 2, each at half the speed, until 85 us: 200 bytes each. Then 0 -> 2 has a quarter,
    // and ends 160 us later; 1 -> 3 has three quarters for its 800 bytes, and ends after 53.333 us.
    let machine = faulty(Machine::hockney(1, 4), &["slow:0->1:0.25@85us"]);
    let run = run(&machine, |node| {
        let rank = node.rank();
        if rank < 2 {
            node.world().send(rank + 2, BYTES)?
        } else {
            drop(node.world().recv(rank - 2)?)
        }
        Ok(())
    });
    assert_eq!(finished(&run), [245.0, 138.333333, 310.0, 203.333333]);
}

// Dead links.

#[test]
fn messages_take_detours_around_dead_links() {
    let hops = Parameters::hockney().to_builder().hop(1e-6).build().unwrap();
    let mesh = || Machine::hockney(2, 2).parameters(hops.clone());
    let of = |texts: &[&str]| {
        let run = run(&faulty(mesh(), texts), one_message);
        let links: Vec<String> = run.report.links.iter().map(|link| link.link.to_string()).collect();
        (finished(&run)[..2].to_vec(), links)
    };
    let direct = (vec![115.0, 181.0], vec!["node 0 -> node 1".to_owned()]);
    let around = ["node 2 -> node 3", "node 0 -> node 2", "node 3 -> node 1"].map(String::from).to_vec();
    assert_eq!(of(&["dead:0->1@0s"]), (vec![115.0, 183.0], around.clone()));
    // It takes its port at 65 us, when the link has just died.
    assert_eq!(of(&["dead:0->1@65us"]), (vec![115.0, 183.0], around));
    // It has left at 115 us, when the link dies.
    assert_eq!(of(&["dead:0->1@115us"]), direct);
    assert_eq!(of(&["dead:1->0@0s"]), direct);
}

#[test]
fn a_message_over_a_dead_link_without_a_detour_fails() {
    let error = "the message from node 0 to node 1 was lost: the link node 0 -> node 1 died at 1 us";
    let none = faults(&["dead:0-1@1us"]).detours(false);
    let machine = Machine::hockney(2, 2).faults(none).build().unwrap();
    let line = faulty(Machine::hockney(1, 4), &["dead:0-1@1us"]);
    for machine in [machine, line] {
        let run = run(&machine, |node| match node.rank() {
            0 => {
                let first = failed(node, node.world().send(1, BYTES))?;
                let request = node.world().isend(1, BYTES)?;
                Ok(vec![first, failed(node, request.wait())?])
            }
            _ => Ok(Vec::new()),
        });
        // When it would take its port.
        assert_eq!(run.outputs[0], [(error.to_owned(), 65.0), (error.to_owned(), 130.0)]);
        let lost: Vec<_> =
            run.report.lost.iter().map(|lost| (lost.to, lost.bytes, micros(lost.at))).collect();
        assert_eq!(lost, [(1, 1000, 65.0), (1, 1000, 130.0)]);
        assert!(run.report.to_string().contains("lost"), "{}", run.report);
        match machine.run(one_message) {
            Err(RunError::Node { rank: 0, source, .. }) => assert_eq!(source.to_string(), error),
            other => panic!("{:?}", other.map(|run| run.report)),
        }
    }
}

#[test]
fn a_message_is_lost_on_a_link_that_dies_under_it() {
    let error =
        "the message from node 0 to node 1 was lost: the link node 0 -> node 1 died at 90 us".to_owned();
    let machine = faulty(Machine::hockney(1, 4), &["dead:0-1@90us"]);
    let run = run(&machine, |node| {
        let world = node.world();
        match node.rank() {
            0 => Ok(vec![failed(node, world.send((1, Tag(3)), BYTES))?]),
            1 => {
                // Before it was lost, and then what nobody sends any more.
                let first = failed(node, world.recv((0, Tag(3))))?;
                let none = failed(node, world.recv_until(0, Time::ZERO + Span::from_micros(100)))?;
                Ok(vec![first, none])
            }
            _ => Ok(Vec::new()),
        }
    });
    assert_eq!(run.outputs[0], [(error.clone(), 90.0)]);
    assert_eq!(run.outputs[1][0], (error.clone(), 90.0));
    assert_eq!(run.outputs[1][1].1, 100.0);
    assert_eq!((run.report.lost.len(), run.report.unreceived.len()), (1, 0));
    // Looked for later, by a receive, a request, a probe and from any source.
    for what in 0..4 {
        let late = self::run(&machine, |node| {
            let world = node.world();
            match node.rank() {
                0 => failed(node, world.send(1, BYTES)),
                1 => {
                    node.compute(Span::from_micros(200))?;
                    match what {
                        0 => failed(node, world.recv(0)),
                        1 => failed(node, world.irecv(0)?.wait()),
                        2 => failed(node, world.probe(0)),
                        _ => failed(node, world.recv(ANY_SOURCE)),
                    }
                }
                _ => Ok(Default::default()),
            }
        });
        assert_eq!(late.outputs[1], (error.clone(), 200.0), "{what}");
    }
}

#[test]
fn a_sendrecv_fails_with_the_first_of_its_halves() {
    // 0 and 1 exchange; what goes to 1 is lost at 90 us, what goes to 0 leaves at 115 and can be received afterwards.
    let machine = faulty(Machine::hockney(1, 2), &["dead:0->1@90us"]);
    let run = run(&machine, |node| {
        let partner = 1 - node.rank();
        let failure = failed(node, node.world().sendrecv(partner, BYTES, partner))?;
        if node.rank() == 0 {
            node.world().recv(1)?;
        }
        Ok(failure.1)
    });
    assert_eq!(run.outputs, [90.0, 90.0]);
    assert_eq!(finished(&run), [180.0, 90.0]);
}
