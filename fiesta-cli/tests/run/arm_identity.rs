//! Tests of the identity of arms: the files that make up an arm, arms that cannot be told apart,
//! and the units and versions that keep scores of a study apart.

use super::{Bench, TWO, arms::changed, changes::replays, code, logging};

#[test]
fn scores_of_a_changed_script_are_not_added_to_the_old_ones() {
    let rest = format!("[goal]\nbudget = {{ evaluations = 10 }}\n[design]\nseed = 5\n{TWO}");
    let bench = Bench::with_job(&logging(), &rest);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let script = bench.text("job.sh");
    bench.file("job.sh", &script.replacen("echo", "echo new", 1));
    bench.edit("study.toml", "evaluations = 10", "evaluations = 14");
    let said = "job.sh: the file has changed (after 10 evaluations were made of low and high)";
    changed(&bench, &[said, "evaluations: 10 → 14"]);
    // One arm asked again does not cover the other.
    bench
        .fiesta(&["run", "study.toml", "--again", "low"])
        .says(code::CHANGED, &[said]);
    assert_eq!(bench.log("log").len(), 10);
    let ran = bench.fiesta(&["run", "study.toml", "--accept-changes"]);
    ran.says(code::DONE, &["scores are taken to be the same as before"]);
    assert!(
        ran.stdout.contains(&format!(
            "Changed after 10 evaluations, when it had ended once, and said to give the same scores: {said}."
        )),
        "{ran:#?}"
    );
    assert_eq!(bench.log("log").len(), 14);
    // It is the study from now on, and the sentence stays.
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &["nothing was run"]);
    assert!(
        ran.stdout.contains("said to give the same scores"),
        "{ran:#?}"
    );
    assert_eq!(replays(&bench), 2);
    // Both asked again: nothing of before counts.
    bench.file("job.sh", &script);
    bench
        .fiesta(&["run", "study.toml", "--again", "low", "--again", "high"])
        .says(code::DONE, &[]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["evaluations"], 14);
    assert_eq!(bench.log("log").len(), 28);
    assert_eq!(replays(&bench), 3);
}

/// Tests all ways to name a file: an option with `=`, an absolute path, a variable, a line for a
/// shell, a module, `inputs`.
#[test]
fn files_are_found_wherever_a_command_names_them() {
    let inside = |name: &str| {
        let bench = Bench::new();
        std::fs::create_dir(bench.path("lib")).unwrap();
        bench.file("lib/own.txt", "one\n");
        bench.file("lib/tool.py", "one = 1\n");
        bench.file("job.sh", "echo '{\"accuracy\": 0.5}'\n");
        let absolute = bench.path("lib/own.txt").display().to_string();
        let (command, more, env) = match name {
            "option" => ("\"--prompt=lib/own.txt\"".to_owned(), "", ""),
            "absolute" => (format!("\"{absolute}\""), "", ""),
            "shell" => ("\"cat lib/own.txt | wc -l > /dev/null\"".to_owned(), "", ""),
            "at" => ("\"@lib/own.txt\"".to_owned(), "", ""),
            "module" => ("\"-m\", \"lib.tool\"".to_owned(), "", ""),
            "inputs" => ("\"x\"".to_owned(), "inputs = [\"lib/*.txt\"]", ""),
            "of an arm" => ("\"x\"".to_owned(), "", "inputs = [\"lib/own.txt\"]"),
            _ => ("\"x\"".to_owned(), "", "env = { PROMPT = \"lib/own.txt\" }"),
        };
        bench.file(
            "study.toml",
            &format!(
                "name = \"trial\"\ncommand = [\"sh\", \"job.sh\", \"{{arm}}\", {command}]\n{more}\n[metric]\nname = \"accuracy\"\n[goal]\nbudget = {{ evaluations = 4 }}\n[[arm]]\nname = \"low\"\n{env}\n[[arm]]\nname = \"high\"\n{env}\n"
            ),
        );
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
        bench
    };
    for name in [
        "option",
        "absolute",
        "shell",
        "at",
        "module",
        "inputs",
        "of an arm",
        "variable",
    ] {
        let bench = inside(name);
        let file = if name == "module" {
            "lib/tool.py"
        } else {
            "lib/own.txt"
        };
        bench.file(file, "two = 2\n");
        let said = format!("{file}: the file has changed");
        bench
            .fiesta(&["run", "study.toml"])
            .says(code::CHANGED, &[&said]);
    }
    // A file that a pattern finds from now on is one more.
    let bench = inside("inputs");
    bench.file("lib/more.txt", "two\n");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::CHANGED, &["lib/more.txt: a new file"]);
    std::fs::remove_file(bench.path("lib/more.txt")).unwrap();
    std::fs::remove_file(bench.path("lib/own.txt")).unwrap();
    bench.file("lib/other.txt", "one\n");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::CHANGED, &["lib/own.txt: removed"]);
    // One that is not there is no input.
    let bench = inside("of an arm");
    let text = bench
        .text("study.toml")
        .replace("lib/own.txt", "lib/none.txt");
    bench.file("study.toml", &text);
    bench.fiesta(&["run", "study.toml"]).says(
        code::USAGE,
        &["no file is called \"lib/none.txt\"", "study.toml:"],
    );
}

