//! The report of a run as text: a summary of about twenty lines, and a table of the nodes.
//!
//! Modeled times are exact: in prose in a suitable unit, in tables in microseconds with as many decimals as the column needs.

use std::{cmp::Reverse, fmt};

use super::{
    LostMessage, PhaseReport, RealTimeReport, RunReport, UnreceivedMessage, UnwaitedSend, Verdict,
    csv::micros,
};
use crate::{
    rank::Rank,
    record::NodeRecord,
    text::{count, listed},
    time::Span,
};

const LINKS_SHOWN: usize = 5;

impl fmt::Display for RunReport {
    /// Writes about twenty lines: the run, its nodes, the links with most bytes, the phases, lost and unreceived
    /// messages, and sends never waited for. No trailing line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sections = [
            Some(self.headline()),
            (!self.nodes.is_empty()).then(|| self.node_summary()),
            (!self.links.is_empty()).then(|| self.most_loaded_links()),
            (!self.phases.is_empty()).then(|| phase_table(&self.phases)),
            (!self.lost.is_empty()).then(|| lost_list(&self.lost)),
            (!self.unreceived.is_empty()).then(|| unreceived_list(&self.unreceived)),
            (!self.unwaited.is_empty()).then(|| unwaited_list(&self.unwaited)),
        ];
        let sections: Vec<String> = sections.into_iter().flatten().collect();
        f.write_str(&sections.join("\n\n"))
    }
}

impl RunReport {
    /// Returns the counters of each node, as a table with one line per node in rank order. Times are microseconds: modeled, or, under
    /// the [host's clock](crate::Clock::Host), wall-clock times. Unknown columns are omitted. No trailing line break.
    pub fn node_table(&self) -> String {
        let mut table = Table::new("node", (0..self.nodes.len()).map(|rank| rank.to_string()));
        table.times("finished us", self.nodes.iter().map(|node| node.finished.since_start()));
        table.column("sent", self.nodes.iter().map(|node| node.messages_sent));
        table.column("bytes sent", self.nodes.iter().map(|node| node.bytes_sent));
        table.column("received", self.nodes.iter().map(|node| node.messages_received));
        table.column("bytes received", self.nodes.iter().map(|node| node.bytes_received));
        for (name, quantity) in self.shares() {
            table.times(&format!("{name} us"), self.nodes.iter().map(quantity));
        }
        table.to_string()
    }

    fn headline(&self) -> String {
        let mut lines = vec![
            self.machine.clone(),
            format!(
                "  {:<15}  {}",
                if self.is_modeled { "modeled time" } else { "wall time" },
                self.makespan
            ),
            format!("  messages         {}, {} in all", self.messages, count(self.bytes, "byte")),
        ];
        if self.is_modeled {
            lines.push(format!("  lost to sharing  {} (sum over all messages)", self.lost_to_sharing));
        }
        if let Some(real_time) = &self.real_time {
            lines.extend(pace(real_time));
        }
        lines.join("\n")
    }

    /// Returns the components of a node's time that are known. Under the host's clock, overheads are unknown, and
    /// computing counts only calls of `compute`.
    fn shares(&self) -> impl Iterator<Item = Quantity> {
        let computes = self.is_modeled || self.nodes.iter().any(|node| !node.computing.is_zero());
        let shares: [(bool, Quantity); 4] = [
            (computes, ("computing", |node| node.computing)),
            (self.is_modeled, ("overhead", |node| node.overhead)),
            (self.has_noise(), ("noise", |node| node.noise)),
            (true, ("waiting", |node| node.waiting)),
        ];
        shares.into_iter().filter_map(|(is_known, share)| is_known.then_some(share))
    }

    fn node_summary(&self) -> String {
        let finished: Quantity = ("finished at", |node| node.finished.since_start());
        let quantities: Vec<Quantity> = self.shares().chain([finished]).collect();
        let of_nodes = |summary: fn(&[Span]) -> Span| -> Vec<Span> {
            let of_all = |(_, quantity): &Quantity| self.nodes.iter().map(quantity).collect::<Vec<_>>();
            quantities.iter().map(|quantity| summary(&of_all(quantity))).collect()
        };
        let title = count(self.nodes.len() as u64, "node");
        let mut table = Table::new(&title, quantities.iter().map(|(name, _)| format!("  {name}")));
        table.times("min us", of_nodes(|spans| spans.iter().copied().min().unwrap_or_default()));
        table.times("mean us", of_nodes(mean));
        table.times("max us", of_nodes(|spans| spans.iter().copied().max().unwrap_or_default()));
        format!("{table}\n  last to finish: {}", self.last_to_finish())
    }

