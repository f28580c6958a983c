"""The artificial sets of the ODD paper, by what their formula says of them."""

import numpy as np
import pytest

from distsearch.tables import load


@pytest.mark.parametrize(
    ("name", "sizes", "lowest"),
    [("odd_db1", [550, 1000], [65, 15]), ("odd_db2", [550, 750, 1000, 510], [10, 30, 50, 70])],
)
def test_waves_have_their_frequency_and_noise(name, sizes, lowest):
    table = load(name)
    X, y = table.X.to_numpy(), table.y
    assert np.bincount(y).tolist() == sizes
    power = np.abs(np.fft.rfft(X, axis=1)) ** 2  # over one second: bin k is k waves
    power[:, [10, 100]] = 0  # the two cosines; 200 waves are seen as 100 by 300 samples
    for k, low in enumerate(lowest):
        mean = power[y == k].mean(axis=0)
        assert low - 1 <= np.argmax(mean) <= low + 11
        # Noise of variance 30**2 in every other bin: 300 of them, each 300 * 30**2 in the mean.
        assert np.median(mean) == pytest.approx(300 * 900, rel=0.1)


def test_noise_differs_by_spread_or_by_mean():
    table = load("odd_db3")
    X, y = table.X.to_numpy(), table.y
    assert np.bincount(y).tolist() == [600, 1500]
    mean, deviation = X.mean(axis=1), X.std(axis=1)
    for k, (wide, high) in enumerate([(100, 54), (60, 34)]):
        first, second = np.array_split(np.flatnonzero(y == k), 2)
        assert deviation[first].mean() == pytest.approx(wide, abs=1)
        assert mean[first].mean() == pytest.approx(40, abs=1)
        assert deviation[second].mean() == pytest.approx(80, abs=1)
        assert mean[second].mean() == pytest.approx(high, abs=1)


def test_another_state_draws_others():
    first, again, other = (load("odd_db1", random_state=state).X for state in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.isclose(first, other).any(axis=None)
