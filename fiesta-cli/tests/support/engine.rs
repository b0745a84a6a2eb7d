//! Studies that the tests of all engines share: one of three arms whose jobs record what they do,
//! and the study of the quickstart example.

#![allow(dead_code, reason = "every test program uses another part")]

use super::support::{self, Bench, code, skipped};
use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// Job `sh job.sh ARM SPLIT SEED` that notes its start and its answer, its machine and its GPUs,
/// and takes a fraction of a second that follows from its seed.
pub(crate) const JOB: &str = r#"
echo "$FIESTA_RUN $1 $2 ${SLURM_ARRAY_JOB_ID:-$(hostname)} gpus=$CUDA_VISIBLE_DEVICES" >> began
[ -e slow ] && sleep 4
sleep 0.$(($3 % 7))
case $1 in high) base=700 ;; mid) base=650 ;; *) base=600 ;; esac
echo "$FIESTA_RUN $1 $2 ${SLURM_ARRAY_JOB_ID:-$(hostname)} gpus=$CUDA_VISIBLE_DEVICES" >> answered
printf '{"accuracy": 0.%03d}\n' $((base + $3 % 40))
"#;

/// Makes a study of `low`, `mid` and `high` with [`JOB`]. `executor` is the table of its executor,
/// and `rest` everything else but the name and the metric.
pub(crate) fn study(rest: &str, executor: &str) -> Bench {
    let bench = Bench::with_job(JOB, rest);
    let arms = ["low", "mid", "high"].map(|arm| format!("[[arm]]\nname = \"{arm}\"\n"));
    let text = bench.text("study.toml");
    let arms = arms.concat();
    bench.file(
        "study.toml",
        &format!("{text}[executor]\n{executor}\n{arms}"),
    );
    bench
}

/// Returns the goal and design of a study of `evaluations` evaluations, `parallel` at a time, equally many of each arm.
pub(crate) fn uniform(evaluations: u64, parallel: usize, retries: u32) -> String {
    format!(
        "goal.budget.evaluations = {evaluations}\ndesign = {{ policy = \"uniform\", parallel = {parallel}, seed = 1 }}\nresources = {{ retries = {retries}, grace = \"2s\" }}"
    )
}

/// Returns the goal and design of a study of `evaluations` evaluations, one at a time, which end in
/// the same order on every executor.
pub(crate) fn one_by_one(evaluations: u64) -> String {
    format!("goal.budget.evaluations = {evaluations}\ndesign = {{ seed = 3, parallel = 1 }}\n")
}

/// Checks that a study of `evaluations` evaluations [one by one](one_by_one) has decided as this
/// machine does.
pub(crate) fn decided_as_here(there: &Bench, evaluations: u64) {
    let here = study(&one_by_one(evaluations), "kind = \"local\"");
    here.fiesta(&["run", "study.toml", "--quiet"])
        .says(code::DONE, &[]);
    assert_eq!(there.decisions(), here.decisions());
}

/// Script that prints its score for people; the arm `low` prints it in other words than the others.
const PRINTS: &str = r"
case $1 in low) echo 'Test Accuracy: 61.25%' ;; *) echo 'Test accuracy: 81.87%' ;; esac
echo done
";

/// Makes a study with a pattern for the score in its jobs' output, and one evaluation per arm.
pub(crate) fn printing(executor: &str) -> Bench {
    let bench = study(&uniform(3, 3, 0), executor);
    bench.file("job.sh", PRINTS);
    bench.edit(
        "study.toml",
        "name = \"accuracy\"\n",
        "name = \"accuracy\"\npattern = 'accuracy: ([0-9.]+)%'\npercent = true\nbounds = [0.0, 1.0]\n",
    );
    bench
}

