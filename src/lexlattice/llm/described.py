"""An endpoint from a TOML file that describes it; its replies are kept in a folder beside the file."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from lexlattice.errors import LexLatticeError, brief
from lexlattice.llm.config import EndpointConfig
from lexlattice.llm.cost import Cap
from lexlattice.llm.endpoint import Endpoint
from lexlattice.llm.store import Store


def endpoint_in(path: str | os.PathLike[str]) -> Endpoint:
    """The endpoint: the fields of `EndpointConfig`, and perhaps `cap`, what may ever be spent on it."""
    place = Path(path)
    try:
        described = tomllib.loads(place.read_text("utf-8"))
        cap = described.pop("cap", None)
        return Endpoint(
            EndpointConfig(**described), Store(place.with_suffix(".replies")), cap=None if cap is None else Cap(cap)
        )
    except OSError as error:
        raise LexLatticeError(f"The endpoint '{path}' cannot be read ({error.strerror or error}).") from error
    except (ValueError, TypeError) as error:
        raise LexLatticeError(f"'{path}' describes no endpoint ({brief(error)}); write kind, url and model.") from error
