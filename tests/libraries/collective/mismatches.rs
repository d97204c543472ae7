//! Members that do not make the same call: an error that names them, and never a hang.

use std::sync::Mutex;

use multicomputer::{
    Clock, Dilation, Payload,
    collective::{
        Algorithm, Collective, CollectiveError, Job, Max, Min, Operation, Sum, associative, commutative,
    },
    error::{RunError, WaitsFor},
};

use super::*;
use crate::support::disturbance::Disturbance;

type Call = fn(&Group<'_>) -> Result<(), CollectiveError>;

/// Broadcasts so many elements.
fn broadcast(group: &Group<'_>, root: Rank, elements: usize) -> Result<(), CollectiveError> {
    group.broadcast(root, &mut vec![1_u64; elements])
}

fn error(clock: Clock, program: impl Fn(&Node<'_>) -> Result<(), Failure> + Sync) -> RunError {
    let machine = Machine::builder("line:5".parse().unwrap()).clock(clock).wall_limit(PATIENCE);
    machine.build().unwrap().run(program).map(|_| ()).unwrap_err()
}

/// What is said if rank 3 of five makes a call of its own, in virtual or in real time.
fn said(clock: Clock, others: Call, own: Call) -> String {
    let error = error(clock, |node| {
        // One call that all agree on comes before.
        broadcast(node.world(), 0, 7)?;
        Ok(if node.rank() == 3 { own(node.world())? } else { others(node.world())? })
    });
    assert!(matches!(error, RunError::Mismatch(_)), "{error}");
    error.to_string()
}

#[test]
fn two_different_calls_are_named_with_their_ranks() {
    use Operation::AllGather;
    let pairs: [(Call, &str, Call, &str); 16] = [
        (
            |group| broadcast(group, 0, 4),
            "broadcast with root 0 on 4 u64, algorithm auto",
            |group| group.gather(0, &[1_u64], [1; 5]).map(drop),
            "gather with root 0 on 5 blocks of 1 .. 1 u64 (5 in all), algorithm auto",
        ),
        (|group| broadcast(group, 0, 4), "with root 0", |group| broadcast(group, 3, 4), "with root 3"),
        (|group| broadcast(group, 0, 4), "on 4 u64", |group| broadcast(group, 0, 5), "on 5 u64"),
        (|group| broadcast(group, 0, 4), "on 4 u64", |group| group.broadcast(0, &mut [1_i64; 4]), "on 4 i64"),
        (
            |group| broadcast(group, 0, 4),
            "algorithm auto",
            |group| group.using(&Algorithm::SHORT).broadcast(0, &mut [1_u64; 4]),
            "algorithm short",
        ),
        (
            |group| group.using(&Algorithm::TREE).broadcast(0, &mut [1_u64; 4]),
            "algorithm tree",
            |group| group.using(&Algorithm::LONG).broadcast(0, &mut [1_u64; 4]),
            "algorithm long",
        ),
        (
            |group| group.all_reduce(&mut [1, 2], Sum),
            "all-reduce on 2 i32, sum, algorithm auto",
            |group| group.all_reduce(&mut [1, 2], Max),
            "all-reduce on 2 i32, max, algorithm auto",
        ),
        (
            |group| group.all_reduce(&mut [1, 2], commutative(|a: i32, b| a + b)),
            "a commutative function",
            |group| group.all_reduce(&mut [1, 2], associative(|a: i32, b| a + b)),
            "an associative function",
        ),
        (
            |group| group.all_reduce(&mut [1, 2], Min),
            "all-reduce on",
            |group| group.reduce(0, &mut [1, 2], Min),
            "reduce with root 0 on",
        ),
        (
            |group| group.scan(&mut [1_u8], Sum),
            "scan on 1 u8",
            |group| group.all_reduce(&mut [1_u8], Sum),
            "all-reduce on 1 u8",
        ),
        (
            |group| group.scan(&mut [1_u8], Sum),
            "scan on 1 u8",
            |group| group.exclusive_scan(&mut [1_u8], Sum),
            "an exclusive scan",
        ),
        (
            |group| group.split(group.rank(), 0).map(drop),
            "a split by colors and keys",
            |group| broadcast(group, 3, 1),
            "broadcast with root 3 on 1 u64",
        ),
        (
            |group| group.all_gather(&[1_u8], [1, 1, 1, 1, 1]).map(drop),
            "all-gather on 5 blocks",
            |group| group.all_gather(&[1_u8], 5).map(drop),
            "all-gather on 5 u8",
        ),
        (
            // What each has fits its own call, or that would be the error.
            |group| {
                group.all_gather(&[1_u8; 2][..1 + usize::from(group.rank() == 1)], [1, 2, 1, 1, 1]).map(drop)
            },
            "all-gather on 5 blocks",
            |group| group.all_gather(&[1_u8], [1, 1, 2, 1, 1]).map(drop),
            "all-gather on 5 blocks",
        ),
        (
            |group| Ok(group.barrier()?),
            "a barrier",
            |group| broadcast(group, 3, 1),
            "broadcast with root 3 on 1 u64",
        ),
        (
            |group| group.carry_out(&Job::bytes(AllGather, 5), Payload::phantom(1)).map(drop),
            "all-gather on 5 u8, algorithm auto",
            |group| group.carry_out(&Job::bytes(AllGather, 6), Payload::phantom(1)).map(drop),
            "all-gather on 6 u8, algorithm auto",
        ),
    ];
    for clock in [Clock::Virtual, Clock::RealTime { dilation: Dilation::Fixed(1.0) }] {
        for (others, common, own, special) in pairs {
            let text = said(clock, others, own);
            assert!(text.starts_with("in the world, rank"), "{text}");
            assert!(text.ends_with("all ranks must make the same call"), "{text}");
            let (calls, _) = text.rsplit_once(": all ranks").unwrap();
            let (_, calls) = calls.split_once("in the world, ").unwrap();
            let sides: Vec<&str> = calls.split("; ").collect();
            let [one, two] = sides[..] else { panic!("{text}") };
            let (odd, other) = if one.starts_with("rank 3 calls ") { (one, two) } else { (two, one) };
            assert!(odd.starts_with("rank 3 calls ") && odd.contains(special), "{text}");
            assert!(other.contains(common) && !other.starts_with("rank 3"), "{text}");
        }
    }
}

#[test]
fn the_order_of_calls_counts() {
    let text = error(Clock::Virtual, |node| {
        let sum = |node: &Node<'_>| node.world().all_reduce(&mut [1.5], Sum);
        let all = |node: &Node<'_>| node.world().all_gather(&[1_u8], 5).map(drop);
        Ok(if node.rank() == 1 {
            all(node).and_then(|()| sum(node))
        } else {
            sum(node).and_then(|()| all(node))
        }?)
    });
    let text = text.to_string();
    assert!(text.contains("rank 1 calls all-gather on 5 u8, algorithm auto"), "{text}");
    assert!(text.contains("ranks 0, 2 to 4 call all-reduce on 1 f64, sum, algorithm auto"), "{text}");
}

#[test]
fn a_mismatch_in_one_group_names_that_group() {
    let text = error(Clock::Virtual, |node| {
        let group = node.world().split_by(|rank| rank % 2)?;
        // Nodes 0, 2 and 4 disagree; 1 and 3 do not.
        let length = if node.rank() == 4 { 2 } else { 1 };
        Ok(group.broadcast(0, &mut vec![0_u8; length])?)
    });
    let RunError::Mismatch(mismatch) = &text else { panic!("{text}") };
    let place = mismatch.calls[0].place.as_deref().unwrap();
    assert!(place.contains("collective/mismatches.rs:"), "{place}");
    assert_eq!(mismatch.calls[1].place.as_deref(), Some(place), "both calls are the same line");
    assert_eq!(
        text.to_string().replace(&format!(" ({place})"), ""),
        "in the group of nodes 0, 2, 4, ranks 0, 1 call broadcast with root 0 on 1 u8, algorithm auto; \
         rank 2 calls broadcast with root 0 on 2 u8, algorithm auto: all ranks must make the same call"
    );
}

/// Ranks that call at other times, and threads that come at others still: the first difference in modeled time is told, with those
/// that have called by then.
#[test]
fn a_mismatch_is_the_same_in_every_run() {
    for run in 0..60 {
        let text = error(Clock::Virtual, |node| {
            let disturbance = Disturbance::new(run, node.rank());
            node.compute(Span::from_micros([10, 30, 20, 20, 40][node.rank()]))?;
            disturbance.strike_hard();
            match node.rank() % 2 {
                1 => node.world().barrier()?,
                _ => node.world().all_reduce(&mut [1.0], Sum)?,
            }
            Ok(())
        });
        let RunError::Mismatch(mismatch) = &text else { panic!("{text}") };
        let mut text = text.to_string();
        for call in &mismatch.calls {
            text = text.replace(&format!(" ({})", call.place.as_deref().unwrap()), "");
        }
        assert_eq!(
            text,
            "in the world, ranks 0, 2 call all-reduce on 1 f64, sum, algorithm auto; rank 3 calls a barrier (ranks 1, 4 have \
             not made this call yet): all ranks must make the same call",
            "run {run}"
        );
    }
}

/// Rows disagree on their own calls; that of the first row is told, as both do so at the start.
#[test]
fn of_several_groups_the_first_is_told() {
    for run in 0..60 {
        let machine = Machine::hockney(2, 3).build().unwrap();
        let error = machine.run(|node| {
            let disturbance = Disturbance::new(run, node.rank());
            let row = node.row()?;
            disturbance.strike_hard();
            let length = if row.rank() == 1 { 2 } else { 1 };
            Ok(row.all_reduce(&mut vec![1_u64; length], Sum)?)
        });
        let Err(RunError::Mismatch(mismatch)) = error else { panic!("{error:?}") };
        let calls = mismatch.calls.iter().map(|call| call.ranks.clone()).collect::<Vec<_>>();
        assert_eq!((mismatch.group.as_str(), calls), ("row 0", vec![vec![0, 2], vec![1]]), "run {run}");
    }
}

/// Members that split a group by functions of their own: by a constant, as in MPI, or by another color of another rank.
#[test]
fn a_split_by_functions_that_differ_is_told() {
    let constant = error(Clock::Virtual, |node| {
        let color = node.rank() % 2;
        node.world().split_by(|_| color)?.barrier()?;
        Ok(())
    });
    let constant = constant.to_string();
    assert!(
        constant.starts_with("in the world, ranks 0, 2, 4 call `split_by` (whose function must give"),
        "{constant}"
    );
    assert!(constant.contains("; ranks 1, 3 call `split_by`"), "{constant}");
    let other = error(Clock::Virtual, |node| {
        let last = node.rank() == 4;
        node.world().split_by(|rank| rank % 2 + usize::from(last && rank == 0))?.barrier()?;
        Ok(())
    });
    let RunError::Mismatch(mismatch) = other else { panic!("{other}") };
    assert_eq!(mismatch.calls.len(), 2, "{mismatch}");
}

/// Both groups of nodes are in a collective call, in which rank 0 of the one and of the other are missing.
#[test]
fn a_deadlock_in_the_calls_of_groups_names_them() {
    let error = error(Clock::Virtual, |node| {
        let group = node.world().split_by(|rank| rank % 2)?;
        if group.rank() > 0 {
            group.broadcast(0, &mut [0_u8; 4])?;
        }
        Ok(())
    });
    let text = error.to_string();
    assert!(text.contains("in broadcast in the group of nodes 0, 2, 4 for node"), "{text}");
    assert!(text.contains("in broadcast in the group of nodes 1, 3 for node 1"), "{text}");
}

/// The ranks that wait, and for whom, where rank 3 makes no call at all.
fn without_rank_3(call: Call) -> Vec<(Rank, Option<Rank>, String)> {
    let program = |node: &Node<'_>| {
        Ok(if node.rank() == 3 {
        } else {
            call(node.world())?
        })
    };
    match error(Clock::Virtual, program) {
        RunError::Deadlock(report) => report
            .blocked
            .into_iter()
            .map(|node| match node.waits_for {
                WaitsFor::Message { source, group, .. } => (node.rank, source, group),
                other => panic!("{other}"),
            })
            .collect(),
        other => panic!("{other}"),
    }
}

#[test]
fn a_member_that_makes_no_call_is_found_where_others_need_it() {
    let calls: [Call; 7] = [
        |group| broadcast(group, 3, 1),
        |group| group.gather(0, &[1_u8], 5).map(drop),
        |group| group.all_gather(&[1_u8], 5).map(drop),
        |group| group.reduce(0, &mut [1_u8], Sum),
        |group| group.all_reduce(&mut [1_u8], Sum),
        |group| group.scan(&mut [1_u8], Sum),
        |group| Ok(group.barrier()?),
    ];
    for (number, call) in calls.into_iter().enumerate() {
        let blocked = without_rank_3(call);
        assert!(blocked.iter().any(|&(_, source, _)| source == Some(3)), "{number}: {blocked:?}");
        assert!(blocked.iter().all(|&(rank, ..)| rank != 3), "{number}: {blocked:?}");
        assert!(
            blocked.iter().all(|(.., group)| group == "collective calls in the world"),
            "{number}: {blocked:?}"
        );
    }
}

/// A leaf of the tree is missed by nobody; its message is one that was never received.
#[test]
fn a_member_that_nobody_needs_leaves_a_message() {
    let machine = |denied| {
        let machine =
            Machine::builder("line:5".parse().unwrap()).wall_limit(PATIENCE).deny_unreceived(denied);
        machine.build().unwrap()
    };
    let program = |node: &Node<'_>| {
        Ok(if node.rank() == 4 {
        } else {
            node.world().using(&Algorithm::SHORT).broadcast(0, &mut [1_u8; 9])?
        })
    };
    let run = machine(false).run(program).unwrap();
    let left: Vec<_> =
        run.report.unreceived.iter().map(|message| (message.to, message.bytes, &message.group[..])).collect();
    assert_eq!(left, [(4, 9, "collective calls in the world")]);
    assert!(matches!(machine(true).run(program), Err(RunError::Unreceived(_))));
}

