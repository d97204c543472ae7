//! Tests of holdings against the operations that cause them, and of pages against the runs that they show.

use multicomputer::{
    Clock, Machine,
    collective::{Algorithm, Job, Lengths, Operation, Sum},
    prelude::*,
    s_to_p,
};
use serde_json::Value;

use super::{
    super::tests::{MACHINES, busy},
    holdings::{HoldingRule, Holdings},
    *,
};

/// Returns the bytes that each node has held by the end, and the total.
fn in_the_end<T>(run: &Run<T>) -> (Vec<u64>, u64) {
    let holdings = Holdings::of(&run.trace, run.machine().nodes());
    assert_eq!((holdings.rule, holdings.totals.len()), (HoldingRule::Blocks, 1));
    let total = holdings.totals[0];
    for levels in &holdings.levels {
        let grows = |pair: &[super::holdings::HoldingSample]| {
            pair[0].at <= pair[1].at && pair[0].held.bytes < pair[1].held.bytes
        };
        assert!(levels.windows(2).all(grows), "{levels:?}");
        assert!(
            levels.iter().all(|level| level.held.parts <= total.parts && level.at <= run.report.makespan)
        );
    }
    let last =
        |levels: &Vec<super::holdings::HoldingSample>| levels.last().map_or(0, |level| level.held.bytes);
    (holdings.levels.iter().map(last).collect(), total.bytes)
}

