"""`python -m hpo_explain`: the command line, where its script is not on the path."""

from hpo_explain.cli import main

if __name__ == "__main__":
    main()
