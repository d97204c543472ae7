//! Study files: TOML with a key for each axis and each setting.

use std::{fs, path::Path};

use toml::Value;

use crate::{Axis, Runs, Study, StudyError, spelling::SETTINGS};

/// The error of a text that is not TOML, with a hint if its line has a range without quotes.
fn explained(text: &str, cause: &toml::de::Error) -> String {
    let begin = cause.span().map_or(0, |span| span.start.min(text.len()));
    let line = text.get(..begin).map_or(0, |before| before.matches('\n').count());
    let is_range = text.lines().nth(line).is_some_and(|line| line.contains(".."));
    let hint = if is_range { "A range is a text: write it in quotes, such as nodes = \"4..64\"" } else { "" };
    format!("{cause}{hint}")
}

impl Study {
    /// Reads a study from TOML: a key for each axis (`nodes = "16..1024"`, `alpha = ["1 us", "10 us"]`), and the settings `title`,
    /// `algorithm`, `run`, `phantom`, `element` and `in-order`.
    ///
    /// ```
    /// use multicomputer_study::{Axis, Study};
    ///
    /// let study = Study::from_toml("operation = 'all-reduce'\nnodes = '4..16'\nalgorithm = ['ring', 'auto']")?;
    /// assert_eq!(study.values(Axis::Nodes).unwrap(), ["4", "8", "16"]);
    /// assert_eq!(Study::from_toml(&study.to_toml())?, study);
    /// # Ok::<(), multicomputer_study::StudyError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`StudyError`] for text that is not TOML, unknown keys, and values that cannot be read.
    pub fn from_toml(text: &str) -> Result<Study, StudyError> {
        let table: toml::Table = text.parse().map_err(|cause| StudyError::Toml(explained(text, &cause)))?;
        let mut study = Study::default();
        for (key, value) in &table {
            study.set_key(key, value)?;
        }
        Ok(study)
    }

    /// Reads a study from a TOML file.
    ///
    /// # Errors
    ///
    /// As [`from_toml`](Study::from_toml), and if the file cannot be read.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Study, StudyError> {
        let path = path.as_ref();
        let text = fs::read_to_string(path)
            .map_err(|cause| StudyError::Unreadable { path: path.to_owned(), cause })?;
        Study::from_toml(&text)
    }

    /// Returns the study as TOML, which [`from_toml`](Study::from_toml) reads back. Ranges are expanded.
    pub fn to_toml(&self) -> String {
        let mut table = toml::Table::new();
        if let Some(title) = &self.title {
            table.insert("title".to_owned(), Value::from(title.clone()));
        }
        for (axis, values) in &self.values {
            table.insert(axis.name().to_owned(), list(values));
        }
        if !self.algorithms.is_empty() {
            table.insert("algorithm".to_owned(), list(&self.algorithms));
        }
        if self.runs != Runs::default() {
            table.insert("run".to_owned(), Value::from(self.runs.name()));
        }
        if self.phantom {
            table.insert("phantom".to_owned(), Value::from(true));
        }
        if let Some(bytes) = self.elements.bytes {
            table.insert("element".to_owned(), Value::from(bytes as i64));
        }
        if self.elements.in_order {
            table.insert("in-order".to_owned(), Value::from(true));
        }
        table.to_string()
    }

    /// Returns a hash of everything that decides the rows, 16 hexadecimal digits (FNV-1a of the [file](Study::to_toml) without its title).
    pub fn hash(&self) -> String {
        let untitled = Study { title: None, ..self.clone() };
        let hash = untitled.to_toml().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    /// Sets what a key of a file says: the values of an axis, or a setting. A text is a list of values in the syntax of
    /// [`set`](Study::set), an array has one value an item, as for [`set_each`](Study::set_each).
    ///
    /// # Errors
    ///
    /// [`StudyError`] for unknown keys, and values that cannot be read.
    pub fn set_key(&mut self, key: &str, value: &Value) -> Result<(), StudyError> {
        let plain = multicomputer::names::normalized(key);
        let is = |name: &str| plain == multicomputer::names::normalized(name);
        let is_setting = |name: &&str| is(name) || *name == "algorithm" && plain == "algorithms";
        let Some(setting) = SETTINGS.into_iter().find(is_setting) else {
            let axis = Axis::named(key)?;
            let error = |cause| StudyError::Value { axis, cause };
            return match value {
                Value::Array(items) => {
                    let items = items.iter().map(text).collect::<Result<Vec<String>, String>>();
                    self.set_each(axis, items.map_err(error)?)
                }
                value => self.set(axis, &text(value).map_err(error)?),
            };
        };
        let error = |cause| StudyError::Setting { setting, cause };
        let boolean = || value.as_bool().ok_or_else(|| error(format!("`{value}` is not true or false")));
        match setting {
            "title" => self.title = Some(text(value).map_err(error)?),
            "algorithm" => {
                self.algorithms = match value {
                    Value::Array(items) => items.iter().map(text).collect::<Result<_, _>>().map_err(error)?,
                    value => crate::algorithms::read_algorithms(&text(value).map_err(error)?),
                };
            }
            "run" => self.runs = Runs::named(&text(value).map_err(error)?).map_err(error)?,
            "phantom" => self.phantom = boolean()?,
            "in-order" => self.elements.in_order = boolean()?,
            _ => {
                let bytes = multicomputer::units::parse_bytes(&text(value).map_err(error)?);
                self.elements.bytes = Some(bytes.map_err(|cause| error(cause.to_string()))?.max(1));
            }
        }
        Ok(())
    }
}

/// A value as text.
fn text(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        other => Err(format!(
            "`{other}` has the type {}: write a text, a number, or a list of these",
            other.type_str()
        )),
    }
}

/// One value, or a list of several.
fn list(values: &[String]) -> Value {
    Value::Array(values.iter().cloned().map(Value::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_back_and_mistakes_are_named() {
        let text = "title = 'T'\noperation = ['broadcast', 's-to-p']\nmachine = 'torus'\nnodes = [4, '8..16']\nnoise = \
                    ['none', 'interval=1ms,length=50us']\nalgorithm = 'auto,ring'\nrun = 'all'\nelement = 4\nin_order = true";
        let study = Study::from_toml(text).unwrap();
        assert_eq!(study.values(Axis::Nodes).unwrap(), ["4", "8", "16"]);
        assert_eq!(study.values(Axis::Noise).unwrap().len(), 2);
        assert_eq!(Study::from_toml(&study.to_toml()).unwrap(), study);
        assert_eq!(Study::from_toml(&text.replace("algorithm", "algorithms")).unwrap(), study);
        let hash = study.hash();
        assert_eq!(Study { title: None, ..study.clone() }.hash(), hash);
        assert_ne!(Study { phantom: true, ..study }.hash(), hash);
        for (text, part) in [
            ("node = 4", "did you mean `nodes`"),
            ("algoritm = 'ring'", "did you mean `algorithm`"),
            ("nodes = 'x'", "nodes: `x` is not a whole number"),
            ("alpha = 10", "no unit"),
            ("operation = 'brodcast'", "did you mean `broadcast`"),
            ("run = 'al'", "did you mean `all`"),
            ("phantom = 1", "not true or false"),
            ("nodes = [[1]]", "has the type array"),
            ("nodes = ", "not valid TOML"),
            ("nodes = 4..64", "nodes = \"4..64\""),
            ("machine = 'paragn'", "did you mean `paragon`"),
        ] {
            let refusal = Study::from_toml(text).unwrap_err().to_string();
            assert!(refusal.contains(part), "{text}: {refusal}");
        }
    }
}
