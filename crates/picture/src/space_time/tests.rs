//! Tests that the bars and messages of a space-time diagram agree with the report and the trace.

use std::collections::BTreeMap;

use multicomputer::{Machine, prelude::*};

use super::{
    super::tests::{MACHINES, attribute, busy, elements},
    bars::{Activity, bars},
    messages::messages,
    *,
};

#[test]
fn the_bars_of_a_node_are_as_long_as_the_report_says_and_lie_apart() {
    for machine in MACHINES {
        let run = busy(machine, true);
        let bars = bars(&run.trace);
        for (rank, node) in run.report.nodes.iter().enumerate() {
            let mut own: Vec<_> = bars.iter().filter(|bar| bar.rank == rank).collect();
            let sum = |kinds: &[Activity]| -> Span {
                let bars = own.iter().filter(|bar| kinds.contains(&bar.activity));
                bars.map(|bar| bar.end.since(bar.start)).sum()
            };
            let waiting = [Activity::Sending, Activity::Receiving, Activity::Waiting];
            let drawn = (sum(&[Activity::Computing]), sum(&[Activity::Overhead]), sum(&waiting));
            assert_eq!(drawn, (node.computing, node.overhead, node.waiting), "node {rank} of {machine}");
            own.sort_by_key(|bar| bar.start);
            assert!(own.windows(2).all(|pair| pair[0].end <= pair[1].start), "node {rank} of {machine}");
            assert!(own.last().is_none_or(|bar| bar.end <= node.finished), "node {rank} of {machine}");
        }
    }
}

/// Extracts the numbers of a path.
fn numbers(data: &str) -> Vec<f64> {
    let numbers = data.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
    numbers.filter(|text| !text.is_empty()).map(|text| text.parse().unwrap()).collect()
}

#[test]
fn bars_are_in_their_row_and_every_message_is_drawn_once() {
    let run = busy("mesh:2x3", true);
    let svg = SpaceTime::of(&run).to_svg().unwrap();
    let elements = elements(&svg);
    let class =
        |element: &(String, Vec<(String, String)>)| attribute(element, "class").unwrap_or("").to_owned();
    // Row labels are vertically centred in their rows.
    let rows: Vec<f64> = elements
        .iter()
        .filter(|element| element.0 == "text" && class(element) == "end")
        .map(|element| attribute(element, "y").unwrap().parse::<f64>().unwrap() - 3.5)
        .collect();
    assert_eq!(rows.len(), 6);
    let pitch = rows[1] - rows[0];
    let bars: Vec<_> =
        elements.iter().filter(|element| element.0 == "path" && class(element).starts_with("b-")).collect();
    assert!(bars.len() > 100);
    let mut lengths: BTreeMap<usize, f64> = BTreeMap::new();
    for bar in bars {
        let [x, y, length, height, ..] = numbers(attribute(bar, "d").unwrap())[..] else { panic!("{bar:?}") };
        let row = rows.iter().position(|middle| (y + height / 2.0 - middle).abs() < 0.2);
        let row = row.unwrap_or_else(|| panic!("{bar:?} is in no row"));
        assert!(height < pitch && x >= 0.0 && x + length <= 1000.0, "{bar:?}");
        *lengths.entry(row).or_default() += length;
    }
    // Every node is active at all times until it finishes.
    let longest = lengths.values().fold(0.0_f64, |longest, &length| longest.max(length));
    for (row, length) in lengths {
        let share = run.report.nodes[row].finished.as_secs_f64() / run.report.makespan.as_secs_f64();
        assert!((length - longest * share).abs() < 2.0, "row {row}: {length} of {longest}");
    }
    let lines = elements.iter().filter(|element| element.0 == "path" && attribute(element, "d").is_some());
    let lines = lines.filter(|element| class(element) == "m" || class(element).starts_with("m "));
    let drawn: usize = lines.map(|line| attribute(line, "d").unwrap().matches('L').count()).sum();
    assert_eq!(drawn as u64, run.report.messages);
    assert_eq!(messages(&run.trace, run.machine()).len(), drawn);
}

