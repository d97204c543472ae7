//! Validation of topologies that other crates implement.
//!
//! The properties and all links of such a topology are validated when it becomes part of a machine, and each route whenever a caller
//! requests it. [`Topology::route`] cannot return an error, so an invalid route panics. [`catch_route_error`] turns this panic back into an
//! error in the three callers that request routes: planning, prediction, and the kernel of a run.

use std::{
    cell::Cell,
    collections::BTreeSet,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
};

use thiserror::Error;

use super::{Grid, Link, LinkId, MAX_LINKS, MAX_NODES, Topology, TopologyError, Vertex};
use crate::{panics::caught, rank::Rank, text::count, time::Span};

/// The argument of [`Topology::validation`]. No other crate can name this type, so no other crate can override the method.
#[derive(Clone, Copy, Debug)]
pub struct Seal(());

/// The state of the validation of a topology.
#[derive(Clone, Debug)]
pub enum Validation {
    /// The topology is implemented by another crate and has not been validated.
    Pending,
    /// The topology is implemented by this crate, or has been validated with this result.
    Done(Result<(), TopologyError>),
}

impl Validation {
    /// The state of the topologies of this crate.
    pub(super) const VALID: Validation = Validation::Done(Ok(()));
}

/// A defect of a topology that another crate implements.
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
    /// The product of `grid` or `extents` differs from `nodes`.
    #[error(
        "`{method}` is {given}, but `nodes` is {nodes}: the product of the extents must be the number of nodes"
    )]
    Extents {
        /// The method.
        method: &'static str,
        /// The extents.
        given: String,
        /// The number of nodes.
        nodes: usize,
    },
    /// A link from or to a node that does not exist.
    #[error("link {link} is {given}, but the nodes are 0 to {}", nodes - 1)]
    NoSuchNode {
        /// The number of the link.
        link: LinkId,
        /// Its ends.
        given: Link,
        /// The number of nodes.
        nodes: usize,
    },
    /// A link that ends where it begins.
    #[error("link {link} is {given}: a link must join two different vertices")]
    SelfLoop {
        /// The number of the link.
        link: LinkId,
        /// Its ends.
        given: Link,
    },
    /// A capacity that is not a number above 0.
    #[error("the capacity of link {link} is {given} bytes/s: it must be a number above 0")]
    Capacity {
        /// The number of the link.
        link: LinkId,
        /// The capacity.
        given: String,
    },
    /// The number of latencies differs from the number of links.
    #[error("`latencies` returns {given} times: it must return one for each of the {links} links, or none")]
    Latencies {
        /// The number of times.
        given: usize,
        /// The number of links.
        links: usize,
    },
    /// A route that does not lead from its source to its destination.
    #[error("the route from node {from} to node {to} {why}")]
    Route {
        /// The source.
        from: Rank,
        /// The destination.
        to: Rank,
        /// The defect, as a predicate of "the route".
        why: String,
    },
}

/// A topology of another crate whose properties, links and routes are validated.
struct Validated {
    inner: Arc<dyn Topology>,
    properties: CachedProperties,
    /// The result of the validation without routes.
    result: Result<(), TopologyError>,
}

/// The results of the methods without arguments, each called once.
#[derive(Default)]
struct CachedProperties {
    name: String,
    nodes: usize,
    switches: usize,
    links: usize,
    longest_route: Option<usize>,
    grid: Option<Grid>,
    extents: Vec<usize>,
}

/// Returns the topology itself if it is validated already, and otherwise a wrapper that validates it.
pub(crate) fn validated(topology: Arc<dyn Topology>) -> Arc<dyn Topology> {
    match topology.validation(Seal(())) {
        Validation::Done(_) => topology,
        Validation::Pending => Arc::new(Validated::new(topology)),
    }
}

/// Returns the result of the validation, which does not include routes.
///
/// # Errors
/// The first defect of the properties or links.
pub(crate) fn validate(topology: &dyn Topology) -> Result<(), TopologyError> {
    match topology.validation(Seal(())) {
        Validation::Done(result) => result,
        Validation::Pending => Ok(()),
    }
}

