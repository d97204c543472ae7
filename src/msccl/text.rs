//! Parser of the XML text into ranks, thread blocks and steps.

use std::{collections::BTreeSet, fmt, ops::RangeInclusive, str::FromStr};

use roxmltree::{Document, Error, Node};

use super::{
    collective::Collective,
    error::{Problem, ReadError},
};
use crate::{names, rank::Rank, topology::MAX_NODES};

/// A parsed schedule.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) name: String,
    pub(super) collective: Collective,
    /// Whether input and output share memory.
    pub(super) is_in_place: bool,
    /// The number of chunks of the whole vector.
    pub(super) chunks: u32,
    /// The ranks.
    pub(super) gpus: Vec<Gpu>,
}

impl Text {
    /// Returns the canonical name of a chunk where input and output share memory.
    pub(super) fn named(&self, rank: Rank, buffer: Buffer, at: u32) -> (char, u32) {
        let Text { collective, is_in_place, chunks, ref gpus, .. } = *self;
        let first = rank as u32 * (chunks / gpus.len() as u32);
        match (buffer, collective) {
            (Buffer::Input, Collective::AllGather) if is_in_place => ('o', first + at),
            (Buffer::Output, Collective::ReduceScatter) if is_in_place => ('i', first + at),
            (Buffer::Output, Collective::AllReduce | Collective::AllToAll) if is_in_place => ('i', at),
            _ => (buffer.letter(), at),
        }
    }

    /// Returns the part of the vector that a chunk holds initially, if any.
    pub(super) fn given(&self, rank: Rank, (buffer, at): (char, u32)) -> Option<u32> {
        let own = self.chunks / self.gpus.len() as u32;
        match (buffer, self.collective) {
            ('i', Collective::AllGather) => Some(rank as u32 * own + at),
            ('i', _) => Some(at),
            ('o', Collective::AllGather) if self.is_in_place => {
                Some(at).filter(|at| (at / own) as Rank == rank)
            }
            _ => None,
        }
    }
}

/// A rank.
#[derive(Clone, Debug, Default)]
pub(super) struct Gpu {
    /// The number of chunks of its scratch buffer.
    pub(super) scratch: u32,
    pub(super) blocks: Vec<Block>,
}

/// A thread block; its steps run in order.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) send: Option<u32>,
    pub(super) recv: Option<u32>,
    pub(super) channel: u32,
    pub(super) steps: Vec<Step>,
}

/// A step of a thread block.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) kind: Kind,
    pub(super) from: Chunk,
    pub(super) to: Chunk,
    /// The number of contiguous chunks.
    pub(super) count: u32,
    /// The step on which this step depends: the index of its thread block, and its index there.
    pub(super) after: Option<(usize, usize)>,
    pub(super) line: u32,
}

/// The first chunk of a contiguous range, as a buffer and an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) buffer: Buffer,
    pub(super) first: u32,
}

/// A buffer of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Buffer {
    Input,
    Output,
    Scratch,
}

impl Buffer {
    pub(super) fn letter(self) -> char {
        match self {
            Buffer::Input => 'i',
            Buffer::Output => 'o',
            Buffer::Scratch => 's',
        }
    }
}

/// The kind of a step: whether it receives, combines with a local chunk, keeps the result, and sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) receives: bool,
    pub(super) combines: bool,
    pub(super) keeps: bool,
    pub(super) sends: bool,
}

/// The kinds by name, each with the initial letters of its flags (receives, combines, keeps, sends).
const KINDS: [(&str, &str); 9] = [
    ("s", "s"),
    ("r", "rk"),
    ("rcs", "rks"),
    ("rrc", "rck"),
    ("rrs", "rcs"),
    ("rrcs", "rcks"),
    ("cpy", "k"),
    ("re", "ck"),
    ("nop", ""),
];

