"""The reference components equal torch's own."""

import math
from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
import sacrebleu
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.components.additive_scores import AdditiveScores
from course_lib.components.attend import attend
from course_lib.components.attention import scaled_dot_product_attention
from course_lib.components.attention_loops import attention_loops
from course_lib.components.attention_numpy import attention_numpy
from course_lib.components.attentional_state import AttentionalState
from course_lib.components.bilinear_scores import BilinearScores
from course_lib.components.binary_code import binary_code
from course_lib.components.brevity_penalty import brevity_penalty
from course_lib.components.clip_gradients import clip_gradients
from course_lib.components.clipped_counts import clipped_counts
from course_lib.components.copy_weights import copy_to_torch
from course_lib.components.corpus_bleu import corpus_bleu
from course_lib.components.dot_scores import dot_scores
from course_lib.components.learned_positions import LearnedPositions
from course_lib.components.lstm_step import lstm_step
from course_lib.components.merge_heads import merge_heads
from course_lib.components.multi_head_attention import MultiHeadAttention
from course_lib.components.pad_batch import pad_batch
from course_lib.components.padding_mask import padding_mask
from course_lib.components.position_embedding import PositionEmbedding
from course_lib.components.recurrent_encoder import RecurrentEncoder
from course_lib.components.relative_attention import relative_attention
from course_lib.components.rnn_step import rnn_step
from course_lib.components.rotary_attention import RotaryAttention
from course_lib.components.rotary_embedding import rotary_embedding
from course_lib.components.self_attention import SelfAttention
from course_lib.components.sinusoidal_encoding import sinusoidal_encoding
from course_lib.components.softmax import softmax
from course_lib.components.split_heads import split_heads
from course_lib.components.teacher_forced_loss import teacher_forced_loss
from course_lib.components.vocabulary import Vocabulary

CLOSE = {"rtol": 0, "atol": 1e-10}


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)


def mask_of(*shape: int) -> Tensor:
    """A mask in each row of which something is allowed."""
    mask = normal(*shape, seed=1) > 0
    mask[..., 0] = True
    return mask


def with_gradients(*tensors: Tensor) -> list[Tensor]:
    return [tensor.clone().requires_grad_() for tensor in tensors]


# pad_batch, Vocabulary


@pytest.mark.parametrize("lengths", [(3, 5, 2), (4,), (0, 3), (0, 0)])
def test_pad_batch_equals_torch(lengths: tuple[int, ...]) -> None:
    sentences = [list(range(4, 4 + length)) for length in lengths]
    right = nn.utils.rnn.pad_sequence([torch.tensor(s, dtype=torch.int64) for s in sentences], True, 9)
    assert torch.equal(pad_batch(sentences, pad_id=9), right)
    assert pad_batch(sentences).dtype is torch.int64


def test_an_empty_batch_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one sentence"):
        pad_batch([])


def test_a_vocabulary_gives_every_frequent_token_its_own_id_and_finds_the_way_back() -> None:
    vocabulary = Vocabulary([["the", "cat", "sees", "the", "cat"], [], ["a", "cat", "sees", "it"]], min_count=2)
    assert vocabulary.tokens == ["<pad>", "<bos>", "<eos>", "<unk>", "cat", "sees", "the"]
    assert [vocabulary.ids[token] for token in vocabulary.tokens] == list(range(len(vocabulary)))
    known, unknown = ["the", "cat", "sees"], ["a", "dog"]
    assert vocabulary.encode(known + unknown) == [1, 6, 4, 5, 3, 3, 2]
    assert vocabulary.encode([]) == [1, 2]
    assert vocabulary.decode(vocabulary.encode(known + unknown)) == [*known, "<unk>", "<unk>"]
    assert vocabulary.decode([1, 0, 4, 0, 2, 5, 2]) == ["cat"]
    assert vocabulary.decode([6, 4]) == ["the", "cat"]


# clipped_counts, brevity_penalty, corpus_bleu


def test_the_counts_of_papineni_and_others() -> None:
    hypothesis, reference = ["the", "the", "the", "the", "the", "the", "the"], ["the", "cat", "is", "on", "the", "mat"]
    assert clipped_counts(hypothesis, reference, 1) == (2, 7)
    assert clipped_counts(hypothesis, reference, 8) == (0, 0)
    assert brevity_penalty(9, 12) == pytest.approx(math.exp(-1 / 3))


