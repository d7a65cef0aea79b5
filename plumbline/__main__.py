"""`python -m plumbline` is the command `plumbline`."""

from plumbline.cli import main

if __name__ == "__main__":
    main()
