# %% right: with repeat
class VisionTransformer(VisionTransformer):
    def forward(self, images):
        b = images.shape[0]
        x = split_into_patches(images, self.patch_size) @ self.projection.weight.T + self.projection.bias
        x = torch.cat((self.cls.repeat(b, 1, 1), x), 1)
        x = x + self.positions(x.shape[1]).unsqueeze(0)
        return self.head(self.encoder(x).select(1, 0))


# %% right: into an empty tensor
class VisionTransformer(VisionTransformer):
    def forward(self, images):
        patches = split_into_patches(images, self.patch_size)
        b, n, _ = patches.shape
        places = self.positions(n + 1)
        first = (self.cls + places[0])[None, None].expand(b, 1, -1)
        rest = self.projection(patches) + places[1:]
        return self.head(self.encoder(torch.cat([first, rest], dim=-2)))[:, 0]


# %% right: image by image
class VisionTransformer(VisionTransformer):
    def forward(self, images):
        rows = []
        for image in images:
            words = [self.cls, *self.projection(split_into_patches(image[None], self.patch_size)[0])]
            sequence = torch.stack(words) + self.positions(len(words))
            rows.append(self.head(self.encoder(sequence[None])[0, 0]))
        return torch.stack(rows)


# %% right: with convolution
class VisionTransformer(VisionTransformer):
    def forward(self, images):
        p = self.patch_size
        kernel = self.projection.weight.view(-1, images.size(1), p, p)
        patches = torch.nn.functional.conv2d(images, kernel, self.projection.bias, stride=p)
        x = torch.cat([self.cls.view(1, 1, -1).expand(len(images), -1, -1), patches.flatten(2).mT], dim=1)
        return self.head(self.encoder(x + self.positions(x.size(1)))[:, 0])


# %% trivial: zeros
class VisionTransformer(VisionTransformer):
    def forward(self, images):
        return torch.zeros(len(images), self.head.out_features)


# %% trivial: itself
class VisionTransformer(VisionTransformer):
    def forward(self, images):
        return images


# %% trivial: noise
class VisionTransformer(VisionTransformer):
    def forward(self, images):
        return torch.randn(len(images), self.head.out_features)