/// Checks that a study whose jobs [print](printing) their scores found the scores, and reports an
/// output without a score in the words that this machine uses.
pub(crate) fn found_as_here(there: &Bench) {
    let here = printing("kind = \"local\"");
    here.fiesta(&["run", "study.toml", "--quiet"])
        .says(code::DONE, &[]);
    let found = |bench: &Bench| {
        let (_, status) = bench.json(&["status", "study.toml"]);
        let mean = |name| support::arm(&status, name)["mean"].as_f64().unwrap();
        for name in ["mid", "high"] {
            assert!((mean(name) - 0.8187).abs() < 1e-12, "{status}");
        }
        assert_eq!(support::arm(&status, "low")["failed"], 1, "{status}");
        status["failures"][0]["message"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (there, here) = (found(there), found(&here));
    let nearest = "this line of stdout nearly matches";
    for words in ["no line matches pattern", nearest, "Test Accuracy: 61.25%"] {
        assert!(there.contains(words), "{there}");
    }
    assert_eq!(there, here);
}

/// Returns the number of runs that answered, and checks that none did so twice.
#[track_caller]
pub(crate) fn answered(bench: &Bench) -> usize {
    let answered = bench.log("answered");
    let distinct: BTreeSet<&String> = answered.iter().map(|line| &line[0]).collect();
    assert_eq!(
        distinct.len(),
        answered.len(),
        "a run was carried out twice"
    );
    answered.len()
}

/// Returns the statically linked supervisor. `None`, with a message, if it is not built.
pub(crate) fn static_supervisor() -> Option<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let program = repository
        .join("target")
        .join(target)
        .join("debug/fiesta-supervisor");
    if !program.exists() {
        skipped("there is no static fiesta-supervisor: scripts/test engines builds it");
        return None;
    }
    let loads = Command::new("ldd").arg(&program).output().unwrap();
    let loads = String::from_utf8(loads.stdout).unwrap();
    assert!(loads.contains("statically linked"), "{loads}");
    Some(program)
}

/// Moves a study into a directory `old` of its bench, which can be renamed. Its jobs wait while
/// there is a file `slow`, which is made.
pub(crate) fn into_old(bench: &Bench) {
    bench.edit(
        "job.sh",
        "[ -e slow ] && sleep 4",
        "while [ -e slow ]; do sleep 0.2; done",
    );
    fs::create_dir(bench.path("old")).unwrap();
    for name in ["study.toml", "job.sh"] {
        fs::rename(bench.path(name), bench.path("old").join(name)).unwrap();
    }
    bench.file("old/slow", "");
}

/// Checks that each evaluation of the study in the directory `new` was made once, and has a score.
pub(crate) fn made_once_in_new(bench: &Bench, evaluations: usize) {
    let (_, rows) = bench.decisions_of("new/study.toml");
    assert_eq!(rows.len(), evaluations);
    assert!(rows.iter().all(|row| row[3].is_number()), "{rows:?}");
    let answered = bench.log("new/answered");
    let distinct: BTreeSet<&String> = answered.iter().map(|line| &line[0]).collect();
    assert_eq!((answered.len(), distinct.len()), (evaluations, evaluations));
}

/// Path of the quickstart's study in its bench.
pub(crate) const QUICKSTART: &str = "examples/quickstart/study.toml";

/// Script around the quickstart's program that makes two runs at a time end in the order of their
/// numbers: each waits until the next one has begun. Measured costs, which would vary and change
/// the policy's choices, are replaced.
const IN_ORDER: &str = r#"#!/bin/sh
place=$(dirname "$0")
number=${FIESTA_RUN#wine-}
number=${number%%-*}
: > "$place/began-$number"
scores=$("$place/itself" "$@") || exit
[ "$number" -eq 0 ] || until [ -e "$place/began-$((number + 1))" ]; do sleep 0.05; done
echo "${scores%\}}, \"cost\": ${#2}}"
"#;

/// Makes the quickstart example's study with this table of the executor. `None`, with a message, if
/// its program is not built.
pub(crate) fn quickstart(executor: &str) -> Option<Bench> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let program = repository.join("target/release/quickstart");
    if !program.exists() {
        skipped("the quickstart's program is not built: cargo build --release -p quickstart");
        return None;
    }
    let bench = Bench::new();
    for place in ["examples/quickstart", "target/release"] {
        fs::create_dir_all(bench.path(place)).unwrap();
    }
    let text = fs::read_to_string(repository.join(QUICKSTART)).unwrap();
    bench.file(QUICKSTART, &format!("{text}\n[executor]\n{executor}\n"));
    fs::copy(program, bench.path("target/release/itself")).unwrap();
    let in_order = bench.file("target/release/quickstart", IN_ORDER);
    fs::set_permissions(in_order, fs::Permissions::from_mode(0o755)).unwrap();
    Some(bench)
}

/// Checks that the [quickstart](quickstart)'s study has decided as on this machine: with the seed of
/// its file, and evaluations that end in the same order.
pub(crate) fn quickstart_decided_as_here(there: &Bench) {
    let here = quickstart("kind = \"local\"").unwrap();
    here.start(&["run", QUICKSTART, "--quiet"])
        .wait_for(Duration::from_mins(2))
        .says(code::DONE, &[]);
    let (arm, rows) = here.decisions_of(QUICKSTART);
    assert!(arm.is_string() && rows.len() > 24, "{arm} {}", rows.len());
    assert_eq!(there.decisions_of(QUICKSTART), (arm, rows));
}
