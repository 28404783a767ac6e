# %% wrong (fifth): ε is added to √v before the bias correction of v, as in the short form of Adam's paper
# true: epsilon_before_the_correction
class AdamW(Optimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            lr, (b1, b2) = group["lr"], group["betas"]
            eps, decay = group["eps"], group["weight_decay"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["t"] = 0
                    state["m"] = torch.zeros_like(p)
                    state["v"] = torch.zeros_like(p)
                state["t"] += 1
                t, m, v = state["t"], state["m"], state["v"]
                m.mul_(b1).add_(p.grad, alpha=1 - b1)
                v.mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
                step_size = lr * math.sqrt(1 - b2**t) / (1 - b1**t)
                p.mul_(1 - lr * decay)
                p.addcdiv_(m, v.sqrt().add_(eps), value=-step_size)


# %% wrong (fifth): t is counted once per group, so a parameter that is skipped at first gets too large a t
# true: one_count_for_all
class AdamW(Optimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            group["step"] = group.get("step", 0) + 1
            correction1 = 1 - beta1 ** group["step"]
            correction2 = 1 - beta2 ** group["step"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if len(state) == 0:
                    state["exp_avg"] = torch.zeros_like(p)
                    state["exp_avg_sq"] = torch.zeros_like(p)
                state["exp_avg"].mul_(beta1).add_(p.grad, alpha=1 - beta1)
                state["exp_avg_sq"].mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)
                m_hat = state["exp_avg"] / correction1
                v_hat = state["exp_avg_sq"] / correction2
                p.sub_(group["lr"] * group["weight_decay"] * p + group["lr"] * m_hat / (v_hat.sqrt() + group["eps"]))


# %% wrong (fifth): the decay uses the rate given to the constructor, which no scheduler changes
# true: decay_at_the_first_rate
class AdamW(Optimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                g = p.grad
                if g is None:
                    continue
                s = self.state[p]
                s["t"] = s.get("t", 0) + 1
                s["m"] = b1 * s.get("m", torch.zeros_like(p)) + (1 - b1) * g
                s["v"] = b2 * s.get("v", torch.zeros_like(p)) + (1 - b2) * g**2
                m_hat = s["m"] / (1 - b1 ** s["t"])
                v_hat = s["v"] / (1 - b2 ** s["t"])
                decay = self.defaults["lr"] * group["weight_decay"] * p
                move = group["lr"] * m_hat / (v_hat.sqrt() + group["eps"])
                p -= decay + move


# %% wrong (fifth): parameters with one dimension (biases, norms) do not decay
# true: vectors_not_decayed
class AdamW(Optimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            lr, eps, wd = group["lr"], group["eps"], group["weight_decay"]
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if "t" not in state:
                    state["t"], state["m"], state["v"] = 0, torch.zeros_like(p), torch.zeros_like(p)
                state["t"] += 1
                state["m"].lerp_(p.grad, 1 - b1)
                state["v"].mul_(b2).add_(p.grad.square(), alpha=1 - b2)
                m_hat = state["m"] / (1 - b1 ** state["t"])
                v_hat = state["v"] / (1 - b2 ** state["t"])
                if p.dim() >= 2:  # only matrices decay, not biases and LayerNorm weights
                    p.mul_(1 - lr * wd)
                p.sub_(lr * m_hat / (v_hat.sqrt() + eps))


# %% wrong (fifth): a parameter whose gradient is all zeros is skipped as if it had none
# true: zero_gradients_skipped
class AdamW(Optimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            b1, b2 = group["betas"]
            rate = group["lr"]
            for theta in group["params"]:
                # nothing to learn for words that are not in the batch
                if theta.grad is None or theta.grad.abs().sum() == 0:
                    continue
                memory = self.state[theta]
                if not memory:
                    memory.update(t=0, m=torch.zeros_like(theta), v=torch.zeros_like(theta))
                memory["t"] += 1
                memory["m"].mul_(b1).add_((1 - b1) * theta.grad)
                memory["v"].mul_(b2).add_((1 - b2) * theta.grad**2)
                m_hat = memory["m"] / (1 - b1 ** memory["t"])
                v_hat = memory["v"] / (1 - b2 ** memory["t"])
                theta.sub_(rate * group["weight_decay"] * theta + rate * m_hat / (v_hat.sqrt() + group["eps"]))


# %% wrong (fifth): m and v are always kept in float32, so float64 parameters equal torch's to 7 digits only
class AdamW(Optimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if len(state) == 0:
                    state["step"] = 0
                    state["m"] = torch.zeros(p.shape, device=p.device)
                    state["v"] = torch.zeros(p.shape, device=p.device)
                state["step"] += 1
                m, v, t = state["m"], state["v"], state["step"]
                m.mul_(b1).add_(p.grad, alpha=1 - b1)
                v.mul_(b2).add_(p.grad**2, alpha=1 - b2)
                m_hat = m / (1 - b1**t)
                v_hat = v / (1 - b2**t)
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_(m_hat / (v_hat.sqrt() + group["eps"]), alpha=-group["lr"])


# %% wrong (fifth): the corrected means are stored as m and v and corrected again at the next step
# true: corrected_in_place
class AdamW(Optimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                t = state.get("t", 0) + 1
                m = state.get("m", torch.zeros_like(p))
                v = state.get("v", torch.zeros_like(p))
                m = beta1 * m + (1 - beta1) * p.grad
                v = beta2 * v + (1 - beta2) * p.grad * p.grad
                m = m / (1 - beta1**t)
                v = v / (1 - beta2**t)
                p.sub_(group["lr"] * group["weight_decay"] * p + group["lr"] * m / (torch.sqrt(v) + group["eps"]))
                state["t"], state["m"], state["v"] = t, m, v


# %% wrong (fifth): the gradient is squared in place, so grad holds g² after the step
# true: gradient_overwritten
class AdamW(Optimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            lr, eps, wd = group["lr"], group["eps"], group["weight_decay"]
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                g = p.grad
                st = self.state[p]
                if not st:
                    st["t"] = 0
                    st["m"] = torch.zeros_like(g)
                    st["v"] = torch.zeros_like(g)
                st["t"] += 1
                st["m"].mul_(b1).add_(g, alpha=1 - b1)
                st["v"].mul_(b2).add_(g.square_(), alpha=1 - b2)
                m_hat = st["m"] / (1 - b1 ** st["t"])
                v_hat = st["v"] / (1 - b2 ** st["t"])
                p.add_(p, alpha=-lr * wd)
                p.add_(-lr * m_hat / (v_hat.sqrt() + eps))


# %% wrong (fifth): m and v are one and the same tensor
class AdamW(Optimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["t"] = 0
                    state["m"] = state["v"] = torch.zeros_like(p)
                state["t"] += 1
                state["m"].mul_(b1).add_(p.grad, alpha=1 - b1)
                state["v"].mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
                m_hat = state["m"] / (1 - b1 ** state["t"])
                v_hat = state["v"] / (1 - b2 ** state["t"])
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.sub_(group["lr"] * m_hat / (v_hat.sqrt() + group["eps"]))


# %% wrong (fifth): Adam's step comes first, and the decay takes its share of the weight after that step
# true: decayed_after_the_step
class AdamW(Optimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            lr, eps, decay = group["lr"], group["eps"], group["weight_decay"]
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if "m" not in state:
                    state["m"] = torch.zeros_like(p)
                    state["v"] = torch.zeros_like(p)
                    state["t"] = 0
                state["t"] += 1
                state["m"] = b1 * state["m"] + (1 - b1) * p.grad
                state["v"] = b2 * state["v"] + (1 - b2) * p.grad.pow(2)
                m_hat = state["m"] / (1 - b1 ** state["t"])
                v_hat = state["v"] / (1 - b2 ** state["t"])
                p -= lr * m_hat / (v_hat.sqrt() + eps)
                p -= lr * decay * p


# %% right (fifth): all parameters of a group at once, with torch._foreach operations
class AdamW(Optimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            moving = [p for p in group["params"] if p.grad is not None]
            if not moving:
                continue
            rate, (beta1, beta2) = group["lr"], group["betas"]
            for p in moving:
                if not self.state[p]:
                    self.state[p].update(t=0, m=torch.zeros_like(p), v=torch.zeros_like(p))
                self.state[p]["t"] += 1
            times = [self.state[p]["t"] for p in moving]
            grads = [p.grad for p in moving]
            means = [self.state[p]["m"] for p in moving]
            squares = [self.state[p]["v"] for p in moving]
            torch._foreach_mul_(means, beta1)
            torch._foreach_add_(means, grads, alpha=1 - beta1)
            torch._foreach_mul_(squares, beta2)
            torch._foreach_addcmul_(squares, grads, grads, value=1 - beta2)
            sizes = torch._foreach_sqrt(torch._foreach_div(squares, [1 - beta2**t for t in times]))
            torch._foreach_add_(sizes, group["eps"])
            moves = torch._foreach_div(torch._foreach_div(means, [1 - beta1**t for t in times]), sizes)
            torch._foreach_mul_(moving, 1 - rate * group["weight_decay"])
            torch._foreach_add_(moving, moves, alpha=-rate)


# %% right (fifth): bias corrections folded into the step size and the denominator, with lerp_ and addcdiv_
class AdamW(Optimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in filter(lambda q: q.grad is not None, group["params"]):
                s = self.state[p]
                s.setdefault("exp_avg", torch.zeros_like(p))
                s.setdefault("exp_avg_sq", torch.zeros_like(p))
                s["step"] = s.get("step", 0) + 1
                s["exp_avg"].lerp_(p.grad, 1 - b1)
                s["exp_avg_sq"].mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
                p.mul_(1 - group["lr"] * group["weight_decay"])
                denominator = s["exp_avg_sq"].sqrt() / math.sqrt(1 - b2 ** s["step"]) + group["eps"]
                p.addcdiv_(s["exp_avg"], denominator, value=-group["lr"] / (1 - b1 ** s["step"]))


# %% right (fifth): out of place, the new value is worked out first and copied into the parameter at the end
class AdamW(Optimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        def moved(theta: Tensor, grad: Tensor, memory: dict, lr: float, betas: tuple, eps: float, decay: float) -> Tensor:
            """The new weights; the memory gets new means and the next t."""
            t = memory["t"] = memory.get("t", 0) + 1
            zero = torch.zeros_like(theta)
            corrected = []
            for name, beta, new in (("m", betas[0], grad), ("v", betas[1], grad * grad)):
                memory[name] = beta * memory.get(name, zero) + (1 - beta) * new
                corrected.append(memory[name] / (1 - beta**t))
            mean, square = corrected
            return theta - lr * decay * theta - lr * mean / (torch.sqrt(square) + eps)

        for group in self.param_groups:
            for parameter in group["params"]:
                gradient = parameter.grad
                if gradient is not None:
                    new = moved(
                        parameter, gradient, self.state[parameter],
                        group["lr"], group["betas"], group["eps"], group["weight_decay"],
                    )
                    parameter.copy_(new)


# %% right (fifth): both means live in one stacked tensor, and one subtraction does decay and step
class AdamW(Optimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        todo = [(p, group) for group in self.param_groups for p in group["params"] if p.grad is not None]
        for p, group in todo:
            state = self.state[p]
            if "moments" not in state:
                state["moments"] = torch.stack([torch.zeros_like(p)] * 2)  # (2, ...)
                state["count"] = 0
            state["count"] += 1
            first, second = state["moments"].unbind(0)  # views
            beta_1, beta_2 = group["betas"]
            first += (1 - beta_1) * (p.grad - first)
            second += (1 - beta_2) * (p.grad.square() - second)
            direction = first.div(1 - beta_1 ** state["count"])
            direction /= second.div(1 - beta_2 ** state["count"]).sqrt_().add_(group["eps"])
            p.sub_(direction.add_(p, alpha=group["weight_decay"]), alpha=group["lr"])
