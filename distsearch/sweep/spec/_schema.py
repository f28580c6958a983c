"""The schema of study files, and what breaks it in sentences of our own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from datetime import date, time
from functools import cache
from importlib.resources import files
from typing import Any

from distsearch._wording import did_you_mean, quoted
from distsearch.sweep.spec._lines import KeyPath
from distsearch.sweep.spec._problems import Problems

__all__ = ["check_shape", "label_pattern", "schema"]

_TYPES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table",
}
_FOR_EXAMPLE = {
    "data": "at least one table [[data]] is needed",
    "estimators": "at least one table [[estimators]] is needed",
    "source": "say which file or data set it is, such as source = 'iris'",
    "name": "say what it is, such as name = 'knn' or name = 'boxcox'",
}
_TRUST = (
    "modules are trusted on the command line only, never by a study file. Leave the key out and "
    "use --trust MODULE."
)


@cache
def _schema_text() -> str:
    return (files("distsearch.sweep.spec") / "schema.json").read_text(encoding="utf-8")


def schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of study files.

    Examples
    --------
    >>> schema()["required"]
    ['data', 'estimators']
    """
    loaded: dict[str, Any] = json.loads(_schema_text())
    return loaded


def label_pattern() -> str:
    """Return the regular expression of a label."""
    pattern: str = schema()["$defs"]["label"]["pattern"]
    return pattern


def check_shape(
    document: Mapping[str, Any], problems: Problems
) -> tuple[dict[str, Any], set[KeyPath]]:
    """Note what breaks the schema.

    Parameters
    ----------
    document : mapping
        A study file as TOML gives it.
    problems : Problems
        Gets the mistakes.

    Returns
    -------
    sound : dict
        The document without what was wrong.
    dropped : set of tuple
        The paths of what was wrong or missing.
    """
    from jsonschema import Draft202012Validator

    sound = deepcopy(dict(document))
    dropped: dict[KeyPath, None] = {}
    for error in Draft202012Validator(schema()).iter_errors(document):
        for path, message in _told(error):
            if path in dropped:
                continue
            dropped[path] = None
            missing = error.validator == "required"
            _note(problems, path, message, parent=missing or message.startswith("there is no key"))
    for path in sorted(dropped, key=len, reverse=True):
        _drop(sound, path)
    return sound, set(dropped)


def _note(problems: Problems, path: KeyPath, message: str, *, parent: bool) -> None:
    problems.add(problems.place(path, path[:-1] if parent else path), message)


def _told(error: Any) -> Iterator[tuple[KeyPath, str]]:
    """Give each mistake of an error with its path."""
    path: KeyPath = tuple(error.absolute_path)
    value, rule = error.instance, error.schema
    if error.validator == "additionalProperties":
        known = [key for key in rule["properties"] if key not in _refused(path)]
        for key in (each for each in value if each not in known):
            yield (*path, key), _unknown_key(key, known)
    elif error.validator == "required":
        for key in rule["required"]:
            if key not in value:
                yield (*path, key), f"{key} is missing; {_FOR_EXAMPLE[key]}."
    elif error.validator == "uniqueItems":
        yield path, f"{quoted(_twice(value))} is there twice; leave one out."
    elif error.validator == "not":
        other = error.absolute_schema_path[-4]  # ..., other, "properties", this, "not"
        together = f"cannot be used together with {other}; leave one of them out."
        yield path, rule.get("x-refused", together)
    else:
        yield path, _must_be(value, rule, path)


def _refused(path: KeyPath) -> Mapping[str, Any]:
    """Return the keys of an entry that its kind may not have."""
    kind = schema()["properties"].get(path[0], {}) if len(path) == 2 else {}
    refused: Mapping[str, Any] = kind.get("items", {}).get("properties", {})
    return refused


def _unknown_key(key: str, known: list[str]) -> str:
    if key == "trust":
        return f"there is no key 'trust': {_TRUST}"
    return (
        f"there is no key {key!r}.{did_you_mean(key, known)} The keys here are {', '.join(known)}."
    )


def _twice(values: list[Any]) -> Any:
    return next(value for place, value in enumerate(values) if value in values[:place])


def _must_be(value: Any, rule: Mapping[str, Any], path: KeyPath) -> str:
    near = did_you_mean(value, rule.get("enum", ())) if isinstance(value, str) else ""
    if value in ([], {}) and ("minItems" in rule or "minProperties" in rule):
        return "must not be empty."
    return f"must be {_allowed(rule, path)}. Got {_shown(value)} instead.{near}"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list) and any(isinstance(each, dict) for each in value):
        return "a list of tables"
    if isinstance(value, date | time):
        return f"the date or time {value.isoformat()}"
    return quoted(value)


def _allowed(rule: Mapping[str, Any], path: KeyPath) -> str:
    """Return what a value may be."""
    if "x-allowed" in rule:
        return str(rule["x-allowed"])
    if "enum" in rule:
        return _either([repr(each) for each in rule["enum"]])
    types = [rule["type"]] if isinstance(rule["type"], str) else list(rule["type"])
    words = [_TYPES[each] for each in types]
    if types == ["array"]:
        return words[0] + _of_items(rule, path)
    return _either(words) + _range(rule) + _size(rule)


def _either(words: Sequence[str]) -> str:
    return " or ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def _of_items(rule: Mapping[str, Any], path: KeyPath) -> str:
    if "maxItems" in rule:
        return " of two numbers"
    items = rule.get("items", {})
    kind = items.get("$ref", items.get("type", ""))
    tables = f" of tables, [[{path[-1]}]]"
    words = {
        "#/$defs/text": " of texts",
        "#/$defs/value": " of values",
        "#/$defs/data": tables,
        "#/$defs/entry": tables,
        "object": " of tables",
    }
    return words.get(kind, "")


def _range(rule: Mapping[str, Any]) -> str:
    phrases: list[tuple[tuple[str, ...], Callable[..., str]]] = [
        (("minimum", "maximum"), " from {} to {}".format),
        (("exclusiveMinimum", "exclusiveMaximum"), " above {} and below {}".format),
        (("exclusiveMinimum",), " above {}".format),
        (("minimum",), " of at least {}".format),
    ]
    for keys, phrase in phrases:
        if all(key in rule for key in keys):
            return phrase(*(rule[key] for key in keys))
    return ""


def _size(rule: Mapping[str, Any]) -> str:
    return " that is not empty" if "minLength" in rule else ""


def _drop(document: dict[str, Any], path: KeyPath) -> None:
    """Take out what is at the path: a key, the list around an element, or a whole table's keys."""
    parents: list[tuple[Any, str | int]] = []
    inner: Any = document
    for part in path:
        parents.append((inner, part))
        try:
            inner = inner[part]
        except (KeyError, IndexError, TypeError):
            return
    if len(path) == 2 and path[0] in {"data", "estimators", "methods"}:
        document[str(path[0])][path[1]] = {}
        return
    for parent, part in reversed(parents):
        if isinstance(parent, dict):
            del parent[part]
            return
