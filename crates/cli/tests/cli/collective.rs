//! `multicomputer collective`.

use multicomputer::collective::{Algorithm, Operation};

use super::*;

/// With these arguments after the name of the command.
fn collective(arguments: &str) -> String {
    succeeds(&["collective"].into_iter().chain(arguments.split(' ')).collect::<Vec<_>>())
}

#[test]
fn one_length_is_shown_with_all_that_is_known_of_it() {
    let output = collective("broadcast --mesh 2x4 --bytes 4K --root 4");
    let head = "Collective communication: broadcast, paragon:2x4, all 8 nodes, root 4, 4 KiB, virtual time\n\nalgorithm";
    assert!(output.starts_with(head), "{output}");
    let table = rows(&output, "algorithm");
    let names: Vec<String> = table.iter().map(|row| row[0].to_owned()).collect();
    let expected = Algorithm::of(Operation::Broadcast);
    let expected = expected.iter().map(|algorithm| algorithm.spelled(Operation::Broadcast));
    assert_eq!(names, expected.collect::<Vec<_>>(), "in the order of the registry");
    // Those that are not for this machine have no time.
    let times: Vec<f64> = table.iter().filter_map(|row| row[1].parse().ok()).collect();
    assert!(times.iter().all(|&time| times[0] <= time), "auto is never slower: {output}");
    assert_eq!((table[0][0], table[0][2]), ("auto", "*"), "{output}");
    assert!(output.contains(", chosen by auto: "), "{output}");
    assert!(output.contains("\nLower bound: 0."), "{output}");
    assert!(output.contains(" ms; tightest: "), "{output}");
    assert!(
        output.contains(
            " plans was run, the others are predicted: predictions are exact, and every node has the"
        ),
        "{output}"
    );
    let seeded = collective("broadcast --mesh 2x4 --bytes 4K --root 4 --seed 7");
    assert_eq!(output, seeded.replacen(", seed 7", "", 1));
}

#[test]
fn every_operation_is_run_and_checked_with_every_algorithm() {
    for order in ["", " --in-order"] {
        let output = collective(&format!("all --mesh 2x3 --bytes 4096 --run all{order}"));
        for operation in Operation::ALL {
            assert!(output.contains(&format!("\n{operation} ")), "{output}");
        }
        assert_eq!(output.matches("plans were run: predictions are exact").count(), 1, "{output}");
        assert_eq!(output.contains("in_order"), !order.is_empty(), "{output}");
    }
}

#[test]
fn a_strategy_keeps_its_commas() {
    let output = collective("broadcast --mesh 2x3 --algorithm 2x3:SMC,columns,short,3x2:SMC,1x6:SC,3x2:SMC");
    let table = rows(&output, "algorithm");
    let names: Vec<&str> = table.iter().map(|row| row[0]).collect();
    assert_eq!(names, ["2x3:SMC,columns", "short", "3x2:SMC", "1x6:SC"], "{output}");
    assert_eq!(table[3].last(), Some(&"6:SC"), "{output}");
}

#[test]
fn what_does_not_work_says_why_unless_nothing_else_does() {
    let output = collective("all-reduce --mesh 2x3 --in-order --algorithm long,auto");
    let table = rows(&output, "algorithm");
    assert_eq!((table[0][0], table[0][1], table[1][0]), ("long", "-", "auto"), "{output}");
    assert!(output.contains("\nSkipped: `long` does not apply to this all-reduce: it needs "), "{output}");
    let errors = fails(2, &["collective", "broadcast", "--algorithm", "doubling"]);
    assert!(
        errors.contains("algorithm `doubling` is not for broadcast. Known for broadcast: auto, "),
        "{errors}"
    );
    let errors = fails(2, &["collective", "all-gather", "--mesh", "2x3", "--algorithm", "2x3:SMC"]);
    assert!(errors.contains("invalid strategy `2x3:SMC` for all-gather: "), "{errors}");

    let sweep = "all-reduce --mesh 2x3 --in-order --bytes 8..64 --algorithm long,auto";
    let output = collective(sweep);
    assert!(output.contains("\nSkipped: `long` does not apply to this all-reduce: it needs "), "{output}");
    // One line for all lengths, though the numbers differ.
    let output = collective("broadcast --machine ethernet:8 --bytes 1K,2K,16M --algorithm auto,forest");
    assert_eq!(
        output
            .matches("\nSkipped for 2 of 3 problems: `forest` does not apply to this broadcast: it needs ")
            .count(),
        1,
        "{output}"
    );
}

