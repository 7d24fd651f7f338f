"""Are the numbers that the engine folds those of isa, each under a name of its own?"""

from gpusim.engine.state import fields
from gpusim.isa.encode import F
from gpusim.isa.opcodes import Op


def test_no_two_numbers_share_a_name():
    names = [name for table in fields.TABLES for name in table]
    assert len(names) == len(set(names))


def test_every_opcode_and_every_column_is_a_plain_int():
    for member in (*Op, *F):
        number = getattr(fields, "C_" if member is F.C else member.name)
        assert type(number) is int
        assert number == member
