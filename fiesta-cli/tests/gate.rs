//! Tests of `fiesta gate` through the program: exit codes, files for CI, and logs of other tools.

mod support;

use roxmltree::Document;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    env,
    fmt::Write,
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};
use support::{Bench, code, python, skipped, until};

/// Returns a version's answers to n items as JSON lines. `is_wrong` tells which items are answered wrongly.
fn answers(n: usize, is_wrong: impl Fn(usize) -> bool) -> String {
    (0..n).fold(String::new(), |mut file, item| {
        let wrong = is_wrong(item);
        let (score, output) = (u8::from(!wrong), if wrong { "a wrong one" } else { "right" });
        let line = json!({"id": format!("q{item}"), "question": format!("what is {item}?"), "score": score, "output": output});
        writeln!(file, "{line}").unwrap();
        file
    })
}

/// Returns a bench with `old.jsonl`, wrong on every tenth of 1,000 items, and `new.jsonl`, also
/// wrong on the first `lost`.
fn versions(lost: usize) -> Bench {
    let bench = Bench::new();
    bench.file("old.jsonl", &answers(1000, |item| item % 10 == 9));
    bench.file(
        "new.jsonl",
        &answers(1000, |item| item % 10 == 9 || item < lost),
    );
    bench
}

fn exit(bench: &Bench, call: &str) -> Option<i32> {
    let call: Vec<&str> = call.split(' ').collect();
    bench.fiesta(&call).code
}

#[test]
fn the_exit_code_is_the_verdict() {
    let gate = "gate old.jsonl new.jsonl --margin 0.02";
    assert_eq!(exit(&versions(6), gate), Some(code::DONE));
    assert_eq!(exit(&versions(60), gate), Some(code::BLOCKED));
    assert_eq!(exit(&versions(15), gate), Some(code::SHORT));
    let bench = versions(6);
    for call in [
        "gate old.jsonl new.jsonl",
        "gate old.jsonl new.jsonl --margin 0",
        "gate old.jsonl new.jsonl --margin 0.02 --failed drop",
        "gate old.jsonl --margin 0.02",
        "gate old.jsonl nothing.jsonl --margin 0.02",
    ] {
        assert_eq!(exit(&bench, call), Some(code::USAGE), "{call}");
    }
    // At exactly the margin, on these items, nothing ships.
    let these = format!("{gate} --target these-items");
    assert_eq!(exit(&versions(22), &these), Some(code::BLOCKED));
    assert_eq!(exit(&versions(21), &these), Some(code::DONE));
}

/// Tests that another program's parser reads the JUnit XML, whatever the answers contain.
#[test]
fn junit_is_read_by_others() {
    let bench = versions(60);
    let hostile = "]]>\u{1b}[31m\u{0}\u{fffe}</testcase><failure/> & \u{202e}";
    let new = fs::read_to_string(bench.path("new.jsonl")).unwrap();
    let hostile_json = serde_json::to_string(hostile).unwrap();
    bench.file("new.jsonl", &new.replace("\"a wrong one\"", &hostile_json));
    assert_eq!(
        exit(
            &bench,
            "gate old.jsonl new.jsonl --margin 0.02 --junit gate.xml"
        ),
        Some(code::BLOCKED)
    );
    let xml = fs::read_to_string(bench.path("gate.xml")).unwrap();
    let document = Document::parse(&xml).unwrap();
    let all = |name: &str| {
        document
            .descendants()
            .filter(|node| node.has_tag_name(name))
            .count()
    };
    assert_eq!((all("testcase"), all("failure"), all("error")), (1, 1, 0));
    let suite = document
        .descendants()
        .find(|node| node.has_tag_name("testsuite"))
        .unwrap();
    assert_eq!(
        (suite.attribute("tests"), suite.attribute("failures")),
        (Some("1"), Some("1"))
    );
    let case = document
        .descendants()
        .find(|node| node.has_tag_name("testcase"))
        .unwrap();
    assert_eq!(case.attribute("name"), Some("new"));
    let out = case
        .children()
        .find(|node| node.has_tag_name("system-out"))
        .unwrap();
    let out = out.text().unwrap();
    assert!(
        out.contains("q0: 1 → 0") && out.contains("what is 0?"),
        "{out}"
    );
    assert!(
        out.contains("]]>") && out.contains("</testcase><failure/> &"),
        "{out}"
    );
    assert!(!out.contains(['\u{1b}', '\u{0}', '\u{fffe}', '\u{202e}']));
    for (lost, name, found) in [(6, "failure", 0), (15, "error", 1)] {
        let bench = versions(lost);
        exit(
            &bench,
            "gate old.jsonl new.jsonl --margin 0.02 --junit gate.xml",
        );
        let xml = fs::read_to_string(bench.path("gate.xml")).unwrap();
        let document = Document::parse(&xml).unwrap();
        assert_eq!(
            document
                .descendants()
                .filter(|node| node.has_tag_name(name))
                .count(),
            found
        );
    }
}

