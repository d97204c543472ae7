//! *Auto*: the fastest that is found among all that can be predicted.
//!
//! **What it does.** First it looks how to get on from round to round, with the rounds that are likely to be good, and
//! then which other rounds do better in that style, or whether anything else does. From ten thousand messages on it
//! tries fewer variants: those in the best styles, and of the best algorithm in others; and it begins with what is soon
//! predicted, so that most others are given up before they are made, or when what is left of them takes too long. What
//! cannot be a fiftieth faster than the best so far is not tried. Where nearly all nodes have something for each other it
//! tries only the few algorithms that have been the fastest in such exchanges.
//!
//! **Restrictions.** It leaves out random scheduling, which only a run can time, and sorting, which needs data.
//!
//! **Cost.** That of what it takes.
//!
//! **Source.** This project.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    super::{
        Instance, PlanError,
        planner::{Planner, Variant},
        rounds::{clocked, style::Style},
    },
    Algorithm, Entry, Planning, bruck, levels, of,
};
use crate::{
    pattern::Exchange,
    plan::{self, choose::fastest},
    time::{Span, Time},
};

static AUTO: Entry = Entry::searching("auto", search)
    .about("the fastest that is found among those that can be predicted, but for sorting")
    .source("this project")
    .cost("what that takes");

impl Algorithm {
    /// The fastest that is found among those that can be predicted, but for sorting, which needs data. From ten
    /// thousand messages on fewer variants are tried. Planning takes the host some hundredths of a second on 32 nodes that all have
    /// something for each other, 0.1 to 1 s on 256, and up to 10 s on 512.
    pub const AUTO: Algorithm = of(&AUTO);
}

/// The styles that are tried where there are many messages.
const FEW_STYLES: [Style; 3] = [Style::ALL[0], Style::ALL[1], Style::ALL[4]];

/// Among so many ranks the shapes of *levels* are soon found.
const FEW_RANKS: usize = 64;

/// Where there are many messages something else is tried only if it can take this part of the time of the fastest so far, or less.
const WORTH: f64 = 0.98;

/// The algorithms by which all messages go straight to their receivers.
const STRAIGHT: [Algorithm; 7] = [
    Algorithm::LINEAR,
    Algorithm::MODIFIED,
    Algorithm::PAIRWISE,
    Algorithm::COLORED,
    Algorithm::BALANCED,
    Algorithm::SLICED,
    Algorithm::PACKED,
];

/// Plans of exchanges that have been predicted.
type Predicted = plan::Predicted<Instance>;

fn search(planning: &Planning<'_>) -> Result<(Variant, Predicted), PlanError> {
    match planning.workspace {
        planner if planner.is_dense() => among_dense(planning),
        planner if planner.is_large() => among_many(planning),
        _ => among_few(planning),
    }
}

/// The algorithm whose rounds are likely to be good.
fn main_algorithm(planner: &Planner) -> Algorithm {
    if planner.balanced().is_some() { Algorithm::BALANCED } else { plain(planner) }
}

/// The algorithm of as few rounds as possible.
fn plain(planner: &Planner) -> Algorithm {
    if planner.is_regular() { Algorithm::PAIRWISE } else { Algorithm::COLORED }
}

/// The main rounds in all styles, and then everything else in all styles.
fn among_few(planning: &Planning<'_>) -> Result<(Variant, Predicted), PlanError> {
    let planner = planning.workspace;
    let main = main_algorithm(planner);
    let mut search = Search::new(planning.problem, 1.0);
    search.try_all(in_styles(planner, main));
    search.try_all(others(planning, planner, |other| *other != main));
    search.try_levels(planner, &bruck::EXCHANGES);
    search.finish()
}

