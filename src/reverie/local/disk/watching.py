"""What the kernel tells of folders: every change in them, queued before whoever made it goes on.

Rules
- One queue for a process. It is read when somebody asks, without waiting; no thread and no wake-up.
- Only file systems count of which every change passes this kernel and is told: the local ones below. On a
  network, in an overlay or below a user's program files change without a word.
- The queue can overflow and a folder can go away: then nothing is known any more, and that is said.
- A forked process begins anew: two that read one queue would take each other's news.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from threading import Lock
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Watch"]

_LOCAL: Final = frozenset(
    {
        0xEF53,  # ext2, ext3, ext4
        0x58465342,  # xfs
        0x9123683E,  # btrfs
        0xF2F52010,  # f2fs
        0xCA451A4E,  # bcachefs
        0x2FC12FC1,  # zfs
        0x01021994,  # tmpfs
    }
)
_MODIFY, _ATTRIB, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x2, 0x4, 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _ONLY_DIR = 0x400, 0x800, 0x1000000
_UNMOUNT, _OVERFLOW, _IGNORED, _IS_DIR = 0x2000, 0x4000, 0x8000, 0x40000000
_CONTENT: Final = _MODIFY | _ATTRIB | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
_ASKED: Final = _CONTENT | _DELETE_SELF | _MOVE_SELF | _ONLY_DIR
_ENDS: Final = _DELETE_SELF | _MOVE_SELF | _UNMOUNT | _IGNORED
_HEAD: Final = struct.Struct("iIII")
_ROOM: Final = 1 << 16


class Watch:
    """The folders that somebody watches, and what became known of them."""

    __slots__ = ("_process", "changed", "lost")

    def __init__(self) -> None:
        self._process = os.getpid()
        self.changed: set[tuple[str, str]] = set()
        """Folder, as it was named, and the name of what changed in it."""
        self.lost = False
        """Whether something may have happened that is not in `changed`: a folder came, went or moved."""

    def add(self, folder: str, descriptor: int) -> None:
        """Watch one more folder, opened as `descriptor`; it is lost if not all changes would be told."""
        with _kernel.lock:
            queue = _kernel.queue()
            self.lost |= queue is None or not queue.add(self, folder, descriptor)

    def news(self) -> Sequence[tuple[str, str]] | None:
        """Return what changed since the last time, as folder and name; None when that is not known."""
        with _kernel.lock:
            queue = _kernel.queue()
            if queue is None or self._process != os.getpid():
                return None
            queue.drain()
            changed, self.changed = list(self.changed), set()
            return None if self.lost else changed

    def close(self) -> None:
        """Let go of the folders."""
        with _kernel.lock:
            queue = _kernel.queue()
            if queue is not None:
                queue.remove(self)

    def close_later(self) -> None:
        """Let go of the folders the next time somebody uses the queue.

        Takes no lock and changes nothing else, so that a collector of garbage may call it at any moment,
        also in the middle of another call.
        """
        _kernel.forsaken.append(self)


class _Queue:
    """The kernel's queue of this process."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._file = int(self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        if self._file < 0:
            raise OSError(ctypes.get_errno(), "there is no queue for changes")
        self._watched: dict[int, list[tuple[Watch, str]]] = {}

    def close(self) -> None:
        os.close(self._file)

    def _is_local(self, descriptor: int) -> bool:
        """Say whether every change of a folder is told."""
        facts = ctypes.create_string_buffer(512)
        if self._libc.fstatfs(descriptor, facts):
            return False
        return int.from_bytes(facts.raw[:8], sys.byteorder) & 0xFFFFFFFF in _LOCAL

    def add(self, watch: Watch, folder: str, descriptor: int) -> bool:
        """Begin to watch a folder; say whether that worked."""
        if not self._is_local(descriptor):
            return False
        # By what is open, not by its name: that may lead elsewhere by now.
        opened = b"/proc/self/fd/%d" % descriptor
        number = int(self._libc.inotify_add_watch(self._file, opened, _ASKED))
        if number < 0:
            return False
        self._watched.setdefault(number, []).append((watch, folder))
        return True

    def remove(self, watch: Watch) -> None:
        """Stop watching."""
        for number in list(self._watched):
            left = [item for item in self._watched[number] if item[0] is not watch]
            if left:
                self._watched[number] = left
            else:
                del self._watched[number]
                self._libc.inotify_rm_watch(self._file, number)

    def drain(self) -> None:
        """Hand out everything that was told so far."""
        while True:
            try:
                data = os.read(self._file, _ROOM)
            except BlockingIOError:
                return
            at = 0
            while at < len(data):
                number, mask, _, length = _HEAD.unpack_from(data, at)
                at += _HEAD.size
                name = os.fsdecode(data[at : at + length].rstrip(b"\0"))
                at += length
                self._tell(number, mask, name)

    def _tell(self, number: int, mask: int, name: str) -> None:
        if mask & _OVERFLOW:
            for holders in self._watched.values():
                for watch, _ in holders:
                    watch.lost = True
            return
        for watch, folder in self._watched.get(number, ()):
            if mask & (_ENDS | _IS_DIR):
                watch.lost = True
            else:
                watch.changed.add((folder, name))


class _Kernel:
    """The queue of this process, once there is one."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.forsaken: list[Watch] = []
        self._queue: _Queue | None = None
        self._none = sys.platform != "linux"

    def begin_anew(self) -> None:
        """Let go of what a forked process has of its parent, whose threads may have held the lock."""
        self.lock, self.forsaken = Lock(), []
        if self._queue is not None:
            self._queue.close()
            self._queue = None

    def queue(self) -> _Queue | None:
        """Return the queue; None where there cannot be one."""
        if self._queue is None and not self._none:
            try:
                self._queue = _Queue()
            except (OSError, AttributeError):  # too many queues; a C library without it
                self._none = True
        while self._queue is not None and self.forsaken:
            self._queue.remove(self.forsaken.pop())
        return self._queue


_kernel = _Kernel()
os.register_at_fork(after_in_child=_kernel.begin_anew)
