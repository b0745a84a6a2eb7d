//! Values of expressions in Python scripts: texts, numbers, lists, keys, members of enumerations.

use crate::init::source::{Language, Source, literal};

/// A default as a command would be given it, also under a name.
pub(in crate::init) fn value_of(source: &Source<'_>, expression: &str) -> Option<String> {
    if let Some(value) = literal(expression) {
        return Some(value);
    }
    let is_name = expression
        .chars()
        .all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if !is_name || expression == "None" {
        return None;
    }
    // A member of an enumeration stands for its value.
    match expression.split_once('.') {
        Some((class, member)) => {
            let members = members(source, class);
            members
                .into_iter()
                .find(|(name, _)| name == member)
                .map(|(_, value)| value)
        }
        None => literal(source.assigned(expression)?),
    }
}

/// How far names are followed to other names.
const DEEPEST: usize = 3;

/// The texts of a list, the keys of a dict, the members of an enumeration, also under a name.
pub(super) fn list(source: &Source<'_>, expression: &str, depth: usize) -> Vec<String> {
    let expression = expression.trim();
    if depth > DEEPEST || expression.is_empty() {
        return Vec::new();
    }
    let inner = |expression: &str| {
        let whole = &expression[1..expression.len() - 1];
        let own = Source::new(whole, Language::Python);
        let parts = own.arguments(0, whole.len());
        let keys = parts.iter().map(|part| {
            let text = part.text;
            // The key of a dict.
            text.split_once(':')
                .map_or(text, |(key, _)| key)
                .trim()
                .to_owned()
        });
        keys.filter_map(|key| literal(&key))
            .collect::<Vec<String>>()
    };
    let is_between =
        |open: char, close: char| expression.starts_with(open) && expression.ends_with(close);
    if is_between('[', ']') && expression.contains(" for ") {
        // `[m.value for m in Model]`.
        let name = expression.rsplit(" in ").next().unwrap_or_default();
        return list(source, name.trim_end_matches(']'), depth + 1);
    }
    for (name, is_closed) in [
        ("range(", false),
        ("click.IntRange(", true),
        ("IntRange(", true),
    ] {
        if let Some(rest) = expression.strip_prefix(name) {
            return whole_numbers(source, rest.trim_end_matches(')'), is_closed);
        }
    }
    if is_between('[', ']') || is_between('(', ')') || is_between('{', '}') {
        return inner(expression);
    }
    for (before, after) in [
        ("list(", ")"),
        ("sorted(", ")"),
        ("tuple(", ")"),
        ("click.Choice(", ")"),
        ("Choice(", ")"),
        ("Optional[", "]"),
        ("Annotated[", "]"),
    ] {
        if let Some(rest) = expression.strip_prefix(before) {
            let inside = rest.rsplit_once(after).map_or(rest, |(inside, _)| inside);
            let own = Source::new(inside, Language::Python);
            let first = own
                .arguments(0, inside.len())
                .first()
                .map(|first| first.text);
            return list(source, first.unwrap_or_default(), depth + 1);
        }
    }
    if let Some(rest) = expression
        .strip_prefix("Literal")
        .or_else(|| expression.strip_prefix("typing.Literal"))
    {
        return list(source, rest, depth + 1);
    }
    let name = expression.trim_end_matches("()").trim_end_matches(".keys");
    let name = name.trim_end_matches(".__members__");
    if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Vec::new();
    }
    let members = members(source, name);
    if !members.is_empty() {
        return members.into_iter().map(|(_, value)| value).collect();
    }
    match source.assigned(name) {
        Some(value) if value != expression => list(source, value, depth + 1),
        _ => Vec::new(),
    }
}

/// How many elements a list or a tuple under a name has.
pub(super) fn length(source: &Source<'_>, name: &str) -> Option<usize> {
    let value = source.assigned(name)?.trim();
    let is_list = value.starts_with('[') && value.ends_with(']') && !value.contains(" for ");
    let is_tuple = value.starts_with('(') && value.ends_with(')');
    if !is_list && !is_tuple {
        return None;
    }
    let inside = &value[1..value.len() - 1];
    let own = Source::new(inside, Language::Python);
    let elements = own.arguments(0, inside.len());
    let elements = elements.iter().filter(|own| !own.text.trim().is_empty());
    Some(elements.count()).filter(|count| *count > 1)
}

/// The most numbers of a range that are told one by one.
const MOST: u64 = 1000;

/// The numbers of a range with these arguments; with its last one, if it is closed.
fn whole_numbers(source: &Source<'_>, arguments: &str, is_closed: bool) -> Vec<String> {
    let own = Source::new(arguments, Language::Python);
    let own = own.arguments(0, arguments.len());
    let named = |name: &str| own.iter().find(|argument| argument.keyword == Some(name));
    let number = |text: &str| value_of(source, text)?.parse::<u64>().ok();
    let mut numbers = own
        .iter()
        .filter(|argument| argument.keyword.is_none())
        .map(|own| own.text);
    let ends = match (named("min"), named("max")) {
        (None, None) => match (numbers.next(), numbers.next(), numbers.next()) {
            (Some(end), None, _) => Some(0).zip(number(end)),
            (Some(first), Some(end), None) => number(first).zip(number(end)),
            _ => None,
        },
        (first, Some(last)) => {
            let first = first.map(|first| first.text).or(numbers.next());
            first.map_or(Some(0), number).zip(number(last.text))
        }
        _ => None,
    };
    let Some((first, end)) = ends else {
        return Vec::new();
    };
    let end = end.saturating_add(u64::from(is_closed));
    if end.saturating_sub(first) > MOST {
        return Vec::new();
    }
    (first..end).map(|number| number.to_string()).collect()
}

/// The members of an enumeration, each with its value.
fn members(source: &Source<'_>, class: &str) -> Vec<(String, String)> {
    let Some(at) = source.find(&format!("class {class}")).first().copied() else {
        return Vec::new();
    };
    let rest = &source.text[at..];
    let mut lines = rest.lines();
    if !lines.next().is_some_and(|line| line.contains("Enum")) {
        return Vec::new();
    }
    let body = lines.take_while(|line| line.trim().is_empty() || line.starts_with([' ', '\t']));
    let member = |line: &str| {
        let (name, value) = line.split_once('=')?;
        let value = literal(value.split(" #").next()?)?;
        Some((name.trim().to_owned(), value))
    };
    body.filter_map(member).collect()
}
