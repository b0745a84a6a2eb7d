//! Tests of `fiesta init` with files of questions and prompts, with Makefiles, and with `key=value`.

use super::{Bench, code, python};

const ASK: &str = r#"import argparse, json, os
parser = argparse.ArgumentParser()
parser.add_argument("--prompt")
args = parser.parse_args()
question = json.load(open(os.environ["FIESTA_ITEM"]))
is_right = args.prompt == "steps" or int(question["n"]) % 2 == 0
print(json.dumps({"accuracy": int(is_right)}))
"#;

/// Tests the way from files and a script to a winner, without an edit.
#[test]
fn questions_and_prompts_make_a_study_of_items() {
    let Some(_) = python() else { return };
    let lines: Vec<String> = (0..40).map(|n| format!("{{\"n\": {n}}}")).collect();
    let rows: Vec<String> = (0..40).map(|n: u8| n.to_string()).collect();
    let (lines, rows) = (lines.join("\n") + "\n", rows.join("\n") + "\n");
    for (questions, of_questions, prompts, of_prompts) in [
        (
            "questions.jsonl",
            lines,
            "prompts.yaml",
            "plain: Answer.\nsteps: Think.\n",
        ),
        (
            "test.csv",
            format!("n\n{rows}"),
            "my_prompts.csv",
            "name,text\nplain,Answer.\nsteps,Think.\n",
        ),
    ] {
        let bench = Bench::new();
        bench.file("ask.py", ASK);
        bench.file(questions, &of_questions);
        bench.file(prompts, of_prompts);
        bench.fiesta(&["init", questions, prompts, "ask.py"]).tells(
            code::DONE,
            &[
                &format!("items        {questions}: 40 questions"),
                &format!("arms         {prompts}: 2 prompts"),
                "{arm}: plain, steps",
                "next: fiesta run study.toml --check",
            ],
        );
        let study = bench.text("study.toml");
        let items = format!("items    = \"{questions}\"");
        assert!(
            study.contains(&items) && !study.contains("splits"),
            "{study}"
        );
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.tells(code::DONE, &["steps"]);
    }
}

#[test]
fn files_without_a_command_leave_it_to_the_user() {
    let bench = Bench::new();
    bench.file("questions.jsonl", "{}\n");
    bench.file("prompts.jsonl", "{\"id\": \"a\"}\n{\"id\": \"b\"}\n");
    let ran = bench.fiesta(&["init", "prompts.jsonl", "questions.jsonl"]);
    ran.tells(
        code::DONE,
        &[
            "no command was named",
            "put {item_file} where a file with it, as JSON, is named",
            "command: the command that answers one question with one prompt",
        ],
    );
    let study = bench.text("study.toml");
    let arms = "name = \"a\"\n[[arm]]\nname = \"b\"";
    assert!(study.contains(arms), "{study}");
}

#[test]
fn files_that_cannot_be_read_are_refused() {
    let bench = Bench::new();
    bench.file("a.jsonl", "{}\n");
    bench.file("b.jsonl", "{\n");
    bench.file("c.yaml", "- {}\n");
    bench.file("prompts.csv", "text\nAnswer.\n");
    for (words, says) in [
        (
            &["a.jsonl", "b.jsonl"][..],
            "b.jsonl:1: the item is no JSON",
        ),
        (&["a.jsonl", "a.jsonl"], "are files of the same kind"),
        (&["c.yaml"], "whose name ends with .jsonl"),
        (&["prompts.csv"], "a key or column `name` or `id`"),
    ] {
        let ran = bench.fiesta(&[&["init"], words].concat());
        ran.tells(code::USAGE, &[says]);
    }
}

#[test]
fn targets_or_variables_of_a_makefile_are_arms() {
    let bench = Bench::new();
    bench.file(
        "Makefile",
        ".PHONY: lstm gru\nlstm gru:\n\t@echo $@ $(SEED)\n",
    );
    for words in [&["make"][..], &["Makefile"], &["make", "lstm", "gru"]] {
        let ran = bench.fiesta(&[&["init", "--dry-run"], words].concat());
        let command = "command = [\"make\", \"{arm}\", \"SEED={seed}\"]";
        let arms = "name = \"lstm\"\n[[arm]]\nname = \"gru\"";
        ran.tells(code::DONE, &[command, arms]);
    }
    bench.file(
        "Makefile",
        "MODEL ?= lstm\ntrain:\n\tpython train.py $(MODEL)\n",
    );
    let words = ["init", "--dry-run", "--", "make", "train", "MODEL=gru,cnn"];
    let ran = bench.fiesta(&words);
    let command = "command = [\"make\", \"train\", \"MODEL={arm}\"]";
    let arms = "name = \"gru\"\n[[arm]]\nname = \"cnn\"\n[[arm]]\nname = \"lstm\"";
    ran.tells(code::DONE, &[command, arms]);
}

/// Tests keys as in Hydra: also added keys, and several values of one key.
#[test]
fn values_of_a_key_are_arms() {
    let bench = Bench::new();
    let words = ["env", "+model=mlp,resnet", "optimizer.lr=0.1", "seed=1"];
    let ran = bench.fiesta(&[&["init", "--dry-run", "--"], &words[..]].concat());
    let command = "command = [\"env\", \"optimizer.lr=0.1\", \"+model={arm}\", \"seed={seed}\"]";
    let arms = "name = \"mlp\"\n[[arm]]\nname = \"resnet\"";
    ran.tells(code::DONE, &[command, arms]);
}
