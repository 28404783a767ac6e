# %% wrong: cuts the heads with view alone, which is right for one token and mixes tokens and heads of the memory
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


# %% wrong: keeps a causal mask to be safe: the first row of the triangle, in which only the first token may be seen
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


# %% wrong: the lists of keys and values belong to the class: all layers and all translations share them
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


# %% right: keys and values kept side by side in one tensor, heads not yet cut, one helper for both attentions
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
