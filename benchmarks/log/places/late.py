"""An SFTP server on a port of this machine that hands on each message late: the network, or the disk, is slow.

python -m benchmarks.log.places.late FILE DELAY SERVER...        # writes its port to the file
"""

import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import SimpleQueue


def serve(file: Path, delay: float, server: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        file.write_text(str(door.getsockname()[1]), encoding="ascii")
        while True:
            caller, _ = door.accept()
            threading.Thread(target=_hand_on, args=(caller, delay, server), daemon=True).start()


def _hand_on(caller: socket.socket, delay: float, server: str) -> None:
    with caller, subprocess.Popen([server], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        stdin, stdout = process.stdin, process.stdout
        waiting: SimpleQueue[tuple[float, bytes]] = SimpleQueue()

        def deliver() -> None:
            while (data := waiting.get())[1]:
                time.sleep(max(0.0, data[0] + delay - time.monotonic()))
                stdin.write(data[1])
                stdin.flush()
            stdin.close()

        def answer() -> None:
            while data := stdout.read1(65536):  # type: ignore[attr-defined]
                caller.sendall(data)

        threads = [threading.Thread(target=work, daemon=True) for work in (deliver, answer)]
        for thread in threads:
            thread.start()
        while data := caller.recv(65536):
            waiting.put((time.monotonic(), data))
        waiting.put((0.0, b""))
        threads[0].join()


if __name__ == "__main__":
    place, given, *servers = sys.argv[1:]
    serve(Path(place), float(given), next(one for one in servers if Path(one).exists()))
