"""What a person may ask, one file a topic; `wire/questions.py` joins them."""
