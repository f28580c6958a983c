from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

import distsearch
from distsearch import __version__
from distsearch.cli import _data
from distsearch.cli._errors import as_options, notes, tell
from distsearch.errors import BackendError, DataError, DistsearchWarning, ResourceError

ROOT = Path(distsearch.__file__).parents[1]
HEAVY = {"numpy", "pandas", "scipy", "sklearn", "ray", "joblib", "skops", "threadpoolctl"}


@pytest.mark.parametrize(
    "args",
    [["--help"], ["--version"], *([verb, "--help"] for verb in ("fit", "predict", "demo"))],
    ids=" ".join,
)
def test_help_loads_nothing_heavy(args: list[str]) -> None:
    program = (
        "import sys\n"
        "from distsearch.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit as end: assert not end.code\n"
        f"print('loaded:', *sorted({HEAVY!r} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *args], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1].split() == ["loaded:"]


def test_help_names_every_command(run: Callable[..., Any]) -> None:
    shown = run("--help").out
    assert all(f"  {verb} " in shown for verb in ("fit", "predict", "demo", "doctor", "data"))


def test_version(run: Callable[..., Any]) -> None:
    assert run("--version").out == f"distsearch {__version__}\n"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["fits"], "No such command 'fits'. Did you mean 'fit'?"),
        (["--nope"], "No such option"),
        (["fit"], "Missing argument 'DATA'"),
        (["fit", "iris", "--strategy", "itertive"], "'itertive' is not one of 'iterative'"),
        (["fit", "iris", "--param", "n_neighbors"], "must be name=value"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_command_is_one_line_and_code_2(
    run: Callable[..., Any], args: list[str], words: str
) -> None:
    result = run(*args)
    assert result.code == 2
    assert result.error.startswith("Error: ")
    assert words in result.error
    assert not result.out


def _caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (DataError("no\n  rows"), 2, "Error: no rows"),
        (ResourceError("too many"), 2, "Error: too many"),
        (BackendError("gone"), 1, "Error: gone"),
        (OSError(errno.ENOSPC, "No space left on device", "/x"), 1,
         "Error: /x: No space left on device."),
        (FileNotFoundError(errno.ENOENT, "No such file", "/y"), 2, "Error: /y: No such file."),
        (MemoryError(), 1, "Error: memory ran out."),
        (KeyboardInterrupt(), 130, "Interrupted: "),
        (_caused(DataError("full"), OSError(errno.ENOSPC, "No space")), 1, "Error: full"),
        (ZeroDivisionError("oh"), 1, "Error: unexpected ZeroDivisionError: oh"),
        (ValueError("ours"), 1, "Error: unexpected ValueError: ours"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)  # fmt: skip
def test_every_end_is_one_line_and_a_code(
    monkeypatch: pytest.MonkeyPatch,
    run: Callable[..., Any],
    error: BaseException,
    code: int,
    line: str,
) -> None:
    @click.command
    def ends() -> None:
        raise error

    monkeypatch.setattr(_data, "command", ends)
    result = run("data")
    assert (result.code, result.error[: len(line)]) == (code, line)


def test_traceback_on_request(monkeypatch: pytest.MonkeyPatch, run: Callable[..., Any]) -> None:
    @click.command
    def ends() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(_data, "command", ends)
    assert "Traceback" in run("--traceback", "data").err
    monkeypatch.setenv("DISTSEARCH_TRACEBACK", "1")
    assert "Traceback" in run("data").err


def test_what_scikit_learn_refuses_is_not_called_a_bug(capsys: pytest.CaptureFixture[str]) -> None:
    from sklearn.naive_bayes import GaussianNB

    with pytest.raises(ValueError, match="NaN") as caught:
        GaussianNB().fit([[1.0], [float("nan")]], [0, 1])
    assert tell(caught.value) == 2
    assert capsys.readouterr().err.startswith("Error: scikit-learn refused: ")


def test_a_warning_is_shown_once_and_only_if_it_is_for_users(
    capsys: pytest.CaptureFixture[str],
) -> None:
    import warnings

    with notes():
        for _ in range(2):
            warnings.warn("two\nlines", DistsearchWarning, stacklevel=1)
            warnings.warn("old", FutureWarning, stacklevel=1)
        warnings.warn("slow", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "Note: two lines\nNote: UserWarning: slow\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("set missing=['?']", "set --missing-value '?'"),
        ("set decimal=','", "set --decimal ','"),
        ("drop them with missing_target='drop'", "drop them with --missing-target drop"),
        ("n_neighbors=3", "n_neighbors=3"),
        ("set ignore=['a b', \"it's\"].", "--ignore 'a b' --ignore \"it's\"."),
        ("declare it categorical", "declare it with --categorical"),
    ],
)
def test_advice_is_given_in_options(text: str, shown: str) -> None:
    assert as_options(text) == shown


def test_data_list(run: Callable[..., Any]) -> None:
    from sklearn.datasets import load_wine

    lines = run("data", "list").out.splitlines()
    (wine,) = [line for line in lines if line.startswith("wine ")]
    rows, features = load_wine().data.shape
    assert wine.split()[-3:] == [str(rows), str(features), "3"]


def test_a_reader_that_goes_away_causes_no_traceback(start: Callable[..., Any]) -> None:
    process = start("data", "list")
    process.stdout.close()
    assert process.wait(60) == 141
    assert process.stderr.read() == ""


@pytest.mark.parametrize("args", [[], ["fit"], ["predict"]], ids=" ".join)
def test_examples_in_the_help_keep_their_lines(run: Callable[..., Any], args: list[str]) -> None:
    lines = [line.strip() for line in run(*args, "--help").out.splitlines()]
    assert any(line.startswith(("distsearch fit ", "distsearch predict ")) for line in lines)
    assert not any("\\b" in line for line in lines)


@pytest.mark.parametrize("args", [[], ["data"]], ids=" ".join)
def test_a_group_without_command_shows_its_help(run: Callable[..., Any], args: list[str]) -> None:
    result = run(*args)
    assert result.code == 2
    assert result.err.startswith("Usage: distsearch")
    assert len(result.err.splitlines()) > 5


def _shell(line: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    program = f"{sys.executable} -m distsearch.cli"
    return subprocess.run(
        ["/bin/sh", "-c", line.replace("distsearch", program)],
        capture_output=True, check=False, env={**os.environ, **variables},
    )  # fmt: skip


FIT = "distsearch fit iris --strategy mle --backend serial --quiet"


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("distsearch --help >/dev/full", 1, "Error: No space left"),
        ("distsearch data list >/dev/full", 1, "Error: No space left"),
        (f"{FIT} >&-", 0, "Note: labels"),
        ("mkdir gone; cd gone; rmdir ../gone; distsearch fit a --target b", 2, "has been deleted"),
    ],
    ids=["help", "list", "closed", "no folder"],
)
def test_places_that_take_no_output(tmp_path: Path, line: str, code: int, words: str) -> None:
    done = _shell(f"cd {tmp_path}; {line}", PYTHONPATH=str(ROOT))
    assert (done.returncode, len(done.stderr.splitlines())) == (code, 1)
    assert words in done.stderr.decode()


@pytest.mark.parametrize(("encoding", "sign"), [("utf-8", "λ"), ("latin-1", "lambda")])
def test_a_terminal_that_lacks_a_letter_gets_it_spelled(encoding: str, sign: str) -> None:
    done = _shell(FIT, PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert done.stdout.decode(encoding).count(f"  {sign}") == 1
