//! The listener and its connections, which are bounded in number and time.

use std::{sync::Arc, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};

use super::{super::error::Error, job::MAX_SECONDS, routes::Routes};

/// Maximum number of connections at once. Others wait to be accepted.
const MAX_CONNECTIONS: usize = 256;
/// Maximum time in which a client sends the head of a request; also of a connection without a request.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// Maximum size of the head of a request in bytes.
const MAX_HEAD: usize = 32 << 10;
/// The time after which a connection takes no further request.
const AGE: Duration = Duration::from_secs(60);
/// The time in which the last answer of a connection must be read: a job in the queue, a job, and its transfer.
const LAST: Duration = Duration::from_secs(3 * MAX_SECONDS);
/// The time after which the listener is asked again if it fails, for example because the process has no file left.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves connections until the process is ended.
pub(super) async fn serve(listener: TcpListener, routes: Routes) -> Result<(), Error> {
    let (routes, places) = (Arc::new(routes), Arc::new(Semaphore::new(MAX_CONNECTIONS)));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return Ok(()) };
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let routes = Arc::clone(&routes);
        tokio::spawn(async move {
            connection(stream, routes).await;
            drop(place);
        });
    }
}

/// Serves one connection. What a client does wrong ends its connection, and nothing else.
async fn connection(stream: TcpStream, routes: Arc<Routes>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let routes = Arc::clone(&routes);
        async move { routes.answer(request).await }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(MAX_HEAD);
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    if timeout(AGE, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(LAST, connection).await;
    }
}
