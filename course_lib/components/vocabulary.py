"""The vocabulary: a number for each token, and the way back."""

from collections import Counter
from collections.abc import Iterable, Sequence


class Vocabulary:
    """A number, its *id*, for each token of a text.

    The first four ids are special: ``pad_id`` 0 fills up a batch, ``bos_id`` 1 begins a sentence,
    ``eos_id`` 2 ends it, ``unk_id`` 3 stands for every token that has no id of its own. From 4 on
    come the tokens of the text: by count, the most frequent first; those with equal counts by
    alphabet, as Python sorts strings.

    Args:
        sentences: lists of tokens, from training text only; they may come from a generator, which can be read once.
        min_count: how often a token must occur in all of them together to get an id.

    Attributes:
        tokens: the token of each id, a list; it begins with "<pad>", "<bos>", "<eos>" and "<unk>".
        ids: the id of each token, a dict: ``ids[tokens[i]] == i``.
    """

    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        counts = Counter(token for sentence in sentences for token in sentence)
        frequent = [token for token, count in counts.items() if count >= min_count]
        frequent.sort(key=lambda token: (-counts[token], token))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>", *frequent]
        self.ids = {token: i for i, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        """How many ids there are, the four special ones included: V."""
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """The ids of a sentence, between ``bos_id`` and ``eos_id``: two more than there are tokens.

        A token without an id becomes ``unk_id``.
        """
        return [self.bos_id, *(self.ids.get(token, self.unk_id) for token in tokens), self.eos_id]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The tokens of a sentence, up to its first ``eos_id`` or, where there is none, to the end.

        ``eos_id``, ``bos_id`` and ``pad_id`` are left out, wherever they stand; ``unk_id`` becomes "<unk>".
        """
        tokens = []
        for i in ids:
            if i == self.eos_id:
                break
            if i not in (self.bos_id, self.pad_id):
                tokens.append(self.tokens[i])
        return tokens
