"""What the analyzer knows of the world, as data: names, the deeds behind them, and the words for people."""
