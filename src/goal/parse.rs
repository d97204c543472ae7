//! The GOAL parser: reads a text line by line into a [`Program`].

use std::{
    collections::BTreeSet,
    io::{BufRead, Read},
};

use super::{
    binary,
    cycles::in_a_cycle,
    error::{Problem, ReadError},
    labels::Labels,
    program::{MAX_OPERATIONS, Operation, Program, Waiter},
    words::{Word, Words, shown},
};
use crate::{input, rank::Tag, time::Span, topology::MAX_NODES, wire::MAX_MESSAGE};

const RANK: &str = "`rank` with the number of a rank, or the end of the text";
const ITEM: &str = "an operation (send, recv or calc) with or without `label:`, a dependency (`label requires label`, \
                    `label irequires label`) or `}`";
const OPERATION: &str = "an operation: send, recv or calc";
const FIELD: &str =
    "the end of the line, `}`, or one of the fields tag, cpu and nic, each once (of calc, cpu)";
const NUMBER: &str = "a whole number from 0 to 4294967295";
const NUMBER_OR_ANY: &str = "a whole number from 0 to 4294967295, or -1 for any";
const SIZE: &str = "a number of bytes, such as 8b";
const TIME: &str =
    "a number of nanoseconds, such as 100, with at most three decimals, of at most 213 days in all";

impl Program {
    /// Reads a program in GOAL, line by line; or one in binary GOAL, as LogGOPSim's `txt2bin` writes it, rank by rank. A byte order mark
    /// at the begin is skipped.
    ///
    /// # Errors
    /// [`ReadError`], with line, column and what is allowed there, or the byte of a binary file. Cyclic dependencies are detected. A receive without
    /// a message is detected only when the program is predicted or run.
    pub fn read(mut reader: impl BufRead) -> Result<Program, ReadError> {
        let mut first = Vec::new();
        (&mut reader).take(input::GOAL.len() as u64).read_to_end(&mut first)?;
        if first == input::GOAL {
            return binary::read(reader);
        }
        if let Some(kind) = input::known_binary(&first) {
            return Err(kind.into());
        }
        let text = first.strip_prefix(input::BYTE_ORDER_MARK).unwrap_or(&first);
        Parser::new(text.chain(reader)).program()
    }
}

/// A dependency on a label that is not yet defined.
#[derive(Debug)]
struct Pending {
    line: u64,
    /// The labels and their columns: of the waiting operation, then of the operation waited for.
    labels: [(Vec<u8>, u64); 2],
    for_start: bool,
}

/// The parser of a text. Its per-rank tables are reused for the next rank.
#[derive(Debug)]
struct Parser<R> {
    words: Words<R>,
    labels: Labels,
    operations: Vec<Operation>,
    /// The line of each operation.
    lines: Vec<u64>,
    /// The dependencies: the operation that is waited for, and the operation that waits.
    waits: Vec<(u32, Waiter)>,
    pending: Vec<Pending>,
}

impl<R: BufRead> Parser<R> {
    fn new(reader: R) -> Parser<R> {
        Parser {
            words: Words::new(reader),
            labels: Labels::new(),
            operations: Vec::new(),
            lines: Vec::new(),
            waits: Vec::new(),
            pending: Vec::new(),
        }
    }

    fn program(mut self) -> Result<Program, ReadError> {
        self.words.next_line()?;
        let first = self.words.next_anywhere()?;
        self.keyword(first, b"num_ranks", "`num_ranks` with the number of ranks")?;
        let word = self.words.next();
        let (given, word) = self.number(word, NUMBER)?;
        if given == 0 || given > MAX_NODES as u64 {
            return Err(self.words.error(word.start(), Problem::Ranks { given }));
        }
        let mut program = Program::new(given as usize);
        let mut seen = BTreeSet::new();
        while let Some(word) = self.words.next_anywhere()? {
            self.keyword(Some(word), b"rank", RANK)?;
            let (rank, word) = self.rank(program.ranks())?;
            if !seen.insert(rank) {
                return Err(self.words.error(word.start(), Problem::SecondRank { rank: rank as usize }));
            }
            let brace = self.words.next_anywhere()?;
            self.keyword(brace, b"{", "`{`")?;
            while self.item(&mut program)? {}
            self.resolve()?;
            self.check_cycles()?;
            program.add(rank, &self.operations, &self.waits);
            self.labels.clear();
            self.operations.clear();
            self.lines.clear();
            self.waits.clear();
        }
        program.sort();
        Ok(program)
    }

