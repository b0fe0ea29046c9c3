"""Programs in containers: podman or docker makes them, our own locks go on inside, and the channel is the same.

`building` makes the image and finds out by trying how this machine's engine has to be asked; `containers` makes the
children from then on; `entry` is what runs inside.
"""
