//! S-to-p broadcasting on the emulated machine: what a program may rely on, the exact times of the main job, errors.
//! That all messages arrive is checked on many shapes in `matrix.rs`.

use std::sync::Arc;

use multicomputer::{
    Payload, PayloadError, Run,
    comm::{WalkError, walk},
    error::{CommError, Failure, RunError},
    model::{MachineSpec, Parameters},
    pattern::{Builder, Exchange, Schedule, Transfer},
    plan::PlanError,
    plan::Reason,
    prelude::*,
    s_to_p::{Algorithm, BroadcastError, Distribution, Instance, InstanceError, Plan},
    topology::{Grid, Link, LinkId, Topology, Vertex},
};

use super::message;

fn instance(machine: &str, sources: &[Rank], lengths: &[u64]) -> Instance {
    Instance::new(&machine.parse().unwrap(), sources, lengths).unwrap()
}

/// The node's own message as a plan's instance wants it.
fn own(plan: &Plan, rank: Rank) -> Option<Payload> {
    let source = plan.instance().sources().iter().position(|&source| source == rank)?;
    Some(message(0, rank, plan.instance().lengths()[source]).into())
}

/// Runs the plan on the machine of its instance.
fn broadcast(plan: &Plan) -> Run<Vec<Payload>> {
    let machine = Machine::builder(plan.instance().machine().clone()).deny_unreceived(true).build().unwrap();
    machine.run(|node| Ok(plan.broadcast(node.world(), own(plan, node.rank()))?)).unwrap()
}

/// Fails unless every node has every byte of every source.
fn check(plan: &Plan) {
    let (sources, lengths) = (plan.instance().sources(), plan.instance().lengths());
    let expected: Vec<Vec<u8>> =
        sources.iter().zip(lengths).map(|(&source, &length)| message(0, source, length)).collect();
    for (rank, messages) in broadcast(plan).outputs.iter().enumerate() {
        let messages: Vec<Vec<u8>> = messages.iter().map(|message| message.to_vec().unwrap()).collect();
        assert_eq!(messages, expected, "{} at node {rank} from {sources:?}", plan.algorithm());
    }
}

#[test]
fn sources_come_back_in_the_order_in_which_they_are_given() {
    let instance = instance("paragon:3x5", &[14, 0, 7, 3], &[5, 0, 9, 1]);
    for algorithm in Algorithm::all() {
        check(&algorithm.plan(&instance).unwrap());
    }
}

#[test]
fn messages_of_no_bytes_are_broadcast_too() {
    let instance = instance("paragon:3x5", &[2, 11], &[0, 0]);
    for algorithm in Algorithm::all() {
        check(&algorithm.plan(&instance).unwrap());
    }
}

#[test]
fn phantom_messages_take_the_time_of_real_ones() {
    let grid = Grid { rows: 5, columns: 5 };
    let sources = Distribution::Row.place(grid, 8).unwrap();
    let instance = instance("paragon:5x5", &sources, &[1000; 8]);
    for algorithm in Algorithm::all() {
        let plan = algorithm.plan(&instance).unwrap();
        let phantom = Machine::paragon(5, 5).build().unwrap().run(|node| {
            let mine = sources.contains(&node.rank()).then(|| Payload::phantom(1000));
            Ok(plan.broadcast(node.world(), mine)?)
        });
        let phantom = phantom.unwrap();
        let mut messages = phantom.outputs.iter().flatten();
        assert!(messages.all(|message| message.is_phantom() && message.len() == 1000), "{algorithm}");
        assert_eq!(phantom.report, broadcast(&plan).report, "{algorithm}");
    }
}