thread_local! {
    /// Whether this thread is inside [`catch_route_error`].
    static CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, and returns the error of an invalid route that `work` requests. All other panics continue.
///
/// # Errors
/// [`TopologyError::Invalid`].
pub(crate) fn catch_route_error<T>(work: impl FnOnce() -> T) -> Result<T, TopologyError> {
    let outer = CATCHING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(outer);
    result.map_err(|panic| match panic.downcast::<TopologyError>() {
        Ok(error) => *error,
        Err(panic) => resume_unwind(panic),
    })
}

/// Calls a method of the topology and returns a panic as a defect.
fn call<T>(name: &'static str, method: impl FnOnce() -> T) -> Result<T, Defect> {
    caught(method).map_err(|message| Defect::Panicked { method: name, message })
}

impl Validated {
    fn new(inner: Arc<dyn Topology>) -> Validated {
        let mut validated = Validated { inner, properties: CachedProperties::default(), result: Ok(()) };
        validated.result = match validated.query() {
            Ok(()) => validated.check(),
            Err(defect) => Err(validated.error(defect)),
        };
        if validated.result.is_err() {
            // Callers may allocate memory by these properties before they check the result.
            let name = std::mem::take(&mut validated.properties.name);
            validated.properties = CachedProperties { name, ..CachedProperties::default() };
        }
        validated
    }

    fn error(&self, defect: Defect) -> TopologyError {
        TopologyError::Invalid { name: self.properties.name.clone(), defect: Box::new(defect) }
    }

    /// Calls the methods without arguments.
    fn query(&mut self) -> Result<(), Defect> {
        let Validated { inner, properties, .. } = self;
        properties.name = call("name", || inner.name())?;
        let switches = call("switches", || inner.switches())?;
        let links = call("links", || inner.links())?;
        let longest_route = call("longest_route", || inner.longest_route())?;
        let grid = call("grid", || inner.grid())?;
        let extents = call("extents", || inner.extents())?;
        let nodes = call("nodes", || inner.nodes())?;
        let name = std::mem::take(&mut properties.name);
        *properties = CachedProperties { name, nodes, switches, links, longest_route, grid, extents };
        Ok(())
    }

    /// Validates the properties and all links.
    fn check(&self) -> Result<(), TopologyError> {
        let CachedProperties { name, nodes, links, grid, extents, .. } = &self.properties;
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
        let latencies =
            call("latencies", || self.inner.latencies().len()).map_err(|defect| self.error(defect))?;
        if latencies > 0 && latencies != *links {
            return Err(self.error(Defect::Latencies { given: latencies, links: *links }));
        }
        (0..*links).try_for_each(|link| self.check_link(link)).map_err(|defect| self.error(defect))
    }

    fn check_link(&self, link: LinkId) -> Result<(), Defect> {
        let nodes = self.properties.nodes;
        let given = call("link", || self.inner.link(link))?;
        let is_there = |vertex| !matches!(vertex, Vertex::Node(node) if node >= nodes);
        if !is_there(given.from) || !is_there(given.to) {
            return Err(Defect::NoSuchNode { link, given, nodes });
        }
        if given.from == given.to {
            return Err(Defect::SelfLoop { link, given });
        }
        match call("capacity", || self.inner.capacity(link))? {
            Some(capacity) if capacity.is_nan() || capacity <= 0.0 => {
                Err(Defect::Capacity { link, given: capacity.to_string() })
            }
            _ => Ok(()),
        }
    }

    /// Appends a route and validates it: existing links, without gaps or loops, from the source to the destination.
    fn valid_route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) -> Result<(), Defect> {
        let (before, links) = (route.len(), self.properties.links);
        call("route", || self.inner.route(from, to, route))?;
        let wrong = |why: String| Err(Defect::Route { from, to, why });
        let Some(route) = route.get(before..) else {
            return wrong("is not appended: links that were in the list before are removed".into());
        };
        if let Some(longest) = self.properties.longest_route.filter(|&longest| route.len() > longest) {
            let has = count(route.len() as u64, "link");
            return wrong(format!("has {has}, but `longest_route` is {longest}"));
        }
        let mut reached = Vertex::Node(from);
        let mut visited = BTreeSet::from([reached]);
        for &link in route {
            if link >= links {
                let last = if links == 0 {
                    "there are none".into()
                } else {
                    format!("the links are 0 to {}", links - 1)
                };
                return wrong(format!("takes link {link}, but {last}"));
            }
            let Link { from: start, to: end } = call("link", || self.inner.link(link))?;
            if start != reached {
                return wrong(format!("takes link {link} from {start}, but has reached {reached}"));
            }
            reached = end;
            if !visited.insert(reached) {
                return wrong(format!("visits {reached} twice"));
            }
        }
        let goal = Vertex::Node(to);
        if reached != goal {
            let ends = if route.is_empty() { "has no links".into() } else { format!("ends at {reached}") };
            return wrong(ends);
        }
        Ok(())
    }
}

impl Topology for Validated {
    fn name(&self) -> String {
        self.properties.name.clone()
    }

    fn nodes(&self) -> usize {
        self.properties.nodes
    }

    fn switches(&self) -> usize {
        self.properties.switches
    }

    fn links(&self) -> usize {
        self.properties.links
    }

    fn link(&self, link: LinkId) -> Link {
        self.inner.link(link)
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        if let Err(defect) = self.valid_route(from, to, route) {
            let error = self.error(defect);
            if CATCHING.get() {
                // `resume_unwind` prints no panic message: the error is returned instead.
                resume_unwind(Box::new(error));
            }
            panic!("{error}");
        }
    }

    fn capacity(&self, link: LinkId) -> Option<f64> {
        self.inner.capacity(link)
    }

    fn latencies(&self) -> &[Span] {
        self.inner.latencies()
    }

    fn longest_route(&self) -> Option<usize> {
        self.properties.longest_route
    }

    fn grid(&self) -> Option<Grid> {
        self.properties.grid
    }

    fn extents(&self) -> Vec<usize> {
        self.properties.extents.clone()
    }

    fn validation(&self, _: Seal) -> Validation {
        Validation::Done(self.result.clone())
    }
}

impl fmt::Debug for Validated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
