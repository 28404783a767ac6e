"""From an English sentence to a French one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.corpus import detokenize, tokenize
from course_lib.misused import Misused
from course_lib.parameters import load_parameters
from course_lib.translator.recorded_attention import recorded_attention
from course_lib.translator.torch_transformer import TorchTransformer
from course_lib.translator.trained import (
    BOS_ID,
    EOS_ID,
    About,
    english_tokens,
    french_tokens,
    read_about,
    read_weights,
)

#: ``(network, source ids (B, S), bos_id, eos_id, max_length)`` to ids (B, T), like `greedy_decode`
Decode = Callable[[Any, Tensor, int, int, int], Tensor]


#: words for a sentence of one's own
SOME_WORDS = ("farmer", "student", "book", "dog", "red", "old", "sees", "reads", "gives", "sings")


class UnknownWordsError(Misused):
    """A sentence with words that the translator has never seen. The message says which."""


@dataclass(frozen=True)
class Attention:
    """What the decoder looked at while it translated.

    Attributes:
        source: S words of the English sentence.
        target: T words of the French one, the last of them ``<eos>``.
        heads: the cross-attention's weights (layers, H, T, S): row t, when it wrote word t.
    """

    source: list[str]
    target: list[str]
    heads: Tensor

    @property
    def weights(self) -> Tensor:
        """Return the mean over all heads of all layers, (T, S)."""
        return self.heads.mean(dim=(0, 1))


class Translator:
    """A trained network with its words.

    Args:
        network: with the ``encode`` and ``decode`` of `Transformer`, in evaluation mode.
        about: what is known about its weights.
        decode: the decoding function.
        english: the English token of each id; by default, those of the translator that ships.
        french: the French token of each id, likewise.
    """

    def __init__(
        self,
        network: nn.Module,
        about: About,
        decode: Decode,
        english: tuple[str, ...] | None = None,
        french: tuple[str, ...] | None = None,
    ) -> None:
        self.network, self.about, self.decode = network, about, decode
        self.english, self.french = english or english_tokens(), french or french_tokens()
        self.english_ids = {word: i for i, word in enumerate(self.english)}

    def translate(self, text: str) -> str:
        """Translate an English sentence into French; a full stop is added if the end mark is missing.

        Raises:
            UnknownWordsError: it has words that are not in the corpus.
            ValueError: it is empty or too long.
        """
        return detokenize(self.translate_tokens(self.tokens(text)), "fr")

    def translate_all(self, texts: Sequence[str]) -> list[str]:
        """Translate several English sentences into French."""
        return [self.translate(text) for text in texts]

    def translate_tokens(self, tokens: Sequence[str]) -> list[str]:
        """Return the French tokens for English tokens, as the corpus writes them."""
        said = [self.french[i] for i in self._decoded(tokens)]
        return said[: said.index("<eos>")] if "<eos>" in said else said

    def attention(self, text: str) -> Attention:
        """Translate ``text``, and return what the decoder looked at for each word it wrote."""
        tokens = self.tokens(text)
        written = self._decoded(tokens)
        target = torch.tensor([[BOS_ID, *written[:-1]]])  # (1, T): the decoder's input for each word
        with torch.no_grad(), recorded_attention(self.network, "cross_attention", "multihead_attn") as heads:
            self.network.decode(target, *self.network.encode(self._ids(tokens)))  # type: ignore[operator]
        return Attention(list(tokens), [self.french[i] for i in written], torch.cat(heads))

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of an English sentence, all of them known.

        Raises:
            UnknownWordsError: some are not.
            Misused: there are none, or more than half as many as the network has positions: French is longer.
        """
        tokens = tokenize(text, "en")
        longest = self.about.configuration["max_length"] // 2
        if not tokens or len(tokens) > longest:
            raise Misused(f"A sentence has 1 to {longest} words and marks; this one has {len(tokens)}.")
        unknown = list(dict.fromkeys(token for token in tokens if token not in self.english_ids))
        if unknown:
            raise UnknownWordsError(
                f"The translator knows only {len(self.english) - 4} words of English. These are not among them: "
                + "; ".join(self._with_similar(token) for token in unknown)
                + f". It does know {_quoted([word for word in SOME_WORDS if word in self.english_ids])}."
            )
        return tokens if tokens[-1] in (".", "?") else [*tokens, "."]

    def _with_similar(self, token: str) -> str:
        """Return an unknown word in quotes, with the words of the vocabulary that are spelled like it."""
        similar = get_close_matches(token, self.english[4:], 2)
        return _quoted([token]) + (f" (similar: {_quoted(similar)})" if similar else "")

    def _ids(self, tokens: Sequence[str]) -> Tensor:
        return torch.tensor([[self.english_ids[token] for token in tokens]])  # (1, S)

    def _decoded(self, tokens: Sequence[str]) -> list[int]:
        longest = self.about.configuration["max_length"]
        written: list[int] = self.decode(self.network, self._ids(tokens), BOS_ID, EOS_ID, longest)[0].tolist()
        return written


@torch.no_grad()
def likeliest_words(network: Any, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    """Decode a single sentence greedily: (1, S) to (1, T)."""
    memory, memory_mask = network.encode(source)
    written = torch.tensor([[bos_id]])
    while int(written[0, -1]) != eos_id and written.size(1) <= max_length:
        scores = network.decode(written, memory, memory_mask)[0, -1]  # (V,)
        written = torch.cat([written, scores.argmax().view(1, 1)], dim=1)
    return written[:, 1:]


def load_translator(transformer: Callable[..., nn.Module] | None = None, decode: Decode | None = None) -> Translator:
    """Load the trained translator.

    Args:
        transformer: your own `Transformer`, to be filled with the trained weights. By default, the network is
            built from torch's own layers, so that it runs before you have written any.
        decode: your own decoding, like `greedy_decode`. By default, decoding takes the likeliest word each time.

    Raises:
        ValueError: the weights belong to other words than those of the corpus.
    """
    about = read_about()
    return Translator(build_network(about.configuration, read_weights(), transformer), about, decode or likeliest_words)


def build_network(
    configuration: dict[str, Any], weights: dict[str, Tensor], transformer: Callable[..., nn.Module] | None = None
) -> nn.Module:
    """Build a network with given weights, in evaluation mode.

    Args:
        configuration: the arguments of `Transformer`.
        weights: by the names of its parameters, and ``positions`` (L, D).
        transformer: `Transformer`, or a similar class; by default, the network is built from torch's own layers.
    """
    if transformer is None:
        return TorchTransformer(configuration, weights).eval()
    with torch.random.fork_rng(devices=[]):  # its initial weights are overwritten at once
        network = transformer(**configuration)
    load_parameters(network, {name: weight for name, weight in weights.items() if name != "positions"})
    return network.eval()


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)
