//! The placement of ranks on the nodes of a network.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use super::{TopologyError, read_extent};
use crate::{input, names, random::RandomNumbers, rank::Rank, text::shown};

/// The accepted forms, for error messages.
const KNOWN: &str =
    "identity, random:SEED (random is random:1), round-robin:NODES, blocks:NODESxRANKS, file:PATH";

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
    /// Read from a file with the node of each rank, separated by white space: `file:nodes.txt`.
    File {
        /// The path, without a colon.
        path: PathBuf,
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
        let mut rank_on = vec![None; nodes];
        let mut order = Vec::new();
        let words = (1..)
            .zip(text.lines())
            .flat_map(|(line, words)| words.split_whitespace().map(move |word| (line, word)));
        for (rank, (line, word)) in words.enumerate() {
            let node = read_extent(word).filter(|&node| node < nodes);
            let Some(node) = node else {
                let (word, last) = (shown(word), nodes - 1);
                let why = format!(
                    "line {line} gives rank {rank} the node `{word}`; allowed are node numbers from 0 to {last}, separated by blanks"
                );
                return Err(self.refusal(nodes, why));
            };
            if let Some(other) = rank_on[node].replace(rank) {
                return Err(
                    self.refusal(nodes, format!("node {node} is given to both rank {other} and rank {rank}"))
                );
            }
            order.push(node);
        }
        match order.len() {
            given if given == nodes => Ok(order),
            given => Err(self.refusal(nodes, format!("the file has {given} nodes"))),
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
        } else {
            let nearest = names::nearest(text, ["identity", "random", "round-robin", "blocks", "file"]);
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
        assert_eq!(read("2 0\n1\n"), Ok(vec![2, 0, 1]));
        let refused = "placement `file:nodes.txt` does not fit 3 nodes";
        for (text, why) in [
            ("2 0", "the file has 2 nodes"),
            ("2 0 1 1", "node 1 is given to both rank 2 and rank 3"),
            (
                "2 0 3",
                "line 1 gives rank 2 the node `3`; allowed are node numbers from 0 to 2, separated by blanks",
            ),
            (
                "\n2,0,1",
                "line 2 gives rank 0 the node `2,0,1`; allowed are node numbers from 0 to 2, separated by blanks",
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
        ] {
            let refused = refused(text);
            assert!(refused.starts_with(&format!("placement `{text}`: `")), "{refused}");
            assert!(refused.ends_with(&format!(": write `{example}`")), "{refused}");
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