impl Kind {
    fn of(flags: &str) -> Kind {
        let [receives, combines, keeps, sends] = ['r', 'c', 'k', 's'].map(|flag| flags.contains(flag));
        Kind { receives, combines, keeps, sends }
    }

    /// The kind that does nothing.
    pub(super) const NOTHING: Kind = Kind { receives: false, combines: false, keeps: false, sends: false };

    /// Returns the kind with this name.
    pub(super) fn named(name: &str) -> Option<Kind> {
        KINDS.iter().find(|(known, _)| *known == name).map(|(_, flags)| Kind::of(flags))
    }

    /// Returns the name of the kind.
    pub(super) fn name(self) -> &'static str {
        KINDS.iter().find(|(_, flags)| Kind::of(flags) == self).map_or("nop", |&(name, _)| name)
    }

    /// Returns whether the step reads chunks of its own rank.
    pub(super) fn takes(self) -> bool {
        self.combines || !self.receives && (self.sends || self.keeps)
    }
}

/// Maximum number of chunks of a vector; the check follows each chunk at every rank.
pub(super) const MAX_CHUNKS: u32 = 1 << 20;

/// Parses and checks a text.
pub(super) fn read(text: &str) -> Result<Text, ReadError> {
    let document = Document::parse(text).map_err(|error| {
        ReadError::Xml(match error {
            // Errors of the other kinds contain a position.
            Error::NoRootNode | Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
                format!("{error}, at the end of the text, line {}", text.lines().count().max(1))
            }
            error => error.to_string(),
        })
    })?;
    let lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let algo = Element::of(document.root_element(), "algo", &lines)?;
    let gpus = algo.children("gpu")?;
    let ranks = gpus.len();
    if ranks == 0 || ranks > MAX_NODES {
        return Err(algo.wrong(Problem::Ranks { given: ranks }));
    }
    algo.optional("ngpus", ranks..=ranks)?;
    let collective = algo.collective()?;
    let chunks: u32 = algo.number("nchunksperloop", 1..=MAX_CHUNKS)?;
    if collective.has_blocks() && !(chunks as usize).is_multiple_of(ranks) {
        let allowed = format!("a multiple of the number of processors, {ranks}");
        return Err(algo.refused("nchunksperloop", &chunks.to_string(), allowed));
    }
    let mut read: Vec<Option<Gpu>> = vec![None; ranks];
    for gpu in gpus {
        let id: usize = gpu.number("id", 0..=ranks - 1)?;
        if read[id].is_some() {
            return Err(gpu.refused("id", &id.to_string(), "each rank once".to_owned()));
        }
        read[id] = Some(gpu.rank(id, ranks)?);
    }
    Ok(Text {
        name: algo.node.attribute("name").unwrap_or_default().to_owned(),
        collective,
        is_in_place: algo.optional("inplace", 0..=1_u8)? == Some(1),
        chunks,
        gpus: read.into_iter().map(Option::unwrap_or_default).collect(),
    })
}

/// Checks that all steps named as dependencies exist, and that no step depends on itself or on a later step of its thread block.
fn check_dependencies(blocks: &[Block]) -> Result<(), ReadError> {
    for (own, block) in blocks.iter().enumerate() {
        for (nth, step) in block.steps.iter().enumerate() {
            let steps = |other: usize| if other == own { nth } else { blocks[other].steps.len() };
            if let Some((other, given)) = step.after.filter(|&(other, after)| after >= steps(other)) {
                let allowed =
                    format!("a step of thread block {other}, and one before this if that is its own");
                let problem = Problem::Value { attribute: "deps", given: given.to_string(), allowed };
                return Err(ReadError::Text { line: step.line, problem });
            }
        }
    }
    Ok(())
}

/// An XML element whose name has been checked.
#[derive(Clone, Copy)]
struct Element<'a> {
    node: Node<'a, 'a>,
    name: &'static str,
    /// The offsets of the line breaks of the text.
    lines: &'a [usize],
}

