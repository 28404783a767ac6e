"""The Transformer of lessons 06 to 10: its parts equal torch's, and its masks hide what they should."""

from __future__ import annotations

import math
from typing import TypeVar

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.components.causal_language_model import CausalLanguageModel
from course_lib.components.causal_mask import causal_mask
from course_lib.components.copy_weights import copy_to_torch
from course_lib.components.cross_attention import CrossAttention
from course_lib.components.decoder import Decoder
from course_lib.components.decoder_layer import DecoderLayer
from course_lib.components.decoder_mask import decoder_mask
from course_lib.components.encoder import Encoder
from course_lib.components.encoder_layer import EncoderLayer
from course_lib.components.feed_forward import FeedForward
from course_lib.components.greedy_decode import greedy_decode
from course_lib.components.label_smoothed_loss import label_smoothed_loss
from course_lib.components.layer_norm import LayerNorm
from course_lib.components.multi_head_attention import MultiHeadAttention
from course_lib.components.padding_mask import padding_mask
from course_lib.components.parameter_count import parameter_count
from course_lib.components.position_embedding import PositionEmbedding
from course_lib.components.residual import ResidualSublayer
from course_lib.components.self_attention import SelfAttention
from course_lib.components.shift_targets import shift_targets
from course_lib.components.train_step import train_step
from course_lib.components.transformer import Transformer
from course_lib.components.warmup_schedule import warmup_schedule

Module = TypeVar("Module", bound=nn.Module)
CLOSE = {"rtol": 0, "atol": 1e-10}
PAD, BOS, EOS = 0, 1, 2
#: three sentences of source and of target, two of them padded
SOURCE = torch.tensor([[1, 5, 6, 7, 8, 9, 2], [1, 4, 9, 2, 0, 0, 0], [1, 8, 8, 5, 4, 2, 0]])
TARGET = torch.tensor([[1, 9, 5, 7, 6], [1, 4, 0, 0, 0], [1, 10, 8, 0, 0]])

norms = pytest.mark.parametrize("norm_first", [True, False], ids=["pre-norm", "post-norm"])


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)


def mask_of(*shape: int) -> Tensor:
    """A mask in each row of which something is allowed."""
    mask = normal(*shape, seed=1) > 0
    mask[..., 0] = True
    return mask


def filled(module: Module) -> Module:
    """The module in float64, every parameter far from 0, scales and shifts of normalisations too."""
    module = module.double()
    for seed, parameter in enumerate(module.parameters()):
        parameter.data = normal(*parameter.shape, seed=seed) / 2
    return module


# the same weights in torch's modules


def copy_norm(ours: LayerNorm, torchs: nn.LayerNorm) -> None:
    torchs.weight.data, torchs.bias.data = ours.gamma.data.clone(), ours.beta.data.clone()


def torchs_layer(
    ours: EncoderLayer | DecoderLayer, norm_first: bool
) -> nn.TransformerEncoderLayer | nn.TransformerDecoderLayer:
    decodes = isinstance(ours, DecoderLayer)
    kind = nn.TransformerDecoderLayer if decodes else nn.TransformerEncoderLayer
    d_ff, d_model = ours.feed_forward.w_1.weight.shape
    heads = ours.self_attention.num_heads
    torchs = kind(d_model, heads, d_ff, dropout=0.0, batch_first=True, norm_first=norm_first).double()
    torchs.self_attn = copy_to_torch(ours.self_attention)
    torchs.linear1.load_state_dict(ours.feed_forward.w_1.state_dict())
    torchs.linear2.load_state_dict(ours.feed_forward.w_2.state_dict())
    residuals = [ours.self_attention_residual, ours.feed_forward_residual]
    if decodes:
        torchs.multihead_attn = copy_to_torch(ours.cross_attention)
        residuals.insert(1, ours.cross_attention_residual)
    for residual, norm in zip(residuals, [torchs.norm1, torchs.norm2, getattr(torchs, "norm3", None)], strict=False):
        copy_norm(residual.norm, norm)
    return torchs


def torchs_stack(ours: Encoder | Decoder, norm_first: bool) -> nn.TransformerEncoder | nn.TransformerDecoder:
    layers = nn.ModuleList([torchs_layer(layer, norm_first) for layer in ours.layers])
    norm = None
    if norm_first:
        norm = nn.LayerNorm(layers[0].norm1.weight.numel()).double()
        copy_norm(ours.norm, norm)
    if isinstance(ours, Decoder):
        torchs = nn.TransformerDecoder(layers[0], len(layers), norm)
    else:
        torchs = nn.TransformerEncoder(layers[0], len(layers), norm, enable_nested_tensor=False)
    torchs.layers = layers  # torch copies its first layer; these are ours, each with its own weights
    return torchs


