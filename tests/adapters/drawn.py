"""Stand-ins for the process that draws a report, for tests of when and what is drawn."""

import logging
import pickle
from concurrent.futures import Future
from types import SimpleNamespace

from hpo_explain.adapters import _updates
from hpo_explain.adapters._drawing import draw
from hpo_explain.base.workers import dumped


class Drawn:
    """What reports were asked for, each drawn at once, or when told to.

    Drawing is what `answer` makes of the page: it returns the cost, or raises.
    """

    def __init__(self, monkeypatch, answer=lambda page: 0.0, *, at_once=True):
        self.jobs, self.pending = [], []
        record = self

        class StandIn:
            def __init__(self, page, done, *, gives_way, turn):
                page = pickle.loads(dumped(page))  # as it is sent
                record.jobs.append(SimpleNamespace(page=page, gives_way=gives_way))
                self.is_over = self.is_stopped = False
                self.drawn = lambda: answer(page)
                self.done, self.turn = done, turn
                record.pending.append(self)
                if at_once:
                    self.go_on()

            def go_on(self):
                future = Future()
                try:
                    future.set_result(self.drawn())
                except Exception as error:
                    future.set_exception(error)
                self.done(future)
                self.end()

            def end(self):
                record.pending.remove(self)
                self.turn.end()
                self.is_over = True

            def wait(self):
                if not self.is_over:
                    self.go_on()

            def stop(self):
                self.is_stopped = True
                if not self.is_over:
                    self.end()

        monkeypatch.setattr(_updates, "Drawing", StandIn)

    @property
    def lengths(self):
        """How many trials each report was about."""
        return [len(next(iter(job.page.runs.values()))) for job in self.jobs]


def drawn_here(monkeypatch):
    """Reports are drawn by this process, which saves the start of another one."""

    def drawn(page):
        disabled = logging.root.manager.disable
        try:
            return draw(page)
        finally:
            logging.disable(disabled)

    return Drawn(monkeypatch, drawn)