#[test]
fn every_algorithm_delivers_the_data_of_its_operation() {
    const ELEMENTS: u64 = 103;
    let mut tried = 0;
    for machine in ["mesh:3x4", "hypercube:8", "line:5"] {
        let machine = Machine::builder(machine.parse().unwrap()).trace(true).build().unwrap();
        let nodes = machine.spec().nodes();
        let [one, all] = [8 * ELEMENTS, 8 * ELEMENTS * nodes as u64];
        let lengths = Lengths::Even(ELEMENTS);
        let block = |rank: usize| 8 * lengths.block(rank, nodes).len() as u64;
        for operation in Operation::ALL {
            for algorithm in Algorithm::of(operation) {
                let run = machine.run(|node| {
                    let (world, rank) = (node.world(), node.rank());
                    let job = Job::of::<u64>(operation, 0, lengths.clone());
                    let given = match operation {
                        Operation::Broadcast | Operation::Scatter if rank > 0 => 0,
                        Operation::Gather | Operation::AllGather => block(rank) / 8,
                        _ => ELEMENTS,
                    };
                    let mine = vec![1_u64; given as usize];
                    let calls = world.using(&algorithm);
                    match operation.combines() {
                        true => calls.combine::<u64>(&job, &mine, &Sum)?,
                        false => calls.carry_out(&job, &mine)?,
                    };
                    Ok(())
                });
                // Some algorithms cannot run on this machine.
                let Ok(run) = run else { continue };
                tried += 1;
                let case = format!("{operation} by {algorithm} on {nodes} nodes");
                let (held, total) = in_the_end(&run);
                let everything = if operation.combines() { all } else { one };
                assert_eq!(total, everything, "{case}");
                assert!(held.iter().all(|&bytes| bytes <= total), "{case}: {held:?}");
                for (rank, &bytes) in held.iter().enumerate() {
                    let (is_root, is_last) = (rank == 0, rank + 1 == nodes);
                    let (least, is_exact) = match operation {
                        Operation::Broadcast | Operation::AllGather | Operation::AllReduce => (total, true),
                        Operation::Scatter | Operation::Gather if is_root => (total, true),
                        Operation::Scatter | Operation::Gather => (block(rank), false),
                        Operation::Reduce => (if is_root { total } else { one }, is_root),
                        Operation::ReduceScatter => (block(rank) * nodes as u64, false),
                        Operation::Scan => (one * (rank as u64 + 1), is_last),
                        _ => unreachable!("an operation that this test does not know"),
                    };
                    assert!(
                        bytes >= least && (!is_exact || bytes == least),
                        "{case}, rank {rank}: {bytes}, {least}"
                    );
                }
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn holdings_count_sources() {
    use s_to_p::Algorithm;
    let machine = Machine::mesh(4, 4).trace(true).build().unwrap();
    let sources = [(1, 100), (4, 200), (11, 300)];
    for algorithm in
        [Algorithm::BR_LIN, Algorithm::TWO_STEP, Algorithm::XOR, Algorithm::BUCKET, Algorithm::SPLIT]
    {
        let run = machine.run(|node| {
            let own = sources.iter().find(|source| source.0 == node.rank());
            let mine = vec![7_u8; own.map_or(0, |source| source.1)];
            Ok(node.world().using(&algorithm).broadcast_from(&sources, &mine)?.len())
        });
        let run = run.unwrap();
        assert_eq!(in_the_end(&run), (vec![600; 16], 600), "{algorithm}");
        let holdings = Holdings::of(&run.trace, 16);
        for (rank, levels) in holdings.levels.iter().enumerate() {
            let own = sources.iter().find(|source| source.0 == rank).map_or(0, |source| source.1 as u64);
            assert_eq!(levels[0].held.bytes, own, "rank {rank} in the beginning");
        }
    }
}

#[test]
fn holdings_are_those_of_the_last_call_of_a_node_in_its_group() {
    let machine = Machine::mesh(2, 3).trace(true).build().unwrap();
    let run = machine.run(|node| {
        let row = node.row()?;
        row.broadcast(0, &mut [node.rank() as u8; 100])?;
        node.world().broadcast(5, &mut [1_u8; 50])?;
        Ok(())
    });
    let holdings = Holdings::of(&run.unwrap().trace, 6);
    let mut totals: Vec<u64> = holdings.totals.iter().map(|total| total.bytes).collect();
    totals.sort_unstable();
    assert_eq!(totals, [50, 100, 100]);
    for levels in &holdings.levels {
        let last = levels.last().unwrap();
        assert_eq!((last.held.bytes, holdings.totals[last.call].bytes), (50, 50));
    }
}

#[test]
fn holdings_of_a_free_program_are_the_causal_closure() {
    let machine = Machine::hockney(1, 4).trace(true).build().unwrap();
    let run = machine.run(|node| {
        let (world, rank) = (node.world(), node.rank());
        if rank < 3 {
            // A message does not include data that only a later receive brings.
            world.send((rank + 1, Tag(rank as u32)), [0_u8; 10])?;
        }
        if rank > 0 {
            world.recv(rank - 1)?;
        }
        match rank {
            3 => world.send(0, [1_u8; 10])?,
            0 => drop(world.recv(3)?),
            _ => {}
        }
        Ok(())
    });
    let holdings = Holdings::of(&run.unwrap().trace, 4);
    assert_eq!(holdings.rule, HoldingRule::Reach);
    let parts: Vec<Vec<u64>> =
        holdings.levels.iter().map(|levels| levels.iter().map(|level| level.held.parts).collect()).collect();
    // Nodes 0 to 2 send before they receive: node 3 has the data of nodes 2 and 3, and node 0 of nodes 0, 2 and 3.
    assert_eq!(parts, [vec![1, 3], vec![1, 2], vec![1, 2], vec![1, 2]]);
}

/// Returns the data of a page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script id=\"data\" type=\"application/json\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn sum(figures: &Value) -> u64 {
    figures.as_array().unwrap().iter().map(|figure| figure.as_u64().unwrap()).sum()
}

#[test]
fn pages_of_all_machines_have_all_messages_and_are_the_same_every_time() {
    for machine in MACHINES {
        let page = || Replay::new("a page").run("a run", &busy(machine, true)).unwrap().to_html().unwrap();
        let (run, first) = (busy(machine, true), page());
        assert!(first == page(), "{machine}");
        let data = data(&first);
        let (shown, network) = (&data["runs"][0], &data["networks"][0]);
        let topology = run.machine().topology();
        assert_eq!(network["links"].as_array().unwrap().len(), 2 * topology.links(), "{machine}");
        let messages = &shown["messages"];
        assert_eq!(sum(&messages["bytes"]), run.report.bytes, "{machine}");
        assert_eq!(sum(&messages["lost"]), run.report.lost_to_sharing.as_picos(), "{machine}");
        assert_eq!(messages["from"].as_array().unwrap().len() as u64, run.report.messages, "{machine}");
        for (nth, transfer) in messages["route"].as_array().unwrap().iter().enumerate() {
            let route = shown["routes"][transfer.as_u64().unwrap() as usize].as_array().unwrap();
            let mut expected = Vec::new();
            let [from, to] = ["from", "to"].map(|end| messages[end][nth].as_u64().unwrap() as usize);
            topology.route(from, to, &mut expected);
            assert_eq!(route.len(), expected.len(), "{machine}, {from} to {to}");
        }
        for (rank, node) in run.report.nodes.iter().enumerate() {
            let bars = shown["bars"][rank].as_array().unwrap();
            let lengths: u64 = bars.iter().skip(2).step_by(3).map(|length| length.as_u64().unwrap()).sum();
            assert_eq!(
                lengths,
                (node.computing + node.overhead + node.waiting).as_picos(),
                "{machine}, {rank}"
            );
        }
        let path: Vec<u64> =
            shown["path"].as_array().unwrap().iter().map(|figure| figure.as_u64().unwrap()).collect();
        let ends = path.chunks(4).map(|stretch| (stretch[1], stretch[3]));
        let last = ends.fold(0, |end, (from, to)| {
            assert_eq!(from, end, "{machine}: stretches lie end to end");
            to
        });
        assert_eq!(last, run.report.makespan.as_picos(), "{machine}");
    }
}

#[test]
fn sampled_lines_cover_the_whole_run_with_a_note() {
    let run = Machine::hockney(1, 2).trace(true).build().unwrap().run(|node| {
        let other = 1 - node.rank();
        (0..15_000).try_for_each(|_| node.world().sendrecv(other, [0_u8; 1], other).map(drop))?;
        Ok(())
    });
    let page = data(&Replay::new("").run("", &run.unwrap()).unwrap().to_html().unwrap());
    let shown = &page["runs"][0];
    let lines: Vec<u64> =
        shown["lines"].as_array().unwrap().iter().map(|line| line.as_u64().unwrap()).collect();
    assert_eq!((lines.len(), lines[0]), (20_000, 0));
    assert!(lines.windows(2).all(|pair| (1..=2).contains(&(pair[1] - pair[0]))) && lines[19_999] >= 29_998);
    assert_eq!(shown["notes"][0], "Lines: 20000 of 30000 messages, evenly spaced in the order of time.");
    // A run with few messages shows all of them, without a note.
    let few = data(&Replay::new("").run("", &busy("line:5", true)).unwrap().to_html().unwrap());
    assert_eq!(
        (&few["runs"][0]["lines"], &few["runs"][0]["notes"]),
        (&Value::Array(vec![]), &Value::Array(vec![]))
    );
    assert_eq!(few["runs"][0]["rows"], serde_json::json!([0, 1, 2, 3, 4]));
}

#[test]
fn shares_progress_from_zero_to_all_bytes() {
    let run = busy("mesh:3x4", true);
    let page = data(&Replay::new("").run("", &run).unwrap().to_html().unwrap());
    let shown = &page["runs"][0];
    let shares = shown["shares"].as_object().unwrap();
    assert!(!shares.is_empty());
    let places = shown["places"].as_array().unwrap();
    let links = places.iter().filter_map(|place| Some((place[0]["link"].as_u64()?, &place[1])));
    for (link, name) in links {
        assert_eq!(*name, run.machine().topology().link(link as usize).to_string());
    }
    for (nth, shares) in shares {
        let figures: Vec<i64> =
            shares.as_array().unwrap().iter().map(|figure| figure.as_i64().unwrap()).collect();
        assert!(figures.chunks(3).is_sorted_by(|one, next| one[0] < next[0] && one[1] <= next[1]));
        let [end, gone, _] = figures[figures.len() - 3..] else { panic!("{figures:?}") };
        assert_eq!(end, shown["messages"]["leaving"][nth.parse::<usize>().unwrap()].as_i64().unwrap());
        assert!((1e9 - gone as f64).abs() < 1e3, "{figures:?}");
    }
}

#[test]
fn titles_are_escaped() {
    let title = "</script><script>alert(1)</script> \"a\" 'b' & {{data}} \u{2028} \u{1f40c}\u{1}";
    let page = Replay::new(title).run(title, &busy("line:5", true)).unwrap().to_html().unwrap();
    assert_eq!(page.matches("</script>").count(), 2, "those of the page itself");
    assert_eq!(page.matches("<script").count(), 2);
    assert!(page.contains(
        "<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &quot;a&quot; &#39;b&#39; &amp; {{data}}"
    ));
    assert_eq!(data(&page)["runs"][0]["title"], title);
    assert!(!page.contains("http://") && !page.contains("https://"), "nothing is fetched");
}

#[test]
fn invalid_runs_and_too_many_runs_or_messages_are_refused() {
    let mut page = Replay::new("many");
    assert_eq!(page.to_html(), Err(PictureError::Empty { what: "run" }));
    assert_eq!(page.add("", &busy("line:5", false)), Err(PictureError::NotTraced));
    for nth in 0..MAX_RUNS {
        page.add(nth.to_string(), &busy(["line:5", "ring:3"][nth % 2], true)).unwrap();
    }
    let error = page.add("one more", &busy("line:5", true)).unwrap_err();
    assert_eq!(error.to_string(), "9 runs are too many for a page: the maximum is 8");
    // Two nodes exchange more messages than a page may have.
    let run = Machine::hockney(1, 2).trace(true).build().unwrap().run(|node| {
        let other = 1 - node.rank();
        (0..=MAX_MESSAGES / 2).try_for_each(|_| node.world().sendrecv(other, [0_u8; 1], other).map(drop))?;
        Ok(())
    });
    let error = Replay::new("").run("", &run.unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "200002 messages are too many for a page: the maximum is 200000");

    let data = data(&page.to_html().unwrap());
    assert_eq!(data["networks"].as_array().unwrap().len(), 2, "each network is there once");
    assert_eq!((&data["runs"][7]["title"], &data["runs"][7]["network"]), (&"7".into(), &1.into()));

    let host = Machine::mesh(1, 2).clock(Clock::Host).trace(true).build().unwrap();
    let error = Replay::new("").run("", &host.run(|_| Ok(())).unwrap()).unwrap_err();
    assert_eq!(error, PictureError::NoNetwork);
}

#[test]
fn the_time_for_holdings_depends_on_the_blocks_in_messages() {
    let machine = Machine::mesh(24, 24).trace(true).build().unwrap();
    let run = machine
        .run(|node| Ok(node.world().using(&Algorithm::SHORT).all_gather(&[node.rank() as u64], 576)?.len()));
    let run = run.unwrap();
    let begin = std::time::Instant::now();
    let (held, total) = in_the_end(&run);
    // Regression test: an earlier version compared every block with all others, which took a minute.
    assert!(begin.elapsed() < std::time::Duration::from_secs(10), "{:?}", begin.elapsed());
    assert_eq!((held, total), (vec![8 * 576; 576], 8 * 576));
}
