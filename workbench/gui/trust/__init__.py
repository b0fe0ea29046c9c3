"""Where a person says whom they trust and what is allowed for good."""
