"""Writing a tree in English: do-support, agreement, *a* and *an*, separated particles."""

from __future__ import annotations

from course_lib.corpus import tree
from course_lib.corpus.function_words import DETERMINERS, UNDER_NEGATION, WHO
from course_lib.corpus.tree import Clause, Group, Line, Nominal, NounPhrase, Person, Sentence

#: by person: i, you, he, we, they
_BE = (("am", "are", "is", "are", "are"), ("was", "were", "was", "were", "were"))


def write_english(sentence: Sentence) -> Line:
    """Return the English words of a sentence with their marks."""
    line: Line = []
    for i, clause in enumerate(sentence.clauses):
        if i:
            _put(line, sentence.conjunctions[i - 1][0], sentence.mark << i)
        _clause(clause, line)
    line.append((sentence.end, sentence.mark))
    return _articles(line)


def _articles(line: Line) -> Line:
    """Turn *a* into *an* before a vowel."""
    for i, (word, mark) in enumerate(line):
        if word == "a" and line[i + 1][0][0] in "aeiou":
            line[i] = ("an", mark)
    return line


def _put(line: Line, phrase: str, mark: int) -> None:
    if " " in phrase:
        line.extend((word, mark) for word in phrase.split())
    else:
        line.append((phrase, mark))


def _finite(clause: Clause) -> tuple[str, str]:
    """Return the auxiliary, if any, and the rest of the verb: ``("does", "eat")``, ``("", "eats")``, ``("is", "")``."""
    verb, person = clause.verb, clause.subject.person
    if clause.modal:
        return clause.modal, verb.base
    if verb.base == "be":
        return _BE[clause.past][person], ""
    if clause.negation == "not" or (clause.question and clause.question != "who"):
        return "did" if clause.past else "does" if person == 2 else "do", verb.base
    return "", verb.past if clause.past else verb.third if person == 2 else verb.base


def _clause(clause: Clause, line: Line) -> None:
    mark = clause.mark
    auxiliary, main = _finite(clause)
    be = not main
    asked = bool(clause.question) and clause.question != "who"
    auxiliary_mark = mark * ((tree.VERB if be else tree.AUXILIARY) | (tree.QUESTION if asked else 0))
    if asked and clause.question != "yes":
        line.append((clause.question, mark * tree.ASKED))
    if asked:
        line.append((auxiliary, auxiliary_mark))
    if clause.gap != "subject":
        nominal(clause.subject, line)
    if clause.negation == "not" and auxiliary == "can":
        line.append(("cannot", auxiliary_mark | mark * tree.NEGATION))
    else:
        if auxiliary and not asked:
            line.append((auxiliary, auxiliary_mark))
        if clause.negation in ("not", "never"):
            line.append((clause.negation, mark * tree.NEGATION))
    if clause.frequency:
        line.append((clause.frequency[0], mark * tree.ADVERB))
    if main:
        line.append((main, mark * tree.VERB))
        if clause.verb.particle:
            said = tree.PARTICLE if clause.french.preposition else tree.VERB
            line.append((clause.verb.particle, mark * said))
    _rest(clause, line)


def _rest(clause: Clause, line: Line) -> None:
    mark = clause.mark
    if clause.object is not None and clause.gap != "object":
        if isinstance(clause.object, Person):
            line.append((clause.object.pronoun.object_english, clause.object.mark))
        else:
            start = len(line)
            nominal(clause.object, line, clause.negation)
            if clause.negation == "no":
                line[start] = "no", line[start][1] | mark * tree.NEGATION
    if clause.predicate:
        line.append((clause.predicate[0].english, mark * tree.PREDICATE))
    if clause.idiom:
        line.append((clause.idiom[0], mark * tree.PREDICATE))
    if clause.recipient:
        line.append(("to", mark * tree.PREDICATE))
        nominal(clause.recipient, line)
    if clause.manner:
        line.append((clause.manner[0], mark * tree.ADVERB))
    for adjunct in clause.adjuncts:
        _put(line, adjunct.english, adjunct.mark)
        nominal(adjunct.phrase, line)
    if clause.time:
        _put(line, clause.time[0], mark * tree.TIME)


def nominal(node: Nominal, line: Line, negation: str = "") -> None:
    """Write a pronoun, a noun phrase or a group of them."""
    if isinstance(node, Person):
        line.append((node.pronoun.english, node.mark))
    elif isinstance(node, NounPhrase):
        _noun_phrase(node, line, negation)
    else:
        _group(node, line)


def _group(group: Group, line: Line) -> None:
    for i, part in enumerate(group.parts):
        if i:
            line.append((group.conjunction[0], group.mark << i))
        _noun_phrase(part, line, "")


def _noun_phrase(phrase: NounPhrase, line: Line, negation: str) -> None:
    mark, determiner = phrase.mark, phrase.determiner
    if phrase.possessor:
        _noun_phrase(phrase.possessor, line, "")
        line.append(("'s", mark * tree.LINK))
    elif determiner:
        if negation:
            determiner = UNDER_NEGATION.get(determiner, determiner)
        word = "any" if determiner == "any" else DETERMINERS[determiner][0][phrase.number]
        line.append((word, mark * tree.DETERMINER))
    if phrase.count:
        line.append((phrase.count[0], mark * tree.COUNT))
    bit = tree.FIRST
    for adjective, _ in phrase.adjectives:
        line.append((adjective.english, mark * bit))
        bit <<= 1
    _put(line, phrase.noun.forms[phrase.number], mark)
    if phrase.complement:
        line.append(("of", mark * tree.LINK))
        _noun_phrase(phrase.complement, line, "")
    if phrase.relative:
        who = phrase.relative.gap == "subject" and "person" in phrase.noun.kinds
        line.append((WHO.english if who else "that", mark * tree.RELATIVE))
        _clause(phrase.relative, line)
