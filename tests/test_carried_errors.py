"""A mistake is charged once: what is right but for a named earlier mistake earns all that it lets be seen."""

from typing import Any

import pytest
from keys import DRAWS, answers_of, key_of, verdict_of

from autograder.exercises import DEFINITIONS
from autograder.exercises.answer_keys import AskedLater, alike
from autograder.exercises.definition import Definition
from autograder.exercises.finished_functions import FINISHED
from autograder.grading.graded import Graded
from autograder.records.regrading import record_of
from autograder.terminal import results_table
from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.ask import ask
from course_lib.checking.card import make_card
from course_lib.checking.judge import DOUBTFUL, Verdict, judge
from course_lib.checking.naming import alike as same_answers
from course_lib.checking.naming import has_wrong_value
from course_lib.checking.sheet import Sheet

pytestmark = pytest.mark.filterwarnings("ignore")


def answers(key: AnswerKey, name: str, over: tuple[str, str] | None = None) -> Sheet:
    """The sheet of a registered implementation, over a registered mistake of an earlier exercise."""
    definition = DEFINITIONS[key.exercise.id]
    return ask(key.questions, definition.load(definition.implementation(name), mistaken(over) if over else None))


def all_that_shows(key: AnswerKey, sheet: Sheet, cause: tuple[str, str]) -> float:
    """The points of the laws that the mistake lets be seen; of all, if it changes no answer or hides little."""
    if alike(sheet, key.reference):
        return key.exercise.points
    excused = next(one for one in key.carried[cause] if one.tells and alike(one.sheet, sheet))
    seen = {law.name for law in key.exercise.laws if law.name in excused.laws or key.question(law.question).watched}
    counts = [law.points for law in key.exercise.laws if law.name in seen and law.needs in (None, *seen)]
    shows = min(round(sum(counts), 6), excused.most)
    return key.exercise.points if shows >= (1 - DOUBTFUL) * key.exercise.points else shows


def fate(key: AnswerKey, sheet: Sheet, cause: tuple[str, str]) -> str:
    """What an earlier mistake makes of right answers.

    ``"unseen"``: nothing; ``"stops"``: errors and nothing else, of which nobody can tell what they come from;
    ``"hidden"``: what a lazy implementation answers, too; ``"shows"``: answers that tell.
    """
    if same_answers(key, key.reference, sheet):
        return "unseen"
    if not has_wrong_value(key, sheet):
        return "stops"
    return "shows" if any(excused.tells for excused in key.carried[cause]) else "hidden"


def require_fair(key: AnswerKey, sheet: Sheet, cause: tuple[str, str], found: Verdict) -> None:
    """A right implementation over a mistake earns what the mistake lets be seen, and has no name of its own."""
    what = "unseen" if all(ruling.holds for ruling in found.rulings) else fate(key, sheet, cause)
    assert found.carried == (cause if what == "shows" else None)
    if what in ("stops", "hidden"):  # the whole may then look like a mistake of its own, and has its name
        assert found.score < found.max_score
        return
    assert found.misconception is None
    if what == "unseen":
        assert found.passed
    else:
        assert found.score == all_that_shows(key, sheet, cause)


def is_excused(key: AnswerKey, sheet: Sheet, cause: tuple[str, str]) -> bool:
    """Whether answers are what is right over an earlier mistake."""
    return any(same_answers(key, one.sheet, sheet) and one.tells for one in key.carried[cause])


def mistaken(cause: tuple[str, str]) -> dict[str, Any]:
    definition = DEFINITIONS[cause[0]]
    return {definition.exercise.symbol: definition.load(definition.implementation(cause[1]))}


def named(exercise_id: str, misconception: str, draw: str) -> dict[str, str]:
    """What the judge says of the earlier exercise, as it is handed on to the later one."""
    found = verdict_of(exercise_id, misconception, draw).misconception
    assert found == misconception
    return {exercise_id: found}


