//! The page in a browser, if there is one: every control, every lesson, two tabs at once, and no word on the console.

use std::{ffi::OsString, fs, path::PathBuf};

use serde_json::{Value, json};

use super::{
    super::{
        browser::browser,
        devtools::{Browser, Tab},
        folder, run,
    },
    client::Server,
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
    let question = &found["question"];
    let mut arguments = vec!["study".to_owned(), "--json=-".to_owned()];
    for (key, value) in question.as_object().unwrap() {
        let value = value.as_array().map_or_else(
            || value.as_str().unwrap().to_owned(),
            |list| list.iter().map(|item| item.as_str().unwrap()).collect::<Vec<_>>().join(","),
        );
        arguments.push(format!("--{key}={value}"));
    }
    let output = run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let lines = String::from_utf8(output.stdout).unwrap();
    let times: Vec<String> = lines
        .lines()
        .map(|line| line.split("\"time_us\":").nth(1).unwrap().split(',').next().unwrap().to_owned())
        .collect();
    assert_eq!(found["times"], json!(times), "{question}");
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