def random_corpus(random: Random) -> tuple[list[list[str]], list[list[str]]]:
    """References over few words, some empty, and translations of them: cut, repeated, changed, or empty."""
    references, hypotheses = [], []
    for _ in range(random.randrange(1, 12)):
        reference = random.choices("abcdefg", k=random.choice((0, 1, 2, 3, 6, 9)))
        kept = [random.choice("abcdefg") if random.random() < 0.2 else word for word in reference]
        changed = (kept, kept[: len(kept) // 2], kept + kept[:3], [], random.sample(kept, len(kept)))
        references.append(reference)
        hypotheses.append(random.choice(changed))
    return hypotheses, references


def test_bleu_equals_sacrebleus_on_random_corpora() -> None:
    scores, unsmoothed = [], 0
    for seed in range(200):
        hypotheses, references = random_corpus(Random(seed))
        lines = [" ".join(tokens) for tokens in hypotheses], [[" ".join(tokens) for tokens in references]]
        ours = corpus_bleu(hypotheses, references)
        plain = sacrebleu.corpus_bleu(*lines, smooth_method="none", tokenize="none", force=True)
        assert ours == pytest.approx(plain.score, abs=1e-9), f"seed {seed}"
        scores.append(ours)
        default = sacrebleu.corpus_bleu(*lines, tokenize="none", force=True)
        if all(plain.counts):  # each order has a match: nothing is smoothed
            assert ours == pytest.approx(default.score, abs=1e-9), f"seed {seed}"
            unsmoothed += 1
    assert 0 in scores and unsmoothed > 50 and len(set(scores)) > 50, "the corpora are too much alike"


def test_bleu_asks_for_as_many_references_as_hypotheses() -> None:
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        corpus_bleu([["a"], ["b"]], [["a"]])
    assert corpus_bleu([], []) == 0


# softmax


@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_softmax_equals_torch(axis: int, scale: float) -> None:
    scores = normal(3, 5, 8) * scale
    right = torch.softmax(scores, dim=axis).numpy()
    np.testing.assert_allclose(softmax(scores.numpy(), axis=axis), right, **CLOSE)


# attention without a mask, in NumPy


def test_attention_loops_equals_torch() -> None:
    query, key, value = normal(5, 8), normal(7, 8), normal(7, 10)
    output, weights = attention_loops(query.numpy(), key.numpy(), value.numpy())
    np.testing.assert_allclose(output, F.scaled_dot_product_attention(query, key, value).numpy(), **CLOSE)
    np.testing.assert_allclose(weights, torch.softmax(query @ key.T / 8**0.5, dim=-1).numpy(), **CLOSE)


@pytest.mark.parametrize("lead", [(), (2,), (2, 3)])
def test_attention_numpy_equals_torch(lead: tuple[int, ...]) -> None:
    query, key, value = normal(*lead, 5, 8), normal(*lead, 7, 8), normal(*lead, 7, 10)
    output, weights = attention_numpy(query.numpy(), key.numpy(), value.numpy())
    np.testing.assert_allclose(output, F.scaled_dot_product_attention(query, key, value).numpy(), **CLOSE)
    np.testing.assert_allclose(weights, torch.softmax(query @ key.mT / 8**0.5, dim=-1).numpy(), **CLOSE)


# scaled_dot_product_attention

SHAPES = {"no batch": (), "a batch": (2,), "a batch of heads": (2, 3)}
MASKS = {
    "no mask": lambda lead: None,
    "a mask (T, S)": lambda lead: mask_of(5, 7),
    "a mask of padding": lambda lead: mask_of(*lead[:1], *(1,) * len(lead[1:]), 1, 7),
    "a mask of its own for each": lambda lead: mask_of(*lead, 5, 7),
}


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("lead", SHAPES)
def test_scaled_dot_product_attention_equals_torch_and_so_do_its_gradients(lead: str, mask: str) -> None:
    shape = SHAPES[lead]
    inputs = normal(*shape, 5, 8), normal(*shape, 7, 8), normal(*shape, 7, 10)
    ours, torchs = with_gradients(*inputs), with_gradients(*inputs)
    allowed = MASKS[mask](shape)  # True = may attend, as in F.scaled_dot_product_attention
    output, weights = scaled_dot_product_attention(*ours, allowed)
    right = F.scaled_dot_product_attention(*torchs, attn_mask=allowed)
    torch.testing.assert_close(output, right, **CLOSE)
    torch.testing.assert_close(weights @ inputs[2], right, **CLOSE)

    upstream = normal(*shape, 5, 10, seed=2)
    output.backward(upstream)
    right.backward(upstream)
    for one, other in zip(ours, torchs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, **CLOSE)


def test_a_query_whose_keys_are_all_masked_gets_zeros_and_finite_gradients() -> None:
    query, key, value = with_gradients(normal(5, 8), normal(7, 8), normal(7, 10))
    mask = mask_of(5, 7)
    mask[2] = False
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    assert not output[2].any()
    assert not weights[2].any()
    assert weights.sum(dim=-1).tolist() == pytest.approx([1, 1, 0, 1, 1])
    output.sum().backward()
    for tensor in (query, key, value):
        assert tensor.grad is not None
        assert tensor.grad.isfinite().all()


@pytest.mark.parametrize("mask", MASKS)
def test_dropped_weights_are_those_that_torch_drops_under_the_same_seed(mask: str) -> None:
    query, key, value = normal(2, 3, 5, 8), normal(2, 3, 7, 8), normal(2, 3, 7, 10)
    allowed = MASKS[mask]((2, 3))
    torch.manual_seed(0)
    output, weights = scaled_dot_product_attention(query, key, value, allowed, 0.4)
    torch.manual_seed(0)
    right = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed, dropout_p=0.4)
    torch.testing.assert_close(output, right, **CLOSE)
    assert not torch.allclose(output, weights @ value)


def test_the_weights_are_those_before_dropout() -> None:
    query, key, value = normal(5, 8), normal(7, 8), normal(7, 10)
    _, weights = scaled_dot_product_attention(query, key, value)
    _, in_training = scaled_dot_product_attention(query, key, value, dropout=0.4)
    assert torch.equal(weights, in_training)


# SelfAttention


def torchs_with_weights_of(ours: SelfAttention) -> nn.MultiheadAttention:
    """`nn.MultiheadAttention` with one head, which keeps W_q, W_k and W_v below each other in one tensor."""
    d_model, bias = ours.w_q.in_features, ours.w_q.bias is not None
    torchs = nn.MultiheadAttention(d_model, num_heads=1, bias=bias, batch_first=True).double()
    layers = (ours.w_q, ours.w_k, ours.w_v)
    state = {"in_proj_weight": torch.cat([layer.weight for layer in layers]), "out_proj.weight": ours.w_o.weight}
    if bias:
        state |= {"in_proj_bias": torch.cat([layer.bias for layer in layers]), "out_proj.bias": ours.w_o.bias}
    torchs.load_state_dict(state)
    return torchs


def gradients_in_torchs_order(ours: SelfAttention | MultiHeadAttention) -> dict[str, Tensor]:
    layers = (ours.w_q, ours.w_k, ours.w_v)
    found = {
        "in_proj_weight": torch.cat([layer.weight.grad for layer in layers]),
        "out_proj.weight": ours.w_o.weight.grad,
    }
    if ours.w_o.bias is not None:
        found |= {"in_proj_bias": torch.cat([layer.bias.grad for layer in layers]), "out_proj.bias": ours.w_o.bias.grad}
    return found


@pytest.mark.parametrize("bias", [True, False], ids=["with bias", "without bias"])
@pytest.mark.parametrize("mask", ["no mask", "a mask (T, T)", "a mask of padding"])
def test_self_attention_equals_torch_with_one_head_and_so_do_its_gradients(mask: str, bias: bool) -> None:
    torch.manual_seed(0)
    ours = SelfAttention(8, bias=bias).double()
    for parameter in ours.parameters():
        nn.init.normal_(parameter, std=0.5)
    torchs = torchs_with_weights_of(ours)
    x, same_x = with_gradients(normal(3, 5, 8), normal(3, 5, 8))

    allowed = {"no mask": None, "a mask (T, T)": mask_of(5, 5), "a mask of padding": mask_of(3, 1, 5)}[mask]
    blocked: dict[str, Tensor] = {}  # there, True = may *not* attend
    if allowed is not None:
        blocked = {"attn_mask": ~allowed} if allowed.dim() == 2 else {"key_padding_mask": ~allowed[:, 0]}

    output, weights = ours(x, mask=allowed, need_weights=True)
    right, right_weights = torchs(same_x, same_x, same_x, need_weights=True, **blocked)
    torch.testing.assert_close(output, right, **CLOSE)
    torch.testing.assert_close(weights, right_weights, **CLOSE)
    torch.testing.assert_close(ours(x, mask=allowed), right, **CLOSE)

    upstream = normal(3, 5, 8, seed=2)
    output.backward(upstream)
    right.backward(upstream)
    torch.testing.assert_close(x.grad, same_x.grad, **CLOSE)
    found = gradients_in_torchs_order(ours)
    for name, parameter in torchs.named_parameters():
        torch.testing.assert_close(found.pop(name), parameter.grad, **CLOSE, msg=lambda text, n=name: f"{n}: {text}")
    assert not found


# split_heads, merge_heads


@pytest.mark.parametrize("num_heads", [1, 2, 4, 8])
def test_each_head_holds_its_share_of_every_tokens_features(num_heads: int) -> None:
    x = normal(3, 5, 8)
    heads = split_heads(x, num_heads)
    assert heads.shape == (3, num_heads, 5, 8 // num_heads)
    for h, share in enumerate(x.chunk(num_heads, dim=-1)):
        assert torch.equal(heads[:, h], share)


@pytest.mark.parametrize("num_heads", [1, 2, 4, 8])
def test_merging_undoes_splitting(num_heads: int) -> None:
    x = normal(3, 5, 8)
    assert torch.equal(merge_heads(split_heads(x, num_heads)), x)


@pytest.mark.parametrize("num_heads", [3, 5, 16])
def test_heads_that_do_not_divide_the_width_are_refused(num_heads: int) -> None:
    with pytest.raises(ValueError, match=f"8 features cannot be split into {num_heads} heads"):
        split_heads(normal(3, 5, 8), num_heads)


# MultiHeadAttention, copy_to_torch


def multi_head_attention(num_heads: int, bias: bool = True, dropout: float = 0.0) -> MultiHeadAttention:
    """A module of width 8 whose weights and biases are all far from 0."""
    module = MultiHeadAttention(8, num_heads, dropout=dropout, bias=bias).double()
    for seed, parameter in enumerate(module.parameters()):
        parameter.data = normal(*parameter.shape, seed=seed) / 2
    return module


MULTI_HEAD_MASKS = {
    "no mask": lambda heads: None,
    "a mask (T, S)": lambda heads: mask_of(5, 7),
    "a mask of padding": lambda heads: mask_of(3, 1, 1, 7),
    "a mask for each sentence": lambda heads: mask_of(3, 1, 5, 7),
    "a mask for each head": lambda heads: mask_of(3, heads, 5, 7),
}


def torchs_mask(mask: Tensor | None, num_heads: int) -> dict[str, Tensor]:
    """The same mask for `nn.MultiheadAttention`: True = may *not* attend, and heads folded into the batch."""
    if mask is None:
        return {}
    if mask.shape == (3, 1, 1, 7):
        return {"key_padding_mask": ~mask[:, 0, 0]}
    return {"attn_mask": ~mask if mask.dim() == 2 else ~mask.expand(3, num_heads, 5, 7).flatten(0, 1)}


@pytest.mark.parametrize("bias", [True, False], ids=["with bias", "without bias"])
@pytest.mark.parametrize("mask", MULTI_HEAD_MASKS)
@pytest.mark.parametrize("num_heads", [1, 2, 4])
def test_multi_head_attention_equals_torch_and_so_do_its_weights_and_gradients(
    num_heads: int, mask: str, bias: bool
) -> None:
    ours = multi_head_attention(num_heads, bias)
    torchs = copy_to_torch(ours)
    inputs = normal(3, 5, 8), normal(3, 7, 8), normal(3, 7, 8, seed=9)  # fewer queries than keys
    mine, theirs = with_gradients(*inputs), with_gradients(*inputs)
    allowed = MULTI_HEAD_MASKS[mask](num_heads)

    output, weights = ours(*mine, mask=allowed, need_weights=True)
    right, right_weights = torchs(*theirs, average_attn_weights=False, **torchs_mask(allowed, num_heads))
    torch.testing.assert_close(output, right, **CLOSE)
    torch.testing.assert_close(weights, right_weights, **CLOSE)
    torch.testing.assert_close(ours(*mine, allowed), right, **CLOSE)

    upstream, on_weights = normal(3, 5, 8, seed=2), normal(3, num_heads, 5, 7, seed=3)
    torch.autograd.backward([output, weights], [upstream, on_weights])
    torch.autograd.backward([right, right_weights], [upstream, on_weights])
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, **CLOSE)
    found = gradients_in_torchs_order(ours)
    for name, parameter in torchs.named_parameters():
        torch.testing.assert_close(found.pop(name), parameter.grad, **CLOSE, msg=lambda text, n=name: f"{n}: {text}")
    assert not found


def test_one_head_is_self_attention() -> None:
    many, one, x = multi_head_attention(num_heads=1), SelfAttention(8).double(), normal(3, 5, 8)
    one.load_state_dict(many.state_dict())
    torch.testing.assert_close(many(x, x, x), one(x), **CLOSE)


def test_a_query_whose_keys_are_all_masked_gets_nothing_but_the_last_bias() -> None:
    ours, query, memory = multi_head_attention(num_heads=2), normal(3, 5, 8), normal(3, 7, 8)
    mask = mask_of(5, 7)
    mask[2] = False
    output, weights = ours(query, memory, memory, mask, need_weights=True)
    assert not weights[:, :, 2].any()
    torch.testing.assert_close(output[:, 2], ours.w_o.bias.expand(3, 8), **CLOSE)


def test_dropout_drops_weights_in_training_and_nothing_in_evaluation() -> None:
    ours = multi_head_attention(num_heads=2, dropout=0.25)
    # one key, and W_v and W_o that change nothing: the output is the value, times its dropped weight
    ours.w_v.weight.data = ours.w_o.weight.data = torch.eye(8, dtype=torch.float64)
    ours.w_v.bias.data.zero_()
    ours.w_o.bias.data.zero_()
    query, value = normal(500, 5, 8), normal(500, 1, 8)
    torch.manual_seed(0)
    kept = (ours(query, value, value) / value).unflatten(-1, (2, 4))
    assert ((kept == 0) | ((kept - 4 / 3).abs() < 1e-9)).all()
    torch.testing.assert_close(kept, kept[..., :1].expand_as(kept), **CLOSE)  # a head's features share one weight
    assert float((kept == 0).double().mean()) == pytest.approx(0.25, abs=0.03)
    torch.testing.assert_close(ours.eval()(query, value, value), value.expand(500, 5, 8), **CLOSE)


@pytest.mark.parametrize("bias", [True, False], ids=["with bias", "without bias"])
@pytest.mark.parametrize("num_heads", [1, 2, 4])
def test_copied_weights_are_the_same_in_memory_of_their_own(num_heads: int, bias: bool) -> None:
    ours = multi_head_attention(num_heads, bias, dropout=0.25)
    torchs = copy_to_torch(ours)
    assert torchs.batch_first
    assert (torchs.num_heads, torchs.dropout) == (num_heads, 0.25)
    before = {name: weight.clone() for name, weight in ours.state_dict().items()}
    assert all(parameter.dtype is torch.float64 for parameter in torchs.parameters())
    stacked = torch.cat([before[f"{name}.weight"] for name in ("w_q", "w_k", "w_v")])
    torch.testing.assert_close(torchs.in_proj_weight.data, stacked, rtol=0, atol=0)
    torch.testing.assert_close(torchs.out_proj.weight.data, before["w_o.weight"], rtol=0, atol=0)
    for parameter in torchs.parameters():
        parameter.data.zero_()
    torch.testing.assert_close(dict(ours.state_dict()), before, rtol=0, atol=0)


# binary_code, sinusoidal_encoding


@pytest.fixture
def double() -> Iterator[None]:
    """Whatever follows torch's default type is float64."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def test_a_binary_code_is_the_number_in_base_two_its_fastest_bit_first() -> None:
    code = binary_code(16, 4)
    assert (code @ torch.tensor([1.0, 2.0, 4.0, 8.0])).tolist() == list(range(16))
    assert code[6].tolist() == [0, 1, 1, 0]
    assert code.dtype is torch.float32
    assert torch.equal(binary_code(40, 4), code.repeat(3, 1)[:40])  # from 2**4 on it starts again


@pytest.mark.parametrize("d_model", [1, 2, 5, 8, 64])
@pytest.mark.parametrize("length", [1, 7, 50])
@pytest.mark.usefixtures("double")
def test_sinusoids_equal_the_papers_formula(length: int, d_model: int) -> None:
    right = torch.empty(length, d_model)
    for t in range(length):
        for i in range((d_model + 1) // 2):
            angle = t / math.pow(10000, 2 * i / d_model)
            right[t, 2 * i] = math.sin(angle)
            if 2 * i + 1 < d_model:
                right[t, 2 * i + 1] = math.cos(angle)
    torch.testing.assert_close(sinusoidal_encoding(length, d_model), right, **CLOSE)


def test_sinusoids_are_of_torchs_default_type_and_start_with_0_1_0_1() -> None:
    encoding = sinusoidal_encoding(6, 8)
    assert encoding.dtype is torch.float32
    assert encoding[0].tolist() == [0, 1, 0, 1, 0, 1, 0, 1]


@pytest.mark.parametrize("d_model", [8, 64, 128])
@pytest.mark.usefixtures("double")
def test_positions_at_equal_gaps_are_equally_alike(d_model: int) -> None:
    encoding = sinusoidal_encoding(100, d_model)
    products = encoding @ encoding.T
    for gap in range(100):
        at_this_gap = products.diagonal(gap)
        torch.testing.assert_close(at_this_gap, at_this_gap[:1].expand_as(at_this_gap), rtol=0, atol=1e-12)
    torch.testing.assert_close(products.diagonal(), torch.full((100,), d_model / 2), rtol=0, atol=1e-12)


@pytest.mark.parametrize("shift", [1, 7, 40])
@pytest.mark.usefixtures("double")
def test_a_shift_turns_each_pair_by_an_angle_that_does_not_depend_on_the_position(shift: int) -> None:
    encoding = sinusoidal_encoding(100, 8)
    angles = shift * 10_000.0 ** (-torch.arange(0, 8, 2) / 8)
    turns = [torch.tensor([[a.cos(), -a.sin()], [a.sin(), a.cos()]]) for a in angles]
    torch.testing.assert_close(encoding[:-shift] @ torch.block_diag(*turns), encoding[shift:], **CLOSE)


# LearnedPositions


def test_learned_positions_are_the_first_rows_and_only_these_learn() -> None:
    positions = LearnedPositions(5, 8).double()
    assert {name: tuple(p.shape) for name, p in positions.named_parameters()} == {"weight": (5, 8)}
    for length in (1, 3, 5):
        assert torch.equal(positions(length), positions.weight[:length])
    upstream = normal(3, 8)
    positions(3).backward(upstream)
    assert torch.equal(positions.weight.grad, torch.cat([upstream, torch.zeros(2, 8)]))


def test_more_positions_than_were_learned_are_refused() -> None:
    with pytest.raises(ValueError, match="6 positions are asked for, and only 5 were learned"):
        LearnedPositions(5, 8)(6)


# PositionEmbedding

IDS = torch.tensor([[3, 1, 0], [4, 4, 2]])


@pytest.mark.usefixtures("double")
def test_position_embedding_is_torchs_embedding_scaled_plus_sinusoids_and_so_are_its_gradients() -> None:
    ours = PositionEmbedding(5, 8, max_length=7).eval()
    torchs = nn.Embedding.from_pretrained(ours.token_embedding.weight.detach().clone(), freeze=False)
    right = torchs(IDS) * 8**0.5 + sinusoidal_encoding(3, 8)
    embedded = ours(IDS)
    torch.testing.assert_close(embedded, right, **CLOSE)
    upstream = normal(2, 3, 8)
    embedded.backward(upstream)
    right.backward(upstream)
    torch.testing.assert_close(ours.token_embedding.weight.grad, torchs.weight.grad, **CLOSE)


def test_the_table_of_sinusoids_moves_with_the_module_and_is_neither_trained_nor_saved() -> None:
    ours = PositionEmbedding(5, 8, max_length=7)
    assert [name for name, _ in ours.named_parameters()] == list(ours.state_dict()) == ["token_embedding.weight"]
    assert ours.positions.dtype is torch.float32
    assert ours.double().positions.dtype is torch.float64


def test_scaled_tokens_start_with_a_standard_deviation_of_1() -> None:
    torch.manual_seed(0)
    weight = PositionEmbedding(500, 64, max_length=7).token_embedding.weight.detach() * 64**0.5
    assert float(weight.std()) == pytest.approx(1, abs=0.02)


def test_dropout_falls_on_the_sum_in_training_and_on_nothing_in_evaluation() -> None:
    ours, ids = PositionEmbedding(5, 8, max_length=7, dropout=0.25), IDS.repeat(500, 1)
    whole = ours.eval()(ids)
    torch.manual_seed(0)
    kept = (ours.train()(ids) / whole)[whole.abs() > 1e-3]
    assert ((kept == 0) | ((kept - 4 / 3).abs() < 1e-4)).all()
    assert float((kept == 0).double().mean()) == pytest.approx(0.25, abs=0.02)


# padding_mask, dot_scores, BilinearScores, AdditiveScores, attend, AttentionalState


@pytest.mark.parametrize("pad_id", [0, 3])
def test_a_padding_mask_shows_every_query_the_real_tokens(pad_id: int) -> None:
    ids = torch.tensor([[1, 2, 4, 5], [0, 3, 3, 0], [3, 0, 7, 3]])
    mask = padding_mask(ids, pad_id)
    assert mask.dtype is torch.bool
    assert mask.tolist() == [[[i != pad_id for i in row]] for row in ids.tolist()]
    # one row for each of five queries, and, with one axis more, for each of two heads
    weights = scaled_dot_product_attention(normal(3, 5, 8), normal(3, 4, 8), normal(3, 4, 8), mask)[1]
    assert torch.equal(weights > 0, mask.expand(3, 5, 4))
    heads = scaled_dot_product_attention(normal(3, 2, 5, 8), normal(3, 2, 4, 8), normal(3, 2, 4, 8), mask.unsqueeze(1))[
        1
    ]
    assert torch.equal(heads > 0, mask.unsqueeze(1).expand(3, 2, 5, 4))


def test_dot_scores_equal_a_batched_product_and_so_do_their_gradients() -> None:
    ours, theirs = with_gradients(normal(3, 8), normal(3, 5, 8)), with_gradients(normal(3, 8), normal(3, 5, 8))
    scores, right = dot_scores(*ours), torch.bmm(theirs[1], theirs[0].unsqueeze(2)).squeeze(2)
    torch.testing.assert_close(scores, right, **CLOSE)
    upstream = normal(3, 5, seed=2)
    scores.backward(upstream)
    right.backward(upstream)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, **CLOSE)


@pytest.mark.parametrize("shape", [(1, 5), (3, 1), (1, 1)])
def test_one_sentence_and_one_key_keep_their_axes(shape: tuple[int, int]) -> None:
    b, s = shape
    query, keys = normal(b, 8), normal(b, s, 8)
    scorers = (dot_scores, BilinearScores(8, 8).double(), AdditiveScores(8, 8, 10).double())
    assert [scores(query, keys).shape for scores in scorers] == [shape] * 3
    context, weights = attend(dot_scores(query, keys), normal(b, s, 10))
    assert (context.shape, weights.shape) == ((b, 10), shape)


def test_bilinear_scores_equal_torchs_bilinear_and_so_do_their_gradients() -> None:
    ours, torchs = BilinearScores(8, 10).double(), nn.Bilinear(10, 8, 1, bias=False).double()
    torchs.weight.data = ours.w.weight.detach().unsqueeze(0).clone()  # W is (Dk, Dq): h_iᵀ W s
    mine, theirs = with_gradients(normal(3, 8), normal(3, 5, 10)), with_gradients(normal(3, 8), normal(3, 5, 10))
    scores = ours(*mine)
    right = torchs(theirs[1], theirs[0].unsqueeze(1).expand(3, 5, 8).contiguous()).squeeze(-1)
    torch.testing.assert_close(scores, right, **CLOSE)
    upstream = normal(3, 5, seed=2)
    scores.backward(upstream)
    right.backward(upstream)
    torch.testing.assert_close(ours.w.weight.grad, torchs.weight.grad[0], **CLOSE)
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, **CLOSE)


def test_bilinear_scores_with_the_identity_are_dot_scores() -> None:
    ours = BilinearScores(8, 8).double()
    ours.w.weight.data = torch.eye(8, dtype=torch.float64)
    query, keys = normal(3, 8), normal(3, 5, 8)
    torch.testing.assert_close(ours(query, keys), dot_scores(query, keys), **CLOSE)


def test_additive_scores_equal_the_formula_key_by_key_and_so_do_their_gradients() -> None:
    ours = AdditiveScores(8, 10, 11).double()
    w_1, w_2, v = with_gradients(*(weight.detach() for weight in (ours.w_1.weight, ours.w_2.weight, ours.v.weight)))
    mine, theirs = with_gradients(normal(3, 8), normal(3, 5, 10)), with_gradients(normal(3, 8), normal(3, 5, 10))
    scores = ours(*mine)
    rows = [[v[0] @ torch.tanh(w_1 @ h + w_2 @ s) for h in of_one] for s, of_one in zip(*theirs, strict=True)]
    right = torch.stack([torch.stack(row) for row in rows])
    torch.testing.assert_close(scores, right, **CLOSE)
    upstream = normal(3, 5, seed=2)
    scores.backward(upstream)
    right.backward(upstream)
    for parameter, weight in ((ours.w_1.weight, w_1), (ours.w_2.weight, w_2), (ours.v.weight, v)):
        torch.testing.assert_close(parameter.grad, weight.grad, **CLOSE)
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, **CLOSE)


@pytest.mark.parametrize("masked", [False, True], ids=["no mask", "a mask of padding"])
def test_attention_with_one_query_equals_torch_and_so_do_its_gradients(masked: bool) -> None:
    inputs = normal(3, 8), normal(3, 5, 8), normal(3, 5, 10)
    mask = mask_of(3, 5) if masked else None
    mine, theirs = with_gradients(*inputs), with_gradients(*inputs)
    context, weights = attend(dot_scores(mine[0], mine[1]), mine[2], mask)
    allowed = None if mask is None else mask.unsqueeze(1)  # True = may attend, there too
    right = F.scaled_dot_product_attention(theirs[0].unsqueeze(1), *theirs[1:], attn_mask=allowed, scale=1.0).squeeze(1)
    torch.testing.assert_close(context, right, **CLOSE)
    torch.testing.assert_close(torch.einsum("bs,bsv->bv", weights, inputs[2]), right, **CLOSE)
    upstream = normal(3, 10, seed=2)
    context.backward(upstream)
    right.backward(upstream)
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, **CLOSE)


def test_a_sentence_whose_keys_are_all_masked_gets_zeros_and_finite_gradients() -> None:
    scores, values = with_gradients(normal(3, 5), normal(3, 5, 10))
    mask = mask_of(3, 5)
    mask[1] = False
    context, weights = attend(scores, values, mask)
    assert not context[1].any()
    assert weights.sum(dim=-1).tolist() == pytest.approx([1, 0, 1])
    context.sum().backward()
    for tensor in (scores, values):
        assert tensor.grad is not None
        assert tensor.grad.isfinite().all()


@pytest.mark.parametrize("masked", [False, True], ids=["no mask", "a mask of padding"])
def test_an_attentional_state_is_the_tanh_of_context_and_state_and_so_are_its_gradients(masked: bool) -> None:
    ours = AttentionalState(8, 10).double()
    (w,) = with_gradients(ours.w.weight.detach())
    inputs = normal(3, 8), normal(3, 5, 8), normal(3, 5, 10)
    mask = mask_of(3, 5) if masked else None
    mine, theirs = with_gradients(*inputs), with_gradients(*inputs)
    output, weights = ours(*mine, mask=mask, need_weights=True)
    state, keys, values = theirs
    allowed = None if mask is None else mask.unsqueeze(1)
    context = F.scaled_dot_product_attention(state.unsqueeze(1), keys, values, attn_mask=allowed, scale=1.0).squeeze(1)
    right = torch.tanh(context @ w[:, :10].T + state @ w[:, 10:].T)
    torch.testing.assert_close(output, right, **CLOSE)
    torch.testing.assert_close(ours(*mine, mask=mask), right, **CLOSE)
    torch.testing.assert_close(torch.einsum("bs,bsv->bv", weights, values), context, **CLOSE)
    upstream = normal(3, 8, seed=2)
    output.backward(upstream)
    right.backward(upstream)
    torch.testing.assert_close(ours.w.weight.grad, w.grad, **CLOSE)
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, **CLOSE)


# rnn_step, lstm_step, RecurrentEncoder, teacher_forced_loss, clip_gradients


def test_an_rnn_step_equals_torchs_cell_and_so_do_its_gradients() -> None:
    torchs = nn.RNNCell(5, 8).double()
    weight_ih, weight_hh, bias = with_gradients(
        torchs.weight_ih.detach(), torchs.weight_hh.detach(), (torchs.bias_ih + torchs.bias_hh).detach()
    )
    mine, theirs = with_gradients(normal(3, 5), normal(3, 8)), with_gradients(normal(3, 5), normal(3, 8))
    state, right = rnn_step(*mine, weight_ih, weight_hh, bias), torchs(*theirs)
    torch.testing.assert_close(state, right, **CLOSE)
    upstream = normal(3, 8, seed=2)
    state.backward(upstream)
    right.backward(upstream)
    found = (weight_ih, weight_hh, bias, bias, *mine)
    asked = (torchs.weight_ih, torchs.weight_hh, torchs.bias_ih, torchs.bias_hh, *theirs)
    for one, other in zip(found, asked, strict=True):
        torch.testing.assert_close(one.grad, other.grad, **CLOSE)


def test_an_lstm_step_equals_torchs_cell_and_so_do_its_gradients() -> None:
    torchs = nn.LSTMCell(5, 8).double()
    weight_ih, weight_hh, bias = with_gradients(
        torchs.weight_ih.detach(), torchs.weight_hh.detach(), (torchs.bias_ih + torchs.bias_hh).detach()
    )
    inputs = normal(3, 5), normal(3, 8), normal(3, 8, seed=1)
    mine, theirs = with_gradients(*inputs), with_gradients(*inputs)
    found = lstm_step(*mine, weight_ih, weight_hh, bias)
    right = torchs(theirs[0], (theirs[1], theirs[2]))
    for one, other in zip(found, right, strict=True):
        torch.testing.assert_close(one, other, **CLOSE)
    upstream = normal(3, 8, seed=2), normal(3, 8, seed=3)
    torch.autograd.backward(found, upstream)
    torch.autograd.backward(right, upstream)
    ours = (weight_ih, weight_hh, bias, bias, *mine)
    asked = (torchs.weight_ih, torchs.weight_hh, torchs.bias_ih, torchs.bias_hh, *theirs)
    for one, other in zip(ours, asked, strict=True):
        torch.testing.assert_close(one.grad, other.grad, **CLOSE)


#: by what is odd about it: sentences of lengths that no sorting leaves as they are, and padding in all of them
PADDED = {
    "one of full length": (0, [[4, 3, 0, 0, 0], [2, 2, 6, 1, 5], [3, 5, 4, 0, 0]]),
    "all of them padded": (0, [[4, 0, 0, 0, 0], [2, 2, 6, 0, 0], [3, 5, 0, 0, 0]]),
    "padding that is not 0": (6, [[4, 3, 0, 6, 6], [2, 2, 0, 1, 5], [0, 6, 6, 6, 6]]),
    "a single sentence": (0, [[4, 3, 1, 0, 0]]),
}


@pytest.mark.parametrize("case", PADDED)
def test_a_recurrent_encoder_equals_torchs_lstm_on_each_sentence_alone_and_so_do_its_gradients(case: str) -> None:
    pad_id, rows = PADDED[case]
    source = torch.tensor(rows)
    torch.manual_seed(0)
    ours, alone = (RecurrentEncoder(7, 8, pad_id).double() for _ in range(2))
    alone.load_state_dict(ours.state_dict())
    states, (h, c) = ours(source)
    assert states.shape == (len(rows), 5, 8)
    upstream = normal(len(rows), 5, 8, seed=2), normal(len(rows), 8, seed=3), normal(len(rows), 8, seed=4)
    torch.autograd.backward((states, h, c), upstream)
    for i, row in enumerate(rows):
        real = torch.tensor([token for token in row if token != pad_id])
        right, (last_h, last_c) = alone.lstm(alone.embedding(real))
        torch.testing.assert_close(states[i, : len(real)], right, **CLOSE)
        assert not states[i, len(real) :].any()
        torch.testing.assert_close(h[i], last_h[0], **CLOSE)
        torch.testing.assert_close(c[i], last_c[0], **CLOSE)
        torch.autograd.backward(
            (right, last_h[0], last_c[0]), (upstream[0][i, : len(real)], upstream[1][i], upstream[2][i])
        )
    for (name, one), other in zip(ours.named_parameters(), alone.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, **CLOSE, msg=lambda text, n=name: f"{n}: {text}")


def test_a_recurrent_encoder_is_made_of_lstm_steps() -> None:
    torch.manual_seed(0)
    encoder = RecurrentEncoder(7, 8).double()
    sentence = torch.tensor([[4, 3, 1]])
    states, (last_h, last_c) = encoder(sentence)
    weights = encoder.lstm.weight_ih_l0, encoder.lstm.weight_hh_l0, encoder.lstm.bias_ih_l0 + encoder.lstm.bias_hh_l0
    h = c = torch.zeros(1, 8, dtype=torch.float64)
    for t, x in enumerate(encoder.embedding(sentence).unbind(dim=1)):
        h, c = lstm_step(x, h, c, *weights)
        torch.testing.assert_close(states[:, t], h, **CLOSE)
    torch.testing.assert_close(last_h, h, **CLOSE)
    torch.testing.assert_close(last_c, c, **CLOSE)


@pytest.mark.parametrize("pad_id", [0, 3])
@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_the_teacher_forced_loss_equals_torchs_cross_entropy_and_so_do_its_gradients(pad_id: int, scale: float) -> None:
    targets = torch.tensor([[4, 3, 0, 0, 0], [2, 2, 6, 1, 5], [3, 5, 3, 3, 0]])
    mine, theirs = with_gradients(normal(3, 5, 7) * scale, normal(3, 5, 7) * scale)
    loss = teacher_forced_loss(mine, targets, pad_id)
    right = F.cross_entropy(theirs.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    torch.testing.assert_close(loss, right, **CLOSE)
    loss.backward()
    right.backward()
    torch.testing.assert_close(mine.grad, theirs.grad, **CLOSE)


@pytest.mark.parametrize("max_norm", [0.5, 5.0, 500.0])
def test_clipping_gradients_equals_torchs_and_passes_over_those_without(max_norm: float) -> None:
    gradients = normal(3, 5), None, normal(7), normal(2, 1, 4)

    def parameters() -> list[nn.Parameter]:
        made = [nn.Parameter(torch.ones(3) if grad is None else torch.ones_like(grad)) for grad in gradients]
        for parameter, grad in zip(made, gradients, strict=True):
            parameter.grad = None if grad is None else grad.clone()
        return made

    ours, theirs = parameters(), parameters()
    kept = [parameter.grad for parameter in ours]
    norm = clip_gradients((parameter for parameter in ours), max_norm)
    torch.testing.assert_close(norm, nn.utils.clip_grad_norm_(theirs, max_norm), **CLOSE)
    assert ours[1].grad is None
    for one, other, before in zip(ours, theirs, kept, strict=True):
        assert one.grad is before
        assert torch.equal(one, torch.ones_like(one))
        if before is not None:
            torch.testing.assert_close(one.grad, other.grad, **CLOSE)


def test_rotary_embedding_equals_complex_numbers_turned_and_so_do_its_gradients() -> None:
    x, positions, width = normal(2, 3, 7, 10), torch.tensor([0, 1, 5, 4, 300, 17, 2]), 10
    turns = torch.polar(
        torch.ones(7, 5).double(), positions[:, None] * 10_000.0 ** (-2 * torch.arange(5).double() / width)
    )

    def turned(given: Tensor) -> Tensor:
        return torch.view_as_real(torch.view_as_complex(given.unflatten(-1, (5, 2))) * turns).flatten(-2)  # type: ignore[no-untyped-call]

    (ours,), (theirs,) = with_gradients(x), with_gradients(x)
    assert torch.allclose(rotary_embedding(ours, positions), turned(theirs), **CLOSE)
    upstream = normal(2, 3, 7, 10, seed=1)
    (rotary_embedding(ours, positions) * upstream).sum().backward()
    (turned(theirs) * upstream).sum().backward()
    assert ours.grad is not None and theirs.grad is not None
    assert torch.allclose(ours.grad, theirs.grad, **CLOSE)


def test_rotary_scores_depend_on_the_distance_alone_and_norms_are_kept() -> None:
    query, key, positions = normal(8), normal(8, seed=1), torch.arange(200)
    queries, keys = (rotary_embedding(x.expand(200, 8), positions) for x in (query, key))
    scores = queries @ keys.T
    for distance in range(-199, 200):
        same = scores.diagonal(distance)
        assert same.max() - same.min() < 1e-10
    assert torch.allclose(queries.norm(dim=-1), query.norm().expand(200), **CLOSE)
    single = (
        rotary_embedding(query.float().expand(200, 8), positions)
        @ rotary_embedding(key.float().expand(200, 8), positions).T
    )
    assert torch.allclose(single.double(), scores, atol=1e-3)


def test_relative_attention_equals_a_direct_double_loop() -> None:
    query, key, value = normal(2, 3, 5, 6), normal(2, 3, 7, 6, seed=1), normal(2, 3, 7, 4, seed=2)
    key_table, value_table, mask = normal(5, 6), normal(5, 4), mask_of(5, 7)
    output, weights = relative_attention(query, key, value, key_table, value_table, mask)
    for t in range(5):
        scores = torch.stack([
            (query[..., t, :] * (key[..., s, :] + key_table[min(max(s - t, -2), 2) + 2])).sum(-1) / math.sqrt(6)
            if mask[t, s] else torch.full((2, 3), -torch.inf) for s in range(7)
        ], dim=-1)  # fmt: skip
        expected = torch.softmax(scores, dim=-1)
        assert torch.allclose(weights[..., t, :], expected, **CLOSE)
        found = sum(
            expected[..., s, None] * (value[..., s, :] + value_table[min(max(s - t, -2), 2) + 2]) for s in range(7)
        )
        assert torch.allclose(output[..., t, :], torch.as_tensor(found), **CLOSE)


def test_without_tables_relative_attention_is_plain_attention() -> None:
    query, key, value = normal(2, 5, 6), normal(2, 7, 6, seed=1), normal(2, 7, 4, seed=2)
    told = relative_attention(query, key, value, torch.zeros(3, 6).double(), torch.zeros(3, 4).double())
    for ours, plain in zip(told, scaled_dot_product_attention(query, key, value), strict=True):
        assert torch.allclose(ours, plain, **CLOSE)


def test_rotary_attention_is_multi_head_attention_where_all_words_stand_at_position_0() -> None:
    rotary, plain = RotaryAttention(8, 2).double(), MultiHeadAttention(8, 2).double()
    plain.load_state_dict(rotary.state_dict())
    query, memory = normal(3, 1, 8), normal(3, 1, 8, seed=1)
    assert torch.allclose(rotary(query, memory, memory), plain(query, memory, memory), **CLOSE)
    longer = normal(3, 4, 8)
    assert not torch.allclose(rotary(longer, longer, longer), plain(longer, longer, longer), atol=1e-3)