#[test]
fn many_messages_are_drawn_once_and_rows_of_large_machines_are_sampled() {
    let run = busy("mesh:5x6", true);
    let all = SpaceTime::of(&run).to_svg().unwrap();
    let strokes = |svg: &str| -> usize {
        let elements = elements(svg);
        let lines = elements.iter().filter(|element| {
            let class = attribute(element, "class").unwrap_or("");
            class == "m" || class.starts_with("m ")
        });
        lines.filter_map(|line| attribute(line, "d")).map(|data| data.matches('L').count()).sum()
    };
    assert!((601..=1500).contains(&run.report.messages));
    assert_eq!(strokes(&all) as u64, run.report.messages);
    assert!(all.contains("Tooltips of bars: total time of one kind on a row."));
    assert!(all.contains("Tooltips of lines: the 300 messages with the largest delay."));

    // Every message drawn on large machines is drawn here, and messages of ranks without a row end between rows.
    let few = SpaceTime::of(&run).rows(5).to_svg().unwrap();
    assert_eq!(strokes(&few) as u64, run.report.messages);
    assert!(few.contains("A pale line begins or ends between rows, at a rank without a row."));
    assert!(few.contains("Rows: ") && few.contains("of the critical path"), "{few}");
}

#[test]
fn sampled_lines_cover_the_whole_run() {
    let machine = Machine::mesh(4, 4).trace(true).build().unwrap();
    let run = machine.run(|node| {
        let (world, rank) = (node.world(), node.rank());
        for round in 0..200 {
            // First between ranks without a row, then between all ranks.
            let other = if round < 100 { rank ^ 1 } else { rank ^ 8 };
            world.sendrecv(other, vec![0_u8; 100], other)?;
        }
        Ok(())
    });
    let run = run.unwrap();
    let svg = SpaceTime::of(&run).rows(5).to_svg().unwrap();
    assert!(svg.contains("Lines: 1500 of 3200 messages, evenly spaced in the order of time: "), "{svg}");
    let mut starts: Vec<f64> = Vec::new();
    for element in elements(&svg) {
        let class = attribute(&element, "class").unwrap_or("");
        if (class == "m" || class.starts_with("m ")) && !class.ends_with("key") {
            let lines = attribute(&element, "d").unwrap().split('M').skip(1);
            starts.extend(lines.map(|line| numbers(line)[0]));
        }
    }
    starts.sort_by(f64::total_cmp);
    assert_eq!(starts.len(), 1500);
    // On a plot about 900 pixels wide no interval of one percent is empty.
    assert!(starts.windows(2).all(|pair| pair[1] - pair[0] < 9.0), "{starts:?}");
}

#[test]
fn tooltips_have_the_contention_delay_of_messages() {
    let machine = Machine::hockney(1, 4).trace(true).build().unwrap();
    let run = machine.run(|node| {
        match node.rank() {
            0 => node.world().send(2, vec![0_u8; 1000])?,
            1 => node.world().send(3, vec![0_u8; 500])?,
            rank => drop(node.world().recv(rank - 2)?),
        }
        Ok(())
    });
    let run = run.unwrap();
    // Both messages share the link until all bytes of the shorter one have moved.
    let found: Vec<_> = messages(&run.trace, run.machine())
        .into_iter()
        .map(|message| (message.from, message.shared, message.lost.to_string()))
        .collect();
    assert_eq!(found, [(1, true, "25 us".to_owned()), (0, true, "25 us".to_owned())]);
    let lost: Span = messages(&run.trace, run.machine()).iter().map(|message| message.lost).sum();
    assert_eq!(lost, run.report.lost_to_sharing);
}

#[test]
fn marks_are_frames_on_rows_that_are_shown() {
    let run = busy("line:5", true);
    let pieces = [(1, Time::ZERO, run.report.makespan), (4, Time::ZERO, run.report.makespan)];
    let svg = SpaceTime::of(&run).nodes([1, 2]).mark("critical", pieces).to_svg().unwrap();
    let frames = elements(&svg).iter().filter(|element| attribute(element, "class") == Some("mark")).count();
    assert_eq!(frames, 2, "one in the legend, and one on a row");
    assert!(svg.contains("critical: node 1, "));
}

