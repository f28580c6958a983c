import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distsearch.sweep.spec._lines import Lines

TEXT = '''\
# seed = 0
seed = 1
"quoted # key" = """
[not.a.table]
x = 1 \\""" still
"""
dotted . 'a.b' = 'c' # comment

[table]   # comment
list = [  # comment with ]
  1,
  "two, ]",
  { inner = [ 1,
      2 ], other.deep = """x
""" },
]
after = 1979-05-27 07:32:00

[[things]]
name = 'a'
[things.params]
k = 1
[[things.parts]]
x = 1
[[things.parts]]
x = 2
[[things]]
params.k = { a = 1, b = { c = 2 } }
name = "b"
  [[ things . parts ]]
  x = """a""""
  y = \'\'\'
\'\'\'\'\'
  z = ""
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("seed",), 2),
        (("quoted # key",), 3),
        (("dotted",), 7),
        (("dotted", "a.b"), 7),
        (("table",), 9),
        (("table", "list"), 10),
        (("table", "list", 0), 11),
        (("table", "list", 1), 12),
        (("table", "list", 2, "inner"), 13),
        (("table", "list", 2, "inner", 1), 14),
        (("table", "list", 2, "other", "deep"), 14),
        (("table", "after"), 17),
        (("things",), 19),
        (("things", 0), 19),
        (("things", 0, "name"), 20),
        (("things", 0, "params", "k"), 22),
        (("things", 0, "parts", 0, "x"), 24),
        (("things", 0, "parts", 1, "x"), 26),
        (("things", 1), 27),
        (("things", 1, "params", "k", "b", "c"), 28),
        (("things", 1, "name"), 29),
        (("things", 1, "parts", 0, "x"), 31),
        (("things", 1, "parts", 0, "y"), 32),
        (("things", 1, "parts", 0, "z"), 34),
        (("things", 1, "nothing"), 27),
        (("table", "list", 2, "nothing"), 13),
        (("nothing", 3, "at all"), 0),
    ],
)
def test_finds_a_key(path, line):
    tomllib.loads(TEXT)
    assert Lines(TEXT).of(path) == line


VALUES = st.sampled_from(
    [
        "1",
        "'#'",
        '"\\"]"',
        "[]",
        "[\n1,\n2]",
        "{}",
        "{ a.b = [1], 'c d' = {} }",
        '"""\n[x]\n"""',
        "'''\ny = 1\n'''",
        "07:32:00",
        "-1e-3 # [",
        "[ [1, [2]], # x = 1\n { a = '}' }\n]",
    ]
)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "[[array]]", "[[array]] # x", "[table{}]", "[array.sub{}]"]),
            st.lists(st.tuples(VALUES, st.sampled_from(["", "\n", "# y = 1\n\n"])), max_size=3),
        ),
        max_size=6,
    )
)
def test_finds_every_key_where_it_was_written(blocks):
    text, written, arrays = "", {}, 0
    for number, (header, pairs) in enumerate(blocks):
        table = ()
        if header.startswith("[["):
            table = ("array", arrays)
            arrays += 1
        elif header.startswith("[table"):
            table = (f"table{number}",)
        elif header.startswith("[array"):
            if not arrays:
                continue
            table = ("array", arrays - 1, f"sub{number}")
        elif number:
            continue
        if header:
            written[table] = text.count("\n") + 1
            text += header.format(number) + "\n"
        for place, (value, between) in enumerate(pairs):
            text += between
            written[(*table, f"key{place}")] = text.count("\n") + 1
            text += f"key{place} = {value}\n"
    tomllib.loads(text)
    lines = Lines(text)
    assert {path: lines.of(path) for path in written} == written
