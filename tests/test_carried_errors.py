"""A mistake is charged once: what is right but for a named earlier mistake earns all that it lets be seen."""

import itertools
from typing import Any

import pytest
from keys import SAMPLERS, answers_of, key_of, verdict_of, wrong_before
from tiers import slow_but

from autograder.exercises import DEFINITIONS
from autograder.exercises.answer_keys import AskedLater, alike
from autograder.exercises.definition import Definition
from autograder.exercises.finished_functions import FINISHED
from autograder.grading.graded import Graded
from autograder.records.graded_record import record_of
from autograder.terminal import results_table
from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.answers import Answers
from course_lib.checking.ask import ask
from course_lib.checking.card import make_card
from course_lib.checking.dependencies import Dependencies, Earlier
from course_lib.checking.judge import DOUBTFUL, Verdict, judge
from course_lib.checking.naming import alike as same_answers
from course_lib.checking.naming import has_wrong_value

pytestmark = pytest.mark.filterwarnings("ignore")

ONE = ["attention_numpy"]  #: the exercise of the fast tier


def ask_version(key: AnswerKey, name: str, over: tuple[str, str] | None = None) -> Answers:
    """The answers of a registered implementation, over a registered mistake of an earlier exercise."""
    definition = DEFINITIONS[key.exercise.id]
    return ask(key.questions, definition.load(definition.implementation(name), mistaken(over) if over else None))


def all_that_shows(key: AnswerKey, answers: Answers, cause: tuple[str, str]) -> float:
    """The points of the checks that the mistake lets be seen; of all, if it changes no answer or hides little."""
    if alike(answers, key.reference):
        return key.exercise.points
    excused = next(one for one in key.carried[cause] if one.tells and alike(one.answers, answers))
    seen = {
        check.name
        for check in key.exercise.checks
        if check.name in excused.checks or key.question(check.question).watched
    }
    counts = [check.points for check in key.exercise.checks if check.name in seen and check.needs in (None, *seen)]
    shows = min(round(sum(counts), 6), excused.most)
    return key.exercise.points if shows >= (1 - DOUBTFUL) * key.exercise.points else shows


def fate(key: AnswerKey, answers: Answers, cause: tuple[str, str]) -> str:
    """What an earlier mistake makes of right answers.

    ``"unseen"``: nothing; ``"stops"``: errors and nothing else, of which nobody can tell what they come from;
    ``"hidden"``: what a lazy implementation answers, too; ``"shows"``: answers that tell.
    """
    if same_answers(key, key.reference, answers):
        return "unseen"
    if not has_wrong_value(key, answers):
        return "stops"
    return "shows" if any(excused.tells for excused in key.carried[cause]) else "hidden"


def require_fair(key: AnswerKey, answers: Answers, cause: tuple[str, str], found: Verdict, case: str) -> None:
    """A right implementation over a mistake earns what the mistake lets be seen, and has no name of its own."""
    what = "unseen" if all(check_result.holds for check_result in found.check_results) else fate(key, answers, cause)
    assert found.carried == (cause if what == "shows" else None), case
    if what in ("stops", "hidden"):  # the whole may then look like a mistake of its own, and has its name
        assert found.score < found.max_score, case
        assert (
            what == "stops"
            or key.exercise.id not in ("decoder", "transformer")
            or found.dependencies.suspects == (cause[0],)
        ), case
        return
    assert found.misconception is None, case
    if what == "unseen":
        assert found.passed, case
    else:
        assert found.score == all_that_shows(key, answers, cause), case


def is_excused(key: AnswerKey, answers: Answers, cause: tuple[str, str]) -> bool:
    """Whether answers are what is right over an earlier mistake."""
    return any(same_answers(key, one.answers, answers) and one.tells for one in key.carried[cause])


def mistaken(cause: tuple[str, str]) -> dict[str, Any]:
    definition = DEFINITIONS[cause[0]]
    return {definition.exercise.symbol: definition.load(definition.implementation(cause[1]))}


