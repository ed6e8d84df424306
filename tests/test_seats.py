"""Names, marks and colours of the two sides (R105, R147)."""

import pytest

from dotzero.play.seats import Colour, Language, Seat, level_label, seat_colours, seat_marks, seat_names

EN, RU = Language.EN, Language.RU


@pytest.mark.parametrize(
    ("seats", "english", "russian"),
    [
        ((Seat(), Seat(player="easy")), ("You", "Easy"), ("Вы", "Лёгкий")),
        (
            (Seat(player="zero:some/dir"), Seat(name="Anna")),
            ("Neural network", "Anna"),
            ("Нейросеть", "Anna"),
        ),
        ((Seat(), Seat()), ("Player 1", "Player 2"), ("Игрок 1", "Игрок 2")),
        ((Seat(player="hard"), Seat(player="hard")), ("Hard 1", "Hard 2"), ("Сложный 1", "Сложный 2")),
        ((Seat(name="Olga"), Seat(name="Olga")), ("Olga 1", "Olga 2"), ("Olga 1", "Olga 2")),
        ((Seat(), Seat(player="engine:./mine")), ("You", "engine:./mine"), ("Вы", "engine:./mine")),
    ],
)
def test_names_are_chosen_or_usual_and_never_the_same(seats, english, russian):
    assert seat_names(seats, EN) == english
    assert seat_names(seats, RU) == russian


@pytest.mark.parametrize(
    ("seats", "marks"),
    [
        ((Seat(name="Boris"), Seat(name="Anna")), ("B", "A")),
        ((Seat(name="Anna"), Seat(name="Andrey")), ("A1", "A2")),
        ((Seat(name="anna"), Seat(name="Andrey", mark="a")), ("A1", "a2")),
        ((Seat(name="Anna", mark="АБВ"), Seat(name="X", mark="абв")), ("АБ1", "аб2")),
        ((Seat(mark="*"), Seat(player="easy")), ("*", "E")),
        ((Seat(), Seat()), ("P1", "P2")),
    ],
)
def test_marks_are_first_letters_with_numbers_where_they_are_the_same(seats, marks):
    """R147: Anna and Andrey differ."""
    assert seat_marks(seats, EN) == marks
    assert len({mark.casefold() for mark in marks}) == 2


def test_the_person_is_blue_and_the_computer_red():
    """R105, R005; of two people the first is blue."""
    assert seat_colours((Seat(), Seat(player="easy"))) == (Colour.BLUE, Colour.RED)
    assert seat_colours((Seat(player="easy"), Seat())) == (Colour.RED, Colour.BLUE)
    assert seat_colours((Seat(), Seat())) == (Colour.BLUE, Colour.RED)


def test_levels_have_labels_in_both_languages():
    """R091, R160."""
    assert [level_label(level, RU) for level in ("easy", "medium@x=1", "hard", "insane", "zero")] == [
        *("Лёгкий", "Средний", "Сложный", "Безумный", "Нейросеть")
    ]


def test_a_seat_is_read_and_written():
    seat = Seat(player="easy@miss=0.3", name="  Two   words ", mark="x")
    assert seat.name == "Two words"
    assert Seat.from_json(seat.to_json()) == seat
    assert Seat.from_json({}) == Seat()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"name": "x" * 41}, "seat.name must be a text of at most 40 printable characters"),
        ({"name": "a\nb"}, "seat.name must be a text of at most 40 printable characters"),
        ({"name": "a\u200db"}, "seat.name must be a text of at most 40 printable characters"),
        ({"mark": "abcd"}, "seat.mark must be a text of at most 3 printable characters"),
        ({"mark": 5}, "seat.mark"),
        ({"player": ""}, "player must be KIND"),
        ({"player": 3}, "seat.player"),
        ({"player": "e" * 301}, "seat.player"),
        ({"colour": "red"}, "seat must have the fields player, name, mark"),
        ("easy", "seat must have the fields"),
    ],
)
def test_a_wrong_seat_is_refused_in_one_line(data, message):
    with pytest.raises(ValueError, match=f"^{message}") as error:
        Seat.from_json(data)
    assert "\n" not in str(error.value)
