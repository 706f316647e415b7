from kbe_graph.english.names import as_written


def test_names_in_capitals_are_written_as_people_write_them() -> None:
    for name, kind, written in [
        ("FRANCE", "country", "France"),
        ("UNITED STATES", "", "United States"),
        ("CANDLE", "object", "candle"),
        ("NEWSPAPERS", "publication", "newspapers"),
        ("TURKEY", "animal", "turkey"),
        ("TURKEY", "country", "Turkey"),
        ("APPLE", "fruit", "apple"),
        ("APPLE", "company", "Apple"),
        ("BMW", "brand", "BMW"),
        ("DNA", "molecule", "DNA"),
        ("COME TOGETHER", "song", "Come Together"),
        ("LIVE AND LET DIE", "song", "Live and Let Die"),
        ("WELCOME", "ship", "Welcome"),
        ("LOU OTTENS", "engineer", "Lou Ottens"),
        ("SRI LANKA", "country", "Sri Lanka"),
        ("LAS PALMAS", "city", "Las Palmas"),
        ("GONDOLA", "boat", "gondola"),
        ("RICHARD TREVITHICK", "inventor", "Richard Trevithick"),
        ("NEWS VENDOR", "person", "news vendor"),
        ("KOMODO DRAGON", "animal", "Komodo dragon"),
        ("GIFT SHOP", "place", "gift shop"),
        ("iPhone", "phone", "iPhone"),
        ("Louvre", "", "Louvre"),
    ]:
        assert as_written(name, kind) == written


def test_other_names_of_the_same_thing_show_how_it_is_written():
    assert as_written("FILE EXPLORER", "software", ("Windows Explorer",)) == "File Explorer"
    assert as_written("RANGE HOOD", "appliance", ("cooker hood",)) == "range hood"
    assert as_written("IPHONE", "device", ("iPhone",)) == "iPhone"
    assert as_written("FEDEXFORUM", "arena", ("FedEx Forum",)) == "FedExForum"
    assert as_written("UNITED KENNEL CLUB", "organization", ("UKC",)) == "United Kennel Club"
