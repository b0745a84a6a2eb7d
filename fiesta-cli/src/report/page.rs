//! The page: what stands where.

use super::{
    answer::{answer, count},
    facts::facts,
    figures::Pictures,
    known::Known,
    tables::{self, Sheet},
};
use crate::{exit::Failure, standing::StudyStatus};
use fiesta::report::{
    Versus,
    checklist::{Checklist, Facts, Form},
    html::{Block, Report, Section},
    summary::{Ranks, Sample},
    tuning_curve::Failed,
};

/// Everything that is written.
pub(super) struct Written {
    pub(super) report: Report,
    pub(super) pictures: Pictures,
    pub(super) sheets: Vec<Sheet>,
    pub(super) facts: Facts,
}

impl Written {
    pub(super) fn new(known: &Known<'_>) -> Result<Self, Failure> {
        let versus = versus(known)?;
        let ranks = ranks(known)?;
        let pictures = Pictures::new(known, ranks.as_ref());
        let sheets: Vec<Sheet> = [
            Some(tables::arms(known)),
            tables::search(known),
            tables::best_of_n(known),
            tables::against_best(known, &versus),
            tables::bootstrap(known),
            ranks.as_ref().map(|ranks| tables::ranks(known, ranks)),
            tables::budgets(known),
            tables::crossings(known),
        ]
        .into_iter()
        .flatten()
        .collect();
        let answer = answer(known, &versus);
        let facts = facts(known, &answer.sentence, &answer.caveats);
        let page = Page {
            known,
            pictures: &pictures,
            sheets: &sheets,
        };
        let report = Report {
            title: title(known),
            subtitle: format!("FIESTA report, {}", now()),
            answer,
            sections: page.sections(&facts),
            notes: page.notes(),
            provenance: provenance(known),
        };
        Ok(Self {
            report,
            pictures,
            sheets,
            facts,
        })
    }
}

struct Page<'a> {
    known: &'a Known<'a>,
    pictures: &'a Pictures,
    sheets: &'a [Sheet],
}

