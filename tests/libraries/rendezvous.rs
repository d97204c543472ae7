//! All libraries where every send waits for its receive, in virtual time and on the host: nothing that they do relies on
//! messages being kept until somebody asks for them, and their predictions hold.

use multicomputer::{
    Machine,
    collective::{Operation, Task},
    exchange::{Instance, Matrix},
    model::Description,
    nx::Nx,
    plan::PlanError,
    prelude::*,
    stop,
    topology::Grid,
};

use crate::{
    collective::matrix::{ALL_OPERATORS, cases, check, named},
    exchange::{algorithms, random},
    nx::global::global_operations,
    stop::matrix::check_machine,
    support::{self, PATIENCE},
    textbook::oracle,
};

const CLOCKS: [Clock; 2] = [Clock::Virtual, Clock::Host];

/// A description where sends of so many bytes or more wait.
fn waiting(machine: &str, from_bytes: u64) -> Description {
    machine.parse::<Description>().unwrap().with_rendezvous(from_bytes)
}

fn build(machine: Description, clock: Clock) -> Machine {
    Machine::of(machine).clock(clock).wall_limit(PATIENCE).deny_unreceived(true).build().unwrap()
}

/// Every operation with every algorithm.
#[test]
fn collective_operations() {
    for clock in CLOCKS {
        for machine in ["line:2", "line:3", "line:7", "paragon:2x4", "cm5:12"] {
            let machine = build(waiting(machine, 0), clock);
            let size = machine.description().nodes();
            let cases = cases(size, &[1, size + 1, 400], &[0, size - 1], &ALL_OPERATORS);
            assert!(check(&machine, &cases, named) > 100);
        }
    }
    // Some messages wait, and others do not.
    let machine = build(waiting("paragon:3x3", 500), Clock::Virtual);
    check(&machine, &cases(9, &[10, 300], &[4], &ALL_OPERATORS), named);
}

/// A run takes what its plan says, as without rendezvous.
#[test]
fn predictions_hold() {
    for (machine, from_bytes) in
        [("hockney:3x4", 0), ("paragon:2x8", 0), ("cm5:16", 4096), ("hypercube:8", 700)]
    {
        let description = waiting(machine, from_bytes);
        let machine = build(description.clone(), Clock::Virtual);
        for operation in Operation::ALL {
            for algorithm in multicomputer::collective::Algorithm::of(operation) {
                let task = Task::builder(&description, operation);
                let task = match operation.has_blocks() {
                    true => task.blocks(vec![600; description.nodes()]),
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
                    run.report.modeled,
                    plan.prediction().modeled,
                    "{} on {}",
                    plan.name(),
                    run.report.machine
                );
            }
        }
        let sources: Vec<Rank> = (0..description.nodes()).step_by(3).collect();
        let lengths: Vec<u64> = sources.iter().map(|&source| 300 * source as u64).collect();
        let instance = stop::Instance::new(&description, &sources, &lengths).unwrap();
        for algorithm in stop::Algorithm::all() {
            let Ok(plan) = algorithm.plan(&instance) else { continue };
            let run = support::run(&machine, |node| {
                let own = sources.iter().position(|&source| source == node.rank());
                plan.broadcast(node.world(), own.map(|source| Payload::phantom(lengths[source])))?;
                Ok(())
            });
            assert_eq!(run.report.modeled, plan.prediction().modeled, "{algorithm}");
        }
    }
}

#[test]
fn s_to_p_broadcasts() {
    for clock in CLOCKS {
        for (rows, columns) in [(1, 2), (1, 7), (3, 3)] {
            let machine = build(waiting(&format!("paragon:{rows}x{columns}"), 0), clock);
            check_machine(&machine, Grid { rows, columns });
        }
    }
}

#[test]
fn exchanges() {
    for clock in CLOCKS {
        for nodes in [1, 2, 5, 8] {
            let machine = waiting(&format!("cm5:{nodes}"), 0);
            let all = [algorithms::uneven(nodes), Matrix::of(nodes, |_, _| 9).unwrap()];
            for matrix in all {
                algorithms::check_all_under(&Instance::new(&machine, matrix).unwrap(), clock);
            }
        }
        for seed in 0..12 {
            let matrix = random::matrix(seed);
            let machine = waiting(&format!("cm5:{}", matrix.nodes()), if seed % 3 == 0 { 100 } else { 0 });
            for algorithm in random::manners(seed) {
                random::exchange(&machine, &matrix, algorithm, clock, false);
            }
        }
    }
}

#[test]
fn the_textbook() {
    for clock in CLOCKS {
        for size in [2, 3, 6, 8, 9] {
            let description = oracle::network(size).with_rendezvous(0);
            let cases = oracle::cases(&description);
            let machine = build(description, clock);
            support::run(&machine, |node| cases.iter().try_for_each(|case| case.check(node.world())));
        }
    }
}

#[test]
fn the_calls_of_nx() {
    for clock in CLOCKS {
        for nodes in [1, 2, 3, 4, 7, 16] {
            let machine = build(waiting(&format!("paragon:1x{nodes}"), 0), clock);
            support::run(&machine, |node| {
                let nx = Nx::new(node)?;
                global_operations(&nx, nodes)?;
                // Every node broadcasts, and the others receive it some time later.
                for root in 0..nx.numnodes() {
                    let mut buf = [root; 2];
                    match nx.mynode() == root {
                        true => nx.csend(root, buf, -1, 0)?,
                        false => drop(nx.crecv(root, &mut buf)?),
                    }
                    assert_eq!(buf, [root; 2]);
                }
                // Each sends to the next, with a receive posted before.
                let (next, mut came) = ((nx.mynode() + 1) % nx.numnodes(), [0]);
                let posted = nx.irecv(1000, &mut came)?;
                nx.csend(1000, [nx.mynode()], next, 0)?;
                nx.msgwait(posted)?;
                assert_eq!((came[0] + 1) % nx.numnodes(), nx.mynode());
                Ok(nx.gsync()?)
            });
        }
    }
}

/// Two that `csend` to each other rely on the buffers of NX's system.
#[test]
fn facing_csends_are_found() {
    for clock in CLOCKS {
        let machine = build(waiting("paragon:1x2", 0), clock);
        let error = support::outcome(&machine, &|node| {
            let nx = Nx::new(node)?;
            nx.csend(7, [1_u8; 100], 1 - nx.mynode(), 0)?;
            nx.crecv(7, &mut [0_u8; 100])?;
            Ok(())
        });
        let text = error.map(|run| run.report).unwrap_err().to_string();
        assert!(text.contains("for a receive by node 1 of its message with tag 7 in NX"), "{text}");
        assert!(text.ends_with("cycle: 0 -> 1 -> 0"), "{text}");
    }
}