/// The error of rank 1, which is the only one to see it.
fn on_rank_1(call: impl Fn(&Group<'_>) -> Result<(), CollectiveError> + Sync) -> String {
    let error = error(Clock::Virtual, |node| {
        let result = call(node.world());
        match (node.rank(), result) {
            (1, Err(error)) => Err(error.into()),
            (1, Ok(())) => Ok(()),
            (_, Err(CollectiveError::Comm(_) | CollectiveError::Walk(_)) | Ok(())) => Ok(()),
            (rank, Err(other)) => Err(format!("rank {rank}: {other}").into()),
        }
    });
    match error {
        RunError::Node { rank: 1, source, .. } => source.to_string(),
        other => panic!("{other}"),
    }
}

#[test]
fn a_block_of_the_wrong_length_is_refused() {
    let text = on_rank_1(|group| {
        let mine = vec![0_u32; if group.rank() == 1 { 3 } else { 2 }];
        group.all_gather(&mine, [2; 5]).map(drop)
    });
    assert_eq!(
        text,
        "rank 1 gives 3 elements of u32 to all-gather, but `lengths` has 2 for this rank: give 2, or use 3 in `lengths` on every rank"
    );
    let text = on_rank_1(|group| {
        let x = if group.rank() < 2 { &[1_u8; 5][..] } else { &[] };
        group.scatter(0, x, 5).map(drop)
    });
    assert_eq!(
        text,
        "rank 1 gives 5 elements of u8 to scatter: only the root, rank 0, gives data; other ranks give an empty slice"
    );
}

/// In MPI the count is that of one rank.
#[test]
fn the_count_of_one_rank_is_answered_with_what_would_be_right() {
    let calls: [(Call, &str); 6] = [
        (
            |group| group.all_gather(&[7_i32; 10], 10).map(drop),
            "rank 1 gives 10 elements of i32 to all-gather, but `lengths` = 10 is the total of all 5 ranks, 2 of them from this rank: for 10 from every rank use `[10; 5]` or 50",
        ),
        (
            |group| group.gather(0, &[7_i32], 1).map(drop),
            "rank 0 gives 1 element of i32 to gather, but `lengths` = 1 is the total of all 5 ranks, 0 of them from this rank: for 1 from every rank use `[1; 5]` or 5",
        ),
        (
            |group| group.scatter(0, &vec![1.0; if group.rank() == 0 { 50 } else { 0 }], 10).map(drop),
            "rank 0 gives 50 elements of f64 to scatter, but `lengths` = 10 is the total of all 5 ranks: for 10 to every rank use `[10; 5]` or 50",
        ),
        (
            |group| group.reduce_scatter(&[1.0; 50], 10, Sum).map(drop),
            "rank 1 gives 50 elements of f64 to reduce-scatter, but `lengths` = 10 is the total of all 5 ranks: for 10 to every rank use `[10; 5]` or 50",
        ),
        (
            |group| group.reduce_scatter(&[1.0; 7], 10, Sum).map(drop),
            "rank 1 gives 7 elements of f64 to reduce-scatter, but `lengths` = 10 is the length of the whole vector: use `lengths` = 7 for this data",
        ),
        (
            |group| group.reduce_scatter(&[1.0; 7], [1; 5], Sum).map(drop),
            "rank 1 gives 7 elements of f64 to reduce-scatter, but `lengths` has 5 blocks of 5 in total: both totals must be equal",
        ),
    ];
    for (call, expected) in calls {
        // Whoever has what it should sends it, or waits for what never comes.
        let machine = Machine::builder("line:5".parse().unwrap()).wall_limit(PATIENCE).build().unwrap();
        let texts = Mutex::new(Vec::new());
        let _ = machine.run(|node| {
            let called = call(node.world());
            texts.lock().unwrap().extend(called.as_ref().err().map(ToString::to_string));
            Ok(called?)
        });
        let texts = texts.into_inner().unwrap();
        // Where all ranks give the same, the first that calls ends the run.
        let given = |text: &str| text.split_once(" gives ").map(|(_, given)| given.to_owned());
        let is_told = |text: &String| {
            text == expected || expected.starts_with("rank 1") && given(text) == given(expected)
        };
        assert!(texts.iter().any(is_told), "{texts:#?}\n{expected}");
    }
}

#[test]
fn bytes_that_make_up_no_elements_are_counted_as_bytes() {
    let text = on_rank_1(|group| {
        let job = Job::of::<u32>(Operation::AllGather, 0, 10);
        let mine = Payload::phantom(if group.rank() == 1 { 13 } else { 8 });
        group.carry_out(&job, mine).map(drop)
    });
    assert_eq!(
        text,
        "rank 1 gives 13 bytes (not a multiple of the size of u32) to all-gather: `lengths` expects 2 elements"
    );
}

#[test]
fn arguments_that_do_not_fit_are_refused_on_every_rank() {
    let calls: [(Call, &str); 6] = [
        (|group| broadcast(group, 5, 1), "root 5 is not in the group: its ranks are 0 to 4"),
        (
            |group| group.all_gather(&[1_u8], [1, 1]).map(drop),
            "2 block lengths are given for a group of 5 ranks: give one for each rank",
        ),
        (
            |group| group.carry_out(&Job::bytes(Operation::Scan, 5), Payload::phantom(5)).map(drop),
            "scan needs an operator, but none is given",
        ),
        (
            |group| group.carry_out(&Job::bytes(Operation::Broadcast, 1 << 60), Payload::empty()).map(drop),
            "the vector has 2^60 bytes or more; allowed is less",
        ),
        (
            |group| group.using(&Algorithm::DOUBLING).broadcast(0, &mut [1_u8]),
            "algorithm `doubling` is not for broadcast. Known for broadcast: auto, short, long, hybrid, alternating, mixed, \
             tree, blocks, bine, pipeline, chains, edst, forest, sources, composed",
        ),
        (
            |group| group.using(&Algorithm::CIRCULANT).all_reduce(&mut [1_u8], associative(|a, _| a)),
            "`circulant` does not apply to this all-reduce: it needs a commutative operator, or a single short-vector dimension",
        ),
    ];
    for (call, expected) in calls {
        let run = run("line:5", |node| Ok(call(node.world()).unwrap_err().to_string()));
        assert!(run.outputs.iter().all(|text| text == expected), "{:?}", run.outputs);
    }
}

/// Data of another type than the request says is found where vectors are combined.
#[test]
fn a_payload_of_another_type_is_refused() {
    let text = on_rank_1(|group| {
        let mine = if group.rank() == 1 { Payload::from([1_u32, 2]) } else { Payload::from([1.0_f32, 2.0]) };
        let request = Job::of::<f32>(Operation::AllReduce, 0, 2);
        group.using(&Algorithm::DOUBLING).combine::<f32>(&request, mine, &Sum).map(drop)
    });
    assert!(text.contains("u32") && text.contains("f32"), "{text}");
}

/// Every named algorithm refuses the operations that it is not for, on every rank.
#[test]
fn algorithms_refuse_operations_that_they_are_not_for() {
    let refused = run("line:3", |node| {
        let mut refused = Vec::new();
        for operation in Operation::ALL {
            let request = Job::bytes(operation, [4, 4, 4]);
            let others = Algorithm::NAMED.iter().filter(|named| !Algorithm::of(operation).contains(named));
            for algorithm in others {
                let group = node.world().using(algorithm);
                let mine = Payload::phantom(match operation {
                    Operation::Broadcast | Operation::Scatter if node.rank() > 0 => 0,
                    Operation::Gather | Operation::AllGather => 4,
                    _ => 12,
                });
                let result = if operation.combines() {
                    group.combine::<u8>(&request, mine, &Sum)
                } else {
                    group.carry_out(&request, mine)
                };
                let error = result.err().map_or_else(|| "nothing".to_owned(), |error| error.to_string());
                let name = algorithm.spelled(operation);
                let known = Algorithm::of(operation);
                let known: Vec<&str> = known.iter().map(Algorithm::name).collect();
                let known = known.join(", ");
                assert_eq!(
                    error,
                    format!("algorithm `{name}` is not for {operation}. Known for {operation}: {known}")
                );
                refused.push(name);
            }
        }
        Ok(refused.len())
    });
    assert!(refused.outputs[0] > 15, "{:?}", refused.outputs);
}
