"""Run every experiment of the lessons over several seeds and write down what came out.

A lesson runs one seed live and draws it over the interval recorded here. The tables are small
and committed: ``course_lib/experiments/measured/<machine>/<lesson>.json``. A machine replaces its own tables only, so
lessons are given the intervals over all machines. At the end of each lesson, a line names each interval that this
machine widens.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.fresh_memory import FRESH_MEMORY
from benchmarks.letters import LETTERS
from benchmarks.machine import machine_name, processor
from benchmarks.recurrent_translators import RECURRENT_TRANSLATORS
from benchmarks.sublayers import SUBLAYERS
from benchmarks.translator_positions import PARTS as POSITION_PARTS
from benchmarks.translator_positions import TRANSLATOR_POSITIONS
from benchmarks.translators import EXPERIMENTS as TRAINING
from benchmarks.widened import widened
from course_lib.components import (
    AdditiveScores,
    BilinearScores,
    CachedDecoder,
    CausalLanguageModel,
    Encoder,
    EncoderClassifier,
    FeedForward,
    LayerNorm,
    LearnedPositions,
    MultiHeadAttention,
    PositionEmbedding,
    RecurrentDecoder,
    RecurrentEncoder,
    ResidualSublayer,
    Transformer,
    VisionTransformer,
    Vocabulary,
    alignment_error_rate,
    apply_merges,
    attend,
    attention_rollout,
    beam_search,
    chunked_attention,
    clipped_counts,
    corpus_bleu,
    dot_scores,
    gate_heads,
    generate,
    grouped_query_attention,
    learn_merges,
    linear_attention,
    lstm_step,
    mask_tokens,
    rank_correlation,
    rnn_step,
    sampling_distribution,
    scaled_dot_product_attention,
    sinusoidal_encoding,
    teacher_forced_loss,
)
from course_lib.experiments import (
    attention,
    backwards,
    costs,
    decoding,
    encoder_block,
    few_labels,
    language_models,
    masks,
    multi_head_attention,
    neighbours,
    positional_encoding,
    reading,
    recurrence,
    relative_positions,
    resampling,
    self_attention,
    shapes,
    the_task,
    two_senses,
    word_pieces,
    writing,
)
from course_lib.experiments.recordings import RECORDS, Recording, merged, recordings, write
from course_lib.experiments.series import Recorded, Series, record
from course_lib.translator import load_translator

Experiment = Callable[[int], Series]


def with_component(experiments: Mapping[str, Callable[..., Series]], component: Any) -> dict[str, Experiment]:
    """A lesson's experiments, each tried on the reference: functions of a seed."""
    return {name: partial(run, component) for name, run in experiments.items()}


def translator_by_split(seed: int) -> Series:
    """The scores of the finished translator: there is one, and each seed draws other sentences."""
    return the_task.score_by_split(corpus_bleu, load_translator().translate_tokens, seed, sentences=100)


def in_a_translator(run: Callable[[reading.Parts, int], Series], seed: int) -> Series:
    """An experiment on the translator that ships: there is one, and each seed draws other sentences."""
    translator = load_translator(Transformer)
    measures = (gate_heads, attention_rollout, rank_correlation, alignment_error_rate)
    return run(reading.Parts(translator, *measures), seed)


LANGUAGE_PARTS = language_models.Parts(
    CausalLanguageModel, EncoderClassifier, mask_tokens, sampling_distribution, generate
)

DECODING_PARTS = decoding.Parts(
    Transformer, Vocabulary, teacher_forced_loss, corpus_bleu, beam_search, CachedDecoder, RecurrentDecoder
)

