//! The place of the last call in the program, which reports of deadlocks and errors of nodes have.

use std::sync::Arc;

use multicomputer::{
    Clock, Payload,
    all_to_all::Matrix,
    collective::Sum,
    comm::{Active, Handling},
    error::RunError,
    nx::Nx,
    prelude::*,
};

/// A call that waits for node 0 of two nodes, which has returned.
type Waiting = fn(&Node<'_>) -> Result<(), Failure>;

/// One call of every kind.
const CALLS: &[(&str, Waiting)] = &[
    ("recv", |node| Ok(node.world().recv(0).map(drop)?)),
    ("sendrecv", |node| Ok(node.world().sendrecv(0, [1_u8], 0).map(drop)?)),
    ("probe", |node| Ok(node.world().probe(0).map(drop)?)),
    ("barrier", |node| Ok(node.world().barrier()?)),
    ("broadcast", |node| Ok(node.world().broadcast(0, &mut [0_u8; 10])?)),
    ("scatter", |node| Ok(node.world().scatter(0, &[0_u8; 0], 10).map(drop)?)),
    ("gather", |node| Ok(node.world().gather(1, &[0_u8; 5], 10).map(drop)?)),
    ("all-gather", |node| Ok(node.world().all_gather(&[0_u8; 5], 10).map(drop)?)),
    ("reduce", |node| Ok(node.world().reduce(1, &mut [1_u32], Sum)?)),
    ("all-reduce", |node| Ok(node.world().all_reduce(&mut [1_u32], Sum)?)),
    ("reduce-scatter", |node| Ok(node.world().reduce_scatter(&[1_u32; 2], 2, Sum).map(drop)?)),
    ("scan", |node| Ok(node.world().scan(&mut [1_u32], Sum)?)),
    ("s-to-p broadcast", |node| Ok(node.world().broadcast_from::<u8>(&[(0, 4)], &[]).map(drop)?)),
    ("all-to-all", |node| Ok(node.world().all_to_allv(&[[1_u8], [2]]).map(drop)?)),
    ("all-to-all, known", |node| {
        let matrix = Arc::new(Matrix::of(2, |_, _| 1)?);
        Ok(node.world().all_to_allv_payloads_known(&matrix, vec![Payload::from([1_u8]); 2]).map(drop)?)
    }),
    ("sparse exchange", |node| Ok(node.world().sparse_exchange(&[(0, [1_u8])]).map(drop)?)),
    ("NX", |node| Ok(Nx::new(node)?.crecv(1, &mut [0_u8]).map(drop)?)),
    ("NX, global", |node| Ok(Nx::new(node)?.gdsum(&mut [0.0])?)),
    ("active messages", |node| {
        let active = Active::new(node.world(), Handling::Polled, |_, _| ())?;
        Ok(active.wait_while(|| true)?)
    }),
];

#[test]
fn every_call_has_its_place_in_the_program() {
    for clock in [Clock::Virtual, Clock::Host] {
        let machine = Machine::hockney(1, 2).clock(clock).build().unwrap();
        for (name, call) in CALLS {
            let run = machine.run(|node| if node.rank() == 0 { Ok(()) } else { call(node) });
            let Err(RunError::Deadlock(report)) = run else {
                panic!("{name}: {:?}", run.map(|run| run.report))
            };
            let place = report.blocked[0].last_call.as_deref().unwrap();
            assert!(place.starts_with(concat!(file!(), ":")), "{name}, {clock:?}: {place}");
        }
    }
}

#[test]
fn reports_have_the_place_of_the_call() {
    let machine = Machine::hockney(1, 2).build().unwrap();
    let line = line!() + 2;
    let waits = |node: &Node<'_>| {
        node.world().recv(1 - node.rank())?;
        Ok(())
    };
    let report = machine.run(waits).unwrap_err().to_string();
    let place = format!(" ({}:{line}:22)", file!());
    assert_eq!(report.matches(&place).count(), 2, "{report}");
}

/// A node that waits for another one that has made one call less than it should.
#[test]
fn a_deadlock_has_the_last_call_of_a_node_that_has_returned() {
    let machine = Machine::hockney(1, 2).build().unwrap();
    let line = line!() + 2;
    let run = machine.run(|node| {
        node.world().barrier()?;
        if node.rank() == 1 {
            node.world().barrier()?;
        }
        Ok(())
    });
    let text = run.unwrap_err().to_string();
    let end = format!("\n  node 0 returned at 130 us (last call: {}:{line}:22)", file!());
    assert!(text.ends_with(&end), "{text}");
}

