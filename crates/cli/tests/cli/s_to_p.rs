//! `multicomputer s-to-p`.

use super::*;

#[test]
fn one_problem_is_shown_with_all_that_is_known_of_it() {
    let options = ["s-to-p", "--mesh", "2x3", "--sources", "2", "--bytes", "1K"];
    let output = succeeds(&[&options[..], &["--algorithm", "2-step,br-lin,auto"]].concat());
    let head =
        "S-to-p broadcasting: paragon:2x3, row, 2 sources, 1 KiB each, virtual time\n\n● ● ·\n· · ·\n\n";
    assert!(output.starts_with(head), "{output}");

    let runs = rows(&output, "algorithm");
    let names: Vec<&str> = runs.iter().map(|row| row[0]).collect();
    assert_eq!(names, ["2-step", "br-lin", "auto"], "in the order given");
    let times: Vec<f64> = runs.iter().map(|row| row[1].parse().unwrap()).collect();
    assert!(times[2] <= times[0] && times[2] <= times[1], "{output}");
    assert_eq!(runs[2][2], "*", "{output}");
    assert!(
        output.contains(
            "\nLower bound: 0.491 ms; tightest: start-up and bytes (all, ms: start-up 0.460, gossip 0.368, intake "
        ),
        "{output}"
    );
    assert!(
        output.contains(
            "\nAll 3 plans were run: predictions are exact, and every node has the correct data.\n"
        ),
        "{output}"
    );

    // Node 1 sends to node 0, and then only that counts as holding anything; it broadcasts both messages.
    assert_eq!(rows(&output, "active nodes")[0], ["2-step", "2", "1", "2", "4", "6"], "{output}");
    assert_eq!(
        rows(&output, "most bytes")[0],
        ["2-step", "1024", "2048", "2048", "2048", "2048"],
        "{output}"
    );
    assert_eq!(
        output,
        succeeds(&[&options[..], &["--algorithm", "2-step,br-lin,auto", "--seed", "7"]].concat())
            .replacen(", seed 7", "", 1)
    );
}

#[test]
fn all_algorithms_are_the_default_and_many_iterations_are_abbreviated() {
    let output = succeeds(&["s-to-p", "--mesh", "4x4", "--sources", "3"]);
    assert_eq!(rows(&output, "algorithm").len(), 27, "{output}");
    // Those for some problems only, each with the reason.
    let left_out: Vec<&str> = output.lines().filter_map(|line| line.strip_prefix("Skipped: ")).collect();
    assert_eq!(left_out.len(), 3, "{output}");
    assert!(
        left_out
            .iter()
            .any(|line| line.starts_with("`forest` does not apply to this s-to-p broadcast: it needs ")),
        "{output}"
    );
    assert!(
        left_out
            .iter()
            .any(|line| line.ends_with("(here: 16 nodes, 3 sources, 6144 bytes that take 1.0 start-ups).")),
        "{output}"
    );
    assert!(left_out.iter().any(|line| line.ends_with(" (here: all lengths 2048 bytes).")), "{output}");
    let active = rows(&output, "active nodes");
    let xor = active.iter().find(|row| row[0] == "xor").unwrap();
    assert_eq!((xor.len(), xor[11], xor[12]), (13, "..", "16"), "{output}");
}

/// Those for some problems only are among all where they work, and *Auto* is still the last.
#[test]
fn all_are_all_that_work() {
    let problem = ["s-to-p", "--machine", "hockney:4x4", "--at", "0,5,10", "--lengths", "4K,64K,4K"];
    let names = |which: &str, options: &[&str]| {
        let output = succeeds(&[options, &["--phantom", "--algorithm", which]].concat());
        rows(&output, "algorithm")
            .iter()
            .filter(|row| row[1] != "-")
            .map(|row| row[0].to_owned())
            .collect::<Vec<_>>()
    };
    let all = names("all", &problem);
    assert_eq!(all.len(), 26);
    assert_eq!(all[21..], ["level", "pipeline", "collective", "apart", "auto"]);
    assert_eq!(names("beyond", &problem), all[15..25]);
    let ports = ["s-to-p", "--machine", "ethernet:8", "--sources", "1", "--bytes", "16M"];
    assert_eq!(names("beyond,auto", &ports)[6..], ["level", "forest", "pipeline", "collective", "auto"]);
}

#[test]
fn of_many_iterations_the_last_is_kept() {
    for (nodes, bucket) in [
        ("line:9", "bucket 3 4 5 6 7 8 9 9 9"),
        ("line:10", "bucket 3 4 5 6 7 8 9 10 10 10"),
        ("line:11", "bucket 3 4 5 6 7 8 9 10 11 11 11"),
        ("line:12", "bucket 3 4 5 6 7 8 9 10 11 12 .. 12"),
    ] {
        let output =
            succeeds(&["s-to-p", "--machine", nodes, "--sources", "3", "--algorithm", "bucket,repos-xor"]);
        let words = output.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("active nodes 0 1 2 3 4 5 6 7 8 9 .. last "), "{output}");
        assert_eq!(rows(&output, "active nodes")[0].join(" "), bucket, "{output}");
    }
}

