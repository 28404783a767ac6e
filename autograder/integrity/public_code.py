"""Hold public code from PyTorch's documentation, so that two students who adapt it don't count as a pair."""

from __future__ import annotations

#: the equivalent of `scaled_dot_product_attention` in PyTorch's documentation, as students adapt it to this course
_BY_BIAS = """
def attend(query, key, value, mask=None):
    rows, columns = query.size(-2), key.size(-2)
    factor = 1 / math.sqrt(query.size(-1))
    bias = torch.zeros(rows, columns, dtype=query.dtype, device=query.device)
    if mask is not None:
        if mask.dtype == torch.bool:
            bias.masked_fill_(mask.logical_not(), float("-inf"))
        else:
            bias = mask + bias
    weight = query @ key.transpose(-2, -1) * factor
    weight += bias
    weight = torch.softmax(weight, dim=-1)
    weight = torch.dropout(weight, dropout_p, train=True)
    return weight @ value
"""
_BY_FILLING = """
def attend(query, key, value, mask=None):
    rows, columns = query.size(-2), key.size(-2)
    factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    bias = torch.zeros(rows, columns, dtype=query.dtype, device=query.device)
    weight = query @ key.transpose(-2, -1) * factor
    if mask is not None:
        weight = weight.masked_fill(mask.logical_not(), float("-inf"))
    weight = torch.softmax(weight, dim=-1)
    weight = {zeros}
    return weight @ value, weight
"""
#: public code by exercise
PUBLIC_CODE: dict[str, tuple[str, ...]] = {
    "scaled_dot_product_attention": (
        _BY_BIAS,
        _BY_BIAS.replace("rows, columns, dtype=query.dtype, device=query.device", "rows, columns, dtype=query.dtype"),
        *(
            _BY_FILLING.format(zeros=zeros)
            for zeros in ("torch.nan_to_num(weight)", "torch.nan_to_num(weight, 0.0)", "weight.nan_to_num(0.0)")
        ),
        _BY_FILLING.format(zeros="weight").replace("mask.logical_not()", "~mask"),
    )
}
