//! The noise of nodes: it prolongs what their processors do, and nothing else.

use multicomputer::{
    collective::{Algorithm, Operation, Task},
    comm::{Active, Handling},
    model::Noise,
    prelude::*,
};

use super::{BYTES, finished, one_message};
use crate::support::{PATIENCE, run};

fn noisy(first: u64) -> Machine {
    let noise = Noise::new(Span::from_micros(1000), Span::from_micros(10)).unwrap();
    let noise = noise.first(Span::from_micros(first));
    Machine::hockney(1, 4).noise(noise).wall_limit(PATIENCE).build().unwrap()
}

#[test]
fn noise_prolongs_computing_and_overheads_but_not_waiting() {
    // From 50 to 60 us every node has noise: node 0 sends from 0 to 50 and from 60 to 75, its bytes move until 125, and node
    // 1, which waited all the time, receives until 190.
    let run_at_50 = run(&noisy(50), one_message);
    assert_eq!(finished(&run_at_50)[..2], [125.0, 190.0]);
    let noise: Vec<f64> = run_at_50.report.nodes.iter().map(|node| node.noise.as_micros_f64()).collect();
    assert_eq!(noise, [10.0, 0.0, 0.0, 0.0]);
    let overhead: Vec<f64> =
        run_at_50.report.nodes.iter().map(|node| node.overhead.as_micros_f64()).collect();
    assert_eq!(overhead[..2], [65.0, 65.0]);
    assert_eq!(run_at_50.report.nodes[1].waiting, Span::from_micros(125));
    // From 120 to 130: the bytes have moved until 115, the receive works from 115 to 120 and from 130 to 190.
    assert_eq!(finished(&run(&noisy(120), one_message))[..2], [115.0, 190.0]);
    // From 65 to 75 no processor works.
    assert_eq!(finished(&run(&noisy(65), one_message))[..2], [115.0, 180.0]);
    // Three periods, at 65, 1065 and 2065.
    let computing = run(&noisy(65), |node| Ok(node.compute(Span::from_micros(2100))?));
    assert_eq!(finished(&computing), [2130.0; 4]);
    assert!(computing.report.nodes.iter().all(|node| node.computing == Span::from_micros(2100)));
}

#[test]
fn noise_prolongs_sendrecv_requests_and_charges() {
    // Both send from 0 to 50 and from 60 to 75, their bytes move until 125, both receive until 190.
    let exchange = run(&noisy(50), |node| {
        if let partner @ 0..2 = 1 - node.rank().min(2) as i64 {
            node.world().sendrecv(partner as usize, BYTES, partner as usize)?;
        }
        Ok(())
    });
    assert_eq!(finished(&exchange)[..2], [190.0, 190.0]);
    // The receive is posted at 0, the message is there at 115, and it is received from 115 to 120 and from 130 to 190.
    let requests = run(&noisy(120), |node| {
        let world = node.world();
        match node.rank() {
            0 => world.isend(1, BYTES)?.wait()?,
            1 => drop(world.irecv(0)?.wait()?),
            _ => {}
        }
        Ok(())
    });
    assert_eq!(finished(&requests)[..2], [115.0, 190.0]);
}

#[test]
fn noise_prolongs_what_active_messages_interrupt() {
    // Noise from 200 to 250 us. Node 0 handles a message at once: sent from 0 to 65 us, it is there after 16 bytes, 0.8 us,
    // and takes 65; node 0 computes 65.8 before, and the other 234.2 from 130.8 to 200 and from 250 to 415.
    let noise =
        Noise::new(Span::from_millis(1), Span::from_micros(50)).unwrap().first(Span::from_micros(200));
    let machine = Machine::hockney(1, 2).noise(noise).build().unwrap();
    let run = run(&machine, |node| {
        let active = Active::new(node.world(), Handling::AtOnce, |_, _| {})?;
        match node.rank() {
            0 => active.compute(Span::from_micros(300))?,
            _ => active.send(0, [1, 2])?,
        }
        Ok(())
    });
    assert_eq!(finished(&run), [415.0, 65.0]);
    let zero = &run.report.nodes[0];
    assert_eq!((zero.computing, zero.noise), (Span::from_micros(300), Span::from_micros(50)));
}

#[test]
fn a_prediction_has_the_noise_of_the_machine_and_a_plan_does_not() {
    let quiet = Machine::paragon(4, 4).build().unwrap();
    let noise: Noise = "interval=300us,length=40us,distribution=exponential,seed=3".parse().unwrap();
    let machine = Machine::paragon(4, 4).noise(noise).build().unwrap();
    let broadcast = |node: &Node<'_>| Ok(node.world().broadcast(0, &mut [0_u8; 20_000])?);
    let (quietly, noisily) = (run(&quiet, broadcast), run(&machine, broadcast));
    assert!(noisily.report.makespan > quietly.report.makespan);
    assert_eq!(run(&machine, broadcast).report, noisily.report);
    let plan = |machine: &Machine| {
        let task = Task::builder(machine.spec(), Operation::Broadcast).elements(20_000).build().unwrap();
        Algorithm::AUTO.plan(&task).unwrap()
    };
    assert_eq!(plan(&machine).prediction().modeled, quietly.report.makespan);
    let schedule = plan(&machine).schedule().clone();
    let predicted = multicomputer::plan::predict(machine.spec(), &schedule).unwrap();
    assert_eq!(predicted.modeled, noisily.report.makespan);
}

#[test]
fn noise_can_be_explained() {
    let noise: Noise = "interval=300us,length=40us,distribution=exponential,seed=3".parse().unwrap();
    let machine = Machine::paragon(4, 4).noise(noise).trace(true).build().unwrap();
    let run = run(&machine, |node| Ok(node.world().broadcast(0, &mut [0_u8; 20_000])?));
    let path = run.critical_path().unwrap();
    assert_eq!(path.span(), run.report.makespan.since_start());
}