#[test]
fn an_algorithm_that_does_not_work_is_left_out_unless_it_is_the_only_one() {
    let options = ["s-to-p", "--mesh", "2x2", "--sources", "3"];
    let output = succeeds(&[&options[..], &["--algorithm", "beyond"]].concat());
    assert!(
        output.contains(
            "\nSkipped: `split` does not apply to this s-to-p broadcast: it needs long messages (over half of the longest) on at most half of the nodes (here: long messages on 3 of 4 nodes).\n"
        ),
        "{output}"
    );
    assert_eq!(rows(&output, "algorithm").iter().filter(|row| row[1] != "-").count(), 7, "{output}");
    let output = succeeds(&[&options[..], &["--algorithm", "auto,split"]].concat());
    assert!(output.contains("\nSkipped: `split` does not apply to this s-to-p broadcast"), "{output}");
    let errors = fails(2, &[&options[..], &["--algorithm", "split"]].concat());
    assert!(
        errors.contains(
            "`split` does not apply to this s-to-p broadcast: it needs long messages (over half of the longest) on at most half of the nodes (here: long messages on 3 of 4 nodes)"
        ),
        "{errors}"
    );

    let sweep = ["s-to-p", "--mesh", "2x2", "--sources", "1..4+1", "--algorithm", "beyond"];
    let output = succeeds(&sweep);
    assert!(
        output.contains(
            "\nSkipped for 2 of 4 problems: `split` does not apply to this s-to-p broadcast: it needs "
        ),
        "{output}"
    );
    let cells = |row: &[&str]| row.iter().filter(|cell| **cell != "*").count();
    let table = rows(&output, "sources");
    assert!(table.iter().all(|row| cells(row) == 9), "{output}");
    assert_eq!(table.iter().filter(|row| row.contains(&"-")).count(), 2, "{output}");
    // Some problems may have no algorithm at all.
    let sweep = [
        "s-to-p",
        "--machine",
        "ethernet:8",
        "--sources",
        "1",
        "--bytes",
        "1K,16M",
        "--algorithm",
        "auto,forest",
    ];
    let output = succeeds(&sweep);
    assert!(
        output.contains(
            "\nSkipped for 1 of 2 problems: `forest` does not apply to this s-to-p broadcast: it needs "
        ),
        "{output}"
    );
    let header: Vec<&str> =
        output.lines().find(|line| line.contains("bytes ")).unwrap().split_whitespace().collect();
    assert_eq!(header, ["bytes", "auto", "forest"], "{output}");
    let output = succeeds(&["s-to-p", "--mesh", "2x2", "--sources", "1..4+1", "--algorithm", "split"]);
    assert!(
        output.contains(
            "\nSkipped for 2 of 4 problems: `split` does not apply to this s-to-p broadcast: it needs "
        ),
        "{output}"
    );
    assert_eq!(rows(&output, "sources").iter().filter(|row| row.contains(&"-")).count(), 2, "{output}");
}

#[test]
fn sources_can_be_named() {
    let output = succeeds(&["s-to-p", "--mesh", "2x3", "--at", "4,0", "--algorithm", "br-lin"]);
    let head =
        "S-to-p broadcasting: paragon:2x3, list:4+0, 2 sources, 2 KiB each, virtual time\n\n● · ·\n· ● ·\n";
    assert!(output.starts_with(head), "{output}");
}

