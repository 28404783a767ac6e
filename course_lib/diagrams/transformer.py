"""The whole Transformer, as it grows from lesson 03 to lesson 10: each part with the lesson that builds it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from course_lib.diagrams.canvas import SMALL, Canvas, Kind

LEFT, RIGHT, COLUMN = 16.0, 318.0, 266.0
INSIDE, SIZE = 14.0, 17.0


@dataclass(frozen=True)
class Part:
    """A box of the drawing.

    Attributes:
        exercises: the part is yours when all of these pass.
    """

    label: str
    lesson: str
    exercises: tuple[str, ...]


IDS = Part("Words to ids", "00", ("vocabulary", "pad_batch"))
PADDING = Part("Mask", "02", ("padding_mask",))
ATTENTION = Part("Attention", "03", ("scaled_dot_product_attention", "self_attention"))
HEADS = Part("Multi-head", "04", ("split_heads", "merge_heads", "multi_head_attention"))
POSITIONS = Part("Embed + position", "05", ("sinusoidal_encoding", "position_embedding"))
NORM = Part("Add & norm", "06", ("layer_norm", "residual_sublayer"))
NETWORK = Part("Feed-forward", "06", ("feed_forward",))
ENCODER = Part("Encoder layer × N", "06", ("encoder_layer", "encoder"))
CAUSAL = Part("Mask", "07", ("causal_mask", "decoder_mask"))
CROSS = Part("Cross-attention", "08", ("cross_attention",))
DECODER = Part("Decoder layer × N", "08", ("decoder_layer", "decoder"))
WHOLE = Part("Next-word scores", "08", ("transformer",))
TRAINING = Part("Train", "09", ("shift_targets", "label_smoothed_loss", "warmup_schedule", "train_step"))
DECODING = Part("Decode", "10", ("greedy_decode", "beam_search"))

PARTS = (IDS, PADDING, ATTENTION, HEADS, POSITIONS, NORM, NETWORK, ENCODER, CAUSAL, CROSS, DECODER, WHOLE, TRAINING,
         DECODING)  # fmt: skip
EXERCISES = tuple(exercise for part in PARTS for exercise in part.exercises)


def draw(passed: Collection[str] = (), lesson: str = "10") -> Canvas:
    """Draw the current state of the Transformer.

    Args:
        passed: the exercises whose parts are the student's own.
        lesson: the current lesson; what a later one builds is dashed.
    """
    return _Drawing(frozenset(passed), lesson[:2]).canvas


class _Drawing:
    def __init__(self, passed: frozenset[str], lesson: str) -> None:
        self.passed, self.lesson = passed, lesson
        yours = [f"{part.label} (lesson {part.lesson})" for part in PARTS if self.kind(part) == "yours"]
        later = [f"{part.label} (lesson {part.lesson})" for part in PARTS if self.kind(part) == "later"]
        self.canvas = Canvas(
            892,
            f"The Transformer after lesson {lesson}" if lesson else "The Transformer",
            "Two columns, read from bottom to top. Left, the encoder: words become ids, ids become vectors with a "
            "position; then a layer of multi-head attention and a feed-forward network, each followed by add and norm. "
            "Right, the decoder: the same, with a mask over later words and, between its two sub-layers, "
            "cross-attention to the encoder's output, the memory. At the top it scores the next word. "
            f"Yours so far: {', '.join(yours) or 'no part yet'}. Still to come: {', '.join(later) or 'nothing'}.",
        )
        self._decoder()
        self._encoder()
        self._legend()

    def kind(self, part: Part) -> Kind:
        if self.passed.issuperset(part.exercises):
            return "yours"
        return "later" if part.lesson > self.lesson else "plain"

    def part(self, part: Part, x: float, y: float, width: float, height: float = 42) -> None:
        """Draw a box with its label at the left and its lesson at the right."""
        self.canvas.box(x, y, width, height, kind=self.kind(part))
        self._label(part, x, y + min(height, 44) / 2, width)

    def sublayer(self, outer: Part, mask: Part, x: float, y: float, width: float) -> None:
        """Draw attention with what each lesson puts around it."""
        self.part(outer, x, y, width, 100)
        self._inner(ATTENTION, x + 10, y + 38, 128)
        self._inner(mask, x + 146, y + 38, width - 156)

    def _inner(self, part: Part, x: float, y: float, width: float) -> None:
        """Draw a box inside a box, with its lesson below its label."""
        lesson = f"{self._mark(part)}{part.lesson}"
        self.canvas.box(x, y, width, 54, part.label, lesson, kind=self.kind(part), size=SIZE)

    def _label(self, part: Part, x: float, y: float, width: float) -> None:
        self.canvas.text(x + 10, y, part.label, SIZE, "start")
        self.canvas.text(x + width - 10, y, f"{self._mark(part)}{part.lesson}", SMALL, "end", "soft")

    def _mark(self, part: Part) -> str:
        return "✓ " if self.kind(part) == "yours" else ""

    def _frame(self, part: Part, x: float, top: float, bottom: float) -> None:
        self.canvas.frame(x, top, COLUMN, bottom - top, self.kind(part))
        self._label(part, x + 4, top + 22, COLUMN - 8)

    def _up(self, x: float, start: float, end: float) -> None:
        self.canvas.arrow((x, start), (x, end + 2))

    def _bottom(self, x: float, words: str) -> None:
        middle = x + COLUMN / 2
        self.canvas.text(middle, 872, words, SMALL, look="soft")
        self._up(middle, 858, 838)
        self.part(IDS, x, 796, COLUMN)
        self._up(middle, 796, 774)
        self.part(POSITIONS, x, 732, COLUMN)
        self._up(middle, 732, 696)

    def _encoder(self) -> None:
        x, width, middle = LEFT + INSIDE, COLUMN - 2 * INSIDE, LEFT + COLUMN / 2
        self._bottom(LEFT, "the English sentence")
        self._frame(ENCODER, LEFT, 366, 710)
        self.sublayer(HEADS, PADDING, x, 596, width)
        self._up(middle, 596, 574)
        self.part(NORM, x, 538, width, 36)
        self._up(middle, 538, 516)
        self.part(NETWORK, x, 474, width)
        self._up(middle, 474, 452)
        self.part(NORM, x, 416, width, 36)
        self.canvas.arrow((216, 416), (216, 338), (300, 338), (300, 426), (RIGHT + INSIDE - 2, 426))
        self.canvas.text(204, 338, "memory", SMALL, "end", "soft")

    def _decoder(self) -> None:
        x, width, middle = RIGHT + INSIDE, COLUMN - 2 * INSIDE, RIGHT + COLUMN / 2
        self._bottom(RIGHT, "the French so far")
        self._frame(DECODER, RIGHT, 172, 710)
        self.sublayer(HEADS, CAUSAL, x, 596, width)
        self._up(middle, 596, 574)
        self.part(NORM, x, 538, width, 36)
        self._up(middle, 538, 508)
        self.sublayer(CROSS, PADDING, x, 408, width)
        self._up(middle, 408, 380)
        self.part(NORM, x, 344, width, 36)
        self._up(middle, 344, 322)
        self.part(NETWORK, x, 280, width)
        self._up(middle, 280, 258)
        self.part(NORM, x, 222, width, 36)
        self._up(middle, 172, 142)
        self.part(WHOLE, RIGHT, 100, COLUMN)
        train, gap = 0.42 * COLUMN, 14  # the shorter word in the narrower box
        for part, left, width in ((TRAINING, 0, train), (DECODING, train + gap, COLUMN - train - gap)):
            self._up(RIGHT + left + width / 2, 100, 62)
            self.part(part, RIGHT + left, 20, width)

    def _legend(self) -> None:
        kinds: tuple[tuple[Kind, str], ...] = (
            ("yours", "✓ yours, and it passes"),
            ("plain", "this lesson's, or earlier"),
            ("later", "a later lesson's"),
        )
        for number, (kind, words) in enumerate(kinds):
            y = 26.0 + 40 * number
            self.canvas.box(LEFT, y, 34, 26, kind=kind, corner=5)
            self.canvas.text(LEFT + 46, y + 13, words, SMALL, "start")
        self.canvas.text(LEFT, 26 + 40 * 3 + 10, "The number is the lesson.", SMALL, "start", "soft")
