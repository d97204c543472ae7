//! The program as its users meet it: what it prints, what it writes, and how it refuses.

#![cfg(feature = "cli")]

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use multicomputer::stop::{Algorithm, Distribution};
use serde_json::Value;

/// The program with these arguments, and without a say of the surroundings in its logs.
fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_multicomputer"));
    command.args(arguments).env_remove("RUST_LOG").stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().unwrap()
}

/// Standard output of a run that succeeds and has nothing to say on standard error.
fn succeeds(arguments: &[&str]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {errors}");
    assert_eq!(errors, "", "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Standard error of a run that fails with this status and prints nothing on standard output.
fn fails(status: i32, arguments: &[&str]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {errors}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "{arguments:?}");
    assert!(errors.starts_with("error: "), "{arguments:?}: {errors}");
    errors
}

/// A fresh folder for the files of one test.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn text(path: &std::path::Path) -> &str {
    path.to_str().unwrap()
}

/// The output without the wall-clock times, which are other ones every time.
fn without_wall_times(output: &str) -> String {
    let masked = |line: &str| match line.split_once("virtual") {
        Some((before, after)) => {
            let mut cells: Vec<&str> = after.split_whitespace().collect();
            assert!(cells[2].parse::<f64>().unwrap() > 0.0, "{line}");
            cells[2] = "?";
            format!("{before}virtual {}\n", cells.join(" "))
        }
        None => format!("{line}\n"),
    };
    output.lines().map(masked).collect()
}

#[test]
fn the_main_job_in_virtual_time() {
    let expected = "\
Br_Lin on paragon:10x10, 30 sources with 2 KiB each

distribution    clock    modeled ms  / bound  wall ms  dilation  error %  messages  late sends
row             virtual 6.935 2.36 ? - - 542 -
right-diagonal  virtual 7.353 2.50 ? - - 500 -
square-block    virtual 6.542 2.22 ? - - 550 -

All 100 nodes hold every byte of all 30 sources; square-block is fastest (6.542 ms), right-diagonal takes 1.12 times \
as long.
";
    assert_eq!(without_wall_times(&succeeds(&["--clock", "virtual"])), expected);
    let seeded = succeeds(&["demo", "--clock", "virtual", "--seed", "7"]);
    assert_eq!(without_wall_times(&seeded), expected, "data takes no part in time");
}

#[test]
fn the_help_tells_of_every_option_and_has_examples() {
    let help = succeeds(&["--help"]);
    for part in [
        "Usage: multicomputer",
        "--sources",
        "--bytes",
        "--distribution",
        "--machine",
        "--mesh",
        "--clock",
        "--seed",
        "--wall-limit",
        "--csv",
        "--trace",
        "Examples:",
        "row, right-diagonal, square-block",
    ] {
        assert!(help.contains(part), "no {part} in\n{help}");
    }
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&Distribution::spellings()), "not every distribution is in\n{help}");
    assert!(succeeds(&["demo", "--help"]).contains("--sources"));
    let help = succeeds(&["stop", "--help"]);
    for part in ["--at", "--algorithm", "--phantom", "--machine", "--mesh", "--clock", "Examples:"] {
        assert!(help.contains(part), "no {part} in\n{help}");
    }
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&Distribution::spellings()), "not every distribution is in\n{help}");
    for algorithm in Algorithm::all() {
        assert!(words.contains(algorithm.name()), "no {algorithm} in\n{help}");
    }
    assert!(succeeds(&["machine", "--help"]).contains("topology = \"mesh:16x32\""));
    assert!(succeeds(&["--version"]).starts_with("multicomputer "));
}

