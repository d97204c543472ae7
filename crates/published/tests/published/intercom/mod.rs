//! InterCom: the tables of `docs/collectives.md`. What the paper claims is in `crates/published/src/intercom`.

use multicomputer_picture::{Chart, Origin};
use multicomputer_published::Value;

use crate::{
    jobs::outcome,
    support::document::{assert_tests_exist, read},
};

/// The heights of a line.
fn line(chart: &Chart, origin: Origin, name: &str) -> Vec<f64> {
    let line = chart.lines.iter().find(|line| line.origin == origin && line.name == name);
    line.unwrap().points.iter().map(|point| point[1]).collect()
}

fn assert_in_document(expected: &[String]) {
    let expected = expected.join("\n");
    let document = include_str!("../../../../../docs/collectives.md");
    assert!(document.contains(&expected), "the document should have:\n{expected}\n");
}

#[test]
fn the_table_of_hybrids() {
    let outcome = outcome("S2-T2");
    let [short, long] = ["240 bytes", "3000000 bytes"].map(|name| {
        let formula = line(&outcome.charts[0], Origin::Formula, name);
        let modeled = line(&outcome.charts[0], Origin::Modeled, name);
        formula.into_iter().zip(modeled).collect::<Vec<_>>()
    });
    let row = |(nth, values): (usize, &[Value])| {
        let name = values[0].what.strip_suffix(": alpha").unwrap().replace(' ', " | ");
        let coefficients = |number: fn(&Value) -> f64| {
            format!("{} alpha + {:.0}/30 n beta", number(&values[0]), number(&values[1]))
        };
        let (printed, right) = (coefficients(|value| value.published), coefficients(|value| value.modeled));
        let right = if right == printed { String::new() } else { format!(" {right}") };
        let times = [short[nth], long[nth]].map(|(formula, modeled)| {
            // Rounded first, for no negative zeros.
            let percent = (1000.0 * (modeled / formula - 1.0)).round() / 10.0 + 0.0;
            format!(" {formula:.3} | {modeled:.3} | {percent:+.1} |")
        });
        format!("| {name} | {printed} |{right} |{}", times.concat())
    };
    let rows: Vec<String> = outcome.values.chunks(2).enumerate().map(row).collect();
    assert_eq!(rows.len(), 18);
    assert_in_document(&rows);
}

#[test]
fn the_table_of_measured_times() {
    let outcome = outcome("S2-T3");
    let claim = &outcome.claims[0];
    let names = claim.checks.iter().filter(|check| check.what.ends_with(": the hybrid"));
    let names: Vec<&str> = names.map(|check| check.found.trim_matches('"')).collect();
    let hybrids: Vec<f64> =
        outcome.charts.iter().flat_map(|chart| line(chart, Origin::Modeled, "hybrid")).collect();
    let mut squares = [0.0; 2];
    let mut rows = Vec::new();
    for (nth, value) in outcome.values[..9].iter().enumerate() {
        let what = value.what.strip_prefix("InterCom, ").unwrap();
        let (operation, rest) = what.split_once(" of ").unwrap();
        let (bytes, physical) = rest.split_once(": ").unwrap();
        let errors = [value.modeled, hybrids[nth]].map(|time| 100.0 * (time / value.published - 1.0));
        squares.iter_mut().zip(errors).for_each(|(sum, error)| *sum += error * error);
        rows.push(format!(
            "| {operation} | {bytes} | {} | `{physical}` | {:.3} | {:+.1} | `{}` | {:.3} | {:+.1} |",
            value.published, value.modeled, errors[0], names[nth], hybrids[nth], errors[1],
        ));
    }
    let [physical, hybrid] = squares.map(|sum| (sum / 9.0_f64).sqrt());
    rows.push(format!("| rms | | | | | {physical:.1} | | | {hybrid:.1} |"));
    assert_in_document(&rows);
}

/// Every claim that the document names is judged.
#[test]
fn the_document_names_claims_that_exist() {
    let document = include_str!("../../../../../docs/collectives.md");
    let sources = ["formulas", "alternating", "edst", "table_2", "table_3", "figures"]
        .map(|file| read(&format!("crates/published/src/intercom/{file}.rs")));
    assert_tests_exist(document, &sources.each_ref().map(String::as_str), 12);
}
