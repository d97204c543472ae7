//! The tables of `docs/textbook.md`, made anew and looked for there.

use multicomputer::textbook::Figure;

use super::congestion::the_report_agrees;
use super::*;
use crate::support::document::{assert_tests_exist, root};

const DOCUMENT: &str = include_str!("../../../docs/textbook.md");

/// Every line must be in the document.
fn the_document_has(lines: &[String]) {
    let is_there = |line: &&String| DOCUMENT.lines().any(|other| other == line.as_str());
    let missing: Vec<&str> = lines.iter().filter(|line| !is_there(line)).map(String::as_str).collect();
    assert!(missing.is_empty(), "the document should have:\n{}\n", missing.join("\n"));
}

fn half_and_half() -> Parameters {
    split(65.0, 0.0, 65.0)
}

/// An algorithm, three networks that it is made for, and the parameters.
type Row = (Algorithm, [&'static str; 3], Parameters);

fn rows() -> Vec<Row> {
    let any = half_and_half();
    vec![
        (Algorithm::NAIVE, ["ring:4", "ring:8", "ring:33"], strict()),
        (Algorithm::ONE_TO_ALL, ["ring:4", "ring:8", "ring:32"], any.clone()),
        (Algorithm::ONE_TO_ALL, ["line:4", "line:8", "line:32"], any.clone()),
        (Algorithm::ONE_TO_ALL, ["hypercube:4", "hypercube:8", "hypercube:32"], any.clone()),
        (Algorithm::ONE_TO_ALL, ["tree:4", "tree:8", "tree:32"], any.clone()),
        (Algorithm::NEAREST_FIRST, ["hypercube:4", "hypercube:8", "hypercube:32"], any.clone()),
        (Algorithm::MESH_ONE_TO_ALL, ["mesh:2x4", "mesh:4x4", "mesh:8x8"], any.clone()),
        (Algorithm::MESH_ONE_TO_ALL, ["mesh:2x2x2", "mesh:2x4x4", "mesh:4x4x4"], any.clone()),
        (Algorithm::ALL_TO_ONE, ["ring:4", "ring:8", "ring:32"], any.clone()),
        (Algorithm::MESH_ALL_TO_ONE, ["mesh:2x4", "mesh:4x4", "mesh:8x8"], any.clone()),
        (Algorithm::RING_ALL_TO_ALL, ["ring:3", "ring:8", "ring:33"], any.clone()),
        (Algorithm::RING_ALL_TO_ALL, ["line:3", "line:8", "line:33"], any.clone()),
        (Algorithm::LINE_ALL_TO_ALL, ["line:4", "line:8", "line:32"], any.clone()),
        (Algorithm::RING_REDUCTION, ["ring:3", "ring:8", "ring:33"], any.clone()),
        (Algorithm::MESH_ALL_TO_ALL, ["mesh:3x3", "mesh:4x4", "mesh:3x11"], any.clone()),
        (Algorithm::MESH_ALL_TO_ALL, ["mesh:2x2x2", "mesh:3x3x3", "torus:2x3x4"], any.clone()),
        (Algorithm::MESH_REDUCTION, ["mesh:3x3", "mesh:4x4", "mesh:3x11"], any.clone()),
        (Algorithm::HYPERCUBE_ALL_TO_ALL, ["hypercube:4", "hypercube:8", "hypercube:32"], any.clone()),
        (Algorithm::HYPERCUBE_REDUCTION, ["hypercube:4", "hypercube:8", "hypercube:32"], any.clone()),
        (Algorithm::PIPELINED, ["ring:3", "ring:8", "ring:33"], any),
        (Algorithm::IN_TURN, ["hypercube:4", "hypercube:8", "hypercube:32"], strict()),
    ]
}

/// All differ by less than a nanosecond.
#[test]
fn the_table_of_equations() {
    let line = |(algorithm, networks, parameters): Row| {
        let plans = networks.map(|network| plan(algorithm, &machine(network, &parameters), 1000));
        let equations = plans.each_ref().map(|plan| plan.estimate().to_string());
        let times = plans.each_ref().map(modeled);
        for (plan, time) in plans.iter().zip(times) {
            assert!(is_equal(plan.estimate(), time.since_start()), "{algorithm}: {time}");
        }
        let times = times.map(|time| time.to_string());
        format!(
            "| {} | {} | {} | {} |",
            algorithm.name(),
            networks.join(", "),
            equations.join(", "),
            times.join(", ")
        )
    };
    the_document_has(&rows().into_iter().map(line).collect::<Vec<_>>());
}

/// The formulas and numbers that the library gives.
#[test]
fn the_table_of_algorithms() {
    let line = |algorithm: Algorithm| {
        let equation = algorithm.equation_number().unwrap_or("-");
        format!("| {} | {equation} | `{}` |", algorithm.name(), algorithm.formula())
    };
    the_document_has(&Algorithm::ALL.iter().copied().map(line).collect::<Vec<_>>());
    // Where it is: files and examples that exist.
    for algorithm in Algorithm::ALL {
        let start = format!("| {} | {} | {} |", algorithm.name(), algorithm.about(), algorithm.section());
        let row = DOCUMENT.lines().find(|line| line.starts_with(&start)).expect(&start);
        let names: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        assert!(root().join("src/textbook").join(names[0]).exists(), "{row}");
        assert!(root().join("examples").join(format!("{}.rs", names[1])).exists(), "{row}");
    }
}

#[test]
fn the_table_of_slow_downs() {
    let wide = || half_and_half().to_builder().link_excess(4.0).build().unwrap();
    let rows: [(Algorithm, &str, &str, Parameters); 17] = [
        (Algorithm::NEAREST_FIRST, "line:8", "o_s = alpha", strict()),
        (Algorithm::NEAREST_FIRST, "ring:8", "o_s = alpha", strict()),
        (Algorithm::NEAREST_FIRST, "tree:8", "o_s = alpha", strict()),
        (Algorithm::NEAREST_FIRST, "line:32", "o_s = alpha", strict()),
        (Algorithm::NEAREST_FIRST, "line:8", "half and half", half_and_half()),
        (Algorithm::MESH_ONE_TO_ALL, "line:16", "o_s = alpha", strict()),
        (Algorithm::MESH_ALL_TO_ALL, "line:16", "half and half", half_and_half()),
        (Algorithm::HYPERCUBE_ALL_TO_ALL, "ring:8", "half and half", half_and_half()),
        (Algorithm::HYPERCUBE_ALL_TO_ALL, "line:8", "half and half", half_and_half()),
        (Algorithm::HYPERCUBE_ALL_TO_ALL, "tree:8", "half and half", half_and_half()),
        (Algorithm::HYPERCUBE_ALL_TO_ALL, "line:8", "k = 4", wide()),
        (Algorithm::HYPERCUBE_ALL_TO_ALL, "line:16", "half and half", half_and_half()),
        (Algorithm::HYPERCUBE_ALL_TO_ALL, "line:16", "k = 4", wide()),
        (Algorithm::HYPERCUBE_ALL_TO_ALL, "mesh:4x4", "half and half", half_and_half()),
        (Algorithm::HYPERCUBE_ALL_TO_ALL, "mesh:8x8", "half and half", half_and_half()),
        (Algorithm::HYPERCUBE_REDUCTION, "ring:8", "half and half", half_and_half()),
        (Algorithm::RING_ALL_TO_ALL, "hypercube:16", "half and half", half_and_half()),
    ];
    let line = |(algorithm, network, model, parameters): (Algorithm, &str, &str, Parameters)| {
        let machine = machine(network, &parameters);
        let plan = plan(algorithm, &machine, 1000);
        let figure = Figure::of(&plan);
        let steps =
            figure.steps().iter().zip(1..).filter_map(|(step, number)| Some((number, step.busiest()?)));
        let (number, busiest) =
            steps.reduce(|most, next| if next.1.time > most.1.time { next } else { most }).unwrap();
        let (equation, modeled) = (plan.estimate(), modeled(&plan).since_start());
        // What nodes out of step send does not all meet.
        if is_equal(figure.in_step(&parameters), modeled) {
            the_report_agrees(&plan);
        }
        let factor = modeled.as_secs_f64() / equation.as_secs_f64();
        let (name, link, messages) =
            (algorithm.name(), machine.topology().link(busiest.link), busiest.messages);
        format!(
            "| {name} | {network} | {model} | {number}: {link} | {messages} | {equation} | {modeled} | {factor:.2} |"
        )
    };
    the_document_has(&rows.map(line));
}

/// Section 4.2.4.
#[test]
fn the_table_of_pipelined_broadcasts() {
    let line = |sources: usize| {
        let time = |algorithm: Algorithm, network: &str| {
            let machine = machine(network, &strict());
            let blocks: Vec<u64> = (0..8).map(|rank| if rank < sources { 1000 } else { 0 }).collect();
            let task = Task::builder(&machine, algorithm.operation()).blocks(blocks).build().unwrap();
            modeled(&algorithm.plan(&task).unwrap())
        };
        let (in_turn, pipelined) =
            (time(Algorithm::IN_TURN, "hypercube:8"), time(Algorithm::PIPELINED, "ring:8"));
        format!("| {sources} | {in_turn} | {pipelined} |")
    };
    the_document_has(&[1, 2, 3, 4, 6, 8].map(line));
}

/// The figures of the document are what the library prints.
#[test]
fn the_figures() {
    for (algorithm, network) in [
        (Algorithm::ONE_TO_ALL, "ring:8"),
        (Algorithm::ALL_TO_ONE, "ring:8"),
        (Algorithm::HYPERCUBE_ALL_TO_ALL, "hypercube:8"),
    ] {
        let figure = Figure::of(&plan(algorithm, &hockney(network), 1000)).to_string();
        assert!(DOCUMENT.contains(&format!("```text\n{figure}```")), "the document should have:\n{figure}");
    }
}

/// Every test and example that the document names exists.
#[test]
fn the_document_names_tests_and_examples_that_exist() {
    let tests = [
        include_str!("congestion.rs"),
        include_str!("equations.rs"),
        include_str!("matrix.rs"),
        include_str!("operators.rs"),
        include_str!("oracle.rs"),
        include_str!("pipelined.rs"),
        include_str!("properties.rs"),
    ];
    let claims = DOCUMENT.split("## ").find(|section| section.starts_with("Claims")).unwrap();
    assert_tests_exist(claims, &tests, 12);
    for example in 21..=28 {
        assert!(DOCUMENT.contains(&format!("`{example}_")), "example {example}");
    }
}
