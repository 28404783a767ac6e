"""Say in plain words what PyTorch's, NumPy's and Python's most common errors mean.

Such an error names its numbers in the library's terms ("non-singleton dimension 1"). The sentence names the same
numbers in those of the lessons. It is true of every code that raises the error, so it says what happened, not where.
"""

from __future__ import annotations

import re

from course_lib.checking.answers import Error

_SIZES = r"[([]([\d, -]{0,40})[\])]"
_PRODUCT = (
    "In a matrix product, perhaps inside a layer, the rows on the left have {left} numbers, and the columns on the "
    "right have {right}. These two must be the same."
)
_APART = (
    "Tensors of different dtypes meet: {} and {}. Make new tensors with the dtype of the input, as in "
    "`torch.zeros(n, dtype=x.dtype)`."
)
_AMBIGUOUS = (
    "`if`, `while`, `and`, `or` and `not` need a single True or False, and here they get several. Between tensors or "
    "arrays, use `&`, `|` and `~`, or `where`."
)
_RESHAPED = "A `view` or `reshape` to ({shape}) gets {numbers} numbers, which don't fill that shape exactly."
_NONE = "Something is None here: an optional argument that was not given, or the result of a function without `return`."

#: a pattern for the message, and the sentence, which contains the pattern's groups
_MEANINGS = tuple(
    (re.compile(pattern), sentence)
    for pattern, sentence in (
        (
            r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)",
            "Two tensors are combined element by element, and along axis {2} one has {0} entries and the other {1}. "
            "Axes are lined up from the last one on, so a missing axis is added before the first.",
        ),
        (
            rf"operands could not be broadcast together with shapes {_SIZES} {_SIZES}",
            "Arrays of shapes ({0}) and ({1}) are combined element by element. Axes are lined up from the last one on, "
            "and there each must be equally long, or 1.",
        ),
        (r"mat1 and mat2 shapes cannot be multiplied \(\d+x(?P<left>\d+) and (?P<right>\d+)x\d+\)", _PRODUCT),
        (r"matmul: .{0,120}\(size (?P<right>\d+) is different from (?P<left>\d+)\)", _PRODUCT),
        (r"shapes \([\d,]+\) and \([\d,]+\) not aligned: (?P<left>\d+) \(dim \d\) != (?P<right>\d+)", _PRODUCT),
        (
            r"size for first two dimensions of batch2 tensor to be: \[(\d+), (\d+)\] but got: \[(\d+), (\d+)\]",
            "In a product of batches of matrices, the right factor needs {0} matrices of {1} rows, and has {2} of {3} "
            "rows. Is a transpose missing, or are the wrong axes exchanged?",
        ),
        (r"shape '\[(?P<shape>[\d, -]{0,40})\]' is invalid for input of size (?P<numbers>\d+)", _RESHAPED),
        (r"cannot reshape array of size (?P<numbers>\d+) into shape \((?P<shape>[\d,-]{0,40})\)", _RESHAPED),
        (
            r"too many values to unpack \(expected (\d+)",
            "A line takes apart exactly {0} values, as `a, b = x.shape` does with two, and there are more. Does every "
            "input have so many axes?",
        ),
        (
            r"not enough values to unpack \(expected (\d+), got (\d+)\)",
            "A line takes apart exactly {0} values, as `a, b = x.shape` does with two, and there are only {1}. Does "
            "every input have so many axes?",
        ),
        (
            r"Dimension out of range \(expected to be in range of \[-(\d+), \d+\], but got (-?\d+)\)",
            "Axis {1} is asked for, and the number of axes here is {0}. Counted from the end, as −1 and −2, axes "
            "keep their numbers however many come before.",
        ),
        (r"selected index k out of range", "`topk` is asked for more entries than there are along its axis."),
        (
            r"index out of range in self",
            "A table, as in an embedding, is asked for a row that it doesn't have: an id is too large or negative.",
        ),
        (
            r"[Ii]ndex (-?\d+) is out of bounds for (?:dimension|axis) \d+ with size (\d+)",
            "Entry {0} is asked for, and this axis has {1}. Counting starts at 0.",
        ),
        (
            r"Number of dimensions of repeat dims can not be smaller",
            "`repeat` needs a number for each axis, and this tensor has more axes than it gets numbers. Does every "
            "input have so many axes?",
        ),
        (
            r"number of subscripts in the equation \((\d+)\) does not match the number of dimensions \((\d+)\)",
            "The equation of an `einsum` names {0} axes of a tensor that has {1}. `...` in it means any number of "
            "leading axes.",
        ),
        (r"expected m1 and m2 to have the same dtype, but got: (?:c10::)?(\w+) != (?:c10::)?(\w+)", _APART),
        (r"must have the same dtype, but got (\w+) and (\w+)", _APART),
        (r"expected scalar type (\w+) but found (\w+)", _APART),
        (r"Boolean value of Tensor with more than one value is ambiguous", _AMBIGUOUS),
        (r"The truth value of an array with more than one element is ambiguous", _AMBIGUOUS),
        (
            r"result type (\w+) can't be cast to the desired output type (\w+)",
            "Numbers of type {0} are written into a tensor of type {1}, which can't hold them. Make that tensor with "
            "the dtype of what it should hold.",
        ),
        (
            r"could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: (\w+)",
            "The mean of whole numbers ({0}) needs fractions. Convert them first, as in `x.float().mean()`.",
        ),
        (
            r"Length of all samples has to be greater than 0",
            "`pack_padded_sequence` gets a length that isn't above 0: the words of some sentence are counted wrongly.",
        ),
        (r"\bNoneType\b", _NONE),
        (
            r"only supports boolean masks|expected condition to be a boolean tensor|\(operator\.invert\) is only",
            "This needs a boolean tensor and gets numbers. A comparison gives one, as in `ids != pad_id`, and so does "
            "`mask.bool()`.",
        ),
        (
            rf"stack expects each tensor to be equal size, but got {_SIZES} at entry \d+ and {_SIZES} at entry",
            "`torch.stack` needs tensors of one shape, and gets ({0}) and ({1}).",
        ),
        (
            r"Sizes of tensors must match except in dimension (\d+). Expected size (\d+) but got size (\d+)",
            "`torch.cat` along axis {0} needs tensors that agree in all other axes, and one has {1} entries where "
            "another has {2}.",
        ),
        (
            r"expected sequence of length (\d+) at dim \d+ \(got (\d+)\)",
            "`torch.tensor` gets rows of different lengths: {0} and {1}.",
        ),
        (
            r"expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) at .{0,15}dimension (\d+)",
            "{1} entries along axis {2} should be spread over {0}. Only an axis with a single entry can be spread.",
        ),
        (
            r"element 0 of tensors does not require grad",
            "The result doesn't depend on any parameter as far as PyTorch knows. `no_grad`, `detach`, `item`, `tolist` "
            "and NumPy cut that connection.",
        ),
        (
            r"modified by an inplace operation|used in an in-place operation|output of a function .* modified inplace",
            "It changes a tensor in place that your caller or the gradients still need. `+=`, `x[…] = …` and methods "
            "whose name ends in `_` do that. Make a new tensor: `x = x + y`.",
        ),
        (
            r"'(\w{1,60})' object has no attribute '(\w{1,60})'",
            "The code uses `{1}` of an object of type {0}, which has none. Is the name spelled right, and is this "
            "the object that you mean?",
        ),
    )
)


def meaning(error: Error) -> str:
    """Say in a sentence or two what an error's message means; return an empty string if it isn't known."""
    for pattern, sentence in _MEANINGS:
        if found := pattern.search(error.message):
            return sentence.format(*found.groups(), **found.groupdict())
    return ""
