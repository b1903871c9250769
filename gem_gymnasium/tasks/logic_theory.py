"""Theories of facts and rules, as in RuleTaker: what follows from them, and how deep.

A theory is closed: what cannot be derived is false, and "not" in a rule is negation as failure.
Rules only lead from properties to later ones, so there is always one answer.

The depth of a statement is the number of rules that one has to go through in a row to see it:

- of a fact 0, of something derived 1 more than the deepest part of its shallowest derivation;
- of something that no rule concludes 0, of something else that fails 1 more than the greatest depth
  at which a rule for it fails, which a rule does at the shallowest of its conditions that fail.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


class Property(NamedTuple):
    """What can be said of someone: ``is kind`` or ``likes the dog``."""

    verb: str
    object: str


class Atom(NamedTuple):
    """Something said of someone."""

    subject: str
    property: Property


class Condition(NamedTuple):
    """A condition of a rule; its subject is ``""`` where it is whoever the rule is about."""

    subject: str
    property: Property
    positive: bool = True


class Rule(NamedTuple):
    """If all conditions hold then the conclusion does.

    ``subject`` is the one that the rule is about, or ``""`` if it is about everyone.
    """

    subject: str
    conditions: tuple[Condition, ...]
    conclusion: Property


class Theory(NamedTuple):
    """Facts and rules about some subjects."""

    subjects: tuple[str, ...]
    facts: frozenset[Atom]
    rules: tuple[Rule, ...]


class Verdict(NamedTuple):
    """Whether an atom holds, and how deep one has to look."""

    holds: bool
    depth: int


def verdicts(theory: Theory, properties: tuple[Property, ...]) -> dict[Atom, Verdict]:
    """Return what a theory says of each subject and property (backward, from goal to facts)."""
    by_conclusion: dict[Property, list[Rule]] = {}
    for rule in theory.rules:
        by_conclusion.setdefault(rule.conclusion, []).append(rule)

    @cache
    def judge(atom: Atom) -> Verdict:
        if atom in theory.facts:
            return Verdict(True, 0)
        derived: list[int] = []
        failed: list[int] = []
        for rule in by_conclusion.get(atom.property, ()):
            if rule.subject not in ("", atom.subject):
                continue
            met, unmet = list[int](), list[int]()
            for condition in rule.conditions:
                part = judge(Atom(condition.subject or atom.subject, condition.property))
                (met if part.holds == condition.positive else unmet).append(part.depth)
            if unmet:
                failed.append(1 + min(unmet))
            else:
                derived.append(1 + max(met))
        if derived:
            return Verdict(True, min(derived))
        return Verdict(False, max(failed, default=0))

    return {
        atom: judge(atom)
        for atom in (Atom(subject, prop) for subject in theory.subjects for prop in properties)
    }
