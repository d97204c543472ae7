//! Completions, manual pages, JSON, and machines that are fitted to a table.

use super::*;

#[test]
fn completions_and_manual_pages_name_the_commands() {
    let bash = succeeds(&["completions", "bash"]);
    let manual = succeeds(&["man"]);
    for command in ["s-to-p", "collective", "study", "calibrate", "completions"] {
        assert!(bash.contains(command), "{command}");
        assert!(manual.contains(&command.replace('-', "\\-")), "{command}");
    }
    assert!(bash.contains("complete -F _multicomputer") && bash.contains("--link-excess"));
    let study = succeeds(&["man", "study"]);
    assert!(
        study.contains("multicomputer\\-study \\- Compute a study") && study.contains("\\-\\-shard"),
        "{study}"
    );
    assert!(fails(2, &["completions", "dos"]).contains("bash, elvish, fish, powershell, zsh"));
    assert!(fails(2, &["man", "studdy"]).contains("did you mean `study`"));
}

/// The JSON objects that a command writes, one a line.
fn objects(name: &str, arguments: &[&str]) -> Vec<Value> {
    let file = folder(name).join("facts.json");
    succeeds(&[arguments, &["--json", text(&file)]].concat());
    let lines = fs::read_to_string(file).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn facts_are_written_as_json() {
    let [machine] = &objects("json-machine", &["machine", "cm5:32"])[..] else { panic!("one machine") };
    for (key, number) in
        [("nodes", 32.0), ("directed_links", 84.0), ("alpha_us", 88.0), ("beta_ns_per_byte", 125.0)]
    {
        assert_eq!(machine[key].as_f64(), Some(number), "{key}");
    }
    assert_eq!(machine["link_capacities"][0]["directed_links"], 64);
    let tuned = objects("json-tune", &["tune", "line:4", "broadcast,scatter", "--bytes", "8,64K"]);
    assert_eq!(tuned.len(), 2);
    assert_eq!(
        (tuned[0]["operation"].as_str(), tuned[0]["intervals"][0]["from_bytes"].as_u64()),
        (Some("broadcast"), Some(8))
    );
    assert_eq!(tuned[0]["crossover"]["long_is_faster"], "from");
    let [figure] = &objects("json-reproduce", &["reproduce", "S0-F9"])[..] else { panic!("one item") };
    assert!(figure["claims"].as_array().is_some_and(|claims| !claims.is_empty()), "{figure}");
}

#[test]
fn a_machine_is_fitted_to_a_table() {
    let folder = folder("calibrate-from");
    let (times, machine) = (folder.join("times.csv"), folder.join("fitted.toml"));
    fs::write(&times, "bytes,time_us\n0,3\n1000,4\n10000,13.2\n100000,102\n").unwrap();
    let fitted = succeeds(&["calibrate", "--from", text(&times), "--machine", "complete:16"]);
    for part in ["Fitted to 4 rows", "line 4: message of 10000 B", "k = 1: not identified"] {
        assert!(fitted.contains(part), "no {part} in\n{fitted}");
    }
    fs::write(&machine, fitted).unwrap();
    let described = succeeds(&["machine", text(&machine)]);
    assert!(described.contains("16 nodes") && described.contains("alpha     3.00"), "{described}");
    fs::write(&times, "bytes,time\n0,3\n").unwrap();
    let refused = fails(2, &["calibrate", "--from", text(&times)]);
    assert!(refused.contains("time_s, time_ms, time_us or time_ns"), "{refused}");
    fails(2, &["calibrate", "--from", text(&times), "--nodes", "4"]);
}
