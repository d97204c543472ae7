//! The fastest way to treat all messages of an exchange alike.
//!
//! First it looks how to get on from round to round, with the rounds that are likely to be good, and
//! then which other rounds do better in that style, or whether anything else does. From ten thousand messages on, or two
//! thousand among 256 nodes or more, it tries fewer variants: those in the best styles, and of the best algorithm in
//! others; and it begins with what is likely to be the fastest, so that most others are given up before they are made, or
//! when what is left of them takes too long. What cannot be a fiftieth faster than the best so far is not tried (where there
//! are fewer than ten thousand messages, a two hundredth). Where more than an eighth of all pairs have something for each
//! other it tries only the few algorithms that have been the fastest in such exchanges; which of them, and in which order,
//! is known from closed forms ([`few`](super::few)) and lower limits before anything is made.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    super::{
        super::{
            Instance, PlanError,
            planner::{Planner, Variant},
            rounds::{clocked, parts, style::Style},
        },
        Algorithm, levels, mixed,
    },
    few::{Few, Limit},
};
use crate::{
    plan::{self, Budget, Effort, search::fastest},
    time::{Span, Time},
};

/// The styles that are tried where there are many messages.
const FEW_STYLES: [Style; 3] = [Style::ALL[0], Style::ALL[1], Style::ALL[4]];

/// Among so many ranks the shapes of *levels* are soon found, and there is time to try more.
pub(in super::super) const FEW_RANKS: usize = 64;

/// Where there are many messages something else is tried only if it can take this part of the time of the fastest so far, or less.
const WORTH: f64 = 0.98;

/// The same where there are not quite so many.
const NEARLY: f64 = 0.995;

/// All sends ahead are tried where the calls of a node take this part of the best time or more.
const CALLS: f64 = 0.8;

/// All sends ahead are tried where the longest message is more than so many times as long as the mean one.
const UNEVEN: u128 = 4;

/// It is clear which messages are long where these are so many times as long as all others.
const GAP: u64 = 16;

/// Links are crowded where they need more than one such part of the time of nodes.
const CROWDED: u64 = 2;

/// Links are narrow where they take more than so many times as long as ports, as in rings and lines: what nodes start at once waits
/// for them without keeping anybody from anything.
const NARROW: f64 = 10.0;

/// Detours are tried where the best so far takes more than so many times the lower limit,
const FAR: f64 = 1.05;

/// and, not among many nodes, where so many slices at most are looked at in all rounds: the more crowded links are, the more rounds
/// there are.
const MOST_LOOKS: f64 = 12e6;

/// So many messages are few where links decide: then all that may keep them busy is tried.
const FEW_ON_LINKS: usize = 40_000;

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

/// A plan of an exchange that has been predicted.
pub(in super::super) type Predicted = plan::Predicted<Instance>;

/// The fastest way to treat all messages alike, if it ends by a limit.
pub(in super::super) fn whole(planner: &Planner, limit: Time) -> Result<(Variant, Predicted), PlanError> {
    match planner {
        planner if planner.is_dense() => among_dense(planner, limit),
        planner if planner.is_wide() => among_many(planner, limit),
        _ => among_few(planner, limit),
    }
}

/// The fastest way to pass all messages on, many together, if it ends by a limit.
pub(in super::super) fn passed_on(planner: &Planner, limit: Time) -> Result<(Variant, Predicted), PlanError> {
    let mut search = Search::new(planner, limit);
    search.try_few(&Few::of(planner));
    search.finish()
}

/// About the least time of any way to treat all messages alike.
pub(in super::super) fn least(planner: &Planner) -> Span {
    let straight = if planner.is_large() { planner.straight() } else { planner.nodes() };
    straight.min(least_passed_on(planner))
}

/// About the least time to pass all messages on.
pub(in super::super) fn least_passed_on(planner: &Planner) -> Span {
    Few::of(planner).least()
}

