//! The question of a request: the keys of a study file, as JSON.

use multicomputer::names;
use multicomputer_study::{Axis, Study};
use serde_json::{Map, Value};

/// Settings of studies that are options without values.
const FLAGS: [&str; 2] = ["phantom", "in-order"];
/// Settings of studies that are options with values. `run` is missing, because the kind of the job decides it.
const SETTINGS: [&str; 3] = ["algorithm", "title", "element"];

/// A question: options of `multicomputer study`, and the study that they mean.
#[derive(Debug)]
pub(super) struct Question {
    /// The names of options, without `--`, and their values.
    options: Vec<(&'static str, String)>,
    pub(super) study: Study,
}

impl Question {
    /// Reads a JSON object.
    pub(super) fn read(text: &str) -> Result<Question, String> {
        let mut question = Question { options: Vec::new(), study: Study::default() };
        let keys: Map<String, Value> = serde_json::from_str(text).map_err(|cause| {
            format!("the question is not a JSON object with the keys of a study: {cause}")
        })?;
        for (key, value) in &keys {
            question.set(key, &listed(value).map_err(|cause| format!("{key}: {cause}"))?)?;
        }
        Ok(question)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let plain = names::normalized(key);
        let setting = SETTINGS.into_iter().chain(FLAGS).find(|name| names::normalized(name) == plain);
        let name = match setting {
            Some(name) => name,
            None => {
                let axis = Axis::named(key).map_err(|cause| cause.to_string())?;
                check(axis, value)?;
                axis.name()
            }
        };
        if self.options.iter().any(|(known, _)| *known == name) {
            return Err(format!("{name} is given twice: give each key once"));
        }
        let is_flag = FLAGS.contains(&name);
        let read = match (is_flag, value) {
            (true, "true") => toml::Value::from(true),
            (true, "false") => return Ok(()),
            (true, _) => return Err(format!("{name}: `{value}` is not true or false")),
            (false, value) => toml::Value::from(value),
        };
        // An element is a number in study files, and a length with a unit in options.
        if name != "element" {
            self.study.set_key(name, &read).map_err(|cause| cause.to_string())?;
        } else {
            let bytes =
                multicomputer::units::parse_bytes(value).map_err(|cause| format!("element: {cause}"))?;
            self.study.set_element(bytes);
        }
        self.options.push((name, value.to_owned()));
        Ok(())
    }

    /// Returns the options of `multicomputer study`.
    pub(super) fn options(&self) -> Vec<String> {
        let option = |(name, value): &(&str, String)| match FLAGS.contains(name) {
            true => format!("--{name}"),
            // A value may begin with a hyphen.
            false => format!("--{name}={value}"),
        };
        self.options.iter().map(option).collect()
    }

    /// Returns the command line with the same numbers, for a POSIX shell.
    pub(super) fn command(&self) -> String {
        let is_plain =
            |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.,:/=+@%".contains(c));
        let quoted = |value: &str| match is_plain(value) && !value.is_empty() {
            true => value.to_owned(),
            false => format!("'{}'", value.replace('\'', r"'\''")),
        };
        let option = |(name, value): &(&str, String)| match FLAGS.contains(name) {
            true => format!(" --{name}"),
            false if value.starts_with('-') => format!(" --{name}={}", quoted(value)),
            false => format!(" --{name} {}", quoted(value)),
        };
        "multicomputer study".to_owned() + &self.options.iter().map(option).collect::<String>()
    }

    /// Returns the lines of Python with the same numbers.
    pub(super) fn python(&self) -> String {
        let argument = |(name, value): &(&str, String)| {
            let name = name.replace('-', "_");
            match FLAGS.contains(&&*name.replace('_', "-")) {
                true => format!("    {name}=True,\n"),
                false => format!("    {name}={},\n", Value::from(value.as_str())),
            }
        };
        let arguments: String = self.options.iter().map(argument).collect();
        format!("import multicomputer as mc\n\nrows = mc.study(\n{arguments})\nprint(rows)\n")
    }
}

/// A value in the syntax of lists: `16..1024`, `1,2,5`.
fn listed(value: &Value) -> Result<String, String> {
    Ok(match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(bool) => bool.to_string(),
        Value::Array(items) => items.iter().map(listed).collect::<Result<Vec<_>, _>>()?.join(","),
        Value::Null | Value::Object(_) => return Err(format!("`{value}` is not a text, a number or a list")),
    })
}

/// Refuses files of this host, and clocks whose runs take the host's time.
fn check(axis: Axis, value: &str) -> Result<(), String> {
    let lower = value.to_lowercase();
    let is_file = lower.contains("file:") || lower.contains(".toml");
    match axis {
        Axis::Machine | Axis::Shape | Axis::Placement | Axis::Distribution if is_file => {
            Err(format!("{axis}: `{value}` names a file, and the page reads no files: use the command line"))
        }
        Axis::Clock if names::normalized(value) != "virtual" => {
            Err(format!("clock: `{value}` takes the host's time: the page has virtual time only"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_the_options_of_a_study() {
        let json = r#"{"operation":"all-reduce","nodes":[4,"8..16"],"machine":"torus","algorithm":["ring","auto"],"in_order":true}"#;
        let question = Question::read(json).unwrap();
        let options: Vec<String> = question.options();
        let expected = [
            "--operation=all-reduce",
            "--nodes=4,8..16",
            "--machine=torus",
            "--algorithm=ring,auto",
            "--in-order",
        ];
        let mut sorted = expected.map(str::to_owned).to_vec();
        sorted.sort_unstable();
        let mut given = options;
        given.sort_unstable();
        assert_eq!(given, sorted);
        assert_eq!(question.study.values(Axis::Nodes).unwrap(), ["4", "8", "16"]);
        assert!(question.python().contains("    in_order=True,\n"), "{}", question.python());
    }

    #[test]
    fn commands_are_quoted_for_the_shell() {
        let question = Question::read(r#"{"title":"it's $HOME","beta":"1 ns/B"}"#).unwrap();
        assert_eq!(question.command(), r"multicomputer study --beta '1 ns/B' --title 'it'\''s $HOME'");
    }

    #[test]
    fn files_clocks_and_doubled_keys_are_refused() {
        for text in [
            r#"{"machine":"file:/etc/passwd"}"#,
            r#"{"machine":"secret.TOML"}"#,
            r#"{"placement":"File:x"}"#,
            r#"{"clock":"host"}"#,
            r#"{"clock":"virtual,real:4"}"#,
            r#"{"nodes":4,"p":8}"#,
            r#"{"run":"all"}"#,
            r#"{"nonsense":1}"#,
            r#"{"nodes":{}}"#,
            "{",
            "[1]",
            "nodes=4",
        ] {
            assert!(Question::read(text).is_err(), "{text}");
        }
    }
}
