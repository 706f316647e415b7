"""Builds the word frequencies that travel with the package: ``kbe_graph/data/frequencies.tsv.gz``.

The probabilities are those of spaCy's lexemes (package ``spacy-lookups-data`` 1.0.5, MIT licence; unigrams of English
on the web), in occurrences to a thousand million words. A noun's plural is counted to its singular. Kept are the
words of WordNet's nouns from ``LEAST`` on, others (joey) from ``LEAST_UNKNOWN`` on. The same source gives the same
bytes::

    uv pip install --target lookups --no-deps spacy-lookups-data==1.0.5
    python scripts/build_frequencies.py lookups/spacy_lookups_data/data/en_lexeme_prob.json.gz
"""

import argparse
import gzip
import io
import json
import math
from collections import defaultdict
from pathlib import Path

from kbe_graph.english.wordnet import wordnet
from kbe_graph.files.resources import data

OUT = Path(__file__).parent.parent / "kbe_graph" / "data" / "frequencies.tsv.gz"
LEAST = 1
LEAST_UNKNOWN = 100
SCALE = 1_000_000_000


def words() -> set[str]:
    """Return every word that stands in a WordNet noun."""
    lines = gzip.decompress(data("wordnet").joinpath("nouns.tsv.gz").read_bytes()).decode().splitlines()
    return {word for line in lines for word in line.split("\t")[0].split()}


def rates(probabilities: dict[str, float], known: set[str]) -> dict[str, float]:
    """Return the rate of each word that is kept, whatever its capitals, the plural added to the singular."""
    sums: dict[str, float] = defaultdict(float)
    for form, logarithm in probabilities.items():
        name = form.lower()
        if name.isalpha():
            base = wordnet().base(name) or name
            sums[base if base in known else name] += SCALE * math.exp(logarithm)
    return {name: rate for name, rate in sums.items() if rate >= (LEAST if name in known else LEAST_UNKNOWN)}


def main() -> None:
    """Read the probabilities and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="en_lexeme_prob.json.gz")
    with gzip.open(parser.parse_args().file) as stream:
        per_name = rates(json.load(stream), words())
    text = "".join(f"{name}\t{round(per_name[name])}\n" for name in sorted(per_name))
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as stream:
        stream.write(text.encode())
    OUT.write_bytes(packed.getvalue())
    print(f"{len(per_name)} words, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
