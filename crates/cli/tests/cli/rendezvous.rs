//! Sends that wait for their receives, on the command line.

use std::fs;

use super::{fails, folder, succeeds};

#[test]
fn every_command_runs_and_predicts_under_rendezvous() {
    for command in [
        &["collective", "broadcast", "--machine", "hockney:2x3", "--bytes", "4K"][..],
        &["s-to-p", "--machine", "hockney:3x3", "--sources", "4", "--bytes", "2K", "--distribution", "row"],
        &["all-to-all", "--machine", "cm5:6", "--run", "all"],
        &["textbook", "4.7"],
        &["demo", "--machine", "paragon:4x4", "--clock", "virtual"],
    ] {
        let with = |more: &[&str]| succeeds(&[command, more].concat());
        let note = "wait for their receives";
        assert!(!with(&[]).contains(note));
        let all = with(&["--rendezvous"]);
        assert!(all.ends_with("All sends wait for their receives.\n"), "{all}");
        assert!(with(&["--rendezvous", "0"]).ends_with("All sends wait for their receives.\n"));
        assert!(
            with(&["--rendezvous", "8K"]).ends_with("Sends of 8 KiB and more wait for their receives.\n")
        );
    }
    let host = succeeds(&[
        "collective",
        "all-gather",
        "--machine",
        "host:3",
        "--clock",
        "host",
        "--bytes",
        "1K",
        "--rendezvous",
    ]);
    assert!(host.contains("All sends wait for their receives."), "{host}");
}

#[test]
fn rendezvous_is_a_property_of_a_machine_file() {
    let path = folder("rendezvous").join("machine.toml");
    fs::write(&path, "name = 'strict'\ntopology = 'mesh:2x2'\npreset = 'hockney'\nrendezvous = '4 KiB'\n")
        .unwrap();
    let path = path.to_str().unwrap();
    let run = |more: &[&str]| {
        let command =
            ["collective", "all-gather", "--machine", path, "--bytes", "64K", "--algorithm", "short"];
        succeeds(&[&command[..], more].concat())
    };
    assert!(run(&[]).ends_with("Sends of 4 KiB and more wait for their receives.\n"));
    assert!(run(&["--rendezvous"]).ends_with("All sends wait for their receives.\n"));
    let refused = fails(2, &["demo", "--rendezvous", "few"]);
    assert!(refused.contains("`few`") && refused.contains("a number of bytes such as 1536"), "{refused}");
}
