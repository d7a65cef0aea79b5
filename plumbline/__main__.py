"""`python -m plumbline` is the command `plumbline`."""

from plumbline.commands.main import main

if __name__ == "__main__":
    main()