def in_torchs_names(found: dict[str, Tensor]) -> dict[str, Tensor]:
    """Tensors by the names of our parameters, under torch's names, projections below each other."""
    names = {
        "self_attention_residual.norm": "norm1", "cross_attention_residual.norm": "norm2",
        "feed_forward_residual.norm": "norm3" if any("cross_attention" in name for name in found) else "norm2",
        "gamma": "weight", "beta": "bias", "feed_forward.w_1": "linear1", "feed_forward.w_2": "linear2",
        "self_attention": "self_attn", "cross_attention": "multihead_attn", "w_o": "out_proj",
    }  # fmt: skip
    renamed: dict[str, list[Tensor]] = {}
    for name, tensor in found.items():
        for old, new in names.items():
            name = name.replace(old, new)  # noqa: PLW2901
        for projection in ("w_q.", "w_k.", "w_v."):  # in this order, as in the parameters
            name = name.replace(projection, "in_proj_")  # noqa: PLW2901
        renamed.setdefault(name, []).append(tensor)
    return {name: torch.cat(tensors) for name, tensors in renamed.items()}


def same_gradients(ours: nn.Module, torchs: nn.Module) -> None:
    found = in_torchs_names({name: p.grad for name, p in ours.named_parameters()})
    right = {name: p.grad for name, p in torchs.named_parameters()}
    assert found.keys() == right.keys()
    for name, gradient in right.items():
        torch.testing.assert_close(found[name], gradient, **CLOSE, msg=lambda text, n=name: f"{n}: {text}")


def same(ours: nn.Module, torchs: nn.Module, inputs: list[Tensor], mine: dict, theirs: dict) -> None:
    """Both give the same output and the same gradients, of inputs and of parameters."""
    left, right = ([x.clone().requires_grad_() for x in inputs] for _ in range(2))
    output, expected = ours(*left, **mine), torchs(*right, **theirs)
    torch.testing.assert_close(output, expected, **CLOSE)
    upstream = normal(*output.shape, seed=5)
    output.backward(upstream)
    expected.backward(upstream)
    for one, other in zip(left, right, strict=True):
        torch.testing.assert_close(one.grad, other.grad, **CLOSE)
    same_gradients(ours, torchs)


