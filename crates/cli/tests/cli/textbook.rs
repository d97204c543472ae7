//! `multicomputer textbook`.

use multicomputer::textbook::{FIGURES, Topic};

use super::*;

/// With these arguments after the name of the command.
fn textbook(arguments: &str) -> String {
    succeeds(&["textbook"].into_iter().chain(arguments.split(' ')).collect::<Vec<_>>())
}

/// What stands between the parameters and the times.
fn steps(output: &str) -> String {
    let lines = output.lines().skip_while(|line| !line.is_empty()).skip(1);
    lines.take_while(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}

#[test]
fn figure_4_2_as_a_run() {
    let expected = "\
Figure 4.2: one-to-all broadcast on an eight-node ring
Algorithm 4.1: one-to-all broadcast from node 0, section 4.1.5
ring:8: 8 nodes; 1000 words of 8 bytes from node 0 to all
t_s = alpha = 130 us, t_w = 8 beta = 400 ns, gamma = 0 s, k = 1
A sender is free 65 us before its message has been received.

step 1: 0 -> 4
step 2: 0 -> 2, 4 -> 6
step 3: 0 -> 1, 2 -> 3, 4 -> 5, 6 -> 7

                 ms  / equation
equation 4.1  1.590        1.00  (t_s + t_w m) ceil(log2 p)
in step       1.590        1.00  if all nodes synchronize after each step; links are shared
modeled       1.590        1.00  virtual time

Most loaded link of the run: node 0 -> node 1, at most 1 message at once, 3 in all with 24000 B.
No two messages of a step share a link: equation and modeled time agree.
The algorithm was run on 8 threads: every node has the correct data.
";
    assert_eq!(textbook("fig-4.2"), expected);
    assert_eq!(
        textbook("fig-4.2 --seed 9").replacen(", seed 9", "", 1),
        expected,
        "data takes no part in time"
    );
}

#[test]
fn figure_4_12_shows_its_congestion() {
    let output = textbook("fig-4.12");
    let expected = "\
step 1: 0 <-> 1 (0 / 1), 2 <-> 3 (2 / 3), 4 <-> 5 (4 / 5), 6 <-> 7 (6 / 7)
step 2: 0 <-> 2 (0 1 / 2 3), 1 <-> 3 (0 1 / 2 3), 4 <-> 6 (4 5 / 6 7), 5 <-> 7 (4 5 / 6 7)
        2 messages share node 1 -> node 2
step 3: 0 <-> 4 (0-3 / 4-7), 1 <-> 5 (0-3 / 4-7), 2 <-> 6 (0-3 / 4-7), 3 <-> 7 (0-3 / 4-7)
        4 messages share node 0 -> node 1
";
    assert_eq!(steps(&output), expected);
    // 3 t_s + (1 + 4 + 16) 1000 t_w, and not 7000 t_w.
    assert!(output.contains("\nequation 4.4  3.190        1.00  t_s log2 p + t_w m (p - 1)\n"), "{output}");
    assert!(output.contains("\nmodeled       8.790        2.76  "), "{output}");
    let seen = "Links are shared: in step 3, 4 messages go over node 0 -> node 1, and the step takes 3.77 times as\n\
                long as it would without.\n\
                The modeled time is 2.76 times the equation: just what it takes if all nodes keep in step.\n";
    assert!(output.contains(seen), "{output}");
    let wide = textbook("4.7 --topology ring:8 --link-excess 4");
    let seen = "\nUp to 4 messages of a step share a link (node 0 -> node 1 in step 3), which is fast enough for \
                them:\nequation and modeled time agree.\n";
    assert!(wide.contains(seen), "{wide}");
}

#[test]
fn long_steps_are_wrapped_and_cut_off() {
    let short = steps(&textbook("4.4 --topology ring:100 --words 1"));
    assert!(short.lines().all(|line| line.len() <= 100), "{short}");
    let first: Vec<&str> = short.lines().take_while(|line| !line.starts_with("step 2:")).collect();
    assert!(first[0].starts_with("step 1:  0 -> 1 (0), 1 -> 2 (1), "), "{short}");
    assert!(first[1].starts_with("         "), "{short}");
    assert!(first.last().unwrap().ends_with("63 -> 64 (63), ... 36 more"), "{short}");
    assert!(short.contains("\n... 74 more steps\nstep 99: "), "{short}");
    let full = steps(&textbook("4.4 --topology ring:100 --words 1 --full"));
    assert!(!full.contains("more") && full.contains("\nstep 60: "), "{full}");
}

#[test]
fn networks_keep_their_commas() {
    let output = textbook("4.4 --words 1 --topology ring:8,fat-tree:16:4:20,10,5,mesh:2x4,ring:8");
    let networks: Vec<&str> = rows(&output, "name").iter().map(|row| row[1]).collect();
    assert_eq!(networks, ["ring:8", "fat-tree:16:4:20,10,5", "mesh:2x4"], "{output}");
}

#[test]
fn example_4_1_multiplies_a_matrix() {
    let output = textbook("fig-4.4 --gamma 100ns");
    let expected = "\
The vector along the columns:
step 1: 0 -> 8, 1 -> 9, 2 -> 10, 3 -> 11
step 2: 0 -> 4, 1 -> 5, 2 -> 6, 3 -> 7, 8 -> 12, 9 -> 13, 10 -> 14, 11 -> 15

The products: at most 1 multiply-add on a node, in 100 ns.

The sums along the rows:
step 1: 1 -> 0, 3 -> 2, 5 -> 4, 7 -> 6, 9 -> 8, 11 -> 10, 13 -> 12, 15 -> 14
step 2: 2 -> 0, 6 -> 4, 10 -> 8, 14 -> 12
";
    assert!(output.contains(expected), "{output}");
    // 4 (t_s + 8 bytes) + 3 gamma.
    assert!(output.contains("\nmodeled   0.521900        1.00  "), "{output}");
    assert!(
        output.contains("the first column has the product that a sequential loop computes.\n"),
        "{output}"
    );
    let blocks = textbook("example-4.1 --topology mesh:2x4 --words 64 --gamma 100ns");
    assert!(blocks.contains("at most 512 multiply-adds on a node, in 51.2 us."), "{blocks}");
    assert!(blocks.contains("equation and modeled time agree"), "{blocks}");
    let line = textbook("example-4.1 --topology line:3 --words 7");
    assert!(line.contains("The vector along the columns:\nnothing to do\n"), "{line}");
}

#[test]
fn every_figure_is_shown_and_all_but_the_last_agree() {
    for figure in &FIGURES {
        let output = textbook(&figure.name());
        assert!(output.starts_with(&format!("Figure {}: {}\n", figure.number, figure.title)), "{output}");
        assert!(output.contains(&format!("\n{}: ", figure.network)), "{output}");
        let agrees =
            output.contains("No two messages of a step share a link: equation and modeled time agree.");
        assert_eq!(agrees, figure.number != "4.12", "{output}");
    }
}

#[test]
fn a_sender_that_goes_on_is_told_of_unless_sends_are_strict() {
    let output = textbook("naive --topology complete:5 --words 10");
    let seen = "Senders continue before their messages have been received, so they run ahead of their receivers. If\n\
                sends were blocking (--strict), the run would take 536 us, the time by the equation.\n";
    assert!(output.contains(seen), "{output}");
    let output = textbook("naive --topology complete:5 --words 10 --strict");
    assert!(output.contains("\nA send ends when its message has arrived.\n"), "{output}");
    assert!(output.contains("equation and modeled time agree"), "{output}");
}

#[test]
fn what_the_equation_leaves_out_is_named() {
    let output = textbook("4.7 --topology hypercube:4 --parameters paragon");
    assert!(output.contains("gamma = 340 ns, hop = 40 ns, o_x = 184 us, d = 1.35, k = 5.35\n"), "{output}");
    let text = output.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains(
            "The equation leaves out 40 ns for each link of a route, and the duplex limit: a node that"
        ),
        "{output}"
    );
}

