//! Pages of `--replay`: one for all runs of a command, and what a browser makes of it, if there is one.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs,
    path::Path,
};

use multicomputer::{Machine, Run, analysis::Blame, prelude::*, s_to_p::Algorithm};
use multicomputer_picture::Replay;
use serde_json::Value;

use super::{
    browser::{browser, opened},
    fails, folder, succeeds, text,
};

#[test]
fn one_page_has_all_runs_and_is_the_same_every_time() {
    let folder = folder("replay");
    let [first, second] = ["1", "2"].map(|name| {
        let file = folder.join(format!("{name}.html"));
        let command = ["s-to-p", "--mesh", "3x4", "--sources", "4", "--algorithm", "br-lin,2-step"];
        let output = succeeds(&[&command[..], &["--replay", text(&file)]].concat());
        assert!(!output.contains("written"), "{output}");
        fs::read_to_string(file).unwrap()
    });
    assert!(first == second);
    assert!(first.starts_with("<!doctype html>") && first.ends_with("</html>\n"));
    for title in [
        "\"title\":\"br-lin: s-to-p, paragon:3x4, row, 4 sources",
        "\"title\":\"2-step: s-to-p, paragon:3x4, row, 4 sources",
    ] {
        assert!(first.contains(title), "{title}");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing else is left");

    // All commands that run something have it.
    for command in [
        &["--mesh", "1x2", "--sources", "1", "--clock", "virtual"][..],
        &["collective", "broadcast", "--mesh", "2x2", "--algorithm", "short"],
        &["all-to-all", "--machine", "cm5:4", "--algorithm", "pairwise"],
        &["textbook", "4.1"],
    ] {
        let file = folder.join(format!("{}.html", command[0].trim_start_matches('-')));
        succeeds(&[command, &["--replay", text(&file)]].concat());
        let page = fs::read_to_string(&file).unwrap();
        assert!(page.ends_with("</html>\n"), "{command:?}");
        // A list of runs may cut off the end of their titles.
        if let Some(algorithm) = command.iter().position(|&word| word == "--algorithm") {
            assert!(page.contains(&format!("\"title\":\"{}: ", command[algorithm + 1])), "{command:?}");
        }
    }
}

#[test]
fn what_cannot_be_played_is_refused_before_anything_runs() {
    let folder = folder("replay_refused");
    let file = folder.join("r");
    let replay = ["--replay", text(&file)];
    let host = ["--mesh", "1x2", "--clock", "host", "--distribution", "row", "--sources", "1"];
    let errors = fails(2, &[&host[..], &replay].concat());
    assert!(errors.contains("--replay cannot be used with --clock host, which has no network"), "{errors}");

    let many = ["s-to-p", "--mesh", "2x2", "--sources", "1..3", "--algorithm", "br-lin,2-step,xor"];
    let errors = fails(2, &[&many[..], &replay].concat());
    assert!(errors.contains("--replay shows at most 8 runs, and this command makes 9"), "{errors}");
    assert!(errors.contains("choose fewer algorithms"), "{errors}");

    let both = ["--mesh", "2x2", "--distribution", "row", "--clock", "virtual", "--heat", text(&file)];
    let errors = fails(2, &[&both[..], &replay].concat());
    assert!(errors.contains("is in use by another run or another option"), "{errors}");
    let errors = fails(2, &["--replay", "no/such/folder/run.html"]);
    assert!(errors.contains("no/such/folder/run.html cannot be written"), "{errors}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "nothing is left");
}

/// What the program of the test finds on a page of runs.
fn played(browser: &OsString, page: &Path, address: &str, size: &str) -> Value {
    opened(browser, page, include_str!("replay.js"), address, size)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Checks a page whose runs end with everything at every node.
fn assert_plays(found: &Value, nodes: u64, sources: &[u64]) {
    assert_eq!(found["error"], Value::Null);
    let informed = |state: &Value| -> Vec<u64> {
        let runs = state.as_array().unwrap().iter();
        runs.map(|run| run["all"].as_u64().unwrap()).collect()
    };
    let first: Vec<u64> =
        found["first"]["all"].as_array().unwrap().iter().map(|all| all.as_u64().unwrap()).collect();
    assert_eq!(first, sources, "in the beginning");
    let everybody = vec![nodes; sources.len()];
    let steps = &found["steps"];
    assert_eq!((&steps["falls"], informed(&steps["end"]["runs"])), (&0.into(), everybody.clone()), "{steps}");
    assert_eq!(number(&steps["steps"]), number(&steps["limit"]) - 1.0, "each event once");
    let end = &steps["end"]["time"];
    assert!(number(&found["back"]) < number(end) && found["again"] == *end, "{found}");
    assert_eq!(number(&found["scrubbed"]), 0.5);
    assert!(number(&found["right"]) > 0.5 && number(&found["left"]) < 0.5, "{found}");
    assert!((number(&found["clicked"]) - 0.25).abs() < 0.01, "{}", found["clicked"]);
    for tip in found["tips"].as_array().unwrap() {
        assert!(!tip.as_str().unwrap().is_empty(), "{}", found["tips"]);
    }
    assert!(found["kept"].as_str().unwrap().starts_with("#t=1000&speed="), "{}", found["kept"]);
    assert_eq!((number(&found["recalled"]["time"]), &found["recalled"]["speed"]), (2000.0, &"0.5".into()));
    assert_eq!(found["alone"], serde_json::json!([1, 2]), "one run, and its two pictures");
    assert_eq!(found["playing"], true);
    assert!(number(&found["halfway"]) > 0.05, "it plays: {}", found["halfway"]);
    let last = &found["last"];
    assert_eq!((&last["playing"], informed(&last["runs"])), (&false.into(), everybody), "{last}");
    let status = last["status"].as_str().unwrap();
    assert!(status.contains(&format!("{nodes} of {nodes} nodes have all")), "{status}");
    assert!(last["address"].as_str().unwrap().starts_with(&format!("#t={end}&speed=4&")), "{last}");
    assert_eq!((&found["unnamed"], &found["foreign"], &found["wide"]), (&0.into(), &0.into(), &false.into()));
    assert_eq!(found["panels"], sources.len() as u64);
}

fn tell(case: &str, page: &Path, found: &Value) {
    let [loaded, fps] = ["loaded", "fps"].map(|name| number(&found[name]));
    let kilobytes = fs::metadata(page).unwrap().len() / 1000;
    println!("{case}: {kilobytes} kB, open after {loaded:.0} ms, {fps} frames a second");
    // Generous, as other tests run at the same time.
    assert!(loaded < 20_000.0, "{case}: open after {loaded} ms");
    assert!(kilobytes < 3000, "{case}: {kilobytes} kB");
}

#[test]
fn pages_play_in_a_browser() {
    let Some(browser) = browser() else { return };
    let folder = folder("replay_browser");
    let page = folder.join("broadcast.html");
    let broadcast = ["collective", "broadcast", "--mesh", "16x16", "--bytes", "4K", "--algorithm", "short"];
    succeeds(&[&broadcast[..], &["--replay", text(&page)]].concat());
    let found = played(&browser, &page, "#t=5000&speed=2", "1200,900");
    assert_eq!(
        (number(&found["opened"]["time"]), &found["address"]),
        (5000.0, &"#t=5000&speed=2&runs=0".into())
    );
    assert_eq!(found["opened"]["runs"][0]["nodes"], 256);
    assert_plays(&found, 256, &[1]);
    tell("a broadcast on 16 x 16", &page, &found);

    let page = folder.join("stop.html");
    let stop = ["s-to-p", "--mesh", "4x4", "--sources", "5", "--algorithm", "br-lin,2-step,xor"];
    succeeds(&[&stop[..], &["--replay", text(&page)]].concat());
    let found = played(&browser, &page, "", "1200,900");
    assert_plays(&found, 16, &[0, 0]);
    assert_eq!(found["address"], "#t=0&speed=1&runs=0,1", "the first two are beside each other");
    tell("two runs of 16 nodes", &page, &found);

    // On a phone; and what the address does not say well is as if it said nothing.
    let found = played(&browser, &page, "#t=x&speed=-1&runs=7,1", "360,800");
    assert_eq!(found["address"], "#t=0&speed=1&runs=0,1");
    assert_plays(&found, 16, &[0, 0]);
}

/// Returns for each delayed message of a run the messages that slowed it, by their numbers on a page.
fn slowed<T>(run: &Run<T>) -> BTreeMap<usize, BTreeSet<usize>> {
    let mut transfers: Vec<_> = run.trace.transfers.iter().collect();
    transfers.sort_by_key(|transfer| (transfer.entered, transfer.from, transfer.seq));
    let numbers = transfers.iter().enumerate().map(|(nth, transfer)| ((transfer.from, transfer.seq), nth));
    let numbers: BTreeMap<(Rank, u64), usize> = numbers.collect();
    let mut slowed: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for loss in Blame::of(&run.trace, run.machine()).unwrap().losses {
        let [of, by] = [loss.slowed, loss.by].map(|message| numbers[&(message.from, message.seq)]);
        slowed.entry(of).or_default().insert(by);
    }
    slowed
}

/// Checks with `look.js` what a page of two runs lights, its range of time, and who slowed whom, which is what the library says.
fn assert_linked<T>(browser: &OsString, page: &Path, runs: [Run<T>; 2], size: &str) {
    let [left, right] = &runs;
    let html = Replay::new("two runs").run("left", left).unwrap().run("right", right).unwrap().to_html();
    fs::write(page, html.unwrap()).unwrap();
    let found = opened(browser, page, include_str!("look.js"), "", size);
    assert_eq!((&found["error"], &found["wrong"]), (&Value::Null, &Value::Array(vec![])), "{size}");
    assert_eq!(found["width"], size.split_once(',').unwrap().0.parse::<u64>().unwrap());
    assert!(number(&found["links"]) > 10.0, "links are found in the network: {}", found["links"]);
    for (run, found) in runs.iter().zip(found["slowed"].as_array().unwrap()) {
        let found: Vec<(usize, BTreeSet<usize>)> = serde_json::from_value(found.clone()).unwrap();
        assert!(!found.is_empty());
        assert_eq!(found.into_iter().collect::<BTreeMap<_, _>>(), slowed(run), "{size}");
    }
}

#[test]
fn pictures_are_linked_in_a_browser() {
    let Some(browser) = browser() else { return };
    let folder = folder("replay_look");
    let machine = Machine::paragon(4, 4).trace(true).build().unwrap();
    let sources = [(0, 2048), (1, 2048), (2, 2048), (3, 2048), (8, 2048)];
    let broadcast = |algorithm: Algorithm| {
        let run = machine.run(|node| {
            let own = sources.iter().find(|source| source.0 == node.rank());
            let mine = vec![0_u8; own.map_or(0, |source| source.1)];
            Ok(node.world().using(&algorithm).broadcast_from(&sources, &mine)?.len())
        });
        run.unwrap()
    };
    let runs = [Algorithm::BR_LIN, Algorithm::TWO_STEP].map(broadcast);
    assert_linked(&browser, &folder.join("broadcast.html"), runs, "1200,900");

    // On a phone, in a network whose links are the bottlenecks.
    let machine = Machine::hockney(3, 4).trace(true).build().unwrap();
    let exchange = |strides: [usize; 4]| {
        let run = machine.run(|node| {
            for stride in strides {
                let (to, from) = ((node.rank() + stride) % 12, (node.rank() + 12 - stride) % 12);
                node.world().sendrecv(to, vec![0_u8; 1000 + 100 * node.rank()], from)?;
            }
            Ok(0)
        });
        run.unwrap()
    };
    assert_linked(
        &browser,
        &folder.join("exchange.html"),
        [exchange([1, 5, 1, 6]), exchange([6, 1, 1, 7])],
        "390,844",
    );
}
