//! The text of a proposed study file.

use super::{Draft, Folds, fill_in, split::is_fold};
use crate::pattern::{basic_string, quoted};
use fiesta_core::Foreign;
use fiesta_policies::stopping::LEAST_EVALUATIONS;
use std::fmt::Write;

/// From how many arms on they are said to be many.
const MANY: usize = 12;

impl Draft {
    /// The study file, with comments.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let source = self.source.as_deref().and_then(|path| path.file_name());
        let source = source.map_or_else(
            || self.program_name().to_owned(),
            |name| name.to_string_lossy().into_owned(),
        );
        let mut line = |line: String| {
            // One line, whatever a script calls its options. Nothing is written to a String that fails.
            let _ = writeln!(text, "{}", Foreign::new(&line));
        };
        line(format!(
            "# A study of {source}, proposed by `fiesta init`. What it means: fiesta run study.toml --check"
        ));
        line(format!("name    = {}", basic_string(&self.name)));
        let command: Vec<String> = self.command.iter().map(|word| basic_string(word)).collect();
        line(format!("command = [{}]", command.join(", ")));
        for note in self.notes_of_command() {
            line(format!("# {note}"));
        }
        line(String::new());
        self.metric(&mut line);
        line(String::new());
        line("[goal]".to_owned());
        line(
            "confidence = 0.95            # stop when one arm is the best with this probability …"
                .to_owned(),
        );
        line("# budget = { evaluations = 60 }   # … and / or after so many jobs, or cost = \"40h\", wall = \"8h\"".to_owned());
        line(String::new());
        line("[design]".to_owned());
        for own in self.design() {
            line(own);
        }
        line("seed     = 1".to_owned());
        line(String::new());
        line("[resources]".to_owned());
        let gpus = usize::from(self.uses_gpu && self.machine.gpus > 0);
        if self.machine.gpus > 0 {
            line(format!(
                "gpus_per_job = {gpus}             # of the {} here; 0.5 shares one between two jobs",
                self.machine.gpus
            ));
        } else {
            line("# gpus_per_job = 1           # none was found here".to_owned());
        }
        line(
            "# timeout = \"2h\"             # a job that takes longer is stopped and has failed"
                .to_owned(),
        );
        self.arms_to(&mut line);
        text
    }

    /// What the command does not say, and why.
    fn notes_of_command(&self) -> Vec<String> {
        let reads = |name: &str| self.variables.iter().any(|own| own == name);
        let mut notes = Vec::new();
        if self.roles.arm.is_none() && !reads("FIESTA_ARM") {
            notes.push("No option was found that chooses the model: put {arm} where it is named, or let the script read FIESTA_ARM.".to_owned());
        }
        match (&self.roles.seed, &self.roles.split) {
            (None, None) if !reads("FIESTA_SEED") && !reads("FIESTA_SPLIT") => {
                notes.push("No option for a seed or a split was found: give the script one, and put {seed} or {split} after it, or let it read FIESTA_SEED;".to_owned());
                notes.push("else every evaluation of an arm is the same, and there is nothing to learn from a second one.".to_owned());
            }
            (Some(seed), None) if self.seed_splits => notes.push(format!(
                "{} also splits the data: {{split}} gives the k-th evaluation of every arm the same k, so that arms are compared on the same splits.",
                seed.written.shown()
            )),
            _ => {}
        }
        if let Some(split) = self.counts_from_one() {
            notes.push(format!(
                "{} counts from 1 and the splits of a study from 0: the shell adds 1.",
                split.written.shown()
            ));
        }
        notes.extend(self.not_used());
        notes
    }

    fn metric(&self, line: &mut impl FnMut(String)) {
        line("[metric]".to_owned());
        let Some(score) = &self.score else {
            line(format!("name    = {}", basic_string("score")));
            line("# Which line of what the script prints has the score? The parentheses stand around its number. Without".to_owned());
            line(
                "# a pattern, the script prints a line of JSON last: {\"score\": 0.71}".to_owned(),
            );
            let what = "what is printed beside the score, such as accuracy: ([0-9.]+)";
            line(format!("pattern = {}", quoted(&fill_in(what))));
            line("# percent = true             # the number is a percentage: the score is a hundredth of it".to_owned());
            line("# direction = \"minimize\"     # if less is better; bounds = [0.0, 1.0] makes any score outside an error".to_owned());
            return;
        };
        line(format!("name    = {}", basic_string(&score.metric)));
        let place = score.place();
        match (&score.pattern, &score.printed) {
            (Some(pattern), printed) => line(format!(
                "pattern = {}   # {place} prints: {}; the last match counts",
                quoted(pattern),
                printed.as_deref().unwrap_or_default()
            )),
            _ => line(format!(
                "# {place} prints or writes it as JSON: {{\"{}\": …}}",
                score.metric
            )),
        }
        if score.is_percent {
            line("percent = true               # 81.87 is the score 0.8187; leave it out if the number is a share".to_owned());
        }
        if score.is_cost {
            line("direction = \"minimize\"".to_owned());
        }
        if score.is_share {
            line("bounds  = [0.0, 1.0]         # a score outside is an error".to_owned());
        } else {
            line("# bounds = [0.0, 1.0]        # makes any score outside an error".to_owned());
        }
    }

    fn design(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let is_split = |text: &str| text.contains("FIESTA_SPLIT");
        let reads_split = self.variables.iter().any(|own| is_split(own))
            || self.constants.iter().any(|own| is_split(&own.instead));
        match (&self.roles.split, &self.roles.seed) {
            (Some(split), _) => match (self.folds, is_fold(split)) {
                (Some(folds), _) => lines.push(splits(&split.written.shown(), folds)),
                (None, true) => {
                    let what = fill_in("how many folds there are, a number without quotes (eight or more, if that can be); without this line: random splits, as many as it takes");
                    lines.push(format!("splits   = {}", basic_string(&what)));
                }
                _ => lines.push("splits   = \"shared\"          # the k-th evaluation of every arm uses split k; 800 if there are only 0 to 799".to_owned()),
            },
            (None, _) if reads_split && self.folds.is_some() => {
                let folds = self.folds.map(|folds| Folds { first: 0, ..folds });
                lines.extend(folds.map(|folds| splits("FIESTA_SPLIT", folds)));
            }
            (None, _) if self.seed_splits || reads_split => {
                lines.push("splits   = \"shared\"          # the k-th evaluation of every arm uses split k".to_owned());
            }
            _ => {
                lines.extend(self.may_be_split().map(|own| format!("# {own}.")));
                lines.push("splits   = \"fixed\"           # one split of the data: evaluations differ in their seeds alone".to_owned());
            }
        }
        let (cores, gpus) = (self.machine.cores, self.machine.gpus);
        let (parallel, reason) = if self.uses_gpu && gpus > 0 {
            (gpus, format!("one job for each of the {gpus} GPUs"))
        } else {
            (
                (cores / 4).clamp(1, 8),
                format!("jobs at a time, on {cores} cores; more if a job uses one core"),
            )
        };
        lines.push(format!("parallel = {parallel}                 # {reason}"));
        lines
    }

    fn arms_to(&self, line: &mut impl FnMut(String)) {
        line(String::new());
        let from = match &self.roles.arm {
            Some(option) if option.choices.len() > 1 => format!("# The values of {}; remove those that are not to be compared.", option.written.shown()),
            Some(option) => format!("# Values of {} to compare.", option.written.shown()),
            None => "# The candidates: what {arm} or FIESTA_ARM stands for, or a command of their own: command = [\"python\", …].".to_owned(),
        };
        line(from);
        if self.arms.len() > MANY {
            line(format!(
                "# There are {}: each takes at least one evaluation.",
                self.arms.len()
            ));
        }
        for arm in &self.arms {
            line("[[arm]]".to_owned());
            line(format!("name = {}", basic_string(arm)));
        }
        for missing in self.arms.len()..2 {
            let what = match missing {
                0 => "the first candidate",
                _ => "another candidate, to compare",
            };
            line("[[arm]]".to_owned());
            line(format!("name = {}", basic_string(&fill_in(what))));
        }
    }
}

/// The line that says how many splits there are.
fn splits(option: &str, Folds { count, first }: Folds) -> String {
    let few = if count < LEAST_EVALUATIONS {
        "; with fewer than 8, no confidence is reached"
    } else {
        ""
    };
    format!(
        "splits   = {count:<17} # {option} from {first} to {}: an arm that has used them all is evaluated no more{few}",
        first + count - 1
    )
}