#[test]
fn bad_arguments_are_refused_with_a_reason() {
    for (arguments, reason) in [
        (&["--machine", "abacus:8"][..], "allowed are ROWSxCOLUMNS (a Paragon), hockney:ROWSxCOLUMNS"),
        (&["--machine", "paragon:0x3"], "`0x3` has no nodes; every extent must be at least 1"),
        (&["--machine", "no-such-machine.toml"], "machine file no-such-machine.toml: it cannot be read"),
        (&["--mesh", "0x3"], "`0x3` has no nodes"),
        (&["--mesh", "3"], "`3` is not a shape; allowed is ROWSxCOLUMNS"),
        (&["--mesh", "3x3", "--machine", "line:4"], "cannot be used with '--machine <MACHINE>'"),
        (&["--mesh", "5000x5000", "--clock", "virtual"], "25000000 nodes are too many"),
        (&["--clock", "wall"], "allowed are `virtual`, `real` (the dilation is measured)"),
        (&["--clock", "real:-1"], "`-1` is no dilation: it must be a positive number"),
        (&["--clock", "real:1e10"], "it must be a positive number, at most 1e9"),
        (&["--bytes", "2Q"], "`2Q` is not a number of bytes such as 1536, 2K"),
        (&["--bytes", "8..4"], "`8..4` goes down"),
        (&["--bytes", "512M"], "travel as one in the end: a message has at most 1 GiB"),
        (&["--sources", "10", "--mesh", "3x3"], "10 sources on a mesh of 3 x 3: 1 to 9 can be placed"),
        (&["--sources", "-3"], "allowed is a whole number from 0 to 2^64 - 1"),
        (&["--seed", "one"], "allowed is a whole number from 0 to 2^64 - 1"),
        (&["--sources", "0"], "0 sources on a mesh of 10 x 10: 1 to 100 can be placed"),
        (&["--distribution", "rows"], "`rows` is no distribution; allowed are row, column, right-diagonal,"),
        (
            &["--distribution", "block:2x2,block:3x3"],
            "4 sources for a block of 9 nodes: only 9 can be placed",
        ),
        (
            &["--distribution", "block:11x3"],
            "it must have at least a row and a column, and lie within the mesh",
        ),
        (&["--wall-limit", "0"], "a limit must be above 0 s"),
        (&["--csv", "no/such/folder/times.csv"], "no/such/folder/times.csv cannot be written"),
        (
            &["--trace", "no/such/folder/trace.json"],
            "no/such/folder/trace-row-virtual.json cannot be written",
        ),
        (&["play"], "unrecognized subcommand 'play'"),
        (&["machine", "abacus"], "allowed are ROWSxCOLUMNS (a Paragon)"),
    ] {
        let errors = fails(2, arguments);
        assert!(errors.contains(reason), "{arguments:?}: no\n{reason}\nin\n{errors}");
        assert!(errors.contains("try '--help'"), "{arguments:?}: {errors}");
    }
}

#[test]
fn a_bad_filter_for_the_logs_is_refused() {
    let output = program(&["--mesh", "1x1"]).env("RUST_LOG", "=x=").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("error: the variable RUST_LOG is `=x=`: "));
}

#[test]
fn logs_go_to_standard_error_when_asked_for() {
    let arguments = ["--mesh", "2x2", "--clock", "virtual"];
    let output = program(&arguments).env("RUST_LOG", "info").output().unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().contains("INFO"));
    let output = String::from_utf8(output.stdout).unwrap();
    assert_eq!(without_wall_times(&output), without_wall_times(&succeeds(&arguments)));
}

