//! Traces of whole runs, as a viewer takes them in: what nodes did and what they waited for, the steps of schedules,
//! names of tags, and what links carried.

use std::collections::BTreeMap;

use multicomputer::{
    MachineBuilder, Payload, Run,
    all_to_all::{self, ManyToMany, Matrix},
    collective::{self, Collective, Operation, Task},
    comm::{Active, Handling, Node},
    error::{Failure, RunError},
    nx::{Library, Nx},
    prelude::*,
    s_to_p, textbook,
};
use serde_json::Value;

use crate::one_behind_the_other;

/// A slice with the names of those around it, the outermost first.
#[derive(Clone, Debug)]
struct Slice {
    track: String,
    name: String,
    cat: String,
    args: Value,
    start: u64,
    end: u64,
    around: Vec<String>,
}

/// What a viewer makes of a trace.
#[derive(Debug, Default)]
struct Picture {
    slices: Vec<Slice>,
    /// By name: instants and values.
    counters: BTreeMap<String, Vec<(u64, u64)>>,
}

fn picos(micros: &Value) -> u64 {
    (micros.as_f64().expect("a time") * 1e6).round() as u64
}

/// Reads a trace; slices of one track must lie within each other or apart.
fn read(trace: &[u8]) -> Picture {
    let trace: Value = serde_json::from_slice(trace).expect("JSON");
    let records = trace["traceEvents"].as_array().expect("records");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut names: BTreeMap<u64, String> = BTreeMap::new();
    let mut open: BTreeMap<u64, Vec<Slice>> = BTreeMap::new();
    let mut last: BTreeMap<u64, u64> = BTreeMap::new();
    let mut picture = Picture::default();
    for record in records {
        let track = record["tid"].as_u64().unwrap_or_default();
        match record["ph"].as_str().expect("a kind of record") {
            "M" if record["name"] == "thread_name" => {
                drop(names.insert(track, text(&record["args"]["name"])))
            }
            "B" => {
                let (start, slices) = (picos(&record["ts"]), open.entry(track).or_default());
                assert!(last.insert(track, start).is_none_or(|last| last <= start), "out of order: {record}");
                slices.push(Slice {
                    track: names[&track].clone(),
                    name: text(&record["name"]),
                    cat: text(&record["cat"]),
                    args: record["args"].clone(),
                    start,
                    end: 0,
                    around: slices.iter().map(|slice| slice.name.clone()).collect(),
                });
            }
            "E" => {
                let end = picos(&record["ts"]);
                assert!(last.insert(track, end).is_none_or(|last| last <= end), "out of order: {record}");
                let slice = open.get_mut(&track).and_then(Vec::pop).expect("an end has its begin");
                picture.slices.push(Slice { end, ..slice });
            }
            "C" => {
                let value = record["args"]["flows"].as_u64().expect("a number of flows, never negative");
                let counter = picture.counters.entry(text(&record["name"])).or_default();
                counter.push((picos(&record["ts"]), value));
            }
            _ => {}
        }
    }
    assert!(open.values().all(Vec::is_empty), "slices without an end");
    picture
}

fn picture<T>(run: &Run<T>) -> Picture {
    let mut trace = Vec::new();
    run.write_trace(&mut trace).expect("memory does not fail");
    read(&trace)
}

impl Picture {
    /// The time of all slices of a category on the track of a node.
    fn time(&self, cat: &str, node: usize) -> Span {
        let track = format!("node {node}");
        let slices = self.slices.iter().filter(|slice| slice.cat == cat && slice.track == track);
        Span::from_picos(slices.map(|slice| slice.end - slice.start).sum())
    }

    fn named<'a>(&'a self, track: &'a str, name: &'a str) -> impl Iterator<Item = &'a Slice> {
        self.slices.iter().filter(move |slice| slice.track == track && slice.name.starts_with(name))
    }

    /// What happens on a track in slices of these names, in order of their begins: name, begin and end in nanoseconds.
    fn story(&self, track: &str) -> Vec<(&str, u64, u64)> {
        let mut slices: Vec<&Slice> = self.slices.iter().filter(|slice| slice.track == track).collect();
        slices.sort_by_key(|slice| (slice.start, slice.around.len()));
        slices.into_iter().map(|slice| (&*slice.name, slice.start / 1000, slice.end / 1000)).collect()
    }
}

