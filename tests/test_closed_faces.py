"""Through every face a memory can be read on a disk that is full or may not be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.disks import FULL, READ_ONLY, can_mount, on_a_disk

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not can_mount(), reason="no little disk can be mounted here"),
]


@pytest.mark.parametrize("trouble", [READ_ONLY, FULL])
def test_every_face_reads_as_before_and_says_why_it_does_not_write(
    tmp_path: Path, trouble: str
) -> None:
    said = on_a_disk(tmp_path / "disk", "faces", trouble)
    before, after = said["before"], said["after"]

    status, doctor = after["commands"].pop("doctor")
    assert status == 0
    assert {item["code"] for item in doctor["problems"]} <= {trouble}
    before["commands"].pop("doctor")
    assert after["commands"] == before["commands"]
    assert all(status == 0 for status, _ in before["commands"].values())

    refused = after["mcp"].pop("remember")
    assert refused["failed"]
    assert refused["error"]["code"] == trouble
    assert before["mcp"].pop("errors") == ""
    assert "Traceback" not in after["mcp"].pop("errors")
    assert after["mcp"] == before["mcp"]

    assert after["hooks"].pop("stop") == [0, {}, ""]
    assert after["hooks"] == before["hooks"]
    assert "otter" in str(after["hooks"]["prompt"])

    for name, (status, told) in said["refused"].items():
        assert status == 8, name
        assert told["error"]["code"] == trouble, name

    daemon = said["daemon"]
    assert "otter" in daemon["well"]["recall"]
    for when in ("before", "after") if trouble == FULL else ("after",):
        assert daemon[when] == daemon["well"]
        assert daemon[f"{when} refused"] == {"remember": trouble, "dream": trouble}
        assert daemon[f"{when} ended"] == [0, ""]