#[test]
fn a_sweep_has_a_row_for_each_length() {
    let output = collective("all-gather --mesh 3x4 --bytes 8..64,1K,8 --algorithm auto,short,3x4:CC");
    let head = "Collective communication: all-gather, paragon:3x4, all 12 nodes, virtual time; modeled times in ms\n";
    assert!(output.starts_with(head), "{output}");
    let lengths = ["8", "16", "32", "64", "1024"];
    let times = output.lines().skip(2).take(6).map(str::split_whitespace);
    let times: Vec<Vec<&str>> = times.map(Iterator::collect).collect();
    assert_eq!(times[0], ["bytes", "auto", "short", "3x4:CC"], "{output}");
    assert_eq!(times[1..].iter().map(|row| row[0]).collect::<Vec<_>>(), lengths, "{output}");
    let choices = rows(&output, "bytes  fastest ms");
    assert_eq!(choices.iter().map(|row| row[0]).collect::<Vec<_>>(), lengths, "{output}");
    assert!(choices.iter().all(|row| row[3].parse::<f64>().unwrap() >= 1.0), "{output}");
    assert!(output.contains("\n5 of 15 plans were run, the others are predicted: "), "{output}");
}

#[test]
fn members_are_named_by_place_or_number() {
    for (members, count) in
        [("row:1", 4), ("column:3", 3), ("block:2x2@1+2", 4), ("11,0,3-5", 5), ("7", 1), ("0-11", 12)]
    {
        let output = collective(&format!("gather --mesh 3x4 --members {members} --algorithm auto"));
        let place = match count {
            12 => "all 12 nodes".to_owned(),
            1 => "1 member".to_owned(),
            count => format!("{count} of 12 nodes"),
        };
        assert!(
            output.contains(&format!("gather, paragon:3x4, {place}, root 0, 2 KiB, virtual time\n")),
            "{output}"
        );
    }
}

#[test]
fn all_figures_are_written_as_csv() {
    let file = folder("collective_csv").join("times.csv");
    let options = ["--mesh", "2x3", "--members", "row:0", "--bytes", "64,2K", "--algorithm", "auto,doubling"];
    succeeds(&[&["collective", "all", "--csv", text(&file)], &options[..]].concat());
    let mut reader = csv::Reader::from_path(&file).unwrap();
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 8 * 2 * 2);
    let cell = |row: &csv::StringRecord, title: &str| {
        row[header.iter().position(|known| known == title).unwrap()].to_owned()
    };
    for row in &rows {
        let number = |title: &str| cell(row, title).parse::<f64>().unwrap();
        assert_eq!((&cell(row, "members")[..], &cell(row, "size")[..]), ("row:0", "3"));
        if cell(row, "restriction").is_empty() {
            assert!((number("ratio") - number("modeled_us") / number("bound_us")).abs() < 1e-9);
            assert!(number("estimate_us") > 0.0);
        } else {
            assert_eq!((&cell(row, "algorithm")[..], &cell(row, "modeled_us")[..]), ("doubling", ""));
        }
        let is_run = cell(row, "clock") == "virtual";
        assert_eq!(is_run, cell(row, "run_us") == cell(row, "modeled_us") && !cell(row, "run_us").is_empty());
        assert_eq!(cell(row, "wall_us"), "");
    }
    assert_eq!(rows.iter().filter(|row| cell(row, "clock") == "virtual").count(), 8 * 2);
}

