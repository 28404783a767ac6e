"""A number in a lesson is what the record says, and so are the committed outputs and the answers to predictions."""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path

import nbformat
import pytest
from conftest import copy_course

from autograder.building.build import build_lesson
from autograder.building.lesson import read_lesson
from autograder.building.recorded_numbers import Numbers, with_recorded_numbers
from course_lib.course import Course, CourseError, read_course
from course_lib.experiments.recordings import Recording, write
from course_lib.experiments.series import Interval

LESSON = Path("02_attention.md")


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Return a record of one lesson from two machines, and of an experiment that lessons share."""
    for machine, high in (("a", 6.1), ("b", 6.4)):
        length = Interval([16.0, 1024.0], [16.0, 1024.0], [16.0, 1024.0])
        ratio = Interval([0.7, 4.286], [0.725, 5.5], [0.76, high])
        share = Interval([0.118], [0.1042], [0.198])
        percent = Interval([93.2, 2.0], [96.0, 6.0], [97.0, 10.0])
        table = {"time: 1/√n": {"length": length, "ratio": ratio, "overall": share, "right": percent}}
        write(Recording(machine, 5, "2.13.0", machine, table), "02_attention", tmp_path)
    write(Recording("a", 3, "2.13.0", "a", {"shared": {"x": Interval([1e-9], [2e-9], [3e-9])}}), "both", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "reference, text",
    [
        ("time: 1/√n/ratio[1024]:range .1f", "4.3 to 6.4"),
        ("time: 1/√n/ratio[1024]:range words", "four to six"),
        ("time: 1/√n/ratio[16]:median fraction", "three quarters"),
        ("time: 1/√n/ratio[16]:range .0%", "70 to 76 %"),
        ("time: 1/√n/ratio[16]:range .0f", "1"),
        ("time: 1/√n/ratio[1024]:at most .0f", "7"),
        ("time: 1/√n/ratio[1024]:at least words", "four"),
        ("time: 1/√n/ratio[1024]:high words", "six"),
        ("time: 1/√n/overall:median one in", "one in ten"),
        ("time: 1/√n/overall:at least fraction", "a tenth"),
        ("time: 1/√n/overall:at most fraction", "a fifth"),
        ("time: 1/√n/right[1024]:at most percent one in", "one in ten"),
        ("time: 1/√n/right[16]:at least .0f", "93"),
        ("time: 1/√n/right[16]:median percent .0%", "96 %"),
        ("time: 1/√n:runs words", "ten"),
        ("both/shared/x:median power of ten", "10^{-9}"),
        ("02_attention/time: 1/√n/ratio[16]:low .2f", "0.70"),
    ],
)
def test_a_reference_becomes_the_number_over_all_machines(records: Path, reference: str, text: str) -> None:
    assert with_recorded_numbers(f"In our runs: {{recorded}}`{reference}`.", LESSON, records) == f"In our runs: {text}."


@pytest.mark.parametrize(
    "reference, message",
    [
        ("speed/ratio[16]:low .0f", "02_attention has no recorded experiment 'speed'. It has time: 1/√n."),
        ("time: 1/√n/rate[16]:low .0f", "'time: 1/√n' has no series 'rate'. It has length, ratio, overall, right."),
        ("time: 1/√n/ratio[64]:low .0f", "has the points 16, 1024 (by length)"),
        ("time: 1/√n/ratio:low .0f", "has the points 16, 1024 (by length)"),
        ("time: 1/√n/overall[16]:low .0f", "has one value and no point"),
        ("time: 1/√n/ratio[16]:mean .0f", "which number (low, median, high, range, at least, at most, runs)"),
        ("time: 1/√n/ratio[16]", "which number (low, median, high, range, at least, at most, runs)"),
        ("time: 1/√n/ratio[16]:low roman", "asks for the form 'roman'. Forms are .0f, .2f, ,.0f, .0%, words, fraction"),
        ("time: 1/√n/ratio[1024]:low fraction", "this number can't be written as 'fraction'"),
        ("time: 1/√n/overall:runs words", "leave out 'overall'"),
    ],
)
def test_what_the_record_lacks_is_an_error_with_lesson_line_and_what_is_known(
    records: Path, reference: str, message: str
) -> None:
    with pytest.raises(CourseError) as raised:
        with_recorded_numbers(f"# Lesson\n\nAbout {{recorded}}`{reference}`.", LESSON, records)
    assert str(raised.value).startswith("02_attention.md, line 3: ")
    assert message in str(raised.value)


def test_a_lesson_without_a_record_is_told_which_records_there_are(records: Path) -> None:
    with pytest.raises(CourseError, match=r"03_mine\.md, line 1: Nothing is recorded for 03_mine, only for 02_at"):
        with_recorded_numbers("{recorded}`a/b:low .0f`", Path("03_mine.md"), records)
    assert with_recorded_numbers("No number at all.", Path("03_mine.md"), records) == "No number at all."


def test_a_reference_that_is_not_closed_is_an_error(records: Path) -> None:
    with pytest.raises(CourseError, match="line 2: A reference is written"):
        with_recorded_numbers("One\n{recorded}`time: 1/√n\n/ratio[16]:low .0f`", LESSON, records)


def test_a_share_is_not_rounded_to_a_fraction_that_is_far_from_it(records: Path) -> None:
    numbers = Numbers("02_attention", records)
    with pytest.raises(CourseError, match="can't be written as 'one in'"):
        numbers.number("time: 1/√n/ratio[16]:at most one in")
    assert numbers.number("time: 1/√n/ratio[16]:at least one in") == "one in two"


def test_a_lesson_with_an_unknown_number_is_not_built(course: Course, tmp_path: Path) -> None:
    copied = read_course(copy_course(course, tmp_path))
    text = copied.lesson_text("02_attention")
    text.write_text(text.read_text(encoding="utf-8") + "\n{recorded}`soft/loss[299]:median .2f`\n", encoding="utf-8")
    with pytest.raises(CourseError, match=r"02_attention\.md, line \d+: 'soft/loss\[299\]'.* has the points 10, 20"):
        list(build_lesson(copied, "02_attention", check=True))


def test_no_reference_is_left_in_what_students_read(course: Course) -> None:
    for lesson in course.lessons:
        assert not [cell for cell in read_lesson(course.lesson_text(lesson)) if "{recorded}" in cell.source]


#: by lesson and prediction, the variables of its conditions as the record has them. A variable may follow from others
RECORDED = {
    "00_the_task": {
        "what BLEU likes": {
            "synonyms": "changes/bleu[0]",
            "article": "changes/bleu[1]",
            "negated": "changes/bleu[2]",
        },
        "the dictionary": {"score": "dictionary/bleu[0]"},
        "the mark at the end": {"end": "plurals/end[400]"},
        "a thousand test sets": {"width": "interval/large"},
    },
    "01_recurrent_translation": {
        "gain 1 with a tanh": {"left": "gradient_tanh/1[100]"},
        "a gradient in an LSTM": {"left": "gradient_lstm/0[100]"},
        "who remembers least": {
            "rnn": "remember: tanh RNN, gain 1/loss[250]",
            "as_it_comes": "remember: LSTM, forget bias 0/loss[250]",
            "with_bias": "remember: LSTM, forget bias 3/loss[250]",
        },
        "twelve tokens": {"at_twelve": "recurrent_translators/without_attention/exact_match[12]"},
    },
    "02_attention": {
        "the hard look-up": {"final": "hard/loss[300]"},
        "the 5 among nine": {"five": "number_bilinear/weight[5]"},
        "sixteen letters": {"share": "reverse_luong/exact_match[16]"},
        "twelve tokens, with attention": {"at_twelve": "recurrent_translators/both_ways/exact_match[12]"},
    },
    "03_self_attention": {
        "attention against an LSTM": {"ratio": "time_by_length/attention[1024]"},
        "the largest weight": {"largest": "saturation/largest_unscaled[1024]"},
        "the loss of the mystery": {"final": "look_up_mystery/loss[300]"},
    },
    "04_multi_head_attention": {"one head, two positions": {"share": "one_head/both right[500]"}},
    "05_positional_encoding": {"beyond the trained length": {"beyond": "beyond_embedding/new"}},
    "06_encoder_block": {
        "what keeps words apart": {
            "with_norm": "tokens_by_depth/norm[12]",
            "with_residual": "tokens_by_depth/residual[12]",
        },
        "who needs a warm-up": {
            "post": "post/loss[130]",
            "post_warm": "post_warm_up/loss[130]",
            "pre": "pre/loss[130]",
            "pre_warm": "pre_warm_up/loss[130]",
        },
        "layers without residual connections": {
            "three": "loss_by_depth/without[3]",
            "four": "loss_by_depth/without[4]",
        },
        "the loss of the mystery": {"final": "mystery_slowly/loss[200]"},
    },
    "14_costs": {
        "the price of chunks": {"ratio": "price of chunks/ratio"},
        "two heads, copied": {"copied": "a token/copied[2]"},
        "linear attention, 64 pairs": {"share": "recall, linear/share[64]"},
    },
}
#: predictions that no recorded experiment decides: most are computed without training
NOT_RECORDED = {
    "00_the_task": {"three sentences", "unknown words", "the red book's BLEU"},
    "01_recurrent_translation": {"the loss of the mystery", "the forgotten shift"},
    "02_attention": {"without the tanh", "whose state moves"},
    "03_self_attention": {"where licked looks", "thinking machines", "dog bites man"},
    "04_multi_head_attention": {
        "which heads notice",
        "the row of red",
        "a mask without heads",
        "memory of eight heads",
        "lengths of the mystery",
    },
    "05_positional_encoding": {
        "book in both sentences",
        "most similar to position 0",
        "a table with longer rows",
        "where a line is highest",
    },
    "06_encoder_block": {"words alike", "ten times book", "directions lost", "book plus 100"},
    "14_costs": {"memory for four times the words", "a cache without sharing", "what a mask saves"},
}


def predictions(course: Course, lesson: str) -> dict[str, tuple[dict[str, ast.expr], str]]:
    """Return by name the conditions of each prediction, and what its cell printed in the committed solution."""
    found = {}
    for cell in nbformat.read(course.solution_notebook(lesson), as_version=nbformat.NO_CONVERT).cells:
        if cell.cell_type == "code" and "predict(" in cell.source:
            calls = (node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call))
            (call,) = (call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "predict")
            shown = "".join(o.get("data", {}).get("text/plain", "") for o in cell.outputs)
            name = ast.literal_eval(call.args[0])
            found[name] = {str(keyword.arg): keyword.value for keyword in call.keywords}, shown
    return found


@pytest.mark.parametrize("lesson", RECORDED)
def test_a_prediction_has_the_same_right_answer_in_every_recorded_run(course: Course, lesson: str) -> None:
    asked, numbers = predictions(course, lesson), Numbers(lesson)
    assert asked.keys() == RECORDED[lesson].keys() | NOT_RECORDED[lesson]
    for name, variables in RECORDED[lesson].items():
        conditions, shown = asked[name]
        ends = [(*interval.low, *interval.high) for interval in map(numbers.interval, variables.values())]
        for values in itertools.product(*ends):
            known = {**dict(zip(variables, values, strict=True)), "highest": max(values)}
            right = [letter for letter, holds in conditions.items() if eval(ast.unparse(holds), {}, known)]
            assert len(right) == 1 and f"Measured: {right[0]}." in shown, (name, known, right)


#: numbers that a committed solution shows: its pattern, the record, the divisor of the shown number, and a tolerance
SHOWN = [
    ("00_the_task", r"800 merges: ([\d.]+), and", "pieces_by_merges/text[800]", 1, 0.02),
    ("00_the_task", r"mark in front: (\d+)%", "plurals/front[400]", 100, 0.01),
    ("00_the_task", r"BLEU ([\d.]+), exact match", "dictionary/bleu[0]", 1, 0),
    ("00_the_task", r"BLEU [\d.]+, exact match (\d+) %", "dictionary/exact_match[0]", 1, 0),
    ("00_the_task", r"a wrong article: (\d+), of 1-grams", "changes/bleu[1]", 1, 0.02),
    ("01_recurrent_translation", r"LSTM, forget bias 3: ([\d.e-]+) after 5", "gradient_lstm/3[5]", 1, 0.03),
    ("01_recurrent_translation", r"10⁻¹⁴ at 1, ([\d.]+) at 1\.5", "gradient_tanh/1.5[100]", 1, 0.02),
    ("01_recurrent_translation", r"\n +1 +100% +0% +100% +(\d+)%", "beside_mystery/moved[1]", 100, 0.02),
    ("01_recurrent_translation", r"one state: [^;]*? ([\d.]+) at 12,",
     "recurrent_translators/without_attention/exact_match[12]", 1, 0),
    ("01_recurrent_translation", r"(\d+)% of the sentences of at most five",
     "recurrent_translators/without_attention/short", 100, 0),
    ("02_attention", r"soft from [\d.]+ to ([\d.]+);", "soft/loss[300]", 1, 0.5),
    ("02_attention", r"hard from [\d.]+ to ([\d.]+)\.", "hard/loss[300]", 1, 0),
    ("02_attention", r"bilinear: .*? ([\d.]+) for 5,", "number_bilinear/weight[5]", 1, 0.02),
    ("02_attention", r"yours: [^;]*? ([\d.]+) at 16;", "reverse_luong/exact_match[16]", 1, 0),
    ("02_attention", r"both ways: [^;]*? ([\d.]+) at 12,", "recurrent_translators/both_ways/exact_match[12]", 1, 0),
    ("03_self_attention", r"LSTM's on one thread, self-attention: [^;]*? ([\d.]+) at 1024 words",
     "time_by_length/attention[1024]", 1, 0.3),
    ("03_self_attention", r"largest key, unscaled: [\d.]+ at 4, ([\d.]+) at 1024", "saturation/largest_unscaled[1024]",
     1, 0.01),
    ("03_self_attention", r"unscaled from [\d.]+ to ([\d.]+)\.", "wide_look_up_unscaled/loss[300]", 1, 0.02),
    ("03_self_attention", r"mystery: ([\d.]+) at 1,", "ask_together_mystery/accuracy[1]", 1, 0.02),
    ("04_multi_head_attention", r"one head: [^;]*? ([\d.]+) at 500;", "one_head/both right[500]", 1, 0.02),
    ("05_positional_encoding", r"no positions from [\d.]+ to ([\d.]+);", "none/loss[300]", 1, 0.01),
    ("05_positional_encoding", r"positions below 16, (\d+)% from there", "beyond_embedding/new", 100, 0.02),
    ("06_encoder_block", r"pre-norm: [\d.]+ after one layer, ([\d.]+) after all", "gradient_by_layer/both[12]", 1, 0.1),
    ("06_encoder_block", r"without residual connections(?: +[\d.]+){2} +([\d.]+)", "loss_by_depth/without[3]", 1, 0.05),
    ("14_costs", r"attention: [^;]*?; memory from [\d.]+ to ([\d.]+) megabytes", "memory/attention[4096]", 1, 0),
    ("14_costs", r"at 4,096 words: ([\d.]+)", "price of chunks/ratio", 1, 0.1),
    ("14_costs", r"\n +2 +16 MiB +([\d.]+) ", "a token/copied[2]", 1, 0.1),
    ("14_costs", r"\n +1 +8 MiB +[\d.]+ +([\d.]+)", "a token/grouped[1]", 1, 0.05),
    ("14_costs", r"linear: [^;]*?, ([\d.]+) of 64", "recall, linear/share[64]", 1, 0.01),
]  # fmt: skip


@pytest.mark.parametrize("lesson, pattern, target, scale, tolerance", SHOWN)
def test_a_committed_output_is_within_the_record(
    course: Course, lesson: str, pattern: str, target: str, scale: float, tolerance: float
) -> None:
    """One seed in three is outside five others, so an interval is widened by its own length, as in live tests."""
    notebook = nbformat.read(course.solution_notebook(lesson), as_version=nbformat.NO_CONVERT)
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    shown = "\n".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in outputs)
    found = re.search(pattern, shown)
    assert found, "the solution no longer shows this number"
    assert Numbers(lesson).interval(target).covers([float(found[1]) / scale], tolerance, lengths=1), found[0]
