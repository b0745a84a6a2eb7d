//! Tests of variables whose values come from the caller's environment, and of the permissions of a
//! study's state.

use super::support::{Bench, Ran, Running, code, python, until};
use rustix::process::Signal;
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::Command,
};

const SECRET: &str = "hunter2-but-longer";

/// Job that fails, is killed, hangs or scores, and writes the secret in changed characters outside
/// the study's state.
const JOB: &str = r#"
echo "$(printf %s "$TOKEN" | tr a-z A-Z)" >> seen
echo $$ $2 >> begun
case $1-$2 in
  a-1) echo "no such data" >&2; exit 3 ;;
  a-2) [ -e killed ] || { : > killed; kill -9 $$; } ;;
esac
n=0; until [ -e go ] || [ $2 -lt 3 ] || [ $((n += 1)) -gt 2000 ]; do sleep 0.02; done
[ $1 = a ] && at=500 || at=700
echo '{"accuracy": 0.'$((at + $3 % 99))'}'
"#;

const REST: &str = r#"[goal]
budget = { evaluations = 10 }
[design]
parallel = 2
policy = "uniform"
[[arm]]
name = "a"
env = { TOKEN = { from = "MY_TOKEN" }, PLAIN = "text" }
[[arm]]
name = "b"
env = { TOKEN = { from = "MY_TOKEN" } }
"#;

fn with_secret(bench: &Bench, arguments: &[&str], secret: &str) -> Running {
    let mut command = bench.command(arguments);
    command.env("MY_TOKEN", secret);
    Running::start(command)
}

/// Returns all files and directories below a place, the place included.
fn all_below(place: &Path) -> Vec<PathBuf> {
    let mut found = vec![place.to_owned()];
    if fs::symlink_metadata(place).is_ok_and(|status| status.is_dir()) {
        for entry in fs::read_dir(place).unwrap() {
            found.extend(all_below(&entry.unwrap().path()));
        }
    }
    found
}

#[track_caller]
fn holds_no_secret(place: &Path, secrets: &[&str]) {
    for path in all_below(place).iter().filter(|path| path.is_file()) {
        let bytes = fs::read(path).unwrap();
        for secret in secrets {
            let found = bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes());
            assert!(!found, "{secret} is in {}", path.display());
        }
    }
}

#[track_caller]
fn is_the_owner_s_alone(place: &Path) {
    for path in all_below(place) {
        let status = fs::symlink_metadata(&path).unwrap();
        let expected = if status.is_dir() { 0o700 } else { 0o600 };
        let mode = status.permissions().mode() & 0o777;
        assert_eq!(mode, expected, "{mode:o}: {}", path.display());
    }
}

/// Returns whether any visible process has the secret among its arguments.
fn is_an_argument(secret: &str) -> bool {
    fs::read_dir("/proc").unwrap().any(|entry| {
        let arguments = fs::read(entry.unwrap().path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&arguments).contains(secret)
    })
}

#[track_caller]
fn says_no_secret(ran: &Ran, secrets: &[&str]) {
    for secret in secrets {
        let said = ran.stdout.contains(secret) || ran.stderr.contains(secret);
        assert!(!said, "{ran:?}");
    }
}

/// Tests failures, a killed job that is retried, a killed controller, and a resumption with another
/// secret.
#[test]
fn a_secret_reaches_every_job_and_is_written_nowhere() {
    let bench = Bench::with_job(JOB, REST);
    let other = "another-one-that-came-later";
    let secrets = [SECRET, other];
    let check = with_secret(&bench, &["run", "study.toml", "--check"], SECRET).wait();
    check.says(code::DONE, &[]);
    says_no_secret(&check, &secrets);
    assert!(!bench.path("study.fiesta").exists());
    let first = with_secret(&bench, &["run", "study.toml", "-v"], SECRET);
    until("one is tried again, and another one waits", || {
        let waits = bench.log("begun").iter().any(|line| line[1] == "3");
        bench.path("killed").exists() && waits
    });
    assert!(!is_an_argument(SECRET));
    first.signal(Signal::KILL);
    says_no_secret(&first.wait(), &secrets);
    is_the_owner_s_alone(&bench.path("study.fiesta"));
    bench.file("go", "");
    let ran = with_secret(&bench, &["run", "study.toml"], other).wait();
    ran.says(code::DONE, &["resuming after"]);
    says_no_secret(&ran, &secrets);
    let seen = bench.text("seen");
    let seen: Vec<&str> = seen.lines().filter(|line| !line.is_empty()).collect();
    let upper = secrets.map(str::to_uppercase);
    assert!(
        seen.iter()
            .all(|seen| upper.iter().any(|secret| secret == seen)),
        "{seen:?}"
    );
    assert!(
        upper.iter().all(|secret| seen.contains(&secret.as_str())),
        "{seen:?}"
    );
    // Nobody who only looks needs it.
    let formats = ["--formats", "svg"];
    for arguments in [
        &["status", "study.toml"][..],
        &["status", "study.toml", "--format", "json"],
        &["export", "study.toml", "-o", "study.csv"],
        &[&["report", "study.toml"][..], &formats].concat(),
    ] {
        let ran = bench.fiesta(arguments);
        ran.says(code::DONE, &[]);
        says_no_secret(&ran, &secrets);
    }
    holds_no_secret(&bench.path(""), &secrets);
    is_the_owner_s_alone(&bench.path("study.fiesta"));
    assert!(!is_an_argument(SECRET) && !is_an_argument(other));
}

