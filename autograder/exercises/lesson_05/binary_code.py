"""Exercise `binary_code`: the lesson's first, a table of bits that the sinusoids make soft."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch.nn import functional as F

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, keeps_dtype


def _question(name: str, length: int, num_bits: int) -> Question:
    return Question(name, probes.call, {"arguments": {"length": length, "num_bits": num_bits}, "returns": ["code"]})


def ask(draw: Draw) -> Iterator[Question]:
    """A few positions, many, and more than the bits can tell apart."""
    yield _question("by_hand", draw.shuffled(range(5, 9))[0], 3)
    yield _question("plain", draw.shuffled(range(17, 32))[0], draw.shuffled((6, 7))[0])  # where five bits would do
    yield _question("starts_again", draw.shuffled(range(10, 16))[0], 3)
    yield _question("long", draw.shuffled(range(260, 290))[0], 9)  # more positions than a byte can count


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "a few positions in three bits come out right", 0.4,
        {"fields": ["code"]}),
    Law("equals_plain", equals_reference, "plain", "more positions and more bits come out right", 0.3,
        {"fields": ["code"]}, also=("long",)),
    Law("starts_again", equals_reference, "starts_again", "from position 2^num_bits on, the code starts again", 0.2,
        {"fields": ["code"]}),
    Law("keeps_dtype", keeps_dtype, "plain", "the bits are floating-point numbers, 0.0 and 1.0", 0.1,
        {"fields": ["code"]}, needs="equals_plain"),
)  # fmt: skip

POSITIONS = "torch.arange(length)"
PERIODS = "2 ** torch.arange(num_bits)"
BITS = "positions // half_periods % 2"
RETURN = "return bits.to(torch.get_default_dtype())"


MISTAKES = (
    # the half-periods: for how many positions a bit stays the same
    mistake(
        "fastest_last",
        "Your fastest bit comes last, as numbers are usually written. Here it comes *first*, as the fastest pair of the sinusoids does.",
        (
            "Which of your columns changes at every position?",
            "In your code, bit 0 of a position is its last column. Where does the docstring put it?",
            "Column k changes after every 2^k positions: `2 ** torch.arange(num_bits)`, and nothing is reversed.",
        ),
        (PERIODS, f"({PERIODS}).flip(0)"),
        group="periods",
    ),
    mistake(
        "first_bit_lost",
        "Your first column changes at every *second* position, as your powers of two start at 2. The fastest bit, which tells even from odd, is missing.",
        (
            "What is position 1 in your code, and what is position 0?",
            "For how many positions should bit 0 stay the same? And yours?",
            "The first bit changes after 2^0 = 1 position: `2 ** torch.arange(num_bits)`, from 0.",
        ),
        (PERIODS, "2 ** torch.arange(1, num_bits + 1)"),
        group="periods",
    ),
    mistake(
        "periods_grow_by_one",
        "Your bits change after every 1, 2, 3, 4 positions. Those of binary numbers double that from bit to bit: 1, 2, 4, 8.",
        (
            "Write position 4 in three bits, on paper. What does your code write?",
            "A digit of a binary number is worth twice as much as the one before. How do the numbers grow that you divide by?",
            "`2 ** torch.arange(num_bits)`: a power, not a count.",
        ),
        (PERIODS, "torch.arange(1, num_bits + 1)"),
        group="periods",
    ),
    mistake(
        "multiples_of_two",
        "Your bits change after every 2, 4, 6 positions: multiples of two. Those of binary numbers change after its powers: 1, 2, 4.",
        (
            "After how many positions does each of your first three columns change?",
            "Look at the operator between 2 and the number of the bit.",
            "`2 ** k`, not `2 * k`, and k counts from 0.",
        ),
        (PERIODS, "2 * torch.arange(1, num_bits + 1)"),
        group="periods",
    ),
    mistake(
        "num_bits_ignored",
        "Your code is as wide as the last position needs. It should be `num_bits` wide, whatever the positions are.",
        (
            "Ask for two positions in three bits. How many columns come back?",
            "`num_bits` is a parameter. Where do you use it?",
            "Make one column for each k in `range(num_bits)`: the high bits of small numbers are zeros.",
        ),
        (PERIODS, "2 ** torch.arange((length - 1).bit_length())"),
        group="periods",
    ),
    # the bits
    mistake(
        "not_reduced_to_bits",
        "You divide the position by 2^k and stop there, so your numbers grow beyond 1.",
        (
            "Which values can a bit have? Which are in your table?",
            "`t // 2**k` cuts off the k lowest bits. What is left besides bit k?",
            "Take the remainder by 2 after the division: `positions // 2**k % 2`.",
        ),
        (BITS, "positions // half_periods"),
        group="bits",
    ),
    mistake(
        "remainder_only",
        "You take the remainder by 2^k. That leaves the bits *below* bit k and not bit k itself, so your first column is 0 everywhere.",
        (
            "Your first column never changes. Why?",
            "A remainder by 4 keeps two bits. Which step has to come before it, so that only the wanted bit is left?",
            "Divide, then take the remainder by 2: `positions // 2**k % 2`.",
        ),
        (BITS, "positions % half_periods"),
        group="bits",
    ),
    mistake(
        "not_rounded_down",
        "You divide without rounding down, so your table contains numbers that are no bits, such as 0.5.",
        (
            "What is 1 / 2 % 2 in Python? And 1 // 2 % 2?",
            "A bit is 0 or 1. Which of your operations keeps the fraction?",
            "`positions // 2**k % 2`, with two slashes.",
        ),
        (BITS, "positions / half_periods % 2"),
        group="bits",
    ),
    mistake(
        "inverted",
        "Your bits are inverted: 1 where 0 should be, so position 0 is all ones.",
        (
            "What are the bits of the number 0?",
            "Do you compare with 0 where you mean 1, or subtract from 1?",
            "`positions // 2**k % 2` is the bit itself.",
        ),
        (BITS, "1 - positions // half_periods % 2"),
        group="bits",
    ),
    mistake(
        "plus_and_minus_one",
        "You write −1 for 0. That can be useful elsewhere, but here the bits are 0.0 and 1.0.",
        (
            "Which two numbers are in your table?",
            "After finding the bits, you rescale them. Does the task ask for that?",
            "Return `positions // 2**k % 2` as it is.",
        ),
        (BITS, "2 * (positions // half_periods % 2) - 1"),
        group="bits",
    ),
    mistake(
        "one_hot",
        "You set one bit for each position. A one-hot code needs as many columns as there are positions; num_bits binary columns tell 2^num_bits positions apart.",
        (
            "Add up each of your rows. What is the sum for position 3 in binary?",
            "How many positions can three of your columns tell apart?",
            "Bit k of position t is `t // 2**k % 2`.",
        ),
        (BITS, "(positions % num_bits == torch.arange(num_bits)).long()"),
        group="bits",
    ),
    # the positions
    mistake(
        "positions_from_1",
        "Your positions start at 1. The first is position 0, whose bits are all 0.",
        (
            "What is your first row?",
            "Look at the first number of your range.",
            "`torch.arange(length)` counts from 0 to `length - 1`.",
        ),
        (POSITIONS, "torch.arange(1, length + 1)"),
        group="positions",
    ),
    mistake(
        "held_at_the_last_code",
        "Beyond the largest number that the bits can represent, you repeat that number. The code should start again: the low bits stay as they are, and the high ones are cut off.",
        (
            "With two bits, what are positions 3, 4 and 5?",
            "You limit something. What would happen to the bits without the limit?",
            "`positions // 2**k % 2` needs no limit: leave it out.",
        ),
        (POSITIONS, "torch.arange(length).clamp(max=2**num_bits - 1)"),
        group="positions",
    ),
    # what is returned
    mistake(
        "transposed",
        "You return (num_bits, T): a row for each bit. A row should be a position.",
        (
            "Which shape does your function return, and which does the docstring ask for?",
            "Which of the two, positions or powers of two, should be a column before you combine them?",
            "`torch.arange(length).unsqueeze(1)` is (T, 1), the powers are (num_bits,): together they are (T, num_bits).",
        ),
        (RETURN, f"{RETURN}.T"),
        group="end",
    ),
    mistake(
        "whole_numbers",
        "Your bits are right, but they are integers. A code that could be added to vectors needs their dtype, torch's default.",
        (
            "What is the `dtype` of what you return?",
            "Integers in, integers out. Which conversion is missing at the end?",
            "Return `bits.float()`.",
        ),
        (RETURN, "return bits"),
        group="end",
    ),
    mistake(
        "truth_values",
        "You return True and False, where the numbers 1.0 and 0.0 are asked for.",
        (
            "What is the `dtype` of what you return?",
            "A comparison gives booleans. Which conversion is missing at the end?",
            "Return `bits.float()`.",
        ),
        (RETURN, "return bits.bool()"),
        group="end",
    ),
    mistake(
        "bit_not_moved_down",
        "You pick out bit k but leave it where it is, so it comes out as 2^k, where it should be 1.",
        (
            "Which numbers are in your last column? Which should be?",
            "`positions & 2 ** k` is 0 or 2^k. Which step turns 2^k into 1?",
            "Divide by 2^k, or ask `!= 0`; `positions // 2**k % 2` does without `&`.",
        ),
        (BITS, "(positions & half_periods)"),
        group="bits",
    ),
    mistake(
        "gray_code",
        "You write a Gray code, in which only one bit changes from one position to the next. Here the bits are those of the binary number.",
        (
            "What are the bits of your position 3? As a binary number, 3 is 11.",
            "Look for `^`, which combines a number with its half.",
            "`positions // 2**k % 2`, with the positions as they are.",
        ),
        (BITS, "(positions ^ positions // 2) // half_periods % 2"),
        group="bits",
    ),
    mistake(
        "only_eight_bits",
        "You keep the positions, or their bits, in eight bits: from position 256 on, the code starts again, however many bits were asked for.",
        (
            "What is your row 256, with nine bits?",
            "How large a number does `uint8` hold? And how many bits does `np.unpackbits` give, or `format(t, '08b')`?",
            "Count with `torch.arange(length)`, whose numbers have 64 bits.",
        ),
        (POSITIONS, "(torch.arange(length) % 256)"),
        group="positions",
    ),
    mistake(
        "rounded_to_the_nearest",
        "You round the quotient to the nearest whole number, where it should be rounded down: your slower bits change at the wrong positions.",
        (
            "At which position does your bit 1 become 1 for the first time? And in a table of binary numbers?",
            "3 / 4 is 0.75. Which whole number does bit 2 of position 3 need: 0 or 1?",
            "`//` rounds down: `positions // 2**k % 2`.",
        ),
        (BITS, "torch.round(positions / half_periods).long() % 2"),
        group="bits",
    ),
)  # fmt: skip


def shifted_right(length, num_bits):
    return ((torch.arange(length)[:, None] >> torch.arange(num_bits)) & 1).float()


def one_bit_at_a_time(length, num_bits):
    code = torch.zeros(length, num_bits)
    for t in range(length):
        rest = t
        for k in range(num_bits):
            code[t, k] = rest % 2
            rest = rest // 2
    return code


def from_text(length, num_bits):
    rows = [[float(bit) for bit in reversed(format(t % 2**num_bits, f"0{num_bits}b"))] for t in range(length)]
    return torch.tensor(rows)


def blocks_of_zeros_and_ones(length, num_bits):
    columns = []
    for k in range(num_bits):
        block = torch.cat([torch.zeros(2**k), torch.ones(2**k)])
        columns.append(block.repeat(length // 2 ** (k + 1) + 1)[:length])
    return torch.stack(columns, dim=1)


def by_masks(length, num_bits):
    places = torch.tensor([2**k for k in range(num_bits)])
    return torch.arange(length).reshape(-1, 1).bitwise_and(places).ne(0).to(torch.float32)


def second_half_of_a_period(length, num_bits):
    positions = torch.arange(length, dtype=torch.float32).view(length, 1)
    periods = 2.0 ** torch.arange(1, num_bits + 1)
    return torch.where(positions % periods >= periods / 2, 1.0, 0.0)


def stub(length, num_bits):
    raise NotImplementedError


def zeros(length, num_bits):
    return torch.zeros(length, num_bits)


def the_position_itself(length, num_bits):
    return torch.arange(length).float().unsqueeze(1).expand(length, num_bits)


def even_and_odd(length, num_bits):
    return F.one_hot(torch.arange(length) % 2, num_bits).float()


def noise(length, num_bits):
    return torch.randint(0, 2, (length, num_bits)).float()


BINARY_CODE = define(
    id="binary_code",
    lesson="05_positional_encoding",
    place=0,
    module="course_lib.components.binary_code",
    symbol="binary_code",
    minutes=5,
    laws=LAWS,
    hints=(
        "Write positions 0 to 7 in three bits, on paper. For how many rows does each column stay the same?",
        "Work out one bit of one position first: bit 1 of position 6. Then do it for a column of positions and a row of bits.",
        "Bit k of position t is `t // 2**k % 2`; positions as (T, 1), the powers of two as (num_bits,), and `.float()` at the end.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        shifted_right, one_bit_at_a_time, from_text, blocks_of_zeros_and_ones, by_masks, second_half_of_a_period,
    ),
    lazy=(stub, zeros, the_position_itself, even_and_odd, noise),
    switches=("periods", "bits", "positions"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@BINARY_CODE.second_version("fastest_last")
def as_text(length, num_bits):
    return torch.tensor([[float(bit) for bit in format(t % 2**num_bits, f"0{num_bits}b")] for t in range(length)])


@BINARY_CODE.second_version("remainder_only")
def remainder_in_loops(length, num_bits):
    return torch.tensor([[float(t % 2**k) for k in range(num_bits)] for t in range(length)])


@BINARY_CODE.second_version("first_bit_lost")
def shifted_once_too_often(length, num_bits):
    return ((torch.arange(length)[:, None] >> torch.arange(1, num_bits + 1)) & 1).float()


@BINARY_CODE.second_version("transposed")
def stacked_in_front(length, num_bits):
    return torch.stack([(torch.arange(length) // 2**k % 2).float() for k in range(num_bits)])


@BINARY_CODE.second_version("fastest_last + positions_from_1")
def text_from_1(length, num_bits):
    rows = [[float(bit) for bit in format(t % 2**num_bits, f"0{num_bits}b")] for t in range(1, length + 1)]
    return torch.tensor(rows)


@BINARY_CODE.second_version("bit_not_moved_down")
def masked_and_left(length, num_bits):
    code = torch.zeros(length, num_bits)
    for t in range(length):
        for k in range(num_bits):
            code[t, k] = t & (1 << k)
    return code


@BINARY_CODE.second_version("gray_code")
def one_bit_after_the_other(length, num_bits):
    gray = [t ^ (t >> 1) for t in range(length)]
    return torch.tensor([[float(number >> k & 1) for k in range(num_bits)] for number in gray])


@BINARY_CODE.second_version("only_eight_bits")
def text_of_a_byte(length, num_bits):
    rows = [f"{t % 256:08b}"[::-1].ljust(num_bits, "0")[:num_bits] for t in range(length)]
    return torch.tensor([[float(bit) for bit in row] for row in rows])


@BINARY_CODE.second_version("rounded_to_the_nearest")
def rounded_in_loops(length, num_bits):
    return torch.tensor([[float(round(t / 2**k) % 2) for k in range(num_bits)] for t in range(length)])