/// First *bruck*, whose few messages are soon predicted, and what goes by the clock, whose messages are in nobody's way: when
/// they are known others can be given up soon. Then the main rounds in the best styles, everything else in the style that is
/// the fastest of these, and at last all that the best algorithm comes in.
fn among_many(planning: &Planning<'_>) -> Result<(Variant, Predicted), PlanError> {
    let (instance, planner) = (planning.problem, planning.workspace);
    let all = planner.with_styles(&FEW_STYLES);
    let mut search = Search::new(instance, WORTH);
    search.try_all(first_bruck(instance));
    let mut main = None;
    let mut some = all.with_styles(&FEW_STYLES[..1]);
    if search.limit() >= Time::ZERO + planner.straight() {
        let algorithm = main_algorithm(planner);
        let mut styled = in_styles(&all, algorithm);
        let mut timed = vec![styled.remove(0)];
        timed.extend(packed(instance, &planner.with_styles(&[])));
        search.try_all(timed);
        let style = search.try_all(styled).unwrap_or(0);
        some = all.with_styles(&FEW_STYLES[style..=style]);
        main = Some(algorithm);
    }
    let is_tried = |other: &Algorithm| match main {
        Some(main) => *other == main,
        None => STRAIGHT.contains(other),
    };
    search.try_all(others(planning, &some, |other| !is_tried(other)));
    search.try_levels(planner, &bruck::EXCHANGES[..1]);
    let best = search.best.as_ref().and_then(|(variant, _)| variant.algorithm().copied());
    if let Some(best) = best.filter(|best| Some(*best) != main) {
        search.try_all(best.variants(instance, &all).unwrap_or_default());
    }
    search.finish()
}

/// Where nearly all pairs have something for each other only that is tried which has been seen to be the fastest there:
/// *bruck*; what goes by the clock, packed or in plain rounds; if messages are of one length plain rounds in another
/// style, and if they are not, packed with all sends ahead, and *mixed*: that first where no link takes longer than the
/// nodes do; *levels*. Balanced rounds take the place of packed ones where there is too much to pack.
fn among_dense(planning: &Planning<'_>) -> Result<(Variant, Predicted), PlanError> {
    let (instance, planner) = (planning.problem, planning.workspace);
    let some = planner.with_styles(&FEW_STYLES);
    let ahead = planner.with_styles(&FEW_STYLES[2..]);
    let mut search = Search::new(instance, WORTH);
    let is_open = |search: &Search<'_>| search.limit() >= Time::ZERO + planner.straight();
    let mixed = |search: &mut Search<'_>| {
        search.try_all(Algorithm::MIXED.variants(instance, &some).unwrap_or_default());
    };
    search.try_all(first_bruck(instance));
    let (is_regular, is_mixed_first) = (planner.is_regular(), !planner.is_bound_by_links());
    if !is_regular && is_mixed_first {
        mixed(&mut search);
    }
    if is_open(&search) {
        let mut timed = packed(instance, &planner.with_styles(&[]));
        let styles = if is_regular { &FEW_STYLES[..1] } else { &[] };
        timed.extend(in_styles(&planner.with_styles(styles), plain(planner)));
        search.try_all(timed);
    }
    if is_open(&search) {
        if !planner.is_packed() {
            let mut rounds = in_styles(&ahead, main_algorithm(planner));
            rounds.extend(Algorithm::PAIRWISE.variants(instance, &ahead).unwrap_or_default());
            search.try_all(rounds);
        } else if !is_regular {
            search.try_all(packed(instance, &ahead));
        }
    }
    if !is_regular && !is_mixed_first {
        mixed(&mut search);
    }
    search.try_levels(planner, &bruck::EXCHANGES[..1]);
    let best = search.best.as_ref().and_then(|(variant, _)| variant.algorithm().copied());
    if let Some(best) = best.filter(|best| [Algorithm::BRUCK, Algorithm::LEVELS].contains(best)) {
        search.try_all(best.variants(instance, &some).unwrap_or_default());
    }
    search.finish()
}

/// *Bruck* in the way that is more often the fastest.
fn first_bruck(instance: &Instance) -> Vec<Variant> {
    by(bruck::variants(instance, &bruck::EXCHANGES[..1]), Algorithm::BRUCK)
}

fn by(variants: Vec<Variant>, algorithm: Algorithm) -> Vec<Variant> {
    variants.into_iter().map(|variant| variant.by(algorithm)).collect()
}

