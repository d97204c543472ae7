//! What is said of runs in real time that take long, before they start.

use super::*;

/// Two nodes, and a second for each byte between them.
fn slow(test: &str) -> PathBuf {
    let file = folder(test).join("slow.toml");
    fs::write(&file, "name = \"slow\"\ntopology = \"line:2\"\n[parameters]\nbeta = \"1e9 ns/B\"\n").unwrap();
    file
}

/// What goes to standard error.
fn errors(status: i32, arguments: &[&str]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {errors}");
    errors
}

#[test]
fn a_run_in_real_time_that_takes_long_is_announced() {
    let file = slow("patience_announced");
    let options = ["--machine", text(&file), "--wall-limit", "50ms", "--phantom"];
    for (command, clock, told) in [
        (
            &["collective", "broadcast", "--bytes", "134", "--algorithm", "short"][..],
            "real:1",
            "in real time at dilation 1 this run will take 2 min 14 s (short: broadcast, slow, ",
        ),
        (
            &["collective", "broadcast", "--bytes", "134", "--algorithm", "short"],
            "real",
            "in real time at dilation 1 this run will take 2 min 14 s at least (short: broadcast, slow, ",
        ),
        (
            &["s-to-p", "--sources", "1", "--bytes", "10", "--algorithm", "br-lin"],
            "real:0.5",
            "in real time at dilation 0.5 this run will take 5.0 s (br-lin: s-to-p, slow, row, 1 source, 10 B each, real time)\n",
        ),
        (
            &["all-to-all", "--traffic", "60", "--algorithm", "pairwise"],
            "real:120",
            "in real time at dilation 120 this run will take 1 h (pairwise: all-to-all, slow, ",
        ),
        (
            &["textbook", "4.1", "--words", "1"],
            "real:1",
            "in real time at dilation 1 this run will take 8.0 s (4.1 on slow with 1 word)\n",
        ),
    ] {
        let errors = errors(1, &[command, &options, &["--clock", clock]].concat());
        assert!(errors.starts_with(told), "{command:?}: no\n{told}\nin\n{errors}");
        assert!(errors.contains("\nerror: the run exceeded its wall limit, 50ms;"), "{command:?}: {errors}");
    }
    let matrix = ["textbook", "example-4.1", "--machine", text(&file), "--wall-limit", "50ms"];
    let errors = errors(1, &[&matrix[..], &["--clock", "real:1"]].concat());
    assert!(errors.starts_with("in real time at dilation 1 this run will take "), "{errors}");
}

#[test]
fn a_run_in_real_time_that_nobody_would_wait_for_is_refused() {
    let file = slow("patience_refused");
    let machine = ["--machine", text(&file)];
    for command in [
        &["collective", "broadcast", "--bytes", "1M", "--algorithm", "short"][..],
        &["s-to-p", "--sources", "1", "--bytes", "1M", "--algorithm", "br-lin"],
        &["all-to-all", "--traffic", "2M", "--algorithm", "pairwise"],
        &["textbook", "4.1", "--words", "128K"],
        &["--sources", "1", "--bytes", "1M"],
    ] {
        let errors = fails(2, &[command, &machine, &["--clock", "real:1"]].concat());
        let told = "in real time at dilation 1 this run would take 12 days 3 h, and the limit is 1 h: use a \
                    smaller dilation, such as --clock real:0.003, or --clock virtual (";
        assert!(errors.contains(told), "{command:?}: no\n{told}\nin\n{errors}");
    }
    // Nothing is done in virtual time first if real time is refused.
    let csv = file.with_extension("csv");
    fails(2, &[&["--sources", "1", "--bytes", "1M", "--csv", text(&csv)][..], &machine].concat());
    assert!(!csv.exists() && !file.with_extension("csv.partial").exists());
    succeeds(&[&["--sources", "1", "--bytes", "1M", "--clock", "virtual"][..], &machine].concat());
}