    /// Reads an operation or a dependency; returns false at the end of the rank.
    fn item(&mut self, program: &mut Program) -> Result<bool, ReadError> {
        let Some(first) = self.words.next_anywhere()? else {
            return Err(self.unexpected(None, ITEM));
        };
        if self.words.bytes(first) == b"}" {
            return Ok(false);
        }
        let second = self.words.peek();
        match second.map(|second| self.words.bytes(second)) {
            Some(b":") => {
                self.words.next();
                if matches!(self.words.bytes(first), b"{" | b":") {
                    return Err(self.unexpected(Some(first), ITEM));
                }
                let operation = self.operations.len() as u32;
                if !self.labels.insert(self.words.bytes(first), operation) {
                    let label = self.words.text(first);
                    return Err(self.words.error(first.start(), Problem::SecondLabel { label }));
                }
                let keyword = self.words.next();
                self.operation(keyword, OPERATION, program)?;
            }
            Some(relation @ (b"requires" | b"irequires")) => {
                let for_start = relation == b"irequires";
                self.words.next();
                self.dependency(first, for_start)?;
            }
            _ => self.operation(Some(first), ITEM, program)?,
        }
        self.end_of_item()?;
        Ok(true)
    }

    /// Checks that the line has ended, except for a closing brace of the rank.
    fn end_of_item(&mut self) -> Result<(), ReadError> {
        match self.words.peek() {
            Some(word) if self.words.bytes(word) != b"}" => Err(self.unexpected(Some(word), FIELD)),
            _ => Ok(()),
        }
    }

    fn operation(
        &mut self,
        keyword: Option<Word>,
        allowed: &'static str,
        program: &mut Program,
    ) -> Result<(), ReadError> {
        let Some(keyword) = keyword else { return Err(self.unexpected(None, allowed)) };
        if self.operations.len() == MAX_OPERATIONS {
            return Err(self.words.error(keyword.start(), Problem::TooMany));
        }
        let ranks = program.ranks();
        let mut foreign = false;
        let operation = match self.words.bytes(keyword) {
            b"send" => {
                let bytes = self.size()?;
                let word = self.words.next();
                self.keyword(word, b"to", "`to` with the receiver")?;
                let (to, _) = self.rank(ranks)?;
                let tag = self.fields(NUMBER, &mut foreign)?.flatten().unwrap_or(0);
                Operation::Send { to, tag: Tag(tag), bytes }
            }
            b"recv" => {
                let bytes = self.size()?;
                let word = self.words.next();
                self.keyword(word, b"from", "`from` with the sender, or -1 for any")?;
                let from = self.any_or(|parser| Ok(parser.rank(ranks)?.0))?;
                let tag = self.fields(NUMBER_OR_ANY, &mut foreign)?.unwrap_or(Some(0));
                Operation::Recv { from, tag: tag.map(Tag), bytes }
            }
            b"calc" => {
                let span = self.time()?;
                self.cpu(&mut foreign)?;
                Operation::Calc(span)
            }
            _ => return Err(self.unexpected(Some(keyword), allowed)),
        };
        if foreign {
            program.count_foreign();
        }
        self.operations.push(operation);
        self.lines.push(self.words.line());
        Ok(())
    }

