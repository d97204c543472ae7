//! Programs in GOAL on the command line.

use std::{
    fs,
    io::Write,
    process::{Output, Stdio},
};

use super::{fails, folder, program, succeeds, text};

/// A question and its answer.
const PAIR: &str = "num_ranks 2
rank 0 {
l1: send 8b to 1
l2: recv 1000b from 1
}
rank 1 {
l1: recv 8b from 0
l2: calc 5000
l3: send 1000b to 0
l2 requires l1
l3 requires l2
}
";

/// A run that gets this on its standard input.
fn given(input: &str, arguments: &[&str]) -> Output {
    let mut child = program(arguments);
    let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_text_has_its_time_and_runs_in_it() {
    let folder = folder("goal");
    let file = folder.join("pair.goal");
    fs::write(&file, PAIR).unwrap();
    let command =
        |more: &[&str]| succeeds(&[&["goal", text(&file), "--machine", "hockney:1x2"], more].concat());
    let predicted = command(&[]);
    let title =
        "pair.goal on hockney:1x2: 2 ranks, 5 operations, 2 messages, 1008 B\n\nmodeled time   315.4 us\n";
    assert!(predicted.contains(title), "{predicted}");
    assert!(predicted.contains(" messages a second\n"), "{predicted}");
    assert!(command(&["--clock", "virtual"]).contains(title));
    assert!(command(&["--clock", "host"]).contains("\nwall time   "));
    // The sender of the answer is done when that has left, but the other one is later in any case.
    assert!(command(&["--sends", "blocking"]).contains(title));

    let csv = folder.join("pair.csv");
    let output = given(PAIR, &["goal", "-", "--machine", "hockney:1x2", "--csv", text(&csv)]);
    assert!(output.status.success());
    let table = fs::read_to_string(&csv).unwrap();
    let (titles, row) = table.split_once('\n').unwrap();
    assert!(
        titles.starts_with("file,machine,rows,columns,nodes,ports,")
            && titles.contains(",machine_hash,sends,clock,ranks,operations,messages,bytes,modeled_us,"),
        "{table}"
    );
    assert!(
        row.starts_with("-,hockney:1x2,1,2,2,1,identity,,,,,")
            && row.contains(",eager,none,2,5,2,1008,315.400000,"),
        "{table}"
    );
}

#[test]
fn notes_tell_of_other_processors_and_of_messages_for_nobody() {
    let output = given("num_ranks 1\nrank 0 { send 8b to 0 cpu 1 }", &["goal", "-", "--machine", "line:1"]);
    let output = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.contains("1 operation names a cpu or nic other than 0: a node has one of each"),
        "{output}"
    );
    assert!(output.contains("Never received: 1 message."), "{output}");
}

#[test]
fn texts_that_are_wrong_are_refused_with_line_and_column() {
    let folder = folder("goal-refused");
    let file = folder.join("wrong.goal");
    let refused = |status, content: &str, more: &[&str]| {
        fs::write(&file, content).unwrap();
        fails(status, &[&["goal", text(&file), "--machine", "line:2"], more].concat())
    };
    let wrong = refused(2, "num_ranks 2\nrank 0 {\n l1: sent 8b to 1\n}\n", &[]);
    let place = "wrong.goal: line 3, column 6: found `sent`, expected an operation: send, recv or calc";
    assert!(wrong.contains(place), "{wrong}");
    let large = "the program has 3 ranks, but the machine has 2: use a machine with one node per rank";
    assert!(refused(2, "num_ranks 3", &[]).contains(large));
    assert!(refused(1, "num_ranks 3", &["--clock", "virtual"]).contains(large));
    let stuck = "num_ranks 2\nrank 0 { recv 8b from 1 }\nrank 1 { recv 8b from 0 }";
    for more in [&[][..], &["--clock", "virtual"]] {
        assert!(refused(1, stuck, more).contains("cycle: 0 -> 1 -> 0"));
    }
    assert!(fails(2, &["goal", "no-such.goal"]).contains("no-such.goal cannot be read"));
}

