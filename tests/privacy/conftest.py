"""How many examples the properties get: few by default, many with PRIVACY_EXAMPLES=1500."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "privacy",
    max_examples=int(os.environ.get("PRIVACY_EXAMPLES", "100")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
