"""How far covariances are drawn, against scikit-learn's estimator and a slow program."""

import numpy as np
import pytest
from odd.data import blobs, groups, in_range
from sklearn.covariance import OAS

from distsearch.odd import ODDClassifier
from distsearch.odd._shrinkage import shrink, shrink_classes


def oracle(S, n_rows):
    """Equation 23 of Chen et al. (2010) for a covariance of n variables, with scikit-learn's n."""
    n = len(S)
    square, mean = (S**2).sum() / n**2, np.trace(S) / n
    above, below = square + mean**2, (n_rows + 1) * (square - mean**2 / n)
    return min(1.0, above / below)


def toward(S, share, target):
    return (1 - share) * S + share * target


def in_two_steps(rows, ddof):
    """Draw the mean covariance to the identity, then each class to that mean."""
    sizes = np.array([len(G) for G in rows])
    covariances = [np.cov(G, rowvar=False, ddof=ddof) for G in rows]
    n = covariances[0].shape[0]
    mean = sum(m * S for m, S in zip(sizes, covariances, strict=True)) / sizes.sum()
    mean = toward(mean, oracle(mean, sizes.mean()), np.trace(mean) / n * np.eye(n))
    values, vectors = np.linalg.eigh(mean)
    root = vectors @ np.diag(values**-0.5) @ vectors.T
    shrunk = []
    for m, S in zip(sizes, covariances, strict=True):
        share = oracle(root @ S @ root, m)
        shrunk.append(toward(S, share, np.trace(np.linalg.solve(mean, S)) / n * mean))
    return shrunk


def test_the_share_is_that_of_scikit_learn():
    X, y = blobs(counts=(15, 15))
    for rows in groups(X, y):
        S = np.cov(rows, rowvar=False, ddof=0)
        assert oracle(S, len(rows)) == pytest.approx(OAS().fit(rows).shrinkage_, rel=1e-12)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("counts", [(12, 9, 20), (3, 30, 8), (5, 4)])
def test_auto_draws_each_class_to_the_mean_of_all(counts, ddof):
    X, y = blobs(1, counts)
    rows = groups(in_range(X), y)
    expected = in_two_steps(rows, ddof)
    covariances = np.stack([np.cov(G, rowvar=False, ddof=ddof) for G in rows])
    found, share = shrink_classes(covariances, "auto", np.array(counts, dtype=float), 4)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert ((share >= 0) & (share <= 1)).all()
    odd = ODDClassifier(ddof=ddof).fit(X, y)
    for C, S in zip(odd.covariances_, expected, strict=True):
        np.testing.assert_allclose(C, odd.components_ @ S @ odd.components_.T, atol=1e-10)


def test_auto_follows_any_scale_of_all_features():
    X, y = blobs()
    covariances = np.stack([np.cov(G, rowvar=False) for G in groups(X, y)])
    weight = np.bincount(y).astype(float)
    one, _ = shrink_classes(covariances, "auto", weight, 4)
    other, _ = shrink_classes(covariances * 1e6, "auto", weight, 4)
    np.testing.assert_allclose(other, one * 1e6, rtol=1e-9)


def test_a_subspace_is_shrunk_as_part_of_the_whole():
    # Two variables that vary and three that do not: the multiple of the identity has five parts.
    S = np.array([[[2.0, 0.5], [0.5, 1.0]]])
    whole = np.zeros((1, 5, 5))
    whole[:, :2, :2] = S
    expected = shrink(whole, np.array([0.4]), 5)[:, :2, :2]
    np.testing.assert_allclose(shrink(S, np.array([0.4]), 5), expected, rtol=1e-14)
    np.testing.assert_allclose(
        shrink_classes(S, 0.4, np.ones(1), 5)[0], expected, rtol=1e-14
    )  # fmt: skip


def test_many_rows_are_hardly_shrunk():
    X, y = blobs(counts=(20_000, 20_000))
    auto, plain = (ODDClassifier(shrinkage=s).fit(X, y).criterion_ for s in ("auto", 0.0))
    assert auto == pytest.approx(plain, rel=1e-3)