    /// Reads the fields of a message. Returns `None` if it has no tag, and `Some(None)` if its tag is the wildcard.
    /// Sets `foreign` if the message names a `cpu` or `nic` other than 0.
    fn fields(
        &mut self,
        allowed: &'static str,
        foreign: &mut bool,
    ) -> Result<Option<Option<u32>>, ReadError> {
        let mut tag = None;
        let mut seen = [false; 2];
        while let Some(word) = self.words.peek() {
            match self.words.bytes(word) {
                b"tag" if tag.is_none() => {
                    self.words.next();
                    let any = allowed == NUMBER_OR_ANY;
                    let number = |parser: &mut Parser<R>| {
                        let word = parser.words.next();
                        Ok(parser.number(word, allowed)?.0 as u32)
                    };
                    tag = Some(if any { self.any_or(number)? } else { Some(number(self)?) });
                }
                b"cpu" if !seen[0] => *foreign |= self.stream(&mut seen[0])?,
                b"nic" if !seen[1] => *foreign |= self.stream(&mut seen[1])?,
                _ => break,
            }
        }
        Ok(tag)
    }

    /// Reads the `cpu` field of a computation.
    fn cpu(&mut self, foreign: &mut bool) -> Result<(), ReadError> {
        match self.words.peek() {
            Some(word) if self.words.bytes(word) == b"cpu" => *foreign |= self.stream(&mut false)?,
            _ => {}
        }
        Ok(())
    }

    /// Reads the number after `cpu` or `nic`; returns whether it differs from 0.
    fn stream(&mut self, seen: &mut bool) -> Result<bool, ReadError> {
        *seen = true;
        self.words.next();
        let word = self.words.next();
        Ok(self.number(word, NUMBER)?.0 > 0)
    }

    /// Reads the wildcard -1 as `None`, and any other word by `other`.
    fn any_or<T>(
        &mut self,
        other: impl FnOnce(&mut Parser<R>) -> Result<T, ReadError>,
    ) -> Result<Option<T>, ReadError> {
        match self.words.peek() {
            Some(word) if self.words.bytes(word) == b"-1" => {
                self.words.next();
                Ok(None)
            }
            _ => other(self).map(Some),
        }
    }

    fn rank(&mut self, ranks: usize) -> Result<(u32, Word), ReadError> {
        let word = self.words.next();
        let (given, word) = self.number(word, "the number of a rank")?;
        if given >= ranks as u64 {
            return Err(self.words.error(word.start(), Problem::NoSuchRank { given, ranks }));
        }
        Ok((given as u32, word))
    }

    fn size(&mut self) -> Result<u32, ReadError> {
        let word = self.words.next();
        let digits = word.and_then(|word| self.words.bytes(word).strip_suffix(b"b"));
        let (Some(word), Some(given)) = (word, digits.and_then(whole)) else {
            return Err(self.unexpected(word, SIZE));
        };
        if given > MAX_MESSAGE {
            return Err(self.words.error(word.start(), Problem::LongMessage { given }));
        }
        Ok(given as u32)
    }

    fn time(&mut self) -> Result<Span, ReadError> {
        let word = self.words.next();
        let picos = word.and_then(|word| picos(self.words.bytes(word)));
        picos.map(Span::from_picos).ok_or_else(|| self.unexpected(word, TIME))
    }

    /// Parses a number of at most 32 bits.
    fn number(&mut self, word: Option<Word>, allowed: &'static str) -> Result<(u64, Word), ReadError> {
        let number = word.and_then(|word| whole(self.words.bytes(word)));
        match (number.filter(|&number| number <= u64::from(u32::MAX)), word) {
            (Some(number), Some(word)) => Ok((number, word)),
            (_, word) => Err(self.unexpected(word, allowed)),
        }
    }

    fn keyword(&self, word: Option<Word>, keyword: &[u8], allowed: &'static str) -> Result<(), ReadError> {
        match word {
            Some(word) if self.words.bytes(word) == keyword => Ok(()),
            word => Err(self.unexpected(word, allowed)),
        }
    }

    fn unexpected(&self, word: Option<Word>, allowed: &'static str) -> ReadError {
        let given = word.map(|word| self.words.text(word));
        let problem = Problem::Unexpected { given, allowed };
        match word {
            Some(word) => self.words.error(word.start(), problem),
            None => self.words.error_at_end(problem),
        }
    }

