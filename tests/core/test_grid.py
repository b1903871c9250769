from gem_gymnasium.core.grid import MAX_CELLS, draw_grid


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


def test_the_largest_board_shows_every_cell_in_its_place() -> None:
    cells = [chr(33 + i % 90) for i in range(MAX_CELLS)]
    rows = ["".join(cells[start : start + 16]) for start in range(0, MAX_CELLS, 16)]
    lines = draw_grid(rows).splitlines()
    assert lines[0].split() == [f"{column}" for column in range(1, 17)]
    assert [line.split(": ")[0] for line in lines[1:]] == [f"{row:2}" for row in range(1, 16)]
    assert [line[3:].replace(" ", "") for line in lines[1:]] == rows
