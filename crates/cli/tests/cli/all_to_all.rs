//! `multicomputer all-to-all`.

use multicomputer::all_to_all::{Algorithm, Matrix};

use super::*;

/// With these arguments after the name of the command.
fn exchange(arguments: &str) -> String {
    succeeds(&["all-to-all"].into_iter().chain(arguments.split(' ')).collect::<Vec<_>>())
}

/// Reads a CSV file: what each row has under a title.
fn table(file: &std::path::Path) -> (csv::StringRecord, Vec<csv::StringRecord>) {
    let mut reader = csv::Reader::from_path(file).unwrap();
    (reader.headers().unwrap().clone(), reader.records().map(Result::unwrap).collect())
}

fn cell(header: &csv::StringRecord, row: &csv::StringRecord, title: &str) -> String {
    row[header.iter().position(|known| known == title).unwrap()].to_owned()
}

#[test]
fn figure_1_is_shown_with_all_that_is_known_of_it() {
    let output = exchange("--mesh 2x4 --matrix figure-1");
    let head = "\
All-to-all communication: paragon:2x4, figure 1, virtual time

8 nodes, all-to-many, not uniform: 38 messages, 80 B in all, the longest of 7 B
Traffic: r = 10 B, c = 10 B, t = 10 B; fan-out f = 6, fan-in g = 6, h = 6

    P0  P1  P2  P3  P4  P5  P6  P7
P0       3   1       2   1   2   1  10
P1   1       2   2   1   1   3      10
P2   4   1       2       2       1  10
P3       2               3   1   4  10
P4   3       4           2   1      10
P5   1   2   1   2               4  10
P6       2   1       7              10
P7   1       1   4       1   3      10
    10  10  10  10  10  10  10  10

| =: -:-:|
|: --::= |
|*: - - :|
| -   =:*|
|= *  -: |
|:-:-   *|
| -: @   |
|: :* := |
Bytes: `:` 1, `-` 2, `=` 3, `*` 4, `@` 7.

algorithm  ";
    assert!(output.starts_with(head), "{output}");
    let table = rows(&output, "algorithm");
    let names: Vec<&str> = table.iter().map(|row| row[0]).collect();
    assert!(
        names.iter().copied().eq(Algorithm::ALL.iter().map(Algorithm::name)),
        "in the order of the registry"
    );
    let time = |name: &str| {
        let row = table.iter().find(|row| row[0] == name).unwrap();
        row[1].parse::<f64>().ok()
    };
    assert_eq!(time("linear"), None, "{output}");
    let predicted = Algorithm::ALL.iter().filter(|algorithm| algorithm.seed().is_none());
    assert!(
        predicted.filter_map(|algorithm| time(algorithm.name())).all(|other| time("auto").unwrap() <= other)
    );
    assert!(
        output.contains(
            "\nSkipped: `linear` does not apply to this all-to-all: it needs messages of the same length "
        ),
        "{output}"
    );
    assert!(output.contains("\nLower bound: 0."), "{output}");
    let runs = Algorithm::ALL.len() - 1;
    let note =
        format!("\nAll {runs} plans were run: predictions are exact, and every node has the correct data.\n");
    assert!(output.contains(&note), "{output}");
    assert_eq!(output, exchange("--mesh 2x4 --matrix figure-1"));
    assert!(
        output.lines().filter(|line| line.contains(" * ")).count() >= 1,
        "the fastest is marked: {output}"
    );
}

#[test]
fn matrices_come_from_files_and_go_into_them_again() {
    let folder = folder("exchange_matrix");
    let (file, times) = (folder.join("loads.csv"), folder.join("times.csv"));
    fs::write(&file, Matrix::figure_1().to_csv()).unwrap();
    let options = ["all-to-all", "--mesh", "2x4", "--matrix", text(&file), "--csv", text(&times)];
    let output = succeeds(&options);
    assert!(
        output.starts_with(&format!(
            "All-to-all communication: paragon:2x4, {}, virtual time\n",
            file.display()
        ))
    );
    let same = exchange("--mesh 2x4 --matrix figure-1");
    let body = |text: &str| text.split_once('\n').unwrap().1.to_owned();
    assert_eq!(body(&output), body(&same));

    let (header, rows) = table(&times);
    assert_eq!(rows.len(), Algorithm::ALL.len());
    for row in &rows {
        let cell = |title: &str| cell(&header, row, title);
        let figures =
            ["nodes", "sent", "received", "fan_out", "fan_in", "entries", "total_bytes", "class", "uniform"];
        let expected = ["8", "10", "10", "6", "6", "38", "80", "all-to-many", "false"];
        assert_eq!(figures.map(cell), expected);
        assert_eq!((cell("matrix"), cell("skew")), (text(&file).to_owned(), String::new()));
        if cell("restriction").is_empty() {
            let number = |title: &str| cell(title).parse::<f64>().unwrap();
            assert!((number("ratio") - number("modeled_us") / number("bound_us")).abs() < 1e-9);
            assert_eq!((cell("run_us"), &cell("clock")[..]), (cell("modeled_us"), "virtual"));
            assert!(number("messages") >= 1.0 && number("bytes_sent") >= 80.0 && number("waiting_us") >= 0.0);
            assert_eq!(cell("iterations").is_empty(), cell("predicted_us").is_empty());
        } else {
            assert_eq!((&cell("algorithm")[..], &cell("modeled_us")[..]), ("linear", ""));
        }
        assert_eq!(cell("wall_us"), "");
    }
}

