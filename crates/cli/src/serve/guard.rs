//! Access control: only pages of this server may send requests; from other hosts, requests need a token.

use std::{
    fmt::Write,
    net::{IpAddr, SocketAddr},
};

use hyper::{
    HeaderMap, Method,
    header::{AUTHORIZATION, COOKIE, HOST, ORIGIN},
};

use super::super::error::Error;

/// The name of the cookie with the token.
const COOKIE_NAME: &str = "multicomputer-token";

/// The rules of one server.
#[derive(Debug)]
pub(super) struct Guard {
    port: u16,
    /// `None` if the server can be reached from this host only.
    token: Option<String>,
}

/// Why a request is refused.
pub(super) type Refusal = &'static str;

impl Guard {
    /// The rules of a server at an address, with a new token if it can be reached from other hosts.
    pub(super) fn of(address: SocketAddr) -> Result<Guard, Error> {
        let token = if address.ip().is_loopback() { None } else { Some(new_token()?) };
        Ok(Guard { port: address.port(), token })
    }

    /// The address of the page, with the token, on a host.
    pub(super) fn page_address(&self, host: IpAddr) -> String {
        let token = self.token.as_ref().map(|token| format!("?token={token}")).unwrap_or_default();
        format!("http://{}/{token}", SocketAddr::new(host, self.port))
    }

    /// Checks host and origin of a request. Pages of other sites may link to the page itself, and to nothing else.
    pub(super) fn check(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<(), Refusal> {
        let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let hosts = headers.get_all(HOST).iter().count();
        let host =
            text(HOST.as_str()).filter(|_| hosts == 1).ok_or("the request names no host, or several")?;
        if self.token.is_none() && !is_loopback(host) {
            return Err(
                "the page is at an address of this host only: use the address that the server has printed",
            );
        }
        if text(ORIGIN.as_str()).is_some_and(|origin| origin.strip_prefix("http://") != Some(host)) {
            return Err("a page of another site may not use this server");
        }
        let is_page = *method == Method::GET && path == "/";
        let site = text("sec-fetch-site").unwrap_or("none");
        if !is_page && !["same-origin", "none"].contains(&site) {
            return Err("a page of another site may not use this server");
        }
        Ok(())
    }

    /// Checks the token of a request, in the cookie or as `Authorization: Bearer TOKEN`.
    pub(super) fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(token) = &self.token else { return Ok(()) };
        let bearer =
            headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let cookies =
            cookies.flat_map(|text| text.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
        let cookies = cookies.filter(|(name, _)| *name == COOKIE_NAME).map(|(_, value)| value);
        match cookies.chain(bearer).any(|given| is_equal(given, token)) {
            true => Ok(()),
            false => Err("the token is missing: open the address that the server has printed"),
        }
    }

    /// The cookie for a request whose query has the right token; `None` if this server has none, or the query has another.
    pub(super) fn cookie(&self, query: &str) -> Option<String> {
        let token = self.token.as_ref()?;
        let given = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "token")?.1;
        is_equal(&given, token)
            .then(|| format!("{COOKIE_NAME}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=86400"))
    }
}

/// Whether a host, with or without a port, is this host. Names are refused, because a name server may give any name this host's address.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Compares in a time that does not depend on where texts differ.
fn is_equal(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// 128 random bits as hexadecimal digits.
fn new_token() -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|cause| Error::usage(format!("no token can be made: {cause}")))?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|&(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn check(guard: &Guard, path: &str, pairs: &[(&'static str, &str)]) -> bool {
        guard.check(&Method::GET, path, &headers(pairs)).is_ok()
    }

    #[test]
    fn only_pages_of_this_server_may_ask() {
        let guard = Guard::of("127.0.0.1:8080".parse().unwrap()).unwrap();
        for host in ["127.0.0.1:8080", "localhost:8080", "[::1]:8080", "LOCALHOST", "127.0.0.1"] {
            assert!(check(&guard, "/api/study", &[("host", host)]), "{host}");
        }
        for host in ["example.org", "127.0.0.1.example.org:8080", "localhost.example.org", ""] {
            assert!(!check(&guard, "/", &[("host", host)]), "{host}");
        }
        let host = ("host", "127.0.0.1:8080");
        assert!(check(&guard, "/api/study", &[host, ("origin", "http://127.0.0.1:8080")]));
        for origin in ["http://example.org", "null", "http://127.0.0.1:9090", "https://127.0.0.1:8080"] {
            assert!(!check(&guard, "/api/study", &[host, ("origin", origin)]), "{origin}");
        }
        let elsewhere = ("sec-fetch-site", "cross-site");
        assert!(check(&guard, "/", &[host, elsewhere]), "a link leads to the page");
        assert!(!check(&guard, "/look", &[host, elsewhere]));
        assert!(!check(&guard, "/", &[]));
    }

    #[test]
    fn other_addresses_need_the_token() {
        let guard = Guard::of("0.0.0.0:80".parse().unwrap()).unwrap();
        let token = guard.token.clone().unwrap();
        assert_eq!(token.len(), 32);
        assert!(guard.check_token(&headers(&[])).is_err());
        assert!(guard.check_token(&headers(&[("authorization", &format!("Bearer {token}"))])).is_ok());
        let cookie = guard.cookie(&format!("token={token}")).unwrap();
        let cookie = format!("other=1; {}", cookie.split(';').next().unwrap());
        assert!(guard.check_token(&headers(&[("cookie", &cookie)])).is_ok());
        assert!(guard.check_token(&headers(&[("cookie", "multicomputer-token=1")])).is_err());
        assert!(guard.cookie("token=1").is_none() && guard.cookie("").is_none());
    }
}
