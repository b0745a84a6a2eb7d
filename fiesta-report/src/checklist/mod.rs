//! Checklists for papers, filled in as far as results tell.
//!
//! What a ledger or a file of results knows is a set of [`Facts`]; a [`Form`] asks for some of them
//! under its own numbers; the [`Checklist`] says of each question what is known and what is
//! missing, and never passes over one in silence. The wording of the questions is ours: the forms
//! themselves stand in "Show Your Work" (Dodge et al., EMNLP 2019, Text Box 1), at
//! <https://2021.aclweb.org/calls/reproducibility-checklist>,
//! <https://aclrollingreview.org/responsibleNLPresearch/> and
//! <https://neurips.cc/public/guides/PaperChecklist>.

mod fact;
mod form;

pub(crate) use fact::{Fact, Facts};
pub(crate) use form::Form;

use crate::{
    table::{legible, markdown_text},
    words::one_or_more,
};
use std::fmt::Write;

/// A form, with an answer to each of its questions or the word that it is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checklist {
    form: Form,
    sections: Vec<(&'static str, Vec<Item>)>,
    /// Whether trials of hyperparameters were made, of which some sections are.
    has_trials: bool,
}

/// Questions under a heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Questions<'a> {
    /// Heading of the questions.
    pub(crate) heading: &'static str,
    /// Questions under the heading.
    pub(crate) items: &'a [Item],
}

/// Question of a form, and what is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// Number of the question in the form.
    pub(crate) number: &'static str,
    /// The question, in our words.
    pub(crate) question: &'static str,
    /// Facts that are known.
    pub(crate) known: Vec<String>,
    /// Advice on what to add; empty if nothing is missing.
    pub(crate) missing: Vec<&'static str>,
}

impl Item {
    /// Returns whether the question is answered in full.
    pub(crate) fn is_answered(&self) -> bool {
        self.missing.is_empty()
    }
}

impl Checklist {
    /// Fills in a form. Without trials of hyperparameters, questions of a search ask for nothing.
    pub(crate) fn new(form: Form, facts: &Facts, has_trials: bool) -> Self {
        let item = |question: &form::Question| {
            let known = question.facts.iter().filter_map(|&fact| facts.get(fact));
            let lacking = question.facts.iter();
            let lacking = lacking.filter(|&&fact| !facts.is_whole(fact));
            let mut missing: Vec<&'static str> = lacking.map(|fact| fact.advice()).collect();
            if question.facts.is_empty() {
                missing.push("only the authors know");
            }
            Item {
                number: question.number,
                question: question.text,
                known: known.map(ToOwned::to_owned).collect(),
                missing,
            }
        };
        let section = |section: &form::Section| {
            let items = section.questions.iter().map(item).collect();
            (section.heading, items)
        };
        Self {
            form,
            sections: form.sections().iter().map(section).collect(),
            has_trials,
        }
    }

    /// Returns the sections that ask for something of this experiment.
    pub(crate) fn asked(&self) -> Vec<Questions<'_>> {
        self.parts(|heading| self.has_trials || !of_search(heading))
    }

    /// Returns the sections about a search over hyperparameters. Empty if a search was made: they are
    /// then among the others.
    pub(crate) fn folded(&self) -> Vec<Questions<'_>> {
        self.parts(|heading| !self.has_trials && of_search(heading))
    }

    fn parts(&self, wanted: impl Fn(&str) -> bool) -> Vec<Questions<'_>> {
        let sections = self.sections.iter().filter(|(heading, _)| wanted(heading));
        let parts = sections.map(|(heading, items)| Questions { heading, items });
        parts.collect()
    }

    /// Returns what the authors have to add, each once, in the order in which it is asked.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        let mut missing: Vec<&'static str> = Vec::new();
        for advice in self
            .asked()
            .iter()
            .flat_map(|part| part.items)
            .flat_map(|item| &item.missing)
        {
            if !missing.contains(advice) {
                missing.push(advice);
            }
        }
        missing
    }

    /// Returns the headings of the form, each with its questions.
    pub(crate) fn sections(&self) -> impl Iterator<Item = (&'static str, &[Item])> {
        let sections = self.sections.iter();
        sections.map(|(heading, items)| (*heading, items.as_slice()))
    }

    /// Returns how many questions there are of this experiment.
    pub(crate) fn questions(&self) -> usize {
        self.asked().iter().map(|part| part.items.len()).sum()
    }

    /// Returns how many questions are answered in full.
    pub(crate) fn answered(&self) -> usize {
        let asked = self.asked();
        let items = asked.iter().flat_map(|part| part.items);
        items.filter(|item| item.is_answered()).count()
    }

    /// Tells how many questions are answered, in full and in part, of how many, and how many are
    /// about a search that was not made.
    pub(crate) fn counts(&self) -> String {
        let (answered, questions) = (self.answered(), self.questions());
        let asked = self.asked();
        let items = asked.iter().flat_map(|part| part.items);
        let in_part = items.filter(|item| !item.is_answered() && !item.known.is_empty());
        format!(
            "{answered} of {questions} questions are answered from the results, {} in part; the others need the authors.{}",
            in_part.count(),
            self.not_counted()
        )
    }

    /// Says how many questions are of a search that was not made; empty without any.
    fn not_counted(&self) -> String {
        let folded: usize = self.folded().iter().map(|part| part.items.len()).sum();
        match folded {
            0 => String::new(),
            more => format!(
                " {more} more {} about a search over hyperparameters, of which there was none.",
                one_or_more(more, "is", "are")
            ),
        }
    }

    /// Returns a Markdown list of tasks, with the questions that are answered ticked.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!(
            "# {}\n\n{} of {} questions are answered from the results; the others need the authors.{} The wording of the questions is not the form's own.\n",
            self.form.title(),
            self.answered(),
            self.questions(),
            self.not_counted()
        );
        for (heading, items) in self.sections() {
            let _ = write!(text, "\n## {heading}\n\n");
            if !self.has_trials && of_search(heading) {
                text += "Not counted above: no hyperparameters were tried in this study.\n\n";
            }
            for item in items {
                let tick = if item.is_answered() { 'x' } else { ' ' };
                let known = item
                    .known
                    .iter()
                    .map(|known| markdown_text(&legible(known)));
                let missing = item.missing.iter();
                let missing = missing.map(|advice| format!("*missing* ({advice})"));
                let answers: Vec<String> = known.chain(missing).collect();
                let colon = if item.question.ends_with('?') {
                    ""
                } else {
                    ":"
                };
                let _ = writeln!(
                    text,
                    "- [{tick}] **{}** {}{colon} {}",
                    item.number,
                    item.question,
                    answers.join("; ")
                );
            }
        }
        text
    }
}

