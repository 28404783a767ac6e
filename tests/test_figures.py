"""The figures: described for those who do not see them, and titled with what the data says."""

import base64
import html
import io
import re

import numpy as np
import pytest
import torch
from PIL import Image

from course_lib import figures
from course_lib.components import binary_code, scaled_dot_product_attention, sinusoidal_encoding
from course_lib.experiments import ablation, language_models, reading, recorded, self_attention, the_task
from course_lib.experiments import multi_head_attention as heads
from course_lib.experiments import positional_encoding as positions
from course_lib.experiments.series import Interval, record
from course_lib.figures.picture import Picture, plain
from course_lib.figures.style import new_figure

WORDS = ["tea", "&", "<b>"]
WEIGHTS = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.9, 0.05, 0.05]])
MEASURED = recorded("03_self_attention")
HEADS = recorded("04_multi_head_attention")
TASK = recorded("00_the_task")
POSITIONS = recorded("05_positional_encoding")
BLOCKS = recorded("06_encoder_block")
ATTENTION = recorded("02_attention")
RECURRENT = recorded("01_recurrent_translation")
MASKS = recorded("07_masks")
DISTANCES = recorded("13_relative_positions")
COSTS = recorded("14_costs")
FAMILIES = recorded("15_families")
READING = recorded("16_reading")
LABELLED = 10 * np.arange(4)[None, :, None] + np.array([[0, 1, 2], [3, 4, 5]])[:, None]  # (H, T, Dh)


def _curves() -> Picture:
    series = {"step": [10.0, 20.0], "loss": [2.0, 0.5]}
    interval = {"loss": MEASURED["look_up"]["loss"].__class__([1.9, 0.4], [2.0, 0.5], [2.1, 0.6])}
    return figures.learning_curves({"a run": series}, {"a run": interval}, chance=2.08)


def _medians(name: str) -> dict[str, list[float]]:
    return {series: interval.median for series, interval in HEADS[name].items()}


def _places(name: str) -> dict[str, list[float]]:
    return {series: interval.median for series, interval in POSITIONS[name].items()}


def _blocks(name: str) -> dict[str, list[float]]:
    return {series: interval.median for series, interval in BLOCKS[name].items()}


CHANGED = {
    name: {score: TASK["changes"][score].median[place] for score in ("bleu", "single")}
    for place, name in enumerate((the_task.SYNONYMS, *the_task.CHANGES))
}
DICTIONARY = {series: interval.median for series, interval in TASK["dictionary"].items()}


def _look_ups(name: str) -> dict[str, list[float]]:
    return {series: interval.median for series, interval in ATTENTION[name].items()}


def _exact_match(*shares: float) -> dict[str, list[float]]:
    return {"length": [3.0, 4.0], "exact_match": list(shares)}


def _gradients(name: str) -> dict[str, list[float]]:
    return {series: interval.median for series, interval in RECURRENT[name].items()}


def _costs(name: str) -> dict[str, list[float]]:
    return {series: interval.median for series, interval in COSTS[name].items()}


def _models(name: str) -> dict[str, list[float]]:
    return {series: interval.median for series, interval in MASKS[name].items()}


SUBLAYERS = recorded("08_transformer")["as_it_stands"]

DECODING = recorded("10_search")
SEARCHED = {name: DECODING["noisy"][name].median for name in ("width", "empty", "bleu")}
TIMED = {name: interval.median for name, interval in recorded("11_your_translator")["time_by_length"].items()}

