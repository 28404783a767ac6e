"""One step of training: predict, measure, go back, clip, move.

The lines follow the order in which things happen. `model.train()` comes first, because an evaluation in between
switches dropout off; `loss.item()` returns a number, because the tensor would keep the whole graph alive.
"""

from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from course_lib.components.clip_gradients import clip_gradients
from course_lib.components.label_smoothed_loss import label_smoothed_loss
from course_lib.components.shift_targets import shift_targets


def train_step(
    model: nn.Module,
    optimizer: Optimizer,
    scheduler: LRScheduler,
    source: Tensor,
    target: Tensor,
    pad_id: int,
    smoothing: float = 0.1,
    max_norm: float = 1.0,
) -> float:
    """Move the model's weights once, by the gradient of one batch's loss.

    Args:
        model: from ``(source, inputs)`` to logits (B, T, V), as `Transformer` is. It is put into training mode.
        optimizer: of the model's parameters; gradients that are already there do not count.
        scheduler: of the optimizer's learning rate; it steps after the optimizer.
        source: (B, S) token ids.
        target: (B, T + 1) token ids: ``bos``, the sentence, ``eos``, padding.
        pad_id: the id of the padding token.
        smoothing: ε of the loss.
        max_norm: the largest norm of all gradients together; if it is larger, they are scaled down to this norm.

    Returns:
        The loss before the step, in nats per token.

    Source: Vaswani et al. 2017, section 5; Pascanu et al. 2013 (clipping).
    """
    model.train()
    inputs, labels = shift_targets(target)  # (B, T), (B, T)
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    optimizer.zero_grad()
    loss.backward()
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()