#[test]
fn a_schedule_that_is_written_takes_its_own_time() {
    let folder = folder("goal-written");
    let (file, csv) = (folder.join("plan.goal"), folder.join("plan.csv"));
    // The modeled time in the table.
    let time = || {
        let mut table = csv::Reader::from_path(&csv).unwrap();
        let at = table.headers().unwrap().iter().position(|title| title == "modeled_us").unwrap();
        table.records().next().unwrap().unwrap()[at].to_owned()
    };
    for (command, algorithm) in [
        (&["collective", "broadcast", "--bytes", "1K"][..], "short"),
        (&["s-to-p", "--sources", "4", "--bytes", "2K", "--distribution", "row"], "br-lin"),
        (&["all-to-all", "--traffic", "1K", "--fan-out", "4"], "pairwise"),
    ] {
        let machine = ["--machine", "paragon:4x4", "--algorithm", algorithm, "--csv", text(&csv)];
        succeeds(&[command, &machine, &["--goal", text(&file)]].concat());
        let planned = time();
        let again = ["goal", text(&file), "--machine", "paragon:4x4", "--sends", "blocking"];
        succeeds(&[&again[..], &["--csv", text(&csv)]].concat());
        assert_eq!(time(), planned, "{command:?}");
    }
    let several = ["collective", "broadcast", "--machine", "line:4", "--goal", text(&file)];
    assert!(fails(2, &several).contains("--goal writes one schedule, and this command makes "));
}

#[test]
fn a_schedule_is_drawn_explained_and_listed_by_rank() {
    let folder = folder("goal_recorded");
    let file = folder.join("pair.goal");
    fs::write(&file, PAIR).unwrap();
    let [svg, heat, trace, ranks] = ["a.svg", "h.svg", "t.json", "r.csv"].map(|name| folder.join(name));
    let command = ["goal", text(&file), "--machine", "hockney:1x2"];
    let files =
        ["--svg", text(&svg), "--heat", text(&heat), "--trace", text(&trace), "--per-rank", text(&ranks)];
    let output = succeeds(&[&command[..], &files, &["--explain"]].concat());
    assert!(output.contains("\nmodeled time   315.4 us\nranks end     first "), "{output}");
    assert!(output.contains("critical path"), "{output}");
    assert!(
        fs::read_to_string(&svg).unwrap().starts_with("<svg ")
            && fs::read_to_string(&heat).unwrap().starts_with("<svg ")
    );
    assert!(fs::read_to_string(&trace).unwrap().starts_with('{'));
    let table = fs::read_to_string(&ranks).unwrap();
    assert!(
        table.starts_with("bytes,rank,finished_us,messages_sent,bytes_sent,messages_received,bytes_received,computing_us\n,0,315.400000,1,8,1,1000,0.000000\n"),
        "{table}"
    );
    // A prediction lists the same times.
    succeeds(&[&command[..], &["--per-rank", text(&ranks)]].concat());
    assert_eq!(fs::read_to_string(&ranks).unwrap(), table);
    let errors = fails(2, &[&command[..], &["--clock", "host", "--heat", text(&heat)]].concat());
    assert!(errors.contains("--heat cannot be used with --clock host"), "{errors}");
}

#[test]
fn traces_of_smpi_are_schedules() {
    let folder = folder("goal_smpi");
    let [all, list, zero, one] =
        ["all.txt", "list.txt", "rank0.txt", "rank1.txt"].map(|name| folder.join(name));
    let ranks =
        ["0 init\n0 compute 1e6\n0 send 1 0 1000\n0 finalize\n", "1 init\n1 recv 0 0 1000\n1 finalize\n"];
    fs::write(&all, ranks.concat()).unwrap();
    fs::write(&zero, ranks[0]).unwrap();
    fs::write(&one, ranks[1]).unwrap();
    fs::write(&list, "rank0.txt\nrank1.txt\n").unwrap();
    fn command<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        [&["goal", file, "--machine", "hockney:1x2"], more].concat()
    }
    for file in [&all, &list] {
        for more in [&["--flops", "1G"][..], &["--flops", "1G", "--clock", "virtual"]] {
            let output = succeeds(&command(text(file), more));
            // 1 ms, and a message of 180 us.
            assert!(output.contains("\nmodeled time   1.18 ms\n"), "{output}");
        }
    }
    let errors = fails(2, &command(text(&all), &[]));
    assert!(
        errors.contains("rank 0, line 2: the trace has computations in flops: give the flop/s"),
        "{errors}"
    );
    fs::write(&one, "1 init\n1 recieve 0 0 1000\n").unwrap();
    let errors = fails(2, &command(text(&list), &[]));
    assert!(errors.contains("rank1.txt, line 2: unknown action `recieve`"), "{errors}");
}