PICTURES = {
    "ablation": lambda: figures.ablation(
        ablation.ARMS,
        {arm: {name: SUBLAYERS[name].median[i] for name in SUBLAYERS} for i, arm in enumerate(ablation.ARMS[:3])},
        SUBLAYERS,
        condition="as it stands",
    ),
    "legal_by_place": lambda: figures.legal_by_place(
        {"yours": _models("causal, legal")}, {"yours": MASKS["causal, legal"]}, chance=0.2
    ),
    "loss_by_place": lambda: figures.loss_by_place(
        {"unmasked": _models("unmasked, loss")}, {"unmasked": MASKS["unmasked, loss"]}, choices=4
    ),
    "who_sees_whom": lambda: figures.who_sees_whom({"encoder": np.ones((3, 3)), "yours": np.tri(3)}),
    "agreement_by_head": lambda: figures.agreement_by_head(
        {"layer 1": [0.5, 0.25, 0.6], "layer 2": [0.9, 0.75, 0.85], "diagonal": [0.7]}
    ),
    "rates_by_step": lambda: figures.rates_by_step(
        {"a warm-up": lambda step: min(step / 10, 1.0), "none": lambda step: 0.5}, steps=30
    ),
    "beam_width": lambda: figures.beam_width({"sum": SEARCHED}, {"sum": DECODING["noisy"]}),
    "decoding_time": lambda: figures.decoding_time(TIMED, recorded("11_your_translator")["time_by_length"]),
    "gradient_by_distance": lambda: figures.gradient_by_distance(
        {"with tanh": _gradients("gradient_tanh"), "LSTM": _gradients("gradient_tanh")},
        {"with tanh": RECURRENT["gradient_tanh"], "LSTM": RECURRENT["gradient_tanh"]},
        amount="gain",
    ),
    "pieces_by_merges": lambda: figures.pieces_by_merges(
        {n: i.median for n, i in TASK["pieces_by_merges"].items()}, TASK["pieces_by_merges"]
    ),
    "resampled_scores": lambda: figures.resampled_scores(
        np.linspace(27, 31, 101), np.linspace(25.5, 29, 101), ("large", "small")
    ),
    "score_by_split": lambda: figures.score_by_split(
        {"word by word": DICTIONARY},
        {"word by word": TASK["dictionary"], "another": TASK["dictionary"]},
        the_task.TESTED,
    ),
    "score_of_changes": lambda: figures.score_of_changes(CHANGED, TASK["changes"], right=the_task.SYNONYMS),
    "alignment_map": lambda: figures.alignment_map(
        WEIGHTS, ["thé", "et", "lait"], WORDS, [(1, 0), (1, 1), (0, 2), (2, 2)]
    ),
    "exact_match_by_length": lambda: figures.exact_match_by_length(
        {"yours": _exact_match(0.9, 0.8)},
        {
            name: record([_exact_match(0.9, low), _exact_match(1.0, 0.8)])
            for name, low in (("yours", 0.7), ("plain", 0.1))
        },
        at=4,
        longest_trained=4,
    ),
    "score_scales": lambda: figures.score_scales(
        _look_ups("spread"), ATTENTION["spread"], {"dot": "dot product", "additive": "additive"}
    ),
    "weight_by_number": lambda: figures.weight_by_number(
        {"dot": _look_ups("number_dot")}, {"dot": ATTENTION["number_dot"]}
    ),
    "gradient_by_layer": lambda: figures.gradient_by_layer(_blocks("gradient_by_layer"), BLOCKS["gradient_by_layer"]),
    "tokens_alike": lambda: figures.tokens_alike(_blocks("tokens_by_depth"), BLOCKS["tokens_by_depth"]),
    "accuracy_by_position": lambda: figures.accuracy_by_position(
        {"learned": _places("beyond_learned")}, {"learned": POSITIONS["beyond_learned"]}, trained=16, chance=1 / 16
    ),
    "encoding_table": lambda: figures.encoding_table(
        {"bits": binary_code(16, 4), "sinusoids": sinusoidal_encoding(16, 8)}
    ),
    "score_by_distance": lambda: figures.score_by_distance(
        {
            way: {series: interval.median for series, interval in DISTANCES[f"{way}, by distance"].items()}
            for way in ("relative", "rotary")
        },
        {way: DISTANCES[f"{way}, by distance"] for way in ("relative", "rotary")},
        trained=15,
    ),
    "before_and_after": lambda: figures.before_and_after(
        {way: DISTANCES[f"translator, {way}"]["exact_match"] for way in ("sinusoids", "relative")},
        {way: DISTANCES[f"translator, {way}, joined"]["exact_match"] for way in ("sinusoids", "relative")},
        2,
        ("before", "after"),
        "longer sentences right, in percent",
    ),
    "similarity_by_gap": lambda: figures.similarity_by_gap(
        {width: positions.similarity_by_gap(sinusoidal_encoding, width) for width in (8, 64)}
    ),
    "accuracy_by_length": lambda: figures.accuracy_by_length(
        {"yours": _medians("by_length")}, {"yours": HEADS["by_length"]}, trained_at=heads.PLACES
    ),
    "head_costs": lambda: figures.head_costs(_medians("costs")),
    "head_weights": lambda: figures.head_weights(
        {"head 0": [0.9, 0.1, 0.0], "their average": torch.tensor([0.5, 0.45, 0.05])}, WORDS
    ),
    "labelled_heads": lambda: figures.labelled_heads(LABELLED),
    "moved_by_query": lambda: figures.moved_by_query({"yours": np.eye(3), "mystery": np.ones((3, 3))}, WORDS),
    "time_ratio": lambda: figures.time_ratio(
        {"D = 64": _medians("time_ratio_64")}, {"D = 64": HEADS["time_ratio_64"]}, num_heads=8
    ),
    "two_places": lambda: figures.two_places(
        {"one head": _medians("one_head")}, {"one head": HEADS["one_head"]}, chance=1 / 64
    ),
    "attention_map": lambda: figures.attention_map(WEIGHTS, WORDS, WORDS),
    "word_map": lambda: figures.word_map(WEIGHTS, ["thé", "et", "lait"], WORDS, focus="et"),
    "learning_curves": _curves,
    "permutation": lambda: figures.permutation(WEIGHTS, WEIGHTS[np.ix_([2, 0, 1], [2, 0, 1])], WORDS, [2, 0, 1]),
    "questions_together": lambda: figures.questions_together(
        {"yours": {name: interval.median for name, interval in MEASURED["ask_together"].items()}},
        {"yours": MEASURED["ask_together"]},
        trained_with=5,
    ),
    "saturation": lambda: figures.saturation(
        self_attention.saturation(scaled_dot_product_attention, 0, samples=32), MEASURED["saturation"]
    ),
    "score_spread": lambda: figures.score_spread(self_attention.score_spread(0, samples=64), MEASURED["score_spread"]),
    "waiting": lambda: figures.waiting(
        *({n: i.median for n, i in MEASURED[one].items()} for one in ("longest_chain", "time_by_length")),
        MEASURED["time_by_length"],
    ),
    "cost_by_length": lambda: figures.cost_by_length(_costs("memory"), _costs("memory")),
    "quadratic_share": lambda: figures.quadratic_share(_costs("quadratic share"), COSTS["quadratic share"]),
    "recall_by_pairs": lambda: figures.recall_by_pairs(
        {way: _costs(f"recall, {way}") for way in ("attention", "linear")},
        {way: COSTS[f"recall, {way}"] for way in ("attention", "linear", "recurrent")},
        trained=64,
        chance=1 / 16,
    ),
    "singular_values": lambda: figures.singular_values(_costs("rank"), COSTS["rank"]),
    "head_effects": lambda: figures.head_effects(
        {f"head {i}": effect for i, effect in enumerate(READING["effects"]["effect"].median)},
        READING["effects"]["effect"],
    ),
    "pruning": lambda: figures.pruning(
        {order: {n: i.median for n, i in READING[f"pruning, {order}"].items()} for order in reading.ORDERS},
        {order: READING[f"pruning, {order}"] for order in reading.ORDERS},
        heads=24,
    ),
    "quality_and_variety": lambda: figures.quality_and_variety(
        {n: i.median for n, i in FAMILIES["written"].items()}, FAMILIES["written"], list(language_models.WAYS)
    ),
    "few_labels": lambda: figures.few_labels(
        {n: i.median[:2] for n, i in FAMILIES["tagging"].items()}, FAMILIES["tagging"]
    ),
    "shape_pictures": lambda: figures.shape_pictures(np.eye(6)[None, None].repeat(8, 0), [True, False] * 4, "Same?"),
    "soft_look_up": lambda: figures.soft_look_up({1: [0.6, 0.4], 4: [0.9, 0.1]}, ["a", "b"], {1: 3.0, 4: 2.0}),
}


