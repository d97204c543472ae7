//! The program as its users meet it: what it prints, what it writes, and how it refuses.

mod all_to_all;
mod browser;
mod collective;
mod demo;
#[cfg(all(unix, feature = "serve"))]
mod devtools;
mod documents;
mod faults;
mod files;
mod goal;
mod host;
#[cfg(not(feature = "mpi"))]
mod mpi;
mod msccl;
mod patience;
mod pictures;
mod plot;
mod predictions;
mod rendezvous;
mod replay;
mod reproduce;
#[cfg(unix)]
mod robustness;
mod s_to_p;
#[cfg(feature = "serve")]
mod serve;
mod settings;
mod study;
mod textbook;
mod tune;
mod units;

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use multicomputer::{
    all_to_all as many_to_many, collective as library,
    s_to_p::{Algorithm, Distribution},
};
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

/// The cells of the rows of the table whose line of titles begins with this.
fn rows<'t>(output: &'t str, title: &str) -> Vec<Vec<&'t str>> {
    let lines = output.lines().skip_while(|line| !line.trim_start().starts_with(title)).skip(1);
    lines.take_while(|line| !line.is_empty()).map(|line| line.split_whitespace().collect()).collect()
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

distribution    clock    modeled ms  / bound  wall ms  dilation  error %  messages  pace
row             virtual 6.935 2.36 ? - - 542 -
right-diagonal  virtual 7.353 2.50 ? - - 500 -
square-block    virtual 6.542 2.22 ? - - 550 -

All 100 nodes hold every byte of all 30 sources; square-block is fastest (6.542 ms), right-diagonal takes 1.12 times \
as long.
";
    assert_eq!(without_wall_times(&succeeds(&["--clock", "virtual"])), expected);
    let seeded = succeeds(&["demo", "--clock", "virtual", "--seed", "7"]);
    assert_eq!(
        without_wall_times(&seeded).replacen(", seed 7", "", 1),
        expected,
        "data takes no part in time"
    );
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
        "--svg",
        "--heat",
        "--replay",
        "Examples:",
        "row, right-diagonal, square-block",
    ] {
        assert!(help.contains(part), "no {part} in\n{help}");
    }
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&Distribution::spellings()), "not every distribution is in\n{help}");
    assert!(succeeds(&["demo", "--help"]).contains("--sources"));
    let help = succeeds(&["s-to-p", "--help"]);
    for part in ["--at", "--algorithm", "--phantom", "--machine", "--mesh", "--clock", "Examples:"] {
        assert!(help.contains(part), "no {part} in\n{help}");
    }
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&Distribution::spellings()), "not every distribution is in\n{help}");
    for algorithm in Algorithm::all().chain(Algorithm::FOR_SOME.iter().cloned()) {
        assert!(words.contains(algorithm.name()), "no {algorithm} in\n{help}");
    }
    let help = succeeds(&["collective", "--help"]);
    for part in [
        "--members",
        "--algorithm",
        "--with",
        "--in-order",
        "--root",
        "--element",
        "--run",
        "--msccl",
        "Examples:",
    ] {
        assert!(help.contains(part), "no {part} in\n{help}");
    }
    for algorithm in library::Algorithm::NAMED {
        let (name, about) = (algorithm.name(), algorithm.about());
        assert!(help.contains(&format!("  {name:11} {about}\n")), "no {name} in\n{help}");
    }
    for operation in library::Operation::ALL {
        assert!(help.contains(operation.name()), "no {operation} in\n{help}");
        assert!(succeeds(&["tune", "--help"]).contains(operation.name()));
    }
    let help = succeeds(&["all-to-all", "--help"]);
    for part in
        ["--matrix", "--fan-out", "--traffic", "--nonuniformity", "--with", "--seeds", "--run", "Examples:"]
    {
        assert!(help.contains(part), "no {part} in\n{help}");
    }
    for algorithm in many_to_many::Algorithm::ALL {
        let line = format!("  {:10} {}\n", algorithm.name(), algorithm.about());
        assert!(help.contains(&line), "no {algorithm} in\n{help}");
    }
    assert!(succeeds(&["machine", "--help"]).contains("topology = \"mesh:16x32\""));
    assert!(succeeds(&["--version"]).starts_with("multicomputer "));
}

