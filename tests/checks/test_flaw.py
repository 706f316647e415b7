from kbe_graph.checks.question_text import flaw


def test_what_is_wrong_with_a_wording_is_told() -> None:
    for text, wrong in [
        ("What is the country of origin of the animal breed of this animal?", "animal"),
        ("What is the young of this birds?", "this birds"),
        ("What is the young of these good are in the field?", "these good are"),
        ("What is the young of the animal?? ", "question mark"),
        (f"What is the young of {'the young of ' * 9}this animal?", "young"),
    ]:
        assert flaw(text) == wrong


def test_a_clause_may_begin_with_what_it_points_at():
    assert not flaw("What is the two-letter ISO code of the language which that sign is in?")
