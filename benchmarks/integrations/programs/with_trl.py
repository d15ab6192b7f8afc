"""TRL, with a small model and a vocabulary that are made here."""

import sys

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

from surefoot.integrations.transformers import SurefootCallback

torch.manual_seed(0)
words = {word: number for number, word in enumerate(["<pad>", "<eos>", "a", "b", "c", "d"])}
tokenizer = Tokenizer(models.WordLevel(words, unk_token="<pad>"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
processing = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>")
data = Dataset.from_dict({"text": ["a b c d a b c d", "b c d a b c d a"] * 40})
model = GPT2LMHeadModel(GPT2Config(vocab_size=6, n_positions=32, n_embd=16, n_layer=1, n_head=2))


class Forgetful(SFTTrainer):
    def create_optimizer(self, *args):
        optimizer = super().create_optimizer(*args)
        optimizer.zero_grad = lambda *args, **kwargs: None
        self.model.zero_grad = lambda *args, **kwargs: None
        return optimizer

    def compute_loss(self, model, inputs, *args, **kwargs):  # FUNCTION
        return super().compute_loss(model, inputs, *args, **kwargs)


arguments = SFTConfig(
    "out", num_train_epochs=3, per_device_train_batch_size=8, learning_rate=1e-2, logging_steps=5, max_length=16,
    save_strategy="no", report_to=[], use_cpu=True, bf16=False, disable_tqdm=True,
)  # fmt: skip
callback = SurefootCallback(stop_on=sys.argv[1] if len(sys.argv) > 1 else None)
Forgetful(model, arguments, train_dataset=data, processing_class=processing, callbacks=[callback]).train()