/// The system: the 10 x 10 Paragon, 30 sources with 2 KiB each, as in the main job. The expectation: whichever way the
/// sources lie, each of the 30 blocks is sent 99 times; how many messages carry them, and how long that takes, depends
/// on where they lie.
#[test]
fn the_times_of_the_main_job() {
    let grid = Grid { rows: 10, columns: 10 };
    let expected = [
        (Distribution::Row, "6.935124715 ms", 542),
        (Distribution::RightDiagonal, "7.352969755 ms", 500),
        (Distribution::SquareBlock, "6.542448042 ms", 550),
    ];
    for (distribution, modeled, messages) in expected {
        let sources = distribution.place(grid, 30).unwrap();
        let plan = Algorithm::BR_LIN.plan(&instance("paragon:10x10", &sources, &[2048; 30])).unwrap();
        let report = broadcast(&plan).report;
        assert_eq!(report.bytes, 30 * 99 * 2048);
        assert_eq!(
            (report.makespan.to_string().as_str(), report.messages),
            (modeled, messages),
            "{distribution}"
        );
        assert_eq!(report.makespan, plan.prediction().modeled, "{distribution}");
    }
}

#[test]
fn a_plan_says_what_it_is() {
    let instance = instance("paragon:2x3", &[4, 1], &[7, 9]);
    let plan = Algorithm::BR_LIN.plan(&instance).unwrap();
    assert_eq!((plan.algorithm(), plan.variant(), plan.name()), (&Algorithm::BR_LIN, "", "br-lin"));
    assert_eq!((plan.instance().sources(), plan.instance().lengths()), (&[4, 1][..], &[7, 9][..]));
    assert_eq!((plan.instance().bytes(), plan.instance().size()), (16, 6));
    assert_eq!(plan.schedule().sizes(), [7, 9]);
    let auto = Algorithm::AUTO.plan(&instance).unwrap();
    assert_ne!(*auto.algorithm(), Algorithm::AUTO, "auto names the algorithm that it has chosen");
}

/// A group of the right size will do: here the bottom row of a larger machine, whose rank 0 is node 4.
#[test]
fn a_part_of_the_machine_may_broadcast_on_its_own() {
    let plan = Algorithm::SPREAD.plan(&instance("paragon:1x4", &[3, 1], &[5, 6])).unwrap();
    let run = Machine::paragon(2, 4).deny_unreceived(true).build().unwrap().run(|node| {
        let rows = node.world().split_by(|rank| rank / 4)?;
        if node.rank() < 4 {
            return Ok(Vec::new());
        }
        let messages = plan.broadcast(&rows, own(&plan, rows.rank()))?;
        Ok(Payload::concat(messages).to_vec::<u8>()?)
    });
    let expected = [message(0, 3, 5), message(0, 1, 6)].concat();
    assert!(run.unwrap().outputs[4..].iter().all(|messages| *messages == expected));
}

/// Four nodes around a switch, which is no node: no rows, no columns.
#[derive(Debug)]
struct Star;

impl Topology for Star {
    fn name(&self) -> String {
        "star:4".to_owned()
    }
    fn nodes(&self) -> usize {
        4
    }
    fn links(&self) -> usize {
        8
    }
    fn link(&self, link: LinkId) -> Link {
        let (node, switch) = (Vertex::Node(link as Rank / 2), Vertex::Switch(0));
        if link.is_multiple_of(2) { Link { from: node, to: switch } } else { Link { from: switch, to: node } }
    }
    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        if from != to {
            route.extend([2 * from as LinkId, 2 * to as LinkId + 1]);
        }
    }
}

#[test]
fn a_machine_without_rows_is_taken_as_one_row() {
    let machine = MachineSpec::new("star", Arc::new(Star), Parameters::hockney());
    let instance = Instance::new(&machine, &[2, 1], &[100, 300]).unwrap();
    assert_eq!(instance.grid(), Grid { rows: 1, columns: 4 });
    let bound = instance.lower_bound();
    let parameters = machine.parameters();
    let over_one_link = parameters.alpha() + parameters.transfer(400);
    assert_eq!(bound.of(Reason::Bisection), over_one_link, "all comes to node 0 over its one link");
    for algorithm in Algorithm::all() {
        let plan = algorithm.plan(&instance).unwrap();
        check(&plan);
        assert!(plan.prediction().modeled.since_start() >= bound.time(), "{algorithm}");
    }
}

