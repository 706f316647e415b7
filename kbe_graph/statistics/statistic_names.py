"""The names of the statistics, each described in a line; kept apart so that help is quick."""

from collections.abc import Mapping

STATISTICS: Mapping[str, str] = {
    "questions": "question and answer words, key edges and distinct relations by benchmark and hop",
    "table2": "the same as the paper prints its Table 2: a column raw and each hop",
    "difficulty": "how the number of key edges is spread by benchmark and hop",
    "variety": "what the explored questions are like as a set: how many relations, chains and answers there are",
    "relations": "how often each relation occurs, by rank, beside Zipf's law",
    "laws": "the exponents of Zipf's law and of Heaps' law, and how far the counts are from them",
    "growth": "how many different relations so many samples have, beside Heaps' law",
    "hops": "how many relations each hop has, and how many of them are new there",
    "pairs": "which relations occur in the same samples, with their mutual information (PMI)",
    "chains": "which relation follows which",
    "objects": "how guessable an object is from its relation: entropy, commonest object and its share",
    "types": "entity types by relation",
    "families": "relations that may be near-synonyms, each pair with the measure that proposes it",
    "predicates": "how often each property occurs in the statements of Wikidata items, and of how many items",
    "values": "how often the statements of Wikidata items lead to each item or value in words",
}
