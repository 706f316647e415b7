"""Questions of the demo are perturbed, asked, exported and taken out again with all that rests on them."""

import csv
import json
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import quick_kbe
from commands import KBE, environment, kept_up
from mounts import fill, make_room, small_disk

import kbe_graph as kbe
from kbe_graph.files.image import encoded_jpeg  # noqa: F401
from kbe_graph.types import RAW, QuestionVariant
from kbe_graph.workspace.variants import stored_variants
