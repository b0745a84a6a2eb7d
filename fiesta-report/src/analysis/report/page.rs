//! Page of a report: its sections with their figures, tables and texts.

use super::{
    WrittenReport,
    answer::answer,
    checklist::facts,
    evidence::Evidence,
    figures::Pictures,
    measures::measures,
    notes::notes,
    places::ReportedPlaces,
    pool,
    tables::{self, Sheet},
};
use crate::{
    Versus,
    analysis::{AnalysisError, belief::MeasuresReport},
    checklist::{Checklist, Fact, Facts, Form},
    html::{Block, Report, Section},
    summary::{Ranks, Sample},
    words::sentence,
};

/// Computes the page, the figures and the tables of a report.
pub(super) fn write(evidence: &Evidence<'_>) -> Result<WrittenReport, AnalysisError> {
    let is_pool = evidence.pool.is_some();
    // Scores of several benchmarks have no mean of their own.
    let is_weighted = evidence.is_of_benchmarks();
    let versus = if is_pool || is_weighted {
        Vec::new()
    } else {
        versus(evidence)?
    };
    // Ranks and distributions of the answers to items that were chosen are not those of the pool.
    let ranks = if is_pool || is_weighted {
        None
    } else {
        ranks(evidence)?
    };
    let places = ReportedPlaces::new(evidence)?.filter(|_| !is_weighted);
    let measures = measures(evidence)?;
    let pictures = Pictures::new(evidence, ranks.as_ref(), places.as_ref(), measures.as_ref());
    let sheets = [
        Some(tables::arms(evidence)),
        measures.as_ref().map(MeasuresReport::sheet),
        tables::search(evidence),
        tables::best_of_n(evidence),
        if is_pool {
            pool::against_best(evidence)
        } else {
            tables::against_best(evidence, &versus)
        },
        pool::outlook(evidence),
        pool::groups(evidence),
        tables::benchmarks(evidence),
        tables::bootstrap(evidence).filter(|_| !is_pool && !is_weighted),
        places.as_ref().map(|places| places.sheet(evidence)),
        ranks.as_ref().map(|ranks| tables::ranks(evidence, ranks)),
        tables::budgets(evidence),
        tables::crossings(evidence),
    ];
    let sheets: Vec<Sheet> = sheets.into_iter().flatten().collect();
    let answer = answer(evidence, &versus);
    let facts = facts(evidence, &answer.sentence, &answer.caveats);
    let contents = Contents {
        pictures: &pictures,
        sheets: &sheets,
        measures: measures.as_ref(),
    };
    let page = Report {
        title: title(evidence),
        subtitle: format!("FIESTA report, {}", evidence.options.date),
        answer,
        sections: contents.sections(&facts, evidence),
        notes: notes(evidence, &pictures, &sheets, measures.as_ref()),
        provenance: provenance(evidence),
    };
    Ok(WrittenReport {
        page,
        figures: pictures.drawn,
        tables: sheets,
        has_trials: evidence.has_trials(),
        facts,
        measures,
    })
}

/// The figures and tables that sections are made of.
struct Contents<'a> {
    pictures: &'a Pictures,
    sheets: &'a [Sheet],
    measures: Option<&'a MeasuresReport>,
}