#[test]
fn a_machine_file_is_read() {
    let file = folder("machine_file").join("night.toml");
    let content = "name = \"Paragon at night\"\ntopology = \"mesh:2x3\"\npreset = \"paragon\"\n";
    fs::write(&file, format!("{content}[parameters]\nsend_overhead = \"35 us\"\n")).unwrap();
    let table = succeeds(&["--machine", text(&file), "--clock", "virtual", "--distribution", "row"]);
    assert!(table.starts_with("Br_Lin on Paragon at night, 6 sources with 2 KiB each\n"), "{table}");
    let machine = succeeds(&["machine", text(&file)]);
    assert!(
        machine.starts_with("Paragon at night\nmesh:2x3: 6 nodes, 14 directed links, 2 rows, 3 columns\n")
    );
    assert!(machine.contains("o_s       35 us"), "{machine}");

    fs::write(&file, format!("{content}[parameters]\nbeta = \"-3 ns/B\"\n")).unwrap();
    let errors = fails(2, &["--machine", text(&file)]);
    assert!(errors.contains("night.toml: parameters.beta: `-3 ns/B` is negative"), "{errors}");

    fs::write(&file, format!("{content}speed = 3\n")).unwrap();
    let errors = fails(2, &["--machine", text(&file)]);
    assert!(errors.contains("unknown field `speed`"), "{errors}");
}

#[test]
fn two_runs_in_virtual_time_write_the_same() {
    let folder = folder("two_runs");
    let files = ["1", "2"].map(|run| (folder.join(format!("{run}.csv")), folder.join(format!("{run}.json"))));
    let [first, second] = files.map(|(csv, trace)| {
        let options =
            ["--clock", "virtual", "--mesh", "3x5", "--sources", "4", "--distribution", "right-diagonal"];
        succeeds(&[&options[..], &["--csv", text(&csv), "--trace", text(&trace)]].concat());
        (fs::read(csv).unwrap(), fs::read(trace).unwrap())
    });
    assert_eq!(first, second);
}

#[test]
fn results_are_written_as_csv() {
    let file = folder("csv").join("times.csv");
    let sizes = ["--bytes", "1..4,1K", "--distribution", "square-block,row", "--clock", "virtual"];
    let table = succeeds(&[&sizes[..], &["--mesh", "2x2", "--sources", "1", "--csv", text(&file)]].concat());
    assert!(table.contains("distribution  bytes  clock"), "{table}");

    let mut reader = csv::Reader::from_path(&file).unwrap();
    let header = reader.headers().unwrap().clone();
    let cell = |row: &csv::StringRecord, title: &str| {
        row[header.iter().position(|known| known == title).unwrap()].to_owned()
    };
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let cases: Vec<(String, String)> =
        rows.iter().map(|row| (cell(row, "bytes"), cell(row, "distribution"))).collect();
    let expected = ["1", "2", "4", "1024"]
        .into_iter()
        .flat_map(|bytes| ["square-block", "row"].map(|name| (bytes.to_owned(), name.to_owned())));
    assert_eq!(cases, expected.collect::<Vec<_>>());
    for row in &rows {
        let bytes: u64 = cell(row, "bytes").parse().unwrap();
        assert_eq!(cell(row, "machine"), "paragon:2x2");
        assert_eq!(cell(row, "messages"), "3");
        assert_eq!(cell(row, "bytes_sent"), (3 * bytes).to_string());
        assert!(cell(row, "modeled_us").parse::<f64>().unwrap() > 368.0);
        assert_eq!(cell(row, "wall_us"), "", "there is no pace to keep in virtual time");
    }
}

#[test]
fn every_run_has_its_trace() {
    let folder = folder("traces");
    let sends = |name: &str| {
        let trace: Value = serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        events.iter().filter(|event| event["ph"] == "s").count()
    };
    let one = folder.join("one.json");
    let options = ["--clock", "virtual", "--machine", "line:4", "--sources", "1"];
    succeeds(&[&options[..], &["--distribution", "row", "--trace", text(&one)]].concat());
    assert_eq!(sends("one.json"), 3);

    let many = folder.join("many.json");
    succeeds(&[&options[..], &["--bytes", "8,64", "--trace", text(&many)]].concat());
    let mut names: Vec<String> =
        fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let expected = [
        "many-right-diagonal-64.json",
        "many-right-diagonal-8.json",
        "many-row-64.json",
        "many-row-8.json",
        "many-square-block-64.json",
        "many-square-block-8.json",
        "one.json",
    ];
    assert_eq!(names, expected);
    assert!(names.iter().all(|name| sends(name) == 3));
}

