"""Statements to judge by facts and rules, like RuleTaker's, made by a seeded generator.

Half of the answers are True, of statements with "not" and of those without alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.graders import Grade, grade_qa
from gem_gymnasium.tasks.dice import Rng, between, chance, pick, pick_some, shuffled
from gem_gymnasium.tasks.logic import LogicEnv
from gem_gymnasium.tasks.logic_theory import Atom, Condition, Property, Rule, Theory, verdicts
from gem_gymnasium.tasks.rows import Generated, Row, Rows
from gem_gymnasium.tasks.synthetic import SyntheticConfig, need_range

MAX_DEPTH = 5

_PEOPLE = (
    "Anne", "Bob", "Charlie", "Dave", "Erin", "Fiona", "Gary", "Harry", "Ida", "Jack", "Kim",
    "Lena",
)  # fmt: skip
_ANIMALS = (
    "the bear", "the cat", "the cow", "the dog", "the fox", "the horse", "the lion", "the mouse",
    "the rabbit", "the squirrel", "the tiger", "the wolf",
)  # fmt: skip
_TRAITS = (
    "big", "blue", "brave", "calm", "clever", "cold", "furry", "gentle", "green", "happy", "kind",
    "lucky", "nice", "old", "proud", "quiet", "red", "rough", "round", "sad", "shy", "smart",
    "strong", "tired", "white", "young",
)  # fmt: skip
_VERBS = {
    "chases": "chase", "eats": "eat", "follows": "follow", "helps": "help", "likes": "like",
    "needs": "need", "sees": "see", "visits": "visit",
}  # fmt: skip

_INTRODUCTION = (
    "Below are facts and rules. Whatever cannot be derived from them is false, and where a rule "
    "says "
    '"not", it means that the contrary cannot be derived.'
)


class Judgement(NamedTuple):
    """A theory in words, a statement on it, and whether it is true."""

    question: str
    answer: str
    """``True`` or ``False``."""
    depth: int
    negated: bool
    """Whether the statement says "not"."""


def judgement(rng: Rng, *, depth: int, negation: bool = True) -> Judgement:
    """Draw a theory and a statement that takes ``depth`` rules in a row to judge.

    Args:
        rng: Where the draws come from.
        depth: From 0 to 5; see ``logic_theory.py``.
        negation: Whether rules may have conditions with "not".

    Raises:
        ConfigError: The depth is out of range.
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise ConfigError(f"depth must be from 0 to {MAX_DEPTH}, got {depth}")
    holds, negated = chance(rng, 0.5), chance(rng, 0.5)
    while True:  # a handful of draws
        animals = chance(rng, 0.5)
        theory, properties = _draw_theory(rng, depth, negation, animals)
        found = [
            atom
            for atom, verdict in verdicts(theory, properties).items()
            if verdict.holds == holds and verdict.depth == depth
        ]
        if found:
            atom = pick(rng, found)
            break
    sentences = [_capital(f"{_say(fact)}.") for fact in sorted(theory.facts)]
    sentences += [_say_rule(rng, rule, animals) for rule in theory.rules]
    question = (
        f"{_INTRODUCTION}\n\n{' '.join(shuffled(rng, sentences))}\n\n"
        f"Is this statement True or False? {_capital(_say(atom, not negated))}."
    )
    return Judgement(question, str(holds != negated), depth, negated)


def _draw_theory(
    rng: Rng, depth: int, negation: bool, animals: bool
) -> tuple[Theory, tuple[Property, ...]]:
    """Draw a theory around a chain of ``depth`` rules, and the order of its properties."""
    subjects = tuple(pick_some(rng, _ANIMALS if animals else _PEOPLE, between(rng, 3, 5)))
    properties = [Property("is", trait) for trait in pick_some(rng, _TRAITS, between(rng, 6, 8))]
    if animals:
        # nobody is the object of what is said of them: the objects are animals beside the subjects
        objects = [animal for animal in _ANIMALS if animal not in subjects]
        verbs = pick_some(rng, tuple(_VERBS), between(rng, 2, 3))
        relations = [Property(verb, pick(rng, objects)) for verb in verbs]
        properties = [*relations, *properties[len(relations) :]]
    order = tuple(shuffled(rng, properties))
    chain = sorted(pick_some(rng, range(len(order)), depth + 1))
    rules = [
        _draw_rule(rng, subjects, order, chain[at + 1], chain[at], negation) for at in range(depth)
    ]
    for _ in range(between(rng, 2, 4)):
        # what the chain leads to gets no rule beside it, which could be a short cut
        free = [at for at in range(1, len(order)) if at not in chain[1:]]
        if free:
            head = pick(rng, free)
            rules.append(
                _draw_rule(rng, subjects, order, head, between(rng, 0, head - 1), negation)
            )
    facts: set[Atom] = set()
    for subject in subjects:
        for at, prop in enumerate(order):
            odds = 0.5 if at == chain[0] else 0.08 if at in chain else 0.3
            if chance(rng, odds):
                facts.add(Atom(subject, prop))
    return Theory(subjects, frozenset(facts), tuple(dict.fromkeys(rules))), order


