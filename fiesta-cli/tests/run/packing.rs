//! Tests of ended runs that are packed into the ledger, and of the logs of evaluations, packed or
//! not.

use super::{
    Bench, TWO, code,
    support::{until, within},
};
use fiesta::runner::{
    Study,
    run::End,
    status::log::{EvaluationLog, log},
};
use rustix::process::Signal;
use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    time::Duration,
};

/// Number of ended runs whose directories are not packed.
const KEPT: usize = 100;

/// Makes a study of this many evaluations, two at a time, that print their case in both streams;
/// `waits` is run in between.
fn study(evaluations: usize, waits: &str) -> Bench {
    let job = format!(
        "echo said $1 $2 $3 >&2\n{waits}\necho $1 $2 $3 >> made\necho '{{\"accuracy\": 0.'$((500 + $3 % 400))'}}'\n"
    );
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = {evaluations} }}\n[design]\npolicy = \"uniform\"\nparallel = 2\nseed = 1\n{TWO}"
    );
    Bench::with_job(&job, &rest)
}

fn read(bench: &Bench) -> Study {
    Study::read(&bench.path("study.toml")).unwrap()
}

fn runs(bench: &Bench) -> Vec<PathBuf> {
    let runs = fs::read_dir(bench.path("study.fiesta/runs")).unwrap();
    runs.map(|run| run.unwrap().path()).collect()
}

/// Returns the number of files and directories below a place, the place included.
fn inodes(place: &Path) -> usize {
    let Ok(entries) = fs::read_dir(place) else {
        return 1;
    };
    1 + entries
        .map(|entry| inodes(&entry.unwrap().path()))
        .sum::<usize>()
}

/// Checks that the log of an evaluation made at its first attempt is complete.
#[track_caller]
fn is_whole(log: &EvaluationLog) {
    let [attempt] = log.attempts.as_slice() else {
        panic!("{log:?}");
    };
    assert_eq!(attempt.end, Some(End::Exited(0)), "{log:?}");
    let said = format!("said {} {} {}\n", log.arm, log.split, log.seed);
    assert_eq!(String::from_utf8_lossy(&attempt.stderr), said);
    let score = format!("{{\"accuracy\": 0.{}}}\n", 500 + log.seed % 400);
    assert_eq!(String::from_utf8_lossy(&attempt.stdout), score);
    assert_eq!(attempt.command[1], "job.sh");
}

/// Checks the logs of this many evaluations. Returns how many of them are packed.
#[track_caller]
fn all_are_whole(bench: &Bench, evaluations: usize) -> usize {
    let study = read(bench);
    let logs = (1..=evaluations as u64).map(|number| log(&study, number).unwrap());
    logs.inspect(is_whole)
        .filter(|log| log.attempts[0].packed)
        .count()
}

/// Checks that every evaluation was made once, and counts with its printed score.
#[track_caller]
fn all_are_counted(bench: &Bench, evaluations: usize) {
    let made = bench.log("made");
    assert_eq!(made.len(), evaluations, "made again");
    assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), evaluations);
    let export = bench.fiesta(&["export", "study.toml", "--format", "jsonl"]);
    export.says(code::DONE, &[]);
    assert_eq!(export.stdout.lines().count(), evaluations);
    for row in export.stdout.lines() {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        let score = 500 + row["seed"].as_u64().unwrap() % 400;
        assert_eq!(
            row["score"].as_f64(),
            format!("0.{score}").parse().ok(),
            "{row}"
        );
    }
}

fn remove_ledger(bench: &Bench) {
    for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
        let _ = fs::remove_file(bench.path("study.fiesta").join(name));
    }
}

/// Opens the database of the study's ledger.
fn database(bench: &Bench) -> rusqlite::Connection {
    rusqlite::Connection::open(bench.path("study.fiesta/ledger.db")).unwrap()
}

