"""Asks one thing: the smallest program there is. It pays only by the definitions that are not loaded for it."""

from servers.demo import count_orders

result = await count_orders()
