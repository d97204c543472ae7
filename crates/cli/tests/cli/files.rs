//! The files that the program writes: what is left of them when a run is ended, fails or cannot begin.

use std::{path::Path, thread, time::Duration};

use super::*;

/// The names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// What a file has, with its lines.
fn lines(file: &Path) -> Vec<String> {
    fs::read_to_string(file).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// The first length takes milliseconds in real time, the second one minutes.
const SHORT_AND_LONG: [&str; 8] =
    ["--machine", "line:2", "--bytes", "8,256M", "--phantom", "--clock", "real:20", "--seed"];

#[test]
fn a_sweep_that_is_ended_leaves_the_old_file_and_what_was_finished() {
    let folder = folder("files_ended");
    for (name, command) in [
        ("s-to-p", &["s-to-p", "--sources", "1", "--algorithm", "br-lin"][..]),
        ("collective", &["collective", "broadcast", "--algorithm", "short"]),
    ] {
        let file = folder.join(format!("{name}.csv"));
        let partial = folder.join(format!("{name}.csv.partial"));
        fs::write(&file, "old\n").unwrap();
        let arguments = [command, &SHORT_AND_LONG, &["1", "--csv", text(&file)]].concat();
        let mut child = program(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while lines(&partial).len() < 2 {
            assert_eq!(child.try_wait().unwrap(), None, "{name} must not end by itself");
            thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(lines(&file), ["old"], "{name}");
        let left = lines(&partial);
        assert_eq!(left.len(), 2, "{name}: {left:?}");
        assert!(left[0].starts_with("machine,") && left[1].starts_with("line:2,"), "{name}: {left:?}");
        assert_eq!(left[0].split(',').count(), left[1].split(',').count(), "{name}: {left:?}");
    }
}

#[test]
fn a_sweep_that_fails_leaves_the_old_file_and_what_was_finished() {
    let folder = folder("files_failed");
    let file = folder.join("times.csv");
    fs::write(&file, "old\n").unwrap();
    let sweep = ["--machine", "line:2", "--clock", "real:20", "--wall-limit", "2", "--phantom"];
    for command in [
        &["s-to-p", "--sources", "1", "--algorithm", "br-lin", "--bytes", "8,256M"][..],
        &["collective", "broadcast", "--algorithm", "short", "--bytes", "8,256M"],
        &["all-to-all", "--algorithm", "pairwise", "--traffic", "8,256M"],
        &["textbook", "4.1", "--words", "1,30M"],
    ] {
        let output = run(&[command, &sweep, &["--csv", text(&file)]].concat());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command:?}: {errors}");
        assert!(errors.contains("the run exceeded its wall limit, 2s;"), "{command:?}: {errors}");
        let told = format!("{} is unchanged; finished rows are in {}.partial", text(&file), text(&file));
        assert!(errors.contains(&told), "{command:?}: no\n{told}\nin\n{errors}");
        assert_eq!(lines(&file), ["old"], "{command:?}");
        assert_eq!(lines(&folder.join("times.csv.partial")).len(), 2, "{command:?}");
        // The next one that is not ended is complete, and nothing else is left.
        succeeds(&["s-to-p", "--machine", "line:2", "--algorithm", "br-lin", "--csv", text(&file)]);
        assert_eq!(lines(&file).len(), 2, "{command:?}");
        assert_eq!(names(&folder), ["times.csv"]);
        fs::write(&file, "old\n").unwrap();
    }
}

#[test]
fn what_never_begins_leaves_files_as_they_were() {
    let folder = folder("files_refused");
    let (csv, trace) = (folder.join("times.csv"), folder.join("trace.json"));
    fs::write(&csv, "old\n").unwrap();
    fs::write(&trace, "old\n").unwrap();
    for command in [
        &["collective", "all-reduce", "--mesh", "2x3", "--in-order", "--algorithm", "long"][..],
        &["all-to-all", "--mesh", "2x3", "--run", "none", "--algorithm", "random,improved"],
        &["textbook", "4.7", "--topology", "ring:7"],
        &["s-to-p", "--mesh", "2x2", "--sources", "9"],
    ] {
        fails(2, &[command, &["--csv", text(&csv), "--trace", text(&trace)]].concat());
        assert_eq!((lines(&csv), lines(&trace)), (vec!["old".to_owned()], vec!["old".to_owned()]));
        assert_eq!(names(&folder), ["times.csv", "trace.json"], "{command:?}");
    }
    let nowhere = folder.join("no").join("t.json");
    fails(2, &["--mesh", "2x2", "--csv", text(&csv), "--trace", text(&nowhere)]);
    fails(2, &["--mesh", "2x2", "--csv", text(&nowhere), "--trace", text(&trace)]);
    assert_eq!((lines(&csv), lines(&trace)), (vec!["old".to_owned()], vec!["old".to_owned()]));
    assert_eq!(names(&folder), ["times.csv", "trace.json"]);
}

#[test]
fn what_cannot_be_written_is_found_before_the_work() {
    let folder = folder("files_unwritable");
    let file = folder.join("times");
    let errors = fails(2, &["--csv", text(&folder)]);
    assert!(errors.contains(&format!("{} cannot be written: ", text(&folder))), "{errors}");
    let errors = fails(2, &["--csv", ".."]);
    assert!(errors.contains(" cannot be written: "), "{errors}");
    let long = format!("{}.json", "x".repeat(240));
    let errors = fails(2, &["--mesh", "2x2", "--trace", text(&folder.join(long))]);
    assert!(errors.contains("row-virtual.json cannot be written: "), "{errors}");
    let same = ["--clock", "virtual", "--distribution", "row", "--csv", text(&file), "--trace", text(&file)];
    let errors = fails(2, &same);
    assert!(errors.contains("times.partial is in use by another run"), "{errors}");
    assert_eq!(names(&folder), [""; 0]);
}

#[test]
fn a_device_is_written_itself() {
    let folder = folder("files_devices");
    let before = names(Path::new("/dev"));
    let runs = ["--mesh", "2x2", "--clock", "virtual", "--sources", "1"];
    let table = succeeds(&[&runs[..], &["--csv", "/dev/null", "--trace", "/dev/null"]].concat());
    assert!(!table.contains("race"), "{table}");
    let output = succeeds(&[&runs[..], &["--csv", "/dev/stdout"]].concat());
    let (csv, shown) = output.split_once("\nBr_Lin on paragon:2x2, 1 source").unwrap();
    assert_eq!(csv.lines().count(), 4, "{output}");
    assert!(
        csv.starts_with("machine,rows,") && shown.ends_with("each distribution takes 0.493 ms.\n"),
        "{output}"
    );

    // Into a file the same comes out, and nothing of it is lost.
    let file = folder.join("all.txt");
    let status = program(&[&runs[..], &["--distribution", "row", "--csv", "/dev/stdout"]].concat())
        .stdout(fs::File::create(&file).unwrap())
        .status();
    assert!(status.unwrap().success());
    let all = fs::read_to_string(&file).unwrap();
    assert!(all.starts_with("machine,rows,") && all.ends_with("; that takes 0.493 ms.\n"), "{all}");
    let errors = fails(1, &[&runs[..], &["--csv", "/dev/full"]].concat());
    assert!(errors.contains("/dev/full cannot be written: "), "{errors}");
    assert_eq!(names(Path::new("/dev")), before);
    assert_eq!(names(&folder), ["all.txt"]);
}

#[cfg(unix)]
#[test]
fn links_lead_to_the_file_that_is_replaced() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = folder("files_links");
    fs::create_dir(folder.join("data")).unwrap();
    fs::write(folder.join("data/old.csv"), "old\n").unwrap();
    fs::set_permissions(folder.join("data/old.csv"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("data/old.csv", folder.join("old.csv")).unwrap();
    symlink("data/new.csv", folder.join("new.csv")).unwrap();
    for name in ["old.csv", "new.csv"] {
        let link = folder.join(name);
        succeeds(&["--mesh", "2x2", "--clock", "virtual", "--distribution", "row", "--csv", text(&link)]);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "{name}");
        assert_eq!(lines(&folder.join("data").join(name)).len(), 2, "{name}");
    }
    assert_eq!(fs::metadata(folder.join("data/old.csv")).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(names(&folder), ["data", "new.csv", "old.csv"]);
    assert_eq!(names(&folder.join("data")), ["new.csv", "old.csv"]);
    symlink("round.csv", folder.join("round.csv")).unwrap();
    let errors = fails(2, &["--csv", text(&folder.join("round.csv"))]);
    assert!(errors.contains("round.csv cannot be written: "), "{errors}");
}

#[test]
fn several_traces_are_named_and_only_runs_have_one() {
    let folder = folder("files_traces");
    let trace = folder.join("t.json");
    let options = ["--mesh", "2x3", "--run", "all", "--trace", text(&trace)];
    let algorithms = ["--in-order", "--algorithm", "auto,long"];
    let output = succeeds(&[&["collective", "all-reduce"][..], &algorithms, &options].concat());
    assert_eq!(names(&folder), ["t-auto.json"], "long does not work");
    let told = format!("\nA trace was written: {}\n", text(&folder.join("t-auto.json")));
    assert!(output.contains(&told), "no\n{told}\nin\n{output}");

    let options = ["--clock", "virtual", "--mesh", "2x2", "--bytes", "8,64", "--distribution", "row"];
    let output = succeeds(&[&options[..], &["--trace", text(&trace)]].concat());
    let (eight, more) = (folder.join("t-row-8.json"), folder.join("t-row-64.json"));
    let told = format!("\n2 traces were written:\n  {}\n  {}\n", text(&eight), text(&more));
    assert!(output.ends_with(&told), "no\n{told}\nin\n{output}");
    assert_eq!(names(&folder), ["t-auto.json", "t-row-64.json", "t-row-8.json"]);

    let nothing = ["collective", "scan", "--mesh", "2x2", "--run", "none", "--trace", text(&trace)];
    let output = succeeds(&nothing);
    assert!(output.ends_with("\nNo trace was written: nothing was run.\n"), "{output}");
    assert_eq!(names(&folder).len(), 3);
}

#[test]
fn a_reader_of_rows_that_goes_away_is_no_failure() {
    let arguments = ["--mesh", "2x2", "--clock", "virtual", "--csv", "/dev/stdout"];
    let mut child = program(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(output.status.success());
}

#[test]
fn a_file_is_complete_even_if_nobody_reads_the_table() {
    let file = folder("files_closed").join("times.csv");
    for arguments in [
        &["--mesh", "2x2", "--clock", "virtual"][..],
        &["s-to-p", "--mesh", "2x2"],
        &["collective", "scan", "--mesh", "2x2"],
        &["all-to-all", "--mesh", "2x2"],
        &["textbook", "4.1"],
        &["tune", "2x2", "scan", "--bytes", "8"],
    ] {
        let arguments = [arguments, &["--csv", text(&file)]].concat();
        let mut child = program(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        drop(child.stdout.take());
        assert!(child.wait().unwrap().success(), "{arguments:?}");
        assert!(lines(&file).len() >= 2, "{arguments:?}");
        fs::remove_file(&file).unwrap();
    }
}
