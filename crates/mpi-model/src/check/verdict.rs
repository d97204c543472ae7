//! The end of a run: what calls that nothing has matched say about its cause.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::Ordering,
};

use multicomputer::Rank;

use super::{
    Check, Finding, Kind, Line,
    collective::{self, Entered},
    ledger::{Ledger, Operation, Peer, Posted, Sent},
};

/// How the program of a rank has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankEnd {
    /// It has returned after `MPI_Finalize`, or without `MPI_Init`.
    Finalized,
    /// It has returned between `MPI_Init` and `MPI_Finalize`: the last call.
    Unfinalized(Option<Line>),
    /// It has failed by itself, such as by `MPI_Abort`.
    Failed(String),
    /// It could not go on: the last call.
    Stopped(Option<Line>),
}

/// Unmatched calls of one kind, by rank.
type Unmatched<T> = Vec<(Rank, T)>;

impl Check {
    /// Ends the check of a run. `deadlock` is the report of a deadlock, if the run has ended with one.
    pub fn conclude(&self, ranks: &[RankEnd], deadlock: Option<&str>) -> Vec<Finding> {
        self.conclude_windows();
        let Ledger { sends, receives, operations, .. } = std::mem::take(&mut *self.ledger.lock());
        for operation in operations.values() {
            collective::compare(self, operation);
        }
        let too_long = std::mem::take(&mut *self.too_long.lock());
        if !self.calls_differ.load(Ordering::Relaxed) {
            too_long.into_iter().for_each(|finding| self.add(finding));
        }
        let is_stopped = deadlock.is_some() || ranks.iter().any(|end| matches!(end, RankEnd::Failed(_)));
        let has_failed = ranks.iter().any(|end| matches!(end, RankEnd::Failed(_)));
        let is_explained =
            has_failed || self.findings.lock().values().any(|finding| finding.kind <= Kind::CallOrder);
        if !is_explained {
            let sends = sends.into_iter().map(|((rank, _), sent)| (rank, sent)).collect();
            let receives = receives.into_iter().map(|((rank, _), posted)| (rank, posted)).collect();
            self.explain(sends, receives, &operations.into_values().collect::<Vec<_>>(), ranks, deadlock);
        }
        for (rank, end) in ranks.iter().enumerate() {
            match end {
                RankEnd::Unfinalized(line) if !is_stopped => {
                    let text = "the program ends without MPI_Finalize; this is its last call";
                    let mut finding = Finding::of_ranks(Kind::CallOrder, text, [rank]);
                    finding.at.clone_from(line);
                    self.add(finding.help("call MPI_Finalize on every rank"));
                }
                RankEnd::Failed(text) if !self.has_findings() => {
                    self.add(Finding::of_ranks(Kind::Failure, text, [rank]));
                }
                _ => {}
            }
        }
        let mut findings: Vec<Finding> = std::mem::take(&mut *self.findings.lock()).into_values().collect();
        if is_stopped && findings.iter().any(|finding| finding.kind <= Kind::CallOrder) {
            // What is left was not to be completed or freed any more.
            findings.retain(|finding| finding.kind < Kind::MissingWait);
        }
        findings
    }