def named(exercise_id: str, misconception: str, sampler: str) -> Earlier:
    """What the judge says of the earlier exercise, as it is handed on to the later one."""
    verdict = verdict_of(exercise_id, misconception, sampler)
    assert verdict.misconception == misconception
    return {exercise_id: verdict}.get


@pytest.mark.parametrize("exercise_id", slow_but(ONE, [d.id for d in DEFINITIONS.values() if d.exercise.builds_on]))
def test_what_is_right_stays_right_over_every_other_way_to_be_right(exercise_id: str) -> None:
    definition, key = DEFINITIONS[exercise_id], key_of(exercise_id, "public")
    earlier = [DEFINITIONS[name] for name in definition.exercise.builds_on]
    for below in earlier:
        for other in [i for i in below.implementations if i.role == "alternative"][:4]:
            loaded = {below.exercise.symbol: below.load(other)}
            for between in earlier:
                if below.id in between.exercise.builds_on:
                    loaded[between.exercise.symbol] = between.load(between.reference, loaded)
            found = judge(key, ask(key.questions, definition.load(definition.reference, loaded)))
            assert found.passed, f"over {below.id} as {other.name}: {found.broken_checks}"


@pytest.mark.parametrize("exercise_id", slow_but(ONE, [d.id for d in DEFINITIONS.values() if d.exercise.builds_on]))
def test_nothing_written_earns_nothing_whatever_it_is_built_on(exercise_id: str) -> None:
    definition, key = DEFINITIONS[exercise_id], key_of(exercise_id, "public")
    earlier = [DEFINITIONS[name] for name in definition.exercise.builds_on]
    lazy = [i for i in definition.implementations if i.role == "lazy"]
    alone = answers_of(exercise_id, "public").all_answers
    for below in earlier:
        for wrong in [m.name for m in below.mistakes][::2]:
            over = {below.exercise.symbol: below.load(below.implementation(wrong))}
            for between in earlier:
                if below.id in between.exercise.builds_on:
                    over[between.exercise.symbol] = between.load(between.reference, over)
            for one in lazy:
                mentions = one.mentions(over)
                if not mentions and (wrong == FINISHED or not is_excused(key, alone[one.name], (below.id, wrong))):
                    continue  # it scores as over what is right: see the gate
                answers = ask(key.questions, definition.load(one, over)) if mentions else alone[one.name]
                found = judge(key, answers, wrong_before({below.id: wrong}))
                most = 0 if one.name == "stub" else found.max_score / 5
                assert found.score <= most, f"{one.name} over {below.id} with {wrong}: {found.carried}"


def test_where_a_mistake_hides_everything_the_card_says_where_to_begin() -> None:
    key = public_key("transformer")
    answers = ask_version(key, "reference", ("decoder", "plain_list"))
    found = judge(key, answers, wrong_before({"decoder": "plain_list"}))
    assert (found.score, found.carried, found.misconception) == (0, None, None)
    says = make_card(found, key, answers).says
    assert says.endswith(
        "It builds on your `Decoder`, which is not right yet. Fix that first, and this card can say more."
    )


# right code over every registered mistake of what it builds on

Cause = tuple[str, str]


def mistakes_of(*exercise_ids: str) -> list[Cause]:
    return [(exercise_id, m.name) for exercise_id in exercise_ids for m in DEFINITIONS[exercise_id].mistakes]


def over(key: AnswerKey, name: str, cause: Cause) -> Answers:
    """The answers of a registered implementation in a notebook where one earlier exercise went wrong.

    An exercise between the two calls the mistaken function, too.
    """
    definition, wrong = DEFINITIONS[key.exercise.id], mistaken(cause)
    for between in map(DEFINITIONS.__getitem__, definition.exercise.builds_on):
        if cause[0] in between.exercise.builds_on:
            wrong[between.exercise.symbol] = between.load(between.reference, wrong)
    return ask(key.questions, definition.load(definition.implementation(name), wrong))


