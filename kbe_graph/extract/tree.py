"""A dependency parse that can be walked from a word to those that depend on it."""

from collections.abc import Sequence

from kbe_graph.english.parse import Word
from kbe_graph.english.verb import form


class Tree:
    """The words of a text, with those that depend on each."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = tuple(words)
        self._children: dict[int, list[Word]] = {}
        for word in words:
            if word.head != word.at:
                self._children.setdefault(word.head, []).append(word)

    def children(self, word: Word, *deps: str) -> list[Word]:
        """Return the words that depend on a word by one of the relations ``deps``, or by any where none is named."""
        return [child for child in self._children.get(word.at, ()) if not deps or child.dep in deps]

    def joined(self, word: Word) -> list[Word]:
        """Return a word with those that "and" or "or" join to it."""
        joined = [word]
        for each in joined:
            joined.extend(child for child in self.children(each, "conj") if child.tag == word.tag)
        return joined

    def gerund(self, verb: Word) -> str:
        """Return the -ing form of a verb."""
        return verb.low if verb.fine == "VBG" else form(verb.lemma, "VBG")