#[test]
fn bandwidths_are_those_of_nccl_tests() {
    let file = folder("collective_bandwidth").join("times.csv");
    let options = "all --machine h100:8 --bytes 1G --run none --algorithm auto --bandwidth";
    let output = collective(&format!("{options} --csv {}", text(&file)));
    assert!(output.contains("\nAlgorithm bandwidth in GB/s:\n\n"), "{output}");
    let mut reader = csv::Reader::from_path(&file).unwrap();
    let header = reader.headers().unwrap().clone();
    for row in reader.records().map(Result::unwrap) {
        let cell = |title: &str| row[header.iter().position(|known| known == title).unwrap()].to_owned();
        let number = |title: &str| cell(title).parse::<f64>().unwrap();
        let algorithm = 1_073_741_824.0 / 1e3 / number("modeled_us");
        assert!((number("algbw_gb_s") - algorithm).abs() < 1e-6, "{row:?}");
        let factor = match &*cell("operation") {
            "scan" => {
                assert_eq!(cell("busbw_gb_s"), "");
                continue;
            }
            "all-reduce" => 1.75,
            "broadcast" | "reduce" => 1.0,
            _ => 0.875,
        };
        let bus = number("busbw_gb_s");
        assert!((bus - factor * algorithm).abs() < 1e-6, "{row:?}");
        // Not beyond the bandwidth of a port, 1 / 0.0027 ns.
        assert!((100.0..370.4).contains(&bus), "{row:?}");
    }
    let sweep =
        collective("all-gather --machine h100:4 --bytes 1M,1G --run none --algorithm auto --bandwidth");
    assert!(sweep.contains("\nAlgorithm bandwidth in GB/s:\n\n"), "{sweep}");
    assert!(sweep.contains("\nBus bandwidth in GB/s:\n\n"), "{sweep}");
}

#[test]
fn ranks_may_be_placed_on_other_nodes() {
    let time = |placement: &str| {
        let options =
            "all-gather --machine cluster:8x1:450000,50000:ring:2 --bytes 16M --run none --algorithm auto";
        let output = collective(&format!("{options} --placement {placement}"));
        rows(&output, "algorithm")[0][1].parse::<f64>().unwrap()
    };
    assert_eq!(time("identity"), time("blocks:8x8"));
    let errors = fails(2, &["collective", "all-gather", "--placement", "round-robin:7"]);
    assert!(
        errors.contains(
            "placement `round-robin:7` does not fit 100 nodes: the number of nodes is not a multiple of 7"
        ),
        "{errors}"
    );
    let errors = fails(2, &["collective", "all-gather", "--placement", "snake"]);
    assert!(errors.contains("unknown placement `snake`. Known: identity, random:SEED"), "{errors}");
    let errors = fails(2, &["collective", "all-gather", "--placement", "random:x"]);
    assert!(errors.contains("placement `random:x`: the seed must be a whole number"), "{errors}");
    assert_eq!(time("random"), time("random:1"));
}

#[test]
fn long_vectors_are_predicted_or_run_without_data() {
    let long = ["collective", "reduce", "--mesh", "8x8", "--bytes", "64M", "--algorithm", "short"];
    let errors = fails(2, &long);
    assert!(errors.contains("needs 4096 MiB of data, and the limit is 512 MiB"), "{errors}");
    let phantom = succeeds(&[&long[..], &["--phantom"]].concat());
    assert!(
        phantom.contains(
            "The plan was run: predictions are exact, and every node has data of the correct length"
        )
    );
    let predicted = succeeds(&[&long[..], &["--run", "none"]].concat());
    assert!(predicted.contains("\nNothing was run: all times are predictions"), "{predicted}");
    assert_eq!(rows(&phantom, "algorithm")[0][..2], rows(&predicted, "algorithm")[0][..2]);
    let errors = fails(2, &["collective", "scatter", "--bytes", "2G", "--phantom"]);
    assert!(errors.contains("the limit of a message is 1 GiB: predict only"), "{errors}");
}

#[test]
fn plans_run_in_real_time() {
    let output = collective("broadcast --mesh 1x2 --algorithm short,tree --clock real:8 --run all");
    assert!(["run ms", "pace", "error %"].iter().all(|title| output.contains(title)), "{output}");
    assert!(
        output.contains("\nAll 2 plans were run, in real time: every node has the correct data"),
        "{output}"
    );
    assert!(output.contains("\nReal time: "), "{output}");
}

