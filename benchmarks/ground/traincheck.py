"""TrainCheck's workloads (OrderLab/TrainCheck-Evaluation-Workloads) that run on a CPU, and why the others do not.

Published is that TrainCheck detects each of these bugs, after learning from runs of correct programs.
"""

from benchmarks.ground.workload import Workload

BUGS = "silent-issue-detection/bug-reprod-scripts/"
CLEAN = "fp_rate/workloads/"

_SMALLER = [
    (r"from_pretrained\(", "from_name("),  # its weights would be downloaded
    (r"\(224, 224\)", "(32, 32)"),
    (r"np\.Inf", "np.inf"),
    (r"num_workers=1", "num_workers=0"),
    (r"(?m)^    (10|2),$", "    3,"),
    (r"batch_size = 64", "batch_size = 16"),
    (r"batch_size=1,", "batch_size=64,"),
]
_ON_CPU = [(r"\.cuda\(\)", ""), (r"device='cuda'", "device='cpu'"), (r'"num_epoch": 10', '"num_epoch": 4')]
_TWO_RANKS_ON_CPU = [
    (r"    torch\.cuda\.set_device\(rank\)\n", ""),
    (r'backend="nccl"', 'backend="gloo"'),
    (r"\.to\((self\.)?gpu_id\)", ""),
    (r", device_ids=\[gpu_id\]", ""),
    (r"torch\.cuda\.device_count\(\)", "2"),
]
_MOVED_ON_CPU = [  # to double precision and back, in place of to the CPU and back: the wrapper loses its hooks, too
    (r"\.to\(rank\)", ""),
    (r", device_ids=\[rank\]", ""),
    (r"ddp_model\.cpu\(\)", "ddp_model.double()"),
    (r"ddp_model\.cuda\(rank\)", "ddp_model.float()"),
    (r"torch\.cuda\.device_count\(\)", "2"),
]
_HALF_PRECISION_ON_CPU = [
    (r"torch\.cuda\.(empty_cache|reset_max_memory_allocated|synchronize)\(\)", "pass"),
    (r"torch\.cuda\.max_memory_allocated\(\)", "0"),
    (r"\.cuda\(\)", ""),
    (r"torch\.cuda\.amp\.GradScaler\(", 'torch.amp.GradScaler("cpu", '),
    (r"= 4096", "= 128"),
]


def _bug(name: str, file: str, edits: list[tuple[str, str]], kind: str = "bug") -> Workload:
    return Workload(f"{name}/{file}", BUGS + name, file, [(file, *edit) for edit in edits], kind)


def _clean(name: str, command: str = "main.py", edits: list[tuple[str, str]] = [], **more: object) -> Workload:  # noqa: B006
    file = command.split()[0]
    return Workload(name, CLEAN + name, command, [(file, *edit) for edit in edits], **more)  # type: ignore[arg-type]


# fmt: off
WORKLOADS = [
    _bug("pytorch-forum-84911", "bug.py", _SMALLER),
    _bug("pytorch-forum-84911", "fixed.py", _SMALLER, "fixed"),
    _bug("stackoverflow-60335387", "bug.py", _ON_CPU),
    _bug("stackoverflow-60335387", "fixed.py", _ON_CPU, "fixed"),
    _bug("pytorch-51800", "mnist_51800_buggy.py", []),
    _bug("pytorch-51800", "mnist_51800_correct.py", [], "fixed"),
    _bug("pytorch-115607", "complex_buggy.py", [(r", save_config=False", "")]),
    _bug("pytorch-104336", "bug.py", _MOVED_ON_CPU),
    _clean("autocast", edits=_HALF_PRECISION_ON_CPU),
    _clean("dcgan", "main.py --dataset mnist --dataroot mnist --workers 0 --niter 3 --batchSize 16 --ngf 16 --ndf 16"),
    _clean("ddp-multigpu", "multigpu.py --batch_size 8 8 4", _TWO_RANKS_ON_CPU),
    _clean("gat", "main.py --epochs 120 --lr 0.005 --l2 5e-4 --dropout-p 0.6 --num-heads 8 --hidden-dim 64 --val-every 20"),
    _clean("gcn", "main.py --epochs 200 --lr 0.01 --l2 5e-4 --dropout-p 0.5 --hidden-dim 16 --val-every 20"),
    _clean("mnist", "main.py --epochs 3 --batch-size 16"),
    _clean("mnist-forward-forward"),
    _clean("mnist-hogwild", "main.py --epochs 3 --batch-size 16 --num-processes 0"),
    _clean("mnist-rnn", "main.py --epochs 3 --batch-size 16"),
    _clean("regression"),
    _clean("reinforce-actor-critic", "actor_critic.py", steps=150),
    _clean("reinforce-reinforce", "reinforce.py", steps=150),
    _clean("resnet18", "main.py --dummy --epochs 1 --batch-size 8", [(r"224, 224", "64, 64"), (r"1281167", "960"), (r"50000", "160")]),
    _clean("siamese-network", "main.py --epochs 3 --batch-size 16"),
    _clean("time-sequence-prediction", "train.py --steps 6", [(r"torch\.load\('traindata\.pt'", "torch.load('traindata.pt', weights_only=False")], before="generate_sine_wave.py"),
    _clean("vae", "main.py --epochs 4 --batch-size 16"),
    _clean("word-language-model-lstm", "main.py --epochs 2 --tied", [(r"torch\.load\(f\)", "torch.load(f, weights_only=False)")], copies=[("data/wikitext-2/valid.txt", "data/wikitext-2/train.txt")]),
    _clean("word-language-model-transformer", "main.py --epochs 2 --model Transformer --lr 5", copies=[("data/wikitext-2/valid.txt", "data/wikitext-2/train.txt")]),
]
# fmt: on

NOT_RUN = {
    "baichuan2-86": "faulty transfers between GPUs",
    "deepspeed-1801": "two GPUs, DeepSpeed 0.6.2, apex",
    "deepspeed-5794": "GPUs, DeepSpeed 0.15; it hangs while serving a model",
    "lightning-thunder-725": "a GPU; a function is compiled, nothing trained",
    "mmpretrain-702": "torch 1.8 and mmclassification 0.20",
    "pytorch-84803": "faulty transfers between GPUs, by injection into the training of a downloaded model",
    "pytorch-96600": "faulty transfers between GPUs",
    "stackoverflow-67180955": "torch 1.8: since 1.9 the workers of a DataLoader seed numpy",
    "transformers-17877": "transformers 4.20; a model is built, nothing trained",
    "transformers-23723": "an old transformers; a downloaded model generates text, nothing trained",
    "transformers-33844": "a GPU with flash attention; a downloaded model in eval mode, nothing trained",
    "transformers-34204": "an old transformers; inputs are tokenized, nothing trained",
    "x-jxmnop-ddp-out-of-sync": "GPUs and downloads (BERT, GLUE)",
}
