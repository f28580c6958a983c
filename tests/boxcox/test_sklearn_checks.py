import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from distsearch.boxcox import BoxCoxSearchCV, BoxCoxTransformer, SphericalGrid

BAYES = BoxCoxSearchCV(GaussianNB(), SphericalGrid(2), cv="resubstitution")


@pytest.mark.filterwarnings("ignore::RuntimeWarning:sklearn")
@pytest.mark.filterwarnings("ignore:Estimators warned:distsearch.errors.DistsearchWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        BoxCoxTransformer(),
        BoxCoxTransformer(0.5, standardize=False, out_of_range="extrapolate"),
        BoxCoxTransformer(BAYES),
        BoxCoxTransformer(passthrough=[0]),
        BAYES,
        BoxCoxSearchCV(Ridge(), "mle", cv="resubstitution"),
        BoxCoxSearchCV(GaussianNB(), SphericalGrid(2), cv="resubstitution", passthrough=[0]),
        BoxCoxSearchCV(make_pipeline(SimpleImputer(), GaussianNB()), SphericalGrid(2), cv=2),
    ]
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)
