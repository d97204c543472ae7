//! Option `--picture`: which part of a run is drawn, and how.

use std::str::FromStr;

use multicomputer::{Rank, Run, Span, Time, names, units::parse_seconds};
use multicomputer_picture::{Heat, SpaceTime, Theme};

/// The keys with which a text begins.
const KEYS: [&str; 6] = ["ranks", "from", "to", "width", "theme", "title"];

/// Choices for the pictures of runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PictureOptions {
    ranks: Option<Vec<Rank>>,
    from: Option<Time>,
    to: Option<Time>,
    width: Option<u32>,
    theme: Theme,
    title: Option<String>,
}

impl PictureOptions {
    /// Returns the first key that only space-time diagrams have.
    pub(crate) fn of_diagrams(&self) -> Option<&'static str> {
        let given = [self.ranks.is_some(), self.from.is_some(), self.to.is_some(), self.width.is_some()];
        KEYS.into_iter().zip(given).find(|(_, is_given)| *is_given).map(|(key, _)| key)
    }

    /// Returns the space-time diagram of a run; the title is for a picture without its own.
    pub(crate) fn diagram<'a, T>(&self, title: &str, run: &'a Run<T>) -> SpaceTime<'a> {
        let mut diagram = SpaceTime::of(run).title(self.title.as_deref().unwrap_or(title)).theme(self.theme);
        if let Some(ranks) = &self.ranks {
            diagram = diagram.nodes(ranks.iter().copied());
        }
        if self.from.is_some() || self.to.is_some() {
            diagram = diagram.window(self.from.unwrap_or(Time::ZERO), self.to.unwrap_or(Time::MAX));
        }
        match self.width {
            Some(pixels) => diagram.width(pixels),
            None => diagram,
        }
    }

    /// Returns the heat map of a run.
    pub(crate) fn heat<'a, T>(&self, title: &str, run: &'a Run<T>) -> Heat<'a> {
        Heat::of(run).title(self.title.as_deref().unwrap_or(title)).theme(self.theme)
    }
}

/// Parses `ranks=0..63,from=1ms,to=2ms,width=1200,theme=print,title=TEXT`; a title may contain commas and comes last.
impl FromStr for PictureOptions {
    type Err = String;

    fn from_str(text: &str) -> Result<PictureOptions, String> {
        let mut options = PictureOptions::default();
        let mut rest = Some(text);
        while let Some(text) = rest {
            let (item, next) = match text.split_once(',') {
                _ if text.trim_start().starts_with("title=") => (text, None),
                Some((item, next)) => (item, Some(next)),
                None => (text, None),
            };
            let unknown =
                |key| names::unknown("picture option", key, names::nearest(key, KEYS), &KEYS.join(", "));
            let (key, value) = item.split_once('=').ok_or_else(|| {
                format!(
                    "`{item}` has no value: write it as in ranks=0..63,from=1ms,to=2ms,theme=print,title=TEXT"
                )
            })?;
            let value = value.trim();
            match key.trim() {
                "ranks" => options.ranks = Some(read_ranks(value)?),
                "from" => options.from = Some(read_time(value)?),
                "to" => options.to = Some(read_time(value)?),
                "width" => {
                    let pixels = value.parse().ok().filter(|pixels| (400..=20_000).contains(pixels));
                    options.width = Some(pixels.ok_or("width: give a number of pixels from 400 to 20000")?);
                }
                "theme" => {
                    options.theme = match value {
                        "auto" => Theme::Auto,
                        "print" => Theme::Print,
                        _ => {
                            return Err(names::unknown(
                                "theme",
                                value,
                                names::nearest(value, ["auto", "print"]),
                                "auto, print",
                            ));
                        }
                    }
                }
                "title" => options.title = Some(value.to_owned()),
                key => return Err(unknown(key)),
            }
            rest = next;
        }
        match (options.from, options.to) {
            (Some(from), Some(to)) if from >= to => Err(format!("from={from} is not before to={to}")),
            _ => Ok(options),
        }
    }
}

/// Parses `5`, `0..63` (both ends belong to the range) or `0..63+4` (every fourth rank).
fn read_ranks(text: &str) -> Result<Vec<Rank>, String> {
    let error = || {
        format!("ranks: `{text}` is not a range of ranks: write 5, 0..63, or 0..63+4 for every fourth rank")
    };
    let number = |text: &str| text.trim().parse::<Rank>().map_err(|_| error());
    let Some((low, rest)) = text.split_once("..") else { return Ok(vec![number(text)?]) };
    let (high, step) = rest.split_once('+').unwrap_or((rest, "1"));
    let (low, high, step) = (number(low)?, number(high)?, number(step)?);
    if low > high || step == 0 || high - low >= 1 << 20 {
        return Err(error());
    }
    Ok((low..=high).step_by(step).collect())
}

fn read_time(text: &str) -> Result<Time, String> {
    let seconds = parse_seconds(text).map_err(|cause| cause.to_string())?;
    Span::try_from_secs_f64(seconds).map(|span| Time::ZERO + span).map_err(|cause| cause.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_and_mistakes_are_named() {
        let options: PictureOptions = "ranks=0..6+3,from=1ms,theme=print,title=One, two".parse().unwrap();
        assert_eq!(options.ranks, Some(vec![0, 3, 6]));
        assert_eq!((options.theme, options.title.as_deref()), (Theme::Print, Some("One, two")));
        for (text, part) in [
            ("rank=1", "did you mean `ranks`"),
            ("ranks=4..1", "0..63"),
            ("from=1", "no unit"),
            ("from=2ms,to=1ms", "not before"),
            ("theme=dark", "auto, print"),
            ("width=3", "400"),
            ("print", "has no value"),
        ] {
            let refusal = text.parse::<PictureOptions>().unwrap_err();
            assert!(refusal.contains(part), "{text}: {refusal}");
        }
    }
}
