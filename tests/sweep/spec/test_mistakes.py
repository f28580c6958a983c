"""Every kind of mistake, each the only one in its file."""

import pytest
from sweep.spec.studies import problems, write

DATA = "[[data]]\nsource = 'iris'\n"
NB = "[[estimators]]\nname = 'nb'\n"

ENTRY_KEYS = "The keys here are label, name, params, data, settings, grid, table, tune, tune_cv."


def mistakes(folder, text, **tables):
    return problems(write(folder, text, sonar="a,target\n1,R\n", **tables))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "sed = 1",
            "study.toml:1: there is no key 'sed'. Did you mean 'seed'? The keys here are study, "
            "title, seed, scorers, baseline, protocol, limits, data, estimators, methods.",
        ),
        (
            "trust = ['mymodule']",
            "study.toml:1: there is no key 'trust': modules are trusted on the command line only, "
            "never by a study file. Leave the key out and use --trust MODULE.",
        ),
        (
            "study = 'a b'",
            "study.toml:1: study: must be a short name of letters, digits, '_', '.' and '-'. Got "
            "'a b' instead.",
        ),
        (
            'study = "a\\n"',
            "study.toml:1: study: must be a short name of letters, digits, '_', '.' and '-'. Got "
            "'a\\n' instead.",
        ),
        ("title = 3", "study.toml:1: title: must be a text. Got 3 instead."),
        (
            "\nseed = 'x'",
            "study.toml:2: seed: must be a whole number from 0 to 4294967295. Got 'x' instead.",
        ),
        (
            "seed = 4294967296",
            "study.toml:1: seed: must be a whole number from 0 to 4294967295. Got 4294967296 "
            "instead.",
        ),
        (
            "seed = true",
            "study.toml:1: seed: must be a whole number from 0 to 4294967295. Got True instead.",
        ),
        ("scorers = 'f1'", "study.toml:1: scorers: must be a list of texts. Got 'f1' instead."),
        ("scorers = []", "study.toml:1: scorers: must not be empty."),
        (
            "scorers = [\n'f1',\n'f1' ]",
            "study.toml:1: scorers: 'f1' is there twice; leave one out.",
        ),
        (
            "scorers = [\n'f1',\n'acuracy' ]",
            "study.toml:3: scorers[1]: there is no metric 'acuracy'. Did you mean 'accuracy' or "
            "'top_k_accuracy'? Metrics are scikit-learn's, such as 'accuracy', 'roc_auc' or "
            "'r2', and balanced_accuracy_ovr, balanced_accuracy_ovr_predicted, "
            "balanced_accuracy_ovr_signed, fit_seconds, predict_seconds; 'train_' before a name "
            "means the training rows.",
        ),
        (
            "baseline = 'nbb'",
            "study.toml:1: baseline: no method or estimator has the label 'nbb'. Did you mean "
            "'nb'? Methods are 'plain'; estimators are 'nb'.",
        ),
        ("protocol = 3", "study.toml:1: protocol: must be a table. Got 3 instead."),
        (
            "[protocol]\nkind = 'kfold'",
            "study.toml:2: protocol.kind: must be 'k-fold', 'hold-out', 'group-k-fold' or 'given'. "
            "Got 'kfold' instead. Did you mean 'k-fold'?",
        ),
        (
            "[protocol]\nfold = 3",
            "study.toml:2: protocol: there is no key 'fold'. Did you mean 'folds'? The keys here "
            "are kind, folds, repeats, test_size, train_rows.",
        ),
        (
            "[protocol]\nfolds = 1",
            "study.toml:2: protocol.folds: must be a whole number of at least 2. Got 1 instead.",
        ),
        (
            "[protocol]\nrepeats = 0.5",
            "study.toml:2: protocol.repeats: must be a whole number of at least 1. Got 0.5 "
            "instead.",
        ),
        (
            "protocol = { kind = 'hold-out', test_size = 1 }",
            "study.toml:1: protocol.test_size: must be a number above 0 and below 1. Got 1 "
            "instead.",
        ),
        (
            "protocol = { kind = 'hold-out', test_size = nan }",
            "study.toml:1: protocol.test_size: must be a finite number. Got nan instead.",
        ),
        (
            "[protocol]\ntest_size = 0.2",
            "study.toml:2: protocol.test_size: has no effect on the protocol 'k-fold', only on "
            "hold-out; leave it out.",
        ),
        (
            "[protocol]\nkind = 'hold-out'\nfolds = 3",
            "study.toml:3: protocol.folds: has no effect on the protocol 'hold-out', only on "
            "k-fold and group-k-fold; leave it out.",
        ),
        (
            "scorers = [ 'train_accuracy', 'train_fit_seconds' ]",
            "study.toml:1: scorers[1]: 'train_fit_seconds': times have no training rows of their "
            "own; leave the prefix 'train_' out.",
        ),
        (
            "protocol = { kind = 'hold-out', test_size = 0.5, train_rows = { a = 1, b = 2 } }",
            "study.toml:1: protocol.test_size: train_rows says already which rows are tested on: "
            "all others. Leave one of the two out.",
        ),
        (
            "protocol = { kind = 'hold-out', train_rows = { a = 0, b = 2 } }",
            "study.toml:1: protocol.train_rows.a: must be a whole number of at least 1. Got 0 "
            "instead.",
        ),
        (
            "protocol = { train_rows = { a = 1, b = 2 } }",
            "study.toml:1: protocol.train_rows: has no effect on the protocol 'k-fold', only on "
            "hold-out; leave it out.",
        ),
        (
            "[limits]\nunit_seconds = 0",
            "study.toml:2: limits.unit_seconds: must be a number above 0. Got 0 instead.",
        ),
        (
            "[limits]\nunit_seconds = inf",
            "study.toml:2: limits.unit_seconds: must be a finite number. Got inf instead.",
        ),
        (
            "[limits]\nunit_gib = 0",
            "study.toml:2: limits.unit_gib: must be a number above 0. Got 0 instead.",
        ),
        (
            "[limits]\nunit_gib = nan",
            "study.toml:2: limits.unit_gib: must be a finite number. Got nan instead.",
        ),
        (
            "[limits]\nfailures = -1",
            "study.toml:2: limits.failures: must be a whole number of at least 0. Got -1 instead.",
        ),
    ],
)
def test_in_general_keys(tmp_path, text, expected):
    assert mistakes(tmp_path, f"{text}\n{DATA}{NB}") == [expected]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (
            "sorce = 'iris'\nsource = 'iris'",
            "study.toml:2: data[0]: there is no key 'sorce'. Did you mean 'source' or 'scale'? The "
            "keys here are label, source, target, positive, columns, ignore, groups, splits, "
            "categorical, categories, missing, delimiter, encoding, decimal, impute, "
            "missing_target, dtype, scale, protocol, random_state.",
        ),
        (
            "label = 'x'",
            "study.toml:1: data[0]: source is missing; say which file or data set it is, such as "
            "source = 'iris'.",
        ),
        (
            "source = 'iris'\nlabel = ' x'",
            "study.toml:3: data[0].label: must be a text on one line without blanks at its ends. "
            "Got ' x' instead.",
        ),
        (
            "source = 'iris'\n[[data]]\nsource = 'Iris'",
            "study.toml:4: data[1]: the label 'iris' is also that of data[0] in study.toml:2; "
            "data sets need labels of their own.",
        ),
        (
            "source = 'sonar.csv'",
            "study.toml:1: data[0]: target is missing; name the column of the file that is to be "
            "learned.",
        ),
        (
            "source = 'iris'\npositive = 1.5",
            "study.toml:3: data[0].positive: must be a text, a whole number, true or false or a "
            "list. Got 1.5 instead.",
        ),
        ("source = 'iris'\npositive = []", "study.toml:3: data[0].positive: must not be empty."),
        (
            "source = 'iris'\ncolumns = [1]",
            "study.toml:3: data[0].columns[0]: must be a text that is not empty. Got 1 instead.",
        ),
        (
            "source = 'iris'\nignore = ['a', 'b', 'a']",
            "study.toml:3: data[0].ignore: 'a' is there twice; leave one out.",
        ),
        (
            "source = 'iris'\ngroups = 'patient'",
            "study.toml:3: data[0].groups: has no effect on the protocol 'k-fold'; leave it out, "
            "or choose kind = 'group-k-fold'.",
        ),
        (
            "source = 'iris'\nsplits = 'splits.csv'",
            "study.toml:3: data[0].splits: has no effect on the protocol 'k-fold'; leave it out, "
            "or choose kind = 'given'.",
        ),
        (
            "source = 'iris'\n[protocol]\nkind = 'group-k-fold'",
            "study.toml:1: data[0]: groups is missing, and the protocol 'group-k-fold' needs it; "
            "name the column that says which rows belong together.",
        ),
        (
            "source = 'iris'\n[protocol]\nkind = 'given'",
            "study.toml:1: data[0]: splits is missing, and the protocol 'given' needs it; name the "
            "file with the splits.",
        ),
        (
            "source = 'sonar.csv'\ntarget = 'target'\ndelimiter = ';;'",
            "study.toml:4: data[0].delimiter: delimiter must be one ASCII character other than a "
            "quote or a line end, such as ',' or ';'. Got ';;' instead.",
        ),
        (
            "source = 'sonar.csv'\ntarget = 'target'\ndecimal = ','\ndelimiter = ','",
            "study.toml:5: data[0].delimiter: delimiter and decimal are both ','; one of them must "
            "be another character, such as delimiter=';'.",
        ),
        (
            "source = 'sonar.csv'\ntarget = 'target'\nencoding = 'utf-9'",
            "study.toml:4: data[0].encoding: encoding must be a text encoding that Python knows, "
            "such as 'utf-8', 'cp1252' or 'utf-16'. Got 'utf-9' instead.",
        ),
        (
            "source = 'iris'\nencoding = 'latin-1'",
            "study.toml:3: data[0].encoding: has no effect on 'iris' of the catalogue; leave it "
            "out.",
        ),
        (
            "source = 'iris'\ncategories = 'onehot'",
            "study.toml:3: data[0].categories: must be 'target' or 'one-hot'. Got 'onehot' "
            "instead. Did you mean 'one-hot'?",
        ),
        (
            "source = 'iris'\nimpute = 'knn'",
            "study.toml:3: data[0].impute: must be 'error', 'median', 'mean' or 'most_frequent'. "
            "Got 'knn' instead.",
        ),
        (
            "source = 'iris'\nmissing_target = 'dropp'",
            "study.toml:3: data[0].missing_target: must be 'error' or 'drop'. Got 'dropp' instead. "
            "Did you mean 'drop'?",
        ),
        (
            "source = 'iris'\ndtype = 'float16'",
            "study.toml:3: data[0].dtype: must be 'float64' or 'float32'. Got 'float16' instead. "
            "Did you mean 'float64' or 'float32'?",
        ),
        (
            "source = 'iris'\nscale = [2, 1]",
            "study.toml:3: data[0].scale: must be two finite numbers, the lower one first. Got "
            "[2, 1] instead.",
        ),
        (
            "source = 'iris'\nscale = [1, 2, 3]",
            "study.toml:3: data[0].scale: must be a list of two numbers. Got [1, 2, 3] instead.",
        ),
        (
            "source = 'iris'\nrandom_state = 1",
            "study.toml:3: data[0].random_state: is for data sets that are generated, and 'iris' "
            "is bundled with scikit-learn; leave it out.",
        ),
        (
            "source = 'sonar.csv'\ntarget = 'target'\nrandom_state = 1",
            "study.toml:4: data[0].random_state: is for generated data sets of the catalogue, not "
            "for files; leave it out.",
        ),
        (
            "source = '$STUDY_TEST_UNSET/a.csv'\ntarget = 'x'",
            "study.toml:2: data[0].source: the environment variable 'STUDY_TEST_UNSET' in "
            "'$STUDY_TEST_UNSET/a.csv' is not set. Set it, or write the path without it.",
        ),
        (
            "source = 'sonr.csv'\ntarget = 'x'",
            "study.toml:2: data[0].source: {folder}/sonr.csv does not exist. Did you mean "
            "'sonar.csv'?",
        ),
        (
            "source = './iris'\ntarget = 'x'",
            "study.toml:2: data[0].source: {folder}/iris does not exist.",
        ),
        (
            "source = 'wdcb'",
            "study.toml:2: data[0].source: 'wdcb' is neither a file in {folder} nor a data set of "
            "the catalogue (breast_cancer, iris, wine, digits, diabetes, gaussian_quantiles, "
            "half_circles, blobs, random_classification, odd_db1, odd_db2, odd_db3). Did you mean "
            "'wdbc'?",
        ),
        (
            "source = '.'\ntarget = 'x'",
            "study.toml:2: data[0].source: {folder} is a folder, not a data file; name a file in "
            "it.",
        ),
    ],
)
def test_in_data(tmp_path, table, expected):
    found = mistakes(tmp_path, f"[[data]]\n{table}\n{NB}")
    assert found == [expected.format(folder=tmp_path)]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (
            "label = 'x'",
            "study.toml:3: estimators[0]: name is missing; say what it is, such as name = 'knn' or "
            "name = 'boxcox'.",
        ),
        (
            "name = 'nb'\nparam = {}",
            f"study.toml:5: estimators[0]: there is no key 'param'. Did you mean 'params'? "
            f"{ENTRY_KEYS}",
        ),
        (
            "name = 'brownboost'\nparams = { total_time = 1.0, target_error = 0.1 }",
            "study.toml:5: estimators[0].params: Only one of total_time and target_error can be "
            "given. Got total_time=1.0 and target_error=0.1 instead. Leave one of them None; the "
            "target is 1 - erf(sqrt(total_time)).",
        ),
        (
            "name = 'tre'",
            "study.toml:4: estimators[0].name: There is no estimator 'tre'. Did you mean 'tree'? "
            "Short names are knn, nb, svc, logistic, lda, qda, perceptron, mlp, tree, forest, odd, "
            "direct-lda, cbb, cbb-pooled, adaboost-resampling, pruneboost, brownboost, "
            "adaboost-kl, linear, ridge, lasso, svr, knn-regressor, mlp-regressor, tree-regressor, "
            "forest-regressor; any classifier or regressor of scikit-learn can be named by its "
            "class.",
        ),
        (
            "name = 'math:sqrt'",
            "study.toml:4: estimators[0].name: 'math:sqrt' would run code from 'math', which is "
            "not trusted. If you trust it, say so: --trust math.",
        ),
        (
            "name = 'nb'\n[[estimators]]\nname = 'ridge'",
            "study.toml:6: estimators[1].name: ridge is a regressor, and estimators[0] in "
            "study.toml:3 is a classifier. Make a study for each.",
        ),
        (
            "name = 'ridge'",
            "study.toml: the estimators are regressors, and the metric of a study that names none "
            "is 'accuracy'. Name one, such as scorers = ['r2'].",
        ),
        (
            "name = 'knn'\n[estimators.params]\np = 1\nn_neighbours = 5",
            "study.toml:7: estimators[0].params: KNeighborsClassifier has no parameter "
            "'n_neighbours'. Did you mean 'n_neighbors'? Its parameters are algorithm, leaf_size, "
            "metric, metric_params, n_jobs, n_neighbors, p, weights.",
        ),
        (
            "name = 'knn'\nparams = { n_neighbors = 0 }",
            "study.toml:5: estimators[0].params.n_neighbors: The 'n_neighbors' parameter of "
            "KNeighborsClassifier must be an int in the range [1, inf) or None. Got 0 instead.",
        ),
        (
            "name = 'knn'\nparams = { p = 1979-05-27 }",
            "study.toml:5: estimators[0].params.p: must be a text, a number, true or false, a list "
            "or a table. Got the date or time 1979-05-27 instead.",
        ),
        (
            "name = 'knn'\nsettings = [\n{ n_neighbors = 1 },\n{ n_neighbors = 2.5 },\n"
            "{ n_neighbors = 2.5, p = 1 }, { n_neighbors = 2.5, p = 3 } ]",
            "study.toml:7: estimators[0].settings[1].n_neighbors: The 'n_neighbors' parameter of "
            "KNeighborsClassifier must be an int in the range [1, inf) or None. Got 2.5 instead. "
            "(and 2 more settings)",
        ),
        ("name = 'knn'\nsettings = []", "study.toml:5: estimators[0].settings: must not be empty."),
        (
            "name = 'knn'\nsettings = [ { p = 1 }, 3 ]",
            "study.toml:5: estimators[0].settings[1]: must be a table. Got 3 instead.",
        ),
        ("name = 'knn'\ngrid = {}", "study.toml:5: estimators[0].grid: must not be empty."),
        (
            "name = 'knn'\n[estimators.grid]\np = 3",
            "study.toml:6: estimators[0].grid.p: must be a list of values. Got 3 instead.",
        ),
        (
            "name = 'knn'\ngrid.p = [1]\nsettings = [ { p = 1 } ]",
            "study.toml:5: estimators[0].grid: cannot be used together with settings; leave one of "
            "them out.",
        ),
        (
            "name = 'knn'\ngrid.p = [1]\ntable = 'a.csv'",
            "study.toml:6: estimators[0].table: cannot be used together with grid; leave one of "
            "them out.",
        ),
        (
            "name = 'knn'\ndata = ['i*', 'w*']",
            "study.toml:5: estimators[0].data[1]: no data set has a label like 'w*'. Labels are "
            "'iris'.",
        ),
        (
            "name = 'knn'\ndata = ['iris']\n[[data]]\nsource = 'wine'",
            "study.toml:6: data[1]: none of the estimators is for 'wine'; add it to the 'data' of "
            "one, or leave the data set out.",
        ),
        (
            "name = 'nb'\n[[methods]]\nname = 'boxcux'",
            "study.toml:6: methods[0].name: There is no method 'boxcux'. Did you mean 'boxcox' "
            "or 'boxcox-map'? Methods are plain, standardize, range, boxcox, boxcox-map.",
        ),
        (
            "name = 'nb'\n[[methods]]\nname = 'plain'\nparams = { x = 1 }",
            "study.toml:7: methods[0].params: The method 'plain' has no parameter 'x'. It has "
            "none.",
        ),
        (
            "name = 'nb'\n[[methods]]\nname = 'boxcox'\nparams = { strategy = 'full', epochs = 3 }",
            "study.toml:7: methods[0].params: epochs has no effect on the strategy 'full'; it "
            "belongs to iterative. Leave it out, or choose another strategy.",
        ),
        (
            "name = 'nb'\n[[methods]]\nname = 'boxcox'\n"
            "grid = { strategy = ['full', 'iterative'], epochs = [1, 2, 3] }",
            "study.toml:7: methods[0].grid: epochs has no effect on the strategy 'full'; it "
            "belongs to iterative. Leave it out, or choose another strategy. (and 2 more "
            "settings)",
        ),
        (
            "name = 'nb'\n[[methods]]\nname = 'boxcox-map'",
            "study.toml:5: methods[0]: boxcox-map needs either lambdas (one number for all "
            "features, or a list) or lambda_1, lambda_2, ..., one for each feature that is not "
            "categorical.",
        ),
        (
            "name = 'nb'\n[[methods]]\nname = 'boxcox-map'\nparams = { lambdas = [1, 'x'] }",
            "study.toml:7: methods[0].params.lambdas: lambdas must be a finite number or a list of "
            "them. Got [1, 'x'] instead.",
        ),
        (
            "name = 'nb'\n[[methods]]\nname = 'boxcox-map'\nparams = { lambda_1 = inf }",
            "study.toml:7: methods[0].params.lambda_1: lambda_1 must be a finite number. Got inf "
            "instead.",
        ),
        (
            "name = 'nb'\n[[methods]]\nname = 'plain'\n[[methods]]\nname = 'plain'",
            "study.toml:8: methods[1]: the label 'plain' is also that of methods[0] in "
            "study.toml:6; methods need labels of their own.",
        ),
        (
            "name = 'nb'\n[[methods]]\nname = 'plain'\ndata = ['iris']\n[[data]]\nsource = 'wine'",
            "study.toml:8: data[1]: none of the methods is for 'wine'; add it to the 'data' of "
            "one, or leave the data set out.",
        ),
    ],
)
def test_in_entries(tmp_path, entry, expected):
    assert mistakes(tmp_path, f"{DATA}[[estimators]]\n{entry}\n") == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DATA, "study.toml: estimators is missing; at least one table [[estimators]] is needed."),
        (NB, "study.toml: data is missing; at least one table [[data]] is needed."),
        (
            "[data]\nsource = 'iris'\n" + NB,
            "study.toml:1: data: must be a list of tables, [[data]]. Got a table instead.",
        ),
        ("data = []\n" + NB, "study.toml:1: data: must not be empty."),
        ("data = [3]\n" + NB, "study.toml:1: data[0]: must be a table. Got 3 instead."),
        ("", "study.toml: is empty; a study needs [[data]] and [[estimators]]."),
        ("# nothing\n", "study.toml: is empty; a study needs [[data]] and [[estimators]]."),
        (
            DATA + "seed = ",
            "study.toml:3: not TOML: Invalid value, at the end.",
        ),
        (
            DATA + "seed = 1 2\n" + NB,
            "study.toml:3: not TOML: Expected newline or end of document after a statement, at "
            "column 10.",
        ),
        (
            DATA + "seed = 1\nseed = 2\n" + NB,
            "study.toml:4: not TOML: a key is there twice, or is a value and a table, at column 9.",
        ),
        (
            "x = " + "[" * 5000,
            "study.toml: not TOML: lists in lists, too deep.",
        ),
        (
            DATA.encode() + b"# \xe9\n",
            "study.toml:3: is not UTF-8 text: byte 0xe9. Save the file in UTF-8.",
        ),
    ],
)
def test_in_whole_files(tmp_path, text, expected):
    assert mistakes(tmp_path, text) == [expected]


