"""Diagrams say what they show, fit their boxes, and lie beside every notebook that shows them."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from course_lib import diagrams
from course_lib.components import Decoder, DecoderLayer, Encoder, EncoderLayer, Transformer
from course_lib.course import Course, find_course
from course_lib.diagrams import transformer
from course_lib.diagrams.canvas import WIDTH, Canvas, width_of
from course_lib.diagrams.lesson_03 import numbers as whose_bowl

SVG = "{http://www.w3.org/2000/svg}"
LESSONS = find_course(Path(__file__).parent).lessons
EVERY_STAGE = [(passed, lesson) for passed in ((), transformer.EXERCISES) for lesson in ("03", "07", "10")]
DRAWN = {
    **{name: diagrams.draw(name) for name in diagrams.names()},
    **{f"transformer-{lesson}-{len(passed)}": transformer.draw(passed, lesson) for passed, lesson in EVERY_STAGE},
    "transformer-post-norm": transformer.draw(transformer.EXERCISES, "10", norm_first=False),
}
each_diagram = pytest.mark.parametrize("drawn", DRAWN.values(), ids=DRAWN)


def tree(drawn: Canvas) -> ElementTree.Element:
    return ElementTree.fromstring(drawn.svg)


def span(text: ElementTree.Element) -> tuple[float, float]:
    """From where to where a line of text goes at most."""
    width = width_of("".join(text.itertext()), float(text.attrib["font-size"]))
    start = float(text.attrib["x"]) - {"start": 0.0, "middle": width / 2, "end": width}[text.attrib["text-anchor"]]
    return start, start + width


def sides(rect: ElementTree.Element) -> tuple[float, float, float, float]:
    x, y, width, height = (float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


@each_diagram
def test_a_diagram_is_well_formed_and_says_what_it_shows(drawn: Canvas) -> None:
    root = tree(drawn)
    assert root.attrib["role"] == "img"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None and title.text and len(title.text) > 10
    assert description is not None and description.text and len(description.text) > 60
    assert root.attrib["aria-labelledby"].split() == [title.attrib["id"], description.attrib["id"]]


@each_diagram
def test_a_diagram_asks_for_nothing_from_outside(drawn: Canvas) -> None:
    assert not re.findall(r"href|url\(|@import|<script|<image|on\w+=", drawn.svg)


@each_diagram
def test_a_diagram_is_light_or_dark_as_its_reader_is(drawn: Canvas) -> None:
    light, dark = drawn.svg.split("@media (prefers-color-scheme: dark)")
    names = set(re.findall(r"var\((--\w+)\)", drawn.svg))
    assert names
    assert all(f"{name}:" in light and f"{name}:" in dark for name in names)
    assert 'class="paper"' in drawn.svg, "it brings its own background"


@each_diagram
def test_words_stay_in_their_box_and_boxes_on_the_canvas(drawn: Canvas) -> None:
    for group in tree(drawn).iter(f"{SVG}g"):
        rect = group.find(f"{SVG}rect")
        assert rect is not None
        left, top, right, bottom = sides(rect)
        assert left >= 0 and top >= 0 and right <= WIDTH and bottom <= drawn.height
        for text in group.iter(f"{SVG}text"):
            start, end = span(text)
            said = "".join(text.itertext())
            assert left <= start and end <= right, f"{said!r} is wider than its box"
            assert top + float(text.attrib["font-size"]) * 0.7 <= float(text.attrib["y"]) <= bottom, said


@each_diagram
def test_no_two_texts_overlap_and_none_leaves_the_canvas(drawn: Canvas) -> None:
    places = []
    for text in tree(drawn).iter(f"{SVG}text"):
        (start, end), size = span(text), float(text.attrib["font-size"])
        said, base = "".join(text.itertext()), float(text.attrib["y"])
        assert start >= 0 and end <= WIDTH and size <= base <= drawn.height, f"{said!r} leaves the canvas"
        places.append((said, start, end, base - 0.75 * size, base + 0.2 * size))
    for (one, *a), (other, *b) in combinations(places, 2):
        apart = a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2]
        assert apart, f"{one!r} and {other!r} overlap"


@each_diagram
def test_words_can_be_read_on_a_narrow_page(drawn: Canvas) -> None:
    sizes = [float(text.attrib["font-size"]) for text in tree(drawn).iter(f"{SVG}text")]
    assert min(sizes) * 400 / WIDTH >= 11


def test_another_process_makes_the_same_bytes() -> None:
    code = "from course_lib import diagrams\nfor name in diagrams.names(): print(diagrams.draw(name).svg)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True
    )
    assert done.stdout == "".join(f"{diagrams.draw(name).svg}\n" for name in diagrams.names())


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_image_of_a_lesson_lies_beside_its_notebooks(course: Course, lesson: str) -> None:
    text = (course.root / "lessons" / f"{lesson}.md").read_text(encoding="utf-8")
    shown = diagrams.images(text)
    assert len(shown) == text.count("!["), "an image of a lesson is a diagram: ![alt](diagrams/NAME.svg)"
    for alt, name in shown:
        assert len(alt) > 40, f"{lesson}: say in words what {name} shows"
        for notebook in (course.student_notebook(lesson), course.solution_notebook(lesson)):
            file = notebook.parent / diagrams.FOLDER / f"{name}.svg"
            assert file.read_text(encoding="utf-8") == diagrams.draw(name).svg, "run: course build"


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_diagram_is_left_where_its_lesson_shows_it_no_more(course: Course, lesson: str) -> None:
    shown = {name for _, name in diagrams.images((course.root / "lessons" / f"{lesson}.md").read_text())}
    for notebook in (course.student_notebook(lesson), course.solution_notebook(lesson)):
        assert {path.stem for path in (notebook.parent / diagrams.FOLDER).glob("*")} == shown


def test_a_notebook_shows_a_diagram_as_an_image_with_its_words() -> None:
    drawn = diagrams.draw("path_length")
    markup = drawn._repr_html_()
    assert markup.startswith('<img alt="From dog to its') and "data:image/svg+xml;base64," in markup
    assert drawn.description in repr(drawn)


def test_a_diagram_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a title and a description"):
        Canvas(100, "A title", " ")


def test_a_part_is_lit_when_all_its_exercises_pass_and_dashed_before_its_lesson() -> None:
    half = transformer.draw(["scaled_dot_product_attention"], "03_self_attention")
    whole = transformer.draw(["scaled_dot_product_attention", "self_attention"], "03_self_attention")
    assert "Yours so far: no part yet" in half.description
    assert "Yours so far: Attention (lesson 03)" in whole.description
    assert "Multi-head (lesson 04)" in whole.description.split("Still to come: ")[1]
    assert "Attention (lesson 03)" not in whole.description.split("Still to come: ")[1]
    assert "nothing" in transformer.draw(transformer.EXERCISES, "10").description.split("Still to come: ")[1]


def texts(drawn: Canvas) -> list[str]:
    return ["".join(text.itertext()) for text in tree(drawn).iter(f"{SVG}text")]


def test_the_growing_drawing_is_pre_norm_or_post_norm_as_the_classes_are() -> None:
    defaults = {
        inspect.signature(drawn).parameters["norm_first"].default
        for drawn in (transformer.draw, Encoder, EncoderLayer, Decoder, DecoderLayer, Transformer)
    }
    assert len(defaults) == 1
    pre, post = (texts(transformer.draw(norm_first=first)) for first in (True, False))
    assert pre.count("+") == post.count("+") == 5, "one sum for each sub-layer"
    assert (pre.count("Norm"), post.count("Norm")) == (7, 5), "pre-norm has one more at the end of each stack"


@pytest.mark.parametrize("norm_first", [True, False])
def test_the_memory_leaves_from_the_top_of_the_whole_encoder(norm_first: bool) -> None:
    drawn = transformer.draw(norm_first=norm_first)
    encoder = next(rect for rect in tree(drawn).iter(f"{SVG}rect") if "fill: none" in rect.attrib.get("style", "")
                   and float(rect.attrib["x"]) == transformer.LEFT)  # fmt: skip
    _, top, right, _ = sides(encoder)
    (word,) = (text for text in tree(drawn).iter(f"{SVG}text") if "".join(text.itertext()) == "memory")
    assert float(word.attrib["y"]) < top
    paths = [path.attrib["d"] for path in tree(drawn).iter(f"{SVG}path")]
    points = [[tuple(map(float, point.split(","))) for point in path[1:].split(" L")] for path in paths]
    (memory,) = (path for path in points if path[0][0] < right < path[-1][0])
    crossing = next(y for (x, y), (after, _) in pairwise(memory) if x <= right < after)
    assert crossing < top, "it passes to the decoder above the encoder's layers, and not from inside one"


def test_the_growing_drawing_knows_only_exercises_that_exist() -> None:
    from course_lib.contents import public_exercises

    lesson_of = {entry.id: entry.lesson[:2] for entry in public_exercises()}
    for part in transformer.PARTS:
        assert {lesson_of[exercise] for exercise in part.exercises} == {part.lesson}


def test_the_lesson_computes_with_the_numbers_that_its_diagram_shows(course: Course) -> None:
    text = (course.root / "lessons" / "03_self_attention.md").read_text(encoding="utf-8")
    cells = re.findall(r"```{code-cell}\n:tags: \[demo\]\n\n(.*?)\n```", text, re.DOTALL)
    (cell,) = [cell for cell in cells if "\nW_q = " in cell]
    said: dict[str, object] = {}
    exec("import numpy as np\nprint = lambda *_: None\n" + cell, said)
    for name, ours in (("queries", whose_bowl.QUERIES), ("keys", whose_bowl.KEYS), ("values", whose_bowl.VALUES)):
        assert (said[name] == ours).all()
    assert tuple(said["words"]) == whose_bowl.WORDS  # type: ignore[call-overload]