impl Contents<'_> {
    fn sections(&self, facts: &Facts, evidence: &Evidence<'_>) -> Vec<Section> {
        let has_trials = evidence.has_trials();
        let belief = self.section("How the belief came about", &["belief"], None);
        let arms = self.section(
            "The arms",
            &["search", "arms", "benchmarks", "means", "scores"],
            None,
        );
        let drawn = self.pictures.find("ranks").cloned().map(Block::Figure);
        let table = { self.table("ranks") }
            .map(|table| Block::Details("Average ranks".to_owned(), vec![table]));
        let ranks = drawn.into_iter().chain(table);
        let pairs = self.section(
            "Arm against arm",
            &["against-best", "pairs", "places"],
            ranks,
        );
        let heading = "Expected best against budget";
        let by_budget = ["tuning", "tuning-time", "tuning-cost"];
        let of_budgets = ["best-of-n", "budgets", "crossings"];
        let curves = self.section(heading, &[by_budget, of_budgets].concat(), None);
        let heading = "How often a budget finds the best arm";
        let success = self.section(heading, &["success"], None);
        // Evaluations of one model on many splits are no trials of which the best is kept.
        let (curves, folded) = match curves {
            Some(curves) if !has_trials => {
                let summary =
                    "Expected best against budget, if these were trials of hyperparameters";
                (
                    None,
                    Some(Block::Details(summary.to_owned(), curves.blocks)),
                )
            }
            curves => (curves, None),
        };
        let details = [
            (
                "Mean, median and interquartile mean with intervals",
                "bootstrap",
            ),
            ("Distribution functions", "distributions"),
            ("Performance profile", "profile"),
        ];
        let details = details.into_iter().filter_map(|(summary, file)| {
            Some(Block::Details(summary.to_owned(), vec![self.block(file)?]))
        });
        let more = Self::of_blocks("More about the scores", details.chain(folded));
        let checklist = Checklist::new(Form::ShowYourWork, facts, has_trials);
        let lead = format!(
            "The checklist of “Show Your Work” (Dodge et al. 2019): {} The forms of ACL and NeurIPS are beside this page, in checklist-acl.md and checklist-neurips.md.",
            checklist.counts()
        );
        let again: Vec<String> = [Fact::Repeating, Fact::Software, Fact::Budget]
            .into_iter()
            .filter_map(|fact| Some(sentence(facts.get(fact)?)))
            .collect();
        let again = (!again.is_empty()).then(|| Block::Text(again.join(" ")));
        let mut lead = Section::new("Checklist").block(Block::Text(lead));
        lead.blocks.extend(again);
        let checklist = lead.block(Block::Checklist(checklist));
        let discordant = Self::of_blocks("The items that decide", pool::discordant(evidence));
        let outlook = Self::outlook(evidence)
            .into_iter()
            .chain(self.table("outlook"));
        let further = if evidence.pool.is_some() {
            "answers"
        } else {
            "evaluations"
        };
        let outlook = Self::of_blocks(&format!("What further {further} would buy"), outlook);
        let groups = self.section("By group", &["groups"], None);
        let order = if evidence.is_search() {
            vec![curves, arms, belief, pairs, success, more]
        } else if evidence.pool.is_some() {
            vec![arms, outlook, discordant, pairs, groups, belief, success]
        } else {
            vec![belief, outlook, arms, pairs, curves, success, more]
        };
        let found = self
            .measures()
            .into_iter()
            .chain(order.into_iter().flatten());
        found.chain([checklist]).collect()
    }

    /// Returns the section about measures, if they were asked for.
    fn measures(&self) -> Option<Section> {
        let measures = self.measures?;
        let said = Block::Text(sentence(&measures.sentence()));
        let shown = self.pictures.find("pareto").cloned().map(Block::Figure);
        let blocks = [Some(said), shown, self.table("measures")];
        Self::of_blocks(measures.heading(), blocks.into_iter().flatten())
    }

    /// Returns a section of those figures and tables with these names that exist, followed by more
    /// blocks. `None` without any block.
    fn section(
        &self,
        heading: &str,
        files: &[&str],
        more: impl IntoIterator<Item = Block>,
    ) -> Option<Section> {
        let blocks = files.iter().filter_map(|file| self.block(file));
        Self::of_blocks(heading, blocks.chain(more))
    }

    /// Returns a section of these blocks; none if there are none.
    fn of_blocks(heading: &str, blocks: impl IntoIterator<Item = Block>) -> Option<Section> {
        let blocks: Vec<Block> = blocks.into_iter().collect();
        let heading = heading.to_owned();
        (!blocks.is_empty()).then_some(Section { heading, blocks })
    }

    /// Says how many more answers or evaluations would settle the question, and what that rests on.
    fn outlook(evidence: &Evidence<'_>) -> Option<Block> {
        let of_pool = || {
            let outlook = evidence.pool.as_ref()?.report.outlook.as_ref()?;
            Some([outlook.sentence(), outlook.method()])
        };
        let of_splits = || {
            let outlook = evidence.belief.known.as_ref().ok()?.outlook.as_ref()?;
            Some([outlook.sentence(), outlook.method()])
        };
        let [outlook, method] = of_pool().or_else(of_splits)?;
        let (outlook, method) = (sentence(&outlook), sentence(&method));
        Some(Block::Text(format!("{outlook} {method}")))
    }

    /// Returns the figure with this name, or else the table.
    fn block(&self, file: &str) -> Option<Block> {
        let figure = self.pictures.find(file).cloned();
        figure.map(Block::Figure).or_else(|| self.table(file))
    }

    fn table(&self, file: &str) -> Option<Block> {
        let sheet = self.sheets.iter().find(|sheet| sheet.file == file)?;
        Some(Block::Table(sheet.shown.clone()))
    }
}

/// Compares the best arm with every other arm, in the order of the table of arms.
fn versus(evidence: &Evidence<'_>) -> Result<Vec<Versus>, AnalysisError> {
    let Some((best, sample)) = evidence
        .best()
        .and_then(|best| Some((best, evidence.samples[best].as_ref()?)))
    else {
        return Ok(Vec::new());
    };
    let others = evidence
        .table
        .ranked()
        .into_iter()
        .filter(|&arm| arm != best);
    let compared = others.filter_map(|arm| {
        let other = evidence.samples[arm].as_ref()?;
        let name = &evidence.evaluations.arms[arm].name;
        let confidence = evidence.options.confidence;
        let (direction, bootstrap) = (evidence.input.direction, &evidence.bootstrap);
        let mut row = Versus::new(name, sample, other, direction, confidence, bootstrap);
        if let Ok(row) = &mut row {
            row.of_posterior = evidence.difference(best, arm);
            row.anytime = evidence.anytime_difference(best, arm);
        }
        Some(row)
    });
    Ok(compared.collect::<Result<_, _>>()?)
}

/// The ranks over full blocks, if there are any and every arm has a score.
fn ranks(evidence: &Evidence<'_>) -> Result<Option<Ranks>, AnalysisError> {
    let samples: Option<Vec<Sample>> = evidence.samples.iter().cloned().collect();
    let Some(samples) = samples else {
        return Ok(None);
    };
    Ok(Ranks::new(
        &samples,
        evidence.input.direction,
        evidence.options.confidence,
    )?)
}

fn title(evidence: &Evidence<'_>) -> String {
    let study = evidence.input.study.as_ref();
    study.map_or_else(|| evidence.input.title.clone(), |study| study.name.clone())
}

fn provenance(evidence: &Evidence<'_>) -> Vec<(String, String)> {
    let program = format!("FIESTA {}", env!("CARGO_PKG_VERSION"));
    let mut rows = vec![
        ("Program", program),
        ("Made on", evidence.options.date.clone()),
        ("From", evidence.input.source.clone()),
        ("Metric", evidence.target()),
    ];
    if let Some(study) = &evidence.input.study {
        rows.push(("Study", study.background.digest.clone()));
        rows.push(("Seed", study.background.seed.to_string()));
        rows.push(("Policy", study.policy.clone()));
        rows.push(("Splits", study.design.name().to_owned()));
    }
    rows.push(("Posterior", evidence.belief.posterior.clone()));
    let rows = rows.into_iter();
    rows.map(|(label, value)| (label.to_owned(), value))
        .collect()
}
