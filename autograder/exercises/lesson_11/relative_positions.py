"""Exercise `relative_positions`: how far each key stands from each query, as row numbers of a table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, keeps_dtype


def _question(name: str, query_length: int, key_length: int, max_distance: int) -> Question:
    arguments = {"query_length": query_length, "key_length": key_length, "max_distance": max_distance}
    return Question(name, probes.call, {"arguments": arguments, "returns": ["rows"]})


def ask(draw: Draw) -> Iterator[Question]:
    """A few words for paper; more keys, more queries; a distance that nothing exceeds; none at all; one query, one key."""
    words = draw.shuffled(range(4, 12))[0]
    yield _question("by_hand", words, words, draw.shuffled((1, 2))[0])
    few, more = sorted(draw.shuffled(range(5, 18))[:2])
    yield _question("more_keys", few, more, draw.shuffled((2, 3))[0])
    yield _question("more_queries", more, few, draw.shuffled((2, 3))[0])
    yield _question("far", few, few, few + draw.shuffled((1, 2, 3))[0])
    yield _question("no_distance", few, more, 0)
    yield _question("one_query", 1, draw.shuffled(range(20, 60))[0], 2)
    yield _question("one_key", draw.shuffled(range(20, 60))[0], 1, 2)


ROWS = {"fields": ["rows"]}

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "as many queries as keys come out right, with a greatest distance of 1 or 2", 0.25, ROWS),
    Law("more_keys", equals_reference, "more_keys", "more keys than queries come out right", 0.2, ROWS, also=("one_query",)),
    Law("more_queries", equals_reference, "more_queries", "more queries than keys come out right", 0.15, ROWS, also=("one_key",)),
    Law("far", equals_reference, "far", "where no distance is too great, none is cut off", 0.15, ROWS),
    Law("no_distance", equals_reference, "no_distance", "with a greatest distance of 0, all keys are in row 0", 0.15, ROWS),
    Law("integers", keeps_dtype, "more_keys", "row numbers are integers", 0.1, ROWS, needs="more_keys"),
)  # fmt: skip

DISTANCES = "torch.arange(key_length) - torch.arange(query_length).unsqueeze(1)"
CLIP = ".clamp(-max_distance, max_distance)"
RETURN = f"return distances{CLIP} + max_distance"

MISTAKES = (
    mistake(
        "query_minus_key",
        "Your distances have the opposite sign, query minus key: keys before the query come last in your table, and keys after it first.",
        (
            "Which row do you give to the key right *before* its query? It should be K − 1.",
            "The distance is s − t, with s the key's position. Which of the two do you subtract?",
            "`torch.arange(key_length) - torch.arange(query_length).unsqueeze(1)`.",
        ),
        (DISTANCES, "torch.arange(query_length).unsqueeze(1) - torch.arange(key_length)"),
        group="sign",
    ),
    mistake(
        "no_direction",
        "You take the distance without its sign, so a key before the query and one after it share a row.",
        (
            "Which rows do you give to the neighbours of a word, on its left and on its right?",
            "Where does the sign of s − t get lost?",
            "Leave out `abs`: s − t is negative for a key before the query.",
        ),
        (RETURN, f"return distances.abs(){CLIP} + max_distance"),
        group="sign",
    ),
    mistake(
        "not_clipped",
        "You don't cut off: a distance of 5 stays 5, though the table has no row for it.",
        (
            "What is the largest number that you return? How many rows does the table have?",
            "Distances beyond K should count as K, and below −K as −K.",
            "`distances.clamp(-max_distance, max_distance)`.",
        ),
        (CLIP, ""),
        group="clip",
    ),
    mistake(
        "clipped_above_only",
        "You cut off on one side only: keys far *before* the query still get a number below 0, which counts from the end of the table.",
        (
            "What is the smallest number that you return?",
            "Which row should a key far to the left get?",
            "`clamp(-max_distance, max_distance)` cuts off on both sides.",
        ),
        (CLIP, ".clamp(max=max_distance)"),
        group="clip",
    ),
    mistake(
        "clipped_below_only",
        "You cut off on one side only: keys far *after* the query get a number that the table has no row for.",
        (
            "What is the largest number that you return? How many rows does the table have?",
            "Which row should a key far to the right get?",
            "`clamp(-max_distance, max_distance)` cuts off on both sides.",
        ),
        (CLIP, ".clamp(min=-max_distance)"),
        group="clip",
    ),
    mistake(
        "clipped_after_the_shift",
        "You add K first and then cut off at ±K, so all keys after the query fall into one row.",
        (
            "Which rows do you give to the two keys after a query?",
            "After K has been added, which numbers are the smallest and the largest that are allowed?",
            "Cut off first, then add: `distances.clamp(-max_distance, max_distance) + max_distance`.",
        ),
        (RETURN, f"return (distances + max_distance){CLIP}"),
        group=ALONE,
    ),
    mistake(
        "not_shifted",
        "Your numbers run from −K to K. Those below 0 would be looked up from the end of the table.",
        (
            "What is the smallest number that you return?",
            "Rows of a table are numbered from 0. Which row should the distance −K get?",
            "Add `max_distance` once you have cut off.",
        ),
        (f"{CLIP} + max_distance", CLIP),
        group="shift",
    ),
    mistake(
        "shifted_by_one_more",
        "You add K + 1, so your rows run from 1 to 2K + 1, and the table ends at 2K.",
        (
            "What is the smallest number that you return? Which is the first row of a table?",
            "Which distance should come out as 0?",
            "Add `max_distance`, and nothing more.",
        ),
        (f"{CLIP} + max_distance", f"{CLIP} + max_distance + 1"),
        group="shift",
    ),
    mistake(
        "cut_off_one_too_early",
        "You cut off at K − 1, so the first and the last row of the table are never used.",
        (
            "Which distance do you give the smallest row to?",
            "A distance of exactly K is still allowed.",
            "`distances.clamp(-max_distance, max_distance)`.",
        ),
        (RETURN, "return distances.clamp(min(0, 1 - max_distance), max(0, max_distance - 1)) + max_distance"),
        group="clip",
    ),
    mistake(
        "cut_off_at_the_size_of_the_table",
        "You cut off at 2K, where it should be K: after the shift, your rows run from −K to 3K.",
        (
            "What is the largest number that you return? How many rows does the table have?",
            "From which distance on should all keys be alike?",
            "`distances.clamp(-max_distance, max_distance)`.",
        ),
        (CLIP, ".clamp(-2 * max_distance, 2 * max_distance)"),
        group="clip",
    ),
    mistake(
        "only_the_past",
        "All keys after the query get the row of the query itself: your distances end at 0. A mask is what hides the future, and not every attention has one.",
        (
            "Which rows do you give to the two keys after a query?",
            "What is the greatest distance that you let through?",
            "`distances.clamp(-max_distance, max_distance)`.",
        ),
        (CLIP, ".clamp(-max_distance, 0)"),
        group="clip",
    ),
    mistake(
        "wrapped_round",
        "You wrap distances round where they should be cut off: a distance of K + 1 gets the row of −K.",
        (
            "Which row do you give to a key far to the right?",
            "A remainder (`%`) starts again from 0. What should happen to distances that are too great?",
            "`distances.clamp(-max_distance, max_distance) + max_distance`.",
        ),
        (RETURN, "return (distances + max_distance) % (2 * max_distance + 1)"),
        group=ALONE,
    ),
    mistake(
        "both_ends_in_the_last_row",
        "Keys that are too far away all get the last row, those far to the left as well.",
        (
            "Which row do you give to the first key, for a query far to its right?",
            "What happens to distances below −K in your code?",
            "`distances.clamp(-max_distance, max_distance)` keeps the sign.",
        ),
        (RETURN, "return torch.where(distances.abs() > max_distance, max_distance, distances) + max_distance"),
        group=ALONE,
    ),
    mistake(
        "the_past_in_row_0",
        "You cut off without adding K first, so every key before the query falls into row 0, with the query itself.",
        (
            "Which rows do you give to the two keys before a query?",
            "Row 0 belongs to the distance −K. Which row belongs to 0?",
            "`distances.clamp(-max_distance, max_distance) + max_distance`.",
        ),
        (RETURN, "return distances.clamp(0, 2 * max_distance)"),
        group=ALONE,
    ),
    mistake(
        "floats",
        "Your row numbers are floating-point numbers. A table can only be indexed with integers.",
        (
            "What is the `dtype` of what you return?",
            "In which line do floating-point numbers come in?",
            "`torch.arange(...)` of integers gives integers, and so does `clamp`.",
        ),
        (RETURN, "return (distances.clamp(-max_distance, max_distance) + max_distance).float()"),
        group="type",
    ),
    mistake(
        "transposed",
        "Your table has a row for each *key* and a column for each *query*. It should be (T, S): queries are the rows.",
        (
            "Ask for 2 queries and 5 keys. Which shape comes back?",
            "Which of the two ranges should become a column before you subtract?",
            "`torch.arange(key_length) - torch.arange(query_length).unsqueeze(1)` is (T, S).",
        ),
        (DISTANCES, "torch.arange(key_length).unsqueeze(1) - torch.arange(query_length)"),
        group="sign",
    ),
    mistake(
        "square",
        "Your table is (T, T): the number of keys plays no part.",
        (
            "Ask for 2 queries and 5 keys. Which shape comes back?",
            "Which of the arguments do you never read?",
            "The columns are `torch.arange(key_length)`.",
        ),
        (DISTANCES, "torch.arange(query_length) - torch.arange(query_length).unsqueeze(1)"),
        group="sign",
    ),
    mistake(
        "from_the_last_query",
        "You count the queries from the end, so that the last query and the last key have the distance 0. Here both start at position 0.",
        (
            "Which row do you give to the first key for the first query, where the two numbers differ?",
            "Which position do you give to the first query?",
            "Queries are at positions 0 to T − 1: `torch.arange(query_length)`.",
        ),
        (DISTANCES, "torch.arange(key_length) - torch.arange(key_length - query_length, key_length).unsqueeze(1)"),
        group="sign",
    ),
    mistake(
        "last_row_never_used",
        "You cut off at K − 1 on the right, as if K were the end of a `range`: the last row of the table is never used.",
        (
            "Which row do you give to a key far to the right? It should be 2K.",
            "A distance of exactly K is still allowed, on both sides.",
            "`distances.clamp(-max_distance, max_distance)`.",
        ),
        (CLIP, ".clamp(-max_distance, max_distance - 1)"),
        group="clip",
    ),
    mistake(
        "shifted_by_the_number_of_queries",
        "You add T − 1, as windows of an image do, so that all distances become positive. The row of a distance then depends on how long the sentence is.",
        (
            "Which row does the query's own position get with three words, and which with five?",
            "How many rows has the table? Does that depend on T?",
            "Cut off first, then add `max_distance`.",
        ),
        (RETURN, "return (distances + query_length - 1).clamp(0, 2 * max_distance)"),
        group=ALONE,
    ),
)  # fmt: skip


def shifted_then_cut(query_length, key_length, max_distance):
    rows = torch.arange(key_length)[None, :] - torch.arange(query_length)[:, None] + max_distance
    return rows.clip(0, 2 * max_distance)


def number_by_number(query_length, key_length, max_distance):
    table = torch.zeros(query_length, key_length, dtype=torch.long)
    for t in range(query_length):
        for s in range(key_length):
            table[t, s] = min(max(s - t, -max_distance), max_distance) + max_distance
    return table


def through_numpy(query_length, key_length, max_distance):
    gaps = np.subtract.outer(np.arange(key_length), np.arange(query_length)).T
    return torch.from_numpy(np.clip(gaps, -max_distance, max_distance) + max_distance)


def minimum_and_maximum(query_length, key_length, max_distance):
    s, t = torch.arange(key_length), torch.arange(query_length).view(-1, 1)
    furthest = torch.tensor(max_distance)
    return torch.maximum(torch.minimum(s - t, furthest), -furthest) + furthest


def by_meshgrid(query_length, key_length, max_distance):
    t, s = torch.meshgrid(torch.arange(query_length), torch.arange(key_length), indexing="ij")
    gaps = s - t
    gaps[gaps > max_distance] = max_distance
    gaps[gaps < -max_distance] = -max_distance
    return gaps + max_distance


def stub(query_length, key_length, max_distance):
    raise NotImplementedError


def zeros(query_length, key_length, max_distance):
    return torch.zeros(query_length, key_length, dtype=torch.long)


def own_position_for_all(query_length, key_length, max_distance):
    return torch.full((query_length, key_length), max_distance)


def the_key_itself(query_length, key_length, max_distance):
    return torch.arange(key_length).expand(query_length, key_length)


RELATIVE_POSITIONS = define(
    id="relative_positions",
    lesson="11_relative_positions",
    place=0,
    module="course_lib.components.relative_positions",
    symbol="relative_positions",
    minutes=5,
    laws=LAWS,
    hints=(
        "Write the table for four words and K = 2 on paper, first with distances, then with row numbers.",
        "Three steps: all differences s − t by broadcasting, (S,) minus (T, 1); cut off at −K and K; add K.",
        "`(torch.arange(key_length) - torch.arange(query_length).unsqueeze(1)).clamp(-max_distance, max_distance) + max_distance`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(shifted_then_cut, number_by_number, through_numpy, minimum_and_maximum, by_meshgrid),
    lazy=(stub, zeros, own_position_for_all, the_key_itself),
    switches=("sign", "clip", "shift"),
)  # fmt: skip


@RELATIVE_POSITIONS.second_version("query_minus_key")
def turned_differences(query_length, key_length, max_distance):
    t, s = torch.arange(query_length).view(-1, 1), torch.arange(key_length).view(1, -1)
    return torch.clamp(t - s + max_distance, 0, 2 * max_distance)


@RELATIVE_POSITIONS.second_version("not_clipped")
def all_distances(query_length, key_length, max_distance):
    s = torch.arange(max_distance, max_distance + key_length)
    return torch.stack([s - t for t in range(query_length)])


@RELATIVE_POSITIONS.second_version("not_shifted")
def distances_only(query_length, key_length, max_distance):
    s, t = torch.arange(key_length), torch.arange(query_length)
    return torch.clip(s[None] - t[:, None], min=-max_distance, max=max_distance)


@RELATIVE_POSITIONS.second_version("no_direction")
def how_far_only(query_length, key_length, max_distance):
    far = torch.abs(torch.arange(query_length)[:, None] - torch.arange(key_length))
    return torch.where(far > max_distance, 2 * max_distance, far + max_distance)


@RELATIVE_POSITIONS.second_version("clipped_after_the_shift")
def shifted_too_early(query_length, key_length, max_distance):
    rows = max_distance + torch.arange(key_length) - torch.arange(query_length)[:, None]
    return rows.clip(min=-max_distance, max=max_distance)


@RELATIVE_POSITIONS.second_version("last_row_never_used")
def as_a_range_ends(query_length, key_length, max_distance):
    rows = torch.zeros(query_length, key_length, dtype=torch.long)
    for t in range(query_length):
        for s in range(key_length):
            rows[t, s] = min(max(s - t, -max_distance), max_distance - 1) + max_distance
    return rows
