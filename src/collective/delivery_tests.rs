use proptest::prelude::*;

use super::*;
use crate::{
    Machine,
    collective::{Algorithm, Sum},
    model::MachineSpec,
    pattern::{Action, Builder, Combiner, Exchange, Fold, Schedule, Step, Transfer},
    plan::PlanError,
};

fn task(machine: &str, operation: Operation, elements: u64) -> Task {
    let machine: MachineSpec = machine.parse().unwrap();
    Task::builder(&machine, operation).elements(elements).element_bytes(8).build().unwrap()
}

/// Tests that every variant of every algorithm of the library does what the operation requires.
#[test]
fn the_algorithms_of_the_library_deliver() {
    for machine in ["line:1", "hockney:1x2", "paragon:1x5", "paragon:2x3", "hypercube:8", "torus:3x3"] {
        let machine: MachineSpec = machine.parse().unwrap();
        let size = machine.nodes() as u64;
        for operation in Operation::ALL {
            for (blocks, root, in_order, exact) in [
                (vec![size; machine.nodes()], 0, false, true),
                ((0..size).map(|rank| rank * 7 % 5).collect(), machine.nodes() - 1, false, false),
                ((0..size).map(|rank| 1 + rank * 900 % 1300).collect(), machine.nodes() / 2, true, true),
            ] {
                let task = Task::builder(&machine, operation).root(root).blocks(blocks).element_bytes(8);
                let task = task.in_order(in_order).exact(exact).build().unwrap();
                for algorithm in Algorithm::of(operation) {
                    for variant in algorithm.variants(&task, &()).unwrap_or_default() {
                        let draft = variant.draft(&task).unwrap();
                        if let Err(error) = check(&task, &draft) {
                            panic!(
                                "{operation} on {} by {algorithm}, {}: {error}",
                                machine.name(),
                                variant.name()
                            );
                        }
                    }
                }
            }
        }
    }
}

/// A ring all-gather of `steps` steps, in which block `k` starts at rank `k`.
fn ring(task: &Task, steps: usize) -> Draft {
    let size = task.size();
    let origins: Vec<Rank> = (0..size).collect();
    let pieces = origins.iter().map(|&rank| Piece::of(task.block(rank), Origin::At(rank))).collect();
    Draft::moving(task, pieces, &origins, Exchange::InTurn, |builder| {
        for step in 0..steps {
            let block = |from: Rank| (from + size - step) % size;
            let to = |from: Rank| (from + 1) % size;
            let transfer = |from| Transfer { from, to: to(from), blocks: [block(from) as u32].into() };
            builder.iteration((0..size).map(transfer));
        }
    })
}

#[test]
fn custom_algorithms_that_panic_have_no_plan() {
    let task = task("line:4", Operation::AllGather, 8);
    let custom = Algorithm::custom("mine", |task: &Task| {
        assert!(task.size() > 4, "at least 5 ranks are needed");
        Ok(ring(task, 3))
    });
    let text = "the function of the custom algorithm `mine` panicked: at least 5 ranks are needed";
    assert_eq!(custom.plan(&task).unwrap_err().to_string(), text);
    // A search together with *Auto* omits a custom algorithm that panics.
    let plan = Algorithm::AUTO.or(&custom).plan(&task).unwrap();
    assert_eq!(plan.name(), Algorithm::AUTO.plan(&task).unwrap().name());
    // An algorithm whose error panics when displayed is also refused.
    #[derive(Debug)]
    struct Unspeakable;
    impl std::fmt::Display for Unspeakable {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            panic!("no words")
        }
    }
    impl std::error::Error for Unspeakable {}
    let custom = Algorithm::custom("mine", |_: &Task| Err(Unspeakable.into()));
    assert_eq!(
        custom.plan(&task).unwrap_err().to_string(),
        "the function of the custom algorithm `mine` panicked: no words"
    );
}

