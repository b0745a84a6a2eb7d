//! Literals of scripts: texts, numbers, truth values.

/// The content of an expression that is one text, or several one after another; with whether it is
/// an f-string.
pub(crate) fn text_of(expression: &str) -> Option<(String, bool)> {
    let mut rest = expression.trim();
    if let Some(inner) = rest
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    {
        rest = inner.trim();
    }
    let mut whole = String::new();
    let mut is_formatted = false;
    while !rest.is_empty() {
        let prefix = rest.find(['"', '\'']).filter(|&at| at <= 2)?;
        let marks = rest[..prefix].to_lowercase();
        if !marks.chars().all(|c| "rfbu".contains(c)) {
            return None;
        }
        is_formatted |= marks.contains('f');
        let is_raw = marks.contains('r');
        rest = &rest[prefix..];
        let quote = rest.chars().next()?;
        let triple: String = [quote; 3].iter().collect();
        let close = if rest.starts_with(&triple) {
            triple
        } else {
            quote.to_string()
        };
        rest = &rest[close.len()..];
        let mut characters = rest.char_indices();
        let end = loop {
            let (at, c) = characters.next()?;
            if rest[at..].starts_with(&close) {
                break at;
            }
            match c {
                '\\' if !is_raw => match characters.next()?.1 {
                    'n' | 'r' => whole.push('\n'),
                    // Bytes, most of which are colours.
                    'x' => {
                        let code: String = characters.by_ref().take(2).map(|(_, c)| c).collect();
                        let code = u8::from_str_radix(&code, 16).unwrap_or(b'?');
                        whole.push(char::from(code));
                    }
                    '0' => {
                        let code: String = characters.by_ref().take(2).map(|(_, c)| c).collect();
                        let code = u8::from_str_radix(&code, 8).unwrap_or(b'?');
                        whole.push(char::from(code));
                    }
                    't' => whole.push('\t'),
                    '\n' => {}
                    other => whole.push(other),
                },
                other => whole.push(other),
            }
        };
        rest = rest[end + close.len()..].trim_start();
    }
    Some((whole, is_formatted))
}

/// A literal as a command would be given it: the content of a text, a number, a truth value.
pub(crate) fn literal(expression: &str) -> Option<String> {
    if let Some((text, false)) = text_of(expression) {
        return (!expression.trim().is_empty()).then_some(text);
    }
    let expression = expression.trim();
    let is_number =
        expression.parse::<f64>().is_ok() && !expression.starts_with(char::is_alphabetic);
    let is_number = is_number
        || expression.ends_with('L') && expression[..expression.len() - 1].parse::<i64>().is_ok();
    is_number.then(|| expression.trim_end_matches('L').to_owned())
}
