"""Exercise `rotary_embedding`: pairs of features, turned by the angle of their position."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equally_alike_at_equal_gaps, equals_reference, inputs_unchanged, keeps_dtype


def _question(name: str, x: Tensor, positions: Tensor, upstream: Tensor | None = None) -> Question:
    asked = {"arguments": {"x": x, "positions": positions}, "returns": ["turned"]}
    return Question(name, probes.call, asked if upstream is None else {**asked, "upstream": {"turned": upstream}})


def ask(draw: Draw) -> Iterator[Question]:
    """One pair for paper, then two; heads; positions in any order and far away; one vector; a transposed view; float32."""
    pairs = torch.tensor([[2.0, 0.0], [1.0, 1.0]]) + draw.tensor(2, 2, scale=0.3).round(decimals=1)
    yield _question("one_pair", pairs, torch.tensor(draw.shuffled(range(1, 7))[:2]))
    yield _question("by_hand", draw.tensor(3, 4).round(decimals=1), torch.arange(3))
    b, h, t = draw.sizes(3)
    width, other = draw.shuffled((8, 10, 12))[:2]
    yield _question("at_the_start", draw.tensor(b, width), torch.zeros(b, dtype=torch.long))
    yield _question("sentence", draw.tensor(b, t, width), torch.arange(t))
    yield _question("heads", draw.tensor(b, h, t, other), torch.arange(t))
    yield _question("anywhere", draw.tensor(b, t, width), torch.tensor(draw.shuffled(range(1, 60))[:t]))
    yield _question("far", draw.tensor(h, width), 100 + torch.tensor(draw.shuffled(range(100))[:h]))
    yield _question("one_vector", draw.tensor(b, h, 1, other), torch.tensor([draw.shuffled(range(3, 20))[0]]))
    yield _question("transposed", draw.tensor(b, t, h, width).transpose(1, 2), torch.arange(t))
    yield _question("same_vector", draw.tensor(1, width).expand(9, width).contiguous(), torch.arange(9))
    yield _question("gradients", draw.tensor(t, other), torch.arange(t), upstream=draw.tensor(t, other))
    yield _question("single", draw.tensor(b, t, width).float(), torch.arange(t))
    yield _question("double", draw.tensor(2, 6), torch.arange(2))


TURNED = {"fields": ["turned"]}

LAWS = (
    Law("one_pair", equals_reference, "one_pair", "two vectors of a single pair come out right", 0.5, TURNED),
    Law("equals_by_hand", equals_reference, "by_hand", "three vectors of two pairs come out right", 0.5, TURNED),
    Law("at_the_start", equals_reference, "at_the_start", "at position 0 nothing turns", 0.25, TURNED),
    Law("sentence", equals_reference, "sentence", "a batch of sentences comes out right", 0.5, TURNED),
    Law("heads", equals_reference, "heads", "a batch of heads (B, H, T, D) comes out right", 0.25, TURNED, also=("transposed", "one_vector")),
    Law("anywhere", equals_reference, "anywhere", "positions that start anywhere and stand in any order come out right", 0.5, TURNED),
    Law("far", equals_reference, "far", "positions from 100 to 200 come out right", 0.25, TURNED),
    Law("equal_distances", equally_alike_at_equal_gaps, "same_vector", "one vector at many positions: equal distances, equal dot products", 0.25,
        {"field": "turned"}, needs="sentence"),
    Law("gradients", equals_reference, "gradients", "the gradient of `x` is right", 0.5, {"fields": ["gradients/x"]}),
    Law("inputs_unchanged", inputs_unchanged, "sentence", "`x` and the positions are left as they were", 0.25, needs="sentence"),
    Law("keeps_dtype", keeps_dtype, "single", "float32 in, float32 out; float64 in, float64 out", 0.25, TURNED, needs="sentence", also=("double",)),
)  # fmt: skip

EXPONENTS = "(-torch.arange(0, width, 2, dtype=x.dtype) / width)"
FREQUENCIES = f"10_000.0 ** {EXPONENTS}"
POSITIONS = "positions.unsqueeze(-1)"
ANGLES = f"{POSITIONS} * frequencies"
WAVES = "cos, sin = torch.cos(angles), torch.sin(angles)"
PAIRS = "first, second = x[..., 0::2], x[..., 1::2]"
FIRST, SECOND = "first * cos - second * sin", "first * sin + second * cos"
STACK = f"torch.stack([{FIRST}, {SECOND}], dim=-1)"
RETURN = "return turned.flatten(-2)"


def angles_laid_out_for_halves(x, positions):
    width = x.size(-1)
    angles = positions.unsqueeze(-1) * 10_000.0 ** (-torch.arange(0, width, 2, dtype=x.dtype) / width)
    angles = torch.cat([angles, angles], dim=-1)
    crossed = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * torch.cos(angles) + crossed * torch.sin(angles)


def as_many_angles_as_features(x, positions):
    width = x.size(-1)
    angles = positions.unsqueeze(-1) * 10_000.0 ** (-torch.arange(width, dtype=x.dtype) / width)
    crossed = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * torch.cos(angles) + crossed * torch.sin(angles)


MISTAKES = (
    # how far
    mistake(
        "one_speed_for_all",
        "All your pairs turn equally fast, by t radians. Only the first pair should: pair i turns by t / 10000^(2i/D).",
        (
            "Print the angles of position 1. How many different ones are there?",
            "What distinguishes one pair from the next in the formula?",
            "One frequency for each pair: `10_000.0 ** (-torch.arange(0, width, 2) / width)`.",
        ),
        (FREQUENCIES, "torch.ones(width // 2, dtype=x.dtype)"),
        group="speed",
    ),
    mistake(
        "index_not_doubled",
        "Your exponent is i/D for pair i, half of 2i/D: your frequencies fall half as fast. (A base of 100 does just the same.)",
        (
            "Print your frequencies. How many pairs are there, and how far does the exponent get?",
            "i numbers the *pairs*, and there are D/2 of them. Which factor is missing?",
            "The exponents are 2i/D: `torch.arange(0, width, 2) / width`.",
        ),
        (EXPONENTS, "(-torch.arange(width // 2, dtype=x.dtype) / width)"),
        group="speed",
    ),
    mistake(
        "numbered_from_1",
        "Your pairs are numbered from 1, so the first of them turns too slowly: by 10000^(−2/D) radians per position, where it should be 1.",
        (
            "By how much does your first pair turn from one position to the next?",
            "In 10000^(2i/D), what is i for the first two features?",
            "Start at i = 0: `torch.arange(0, width, 2) / width`.",
        ),
        (EXPONENTS, "(-torch.arange(2, width + 2, 2, dtype=x.dtype) / width)"),
        group="speed",
    ),
    mistake(
        "index_doubled_twice",
        "Your exponent is 4i/D: `arange(0, D, 2)` holds 2i already, and you double it once more. Your frequencies fall twice as fast.",
        (
            "Print your frequencies. How far below 1/10,000 is the last?",
            "Which numbers does `torch.arange(0, width, 2)` hold: i, or 2i?",
            "Divide them as they are: `torch.arange(0, width, 2) / width`.",
        ),
        (EXPONENTS, "(-2 * torch.arange(0, width, 2, dtype=x.dtype) / width)"),
        group="speed",
    ),
    mistake(
        "slowest_first",
        "Your first pair is the slowest and your last the fastest. In the formula it is the other way round.",
        (
            "Which of your pairs turns most from position 0 to position 1?",
            "For i = 0, what is 10000^(2i/D)?",
            "Leave the frequencies in the order of `torch.arange(0, width, 2)`.",
        ),
        (FREQUENCIES, f"({FREQUENCIES}).flip(0)"),
        group="speed",
    ),
    mistake(
        "frequencies_grow",
        "Your later pairs turn faster and faster: you *multiply* the position by 10000^(2i/D), where it should be divided by it.",
        (
            "What is the largest of your frequencies, and what should it be?",
            "Look at the sign of your exponent, or at the operator between position and power.",
            "`10_000.0 ** (-torch.arange(0, width, 2) / width)`.",
        ),
        (EXPONENTS, "(torch.arange(0, width, 2, dtype=x.dtype) / width)"),
        group="speed",
    ),
    mistake(
        "base_1000",
        "Your base is 1000, where it should be 10,000.",
        (
            "What is your slowest frequency, and what is 10000^(−(D − 2)/D)?",
            "Count the zeros of your base.",
            "`10_000.0`: Python reads the underscore as nothing.",
        ),
        ("10_000.0 **", "1_000.0 **"),
        group="base",
    ),
    mistake(
        "degrees",
        "You take the angles for degrees and convert them. They are in radians already, so your pairs turn 57 times too slowly.",
        (
            "What is cos(1) in radians, and what is yours at position 1?",
            "Which unit do `torch.sin` and `torch.cos` expect, and in which is t / 10000^(2i/D)?",
            "Leave out the conversion.",
        ),
        (ANGLES, f"torch.deg2rad({ANGLES})"),
        group="base",
    ),
    # by which position
    mistake(
        "positions_ignored",
        "You count the rows, 0, 1, 2, …, and never read `positions`.",
        (
            "Turn one vector at position 5. Does it come out as it does at position 0?",
            "Which of the two arguments do you never use?",
            "The angles are `positions.unsqueeze(-1) * frequencies`.",
        ),
        (POSITIONS, "torch.arange(x.size(-2)).unsqueeze(-1)"),
        group="position",
    ),
    mistake(
        "positions_from_1",
        "You add 1 to the positions, so a vector at position 0 is turned already.",
        (
            "What comes out at position 0, and what went in?",
            "By which angle should a pair at position 0 be turned?",
            "Use `positions` as they are.",
        ),
        (POSITIONS, "(positions + 1).unsqueeze(-1)"),
        group="position",
    ),
    mistake(
        "counted_from_the_first",
        "You count from the first of the positions: a text that starts at position 100 is turned as if it started at 0.",
        (
            "Turn one vector at position 5. Does it come out as it does at position 0?",
            "What do you subtract from the positions?",
            "Use `positions` as they are.",
        ),
        (POSITIONS, "(positions - positions[0]).unsqueeze(-1)"),
        group="position",
    ),
    mistake(
        "one_turn_for_all",
        "You turn all vectors by the angle of the *last* position.",
        (
            "Give the same vector three times, at positions 0, 1 and 2. Do three different vectors come back?",
            "Your angles have one row. How many should they have?",
            "`positions.unsqueeze(-1) * frequencies` has a row for each position: (T, D/2).",
        ),
        (POSITIONS, "positions[-1:].unsqueeze(-1)"),
        group="position",
    ),
    # what is turned, and where to
    mistake(
        "clockwise",
        "You turn the other way: clockwise. If queries and keys both do so, a score still depends on their distance alone, but a key before the query scores as one after it should.",
        (
            "Turn (1, 0) by a small angle on paper. Does its second number grow or fall?",
            "Which of the two sines has a minus in front?",
            "`first * cos - second * sin` and `first * sin + second * cos`.",
        ),
        (FIRST, "first * cos + second * sin"),
        (SECOND, "second * cos - first * sin"),
        group="turn",
    ),
    mistake(
        "minus_lost",
        "You add both products in both numbers. Without the minus it isn't a rotation, and norms change.",
        (
            "Take the norm of a pair before and after. Is it the same?",
            "Turn (0, 1) by a small angle on paper. Which sign does its first number get?",
            "The first number is `first * cos - second * sin`.",
        ),
        (FIRST, "first * cos + second * sin"),
        group="turn",
    ),
    mistake(
        "minus_in_both",
        "You subtract in both numbers. Then it isn't a rotation: even at position 0, where nothing should turn, the second number changes its sign.",
        (
            "At position 0, what should come out? What does?",
            "Turn (1, 0) by a small angle on paper. Which sign does its second number get?",
            "The second number is `first * sin + second * cos`.",
        ),
        (SECOND, "first * sin - second * cos"),
        group="turn",
    ),
    mistake(
        "sine_and_cosine_swapped",
        "You have sine and cosine the wrong way round, so that at position 0 each pair is turned by a quarter already.",
        (
            "What comes out at position 0, and what went in?",
            "At the angle 0, which of sine and cosine is 1?",
            "`first * cos - second * sin`, with `cos = torch.cos(angles)`.",
        ),
        (WAVES, "cos, sin = torch.sin(angles), torch.cos(angles)"),
        group="turn",
    ),
    mistake(
        "second_number_left",
        "Only the first number of each pair changes; the second stays as it was.",
        (
            "Compare the odd features before and after.",
            "How many numbers of a pair change when it is turned?",
            "The second number is `first * sin + second * cos`.",
        ),
        (SECOND, "second"),
        group="turn",
    ),
    mistake(
        "new_first_in_the_second",
        "You compute the second number of each pair from the *new* first one. Both should be made of the old pair.",
        (
            "Turn (1, 1) on paper, and compare with what your code does line by line.",
            "When the line of the second number runs, has the first one changed already?",
            "Keep the old numbers: `first, second = x[..., 0::2], x[..., 1::2]`, and write into a new tensor.",
        ),
        (SECOND, f"({FIRST}) * sin + second * cos"),
        group="turn",
    ),
    mistake(
        "sinusoids_added",
        "You add sine and cosine to the features, as lesson 05 does with words. Here they turn the features, and nothing is added.",
        (
            "Give a vector of zeros. What comes back, and what should?",
            "Which operation turns a pair?",
            "`first * cos - second * sin` and `first * sin + second * cos`.",
        ),
        (FIRST, "first + sin"),
        (SECOND, "second + cos"),
        group=ALONE,
    ),
    mistake(
        "features_scaled",
        "You multiply each pair by (cos, sin). That scales its two numbers; it doesn't turn them.",
        (
            "Take the norm of a pair before and after. Is it the same?",
            "How many products does each of the two new numbers have?",
            "`first * cos - second * sin` and `first * sin + second * cos`.",
        ),
        (FIRST, "first * cos"),
        (SECOND, "second * sin"),
        group="turn",
    ),
    # which features belong together
    mistake(
        "halves_are_pairs",
        "Your pairs are feature i and feature i + D/2, one from each half. Here they are neighbours, 2i and 2i + 1. (LLaMA's code does it your way, and learns just as well.)",
        (
            "Turn the vector 1, 0, 0, 0 at position 1. Which two features should be other than 0?",
            "Which features do you take for `first`, and which for `second`?",
            "`x[..., 0::2]` and `x[..., 1::2]`, put together with `torch.stack(..., dim=-1).flatten(-2)`.",
        ),
        (PAIRS, "first, second = x.chunk(2, dim=-1)"),
        (STACK, STACK.replace("stack", "cat")),
        (RETURN, "return turned"),
        group="layout",
    ),
    mistake(
        "angles_in_halves",
        "Your pairs are neighbours, and your angles are laid out for halves: feature j gets the angle of pair j, and then they start again. So the two numbers of a pair are turned by different angles.",
        (
            "Print the angles of position 1, feature by feature. Do features 0 and 1 share one?",
            "`torch.cat([angles, angles])` repeats the whole row. How should it be repeated for neighbours?",
            "`angles.repeat_interleave(2, dim=-1)`.",
        ),
        source=angles_laid_out_for_halves,
        group=ALONE,
    ),
    mistake(
        "an_angle_for_each_feature",
        "Each of your features has a frequency of its own. The two numbers of a pair must share one, or nothing is turned.",
        (
            "Take the norm of a pair before and after. Is it the same?",
            "How many different angles do you have for a width of 8, and how many pairs?",
            "D/2 frequencies, `torch.arange(0, width, 2) / width`, each for both numbers of a pair.",
        ),
        source=as_many_angles_as_features,
        group=ALONE,
    ),
    mistake(
        "result_in_halves",
        "You return all first numbers, then all second ones. They should alternate again, as they did in `x`.",
        (
            "At position 0, what should come out? What does?",
            "How do you put the turned numbers together: one block after the other, or alternating?",
            "`torch.stack([...], dim=-1).flatten(-2)` alternates; `torch.cat` doesn't.",
        ),
        (STACK, STACK.replace("stack", "cat")),
        (RETURN, "return turned"),
        group="layout",
    ),
    mistake(
        "taken_in_halves",
        "You take the pairs from the two halves of a vector and put them back as neighbours.",
        (
            "At position 0, what should come out? What does?",
            "Which features do you take for `first`, and where do you put them?",
            "`first, second = x[..., 0::2], x[..., 1::2]`.",
        ),
        (PAIRS, "first, second = x.chunk(2, dim=-1)"),
        group="layout",
    ),
    # the form
    mistake(
        "changed_in_place",
        "Your numbers are right, but you have changed `x` itself: whoever uses it next reads turned vectors.",
        (
            "Print `x` before the call and after it.",
            "Into which tensor do you write?",
            "Make a new tensor, or write into `x.clone()`.",
        ),
        (RETURN, "with torch.no_grad():\n        x.copy_(turned.flatten(-2))\n    return turned.flatten(-2)"),
        group="form",
    ),
    mistake(
        "always_double",
        "You always return float64. Queries in float32 then meet keys that are not, and the next layer refuses them.",
        (
            "What is the `dtype` of what you return for a float32 `x`?",
            "In which line does float64 come in?",
            "Make the frequencies with `dtype=x.dtype`.",
        ),
        (RETURN, "return turned.flatten(-2).double()"),
        group="form",
    ),
    mistake(
        "always_single",
        "You always return float32, whatever `x` is. Digits are lost, and float64 queries meet keys that are not.",
        (
            "What is the `dtype` of what you return for a float64 `x`?",
            "In which line does float32 come in? Look for `.float()`, and for a tensor made without `dtype=x.dtype`.",
            "Turn the result back with `.to(x.dtype)`, or never leave it.",
        ),
        (RETURN, "return turned.flatten(-2).float()"),
        group="form",
    ),
)  # fmt: skip


def complex_numbers(x, positions):
    freqs = 1.0 / 10000 ** (torch.arange(0, x.shape[-1], 2).to(x.dtype) / x.shape[-1])
    angles = torch.outer(positions.to(x.dtype), freqs)
    turn = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(pairs * turn).flatten(-2)


def rotate_neighbours(x, positions):
    theta = torch.pow(10000.0, -torch.arange(0, x.size(-1), 2, dtype=x.dtype) / x.size(-1)).repeat_interleave(2)
    angles = positions[:, None].to(x.dtype) * theta
    crossed = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).reshape(x.shape)
    return x * angles.cos() + crossed * angles.sin()


def into_an_empty_tensor(x, positions):
    d = x.shape[-1]
    out = torch.empty_like(x)
    for i in range(d // 2):
        angle = positions / 10000 ** (2 * i / d)
        c, s = torch.cos(angle).to(x.dtype), torch.sin(angle).to(x.dtype)
        a, b = x[..., 2 * i], x[..., 2 * i + 1]
        out[..., 2 * i] = a * c - b * s
        out[..., 2 * i + 1] = a * s + b * c
    return out


def two_by_two_matrices(x, positions):
    i = torch.arange(x.size(-1) // 2, dtype=x.dtype)
    angles = positions.to(x.dtype)[:, None] * 10000 ** (-2 * i / x.size(-1))
    c, s = angles.cos(), angles.sin()
    matrices = torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)  # (T, D / 2, 2, 2)
    pairs = x.unflatten(-1, (-1, 2))
    return torch.einsum("tiab,...tib->...tia", matrices, pairs).flatten(-2)


def one_matrix_for_each_position(x, positions):
    d = x.size(-1)
    rows = []
    for n, t in enumerate(positions.tolist()):
        angles = [t * math.exp(-math.log(10000) * 2 * i / d) for i in range(d // 2)]
        blocks = [torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in angles]
        rows.append(x[..., n, :] @ torch.block_diag(*blocks).to(x.dtype))
    return torch.stack(rows, dim=-2)


def stub(x, positions):
    raise NotImplementedError


def as_it_is(x, positions):
    return x.clone()


def zeros(x, positions):
    return torch.zeros_like(x)


def quarter_turn(x, positions):
    return torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)


def noise(x, positions):
    return torch.randn_like(x)


ROTARY_EMBEDDING = define(
    id="rotary_embedding",
    lesson="11_relative_positions",
    place=2,
    module="course_lib.components.rotary_embedding",
    symbol="rotary_embedding",
    minutes=20,
    laws=LAWS,
    hints=(
        "Begin with a width of 2: one pair, turned by t radians. Does the table of section 4 come out?",
        "Four steps: a frequency for each pair (D/2,), angles (T, D/2), the first and the second numbers of all pairs (..., T, D/2), and the turned ones put back so that they alternate.",
        "`a, b = x[..., 0::2], x[..., 1::2]`, and with the angles `positions.unsqueeze(-1) * 10_000.0 ** (-torch.arange(0, D, 2, dtype=x.dtype) / D)`: "
        "`torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        complex_numbers, rotate_neighbours, into_an_empty_tensor, two_by_two_matrices, one_matrix_for_each_position,
    ),
    lazy=(stub, as_it_is, zeros, quarter_turn, noise),
    switches=("speed", "position", "turn", "layout"),
)  # fmt: skip


@ROTARY_EMBEDDING.second_version("halves_are_pairs")
def rotate_half(x, positions):
    d = x.size(-1)
    angles = positions.to(x.dtype)[:, None] / 10000 ** (torch.arange(0, d, 2).to(x.dtype) / d)
    angles = torch.cat([angles, angles], dim=-1)
    x1, x2 = x[..., : d // 2], x[..., d // 2 :]
    return x * angles.cos() + torch.cat([-x2, x1], dim=-1) * angles.sin()


@ROTARY_EMBEDDING.second_version("clockwise")
def conjugated(x, positions):
    d = x.shape[-1]
    angles = torch.outer(positions.to(x.dtype), 10000 ** (-torch.arange(0, d, 2).to(x.dtype) / d))
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], d // 2, 2).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), -angles)).reshape(x.shape)


@ROTARY_EMBEDDING.second_version("new_first_in_the_second")
def line_by_line(x, positions):
    d = x.size(-1)
    angles = positions.to(x.dtype)[:, None] / 10000 ** (torch.arange(0, d, 2).to(x.dtype) / d)
    y = x.clone()
    y[..., ::2] = y[..., ::2] * angles.cos() - y[..., 1::2] * angles.sin()
    y[..., 1::2] = y[..., ::2].clone() * angles.sin() + y[..., 1::2] * angles.cos()
    return y


@ROTARY_EMBEDDING.second_version("positions_ignored")
def as_long_as_x(x, positions):
    t, d = x.shape[-2:]
    theta = 10000.0 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    angles = torch.arange(t, dtype=x.dtype).outer(theta).repeat_interleave(2, dim=-1)
    crossed = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * angles.cos() + crossed * angles.sin()


@ROTARY_EMBEDDING.second_version("result_in_halves")
def stacked_on_the_wrong_axis(x, positions):
    d = x.size(-1)
    angles = positions.to(x.dtype)[:, None] / 10000 ** (torch.arange(0, d, 2).to(x.dtype) / d)
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    c, s = angles.cos(), angles.sin()
    return torch.stack([a * c - b * s, a * s + b * c], dim=-2).flatten(-2)


@ROTARY_EMBEDDING.second_version("index_not_doubled")
def half_the_exponent(x, positions):
    d = x.size(-1)
    angles = positions.to(x.dtype)[:, None] / 10000 ** (torch.arange(d // 2).to(x.dtype) / d)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1).flatten(-2)


@ROTARY_EMBEDDING.second_version("always_single")
def in_complex_singles(x, positions):
    d = x.size(-1)
    angles = torch.outer(positions.float(), 1.0 / 10000 ** (torch.arange(0, d, 2).float() / d))
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)