#[test]
fn errors_of_custom_algorithms_name_the_failure() {
    let task = task("line:4", Operation::AllGather, 8);
    let fault = |draft: Draft| {
        let custom = Algorithm::custom("mine", move |_: &Task| Ok(draft.clone()));
        match custom.plan(&task) {
            Ok(plan) => format!("{} in {}", plan.name(), plan.prediction().modeled),
            Err(PlanError::Undelivered { cause, .. }) => cause.to_string(),
            Err(other) => panic!("{other}"),
        }
    };
    assert_eq!(fault(ring(&task, 3)), fault(ring(&task, 3)));
    assert!(fault(ring(&task, 3)).starts_with("mine in "));
    assert_eq!(fault(ring(&task, 2)), "rank 0 ends with nothing in block 1, expected the data of rank 1");
    let changed = |change: fn(&mut Draft)| {
        let mut draft = ring(&task, 3);
        change(&mut draft);
        fault(draft)
    };
    assert_eq!(
        changed(|draft| draft.pieces[2].start += 8),
        "the piece of block 2 does not fit: rank 2 does not hold it at the start of this all-gather"
    );
    assert_eq!(
        changed(|draft| draft.pieces[2].start += 3),
        "the piece of block 2 does not fit: it cuts an element of 8 bytes"
    );
    assert_eq!(
        changed(|draft| draft.pieces[2].start = u64::MAX - 3),
        "the piece of block 2 does not fit: it has bytes 18446744073709551612 to 18446744073709551612 + 16, but the vector has 64"
    );
    assert_eq!(
        changed(|draft| draft.pieces[1].bytes = 8),
        "block 1 has 16 bytes in the schedule, but its piece has 8"
    );
    assert_eq!(
        changed(|draft| draft.pieces[1].role = Role::Operand),
        "the result of rank 0 has byte 16 in no piece"
    );
    assert_eq!(changed(|draft| draft.pieces[1] = draft.pieces[0]), "the result of rank 0 has byte 0 twice");
    assert_eq!(
        changed(|draft| draft.pieces[1].origin = Origin::At(4)),
        "the piece of block 1 does not fit: it is for rank 4, but there are 4 ranks"
    );
    assert_eq!(changed(|draft| draft.pieces.clear()), "0 pieces are given for a schedule of 4 blocks");
    assert_eq!(
        changed(|draft| draft.schedule = Builder::new(3, &[], &[], Exchange::InTurn).finish()),
        "the schedule is for 3 ranks, but there are 4"
    );
}

#[test]
fn a_custom_algorithm_may_refuse_a_problem() {
    let custom = Algorithm::custom("even", |task: &Task| match task.size() % 2 {
        0 => Ok(ring(task, task.size() - 1)),
        _ => Err(format!("there are {} ranks, and an even number is needed", task.size()).into()),
    });
    let [odd, even] =
        [("line:3", 9), ("line:4", 8)].map(|(line, elements)| task(line, Operation::AllGather, elements));
    assert_eq!(
        custom.plan(&odd).unwrap_err().to_string(),
        "even has no schedule for this problem: there are 3 ranks, and an even number is needed"
    );
    // A search together with *Auto* omits a custom algorithm that has no schedule.
    let auto = Algorithm::AUTO.plan(&odd).unwrap();
    assert_eq!(Algorithm::AUTO.or(&custom).plan(&odd).unwrap().name(), auto.name());
    // A schedule that does not deliver is always reported.
    let wrong = Algorithm::custom("short ring", |task: &Task| Ok(ring(task, 1)));
    let error = Algorithm::AUTO.or(&custom).or(wrong).plan(&odd).unwrap_err().to_string();
    assert!(
        error.starts_with("the schedule of short ring does not deliver the data: rank 0 ends with"),
        "{error}"
    );
    // If no algorithm has a plan, the first error is returned. Alternatives apply to a problem if one of them does.
    let other = Algorithm::NAMED.iter().find(|known| !known.is_for(Operation::AllGather)).unwrap();
    let both = custom.or(other);
    assert_eq!(both.plan(&odd).unwrap_err(), custom.plan(&odd).unwrap_err());
    assert!(both.check(&odd).is_ok() && other.check(&odd).is_err());
    // The names are joined, alternatives of alternatives are one list, and the first one wins a tie.
    let three = Algorithm::AUTO.or(&both);
    assert_eq!(three.to_string(), format!("auto or even or {other}"));
    assert_eq!((three.candidates().len(), three.clone()), (3, Algorithm::AUTO.or(&custom).or(other)));
    let again = Algorithm::custom("again", |task: &Task| Ok(ring(task, task.size() - 1)));
    assert_eq!(custom.or(&again).plan(&even).unwrap().algorithm(), &custom);
    assert_eq!(again.or(&custom).plan(&even).unwrap().algorithm(), &again);
}