#[test]
fn a_comment_and_json_with_and_without_texts() {
    let bench = versions(60);
    let call = "gate old.jsonl new.jsonl --margin 0.02 --markdown comment.md --format json";
    let json = |call: &str| -> Value {
        let call: Vec<&str> = call.split(' ').collect();
        serde_json::from_str(&bench.fiesta(&call).stdout).unwrap()
    };
    let document = json(call);
    assert_eq!(document["verdict"], "blocked");
    let own = &document["candidates"][0];
    assert_eq!(
        (&own["regressions"], &own["fixed"]),
        (&54.into(), &0.into())
    );
    let first = &own["flipped"][0];
    assert_eq!(
        (&first["item"], &first["text"]),
        (&"q0".into(), &"what is 0?".into())
    );
    assert_eq!(first["candidate"]["text"], "a wrong one");
    let comment = || fs::read_to_string(bench.path("comment.md")).unwrap();
    assert!(comment().contains("a wrong one"));
    let document = json(&format!("{call} --no-texts"));
    assert_eq!(document["candidates"][0]["flipped"][0]["text"], Value::Null);
    assert!(!comment().contains("a wrong one") && comment().contains("q0"));
}

/// Tests that an item which the new version leaves out counts as wrong.
#[test]
fn dropped_items_ship_nothing() {
    let bench = versions(60);
    let new = fs::read_to_string(bench.path("new.jsonl")).unwrap();
    let kept: Vec<&str> = new.lines().filter(|line| line.contains("right")).collect();
    bench.file("new.jsonl", &(kept.join("\n") + "\n"));
    let ran = bench.fiesta(&["gate", "old.jsonl", "new.jsonl", "--margin", "0.02"]);
    assert_eq!(ran.code, Some(code::BLOCKED), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("answers of new failed or are missing"),
        "{}",
        ran.stdout
    );
}

/// Tests that two versions of one arm are called by their files.
#[test]
fn versions_are_called_by_their_files() {
    let bench = versions(6);
    for file in ["old.jsonl", "new.jsonl"] {
        let text = fs::read_to_string(bench.path(file)).unwrap();
        bench.file(file, &text.replace("{\"id\"", "{\"arm\":\"gpt\",\"id\""));
    }
    let ran = bench.fiesta(&["gate", "old.jsonl", "new.jsonl", "--margin", "0.02"]);
    assert_eq!(ran.code, Some(code::DONE), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("new may ship: "), "{}", ran.stdout);
    let ran = bench.fiesta(&[
        "gate",
        "old.jsonl",
        "new.jsonl",
        "--margin",
        "0.02",
        "--baseline",
        "new",
    ]);
    assert!(ran.stdout.starts_with("old may ship: "), "{}", ran.stdout);
}

