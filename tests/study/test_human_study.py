"""Studies that people take part in: what is drawn, what raters fill in, and what comes of it."""

import base64
import csv
import io
import json
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from PIL import Image

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.files.image import ImageFolders
from kbe_graph.study.human_study import draw_pairs, draw_quality, read_study, save_study
from kbe_graph.study.item_form import form_step, sample_pictures
from kbe_graph.study.study_files import (
    Rating,
    read_ratings,
    study_name,
    write_study_form,
    write_study_sheet,
)
from kbe_graph.study.study_result import study_result
from kbe_graph.types import Entity, Question, Sample, Triplet

NASTY = '</script><script>alert("x")</script>'
KEY = (
    Triplet(Entity("IMAGE", noun=False), "depicts", Entity("DOG")),
    Triplet(Entity("DOG"), "family", Entity("CANIDAE"), "textual"),
    Triplet(Entity("CANIDAE"), "order", Entity("CARNIVORA"), "textual"),
)
SAMPLES = {f"own/{n}": Sample(f"own/{n}", "own", "", "What?", "dog", image=f"{n}.jpg") for n in range(40)}


def question(sample, hop, kind="explored"):
    run = "raw" if kind == "raw" else "r"
    return Question(
        f"{sample}@{run}/{hop}", sample, run, hop, kind, f"=hop {hop} & {NASTY}?", "dog", KEY[: hop + 1], ("hound",)
    )


QUESTIONS = [
    *(question(sample, 0, "raw") for sample in SAMPLES),
    *(question(sample, 0, "reselected") for sample in list(SAMPLES)[:5]),
    *(question(sample, 1) for sample in SAMPLES),
    *(question(sample, 2) for sample in list(SAMPLES)[:10]),
    replace(question("own/39", 2), status="dropped"),
]
QUALITY = draw_quality(QUESTIONS, SAMPLES, run="r", number=30, seed=1)
PAIRS = draw_pairs(QUESTIONS, SAMPLES, run="r", number=30, seed=1)


def rate(study, rater, words):
    return [Rating(rater, item.id, words(number, item)) for number, item in enumerate(study.items)]


def test_a_study_is_even_over_the_hops_seeded_and_blind():
    assert Counter(item.questions[0].hop for item in QUALITY.items) == {1: 20, 2: 10}
    assert draw_quality(QUESTIONS[::-1], SAMPLES, run="r", number=30, seed=1) == QUALITY
    other = draw_quality(QUESTIONS, SAMPLES, run="r", number=30, seed=2)
    assert other.name != QUALITY.name
    assert not {item.id for item in other.items} & {item.id for item in QUALITY.items}
    kinds = draw_quality(QUESTIONS, SAMPLES, run="r", number=60, reselected=True)
    assert Counter(item.questions[0].hop for item in kinds.items) == {0: 5, 1: 40, 2: 10}
    with pytest.raises(InputError, match="run 'r' has no question that a study of quality could show"):
        draw_quality(QUESTIONS[:40], SAMPLES, run="r")


def test_pairs_are_of_one_sample_at_two_hops_in_an_order_that_tells_nothing():
    pairs = [item.questions for item in PAIRS.items]
    assert len(pairs) == 30
    assert {len({question.id.partition("@")[0] for question in pair}) for pair in pairs} == {1}
    counts = Counter(tuple(sorted(question.hop for question in pair)) for pair in pairs)
    assert counts == {(0, 1): 10, (0, 2): 10, (1, 2): 10}
    turned = sum(first.hop > second.hop for first, second in pairs)
    assert 5 < turned < 25
    starts = {question.id for pair in pairs for question in pair if question.hop == 0}
    assert all(id_.endswith("@r/0") == (int(id_.split("/")[1].split("@")[0]) < 5) for id_ in starts)


def test_a_study_is_kept_and_found_again(tmp_path):
    for study in (QUALITY, PAIRS):
        save_study(tmp_path, study)
        assert read_study(tmp_path, study.name) == study
    with pytest.raises(InputError, match="no study 'x' in this workspace; studies drawn here are 'pairs-"):
        read_study(tmp_path, "x")
    (tmp_path / "x.json").write_text('{"name": "x"}')
    with pytest.raises(DatasetError, match="not a saved study"):
        read_study(tmp_path, "x")


