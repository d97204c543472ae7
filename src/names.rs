//! Matching of names typed by users: spelling variants, and the nearest known name.

/// Similarity above which a name is suggested: 1 minus the normalized Damerau-Levenshtein distance.
const MIN_SIMILARITY: f64 = 0.6;

/// Minimum length of a name that is similar to every name that contains it.
const MIN_PART: usize = 4;

/// Normalizes a name: converts it to lower case and removes hyphens, underscores and blanks.
///
/// ```
/// assert_eq!(multicomputer::names::normalized("Br_Lin"), "brlin");
/// ```
pub fn normalized(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns the most similar known name, if one is similar enough; the first of equally similar names.
///
/// Text from the first colon on is not part of the name and is kept. A name of four letters or more is similar to a name that it contains
/// or is contained in. Names with different digits are never similar: `4.9` may be meant as 4.1 or as 4.8.
///
/// ```
/// use multicomputer::names::nearest;
///
/// assert_eq!(nearest("paragn:4x4", ["cm5", "paragon"]).as_deref(), Some("paragon:4x4"));
/// assert_eq!(nearest("Br_Lin", ["br-lin", "2-step"]).as_deref(), Some("br-lin"));
/// assert_eq!(nearest("square", ["row", "square-block"]).as_deref(), Some("square-block"));
/// assert_eq!(nearest("abacus", ["cm5", "paragon"]), None);
/// ```
pub fn nearest(given: &str, known: impl IntoIterator<Item = impl AsRef<str>>) -> Option<String> {
    let (name, rest) = given.split_at(given.find(':').unwrap_or(given.len()));
    let name = normalized(name.trim());
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let mut best: Option<(f64, String)> = None;
    for known in known {
        let known = known.as_ref();
        let similarity = similarity(&name, &normalized(known));
        if digits(&name) == digits(known)
            && similarity > best.as_ref().map_or(MIN_SIMILARITY, |(similarity, _)| *similarity)
        {
            best = Some((similarity, format!("{known}{rest}")));
        }
    }
    // If the nearest name equals the input, the name is right and the error is in the text after the colon.
    best.map(|(_, nearest)| nearest).filter(|nearest| nearest != given)
}

/// Returns the similarity of two normalized names: by edit distance, or, if one contains the other, at least the midpoint between
/// [`MIN_SIMILARITY`] and 1 times the ratio of their lengths.
fn similarity(one: &str, other: &str) -> f64 {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let by_edits = strsim::normalized_damerau_levenshtein(one, other);
    if short.len() < MIN_PART || !long.contains(short) {
        return by_edits;
    }
    let ratio = short.len() as f64 / long.len() as f64;
    by_edits.max(MIN_SIMILARITY + ratio * (1.0 - MIN_SIMILARITY) / 2.0)
}

/// Returns the most similar known name for a name that a colon and a shape follow, as [`nearest`]. The colon may be missing: `ring8` is
/// near `ring:8`.
pub(crate) fn nearest_with_shape(
    given: &str,
    known: impl IntoIterator<Item = &'static str>,
) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    if given.contains(':') {
        return nearest(given, known);
    }
    let digits = given.char_indices().filter(|(_, c)| c.is_ascii_digit());
    let splits: Vec<(&str, &str)> = digits.map(|(at, _)| given.split_at(at)).collect();
    let is_called =
        |known: &str, name: &str| normalized(known) == normalized(name.trim_end_matches(['=', ' ']));
    let exact = splits.iter().find_map(|&(name, shape)| {
        let known = known.iter().find(|known| is_called(known, name))?;
        Some(format!("{known}:{shape}"))
    });
    let similar = || {
        let &(name, shape) = splits.first()?;
        Some(format!("{}:{shape}", nearest(name, &known)?))
    };
    exact.or_else(|| nearest(given, &known)).or_else(similar)
}

/// Returns the error text for an unknown name of a kind of thing, with a suggestion and the list of known names.
///
/// ```
/// use multicomputer::names::{nearest, unknown};
///
/// let refusal = |given: &str| unknown("colour", given, nearest(given, ["red", "green"]), "red, green");
/// assert_eq!(refusal("gren"), "unknown colour `gren`; did you mean `green`? Known: red, green");
/// assert_eq!(refusal("blue"), "unknown colour `blue`. Known: red, green");
/// ```
pub fn unknown(kind: &str, given: &str, nearest: Option<String>, known: &str) -> String {
    let suggestion = nearest.map_or_else(|| ".".to_owned(), |nearest| format!("; did you mean `{nearest}`?"));
    format!("unknown {kind} `{given}`{suggestion} Known: {known}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colon_may_be_missing() {
        let near =
            |given| nearest_with_shape(given, ["ring", "h100", "h100-cluster", "mesh", "t3d", "fat-tree"]);
        for (given, nearest) in [
            ("ring8", "ring:8"),
            ("Mesh 4x4", "mesh:4x4"),
            ("mesh=4x4", "mesh:4x4"),
            ("rign8", "ring:8"),
            ("rign:8", "ring:8"),
            ("h1004", "h100:4"),
            ("h100-cluster4", "h100-cluster:4"),
            ("t3d4x4x4", "t3d:4x4x4"),
            ("fattree32", "fat-tree:32"),
            ("fatree", "fat-tree"),
        ] {
            assert_eq!(near(given).as_deref(), Some(nearest), "{given}");
        }
        assert_eq!(near("8"), None);
    }

    #[test]
    fn a_part_of_a_name_is_near_it() {
        let known = ["row", "left-diagonal", "square-block", "pairwise"];
        assert_eq!(nearest("diagonal", known).as_deref(), Some("left-diagonal"));
        assert_eq!(nearest("pairwise-exchange", known).as_deref(), Some("pairwise"));
        assert_eq!(nearest("arrow", known), None, "`row` is short, and could be meant by chance");
    }

    #[test]
    fn spellings_of_a_name_are_the_nearest() {
        for given in ["all_reduce", "AllReduce", "alreduce", "allredcue", "ALL-REDUCE"] {
            assert_eq!(
                nearest(given, ["reduce", "allreduce", "allgather"]).as_deref(),
                Some("allreduce"),
                "{given}"
            );
        }
        assert_eq!(nearest("", ["reduce"]), None);
        assert_eq!(nearest("4.9", ["4.1", "4.8"]), None);
        assert_eq!(nearest("fast", ["forest"]), None);
        assert_eq!(nearest("reduce", [""; 0]), None);
        assert_eq!(nearest("mesh:7x+3", ["mesh"]), None, "the name is right, the shape is not");
    }
}
