"""What lies in cluster/ and docker/ is well-formed, agrees with itself, and is closed."""

from __future__ import annotations

import copy
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version
from ray.autoscaler._private.util import prepare_config, validate_config
from ray.scripts.scripts import cli as ray_commands

import distsearch
from distsearch.cli import main as distsearch_main
from distsearch.cli._sweep import command as sweep

ROOT = Path(distsearch.__file__).parents[1]
FILES = sorted(path for folder in ("cluster", "docker") for path in (ROOT / folder).rglob("*")
               if path.is_file() and path.name != "ray_token")  # fmt: skip
TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in FILES}
DOCUMENTS = {
    name: list(yaml.safe_load_all(text)) for name, text in TEXTS.items() if name.endswith(".yaml")
}
RAY_YAMLS = ["cluster/on-prem.yaml", "cluster/aws.yaml"]
KUBERAY = json.loads((Path(__file__).parent / "kuberay.json").read_text(encoding="utf-8"))


def locked() -> dict[str, Version]:
    pins = re.findall(r"^([\w.-]+)==([\w.]+)", TEXTS["cluster/requirements.txt"], re.MULTILINE)
    return {name: Version(version) for name, version in pins}


def strings(value: Any) -> Iterator[str]:
    """Yield every text in a document."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)
    else:
        yield str(value)


def test_all_of_them_are_here():
    assert set(TEXTS) == {
        "cluster/aws.yaml", "cluster/kuberay/raycluster.yaml", "cluster/kuberay/rayjob.yaml",
        "cluster/on-prem.yaml", "cluster/requirements.txt", "docker/Dockerfile",
        "docker/Dockerfile.dockerignore", "docker/compose.yaml",
    }  # fmt: skip


class TestVersions:
    def test_the_lock_has_what_the_package_needs(self):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        needed = [*project["dependencies"], *project["optional-dependencies"]["cluster"]]
        pins = locked()
        for requirement in map(Requirement, needed):
            assert pins[requirement.name] in requirement.specifier, requirement

    def test_every_pin_has_hashes(self):
        entries = re.split(r"\n(?=[\w.-]+==)", TEXTS["cluster/requirements.txt"])[1:]
        assert len(entries) == len(locked())
        assert all("--hash=sha256:" in entry for entry in entries)

    def test_ray_is_the_same_everywhere(self):
        ray = str(locked()["ray"])
        said = re.findall(
            r'rayVersion: "([\d.]+)"|rayproject/ray:([\d.]+)|ray(?:\[\w+\])?==([\d.]+)',
            "\n".join(TEXTS.values()),
        )
        assert len(said) >= 3
        assert {next(filter(None, each)) for each in said} == {ray}

    def test_the_image_is_that_of_this_version(self):
        images = re.findall(r"distsearch:([\w.]+)", "\n".join(TEXTS.values()))
        assert set(images) == {distsearch.__version__}

    def test_python_is_the_same_everywhere(self):
        texts = "\n".join(TEXTS.values())
        versions = re.findall(r"python:(3\.\d+)|python(3\.\d+)|--python-version (3\.\d+)", texts)
        assert {next(filter(None, each)) for each in versions} == {"3.11"}


@pytest.mark.parametrize("name", RAY_YAMLS)
def test_ray_takes_its_cluster_files(name, tmp_path):
    config = DOCUMENTS[name][0]
    validate_config(prepare_config(copy.deepcopy(config)))
    with pytest.raises(Exception, match="file_mount"):
        validate_config(prepare_config({**copy.deepcopy(config), "file_mount": {}}))
    for source in config["file_mounts"].values():
        assert source.startswith("~/") or (ROOT / source).is_file()


class TestKubeRay:
    @staticmethod
    def check(document):
        kind = {"RayCluster": "cluster", "RayJob": "job"}[document["kind"]]
        assert document["apiVersion"] == "ray.io/v1"
        schema = {"$ref": f"#/$defs/{kind}", **KUBERAY}
        jsonschema.validate(document["spec"], schema)

    @pytest.mark.parametrize("name", ["raycluster", "rayjob"])
    def test_the_fields_are_those_of_its_definitions(self, name):
        claim, document = DOCUMENTS[f"cluster/kuberay/{name}.yaml"]
        self.check(document)
        assert claim["kind"] == "PersistentVolumeClaim"
        assert claim["spec"]["accessModes"] == ["ReadWriteOnce"]

    @pytest.mark.parametrize("name", ["raycluster", "rayjob"])
    def test_a_slip_is_noticed(self, name):
        document = copy.deepcopy(DOCUMENTS[f"cluster/kuberay/{name}.yaml"][1])
        spec = document["spec"].get("rayClusterSpec", document["spec"])
        spec["workerGroupSpecs"][0]["maxReplica"] = 3
        with pytest.raises(jsonschema.ValidationError, match="maxReplica"):
            self.check(document)

    @pytest.mark.parametrize("name", ["raycluster", "rayjob"])
    def test_pods_get_what_they_ask_for_and_mount_what_there_is(self, name):
        claim, document = DOCUMENTS[f"cluster/kuberay/{name}.yaml"]
        spec = document["spec"].get("rayClusterSpec", document["spec"])
        for group in [spec["headGroupSpec"], *spec["workerGroupSpecs"]]:
            pod = group["template"]["spec"]
            (container,) = pod["containers"]
            assert container["resources"]["requests"] == container["resources"]["limits"]
            volumes = {volume["name"] for volume in pod.get("volumes", [])}
            assert {mount["name"] for mount in container.get("volumeMounts", [])} == volumes
            for volume in pod.get("volumes", []):
                claimed = volume.get("persistentVolumeClaim", claim["metadata"])
                assert claimed.get("claimName", claimed.get("name")) == claim["metadata"]["name"]

    def test_the_store_is_on_what_is_mounted(self):
        spec = DOCUMENTS["cluster/kuberay/rayjob.yaml"][1]["spec"]
        head = spec["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["containers"][0]
        mounted = {mount["mountPath"] for mount in head["volumeMounts"]}
        *_, study, _, store = shlex.split(spec["entrypoint"])
        assert {str(Path(study).parent), str(Path(store).parent)} == mounted


def commands() -> Iterator[list[str]]:
    """Yield every command line of ray and of jobs/sweep.py."""
    texts = [text for documents in DOCUMENTS.values() for text in strings(documents)]
    for part in (part for text in texts for part in re.split(r"&&|;|\n| -- ", text)):
        words = shlex.split(part, comments=True)
        while words and re.match(r"[A-Z_]+=", words[0]):
            del words[0]
        if words and (Path(words[0]).name == "ray" or "jobs/sweep.py" in part):
            yield words


def known_options(command: Any) -> set[str]:
    return {option for each in command.params for option in each.opts + each.secondary_opts}


def test_commands_have_options_that_there_are():
    seen = []
    for words in commands():
        if "sweep.py" in " ".join(words[:3]):
            command, seen = sweep, [*seen, "sweep"]
        else:
            if len(words) < 2 or words[1] not in ray_commands.commands:
                continue
            command = ray_commands.commands[words[1]]
            seen.append(words[1])
            if words[1] == "job":
                command = command.commands[words[2]]
        given = {word.partition("=")[0] for word in words if word.startswith("--") and word != "--"}
        assert given <= known_options(command), words
    assert {"start", "sweep", "job", "stop"} <= set(seen)
    assert callable(distsearch_main)


class TestClosed:
    @pytest.mark.parametrize("name", RAY_YAMLS)
    def test_the_dashboard_listens_on_loopback(self, name):
        (head,) = [text for text in strings(DOCUMENTS[name]) if "ray start --head" in text]
        assert "--dashboard-host=127.0.0.1" in head

    def test_everything_interfaces_are_only_those_of_containers(self):
        places = {name for name, text in TEXTS.items() if "0.0.0.0" in re.sub("#.*", "", text)}
        assert places <= {"docker/compose.yaml"}
        for service in DOCUMENTS["docker/compose.yaml"][0]["services"].values():
            assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))

    def test_every_node_asks_for_the_token(self):
        for name in RAY_YAMLS:
            starts = [text for text in strings(DOCUMENTS[name]) if "ray start" in text]
            assert len(starts) == 2
            assert all("RAY_AUTH_MODE=token" in text for text in starts)
        assert "RAY_AUTH_MODE=token" in TEXTS["docker/Dockerfile"]
        for name in ("raycluster", "rayjob"):
            spec = DOCUMENTS[f"cluster/kuberay/{name}.yaml"][1]["spec"]
            assert spec.get("rayClusterSpec", spec)["authOptions"] == {"mode": "token"}

    def test_no_secret_is_in_a_file(self):
        for name, text in TEXTS.items():
            if not name.endswith("requirements.txt"):
                assert not re.search(r"[0-9a-fA-F]{32,}|AKIA[0-9A-Z]{16}|PRIVATE KEY", text), name
                assert not re.search(r"RAY_AUTH_TOKEN[=:] *\S", text), name
        assert "docker/ray_token" in (ROOT / ".gitignore").read_text(encoding="utf-8")


class TestImage:
    TEXT = TEXTS["docker/Dockerfile"]

    def test_it_has_the_wheel_and_not_the_sources(self):
        final = self.TEXT.rpartition("\nFROM ")[2]
        copied = re.findall(r"^COPY (.*)$", final, re.MULTILINE)
        assert copied == [
            "--from=build /opt/venv /opt/venv", "jobs/sweep.py jobs/fit.py /opt/distsearch/jobs/",
        ]  # fmt: skip

    def test_it_runs_as_a_user_without_rights(self):
        assert re.findall(r"^USER (.*)$", self.TEXT, re.MULTILINE) == ["1000:1000"]

    def test_what_it_copies_is_in_its_context(self):
        allowed = {
            line[1:] for line in TEXTS["docker/Dockerfile.dockerignore"].split() if line[0] == "!"
        }
        sources = {
            word
            for line in re.findall(r"^COPY (?!--from)(.*)$", self.TEXT, re.MULTILINE)
            for word in line.split()[:-1]
        }
        assert sources == allowed
        assert all((ROOT / source).exists() for source in sources)

    def test_bases_are_pinned(self):
        bases = re.findall(r"^FROM (\S+)", self.TEXT, re.MULTILINE)
        assert len(set(bases)) == 1
        assert re.fullmatch(r"python:3\.11\.\d+-slim-\w+", bases[0])
