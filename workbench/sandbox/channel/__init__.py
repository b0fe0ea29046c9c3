"""The core's end of the channel to a child: hostile bytes in, checked requests and output out."""
