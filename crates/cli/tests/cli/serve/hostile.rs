//! A thousand requests that no browser sends.

use std::{io::Write, thread, time::Duration};

use serde_json::json;

use super::client::{self, Server, post, read};

/// Requests that must be refused: the text, and the statuses that are allowed. Without any the connection may be closed.
fn requests() -> Vec<(String, Vec<u16>)> {
    let mut all = Vec::new();
    let mut add = |request: String, statuses: &[u16]| all.push((request, statuses.to_vec()));
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    for path in [
        "/../Cargo.toml",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/index.html/",
        "/api/",
        "/api/unknown",
        "/api/study/../facts",
        "/.git/config",
        "/\u{7f}",
        "/api/facts%00",
        "/main.js.map",
        "/look/",
        "/api/job",
    ] {
        add(get(path), &[400, 404]);
    }
    add(get(&format!("/{}", "a".repeat(20_000))), &[404, 414, 431]);
    add(get(&format!("/{}", "a".repeat(100_000))), &[414, 431]);
    add(get("/look"), &[200]);
    for query in [
        "operation=%00",
        "bytes=-1",
        "machine=%ff%fe",
        "a=b&a=b",
        "machine=file:x",
        "=",
        "%",
        "nodes=1&nodes=2",
        "nodes=99999999999999999999",
    ] {
        add(get(&format!("/look?{query}")), &[400]);
    }
    let headers = |lines: &str| format!("GET /api/facts HTTP/1.1\r\n{lines}Connection: close\r\n\r\n");
    for lines in [
        "",
        "Host: example.org\r\n",
        "Host: localhost\r\nHost: example.org\r\n",
        "Host: localhost\r\nOrigin: http://example.org\r\n",
        "Host: localhost\r\nOrigin: null\r\n",
        "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n",
        "Host: localhost\r\nSec-Fetch-Site: same-site\r\n",
        "Host: localhost.example.org\r\n",
        "Host: \r\n",
    ] {
        add(headers(lines), &[400, 403]);
    }
    add(headers(&format!("Host: localhost\r\n{}", "X: y\r\n".repeat(1000))), &[431, 400]);
    add(headers(&format!("Host: localhost\r\nX: {}\r\n", "y".repeat(100_000))), &[431, 400]);
    for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT", "BREW"] {
        add(
            format!("{method} /api/study HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
            &[400, 405],
        );
        add(format!("{method} / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), &[400, 405]);
    }
    add(
        "POST /api/study HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
            .to_owned(),
        &[415],
    );
    add(post("/api/study", &"x".repeat(70_000)), &[413]);
    add(post("/api/study", "{}").replace("Content-Length: 2", "Content-Length: 99999999999"), &[400, 413]);
    add(post("/api/study", "{}").replace("Content-Length: 2", "Content-Length: -1"), &[400]);
    add(
        post("/api/study", "{}")
            .replace("Content-Length: 2", "Content-Length: 2\r\nTransfer-Encoding: chunked"),
        &[400],
    );
    add(post("/api/study", "zz\r\n").replace("Content-Length: 4", "Transfer-Encoding: chunked"), &[400]);
    for body in [
        "",
        "{",
        "null",
        "[]",
        "1",
        "\"text\"",
        "{\"machine\":null}",
        "{\"nodes\":{\"a\":1}}",
        "{\"nodes\":[[[[[[1e400]]]]]]}",
        "{\"bytes\":\"1..18446744073709551615\"}",
        "\u{0}",
        "{\"machine\":\"hypercube:1073741824\"}",
        "{\"machine\":\"mesh:1000000x1000000\"}",
        "{\"machine\":\"fat-tree:99999:99:99\"}",
        "{\"seed\":\"1..1000000+1\",\"noise\":\"interval=1us\"}",
        "{\"title\":\"<script>alert(1)</script>\",\"machine\":\"../x\"}",
        "{\"fault\":\"each-link\",\"machine\":\"mesh:32x32\"}",
        "{\"clock\":\"real:1000000\"}",
        "{\"placement\":\"file:/etc/shadow\"}",
        "{\"algorithm\":\"$(reboot)\"}",
        "{\"algorithm\":\"; reboot\"}",
        "{\"json\":\"/tmp/x\"}",
        "{\"--csv\":\"/tmp/x\"}",
        "{\"run\":\"all\"}",
    ] {
        add(post("/api/study", body), &[400]);
        add(post("/api/run", body), &[400]);
    }
    add(post("/api/study", &format!("{}{}", "[".repeat(30_000), "]".repeat(30_000))), &[400]);
    add(post("/api/study", &format!("{{\"bytes\":{}1{}}}", "[".repeat(30_000), "]".repeat(30_000))), &[400]);
    for line in [
        "\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}",
        "GET / HTTP/0.9\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        add(line.to_owned(), &[]);
    }
    all
}

#[test]
fn a_thousand_hostile_requests_harm_nothing() {
    let server = Server::start(&[]);
    let before = server.memory();
    let requests = requests();
    // Slow clients hold their connections in the meantime: heads and questions that never end.
    let slow: Vec<_> = (0..50)
        .flat_map(|_| [server.send("GET / HTTP/1.1\r\nHost: loc"), server.send("POST /api/study HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")])
        .collect();
    // 25 clients, each with its share of a thousand requests.
    let (clients, each) = (25, 40);
    thread::scope(|scope| {
        for client in 0..clients {
            let (server, requests) = (&server, &requests);
            scope.spawn(move || {
                for nth in 0..each {
                    let (request, statuses) = &requests[(client * each + nth) % requests.len()];
                    let mut stream = server.connect();
                    // The server may refuse before it has read all.
                    let _ = stream.write_all(request.as_bytes());
                    let _ = stream.shutdown(std::net::Shutdown::Write);
                    let answer = read(stream);
                    let shown = request.get(..300).unwrap_or(request);
                    if let Some(answer) = &answer {
                        let is_allowed =
                            statuses.is_empty() && answer.status >= 400 || statuses.contains(&answer.status);
                        assert!(is_allowed, "{shown}: {answer:?}");
                    }
                }
            });
        }
    });
    assert_eq!(server.get("/").status, 200, "the page is there in spite of slow clients");
    drop(slow);
    server.wait_for_jobs(0);
    let after = server.memory();
    println!("memory of the server: {} KiB before, {} KiB after", before >> 10, after >> 10);
    assert!(after < before + (64 << 20));
}

#[test]
fn two_hundred_questions_at_once_are_answered_or_told_to_wait() {
    let server = Server::start(&["--jobs=2"]);
    let question = post("/api/study", &json!({ "machine": "line:3", "bytes": "8..64" }).to_string());
    let expected = server.request(&question).body;
    let streams: Vec<_> = (0..200).map(|_| server.send(&question)).collect();
    let answers: Vec<_> = streams.into_iter().map(|stream| client::read(stream).unwrap()).collect();
    let answered = answers
        .iter()
        .filter(|answer| answer.status == 200)
        .inspect(|answer| assert_eq!(answer.body, expected))
        .count();
    assert!(answers.iter().all(|answer| answer.status == 200 || answer.status == 429));
    assert!(answered >= 60, "{answered} of 200 were answered");
}

#[test]
fn heads_that_never_end_are_closed() {
    let server = Server::start(&[]);
    let mut stream = server.connect();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n");
    // The end of the connection ends this read; otherwise its time limit does, which is an error.
    let closed = std::io::Read::read_to_end(&mut stream, &mut Vec::new());
    assert!(closed.is_ok(), "{closed:?}");
}
