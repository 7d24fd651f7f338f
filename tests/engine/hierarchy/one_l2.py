"""An L2 alone, without what is above it."""

from __future__ import annotations

from itertools import count, islice

import numpy as np

from gpusim.engine.hierarchy.address_map import l2_set
from gpusim.engine.hierarchy.l2 import l2_read, l2_update, l2_write
from gpusim.engine.hierarchy.l2_sets import BITS, TAG, empty_l2, way_of
from gpusim.engine.hierarchy.line_masks import words_of
from tests.engine.hierarchy.small import SETS, WAYS, counts, rates, servers, shape

ALL = 0xF


class L2:
    """An L2 that is read and written access by access, each later than the last one."""

    def __init__(self, halves=1, **changed):
        self.shape, self.rates, self.servers = shape(halves), rates(**changed), servers()
        self.rows, self.ring, self.count = empty_l2(halves * SETS, WAYS), np.zeros(64, np.int64), counts()
        self.t = self.stamp = 0

    def step(self):
        self.t += 10_000
        self.stamp += 1

    def read(self, line, sectors=ALL, half=0):
        """How long it takes."""
        self.step()
        done = l2_read(
            self.rows, self.servers, self.rates, self.shape, half, line, sectors, False, self.t, self.stamp, self.count
        )
        return int(done) - self.t

    def write(self, line, sectors=ALL, words=None, half=0):
        self.step()
        words = int(words_of(sectors)) if words is None else words
        l2_write(
            self.rows, self.servers, self.rates, self.shape, self.ring, half, line, sectors, words, 0, self.t,
            self.stamp, self.count,
        )  # fmt: skip

    def update(self, line, sectors, words=1, how=0, half=0):
        """How long until the old values are back."""
        self.step()
        done, _ = l2_update(
            self.rows, self.servers, self.rates, self.shape, half, line, sectors, words, how, self.t, self.stamp,
            self.count,
        )  # fmt: skip
        return int(done) - self.t

    def row(self, line, half=0):
        return self.rows[half * SETS + int(l2_set(line, self.shape))]

    def tags(self, line):
        """Lines in the set of a line, way by way."""
        return self.row(line)[TAG * WAYS : (TAG + 1) * WAYS].tolist()

    def bits(self, line, half=0):
        """(valid, dirty) sectors of a line in a half; None where it is not there."""
        way = way_of(self.row(line, half), WAYS, line)
        if way < 0:
            return None
        found = int(self.row(line, half)[BITS * WAYS + way])
        return found & 15, found >> 4 & 15

    def seen(self, *columns):
        return [int(self.count[column]) for column in columns]


def of_one_set(n, dims):
    """So many lines that belong in the set of line 0."""
    there = l2_set(0, dims)
    return list(islice((line for line in count(0) if l2_set(line, dims) == there), n))
