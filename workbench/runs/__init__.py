"""Runs of programs: the pipeline that every run goes through, and sessions of agents and of the user."""
