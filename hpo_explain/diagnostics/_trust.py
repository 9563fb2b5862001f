"""What statements are about."""

from typing import Literal, TypeAlias

Scope: TypeAlias = Literal["everywhere", "good_region", "proposals"]
