"""placeholder"""
from sklearn.tree import DecisionTreeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC
NAMES = ("tree", "svm", "mlp", "rbf", "stump")
def named_estimator(name):
    return {"tree": DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2), "svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear"))}[name]
