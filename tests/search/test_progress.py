import io

import pytest

from distsearch.search import LineReporter, Progress, report, reporting
from distsearch.search import _progress as module


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves."""

    class Clock:
        now = 100.0

        def monotonic(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


class TestReporting:
    def test_nobody_listens_by_default(self):
        report(Progress("x", 1, 2, 0.5))

    def test_inside_the_block_only(self):
        heard = []
        with reporting(heard.append):
            report(Progress("x", 1, 2, 0.5))
            with reporting(None):
                report(Progress("x", 2, 2, 0.5))
            report(Progress("x", 3, 3, 0.5))
        report(Progress("x", 4, 4, 0.5))
        assert [progress.done for progress in heard] == [1, 3]

    def test_the_block_ends_with_an_error_too(self):
        heard = []
        with pytest.raises(KeyError), reporting(heard.append):
            raise KeyError
        report(Progress("x", 1, 2, 0.5))
        assert heard == []


class TestLines:
    def test_plain(self, clock):
        stream = io.StringIO()
        reporter = LineReporter(stream)
        reporter(Progress("fit", 0, 1000, float("nan")))
        clock.now += 4.0
        reporter(Progress("fit", 100, 1000, 0.5))  # too soon
        clock.now += 6.0
        reporter(Progress("fit", 500, 2000, 0.81234567))
        clock.now += 2.5
        reporter(Progress("fit", 1234, 2000, 0.9, finished=True))
        assert stream.getvalue() == (
            "fit: 500 of at most 2,000, best 0.8123, 50/s, 30 s left at most\n"
            "fit: 1,234, best 0.9000, 12.5 s\n"
        )

    def test_a_terminal_is_redrawn(self, clock):
        stream = Terminal()
        reporter = LineReporter(stream)
        reporter(Progress("fit", 0, 10, float("nan")))
        for done in (2, 4):
            clock.now += 0.125
            reporter(Progress("fit", done, 10, 0.5))
        clock.now += 1.75
        reporter(Progress("fit", 10, 10, 0.5, finished=True))
        empty, line, last = stream.getvalue().split("\r")
        assert empty == ""
        assert line == "fit: 4 of at most 10, best 0.5000, 16/s, 0 s left at most"
        assert last == "fit: 10, best 0.5000, 2.0 s".ljust(len(line)) + "\n"

    def test_the_time_starts_again_with_another_label(self, clock):
        stream = io.StringIO()
        reporter = LineReporter(stream, every=0.0)
        reporter(Progress("first", 1, 2, 0.5, finished=True))
        clock.now += 60.0
        reporter(Progress("second", 0, 2, 0.5))
        clock.now += 2.0
        reporter(Progress("second", 2, 2, 0.5, finished=True))
        assert stream.getvalue().splitlines()[-1] == "second: 2, best 0.5000, 2.0 s"

    def test_the_same_label_starts_again_after_its_end(self, clock):
        stream = io.StringIO()
        reporter = LineReporter(stream)
        reporter(Progress("fit", 1, 1, 0.5, finished=True))
        clock.now += 50.0
        reporter(Progress("fit", 1, 1, 0.5, finished=True))
        assert stream.getvalue() == "fit: 1, best 0.5000, 0.0 s\n" * 2

    def test_no_more_left_than_planned(self, clock):
        stream = io.StringIO()
        reporter = LineReporter(stream, every=1.0)
        reporter(Progress("fit", 0, 5, 0.5))
        clock.now += 2.0
        reporter(Progress("fit", 9, 5, 0.5))
        assert stream.getvalue().rstrip().endswith("0 s left at most")

    def test_standard_error_is_the_default(self, capsys):
        LineReporter()(Progress("fit", 3, 3, 0.5, finished=True))
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("fit: 3, best 0.5000")
