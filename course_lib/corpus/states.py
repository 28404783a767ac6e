"""Generating clauses with *to be*: how something is, its place, its existence, and the weather."""

from __future__ import annotations

from course_lib.corpus.adjectives import ADJECTIVES, SCALES
from course_lib.corpus.choices import Choices
from course_lib.corpus.clauses import ClauseDrawer
from course_lib.corpus.function_words import IDIOMS, IT, NUMBERS, THERE, WEATHER, YEARS
from course_lib.corpus.nouns import NOUNS
from course_lib.corpus.scenes import BEINGS, FOUND, PEOPLE, THINGS, TOWNS, WHEN, YOUNG, whereabouts
from course_lib.corpus.shapes import Shape
from course_lib.corpus.tree import Adjunct, Clause, Group, Nominal, NounPhrase
from course_lib.corpus.verbs import BE, DO, HAVE, RAIN, SNOW
from course_lib.corpus.words import Noun, Verb

#: states of a moment, which go with *today* and *because*
MOODS = frozenset({"tired", "sad", "sick", "happy"})
#: adjectives that say which one, not how it is (*nouveau*; a thing would be *neuf*)
NEVER_SAID = frozenset({"right", "left", "new"})


class StateDrawer(ClauseDrawer):
    """Generates clauses with *to be*."""

    def __init__(self, seed: int, choices: Choices, shape: Shape, synonyms: bool) -> None:
        super().__init__(seed, choices, shape, synonyms)
        self.fitting = {
            a: [n for n in NOUNS if a in choices.adjectives[n]] for a in ADJECTIVES if a.english not in NEVER_SAID
        }
        self.predicates = [a for a in self.fitting if self.fitting[a]]
        self.of_people = [a for a in self.predicates if "person" in a.kinds]

    def _be(self, subject: Nominal, verb: Verb, question: bool) -> Clause:
        past = self.is_past(0.35)
        clause = Clause(self.mark(), subject, verb, verb.french[0], past)
        if question:
            clause.question = "yes"
        elif self.random() < 0.14:
            clause.negation = "not"
        return clause

    def described(self, question: bool) -> Clause:
        """Generate a clause like *the apple is red*."""
        people = self.random() < 0.45
        adjective = self.pick(self.of_people if people else self.predicates)
        nouns = self.fitting[adjective]
        subject = self.subject(nouns, True) if people else self._thing(nouns)
        parts = subject.parts if isinstance(subject, Group) else [subject]
        for part in parts:
            if isinstance(part, NounPhrase) and part.noun.kinds.isdisjoint({"name"}):
                if any(SCALES[a.english] == SCALES[adjective.english] for a, _ in part.adjectives):
                    for cleared, _ in part.adjectives:  # no *rich man* is also *poor*
                        self.combinations.remove((cleared.key, part.noun.key))
                    part.adjectives.clear()
                self.combinations.append((adjective.key, part.noun.key))
        clause = self._be(subject, BE, question)
        clause.predicate = adjective, self.word(adjective.french)
        if adjective.english in MOODS and self.random() < 0.2:
            english, french = self.pick(WHEN["was" if clause.past else "now"])
            clause.time = english, self.word(french)
        return clause

    def _thing(self, nouns: list[Noun]) -> Nominal:
        if len(nouns) > 1 and self.random() < self.shape.group:
            return self.grouped(nouns, "topic")
        return self.related(self.noun_phrase(self.pick(nouns), "topic"), 0)

    def located(self, question: bool) -> Clause:
        """Generate a clause like *the key is on the table* or *where is the key?*."""
        nouns = self.pick((BEINGS, THINGS))
        if question:
            clause = self._be(self._thing(nouns), BE, True)
            clause.question = "where"
            return clause
        clause = self._be(self.subject(nouns, True), BE, False)
        first = clause.subject.parts[0] if isinstance(clause.subject, Group) else clause.subject
        clause.adjuncts.append(self.place(whereabouts(first.noun if isinstance(first, NounPhrase) else None)))
        return clause

    def there(self, question: bool) -> Clause:
        """Generate a clause like *there is a cat in the garden*."""
        negative = not question and self.random() < 0.2
        noun = self.pick(FOUND)
        phrase = self.noun_phrase(noun, "none" if negative else "owned")
        subject = self.person(THERE)
        subject.person = phrase.person
        clause = Clause(self.mark(), subject, BE, HAVE.french[0], object=phrase)
        clause.negation = "no" if negative else ""
        clause.question = "yes" if question else ""
        clause.adjuncts.append(self.place(whereabouts(noun)))
        return clause

    def idiom(self, question: bool) -> Clause:
        """Generate a clause like *she is hungry* or *she is ten years old*."""
        aged = self.random() < 0.25
        clause = self._be(self.subject(YOUNG if aged else PEOPLE, True), HAVE, question)
        if aged:
            years = NounPhrase(self.mark(), YEARS, YEARS.french[0], 1, 4, False, "", self.pick(NUMBERS))
            clause.object = years
        else:
            english, french = self.pick(IDIOMS)
            clause.idiom = english, self.word(french)
        return clause

    def weather(self) -> Clause:
        """Generate a clause like *it rains* or *it is cold*."""
        subject = self.person(IT)
        if self.random() < 0.5:
            clause = self._be(subject, DO, False)
            clause.idiom = self.pick(WEATHER)
        else:
            verb = self.pick((RAIN, SNOW))
            clause = Clause(self.mark(), subject, verb, verb.french[0], self.is_past(0.4))
            clause.negation = "not" if self.random() < 0.2 else ""
        if self.random() < 0.4:
            kind = "was" if clause.past else "now" if clause.idiom else "present"
            english, french = self.pick(WHEN[kind])
            clause.time = english, self.word(french)
        elif self.random() < 0.2:
            clause.adjuncts.append(Adjunct(self.mark(), "in", "dans", self.noun_phrase(self.pick(TOWNS), "place")))
        return clause
