//! The space-time diagram of a run: a row for each node, time from left to right, a line for each message.

pub(super) mod bands;
pub(super) mod bars;
mod critical_path;
mod draw;
mod messages;
mod plot;
pub(super) mod rows;
mod ticks;

#[cfg(test)]
mod tests;

use self::rows::Rows;
use super::{PictureError, critical};
use crate::{machine::Run, model::Description, rank::Rank, record::Trace, report::RunReport, time::Time};

/// The number of rows unless told otherwise.
const MOST_ROWS: usize = 100;

/// The width unless told otherwise, and the smallest, in pixels.
const WIDTH: u32 = 1000;
const LEAST_WIDTH: u32 = 400;

/// The space-time diagram of a run that was [traced](crate::MachineBuilder::trace): a builder.
///
/// Every node has a row, on which bars say what it did:
///
/// | bar | the node |
/// | --- | --- |
/// | computing | computes, combines or copies |
/// | overhead | is busy with a message: o_s at the beginning of a send, o_r (and o_x) at the end of a receive |
/// | sending | waits for a message of its own that is leaving |
/// | receiving | waits for a message that is on its way to it |
/// | waiting | waits for anything else: a message that has not begun to move, its port, a barrier |
///
/// On each node computing and overhead are as long as in the [report](crate::record::NodeRecord), and sending, receiving and
/// waiting together as long as its `waiting`. A line for each message leads from the instant at which it takes its sender's
/// out-port to the instant at which it arrives. It is dashed if the message shared a link with another one at any time, and red
/// if it took longer than its bytes take (n beta). Bands above the rows are phases, operations of the library and their steps,
/// from the first node's beginning to the last one's end; under the bars are the steps of each node. The
/// [critical path](crate::analysis::CriticalPath) has thick frames around what it goes over on nodes, and thick lines along messages.
/// Under the host's clock, where no message is on a way, lines lead from the beginning of a send to the end of its receive.
///
/// # Large machines
/// * At most 100 nodes have a row, or as [many](SpaceTime::rows) as asked for: all ranks of the critical path, and every k-th
///   rank, where k is the smallest power of two for which the rows suffice. A path over more ranks than rows has its own
///   stride. A rank without a row has its place between the rows of its neighbours: a line that ends there is pale.
/// * At most 1500 messages have lines: the 150 with the largest delay, then those between rows, then the others, evenly spaced
///   in the order of time.
/// * Bars have tooltips up to 1000 of them; if there are more, the bars of one kind on one row are drawn as one, with their sum.
/// * Messages have tooltips up to 600; if more are drawn, the 300 with the largest delay have.
/// * The critical path is always whole; its stretches have tooltips up to 300.
/// * Bars narrower than 0.05 pixels are not drawn, nor bands beyond six lanes.
///
/// The notes beneath the picture say which of that was done.
///
/// ```
/// use multicomputer::{Machine, picture::SpaceTime, prelude::*};
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
/// let svg = SpaceTime::of(&run).title("Two messages share a link").to_svg()?;
/// assert!(svg.contains("0 to 2: 1000 B, 100 us from 65 us; shared a link, lost 50 us"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a picture has to be drawn"]
pub struct SpaceTime<'a> {
    machine: &'a Description,
    report: &'a RunReport,
    trace: &'a Trace,
    is_traced: bool,
    title: String,
    width: u32,
    rows: usize,
    nodes: Option<Vec<Rank>>,
    marks: Vec<Marks>,
}

/// Pieces of time that are marked alike.
#[derive(Clone, Debug)]
struct Marks {
    name: String,
    pieces: Vec<(Rank, Time, Time)>,
}

impl<'a> SpaceTime<'a> {
    /// The diagram of a run.
    pub fn of<T>(run: &'a Run<T>) -> SpaceTime<'a> {
        SpaceTime {
            machine: run.machine(),
            report: &run.report,
            trace: &run.trace,
            is_traced: run.is_traced(),
            title: "What every node did".to_owned(),
            width: WIDTH,
            rows: MOST_ROWS,
            nodes: None,
            marks: Vec::new(),
        }
    }

    /// Sets the title; "What every node did" unless given. Machine and time are beneath it in any case.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the width in pixels: 1000 unless given, at least 400. The height follows from the number of rows.
    pub fn width(mut self, pixels: u32) -> Self {
        self.width = pixels.max(LEAST_WIDTH);
        self
    }

    /// Sets the largest number of rows: 100 unless given, at least 1. Which nodes have one on a larger machine is said
    /// [above](SpaceTime#large-machines).
    pub fn rows(mut self, at_most: usize) -> Self {
        self.rows = at_most.max(1);
        self
    }

    /// Sets the nodes that have a row, as ranks of the world, in this order; as many as a picture can have unless given.
    ///
    /// ```
    /// # use multicomputer::{Machine, picture::{PictureError, SpaceTime}};
    /// # let run = Machine::paragon(4, 4).trace(true).build()?.run(|node| Ok(node.world().barrier()?))?;
    /// let column = SpaceTime::of(&run).nodes([0, 4, 8, 12]).to_svg()?;
    /// assert!(column.contains("Rows: the ranks that were asked for (4 of 16)."));
    /// let none = SpaceTime::of(&run).nodes([16]).to_svg();
    /// assert_eq!(none, Err(PictureError::NoSuchNode { given: 16, nodes: 16 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nodes(mut self, ranks: impl IntoIterator<Item = Rank>) -> Self {
        self.nodes = Some(ranks.into_iter().collect());
        self
    }

    /// Marks pieces of time with a frame around them: node, begin and end of each. The name is for the legend. May be called
    /// several times; pieces of nodes without a row are not shown.
    ///
    /// ```
    /// use multicomputer::{Machine, Time, picture::SpaceTime, prelude::*};
    ///
    /// let machine = Machine::paragon(1, 2).trace(true).build()?;
    /// let run = machine.run(|node| Ok(node.compute(Span::from_micros(5 * (1 + node.rank() as u64)))?))?;
    /// let last = run.report.modeled;
    /// let svg = SpaceTime::of(&run).mark("the longest", [(1, Time::ZERO, last)]).to_svg()?;
    /// assert!(svg.contains("the longest"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mark(
        mut self,
        name: impl Into<String>,
        pieces: impl IntoIterator<Item = (Rank, Time, Time)>,
    ) -> Self {
        self.marks.push(Marks { name: name.into(), pieces: pieces.into_iter().collect() });
        self
    }

    /// Draws the diagram.
    ///
    /// # Errors
    /// [`PictureError`]: the run was not traced, a node that is to be shown or marked is not there, no node is to be shown.
    pub fn to_svg(&self) -> Result<String, PictureError> {
        if !self.is_traced {
            return Err(PictureError::NotTraced);
        }
        let nodes = self.machine.nodes();
        let mut marked = self.marks.iter().flat_map(|marks| &marks.pieces).map(|piece| piece.0);
        if let Some(given) = marked.find(|&rank| rank >= nodes) {
            return Err(PictureError::NoSuchNode { given, nodes });
        }
        // Under the host's clock there is no path.
        let path = match self.report.is_modeled {
            true => critical::stretches(self.trace, self.machine),
            false => Vec::new(),
        };
        let rows = match &self.nodes {
            Some(ranks) => Rows::asked_for(ranks, nodes)?,
            None => Rows::thinned(&self.report.nodes, self.rows, &path),
        };
        if rows.ranks.is_empty() {
            return Err(PictureError::Empty { what: "node" });
        }
        Ok(draw::draw(self, &rows, &path))
    }
}