VIEWS = {"attention_view"}  # these answer to mouse and keyboard: tests/test_attention_view.py


def test_every_figure_is_tried_here():
    offered = {name for name in vars(figures) if callable(getattr(figures, name)) and name not in ("Picture", "View")}
    assert offered == set(PICTURES) | VIEWS


@pytest.mark.parametrize("name", PICTURES)
def test_a_figure_is_shown_with_a_description(name):
    picture = PICTURES[name]()
    shown, about = picture._repr_mimebundle_()
    described = re.search(r'<img alt="([^"]+)"', shown["text/html"])
    assert described
    assert len(described[1]) > 60
    assert "$" not in described[1]
    assert html.unescape(described[1]) == about["image/png"]["alt"]
    assert shown["text/plain"] == str(picture) and picture.alt in str(picture)


def test_a_viewer_that_drops_html_shows_the_same_picture():
    shown, about = PICTURES["attention_map"]()._repr_mimebundle_()
    assert f"data:image/png;base64,{shown['image/png']}" in shown["text/html"]
    assert f'width="{about["image/png"]["width"]}"' in shown["text/html"]
    with Image.open(io.BytesIO(base64.b64decode(shown["image/png"]))) as stored:
        assert stored.width > about["image/png"]["width"], "sharp when enlarged"