    fn last_to_finish(&self) -> String {
        let last = self.nodes.iter().map(|node| node.finished).max();
        let ranks: Vec<Rank> =
            (0..self.nodes.len()).filter(|&rank| Some(self.nodes[rank].finished) == last).collect();
        match ranks[..] {
            [] => "none".to_owned(),
            [rank] => format!("node {rank}"),
            [rank, _] => format!("node {rank} and another"),
            [rank, ref others @ ..] => format!("node {rank} and {} others", others.len()),
        }
    }

    fn most_loaded_links(&self) -> String {
        let mut links: Vec<_> = self.links.iter().collect();
        links.sort_by_key(|link| Reverse(link.load.bytes));
        let more = links.len().saturating_sub(LINKS_SHOWN);
        links.truncate(LINKS_SHOWN);
        let mut table = Table::new("links by bytes", links.iter().map(|link| format!("  {}", link.link)));
        table.column("bytes", links.iter().map(|link| link.load.bytes));
        table.column("messages", links.iter().map(|link| link.load.messages));
        table.column("most at once", links.iter().map(|link| link.load.most_flows));
        table.times("busy us", links.iter().map(|link| link.load.busy));
        match more {
            0 => table.to_string(),
            _ => format!("{table}\n  and {more} more"),
        }
    }
}

/// Returns the lines of the headline about real time: wall-clock time and error, lateness, verdict.
fn pace(real_time: &RealTimeReport) -> [String; 3] {
    let RealTimeReport { dilation, wall, error, calls, late_calls, largest_lateness, verdict } = *real_time;
    // A measured dilation has no more than two significant decimals.
    let dilation = if dilation < 1.0 { dilation } else { (100.0 * dilation).round() / 100.0 };
    let verdict = match verdict {
        Verdict::Kept => "kept",
        Verdict::Slipped => {
            "SLIPPED: the wall clock shows the host's pace, not the machine's; modeled times hold"
        }
    };
    let late = 100.0 * late_calls as f64 / calls.max(1) as f64;
    [
        format!(
            "  wall time        {} at dilation {dilation}, error {:.2} %",
            Span::from(wall),
            100.0 * error
        ),
        format!(
            "  lateness         at most {}, at node {} at {}; {late:.1} % of {} late",
            Span::from(largest_lateness.by),
            largest_lateness.rank,
            largest_lateness.at,
            count(calls, "call")
        ),
        format!("  pace             {verdict}"),
    ]
}

fn phase_table(phases: &[PhaseReport]) -> String {
    let mut table = Table::new("phases", phases.iter().map(|phase| format!("  {}", phase.name)));
    table.column("nodes", phases.iter().map(|phase| phase.nodes));
    table.times("begin us", phases.iter().map(|phase| phase.begin.since_start()));
    table.times("end us", phases.iter().map(|phase| phase.end.since_start()));
    table.times("mean us per node", phases.iter().map(|phase| phase.mean));
    table.times("longest us per node", phases.iter().map(|phase| phase.longest));
    table.to_string()
}

fn lost_list(messages: &[LostMessage]) -> String {
    let title = format!("{} lost", count(messages.len() as u64, "message"));
    let line = |LostMessage { from, to, tag, bytes, group, at }: &LostMessage| {
        format!("{from} -> {to}, {tag}, {}, in {group}, at {at}", count(*bytes, "byte"))
    };
    listed(title, messages.iter().map(line))
}

fn unreceived_list(messages: &[UnreceivedMessage]) -> String {
    listed(format!("{} never received", count(messages.len() as u64, "message")), messages)
}

fn unwaited_list(sends: &[UnwaitedSend]) -> String {
    listed(format!("{} dropped without a wait", count(sends.len() as u64, "send request")), sends)
}

