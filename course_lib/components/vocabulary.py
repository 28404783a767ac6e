"""The vocabulary: from tokens to ids and back.

Two tables, one for each direction, so that neither `encode` nor `decode` ever searches. Tokens of equal count are put
in alphabetical order: otherwise the ids would depend on the order of the sentences.
"""

from collections import Counter
from collections.abc import Iterable, Sequence


class Vocabulary:
    """A number, the *id*, for each token of a text.

    The first four ids are special: ``pad_id`` 0 is padding, ``bos_id`` 1 begins a sentence,
    ``eos_id`` 2 ends it, and ``unk_id`` 3 stands for every token without an id of its own. The tokens
    of the text follow from 4 on, the most frequent first. Equally frequent tokens come in
    alphabetical order, as Python sorts strings.

    Args:
        sentences: lists of tokens, perhaps from a generator, which can be iterated over only once.
        min_count: how often a token must occur, in all sentences together, to get an id.

    Attributes:
        tokens: a list with the token of each id; it begins with "<pad>", "<bos>", "<eos>" and "<unk>".
        ids: a dict with the id of each token: ``ids[tokens[i]] == i``. (Yours may keep them in other ways.)
    """

    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        counts = Counter(token for sentence in sentences for token in sentence)
        frequent = [token for token, count in counts.items() if count >= min_count]
        frequent.sort(key=lambda token: (-counts[token], token))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>", *frequent]
        self.ids = {token: i for i, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        """The number of ids, V, including the four special ones."""
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """The ids of a sentence, between ``bos_id`` and ``eos_id``, so two more than there are tokens.

        A token without an id becomes ``unk_id``.
        """
        return [self.bos_id, *(self.ids.get(token, self.unk_id) for token in tokens), self.eos_id]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The tokens of a sentence, up to its first ``eos_id`` or, if there is none, to the end.

        ``bos_id`` and ``pad_id`` are left out, wherever they are; ``unk_id`` becomes "<unk>".
        """
        tokens = []
        for i in ids:
            if i == self.eos_id:
                break
            if i not in (self.bos_id, self.pad_id):
                tokens.append(self.tokens[i])
        return tokens