    /// Reads the second label of a dependency.
    fn dependency(&mut self, waiting: Word, for_start: bool) -> Result<(), ReadError> {
        let on = self.words.next();
        let Some(on) = on.filter(|on| !matches!(self.words.bytes(*on), b"{" | b"}" | b":")) else {
            return Err(self.unexpected(None, "the label of an operation"));
        };
        let known = [waiting, on].map(|label| self.labels.get(self.words.bytes(label)));
        match known {
            [Some(waiting), Some(on)] => self.waits.push((on, Waiter::new(waiting, for_start))),
            _ => self.pending.push(Pending {
                line: self.words.line(),
                labels: [waiting, on]
                    .map(|label| (self.words.bytes(label).to_owned(), self.words.column(label.start()))),
                for_start,
            }),
        }
        Ok(())
    }

    /// Resolves the dependencies on labels that were defined after them.
    fn resolve(&mut self) -> Result<(), ReadError> {
        for Pending { line, labels: [waiting, on], for_start } in self.pending.drain(..) {
            let find = |(label, column): (Vec<u8>, u64)| {
                let label_text = || shown(&label);
                self.labels.get(&label).ok_or_else(|| ReadError::Text {
                    line,
                    column,
                    problem: Problem::NoLabel { label: label_text() },
                })
            };
            let (waiting, on) = (find(waiting)?, find(on)?);
            self.waits.push((on, Waiter::new(waiting, for_start)));
        }
        Ok(())
    }

    /// Returns an error if the dependencies have a cycle.
    fn check_cycles(&self) -> Result<(), ReadError> {
        match in_a_cycle(self.operations.len(), &self.waits) {
            None => Ok(()),
            Some(operation) => {
                Err(ReadError::Text { line: self.lines[operation], column: 1, problem: Problem::Cycle })
            }
        }
    }
}