/// A named time of a node: the name and the accessor.
type Quantity = (&'static str, fn(&NodeRecord) -> Span);

fn mean(spans: &[Span]) -> Span {
    let total: Span = spans.iter().copied().sum();
    Span::from_picos(total.as_picos() / spans.len().max(1) as u64)
}

/// A table of columns of equal height. The first column is left-aligned, the others are right-aligned.
pub(super) struct Table(Vec<Vec<String>>);

impl Table {
    pub(super) fn new(title: &str, labels: impl IntoIterator<Item = String>) -> Table {
        let mut table = Table(Vec::new());
        table.column(title, labels);
        table
    }

    pub(super) fn column(&mut self, title: &str, cells: impl IntoIterator<Item = impl ToString>) {
        let cells = cells.into_iter().map(|cell| cell.to_string());
        self.0.push(std::iter::once(title.to_owned()).chain(cells).collect());
    }

    /// Adds a column of microseconds. All cells get the number of decimals that the most precise cell needs.
    pub(super) fn times(&mut self, title: &str, spans: impl IntoIterator<Item = Span>) {
        let cells: Vec<String> = spans.into_iter().map(micros).collect();
        let decimals = |cell: &String| cell.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let most = cells.iter().map(decimals).max().unwrap_or(0);
        self.column(
            title,
            cells.iter().map(|cell| {
                let point = if most > 0 && decimals(cell) == 0 { "." } else { "" };
                format!("{cell}{point}{:0<1$}", "", most - decimals(cell))
            }),
        );
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: &Vec<String>| column.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = self.0.iter().map(width).collect();
        let height = self.0.first().map_or(0, Vec::len);
        for line in 0..height {
            if line > 0 {
                f.write_str("\n")?;
            }
            for (index, (column, &width)) in self.0.iter().zip(&widths).enumerate() {
                match index {
                    0 => write!(f, "{:<width$}", column[line])?,
                    _ => write!(f, "  {:>width$}", column[line])?,
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use super::{super::LinkReport, *};
    use crate::{
        fabric::LinkLoad,
        rank::Tag,
        record::PhaseRecord,
        runtime::{Lateness, LatenessStats},
        time::Time,
        topology::{Link, Vertex},
    };

    fn at(picos: u64) -> Time {
        Time::ZERO + Span::from_picos(picos)
    }

    /// The report of test case 3 of the model: node 0 sends 1000 bytes to node 3 while node 1 sends 3000 bytes to node 2.
    pub(in crate::report) fn sample() -> RunReport {
        let node = |finished, sent, received, computing, waiting| NodeRecord {
            finished: at(finished),
            messages_sent: u64::from(sent > 0),
            bytes_sent: sent,
            messages_received: u64::from(received > 0),
            bytes_received: received,
            computing: Span::from_picos(computing),
            overhead: Span::from_micros(65),
            waiting: Span::from_micros(waiting),
            ..NodeRecord::default()
        };
        let mut nodes = vec![
            node(165_000_000, 1000, 0, 0, 100),
            node(265_000_000, 3000, 0, 0, 200),
            node(330_000_000, 0, 3000, 333_333, 265),
            node(230_000_000, 0, 1000, 1_000_000, 165),
        ];
        let phase = PhaseRecord { begin: at(0), end: at(165_000_000), time: Span::from_micros(165) };
        nodes[0].phases.insert("first, \"half\"".into(), phase);
        let load = |messages, bytes, busy, most_flows| LinkLoad {
            messages,
            bytes,
            busy: Span::from_micros(busy),
            most_flows,
        };
        let link = |id, load| LinkReport {
            id,
            link: Link { from: Vertex::Node(id), to: Vertex::Node(id + 1) },
            load,
        };
        RunReport {
            machine: "a line of 4".to_owned(),
            makespan: at(330_000_000),
            is_modeled: true,
            messages: 2,
            bytes: 4000,
            lost_to_sharing: Span::from_micros(100),
            real_time: None,
            phases: RunReport::phases_of(&nodes),
            nodes,
            links: vec![
                link(0, load(1, 1000, 100, 1)),
                link(1, load(2, 4000, 200, 2)),
                link(2, load(1, 1000, 100, 1)),
            ],
            lost: Vec::new(),
            unreceived: Vec::new(),
            unwaited: Vec::new(),
        }
    }

    #[test]
    fn a_run_in_virtual_time() {
        let expected = r#"a line of 4
  modeled time     330 us
  messages         2, 4000 bytes in all
  lost to sharing  100 us (sum over all messages)

4 nodes        min us     mean us  max us
  computing         0    0.333333       1
  overhead         65   65.000000      65
  waiting         100  182.500000     265
  finished at     165  247.500000     330
  last to finish: node 2

links by bytes      bytes  messages  most at once  busy us
  node 1 -> node 2   4000         2             2      200
  node 0 -> node 1   1000         1             1      100
  node 2 -> node 3   1000         1             1      100

phases           nodes  begin us  end us  mean us per node  longest us per node
  first, "half"      1         0     165               165                  165"#;
        assert_eq!(sample().to_string(), expected);
    }

    #[test]
    fn a_real_time_run_reports_its_pace() {
        let wall = Duration::from_micros(3310);
        let largest = Lateness { by: Duration::from_nanos(1500), rank: 2, at: at(265_000_000) };
        let lateness = LatenessStats { replies: 8, late: 2, largest };
        let headline = |wall| {
            let real_time = RealTimeReport::new(10.0, wall, at(330_000_000), lateness);
            RunReport { real_time: Some(real_time), ..sample() }.headline()
        };
        let expected = "\
a line of 4
  modeled time     330 us
  messages         2, 4000 bytes in all
  lost to sharing  100 us (sum over all messages)
  wall time        3.31 ms at dilation 10, error 0.30 %
  lateness         at most 1.5 us, at node 2 at 265 us; 25.0 % of 8 calls late
  pace             kept";
        assert_eq!(headline(wall), expected);
        let slow = headline(Duration::from_micros(3500));
        assert!(slow.contains("error 6.06 %") && slow.contains("pace             SLIPPED"), "{slow}");
    }

    #[test]
    fn every_node_has_a_line_in_the_table() {
        let expected = [
            "node  finished us  sent  bytes sent  received  bytes received  computing us  overhead us  waiting us",
            "0             165     1        1000         0               0      0.000000           65         100",
            "1             265     1        3000         0               0      0.000000           65         200",
            "2             330     0           0         1            3000      0.333333           65         265",
            "3             230     0           0         1            1000      1.000000           65         165",
        ];
        assert_eq!(sample().node_table(), expected.join("\n"));
    }

    #[test]
    fn quantities_without_a_timing_model_are_left_out() {
        let report = RunReport { is_modeled: false, ..sample() };
        assert!(!report.to_string().contains("overhead") && !report.node_table().contains("overhead"));
        assert!(report.to_string().contains("  computing  "), "node 2 has computed");
        let mut idle = report;
        idle.nodes.iter_mut().for_each(|node| node.computing = Span::ZERO);
        let summary = "\
4 nodes        min us  mean us  max us
  waiting         100    182.5     265
  finished at     165    247.5     330";
        assert!(idle.to_string().contains(summary), "{idle}");
        let titles = idle.node_table().lines().next().unwrap().to_owned();
        assert!(titles.ends_with("received  bytes received  waiting us"), "{titles}");
    }

    #[test]
    fn several_nodes_can_finish_last() {
        let last = |finished: &[u64]| {
            let node = |&picos| NodeRecord { finished: at(picos), ..NodeRecord::default() };
            RunReport { nodes: finished.iter().map(node).collect(), ..sample() }.last_to_finish()
        };
        assert_eq!(last(&[1, 2]), "node 1");
        assert_eq!(last(&[2, 1, 2]), "node 0 and another");
        assert_eq!(last(&[1, 2, 2, 2]), "node 1 and 2 others");
    }

    #[test]
    fn a_link_is_one_line() {
        let line = "node 1 -> node 2: 4000 bytes in 2 messages, at most 2 at once, busy 200 us";
        assert_eq!(sample().links[1].to_string(), line);
    }

    #[test]
    fn only_the_links_that_carried_most_are_shown() {
        let mut report = sample();
        report.links = report.links.iter().cycle().take(7).cloned().collect();
        let text = report.most_loaded_links();
        assert_eq!(text.lines().filter(|line| line.contains("->")).count(), 5);
        assert_eq!(text.lines().filter(|line| line.contains("node 1 -> node 2")).count(), 2);
        assert!(text.ends_with("\n  and 2 more"), "{text}");
    }

    #[test]
    fn the_first_unreceived_messages_are_listed() {
        let message =
            |bytes| UnreceivedMessage { from: 3, to: 0, tag: Tag(7), bytes, group: "world".to_owned() };
        let list = |messages| unreceived_list(&(1..=messages).map(message).collect::<Vec<_>>());
        assert_eq!(list(1), "1 message never received\n  3 -> 0, tag 7, 1 byte, in world");
        assert!(list(10).ends_with("\n  3 -> 0, tag 7, 10 bytes, in world"));
        let twelve = list(12);
        assert!(twelve.starts_with("12 messages never received\n"), "{twelve}");
        assert!(twelve.ends_with("\n  3 -> 0, tag 7, 10 bytes, in world\n  and 2 more"), "{twelve}");
        let equal = unreceived_list(&[message(8), message(1), message(8), message(8)]);
        let expected = "\n  3 -> 0, tag 7, 8 bytes, in world: 3 times\n  3 -> 0, tag 7, 1 byte, in world";
        assert!(equal.ends_with(expected), "{equal}");
    }

    #[test]
    fn sends_never_waited_for_are_listed() {
        let send = UnwaitedSend { from: 3, to: 0, tag: Tag(7), bytes: 1, group: "world".to_owned() };
        let report = RunReport { unwaited: vec![send], ..sample() };
        let end = "\n\n1 send request dropped without a wait\n  3 -> 0, tag 7, 1 byte, in world";
        assert!(report.to_string().ends_with(end), "{report}");
    }

    #[test]
    fn an_empty_run_is_its_headline() {
        let report = RunReport {
            nodes: Vec::new(),
            links: Vec::new(),
            phases: Vec::new(),
            unreceived: Vec::new(),
            ..sample()
        };
        assert_eq!(report.to_string(), report.headline());
    }
}