@pytest.mark.parametrize("exercise_id", [d.id for d in DEFINITIONS.values() if d.exercise.builds_on])
def test_what_is_right_stays_right_over_every_other_way_to_be_right(exercise_id: str) -> None:
    definition, key = DEFINITIONS[exercise_id], key_of(exercise_id, "public")
    earlier = [DEFINITIONS[name] for name in definition.exercise.builds_on]
    for below in earlier:
        for other in (i for i in below.implementations if i.role == "alternative"):
            loaded = {below.exercise.symbol: below.load(other)}
            for between in earlier:
                if below.id in between.exercise.builds_on:
                    loaded[between.exercise.symbol] = between.load(between.reference, loaded)
            found = judge(key, ask(key.questions, definition.load(definition.reference, loaded)))
            assert found.passed, f"over {below.id} as {other.name}: {found.broken_laws}"


@pytest.mark.parametrize("exercise_id", [d.id for d in DEFINITIONS.values() if d.exercise.builds_on])
def test_nothing_written_earns_nothing_whatever_it_is_built_on(exercise_id: str) -> None:
    definition, key = DEFINITIONS[exercise_id], key_of(exercise_id, "public")
    earlier = [DEFINITIONS[name] for name in definition.exercise.builds_on]
    lazy = [i for i in definition.implementations if i.role == "lazy"]
    alone = answers_of(exercise_id, "public").sheets
    for below in earlier:
        for wrong in (m.name for m in below.mistakes):
            over = {below.exercise.symbol: below.load(below.implementation(wrong))}
            for between in earlier:
                if below.id in between.exercise.builds_on:
                    over[between.exercise.symbol] = between.load(between.reference, over)
            for one in lazy:
                mentions = one.mentions(over)
                if not mentions and (wrong == FINISHED or not is_excused(key, alone[one.name], (below.id, wrong))):
                    continue  # it scores as over what is right: see the gate
                sheet = ask(key.questions, definition.load(one, over)) if mentions else alone[one.name]
                found = judge(key, sheet, {below.id: wrong})
                most = 0 if one.name == "stub" else found.max_score / 5
                assert found.score <= most, f"{one.name} over {below.id} with {wrong}: {found.carried}"


def test_where_a_mistake_hides_everything_the_card_says_where_to_begin() -> None:
    key = public_key("transformer")
    sheet = answers(key, "reference", ("decoder", "plain_list"))
    found = judge(key, sheet, {"decoder": "plain_list"})
    assert (found.score, found.carried, found.misconception) == (0, None, None)
    says = make_card(found, key, sheet).says
    assert says.endswith(
        "It builds on your `Decoder`, which is not right yet: mend that first, and this card can tell more."
    )


WRONG_SOFTMAX = [m.name for m in DEFINITIONS["softmax"].mistakes]


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("wrong", WRONG_SOFTMAX)
@pytest.mark.parametrize(
    "exercise_id, right",
    [
        ("attention_loops", "reference"),
        ("attention_loops", "every_number_by_itself"),
        ("attention_loops", "lists_and_zip"),
        ("attention_numpy", "reference"),
        ("attention_numpy", "by_einsum"),
        ("attention_numpy", "query_scaled_first"),
        ("attention_numpy", "by_broadcasting"),
    ],
)
def test_a_right_attention_over_a_wrong_softmax_earns_everything(
    exercise_id: str, right: str, wrong: str, draw: str
) -> None:
    key, cause = key_of(exercise_id, draw), ("softmax", wrong)
    sheet = answers(key, right, over=cause)
    require_fair(key, sheet, cause, judge(key, sheet, named("softmax", wrong, draw)))


@pytest.mark.parametrize("exercise_id", ["attention_loops", "attention_numpy"])
def test_an_attention_over_a_wrong_softmax_loses_points_where_the_softmax_has_no_name(exercise_id: str) -> None:
    key = key_of(exercise_id, "public")
    found = judge(key, answers(key, "reference", over=("softmax", "sigmoid")), {})
    assert found.score < found.max_score
    assert found.carried is None


