"""Runs memsite as `python -m memsite`."""

from memsite.cli import main

if __name__ == "__main__":
    main()
