//! Tests of schedules: their results, their times, and the errors of invalid ones.

use super::*;
use crate::{
    Machine,
    goal::{self, Sends},
    model::MachineSpec,
};

/// A step: its type, its source and destination chunk, the count, and the thread block and step on which it depends.
struct Step(&'static str, (char, usize), (char, usize), usize, Option<(usize, usize)>);

/// A thread block: its destination, its source, its channel, its steps.
struct Block(Option<usize>, Option<usize>, usize, Vec<Step>);

/// Writes ranks with their thread blocks as XML.
fn text(head: &str, scratch: usize, gpus: impl IntoIterator<Item = Vec<Block>>) -> String {
    let mut text = format!("<algo {head} proto=\"Simple\" nchannels=\"1\">\n");
    let or_none = |number: Option<usize>| number.map_or("-1".to_owned(), |number| number.to_string());
    for (id, blocks) in gpus.into_iter().enumerate() {
        text += &format!("<gpu id=\"{id}\" i_chunks=\"0\" o_chunks=\"0\" s_chunks=\"{scratch}\">\n");
        for (id, Block(send, recv, channel, steps)) in blocks.into_iter().enumerate() {
            let (send, recv) = (or_none(send), or_none(recv));
            text += &format!("<tb id=\"{id}\" send=\"{send}\" recv=\"{recv}\" chan=\"{channel}\">\n");
            for (s, Step(kind, (srcbuf, srcoff), (dstbuf, dstoff), cnt, after)) in
                steps.into_iter().enumerate()
            {
                let (depid, deps) =
                    (or_none(after.map(|after| after.0)), or_none(after.map(|after| after.1)));
                text += &format!(
                    "<step s=\"{s}\" type=\"{kind}\" srcbuf=\"{srcbuf}\" srcoff=\"{srcoff}\" dstbuf=\"{dstbuf}\" \
                     dstoff=\"{dstoff}\" cnt=\"{cnt}\" depid=\"{depid}\" deps=\"{deps}\" hasdep=\"0\"/>\n"
                );
            }
            text += "</tb>\n";
        }
        text += "</gpu>\n";
    }
    text + "</algo>\n"
}

/// A ring all-gather, in place: each rank sends its chunk and forwards the chunks that it receives.
fn ring_collect(ranks: usize) -> String {
    let gpu = |rank: usize| {
        let mut steps = vec![Step("s", ('o', rank), ('o', rank), 1, None)];
        for hop in 1..ranks {
            let chunk = ('o', (rank + ranks - hop) % ranks);
            steps.push(Step(if hop == ranks - 1 { "r" } else { "rcs" }, chunk, chunk, 1, None));
        }
        vec![Block(Some((rank + 1) % ranks), Some((rank + ranks - 1) % ranks), 0, steps)]
    };
    let head = format!(
        "name=\"ring\" ngpus=\"{ranks}\" coll=\"allgather\" inplace=\"1\" nchunksperloop=\"{ranks}\""
    );
    text(&head, 0, (0..ranks).map(gpu))
}

/// A ring all-reduce: combines on the first pass and distributes on the second.
fn ring_combine(ranks: usize, last_of_first: &'static str) -> String {
    let gpu = |rank: usize| {
        let chunk = |hop: usize| ('i', (rank + 2 * ranks - hop) % ranks);
        let mut steps = vec![Step("s", chunk(0), chunk(0), 1, None)];
        for hop in 1..2 * ranks - 1 {
            let kind = match hop {
                _ if hop < ranks - 1 => "rrs",
                _ if hop == ranks - 1 => last_of_first,
                _ if hop == 2 * ranks - 2 => "r",
                _ => "rcs",
            };
            steps.push(Step(kind, chunk(hop), chunk(hop), 1, None));
        }
        vec![Block(Some((rank + 1) % ranks), Some((rank + ranks - 1) % ranks), 0, steps)]
    };
    let head = format!("name=\"ring\" coll=\"allreduce\" inplace=\"1\" nchunksperloop=\"{ranks}\"");
    text(&head, 0, (0..ranks).map(gpu))
}

/// All-pairs exchange: one thread block per other rank, and one that combines received chunks or copies the own chunk.
fn all_pairs(ranks: usize, coll: &str, is_careful: bool) -> String {
    let combines = coll == "reduce_scatter";
    let gpu = |rank: usize| {
        let others = (0..ranks).filter(|&other| other != rank);
        let mut blocks: Vec<Block> = others
            .clone()
            .enumerate()
            .map(|(nth, other)| {
                let to = if combines { ('s', nth) } else { ('o', other) };
                let steps =
                    vec![Step("s", ('i', other), ('o', 0), 1, None), Step("r", ('i', rank), to, 1, None)];
                Block(Some(other), Some(other), 0, steps)
            })
            .collect();
        let own = if combines { ('o', 0) } else { ('o', rank) };
        let mut steps = vec![Step("cpy", ('i', rank), own, 1, None)];
        if combines {
            for nth in 0..ranks - 1 {
                steps.push(Step("nop", ('i', 0), ('o', 0), 1, Some((nth, 1)).filter(|_| is_careful)));
                steps.push(Step("re", ('s', nth), own, 1, None));
            }
        }
        blocks.push(Block(None, None, 0, steps));
        blocks
    };
    let head = format!("name=\"pairs\" coll=\"{coll}\" inplace=\"0\" nchunksperloop=\"{ranks}\"");
    text(&head, ranks - 1, (0..ranks).map(gpu))
}

/// Returns the predicted time in microseconds, after checking that a run on threads takes the same time.
fn micros(text: &str, bytes: u64, machine: &str) -> f64 {
    let machine: MachineSpec = machine.parse().unwrap();
    let program = Program::read(text).unwrap().goal(bytes, 1, &machine).unwrap();
    let predicted = goal::predict(&machine, &program, Sends::Blocking).unwrap();
    let run = Machine::builder(machine).build().unwrap();
    let run = run.run(|node| Ok(program.play(node, Sends::Blocking)?)).unwrap();
    assert_eq!((run.report.makespan, predicted.unreceived), (predicted.modeled, 0));
    predicted.modeled.since_start().as_micros_f64()
}

#[test]
fn rings_take_their_closed_forms() {
    // o_s + L + o_r are 130 us, and a byte takes 50 ns.
    let hop = |bytes: f64| 130.0 + 0.05 * bytes;
    for ranks in [2, 3, 4, 7] {
        let (machine, hops) = (format!("hockney:1x{ranks}"), ranks as f64 - 1.0);
        let chunk = 420.0 / ranks as f64;
        let time = micros(&ring_collect(ranks), 420, &machine);
        assert!((time - hops * hop(chunk)).abs() < 1e-6, "{ranks}: {time}");
        // Combining takes no time on Hockney's machine.
        let time = micros(&ring_combine(ranks, "rrcs"), 420, &machine);
        assert!((time - 2.0 * hops * hop(chunk)).abs() < 1e-6, "{ranks}: {time}");
    }
}

#[test]
fn pairs_combine_and_exchange() {
    for ranks in [2, 3, 5] {
        let machine = format!("paragon:1x{ranks}");
        assert!(micros(&all_pairs(ranks, "reduce_scatter", true), 1000, &machine) > 0.0);
        assert!(micros(&all_pairs(ranks, "alltoall", true), 1000, &machine) > 0.0);
    }
}

/// Returns the error message of a text that is refused.
fn refused(text: &str) -> String {
    Program::read(text).unwrap_err().to_string()
}

#[test]
fn schedules_that_do_something_else_are_refused() {
    // The last rank does not keep the chunk that has passed around the ring.
    assert_eq!(
        refused(&ring_combine(3, "rrs")),
        "at the end, chunk 1 of the output of rank 0 is not the result of allreduce: it holds part 1 of rank 0"
    );
    // A chunk is combined before it has arrived: only one of the two orders shows the error.
    assert_eq!(
        refused(&all_pairs(3, "reduce_scatter", false)),
        "line 14: chunk 0 of the buffer `s` of rank 0 is empty when this step reads it"
    );
    let all_gather = ring_collect(3);
    assert_eq!(
        refused(&all_gather.replacen("type=\"rcs\"", "type=\"r\"", 1)),
        "line 13: this step of rank 1 waits forever for a message that is never sent"
    );
    assert_eq!(
        refused(&all_gather.replacen("<step s=\"2\" type=\"r\"", "<!--", 1).replacen(
            "hasdep=\"0\"/>\n</tb>",
            "-->\n</tb>",
            1
        )),
        "line 19: the message of this step of rank 2 is never received"
    );
    assert_eq!(
        refused(&all_gather.replacen("dstoff=\"2\"", "dstoff=\"3\"", 1)),
        "line 5: the buffer `o` of rank 0 has no chunk 3: it has 3 chunks"
    );
    assert_eq!(
        refused(&ring_combine(2, "rrcs").replacen("srcoff=\"1\"", "srcoff=\"0\"", 1)),
        "line 5: this step of rank 0 combines different parts of the vector"
    );
}

#[test]
fn texts_that_are_wrong_are_refused_with_their_line() {
    let all_gather = ring_collect(3);
    let with = |from: &str, to: &str| refused(&all_gather.replacen(from, to, 1));
    assert!(with("</algo>", "").starts_with("invalid XML (a DTD is not allowed): "));
    assert_eq!(with("<gpu", "<cpu").split(':').next(), Some("invalid XML (a DTD is not allowed)"));
    assert_eq!(
        with("coll=\"allgather\"", "coll=\"gather\""),
        "line 1: invalid coll=\"gather\"; allowed is `allgather` or another of allreduce, allgather, reduce_scatter, alltoall"
    );
    assert_eq!(with("coll=\"allgather\"", ""), "line 1: <algo> needs the attribute `coll`");
    assert_eq!(
        with("nchunksperloop=\"3\"", "nchunksperloop=\"4\""),
        "line 1: invalid nchunksperloop=\"4\"; allowed is a multiple of the number of processors, 3"
    );
    assert_eq!(with("ngpus=\"3\"", "ngpus=\"4\""), "line 1: invalid ngpus=\"4\"; allowed is 3 to 3");
    assert_eq!(
        refused("<algo coll=\"allreduce\" nchunksperloop=\"1\"/>"),
        format!("line 1: 0 processors are given; allowed are 1 to {}", crate::topology::MAX_NODES)
    );
    assert_eq!(refused("<gpu/>"), "line 1: found element <gpu>, expected <algo>");
    assert_eq!(with("gpu id=\"1\"", "gpu id=\"0\""), "line 9: invalid id=\"0\"; allowed is each rank once");
    assert_eq!(
        with("send=\"1\"", "send=\"0\""),
        "line 3: invalid send=\"0\"; allowed is another rank, or -1"
    );
    assert_eq!(with("send=\"1\"", "send=\"3\""), "line 3: invalid send=\"3\"; allowed is -1 to 2");
    assert_eq!(
        with("recv=\"2\"", "recv=\"-1\""),
        "line 3: invalid recv=\"-1\"; allowed is a rank, as a step needs it"
    );
    assert_eq!(
        with("type=\"rcs\"", "type=\"rsc\""),
        "line 5: invalid type=\"rsc\"; allowed is s, r, rcs, rrc, rrs, rrcs, cpy, re, nop"
    );
    assert_eq!(with(" s=\"1\"", " s=\"2\""), "line 5: invalid s=\"2\"; allowed is 1 to 1");
    assert_eq!(
        with("depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"0\""),
        "line 4: invalid deps=\"0\"; allowed is a step of thread block 0, and one before this if that is its own"
    );
    assert_eq!(
        with("depid=\"-1\"", "depid=\"0\""),
        "line 4: invalid deps=\"-1\"; allowed is a step if `depid` is one, otherwise -1"
    );
    let twice =
        all_gather.replacen("</gpu>", "<tb id=\"1\" send=\"1\" recv=\"-1\" chan=\"0\"></tb></gpu>", 1);
    let twice = refused(&twice);
    assert!(
        twice.ends_with("another thread block also sends to rank 1 on channel 0; allowed is one"),
        "{twice}"
    );
}

/// Schedules run as algorithms with real data. With one thread block per rank they take the time of their GOAL programs.
#[test]
fn texts_are_algorithms() {
    use crate::{
        all_to_all::{self, ManyToMany as _, Matrix},
        collective::{self, Collective as _, Operation, Sum, Task},
    };
    let machine: MachineSpec = "paragon:1x4".parse().unwrap();
    let threads = Machine::builder(machine.clone()).build().unwrap();
    for (text, operation) in
        [(ring_collect(4), Operation::AllGather), (ring_combine(4, "rrcs"), Operation::AllReduce)]
    {
        let program = Program::read(&text).unwrap();
        let goal = program.goal(8 * 1001, 8, &machine).unwrap();
        let expected = goal::predict(&machine, &goal, Sends::Blocking).unwrap().modeled;
        let algorithm = collective::Algorithm::from(program);
        let task = Task::builder(&machine, operation).elements(1001).element_bytes(8).build().unwrap();
        assert_eq!(algorithm.plan(&task).unwrap().prediction().modeled, expected, "{operation}");
        let run = threads.run(|node| {
            let mine: Vec<u64> = (0..1001).map(|at| at * (node.rank() as u64 + 1)).collect();
            if operation == Operation::AllReduce {
                let mut x = mine.clone();
                node.world().using(&algorithm).all_reduce(&mut x, Sum)?;
                return Ok(x.into_iter().zip(0..).all(|(sum, at)| sum == at * 10));
            }
            let block = task.block(node.rank());
            let all: Vec<u64> = (0..1001).collect();
            let mine = &all[block.start as usize / 8..block.end as usize / 8];
            Ok(node.world().using(&algorithm).all_gather(mine, 1001)? == all)
        });
        let run = run.unwrap();
        assert_eq!((run.outputs, run.report.makespan), (vec![true; 4], expected), "{operation}");
    }
    let algorithm = all_to_all::Algorithm::from(Program::read(&all_pairs(4, "alltoall", true)).unwrap());
    let matrix = std::sync::Arc::new(Matrix::of(4, |_, _| 24).unwrap());
    let run = threads.run(|node| {
        let mine: Vec<Vec<u8>> = (0..4).map(|to| vec![(4 * node.rank() + to) as u8; 24]).collect();
        let came = node.world().using(&algorithm).all_to_allv_known(&matrix, &mine)?;
        Ok(came.iter().zip(0..).all(|(came, from)| *came == [(4 * from + node.rank()) as u8; 24]))
    });
    assert_eq!(run.unwrap().outputs, [true; 4]);
    // The schedule is refused for other operations, numbers of ranks and lengths.
    let algorithm = collective::Algorithm::from(Program::read(&ring_collect(4)).unwrap());
    let refusal = |machine: &str, operation, blocks: Vec<u64>| {
        let task = Task::builder(&machine.parse().unwrap(), operation).blocks(blocks).build().unwrap();
        algorithm.plan(&task).unwrap_err().to_string()
    };
    assert_eq!(
        refusal("line:4", Operation::Gather, vec![1; 4]),
        "ring has no schedule for this problem: the MSCCL schedule is for all-gather, not for gather"
    );
    assert_eq!(
        refusal("line:3", Operation::AllGather, vec![1; 3]),
        "ring has no schedule for this problem: the MSCCL schedule is for 4 ranks, not for 3"
    );
    assert_eq!(
        refusal("line:4", Operation::AllGather, vec![1, 2, 3, 4]),
        "ring has no schedule for this problem: the MSCCL schedule needs blocks of equal length"
    );
}