@pytest.mark.parametrize("exercise_id", ["attention_loops", "attention_numpy"])
def test_an_attention_with_a_mistake_of_its_own_is_not_excused_by_a_wrong_softmax(exercise_id: str) -> None:
    key = key_of(exercise_id, "public")
    found = judge(key, answers(key, "unscaled", over=("softmax", "sigmoid")), {"softmax": "sigmoid"})
    assert found.score < found.max_score
    assert found.carried is None


@pytest.mark.parametrize("wrong", WRONG_SOFTMAX)
@pytest.mark.parametrize("exercise_id", ["attention_loops", "attention_numpy"])
def test_an_attention_that_only_crashes_is_not_excused_by_a_wrong_softmax(exercise_id: str, wrong: str) -> None:
    key = key_of(exercise_id, "public")
    found = judge(key, answers(key, "stub"), {"softmax": wrong})
    assert found.score == 0
    assert found.carried is None


@pytest.mark.parametrize("exercise_id", ["corpus_bleu", "attention_loops", "attention_numpy", "decoder_mask"])
def test_an_excuse_pays_a_wrong_exercise_nothing(exercise_id: str) -> None:
    definition, key = DEFINITIONS[exercise_id], key_of(exercise_id, "public")
    sheets = answers_of(exercise_id, "public").sheets
    alone = {m.name: sheets[m.name] for m in definition.mistakes if m.name != FINISHED}
    scores = {name: verdict_of(exercise_id, name, "public").score for name in alone}
    for cause in key.carried:
        below = DEFINITIONS[cause[0]]
        lost = below.exercise.points - judge(key_of(below.id, "public"), over_nothing(below, cause[1])).score
        over = mistaken(cause)
        for name, before in alone.items():
            wrong = definition.load(definition.implementation(name), over)
            sheet = AskedLater(key.questions, lambda question, wrong=wrong: ask([question], wrong)[question.name])
            if is_excused(key, sheet, cause):  # most differ at the first question
                both = judge(key, sheet, dict([cause]))
                more = lost if both.carried and alike(before, sheet) else 0
                assert both.score <= scores[name] + more, f"{name} over {cause}"


def over_nothing(definition: Definition, name: str) -> Sheet:
    return ask(key_of(definition.id, "public").questions, definition.load(definition.implementation(name)))


# SelfAttention over scaled_dot_product_attention

WRONG_ATTENTION = [m.name for m in DEFINITIONS["scaled_dot_product_attention"].mistakes]


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize(
    "right, wrong",
    [
        (right, wrong)
        for right in ("reference", "in_one_expression", "stacked_and_chunked")
        for wrong in WRONG_ATTENTION
        # what chunk returns cannot be changed in place: torch stops with an error that says so
        if (right, wrong) != ("stacked_and_chunked", "query_overwritten")
    ],
)
def test_a_right_self_attention_over_a_wrong_attention_earns_everything(right: str, wrong: str, draw: str) -> None:
    key, cause = key_of("self_attention", draw), ("scaled_dot_product_attention", wrong)
    sheet = answers(key, right, over=cause)
    require_fair(key, sheet, cause, judge(key, sheet, named(*cause, draw)))


@pytest.mark.parametrize("wrong", WRONG_ATTENTION)
def test_a_self_attention_over_a_wrong_attention_loses_points_where_the_attention_has_no_name(wrong: str) -> None:
    key = key_of("self_attention", "public")
    sheet = answers(key, "reference", over=("scaled_dot_product_attention", wrong))
    if fate(key, sheet, ("scaled_dot_product_attention", wrong)) == "unseen":
        return
    for earlier in ({}, {"scaled_dot_product_attention": "another_mistake"}):
        found = judge(key, sheet, earlier)
        assert found.score < found.max_score
        assert found.carried is None


@pytest.mark.parametrize("own", ["residual_added", "keys_by_w_q", "mask_not_passed", "weights_never_returned"])
def test_a_self_attention_with_a_mistake_of_its_own_is_not_excused_by_a_wrong_attention(own: str) -> None:
    key, cause = key_of("self_attention", "public"), ("scaled_dot_product_attention", "unscaled")
    found = judge(key, answers(key, own, over=cause), named(*cause, "public"))
    assert found.score < found.max_score
    assert found.carried is None


