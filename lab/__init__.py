"""A RoCE fabric in software: emulated switches behind real SSH, driven by the same ``fabric.yml``.

The emulators share no code with the product's drivers and templates, so that a misunderstanding of a platform
cannot pass twice. Every device here is a stand-in for a real switch and says so in its version output.
"""
