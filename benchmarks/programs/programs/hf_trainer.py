"""A small BERT, not pretrained, fine-tuned with the Trainer of Hugging Face transformers."""

import sys

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed
from transformers.trainer_callback import PrinterCallback

steps = int(sys.argv[1])
set_seed(0)


class Sentences(Dataset):
    def __init__(self, num):
        self.tokens = torch.randint(5, 500, (num, 24))
        self.labels = (self.tokens.float().mean(dim=1) > 252).long()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return {"input_ids": self.tokens[index], "labels": self.labels[index]}


config = BertConfig(
    vocab_size=500, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, num_labels=2
)
model = BertForSequenceClassification(config)
arguments = TrainingArguments(
    output_dir="out", max_steps=steps, per_device_train_batch_size=8, learning_rate=5e-4, warmup_steps=20,
    logging_steps=100, save_strategy="no", report_to="none", disable_tqdm=True, use_cpu=True, seed=0,
)  # fmt: skip
trainer = Trainer(model=model, args=arguments, train_dataset=Sentences(2000))
trainer.remove_callback(PrinterCallback)  # it prints how long the run took
trainer.train()

for entry in trainer.state.log_history[:-1]:
    print(f"step {entry['step']}: loss {entry['loss']:.4f}")
print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
