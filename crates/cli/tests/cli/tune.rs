//! `multicomputer tune`.

use super::*;

/// First and last length, and the algorithm.
type Interval = (u64, u64, String);

/// The intervals of each operation.
fn intervals(output: &str) -> Vec<(String, Vec<Interval>)> {
    let mut operations: Vec<(String, Vec<Interval>)> = Vec::new();
    for line in output.lines() {
        let cells: Vec<&str> = line.split_whitespace().collect();
        if let [name] = cells[..] {
            operations.push((name.to_owned(), Vec::new()));
        }
        if let ([from, to, ..], Some(algorithm)) = (&cells[..], cells.get(6..))
            && let (Ok(from), Ok(to)) = (from.parse(), to.parse())
        {
            operations.last_mut().unwrap().1.push((from, to, algorithm.join(" ")));
        }
    }
    operations
}

#[test]
fn the_choices_of_every_operation_are_shown() {
    let output = succeeds(&["tune", "2x2", "--bytes", "8..64K"]);
    let head = "Collective communication on paragon:2x2, all 4 nodes: what auto chooses, by length of the whole \
                vector from 8 B to 64 KiB\n\nbroadcast\n";
    assert!(output.starts_with(head), "{output}");
    assert!(
        output.ends_with(
            "\nFrom 14 lengths for each operation; lengths at which the choice changes are precise to 5 %.\n"
        ),
        "{output}"
    );
    let found = intervals(&output);
    assert_eq!(found.len(), 8, "{output}");
    for (operation, intervals) in &found {
        assert_eq!(intervals.first().unwrap().0, 8, "{operation}: {output}");
        assert_eq!(intervals.last().unwrap().1, 65536, "{operation}: {output}");
        for pair in intervals.windows(2) {
            let (last, first) = (pair[0].1, pair[1].0);
            assert!(last < first && first as f64 <= 1.05 * last as f64 + 8.0, "{operation}: {output}");
            assert_ne!(pair[0].2, pair[1].2, "{operation}: {output}");
        }
    }
    let crossovers = output.lines().filter(|line| line.starts_with("InterCom: `long` is ")).count();
    assert_eq!(crossovers, 7, "scan is none of InterCom's: {output}");
}

#[test]
fn the_crossover_of_short_and_long_is_where_their_times_cross() {
    let output = succeeds(&["tune", "line:16", "broadcast", "--bytes", "64..64K"]);
    let (_, after) = output.split_once("InterCom: `long` is faster than `short` from ").unwrap();
    let bytes: u64 = after.split_once(' ').unwrap().0.parse().unwrap();
    let faster = |bytes: u64| {
        let bytes = bytes.to_string();
        let options = ["--machine", "line:16", "--algorithm", "short,long", "--run", "none"];
        let output = succeeds(&[&["collective", "broadcast", "--bytes", &bytes], &options[..]].concat());
        let (_, after) = output.split_once("\nFastest: ").unwrap();
        after.split_once(", chosen by ").unwrap().1.split_once(':').unwrap().0.to_owned()
    };
    assert_eq!(
        (faster(bytes), faster(bytes * 100 / 106)),
        ("long".to_owned(), "short".to_owned()),
        "{output}"
    );
}

#[test]
fn the_machine_and_the_operation_may_each_be_left_out() {
    let short = ["--bytes", "8,64"];
    let named = succeeds(&[&["tune", "2x3", "scan"], &short[..]].concat());
    assert_eq!(named, succeeds(&[&["tune", "scan", "--mesh", "2x3"], &short[..]].concat()));
    assert_eq!(named, succeeds(&[&["tune", "--machine", "paragon:2x3", "scan"], &short[..]].concat()));
    assert_eq!(intervals(&named).len(), 1, "{named}");
    let all = succeeds(&[&["tune", "2x3"], &short[..]].concat());
    assert_eq!(intervals(&all).len(), 8, "{all}");
    let one = succeeds(&["tune", "1x1", "all-gather", "--bytes", "8,64"]);
    assert!(one.contains("0.000        -"), "there is no bound on one node: {one}");
}

#[test]
fn intervals_are_written_as_csv() {
    let file = folder("tune_csv").join("choices.csv");
    let output = succeeds(&["tune", "2x3", "broadcast,scan", "--bytes", "8..4K", "--csv", text(&file)]);
    let mut reader = csv::Reader::from_path(&file).unwrap();
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let mut expected = Vec::new();
    for (operation, intervals) in intervals(&output) {
        expected.extend(intervals.into_iter().map(|(from, to, _)| (operation.clone(), from, to)));
    }
    let column = |name: &str| header.iter().position(|title| title == name).unwrap();
    let number = |row: &csv::StringRecord, name: &str| row[column(name)].parse::<f64>().unwrap();
    let found = rows.iter().map(|row| {
        let [from, to] = ["from_bytes", "to_bytes"].map(|name| row[column(name)].parse().unwrap());
        (row[column("operation")].to_owned(), from, to)
    });
    assert_eq!(found.collect::<Vec<(String, u64, u64)>>(), expected);
    for row in &rows {
        assert_eq!(&row[0], "paragon:2x3");
        assert!(number(row, "from_ratio") >= 1.0 && number(row, "to_ratio") >= 1.0, "{row:?}");
    }
}

#[test]
fn what_cannot_be_tuned_is_refused_with_a_reason() {
    for (arguments, reason) in [
        (&["abacus"][..], "unknown machine `abacus`. Known: ROWSxCOLUMNS (a Paragon), "),
        (
            &["2x2", "alreduce"],
            "unknown operation `alreduce`; did you mean `all-reduce`? Known: broadcast, scatter, ",
        ),
        (&["paragn:2x2"], "unknown machine `paragn:2x2`; did you mean `paragon:2x2`? Known: ROWSxCOLUMNS"),
        (&["2x2", "3x3"], "two machines are given: give one"),
        (&["2x2", "--mesh", "3x3"], "a machine is given by name and by --machine or --mesh"),
        (&["scan", "gather"], "operations are given twice: separate them by commas"),
        (&["2x2", "scan", "gather"], "unexpected value 'gather'"),
        (&["0x3"], "`0x3` has no nodes"),
        (&["2x2", "--bytes", "8..4"], "`8..4` is descending; write the smaller size first"),
        (&["2x2", "--precision", "0"], "give a percentage from 0.1 to 1000"),
        (&["2x2", "--precision", "nan"], "give a percentage from 0.1 to 1000"),
        (&["2x2", "--csv", "no/such/folder/c.csv"], "no/such/folder/c.csv cannot be written"),
    ] {
        let errors = fails(2, &[&["tune"], arguments].concat());
        assert!(errors.contains(reason), "{arguments:?}: no\n{reason}\nin\n{errors}");
        assert!(errors.contains("try '--help'"), "{arguments:?}: {errors}");
    }
}
