//! `multicomputer demo`.

use super::*;

/// The line that says what the figures show, of a run in virtual time.
fn conclusion(options: &[&str]) -> String {
    let output = succeeds(&[&["demo", "--clock", "virtual"], options].concat());
    output.lines().last().unwrap().to_owned()
}

#[test]
fn a_single_run_is_compared_with_nothing() {
    let one = ["--mesh", "1x2", "--sources", "1", "--distribution", "row"];
    let said = conclusion(&one);
    assert!(said.starts_with("All 2 nodes hold every byte of the source; that takes 0."), "{said}");
    let none = conclusion(&["--mesh", "1x1", "--distribution", "row"]);
    assert_eq!(none, "The node holds every byte of the source; that takes 0.000 ms.");
}

#[test]
fn distributions_may_be_equally_fast() {
    let said = conclusion(&["--mesh", "1x1"]);
    assert_eq!(said, "The node holds every byte of the source; each distribution takes 0.000 ms.");
}

#[test]
fn of_several_sizes_the_longest_messages_are_compared() {
    let options = ["demo", "--clock", "virtual", "--mesh", "2x3", "--sources", "2", "--bytes", "8,1K"];
    let output = succeeds(&options);
    assert!(
        output.starts_with("Br_Lin on paragon:2x3, 2 sources\n\ndistribution    bytes  clock"),
        "{output}"
    );
    assert!(output.contains("; with 1 KiB right-diagonal is fastest (0.738 ms), "), "{output}");
    assert!(output.ends_with(" takes 1.06 times as long.\n"), "{output}");
}