/// Tests tables of 10 seeds on 5 folds: the folds are splits, and the other reading is a command that runs.
#[test]
fn two_tables_of_seeds_and_folds() {
    let bench = Bench::new();
    for (name, mean, shift) in [("old", 0.8, 3), ("new", 0.81, 8)] {
        let row = |at: u32| {
            let noise = f64::from((at * 37 + at * at * 11 + shift) % 17);
            format!("{},{},{:.4}\n", at / 5, at % 5, mean + noise / 1000.0)
        };
        let rows: String = (0..50).map(row).collect();
        bench.file(
            &format!("{name}.csv"),
            &format!("seed,fold,accuracy\n{rows}"),
        );
    }
    let ran = bench.fiesta(&["gate", "old.csv", "new.csv", "--margin", "0.01"]);
    assert_eq!(ran.code, Some(code::DONE), "{}{}", ran.stdout, ran.stderr);
    let begin = "new may ship: on splits like these 5, its mean accuracy is at least as good as that of old within 0.01, at 95 % confidence.";
    assert!(ran.stdout.starts_with(begin), "{}", ran.stdout);
    for said in [
        "paired t test of Gaussian differences",
        "the splits are folds of a cross-validation (`fold`): the verdict and its interval take scores",
        "10 splits of an arm have several scores",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let other = "`fold` is taken for splits; if its values are questions or documents: fiesta gate old.csv new.csv --margin 0.01 --item fold";
    assert!(ran.stdout.contains(other), "{}", ran.stdout);
    let ran = bench.fiesta(&[
        "gate", "old.csv", "new.csv", "--margin", "0.01", "--item", "fold",
    ]);
    assert_eq!(ran.code, Some(code::SHORT), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("fewer than 50 items"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("is taken for"), "{}", ran.stdout);
}

/// Tests that what was asked and answered is shown of flipped items in logs, and read from there.
#[test]
fn texts_are_read_from_logs() {
    let bench = Bench::new();
    let versions = [("old", 1), ("new", 0)];
    for (version, right) in versions {
        let lm_eval = json!({"doc_id": 7, "doc": {"question": "How many?", "answer": "4"}, "target": "4", "arguments": [], "resps": [["four"]], "filtered_resps": [version], "doc_hash": "h", "acc": right});
        bench.file(&format!("{version}.jsonl"), &format!("{lm_eval}\n"));
        let inspect = json!({"version": 2, "status": "success", "eval": {"task": "t", "model": version}, "samples": [{"id": 7, "epoch": 1, "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "How many?"}]}], "target": "4", "output": {"model": "m", "choices": [], "completion": version}, "scores": {"match": {"value": right}}}]});
        bench.file(&format!("{version}.json"), &inspect.to_string());
        let promptfoo = json!({"evalId": "e", "results": {"results": [{"provider": version, "prompt": {"raw": "p"}, "testIdx": 7, "success": right == 1, "score": right, "vars": {"question": "How many?"}, "response": {"output": version}}]}});
        bench.file(&format!("{version}.promptfoo.json"), &promptfoo.to_string());
    }
    for ending in [".jsonl", ".json", ".promptfoo.json"] {
        let files = ["old", "new"].map(|version| format!("{version}{ending}"));
        let call = [
            "gate", &files[0], &files[1], "--margin", "0.1", "--format", "json",
        ];
        let ran = bench.fiesta(&call);
        let document: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        let flipped = &document["candidates"][0]["flipped"][0];
        let texts = [
            &flipped["text"],
            &flipped["baseline"]["text"],
            &flipped["candidate"]["text"],
        ];
        assert_eq!(texts, ["How many?", "old", "new"], "{ending}: {document}");
        let ran = bench.fiesta(&[&call[..5], &["--no-texts"]].concat());
        assert!(!ran.stdout.contains("How many?"), "{}", ran.stdout);
        let ran = bench.fiesta(&call[..5]);
        assert!(ran.stdout.contains("asked: How many?"), "{}", ran.stdout);
    }
}

/// Tests that the counterpart of `--minimize` is understood, and contradicts it.
#[test]
fn maximize_is_a_direction() {
    let bench = versions(6);
    let gate = "gate old.jsonl new.jsonl --margin 0.02 --maximize";
    assert_eq!(exit(&bench, gate), Some(code::DONE));
    assert_eq!(
        exit(&bench, &format!("{gate} --minimize")),
        Some(code::USAGE)
    );
}

/// Tests logs as promptfoo, Inspect and lm-eval write them: a gate on so few items is undecided.
#[test]
fn logs_of_other_tools() {
    let bench = Bench::new();
    let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fiesta-import/tests/fixtures/logs");
    let copy = |from: &str, to: &str| {
        fs::copy(logs.join(from), bench.path(to)).unwrap();
    };
    for version in ["old", "new"] {
        copy("promptfoo/repeated.json", &format!("{version}.json"));
        copy("inspect/large.eval", &format!("{version}.eval"));
        let size = if version == "old" { "large" } else { "small" };
        let folder = logs.join(format!("lm_eval/org__{size}"));
        let found = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path());
        let found = found.filter(|path| path.to_string_lossy().contains("samples_colours"));
        for path in found {
            fs::copy(path, bench.path(&format!("{version}_samples.jsonl"))).unwrap();
        }
    }
    for call in [
        "gate old.json new.json --margin 0.1",
        "gate old.eval new.eval --margin 0.1",
        "gate old_samples.jsonl new_samples.jsonl --metric acc --margin 0.1",
    ] {
        let words: Vec<&str> = call.split(' ').collect();
        let ran = bench.fiesta(&words);
        assert_eq!(
            ran.code,
            Some(code::SHORT),
            "{call}: {}{}",
            ran.stdout,
            ran.stderr
        );
        assert!(ran.stdout.contains(" is undecided: "), "{}", ran.stdout);
    }
}

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
