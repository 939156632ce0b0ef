"""What an index keeps of its rows in memory says what the index says."""

import random

from reverie.local.search.index_db import IndexDb, KeptRows
from reverie.types.ranking import ChunkRow, FileRow

FILES = 1500
CHUNKS = 2  # of each


def test_rows_that_are_kept_are_those_of_the_index_however_many_were_asked_for(tmp_path):
    db = IndexDb(tmp_path / "index.db", identity="here", kept=False)
    files = [
        FileRow(0, f"{at}.md", "", "", 1 + at * CHUNKS, CHUNKS, 9, f"file {at}")
        for at in range(FILES)
    ]
    chunks = [
        ChunkRow(number, 1 + (number - 1) // CHUNKS, 0, 1, 2, 0, 9, 7, b"cid", "", 0, 0)
        for number in range(1, 1 + FILES * CHUNKS)
    ]
    with db.transaction():
        db.put_files(files)
        db.put_chunks(chunks)
    kept, chance = KeptRows(db), random.Random(1)
    for _ in range(40):
        wanted = [chance.randrange(-3, FILES * CHUNKS + 50) for _ in range(150)]
        assert kept.chunks(wanted) == db.chunks(wanted)
        assert list(kept.files(wanted).items()) == [
            (number, row) for number in dict.fromkeys(wanted) for row in db.files([number]).values()
        ]
    everything = range(1, 1 + FILES * CHUNKS)
    assert kept.chunks(everything) == db.chunks(everything)
    db.close()
