"""Builds the fact pack that travels with the package: ``kbe_graph/data/pack/``. The same sources give the same bytes.

Debian's wordnet-base 3.0 holds WordNet's files; the rest are packages of the ``pack`` group::

    apt-get download wordnet-base && dpkg -x wordnet-base_*.deb wordnet
    python scripts/build_pack --wordnet wordnet/usr/share/wordnet

Verdicts are read from ``review.tsv`` beside the pack and merged; SOURCES.md names the sources and their licences.
"""

import argparse
from pathlib import Path

import aliases
import definitions
import known
import noun
import places
import review
import taxa
import witness
from row import once, write

from kbe_graph.facts.pack import COLUMNS, read_pack, read_verdicts

HERE = Path(__file__).parent
OUT = HERE.parent.parent / "kbe_graph" / "data" / "pack"


def main() -> None:
    """Read the sources, check the curated table against them, and write facts.tsv.gz and aliases.tsv."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wordnet", type=Path, required=True, help="the folder of data.noun and index.noun")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    nouns = noun.read(options.wordnet)
    living, by_hand = list(taxa.rows(nouns)), aliases.by_hand(HERE / "aliases.tsv")
    rows = once(
        [
            *definitions.rows(nouns, HERE / "definitions.tsv"),
            *places.rows(nouns),
            *living,
            *witness.borne_out(known.rows(nouns, HERE / "known.tsv", living), nouns, by_hand),
        ]
    )
    verdicts = read_verdicts(options.out / "review.tsv")
    write(options.out / "facts.tsv.gz", COLUMNS, review.merged(rows, verdicts))
    write(options.out / "aliases.tsv", aliases.COLUMNS, aliases.lines(nouns, rows, by_hand))
    read_pack(options.out)
    stale = verdicts.keys() - {row.key for row in rows}
    print(
        f"{len(stale)} verdicts on facts that are no more: {sorted(stale)[:5]}"
        if stale
        else "every verdict has its fact"
    )
    print(f"{len(rows)} facts of {len({row.subject_id for row in rows})} subjects, {len(verdicts)} verdicts")


if __name__ == "__main__":
    main()