/// What must hold of every trace: it says of every node what the report does, and of links how many messages shared
/// them.
fn check<T>(run: &Run<T>) -> Picture {
    let picture = picture(run);
    for (node, record) in run.report.nodes.iter().enumerate() {
        let told = ["waiting", "overhead", "compute"].map(|cat| picture.time(cat, node));
        assert_eq!(told, [record.waiting, record.overhead, record.computing], "node {node}");
    }
    for (name, values) in &picture.counters {
        assert!(values.is_sorted_by(|one, other| one.0 < other.0), "{name}: {values:?}");
        assert_eq!(values.last().map(|&(_, flows)| flows), Some(0), "{name}");
        let load = run.report.links.iter().find(|link| name.ends_with(&format!(" {}", link.link)));
        let load = load.unwrap_or_else(|| panic!("no link for {name}")).load;
        let most = values.iter().map(|&(_, flows)| flows).max();
        assert_eq!(most, Some(load.most_flows.into()), "{name}: {values:?}");
        let busy: u64 =
            values.windows(2).filter(|pair| pair[0].1 > 0).map(|pair| pair[1].0 - pair[0].0).sum();
        assert_eq!(Span::from_picos(busy), load.busy, "{name}: {values:?}");
    }
    picture
}

/// Runs a program traced, checks the trace, and that the run is the same without one.
fn traced<T: Send>(
    machine: impl Fn() -> MachineBuilder,
    program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
) -> (Run<T>, Picture) {
    let recorded = machine().trace(true).build().unwrap();
    let run = recorded.run(&program).unwrap();
    crate::explain::check(&run, recorded.spec());
    let plain = machine().build().unwrap().run(&program).unwrap();
    let report = |run: &Run<T>| serde_json::to_string(&run.report).unwrap();
    assert_eq!(report(&run), report(&plain), "a trace changes nothing");
    let picture = check(&run);
    (run, picture)
}

/// o_s = o_r = 65 us and 50 ns/B.
fn line(nodes: usize) -> MachineBuilder {
    Machine::hockney(1, nodes)
}

/// Worked example 2: both messages need the link between 1 and 2.
#[test]
fn a_call_is_one_slice_with_its_overhead_and_its_waiting_in_it() {
    let (_, picture) = traced(
        || line(4),
        |node| {
            let world = node.world();
            match node.rank() {
                from @ (0 | 1) => world.send((from + 2, Tag(7)), vec![0_u8; 1000])?,
                to => drop(world.recv(to - 2)?),
            }
            Ok(())
        },
    );
    assert_eq!(
        picture.story("node 0"),
        [("send to 2", 0, 165_000), ("overhead", 0, 65_000), ("bytes leaving", 65_000, 165_000)]
    );
    assert_eq!(
        picture.story("node 2"),
        [("recv from 0", 0, 230_000), ("waiting", 0, 165_000), ("overhead", 165_000, 230_000)]
    );
    let overhead = picture.named("node 0", "overhead").next().unwrap();
    assert_eq!((overhead.cat.as_str(), &*overhead.around), ("overhead", &["send to 2".to_owned()][..]));
    let send = picture.named("node 0", "send to 2").next().unwrap();
    assert_eq!((&send.args["bytes"], &send.args["tag"]), (&1000.into(), &7.into()));
}

#[test]
fn waiting_for_the_port_is_told_from_bytes_that_leave() {
    let (_, picture) = traced(|| line(2), one_behind_the_other(1000));
    // The first message leaves from 65 to 265 us; the second is ready at 130.
    assert_eq!(
        picture.story("node 0"),
        [
            ("send to 1", 0, 65_000),
            ("overhead", 0, 65_000),
            ("send to 1", 65_000, 315_000),
            ("overhead", 65_000, 130_000),
            ("queued for the port", 130_000, 265_000),
            ("bytes leaving", 265_000, 315_000)
        ]
    );
    // What leaves when has a track of its own.
    assert_eq!(
        picture.story("out-port of node 0"),
        [("message to 1", 65_000, 265_000), ("message to 1", 265_000, 315_000)]
    );
}