#[test]
fn every_distribution_can_be_asked_for() {
    let folder = folder("distributions");
    let names = "cross,random:7,row,block:2x2@1+0,cross,equal,column,left-diagonal,right-diagonal,square-block,band,\
                 list:5+0+2+1";
    let trace = folder.join("t.json");
    let options = ["--clock", "virtual", "--mesh", "3x3", "--distribution", names, "--trace", text(&trace)];
    let table = succeeds(&options);
    assert!(table.starts_with("Br_Lin on paragon:3x3, 4 sources with 2 KiB each\n"), "{table}");
    let rows: Vec<&str> = table.lines().skip(3).map_while(|line| line.split_whitespace().next()).collect();
    let mut expected: Vec<&str> = names.split(',').collect();
    expected.remove(4);
    assert_eq!(rows, expected, "in the order in which they are named, each once");
    for name in ["t-cross.json", "t-random-7.json", "t-block-2x2@1+0.json", "t-list-5+0+2+1.json"] {
        assert!(folder.join(name).exists(), "no {name}");
    }
}

#[test]
fn a_run_in_real_time_tells_how_it_went() {
    let table = succeeds(&[
        "--mesh",
        "1x2",
        "--sources",
        "1",
        "--bytes",
        "8",
        "--clock",
        "real:2",
        "--distribution",
        "row",
    ]);
    let row = table.lines().nth(3).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!([cells[0], cells[1], cells[5], cells[7]], ["row", "real", "2.00", "1"], "{table}");
    assert!(table.contains("the wall clock is off by at most"), "{table}");
}

#[test]
fn a_run_that_fails_has_exit_status_1() {
    let errors = fails(1, &["--mesh", "32x32", "--clock", "virtual", "--wall-limit", "1 ns"]);
    assert!(errors.contains("the run was ended after 1ns of wall-clock time"), "{errors}");
}

/// The lines of the table that begins with this title, without its titles.
fn rows<'t>(output: &'t str, title: &str) -> Vec<Vec<&'t str>> {
    let lines = output.lines().skip_while(|line| !line.starts_with(title)).skip(1);
    lines.take_while(|line| !line.is_empty()).map(|line| line.split_whitespace().collect()).collect()
}

#[test]
fn one_problem_is_shown_with_all_that_is_known_of_it() {
    let options = ["stop", "--mesh", "2x3", "--sources", "2", "--bytes", "1K"];
    let output = succeeds(&[&options[..], &["--algorithm", "2-step,br-lin,auto"]].concat());
    let head =
        "S-to-p broadcasting: paragon:2x3, row, 2 sources, 1 KiB each, virtual time\n\n● ● ·\n· · ·\n\n";
    assert!(output.starts_with(head), "{output}");

    let runs = rows(&output, "algorithm");
    let names: Vec<&str> = runs.iter().map(|row| row[0]).collect();
    assert_eq!(names, ["br-lin", "2-step", "auto"], "in the order of the registry");
    let times: Vec<f64> = runs.iter().map(|row| row[1].parse().unwrap()).collect();
    assert!(times[2] <= times[0] && times[2] <= times[1], "{output}");
    assert_eq!(runs[2][2], "*", "{output}");
    assert!(
        output.contains("\nLower bound: 0.460 ms, decided by start-up (start-up 0.460, intake "),
        "{output}"
    );
    assert!(output.contains("\nAfter every run every node held every byte of every source.\n"), "{output}");

    // Node 1 sends to node 0, and then only that counts as holding anything; it broadcasts both messages.
    assert_eq!(rows(&output, "active nodes after")[1], ["2-step", "2", "1", "2", "4", "6"], "{output}");
    assert_eq!(
        rows(&output, "longest, in bytes")[1],
        ["2-step", "1024", "2048", "2048", "2048", "2048"],
        "{output}"
    );
    assert_eq!(
        output,
        succeeds(&[&options[..], &["--algorithm", "2-step,br-lin,auto", "--seed", "7"]].concat())
    );
}