#: by lesson and experiment, functions of a seed
LESSONS: dict[str, dict[str, Experiment]] = {
    "00_the_task": {
        **with_component(the_task.EXPERIMENTS, corpus_bleu),
        **with_component(word_pieces.EXPERIMENTS, word_pieces.Parts(learn_merges, apply_merges)),
        **with_component(resampling.EXPERIMENTS, clipped_counts),
        "translator": translator_by_split,
    },
    "recurrent_translators": RECURRENT_TRANSLATORS,  # of lessons 01 and 02: they share the runs without attention
    "01_recurrent_translation": {
        **with_component(recurrence.EXPERIMENTS, recurrence.Steps(rnn_step, lstm_step)),
        **with_component(neighbours.EXPERIMENTS, RecurrentEncoder),
    },
    "02_attention": {
        **with_component(attention.EXPERIMENTS, attention.Parts(dot_scores, BilinearScores, AdditiveScores, attend)),
        **LETTERS,
    },
    "03_self_attention": with_component(self_attention.EXPERIMENTS, scaled_dot_product_attention),
    "04_multi_head_attention": with_component(multi_head_attention.EXPERIMENTS, MultiHeadAttention),
    "05_positional_encoding": with_component(
        positional_encoding.EXPERIMENTS,
        positional_encoding.Parts(MultiHeadAttention, sinusoidal_encoding, LearnedPositions, PositionEmbedding),
    ),
    "06_encoder_block": with_component(
        {**encoder_block.EXPERIMENTS, **backwards.EXPERIMENTS},
        encoder_block.Parts(MultiHeadAttention, FeedForward, LayerNorm, ResidualSublayer, Encoder),
    ),
    "07_masks": with_component(masks.EXPERIMENTS, CausalLanguageModel),
    "08_transformer": SUBLAYERS,
    "09_training": TRAINING,
    "10_search": with_component(decoding.SEARCH, DECODING_PARTS),
    "11_your_translator": with_component(decoding.CACHE, DECODING_PARTS),
    "13_relative_positions": {
        **with_component(relative_positions.EXPERIMENTS, POSITION_PARTS),
        **TRANSLATOR_POSITIONS,
    },
    "14_costs": {
        **with_component(
            costs.EXPERIMENTS, costs.Parts(scaled_dot_product_attention, chunked_attention, linear_attention)
        ),
        **FRESH_MEMORY,
        "a token": partial(writing.time_of_a_token, scaled_dot_product_attention, grouped_query_attention),
    },
    "15_families": {
        **with_component(
            {**language_models.EXPERIMENTS, **two_senses.EXPERIMENTS, **few_labels.EXPERIMENTS}, LANGUAGE_PARTS
        ),
        **with_component(shapes.EXPERIMENTS, VisionTransformer),
    },
    "16_reading": {name: partial(in_a_translator, run) for name, run in reading.EXPERIMENTS.items()},
}


def measure(
    lesson: str, seeds: int, progress: Progress, known: Mapping[str, Recorded], only: Collection[str] = ()
) -> Iterator[dict[str, Recorded]]:
    """Run every experiment of a lesson with several seeds, or ``only`` some of them.

    Args:
        known: what this machine has recorded. It is kept for the experiments that are not run.

    Yields:
        The table after each experiment, so that an interruption loses little.
    """
    experiments = LESSONS[lesson]
    table = dict(known) if only else {}
    chosen = {name: run for name, run in experiments.items() if not only or name in only}
    task = progress.add_task(lesson, total=len(chosen) * seeds)
    for name, run in chosen.items():
        runs = []
        for seed in range(seeds):
            progress.update(task, description=f"{lesson}: {name}, seed {seed}")
            runs.append(run(seed))
            progress.advance(task)
        table[name] = record(runs)
        yield {name: table[name] for name in experiments if name in table}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help=f"of {', '.join(LESSONS)}; all without any")
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds, at least 3 (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=RECORDS, help="folder of the tables (default: %(default)s)")
    parser.add_argument("--machine", default=machine_name(), help="name of this machine (default: %(default)s)")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="measure these again, and keep the rest")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.lessons) - set(LESSONS))
    if unknown:
        parser.error(f"no experiments for {', '.join(unknown)}; there are some for {', '.join(LESSONS)}")
    if arguments.seeds < 3:
        parser.error("an interval over fewer than 3 seeds says little: --seeds 3 or more")
    if arguments.only:
        if len(arguments.lessons) != 1:
            parser.error("--only names experiments of one lesson: say which")
        there = LESSONS[arguments.lessons[0]]
        if missing := sorted(set(arguments.only) - set(there)):
            parser.error(f"{arguments.lessons[0]} has no {', '.join(missing)}; there are {', '.join(there)}")
    torch.set_num_threads(1)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    start = time.perf_counter()
    with Progress(*columns) as progress:
        for lesson in arguments.lessons or LESSONS:
            machines = {one.machine: one for one in recordings(lesson, arguments.output)}
            mine = machines.pop(arguments.machine, None)
            if arguments.only and mine and mine.seeds != arguments.seeds:
                parser.error(f"{arguments.machine} recorded the others with {mine.seeds} seeds: --seeds {mine.seeds}")
            for table in measure(lesson, arguments.seeds, progress, mine.experiments if mine else {}, arguments.only):
                mine = Recording(arguments.machine, arguments.seeds, torch.__version__, processor(), table)
                path = write(mine, lesson, arguments.output)
            progress.console.print(f"written: {path}")
            for line in widened(merged(list(machines.values())), mine.experiments if mine else {}):
                progress.console.print(f"  wider: {line}", highlight=False)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