@pytest.mark.parametrize(
    ("baseline", "expected"),
    [
        (
            "knn",
            "study.toml:1: baseline: 'knn' stands for 2 settings; name one of 'knn(p=1)' and "
            "'knn(p=2)'.",
        ),
        (
            "plain",
            "study.toml:1: baseline: 'plain' is the label of an estimator and of a method; give "
            "one of them another label.",
        ),
    ],
)
def test_baselines_that_are_several(tmp_path, baseline, expected):
    text = (
        f"baseline = '{baseline}'\n{DATA}{NB}label = 'plain'\n"
        "[[estimators]]\nname = 'knn'\ngrid.p = [1, 2]\n"
    )
    assert mistakes(tmp_path, text) == [expected]


def test_metrics_of_classifiers_are_not_for_regressors(tmp_path):
    text = "scorers = [ 'r2', 'f1', 'fit_seconds' ]\n[[data]]\nsource = 'diabetes'\n"
    assert mistakes(tmp_path, text + "[[estimators]]\nname = 'ridge'") == [
        "study.toml:1: scorers[1]: 'f1' is a metric of classifiers, and the estimators are "
        "regressors. Use one such as 'r2'."
    ]


def test_all_come_at_once_in_the_order_of_the_file(tmp_path):
    text = """\
seed = -1
scorers = ["f1", "acuracy"]
baseline = "base"

[protocol]
fold = 5

[[data]]
source = "iris"
scale = [2, 1]

[[estimators]]
name = "knn"
table = "settings.csv"

[[estimators]]
name = "tre"

[[methods]]
name = "boxcox"
params = { gridsize = 2.5 }
"""
    found = mistakes(tmp_path, text, settings="p,n_neighbors\n1,0\n2,x\n")
    places = [each.partition(": ")[0] for each in found]
    assert places == [
        "study.toml:1",
        "study.toml:2",
        "study.toml:6",
        "study.toml:10",
        "settings.csv:2",
        "settings.csv:3",
        "study.toml:17",
        "study.toml:21",
    ]