LAYERS = mistakes_of("decoder_layer")
SINUSOIDS = "sinusoidal_encoding"
#: by exercise, right implementations of it and the mistakes beneath them
BUILT: dict[str, tuple[tuple[str, ...], list[Cause]]] = {
    "attention_loops": (("reference", "every_number_by_itself", "lists_and_zip"), mistakes_of("softmax")),
    "attention_numpy": (
        ("reference", "by_einsum", "query_scaled_first", "by_broadcasting"),
        mistakes_of("softmax"),
    ),
    "self_attention": (
        ("reference", "in_one_expression", "stacked_and_chunked"),
        mistakes_of("scaled_dot_product_attention"),
    ),
    "multi_head_attention": (("reference", "in_one_expression"), mistakes_of("split_heads", "merge_heads")),
    "bilinear_scores": (("reference", "in_one_expression"), mistakes_of("dot_scores")),
    "attentional_state": (("reference", "in_one_expression"), mistakes_of("dot_scores", "attend")),
    "position_embedding": (
        ("reference", "looked_up_twice", "sentence_by_sentence"),
        [*mistakes_of(SINUSOIDS), (SINUSOIDS, "numbered_from_1 + positions_from_1")],
    ),
    "residual_sublayer": (("reference",), mistakes_of("layer_norm")),
    "encoder_layer": (("reference",), mistakes_of(*DEFINITIONS["encoder_layer"].exercise.builds_on)),
    "encoder": (("reference",), mistakes_of(*DEFINITIONS["encoder"].exercise.builds_on)),
    "decoder_mask": (("reference", "unsqueezed_by_hand"), mistakes_of("causal_mask")),
    "causal_language_model": (
        ("reference", "sentence_by_sentence"),
        mistakes_of("causal_mask", "decoder_mask"),
    ),
    "decoder": (("recursive",), LAYERS),
    "transformer": (("by_einsum",), [*LAYERS, *mistakes_of("decoder")][::2]),
    "train_step": (("reference",), mistakes_of("shift_targets", "label_smoothed_loss")),
}
#: torch stops with an error that says so: what chunk returns can't be changed in place, and a table has two axes
STOPPED_BY_TORCH = {("stacked_and_chunked", "query_overwritten"), ("looked_up_twice", "axis_in_front")}
#: answers take long; the public questions are enough
PUBLIC_ONLY = {"residual_sublayer", "encoder_layer", "encoder", "decoder", "transformer"}


@pytest.mark.parametrize(
    "exercise_id, sampler",
    slow_but(
        [(exercise_id, "public") for exercise_id in ONE],
        [
            (exercise_id, sampler)
            for exercise_id in BUILT
            for sampler in SAMPLERS
            if sampler == "public" or exercise_id not in PUBLIC_ONLY
        ],
    ),
)
def test_what_is_right_over_a_mistake_earns_all_that_the_mistake_lets_be_seen(exercise_id: str, sampler: str) -> None:
    key, (right, causes) = key_of(exercise_id, sampler), BUILT[exercise_id]
    tried = causes if exercise_id in ONE else causes[sampler == "hidden" :: 2]  # each mistake on one of the samples
    for name, cause in itertools.product(right, tried):
        if (name, cause[1]) not in STOPPED_BY_TORCH:
            answers = over(key, name, cause)
            found = judge(key, answers, named(*cause, sampler))
            require_fair(key, answers, cause, found, f"{name} over {cause}")
            if found.carried:  # if the earlier mistake has no name, it is charged here
                assert judge(key, answers).score < found.max_score, cause


