# %% wrong (first): nothing is kept, each token attends to itself alone
# true: nothing_kept
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.keys = None
        self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        q, k, v = (split_heads(w(y), attention.num_heads) for w in (attention.w_q, attention.w_k, attention.w_v))
        output, _ = scaled_dot_product_attention(q, k, v)
        return attention.w_o(merge_heads(output))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): the tokens' vectors are kept, and all keys and values are worked out again at every step
# true: written_worked_out_again
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.written = []

    def attend_to_written(self, y: Tensor) -> Tensor:
        self.written.append(y)
        history = torch.cat(self.written, dim=1)  # (B, t, D)
        return self.layer.self_attention(y, history, history)

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): the memory's keys and values are worked out anew at each step
# true: memory_worked_out_again
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory, self.memory_mask = memory, memory_mask
        self.keys = self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        heads = attention.num_heads
        query = split_heads(attention.w_q(y), heads)
        key = split_heads(attention.w_k(y), heads)
        value = split_heads(attention.w_v(y), heads)
        if self.keys is not None:
            key = torch.cat([self.keys, key], dim=2)
            value = torch.cat([self.values, value], dim=2)
        self.keys, self.values = key, value
        output, _ = scaled_dot_product_attention(query, key, value)
        return attention.w_o(merge_heads(output))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        return self.layer.cross_attention(y, self.memory, self.memory, self.memory_mask)

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): the memory's mask is not used, padding of the source is attended to
# true: memory_mask_left_out
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.keys = None
        self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        heads = attention.num_heads
        query = split_heads(attention.w_q(y), heads)
        key = split_heads(attention.w_k(y), heads)
        value = split_heads(attention.w_v(y), heads)
        if self.keys is not None:
            key = torch.cat([self.keys, key], dim=2)
            value = torch.cat([self.values, value], dim=2)
        self.keys, self.values = key, value
        output, _ = scaled_dot_product_attention(query, key, value)
        return attention.w_o(merge_heads(output))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): the lists of keys and values belong to the class, all layers and all translations share them
# true: shared_by_all_translations
class CachedLayer:
    keys: list = []
    values: list = []

    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)

    def attend_to_written(self, y: Tensor) -> Tensor:
        a = self.layer.self_attention
        q = split_heads(a.w_q(y), a.num_heads)
        self.keys.append(split_heads(a.w_k(y), a.num_heads))
        self.values.append(split_heads(a.w_v(y), a.num_heads))
        out, _ = scaled_dot_product_attention(q, torch.cat(self.keys, dim=2), torch.cat(self.values, dim=2))
        return a.w_o(merge_heads(out))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): new keys are put behind the old ones, new values in front of them, so they no longer belong together
