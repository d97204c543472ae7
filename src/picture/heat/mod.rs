//! The network of a run, drawn as what it is, with the load of every link.

mod draw;
mod labels;
mod layout;
mod panel;
mod scale;

#[cfg(test)]
mod tests;

use super::PictureError;
use crate::{
    machine::Run,
    model::Description,
    record::Trace,
    report::{LinkReport, RunReport},
    time::Span,
};

pub(super) use self::layout::Layout;

use self::draw::Loaded;
use super::traffic::Traffic;

/// The figure of links that a panel of a [heat map](Heat) shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Measure {
    /// The bytes of all messages whose way led over the link.
    Bytes,
    /// The time during which at least one message moved over the link.
    Busy,
    /// The time during which at least two messages moved over the link; of a run that was not traced it is not known.
    Shared,
}

impl Measure {
    const ALL: [Measure; 3] = [Measure::Bytes, Measure::Busy, Measure::Shared];
}

/// The network of a run with the load of every link: a builder.
///
/// The picture has a panel for each [`Measure`] of which any link has a figure, in which every directed link is half an arrow, to the right of the middle of
/// the two: its colour and its width are the class of its figure, out of six between 0 and the largest figure of the run. Links
/// that carried nothing are thin lines. Of a run that was not [traced](crate::MachineBuilder::trace) two panels can be drawn;
/// for the time that links were shared what happened must be known.
///
/// | network | drawn as |
/// | --- | --- |
/// | line, mesh, torus | a grid; links that close a line are two halves, at both of its ends |
/// | mesh and torus of three dimensions | planes behind each other |
/// | ring | a circle |
/// | hypercube | three dimensions as a cube, three more as a cube of cubes, and so on |
/// | tree, fat tree | the nodes in a row below, the root above |
/// | any other of up to 120 vertices | vertices as far from each other on the sheet as there are links between them, as far as that can be: the stress of the drawing is made small from a circle on, in 300 steps |
/// | complete, any other | a circle, with switches on another one within |
///
/// # Large machines
/// * Nodes have their numbers inside where there is room. Otherwise a line, mesh or torus has figures at the left of its rows and
///   above its columns, whose sum is the rank; on other networks every k-th rank has its number beside it, where k is the
///   smallest power of two for which they lie apart.
/// * In each panel the 400 links with the largest figures have tooltips, each with all of its figures; the others of one class
///   are one shape.
/// * At most 20,000 links are drawn in a panel, those with the largest figures. Links that carried nothing are drawn on
///   networks of up to 20,000 links.
///
/// The notes beneath the picture say which of that was done.
///
/// ```
/// use multicomputer::{Machine, picture::{Heat, Measure}, prelude::*};
///
/// let machine = Machine::hockney(1, 4).trace(true).build()?;
/// let run = machine.run(|node| {
///     match node.rank() {
///         0 => node.world().send(2, vec![0_u8; 1000])?,
///         1 => node.world().send(3, vec![1_u8; 1000])?,
///         rank => drop(node.world().recv(rank - 2)?),
///     }
///     Ok(())
/// })?;
/// let svg = Heat::of(&run).title("Two messages share a link").measures([Measure::Shared]).to_svg()?;
/// assert!(svg.contains("node 1 to node 2: 2000 B in 2 messages, busy 100 us, shared 100 us, at most 2 at once"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a picture has to be drawn"]
pub struct Heat<'a> {
    machine: &'a Description,
    report: &'a RunReport,
    /// `None` if it was not kept.
    trace: Option<&'a Trace>,
    title: String,
    measures: Option<Vec<Measure>>,
}

impl<'a> Heat<'a> {
    /// The network of a run.
    pub fn of<T>(run: &'a Run<T>) -> Heat<'a> {
        Heat {
            machine: run.machine(),
            report: &run.report,
            trace: run.is_traced().then_some(&run.trace),
            title: "What every link carried".to_owned(),
            measures: None,
        }
    }

    /// Sets the title; "What every link carried" unless given. Machine and time are beneath it in any case.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the panels, in this order; all that are known unless given.
    pub fn measures(mut self, measures: impl IntoIterator<Item = Measure>) -> Self {
        self.measures = Some(measures.into_iter().collect());
        self
    }

    /// Draws the network.
    ///
    /// # Errors
    /// [`PictureError`]: the run was under the host's clock, the time that links were shared is asked for and the run was not
    /// traced, nothing is to be shown.
    pub fn to_svg(&self) -> Result<String, PictureError> {
        if !self.report.is_modeled {
            return Err(PictureError::NoNetwork);
        }
        let known = if self.trace.is_some() { &Measure::ALL[..] } else { &Measure::ALL[..2] };
        let measures = self.measures.as_deref().unwrap_or(known);
        if measures.is_empty() {
            return Err(PictureError::Empty { what: "measure" });
        }
        if measures.contains(&Measure::Shared) && self.trace.is_none() {
            return Err(PictureError::NotTraced);
        }
        Ok(draw::draw(self, measures, &self.loaded()))
    }

    /// The links that carried a message.
    fn loaded(&self) -> Vec<Loaded<'a>> {
        let traffic = self.trace.map(|trace| Traffic::of(&trace.transfers, &**self.machine.topology()));
        let shared = |link: &LinkReport| {
            let times =
                |traffic: &Traffic| traffic.links.get(&link.id).map_or(Span::ZERO, |times| times.shared);
            traffic.as_ref().map(times)
        };
        self.report.links.iter().map(|link| Loaded { link, shared: shared(link) }).collect()
    }
}
