"""The draw of a hop: no chain and no answer holds more than its share, and what is rare is asked first."""

import random
from collections import Counter

import pytest

from kbe_graph.checks.guessable import FEW, SMALL_HOP, SMALL_SHARE, Choices, DrawEntry, Shares, choose

TENTH = Shares(chain=0.1, answer=0.1)


def kept(choices: Choices, shares: Shares) -> list[DrawEntry]:
    """The entries that samples get."""
    chosen = choose(choices, shares)
    assert chosen.keys() == {sample for sample, entries in choices.items() if entries}
    return [choices[sample][place] for sample, place in chosen.items() if isinstance(place, int)]


def drawn(samples: int, seed: int) -> Choices:
    """Samples with a few entries each; some relations and answers are far commoner than others."""
    draw = random.Random(seed)

    def entry() -> DrawEntry:
        relation = f"r{int(draw.expovariate(0.1))}"
        return DrawEntry(f"a{int(draw.expovariate(0.05))}", (relation,), draw.randrange(3), draw.random() < 0.5)

    return {f"s{number}": tuple(entry() for _ in range(draw.randrange(6))) for number in range(samples)}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("samples", [40, 1_000])
def test_no_chain_and_no_answer_has_more_than_its_share(samples: int, seed: int) -> None:
    entries = kept(drawn(samples, seed), TENTH)
    share = TENTH.chain if len(entries) >= SMALL_HOP else SMALL_SHARE
    chains, relations = Counter(entry.chain for entry in entries), Counter(entry.chain[-1] for entry in entries)
    assert max(chains.values()) <= max(1, share * len(entries))
    for (answer, relation), count in Counter((entry.answer, entry.chain[-1]) for entry in entries).items():
        assert count <= max(1, 0.1 * relations[relation]), answer


def test_a_few_questions_are_all_kept() -> None:
    choices = {str(number): (DrawEntry("four", ("wheels",)),) for number in range(FEW - 1)}
    assert len(kept(choices, TENTH)) == FEW - 1
    more = choices | {"more": (DrawEntry("four", ("wheels",)),)}
    assert len(kept(more, TENTH)) == 1


def test_a_hop_of_few_chains_keeps_more_than_one_question_of_each() -> None:
    choices = {
        f"{number} {chain}": (DrawEntry(f"a{number}", (chain,)),)
        for chain, size in (("crosses", 40), ("architect", 30), ("owner", 1))
        for number in range(size)
    }
    assert Counter(entry.chain[0] for entry in kept(choices, TENTH)) == {"crosses": 40, "architect": 30, "owner": 1}


def test_a_sample_with_several_seats_takes_the_one_that_is_rare() -> None:
    common = {str(number): (DrawEntry(f"a{number}", ("common",)),) for number in range(30)}
    choices = common | {
        f"two {number}": (DrawEntry("b", ("common",)), DrawEntry(f"c{number}", ("rare",))) for number in range(3)
    }
    assert [entry.chain for entry in kept(choices, Shares())].count(("rare",)) == 3


def test_what_has_a_source_comes_first_and_then_what_leads_on() -> None:
    entries = (
        DrawEntry("a", ("unsourced",), 2, unsourced=True),
        DrawEntry("b", ("ends",)),
        DrawEntry("c", ("leads on",), 1),
    )
    assert choose({"s": entries}, TENTH) == {"s": 2}
    assert choose({"s": entries[:2]}, TENTH) == {"s": 1}
    assert choose({"s": entries[:1]}, TENTH) == {"s": 0}