#[test]
fn every_run_has_a_trace() {
    let folder = folder("collective_traces");
    let trace = folder.join("t.json");
    let options = "scan,broadcast --mesh 2x2 --bytes 8,64 --run all --algorithm auto";
    collective(&format!("{options} --trace {}", text(&trace)));
    let mut names: Vec<String> =
        fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let expected = ["broadcast-64", "broadcast-8", "scan-64", "scan-8"];
    assert_eq!(names, expected.map(|name| format!("t-{name}-auto.json")));
}

#[test]
fn every_run_is_explained_if_asked_for() {
    let options = "broadcast --mesh 2x2 --bytes 8,64 --run all --algorithm auto";
    let output = collective(&format!("{options} --explain"));
    assert_eq!(output.matches("\n8-auto: Where the time went\n\ncritical path").count(), 1, "{output}");
    assert_eq!(output.matches("\n64-auto: Where the time went\n\n").count(), 1, "{output}");
    let host = format!("collective {options} --explain --clock host");
    let error = fails(2, &host.split(' ').collect::<Vec<_>>());
    assert!(
        error.contains("--explain cannot be used with --clock host, whose times have no model"),
        "{error}"
    );
    let none = collective("broadcast --mesh 2x2 --bytes 8 --run none --explain");
    assert!(none.ends_with("\nNo explanation: nothing was run.\n"), "{none}");
}

#[test]
fn tasks_that_are_none_are_refused_with_a_reason() {
    for (arguments, reason) in [
        (
            &["everything"][..],
            "unknown operation `everything`. Known: broadcast, scatter, gather, all-gather, ",
        ),
        (&["broadcast,"], "unknown operation ``"),
        (&["all-gather", "--algorithm", "fast"], "unknown algorithm `fast`. Known: auto, short, "),
        (&["all-gather", "--algorithm", "auto,columns"], "unknown algorithm `columns`"),
        (
            &["all-gather", "--algorithm", "2x3:MC,rows", "--mesh", "2x3"],
            "only `columns`, `compact`, `rows-columns` or `columns-rows` may follow a comma",
        ),
        (
            &["all-gather", "--algorithm", "2x3:MC", "--mesh", "2x2"],
            "it needs sides whose product is the number of ranks (here: product 6, 4 ranks)",
        ),
        (
            &["all-gather", "--algorithm", "3x2x2:CCC,columns-rows", "--mesh", "4x3"],
            "alternating sides that divide the rows and the columns of the group in turn",
        ),
        (
            &["all-gather", "--members", "row:10"],
            "`row:10` is outside the machine: it has 10 rows and 10 columns",
        ),
        (
            &["all-gather", "--members", "0,100"],
            "member 100 is no node of the machine: its nodes are 0 to 99",
        ),
        (&["all-gather", "--members", "3,3"], "node 3 is given twice: give each member once"),
        (&["all-gather", "--members", "8..4"], "unknown members `8..4`. Known: all, row:3, column:0, block:"),
        (&["all-gather", "--members", "block:11x1"], "it must have at least a row and a column"),
        (&["all-gather", "--members", "row:x"], "unknown members `row:x`"),
        (&["all-gather", "--members", "1,,2"], "unknown members `1,,2`"),
        (
            &["all-gather", "--machine", "hypercube:8", "--members", "row:0"],
            "hypercube:8 has no rows and columns",
        ),
        (&["gather", "--root", "100"], "root 100 is not in the group: its ranks are 0 to 99"),
        (&["gather", "--root", "-1"], "give a whole number from 0 to 2^64 - 1"),
        (&["scan", "--bytes", "12"], "12 bytes are not a multiple of the element (8 bytes for scan)"),
        (&["scan", "--element", "0"], "an element has at least 1 byte"),
        (&["scan", "--bytes", "8..4"], "`8..4` is descending; write the smaller size first"),
        (&["scan", "--run", "some"], "possible values: fastest, all, none"),
        (&["scan", "--mesh", "0x3"], "`0x3` has no nodes"),
        (&["scan", "--mesh", "5000x5000"], "25000000 nodes are too many"),
        (&["scan", "--csv", "no/such/folder/times.csv"], "no/such/folder/times.csv cannot be written"),
        (&[], "<OPERATION>"),
    ] {
        let errors = fails(2, &[&["collective"], arguments].concat());
        assert!(errors.contains(reason), "{arguments:?}: no\n{reason}\nin\n{errors}");
        assert!(errors.contains("try '--help'"), "{arguments:?}: {errors}");
    }
    let errors = fails(1, &["collective", "scan", "--mesh", "16x16", "--wall-limit", "1 ns"]);
    assert!(errors.contains("the run exceeded its wall limit, 1ns"), "{errors}");
}

