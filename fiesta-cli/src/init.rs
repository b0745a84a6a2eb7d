//! `fiesta init`: proposes a study for a script that exists.

use super::{
    exit::{Code, Failure},
    output::can_ask,
    print, say,
};
use fiesta::{
    Foreign,
    runner::init::{Draft, KnownFrom, LONGEST_EVALUATION, ScriptOption, draft},
};
use std::{
    env, io,
    path::{Path, PathBuf},
};

/// The arguments of `fiesta init`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(after_help = "Examples:
  fiesta init train.py                       read train.py, and write study.toml
  fiesta init python train.py -- --epochs 5  with options that every job gets
  fiesta init --run-help -- ./tool           options of a program that is not in Python
  fiesta init -- Rscript svm.R --model glm --seed 1   options that the command names itself
  fiesta init -o bleu.toml --evaluate run.sh    the score, from what one evaluation prints
  fiesta init train.py --check               then run one job per arm
  fiesta init make                           the targets or the MODEL of a Makefile
  fiesta init main.py model=mlp,resnet seed=1   keys as Hydra has them
  fiesta init questions.jsonl prompts.csv ask.py   ask each question with each prompt

A Python file is read by Python (3.8 or later), and is not run.
Programs in other languages are asked with --help. At a terminal, you are asked first.
Nothing else is run without --run-help, --evaluate or --check.")]
pub(super) struct Arguments {
    /// The script that evaluates one candidate, or the command that runs it; its own options after
    /// `--`. Default: the train.py, main.py or the like of this directory. Files of questions and
    /// prompts (JSON lines, CSV; prompts also YAML, with "prompt" in the file's name) stand before it
    #[arg(value_name = "SCRIPT or COMMAND")]
    command: Vec<String>,
    /// The study file to write; jobs start in its directory
    #[arg(short, long, value_name = "FILE", default_value = "study.toml")]
    output: PathBuf,
    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
    /// Run the command with `--help`, for a minute at most, if its source shows no options
    #[arg(long)]
    run_help: bool,
    /// Run nothing, and do not ask whether to
    #[arg(long, conflicts_with_all = ["run_help", "evaluate", "check"])]
    no_run: bool,
    /// Run the command once, for ten minutes at most, and take the score from what it prints
    #[arg(long)]
    evaluate: bool,
    /// Then run one job per arm, as `fiesta run --check` does
    #[arg(long)]
    check: bool,
    /// Print the study, and write nothing
    #[arg(long, conflicts_with_all = ["check", "force"])]
    dry_run: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Code, Failure> {
    let here = env::current_dir().map_err(|source| Failure::System {
        action: "find the current directory".to_owned(),
        source,
    })?;
    let directory = match arguments.output.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => here.join(parent),
        _ => here.clone(),
    };
    if directory != here && !arguments.command.is_empty() {
        // Jobs start beside the study.
        say(format_args!(
            "note: jobs start in {}, where the study is: the script is looked for from there",
            directory.display()
        ));
    }
    let mut asked = |line: &str| arguments.run_help || !arguments.no_run && agreed(line);
    let mut draft = draft(&arguments.command, &directory, &mut asked)?;
    if arguments.evaluate && !evaluate(&mut draft, &directory) {
        say("interrupted: no study was written");
        return Ok(Code::Interrupted);
    }
    let draft = draft;
    if arguments.dry_run {
        print(draft.text().trim_end())?;
        return Ok(Code::Done);
    }
    draft.write(&arguments.output, arguments.force)?;
    for line in found(&draft) {
        print(Foreign::new(&line))?;
    }
    let file = arguments.output.display();
    let open = draft.to_fill_in();
    print(format_args!("\nwrote {file}"))?;
    let source = draft.source.as_ref().and_then(|path| path.file_name());
    let edits = draft.edits();
    let next = if edits.is_empty() { "next" } else { "then" };
    if let Some(source) = source.filter(|_| !edits.is_empty()) {
        let source = source.to_string_lossy();
        let line = format!(
            "next: edit {source}, which sets what a study chooses (os is to be imported there):"
        );
        print(Foreign::new(&line))?;
        for edit in &edits {
            print(Foreign::new(&format!("  {edit}")))?;
        }
    }
    if !open.is_empty() {
        print(format_args!(
            "{next}: edit {file}, where {} (marked <fill in: …>):",
            match open.len() {
                1 => "one place is still to be filled in".to_owned(),
                count => format!("{count} places are still to be filled in"),
            }
        ))?;
        for (line, key, what) in &open {
            print(Foreign::new(&format!("  line {line:<3} {key}: {what}")))?;
        }
        print(format_args!(
            "then: fiesta run {file} --check   (one job per arm; records nothing)"
        ))?;
        print(format_args!("then: fiesta run {file}"))?;
        if arguments.check {
            return Err(Failure::Usage(format!(
                "nothing was checked, as {file} is still to be filled in"
            )));
        }
        return Ok(Code::Done);
    }
    if arguments.check {
        return super::run::check_study(&arguments.output);
    }
    print(format_args!(
        "{next}: fiesta run {file} --check   (one job for each of the {} arms; records nothing)",
        draft.arms.len()
    ))?;
    print(format_args!("then: fiesta run {file}"))?;
    Ok(Code::Done)
}

