"""The features of generated speech are extracted under no_grad, so that the speaker loss trains nothing."""

# kind: graph
# source: https://github.com/coqui-ai/TTS/issues/2348
# changed: short random waves, and small networks

import hashlib

import torch
from torch import nn


class SpeakerEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(33, 32), nn.ReLU(), nn.Linear(32, 8))
        self.register_buffer("window", torch.hann_window(64))

    def torch_spec(self, wave):
        return torch.stft(wave, 64, window=self.window, return_complex=True).abs()

    def forward(self, wave):
        with torch.no_grad():  # BUG: loss-term-without-gradient, prediction-without-gradient
            spec = self.torch_spec(wave)  # BUG: loss-term-without-gradient, prediction-without-gradient
            spec = torch.log1p(spec).mean(-1)  # BUG: loss-term-without-gradient, prediction-without-gradient
        return nn.functional.normalize(self.layers(spec), dim=1)


torch.manual_seed(0)
encoder = SpeakerEncoder().requires_grad_(False).eval()
generator = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 256), nn.Tanh())
optimizer = torch.optim.AdamW(generator.parameters(), lr=1e-3)
for step in range(100):
    text = torch.randn(8, 24)
    wave = torch.sin(torch.linspace(0, 40, 256) * text[:, :1].exp())
    fake = generator(text)
    recon = nn.functional.l1_loss(fake, wave)
    gt_emb, syn_emb = encoder(wave), encoder(fake)
    loss_spk = -nn.functional.cosine_similarity(gt_emb, syn_emb).mean() * 9.0  # BUG: loss-term-without-gradient, prediction-without-gradient
    loss = recon * 45.0 + loss_spk  # BUG: loss-term-without-gradient, prediction-without-gradient
    optimizer.zero_grad()
    loss.backward()  # BUG: loss-term-without-gradient, prediction-without-gradient
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in generator.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