#[test]
fn a_worker_gets_its_secret_too() {
    let Some(python) = python() else {
        return;
    };
    let bench = Bench::new();
    bench.file(
        "worker.py",
        "import json, os, sys\nopen('seen', 'a').write(os.environ['TOKEN'].upper() + ' ' + os.environ['KIND'] + '\\n')\n\
         for line in sys.stdin:\n    case = json.loads(line)\n    print(json.dumps({'id': case['id'], 'f1': case['seed'] % 97 / 100}), flush=True)\n",
    );
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\n[worker]\ncommand = [\"{python}\", \"worker.py\"]\nenv = {{ TOKEN = {{ from = \"MY_TOKEN\" }}, KIND = \"all\" }}\n\
             [metric]\nname = \"f1\"\n[goal]\nbudget = {{ evaluations = 8 }}\n[design]\npolicy = \"uniform\"\n\
             [[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\nenv = {{ KIND = \"own\" }}\n",
        ),
    );
    let ran = with_secret(&bench, &["run", "study.toml"], SECRET).wait();
    ran.says(code::DONE, &[]);
    let seen = bench.text("seen");
    let upper = SECRET.to_uppercase();
    for kind in ["all", "own"] {
        assert!(seen.contains(&format!("{upper} {kind}")), "{seen}");
    }
    holds_no_secret(&bench.path(""), &[SECRET]);
    is_the_owner_s_alone(&bench.path("study.fiesta"));
}

/// Tests that a missing variable is named before a run, with the place to set it.
#[test]
fn a_variable_that_the_caller_does_not_have_is_named() {
    let bench = Bench::with_job(JOB, REST);
    for arguments in [
        &["run", "study.toml"][..],
        &["run", "--check", "study.toml"],
    ] {
        let says = ["`a`", "TOKEN", "MY_TOKEN"];
        let mut command = bench.command(arguments);
        command.env_remove("MY_TOKEN");
        let ran = Running::start(command).wait();
        ran.says(code::USAGE, &[&says[..], &["not set"]].concat());
        // A secret that somebody forgot to set is an empty one, often.
        let ran = with_secret(&bench, arguments, "").wait();
        ran.says(code::USAGE, &[&says[..], &["is empty"]].concat());
    }
    assert_eq!(bench.text("begun"), "");
}

/// Tests that neither the caller's name for a variable nor its value is a part of the study.
#[test]
fn a_variable_may_come_from_elsewhere_later() {
    let bench = Bench::with_job(JOB, &REST.replace("evaluations = 10", "evaluations = 4"));
    with_secret(&bench, &["run", "study.toml"], SECRET)
        .wait()
        .says(code::DONE, &[]);
    let study = bench.text("study.toml");
    bench.file(
        "study.toml",
        &study.replace("MY_TOKEN", "OTHER").replace("= 4", "= 6"),
    );
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::CHANGED, &["(harmless)", "MY_TOKEN", "OTHER"]);
    bench.file("go", "");
    let mut command = bench.command(&["run", "study.toml", "--accept-changes"]);
    command.env("OTHER", SECRET);
    Running::start(command).wait().says(code::DONE, &[]);
}

/// Tests that the files of a study that an earlier version began, which everybody could read, are
/// closed.
#[test]
fn what_others_could_read_is_closed_when_the_study_goes_on() {
    let bench = Bench::with_job(JOB, &REST.replace("evaluations = 10", "evaluations = 4"));
    with_secret(&bench, &["run", "study.toml"], SECRET)
        .wait()
        .says(code::DONE, &[]);
    let state = bench.path("study.fiesta");
    for path in all_below(&state) {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
    with_secret(&bench, &["run", "study.toml"], SECRET)
        .wait()
        .says(code::DONE, &[]);
    is_the_owner_s_alone(&state);
}

/// Tests that a job's files elsewhere have the permissions of the user's umask.
#[test]
fn jobs_keep_their_umask() {
    let job = ": > \"made-$3\"\necho '{\"accuracy\": 0.5}' > \"$FIESTA_RESULT\"\n";
    let bench = Bench::with_job(
        job,
        "[goal]\nbudget = { evaluations = 2 }\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\n",
    );
    let program = bench.command(&[]).get_program().to_owned();
    let mut command = Command::new("sh");
    command
        .args(["-c", "umask 0002; exec \"$0\" run study.toml"])
        .arg(program)
        .current_dir(bench.path(""));
    Running::start(command).wait();
    let made = fs::read_dir(bench.path("")).unwrap().filter_map(|entry| {
        let entry = entry.unwrap();
        let is_made = entry.file_name().to_string_lossy().starts_with("made-");
        is_made.then(|| entry.metadata().unwrap().mode() & 0o777)
    });
    let made: Vec<u32> = made.collect();
    assert!(
        !made.is_empty() && made.iter().all(|mode| *mode == 0o664),
        "{made:?}"
    );
    is_the_owner_s_alone(&bench.path("study.fiesta"));
}