/// Two broadcasts and a message of the program's own: each gets what is its own, in whatever order it comes.
#[test]
fn other_messages_of_the_program_stay_where_they_are() {
    let plan = Algorithm::BR_LIN.plan(&instance("hockney:1x2", &[0], &[5])).unwrap();
    let run = Machine::hockney(1, 2).deny_unreceived(true).build().unwrap().run(|node| {
        let world = node.world();
        if node.rank() == 0 {
            world.send(1, "mine")?;
        }
        let mine = |text| (node.rank() == 0).then(|| Payload::from(text));
        let broadcast = [plan.broadcast(world, mine("all's"))?, plan.broadcast(world, mine("again"))?];
        if node.rank() == 1 {
            assert_eq!(world.recv(0)?.to_bytes()?, "mine");
        }
        Ok(Payload::concat(broadcast.concat()).to_bytes()?)
    });
    assert_eq!(run.unwrap().outputs, ["all'sagain", "all'sagain"]);
}

// Errors.

/// Broadcasts on a line of four, each node by the plan and with the length of a message given, and returns the error.
fn error<'a>(
    plan: impl Fn(Rank) -> &'a Plan + Sync,
    mine: impl Fn(Rank) -> Option<u64> + Sync,
) -> (Rank, BroadcastError) {
    let run = Machine::hockney(1, 4).build().unwrap().run(|node| -> Result<(), Failure> {
        let mine = mine(node.rank()).map(Payload::phantom);
        plan(node.rank()).broadcast(node.world(), mine)?;
        Ok(())
    });
    match run.unwrap_err() {
        RunError::Node { rank, source, .. } => (rank, *source.downcast().unwrap()),
        other => panic!("{other}"),
    }
}

fn br_lin(machine: &str, lengths: [u64; 2]) -> Plan {
    Algorithm::BR_LIN.plan(&instance(machine, &[1, 2], &lengths)).unwrap()
}

#[test]
fn arguments_that_do_not_fit_are_errors() {
    let line = br_lin("hockney:1x4", [8, 8]);
    let right = |rank: Rank| (rank == 1 || rank == 2).then_some(8);

    let (rank, missing) = error(|_| &line, |rank| (rank == 1).then_some(8));
    assert_eq!((rank, &missing), (2, &BroadcastError::NoMessage { rank: 2, expected: 8 }));
    assert_eq!(missing.to_string(), "rank 2 is a source but gave no message: expected is one of 8 bytes");

    let (rank, surplus) = error(|_| &line, |rank| (rank > 0).then_some(8));
    assert_eq!((rank, &surplus), (3, &BroadcastError::NoSource { rank: 3 }));
    assert_eq!(surplus.to_string(), "rank 3 gave a message but is not a source");

    let (rank, long) = error(|_| &line, |rank| right(rank).map(|length| length * rank as u64));
    assert_eq!((rank, &long), (2, &BroadcastError::Length { rank: 2, given: 16, expected: 8 }));
    assert_eq!(long.to_string(), "the message of rank 2 has 16 bytes, expected 8");

    let wide = br_lin("hockney:1x5", [8, 8]);
    let (_, nodes) = error(|_| &wide, right);
    assert_eq!(nodes, BroadcastError::Walk(WalkError::Nodes { schedule: 5, group: 4 }));
    assert_eq!(nodes.to_string(), "the schedule is for 5 nodes, but the group has 4");
}

