//! Polling: programs that look again and again.

use super::*;

#[test]
fn a_polling_loop_that_computes_gets_on() {
    // Looks every 10 us for a message that is there at 1025.
    let run = run(2, |node| {
        let world = node.world();
        if node.rank() == 0 {
            node.compute(Span::from_millis(1))?;
            world.send(1, kilobyte())?;
            return Ok((0, 0.0));
        }
        let mut looks = 0;
        while world.try_probe(0)?.is_none() {
            looks += 1;
            node.compute(Span::from_micros(10))?;
        }
        let found = micros(node)?;
        world.recv(0)?;
        Ok((looks, found))
    });
    assert_eq!(run.outputs[1], (103, 1030.0));
}

/// Node 1 looks for ever, and nothing is ever sent: the error that it gets.
fn poll_for_ever(look: impl Fn(&Group<'_>) -> Result<(), CommError> + Sync) -> CommError {
    let machine = Machine::mesh(1, 2).parameters(parameters().build().unwrap());
    let machine = machine.wall_limit(PATIENCE).build().unwrap();
    let error = machine
        .run(|node| {
            if node.rank() == 0 {
                node.world().recv(1)?;
                return Ok(());
            }
            node.compute(Span::from_micros(77))?;
            loop {
                look(node.world())?;
            }
        })
        .unwrap_err();
    match error {
        RunError::Node { rank: 1, source, .. } => *source.downcast::<CommError>().unwrap(),
        other => panic!("{other}"),
    }
}

#[test]
fn endless_polling_is_an_error_that_says_when() {
    let error = poll_for_ever(|world| world.try_probe(ANY_SOURCE).map(drop));
    assert_eq!(error, CommError::Livelock { at: at(77) });
    assert!(error.to_string().contains("77 us"), "{error}");
}

#[test]
fn endless_testing_is_an_error_too() {
    let error = poll_for_ever(|world| {
        let mut receive = world.irecv(0)?;
        loop {
            match receive.test()? {
                Tested::Pending(pending) => receive = pending,
                Tested::Complete(_) => return Ok(()),
            }
        }
    });
    assert_eq!(error, CommError::Livelock { at: at(77) });
}

#[test]
fn a_polling_loop_in_real_time_sees_the_message_when_it_has_come() {
    // Time passes while a program polls; o_s is so long that no single look takes as much.
    let slow = parameters().send_overhead(20e-3).build().unwrap();
    let clock = Clock::RealTime { dilation: Dilation::Fixed(1.0) };
    let machine = Machine::mesh(1, 2).parameters(slow).clock(clock).wall_limit(PATIENCE);
    let run = machine.build().unwrap().run(|node| {
        let world = node.world();
        if node.rank() == 0 {
            return Ok(world.send(1, kilobyte())?);
        }
        while world.try_probe(0)?.is_none() {}
        Ok(drop(world.recv(0)?))
    });
    if let Err(error) = run {
        panic!("{error}");
    }
}

#[test]
fn looking_between_sends_is_no_endless_polling() {
    // Every send costs o_s, so the instant passes between any two looks.
    let machine = Machine::hockney(1, 1).build().unwrap();
    let run = machine.run(|node| {
        for _ in 0..110_000 {
            assert!(node.world().try_probe((0, Tag(1)))?.is_none());
            drop(node.world().isend(0, Payload::empty())?);
        }
        Ok(())
    });
    run.unwrap();
}
