"""The whole Transformer, as it grows from lesson 03 to lesson 11: each part with the lesson that builds it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from course_lib.diagrams.canvas import SMALL, Canvas, Kind

LEFT, RIGHT, COLUMN = 16.0, 318.0, 266.0
SIZE = 17.0
OUT = 196.0  #: where a stack's output leaves it, between the label of its frame and the lesson


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
NORM = Part("Norm", "06", ("layer_norm", "residual_sublayer"))
NETWORK = Part("Feed-forward", "06", ("feed_forward",))
ENCODER = Part("Encoder layer × N", "06", ("encoder_layer", "encoder"))
CAUSAL = Part("Mask", "07", ("causal_mask", "decoder_mask"))
CROSS = Part("Cross-attention", "08", ("cross_attention",))
DECODER = Part("Decoder layer × N", "08", ("decoder_layer", "decoder"))
WHOLE = Part("Next-word scores", "08", ("transformer",))
TRAINING = Part("Train", "09", ("shift_targets", "label_smoothed_loss", "warmup_schedule", "adam_w", "train_step"))
DECODING = Part("Decode", "10", ("greedy_decode", "beam_search"))

PARTS = (IDS, PADDING, ATTENTION, HEADS, POSITIONS, NORM, NETWORK, ENCODER, CAUSAL, CROSS, DECODER, WHOLE, TRAINING,
         DECODING)  # fmt: skip
EXERCISES = tuple(exercise for part in PARTS for exercise in part.exercises)


#: heights in a layer: of a norm, of the circle that adds, of an arrow between boxes, and of one that branches
_NORM, _ADD, _GAP, _BRANCH = 36.0, 26.0, 16.0, 34.0
_BOTTOM = 912.0  #: the lower edge of both stacks


def draw(passed: Collection[str] = (), lesson: str = "10", norm_first: bool = True) -> Canvas:
    """Draw the current state of the Transformer.

    Args:
        passed: the exercises whose parts are the student's own.
        lesson: the current lesson; what a later one builds is dashed.
        norm_first: pre-norm, which is the default of the classes, too; or post-norm.
    """
    return _Drawing(frozenset(passed), lesson[:2], norm_first).canvas


class _Drawing:
    def __init__(self, passed: frozenset[str], lesson: str, norm_first: bool) -> None:
        self.passed, self.lesson, self.norm_first = passed, lesson, norm_first
        self.asks = 0.0
        yours = [f"{part.label} (lesson {part.lesson})" for part in PARTS if self.kind(part) == "yours"]
        later = [f"{part.label} (lesson {part.lesson})" for part in PARTS if self.kind(part) == "later"]
        norms = (
            "Each sub-layer has a norm below it, and an arrow past both adds the input to its output. One more norm "
            "follows after the last layer"
            if norm_first
            else "An arrow past each sub-layer adds the input to its output, and a norm follows"
        )
        self.canvas = Canvas(
            _BOTTOM + 182,
            f"The Transformer after lesson {lesson}" if lesson else "The Transformer",
            "Two columns, read from bottom to top. Left, the encoder: words become ids, ids become vectors with a "
            "position; then layers of multi-head attention and a feed-forward network. "
            f"{norms}. What leaves the whole encoder at the top is the memory. "
            "Right, the decoder: the same, with a mask over later words and, between its two sub-layers, "
            "cross-attention to the memory. At the top it scores the next word. "
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
        self._inner(ATTENTION, x + 10, y + 38, 112)
        self._inner(mask, x + 130, y + 38, width - 140)

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
        self.canvas.text(middle, _BOTTOM + 162, words, SMALL, look="soft")
        self._up(middle, _BOTTOM + 148, _BOTTOM + 128)
        self.part(IDS, x, _BOTTOM + 86, COLUMN)
        self._up(middle, _BOTTOM + 86, _BOTTOM + 64)
        self.part(POSITIONS, x, _BOTTOM + 22, COLUMN)

    def _stack(
        self, outer: Part, left: float, sublayers: Sequence[tuple[Part, Part | None]]
    ) -> tuple[list[tuple[float, float]], list[float]]:
        """Draw a stack of layers from bottom to top, and the norm after the last one.

        Args:
            sublayers: each with its mask, if it has one.

        Returns:
            The first points of the arrow that leaves the stack, and the middle of each sub-layer.
        """
        x, width = left + 40, COLUMN - 54
        middle, y, middles = x + width / 2, _BOTTOM, list[float]()
        for number, (part, mask) in enumerate(sublayers):
            self._up(middle, y if number else _BOTTOM + 22, y - _BRANCH)
            branch, height = y - 10, 100.0 if mask else 42.0
            y -= _BRANCH
            if self.norm_first:
                y = self._norm_above(y, x, width)
                self._up(middle, y, y - _GAP)
                y -= _GAP
            y -= height
            middles.append(y + height / 2)
            if mask:
                self.sublayer(part, mask, x, y, width)
            else:
                self.part(part, x, y, width)
            self._up(middle, y, y - _GAP)
            y -= _GAP + _ADD
            add = y + _ADD / 2
            self.canvas.box(middle - _ADD / 2, y, _ADD, _ADD, "+", kind=self.kind(NORM), size=SIZE, corner=_ADD / 2)
            self.canvas.arrow((middle, branch), (left + 20, branch), (left + 20, add), (middle - _ADD / 2 - 2, add))
            if not self.norm_first:
                self._up(middle, y, y - _GAP)
                y = self._norm_above(y - _GAP, x, width)
        top = y - 58
        self._frame(outer, left, top, _BOTTOM)
        output = [(middle, y), (middle, y - 14), (left + OUT, y - 14)]
        if self.norm_first:
            self.canvas.arrow(*output, (left + OUT, top - 22))
            output = [(left + OUT, self._norm_above(top - 24, left, COLUMN))]
        return output, middles

    def _norm_above(self, y: float, x: float, width: float) -> float:
        self.part(NORM, x, y - _NORM, width, _NORM)
        return y - _NORM

    def _encoder(self) -> None:
        self._bottom(LEFT, "the English sentence")
        output, _ = self._stack(ENCODER, LEFT, ((HEADS, PADDING), (NETWORK, None)))
        x, above = LEFT + OUT, _BOTTOM - 540
        between = (LEFT + COLUMN + RIGHT) / 2
        self.canvas.arrow(*output, (x, above), (between, above), (between, self.asks), (RIGHT + 38, self.asks))
        self.canvas.text(x - 12, above, "memory", SMALL, "end", "soft")

    def _decoder(self) -> None:
        self._bottom(RIGHT, "the French so far")
        output, middles = self._stack(DECODER, RIGHT, ((HEADS, CAUSAL), (CROSS, PADDING), (NETWORK, None)))
        self.asks = middles[1] - 30  # where cross-attention takes the memory in, above its inner boxes
        self.canvas.arrow(*output, (RIGHT + OUT, 144))
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
