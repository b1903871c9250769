"""Tasks on the shop's database: a generator each, with what is right in the end and a solution.

What is right is computed here, in Python, from the rows; the solution is SQL. Neither is ever in
the database. Every task changes something or asks for an answer, so that doing nothing is wrong.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gem_gymnasium.tasks.mcp_sqlite_shop import (
    CATEGORIES,
    CITIES,
    Rows,
    Shop,
    Tables,
    draw_shop,
)


class SqlTask(NamedTuple):
    """One task: a value, drawn by a generator from a seed."""

    name: str
    instruction: str
    shop: Shop
    expected: Tables
    """Every table and view in the end; the order of rows does not count."""
    solution: tuple[str, ...]
    """SQL statements that earn everything; the last may be the query whose answer is asked for."""
    answer: str = ""
    """What is asked for, or ``""``."""


class _Drawn(NamedTuple):
    """What a generator gives; tables that it does not name stay as they are."""

    instruction: str
    solution: tuple[str, ...]
    changed: Mapping[str, Rows] = {}
    answer: str = ""
    shop: Shop | None = None
    """The shop to begin with, if not the one that was drawn."""


def _raise_prices(shop: Shop, rng: np.random.Generator) -> _Drawn:
    category = CATEGORIES[int(rng.integers(len(CATEGORIES)))]
    more = int(rng.integers(5, 400))
    rows = tuple((*p[:3], p[3] + more, p[4]) if p[2] == category else p for p in shop.products)
    return _Drawn(
        f"Raise the price of every product of the category '{category}' by {more} cents.",
        (f"UPDATE products SET price_cents = price_cents + {more} WHERE category = '{category}'",),
        {"products": rows},
    )


def _cancel_orders(shop: Shop, rng: np.random.Generator) -> _Drawn:
    open_orders = [order for order in shop.orders if order[3] == "open"]
    customer = open_orders[int(rng.integers(len(open_orders)))][1]
    name = shop.customers[customer - 1][1]
    rows = tuple(
        (*o[:3], "cancelled") if o[1] == customer and o[3] == "open" else o for o in shop.orders
    )
    sql = (
        "UPDATE orders SET status = 'cancelled' WHERE status = 'open' AND customer_id = "
        f"(SELECT id FROM customers WHERE name = '{name}')"
    )
    what = f"Set the status of every open order of the customer {name} to 'cancelled'."
    return _Drawn(what, (sql,), {"orders": rows})


def _delete_orphans(shop: Shop, rng: np.random.Generator) -> _Drawn:
    gone = {int(number) for number in rng.permutation(60)[: int(rng.integers(3, 8))] + 1}
    orders = tuple(order for order in shop.orders if order[0] not in gone)
    return _Drawn(
        "Some rows of the table items belong to orders that no longer exist. Delete those rows.",
        ("DELETE FROM items WHERE order_id NOT IN (SELECT id FROM orders)",),
        {"items": tuple(item for item in shop.items if item[0] not in gone)},
        shop=shop._replace(orders=orders),
    )


def _merge_customers(shop: Shop, rng: np.random.Generator) -> _Drawn:
    customers = list(shop.customers)
    twins = {int(old) + 1: 21 + at for at, old in enumerate(rng.permutation(20)[:3])}
    customers += [(new, *customers[old - 1][1:]) for old, new in twins.items()]
    orders = list(shop.orders)
    for place, (old, new) in enumerate(twins.items()):
        orders[place] = (orders[place][0], new, *orders[place][2:])
        orders[-1 - place] = (orders[-1 - place][0], old, *orders[-1 - place][2:])
    back = {new: old for old, new in twins.items()}
    return _Drawn(
        "Some customers were entered twice, with the same name, email and city. Keep the one with "
        "the smallest id of each, let the orders of the others be its orders, and delete the "
        "others.",
        (
            "UPDATE orders SET customer_id = (SELECT min(b.id) FROM customers a JOIN customers b "
            "ON a.email = b.email WHERE a.id = orders.customer_id)",
            "DELETE FROM customers WHERE id NOT IN (SELECT min(id) FROM customers GROUP BY email)",
        ),
        {
            "customers": shop.customers,
            "orders": tuple((o[0], back.get(o[1], o[1]), *o[2:]) for o in orders),
        },
        shop=shop._replace(customers=tuple(customers), orders=tuple(orders)),
    )


def _count_by_city(shop: Shop, rng: np.random.Generator) -> _Drawn:
    name = f"orders_by_city_{int(rng.integers(10, 99))}"
    city_of = {customer[0]: customer[3] for customer in shop.customers}
    counts = Counter(city_of[order[1]] for order in shop.orders)
    return _Drawn(
        f"Make a table {name} with the columns city and orders: for each city from which there are "
        "orders, how many there are.",
        (
            f"CREATE TABLE {name} AS SELECT c.city AS city, count(*) AS orders FROM orders o "
            "JOIN customers c ON c.id = o.customer_id GROUP BY c.city",
        ),
        {name: tuple(counts.items())},
    )


def _add_totals(shop: Shop, rng: np.random.Generator) -> _Drawn:
    column = ("total_cents", "sum_cents", "amount_cents")[int(rng.integers(3))]
    totals = _totals(shop)
    return _Drawn(
        f"Add an integer column {column} to the table orders, behind the others, and fill it with "
        "each order's total: the sum of price times quantity over its items.",
        (
            f"ALTER TABLE orders ADD COLUMN {column} INTEGER",
            f"UPDATE orders SET {column} = (SELECT sum(p.price_cents * i.quantity) FROM items i "
            "JOIN products p ON p.id = i.product_id WHERE i.order_id = orders.id)",
        ),
        {"orders": tuple((*order, totals[order[0]]) for order in shop.orders)},
    )


def _restock(shop: Shop, rng: np.random.Generator) -> _Drawn:
    stocks = sorted(product[4] for product in shop.products)
    least = stocks[int(rng.integers(4, 12))] + 1
    rows = tuple((*p[:4], max(least, p[4])) for p in shop.products)
    return _Drawn(
        f"Of every product of which there are less than {least} in stock, set the stock to "
        f"{least}.",
        (f"UPDATE products SET stock = {least} WHERE stock < {least}",),
        {"products": rows},
    )


def _archive(shop: Shop, rng: np.random.Generator) -> _Drawn:
    dates = sorted(order[2] for order in shop.orders)
    before = dates[int(rng.integers(10, 40))]
    old = tuple(order for order in shop.orders if order[2] < before)
    if not old:  # all are of one day
        before, old = "2032-01-01", shop.orders
    return _Drawn(
        f"Move every order placed before {before} from the table orders to a new table old_orders "
        "with the same columns. Leave the items where they are.",
        (
            f"CREATE TABLE old_orders AS SELECT * FROM orders WHERE placed < '{before}'",
            f"DELETE FROM orders WHERE placed < '{before}'",
        ),
        {"old_orders": old, "orders": tuple(o for o in shop.orders if o[2] >= before)},
    )


def _clean_emails(shop: Shop, rng: np.random.Generator) -> _Drawn:
    spoilt = {int(place) for place in rng.permutation(20)[: int(rng.integers(4, 12))]}
    customers = tuple(
        (c[0], c[1], f" {c[2].upper()}" if at % 2 else f"{c[2].title()}  ", c[3])
        if at in spoilt
        else c
        for at, c in enumerate(shop.customers)
    )
    return _Drawn(
        "Clean the customers' emails: no white space at the ends, and small letters only.",
        ("UPDATE customers SET email = lower(trim(email))",),
        {"customers": shop.customers},
        shop=shop._replace(customers=customers),
    )


def _enter_order(shop: Shop, rng: np.random.Generator) -> _Drawn:
    customer = shop.customers[int(rng.integers(20))]
    bought = [shop.products[int(place)] for place in rng.permutation(20)[:2]]
    counts = [int(number) for number in rng.integers(1, 9, size=2)]
    day = f"2032-{int(rng.integers(1, 13)):02d}-{int(rng.integers(1, 29)):02d}"
    number = len(shop.orders) + 1
    return _Drawn(
        f"{customer[1]} places an order on {day}: {counts[0]} of the product '{bought[0][1]}' and "
        f"{counts[1]} of the product '{bought[1][1]}'. Enter it as order {number}, with the status "
        "'open', and take what is bought from the stock (which may fall below 0).",
        (
            f"INSERT INTO orders VALUES ({number}, {customer[0]}, '{day}', 'open')",
            f"INSERT INTO items VALUES ({number}, {bought[0][0]}, {counts[0]}), "
            f"({number}, {bought[1][0]}, {counts[1]})",
            *(
                f"UPDATE products SET stock = stock - {count} WHERE id = {product[0]}"
                for product, count in zip(bought, counts, strict=True)
            ),
        ),
        {
            "orders": (*shop.orders, (number, customer[0], day, "open")),
            "items": (
                *shop.items,
                *((number, p[0], n) for p, n in zip(bought, counts, strict=True)),
            ),
            "products": tuple(
                (*p[:4], p[4] - sum(n for b, n in zip(bought, counts, strict=True) if b == p))
                for p in shop.products
            ),
        },
    )


def _make_view(shop: Shop, rng: np.random.Generator) -> _Drawn:
    city = CITIES[int(rng.integers(len(CITIES)))]
    name = f"spent_in_{city.lower()}"
    totals = _totals(shop)
    spent: dict[int, int] = defaultdict(int)
    for order in shop.orders:
        spent[order[1]] += totals[order[0]]
    rows = tuple((c[1], spent[c[0]]) for c in shop.customers if c[3] == city and c[0] in spent)
    return _Drawn(
        f"Make a view {name} with the columns name and cents: for each customer from {city} who "
        "has ordered anything, what all their orders cost together, whatever their status.",
        (
            f"CREATE VIEW {name} AS SELECT c.name AS name, "
            "sum(p.price_cents * i.quantity) AS cents FROM customers c "
            "JOIN orders o ON o.customer_id = c.id JOIN items i ON i.order_id = o.id "
            "JOIN products p ON p.id = i.product_id "
            f"WHERE c.city = '{city}' GROUP BY c.id",
        ),
        {name: rows},
    )


def _dearest_order(shop: Shop, rng: np.random.Generator) -> _Drawn:
    month = int(rng.integers(1, 13))
    prefix = f"2031-{month:02d}"
    first = shop.orders[0]
    orders = ((first[0], first[1], f"{prefix}-15", first[3]), *shop.orders[1:])  # there is one
    shop = shop._replace(orders=orders)
    totals = _totals(shop)
    dearest = max(totals[order[0]] for order in orders if order[2].startswith(prefix))
    return _Drawn(
        f"What did the dearest order placed in the month {prefix} cost, in cents? An order costs "
        "the sum of price times quantity over its items. Change nothing.",
        (
            "SELECT sum(p.price_cents * i.quantity) AS cents FROM orders o JOIN items i ON "
            "i.order_id = o.id JOIN products p ON p.id = i.product_id WHERE o.placed LIKE "
            f"'{prefix}-%' GROUP BY o.id ORDER BY cents DESC LIMIT 1",
        ),
        answer=str(dearest),
        shop=shop,
    )


def _units_sold(shop: Shop, rng: np.random.Generator) -> _Drawn:
    product = shop.products[shop.items[int(rng.integers(len(shop.items)))][1] - 1]
    sold = sum(item[2] for item in shop.items if item[1] == product[0])
    return _Drawn(
        f"How many pieces of the product '{product[1]}' were ordered in all? Change nothing.",
        (f"SELECT sum(quantity) FROM items WHERE product_id = {product[0]}",),
        answer=str(sold),
    )


def _totals(shop: Shop) -> dict[int, int]:
    price = {product[0]: product[3] for product in shop.products}
    totals: dict[int, int] = defaultdict(int)
    for order, product, quantity in shop.items:
        totals[order] += price[product] * quantity
    return totals


GENERATORS: Mapping[str, Callable[[Shop, np.random.Generator], _Drawn]] = {
    "raise_prices": _raise_prices,
    "cancel_orders": _cancel_orders,
    "delete_orphans": _delete_orphans,
    "merge_customers": _merge_customers,
    "count_by_city": _count_by_city,
    "add_totals": _add_totals,
    "restock": _restock,
    "archive": _archive,
    "clean_emails": _clean_emails,
    "enter_order": _enter_order,
    "make_view": _make_view,
    "dearest_order": _dearest_order,
    "units_sold": _units_sold,
}


def draw_task(name: str, rng: np.random.Generator) -> SqlTask:
    """Draw a task of a generator; ``""``: of any."""
    names = list(GENERATORS)
    name = name or names[int(rng.integers(len(names)))]
    shop = draw_shop(rng)
    drawn = GENERATORS[name](shop, rng)
    begin = drawn.shop or shop
    expected = {**begin._asdict(), **drawn.changed}
    return SqlTask(name, drawn.instruction, begin, expected, drawn.solution, drawn.answer)


def is_done(task: SqlTask, tables: Tables | None, answer: str) -> bool:
    """Return whether the database holds what it should, and the answer is right."""
    if tables is None or tables.keys() != task.expected.keys():
        return False
    if any(_sorted(tables[name]) != _sorted(rows) for name, rows in task.expected.items()):
        return False
    return not task.answer or answer.strip() == task.answer


def _sorted(rows: Rows) -> list[Any]:
    """Return rows in an order that does not depend on theirs; 1 is not '1'."""
    return sorted(repr(row) for row in rows)
