from kbe_graph.english.names import as_written


def test_names_in_capitals_are_written_as_people_write_them() -> None:
    for name, kind, written in [
        ("FRANCE", "country", "France"),
        ("UNITED STATES", "", "United States"),
        ("CANDLE", "object", "candle"),
        ("TURKEY", "animal", "turkey"),
        ("TURKEY", "country", "Turkey"),
        ("APPLE", "fruit", "apple"),
        ("APPLE", "company", "Apple"),
        ("BMW", "brand", "BMW"),
        ("DNA", "molecule", "DNA"),
        ("COME TOGETHER", "song", "Come Together"),
        ("LOU OTTENS", "engineer", "Lou Ottens"),
        ("KOMODO DRAGON", "animal", "Komodo dragon"),
        ("iPhone", "phone", "iPhone"),
    ]:
        assert as_written(name, kind) == written