def _draw_rule(
    rng: Rng,
    subjects: tuple[str, ...],
    order: tuple[Property, ...],
    head: int,
    body: int,
    negation: bool,
) -> Rule:
    """Draw a rule from one property to a later one, at times with more conditions."""
    conditions = [Condition("", order[body])]
    if chance(rng, 0.45):
        other = between(rng, 0, head - 1)
        if other != body:
            about = pick(rng, subjects) if chance(rng, 0.2) else ""
            positive = not (negation and chance(rng, 0.4))
            conditions.append(Condition(about, order[other], positive))
    return Rule(pick(rng, subjects) if chance(rng, 0.12) else "", tuple(conditions), order[head])


# -- wording ----------------------------------------------------------------------------------


def _capital(text: str) -> str:
    """Return text with a capital first letter."""
    return text[0].upper() + text[1:]


def _predicate(prop: Property, positive: bool = True) -> str:
    """Return what is said of one: ``is not kind``, ``likes the dog``."""
    if prop.verb == "is":
        return f"is {prop.object}" if positive else f"is not {prop.object}"
    if positive:
        return f"{prop.verb} {prop.object}"
    return f"does not {_VERBS[prop.verb]} {prop.object}"


def _say(atom: Atom, positive: bool = True) -> str:
    """Return an atom or its contrary as a clause."""
    return f"{atom.subject} {_predicate(atom.property, positive)}"


def _say_rule(rng: Rng, rule: Rule, animals: bool) -> str:
    """Return a rule as a sentence."""
    traits = [condition for condition in rule.conditions if condition.property.verb == "is"]
    end = rule.conclusion
    they = f"are {end.object}" if end.verb == "is" else f"{_VERBS[end.verb]} {end.object}"
    simple = len(traits) == len(rule.conditions) and not rule.subject
    if simple and all(one.positive and not one.subject for one in traits) and chance(rng, 0.5):
        kind = "animals" if animals else "people"
        return f"All {', '.join(one.property.object for one in traits)} {kind} {they}."
    subject = rule.subject or ("an animal" if animals else "someone")
    clauses: list[str] = []
    for condition in sorted(rule.conditions, key=lambda one: one.subject != ""):
        who = condition.subject or ("" if clauses else subject)
        clauses.append(f"{who} {_predicate(condition.property, condition.positive)}".strip())
    if rule.subject:
        they = f"{rule.subject} {_predicate(end)}"
    else:
        they = f"it {_predicate(end)}" if animals else f"they {they}"
    return f"If {' and '.join(clauses)}, then {they}."


# -- env --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicRulesConfig(SyntheticConfig):
    """Statements of some depths.

    Args:
        min_depth: The least number of rules in a row, 0 to 5.
        max_depth: The greatest; each depth is as likely as any other.
        negation: Whether rules may have conditions with "not".

    Raises:
        ConfigError: There is no such range of depths.
    """

    min_depth: int = 0
    max_depth: int = MAX_DEPTH
    negation: bool = True

    def __post_init__(self) -> None:
        SyntheticConfig.__post_init__(self)
        need_range("depth", self.min_depth, self.max_depth, 0, MAX_DEPTH)


def draw(rng: Rng, *, min_depth: int, max_depth: int, negation: bool) -> Row:
    """Draw a row."""
    made = judgement(rng, depth=between(rng, min_depth, max_depth), negation=negation)
    return Row(f"depth{made.depth}", made.question, made.answer, gold=made.answer)


class LogicRulesEnv(LogicEnv):
    r"""Say whether a statement follows from generated facts and rules.

    ## Action Space
    ``UnicodeText``: any reply; the answer, ``True`` or ``False``, is in its last ``\boxed{}`` (or
    as ``answer_format`` says).

    ## Observation Space
    ``UnicodeText``: facts, rules and a statement, then one sentence on the answer's form; after
    the reply, whether it was right.

    ## Rewards
    1 for the right answer, 0 for another, -0.1 for a reply without an answer. Half of the answers
    are ``True``, so that a constant answer earns a half.

    ## Episode End
    Terminated by the reply.

    ## Information
    As in :class:`~gem_gymnasium.tasks.logic.LogicEnv`; ``row_id`` names the depth.

    ## Arguments
    ``min_depth``, ``max_depth``, ``negation``, ``size`` and ``data_seed``: see
    :class:`LogicRulesConfig`; and those of :class:`~gem_gymnasium.tasks.dataset_task.Config` and
    :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    After RuleTaker: Clark et al., "Transformers as Soft Reasoners over Language" (2020). Generator
    and wording are our own, and so is the exact meaning of depth (``logic_theory.py``).

    ## Version History
    v0: first release.
    """

    config_type = LogicRulesConfig

    def open_rows(self, config: Any, /) -> Rows:
        """Return the generator of the statements."""
        return Generated(
            draw,
            size=config.size,
            seed=config.data_seed,
            min_depth=config.min_depth,
            max_depth=config.max_depth,
            negation=config.negation,
        )

    def grade(self, config: Any, reply: str, row: Row, /) -> Grade:
        """Compare the answer with the right one, whatever its letter case."""
        return grade_qa(reply, row.answer, answer_format=config.answer_format)
