//! The command `check` beside its verdicts, of which the cases in `tests/check` are: its output as JSON, the input of its runs, what programs leave.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::Folder;

fn check(folder: &Folder, arguments: &[&str], input: &str) -> Output {
    let mut command: Command = folder.command(&[&["check"], arguments].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that reads nothing may have ended before.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// The object that `--json -` prints, and the exit status.
fn json(folder: &Folder, arguments: &[&str], input: &str) -> (serde_json::Value, Option<i32>) {
    let output = check(folder, &[&["--json", "-"], arguments].concat(), input);
    let text = String::from_utf8(output.stdout).unwrap();
    let object = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    (object, output.status.code())
}

#[test]
fn the_verdict_as_json() {
    let folder = Folder::new("check_json");
    if !folder.compile("cc", "gcc", "check_race.c", &["-g"]) {
        return;
    }
    let (object, status) = json(&folder, &["-n", "3", "./program"], "");
    assert_eq!(status, Some(1));
    assert_eq!((&object["verdict"], &object["ranks"]), (&"wrong".into(), &3.into()));
    assert_eq!(
        (&object["runs"], &object["is_complete"], &object["covered"]),
        (&2.into(), &true.into(), &1.0.into())
    );
    let [finding] = &object["findings"].as_array().unwrap()[..] else { panic!("{object}") };
    assert_eq!((&finding["kind"], &finding["ranks"]), (&"message race".into(), &[0].into()));
    let at = &finding["at"];
    assert_eq!(
        (&at["rank"], &at["function"], &at["file"]),
        (&0.into(), &"MPI_Recv".into(), &"check_race.c".into())
    );
    let source = fs::read_to_string(folder.0.join("check_race.c")).unwrap();
    let line = source.lines().position(|line| line.contains("MPI_ANY_SOURCE")).unwrap() + 1;
    assert_eq!(at["line"], line);
    assert!(
        finding["order"].as_str().unwrap().starts_with("rank 0: receive 0 takes a message of rank"),
        "{object}"
    );

    let (object, status) = json(&folder, &["-n", "2", "./program"], "");
    assert_eq!((&object["verdict"], status), (&"right".into(), Some(0)));
    assert_eq!(object["findings"], serde_json::json!([]));
    let (object, status) = json(&folder, &["-n", "5", "--runs", "2", "./program", "same"], "");
    assert_eq!(
        (&object["verdict"], &object["is_complete"], status),
        (&"unknown".into(), &false.into(), Some(3))
    );

    let output = check(&folder, &["-n", "3", "--json", "verdict.json", "./program"], "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("message race: "), "{text}");
    let written = fs::read_to_string(folder.0.join("verdict.json")).unwrap();
    assert!(written.starts_with('{') && written.ends_with("}\n"), "{written}");
}

#[test]
fn every_run_reads_the_same_input() {
    let folder = Folder::new("check_input");
    if !folder.compile("cc", "gcc", "input.c", &[]) {
        return;
    }
    let (object, status) = json(&folder, &["-n", "5", "./program"], "1 2\n3 4\n");
    assert_eq!((status, &object["runs"]), (Some(0), &24.into()), "{object}");
    let (object, status) = json(&folder, &["-n", "5", "./program"], "1 2 3");
    assert_eq!((status, &object["runs"]), (Some(1), &24.into()), "{object}");
}

#[test]
fn processes_of_a_program_end_with_the_check() {
    let folder = Folder::new("check_children");
    if !folder.compile("cc", "gcc", "children.c", &[]) {
        return;
    }
    let output = check(&folder, &["-n", "2", "./program", "number"], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let number = fs::read_to_string(folder.0.join("number")).unwrap();
    let process = Path::new("/proc").join(number.trim());
    let until = Instant::now() + Duration::from_secs(5);
    while process.exists() && Instant::now() < until {
        thread::sleep(Duration::from_millis(10));
    }
    assert!(!process.exists(), "process {number} is left");
}