def test_few_colours_make_no_visible_difference():
    picture, drawn = PICTURES["attention_map"](), io.BytesIO()
    picture.figure.savefig(drawn, format="png", dpi=160)
    ours, all_colours = (
        np.asarray(Image.open(file).convert("RGB"), float) for file in (io.BytesIO(picture.png()), drawn)
    )
    assert np.abs(ours - all_colours).mean() < 1, "of 255"


@pytest.mark.parametrize("name", PICTURES)
def test_every_axis_has_a_label(name):
    axes = PICTURES[name]().figure.axes
    assert all(a.get_xlabel() for a in axes)
    assert axes[0].get_ylabel()


def test_words_cannot_break_out_of_the_description():
    assert "<b>" not in PICTURES["attention_map"]()._repr_mimebundle_()[0]["text/html"]


def test_the_same_figure_is_the_same_file():
    assert PICTURES["attention_map"]().png() == PICTURES["attention_map"]().png()


def test_a_figure_without_a_description_is_refused():
    figure, _ = new_figure(1, 1)
    with pytest.raises(ValueError, match="alt text"):
        Picture(figure, "a title", " ")


def test_the_title_of_a_map_follows_its_weights():
    assert figures.attention_map(WEIGHTS, WORDS, WORDS, focus="tea").title == "“tea” looks most at “&”: 0.50"
    assert figures.attention_map(WEIGHTS[:, ::-1], WORDS, WORDS).title == "“<b>” looks most at “<b>”: 0.90"


def test_a_map_takes_a_tensor_that_has_a_gradient():
    assert figures.attention_map(torch.tensor(WEIGHTS, requires_grad=True), WORDS, WORDS).alt


def test_a_map_says_what_does_not_fit():
    with pytest.raises(ValueError, match=r"3 queries and 2 keys; the weights have the shape \(3, 3\)"):
        figures.attention_map(WEIGHTS, WORDS, WORDS[:2])


def test_the_title_of_a_permutation_does_not_claim_what_is_not_so():
    assert "go with them" in PICTURES["permutation"]().title
    assert "depend on the order" in figures.permutation(WEIGHTS, WEIGHTS, WORDS, [2, 0, 1]).title


def test_the_title_of_a_soft_look_up_does_not_claim_what_is_not_so():
    assert "larger" in PICTURES["soft_look_up"]().title
    flat = figures.soft_look_up({1: [0.5, 0.5], 4: [0.5, 0.5]}, ["a", "b"], {1: 3.0, 4: 3.0})
    assert "larger" not in flat.title


def test_formulas_are_read_as_words():
    assert plain("at $d_k$ = 4, $\\sqrt{d_k}$\nis 2") == "at d_k = 4, √d_k is 2"
    assert plain("like $n^{2.6}$, memory") == "like n to the power 2.6, memory"


def test_the_title_of_labelled_heads_counts_the_rows_that_mix_tokens():
    assert PICTURES["labelled_heads"]().title == "Every row holds numbers of its own token"
    only_viewed = np.sort(LABELLED, axis=None).reshape(2, 4, 3)
    assert figures.labelled_heads(only_viewed).title == "6 of 8 rows hold other tokens' numbers"


def test_the_title_of_moved_queries_counts_outputs_that_move_with_others():
    assert PICTURES["moved_by_query"]().title.endswith("yours 0 of 3, mystery 3 of 3")


