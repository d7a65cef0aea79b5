"""The command `plumbline`, and `python -m plumbline`."""

import sys


def main() -> None:
    """Run the command; end the process with its exit status, also where it is interrupted before it has begun."""
    try:
        from plumbline.commands.main import main as run  # here, since a request to end may come while it is imported
        run()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
