from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from distsearch._file_systems import file_system, is_network

MOUNTS = r"""
overlay / overlay rw 0 0
/dev/sda1 /data ext4 rw 0 0
server:/x /data/shared nfs4 rw 0 0
server:/y /with\040blank cifs rw 0 0
s3 /bucket fuse.s3fs rw 0 0
tmpfs /data/shared/hidden tmpfs rw 0 0
server:/z /data/shared/hidden nfs rw 0 0
""".lstrip()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", "overlay"), ("/home/x", "overlay"), ("/data", "ext4"), ("/data/x", "ext4"),
        ("/datax", "overlay"), ("/data/shared/a/b", "nfs4"), ("/with blank/x", "cifs"),
        ("/bucket", "fuse.s3fs"), ("/data/shared/hidden/x", "nfs"),
    ],
)  # fmt: skip
def test_the_innermost_and_last_mount_counts(path: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "mounts").write_text(MOUNTS)
    assert file_system(path, str(tmp_path / "mounts")) == expected


def test_it_is_not_known_everywhere(tmp_path: Path) -> None:
    assert file_system("/", str(tmp_path / "none")) == ""


@pytest.mark.skipif(shutil.which("findmnt") is None, reason="needs findmnt to compare with")
@pytest.mark.parametrize("path", ["/dev/shm", "/proc", "/", os.path.dirname(__file__)])
def test_it_is_what_the_system_says(path: str) -> None:
    command = ["findmnt", "--noheadings", "--output", "FSTYPE", "--target", path]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert file_system(os.path.realpath(path)) == found.split()[-1]


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "fuse", "fuse.sshfs", "ceph"])
def test_network_file_systems(kind: str) -> None:
    assert is_network(kind)


@pytest.mark.parametrize("kind", ["ext4", "xfs", "tmpfs", "fuseblk", "fuse.fuse-overlayfs", ""])
def test_local_ones(kind: str) -> None:
    assert not is_network(kind)
