"""What crosses between a student's process and the judge: it comes back as it was, or not at all."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import pytest
import torch
from keys import wrong_before
from safetensors.torch import save
from tiers import slow_but

from autograder.exercises import DEFINITIONS
from course_lib.checking.answer_key import AnswerKey, load_key, public_key, save_key
from course_lib.checking.answers import (
    Answer,
    Answers,
    Error,
    decode_answers,
    encode_answers,
    pack,
    same_answer,
    unpack,
)
from course_lib.checking.card import make_card
from course_lib.checking.closeness import close, far_apart, identical, outline
from course_lib.checking.judge import Verdict, judge
from course_lib.checking.questions import Question
from course_lib.checking.values import (
    DEEPEST,
    MOST_NUMBERS,
    Unsupported,
    Value,
    arrays,
    copy,
    decode,
    encode,
    pick,
    plain,
)

DTYPES = [
    *(torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.bool),
    *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8),
]


def there_and_back(value: Value) -> Value:
    """Through JSON, safetensors and bytes, as between two processes."""
    tensors: dict[str, torch.Tensor] = {}
    packed = pack(encode({"value": value}, tensors), tensors)
    assert isinstance(packed, bytes)
    return decode(*unpack(packed))["value"]


def same(a: Value, b: Value) -> bool:
    """Equal in type, number type, shape and every number; NaN equals NaN."""
    if type(a) is not type(b):
        return False
    if isinstance(a, torch.Tensor):
        return a.dtype is b.dtype and a.shape == b.shape and torch.equal(torch.nan_to_num(a), torch.nan_to_num(b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b or (a != a and b != b))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 0, 3), (2, 3, 4)])
def test_tensors_come_back_as_they_were(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    tensor = (torch.arange(math.prod(shape)).reshape(shape) - 2).to(dtype)
    assert same(there_and_back(tensor), tensor)
    if dtype is not torch.bfloat16:
        assert same(there_and_back(tensor.numpy()), tensor.numpy())


VALUES: dict[str, Value] = {
    "nothing": None,
    "numbers": [0, -1, 2**63 - 1, 1 - 2**63, 0.1, -0.0, True, False],
    "no numbers": [math.inf, -math.inf, math.nan],
    "texts": ["", "ö", "\0", '"\\', "\u2028", "🙂"],
    "tuples and lists": ((), [], (1,), [1], ([(2,)], "x")),
    "dicts": {"": {}, "a/b": {"c": (None,)}, "$$": 1},
    "tensors among them": {"a": [torch.ones(2), (torch.zeros(1, dtype=torch.bool), np.ones(2))]},
    "tensors that are equal": [torch.ones(2), torch.ones(2), np.ones(2), torch.ones(2, dtype=torch.float32)],
    "nan and infinity": torch.tensor([math.nan, math.inf, -math.inf, -0.0]),
    "a transposed tensor": torch.arange(6.0).reshape(2, 3).T,
    "every second number": torch.arange(10)[::2],
    "numbers from the end": np.arange(6)[::-1],
    "one number, expanded": torch.tensor(1.0).expand(2, 3),
    "an opaque": Unsupported("generator"),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_come_back_as_they_were(name: str) -> None:
    assert same(there_and_back(VALUES[name]), VALUES[name])
    assert same(copy(VALUES[name]), VALUES[name])
    assert same(plain(VALUES[name]), VALUES[name]) or "opaque" in name
    assert identical(there_and_back(VALUES[name]), VALUES[name])


@pytest.mark.parametrize(
    "value, expected",
    [
        (torch.nn.Parameter(torch.ones(2)), torch.ones(2)),
        (torch.ones(2, requires_grad=True) * 2, torch.full((2,), 2.0)),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.asfortranarray(np.ones((2, 3))), np.ones((2, 3))),
        (2**63, Unsupported("int")),
        (object(), Unsupported("object")),
        ({1: 2}, {"1": 2}),
        ({"$": 1}, {"$": 1}),
        (torch.eye(2).to_sparse(), Unsupported("sparse_coo tensor of torch.float32")),
        (torch.empty(2, device="meta"), Unsupported("tensor without numbers of torch.float32")),
        (np.zeros(2, complex), Unsupported("array of complex128")),
        (torch.zeros(1).expand(MOST_NUMBERS + 1), Unsupported(f"tensor of {MOST_NUMBERS + 1:,} numbers")),
        ([0.5] * MOST_NUMBERS, Unsupported("list")),
        ("\ud800", "?"),
    ],
)
def test_what_is_no_plain_value_is_told_by_its_kind(value: Any, expected: Value) -> None:
    assert same(plain(value), expected)


def test_a_plain_value_owns_its_memory() -> None:
    tensor, array = torch.ones(3), np.ones(3)
    kept = plain([tensor, array])
    tensor[:], array[:] = 7, 7
    assert same(kept, [torch.ones(3), np.ones(3)])


def test_plain_values_have_a_depth_and_a_size() -> None:
    value: Value = 0.0
    for _ in range(3 * DEEPEST):
        value = [value] * 3
    flat = plain(value)
    depth = 0
    while isinstance(flat, list):
        flat, depth = flat[0], depth + 1
    assert depth == DEEPEST
    assert flat == Unsupported("list")


def test_equal_tensors_are_stored_once() -> None:
    tensors: dict[str, torch.Tensor] = {}
    encode([torch.ones(5), torch.ones(5), np.ones(5, np.float32), torch.ones(5, dtype=torch.float64)], tensors)
    assert len(tensors) == 2


# what is close


T64 = partial(torch.tensor, dtype=torch.float64)


@pytest.mark.parametrize(
    "a, b, expected",
    [
        (torch.ones(2), torch.ones(2) + 1e-7, True),
        (torch.ones(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64) + 1e-7, True),  # through float32
        (torch.ones(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64) + 5e-5, False),
        (T64([1e3, 1e-4]), T64([1e3, 2e-4]), True),  # measured against the largest they stand among
        (T64([1.0, 1e-4]), T64([1.0, 2e-4]), False),
        ([T64([1e3]), T64([1e-4])], [T64([1e3]), T64([2e-4])], False),  # but not against another array
        ({"gradients": {"a": T64([1e3]), "b": T64([1e-4])}}, {"gradients": {"a": T64([1e3]), "b": T64([2e-4])}}, True),
        (1e-4, 1.001e-4, False),
        (torch.ones(2), torch.ones(2, dtype=torch.float64), True),
        (torch.ones(2), np.ones(2), False),
        (torch.ones(2), torch.ones(2, 1), False),
        (torch.ones(2), torch.ones(2, dtype=torch.bool), False),
        (torch.tensor([math.nan, math.inf]), torch.tensor([math.nan, math.inf]), True),
        (torch.tensor([math.inf]), torch.tensor([-math.inf]), False),
        (torch.tensor([math.nan]), torch.tensor([0.0]), False),
        (np.zeros((0, 3)), np.zeros((0, 3)), True),
        (1, 1.0, True),
        (1, True, False),
        (math.nan, math.nan, True),
        ((1,), [1], False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        (None, 0, False),
        ("1", 1, False),
        (Unsupported("a"), Unsupported("a"), True),
        (Unsupported("a"), Unsupported("b"), False),
        (torch.ones(1), None, False),
    ],
)
def test_close_values_are_close_both_ways(a: Value, b: Value, expected: bool) -> None:
    assert close(a, b) is expected
    assert close(b, a) is expected
    assert close(a, a)
    assert close(b, b)
    assert not (expected and far_apart(outline(a), outline(b)))


def noisy(random_: np.random.Generator, right: Value, coarse: torch.dtype | None = None) -> Value:
    """A value with as much noise as is allowed, or after its numbers were rounded to a coarser type."""
    if isinstance(right, dict):
        return {name: noisy(random_, part, coarse) for name, part in right.items()}
    if isinstance(right, list | tuple):
        return type(right)(noisy(random_, part, coarse) for part in right)
    if isinstance(right, torch.Tensor) and right.is_floating_point():
        if coarse:
            return right.to(coarse)
        largest = max(float(right.abs().nan_to_num(posinf=0).max()) if right.numel() else 0.0, 0.1)
        share = {torch.float16: 1e-2, torch.bfloat16: 3e-2}.get(right.dtype, 1e-5)
        noise = torch.from_numpy(random_.choice([-0.9, 0.9], size=tuple(right.shape))) * share * largest
        return (right.double() + noise).to(right.dtype)
    return right


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_outlines_never_part_what_is_close(exercise_id: str) -> None:
    """They may only spare a comparison: what is close stays close, and a mistake's answers differ as they did."""
    key, random_ = public_key(exercise_id), np.random.default_rng(0)
    with np.errstate(all="ignore"):
        for answers in (
            key.reference,
            *(key.mistakes[m.name] for m in DEFINITIONS[exercise_id].mistakes if m.name in key.mistakes),
        ):
            for name, answer in answers.items():
                for other in (noisy(random_, dict(answer.values)), noisy(random_, dict(answer.values), torch.bfloat16)):
                    assert not (close(other, dict(answer.values)) and far_apart(outline(other), answer.outline))
                right = key.reference[name]
                if not answer.error:
                    assert same_answer(right, answer) == identical(dict(right.values), dict(answer.values))


