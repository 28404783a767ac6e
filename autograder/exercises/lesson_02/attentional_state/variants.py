# %% right: in one expression
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask=mask)
        output = self.w(torch.cat((context, state), 1)).tanh()
        if need_weights:
            return output, weights
        return output


# %% right: written out
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        scores = torch.bmm(keys, state.unsqueeze(-1)).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        alpha = F.softmax(scores, dim=-1).nan_to_num(0.0)
        context = torch.bmm(alpha.unsqueeze(1), values).squeeze(1)
        output = torch.tanh(self.w(torch.hstack([context, state])))
        return (output, alpha) if need_weights else output


# %% right: two halves ofw
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        of_context, of_state = self.w.weight.split([values.size(-1), state.size(-1)], dim=1)
        output = torch.tanh(F.linear(context, of_context) + F.linear(state, of_state))
        return [output, (output, weights)][need_weights]


# %% right: by einsum
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        scores = torch.einsum("bd,bsd->bs", state, keys)
        if mask is not None:
            scores = torch.where(mask, scores, torch.full_like(scores, -1e9))
        weights = scores.softmax(-1) if mask is None else scores.softmax(-1) * mask
        context = torch.einsum("bs,bsv->bv", weights, values)
        output = torch.tanh(torch.einsum("bi,oi->bo", torch.cat([context, state], -1), self.w.weight))
        return (output, weights) if need_weights else output


# %% right: sentence by sentence
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        outputs, rows = [], []
        for b in range(state.shape[0]):
            one = slice(b, b + 1)
            scores = dot_scores(state[one], keys[one])
            context, row = attend(scores, values[one], None if mask is None else mask[one])
            outputs.append(self.w(torch.cat([context, state[one]], dim=-1)).tanh())
            rows.append(row)
        output = torch.cat(outputs)
        return (output, torch.cat(rows)) if need_weights else output


# %% right: filled in
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        weights = attend(dot_scores(state, keys), values, mask)[1]
        context = (weights[..., None] * values).sum(1)
        both = state.new_zeros(state.size(0), context.size(1) + state.size(1))
        both[:, : context.size(1)] = context
        both[:, context.size(1) :] = state
        output = torch.tanh(both @ self.w.weight.T)
        return (output, weights) if need_weights else output


# %% wrong: state plus context
# true: added_not_concatenated
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        output = torch.tanh(self.w(torch.add(state, context)))
        return (output, weights) if need_weights else output


# %% wrong: without the state
# true: context_alone
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        output = F.linear(context, self.w.weight).tanh()
        return (output, weights) if need_weights else output


# %% wrong: order and no tanh
# true: state_first, no_tanh
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        output = torch.cat([state, context], -1) @ self.w.weight.T
        return (output, weights) if need_weights else output


# %% wrong: everything alike
# true: mean_of_the_values
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        _, weights = attend(dot_scores(state, keys), values, mask)
        context = values.sum(dim=1) / values.size(1)
        output = self.w(torch.cat((context, state), dim=1)).tanh()
        return (output, weights) if need_weights else output


# %% wrong: normalised before
# true: softmax_twice
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        alpha = F.softmax(torch.einsum("bd,bsd->bs", state, keys), dim=1)
        context, weights = attend(alpha, values, mask)
        output = self.w(torch.cat((context, state), dim=1)).tanh()
        return (output, weights) if need_weights else output


# %% wrong: logistic curve
# true: sigmoid
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        output = 1 / (1 + torch.exp(-self.w(torch.cat([context, state], dim=1))))
        return (output, weights) if need_weights else output


# %% wrong: own softmax of low numbers
# true: fully_masked_uniform
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        scores = torch.einsum("bd,bsd->bs", state, keys)
        if mask is not None:
            scores[~mask] = torch.finfo(scores.dtype).min
        weights = F.softmax(scores, dim=1)
        output = self.w(torch.hstack((torch.einsum("bs,bsv->bv", weights, values), state))).tanh()
        return (output, weights) if need_weights else output


# %% trivial: zeros
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        output = torch.zeros_like(state)
        return (output, torch.zeros(keys.shape[:2])) if need_weights else output


# %% trivial: the input itself
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        return (state, keys) if need_weights else state


# %% trivial: uniform
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        output = torch.tanh(state)
        return (output, torch.full(keys.shape[:2], 1 / keys.size(1))) if need_weights else output


# %% trivial: noise
class AttentionalState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        output = torch.rand(state.shape)
        return (output, torch.rand(keys.shape[:2])) if need_weights else output
