"""How a door talks to the core: requests, answers, batched events, large values as handle and preview."""
