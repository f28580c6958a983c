"""Random series in classes of unequal size: the artificial sets of the ODD paper.

Bonyadi, Tieng and Reutens (2017), section 4. The upper ends of most ranges are lost in its text;
each range here is 10 wide, which is chosen, as is the number of samples of Db3. N(a, b) is taken to
have the standard deviation b.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SERIES", "draw_series"]

_SAMPLES = 300
_WIDTH = 10.0

# The lowest frequency of each class, and how many of its series train and test.
_WAVES: dict[str, tuple[tuple[float, int], ...]] = {
    "odd_db1": ((65.0, 550), (15.0, 1000)),
    "odd_db2": ((10.0, 550), (30.0, 750), (50.0, 1000), (70.0, 510)),
}
# Of each class the lowest standard deviation around 40, the lowest mean with deviation 80, and how
# many series there are.
_NOISE = ((95.0, 49.0, 600), (55.0, 29.0, 1500))

SERIES = (*_WAVES, "odd_db3")
"""Names of the sets."""


def draw_series(name: str, random_state: int) -> tuple[Any, Any]:
    """Return the series of a set, 300 samples a row, and the class of each.

    Parameters
    ----------
    name : str
        One of `SERIES`.
    random_state : int
        Seed.
    """
    import numpy as np

    rng = np.random.default_rng(random_state)
    if name in _WAVES:
        parts = [_waves(lowest, number, rng) for lowest, number in _WAVES[name]]
    else:
        parts = [_noise(*ranges, rng) for ranges in _NOISE]
    labels = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return np.vstack(parts), labels


def _waves(lowest: float, number: int, rng: np.random.Generator) -> Any:
    """Return a sin(2πzt) + 10 r cos(20πt) + 10 r' cos(400πt) + N(0, 30), t from 0 to 1.

    a is uniform in [15, 25], z in a range from `lowest` on, and both r in [0, 1].
    """
    import numpy as np

    t = np.arange(_SAMPLES) / _SAMPLES
    amplitude = rng.uniform(15.0, 15.0 + _WIDTH, (number, 1))
    frequency = rng.uniform(lowest, lowest + _WIDTH, (number, 1))
    slow, fast = rng.uniform(0.0, 10.0, (2, number, 1))
    return (
        amplitude * np.sin(2 * np.pi * frequency * t)
        + slow * np.cos(20 * np.pi * t)
        + fast * np.cos(400 * np.pi * t)
        + rng.normal(0.0, 30.0, (number, _SAMPLES))
    )


def _noise(deviation: float, mean: float, number: int, rng: np.random.Generator) -> Any:
    """Return N(40, b) for half of the series, b in a range, and N(a, 80) for the others."""
    import numpy as np

    half = number // 2
    wide = rng.uniform(deviation, deviation + _WIDTH, (half, 1))
    high = rng.uniform(mean, mean + _WIDTH, (number - half, 1))
    return np.vstack(
        [
            rng.normal(40.0, wide, (half, _SAMPLES)),
            rng.normal(high, 80.0, (number - half, _SAMPLES)),
        ]
    )
