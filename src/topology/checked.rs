//! A topology of the user's, with the checks that those of this crate need not make.
//!
//! Its numbers and all its links are checked when it becomes part of a machine, each of its routes whenever one is asked for. A
//! method of the trait cannot return an error for a route, so a wrong route panics; [`contained`] makes an error of this panic
//! where many routes are asked for: in planning, predictions and runs.

use std::{
    cell::Cell,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
};

use thiserror::Error;

use super::{Grid, Link, LinkId, MAX_LINKS, MAX_NODES, Topology, TopologyError, Vertex};
use crate::{panics::caught, rank::Rank, text::count};

/// The argument of [`Topology::standing`], which no other crate can name, so none can override the method.
#[derive(Clone, Copy, Debug)]
pub struct Seal(());

/// Whether a topology can be relied on.
#[derive(Clone, Debug)]
pub enum Standing {
    /// It is one of another crate and has to be checked.
    Unchecked,
    /// It is one of this crate, or has been checked, with this result.
    Checked(Result<(), TopologyError>),
}

impl Standing {
    /// The standing of the topologies of this crate.
    pub(super) const SOUND: Standing = Standing::Checked(Ok(()));
}

/// An error in a topology that is not one of this crate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Defect {
    /// A method panicked.
    #[error("`{method}` panicked: {message}")]
    Panicked {
        /// The method.
        method: &'static str,
        /// The message of the panic.
        message: String,
    },
    /// `grid` or `extents` have another number of nodes than `nodes`.
    #[error(
        "`{method}` is {given}, and `nodes` is {nodes}: allowed are extents whose product is the number of nodes"
    )]
    Extents {
        /// The method.
        method: &'static str,
        /// The extents.
        given: String,
        /// The number of nodes.
        nodes: usize,
    },
    /// A link that leads from or to a node that does not exist.
    #[error("link {link} is {given}, and the nodes are 0 to {}", nodes - 1)]
    NoSuchNode {
        /// The number of the link.
        link: LinkId,
        /// Its ends.
        given: Link,
        /// The number of nodes.
        nodes: usize,
    },
    /// A link that ends where it begins.
    #[error("link {link} is {given}: it must lead to another vertex")]
    SelfLoop {
        /// The number of the link.
        link: LinkId,
        /// Its ends.
        given: Link,
    },
    /// A capacity that is not a number above 0.
    #[error("the capacity of link {link} is {given} bytes/s: allowed is a number above 0")]
    Capacity {
        /// The number of the link.
        link: LinkId,
        /// The capacity.
        given: String,
    },
    /// A route that does not lead from its first node to its second one.
    #[error("the route from node {from} to node {to} {why}")]
    Route {
        /// The node at which the route is to begin.
        from: Rank,
        /// The node at which it is to end.
        to: Rank,
        /// What is wrong with it.
        why: String,
    },
}

/// A topology whose numbers, links and routes are checked.
struct Checked {
    inner: Arc<dyn Topology>,
    numbers: Numbers,
    /// The result of the check of all but the routes.
    result: Result<(), TopologyError>,
}

/// What a topology says of itself, asked for once.
#[derive(Default)]
struct Numbers {
    name: String,
    nodes: usize,
    switches: usize,
    links: usize,
    longest_route: Option<usize>,
    grid: Option<Grid>,
    extents: Vec<usize>,
}

/// The same topology if it can be relied on, otherwise one that checks it.
pub(crate) fn checked(topology: Arc<dyn Topology>) -> Arc<dyn Topology> {
    match topology.standing(Seal(())) {
        Standing::Checked(_) => topology,
        Standing::Unchecked => Arc::new(Checked::new(topology)),
    }
}

/// The result of the check of a topology. The routes of a sound one are checked when they are asked for.
pub(crate) fn soundness(topology: &dyn Topology) -> Result<(), TopologyError> {
    match topology.standing(Seal(())) {
        Standing::Checked(result) => result,
        Standing::Unchecked => Ok(()),
    }
}