def test_identical_values_have_the_same_number_types() -> None:
    assert close([torch.ones(2)], [torch.ones(2, dtype=torch.float64)])
    assert not identical([torch.ones(2)], [torch.ones(2, dtype=torch.float64)])
    assert identical([torch.ones(2), 1], [torch.ones(2), 1.0])


def test_any_error_is_like_any_other() -> None:
    one, other = Answer(error=Error("ValueError", "a")), Answer(error=Error("TypeError", "b"))
    assert same_answer(one, other)
    assert not same_answer(one, Answer({"output": None}))


# hostile bytes


def trust(data: bytes) -> None:
    decode_answers(*unpack(data))


def bytes_of(data: Any, tensors: dict[str, torch.Tensor] | None = None) -> bytes:
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    return len(text).to_bytes(8, "big") + text + save(tensors or {})


def value(encoded: Any) -> dict[str, Any]:
    return {"question": {"values": {"output": encoded}}}


def deep(depth: int) -> bytes:
    return b'{"q": {"values": {"x": ' + b"[" * depth + b"]" * depth + b"}}}"


HOSTILE: dict[str, bytes] = {
    "nothing": b"",
    "seven bytes": b"\0" * 7,
    "a length and nothing": b"\0" * 8,
    "a huge length": b"\xff" * 8 + b"{}",
    "a length that is one too large": (3).to_bytes(8, "big") + b"{}",
    "no JSON": bytes_of(b"{"),
    "no UTF-8": bytes_of(b"\xff\xfe"),
    "no tensors": (2).to_bytes(8, "big") + b"{}",
    "a tensors' header of its own length": (2).to_bytes(8, "little") + b"{}" + b"\xff" * 8 + b"{}",
    "a tensor larger than its bytes": (2).to_bytes(8, "big")
    + b"{}"
    + (len(big := b'{"a":{"dtype":"F64","shape":[1000000],"data_offsets":[0,8]}}')).to_bytes(8, "little")
    + big
    + b"\0" * 8,
    "an integer of 5000 digits": bytes_of(b'{"q": ' + b"1" * 5000 + b"}"),
    "no answers": bytes_of([1, 2]),
    "null": bytes_of(None),
    "an answer that is a number": bytes_of({"q": 1}),
    "an answer that is null": bytes_of({"q": None}),
    "an answer without values": bytes_of({"q": {}}),
    "values that are a list": bytes_of({"q": {"values": [1]}}),
    "values that are a tuple": bytes_of({"q": {"values": {"$": "tuple", "of": []}}}),
    "a tensor that is not there": bytes_of(value({"$": "torch", "at": "nowhere"})),
    "a tensor at no name": bytes_of(value({"$": "torch"})),
    "a tensor at a list": bytes_of(value({"$": "torch", "at": ["a"]})),
    "a tensor at a dict": bytes_of(value({"$": "numpy", "at": {"a": 1}})),
    "an array NumPy does not have": bytes_of(
        value({"$": "numpy", "at": "a"}), {"a": torch.ones(2, dtype=torch.bfloat16)}
    ),
    "a tuple of a number": bytes_of(value({"$": "tuple", "of": 5})),
    "a tuple of a text": bytes_of(value({"$": "tuple", "of": "text"})),
    "a tuple of nothing": bytes_of(value({"$": "tuple"})),
    "a kind that is not there": bytes_of(value({"$": "pickle", "of": "x"})),
    "a kind that is a list": bytes_of(value({"$": ["torch"]})),
    "a kind that is null and answers": bytes_of({"$": "torch"}),
    "60 lists in each other": bytes_of(deep(60)),
    "900 lists in each other": bytes_of(deep(900)),
    "a million lists in each other": bytes_of(deep(1_000_000)),
    "60 tuples in each other": bytes_of(b'{"q": {"values": {"x": ' + b'{"$":"tuple","of":[' * 60 + b"]}" * 60 + b"}}}"),
    "900 dicts in each other": bytes_of(b'{"q": {"values": ' + b'{"x":' * 900 + b"1" + b"}" * 900 + b"}}"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_bytes_that_are_no_sheet_are_refused(name: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - of whatever text, and nothing else
        trust(HOSTILE[name])


def test_an_error_told_in_something_that_is_no_text_says_nothing() -> None:
    error = {"type": [[1]], "message": json.loads("[" * 900 + "]" * 900), "where": None}
    assert decode_answers({"q": {"error": error}}, {})["q"].error == Error("", "", "")
    assert decode_answers({"q": {"error": "text"}}, {})["q"].error == Error("", "", "")
    assert decode_answers({"q": {"error": {"type": "x" * 10_000}}}, {})["q"].error == Error("x" * 500)


def test_random_bytes_and_spoilt_sheets_are_refused_or_read() -> None:
    random_ = random.Random(2017)
    tensors: dict[str, torch.Tensor] = {}
    whole = pack(encode_answers(public_key("softmax").reference, tensors), tensors)
    assert decode_answers(*unpack(whole)).keys() == public_key("softmax").reference.keys()
    spoilt = [random_.randbytes(random_.randrange(200)) for _ in range(300)]
    spoilt += [whole[: random_.randrange(len(whole))] for _ in range(300)]
    for _ in range(600):
        edited = bytearray(whole)
        for _ in range(random_.randrange(1, 5)):
            edited[random_.randrange(len(edited) if random_.random() < 0.3 else 1500)] = random_.randrange(256)
        spoilt.append(bytes(edited))
    read = 0
    for data in spoilt:
        try:
            trust(data)
            read += 1
        except ValueError:
            pass
    assert read > 20, "bytes within a number are as good as any"


# judging what no implementation would return


def garbage(random_: random.Random, right: Value, depth: int = 3) -> Value:
    """A value that is right, almost right, or nothing of the kind."""
    choice = random_.randrange(22)
    if choice < 5:
        return right
    if isinstance(right, dict) and choice < 12 and depth:
        kept = {k: garbage(random_, v, depth - 1) for k, v in right.items() if random_.random() < 0.9}
        return kept if choice < 11 else {**kept, "more": None}
    if isinstance(right, list | tuple) and choice < 12 and depth:
        kept = [garbage(random_, item, depth - 1) for item in right if random_.random() < 0.9]
        return random_.choice((list, tuple))(kept)
    if isinstance(right, torch.Tensor | np.ndarray) and choice < 12:
        return spoilt_array(random_, right)
    return random_.choice(ODD)


def spoilt_array(random_: random.Random, right: torch.Tensor | np.ndarray) -> Value:
    tensor = torch.as_tensor(right)
    spoil: Callable[[torch.Tensor], torch.Tensor] = random_.choice(
        (
            lambda t: t.to(random_.choice(DTYPES)),
            lambda t: t.T if t.ndim == 2 else t.transpose(0, -1) if t.ndim else t,
            lambda t: t[:0] if t.ndim else t,
            lambda t: t.flatten(),
            lambda t: t[None],
            lambda t: t.sum() if t.dtype is not torch.bool else t.any(),
            lambda t: torch.full_like(t, math.nan) if t.is_floating_point() else t,
            lambda t: torch.full_like(t, -math.inf) if t.is_floating_point() else t,
            torch.zeros_like,
            lambda t: t[..., :1] if t.ndim else t,
        )
    )
    changed = spoil(tensor).contiguous()
    as_numpy = isinstance(right, np.ndarray) != (random_.random() < 0.2)
    return changed.numpy() if as_numpy and changed.dtype is not torch.bfloat16 else changed


ODD: tuple[Value, ...] = (
    None, True, 0, 1, -1, 2**62, 0.5, math.nan, math.inf, "", "text", (), [], {}, {"": {}}, [[]], (None, None),
    Unsupported("generator"), Unsupported("missing"), Unsupported(""), Unsupported("<script>"),
    np.zeros(()), np.zeros(3), np.zeros((0,)), np.zeros((2, 2, 2, 2)), np.ones(2, bool), np.arange(4),
    torch.zeros(()), torch.zeros(3), torch.zeros(0), torch.zeros(2, 2, 2, 2), torch.ones(2, dtype=torch.bool),
    [torch.ones(1), None], {"output": torch.ones(2, dtype=torch.float16)},
)  # fmt: skip


def garbage_answers(random_: random.Random, reference: Answers) -> Answers:
    answers: dict[str, Answer] = {}
    for name, answer in reference.items():
        choice = random_.random()
        if choice < 0.1:
            answers[name] = Answer(
                error=Error(random_.choice(("ValueError", "", "TimeLimit", "NotImplementedError")), "m")
            )
        elif choice < 0.15:
            answers[name] = Answer({})
        elif choice < 0.9:
            kept = {k: garbage(random_, v) for k, v in answer.values.items() if random_.random() < 0.95}
            answers[name] = Answer({**kept, **({"returned": random_.choice(ODD)} if random_.random() < 0.2 else {})})
    if random_.random() < 0.1:
        answers["a question that nobody asked"] = Answer({"output": 1})
    return answers


def sound(found: Verdict, key: AnswerKey) -> None:
    assert math.isfinite(found.score)
    assert 0 <= found.score <= key.exercise.points
    assert [check_result.check for check_result in found.check_results] == list(key.exercise.checks)
    assert found.misconception is None or key.exercise.misconception(found.misconception)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("exercise_id", slow_but(["softmax", "multi_head_attention"], DEFINITIONS))
def test_the_judge_never_raises(exercise_id: str) -> None:
    key, random_ = public_key(exercise_id), random.Random(exercise_id)
    earlier = wrong_before(dict(key.carried) if random_.random() < 0.5 else {})
    for _ in range(15):
        answers = garbage_answers(random_, key.reference)
        found = judge(key, answers, earlier)
        sound(found, key)
        tensors: dict[str, torch.Tensor] = {}
        again = judge(key, decode_answers(*unpack(pack(encode_answers(answers, tensors), tensors))), earlier)
        assert again == found, "what was stored is judged as what was answered"
        make_card(found, key, answers, hint=0).text.encode()


@pytest.mark.parametrize("exercise_id", slow_but(["softmax", "vocabulary", "multi_head_attention"], DEFINITIONS))
@pytest.mark.parametrize(
    "answers",
    [
        lambda key: {},
        lambda key: {"nothing that was asked": Answer({"output": torch.ones(1)})},
        lambda key: dict.fromkeys(key.reference, Answer({})),
        lambda key: dict.fromkeys(key.reference, Answer(error=Error("", "", ""))),
        lambda key: {q: Answer(dict.fromkeys(a.values, Unsupported("generator"))) for q, a in key.reference.items()},
        lambda key: {q: Answer(dict.fromkeys(a.values)) for q, a in key.reference.items()},
    ],
    ids=["nothing", "another question", "no values", "errors", "opaque", "None"],
)
def test_a_sheet_without_a_number_earns_nothing_and_has_no_name(
    exercise_id: str, answers: Callable[[AnswerKey], Answers]
) -> None:
    key = public_key(exercise_id)
    found = judge(key, answers(key))
    sound(found, key)
    assert (found.score, found.misconception) == (0, None)
    assert make_card(found, key, answers(key), hint=0).text


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_every_rule_finds_something_about_every_answer(exercise_id: str) -> None:
    """The rules themselves, since the judge asks only some of them about each answer."""
    key, random_ = public_key(exercise_id), random.Random(exercise_id)
    for check in key.exercise.checks:
        question, right = key.question(check.question), key.reference[check.question].values
        assert check.rule(question, right, right, **check.settings).holds, check.name
        for _ in range(100):
            answer = {k: garbage(random_, v) for k, v in right.items() if random_.random() < 0.9}
            finding = check.rule(question, answer, right, **check.settings)
            assert finding.holds or finding.seen, check.name


@pytest.mark.slow
def same_question(ours: Question, theirs: Question) -> bool:
    if (type(ours), ours.name, ours.default_dtype) != (type(theirs), theirs.name, theirs.default_dtype):
        return False
    mine, other = ours.contents(), theirs.contents()
    inner = [name for name, value in mine.items() if isinstance(value, Question)]
    rest = ({name: value for name, value in each.items() if name not in inner} for each in (mine, other))
    return same(*rest) and all(same_question(mine[name], other[name]) for name in inner)


def test_a_key_comes_back_from_its_files(tmp_path: Any) -> None:
    for exercise_id in DEFINITIONS:
        key = public_key(exercise_id)
        some = {cause: key.carried[cause] for cause in islice(key.carried, 3)}
        key = replace(key, carried={cause: all_ for cause, all_ in some.items() if any(one.tells for one in all_)})
        save_key(key, tmp_path)
        again = load_key(tmp_path / f"{exercise_id}.json")
        assert again.exercise == key.exercise
        assert again.mistakes.keys() == key.mistakes.keys()
        assert again.carried.keys() == key.carried.keys()
        for ours, theirs in zip(again.questions, key.questions, strict=True):
            assert same_question(ours, theirs)
        for name, answer in key.reference.items():
            assert same(dict(answer.values), dict(again.reference[name].values))


def test_paths_lead_into_values() -> None:
    deep_value = {"a": [{"b": torch.ones(2)}, (1, 2)]}
    assert [path for path, _ in arrays(deep_value)] == ["a/0/b"]
    assert pick(deep_value, "a/1/1") == 2
    assert pick(deep_value, "") is deep_value
    for nowhere in ("b", "a/2", "a/-1", "a/x", "a/1/1/0", "a/0/b/0", "/", "a/"):
        assert pick(deep_value, nowhere) == Unsupported("missing")


def test_one_number_cut_out_of_a_row_crosses_whatever_its_stride() -> None:
    tensors: dict[str, torch.Tensor] = {}
    cut = torch.tensor([[7, 8]])[:, :-1]  # (1, 1), with a stride of 2 along its rows
    assert decode(encode(cut, tensors), tensors).tolist() == [[7]]
    (stored,) = tensors.values()
    assert stored.stride() == (1, 1)


@pytest.mark.parametrize("coarse", [torch.bfloat16, torch.float16])
def test_who_answers_in_coarse_numbers_is_not_measured_coarsely(coarse: torch.dtype) -> None:
    right = torch.tensor([0.75, 1.5])
    assert not close((right + 0.01).to(coarse), right)
    assert close(right.to(coarse), right), "what it can tell, it may tell"
    assert close(right.double() + 1e-7, right)
    assert close(right + 0.001, right.to(coarse)), "a right answer may be coarse"


def test_what_holds_no_numbers_takes_no_room_either() -> None:
    assert plain(torch.zeros(2**30, 0)) == Unsupported(f"tensor of {2**30:,} numbers")
    kept = plain(torch.zeros(3, 0))
    assert isinstance(kept, torch.Tensor)
    assert kept.shape == (3, 0)
