"""Answers and scores of models on a release, as files of Every Eval Ever (schema 0.3.0, arXiv 2606.14516)."""

import hashlib
import json
import re
import time
import uuid
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from kbe_graph.evaluate.judging import SURE, Response
from kbe_graph.extras import __version__
from kbe_graph.files.opening import sha256_of
from kbe_graph.files.resources import fields
from kbe_graph.files.whole import replacing
from kbe_graph.graph_access import GraphAccess
from kbe_graph.release.diff import Edition, responses_to
from kbe_graph.statistics.intervals import clustered_wilson

_PORTABLE = re.compile(r"[^A-Za-z0-9._-]+")


FIXED = "release/every_eval.json"  # the fields that are the same in all files, by the part that they are in


def write_results(access: GraphAccess, edition: Edition, out: Path) -> list[Path]:
    """Write each model's scores by hop and its answers into a folder, and return the files of scores.

    The files are named as the data store of Every Eval Ever names them, so that writing again replaces them. Raises
    InputError.
    """
    by_model: dict[str, list[Response]] = defaultdict(list)
    for response in responses_to(access, edition):
        by_model[response.prediction.model].append(response)
    return [_write_model(out, edition.id, model, own) for model, own in sorted(by_model.items())]


def _write_model(out: Path, release: str, model: str, responses: Sequence[Response]) -> Path:
    developer, _, name = model.rpartition("/")
    digest = hashlib.sha256(f"{release}|{model}".encode()).digest()
    parts = (release.partition("@")[0], developer or "unknown", name)
    folder = "/".join(("data", *(_PORTABLE.sub("_", part).strip(".") or "unnamed" for part in parts)))
    path = f"{folder}/{uuid.UUID(bytes=digest[:16], version=4)}"
    head = fields(FIXED)["head"] | {"evaluation_id": f"{release}/{model}/{int(time.time())}"}
    (out / folder).mkdir(parents=True, exist_ok=True)
    samples = out / f"{path}_samples.jsonl"
    with replacing(samples) as stream:
        for each in responses:
            stream.write(json.dumps(head | {"model_id": model} | _instance(each), ensure_ascii=False) + "\n")
    ordered = sorted(responses, key=lambda each: each.question.hop)
    details = {"file_path": f"{path}_samples.jsonl", "checksum": sha256_of(samples), "total_rows": len(responses)}
    scores = {
        **head,
        **fields(FIXED)["scores"],
        "retrieved_timestamp": str(int(time.time())),
        "eval_library": {"name": "kbe-graph", "version": __version__},
        "model_info": {"name": name, "id": model, "developer": developer or "unknown"} | fields(FIXED)["model"],
        "evaluation_results": [
            _result(release, hop, list(own)) for hop, own in groupby(ordered, key=lambda each: each.question.hop)
        ],
        "detailed_evaluation_results": fields(FIXED)["details"] | details,
    }
    with replacing(out / f"{path}.json") as stream:
        json.dump(scores, stream, ensure_ascii=False, indent=1)
    return out / f"{path}.json"


def _result(release: str, hop: int, responses: Sequence[Response]) -> dict[str, Any]:
    right = [each.is_right_by(SURE) for each in responses]
    low, high = clustered_wilson(right, [each.sample.picture_key for each in responses])
    interval = fields(FIXED)["interval"] | {"lower": low, "upper": high}
    return {
        "evaluation_result_id": f"hop{hop}",
        "evaluation_name": f"{release} hop {hop}",
        "source_data": {"dataset_name": release, "source_type": "other"},
        "metric_config": fields(FIXED)["metric"],
        "score_details": {
            "score": sum(right) / len(right),
            "details": {"without an answer": str(sum(not each.prediction.text for each in responses))},
            "uncertainty": {"confidence_interval": interval, "num_samples": len(right)},
        },
    }


def _instance(response: Response) -> dict[str, Any]:
    answer, question = response.prediction, response.question
    raw, right = answer.asked or question.text, response.is_right_by(SURE)
    method = answer.read_by or "verbatim"
    reference = [question.answer, *question.aliases]
    return {
        "evaluation_name": f"hop {question.hop}",
        "evaluation_result_id": f"hop{question.hop}",
        "sample_id": question.id,
        "sample_hash": hashlib.sha256("".join((raw, *reference)).encode(errors="surrogatepass")).hexdigest(),
        "interaction_type": "single_turn",
        "input": {"raw": raw, "reference": reference},
        "output": {"raw": [answer.whole_reply]},
        "answer_attribution": [fields(FIXED)["answer"] | {"extracted_value": answer.text, "extraction_method": method}],
        "evaluation": {"score": float(right), "is_correct": right},
        "metadata": {"run": str(answer.run), "image": response.sample.image},
    }
