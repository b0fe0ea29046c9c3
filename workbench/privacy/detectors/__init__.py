"""Detectors of personal data in texts and JSON values."""
