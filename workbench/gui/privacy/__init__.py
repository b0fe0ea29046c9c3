"""Personal data as a person sees it: tokens that can be looked behind, what was hidden where, and what to change."""
