//! Faults as texts and as tables of machine files.

use std::{fmt, str::FromStr};

use serde::Deserialize;

use super::{Fault, FaultError};
use crate::{
    time::{Span, Time},
    topology::{Link, Vertex},
    units,
};

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Fault, FaultError> {
        let unknown = || FaultError::Text(text.to_owned());
        let (what, at) = text.rsplit_once('@').ok_or_else(unknown)?;
        let at = instant(at)?;
        let (kind, what) = what.split_once(':').ok_or_else(unknown)?;
        let fault = match kind {
            "node" => rank(what).map(|rank| Fault::Node { rank, at }),
            "dead" => ends(what).map(|(link, both)| Fault::Dead { link, both, at }),
            "slow" => what.split_once(':').and_then(|(link, factor)| {
                let (link, both) = ends(link)?;
                Some(Fault::Slow { link, both, factor: factor.trim().parse().ok()?, at })
            }),
            _ => None,
        };
        fault.ok_or_else(unknown)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at().to_string().replace(' ', "");
        match self {
            Fault::Node { rank, .. } => write!(f, "node:{rank}@{at}"),
            Fault::Dead { link, both, .. } => write!(f, "dead:{}@{at}", spelled(link, *both)),
            Fault::Slow { link, both, factor, .. } => {
                write!(f, "slow:{}:{factor}@{at}", spelled(link, *both))
            }
        }
    }
}

/// A table `[[fault]]` of a machine file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of a fault")]
pub(in crate::model) struct FaultTable {
    slow: Option<String>,
    dead: Option<String>,
    node: Option<usize>,
    factor: Option<f64>,
    at: String,
}

impl FaultTable {
    /// Returns the fault that the table describes.
    pub(in crate::model) fn fault(&self) -> Result<Fault, FaultError> {
        let at = instant(&self.at)?;
        let link = |text: &String| ends(text).ok_or_else(|| FaultError::Text(text.clone()));
        match (&self.slow, &self.dead, self.node, self.factor) {
            (Some(slow), None, None, Some(factor)) => {
                link(slow).map(|(link, both)| Fault::Slow { link, both, factor, at })
            }
            (None, Some(dead), None, None) => link(dead).map(|(link, both)| Fault::Dead { link, both, at }),
            (None, None, Some(rank), None) => Ok(Fault::Node { rank, at }),
            _ => Err(FaultError::Keys),
        }
    }
}

/// Spells a fault as a table of a machine file.
pub(in crate::model) fn table(fault: &Fault) -> String {
    let what = match fault {
        Fault::Node { rank, .. } => format!("node = {rank}"),
        Fault::Dead { link, both, .. } => format!("dead = \"{}\"", spelled(link, *both)),
        Fault::Slow { link, both, factor, .. } => {
            format!("slow = \"{}\"\nfactor = {factor:e}", spelled(link, *both))
        }
    };
    format!("[[fault]]\n{what}\nat = \"{}\"", fault.at())
}

fn instant(text: &str) -> Result<Time, FaultError> {
    let seconds = units::parse_seconds(text.trim()).map_err(FaultError::Unit)?;
    Ok(Time::ZERO + Span::from_secs_f64(seconds))
}

fn rank(text: &str) -> Option<usize> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Reads the ends of a link, and whether both directions are meant.
fn ends(text: &str) -> Option<(Link, bool)> {
    let vertex = |text: &str| match text.trim().strip_prefix('s') {
        Some(number) => rank(number).map(Vertex::Switch),
        None => rank(text.trim()).map(Vertex::Node),
    };
    let (from, to) = text.split_once('-')?;
    let (to, both) = to.strip_prefix('>').map_or((to, true), |to| (to, false));
    Some((Link { from: vertex(from)?, to: vertex(to)? }, both))
}

fn spelled(link: &Link, both: bool) -> String {
    let vertex = |vertex| match vertex {
        Vertex::Node(rank) => rank.to_string(),
        Vertex::Switch(number) => format!("s{number}"),
    };
    format!("{}{}{}", vertex(link.from), if both { "-" } else { "->" }, vertex(link.to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written() {
        for text in ["node:5@1ms", "dead:3-4@2ms", "dead:s1->4@0s", "slow:3->4:0.5@2us"] {
            assert_eq!(text.parse::<Fault>().unwrap().to_string(), text);
        }
        for text in
            ["", "node:5", "node:x@1ms", "dead:3@1ms", "slow:3-4@1ms", "slow:3-4:x@1ms", "lost:3-4@1ms"]
        {
            let refusal = text.parse::<Fault>().unwrap_err().to_string();
            assert!(refusal.starts_with(&format!("unknown fault `{text}`")), "{refusal}");
        }
        let refusal = "node:5@soon".parse::<Fault>().unwrap_err().to_string();
        assert!(refusal.starts_with("the instant of a fault: "), "{refusal}");
    }
}