#[test]
fn what_is_wrong_with_a_matrix_is_told() {
    let folder = folder("exchange_bad_matrix");
    let much = 1_u64 << 59;
    for (name, content, reason) in [
        ("empty", String::new(), "the matrix has no rows"),
        (
            "short",
            "0,1\n2\n".to_owned(),
            "line 2 has 1 entry: a matrix of 2 rows needs 2 in each line, separated by commas as in its first line;",
        ),
        (
            "long",
            "0,1,2,3\n2,0,1,3\n".to_owned(),
            "line 1 has 4 entries: a matrix of 2 rows needs 2 in each line, separated by commas",
        ),
        ("negative", "0,-1\n2,0\n".to_owned(), "line 1, entry 2: `-1` is not a number of bytes"),
        (
            "fraction",
            "0,1\n2.5,0\n".to_owned(),
            "line 2, entry 1: `2.5` is a fraction of a byte: give the total bytes of all messages (`--total`",
        ),
        (
            "digits",
            "0,99999999999999999999\n2,0\n".to_owned(),
            "line 1, entry 2: `99999999999999999999` bytes are too many: a node may send or receive less than 2^60 bytes",
        ),
        (
            "unit",
            "0,1K\n2,0\n".to_owned(),
            "allowed are numbers from 0, without a unit, separated by commas as in the first line",
        ),
        ("much", format!("{much},{much}\n0,0\n"), "node 0 would send or receive 2^60 bytes or more"),
        (
            "giant",
            format!("0,{}\n0,0\n", (1 << 30) + 1),
            "rank 0 has 1073741825 bytes for rank 1: the maximum is 1073741824",
        ),
        ("three", "0,1,1\n1,0,1\n1,1,0\n".to_owned(), "the matrix is for 3 nodes, and line:2 has 2"),
        ("data", format!("0,{}\n0,0\n", 1 << 30), "a run needs 1024 MiB of data, and the limit is 512 MiB"),
    ] {
        let file = folder.join(name);
        fs::write(&file, content).unwrap();
        let errors = fails(2, &["all-to-all", "--machine", "line:2", "--matrix", text(&file)]);
        assert!(errors.contains(reason), "{name}: no\n{reason}\nin\n{errors}");
        assert!(errors.contains("try '--help'"), "{name}: {errors}");
        if !["giant", "three", "data"].contains(&name) {
            assert!(errors.contains(&format!("matrix file {}: ", file.display())), "{errors}");
        }
    }
    let edges = folder.join("edges");
    fs::write(&edges, "from to bytes\n0 1 5\n1 2 7\n").unwrap();
    let errors = fails(2, &["all-to-all", "--machine", "line:2", "--matrix", text(&edges)]);
    assert!(errors.contains("line 3: `2` is not a node; this is an edge list"), "{errors}");
    let giant = folder.join("data");
    let phantom = ["--matrix", text(&giant), "--phantom", "--algorithm", "pairwise,random"];
    let output = succeeds(&[&["all-to-all", "--machine", "line:2"], &phantom[..]].concat());
    assert!(output.contains("All 2 plans were run: "), "{output}");
}

#[test]
fn a_matrix_may_be_an_edge_list_or_fractions_of_a_total() {
    let folder = folder("exchange_formats");
    let times = |name: &str, content: &str, more: &[&str]| {
        let file = folder.join(name);
        fs::write(&file, content).unwrap();
        let options =
            ["all-to-all", "--machine", "complete:4", "--matrix", text(&file), "--algorithm", "pairwise"];
        let output = succeeds(&[&options[..], more].concat());
        output.lines().skip(1).collect::<Vec<_>>().join("\n").replace(text(&file), "FILE")
    };
    let table = times("table", "0\t100\t0\t0\n0\t0\t300\t0\n0\t0\t0\t0\n0\t0\t0\t0\n", &[]);
    assert_eq!(times("edges", "0 1 100\n1 2 300\n", &[]), table);
    assert_eq!(
        times("market", "%%MatrixMarket matrix coordinate real general\n4 4 2\n1 2 100\n2 3 300\n", &[]),
        table
    );
    assert_eq!(times("fractions", "from,to,fraction\n0,1,0.25\n1,2,0.75\n", &["--total", "400"]), table);
    let errors = fails(2, &["all-to-all", "--total", "400"]);
    assert!(errors.contains("--matrix <FILE>"), "{errors}");
}

