"""What a user is told about a specification that cannot be used: one line, with file, key and what is allowed."""

import pytest

from gpusim import hardware
from gpusim.hardware import SpecError

GOOD = 'unit = "byte", kind = "assumed", source = "a guess"'


def told(tmp_path, text):
    path = tmp_path / "my.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        hardware.load(path)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 240
    return message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("h20", "unknown GPU 'h20': did you mean h200?"),
        ("A100-40", None),
        ("rtx 6000", "unknown GPU 'rtx 6000': did you mean rtx-a6000"),
        ("xyzzy", f"unknown GPU 'xyzzy': there are {len(hardware.names())}, such as a100-40gb"),
        ("", "unknown GPU '': there are "),
    ],
)
def test_unknown_gpu(name, message):
    if message is None:
        assert hardware.load(name).name == "a100-40gb"
        return
    with pytest.raises(SpecError) as caught:
        hardware.load(name)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("name", ["./none.toml", "none.toml", "some/where"])
def test_no_such_file(name):
    with pytest.raises(SpecError, match=r"cannot be read: No such file or directory; GPUs known by name are a100-40gb"):
        hardware.load(name)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f"[l2]\nsize_byte = {{ value = 1, {GOOD} }}", "my.toml: l2: unknown key 'size_byte': did you mean size_bytes"),
        ("[L2]\n", "my.toml: top level: unknown key 'L2': did you mean l2"),
        (
            f"[l2]\nsize_bytes = {{ value = 1, valeu = 2, {GOOD} }}",
            "my.toml: l2.size_bytes: unknown key 'valeu': did you mean value?",
        ),
        (
            '[l2]\nsize_bytes = { value = 1, unit = "KiB", kind = "assumed", source = "s" }',
            "my.toml: l2.size_bytes: unit must be 'byte', not 'KiB'",
        ),
        (
            '[l2]\nsize_bytes = { value = 1, unit = "byte", kind = "guess", source = "s" }',
            "my.toml: l2.size_bytes: kind must be 'datasheet', 'measured', 'fitted' or 'assumed', not 'guess'",
        ),
        (
            '[l2]\nsize_bytes = { value = 1, unit = "byte", kind = "assumed" }',
            "my.toml: l2.size_bytes: source is missing: a number needs value, unit, kind, source",
        ),
        (
            '[l2]\nsize_bytes = { value = 1, unit = "byte", kind = "assumed", source = "" }',
            "my.toml: l2.size_bytes: source must be not empty, not ''",
        ),
        (f"[l2]\nsize_bytes = {{ value = 0, {GOOD} }}", "my.toml: l2.size_bytes: value must be at least 1, not 0"),
        (f"[l2]\nsize_bytes = {{ value = 1.5, {GOOD} }}", "my.toml: l2.size_bytes: value must be an integer, not 1.5"),
        (
            f"[l2]\nsize_bytes = {{ value = true, {GOOD} }}",
            "my.toml: l2.size_bytes: value must be an integer, not True",
        ),
        (
            '[clock]\nsm_hz = { value = nan, unit = "Hz", kind = "assumed", source = "s" }',
            "my.toml: clock.sm_hz: value must be finite, not nan",
        ),
        (
            '[l2]\npartitions = { value = 3, unit = "1", kind = "assumed", source = "s" }',
            "my.toml: l2.partitions: value must be at most 2, not 3",
        ),
        (
            '[identity]\ngpcs = { value = 8, unit = "1", kind = "assumed", source = "s" }',
            "my.toml: gpcs: value must be a list, not 8",
        ),
        (
            '[identity]\ngpcs = { value = [66, "66"], unit = "1", kind = "assumed", source = "s" }',
            "my.toml: gpcs: value must be an integer, not '66'",
        ),
        ("[l2]\nsize_bytes = 5", "my.toml: l2.size_bytes: must be a table { value, unit, kind, source }, not 5"),
        ("l2 = 5", "my.toml: l2: must be a table, not 5"),
        ('[identity]\narch = "hopper"', "my.toml: arch: must be like sm_90, not 'hopper'"),
        ('[identity]\nmeasured = "yes"', "my.toml: measured: must be true or false, not 'yes'"),
        ("[identity]\nname = 5", "my.toml: name: must be text, not 5"),
    ],
)
def test_a_mistake_in_one_entry(tmp_path, body, message):
    prefix = "" if body.startswith("l2 =") else 'base = "h200"\n'
    assert told(tmp_path, prefix + body).startswith(message)


def test_several_mistakes_are_counted(tmp_path):
    text = told(tmp_path, 'base = "h200"\n[l2]\nsize_bytes = 5\nslices = 6\n')
    assert text.endswith("not 5 (and 1 more)")


def test_broken_toml_names_the_line(tmp_path):
    assert told(tmp_path, 'base = "h200"\n\n[l2\n').startswith("my.toml: line 3, column 4: not TOML: ")
    assert told(tmp_path, "base = ").startswith("my.toml: end of document: not TOML: ")


def test_not_text(tmp_path):
    path = tmp_path / "my.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SpecError, match=r"my\.toml: is not UTF-8 text: byte \d+ is"):
        hardware.load(path)


def test_base_not_found(tmp_path):
    assert told(tmp_path, 'base = "h20"') == "my.toml: base: no GPU or file 'h20': did you mean h200?"
    assert told(tmp_path, 'base = "other.toml"').startswith("my.toml: base: no GPU or file 'other.toml': ")
    assert told(tmp_path, "base = 5") == "my.toml: base: must be text, not 5"


