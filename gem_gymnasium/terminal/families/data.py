"""Data: SQLite databases, CSV and JSON files."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gem_gymnasium.terminal.families.draws import NOUNS, PEOPLE, between, pick, pick_some, shuffled
from gem_gymnasium.terminal.scene import Scene
from gem_gymnasium.terminal.task import File, Look, Run, Task, lines_file, text_file

_PYTHON = "python3 - <<'END'\n{source}\nEND"


def _database(statements: Sequence[tuple[str, Iterable[Sequence[Any]]]]) -> bytes:
    """Return an SQLite file: what is left after these statements, each with its rows."""
    connection = sqlite3.connect(":memory:")
    try:
        for statement, rows in statements:
            connection.executemany(statement, rows) if rows else connection.execute(statement)
        connection.commit()
        return connection.serialize()
    finally:
        connection.close()


def _csv_file(rows: Sequence[Sequence[Any]]) -> File:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return text_file(stream.getvalue())


def _csv_rows(scene: Scene, path: str) -> list[list[str]]:
    """Return the rows of a CSV file; none if it is not there or is none."""
    try:
        rows = list(csv.reader(io.StringIO(scene.text(path) or "", newline=""), strict=True))
    except csv.Error:
        return []
    return [row for row in rows if row]


def sales_report(rng: np.random.Generator) -> Task:
    """Query a database and write what it says to a CSV file."""
    customers = list(enumerate(pick_some(rng, PEOPLE, 6), 1))
    orders = [
        (number, between(rng, 1, 6), between(rng, 100, 99_999), pick(rng, ("paid", "open", "paid")))
        for number in range(1, between(rng, 30, 45))
    ]
    sums: Counter[int] = Counter()
    for _, customer, cents, status in orders:
        if status == "paid":
            sums[customer] += cents
    totals = [(name, sums[number]) for number, name in customers]
    wanted = [[name, str(cents)] for name, cents in sorted(totals, key=lambda t: (-t[1], t[0]))]
    data = _database(
        [
            ("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)", ()),
            ("CREATE TABLE orders (id INTEGER, customer INTEGER, cents INTEGER, status TEXT)", ()),
            ("INSERT INTO customers VALUES (?, ?)", customers),
            ("INSERT INTO orders VALUES (?, ?, ?, ?)", orders),
        ]
    )
    source = (
        "import csv, sqlite3\n"
        "rows = sqlite3.connect('shop.db').execute(\"SELECT name, coalesce(sum(cents), 0) AS c \"\n"
        "  \"FROM customers LEFT JOIN orders ON customer = customers.id AND status = 'paid' \"\n"
        "  'GROUP BY customers.id ORDER BY c DESC, name')\n"
        "out = csv.writer(open('report.csv', 'w'), lineterminator='\\n')\n"
        "out.writerow(['customer', 'cents']); out.writerows(rows)"
    )
    head = ["customer", "cents"]
    return Task(
        name="sales_report",
        instruction=(
            "shop.db is an SQLite database with the tables customers (id, name) and orders (id, "
            "customer, cents, status). Write report.csv with the columns customer and cents (and "
            "these as its first line): for every customer the name and the sum of the cents of the "
            "orders whose status is paid, 0 if there is none. The largest sum comes first; of "
            "equal ones, the name that comes first in alphabetical order."
        ),
        files={"shop.db": File(data)},
        checks=(
            Look(lambda scene: _csv_rows(scene, "report.csv")[:2] == [head, *wanted][:2]),
            Look(lambda scene: _csv_rows(scene, "report.csv") == [head, *wanted], 2),
        ),
        solution=(_PYTHON.format(source=source),),
    )


_PRICES = (
    "python3 - 2>/dev/null <<'END'\n"
    "import sqlite3\n"
    "for row in sqlite3.connect('stock.db').execute('SELECT {columns} FROM items ORDER BY code'):\n"
    "    print(*row)\n"
    "END"
)


def update_prices(rng: np.random.Generator) -> Task:
    """Change a database as a CSV file says."""
    codes = [f"{name[:3].upper()}-{between(rng, 100, 999)}" for name in pick_some(rng, NOUNS, 14)]
    items = {code: (between(rng, 100, 9_999), between(rng, 0, 40)) for code in sorted({*codes})}
    known = list(items)
    new = [f"NEW-{number}" for number in range(1, between(rng, 3, 5))]
    gone = pick_some(rng, known, 2)
    changed = [code for code in pick_some(rng, known, 7) if code not in gone]
    changes = [(code, "price", between(rng, 10_000, 19_999)) for code in changed]
    changes += [(code, "add", between(rng, 100, 9_999)) for code in new]
    changes += [(code, "delete", "") for code in gone]
    after = {code: item for code, item in items.items() if code not in gone}
    for code, what, cents in changes:
        if what != "delete":
            after[code] = (int(cents), after[code][1] if what == "price" else 0)
    rows = [(code, *after[code]) for code in sorted(after)]
    data = _database(
        [
            ("CREATE TABLE items (code TEXT PRIMARY KEY, cents INTEGER, stock INTEGER)", ()),
            ("INSERT INTO items VALUES (?, ?, ?)", [(code, *item) for code, item in items.items()]),
        ]
    )
    source = (
        "import csv, sqlite3\n"
        "base = sqlite3.connect('stock.db')\n"
        "for code, what, cents in list(csv.reader(open('changes.csv')))[1:]:\n"
        "    if what == 'price':\n"
        "        base.execute('UPDATE items SET cents=? WHERE code=?', (cents, code))\n"
        "    if what == 'add': base.execute('INSERT INTO items VALUES (?, ?, 0)', (code, cents))\n"
        "    if what == 'delete': base.execute('DELETE FROM items WHERE code=?', (code,))\n"
        "base.commit()"
    )
    shown = "\n".join(f"{code} {cents}" for code, cents, _ in rows)
    whole = "\n".join(f"{code} {cents} {stock} integer" for code, cents, stock in rows)
    return Task(
        name="update_prices",
        instruction=(
            "stock.db is an SQLite database with the table items (code, cents, stock). Apply "
            "changes.csv (columns code, change, cents) to it: `price` sets the cents of an item, "
            "`add` adds an item with these cents and a stock of 0, `delete` deletes the item. "
            "Nothing else may change."
        ),
        files={
            "stock.db": File(data),
            "changes.csv": _csv_file([("code", "change", "cents"), *shuffled(rng, changes)]),
        },
        checks=(
            Run(_PRICES.format(columns="code, cents"), ("stock.db",), shown),
            Run(
                _PRICES.format(columns="code, cents, stock, typeof(cents)"), ("stock.db",), whole,
                weight=2,
            ),
        ),
        solution=(_PYTHON.format(source=source),),
    )  # fmt: skip


def join_tables(rng: np.random.Generator) -> Task:
    """Join two CSV files, one with commas inside its fields, into a JSON file."""
    teams = {f"t{number}": noun for number, noun in enumerate(pick_some(rng, NOUNS, 4), 1)}
    people = pick_some(rng, PEOPLE, 11)
    rows = [
        (f"{person}, {pick(rng, ('Dr.', 'M.A.', 'B.Sc.'))}", pick(rng, [*teams, "t9"]))
        for person in people
    ]
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name, team in rows:
        if team in teams:
            groups[teams[team]].append(name)
    wanted = {name: sorted(groups[name]) for name in teams.values()}
    source = (
        "import csv, json\n"
        "teams = {row['id']: row['name'] for row in csv.DictReader(open('teams.csv'))}\n"
        "found = {name: [] for name in teams.values()}\n"
        "for row in csv.DictReader(open('people.csv')):\n"
        "    if row['team'] in teams: found[teams[row['team']]].append(row['name'])\n"
        "for names in found.values(): names.sort()\n"
        "json.dump(found, open('teams.json', 'w'))"
    )

    def read(scene: Scene) -> Any:
        return json.loads(scene.text("teams.json") or "null")

    return Task(
        name="join_tables",
        instruction=(
            "teams.csv has the columns id and name, people.csv has name and team (the id of a "
            "team). Write teams.json: one JSON object whose keys are the names of all teams, each "
            "with a list of the names of its people in alphabetical order, empty if it has none. "
            "People of a team that is not in teams.csv are left out. Names may hold commas."
        ),
        files={
            "teams.csv": _csv_file([("id", "name"), *teams.items()]),
            "people.csv": _csv_file([("name", "team"), *rows]),
        },
        checks=(
            Look(lambda scene: {*read(scene)} == {*wanted}),
            Look(lambda scene: read(scene) == wanted, 2),
        ),
        solution=(_PYTHON.format(source=source),),
    )


def flatten_events(rng: np.random.Generator) -> Task:
    """Pick what is wanted from JSON lines, some of them broken, into a CSV file."""
    sensors = pick_some(rng, NOUNS, 5)
    lines: list[str] = []
    wanted: list[list[str]] = []
    broken = 0
    for number in range(1, between(rng, 25, 35)):
        sensor, value = pick(rng, sensors), between(rng, -500, 500)
        kind = pick(rng, ("reading", "reading", "reading", "status"))
        event = {"id": number, "kind": kind, "source": {"sensor": sensor, "unit": "C"}}
        event |= {"values": [value, value + 1]} if kind == "reading" else {"text": "ok"}
        line = json.dumps(event)
        if rng.random() < 0.12:
            line, broken = line[: len(line) // 2], broken + 1
        elif kind == "reading":
            wanted.append([str(number), sensor, str(value)])
        lines.append(line)
    lines.append('{"id": 0, "kind"')
    broken += 1
    wanted.sort(key=lambda row: (row[1], int(row[0])))
    source = (
        "import csv, json\n"
        "rows, broken = [], 0\n"
        "for line in open('events.jsonl'):\n"
        "    try: event = json.loads(line)\n"
        "    except ValueError: broken += 1; continue\n"
        "    if event['kind'] == 'reading':\n"
        "        rows.append([event['id'], event['source']['sensor'], event['values'][0]])\n"
        "rows.sort(key=lambda row: (row[1], row[0]))\n"
        "csv.writer(open('readings.csv', 'w'), lineterminator='\\n').writerows(rows)\n"
        "print(broken, file=open('broken.txt', 'w'))"
    )
    return Task(
        name="flatten_events",
        instruction=(
            "events.jsonl holds a JSON object a line; some lines are broken, and are no JSON. "
            "Write readings.csv without a header: for each event whose kind is reading its id, the "
            "sensor of its source and the first of its values, sorted by sensor (alphabetical) "
            "and then by id (as a number). Write the number of broken lines to broken.txt."
        ),
        files={"events.jsonl": lines_file(lines)},
        checks=(
            Look(lambda scene: scene.lines("broken.txt") == [str(broken)]),
            Look(lambda scene: _csv_rows(scene, "readings.csv") == wanted, 2),
        ),
        solution=(_PYTHON.format(source=source),),
    )


GENERATORS = {
    "sales_report": sales_report,
    "update_prices": update_prices,
    "join_tables": join_tables,
    "flatten_events": flatten_events,
}
