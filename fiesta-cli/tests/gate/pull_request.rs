//! Tests of a pull request's gate: the steps of the example's workflow against the stand-in server.

use super::{
    Bench, code,
    support::{python, skipped, until},
};
use roxmltree::Document;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    env, fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

/// A pull request that edits the prompt of `examples/gate`: the steps of its workflow, which are run
/// by a shell as CI runs them, against the stand-in server of `examples/prompts`.
struct PullRequest {
    bench: Bench,
    server: Child,
    port: String,
}

impl PullRequest {
    /// Makes a repository whose main branch has the prompt `text`. `None` without Python or git.
    fn new(text: &str) -> Option<Self> {
        let python = python()?;
        let bench = Bench::new();
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
        for directory in ["prompts", "gate/prompts"] {
            fs::create_dir_all(bench.path(directory)).unwrap();
        }
        for file in [
            "prompts/server.py",
            "prompts/worker.py",
            "prompts/questions.jsonl",
            "gate/study.toml",
            "gate/workflow.yml",
        ] {
            fs::copy(examples.join(file), bench.path(file)).unwrap();
        }
        let mut server = Command::new(python)
            .args(["server.py", "--port", "0", "--bill", "bill.jsonl"])
            .current_dir(bench.path("prompts"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(server.stdout.take().unwrap())
            .read_line(&mut port)
            .unwrap();
        let port = port
            .split(|c: char| !c.is_ascii_digit())
            .rfind(|word| !word.is_empty())
            .unwrap()
            .to_owned();
        let request = Self {
            bench,
            server,
            port,
        };
        request.bench.file("gate/prompts/new.txt", text);
        let main = "git init -q -b main . && git config user.email a@b.c && git config user.name a && git add prompts/new.txt && git commit -qm main && git update-ref refs/remotes/origin/main HEAD";
        request.shell(main).then_some(request)
    }

    fn command(&self, line: &str) -> Command {
        let program = Path::new(env!("CARGO_BIN_EXE_fiesta"))
            .parent()
            .unwrap()
            .to_owned();
        let mut places = vec![program];
        places.extend(env::split_paths(&env::var_os("PATH").unwrap()));
        let mut command = Command::new("sh");
        command
            .args(["-e", "-c", line])
            .current_dir(self.bench.path("gate"))
            .env("PATH", env::join_paths(places).unwrap())
            .env("PROMPTS_PORT", &self.port)
            .env("GITHUB_BASE_REF", "main")
            .env("GITHUB_STEP_SUMMARY", "summary.md")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn shell(&self, line: &str) -> bool {
        self.command(line).status().unwrap().success()
    }

    /// Runs the steps of the workflow. The gate is killed as soon as each of these numbers of answers
    /// was billed, and started again. Returns its exit code.
    fn runs(&self, kills: &[usize]) -> Option<i32> {
        let workflow = self.bench.text("gate/workflow.yml");
        let steps = workflow
            .lines()
            .filter_map(|line| line.trim().strip_prefix("run: "));
        let mut code = None;
        for step in steps {
            if !step.starts_with("fiesta gate") {
                assert!(self.shell(step), "{step}");
                continue;
            }
            for &most in kills {
                let mut killed = self.command(&format!("exec {step}")).spawn().unwrap();
                until("answers", || self.billed() >= most);
                killed.kill().unwrap();
                killed.wait().unwrap();
            }
            code = self.command(step).status().unwrap().code();
        }
        code
    }

    /// Number of answers that the server has billed.
    fn billed(&self) -> usize {
        self.bench.text("prompts/bill.jsonl").lines().count()
    }

    /// Forgets the study, as a fresh checkout does; the cache of answers stays.
    fn checkout(&self, prompt: &str) {
        self.bench.file("gate/prompts/new.txt", prompt);
        fs::remove_dir_all(self.bench.path("gate/study.fiesta")).ok();
    }
}

impl Drop for PullRequest {
    fn drop(&mut self) {
        self.server.kill().ok();
        self.server.wait().ok();
    }
}

/// Tests the day of a pull request: a worse prompt is blocked and its regressions are shown, a mended
/// one ships; the gate is killed twice; answers that were paid for are not paid again.
#[test]
fn the_day_of_a_pull_request() {
    let steps = "{question} Think step by step, then give the number on the last line.\n";
    let Some(request) = PullRequest::new(steps) else {
        return skipped("the day of a pull request needs python3 and git");
    };
    // What the model says is shown, and is no markup.
    let hostile = "<img src=x onerror=alert(1)> @everyone ```end``` [a](https://evil.example) ![i](u)\n# Big\n";
    let said = format!("\"answer\": {} + answer[\"text\"]}}", json!(hostile));
    let worker = "prompts/worker.py";
    request
        .bench
        .edit(worker, "\"answer\": answer[\"text\"]}", &said);
    request.checkout("Please answer the following question with a number only. {question}\n");
    assert_eq!(request.runs(&[8, 16]), Some(code::BLOCKED));
    let junit = request.bench.text("gate/gate.xml");
    let document = Document::parse(&junit).unwrap();
    let failures = document
        .descendants()
        .filter(|node| node.has_tag_name("failure"));
    assert_eq!(failures.count(), 1);
    let comment = request.bench.text("gate/summary.md");
    assert!(
        comment.contains("new is blocked") && comment.contains("egressions"),
        "{comment}"
    );
    assert!(comment.contains("&lt;img src=x"), "{comment}");
    for markup in [
        "<img",
        "@everyone",
        "```",
        "[a]",
        "https://",
        "![",
        "\n# Big",
    ] {
        assert!(!comment.contains(markup), "{markup}: {comment}");
    }
    let first = request.billed();
    assert!(first < 1500, "{first}");
    let question = |line: &str| serde_json::from_str::<Value>(line).unwrap()["prompt"].to_string();
    let prompts = |text: &str| text.lines().map(question).collect::<Vec<String>>();
    // A run of the same checkout pays nothing.
    assert_eq!(request.runs(&[]), Some(code::BLOCKED));
    assert_eq!(request.billed(), first);
    // The edited prompt is asked, and of the old one what was not asked yet.
    request.checkout("Go through this sum step by step. {question} End with the number.\n");
    assert_eq!(request.runs(&[]), Some(code::DONE));
    let bill = prompts(&request.bench.text("prompts/bill.jsonl"));
    let distinct: BTreeSet<&String> = bill.iter().collect();
    // What ran when the gate was killed may be paid twice: 16 answers at a time, two kills.
    assert!(
        bill.len() - distinct.len() <= 32,
        "{}",
        bill.len() - distinct.len()
    );
    let document_text = request.bench.text("gate/gate.xml");
    let document = Document::parse(&document_text).unwrap();
    assert_eq!(
        document
            .descendants()
            .filter(|node| node.has_tag_name("failure"))
            .count(),
        0
    );
}

/// Tests a pull request without a cache of answers, but with the baseline kept in a file: an edited prompt pays
/// for its own answers, and for those of the baseline that no gate had asked.
#[test]
fn a_pull_request_with_a_kept_baseline() {
    let (worse, better) = (
        "Please answer with a number only. {question}",
        "Go through this sum step by step. {question} End with the number.\n",
    );
    let steps = "{question} Think step by step, then give the number on the last line.\n";
    let request = |is_kept: bool| {
        let request = PullRequest::new(steps)?;
        let bench = &request.bench;
        let study = bench.text("gate/study.toml");
        let without = |line: &&str| !line.starts_with("cache ");
        let study: Vec<&str> = study.lines().filter(without).collect();
        bench.file("gate/study.toml", &(study.join("\n") + "\n"));
        if is_kept {
            let file = "baseline   = \"old\"\nbaseline_file = \"baseline.jsonl.zst\"";
            bench.edit("gate/study.toml", "baseline   = \"old\"", file);
            let keep = "--keep-baseline baseline.jsonl.zst --junit";
            bench.edit("gate/workflow.yml", "--junit", keep);
        }
        Some(request)
    };
    let (Some(kept), Some(asking)) = (request(true), request(false)) else {
        return skipped("the day of a pull request needs python3 and git");
    };
    kept.checkout(worse);
    assert_eq!(kept.runs(&[8, 16]), Some(code::BLOCKED));
    let first = kept.billed();
    // The same gate once more, and a fresh checkout with the file: nothing of the baseline is paid twice.
    assert_eq!(kept.runs(&[]), Some(code::BLOCKED));
    assert_eq!(kept.billed(), first);
    kept.checkout(better);
    assert_eq!(kept.runs(&[first + 8]), Some(code::DONE));
    let own = kept.billed() - first;
    asking.checkout(better);
    assert_eq!(asking.runs(&[]), Some(code::DONE));
    let both = asking.billed();
    // The first gate asked the baseline more than half of the questions, so that about a quarter is saved, less what
    // ran when the gate was killed and is paid twice: 16 answers. Four runs paid 72 to 76 %.
    assert!(own * 20 <= both * 17, "{own} of {both}, after {first}");
    let bytes = fs::read(kept.bench.path("gate/baseline.jsonl.zst")).unwrap();
    assert!(bytes.starts_with(b"\x28\xb5\x2f\xfd"));
    // The version that shipped is the baseline of the next pull request, whose questions it answered are not
    // paid again: the gate's two versions are alike.
    let before = kept.billed();
    assert!(kept.shell("git add prompts/new.txt && git commit -qm next && git update-ref refs/remotes/origin/main HEAD"));
    kept.checkout(&better.replace("sum", "calculation"));
    kept.runs(&[]);
    let bill = kept.bench.text("prompts/bill.jsonl");
    let prompt = |line: &str| serde_json::from_str::<Value>(line).unwrap()["prompt"].to_string();
    let (known, paid): (BTreeSet<_>, BTreeSet<_>) = (
        bill.lines().take(before).map(prompt).collect(),
        bill.lines().skip(before).map(prompt).collect(),
    );
    let twice = known.intersection(&paid).count();
    assert!(twice <= 32, "{twice} of {}", paid.len());
    let comment = kept.bench.text("gate/summary.md");
    assert!(comment.contains("since the anchor old of "), "{comment}");
}
