# %% wrong: keeps the tokens and works out the keys and values of all of them again at every step ("keep the token's key and value"; "they are worked out once, and kept")
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


# %% wrong: the lists of keys and values belong to the class, so a second layer or a second translation goes on where the first stopped ("at work on one translation"; "all tokens so far" are its own)
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


# %% right: a list of single keys and values, attention by einsum over an unflattened last axis
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
