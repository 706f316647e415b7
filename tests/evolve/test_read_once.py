"""Nothing is read twice: in one command spaCy's model is given each text once for its tags and once for its parse."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback_server import LoopbackServer
from model_cases import answer_step, write_benchmark
from spacy.language import Language
from spacy.tokens import Doc

import kbe_graph as kbe
from kbe_graph.english.parse import load_spacy_model, spacy_model_name

LAST = "noted"
SAMPLES = 400

pytestmark = [pytest.mark.long, pytest.mark.skipif(not spacy_model_name(), reason="spaCy's model is not installed")]


@pytest.fixture
def noted() -> Iterator[Counter[tuple[str, bool]]]:
    """How often the model of this process was given each text, for its parse or for its tags alone."""
    texts: Counter[tuple[str, bool]] = Counter()

    @Language.component(LAST)
    def note(doc: Doc) -> Doc:
        texts[doc.text, doc.has_annotation("DEP")] += 1
        return doc

    model = load_spacy_model()
    assert model is not None
    model.add_pipe(LAST, last=True)
    try:
        yield texts
    finally:
        model.remove_pipe(LAST)


def extracted(folder: Path, data: Path) -> kbe.Workspace:
    """Return a workspace with questions that no other test has read, extracted from captions and labels."""
    work = kbe.Workspace(folder, create=True, progress=False)
    work.load(data / "okvqa" / "val_dev_half.jsonl.gz", name="okvqa", split="val")
    captions = data / "coco_captions_tags" / "VinVL_base_val2014.tsv.gz"
    detections = data / "s3vqa_okvqa" / "val_detections.json.gz"
    work.extract(captions=captions, detections=detections, sample=SAMPLES)
    return work


def test_a_run_by_rules_reads_each_text_once(noted: Counter[tuple[str, bool]], data: Path, tmp_path: Path) -> None:
    with extracted(tmp_path, data) as work:
        assert len(noted) > SAMPLES  # questions and captions
        assert {text for text, times in noted.items() if times > 1} == set()
        noted.clear()
        work.evolve(hops=2, seed=0, run="r")
        assert noted
        assert {text for text, times in noted.items() if times > 1} == set()


def test_a_model_that_proposes_and_words_needs_no_parse(noted: Counter[tuple[str, bool]], tmp_path: Path) -> None:
    with LoopbackServer(otherwise=answer_step) as server, kbe.Workspace(tmp_path / "W", create=True) as work:
        work.load(write_benchmark(tmp_path, copies=1), name="own", split="val")
        options = kbe.ModelOptions("m", base_url=server.url, api_key="k", mode="merged")
        work.extract(model=options)
        run = work.evolve(hops=2, run="r", model=options)
        assert any(question.hop for question in run.questions())
        assert not noted