def test_a_sheet_shows_what_is_asked_and_not_the_hop_and_is_read_back(tmp_path):
    file = tmp_path / "ann.csv"
    assert write_study_sheet(file, QUALITY) == 30
    assert "own/" not in file.read_text()
    lines = list(csv.DictReader(file.read_text().splitlines()))
    shown = ["study", "rater", "id", "picture", "question", "answer", "aliases", "key path"]
    assert file.read_text().splitlines()[0].split(",") == [*shown, *QUALITY.kind.asked, "note"]
    assert lines[0]["question"].startswith("'=hop")
    lines[0].update(reasonable="Yes", image="no", note="'=odd")
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, lines[0].keys(), delimiter=";")  # as some spreadsheets write it
        writer.writeheader()
        writer.writerows(lines)
    assert study_name(file) == QUALITY.name
    assert read_ratings([file], QUALITY) == [
        Rating("ann", lines[0]["id"], {"reasonable": "yes", "image": "no"}, "=odd")
    ]


class Page(HTMLParser):
    """Counts the tags of a page, and keeps its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = Counter(), ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        assert not any(name in {"src", "href"} and not value.startswith(("data:", "#")) for name, value in attrs)

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("study", [QUALITY, PAIRS])
def test_a_form_holds_its_texts_escaped_and_leads_nowhere(study, tmp_path):
    write_study_form(tmp_path / "form.html", study, {"own/1": ["data:image/jpeg;base64,AAAA"]})
    page = Page((tmp_path / "form.html").read_text())
    assert (page.tags["template"], page.tags["script"]) == (30 + 2, 2)
    assert f"=hop 1 & {NASTY}?" in page.text
    assert page.tags["input"] == 1 + 30 * (3 + len(study.kind.asked) * 2)
    assert "was not found in the image folders" in page.text


@pytest.mark.parametrize(
    ("source", "place", "origin", "address"),
    [
        ("The World Factbook", "gm: highest point", "The World Factbook", ""),
        ("GeoNames", "geonames:3175395", "GeoNames", "https://www.geonames.org/3175395"),
        ("Wikidata", "Q183$0a-1", "Wikidata", "https://www.wikidata.org/wiki/Q183"),
        ("my list", "https://list.example/1", "my list", "https://list.example/1"),
        ("my list", "javascript:alert(1)//https://list.example", "my list", ""),
        ("unsourced", "entry: Zugspitze", "no source: check it yourself", ""),
        ("caption, detection", "", "stated in the caption, detected in the picture", ""),
    ],
)
def test_a_source_is_told_in_words_with_its_address(source, place, origin, address):
    step = form_step(replace(KEY[1], source=source, source_ref=place))
    assert (step.origin, step.address) == (origin, address)


def test_pictures_are_scaled_down_and_those_that_cannot_be_read_are_left_out(tmp_path):
    Image.new("RGB", (2000, 1000)).save(tmp_path / "0.jpg")
    (tmp_path / "1.jpg").write_text("no picture")
    pictures = sample_pictures(SAMPLES.values(), ImageFolders([tmp_path]))
    assert [*pictures] == ["own/0"]
    head, _, content = pictures["own/0"][0].partition(",")
    assert head == "data:image/jpeg;base64"
    assert Image.open(io.BytesIO(base64.b64decode(content))).size == (640, 320)


def test_a_table_of_shares_and_agreement_comes_of_a_study():
    def ann(number, _):
        return dict.fromkeys(QUALITY.kind.asked, "yes") | {"image": "yes" if number % 2 else "no"}

    def bea(number, _):
        return ann(number, _) | {"reasonable": "yes" if number > 2 else "no"}

    result = study_result(QUALITY, [*rate(QUALITY, "ann", ann), *rate(QUALITY, "bea", bea)])
    rows = {(row.asked, row.group): row for row in result.rows}
    assert [group for asked, group in rows if asked == "path"] == ["all", "hop 1", "hop 2"]
    reasonable = rows["reasonable", "all"]
    assert reasonable.share.value == pytest.approx((27 + 3 / 2) / 30)
    assert reasonable.share.low < reasonable.share.value < reasonable.share.high
    assert [each.measure for each in reasonable.agreement] == ["percent", "AC1", "alpha"]
    assert reasonable.agreement[0].value == pytest.approx(0.9)
    assert reasonable.agreement[1].value > 0.85
    assert rows["image", "all"].agreement[2].value == 1
    assert (rows["path", "all"].agreement[2].value, rows["path", "all"].agreement[1].value) == (None, 1)
    assert result.disputed == {item.id: ("reasonable",) for item in QUALITY.items[:3]}
    assert json.loads(json.dumps(result.as_mapping()))["rows"][0]["share"]["items"] == 30


def test_pairs_tell_how_often_more_edges_are_harder_and_how_raters_correlate():
    def planned(number, item):
        harder = "1" if item.questions[0].edges > item.questions[1].edges else "2"
        return {"harder": harder if number >= 6 else "21"[int(harder) - 1]}

    result = study_result(PAIRS, [*rate(PAIRS, "ann", planned), *rate(PAIRS, "bea", lambda _, item: planned(9, item))])
    rows = {row.group: row for row in result.rows}
    assert [*rows] == ["all", "1 apart", "2 apart"]
    assert rows["all"].share.value == pytest.approx((24 + 30) / 60)
    assert [each.measure for each in rows["all"].agreement] == ["percent", "AC1", "alpha", "Pearson"]
    assert rows["all"].agreement[0].value == pytest.approx(0.8)
    assert 0.5 < rows["all"].agreement[3].value < 0.7
    assert len(result.disputed) == 6


def test_a_third_reader_gets_what_is_disputed_and_not_who_said_what(tmp_path):
    disputed = {QUALITY.items[4].id: ("path", "image")}
    assert write_study_sheet(tmp_path / "third.csv", QUALITY, disputed) == 1
    (line,) = csv.DictReader((tmp_path / "third.csv").read_text().splitlines())
    assert (line["id"], line["disputed"], line["path"]) == (QUALITY.items[4].id, "path | image", "")


def test_files_that_cannot_be_read_are_refused_with_their_place(tmp_path):
    head = "study,id,reasonable,triplets,aligned,path,image\n"
    name, id_ = QUALITY.name, QUALITY.items[0].id
    for text, problem in (
        (f"{head}{name},{id_},maybe,,,,\n", "line 2: 'reasonable' is 'maybe'; write yes or no, or leave it empty"),
        (
            f"{head}{name},q1,yes,,,,\n",
            f"line 2: 'id' is 'q1', which is not an item of study {name!r}; remove the line",
        ),
        (
            f"{head}x,{id_},yes,,,,\n",
            f"line 2: 'study' is 'x', but {name!r} on other lines; import one study at a time",
        ),
        (f"{head}{name},{id_},yes,,,,\n{name},{id_},no,,,,\n", "ann.csv line 2; keep one of them"),
        (
            f"{head}{name},{id_},,,,,\n",
            "no item is rated; fill in 'reasonable', 'triplets', 'aligned', 'path', 'image'",
        ),
        ("study,id\nx,y\n", "line 1: no 'reasonable' column; found 'study', 'id'"),
        (head, "contains no records; give a file with questions"),
    ):
        file = tmp_path / "ann.csv"
        file.write_text(text)
        with pytest.raises(DatasetError) as caught:
            read_ratings([file], QUALITY)
        assert str(caught.value).startswith(str(file))
        assert str(caught.value).endswith(problem)
    form = tmp_path / "ann.json"
    for document, problem in (
        ({"study": name, "answers": "x"}, "no list 'answers' of objects; give the official file"),
        ({"study": name, "answers": ["x"]}, "answer 1: expected an object; found 'x'"),
        (
            {"study": name, "answers": [{"id": id_, "path": 7}]},
            "answer 1: 'path' is '7'; write yes or no, or leave it empty",
        ),
        ({"study": name, "answers": [{"path": "yes"}]}, "answer 1: no 'id' field; found 'path', 'study'"),
    ):
        form.write_text(json.dumps(document))
        with pytest.raises(DatasetError) as caught:
            read_ratings([form], QUALITY)
        assert str(caught.value).endswith(problem)
    form.write_text(json.dumps({"study": name, "rater": "ann", "answers": []}))
    with pytest.raises(DatasetError, match="contains no ratings"):
        study_name(form)