#[test]
fn a_sendrecv_is_one_slice_around_both_halves() {
    // Node 0 waits for its own bytes and then for those of node 1, which waits for its own.
    let (_, picture) = traced(
        || line(2),
        |node| {
            let (world, other) = (node.world(), 1 - node.rank());
            let data = vec![0_u8; 1000 + 2000 * node.rank()];
            world.sendrecv(other, data, other)?;
            Ok(())
        },
    );
    assert_eq!(
        picture.story("node 0"),
        [
            ("sendrecv", 0, 280_000),
            ("send to 1", 0, 115_000),
            ("overhead", 0, 65_000),
            ("bytes leaving", 65_000, 115_000),
            ("recv from 1", 115_000, 280_000),
            ("waiting", 115_000, 215_000),
            ("overhead", 215_000, 280_000)
        ]
    );
    assert_eq!(
        picture.story("node 1"),
        [
            ("sendrecv", 0, 280_000),
            ("send to 0", 0, 215_000),
            ("overhead", 0, 65_000),
            ("bytes leaving", 65_000, 215_000),
            ("recv from 0", 215_000, 280_000),
            ("overhead", 215_000, 280_000)
        ]
    );
}

/// Everything that a node can wait for.
#[test]
fn waiting_and_overhead_add_up_to_what_the_report_says() {
    let program = |node: &Node<'_>| {
        let (world, rank, size) = (node.world(), node.rank(), node.size());
        node.compute(Span::from_micros(7 * rank as u64))?;
        world.barrier()?;
        let next = (rank + 1) % size;
        let receive = world.irecv(ANY_SOURCE)?;
        let sends = [world.isend(next, vec![1_u8; 300])?, world.isend(rank, vec![1_u8; 20])?];
        receive.wait()?;
        Request::wait_all(sends)?;
        world.probe(ANY_SOURCE)?;
        world.recv(ANY_SOURCE)?;
        let _ = world.recv_until(ANY_SOURCE, node.now()? + Span::from_micros(50));
        world.sendrecv(rank, vec![1_u8; 30], rank)?;
        let active = Active::new(world, Handling::AtOnce, |reactions, _| {
            reactions.compute(Span::from_nanos(100));
        })?;
        active.send(next, [1, 2])?;
        active.compute(Span::from_micros(90))?;
        world.sendrecv(next, vec![1_u8; 10], ANY_SOURCE)?;
        Ok(())
    };
    traced(|| Machine::cm5(8), program);
    traced(|| Machine::paragon(2, 4), program);
    traced(|| Machine::t3d(2, 2, 2), program);
}

#[test]
fn the_steps_of_a_broadcast_are_phases_of_the_trace_alone() {
    let machine = Machine::paragon(4, 4).build().unwrap();
    let instance = s_to_p::Instance::new(machine.spec(), &[0, 5, 9], &[2000; 3]).unwrap();
    let plan = s_to_p::Algorithm::BR_LIN.plan(&instance).unwrap();
    let (run, picture) = traced(
        || Machine::paragon(4, 4),
        |node| {
            let mine = instance.sources().contains(&node.rank()).then(|| Payload::from(vec![1_u8; 2000]));
            Ok(plan.broadcast(node.world(), mine).map(drop)?)
        },
    );
    assert_eq!(run.report.makespan, plan.prediction().modeled);
    assert!(run.report.phases.is_empty(), "{:?}", run.report.phases);
    let name = format!("s-to-p broadcast by {}", plan.algorithm());
    let call: Vec<&Slice> = picture.named("node 0", &name).collect();
    let [call] = call[..] else { panic!("one call: {call:?}") };
    assert_eq!((call.start, call.cat.as_str()), (0, "operation"));
    assert_eq!(call.end, run.report.nodes[0].finished.as_picos());
    for node in 0..16 {
        let track = format!("node {node}");
        let steps: Vec<&Slice> = picture.named(&track, "step ").collect();
        let mut iterations: Vec<usize> =
            plan.schedule().steps(node).iter().map(|step| step.iteration).collect();
        iterations.dedup();
        let names: Vec<String> =
            iterations.iter().map(|iteration| format!("step {}", iteration + 1)).collect();
        assert_eq!(steps.iter().map(|step| step.name.clone()).collect::<Vec<_>>(), names, "node {node}");
        assert!(steps.iter().all(|step| step.around == [name.clone()] && step.cat == "step"));
        let messages =
            picture.slices.iter().filter(|slice| slice.track == track && !slice.args["tag"].is_null());
        for message in messages {
            assert!(message.around[1].starts_with("step "), "{message:?}");
            assert_eq!(message.args["tag"], "s-to-p broadcast 0");
        }
    }
}