/// Tests that a file written by jobs is not an arm's input, even if it existed before.
#[test]
fn files_that_jobs_write_are_no_inputs() {
    let rest = format!("[goal]\nbudget = {{ evaluations = 4 }}\n{TWO}");
    let bench = Bench::with_job(&format!("echo $1 >> $4\n{}", logging()), &rest);
    bench.edit("study.toml", "\"{seed}\"]", "\"{seed}\", \"out.txt\"]");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    for (from, to) in [("= 4 }", "= 6 }"), ("= 6 }", "= 8 }")] {
        bench.edit("study.toml", from, to);
        let ran = bench.fiesta(&["run", "study.toml", "--accept-changes"]);
        ran.says(code::DONE, &[]);
        assert!(!ran.stdout.contains("out.txt"), "{ran:#?}");
    }
    // One that was there is told, with the way on.
    let bench = Bench::with_job(&format!("echo $1 >> $4\n{}", logging()), &rest);
    bench.file("out.txt", "before\n");
    bench.edit("study.toml", "\"{seed}\"]", "\"{seed}\", \"out.txt\"]");
    bench.fiesta(&["run", "study.toml"]).says(
        code::CHANGED,
        &[
            "out.txt, a file of the arm",
            "while the study ran",
            "inputs = [\"!out.txt\"]",
        ],
    );
    bench.edit(
        "study.toml",
        "name = \"trial\"",
        "name = \"trial\"\ninputs = [\"!out.txt\"]",
    );
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::DONE, &[]);
}

const SAME: &str = "name = \"trial\"\ncommand = [\"sh\", \"job.sh\", \"{split}\", \"{seed}\"]\n[metric]\nname = \"accuracy\"\n[goal]\nbudget = { evaluations = 4 }\n[[arm]]\nname = \"low\"\n[[arm]]\nname = \"high\"\n";

/// Tests that two arms with nothing to tell them apart are refused: either would win by chance.
#[test]
fn arms_that_cannot_be_told_apart_are_refused() {
    let bench = Bench::new();
    bench.file("study.toml", SAME);
    bench.file("job.sh", "echo x >> log\necho '{\"accuracy\": 0.5}'\n");
    for arguments in [
        &["run", "study.toml"][..],
        &["run", "study.toml", "--check"],
    ] {
        bench.fiesta(arguments).says(
            code::USAGE,
            &[
                "the arms `low` and `high` cannot be told apart",
                "arm_from = \"environment\"",
            ],
        );
    }
    assert!(bench.log("log").is_empty());
    // The variable in the script, in the command, in the arm's own table; or somebody says so.
    for (study, job) in [
        (
            SAME.to_owned(),
            "# $FIESTA_ARM\necho '{\"accuracy\": 0.5}'\n",
        ),
        (
            SAME.replace("\"job.sh\"", "\"-c\", \". ./job.sh; : $FIESTA_ARM\""),
            "",
        ),
        (
            SAME.replace("name = \"low\"", "name = \"low\"\nenv = { A = \"1\" }"),
            "",
        ),
        (
            SAME.replace("[metric]", "arm_from = \"environment\"\n[metric]"),
            "",
        ),
        (SAME.replace("\"job.sh\"", "\"job.sh\", \"{arm}\""), ""),
    ] {
        let bench = Bench::new();
        bench.file("study.toml", &study);
        bench.file(
            "job.sh",
            if job.is_empty() {
                "echo '{\"accuracy\": 0.5}'\n"
            } else {
                job
            },
        );
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    }
    // A variable of both is no difference, nor is a search space that the command does not see.
    let bench = Bench::new();
    bench.file("job.sh", "echo '{\"accuracy\": 0.5}'\n");
    let same = SAME.replace(
        "name = \"high\"\n",
        "name = \"high\"\nenv = { A = \"1\" }\n",
    );
    let same = same.replace("name = \"low\"\n", "name = \"low\"\nenv = { A = \"1\" }\n");
    bench.file("study.toml", &same);
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::USAGE, &["cannot be told apart"]);
    let search = |more: &str| {
        let text = SAME.replace("budget = { evaluations = 4 }", "trials = 2");
        let text = text.replace("\"{split}\"", more);
        let text = text.replace(
            "name = \"low\"\n",
            "name = \"low\"\n[arm.search]\nlr = { uniform = [0.0, 1.0] }\n",
        );
        text.replace(
            "name = \"high\"\n",
            "name = \"high\"\n[arm.search]\nlr = { uniform = [1.0, 2.0] }\n",
        )
    };
    bench.file("study.toml", &search("\"x\""));
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::USAGE, &["cannot be told apart"]);
    bench.file("study.toml", &search("\"{lr}\""));
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
}

