"""Words that decide how a clause is turned: nouns of place, time and people, verbs without object, verbs of making."""

from kbe_graph.question.phrase import POINTING

PLACES = {
    *(
        "place",
        "city",
        "country",
        "state",
        "continent",
        "town",
        "room",
        "location",
        "area",
        "region",
        "store",
        "park",
        "shop",
    ),
    *(
        "restaurant",
        "street",
        "part",
        "house",
        "building",
        "stadium",
        "setting",
        "environment",
        "habitat",
        "venue",
        "biome",
        "climate",
        "terrain",
    ),
}
TIMES = {"year", "month", "season", "century", "decade", "era", "period", "time"}
MAKERS = {
    "invented": "inventor",
    "makes": "maker",
    "made": "maker",
    "manufactures": "manufacturer",
    "produces": "producer",
    "designed": "designer",
    "created": "creator",
    "painted": "painter",
    "wrote": "author",
    "founded": "founder",
    "manufactured": "manufacturer",
    "owns": "owner",
    "sells": "seller",
    "built": "builder",
    "produced": "producer",
}
# Verbs that take no object: what follows "What is the X" is then a part of X.
INTRANSITIVE = {
    *(
        "standing",
        "sitting",
        "hanging",
        "lying",
        "laying",
        "flying",
        "running",
        "walking",
        "growing",
        "swimming",
        "leaning",
    ),
    *("sticking", "floating", "facing", "sleeping", "grazing", "coming", "going", "protruding", "resting", "jumping"),
    *("shining", "looking", "moving", "surfing", "skiing", "driving"),
}
# What stands for a thing, or for several, by itself.
BARE = POINTING | {"it", "they"}
SEVERAL = {"these", "those", "they"}
SHOWN = {"shown", "seen", "pictured", "depicted"}
# The passive of these still lacks what something is taken for.
NAMING = {"considered", "labeled"}
PEOPLE = {
    "man",
    "woman",
    "boy",
    "girl",
    "person",
    "child",
    "kid",
    "lady",
    "guy",
    "men",
    "women",
    "people",
    "kids",
    "children",
}
# Verbs that say no more than that something is there: of a country "where" it appears.
BEING_THERE = {"appear", "exist", "occur", "happen", "live", "thrive", "originate"}
