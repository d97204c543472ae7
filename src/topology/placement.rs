//! The placement of ranks on the nodes of a network.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use super::{TopologyError, read_extent};
use crate::{input, names, random::RandomNumbers, rank::Rank, table::Table, text::shown};

mod hosts;

/// The accepted forms, for error messages.
const KNOWN: &str = "identity, random:SEED (random is random:1), round-robin:NODES, blocks:NODESxRANKS, file:PATH, slurm:HOSTS";

/// The seed of `random` if none is given.
const DEFAULT_SEED: u64 = 1;

/// A placement of ranks on nodes. A *server* here is a block of consecutive nodes.
///
/// ```
/// use multicomputer::topology::Placement;
///
/// let order = |text: &str| text.parse::<Placement>().and_then(|placement| placement.order(8));
/// // Two servers of four nodes: the ranks are dealt out one by one, or two by two.
/// assert_eq!(order("round-robin:4")?, [0, 4, 1, 5, 2, 6, 3, 7]);
/// assert_eq!(order("blocks:4x2")?, [0, 1, 4, 5, 2, 3, 6, 7]);
/// assert_eq!(order("identity")?, [0, 1, 2, 3, 4, 5, 6, 7]);
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Placement {
    /// Each rank on the node of the same number: `identity`.
    #[default]
    Identity,
    /// A pseudo-random permutation of the nodes, the same on every host: `random:7` for the seed 7. `random` has the
    /// seed 1.
    Random {
        /// The seed.
        seed: u64,
    },
    /// Ranks distributed to servers one by one (cyclic): `round-robin:8` for servers of 8 nodes.
    RoundRobin {
        /// The number of nodes of a server; it divides the number of nodes of the machine.
        server: usize,
    },
    /// Ranks distributed to servers in blocks (block-cyclic): `blocks:8x2` for servers of 8 nodes and blocks of 2 ranks.
    Blocks {
        /// The number of nodes of a server; it divides the number of nodes of the machine.
        server: usize,
        /// The number of ranks of a block; it divides the number of nodes of a server.
        block: usize,
    },
    /// Read from a file: `file:nodes.txt`. It has the node of each rank, separated by blanks, commas or tabs; or it is a hostfile or a
    /// rankfile of Open MPI. Hosts in the order of their names are blocks of consecutive nodes, with a node for each of their ranks.
    File {
        /// The path, without a colon.
        path: PathBuf,
    },
    /// A host list of Slurm, in the order of the ranks: `slurm:node[01-04]`, or with the tasks of each host `slurm:node[01-04]/4(x3),2`. Hosts
    /// are blocks of nodes as for [`File`](Placement::File); without tasks, equal ones.
    Slurm {
        /// The list, as in `SLURM_JOB_NODELIST`.
        hosts: String,
        /// The tasks, as in `SLURM_TASKS_PER_NODE`.
        tasks: Option<String>,
    },
}

impl Placement {
    /// Returns the node of each rank of a machine with `nodes` nodes.
    ///
    /// # Errors
    /// [`TopologyError::Placement`] if the sizes do not divide each other, or the file lacks or repeats a node;
    /// [`TopologyError::NoPlacement`] if the file cannot be read.
    pub fn order(&self, nodes: usize) -> Result<Vec<Rank>, TopologyError> {
        match self {
            Placement::Identity => Ok((0..nodes).collect()),
            &Placement::Random { seed } => Ok(RandomNumbers::new(seed).permutation(nodes)),
            &Placement::RoundRobin { server } => self.block_distribution(nodes, server, 1),
            &Placement::Blocks { server, block } => self.block_distribution(nodes, server, block),
            Placement::File { path } => {
                let text = input::read(path).map_err(|cause| TopologyError::NoPlacement {
                    given: self.to_string(),
                    why: format!("placement `{self}` cannot be read: {cause}"),
                })?;
                self.read(nodes, &text)
            }
            Placement::Slurm { hosts, tasks } => {
                self.of_hosts(nodes, hosts::read_slurm(hosts, tasks.as_deref(), nodes))
            }
        }
    }

    /// Returns the same placement with the path of a file relative to `folder`.
    pub(super) fn relative_to(self, folder: &Path) -> Placement {
        match self {
            Placement::File { path } => Placement::File { path: folder.join(path) },
            other => other,
        }
    }

    /// Returns the node of each rank for ranks that are distributed to servers in blocks.
    fn block_distribution(
        &self,
        nodes: usize,
        server: usize,
        block: usize,
    ) -> Result<Vec<Rank>, TopologyError> {
        if server == 0 || !nodes.is_multiple_of(server) {
            return Err(self.refusal(
                nodes,
                format!("the number of nodes is not a multiple of {server}, the nodes per server"),
            ));
        }
        if block == 0 || !server.is_multiple_of(block) {
            return Err(
                self.refusal(nodes, format!("blocks of {block} do not divide a server of {server} nodes"))
            );
        }
        let servers = nodes / server;
        let node = |rank: Rank| {
            let (dealt, within) = (rank / block, rank % block);
            dealt % servers * server + dealt / servers * block + within
        };
        Ok((0..nodes).map(node).collect())
    }

