//! The fastest plan that treats all messages of an exchange alike.
//!
//! For small exchanges the search tries the main rounds in all styles, and then all other algorithms in all styles. From ten thousand
//! messages on, or two thousand among 256 nodes or more, it tries fewer variants: the best styles, and other styles of the best algorithm
//! only. The probably fastest variants come first, so that most others are pruned before they are made or while they are timed. In these
//! exchanges a variant is tried only if it can be 2 % faster than the incumbent (0.5 % for fewer than ten thousand messages). If more
//! than an eighth of all pairs have a message, only the algorithms observed to be fastest in such exchanges are tried. Closed forms
//! ([`few`](super::few)) and lower bounds select and order them before any schedule is made.

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

/// Styles tried if there are many messages.
const FEW_STYLES: [Style; 3] = [Style::ALL[0], Style::ALL[1], Style::ALL[4]];

/// Number of ranks up to which all shapes of *levels* are always tried, because they are found quickly.
pub(in super::super) const FEW_RANKS: usize = 64;

/// Maximum ratio of a variant's time to the incumbent for trying the variant, in exchanges of more than ten thousand messages.
const WORTH: f64 = 0.98;

/// Maximum ratio of a variant's time to the incumbent in other wide exchanges.
const NEARLY: f64 = 0.995;

/// Minimum ratio of a node's calls to the best time at which starting all sends at once is tried.
const CALLS: f64 = 0.8;

/// Ratio of the longest to the mean message length above which lengths are uneven.
const UNEVEN: u128 = 4;

/// Minimum ratio of adjacent lengths at which short and long messages are clearly separated.
const GAP: u64 = 16;

/// Links count as crowded if they need more than `1 / CROWDED` of the time of the nodes.
const CROWDED: u64 = 2;

/// Ratio of link time to port time above which links count as narrow, as in rings and lines. Sends started at once then wait for links
/// without delaying other messages.
const NARROW: f64 = 10.0;

/// Minimum ratio of the incumbent to the lower bound for trying detours.
const FAR: f64 = 1.05;

/// Maximum number of slices examined in all rounds for trying detours. More crowded links need more rounds.
const MOST_LOOKS: f64 = 12e6;

/// Maximum number of messages for which, if links are the bottleneck, all variants that may keep links busy are tried.
const FEW_ON_LINKS: usize = 40_000;

/// The algorithms that send all messages directly to their receivers.
const STRAIGHT: [Algorithm; 7] = [
    Algorithm::LINEAR,
    Algorithm::MODIFIED,
    Algorithm::PAIRWISE,
    Algorithm::COLORED,
    Algorithm::BALANCED,
    Algorithm::SLICED,
    Algorithm::PACKED,
];

/// A plan of an exchange with its prediction.
pub(in super::super) type Predicted = plan::Predicted<Instance>;

/// Returns the fastest plan that treats all messages alike, if it ends by `limit`.
pub(in super::super) fn whole(planner: &Planner, limit: Time) -> Result<(Variant, Predicted), PlanError> {
    match planner {
        planner if planner.is_dense() => among_dense(planner, limit),
        planner if planner.is_wide() => among_many(planner, limit),
        _ => among_few(planner, limit),
    }
}

/// Returns the fastest plan that combines and forwards all messages, if it ends by `limit`.
pub(in super::super) fn passed_on(planner: &Planner, limit: Time) -> Result<(Variant, Predicted), PlanError> {
    let mut search = Search::new(planner, limit);
    search.try_few(&Few::of(planner));
    search.finish()
}

/// Returns the approximate lower bound on the time of any plan that treats all messages alike.
pub(in super::super) fn least(planner: &Planner) -> Span {
    let straight = if planner.is_large() { planner.straight() } else { planner.nodes() };
    straight.min(least_passed_on(planner))
}

/// Returns the approximate lower bound on the time to combine and forward all messages.
pub(in super::super) fn least_passed_on(planner: &Planner) -> Span {
    Few::of(planner).least()
}

/// Returns the latest end of a sufficient improvement on the incumbent, which ends at `best`.
pub(super) fn worth(planner: &Planner, best: Time) -> Time {
    let part = match planner {
        planner if planner.is_large() => WORTH,
        planner if planner.is_wide() => NEARLY,
        _ => 1.0,
    };
    let best = best.since_start();
    Time::ZERO + Span::from_secs_f64(best.as_secs_f64() * part).min(best - Span::from_picos(1))
}

/// Returns the algorithm of the main rounds, which are probably good.
fn main_algorithm(planner: &Planner) -> Algorithm {
    if planner.balanced().is_some() { Algorithm::BALANCED } else { plain(planner) }
}