/// Parses an unsigned integer; `None` if the text is not one or the number is too large.
fn whole(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// Parses nanoseconds with at most three decimals; returns picoseconds.
fn picos(text: &[u8]) -> Option<u64> {
    let point = text.iter().position(|&byte| byte == b'.');
    let nanos = whole(&text[..point.unwrap_or(text.len())])?.checked_mul(1000)?;
    let Some(point) = point else { return Some(nanos) };
    let decimals = &text[point + 1..];
    let scale = 10_u64.pow(3_u32.checked_sub(u32::try_from(decimals.len()).ok()?)?);
    nanos.checked_add(whole(decimals)? * scale)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Program, ReadError> {
        Program::read(text.as_bytes())
    }

    fn error(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn all_of_the_format_is_read() {
        let program = read(
            "/* two */ num_ranks 3 // ranks\n\
             rank 2 { l: calc 1.5 cpu 1\n q requires l\n q: recv 8b from -1 tag -1 cpu 0 nic 0 }\n\
             rank 0\n{\n send 8b to 2 tag 4294967295 nic 2\n send 0b to 0 }",
        )
        .unwrap();
        assert_eq!((program.ranks(), program.operations_in_all()), (3, 4));
        assert_eq!((program.messages(), program.bytes(), program.foreign()), (2, 8, 2));
        assert_eq!(program.operations(0)[0], Operation::Send { to: 2, tag: Tag(u32::MAX), bytes: 8 });
        assert!(program.operations(1).is_empty());
        let calc = Operation::Calc(Span::from_picos(1500));
        assert_eq!(program.operations(2), [calc, Operation::Recv { from: None, tag: None, bytes: 8 }]);
        let part = program.part(2);
        assert_eq!(part.needs, [0, 1]);
        let waiters: Vec<u32> = part.waiters(0).iter().map(|waiter| waiter.operation()).collect();
        assert_eq!(waiters, [1]);
        assert!(part.waiters(1).is_empty());
    }

    #[test]
    fn errors_say_where_what_and_what_is_allowed() {
        let cases = [
            ("l1: sent 8b to 1", 3, 5, "found `sent`, expected an operation: send, recv or calc"),
            ("sent 8b to 1", 3, 1, "a dependency (`label requires label`"),
            ("send 8 to 1", 3, 6, "a number of bytes, such as 8b"),
            (
                "send 1073741825b to 1",
                3,
                6,
                "a message of 1073741825 bytes is too long: the maximum is 1073741824",
            ),
            ("send 8b from 1", 3, 9, "`to` with the receiver"),
            ("send 8b to 2", 3, 12, "rank 2 does not exist: ranks are 0 to 1"),
            ("send 8b to -1", 3, 12, "the number of a rank"),
            ("send 8b to", 3, 11, "found the end, expected the number of a rank"),
            ("send 8b to 1 tag -1", 3, 18, "expected a whole number from 0 to 4294967295"),
            ("send 8b to 1 tag 4294967296", 3, 18, "expected a whole number from 0 to 4294967295"),
            ("send 8b to 1 tag 1 tag 2", 3, 20, "each once"),
            ("calc 5 nic 0", 3, 8, "of calc, cpu"),
            ("calc 1.2345", 3, 6, "at most three decimals"),
            ("calc 99999999999999999999", 3, 6, "213 days"),
            ("calc 1.", 3, 6, "nanoseconds"),
            (
                "l1: calc 1\nl1: calc 1",
                4,
                1,
                "the label `l1` is used twice: labels must be unique within a rank",
            ),
            ("l1: calc 1\n l1 requires l2", 4, 14, "this rank has no operation with the label `l2`"),
            ("l1: calc 1\nl2 irequires l1", 4, 1, "this rank has no operation with the label `l2`"),
            ("l1: calc 1\nl1 requires", 4, 12, "the label of an operation"),
            ("l1: calc 1\nl1 requires l1", 3, 1, "cyclic dependency: this operation requires itself"),
            (
                "a: calc 1\nb: calc 1\nc: calc 1\na requires b\nb irequires a\nc requires a",
                4,
                1,
                "cyclic dependency: this operation requires itself",
            ),
            (": calc 1", 3, 1, "an operation (send, recv or calc) with"),
            ("}\nrank 0 { }", 4, 6, "rank 0 is described twice: describe each rank once"),
            ("}\nrank 2 { }", 4, 6, "rank 2 does not exist: ranks are 0 to 1"),
            ("}\ncalc 1", 4, 1, "`rank` with the number of a rank"),
        ];
        for (text, line, column, problem) in cases {
            let (error, place) = (
                error(&format!("num_ranks 2\nrank 0 {{\n{text}\n}}\n")),
                format!("line {line}, column {column}: "),
            );
            assert!(error.starts_with(&place) && error.contains(problem), "{text}: {error}");
        }
        assert!(error("").contains("found the end, expected `num_ranks` with the number of ranks"));
        assert!(error("num_ranks 0").starts_with("line 1, column 11: 0 ranks are given; allowed are 1 to"));
        assert!(error("num_ranks 4000000000").contains("allowed are 1 to"));
        assert!(error("num_ranks 1\nrank 0 {\ncalc 1\n").starts_with("line 4, column 1: found the end"));
    }

    /// Random sequences of words of the format and other words.
    fn soup() -> impl Strategy<Value = String> {
        let words = [
            "num_ranks",
            "rank",
            "0",
            "1",
            "{",
            "}",
            "send",
            "recv",
            "calc",
            "8b",
            "to",
            "from",
            "tag",
            "cpu",
            "nic",
            "-1",
            "l1",
            "l2",
            ":",
            "requires",
            "irequires",
            "\n",
            "//",
            "/*",
            "*/",
            "\u{e4}",
            "99999999999999999999",
        ];
        let word = prop::sample::select(words.to_vec());
        prop::collection::vec(word, 0..60)
            .prop_map(|words| format!("num_ranks 2 rank 0 {{\n{}", words.join(" ")))
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s).{0,200}", words in soup()) {
            let _ = read(&text);
            let _ = read(&words);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Program::read(&bytes[..]);
        }
    }
}