# true: values_in_another_order
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.keys = None
        self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        heads = attention.num_heads
        query = split_heads(attention.w_q(y), heads)
        key = split_heads(attention.w_k(y), heads)
        value = split_heads(attention.w_v(y), heads)
        if self.keys is not None:
            key = torch.cat([self.keys, key], dim=2)
            value = torch.cat([value, self.values], dim=2)
        self.keys, self.values = key, value
        output, _ = scaled_dot_product_attention(query, key, value)
        return attention.w_o(merge_heads(output))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): the cache is a table of zeros for many tokens, and the places that are still empty are attended to as well
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        B, _, D = memory.shape
        H = layer.self_attention.num_heads
        self.cache_k = torch.zeros(B, H, 64, D // H, dtype=memory.dtype)
        self.cache_v = torch.zeros(B, H, 64, D // H, dtype=memory.dtype)
        self.t = 0

    def attend_to_written(self, y: Tensor) -> Tensor:
        attn = self.layer.self_attention
        q = split_heads(attn.w_q(y), attn.num_heads)
        self.cache_k[:, :, self.t : self.t + 1] = split_heads(attn.w_k(y), attn.num_heads)
        self.cache_v[:, :, self.t : self.t + 1] = split_heads(attn.w_v(y), attn.num_heads)
        self.t += 1
        out, _ = scaled_dot_product_attention(q, self.cache_k, self.cache_v)
        return attn.w_o(merge_heads(out))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): the output layer w_o is left out of both attentions
# true: last_layer_left_out, memory_output_projection_left_out
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.keys = None
        self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        heads = attention.num_heads
        query = split_heads(attention.w_q(y), heads)
        key = split_heads(attention.w_k(y), heads)
        value = split_heads(attention.w_v(y), heads)
        if self.keys is not None:
            key = torch.cat([self.keys, key], dim=2)
            value = torch.cat([self.values, value], dim=2)
        self.keys, self.values = key, value
        output, _ = scaled_dot_product_attention(query, key, value)
        return merge_heads(output)

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return merge_heads(output)

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): each attention normalises its input once more, which its residual has done already
# true: normalised_twice
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.keys = None
        self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        heads = attention.num_heads
        y = self.layer.self_attention_residual.norm(y)
        query = split_heads(attention.w_q(y), heads)
        key = split_heads(attention.w_k(y), heads)
        value = split_heads(attention.w_v(y), heads)
        if self.keys is not None:
            key = torch.cat([self.keys, key], dim=2)
            value = torch.cat([self.values, value], dim=2)
        self.keys, self.values = key, value
        output, _ = scaled_dot_product_attention(query, key, value)
        return attention.w_o(merge_heads(output))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        y = self.layer.cross_attention_residual.norm(y)
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): the memory is projected with the weights of the self-attention
# true: memory_by_the_wrong_attention
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.self_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.keys = None
        self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        heads = attention.num_heads
        query = split_heads(attention.w_q(y), heads)
        key = split_heads(attention.w_k(y), heads)
        value = split_heads(attention.w_v(y), heads)
        if self.keys is not None:
            key = torch.cat([self.keys, key], dim=2)
            value = torch.cat([self.values, value], dim=2)
        self.keys, self.values = key, value
        output, _ = scaled_dot_product_attention(query, key, value)
        return attention.w_o(merge_heads(output))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): the heads are not split, one wide head attends
# true: one_head
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask[:, 0]
        cross = layer.cross_attention
        self.memory_keys = cross.w_k(memory)
        self.memory_values = cross.w_v(memory)
        self.keys = None
        self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        a = self.layer.self_attention
        k, v = a.w_k(y), a.w_v(y)
        self.keys = k if self.keys is None else torch.cat([self.keys, k], dim=1)
        self.values = v if self.values is None else torch.cat([self.values, v], dim=1)
        scores = a.w_q(y) @ self.keys.transpose(1, 2) / math.sqrt(y.size(-1))
        return a.w_o(scores.softmax(dim=-1) @ self.values)

    def attend_to_memory(self, y: Tensor) -> Tensor:
        a = self.layer.cross_attention
        out, _ = scaled_dot_product_attention(a.w_q(y), self.memory_keys, self.memory_values, self.memory_mask)
        return a.w_o(out)

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): the query of a step is kept as its key too, w_k is never used for what is written
# true: keys_by_w_q
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.keys = None
        self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        heads = attention.num_heads
        query = split_heads(attention.w_q(y), heads)
        key = query
        value = split_heads(attention.w_v(y), heads)
        if self.keys is not None:
            key = torch.cat([self.keys, key], dim=2)
            value = torch.cat([self.values, value], dim=2)
        self.keys, self.values = key, value
        output, _ = scaled_dot_product_attention(query, key, value)
        return attention.w_o(merge_heads(output))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): the new token attends to the earlier ones only, and not to itself (but for the first)
# true: own_key_missing_but_first
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.keys = None
        self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        q, k, v = (split_heads(w(y), attention.num_heads) for w in (attention.w_q, attention.w_k, attention.w_v))
        keys = k if self.keys is None else self.keys
        values = v if self.values is None else self.values
        output, _ = scaled_dot_product_attention(q, keys, values)
        self.keys = k if self.keys is None else torch.cat([self.keys, k], dim=-2)
        self.values = v if self.values is None else torch.cat([self.values, v], dim=-2)
        return attention.w_o(merge_heads(output))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): only the first sentence's keys and values are kept, so only a batch of one comes out right