impl Page<'_> {
    fn sections(&self, facts: &Facts) -> Vec<Section> {
        let of_search = self.table("search").is_some();
        let belief = Self::section("How the belief came about", &[self.figure("belief")]);
        let arms = Self::section(
            "The arms",
            &[
                self.table("search"),
                self.table("arms"),
                self.figure("means"),
                self.figure("scores"),
            ],
        );
        let pairs = Self::section(
            "Arm against arm",
            &[
                self.table("against-best"),
                self.figure("pairs"),
                self.figure("ranks"),
                Self::details("Average ranks", &[self.table("ranks")]),
            ],
        );
        let curves = Self::section(
            "Expected best against budget",
            &[
                self.figure("tuning"),
                self.figure("tuning-time"),
                self.table("best-of-n"),
                self.table("budgets"),
                self.table("crossings"),
            ],
        );
        let success = Self::section(
            "How often a budget finds the best arm",
            &[self.figure("success")],
        );
        let more = Self::section(
            "More about the scores",
            &[
                Self::details(
                    "Mean, median and interquartile mean with intervals",
                    &[self.table("bootstrap")],
                ),
                Self::details("Distribution functions", &[self.figure("distributions")]),
                Self::details("Performance profile", &[self.figure("profile")]),
            ],
        );
        let checklist = Checklist::new(Form::ShowYourWork, facts);
        let lead = format!(
            "{} of {} questions of the checklist of “Show Your Work” (Dodge et al. 2019) are answered from the results. The forms of ACL and NeurIPS are beside this page, in checklist-acl.md and checklist-neurips.md.",
            checklist.answered(),
            checklist.questions()
        );
        let checklist = Section::new("Checklist")
            .block(Block::Text(lead))
            .block(Block::Checklist(checklist));
        let order = if of_search {
            [curves, arms, belief, pairs, success, more]
        } else {
            [belief, arms, pairs, curves, success, more]
        };
        let found = order.into_iter().flatten();
        found.chain([checklist]).collect()
    }

    /// A section of what there is; none if there is nothing.
    fn section(heading: &str, blocks: &[Option<Block>]) -> Option<Section> {
        let blocks: Vec<Block> = blocks.iter().flatten().cloned().collect();
        (!blocks.is_empty()).then(|| Section {
            heading: heading.to_owned(),
            blocks,
        })
    }

    fn details(summary: &str, blocks: &[Option<Block>]) -> Option<Block> {
        let section = Self::section(summary, blocks)?;
        Some(Block::Details(section.heading, section.blocks))
    }

    fn figure(&self, file: &str) -> Option<Block> {
        Some(Block::Figure(self.pictures.find(file)?.clone()))
    }

    fn table(&self, file: &str) -> Option<Block> {
        let sheet = self.sheets.iter().find(|sheet| sheet.file == file)?;
        Some(Block::Table(sheet.shown.clone()))
    }

    /// The choices that were made, and what they change.
    fn notes(&self) -> Vec<String> {
        let known = self.known;
        let level = known.level();
        let mut notes = vec![self.of_belief()];
        if known.counted.scored() > 0 {
            notes.push(format!(
                "Intervals of means are Student's t at {level}, and exact binomial ones of scores that are only 0 and 1. Neither they nor bootstrap intervals hold for few scores that are very skewed: at 95 %, with 5 to 20 scores, they hold the mean of exponential scores in 89 to 92 % and that of lognormal ones in 82 to 86 % of cases. Where an arm has several scores on one of the {}, these are not independent: the standard error is then that between {}, and the bootstrap draws each with all its scores.",
                known.counted.groups, known.counted.groups
            ));
            notes.push(format!(
                "The interquartile mean is that of the middle half of the scores: a quarter at each end is left out. Bootstrap intervals are of {} resamples, seed {}{}; of few scores there are others, or none, as the table says.",
                known.resamples,
                known.arguments.seed,
                match &known.arguments.strata {
                    Some(column) => format!(", drawn within the values of {column} (the conventions of rliable): they are about these very {column}s"),
                    None => String::new(),
                }
            ));
        }
        notes.extend(self.of_pairs());
        notes.extend(self.of_failures());
        if self.pictures.find("tuning").is_some() {
            notes.push("Tuning curves are the plug-in estimate of the expected best of n (Dodge et al. 2019, equation 8): what n draws from the recorded scores give. It is too low by what was not seen, most of all for n near the number of scores. Curves that cross within their bands may not cross at all.".to_owned());
            notes.push(match known.bounds {
                Some((low, high)) => format!(
                    "Bands of tuning curves hold for all n at once with {level}, whatever the distribution, and reach to the bounds of the metric, {low} and {high}. They take scores as independent; those of one split are not quite."
                ),
                None => "There are no confidence bands for tuning curves: without the bounds of the metric nothing limits the mean of the best of n. A study has them under [metric] bounds, a file by --bounds.".to_owned(),
            });
        }
        if let Some(simulated) = &known.simulated {
            notes.push(format!(
                "P(correct) is the share of {} replays in which a policy named the arm with the best recorded mean: scores are drawn again from those that were recorded, on {} splits; the adaptive policy believes by the posterior {}. It says what such budgets would do on arms like these, and not whether this arm is the best.",
                simulated.runs,
                simulated.design.name(),
                super::simulated::POSTERIOR
            ));
        }
        let path = &known.belief.path;
        if path.points.len() > 1 && path.of > path.points.len() + 10 {
            notes.push(format!(
                "The history of the belief shows {} of {} evaluations.",
                path.points.len(),
                path.of
            ));
        }
        notes.extend(self.pictures.notes.iter().cloned());
        notes.extend(
            known
                .status
                .iter()
                .flat_map(StudyStatus::notes)
                .map(|note| sentence(&note)),
        );
        notes.extend(known.results.notices.iter().map(|notice| sentence(notice)));
        notes
    }

    fn of_belief(&self) -> String {
        let belief = &self.known.belief;
        match (&belief.accuracy, &belief.lacking) {
            (Some(accuracy), _) => format!(
                "P(best) is the posterior probability that an arm's mean is the best, under the posterior {}; it was computed {accuracy}.",
                belief.posterior
            ),
            (None, Some(why)) => format!("There is no P(best): {why}."),
            (None, None) => "There is no P(best).".to_owned(),
        }
    }

    fn of_pairs(&self) -> Option<String> {
        self.table("against-best")?;
        let ranks = if self.pictures.find("ranks").is_some() {
            format!(
                " Ranks are over those of the {} on which every arm has a score, and over no others.",
                self.known.counted.groups
            )
        } else {
            format!(
                " There is no diagram of ranks, as the arms have too few {} in common.",
                self.known.counted.groups
            )
        };
        Some(format!(
            "Two arms are compared by their differences on the {} that both have seen, where these are the same by design, and by Welch's interval otherwise. A difference on common {} is not that of the means in the table of arms, which are over all scores of each arm; the table of comparisons has both. The intervals are each for one pair, and not corrected for how many there are.{ranks}",
            self.known.counted.groups, self.known.counted.groups
        ))
    }

    /// How failures are counted, and what the other choice would have been.
    fn of_failures(&self) -> Option<String> {
        let known = self.known;
        let choice = known.failures()?;
        let failed = known.evaluations.failed();
        let other = match choice {
            Failed::Drop => Failed::Worst,
            _ => Failed::Drop,
        };
        let worst = known
            .bounds
            .map(|(low, high)| match known.results.direction {
                fiesta::core::Direction::Maximize => low,
                fiesta::core::Direction::Minimize => high,
            });
        let counted = known
            .evaluations
            .with_failures(other, known.results.direction, worst)
            .ok()?;
        let best_mean = |samples: Vec<Option<Sample>>| {
            let direction = known.results.direction;
            let means = samples.iter().enumerate();
            let means = means.filter_map(|(arm, sample)| Some((arm, sample.as_ref()?.mean())));
            means.max_by(|a, b| direction.orient(a.1).total_cmp(&direction.orient(b.1)))
        };
        let now = best_mean(known.samples.clone());
        let then = best_mean(
            counted
                .arms
                .iter()
                .map(super::evaluations::OfArm::sample)
                .collect(),
        );
        let effect = match (now, then) {
            (Some((now, mean)), Some((then, other_mean))) => {
                let digits = known.overview.decimals();
                let name = |arm: usize| &known.counted.arms[arm].name;
                format!(
                    " The best mean is now that of {}, {mean:.digits$}; with --failed {} it would be that of {}, {other_mean:.digits$}.",
                    name(now),
                    other.name(),
                    name(then)
                )
            }
            _ => String::new(),
        };
        let how = match choice {
            Failed::Drop => {
                "left out of all summaries, and counted in costs and as trials that were started"
            }
            _ if worst.is_some() => "counted as the worst score that is possible",
            _ => "counted as the worst score that any arm had",
        };
        let belief = match known.results.study {
            Some(_) => " P(best) is the study's own, which leaves them out.",
            None => "",
        };
        Some(format!(
            "{} failed: {how} (--failed {}).{effect}{belief}",
            count(failed, "evaluation"),
            choice.name()
        ))
    }
}

