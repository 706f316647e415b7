"""What kinds of thing a question allows as its answer, by its key words: the lexicographer files of WordNet that fit."""

import re
from typing import NamedTuple

from kbe_graph.text import fold


class _Rule(NamedTuple):
    words: re.Pattern[str]
    files: frozenset[str]


# Animal, plant, food and person themselves stand in the file of the top concepts.
_UNDER_TOPS = {"noun.animal", "noun.food", "noun.person", "noun.plant"}


def _rule(pattern: str, *files: str) -> _Rule:
    kinds = frozenset(f"noun.{file}" for file in files)
    return _Rule(re.compile(rf"\b(?:{pattern})\b"), kinds | ({"noun.Tops"} if kinds & _UNDER_TOPS else set()))


# The first words that match decide; the order is from the narrow to the wide.
_RULES = (
    _rule(r"wrapped (?:up )?in|used to (?:hold|store)", "artifact", "substance"),
    _rule(r"languages?|speak|spoken|written in", "communication"),
    _rule(r"made (?:out |up )?(?:of|from)|materials?|fabric|cloth(?= made)|metal", "substance", "artifact"),
    _rule(
        r"(?:what|which) (?:sounds?|noise|vocali[sz]ation)|sounds? (?:does|do|would)|noise", "event", "communication"
    ),
    _rule(r"young|babies|baby|offspring|female of|male of|group of (?:these|this)|collective", "animal", "group"),
    _rule(
        r"^who|^whom|to whom|professions?|occupations?|jobs?|careers?|title|position|role|called who|relationship",
        "person",
        "group",
    ),
    _rule(
        r"body parts?|part of (?:the|his|her|their) body|limbs?|(?:features?|parts?|characteristics?|traits?|objects?)(?: \w+){0,3} (?:of|on|off of) (?:this|these|the|that) (?:animals?|birds?|elephants?|mammals?)",
        "body",
        "animal",
    ),
    _rule(
        r"wears?|wearing|wore|clothing|clothes|outfit|garments?|attire|accessor(?:y|ies)|putting on|hats?|shoes?",
        "artifact",
    ),
    _rule(
        r"(?:served|landing|sitting|seated|standing|laying|lying|resting|placed|riding|sits?|stands?) (?:on|in|inside)|receptacles?"
        r"|containers?",
        "artifact",
        "object",
    ),
    _rule(
        r"eats?|eating|ate|food|foods|cook(?:ed|ing)?|ingredients?|topped with|pizza|sandwich|dish|meals?|toppings?|sauces?|flavou?rs?"
        r"|tastes?|desserts?|snacks?|salad|soup|cake|vegetables?|veggies?|fruits?|meats?|consumed?|diet|spices?|condiments?"
        r"|cheese|bread|nuts?|served|plate|recipe|candy|edible|seasoning",
        "food",
        "plant",
    ),
    _rule(r"drinks?|drank|drinking|beverages?|liquids?|make with this", "food", "substance"),
    _rule(r"trees?|flowers?|plants?|wood|bush(?:es)?|leaves", "plant"),
    _rule(
        r"breeds?|animals?|birds?|dogs?|cats?|mammals?|species|insects?|creatures?|predators?|prey|pets?|livestock|fish"
        r"|horses?|brids",
        "animal",
    ),
    _rule(
        r"sports?|games?|activity|activities|doing|trick|tricks|stunt|move|maneuver|stroke|hobby|exercise|dance|excursion",
        "act",
        "event",
    ),
    _rule(
        r"country|countries|city|cities|states?|continents?|nation|island|town|region|place (?:name|where)",
        "location",
        "object",
    ),
    _rule(r"holidays?|season|seasons|time of (?:day|year)|month|when|decade|day or night", "time"),
    _rule(r"meal", "food"),
    _rule(r"patterns?|design|decoration", "artifact", "attribute"),
    _rule(r"shapes?|geometry", "shape", "attribute"),
    _rule(r"weather|clouds?", "phenomenon", "event", "object"),
    _rule(r"emotions?|feelings?|feel", "feeling", "state"),
    _rule(r"religions?|faith|culture|ethnicity|nationality|race of", "person", "cognition", "group"),
    _rule(r"style of architecture|archite\w+|genre|art|music", "cognition", "artifact", "communication"),
    _rule(r"colou?rs?", "attribute"),
    _rule(
        r"where|room|building|buildings|structure|location|place|environment|habitat|store|shop|institution",
        "artifact",
        "location",
        "object",
        "group",
    ),
    _rule(r"events?|occasion|celebrat\w+|ceremony", "event", "act", "time", "group"),
    _rule(
        r"vitamins?|nutrients?|minerals?|chemicals?|elements?|gas(?:es)?|fuels?|energy|power", "substance", "artifact"
    ),
    _rule(r"sign|signs|symbol|symbols|represent|mean|means|word|letters?", "communication", "act"),
    _rule(
        r"tools?|devices?|appliances?|objects?|items?|machines?|equipment|instruments?|vehicles?|toys?|furniture|utensils?"
        r"|cars?|trains?|bus|plane|boats?|transport\w*|bikes?|products?|clothing|sit(?:ting)? on|holding|underneath",
        "artifact",
    ),
)
CONCRETE = frozenset(
    f"noun.{file}" for file in ("Tops", "animal", "artifact", "body", "food", "object", "plant", "substance")
)
_BRAND = re.compile(
    r"\b(?:brands?|company|companies|corporation|manufactur\w+|makers?|teams?|airlines?|franchise|logo|sponsors?|chain|makes (?:this|these)"
    r"|make and model|make of (?:the|this|these|that|those)|website|online|app|player is|celebrity|actor|singer|artist|band"
    r"|gas station|tournaments?|movies?|films?|mascots?|nicknames?|cigarettes?|national parks?|where can (?:i|you|we) (?:buy|but|get))\b"
)


def allowed(question: str) -> frozenset[str]:
    """Return the lexicographer files that the question's key words allow, none where it says nothing."""
    text = fold(question)
    found = (rule.files for rule in _RULES if rule.words.search(text))
    return next(found, frozenset())


def asks_for_brand(question: str) -> bool:
    """Return whether the question asks for the name of a firm, a team or a person."""
    return bool(_BRAND.search(fold(question)))
