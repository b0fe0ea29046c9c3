"""Personal data: what was masked, marks, kinds and a page to try the detectors."""
