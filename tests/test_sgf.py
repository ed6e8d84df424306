"""SGF as such: trees out of a stream, main lines, escapes; and going on after damage."""

import io

import pytest

from dotzero.envs.records_source import LARGEST_RECORD, Chunk, Source
from dotzero.envs.sgf import main_line, next_tree, plain, raw

ROOT = "(;GM[40]SZ[6]"


def trees(text):
    """Texts of all trees, and errors in their places."""
    source, found = Source(io.StringIO(text)), []
    while True:
        try:
            item = next_tree(source)
        except ValueError as error:
            found.append(str(error))
            continue
        if item is None:
            return found
        found.append((item.line, item.text))


def test_trees_of_a_collection_come_one_by_one():
    assert trees("\n(;A[1])(;B[2]\n(;C[3])(;D[4]))\n\n  (;E[x\n)(;\\]])") == [
        (2, "(;A[1])"),
        (2, "(;B[2]\n(;C[3])(;D[4]))"),
        (5, "(;E[x\n)(;\\]])"),
    ]
    assert trees("") == trees("\n \n") == []


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        (f"{ROOT};B[aa]\n{ROOT};B[bb])", ["line 1: the tree must end with ) before the next tree begins"]),
        (f"{ROOT};B[aa\n{ROOT};B[bb])", ["line 1: a value must end with ] before the next tree begins"]),
        (f"{ROOT};B[aa]{ROOT};B[bb])", ["line 1: the tree must end with ) before the next one begins"]),
        (f"junk\n{ROOT};B[bb])", ["line 1: a tree must begin with (;, got 'junk'"]),
        (f"{ROOT};B[aa]))\n{ROOT};B[bb])", ["line 1: a tree must begin with (;, got ')'"]),
    ],
)
def test_a_damaged_tree_costs_no_more_than_itself(text, errors):
    found = trees(text)
    assert [item for item in found if isinstance(item, str)] == errors
    assert found[-1][1] == f"{ROOT};B[bb])"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (f"{ROOT};B[aa]", "line 1: the tree must end with )"),
        (f"{ROOT};B[aa", "line 1: a value must end with ]"),
        (f"{ROOT};B[aa\\]", "line 1: a value must end with ]"),
    ],
)
def test_a_tree_without_an_end_is_an_error(text, error):
    assert trees(text) == [error]


def test_a_value_may_be_cut_anywhere_in_the_stream():
    """Pieces end at 65,536 characters, also between a backslash and what it takes."""
    for length in range(2**16 - 20, 2**16 - 8):
        text = f"(;C[{'x' * length}\\\\\\]y)];B[aa])"
        assert trees(text) == [(1, text)]


def test_a_tree_without_end_needs_little_memory():
    long = "(;C[" + "x" * (LARGEST_RECORD + 2**17)
    assert trees(long)[0] == f"line 1: a tree must have at most {LARGEST_RECORD} characters"


def test_deep_variations_are_read_without_recursion():
    text = "(;A[1]" * 50_000 + ")" * 50_000
    nodes, num_others = main_line(Chunk(1, trees(text)[0][1]))
    assert (len(nodes), num_others) == (50_000, 0)


def test_the_main_line_is_the_first_of_all_variations():
    nodes, num_others = main_line(Chunk(3, "(;A[1]\n;B[2](;C[3](;D[4])(;E[5]));\n(;F[6])(;G[7]))"))
    assert [node.properties for node in nodes] == [[(name, [str(i)])] for i, name in enumerate("ABCD", 1)]
    assert [node.line for node in nodes] == [3, 4, 4, 4]
    assert num_others == 3


def test_values_may_stand_apart():
    nodes, _ = main_line(Chunk(1, "( ; AB [aa]\n[bb] AW\t[cc];B\n[dd])"))
    assert [node.properties for node in nodes] == [
        [("AB", ["aa", "bb"]), ("AW", ["cc"])],
        [("B", ["dd"])],
    ]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("(A[1])", "line 1, node 0: a property must follow ;, got 'A[1]'"),
        ("(;A[1];[2])", "line 1, node 2: a value must follow a name, got '[2]'"),
        ("(;A[1]\n;B)", "line 2, node 2: B must have a value"),
        ("(;A[1]?)", "line 1, node 1: there must be no '?' between properties"),
        ("()", "line 1: a tree must have a node"),
    ],
)
def test_what_is_no_tree_is_named(text, error):
    with pytest.raises(ValueError, match="must") as caught:
        main_line(Chunk(1, text))
    assert str(caught.value) == error


@pytest.mark.parametrize("text", ["", "a", "]", "\\", "a\\]b\\\\", "two\nlines", "(;B[aa])", ":"])
def test_raw_values_read_back(text):
    assert plain(raw(text)) == text


def test_line_breaks_and_soft_ones():
    assert plain("a\\\nb\r\nc\n\rd\re") == "ab\nc\nd\ne"
