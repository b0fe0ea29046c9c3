"""Programs worth keeping: draft, keep, retire; a folder each that other Agent Skills clients can read."""