/// The most that something may take to be worth a try if the fastest so far takes that long.
pub(super) fn worth(planner: &Planner, best: Time) -> Time {
    let part = match planner {
        planner if planner.is_large() => WORTH,
        planner if planner.is_wide() => NEARLY,
        _ => 1.0,
    };
    let best = best.since_start();
    Time::ZERO + Span::from_secs_f64(best.as_secs_f64() * part).min(best - Span::from_picos(1))
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
fn among_few(planner: &Planner, limit: Time) -> Result<(Variant, Predicted), PlanError> {
    let main = main_algorithm(planner);
    let mut search = Search::new(planner, limit);
    search.try_all(in_styles(planner, main));
    search.try_all(others(planner, |other| *other != main));
    search.try_levels(planner);
    search.finish()
}

/// First few long messages where they are likely to be the fastest, or otherwise what goes by the clock, whose messages are in
/// nobody's way: when they are known others can be given up soon. Then the main rounds in the best styles, everything else in
/// the style that is the fastest of these, and at last all that the best algorithm comes in.
fn among_many(planner: &Planner, limit: Time) -> Result<(Variant, Predicted), PlanError> {
    let instance = planner.instance();
    let all = planner.with_styles(&FEW_STYLES);
    let last = if planner.is_large() { &FEW_STYLES[..] } else { &Style::ALL };
    let mut search = Search::new(planner, limit);
    let few = Few::of(planner);
    let is_few_first = few.is_under(planner.straight());
    if is_few_first {
        search.try_few(&few);
    }
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
    search.try_all(others(&some, |other| *other != Algorithm::BRUCK && !is_tried(other)));
    if !is_few_first {
        search.try_few(&few);
    }
    let best = search.best.as_ref().filter(|_| !search.is_few());
    if let Some(best) = best.and_then(|(variant, _)| variant.algorithm().copied()) {
        search.try_all(best.variants(instance, &planner.with_styles(last)).unwrap_or_default());
    }
    search.finish()
}

/// Where many pairs have something for each other only that is tried which has been seen to be the fastest there,
/// and first what is likely to be. By closed forms that is known before anything is made: few long messages, passed on,
/// where start-ups decide (*bruck*, *levels*), the likeliest of them at first, and the others if nothing else is faster than
/// that; otherwise straight ones, and few only if the closed form comes under the best of these. Of the straight ways, plain
/// rounds for messages of one length where nodes are busier than links, and *mixed* where that saves more start-ups than it
/// costs and links are not crowded; then what is packed and goes by the clock, in slices if whole messages leave them something
/// to gain; and, if it can be worth it to start all sends at once, the order of that so, or, where links decide, plain rounds.
/// Where links keep fewer messages from their lower limit, balanced rounds and then detours are tried, too. Balanced rounds take
/// the place of packed ones where there is too much to pack.
fn among_dense(planner: &Planner, limit: Time) -> Result<(Variant, Predicted), PlanError> {
    let instance = planner.instance();
    let ahead = planner.with_styles(&FEW_STYLES[2..]);
    let mut search = Search::new(planner, limit);
    let few = Few::of(planner);
    let is_few_first = few.is_under(planner.straight());
    if is_few_first {
        search.try_all(few.likely(search.limit_for_few()));
    }
    let is_open = |search: &Search<'_>| search.limit() >= Time::ZERO + planner.straight();
    let is_regular = planner.is_regular();
    // Crowded links keep long messages as far above their lower limit as all of them, unless a few are much longer: then start-ups
    // do that.
    let is_narrow = planner.crowding() > NARROW;
    let is_crowded = !is_narrow && planner.links().times(CROWDED) > planner.nodes() && !is_uneven(planner);
    let mixed = if is_regular || is_crowded { None } else { mixed::estimates(planner) };
    let is_mixed_first = mixed.is_some_and(|[short, long]| short + long < planner.straight());
    let mixed_if_fast = |search: &Search<'_>| {
        let can_be = |[short, long]: [Span; 2]| Time::ZERO + short + long <= search.limit();
        match mixed.is_some_and(can_be) {
            true => Algorithm::MIXED.variants(instance, &ahead).unwrap_or_default(),
            false => Vec::new(),
        }
    };
    if is_mixed_first {
        search.try_all(mixed_if_fast(&search));
    }
    let plain = |styles: &[Style]| {
        Algorithm::PAIRWISE.variants(instance, &planner.with_styles(styles)).unwrap_or_default()
    };
    if is_open(&search) && is_regular && !planner.is_bound_by_links() {
        search.try_all(plain(&FEW_STYLES[..1]));
    }
    // To pack takes the host longer than all else, so whole messages come first, alone: the others may not be worth it then.
    let mut timed = packed(instance, &planner.with_styles(&[])).into_iter();
    if is_open(&search) {
        search.try_all(timed.by_ref().take(1).collect());
    }
    let mut others = Vec::new();
    if !planner.is_packed() && is_open(&search) {
        others = in_styles(&ahead, main_algorithm(planner));
        others.extend(plain(&FEW_STYLES[2..]));
    } else if is_open(&search) {
        others.extend(timed);
        let is_few = planner.is_bound_by_links() && planner.matrix().messages().count() <= FEW_ON_LINKS;
        if is_few || is_narrow || is_ahead_worth(planner, search.limit()) {
            others.extend(ahead_of_all(planner));
        }
        // Where links decide, balanced rounds may keep the crowded ones busier than what is packed does.
        if is_few {
            others.extend(Algorithm::BALANCED.variants(instance, &ahead).unwrap_or_default());
        }
    }
    if !is_mixed_first {
        others.extend(mixed_if_fast(&search));
    }
    search.try_all(others);
    if planner.is_bound_by_links() && search.far_from(planner.straight()) > FAR && is_soon_round(planner) {
        search.try_all(Algorithm::DETOUR.variants(instance, &planner.with_styles(&[])).unwrap_or_default());
    }
    if !is_few_first || search.is_few() {
        search.try_few(&few);
    }
    search.finish()
}

