//! A page on which recorded runs are played: the network with its messages on their way, and the space-time diagram.

mod data;
mod holdings;
mod network;
mod sets;

#[cfg(test)]
mod tests;

use std::fmt::Write;

use super::PictureError;
use crate::machine::Run;

use self::{data::RunData, network::Network};

/// The largest number of runs on a page.
const MOST_RUNS: usize = 8;

/// The largest number of messages on a page, of all runs together: a browser gets slow beyond.
const MOST_MESSAGES: usize = 200_000;

/// The parts of the page: what is written, how it looks, and the program that draws, in the order in which it is put together.
const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
const PROGRAM: [&str; 4] = [
    include_str!("page/model.js"),
    include_str!("page/network.js"),
    include_str!("page/diagram.js"),
    include_str!("page/player.js"),
];

/// A page in HTML on which [traced](crate::MachineBuilder::trace) runs are played: a builder that takes what it needs of each
/// run at once. The page needs no network and nothing but a browser.
///
/// The network is drawn as in a [heat map](super::Heat). A dot for each message is as far along its way as bytes of it have left
/// the sender, and waits at the receiver until it has arrived; links are coloured while something moves over them, and
/// otherwise where several messages share them. Below is the space-time diagram, with the critical path and a cursor. Two
/// runs can be beside each other, on one clock. `docs/pictures.md` tells of the keys and of the address, which keeps what is shown.
///
/// # What nodes hold
/// Nodes are coloured by what they have had so far, which is known, not guessed:
///
/// * Calls that carry out a schedule of blocks (collective operations, s-to-p broadcasts, [`walk`](crate::comm::walk))
///   [record](crate::record::Content) what each member has in the beginning and which blocks come with which message. A node is
///   coloured by the bytes that it has had, as a share of all that the members of the call had together in the beginning. Of
///   blocks that are combined each member's version counts by itself. After another call has begun, that one counts.
/// * If no call of the run tells that, a node is coloured by the share of all nodes from which messages can have brought it
///   something, directly or over others.
///
/// # Limits
/// A page has at most 8 runs, and 200,000 messages of all runs together. Its diagram has at most 360 rows and 20,000 lines of
/// messages, chosen over the whole run by the rules of a [`SpaceTime`](super::SpaceTime#large-machines).
///
/// ```
/// use multicomputer::{Machine, collective::Algorithm, picture::Replay, prelude::*};
///
/// let machine = Machine::hockney(4, 4).trace(true).build()?;
/// let broadcast = |algorithm: Algorithm| {
///     machine.run(|node| Ok(node.world().using(&algorithm).broadcast(0, &mut [node.rank() as u8; 1000])?))
/// };
/// let page = Replay::new("Two broadcasts")
///     .run("short", &broadcast(Algorithm::SHORT)?)?
///     .run("long", &broadcast(Algorithm::LONG)?)?
///     .to_html()?;
/// assert!(page.starts_with("<!doctype html>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a page has to be written"]
pub struct Replay {
    title: String,
    /// In JSON, each once.
    networks: Vec<String>,
    /// In JSON.
    runs: Vec<String>,
    messages: usize,
}

impl Replay {
    /// A page without runs.
    pub fn new(title: impl Into<String>) -> Replay {
        Replay { title: title.into(), networks: Vec::new(), runs: Vec::new(), messages: 0 }
    }

    /// Adds a run; the title is for the list of runs. The first two are shown beside each other.
    ///
    /// # Errors
    /// [`PictureError`]: the run was not traced, it was under the host's clock, there are too many runs or messages.
    pub fn run<T>(mut self, title: impl Into<String>, run: &Run<T>) -> Result<Replay, PictureError> {
        self.add(title, run)?;
        Ok(self)
    }

    /// As [`run`](Replay::run), in place; a run that cannot be added leaves the page as it is.
    ///
    /// # Errors
    /// As those of [`run`](Replay::run).
    pub fn add<T>(&mut self, title: impl Into<String>, run: &Run<T>) -> Result<(), PictureError> {
        if !run.report.is_modeled {
            return Err(PictureError::NoNetwork);
        }
        if !run.is_traced() {
            return Err(PictureError::NotTraced);
        }
        let too_many = |what, given, at_most| Err(PictureError::TooMany { what, given, at_most });
        if self.runs.len() == MOST_RUNS {
            return too_many("runs", MOST_RUNS + 1, MOST_RUNS);
        }
        let messages = self.messages + run.trace.transfers.len();
        if messages > MOST_MESSAGES {
            return too_many("messages", messages, MOST_MESSAGES);
        }
        let network = json(&Network::of(&**run.machine().topology()));
        let known = self.networks.iter().position(|known| *known == network).unwrap_or_else(|| {
            self.networks.push(network);
            self.networks.len() - 1
        });
        self.runs.push(json(&RunData::of(title.into(), known, run)));
        self.messages = messages;
        Ok(())
    }

    /// The most runs that a page has.
    pub const fn most_runs() -> usize {
        MOST_RUNS
    }

    /// Writes the page.
    ///
    /// # Errors
    /// [`PictureError::Empty`] if there is no run.
    pub fn to_html(&self) -> Result<String, PictureError> {
        if self.runs.is_empty() {
            return Err(PictureError::Empty { what: "run" });
        }
        let mut program = String::from("(() => {\n\"use strict\";\n");
        PROGRAM.iter().for_each(|part| program.push_str(part));
        program.push_str("})();\n");
        let data = format!(
            "{{\"networks\":[\n{}\n],\"runs\":[\n{}\n]}}",
            self.networks.join(",\n"),
            self.runs.join(",\n")
        );
        let fields = [
            ("title", escaped(&self.title)),
            ("style", STYLE.to_owned()),
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("data", data),
            ("program", program),
        ];
        // A field is not looked at again: a title may have the form of a field.
        let (mut page, mut rest) = (String::new(), PAGE);
        while let Some((before, behind)) = rest.split_once("{{") {
            page.push_str(before);
            let (name, behind) = behind.split_once("}}").unwrap_or((behind, ""));
            page.extend(fields.iter().filter(|field| field.0 == name).map(|field| &*field.1));
            rest = behind;
        }
        page.push_str(rest);
        Ok(page)
    }
}

/// Data as a script may have it inside: no text of it ends the script or begins a comment.
fn json(data: &impl serde::Serialize) -> String {
    // Plain numbers, texts and lists: there is always a way to write them.
    let text = serde_json::to_string(data).unwrap_or_default();
    text.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// A text as HTML has it.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // HTML has no other control characters.
            other if other.is_control() => escaped.push('\u{fffd}'),
            other => {
                let _ = escaped.write_char(other);
            }
        }
    }
    escaped
}
