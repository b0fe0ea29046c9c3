"""What the person allows: their rules, their trust in servers, the bounds of runs. Kept in their own folder."""
