//! Noise and faults on the command line.

use std::fs;

use super::{fails, folder, succeeds};

#[test]
fn commands_run_with_noise_and_faults_and_predict_nothing() {
    let quiet =
        ["collective", "broadcast", "--machine", "hockney:2x2", "--bytes", "4K", "--algorithm", "short"];
    let with = |more: &[&str]| succeeds(&[&quiet[..], more].concat());
    let note = "The machine has noise or faults: times are those of the runs";
    assert!(!with(&[]).contains(note));
    let noisy = with(&["--noise", "interval=200us,length=40us,distribution=exponential,seed=7"]);
    assert!(noisy.contains(note) && !noisy.contains("predictions are exact"), "{noisy}");
    assert_eq!(with(&["--noise", "interval=200us,length=40us,distribution=exponential,seed=7"]), noisy);
    assert!(with(&["--fault", "slow:0-1:0.5@0s", "--fault", "dead:2->3@0s"]).contains(note));
    // Nobody could tell what is the fastest before it is run.
    assert!(with(&["--run", "fastest", "--fault", "slow:0-1:0.5@0s"]).contains(note));
}

#[test]
fn a_fault_that_stops_a_run_is_named() {
    let broadcast = |machine: &str, more: &[&str]| {
        let command =
            ["collective", "broadcast", "--machine", machine, "--bytes", "4K", "--algorithm", "short"];
        fails(1, &[&command[..], more].concat())
    };
    let lost = broadcast("hockney:1x4", &["--fault", "dead:1-2@0s"]);
    assert!(lost.contains("was lost: the link node 1 -> node 2 died at 0 s"), "{lost}");
    let lost = broadcast("hockney:2x2", &["--fault", "dead:0-2@0s", "--no-detours"]);
    assert!(lost.contains("was lost: the link node 0 -> node 2 died at 0 s"), "{lost}");
    let died = broadcast("hockney:2x2", &["--fault", "node:3@1us"]);
    assert!(died.contains("node 3 died at 1 us"), "{died}");
}

#[test]
fn bad_noise_and_faults_are_refused() {
    let refused = |more: &[&str]| {
        fails(2, &[&["collective", "broadcast", "--machine", "hockney:2x2", "--bytes", "1K"], more].concat())
    };
    for (arguments, text) in [
        (&["--noise", "interval=1ms"][..], "noise has no length"),
        (
            &["--noise", "interval=1ms,length=2ms"],
            "noise of 2 ms every 1 ms leaves too little time for programs",
        ),
        (&["--fault", "dead:0-1"], "unknown fault `dead:0-1`. Known: "),
        (&["--fault", "dead:0-3@1ms"], "mesh:2x2 has no link node 0 -> node 3"),
        (&["--fault", "node:4@1ms"], "node 4 does not exist: the nodes are 0 to 3"),
        (
            &["--fault", "slow:0-1:2@1ms"],
            "factor 2 of a slow link is out of range; allowed are numbers above 0 and at most 1",
        ),
        (&["--fault", "node:1@1ms", "--run", "none"], "--run none cannot be used with noise or faults"),
    ] {
        let errors = refused(arguments);
        assert!(errors.contains(text), "{arguments:?}: {errors}");
    }
    let host = fails(2, &["s-to-p", "--machine", "host:2", "--clock", "host", "--fault", "node:1@1ms"]);
    assert!(host.contains("the host's clock does not support faults"), "{host}");
}

#[test]
fn machine_files_have_noise_and_faults() {
    let path = folder("machine_files_have_noise_and_faults").join("broken.toml");
    let text =
        "name = 'broken'\ntopology = 'mesh:1x4'\npreset = 'hockney'\n[[fault]]\ndead = '1-2'\nat = '0 s'\n";
    fs::write(&path, text).unwrap();
    let machine = path.to_str().unwrap();
    let lost =
        fails(1, &["collective", "broadcast", "--machine", machine, "--bytes", "4K", "--algorithm", "short"]);
    assert!(lost.contains("the link node 1 -> node 2 died at 0 s"), "{lost}");
}
