"""Parts of the audit's pane: filters as chips, the road of a run, exporting."""