#[test]
fn sources_and_destinations_are_any_node() {
    let output = textbook("4.2 --topology ring:8 --source 5");
    assert_eq!(steps(&output).lines().next(), Some("step 1: 5 -> 1"), "{output}");
    let output = textbook("4.3 --topology ring:6 --destination 4 --in-order --words 3");
    assert!(
        output.contains("6 nodes; 3 words of 8 bytes from each, combined at node 4, in rank order\n"),
        "{output}"
    );
    let output = textbook("pipelined --sources 2 --words 1");
    assert!(output.contains("1 word of 8 bytes from each of 2 sources to all\n"), "{output}");
    assert_eq!(steps(&output).lines().next(), Some("step 1: 0 -> 1 (0), 4 -> 5 (1)"), "{output}");
}

#[test]
fn several_are_a_table() {
    let output = textbook("4.6,4.7 --topology ring:16,mesh:4x4,ring:9 --words 10,1000");
    let table = rows(&output, "name");
    let line = |row: &[&str]| row[..7].join(" ");
    let expected = [
        "4.6 ring:16 10 0.840 0.984 0.984 1.17",
        "4.6 ring:16 1000 6.780 21.180 21.180 3.12",
        "4.6 mesh:4x4 10 0.840 0.840 0.840 1.00",
        "4.6 mesh:4x4 1000 6.780 6.780 6.780 1.00",
        "4.6 ring:9 10 0.552 0.600 0.600 1.09",
        "4.6 ring:9 1000 3.720 8.520 8.520 2.29",
        "4.7 ring:16 10 0.580 0.860 0.860 1.48",
        "4.7 ring:16 1000 6.520 34.520 34.520 5.29",
        "4.7 mesh:4x4 10 0.580 0.620 0.620 1.07",
        "4.7 mesh:4x4 1000 6.520 10.520 10.520 1.61",
        "4.7 ring:9 10 - - - -",
        "4.7 ring:9 1000 - - - -",
    ];
    assert_eq!(table.iter().map(|row| line(row)).collect::<Vec<_>>(), expected, "{output}");
    assert!(output.contains("8 (node 0 -> node 1 in step 4)\n"), "{output}");
    let ranges = textbook("4.1 --words 1..8,1K");
    let words: Vec<&str> = rows(&ranges, "name").iter().map(|row| row[2]).collect();
    assert_eq!(words, ["1", "2", "4", "8", "1024"], "{ranges}");
    assert!(output.contains("a number of ranks that is a power of two (here: 9 ranks))\n"), "{output}");
    assert!(
        output.contains("\nAll 10 were run on real threads: every node had the correct data.\n"),
        "{output}"
    );
}

