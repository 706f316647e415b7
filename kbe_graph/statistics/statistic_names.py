"""The names of the statistics with one-line descriptions, in a light module so that help is fast."""

from collections.abc import Mapping

STATISTICS: Mapping[str, str] = {
    "questions": "words, key edges and distinct relations, by benchmark and hop",
    "table2": "the same in the layout of the paper's Table 2, a column per hop",
    "difficulty": "distribution of the number of key edges, by benchmark and hop",
    "variety": "numbers of relations, chains and answers of explored questions",
    "relations": "frequency of each relation by rank, compared with Zipf's law",
    "laws": "exponents of Zipf's and Heaps' laws, and how well they fit",
    "growth": "distinct relations by number of samples, with Heaps' law",
    "hops": "relations at each hop, and how many are new there",
    "pairs": "relations that co-occur in samples, with mutual information (PMI)",
    "chains": "which relation follows which",
    "objects": "guessability of objects by relation: entropy, most common object",
    "types": "entity types by relation",
    "families": "pairs of possibly synonymous relations, with the evidence",
    "predicates": "frequency of Wikidata properties, by statements and by items",
    "values": "frequency of the values of Wikidata statements",
}
