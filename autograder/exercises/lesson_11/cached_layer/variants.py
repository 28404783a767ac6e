class LayerInOnePiece:
    """Right; each second version below changes one method of it."""

    def __init__(self, layer, memory, memory_mask):
        self.layer, self.memory, self.memory_mask = layer, memory, memory_mask
        self.pairs, self.of_memory = [], self.project(layer.cross_attention, memory)

    def project(self, attention, x):
        return tuple(split_heads(w(x), attention.num_heads) for w in (attention.w_k, attention.w_v))

    def mix(self, attention, y, keys, values, mask=None):
        query = split_heads(attention.w_q(y), attention.num_heads)
        return attention.w_o(merge_heads(scaled_dot_product_attention(query, keys, values, mask)[0]))

    def kept(self):
        return (torch.cat(x, dim=2) for x in zip(*self.pairs, strict=True))

    def attend_to_written(self, y):
        attention = self.layer.self_attention
        self.pairs.append(self.project(attention, y))
        return self.mix(attention, y, *self.kept())

    def attend_to_memory(self, y):
        return self.mix(self.layer.cross_attention, y, *self.of_memory, self.memory_mask)

    def step(self, x):
        x = self.layer.self_attention_residual(x, self.attend_to_written)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)
        return self.layer.feed_forward_residual(x, self.layer.feed_forward)


# %% right: lists of keys
class CachedLayer:
    def __init__(self, layer, memory, memory_mask):
        self.layer, self.mask = layer, memory_mask
        cross = layer.cross_attention
        self.of_memory = [split_heads(w(memory), cross.num_heads) for w in (cross.w_k, cross.w_v)]
        self.keys, self.values = [], []

    def attend(self, attention, y, keys, values, mask=None):
        query = split_heads(attention.w_q(y), attention.num_heads)
        return attention.w_o(merge_heads(scaled_dot_product_attention(query, keys, values, mask)[0]))

    def attend_to_written(self, y):
        own = self.layer.self_attention
        self.keys.append(split_heads(own.w_k(y), own.num_heads))
        self.values.append(split_heads(own.w_v(y), own.num_heads))
        return self.attend(own, y, torch.cat(self.keys, 2), torch.cat(self.values, 2))

    def attend_to_memory(self, y):
        return self.attend(self.layer.cross_attention, y, *self.of_memory, self.mask)

    def step(self, x):
        x = self.layer.self_attention_residual(x, self.attend_to_written)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)
        return self.layer.feed_forward_residual(x, self.layer.feed_forward)


# %% right: kept whole and split later
class CachedLayer:
    def __init__(self, layer, memory, memory_mask):
        self.layer, self.memory_mask = layer, memory_mask
        self.memory_keys = layer.cross_attention.w_k(memory)
        self.memory_values = layer.cross_attention.w_v(memory)
        self.keys = self.values = None

    def attend_to_written(self, y):
        attention = self.layer.self_attention
        key, value = attention.w_k(y), attention.w_v(y)
        self.keys = key if self.keys is None else torch.cat((self.keys, key), 1)
        self.values = value if self.values is None else torch.cat((self.values, value), 1)
        return self.mix(attention, y, self.keys, self.values, None)

    def attend_to_memory(self, y):
        return self.mix(self.layer.cross_attention, y, self.memory_keys, self.memory_values, self.memory_mask)

    def mix(self, attention, y, keys, values, mask):
        split = [split_heads(x, attention.num_heads) for x in (attention.w_q(y), keys, values)]
        mixed, _ = scaled_dot_product_attention(*split, mask)
        return attention.w_o(merge_heads(mixed))

    def step(self, x):
        x = self.layer.self_attention_residual(x, self.attend_to_written)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)
        return self.layer.feed_forward_residual(x, self.layer.feed_forward)


# %% right: newest in front
class CachedLayer:
    def __init__(self, layer, memory, memory_mask):
        self.layer, self.memory, self.memory_mask = layer, memory, memory_mask
        batch, _, width = memory.shape
        heads = layer.self_attention.num_heads
        self.kept = memory.new_zeros(2, batch, heads, 0, width // heads)
        cross = layer.cross_attention
        self.memory_kept = torch.stack([split_heads(w(memory), heads) for w in (cross.w_k, cross.w_v)])

    def attend_to_written(self, y):
        own = self.layer.self_attention
        new = torch.stack([split_heads(own.w_k(y), own.num_heads), split_heads(own.w_v(y), own.num_heads)])
        self.kept = torch.cat([new, self.kept], dim=3)  # the order of the pairs changes nothing
        query = split_heads(own.w_q(y), own.num_heads)
        return own.w_o(merge_heads(F.scaled_dot_product_attention(query, self.kept[0], self.kept[1])))

    def attend_to_memory(self, y):
        cross = self.layer.cross_attention
        query = split_heads(cross.w_q(y), cross.num_heads)
        mixed = F.scaled_dot_product_attention(query, *self.memory_kept, attn_mask=self.memory_mask)
        return cross.w_o(merge_heads(mixed))

    def step(self, x):
        x = self.layer.self_attention_residual(x, self.attend_to_written)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)
        return self.layer.feed_forward_residual(x, self.layer.feed_forward)