/// Tests reading logs while the study runs, after a kill of the controller, and at the end.
#[test]
fn a_log_is_there_packed_or_not() {
    // One waits for the file `go`; those after it take their time, so that what was before is on
    // the disk soon.
    let waits =
        "[ $1-$2 != low-330 ] || until [ -e go ]; do sleep 0.02; done\n[ $2 -lt 331 ] || sleep 0.1";
    let bench = study(720, waits);
    let running = bench.start(&["run", "study.toml"]);
    let first = || log(&read(&bench), 1).is_ok_and(|log| log.attempts[0].packed);
    assert!(
        within(Duration::from_secs(50), first),
        "{}",
        running.stderr()
    );
    let show = |number: &str| bench.fiesta(&["log", "study.toml", number]);
    let packed = show("1");
    packed.says(code::DONE, &[]);
    for words in [
        "evaluation 1: ",
        "packed: the run trial-0-a0",
        "command: sh job.sh",
        "exit code 0",
        "--- stderr\nsaid ",
        "--- stdout\n{\"accuracy\": 0.",
    ] {
        assert!(packed.stdout.contains(words), "{words} in {packed:#?}");
    }
    until("the next one has begun", || {
        show("661").stdout.contains("said")
    });
    let going_on = show("661").stdout;
    assert!(
        going_on.contains("\npending\n") && going_on.contains(": goes on"),
        "{going_on}"
    );

    // A run that a killed controller had half handed over would have a second attempt.
    until("only that one goes on", || {
        bench.text("made").lines().count() == 719
    });
    running.signal(Signal::KILL);
    running.wait();
    all_are_whole(&bench, 660);
    bench.file("go", "");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(all_are_whole(&bench, 720), 720 - KEPT);
    assert_eq!(runs(&bench).len(), KEPT);
    // Five files each, and their directories.
    assert!(inodes(&bench.path("study.fiesta")) < 7 * KEPT);
    all_are_counted(&bench, 720);

    let only = bench.fiesta(&["log", "study.toml", "1", "--stderr"]);
    assert!(
        only.stdout.starts_with("said ") && only.stdout.lines().count() == 1,
        "{only:?}"
    );
    let (exit, document) = bench.json(&["log", "study.toml", "1"]);
    assert_eq!(exit, Some(code::DONE));
    assert_eq!(document["attempts"][0]["packed"], true, "{document}");
    assert_eq!(document["attempts"][0]["stderr"], only.stdout);
    for wrong in [&["721"][..], &["0"], &["1", "--attempt", "2"]] {
        let ran = bench.fiesta(&[&["log", "study.toml"], wrong].concat());
        ran.says(code::USAGE, &["numbered from 1"]);
    }
}

/// Tests that directories which an earlier version or a killed controller left are packed. What a
/// command wrote there itself stays where it is.
#[test]
fn what_earlier_sessions_left_is_packed_by_the_next_one() {
    let bench = study(
        250,
        "[ $2 -lt 120 ] || until [ -e go ]; do sleep 0.02; done",
    );
    let job = bench.text("job.sh");
    let keeps = "[ $2 -ne 3 ] || mkdir \"${FIESTA_RESULT%/*}/checkpoint\"\n";
    bench.file("job.sh", &format!("{keeps}{job}"));
    let running = bench.start(&["run", "study.toml"]);
    let made = || bench.text("made").lines().count() == 240;
    assert!(
        within(Duration::from_secs(50), made),
        "{}",
        running.stderr()
    );
    // A run that a killed controller had half handed over would have a second attempt.
    until("the next two have begun", || {
        let says = |number| {
            bench
                .fiesta(&["log", "study.toml", number])
                .stdout
                .contains("said")
        };
        says("241") && says("242")
    });
    running.signal(Signal::KILL);
    running.wait();
    assert!(!database(&bench).table_exists(None, "packed").unwrap());
    // As if its supervisor were still there.
    let held = bench.path("study.fiesta/runs/trial-20-a0/meta.json");
    let held = fs::File::open(held).unwrap();
    held.lock().unwrap();
    bench.file("go", "");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    // Both arms have a checkpoint on that split.
    let left = runs(&bench);
    assert_eq!(left.len(), KEPT + 3);
    assert!(left.iter().any(|run| run.ends_with("trial-20-a0")));
    let with_checkpoint = || left.iter().filter(|run| run.join("checkpoint").is_dir());
    assert_eq!(with_checkpoint().count(), 2);
    assert_eq!(all_are_whole(&bench, 250), 250 - KEPT - 3);
    drop(held);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert!(runs(&bench).iter().all(|run| !run.ends_with("trial-20-a0")));
    assert_eq!(with_checkpoint().count(), 2);
    all_are_counted(&bench, 250);
}

/// Tests that packed runs are made again where their ledger is gone, and no others.
#[test]
fn without_its_ledger_a_study_has_the_runs_that_have_directories() {
    let bench = study(160, "");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(all_are_whole(&bench, 160), 60);
    let made = bench.text("made");
    remove_ledger(&bench);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(bench.text("made").lines().count(), 160 + 60);
    bench.file("made", &made);
    all_are_counted(&bench, 160);
    assert_eq!(all_are_whole(&bench, 160), 60);
    // Under another seed they are other evaluations, and make room for this study's.
    remove_ledger(&bench);
    fs::remove_file(bench.path("made")).unwrap();
    bench.edit("study.toml", "seed = 1", "seed = 2");
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &["is not of this study's evaluations"]);
    assert_eq!(ran.stderr.matches("was moved to").count(), KEPT);
    all_are_counted(&bench, 160);
    all_are_whole(&bench, 160);
    // The next session packs them, too; what they were is kept.
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(runs(&bench).len(), KEPT);
    all_are_whole(&bench, 160);
}

