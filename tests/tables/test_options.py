import json

import pytest

from distsearch.errors import InvalidInputError
from distsearch.tables import ReadOptions, read_table


def test_plain_python_and_back():
    options = ReadOptions(";", "cp1252", ",", missing=["?", "-999"], categorical=["code"])
    again = ReadOptions.from_dict(json.loads(json.dumps(options.to_dict())))
    assert again == options
    assert hash(again) == hash(options)
    assert again.missing == ("?", "-999")


def test_defaults_fill_what_a_dict_leaves_out():
    assert ReadOptions.from_dict({}) == ReadOptions()


def test_one_text_is_one_marker():
    assert ReadOptions(missing="NA").missing == ("NA",)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delimiter": ",,"}, ["delimiter", "',,'"]),
        ({"delimiter": '"'}, ["delimiter", "quote"]),
        ({"delimiter": ""}, ["delimiter", "one ASCII character"]),
        ({"delimiter": "§"}, ["delimiter", "'§'"]),
        ({"delimiter": "\n"}, ["delimiter", "line end"]),
        ({"decimal": ";"}, ["decimal", "';'", "'.' or ','"]),
        ({"delimiter": ",", "decimal": ","}, ["delimiter", "decimal", "';'"]),
        ({"encoding": "latin-99"}, ["encoding", "'latin-99'", "cp1252"]),
        ({"missing": [1]}, ["missing", "[1]"]),
        ({"categorical": 3}, ["categorical", "3"]),
        ({"misssing": ["?"]}, ["'misssing'", "Did you mean 'missing'?"]),
    ],
)
def test_a_bad_option_is_named(options, words):
    with pytest.raises(InvalidInputError) as caught:
        ReadOptions.from_dict(options)
    for word in words:
        assert word in str(caught.value)


def test_leading_zeros_stay_apart_in_both_files(put):
    # Case DA-09: default reading leaves a single category.
    train = put("code,y\n007,1\n7,0\n007,1\n07,0\n7,1\n07,1\n007,0\n", "train.csv")
    test = put("code\n007\n7\n07\n", "test.csv")
    assert read_table(train)["code"].nunique() == 1
    options = ReadOptions.from_dict(ReadOptions(categorical=("code",)).to_dict())
    frame = read_table(train, options)
    assert frame["code"].value_counts().to_dict() == {"007": 3, "07": 2, "7": 2}
    assert frame["y"].tolist() == [1, 0, 1, 0, 1, 1, 0]
    assert read_table(test, options)["code"].tolist() == ["007", "7", "07"]


@pytest.mark.parametrize("name", ["klingon", "base64", "rot13", "undefined", "", "utf-8\0"])
def test_an_encoding_is_one_of_text(name):
    with pytest.raises(InvalidInputError, match="must be a text encoding"):
        ReadOptions(encoding=name)