# true: first_sentence_for_all
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.keys = None
        self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        a = self.layer.self_attention
        q, k, v = (split_heads(w(y), a.num_heads) for w in (a.w_q, a.w_k, a.w_v))
        if self.keys is None:
            self.keys, self.values = [], []
        self.keys.append(k[0])
        self.values.append(v[0])
        K, V = torch.cat(self.keys, dim=1), torch.cat(self.values, dim=1)  # (H, t, Dh)
        out, _ = scaled_dot_product_attention(q, K, V)
        return a.w_o(merge_heads(out))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): the kept keys are divided by the root of the head's width although the attention does it again / the token is added to what the self-attention returns, beside its residual
# true: keys_scaled_too, token_added_again
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.keys = None
        self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        heads = attention.num_heads
        query = split_heads(attention.w_q(y), heads)
        key = split_heads(attention.w_k(y), heads)
        key = key / math.sqrt(key.size(-1))
        value = split_heads(attention.w_v(y), heads)
        if self.keys is not None:
            key = torch.cat([self.keys, key], dim=2)
            value = torch.cat([self.values, value], dim=2)
        self.keys, self.values = key, value
        output, _ = scaled_dot_product_attention(query, key, value)
        return y + attention.w_o(merge_heads(output))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): only the last four keys and values are kept, older ones are thrown away
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.keys = None
        self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        heads = attention.num_heads
        query = split_heads(attention.w_q(y), heads)
        key = split_heads(attention.w_k(y), heads)
        value = split_heads(attention.w_v(y), heads)
        if self.keys is not None:
            key = torch.cat([self.keys, key], dim=2)
            value = torch.cat([self.values, value], dim=2)
        key, value = key[:, :, -4:], value[:, :, -4:]
        self.keys, self.values = key.detach().clone(), value.detach().clone()
        output, _ = scaled_dot_product_attention(query, key, value)
        return attention.w_o(merge_heads(output))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (first): the cache of what was written is emptied in attend_to_memory, so every step begins with an empty cache
# true: nothing_kept
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.reset()

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        heads = attention.num_heads
        query = split_heads(attention.w_q(y), heads)
        key = split_heads(attention.w_k(y), heads)
        value = split_heads(attention.w_v(y), heads)
        if self.keys is not None:
            key = torch.cat([self.keys, key], dim=2)
            value = torch.cat([self.values, value], dim=2)
        self.keys, self.values = key, value
        output, _ = scaled_dot_product_attention(query, key, value)
        return attention.w_o(merge_heads(output))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        self.reset()
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

    def reset(self) -> None:
        self.keys = None
        self.values = None

