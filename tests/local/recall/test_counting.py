"""What is counted of one file."""

from __future__ import annotations

import os

from reverie.local.recall.counting import counted


def test_a_file_whose_folder_goes_while_it_is_read_is_not_there(tmp_path, monkeypatch):
    real, linked = tmp_path / "real", tmp_path / "linked"
    (real / "user").mkdir(parents=True)
    (real / "user/tea.md").write_text(
        "---\nname: tea\ndescription: d\ntype: user\n---\n\nGreen tea\n"
    )
    linked.symlink_to(real)
    info = (real / "user/tea.md").stat()
    seen = (info.st_mtime_ns, info.st_size, info.st_ino, info.st_ctime_ns, False)
    follow, followed, goes = os.readlink, [], [0]

    def readlink(path, *given, **more):
        followed.append(path)
        if len(followed) == goes[0]:
            raise FileNotFoundError(path)
        return follow(path, *given, **more)

    monkeypatch.setattr(os, "readlink", readlink)

    def count(*, goes_at):
        followed.clear()
        goes[0] = goes_at
        return counted(
            str(linked), 0, "user/tea.md", seen,
            age=lambda *_: None, imported=lambda *_: "", limit=10**6,
        )  # fmt: skip

    assert count(goes_at=0).doc.name == "tea"
    times = len(followed)
    assert times > 1
    for goes_at in range(1, times + 1):
        assert count(goes_at=goes_at).doc is None
