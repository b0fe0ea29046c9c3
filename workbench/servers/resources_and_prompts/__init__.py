"""Resources, templates and prompts of servers: lists, contents, subscriptions, completions."""
