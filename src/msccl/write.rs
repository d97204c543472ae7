//! Writes MSCCL schedules as text.

use std::{
    collections::BTreeSet,
    fmt::{self, Write},
};

use super::{
    collective::Collective,
    program::Program,
    text::{Chunk, Text},
};

/// Formats the schedule as MSCCL's XML. Reading the text again gives the same schedule.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Text { name, collective, is_in_place, chunks, gpus } = self.text();
        let (ranks, in_place) = (gpus.len(), u8::from(*is_in_place));
        let channels = gpus
            .iter()
            .flat_map(|gpu| &gpu.blocks)
            .map(|block| u64::from(block.channel) + 1)
            .max()
            .unwrap_or(1);
        writeln!(
            f,
            "<algo name=\"{}\" proto=\"Simple\" nchannels=\"{channels}\" nchunksperloop=\"{chunks}\" ngpus=\"{ranks}\" \
             coll=\"{collective}\" inplace=\"{in_place}\">",
            Escaped(name)
        )?;
        let own = chunks / ranks as u32;
        let (inputs, outputs) = match collective {
            Collective::AllGather => (own, *chunks),
            Collective::ReduceScatter => (*chunks, own),
            _ => (*chunks, *chunks),
        };
        for (id, gpu) in gpus.iter().enumerate() {
            let scratch = gpu.scratch;
            writeln!(
                f,
                "  <gpu id=\"{id}\" i_chunks=\"{inputs}\" o_chunks=\"{outputs}\" s_chunks=\"{scratch}\">"
            )?;
            let steps = || gpu.blocks.iter().flat_map(|block| &block.steps);
            let waited_for: BTreeSet<(usize, usize)> = steps().filter_map(|step| step.after).collect();
            for (number, block) in gpu.blocks.iter().enumerate() {
                let (send, recv) = (OrNone(block.send), OrNone(block.recv));
                writeln!(
                    f,
                    "    <tb id=\"{number}\" send=\"{send}\" recv=\"{recv}\" chan=\"{}\">",
                    block.channel
                )?;
                for (nth, step) in block.steps.iter().enumerate() {
                    let [(source, first), (target, into)] = [step.from, step.to].map(place);
                    let has_waiters = u8::from(waited_for.contains(&(number, nth)));
                    let (depends_on, step_before) =
                        (OrNone(step.after.map(|after| after.0)), OrNone(step.after.map(|after| after.1)));
                    writeln!(
                        f,
                        "      <step s=\"{nth}\" type=\"{}\" srcbuf=\"{source}\" srcoff=\"{first}\" dstbuf=\"{target}\" \
                         dstoff=\"{into}\" cnt=\"{}\" depid=\"{depends_on}\" deps=\"{step_before}\" hasdep=\"{has_waiters}\"/>",
                        step.kind.name(),
                        step.count
                    )?;
                }
                writeln!(f, "    </tb>")?;
            }
            writeln!(f, "  </gpu>")?;
        }
        writeln!(f, "</algo>")
    }
}

fn place(chunk: Chunk) -> (char, u32) {
    (chunk.buffer.letter(), chunk.first)
}

/// A number, or -1 for `None`.
struct OrNone<T>(Option<T>);

impl<T: fmt::Display> fmt::Display for OrNone<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(number) => number.fmt(f),
            None => f.write_str("-1"),
        }
    }
}

/// A text escaped for use as an attribute value.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '"' => f.write_str("&quot;"),
            '\n' | '\t' | '\r' => write!(f, "&#{};", u32::from(character)),
            // XML cannot represent these characters.
            other if other.is_control() || matches!(other, '\u{fffe}' | '\u{ffff}') => {
                f.write_char('\u{fffd}')
            }
            other => f.write_char(other),
        })
    }
}
