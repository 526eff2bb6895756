"""The model: what one device should be, as plain host variables.

This is the contract between the planner (or a person who writes host variables by hand) and everything
behind it: templates, drivers and checks. It knows nothing of intent, topology or other devices.
"""
