"""Values of Wikidata in English words."""

import json

from wikidata_entities import entities_folder

from kbe_graph.facts.wikidata.entity import (
    coordinate_text,
    number_text,
    quantity_text,
    time_text,
    units,
)


def test_a_number_is_in_plain_digits_and_in_as_many_as_say_something():
    for amount, text in [
        ("+1300", "1300"),
        ("1300", "1300"),
        ("-5", "-5"),
        ("+0", "0"),
        ("-0.0", "0"),
        ("-277.0", "-277"),
        ("+0.50", "0.5"),
        ("+12103.60", "12103.6"),
        ("+3.39467605", "3.39468"),
        ("+1234567.8", "1234568"),
        ("+0.00012345678", "0.000123457"),
        ("+531546586178", "531546586178"),
        ("+1.2E+3", "1200"),
        ("+880000000000000000000000", "8.8 x 10^23"),
        ("+0.00000000000000000016", "1.6 x 10^-19"),
        ("many", ""),
        ("NaN", ""),
        ("Infinity", ""),
    ]:
        assert number_text(amount) == text, (amount, text)


def test_a_quantity_is_said_with_its_unit():
    for amount, unit, text in [
        ("+1300", "kilometre", "1300 kilometres"),
        ("+1", "kilometre", "1 kilometre"),
        ("+1.0", "kilometre", "1 kilometre"),
        ("-1", "degree Celsius", "-1 degree Celsius"),
        ("-5", "degree Celsius", "-5 degrees Celsius"),
        ("+0.5", "metre", "0.5 metres"),
        ("+0", "degree Celsius", "0 degrees Celsius"),
        ("+12", "1", "12"),
        ("+12", "", ""),
        ("x", "metre", ""),
    ]:
        assert quantity_text(amount, unit) == text, (amount, unit, text)


def test_each_unit_of_the_data_has_its_plural():
    names = json.loads((entities_folder() / "units_en.json").read_text(encoding="utf-8")).values()
    assert {single: units(single) for single, _ in names} == dict(names)


def test_a_unit_is_counted():
    for unit, expected in [
        ("square foot", "square feet"),
        ("inch of mercury", "inches of mercury"),
        ("tonne of TNT", "tonnes of TNT"),
        ("gram per cubic centimetre", "grams per cubic centimetre"),
        ("beats per minute", "beats per minute"),
        ("siemens", "siemens"),
        ("pH", "pH"),
        ("per mille", "per mille"),
        ("pound sterling", "pound sterling"),
        ("Japanese yen", "Japanese yen"),
        ("light-year", "light-years"),
        ("Solar mass", "Solar masses"),
    ]:
        assert units(unit) == expected, (unit, expected)


def test_a_time_is_said_at_its_precision():
    for time, precision, text in [
        ("+1890-03-04T00:00:00Z", 11, "4 March 1890"),
        ("+1890-03-04T12:30:00Z", 14, "4 March 1890"),
        ("+1890-03-04T00:00:00Z", 10, "March 1890"),
        ("+1890-03-00T00:00:00Z", 11, "March 1890"),
        ("+1890-00-00T00:00:00Z", 11, "1890"),
        ("+1890-01-01T00:00:00Z", 9, "1890"),
        ("+1890-00-00T00:00:00Z", 8, "1890s"),
        ("+1896-00-00T00:00:00Z", 8, "1890s"),
        ("+1801-00-00T00:00:00Z", 7, "19th century"),
        ("+1900-00-00T00:00:00Z", 7, "19th century"),
        ("+1950-00-00T00:00:00Z", 7, "20th century"),
        ("+2001-00-00T00:00:00Z", 7, "21st century"),
        ("+0201-00-00T00:00:00Z", 7, "3rd century"),
        ("+1101-00-00T00:00:00Z", 7, "12th century"),
        ("+1500-00-00T00:00:00Z", 6, "2nd millennium"),
        ("-0044-03-15T00:00:00Z", 11, "15 March 44 BCE"),
        ("-0300-00-00T00:00:00Z", 7, "3rd century BCE"),
        ("-2500-00-00T00:00:00Z", 6, "3rd millennium BCE"),
        ("-0044-00-00T00:00:00Z", 8, "40s BCE"),
        ("+0079-08-24T00:00:00Z", 11, "24 August 79 CE"),
        ("+0800-00-00T00:00:00Z", 9, "800"),
        ("+00000001890-03-04T00:00:00Z", 11, "4 March 1890"),
        ("-13798000000-00-00T00:00:00Z", 3, "13798 million years ago"),
        ("-66000000-00-00T00:00:00Z", 2, "66 million years ago"),
        ("-40000-00-00T00:00:00Z", 5, ""),
        ("-40000-00-00T00:00:00Z", 3, ""),
        ("+40000000-00-00T00:00:00Z", 3, ""),
        ("+0000-00-00T00:00:00Z", 9, ""),
        ("once upon a time", 9, ""),
    ]:
        assert time_text(time, precision) == text, (time, precision, text)


def test_a_place_is_said_by_its_degrees_on_earth_alone():
    for latitude, longitude, globe, text in [
        (56.0004, -3.3888, "Q2", "56.0004 N, 3.3888 W"),
        (-33.86, 151.2094444, "Q2", "33.86 S, 151.2094 E"),
        (0.0, -1e-05, "Q2", "0 N, 0 E"),
        (51, 5, "", "51 N, 5 E"),
        (12.5, 3.0, "Q405", ""),
        (None, 3.0, "Q2", ""),
    ]:
        value = {
            "latitude": latitude,
            "longitude": longitude,
            "globe": globe and f"http://www.wikidata.org/entity/{globe}",
        }
        assert coordinate_text(value) == text, (latitude, longitude, globe, text)
