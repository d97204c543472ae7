//! A server for one test, and a plain client.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::super::program;

/// The time after which a test gives up.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server, which ends with the test.
pub(super) struct Server {
    process: Child,
    /// The address of the page, as printed.
    pub(super) page: String,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An answer: status, head and body, without the framing of chunks.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// A request with a question.
pub(super) fn post(path: &str, question: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{question}",
        question.len()
    )
}

impl Server {
    pub(super) fn start(options: &[&str]) -> Server {
        let mut command = program(&[&["serve", "--port=0", "--no-open"], options].concat());
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let page = line.trim().strip_prefix("The page is at ").unwrap().to_owned();
        let port = page.split("://").nth(1).unwrap().split('/').next().unwrap().rsplit(':').next().unwrap();
        Server { process, port: port.parse().unwrap(), page }
    }

    pub(super) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a request without waiting for its answer.
    pub(super) fn send(&self, request: &str) -> TcpStream {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Sends a request that closes its connection, and reads the answer.
    pub(super) fn request(&self, request: &str) -> Answer {
        read(self.send(request)).unwrap_or_else(|| panic!("no answer to {request:?}"))
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.request(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    }

    pub(super) fn ask(&self, path: &str, question: &Value) -> Answer {
        self.request(&post(path, &question.to_string()))
    }

    /// The number of jobs that run: the processes that the server has started.
    fn jobs(&self) -> usize {
        let threads =
            fs::read_dir(format!("/proc/{}/task", self.process.id())).into_iter().flatten().flatten();
        let children = |thread: fs::DirEntry| {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            children.split_whitespace().filter(|child| is_running(child)).count()
        };
        threads.map(children).sum()
    }

    /// Waits until this many jobs run. Elsewhere than on Linux the jobs of a process are not counted.
    pub(super) fn wait_for_jobs(&self, jobs: usize) {
        let end = Instant::now() + PATIENCE;
        while cfg!(target_os = "linux") && self.jobs() != jobs {
            assert!(Instant::now() < end, "{} jobs run, and not {jobs}", self.jobs());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// The resident memory of the server in bytes; 0 where it is unknown.
    pub(super) fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or(0) << 10
    }
}

/// Whether a process has not ended; one that has ended stays in lists until it is asked for its status.
fn is_running(process: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|state| !state.is_empty() && !state.starts_with('Z'))
}

/// Reads an answer up to the end of its connection; `None` if the server closed it without one.
pub(super) fn read(mut stream: TcpStream) -> Option<Answer> {
    let mut bytes = Vec::new();
    // A server that refuses a question may close before it has read all of it.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { unchunked(body) } else { body.to_owned() };
    Some(Answer { status, head: head.to_owned(), body })
}

fn unchunked(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((length, behind)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        let Some(chunk) = behind.get(..length) else { break };
        body.push_str(chunk);
        rest = behind.get(length + 2..).unwrap_or_default();
    }
    body
}
