"""The calls that were made, to be found again: private, bounded in size and age, and switched off by a setting."""
