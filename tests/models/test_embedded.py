"""The embedded vectors: read as data, the same with and without numpy, safe for any text."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import EmbedderFailed
from reverie.models.embedded import EmbeddedEmbedder

EMBEDDER = EmbeddedEmbedder()


def cosine(one: str, other: str) -> float:
    left, right = EMBEDDER.embed([one, other])
    return sum(a * b for a, b in zip(left, right, strict=True))


def test_texts_about_the_same_are_nearer_than_texts_about_something_else():
    assert cosine("a small dog", "a little puppy") > cosine("a small dog", "the tax return") + 0.2
    assert cosine("Datenbank", "PostgreSQL Datenbank") > cosine("Datenbank", "Spaziergang")


@given(st.text())
def test_any_text_has_a_vector_of_length_one_or_none_at_all(text):
    (vector,) = EMBEDDER.embed([text])
    length = math.sqrt(sum(value * value for value in vector))
    assert len(vector) == EMBEDDER.dimension == 256
    assert length == pytest.approx(1.0, abs=1e-5) or length == 0.0


def test_many_texts_at_once_give_the_vectors_of_each_alone():
    texts = [f"turn {number} is about the river and the fox" for number in range(500)]
    many = EMBEDDER.embed(texts)
    for number in (0, 250, 499):
        (alone,) = EMBEDDER.embed([texts[number]])
        assert list(many[number]) == pytest.approx(alone, abs=1e-5)


def test_nothing_is_made_of_the_weights_that_stays():
    own = EmbeddedEmbedder()
    own.embed([f"turn {number} is about the river and the fox" for number in range(1000)])
    assert "numpy" in sys.modules
    kept = {name: type(value) for name, value in vars(own).items() if hasattr(value, "nbytes")}
    assert kept == {
        "_weights": memoryview
    }  # of the file itself: pages that the system may take back


@pytest.mark.slow
def test_a_run_of_letters_without_end_takes_no_quadratic_time():
    (vector,) = EMBEDDER.embed(["a" * 200_000])
    assert any(vector)


def test_words_without_content_do_not_move_a_vector():
    one, other = EMBEDDER.embed(["the fox and the river", "fox river"])
    assert one == pytest.approx(other)


@pytest.mark.slow
def test_a_query_is_embedded_without_numpy_and_without_the_package_running():
    code = (
        "import sys; from reverie.models.embedded import EmbeddedEmbedder as E;"
        "E().embed(['where is the key']); print('numpy' in sys.modules, 'wordllama' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_a_package_with_other_files_is_refused_by_name(tmp_path):
    spec = find_spec("wordllama")
    assert spec
    assert spec.submodule_search_locations
    source = Path(spec.submodule_search_locations[0])
    for name in (
        "weights/l2_supercat_256.safetensors",
        "tokenizers/l2_supercat_tokenizer_config.json",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(source / name, tmp_path / name)
    assert EmbeddedEmbedder(tmp_path).embed(["fox"])
    (tmp_path / "weights/l2_supercat_256.safetensors").write_bytes(b"\x02\0\0\0\0\0\0\0{}")
    with pytest.raises(EmbedderFailed):
        EmbeddedEmbedder(tmp_path).embed(["fox"])
    (tmp_path / "tokenizers/l2_supercat_tokenizer_config.json").unlink()
    with pytest.raises(EmbedderFailed):
        EmbeddedEmbedder(tmp_path).embed(["fox"])
