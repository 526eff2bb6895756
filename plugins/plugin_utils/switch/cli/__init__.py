"""Configuration of indented command lines (EOS, NX-OS): tree, ownership, plan."""
