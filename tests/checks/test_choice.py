"""Which checks a run asks: all, the paper's alone, or those that were named."""

import pytest

from kbe_graph.checks import Scheme, build_checks, choose_checks
from kbe_graph.errors import ConfigError
from kbe_graph.facts.pack import Pack

SOUND = {"instruction", "blocked relation", "subject", "instruction in the wording"}
EXPRESSED = "leak in the wording"
SUM = {"functional", "generic", "image not needed"}


def asked(filters: str, *, facts_known: bool = True, by_rule: bool = False) -> set[str]:
    """The names of the checks of a run."""
    choice = choose_checks(filters, facts_known=facts_known)
    scheme = Scheme(facts_known=facts_known, by_rule=by_rule, choice=choice)
    return {check.name for check in build_checks(Pack((), {}), scheme=scheme).all}


def test_the_conditions_of_the_paper_are_noun_cycle_representative_and_no_leak_beside_what_keeps_a_run_sound():
    conditions = {"not a noun", "cycle", EXPRESSED}
    assert asked("paper", facts_known=False) == SOUND | conditions
    assert asked("paper") == SOUND | conditions | SUM
    assert choose_checks("paper", facts_known=False).asks("not representative")


def test_named_checks_are_asked_alone_whatever_their_order_and_how_much_of_the_name_is_written():
    assert asked("cycle,noun") == SOUND | {"not a noun", "cycle"}
    assert choose_checks("cycle, noun", facts_known=True) == choose_checks("not a noun,cycle", facts_known=True)
    assert choose_checks("cycle,noun", facts_known=True).text == "not a noun, cycle"
    assert asked("representative") == SOUND | SUM


def test_what_rules_need_to_word_is_asked_where_they_do():
    worded = asked("noun", by_rule=True) - asked("noun")
    assert {"not readable", "flaw in the wording", "no root"} == worded
    assert worded == asked("all", by_rule=True) - asked("all")


def test_what_is_no_name_of_a_check_is_refused_with_the_nearest_one() -> None:
    for filters, said in [
        ("noun,cicle", "`filters`: unknown name 'cicle'; did you mean 'cycle'?"),
        ("", "`filters`: unknown name ''"),
        ("image", "`filters`: unknown name 'image'"),
        ("no fact", "`filters`: unknown name 'no fact'"),
    ]:
        with pytest.raises(ConfigError) as error:
            choose_checks(filters, facts_known=True)
        assert str(error.value).startswith(said)
