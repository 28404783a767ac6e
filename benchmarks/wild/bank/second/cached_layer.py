# %% wrong: the cross-attention projects its query with the self-attention's w_q
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


# %% wrong: the new token attends to what was kept before its own key and value are appended, so from the second token on it does not see itself
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


# %% wrong: the lists of kept keys and values belong to the class, so all layers and all translations share one cache
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


# %% right: an empty tensor to start with, one helper for both attentions, keys and values kept as they leave the projections and split later
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