    /// Explains calls that nothing has matched.
    fn explain(
        &self,
        mut sends: Unmatched<Sent>,
        mut receives: Unmatched<Posted>,
        operations: &[Operation],
        ranks: &[RankEnd],
        deadlock: Option<&str>,
    ) {
        // A message that a receive has taken in the network, although the program has not waited for it.
        receives.retain(|(rank, posted)| {
            let taken = sends.iter().position(|(from, sent)| {
                posted.is_for(*rank, *from, sent) && posted.context == sent.context && posted.has_tag_of(sent)
            });
            taken.map(|at| sends.remove(at)).is_none()
        });
        let mut explained = false;
        for (rank, posted) in &receives {
            let fits = |(from, sent): &&(Rank, Sent)| posted.is_for(*rank, *from, sent);
            let same = sends.iter().filter(fits).find(|(_, sent)| posted.context == sent.context);
            let other = sends.iter().filter(|(_, sent)| posted.has_tag_of(sent));
            let other = other.clone().find(fits).or_else(|| {
                other.clone().find(|(from, sent)| posted.is_for_on_one_communicator(*rank, *from, sent))
            });
            let (kind, (from, sent), text, help) = match (other, same) {
                (Some(found), _) => {
                    let text = format!(
                        "{} waits on {}, and {} of rank {} sends on {}",
                        posted.site.function,
                        posted.comm.text(self, *rank),
                        found.1.site.function,
                        found.0,
                        found.1.comm.text(self, found.0)
                    );
                    (Kind::CommunicatorMismatch, found, text, "use the same communicator on both sides")
                }
                (None, Some(found)) => {
                    let text = format!(
                        "{} waits for tag {}, and {} of rank {} sends tag {}",
                        posted.site.function,
                        posted.tag.map_or_else(|| "any".to_owned(), |tag| tag.0.to_string()),
                        found.1.site.function,
                        found.0,
                        found.1.tag.0
                    );
                    (Kind::TagMismatch, found, text, "use the same tag on both sides")
                }
                (None, None) => continue,
            };
            explained = true;
            let finding = Finding::new(kind, text, self.line(*rank, posted.site));
            self.add(finding.with(vec![self.line(*from, sent.site)]).help(help));
        }
        explained |= self.compare_communicators(operations);
        if explained {
            return;
        }
        if let Some(report) = deadlock {
            if !self.add_unstarted(&sends, &receives, Some(report)) {
                self.add(self.deadlock(&receives, operations, ranks, report));
            }
            return;
        }
        self.add_incomplete(operations);
        if !sends.is_empty() && self.add_unstarted(&sends, &receives, None) {
            return;
        }
        for (rank, sent) in sends {
            // Its receive may be the one of a request that was not waited for.
            if self.has_missing_wait(sent.to) {
                continue;
            }
            let text = format!(
                "the message of {} to rank {} with tag {} is never received",
                sent.site.function, sent.to, sent.tag.0
            );
            let finding = Finding::new(Kind::CallOrder, text, self.line(rank, sent.site));
            self.add(finding.help("receive the message, or leave the send out"));
        }
    }

    /// Adds a finding for each persistent request that was not started, or not often enough, and whose message would match one of these calls.
    /// Returns whether there are any.
    fn add_unstarted(
        &self,
        sends: &Unmatched<Sent>,
        receives: &Unmatched<Posted>,
        report: Option<&str>,
    ) -> bool {
        let mut unstarted = std::mem::take(&mut *self.unstarted.lock());
        unstarted.retain(|(rank, _, peer)| match peer {
            None => true,
            Some(Peer::To(to)) => receives.iter().any(|(receiver, posted)| {
                *receiver == to.rank
                    && posted.context == to.context
                    && posted.source.is_none_or(|source| source == *rank)
                    && posted.tag.is_none_or(|tag| tag == to.tag)
            }),
            Some(Peer::From(from)) => sends.iter().any(|(sender, sent)| {
                sent.to == *rank
                    && sent.context == from.context
                    && from.source.is_none_or(|source| source == *sender)
                    && from.tag.is_none_or(|tag| tag == sent.tag)
            }),
        });
        for &(rank, site, _) in &unstarted {
            let text = format!(
                "the persistent request of {} is not started as often as others wait for it",
                site.function
            );
            let finding = Finding::new(Kind::MissingStart, text, self.line(rank, site));
            self.add(finding.details(report.unwrap_or_default()).help("call MPI_Start before MPI_Wait"));
        }
        !unstarted.is_empty()
    }

    /// Adds a finding for each collective call that not all ranks make, although the run has ended.
    fn add_incomplete(&self, operations: &[Operation]) {
        for operation in operations {
            let Some((rank, entered)) = operation.entered.iter().next() else { continue };
            let missing = operation.members.iter().find(|member| !operation.entered.contains_key(member));
            let missing = missing.copied().unwrap_or_default();
            let text = format!(
                "{} is called on {}, and not by rank {missing}",
                entered.function(),
                entered.comm(self, *rank)
            );
            let finding = Finding::new(Kind::CallOrder, text, entered.line(self, *rank));
            self.add(finding.help(
                "all ranks of a communicator have to make the same collective calls in the same order",
            ));
        }
    }

    fn has_missing_wait(&self, rank: Rank) -> bool {
        self.findings
            .lock()
            .values()
            .any(|finding| finding.kind == Kind::MissingWait && finding.ranks.contains(&rank))
    }