#[test]
fn blocks_have_the_lengths_that_are_given() {
    let output = collective("all-gather --mesh 2x4 --blocks 128K,7x32 --algorithm auto,mixed,apart");
    assert!(
        output.contains(
            "all-gather, paragon:2x4, all 8 nodes, 131296 B in blocks of 32 B to 128 KiB, virtual time"
        ),
        "{output}"
    );
    assert!(output.contains("every node has the correct data"), "{output}");
    let chosen = output.lines().find(|line| line.starts_with("apart")).unwrap();
    assert!(chosen.contains(" * ") && chosen.contains("over 32 B by broadcast, "), "{output}");
    let refused = |command: &str| {
        let all: Vec<&str> = ["collective"].into_iter().chain(command.split(' ')).collect();
        fails(2, &all)
    };
    for (command, text) in [
        (
            "broadcast --blocks 8,8",
            "--blocks is not for broadcast: use --bytes, or choose an operation with blocks (scatter, gather, all-gather, reduce-scatter)",
        ),
        ("gather --mesh 2x2 --blocks 8,2x8", "3 block lengths are given for a group of 4"),
        ("gather --blocks 8,y", "`y` is not a length: write 64K, or a count and a length such as 15x32"),
        ("gather --blocks 1048577x1", "more than 1048576 lengths are given"),
        ("gather --blocks 8 --bytes 8", "cannot be used with"),
        ("reduce-scatter --mesh 2x2 --blocks 3x8,9", "9 bytes are not a multiple of the element (8 bytes"),
    ] {
        let errors = refused(command);
        assert!(errors.contains(text), "{command}: {errors}");
    }
}

#[test]
fn a_root_and_an_order_are_for_operations_that_have_one() {
    for (command, text) in [
        (
            "all-gather --root 3",
            "--root is not for all-gather: remove it, or choose an operation with a root (broadcast, scatter, gather, reduce)",
        ),
        ("scan,all-gather --root 0", "--root is not for all-gather, scan: remove it"),
        ("broadcast --in-order", "--in-order is not for "),
        ("gather --root 4 --mesh 2x2", "root 4 is not in the group: its ranks are 0 to 3"),
    ] {
        let errors = fails(2, &["collective"].into_iter().chain(command.split(' ')).collect::<Vec<_>>());
        assert!(errors.contains(text), "{command}: {errors}");
    }
    // Of several operations those take it that have one.
    let output = collective("gather,all-gather --root 3 --mesh 2x2 --run none --algorithm auto");
    assert_eq!(
        rows(&output, "operation").iter().map(|row| row[..2].join(" ")).collect::<Vec<_>>()[..2],
        ["gather 3", "all-gather -"],
        "{output}"
    );
}

#[test]
fn one_node_has_one_strategy_and_its_grammar() {
    let output =
        collective("all-gather --machine complete:1 --run none --algorithm hybrid,mixed,alternating");
    assert!(!output.contains(" : ") && !output.contains("::"), "{output}");
    let chosen = |row: usize| rows(&output, "algorithm")[row].last().unwrap().to_string();
    assert_eq!(chosen(0), "1:M", "{output}");
    assert!(output.contains("1:M (in turn)"), "{output}");
    assert!(output.contains(" (here: 1 row of 1 rank)"), "{output}");
    let output = collective("broadcast --machine complete:1 --bytes 0 --run none --algorithm auto,blocks");
    assert!(output.contains(" (here: 1 rank and 0 elements)"), "{output}");
}

