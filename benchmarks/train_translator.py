"""Train the small translator that the course opens with, and write it into the package.

One seed and one thread, on sentences of the generated corpus; five to ten minutes of CPU time. It writes the
weights and, next to them, the configuration, the scores on every split and this command.
A run that was cut off continues from its checkpoint.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import torch
from torch import Tensor, nn

from course_lib.components.greedy_decode import greedy_decode
from course_lib.components.label_smoothed_loss import label_smoothed_loss
from course_lib.components.pad_batch import pad_batch
from course_lib.components.transformer import Transformer
from course_lib.components.vocabulary import Vocabulary
from course_lib.corpus import SPLITS, Split, english_vocabulary, french_vocabulary, generate
from course_lib.training import Batch, Checkpoint, TranslationBatches, one_thread, rise_and_fall, train
from course_lib.translator import trained

ENGLISH, FRENCH = Vocabulary([english_vocabulary()]), Vocabulary([french_vocabulary()])
CONFIGURATION = {
    "source_vocab_size": len(ENGLISH),
    "target_vocab_size": len(FRENCH),
    "d_model": 96,
    "num_heads": 4,
    "num_layers": 2,
    "d_ff": 384,
    "max_length": 64,
    "dropout": 0.0,  # almost every sentence is new: there is nothing to overfit
    "norm_first": True,
    "pad_id": Vocabulary.pad_id,
}
SEED, BATCH_SIZE, RATE, RISE, SMOOTHING, MAX_NORM = 2017, 64, 3e-3, 0.1, 0.05, 1.0
#: seeds of the sentences that are tried: others than the training's
TRIED_SEED = 1


def train_model(pairs: int, steps: int, checkpoint: Path) -> tuple[Transformer, float]:
    """The model after its training, and the seconds of CPU time that took."""
    torch.manual_seed(SEED)
    model = Transformer(**CONFIGURATION)  # type: ignore[arg-type]
    batches = TranslationBatches(list(islice(generate(SEED), pairs)), ENGLISH, FRENCH, BATCH_SIZE, SEED)

    def loss(batch: Batch) -> Tensor:
        logits = model(batch.source, batch.inputs)  # (B, T, V)
        return label_smoothed_loss(logits, batch.targets, FRENCH.pad_id, SMOOTHING)

    history = train(
        loss,
        batches,
        torch.optim.Adam(model.parameters(), lr=RATE, betas=(0.9, 0.98), eps=1e-9, fused=True),
        steps=steps,
        schedule=lambda share: rise_and_fall(share, RISE),
        clip=lambda: nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM),
        checkpoint=Checkpoint(checkpoint, model, every=100),
        resume=checkpoint.is_file(),
    )
    return model.eval(), history.seconds[-1]


def scores(model: Transformer, split: Split, count: int) -> dict[str, float]:
    """How much of a split is right: whole sentences, and wrong words for each word of the reference."""
    pairs = sorted(islice(generate(TRIED_SEED, split, distinct=True), count), key=lambda pair: len(pair.source))
    exact = edits = words = 0
    for start in range(0, count, 100):
        group = pairs[start : start + 100]
        source = pad_batch([ENGLISH.encode(pair.source)[1:-1] for pair in group])  # (B, S)
        longest = CONFIGURATION["max_length"]
        written = greedy_decode(model, source, FRENCH.bos_id, FRENCH.eos_id, longest)  # type: ignore[arg-type]
        for pair, ids in zip(group, written.tolist(), strict=True):
            said = FRENCH.decode(ids)
            exact += said == list(pair.target)
            edits += edit_distance(said, pair.target)
            words += len(pair.target)
    return {"exact_match": exact / count, "word_error_rate": round(edits / words, 4), "sentences": count}


def edit_distance(said: Sequence[str], right: Sequence[str]) -> int:
    """How many words must be put in, taken out or exchanged to make one sentence the other."""
    row = list(range(len(right) + 1))
    for i, word in enumerate(said, start=1):
        above, row = row, [i]
        for j, other in enumerate(right, start=1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (word != other)))
    return row[-1]


def write(model: Transformer, seconds: float, pairs: int, steps: int, count: int, folder: Path) -> None:
    """Write the weights, read them back, measure what was read, and write that down."""
    positions = model.target_embedding.positions
    trained.write_weights(model.state_dict(), positions, folder)
    weights = trained.read_weights(folder)
    model.load_state_dict({name: weight for name, weight in weights.items() if name != "positions"})
    measured = {}
    for split in SPLITS:
        measured[split] = scores(model, split, count)
        print(
            f"{split:24}{measured[split]['exact_match']:8.1%} of {count} sentences right to the last word", flush=True
        )
    training = {
        "sentences": pairs,
        "batch_size": BATCH_SIZE,
        "steps": steps,
        "seed": SEED,
        "cpu_seconds": round(seconds),
        "torch": torch.__version__,
        "processor": platform.machine(),
    }
    command = "python -m benchmarks.train_translator"
    trained.write_about(trained.About(command, CONFIGURATION, trained.vocabulary_hash(), training, measured), folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000, help="sentences to train on (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=3200, help="steps of training (default: %(default)s)")
    parser.add_argument("--tried", type=int, default=500, help="sentences tried of each split (default: %(default)s)")
    parser.add_argument("--checkpoint", type=Path, default=Path("build/translator.safetensors"))
    parser.add_argument(
        "--output", type=Path, default=trained.FOLDER, help="folder of the files (default: the package)"
    )
    a = parser.parse_args()
    with one_thread():
        model, seconds = train_model(a.pairs, a.steps, a.checkpoint)
        write(model, seconds, a.pairs, a.steps, a.tried, a.output)


if __name__ == "__main__":
    main()