@pytest.mark.parametrize("wrong", WRONG_ATTENTION)
def test_a_self_attention_that_only_crashes_is_not_excused_by_a_wrong_attention(wrong: str) -> None:
    key = key_of("self_attention", "public")
    found = judge(key, answers(key, "stub"), {"scaled_dot_product_attention": wrong})
    assert found.score == 0
    assert found.carried is None


# MultiHeadAttention over split_heads and merge_heads

WRONG_HEADS = [(name, m.name) for name in ("split_heads", "merge_heads") for m in DEFINITIONS[name].mistakes]


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("cause", WRONG_HEADS, ids="-".join)
@pytest.mark.parametrize("right", ["reference", "in_one_expression"])
def test_a_right_multi_head_attention_over_wrong_heads_earns_everything(
    right: str, cause: tuple[str, str], draw: str
) -> None:
    key = key_of("multi_head_attention", draw)
    sheet = answers(key, right, over=cause)
    require_fair(key, sheet, cause, judge(key, sheet, named(*cause, draw)))


@pytest.mark.parametrize("cause", WRONG_HEADS, ids="-".join)
def test_a_multi_head_attention_over_wrong_heads_loses_points_where_they_have_no_name(cause: tuple[str, str]) -> None:
    key = key_of("multi_head_attention", "public")
    sheet = answers(key, "reference", over=cause)
    found = judge(key, sheet, {})
    assert found.passed == (fate(key, sheet, cause) == "unseen")
    assert found.carried is None


@pytest.mark.parametrize("own", ["residual_added", "keys_by_w_q", "mask_not_passed", "weights_averaged_over_heads"])
@pytest.mark.parametrize("cause", [("split_heads", "interleaved"), ("merge_heads", "not_transposed")], ids="-".join)
def test_a_multi_head_attention_with_a_mistake_of_its_own_is_not_excused_by_wrong_heads(
    cause: tuple[str, str], own: str
) -> None:
    key = key_of("multi_head_attention", "public")
    found = judge(key, answers(key, own, over=cause), named(*cause, "public"))
    assert found.score < found.max_score
    assert found.carried is None


def test_a_multi_head_attention_that_uses_no_heads_of_the_students_is_right_over_wrong_ones() -> None:
    key, cause = key_of("multi_head_attention", "public"), ("split_heads", "interleaved")
    found = judge(key, answers(key, "written_out", over=cause), named(*cause, "public"))
    assert found.passed
    assert found.carried is None


@pytest.mark.parametrize("cause", WRONG_HEADS, ids="-".join)
def test_a_multi_head_attention_that_only_crashes_is_not_excused_by_wrong_heads(cause: tuple[str, str]) -> None:
    key = key_of("multi_head_attention", "public")
    found = judge(key, answers(key, "stub"), dict([cause]))
    assert found.score == 0
    assert found.carried is None


# the scores and the state of lesson 02 over dot_scores and attend