/// With a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    format!(
        "{}{}.",
        first.unwrap_or_default(),
        letters.as_str().trim_end_matches('.')
    )
}

/// The best arm against each other, in the order of the table of arms.
fn versus(known: &Known<'_>) -> Result<Vec<Versus>, Failure> {
    let Some((best, sample)) = known
        .best()
        .and_then(|best| Some((best, known.samples[best].as_ref()?)))
    else {
        return Ok(Vec::new());
    };
    let others = known
        .overview
        .ranked()
        .into_iter()
        .filter(|&arm| arm != best);
    let compared = others.filter_map(|arm| {
        let other = known.samples[arm].as_ref()?;
        let name = &known.counted.arms[arm].name;
        let confidence = known.arguments.confidence;
        Some(Versus::new(
            name,
            sample,
            other,
            known.results.direction,
            confidence,
            &known.bootstrap,
        ))
    });
    Ok(compared.collect::<Result<_, _>>()?)
}

/// The ranks over full blocks, if there are any and every arm has a score.
fn ranks(known: &Known<'_>) -> Result<Option<Ranks>, Failure> {
    let samples: Option<Vec<Sample>> = known.samples.iter().cloned().collect();
    let Some(samples) = samples else {
        return Ok(None);
    };
    Ok(Ranks::new(
        &samples,
        known.results.direction,
        known.arguments.confidence,
    )?)
}

fn title(known: &Known<'_>) -> String {
    if let Some(recorded) = known.results.study.as_deref() {
        return recorded.study.name().to_owned();
    }
    let path = &known.arguments.results.results;
    let stem = path.file_stem().filter(|stem| *stem != "-");
    stem.map_or("scores".to_owned(), |stem| {
        stem.to_string_lossy().into_owned()
    })
}

/// The name of the input, without the directories that are nobody else's business.
fn source(known: &Known<'_>) -> String {
    let name = known.arguments.results.results.file_name();
    name.map_or("standard input".to_owned(), |name| {
        match name.to_string_lossy() {
            name if name == "-" => "standard input".to_owned(),
            name => name.into_owned(),
        }
    })
}

fn now() -> String {
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    now.split('T').next().unwrap_or_default().to_owned()
}

fn provenance(known: &Known<'_>) -> Vec<(String, String)> {
    let mut rows = vec![
        (
            "Program".to_owned(),
            format!("FIESTA {}", env!("CARGO_PKG_VERSION")),
        ),
        ("Made on".to_owned(), now()),
        ("From".to_owned(), source(known)),
        ("Metric".to_owned(), known.target()),
    ];
    if let Some(recorded) = known.results.study.as_deref() {
        let study = &recorded.study;
        let (policy, design) = (study.policy().to_owned(), study.design().name().to_owned());
        rows.push(("Study".to_owned(), study.digest()));
        rows.push(("Seed".to_owned(), study.seed().to_string()));
        rows.push(("Policy".to_owned(), policy));
        rows.push(("Splits".to_owned(), design));
    }
    rows.push(("Posterior".to_owned(), known.belief.posterior.clone()));
    rows
}