#[test]
fn a_sweep_has_a_row_for_each_problem() {
    let output = succeeds(&[
        "s-to-p",
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
fn numbers_of_sources_are_lists_and_ranges() {
    for (sources, expected) in [
        ("5, 1,10", &["5", "1", "10"][..]),
        ("1..10", &["1", "2", "4", "8", "10"]),
        ("10..14+3", &["10", "13", "14"]),
        ("7..7,3..3+2", &["7", "3"]),
    ] {
        let output = succeeds(&["s-to-p", "--mesh", "4x4", "--algorithm", "br-lin", "--sources", sources]);
        let numbers: Vec<&str> = rows(&output, "sources").iter().map(|row| row[0]).collect();
        assert_eq!(numbers, expected, "{output}");
    }
}

#[test]
fn a_sweep_of_many_algorithms_has_a_row_for_each_run() {
    let output = succeeds(&["s-to-p", "--mesh", "2x2", "--bytes", "8,64"]);
    let table = rows(&output, "bytes");
    assert!(table.len() > 40, "{output}");
    assert_eq!(table[0][..2], ["8", "br-lin"], "{output}");
    assert_eq!(table[table.len() / 2][..2], ["64", "br-lin"], "{output}");
}

#[test]
fn all_figures_of_a_broadcast_are_written_as_csv() {
    let file = folder("stop_csv").join("times.csv");
    let machines = ["--machine", "hockney:2x2", "--machine", "line:3"];
    let options = ["--sources", "2", "--bytes", "8,64", "--algorithm", "2-step,spread,auto"];
    succeeds(&[&["s-to-p", "--csv", text(&file)], &machines[..], &options].concat());
    let mut reader = csv::Reader::from_path(&file).unwrap();
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let column = |title: &str| header.iter().position(|known| known == title).unwrap();
    let cells = |title: &str| rows.iter().map(|row| row[column(title)].to_owned()).collect::<Vec<_>>();
    assert_eq!(cells("machine")[5..7], ["hockney:2x2", "line:3"]);
    assert_eq!((&cells("rows")[6][..], &cells("columns")[6][..]), ("1", "3"));
    assert_eq!(cells("bytes")[..4], ["8", "8", "8", "64"]);
    assert_eq!(cells("algorithm")[..3], ["2-step", "spread", "auto"]);
    assert_eq!((&cells("chosen")[0][..], &cells("clock")[0][..]), ("2-step", "virtual"));
    // One of the two sources sends 8 bytes to node 0, and then 16 go to each of three nodes.
    assert_eq!((&cells("messages")[0][..], &cells("bytes_sent")[0][..]), ("4", "56"));
    for row in &rows {
        let number = |title: &str| row[column(title)].parse::<f64>().unwrap();
        assert!((number("ratio") - number("modeled_us") / number("bound_us")).abs() < 1e-9);
        assert!(number("ratio") >= 1.0);
        assert!(number("link_bytes") >= 8.0);
        assert_eq!((&row[column("wall_us")], &row[column("pace")]), ("", ""));
    }
    for runs in rows.chunks(3) {
        let time = |run: usize| runs[run][column("modeled_us")].parse::<f64>().unwrap();
        assert!(time(2) <= time(0).min(time(1)), "auto is never slower");
    }
}

#[test]
fn phantom_messages_may_be_longer_than_memory() {
    let options = ["--sources", "8", "--bytes", "128M", "--phantom"];
    let output = succeeds(&[&["s-to-p", "--mesh", "8x8", "--algorithm", "br-lin"], &options[..]].concat());
    assert!(output.contains("every node has data of the correct length.\n"), "{output}");
    assert!(output.contains("1073741824"), "{output}");
    let phantom = succeeds(&["s-to-p", "--mesh", "2x2", "--phantom"]);
    let real = succeeds(&["s-to-p", "--mesh", "2x2"]);
    assert_eq!(rows(&real, "algorithm"), rows(&phantom, "algorithm"), "data takes no part in time");
}

#[test]
fn a_problem_named_twice_is_solved_once() {
    let once = succeeds(&["s-to-p", "--mesh", "2x2", "--sources", "1,2", "--algorithm", "br-lin"]);
    let twice = ["--mesh", "2x2,2x2", "--sources", "1..2,2", "--bytes", "2K,2048", "--algorithm", "br-lin"];
    assert_eq!(succeeds(&[&["s-to-p"], &twice[..]].concat()), once);
}

#[test]
fn a_machine_that_takes_no_time_has_no_busy_links() {
    let folder = folder("no-time");
    let file = folder.join("free.toml");
    fs::write(&file, "name = \"free\"\ntopology = \"line:2\"\n").unwrap();
    let output = succeeds(&["s-to-p", "--machine", text(&file), "--algorithm", "br-lin"]);
    assert!(output.contains("0.000 *") && !output.contains("NaN"), "{output}");
}

#[test]
fn broadcasts_run_in_real_time() {
    let output = succeeds(&[
        "s-to-p",
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
    assert!(output.contains("pace  error %"), "{output}");
    assert!(output.contains("\nReal time: "), "{output}");
}

#[test]
fn every_broadcast_has_its_trace() {
    let folder = folder("stop_traces");
    let trace = folder.join("t.json");
    let options = ["--sources", "1,2", "--algorithm", "2-step,br-lin"];
    succeeds(&[&["s-to-p", "--mesh", "2x2", "--trace", text(&trace)], &options[..]].concat());
    let mut names: Vec<String> =
        fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["t-1-2-step.json", "t-1-br-lin.json", "t-2-2-step.json", "t-2-br-lin.json"]);
}

#[test]
fn problems_that_are_none_are_refused_with_a_reason() {
    for (arguments, reason) in [
        (&["--algorithm", "fast"][..], "unknown algorithm `fast`. Known: br-lin, "),
        (&["--algorithm", "br-lin,"], ", paper, beyond, all"),
        (
            &["--distribution", "rows"],
            "unknown distribution `rows`; did you mean `row`? Known: row, column, right-diagonal,",
        ),
        (&["--sources", "8..4"], "`8..4` is descending: write the smaller value first"),
        (&["--sources", "-3"], "`-3` is not a whole number"),
        (&["--sources", "many"], "`many` is not a whole number"),
        (&["--sources", "1..9+0"], "`1..9+0` has steps of 0"),
        (&["--sources", "1..2000000+1"], "`1..2000000+1` has more than 1000000 values"),
        (&["--sources", "1,,2"], "`1,,2` has an empty item"),
        (&["--sources", "1+2"], "`1+2` is not a whole number"),
        (&["--sources", "0"], "0 sources on a mesh of 10 x 10: 1 to 100 can be placed"),
        (&["--mesh", "4x4,2x2", "--sources", "9"], "9 sources on a mesh of 2 x 2: 1 to 4 can be placed"),
        (&["--mesh", "4x4,2"], "invalid shape `2`; allowed is ROWSxCOLUMNS, such as 16x32"),
        (&["--mesh", "4x4", "--machine", "line:3"], "cannot be used with '--machine <MACHINE>'"),
        (&["--at", "0,100"], "source 100 is outside the group: its ranks are 0 to 99"),
        (&["--at", "3,3"], "rank 3 is a source twice"),
        (&["--at", "3,x"], "`x` is not a rank: write whole numbers such as 0,5,17"),
        (&["--at", "3", "--sources", "1"], "cannot be used with '--sources <NUMBERS>'"),
        (&["--at", "3", "--distribution", "row"], "cannot be used with '--distribution <NAMES>'"),
        (
            &["--bytes", "512M"],
            "the messages have 15 GiB in total and are combined into one message: the maximum is 1 GiB",
        ),
        (
            &["--sources", "2", "--bytes", "999999999G", "--phantom"],
            "the messages have 1999999998 GiB in total and are combined into one message: the maximum is 1 GiB",
        ),
        (
            &["--machine", "ethernet:8", "--bytes", "0", "--algorithm", "forest"],
            "data that takes longer than a start-up (here: only empty messages)",
        ),
        (&["--csv", "no/such/folder/times.csv"], "no/such/folder/times.csv cannot be written"),
    ] {
        let errors = fails(2, &[&["s-to-p"], arguments].concat());
        assert!(errors.contains(reason), "{arguments:?}: no\n{reason}\nin\n{errors}");
        assert!(errors.contains("try '--help'"), "{arguments:?}: {errors}");
    }
    let errors = fails(1, &["s-to-p", "--mesh", "16x16", "--wall-limit", "1 ns"]);
    assert!(errors.contains("the run exceeded its wall limit, 1ns"), "{errors}");
}

#[test]
fn messages_have_the_lengths_that_are_given() {
    let command = "s-to-p --mesh 4x4 --at 3,5,9,12 --lengths 64K,3x32 --algorithm auto,apart";
    let output = succeeds(&command.split(' ').collect::<Vec<_>>());
    assert!(output.contains("4 sources, 32 B to 64 KiB each"), "{output}");
    let errors = fails(2, &["s-to-p", "--mesh", "4x4", "--sources", "3", "--lengths", "8,8"]);
    assert!(errors.contains("2 lengths are given for 3 sources: give one for each"), "{errors}");
    for (lengths, given) in [("8,8", "2 lengths are given"), ("8", "1 length is given")] {
        let errors = fails(2, &["s-to-p", "--mesh", "4x4", "--lengths", lengths]);
        let reason = format!("{given}, and row on paragon:4x4 has 16 sources: give a length for each source");
        assert!(errors.contains(&reason), "{errors}");
    }
    // A block says how many there are.
    let errors = fails(2, &["s-to-p", "--mesh", "4x4", "--distribution", "block:1x3", "--lengths", "8,8"]);
    assert!(errors.contains("2 lengths are given for 3 sources"), "{errors}");
}

/// The former name of the command still works, with a warning. Algorithms have the names of the literature, in any spelling.
#[test]
fn former_and_other_names_are_understood() {
    let options = ["--mesh", "2x2", "--sources", "2", "--algorithm"];
    let with = |command: &str, algorithm: &str| -> (String, String) {
        let output = run(&[&[command], &options[..], &[algorithm]].concat());
        assert!(output.status.success());
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).into()
    };
    let (output, errors) = with("s-to-p", "2-step");
    assert!(!errors.contains("warning"), "{errors}");
    assert_eq!(with("s-to-p", "Gather_Broadcast").0, output);
    let (former, errors) = with("stop", "2-step");
    assert_eq!(former, output);
    assert!(errors.contains("the command `stop` is now called `s-to-p`"), "{errors}");
}