impl<'a> Element<'a> {
    fn of(node: Node<'a, 'a>, name: &'static str, lines: &'a [usize]) -> Result<Element<'a>, ReadError> {
        let element = Element { node, name, lines };
        match node.tag_name().name() {
            given if given == name => Ok(element),
            given => Err(element.wrong(Problem::Element { given: given.to_owned(), allowed: name })),
        }
    }

    /// Returns the child elements, which must all have this name.
    fn children(&self, name: &'static str) -> Result<Vec<Element<'a>>, ReadError> {
        self.node
            .children()
            .filter(Node::is_element)
            .map(|node| Element::of(node, name, self.lines))
            .collect()
    }

    fn line(&self) -> u32 {
        self.lines.partition_point(|&end| end < self.node.range().start) as u32 + 1
    }

    fn wrong(&self, problem: Problem) -> ReadError {
        ReadError::Text { line: self.line(), problem }
    }

    fn refused(&self, attribute: &'static str, given: &str, allowed: String) -> ReadError {
        self.wrong(Problem::Value { attribute, given: given.to_owned(), allowed })
    }

    fn text(&self, attribute: &'static str) -> Result<&'a str, ReadError> {
        let missing = || self.wrong(Problem::Missing { element: self.name, attribute });
        self.node.attribute(attribute).ok_or_else(missing)
    }

    /// Parses an attribute whose value is one of several words.
    fn word<T: Copy>(&self, attribute: &'static str, words: &[(&str, T)]) -> Result<T, ReadError> {
        let given = self.text(attribute)?;
        let found = words.iter().find(|(word, _)| *word == given).map(|&(_, meaning)| meaning);
        let allowed = || words.iter().map(|&(word, _)| word).collect::<Vec<_>>().join(", ");
        found.ok_or_else(|| self.refused(attribute, given, allowed()))
    }

    /// Parses the collective operation; spelling variants are accepted.
    fn collective(&self) -> Result<Collective, ReadError> {
        let given = self.text("coll")?;
        let names = Collective::ALL.map(Collective::name);
        let allowed = || {
            format!(
                "{} {}",
                names::nearest(given, names)
                    .map_or("one of".to_owned(), |nearest| format!("`{nearest}` or another of")),
                names.join(", ")
            )
        };
        Collective::named(given).ok_or_else(|| self.refused("coll", given, allowed()))
    }

    fn number<T>(&self, attribute: &'static str, allowed: RangeInclusive<T>) -> Result<T, ReadError>
    where
        T: FromStr + PartialOrd + fmt::Display,
    {
        let given = self.text(attribute)?;
        let number = given.parse().ok().filter(|number| allowed.contains(number));
        number.ok_or_else(|| {
            self.refused(attribute, given, format!("{} to {}", allowed.start(), allowed.end()))
        })
    }

    /// Parses an optional number.
    fn optional<T>(&self, attribute: &'static str, allowed: RangeInclusive<T>) -> Result<Option<T>, ReadError>
    where
        T: FromStr + PartialOrd + fmt::Display,
    {
        self.node.attribute(attribute).map(|_| self.number(attribute, allowed)).transpose()
    }

    /// Parses an optional number, where -1 means none.
    fn if_any(&self, attribute: &'static str, most: i64) -> Result<Option<u32>, ReadError> {
        let number = self.optional(attribute, -1..=most)?.unwrap_or(-1);
        Ok(u32::try_from(number).ok())
    }

    fn rank(&self, rank: usize, ranks: usize) -> Result<Gpu, ReadError> {
        let elements = self.children("tb")?;
        let mut blocks: Vec<Option<Block>> = vec![None; elements.len()];
        let mut connections = BTreeSet::new();
        for element in elements {
            let id: usize = element.number("id", 0..=blocks.len() - 1)?;
            let block = element.block(rank, ranks, blocks.len())?;
            for (peer, verb) in [(block.send, "sends to"), (block.recv, "receives from")] {
                if let Some(peer) = peer.filter(|&peer| !connections.insert((verb, peer, block.channel))) {
                    let (peer, channel) = (peer as usize, block.channel);
                    return Err(element.wrong(Problem::SharedConnection { verb, peer, channel }));
                }
            }
            if blocks[id].replace(block).is_some() {
                return Err(element.refused("id", &id.to_string(), "each thread block once".to_owned()));
            }
        }
        let scratch = self.optional("s_chunks", 0..=u32::MAX)?.unwrap_or(0);
        // The ids are distinct, so every thread block is present.
        let blocks: Vec<Block> = blocks.into_iter().flatten().collect();
        check_dependencies(&blocks)?;
        Ok(Gpu { scratch, blocks })
    }

    fn block(&self, rank: usize, ranks: usize, blocks: usize) -> Result<Block, ReadError> {
        let peer = |attribute| {
            let peer = self.if_any(attribute, ranks as i64 - 1)?;
            if peer == Some(rank as u32) {
                return Err(self.refused(attribute, &rank.to_string(), "another rank, or -1".to_owned()));
            }
            Ok(peer)
        };
        let (send, recv) = (peer("send")?, peer("recv")?);
        let channel = self.optional("chan", 0..=u32::MAX)?.unwrap_or(0);
        let mut block = Block { send, recv, channel, steps: Vec::new() };
        for element in self.children("step")? {
            // Steps must be numbered from 0 in the order of the text.
            let at = block.steps.len();
            element.optional("s", at..=at)?;
            let step = element.step(blocks)?;
            for (needed, peer, attribute) in
                [(step.kind.sends, send, "send"), (step.kind.receives, recv, "recv")]
            {
                if needed && peer.is_none() {
                    return Err(self.refused(attribute, "-1", "a rank, as a step needs it".to_owned()));
                }
            }
            block.steps.push(step);
        }
        Ok(block)
    }

    fn step(&self, blocks: usize) -> Result<Step, ReadError> {
        let flags = self.word("type", &KINDS)?;
        let kind = Kind::of(flags);
        let (block, step) =
            (self.if_any("depid", blocks as i64 - 1)?, self.if_any("deps", i64::from(u32::MAX))?);
        if block.is_some() != step.is_some() {
            let given = step.map_or("-1".to_owned(), |step| step.to_string());
            return Err(self.refused("deps", &given, "a step if `depid` is one, otherwise -1".to_owned()));
        }
        // The count of a step that moves no data is ignored.
        let count = if flags.is_empty() { None } else { self.optional("cnt", 1..=u32::MAX)? };
        Ok(Step {
            kind,
            from: self.chunk(kind.takes(), "srcbuf", "srcoff")?,
            to: self.chunk(kind.keeps, "dstbuf", "dstoff")?,
            count: count.unwrap_or(1),
            after: block.zip(step).map(|(block, step)| (block as usize, step as usize)),
            line: self.line(),
        })
    }

    /// Parses a chunk. If the step does not use the chunk, the attributes may be missing or arbitrary.
    fn chunk(&self, is_used: bool, buffer: &'static str, offset: &'static str) -> Result<Chunk, ReadError> {
        let letters = [Buffer::Input, Buffer::Output, Buffer::Scratch];
        if !is_used {
            let given = self.node.attribute(buffer).unwrap_or_default();
            let buffer = letters.into_iter().find(|buffer| given == buffer.letter().to_string());
            let first = self.node.attribute(offset).and_then(|given| given.parse().ok());
            return Ok(Chunk { buffer: buffer.unwrap_or(Buffer::Scratch), first: first.unwrap_or(0) });
        }
        let buffer = self.word(buffer, &[("i", letters[0]), ("o", letters[1]), ("s", letters[2])])?;
        Ok(Chunk { buffer, first: self.number(offset, 0..=u32::MAX)? })
    }
}