#[test]
fn a_matrix_is_made_by_the_parameters_of_the_paper() {
    let output = exchange(
        "--machine cm5:32 --fan-out 32 --traffic 64K --nonuniformity 1/32 --algorithm auto,two-stage",
    );
    let head = "All-to-all communication: cm5:32, fan-out 32, traffic 64 KiB, non-uniformity 1/32, seed 1, virtual time\n\n\
                32 nodes, all-to-all, not uniform: 1024 messages, 2 MiB in all, the longest of 62 KiB; ";
    assert!(output.starts_with(head), "{output}");
    assert_eq!(output.lines().filter(|line| line.matches('@').count() == 1 && line.len() == 34).count(), 32);
    let decimal = exchange("--machine line:6 --fan-out 2 --traffic 1K --nonuniformity 0.5 --algorithm auto");
    assert!(
        decimal
            .contains("\n6 nodes, all-to-many, uniform: 12 messages, 6 KiB in all, the longest of 512 B\n")
    );
    let other =
        exchange("--machine line:6 --fan-out 2 --traffic 1K --nonuniformity 0.5 --algorithm auto --seed 2");
    assert_ne!(decimal, other);
}

#[test]
fn a_sweep_has_a_row_for_each_traffic() {
    let output = exchange(
        "--mesh 2x4 --fan-out 3 --nonuniformity 1/3 --traffic 1K..4K,64K,1K --algorithm auto,linear,improved,colored",
    );
    let head = "All-to-all communication: paragon:2x4, fan-out 3, non-uniformity 1/3, seed 1, virtual time; modeled times in ms\n\n";
    assert!(output.starts_with(head), "{output}");
    let times = rows(&output, "bytes  ");
    let lengths: Vec<&str> = times.iter().map(|row| row[0]).collect();
    assert_eq!(lengths, ["1024", "2048", "4096", "65536"], "{output}");
    assert_eq!(times[0].len(), 1 + 3 + times[0].iter().filter(|&&cell| cell == "*").count(), "{output}");
    let choices = rows(&output, "bytes  fastest ms");
    assert_eq!(choices.len(), 4, "{output}");
    assert!(choices.iter().all(|row| row[3].parse::<f64>().unwrap() >= 1.0), "{output}");
    assert!(
        output.contains("\n8 of 12 plans were run, the others are predicted: predictions are exact, "),
        "{output}"
    );
    assert!(
        output.contains(
            "\nSkipped: `linear` does not apply to this all-to-all: it needs messages of the same length "
        ),
        "{output}"
    );
}

#[test]
fn several_seeds_are_tried_for_what_is_chosen_at_random() {
    let arguments = "--mesh 2x4 --algorithm random,shuffled,two-stage --seeds 4 --seed 3";
    let file = folder("exchange_seeds").join("seeds.csv");
    let output = exchange(&format!("{arguments} --csv {}", text(&file)));
    assert!(output.contains("mean ms       min"), "{output}");
    assert!(output.contains("\nAll 9 plans were run: "), "{output}");
    let (header, lines) = table(&file);
    let seeds: Vec<String> = lines.iter().map(|row| cell(&header, row, "seed")).collect();
    assert_eq!(
        seeds,
        ["3", "4", "5", "6", "3", "4", "5", "6", "3", "4", "5", "6"][..lines.len()],
        "{output}"
    );
    let times: Vec<f64> =
        lines.iter().map(|row| cell(&header, row, "modeled_us").parse::<f64>().unwrap() / 1000.0).collect();
    let random = &rows(&output, "algorithm")[0];
    let numbers: Vec<f64> = random.iter().filter_map(|cell| cell.parse().ok()).collect();
    let mean = times[..4].iter().sum::<f64>() / 4.0;
    assert!((numbers[0] - mean).abs() < 0.001, "{output}");
    assert!(numbers[1] < numbers[0] && numbers[0] < numbers[2], "{output}");

    let sweep = exchange(&format!("{arguments} --traffic 1K,4K"));
    assert!(sweep.contains("\nMinimum of 4 seeds (means above):\n\nbytes  "), "{sweep}");
}