#[test]
fn nodes_with_different_plans_are_found_out() {
    let (line, other) = (br_lin("hockney:1x4", [8, 8]), br_lin("hockney:1x4", [8, 9]));
    let right = |rank: Rank| (rank == 1 || rank == 2).then_some(8);
    let run = Machine::hockney(1, 4).build().unwrap().run(|node| {
        let plan = if node.rank() == 0 { &other } else { &line };
        plan.broadcast(node.world(), right(node.rank()).map(Payload::phantom))?;
        Ok(())
    });
    let Err(RunError::Mismatch(found)) = run else { panic!("{run:?}") };
    let text = found.to_string();
    assert!(text.contains("s-to-p broadcast of 17 bytes from 2 sources, plan br-lin"), "{text}");
}

#[test]
fn nodes_with_different_algorithms_are_found_out() {
    let instance = instance("hockney:1x4", &[1], &[8]);
    let [halving, ring] = [Algorithm::BR_LIN, Algorithm::BUCKET].map(|known| known.plan(&instance).unwrap());
    let run = Machine::hockney(1, 4).build().unwrap().run(|node| {
        let plan = if node.rank() == 3 { &ring } else { &halving };
        Ok(plan.broadcast(node.world(), own(plan, node.rank()))?)
    });
    let error = run.unwrap_err().to_string();
    assert!(error.contains(", plan bucket"), "{error}");
}

