//! Tests of several mistakes in a study file: all are reported together, without those that only
//! follow from another mistake.

use super::{Bench, STUDY, code};

/// Returns the mistakes that `fiesta run` reports of a study, a line for each.
fn mistakes(study: &str) -> Vec<String> {
    let bench = Bench::with_study(study);
    let ran = bench.fiesta(&["run", "study.toml"]);
    assert_eq!(ran.code, Some(code::USAGE), "{study}\n{ran:?}");
    assert!(!bench.path("study.fiesta").exists());
    let lines: Vec<String> = ran.stderr.lines().map(ToOwned::to_owned).collect();
    match lines.len() {
        1 => lines,
        _ => lines[1..].to_vec(),
    }
}

/// Checks that a study with these changes is refused for these mistakes and no others.
fn told(changes: &[(&str, &str)], says: &[&str]) {
    let mut study = STUDY.to_owned();
    for (from, to) in changes {
        assert!(study.contains(from), "{from}");
        study = study.replacen(from, to, 1);
    }
    let found = mistakes(&study);
    assert_eq!(found.len(), says.len(), "{found:#?}");
    for says in says {
        assert!(
            found.iter().any(|line| line.contains(says)),
            "{says}: {found:#?}"
        );
    }
}

#[test]
fn a_key_that_is_missing_hides_no_other_mistake() {
    told(
        &[
            ("name = \"trial\"\n", ""),
            ("parallel = 2", "parallel = 0"),
            ("policy = \"ttts\"", "policy = \"tttt\""),
            ("timeout = \"1m\"", "timeout = \"soon\""),
        ],
        &[
            "missing field `name`",
            "parallel must be at least 1",
            "there is no policy `tttt`",
            "\"soon\" is no duration",
        ],
    );
    // What depends on the arms is told once they have names.
    told(
        &[
            ("[[arm]]\nname = \"low\"", "[[arm]]\ncost = 1.0"),
            ("kind = \"local\"", "kind = \"lokal\""),
            ("timeout = \"1m\"", "timeout = \"soon\""),
        ],
        &[
            "missing field `name`",
            "there is no executor `lokal`",
            "\"soon\" is no duration",
        ],
    );
}

#[test]
fn a_value_of_a_wrong_type_hides_no_other_mistake() {
    told(
        &[
            ("seed = 1", "seed = \"one\""),
            ("policy = \"ttts\"", "policy = \"tttt\""),
            ("timeout = \"1m\"", "timeout = \"soon\"\ngrace = 5"),
        ],
        &[
            "\"one\" is a text",
            "there is no policy `tttt`",
            "\"soon\" is no duration",
            "invalid type: integer `5`",
        ],
    );
    // Two of one line.
    told(
        &[(
            "budget = { evaluations = 40 }",
            "budget = { evaluations = \"many\", wall = 5 }",
        )],
        &["\"many\" is a text", "invalid type: integer `5`"],
    );
}

#[test]
fn a_misspelt_key_hides_no_mistake_that_does_not_depend_on_it() {
    told(
        &[
            ("policy = \"ttts\"", "polici = \"ttts\""),
            ("kind = \"local\"", "kind = \"lokal\""),
            ("timeout = \"1m\"", "timeout = \"soon\""),
        ],
        &[
            "unknown key `polici`; did you mean `policy`?",
            "there is no executor `lokal`",
            "\"soon\" is no duration",
        ],
    );
}

