//! In which unit times are shown, and how many of something.

use super::*;

/// A machine of today: 1.5 us to start a message, and 100 Gb/s.
fn fast(test: &str) -> PathBuf {
    let file = folder(test).join("fast.toml");
    let parameters = "send_overhead = \"0.5 us\"\nreceive_overhead = \"0.5 us\"\nlatency = \"0.5 us\"\nbeta = \"0.08 ns/B\"\n";
    fs::write(&file, format!("name = \"fast\"\ntopology = \"mesh:4x4\"\n[parameters]\n{parameters}"))
        .unwrap();
    file
}

/// The cells of the first row below the first line that has this title.
fn first<'t>(output: &'t str, title: &str) -> Vec<&'t str> {
    let row = output.lines().skip_while(|line| !line.contains(title)).nth(1);
    row.unwrap_or_else(|| panic!("no {title} in\n{output}")).split_whitespace().collect()
}

#[test]
fn a_fast_machine_is_shown_in_microseconds() {
    let file = fast("units_fast");
    let machine = ["--machine", text(&file)];
    let with = |arguments: &[&str]| succeeds(&[arguments, &machine].concat());

    let output = with(&["collective", "broadcast", "--bytes", "8", "--algorithm", "short"]);
    // Four times alpha and 0.64 ns.
    assert_eq!(
        first(&output, "modeled us    closed form")[..4],
        ["short", "6.003", "*", "6.003"],
        "{output}"
    );
    assert!(output.contains(", chosen by short: ") && output.contains("6.003 us, 1."), "{output}");
    assert!(
        output.contains(
            "\nLower bound: 4.501 us; tightest: start-up and bytes (all, us: start-up 4.500, intake 1.501"
        ),
        "{output}"
    );

    let output = with(&["collective", "broadcast", "--bytes", "8..512", "--algorithm", "short"]);
    assert!(output.contains("; modeled times in us\n"), "{output}");
    let times: Vec<&str> =
        output.lines().skip(3).take(7).map(|line| line.split_whitespace().nth(1).unwrap()).collect();
    assert_eq!(times, ["6.003", "6.005", "6.010", "6.020", "6.041", "6.082", "6.164"], "{output}");
    assert!(
        output.contains("fastest us") && output.contains("* is the fastest, to the nanosecond."),
        "{output}"
    );

    let output = with(&["s-to-p", "--sources", "1", "--bytes", "8", "--algorithm", "br-lin"]);
    assert_eq!(first(&output, "modeled us")[..2], ["br-lin", "6.003"], "{output}");
    assert!(output.contains("\nLower bound: 4.501 us; tightest: "), "{output}");
    let output = with(&["s-to-p", "--sources", "1", "--bytes", "8,16", "--algorithm", "br-lin"]);
    assert!(output.contains("; modeled times in us\n") && output.contains("6.003 *"), "{output}");

    let output = with(&["all-to-all", "--traffic", "1K", "--algorithm", "pairwise"]);
    assert!(output.contains("modeled us") && output.contains("waiting us"), "{output}");
    assert_eq!(first(&output, "modeled us")[..2], ["pairwise", "15.000"], "{output}");
    let output = with(&["all-to-all", "--traffic", "1K,2K", "--algorithm", "pairwise"]);
    assert!(output.contains("; modeled times in us\n") && output.contains("fastest us"), "{output}");

    let output = with(&["tune", "broadcast", "--bytes", "8,64"]);
    assert!(output.contains("us at from  / bound  us at to"), "{output}");

    let output = with(&["textbook", "4.1", "--words", "1"]);
    assert!(first(&output, "us  / equation").contains(&"6.002560"), "{output}");
    let output = with(&["textbook", "4.1", "--words", "1,10"]);
    assert!(output.contains("times in us, words of 8 bytes\n") && output.contains("6.002560"), "{output}");

    let output = with(&["--clock", "virtual", "--sources", "1", "--bytes", "8", "--distribution", "row"]);
    assert_eq!(first(&output, "modeled us  / bound  wall ms")[..3], ["row", "virtual", "6.003"], "{output}");
    assert!(output.ends_with("; that takes 6.003 us.\n"), "{output}");
}

#[test]
fn a_table_has_one_unit_and_files_have_always_the_same() {
    let file = fast("units_one");
    let csv = file.with_extension("csv");
    let options = ["--algorithm", "short", "--run", "none", "--machine", text(&file), "--csv", text(&csv)];
    let output = succeeds(&[&["collective", "broadcast", "--bytes", "8,256M"], &options[..]].concat());
    // The shortest time decides for all: 86 ms are shown in microseconds.
    assert!(output.contains("; modeled times in us\n") && output.contains("85905.346 *"), "{output}");
    let table = fs::read_to_string(&csv).unwrap();
    assert!(table.contains(",6.002560,") && table.contains(",85905.345920,"), "{table}");
    let slow = ["--algorithm", "short", "--run", "none", "--machine", "hockney:4x4"];
    let output = succeeds(&[&["collective", "broadcast", "--bytes", "8,256M"], &slow[..]].concat());
    assert!(output.contains("; modeled times in ms\n"), "{output}");
}