/// All sends started at once, in the order of what is packed, or, where links decide, of plain rounds, which may keep them busier.
fn ahead_of_all(planner: &Planner) -> Vec<Variant> {
    let ahead = planner.with_styles(&FEW_STYLES[2..]);
    let mut variants = if planner.is_regular() { Vec::new() } else { packed(planner.instance(), &ahead) };
    if planner.is_regular() || planner.is_bound_by_links() {
        variants.extend(Algorithm::PAIRWISE.variants(planner.instance(), &ahead).unwrap_or_default());
    }
    variants
}

/// What has been left out for it is likely to be faster to treat messages apart, if it ends by a limit.
pub(super) fn left_out(planner: &Planner, limit: Time) -> Option<(Variant, Predicted)> {
    let is_left_out = planner.is_dense() && planner.is_packed() && is_parted(planner);
    if !is_left_out || planner.crowding() > NARROW || is_ahead_worth(planner, limit) {
        return None;
    }
    let mut search = Search::new(planner, limit);
    search.try_all(ahead_of_all(planner));
    search.finish().ok()
}

/// Whether detours are soon found.
fn is_soon_round(planner: &Planner) -> bool {
    let rounds = planner.others().fan() as f64 * planner.crowding().max(1.0);
    !planner.is_among_many() && planner.matrix().messages().count() as f64 * rounds <= MOST_LOOKS
}

/// Whether it can be worth it to start all sends at once: where start-ups are most of the time, which are hidden so; or where
/// a few messages are much longer than the others, so that somebody who goes by the clock waits for them; if it is clear which these
/// are it is likely to be faster to treat them apart, so that is tried before.
fn is_ahead_worth(planner: &Planner, limit: Time) -> bool {
    let matrix = planner.others();
    let parameters = planner.instance().parameters();
    let calls = (parameters.send_overhead() + parameters.receive_overhead()).times(matrix.fan());
    is_uneven(planner) && !is_parted(planner) || calls.as_secs_f64() > CALLS * limit.as_secs_f64()
}

/// Whether most of many messages are short, most bytes are in long ones, none is of a length between, and few of them are much longer
/// than the others. With several ports the long ones of a node can all be under way.
fn is_parted(planner: &Planner) -> bool {
    if planner.instance().parameters().ports() > 1 || !is_uneven(planner) {
        return false;
    }
    let mut lengths: Vec<u64> = parts(planner.matrix()).map(|part| part.bytes).collect();
    lengths.sort_unstable();
    let all: u128 = lengths.iter().map(|&bytes| u128::from(bytes)).sum();
    let mut short = 0;
    let is_gap = |(nth, pair): (usize, &[u64])| {
        short += u128::from(pair[0]);
        pair[1] / GAP >= pair[0] && 2 * (nth + 1) >= lengths.len() && 2 * short <= all
    };
    lengths.len() > FEW_ON_LINKS && lengths.windows(2).enumerate().any(is_gap)
}