thread_local! {
    /// Whether this thread is within [`contained`].
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Does something that asks for routes, and returns the error of a wrong one. All other panics pass.
pub(crate) fn contained<T>(work: impl FnOnce() -> T) -> Result<T, TopologyError> {
    let outer = CONTAINED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(outer);
    result.map_err(|panic| match panic.downcast::<TopologyError>() {
        Ok(error) => *error,
        Err(panic) => resume_unwind(panic),
    })
}

/// The result of a method, or its panic.
fn asked<T>(method: &'static str, call: impl FnOnce() -> T) -> Result<T, Defect> {
    caught(call).map_err(|message| Defect::Panicked { method, message })
}

impl Checked {
    fn new(inner: Arc<dyn Topology>) -> Checked {
        let mut checked = Checked { inner, numbers: Numbers::default(), result: Ok(()) };
        checked.result = match checked.inquire() {
            Ok(()) => checked.check(),
            Err(defect) => Err(checked.error(defect)),
        };
        if checked.result.is_err() {
            // Nothing of a size that is wrong may be allocated before somebody looks at the result.
            let name = std::mem::take(&mut checked.numbers.name);
            checked.numbers = Numbers { name, ..Numbers::default() };
        }
        checked
    }

    fn error(&self, defect: Defect) -> TopologyError {
        TopologyError::Unsound { name: self.numbers.name.clone(), defect: Box::new(defect) }
    }

    /// Asks for the numbers.
    fn inquire(&mut self) -> Result<(), Defect> {
        let Checked { inner, numbers, .. } = self;
        numbers.name = asked("name", || inner.name())?;
        let switches = asked("switches", || inner.switches())?;
        let links = asked("links", || inner.links())?;
        let longest_route = asked("longest_route", || inner.longest_route())?;
        let grid = asked("grid", || inner.grid())?;
        let extents = asked("extents", || inner.extents())?;
        let nodes = asked("nodes", || inner.nodes())?;
        let name = std::mem::take(&mut numbers.name);
        *numbers = Numbers { name, nodes, switches, links, longest_route, grid, extents };
        Ok(())
    }

    /// Checks the numbers and all links.
    fn check(&self) -> Result<(), TopologyError> {
        let Numbers { name, nodes, links, grid, extents, .. } = &self.numbers;
        let given = || name.clone();
        match *nodes {
            0 => return Err(TopologyError::Empty { given: given() }),
            1..=MAX_NODES => {}
            _ => return Err(TopologyError::TooLarge { given: given() }),
        }
        if *links > MAX_LINKS {
            return Err(TopologyError::TooManyLinks { given: given() });
        }
        let differ = |method, given: String| self.error(Defect::Extents { method, given, nodes: *nodes });
        if let Some(grid) = grid.filter(|grid| grid.rows.checked_mul(grid.columns) != Some(*nodes)) {
            return Err(differ("grid", grid.to_string()));
        }
        let product = extents.iter().try_fold(1_usize, |product, &extent| product.checked_mul(extent));
        if product != Some(*nodes) {
            let words: Vec<String> = extents.iter().map(usize::to_string).collect();
            return Err(differ("extents", format!("[{}]", words.join(", "))));
        }
        (0..*links).try_for_each(|link| self.check_link(link)).map_err(|defect| self.error(defect))
    }

    fn check_link(&self, link: LinkId) -> Result<(), Defect> {
        let nodes = self.numbers.nodes;
        let given = asked("link", || self.inner.link(link))?;
        let is_there = |vertex| !matches!(vertex, Vertex::Node(node) if node >= nodes);
        if !is_there(given.from) || !is_there(given.to) {
            return Err(Defect::NoSuchNode { link, given, nodes });
        }
        if given.from == given.to {
            return Err(Defect::SelfLoop { link, given });
        }
        match asked("capacity", || self.inner.capacity(link))? {
            Some(capacity) if capacity.is_nan() || capacity <= 0.0 => {
                Err(Defect::Capacity { link, given: capacity.to_string() })
            }
            _ => Ok(()),
        }
    }

    /// Appends a route, after checking that it leads from its first node to its second one.
    fn checked_route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) -> Result<(), Defect> {
        let (before, links) = (route.len(), self.numbers.links);
        asked("route", || self.inner.route(from, to, route))?;
        let wrong = |why: String| Err(Defect::Route { from, to, why });
        let Some(route) = route.get(before..) else {
            return wrong("removes the links that were in the list before it: it is to be appended".into());
        };
        if let Some(longest) = self.numbers.longest_route.filter(|&longest| route.len() > longest) {
            let has = count(route.len() as u64, "link");
            return wrong(format!("has {has}, and `longest_route` is {longest}"));
        }
        let mut reached = Vertex::Node(from);
        for &link in route {
            if link >= links {
                let last = if links == 0 {
                    "there are none".into()
                } else {
                    format!("the links are 0 to {}", links - 1)
                };
                return wrong(format!("takes link {link}, and {last}"));
            }
            let Link { from: start, to: end } = asked("link", || self.inner.link(link))?;
            if start != reached {
                return wrong(format!("takes link {link} from {start} when it is at {reached}"));
            }
            reached = end;
        }
        let goal = Vertex::Node(to);
        if from == to && !route.is_empty() {
            return wrong(format!(
                "has {}: a message of a node to itself takes none",
                count(route.len() as u64, "link")
            ));
        }
        if reached != goal {
            let ends = if route.is_empty() { "has no links".into() } else { format!("ends at {reached}") };
            return wrong(ends);
        }
        Ok(())
    }
}

impl Topology for Checked {
    fn name(&self) -> String {
        self.numbers.name.clone()
    }

    fn nodes(&self) -> usize {
        self.numbers.nodes
    }

    fn switches(&self) -> usize {
        self.numbers.switches
    }

    fn links(&self) -> usize {
        self.numbers.links
    }

    fn link(&self, link: LinkId) -> Link {
        self.inner.link(link)
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        if let Err(defect) = self.checked_route(from, to, route) {
            let error = self.error(defect);
            if CONTAINED.get() {
                // Without the message that a panic prints: the error is returned instead.
                resume_unwind(Box::new(error));
            }
            panic!("{error}");
        }
    }

    fn capacity(&self, link: LinkId) -> Option<f64> {
        self.inner.capacity(link)
    }

    fn longest_route(&self) -> Option<usize> {
        self.numbers.longest_route
    }

    fn grid(&self) -> Option<Grid> {
        self.numbers.grid
    }

    fn extents(&self) -> Vec<usize> {
        self.numbers.extents.clone()
    }

    fn standing(&self, _: Seal) -> Standing {
        Standing::Checked(self.result.clone())
    }
}

impl fmt::Debug for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
