//! The server of `multicomputer serve`: its answers are those of the command line, and no request harms it.

#[path = "serve/client.rs"]
mod client;
#[path = "serve/hostile.rs"]
mod hostile;
#[cfg(unix)]
#[path = "serve/page.rs"]
mod page;

use proptest::prelude::*;
use serde_json::{Value, json};

use self::client::{Answer, Server};
use super::run;

/// The answer to a question, which is right.
fn answers(server: &Server, path: &str, question: &Value) -> String {
    let Answer { status, body, .. } = server.ask(path, question);
    assert_eq!(status, 200, "{path} {question}: {body}");
    body
}

/// The words of a command for a shell.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for character in command.chars() {
        match character {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(std::mem::take(&mut word)),
            other => word.push(other),
        }
    }
    words.push(word);
    words
}

/// Questions with any operation, several machines, changed parameters, faults and noise.
fn questions() -> impl Strategy<Value = Value> {
    let operations =
        ["broadcast", "all-reduce", "scatter", "all-gather", "reduce-scatter", "s-to-p", "all-to-all"];
    let machines = ["paragon:2x3", "torus:3x3", "hypercube:8", "cm5:4", "h100-cluster:1", "line:5"];
    let keys = (
        proptest::sample::select(operations.to_vec()),
        proptest::sample::subsequence(machines.to_vec(), 1..3),
        proptest::collection::vec(0_u32..17, 1..4),
        proptest::option::of(1_u32..100_000),
        proptest::option::of(1_u32..1000),
        proptest::sample::select(&["all", "auto", "short,auto"][..]),
        proptest::option::of(proptest::sample::select(&["dead:0-1@0s", "slow:0-1:0.5@1us"][..])),
        proptest::option::of(1_u32..100),
    );
    keys.prop_map(|(operation, machines, lengths, alpha, beta, algorithms, fault, noise)| {
        let lengths: Vec<String> = lengths.iter().map(|log| (8_u64 << log).to_string()).collect();
        let of_operation = match operation {
            "s-to-p" if algorithms.contains("short") => "br-lin,auto",
            "all-to-all" if algorithms.contains("short") => "pairwise,auto",
            _ => algorithms,
        };
        let mut question = json!({ "operation": operation, "machine": machines, "bytes": lengths, "algorithm": of_operation });
        let mut set = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                question[key] = value.into();
            }
        };
        set("latency", alpha.map(|nanos| format!("{nanos}ns")));
        set("beta", beta.map(|tenths| format!("{}ns/B", f64::from(tenths) / 10.0)));
        // Links that all machines of these have; the runs of faults and noise are few.
        if of_operation != "all" && machines.iter().all(|machine| !machine.contains("cm5") && !machine.contains("h100")) {
            set("fault", fault.map(str::to_owned));
            set("noise", noise.map(|micros| format!("interval={micros}us+length=1us")));
        }
        question
    })
}

#[test]
fn every_number_is_that_of_the_command_line() {
    let server = Server::start(&[]);
    let cases = if std::env::var_os("MULTICOMPUTER_TESTS").is_some() { 48 } else { 12 };
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    proptest!(config, |(question in questions())| {
        let told: Value = serde_json::from_str(&answers(&server, "/api/tell", &question)).unwrap();
        let command = words(told["command"].as_str().unwrap());
        prop_assert_eq!(&command[0], "multicomputer");
        let [json, csv] = ["--json=-", "--csv=-"].map(|output| {
            let arguments: Vec<&str> = command[1..].iter().map(String::as_str).chain([output]).collect();
            run(&arguments)
        });
        let text = |output: std::process::Output| String::from_utf8(output.stdout).unwrap();
        if json.status.success() {
            prop_assert_eq!(answers(&server, "/api/study", &question), text(json));
            prop_assert_eq!(answers(&server, "/api/csv", &question), text(csv));
        } else {
            // No case has a time, which both say.
            let errors = String::from_utf8(json.stderr).unwrap();
            let body = server.ask("/api/study", &question).body;
            let last: Value = serde_json::from_str(body.lines().last().unwrap()).unwrap();
            prop_assert!(errors.contains(last["error"].as_str().unwrap()), "{} {}", errors, body);
        }
        // The study file makes the same question.
        let again = json!(toml::from_str::<toml::Table>(told["study"].as_str().unwrap()).unwrap());
        let again: Value = serde_json::from_str(&answers(&server, "/api/tell", &again)).unwrap();
        prop_assert_eq!(&again["hash"], &told["hash"]);
    });
}

#[test]
fn the_files_are_those_of_the_command_line() {
    let server = Server::start(&[]);
    let question = json!({ "operation": "broadcast", "machine": "paragon:2x2", "bytes": "8..64", "algorithm": "short,long" });
    let options = ["study", "--operation=broadcast", "--machine=paragon:2x2", "--algorithm=short,long"];
    let file = |more: &[&str]| {
        let output = run(&[&options[..], more].concat());
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(answers(&server, "/api/chart", &question), file(&["--bytes=8..64", "--plot=-"]));
    let one = json!({ "operation": "broadcast", "machine": "paragon:2x2", "bytes": 64, "algorithm": ["short", "long"] });
    let page = answers(&server, "/api/run", &one);
    assert!(page.starts_with("<!doctype html>") && page == file(&["--bytes=64", "--replay=-"]));
    let look = server.get("/look?operation=broadcast&machine=paragon%3A2x2&bytes=64&algorithm=short,long");
    assert_eq!((look.status, look.body), (200, page));
    let rows: Value = serde_json::from_str(&answers(&server, "/api/plan", &one)).unwrap();
    let lines = file(&["--bytes=64", "--json=-"]);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows, Value::from(lines));
}