def test_the_title_of_head_weights_names_all_places_that_get_much():
    assert PICTURES["head_weights"]().title == "head 0 looks at tea; their average looks at tea and &"


def test_the_title_of_learning_curves_with_a_goal_says_who_reaches_it_first_and_who_never_does():
    live = {
        "slow": {"step": [10.0, 20.0], "loss": [2.0, 0.5]},
        "quick": {"step": [10.0, 20.0], "loss": [0.9, 0.1]},
        "stuck": {"step": [10.0, 20.0], "loss": [2.0, 2.0]},
    }
    band = {"loss": Interval([0.0, 0.0], [1.0, 1.0], [2.0, 2.0])}
    title = figures.learning_curves(live, dict.fromkeys(live, band), chance=2.1, goal=1).title
    assert title == "Loss below 1 at step 10 (quick), 20 (slow); never: stuck"


def test_the_title_of_similarity_says_that_ripples_shrink_only_if_they_do():
    assert PICTURES["similarity_by_gap"]().title.endswith("then ripples, less in wider vectors")
    exchanged = {8: positions.similarity_by_gap(sinusoidal_encoding, 64)}
    exchanged[64] = positions.similarity_by_gap(sinusoidal_encoding, 8)
    assert figures.similarity_by_gap(exchanged).title.endswith("then ripples")


def test_the_title_of_tables_says_that_the_first_is_fastest_only_where_it_is():
    assert "fastest" in PICTURES["encoding_table"]().title
    assert "fastest" not in figures.encoding_table({"bits": binary_code(16, 4).flip(1)}).title


def test_the_title_of_changes_counts_the_mistakes_that_score_better():
    assert PICTURES["score_of_changes"]().title == "BLEU prefers 2 of 6 mistakes to synonyms that are right"
    kind = {**CHANGED, the_task.SYNONYMS: {"bleu": 99.0, "single": 99.0}}
    title = figures.score_of_changes(kind, TASK["changes"], right=the_task.SYNONYMS).title
    assert title == "BLEU prefers synonyms that are right to every mistake"


def test_scores_by_split_draw_the_middle_of_what_was_only_recorded():
    assert PICTURES["score_by_split"]().title.startswith("Another gets 8% of the usual sentences right, and 0%")


def test_the_title_of_an_alignment_counts_the_words_that_look_at_what_they_mean():
    # “thé” looks most at “&” and “lait” at “tea”, with which they are aligned; “et” looks at “<b>”
    assert PICTURES["alignment_map"]().title == "The largest weight is in a frame for 2 of 3 words"


def test_a_translator_that_did_not_run_is_drawn_as_recorded():
    picture = PICTURES["exact_match_by_length"]()
    assert picture.title == "At 4 tokens, yours gets 80% right; plain 45%"
    assert [text.get_text() for text in picture.figure.axes[0].get_legend().get_texts()] == [
        "yours",
        "plain (recorded)",
        "lowest to highest of our runs",
    ]


def _kept_by(network: str, **left: float) -> Picture:
    series = {"distance": [0.0, 50.0]} | {name: [1.0, end] for name, end in left.items()}
    bands = {name: RECURRENT["gradient_linear"]["1"].__class__(line, line, line) for name, line in series.items()}
    return figures.gradient_by_distance({network: series}, {network: bands}, amount="forget bias")


def test_the_title_of_gradients_says_which_network_keeps_them_if_the_runs_show_it():
    kept = _kept_by("LSTM", **{"0": 8e-12, "3": 0.2})
    assert kept.title == "The LSTM keeps a gradient over 50 steps only with forget bias 3"
    assert "LSTM, by forget bias: 10⁻¹¹ at 0, 0.2 at 3" in kept.alt
    assert _kept_by("LSTM", **{"0": 0.1, "3": 0.2}).title.startswith("What is left of a gradient of norm 1")


def _learning(**ends: float) -> str:
    series = {name: {"step": [10.0, 20.0], "loss": [2.0, end]} for name, end in ends.items()}
    interval = {"loss": MEASURED["look_up"]["loss"].__class__([1.9, 0.4], [2.0, 0.5], [2.1, 0.6])}
    return figures.learning_curves(series, dict.fromkeys(series, interval), chance=2.0).title


