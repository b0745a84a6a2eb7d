//! Tests of arms and items that change between runs and while a study runs: which answers are
//! requested again, and which come from the cache.

use super::{
    Bench, TWO, arm,
    changes::replays,
    code, logging,
    support::{Ran, until},
};
use std::collections::BTreeMap;

/// Worker that answers by the prompt's quality, and notes which prompt was asked.
const WORKER: &str = r#"
prompt=$1
while read -r line; do
    id=${line#*\"id\":\"}; id=${id%%\"*}
    item=${line#*\"item_id\":\"q}; item=${item%%\"*}
    quality=$(cat "$prompt")
    echo "$prompt $quality $item" >> asked
    printf '{"id": "%s", "accuracy": %d, "cost": 0.5}\n' $id $((item * 7 % 10 < quality))
done
"#;

const PROMPTS: [&str; 6] = ["p1", "p2", "p3", "p4", "p5", "p6"];

/// Returns a bench with a study of six prompts, a file each, which asks all of its 40 items.
fn prompts(worker: &str) -> Bench {
    let bench = Bench::new();
    bench.file("worker.sh", WORKER);
    std::fs::create_dir(bench.path("prompts")).unwrap();
    for (place, name) in PROMPTS.iter().enumerate() {
        bench.file(&format!("prompts/{name}.txt"), &format!("{}\n", 2 + place));
    }
    let line = |n: u32| format!("{{\"id\": \"q{n}\"}}\n");
    bench.file("items.jsonl", &(0..40).map(line).collect::<String>());
    let arms = PROMPTS.map(|name| format!("[[arm]]\nname = \"{name}\"\n"));
    bench.file(
        "study.toml",
        &format!(
            "name = \"prompts\"\n[worker]\ncommand = [\"sh\", \"worker.sh\", \"prompts/{{arm}}.txt\"]\n{worker}\n[metric]\nname = \"accuracy\"\n[goal]\nbudget = {{ evaluations = 60 }}\n[design]\nitems = \"items.jsonl\"\npolicy = \"uniform\"\n[resources]\ncost_unit = \"USD\"\n{}",
            arms.concat()
        ),
    );
    bench
}

/// Returns the number of requests for each prompt's text after line `before` of the log.
fn asked(bench: &Bench, before: usize) -> BTreeMap<String, usize> {
    let mut asked = BTreeMap::new();
    for line in bench.log("asked").into_iter().skip(before) {
        *asked.entry(line[..2].join(" ")).or_default() += 1;
    }
    asked
}

#[track_caller]
pub(super) fn changed(bench: &Bench, said: &[&str]) -> Ran {
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::CHANGED, said);
    for verb in ["status", "export", "report", "log"] {
        let arguments: &[&str] = match verb {
            "log" => &["log", "study.toml", "1"],
            "report" => &["report", "study.toml", "--formats", "svg"],
            verb => &[verb, "study.toml"],
        };
        let looked = bench.fiesta(arguments);
        assert_eq!(looked.code, Some(code::DONE), "{verb}: {looked:#?}");
    }
    ran
}

/// Tests that only the answers of an edited prompt, one of six, are paid again.
#[test]
fn an_edited_prompt_is_asked_again_alone() {
    for cache in ["", "cache = \"answers.db\""] {
        let bench = prompts(cache);
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
        assert_eq!(bench.log("asked").len(), 60);
        bench.file("prompts/p2.txt", "10\n");
        changed(
            &bench,
            &[
                "prompts/p2.txt: the file has changed (after 10 evaluations were made of p2)",
                "--accept-changes",
                "--again p2",
            ],
        );
        assert_eq!(bench.log("asked").len(), 60);
        let ran = bench.fiesta(&["run", "study.toml", "--again", "p2"]);
        ran.says(
            code::DONE,
            &["10 evaluations of p2 set aside: they stay paid, count no longer, and are made anew"],
        );
        assert_eq!(
            asked(&bench, 60),
            [("prompts/p2.txt 10".to_owned(), 10)].into()
        );
        let (_, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(arm(&status, "p2")["mean"].as_f64(), Some(1.0), "{status}");
        assert_eq!(arm(&status, "p2")["evaluations"], 10);
        // What was set aside stays paid, and is told.
        assert_eq!(status["cost"], 35.0);
        assert!(
            ran.stdout.contains(
                "Set aside after 60 evaluations, when it had ended once, and made anew: 10 of p2."
            ),
            "{ran:#?}"
        );
        let exported = bench.fiesta(&["export", "study.toml"]);
        assert_eq!(exported.stdout.lines().count(), 61);
        exported.says(code::DONE, &["10 evaluations were set aside"]);
        assert_eq!(replays(&bench), 2);
        bench
            .fiesta(&["run", "study.toml"])
            .says(code::DONE, &["nothing was run"]);
        let log = |number: &str| bench.fiesta(&["log", "study.toml", number]).stdout;
        assert!(log("2").contains("p2 on"), "{}", log("2"));
        assert!(
            log("2").contains("set aside, as its arm was asked anew"),
            "{}",
            log("2")
        );
        for number in ["1", "61"] {
            assert!(!log(number).contains("set aside"), "{}", log(number));
        }
    }
}

/// Tests that an unchanged arm which is asked again does not use its cached answers.
#[test]
fn an_arm_that_is_asked_again_is_not_answered_by_the_cache() {
    let bench = prompts("cache = \"answers.db\"");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    bench
        .fiesta(&["run", "study.toml", "--again", "p6"])
        .says(code::DONE, &["10 evaluations of p6 set aside"]);
    assert_eq!(
        asked(&bench, 60),
        [("prompts/p6.txt 7".to_owned(), 10)].into()
    );
}

/// Tests that editing a prompt during a study ends the study before it is used.
#[test]
fn a_file_that_changes_while_the_study_runs_is_told() {
    let bench = prompts("");
    bench.edit(
        "worker.sh",
        "quality=",
        "[ -e edited ] || { [ -e asked ] && [ $(wc -l < asked) -ge 20 ] && echo 10 > prompts/p2.txt && : > edited; }\n    quality=",
    );
    bench.fiesta(&["run", "study.toml"]).says(
        code::CHANGED,
        &[
            "prompts/p2.txt, a file of the arm `p2`, was changed while the study ran",
            "--again p2",
        ],
    );
    let (_, status) = bench.json(&["status", "study.toml"]);
    let before = arm(&status, "p2")["evaluations"].as_u64().unwrap();
    let asked_before = bench.log("asked").len();
    changed(
        &bench,
        &["prompts/p2.txt: the file has changed", "made of p2"],
    );
    bench
        .fiesta(&["run", "study.toml", "--again", "p2"])
        .says(code::DONE, &[&format!("{before} evaluation")]);
    assert_eq!(asked(&bench, asked_before)["prompts/p2.txt 10"], 10);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(arm(&status, "p2")["mean"].as_f64(), Some(1.0));
}

/// Tests that `--again` is refused for an arm of a schedule, and under a rule that promises a rate of errors.
#[test]
fn what_is_refused_to_be_asked_again() {
    for (more, said) in [
        (
            "[design]\npolicy = \"sequential-halving\"",
            "the policy sequential-halving has divided",
        ),
        (
            "confidence = 0.9\n[design]\nstopping = \"anytime\"",
            "the rate of errors",
        ),
    ] {
        let rest = format!("[goal]\nbudget = {{ evaluations = 24 }}\n{more}\n{TWO}");
        let bench = Bench::with_job(&logging(), &rest);
        let code = bench.fiesta(&["run", "study.toml"]).code;
        assert!(code.is_some());
        bench
            .fiesta(&["run", "study.toml", "--again", "low"])
            .says(code::USAGE, &["--again low: ", said]);
        bench
            .fiesta(&["run", "study.toml", "--again", "none"])
            .says(code::USAGE, &["the study has no such arm"]);
    }
}

/// Tests that `--again` stops a running job of the arm, which was started before the arm changed.
#[test]
fn a_job_that_runs_is_stopped_and_made_again() {
    let job = format!(
        "echo begun >> begun\nwhile [ -e wait ]; do sleep 0.02; done\n{}",
        logging()
    );
    let rest = format!("[goal]\nbudget = {{ evaluations = 4 }}\n{TWO}");
    let bench = Bench::with_job(&job, &rest);
    bench.file("wait", "");
    let running = bench.start(&["run", "study.toml"]);
    until("the first job has begun", || {
        !bench.text("begun").is_empty()
    });
    running.signal(rustix::process::Signal::KILL);
    running.wait();
    let script = bench.text("job.sh");
    bench.file(
        "job.sh",
        &script.replace("while [ -e wait ]; do sleep 0.02; done\n", ""),
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::CHANGED,
        &["job.sh: the file has changed (after 1 evaluation was made of"],
    );
    bench
        .fiesta(&["run", "study.toml", "--again", "low", "--again", "high"])
        .says(code::DONE, &[]);
    assert_eq!(bench.log("log").len(), 4);
    assert_eq!(replays(&bench), 1);
}
/// Tests a text that is edited while the study runs: its answers of before and after are not mixed.
#[test]
fn a_text_that_changes_while_the_study_runs_is_told() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("texts")).unwrap();
    for n in 0..8 {
        bench.file(&format!("texts/t{n}.txt"), &format!("{n}\n"));
    }
    // The third job edits the text that it is of, before it reads it.
    bench.file(
        "job.sh",
        "echo $1 >> log\n[ $(wc -l < log) -eq 3 ] && [ ! -e edited ] && { : > edited; echo changed > \"$2\"; }\necho \"$1 $(basename $2) $(cat $2)\" >> read\necho '{\"accuracy\": 1}'\n",
    );
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\ncommand = [\"sh\", \"job.sh\", \"{{arm}}\", \"{{item_file}}\"]\n[metric]\nname = \"accuracy\"\n[goal]\nbudget = {{ evaluations = 10 }}\n[design]\nitems = \"texts/*.txt\"\npolicy = \"uniform\"\n{TWO}"
        ),
    );
    bench.fiesta(&["run", "study.toml"]).says(
        code::CHANGED,
        &[
            "is no longer what it was in",
            "the file was changed while the study ran",
        ],
    );
    let read = bench.log("read");
    let [_, text, content] = read[2].as_slice() else {
        panic!("{read:?}");
    };
    assert_eq!(content, "changed");
    // With the text as it is now it is another study; undone, it goes on, and asks again.
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::CHANGED, &["design.collection.digest"]);
    bench.file(&format!("texts/{text}"), &format!("{}\n", &text[1..2]));
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["evaluations"], 10);
    assert_eq!(bench.log("read").len(), 11);
    replays(&bench);
}

