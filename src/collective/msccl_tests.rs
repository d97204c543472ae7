use super::*;
use crate::{
    collective::Algorithm,
    goal::{self, Sends},
    model::MachineSpec,
    pattern::Action,
    time::Span,
};

fn task(machine: &str, operation: Operation, elements: u64) -> Task {
    let machine: MachineSpec = machine.parse().unwrap();
    Task::builder(&machine, operation).elements(elements).element_bytes(8).build().unwrap()
}

/// Returns the time of a program on the machine of a task.
fn time_of(program: &Program, task: &Task) -> Span {
    let program = program.goal(task.bytes(), task.element_bytes(), task.machine()).unwrap();
    let predicted = goal::predict(task.machine(), &program, Sends::Blocking).unwrap();
    assert_eq!(predicted.unreceived, 0);
    predicted.modeled.since_start()
}

/// Whether the schedule of a plan has only blocking steps, and the program has the same number of messages.
fn is_plain(plan: &Plan, program: &Program) -> bool {
    let is_plain = |action: &Action| matches!(action, Action::Send(_) | Action::Recv(_) | Action::Combine(_));
    let steps = |rank| plan.schedule().steps(rank).iter();
    let messages = program.to_string().matches("type=\"s\"").count();
    (0..plan.schedule().nodes()).all(|rank| steps(rank).all(|step| is_plain(&step.action)))
        && messages == plan.schedule().messages().count()
}

/// Writes every variant of every algorithm as a program and reads it back, which checks it chunk by chunk. Programs
/// with only blocking steps take the same time as the plan. Finally the program serves as an algorithm.
#[test]
fn an_exported_schedule_reads_back_and_delivers() {
    let operations = [Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter];
    let mut plain = 0;
    for machine in ["hockney:1x2", "paragon:1x5", "paragon:2x3", "hypercube:8"] {
        for operation in operations {
            for each in [1, 6] {
                let size = machine.parse::<MachineSpec>().unwrap().nodes() as u64;
                let task = task(machine, operation, each * size);
                for algorithm in Algorithm::of(operation) {
                    for variant in algorithm.variants(&task, &()).unwrap_or_default() {
                        let plan = Plan::of(&task, &algorithm, &variant).unwrap();
                        let name = format!("{operation} on {machine} by {algorithm}, {}", variant.name());
                        let program = plan.msccl().unwrap_or_else(|error| panic!("{name}: {error}"));
                        let again = Program::read(&program.to_string());
                        let again = again.unwrap_or_else(|error| panic!("{name}: {error}\n{program}"));
                        assert_eq!(again.to_string(), program.to_string());
                        let time = time_of(&again, &task);
                        if is_plain(&plan, &again) {
                            assert_eq!(time, plan.prediction().modeled.since_start(), "{name}");
                            plain += 1;
                        }
                        let again = Algorithm::from(again).plan(&task);
                        let again = again.unwrap_or_else(|error| panic!("{name}: {error}"));
                        again.msccl().unwrap_or_else(|error| panic!("{name}, twice: {error}"));
                    }
                }
            }
        }
    }
    assert!(plain > 50, "{plain}");
}

#[test]
fn schedules_beyond_the_format_are_refused() {
    let refusal = |task: &Task| Algorithm::AUTO.plan(task).unwrap().msccl().unwrap_err().to_string();
    assert_eq!(
        refusal(&task("line:4", Operation::Gather, 8)),
        "MSCCL has no gather; it has all-reduce, all-gather, reduce-scatter, and all-to-all of equal lengths"
    );
    assert_eq!(
        refusal(&task("line:4", Operation::AllGather, 9)),
        "MSCCL needs blocks of equal length of at least one byte, but rank 0 has 16 of 72 bytes in total"
    );
    assert_eq!(
        refusal(&task("line:4", Operation::AllReduce, 0)),
        "MSCCL needs blocks of equal length of at least one byte, but rank 0 has 0 of 0 bytes in total"
    );
    let task = Task::builder(&"line:4".parse().unwrap(), Operation::AllReduce).elements(8).in_order(true);
    assert_eq!(
        refusal(&task.build().unwrap()),
        "MSCCL combines in any order, but this operation must combine in rank order: if its operator is \
         commutative, leave out `in_order`"
    );
}
