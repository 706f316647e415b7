"""People are met by their work alone: no names, no groups that one is born into."""

from kbe_graph.filters.row import FACT, Row
from kbe_graph.filters.settings import FilterSettings
from kbe_graph.lexicon.concept import kinds_of, synset_of
from kbe_graph.types import KEEP, Candidate, Decision, Stage

PERSON = "wn30:00007846-n"
# worker, professional, contestant, entertainer, creator, adjudicator, traveler, scientist, engineer, expert, capitalist
# (merchant), preserver (police officer, janitor), leader (coach), communicator (writer), student, operator (driver),
# combatant, warrior, explorer (diver) and snowboarder, with all that lies below them
ROLES = frozenset(
    f"wn30:{offset}-n"
    for offset in (
        *("09632518", "10480253", "09613191", "09616922", "09614315", "09769636", "09629752", "10560637", "09615807"),
        *("09617867", "09609232", "10466918", "09623038", "09610660", "10665698", "10378412"),
        *("09939313", "10768585", "10072708", "10617665"),
    )
)
# inhabitant, native (twice), religious person, spiritual leader, female, male, relative, juvenile, person of color, White,
# African, Jew, homosexual, heterosexual, bisexual, handicapped person, old person, criminal
GROUPS = frozenset(
    f"wn30:{offset}-n"
    for offset in (
        *("09620078", "09620794", "09621232", "09628382", "09505153", "09619168", "09624168", "10235549", "09622049"),
        *("09636106", "09638875", "09634494", "09681351", "10182913", "10173895", "09857007", "10158756", "10376523"),
        "09977660",
    )
)


class Person:
    """Refuses facts about, and answers that are, persons by name or by birth, faith, sex, age or family; keeps their roles."""

    name = "person"
    stage: Stage = "fact"
    rule = "a person must be met by a role (umpire, chef): no names, nationalities, faiths, sexes, ages or relatives"
    columns = FACT
    example = Row("Who rides this?", "child", "child", "medical specialty", "pediatrics")

    def __init__(self, settings: FilterSettings) -> None:
        self._naming = settings.naming_relations

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the current answer, and at the object unless the settings let its relation name persons."""
        fact = candidate.fact
        things = [(fact.subject_id, fact.subject), (fact.object_id, fact.object)]
        for concept, name in things[: 1 if fact.relation in self._naming else 2]:
            if refused_person(concept):
                return Decision(keep=False, reason=self.name, detail=f"{name!r} is a person, and not by role")
        return KEEP


def refused_person(concept: str) -> bool:
    """Return whether a concept is a person but not a role."""
    synset, above = synset_of(concept), set(kinds_of(concept))
    if synset is None or not above & {PERSON, *ROLES}:
        return False
    return synset.instance or bool(above & GROUPS) or not above & ROLES