/// Whether questions under a heading are of a search over hyperparameters.
fn of_search(heading: &str) -> bool {
    heading.contains("search over hyperparameters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_in_part_is_not_answered() {
        let mut facts = Facts::default();
        facts.know(Fact::Infrastructure, "4 GPUs");
        facts.know(Fact::Budget, "12 h");
        facts.know(Fact::Statistics, "in the table");
        facts.know_in_part(Fact::Trials, "61, others by hand");
        let checklist = Checklist::new(Form::AclResponsible, &facts, true);
        let items = || checklist.sections().flat_map(|(_, items)| items);
        let c1 = items().find(|item| item.number == "C1").unwrap();
        assert_eq!(c1.known, ["12 h", "4 GPUs"]);
        assert_eq!(c1.missing, [Fact::Parameters.advice()]);
        assert!(!c1.is_answered());
        let c3 = items().find(|item| item.number == "C3").unwrap();
        assert_eq!((c3.known.len(), c3.missing.len()), (2, 1));
        assert!(checklist.markdown().contains("- [ ] **C3** "));
        assert_eq!(checklist.answered(), 0);
        assert!(checklist.markdown().contains("- [ ] **C1** "));
    }

    /// Tests that every question that is listed is in one of the numbers above the list.
    #[test]
    fn the_counts_are_of_what_is_listed() {
        let mut facts = Facts::default();
        facts.know(Fact::Infrastructure, "4 GPUs");
        facts.know_in_part(Fact::Budget, "12 h, without preliminary work");
        for form in Form::ALL {
            let checklist = Checklist::new(form, &facts, false);
            let text = checklist.markdown();
            let listed = text.matches("\n- [").count();
            let folded: usize = checklist.folded().iter().map(|of| of.items.len()).sum();
            assert_eq!(listed, checklist.questions() + folded);
            assert_eq!(
                text.contains(&format!(" {folded} more are")),
                folded > 1,
                "{text}"
            );
            assert_eq!(text.contains("Not counted above"), folded > 0);
            let in_part = checklist.asked();
            let in_part = in_part.iter().flat_map(|part| part.items);
            let in_part = in_part.filter(|item| !item.is_answered() && !item.known.is_empty());
            assert!(
                checklist
                    .counts()
                    .contains(&format!("{} in part", in_part.count()))
            );
        }
    }

    /// Tests the numbers of the questions: Text Box 1 and its number of questions; the two sections
    /// of ACL and NeurIPS by their own numbers, none twice.
    #[test]
    fn every_question_has_its_number() {
        let counts = Form::ALL.map(|form| {
            let checklist = Checklist::new(form, &Facts::default(), true);
            let numbers = checklist.sections().flat_map(|(_, items)| items);
            let mut numbers: Vec<&str> = numbers.map(|item| item.number).collect();
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), checklist.questions());
            assert_eq!(checklist.answered(), 0);
            numbers.len()
        });
        assert_eq!(counts, [12, 18, 18, 16]);
    }

    #[test]
    fn facts_are_text() {
        let mut facts = Facts::default();
        facts.know(Fact::Code, "<script>alert(1)</script>\n- [x] **9**");
        let text = Checklist::new(Form::ShowYourWork, &facts, true).markdown();
        assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;\u{fffd}- \\[x\\] \\*\\*9"));
    }

    #[test]
    fn the_example_of_module() {
        use fiesta_report::checklist::{Checklist, Fact, Facts, Form};
        let mut facts = Facts::default();
        facts.know(Fact::Infrastructure, "one machine with 8 cores");
        let checklist = Checklist::new(Form::ShowYourWork, &facts, true);
        assert_eq!((checklist.answered(), checklist.questions()), (1, 12));
        let text = checklist.markdown();
        assert!(
            text.contains("- [x] **1** Which machines did the computing: one machine with 8 cores")
        );
        assert!(text.contains("- [ ] **3** How many parameters each model has: *missing*"));
    }
}
