"""A study as one file that runs elsewhere: all that it needs, and nothing else of this machine."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from distsearch._wording import bytes_text, joined
from distsearch.errors import InvalidInputError
from distsearch.sweep._excludes import Exclude
from distsearch.sweep.spec import Spec

__all__ = ["Bundle", "make_bundle", "pack_package"]

LIMIT = 100 * 2**20
"""The most bytes that Ray's job server takes at a time."""

# With a dash it is no module, so that no trusted one can have the same name.
_FILES = "study-files"
_RELOCATED = "relocated.json"
_CHUNK = 2**20
_CODE = (".py", "py.typed", "schema.json")


@dataclass(frozen=True)
class Bundle:
    """What was packed, with places as they are in the folder that it is unpacked to.

    Parameters
    ----------
    path : Path
        The zip file.
    study : str
        The study file.
    relocated : str
        A JSON file: where the study's files are, by their paths as the study writes them.
    files : int
        How many files of the study it has besides.
    modules : tuple of str
        Trusted modules that it has.
    elsewhere : tuple of str
        Trusted modules that are no part of it, because they are installed.
    unmatched : tuple of str
        Patterns that excluded nothing.
    """

    path: Path
    study: str
    relocated: str
    files: int
    modules: tuple[str, ...]
    elsewhere: tuple[str, ...]
    unmatched: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.path.stat().st_size


def make_bundle(
    spec: Spec,
    path: str | os.PathLike[str],
    *,
    exclude: Sequence[str] = (),
    limit: int = LIMIT,
) -> Bundle:
    """Pack a study with its files, this package and the trusted modules of the current folder.

    Equal content makes equal bytes. What ``.gitignore`` and the like say is not looked at.

    Parameters
    ----------
    spec : Spec
        The study, as it was read from its file.
    path : path-like
        The zip file to write.
    exclude : sequence of str
        Patterns of files of the modules that are left out, by their paths as seen from the current
        folder; see `Exclude`.
    limit : int
        The most bytes that it may have.

    Returns
    -------
    Bundle

    Raises
    ------
    InvalidInputError
        When it would have more bytes than that, and for patterns that are none.
    """
    excludes = [Exclude(each) for each in exclude]
    places, moved = _places(spec)
    names = dict.fromkeys(each.partition(".")[0] for each in spec.trust)
    found = {name: _module_here(name) for name in names if name != "distsearch"}
    code = {target: source for files in found.values() for target, source in files.items()}
    kept = {
        target: source
        for target, source in code.items()
        if not any(each.matches(target) for each in excludes)
    }
    files = {target: source for source, target in places.items()} | kept | _package()
    texts = {_RELOCATED: json.dumps(moved, indent=1, sort_keys=True)}
    _write(Path(path), files, texts, limit)
    return Bundle(
        path=Path(path),
        study=places[spec.path],
        relocated=_RELOCATED,
        files=len(places) - 1,
        modules=tuple(name for name, files in found.items() if files),
        elsewhere=tuple(name for name, files in found.items() if not files),
        unmatched=tuple(each.text for each in excludes if not any(map(each.matches, code))),
    )


def pack_package(path: str | os.PathLike[str]) -> Path:
    """Pack this package alone; return the zip file.

    Parameters
    ----------
    path : path-like
        The zip file to write.
    """
    _write(Path(path), _package(), {}, LIMIT)
    return Path(path)


def _places(spec: Spec) -> tuple[dict[Path, str], dict[str, str]]:
    """Return where each file goes, and the same seen from the study file, by the paths in it.

    Each gets a folder of its own: names stay, because labels come from them, and paths such as
    ``../x`` or ``$DATA/x`` need no place in the bundle.
    """
    sources = dict.fromkeys((spec.path, *spec.written.values()))
    places = {source: f"{_FILES}/{number}/{source.name}" for number, source in enumerate(sources)}
    moved = {
        written: os.path.relpath(places[source], os.path.dirname(places[spec.path]))
        for written, source in spec.written.items()
    }
    return places, moved


def _package() -> dict[str, Path]:
    """Return the files of this package; a cluster need not have it installed."""
    folder = Path(__file__).parents[1]
    return {
        f"{folder.name}/{each.relative_to(folder).as_posix()}": each
        for each in _below(folder)
        if each.name.endswith(_CODE)
    }


def _module_here(name: str) -> dict[str, Path]:
    """Return the files of a module of the current folder; none if it is somewhere else."""
    try:
        found = importlib.util.find_spec(name)
    except ValueError:  # a module that was made, not found
        found = None
    if found is None or name == "distsearch":
        return {}
    folders = list(found.submodule_search_locations or ())
    here = Path.cwd()
    for place in map(Path, folders or [found.origin or ""]):
        if place.exists() and place.parent.resolve() == here:
            each = _below(place) if folders else [place]
            return {file.relative_to(place.parent).as_posix(): file for file in each}
    return {}


def _below(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder, followlinks=False):
        folders[:] = sorted(each for each in folders if _is_kept(each))
        yield from (Path(root, each) for each in sorted(files) if _is_kept(each))


def _is_kept(name: str) -> bool:
    return not name.startswith(".") and name != "__pycache__" and not name.endswith(".pyc")


def _write(path: Path, files: Mapping[str, Path], texts: Mapping[str, str], limit: int) -> None:
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(_entry(name), text)
        for name, source in sorted(files.items()):
            entry = _entry(name, source.stat().st_size)
            with source.open("rb") as file, archive.open(entry, "w") as target:
                while chunk := file.read(_CHUNK):
                    target.write(chunk)
                    _check_size(path, files, limit)
    _check_size(path, files, limit)


def _entry(name: str, size: int = 0) -> ZipInfo:
    # All have one time, so that the same content has the same bytes, which are not sent twice.
    entry = ZipInfo(name)
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    entry.file_size = size
    return entry


def _check_size(path: Path, files: Mapping[str, Path], limit: int) -> None:
    if path.stat().st_size <= limit:
        return
    sizes = sorted(((source.stat().st_size, source) for source in files.values()), reverse=True)
    largest = [f"{source} ({bytes_text(size)})" for size, source in sizes[:3]]
    raise InvalidInputError(
        f"The study and its files have more than {bytes_text(limit)} when they are compressed, the "
        f"most that a Ray job server takes. The largest are {joined(largest)}. Write data as "
        f".parquet, split the study into smaller ones, leave out files of modules (--exclude), or "
        f"put study and data where every node of the cluster finds them and submit 'distsearch "
        f"sweep' with 'ray job submit'."
    )