# LayerNorm, FeedForward, ResidualSublayer


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e3], ids=["ordinary", "nearly equal features", "large features"])
@pytest.mark.parametrize("lead", [(), (3,), (3, 5)])
def test_layer_norm_equals_torch_and_so_do_its_gradients(lead: tuple[int, ...], scale: float) -> None:
    ours = filled(LayerNorm(8))
    torchs = nn.LayerNorm(8).double()
    copy_norm(ours, torchs)
    mine, theirs = ((normal(*lead, 8) * scale + 4).requires_grad_() for _ in range(2))
    output, right = ours(mine), torchs(theirs)
    torch.testing.assert_close(output, right, rtol=0, atol=1e-9)
    upstream = normal(*lead, 8, seed=2)
    output.backward(upstream)
    right.backward(upstream)
    torch.testing.assert_close(mine.grad, theirs.grad, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(ours.gamma.grad, torchs.weight.grad, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(ours.beta.grad, torchs.bias.grad, **CLOSE)


def test_equal_features_are_normalised_to_the_shift_and_their_gradient_is_finite() -> None:
    ours, x = filled(LayerNorm(8)), torch.full((3, 8), 4.0, dtype=torch.float64, requires_grad=True)
    output = ours(x)
    torch.testing.assert_close(output, ours.beta.expand(3, 8), **CLOSE)
    output.square().sum().backward()
    assert x.grad is not None
    assert x.grad.isfinite().all()


def test_a_new_layer_norm_gives_every_token_mean_0_and_variance_1() -> None:
    normed = LayerNorm(64).double()(normal(3, 5, 64) * 7 + 2)
    torch.testing.assert_close(normed.mean(dim=-1), torch.zeros(3, 5, dtype=torch.float64), rtol=0, atol=1e-12)
    torch.testing.assert_close(
        normed.var(dim=-1, correction=0), torch.ones(3, 5, dtype=torch.float64), rtol=0, atol=1e-5
    )


def test_feed_forward_equals_torchs_two_layers_and_so_do_its_gradients() -> None:
    ours = filled(FeedForward(8, 12))
    torchs = nn.Sequential(nn.Linear(8, 12), nn.ReLU(), nn.Linear(12, 8)).double()
    for mine, theirs in zip(ours.parameters(), torchs.parameters(), strict=True):
        theirs.data = mine.data.clone()
    x, same_x = (normal(3, 5, 8).requires_grad_() for _ in range(2))
    output, right = ours(x), torchs(same_x)
    torch.testing.assert_close(output, right, **CLOSE)
    upstream = normal(3, 5, 8, seed=2)
    output.backward(upstream)
    right.backward(upstream)
    torch.testing.assert_close(x.grad, same_x.grad, **CLOSE)
    for mine, theirs in zip(ours.parameters(), torchs.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, theirs.grad, **CLOSE)


def test_dropout_in_the_feed_forward_network_falls_on_the_hidden_numbers() -> None:
    ours = FeedForward(8, 8, dropout=0.25)
    for layer in (ours.w_1, ours.w_2):  # the hidden numbers are the input, and so is the output
        layer.weight.data = torch.eye(8)
        layer.bias.data.zero_()
    ours.w_2.bias.data.fill_(1)
    x = normal(500, 8).abs().float()
    torch.manual_seed(0)
    kept = (ours(x) - 1) / x
    assert ((kept.abs() < 1e-3) | ((kept - 4 / 3).abs() < 1e-3)).all()
    assert float((kept.abs() < 1e-3).float().mean()) == pytest.approx(0.25, abs=0.03)
    torch.testing.assert_close(ours.eval()(x), x + 1)


def test_a_residual_sublayer_adds_its_input_before_or_after_normalising() -> None:
    x, matrix = normal(3, 5, 8), normal(8, 8)
    for norm_first in (True, False):
        ours = filled(ResidualSublayer(8, dropout=0.0, norm_first=norm_first))
        gamma, beta = ours.norm.gamma, ours.norm.beta
        right = (
            x + F.layer_norm(x, (8,), gamma, beta) @ matrix
            if norm_first
            else F.layer_norm(x + x @ matrix, (8,), gamma, beta)
        )
        torch.testing.assert_close(ours(x, lambda y: y @ matrix), right, **CLOSE)


@norms
def test_dropout_falls_on_what_the_sublayer_adds_and_on_nothing_else(norm_first: bool) -> None:
    ours, x = ResidualSublayer(8, dropout=0.25, norm_first=norm_first).double(), normal(500, 8)
    ones = torch.ones_like(x)
    torch.manual_seed(0)
    output = ours(x, lambda _: ones)
    torch.manual_seed(0)
    dropped = F.dropout(ones, 0.25)
    right = x + dropped if norm_first else F.layer_norm(x + dropped, (8,))
    torch.testing.assert_close(output, right, **CLOSE)
    assert float((dropped == 0).double().mean()) == pytest.approx(0.25, abs=0.03)


# EncoderLayer, Encoder

ENCODER_MASKS = {
    "no mask": (None, {}),
    "a mask (S, S)": (mask_of(7, 7), {"src_mask": ~mask_of(7, 7)}),
    "a mask of padding": (mask_of(3, 1, 1, 7), {"src_key_padding_mask": ~mask_of(3, 1, 1, 7)[:, 0, 0]}),
}


@norms
@pytest.mark.parametrize("mask", ENCODER_MASKS)
def test_an_encoder_layer_equals_torchs_and_so_do_its_gradients(mask: str, norm_first: bool) -> None:
    ours = filled(EncoderLayer(8, 2, 12, dropout=0.0, norm_first=norm_first))
    allowed, blocked = ENCODER_MASKS[mask]
    same(ours, torchs_layer(ours, norm_first), [normal(3, 7, 8)], {"mask": allowed}, blocked)


@norms
@pytest.mark.parametrize("mask", ENCODER_MASKS)
def test_an_encoder_equals_torchs_and_so_do_its_gradients(mask: str, norm_first: bool) -> None:
    ours = filled(Encoder(3, 8, 2, 12, dropout=0.0, norm_first=norm_first))
    allowed, blocked = ENCODER_MASKS[mask]
    blocked = {name.removeprefix("src_") if name == "src_mask" else name: value for name, value in blocked.items()}
    same(ours, torchs_stack(ours, norm_first), [normal(3, 7, 8)], {"mask": allowed}, blocked)


@norms
def test_every_layer_has_weights_of_its_own(norm_first: bool) -> None:
    for stack in (Encoder(3, 8, 2, 12, norm_first=norm_first), Decoder(3, 8, 2, 12, norm_first=norm_first)):
        first, last = stack.layers[0], stack.layers[2]
        assert not {id(p) for p in first.parameters()} & {id(p) for p in last.parameters()}
        assert not torch.equal(first.feed_forward.w_1.weight, last.feed_forward.w_1.weight)
        assert any(name.startswith("norm.") for name, _ in stack.named_parameters()) == norm_first


# causal_mask, decoder_mask


@pytest.mark.parametrize("length", [1, 2, 7])
def test_a_causal_mask_is_torchs_turned_round(length: int) -> None:
    mask = causal_mask(length)
    assert mask.dtype is torch.bool
    assert torch.equal(~mask, nn.Transformer.generate_square_subsequent_mask(length).bool())


@pytest.mark.parametrize("pad_id", [0, 3])
def test_a_decoder_mask_shows_what_is_earlier_and_real(pad_id: int) -> None:
    ids = torch.tensor([[1, 2, 4, 5], [0, 3, 3, 0], [3, 0, 7, 3]])
    mask = decoder_mask(ids, pad_id)
    right = [[[j <= i and int(row[j]) != pad_id for j in range(4)] for i in range(4)] for row in ids]
    assert (mask.dtype, mask.tolist()) == (torch.bool, right)


def test_a_query_with_nothing_but_padding_before_it_gets_zeros_and_finite_gradients() -> None:
    ours = filled(MultiHeadAttention(8, 2))
    x = normal(1, 3, 8).requires_grad_()
    mask = decoder_mask(torch.tensor([[PAD, PAD, 4]]), PAD).unsqueeze(1)
    output, weights = ours(x, x, x, mask, need_weights=True)
    assert weights[0, 0].sum(dim=-1).tolist() == pytest.approx([0, 0, 1])
    output.sum().backward()
    assert x.grad is not None
    assert x.grad.isfinite().all()


# CausalLanguageModel


def language_model(pad_id: int = PAD) -> CausalLanguageModel:
    return filled(CausalLanguageModel(11, 8, 2, num_layers=2, d_ff=12, max_length=9, dropout=0.0, pad_id=pad_id))


def test_a_causal_language_model_equals_torchs_encoder_under_its_mask_and_so_do_its_gradients() -> None:
    ours, theirs = language_model(), language_model()
    blocks = torchs_stack(theirs.blocks, norm_first=True)
    logits = ours(TARGET[:, :-1])
    embedded = theirs.embedding(TARGET[:, :-1])
    mask = nn.Transformer.generate_square_subsequent_mask(4, dtype=torch.float64)
    decoded = blocks(
        embedded, mask=mask, src_key_padding_mask=torch.where(TARGET[:, :-1] == PAD, -torch.inf, 0.0).double()
    )
    expected = theirs.readout(decoded)
    torch.testing.assert_close(logits, expected, **CLOSE)
    loss = F.cross_entropy(expected.transpose(1, 2), TARGET[:, 1:], ignore_index=PAD)
    torch.testing.assert_close(ours.loss(TARGET), loss, **CLOSE)
    ours.loss(TARGET).backward()
    loss.backward()
    same_gradients(ours.blocks, blocks)
    for part in ("embedding", "readout"):
        for mine, right in zip(getattr(ours, part).parameters(), getattr(theirs, part).parameters(), strict=True):
            torch.testing.assert_close(mine.grad, right.grad, **CLOSE)


def test_one_pass_has_the_loss_and_the_gradients_of_as_many_passes_as_there_are_beginnings() -> None:
    at_once, separately = language_model(), language_model()
    ids = torch.randint(1, 11, (3, 8), generator=torch.Generator().manual_seed(0))
    last = [separately(ids[:, :end])[:, -1] for end in range(1, 8)]
    loss = F.cross_entropy(torch.stack(last, dim=2), ids[:, 1:])
    torch.testing.assert_close(at_once.loss(ids), loss, **CLOSE)
    at_once.loss(ids).backward()
    loss.backward()
    for mine, right in zip(at_once.parameters(), separately.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, right.grad, **CLOSE)


@pytest.mark.parametrize("pad_id", [0, 4])
def test_more_padding_behind_changes_neither_logits_of_words_nor_the_loss(pad_id: int) -> None:
    ours = language_model(pad_id)
    ids = torch.tensor([[1, 5, 6, 2], [1, 7, 2, pad_id]])
    longer = F.pad(ids, (0, 3), value=pad_id)
    torch.testing.assert_close(ours(longer)[:, :4], ours(ids), **CLOSE)
    torch.testing.assert_close(ours.loss(longer), ours.loss(ids), **CLOSE)


def test_padding_in_front_is_seen_by_nobody_but_moves_the_places() -> None:
    ours = language_model()
    in_front = torch.tensor([[PAD, PAD, 1, 5, 6]])
    before = ours(in_front)[:, 2:]
    with torch.no_grad():
        ours.embedding.token_embedding.weight[PAD] += 1  # another vector for padding
    torch.testing.assert_close(ours(in_front)[:, 2:], before, **CLOSE)
    assert (ours(torch.tensor([[1, 5, 6]])) - before).abs().max() > 0.1


# CrossAttention


@pytest.mark.parametrize("bias", [True, False], ids=["with bias", "without bias"])
@pytest.mark.parametrize("masked", [False, True], ids=["no mask", "a mask of padding"])
def test_cross_attention_equals_torchs_with_one_head_and_so_do_its_gradients(masked: bool, bias: bool) -> None:
    ours = filled(CrossAttention(8, bias=bias))
    one_head = MultiHeadAttention(8, 1, bias=bias).double()
    one_head.load_state_dict(ours.state_dict())
    torchs = copy_to_torch(one_head)
    allowed = mask_of(3, 1, 7) if masked else None
    blocked = {"key_padding_mask": ~allowed[:, 0]} if allowed is not None else {}
    (x, memory), (same_x, same_memory) = ([normal(3, 5, 8), normal(3, 7, 8)] for _ in range(2))
    for tensor in (x, memory, same_x, same_memory):
        tensor.requires_grad_()
    output, weights = ours(x, memory, allowed, need_weights=True)
    right, right_weights = torchs(same_x, same_memory, same_memory, **blocked)
    torch.testing.assert_close(output, right, **CLOSE)
    torch.testing.assert_close(ours(x, memory, allowed), right, **CLOSE)
    assert weights.shape == (3, 5, 7)  # T × S, not T × T
    torch.testing.assert_close(weights, right_weights, **CLOSE)
    upstream = normal(3, 5, 8, seed=2)
    output.backward(upstream)
    right.backward(upstream)
    for one, other in ((x, same_x), (memory, same_memory)):
        torch.testing.assert_close(one.grad, other.grad, **CLOSE)
    same_gradients(ours, torchs)


def test_cross_attention_to_itself_is_self_attention() -> None:
    ours, alone, x = filled(CrossAttention(8)), SelfAttention(8).double(), normal(3, 5, 8)
    alone.load_state_dict(ours.state_dict())
    torch.testing.assert_close(ours(x, x), alone(x), **CLOSE)


# DecoderLayer, Decoder

#: ours, and torch's, where True = may *not* attend
DECODER_MASKS = {
    "no mask": ({}, {}),
    "causal": ({"mask": causal_mask(5)}, {"tgt_mask": ~causal_mask(5)}),
    "causal, padding on both sides": (
        {"mask": decoder_mask(TARGET, PAD).unsqueeze(1), "memory_mask": padding_mask(SOURCE, PAD).unsqueeze(1)},
        {
            "tgt_mask": ~causal_mask(5),
            "tgt_key_padding_mask": TARGET == PAD,
            "memory_key_padding_mask": SOURCE == PAD,
        },
    ),
    "a mask of memory (T, S)": ({"memory_mask": mask_of(5, 7)}, {"memory_mask": ~mask_of(5, 7)}),
}


@norms
@pytest.mark.parametrize("mask", DECODER_MASKS)
def test_a_decoder_layer_equals_torchs_and_so_do_its_gradients(mask: str, norm_first: bool) -> None:
    ours = filled(DecoderLayer(8, 2, 12, dropout=0.0, norm_first=norm_first))
    same(ours, torchs_layer(ours, norm_first), [normal(3, 5, 8), normal(3, 7, 8)], *DECODER_MASKS[mask])


@norms
@pytest.mark.parametrize("mask", DECODER_MASKS)
def test_a_decoder_equals_torchs_and_so_do_its_gradients(mask: str, norm_first: bool) -> None:
    ours = filled(Decoder(3, 8, 2, 12, dropout=0.0, norm_first=norm_first))
    same(ours, torchs_stack(ours, norm_first), [normal(3, 5, 8), normal(3, 7, 8)], *DECODER_MASKS[mask])


# Transformer


def transformer(norm_first: bool = True, pad_id: int = PAD) -> Transformer:
    return filled(
        Transformer(10, 11, d_model=8, num_heads=2, num_layers=2, d_ff=12, max_length=20, dropout=0.0,
                    norm_first=norm_first, pad_id=pad_id)
    )  # fmt: skip


@norms
def test_a_transformer_equals_torchs_and_so_do_its_gradients(norm_first: bool) -> None:
    ours = transformer(norm_first)
    encoder, decoder = torchs_stack(ours.encoder, norm_first), torchs_stack(ours.decoder, norm_first)
    torchs = nn.Transformer(8, 2, 1, 1, batch_first=True)
    torchs.encoder, torchs.decoder = encoder, decoder  # handed to its constructor, they would be drawn anew
    embeddings = ours.source_embedding, ours.target_embedding
    tables = [e.token_embedding.weight.detach().clone().requires_grad_() for e in embeddings]
    source, target = (
        F.embedding(ids, table) * math.sqrt(8) + ours.source_embedding.positions[: ids.size(1)]
        for ids, table in zip((SOURCE, TARGET), tables, strict=True)
    )
    decoded = torchs(
        source, target, tgt_mask=~causal_mask(5), src_key_padding_mask=SOURCE == PAD,
        tgt_key_padding_mask=TARGET == PAD, memory_key_padding_mask=SOURCE == PAD,
    )  # fmt: skip
    right, logits = decoded @ tables[1].T, ours(SOURCE, TARGET)
    assert logits.shape == (3, 5, 11)
    torch.testing.assert_close(logits, right, **CLOSE)
    upstream = normal(3, 5, 11, seed=3)
    logits.backward(upstream)
    right.backward(upstream)
    same_gradients(ours.encoder, encoder)
    same_gradients(ours.decoder, decoder)
    for embedding, table in zip(embeddings, tables, strict=True):
        torch.testing.assert_close(embedding.token_embedding.weight.grad, table.grad, **CLOSE)


@norms
def test_no_target_token_moves_an_earlier_logit(norm_first: bool) -> None:
    ours = transformer(norm_first)
    logits = ours(SOURCE, TARGET)
    for t in range(TARGET.size(1)):
        other = TARGET.clone()
        other[:, t] = (TARGET[:, t] + 1) % 10 + 1
        moved = (ours(SOURCE, other) - logits).abs().amax(dim=-1) > 1e-12  # (B, T)
        assert not moved[:, :t].any(), f"token {t} is seen before its time"
        assert moved[:, t].all(), f"token {t} is not seen where it stands"
        if t == 0:
            assert moved[TARGET != PAD].all(), "the first token is not seen by all that follow"


@norms
def test_every_source_token_moves_every_logit_of_its_own_sentence_and_of_no_other(norm_first: bool) -> None:
    ours = transformer(norm_first)
    logits = ours(SOURCE, TARGET)
    for b, s in (SOURCE != PAD).nonzero().tolist():
        other = SOURCE.clone()
        other[b, s] = other[b, s] % 9 + 1
        moved = (ours(other, TARGET) - logits).abs().amax(dim=-1) > 1e-12  # (B, T)
        assert moved[b].all()
        assert int(moved.any(dim=1).sum()) == 1


@norms
@pytest.mark.parametrize("pad_id", [0, 3])
def test_padding_is_invisible(pad_id: int, norm_first: bool) -> None:
    ours = transformer(norm_first, pad_id)
    source, target = torch.tensor([[1, 5, 6, 2], [4, 8, 9, 2]]), torch.tensor([[1, 9, 5], [1, 4, 7]])
    wide = F.pad(source, (0, 3), value=pad_id), F.pad(target, (0, 2), value=pad_id)
    torch.testing.assert_close(ours(*wide)[:, :3], ours(source, target), **CLOSE)
    alone = torch.cat([ours(s[None], t[None]) for s, t in zip(source, target, strict=True)])
    torch.testing.assert_close(ours(source, target), alone, **CLOSE)


def test_source_pads_in_the_middle_have_no_effect_on_the_others_but_their_place() -> None:
    ours = transformer()
    source, target = torch.tensor([[1, 5, PAD, 6, 2]]), torch.tensor([[1, 9, 5]])
    before = ours(source, target)
    ours.source_embedding.token_embedding.weight.data[PAD] += 3  # what a pad says is not heard
    torch.testing.assert_close(ours(source, target), before, **CLOSE)


def test_reading_and_writing_a_word_share_one_table_of_weights() -> None:
    ours = transformer()
    names = [name for name, parameter in ours.named_parameters() if 11 in parameter.shape]
    assert names == ["target_embedding.token_embedding.weight"]
    before = ours(SOURCE, TARGET)
    ours.target_embedding.token_embedding.weight.data[10] = 0  # a word that is read in the third sentence only
    assert not ours(SOURCE, TARGET)[..., 10].any()
    torch.testing.assert_close(ours(SOURCE, TARGET)[:2, :, :10], before[:2, :, :10], **CLOSE)


@norms
@pytest.mark.parametrize(("d_model", "num_heads", "num_layers", "d_ff"), [(8, 2, 1, 12), (12, 4, 3, 20), (6, 1, 2, 24)])
def test_parameters_counted_on_paper_are_those_there_are(
    d_model: int, num_heads: int, num_layers: int, d_ff: int, norm_first: bool
) -> None:
    ours = Transformer(10, 11, d_model, num_heads, num_layers, d_ff, max_length=20, norm_first=norm_first)
    right = sum(parameter.numel() for parameter in ours.parameters())
    assert parameter_count(10, 11, d_model, num_layers, d_ff, norm_first) == right


def test_a_new_transformers_logits_are_neither_huge_nor_equal() -> None:
    torch.manual_seed(0)
    ours = Transformer(50, 60, d_model=32, num_heads=4, num_layers=2, d_ff=64, max_length=20).eval()
    logits = ours(SOURCE, TARGET)
    assert 0.3 < float(logits.detach().std()) < 3


# shift_targets, label_smoothed_loss, warmup_schedule, train_step


def test_each_label_comes_right_after_what_is_read() -> None:
    target = torch.tensor([[BOS, 7, 8, 9, EOS], [BOS, 5, EOS, PAD, PAD]])
    inputs, labels = shift_targets(target)
    assert inputs.tolist() == [[BOS, 7, 8, 9], [BOS, 5, EOS, PAD]]
    assert labels.tolist() == [[7, 8, 9, EOS], [5, EOS, PAD, PAD]]


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("pad_id", [0, 3])
def test_label_smoothed_loss_equals_torchs_and_so_do_its_gradients(pad_id: int, smoothing: float) -> None:
    mine, theirs = (normal(3, 5, 11).mul(4).requires_grad_() for _ in range(2))
    labels = TARGET if pad_id == 0 else torch.where(TARGET == 0, 3, TARGET)
    loss = label_smoothed_loss(mine, labels, pad_id, smoothing)
    right = F.cross_entropy(theirs.transpose(1, 2), labels, ignore_index=pad_id, label_smoothing=smoothing)
    torch.testing.assert_close(loss, right, **CLOSE)
    loss.backward()
    right.backward()
    torch.testing.assert_close(mine.grad, theirs.grad, **CLOSE)


def test_more_padding_does_not_change_the_loss() -> None:
    logits = normal(3, 5, 11)
    wide = torch.cat([logits, normal(3, 4, 11, seed=9)], dim=1)
    loss = label_smoothed_loss(wide, F.pad(TARGET, (0, 4), value=PAD), PAD)
    torch.testing.assert_close(loss, label_smoothed_loss(logits, TARGET, PAD), **CLOSE)


def test_the_smoothed_loss_is_least_where_the_probabilities_are_the_smoothed_labels() -> None:
    right = torch.full((1, 1, 11), 0.1 / 11, dtype=torch.float64)
    right[..., 4] += 0.9
    labels, logits = torch.tensor([[4]]), right.log().requires_grad_()
    label_smoothed_loss(logits, labels, PAD, 0.1).backward()
    assert logits.grad is not None
    assert float(logits.grad.abs().max()) < 1e-12


@pytest.mark.parametrize("d_model", [96, 512])
def test_the_rate_rises_in_a_straight_line_to_its_peak_and_falls_with_the_root(d_model: int) -> None:
    rates = [warmup_schedule(step, d_model, 400) for step in range(1, 2001)]
    assert max(rates) == rates[399] == pytest.approx((d_model * 400) ** -0.5)
    assert rates[:400] == pytest.approx([rates[399] * step / 400 for step in range(1, 401)])
    assert rates[1599] == pytest.approx(rates[399] / 2)
    with pytest.raises(ValueError, match="counted from 1, and this one is 0"):
        warmup_schedule(0, d_model, 400)


def test_two_steps_of_training_are_torchs_two_steps() -> None:
    ours, theirs = transformer(), transformer()
    pair = SOURCE, F.pad(TARGET, (0, 1), value=EOS)
    mine, right = (torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9) for model in (ours, theirs))
    schedule = torch.optim.lr_scheduler.LambdaLR(mine, lambda step: 1 / (step + 1))
    ours.eval()
    for parameter in ours.parameters():
        parameter.grad = torch.ones_like(parameter)  # left from before: does not count
    for step in range(2):
        loss = train_step(ours, mine, schedule, *pair, PAD, smoothing=0.2, max_norm=0.3)
        right.param_groups[0]["lr"] = 0.5 / (step + 1)
        right.zero_grad()
        logits = theirs(SOURCE, pair[1][:, :-1])
        expected = F.cross_entropy(logits.transpose(1, 2), pair[1][:, 1:], ignore_index=PAD, label_smoothing=0.2)
        expected.backward()
        assert nn.utils.clip_grad_norm_(theirs.parameters(), 0.3).item() > 0.3, "the test is to clip"
        right.step()
        assert loss == pytest.approx(expected.item(), abs=1e-10)
    assert ours.training
    assert mine.param_groups[0]["lr"] == pytest.approx(0.5 / 3)
    for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(one, other, **CLOSE)


# greedy_decode


def test_greedy_decoding_writes_what_is_likeliest_after_all_that_is_written() -> None:
    ours = transformer().eval()
    written = greedy_decode(ours, SOURCE, BOS, EOS, max_length=8)
    assert written.size(1) <= 8
    for source, row in zip(SOURCE, written, strict=True):
        sentence = [BOS]
        while len(sentence) <= 8 and sentence[-1] != EOS:  # alone, without the batch's padding
            logits = ours(source[source != PAD][None], torch.tensor([sentence]))
            sentence.append(int(logits[0, -1].argmax()))
        assert row[: len(sentence) - 1].tolist() == sentence[1:]
        assert not row[len(sentence) - 1 :].any()


class Scripted(nn.Module):
    """Says, for the sentence that begins with token b, the b-th script, whatever comes after."""

    pad_id = PAD

    def __init__(self, *scripts: list[int]) -> None:
        super().__init__()
        self.scripts, self.encoded, self.decoded = scripts, 0, 0

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        self.encoded += 1
        return source.unsqueeze(-1).double(), (source != PAD)[:, None, None]

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        self.decoded += 1
        assert (target[:, 0] == BOS).all()
        said = [self.scripts[int(which)][: target.size(1)] for which in memory[:, 0, 0]]
        return F.one_hot(torch.tensor(said), 11).double()


def test_each_sentence_ends_by_itself_and_the_batch_with_the_last_of_them() -> None:
    model = Scripted([5, 6, EOS, 9, 9, 9, 9], [EOS, 7, 7, 7, 7, 7, 7], [4, 8, 9, 5, EOS, 9, 9])
    written = greedy_decode(model, torch.tensor([[2], [0], [1]]), BOS, EOS, max_length=7)  # type: ignore[arg-type]
    assert written.tolist() == [[4, 8, 9, 5, EOS], [5, 6, EOS, PAD, PAD], [EOS, PAD, PAD, PAD, PAD]]
    assert (model.encoded, model.decoded) == (1, 5)


@pytest.mark.parametrize("max_length", [1, 3])
def test_no_more_than_max_length_tokens_are_written(max_length: int) -> None:
    model = Scripted([5, 6, 7, 8], [6, 6, EOS, 8])
    written = greedy_decode(model, torch.tensor([[0], [1]]), BOS, EOS, max_length)  # type: ignore[arg-type]
    assert written.tolist() == [[5, 6, 7][:max_length], [6, 6, EOS][:max_length]]


def test_greedy_decoding_leaves_no_gradient() -> None:
    model = transformer().eval()
    assert not greedy_decode(model, SOURCE, BOS, EOS, 4).requires_grad
    assert all(parameter.grad is None for parameter in model.parameters())
    assert isinstance(model.source_embedding, PositionEmbedding)