#[test]
fn collective_calls_name_their_operation() {
    let program = |node: &Node<'_>| {
        let world = node.world();
        let _phase = node.phase("mine")?;
        let mut x = vec![node.rank() as f64; 100];
        world.broadcast(2, &mut x)?;
        world.using(&collective::Algorithm::SHORT).all_reduce(&mut x, collective::Sum)?;
        node.row()?.barrier()?;
        Ok(())
    };
    let (run, picture) = traced(|| Machine::paragon(2, 3), program);
    assert_eq!(run.report.phases.iter().map(|phase| &*phase.name).collect::<Vec<_>>(), ["mine"]);
    for node in 0..6 {
        let track = format!("node {node}");
        let operations =
            picture.slices.iter().filter(|slice| slice.track == track && slice.cat == "operation");
        let mut operations: Vec<&Slice> = operations.collect();
        operations.sort_by_key(|slice| slice.start);
        let names: Vec<&str> =
            operations.iter().map(|slice| slice.name.split(" by ").next().unwrap()).collect();
        assert_eq!(names, ["broadcast", "all-reduce", "barrier"]);
        assert!(operations.iter().all(|slice| slice.around == ["mine"]));
        let mut tags: Vec<String> =
            picture.slices.iter().filter_map(|slice| Some(slice.args["tag"].as_str()?.to_owned())).collect();
        tags.sort();
        tags.dedup();
        assert_eq!(tags, ["all-reduce 1", "barrier 0", "broadcast 0"]);
    }
}

#[test]
fn exchanges_and_algorithms_of_the_textbook_have_steps() {
    let spec = "paragon:4x4".parse().unwrap();
    let matrix = Matrix::of(16, |from, to| 100 * ((from + 2 * to) % 5) as u64).unwrap();
    let instance = all_to_all::Instance::new(&spec, matrix.clone()).unwrap();
    for algorithm in all_to_all::Algorithm::ALL {
        let Ok(plan) = algorithm.plan(&instance) else { continue };
        let (run, picture) = traced(
            || Machine::paragon(4, 4),
            |node| {
                let row =
                    matrix.row(node.rank()).iter().map(|&bytes| Payload::from(vec![3_u8; bytes as usize]));
                Ok(plan.carry_out(node.world(), row.collect()).map(drop)?)
            },
        );
        let name = format!("exchange by {}", plan.name());
        assert_eq!(picture.named("node 3", &name).count(), 1, "{name}");
        if let Some(prediction) = plan.prediction() {
            assert_eq!(run.report.makespan, prediction.modeled, "{name}");
            assert!(picture.named("node 3", "step ").count() > 1, "{name}");
        }
    }
    let task = Task::builder(&spec, Operation::AllGather).elements(16 * 100).build().unwrap();
    let plan = textbook::Algorithm::HYPERCUBE_ALL_TO_ALL.plan(&task).unwrap();
    let (run, picture) = traced(
        || Machine::paragon(4, 4),
        |node| Ok(plan.call(node.world(), &[node.rank() as u8; 100]).map(drop)?),
    );
    assert_eq!(run.report.makespan, plan.prediction().modeled);
    let mut steps: Vec<&str> = picture.named("node 6", "step ").map(|step| &*step.name).collect();
    steps.sort_unstable();
    assert_eq!(steps, ["step 1", "step 2", "step 3", "step 4"]);
}

