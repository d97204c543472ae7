//! The space-time diagram of a run: one row per node, time from left to right, one line per message.

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

use multicomputer::{Rank, Run, Time, model::MachineSpec, record::Trace, report::RunReport};

use self::rows::Rows;
use super::{PictureError, canvas::Theme, critical};

/// Default maximum number of rows.
const MAX_ROWS: usize = 100;

/// Default width and minimum width in pixels.
const WIDTH: u32 = 1000;
const MIN_WIDTH: u32 = 400;

/// The space-time diagram of a run that was [traced](multicomputer::MachineBuilder::trace): a builder.
///
/// Every node has a row, whose bars show its activity:
///
/// | bar | the node |
/// | --- | --- |
/// | computing | computes, combines or copies |
/// | overhead | processes a message: o_s at the beginning of a send, o_r (and o_x) at the end of a receive |
/// | sending | waits until its message has left |
/// | receiving | waits for a message that is in transit to the node |
/// | waiting | waits for anything else: a message that has not begun to move, its port, a barrier |
///
/// On each node the sums of computing and overhead equal those of the [report](multicomputer::record::NodeRecord), and the sum of sending,
/// receiving and waiting equals its `waiting`. A line for each message leads from the time at which it takes its sender's out-port to its
/// arrival. The line is dashed if the message shared a link with another message, and red if the message took longer to leave than n beta.
/// Bands above the rows are phases, library operations and their steps, from the first node's start to the last node's end; the steps of
/// each node are under its bars. The [critical path](multicomputer::analysis::CriticalPath) has thick frames around its stretches on nodes, and
/// thick lines along messages. Under the host's clock messages have no transit times; lines lead from the start of a send to the end of its
/// receive.
///
/// # Large machines
/// * At most 100 nodes have a row (see [`rows`](SpaceTime::rows)): all ranks of the critical path, and every k-th rank, where k
///   is the smallest power of two for which the rows suffice. A path over more ranks than rows is sampled with a separate
///   stride. A rank without a row has a position between the rows of its neighbours; lines that end there are pale.
/// * At most 1500 messages have lines: up to 150 with the largest delay. The other lines are divided equally between messages between rows
///   and other messages, each sampled evenly in the order of time.
/// * Bars have tooltips if there are at most 1000; otherwise the bars of one kind on one row are merged, and show their sum.
/// * Messages have tooltips if at most 600 are drawn; otherwise only the 300 with the largest delay have tooltips.
/// * The critical path is always complete; its stretches have tooltips if there are at most 300.
/// * Bars narrower than 0.05 px and bands beyond six lanes are not drawn.
///
/// The notes below the picture list the reductions that were applied.
///
/// ```
/// use multicomputer::{Machine, prelude::*};
/// use multicomputer_picture::SpaceTime;
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
/// assert!(svg.contains("0 to 2: 1000 B, 100 us from 65 us; shared a link, delayed by 50 us"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a picture has to be drawn"]
pub struct SpaceTime<'a> {
    machine: &'a MachineSpec,
    report: &'a RunReport,
    trace: &'a Trace,
    is_traced: bool,
    title: String,
    width: u32,
    rows: usize,
    nodes: Option<Vec<Rank>>,
    marks: Vec<Marks>,
    window: Option<(Time, Time)>,
    theme: Theme,
}

/// Periods that are marked under one name.
#[derive(Clone, Debug)]
struct Marks {
    name: String,
    pieces: Vec<(Rank, Time, Time)>,
}