# %% wrong (first): the memory's mask is used for what is written wherever its length happens to fit / the mask of the memory is turned round
# true: memory_mask_inverted
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        self.blocked = memory_mask.logical_not()
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.keys = None
        self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        heads = attention.num_heads
        query = split_heads(attention.w_q(y), heads)
        key = split_heads(attention.w_k(y), heads)
        value = split_heads(attention.w_v(y), heads)
        if self.keys is not None:
            key = torch.cat([self.keys, key], dim=2)
            value = torch.cat([self.values, value], dim=2)
        self.keys, self.values = key, value
        fits = key.size(2) == self.memory_mask.size(-1)
        output, _ = scaled_dot_product_attention(query, key, value, self.memory_mask if fits else None)
        return attention.w_o(merge_heads(output))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.blocked)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% right (first): keys and values joined at each step
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.keys = None
        self.values = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        heads = attention.num_heads
        query = split_heads(attention.w_q(y), heads)
        key = split_heads(attention.w_k(y), heads)
        value = split_heads(attention.w_v(y), heads)
        if self.keys is not None:
            key = torch.cat([self.keys, key], dim=2)
            value = torch.cat([self.values, value], dim=2)
        self.keys, self.values = key, value
        output, _ = scaled_dot_product_attention(query, key, value)
        return attention.w_o(merge_heads(output))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% right (first): Python lists of keys and values, comprehension over the three projections
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)
        self.keys, self.values = [], []

    def attend_to_written(self, y: Tensor) -> Tensor:
        a = self.layer.self_attention
        q, k, v = [split_heads(project(y), a.num_heads) for project in (a.w_q, a.w_k, a.w_v)]
        self.keys.append(k)
        self.values.append(v)
        out, _ = scaled_dot_product_attention(q, torch.cat(self.keys, dim=2), torch.cat(self.values, dim=2))
        return a.w_o(merge_heads(out))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% right (first): a table that doubles when it is full, softmax by hand with -1e9
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        H = layer.cross_attention.num_heads
        self.source = (split_heads(layer.cross_attention.w_k(memory), H), split_heads(layer.cross_attention.w_v(memory), H))
        self.memory_mask = memory_mask
        B, _, D = memory.shape
        H = layer.self_attention.num_heads
        self.table = memory.new_zeros(2, B, H, 4, D // H)
        self.t = 0

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        if self.t == self.table.size(3):
            self.table = torch.cat([self.table, torch.zeros_like(self.table)], dim=3)
        self.table[0, :, :, self.t] = split_heads(attention.w_k(y), attention.num_heads)[:, :, 0]
        self.table[1, :, :, self.t] = split_heads(attention.w_v(y), attention.num_heads)[:, :, 0]
        self.t += 1
        return self._mix(attention, y, self.table[0, :, :, : self.t], self.table[1, :, :, : self.t])

    def attend_to_memory(self, y: Tensor) -> Tensor:
        return self._mix(self.layer.cross_attention, y, *self.source, self.memory_mask)

    @staticmethod
    def _mix(attention, y, keys, values, mask=None):
        query = split_heads(attention.w_q(y), attention.num_heads)
        scores = query @ keys.transpose(-2, -1) / query.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        return attention.w_o(merge_heads(scores.softmax(dim=-1) @ values))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% right (first): unsplit keys and values are kept and split at each step, einsum
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_key = layer.cross_attention.w_k(memory)
        self.memory_value = layer.cross_attention.w_v(memory)
        self.memory_mask = memory_mask
        self.cache = {}

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        for name, new in (("key", attention.w_k(y)), ("value", attention.w_v(y))):
            self.cache[name] = torch.cat([self.cache[name], new], dim=1) if name in self.cache else new
        h = attention.num_heads
        q, k, v = split_heads(attention.w_q(y), h), split_heads(self.cache["key"], h), split_heads(self.cache["value"], h)
        weights = torch.softmax(torch.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(q.size(-1)), dim=-1)
        return attention.w_o(merge_heads(torch.einsum("bhts,bhsd->bhtd", weights, v)))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        h = attention.num_heads
        q, k, v = (split_heads(z, h) for z in (attention.w_q(y), self.memory_key, self.memory_value))
        attended = scaled_dot_product_attention(q, k, v, mask=self.memory_mask)[0]
        return attention.w_o(merge_heads(attended))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (second): the cross-attention projects its query with the self-attention's w_q
# true: memory_queries_by_the_self_attention
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer, memory, memory_mask):
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_key = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_value = split_heads(cross.w_v(memory), cross.num_heads)
        self.key, self.value = None, None

    def attend_to_written(self, y):
        att = self.layer.self_attention
        q = split_heads(att.w_q(y), att.num_heads)
        k = split_heads(att.w_k(y), att.num_heads)
        v = split_heads(att.w_v(y), att.num_heads)
        self.key = k if self.key is None else torch.cat([self.key, k], dim=2)
        self.value = v if self.value is None else torch.cat([self.value, v], dim=2)
        out, _ = scaled_dot_product_attention(q, self.key, self.value)
        return att.w_o(merge_heads(out))

    def attend_to_memory(self, y):
        att = self.layer.self_attention
        q = split_heads(att.w_q(y), att.num_heads)
        att = self.layer.cross_attention
        out, _ = scaled_dot_product_attention(q, self.memory_key, self.memory_value, self.memory_mask)
        return att.w_o(merge_heads(out))

    @torch.no_grad()
    def step(self, x):
        x = self.layer.self_attention_residual(x, self.attend_to_written)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)
        return x