def test_the_title_of_learning_curves_says_who_has_learned():
    assert _learning(soft=0.1, hard=1.95) == "soft learns; hard stays near guessing"
    assert (
        _learning(**{"RNN, gain 1": 1.0, "LSTM": 1.2, "GRU": 2.0})
        == "RNN with gain 1 and LSTM learn; GRU stays near guessing"
    )
    assert _learning(yours=0.1, mystery=0.105) == "After 20 steps, yours and mystery have the same loss"
    assert _learning(yours=0.1, mystery=0.5) == "The loss after 20 steps: 0.10 (yours), 0.50 (mystery)"


def test_the_titles_of_stacks_say_what_happens_in_which():
    assert PICTURES["tokens_alike"]().title == (
        "12 layers keep the words apart with residual only, pre-norm and post-norm,\n"
        "and make them alike with nothing and LayerNorm only"
    )
    assert PICTURES["gradient_by_layer"]().title == (
        "12 layers back, the gradient has vanished with nothing\nand exploded with residual only"
    )
    kept = {**_blocks("gradient_by_layer"), "neither": [1.0] * 13, "residual": [1.0] * 13}
    title = figures.gradient_by_layer(kept, BLOCKS["gradient_by_layer"]).title
    assert title == "12 layers back, the gradient has neither vanished nor exploded"


def test_the_title_of_who_sees_whom_names_those_that_see_the_future():
    assert PICTURES["who_sees_whom"]().title == "The future (×) is seen by: encoder"
    assert figures.who_sees_whom({"yours": torch.ones(3, 3).tril()}).title == "No output sees the future"


def test_who_sees_whom_is_told_in_words():
    alt = figures.who_sees_whom({"j < i": np.tri(3, k=-1), "others": 1 - np.eye(3)}).alt
    assert "j < i: output 0 sees nothing, output 1 sees 0, output 2 sees 0 and 1" in alt
    assert "others: output 0 sees 1 and 2, output 1 sees 0 and 2" in alt


def test_the_title_of_losses_by_place_leaves_out_the_last_place():
    assert PICTURES["loss_by_place"]().title == "Mean loss before the last position: 0.00 (unmasked)"


def test_the_title_of_agreement_names_the_layer_whose_mean_agrees_most():
    title = PICTURES["agreement_by_head"]().title
    assert "heads of layer 2 together" in title
    assert "85%" in title
    assert title.endswith("the diagonal 70%")


def test_the_title_of_rates_names_each_peak():
    assert PICTURES["rates_by_step"]().title == "The peak: 1 with a warm-up, 0.5 with none"


def test_the_best_before_and_after_stand_in_the_title():
    assert PICTURES["before_and_after"]().title == "Before: at most 14 % (relative); after: at most 74 % (sinusoids)"


def test_the_nearest_rival_at_an_untrained_distance_stands_in_the_title():
    title = PICTURES["score_by_distance"]().title
    assert re.fullmatch(r"Nearest rival .*: relative 5\.\d below the word before, rotary \d\.\d below .*", title)


def test_the_title_of_costs_says_how_attention_grows():
    assert PICTURES["cost_by_length"]().title.endswith("memory like $n^{2.0}$; the others' memory like $n^{1.0}$")


def test_the_title_of_the_quadratic_share_says_from_where_it_is_half():
    assert PICTURES["quadratic_share"]().title == "Scoring and mixing take half of the layer's time from n = 6D on"
    never = {**_costs("quadratic share"), "measured": [0.1] * 7}
    assert "Even at n = 12D" in figures.quadratic_share(never, COSTS["quadratic share"]).title


def test_the_title_of_pruning_says_what_is_left_without_a_third():
    assert PICTURES["pruning"]().title.startswith("Without 8 of 24 heads: 89% right (least effect first)")


def test_the_title_of_effects_names_the_head_that_is_missed_most():
    assert PICTURES["head_effects"]().title.startswith("Missed most: head 9 (+0.07 nats); ")


def test_the_title_of_quality_and_variety_names_the_best_way_and_plain_sampling():
    title = PICTURES["quality_and_variety"]().title
    assert title.startswith("Well formed and different: ") and title.endswith("with temperature 1.0")


def test_the_title_of_few_labels_says_what_the_fewest_give():
    assert PICTURES["few_labels"]().title.startswith("From 10 labelled sentences: 66% (most frequent tag), ")