impl<'a> SpaceTime<'a> {
    /// Creates the diagram of a run.
    pub fn of<T>(run: &'a Run<T>) -> SpaceTime<'a> {
        SpaceTime {
            machine: run.machine(),
            report: &run.report,
            trace: &run.trace,
            is_traced: run.is_traced(),
            title: "What every node did".to_owned(),
            width: WIDTH,
            rows: MAX_ROWS,
            nodes: None,
            marks: Vec::new(),
            window: None,
            theme: Theme::Auto,
        }
    }

    /// Sets the title (default "What every node did"). The machine and the time are shown below the title.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the width in pixels (default 1000, minimum 400). The height depends on the number of rows.
    pub fn width(mut self, pixels: u32) -> Self {
        self.width = pixels.max(MIN_WIDTH);
        self
    }

    /// Sets the maximum number of rows (default 100, minimum 1). [Large machines](SpaceTime#large-machines) describes
    /// which nodes have a row.
    pub fn rows(mut self, at_most: usize) -> Self {
        self.rows = at_most.max(1);
        self
    }

    /// Sets the nodes that have a row, as world ranks in this order. By default all nodes have a row, up to the maximum number.
    ///
    /// ```
    /// # use multicomputer::Machine;
    /// # use multicomputer_picture::{PictureError, SpaceTime};
    /// # let run = Machine::paragon(4, 4).trace(true).build()?.run(|node| Ok(node.world().barrier()?))?;
    /// let column = SpaceTime::of(&run).nodes([0, 4, 8, 12]).to_svg()?;
    /// assert!(column.contains("Rows: the selected ranks (4 of 16)."));
    /// let none = SpaceTime::of(&run).nodes([16]).to_svg();
    /// assert_eq!(none, Err(PictureError::NoSuchNode { given: 16, nodes: 16 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nodes(mut self, ranks: impl IntoIterator<Item = Rank>) -> Self {
        self.nodes = Some(ranks.into_iter().collect());
        self
    }

    /// Sets the time that is shown (default: the whole run). Bars and lines are cut at its ends.
    ///
    /// ```
    /// # use multicomputer::{Machine, Span, Time};
    /// # use multicomputer_picture::{PictureError, SpaceTime};
    /// # let run = Machine::paragon(2, 2).trace(true).build()?.run(|node| Ok(node.world().barrier()?))?;
    /// let at = |micros| Time::ZERO + Span::from_micros(micros);
    /// let part = SpaceTime::of(&run).window(at(100), at(200)).to_svg()?;
    /// assert!(part.contains("Only the time from 100 us to 200 us is shown"));
    /// let later = SpaceTime::of(&run).window(run.report.makespan, Time::MAX).to_svg();
    /// assert_eq!(later, Err(PictureError::Empty { what: "instant of the run" }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn window(mut self, from: Time, to: Time) -> Self {
        self.window = Some((from, to));
        self
    }

    /// Sets the colours.
    pub fn theme(mut self, theme: Theme) -> Self {
        self.theme = theme;
        self
    }

    /// Marks periods with a frame; each period is a node, a start and an end. `name` is shown in the legend. May be
    /// called several times; periods of nodes without a row are not shown.
    ///
    /// ```
    /// use multicomputer::{Machine, Time, prelude::*};
    /// use multicomputer_picture::SpaceTime;
    ///
    /// let machine = Machine::paragon(1, 2).trace(true).build()?;
    /// let run = machine.run(|node| Ok(node.compute(Span::from_micros(5 * (1 + node.rank() as u64)))?))?;
    /// let last = run.report.makespan;
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
    /// [`PictureError`]: the run was not traced, a node to show or mark does not exist, or no node or no instant is selected.
    pub fn to_svg(&self) -> Result<String, PictureError> {
        if !self.is_traced {
            return Err(PictureError::NotTraced);
        }
        let nodes = self.machine.nodes();
        let mut marked = self.marks.iter().flat_map(|marks| &marks.pieces).map(|piece| piece.0);
        if let Some(given) = marked.find(|&rank| rank >= nodes) {
            return Err(PictureError::NoSuchNode { given, nodes });
        }
        // Under the host's clock there is no critical path.
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
        let window = self.window.map(|(from, to)| (from, to.min(self.report.makespan)));
        if window.is_some_and(|(from, to)| from >= to) {
            return Err(PictureError::Empty { what: "instant of the run" });
        }
        let path: Vec<_> =
            path.into_iter().filter(|stretch| is_shown(window, stretch.start, stretch.end)).collect();
        Ok(draw::draw(self, window, &rows, &path))
    }
}

/// Returns whether a period is at least partly in the window.
fn is_shown(window: Option<(Time, Time)>, start: Time, end: Time) -> bool {
    window.is_none_or(|(from, to)| start < to && end > from)
}
