"""PyTorch's own `nn.Transformer`, filled with the weights of ours."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.components.causal_mask import causal_mask
from course_lib.components.transformer import Transformer
from course_lib.translator import as_torchs

PAD = 0
SOURCE = torch.tensor([[5, 6, 7, 8, 9], [4, 9, 2, PAD, PAD], [8, 8, 5, 4, PAD]])
TARGET = torch.tensor([[1, 9, 5, 7], [1, 4, PAD, PAD], [1, 8, 3, PAD]])
FUTURE = ~causal_mask(4)
CLOSE = {"rtol": 0, "atol": 1e-10}
norms = pytest.mark.parametrize("norm_first", [True, False], ids=["pre-norm", "post-norm"])


def made(norm_first: bool) -> Transformer:
    torch.manual_seed(0)
    ours = Transformer(10, 11, 8, 2, 3, 12, max_length=9, dropout=0.0, norm_first=norm_first).double()
    for parameter in ours.parameters():
        parameter.data += 0.3 * torch.randn(parameter.shape, dtype=torch.float64)
    return ours


def embedded(model: Transformer) -> tuple[Tensor, Tensor]:
    tables = (e.token_embedding.weight.detach() for e in (model.source_embedding, model.target_embedding))
    places = model.source_embedding.positions
    return tuple(
        F.embedding(ids, table) * math.sqrt(8) + places[: ids.size(1)]
        for ids, table in zip((SOURCE, TARGET), tables, strict=True)
    )


def decoded(theirs: nn.Transformer, model: Transformer, **masks: Tensor) -> Tensor:
    return theirs(*embedded(model), **masks) @ model.target_embedding.token_embedding.weight.T


MASKS = {
    "tgt_mask": FUTURE,
    "src_key_padding_mask": SOURCE == PAD,
    "tgt_key_padding_mask": TARGET == PAD,
    "memory_key_padding_mask": SOURCE == PAD,
}


@norms
def test_it_computes_what_ours_does_and_so_do_its_gradients(norm_first: bool) -> None:
    ours = made(norm_first)
    theirs = as_torchs(ours)
    logits, right = ours(SOURCE, TARGET), decoded(theirs, ours, **MASKS)
    torch.testing.assert_close(logits, right, **CLOSE)
    upstream = torch.randn(3, 4, 11, dtype=torch.float64)
    found = torch.autograd.grad(logits, ours.decoder.layers[0].cross_attention.w_v.weight, upstream)[0]
    shared = torch.autograd.grad(right, theirs.decoder.layers[0].multihead_attn.in_proj_weight, upstream)[0]
    torch.testing.assert_close(found, shared[16:], **CLOSE)


@norms
@pytest.mark.parametrize("left_out", MASKS)
def test_each_of_the_four_masks_matters(left_out: str, norm_first: bool) -> None:
    ours = made(norm_first)
    # of padding at the end of a target only the padding itself would hear: the logits there tell
    others = {name: mask for name, mask in MASKS.items() if name != left_out}
    assert not torch.allclose(ours(SOURCE, TARGET), decoded(as_torchs(ours), ours, **others), atol=1e-6)


@norms
def test_our_masks_say_the_opposite_of_theirs(norm_first: bool) -> None:
    ours = made(norm_first)
    source, target = SOURCE[:1], TARGET[:1]  # nothing is padded
    read, written = (vectors[:1] for vectors in embedded(ours))
    table = ours.target_embedding.token_embedding.weight
    right = as_torchs(ours)(read, written, tgt_mask=FUTURE) @ table.T
    wrong = as_torchs(ours)(read, written, tgt_mask=~FUTURE) @ table.T
    torch.testing.assert_close(ours(source, target), right, **CLOSE)
    assert not torch.allclose(ours(source, target), wrong.nan_to_num(), atol=1e-3)


def test_ours_is_left_as_it_is_and_shares_nothing() -> None:
    ours = made(True)
    before = {name: weight.clone() for name, weight in ours.state_dict().items()}
    theirs = as_torchs(ours)
    for parameter in theirs.parameters():
        parameter.data.zero_()
    for name, weight in ours.state_dict().items():
        assert torch.equal(weight, before[name])


def test_post_norm_torchs_own_stacks_end_in_a_normalisation_and_ours_do_not() -> None:
    assert isinstance(nn.Transformer(8, 2, 1, 1, batch_first=True).encoder.norm, nn.LayerNorm)
    assert as_torchs(made(False)).encoder.norm is None
    assert isinstance(as_torchs(made(True)).decoder.norm, nn.LayerNorm)


@pytest.mark.filterwarnings("error")
def test_nothing_is_warned_of() -> None:
    ours = made(True)
    decoded(as_torchs(ours).eval(), ours, **MASKS)
