"""Exercise `sinusoidal_encoding`: a vector for each position, of sines and cosines."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import torch
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equally_alike_at_equal_gaps, equals_reference, keeps_dtype
from course_lib.checking.recognisers.lesson_05 import frequencies_grow, stops_at_an_odd_width


def _question(name: str, length: int, d_model: int) -> Question:
    return Question(name, probes.call, {"arguments": {"length": length, "d_model": d_model}, "returns": ["encoding"]})


def ask(draw: Draw) -> Iterator[Question]:
    """A width of 4, whose frequencies are 1 and 1/100; wider; more positions; the first position alone; an odd width."""
    yield _question("by_hand", draw.shuffled(range(3, 9))[0], 4)
    yield _question("first_position", 1, draw.shuffled(range(6, 19, 2))[0])
    yield _question("plain", draw.shuffled((5, 6, 7, 9, 11))[0], draw.shuffled((8, 10, 12))[0])
    yield _question("longer", draw.shuffled(range(21, 31))[0], draw.shuffled((14, 16, 18))[0])
    yield _question("odd_width", draw.shuffled((4, 6, 8, 10))[0], draw.shuffled((5, 7, 9, 11))[0])


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "a few positions of width 4 come out right", 0.5,
        {"fields": ["encoding"]}),
    Law("first_position", equals_reference, "first_position", "position 0 is 0, 1, 0, 1, …", 0.25,
        {"fields": ["encoding"]}),
    Law("equals_plain", equals_reference, "plain", "a wider encoding comes out right", 0.75,
        {"fields": ["encoding"]}),
    Law("longer", equals_reference, "longer", "more positions come out right", 0.5,
        {"fields": ["encoding"]}),
    Law("odd_width", equals_reference, "odd_width", "an odd width ends in a sine without its cosine", 0.5,
        {"fields": ["encoding"]}),
    Law("equal_gaps", equally_alike_at_equal_gaps, "plain", "positions at equal gaps are equally alike", 0.25,
        {"field": "encoding"}, needs="equals_plain"),
    Law("keeps_dtype", keeps_dtype, "plain", "the encoding is of torch's default type, float32", 0.25,
        {"fields": ["encoding"]}, needs="equals_plain"),
)  # fmt: skip

POSITIONS = "torch.arange(length)"
INDEX = "torch.arange(0, d_model, 2)"
EXPONENTS = f"(-{INDEX} / d_model)"
FREQUENCIES = f"10_000.0 ** {EXPONENTS}"
ANGLES = "positions * frequencies"
EMPTY = "torch.empty(length, d_model)"
SINES = "encoding[:, 0::2] = torch.sin(angles)"
COSINES = "encoding[:, 1::2] = torch.cos(angles[:, : d_model // 2])"
RETURN = "return encoding"

#: all dimensions get a frequency of their own, cosines too
EACH_DIMENSION = (
    (SINES, "encoding[:, 0::2] = torch.sin(angles[:, 0::2])"),
    (COSINES, "encoding[:, 1::2] = torch.cos(angles[:, 1::2])"),
)


MISTAKES = (
    # the exponent
    mistake(
        "index_not_doubled",
        "Your exponent is i/D with i = 0, 1, 2, … for the pairs: only half of 2i/D. Your frequencies fall half as fast, and the slowest is near 1/100 where it should be near 1/10,000. "
        "(A base of 100 does just the same.)",
        (
            "Print your frequencies. The last should come near 1/10,000. Does it?",
            "i numbers the *pairs*, and there are D/2 of them. How far does i/D get, and how far should the exponent?",
            "The exponents are 2i/D: `torch.arange(0, d_model, 2) / d_model`.",
        ),
        (INDEX, "torch.arange((d_model + 1) // 2)"),
        group="exponent",
    ),
    mistake(
        "index_doubled_twice",
        "Your exponent is 4i/D: `arange(0, D, 2)` holds 2i already, and you double it once more. Your frequencies fall twice as fast.",
        (
            "Print your frequencies. How far below 1/10,000 is the last?",
            "Which numbers does `torch.arange(0, d_model, 2)` hold: i, or 2i?",
            "Divide them as they are: `torch.arange(0, d_model, 2) / d_model`.",
        ),
        (INDEX, f"2 * {INDEX}"),
        group="exponent",
    ),
    mistake(
        "numbered_from_1",
        "Your pairs are numbered from 1: the first frequency is 10000^(−2/D), where it should be 1. Some slides count from 1; the paper counts from 0.",
        (
            "What is the frequency of your first pair? How many positions does one turn take?",
            "In `10000^(2i/D)`, what should i be for the first two dimensions?",
            "Start at i = 0: `torch.arange(0, d_model, 2) / d_model`.",
        ),
        (INDEX, "torch.arange(2, d_model + 2, 2)"),
        group="exponent",
    ),
    mistake(
        "two_plus_index",
        "All your rows are 0, 1, 0, 1, … to five digits: no hand turns. That is what the exponent `2 + i/D` does, in which a product has become a sum.",
        (
            "Compare your first row with your last.",
            "Print your frequencies. Which is the fastest, and how many positions does one turn of it take?",
            "The exponent is 2·i/D, from 0 to nearly 1: `torch.arange(0, d_model, 2) / d_model`.",
        ),
        (EXPONENTS, "(-2 - torch.arange(1, (d_model + 1) // 2 + 1) / d_model)"),
        group=ALONE,
    ),
    mistake(
        "last_exponent_is_one",
        "Your exponents are spread from 0 to 1 with *both* ends: the slowest frequency is exactly 1/10,000. In 2i/D the exponent 1 is never reached.",
        (
            "What is your last exponent, and what is (D − 2)/D?",
            "You divide by the number of pairs less one, or use `linspace`. By what does the formula divide?",
            "`torch.arange(0, d_model, 2) / d_model`.",
        ),
        (EXPONENTS, "-torch.linspace(0, 1, (d_model + 1) // 2)"),
        group="exponent",
    ),
    mistake(
        "exponent_rounded_down",
        "All your pairs turn equally fast, one turn in 2π positions. Either integers are divided and rounded down, so that every exponent is 0, or the frequencies never reach the angles.",
        (
            "Print your exponents, then your angles at position 1.",
            "`2 * i // d_model` is 0 for every pair. Which division do you use?",
            "Divide with one slash: `torch.arange(0, d_model, 2) / d_model`.",
        ),
        (FREQUENCIES, f"10_000.0 ** -({INDEX} // d_model)"),
        group=ALONE,
    ),
    mistake(
        "slowest_first",
        "Your frequencies run from slow to fast, like a binary number as it is usually written. In the formula, the first pair is the fastest.",
        (
            "Which of your dimensions changes most from position 0 to position 1?",
            "For i = 0, what is 10000^(2i/D)?",
            "Leave the frequencies in the order of `torch.arange(0, d_model, 2)`.",
        ),
        (FREQUENCIES, f"({FREQUENCIES}).flip(0)"),
        group=ALONE,
    ),
    mistake(
        "frequency_of_each_dimension",
        "Each of your dimensions has a frequency of its own: the cosines use 2i+1 in the exponent. A sine and its cosine share one frequency; only then is a shift a rotation.",
        (
            "Square the two numbers of a pair and add them. Is the sum 1?",
            "In the formula for dimension 2i+1, which number stands in the exponent?",
            "Both use `10000^(2i/D)`: compute one angle for each pair, and take its sine and its cosine.",
        ),
        (INDEX, "torch.arange(d_model)"),
        *EACH_DIMENSION,
        group="exponent",
    ),
    mistake(
        "dimension_for_index",
        "You read i as the number of the *dimension*: the exponent is 2j/D for dimension j. The frequencies fall twice as fast, and a sine and its cosine do not share one.",
        (
            "Print the frequency of each of your dimensions. How many different ones should there be?",
            "In `PE[t, 2i]` the dimension is 2i. What, then, is i for dimension 6?",
            "Compute D/2 frequencies, with `torch.arange(0, d_model, 2) / d_model`, and use each for a sine and its cosine.",
        ),
        (INDEX, "2 * torch.arange(d_model)"),
        *EACH_DIMENSION,
        group="exponent",
    ),
    mistake(
        "exponent_not_negative",
        "Your frequencies grow: you *multiply* the position by 10000^(2i/D), where it should be divided by it. From one position to the next, such a hand goes round many times.",
        (
            "What is your largest frequency? Which is the largest in the formula?",
            "Look at the sign of your exponent, and at the operator between position and power.",
            "`positions / 10000 ** (2i / D)`, or times `10000 ** (-2i / D)`.",
        ),
        (EXPONENTS, f"({INDEX} / d_model)"),
        recogniser=frequencies_grow,
        group=ALONE,
    ),
    # the base and the unit
    mistake(
        "base_1000",
        "Your base is 1000. The formula's is 10,000.",
        (
            "What is your slowest frequency, and what is 10000^(−(D−2)/D)?",
            "Count the zeros of your base.",
            "`10_000.0`: Python reads the underscore as nothing.",
        ),
        ("10_000.0", "1_000.0"),
        group="base",
    ),
    mistake(
        "base_e",
        "Your base is e: `exp` alone knows nothing of 10,000. All your frequencies lie between 1 and 0.37.",
        (
            "What is your slowest frequency?",
            "10000^x is exp(x · something). What is missing in your exponent?",
            "`torch.exp(-math.log(10_000) * torch.arange(0, d_model, 2) / d_model)`.",
        ),
        ("10_000.0", "math.e"),
        group=ALONE,
    ),
    mistake(
        "degrees",
        "You convert your angles from degrees to radians. They are in radians already, so your hands turn 57 times too slowly.",
        (
            "What is sin(1) in radians? And at position 1, in your first dimension?",
            "Which unit do `torch.sin` and `torch.cos` expect, and in which unit is t / 10000^(2i/D)?",
            "Leave out the conversion: `torch.sin(angles)`.",
        ),
        (ANGLES, f"torch.deg2rad({ANGLES})"),
        group=ALONE,
    ),
    mistake(
        "whole_turns",
        "You multiply your angles by 2π. In the formula, position over power *is* the angle: one turn of the fastest pair takes 2π positions. Yours goes round once with every position, so it never seems to move.",
        (
            "Look at your first two dimensions. Do they change at all?",
            "Which factor of yours is not in the formula?",
            "`angles = positions * frequencies`.",
        ),
        (ANGLES, f"{ANGLES} * (2 * math.pi)"),
        group=ALONE,
    ),
    # the layout
    mistake(
        "halves_concatenated",
        "All your sines come first, then all cosines. Here they alternate: sine in the even dimensions, cosine in the odd ones. (Some models do it your way and learn just as well.)",
        (
            "What is your first row? Which should it be?",
            "How do you put sines and cosines together: one block after the other, or alternating?",
            "`encoding[:, 0::2] = sines` and `encoding[:, 1::2] = cosines`.",
        ),
        (SINES, SINES.replace("0::2", ": (d_model + 1) // 2")),
        (COSINES, COSINES.replace("1::2", "(d_model + 1) // 2 :")),
        group="layout",
    ),
    mistake(
        "sine_and_cosine_swapped",
        "You put the cosines into the even dimensions and the sines into the odd ones: your first row is 1, 0, 1, 0.",
        (
            "What is your first row? Which should it be?",
            "Which function belongs to dimension 2i, and which to 2i+1?",
            "Sine in `[:, 0::2]`, cosine in `[:, 1::2]`.",
        ),
        (SINES, SINES.replace("sin", "cos")),
        (COSINES, COSINES.replace("torch.cos", "torch.sin")),
        group="layout",
    ),
    mistake(
        "sines_everywhere",
        "You use the sine in all dimensions, so the second number of a pair repeats the first. A sine alone can't tell whether the wave is going up or down.",
        (
            "Compare dimensions 0 and 1.",
            "Which function belongs to the odd dimensions?",
            "`encoding[:, 1::2] = torch.cos(...)`.",
        ),
        (COSINES, COSINES.replace("cos", "sin")),
        group="layout",
    ),
    mistake(
        "cosines_left_out",
        "Your odd dimensions are 0 everywhere: the cosines are never written into them.",
        (
            "Look at your second column.",
            "Half of the table is filled. Which columns are the others?",
            "`encoding[:, 1::2] = torch.cos(...)`.",
        ),
        (EMPTY, "torch.zeros(length, d_model)"),
        (COSINES, "pass"),
        group="layout",
    ),
    # the positions
    mistake(
        "positions_from_1",
        "Your positions start at 1: your first row is sin 1, cos 1, …, where it should be 0, 1, 0, 1, …, the row of position 0.",
        (
            "What is your first row? Which should it be?",
            "Look at the first number of your range of positions.",
            "`torch.arange(length)` counts from 0 to `length - 1`.",
        ),
        (POSITIONS, "torch.arange(1, length + 1)"),
        group="positions",
    ),
    mistake(
        "positions_divided_by_length",
        "You divide the positions by the length, so position 3 gets one vector in a short sentence and another in a long one.",
        (
            "Encode 5 positions, then 10. Are the first 5 rows the same?",
            "Where does `length` go, besides into the number of rows?",
            "The formula uses the position itself, 0, 1, 2, …: `torch.arange(length)`.",
        ),
        (POSITIONS, f"({POSITIONS} / length)"),
        group=ALONE,
    ),
    mistake(
        "positions_backwards",
        "You count the positions from the end: your last row is position 0.",
        (
            "Which of your rows is 0, 1, 0, 1?",
            "In which order do your positions run?",
            "`torch.arange(length)`, from 0 upwards.",
        ),
        (POSITIONS, f"{POSITIONS}.flip(0)"),
        group=ALONE,
    ),
    # odd widths
    mistake(
        "odd_width_stops",
        "Your encoding is right, but an odd width ends in an error: there is one sine more than there are cosines.",
        (
            "For D = 5: how many even dimensions are there, counted from 0, and how many odd ones?",
            "You have as many cosines as sines. How many columns are there for the cosines?",
            "Use the first `d_model // 2` angles only: `torch.cos(angles[:, : d_model // 2])`.",
        ),
        (COSINES, "encoding[:, 1::2] = torch.cos(angles)"),
        recogniser=stops_at_an_odd_width,
        group=ALONE,
    ),
    mistake(
        "odd_width_too_wide",
        "For an odd width, you return one column too many: the last sine has brought its cosine along.",
        (
            "Ask for a width of 5. How many columns come back?",
            "You always make whole pairs. What should happen to the last cosine?",
            "Cut the table to its width at the end: `encoding[:, :d_model]`.",
        ),
        (EMPTY, "torch.empty(length, d_model + d_model % 2)"),
        (COSINES, "encoding[:, 1::2] = torch.cos(angles)"),
        group="odd",
    ),
    mistake(
        "odd_width_too_narrow",
        "For an odd width, you return one column too few: only whole pairs. The last dimension should be a sine.",
        (
            "Ask for a width of 5. How many columns come back?",
            "`d_model // 2` rounds down. How many sines are there?",
            "There are (D + 1) // 2 frequencies, as in `torch.arange(0, d_model, 2)`; the last has no cosine.",
        ),
        (RETURN, "return encoding[:, : d_model // 2 * 2]"),
        group="odd",
    ),
    mistake(
        "odd_width_ends_in_zeros",
        "For an odd width, your last dimension is 0 everywhere. It should be a sine, the slowest.",
        (
            "Ask for a width of 5, and look at the last column.",
            "How many frequencies do you make for D = 5? How many even dimensions are there?",
            "`torch.arange(0, d_model, 2)` has (D + 1) // 2 entries: use them all for the sines.",
        ),
        (EMPTY, "torch.zeros(length, d_model)"),
        (SINES, "encoding[:, 0 : d_model // 2 * 2 : 2] = torch.sin(angles[:, : d_model // 2])"),
        group="odd",
    ),
    # what is returned
    mistake(
        "transposed",
        "You return (D, T), with a column for each position, as some slides write it. Here each position is a row.",
        (
            "Which shape does your function return, and which does the docstring ask for?",
            "Which of the two, positions or frequencies, should be a column before you combine them?",
            "`torch.arange(length).unsqueeze(1)` is (T, 1), the frequencies are (D/2,): together they are (T, D/2).",
        ),
        (RETURN, "return encoding.T"),
        group="end",
    ),
    mistake(
        "axis_in_front",
        "You put an axis for the batch in front: (1, T, D). Here the table is (T, D), and broadcasting takes care of the batch.",
        (
            "Which shape does your function return, and which does the docstring ask for?",
            "(B, T, D) + (T, D): does that need another axis?",
            "Leave out the `unsqueeze(0)` at the end.",
        ),
        (RETURN, "return encoding.unsqueeze(0)"),
        group="end",
    ),
    mistake(
        "double_precision",
        "Your numbers are right, but they are float64. Added to float32 vectors, they turn these into float64 as well, and the next layer refuses them.",
        (
            "What is the `dtype` of what you return?",
            "NumPy computes in float64 by default. Where does float64 come in?",
            "End with `.float()`, or use `torch.arange`, which follows torch's default type.",
        ),
        (POSITIONS, "torch.arange(length, dtype=torch.float64)"),
        (INDEX, "torch.arange(0, d_model, 2, dtype=torch.float64)"),
        (EMPTY, "torch.empty(length, d_model, dtype=torch.float64)"),
        group="type",
    ),
    mistake(
        "odd_width_rounded_up",
        "For an odd width, you compute the encoding of the next even one and cut off its last column, so all frequencies are those of the wider encoding.",
        (
            "By what do you divide 2i in the exponent when the width is 5?",
            "You round the width up first. Which of the lines that use it need the even number?",
            "Divide by `d_model` as it is given; only the number of columns is rounded up.",
        ),
        (f"{EXPONENTS}", "(-torch.arange(0, d_model, 2) / (d_model + d_model % 2))"),
        group="width",
    ),
    mistake(
        "timing_signal",
        "All your sines come first, then all cosines; your frequencies run from 1 to exactly 1/10,000, both ends included; and where the width is odd, a column of zeros ends the table. Some libraries (Tensor2Tensor, for one) do all three; the formula does none of them.",
        (
            "Print row 1 for a width of 4, and compare it with the formula, dimension by dimension.",
            "Dimension 2i is a sine and dimension 2i + 1 its cosine. What is the exponent of the last pair, (D − 2)/D or 1?",
            "`10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)`; sines into `encoding[:, 0::2]`, cosines into `encoding[:, 1::2]`.",
        ),
        (EXPONENTS, "-torch.linspace(0, 1, d_model // 2)"),
        (EMPTY, "torch.zeros(length, d_model)"),
        (SINES, "encoding[:, : d_model // 2] = torch.sin(angles)"),
        (COSINES, "encoding[:, d_model // 2 : d_model // 2 * 2] = torch.cos(angles)"),
        group=ALONE,
    ),
)  # fmt: skip


def stacked_and_flattened(length, d_model):
    angles = torch.outer(torch.arange(length).float(), 10000 ** (-torch.arange(0, d_model, 2).float() / d_model))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :d_model]


def through_exp_and_log(length, d_model):
    pe = torch.zeros(length, d_model)
    position = torch.arange(0, length, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term[: d_model // 2])
    return pe


def number_by_number(length, d_model):
    table = []
    for t in range(length):
        row = []
        for j in range(d_model):
            i = j // 2
            angle = t / 10000 ** (2 * i / d_model)
            row.append(math.sin(angle) if j % 2 == 0 else math.cos(angle))
        table.append(row)
    return torch.tensor(table)


def through_numpy(length, d_model):
    j = np.arange(d_model)
    angles = np.arange(length)[:, None] / np.power(10000.0, (j - j % 2) / d_model)
    return torch.from_numpy(np.where(j % 2 == 0, np.sin(angles), np.cos(angles))).float()


def cosines_are_early_sines(length, d_model):
    j = torch.arange(d_model)
    angles = torch.arange(length).reshape(-1, 1) / torch.pow(10000, 2 * (j // 2) / d_model)
    return torch.sin(angles + (j % 2) * (math.pi / 2))


def complex_numbers(length, d_model):
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    turned = torch.view_as_real(torch.polar(torch.ones_like(angles), angles))  # (cosine, sine)
    return turned.flip(-1).reshape(length, -1)[:, :d_model]


def row_after_row(length, d_model):
    frequencies = torch.tensor([10000 ** (-2 * i / d_model) for i in range((d_model + 1) // 2)])
    rows = []
    for t in range(length):
        row = torch.zeros(d_model)
        row[::2] = (t * frequencies).sin()
        row[1::2] = (t * frequencies).cos()[: d_model // 2]
        rows.append(row)
    return torch.stack(rows)


def stub(length, d_model):
    raise NotImplementedError


def zeros(length, d_model):
    return torch.zeros(length, d_model)


def first_row_for_all(length, d_model):
    return (torch.arange(d_model) % 2).float().expand(length, d_model)


def the_position_itself(length, d_model):
    return torch.arange(length).float().unsqueeze(1).expand(length, d_model)


def noise(length, d_model):
    return torch.randn(length, d_model)


SINUSOIDAL_ENCODING = define(
    id="sinusoidal_encoding",
    lesson="05_positional_encoding",
    place=1,
    module="course_lib.components.sinusoidal_encoding",
    symbol="sinusoidal_encoding",
    minutes=15,
    laws=LAWS,
    hints=(
        "Compute positions 0, 1 and 2 at width 4 on paper: two frequencies, 1 and 1/100, a sine and a cosine of each.",
        "Four steps: positions (T, 1), frequencies (D/2,), angles (T, D/2), then sines and cosines into a table (T, D). Print each.",
        "`angles = torch.arange(length).unsqueeze(1) * 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)`; "
        "sines into `[:, 0::2]`, cosines into `[:, 1::2]`, of which an odd width has one less.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        stacked_and_flattened, through_exp_and_log, number_by_number, through_numpy, cosines_are_early_sines,
        complex_numbers, row_after_row,
    ),
    lazy=(stub, zeros, first_row_for_all, the_position_itself, noise),
    switches=("exponent", "layout", "positions", "base"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@SINUSOIDAL_ENCODING.second_version("index_not_doubled")
def base_of_a_hundred(length, d_model):
    angles = torch.outer(torch.arange(length).float(), 100.0 ** (-torch.arange(0, d_model, 2) / d_model))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :d_model]


@SINUSOIDAL_ENCODING.second_version("index_doubled_twice")
def twice_in_a_loop(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            table[t, i] = math.sin(t / 10000 ** (2 * i / d_model))
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(t / 10000 ** (2 * i / d_model))
    return table


@SINUSOIDAL_ENCODING.second_version("dimension_for_index")
def each_its_own(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            table[t, i] = math.sin(t / 10000 ** (2 * i / d_model))
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(t / 10000 ** (2 * (i + 1) / d_model))
    return table


@SINUSOIDAL_ENCODING.second_version("frequency_of_each_dimension")
def through_a_mask(length, d_model):
    j = np.arange(d_model)
    angles = np.arange(length)[:, None] / 10000 ** (j / d_model)
    return torch.tensor(np.where(j % 2, np.cos(angles), np.sin(angles)), dtype=torch.float32)


@SINUSOIDAL_ENCODING.second_version("numbered_from_1")
def counted_from_one(length, d_model):
    i = torch.arange(1, (d_model + 1) // 2 + 1)
    angles = torch.arange(length).unsqueeze(1) / 10000 ** (2 * i / d_model)
    table = torch.zeros(length, d_model)
    table[:, ::2], table[:, 1::2] = angles.sin(), angles.cos()[:, : d_model // 2]
    return table


@SINUSOIDAL_ENCODING.second_version("two_plus_index")
def a_plus_for_a_product(length, d_model):
    rows = [[t / 10000 ** (2 + i / d_model) for i in range(1, (d_model + 1) // 2 + 1)] for t in range(length)]
    angles = torch.tensor(rows)
    return torch.stack([angles.sin(), angles.cos()], -1).reshape(length, -1)[:, :d_model]


@SINUSOIDAL_ENCODING.second_version("halves_concatenated")
def one_after_the_other(length, d_model):
    steps = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000) / d_model))
    angles = torch.arange(length)[:, None] * steps
    return torch.cat([angles.sin(), angles.cos()[:, : d_model // 2]], dim=1)


@SINUSOIDAL_ENCODING.second_version("last_exponent_is_one")
def by_timescales(length, d_model):
    count = (d_model + 1) // 2
    steps = torch.exp(torch.arange(count) * -(math.log(10000) / max(count - 1, 1)))
    angles = torch.arange(length)[:, None] * steps
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :d_model]


@SINUSOIDAL_ENCODING.second_version("exponent_not_negative")
def times_the_power(length, d_model):
    angles = torch.outer(torch.arange(length).double(), 10000 ** (torch.arange(0, d_model, 2).double() / d_model))
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :d_model].float()


@SINUSOIDAL_ENCODING.second_version("odd_width_stops")
def pairs_by_reshape(length, d_model):
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).reshape(length, d_model)


@SINUSOIDAL_ENCODING.second_version("odd_width_stops")
def odd_widths_refused(length, d_model):
    if d_model % 2:
        raise ValueError("d_model must be even")
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).reshape(length, d_model)


@SINUSOIDAL_ENCODING.second_version("odd_width_too_wide")
def pairs_flattened(length, d_model):
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


@SINUSOIDAL_ENCODING.second_version("double_precision")
def numpys_numbers(length, d_model):
    j = np.arange(d_model)
    angles = np.arange(length)[:, None] / np.power(10000, 2 * (j // 2) / d_model)
    return torch.from_numpy(np.where(j % 2, np.cos(angles), np.sin(angles)))


@SINUSOIDAL_ENCODING.second_version("numbered_from_1 + positions_from_1")
def everything_from_1(length, d_model):
    table = torch.empty(length, d_model)
    for t in range(1, length + 1):
        for j in range(d_model):
            angle = t / 10000 ** (2 * (j // 2 + 1) / d_model)
            table[t - 1, j] = math.cos(angle) if j % 2 else math.sin(angle)
    return table


@SINUSOIDAL_ENCODING.second_version("odd_width_rounded_up")
def next_even_width(length, d_model):
    even = 2 * math.ceil(d_model / 2)
    encoding = torch.zeros(length, even)
    for t in range(length):
        for i in range(even // 2):
            angle = t / 10_000 ** (2 * i / even)
            encoding[t, 2 * i], encoding[t, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return encoding[:, :d_model]


@SINUSOIDAL_ENCODING.second_version("timing_signal")
def steps_between_both_ends(length, d_model):
    half = d_model // 2
    step = math.log(10_000.0) / (half - 1)
    angles = torch.arange(length)[:, None] * torch.exp(torch.arange(half) * -step)
    return F.pad(torch.hstack([angles.sin(), angles.cos()]), (0, d_model - 2 * half))
