"""Runs of programs: the pipeline that every run goes through, approvals, and REPL sessions."""