#[test]
fn without_a_run_only_predictions_are_shown() {
    let output = exchange("--mesh 2x3 --run none --algorithm random,colored");
    let table = rows(&output, "algorithm");
    assert_eq!(table[0][..2], ["random", "-"], "{output}");
    assert!(output.contains("\nSkipped: `random` has no prediction: run it with --run "), "{output}");
    assert!(!output.contains("waiting"), "nothing is known of waiting: {output}");
    assert!(output.contains("\nNothing was run: all times are predictions"), "{output}");
    let errors =
        fails(2, &["all-to-all", "--mesh", "2x3", "--run", "none", "--algorithm", "random,improved"]);
    assert!(errors.contains("`random` has no prediction: run it with"), "{errors}");
}

#[test]
fn exchanges_run_in_real_time() {
    let output = exchange("--mesh 1x2 --traffic 256 --algorithm pairwise,improved --clock real:8");
    assert!(["run ms", "pace", "error %"].iter().all(|title| output.contains(title)), "{output}");
    assert!(
        output.contains("\nAll 2 plans were run, in real time: every node has the correct data"),
        "{output}"
    );
    assert!(output.contains("\nReal time: "), "{output}");
}

#[test]
fn every_run_has_a_trace() {
    let folder = folder("exchange_traces");
    let trace = folder.join("t.json");
    let options = "--mesh 2x2 --algorithm auto,random,two-stage";
    exchange(&format!("{options} --traffic 64 --seeds 2 --trace {}", text(&trace)));
    exchange(&format!("{options} --traffic 1K,2K --trace {}", text(&trace)));
    let mut names: Vec<String> =
        fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let expected = [
        "1024-fastest",
        "1024-random",
        "2048-fastest",
        "2048-random",
        "auto",
        "random-1",
        "random-2",
        "two-stage",
    ];
    assert_eq!(names, expected.map(|name| format!("t-{name}.json")));
    assert!(names.iter().all(|name| fs::metadata(folder.join(name)).unwrap().len() > 100));
}

#[test]
fn exchanges_that_are_none_are_refused_with_a_reason() {
    for (arguments, reason) in [
        (&["--fan-out", "101"][..], "fan-out 101 is out of range; allowed is 1 to 100, the number of nodes"),
        (&["--fan-out", "0"], "fan-out 0 is out of range; allowed is 1 to 100, the number of nodes"),
        (&["--fan-out", "-1"], "give a whole number from 0 to 2^64 - 1"),
        (&["--traffic", "-1"], "`-1` is negative; allowed is 0 or more"),
        (&["--traffic", "2Q"], "`2Q` is not a number of bytes such as 1536, 2K"),
        (&["--traffic", "8..4"], "`8..4` is descending; write the smaller size first"),
        (
            &["--traffic", "1073741824G"],
            "node 0 would send or receive 2^60 bytes or more in total; allowed is less",
        ),
        (
            &["--traffic", "8G", "--fan-out", "1"],
            "has 8589934592 bytes for rank 1: the maximum is 1073741824",
        ),
        (&["--traffic", "1G"], "a run needs 102400 MiB of data, and the limit is 512 MiB"),
        (&["--nonuniformity", "2"], "`2` is out of range: give a number from 0 to 1"),
        (&["--nonuniformity", "-1/32"], "`-1/32` is out of range"),
        (&["--nonuniformity", "1/0"], "`1/0` is not a fraction: write 1/32 or 0.25"),
        (&["--algorithm", "fast"], "unknown algorithm `fast`. Known: auto, linear, "),
        (
            &["--algorithm", "linear", "--mesh", "2x2", "--nonuniformity", "1/4"],
            "it needs messages of the same length between all pairs of ranks",
        ),
        (&["--nonuniformity", "1/2/3"], "`1/2/3` is not a fraction"),
        (&["--nonuniformity", "nan"], "`nan` is not a fraction"),
        (&["--seeds", "10001"], "give a whole number from 1 to 10000"),
        (&["--seeds", "0"], "give a whole number from 1 to 10000"),
        (&["--matrix", "figure-1"], "the matrix is for 8 nodes, and paragon:10x10 has 100"),
        (&["--matrix", "figure-1", "--traffic", "1K"], "cannot be used with"),
        (&["--matrix", "no/such.csv"], "matrix file no/such.csv: cannot be read: "),
        (&["--csv", "no/such/folder/times.csv"], "no/such/folder/times.csv cannot be written"),
        (&["--machine", "abacus:8"], "unknown machine `abacus:8`. Known: "),
    ] {
        let errors = fails(2, &[&["all-to-all"], arguments].concat());
        assert!(errors.contains(reason), "{arguments:?}: no\n{reason}\nin\n{errors}");
        assert!(errors.contains("try '--help'"), "{arguments:?}: {errors}");
    }
    let errors =
        fails(1, &["all-to-all", "--mesh", "8x8", "--algorithm", "pairwise", "--wall-limit", "1 ns"]);
    assert!(errors.contains("the run exceeded its wall limit, 1ns"), "{errors}");
}
