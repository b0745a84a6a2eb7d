//! Flags of the command line in messages, as keywords of Python.

/// Flags that messages name, each with its text for Python: the keyword of the same meaning, or the
/// program's command if there is none.
const FLAGS: [(&str, &str); 51] = [
    ("accept-changes", "accept_changes=True"),
    ("again", "again="),
    ("arm", "arm="),
    ("arms", "arms="),
    ("at-most", "at_most="),
    ("baseline", "baseline="),
    ("benchmark", "benchmark="),
    ("better-by", "better_by="),
    ("bounds", "bounds="),
    ("budget", "budget="),
    ("by", "by="),
    ("cap", "cap="),
    ("cheapest-within", "cheapest_within="),
    ("clusters", "clusters="),
    ("confidence", "confidence="),
    ("cost-per-evaluation", "cost_per_evaluation="),
    ("counts", "`fiesta belief --counts`"),
    ("direction", "direction="),
    ("draws", "draws="),
    ("failed", "failed="),
    ("filter", "`fiesta import --filter`"),
    ("format", "`to_dict()`"),
    ("from", "`fiesta import --from`"),
    ("gold", "gold="),
    ("item", "item="),
    ("items", "items="),
    ("known", "known="),
    ("margin", "margin="),
    ("metric", "metric="),
    ("missing", "`fiesta import --missing`"),
    ("n", "n="),
    ("paired-rows", "paired_rows=True"),
    ("outlook", "outlook="),
    ("pool-size", "pool_size="),
    ("positive", "positive="),
    ("posterior", "posterior="),
    ("pruned", "`fiesta import --pruned`"),
    ("rare-failures", "rare_failures="),
    ("reach", "reach="),
    ("retry", "retry="),
    ("scale", "scale="),
    ("score", "score="),
    ("seed", "seed="),
    ("shortfall", "shortfall="),
    ("split", "split="),
    ("spread", "spread="),
    ("strata", "strata="),
    ("target", "target="),
    ("time", "time="),
    ("tolerance", "tolerance="),
    ("weights", "weights="),
];

/// Values that follow a flag in messages, each with its text for Python.
const VALUES: [(&str, &str); 5] = [
    ("LOW,HIGH", "(LOW, HIGH)"),
    ("drop", "\"drop\""),
    ("json", ""),
    ("pooled", "\"pooled\""),
    ("worst", "\"worst\""),
];

/// Ends of values that messages show for one benchmark, each with its text for Python.
const OF_BENCHMARKS: [(&str, &str); 2] = [("=WORST,BEST", "(WORST, BEST)"), ("=1", "1")];

/// Returns a message in which each flag of the command line (`--pool-size`) is the keyword of the
/// same meaning (`pool_size=`). Texts in backticks, such as names of arms, stay as they are, and so
/// do two dashes within a word and flags that no message names.
pub(crate) fn in_python(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    for (place, part) in message.split('`').enumerate() {
        if place > 0 {
            text.push('`');
        }
        if place % 2 == 0 {
            unquoted(part, &mut text);
        } else {
            text.push_str(part);
        }
    }
    text
}

fn unquoted(mut rest: &str, text: &mut String) {
    while let Some(at) = rest.find("--") {
        let (before, flag) = (&rest[..at], &rest[at + 2..]);
        text.push_str(before);
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let (name, behind) = flag.split_at(flag.find(|c| !is_part(c)).unwrap_or(flag.len()));
        let within = before.ends_with(|c: char| c.is_alphanumeric() || c == '-');
        let known = FLAGS.iter().find(|(known, _)| *known == name && !within);
        rest = behind;
        match known {
            Some((_, keyword)) => {
                text.push_str(keyword);
                let number = behind.strip_prefix(' ');
                if let Some(number) = number.filter(|n| n.starts_with(|c: char| c.is_ascii_digit()))
                {
                    rest = number;
                }
            }
            None => text.extend(["--", name]),
        }
        let of_benchmark = OF_BENCHMARKS.iter().find_map(|(end, python)| {
            let (name, behind) = behind.strip_prefix(' ')?.split_once(end)?;
            matches!(known?.0, "scale" | "weights").then_some((name, python, behind))
        });
        if let Some((name, value, behind)) = of_benchmark {
            text.extend(["{\"", name, "\": ", value, "}"]);
            rest = behind;
        }
        let value = VALUES.iter().find_map(|(value, python)| {
            let behind = behind.strip_prefix(' ')?.strip_prefix(value)?;
            let is_word = !behind.starts_with(char::is_alphanumeric);
            (known.is_some() && is_word).then_some((behind, python))
        });
        if let Some((behind, python)) = value {
            text.push_str(python);
            rest = behind;
        }
    }
    text.push_str(rest);
}