#[test]
fn machines_have_their_facts_networks_and_sources() {
    let server = Server::start(&[]);
    let machine: Value = serde_json::from_str(&answers(
        &server,
        "/api/machine",
        &json!({ "machine": "paragon:3x4", "hop": "1us" }),
    ))
    .unwrap();
    let expected = run(&["machine", "paragon:3x4", "--json=-"]).stdout;
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    for key in ["topology", "nodes", "rows", "columns", "send_overhead_us", "beta_ns_per_byte"] {
        assert_eq!(machine[key], expected[key], "{key}");
    }
    let hop = machine["parameters"].as_array().unwrap().iter().find(|one| one["axis"] == "hop").unwrap();
    assert_eq!((hop["value"].as_f64(), hop["preset"].as_f64()), (Some(1.0), Some(0.04)));
    let send =
        machine["parameters"].as_array().unwrap().iter().find(|one| one["axis"] == "send-overhead").unwrap();
    assert_eq!(send["sure"], "fitted");
    assert!(!send["source"].as_str().unwrap().is_empty() && !send["meaning"].as_str().unwrap().is_empty());
    assert_eq!(machine["network"]["places"].as_array().unwrap().len(), 2 * 12);

    let facts = server.get("/api/facts");
    let facts: Value = serde_json::from_str(&facts.body).unwrap();
    // Sources are those of the distribution.
    let sources =
        json!({ "operation": "s-to-p", "machine": "paragon:2x4", "distribution": "row", "sources": 4 });
    let sources: Value = serde_json::from_str(&answers(&server, "/api/machine", &sources)).unwrap();
    assert_eq!(sources["sources"], json!([0, 1, 2, 3]));
    assert_eq!(machine["sources"], Value::Null);
    // Each machine's example is one, and each algorithm has its description.
    for machine in facts["machines"].as_array().unwrap() {
        let example = machine["example"].as_str().unwrap();
        assert!(example.parse::<multicomputer::model::MachineSpec>().is_ok(), "{example}");
        assert!(!machine["about"].as_str().unwrap().is_empty(), "{example}");
    }
    assert!(facts["machines"].as_array().unwrap().len() >= 20, "{}", facts["machines"]);
    for operation in facts["operations"].as_array().unwrap() {
        assert!(!operation["about"].as_str().unwrap().is_empty(), "{operation}");
        for algorithm in operation["algorithms"].as_array().unwrap() {
            assert!(!algorithm["about"].as_str().unwrap().is_empty(), "{algorithm}");
        }
    }
}

#[test]
fn wrong_questions_are_told_what_is_wrong() {
    let server = Server::start(&[]);
    for (path, question, expected) in [
        ("study", json!({ "operation": "brodcast" }), "did you mean `broadcast`"),
        ("study", json!({ "machine": "paragon:99999x99999" }), "invalid machine"),
        (
            "study",
            json!({ "machine": "mesh:64x64" }),
            "4096 nodes are too many for the page: the maximum is 1024",
        ),
        ("study", json!({ "bytes": "1..5000+1" }), "5000 rows are too many"),
        ("study", json!({ "machine": "file:/etc/passwd" }), "the page reads no files"),
        ("study", json!({ "clock": "host" }), "virtual time only"),
        ("study", json!({ "colour": "red" }), "colour"),
        ("study", json!({ "csv": "/tmp/x" }), "csv"),
        ("plan", json!({ "bytes": "1,2" }), "a plan has one case"),
        ("run", json!({ "bytes": "1..1024", "algorithm": "short" }), "--replay shows at most 8 runs"),
        ("study", json!([1]), "not a JSON object"),
        ("study", json!({ "algorithm": "--csv=/tmp/x" }), "unknown algorithm"),
    ] {
        let answer = server.ask(&format!("/api/{path}"), &question);
        let error: Value = serde_json::from_str(&answer.body).unwrap();
        let error = error["error"].as_str().unwrap();
        assert!(answer.status == 400 && error.contains(expected), "{question}: {} {error}", answer.status);
        assert!(!error.contains("For more information"), "{error}");
    }
}

#[test]
fn a_client_that_goes_ends_its_job() {
    let server = Server::start(&["--jobs=1"]);
    let long =
        json!({ "operation": "all-to-all", "machine": "torus:16x16", "bytes": "8..1M", "algorithm": "all" });
    let stream = server.send(&client::post("/api/study", &long.to_string()));
    server.wait_for_jobs(1);
    drop(stream);
    server.wait_for_jobs(0);
    // The only place is free again, and jobs in the queue that nobody waits for are never started.
    let waiting: Vec<_> =
        (0..4).map(|_| server.send(&client::post("/api/study", &long.to_string()))).collect();
    drop(waiting);
    assert_eq!(server.ask("/api/study", &json!({ "machine": "line:2" })).status, 200);
}

#[test]
fn other_addresses_need_the_token() {
    let server = Server::start(&["--host=0.0.0.0"]);
    let token = server.page.split_once("?token=").unwrap().1.to_owned();
    assert_eq!(server.get("/").status, 403);
    assert_eq!(server.get("/api/facts").status, 403);
    let entered = server.get(&format!("/?token={token}"));
    assert_eq!(entered.status, 303);
    let cookie = entered.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let with = |line: &str| {
        server.request(&format!(
            "GET / HTTP/1.1\r\nHost: class.example:1\r\n{line}\r\nConnection: close\r\n\r\n"
        ))
    };
    assert_eq!(with(&format!("Cookie: {cookie}")).status, 200);
    assert_eq!(with(&format!("Authorization: Bearer {token}")).status, 200);
    assert_eq!(with(&format!("Cookie: {cookie}0")).status, 403);
}