def test_bases_that_name_each_other(tmp_path):
    (tmp_path / "other.toml").write_text('base = "my.toml"')
    assert told(tmp_path, 'base = "other.toml"').endswith(
        "base: the files name each other: my.toml -> other.toml -> my.toml"
    )
    assert told(tmp_path, 'base = "my.toml"').endswith("base: the files name each other: my.toml -> my.toml")


def test_something_left_out(tmp_path):
    assert told(tmp_path, "") == "my.toml: arch: is missing: give it, or name a base GPU that has it"
    assert told(tmp_path, '[identity]\narch = "sm_90"').startswith("my.toml: sm_count: is missing (and ")
    assert told(tmp_path, '[identity]\narch = "sm_91"').startswith(
        "my.toml: arch: no architecture 'sm_91': did you mean sm_90"
    )
    lines = hardware.to_toml(hardware.load("h200")).splitlines()
    text = "\n".join(line for line in lines if not line.startswith("shared_cycles"))
    assert told(tmp_path, text) == (
        "my.toml: latency.shared_cycles: is missing: give it, or name a base GPU that has it"
    )


def number(section, name, value, unit="1"):
    return (
        f'base = "h200"\n[{section}]\n{name} = {{ value = {value}, unit = "{unit}", kind = "assumed", source = "s" }}\n'
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (number("identity", "gpcs", [66, 67]), "gpcs: must add up to sm_count, 132, not 133"),
        (number("sm", "max_threads_per_block", 4096), "sm.max_threads_per_block: value must be at most 1024, not 4096"),
        (number("shared", "carveout_steps", [8192, 0], "byte"), "shared.carveout_steps: must be ascending"),
        (
            number("shared", "carveout_steps", [0, 8192], "byte"),
            "shared.carveout_steps: must be such that the last is shared.bytes_per_sm, 233472",
        ),
        (number("shared", "max_bytes_per_block", 233472, "byte"), "shared.max_bytes_per_block: must be at most 232448"),
        (number("l1", "unified_bytes", 1024, "byte"), "l1.unified_bytes: must be at least 233472"),
        (number("l1", "tag_sets", 8), "l1.tag_sets: value must be at most 4, not 8"),
        (number("l1", "tag_hash", [[0]]), "l1.tag_hash: must be a list for each bit of a set, of 4 sets"),
        (number("placement", "order", [0, 1, 1]), "placement.order: must be every SM from 0 to 131 once"),
        (
            number("placement", "sm_half", [0, 1]),
            "placement.sm_half: must be a half below l2.partitions, 2, for every SM",
        ),
        (number("placement", "sm_gpc", [0, 1]), "placement.sm_gpc: must be a GPC for every SM, as gpcs counts them"),
        (number("sm", "register_alloc_unit", 16), "sm.register_alloc_unit: must be a multiple of 32, not 16"),
        (number("sm", "register_alloc_unit", 33), "sm.register_alloc_unit: must be a multiple of 32, not 33"),
        (number("l1", "tag_hash", [[0], [0]]), "l1.tag_hash: must be lists that differ, each of different bits"),
        (number("l1", "tag_hash", [[0, 0], [1]]), "l1.tag_hash: must be lists that differ, each of different bits"),
        (number("l2", "half_bits", [12, 12]), "l2.half_bits: must be different bits"),
        (
            number("l2", "size_bytes", 62914561, "byte"),
            "l2.size_bytes: must be a multiple of 256, a line in each partition",
        ),
        (
            number("clock", "tensor_load_hz", 2.1e9, "Hz"),
            "clock.tensor_load_hz: must be at most clock.sm_hz, 1.98e+09, ",
        ),
        (
            number("clock", "tensor_load_hz", 1.0e8, "Hz"),
            "clock.tensor_load_hz: must be at most clock.sm_hz, 1.98e+09, ",
        ),
        (
            number("clock", "tensor_full_hz", 1.9e9, "Hz"),
            "clock.tensor_full_hz: must be at most that of a launch that begins, 1.8e+09",
        ),
    ],
)
def test_numbers_that_contradict_each_other(tmp_path, text, message):
    assert told(tmp_path, text).startswith(f"my.toml: {message}")


def test_what_contradicts_a_limit_is_refused_before_anything_is_made_of_it(tmp_path):
    lists = [[bit] for bit in range(28)]
    message = told(tmp_path, number("l1", "set_hash", lists))
    assert message == "my.toml: l1.set_hash: must be at most 8 lists, not 28"


def test_a_user_s_gpu_is_not_called_as_one_whose_errors_are_known(tmp_path):
    message = "name: must be another than that of a GPU that comes with gpusim, not 'h200'"
    assert told(tmp_path, 'base = "h200"\n[identity]\nname = "h200"') == f"my.toml: {message}"
    (tmp_path / "h200.toml").write_text('base = "h100-sxm"')
    with pytest.raises(SpecError, match=r"h200\.toml: name: must be another"):
        hardware.load(tmp_path / "h200.toml")


@pytest.mark.parametrize("key", ["name", "full_name"])
def test_what_cannot_be_shown_is_refused(tmp_path, key):
    text = told(tmp_path, f'base = "h200"\n[identity]\n{key} = "a\\u001b[31m\\nb"')
    assert text.startswith(f"my.toml: {key}: must be of characters that can be shown, not 'a")
    assert "\x1b" not in text