    /// Reads the node of each rank from the text of a file.
    fn read(&self, nodes: usize, text: &str) -> Result<Vec<Rank>, TopologyError> {
        if hosts::has_hosts(text) {
            return self.of_hosts(nodes, hosts::read(text));
        }
        let table = Table::read(text);
        let mut rank_on = vec![None; nodes];
        let mut order = Vec::new();
        let words = table.rows().iter().flat_map(|row| row.fields().map(|word| (row.line, word)));
        for (rank, (line, word)) in words.enumerate() {
            let node = read_extent(word).filter(|&node| node < nodes);
            let Some(node) = node else {
                let (word, last, separator) = (shown(word), nodes - 1, table.separator());
                let why = format!(
                    "line {line} gives rank {rank} the node `{word}`; allowed are node numbers from 0 to {last}, separated by \
                     {separator} as in the first line"
                );
                return Err(self.refusal(nodes, why));
            };
            if let Some(other) = rank_on[node].replace(rank) {
                let why = format!("line {line} gives node {node} to rank {rank}, and rank {other} has it");
                return Err(self.refusal(nodes, why));
            }
            order.push(node);
        }
        match order.len() {
            given if given == nodes => Ok(order),
            given => Err(self.refusal(nodes, format!("the file has {given} nodes"))),
        }
    }

    /// Returns the node of each rank for ranks on named hosts.
    fn of_hosts(
        &self,
        nodes: usize,
        seats: Result<Vec<hosts::Seat>, String>,
    ) -> Result<Vec<Rank>, TopologyError> {
        let seats = seats.map_err(|why| self.refusal(nodes, why))?;
        match seats.len() {
            ranks if ranks == nodes => Ok(hosts::order(&seats)),
            ranks => Err(self.refusal(nodes, format!("it places {ranks} ranks, and each node needs one"))),
        }
    }

    fn refusal(&self, nodes: usize, why: String) -> TopologyError {
        TopologyError::Placement { given: self.to_string(), nodes, why }
    }
}

impl std::fmt::Display for Placement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Placement::Identity => f.write_str("identity"),
            Placement::Random { seed } => write!(f, "random:{seed}"),
            Placement::RoundRobin { server } => write!(f, "round-robin:{server}"),
            Placement::Blocks { server, block } => write!(f, "blocks:{server}x{block}"),
            Placement::File { path } => write!(f, "file:{}", path.display()),
            Placement::Slurm { hosts, tasks: None } => write!(f, "slurm:{hosts}"),
            Placement::Slurm { hosts, tasks: Some(tasks) } => write!(f, "slurm:{hosts}/{tasks}"),
        }
    }
}

/// Reads a placement in the form in which it is displayed; `random` is `random:1`. In names, case, hyphens, underscores and blanks are
/// ignored.
impl FromStr for Placement {
    type Err = TopologyError;

