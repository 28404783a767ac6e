def bias_corrected(mean, beta, t):
    return mean / (1 - beta**t)


# %% right: two factors
class AdamW(AdamW):
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                s = self.state[p]
                s["t"] = s.get("t", 0) + 1
                s["m"] = b1 * s.get("m", 0) + (1 - b1) * p.grad
                s["v"] = b2 * s.get("v", 0) + (1 - b2) * p.grad**2
                root = s["v"].sqrt() / math.sqrt(1 - b2 ** s["t"]) + group["eps"]
                p -= group["lr"] * group["weight_decay"] * p + group["lr"] / (1 - b1 ** s["t"]) * s["m"] / root


# %% right: in place with data
class AdamW(AdamW):
    def step(self):
        for group in self.param_groups:
            lr, (beta1, beta2) = group["lr"], group["betas"]
            for p in filter(lambda p: p.grad is not None, group["params"]):
                state = self.state[p]
                if "exp_avg" not in state:
                    state["t"] = torch.tensor(0.0)
                    state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(p.data), torch.zeros_like(p.data)
                state["t"] += 1
                t = state["t"].item()
                state["exp_avg"].lerp_(p.grad, 1 - beta1)
                state["exp_avg_sq"].mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)
                p.data.mul_(1 - lr * group["weight_decay"])
                denominator = (state["exp_avg_sq"] / (1 - beta2**t)).sqrt().add_(group["eps"])
                p.data.addcdiv_(state["exp_avg"], denominator, value=-lr / (1 - beta1**t))


# %% right: products of betas
class AdamW(AdamW):
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self.move(p, **{name: group[name] for name in ("lr", "betas", "eps", "weight_decay")})

    def move(self, p, lr, betas, eps, weight_decay):
        state, hats = self.state[p], []
        for power, beta in enumerate(betas, 1):
            mean, left = state.get(power, (torch.zeros_like(p), 1.0))
            mean, left = mean + (1 - beta) * (p.grad**power - mean), left * beta
            state[power] = mean, left
            hats.append(mean / (1 - left))
        p.copy_(p - lr * weight_decay * p - lr * hats[0] / (hats[1] ** 0.5 + eps))


# %% right: with a function and no state of its own
class AdamW(AdamW):
    @torch.no_grad()
    def step(self):
        self.moments = getattr(self, "moments", {})
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                g = parameter.grad
                t, m, v = self.moments.get(parameter, (0, torch.zeros_like(g), torch.zeros_like(g)))
                t, m, v = t + 1, beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
                self.moments[parameter] = t, m, v
                step = bias_corrected(m, beta1, t) / (torch.sqrt(bias_corrected(v, beta2, t)) + group["eps"])
                parameter.data = (1 - group["lr"] * group["weight_decay"]) * parameter.data - group["lr"] * step


# %% right: the steps of torch
class AdamW(AdamW):
    @torch.no_grad()
    def step(self, closure=None):
        loss = closure() if closure else None
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            some = [p for p in group["params"] if p.grad is not None]
            for p in some:
                state = self.state.setdefault(p, {})
                if not len(state):
                    state["step"], state["m"], state["v"] = 0, p.new_zeros(p.shape), p.new_zeros(p.shape)
            for p in some:
                state = self.state[p]
                state["step"] += 1
                state["m"] += (1 - beta1) * (p.grad - state["m"])
                state["v"] += (1 - beta2) * (p.grad.pow(2) - state["v"])
            for p in some:
                m, v, t = self.state[p]["m"], self.state[p]["v"], self.state[p]["step"]
                old = p.clone()
                p.sub_(group["lr"] * (m / (1 - beta1**t)) / ((v / (1 - beta2**t)) ** 0.5 + group["eps"]))
                p.sub_(group["lr"] * group["weight_decay"] * old)
        return loss


# %% wrong: the penalty as in torchs adam
# true: l2_in_the_gradient
class AdamW(AdamW):
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                g = p.grad.add(p, alpha=group["weight_decay"])
                s = self.state[p]
                s["t"] = s.get("t", 0) + 1
                s["m"] = b1 * s.get("m", 0) + (1 - b1) * g
                s["v"] = b2 * s.get("v", 0) + (1 - b2) * g**2
                p -= group["lr"] * (s["m"] / (1 - b1 ** s["t"])) / ((s["v"] / (1 - b2 ** s["t"])).sqrt() + group["eps"])


# %% wrong: counted after use
# true: counted_from_zero
class AdamW(AdamW):
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                s = self.state[p]
                s.setdefault("t", 0)
                s["m"] = b1 * s.get("m", 0) + (1 - b1) * p.grad
                s["v"] = b2 * s.get("v", 0) + (1 - b2) * p.grad**2
                m, v = s["m"] / (1 - b1 ** s["t"]), s["v"] / (1 - b2 ** s["t"])
                p.mul_(1 - group["lr"] * group["weight_decay"]).sub_(group["lr"] * m / (v.sqrt() + group["eps"]))
                s["t"] += 1


# %% wrong: the means are attributes
# true: means_shared
class AdamW(AdamW):
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                if not hasattr(self, "m"):
                    self.m, self.v, self.t = torch.zeros_like(p), torch.zeros_like(p), 0
                self.t += 1
                self.m = b1 * self.m + (1 - b1) * p.grad
                self.v = b2 * self.v + (1 - b2) * p.grad**2
                m, v = self.m / (1 - b1**self.t), self.v / (1 - b2**self.t)
                p.mul_(1 - group["lr"] * group["weight_decay"]).sub_(group["lr"] * m / (v.sqrt() + group["eps"]))


# %% wrong: one count of the optimizer
# true: one_count_for_all
class AdamW(AdamW):
    @torch.no_grad()
    def step(self):
        self.count = getattr(self, "count", 0) + 1
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                s = self.state[p]
                s["m"] = b1 * s.get("m", 0) + (1 - b1) * p.grad
                s["v"] = b2 * s.get("v", 0) + (1 - b2) * p.grad**2
                m, v = s["m"] / (1 - b1**self.count), s["v"] / (1 - b2**self.count)
                p.mul_(1 - group["lr"] * group["weight_decay"]).sub_(group["lr"] * m / (v.sqrt() + group["eps"]))


# %% wrong: new tensors under an old name
# true: nothing_moves
class AdamW(AdamW):
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                s = self.state[p]
                s["t"] = s.get("t", 0) + 1
                s["m"] = b1 * s.get("m", 0) + (1 - b1) * p.grad
                s["v"] = b2 * s.get("v", 0) + (1 - b2) * p.grad**2
                p = p - group["lr"] * group["weight_decay"] * p
                p = p - group["lr"] * s["m"] / (s["v"].sqrt() + group["eps"])


# %% trivial: gradient descent
class AdamW(AdamW):
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.sub_(group["lr"] * p.grad)


# %% trivial: only the decay
class AdamW(AdamW):
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.mul_(1 - group["lr"] * group["weight_decay"])


# %% trivial: the sign of the gradient
class AdamW(AdamW):
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.sub_(group["lr"] * p.grad.sign())
