"""Programs in virtual machines: QEMU with a separate kernel, no network card, and the process sandbox inside.

`image_builder.py` builds the image and its snapshot once. `vm_maker.py` starts one machine per program from the
snapshot and kills it afterwards. `guest_init.py` is the first process inside. Files are copied over a second serial
port.
"""
