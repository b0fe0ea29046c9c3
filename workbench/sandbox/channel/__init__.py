"""The core's side of the channel to a locked child: checks untrusted bytes and turns them into requests and output."""
