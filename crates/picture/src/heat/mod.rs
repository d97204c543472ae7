//! Heat map: the network of a run, drawn by its structure, with the load of every link.

mod draw;
mod labels;
mod layout;
mod panel;
mod scale;

#[cfg(test)]
mod tests;

use multicomputer::{
    Run, Span,
    model::MachineSpec,
    record::Trace,
    report::{LinkReport, RunReport},
};

use super::{PictureError, canvas::Theme};

pub(super) use self::layout::Layout;

use self::draw::Loaded;
use super::traffic::Traffic;

/// The link quantity that a panel of a [heat map](Heat) shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Measure {
    /// The total bytes of all messages routed over the link.
    Bytes,
    /// The time during which at least one message moved over the link.
    Busy,
    /// The time during which at least two messages moved over the link; unknown for a run that was not traced.
    Shared,
}

impl Measure {
    const ALL: [Measure; 3] = [Measure::Bytes, Measure::Busy, Measure::Shared];
}

/// The network of a run with the load of every link: a builder.
///
/// The picture has one panel for each [`Measure`] with a non-zero value. Every directed link is half an arrow, on the
/// right-hand side of its direction. Its colour and width show the class of its value, one of six between 0 and the
/// largest value of the run. Links that carried no message are thin lines. A run without a
/// [trace](multicomputer::MachineBuilder::trace) has two panels, because the shared time of links needs a trace.
///
/// | network | drawn as |
/// | --- | --- |
/// | line, mesh, torus | a grid; wraparound links are two halves, one at each end |
/// | mesh and torus of three dimensions | planes behind each other |
/// | ring | a circle |
/// | hypercube | three dimensions as a cube, three more as a cube of cubes, and so on |
/// | tree, fat tree | the nodes in a row below, the root above |
/// | any other of up to 120 vertices | drawn distances approximate distances in links (stress majorization, 300 steps) |
/// | complete, any other | a circle, with switches on an inner circle |
///
/// # Large machines
/// * Nodes contain their numbers where there is enough space. Otherwise a line, mesh or torus has labels left of its
///   rows and above its columns, whose sum is the rank; on other networks every k-th rank has its number beside it,
///   where k is the smallest power of two for which the labels do not overlap.
/// * In each panel the 400 links with the largest values have tooltips, each with all of its values; the other links of
///   one class are one shape.
/// * At most 20,000 links are drawn in a panel, the links with the largest values. Links without load are drawn on
///   networks of up to 20,000 links.
///
/// The notes below the picture list the reductions that were applied.
///
/// ```
/// use multicomputer::{Machine, prelude::*};
/// use multicomputer_picture::{Heat, Measure};
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
    machine: &'a MachineSpec,
    report: &'a RunReport,
    /// `None` if the run was not traced.
    trace: Option<&'a Trace>,
    title: String,
    measures: Option<Vec<Measure>>,
    theme: Theme,
}

impl<'a> Heat<'a> {
    /// Creates the heat map of a run.
    pub fn of<T>(run: &'a Run<T>) -> Heat<'a> {
        Heat {
            machine: run.machine(),
            report: &run.report,
            trace: run.is_traced().then_some(&run.trace),
            title: "What every link carried".to_owned(),
            measures: None,
            theme: Theme::Auto,
        }
    }

    /// Sets the title (default "What every link carried"). The machine and the time are shown below the title.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the colours.
    pub fn theme(mut self, theme: Theme) -> Self {
        self.theme = theme;
        self
    }

    /// Sets the panels and their order (default: all measures that the run has).
    pub fn measures(mut self, measures: impl IntoIterator<Item = Measure>) -> Self {
        self.measures = Some(measures.into_iter().collect());
        self
    }

    /// Draws the network.
    ///
    /// # Errors
    /// [`PictureError`]: the run was under the host's clock, the shared time of links is requested for a run without a
    /// trace, or the list of measures is empty.
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

    /// Returns the links that carried a message.
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
