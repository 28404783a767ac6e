"""Writing a tree in French: agreement, the position of adjectives, negation around the verb, the passé composé."""

from __future__ import annotations

from course_lib.corpus import tree
from course_lib.corpus.french_surface import surface, vowel_sound
from course_lib.corpus.function_words import DETERMINERS, MODALS, QUESTIONS, THERE, UNDER_NEGATION
from course_lib.corpus.tree import Clause, Group, Line, Nominal, NounPhrase, Person, Sentence
from course_lib.corpus.verbs import AUXILIARIES, BE
from course_lib.corpus.words import FrenchAdjective


def write_french(sentence: Sentence) -> Line:
    """Return the French words of a sentence with their marks."""
    line: Line = []
    for i, clause in enumerate(sentence.clauses):
        if i:
            _put(line, sentence.conjunctions[i - 1][1], sentence.mark << i)
        _clause(clause, line)
    line.append((sentence.end, sentence.mark))
    return surface(line)


def _put(line: Line, phrase: str, mark: int) -> None:
    if " " in phrase:
        line.extend((word, mark) for word in phrase.split())
    else:
        line.append((phrase, mark))


def _clause(clause: Clause, line: Line) -> None:
    mark = clause.mark
    inverted = clause.question == "where" and clause.verb is BE
    if clause.question and clause.question != "who":
        if clause.question == "what":
            line.append(("que", mark * tree.ASKED))
            _put(line, "est-ce que", mark * (tree.ASKED | tree.QUESTION))
        else:
            if clause.question != "yes":
                line.append((QUESTIONS[clause.question], mark * tree.ASKED))
            if not inverted:
                _put(line, "est-ce que", mark * tree.QUESTION)
    if clause.gap != "subject" and not inverted:
        nominal(clause.subject, line)
    _verb(clause, line)
    if inverted:
        nominal(clause.subject, line)
    _rest(clause, line)


def _verb(clause: Clause, line: Line) -> None:
    """Write the verb with what goes before it and into it: *ne l'a jamais bien vue*."""
    mark, french, subject = clause.mark, clause.french, clause.subject
    compound = clause.past and not french.imperfect
    clitic = isinstance(clause.object, Person) and clause.gap != "object"
    if clause.negation:
        line.append(("ne", mark * tree.NEGATION))
    if clitic and not clause.modal:
        _clitic(clause, line)
    person = subject.person
    if isinstance(subject, Person) and subject.pronoun is THERE:
        line.append(("y", subject.mark))
        person = subject.pronoun.person
    if clause.modal:
        line.append((MODALS[clause.modal][person], mark * tree.AUXILIARY))
    elif compound:
        line.append((AUXILIARIES[french.etre][person], mark * (tree.AUXILIARY | tree.VERB)))
    else:
        tense = french.imperfect if clause.past else french.present
        line.append((tense[person], mark * (tree.AUXILIARY | tree.VERB)))
    if clause.negation:
        line.append(("jamais" if clause.negation == "never" else "pas", mark * tree.NEGATION))
    if clause.frequency:
        line.append((clause.frequency[1], mark * tree.ADVERB))
    if clause.manner and clause.manner[2]:
        line.append((clause.manner[1], mark * tree.ADVERB))
    if clause.modal:
        if clitic:
            _clitic(clause, line)
        line.append((french.infinitive, mark * tree.VERB))
    elif compound:
        agrees = subject if french.etre else clause.object if clitic or clause.gap == "object" else None
        feminine, number = (agrees.feminine, agrees.number) if agrees else (False, 0)
        line.append((french.participle[feminine][number], mark * tree.VERB))


def _clitic(clause: Clause, line: Line) -> None:
    assert isinstance(clause.object, Person)
    line.append((clause.object.pronoun.object_french, clause.object.mark))