@pytest.mark.parametrize("exercise_id", ["self_attention", "multi_head_attention", "position_embedding"])
def test_what_is_right_over_a_mistake_without_a_name_loses_points(exercise_id: str) -> None:
    key = key_of(exercise_id, "public")
    for cause in BUILT[exercise_id][1]:
        answers = over(key, "reference", cause)
        for earlier in ({}, {cause[0]: "another_mistake"}):
            found = judge(key, answers, wrong_before(earlier))
            assert found.passed == (fate(key, answers, cause) == "unseen"), cause
            assert found.carried is None, cause


@pytest.mark.parametrize("exercise_id", BUILT)
def test_code_that_only_crashes_is_not_excused_by_an_earlier_mistake(exercise_id: str) -> None:
    key = key_of(exercise_id, "public")
    answers = ask_version(key, "stub")
    for cause in BUILT[exercise_id][1]:
        found = judge(key, answers, wrong_before(dict([cause])))
        assert (found.score, found.carried) == (0, None), cause


@pytest.mark.parametrize(
    "exercise_id, cause, own",
    [
        ("attention_loops", ("softmax", "sigmoid"), ["unscaled"]),
        ("attention_numpy", ("softmax", "sigmoid"), ["unscaled"]),
        (
            "self_attention",
            ("scaled_dot_product_attention", "unscaled"),
            ["residual_added", "keys_by_w_q", "mask_not_passed", "weights_never_returned"],
        ),
        *(
            (
                "multi_head_attention",
                cause,
                ["residual_added", "keys_by_w_q", "mask_not_passed", "weights_averaged_over_heads"],
            )
            for cause in (("split_heads", "interleaved"), ("merge_heads", "not_transposed"))
        ),
        ("bilinear_scores", ("dot_scores", "scaled"), ["w_detached"]),
        ("bilinear_scores", ("dot_scores", "averaged"), ["softmax_already"]),
        ("attentional_state", ("dot_scores", "scaled"), ["state_first"]),
        ("attentional_state", ("attend", "mask_inverted"), ["no_tanh"]),
        ("attentional_state", ("attend", "sigmoid"), ["weights_never_returned"]),
        (
            "position_embedding",
            (SINUSOIDS, "halves_concatenated"),
            ["unscaled", "along_the_batch", "dropout_forgotten", "tokens_detached", "concatenated"],
        ),
        ("residual_sublayer", ("layer_norm", "divided_by_d_minus_1"), ["dropout_on_the_sum"]),
        ("encoder_layer", ("layer_norm", "divided_by_d_minus_1"), ["network_first"]),
        ("encoder", ("layer_norm", "divided_by_d_minus_1"), ["last_norm_not_used"]),
        ("decoder_mask", ("causal_mask", "one_ahead_visible"), ["queries_masked"]),
        ("causal_language_model", ("causal_mask", "one_ahead_visible"), ["shifted_twice"]),
        ("causal_language_model", ("decoder_mask", "padding_forgotten"), ["divided_by_all_places"]),
        ("decoder", ("decoder_layer", "cross_before_self"), ["only_the_last_layer"]),
        ("decoder", ("decoder_layer", "norm_first_inverted"), ["memory_mask_not_passed"]),
        ("transformer", ("decoder_layer", "cross_before_self"), ["logits_scaled_up"]),
        ("transformer", ("decoder", "only_the_last_layer"), ["future_seen", "stub"]),
        (
            "train_step",
            ("label_smoothed_loss", "padding_counted"),
            ["not_clipped", "scheduler_first", "gradients_never_cleared", "loss_after_the_step"],
        ),
    ],
)
def test_a_mistake_of_its_own_is_not_excused_by_an_earlier_one(exercise_id: str, cause: Cause, own: list[str]) -> None:
    key = key_of(exercise_id, "public")
    for name in own:
        found = judge(key, over(key, name, cause), named(*cause, "public"))
        assert found.score < found.max_score, name
        assert found.carried is None, name