# %% right: a table filled in
class CachedLayer:
    def __init__(self, layer, memory, memory_mask):
        self.layer, self.memory_mask, self.length = layer, memory_mask, 0
        batch, _, width = memory.shape
        self.heads = layer.self_attention.num_heads
        self.keys = memory.new_zeros(batch, self.heads, 64, width // self.heads)
        self.values = torch.zeros_like(self.keys)
        cross = layer.cross_attention
        self.memory_keys = cross.w_k(memory).view(batch, -1, self.heads, width // self.heads).transpose(1, 2)
        self.memory_values = cross.w_v(memory).view(batch, -1, self.heads, width // self.heads).transpose(1, 2)

    @torch.no_grad()
    def step(self, x):
        return self.layer.feed_forward_residual(
            self.layer.cross_attention_residual(
                self.layer.self_attention_residual(x, self.attend_to_written), self.attend_to_memory
            ),
            self.layer.feed_forward,
        )

    def attend_to_written(self, y):
        own = self.layer.self_attention
        t = self.length
        self.keys[:, :, t : t + 1] = split_heads(own.w_k(y), self.heads)
        self.values[:, :, t : t + 1] = split_heads(own.w_v(y), self.heads)
        self.length += 1
        filled = torch.arange(64) <= t  # (T,): what is empty is masked
        query = split_heads(own.w_q(y), self.heads)
        attended, _ = scaled_dot_product_attention(query, self.keys, self.values, filled)
        return own.w_o(merge_heads(attended))

    def attend_to_memory(self, y):
        cross = self.layer.cross_attention
        query = split_heads(cross.w_q(y), self.heads)
        attended, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return cross.w_o(merge_heads(attended))


# %% wrong: the last two
# true: two_tokens_remembered
class CachedLayer(LayerInOnePiece):
    def kept(self):
        return (torch.cat(x, dim=2) for x in zip(*self.pairs[-2:], strict=True))


# %% wrong: kept too late
# true: own_key_missing
class CachedLayer(LayerInOnePiece):
    def attend_to_written(self, y):
        attention = self.layer.self_attention
        if not self.pairs:
            self.pairs.append(tuple(x[:, :, :0] for x in self.project(attention, y)))
        mixed = self.mix(attention, y, *self.kept())
        self.pairs.append(self.project(attention, y))
        return mixed


# %% wrong: keys only
# true: keys_without_values
class CachedLayer(LayerInOnePiece):
    def kept(self):
        keys, values = zip(*self.pairs, strict=True)
        return torch.cat(keys, dim=2), values[-1]


# %% wrong: values only
# true: values_without_keys
class CachedLayer(LayerInOnePiece):
    def kept(self):
        keys, values = zip(*self.pairs, strict=True)
        return keys[-1], torch.cat(values, dim=2)


# %% wrong: keeps vectors
# true: worked_out_again
class CachedLayer(LayerInOnePiece):
    def attend_to_written(self, y):
        self.pairs.append(y)
        return self.layer.self_attention(y, torch.cat(self.pairs, dim=1), torch.cat(self.pairs, dim=1))

    def attend_to_memory(self, y):
        return self.layer.cross_attention(y, self.memory, self.memory, self.memory_mask)


# %% wrong: begins with the memory
# true: memory_kept_with_the_written
class CachedLayer(LayerInOnePiece):
    def __init__(self, layer, memory, memory_mask):
        super().__init__(layer, memory, memory_mask)
        self.pairs.append(self.of_memory)


# %% wrong: memory straight out
# true: memory_output_projection_left_out
class CachedLayer(LayerInOnePiece):
    def attend_to_memory(self, y):
        cross = self.layer.cross_attention
        query = split_heads(cross.w_q(y), cross.num_heads)
        return F.scaled_dot_product_attention(query, *self.of_memory, self.memory_mask).transpose(1, 2).flatten(2)


# %% wrong: scaled before it is kept
# true: keys_scaled_too
class CachedLayer(LayerInOnePiece):
    def kept(self):
        keys, values = super().kept()
        return keys * keys.shape[-1] ** -0.5, values


# %% wrong: with its own residual
# true: token_added_again
class CachedLayer(LayerInOnePiece):
    def attend_to_written(self, y):
        return y + super().attend_to_written(y)


# %% trivial: zeros
class CachedLayer:
    def __init__(self, layer, memory, memory_mask):
        pass

    def step(self, x):
        return torch.zeros_like(x)


# %% trivial: the input itself
class CachedLayer:
    def __init__(self, layer, memory, memory_mask):
        pass

    def step(self, x):
        return x


# %% trivial: without attention
class CachedLayer:
    def __init__(self, layer, memory, memory_mask):
        self.layer = layer

    def step(self, x):
        return self.layer.feed_forward_residual(x, self.layer.feed_forward)


# %% trivial: noise
class CachedLayer:
    def __init__(self, layer, memory, memory_mask):
        pass

    def step(self, x):
        return torch.randn_like(x)
