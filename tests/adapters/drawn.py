"""Stand-ins for the process that draws a report, for tests of when and what is drawn."""

import pickle
from pathlib import Path

from hpo_explain.adapters import _updates
from hpo_explain.adapters._draw_report import draw
from hpo_explain.adapters._drawing import Answer, Drawing, Job


def answered(**fields):
    """The answer of a process that has written the report, but for the fields given."""
    defaults = {
        "written": True, "busy": False, "seconds": 0.0, "failures": (), "importance": None,
        "records": (),
    }  # fmt: skip
    return Answer(**(defaults | fields))


class Drawn:
    """What a report was asked for, each answered at once, or when told to."""

    def __init__(self, monkeypatch, answer=lambda job, content: answered(), *, at_once=True):
        self.jobs, self.contents, self.pending = [], [], []
        record = self

        class StandIn:
            def __init__(self, job, done):
                content = pickle.loads(job.content)
                record.jobs.append(job)
                record.contents.append(content)
                self.is_over = self.is_stopped = False
                self.answer = lambda: answer(job, content)
                self.done = done
                record.pending.append(self)
                if at_once:
                    self.go_on()

            def go_on(self):
                record.pending.remove(self)
                if not self.is_stopped:
                    self.done(self.answer())
                self.is_over = True

            def wait(self):
                if not self.is_over:
                    self.go_on()

            def stop(self):
                self.is_stopped = True

        monkeypatch.setattr(_updates, "Drawing", StandIn)

    @property
    def lengths(self):
        """How many trials each report was about."""
        return [len(next(iter(content.runs.values()))) for content in self.contents]


def drawn_here(monkeypatch):
    """Reports are drawn by this process, which saves the start of another one."""
    return Drawn(monkeypatch, lambda job, _: draw(job))


def drawing(path, content, done=lambda _: None, **fields):
    """A process that draws; its content is pickled as it is."""
    job = {"last": False, "importance": False}
    return Drawing(Job(Path(path), content=pickle.dumps(content), **(job | fields)), done)


class Code:
    """Runs a line of Python where it is unpickled, before anything is drawn."""

    def __init__(self, code):
        self.code = code

    def __reduce__(self):
        return exec, (self.code,)
