//! S-to-p broadcasting as a call of a group: in a context of its own, in any group, by any algorithm, agreed on by all.

use multicomputer::{
    Payload,
    error::{Failure, RunError},
    plan::PlanError,
    prelude::*,
    s_to_p::{Algorithm, BroadcastError, Instance, InstanceError},
};

/// The error of the first node that fails.
fn error(machine: &Machine, program: impl Fn(&Node<'_>) -> Result<(), Failure> + Sync) -> BroadcastError {
    match machine.run(program).unwrap_err() {
        RunError::Node { source, .. } => *source.downcast().unwrap(),
        other => panic!("{other}"),
    }
}

/// A receive from any source under any tag takes no message of a broadcast, whenever it is posted.
#[test]
fn a_pending_receive_from_anybody_takes_no_message_of_a_broadcast() {
    let machine = Machine::hockney(1, 4).deny_unreceived(true).build().unwrap();
    let instance = Instance::new(machine.spec(), &[0, 3], &[5, 5]).unwrap();
    for algorithm in Algorithm::all() {
        let plan = algorithm.plan(&instance).unwrap();
        let run = machine.run(|node| {
            let (world, rank) = (node.world(), node.rank());
            let pending = world.irecv((ANY_SOURCE, ANY_TAG))?;
            let mine = [0, 3].contains(&rank).then(|| Payload::from(["left.", "", "", "right"][rank]));
            let messages = plan.broadcast(world, mine)?;
            world.send((rank + 1) % 4, [rank as u8])?;
            let own = pending.wait()?.to_vec::<u8>()?;
            Ok((Payload::concat(messages).to_bytes()?, own))
        });
        let outputs = run.unwrap_or_else(|error| panic!("{algorithm}: {error}")).outputs;
        for (rank, (messages, own)) in outputs.into_iter().enumerate() {
            assert_eq!((&messages[..], own), (&b"left.right"[..], vec![(rank as u8 + 3) % 4]), "{algorithm}");
        }
    }
}

/// The call takes what the plan says, which is the same for all members and kept from one call to the next.
#[test]
fn a_call_is_a_plan_carried_out() {
    let machine = Machine::paragon(4, 5).deny_unreceived(true).build().unwrap();
    let sources = [(7, 300_u64), (0, 0), (19, 1000)];
    for algorithm in Algorithm::all() {
        let run = machine.run(|node| {
            let world = node.world().using(&algorithm);
            let mine = sources.iter().find(|&&(rank, _)| rank == node.rank());
            let mine = mine.map(|&(rank, bytes)| Payload::from(vec![rank as u8; bytes as usize]));
            let messages = world.broadcast_payloads_from(&sources, mine)?;
            for (&(rank, bytes), message) in sources.iter().zip(&messages) {
                assert_eq!(message.to_vec::<u8>()?, vec![rank as u8; bytes as usize]);
            }
            Ok(world.broadcast_plan(&sources)?)
        });
        let run = run.unwrap_or_else(|error| panic!("{algorithm}: {error}"));
        let plan = &run.outputs[0];
        assert!(run.outputs.iter().all(|other| std::sync::Arc::ptr_eq(plan, other)), "{algorithm}");
        assert_eq!(run.report.makespan, plan.prediction().modeled, "{algorithm}");
        assert!(algorithm == Algorithm::AUTO || *plan.algorithm() == algorithm);
    }
}

/// Rows at the same time, each with a source of its own; then a rectangle in the middle, whose ranks are not its nodes.
#[test]
fn any_group_broadcasts_among_its_members() {
    let machine = Machine::paragon(4, 6).deny_unreceived(true).build().unwrap();
    let run = machine.run(|node| {
        let row = node.row()?;
        let own = node.rank() / 6;
        let mine = if row.rank() == own { vec![own as u32; 50] } else { vec![] };
        assert_eq!(row.broadcast_from(&[(own, 50)], &mine)?, [vec![own as u32; 50]]);
        let middle = [7, 8, 9, 10, 13, 14, 15, 16];
        if !middle.contains(&node.rank()) {
            return Ok(None);
        }
        let middle = node.world().subgroup(&middle)?;
        let mine: &[u16] = if middle.rank() % 3 == 1 { &[middle.rank() as u16; 4] } else { &[] };
        let sources = [(7, 4), (1, 4), (4, 4)];
        assert_eq!(middle.broadcast_from(&sources, mine)?, [[7; 4], [1; 4], [4; 4]]);
        let plan = middle.broadcast_plan(&sources.map(|(rank, elements)| (rank, 2 * elements as u64)))?;
        Ok(Some(plan.instance().grid().to_string()))
    });
    assert_eq!(run.unwrap().outputs[7].as_deref(), Some("2x4"));
}

/// Long messages of unequal lengths in chunks, and one without a byte.
#[test]
fn messages_come_whole_out_of_a_pipeline() {
    let machine = Machine::hockney(4, 5).deny_unreceived(true).build().unwrap();
    let sources = [(19, 200_001), (3, 0), (12, 180_000), (7, 65_537)];
    let message = |rank: usize, length: usize| -> Vec<u8> {
        (0..length).map(|at| (at * 31 / 7 + rank) as u8).collect()
    };
    let run = machine.run(|node| {
        let own = sources.iter().find(|&&(rank, _)| rank == node.rank());
        let mine = own.map_or(Vec::new(), |&(rank, length)| message(rank, length));
        let got = node.world().using(Algorithm::PIPELINE).broadcast_from(&sources, &mine)?;
        assert!(got.iter().zip(sources).all(|(got, (rank, length))| *got == message(rank, length)));
        Ok(node
            .world()
            .using(Algorithm::PIPELINE)
            .broadcast_plan(&sources.map(|(rank, length)| (rank, length as u64)))?)
    });
    let run = run.unwrap();
    assert_eq!(run.report.makespan, run.outputs[0].prediction().modeled);
}

/// On a part of the machine what a plan says is what a run takes, too, and no less than the bound of its members.
#[test]
fn predictions_among_members_are_exact() {
    let machine = Machine::paragon(5, 5).build().unwrap();
    for nodes in [vec![6, 7, 8, 11, 12, 13], vec![0, 4, 24, 20, 12], vec![3, 8, 13, 18, 23], vec![17]] {
        let sources: Vec<(Rank, u64)> = (0..nodes.len().div_ceil(2)).map(|rank| (2 * rank, 700)).collect();
        let run = machine.run(|node| {
            if !nodes.contains(&node.rank()) {
                return Ok(None);
            }
            let group = node.world().subgroup(&nodes)?;
            let is_source = group.rank().is_multiple_of(2);
            group.broadcast_payloads_from(&sources, is_source.then(|| Payload::phantom(700)))?;
            Ok(Some(group.broadcast_plan(&sources)?))
        });
        let run = run.unwrap();
        let plan = run.outputs[nodes[0]].as_ref().unwrap();
        assert_eq!(run.report.makespan, plan.prediction().modeled, "{nodes:?}");
        let finished: Vec<Time> = nodes.iter().map(|&node| run.report.nodes[node].finished).collect();
        assert_eq!(finished, plan.prediction().finished, "{nodes:?}");
        assert!(plan.prediction().modeled.since_start() >= plan.instance().lower_bound().time());
    }
}

#[test]
fn members_that_call_differently_are_found_out() {
    let machine = Machine::hockney(1, 4).build().unwrap();
    let differ = |one: [(Rank, u64); 1], other: [(Rank, u64); 1], by: [Algorithm; 2]| {
        let run = machine.run(|node| {
            let (sources, algorithm) =
                if node.rank() == 2 { (other, by[1].clone()) } else { (one, by[0].clone()) };
            let mine = (node.rank() == sources[0].0).then(|| Payload::phantom(sources[0].1));
            node.world().using(algorithm).broadcast_payloads_from(&sources, mine)?;
            Ok(())
        });
        let Err(error @ RunError::Mismatch(_)) = run else { panic!("{run:?}") };
        error.to_string()
    };
    let auto = [Algorithm::AUTO; 2];
    let lengths = differ([(1, 8)], [(1, 9)], auto.clone());
    assert!(lengths.contains("s-to-p broadcast of 9 bytes from 1 source, algorithm auto"), "{lengths}");
    let sources = differ([(1, 8)], [(0, 8)], auto);
    assert!(sources.contains("with other arguments"), "{sources}");
    let algorithms = differ([(1, 8)], [(1, 8)], [Algorithm::TREE, Algorithm::BUCKET]);
    assert!(algorithms.contains("algorithm tree") && algorithms.contains("algorithm bucket"), "{algorithms}");
}

#[test]
fn arguments_that_do_not_fit_are_errors() {
    let machine = Machine::hockney(1, 3).build().unwrap();
    let call = |sources: &[(Rank, usize)], mine: &[u8]| {
        error(&machine, |node| {
            let mine = if node.rank() == 1 { mine } else { &[] };
            node.world().broadcast_from(sources, mine)?;
            Ok(())
        })
    };
    assert_eq!(call(&[], &[]), BroadcastError::Instance(InstanceError::NoSource));
    assert_eq!(call(&[(1, 2), (1, 2)], &[1, 2]), BroadcastError::Instance(InstanceError::Twice { rank: 1 }));
    assert_eq!(call(&[(3, 1)], &[]).to_string(), "source 3 is outside the group: its ranks are 0 to 2");
    assert_eq!(call(&[(1, 2)], &[1]), BroadcastError::Length { rank: 1, given: 1, expected: 2 });
    assert_eq!(call(&[(2, 0)], &[1]), BroadcastError::NoSource { rank: 1 });
    let refused = error(&machine, |node| {
        node.world().using(Algorithm::SPLIT).broadcast_from(&[(0, 1), (1, 1)], &[0_u8][node.rank() / 2..])?;
        Ok(())
    });
    assert!(matches!(refused, BroadcastError::Plan(PlanError::Restricted { .. })), "{refused}");
}
