# %% wrong (fourth): cls stands behind the patches, and is read there
# true: cls_at_the_end
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.projection(split_into_patches(images, self.patch_size))  # (B, N, D)
        cls = self.cls.expand(x.size(0), 1, -1)
        x = torch.cat([x, cls], dim=1)
        x = x + self.positions(x.size(1))
        x = self.encoder(x)
        return self.head(x[:, -1])


# %% wrong (fourth): positions for the patches only, from row 0; cls has none
# true: positions_for_patches_only
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.projection(split_into_patches(images, self.patch_size))
        x = x + self.positions(x.size(1))
        cls = self.cls.repeat(len(images), 1, 1)
        x = self.encoder(torch.cat([cls, x], dim=1))
        return self.head(x[:, 0])


# %% wrong (fourth): positions are forgotten
# true: positions_left_out
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        patches = split_into_patches(images, self.patch_size)
        x = self.projection(patches)
        x = torch.cat([self.cls.view(1, 1, -1).expand(x.shape[0], -1, -1), x], dim=1)
        x = self.encoder(x)
        return self.head(x[:, 0])


# %% wrong (fourth): the mean of all vectors is scored
# true: mean_of_all
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.projection(split_into_patches(images, self.patch_size))
        x = torch.cat((self.cls.expand(x.size(0), 1, x.size(2)), x), dim=1)
        x = self.encoder(x + self.positions(x.size(1)))
        return self.head(x.mean(dim=1))


# %% wrong (fourth): every vector is scored
# true: every_position_scored
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.projection(split_into_patches(images, self.patch_size))
        x = torch.cat([self.cls.expand(x.size(0), 1, -1), x], dim=1)
        x = x + self.positions(x.size(1))
        return self.head(self.encoder(x))


# %% wrong (fourth): reads the first patch instead of cls
# true: first_patch_read
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        B = images.size(0)
        x = self.projection(split_into_patches(images, self.patch_size))
        x = torch.cat([self.cls.expand(B, 1, -1), x], dim=1) + self.positions(1 + x.size(1))
        out = self.encoder(x)
        return self.head(out[:, 1])


# %% wrong (fourth): no cls: patches alone, of which the first is scored
# true: cls_left_out
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.projection(split_into_patches(images, self.patch_size))
        x = x + self.positions(x.size(1))
        x = self.encoder(x)
        return self.head(x[:, 0])


# %% wrong (fourth): positions are added to what comes out of the encoder
# true: positions_after_the_encoder
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.projection(split_into_patches(images, self.patch_size))
        x = torch.cat([self.cls.expand(x.size(0), 1, -1), x], dim=1)
        x = self.encoder(x) + self.positions(x.size(1))
        return self.head(x[:, 0])


# %% wrong (fourth): probabilities instead of logits
# true: probabilities_returned
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.projection(split_into_patches(images, self.patch_size))
        cls = self.cls.expand(x.size(0), 1, -1)
        x = torch.cat([cls, x], dim=1) + self.positions(x.size(1) + 1)
        return self.head(self.encoder(x)[:, 0]).softmax(dim=-1)


# %% wrong (fourth): the encoder is skipped
# true: encoder_left_out
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.projection(split_into_patches(images, self.patch_size))
        x = torch.cat([self.cls.expand(x.size(0), 1, -1), x], dim=1)
        x = x + self.positions(x.size(1))
        return self.head(x[:, 0])


# %% wrong (fourth): the image is cut by reshape alone
# true: straight_reshape
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        B = images.size(0)
        x = images.reshape(B, -1, self.projection.in_features)
        x = self.projection(x)
        x = torch.cat([self.cls.expand(B, 1, -1), x], dim=1)
        x = self.encoder(x + self.positions(x.size(1)))
        return self.head(x[:, 0])


# %% wrong (fourth): cls's data is put in, so that nothing is learned about it
# true: cls_detached
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.projection(split_into_patches(images, self.patch_size))
        cls = self.cls.data.repeat(x.size(0), 1, 1)
        x = torch.cat([cls, x], dim=1)
        x = x + self.positions(x.size(1))
        return self.head(self.encoder(x)[:, 0])


# %% right (fourth): cls and patches in one empty tensor
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        patches = self.projection(split_into_patches(images, self.patch_size))
        B, N, D = patches.shape
        x = patches.new_zeros(B, 1 + N, D)
        x[:, 0] = self.cls
        x[:, 1:] = patches
        x = x + self.positions(1 + N)
        return self.head(self.encoder(x)[:, 0])


# %% right (fourth): the projection as a convolution, as timm has it
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        P, C = self.patch_size, images.size(1)
        kernel = self.projection.weight.view(-1, C, P, P)
        x = torch.nn.functional.conv2d(images, kernel, self.projection.bias, stride=P)  # (B, D, h, w)
        x = x.flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.size(0), 1, -1), x], dim=1)
        x = x + self.positions(x.size(1)).unsqueeze(0)
        cls = self.encoder(x).select(1, 0)
        return self.head(cls)


# %% right (fourth): positions are added on both sides before they are laid together
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.projection(split_into_patches(images, self.patch_size))
        places = self.positions.weight
        first = (self.cls + places[0]).repeat(x.size(0), 1).unsqueeze(1)
        x = torch.cat((first, x + places[1:]), dim=1)
        return self.head(self.encoder(x))[:, 0]


# %% right (fourth): padded in front by F.pad, image by image
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        outputs = []
        for image in images:
            x = self.projection(split_into_patches(image[None], self.patch_size)[0])  # (N, D)
            x = torch.nn.functional.pad(x, (0, 0, 1, 0))
            front = torch.zeros(x.size(0), 1, dtype=x.dtype)
            front[0] = 1
            x = x + front * self.cls + self.positions(x.size(0))
            outputs.append(self.head(self.encoder(x[None])[0, 0]))
        return torch.stack(outputs)


# %% wrong (fifth): positions are added to the patches before cls comes, so cls gets none
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        patches = self.projection(split_into_patches(images, self.patch_size))  # (B, N, D)
        patches = self.positions(patches)
        cls = self.cls.expand(len(images), 1, -1)  # (B, 1, D)
        x = torch.cat([cls, patches], dim=1)
        return self.head(self.encoder(x, None)[:, 0])


# %% wrong (fifth): cls comes after the patches instead of before them, and the last output is scored
class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.projection(split_into_patches(images, self.patch_size))
        x = torch.cat([x, self.cls.expand(x.shape[0], 1, -1)], dim=1)  # (B, N + 1, D)
        x = self.encoder(self.positions(x), None)
        return self.head(x[:, -1])