/// Returns valid study files, whose keys affect many checks.
fn studies() -> Vec<String> {
    let arms =
        "[[arm]]\nname = \"low\"\nenv = { LEVEL = \"1\" }\n[[arm]]\nname = \"high\"\ncost = 2.0\n";
    let job = "command = [\"sh\", \"score.sh\", \"{arm}\", \"{split}\", \"{seed}\"]";
    let with = |head: &str, rest: &str| format!("name = \"trial\"\n{head}\n{rest}\n");
    vec![
        STUDY.to_owned(),
        with(
            job,
            &format!(
                "[metric]\nname = \"accuracy\"\nbounds = [0.0, 1.0]\nexit_codes = [0, 3]\nnot_finite = 0.0\n[goal]\nconfidence = 0.95\nrare_failures = 0.1\nbudget = {{ cost = \"40 USD\" }}\n[design]\nsplits = \"independent\"\nstopping = \"anytime\"\nposterior = \"pooled\"\npolicy = \"uniform\"\n[resources]\ncost_unit = \"USD\"\n{}",
                arms.replace("env = { LEVEL = \"1\" }", "cost = 1.0")
            ),
        ),
        with(
            job,
            &format!(
                "[metric]\nname = \"accuracy\"\n[goal]\nconfidence = 0.95\n[design]\npolicy = \"bts\"\nbatch = 2\nparallel = 2\n[executor]\nkind = \"slurm\"\npartition = \"gpu\"\n[resources]\ngpus_per_job = 1\n{arms}"
            ),
        ),
        with(
            "",
            &format!(
                "[metric]\nname = \"accuracy\"\n[goal]\nconfidence = 0.9\n[design]\nitems = [{{ id = \"a\" }}, {{ id = \"b\" }}]\nrepeats = true\n[worker]\ncommand = [\"cat\"]\nconcurrency = 2\ncache = \"answers.db\"\nprices = {{ in = 0.1 }}\n[resources]\ncost_unit = \"USD\"\n{}",
                arms.replace("env = { LEVEL = \"1\" }\n", "")
                    .replace("cost = 2.0\n", "")
            ),
        ),
        with(
            &format!(
                "{job}\n[metric]\nname = \"loss\"\ndirection = \"minimize\"\n[goal]\ntrials = 5\n[design]\nsplits = \"fixed\""
            ),
            "[[arm]]\nname = \"svm\"\nsearch = { c = { loguniform = [0.1, 10.0] } }",
        ),
    ]
}

/// Tests that a value of a wrong type, or a missing line, is reported as at most one mistake, for each key.
#[test]
fn a_value_of_a_wrong_type_is_told_as_one_mistake() {
    for study in studies() {
        for (number, line) in study.lines().enumerate() {
            let Some((key, _)) = line.split_once(" = ") else {
                continue;
            };
            for value in ["[[[]]]", "2020-01-01", "{ odd = [] }"] {
                // A list of items may hold anything.
                if key == "items" && value.starts_with('[') {
                    continue;
                }
                let mut lines: Vec<String> = study.lines().map(ToOwned::to_owned).collect();
                lines[number] = format!("{key} = {value}");
                let found = mistakes(&lines.join("\n"));
                assert_eq!(found.len(), 1, "{line} with {value}: {found:#?}");
            }
        }
    }
}

/// Tests that a wrong type does not hide mistakes of other keys of the same table.
#[test]
fn a_wrong_type_hides_no_mistake_of_other_keys_of_its_table() {
    told(
        &[
            ("confidence = 0.95", "confidence = 95"),
            ("evaluations = 40", "evaluations = -40"),
            ("policy = \"ttts\"", "policy = 3"),
            ("splits = \"shared\"", "splits = 10.5"),
            ("name = \"low\"", "name = \"high\"\ncost = \"1\""),
        ],
        &[
            "95 % is 0.95",
            "evaluations must be a whole number, 0 or more, not -40",
            "study.toml:15: expected a name, or a table such as",
            "the number of splits that there are",
            "\"1\" is a text",
            "`high` is used by two arms",
        ],
    );
}

#[test]
fn every_placeholder_that_is_unknown_is_told() {
    let found = mistakes(&STUDY.replace("{arm}", "{model} {fold} {rng} {sed} {zzz}"));
    assert_eq!(found.len(), 1, "{found:?}");
    let says = "{model} (did you mean {arm}?), {fold} (did you mean {split}?), {rng} (did you mean {seed}?), {sed} (did you mean {seed}?), {zzz} (known: ";
    assert!(found[0].contains(says), "{found:?}");
}
