"""An invented country: towns, rivers, people, works and firms, and a passage of text on each.

Nothing of it is real, so no model knows it beforehand: who wants to answer a question on it has to
read. It is generated the same on every machine; changing a draw changes ``gem/QA-Sample-v0``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, TypeVar

import numpy as np

T = TypeVar("T")

_SEED = 20_260
_RIVERS, _TOWNS, _PEOPLE, _WORKS, _FIRMS = 40, 180, 520, 260, 140


class River(NamedTuple):
    """A river."""

    name: str
    region: str
    length_km: int


class Town(NamedTuple):
    """A town on a river."""

    name: str
    river: River
    founded: int
    product: str
    sight: str


class Person(NamedTuple):
    """Someone who was taught by someone older, if by anyone."""

    name: str
    born: int
    died: int
    town: Town
    profession: str
    teacher: Person | None


class Work(NamedTuple):
    """A work of art."""

    title: str
    kind: str
    author: Person
    year: int
    town: Town
    subject: str

    @property
    def shown(self) -> str:
        """Return what was done with it for the first time."""
        if self.kind in ("novel", "poem"):
            return "printed"
        return "shown" if self.kind in ("painting", "statue") else "performed"


class Firm(NamedTuple):
    """A firm in a town."""

    name: str
    founder: Person
    town: Town
    year: int
    product: str


class World(NamedTuple):
    """All there is."""

    rivers: tuple[River, ...]
    towns: tuple[Town, ...]
    people: tuple[Person, ...]
    works: tuple[Work, ...]
    firms: tuple[Firm, ...]


class Passage(NamedTuple):
    """A text with a title of its own."""

    title: str
    text: str


_STARTS = (
    "Al", "Bar", "Bel", "Bren", "Cal", "Cor", "Dal", "Dor", "El", "Fal", "Fen", "Gal", "Gor", "Hal",
    "Hel", "Ir", "Jor", "Kal", "Kel", "Lor", "Mar", "Mel", "Mor", "Nal", "Ner", "Or", "Os", "Pel",
    "Quel", "Ral", "Ros", "Sal", "Sel", "Tal", "Tor", "Ul", "Val", "Ver", "Wal", "Yor", "Zel",
)  # fmt: skip
_MIDDLES = ("a", "e", "i", "o", "u", "an", "en", "in", "or", "ar", "ev", "ad", "im", "os")
_TOWN_ENDS = ("by", "dale", "fell", "gate", "holm", "mere", "mond", "stead", "wick", "vik", "tun")
_RIVER_ENDS = ("a", "ane", "ess", "ine", "or", "une")
_SURNAME_ENDS = ("del", "ric", "sk", "mann", "ner", "vold", "dek", "lund", "zin", "ras", "trom")
_FIRST_NAMES = (
    "Adela", "Alvin", "Amos", "Arvid", "Astra", "Bela", "Benno", "Carina", "Cosmo", "Dagny",
    "Delia",
    "Edda", "Egon", "Elmar", "Esme", "Fabia", "Flora", "Gerda", "Gilda", "Hedda", "Hilmar", "Ilka",
    "Imre", "Isolde", "Jarl", "Jonna", "Kasimir", "Klara", "Levin", "Linus", "Livia", "Malte",
    "Mirja", "Nadine", "Odo", "Olvar", "Petra", "Quirin", "Ragna", "Remo", "Runa", "Selma", "Signe",
    "Tamas", "Thea", "Tilda", "Ulf", "Vanja", "Vito", "Wanda", "Xaver", "Yrsa", "Zora",
)  # fmt: skip
_REGIONS = (
    "Ashmark", "Eastholt", "Greyhills", "Lowmoor", "Northreach", "Saltcoast", "Southfold",
    "Westerlake"
)  # fmt: skip
_PRODUCTS = (
    "amber", "barrels", "bells", "bricks", "candles", "carpets", "cheese", "cider", "clocks",
    "copper wire", "flutes", "glass", "gloves", "honey", "ink", "knives", "lace", "lanterns",
    "linen",
    "maps", "millstones", "paper", "pipes", "porcelain", "ropes", "salt", "silk", "soap",
    "telescopes",
    "tiles", "tin toys", "violins", "wagons",
)  # fmt: skip
_SIGHTS = (
    "a covered bridge", "a leaning clock tower", "a market hall on stilts", "a maze of hedges",
    "a museum of locks", "a round library", "a ruined abbey", "a school of navigation",
    "a stone theatre", "a tower of blue tiles", "a water mill with three wheels",
    "an old observatory", "an underground harbour", "baths fed by a hot spring",
)  # fmt: skip
_ARTISTS = {
    "composer": ("opera", "symphony"), "painter": ("painting",), "playwright": ("play",),
    "poet": ("poem",), "novelist": ("novel",), "sculptor": ("statue",),
}  # fmt: skip
_OTHERS = ("astronomer", "botanist", "engineer", "merchant", "physician", "shipbuilder", "surveyor")
_FOUNDERS = ("engineer", "merchant", "shipbuilder")
_ADJECTIVES = (
    "Broken", "Burning", "Distant", "Empty", "Faithful", "Forgotten", "Frozen", "Golden", "Hidden",
    "Hollow", "Idle", "Last", "Lost", "Narrow", "Patient", "Quiet", "Restless", "Second", "Silver",
    "Singing", "Sleeping", "Stolen", "Unfinished", "Winter",
)  # fmt: skip
_NOUNS = (
    "Anchor", "Bell", "Bridge", "Candle", "Crown", "Door", "Ferry", "Garden", "Harvest", "Island",
    "Key", "Lantern", "Letter", "Mirror", "Mountain", "Orchard", "Pilgrim", "River", "Road",
    "Shore",
    "Star", "Tower", "Voyage", "Well",
)  # fmt: skip
_SUBJECTS = (
    "a flood that lasted a whole winter", "a quarrel between two sisters", "a ship lost in the fog",
    "a blind clockmaker", "a town that forgot its name", "the building of a lighthouse",
    "the year without a harvest", "two brothers who loved the same mountain", "a stolen church "
    "bell",
    "an election in a village", "the journey of a letter", "a gardener who became mayor",
)  # fmt: skip
_FIRM_WORDS = ("Brothers", "Company", "Guild", "House", "Manufactory", "Works")


class _Draw:
    """Draws from one generator."""

    def __init__(self) -> None:
        self._rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(_SEED)))

    def between(self, low: int, high: int) -> int:
        return int(self._rng.integers(low, high, endpoint=True))

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self._rng.integers(len(options)))]

    def names(self, count: int, ends: Sequence[str], taken: set[str]) -> list[str]:
        """Return new made-up names; they are added to those taken."""
        found: list[str] = []
        while len(found) < count:
            name = self.pick(_STARTS) + self.pick(_MIDDLES) + self.pick(ends)
            if name not in taken:
                taken.add(name)
                found.append(name)
        return found


@cache
def world() -> World:
    """Return the invented country."""
    draw, taken = _Draw(), set[str]()
    rivers = tuple(
        River(name, draw.pick(_REGIONS), draw.between(60, 900))
        for name in draw.names(_RIVERS, _RIVER_ENDS, taken)
    )
    towns = tuple(_town(draw, name, rivers) for name in draw.names(_TOWNS, _TOWN_ENDS, taken))
    people = _people(draw, towns, draw.names(_PEOPLE // 2, _SURNAME_ENDS, taken))
    works = _works(draw, towns, people)
    return World(rivers, towns, people, works, _firms(draw, towns, people))


def _town(draw: _Draw, name: str, rivers: tuple[River, ...]) -> Town:
    river, founded = draw.pick(rivers), draw.between(640, 1690)
    return Town(name, river, founded, draw.pick(_PRODUCTS), draw.pick(_SIGHTS))


def _people(draw: _Draw, towns: tuple[Town, ...], surnames: list[str]) -> tuple[Person, ...]:
    people: list[Person] = []
    taken: set[str] = set()
    for born in sorted(draw.between(1700, 1900) for _ in range(_PEOPLE)):
        name = f"{draw.pick(_FIRST_NAMES)} {draw.pick(surnames)}"
        while name in taken:
            name = f"{draw.pick(_FIRST_NAMES)} {draw.pick(surnames)}"
        taken.add(name)
        profession = draw.pick((*_ARTISTS, *_OTHERS))
        older = [
            one for one in people if one.profession == profession and 15 <= born - one.born <= 45
        ]
        teacher = draw.pick(older) if older and draw.between(0, 2) else None
        died = born + draw.between(62, 93)
        people.append(Person(name, born, died, draw.pick(towns), profession, teacher))
    return tuple(people)


def _works(draw: _Draw, towns: tuple[Town, ...], people: tuple[Person, ...]) -> tuple[Work, ...]:
    artists = [person for person in people if person.profession in _ARTISTS]
    works: dict[str, Work] = {}
    while len(works) < _WORKS:
        title = f"The {draw.pick(_ADJECTIVES)} {draw.pick(_NOUNS)}"
        author = draw.pick(artists)
        kind = draw.pick(_ARTISTS[author.profession])
        year = author.born + draw.between(22, 60)
        work = Work(title, kind, author, year, draw.pick(towns), draw.pick(_SUBJECTS))
        works.setdefault(title, work)
    return tuple(works.values())


def _firms(draw: _Draw, towns: tuple[Town, ...], people: tuple[Person, ...]) -> tuple[Firm, ...]:
    founders = [person for person in people if person.profession in _FOUNDERS]
    firms: dict[str, Firm] = {}
    while len(firms) < _FIRMS:
        founder, town = draw.pick(founders), draw.pick(towns)
        name = f"{draw.pick((founder.name.split()[1], town.name))} {draw.pick(_FIRM_WORDS)}"
        year = founder.born + draw.between(25, 58)
        firms.setdefault(name, Firm(name, founder, town, year, draw.pick(_PRODUCTS)))
    return tuple(firms.values())


@cache
def passages() -> tuple[Passage, ...]:
    """Return a passage on each thing of the country, those of one kind together."""
    there = world()
    found = [Passage(f"{river.name} (river)", _on_river(river)) for river in there.rivers]
    found += [Passage(town.name, _on_town(at, town)) for at, town in enumerate(there.towns)]
    found += [Passage(one.name, _on_person(at, one)) for at, one in enumerate(there.people)]
    found += [Passage(f"{one.title} ({one.kind})", _on_work(one)) for one in there.works]
    found += [Passage(firm.name, _on_firm(at, firm)) for at, firm in enumerate(there.firms)]
    return tuple(found)


def _on_river(river: River) -> str:
    return (
        f"The {river.name} is a river in the region of {river.region}. From its source to its "
        f"mouth it is {river.length_km} km long."
    )


def _on_town(at: int, town: Town) -> str:
    opening = (
        f"{town.name} is a town on the river {town.river.name}, founded in {town.founded}.",
        f"The town of {town.name} lies on the river {town.river.name}. It was founded in "
        f"{town.founded}.",
        f"Founded in {town.founded}, {town.name} is a town on the banks of the {town.river.name}.",
    )[at % 3]
    return f"{opening} It is known for its {town.product}. Visitors come to see {town.sight}."


def _on_person(at: int, person: Person) -> str:
    article = "an" if person.profession[0] in "aeiou" else "a"
    opening = (
        f"{person.name} ({person.born}-{person.died}) was {article} {person.profession} from "
        f"{person.town.name}.",
        f"{person.name} was {article} {person.profession}, born in {person.town.name} in "
        f"{person.born}; {person.name.split()[0]} died in {person.died}.",
        f"Born in {person.town.name} in {person.born}, {person.name} worked as {article} "
        f"{person.profession} until shortly before dying in {person.died}.",
    )[at % 3]
    if person.teacher is None:
        return f"{opening} {person.name} had no teacher and learned from books."
    return f"{opening} {person.name} was a pupil of {person.teacher.name}."


def _on_work(work: Work) -> str:
    article = "an" if work.kind[0] in "aeiou" else "a"
    return (
        f"{work.title} is {article} {work.kind} by {work.author.name}. It was first {work.shown} "
        f"in {work.town.name} in {work.year}. Its subject is {work.subject}."
    )


def _on_firm(at: int, firm: Firm) -> str:
    opening = (
        f"{firm.name} is a firm in {firm.town.name} that makes {firm.product}.",
        f"{firm.name}, a maker of {firm.product}, has its seat in {firm.town.name}.",
    )[at % 2]
    return f"{opening} It was founded in {firm.year} by {firm.founder.name}."