#[test]
fn bad_arguments_are_refused_with_a_reason() {
    for (arguments, reason) in [
        (&["--machine", "abacus:8"][..], "unknown machine `abacus:8`. Known: ROWSxCOLUMNS (a Paragon), "),
        (&["--machine", "paragon:0x3"], "`0x3` has no nodes; every extent must be at least 1"),
        (&["--machine", "no-such-machine.toml"], "machine file no-such-machine.toml: cannot be read: "),
        (&["--machine", "hypercube:12"], "a hypercube cannot have 12 nodes; allowed are powers of two"),
        (&["--machine", "paragon:2x4x8"], "invalid shape `2x4x8`; allowed is ROWSxCOLUMNS"),
        (&["--mesh", "0x3"], "`0x3` has no nodes"),
        (&["--mesh", "3"], "invalid shape `3`; allowed is ROWSxCOLUMNS"),
        (&["--mesh", "3x3", "--machine", "line:4"], "cannot be used with '--machine <MACHINE>'"),
        (&["--mesh", "5000x5000", "--clock", "virtual"], "25000000 nodes are too many"),
        (&["--clock", "wall"], "unknown clock `wall`. Known: virtual, real (the dilation is measured)"),
        (&["--clock", "virtual:2"], "Known: virtual, "),
        (&["--clock", "real:nan"], "`nan` is not a dilation"),
        (
            &["--clock", "real:-1"],
            "`-1` is not a dilation, the wall-clock seconds of a modeled second: write a positive number",
        ),
        (
            &["--clock", "real:1e10"],
            "dilation 10000000000.0 is out of range: it must be above 0 and at most 1e9",
        ),
        (&["--bytes", "2Q"], "`2Q` is not a number of bytes such as 1536, 2K"),
        (&["--bytes", "8..4"], "`8..4` is descending; write the smaller size first"),
        (
            &["--bytes", "512M"],
            "the messages have 15 GiB in total and are combined into one message: the maximum is 1 GiB",
        ),
        (&["--sources", "10", "--mesh", "3x3"], "10 sources on a mesh of 3 x 3: 1 to 9 can be placed"),
        (&["--sources", "-3"], "give a whole number from 0 to 2^64 - 1"),
        (&["--seed", "one"], "give a whole number from 0 to 2^64 - 1"),
        (&["--sources", "0"], "0 sources on a mesh of 10 x 10: 1 to 100 can be placed"),
        (
            &["--distribution", "rows"],
            "unknown distribution `rows`; did you mean `row`? Known: row, column, right-diagonal,",
        ),
        (&["--distribution", "block:2x2,block:3x3"], "4 sources for a block of 9 nodes: 9 must be placed"),
        (
            &["--distribution", "block:11x3"],
            "it must have at least a row and a column, and lie within the mesh",
        ),
        (&["--wall-limit", "soon"], "`soon` is not a time such as `92 us`"),
        (&["--wall-limit", "1e300"], "a limit must be above 0 s and below 2^64 s"),
        (&["--wall-limit", "0"], "a limit must be above 0 s"),
        (&["--csv", "no/such/folder/times.csv"], "no/such/folder/times.csv cannot be written"),
        (
            &["--trace", "no/such/folder/trace.json"],
            "no/such/folder/trace-row-virtual.json cannot be written",
        ),
        (&["--svg", "no/such/folder/run.svg"], "no/such/folder/run-row-virtual.svg cannot be written"),
        (&["--heat", "no/such/folder/run.svg"], "no/such/folder/run-row-virtual.svg cannot be written"),
        (&["--svg", "x.svg", "--heat", "x.svg"], "is in use by another run or another option"),
        (&["play"], "unknown command `play`"),
        (&["machine", "abacus"], "unknown machine `abacus`. Known: ROWSxCOLUMNS (a Paragon)"),
        (&["machine", "ring8"], "unknown machine `ring8`; did you mean `ring:8`? Known: "),
        (&["allreduce"], "`allreduce` is an operation, not a command: write `collective all-reduce`"),
        (&["colective"], "unknown command `colective`; did you mean `collective`? Known: demo, s-to-p, "),
        (&["alltoallv"], "unknown command `alltoallv`; did you mean `all-to-all`? "),
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
    assert!(
        String::from_utf8(output.stderr).unwrap().starts_with("error: RUST_LOG `=x=` is not a log filter: ")
    );
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
    assert!(
        table.starts_with("Br_Lin on Paragon at night, alpha 127 us, beta 30.6 ns/B, machine hash "),
        "{table}"
    );
    let machine = succeeds(&["machine", text(&file)]);
    assert!(
        machine.starts_with("Paragon at night\nmesh:2x3: 6 nodes, 14 directed links, 2 rows, 3 columns, ")
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
    assert!(table.contains("the wall clock kept pace within") || table.contains("SLIPPED"), "{table}");
}

#[test]
fn a_run_that_fails_has_exit_status_1() {
    let errors = fails(1, &["--mesh", "32x32", "--clock", "virtual", "--wall-limit", "1 ns"]);
    assert!(errors.contains("the run exceeded its wall limit, 1ns"), "{errors}");
}

/// Under a limit on the address space a process that has too little of it for its threads is aborted while it starts them,
/// if it does not look beforehand.
#[cfg(target_os = "linux")]
#[test]
fn too_little_address_space_is_refused_before_any_thread_is_started() {
    let limited = |kilobytes: usize, mesh: &str| {
        let multicomputer = env!("CARGO_BIN_EXE_multicomputer");
        let line = format!("ulimit -v {kilobytes} && exec {multicomputer} --mesh {mesh} --clock virtual");
        Command::new("sh").args(["-c", &line]).output().unwrap()
    };
    let refused = limited(800_000, "32x32");
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.starts_with("error: 1024 nodes with stacks of 1 MiB need "), "{said}");
    assert!(
        said.contains(" MiB of memory, and ")
            && said.contains(" MiB are left (address space, `ulimit -v` is 800000)")
    );
    assert!(said.contains("take fewer nodes, a smaller `stack_size`, or a higher limit"), "{said}");
    let enough = limited(800_000, "2x2");
    assert!(enough.status.success(), "{}", String::from_utf8_lossy(&enough.stderr));
}

#[test]
fn machines_are_described() {
    let machine = succeeds(&["machine", "hockney:4x4"]);
    assert!(machine.starts_with(
        "hockney:4x4\nmesh:4x4: 16 nodes, 48 directed links, 4 rows, 4 columns, longest route 6 links\n"
    ));
    assert!(!machine.contains("capacity of each"));
    for part in ["alpha     130 us", "beta      50 ns/byte", "C         20.00 MB/s", "barrier   none"] {
        assert!(machine.contains(part), "no {part} in\n{machine}");
    }
    let tree = succeeds(&["machine", "cm5:32"]);
    assert!(tree.starts_with(
        "cm5:32\nfat-tree:32: 32 nodes, 11 switches, 84 directed links, longest route 6 links\n"
    ));
    for part in
        ["            64        20.00 MB/s\n", "            16        40.00 MB/s\n", " 4        80.00 MB/s\n"]
    {
        assert!(tree.contains(part), "no {part} in\n{tree}");
    }
    let file = concat!("file:", env!("CARGO_MANIFEST_DIR"), "/../../examples/network.toml");
    let network = succeeds(&["machine", file]);
    let head = format!("{file}\n{file}: 8 nodes, 2 switches, 20 directed links, longest route 3 links\n");
    assert!(network.starts_with(&head), "{network}");
    assert!(network.contains("            16        20.00 MB/s\n"), "{network}");
    let placed = succeeds(&["machine", "h100-cluster:2", "--placement", "round-robin:8"]);
    assert!(placed.starts_with(
        "h100-cluster:2, round-robin:8\nplaced:round-robin:8:cluster:8x8:370000,47000:clos:16:64: 16 nodes, 19 switches, 96 \
         directed links, longest route 6 links\n"
    ), "{placed}");
    assert!(
        placed.contains("            64        47.00 GB/s\n            32       370.00 GB/s\n"),
        "{placed}"
    );
    let torus = succeeds(&["machine", "t3d:2x4x4"]);
    assert!(
        torus.contains("32 nodes, 160 directed links, 2 planes, 4 rows, 4 columns, longest route 5 links\n")
    );
    assert!(torus.contains("barrier   3 us"), "{torus}");
    assert_eq!(succeeds(&["machine"]), succeeds(&["machine", "--mesh", "10x10"]));
    assert_eq!(succeeds(&["machine", "line:3"]), succeeds(&["machine", "--machine", "line:3"]));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    for arguments in [
        &["--mesh", "2x2", "--clock", "virtual"][..],
        &["--help"],
        &["machine"],
        &["collective", "scan", "--mesh", "2x2"],
        &["all-to-all", "--mesh", "2x2"],
        &["tune", "2x2", "scan", "--bytes", "8"],
    ] {
        let mut child = program(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{arguments:?}");
    }
}
