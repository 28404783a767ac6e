"""Matchers of mistakes in lesson 06."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from course_lib.checking.answers import Answers, same_answer
from course_lib.checking.closeness import close
from course_lib.checking.matchers.registry import matcher
from course_lib.checking.questions import Construction, Question
from course_lib.checking.values import arrays, pick


@matcher
def starts_otherwise_each_time(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise parameters that are initialised with varying numbers; once weights are loaded, everything is right."""
    new = [name for name, question in questions.items() if isinstance(question, Construction)]
    if not all(name in answers and (name in new or same_answer(answers[name], reference[name])) for name in reference):
        return False
    started = [tensor for name in new for _, tensor in arrays(dict(answers[name].values))]
    return any(len(set(torch.as_tensor(tensor).flatten().tolist())) > 1 for tensor in started)


@matcher
def another_share_is_dropped(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise a wrong dropout rate: the constructed rate and results in training differ; everything else is right."""
    wrong = {name for name, right in reference.items() if name not in answers or not same_answer(answers[name], right)}
    tried = {name for name, q in questions.items() if isinstance(q, Construction) or q.in_training}
    as_made = {name for name in tried if isinstance(questions[name], Construction)}
    return bool(wrong & as_made and wrong - as_made) and wrong <= tried and not any(answers[n].error for n in wrong)


@matcher
def eps_never_changes(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise an ε that ignores the argument: one value explains each token of `nearly_equal` and `other_eps`."""
    found: list[Tensor] = []
    for name in ("nearly_equal", "other_eps"):
        question = questions[name]
        ours = pick(dict(answers[name].values), "calls/0/output") if name in answers else None
        x, gamma, beta = question.inputs[0]["x"].double(), question.parameters["gamma"], question.parameters["beta"]
        if not isinstance(ours, Tensor) or ours.shape != x.shape or not bool((gamma != 0).all()):
            return False
        off = torch.sub(x, x.mean(-1, True))
        normalised = (ours.double() - beta) / gamma
        shrink = (normalised * off).sum(dim=-1) / off.square().sum(dim=-1)
        if not close(normalised, shrink.unsqueeze(-1) * off):
            return False
        found.append((shrink**-2 - off.square().mean(dim=-1)).flatten())
    fixed = found[0].median()
    return (
        1e-14 < float(fixed) < 1e-2
        and bool(((found[0] - fixed).abs() < 1e-3 * fixed).all())
        and bool(((found[1] - fixed).abs() < 1e-5).all())
    )
