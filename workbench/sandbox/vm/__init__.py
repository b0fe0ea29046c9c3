"""Programs in a virtual machine: QEMU with a kernel of its own, no network card, and the process sandbox inside it.

`build` makes the image and its snapshot once; `machines` starts one machine for each program from the snapshot and
throws it away afterwards; `guest` is the first process inside. Files travel as parcels over a second serial port.
"""