/// Tests that the unit of a cost cannot change: seconds are not dollars.
#[test]
fn a_unit_that_is_given_later_is_another_study() {
    let rest = format!("[goal]\nbudget = {{ cost = 5, evaluations = 4 }}\n{TWO}");
    for (from, to, key) in [
        (
            "[goal]",
            "[resources]\ncost_unit = \"USD\"\n[goal]",
            "resources.cost_unit",
        ),
        (
            "name = \"low\"",
            "name = \"low\"\ncost = 0.1",
            "arm.low.cost",
        ),
        (
            "[goal]",
            "[resources]\ngpus_per_job = 0.5\n[executor]\nwatch_gpus = false\ngpus = [0]\n[goal]",
            "resources.gpus_per_job",
        ),
    ] {
        let bench = Bench::with_job(&logging(), &rest);
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
        bench.edit("study.toml", from, to);
        bench.edit("study.toml", "evaluations = 4", "evaluations = 6");
        for arguments in [
            &["run", "study.toml"][..],
            &["run", "study.toml", "--accept-changes"],
        ] {
            bench.fiesta(arguments).says(
                code::CHANGED,
                &[
                    key,
                    "another study: what was paid already is in another unit of cost",
                ],
            );
        }
        assert_eq!(bench.log("log").len(), 4);
    }
    // Costs that results state themselves may get a name.
    let job = logging().replace("{\"accuracy\"", "{\"cost\": 0.0213, \"accuracy\"");
    let bench = Bench::with_job(&job, &rest);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert!(
        (status["cost"].as_f64().unwrap() - 4.0 * 0.0213).abs() < 1e-9,
        "{status}"
    );
}

/// Tests that exports name the version of each arm. A later study neither counts scores of another
/// version nor averages them with its own.
#[test]
fn an_export_is_of_one_version_of_each_arm() {
    let rest = "[goal]\nbudget = { evaluations = 6 }\n[design]\npolicy = \"uniform\"\n";
    let bench = Bench::with_job(&logging(), &format!("{rest}{TWO}"));
    let export = |file: &str| {
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
        let ran = bench.fiesta(&["export", "study.toml", "-o", file]);
        ran.says(code::DONE, &[]);
        bench.text(file)
    };
    let before = export("before.csv");
    let study = bench.text("study.toml");
    let later = format!("{study}\n[[recorded]]\nfile = \"before.csv\"\n");
    bench.file(
        "later.toml",
        &later.replace("evaluations = 6", "evaluations = 8"),
    );
    // The arms are what they were.
    bench.fiesta(&["run", "later.toml"]).says(
        code::DONE,
        &["6 evaluations that exist already are counted"],
    );
    std::fs::remove_dir_all(bench.path("later.fiesta")).unwrap();
    bench.file("job.sh", &format!("{}\n# another\n", bench.text("job.sh")));
    bench.fiesta(&["run", "later.toml"]).says(
        code::USAGE,
        &[
            "before.csv:2: the arm `",
            "was another one when this row was made",
            "arm_digest",
        ],
    );
    let digest = before.lines().next().unwrap().split(',');
    let column = digest
        .clone()
        .position(|name| name == "arm_digest")
        .unwrap();
    let without = |text: &str| -> String {
        let drop = |line: &str| {
            let cells = line.split(',').enumerate();
            let kept: Vec<&str> = cells
                .filter(|(at, _)| *at != column)
                .map(|(_, cell)| cell)
                .collect();
            kept.join(",") + "\n"
        };
        text.lines().map(drop).collect()
    };
    // Who says that scores are the same is believed.
    bench.file("before.csv", &without(&before));
    bench.fiesta(&["run", "later.toml"]).says(code::DONE, &[]);

    std::fs::remove_dir_all(bench.path("study.fiesta")).unwrap();
    let other_seeds = study.replace("policy = \"uniform\"", "policy = \"uniform\"\nseed = 9");
    bench.file("study.toml", &other_seeds);
    let after = export("after.csv");
    let rows = after.split_once('\n').unwrap().1;
    bench.file("both.csv", &format!("{before}{rows}"));
    bench
        .fiesta(&["belief", "both.csv", "--metric", "score"])
        .says(
            code::USAGE,
            &[
                "lines 2 and 8: the arm `",
                "was another one between these rows",
            ],
        );
}
