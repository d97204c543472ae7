//! The page in a browser, if there is one: every control, every lesson, two tabs at once, and no word on the console.

use std::{ffi::OsString, fs, path::PathBuf};

use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};
use serde_json::{Value, json};

use super::{
    super::{
        browser::browser,
        devtools::{Browser, Tab},
        folder, run,
    },
    client::Server,
    questions,
};

/// What every script of a test may call.
const HELPERS: &str = include_str!("helpers.js");

/// A server, a browser and the page in a tab, whose size is given.
struct Session {
    server: Server,
    browser: Browser,
    tab: Tab,
    folder: PathBuf,
}

impl Session {
    fn start(program: &OsString, name: &str, hash: &str, width: u32) -> Session {
        let folder = folder(name);
        let server = Server::start(&[]);
        let mut browser = Browser::start(program, &folder);
        let tab = browser.open(&format!("{}{hash}", server.page), width, 900);
        Session { server, browser, tab, folder }
    }

    fn run(&mut self, script: &str) -> Value {
        self.browser.evaluate(&self.tab, &format!("{HELPERS}\n{script}"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.folder.join("profile"));
    }
}

/// Nothing was written on the console, and no error was left.
fn is_silent(session: &mut Session) {
    assert_eq!(session.browser.said(), [""; 0]);
}

/// The columns of the table that are compared.
const COLUMNS: [&str; 4] = ["time_us", "predicted_us", "bound_us", "ratio"];

/// What the command line writes into these columns for a question; no row if no algorithm has a time.
fn numbers(question: &Value) -> Vec<[String; COLUMNS.len()]> {
    let option = |(key, value): (&String, &Value)| format!("--{key}={}", listed(value));
    let mut arguments: Vec<String> = question.as_object().unwrap().iter().map(option).collect();
    arguments.splice(0..0, ["study".to_owned(), "--json=-".to_owned()]);
    let output = run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let written = |line: &str, column: &str| {
        let value = line.split(&format!("\"{column}\":")).nth(1).unwrap().split([',', '}']).next().unwrap();
        if value == "null" { String::new() } else { value.to_owned() }
    };
    let lines = String::from_utf8(output.stdout).unwrap();
    let rows = lines.lines().map(|line| COLUMNS.map(|column| written(line, column))).collect();
    if output.status.success() { rows } else { Vec::new() }
}

/// A value as the command line takes it.
fn listed(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(listed).collect::<Vec<_>>().join(","),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[test]
fn the_table_in_a_browser_has_the_numbers_of_the_command_line() {
    let Some(program) = browser() else { return };
    let mut session = Session::start(&program, "page_numbers", "", 1200);
    let mut runner = TestRunner::deterministic();
    let mut rows = 0;
    for _ in 0..10 {
        let random = questions().new_tree(&mut runner).unwrap().current();
        // As the fields of the page write it: texts.
        let keys = random.as_object().unwrap().iter().map(|(key, value)| (key.clone(), listed(value).into()));
        let question = Value::Object(keys.collect());
        let expected = numbers(&question);
        let script = include_str!("numbers.js").replace("QUESTION", &question.to_string());
        let found = session.run(&script.replace("COLUMNS", &json!(COLUMNS).to_string()));
        if !expected.is_empty() {
            assert_eq!(found, json!(expected), "{question}");
        }
        rows += expected.len();
    }
    assert!(rows > 50, "{rows}");
}

#[test]
fn every_control_in_a_browser_does_what_it_says() {
    let Some(program) = browser() else { return };
    let mut session = Session::start(
        &program,
        "page_controls",
        "#operation=broadcast&machine=paragon:4x4&bytes=8..4K&algorithm=linear,short,tree",
        1200,
    );
    let found = session.run(include_str!("controls.js"));
    assert_eq!(found["faults"], json!([]), "{found:#}");
    assert!(found["checked"].as_u64().unwrap() >= 40, "{found:#}");
    // The numbers are those of the command line, to the last digit.
    let times: Vec<String> = numbers(&found["question"]).into_iter().map(|[time, ..]| time).collect();
    assert_eq!(found["times"], json!(times), "{}", found["question"]);
    is_silent(&mut session);

    // Keys as a person presses them: from node to node, and Enter makes a root.
    session.run("el('network').querySelector('[tabindex=\"0\"]').focus(); return 0;");
    session.browser.press(&session.tab.clone(), "ArrowRight");
    session.browser.press(&session.tab.clone(), "ArrowDown");
    session.browser.press(&session.tab.clone(), "Enter");
    let root = session
        .run("await idle(); return [document.activeElement.dataset.name, page.state().question.root];");
    assert!(root[0] == root[1] && root[0] != "0", "{root}");
    is_silent(&mut session);
}

#[test]
fn every_lesson_in_a_browser_can_be_solved() {
    let Some(program) = browser() else { return };
    let mut session = Session::start(&program, "page_lessons", "", 1200);
    let found = session.run(include_str!("lessons.js"));
    assert_eq!(found.as_array().unwrap().len(), 6, "{found:#}");
    for lesson in found.as_array().unwrap() {
        // Of the choices one is right; a number far off is wrong, and the one that is told then is right.
        assert_eq!((&lesson["right"], &lesson["failures"]), (&json!(1), &json!([])), "{lesson:#}");
        assert!(
            lesson["wrong"].as_u64().unwrap() >= 1 && lesson["steps"].as_u64().unwrap() >= 4,
            "{lesson:#}"
        );
    }
    is_silent(&mut session);
}

#[test]
fn two_tabs_in_a_browser_at_once_phones_print_and_dark() {
    let Some(program) = browser() else { return };
    let mut session = Session::start(&program, "page_tabs", "", 390);
    // Before another tab covers this one: browsers slow down what is covered.
    let first = session.run(include_str!("first.js"));
    let address = format!(
        "{}#operation=all-to-all&machine=torus:4x4&bytes=1K..4K&algorithm=pairwise,auto",
        session.server.page
    );
    let other = session.browser.open(&address, 1200, 900);
    session.run("page.set({ operation: 'scan', machine: 'hypercube:64', bytes: '8..64K', algorithm: ['auto'] }); return 0;");
    let rows = format!("{HELPERS}\nawait idle(); return page.rows().length;");
    assert_eq!(session.browser.evaluate(&other, &rows), 6);
    assert_eq!(session.browser.evaluate(&session.tab, &rows), 14);
    assert_eq!(first["wide"], json!([]), "wider than 390 pixels: {first:#}");
    assert_eq!(first["unnamed"], json!([]), "controls without a name: {first:#}");
    println!("first result {} ms, slider to new curve {} ms", first["first_ms"], first["slider_ms"]);
    for (media, scheme) in [("screen", "light"), ("screen", "dark"), ("print", "light")] {
        session.browser.media(&session.tab.clone(), media, scheme);
        let faint = session.run(include_str!("contrast.js"));
        assert_eq!(faint, json!([]), "{media} {scheme}: contrast below 4.5");
    }
    is_silent(&mut session);
}