#[test]
fn all_algorithms_are_the_default_and_many_iterations_are_abbreviated() {
    let output = succeeds(&["stop", "--mesh", "4x4", "--sources", "3"]);
    assert_eq!(rows(&output, "algorithm").len(), 20, "{output}");
    assert!(!output.contains("Left out"), "{output}");
    let active = rows(&output, "active nodes after");
    let xor = active.iter().find(|row| row[0] == "xor").unwrap();
    assert_eq!((xor.len(), xor[11], xor[12]), (13, "..", "16"), "{output}");
}

#[test]
fn an_algorithm_that_does_not_work_is_left_out_unless_it_is_named() {
    let options = ["stop", "--mesh", "2x2", "--sources", "3"];
    let output = succeeds(&[&options[..], &["--algorithm", "beyond"]].concat());
    assert!(
        output.contains("\nLeft out: split works only if at most half of the nodes are sources.\n"),
        "{output}"
    );
    assert_eq!(rows(&output, "algorithm").len(), 5, "{output}");
    let errors = fails(2, &[&options[..], &["--algorithm", "beyond,split"]].concat());
    assert!(
        errors.contains("split works only if at most half of the nodes are sources: 3 of 4 are"),
        "{errors}"
    );

    let sweep = ["stop", "--mesh", "2x2", "--sources", "1..4+1", "--algorithm", "beyond"];
    let output = succeeds(&sweep);
    assert!(output.contains("\nLeft out of 2 of 4 problems: split works only"), "{output}");
    let cells = |row: &[&str]| row.iter().filter(|cell| **cell != "*").count();
    let table = rows(&output, "sources");
    assert!(table.iter().all(|row| cells(row) == 8), "{output}");
    assert_eq!(table.iter().filter(|row| row.contains(&"-")).count(), 2, "{output}");
}

#[test]
fn sources_can_be_named() {
    let output = succeeds(&["stop", "--mesh", "2x3", "--at", "4,0", "--algorithm", "br-lin"]);
    let head =
        "S-to-p broadcasting: paragon:2x3, list:4+0, 2 sources, 2 KiB each, virtual time\n\n● · ·\n· ● ·\n";
    assert!(output.starts_with(head), "{output}");
}

#[test]
fn a_sweep_has_a_row_for_each_problem() {
    let output = succeeds(&[
        "stop",
        "--mesh",
        "2x2,2x4",
        "--distribution",
        "square-block,row",
        "--sources",
        "1..4",
        "--algorithm",
        "br-lin,2-step",
    ]);
    assert!(
        output.starts_with("S-to-p broadcasting: 2 KiB each, virtual time; modeled times in ms\n"),
        "{output}"
    );
    let table = rows(&output, "machine");
    let problems: Vec<String> = table.iter().map(|row| row[..3].join(" ")).collect();
    let mut expected = Vec::new();
    for machine in ["paragon:2x2", "paragon:2x4"] {
        for distribution in ["square-block", "row"] {
            expected.extend([1, 2, 4].map(|sources| format!("{machine} {distribution} {sources}")));
        }
    }
    assert_eq!(problems, expected);
    assert!(table.iter().all(|row| row.contains(&"*")), "{output}");
}

#[test]
fn a_sweep_of_many_algorithms_has_a_row_for_each_run() {
    let output = succeeds(&["stop", "--mesh", "2x2", "--bytes", "8,64", "--algorithm", "paper"]);
    let table = rows(&output, "bytes");
    assert_eq!(table.len(), 26, "{output}");
    assert_eq!(table[0][..2], ["8", "br-lin"], "{output}");
    assert_eq!(table[13][..2], ["64", "br-lin"], "{output}");
}

