"""Detectors of personal data: a text or a JSON value in, findings out."""
