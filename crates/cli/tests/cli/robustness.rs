//! Inputs that are not text, outputs that cannot be written, small limits of the host: each is reported, and none changes a run.

use std::{
    fs::File,
    os::unix::process::ExitStatusExt,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use super::*;

/// The program under a shell, whose command has `$0` for the program and its arguments.
fn shell(command: &str, arguments: &[&str]) -> Output {
    let words: Vec<&str> = ["-c", command, env!("CARGO_BIN_EXE_multicomputer")]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    Command::new("sh").args(words).env_remove("RUST_LOG").stdin(Stdio::null()).output().unwrap()
}

#[test]
fn logs_that_cannot_be_written_are_lost_and_nothing_else() {
    let folder = folder("robustness_logs");
    let file = folder.join("times.csv");
    let command = ["collective", "broadcast", "--machine", "paragon:2x2", "--csv", text(&file)];
    let printed = succeeds(&command);
    let table = fs::read(&file).unwrap();
    for stderr in ["2>&-", "2>/dev/full"] {
        fs::remove_file(&file).unwrap();
        let output = shell(&format!("RUST_LOG=trace \"$0\" \"$@\" {stderr}"), &command);
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), printed, "{stderr}");
        assert_eq!(fs::read(&file).unwrap(), table, "{stderr}");
    }
}

#[test]
fn what_is_no_text_is_told_with_its_file_and_its_place() {
    let folder = folder("robustness_inputs");
    let [zeros, latin, machine] = ["zeros", "latin", "zeros.toml"].map(|name| folder.join(name));
    std::os::unix::fs::symlink("/dev/zero", &machine).unwrap();
    // Its length is far beyond what is read.
    File::create(&zeros).unwrap().set_len(1 << 40).unwrap();
    fs::write(&latin, b"a,b\n1,2\nB\xe4r,3\n").unwrap();
    let placed = |file: &PathBuf| format!("placed:file:{}:line:2", file.display());
    for (file, why) in [
        (&zeros, "line 1 contains the control character 0x00"),
        (&latin, "line 3 is not valid UTF-8: byte 2 of the line is 0xe4"),
    ] {
        for command in [
            &["all-to-all", "--machine", "1x2", "--matrix", text(file)][..],
            &["plot", text(file)],
            &["msccl", text(file), "--machine", "complete:2"],
            &["collective", "broadcast", "--machine", &placed(file)],
        ] {
            let errors = fails(2, command);
            assert!(errors.contains(text(file)) && errors.contains(why), "{command:?}: {errors}");
        }
    }
    let errors = fails(2, &["collective", "broadcast", "--machine", text(&machine)]);
    assert!(
        errors.contains("a binary file, not a text file: line 1 contains the control character 0x00"),
        "{errors}"
    );
    let errors = fails(2, &["goal", text(&zeros), "--machine", "complete:2"]);
    assert!(
        errors.contains("line 1, column 1: a binary file, not a text file: control character 0x00"),
        "{errors}"
    );
    // Nothing of it reaches a terminal as it is.
    let escape = folder.join("escape.goal");
    fs::write(&escape, "num_ranks 2\nrank 0 {\n\x1b[31msend 8b to 1\n}\n").unwrap();
    let errors = fails(2, &["goal", text(&escape), "--machine", "complete:2"]);
    assert!(errors.contains("line 3, column 1: ") && !errors.contains('\x1b'), "{errors}");
}

#[test]
fn help_that_cannot_be_printed_is_an_error() {
    for option in ["--help", "--version"] {
        let output = shell("\"$0\" \"$@\" >/dev/full", &[option]);
        assert_eq!(output.status.code(), Some(1), "{option}");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.starts_with("error: standard output cannot be written"), "{errors}");
    }
}

