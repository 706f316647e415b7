"""How far guessing pays at the graph's own questions with options, over facts of the pack drawn by a seed.

Each is the question for a fact: "What is the capital of ITALY?". As in a run, no answer holds more than a fifth of the
questions of its relation, and relations with fewer than five answers are left out. Run:
python bench/choices.py [NUMBER] [SEED] [choice|several]
"""

import sys
import time
from collections import Counter, defaultdict
from random import Random

from kbe_graph.evaluate.guess import guess_options
from kbe_graph.facts.pack import pack
from kbe_graph.forms.form_maker import cases_of, make_forms
from kbe_graph.types import IMAGE, Entity, Fact, Form, Question, Sample, SampleGraph, Triplet, question_id

SHARE, ANSWERS, OF_A_RELATION = 0.2, 5, 150


def drawn_facts(number: int, seed: int) -> list[Fact]:
    """Return so many facts of things that WordNet names, no relation or answer of one too often."""
    facts = [fact for fact in pack().facts if fact.review != "rejected" and fact.subject_id.startswith("wn30:")]
    Random(seed).shuffle(facts)
    by_relation: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        relation = pack().relations[fact.relation]
        if relation.functional and not relation.protected and not relation.word:
            by_relation[fact.relation].append(fact)
    kept: list[Fact] = []
    for several in by_relation.values():
        if len({fact.object for fact in several}) >= ANSWERS:
            wanted, counts = several[:OF_A_RELATION], Counter[str]()
            for fact in wanted:
                counts[fact.object] += 1
                if counts[fact.object] <= max(1, SHARE * len(wanted)):
                    kept.append(fact)
    Random(seed).shuffle(kept)
    return kept[:number]


def asked(fact: Fact, number: int) -> tuple[Sample, Question, SampleGraph]:
    """Return a fact as a question of a sample whose picture shows its subject."""
    subject = Entity(fact.subject.upper(), concept=fact.subject_id)
    seen, known = Triplet(IMAGE, "depicts", subject), fact.triplet(subject)
    id_ = f"bench/{number}"
    graph = SampleGraph(id_, (seen,), (known,), (seen,))
    text = f"What is {pack().relations[fact.relation].phrases[0].format('the thing in this image')}?"
    sample = Sample(id_, "bench", "", "What is this?", fact.subject, (fact.subject,))
    question = Question(
        question_id(id_, "bench", 1), id_, "bench", 1, "explored", text, fact.object, (seen, known), fact.aliases,
        fact.object_id,
    )  # fmt: skip
    return sample, question, graph


def main() -> None:
    """Print how many questions get options, how long that takes, and what each guesser gets."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 2_400
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    form: Form = "several" if sys.argv[3:] == ["several"] else "choice"
    items = [asked(fact, at) for at, fact in enumerate(drawn_facts(number, seed))]
    graphs = {sample.id: graph for sample, _, graph in items}
    began = time.process_time()
    made = make_forms(form, cases_of([(sample, question) for sample, question, _ in items], graphs, pack()))
    print(f"{len(made.forms)} of {len(items)} questions in {time.process_time() - began:.1f} s of CPU: {made.refused}")
    print("right ones", sorted(Counter(len(form.answers) for form in made.forms.values()).items()))
    print(f"places {made.places}, chi-square p = {made.p_value}")
    for row in guess_options(made.forms.values()):
        print(row.maker, row.questions, f"chance {100 * row.chance:.1f}")
        for name, figure in row.guessers.items():
            print(f"  {name}: {100 * figure.share:.1f} [{100 * figure.low:.1f}, {100 * figure.high:.1f}]")


if __name__ == "__main__":
    main()
