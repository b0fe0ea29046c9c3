"""Recorded calls and answers: recording, playing back, and comparing what was expected with what came."""
