//! A browser that is driven over the DevTools protocol, for pages that are served. The messages go through two pipes with names.

use std::{
    ffi::OsString,
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::text;

/// The time after which an answer of the browser or of a script is missed.
const PATIENCE: Duration = Duration::from_secs(180);

/// A browser without a window, which ends with the test.
pub(super) struct Browser {
    process: Child,
    commands: File,
    messages: Receiver<Value>,
    last: u64,
    /// What the pages have written on their consoles, and errors of theirs that nobody caught.
    said: Vec<String>,
}

/// A tab of a browser.
#[derive(Clone, Debug)]
pub(super) struct Tab(String);

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Browser {
    /// Starts a browser whose files are in a folder.
    pub(super) fn start(program: &OsString, folder: &Path) -> Browser {
        let [commands, messages] = ["commands", "messages"].map(|name| folder.join(name));
        assert!(Command::new("mkfifo").args([&commands, &messages]).status().unwrap().success());
        // The browser reads commands from file 3 and writes messages to file 4.
        let script = r#"exec 3<"$1" 4>"$2"; shift 2; exec "$@""#;
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]).args([&commands, &messages]).arg(program);
        command.args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--remote-debugging-pipe",
        ]);
        command.arg(format!("--user-data-dir={}", text(&folder.join("profile")))).arg("about:blank");
        let process =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let commands = OpenOptions::new().write(true).open(commands).unwrap();
        let mut reader = BufReader::new(File::open(messages).unwrap());
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            while reader.read_until(0, &mut bytes).is_ok_and(|length| length > 0) {
                bytes.pop();
                let Ok(message) = serde_json::from_slice(&bytes) else { return };
                if sender.send(message).is_err() {
                    return;
                }
                bytes.clear();
            }
        });
        Browser { process, commands, messages, last: 0, said: Vec::new() }
    }

    /// Opens a page in a new tab of a window of its own size.
    pub(super) fn open(&mut self, address: &str, width: u32, height: u32) -> Tab {
        let opened = self.call(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": opened["targetId"], "flatten": true });
        let attached = self.call(None, "Target.attachToTarget", target);
        let tab = Tab(attached["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            self.call(Some(&tab), domain, json!({}));
        }
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.call(Some(&tab), "Emulation.setDeviceMetricsOverride", metrics);
        self.call(Some(&tab), "Page.navigate", json!({ "url": address }));
        tab
    }

    /// Runs the body of an asynchronous function in a tab, and returns what it returns.
    pub(super) fn evaluate(&mut self, tab: &Tab, script: &str) -> Value {
        let expression = format!("(async () => {{ {script} }})()");
        let arguments = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call(Some(tab), "Runtime.evaluate", arguments);
        assert!(answer["exceptionDetails"].is_null(), "{}: {:?}", answer["exceptionDetails"], self.said);
        answer["result"]["value"].clone()
    }

    /// Sets the media of a tab: `print` or `screen`, dark or light.
    pub(super) fn media(&mut self, tab: &Tab, media: &str, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call(Some(tab), "Emulation.setEmulatedMedia", json!({ "media": media, "features": features }));
    }

    /// Presses and releases a key, as a person does.
    pub(super) fn press(&mut self, tab: &Tab, key: &str) {
        let (code, name) = match key {
            "Tab" => (9, "Tab"),
            "Enter" => (13, "Enter"),
            " " => (32, "Space"),
            "ArrowLeft" => (37, "ArrowLeft"),
            "ArrowUp" => (38, "ArrowUp"),
            "ArrowRight" => (39, "ArrowRight"),
            "ArrowDown" => (40, "ArrowDown"),
            other => panic!("{other} is not a key of these tests"),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "code": name, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && ["Enter", " "].contains(&key) {
                event["text"] = if key == "Enter" { "\r".into() } else { key.into() };
            }
            self.call(Some(tab), "Input.dispatchKeyEvent", event);
        }
    }

    /// What the pages have said on their consoles so far.
    pub(super) fn said(&mut self) -> Vec<String> {
        std::mem::take(&mut self.said)
    }

    /// Calls a method of the protocol, for a tab or for the browser.
    fn call(&mut self, tab: Option<&Tab>, method: &str, arguments: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": arguments });
        if let Some(Tab(session)) = tab {
            message["sessionId"] = session.as_str().into();
        }
        self.commands.write_all(format!("{message}\0").as_bytes()).unwrap();
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message = self
                .messages
                .recv_timeout(left)
                .unwrap_or_else(|_| panic!("no answer to {method}: {:?}", self.said));
            if message["id"] == self.last {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            let events = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"];
            if events.iter().any(|event| message["method"] == *event) {
                self.said.push(message["params"].to_string());
            }
        }
    }
}
