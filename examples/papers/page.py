"""The results as Markdown: what was found in all, a line for each section, and the sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from examples.papers.frame import Experiment, Row
from examples.papers.verdicts import (
    AGREES,
    DIFFERS,
    NOT_CONTRADICTED,
    UNDECIDED,
    Finding,
    Number,
    verdict,
)

KINDS = {Number: "Numbers", Finding: "Signs"}


class Section(NamedTuple):
    """What was found of an experiment, where its figures are, and what it took of a processor."""

    experiment: Experiment
    rows: Sequence[Row]
    figures: Sequence[str] = ()
    seconds: float = 0.0

    @property
    def n_rows(self) -> int:
        """How many rows are judged together."""
        return sum(row.judged is not None for row in self.rows)

    def judged(self, kind: type) -> list[Any]:
        """Return the numbers or the findings."""
        return [row.judged for row in self.rows if isinstance(row.judged, kind)]

    def verdict(self, kind: type) -> str:
        """Return the verdict on the numbers or on the findings, nothing without any."""
        some = self.judged(kind)
        return verdict(some, self.n_rows) if some else ""

    def counted(self, kind: type) -> Counter[str]:
        """Return how many printed numbers, or findings, have which verdict."""
        some = [one for one in self.judged(kind) if not getattr(one, "together", False)]
        return Counter(one.verdict(self.n_rows) for one in some)

    @property
    def text(self) -> str:
        """The section as Markdown."""
        one = self.experiment
        notes = [*dict.fromkeys(row.note for row in self.rows if row.note)]
        marks = {note: f" [{k}]" for k, note in enumerate(notes, 1)} | {"": ""}
        said = [f"{what}: **{v}**" for kind, what in KINDS.items() if (v := self.verdict(kind))]
        said.append(f"Measured on {one.basis}" if one.basis and said else "")
        lines = [row.shown(self.n_rows, marks[row.note]) for row in self.rows]
        head = (
            "| what | paper | ours | standard error | tells | verdict |\n|---|---|---|---|---|---|"
        )
        parts = [
            f"### {one.label}: {one.title}",
            ". ".join([*filter(None, said), f"{self.seconds:.1f} s."]),
            "\n".join([head, *lines]),
            "\n".join(f"[{k}] {note}.  " for k, note in enumerate(notes, 1)),
            "\n".join(f"![{one.label}]({figure})" for figure in self.figures),
        ]
        return "\n\n".join(filter(None, parts))


def page(head: str, sections: Sequence[Section]) -> str:
    """Return the page: what was found in all, a line for each section, and the sections."""
    said = []
    for kind, what in KINDS.items():
        counts = sum((section.counted(kind) for section in sections), Counter())
        of_sections = Counter(section.verdict(kind) for section in sections)
        in_all = [f"{counts[v]} {v}" for v in (AGREES, NOT_CONTRADICTED, DIFFERS, UNDECIDED)]
        by_section = [f"{of_sections[v]} {v}" for v in (AGREES, NOT_CONTRADICTED, DIFFERS)]
        said.append(
            f"- *{what}*, by section: {', '.join(by_section)}; one by one: {', '.join(in_all)}."
        )
    lines = [
        f"| {one.experiment.label} | {one.verdict(Number)} | {one.verdict(Finding)} | "
        f"{one.seconds:.0f} |"
        for one in sections
    ]
    table = ["| section | numbers | signs | seconds |", "|---|---|---|---|", *lines]
    seconds = sum(one.seconds for one in sections)
    taken = f"The {len(sections)} sections take {seconds:,.0f} seconds of one processor."
    return (
        "\n\n".join(
            [head + "\n".join([*said, "", taken]), "\n".join(table)]
            + [one.text for one in sections]
        )
        + "\n"
    )
