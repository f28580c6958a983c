import pytest

from distsearch.errors import SpecError
from distsearch.sweep import make_plan, read_plan
from distsearch.sweep.spec import read_spec

SOUND = """
seed = 5
[protocol]
folds = 3
[[data]]
source = "iris"
[[estimators]]
name = "knn"
grid = { n_neighbors = [1, 3] }
"""


def test_a_file_is_planned_as_its_spec_is(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(SOUND)
    ours, theirs = read_plan(path), make_plan(read_spec(path))
    assert ours.study == theirs.study
    assert ours.places == theirs.places


def test_mistakes_of_the_file_and_of_the_data_come_at_once_and_in_order(tmp_path):
    (tmp_path / "few.csv").write_text("x,y\n" + "1,a\n" * 9 + "2,b\n")
    path = tmp_path / "study.toml"
    path.write_text("""
scorers = ["accuracy", "roc_auc_ovr"]
[[data]]
source = "irs"
[[data]]
source = "few.csv"
target = "y"
[[data]]
source = "iris"
target = "colour"
[[estimators]]
name = "svc"
[[estimators]]
name = "knn"
params = { n_neighbours = 3 }
[[methods]]
name = "boxcoxx"
""")
    with pytest.raises(SpecError) as caught:
        read_plan(path)
    problems = caught.value.problems
    starts = [problem.split(" ")[0] for problem in problems]
    assert starts == [f"study.toml:{line}:" for line in (4, 5, 8, 11, 15, 17)], problems
    assert "'irs'" in problems[0]
    assert "few: Class 'b' has 1 of the rows" in problems[1]
    assert "'colour'" in problems[2]
    assert "svc: the metric 'roc_auc_ovr' needs" in problems[3]
    assert "Did you mean 'n_neighbors'" in problems[4]
    assert "Did you mean 'boxcox'" in problems[5]