    /// Finds calls of the same collective function on different communicators, which wait for each other.
    fn compare_communicators(&self, operations: &[Operation]) -> bool {
        let mut by_function: BTreeMap<&str, Vec<&Operation>> = BTreeMap::new();
        for operation in operations {
            if let Some(entered) = operation.entered.values().next() {
                by_function.entry(entered.function()).or_default().push(operation);
            }
        }
        let first = |operation: &Operation| -> Option<(Rank, Entered)> {
            operation.entered.iter().next().map(|(rank, entered)| (*rank, entered.clone()))
        };
        let mut found = false;
        for operations in by_function.into_values() {
            for pair in operations.windows(2) {
                let ranks =
                    |operation: &Operation| operation.entered.keys().copied().collect::<BTreeSet<_>>();
                let is_apart = ranks(pair[0]).is_disjoint(&ranks(pair[1]));
                let is_for_both = pair[0].members.iter().any(|member| pair[1].entered.contains_key(member));
                let (Some(one), Some(other)) = (first(pair[0]), first(pair[1])) else { continue };
                if !is_apart || !is_for_both {
                    continue;
                }
                let text = format!(
                    "{} is called on {} where rank {} calls it on {}",
                    other.1.function(),
                    other.1.comm(self, other.0),
                    one.0,
                    one.1.comm(self, one.0)
                );
                let finding = Finding::new(Kind::CommunicatorMismatch, text, other.1.line(self, other.0));
                let others = vec![one.1.line(self, one.0)];
                self.add(finding.with(others).help("use the same communicator on all ranks"));
                found = true;
            }
        }
        found
    }

    /// The finding of a deadlock without a cause of another kind.
    fn deadlock(
        &self,
        receives: &[(Rank, Posted)],
        operations: &[Operation],
        ranks: &[RankEnd],
        report: &str,
    ) -> Finding {
        let receives = receives.iter().map(|(rank, posted)| self.line(*rank, posted.site));
        let collective = operations
            .iter()
            .flat_map(|operation| operation.entered.iter().map(|(rank, entered)| entered.line(self, *rank)));
        let last = ranks.iter().filter_map(|end| match end {
            RankEnd::Stopped(line) => line.clone(),
            _ => None,
        });
        let is_stopped = |line: &Line| matches!(ranks.get(line.rank), Some(RankEnd::Stopped(_)));
        // The calls in which ranks wait, each once.
        let mut lines: Vec<Line> = Vec::new();
        for line in last.chain(receives).chain(collective).filter(is_stopped) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        let (text, details) = report.split_once('\n').unwrap_or((report, ""));
        let blocked = ranks.iter().enumerate().filter(|(_, end)| matches!(end, RankEnd::Stopped(_)));
        let blocked: BTreeSet<Rank> = blocked.map(|(rank, _)| rank).collect();
        let help = "every receive needs a send, and every rank of a communicator has to make the same collective calls";
        let mut finding = Finding::of_ranks(Kind::CallOrder, text, blocked).details(details).help(help);
        let mut lines = lines.into_iter();
        finding.at = lines.next();
        finding.with(lines.collect())
    }
}

impl Posted {
    /// Whether a message goes to this rank from a sender that the receive accepts.
    fn is_for(&self, rank: Rank, from: Rank, sent: &Sent) -> bool {
        sent.to == rank && self.source.is_none_or(|source| source == from)
    }

    /// Whether a message would go to this rank if both calls were on the communicator of one of them, with the ranks that they give.
    fn is_for_on_one_communicator(&self, rank: Rank, from: Rank, sent: &Sent) -> bool {
        let (Some(own), Some(other)) = (&self.members, &sent.members) else { return false };
        let translated = |node: Rank, one: &[Rank], other: &[Rank]| {
            let at = one.iter().position(|&member| member == node)?;
            other.get(at).copied()
        };
        let accepts = |source: Rank, of: &[Rank]| translated(source, own, of) == Some(from);
        let on_other = sent.to == rank && self.source.is_none_or(|source| accepts(source, other));
        let on_own =
            translated(sent.to, other, own) == Some(rank) && self.source.is_none_or(|source| source == from);
        self.context != sent.context && (on_other || on_own)
    }

    fn has_tag_of(&self, sent: &Sent) -> bool {
        self.tag.is_none_or(|tag| tag == sent.tag)
    }
}
