//! Matching of names typed by users: spelling variants, and the nearest known name.

/// Minimum similarity of a suggested name: 1 minus the normalized Damerau-Levenshtein distance.
const MIN_SIMILARITY: f64 = 0.6;

/// Normalizes a name: converts it to lower case and removes hyphens, underscores and blanks.
pub(crate) fn normalized(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns the most similar known name, if one is similar enough; the first of equally similar names.
///
/// Text from the first colon on is not part of the name and is kept. Names with different digits are never similar: `4.9` may be meant as
/// 4.1 or as 4.8.
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
    let name = normalized(name.trim());
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let mut best: Option<(f64, String)> = None;
    for known in known {
        let known = known.as_ref();
        let similarity = strsim::normalized_damerau_levenshtein(&name, &normalized(known));
        if digits(&name) == digits(known)
            && similarity > best.as_ref().map_or(MIN_SIMILARITY, |(similarity, _)| *similarity)
        {
            best = Some((similarity, format!("{known}{rest}")));
        }
    }
    // If the nearest name equals the input, the name is right and the error is in the text after the colon.
    best.map(|(_, nearest)| nearest).filter(|nearest| nearest != given)
}

/// Returns the text that precedes a list of allowed names in an error message: the nearest name, if there is one, and the word "allowed".
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
