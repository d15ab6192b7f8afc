"""Gives a citation graph of Cora's form, whatever is asked for: papers of a class cite each other and share words."""

import io
import tarfile

import numpy

PAPERS, WORDS, CLASSES = 1700, 140, 7


class Response:
    def __init__(self) -> None:
        self.raw = io.BytesIO()
        with tarfile.open(fileobj=self.raw, mode="w:gz") as archive:
            for name, text in zip(("cora/cora.content", "cora/cora.cites"), graph(), strict=True):
                entry = tarfile.TarInfo(name)
                entry.size = len(text)
                archive.addfile(entry, io.BytesIO(text))
        self.raw.seek(0)

    def __enter__(self) -> "Response":
        return self

    def __exit__(self, *_: object) -> None: ...


def graph() -> tuple[bytes, bytes]:
    random = numpy.random.default_rng(0)
    classes = random.integers(0, CLASSES, PAPERS)
    own = numpy.arange(WORDS) % CLASSES == classes[:, None]
    words = (random.random((PAPERS, WORDS)) < numpy.where(own, 0.2, 0.03)).astype(int)
    content = (f"{paper} {' '.join(map(str, words[paper]))} class_{classes[paper]}" for paper in range(PAPERS))
    cites = (
        f"{paper} {other}"
        for paper in range(PAPERS)
        for other in random.choice(numpy.flatnonzero(classes == classes[paper]), 3, replace=False)
        if other != paper
    )
    return "\n".join(content).encode(), "\n".join(cites).encode()


def get(address: str, **_: object) -> Response:
    return Response()
