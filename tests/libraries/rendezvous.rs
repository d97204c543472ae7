//! All libraries where every send waits for its receive, in virtual time and on the host: nothing that they do relies on
//! messages being kept until somebody asks for them, and their predictions hold.

use multicomputer::{
    Machine,
    collective::{self, Operation, Task},
    model::MachineSpec,
    nx::Nx,
    plan::PlanError,
    prelude::*,
    s_to_p,
};

use crate::{
    conformance,
    support::{self, PATIENCE},
};

const CLOCKS: [Clock; 2] = [Clock::Virtual, Clock::Host];

/// A description where sends of so many bytes or more wait.
fn waiting(machine: &str, from_bytes: u64) -> MachineSpec {
    machine.parse::<MachineSpec>().unwrap().with_rendezvous(from_bytes)
}

fn build(machine: MachineSpec, clock: Clock) -> Machine {
    Machine::builder(machine).clock(clock).wall_limit(PATIENCE).deny_unreceived(true).build().unwrap()
}

/// All programs that check themselves: messages and every library.
#[test]
fn in_virtual_time() {
    for (machine, from_bytes) in [("paragon:2x3", 0), ("hypercube:4", 0), ("hockney:3x3", 200)] {
        conformance::all(&build(waiting(machine, from_bytes), Clock::Virtual));
    }
}

#[test]
fn on_the_host() {
    for (nodes, from_bytes) in [(1, 0), (2, 0), (6, 0), (4, 200)] {
        conformance::all(&build(waiting(&format!("host:{nodes}"), from_bytes), Clock::Host));
    }
}

/// A run takes what its plan says, as without rendezvous.
#[test]
fn predictions_hold() {
    for (machine, from_bytes) in
        [("hockney:3x4", 0), ("paragon:2x8", 0), ("cm5:16", 4096), ("hypercube:8", 700)]
    {
        let spec = waiting(machine, from_bytes);
        let machine = build(spec.clone(), Clock::Virtual);
        for operation in Operation::ALL {
            for algorithm in collective::Algorithm::of(operation) {
                let task = Task::builder(&spec, operation);
                let task = match operation.has_blocks() {
                    true => task.blocks(vec![600; spec.nodes()]),
                    false => task.elements(9000),
                };
                let plan = match algorithm.plan(&task.build().unwrap()) {
                    Err(PlanError::Restricted { .. }) => continue,
                    plan => plan.unwrap(),
                };
                assert!(plan.prediction().modeled < Time::MAX, "{} comes to no end", plan.name());
                let run = support::run(&machine, |node| {
                    let schedule = plan.schedule();
                    let mut blocks: Vec<Payload> =
                        schedule.sizes().iter().map(|&bytes| Payload::phantom(bytes)).collect();
                    let world = node.world();
                    Ok(multicomputer::comm::walk_combining(
                        world,
                        schedule,
                        Tag(1),
                        &mut blocks,
                        |one, _| Ok(one),
                    )?)
                });
                assert_eq!(
                    run.report.makespan,
                    plan.prediction().modeled,
                    "{} on {}",
                    plan.name(),
                    run.report.machine
                );
            }
        }
        let sources: Vec<Rank> = (0..spec.nodes()).step_by(3).collect();
        let lengths: Vec<u64> = sources.iter().map(|&source| 300 * source as u64).collect();
        let instance = s_to_p::Instance::new(&spec, &sources, &lengths).unwrap();
        for algorithm in s_to_p::Algorithm::all() {
            let Ok(plan) = algorithm.plan(&instance) else { continue };
            let run = support::run(&machine, |node| {
                let own = sources.iter().position(|&source| source == node.rank());
                plan.broadcast(node.world(), own.map(|source| Payload::phantom(lengths[source])))?;
                Ok(())
            });
            assert_eq!(run.report.makespan, plan.prediction().modeled, "{algorithm}");
        }
    }
}

/// Two that `csend` to each other rely on the buffers of NX's system.
#[test]
fn facing_csends_are_found() {
    for clock in CLOCKS {
        let machine = build(waiting("paragon:1x2", 0), clock);
        let error = machine.run(|node| {
            let nx = Nx::new(node)?;
            nx.csend(7, [1_u8; 100], 1 - nx.mynode(), 0)?;
            nx.crecv(7, &mut [0_u8; 100])?;
            Ok(())
        });
        let text = error.map(|run| run.report).unwrap_err().to_string();
        assert!(
            text.contains("for a receive by node 1 of its message with tag 7")
                && text.contains("waits are in NX"),
            "{text}"
        );
        assert!(text.contains("\n  cycle: 0 -> 1 -> 0\n"), "{text}");
    }
}