/// Returns the algorithm with the minimum number of rounds.
fn plain(planner: &Planner) -> Algorithm {
    if planner.is_regular() { Algorithm::PAIRWISE } else { Algorithm::COLORED }
}

/// Tries the main rounds in all styles, and then all other algorithms in all styles.
fn among_few(planner: &Planner, limit: Time) -> Result<(Variant, Predicted), PlanError> {
    let main = main_algorithm(planner);
    let mut search = Search::new(planner, limit);
    search.try_all(in_styles(planner, main));
    search.try_all(others(planner, |other| *other != main));
    search.try_levels(planner);
    search.finish()
}

/// Tries few combined messages first if they are probably the fastest. Otherwise it starts with time-triggered schedules, which are
/// contention-free, because an early good incumbent prunes other variants. Then it tries the main rounds in the best styles, everything
/// else in the fastest of these styles, and finally all variants of the best algorithm.
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

/// Searches dense exchanges among the algorithms observed to be fastest there, the probably fastest first. Closed forms give the order
/// before any schedule is made. If start-ups dominate, few combined messages (*bruck*, *levels*) come first, starting with the most
/// promising variant; the others follow if no other algorithm beats it. Otherwise direct messages come first, and combined ones are tried
/// only if the closed form is below the incumbent. Direct variants are: plain rounds for messages of one length, if nodes are busier than
/// links; *mixed*, if it saves more start-ups than it costs and links are not crowded; packed time-triggered schedules, with slices if
/// whole messages leave room for improvement; and all sends started at once, if that may pay off, in packed order or, if links are the
/// bottleneck, in plain rounds. If links keep fewer messages above their lower bound, balanced rounds and then detours are tried too.
/// Balanced rounds replace packed ones if packing is too expensive.
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
    // If links are crowded, *mixed* gains nothing, because the long messages are as far above their lower bound as all messages together.
    // The exception is a few much longer messages: then start-ups cause the distance.
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
    // Packing takes more host time than all else, so whole messages come first: slices may then be pruned.
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
        // If links are the bottleneck, balanced rounds may keep crowded links busier than packed schedules do.
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

/// Returns variants that start all sends at once: in packed order, unless linear permutation is optimal, and in plain rounds, if it is
/// optimal or links are the bottleneck.
fn ahead_of_all(planner: &Planner) -> Vec<Variant> {
    let ahead = planner.with_styles(&FEW_STYLES[2..]);
    let mut variants = if planner.is_regular() { Vec::new() } else { packed(planner.instance(), &ahead) };
    if planner.is_regular() || planner.is_bound_by_links() {
        variants.extend(Algorithm::PAIRWISE.variants(planner.instance(), &ahead).unwrap_or_default());
    }
    variants
}

/// Tries the variants omitted by `among_dense` because splitting by length is probably faster. Returns the fastest, if it ends by
/// `limit`.
pub(super) fn left_out(planner: &Planner, limit: Time) -> Option<(Variant, Predicted)> {
    let is_left_out = planner.is_dense() && planner.is_packed() && is_parted(planner);
    if !is_left_out || planner.crowding() > NARROW || is_ahead_worth(planner, limit) {
        return None;
    }
    let mut search = Search::new(planner, limit);
    search.try_all(ahead_of_all(planner));
    search.finish().ok()
}

/// Returns whether detours are found quickly.
fn is_soon_round(planner: &Planner) -> bool {
    let rounds = planner.others().fan() as f64 * planner.crowding().max(1.0);
    !planner.is_among_many() && planner.matrix().messages().count() as f64 * rounds <= MOST_LOOKS
}

/// Returns whether starting all sends at once may pay off: if start-ups dominate, because they are then hidden, or if a few messages are
/// much longer than the others and delay the time-triggered nodes. If long messages are clearly separated, splitting by length is
/// probably faster and is tried first.
fn is_ahead_worth(planner: &Planner, limit: Time) -> bool {
    let matrix = planner.others();
    let parameters = planner.instance().parameters();
    let calls = (parameters.send_overhead() + parameters.receive_overhead()).times(matrix.fan());
    is_uneven(planner) && !is_parted(planner) || calls.as_secs_f64() > CALLS * limit.as_secs_f64()
}

/// Returns whether long messages are clearly separated: there are more than `FEW_ON_LINKS` messages, at least half of them are short, at
/// least half of the bytes are in long ones, there is a gap between the lengths, and lengths are uneven. With several ports a node can
/// send all its long messages at once, so the result is false.
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

