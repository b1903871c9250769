"""Tests for gem_gymnasium.tasks.logic_rules: the English is read back and chained forward."""

import re
from time import thread_time
from typing import NamedTuple

import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.tasks.dice import rng_of
from gem_gymnasium.tasks.logic_rules import MAX_DEPTH, Judgement, judgement
from gem_gymnasium.tasks.logic_theory import Atom, Condition, Property, Rule, Theory, verdicts

DEPTHS = range(MAX_DEPTH + 1)

# What is read from the text: a property is its words ("kind", "like the dog"), whoever it is of.
Literal = tuple[str, str, bool]  # subject ("" for the one a rule is about), property, positive
Said = tuple[list[Literal], Literal]


class Text(NamedTuple):
    """A question, read back."""

    facts: set[tuple[str, str]]
    rules: list[Said]
    statement: Literal
    names: set[str]


def clause(text: str, subject: str = "") -> Literal:
    """Read one clause; without a subject of its own it is about ``subject``."""
    found = re.fullmatch(
        r"(?:(someone|an animal|they|it|[Tt]he \w+|[A-Z]\w+) )?"
        r"(?:(is not|is|are|does not|do not) )?(\w+)( the \w+)?",
        text,
    )
    assert found, text
    who, verb, word, target = found.groups()
    if target:
        word = word if (verb or "").startswith("do") or who == "they" else word.removesuffix("s")
        word += target
    who = {"someone": "", "an animal": "", "they": "", "it": "", None: subject}.get(who, who)
    return (
        who[0].lower() + who[1:] if who.startswith("The") else who,
        word,
        "not" not in (verb or ""),
    )


def read(question: str) -> Text:
    """Read facts, rules and the statement from a question."""
    _, body, asked = question.split("\n\n")
    facts: set[tuple[str, str]] = set()
    rules: list[Said] = []
    names: set[str] = set()
    for sentence in re.findall(r"[^.]+", body):
        sentence = sentence.strip()
        if every := re.fullmatch(r"All (.+) (?:people|animals) (.+)", sentence):
            rules.append(
                ([("", word, True) for word in every[1].split(", ")], clause("they " + every[2]))
            )
        elif rule := re.fullmatch(r"If (.+), then (.+)", sentence):
            parts = rule[1].split(" and ")
            first = clause(parts[0])
            conditions = [first, *[clause(part, first[0]) for part in parts[1:]]]
            rules.append((conditions, clause(rule[2])))
        else:
            who, word, positive = clause(sentence)
            assert positive
            facts.add((who, word))
    statement = clause(re.fullmatch(r"Is this statement True or False\? (.+)\.", asked)[1])  # type: ignore[index]
    for conditions, end in rules:
        names |= {one[0] for one in [*conditions, end]}
    names |= {who for who, _ in facts} | {statement[0]}
    return Text(facts, rules, statement, names - {""})


def instances(text: Text) -> list[tuple[list[tuple[str, str, bool]], tuple[str, str]]]:
    """Return the rules with a name in the place of someone."""
    made = []
    for conditions, end in text.rules:
        for name in [end[0]] if end[0] else sorted(text.names):
            body = [(who or name, word, positive) for who, word, positive in conditions]
            made.append((body, (name, end[1])))
    return made


def forward(text: Text) -> set[tuple[str, str]]:
    """Chain forward, stratum by stratum: a rule waits until its negated conditions are settled."""
    heads: dict[str, int] = {}
    for _ in range(len(text.rules) + 1):  # a conclusion lies above all that it depends on
        for conditions, end in text.rules:
            above = 1 + max(heads.get(word, 0) for _, word, _ in conditions)
            heads[end[1]] = max(heads.get(end[1], 0), above)
    known = set(text.facts)
    for stratum in sorted({*heads.values()}):
        for body, head in instances(text):
            if heads[head[1]] == stratum and all(((w, p) in known) == good for w, p, good in body):
                known.add(head)
    return known