@pytest.mark.parametrize("exercise_id", ["corpus_bleu", "attention_loops", "attention_numpy", "decoder_mask"])
def test_an_excuse_pays_a_wrong_exercise_nothing(exercise_id: str) -> None:
    definition, key = DEFINITIONS[exercise_id], key_of(exercise_id, "public")
    all_answers = answers_of(exercise_id, "public").all_answers
    alone = {m.name: all_answers[m.name] for m in definition.mistakes if m.name != FINISHED}
    scores = {name: verdict_of(exercise_id, name, "public").score for name in alone}
    for cause in key.carried:
        below = DEFINITIONS[cause[0]]
        lost = below.exercise.points - judge(key_of(below.id, "public"), over_nothing(below, cause[1])).score
        earlier = mistaken(cause)
        for name, before in alone.items():
            wrong = definition.load(definition.implementation(name), earlier)
            answers = AskedLater(key.questions, lambda question, wrong=wrong: ask([question], wrong)[question.name])
            if is_excused(key, answers, cause):  # most differ at the first question
                both = judge(key, answers, wrong_before(dict([cause])))
                more = lost if both.carried and alike(before, answers) else 0
                assert both.score <= scores[name] + more, f"{name} over {cause}"


def over_nothing(definition: Definition, name: str) -> Answers:
    return ask(key_of(definition.id, "public").questions, definition.load(definition.implementation(name)))


def test_a_multi_head_attention_that_uses_no_heads_of_the_students_is_right_over_wrong_ones() -> None:
    key, cause = key_of("multi_head_attention", "public"), ("split_heads", "interleaved")
    found = judge(key, ask_version(key, "written_out", over=cause), named(*cause, "public"))
    assert found.passed
    assert found.carried is None


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
        ("train_step", "label_smoothed_loss", 0.6),
    ],
)
def test_most_mistakes_show_in_what_is_built_on_them(exercise_id: str, below: str, share: float) -> None:
    key = key_of(exercise_id, "public")
    causes = mistakes_of(below)
    fates = [fate(key, ask_version(key, "reference", over=cause), cause) for cause in causes if cause[1] != FINISHED]
    assert fates.count("shows") >= share * len(fates), fates


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
    found = judge(key, ask(key.questions, space["corpus_bleu"]), wrong_before({"clipped_counts": "divided"}))
    assert found.score <= found.max_score / 8, "an error of another type counts as an answer where one is asked for"

    key, definition = public_key("multi_head_attention"), DEFINITIONS["multi_head_attention"]
    exec(LAZY_HEADS, space)
    lazy = type("Lazy", (definition.load(definition.reference),), {"forward": space["forward"]})
    found = judge(key, ask(key.questions, lazy), wrong_before({"merge_heads": "not_joined"}))
    assert found.score < found.max_score / 4


def test_the_card_says_what_waits_for_an_earlier_mistake_to_be_mended() -> None:
    key, cause = public_key("decoder"), ("decoder_layer", "memory_asks")
    answers = over(key, "recursive", cause)
    found = judge(key, answers, wrong_before(dict([cause])))
    assert found.carried == cause
    assert found.score < found.max_score
    card = make_card(found, key, answers, hint=0)
    assert card.says.startswith(
        "As far as can be seen, this is right. What still differs comes from your `DecoderLayer`"
    )
    assert card.says.endswith("it hides whether the rest is right too, and the points for that have to wait.")
    assert (card.hint, card.examples) == (None, ())


def test_the_table_of_a_class_tells_what_waits() -> None:
    def carried(score: float) -> Verdict:
        return Verdict("above", score, 2.0, (), dependencies=Dependencies(carried=("below", "wrong")))

    record = record_of(Graded("ada", "03", "graded", "", {"whole": carried(2.0), "hidden": carried(0.5)}, 4.0))
    (found,) = results_table([record]).columns[2].cells
    assert found == "whole: right, but for below\nhidden 0.5 / 2: right as far as it can be seen, but for below"