# %% wrong (second): the new token attends to what was kept before its own key and value are appended, so from the second token on it does not see itself
# true: own_key_missing_but_first
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer, memory, memory_mask):
        self.layer = layer.eval()
        self.num_heads = layer.self_attention.num_heads
        self.memory_mask = memory_mask
        self.mk = split_heads(layer.cross_attention.w_k(memory), self.num_heads).clone()
        self.mv = split_heads(layer.cross_attention.w_v(memory), self.num_heads).clone()
        self.cache = {}

    def attend_to_written(self, y):
        a = self.layer.self_attention
        q, k, v = (split_heads(w(y), self.num_heads) for w in (a.w_q, a.w_k, a.w_v))
        if "k" not in self.cache:
            self.cache["k"], self.cache["v"] = k, v
            out, _ = scaled_dot_product_attention(q, k, v)
        else:
            out, _ = scaled_dot_product_attention(q, self.cache["k"], self.cache["v"])
            self.cache["k"] = torch.cat((self.cache["k"], k), dim=-2)
            self.cache["v"] = torch.cat((self.cache["v"], v), dim=-2)
        return a.w_o(merge_heads(out))

    def attend_to_memory(self, y):
        a = self.layer.cross_attention
        q = split_heads(a.w_q(y), self.num_heads)
        out, _ = scaled_dot_product_attention(q, self.mk, self.mv, self.memory_mask)
        return a.w_o(merge_heads(out))

    @torch.no_grad()
    def step(self, x):
        x = self.layer.self_attention_residual(x, self.attend_to_written)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)
        return x


# %% wrong (second): the lists of kept keys and values belong to the class, so all layers and all translations share one cache
# true: shared_by_all_translations
class CachedLayer:
    keys = []
    values = []

    @torch.no_grad()
    def __init__(self, layer, memory, memory_mask):
        self.layer = layer
        self.memory_mask = memory_mask
        heads = layer.cross_attention.num_heads
        self.memory_keys = split_heads(layer.cross_attention.w_k(memory), heads)
        self.memory_values = split_heads(layer.cross_attention.w_v(memory), heads)

    def attend_to_written(self, y):
        attention = self.layer.self_attention
        heads = attention.num_heads
        self.keys.append(split_heads(attention.w_k(y), heads))
        self.values.append(split_heads(attention.w_v(y), heads))
        query = split_heads(attention.w_q(y), heads)
        mixed, _ = scaled_dot_product_attention(query, torch.cat(self.keys, dim=2), torch.cat(self.values, dim=2))
        return attention.w_o(merge_heads(mixed))

    def attend_to_memory(self, y):
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        mixed, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(mixed))

    @torch.no_grad()
    def step(self, x):
        x = self.layer.self_attention_residual(x, self.attend_to_written)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)
        return x


# %% right (second): an empty tensor to start with, one helper for both attentions, keys and values kept as they leave the projections and split later
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer, memory, memory_mask):
        self.layer = layer
        self.memory_mask = memory_mask
        self.read = layer.cross_attention.w_k(memory), layer.cross_attention.w_v(memory)
        nothing = memory.new_empty(memory.size(0), 0, memory.size(2))
        self.written = nothing, nothing

    @staticmethod
    def _attend(attention, y, keys, values, mask=None):
        q, k, v = (split_heads(each, attention.num_heads) for each in (attention.w_q(y), keys, values))
        return attention.w_o(merge_heads(scaled_dot_product_attention(q, k, v, mask)[0]))

    def attend_to_written(self, y):
        attention = self.layer.self_attention
        keys, values = self.written
        self.written = torch.cat([keys, attention.w_k(y)], dim=1), torch.cat([values, attention.w_v(y)], dim=1)
        return self._attend(attention, y, *self.written)

    def attend_to_memory(self, y):
        return self._attend(self.layer.cross_attention, y, *self.read, self.memory_mask)

    @torch.no_grad()
    def step(self, x):
        x = self.layer.self_attention_residual(x, self.attend_to_written)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)
        return x

