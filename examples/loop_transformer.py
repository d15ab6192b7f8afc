"""A character transformer on texts of ragged length: every token counts the same, whatever batch it is in.

The loss of a batch is a mean over its tokens that are no padding. In a window of several batches the loop weights each
by its number of tokens, which it reads off the loss.
"""

import argparse

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

import surefoot as sf

PADDING = -100


def sentences() -> list[str]:
    """The Zen of Python: real text that every Python has."""
    import codecs
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()):
        import this
    return [line for line in codecs.decode(this.s, "rot13").splitlines() if line]


class Characters(nn.Module):
    def __init__(self, num_characters: int, width: int = 64, length: int = 80) -> None:
        super().__init__()
        self.embed = nn.Embedding(num_characters, width)
        self.place = nn.Parameter(torch.randn(length, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.1, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, num_characters)

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length)
        return self.head(self.blocks(self.embed(tokens) + self.place[:length], mask=mask, is_causal=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=40)
    options = parser.parse_args()
    torch.manual_seed(0)
    lines = sentences()
    alphabet = sorted(set("".join(lines)) | {"\n"})
    index = {character: i for i, character in enumerate(alphabet)}

    def collate(batch: list[str]) -> tuple[Tensor, Tensor]:
        coded = [torch.tensor([index[c] for c in f"\n{line}\n"]) for line in batch]
        inputs = nn.utils.rnn.pad_sequence([code[:-1] for code in coded], batch_first=True)
        targets = nn.utils.rnn.pad_sequence([code[1:] for code in coded], batch_first=True, padding_value=PADDING)
        return inputs, targets

    loader = DataLoader(lines, batch_size=4, shuffle=True, collate_fn=collate)
    model = Characters(len(alphabet))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    with sf.Loop(model, optimizer, accumulate=3, clip_norm=1.0, precision="bf16") as loop:
        for inputs, targets in loop.batches(loader, epochs=options.epochs):
            with loop.step() as step:
                step.backward(cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), ignore_index=PADDING))
        losses = loop.history["loss"]
        print(f"{loop.num_updates} updates, loss per character {losses[0]:.2f} to {losses[-1]:.2f}")


if __name__ == "__main__":
    main()
