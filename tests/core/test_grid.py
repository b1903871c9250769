from gem_gymnasium.core.grid import draw_grid


def test_a_small_board_has_numbers_of_one_digit() -> None:
    assert draw_grid(["AB.", "_CD"]).splitlines() == [
        "   1 2 3",
        "1: A B .",
        "2: _ C D",
    ]


def test_cells_stand_under_their_column_where_numbers_have_two_digits() -> None:
    lines = draw_grid(["ABCDEFGHIJ", "KLMNOPQRST"]).splitlines()
    assert lines == [
        "     1  2  3  4  5  6  7  8  9 10",
        " 1:  A  B  C  D  E  F  G  H  I  J",
        " 2:  K  L  M  N  O  P  Q  R  S  T",
    ]
    tall = draw_grid(["A"] * 10).splitlines()
    assert (tall[0], tall[1], tall[10]) == ("     1", " 1:  A", "10:  A")