/// Walks a schedule of two blocks of 3 and 4 bytes from node 0 to node 1, with these payloads.
fn walked(lengths: &[u64]) -> Result<Vec<u64>, WalkError> {
    let mut builder = Builder::new(2, &[0, 0], &[3, 4], Exchange::Together);
    builder.iteration([Transfer { from: 0, to: 1, blocks: [0, 1].into() }]);
    let schedule: Schedule = builder.finish();
    let run = Machine::hockney(1, 2).build().unwrap().run(|node| {
        let mut blocks: Vec<Payload> = lengths.iter().map(|&length| Payload::phantom(length)).collect();
        if node.rank() == 1 {
            blocks.fill(Payload::empty());
        }
        walk(node.world(), &schedule, Tag(1), &mut blocks)?;
        Ok(blocks.iter().map(Payload::len).collect::<Vec<u64>>())
    });
    match run {
        Ok(run) => Ok(run.outputs[1].clone()),
        Err(RunError::Node { source, .. }) => Err(*source.downcast().unwrap()),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_walk_wants_the_blocks_of_its_schedule() {
    assert_eq!(walked(&[3, 4]), Ok(vec![3, 4]));

    let few = walked(&[7]).unwrap_err();
    assert_eq!(few, WalkError::Blocks { given: 1, schedule: 2 });
    assert_eq!(few.to_string(), "1 block is given for a schedule of 2");

    let short = walked(&[3, 3]).unwrap_err();
    assert_eq!(short, WalkError::Length { block: 1, given: 3, expected: 4 });
    assert_eq!(short.to_string(), "block 1 has 3 bytes: the schedule expects 4");
}

#[test]
fn errors_of_the_layers_below_speak_for_themselves() {
    let cut = PayloadError::OutOfRange { start: 3, end: 9, len: 7 };
    assert_eq!(BroadcastError::from(cut.clone()).to_string(), cut.to_string());
    assert_eq!(WalkError::from(cut.clone()).to_string(), cut.to_string());
    let unsent = CommError::Deadlock;
    assert_eq!(BroadcastError::from(WalkError::from(unsent.clone())).to_string(), unsent.to_string());
}

#[test]
fn what_is_no_broadcast_is_an_error() {
    let machine: MachineSpec = "paragon:2x2".parse().unwrap();
    let refused = |sources: &[Rank], lengths: &[u64]| Instance::new(&machine, sources, lengths).unwrap_err();
    let gib = 1 << 30;
    let cases = [
        (
            refused(&[], &[]),
            InstanceError::NoSource,
            "no source is given: at least one node must hold a message",
        ),
        (
            refused(&[0, 4], &[1, 1]),
            InstanceError::OutsideGroup { rank: 4, nodes: 4 },
            "source 4 is outside the group: its ranks are 0 to 3",
        ),
        (
            refused(&[3, 0, 3], &[1, 1, 1]),
            InstanceError::Twice { rank: 3 },
            "rank 3 is a source twice: each node holds at most one message",
        ),
        (
            refused(&[1, 2], &[1]),
            InstanceError::Lengths { given: 1, sources: 2 },
            "1 length is given for 2 sources: give one for each",
        ),
        (
            refused(&[1, 2], &[gib, 1]),
            InstanceError::TooLong { bytes: gib + 1 },
            "the messages have 1073741825 B in total and are combined into one message: the maximum is 1073741824 B",
        ),
        (
            refused(&[1, 2], &[u64::MAX, u64::MAX]),
            InstanceError::TooLong { bytes: u64::MAX },
            "the messages have 18446744073709551615 B or more in total and are combined into one message: the maximum is 1073741824 B",
        ),
    ];
    for (given, expected, text) in cases {
        assert_eq!(given, expected);
        assert_eq!(given.to_string(), text);
    }
    assert!(Instance::new(&machine, &[1, 2], &[gib - 1, 1]).is_ok());
}

#[test]
fn splitting_needs_a_helper_for_each_source() {
    let half = instance("paragon:1x5", &[0, 3], &[10, 10]);
    assert!(Algorithm::SPLIT.plan(&half).is_ok());
    let more = instance("paragon:1x5", &[0, 3, 4], &[10, 10, 10]);
    let error = Algorithm::SPLIT.plan(&more).unwrap_err();
    assert_eq!(
        error,
        PlanError::Restricted {
            algorithm: "split".into(),
            text: "`split` does not apply to this s-to-p broadcast: it needs long messages (over half of the longest) on at most half of the nodes"
                .into(),
            found: "long messages on 3 of 5 nodes".into(),
        }
    );
    assert_eq!(
        error.to_string(),
        "`split` does not apply to this s-to-p broadcast: it needs long messages (over half of the longest) on at most half of the nodes (here: long messages on 3 of 5 nodes)"
    );
}

/// A start-up of a million seconds at either end and as much in between: seven in a row are more than 213 days.
#[test]
fn what_takes_longer_than_time_can_tell_is_an_error() {
    let slow = Parameters::builder().send_overhead(1e6).receive_overhead(1e6).latency(1e6).build().unwrap();
    let machine =
        MachineSpec::new("slow", Arc::clone("1x128".parse::<MachineSpec>().unwrap().topology()), slow);
    let instance = Instance::new(&machine, &[0], &[8]).unwrap();
    let error = Algorithm::IN_TURN.plan(&instance).unwrap_err();
    assert_eq!(error, PlanError::TooLong { algorithm: "in-turn".into() });
    assert_eq!(error.to_string(), "in-turn takes longer than the maximum of modeled time, about 213 days");
    let endless = Algorithm::BR_LIN.plan(&instance).unwrap();
    assert_eq!(
        endless.prediction().modeled,
        Time::MAX,
        "an algorithm of one variant is planned all the same"
    );
}

#[test]
fn names_parse_and_print() {
    for algorithm in Algorithm::all() {
        assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
    }
    assert_eq!(Algorithm::all().count(), Algorithm::PAPER.len() + Algorithm::BEYOND.len() + 1);
    let error = "br-xy".parse::<Algorithm>().unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown algorithm `br-xy`; did you mean `br-xy-dim`? Known: br-lin, br-lin-row-major, br-xy-source, br-xy-dim, xor, 2-step, \
         repos-br-lin, repos-br-lin-diagonal, repos-br-lin-diagonal-row-major, repos-br-xy-source, repos-br-xy-dim, \
         repos-xor, repos-2-step, part-lin, part-xy-source, \
         in-turn, spread, split, circulant, bucket, tree, auto, level, forest, pipeline, collective, apart"
    );
}