    fn from_str(text: &str) -> Result<Placement, TopologyError> {
        let (name, arguments) = text.split_once(':').unwrap_or((text, ""));
        let is_alone = !text.contains(':');
        let is_called = |known: &str| names::normalized(known) == names::normalized(name);
        let refused = |why: String| TopologyError::NoPlacement { given: text.to_owned(), why };
        let needs = |what: &str| refused(format!("placement `{text}`: {what}"));
        if is_called("identity") && is_alone {
            Ok(Placement::Identity)
        } else if is_called("random") {
            let seed = if is_alone { Ok(DEFAULT_SEED) } else { arguments.parse() };
            let no_seed = |_| {
                needs(&format!("the seed must be a whole number from 0 to {}: write `random:7`", u64::MAX))
            };
            Ok(Placement::Random { seed: seed.map_err(no_seed)? })
        } else if is_called("round-robin") {
            let server = read_extent(arguments);
            let no_server =
                || needs("`round-robin` needs the number of nodes of a server: write `round-robin:8`");
            Ok(Placement::RoundRobin { server: server.ok_or_else(no_server)? })
        } else if is_called("blocks") {
            let extents = arguments.split_once('x');
            let extents = extents.and_then(|(server, block)| read_extent(server).zip(read_extent(block)));
            let no_extents =
                || needs("`blocks` needs the nodes of a server and the ranks of a block: write `blocks:8x2`");
            let (server, block) = extents.ok_or_else(no_extents)?;
            Ok(Placement::Blocks { server, block })
        } else if is_called("file") {
            if arguments.is_empty() || arguments.contains(':') {
                return Err(needs("`file` needs a path without a colon: write `file:nodes.txt`"));
            }
            Ok(Placement::File { path: arguments.into() })
        } else if is_called("slurm") {
            if arguments.is_empty() || arguments.contains(':') {
                return Err(needs(
                    "`slurm` needs a host list: write `slurm:node[01-04]` or `slurm:node[01-04]/4(x4)`",
                ));
            }
            let (hosts, tasks) =
                arguments.split_once('/').map_or((arguments, None), |(hosts, tasks)| (hosts, Some(tasks)));
            Ok(Placement::Slurm { hosts: hosts.to_owned(), tasks: tasks.map(str::to_owned) })
        } else {
            let nearest =
                names::nearest(text, ["identity", "random", "round-robin", "blocks", "file", "slurm"]);
            Err(refused(names::unknown("placement", text, nearest, KNOWN)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(text: &str, nodes: usize) -> Result<Vec<Rank>, String> {
        let placement: Placement = text.parse().map_err(|cause: TopologyError| cause.to_string())?;
        assert_eq!(placement.to_string(), text);
        placement.order(nodes).map_err(|cause| cause.to_string())
    }

    #[test]
    fn placements_are_permutations() {
        for text in [
            "identity",
            "random:7",
            "random:8",
            "round-robin:4",
            "round-robin:12",
            "blocks:6x3",
            "blocks:4x4",
        ] {
            let mut nodes = order(text, 12).unwrap();
            assert_eq!(nodes, order(text, 12).unwrap(), "{text}: the same each time");
            nodes.sort_unstable();
            assert_eq!(nodes, (0..12).collect::<Vec<_>>(), "{text}");
        }
        assert_ne!(order("random:7", 12), order("random:8", 12));
        assert_eq!(order("blocks:4x4", 12), order("identity", 12));
        assert_eq!(order("blocks:4x1", 12), order("round-robin:4", 12));
    }

    #[test]
    fn a_file_has_the_node_of_each_rank() {
        let placement: Placement = "file:nodes.txt".parse().unwrap();
        let read = |text| placement.read(3, text).map_err(|cause| cause.to_string());
        for text in ["2 0\n1\n", "2,0,1", "2\t0\t1\n", "# node of each rank\n2\n0\n1"] {
            assert_eq!(read(text), Ok(vec![2, 0, 1]));
        }
        assert_eq!(read("c\na\nb\n"), Ok(vec![2, 0, 1]), "a hostfile");
        assert_eq!(order("slurm:b,a/2,1", 3), Ok(vec![1, 2, 0]));
        assert_eq!(
            order("slurm:b,a/2,2", 3),
            Err("placement `slurm:b,a/2,2` does not fit 3 nodes: it places 4 ranks, and each node needs one"
                .to_owned())
        );
        let refused = "placement `file:nodes.txt` does not fit 3 nodes";
        for (text, why) in [
            ("2 0", "the file has 2 nodes"),
            ("2 0 1 1", "line 1 gives node 1 to rank 3, and rank 2 has it"),
            (
                "2 0 3",
                "line 1 gives rank 2 the node `3`; allowed are node numbers from 0 to 2, separated by blanks as in the first line",
            ),
            (
                "\n2 0\n0,1",
                "line 3 gives rank 2 the node `0,1`; allowed are node numbers from 0 to 2, separated by blanks as in the first line",
            ),
        ] {
            assert_eq!(read(text), Err(format!("{refused}: {why}")));
        }
        assert!(
            order("file:tests/no/such/file", 3)
                .unwrap_err()
                .starts_with("placement `file:tests/no/such/file` cannot be read: ")
        );
    }

    #[test]
    fn placements_that_do_not_fit_are_refused() {
        for (text, why) in [
            ("round-robin:5", "the number of nodes is not a multiple of 5, the nodes per server"),
            ("round-robin:0", "the number of nodes is not a multiple of 0, the nodes per server"),
            ("blocks:6x4", "blocks of 4 do not divide a server of 6 nodes"),
        ] {
            assert_eq!(order(text, 12), Err(format!("placement `{text}` does not fit 12 nodes: {why}")));
        }
        let refused = |text: &str| text.parse::<Placement>().unwrap_err().to_string();
        for text in ["", "random7", "snake", "identity:3"] {
            assert!(refused(text).starts_with(&format!("unknown placement `{text}`")), "{}", refused(text));
            assert!(refused(text).ends_with(&format!(" Known: {KNOWN}")), "{}", refused(text));
        }
        for (text, example) in [
            ("round-robin:", "round-robin:8"),
            ("blocks:4", "blocks:8x2"),
            ("file:", "file:nodes.txt"),
            ("file:a:b", "file:nodes.txt"),
            ("slurm:", "slurm:node[01-04]/4(x4)"),
        ] {
            let refused = refused(text);
            assert!(refused.starts_with(&format!("placement `{text}`: `")), "{refused}");
            assert!(refused.ends_with(&format!(" `{example}`")), "{refused}");
        }
        for seed in ["", "x", "-1", "18446744073709551616"] {
            assert_eq!(
                refused(&format!("random:{seed}")),
                format!(
                    "placement `random:{seed}`: the seed must be a whole number from 0 to 18446744073709551615: write \
                     `random:7`"
                )
            );
        }
        assert_eq!("Round_Robin:4".parse(), Ok(Placement::RoundRobin { server: 4 }));
    }

    #[test]
    fn the_default_seed_is_1() {
        assert_eq!("random".parse(), Ok(Placement::Random { seed: 1 }));
    }
}
