//! Pages in a browser without a window, if there is one. A test that looks at them has a program of its own, which runs behind
//! that of the page and says what it found.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::text;

/// The browser, if there is one: that of MULTICOMPUTER_CHROMIUM, or one that is found by its name.
fn found() -> Option<OsString> {
    if let Some(given) = env::var_os("MULTICOMPUTER_CHROMIUM") {
        return Some(given);
    }
    let path = env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let all = env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    all.filter(|file| file.is_file()).map(PathBuf::into_os_string).next()
}

/// A browser that ends with the test.
struct Browser(Child);

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The browser; says so if there is none.
pub(super) fn browser() -> Option<OsString> {
    let browser = found();
    if browser.is_none() {
        println!(
            "SKIPPED: there is no chromium, chromium-browser or google-chrome, and MULTICOMPUTER_CHROMIUM is not set"
        );
    }
    browser
}

/// The width of the narrowest window of Chromium, in pixels.
const NARROWEST: u32 = 500;

/// Opens a page with the program of the test behind its own, and returns what that says: `REPORT` and JSON on the console.
/// Anything else there is an error of the page. `size` is the width and height of the window, such as `1200,900`; a page that is
/// narrower than any window is in a frame.
pub(super) fn opened(browser: &OsString, page: &Path, program: &str, address: &str, size: &str) -> Value {
    let with_test = page.with_extension("test.html");
    let html = fs::read_to_string(page).unwrap();
    let script = format!("<script>\n{program}</script>\n</body>");
    fs::write(&with_test, html.replace("</body>", &script)).unwrap();
    let url = format!("file://{}{address}", text(&with_test));
    let (width, height) = size.split_once(',').unwrap();
    let url = if width.parse::<u32>().unwrap() >= NARROWEST {
        url
    } else {
        let frame = page.with_extension("frame.html");
        let style = format!("border: 0; width: {width}px; height: {height}px");
        fs::write(&frame, format!("<iframe src=\"{url}\" style=\"{style}\"></iframe>")).unwrap();
        format!("file://{}", text(&frame))
    };
    let mut command = Command::new(browser);
    command.args([
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--enable-logging=stderr",
    ]);
    command.args(["--v=0", &format!("--window-size={size}")]);
    command.arg(format!("--user-data-dir={}", text(&page.with_extension("profile"))));
    command.arg(url);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut browser = Browser(command.spawn().unwrap());
    let (lines, seen) = mpsc::channel();
    let errors = BufReader::new(browser.0.stderr.take().unwrap());
    thread::spawn(move || errors.lines().map_while(Result::ok).try_for_each(|line| lines.send(line)));
    let end = Instant::now() + Duration::from_secs(120);
    let mut others = Vec::new();
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let line = seen.recv_timeout(left).unwrap_or_else(|_| panic!("the page says nothing: {others:?}"));
        let told = line.split_once("\"REPORT ").and_then(|(_, rest)| rest.rsplit_once("\", source: "));
        match told {
            Some((found, _)) => return serde_json::from_str(found).unwrap(),
            None if line.contains("CONSOLE") => panic!("on the console of the page: {line}"),
            None => others.push(line),
        }
    }
}