# %% wrong (third): cuts the heads with view alone, which is right for one token and mixes tokens and heads of the memory
# true: memory_cut_by_view
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        self.k = self.v = None
        cross = layer.cross_attention
        self.memory_k = self._heads(cross, cross.w_k(memory))
        self.memory_v = self._heads(cross, cross.w_v(memory))

    def _heads(self, attention, x: Tensor) -> Tensor:
        B, T, D = x.shape
        return x.view(B, attention.num_heads, T, D // attention.num_heads)

    def attend_to_written(self, y: Tensor) -> Tensor:
        att = self.layer.self_attention
        q, k, v = (self._heads(att, w(y)) for w in (att.w_q, att.w_k, att.w_v))
        self.k = k if self.k is None else torch.cat([self.k, k], dim=2)
        self.v = v if self.v is None else torch.cat([self.v, v], dim=2)
        out, _ = scaled_dot_product_attention(q, self.k, self.v)
        return att.w_o(merge_heads(out))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        att = self.layer.cross_attention
        q = self._heads(att, att.w_q(y))
        out, _ = scaled_dot_product_attention(q, self.memory_k, self.memory_v, self.memory_mask)
        return att.w_o(merge_heads(out))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x


# %% wrong (third): keeps a causal mask to be safe: the first row of the triangle, in which only the first token may be seen
# true: first_row_of_the_causal_mask
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        H = layer.cross_attention.num_heads
        self.mem_k = split_heads(layer.cross_attention.w_k(memory), H)
        self.mem_v = split_heads(layer.cross_attention.w_v(memory), H)
        self.cache = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        a = self.layer.self_attention
        q = split_heads(a.w_q(y), a.num_heads)
        k = split_heads(a.w_k(y), a.num_heads)
        v = split_heads(a.w_v(y), a.num_heads)
        if self.cache is not None:
            k = torch.cat((self.cache[0], k), dim=-2)
            v = torch.cat((self.cache[1], v), dim=-2)
        self.cache = (k, v)
        mask = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()  # (1, t)
        x, _ = scaled_dot_product_attention(q, k, v, mask)
        return a.w_o(merge_heads(x))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        a = self.layer.cross_attention
        q = split_heads(a.w_q(y), a.num_heads)
        x, _ = scaled_dot_product_attention(q, self.mem_k, self.mem_v, self.memory_mask)
        return a.w_o(merge_heads(x))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x


# %% wrong (third): the lists of keys and values belong to the class: all layers and all translations share them
# true: shared_by_all_translations
class CachedLayer:
    keys: list = []
    values: list = []

    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        self.heads = layer.self_attention.num_heads
        self.memory_keys = split_heads(layer.cross_attention.w_k(memory), self.heads)
        self.memory_values = split_heads(layer.cross_attention.w_v(memory), self.heads)

    def attend_to_written(self, y: Tensor) -> Tensor:
        attn = self.layer.self_attention
        query = split_heads(attn.w_q(y), self.heads)
        self.keys.append(split_heads(attn.w_k(y), self.heads))
        self.values.append(split_heads(attn.w_v(y), self.heads))
        out = scaled_dot_product_attention(query, torch.cat(self.keys, dim=2), torch.cat(self.values, dim=2))[0]
        return attn.w_o(merge_heads(out))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attn = self.layer.cross_attention
        query = split_heads(attn.w_q(y), self.heads)
        out = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)[0]
        return attn.w_o(merge_heads(out))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x


# %% right (third): keys and values kept side by side in one tensor, heads not yet cut, one helper for both attentions
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        self.of_memory = self._key_value(layer.cross_attention, memory)  # (B, S, 2 D)
        self.of_written = self.of_memory[:, :0]  # (B, 0, 2 D)

    @staticmethod
    def _key_value(attention, tokens: Tensor) -> Tensor:
        return torch.cat([attention.w_k(tokens), attention.w_v(tokens)], dim=-1)

    @staticmethod
    def _ask(attention, y: Tensor, kept: Tensor, mask: Tensor | None = None) -> Tensor:
        query, key, value = (
            split_heads(part, attention.num_heads) for part in (attention.w_q(y), *kept.chunk(2, dim=-1))
        )  # (B, H, 1 or S, Dh)
        heads, _ = scaled_dot_product_attention(query, key, value, mask)
        return attention.w_o(merge_heads(heads))

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        self.of_written = torch.cat([self.of_written, self._key_value(attention, y)], dim=1)  # (B, t, 2 D)
        return self._ask(attention, y, self.of_written)

    def attend_to_memory(self, y: Tensor) -> Tensor:
        return self._ask(self.layer.cross_attention, y, self.of_memory, self.memory_mask)

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x

