"""What lists and trees show: item models that hold records, filter themselves and never call the core."""