fn packed(instance: &Instance, planner: &Planner) -> Vec<Variant> {
    Algorithm::PACKED.variants(instance, planner).unwrap_or_default()
}

/// The main rounds by the clock, and then in every style.
fn in_styles(planner: &Planner, main: Algorithm) -> Vec<Variant> {
    let clocked = planner.clocked(main.name(), move |planner| {
        let balanced = if main == Algorithm::BALANCED { planner.balanced() } else { None };
        let main = balanced.unwrap_or_else(|| planner.plain());
        Ok(Arc::new(clocked::planned(planner.instance(), planner.paths(), &main)))
    });
    clocked.into_iter().map(|variant| variant.by(main)).collect()
}

/// All variants of other algorithms that are wanted, in the styles of a planner; without *levels*, whose shapes take long to find.
fn others(
    planning: &Planning<'_>,
    planner: &Planner,
    is_wanted: impl Fn(&Algorithm) -> bool,
) -> Vec<Variant> {
    let is_new = |other: &&Algorithm| {
        ![Algorithm::AUTO, Algorithm::SORTING, Algorithm::LEVELS].contains(other)
            && other.is_predictable()
            && is_wanted(other)
    };
    let others = Algorithm::ALL.iter().filter(is_new);
    // An algorithm may not work for an exchange.
    others.flat_map(|other| other.variants(planning.problem, planner).unwrap_or_default()).collect()
}

/// A search among variants, some at a time.
struct Search<'a> {
    instance: &'a Instance,
    /// What is tried later must take at most this part of the time of the fastest before.
    worth: f64,
    /// The texts of those that have been tried.
    tried: BTreeSet<String>,
    /// The fastest so far.
    best: Option<(Variant, Predicted)>,
    /// The first cause why there is none.
    cause: Option<PlanError>,
}

impl Search<'_> {
    fn new(instance: &Instance, worth: f64) -> Search<'_> {
        Search { instance, worth, tried: BTreeSet::new(), best: None, cause: None }
    }

    /// The most that something may take to be worth a try.
    fn limit(&self) -> Time {
        self.best.as_ref().map_or(Time::MAX, |(_, found)| {
            let best = found.prediction.modeled.since_start();
            let less = Span::from_secs_f64(best.as_secs_f64() * self.worth);
            Time::ZERO + less.min(best - Span::from_picos(1))
        })
    }

    /// Tries those that do not make what has been tried; returns the number, among all, of the best if that is worth it.
    fn try_all(&mut self, variants: Vec<Variant>) -> Option<usize> {
        let mut some: Vec<(usize, Variant)> = variants.into_iter().enumerate().collect();
        some.retain(|(_, variant)| variant.name().is_empty() || self.tried.insert(same(variant).to_owned()));
        let (numbers, mut some): (Vec<usize>, Vec<Variant>) = some.into_iter().unzip();
        let limit = self.limit();
        match fastest(&Algorithm::AUTO, self.instance, &some, limit) {
            Ok((nth, found)) => {
                self.best = Some((some.swap_remove(nth), found));
                Some(numbers[nth])
            }
            Err(cause) => {
                self.cause.get_or_insert(cause);
                None
            }
        }
    }

    /// Tries *levels* in some ways; among many ranks only if the closed form says that it can be worth that.
    fn try_levels(&mut self, planner: &Planner, ways: &[Exchange]) {
        let can_be = |least: Span| Time::ZERO + least <= self.limit();
        if self.instance.size() <= FEW_RANKS || levels::least(self.instance).is_some_and(can_be) {
            self.try_all(by(levels::variants(planner, ways), Algorithm::LEVELS));
        }
    }

    fn finish(self) -> Result<(Variant, Predicted), PlanError> {
        let too_long = || PlanError::TooLong { algorithm: Algorithm::AUTO.to_string() };
        self.best.ok_or_else(|| self.cause.unwrap_or_else(too_long))
    }
}

/// The text that a variant has in common with those that make the same schedule.
fn same(variant: &Variant) -> &str {
    variant.identity().unwrap_or(variant.name())
}