#[test]
fn a_dash_is_standard_output() {
    let folder = folder("robustness_dash");
    let command = ["collective", "broadcast", "--machine", "paragon:2x2"];
    let mut child = program(&[&command[..], &["--csv", "-"]].concat());
    let output = child.current_dir(&folder).output().unwrap();
    assert!(output.status.success());
    let [table, printed] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(table.starts_with("machine,rows,columns,") && table.contains("\nparagon:2x2,2,2,"), "{table}");
    // It has nothing else, so another program can read it.
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    assert!(reader.records().all(|record| record.is_ok()), "{table}");
    assert_eq!(printed, succeeds(&command));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn a_name_of_another_format_is_refused() {
    let command = ["collective", "broadcast", "--machine", "paragon:2x2"];
    for (option, given, allowed) in [
        ("--svg", "out.png", "this is a name for PNG files, but the option writes SVG: use out.svg"),
        ("--heat", "out.PDF", "this is a name for PDF files, but the option writes SVG: use out.svg"),
        ("--replay", "out.svg", "this is a name for SVG files, but the option writes HTML: use out.html"),
        ("--csv", "out.json", "this is a name for JSON files, but the option writes CSV: use out.csv"),
    ] {
        let errors = fails(2, &[&command[..], &[option, given]].concat());
        assert!(errors.contains(allowed), "{errors}");
    }
}

/// A page and a picture have no content before their runs are over.
#[test]
fn a_signal_leaves_no_partial_file_without_content() {
    let folder = folder("robustness_signals");
    let [svg, page] = ["a.svg", "a.html"].map(|name| folder.join(name));
    let long = [
        ["collective", "broadcast", "--algorithm", "short", "--machine", "line:2", "--bytes", "256M"],
        ["--phantom", "--clock", "real:20", "--svg", text(&svg), "--replay", text(&page), "--seed=1"],
    ]
    .concat();
    let mut child = program(&long).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !folder.join("a.html.partial").exists() {
        assert!(child.try_wait().unwrap().is_none() && Instant::now() < deadline);
        thread::sleep(Duration::from_millis(5));
    }
    // SIGINT and SIGHUP may be ignored in the environment of the tests, and the program then ignores them, too.
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(Signal::TERM.as_raw()), "{status}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

/// The main thread has the stack that the user allows, which may be next to nothing.
#[test]
fn a_small_limit_on_stacks_ends_no_run() {
    let output =
        shell("ulimit -s 64; exec \"$0\" \"$@\"", &["collective", "broadcast", "--machine", "paragon:2x2"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn errors_say_which_separator_is_allowed_and_where() {
    let folder = folder("robustness_separators");
    let [matrix, nodes, table, schedule] =
        ["m.csv", "nodes.txt", "t.csv", "s.xml"].map(|name| folder.join(name));
    fs::write(&matrix, "0 1000\n1000,0\n").unwrap();
    let errors = fails(2, &["all-to-all", "--machine", "1x2", "--matrix", text(&matrix)]);
    assert!(
        errors.contains("line 2, entry 1: `1000,0` is not") && errors.contains("separated by blanks"),
        "{errors}"
    );
    fs::write(&matrix, "0,1,2\n1,0,2\n1,2,0\n").unwrap();
    let errors = fails(2, &["all-to-all", "--machine", "1x2", "--matrix", text(&matrix)]);
    assert!(errors.contains(text(&matrix)), "{errors}");
    fs::write(&nodes, "\n0 1\n0,1\n").unwrap();
    let errors =
        fails(2, &["collective", "broadcast", "--machine", &format!("placed:file:{}:line:2", text(&nodes))]);
    assert!(
        errors.contains("line 3 gives rank 2 the node `0,1`") && errors.contains("separated by blanks"),
        "{errors}"
    );
    fs::write(&table, "a,b\n1,2\n").unwrap();
    assert!(fails(2, &["plot", text(&table)]).contains(&format!("{}: no column has times", text(&table))));
    fs::write(&schedule, "<algo name=\"x\"\n proto=\"y\"").unwrap();
    let errors = fails(2, &["msccl", text(&schedule), "--machine", "complete:2"]);
    assert!(errors.contains("at the end of the text, line 2"), "{errors}");
}
