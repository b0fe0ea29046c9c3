"""Reads what people said in a channel and opens one ticket about it."""

from servers.demo import create_ticket, get_channel_history

talk = await get_channel_history(channel="support", limit=500)
words = ("broken", "late", "wrong", "refund")
complaints = [said for said in talk if any(word in said["text"].lower() for word in words)]
body = "\n".join(f"- {said['text']}" for said in complaints[:10]) or "Nobody complained."
ticket = await create_ticket(customer_id="CUS-0042", subject="Complaints in the support channel", body=body)
result = {"read": len(talk), "complaints": len(complaints), "ticket": ticket["id"]}
