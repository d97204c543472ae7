//! The process of a job, whose output is the body of an answer.

use std::{
    io,
    path::PathBuf,
    pin::Pin,
    process::{ExitStatus, Stdio},
    task::{Context, Poll, ready},
    time::Duration,
};

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Frame};
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf},
    process::{Child, ChildStdout, Command},
    time::{Instant, Sleep, sleep_until, timeout_at},
};

use super::{
    job::{Kind, MAX_SECONDS},
    queue::Place,
};

/// Bytes that are read from a process at once.
const BLOCK: usize = 64 << 10;
/// Maximum length of the text of an error.
const MAX_ERROR: u64 = 16 << 10;

/// A job that has begun to answer.
#[derive(Debug)]
pub(super) struct Answer {
    output: ChildStdout,
    end: End,
    /// The first bytes of the output.
    first: Option<Bytes>,
    limit: Pin<Box<Sleep>>,
    /// Whether an error can be written behind rows: as a line.
    has_lines: bool,
    is_over: bool,
}

/// What the end of a process says. Dropping it ends the process.
struct End {
    process: Pin<Box<dyn Future<Output = Result<(), JobError>> + Send + Sync>>,
    _place: Place,
}

impl std::fmt::Debug for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("End")
    }
}

/// Why a job has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum JobError {
    /// The question is wrong.
    Question(String),
    /// The job took too much time or memory.
    Limit(String),
    /// The job failed, or could not be started.
    Failed(String),
}

impl JobError {
    pub(super) fn text(&self) -> &str {
        let (JobError::Question(text) | JobError::Limit(text) | JobError::Failed(text)) = self;
        text
    }
}

impl Answer {
    /// Starts a job and waits for the first bytes of its answer.
    pub(super) async fn of(kind: Kind, question: Bytes, place: Place) -> Result<Answer, JobError> {
        let failed = |cause: io::Error| JobError::Failed(format!("the job cannot be started: {cause}"));
        let mut command = Command::new(program().map_err(failed)?);
        command.args(["serve", "--job", kind.name()]).kill_on_drop(true).env_remove("RUST_LOG");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let limit = Instant::now() + Duration::from_secs(MAX_SECONDS);
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(JobError::Failed("the job has no input or output".to_owned()));
        };
        // A job that ends without reading its question says why.
        let _ = input.write_all(&question).await;
        drop(input);
        let process = Box::pin(end(child));
        let mut answer = Answer {
            output,
            end: End { process, _place: place },
            first: None,
            limit: Box::pin(sleep_until(limit)),
            has_lines: kind == Kind::Study,
            is_over: false,
        };
        let mut first = vec![0; BLOCK];
        let read = timeout_at(limit, answer.output.read(&mut first)).await;
        let length = read.map_err(|_| too_long())?.map_err(failed)?;
        if length == 0 {
            return match answer.end.process.await {
                Ok(()) => Err(JobError::Failed("the job has written nothing".to_owned())),
                Err(error) => Err(error),
            };
        }
        first.truncate(length);
        answer.first = Some(first.into());
        Ok(answer)
    }

    /// The whole answer, for kinds of which a part is worth nothing.
    pub(super) async fn whole(self) -> Result<Bytes, JobError> {
        let body = BodyExt::collect(self).await;
        Ok(body.map_err(|error| JobError::Failed(error.to_string()))?.to_bytes())
    }

    /// The last frame of a job that failed after its first bytes.
    fn failure(&self, error: &JobError) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if !self.has_lines {
            return Poll::Ready(Some(Err(io::Error::other(error.text().to_owned()))));
        }
        let line = json!({ "error": error.text() });
        Poll::Ready(Some(Ok(Frame::data(format!("{line}\n").into()))))
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let answer = &mut *self;
        if let Some(first) = answer.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        if answer.is_over {
            return Poll::Ready(None);
        }
        if answer.limit.as_mut().poll(context).is_ready() {
            answer.is_over = true;
            return answer.failure(&too_long());
        }
        let mut block = vec![0; BLOCK];
        let mut buffer = ReadBuf::new(&mut block);
        ready!(Pin::new(&mut answer.output).poll_read(context, &mut buffer))?;
        let length = buffer.filled().len();
        if length > 0 {
            block.truncate(length);
            return Poll::Ready(Some(Ok(Frame::data(block.into()))));
        }
        let ended = ready!(answer.end.process.as_mut().poll(context));
        answer.is_over = true;
        match ended {
            Ok(()) => Poll::Ready(None),
            Err(error) => answer.failure(&error),
        }
    }
}

/// This program, also after another version of it has taken its place.
fn program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") { Ok("/proc/self/exe".into()) } else { std::env::current_exe() }
}

/// The end of a process: what it says on standard error, and its exit status.
async fn end(mut child: Child) -> Result<(), JobError> {
    let mut text = String::new();
    if let Some(errors) = child.stderr.take() {
        // A text that is cut is better than none.
        let _ = errors.take(MAX_ERROR).read_to_string(&mut text).await;
    }
    let status = child.wait().await.map_err(|cause| JobError::Failed(cause.to_string()))?;
    if status.success() { Ok(()) } else { Err(failure(status, &text)) }
}

fn failure(status: ExitStatus, text: &str) -> JobError {
    let text = text.rsplit_once("error: ").map_or(text, |(_, text)| text);
    let text = text.split("\n\nFor more information").next().unwrap_or_default().trim().to_owned();
    match status.code() {
        Some(2) => JobError::Question(text),
        Some(1) if !text.is_empty() => JobError::Failed(text),
        _ => JobError::Limit(
            "the answer takes too much time or memory: ask for fewer nodes, lengths or algorithms, or use the \
             command line"
                .to_owned(),
        ),
    }
}

fn too_long() -> JobError {
    JobError::Limit(format!(
        "the answer takes longer than {MAX_SECONDS} s: ask for fewer nodes, lengths or algorithms, or use the \
         command line"
    ))
}