#[test]
fn everything_runs_where_it_belongs_and_with_no_words_at_all() {
    let output = textbook("all");
    let table = rows(&output, "name");
    assert_eq!(
        table.iter().map(|row| row[0]).collect::<Vec<_>>(),
        Topic::all().map(Topic::name).collect::<Vec<_>>()
    );
    for row in &table {
        assert_eq!(row[1], Topic::named(row[0]).unwrap().network(), "{output}");
        assert_eq!((row[3] == row[5], row[7]), (!["naive", "in-turn"].contains(&row[0]), "1"), "{output}");
    }
    assert_eq!(rows(&textbook("all --strict --words 0"), "name").len(), 17);
    let nothing = textbook("pipelined --words 0");
    assert!(
        nothing.contains("No message goes over a link.\nThe equation counts messages that are not sent.\n")
    );
    for name in ["naive", "4.3", "4.4", "4.8", "in-turn", "example-4.1"] {
        let network = if name == "example-4.1" { "mesh:1x1" } else { "line:1" };
        assert!(textbook(&format!("{name} --topology {network}")).contains("No message goes over a link.\n"));
    }
}

#[test]
fn all_that_there_is_is_listed() {
    let output = succeeds(&["textbook", "--list"]);
    for topic in Topic::all() {
        for part in [topic.name(), topic.title(), topic.formula(), topic.network()] {
            assert!(output.contains(part), "no {part} in\n{output}");
        }
    }
    let figures = rows(&output, "figure");
    let names: Vec<String> = FIGURES.iter().map(|figure| figure.name()).collect();
    assert_eq!(figures.iter().map(|row| row[0]).collect::<Vec<_>>(), names);
    assert_eq!(figures[9][1..3], ["4.7", "ring:8"]);
    let help = succeeds(&["textbook", "--help"]);
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("naive, nearest-first, 4.1, 4.2, 4.3, mesh-one-to-all"), "{help}");
}

#[test]
fn all_figures_are_written_as_csv() {
    let file = folder("textbook_csv").join("times.csv");
    succeeds(&["textbook", "4.7,example-4.1", "--topology", "ring:8", "--csv", text(&file)]);
    let mut reader = csv::Reader::from_path(&file).unwrap();
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2);
    let cell = |row: usize, title: &str| {
        rows[row][header.iter().position(|known| known == title).unwrap()].to_owned()
    };
    for (title, expected) in [
        ("name", "4.7"),
        ("section", "4.2.3"),
        ("equation", "4.4"),
        ("topology", "ring:8"),
        ("words", "1000"),
        ("steps", "3"),
        ("equation_us", "3190.000000"),
        ("in_step_us", "8790.000000"),
        ("modeled_us", "8790.000000"),
        ("run_us", "8790.000000"),
        ("sharing", "4"),
        ("sharing_step", "3"),
        ("sharing_link", "node 0 -> node 1"),
        ("most_flows", "4"),
        ("clock", "virtual"),
        ("wall_us", ""),
        ("restriction", ""),
    ] {
        assert_eq!(cell(0, title), expected, "{title}");
    }
    assert!((cell(0, "slow_down").parse::<f64>().unwrap() - 8790.0 / 3190.0).abs() < 1e-12);
}