def depth_of(text: Text, atom: tuple[str, str]) -> int:
    """Find the depth by rounds: what is settled after n rules in a row, whether true or false."""
    known = forward(text)
    atoms = {(name, word) for name in text.names for word in _words(text)} | {atom}
    rules = instances(text)
    depths = {one: 0 for one in atoms if one in text.facts or all(head != one for _, head in rules)}
    level = 0
    while atom not in depths:
        level += 1
        new: dict[tuple[str, str], int] = {}
        for one in atoms - {*depths}:
            bodies = [body for body, head in rules if head == one]
            if one in known:
                done = any(
                    all(((w, p) in known) == good and (w, p) in depths for w, p, good in body)
                    for body in bodies
                )
            else:
                done = all(
                    any(((w, p) in known) != good and (w, p) in depths for w, p, good in body)
                    for body in bodies
                )
            if done:
                new[one] = level
        depths |= new
        assert level < 50
    return depths[atom]


def _words(text: Text) -> set[str]:
    said = {word for _, word in text.facts}
    return said | {one[1] for conditions, end in text.rules for one in [*conditions, end]}


def made(depth: int, count: int, seed: int = 0, negation: bool = True) -> list[Judgement]:
    return [
        judgement(rng_of(seed, depth, index), depth=depth, negation=negation)
        for index in range(count)
    ]


@pytest.mark.parametrize("depth", DEPTHS)
def test_chaining_forward_from_the_text_agrees(depth: int) -> None:
    for one in made(depth, 80):
        text = read(one.question)
        who, word, positive = text.statement
        assert str(((who, word) in forward(text)) == positive) == one.answer, one.question
        assert positive != one.negated


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_statement_has_the_depth_it_was_asked_for(depth: int) -> None:
    for one in made(depth, 80, seed=1):
        text = read(one.question)
        assert depth_of(text, text.statement[:2]) == depth, one.question


@pytest.mark.parametrize("depth", DEPTHS)
def test_true_and_false_are_balanced_with_and_without_not(depth: int) -> None:
    judgements = made(depth, 400, seed=2)
    for negated in (False, True):
        answers = [one.answer for one in judgements if one.negated == negated]
        assert 0.38 <= answers.count("True") / len(answers) <= 0.62  # four standard deviations
        assert {*answers} == {"True", "False"}


def test_no_sentence_stands_twice_and_nobody_is_their_own_object() -> None:
    for one in made(4, 100, seed=3):
        sentences = one.question.split("\n\n")[1].split(". ")
        assert len({*sentences}) == len(sentences)
        assert not re.search(r"[Tt]he (\w+) \w+s the \1\b", one.question)


def test_without_negation_no_rule_says_not() -> None:
    assert all(" not " not in one.question.split("\n\n")[1] for one in made(3, 100, negation=False))
    assert any(" not " in one.question.split("\n\n")[1] for one in made(3, 100))


def test_judgements_hardly_repeat_and_follow_from_their_draws() -> None:
    first, again = made(5, 300, seed=4), made(5, 300, seed=4)
    assert first == again
    assert len({one.question for one in first}) == 300


def test_a_judgement_is_made_within_50_ms() -> None:
    times = []
    for index in range(300):
        start = thread_time()
        judgement(rng_of(5, index), depth=index % 6)
        times.append(thread_time() - start)
    assert sorted(times)[296] <= 0.1  # CPU seconds, on a busy machine too


@pytest.mark.parametrize("depth", [-1, 6])
def test_other_depths_are_refused(depth: int) -> None:
    with pytest.raises(ConfigError, match="depth must be from 0 to 5"):
        judgement(rng_of(0), depth=depth)


def test_verdicts_go_through_the_shallowest_proof_and_the_deepest_failure() -> None:
    a, b, c, d = (Property("is", word) for word in "abcd")
    rules = (
        Rule("", (Condition("", a),), b),
        Rule("", (Condition("", b),), c),
        Rule("", (Condition("", a, positive=False),), c),
        Rule("", (Condition("", b), Condition("", c, positive=False)), d),
    )
    theory = Theory(("Ann", "Bob"), frozenset({Atom("Ann", a)}), rules)
    found = verdicts(theory, (a, b, c, d))
    assert found[Atom("Ann", c)] == (True, 2)
    assert found[Atom("Bob", c)] == (True, 1)
    assert found[Atom("Ann", d)] == (False, 3)  # b holds, but so does c
    assert found[Atom("Bob", d)] == (False, 2)  # b fails first