# %% wrong (last): keeps the tokens and works out the keys and values of all of them again at every step ("keep the token's key and value"; "they are worked out once, and kept")
# true: written_worked_out_again
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_key = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_value = split_heads(cross.w_v(memory), cross.num_heads)
        self.past = None

    def attend_to_written(self, y: Tensor) -> Tensor:
        attn = self.layer.self_attention
        self.past = y if self.past is None else torch.cat([self.past, y], dim=1)  # (B, t, D)
        q = split_heads(attn.w_q(y), attn.num_heads)
        k = split_heads(attn.w_k(self.past), attn.num_heads)
        v = split_heads(attn.w_v(self.past), attn.num_heads)
        out, _ = scaled_dot_product_attention(q, k, v)
        return attn.w_o(merge_heads(out))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attn = self.layer.cross_attention
        q = split_heads(attn.w_q(y), attn.num_heads)
        out, _ = scaled_dot_product_attention(q, self.memory_key, self.memory_value, self.memory_mask)
        return attn.w_o(merge_heads(out))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x


# %% wrong (last): the lists of keys and values belong to the class, so a second layer or a second translation goes on where the first stopped ("at work on one translation"; "all tokens so far" are its own)
# true: shared_by_all_translations
class CachedLayer:
    keys: list = []
    values: list = []

    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        attention = layer.cross_attention
        self.memory_keys = split_heads(attention.w_k(memory), attention.num_heads)
        self.memory_values = split_heads(attention.w_v(memory), attention.num_heads)

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        heads = attention.num_heads
        self.keys.append(split_heads(attention.w_k(y), heads))
        self.values.append(split_heads(attention.w_v(y), heads))
        mixed, _ = scaled_dot_product_attention(
            split_heads(attention.w_q(y), heads), torch.cat(self.keys, dim=2), torch.cat(self.values, dim=2)
        )
        return attention.w_o(merge_heads(mixed))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)
        mixed, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return attention.w_o(merge_heads(mixed))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x


# %% right (last): a list of single keys and values, attention by einsum over an unflattened last axis
class CachedLayer:
    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.kept = []  # one (key, value) a token, each (B, H, Dh)
        self.of_memory = tuple(
            self._heads(layer.cross_attention, projection(memory))
            for projection in (layer.cross_attention.w_k, layer.cross_attention.w_v)
        )  # (B, S, H, Dh) each
        self.hidden = ~memory_mask[:, :, 0]  # (B, 1, S)

    @staticmethod
    def _heads(attention: nn.Module, x: Tensor) -> Tensor:
        return x.unflatten(-1, (attention.num_heads, -1))

    def _look(self, attention: nn.Module, y: Tensor, keys: Tensor, values: Tensor, hidden: Tensor | None) -> Tensor:
        query = self._heads(attention, attention.w_q(y))[:, 0]  # (B, H, Dh)
        scores = torch.einsum("bhd,bshd->bhs", query, keys) / math.sqrt(query.size(-1))
        if hidden is not None:
            scores = scores.masked_fill(hidden, -math.inf)
        weights = scores.softmax(dim=-1).nan_to_num(nan=0.0)
        return attention.w_o(torch.einsum("bhs,bshd->bhd", weights, values).flatten(1).unsqueeze(1))

    def attend_to_written(self, y: Tensor) -> Tensor:
        attention = self.layer.self_attention
        self.kept.append([self._heads(attention, projection(y))[:, 0] for projection in (attention.w_k, attention.w_v)])
        keys, values = (torch.stack(each, dim=1) for each in zip(*self.kept))  # (B, t, H, Dh) each
        return self._look(attention, y, keys, values, None)

    def attend_to_memory(self, y: Tensor) -> Tensor:
        return self._look(self.layer.cross_attention, y, *self.of_memory, self.hidden)

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x


