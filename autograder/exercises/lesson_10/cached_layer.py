"""Exercise `cached_layer`: a decoder layer that keeps keys and values, and reads each token once.

What a step returns does not tell whether something was kept or worked out again. So in one question the layer's
weights change between two steps: what was kept is as it was.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_10.modules import layer_weights
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference
from course_lib.checking.recognisers.lesson_10 import keys_kept_without_values, values_kept_without_keys
from course_lib.checking.values import Value
from course_lib.components.attention import scaled_dot_product_attention
from course_lib.components.merge_heads import merge_heads
from course_lib.components.split_heads import split_heads


def _translation(
    draw: Draw, batch: int, steps: int, memory: int, d_model: int, masked: bool = False
) -> dict[str, Value]:
    mask = torch.ones(batch, 1, 1, memory, dtype=torch.bool)
    if masked:  # sentences of different lengths, none of them empty
        for row in range(batch):
            mask[row, :, :, memory - row :] = False
    return {
        "memory": draw.tensor(batch, memory, d_model),
        "memory_mask": mask,
        "tokens": draw.tensor(batch, steps, d_model),
    }


def _question(
    name: str,
    weights: dict[str, Tensor],
    *calls: dict[str, Value],
    num_heads: int = 2,
    norm_first: bool = True,
    **more: Value,
) -> Question:
    d_ff, d_model = weights["feed_forward.w_1.weight"].shape
    build = {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff, "dropout": 0.0, "norm_first": norm_first}
    given = {"over": "DecoderLayer", "build": build, "weights": weights, "calls": list(calls), "returns": ["outputs"]}
    return Question(name, probes.step_by_step, {**given, **more})


def ask(draw: Draw) -> Iterator[Question]:
    """One token, two, many; padded memory; post-norm; weights that change on the way; two translations; a cube, to name what crashes.

    Widths are 4 and 6: answers are many, and should be small.
    """
    small, weights = layer_weights(draw, 4, 3), layer_weights(draw, 6, 5)
    yield _question("first_token", small, _translation(draw, 1, 1, 2, 4))
    yield _question("two_tokens", small, _translation(draw, 1, 2, 3, 4))
    batch, steps, memory = draw.shuffled((3, 4, 5))
    yield _question("plain", weights, _translation(draw, batch, steps, memory, 6), num_heads=3)
    yield _question("padded", weights, _translation(draw, 3, 4, 4, 6, masked=True))  # as many tokens as memory
    yield _question("post_norm", weights, _translation(draw, 2, 3, 4, 6), norm_first=False)
    changed = {name: weight for name, weight in layer_weights(draw, 6, 5).items() if "attention.w_" in name}
    yield _question("kept", weights, _translation(draw, 2, 4, 3, 6), changed=changed, change_at=2)
    yield _question("again", weights, _translation(draw, 2, 3, 4, 6), _translation(draw, 2, 2, 5, 6))
    yield _question("cube", weights, _translation(draw, 2, 2, 2, 6))


def _outputs(call: int = 0) -> dict[str, list[str]]:
    return {"fields": [f"calls/{call}/outputs"]}


LAWS = (
    Law("first_token", equals_reference, "first_token", "the first token comes out right", 0.5, _outputs()),
    Law("two_tokens", equals_reference, "two_tokens", "so does the second, which attends to the first", 0.25, _outputs()),
    Law("equals_plain", equals_reference, "plain", "in a batch of longer sentences every step equals the whole layer's", 0.5, _outputs(), also=("cube",)),
    Law("padded", equals_reference, "padded", "padding in the memory is hidden by `memory_mask`", 0.25, _outputs()),
    Law("post_norm", equals_reference, "post_norm", "a post-norm layer comes out right", 0.25, _outputs()),
    Law("kept", equals_reference, "kept", "keys and values are kept: when the layer's weights change on the way, those made before stay", 1.0, _outputs()),
    Law("again", equals_reference, "again", "a second translation does not remember the first", 0.25, _outputs(1)),
)  # fmt: skip

MEMORY_KEYS = "split_heads(attention.w_k(memory), attention.num_heads)"
MEMORY_VALUES = "split_heads(attention.w_v(memory), attention.num_heads)"
NEW_QUERY = "        query = split_heads(attention.w_q(y), attention.num_heads)  # (B, H, 1, Dh)\n        key"
KEY, VALUE = "split_heads(attention.w_k(y), attention.num_heads)", "split_heads(attention.w_v(y), attention.num_heads)"
KEEP_KEY, KEEP_VALUE = "torch.cat([self.keys, key], dim=2)", "torch.cat([self.values, value], dim=2)"
ATTEND = "scaled_dot_product_attention(query, self.keys, self.values)"
ATTEND_MEMORY = "scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)"
WRITTEN_PART = "attention = self.layer.self_attention"
NO_KEYS = "self.memory_keys[:, :, :0]"

MISTAKES = (
    # what is kept
    mistake(
        "nothing_kept",
        "You keep nothing: every token attends to itself alone, at every step.",
        (
            "Does the output for the second token depend on the first?",
            "What is in `self.keys` after three steps?",
            "`self.keys = torch.cat([self.keys, key], dim=2)`, and the values likewise.",
        ),
        (KEEP_KEY, "key"),
        (KEEP_VALUE, "value"),
        group=ALONE,
    ),
    mistake(
        "keys_without_values",
        "You keep the keys and not the values: at the second token there are weights for two, and one value.",
        (
            "Which shapes have `self.keys` and `self.values` at the second step?",
            "Attention mixes values. Whose?",
            "`self.values = torch.cat([self.values, value], dim=2)`.",
        ),
        (KEEP_VALUE, "value"),
        recogniser=keys_kept_without_values,
        group=ALONE,
    ),
    mistake(
        "values_without_keys",
        "You keep the values and not the keys: at the second token there are two values, and a weight for one.",
        (
            "Which shapes have `self.keys` and `self.values` at the second step?",
            "Attention compares with keys. Whose?",
            "`self.keys = torch.cat([self.keys, key], dim=2)`.",
        ),
        (KEEP_KEY, "key"),
        recogniser=values_kept_without_keys,
        group=ALONE,
    ),
    mistake(
        "own_key_missing",
        "A token of yours attends only to those *before* it: you keep its own key and value after it has attended. The causal mask lets it see itself.",
        (
            "What does the first token attend to, in your layer?",
            "Which comes first: to keep, or to attend?",
            "Keep the new key and value first, then attend to all.",
        ),
        (f"attended, _ = {ATTEND}", "attended, _ = scaled_dot_product_attention(query, self.keys[:, :, :-1], self.values[:, :, :-1])"),
        group=ALONE,
    ),
    mistake(
        "own_key_missing_but_first",
        "From the second token on, a token of yours attends only to those *before* it, and not to itself: you keep its own key and value after it has attended. The causal mask lets it see itself.",
        (
            "How many keys does the second token attend to, in your layer?",
            "Which comes first: to keep, or to attend?",
            "Keep the new key and value first, then attend to all.",
        ),
        (f"attended, _ = {ATTEND}", "before = slice(0, max(1, self.keys.size(2) - 1))\n        attended, _ = scaled_dot_product_attention(query, self.keys[:, :, before], self.values[:, :, before])"),
        group=ALONE,
    ),
    mistake(
        "first_sentence_for_all",
        "You keep the keys and values of the first sentence only: every sentence of the batch attends to what is written in that one.",
        (
            "With one sentence you are right, with a batch you are not. Whose keys does the second sentence attend to?",
            "Which shape have the keys that you keep: is the batch's axis still there?",
            "`self.keys = torch.cat([self.keys, key], dim=2)`, of shape (B, H, t, Dh).",
        ),
        (f"attended, _ = {ATTEND}", "attended, _ = scaled_dot_product_attention(query, self.keys[:1], self.values[:1])"),
        group=ALONE,
    ),
    mistake(
        "two_tokens_remembered",
        "You keep the key and the value of the last token only, not of all before: each token sees itself and the one before it.",
        (
            "How many keys are there at the fourth step?",
            "To what do you append the new key: to all that are kept, or to the last?",
            "`self.keys = torch.cat([self.keys, key], dim=2)`.",
        ),
        (KEEP_KEY, "torch.cat([self.keys[:, :, -1:], key], dim=2)"),
        (KEEP_VALUE, "torch.cat([self.values[:, :, -1:], value], dim=2)"),
        group=ALONE,
    ),
    mistake(
        "values_in_another_order",
        "You append the new key behind and put the new value in front. Key number i and value number i must belong to one token.",
        (
            "Which token has the last key? Which has the last value?",
            "Compare your two `torch.cat`.",
            "The same order in both: `[self.values, value]`.",
        ),
        (KEEP_VALUE, "torch.cat([value, self.values], dim=2)"),
        group=ALONE,
    ),
    mistake(
        "worked_out_again",
        "You keep the tokens' vectors and make keys and values of *all* of them at every step, of the memory too. The results are right, and nothing is saved: that is the work that the cache is there to avoid.",
        (
            "How many vectors go through `w_k` at the tenth step?",
            "What do you keep: the vectors, or the keys and values made of them?",
            "Keep what comes out of `w_k` and `w_v`.",
        ),
        (KEY, "torch.empty(0)"),
        (VALUE, "self.seen = torch.cat([*([self.seen] if hasattr(self, 'seen') else []), y], dim=1)"),
        (KEEP_KEY, "split_heads(attention.w_k(self.seen), attention.num_heads)"),
        (KEEP_VALUE, "split_heads(attention.w_v(self.seen), attention.num_heads)"),
        ("self.layer, self.memory_mask = layer, memory_mask", "self.layer, self.memory_mask, self.memory = layer, memory_mask, memory"),
        (f"attended, _ = {ATTEND_MEMORY}", """keys = split_heads(attention.w_k(self.memory), attention.num_heads)
        values = split_heads(attention.w_v(self.memory), attention.num_heads)
        attended, _ = scaled_dot_product_attention(query, keys, values, self.memory_mask)"""),
        group=ALONE,
    ),
    mistake(
        "written_worked_out_again",
        "You keep the tokens' vectors and make keys and values of *all* of them at every step. The results are right, but only the memory is saved: what is written goes through `w_k` and `w_v` again and again.",
        (
            "How many vectors go through the self-attention's `w_k` at the tenth step?",
            "What do you keep: the vectors, or the keys and values made of them?",
            "Keep what comes out of `w_k` and `w_v`.",
        ),
        (KEY, "split_heads(y, attention.num_heads)"),
        (VALUE, "key"),
        (f"attended, _ = {ATTEND}", "seen = merge_heads(self.keys)\n        keys, values = (split_heads(w(seen), attention.num_heads) for w in (attention.w_k, attention.w_v))\n        attended, _ = scaled_dot_product_attention(query, keys, values)"),
        group=ALONE,
    ),
    mistake(
        "memory_worked_out_again",
        "You make the memory's keys and values at every step anew. The results are right; but the memory is the same at every step, and this is most of the work of a short sentence.",
        (
            "How often does the memory go through `w_k` in a translation of ten tokens?",
            "When is the memory known: at each step, or before the first?",
            "Once, in `__init__`.",
        ),
        ("self.layer, self.memory_mask = layer, memory_mask", "self.layer, self.memory_mask, self.memory = layer, memory_mask, memory"),
        (f"attended, _ = {ATTEND_MEMORY}", """keys = split_heads(attention.w_k(self.memory), attention.num_heads)
        values = split_heads(attention.w_v(self.memory), attention.num_heads)
        attended, _ = scaled_dot_product_attention(query, keys, values, self.memory_mask)"""),
        group=ALONE,
    ),
    mistake(
        "shared_by_all_translations",
        "Your keys and values belong to the class, not to the object: the second translation attends to the tokens of the first.",
        (
            "Make two of them, one after the other. What does the second find in its `keys`?",
            "Where do the kept keys begin their life: in `__init__`, or in the body of the class?",
            "`self.keys = ...` in `__init__`, empty for each new translation.",
        ),
        (f"        self.keys = {NO_KEYS}  # (B, H, 0, Dh): nothing is written yet\n", f"        kept = CachedLayer.__dict__.get('kept')\n        self.keys = {NO_KEYS} if kept is None else kept[0]\n"),
        ("        self.values = self.memory_values[:, :, :0]  # (B, H, 0, Dh)\n", "        self.values = self.memory_values[:, :, :0] if kept is None else kept[1]\n"),
        (f"attended, _ = {ATTEND}", f"CachedLayer.kept = (self.keys, self.values)\n        attended, _ = {ATTEND}"),
        group=ALONE,
    ),
    # who attends to what
    mistake(
        "memory_mask_left_out",
        "Your cross-attention sees padding: you do not pass `memory_mask` on.",
        (
            "Change a vector of the memory that is masked. Does your output move?",
            "Which of the two attentions needs a mask here, and which does not?",
            "`scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)`.",
        ),
        (ATTEND_MEMORY, "scaled_dot_product_attention(query, self.memory_keys, self.memory_values)"),
        group="mask",
    ),
    mistake(
        "memory_mask_inverted",
        "You invert `memory_mask`: your cross-attention sees padding, and nothing else. True means that a key may be attended to.",
        (
            "Change a vector of the memory that is not masked. Does your output move?",
            "What does True mean in `memory_mask`, and in what you pass on?",
            "Pass `self.memory_mask` on as it is.",
        ),
        (ATTEND_MEMORY, "scaled_dot_product_attention(query, self.memory_keys, self.memory_values, ~self.memory_mask)"),
        group="mask",
    ),
    mistake(
        "memory_by_the_wrong_attention",
        "You make the memory's keys and values with the layers of the *self*-attention.",
        (
            "Which `w_k` does the memory go through?",
            "A decoder layer has two attentions. Whose keys are those of the memory?",
            "`attention = layer.cross_attention`.",
        ),
        ("        attention = layer.cross_attention\n", "        attention = layer.self_attention\n"),
        group="attention",
    ),
    mistake(
        "memory_kept_with_the_written",
        "Your self-attention sees the memory too: the kept keys begin with those of the memory, and are not empty.",
        (
            "How many keys are there before anything is written?",
            "What do `self.keys` and `self.values` hold at first?",
            "Nothing: (B, H, 0, Dh).",
        ),
        (f"self.keys = {NO_KEYS}", "self.keys = self.memory_keys"),
        ("self.values = self.memory_values[:, :, :0]", "self.values = self.memory_values"),
        group="begin",
    ),
    mistake(
        "written_in_place_of_memory",
        "Your cross-attention attends to what is *written*, and never to the memory.",
        (
            "Change the memory. Does your output move?",
            "Which keys and values does your second attention get?",
            "`self.memory_keys` and `self.memory_values`.",
        ),
        (ATTEND_MEMORY, "scaled_dot_product_attention(query, self.keys, self.values)"),
        group=ALONE,
    ),
    mistake(
        "written_added_to_the_memory",
        "Your cross-attention sees the memory *and* what is written: you append the new keys to those of the memory.",
        (
            "How many keys has your cross-attention at the fourth step?",
            "The memory does not grow. Which `torch.cat` has it in it?",
            "Two pairs, kept apart: what is written grows, the memory's stay as they are.",
        ),
        (f"attended, _ = {ATTEND_MEMORY}", """keys = torch.cat([self.memory_keys, self.keys], dim=2)
        values = torch.cat([self.memory_values, self.values], dim=2)
        written = self.memory_mask.new_ones(*self.memory_mask.shape[:3], self.keys.size(2))
        attended, _ = scaled_dot_product_attention(query, keys, values, torch.cat([self.memory_mask, written], dim=3))"""),
        group=ALONE,
    ),
    # layers
    mistake(
        "keys_by_w_q",
        "You make the new key with `w_q`, the queries' layer.",
        (
            "Three roles, three layers. Which one makes the keys?",
            "Compare your lines for query and key.",
            "`attention.w_k(y)`.",
        ),
        (KEY, "split_heads(attention.w_q (y), attention.num_heads)"),
        group="layers",
    ),
    mistake(
        "values_by_w_k",
        "You make the new value with `w_k`, the keys' layer.",
        (
            "Three roles, three layers. Which one makes the values?",
            "Compare your lines for key and value.",
            "`attention.w_v(y)`.",
        ),
        (VALUE, "split_heads(attention.w_k (y), attention.num_heads)"),
        group="layers",
    ),
    mistake(
        "last_layer_left_out",
        "You return the merged heads of the self-attention as they are: `w_o` is left out.",
        (
            "Which of the four layers of `self_attention` do you call?",
            "What does `MultiHeadAttention` do after it has merged its heads?",
            "`attention.w_o(merge_heads(attended))`.",
        ),
        ("self.keys, self.values)  # (B, H, 1, Dh)\n        output: Tensor = attention.w_o(merge_heads(attended))", "self.keys, self.values)  # (B, H, 1, Dh)\n        output: Tensor = merge_heads(attended)"),
        group="end",
    ),
    mistake(
        "memory_output_projection_left_out",
        "You return the merged heads of the cross-attention as they are: its `w_o` is left out.",
        (
            "Which of the four layers of `cross_attention` do you call?",
            "What does `MultiHeadAttention` do after it has merged its heads?",
            "`attention.w_o(merge_heads(attended))`.",
        ),
        ("self.memory_mask)\n        output: Tensor = attention.w_o(merge_heads(attended))", "self.memory_mask)\n        output: Tensor = merge_heads(attended)"),
        group="end_of_memory",
    ),
    mistake(
        "normalised_twice",
        "Each of your attentions normalises its input. The residual has done that already, or does it afterwards: `step` calls it around your attention.",
        (
            "What does `ResidualSublayer` do before or after it calls the sub-layer?",
            "How often is a token normalised on its way into your attention?",
            "Use `y` as it comes.",
        ),
        (NEW_QUERY, "        y = self.layer.self_attention_residual.norm(y)\n" + NEW_QUERY),
        (f"query = split_heads(attention.w_q(y), attention.num_heads)  # (B, H, 1, Dh)\n        attended, _ = {ATTEND_MEMORY}", f"query = split_heads(attention.w_q(self.layer.cross_attention_residual.norm(y)), attention.num_heads)\n        attended, _ = {ATTEND_MEMORY}"),
        group=ALONE,
    ),
    mistake(
        "keys_scaled_too",
        "You divide the kept keys by √Dh, and `scaled_dot_product_attention` divides the scores by it once more.",
        (
            "How often are your scores divided by √Dh?",
            "What does `scaled_dot_product_attention` do with the scores before its softmax?",
            "Keep the key as it comes out of `w_k` and `split_heads`.",
        ),
        (KEEP_KEY, "torch.cat([self.keys, key / key.size(-1) ** 0.5], dim=2)"),
        group="scale",
    ),
    mistake(
        "token_added_again",
        "You add the token to what your self-attention returns. `step` calls it inside a residual, which adds the token itself.",
        (
            "How often is `x` added on its way through the first sub-layer?",
            "What does `ResidualSublayer` do with what your attention returns?",
            "Return what comes out of `w_o`, and nothing more.",
        ),
        ("self.keys, self.values)  # (B, H, 1, Dh)\n        output: Tensor = attention.w_o(merge_heads(attended))", "self.keys, self.values)  # (B, H, 1, Dh)\n        output: Tensor = y + attention.w_o(merge_heads(attended))"),
        group="end",
    ),
    mistake(
        "one_head",
        "You do not split into heads: all of the width is compared at once, as with a single head.",
        (
            "Which shape have your keys? How many axes?",
            "What does `MultiHeadAttention` do right after its projections?",
            "`split_heads(..., attention.num_heads)`, of query, key and value, and of the memory.",
        ),
        (MEMORY_KEYS, "attention.w_k(memory).unsqueeze(1)"),
        (MEMORY_VALUES, "attention.w_v(memory).unsqueeze(1)"),
        (NEW_QUERY, NEW_QUERY.replace("split_heads(attention.w_q(y), attention.num_heads)", "attention.w_q(y).unsqueeze(1)")),
        (KEY, "attention.w_k(y).unsqueeze(1)"),
        (VALUE, "attention.w_v(y).unsqueeze(1)"),
        (f"query = split_heads(attention.w_q(y), attention.num_heads)  # (B, H, 1, Dh)\n        attended, _ = {ATTEND_MEMORY}", f"query = attention.w_q(y).unsqueeze(1)\n        attended, _ = {ATTEND_MEMORY}"),
        group=ALONE,
    ),
    mistake(
        "memory_queries_by_the_self_attention",
        "Your cross-attention makes its query with the `w_q` of the *self*-attention. It has a `w_q` of its own, which you never use.",
        (
            "A decoder layer has two attentions with four projections each. Which of the eight do you use?",
            "Which attention does `attention` name in `attend_to_memory` when you make the query?",
            "`attention = self.layer.cross_attention`, and `attention.w_q(y)`, `attention.w_o(...)` from there on.",
        ),
        (
            "attention = self.layer.cross_attention\n        query = split_heads(attention.w_q(y)",
            "attention = self.layer.cross_attention\n        query = split_heads(self.layer.self_attention.w_q(y)",
        ),
        group="queries",
    ),
    mistake(
        "memory_cut_by_view",
        "You view the memory's keys and values as (B, H, S, Dh) directly, without a transpose. That only reads the same numbers in other rows: a head gets pieces of several tokens, instead of its share of each. (For a single new token, the two happen to agree.)",
        (
            "With S = 4 and H = 2, which tokens are in head 0 of your memory's keys?",
            "`view` never moves a number. Which axis can it split in two, given that the features of a token lie next to each other?",
            "`split_heads(attention.w_k(memory), attention.num_heads)`, or `.view(B, S, H, Dh).transpose(1, 2)`.",
        ),
        (MEMORY_KEYS, "attention.w_k(memory).view(memory.size(0), attention.num_heads, memory.size(1), -1)"),
        (MEMORY_VALUES, "attention.w_v(memory).view(memory.size(0), attention.num_heads, memory.size(1), -1)"),
        group=ALONE,
    ),
    mistake(
        "first_row_of_the_causal_mask",
        "You mask the self-attention with a triangle of one row, (1, t): that is the *first* row of a causal mask, so every new token sees only the first one. The newest token is the last query, and sees all that are kept.",
        (
            "Print the mask that your self-attention gets at the fourth step. How many keys does it allow?",
            "Of the causal mask (t, t), which row belongs to the token that was just read?",
            f"Leave the mask out: `{ATTEND}`. Only tokens that are already written are kept, so there is no future to hide.",
        ),
        (ATTEND, "scaled_dot_product_attention(query, self.keys, self.values, torch.ones(1, self.keys.size(2), dtype=torch.bool).tril())"),
        group=ALONE,
    ),
)  # fmt: skip


class ListsOfKeys:
    def __init__(self, layer, memory, memory_mask):
        self.layer, self.mask = layer, memory_mask
        cross = layer.cross_attention
        self.of_memory = [split_heads(w(memory), cross.num_heads) for w in (cross.w_k, cross.w_v)]
        self.keys, self.values = [], []

    def attend(self, attention, y, keys, values, mask=None):
        query = split_heads(attention.w_q(y), attention.num_heads)
        return attention.w_o(merge_heads(scaled_dot_product_attention(query, keys, values, mask)[0]))

    def attend_to_written(self, y):
        own = self.layer.self_attention
        self.keys.append(split_heads(own.w_k(y), own.num_heads))
        self.values.append(split_heads(own.w_v(y), own.num_heads))
        return self.attend(own, y, torch.cat(self.keys, 2), torch.cat(self.values, 2))

    def attend_to_memory(self, y):
        return self.attend(self.layer.cross_attention, y, *self.of_memory, self.mask)

    def step(self, x):
        x = self.layer.self_attention_residual(x, self.attend_to_written)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)
        return self.layer.feed_forward_residual(x, self.layer.feed_forward)


class KeptWholeAndSplitLater:
    def __init__(self, layer, memory, memory_mask):
        self.layer, self.memory_mask = layer, memory_mask
        self.memory_keys = layer.cross_attention.w_k(memory)
        self.memory_values = layer.cross_attention.w_v(memory)
        self.keys = self.values = None

    def attend_to_written(self, y):
        attention = self.layer.self_attention
        key, value = attention.w_k(y), attention.w_v(y)
        self.keys = key if self.keys is None else torch.cat((self.keys, key), 1)
        self.values = value if self.values is None else torch.cat((self.values, value), 1)
        return self.mix(attention, y, self.keys, self.values, None)

    def attend_to_memory(self, y):
        return self.mix(self.layer.cross_attention, y, self.memory_keys, self.memory_values, self.memory_mask)

    def mix(self, attention, y, keys, values, mask):
        split = [split_heads(x, attention.num_heads) for x in (attention.w_q(y), keys, values)]
        mixed, _ = scaled_dot_product_attention(*split, mask)
        return attention.w_o(merge_heads(mixed))

    def step(self, x):
        x = self.layer.self_attention_residual(x, self.attend_to_written)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)
        return self.layer.feed_forward_residual(x, self.layer.feed_forward)


class NewestInFront:
    def __init__(self, layer, memory, memory_mask):
        self.layer, self.memory, self.memory_mask = layer, memory, memory_mask
        batch, _, width = memory.shape
        heads = layer.self_attention.num_heads
        self.kept = memory.new_zeros(2, batch, heads, 0, width // heads)
        cross = layer.cross_attention
        self.memory_kept = torch.stack([split_heads(w(memory), heads) for w in (cross.w_k, cross.w_v)])

    def attend_to_written(self, y):
        own = self.layer.self_attention
        new = torch.stack([split_heads(own.w_k(y), own.num_heads), split_heads(own.w_v(y), own.num_heads)])
        self.kept = torch.cat([new, self.kept], dim=3)  # the order of the pairs changes nothing
        query = split_heads(own.w_q(y), own.num_heads)
        return own.w_o(merge_heads(F.scaled_dot_product_attention(query, self.kept[0], self.kept[1])))

    def attend_to_memory(self, y):
        cross = self.layer.cross_attention
        query = split_heads(cross.w_q(y), cross.num_heads)
        mixed = F.scaled_dot_product_attention(query, *self.memory_kept, attn_mask=self.memory_mask)
        return cross.w_o(merge_heads(mixed))

    def step(self, x):
        x = self.layer.self_attention_residual(x, self.attend_to_written)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)
        return self.layer.feed_forward_residual(x, self.layer.feed_forward)


class ATableFilledIn:
    def __init__(self, layer, memory, memory_mask):
        self.layer, self.memory_mask, self.length = layer, memory_mask, 0
        batch, _, width = memory.shape
        self.heads = layer.self_attention.num_heads
        self.keys = memory.new_zeros(batch, self.heads, 64, width // self.heads)
        self.values = torch.zeros_like(self.keys)
        cross = layer.cross_attention
        self.memory_keys = cross.w_k(memory).view(batch, -1, self.heads, width // self.heads).transpose(1, 2)
        self.memory_values = cross.w_v(memory).view(batch, -1, self.heads, width // self.heads).transpose(1, 2)

    @torch.no_grad()
    def step(self, x):
        return self.layer.feed_forward_residual(
            self.layer.cross_attention_residual(
                self.layer.self_attention_residual(x, self.attend_to_written), self.attend_to_memory
            ),
            self.layer.feed_forward,
        )

    def attend_to_written(self, y):
        own = self.layer.self_attention
        t = self.length
        self.keys[:, :, t : t + 1] = split_heads(own.w_k(y), self.heads)
        self.values[:, :, t : t + 1] = split_heads(own.w_v(y), self.heads)
        self.length += 1
        filled = torch.arange(64) <= t  # (T,): what is empty is masked
        query = split_heads(own.w_q(y), self.heads)
        attended, _ = scaled_dot_product_attention(query, self.keys, self.values, filled)
        return own.w_o(merge_heads(attended))

    def attend_to_memory(self, y):
        cross = self.layer.cross_attention
        query = split_heads(cross.w_q(y), self.heads)
        attended, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return cross.w_o(merge_heads(attended))


class stub:
    def __init__(self, layer, memory, memory_mask):
        raise NotImplementedError


class Zeros:
    def __init__(self, layer, memory, memory_mask):
        pass

    def step(self, x):
        return torch.zeros_like(x)


class TheInputItself:
    def __init__(self, layer, memory, memory_mask):
        pass

    def step(self, x):
        return x


class WithoutAttention:
    def __init__(self, layer, memory, memory_mask):
        self.layer = layer

    def step(self, x):
        return self.layer.feed_forward_residual(x, self.layer.feed_forward)


class Noise:
    def __init__(self, layer, memory, memory_mask):
        pass

    def step(self, x):
        return torch.randn_like(x)


CACHED_LAYER = define(
    id="cached_layer",
    lesson="10_decoding",
    place=2,
    module="course_lib.components.cached_layer",
    symbol="CachedLayer",
    minutes=30,
    laws=LAWS,
    hints=(
        "Take a layer, three tokens, and look at `MultiHeadAttention.forward`. Which of its lines compute, for the third token, what they computed for the second?",
        "`__init__`: keys and values of the memory by `cross_attention`'s layers; none of what is written. `attend_to_written`: query, key and value of the one new token; append key and value; attend to all. "
        "`attend_to_memory`: only a query is new.",
        "`self.keys = torch.cat([self.keys, key], dim=2)`, the values likewise; then `scaled_dot_product_attention(query, self.keys, self.values)`, `merge_heads`, `w_o`. No causal mask is needed: the future is not there yet.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(ListsOfKeys, KeptWholeAndSplitLater, NewestInFront, ATableFilledIn),
    lazy=(stub, Zeros, TheInputItself, WithoutAttention, Noise),
    write=("__init__", "attend_to_written", "attend_to_memory"),
    switches=("mask", "attention", "begin", "layers", "end", "end_of_memory", "scale"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


class LayerInOnePiece:
    """Right; each second version below changes one method of it."""

    def __init__(self, layer, memory, memory_mask):
        self.layer, self.memory, self.memory_mask = layer, memory, memory_mask
        self.pairs, self.of_memory = [], self.project(layer.cross_attention, memory)

    def project(self, attention, x):
        return tuple(split_heads(w(x), attention.num_heads) for w in (attention.w_k, attention.w_v))

    def mix(self, attention, y, keys, values, mask=None):
        query = split_heads(attention.w_q(y), attention.num_heads)
        return attention.w_o(merge_heads(scaled_dot_product_attention(query, keys, values, mask)[0]))

    def kept(self):
        return (torch.cat(x, dim=2) for x in zip(*self.pairs, strict=True))

    def attend_to_written(self, y):
        attention = self.layer.self_attention
        self.pairs.append(self.project(attention, y))
        return self.mix(attention, y, *self.kept())

    def attend_to_memory(self, y):
        return self.mix(self.layer.cross_attention, y, *self.of_memory, self.memory_mask)

    def step(self, x):
        x = self.layer.self_attention_residual(x, self.attend_to_written)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)
        return self.layer.feed_forward_residual(x, self.layer.feed_forward)


@CACHED_LAYER.second_version("nothing_kept")
class OnlyTheNewest(LayerInOnePiece):
    def kept(self):
        return self.pairs[-1]


@CACHED_LAYER.second_version("two_tokens_remembered")
class TheLastTwo(LayerInOnePiece):
    def kept(self):
        return (torch.cat(x, dim=2) for x in zip(*self.pairs[-2:], strict=True))


@CACHED_LAYER.second_version("own_key_missing")
class KeptTooLate(LayerInOnePiece):
    def attend_to_written(self, y):
        attention = self.layer.self_attention
        if not self.pairs:
            self.pairs.append(tuple(x[:, :, :0] for x in self.project(attention, y)))
        mixed = self.mix(attention, y, *self.kept())
        self.pairs.append(self.project(attention, y))
        return mixed


@CACHED_LAYER.second_version("keys_without_values")
class KeysOnly(LayerInOnePiece):
    def kept(self):
        keys, values = zip(*self.pairs, strict=True)
        return torch.cat(keys, dim=2), values[-1]


@CACHED_LAYER.second_version("values_without_keys")
class ValuesOnly(LayerInOnePiece):
    def kept(self):
        keys, values = zip(*self.pairs, strict=True)
        return keys[-1], torch.cat(values, dim=2)


@CACHED_LAYER.second_version("worked_out_again")
class KeepsVectors(LayerInOnePiece):
    def attend_to_written(self, y):
        self.pairs.append(y)
        return self.layer.self_attention(y, torch.cat(self.pairs, dim=1), torch.cat(self.pairs, dim=1))

    def attend_to_memory(self, y):
        return self.layer.cross_attention(y, self.memory, self.memory, self.memory_mask)


@CACHED_LAYER.second_version("memory_worked_out_again")
class MemoryEveryTime(LayerInOnePiece):
    def attend_to_memory(self, y):
        return self.layer.cross_attention(y, self.memory, self.memory, self.memory_mask)


@CACHED_LAYER.second_version("memory_mask_left_out")
class NoMask(LayerInOnePiece):
    def attend_to_memory(self, y):
        return self.mix(self.layer.cross_attention, y, *self.of_memory)


@CACHED_LAYER.second_version("memory_by_the_wrong_attention")
class MemoryByTheSelfAttention(LayerInOnePiece):
    def __init__(self, layer, memory, memory_mask):
        super().__init__(layer, memory, memory_mask)
        self.of_memory = self.project(layer.self_attention, memory)


@CACHED_LAYER.second_version("memory_kept_with_the_written")
class BeginsWithTheMemory(LayerInOnePiece):
    def __init__(self, layer, memory, memory_mask):
        super().__init__(layer, memory, memory_mask)
        self.pairs.append(self.of_memory)


@CACHED_LAYER.second_version("own_key_missing_but_first")
class OthersOnceThereAreAny(LayerInOnePiece):
    def attend_to_written(self, y):
        attention, new = self.layer.self_attention, self.project(self.layer.self_attention, y)
        mixed = self.mix(attention, y, *(self.kept() if self.pairs else new))
        self.pairs.append(new)
        return mixed


@CACHED_LAYER.second_version("first_sentence_for_all")
class PairsOfTheFirstSentence(LayerInOnePiece):
    def kept(self):
        return (torch.cat(x, dim=2)[0] for x in zip(*self.pairs, strict=True))


@CACHED_LAYER.second_version("written_worked_out_again")
class KeepsVectorsOfTheWritten(LayerInOnePiece):
    def attend_to_written(self, y):
        self.pairs.append(y)
        return self.layer.self_attention(y, torch.cat(self.pairs, dim=1), torch.cat(self.pairs, dim=1))


@CACHED_LAYER.second_version("memory_mask_inverted")
class MaskMeansPadding(LayerInOnePiece):
    def attend_to_memory(self, y):
        return self.mix(self.layer.cross_attention, y, *self.of_memory, self.memory_mask.eq(False))


@CACHED_LAYER.second_version("memory_output_projection_left_out")
class MemoryStraightOut(LayerInOnePiece):
    def attend_to_memory(self, y):
        cross = self.layer.cross_attention
        query = split_heads(cross.w_q(y), cross.num_heads)
        return F.scaled_dot_product_attention(query, *self.of_memory, self.memory_mask).transpose(1, 2).flatten(2)


@CACHED_LAYER.second_version("normalised_twice")
class EachNormalisesAgain(LayerInOnePiece):
    def attend_to_written(self, y):
        return super().attend_to_written(self.layer.self_attention_residual.norm(y))

    def attend_to_memory(self, y):
        return super().attend_to_memory(self.layer.cross_attention_residual.norm(y))


@CACHED_LAYER.second_version("keys_scaled_too")
class ScaledBeforeItIsKept(LayerInOnePiece):
    def kept(self):
        keys, values = super().kept()
        return keys * keys.shape[-1] ** -0.5, values


@CACHED_LAYER.second_version("token_added_again")
class WithItsOwnResidual(LayerInOnePiece):
    def attend_to_written(self, y):
        return y + super().attend_to_written(y)


@CACHED_LAYER.second_version("memory_queries_by_the_self_attention")
class OneQueryForBoth(LayerInOnePiece):
    def attend_to_memory(self, y):
        own, cross = self.layer.self_attention, self.layer.cross_attention
        query = split_heads(own.w_q(y), own.num_heads)
        return cross.w_o(merge_heads(scaled_dot_product_attention(query, *self.of_memory, self.memory_mask)[0]))


@CACHED_LAYER.second_version("memory_cut_by_view")
class MemoryReshapedAtOnce(LayerInOnePiece):
    def project(self, attention, x):
        if x is not self.memory:
            return super().project(attention, x)
        shape = (len(x), attention.num_heads, x.size(1), x.size(2) // attention.num_heads)
        return tuple(w(x).reshape(shape) for w in (attention.w_k, attention.w_v))


@CACHED_LAYER.second_version("first_row_of_the_causal_mask")
class FirstRowOfTheTriangle(LayerInOnePiece):
    def attend_to_written(self, y):
        attention = self.layer.self_attention
        self.pairs.append(self.project(attention, y))
        later = torch.triu(torch.ones(1, len(self.pairs), dtype=torch.bool), diagonal=1)
        return self.mix(attention, y, *self.kept(), ~later)
