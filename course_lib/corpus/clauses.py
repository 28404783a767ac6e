"""Generating clauses around a verb: who does what to whom, where, when and how."""

from __future__ import annotations

from course_lib.corpus.choices import Choices
from course_lib.corpus.function_words import FREQUENCY, MANNER, PRONOUNS, WHO
from course_lib.corpus.phrases import OWN, PhraseDrawer
from course_lib.corpus.scenes import PEOPLE, WHEN, Place, of, whereabouts
from course_lib.corpus.shapes import Shape
from course_lib.corpus.tree import Adjunct, Clause, Group, Nominal, NounPhrase, Person
from course_lib.corpus.words import Frame, Noun, Verb

_AND, _OR = ("and", "et"), ("or", "ou")
_ANIMALS = of("beast", "bird")


class ClauseDrawer(PhraseDrawer):
    """Generates clauses with a verb, and the relative clauses in them."""

    def __init__(self, seed: int, choices: Choices, shape: Shape, synonyms: bool) -> None:
        super().__init__(seed, choices, shape, synonyms)
        #: the tense of joined clauses; None if each has its own
        self.tense: bool | None = None

    def is_past(self, chance: float, level: int = 0) -> bool:
        """Choose whether a verb is in the past. Coordinated clauses share a tense; relative clauses choose theirs."""
        drawn = self.random() < chance
        return drawn if level or self.tense is None else self.tense

    def subject(self, nouns: list[Noun], definite: bool, level: int = 0) -> Nominal:
        """Choose a subject: a person or thing, or a pronoun or a name if it may be a person."""
        draw = self.random()
        if "person" in nouns[0].kinds:
            if draw < 0.45:
                return self.pronoun()
            if draw < 0.55:
                return self.name()
        role = "topic" if definite else "subject"
        if level:  # relatives nest only to the right: "the cat that the dog that i saw bit ran" is unreadable
            return self.noun_phrase(self.pick(nouns), role)
        if len(nouns) > 1 and self.random() < self.shape.group:
            return self.grouped(nouns, role)
        return self.related(self.noun_phrase(self.pick(nouns), role), 0)

    def grouped(self, nouns: list[Noun], role: str, either: bool = False) -> Group | NounPhrase:
        """Join two phrases by *and* or *or*; return one if no second was found."""
        group = self.group(nouns, role, _OR if either else _AND)
        return group if len(group.parts) > 1 else group.parts[0]

    def related(self, phrase: NounPhrase, level: int) -> NounPhrase:
        """Add a relative clause at random."""
        if level >= self.shape.deepest or phrase.possessor or phrase.complement or phrase.determiner == "no":
            return phrase
        if self.random() >= self.shape.relative:
            return phrase
        if phrase.determiner in OWN:
            phrase.determiner = "the"  # "my cat that sleeps" would mean that one has several
        does, undergoes = self.choices.does[phrase.noun], self.choices.undergoes[phrase.noun]
        if undergoes and (not does or self.random() < 0.5):
            frame = self.pick(undergoes)
            phrase.relative = self.verbal(frame, False, level + 1, antecedent=phrase, gap="object")
            self.combinations.append((frame.verb.key, phrase.noun.key))
        elif does:
            phrase.relative = self.verbal(self.pick(does), False, level + 1, antecedent=phrase, gap="subject")
        if phrase.relative:
            self.deepest = max(self.deepest, level + 1)
        return phrase

    def _object(self, clause: Clause, frame: Frame, level: int) -> Nominal:
        nouns = self.choices.objects[frame]
        prepositional = bool(clause.french.preposition)
        if not prepositional and not clause.question and "person" in frame.objects and self.random() < 0.12:
            subject = clause.subject
            mine = subject.person in (0, 3), subject.person == 1
            options = [p for p in PRONOUNS if (p.person in (0, 3), p.person == 1) != mine or p.person in (2, 4)]
            return self.person(self.pick(options))
        liked = frame.verb.base in ("like", "love")
        role = (
            "topic" if liked else "negated" if clause.negation else "owned" if frame.verb.base == "have" else "object"
        )
        if prepositional:
            role = "recipient" if "person" in frame.objects else "place"
        elif not clause.negation and len(nouns) > 1 and self.random() < self.shape.group:
            group = self.grouped(nouns, role, either=self.random() < 0.3)
            for part in group.parts if isinstance(group, Group) else [group]:
                self._note(frame.verb, part.noun)
            return group
        phrase = self.noun_phrase(self.pick(nouns), role)
        self._note(frame.verb, phrase.noun)
        return phrase if clause.negation or "to" in frame.verb.extras else self.related(phrase, level)

    def _note(self, verb: Verb, noun: Noun) -> None:
        self.combinations.append((verb.key, noun.key))

    def verbal(
        self, frame: Frame, question: bool, level: int = 0, antecedent: NounPhrase | None = None, gap: str = ""
    ) -> Clause:
        """Generate a clause with a verb; with an antecedent, a relative clause at this level without its ``gap``."""
        verb, mark = frame.verb, self.mark()
        french = self.word(verb.french)
        past = bool(verb.past) and self.is_past(0.45, level)
        negation = ""
        if not question and self.random() < (0.06 if gap else 0.14):
            negation = "not" if french.imperfect or self.random() < 0.75 else "never"
        subjects = self.choices.subjects[frame]
        subject: Nominal
        if gap == "subject" and antecedent:
            subject = antecedent
        elif question and "person" in subjects[0].kinds and self.random() < 0.25:
            subject = self.person(WHO)
        else:
            subject = self.subject(subjects, bool(negation or question or gap), level)
        clause = Clause(mark, subject, verb, french, past, negation, gap=gap)
        if question:
            clause.question = "who" if isinstance(subject, Person) and subject.pronoun is WHO else "yes"
        if not past and not french.imperfect and self.random() < 0.08:
            clause.modal = self.pick(("can", "must"))
        if gap == "object":
            clause.object = antecedent
        elif frame.objects:
            asked = clause.question == "yes" and "person" not in frame.objects and "to" not in verb.extras
            if asked and not french.preposition and self.random() < 0.2:
                clause.question = "what"
            else:
                clause.object = self._object(clause, frame, level)
        if "to" in verb.extras:
            clause.recipient = self._recipient()
        self._around(clause)
        return clause

    def _recipient(self) -> NounPhrase:
        if self.random() < 0.25:
            return self.name()
        return self.noun_phrase(self.pick(PEOPLE), "recipient", plain=True)

    def _around(self, clause: Clause) -> None:
        """Add adverbs, places, times, and the question words that ask for them."""
        extras = clause.verb.extras
        if isinstance(clause.object, NounPhrase) and clause.object.relative and not clause.gap:
            return  # what follows a relative clause would seem to belong to it
        busy = bool(clause.modal or clause.negation or clause.question)
        lone = clause.object is None and not clause.gap
        manners = [name for name in MANNER if name in extras]
        if manners and not clause.modal and self.random() < 0.22:
            name = self.pick(manners)
            clause.manner = name, self.word(MANNER[name][0]), MANNER[name][1]
        elif not busy and not clause.french.imperfect and self.random() < 0.08:
            name = self.pick(tuple(FREQUENCY))
            clause.frequency = name, self.word(FREQUENCY[name])
        if "needs_place" in extras or ("place" in extras and self.random() < (0.2 if lone else 0.1)):
            with_workspace = "spot" in extras and self.random() < 0.25
            noun = clause.subject.noun if isinstance(clause.subject, NounPhrase) else None
            clause.adjuncts.append(self.place(whereabouts(noun, with_workspace)))
        elif "like" in extras and lone and not busy and not clause.manner and self.random() < 0.12:
            clause.adjuncts.append(self._like())
        if "time" in extras and not clause.gap and not clause.frequency and self.random() < 0.15:
            clause.time = self._time(clause)
        if clause.question == "yes" and "time" in extras and not clause.modal and self.random() < 0.3:
            asks = ["why"]
            asks += [] if clause.time or clause.verb.base == "have" else ["when"]
            asks += ["where"] if "place" in extras and not clause.adjuncts else []
            clause.question = self.pick(asks)

    def _time(self, clause: Clause) -> tuple[str, str] | None:
        if clause.negation == "never":
            kind = "" if clause.past else "never"
        elif clause.modal:
            kind = "now"
        else:
            kind = "past" if clause.past else "present"
        if not kind:
            return None
        english, french = self.pick(WHEN[kind])
        return english, self.word(french)

    def place(self, places: list[Place]) -> Adjunct:
        """Choose a place."""
        english, french, nouns = self.pick(places)
        return Adjunct(self.mark(), english, french, self.noun_phrase(self.pick(nouns), "place"))

    def _like(self) -> Adjunct:
        noun = self.pick(_ANIMALS)
        french = self.word(noun.french)
        phrase = NounPhrase(self.mark(), noun, french, 0, 2, french.feminine, "a")
        return Adjunct(self.mark(), "like", "comme", phrase)