#[test]
fn exact_sums_need_equal_grouping() {
    // Rank 0 adds the vectors of ranks 1 and 2 in this order, rank 1 the vectors of ranks 2 and 0, and so on.
    let custom = Algorithm::custom("everyone", |task: &Task| {
        let piece = |role| Piece { role, ..Piece::of(0..task.bytes(), Origin::Everywhere) };
        let mut combiner = Combiner::new(3, &[Origin::Everywhere; 2], &[task.bytes(); 2], Exchange::InTurn);
        for step in 1..3 {
            combiner.iteration((0..3).map(|from| Fold::of(from, (from + step) % 3, 0, 1)));
        }
        Ok(Draft::new(task, vec![piece(Role::Operand), piece(Role::Both)], combiner.finish()))
    });
    let task = |exact, in_order| {
        let task = Task::builder(&"line:3".parse().unwrap(), Operation::AllReduce).elements(4);
        task.element_bytes(8).exact(exact).in_order(in_order).build().unwrap()
    };
    custom.plan(&task(true, false)).unwrap();
    let error = custom.plan(&task(false, false)).unwrap_err().to_string();
    assert!(error.ends_with(
        "rank 1 combines block 1 in another grouping than other ranks: floating-point results could differ"
    ));
    let error = custom.plan(&task(true, true)).unwrap_err().to_string();
    assert!(error.ends_with("step 1 of rank 0 combines block 1 out of rank order"), "{error}");
}

/// Returns the schedule with one step changed: removed, duplicated, swapped with the next one, or, if the step is a message, with another
/// peer, kind or block.
fn changed(schedule: &Schedule, rank: Rank, step: usize, change: usize, by: usize) -> Schedule {
    let ranks = schedule.nodes();
    let mut steps: Vec<Vec<Step>> = (0..ranks).map(|rank| schedule.steps(rank).to_vec()).collect();
    let own = &mut steps[rank % ranks];
    if own.is_empty() {
        return schedule.clone();
    }
    let (at, next) = (step % own.len(), (step + 1) % own.len());
    match change {
        0 => drop(own.remove(at)),
        1 => own.insert(at, own[at].clone()),
        2 => own.swap(at, next),
        _ => {
            let blocks = schedule.sizes().len().max(1) as u32;
            if let Action::Send(message) | Action::Start(message) | Action::Recv(message) =
                &mut own[at].action
            {
                match change {
                    3 => message.peer = (message.peer + by) % ranks,
                    4 => message.combined = !message.combined,
                    _ => {
                        message.blocks =
                            message.blocks.iter().map(|block| (block + by as u32) % blocks).collect()
                    }
                }
            }
        }
    }
    Schedule::of_blocks(schedule.sizes().to_vec(), 8, steps)
}

/// The operand of a rank.
fn vector(task: &Task, rank: Rank) -> Vec<u64> {
    (0..task.bytes() / 8).map(|at| 100 * rank as u64 + at).collect()
}

/// The expected result of a rank.
fn result(task: &Task, rank: Rank) -> Vec<u64> {
    let [_, after] = task.extents(rank);
    let whole = Piece::of(after.clone(), Origin::Nowhere);
    let element = |at: u64| {
        let piece = Piece { start: 8 * at, bytes: 8, ..whole };
        let ranks = wanted(task, rank, &piece).expect("a part of the result");
        ranks.map(|rank| vector(task, rank)[at as usize]).sum()
    };
    (after.start / 8..after.end / 8).map(element).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    /// Tests that each schedule that passes the check completes with the right data on every rank. All other schedules are refused, without
    /// a panic.
    #[test]
    fn checked_drafts_deliver(
        operation in 0..Operation::ALL.len(), variant in 0..1000_usize, root in 0..6_usize,
        (rank, step, change, by) in (0..6_usize, 0..100_usize, 0..7_usize, 1..6_usize),
    ) {
        let operation = Operation::ALL[operation];
        let machine: MachineSpec = "paragon:2x3".parse().unwrap();
        let task = Task::builder(&machine, operation).root(root).elements(12).element_bytes(8).build().unwrap();
        let variants = Algorithm::AUTO.variants(&task, &()).unwrap();
        let draft = variants[variant % variants.len()].draft(&task).unwrap();
        let schedule = changed(&draft.schedule, rank, step, change, by);
        let custom = Algorithm::custom("changed", move |task: &Task| {
            Ok(Draft::new(task, draft.pieces.clone(), schedule.clone()))
        });
        let plan = match custom.plan(&task) {
            Ok(plan) => plan,
            Err(PlanError::Undelivered { .. }) => return Ok(()),
            Err(other) => panic!("{other}"),
        };
        let run = Machine::builder(machine).build().unwrap().run(|node| {
            let [before, _] = task.extents(node.rank());
            let vector = vector(&task, node.rank());
            let mine = &vector[before.start as usize / 8..before.end as usize / 8];
            Ok(match operation.combines() {
                true => plan.combine(node.world(), mine, &Sum)?,
                false => plan.call(node.world(), mine)?,
            })
        });
        let run = run.unwrap();
        prop_assert_eq!(run.report.makespan, plan.prediction().modeled);
        for (rank, came) in run.outputs.into_iter().enumerate() {
            prop_assert_eq!(came, result(&task, rank));
        }
    }
}
