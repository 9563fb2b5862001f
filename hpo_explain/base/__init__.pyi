"""The public names and where they are; ``python -m tests.stubs`` writes this file."""

from .claim import Claim as Claim
from .errors import InputError as InputError
from .errors import NothingToExplain as NothingToExplain
from .facts import Fact as Fact
from .facts import Origin as Origin
from .posterior import PosteriorDraws as PosteriorDraws
from .subject import Subject as Subject
