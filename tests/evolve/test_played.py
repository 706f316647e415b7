"""A whole run on replies that readers wrote by hand: every reply is read, and what is kept is what was kept."""

from pathlib import Path

import pytest
from loopback_server import LoopbackServer
from played_model import PlayedModel
from played_run import evolve_played

import kbe_graph as kbe


def test_every_reply_is_read_and_what_was_kept_is_kept(data: Path, tmp_path: Path) -> None:
    if not (data / "coco_mini").is_dir():
        pytest.skip("the photos are not in KBE_DATA")
    played = PlayedModel()
    (photos := tmp_path / "photos").mkdir()
    with (
        LoopbackServer(otherwise=played, record=False) as server,
        kbe.Workspace(tmp_path / "W", progress=False) as work,
    ):
        run = evolve_played(work, data, photos, server.url)
        kept = {(question.hop, question.answer) for hop in (1, 2, 3) for question in run.questions(hop=hop)}
        reasons = {
            reason
            for counts in run.status()["runs"][run.name]["questions"].values()
            for reason in counts.get("dropped by reason", {})
        }
        assert len(work.samples(status="extracted")) >= 178
    assert not {reason for reason in reasons if reason.startswith("reply: ")}
    assert kept >= {(1, "Proboscidea"), (1, "James Curran"), (1, "magnetron"), (1, "Alexander Graham Bell")}
    assert kept >= {(1, "FedExForum"), (1, "Ladurée"), (1, "William Penn"), (2, "Yellow Sea"), (3, "Ann Arbor")}
    assert played.unplayed["graph"] == played.unplayed["guess"] == 0