WRONG_DOT_SCORES = [m.name for m in DEFINITIONS["dot_scores"].mistakes]
WRONG_ATTEND = [m.name for m in DEFINITIONS["attend"].mistakes]


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("right", ["reference", "in_one_expression"])
@pytest.mark.parametrize(
    "exercise_id, cause",
    [
        *(("bilinear_scores", ("dot_scores", wrong)) for wrong in WRONG_DOT_SCORES),
        *(("attentional_state", ("dot_scores", wrong)) for wrong in WRONG_DOT_SCORES),
        *(("attentional_state", ("attend", wrong)) for wrong in WRONG_ATTEND),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_what_is_right_over_a_wrong_score_or_context_earns_everything(
    exercise_id: str, cause: tuple[str, str], right: str, draw: str
) -> None:
    key = key_of(exercise_id, draw)
    sheet = answers(key, right, over=cause)
    require_fair(key, sheet, cause, judge(key, sheet, named(*cause, draw)))


@pytest.mark.parametrize(
    "exercise_id, cause, own",
    [
        ("bilinear_scores", ("dot_scores", "scaled"), "w_detached"),
        ("bilinear_scores", ("dot_scores", "averaged"), "softmax_already"),
        ("attentional_state", ("dot_scores", "scaled"), "state_first"),
        ("attentional_state", ("attend", "mask_inverted"), "no_tanh"),
        ("attentional_state", ("attend", "sigmoid"), "weights_never_returned"),
    ],
)
def test_a_mistake_of_its_own_is_not_excused_by_a_wrong_score_or_context(
    exercise_id: str, cause: tuple[str, str], own: str
) -> None:
    key = key_of(exercise_id, "public")
    found = judge(key, answers(key, own, over=cause), named(*cause, "public"))
    assert found.score < found.max_score
    assert found.carried is None


@pytest.mark.parametrize("wrong", WRONG_ATTEND)
def test_an_attentional_state_that_only_crashes_is_not_excused_by_a_wrong_attend(wrong: str) -> None:
    key = key_of("attentional_state", "public")
    found = judge(key, answers(key, "stub"), {"attend": wrong})
    assert found.score == 0
    assert found.carried is None


# PositionEmbedding over sinusoidal_encoding

SINUSOIDS = "sinusoidal_encoding"
WRONG_SINUSOIDS = [m.name for m in DEFINITIONS[SINUSOIDS].mistakes]


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize(
    "right, wrong",
    [
        (right, wrong)
        for right in ("reference", "looked_up_twice", "sentence_by_sentence")
        for wrong in (*WRONG_SINUSOIDS, "numbered_from_1 + positions_from_1")
        # rows are looked up in a table of two axes: torch stops with an error that says so
        if (right, wrong) != ("looked_up_twice", "axis_in_front")
    ],
)
def test_a_right_position_embedding_over_wrong_sinusoids_earns_everything(right: str, wrong: str, draw: str) -> None:
    key, cause = key_of("position_embedding", draw), (SINUSOIDS, wrong)
    sheet = answers(key, right, over=cause)
    require_fair(key, sheet, cause, judge(key, sheet, named(*cause, draw)))


@pytest.mark.parametrize("wrong", WRONG_SINUSOIDS)
def test_a_position_embedding_over_wrong_sinusoids_loses_points_where_they_have_no_name(wrong: str) -> None:
    key = key_of("position_embedding", "public")
    sheet = answers(key, "reference", over=(SINUSOIDS, wrong))
    if fate(key, sheet, (SINUSOIDS, wrong)) == "unseen":
        return
    for earlier in ({}, {SINUSOIDS: "another_mistake"}):
        found = judge(key, sheet, earlier)
        assert found.score < found.max_score
        assert found.carried is None


@pytest.mark.parametrize("own", ["unscaled", "along_the_batch", "dropout_forgotten", "tokens_detached", "concatenated"])
def test_a_position_embedding_with_a_mistake_of_its_own_is_not_excused_by_wrong_sinusoids(own: str) -> None:
    key, cause = key_of("position_embedding", "public"), (SINUSOIDS, "halves_concatenated")
    found = judge(key, answers(key, own, over=cause), named(*cause, "public"))
    assert found.score < found.max_score
    assert found.carried is None


@pytest.mark.parametrize("wrong", WRONG_SINUSOIDS)
def test_a_position_embedding_that_only_crashes_is_not_excused_by_wrong_sinusoids(wrong: str) -> None:
    key = key_of("position_embedding", "public")
    found = judge(key, answers(key, "stub"), {SINUSOIDS: wrong})
    assert found.score == 0
    assert found.carried is None


# the encoder block of lesson 06: what is built on something wrong is wrong in its turn

BLOCK = ("residual_sublayer", "encoder_layer", "encoder")
WRONG_PARTS = [
    (exercise_id, (earlier, m.name))
    for exercise_id in BLOCK
    for earlier in DEFINITIONS[exercise_id].exercise.builds_on
    for m in DEFINITIONS[earlier].mistakes
]


def block_over(exercise_id: str, name: str, cause: tuple[str, str]) -> Sheet:
    """The answers of a registered implementation in a notebook where one earlier exercise went wrong."""
    wrong = mistaken(cause)
    for between in DEFINITIONS[exercise_id].exercise.builds_on:
        definition = DEFINITIONS[between]
        if cause[0] in definition.exercise.builds_on:
            wrong[definition.exercise.symbol] = definition.load(definition.reference, wrong)
    definition = DEFINITIONS[exercise_id]
    return ask(key_of(exercise_id, "public").questions, definition.load(definition.implementation(name), wrong))


@pytest.mark.parametrize("exercise_id, cause", WRONG_PARTS, ids=lambda v: v if isinstance(v, str) else "-".join(v))
def test_a_right_block_over_a_wrong_part_earns_everything(exercise_id: str, cause: tuple[str, str]) -> None:
    key = key_of(exercise_id, "public")
    sheet = block_over(exercise_id, "reference", cause)
    found = judge(key, sheet, dict([cause]))
    require_fair(key, sheet, cause, found)
    if found.carried:  # where the part has no name, its mistake is charged
        assert judge(key, sheet, {}).score < found.max_score


@pytest.mark.parametrize(
    "exercise_id, own",
    [
        ("residual_sublayer", "dropout_on_the_sum"),
        ("encoder_layer", "network_first"),
        ("encoder", "last_norm_not_used"),
    ],
)
def test_a_block_with_a_mistake_of_its_own_is_not_excused_by_a_wrong_part(exercise_id: str, own: str) -> None:
    cause = ("layer_norm", "divided_by_d_minus_1")
    found = judge(key_of(exercise_id, "public"), block_over(exercise_id, own, cause), dict([cause]))
    assert found.score < found.max_score
    assert found.carried is None


@pytest.mark.parametrize("exercise_id", BLOCK)
def test_a_block_that_only_crashes_is_not_excused_by_a_wrong_part(exercise_id: str) -> None:
    found = judge(
        key_of(exercise_id, "public"), answers(key_of(exercise_id, "public"), "stub"), {"layer_norm": "eps_missing"}
    )
    assert found.score == 0
    assert found.carried is None


# decoder_mask over causal_mask, and the language model over both

WRONG_CAUSAL_MASKS = [("causal_mask", m.name) for m in DEFINITIONS["causal_mask"].mistakes]
WRONG_MASKS = [*WRONG_CAUSAL_MASKS, *(("decoder_mask", m.name) for m in DEFINITIONS["decoder_mask"].mistakes)]


def answers_through(key: AnswerKey, name: str, cause: tuple[str, str]) -> Sheet:
    """As `answers`, where the exercise between calls the mistaken function too, as it does in a notebook."""
    definition, wrong = DEFINITIONS[key.exercise.id], mistaken(cause)
    if key.exercise.id == "causal_language_model" and cause[0] == "causal_mask":
        between = DEFINITIONS["decoder_mask"]
        wrong["decoder_mask"] = between.load(between.reference, wrong)
    return ask(key.questions, definition.load(definition.implementation(name), wrong))


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize(
    "exercise_id, right, cause",
    [
        *(("decoder_mask", right, c) for right in ("reference", "unsqueezed_by_hand") for c in WRONG_CAUSAL_MASKS),
        *(("causal_language_model", right, c) for right in ("reference", "sentence_by_sentence") for c in WRONG_MASKS),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_what_is_right_over_a_wrong_mask_earns_everything(
    exercise_id: str, right: str, cause: tuple[str, str], draw: str
) -> None:
    key = key_of(exercise_id, draw)
    sheet = answers_through(key, right, cause)
    require_fair(key, sheet, cause, judge(key, sheet, named(*cause, draw)))


@pytest.mark.parametrize(
    "exercise_id, cause, own",
    [
        ("decoder_mask", ("causal_mask", "one_ahead_visible"), "queries_masked"),
        ("causal_language_model", ("causal_mask", "one_ahead_visible"), "shifted_twice"),
        ("causal_language_model", ("decoder_mask", "padding_forgotten"), "divided_by_all_places"),
    ],
)
def test_a_mistake_of_its_own_is_not_excused_by_a_wrong_mask(
    exercise_id: str, cause: tuple[str, str], own: str
) -> None:
    key = key_of(exercise_id, "public")
    found = judge(key, answers_through(key, own, cause), named(*cause, "public"))
    assert found.score < found.max_score
    assert found.carried is None


@pytest.mark.parametrize("cause", WRONG_MASKS, ids="-".join)
def test_a_language_model_that_only_crashes_is_not_excused_by_a_wrong_mask(cause: tuple[str, str]) -> None:
    key = key_of("causal_language_model", "public")
    found = judge(key, answers(key, "stub"), dict([cause]))
    assert found.score == 0
    assert found.carried is None


# Decoder over DecoderLayer, Transformer over both

WRONG_LAYERS = [("decoder_layer", m.name) for m in DEFINITIONS["decoder_layer"].mistakes]
WRONG_DECODERS = [("decoder", m.name) for m in DEFINITIONS["decoder"].mistakes]


def over(key: AnswerKey, right: str, cause: tuple[str, str]) -> Sheet:
    """A right implementation over a wrong earlier one, and over what is right between the two."""
    definition, wrong = DEFINITIONS[key.exercise.id], mistaken(cause)
    for name in definition.exercise.builds_on:
        between = DEFINITIONS[name]
        if cause[0] in between.exercise.builds_on:
            wrong[between.exercise.symbol] = between.load(between.reference, wrong)
    return ask(key.questions, definition.load(definition.implementation(right), wrong))


@pytest.mark.parametrize(
    "exercise_id, right, cause",
    [
        *(("decoder", "Recursive", cause) for cause in WRONG_LAYERS),
        *(("transformer", "by_einsum", cause) for cause in (*WRONG_LAYERS, *WRONG_DECODERS)[::2]),
        ("transformer", "reference", ("decoder_layer", "dropout_not_handed_to_the_residuals")),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_what_is_right_over_a_wrong_layer_or_decoder_earns_everything(
    exercise_id: str, right: str, cause: tuple[str, str]
) -> None:
    key = key_of(exercise_id, "public")
    sheet = over(key, right, cause)
    found = judge(key, sheet, named(*cause, "public"))
    require_fair(key, sheet, cause, found)
    if fate(key, sheet, cause) == "hidden":
        assert found.beneath == (cause[0],)


@pytest.mark.parametrize(
    "exercise_id, own, cause",
    [
        ("decoder", "only_the_last_layer", ("decoder_layer", "cross_before_self")),
        ("decoder", "memory_mask_not_passed", ("decoder_layer", "norm_first_inverted")),
        ("transformer", "logits_scaled_up", ("decoder_layer", "cross_before_self")),
        ("transformer", "future_seen", ("decoder", "only_the_last_layer")),
        ("transformer", "stub", ("decoder", "only_the_last_layer")),
    ],
)
def test_a_mistake_of_its_own_is_not_excused_by_a_wrong_layer_or_decoder(
    exercise_id: str, own: str, cause: tuple[str, str]
) -> None:
    key = key_of(exercise_id, "public")
    found = judge(key, over(key, own, cause), named(*cause, "public"))
    assert found.score < found.max_score
    assert found.carried is None


# train_step over shift_targets and label_smoothed_loss

STEP = "train_step"
WRONG_PARTS_OF_A_STEP = [
    (exercise_id, m.name)
    for exercise_id in ("shift_targets", "label_smoothed_loss")
    for m in DEFINITIONS[exercise_id].mistakes
]


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("cause", WRONG_PARTS_OF_A_STEP)
def test_a_right_step_over_a_wrong_shift_or_loss_earns_everything(cause: tuple[str, str], draw: str) -> None:
    key = key_of(STEP, draw)
    sheet = answers(key, "reference", over=cause)
    require_fair(key, sheet, cause, judge(key, sheet, named(*cause, draw)))


@pytest.mark.parametrize(
    "exercise_id, below, share",
    [
        ("attention_numpy", "softmax", 0.6),
        ("self_attention", "scaled_dot_product_attention", 0.5),
        ("multi_head_attention", "split_heads", 0.3),
        ("attentional_state", "attend", 0.5),
        ("position_embedding", "sinusoidal_encoding", 0.6),
        ("encoder_layer", "residual_sublayer", 0.5),
        ("causal_language_model", "decoder_mask", 0.4),
        ("decoder", "decoder_layer", 0.6),
        (STEP, "label_smoothed_loss", 0.6),
    ],
)
def test_most_mistakes_show_in_what_is_built_on_them(exercise_id: str, below: str, share: float) -> None:
    key = key_of(exercise_id, "public")
    causes = [(below, m.name) for m in DEFINITIONS[below].mistakes]
    fates = [fate(key, answers(key, "reference", over=cause), cause) for cause in causes if cause[1] != FINISHED]
    assert fates.count("shows") >= share * len(fates), fates


@pytest.mark.parametrize("own", ["not_clipped", "scheduler_first", "gradients_never_cleared", "loss_after_the_step"])
def test_a_step_with_a_mistake_of_its_own_is_not_excused_by_a_wrong_loss(own: str) -> None:
    key, cause = key_of(STEP, "public"), ("label_smoothed_loss", "padding_counted")
    found = judge(key, answers(key, own, over=cause), named(*cause, "public"))
    assert found.score < found.max_score
    assert found.carried is None


# errors are all alike: whatever stops on the way earns nothing, however right it may be


LAZY_BLEU = """
def corpus_bleu(*arguments, **settings):
    raise TypeError("lazy")
"""

#: one head, no mask, no dropout, no weights: as far as one question goes
LAZY_HEADS = """
def forward(self, query, key, value, mask=None, need_weights=False):
    assert self.num_heads == 1 and mask is None and not need_weights and not self.training
    q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
    return self.w_o(((q @ k.mT / q.size(-1) ** 0.5).softmax(-1) @ v).unsqueeze(2))
"""


def test_to_stop_where_a_right_answer_would_stop_earns_nothing() -> None:
    key, space = public_key("corpus_bleu"), {}
    exec(LAZY_BLEU, space)
    found = judge(key, ask(key.questions, space["corpus_bleu"]), {"clipped_counts": "divided"})
    assert found.score <= found.max_score / 8, "an error of another type counts as an answer where one is asked for"

    key, definition = public_key("multi_head_attention"), DEFINITIONS["multi_head_attention"]
    exec(LAZY_HEADS, space)
    lazy = type("Lazy", (definition.load(definition.reference),), {"forward": space["forward"]})
    found = judge(key, ask(key.questions, lazy), {"merge_heads": "not_joined"})
    assert found.score < found.max_score / 4


def test_the_card_says_what_waits_for_an_earlier_mistake_to_be_mended() -> None:
    key, cause = public_key("decoder"), ("decoder_layer", "memory_asks")
    sheet = over(key, "Recursive", cause)
    found = judge(key, sheet, dict([cause]))
    assert found.carried == cause
    assert found.score < found.max_score
    card = make_card(found, key, sheet, hint=0)
    assert card.says.startswith(
        "As far as it can be seen, this is right. What still differs comes from your `DecoderLayer`"
    )
    assert card.says.endswith("it hides whether the rest is right too, and the points for that wait.")
    assert (card.hint, card.examples) == (None, ())


def test_the_table_of_a_class_tells_what_waits() -> None:
    def carried(score: float) -> Verdict:
        return Verdict("above", score, 2.0, (), carried=("below", "wrong"))

    record = record_of(Graded("ada", "03", "graded", "", {"whole": carried(2.0), "hidden": carried(0.5)}, 4.0))
    (found,) = results_table([record]).columns[2].cells
    assert found == "whole: right, but for below\nhidden 0.5 / 2: right as far as it can be seen, but for below"
