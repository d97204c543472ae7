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
    let place = format!(" ({}:{line}:22)\n", file!());
    assert_eq!(report.matches(&place).count(), 2, "{report}");
}

/// A node that waits for another one that has made one call less than it should.
#[test]
fn a_deadlock_has_the_last_call_of_a_node_that_has_returned() {
    let machine = Machine::hockney(1, 2).build().unwrap();
    let line = line!() + 2;
    let run = machine.run(|node| {
        node.world().barrier()?;
        Ok(if node.rank() == 1 {
            node.world().barrier()?
        })
    });
    let text = run.unwrap_err().to_string();
    let end = format!("\n  node 0 returned at 130 us (last call at {}:{line}:22)", file!());
    assert!(text.ends_with(&end), "{text}");
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
            "node 0 failed: the message from rank 0 with tag 0 (4 bytes): the data was sent as u32 but is read as f32: read it as u32 or as u8 (last call at {}:{line}:36)",
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
    assert!(text.ends_with(&format!(" (last call at {}:{line}:14)", file!())), "{text}");
}
