# The engine is here; predict.py went away.
