//! The shapes of a study's tables, checked before they are read: serde would take an array for a
//! table, each value for the key at its place.

use super::{error::Source, faults::Faults, goal};
use crate::executor::EngineKind;
use std::{collections::BTreeSet, ops::Range};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// Form that the value of a key must have.
#[derive(Clone, Copy)]
enum Shape {
    /// A table with its own heading, such as this example.
    Table(&'static str),
    /// Several tables, each below its own heading.
    Tables,
    /// A table within a table, such as this example.
    Inner(&'static str),
    /// A table or another value, but not a list.
    NoList(&'static str),
}

use Shape::{Inner, NoList, Table, Tables};

/// The keys of a study file with tables as values, and their forms. `*` is any key or element.
const SHAPES: [(&str, Shape); 28] = [
    ("metric", Table("name = \"accuracy\"")),
    ("goal", Table(goal::EXAMPLE)),
    ("goal.budget", Inner("{ evaluations = 200 }")),
    ("design", Table("parallel = 2")),
    ("design.policy", NoList(METHOD)),
    ("design.policy.parameters", Inner("{ width = 2 }")),
    ("design.posterior", NoList(METHOD)),
    ("design.posterior.parameters", Inner("{ width = 2 }")),
    ("design.stopping", NoList(METHOD)),
    ("design.stopping.parameters", Inner("{ width = 2 }")),
    ("resources", Table("timeout = \"1h\"")),
    ("executor", Table("kind = \"slurm\"")),
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
    ("benchmark", Tables),
    ("measure", Tables),
    ("constraint", Tables),
    ("search_winner", Table("arm = \"lr=0.01\"")),
    ("recorded", Tables),
];

const METHOD: &str = "write a name, or { own = \"NAME\" } for one of the program that runs the study; or { command = […] } for a policy that is a process";

const VARIABLE: &str = "the value of a variable is a text, or { from = \"NAME\" }";

/// Whether a key has several tables, below headings `[[…]]`.
pub(super) fn is_of_tables(key: &str) -> bool {
    let mut shapes = SHAPES.iter();
    shapes.any(|(name, shape)| *name == key && matches!(shape, Tables))
}

/// Removes the keys whose values have a wrong form, also below `[executor]` by `kinds`. Adds a
/// mistake for each, and returns the keys.
pub(super) fn check(
    table: &mut DeTable<'_>,
    source: &Source<'_>,
    faults: &mut Faults,
    kinds: &[EngineKind],
) -> BTreeSet<String> {
    let of_house = SHAPES.iter().map(|&(path, shape)| (path.to_owned(), shape));
    let of_kinds = kinds.iter().flat_map(|kind| kind.tables);
    let of_kinds = of_kinds.map(|(key, example)| (format!("executor.{key}"), Inner(example)));
    let shapes: Vec<(String, Shape)> = of_house.chain(of_kinds).collect();
    let mut keys = BTreeSet::new();
    let mut tell = |key: &[String], (place, message): Wrong| {
        keys.insert(key.join("."));
        let key: Vec<&str> = key.iter().map(String::as_str).collect();
        faults.add(source.wrong_at(&key, Some(place), message));
    };
    visit(table, "", &mut Vec::new(), &shapes, &mut tell);
    keys
}

/// Place of a wrong value in a file, and what to write in its place.
type Wrong = (Range<usize>, String);

/// Checks the forms of a table and its inner tables. `within` is the path in [`SHAPES`] that its
/// keys begin with, `key` the table's own key.
fn visit(
    table: &mut DeTable<'_>,
    within: &str,
    key: &mut Vec<String>,
    shapes: &[(String, Shape)],
    tell: &mut dyn FnMut(&[String], Wrong),
) {
    let mut left_out = Vec::new();
    for (name, value) in table.iter_mut() {
        let (place, name) = (name.span(), name.get_ref());
        let is_here = |path: &str| {
            let last = path.strip_prefix(within);
            last.is_some_and(|last| last == "*" || last == name)
        };
        let Some((path, shape)) = shapes.iter().find(|(path, _)| is_here(path)) else {
            continue;
        };
        key.push(name.to_string());
        match (wrong(name, place, value.get_ref(), *shape), value.get_mut()) {
            (Some(wrong), _) => {
                tell(key, wrong);
                left_out.push(name.to_string());
            }
            (None, DeValue::Table(inner)) => visit(inner, &format!("{path}."), key, shapes, tell),
            (None, DeValue::Array(array)) => {
                for (number, one) in array.iter_mut().enumerate() {
                    if let DeValue::Table(inner) = one.get_mut() {
                        key.push(number.to_string());
                        visit(inner, &format!("{path}.*."), key, shapes, tell);
                        key.pop();
                    }
                }
            }
            _ => {}
        }
        key.pop();
    }
    for name in left_out {
        table.remove(name.as_str());
    }
}

/// Returns what is wrong with the form of a value. `None` if nothing is.
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

/// Tests of the list of forms against the schema of study files.
#[cfg(all(test, feature = "schema"))]
mod tests {
    use super::{SHAPES, Shape};
    use crate::study::file::StudyFile;
    use schemars::schema_for;
    use serde_json::Value;
    use std::collections::BTreeSet;

    /// Keys that are read as any value: what is no table is refused when the value is understood.
    const READ_AS_ANY_VALUE: [&str; 1] = ["design.splits"];

    /// Paths of keys, each with the form that its value must have.
    type Known = BTreeSet<(String, &'static str)>;

    #[test]
    fn every_key_that_holds_a_table_is_listed() {
        let schema = schema_for!(StudyFile);
        let mut expected = Known::new();
        of_keys(schema.as_value(), schema.as_value(), "", &mut expected);
        for path in READ_AS_ANY_VALUE {
            assert!(expected.remove(&(path.to_owned(), "NoList")), "{path}");
        }
        let listed = SHAPES.iter().map(|&(path, shape)| {
            let shape = match shape {
                Shape::Table(_) => "Table",
                Shape::Tables => "Tables",
                Shape::Inner(_) => "Inner",
                Shape::NoList(_) => "NoList",
            };
            (path.to_owned(), shape)
        });
        let listed: Known = listed.collect();
        let missing: Vec<_> = expected.difference(&listed).collect();
        let superfluous: Vec<_> = listed.difference(&expected).collect();
        assert!(
            missing.is_empty() && superfluous.is_empty(),
            "missing: {missing:?}; superfluous: {superfluous:?}"
        );
    }

    /// Adds the paths of all keys of a table.
    fn of_keys(root: &Value, table: &Value, path: &str, found: &mut Known) {
        for (key, value) in table["properties"].as_object().into_iter().flatten() {
            let path = match path {
                "" => key.clone(),
                path => format!("{path}.{key}"),
            };
            of_value(root, value, &path, found);
        }
        // Keys that users name themselves.
        if table["additionalProperties"].is_object() {
            let any = format!("{path}.*");
            of_value(root, &table["additionalProperties"], &any, found);
        }
    }

    /// Adds a path, and the paths below it, if its value may be a table or a list of tables.
    fn of_value(root: &Value, value: &Value, path: &str, found: &mut Known) {
        let forms = forms(root, value);
        let is_one = forms.len() == 1;
        for form in forms {
            if is_a(form, "object") {
                let shape = match path.contains('.') {
                    _ if !is_one => "NoList",
                    true => "Inner",
                    false => "Table",
                };
                found.insert((path.to_owned(), shape));
                of_keys(root, form, path, found);
            } else if is_a(form, "array") {
                let elements = format!("{path}.*");
                match self::forms(root, &form["items"])[..] {
                    [element] if is_a(element, "object") => {
                        found.insert((path.to_owned(), "Tables"));
                        of_keys(root, element, &elements, found);
                    }
                    _ => of_value(root, &form["items"], &elements, found),
                }
            }
        }
    }

    /// Returns the schemas of all values that a key may have, apart from null.
    fn forms<'a>(root: &'a Value, value: &'a Value) -> Vec<&'a Value> {
        if let Some(reference) = value["$ref"].as_str() {
            let place = reference.trim_start_matches('#');
            return forms(root, root.pointer(place).expect("it refers to a type"));
        }
        match value["anyOf"].as_array() {
            Some(any) => any.iter().flat_map(|one| forms(root, one)).collect(),
            None if value["type"] == "null" => Vec::new(),
            None => vec![value],
        }
    }

    fn is_a(schema: &Value, kind: &str) -> bool {
        let is = |of: &Value| of == kind;
        is(&schema["type"])
            || schema["type"]
                .as_array()
                .is_some_and(|all| all.iter().any(is))
    }
}