#[test]
fn all_figures_of_a_broadcast_are_written_as_csv() {
    let file = folder("stop_csv").join("times.csv");
    let machines = ["--machine", "hockney:2x2", "--machine", "line:3"];
    let options = ["--sources", "2", "--bytes", "8,64", "--algorithm", "2-step,spread,auto"];
    succeeds(&[&["stop", "--csv", text(&file)], &machines[..], &options].concat());
    let mut reader = csv::Reader::from_path(&file).unwrap();
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let column = |title: &str| header.iter().position(|known| known == title).unwrap();
    let cells = |title: &str| rows.iter().map(|row| row[column(title)].to_owned()).collect::<Vec<_>>();
    assert_eq!(cells("machine")[5..7], ["hockney:2x2", "line:3"]);
    assert_eq!((&cells("rows")[6][..], &cells("columns")[6][..]), ("1", "3"));
    assert_eq!(cells("bytes")[..4], ["8", "8", "8", "64"]);
    assert_eq!(cells("algorithm")[..3], ["2-step", "spread", "auto"]);
    assert_eq!((&cells("variant")[0][..], &cells("clock")[0][..]), ("", "virtual"));
    // One of the two sources sends 8 bytes to node 0, and then 16 go to each of three nodes.
    assert_eq!((&cells("messages")[0][..], &cells("bytes_sent")[0][..]), ("4", "56"));
    for row in &rows {
        let number = |title: &str| row[column(title)].parse::<f64>().unwrap();
        assert!((number("ratio") - number("modeled_us") / number("bound_us")).abs() < 1e-9);
        assert!(number("ratio") >= 1.0);
        assert!(number("link_bytes") >= 8.0);
        assert_eq!((&row[column("wall_us")], &row[column("late_sends")]), ("", ""));
    }
    for runs in rows.chunks(3) {
        let time = |run: usize| runs[run][column("modeled_us")].parse::<f64>().unwrap();
        assert!(time(2) <= time(0).min(time(1)), "auto is never slower");
    }
}

#[test]
fn phantom_messages_may_be_longer_than_memory() {
    let options = ["--sources", "8", "--bytes", "128M", "--phantom"];
    let output = succeeds(&[&["stop", "--mesh", "8x8", "--algorithm", "br-lin"], &options[..]].concat());
    assert!(
        output.contains("every node held a message of the right length from every source.\n"),
        "{output}"
    );
    assert!(output.contains("1073741824"), "{output}");
    let phantom = succeeds(&["stop", "--mesh", "2x2", "--phantom"]);
    let real = succeeds(&["stop", "--mesh", "2x2"]);
    assert_eq!(rows(&real, "algorithm"), rows(&phantom, "algorithm"), "data takes no part in time");
}

#[test]
fn a_problem_named_twice_is_solved_once() {
    let once = succeeds(&["stop", "--mesh", "2x2", "--sources", "1,2", "--algorithm", "br-lin"]);
    let twice = ["--mesh", "2x2,2x2", "--sources", "1..2,2", "--bytes", "2K,2048", "--algorithm", "br-lin"];
    assert_eq!(succeeds(&[&["stop"], &twice[..]].concat()), once);
}

#[test]
fn a_machine_that_takes_no_time_has_no_busy_links() {
    let folder = folder("no-time");
    let file = folder.join("free.toml");
    fs::write(&file, "name = \"free\"\ntopology = \"line:2\"\n").unwrap();
    let output = succeeds(&["stop", "--machine", text(&file), "--algorithm", "br-lin"]);
    assert!(output.contains("0.000 *") && !output.contains("NaN"), "{output}");
}

#[test]
fn broadcasts_run_in_real_time() {
    let output = succeeds(&[
        "stop",
        "--mesh",
        "1x2",
        "--sources",
        "1",
        "--algorithm",
        "br-lin,tree",
        "--clock",
        "real:8",
    ]);
    assert!(output.contains("1 source, 2 KiB each, real time\n"), "{output}");
    assert!(output.contains("late sends  error %"), "{output}");
    assert!(output.contains("\nIn real time the wall clock is off by at most "), "{output}");
}

