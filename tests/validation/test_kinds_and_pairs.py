"""Are the launches of the kinds and of the pairs those that were measured, each under a name of its own?"""

import json

import pytest

from calibration import kinds, pairs


@pytest.mark.parametrize("module", [kinds, pairs])
def test_the_launch_file_is_what_the_module_writes(module, tmp_path, monkeypatch):
    (tmp_path / "cases.json").write_bytes((kinds.FOLDER / "cases.json").read_bytes())
    written = (module.FOLDER / "launches.json").read_text()
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    module.main()
    assert (tmp_path / "launches.json").read_text() == written
    names = [one["id"] for one in json.loads(written)]
    assert len(names) == len(set(names))


def test_one_piece_of_code_tells_of_a_launch():
    args = [kinds.i32(3), kinds.floats(64)]
    of_kinds, of_pairs = kinds.launch("k", 2, 64, *args, shared=48), pairs.launch("k", 2, (32, 2), *args, shared=48)
    assert of_kinds["id"] == "k 2x64 3"
    assert of_pairs["id"] == "k 2x32x2 3 48B"
    same = ("kernel", "grid", "dynamic_shared", "args")
    assert {name: of_kinds[name] for name in same} == {name: of_pairs[name] for name in same}
