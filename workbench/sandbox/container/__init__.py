"""Runs programs in containers of podman or docker. The same locks are applied inside, and the channel is the same.

`image_builder.py` builds the image and finds the options that work with this machine's engine. `container_maker.py`
makes the children with them. `entry.py` is the first process in the container.
"""
