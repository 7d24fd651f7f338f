"""The memory hierarchy, a unit a file, in the order in which a request passes them.

``access_patterns`` and ``bank_conflicts`` (what one warp's access is), ``tag_stage``, ``l1``, ``requests`` (under way
from an SM), ``coalescer`` (of a GPC), ``l2`` with ``l2_sets``, ``replacement`` and ``partial_sectors``, ``fabric``
between its halves, ``dram``; ``constant_cache`` beside them, and ``copies``, which pass L2 between launches.
``servers`` are what all of these wait for, ``address_map`` says where a line lies.
"""