/// Tests that a damaged table of packed runs gives an error only if a run is requested, and that the study goes on.
#[test]
fn a_damaged_table_is_told_and_the_study_goes_on() {
    let bench = study(160, "");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'packed'";
    let root: i64 = database(&bench)
        .query_row(root, [], |row| row.get(0))
        .unwrap();
    // The page with which the table begins.
    let at = u64::try_from(root - 1).unwrap() * 4096;
    let ledger = bench.path("study.fiesta/ledger.db");
    let file = fs::File::options().read(true).write(true).open(ledger);
    let file = file.unwrap();
    file.write_all_at(&[0x5a; 512], at).unwrap();
    let show = |number: &str| bench.fiesta(&["log", "study.toml", number]);
    show("1").says(
        code::USAGE,
        &[
            "the table of packed runs in the ledger",
            "ledger.db is damaged",
            "Scores and decisions are in another table",
        ],
    );
    show("160").says(code::DONE, &[]);
    bench.edit("study.toml", "evaluations = 160", "evaluations = 320");
    let ran = bench.fiesta(&["run", "study.toml", "--accept-changes"]);
    ran.says(code::DONE, &["ended runs stay in their directories"]);
    assert_eq!(
        ran.stderr.matches("ended runs stay").count(),
        1,
        "{}",
        ran.stderr
    );
    all_are_counted(&bench, 320);
    assert_eq!(runs(&bench).len(), KEPT + 160);
    let mut bytes = [0; 512];
    file.read_exact_at(&mut bytes, at).unwrap();
    assert_eq!(bytes, [0x5a; 512], "it is left as it is");
    // With another name, as the error says, nothing but the packed logs is lost.
    database(&bench)
        .execute_batch("ALTER TABLE packed RENAME TO damaged")
        .unwrap();
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(runs(&bench).len(), KEPT);
    let gone = show("1");
    gone.says(code::DONE, &[]);
    assert!(
        gone.stdout.contains("its directory was removed"),
        "{gone:?}"
    );
    // Not one at the border, as evaluations end in about their order.
    is_whole(&log(&read(&bench), 80).unwrap());
}

/// Tests that a worker's requests and answers are packed.
#[test]
fn a_worker_s_answers_are_packed() {
    let bench = Bench::new();
    bench.file(
        "worker.sh",
        "while read -r line; do\n id=${line#*\\\"id\\\":\\\"}; id=${id%%\\\"*}\n echo \"{\\\"id\\\": \\\"$id\\\", \\\"accuracy\\\": 0.5}\"\ndone\n",
    );
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\ngoal = {{ budget = {{ evaluations = 150 }} }}\ndesign = {{ policy = \"uniform\" }}\n[metric]\nname = \"accuracy\"\n[worker]\ncommand = [\"sh\", \"worker.sh\"]\n{TWO}"
        ),
    );
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(runs(&bench).len(), KEPT);
    let shown = bench.fiesta(&["log", "study.toml", "7"]).stdout;
    for words in [
        "packed: the run trial-6-a0",
        "asked: {\"arm\":",
        "{\"id\": \"trial-6-a0\", \"accuracy\": 0.5}",
    ] {
        assert!(shown.contains(words), "{words} in {shown}");
    }
}

/// Tests that an evaluation which was lost and made again has two runs, and that the log tells how
/// the first one ended.
#[test]
fn all_attempts_are_there() {
    let bench = study(150, "");
    let job = bench.text("job.sh");
    bench.file(
        "job.sh",
        &format!("mkdir killed 2>/dev/null && kill -9 $$\n{job}"),
    );
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["is tried again"]);
    let study = read(&bench);
    let logs: Vec<EvaluationLog> = (1..=150)
        .map(|number| log(&study, number).unwrap())
        .collect();
    let twice: Vec<&EvaluationLog> = logs.iter().filter(|log| log.attempts.len() == 2).collect();
    let [twice] = twice.as_slice() else {
        panic!("{twice:?}");
    };
    let [first, second] = twice.attempts.as_slice() else {
        unreachable!();
    };
    assert!(first.packed && second.packed, "{twice:?}");
    assert_eq!(first.end, Some(End::Signaled(9)));
    assert!(
        first.lost.as_ref().unwrap().contains("signal 9"),
        "{first:?}"
    );
    assert_eq!(second.end, Some(End::Exited(0)));
    let number = twice.evaluation.to_string();
    let shown = bench
        .fiesta(&["log", "study.toml", &number, "--attempt", "1"])
        .stdout;
    assert!(
        shown.contains("attempt 1 of 2: killed by signal 9"),
        "{shown}"
    );
    assert!(!shown.contains("attempt 2"), "{shown}");
}
