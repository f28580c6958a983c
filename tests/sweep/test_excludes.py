from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from distsearch.errors import InvalidInputError
from distsearch.sweep._excludes import Exclude

PATHS = [
    "own.py", "own.csv", "pkg/__init__.py", "pkg/own.py", "pkg/data/a.csv",
    "pkg/data/deep/b.csv", "pkg/data.py", "pkg/data/a.csv.py", "pkg/[x].txt", "pkg/x.txt",
    "pkg/sub/own.py", "pkg/sub/data/c", "pkgs/data/a.csv", "pkg/.cache/a", "pkg/a b+c.txt",
    "pkg/-.txt", "pkg/].txt", "data/b.csv", "a.b/c",
]  # fmt: skip


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git to compare with")
@pytest.mark.parametrize(
    "pattern",
    [
        "*.csv", "own.py", "/own.py", "data", "data/", "/data/", "pkg/data", "pkg/data/", "pkg/*",
        "pkg/**", "**/data", "**/data/", "pkg/**/own.py", "pkg/**/*.csv", "pkg/*/own.py",
        "p?g/own.*", "*", "[x].txt", "pkg/[a-x].txt", "pkg/[!x].txt", "pkg/[]].txt",
        "pkg/[!]].txt", "[^x].txt", "a.b", "a?b", "*b+c*", "pkg/data/*.csv", "**/deep/*",
        "pkg/sub", "nothing", "*/data/*",
    ],
)  # fmt: skip
def test_patterns_mean_what_they_do_in_a_gitignore(pattern: str, tmp_path: Path) -> None:
    for path in PATHS:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / ".gitignore").write_text(f"{pattern}\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    found = subprocess.run(
        ["git", "-c", "core.quotePath=false", "check-ignore", "--stdin"], cwd=tmp_path,
        input="\n".join(PATHS), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.stderr == ""
    exclude = Exclude(pattern)
    assert [path for path in PATHS if exclude.matches(path)] == found.stdout.splitlines()


@pytest.mark.parametrize("pattern", ["", "/", "!own.py", "[z-a]"])
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(InvalidInputError, match=r"^--exclude must be a name such as"):
        Exclude(pattern)