/// Asks at a terminal whether a command line may be run.
fn agreed(line: &str) -> bool {
    if !can_ask() {
        return false;
    }
    let question = format!("No options are known yet. Run `{line}` to read them? [y/N]");
    let mut answer = String::new();
    say(Foreign::new(&question));
    let is_answered = io::stdin().read_line(&mut answer).is_ok();
    is_answered && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

/// Runs one evaluation and takes the score from its output. Returns false if it was interrupted.
fn evaluate(draft: &mut Draft, directory: &Path) -> bool {
    let ran = draft.first_evaluation().and_then(|words| {
        let line = format!(
            "running one evaluation, for {} min at most: {}",
            LONGEST_EVALUATION.as_secs() / 60,
            words.join(" ")
        );
        say(Foreign::new(&line));
        draft.evaluate(directory)
    });
    ran.unwrap_or_else(|problem| {
        let line = format!("the evaluation told no score: {problem}");
        say(Foreign::new(&line));
        true
    })
}

/// Returns a line about the source of the options: a file, a program's `--help`, or none.
fn known_from(draft: &Draft) -> String {
    let source = draft.source.as_ref().map(|path| path.display().to_string());
    let program = draft.program.join(" ");
    let source = source.unwrap_or_else(|| format!("the source of `{program}`"));
    if draft.program.is_empty() {
        return "no command was named".to_owned();
    }
    let ask = if draft.edits().is_empty() {
        "; --run-help asks it for them"
    } else {
        ""
    };
    match (draft.known_from, draft.options.len()) {
        (KnownFrom::Help, count) => format!("ran `{program} --help`; {count} options"),
        (KnownFrom::Source, 0) => {
            format!("read {source} (not run), and found no options in it{ask}")
        }
        (KnownFrom::Source, count) => format!("read {source} (not run); {count} options"),
        (KnownFrom::Nowhere, _) => format!(
            "{source} was not read for options; --run-help asks it for them, or name them in the command: --model a --seed 1"
        ),
    }
}

/// Returns lines about how the score is found in the output.
fn score(draft: &Draft) -> Vec<String> {
    let Some(score) = &draft.score else {
        let none = "  score        no line is known that prints one; --evaluate runs the command once, and looks";
        return vec![none.to_owned()];
    };
    let place = score.place();
    let percent = if score.is_percent {
        ", a percentage"
    } else {
        ""
    };
    let mut lines = vec![match (&score.pattern, &score.printed) {
        (Some(pattern), Some(printed)) => {
            format!("  score        {place} prints \"{printed}\": pattern {pattern}{percent}")
        }
        _ => format!("  score        \"{}\" in the JSON of {place}", score.metric),
    }];
    if !score.others.is_empty() {
        lines.push(format!(
            "               not taken, though it may be meant: {}",
            score.others.join(", ")
        ));
    }
    lines
}

/// Returns the lines that tell what `init` knows: where the options are from, each option, the
/// score, the machine.
fn found(draft: &Draft) -> Vec<String> {
    let mut lines = vec![known_from(draft)];
    let problem = draft.problem.iter();
    lines.extend(problem.map(|own| format!("  problem      {own}")));
    let shown = |option: &ScriptOption, value: &str| {
        format!(
            "  {:<12} {value} ({})",
            option.written.shown(),
            option.library
        )
    };
    let roles = &draft.roles;
    if let Some(option) = &roles.arm {
        let names = match draft.arms.as_slice() {
            [] => "no values known".to_owned(),
            arms if arms.len() > 8 => {
                format!("{}, … ({} of them)", arms[..8].join(", "), arms.len())
            }
            arms => arms.join(", "),
        };
        lines.push(shown(option, &format!("{{arm}}: {names}")));
    }
    if let Some(option) = &roles.split {
        lines.push(shown(option, "{split}"));
    }
    if let Some(option) = &roles.seed {
        let value = if draft.seed_splits && roles.split.is_none() {
            "{split}, as it also splits the data"
        } else {
            "{seed}"
        };
        lines.push(shown(option, value));
    }
    for name in &draft.variables {
        lines.push(format!("  {name} is read from the environment"));
    }
    let data = &draft.data;
    if let Some(questions) = &data.questions {
        lines.push(format!(
            "  items        {questions}: {} questions",
            data.count
        ));
    }
    if let Some(prompts) = &data.prompts {
        lines.push(format!(
            "  arms         {prompts}: {} prompts",
            data.names.len()
        ));
    }
    lines.extend(draft.notes().into_iter().map(|line| format!("  {line}")));
    lines.extend(score(draft));
    let machine = draft.machine;
    lines.push(format!(
        "  machine      {} cores, {}",
        machine.cores,
        match machine.gpus {
            0 => "no GPU".to_owned(),
            1 => "1 GPU".to_owned(),
            gpus => format!("{gpus} GPUs"),
        }
    ));
    lines
}
