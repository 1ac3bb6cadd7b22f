"""All experiments, in the order of the page of results."""

from experiments import sharing_generation, sharing_pruning
from experiments.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each for each in (sharing_generation.EXPERIMENT, sharing_pruning.EXPERIMENT)
}
