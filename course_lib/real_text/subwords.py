"""Subwords: pieces of words, so that no word is unknown."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import sentencepiece

from course_lib.replacing import replacing

#: bytes; longer lines are not used for learning subwords
_LONGEST_LINE = 4192


class SubwordsError(ValueError):
    """No subwords can be learned from a text, or read from a file; the message says which, and why."""


class Subwords:
    """A vocabulary of subwords, learned by byte-pair encoding; one for both languages.

    It provides what `TranslationBatches` needs from a vocabulary. The ids are the course's: ``pad_id`` 0, ``bos_id`` 1,
    ``eos_id`` 2 and ``unk_id`` 3, for a character that never occurred in training.

    Args:
        model: SentencePiece's trained model, as bytes.

    Source: Sennrich et al. 2016; Kudo & Richardson 2018 (SentencePiece).
    """

    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, model: bytes) -> None:
        self.model = model
        try:
            self._pieces = sentencepiece.SentencePieceProcessor(model_proto=model)
        except RuntimeError as error:
            raise SubwordsError(f"SentencePiece cannot read these subwords ({error}).") from None

    @classmethod
    def learn(cls, lines: Iterable[str], size: int) -> Subwords:
        """Learn ``size`` subwords from text.

        Raises:
            SubwordsError: the text is too small for this size, has more characters than that, or has no line of a
                sentence's length.
        """
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(lines),
                model_writer=model,
                vocab_size=size,
                model_type="bpe",
                max_sentence_length=_LONGEST_LINE,
                character_coverage=1.0,
                pad_id=cls.pad_id,
                bos_id=cls.bos_id,
                eos_id=cls.eos_id,
                unk_id=cls.unk_id,
                num_threads=1,
                minloglevel=2,
            )
        except RuntimeError as error:
            raise SubwordsError(_reason(str(error), size)) from None
        return cls(model.getvalue())

    def __len__(self) -> int:
        """Return the number of ids, V."""
        return int(self._pieces.get_piece_size())

    @property
    def tokens(self) -> tuple[str, ...]:
        """Return the subword of each id; ``▁`` marks a space."""
        return tuple(self._pieces.id_to_piece(i) for i in range(len(self)))

    def encode(self, text: str) -> list[int]:
        """Return the ids of raw text, between ``bos_id`` and ``eos_id``."""
        return [self.bos_id, *self._pieces.encode(text), self.eos_id]

    def words(self, text: str) -> list[str]:
        """Return the words of a text before they are cut: normalised, each with ``▁`` for the space before it."""
        normalised: str = self._pieces.normalize(text)
        return [f"▁{word}" for word in normalised.split("▁")[1:]]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids, up to the first ``eos_id``."""
        ids = list(ids)
        end = ids.index(self.eos_id) if self.eos_id in ids else len(ids)
        text: str = self._pieces.decode([i for i in ids[:end] if i not in (self.pad_id, self.bos_id)])
        return text

    def save(self, path: Path) -> None:
        """Write the model to a file."""
        with replacing(path) as part:
            part.write_bytes(self.model)

    @classmethod
    def load(cls, path: Path) -> Subwords:
        """Read what `save` wrote.

        Raises:
            SubwordsError: the file is missing or is not a subword model.
        """
        try:
            return cls(path.read_bytes())
        except OSError as error:
            raise SubwordsError(f"{path} cannot be read ({error.strerror or error}).") from None


def _reason(said: str, size: int) -> str:
    """Explain, from SentencePiece's message, why ``size`` subwords cannot be learned, and what to do."""
    if most := re.search(r"too high.*<= (\d+)", said):
        return f"This text is too small for {size:,} subwords. Ask for at most {most[1]}: --vocabulary {most[1]}."
    if least := re.search(r"smaller than required_chars\. \d+ vs (\d+)", said):
        return (
            f"This text has too many different characters for {size:,} subwords. Ask for at least {least[1]}: "
            f"--vocabulary {least[1]}."
        )
    if "sentences_.empty()" in said:
        return (
            f"Every line of this text is empty or longer than {_LONGEST_LINE:,} bytes, from which no subwords are "
            "learned. Put one sentence on a line."
        )
    return f"SentencePiece cannot learn {size:,} subwords from this text ({said})."
