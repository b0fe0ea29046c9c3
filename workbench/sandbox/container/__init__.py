"""Programs in containers that podman or docker makes; our own locks are added inside, and the channel is the same.

`image_builder.py` builds the image and finds out how this machine's engine must be called; `container_maker.py` makes
the children from then on; `entry.py` runs first inside.
"""
