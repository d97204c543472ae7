//! Sends that wait for their receive: what dead nodes and noise make of them.

use multicomputer::{
    comm::AnyRequest,
    error::Failure,
    model::{Noise, Parameters},
    prelude::*,
};

use super::{BYTES, failed, faulty, finished, micros};
use crate::support::run;

/// A program that tells an error and the node's clock then.
type Telling = dyn Fn(&Node<'_>) -> Result<(String, f64), Failure> + Sync;

/// Node 1 dies at 100 us, when its message of 65 us has been there for 15 us, or at 115 has not come yet.
fn never_met(at: &str) -> Machine {
    faulty(Machine::hockney(1, 4).rendezvous(0), &[&format!("node:1@{at}")])
}

#[test]
fn sends_that_wait_for_the_receive_of_a_node_that_dies_fail_when_it_does() {
    let of = |program: &Telling| {
        let run = never_met("200us").run_surviving(|node| match node.rank() {
            0 => program(node).map(Some),
            1 => {
                node.compute(Span::from_millis(1))?;
                Ok(None)
            }
            _ => Ok(None),
        });
        run.unwrap().outputs[0].clone().unwrap().unwrap()
    };
    let died = ("node 1 died at 200 us".to_owned(), 200.0);
    // The message leaves at 115, and is there then.
    assert_eq!(of(&|node| failed(node, node.world().send(1, BYTES))), died);
    assert_eq!(of(&|node| failed(node, node.world().sendrecv(1, BYTES, 2))), died);
    assert_eq!(
        of(&|node| {
            let request = node.world().isend(1, BYTES)?;
            failed(node, request.wait())
        }),
        died
    );
    assert_eq!(
        of(&|node| {
            let (sent, posted) = (node.world().isend(1, BYTES)?, node.world().irecv(2)?);
            let mut requests: [Option<AnyRequest<'_>>; 2] = [Some(sent.into()), Some(posted.into())];
            failed(node, Request::wait_any(&mut requests))
        }),
        died
    );
    // One that is called later is refused as ever, at its port.
    assert_eq!(
        of(&|node| {
            node.compute(Span::from_micros(200))?;
            failed(node, node.world().send(1, BYTES))
        }),
        (died.0.clone(), 265.0)
    );
    // A message on its way when its receiver dies: L = 100 us.
    let parameters = Parameters::hockney().to_builder().latency(100e-6).build().unwrap();
    let machine = faulty(Machine::hockney(1, 4).parameters(parameters).rendezvous(0), &["node:1@200us"]);
    let run = machine.run_surviving(|node| match node.rank() {
        0 => failed(node, node.world().send(1, BYTES)).map(Some),
        _ => Ok(None),
    });
    assert_eq!(run.unwrap().outputs[0], Some(Some(died)));
}

#[test]
fn a_send_met_when_its_receiver_dies_has_been_met() {
    // The receive is posted at 200 us, when its node dies.
    let run = never_met("200us").run_surviving(|node| {
        match node.rank() {
            0 => node.world().send(1, BYTES)?,
            1 => {
                node.compute(Span::from_micros(200))?;
                node.world().recv(0)?;
            }
            _ => {}
        }
        Ok(micros(node.now()?))
    });
    assert_eq!(run.unwrap().outputs[..2], [Some(200.0), None]);
}

#[test]
fn a_send_within_a_library_call_that_waits_for_a_dead_member_fails() {
    // Node 0 sends to node 2 first, which passes on to 3, and then to 1, which has not come to the call when it dies.
    let run = never_met("1ms").run_surviving(|node| match node.rank() {
        1 => Ok(node.compute(Span::from_millis(2)).map(|()| (String::new(), 0.0))?),
        _ => match node.world().broadcast(0, &mut [0_u8; 1000]) {
            Err(error) => Ok((error.to_string(), micros(node.now()?))),
            Ok(()) => Ok(("received".into(), 0.0)),
        },
    });
    let outputs = run.unwrap().outputs;
    assert_eq!(outputs[0], Some(("node 1 died at 1 ms".into(), 1000.0)));
    assert_eq!(outputs[2], Some(("received".into(), 0.0)));
}

#[test]
fn a_send_within_a_library_call_with_another_dead_member_fails() {
    // Node 2 has not come to the call, and the death of node 1 makes that fail for all.
    let run = never_met("1ms").run_surviving(|node| match node.rank() {
        0 => match node.world().broadcast(0, &mut [0_u8; 1000]) {
            Err(error) => Ok((error.to_string(), micros(node.now()?))),
            Ok(()) => panic!("nobody receives"),
        },
        _ => {
            node.compute(Span::from_millis(2))?;
            Ok((String::new(), micros(node.now()?)))
        }
    });
    assert_eq!(run.unwrap().outputs[0], Some(("node 1 died at 1 ms".into(), 1000.0)));
}

#[test]
fn noise_does_not_prolong_the_wait_for_a_receive() {
    // From 295 to 305 us both nodes have noise. Node 1 has computed by 290 and works on its receive until 295 and from 305
    // to 365: posted at 290, it lets node 0 go on at 290. Computing until 300 ends at 310, and so it is for the receive.
    for (computing, ends) in [(290, [290.0, 365.0]), (300, [310.0, 375.0])] {
        let noise = Noise::new(Span::from_millis(1), Span::from_micros(10)).unwrap();
        let noise = noise.first(Span::from_micros(295));
        let machine = Machine::hockney(1, 2).noise(noise).rendezvous(0).build().unwrap();
        let run = run(&machine, |node| {
            match node.rank() {
                0 => node.world().send(1, BYTES)?,
                _ => {
                    node.compute(Span::from_micros(computing))?;
                    node.world().recv(0)?;
                }
            }
            Ok(())
        });
        assert_eq!(finished(&run), ends);
        assert!(run.report.nodes[0].noise.is_zero());
    }
}
