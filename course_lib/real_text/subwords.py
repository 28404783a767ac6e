"""Subwords: pieces of words, so that no word is unknown."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import sentencepiece

#: bytes; subwords are not learned from longer lines
_LONGEST_LINE = 4192


class SubwordsError(ValueError):
    """Text that no subwords can be learned from, or a file that holds none; the message says which, and why."""


class Subwords:
    """A vocabulary of subwords, learned by byte-pair encoding; one for both languages.

    It has what `TranslationBatches` asks of a vocabulary. The ids are the course's: ``pad_id`` 0, ``bos_id`` 1,
    ``eos_id`` 2, ``unk_id`` 3, which stands for a character that training never showed.

    Args:
        model: what SentencePiece keeps of its training, as bytes.

    Source: Sennrich et al. 2016; Kudo & Richardson 2018 (SentencePiece).
    """

    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, model: bytes) -> None:
        self.model = model
        try:
            self._pieces = sentencepiece.SentencePieceProcessor(model_proto=model)
        except RuntimeError as error:
            raise SubwordsError(f"These are no subwords that SentencePiece can read ({error}).") from None

    @classmethod
    def learn(cls, lines: Iterable[str], size: int) -> Subwords:
        """Learn so many subwords from text.

        Raises:
            SubwordsError: the text is too small for so many, has more characters than that, or has no line of a
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
        """The number of ids, V."""
        return int(self._pieces.get_piece_size())

    @property
    def tokens(self) -> tuple[str, ...]:
        """The subword of each id; ``▁`` stands for a space."""
        return tuple(self._pieces.id_to_piece(i) for i in range(len(self)))

    def encode(self, text: str) -> list[int]:
        """The ids of a text, as it is written, between ``bos_id`` and ``eos_id``."""
        return [self.bos_id, *self._pieces.encode(text), self.eos_id]

    def words(self, text: str) -> list[str]:
        """The words of a text as they are before they are cut: normalised, each with ``▁`` for the space before it."""
        normalised: str = self._pieces.normalize(text)
        return [f"▁{word}" for word in normalised.split("▁")[1:]]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids, up to the first ``eos_id``."""
        ids = list(ids)
        end = ids.index(self.eos_id) if self.eos_id in ids else len(ids)
        text: str = self._pieces.decode([i for i in ids[:end] if i not in (self.pad_id, self.bos_id)])
        return text

    def save(self, path: Path) -> None:
        """Write them to a file."""
        part = path.with_name(f"{path.name}.part")
        part.write_bytes(self.model)
        os.replace(part, path)

    @classmethod
    def load(cls, path: Path) -> Subwords:
        """Read what `save` wrote.

        Raises:
            SubwordsError: the file is missing, or something else.
        """
        try:
            return cls(path.read_bytes())
        except OSError as error:
            raise SubwordsError(f"{path} cannot be read ({error.strerror or error}).") from None


def _reason(said: str, size: int) -> str:
    """Why so many subwords cannot be learned, and what to do, by what SentencePiece says."""
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