#[test]
fn nodes_have_as_many_ports_as_are_asked_for() {
    let machine = succeeds(&["machine", "torus:4x4", "--ports", "4"]);
    assert!(machine.starts_with("torus:4x4, 4 ports\n"), "{machine}");
    let ports = machine.lines().find(|line| line.starts_with("ports")).unwrap();
    assert!(ports.starts_with("ports") && ports.contains(" 4 "), "{ports}");
    let errors = fails(2, &["machine", "torus:4x4", "--ports", "65"]);
    assert!(errors.contains("65 is not in 1..=64"), "{errors}");
    let chosen = |more: &str| {
        let command = format!("collective all-gather --machine torus:4x4 --bytes 4M --algorithm swing{more}");
        let output = succeeds(&command.split(' ').collect::<Vec<_>>());
        rows(&output, "algorithm")[0][1..].iter().map(|cell| cell.to_string()).collect::<Vec<_>>().join(" ")
    };
    let (one, four) = (chosen(""), chosen(" --ports 4"));
    assert!(one.starts_with("197.128 ") && !one.contains("ways"), "{one}");
    assert!(four.starts_with("50.322 ") && four.contains("4 parts"), "{four}");
    let tuned = succeeds(&["tune", "torus:2x2", "broadcast", "--bytes", "1K", "--ports", "4"]);
    assert!(tuned.contains("torus:2x2, 4 ports"), "{tuned}");
}

#[test]
fn names_of_mpi_are_taken_and_near_names_are_offered() {
    for (name, canonical) in [
        ("allreduce", "all-reduce"),
        ("MPI_Bcast", "broadcast"),
        ("all_gather", "all-gather"),
        ("ReduceScatter", "reduce-scatter"),
        ("reduce", "reduce"),
    ] {
        let output = collective(&format!("{name} --mesh 2x2 --algorithm auto"));
        assert!(output.starts_with(&format!("Collective communication: {canonical}, ")), "{output}");
    }
    let refused = |arguments: &str| fails(2, &arguments.split(' ').collect::<Vec<_>>());
    for name in ["alltoall", "all-to-all", "MPI_Alltoallv"] {
        let errors = refused(&format!("collective {name}"));
        assert!(errors.contains("has a separate command: write `multicomputer all-to-all`"), "{errors}");
    }
    for (arguments, offered) in [
        ("collective alredcue", "unknown operation `alredcue`; did you mean `all-reduce`? Known: "),
        ("collective scan --algorithm hlving", "unknown algorithm `hlving`; did you mean `halving`? Known: "),
        ("collective scan --machine paragn:4x4", "did you mean `paragon:4x4`? Known: "),
        ("collective scan --clock vrtual", "did you mean `virtual`? Known: "),
        ("collective scan --pin onecor", "did you mean `one-core`? Known: "),
        ("collective scan --placement randm:7", "did you mean `random:7`? Known: "),
        ("collective scan --fault ded:0-1@1ms", "did you mean `dead:0-1@1ms`? Known: "),
        ("collective scan --noise lenght=1us", "did you mean `length`? Known: "),
        ("collective scan --machine hypercube", "`hypercube` needs a number of nodes: write `hypercube:16`"),
        ("collective scan --algorithm recursive-dubling", "did you mean `recursive-doubling`? Known: "),
        ("s-to-p --algorithm br-linn", "did you mean `br-lin`? Known: "),
        ("s-to-p --distribution cros", "did you mean `cross`? Known: "),
        ("all-to-all --algorithm paked", "did you mean `packed`? Known: "),
        ("textbook ring-reducton", "did you mean `ring-reduction`? Known: "),
        ("textbook 4.1 --topology ring8", "did you mean `ring:8`? Known: "),
        ("s-to-p --distribution square", "did you mean `square-block`? Known: "),
        ("textbook 4.1 --topology rng:8", "did you mean `ring:8`? Known: "),
        ("textbook 4.1 --parameters paragonn", "did you mean `paragon`? Known: "),
        ("reproduce F2-S0", "unknown item `F2-S0`"),
        ("colective scan", "did you mean `collective`? Known: "),
        ("collective scan --run fastst", "a similar value exists: 'fastest'"),
    ] {
        let errors = refused(arguments);
        assert!(errors.contains(offered), "{arguments}: {errors}");
    }
}
