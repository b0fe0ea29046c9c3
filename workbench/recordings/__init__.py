"""Records tool calls with their answers, replays them in offline tests, and compares expected with actual answers."""