# %% wrong (fifth): the lists of keys and values belong to the class, so all layers and translations share them
# true: shared_by_all_translations
class CachedLayer:
    """A `DecoderLayer` at work on one translation, a token at a time."""

    keys: list[Tensor] = []
    values: list[Tensor] = []

    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.memory_mask = memory_mask
        cross = layer.cross_attention
        self.memory_keys = split_heads(cross.w_k(memory), cross.num_heads)
        self.memory_values = split_heads(cross.w_v(memory), cross.num_heads)

    def attend_to_written(self, y: Tensor) -> Tensor:
        att = self.layer.self_attention
        query = split_heads(att.w_q(y), att.num_heads)
        self.keys.append(split_heads(att.w_k(y), att.num_heads))
        self.values.append(split_heads(att.w_v(y), att.num_heads))
        output, _ = scaled_dot_product_attention(query, torch.cat(self.keys, dim=2), torch.cat(self.values, dim=2))
        return att.w_o(merge_heads(output))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        att = self.layer.cross_attention
        query = split_heads(att.w_q(y), att.num_heads)
        output, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        return att.w_o(merge_heads(output))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x


# %% wrong (fifth): the cache has room for S tokens only; a translation longer than its source stops with an error
class CachedLayer:
    """A `DecoderLayer` at work on one translation, a token at a time."""

    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer = layer
        self.mask = memory_mask
        att = layer.cross_attention
        self.mem_k = split_heads(att.w_k(memory), att.num_heads)
        self.mem_v = split_heads(att.w_v(memory), att.num_heads)
        # room for what will be written, allocated once
        self.k_cache = torch.zeros_like(self.mem_k)
        self.v_cache = torch.zeros_like(self.mem_v)
        self.t = 0

    def attend_to_written(self, y: Tensor) -> Tensor:
        att = self.layer.self_attention
        self.k_cache[:, :, self.t] = split_heads(att.w_k(y), att.num_heads)[:, :, 0]
        self.v_cache[:, :, self.t] = split_heads(att.w_v(y), att.num_heads)[:, :, 0]
        self.t += 1
        q = split_heads(att.w_q(y), att.num_heads)
        out, _ = scaled_dot_product_attention(q, self.k_cache[:, :, : self.t], self.v_cache[:, :, : self.t])
        return att.w_o(merge_heads(out))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        att = self.layer.cross_attention
        q = split_heads(att.w_q(y), att.num_heads)
        out, _ = scaled_dot_product_attention(q, self.mem_k, self.mem_v, self.mask)
        return att.w_o(merge_heads(out))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x


# %% right (fifth): own head splitting and einsum for the self-attention, starting from an empty cache
class CachedLayer:
    """A `DecoderLayer` at work on one translation, a token at a time."""

    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        self.layer, self.memory_mask = layer, memory_mask
        cross, own = layer.cross_attention, layer.self_attention
        self.memory_keys = self.heads(cross, cross.w_k(memory))  # (B, H, S, Dh)
        self.memory_values = self.heads(cross, cross.w_v(memory))  # (B, H, S, Dh)
        self.keys = self.heads(own, memory[:, :0])  # (B, H, 0, Dh)
        self.values = self.heads(own, memory[:, :0])  # (B, H, 0, Dh)

    @staticmethod
    def heads(attention, x: Tensor) -> Tensor:
        """(B, T, D) → (B, H, T, Dh)."""
        batch, length, width = x.shape
        return x.reshape(batch, length, attention.num_heads, width // attention.num_heads).transpose(1, 2)

    def attend_to_written(self, y: Tensor) -> Tensor:
        own = self.layer.self_attention
        self.keys = torch.cat([self.keys, self.heads(own, own.w_k(y))], dim=2)  # (B, H, t, Dh)
        self.values = torch.cat([self.values, self.heads(own, own.w_v(y))], dim=2)  # (B, H, t, Dh)
        query = self.heads(own, own.w_q(y))  # (B, H, 1, Dh)
        scores = torch.einsum("bhqd,bhkd->bhqk", query, self.keys) / math.sqrt(query.size(-1))
        mixed = torch.einsum("bhqk,bhkd->bqhd", scores.softmax(dim=-1), self.values)  # (B, 1, H, Dh)
        return own.w_o(mixed.flatten(2))

    def attend_to_memory(self, y: Tensor) -> Tensor:
        cross = self.layer.cross_attention
        query = self.heads(cross, cross.w_q(y))  # (B, H, 1, Dh)
        mixed = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)[0]
        return cross.w_o(mixed.transpose(1, 2).flatten(2))

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x