/// Returns whether a few messages are much longer than the mean.
pub(in super::super) fn is_uneven(planner: &Planner) -> bool {
    let matrix = planner.others();
    let longest = matrix.messages().map(|(.., bytes)| bytes).max().unwrap_or(0);
    let all: u128 = matrix.messages().map(|(.., bytes)| u128::from(bytes)).sum();
    u128::from(longest) * matrix.messages().count() as u128 > UNEVEN * all
}

fn packed(instance: &Instance, planner: &Planner) -> Vec<Variant> {
    Algorithm::PACKED.variants(instance, planner).unwrap_or_default()
}

/// Returns the main rounds as a time-triggered schedule, and then in every style.
fn in_styles(planner: &Planner, main: Algorithm) -> Vec<Variant> {
    let clocked = planner.clocked(main.name(), move |planner| {
        let balanced = if main == Algorithm::BALANCED { planner.balanced() } else { None };
        let main = balanced.unwrap_or_else(|| planner.plain());
        Ok(Arc::new(clocked::planned(planner.instance(), planner.paths(), &main)))
    });
    clocked.into_iter().map(|variant| variant.by(main)).collect()
}

/// Returns all variants of the other wanted algorithms in the styles of a planner. *Levels* is excluded, because its shapes take long to
/// find.
fn others(planner: &Planner, is_wanted: impl Fn(&Algorithm) -> bool) -> Vec<Variant> {
    let is_new = |other: &&Algorithm| {
        ![Algorithm::AUTO, Algorithm::APART, Algorithm::SORTING, Algorithm::LEVELS].contains(other)
            && other.is_predictable()
            && is_wanted(other)
    };
    let others = Algorithm::ALL.iter().filter(is_new);
    // Algorithms that do not support the exchange have no variants.
    others.flat_map(|other| other.variants(planner.instance(), planner).unwrap_or_default()).collect()
}

/// An incremental search among variants.
struct Search<'a> {
    planner: &'a Planner,
    /// Latest allowed end of any variant.
    most: Time,
    /// Identities of the variants tried.
    tried: BTreeSet<String>,
    /// The incumbent.
    best: Option<(Variant, Predicted)>,
    /// The first error while there is no incumbent.
    cause: Option<PlanError>,
}

impl Search<'_> {
    /// Creates a search for plans that end by `most`.
    fn new(planner: &Planner, most: Time) -> Search<'_> {
        Search { planner, most, tried: BTreeSet::new(), best: None, cause: None }
    }

    /// Returns the latest time at which a variant may end to be a sufficient improvement on the incumbent; `most` without an incumbent.
    fn limit(&self) -> Time {
        self.best.as_ref().map_or(self.most, |(_, found)| worth(self.planner, found.prediction.modeled))
    }

    /// Returns the ratio of the incumbent's time to `least`; 1 if there is no incumbent.
    fn far_from(&self, least: Span) -> f64 {
        let best = self.best.as_ref().map(|(_, found)| found.prediction.modeled.since_start().as_secs_f64());
        best.map_or(1.0, |best| best / least.as_secs_f64())
    }

    /// Tries the variants that differ from all tried before. Returns the index of the best in `variants`, if it improves on the incumbent
    /// sufficiently.
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

    /// Returns the limit for variants of few combined messages.
    fn limit_for_few(&self) -> Limit {
        Limit { time: self.limit(), is_of_few: self.is_few() }
    }

    /// Returns whether the incumbent combines messages.
    fn is_few(&self) -> bool {
        self.best_few().is_some()
    }

    /// Returns the incumbent, if it combines messages.
    fn best_few(&self) -> Option<&Variant> {
        let (best, _) = self.best.as_ref()?;
        let is_few = |of: &Algorithm| [Algorithm::BRUCK, Algorithm::LEVELS].contains(of);
        best.algorithm().is_some_and(is_few).then_some(best)
    }

    /// Tries few combined messages at the probably fastest pace, and then the best of them at all paces.
    fn try_few(&mut self, few: &Few<'_>) {
        self.try_all(few.variants(self.limit_for_few()));
        let limit = self.limit_for_few();
        let Some(best) = self.best_few() else { return };
        let mut like = few.like(best.name(), limit);
        like.extend(few.alike(limit));
        self.try_all(like);
    }

    /// Tries *levels* at all paces. Among many ranks this requires that the closed form passes the pruning test.
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

/// Returns the identity shared by variants that make the same schedule.
fn same(variant: &Variant) -> &str {
    variant.identity().unwrap_or(variant.name())
}
