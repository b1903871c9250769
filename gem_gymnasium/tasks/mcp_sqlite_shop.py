"""The database of an invented shop, drawn from a seed, as plain rows; and a database's rows."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

Rows = tuple[tuple[Any, ...], ...]
Tables = Mapping[str, Rows]
"""The rows of each table and view, by its name."""

COLUMNS: Mapping[str, str] = {
    "customers": "id INTEGER PRIMARY KEY, name TEXT, email TEXT, city TEXT",
    "products": "id INTEGER PRIMARY KEY, name TEXT, category TEXT, price_cents INTEGER, "
    "stock INTEGER",
    "orders": "id INTEGER PRIMARY KEY, customer_id INTEGER, placed TEXT, status TEXT",
    "items": "order_id INTEGER, product_id INTEGER, quantity INTEGER",
}

FIRST_NAMES = (
    "Ada", "Bela", "Carl", "Dora", "Emil", "Fay", "Gus", "Hedda", "Ivo", "Jana", "Kurt", "Lena"
)  # fmt: skip
SURNAMES = ("Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple", "Oak", "Pine")
CITIES = ("Fenwick", "Oldhaven", "Marrow", "Tilby", "Quarren", "Sandholm")
CATEGORIES = ("tools", "paper", "lamps", "toys")
_KINDS = (
    ("small", "large", "plain", "fine", "sturdy"), ("hammer", "pen", "lantern", "kite", "box"),
)  # fmt: skip
STATUSES = ("open", "sent", "paid")

READ_S = 5.0
"""Seconds that reading a database back may take; views in it are the agent's."""

MAX_READ_ROWS = 10_000


class Shop(NamedTuple):
    """The tables, in the order of ``COLUMNS``."""

    customers: Rows
    products: Rows
    orders: Rows
    items: Rows


def draw_shop(rng: np.random.Generator) -> Shop:
    """Draw a shop of some 20 customers, 20 products and 60 orders."""

    def pick(options: tuple[str, ...]) -> str:
        return options[int(rng.integers(len(options)))]

    names = [f"{first} {last}" for first in FIRST_NAMES for last in SURNAMES]
    chosen = [names[int(place)] for place in rng.permutation(len(names))[:20]]
    customers = tuple(
        (number, name, f"{name.lower().replace(' ', '.')}@mail.example", pick(CITIES))
        for number, name in enumerate(chosen, start=1)
    )
    kinds = [f"{first} {second}" for first in _KINDS[0] for second in _KINDS[1]]
    products = tuple(
        (number, kinds[int(place)], CATEGORIES[number % 4], int(rng.integers(100, 9_000)),
         int(rng.integers(0, 60)))
        for number, place in enumerate(rng.permutation(len(kinds))[:20], start=1)
    )  # fmt: skip
    orders = tuple(
        (number, int(rng.integers(1, 21)), _date(rng), pick(STATUSES)) for number in range(1, 61)
    )
    items = tuple(
        (order[0], int(product) + 1, int(rng.integers(1, 6)))
        for order in orders
        for product in rng.permutation(20)[: int(rng.integers(1, 4))]
    )
    return Shop(customers, products, orders, items)


def _date(rng: np.random.Generator) -> str:
    return f"2031-{int(rng.integers(1, 13)):02d}-{int(rng.integers(1, 29)):02d}"


def write_shop(path: Path, shop: Shop) -> None:
    """Put a database with the shop in the place of what is there."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    with closing(sqlite3.connect(part)) as connection, connection:
        for (table, columns), rows in zip(COLUMNS.items(), shop, strict=True):
            connection.execute(f"CREATE TABLE {table} ({columns})")
            marks = ", ".join("?" * (columns.count(",") + 1))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    for suffix in ("-journal", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    part.replace(path)


def read_tables(path: Path) -> Tables | None:
    """Return what a database holds, or None if it cannot be read: an agent may have spoilt it.

    Covered: a view that never ends, rows without number, a broken file.
    """
    deadline = time.monotonic() + READ_S
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=1.0)) as connection:
            connection.text_factory = _decoded
            connection.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
            named = connection.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite|_%' ESCAPE '|' ORDER BY name"
            ).fetchmany(100)
            tables: dict[str, Rows] = {}
            for (name,) in named:
                quoted = name.replace('"', '""')
                rows = connection.execute(f'SELECT * FROM "{quoted}"').fetchmany(MAX_READ_ROWS + 1)
                if len(rows) > MAX_READ_ROWS:
                    return None
                tables[name] = tuple(rows)
            return tables
    except (sqlite3.Error, OverflowError, ValueError):
        return None


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")
