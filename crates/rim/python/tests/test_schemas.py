"""docs/schemas by a validator that is not ours."""

import json
import subprocess
from pathlib import Path

import jsonschema
import pytest
from luthier._run import command

SCHEMAS = Path(__file__).parents[4] / "docs/schemas"


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.stem)
def test_schemas_are_schemas(path):
    jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text()))


def test_outputs_fit(hip, opencl, tmp_path):
    files = [tmp_path / "hip.co", tmp_path / "opencl.co"]
    for file, data in zip(files, [hip, opencl], strict=True):
        file.write_bytes(data)
    code = ["-d", "--cfg", "--histogram", "--symbols"]
    for name, words in [
        ("inspect", ["inspect", *code, files[0]]),
        ("inspect", ["inspect", *code, files[1]]),
        ("emulate", ["emulate", files[0], "-k", "scale", *["--arg", "zero:256"] * 2, "--arg", "f32:2", "--arg", "i32:64"]),
        ("doctor", ["doctor"]),
        ("tool-list", ["tool", "list"]),
        ("tool-info", ["tool", "info", "mem-trace"]),
    ]:
        told = subprocess.run([command(), *words, "--format", "json"], stdout=subprocess.PIPE, check=False).stdout
        jsonschema.validate(json.loads(told), json.loads((SCHEMAS / f"{name}.json").read_text()))
