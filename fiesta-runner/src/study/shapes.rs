//! The shapes of a study's tables, checked before they are read: serde would take an array for a
//! table, each value for the key at its place.

use super::{error::Source, faults::Faults};
use std::ops::Range;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// What the value of a key must be.
#[derive(Clone, Copy)]
enum Shape {
    /// A table with a heading of its own, below which stands for example this.
    Table(&'static str),
    /// Tables, each below a heading of its own.
    Tables,
    /// A table in a table, such as this one.
    Inner(&'static str),
    /// A table or something else, but no list.
    NoList(&'static str),
}

use Shape::{Inner, NoList, Table, Tables};

/// The keys of a study whose values are tables; `*` is any key, or any element.
const SHAPES: [(&str, Shape); 21] = [
    ("metric", Table("name = \"accuracy\"")),
    ("goal", Table("confidence = 0.95")),
    ("goal.budget", Inner("{ evaluations = 200 }")),
    ("design", Table("parallel = 2")),
    ("resources", Table("timeout = \"1h\"")),
    ("executor", Table("kind = \"slurm\"")),
    ("executor.resources", Inner("{ a100 = 1 }")),
    ("executor.runtime_env", Inner("{ pip = [\"torch\"] }")),
    (
        "executor.hosts.*",
        NoList("a host is a name, or { host = \"bob\", slots = 2 }"),
    ),
    ("report", Table("code = \"https://example.org/code\"")),
    ("worker", Table("command = [\"python\", \"worker.py\"]")),
    ("worker.prices", Inner("{ in = 0.15, out = 0.6 }")),
    ("worker.env", Inner("{ LEVEL = \"info\" }")),
    ("worker.env.*", NoList(VARIABLE)),
    ("arm", Tables),
    ("arm.*.prices", Inner("{ in = 0.15, out = 0.6 }")),
    ("arm.*.env", Inner("{ LEVEL = \"info\" }")),
    ("arm.*.env.*", NoList(VARIABLE)),
    (
        "arm.*.search",
        Inner("{ rate = { loguniform = [1e-5, 1e-2] } }"),
    ),
    ("arm.*.search.*", Inner("{ loguniform = [1e-5, 1e-2] }")),
    ("recorded", Tables),
];

const VARIABLE: &str = "the value of a variable is a text, or { from = \"NAME\" }";

/// The key of several tables below headings `[[…]]`, if this one is.
pub(super) fn is_of_tables(key: &str) -> bool {
    let mut shapes = SHAPES.iter();
    shapes.any(|(name, shape)| *name == key && matches!(shape, Tables))
}

/// Takes out the keys whose values have not the shape that they must have, and adds a fault for
/// each; whether there is none.
pub(super) fn check(table: &mut DeTable<'_>, source: &Source<'_>, faults: &mut Faults) -> bool {
    let mut is_right = true;
    for (path, shape) in SHAPES {
        let path: Vec<&str> = path.split('.').collect();
        visit(table, &path, &mut Vec::new(), shape, &mut |key, wrong| {
            is_right = false;
            let (place, message) = wrong;
            let key: Vec<&str> = key.iter().map(String::as_str).collect();
            faults.add(source.wrong_at(&key, Some(place), message));
        });
    }
    is_right
}

/// Where a value is wrong, and what to write.
type Wrong = (Range<usize>, String);

/// Checks the values to which a path leads from a table, which itself is at a key.
fn visit(
    table: &mut DeTable<'_>,
    path: &[&str],
    key: &mut Vec<String>,
    shape: Shape,
    tell: &mut dyn FnMut(&[String], Wrong),
) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    let names = table.keys().map(|name| name.get_ref().to_string());
    let names: Vec<String> = names.filter(|name| [name, "*"].contains(first)).collect();
    for name in names {
        let Some((place, value)) = table.get_key_value(&*name).map(|(k, v)| (k.span(), v)) else {
            continue;
        };
        key.push(name.clone());
        let wrong = match (rest, value.get_ref()) {
            ([], value) => wrong(&name, place, value, shape),
            (["*"], DeValue::Array(array)) => array
                .iter()
                .find_map(|one| wrong(&name, one.span(), one.get_ref(), shape)),
            _ => None,
        };
        if let Some(wrong) = wrong {
            tell(key, wrong);
            table.remove(&*name);
        } else if let Some(value) = table.get_mut(&*name) {
            match (rest, value.get_mut()) {
                (["*", within @ ..], DeValue::Array(array)) => {
                    for (number, one) in array.iter_mut().enumerate() {
                        if let DeValue::Table(inner) = one.get_mut() {
                            key.push(number.to_string());
                            visit(inner, within, key, shape, tell);
                            key.pop();
                        }
                    }
                }
                (_, DeValue::Table(inner)) => visit(inner, rest, key, shape, tell),
                _ => {}
            }
        }
        key.pop();
    }
}

/// What is wrong with the shape of a value, if anything is.
fn wrong(name: &str, place: Range<usize>, value: &DeValue<'_>, shape: Shape) -> Option<Wrong> {
    let is_table = |value: &Spanned<DeValue<'_>>| matches!(value.get_ref(), DeValue::Table(_));
    match (shape, value) {
        (Table(_) | Inner(_), DeValue::Table(_)) => None,
        (Table(_), DeValue::Array(array)) if !array.is_empty() && array.iter().all(is_table) => {
            Some((
                place,
                format!("[{name}] is one table: write [{name}], once"),
            ))
        }
        (Table(example), _) => Some((
            place,
            format!("{name} is a table: write [{name}], and below it for example {example}"),
        )),
        (Tables, DeValue::Array(array)) => {
            let other = array.iter().find(|one| !is_table(one))?;
            let message =
                format!("each {name} is a table: write [[{name}]], and below it its keys");
            Some((other.span(), message))
        }
        (Tables, _) => Some((
            place,
            format!("each {name} is a table of its own: write [[{name}]], with two brackets"),
        )),
        (Inner(example), _) => Some((
            place,
            format!("{name} is a table: write for example {name} = {example}"),
        )),
        (NoList(what), DeValue::Array(_)) => Some((place, what.to_owned())),
        (NoList(_), _) => None,
    }
}
