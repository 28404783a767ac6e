"""Generating whole sentences: which clause, and what it is joined to."""

from __future__ import annotations

from course_lib.corpus.function_words import IDIOMS, PRONOUNS, REASONS
from course_lib.corpus.states import MOODS, StateDrawer
from course_lib.corpus.tree import Clause, NounPhrase, Person, Sentence
from course_lib.corpus.verbs import BE, FRAMES, HAVE

_AND, _BUT, _BECAUSE = (", and", ", et"), (", but", ", mais"), ("because", "parce que")
_INTRANSITIVE = [frame for frame in FRAMES if not frame.objects]
_TRANSITIVE = [frame for frame in FRAMES if frame.objects]


class SentenceDrawer(StateDrawer):
    """Generates whole sentences."""

    def sentence(self) -> Sentence:
        """Generate one sentence of any length: the caller keeps those of the length it wants."""
        self.forget()
        sentence = Sentence(self.mark(), [], [], ".")
        joined = self.random() < self.shape.joined
        self.tense = self.random() < 0.45 if joined else None
        first = self.clause(alone=not joined)
        sentence.clauses.append(first)
        if first.question:
            sentence.end = "?"
            return sentence
        if not joined:
            reason = self._reason(first) if self.random() < 0.25 else None
            if reason:
                sentence.clauses.append(reason)
                sentence.conjunctions.append(_BECAUSE)
        while joined and len(sentence.clauses) < self.shape.clauses:
            sentence.clauses.append(self.clause(alone=False))
            turned = any(conjunction is _BUT for conjunction in sentence.conjunctions)
            sentence.conjunctions.append(_AND if turned else self.pick((_AND, _AND, _BUT)))
            joined = self.random() < self.shape.joined
        return sentence

    def clause(self, alone: bool) -> Clause:
        """Generate a main clause; ``alone``: it may be a question."""
        question = alone and self.random() < 0.13
        draw = self.random()
        if draw < 0.30:
            return self.verbal(self.pick(_INTRANSITIVE), question)
        if draw < 0.70:
            return self.verbal(self.pick(_TRANSITIVE), question)
        if draw < 0.83:
            return self.described(question)
        if draw < 0.88:
            return self.located(question)
        if draw < 0.93 and not self.tense:
            return self.there(question)
        if draw < 0.97:
            return self.idiom(question)
        return self.weather()

    def _reason(self, clause: Clause) -> Clause | None:
        """Add "… because she is tired", about the subject of the clause before, if a pronoun can name it."""
        subject = clause.subject
        if isinstance(subject, Person):
            pronoun = subject.pronoun
        elif isinstance(subject, NounPhrase) and not subject.number and {"person", "name"} & subject.noun.kinds:
            pronoun = PRONOUNS[3 if subject.feminine else 2]
        else:
            return None
        if pronoun not in PRONOUNS or clause.time or clause.question:
            return None
        if clause.verb.base not in REASONS or clause.negation or clause.modal or clause.manner:
            return None
        again = self.person(pronoun)
        mark, past = self.mark(), clause.past
        why = self.pick(REASONS[clause.verb.base])
        if why in MOODS:
            adjective = next(a for a in self.of_people if a.english == why)
            reason = Clause(mark, again, BE, BE.french[0], past)
            reason.predicate = adjective, self.word(adjective.french)
        else:
            reason = Clause(mark, again, HAVE, HAVE.french[0], past)
            reason.idiom = why, next(french[0] for english, french in IDIOMS if english == why)
        return reason
