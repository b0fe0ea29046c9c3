"""Handlers of API requests that combine several packages, one file per feature. Agents cannot call them."""
