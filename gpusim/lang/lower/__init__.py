"""From a description to a Program, the way ptxas would go about it.

The stages, in the order of their modules: ``bind`` (tiles become numbers),
``build`` (unrolled, scalarised, value-numbered), ``address`` (pointers and
constant offsets), ``sink`` (addresses that only some paths need), ``vectorise``
(wide shared loads), ``flow`` and ``place`` (basic blocks, code motion),
``select`` (machine instructions), ``coalesce``, ``schedule``, ``allocate``,
``control`` (scoreboards and stalls), ``emit``.
"""