#[test]
fn other_calls_of_the_library_have_names_too() {
    let (_, picture) = traced(
        || Machine::paragon(2, 2),
        |node| {
            let sparse = node.world().sparse_exchange(&[(0_usize, [1_u8, 2])])?;
            drop(sparse);
            let nx = Nx::new(node)?.with_library(Library::Nx);
            nx.gsync()?;
            Ok(())
        },
    );
    assert_eq!(picture.named("node 1", "sparse exchange").count(), 1);
    let tags: Vec<&Value> = picture.slices.iter().map(|slice| &slice.args["tag"]).collect();
    assert!(tags.contains(&&"sparse exchange 0".into()), "{tags:?}");
    assert!(tags.contains(&&"Syn0".into()), "{tags:?}");
}

#[test]
fn a_deadlock_names_the_operations_of_the_library() {
    let machine = Machine::hockney(1, 2).build().unwrap();
    let instance = s_to_p::Instance::new(machine.spec(), &[0], &[100]).unwrap();
    let plan = s_to_p::Algorithm::BR_LIN.plan(&instance).unwrap();
    let deadlock = |program: &(dyn Fn(&Node<'_>) -> Result<(), Failure> + Sync)| {
        let error = machine.run(program).unwrap_err();
        assert!(matches!(error, RunError::Deadlock(_)), "{error}");
        error.to_string()
    };
    let text = deadlock(&|node| match node.rank() {
        0 => Ok(()),
        _ => Ok(plan.broadcast(node.world(), None).map(drop)?),
    });
    assert!(text.contains("in s-to-p broadcast for node 0, which has returned"), "{text}");
    let text = deadlock(&|node| match node.rank() {
        0 => Ok(()),
        _ => Ok(node.world().broadcast(0, &mut [0_u8; 8])?),
    });
    assert!(text.contains("in broadcast for node 0, which has returned"), "{text}");
}

/// Worked example 2 once more: of the three links that carry something one has both messages.
#[test]
fn counters_show_what_shares_a_link() {
    let (_, picture) = traced(
        || line(4),
        |node| {
            let world = node.world();
            match node.rank() {
                from @ (0 | 1) => world.send(from + 2, vec![0_u8; 1000 + 2000 * from])?,
                to => drop(world.recv(to - 2)?),
            }
            Ok(())
        },
    );
    let micros = |name: &str| -> Vec<(u64, u64)> {
        picture.counters[name].iter().map(|&(at, flows)| (at / 1_000_000, flows)).collect()
    };
    assert_eq!(picture.counters.len(), 3);
    assert_eq!(micros("flows over node 0 -> node 1"), [(0, 0), (65, 1), (165, 0)]);
    assert_eq!(micros("flows over node 1 -> node 2"), [(0, 0), (65, 2), (165, 1), (265, 0)]);
    assert_eq!(micros("flows over node 2 -> node 3"), [(0, 0), (65, 1), (265, 0)]);
}

#[test]
fn the_eight_links_with_the_most_bytes_have_counters() {
    // A chain of ten nodes, in which link k carries k + 1 messages of one length; and back nothing.
    let (_, picture) = traced(
        || line(11),
        |node| {
            let (world, last) = (node.world(), node.size() - 1);
            if node.rank() < last {
                return Ok(world.send(last, vec![0_u8; 500])?);
            }
            (0..last).try_for_each(|from| world.recv(from).map(drop))?;
            Ok(())
        },
    );
    let mut expected: Vec<String> =
        (2..10).map(|from| format!("flows over node {from} -> node {}", from + 1)).collect();
    expected.sort();
    assert_eq!(picture.counters.keys().cloned().collect::<Vec<_>>(), expected);
}
