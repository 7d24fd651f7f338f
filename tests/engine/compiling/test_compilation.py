"""How far the compiler is: work that is told by bytecode, on machines of any speed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.engine.compiling.compilation import GUESSED_SECONDS, LLVM_SHARE, Compilation, work
from gpusim.engine.core import machine, out_of_line
from tests.engine import kept_functions

ENGINE = machine.advance.py_func
few = settings(max_examples=15)
speeds = st.floats(50, 50_000)


class Computer:
    """Compiles so many bytes of code a second."""

    def __init__(self, speed, wholes, kept=lambda function: False):
        self.speed, self.wholes, self.kept, self.now = speed, wholes, kept, 0.0
        self.told = Compilation("compiling", wholes, kept, lambda: self.now)

    def run(self):
        """Compile all; stops after each function, and where LLVM begins."""
        done = set()
        for whole in self.wholes:
            sizes = work(whole)
            for function in [*(each for each in reversed(sizes) if each is not whole), whole]:
                if function not in done and not self.kept(function):
                    self.now += sizes[function] / self.speed
                done.add(function)
                (self.told.optimises if function is whole else self.told.lowered)(function)
                yield
            self.now += LLVM_SHARE * sum(sizes.values()) / self.speed
            self.told.finished(whole)
            yield


def test_work_is_the_code_of_a_function_and_of_all_it_calls():
    sizes = work(kept_functions.by_address)
    inner = [kept_functions.larger.py_func, kept_functions.squared.py_func]
    assert list(sizes) == [kept_functions.by_address, *inner]
    assert all(size == len(function.__code__.co_code) for function, size in sizes.items())
    assert len(work(ENGINE)) > 200


@few
@given(speeds)
def test_the_share_grows_from_nothing_to_all(speed):
    computer = Computer(speed, [kept_functions.by_address, ENGINE, out_of_line.out_of_line])
    shares = [computer.told.share, *(computer.told.share for _ in computer.run())]
    assert shares[0] == 0
    assert shares[-1] == pytest.approx(1)
    assert shares == sorted(shares)


@few
@given(speeds)
def test_half_way_the_estimate_is_right_on_any_machine(speed):
    computer = Computer(speed, [ENGINE])
    guesses = [(computer.now, computer.told.seconds_left) for _ in computer.run() if 0.45 < computer.told.share < 0.6]
    assert guesses
    for at, left in guesses:
        assert left == pytest.approx(computer.now - at, rel=0.5, abs=GUESSED_SECONDS * 0.55 / 0.45)


@few
@given(st.randoms(use_true_random=False), st.floats(0.1, 0.9))
def test_what_was_compiled_before_is_not_done_again(random, share):
    kept = {function for function in work(ENGINE) if function is not ENGINE and random.random() < share}
    fresh, again = Computer(1000, [ENGINE]), Computer(1000, [ENGINE], kept.__contains__)
    assert 0 < again.told.share < 1
    assert again.told.seconds_left < fresh.told.seconds_left
    for _ in again.run():
        pass
    assert again.told.share == pytest.approx(1)
    assert again.told.seconds_left == pytest.approx(0, abs=1e-6)


def test_while_llvm_works_the_bar_moves_but_not_to_the_end():
    computer = Computer(1000, [ENGINE])
    for _ in computer.run():
        if computer.told._optimised:
            break
    shares = []
    for _ in range(100):
        computer.now += 60
        shares.append(computer.told.share)
    assert computer.told.share < 1
    assert shares[0] > 0.8
    assert shares == sorted(shares)
