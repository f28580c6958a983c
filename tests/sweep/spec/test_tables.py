import pytest
from sweep.spec.studies import things, wrong_things

TABLE = 'table = "settings.csv"'


def params(folder, settings):
    return [dict(each.params) for each in things(folder, TABLE, settings=settings)]


def problems(folder, settings):
    return wrong_things(folder, TABLE, settings=settings)


def test_types_are_those_of_the_defaults(tmp_path):
    settings = "epochs,shuffle,eta\n2,True,1e-3\n,False,0.5\n4,,\n3.0,True,1\n"
    found = params(tmp_path, settings)
    expected = [
        {"epochs": 2, "shuffle": True, "eta": 0.001},
        {"shuffle": False, "eta": 0.5},
        {"epochs": 4},
        {"epochs": 3, "shuffle": True, "eta": 1.0},
    ]
    assert repr(found) == repr(expected)


@pytest.mark.parametrize(
    "settings",
    [
        "\ufeffepochs,mode\n1,a\n2,b\n",
        "epochs,mode\r\n1,a\r\n2,b\r\n",
        "epochs,mode\r1,a\r2,b",
        " epochs , mode\n 1 , a\n\n   \n2,\tb\t\n\n",
        '"epochs", "mode"\n"1", "a"\n2,b',
        "mode,epochs,label\na,1,first\nb,2,\n",
    ],
)
def test_ways_to_write_a_table(tmp_path, settings):
    assert params(tmp_path, settings) == [{"epochs": 1, "mode": "a"}, {"epochs": 2, "mode": "b"}]


def test_quoted_cells_keep_commas_and_line_ends(tmp_path):
    settings = 'mode,epochs\n"a, ""b""",1\n"two\nlines",2\n"[1,\n2]",3\n,4\n'
    found = things(tmp_path, TABLE, settings=settings)
    assert [each.params.get("mode") for each in found] == ['a, "b"', "two\nlines", [1, 2], None]
    assert [each.place for each in found] == [f"settings.csv:{line}" for line in (2, 3, 5, 7)]


def test_a_row_of_empty_cells_is_the_defaults(tmp_path):
    found = things(tmp_path, TABLE, settings="epochs,eta\n,\n3,\n")
    assert [each.label for each in found] == ["T(defaults)", "T(epochs=3)"]
    (only,) = things(tmp_path, TABLE, settings='epochs\n""\n')
    assert (only.label, dict(only.params)) == ("T", {})


def test_labels(tmp_path):
    found = things(tmp_path, TABLE, settings="label,epochs\nten,10\n,20\n")
    assert [each.label for each in found] == ["ten", "T(epochs=20)"]


NO_CSV = "Save the table as CSV in UTF-8, its columns separated by commas."


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("epochs\n2\n2.5\n", ["settings.csv:3: epochs: must be a whole number. Got 2.5 instead."]),
        (
            "epochs,mode,shuffle\n1,\"a\nb\",yes\nmany,,\n",
            [
                "settings.csv:2: shuffle: must be true or false. Got 'yes' instead.",
                "settings.csv:4: epochs: must be a whole number. Got 'many' instead.",
            ],
        ),
        (
            "eta\nx\nx\n1\nx\n",
            ["settings.csv:2: eta: must be a number. Got 'x' instead. (and 2 more settings)"],
        ),
        (
            "mode\n\"[1,\"\n",
            ["settings.csv:2: mode: must be a list such as [1, 2.5, 'a']. Got '[1,' instead."],
        ),
        (
            "epochs\n",
            ["settings.csv:1: has a header but no settings; add a row for each setting."],
        ),
        ("\n \n", ["settings.csv: has no header, only blank lines."]),
        (
            "epochs,eta\n1\n2,3,4\n5,6\n",
            [
                "settings.csv:2: has 1 cell, and the header has 2 columns. Leave a cell empty for "
                "a default, and put quotes around a cell with a comma.",
                "settings.csv:3: has 3 cells, and the header has 2 columns. Leave a cell empty for "
                "a default, and put quotes around a cell with a comma.",
            ],
        ),
        (
            "\neta,epochs, eta\n1,2.5,3\n",
            [
                "settings.csv:2: column 'eta' is there twice, as columns 1 and 3; remove one of "
                "them.",
                "settings.csv:3: epochs: must be a whole number. Got 2.5 instead.",
            ],
        ),
        (
            "eta,,\n1,2,3\n",
            [
                "settings.csv:1: column 2 has no name; name a parameter, or remove it.",
                "settings.csv:1: column 3 has no name; name a parameter, or remove it.",
            ],
        ),
        (
            "epoch,eta\n1,x\n",
            [
                "settings.csv:1: epoch: Thing has no parameter 'epoch'. Did you mean 'epochs'? Its "
                "parameters are epochs, shuffle, eta, mode.",
                "settings.csv:2: eta: must be a number. Got 'x' instead.",
            ],
        ),
        ("epochs;eta\n1;2\n", [f"settings.csv:1: has only the column 'epochs;eta'. {NO_CSV}"]),
        (
            'mode\na\n"b\n\n',
            [f"settings.csv:3: is not CSV: unexpected end of data. {NO_CSV}"],
        ),
        (
            'mode\n"a" b\n',
            [f"settings.csv:2: is not CSV: ',' expected after '\"'. {NO_CSV}"],
        ),
        (b"mode\na\n\xe9\n", [f"settings.csv:3: is not UTF-8 text: byte 0xe9. {NO_CSV}"]),
        (b"mode\na\0\n", [f"settings.csv:2: is not a text file: it has a zero byte. {NO_CSV}"]),
        (
            "epochs,eta,shuffle\n5,,\n5,1,\n5,,\n,0.1,\n10,0.1,true\n",
            [
                "settings.csv:4: has the same parameters as settings.csv:2; leave one of them out.",
                "settings.csv:6: has the same parameters as settings.csv:5; leave one of them out.",
            ],
        ),
        (
            "epochs,label\n1,a\n2,a\n3,\"b\nc\"\n",
            [
                "settings.csv:3: the label 'a' is also that of settings.csv:2; estimators need "
                "labels of their own.",
                "settings.csv:4: the label 'b\\nc' must be a text on one line without blanks at "
                "its ends.",
            ],
        ),
    ],
)  # fmt: skip
def test_mistakes_have_the_line_of_the_file(tmp_path, settings, expected):
    assert problems(tmp_path, settings) == expected


def test_files_that_are_no_tables(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    place = "study.toml:6: estimators[0].table"
    for name, end in {
        "folder": "is a folder, not a data file; name a file in it.",
        "zero": "is empty (0 bytes); a header line and rows are needed.",
        "setings": "does not exist. Did you mean 'settings.csv'?",
    }.items():
        found = wrong_things(tmp_path, f'table = "{name}.csv"', zero="", settings="eta\n1\n")
        assert found == [f"{place}: {tmp_path / name}.csv {end}"]


def test_a_parameter_of_the_entry_cannot_be_a_column(tmp_path):
    form = TABLE + "\nparams = { eta = 1 }"
    assert wrong_things(tmp_path, form, settings="eta,epochs\n1,2\n") == [
        "settings.csv:1: eta: eta is in params too, where it has one value; leave it out of one of "
        "them."
    ]
