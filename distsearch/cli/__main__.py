"""Run the command line where it is not installed: ``python -m distsearch.cli``."""

from distsearch.cli import main

if __name__ == "__main__":
    main()
