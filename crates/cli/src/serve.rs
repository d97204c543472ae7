//! `multicomputer serve`: a page in a browser on which everything that `multicomputer study` compares can be chosen, changed and watched.
//!
//! The server computes nothing. Every request that needs a computation is a *job*: a process of this same program, which reads the question from
//! its standard input, carries out `multicomputer study` with the options of the question, and writes the answer to its standard output. So the
//! numbers of the page are those of the command line, a client that has gone ends its job, and no question can harm the server.
//!
//! ```text
//! browser -> server    connections: number, times, sizes
//!            guard     host, origin, token
//!            routes    pages; jobs by path -> queue -> process  (this program)  serve --job KIND
//!                                                               job       question -> options of `study`, limits
//!                                                               question  JSON or query -> options
//!                                                               describe  machine: network and parameters
//! ```

mod describe;
mod facts;
mod guard;
mod job;
mod page;
mod process;
mod question;
mod queue;
mod routes;
mod server;

use std::{
    io::{IsTerminal, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    num::NonZero,
    thread,
};

use clap::Args;

use self::{guard::Guard, job::Kind, queue::Queue, routes::Routes};
use super::error::Error;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(super) struct Arguments {
    /// Listen on this port; 0 is any free port
    #[arg(long, value_name = "NUMBER", default_value_t = 8080)]
    port: u16,

    /// Listen on this address. Others than those of this host need the token that is printed
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,

    /// Do not open the page in a browser
    #[arg(long)]
    no_open: bool,

    /// Compute at most this many answers at once [default: number of cores]
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<NonZero<usize>>,

    /// Carry out one job: read the question from standard input and write the answer to standard output
    #[arg(long, value_name = "KIND", value_parser = Kind::named, hide = true)]
    job: Option<Kind>,
}

const HELP: &str = "\
The page has the machine, the question, the answer, replays of two algorithms side by side, files and commands that give the same numbers,
and six lessons. Ctrl-C ends the server. docs/page.md describes the page and its JSON interface.

Examples:
  multicomputer serve                                  http://127.0.0.1:8080
  multicomputer serve --port 0 --no-open               any free port; only prints the address
  multicomputer serve --host 0.0.0.0                   for a class room, with a token";

/// Serves the page until the process is ended, or carries out a job.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    if let Some(kind) = arguments.job {
        return job::run(kind, out);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let address = SocketAddr::new(arguments.host, arguments.port);
        let listener = tokio::net::TcpListener::bind(address).await;
        let listener = listener.map_err(|cause| {
            Error::usage(format!("{address} cannot be used: {cause}; choose another port with --port"))
        })?;
        let address = listener.local_addr()?;
        let guard = Guard::of(address)?;
        let here = match address.ip() {
            IpAddr::V4(Ipv4Addr::UNSPECIFIED) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(Ipv6Addr::UNSPECIFIED) => IpAddr::V6(Ipv6Addr::LOCALHOST),
            other => other,
        };
        let elsewhere = match here == address.ip() {
            true => String::new(),
            false => format!("On other hosts, write the name of this one in place of {here}.\n"),
        };
        // In one write: a reader may close the pipe after the first line.
        let text =
            format!("The page is at {}\n{elsewhere}Ctrl-C ends the server.\n", guard.page_address(here));
        out.write_all(text.as_bytes())?;
        out.flush()?;
        if !arguments.no_open && std::io::stdout().is_terminal() {
            // Without a browser, the address is printed and nothing else is needed.
            let _ = open::that_detached(guard.page_address(here));
        }
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        let queue = Queue::new(arguments.jobs.map_or_else(cores, NonZero::get));
        server::serve(listener, Routes::new(guard, queue)?).await
    })
}
