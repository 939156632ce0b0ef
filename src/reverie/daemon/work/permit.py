"""The permit: what a task needs to write, given once and taken back at most once."""

from __future__ import annotations

import threading
from dataclasses import replace

from reverie.errors import TaskStopped
from reverie.types import RunInfo, Task, TaskFailure


class Permit:
    """The right of one task to write, given once and taken back at most once."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._guard = threading.Lock()
        self._writing = False
        self.revoked: TaskFailure | None = None

    def endorse(self, run: RunInfo) -> RunInfo:
        """Sign a run that is about to be recorded, or raise `TaskStopped`."""
        with self._guard:
            if self.revoked is not None:
                raise TaskStopped(self.revoked.message, task=self._task.id)
            self._writing = True
        detail = {**run.detail, "task": self._task.id}
        return replace(run, client=run.client or self._task.client, detail=detail)

    def revoke(self, why: TaskFailure) -> bool:
        """Take the right back; False when the task is writing already."""
        with self._guard:
            if self._writing:
                return False
            self.revoked = self.revoked or why
            return True
