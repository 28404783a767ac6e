"""`AdamW` against PyTorch's, and the question that lets an optimizer take steps."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR

from course_lib.checking.questions import OptimizerSteps, decode_questions, encode_questions
from course_lib.components import AdamW
from course_lib.experiments import recorded

CLOSE = {"rtol": 0, "atol": 1e-10}
SETTINGS = {"lr": 0.1, "betas": (0.8, 0.95), "eps": 1e-3, "weight_decay": 0.3}


def moved(kind: type[torch.optim.Optimizer]) -> tuple[list[nn.Parameter], nn.Parameter]:
    """Return two groups' parameters after ten steps with a schedule, and one that never had a gradient."""
    generator = torch.Generator().manual_seed(0)

    def some(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    parameters = [nn.Parameter(some(3, 4)), nn.Parameter(some(5)), nn.Parameter(some(1))]
    unused = nn.Parameter(some(2))
    groups = [{"params": [*parameters[:2], unused]}, {"params": parameters[2:], "weight_decay": 0.0}]
    optimizer = kind(groups, **SETTINGS)
    scheduler = LambdaLR(optimizer, lambda step: 1 / (step + 1))
    for step in range(10):
        optimizer.zero_grad()
        for number, parameter in enumerate(parameters):
            if (step + number) % 4:  # each misses other steps, the first parameter the very first
                parameter.grad = some(*parameter.shape)
        optimizer.step()
        scheduler.step()
    return parameters, unused


def test_ten_steps_are_torchs_to_1e_10() -> None:
    (ours, unused), (theirs, theirs_unused) = moved(AdamW), moved(torch.optim.AdamW)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, **CLOSE)
    assert torch.equal(unused, theirs_unused)


def test_the_defaults_are_torchs() -> None:
    parameter = nn.Parameter(torch.zeros(1))
    theirs = torch.optim.AdamW([parameter]).defaults
    assert AdamW([parameter]).defaults.items() <= theirs.items()


def test_an_l2_penalty_in_adam_is_something_else() -> None:
    (ours, _), (theirs, _) = moved(AdamW), moved(torch.optim.Adam)
    assert float((ours[0] - theirs[0]).detach().abs().max()) > 0.01


def steps(**more: object) -> OptimizerSteps:
    weight, gradient = torch.tensor([2.0]).double(), torch.tensor([4.0]).double()
    calls = [{"w": gradient}, {}, {"w": -gradient}]
    return OptimizerSteps("three", {"lr": 0.5, "weight_decay": 0.1}, {"w": weight}, calls, returns=["w"], **more)


def test_the_question_sets_gradients_and_rates_and_reads_the_parameters_after_each_step() -> None:
    def descent(parameters: list[nn.Parameter], lr: float, weight_decay: float) -> torch.optim.Optimizer:
        return torch.optim.SGD(parameters, lr=lr)

    calls = steps(rates=[0.5, 0.25, 0.125])(descent)["calls"]
    assert [call["w"].item() for call in calls] == [0.0, 0.0, 0.5]


def test_a_card_shows_all_that_a_step_depends_on() -> None:
    asked = steps(rates=[0.5, 0.25, 0.125])
    assert list(asked.inputs[0]) == ["lr", "weight_decay", "w.grad"]
    assert list(asked.inputs[2]) == [
        "lr", "weight_decay", "lr at step 1", "w.grad at step 1", "lr at step 2", "lr at step 3", "w.grad at step 3",
    ]  # fmt: skip


def test_the_question_is_stored_and_read_again() -> None:
    tensors: dict[str, Tensor] = {}
    asked = steps(groups=2)
    (again,) = decode_questions(encode_questions([asked], tensors), tensors)
    first, second = (question(torch.optim.AdamW)["calls"] for question in (asked, again))
    assert [call["w"] for call in first] == [call["w"] for call in second]


def test_a_penalty_shrinks_rare_words_most_and_a_decay_all_alike() -> None:
    decay, penalty = (recorded("09_training")["norms_kept"][name] for name in ("decay", "penalty"))
    assert penalty.high[0] < 0.9 * penalty.low[-1], "the answer to the prediction is c on every seed"
    assert min(decay.low) == decay.low[2] > 0.9, "the text names the lowest share"
