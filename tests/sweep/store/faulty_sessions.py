"""Sessions with a store in which one system call fails; run with the shim of faults.c loaded.

Forks for each session, which is much cheaper than a new interpreter for each. Prints one JSON
object a session.
"""

import ctypes
import json
import os
import shutil
import signal
import sys
import time
import traceback

from sweep.store.examples import RUN, make_result, make_study, rows

from distsearch.errors import StoreError
from distsearch.sweep.store import Store

MODES = {"once": 0, "from then on": 1, "kill": 2, "no shared memory": 3}
SHIM = ctypes.CDLL(None)
STUDY = make_study(6)


def session(path, report):
    """Drive the study to its end, and report each unit once it is recorded."""
    with Store.drive(path, study=STUDY, run=RUN) as store:
        there = store.finished().keys() | store.failed()
        report(f"there {json.dumps(sorted(there))}\n")
        for number, unit in enumerate(STUDY.units):
            if unit.hash not in there:
                store.record(make_result(number))
                report(f"recorded {unit.hash}\n")
        report(f"journal {store._connection.execute('PRAGMA journal_mode').fetchone()[0]}\n")


def in_child(work):
    """Run work(report) in a fork; return what it reported and its exit status."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 3
        try:
            os.close(reading)
            work(lambda line: os.write(writing, line.encode()))
            status = 0
        except StoreError as error:
            os.write(writing, f"error {json.dumps(str(error))}\n".encode())
            status = 1
        except BaseException:
            os.write(writing, f"crash {json.dumps(traceback.format_exc())}\n".encode())
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        lines = [line.rstrip("\n").partition(" ")[::2] for line in pipe]
    return lines, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def of(lines, key):
    return [value for name, value in lines if name == key]


def faulty(folder, mode, errno, n):
    """A session with a fault, a look at what it left, and a session without one."""
    path = os.path.join(folder, "store.db")

    def work(report):
        SHIM.faults_arm(folder.encode(), n, errno, MODES[mode])
        try:
            session(path, report)
        finally:
            seen = SHIM.faults_seen()
            SHIM.faults_arm(b"", 0, 0, 0)
            report(f"seen {seen}\n")
            report(f"left {json.dumps(sorted(os.listdir(folder)))}\n")

    lines, status = in_child(work)
    recorded = of(lines, "recorded")

    again, again_status = in_child(lambda report: session(path, report))
    return {
        "n": n,
        "status": status,
        "seen": int((of(lines, "seen") or [-1])[0]),
        "error": json.loads((of(lines, "error") or ["null"])[0]),
        "crash": (of(lines, "crash") or [None])[0],
        "journal": (of(lines, "journal") or [None])[0],
        "left": json.loads((of(lines, "left") or ["null"])[0]),
        "recorded": len(recorded),
        "lost": sorted(set(recorded) - set(json.loads((of(again, "there") or ["[]"])[0]))),
        "status after": again_status,
        "error after": of(again, "error") + of(again, "crash"),
        "rows": rows(path),
        "check": rows(path, "PRAGMA integrity_check"),
        "files": sorted(os.listdir(folder)),
    }


def main(folder, mode, errno, step):
    """Let call after call fail, until a session makes fewer calls than that."""
    n, killed = 1, 0
    while True:
        place = os.path.join(folder, f"{n}")
        os.mkdir(place)
        found = faulty(place, mode, errno, n)
        shutil.rmtree(place)
        print(json.dumps(found), flush=True)
        killed = killed + 1 if found["status"] == -signal.SIGKILL else 0
        if mode == "no shared memory" or (not killed and 0 <= found["seen"] < n):
            return
        n += step


if __name__ == "__main__":
    started = time.monotonic()
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    print(f"{time.monotonic() - started:.1f} s", file=sys.stderr)
