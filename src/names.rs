//! Names as people type them: spellings of one name, and the nearest of the names that there are.

/// The least similarity of a name that is offered: 1 less the edits (Damerau, Levenshtein) for each character.
const LEAST: f64 = 0.6;

/// A name without what spellings differ in: case, hyphens, underscores and blanks.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

/// The known name that is most like the one given, if one is alike: of several the first.
///
/// What stands behind a colon is not a part of the name, and is kept. Names with other digits are not alike: of `4.9` nobody
/// knows whether it was to be 4.1 or 4.8.
///
/// ```
/// use multicomputer::names::nearest;
///
/// assert_eq!(nearest("paragn:4x4", ["cm5", "paragon"]).as_deref(), Some("paragon:4x4"));
/// assert_eq!(nearest("Br_Lin", ["br-lin", "2-step"]).as_deref(), Some("br-lin"));
/// assert_eq!(nearest("abacus", ["cm5", "paragon"]), None);
/// ```
pub fn nearest(given: &str, known: impl IntoIterator<Item = impl AsRef<str>>) -> Option<String> {
    let (name, rest) = given.split_at(given.find(':').unwrap_or(given.len()));
    let name = plain(name.trim());
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let mut best: Option<(f64, String)> = None;
    for known in known {
        let known = known.as_ref();
        let likeness = strsim::normalized_damerau_levenshtein(&name, &plain(known));
        if digits(&name) == digits(known) && likeness > best.as_ref().map_or(LEAST, |(likeness, _)| *likeness)
        {
            best = Some((likeness, format!("{known}{rest}")));
        }
    }
    // What was given itself is wrong in what stands behind the colon.
    best.map(|(_, nearest)| nearest).filter(|nearest| nearest != given)
}

/// The middle of a refusal that ends with a list of what is allowed: the nearest name, if one is alike, before it.
///
/// ```
/// use multicomputer::names::allowed;
///
/// let refusal = |given: &str| format!("`{given}` is not a colour; {} are red, green", allowed(given, ["red", "green"]));
/// assert_eq!(refusal("gren"), "`gren` is not a colour; did you mean `green`? Allowed are red, green");
/// assert_eq!(refusal("blue"), "`blue` is not a colour; allowed are red, green");
/// ```
pub fn allowed(given: &str, known: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    match nearest(given, known) {
        Some(nearest) => format!("did you mean `{nearest}`? Allowed"),
        None => "allowed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