#[test]
fn runs_have_traces_and_real_time() {
    let folder = folder("textbook_traces");
    let trace = folder.join("t.json");
    textbook(&format!("4.1,4.4 --topology ring:4 --words 1 --trace {}", text(&trace)));
    assert!(["t-4.1-ring-4-1.json", "t-4.4-ring-4-1.json"].iter().all(|name| folder.join(name).exists()));
    let output = textbook("4.1 --topology line:2 --words 1 --clock real:4");
    assert!(output.contains("in real time, at dilation 4.00\n"), "{output}");
    assert!(output.contains("\nReal time: "), "{output}");
}

#[test]
fn what_cannot_be_is_refused_with_a_reason() {
    for (arguments, reason) in [
        ("4.9", "unknown algorithm or figure `4.9`. Known: naive, nearest-first, 4.1, 4.2,"),
        ("fig-4.8", "unknown algorithm or figure `fig-4.8`. Known: "),
        ("4.7 --topology hypercube:12", "a hypercube cannot have 12 nodes; allowed are powers of two"),
        ("4.7 --topology ring", "`ring` needs a number of nodes: write `ring:16`"),
        ("4.7 --topology ball:8", "unknown topology `ball:8`. Known: clos:NODES"),
        (
            "4.7 --topology ring:7",
            "`algorithm 4.7` does not apply to this all-gather: it needs a number of ranks that is a power of two",
        ),
        ("4.1 --source 3", "rank 0 as the root (algorithm 4.2 takes any root)"),
        ("4.2 --source 8", "root 8 is not in the group: its ranks are 0 to 7"),
        ("4.7 --source 1", "--source is not for 4.7: only one-to-all broadcasts"),
        ("4.7 --sources 1", "--sources is not for 4.7: only pipelined and in-turn"),
        ("in-turn --sources 9", "9 sources are given on 8 nodes: give 1 to 8"),
        ("in-turn --sources 0", "0 sources are given on 8 nodes: give 1 to 8"),
        (
            "fig-4.9 --topology ring:9",
            "fig-4.9 is drawn on ring:8: for other networks give the algorithm, 4.4",
        ),
        (
            "4.4 --in-order",
            "--in-order is not for 4.4: it makes reductions combine in rank order; remove it, or choose a reduction",
        ),
        ("4.5 --in-order", "a commutative operator, because it does not combine in rank order"),
        ("example-4.1 --topology hypercube:4", "hypercube:4 has no rows and columns: example-4.1 needs"),
        ("example-4.1 --word-bytes 4", "--word-bytes 4 is not for example-4.1: its elements have 8 bytes"),
        ("example-4.1 --phantom", "it cannot be run without data"),
        ("example-4.1 --words 10000", "10000 x 10000 elements is too large: use at most 8192 x 8192"),
        ("4.1 --words -1", "`-1` is negative; allowed is 0 or more"),
        ("4.1 --words 8..4", "`8..4` is descending; write the smaller size first"),
        ("4.1 --words 1..2Q", "`2Q` is not a number of words: write 1000 or 2K"),
        ("4.1 --words 18446744073709551615", "the vector has 2^60 bytes or more; allowed is less"),
        ("4.1 --words 100000000", "needs 781250 KiB of data on 8 nodes, and the limit is 524288 KiB"),
        (
            "4.1 --words 1000000000 --phantom",
            "the algorithm would send a message of 8000000000 bytes; the maximum is 1073741824",
        ),
        ("4.4 --topology ring:4096", "would move 16777216 blocks on 4096 nodes"),
        ("4.1 --topology ring:1000000", "1000000 nodes are too many: this host can run"),
        ("4.1 --word-bytes 0", "a word has at least 1 byte"),
        ("4.1 --parameters abacus", "unknown preset `abacus`. Known: "),
        ("4.1 --link-excess 0", "link_excess = 0 is out of range; it must be above 0 and finite"),
        ("4.1 --gamma never", "`never` is not a time such as `92 us`"),
        ("4.1 --machine line:3 --topology line:3", "cannot be used with"),
        ("4.1 --csv no/such/folder/times.csv", "no/such/folder/times.csv cannot be written"),
        ("4.1 --list", "cannot be used with"),
    ] {
        let arguments: Vec<&str> = ["textbook"].into_iter().chain(arguments.split(' ')).collect();
        let errors = fails(2, &arguments);
        assert!(errors.contains(reason), "{arguments:?}: no\n{reason}\nin\n{errors}");
        assert!(errors.contains("try '--help'"), "{arguments:?}: {errors}");
    }
    assert!(fails(2, &["textbook"]).contains("<WHAT>"));
}
