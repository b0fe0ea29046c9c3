"""The audit pane, its filters, the timeline of a run and the dashboard."""
