"""Trains one model on one split of a data set and prints how well it does: `evaluate.py MODEL --split N --seed N`."""

import argparse
import json

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier


def models(seed):
    return {
        "naive-bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(random_state=seed),
        "forest": RandomForestClassifier(random_state=seed),
        "extra-trees": ExtraTreesClassifier(random_state=seed),
        "boosting": GradientBoostingClassifier(random_state=seed),
        "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "svm": make_pipeline(StandardScaler(), SVC()),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=models(0))
    parser.add_argument("--split", type=int, default=0, help="which half is trained on")
    parser.add_argument("--seed", type=int, default=0, help="of the model")
    arguments = parser.parse_args()

    x, y = load_breast_cancer(return_X_y=True)
    # The same two halves for every model with this number.
    x_train, x_test, y_train, y_test = train_test_split(
        x, y, test_size=0.5, stratify=y, random_state=arguments.split % 2**32
    )
    model = models(arguments.seed % 2**32)[arguments.model].fit(x_train, y_train)
    predicted = model.predict(x_test)
    print(f"{arguments.model}: {len(y_train)} patients to learn from, {len(y_test)} to judge by")
    print(json.dumps({
        "macro_f1": round(f1_score(y_test, predicted, average="macro"), 6),
        "accuracy": round(accuracy_score(y_test, predicted), 6),
    }))


if __name__ == "__main__":
    main()
