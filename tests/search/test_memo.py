import os

import numpy as np
import pytest
from search.toys import Interrupted, Points, Toy, Walk

from distsearch.backends import SerialBackend
from distsearch.boxcox import FullGrid
from distsearch.errors import DistsearchWarning, InvalidInputError
from distsearch.search import Memo, search

SEED = np.random.SeedSequence(11)
HERE = np.array([1.0, 2.0])


def run(strategy, function, memo, **options):
    return search(
        strategy, Toy(function), SerialBackend(), start=np.zeros(2), seed=SEED, memo=memo, **options
    )


def distance(point, part):
    return -float(np.sum((point - 1.0) ** 2))


def fill(memo):
    memo.put(HERE, 1.0)
    memo.put(-HERE, 2.0)
    memo.save()


class TestFile:
    def test_what_is_put_comes_back(self, tmp_path):
        memo = Memo(tmp_path / "scores", "abc")
        memo.put(HERE, 0.1 + 0.2)
        memo.put(-HERE, -1e-300)
        memo.put(0 * HERE, np.nan)
        memo.save()
        again = Memo(tmp_path / "scores", "abc")
        assert again.n_loaded == 2
        assert again.get(HERE) == 0.1 + 0.2
        assert again.get(-HERE) == -1e-300
        assert again.get(0 * HERE) is None  # a failed candidate is tried again

    def test_nothing_is_written_without_news(self, tmp_path):
        Memo(tmp_path / "scores").save()
        assert list(tmp_path.iterdir()) == []

    def test_no_rubbish_is_left(self, tmp_path):
        memo = Memo(tmp_path / "scores", every=0.0)
        for value in range(5):
            memo.put(HERE + value, float(value))
        assert [path.name for path in tmp_path.iterdir()] == ["scores"]
        assert Memo(tmp_path / "scores").n_loaded == 5

    def test_written_only_every_so_often(self, tmp_path):
        memo = Memo(tmp_path / "scores", every=1e9)
        memo.put(HERE, 1.0)
        assert not (tmp_path / "scores").exists()

    def test_another_fingerprint_is_refused(self, tmp_path):
        memo = Memo(tmp_path / "scores", "abc")
        memo.put(HERE, 1.0)
        memo.save()
        with pytest.raises(InvalidInputError, match=r"scores' belongs to another search"):
            Memo(tmp_path / "scores", "abd")
        assert Memo(tmp_path / "scores", "abc").n_loaded == 1

    @pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"PK\x03\x04 nonsense", b"\x93NUMPY"])
    def test_a_file_of_another_kind_is_refused_and_kept(self, tmp_path, content):
        path = tmp_path / "scores"
        path.write_bytes(content)
        with pytest.raises(InvalidInputError, match="is not a checkpoint"):
            Memo(path)
        assert path.read_bytes() == content

    def test_a_single_array_is_refused(self, tmp_path):
        np.save(tmp_path / "scores.npy", np.arange(3))
        with pytest.raises(InvalidInputError, match="is not a checkpoint"):
            Memo(tmp_path / "scores.npy")

    @pytest.mark.parametrize("arrays", [{"x": np.arange(3)}, {"fingerprint": np.array("")}])
    def test_arrays_of_another_kind_are_refused(self, tmp_path, arrays):
        np.savez(tmp_path / "scores.npz", **arrays)
        with pytest.raises(InvalidInputError, match="is not a checkpoint"):
            Memo(tmp_path / "scores.npz")

    def test_pickles_are_refused(self, tmp_path):
        np.savez(tmp_path / "scores.npz", fingerprint=np.array([{}], dtype=object))
        with pytest.raises(InvalidInputError, match="is not a checkpoint"):
            Memo(tmp_path / "scores.npz")

    def test_a_folder_is_refused(self, tmp_path):
        with pytest.raises(InvalidInputError, match="is not a checkpoint"):
            Memo(tmp_path)

    def test_a_folder_that_does_not_exist(self, tmp_path):
        with pytest.raises(InvalidInputError, match="does not exist or is read-only"):
            Memo(tmp_path / "none" / "scores")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_a_read_only_folder(self, tmp_path):
        tmp_path.chmod(0o500)
        with pytest.raises(InvalidInputError, match="does not exist or is read-only"):
            Memo(tmp_path / "scores")

    def test_a_folder_that_the_system_calls_read_only(self, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "access", lambda path, mode: False)
        with pytest.raises(InvalidInputError, match="does not exist or is read-only"):
            Memo(tmp_path / "scores")

    def test_a_folder_that_goes_away_costs_one_warning_and_no_score(self, tmp_path):
        folder = tmp_path / "gone"
        folder.mkdir()
        memo = Memo(folder / "scores", every=0.0)
        folder.rmdir()
        with pytest.warns(DistsearchWarning, match="could not be written") as caught:
            fill(memo)
        assert len(caught) == 1
        assert memo.get(-HERE) == 2.0


