"""The line by shapes: what each gate refuses, what is kept, and what a repeated or killed run asks."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from loopback_server import LoopbackRequest, LoopbackServer
from PIL import Image
from shaped_model import FACT, JOIN, REPLIES, Model

import kbe_graph as kbe
from kbe_graph.checks import FilterSettings
from kbe_graph.errors import ConfigError
from kbe_graph.evolve.plan import plan_run
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.shapes.seeing import crop


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    Image.new("RGB", (640, 480), "white").save(tmp_path / "1.png")
    row = {"question_id": 1, "image": "1.png", "question": "Why is it in the air?", "answer": "to travel"}
    (tmp_path / "own.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    return tmp_path / "own.jsonl"


def made(benchmark: Path, model: Model, name: str = "W", **options: str) -> Iterator[Any]:
    """Evolve the benchmark by shapes; yield the question, and the drafts by text."""
    with LoopbackServer(otherwise=model) as server, kbe.Workspace(benchmark.parent / name, progress=False) as work:
        asked = kbe.ModelOptions("scripted", base_url=server.url, mode="merged", images=benchmark.parent, **options)
        work.load(benchmark, split="val")
        work.extract(model=asked)
        run = work.evolve(model=asked, run="one")
        drafts = work.graph.cypher("MATCH (d:Draft) RETURN d.text AS text, d.status AS status, d.reason AS reason")
        rows = drafts.set_index("text").to_dict("index")
        yield run, {text: row["reason"] or row["status"] for text, row in rows.items()}, work


@pytest.mark.filterwarnings("ignore:replies of:kbe_graph.errors.KbeWarning")  # of another address
def test_the_best_draft_is_asked_and_the_others_are_kept_in_order(benchmark: Path) -> None:
    model = Model()
    for _, drafts, work in made(benchmark, model):
        (question,) = work.questions(run="one")
        assert drafts == {FACT["q"]: "not the best", JOIN["q"]: "chosen"}
        assert (question.shape, question.hop, question.difficulty, question.answer) == ("join", 2, 5, "2020")
        assert [triplet.object.name for triplet in question.key] == [
            "PLANE",
            "AIR FRANCE",
            "AIRBUS A380",
            "2020",
            "2020",
        ]
        answers = work.graph.query("answers", id=question.id)
        assert answers["answers"].map(len).tolist() == [1, 0, 2, 2, 2, 2]
        shapes = work.graph.query("drafts_by_shape").set_index("shape")
        assert (shapes.loc["join", "chosen"], shapes.loc["join", "unaided"]) == (1, 0)
        work.report(benchmark.parent / "report.html")
        assert "Drafts by shape and number of facts" in (benchmark.parent / "report.html").read_text(encoding="utf-8")
    assert model.steps == ["see", "look", "draft", "confirm", "guess", "guess", "solve", "pick", "answer"]
    for _ in made(benchmark, model):
        assert len(model.steps) == 9  # nothing is asked twice


def test_a_thing_without_a_box_is_shown_enlarged_where_an_annotation_has_it(benchmark: Path) -> None:
    plane = {"id": 7, "image_id": 1, "category_id": 5, "bbox": [64, 48, 320, 240], "area": 76800, "iscrowd": 0}
    names = {"images": [{"id": 1, "file_name": "1.png"}], "categories": [{"id": 5, "name": "plane"}]}
    (benchmark.parent / "instances.json").write_text(json.dumps(names | {"annotations": [plane]}), encoding="utf-8")
    with LoopbackServer(otherwise=Model()) as server, kbe.Workspace(benchmark.parent / "B", progress=False) as work:
        work.load(benchmark, split="val")
        asked = kbe.ModelOptions("scripted", base_url=server.url, images=benchmark.parent)
        work.extract(model=asked, instances=benchmark.parent / "instances.json")
        look = server.requests[-1].text
        boxes = work.graph.cypher("MATCH (i:Identity) RETURN i.box AS box ORDER BY i.id")["box"]
    assert re.findall(r"PLANE \(enlarged part \d\)", look) == ["PLANE (enlarged part 1)", "PLANE (enlarged part 2)"]
    assert [list(box) for box in boxes] == [[0.1, 0.2, 0.6, 0.7], [0.1, 0.1, 0.6, 0.6]]


WORTH_NOTHING = {"n": 1, "related": True, "natural": True, "single": True, "worth": False}
REFUSALS: Mapping[str, tuple[str, Any]] = {
    "leak": ("draft", {"drafts": [FACT | {"q": "Where is Air France at home?"}]}),
    "too long": ("draft", {"drafts": [FACT | {"q": " ".join(["Where"] * 26) + "?"}]}),
    "no question": ("draft", {"drafts": [FACT | {"q": "Tell where it is at home."}]}),
    "no answer in key": ("draft", {"drafts": [FACT | {"a": "Orly", "names": []}]}),
    "an edge hangs on nothing": ("draft", {"drafts": [FACT | {"use": ["V1", "I7"]}]}),
    "unknown shape": ("draft", {"drafts": [FACT | {"shape": "rhyme"}]}),
    "nothing new": ("draft", {"drafts": [FACT | {"new": [], "use": ["V1", "V2"], "a": "white", "names": []}]}),
    "no draft": ("draft", {"drafts": []}),
    "not verified": ("confirm", {"verdicts": [{"n": 1, "true": False, "only": True}]}),
    "several answers fit": ("confirm", {"verdicts": [{"n": 1, "true": True, "only": False}]}),
    "guessed without the picture": ("guess", {"answers": [{"n": 1, "a": ["Roissy"]}]}),
    "not solved": ("solve", {"answers": [{"n": 1, "a": ["Orly"]}]}),
    "not picked": ("pick", {"verdicts": [WORTH_NOTHING], "best": 0}),
}


def test_each_gate_refuses_with_its_reason(benchmark: Path) -> None:
    one = {
        "draft": {"drafts": [FACT]},
        "confirm": {"verdicts": [{"n": 1, "true": True, "only": True}]},
        "solve": {"answers": [{"n": 1, "a": ["Roissy"]}]},
    }
    found, states = {}, {}
    with LoopbackServer(otherwise=Model()) as server, kbe.Workspace(benchmark.parent / "W", progress=False) as work:
        work.load(benchmark, split="val")
        options = kbe.ModelOptions("sees", base_url=server.url, mode="merged", images=benchmark.parent)
        work.extract(model=options)
        for number, (reason, (step, reply)) in enumerate(REFUSALS.items()):
            with LoopbackServer(otherwise=Model(**{**one, step: reply})) as own:
                work.evolve(model=replace(options, name=f"m{number}", base_url=own.url), run=f"r{number}")
            rows = work.graph.cypher("MATCH (d:Draft {run: $run}) RETURN d.reason AS reason", run=f"r{number}")
            found[reason] = rows["reason"].tolist()
            states[reason] = [each.reason for each in work.questions(run=f"r{number}", status="dropped")]
    assert found == states == {reason: [reason] for reason in REFUSALS}


@pytest.mark.filterwarnings("ignore:replies of:kbe_graph.errors.KbeWarning")  # of another address
def test_other_settings_of_a_run_are_told_and_a_call_that_does_nothing_is_not_the_newest(benchmark: Path) -> None:
    model = Model()
    for run, _, work in made(benchmark, model):
        (guess,) = json.loads(exported(work, run).splitlines()[-1])["guesses"]
        assert guess["model"] == "scripted"
        steps = len(model.steps)
        own = kbe.ModelOptions("scripted", base_url="http://127.0.0.1:9/v1", mode="merged", images=benchmark.parent)
        with pytest.raises(kbe.InputError, match=r"run 'one' rest on graphs extracted by scripted; forget the run"):
            work.extract(model=replace(own, name="other"), replace=True)
        with pytest.raises(ConfigError, match=r"run 'one' was made with different settings \(hops\)"):
            work.evolve(model=own, run="one", hops=5)
        work.evolve(knowledge="pack", wording="rule", run="two", hops=1)
        before = work.folder.read_manifest("one")
        assert not work.evolve(model=own, run="one").grown
        assert work.folder.read_manifest("one") == before
        with pytest.raises(kbe.InputError, match="no question of hop 7-9; the hops are 0, 2"):
            work.export(benchmark.parent / "none.jsonl", run="one", hops="7-9")
        assert len(model.steps) == steps


def exported(work: kbe.Workspace, run: kbe.Run) -> str:
    file = work.folder.path / "out.jsonl"
    work.export(file, run=run.name)
    return file.read_text(encoding="utf-8")


def test_a_guessed_draft_is_mended_once(benchmark: Path) -> None:
    mended = "At which airport is the carrier at home whose letters stand on its side?"

    def guess(request: LoopbackRequest) -> dict[str, Any]:
        return {"answers": [{"n": 1, "a": ["Roissy" if FACT["q"] in request.text else "Heathrow"]}]}

    model = Model(
        draft={"drafts": [FACT]},
        confirm={"verdicts": [{"n": 1, "true": True, "only": True}]},
        guess=guess,
        mend={"mended": [{"n": 1, "q": mended, "add": []}]},
        pick={"verdicts": [{"n": 1, "related": True, "natural": True, "single": True, "worth": True}], "best": 1},
        solve={"answers": [{"n": 1, "a": ["Charles de Gaulle"]}]},
    )
    for _, drafts, work in made(benchmark, model):
        assert drafts == {FACT["q"]: "guessed without the picture", mended: "chosen"}
        assert [question.text for question in work.questions(run="one")] == [mended]
    assert model.steps.count("mend") == 1
    model.replies |= {"mend": {"mended": [{"n": 1, "q": "", "add": []}]}}
    for _, drafts, _ in made(benchmark, model, "None"):
        assert drafts == {FACT["q"]: "guessed without the picture"}  # it cannot be mended
    assert model.steps.count("mend") == 2


NOSE = {"s": "NOSE", "r": "is of kind", "o": "DROOP NOSE", "names": ["DROOP SNOOT"], "e": "bent down", "p": 0.9}
IDENTIFY = {"shape": "identify", "use": ["N1"], "q": "What kind of nose does it have?", "a": "droop nose"}


@pytest.mark.parametrize(
    ("again", "outcome"),
    [
        ({"n": 1, "o": "DROOP SNOOT", "p": 0.9}, "chosen"),
        ({"n": 1, "o": "PITOT TUBE", "p": 0.9}, "a second look names another"),
        ({"n": 1, "o": "DROOP NOSE", "p": 0.4}, "a second look cannot tell"),
    ],
)
def test_what_a_draft_recognises_is_looked_at_again(benchmark: Path, again: dict[str, Any], outcome: str) -> None:
    def look(request: LoopbackRequest) -> Any:
        return {"seen": [again]} if "NOSE" in request.text else REPLIES["look"]

    yes = {"n": 1, "related": True, "natural": True, "single": True, "worth": True}
    model = Model(
        look=look,
        draft={"found": [NOSE], "drafts": [IDENTIFY]},
        solve={"answers": [{"n": 1, "a": ["droop nose"]}]},
        pick={"verdicts": [yes], "best": 1},
    )
    for _, drafts, work in made(benchmark, model):
        assert drafts == {IDENTIFY["q"]: outcome}
        asked = work.questions(run="one", status="kept")
        assert [[triplet.object.name for triplet in each.key] for each in asked] == (
            [["NOSE", "DROOP NOSE"]] if outcome == "chosen" else []
        )
        work.forget(run="one")
        left = work.graph.cypher("MATCH (i:Identity) RETURN i.object AS name ORDER BY name")
        assert left["name"].tolist() == ["AIR FRANCE", "AIRBUS A380"]


def test_a_blocked_relation_is_refused_in_drafts_too(benchmark: Path) -> None:
    (benchmark.parent / "W").mkdir()
    (benchmark.parent / "W" / "kbe.toml").write_text('[filters]\nblocked_relations = ["Has hub at"]\n')
    for _, drafts, _ in made(benchmark, Model()):
        assert drafts[FACT["q"]] == "blocked relation"


def test_what_is_recognised_is_looked_at_again_in_a_crop_without_the_first_name(benchmark: Path) -> None:
    asked: list[LoopbackRequest] = []

    def look(request: LoopbackRequest) -> dict[str, Any]:
        asked.append(request)
        return {"seen": [{"n": 1, "o": "AIR FRANCE", "p": 0.9}, {"n": 2, "o": "BOEING 747", "p": 0.9}]}

    for _, _, work in made(benchmark, Model(look=look)):
        refused = work.graph.query("refused_identities").to_dict("records")
        assert [(row["name"], row["again"]) for row in refused] == [("AIRBUS A380", "BOEING 747")]
        assert refused[0]["reason"] == "a second look names another"
    (request,) = asked
    parts = request.json["messages"][-1]["content"]
    assert sum(part["type"] == "image_url" for part in parts) == 2
    assert not re.search("AIR FRANCE|A380", json.dumps(request.json))


def test_forgetting_a_run_takes_its_drafts_along(benchmark: Path) -> None:
    for _, _, work in made(benchmark, Model()):
        work.forget(run="one")
        left = work.graph.cypher("MATCH (d:Draft) RETURN count(d) AS n")
        edges = work.graph.cypher("MATCH ()-[d:DRAFT]->() RETURN count(d) AS n")
        assert (left["n"].tolist(), edges["n"].tolist()) == ([0], [0])


def test_a_thing_that_hangs_on_nothing_hangs_on_the_image(benchmark: Path) -> None:
    see = REPLIES["see"] | {"visual": [{"s": "PLANE", "r": "has colour", "o": "white"}], "about": "V1"}
    one = {
        "draft": {"drafts": [FACT | {"use": ["I1"]}]},
        "confirm": {"verdicts": [{"n": 1, "true": True, "only": True}]},
    }
    sure = {"n": 1, "related": True, "natural": True, "single": True, "worth": True}
    last = {"solve": {"answers": [{"n": 1, "a": ["Roissy"]}]}, "pick": {"verdicts": [sure], "best": 1}}
    for _, drafts, work in made(benchmark, Model(see=see, **one, **last)):
        assert list(drafts.values()) == ["chosen"]
        (question,) = work.questions(run="one")
        assert question.key[0].relation == "shows"


def test_a_seen_edge_that_is_not_needed_leaves_the_key_and_what_is_recognised_may_be_the_scene(benchmark: Path) -> None:
    shown = {"s": "IMAGE", "r": "is set at", "o": "KAI TAK", "names": [], "e": "houses close by", "p": 0.9}
    see = REPLIES["see"] | {"identities": [*REPLIES["see"]["identities"], shown]}
    again = [*REPLIES["look"]["seen"], {"n": 3, "o": "KAI TAK", "p": 0.9}]
    scene = IDENTIFY | {"use": ["I3"], "q": "Which airport is this?", "a": "Kai Tak"}
    yes = {"related": True, "natural": True, "single": True, "worth": True}
    solved = {"Which airport": "Kai Tak", "home": "Roissy"}

    def solve(request: LoopbackRequest) -> dict[str, Any]:
        asked = request.text.rpartition("1 question: ")[2]
        assert ("AIR FRANCE" in asked) == ("home" in asked)  # no fact tells what another draft asks to recognise
        return {"answers": [{"n": 1, "a": [next(said for word, said in solved.items() if word in asked)]}]}

    model = Model(
        see=see,
        look={"seen": again},
        draft={"drafts": [FACT | {"use": ["V1", "V2", "I1"]}, scene]},
        confirm={"verdicts": [{"n": 1, "true": True, "only": True}]},
        solve=solve,
        pick={"verdicts": [yes | {"n": 1}, yes | {"n": 2}], "best": 1},
    )
    for _, drafts, work in made(benchmark, model):
        assert drafts == {FACT["q"]: "chosen", scene["q"]: "not the best"}
        (question,) = work.questions(run="one")
        assert [triplet.object.name for triplet in question.key] == ["PLANE", "AIR FRANCE", "ROISSY"]
    assert model.steps.count("solve") == 2


def test_known_facts_are_of_the_sense_that_is_shown(benchmark: Path) -> None:
    model = {"s": "PLANE", "r": "is of model", "o": "COBRA", "names": [], "e": "slim", "p": 0.9}
    coat = {"s": "HORSE", "r": "has coat colour", "o": "CHESTNUT", "names": [], "e": "brown", "p": 0.9}
    see = REPLIES["see"] | {"identities": [REPLIES["see"]["identities"][0], model, coat]}
    names = [REPLIES["look"]["seen"][0]["o"], "COBRA", "CHESTNUT"]
    look = {"seen": [{"n": number, "o": name, "p": 0.9} for number, name in enumerate(names, 1)]}
    known = []

    def draft(request: LoopbackRequest) -> dict[str, Any]:
        known.append(request.text.rpartition("Known: ")[2])
        return {"drafts": []}

    for _ in made(benchmark, Model(see=see, look=look, draft=draft)):
        assert "(AIR FRANCE, founding year, 1933)" in known[0]
        assert "COBRA" not in known[0]
        assert "CHESTNUT" not in known[0]  # a horse too, in the dictionary


def test_a_small_part_of_a_picture_is_enlarged_and_a_large_one_is_not(tmp_path: Path) -> None:
    Image.new("RGB", (1000, 2000), "red").save(tmp_path / "own.png")
    sizes = {}
    for box in ((0.1, 0.1, 0.11, 0.15), (0.05, 0.05, 0.95, 0.95), (0.05, 0.5, 0.06, 0.95)):
        with Image.open(crop(tmp_path / "own.png", box, tmp_path / "crops")) as part:
            sizes[box] = part.size
    assert list(sizes.values()) == [(400, 1091), (1000, 2000), (160, 1600)]


@pytest.mark.parametrize("changed", [{"verify": True}, {"ground": "prefer"}])
def test_what_the_mode_does_not_use_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="gates of its own"):
        plan_run(RunOptions("one"), FilterSettings(), kbe.ModelOptions("m", **changed))


def test_only_the_named_gates_are_asked(benchmark: Path) -> None:
    model = Model(draft={"drafts": [FACT, JOIN]}, confirm={"verdicts": []}, pick={"verdicts": [], "best": 0})
    for _, drafts, _ in made(benchmark, model, gates="answered, "):
        assert drafts == {FACT["q"]: "chosen", JOIN["q"]: "not the best"}
    assert model.steps == ["see", "look", "draft", "solve", "answer"]
    for mode, gates, said in (("merged", "ture", "no gate 'ture'"), ("paper", "one", "only drafts of mode 'merged'")):
        with kbe.Workspace(benchmark.parent / "W", progress=False) as work, pytest.raises(ConfigError, match=said):
            work.evolve(model=kbe.ModelOptions("m", base_url="http://127.0.0.1:9", mode=mode, gates=gates), run="two")


def test_its_calls_are_estimated(benchmark: Path) -> None:
    with kbe.Workspace(benchmark.parent / "W", progress=False) as work:
        work.load(benchmark, split="val", images=benchmark.parent)
        options = kbe.ModelOptions("m", base_url="http://127.0.0.1:9", mode="merged", images=benchmark.parent)
        estimate = work.models.estimate(options)
        steps = {each.step: each.calls for each in estimate.steps}
    assert steps == dict.fromkeys(("see", "look", "draft", "confirm", "guess", "solve", "pick", "answer"), 1)


def test_a_picture_that_is_gone_at_the_second_look_costs_its_identities(benchmark: Path) -> None:
    picture = benchmark.parent / "1.png"

    def see(_: LoopbackRequest) -> Any:
        picture.write_bytes(b"no picture any more")
        return REPLIES["see"]

    for _, drafts, work in made(benchmark, Model(see=see, draft={"drafts": []})):
        assert set(drafts.values()) <= {"no draft", "no picture"}
        assert set(work.graph.query("refused_identities")["reason"]) == {"no picture"}