/// Whether a few messages are much longer than the others.
pub(in super::super) fn is_uneven(planner: &Planner) -> bool {
    let matrix = planner.others();
    let longest = matrix.messages().map(|(.., bytes)| bytes).max().unwrap_or(0);
    let all: u128 = matrix.messages().map(|(.., bytes)| u128::from(bytes)).sum();
    u128::from(longest) * matrix.messages().count() as u128 > UNEVEN * all
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
fn others(planner: &Planner, is_wanted: impl Fn(&Algorithm) -> bool) -> Vec<Variant> {
    let is_new = |other: &&Algorithm| {
        ![Algorithm::AUTO, Algorithm::APART, Algorithm::SORTING, Algorithm::LEVELS].contains(other)
            && other.is_predictable()
            && is_wanted(other)
    };
    let others = Algorithm::ALL.iter().filter(is_new);
    // An algorithm may not work for an exchange.
    others.flat_map(|other| other.variants(planner.instance(), planner).unwrap_or_default()).collect()
}

/// A search among variants, some at a time.
struct Search<'a> {
    planner: &'a Planner,
    /// The most that anything may take.
    most: Time,
    /// The texts of those that have been tried.
    tried: BTreeSet<String>,
    /// The fastest so far.
    best: Option<(Variant, Predicted)>,
    /// The first cause why there is none.
    cause: Option<PlanError>,
}

impl Search<'_> {
    /// Of an exchange; only for what ends by a limit.
    fn new(planner: &Planner, most: Time) -> Search<'_> {
        Search { planner, most, tried: BTreeSet::new(), best: None, cause: None }
    }

    /// The most that something may take to be worth a try.
    fn limit(&self) -> Time {
        self.best.as_ref().map_or(self.most, |(_, found)| worth(self.planner, found.prediction.modeled))
    }

    /// How many times as long as a time the fastest so far takes; 1 if there is none.
    fn far_from(&self, least: Span) -> f64 {
        let best = self.best.as_ref().map(|(_, found)| found.prediction.modeled.since_start().as_secs_f64());
        best.map_or(1.0, |best| best / least.as_secs_f64())
    }

    /// Tries those that do not make what has been tried; returns the number, among all, of the best if that is worth it.
    fn try_all(&mut self, variants: Vec<Variant>) -> Option<usize> {
        let mut some: Vec<(usize, Variant)> = variants.into_iter().enumerate().collect();
        some.retain(|(_, variant)| variant.name().is_empty() || self.tried.insert(same(variant).to_owned()));
        let (numbers, mut some): (Vec<usize>, Vec<Variant>) = some.into_iter().unzip();
        let limit = self.limit();
        let budget = Budget::of(Effort::Thorough);
        match fastest(&Algorithm::AUTO, self.planner.instance(), &some, limit, &budget) {
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

    /// The same for few long messages.
    fn limit_for_few(&self) -> Limit {
        Limit { time: self.limit(), is_of_few: self.is_few() }
    }

    /// Whether the fastest so far are few long messages.
    fn is_few(&self) -> bool {
        self.best_few().is_some()
    }

    /// The fastest so far if it is few long messages.
    fn best_few(&self) -> Option<&Variant> {
        let (best, _) = self.best.as_ref()?;
        let is_few = |of: &Algorithm| [Algorithm::BRUCK, Algorithm::LEVELS].contains(of);
        best.algorithm().is_some_and(is_few).then_some(best)
    }

    /// Tries few long messages, at the likely pace, and then the best of them at all paces.
    fn try_few(&mut self, few: &Few<'_>) {
        self.try_all(few.variants(self.limit_for_few()));
        let limit = self.limit_for_few();
        let Some(best) = self.best_few() else { return };
        let mut like = few.like(best.name(), limit);
        like.extend(few.alike(limit));
        self.try_all(like);
    }

    /// Tries *levels* at all paces; among many ranks only if the closed form says that it can be worth that.
    fn try_levels(&mut self, planner: &Planner) {
        let can_be = |least: Span| Time::ZERO + least <= self.limit();
        let instance = self.planner.instance();
        if instance.size() <= FEW_RANKS || levels::least(instance).is_some_and(can_be) {
            let variants = levels::variants(planner, true).into_iter();
            self.try_all(variants.map(|variant| variant.by(Algorithm::LEVELS)).collect());
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
