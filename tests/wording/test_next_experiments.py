"""Next experiments in words."""

from hpo_explain.base.facts import fact
from hpo_explain.wording import tell


def test_experiments_that_are_only_the_most_uncertain_say_what_to_use():
    note = fact("no_joint_posterior", model="ForestSurrogate")
    assert str(note) == (
        "ForestSurrogate has no joint posterior, so how much an experiment would narrow the band "
        "is not known: the configurations of largest uncertainty are returned. For the others use "
        "kind='gp'"
    )
    assert tell(note, lambda option: f"--{option.name} {option.value}").endswith("use --kind gp")


def test_fewer_experiments_than_asked_for():
    assert str(fact("fewer_experiments", asked=9, found=1, option="candidates")) == (
        "n is 9, but there is only 1 different configuration to choose from. If the space has "
        "others, give a larger candidates="
    )
