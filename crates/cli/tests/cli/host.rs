//! `--clock host` and `--pin`, in every command that runs programs.

use super::*;

/// The sentences that end the output of runs under the host's clock.
const NOTE: &str = "\nRun times are wall-clock times of this host, medians of 9 calls after one warm-up call; they vary from run \
                    to run. Predictions and lower bounds are modeled.\n";

/// A run of each command on 4 nodes, and the column of its CSV file that has the time of the run.
const COMMANDS: [(&[&str], &str); 6] = [
    (&["demo", "--mesh", "2x2", "--sources", "2"], "wall_us"),
    (&["s-to-p", "--mesh", "2x2", "--algorithm", "br-lin,auto"], "wall_us"),
    (&["collective", "broadcast", "--mesh", "2x2", "--run", "all"], "run_us"),
    (&["all-to-all", "--mesh", "2x2"], "run_us"),
    (&["textbook", "4.7", "--topology", "ring:4"], "run_us"),
    (&["textbook", "example-4.1", "--topology", "mesh:2x2"], "run_us"),
];

#[test]
fn runs_on_the_hosts_threads_say_so() {
    let folder = folder("host");
    for (nth, (command, time)) in COMMANDS.into_iter().enumerate() {
        let file = folder.join(format!("{nth}.csv"));
        let output = succeeds(&[command, &["--clock", "host", "--csv", text(&file)]].concat());
        assert!(output.contains(NOTE), "{command:?}: {output}");
        assert!(!output.contains("kept") && !output.contains("Real time"), "{command:?}: {output}");

        let mut reader = csv::Reader::from_path(&file).unwrap();
        let header = reader.headers().unwrap().clone();
        let column = |title: &str| header.iter().position(|known| known == title).unwrap();
        for row in reader.records().map(Result::unwrap) {
            let restriction = header.iter().position(|known| known == "restriction");
            if restriction.is_some_and(|restriction| !row[restriction].is_empty()) {
                continue;
            }
            assert_eq!(&row[column("clock")], "host", "{command:?}");
            assert!(row[column(time)].parse::<f64>().unwrap() > 0.0, "{command:?}");
            assert_eq!(&row[column("pace")], "", "{command:?}");
        }
    }
}

#[test]
fn predictions_stay_beside_times_of_the_host() {
    let options = ["collective", "broadcast", "--mesh", "2x2", "--algorithm", "short"];
    let host = succeeds(&[&options[..], &["--clock", "host"]].concat());
    // The unit follows from the times, which are those of this host.
    assert!(host.contains("\nalgorithm  modeled ") && host.contains("  run "), "{host}");
    assert!(
        host.contains("The plan was run, on the threads of this host: every node has the correct data"),
        "{host}"
    );

    let exchange =
        succeeds(&["all-to-all", "--mesh", "2x2", "--algorithm", "random,auto", "--clock", "host"]);
    let random = exchange.lines().find(|line| line.starts_with("random")).unwrap();
    assert_eq!(
        random.split_whitespace().nth(1),
        Some("-"),
        "a time of the host is not compared with predictions"
    );

    let sweep = ["s-to-p", "--mesh", "2x2", "--sources", "1,2", "--algorithm", "br-lin", "--clock", "host"];
    assert!(
        succeeds(&sweep)
            .starts_with("S-to-p broadcasting: paragon:2x2, row, 2 KiB each, host time; modeled times in ")
    );
    let textbook = succeeds(&["textbook", "4.7", "--topology", "ring:4", "--clock", "host"]);
    assert!(textbook.contains("on the wall clock, by the threads of this host\n"), "{textbook}");
    assert!(textbook.contains("\nLinks are shared: in step 2, 2 messages go over"), "{textbook}");
}

