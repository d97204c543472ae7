//! Answers by path: files of the page, facts, jobs.

use std::{convert::Infallible, io, time::Duration};

use http_body_util::{BodyExt, Full, LengthLimitError, Limited, combinators::UnsyncBoxBody};
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode,
    body::{Body, Bytes},
    header::{
        ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, LOCATION, SET_COOKIE,
    },
};
use serde_json::json;
use tokio::time::timeout;

use super::{
    super::error::Error,
    facts,
    guard::Guard,
    job::{Kind, MAX_QUESTION},
    page,
    process::{Answer, JobError},
    queue::Queue,
};

/// Maximum time in which a client sends its question.
const QUESTION_TIME: Duration = Duration::from_secs(10);

/// What the page may load: nothing but its own files, and answers of this server.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
     frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The same for pages that replay runs: one file with its script and style.
const REPLAY_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'self'";

/// The body of an answer.
pub(super) type Content = UnsyncBoxBody<Bytes, io::Error>;

/// The answers of one server.
#[derive(Debug)]
pub(super) struct Routes {
    guard: Guard,
    queue: Queue,
    facts: Bytes,
}

/// An answer that says what is wrong.
struct Refused(StatusCode, String);

impl From<JobError> for Refused {
    fn from(error: JobError) -> Refused {
        let status = match &error {
            JobError::Question(_) => StatusCode::BAD_REQUEST,
            JobError::Limit(_) => StatusCode::SERVICE_UNAVAILABLE,
            JobError::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Refused(status, error.text().to_owned())
    }
}

impl Routes {
    /// The answers of a server.
    pub(super) fn new(guard: Guard, queue: Queue) -> Result<Routes, Error> {
        let facts = serde_json::to_vec(&facts::facts()).map_err(io::Error::from)?;
        Ok(Routes { guard, queue, facts: facts.into() })
    }

    /// Answers a request.
    pub(super) async fn answer<B>(&self, request: Request<B>) -> Result<Response<Content>, Infallible>
    where
        B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
    {
        let path = request.uri().path().to_owned();
        let answered = self.routed(request, &path).await;
        let mut response = answered.unwrap_or_else(|Refused(status, text)| {
            let text = format!("{}\n", json!({ "error": text }));
            let mut response = plain(status, "application/json", text);
            if status == StatusCode::METHOD_NOT_ALLOWED {
                let allowed =
                    if path.starts_with("/api/") && path != "/api/facts" { "POST" } else { "GET, HEAD" };
                response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
            }
            response
        });
        let policy = if path == "/look" || path == "/api/run" { REPLAY_POLICY } else { PAGE_POLICY };
        for (name, value) in [
            (CONTENT_SECURITY_POLICY.as_str(), policy),
            (CACHE_CONTROL.as_str(), "no-store"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        Ok(response)
    }

    async fn routed<B>(&self, request: Request<B>, path: &str) -> Result<Response<Content>, Refused>
    where
        B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
    {
        let (head, body) = request.into_parts();
        let forbidden = |text: &str| Refused(StatusCode::FORBIDDEN, text.to_owned());
        self.guard.check(&head.method, path, &head.headers).map_err(forbidden)?;
        let query = head.uri.query().unwrap_or_default();
        let is_read = head.method == Method::GET || head.method == Method::HEAD;
        if path == "/"
            && is_read
            && let Some(cookie) =
                self.guard.cookie(query).and_then(|cookie| HeaderValue::from_str(&cookie).ok())
        {
            // The browser keeps the part of the address behind `#`.
            let mut response = plain(StatusCode::SEE_OTHER, "text/plain", "");
            response.headers_mut().insert(SET_COOKIE, cookie);
            response.headers_mut().insert(LOCATION, HeaderValue::from_static("/"));
            return Ok(response);
        }
        self.guard.check_token(&head.headers).map_err(forbidden)?;
        let not_allowed =
            |allowed: &str| Refused(StatusCode::METHOD_NOT_ALLOWED, format!("{path} answers {allowed} only"));
        if let Some(file) = page::file(path) {
            return if is_read {
                Ok(plain(StatusCode::OK, file.media_type, file.content))
            } else {
                Err(not_allowed("GET"))
            };
        }
        match path {
            "/api/facts" if is_read => {
                return Ok(plain(StatusCode::OK, "application/json", self.facts.clone()));
            }
            "/look" if head.method == Method::GET => {
                return self.job(Kind::Run, of_query(query)?).await;
            }
            "/api/facts" | "/look" => return Err(not_allowed("GET")),
            _ => {}
        }
        let kind = path.strip_prefix("/api/").and_then(|name| Kind::named(name).ok());
        let kind = kind.ok_or_else(|| Refused(StatusCode::NOT_FOUND, format!("there is no {path}")))?;
        if head.method != Method::POST {
            return Err(not_allowed("POST"));
        }
        self.job(kind, question(&head.headers, body).await?).await
    }

    /// The answer of a job.
    async fn job(&self, kind: Kind, question: Bytes) -> Result<Response<Content>, Refused> {
        let place = self.queue.place().await.ok_or_else(|| {
            Refused(
                StatusCode::TOO_MANY_REQUESTS,
                "too many questions wait already: ask again later".to_owned(),
            )
        })?;
        let answer = Answer::of(kind, question, place).await?;
        let body = match kind {
            Kind::Study | Kind::Csv => answer.boxed_unsync(),
            _ => full(answer.whole().await?),
        };
        Ok(response(StatusCode::OK, kind.media_type(), body))
    }
}

/// The question of an address such as `/look?operation=broadcast&bytes=8..1M`.
fn of_query(query: &str) -> Result<Bytes, Refused> {
    let mut question = serde_json::Map::new();
    for (key, value) in form_urlencoded::parse(query.as_bytes()) {
        if question.insert(key.clone().into_owned(), value.into_owned().into()).is_some() {
            return Err(Refused(
                StatusCode::BAD_REQUEST,
                format!("{key} is given twice: give each key once"),
            ));
        }
    }
    Ok(serde_json::Value::from(question).to_string().into())
}

/// Reads the question of a request: JSON, bounded in length and time. Browsers ask this server before a page of another site sends JSON.
async fn question<B>(headers: &HeaderMap, body: B) -> Result<Bytes, Refused>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if media_type.split(';').next().map(str::trim) != Some("application/json") {
        let text = "a question is JSON: send it with `Content-Type: application/json`";
        return Err(Refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, text.to_owned()));
    }
    let late = |_| Refused(StatusCode::REQUEST_TIMEOUT, "the question did not arrive in time".to_owned());
    let read = timeout(QUESTION_TIME, Limited::new(body, MAX_QUESTION).collect()).await.map_err(late)?;
    Ok(read
        .map_err(|cause| match cause.is::<LengthLimitError>() {
            true => Refused(
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("the question is longer than {MAX_QUESTION} bytes"),
            ),
            false => Refused(StatusCode::BAD_REQUEST, format!("the question did not arrive: {cause}")),
        })?
        .to_bytes())
}

fn full(bytes: impl Into<Bytes>) -> Content {
    Full::new(bytes.into()).map_err(|never: Infallible| match never {}).boxed_unsync()
}

fn plain(status: StatusCode, media_type: &'static str, content: impl Into<Bytes>) -> Response<Content> {
    response(status, media_type, full(content))
}

fn response(status: StatusCode, media_type: &'static str, body: Content) -> Response<Content> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}
