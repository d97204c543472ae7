//! The counters of a run as CSV: one table each of nodes, links and phases, with headers.

use std::io;

use thiserror::Error;

use super::RunReport;
use crate::time::Span;

/// The error for a table that could not be written because the writer failed.
#[derive(Debug, Error)]
#[error("the table could not be written as CSV")]
pub struct CsvError(#[source] io::Error);

impl RunReport {
    /// Writes the counters of each node as CSV, one line per node in rank order. Modeled times are microseconds, exact
    /// to the picosecond. Under the [host's clock](crate::Clock::Host), times are wall-clock times, and the overhead
    /// cells are empty because overheads are unknown. The last column is `noise_us` if noise has prolonged any event.
    ///
    /// # Errors
    /// [`CsvError`] if the writer fails.
    pub fn write_nodes_csv(&self, writer: impl io::Write) -> Result<(), CsvError> {
        let noise = self.has_noise();
        let mut header = vec![
            "node",
            "finished_us",
            "messages_sent",
            "bytes_sent",
            "messages_received",
            "bytes_received",
            "computing_us",
            "overhead_us",
            "waiting_us",
        ];
        header.extend(noise.then_some("noise_us"));
        let lines = self.nodes.iter().enumerate().map(|(rank, node)| {
            let mut line = vec![
                rank.to_string(),
                micros(node.finished.since_start()),
                node.messages_sent.to_string(),
                node.bytes_sent.to_string(),
                node.messages_received.to_string(),
                node.bytes_received.to_string(),
                micros(node.computing),
                if self.is_modeled { micros(node.overhead) } else { String::new() },
                micros(node.waiting),
            ];
            line.extend(noise.then(|| micros(node.noise)));
            line
        });
        write_table(writer, header, lines)
    }

    /// Writes the load of each link as CSV, one line per directed link that carried a message. Times are modeled
    /// microseconds, exact to the picosecond.
    ///
    /// # Errors
    /// [`CsvError`] if the writer fails.
    pub fn write_links_csv(&self, writer: impl io::Write) -> Result<(), CsvError> {
        let header = ["link", "from", "to", "messages", "bytes", "busy_us", "most_flows"];
        let lines = self.links.iter().map(|link| {
            [
                link.id.to_string(),
                link.link.from.to_string(),
                link.link.to.to_string(),
                link.load.messages.to_string(),
                link.load.bytes.to_string(),
                micros(link.load.busy),
                link.load.most_flows.to_string(),
            ]
        });
        write_table(writer, header, lines)
    }

    /// Writes the named phases as CSV, one line per phase, ordered by name. Times are microseconds, exact to the picosecond if modeled.
    ///
    /// # Errors
    /// [`CsvError`] if the writer fails.
    pub fn write_phases_csv(&self, writer: impl io::Write) -> Result<(), CsvError> {
        let header = ["phase", "nodes", "begin_us", "end_us", "longest_us", "mean_us"];
        let lines = self.phases.iter().map(|phase| {
            [
                phase.name.to_string(),
                phase.nodes.to_string(),
                micros(phase.begin.since_start()),
                micros(phase.end.since_start()),
                micros(phase.longest),
                micros(phase.mean),
            ]
        });
        write_table(writer, header, lines)
    }
}

pub(super) fn write_table<'h>(
    writer: impl io::Write,
    header: impl AsRef<[&'h str]>,
    lines: impl Iterator<Item = impl AsRef<[String]>>,
) -> Result<(), CsvError> {
    let failed = |error: csv::Error| {
        CsvError(match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            kind => io::Error::other(format!("{kind:?}")),
        })
    };
    let mut table = csv::Writer::from_writer(writer);
    table.write_record(header.as_ref()).map_err(failed)?;
    for line in lines {
        table.write_record(line.as_ref()).map_err(failed)?;
    }
    table.flush().map_err(CsvError)
}

/// Formats a span in microseconds, with all digits: `131.666667`.
pub(super) fn micros(span: Span) -> String {
    let (whole, rest) = (span.as_picos() / 1_000_000, span.as_picos() % 1_000_000);
    match rest {
        0 => whole.to_string(),
        _ => format!("{whole}.{}", format!("{rest:06}").trim_end_matches('0')),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::text::tests::sample, *};

    fn written(write: impl FnOnce(&mut Vec<u8>) -> Result<(), CsvError>) -> String {
        let mut bytes = Vec::new();
        write(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn the_nodes_of_a_run() {
        let expected = "\
node,finished_us,messages_sent,bytes_sent,messages_received,bytes_received,computing_us,overhead_us,waiting_us
0,165,1,1000,0,0,0,65,100
1,265,1,3000,0,0,0,65,200
2,330,0,0,1,3000,0.333333,65,265
3,230,0,0,1,1000,1,65,165
";
        assert_eq!(written(|bytes| sample().write_nodes_csv(bytes)), expected);
    }

    #[test]
    fn unknown_overheads_are_empty() {
        let report = RunReport { is_modeled: false, ..sample() };
        let text = written(|bytes| report.write_nodes_csv(bytes));
        assert_eq!(text.lines().nth(1), Some("0,165,1,1000,0,0,0,,100"));
    }

    #[test]
    fn the_links_of_a_run() {
        let expected = "\
link,from,to,messages,bytes,busy_us,most_flows
0,node 0,node 1,1,1000,100,1
1,node 1,node 2,2,4000,200,2
2,node 2,node 3,1,1000,100,1
";
        assert_eq!(written(|bytes| sample().write_links_csv(bytes)), expected);
    }

    #[test]
    fn the_phases_of_a_run_with_a_name_that_needs_quotes() {
        let expected = "\
phase,nodes,begin_us,end_us,longest_us,mean_us
\"first, \"\"half\"\"\",1,0,165,165,165
";
        assert_eq!(written(|bytes| sample().write_phases_csv(bytes)), expected);
    }

    #[test]
    fn a_table_without_rows_has_its_header() {
        let mut report = sample();
        report.links.clear();
        let text = written(|bytes| report.write_links_csv(bytes));
        assert_eq!(text, "link,from,to,messages,bytes,busy_us,most_flows\n");
    }

    #[test]
    fn microseconds_are_exact() {
        let shown = |picos| micros(Span::from_picos(picos));
        assert_eq!(shown(0), "0");
        assert_eq!(shown(1), "0.000001");
        assert_eq!(shown(131_666_667), "131.666667");
        assert_eq!(shown(2_500_000), "2.5");
        assert_eq!(shown(u64::MAX), "18446744073709.551615");
    }

    #[test]
    fn the_error_of_the_writer_is_the_source() {
        struct Full;
        impl io::Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::other("full"))
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let error = sample().write_nodes_csv(Full).unwrap_err();
        assert_eq!(error.to_string(), "the table could not be written as CSV");
        assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "full");
    }
}