/// Calls that refuse their arguments, on a machine of three nodes that is no grid.
const REFUSED: &[(&str, Waiting)] = &[
    ("send", |node| Ok(node.world().send(3, [1_u8])?)),
    ("isend", |node| Ok(node.world().isend(3, [1_u8])?.wait()?)),
    ("irecv", |node| Ok(node.world().irecv(3)?.wait().map(drop)?)),
    ("sendrecv", |node| Ok(node.world().sendrecv(3, [1_u8], 0).map(drop)?)),
    ("gather", |node| Ok(node.world().gather(0, &[0_u8; 5], 10).map(drop)?)),
    ("all-to-all", |node| Ok(node.world().all_to_all(&[0_u8; 4]).map(drop)?)),
    ("subgroup", |node| Ok(node.world().subgroup(&[0, 0]).map(drop)?)),
    ("cartesian", |node| Ok(node.world().cartesian(&[2, 2], &[false; 2]).map(drop)?)),
    ("shift", |node| Ok(node.world().cartesian(&[3], &[false])?.shift(1, 1).map(drop)?)),
    ("row", |node| Ok(node.row().map(drop)?)),
];

#[test]
fn a_refused_call_is_the_last_call() {
    let machine = Machine::builder("complete:3".parse().unwrap()).build().unwrap();
    for (name, call) in REFUSED {
        let error = machine.run(|node| {
            node.compute(Span::from_micros(1))?;
            call(node)
        });
        let Err(RunError::Node { last_call: Some(place), .. }) = error else { panic!("{name}") };
        let number: usize = place.rsplit(':').nth(1).unwrap().parse().unwrap();
        let line = include_str!("places.rs").lines().nth(number - 1).unwrap();
        assert!(place.starts_with(file!()) && line.contains(&format!("(\"{name}\", ")), "{name}: {place}");
    }
}

/// Of four posted receives the last has a tag that nobody sends, in a grid of nodes.
#[test]
fn a_wrong_tag_shows_in_the_report() {
    let machine = Machine::hockney(1, 2).build().unwrap();
    let report = machine.run(|node| {
        let grid = node.world().cartesian(&[2, 1], &[true; 2])?;
        let (group, partner) = (grid.group(), 1 - node.rank());
        let posted: Result<Vec<_>, _> =
            [0, 1, 2, 4].map(|tag| group.irecv((partner, Tag(tag)))).into_iter().collect();
        for tag in 0..4 {
            group.send((partner, Tag(tag)), tag)?;
        }
        node.world().send(partner, 1_u64)?;
        Ok(Request::wait_all(posted?)?.len())
    });
    let text = crate::support::without_places(report.unwrap_err());
    assert_eq!(
        text,
        "deadlock: 2 nodes are blocked; all waits are in the 2 x 1 grid\n  \
         cycle: 0 -> 1 -> 0\n  \
         node 0 has waited since 521.2 us in a wait for several requests for a message from node 1 with tag 4\n  \
         node 1 has waited since 521.2 us in a wait for several requests for a message from node 0 with tag 4\n  \
         4 unreceived messages\n    \
         0 -> 1, tag 3, 4 bytes, in the 2 x 1 grid\n    \
         0 -> 1, tag 0, 8 bytes, in the world\n    \
         1 -> 0, tag 3, 4 bytes, in the 2 x 1 grid\n    \
         1 -> 0, tag 0, 8 bytes, in the world"
    );
}

#[test]
fn a_failed_node_names_its_last_call() {
    let machine = Machine::hockney(1, 1).build().unwrap();
    let fails = |node: &Node<'_>| {
        node.world().send(0, [1_u32])?;
        let message = node.world().recv(0)?;
        Ok(message.to_vec::<f32>()?)
    };
    let line = line!() - 3;
    assert_eq!(
        machine.run(fails).unwrap_err().to_string(),
        format!(
            "node 0 failed: the message from rank 0 with tag 0 (4 bytes): the data was sent as u32 but is read as f32: read it as u32 or as u8 (last call: {}:{line}:36)",
            file!()
        )
    );
    let silent = machine.run(|_| Err::<(), Failure>("no call".into())).unwrap_err();
    assert_eq!(silent.to_string(), "node 0 failed: no call");
}

#[test]
fn a_node_that_runs_has_the_place_of_the_call_before() {
    let limit = std::time::Duration::from_millis(50);
    let machine = Machine::hockney(1, 1).wall_limit(limit).build().unwrap();
    let line = line!() + 2;
    let run = machine.run(|node| {
        node.compute(Span::from_micros(1))?;
        std::thread::sleep(4 * limit);
        Ok(node.now()?)
    });
    let text = run.unwrap_err().to_string();
    assert!(text.ends_with(&format!(" (last call: {}:{line}:14)", file!())), "{text}");
}
