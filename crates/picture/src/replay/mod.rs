//! An HTML page that animates recorded runs: the network with messages in transit, and the space-time diagram.

mod data;
mod holdings;
mod network;
mod sets;

#[cfg(test)]
mod tests;

use std::fmt::Write;

use multicomputer::Run;

use self::data::RunData;
pub use self::network::Network;
use super::PictureError;

/// Maximum number of runs on a page.
const MAX_RUNS: usize = 8;

/// Maximum number of messages on a page, over all runs; browsers become slow with more.
const MAX_MESSAGES: usize = 200_000;

/// The parts of the page: HTML, style sheet, and the scripts in the order of concatenation.
const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
const PROGRAM: [&str; 14] = [
    include_str!("page/units.js"),
    include_str!("page/model.js"),
    include_str!("page/slowed.js"),
    include_str!("page/canvas.js"),
    include_str!("page/network.js"),
    include_str!("page/range.js"),
    include_str!("page/diagram.js"),
    include_str!("page/light.js"),
    include_str!("page/pointing.js"),
    include_str!("page/gestures.js"),
    include_str!("page/delayed.js"),
    include_str!("page/panels.js"),
    include_str!("page/address.js"),
    include_str!("page/player.js"),
];

/// An HTML page that animates [traced](multicomputer::MachineBuilder::trace) runs: a builder that extracts the data of a run when the run is added.
/// The page is self-contained and needs only a browser.
///
/// The network is drawn as in a [heat map](super::Heat). A dot for each message moves along its route in proportion to the bytes that
/// have left the sender, and waits at the receiver until the message has arrived. Links are coloured while a message moves over them,
/// in another colour if several messages share them, or by their total load. Below is the space-time diagram of any range of time, with the
/// critical path and a cursor. Two runs can be shown side by side, on one clock. What is pointed at is lit in all pictures; a delayed message has
/// the messages that slowed it. `docs/pictures.md` describes the keys and the address, which stores the view.
///
/// # Data held by nodes
/// Nodes are coloured by the data that they have received so far:
///
/// * Calls that execute a schedule of blocks (collective operations, s-to-p broadcasts, [`walk`](multicomputer::comm::walk))
///   [record](multicomputer::record::Content) the initial data of each member and the blocks of each message. The colour of a node is the fraction
///   of bytes that it has held, relative to the initial data of all members of the call. For blocks that are combined, the version of each
///   member counts separately. The colour refers to the call that the node began last.
/// * If no call of the run records blocks, the colour of a node is the fraction of all nodes from which messages can
///   have carried data to it, directly or through other nodes.
///
/// # Limits
/// A page has at most 8 runs, and at most 200,000 messages over all runs. Its diagram has at most 360 rows and 20,000
/// message lines, sampled over the whole run by the rules of a [`SpaceTime`](super::SpaceTime#large-machines).
///
/// ```
/// use multicomputer::{Machine, collective::Algorithm, prelude::*};
/// use multicomputer_picture::Replay;
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
    /// Distinct networks, as JSON.
    networks: Vec<String>,
    /// As JSON.
    runs: Vec<String>,
    messages: usize,
}

impl Replay {
    /// Creates a page without runs.
    pub fn new(title: impl Into<String>) -> Replay {
        Replay { title: title.into(), networks: Vec::new(), runs: Vec::new(), messages: 0 }
    }

    /// Adds a run; `title` appears in the list of runs. The first two runs are shown side by side.
    ///
    /// # Errors
    /// [`PictureError`]: the run was not traced, it was under the host's clock, or there are too many runs or messages.
    pub fn run<T>(mut self, title: impl Into<String>, run: &Run<T>) -> Result<Replay, PictureError> {
        self.add(title, run)?;
        Ok(self)
    }

    /// Adds a run like [`run`](Replay::run), in place. On error the page does not change.
    ///
    /// # Errors
    /// The errors of [`run`](Replay::run).
    pub fn add<T>(&mut self, title: impl Into<String>, run: &Run<T>) -> Result<(), PictureError> {
        if !run.report.is_modeled {
            return Err(PictureError::NoNetwork);
        }
        if !run.is_traced() {
            return Err(PictureError::NotTraced);
        }
        let too_many = |what, given, at_most| Err(PictureError::TooMany { what, given, at_most });
        if self.runs.len() == MAX_RUNS {
            return too_many("runs", MAX_RUNS + 1, MAX_RUNS);
        }
        let messages = self.messages + run.trace.transfers.len();
        if messages > MAX_MESSAGES {
            return too_many("messages", messages, MAX_MESSAGES);
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

    /// Returns the maximum number of runs on a page.
    pub const fn most_runs() -> usize {
        MAX_RUNS
    }

    /// Returns the page as HTML.
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
        // Substituted text is not scanned again, because a title may look like a field.
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

/// Serializes data for inclusion in a script element: no text can end the script or begin a comment.
fn json(data: &impl serde::Serialize) -> String {
    // Numbers, texts and lists can always be serialized.
    let text = serde_json::to_string(data).unwrap_or_default();
    text.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Escapes a text for HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // HTML forbids other control characters.
            other if other.is_control() => escaped.push('\u{fffd}'),
            other => {
                let _ = escaped.write_char(other);
            }
        }
    }
    escaped
}
