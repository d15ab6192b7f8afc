"""Image sets of torchvision's form: a pattern for each class; each image is one, moved a little, with noise."""

import os
from collections.abc import Callable
from typing import Any

import numpy
import torch
from PIL import Image

NAMES = ("MNIST", "FashionMNIST", "KMNIST", "EMNIST", "CIFAR10", "CIFAR100", "SVHN", "STL10")
TRAINING = int(os.environ.get("GROUND_IMAGES", "640"))
TEST = TRAINING // 6


class Images(torch.utils.data.Dataset[tuple[Any, Any]]):
    size, channels, num_classes = 28, 1, 10

    def __init__(
        self,
        root: object = None,
        train: bool = True,
        transform: Callable[[Any], Any] | None = None,
        target_transform: Callable[[Any], Any] | None = None,
        download: bool = False,
        split: str | None = None,
    ) -> None:
        self.root, self.train = root, train if split is None else split in ("train", "letters", "balanced", "unlabeled")
        self.transform, self.target_transform = transform, target_transform
        self.classes = [str(number) for number in range(self.num_classes)]
        count = TRAINING if self.train else TEST
        random = numpy.random.default_rng(1 if self.train else 2)
        labels = random.permutation(numpy.arange(count) % self.num_classes)
        self._take(self._draw(random, labels), labels)

    def _draw(self, random: numpy.random.Generator, labels: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
        shape = (self.num_classes, 7, 7, self.channels)
        coarse = (numpy.random.default_rng(0).random(shape) > 0.8) * 200.0  # about as bright as the real digits
        patterns = coarse.repeat(self.size // 7, 1).repeat(self.size // 7, 2)
        patterns = numpy.pad(patterns, ((0, 0), *[(0, self.size - patterns.shape[1])] * 2, (0, 0)))
        moved = numpy.stack([numpy.roll(patterns[label], random.integers(-2, 3, 2), (0, 1)) for label in labels])
        noise = random.normal(0, 20, moved.shape)
        if self.channels == 1:  # the background of a digit is black
            noise *= moved > 0
        return (moved + noise).clip(0, 255).astype(numpy.uint8)

    def _take(self, images: numpy.ndarray[Any, Any], labels: numpy.ndarray[Any, Any]) -> None:
        self.data, self.targets = torch.from_numpy(images[..., 0]), torch.from_numpy(labels)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        index %= len(self)  # some take subsets by the size of the real set
        image, target = Image.fromarray(numpy.asarray(self.data[index])), int(self.targets[index])
        return (
            image if self.transform is None else self.transform(image),
            target if self.target_transform is None else self.target_transform(target),
        )


class Coloured(Images):
    size, channels = 32, 3

    def _take(self, images: numpy.ndarray[Any, Any], labels: numpy.ndarray[Any, Any]) -> None:
        self.data, self.targets = images, labels.tolist()


class MNIST(Images): ...


class FashionMNIST(Images): ...


class KMNIST(Images): ...


class EMNIST(Images): ...


class CIFAR10(Coloured): ...


class SVHN(Coloured): ...


class STL10(Coloured): ...


class CIFAR100(Coloured):
    num_classes = 100