#[test]
fn one_is_not_several() {
    let output = succeeds(&["tune", "1x1", "scan", "--bytes", "8"]);
    assert!(
        output.starts_with("Collective communication on paragon:1x1, 1 node: what auto chooses"),
        "{output}"
    );
    assert!(output.contains("\nFrom 1 length for each operation; "), "{output}");
    let errors = fails(2, &["all-to-all", "--mesh", "1x1", "--matrix", "figure-1"]);
    assert!(errors.contains("the matrix is for 8 nodes, and paragon:1x1 has 1"), "{errors}");
    let output =
        succeeds(&["all-to-all", "--mesh", "2x2", "--algorithm", "pairwise,colored", "--run", "fastest"]);
    assert!(output.contains("\n1 of 2 plans was run, the other is predicted: "), "{output}");
    let output = succeeds(&["textbook", "4.1,4.2", "--word-bytes", "1"]);
    assert!(output.starts_with("The textbook's algorithms; times in ms, words of 1 byte\n"), "{output}");
    let errors = fails(2, &["textbook", "in-turn", "--topology", "line:1", "--sources", "2"]);
    assert!(errors.contains("2 sources are given on 1 node: give 1 to 1"), "{errors}");
    let errors = fails(2, &["s-to-p", "--mesh", "1x1", "--algorithm", "split"]);
    assert!(
        errors.contains(
            "long messages (over half of the longest) on at most half of the nodes (here: long messages on 1 of 1 node)\n"
        ),
        "{errors}"
    );
    let errors = fails(2, &["collective", "gather", "--mesh", "1x3", "--members", "row:1"]);
    assert!(errors.contains("it has 1 row and 3 columns"), "{errors}");
    let errors = fails(2, &["collective", "scan", "--bytes", "1"]);
    assert!(errors.contains("1 byte is not a multiple of the element (8 bytes"), "{errors}");
}

#[test]
fn units_say_what_they_say() {
    let first = |bytes: &str| {
        let output = succeeds(&["s-to-p", "--mesh", "2x2", "--algorithm", "br-lin", "--bytes", bytes]);
        output.lines().next().unwrap().to_owned()
    };
    for (bytes, read) in
        [("1KB", "1000 B"), ("1kB", "1000 B"), ("1K", "1 KiB"), ("1KiB", "1 KiB"), ("2MB", "2000000 B")]
    {
        assert!(first(bytes).contains(&format!(", {read} each, ")), "{bytes}");
    }
    for (arguments, refusal) in [
        (
            "s-to-p --bytes 1kb",
            "`1kb` is not a number of bytes such as 1536, 2K or 1.5M (K, M and G, or KiB,",
        ),
        (
            "s-to-p --noise interval=1,length=5us",
            "noise interval: `1` has no unit; write a time such as `92 us`",
        ),
        ("s-to-p --noise interval=1ms,length=5us,first=3", "noise first: `3` has no unit; write a time"),
        (
            "s-to-p --fault slow:0-1:0.5@2",
            "the instant of a fault: `2` has no unit; write a time such as `92 us`",
        ),
        ("textbook 4.1 --gamma 100", "`100` has no unit; write a time such as `92 us`"),
    ] {
        let errors = fails(2, &arguments.split(' ').collect::<Vec<_>>());
        assert!(errors.contains(refusal), "{arguments}: {errors}");
    }
    let file = folder("units_none").join("machine.toml");
    for (key, such_as) in [
        ("latency", "a time such as"),
        ("beta", "a time per byte such as"),
        ("bandwidth", "a bandwidth such as"),
    ] {
        let text = format!("name = \"a\"\ntopology = \"line:2\"\n[parameters]\n{key} = \"5\"\n");
        fs::write(&file, text).unwrap();
        let errors = fails(2, &["machine", file.to_str().unwrap()]);
        assert!(errors.contains(&format!("parameters.{key}: `5` has no unit; write {such_as}")), "{errors}");
    }
    // Limits are in seconds unless they have a unit, and 0 is 0 in any.
    succeeds(&["s-to-p", "--mesh", "2x2", "--algorithm", "br-lin", "--wall-limit", "100"]);
    succeeds(&[
        "s-to-p",
        "--mesh",
        "2x2",
        "--algorithm",
        "br-lin",
        "--noise",
        "interval=1ms,length=5us,first=0",
    ]);
}