def _rest(clause: Clause, line: Line) -> None:
    mark = clause.mark
    if clause.french.preposition:
        said = tree.PARTICLE if clause.verb.particle else tree.VERB
        line.append((clause.french.preposition, mark * said))
    if clause.object is not None and clause.gap != "object" and not isinstance(clause.object, Person):
        direct = not clause.french.preposition
        nominal(clause.object, line, clause.negation if direct else "")
    if clause.predicate:
        subject = clause.subject
        line.append((clause.predicate[1].forms[subject.feminine][subject.number], mark * tree.PREDICATE))
    if clause.idiom:
        line.append((clause.idiom[1], mark * tree.PREDICATE))
    if clause.recipient:
        line.append(("à", mark * tree.PREDICATE))
        nominal(clause.recipient, line)
    if clause.manner and not clause.manner[2]:
        line.append((clause.manner[1], mark * tree.ADVERB))
    for adjunct in clause.adjuncts:
        _put(line, adjunct.french, adjunct.mark)
        nominal(adjunct.phrase, line)
    if clause.time:
        _put(line, clause.time[1], mark * tree.TIME)


def nominal(node: Nominal, line: Line, negation: str = "") -> None:
    """Write a pronoun, a noun phrase or a group of them."""
    if isinstance(node, Person):
        line.append((node.pronoun.french, node.mark))
    elif isinstance(node, NounPhrase):
        _noun_phrase(node, line, negation)
    else:
        _group(node, line)


def _group(group: Group, line: Line) -> None:
    for i, part in enumerate(group.parts):
        if i:
            line.append((group.conjunction[1], group.mark << i))
        _noun_phrase(part, line, "")


def _determiner(phrase: NounPhrase, negation: str) -> str:
    determiner = "the" if phrase.possessor else phrase.determiner
    if not determiner:
        return ""
    if negation and determiner in UNDER_NEGATION:
        return "de"
    if determiner == "some" and phrase.number and phrase.adjectives and phrase.adjectives[0][1].precedes:
        return "de"  # de beaux livres
    forms = DETERMINERS[determiner][1]
    return forms[2] if phrase.number else forms[phrase.feminine]


def _noun_phrase(phrase: NounPhrase, line: Line, negation: str) -> None:
    mark, number, feminine = phrase.mark, phrase.number, phrase.feminine
    determiner = _determiner(phrase, negation)
    if determiner:
        possessed = tree.LINK if phrase.possessor else 0
        _put(line, determiner, mark * (tree.DETERMINER | possessed))
    if phrase.count:
        line.append((phrase.count[1], mark * tree.COUNT))
    noun = phrase.french.forms[number]
    before, after = _adjectives(phrase)
    for i, (french, bit) in enumerate(before):
        follower = before[i + 1][0].forms[feminine][number] if i + 1 < len(before) else noun
        form = french.forms[feminine][number]
        if not number and not feminine and vowel_sound(follower):
            form = french.before_vowel
        line.append((form, mark * bit))
    line.append((noun, mark))
    for french, bit in after:
        line.append((french.forms[feminine][number], mark * bit))
    if phrase.complement:
        line.append(("de", mark * tree.LINK))
        _noun_phrase(phrase.complement, line, "")
    if phrase.possessor:
        line.append(("de", mark * tree.LINK))
        _noun_phrase(phrase.possessor, line, "")
    if phrase.relative:
        line.append(("qui" if phrase.relative.gap == "subject" else "que", mark * tree.RELATIVE))
        _clause(phrase.relative, line)


def _adjectives(phrase: NounPhrase) -> tuple[list[tuple[FrenchAdjective, int]], list[tuple[FrenchAdjective, int]]]:
    """Return the adjectives before the noun and those after it, each with its bit."""
    before: list[tuple[FrenchAdjective, int]] = []
    after: list[tuple[FrenchAdjective, int]] = []
    bit = tree.FIRST
    for _, french in phrase.adjectives:
        (before if french.precedes else after).append((french, bit))
        bit <<= 1
    return before, after
