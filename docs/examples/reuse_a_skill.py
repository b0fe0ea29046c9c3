"""Uses a program that was kept as a skill: its text costs nothing again."""

from skills.pending_orders_summary import pending_orders_summary

result = await pending_orders_summary(minimum_amount=500, show=3)
