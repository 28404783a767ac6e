# %% wrong: BART's and T5's shift_tokens_right, bos is put in front a second time: labels keep bos and the inputs begin bos, bos ("labels lacks bos")
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    labels = target[:, :-1].clone()
    inputs = labels.new_zeros(labels.shape)
    inputs[:, 1:] = labels[:, :-1].clone()
    inputs[:, 0] = target[:, 0]  # decoder_start_token_id
    return inputs, labels


# %% wrong: the Hugging Face habit of writing -100 where the labels are padding, which it takes to be 0 ("Padding stays where it is. The loss will take care of it.")
# true: padding_marked_minus_100
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    decoder_input_ids = target[:, :-1].contiguous()
    labels = target[:, 1:].clone()
    labels[labels == 0] = -100
    return decoder_input_ids, labels


# %% right: splits one column off, once behind and once in front
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    length = target.size(1) - 1
    inputs, _ = target.split([length, 1], dim=1)
    _, labels = target.split([1, length], dim=1)
    return inputs, labels
