"""What a configuration is compared with: rows that were given, a number of rows, or enough rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hpo_explain.base import InputError, Option, check_count, check_option
from hpo_explain.methods._engines.background import (
    complete,
    hybrid_background,
    hypercubes,
    independent_batches,
    local_background,
)
from hpo_explain.models import Acquisition, SupportsDensities
from hpo_explain.space import Array, Config

BACKGROUNDS = ("auto", "global", "local", "hybrid", "candidates", "thesis")
THESIS_ROWS = 1000  # per hyperparameter (thesis, Section 5.2)
AROUND = {"local": local_background, "hybrid": hybrid_background}


@dataclass(frozen=True, eq=False)
class Reference:
    """A background, or how one is drawn.

    Attributes
    ----------
    acquisition : Acquisition
        What is explained; it may draw candidates.
    seed : int
        Seed of draws.
    given : ndarray of shape (n, d) or None
        Latent rows that were given.
    rows : int
        How many rows are drawn; 0 for as many as contributions need to be precise.
    place : {"global", "local", "hybrid", "candidates"}
        Where they are drawn.
    """

    acquisition: Acquisition
    seed: int
    given: Array | None = None
    rows: int = 0
    place: str = "global"

    @classmethod
    def of(
        cls,
        acquisition: Acquisition,
        background: int | str | Config | npt.ArrayLike,
        *,
        sampling: bool,
        seed: int,
    ) -> Reference:
        """Return what a user asks for; where orders are sampled, "auto" is "thesis".

        Raises
        ------
        InputError
            If it is neither a positive number nor a word, nor rows or a configuration of the space.
        """
        space = acquisition.space
        if isinstance(background, Mapping):
            background = space.row(background, "background")[None, :]
        if not isinstance(background, str):
            if np.ndim(background) == 0:
                rows = check_count("background", background)
                return cls(acquisition, seed, rows=rows)
            given = complete(space, background, seed=seed)
            return cls(acquisition, seed, given=given)
        check_option("background", background, BACKGROUNDS)
        if background == "candidates" and not isinstance(acquisition, SupportsDensities):
            raise InputError(
                "background",
                "is 'candidates', which needs an acquisition that draws candidates, such as "
                f"TPE's, but was asked of {acquisition.label}",
                background,
                ("Use ", Option("background", "global"), "."),
            )
        counted = background == "thesis" or sampling
        return cls(
            acquisition,
            seed,
            rows=THESIS_ROWS * len(space) if counted else 0,
            place="global" if background in ("auto", "thesis") else background,
        )

    @property
    def grows(self) -> bool:
        """Whether rows are drawn until contributions are precise."""
        return self.given is None and not self.rows

    def check_complete(self, not_chosen: tuple[str, ...]) -> None:
        """Raise InputError if it lies around a configuration that is not complete."""
        if not_chosen and self.place in AROUND:
            raise InputError(
                "background",
                f"is {self.place!r}, but {', '.join(not_chosen)} have no value yet",
                self.place,
                ("Use ", Option("background", "global"), "."),
            )

    def cubes(self, config: Config, rows: int = 0) -> list[Array]:
        """Return independent parts of the background, of so many rows if it grows."""
        if self.given is not None:
            return [self.given]
        rows = self.rows or rows
        space = self.acquisition.space
        if self.place == "global":
            return hypercubes(space, rows, seed=self.seed)

        def drawn(n: int, seed: int) -> Array:
            if isinstance(self.acquisition, SupportsDensities) and self.place == "candidates":
                return self.acquisition.candidates(n, seed=seed)
            return AROUND[self.place](space, config, n, seed=seed)

        return independent_batches(drawn, rows, seed=self.seed)
