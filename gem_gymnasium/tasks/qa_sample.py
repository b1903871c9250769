"""Questions on the invented country of ``data/sample_world.py``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from gem_gymnasium.data.sample_world import (
    Firm,
    Passage,
    Person,
    River,
    Town,
    Work,
    passages,
    world,
)
from gem_gymnasium.tasks.qa import QaEnv
from gem_gymnasium.tasks.qa_generated import Asked, HopsConfig, rows_of
from gem_gymnasium.tasks.rows import Rows

__all__ = ["Passage", "QaSampleEnv", "passages", "questions"]


@cache
def questions() -> tuple[Asked, ...]:
    """Return every question, those on one thing together."""
    there = world()
    return (
        *[one for river in there.rivers for one in _on_river(river)],
        *[one for town in there.towns for one in _on_town(town)],
        *[one for person in there.people for one in _on_person(person)],
        *[one for work in there.works for one in _on_work(work)],
        *[one for firm in there.firms for one in _on_firm(firm)],
    )


_MADE = {
    "novel": "wrote", "poem": "wrote", "play": "wrote", "opera": "composed",
    "symphony": "composed", "painting": "painted", "statue": "made",
}  # fmt: skip


def _ask(kind: str, question: str, answer: str | int, hops: int = 1) -> Asked:
    return Asked(kind, question, (str(answer),), hops)


def _on_river(river: River) -> Iterator[Asked]:
    yield _ask("river_region", f"In which region is the river {river.name}?", river.region)
    lengths = (str(river.length_km), f"{river.length_km} km", f"{river.length_km} kilometres")
    yield Asked("river_length", f"How long is the river {river.name}, in km?", lengths, 1)


def _on_town(town: Town) -> Iterator[Asked]:
    name, river = town.name, town.river
    yield _ask("town_founded", f"In which year was the town of {name} founded?", town.founded)
    yield _ask("town_river", f"On which river does the town of {name} lie?", river.name)
    yield _ask("town_product", f"What is the town of {name} known for making?", town.product)
    question = f"In which region is the river on which the town of {name} lies?"
    yield _ask("town_region", question, river.region, 2)


def _on_person(person: Person) -> Iterator[Asked]:
    name, town, teacher = person.name, person.town, person.teacher
    yield _ask("person_born", f"In which year was {name} born?", person.born)
    yield _ask("person_died", f"In which year did {name} die?", person.died)
    yield _ask("person_town", f"From which town did {name} come?", town.name)
    yield _ask("person_profession", f"What was the profession of {name}?", person.profession)
    question = f"On which river does the town lie that {name} came from?"
    yield _ask("person_river", question, town.river.name, 2)
    question = f"In which year was the town founded that {name} came from?"
    yield _ask("person_founded", question, town.founded, 2)
    if teacher is not None:
        yield _ask("person_teacher", f"Who was the teacher of {name}?", teacher.name)
        question = f"In which year was the teacher of {name} born?"
        yield _ask("teacher_born", question, teacher.born, 2)
        question = f"From which town did the teacher of {name} come?"
        yield _ask("teacher_town", question, teacher.town.name, 2)


def _on_work(work: Work) -> Iterator[Asked]:
    said, author = f'the {work.kind} "{work.title}"', work.author
    made = _MADE[work.kind]
    yield _ask("work_author", f"Who {made} {said}?", author.name)
    first = f"first {work.shown}"
    yield _ask("work_year", f"In which year was {said} {first}?", work.year)
    yield _ask("work_town", f"In which town was {said} {first}?", work.town.name)
    question = f"From which town did the {author.profession} come who {made} {said}?"
    yield _ask("author_town", question, author.town.name, 2)
    question = f"In which year was the {author.profession} born who {made} {said}?"
    yield _ask("author_born", question, author.born, 2)
    question = f"On which river does the town lie in which {said} was {first}?"
    yield _ask("work_river", question, work.town.river.name, 2)
    if author.teacher is not None:
        question = f"Who was the teacher of the {author.profession} who {made} {said}?"
        yield _ask("author_teacher", question, author.teacher.name, 2)


def _on_firm(firm: Firm) -> Iterator[Asked]:
    name, founder = firm.name, firm.founder
    yield _ask("firm_founder", f"Who founded the firm {name}?", founder.name)
    yield _ask("firm_year", f"In which year was the firm {name} founded?", firm.year)
    if firm.town.name not in name:
        yield _ask("firm_town", f"In which town is the firm {name}?", firm.town.name)
    yield _ask("firm_product", f"What does the firm {name} make?", firm.product)
    question = f"From which town did the founder of the firm {name} come?"
    yield _ask("founder_town", question, founder.town.name, 2)
    question = f"In which year did the founder of the firm {name} die?"
    yield _ask("founder_died", question, founder.died, 2)
    question = f"On which river does the town lie in which the firm {name} has its seat?"
    yield _ask("firm_river", question, firm.town.river.name, 2)


class QaSampleEnv(QaEnv):
    """Answer a question on an invented country.

    ## Action Space
    ``UnicodeText``: any reply; the answer is in its last ``<answer></answer>`` (or as
    ``answer_format`` says).

    ## Observation Space
    ``UnicodeText``: the question, then one sentence on the answer's form; after the reply, whether
    it was right. The texts that hold the answers are not shown: ``passages()`` of this module is
    the corpus for a search tool.

    ## Rewards
    1 for a right answer, 0 for another; with ``metric="f1"`` the F1 of the words; -0.1 for a reply
    without an answer.

    ## Episode End
    Terminated by the reply.

    ## Information
    As in :class:`~gem_gymnasium.tasks.qa.QaEnv`; ``row_id`` names the kind of question.

    ## Arguments
    ``min_hops``, ``max_hops`` and ``metric``: see
    :class:`~gem_gymnasium.tasks.qa_generated.HopsConfig`; and those of
    :class:`~gem_gymnasium.tasks.dataset_task.Config` and
    :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    None: country, texts and questions are our own, and invented, so that no model knows them
    beforehand. An offline stand-in for the data sets of GEM's QA family.

    ## Version History
    v0: first release.
    """

    config_type = HopsConfig

    def open_rows(self, config: Any, /) -> Rows:
        """Return the questions."""
        return rows_of(questions(), config, "sample world")