#[test]
fn modeled_times_of_csv_files_are_modeled_under_every_clock() {
    let folder = folder("host-modeled");
    let commands: [&[&str]; 3] = [
        &["demo", "--mesh", "2x2", "--sources", "2"],
        &["s-to-p", "--mesh", "2x2", "--algorithm", "br-lin,2-step"],
        &["collective", "broadcast", "--mesh", "2x2", "--run", "all"],
    ];
    for (nth, command) in commands.into_iter().enumerate() {
        let modeled = |clock: &str| {
            let file = folder.join(format!("{nth}-{clock}.csv"));
            succeeds(&[command, &["--clock", clock, "--csv", text(&file)]].concat());
            let mut reader = csv::Reader::from_path(&file).unwrap();
            let at = reader.headers().unwrap().iter().position(|title| title == "modeled_us").unwrap();
            reader.records().map(|row| row.unwrap()[at].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(modeled("host"), modeled("virtual"), "{command:?}");
    }
}

#[test]
fn sweeps_have_a_table_of_times_of_the_host() {
    let title = "\nRun times on the threads of this host, in ";
    let broadcast = [
        "collective",
        "broadcast",
        "--mesh",
        "2x2",
        "--bytes",
        "8..16",
        "--run",
        "all",
        "--algorithm",
        "short,long",
    ];
    let exchange = [
        "all-to-all",
        "--mesh",
        "2x2",
        "--traffic",
        "1K,2K",
        "--run",
        "all",
        "--algorithm",
        "pairwise,bruck",
    ];
    for command in [&broadcast[..], &exchange] {
        assert!(succeeds(&[command, &["--clock", "host"]].concat()).contains(title), "{command:?}");
        assert!(!succeeds(command).contains(title), "{command:?}");
    }
}

#[test]
fn threads_can_be_pinned_on_every_clock() {
    for pinning in ["auto", "none", "one-core", "spread"] {
        for clock in ["virtual", "real:8", "host"] {
            let options = ["--mesh", "1x2", "--algorithm", "br-lin", "--clock", clock, "--pin", pinning];
            succeeds(&[&["s-to-p"], &options[..]].concat());
        }
    }
    let options = ["s-to-p", "--mesh", "2x2", "--algorithm", "br-lin"];
    assert_eq!(succeeds(&[&options[..], &["--pin", "spread"]].concat()), succeeds(&options));
    let errors = fails(2, &["all-to-all", "--pin", "everywhere"]);
    assert!(errors.contains("unknown pinning `everywhere`. Known: auto, none, one-core, spread"), "{errors}");
    for command in ["demo", "s-to-p", "collective", "all-to-all", "textbook"] {
        let help = succeeds(&[command, "--help"]);
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("--pin <CORES>") && words.contains("or host (no model"), "{help}");
    }
}

#[test]
fn the_host_is_measured_as_it_will_be_used() {
    let file = succeeds(&["calibrate", "--nodes", "2"]);
    let of_host = "\nname = \"host:2\"\ntopology = \"complete:2\"\n";
    assert!(file.contains(" cores, as measured by `multicomputer calibrate`.\n"), "{file}");
    assert!(file.contains(of_host) && file.contains("\nsend_overhead = "), "{file}");
    let file = succeeds(&["calibrate", "--machine", "mesh:2x3", "--pin", "one-core"]);
    assert!(file.contains(" cores, all on one core, as measured"), "{file}");
    assert!(file.contains("\nname = \"mesh:2x3\"\ntopology = \"mesh:2x3\"\n"), "{file}");
    fails(2, &["calibrate", "--nodes", "2", "--machine", "mesh:2x3"]);
}

#[test]
fn a_host_that_is_too_large_to_be_measured_is_refused() {
    let errors = fails(2, &["calibrate", "--machine", "line:10000000"]);
    assert!(errors.contains("10000000 nodes are too many: this host can run "), "{errors}");
    let errors = fails(2, &["calibrate", "--nodes", "70000"]);
    assert!(errors.contains("a host cannot have 70000 nodes; allowed are 1 to 46341"), "{errors}");
}
