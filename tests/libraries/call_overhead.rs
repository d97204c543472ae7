//! The call overhead of a machine: each member takes it once for each collective operation, and for nothing else.

use multicomputer::{
    all_to_all::{self, Matrix},
    collective::{self, Operation, Sum, Task},
    comm::walk,
    model::{MachineSpec, Noise},
    pattern::{Builder, Exchange, Transfer},
    plan::{LowerBound, predict},
    prelude::*,
    s_to_p,
};

const OVERHEAD: Span = Span::from_micros(9);

/// A machine, and the same machine with a call overhead.
fn machines(name: &str) -> [MachineSpec; 2] {
    let machine: MachineSpec = name.parse().unwrap();
    let parameters = machine.parameters().to_builder().call_overhead(9e-6).build().unwrap();
    [machine.clone(), machine.with_parameters(parameters)]
}

/// Returns the end of a program on a machine.
fn end(machine: &MachineSpec, program: impl Fn(&Node<'_>) -> Result<(), Failure> + Sync) -> Time {
    Machine::builder(machine.clone()).build().unwrap().run(program).unwrap().report.makespan
}

/// Every reason of the second bound that is above 0 is that of the first one and the overhead.
fn are_apart(before: &LowerBound, after: &LowerBound) {
    for (&(reason, before), &(other, after)) in before.reasons().iter().zip(after.reasons()) {
        let expected = if before.is_zero() { before } else { before + OVERHEAD };
        assert_eq!((reason, expected), (other, after));
    }
}

#[test]
fn every_plan_bound_and_run_takes_it_once() {
    for name in ["hockney:3x3", "torus:3x3", "cm5:9"] {
        let [plain, costly] = machines(name);
        let task = |machine: &MachineSpec| {
            Task::builder(machine, Operation::AllReduce).elements(1000).element_bytes(8).build().unwrap()
        };
        let plans = [&plain, &costly].map(|on| collective::Algorithm::AUTO.plan(&task(on)).unwrap());
        let [before, after] = plans.each_ref().map(|plan| plan.prediction().modeled);
        assert_eq!((plans[0].name(), before + OVERHEAD), (plans[1].name(), after), "{name}");
        are_apart(&task(&plain).lower_bound(), &task(&costly).lower_bound());
        let reduced = end(&costly, |node| Ok(node.world().all_reduce(&mut [1.0; 1000], Sum)?));
        assert_eq!(reduced, after, "{name}");

        let instance = |machine: &MachineSpec| s_to_p::Instance::new(machine, &[0, 5], &[500; 2]).unwrap();
        let plans = [&plain, &costly].map(|on| s_to_p::Algorithm::AUTO.plan(&instance(on)).unwrap());
        let [before, after] = plans.each_ref().map(|plan| plan.prediction().modeled);
        assert_eq!((plans[0].name(), before + OVERHEAD), (plans[1].name(), after), "{name}");
        are_apart(&instance(&plain).lower_bound(), &instance(&costly).lower_bound());
        let broadcast = end(&costly, |node| {
            let mine = matches!(node.rank(), 0 | 5).then(|| Payload::phantom(500));
            node.world().broadcast_payloads_from(&[(0, 500), (5, 500)], mine)?;
            Ok(())
        });
        assert_eq!(broadcast, after, "{name}");

        let instance = |machine: &MachineSpec| {
            all_to_all::Instance::new(machine, Matrix::of(9, |_, _| 300).unwrap()).unwrap()
        };
        let plans = [&plain, &costly].map(|on| all_to_all::Algorithm::AUTO.plan(&instance(on)).unwrap());
        let [before, after] = plans.each_ref().map(|plan| plan.prediction().unwrap().modeled);
        assert_eq!((plans[0].name(), before + OVERHEAD), (plans[1].name(), after), "{name}");
        are_apart(&instance(&plain).lower_bound(), &instance(&costly).lower_bound());
        let exchanged = end(&costly, |node| {
            node.world().all_to_all(&[0_u8; 9 * 300])?;
            Ok(())
        });
        assert_eq!(exchanged, after, "{name}");
    }
}

#[test]
fn messages_barriers_and_schedules_of_the_program_do_not_take_it() {
    let [plain, costly] = machines("hockney:1x4");
    let mut builder = Builder::new(4, &[0], &[1000], Exchange::Together);
    builder.iteration([Transfer { from: 0, to: 2, blocks: [0].into() }]);
    let schedule = builder.finish();
    assert_eq!(predict(&plain, &schedule), predict(&costly, &schedule));
    let program = |node: &Node<'_>| {
        let world = node.world();
        world.barrier()?;
        match node.rank() {
            0 => world.send(1, vec![1.0; 10])?,
            1 => drop(world.recv(0)?),
            _ => {}
        }
        let mut blocks = [if node.rank() == 0 { Payload::phantom(1000) } else { Payload::empty() }];
        Ok(walk(world, &schedule, Tag(1), &mut blocks)?)
    };
    assert_eq!(end(&plain, program), end(&costly, program));
}

/// An exclusive scan has one collective operation inside, a split too, and an all-to-all of unknown lengths two.
#[test]
fn composed_calls_take_that_of_their_operations() {
    let [plain, costly] = machines("hockney:1x4");
    let more = |program: &(dyn Fn(&Node<'_>) -> Result<(), Failure> + Sync)| {
        end(&costly, program).since_start() - end(&plain, program).since_start()
    };
    assert_eq!(more(&|node| Ok(node.world().exclusive_scan(&mut [1.0; 10], Sum)?)), OVERHEAD);
    assert_eq!(more(&|node| node.world().split(0, 0).map(drop).map_err(Failure::from)), OVERHEAD);
    let exchange = more(&|node| {
        node.world().all_to_allv(&vec![vec![0_u8; 10]; 4])?;
        Ok(())
    });
    assert_eq!(exchange, OVERHEAD.times(2));
}

/// The overhead is processor time: noise prolongs it, and the report counts it as computing.
#[test]
fn it_is_work_of_the_processor() {
    let [_, costly] = machines("hockney:1x2");
    let run = |machine: &MachineSpec| {
        let machine = Machine::builder(machine.clone()).build().unwrap();
        machine.run(|node| Ok(node.world().all_reduce(&mut [1.0], Sum)?)).unwrap().report
    };
    let noisy = costly.clone().with_noise(Noise::new(Span::from_micros(2), Span::from_micros(1)).unwrap());
    assert!(run(&noisy).makespan > run(&costly).makespan);
    assert_eq!(run(&costly).nodes[0].computing, OVERHEAD);
}
