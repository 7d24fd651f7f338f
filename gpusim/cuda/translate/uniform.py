"""The uniform datapath: the same instructions on registers and predicates that a warp has once.

Source: NVIDIA, *CUDA Binary Utilities*, "Instruction Set Reference", "Uniform Datapath Instructions".
"""

from __future__ import annotations

ORDINARY = {
    "S2UR": "S2R",
    "CS2UR": "CS2R",
    "ULDC": "LDC",
    "LDCU": "LDC",
    "VOTEU": "VOTE",
    "UP2UR": "P2R",
    "UR2UP": "R2P",
    **{
        f"U{name}": name
        for name in (
            "F2FP", "F2I", "FLO", "FRND", "I2F", "I2FP", "IADD", "IADD3", "IMAD", "IMNMX", "ISETP", "LEA", "LOP3",
            "MOV", "PLOP3", "SEL", "SHF", "VIADD", "VIMNMX",
        )
    },
}  # fmt: skip
"""The ordinary instruction that each one of the uniform datapath is, where that has no common form."""