/// Tests that a worker gets the item with the digits in its file.
#[test]
fn a_worker_is_asked_the_item_as_it_stands_in_the_file() {
    let bench = Bench::new();
    bench.file("worker.sh", "while read -r line; do\n printf '%s\\n' \"$line\" >> asked\n id=${line#*\\\"id\\\":\\\"}; id=${id%%\\\"*}\n printf '{\"id\": \"%s\", \"accuracy\": 1}\\n' $id\ndone\n");
    let item = r#"{"id": 1, "price": 1.10, "big": 123456789012345678901234567890, "tiny": 1e-400}"#;
    bench.file("items.jsonl", &format!("{item}\n{{\"id\": 2}}\n"));
    bench.file(
        "study.toml",
        &format!("name = \"trial\"\n[worker]\ncommand = [\"sh\", \"worker.sh\"]\n[metric]\nname = \"accuracy\"\n[design]\nitems = \"items.jsonl\"\n{TWO}"),
    );
    let code = bench.fiesta(&["run", "study.toml"]).code;
    assert!(code.is_some());
    let asked = bench.text("asked");
    assert!(asked.contains(&format!("\"item\":{item},")), "{asked}");
}

/// Tests inputs of a worker with the arm in place of `{arm}`: an edited file changes only its arm.
#[test]
fn inputs_may_be_named_after_their_arms() {
    let bench = prompts("");
    let study = bench
        .text("study.toml")
        .replace(", \"prompts/{arm}.txt\"", "");
    let worker = WORKER.replace("prompt=$1", "prompt=prompts/p1.txt");
    bench.file("worker.sh", &worker);
    bench.file(
        "study.toml",
        &study.replace(
            "name = \"prompts\"",
            "name = \"prompts\"\ninputs = [\"prompts/{arm}.txt\"]",
        ),
    );
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    bench.file("prompts/p2.txt", "10\n");
    let ran = changed(
        &bench,
        &["prompts/p2.txt: the file has changed (after 10 evaluations were made of p2)"],
    );
    assert!(!ran.stderr.contains("p1"), "{ran:#?}");
    bench.file(
        "study.toml",
        &bench.text("study.toml").replace("{arm}.txt", "{arm}.md"),
    );
    bench.fiesta(&["status", "study.toml"]).says(
        code::USAGE,
        &["study.toml:", "inputs: no file is called \"prompts/p1.md\""],
    );
}