#[test]
fn every_broadcast_has_its_trace() {
    let folder = folder("stop_traces");
    let trace = folder.join("t.json");
    let options = ["--sources", "1,2", "--algorithm", "2-step,br-lin"];
    succeeds(&[&["stop", "--mesh", "2x2", "--trace", text(&trace)], &options[..]].concat());
    let mut names: Vec<String> =
        fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["t-1-2-step.json", "t-1-br-lin.json", "t-2-2-step.json", "t-2-br-lin.json"]);
}

#[test]
fn problems_that_are_none_are_refused_with_a_reason() {
    for (arguments, reason) in [
        (&["--algorithm", "fast"][..], "no algorithm is called \"fast\": the names are br-lin, "),
        (&["--algorithm", "br-lin,"], "all, paper and beyond stand for several"),
        (&["--distribution", "rows"], "`rows` is no distribution; allowed are row, column, right-diagonal,"),
        (&["--sources", "8..4"], "`8..4` goes down"),
        (&["--sources", "-3"], "`-3` is no number of sources"),
        (&["--sources", "many"], "`many` is no number of sources: allowed are a number such as 30"),
        (&["--sources", "1..9+0"], "`1..9+0` goes in steps of 0"),
        (&["--sources", "0"], "0 sources on a mesh of 10 x 10: 1 to 100 can be placed"),
        (&["--mesh", "4x4,2x2", "--sources", "9"], "9 sources on a mesh of 2 x 2: 1 to 4 can be placed"),
        (&["--mesh", "4x4,2"], "`2` is not a shape"),
        (&["--mesh", "4x4", "--machine", "line:3"], "cannot be used with '--machine <MACHINE>'"),
        (&["--at", "0,100"], "source 100 is outside the machine: its ranks are below 100"),
        (&["--at", "3,3"], "rank 3 is a source twice"),
        (&["--at", "3,x"], "`x` is no rank: allowed are whole numbers from 0"),
        (&["--at", "3", "--sources", "1"], "cannot be used with '--sources <NUMBERS>'"),
        (&["--at", "3", "--distribution", "row"], "cannot be used with '--distribution <NAMES>'"),
        (&["--bytes", "512M"], "travel as one in the end: a message has at most 1 GiB"),
        (&["--csv", "no/such/folder/times.csv"], "no/such/folder/times.csv cannot be written"),
    ] {
        let errors = fails(2, &[&["stop"], arguments].concat());
        assert!(errors.contains(reason), "{arguments:?}: no\n{reason}\nin\n{errors}");
        assert!(errors.contains("try '--help'"), "{arguments:?}: {errors}");
    }
    let errors = fails(1, &["stop", "--mesh", "16x16", "--wall-limit", "1 ns"]);
    assert!(errors.contains("the run was ended after 1ns of wall-clock time"), "{errors}");
}

#[test]
fn machines_are_described() {
    let machine = succeeds(&["machine", "hockney:4x4"]);
    assert!(machine.starts_with("hockney:4x4\nmesh:4x4: 16 nodes, 48 directed links, 4 rows, 4 columns\n"));
    for part in ["alpha     130 us", "beta      50 ns/byte", "C         20.00 MB/s", "barrier   none"] {
        assert!(machine.contains(part), "no {part} in\n{machine}");
    }
    assert_eq!(succeeds(&["machine"]), succeeds(&["machine", "--mesh", "10x10"]));
    assert_eq!(succeeds(&["machine", "line:3"]), succeeds(&["machine", "--machine", "line:3"]));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    for arguments in [&["--mesh", "2x2", "--clock", "virtual"][..], &["--help"], &["machine"]] {
        let mut child = program(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{arguments:?}");
    }
}
