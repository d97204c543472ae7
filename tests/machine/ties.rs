//! Simultaneous events have one order, whatever the threads do: the cases that once had several, on real threads.

use multicomputer::{Payload, error::Failure, model::Parameters, prelude::*};

use crate::support::disturbance::Disturbance;

const RUNS: u64 = 600;

/// Asserts that a program, which is given something to dawdle with, has one result in many runs.
#[track_caller]
fn same_every_time<T, F>(machine: &Machine, program: F) -> Vec<T>
where
    T: PartialEq + Send + std::fmt::Debug,
    F: Fn(&Node<'_>, &dyn Fn()) -> Result<T, Failure> + Sync,
{
    let run = |seed: u64| {
        let run = machine.run(|node| {
            let disturbance = Disturbance::new(seed, node.rank());
            disturbance.strike_hard();
            program(node, &|| disturbance.strike_hard())
        });
        let run = run.unwrap();
        (run.outputs, run.report)
    };
    let first = run(0);
    for seed in 1..RUNS {
        assert_eq!(run(seed), first, "run {seed}");
    }
    first.0
}

/// o_s = o_r = 65 us, no latency.
fn hockney() -> Machine {
    Machine::hockney(1, 4).build().unwrap()
}

/// Whether node 1 posts a receive before it sends, or looks for a message.
fn the_lower_rank_is_first(looks: bool) {
    let outputs = same_every_time(&hockney(), |node, dawdle| {
        let world = node.world();
        match node.rank() {
            0 => {
                let first = world.recv(ANY_SOURCE)?.source;
                world.send(first, Payload::phantom(1000))?;
                world.recv(ANY_SOURCE)?;
                return Ok((first, node.now()?));
            }
            1 => {
                let posted = if looks { None } else { Some(world.irecv(ANY_SOURCE)?) };
                if looks {
                    world.try_probe(ANY_SOURCE)?;
                }
                dawdle();
                world.isend(0, Payload::empty())?.wait()?;
                match posted {
                    Some(posted) => drop(posted.wait()?),
                    None => drop(world.recv(ANY_SOURCE)?),
                }
            }
            2 => world.send(0, Payload::empty())?,
            _ => world.send(3, Payload::empty())?,
        }
        Ok((9, node.now()?))
    });
    assert_eq!(outputs[0].0, 1, "both messages come at 65 us: the lower rank is first");
    assert_eq!(outputs[1].1.to_string(), "310 us");
}

#[test]
fn of_messages_that_come_at_one_instant_the_lower_rank_is_first() {
    the_lower_rank_is_first(false);
}

#[test]
fn a_look_before_a_send_does_not_delay_it() {
    the_lower_rank_is_first(true);
}

#[test]
fn everybody_sends_everybody_an_empty_message() {
    let outputs = same_every_time(&hockney(), |node, dawdle| {
        let world = node.world();
        let posted: Vec<_> = (0..4).map(|_| world.irecv(ANY_SOURCE)).collect::<Result<_, _>>()?;
        for to in 0..4 {
            dawdle();
            world.send(to, Payload::empty())?;
        }
        let came = Request::wait_all(posted)?;
        Ok((came.into_iter().map(|message| message.source).collect::<Vec<_>>(), node.now()?))
    });
    assert!(outputs.iter().all(|(sources, _)| sources == &[0, 1, 2, 3]), "{outputs:?}");
}

#[test]
fn a_message_to_oneself_comes_in_the_order_of_ranks_too() {
    let parameters = Parameters::hockney().to_builder().latency(1e-6).build().unwrap();
    let machine = Machine::hockney(1, 4).parameters(parameters).build().unwrap();
    for asks in [false, true] {
        let outputs = same_every_time(&machine, |node, dawdle| {
            let world = node.world();
            let now = || if asks { node.now().map(drop) } else { Ok(()) };
            match node.rank() {
                0 => {
                    node.compute(Span::from_micros(1))?;
                    now()?;
                    let posted = world.irecv(ANY_SOURCE)?;
                    now()?;
                    dawdle();
                    let sent = world.isend(0, [0_u8; 8])?;
                    now()?;
                    let first = Some(posted.wait()?.source);
                    sent.wait()?;
                    world.recv(ANY_SOURCE)?;
                    Ok(first)
                }
                1 => {
                    dawdle();
                    world.send(0, Payload::empty())?;
                    Ok(None)
                }
                _ => Ok(None),
            }
        });
        assert_eq!(outputs[0], Some(0), "both come at 66 us");
    }
}