class TestContinuing:
    @pytest.mark.parametrize("strategy", [Walk(8), FullGrid(4)])
    @pytest.mark.parametrize("stop", [1, 7, 15])
    def test_after_an_interrupt(self, tmp_path, monkeypatch, strategy, stop):
        path = tmp_path / "scores"
        whole = run(strategy, distance, Memo())
        monkeypatch.setattr(Interrupted, "left", stop)
        with pytest.raises(KeyboardInterrupt):
            run(strategy, Interrupted(distance), Memo(path))
        memo = Memo(path)
        assert memo.n_loaded == stop  # each one, in the middle of a batch too
        rest = run(strategy, distance, memo)
        np.testing.assert_array_equal(rest.best, whole.best)
        assert rest.best_score == whole.best_score
        assert rest.n_evaluations == whole.n_evaluations - stop
        np.testing.assert_array_equal(rest.history.candidates, whole.history.candidates)
        np.testing.assert_array_equal(rest.history.table()["score"], whole.history.table()["score"])

    def test_a_finished_search_costs_nothing_more(self, tmp_path):
        run(Walk(), distance, Memo(tmp_path / "scores"))
        assert run(Walk(), distance, Memo(tmp_path / "scores")).n_evaluations == 0

    def test_failed_candidates_are_tried_again(self, tmp_path):
        points = [[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]]

        def picky(point, part):
            return np.nan if point[0] == 1 else distance(point, part)

        with pytest.warns(DistsearchWarning, match="1 of 3"):
            run(Points(points), picky, Memo(tmp_path / "scores"))
        with pytest.warns(DistsearchWarning, match="1 of 1"):  # and may fail again
            result = run(Points(points), picky, Memo(tmp_path / "scores"))
        assert result.best.tolist() == [0.0, 0.0]
        result = run(Points(points), distance, Memo(tmp_path / "scores"))
        assert (result.best.tolist(), result.n_evaluations) == ([1.0, 1.0], 1)

    def test_ten_more_failures_do_not_end_a_search_that_has_scores(self, tmp_path):
        batches = [[[-1.0, 0.0]], [[float(i), 0.0] for i in range(12)]]

        def picky(point, part):
            return np.nan if point[0] >= 0 else 0.5

        for n_evaluations in (13, 12):
            with pytest.warns(DistsearchWarning, match=f"12 of {n_evaluations}"):
                result = run(Points(batches), picky, Memo(tmp_path / "scores"))
            assert result.best.tolist() == [-1.0, 0.0]

    def test_the_score_given_to_failures_is_not_kept(self, tmp_path):
        points = [[[0.0, 0.0], [1.0, 1.0]]]

        def picky(point, part):
            return np.nan if point[0] == 1 else -5.0

        with pytest.warns(DistsearchWarning, match="1 of 2"):
            generous = run(Points(points), picky, Memo(tmp_path / "scores"), error_score=9.0)
        assert generous.best.tolist() == [1.0, 1.0]
        with pytest.warns(DistsearchWarning, match="1 of 1"):
            strict = run(Points(points), picky, Memo(tmp_path / "scores"))
        assert strict.best.tolist() == [0.0, 0.0]

    def test_when_all_fail_that_is_what_is_said(self, tmp_path):
        def broken(point, part):
            raise ArithmeticError("never works")

        with pytest.raises(ValueError, match="never works"):
            run(Walk(), broken, Memo(tmp_path / "scores"))