#[test]
fn the_critical_path_is_drawn_from_end_to_end() {
    let run = busy("line:5", true);
    let svg = SpaceTime::of(&run).to_svg().unwrap();
    let path = super::super::critical::stretches(&run.trace, run.machine());
    let drawn = elements(&svg).iter().filter(|element| attribute(element, "class") == Some("crit")).count();
    assert_eq!(drawn, path.len() + 1, "each stretch, and one line in the legend");
    assert!(svg.contains("critical path: node ") && path.iter().any(|stretch| stretch.from != stretch.to));
    assert!(path.windows(2).all(|pair| (pair[0].to, pair[0].end) == (pair[1].from, pair[1].start)));

    // At ranks without a row the path is drawn between rows, without gaps.
    let without = SpaceTime::of(&run).nodes([path[0].from]).to_svg().unwrap();
    assert!(without.contains("Between rows the critical path is at ranks without a row."));
    let stretches: Vec<_> = elements(&without)
        .into_iter()
        .filter(|element| attribute(element, "class") == Some("crit"))
        .skip(1)
        .collect();
    assert_eq!(stretches.len(), path.len());
    let mut before: Option<[f64; 3]> = None;
    for stretch in &stretches {
        let data = attribute(stretch, "d").unwrap();
        let numbers = numbers(data);
        // The begin and the end of the element: an instant and its vertical extent.
        let [begin, end] = match data.ends_with('z') {
            true => [0.0, numbers[2]].map(|right| [numbers[0] + right, numbers[1], numbers[1] + numbers[3]]),
            false => [0, 2].map(|point| [numbers[point], numbers[point + 1], numbers[point + 1]]),
        };
        if let Some([x, top, bottom]) = before {
            assert!((begin[0] - x).abs() < 0.6, "{data} begins at {x}");
            assert!(
                begin[1] <= bottom + 0.2 && begin[2] >= top - 0.2,
                "{data} goes on from {top} to {bottom}"
            );
        }
        before = Some(end);
    }
}

#[test]
fn the_legend_has_what_is_drawn_and_the_notes_tell_of_the_rest() {
    let machine = Machine::hockney(1, 2).trace(true).build().unwrap();
    let run = machine.run(|node| {
        match node.rank() {
            0 => node.world().send(1, [0_u8; 10])?,
            _ => drop(node.world().recv(0)?),
        }
        Ok(node.compute(Span::from_millis(100_000))?)
    });
    let svg = SpaceTime::of(&run.unwrap()).to_svg().unwrap();
    assert!(svg.contains(">computing<"), "{svg}");
    assert!(!svg.contains(">receiving<") && !svg.contains(">overhead<"), "{svg}");
    assert!(svg.contains(" bars narrower than 0.05 px are not drawn."), "{svg}");
    let elements = elements(&svg);
    let line = elements.iter().find(|element| attribute(element, "class") == Some("m key")).unwrap();
    // The line is centred in one row of pixels, so antialiasing does not lighten it.
    assert_eq!(numbers(attribute(line, "d").unwrap())[1].fract(), 0.5, "{line:?}");
}

#[test]
fn a_note_tells_of_bands_beyond_the_lanes() {
    let machine = Machine::hockney(1, 2).trace(true).build().unwrap();
    let run = machine.run(|node| {
        let names = (0..8).map(|nth| format!("phase {nth}"));
        let _phases: Vec<_> = names.map(|name| node.phase(&name)).collect();
        Ok(node.compute(Span::from_millis(1000))?)
    });
    let run = run.unwrap();
    let note = "2 phases or steps that overlap others are not drawn above the";
    assert!(SpaceTime::of(&run).to_svg().unwrap().contains(&format!("{note} rows: ")));
    let page = super::super::Replay::new("").run("", &run).unwrap().to_html().unwrap();
    assert!(page.contains(&format!("\"notes\":[\"{note} diagram: ")));
}
